//! Layers of a definition whose clauses belong to many abilities that are borne: the bearers in question are gone
//! through once, and each is asked only about the clauses that are its own.

use super::bearers::Speaker;
use super::bits::Bits;
use super::by_value::{Grouped, grouped};
use super::ir::{Cond, Flow, LayerOp, Mask, NONE, Num, Over, SetE};
use super::lower::{Env, Local, Low, Lower};
use super::tree::{Part as _, choose, filter, join, split};
use crate::model::{Def, DefClause, KindId};

/// The least number of clauses for which bearers are gone through together.
const LEAST_CLAUSES: usize = 6;

/// The maximum number of conditions that are tested of all bearers at once, to find those in question.
const MAX_FIRST_CONDITIONS: usize = 8;

/// What the clauses of a layer do together, and those that are left.
pub(super) struct Together<'c> {
    pub change: Option<Num>,
    pub others: Vec<&'c DefClause>,
}

/// A clause for a bearer: when it applies, and its value.
struct Text<'c> {
    clause: &'c DefClause,
    applies: Cond,
    value: Num,
}

impl Lower<'_> {
    /// The number by which the clauses of a layer change a value together, as far as they are for whoever bears their
    /// ability; the others are left.
    pub fn together<'c>(&mut self, op: LayerOp, clauses: &'c [DefClause], def: &Def, env: &Env) -> Low<Together<'c>> {
        let all = || Together { change: None, others: clauses.iter().collect() };
        let kind = clauses.iter().find_map(|c| self.bearers_of(c, env));
        let Some(kind) = kind.filter(|_| clauses.len() >= LEAST_CLAUSES) else {
            return Ok(all());
        };
        let (borne, mut others): (Vec<_>, Vec<_>) = clauses.iter().partition(|c| self.bearers_of(c, env) == Some(kind));
        let Some(first) = borne.first().filter(|_| borne.len() >= LEAST_CLAUSES) else {
            return Ok(all());
        };
        let member = self.bearer_slot(first.clause)?;
        let mut texts = Vec::new();
        for clause in borne {
            let mut env = env.clone();
            let fits = self.fits(clause, def, &env)?;
            if matches!(fits, Cond::Const(false)) {
                continue;
            }
            let applies = self.applies(clause.clause, Some(Local::Slot(member.0)), &mut env)?;
            let applies = join([fits, applies], true);
            if !matches!(applies, Cond::Const(false)) {
                let value = self.num(&clause.value, &mut env)?;
                texts.push(Text { clause, applies, value });
            }
        }
        let conds: Vec<&Cond> = texts.iter().map(|t| &t.applies).collect();
        let Some(by_value) = grouped(&self.shared, &conds) else {
            return Ok(all());
        };
        others.extend(by_value.others.iter().filter_map(|i| texts.get(*i)).map(|t| t.clause));
        Ok(Together { change: Some(self.change_by_bearers(op, by_value, &texts, member)), others })
    }

    /// The kind of those who bear the ability of a clause, if all of them can be asked together.
    fn bearers_of(&self, clause: &DefClause, env: &Env) -> Option<KindId> {
        let each = matches!(self.speakers(clause.clause, env)[..], [Speaker::Each]);
        self.ability(clause.clause).filter(|_| each).map(|a| a.kind)
    }

    fn change_by_bearers(&mut self, op: LayerOp, by_value: Grouped, texts: &[Text], (slot, n): (u16, usize)) -> Num {
        let set = self.in_question(&by_value, (slot, n));
        let arms = by_value.values.into_iter().map(|(value, those)| {
            let list = those.into_iter().filter_map(|(i, rest)| Some((rest, texts.get(i)?.value.clone())));
            (value, of_one(op, list.collect()))
        });
        let arms: Box<[(i32, Num)]> = arms.collect();
        // Nothing changes nothing.
        let term = Num::flow(Flow::ByValue(by_value.key, arms, Num::Const(NONE)));
        let over = Box::new(Over { set, slot, lo: 0, term });
        match op {
            LayerOp::Plus => Num::Sum(over),
            LayerOp::Times => Num::Product(over),
            LayerOp::AtMost => Num::Best(false, over),
            LayerOp::AtLeast => Num::Best(true, over),
        }
    }

    /// The members for which some of the clauses may apply, by what can be tested of all of them at once.
    fn in_question(&mut self, by_value: &Grouped, (slot, n): (u16, usize)) -> SetE {
        let all = SetE::Const(Bits::below(n));
        let mut found: Vec<(String, Mask)> = Vec::new();
        for (_, rest) in by_value.values.iter().flat_map(|(_, those)| those) {
            let (quick, _) = split(&self.shared, &self.scratch, rest.clone(), slot, 0, n);
            let text = format!("{quick:?}");
            if found.iter().any(|(known, _)| *known == text) {
                continue;
            }
            let mask = self.mask(&quick, slot, 0, n);
            if matches!(mask, Mask::All) || found.len() == MAX_FIRST_CONDITIONS {
                let wanted = by_value.values.iter().map(|(value, _)| *value);
                return self.with_values(all, &by_value.key, wanted, (slot, n));
            }
            found.push((text, mask));
        }
        filter(all, slot, 0, Mask::Or(found.into_iter().map(|(_, mask)| mask).collect()))
    }

    /// Those members for which a number is one of some values.
    fn with_values(&self, all: SetE, key: &Num, values: impl Iterator<Item = i32>, (slot, n): (u16, usize)) -> SetE {
        let values: Vec<i32> = values.collect();
        let Some(bits) = values.iter().map(|v| u32::try_from(*v).ok()).collect::<Option<Bits>>() else {
            return all;
        };
        let wanted = Cond::In(Box::new(key.clone()), Box::new(SetE::Const(bits)), 0);
        filter(all, slot, 0, self.mask(&wanted, slot, 0, n))
    }
}

/// What the clauses that one member bears do together; nothing if none applies.
fn of_one(op: LayerOp, list: Vec<(Cond, Num)>) -> Num {
    // The first that applies begins, and the others change it.
    list.into_iter().fold(Num::Const(NONE), |so_far, (cond, value)| match so_far {
        Num::Const(NONE) => choose(cond, value, Num::Const(NONE)),
        so_far => {
            let change = Box::new([(Cond::Const(true), value.clone())]);
            let both = Num::Layer(op, Box::new(so_far.clone()), change);
            choose(cond, Num::Default(Box::new((both, value))), so_far)
        }
    })
}
