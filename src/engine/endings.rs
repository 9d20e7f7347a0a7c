//! Which ending ends the game, on trees.

use super::eval::Ev;
use super::fallback::Fallback;
use super::program::{Val, Winners, seats};
use super::run::{Res, Run, put_uint};

impl Run<'_> {
    /// Checks the endings; returns whether one ends the game.
    pub fn endings(&mut self, no_legal: bool) -> Res<bool> {
        if self.clean && !no_legal {
            return Ok(false);
        }
        let program = self.program;
        let ev = Ev { no_legal, ..self.ev() };
        let mut holds = Vec::new();
        for (i, end) in program.ends.iter().enumerate() {
            if ev.cond(&end.applies) {
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
            self.clean = !no_legal;
            return Ok(false);
        };
        let index = program.ends.get(i).map_or(0, |e| e.index);
        put_uint(self.bytes, program.over as usize, 2, index as u32 + 1);
        put_uint(self.bytes, program.winners as usize, 4, winners);
        Ok(true)
    }
}
