//! Clauses that each test whether one number is a constant (`when c.print is X and ...`): those that can apply are
//! found by that number, so that many of them cost no more than the few in question.

use super::ir::{ByValue, Cond, Flow, Lin, Mask, Num, Rule, Shared};
use super::leaf::{Group, Leaf, Visit};
use super::tree::{Part, SMALL, choose, join, of};

/// The least number of clauses for which a number is looked up.
const LEAST_CLAUSES: usize = 6;

/// The least number of clauses for which the members are gone through one by one.
const LEAST_FOR_MEMBERS: usize = 16;

/// The maximum number of clauses that are asked whatever the number is, and stand with each value.
const MAX_OTHERS: usize = 2;

/// The maximum number of numbers that are tried as the one to look up.
const MAX_KEYS: usize = 4;

impl ByValue {
    pub fn walk(&self, f: Visit) {
        self.key.walk(f);
        f(Leaf::Open(Group::Either));
        for (_, masks) in &self.arms {
            masks.iter().for_each(|m| m.walk(f));
            f(Leaf::Next);
        }
        f(Leaf::Close);
    }
}

/// Whether two numbers are certainly the same.
fn same(a: &Num, b: &Num) -> bool {
    match (a, b) {
        (Num::Slot(a), Num::Slot(b)) => a == b,
        (Num::Const(a), Num::Const(b)) => a == b,
        (Num::Byte(a, ..), Num::Byte(b, ..)) => a == b,
        (Num::Var(a), Num::Var(b)) => a.at == b.at,
        (Num::At(p, a), Num::At(q, b)) => p.at == q.at && p.count == q.count && same(a, b),
        (Num::Table(t, a), Num::Table(u, b)) => alike(a, b) && t == u,
        (Num::Flow(a), Num::Flow(b)) => matches!((&**a, &**b), (Flow::Inst(a), Flow::Inst(b)) if a == b),
        _ => false,
    }
}

fn alike(a: &Lin, b: &Lin) -> bool {
    a.strict == b.strict
        && a.terms.len() == b.terms.len()
        && a.terms.iter().zip(&b.terms).all(|((a, l, n), (b, m, k))| l == m && n == k && same(a, b))
}

/// The parts of a condition, all of which must hold.
fn parts(c: &Cond) -> &[Cond] {
    match c {
        Cond::All(parts) => parts,
        c => std::slice::from_ref(c),
    }
}

/// The numbers that a condition compares with constants before anything in it can fail.
fn keys<'c>(shared: &Shared, c: &'c Cond) -> Vec<&'c Num> {
    let mut keys = Vec::new();
    for part in parts(c) {
        if of(shared, part).risky {
            break;
        }
        if let Cond::Is(n, _) = part {
            keys.push(n);
        }
    }
    keys
}

/// The constant that a condition wants a number to be, and what else it wants.
fn split(shared: &Shared, c: &Cond, key: &Num) -> Option<(i32, Cond)> {
    let all = parts(c);
    let is_key = |c: &Cond| matches!(c, Cond::Is(n, _) if same(n, key));
    let at = all.iter().position(is_key)?;
    if all[..=at].iter().any(|c| of(shared, c).risky) {
        return None;
    }
    let Cond::Is(_, value) = all[at] else {
        return None;
    };
    let rest = all.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, c)| c.clone());
    Some((value, join(rest, true)))
}

/// Conditions by the constant that a number has to be for them.
pub(super) struct Grouped {
    pub key: Num,
    /// By value: which conditions, and what else each wants.
    pub values: Vec<(i32, Vec<(usize, Cond)>)>,
    /// Those that do not ask for the number.
    pub others: Vec<usize>,
}

/// Conditions grouped by the number that most of them compare with a constant, if they are many.
pub(super) fn grouped(shared: &Shared, conds: &[&Cond]) -> Option<Grouped> {
    if conds.len() < LEAST_CLAUSES || shared.is_tight() {
        return None;
    }
    let mut candidates: Vec<&Num> = Vec::new();
    for c in conds {
        for key in keys(shared, c) {
            if candidates.len() < MAX_KEYS && !candidates.iter().any(|k| same(k, key)) {
                candidates.push(key);
            }
        }
    }
    let with = |key: &Num| conds.iter().filter(|c| keys(shared, c).iter().any(|k| same(k, key))).count();
    let (key, n) = candidates.into_iter().map(|k| (k, with(k))).max_by_key(|(_, n)| *n)?;
    if n < LEAST_CLAUSES {
        return None;
    }
    let mut all = Grouped { key: key.clone(), values: Vec::new(), others: Vec::new() };
    for (i, c) in conds.iter().enumerate() {
        match split(shared, c, key) {
            Some((value, rest)) => match all.values.iter_mut().find(|(v, _)| *v == value) {
                Some((_, list)) => list.push((i, rest)),
                None => all.values.push((value, vec![(i, rest)])),
            },
            None => all.others.push(i),
        }
    }
    all.values.sort_by_key(|(value, _)| *value);
    (all.values.len() >= LEAST_CLAUSES / 2).then_some(all)
}

/// Which conditions count for each value of a number that they ask for, with what else they want, and which for all
/// others; in their order. `None` where that does not help.
#[expect(clippy::type_complexity, reason = "a key, what belongs to its values, and the rest")]
pub(super) fn clauses_by_value(
    shared: &Shared,
    conds: &[&Cond],
) -> Option<(Num, Vec<(i32, Vec<(usize, Cond)>)>, Vec<(usize, Cond)>)> {
    let Grouped { key, values, others } = grouped(shared, conds)?;
    if others.len() > MAX_OTHERS {
        return None;
    }
    let rest: Vec<(usize, Cond)> = others.iter().map(|i| (*i, conds[*i].clone())).collect();
    let with_rest = |those: Vec<(usize, Cond)>| {
        let mut those: Vec<(usize, Cond)> = those.into_iter().chain(rest.iter().cloned()).collect();
        those.sort_by_key(|(i, _)| *i);
        those
    };
    let arms = values.into_iter().map(|(value, those)| (value, with_rest(those))).collect();
    Some((key, arms, rest))
}

/// Rules by the number that their conditions ask for; `None` where that does not help.
pub(super) fn rules_by_value<T: Part>(shared: &mut Shared, rules: &[Rule<T>], general: Option<&T>) -> Option<T> {
    let conds: Vec<&Cond> = rules.iter().map(|r| &r.cond).collect();
    let (key, values, rest) = clauses_by_value(shared, &conds)?;
    let general = general.map(|g| {
        let small = of(shared, g).size <= SMALL;
        if small { g.clone() } else { T::flow(Flow::Inst(g.clone().share(shared))) }
    });
    // Rules for different values never meet, so that of those that beat one another only they count.
    let picked = |those: Vec<(usize, Cond)>| -> T {
        let place = |i: u32| those.iter().position(|(j, _)| *j == i as usize).map(|j| j as u32);
        let rule = |(i, cond): &(usize, Cond)| Rule {
            cond: cond.clone(),
            value: rules[*i].value.clone(),
            beaten: rules[*i].beaten.iter().filter_map(|by| place(*by)).collect(),
        };
        let mut list: Vec<Rule<T>> = those.iter().map(rule).collect();
        match (list.len(), &general) {
            (0, Some(general)) => general.clone(),
            (1, Some(general)) if list[0].beaten.is_empty() => {
                let rule = list.swap_remove(0);
                choose(rule.cond, rule.value, general.clone())
            }
            _ => T::flow(Flow::Pick(list.into(), general.clone())),
        }
    };
    let arms: Box<[(i32, T)]> = values.into_iter().map(|(value, those)| (value, picked(those))).collect();
    Some(T::flow(Flow::ByValue(key, arms, picked(rest))))
}

/// The entry for a value, of a list in the order of values.
pub(super) fn entry<T>(arms: &[(i32, T)], value: i32) -> Option<&T> {
    arms.binary_search_by_key(&value, |(v, _)| *v).ok().and_then(|i| arms.get(i)).map(|(_, t)| t)
}

/// Conditions on all members, by the number that they ask for; `None` where that does not help. Also which of them are
/// left over. `mask` makes one of a condition.
pub(super) fn masks_by_value(
    shared: &Shared,
    conds: &[&Cond],
    slot: u16,
    mask: impl Fn(&Cond) -> Mask,
) -> Option<(Mask, Vec<usize>)> {
    let Grouped { key, values, others } = grouped(shared, conds)?;
    let each = of(shared, &key).slots.contains(&slot);
    if each && conds.len() - others.len() < LEAST_FOR_MEMBERS {
        return None;
    }
    let arms = values.into_iter().map(|(v, those)| (v, those.iter().map(|(_, c)| mask(c)).collect()));
    Some((Mask::ByValue(Box::new(ByValue { key, arms: arms.collect(), each })), others))
}
