//! How games end.

use super::eval::{Eval, Res, fault};
use super::note::Notes;
use crate::game::{Fault, FaultDetail, FaultKind, Needed, Outcome};
use crate::model::{ClauseId, EndResult, Expr, PLAYER, Value};

/// More seats than a position can name as winners.
const MAX_SEATS: usize = 32;

impl<N: Notes> Eval<'_, N> {
    /// How many seats there are.
    pub fn seats(&self) -> usize {
        let players = self.model.kinds.get(PLAYER.i());
        players.map_or(0, |k| k.members.len()).min(MAX_SEATS)
    }

    /// The ending that holds now and the seats that win, as bits.
    ///
    /// # Errors
    /// A conflict where two hold that give different winners.
    pub fn ending(&mut self) -> Res<Option<(usize, u32)>> {
        let mut holding = Vec::new();
        for (i, end) in self.model.ends.iter().enumerate() {
            for holder in self.model.holders(end.clause) {
                let winners = self.framed(|ev| {
                    if !ev.applies(end.clause, holder)?.0 {
                        return Ok(None);
                    }
                    ev.winners_by(&end.result).map(Some)
                })?;
                if let Some(winners) = winners {
                    holding.push((i, winners));
                }
            }
        }
        if holding.len() > 1 {
            let model = self.model;
            let beaten = |i: usize| {
                let id = model.ends.get(i).map(|e| e.clause);
                holding.iter().any(|(j, _)| {
                    let end = model.ends.get(*j);
                    end.is_some_and(|e| id.is_some_and(|id| e.beats.contains(&id)))
                })
            };
            let kept: Vec<(usize, u32)> = holding.iter().copied().filter(|(i, _)| !beaten(*i)).collect();
            let first = kept.first().copied();
            if first.is_none_or(|(_, w)| kept.iter().any(|(_, v)| *v != w)) {
                let all = if kept.is_empty() { &holding } else { &kept };
                let clauses: Vec<ClauseId> =
                    all.iter().filter_map(|(i, _)| model.ends.get(*i).map(|e| e.clause)).collect();
                let clause = clauses.first().and_then(|c| model.clause(*c));
                return Err(Box::new(Fault {
                    kind: FaultKind::Conflict,
                    span: clause.map(|c| c.span).unwrap_or_default(),
                    clauses,
                    detail: FaultDetail::Endings,
                }));
            }
            return Ok(first);
        }
        Ok(holding.first().copied())
    }

    /// The seats that win by an ending, as bits.
    pub fn winners_by(&mut self, result: &EndResult) -> Res<u32> {
        Ok(match result {
            EndResult::Wins(e) => self.named(e)?,
            EndResult::Loses(e) => {
                let all = u32::MAX.checked_shr(32 - self.seats() as u32).unwrap_or(0);
                all & !self.named(e)?
            }
            EndResult::Draw => 0,
        })
    }

    fn named(&mut self, e: &Expr) -> Res<u32> {
        let seats = self.seats();
        Ok(match self.eval(e)? {
            Value::Int(i) => match u32::try_from(i) {
                Ok(i) if (i as usize) < seats => 1 << i,
                _ => {
                    return Err(fault(FaultKind::OutOfRange, e.span, FaultDetail::NoSuchSeat));
                }
            },
            Value::Set(set) => set.iter().filter(|i| *i < seats).fold(0, |w, i| w | 1 << i),
            _ => {
                return Err(fault(FaultKind::Nothing, e.span, FaultDetail::Nothing(Needed::Winner)));
            }
        })
    }

    /// The outcome of a game that is over.
    pub fn outcome(&mut self, ending: usize, winners: u32) -> Res<Outcome> {
        self.winners = winners;
        if let (Some(watch), Some(_)) = (self.watch, &self.model.score) {
            watch.scored();
        }
        self.memo.clear();
        self.memo_within.clear();
        let mut scores = Vec::new();
        let mut seats = Vec::new();
        for seat in 0..self.seats() {
            let wins = winners >> seat & 1 == 1;
            if wins {
                seats.push(seat as u16);
            }
            scores.push(match &self.model.score {
                None => i32::from(wins),
                Some(score) => self.framed(|ev| {
                    ev.set_local(0, Value::Int(seat as i32));
                    Ok(ev.int(score)?.unwrap_or(0))
                })?,
            });
        }
        Ok(Outcome { ending, winners: seats, scores })
    }

    /// What the position is worth to a seat while nobody has won.
    pub fn worth(&mut self, seat: u16) -> Res<Option<i32>> {
        let model = self.model;
        let Some(worth) = model.worth() else { return Ok(None) };
        self.winners = 0;
        self.framed(|ev| {
            ev.set_local(0, Value::Int(i32::from(seat)));
            Ok(Some(ev.int(worth)?.unwrap_or(0)))
        })
    }

    /// Those of some `never`s whose condition holds.
    pub fn nevers(&mut self, asked: impl IntoIterator<Item = ClauseId>) -> Res<Vec<ClauseId>> {
        let mut found = Vec::new();
        for never in asked {
            for holder in self.model.holders(never) {
                if self.framed(|ev| Ok(ev.applies(never, holder)?.0))? {
                    self.decided(never);
                    found.push(never);
                    break;
                }
            }
        }
        Ok(found)
    }
}
