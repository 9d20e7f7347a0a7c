//! The endings: lowered, and which of them ends the game.

use std::collections::BTreeSet;

use super::define::Body as _;
use super::eval::Ev;
use super::fallback::Fallback;
use super::ir::{Cond, Num};
use super::lower::{Env, Local, Low, Lower};
use super::program::{Ending, Val, Winners, seats};
use super::run::{Res, Run, put_uint};
use crate::model::{Asked, Base, ClauseId, EndResult, Expr, ExprKind, Model};

impl Lower<'_> {
    /// The endings that can hold under the options and readings in force.
    pub fn ends(&mut self) -> Low<Vec<Ending>> {
        let model = self.model;
        let mut all = Vec::new();
        for (index, end) in model.ends.iter().enumerate() {
            let some_legal = asks_for_some(model, end.clause);
            for holder in self.model.holders(end.clause) {
                let mut env = Env::default();
                let holder = holder.map(|h| Local::Const(i32::from(h)));
                self.apart = true;
                let applies = self.applies(end.clause, holder, &mut env)?;
                self.apart = false;
                if matches!(applies, Cond::Const(false)) {
                    continue;
                }
                let mut named = |e: &Expr, low: &mut Self| match e.ty.base {
                    // As their conditions are asked, so that what was found is known.
                    Base::Set(_) => match &e.kind {
                        ExprKind::Compr { domain, map: None, of } if *of == domain.of => {
                            match low.those_of_few(domain, &mut env)? {
                                Some(those) => Ok(Val::Set(those)),
                                None => Ok(Val::Set(low.set(e, &mut env)?)),
                            }
                        }
                        _ => Ok(Val::Set(low.set(e, &mut env)?)),
                    },
                    Base::Bool => Err(Fallback::Form),
                    _ => Ok(Val::Num(Num::lower(low, e, &mut env)?)),
                };
                let winners = match &end.result {
                    EndResult::Wins(e) => Winners::Wins(named(e, self)?),
                    EndResult::Loses(e) => Winners::Loses(named(e, self)?),
                    EndResult::Draw => Winners::Draw,
                };
                let (beats, clause) = (end.beats.clone(), end.clause);
                all.push(Ending { index, applies, winners, beats, clause, some_legal });
            }
        }
        Ok(all)
    }
}

/// Whether an ending asks if some action is legal.
fn asks_for_some(model: &Model, end: ClauseId) -> bool {
    let mut found = false;
    model.walk_clause(end, &mut BTreeSet::new(), &mut |asked| {
        found |= matches!(asked, Asked::Expr(Expr { kind: ExprKind::LegalAction(true), .. }));
    });
    found
}

impl Run<'_> {
    /// Checks the endings; returns whether one ends the game. Where an action is to be chosen, `any_legal` says whether
    /// one is legal.
    pub fn endings(&mut self, any_legal: Option<bool>) -> Res<bool> {
        let program = self.program;
        // Where nothing has changed, those may hold that ask whether some action is legal.
        let all = !self.clean || any_legal == Some(false);
        let ev = Ev { any_legal, ..self.ev() };
        let mut holds = Vec::new();
        for (i, end) in program.ends.iter().enumerate() {
            if (all || end.some_legal) && ev.cond(&end.applies) {
                holds.push((i, end));
            }
        }
        let mut holding: Option<(usize, u32)> = None;
        for (i, end) in &holds {
            if holds.iter().any(|(_, other)| other.beats.contains(&end.clause)) {
                continue;
            }
            let named = |val: &Val| match val {
                Val::Set(s) => Ok(ev.set(s).narrow() as u32 & seats(program.seats)),
                Val::Num(n) => u32::try_from(ev.num(n))
                    .ok()
                    .filter(|s| *s < program.seats)
                    .map(|s| 1u32 << s)
                    .ok_or(Fallback::Failure),
                Val::Bag(_) => Err(Fallback::Failure),
            };
            let winners = match &end.winners {
                Winners::Wins(v) => named(v)?,
                Winners::Loses(v) => seats(program.seats) & !named(v)?,
                Winners::Draw => 0,
            };
            match holding {
                None => holding = Some((*i, winners)),
                // Several that differ: the explaining evaluator says so.
                Some((_, w)) if w != winners => return Err(Fallback::Endings),
                Some(_) => {}
            }
        }
        self.sure(())?;
        if holding.is_none() && !holds.is_empty() {
            return Err(Fallback::Endings);
        }
        let Some((i, winners)) = holding else {
            self.clean = any_legal != Some(false);
            return Ok(false);
        };
        let index = program.ends.get(i).map_or(0, |e| e.index);
        put_uint(self.bytes, program.layout.over as usize, 2, index as u32 + 1);
        put_uint(self.bytes, program.layout.winners as usize, 4, winners);
        Ok(true)
    }
}
