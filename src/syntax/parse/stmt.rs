//! Statements.

use super::{Node, Parts, Read, Reader, Rule, broken, once};
use crate::span::Span;
use crate::syntax::fault::SyntaxFault;
use crate::syntax::tree::{
    AssignOp, Choose, ChooseWhat, Expr, ExprKind, HowMany, Label, Repeated, RollInto, Stmt, StmtKind, Word,
};

/// What may follow a decision or a chance.
#[derive(Default)]
struct Said {
    log: Option<Label>,
    asks: Option<Label>,
    otherwise: Option<Label>,
    cite: Vec<Word>,
    openly: bool,
    anyway: Option<Span>,
    until: Option<Expr>,
}

impl Reader<'_> {
    /// The statements of the next `block` among the parts.
    pub(super) fn block(&self, parts: &mut Parts) -> Read<Vec<Stmt>> {
        let mut parts = self.parts(parts.need(Rule::block)?);
        parts.all(Rule::stmt).into_iter().map(|n| self.stmt(n)).collect()
    }

    pub(super) fn stmt(&self, node: Node) -> Read<Stmt> {
        let span = self.span(&node);
        let node = self.parts(node).first()?;
        let rule = node.as_rule();
        let mut parts = self.parts(node);
        let kind = match rule {
            Rule::place_stmt => self.place(&mut parts)?,
            Rule::when_stmt => self.when(&mut parts)?,
            Rule::match_stmt => self.match_stmt(&mut parts)?,
            Rule::pick_stmt | Rule::draw_stmt | Rule::roll_stmt => self.chance(rule, &mut parts, span)?,
            _ => self.plain(rule, &mut parts)?,
        };
        Ok(Stmt { kind, span })
    }

    fn next_expr(&self, parts: &mut Parts) -> Read<Expr> {
        self.expr(parts.need(Rule::expr)?)
    }

    fn plain(&self, rule: Rule, parts: &mut Parts) -> Read<StmtKind> {
        Ok(match rule {
            Rule::let_stmt => StmtKind::Let { name: self.need_word(parts, Rule::low)?, value: self.next_expr(parts)? },
            Rule::repeat_stmt => {
                StmtKind::Repeat { times: self.expr(parts.need(Rule::sum)?)?, body: self.block(parts)? }
            }
            Rule::while_stmt => StmtKind::While { cond: self.next_expr(parts)?, body: self.block(parts)? },
            Rule::for_stmt => self.for_stmt(parts)?,
            Rule::put_stmt => {
                let (many, item) = self.how_many(parts)?;
                StmtKind::Put { many, item, pile: self.next_expr(parts)? }
            }
            Rule::take_stmt => {
                let (many, item) = self.how_many(parts)?;
                StmtKind::Take { many, item, pile: self.next_expr(parts)? }
            }
            Rule::move_all => StmtKind::MoveAll { from: self.next_expr(parts)?, to: self.next_expr(parts)? },
            Rule::move_stmt => {
                let (many, item) = self.how_many(parts)?;
                StmtKind::Move { many, item, from: self.next_expr(parts)?, to: self.next_expr(parts)? }
            }
            Rule::shuffle_stmt => StmtKind::Shuffle { pile: self.next_expr(parts)? },
            Rule::secretly_stmt => StmtKind::Secretly { body: self.block(parts)? },
            Rule::finish_stmt => StmtKind::Finish { procedure: self.need_word(parts, Rule::low)? },
            Rule::call_stmt => {
                let (name, args) = self.call(&mut self.parts(parts.need(Rule::call)?))?;
                StmtKind::Call { name, args }
            }
            _ => return Err(broken(parts.span)),
        })
    }

    /// `x`, `N x`, `all x`.
    fn how_many(&self, parts: &mut Parts) -> Read<(HowMany, Expr)> {
        if let Some(all) = parts.opt(Rule::all_of) {
            return Ok((HowMany::All, self.next_expr(&mut self.parts(all))?));
        }
        let first = self.next_expr(parts)?;
        match parts.opt(Rule::counted) {
            Some(counted) => Ok((HowMany::Number(first), self.next_expr(&mut self.parts(counted))?)),
            None => Ok((HowMany::One, first)),
        }
    }

    fn when(&self, parts: &mut Parts) -> Read<StmtKind> {
        let mut arms = vec![(Some(self.next_expr(parts)?), self.block(parts)?)];
        for arm in parts.all(Rule::else_when) {
            let mut arm = self.parts(arm);
            arms.push((Some(self.next_expr(&mut arm)?), self.block(&mut arm)?));
        }
        if let Some(last) = parts.opt(Rule::else_block) {
            arms.push((None, self.block(&mut self.parts(last))?));
        }
        Ok(StmtKind::When { arms })
    }

    fn match_stmt(&self, parts: &mut Parts) -> Read<StmtKind> {
        let on = self.next_expr(parts)?;
        let mut cases = Vec::new();
        for case in parts.all(Rule::case) {
            let mut case = self.parts(case);
            let values: Read<Vec<Expr>> = case.all(Rule::term).into_iter().map(|value| self.expr(value)).collect();
            cases.push((values?, self.block(&mut case)?));
        }
        let otherwise = match parts.opt(Rule::else_block) {
            Some(last) => Some(self.block(&mut self.parts(last))?),
            None => None,
        };
        Ok(StmtKind::Match { on, cases, otherwise })
    }

    /// Two ends of a range.
    fn bounds(&self, parts: &mut Parts) -> Read<(Expr, Expr)> {
        let mut parts = self.parts(parts.need(Rule::bounds)?);
        let lo = self.expr(parts.need(Rule::sum)?)?;
        Ok((lo, self.expr(parts.need(Rule::sum)?)?))
    }

    /// `log`, `else`, `cite` in any order, wrapped in nodes of that rule.
    fn said(&self, parts: &mut Parts, rule: Rule) -> Read<Said> {
        let mut said = Said::default();
        for node in parts.all(rule) {
            let mut part = self.parts(node);
            let span = part.span;
            if let Some(log) = part.opt(Rule::log_part) {
                once(&mut said.log, self.log(log)?, span, "`log`")?;
            }
            if let Some(label) = self.asks(&mut part)? {
                once(&mut said.asks, label, span, "`asks`")?;
            }
            if let Some(other) = part.opt(Rule::else_part) {
                let label = self.label(self.parts(other).need(Rule::label)?)?;
                once(&mut said.otherwise, label, span, "`else`")?;
            }
            said.openly |= part.has(Rule::kw_openly);
            if let Some(until) = self.until(&mut part)? {
                once(&mut said.until, until, span, "`hidden until`")?;
            }
            if part.has(Rule::anyway) {
                once(&mut said.anyway, span, span, "`asked anyway`")?;
            }
            said.cite.extend(self.cites(&mut part));
        }
        Ok(said)
    }

    /// `asks "place a character"`.
    pub(super) fn asks(&self, parts: &mut Parts) -> Read<Option<Label>> {
        parts.opt(Rule::asks_part).map(|node| self.label(self.parts(node).need(Rule::label)?)).transpose()
    }

    /// `hidden until COND`.
    pub(super) fn until(&self, parts: &mut Parts) -> Read<Option<Expr>> {
        parts.opt(Rule::until_part).map(|node| self.next_expr(&mut self.parts(node))).transpose()
    }

    fn for_stmt(&self, parts: &mut Parts) -> Read<StmtKind> {
        let name = self.need_word(parts, Rule::low)?;
        let set = self.expr(parts.need(Rule::set)?)?;
        let set = match self.where_part(parts)? {
            None => set,
            Some(cond) => {
                let span = set.span.to(cond.span);
                let (var, set, cond) = (name.clone(), Box::new(set), Some(Box::new(cond)));
                Expr { kind: ExprKind::Compr { map: None, var, set, cond }, span }
            }
        };
        let ordered = |rule: Rule, parts: &mut Parts| match parts.opt(rule) {
            Some(by) => Ok(Some(self.next_expr(&mut self.parts(by))?)),
            None => Ok(None),
        };
        let (chosen_by, by) = (ordered(Rule::chosen_by, parts)?, ordered(Rule::by_part, parts)?);
        Ok(StmtKind::For { name, set, chosen_by, by, body: self.block(parts)? })
    }

    fn chance(&self, rule: Rule, parts: &mut Parts, span: Span) -> Read<StmtKind> {
        let Said { log, cite, .. } = self.said(parts, Rule::said)?;
        let name = self.need_word(parts, Rule::low)?;
        Ok(match rule {
            Rule::pick_stmt => StmtKind::Pick {
                name,
                set: self.expr(parts.need(Rule::set)?)?,
                cond: self.where_part(parts)?,
                log,
                cite,
            },
            Rule::draw_stmt => StmtKind::Draw {
                name,
                bag: self.expr(parts.need(Rule::set)?)?,
                cond: self.where_part(parts)?,
                log,
                cite,
            },
            Rule::roll_stmt => {
                let (lo, hi) = self.bounds(parts)?;
                let into = parts.opt(Rule::rolled_into).map(|node| self.rolled_into(node).map(Box::new)).transpose()?;
                StmtKind::Roll { name, lo, hi, into, log, cite }
            }
            _ => return Err(broken(span)),
        })
    }

    /// `times N into B`.
    fn rolled_into(&self, node: Node) -> Read<RollInto> {
        let mut parts = self.parts(node);
        Ok(RollInto { times: self.expr(parts.need(Rule::sum)?)?, bag: self.expr(parts.need(Rule::postfix)?)? })
    }

    /// A statement that begins with a place or a seat.
    fn place(&self, parts: &mut Parts) -> Read<StmtKind> {
        let first = self.expr(parts.need(Rule::postfix)?)?;
        if let Some(assign) = parts.opt(Rule::assign) {
            let mut assign = self.parts(assign);
            let op = self.parts(assign.need(Rule::assign_op)?).first()?;
            let op = match op.as_rule() {
                Rule::add_to => AssignOp::Add,
                Rule::sub_from => AssignOp::Sub,
                _ => AssignOp::Set,
            };
            if !is_place(&first) {
                return Err(SyntaxFault::new(
                    first.span,
                    "this cannot be changed",
                    "not a variable",
                    Some("change a variable, a field of a member or one of an indexed variable"),
                ));
            }
            return Ok(StmtKind::Assign { place: first, op, value: self.next_expr(&mut assign)? });
        }
        let optional = parts.has(Rule::may_choose);
        let repeated = parts.has(Rule::again);
        let rule = match (optional, repeated) {
            (true, _) => Rule::may_choose,
            (false, true) => Rule::again,
            (false, false) => Rule::chooses,
        };
        let mut tail = self.parts(parts.need(rule)?);
        let Said { log, asks, mut otherwise, cite, openly, anyway, until } = self.said(&mut tail, Rule::choose_part)?;
        if let Some(label) = &otherwise
            && !optional
        {
            return Err(SyntaxFault::new(
                label.span,
                "`else` belongs to a choice that may be declined",
                "this one must be made",
                Some("write `may choose`, or leave `else` out"),
            ));
        }
        let what = self.what(&mut tail)?;
        if let Some(span) = anyway {
            let fault = |title: &str, label: &str, help: &str| SyntaxFault::new(span, title, label, Some(help));
            match (&what, optional) {
                (_, false) => {
                    let help = "write `may choose`, or leave `asked anyway` out";
                    return Err(fault(
                        "only a choice that may be declined is asked anyway",
                        "this one must be made",
                        help,
                    ));
                }
                (ChooseWhat::Yes { .. } | ChooseWhat::Several { .. }, _) => {
                    let label = "only a choice of one thing, a number or an action can";
                    return Err(fault("this choice cannot be `asked anyway`", label, "leave `asked anyway` out"));
                }
                _ => {}
            }
        }
        let repeated = self.repeated(&mut tail, &what, optional)?;
        let body = if tail.has(Rule::block) { self.block(&mut tail)? } else { Vec::new() };
        let declined = match tail.opt(Rule::declined) {
            Some(node) => self.declined(node, repeated.is_some(), &mut otherwise)?,
            None => Vec::new(),
        };
        Ok(StmtKind::Choose(Box::new(Choose {
            seat: first,
            optional,
            what,
            log,
            asks,
            otherwise,
            cite,
            openly,
            anyway,
            until,
            repeated,
            body,
            declined,
        })))
    }

    /// `repeatedly ... up to N`.
    fn repeated(&self, tail: &mut Parts, what: &ChooseWhat, optional: bool) -> Read<Option<Repeated>> {
        let span = tail.span;
        if !tail.has(Rule::kw_repeatedly) {
            return Ok(None);
        }
        let up_to = match tail.opt(Rule::up_to) {
            Some(most) => Some(self.expr(self.parts(most).need(Rule::sum)?)?),
            None => None,
        };
        let fault = |title: &str, label: &str, help: &str| Err(SyntaxFault::new(span, title, label, Some(help)));
        match what {
            ChooseWhat::Several { .. } => fault(
                "several at once cannot be chosen repeatedly",
                "this asks for one after another already",
                "write `may repeatedly choose x from S`, or leave `repeatedly` out",
            ),
            ChooseWhat::Act { if_any: false, .. } if !optional && up_to.is_none() => fault(
                "this choice would never end",
                "it can neither be declined nor run out",
                "write `if any` after the actions: until none is legal; or `up to N`",
            ),
            _ => Ok(Some(Repeated { up_to })),
        }
    }

    /// `else "..." {..}` after what follows a choice: what happens where nothing is chosen.
    fn declined(&self, node: Node, repeated: bool, otherwise: &mut Option<Label>) -> Read<Vec<Stmt>> {
        let mut parts = self.parts(node);
        let span = parts.span;
        if repeated {
            return Err(SyntaxFault::new(
                span,
                "a repeated choice has no block for declining",
                "it ends so each time, however often it was made",
                Some("write what happens then after the choice"),
            ));
        }
        if let Some(label) = parts.opt(Rule::label) {
            once(otherwise, self.label(label)?, span, "`else` with a text")?;
        }
        self.block(&mut parts)
    }

    fn what(&self, parts: &mut Parts) -> Read<ChooseWhat> {
        if let Some(yes) = parts.opt(Rule::yes) {
            let label = self.label(self.parts(yes).need(Rule::label)?)?;
            return Ok(ChooseWhat::Yes { label });
        }
        let node = match parts.opt(Rule::what) {
            Some(what) => self.parts(what).first()?,
            None => parts.need(Rule::act)?,
        };
        let rule = node.as_rule();
        let mut parts = self.parts(node);
        let p = &mut parts;
        Ok(match rule {
            Rule::act => ChooseWhat::Act { actions: self.words(p, Rule::low), if_any: p.has(Rule::if_any) },
            Rule::pick_number => {
                let (lo, hi) = self.bounds(p)?;
                let name = self.need_word(p, Rule::low)?;
                ChooseWhat::Number { name, lo, hi }
            }
            Rule::pick_one => ChooseWhat::One {
                name: self.need_word(p, Rule::low)?,
                set: self.expr(p.need(Rule::set)?)?,
                cond: self.where_part(p)?,
            },
            Rule::pick_several => {
                let (lo, hi) = self.bounds(p)?;
                ChooseWhat::Several {
                    name: self.need_word(p, Rule::low)?,
                    lo,
                    hi,
                    set: self.expr(p.need(Rule::set)?)?,
                    cond: self.where_part(p)?,
                }
            }
            _ => return Err(broken(parts.span)),
        })
    }
}

/// Has it the form of something that can be assigned to?
fn is_place(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..))
}
