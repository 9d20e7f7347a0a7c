//! Clauses: exceptions, permissions, hooks, abilities, and the words they carry.

use super::{Node, Parts, Read, Reader, Rule, broken, once};
use crate::syntax::fault::SyntaxFault;
use crate::syntax::tree::{Ability, AbilityRef, Clause, ClauseKind, Expr, HookTime, Layer, Mods, Word};

impl Reader<'_> {
    /// All clause words among the parts.
    pub(super) fn mods(&self, parts: &mut Parts) -> Read<Mods> {
        let mut mods = Mods::default();
        for list in parts.all(Rule::mods) {
            for modifier in self.parts(list).all(Rule::modifier) {
                self.modifier(&mut mods, self.parts(modifier).first()?)?;
            }
        }
        Ok(mods)
    }

    fn modifier(&self, mods: &mut Mods, node: Node) -> Read<()> {
        let rule = node.as_rule();
        let mut parts = self.parts(node);
        let span = parts.span;
        match rule {
            Rule::cites => {
                let list = parts.need(Rule::cite_list)?;
                mods.cite.extend(self.cite_list(list));
            }
            Rule::exception => {
                let label = self.label(parts.need(Rule::label)?)?;
                once(&mut mods.exception_to, label, span, "`exception to`")?;
            }
            Rule::ranks => mods.ranks_above.extend(self.labels(&mut parts)?),
            Rule::despite => mods.despite.extend(self.labels(&mut parts)?),
            Rule::once => {
                let word = self.need_word(&mut parts, Rule::low)?;
                once(&mut mods.once_per, word, span, "`once per`")?;
            }
            Rule::kw_openly => mods.openly = true,
            Rule::when_mod => {
                let cond = self.expr(parts.need(Rule::expr)?)?;
                if mods.when.is_some() {
                    return Err(SyntaxFault::new(
                        span,
                        "`when` is given twice",
                        "the second time",
                        Some("join the two conditions with `and`"),
                    ));
                }
                mods.when = Some(cond);
            }
            _ => return Err(broken(span)),
        }
        Ok(())
    }

    /// The name and the arguments of the definition a clause is about.
    fn head(&self, parts: &mut Parts) -> Read<(Word, Vec<Word>)> {
        let mut head = self.parts(parts.need(Rule::head)?);
        let name = self.need_word(&mut head, Rule::low)?;
        let args = match head.opt(Rule::args) {
            Some(args) => self.names(&mut self.parts(args)),
            None => Vec::new(),
        };
        Ok((name, args))
    }

    fn ability_ref(&self, parts: &mut Parts) -> Read<AbilityRef> {
        let mut which = self.parts(parts.need(Rule::ability_ref)?);
        Ok(match which.opt(Rule::label) {
            Some(label) => AbilityRef::Label(self.label(label)?),
            None => AbilityRef::Name(self.need_word(&mut which, Rule::cap)?),
        })
    }

    pub(super) fn clause(&self, node: Node) -> Read<Clause> {
        let span = self.span(&node);
        let node = self.parts(node).first()?;
        let rule = node.as_rule();
        let mut parts = self.parts(node);
        let p = &mut parts;
        let label = self.opt_label(p)?;
        let mods = self.mods(p)?;
        let kind = match rule {
            Rule::hook => {
                let time = if p.has(Rule::kw_before) {
                    HookTime::Before
                } else if p.has(Rule::kw_at) {
                    HookTime::At
                } else if p.has(Rule::kw_after) {
                    HookTime::After
                } else {
                    HookTime::Instead
                };
                let mut path = self.parts(p.need(Rule::hook_path)?);
                ClauseKind::Hook {
                    time,
                    procedure: self.need_word(&mut path, Rule::low)?,
                    step: path.opt(Rule::low).map(|n| self.word(&n)),
                    body: self.block(p)?,
                }
            }
            Rule::may => {
                let actions = self.words(p, Rule::low);
                if p.has(Rule::kw_not) { ClauseKind::MayNot { actions } } else { ClauseKind::May { actions } }
            }
            Rule::must => {
                let action = self.need_word(p, Rule::low)?;
                match p.opt(Rule::so_that) {
                    Some(so) => ClauseKind::MustSo { action, so_that: self.expr(self.parts(so).need(Rule::expr)?)? },
                    None => {
                        let mut prefer = self.parts(p.need(Rule::prefer)?);
                        ClauseKind::MustPrefer {
                            action,
                            most: prefer.has(Rule::kw_most),
                            value: self.expr(prefer.need(Rule::expr)?)?,
                        }
                    }
                }
            }
            Rule::silence => ClauseKind::Silence {
                which: if p.has(Rule::ability_ref) { Some(self.ability_ref(p)?) } else { None },
                holder: self.param(p.need(Rule::param)?)?,
            },
            Rule::spare => ClauseKind::Spare { which: self.ability_ref(p)? },
            _ => {
                let (name, args) = self.head(p)?;
                let value = self.expr(p.need(Rule::expr)?)?;
                self.on_definition(rule, name, args, value)?
            }
        };
        Ok(Clause { kind, label, mods, span })
    }

    fn on_definition(&self, rule: Rule, name: Word, args: Vec<Word>, value: Expr) -> Read<ClauseKind> {
        let layer = match rule {
            Rule::instead => Layer::Instead,
            Rule::times => Layer::Times,
            Rule::plus_clause => Layer::Plus,
            Rule::at_most => Layer::AtMost,
            Rule::at_least => Layer::AtLeast,
            Rule::also => Layer::Also,
            Rule::except => Layer::Except,
            _ => return Err(broken(name.span)),
        };
        Ok(ClauseKind::Layer { layer, name, args, value })
    }

    /// An ability, of a member or shared.
    pub(super) fn ability(&self, node: Node) -> Read<Ability> {
        let mut parts = self.parts(node);
        let p = &mut parts;
        let name = p.opt(Rule::cap).map(|n| self.word(&n));
        let holder = p.opt(Rule::param).map(|n| self.param(n)).transpose()?;
        let label = self.opt_label(p)?;
        let mods = self.mods(p)?;
        let clauses = p.all(Rule::clause).into_iter().map(|n| self.clause(n)).collect::<Read<_>>()?;
        Ok(Ability { name, holder, label, mods, clauses, span: parts.span })
    }
}
