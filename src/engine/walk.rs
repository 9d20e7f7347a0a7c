//! A walk through all lowered trees of a game.

use super::ir::{Leaf, Num};
use super::legal::{Act, MustGoal, Plan};
use super::program::{Ask, CodeX, Ending, Hook, Op, Program, Store, Val, Winners};

type Visit<'v> = &'v mut dyn FnMut(Leaf);

impl Program {
    /// Visits all leaves of all trees, with the code they belong to, if any. Shared trees belong to none, and are
    /// visited once.
    pub fn walk(&self, f: &mut dyn FnMut(Option<usize>, Leaf)) {
        for (i, code) in self.codes.iter().enumerate() {
            code.walk(&mut |leaf| f(Some(i), leaf));
        }
        let f = &mut |leaf| f(None, leaf);
        self.shared.nums.iter().for_each(|n| n.walk(f));
        self.shared.conds.iter().for_each(|c| c.walk(f));
        self.shared.sets.iter().for_each(|s| s.walk(f));
        self.acts.iter().for_each(|a| a.leaves(f));
        self.ends.iter().for_each(|e| e.walk(f));
        self.score.iter().for_each(|(n, _)| n.walk(f));
    }
}

impl Val {
    fn walk(&self, f: Visit) {
        match self {
            Val::Num(n) => n.walk(f),
            Val::Set(s) => s.walk(f),
        }
    }
}

impl Store {
    fn walk(&self, f: Visit) {
        self.index.walk(f);
    }
}

impl Hook {
    fn walk(&self, f: Visit) {
        self.applies.walk(f);
    }
}

impl Ask {
    fn walk(&self, f: Visit) {
        match self {
            Ask::One { set, into, .. } => {
                set.walk(f);
                into.walk(f);
            }
            Ask::Number { lo, hi, into } => {
                [lo, hi].into_iter().for_each(|n: &Num| n.walk(f));
                into.walk(f);
            }
            Ask::Yes { into } => into.walk(f),
            Ask::Act { .. } | Ask::Other(_) => {}
        }
    }
}

impl CodeX {
    fn walk(&self, f: Visit) {
        self.params.iter().for_each(|p| p.walk(f));
        for (store, val) in &self.inits {
            store.walk(f);
            val.walk(f);
        }
        self.ops.iter().for_each(|op| op.walk(f));
    }
}

impl Op {
    fn walk(&self, f: Visit) {
        match self {
            Op::Set(store, val) => {
                store.walk(f);
                val.walk(f);
            }
            Op::Put(n, store) | Op::Take(n, store) => {
                n.walk(f);
                store.walk(f);
            }
            Op::MoveAll(a, b) => {
                a.walk(f);
                b.walk(f);
            }
            Op::Bag(_, to, other) => {
                to.walk(f);
                other.iter().for_each(|o| o.walk(f));
            }
            Op::Call(_, args) => args.iter().for_each(|a| a.walk(f)),
            Op::Unless(c, _) => c.walk(f),
            Op::Next { set, into, .. } => {
                set.walk(f);
                into.walk(f);
            }
            Op::Choose { ask, seat, .. } => {
                ask.walk(f);
                seat.walk(f);
            }
            Op::Chance { ask } => ask.walk(f),
            Op::Unranked(hooks) | Op::Instead(hooks, _) => hooks.iter().for_each(|h| h.walk(f)),
            Op::Hook(hook) => hook.walk(f),
            Op::Reset(_, inits) => inits.iter().for_each(|(store, val)| {
                store.walk(f);
                val.walk(f);
            }),
            Op::Jump(_) | Op::StepEnd | Op::Finish(_) | Op::Forget(_) | Op::Return | Op::Other(_) => {}
        }
    }
}

impl Act {
    fn leaves(&self, f: Visit) {
        self.early.walk(f);
        self.plans.iter().for_each(|(_, p)| p.leaves(f));
        for must in &self.musts {
            must.applies.walk(f);
            match &must.goal {
                MustGoal::SoThat(c) => c.walk(f),
                MustGoal::Prefer(_, n) => n.walk(f),
            }
        }
        self.limits.iter().flatten().for_each(|(c, _)| c.walk(f));
    }
}

impl Plan {
    /// Visits all leaves of its trees.
    pub fn leaves(&self, f: Visit) {
        self.before.walk(f);
        self.levels.iter().for_each(|l| l.mask.walk(f));
        self.mays.iter().for_each(|m| m.walk(f));
        self.nots.iter().for_each(|n| n.mask.walk(f));
    }
}

impl Ending {
    fn walk(&self, f: Visit) {
        self.applies.walk(f);
        match &self.winners {
            Winners::Wins(v) | Winners::Loses(v) => v.walk(f),
            Winners::Draw => {}
        }
    }
}
