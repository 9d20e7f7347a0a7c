//! What seats and chance are asked, lowered.

use super::fallback::Fallback;
use super::ir::{Num, Over, SetE, Shared};
use super::leaf::Visit;
use super::legal::Act;
use super::lower::{Env, Low, Lower};
use super::program::{CodeX, How, Op, Store};
use super::several::{Several, Shuffle};
use crate::model::{Base, Chance, ChanceWhat, Choose, ChooseWhat, Expr, ExprKind, VarId};

/// What is asked, or what chance decides.
#[derive(Clone, Debug)]
pub(super) enum Ask {
    One {
        set: SetE,
        lo: i32,
        into: Store,
    },
    Number {
        lo: Num,
        hi: Num,
        into: Store,
    },
    /// One of a set, each as often as the term says of it.
    Draw {
        over: Over,
        into: Store,
    },
    Act {
        acts: Vec<usize>,
        if_any: bool,
    },
    Yes {
        into: Store,
    },
    /// The next of several.
    Several(Box<Several>),
    /// The next item of a pile that is shuffled.
    Shuffle(Box<Shuffle>),
}

/// Leaves actions that can never be legal out of what is asked.
pub(super) fn leave_out_impossible(codes: &mut [CodeX], acts: &[Act], shared: &Shared) {
    let possible: Vec<bool> = acts.iter().map(|act| act.may_be_legal(shared)).collect();
    for op in codes.iter_mut().flat_map(|code| &mut code.ops) {
        if let Op::Choose { ask: Ask::Act { acts, .. }, .. } = op {
            acts.retain(|act| possible.get(*act).copied().unwrap_or(true));
        }
    }
}

impl Ask {
    /// Visits all leaves of its trees.
    pub fn walk(&self, f: Visit) {
        match self {
            Ask::One { set, into, .. } => {
                set.walk(f);
                into.walk(f);
            }
            Ask::Number { lo, hi, into } => {
                lo.walk(f);
                hi.walk(f);
                into.walk(f);
            }
            Ask::Draw { over, into } => {
                over.walk(f);
                into.walk(f);
            }
            Ask::Yes { into } => into.walk(f),
            Ask::Several(several) => several.walk(f),
            Ask::Shuffle(shuffle) => shuffle.walk(f),
            Ask::Act { .. } => {}
        }
    }
}

impl Lower<'_> {
    fn one(&mut self, set: &Expr, of: &Base, into: VarId) -> Low<Ask> {
        let lo = self.span(of)?.0;
        Ok(Ask::One { set: self.set(set, &mut Env::default())?, lo, into: self.store(into, None)? })
    }

    fn number(&mut self, lo: &Expr, hi: &Expr, into: VarId) -> Low<Ask> {
        let env = &mut Env::default();
        Ok(Ask::Number { lo: self.num(lo, env)?, hi: self.num(hi, env)?, into: self.store(into, None)? })
    }

    pub fn choose(&mut self, c: &Choose) -> Low<Op> {
        let seat = self.num(&c.seat, &mut Env::default())?;
        let ask = match &c.what {
            ChooseWhat::One { set, of, into } => self.one(set, of, *into)?,
            ChooseWhat::Number { lo, hi, into } => self.number(lo, hi, *into)?,
            ChooseWhat::Several { set, of, lo, hi, into } => self.several(set, of, (lo, hi), *into, c.optional)?,
            ChooseWhat::Act { actions, if_any } => {
                Ask::Act { acts: actions.iter().map(|a| a.i()).collect(), if_any: *if_any }
            }
            ChooseWhat::Yes { into } => Ask::Yes { into: self.store(*into, None)? },
        };
        let how = How { optional: c.optional, anyway: c.anyway, leads: c.leads };
        Ok(Op::Choose { ask, seat, how })
    }

    pub fn chance(&mut self, c: &Chance) -> Low<Ask> {
        match &c.what {
            ChanceWhat::Pick { set, of, into } => self.one(set, of, *into),
            ChanceWhat::Draw { total, into, .. } => {
                let ExprKind::Sum(copies, domain) = &total.kind else { return Err(Fallback::Form) };
                let over = self.over(copies, domain, &mut Env::default())?;
                Ok(Ask::Draw { over, into: self.store(*into, None)? })
            }
            ChanceWhat::Roll { lo, hi, into } => self.number(lo, hi, *into),
            ChanceWhat::Shuffle { pile, next } => self.shuffle(pile, *next),
        }
    }
}
