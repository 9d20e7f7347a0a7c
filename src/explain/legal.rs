//! May, may not, must: which actions are legal. Listing them and judging one both come here.

use super::budget::{at_least, too_many};
use super::eval::{Eval, Res};
use super::note::{Notes, Role};
use crate::game::{Args, Choice, Considered, Fate, Fault, FaultDetail, FaultKind, MAX_OPTIONS};
use crate::model::{Action, ActionId, ClauseId, Goal, Permission, Value, VarId};
use crate::span::Span;

/// What permissions and prohibitions say of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// No permission reaches it.
    Unreached,
    /// A prohibition stands.
    Prohibited,
    /// Neither.
    Permitted,
}

/// An obligation in force, and which of the permitted actions meet it.
pub(super) struct Duty<'a> {
    /// Its clause.
    pub clause: ClauseId,
    /// Its holder.
    pub holder: Option<u16>,
    /// What it asks.
    pub goal: &'a Goal,
    /// The action it speaks of.
    pub action: ActionId,
    /// For each permitted action whether it meets it.
    pub met: Vec<bool>,
    /// The value sought, of a preference.
    pub best: Option<i32>,
}

impl<'a, N: Notes> Eval<'a, N> {
    /// The action itself.
    pub fn action(&self, id: ActionId) -> Option<&'a Action> {
        self.model.actions.get(id.i())
    }

    /// Does something with the arguments of an action as locals.
    pub fn with_args<T>(&mut self, args: &Args, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        self.framed(|ev| {
            for (i, arg) in args.as_slice().iter().enumerate() {
                ev.set_local(i as u16, Value::Int(i32::from(*arg)));
            }
            f(ev)
        })
    }

    fn action_span(&self, action: &Action) -> Span {
        self.model.clause(action.clause).map(|c| c.span).unwrap_or_default()
    }

    /// Whether the action belongs to the seat; its parameters are the locals.
    pub fn belongs(&mut self, action: &Action, seat: u16) -> Res<bool> {
        Ok(match self.eval(&action.by)? {
            Value::Int(i) => i == i32::from(seat),
            Value::Set(set) => set.contains(usize::from(seat)),
            _ => false,
        })
    }

    /// Calls `f` for each action there is with these parameters, legal or not, until it says that it has seen enough.
    /// The arguments are the locals.
    pub fn each_tuple(
        &mut self,
        action: &'a Action,
        seat: u16,
        f: &mut impl FnMut(&mut Self, &[i32]) -> Res<bool>,
    ) -> Res<()> {
        self.considered(action.clause);
        self.framed(|ev| {
            let early = action.by.has_no_locals();
            if early && !ev.belongs(action, seat)? {
                return Ok(());
            }
            let mut args = Vec::with_capacity(action.params.len());
            ev.tuples(action, (seat, early), &mut args, f)?;
            Ok(())
        })
        .map_err(at_least(action.clause))
    }

    fn tuples(
        &mut self,
        action: &'a Action,
        by: (u16, bool),
        args: &mut Vec<i32>,
        f: &mut impl FnMut(&mut Self, &[i32]) -> Res<bool>,
    ) -> Res<bool> {
        let i = args.len();
        let checked = if action.params.is_empty() { Some(0) } else { i.checked_sub(1) };
        if let Some(conds) = checked.and_then(|i| action.domain.get(i))
            && !self.all(conds)?
        {
            return Ok(false);
        }
        let Some((_, ty)) = action.params.get(i) else {
            if !by.1 && !self.belongs(action, by.0)? {
                return Ok(false);
            }
            return f(self, args);
        };
        for value in self.model.values(&ty.base).into_iter().flatten() {
            self.spend(1, self.action_span(action))?;
            self.set_local(i as u16, Value::Int(value));
            args.push(value);
            let enough = self.tuples(action, by, args, f)?;
            args.pop();
            if enough {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What permissions and prohibitions say of the action whose arguments are the locals.
    pub fn standing(&mut self, action: &'a Action) -> Res<Standing> {
        let mut permissions: Vec<&'a Permission> = Vec::new();
        for may in &action.may {
            for holder in self.speakers(may.clause)? {
                let (applies, considered) = self.applies(may.clause, holder)?;
                if applies {
                    permissions.push(may);
                }
                if let Some(c) = considered {
                    self.notes.clause(Role::Permission, c);
                }
            }
        }
        if permissions.is_empty() && !N::ON {
            return Ok(Standing::Unreached);
        }
        // Where no permission reaches it, a referee still wants to hear what forbids it besides.
        let mut standing = if permissions.is_empty() { Standing::Unreached } else { Standing::Permitted };
        let mut failed = None;
        for not in &action.may_not {
            let despite = permissions.iter().find(|m| m.despite.contains(&not.clause)).map(|m| m.clause);
            for holder in self.speakers(not.clause)? {
                let (applies, considered) = match self.applies(not.clause, holder) {
                    Ok(asked) => asked,
                    Err(open) if self.is_stopped() => return Err(open),
                    Err(_) if despite.is_some() => continue,
                    Err(fault) => {
                        failed.get_or_insert(fault);
                        continue;
                    }
                };
                if applies && despite.is_none() && standing != Standing::Unreached {
                    standing = Standing::Prohibited;
                    if !N::ON {
                        return Ok(standing);
                    }
                }
                if let Some(c) = considered {
                    let fate = match despite {
                        Some(may) if applies => Fate::Beaten(may),
                        _ => c.fate,
                    };
                    self.notes.clause(Role::Prohibition, Considered { fate, ..c });
                }
            }
        }
        match failed {
            Some(fault) if standing == Standing::Permitted => Err(fault),
            // What is illegal is so whatever another clause would say.
            _ => Ok(standing),
        }
    }

    /// All actions among these that are permitted and not prohibited.
    pub fn permitted(&mut self, actions: &[ActionId], seat: u16) -> Res<Vec<Choice>> {
        let mut found = Vec::new();
        for id in actions {
            let Some(action) = self.action(*id) else {
                continue;
            };
            self.each_tuple(action, seat, &mut |ev, args| {
                if ev.standing(action)? == Standing::Permitted {
                    if found.len() >= MAX_OPTIONS {
                        return Err(too_many(action.clause, ev.action_span(action)));
                    }
                    found.push(Choice::Act(*id, Args::new(args)));
                }
                Ok(false)
            })?;
        }
        Ok(found)
    }

    /// Whether any action among these is legal. Obligations only narrow, so a permitted one is enough.
    pub fn any_legal(&mut self, actions: &[ActionId], seat: u16) -> Res<bool> {
        let mut any = false;
        for id in actions {
            let Some(action) = self.action(*id) else {
                continue;
            };
            self.each_tuple(action, seat, &mut |ev, _| {
                any = ev.standing(action)? == Standing::Permitted;
                Ok(any)
            })?;
            if any {
                break;
            }
        }
        Ok(any)
    }

    /// All legal actions among these, in order.
    pub fn legal(&mut self, actions: &[ActionId], seat: u16) -> Res<Vec<Choice>> {
        let permitted = self.permitted(actions, seat)?;
        let duties = self.duties(actions, &permitted)?;
        if duties.is_empty() {
            return Ok(permitted);
        }
        let kept = permitted.iter().enumerate();
        let kept = kept.filter(|(i, _)| duties.iter().all(|d| d.met.get(*i) == Some(&true)));
        Ok(kept.map(|(_, c)| *c).collect())
    }

    /// Whether any of these actions has obligations.
    pub fn has_duties(&self, actions: &[ActionId]) -> bool {
        actions.iter().any(|a| self.action(*a).is_some_and(|a| !a.must.is_empty()))
    }

    /// The obligations in force among the permitted actions: those that at least one of them meets.
    ///
    /// # Errors
    /// A conflict where none meets them all.
    pub fn duties(&mut self, actions: &[ActionId], permitted: &[Choice]) -> Res<Vec<Duty<'a>>> {
        let mut duties = Vec::new();
        for id in actions {
            let Some(action) = self.action(*id) else {
                continue;
            };
            for must in &action.must {
                for holder in self.bearers(must.clause)? {
                    let mut duty = Duty {
                        clause: must.clause,
                        holder,
                        goal: &must.goal,
                        action: *id,
                        met: Vec::with_capacity(permitted.len()),
                        best: None,
                    };
                    self.weigh(&mut duty, permitted)?;
                    if duty.met.contains(&true) {
                        duties.push(duty);
                    }
                }
            }
        }
        let all = |i| duties.iter().all(|d: &Duty| d.met.get(i) == Some(&true));
        if !duties.is_empty() && !(0..permitted.len()).any(all) {
            let mut clauses: Vec<ClauseId> = duties.iter().map(|d| d.clause).collect();
            clauses.dedup();
            let clause = clauses.first().and_then(|c| self.model.clause(*c));
            return Err(Box::new(Fault {
                kind: FaultKind::Conflict,
                span: clause.map(|c| c.span).unwrap_or_default(),
                clauses,
                detail: FaultDetail::Obligations,
            }));
        }
        Ok(duties)
    }

    fn weigh(&mut self, duty: &mut Duty<'a>, permitted: &[Choice]) -> Res<()> {
        let (clause, holder, goal) = (duty.clause, duty.holder, duty.goal);
        let mut worth: Vec<Option<i32>> = Vec::new();
        for choice in permitted {
            let value = match choice {
                Choice::Act(id, args) if *id == duty.action => self.with_args(args, |ev| {
                    if !ev.applies(clause, holder)?.0 {
                        return Ok(None);
                    }
                    match goal {
                        Goal::SoThat(cond) => Ok(ev.truth(cond)?.then_some(1)),
                        Goal::Prefer(_, e) => ev.int(e),
                    }
                })?,
                _ => None,
            };
            worth.push(value);
        }
        let known = worth.iter().flatten();
        duty.best = match goal {
            Goal::SoThat(_) | Goal::Prefer(true, _) => known.max().copied(),
            Goal::Prefer(false, _) => known.min().copied(),
        };
        let best = duty.best;
        duty.met = worth.iter().map(|w| w.is_some() && *w == best).collect();
        Ok(())
    }

    /// The limits that an action uses up, with their index: none where a permission without a limit applies.
    pub fn limits(&mut self, id: ActionId, args: &Args) -> Res<Option<(VarId, usize)>> {
        let Some(action) = self.action(id) else {
            return Ok(None);
        };
        self.with_args(args, |ev| {
            let mut first = None;
            for may in &action.may {
                let limit = ev.model.clause(may.clause).and_then(|c| c.limit);
                for holder in ev.speakers(may.clause)? {
                    if !ev.applies(may.clause, holder)?.0 {
                        continue;
                    }
                    match limit {
                        None => return Ok(None),
                        Some(var) => {
                            first = first.or(Some((var, usize::from(holder.unwrap_or(0)))));
                        }
                    }
                }
            }
            Ok(first)
        })
    }
}
