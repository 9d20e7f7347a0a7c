//! Decision points: what is asked there, and whether the game ends first.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::TOTAL;
use super::build::Build;
use super::int::Int;
use super::run::{Now, Running};
use super::unit::Job;
use crate::engine::ask::Ask;
use crate::engine::fallback::Fallback;
use crate::engine::ir::{Cond, Over};
use crate::engine::program::{Ending, How, Op, Program};
use crate::engine::tree::of;
use crate::model::{Answer, legal_state};

/// The maximum size of endings that are inlined: the parts of their conditions, times the places.
const MAX_ENDING_CHECKS: usize = 400;

impl Build<'_, '_, '_> {
    /// Looks at the endings; whether one ends the game. Where an action is to be chosen, `any_legal` says whether one
    /// is legal. Of endings that are few, `asked` says which to look at.
    fn endings(&mut self, r: &Running, any_legal: Option<bool>, asked: impl Fn(&Ending) -> bool) -> Value {
        if any_legal == Some(false) || !r.ends_here {
            return self.call_endings(r, any_legal);
        }
        self.any_legal = Some(self.i32(legal_state(any_legal).into()));
        let any = if self.unit.end_parts.is_empty() {
            let mut any = self.i8(false);
            for end in self.unit.program.ends.iter().filter(|end| asked(end)) {
                let holds = self.cond(&end.applies);
                any = self.b.ins().bor(any, holds);
            }
            any
        } else {
            self.any_part(r)
        };
        self.any_legal = None;
        self.sure(r);
        let (some, done) = (self.block(), self.block());
        let result = self.b.append_block_param(done, types::I8);
        self.b.set_cold_block(some);
        self.b.ins().brif(any, some, &[], done, &[any.into()]);
        self.to(some);
        let ended = self.call_endings(r, any_legal);
        self.jump(done, &[ended]);
        self.to(done);
        result
    }

    fn call_endings(&mut self, r: &Running, any_legal: Option<bool>) -> Value {
        let state = self.i32(legal_state(any_legal).into());
        let Some(called) = self.unit.call(Job::Ends, self.b.func) else {
            return self.i8(false);
        };
        let call = self.b.ins().call(called, &[self.base, self.ctx, state]);
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
            self.look_before_choice(r, at, how, |gn| {
                let total = gn.load_context(types::I64, TOTAL);
                gn.cmp(IntCC::UnsignedGreaterThan, total, 1)
            });
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

    /// Looks at the endings before an action is asked for. Where that is done anyway, `any` says whether one is legal.
    pub fn look_before_choice(
        &mut self,
        r: &Running,
        at: (usize, u16),
        how: How,
        any: impl FnOnce(&mut Self) -> Value,
    ) {
        if !how.anyway || !self.unit.program.ends.iter().any(|end| end.some_legal) {
            return self.look_before(r, at, Some(true));
        }
        let (some, none, done) = (self.block(), self.block(), self.block());
        let any = any(self);
        self.brif(any, some, none);
        for (block, any_legal) in [(some, Some(true)), (none, None)] {
            self.to(block);
            self.look_before(r, at, any_legal);
            self.jump(done, &[]);
        }
        self.to(done);
    }

    /// Looks at the endings before an action is asked for, and as a step ends.
    pub fn look_before(&mut self, r: &Running, at: (usize, u16), any_legal: Option<bool>) {
        let (look, clean, over, on) = (self.block(), self.block(), self.block(), self.block());
        let (dirty, all, no) = (self.b.use_var(r.dirty), self.all_parts(), self.i8(false));
        // A mark that waits in memory is so read once.
        let dirty = self.b.ins().band(dirty, all);
        self.brif(dirty, look, clean);
        self.to(look);
        let ended = self.endings(r, any_legal, |_| true);
        self.brif(ended, over, on);
        self.to(clean);
        // Where nothing has changed, those may hold that ask whether some action is legal.
        let asks = |end: &Ending| end.some_legal && (any_legal.is_some() || !holds_only_where_some(&end.applies));
        if self.unit.program.ends.iter().any(asks) {
            let ended = self.endings(r, any_legal, asks);
            self.brif(ended, over, on);
        } else {
            self.jump(on, &[]);
        }
        self.to(over);
        self.rest_at(r, at.1);
        self.to(on);
        self.b.def_var(r.dirty, no);
    }

    /// No action is legal.
    pub fn none_legal(&mut self, r: &mut Running, at: (usize, u16), ask: &Ask, how: How) {
        if how.optional || matches!(ask, Ask::Act { if_any: true, .. }) {
            return self.go(r, how.after(Answer::Pass, at));
        }
        let ended = self.endings(r, Some(false), |_| true);
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

/// Whether a condition says that some action is legal.
fn holds_only_where_some(c: &Cond) -> bool {
    match c {
        Cond::AnyLegal(some) => *some,
        Cond::All(parts) => parts.iter().any(holds_only_where_some),
        _ => false,
    }
}

/// Whether to look at the endings takes so little code that each place may have its own.
pub(super) fn ends_are_few(program: &Program) -> bool {
    let looks = |op: &Op| matches!(op, Op::StepEnd | Op::Choose { ask: Ask::Act { .. }, .. });
    let places = program.codes.iter().flat_map(|c| &c.ops).filter(|op| looks(op)).count();
    let size: usize = program.ends.iter().map(|e| of(&program.shared, &e.applies).size).sum();
    places * size <= MAX_ENDING_CHECKS
}
