//! Actions and procedures, with their steps.

use super::{Node, Parts, Read, Reader, Rule, once};
use crate::span::Span;
use crate::syntax::fault::SyntaxFault;
use crate::syntax::tree::{Action, Beside, DeclKind, HookOrder, ProcItem, Procedure, Ranks, Step, Word};

impl Reader<'_> {
    pub(super) fn action(&self, mut parts: Parts) -> Read<Action> {
        let p = &mut parts;
        let name = self.need_word(p, Rule::low)?;
        let (mut by, mut domain, mut log, mut cite, mut openly) = (None, None, None, Vec::new(), false);
        let mut until = None;
        let during = self.during(p)?;
        for part in p.all(Rule::action_part) {
            let mut part = self.parts(part);
            let span = part.span;
            if let Some(node) = part.opt(Rule::by_part) {
                let seat = self.expr(self.parts(node).need(Rule::expr)?)?;
                once(&mut by, seat, span, "`by`")?;
            }
            if let Some(cond) = self.where_part(&mut part)? {
                once(&mut domain, cond, span, "`where`")?;
            }
            if let Some(node) = part.opt(Rule::log_part) {
                once(&mut log, self.log(node)?, span, "`log`")?;
            }
            openly |= part.has(Rule::kw_openly);
            if let Some(cond) = self.until(&mut part)? {
                once(&mut until, cond, span, "`hidden until`")?;
            }
            cite.extend(self.cites(&mut part));
        }
        let Some(by) = by else {
            return Err(SyntaxFault::new(
                name.span,
                format!("the action `{}` does not say whose it is", name.text),
                "no `by`",
                Some("write `by` and a seat after its parameters"),
            ));
        };
        Ok(Action { name, params: self.params(p)?, during, by, domain, log, cite, openly, until, body: self.block(p)? })
    }

    /// `in PROCEDURE`.
    pub(super) fn during(&self, parts: &mut Parts) -> Read<Option<Word>> {
        match parts.opt(Rule::during) {
            Some(node) => Ok(Some(self.need_word(&mut self.parts(node), Rule::low)?)),
            None => Ok(None),
        }
    }

    pub(super) fn procedure(&self, mut parts: Parts) -> Read<Procedure> {
        let p = &mut parts;
        let name = self.need_word(p, Rule::low)?;
        let params = self.params(p)?;
        let during = self.during(p)?;
        let nested = match p.opt(Rule::nested) {
            Some(nested) => Some(self.int(&self.parts(nested).need(Rule::number)?)?),
            None => None,
        };
        let asks = self.asks(p)?;
        let cite = self.cites(p);
        let mut items = Vec::new();
        let mut finally = None;
        for node in std::mem::take(&mut p.nodes) {
            let span = self.span(&node);
            match node.as_rule() {
                Rule::var_decl => items.push(ProcItem::Var(self.var(&mut self.parts(node))?)),
                Rule::step => {
                    let mut parts = self.parts(node);
                    let name = self.need_word(&mut parts, Rule::low)?;
                    items.push(ProcItem::Step(self.step(name, parts, span)?));
                }
                Rule::stmt => items.push(ProcItem::Stmt(self.stmt(node)?)),
                Rule::finally => {
                    let body = self.block(&mut self.parts(node))?;
                    once(&mut finally, body, span, "`finally`")?;
                }
                _ => {}
            }
        }
        Ok(Procedure { name, params, during, nested, asks, cite, items, finally })
    }

    /// `procedure battle also { ... }`.
    pub(super) fn more_steps(&self, mut parts: Parts) -> Read<DeclKind> {
        let p = &mut parts;
        let procedure = self.need_word(p, Rule::low)?;
        let vars = p.all(Rule::var_decl).into_iter().map(|node| self.var(&mut self.parts(node)));
        let steps = p.all(Rule::more_step).into_iter().map(|node| {
            let span = self.span(&node);
            let mut parts = self.parts(node);
            let mut beside = self.parts(parts.need(Rule::beside)?);
            let beside = Beside { before: beside.has(Rule::kw_before), step: self.need_word(&mut beside, Rule::low)? };
            let name = self.need_word(&mut parts, Rule::low)?;
            Ok((self.step(name, parts, span)?, beside))
        });
        Ok(DeclKind::MoreSteps { procedure, vars: vars.collect::<Read<_>>()?, steps: steps.collect::<Read<_>>()? })
    }

    /// `step battle.cards ...`, after `replace`.
    pub(super) fn other_step(&self, node: Node) -> Read<DeclKind> {
        let span = self.span(&node);
        let mut parts = self.parts(node);
        let mut path = self.parts(parts.need(Rule::step_path)?);
        let procedure = self.need_word(&mut path, Rule::low)?;
        let name = self.need_word(&mut path, Rule::low)?;
        Ok(DeclKind::ReplaceStep { procedure, step: self.step(name, parts, span)? })
    }

    fn step(&self, name: Word, mut parts: Parts, span: Span) -> Read<Step> {
        let p = &mut parts;
        let (mut when, mut order, mut asks, mut cite) = (None, None, None, Vec::new());
        for part in p.all(Rule::step_part) {
            let mut part = self.parts(part);
            let span = part.span;
            if let Some(node) = part.opt(Rule::when_mod) {
                let cond = self.expr(self.parts(node).need(Rule::expr)?)?;
                once(&mut when, cond, span, "`when`")?;
            }
            if let Some(node) = part.opt(Rule::order_part) {
                once(&mut order, self.hook_order(&mut self.parts(node))?, span, "`order`")?;
            }
            if let Some(label) = self.asks(&mut part)? {
                once(&mut asks, label, span, "`asks`")?;
            }
            cite.extend(self.cites(&mut part));
        }
        Ok(Step {
            asks,
            name,
            label: self.opt_label(p)?,
            cite,
            when,
            order,
            body: if p.has(Rule::block) { self.block(p)? } else { Vec::new() },
            span,
        })
    }

    fn hook_order(&self, parts: &mut Parts) -> Read<HookOrder> {
        let ranks = if let Some(node) = parts.opt(Rule::order_of) {
            let exprs = self.parts(node).all(Rule::expr);
            Some(Ranks::Seats(exprs.into_iter().map(|e| self.expr(e)).collect::<Read<_>>()?))
        } else if let Some(node) = parts.opt(Rule::order_by) {
            let by = &mut self.parts(node);
            let (name, kind) = (self.need_word(by, Rule::low)?, self.need_word(by, Rule::cap)?);
            Some(Ranks::By(name, kind, self.expr(by.need(Rule::expr)?)?))
        } else {
            None
        };
        let chosen_by = match parts.opt(Rule::chosen_by) {
            Some(by) => Some(self.expr(self.parts(by).need(Rule::expr)?)?),
            None => None,
        };
        Ok(HookOrder { ranks, chosen_by })
    }
}
