//! Decision points: what is asked there, and whether the game ends first.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::build::Build;
use super::int::Int;
use super::run::{Now, Running};
use super::unit::Job;
use crate::engine::ask::Ask;
use crate::engine::fallback::Fallback;
use crate::engine::ir::Over;
use crate::engine::program::{How, Op, Program};
use crate::engine::tree::of;
use crate::model::Answer;

/// The maximum size of endings that are inlined: the parts of their conditions, times the places.
const MAX_ENDING_CHECKS: usize = 400;

impl Build<'_, '_, '_> {
    /// Looks at the endings; whether one ends the game.
    pub fn endings(&mut self, r: &Running, no_legal: bool) -> Value {
        if no_legal || !r.ends_here {
            return self.call_endings(r, no_legal);
        }
        self.no_legal = Some(self.i8(false));
        let (_, any) = self.holding();
        self.no_legal = None;
        self.sure(r);
        let (some, done) = (self.block(), self.block());
        let result = self.b.append_block_param(done, types::I8);
        self.b.set_cold_block(some);
        self.b.ins().brif(any, some, &[], done, &[any.into()]);
        self.to(some);
        let ended = self.call_endings(r, false);
        self.jump(done, &[ended]);
        self.to(done);
        result
    }

    fn call_endings(&mut self, r: &Running, no_legal: bool) -> Value {
        let flag = self.i32(i64::from(no_legal));
        let Some(called) = self.unit.call(Job::Ends, self.b.func) else {
            return self.i8(false);
        };
        let call = self.b.ins().call(called, &[self.base, self.ctx, flag]);
        let result = self.b.inst_results(call)[0];
        self.can_fail = true;
        self.sure(r);
        self.cmp(IntCC::NotEqual, result, 0)
    }

    /// Comes to a decision.
    pub fn arrive(&mut self, r: &mut Running, at: (usize, u16), op: &Op, ask: &Ask, how: How) -> Result<(), Fallback> {
        match ask {
            Ask::Shuffle(_) => {
                self.jump(r.left, &[]);
                return Ok(());
            }
            Ask::Several(several) => return self.arrive_several(r, at, several),
            _ => {}
        }
        let simple = self.simple(ask);
        let alone = simple.is_some() || !matches!(ask, Ask::Act { .. });
        if let Some(play) = r.play.filter(|_| alone) {
            let (plays, asks) = (self.block(), self.block());
            self.brif(play.on, plays, asks);
            self.to(plays);
            match (simple, op) {
                (Some(act), Op::Choose { seat, .. }) => {
                    let seat = self.seat(Some(seat));
                    let seat = Int { maybe: false, sure: false, ..Int::any(seat) };
                    self.slots.insert(self.unit.program.seat, seat);
                    let (open, lo) = self.open(act).ok_or(Fallback::Form)?;
                    self.play_one(r, at, ask, (act, open, lo), how)?;
                }
                (_, op) => {
                    // It does not matter who chooses at random, but that somebody does.
                    if let Op::Choose { seat, .. } = op {
                        self.seat(Some(seat));
                        self.sure(r);
                    }
                    self.play_value(r, at, ask, how)?;
                }
            }
            self.to(asks);
        }
        let count = match (ask, r.root) {
            (_, None) => self.count_options(at)?,
            (Ask::One { .. } | Ask::Number { .. }, _) if how.anyway => self.i8(true),
            // When looking ahead, play stops at an action, whether or not one is legal.
            (Ask::One { set, .. }, _) => {
                let set = self.set(set);
                let none = self.none_of(set);
                self.flip(none)
            }
            (Ask::Number { lo, hi, .. }, _) => {
                let (lo, hi) = (self.num(lo), self.num(hi));
                let count = self.how_many(lo, hi);
                self.cmp(IntCC::SignedGreaterThan, count, 0)
            }
            _ => {
                self.rest_at(r, at.1);
                return Ok(());
            }
        };
        self.sure(r);
        let (some, none) = (self.block(), self.block());
        self.brif(count, some, none);
        self.to(some);
        if let Ask::Act { .. } = ask {
            self.look_before(r, at);
        }
        if let Some(play) = r.play.filter(|_| !alone) {
            let (plays, asks) = (self.block(), self.block());
            self.brif(play.on, plays, asks);
            self.to(plays);
            self.play_act(r, at)?;
            self.to(asks);
        }
        self.rest_at(r, at.1);
        self.to(none);
        match ask {
            Ask::Act { .. } => self.none_legal(r, at, ask, how),
            Ask::One { into, .. } | Ask::Number { into, .. } if how.optional => {
                self.forget(r, &into.place);
                self.go(r, how.after(Answer::Pass, at));
            }
            _ => self.jump(r.left, &[]),
        }
        Ok(())
    }

    /// Looks at the endings before an action is asked for, and as a step ends.
    pub fn look_before(&mut self, r: &Running, at: (usize, u16)) {
        let (look, over, on) = (self.block(), self.block(), self.block());
        let dirty = self.b.use_var(r.dirty);
        self.brif(dirty, look, on);
        self.to(look);
        let ended = self.endings(r, false);
        let no = self.i8(false);
        self.b.def_var(r.dirty, no);
        self.brif(ended, over, on);
        self.to(over);
        self.rest_at(r, at.1);
        self.to(on);
    }

    /// No action is legal.
    pub fn none_legal(&mut self, r: &mut Running, at: (usize, u16), ask: &Ask, how: How) {
        if how.optional || matches!(ask, Ask::Act { if_any: true, .. }) {
            return self.go(r, how.after(Answer::Pass, at));
        }
        let ended = self.endings(r, true);
        self.need(r, ended);
        self.rest_at(r, at.1);
    }

    /// Chance with one outcome is none.
    pub fn roll(&mut self, r: &mut Running, at: (usize, u16), ask: &Ask) -> Result<(), Fallback> {
        if let Ask::Shuffle(shuffle) = ask {
            self.arrive_shuffle(r, at, shuffle);
            return Ok(());
        }
        let (single, several) = (self.block(), self.block());
        let (into, value) = match ask {
            Ask::One { set, lo, into } | Ask::Draw { over: Over { set, lo, .. }, into } => {
                let set = self.set(set);
                self.sure(r);
                let none = self.none_of(set);
                let some = self.flip(none);
                self.need(r, some);
                let rest = self.rest(set);
                let one = self.none_of(rest);
                self.brif(one, single, several);
                self.to(single);
                let bit = self.lowest(set);
                (into, self.member(bit, &set, *lo))
            }
            Ask::Number { lo, hi, into } => {
                let (lo, hi) = (self.num(lo), self.num(hi));
                let count = self.how_many(lo, hi);
                self.sure(r);
                let some = self.cmp(IntCC::SignedGreaterThan, count, 0);
                self.need(r, some);
                let one = self.cmp(IntCC::Equal, count, 1);
                self.brif(one, single, several);
                self.to(single);
                (into, Int { maybe: false, ..lo })
            }
            _ => {
                self.jump(r.left, &[]);
                return Ok(());
            }
        };
        self.write(r, into, Now::Num(value));
        self.go(r, (at.0, at.1.saturating_add(1)));
        self.to(several);
        if let Some(play) = r.play {
            let (plays, asks) = (self.block(), self.block());
            self.brif(play.on, plays, asks);
            self.to(plays);
            self.play_value(r, at, ask, How::default())?;
            self.to(asks);
        }
        self.rest_at(r, at.1);
        Ok(())
    }
}

/// Whether to look at the endings takes so little code that each place may have its own.
pub(super) fn ends_are_few(program: &Program) -> bool {
    let looks = |op: &Op| matches!(op, Op::StepEnd | Op::Choose { ask: Ask::Act { .. }, .. });
    let places = program.codes.iter().flat_map(|c| &c.ops).filter(|op| looks(op)).count();
    let size: usize = program.ends.iter().map(|e| of(&program.shared, &e.applies).size).sum();
    places * size <= MAX_ENDING_CHECKS
}
