//! Rulings for an observer: what the seat must not learn is not put into words.

use std::collections::HashMap;
use std::fmt;
use std::hash::BuildHasherDefault;
use std::sync::{Arc, Mutex};

use super::Explainer;
use super::decision::{DecisionPoint, rest};
use super::eval::Eval;
use super::memo::Mix;
use super::note::Notes;
use crate::game::{Choice, History, Position, Ruling, SeenMember, SeenValue, Shown};
use crate::model::{Base, ConfigItem, Expr, ExprKind, KindId, Model, SeenWhat, Value, VarId, bag_items};

/// The observer for whom values are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observer<'a> {
    rules: &'a Explainer,
    position: &'a Position,
    seat: u16,
    /// A later position: what a member is, is known if it is known there.
    later: Option<&'a Position>,
    /// A variable whose value is told anyway.
    given: Option<VarId>,
    /// What was found before.
    found: Option<&'a Sightings<'a>>,
}

/// Which entries a seat sees, as another evaluator has it; `None` if that cannot tell.
type Asked<'a> = Box<dyn Fn(SeenWhat) -> Option<Box<[bool]>> + Send + Sync + 'a>;

/// What a seat sees at a position, as far as that was asked. It holds at every position that differs only in what
/// nobody's sight depends on.
#[derive(Default)]
pub struct Sightings<'a> {
    found: Mutex<HashMap<SeenWhat, Found, BuildHasherDefault<Mix>>>,
    asked: Option<Asked<'a>>,
}

/// What a seat sees of one thing.
#[derive(Debug)]
enum Found {
    /// Of all entries.
    All(Arc<[bool]>),
    /// Of some.
    Some(HashMap<usize, bool, BuildHasherDefault<Mix>>),
}

impl<'a> Sightings<'a> {
    /// Another evaluator is asked first.
    pub fn asking(other: impl Fn(SeenWhat) -> Option<Box<[bool]>> + Send + Sync + 'a) -> Sightings<'a> {
        Sightings { found: Mutex::default(), asked: Some(Box::new(other)) }
    }

    /// What was found of a thing before, else what a look says.
    pub(super) fn or_look(&self, what: SeenWhat, index: usize, look: impl FnOnce() -> bool) -> bool {
        let before = |found: &mut Found| match found {
            Found::All(all) => Some(all.get(index).copied().unwrap_or(false)),
            Found::Some(some) => some.get(&index).copied(),
        };
        self.with(what, before).flatten().unwrap_or_else(|| {
            let seen = look();
            self.with(what, |found| match found {
                Found::All(_) => {}
                Found::Some(some) => drop(some.insert(index, seen)),
            });
            seen
        })
    }

    /// Which entries the seat sees, if the other evaluator can tell.
    pub(super) fn all(&self, what: SeenWhat) -> Option<Arc<[bool]>> {
        let all = |found: &mut Found| match found {
            Found::All(all) => Some(all.clone()),
            Found::Some(_) => None,
        };
        self.with(what, all).flatten()
    }

    /// Whether a seat surely sees the same entries, and knows the same members, as with others.
    #[must_use]
    pub fn agrees(&self, other: &Sightings<'_>, model: &Model) -> bool {
        model.seen.iter().all(|rule| {
            let all = self.all(rule.what);
            all.is_some() && all == other.all(rule.what)
        })
    }

    fn with<T>(&self, what: SeenWhat, then: impl FnOnce(&mut Found) -> T) -> Option<T> {
        let ask = || match self.asked.as_ref().and_then(|asked| asked(what)) {
            Some(all) => Found::All(all.into()),
            None => Found::Some(HashMap::default()),
        };
        self.found.lock().ok().map(|mut found| then(found.entry(what).or_insert_with(ask)))
    }
}

impl fmt::Debug for Sightings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sightings").field(&self.found).finish()
    }
}

impl<'a> Observer<'a> {
    /// An observer.
    pub(super) fn new(rules: &'a Explainer, position: &'a Position, seat: u16) -> Observer<'a> {
        Observer { rules, position, seat, later: None, given: None, found: None }
    }

    /// The same, for whoever asks often at this position: what was found is kept.
    pub(super) fn keeping(self, found: &'a Sightings<'a>) -> Observer<'a> {
        Observer { found: Some(found), ..self }
    }

    /// The seat.
    pub(super) fn seat(&self) -> u16 {
        self.seat
    }

    /// The same, and which member a thing is counts as known where it is known at a later position.
    pub(super) fn and_later(self, later: &'a Position) -> Observer<'a> {
        Observer { later: Some(later), ..self }
    }

    /// The same, and the value of a variable is told.
    pub(super) fn given(self, var: Option<VarId>) -> Observer<'a> {
        Observer { given: var, ..self }
    }

    /// Whether the seat sees the whole of an entry of a variable: whose it is, its value, and which members the value
    /// names.
    pub(super) fn see_entry(&self, var: VarId, index: usize, value: &Value) -> bool {
        let model = &self.rules.model;
        let Some(v) = model.vars.get(var.i()) else {
            return true;
        };
        if self.given == Some(var) {
            return true;
        }
        let covert = |kind: KindId| model.seen.iter().any(|s| s.what == SeenWhat::Member(kind));
        let known = |kind: KindId, mut members: Box<dyn Iterator<Item = usize> + '_>| {
            !covert(kind) || members.all(|m| self.knows(kind, m as i32))
        };
        let named = match (&v.ty.base, value) {
            (Base::Member(kind), Value::Int(i)) => known(*kind, Box::new(usize::try_from(*i).into_iter())),
            (Base::Set(of), Value::Set(set)) => match **of {
                Base::Member(kind) => known(kind, Box::new(set.iter())),
                _ => true,
            },
            (Base::Bag(of), bag @ Value::Bag(_)) => match **of {
                Base::Member(kind) => known(kind, Box::new(bag_items(of, bag).filter_map(|i| usize::try_from(i).ok()))),
                _ => true,
            },
            (Base::List(kind), Value::List(items)) => known(*kind, Box::new(items.iter().map(|i| usize::from(*i)))),
            _ => true,
        };
        named
            && v.index.is_none_or(|kind| known(kind, Box::new(std::iter::once(index))))
            && !self.rules.secret(self.position, var, self.seat)
            && self.sees(SeenWhat::Var(var), index)
    }

    /// The value of an entry as the seat sees it, at a position or later; `None` if it does not see it.
    pub(super) fn seen_entry(&self, position: &Position, var: VarId, index: usize) -> Option<Value> {
        let at = |position: &Position| {
            let value = position.read(&self.rules.model, var, index);
            let there = Observer { given: self.given, ..Observer::new(self.rules, position, self.seat) };
            there.see_entry(var, index, &value).then_some(value)
        };
        at(position).or_else(|| self.later.and_then(at))
    }

    /// Whether all see how much there is in the entries of a variable: it is a pile, and whose it is, is known.
    pub(super) fn see_size(&self, var: VarId) -> bool {
        let model = &self.rules.model;
        let covert = |kind: KindId| model.seen.iter().any(|s| s.what == SeenWhat::Member(kind));
        model.piles.contains(&var) && model.vars.get(var.i()).is_some_and(|v| !v.index.is_some_and(covert))
    }

    fn sees(&self, what: SeenWhat, index: usize) -> bool {
        let look = || self.rules.sees(self.position, what, index, self.seat).unwrap_or(false);
        match self.found {
            Some(found) if self.rules.model.limits_sight_of(what) => found.or_look(what, index, look),
            _ => look(),
        }
    }

    /// Whether the seat knows which member this is.
    pub(super) fn knows(&self, kind: KindId, member: i32) -> bool {
        let what = SeenWhat::Member(kind);
        let later = |m| self.later.is_some_and(|p| self.rules.sees(p, what, m, self.seat).unwrap_or(false));
        usize::try_from(member).is_ok_and(|m| self.sees(what, m) || later(m))
    }

    /// Whether a choice names a member that the seat does not know.
    pub(super) fn misses_a_part(&self, choice: Choice) -> bool {
        let model = &self.rules.model;
        let unknown = |base: &Base, value: i32| match base {
            Base::Member(kind) => !self.knows(*kind, value),
            _ => false,
        };
        match choice {
            Choice::Act(id, args) => {
                let params = model.actions.get(id.i()).map_or(&[][..], |a| &a.params);
                params.iter().zip(args.as_slice()).any(|((_, ty), value)| unknown(&ty.base, i32::from(*value)))
            }
            Choice::Value(value) => match rest(model, self.position) {
                Ok(DecisionPoint::Decision(choose, ..)) => choose.of().is_some_and(|of| unknown(of, value)),
                _ => false,
            },
            Choice::Yes | Choice::Pass => false,
        }
    }

    /// Whether the rules hide anything. What an action would lead to may then tell of it: what it turns up, draws or
    /// stirs.
    pub(super) fn may_miss_something(&self) -> bool {
        self.rules.model.hides()
    }

    /// A member; one that the seat does not know by its kind only.
    fn member(&self, kind: KindId, member: u16) -> SeenMember {
        match self.knows(kind, i32::from(member)) {
            true => SeenMember::Known(kind, member),
            false => SeenMember::Unknown(kind, None),
        }
    }
}

impl<N: Notes> Eval<'_, N> {
    /// A value, as whoever is told may know it.
    pub fn seen_value(&self, base: &Base, value: &Value) -> SeenValue {
        match (&self.observer, self.brought) {
            (None, Some(called)) => called.value(self.model, self.position, base, value),
            _ => SeenValue::of(base, value, &|kind, member| self.seen_member(kind, member)),
        }
    }

    /// A member, as whoever is told may know it.
    pub fn seen_member(&self, kind: KindId, member: u16) -> SeenMember {
        match (&self.observer, self.brought) {
            (Some(observer), _) => observer.member(kind, member),
            (None, Some(called)) => called.member(self.model, self.position, kind, member),
            (None, None) => SeenMember::Known(kind, member),
        }
    }

    /// The value of an expression; not told where it is a variable, or printed on a member, that must not be seen.
    pub fn shown(&mut self, e: &Expr, value: &Value) -> Shown {
        if let (ExprKind::Config(id), Some(i)) = (&e.kind, value.int())
            && self.model.config.get(id.i()).is_some_and(ConfigItem::is_reading)
        {
            return Shown::Alternative(*id, i);
        }
        let Some(observer) = self.observer else { return Shown::Value(self.seen_value(&e.ty.base, value)) };
        // How many of an item there are tells of the bag.
        let read = if let ExprKind::Copies { bag, .. } = &e.kind { bag } else { e.bag().unwrap_or(e) };
        let mut index = |of: Option<&Expr>| match of {
            Some(of) => self.eval(of).ok().and_then(|v| v.int()).and_then(|i| usize::try_from(i).ok()),
            None => Some(0),
        };
        // A bag that is a parameter, or made of several, is not told: it may come from one that is hidden.
        let made =
            matches!(read.ty.base, Base::Bag(_)) && matches!(read.kind, ExprKind::Local(_) | ExprKind::SetOp(..));
        let seen = !made
            && match &read.kind {
                ExprKind::Var { var, index: of } | ExprKind::Top(var, of) => {
                    index(of.as_deref()).is_none_or(|i| observer.sees(SeenWhat::Var(*var), i))
                }
                ExprKind::Printed { kind, field, of } => {
                    let owner = observer.rules.model.kinds.get(kind.i()).and_then(|k| k.owner);
                    owner == Some(*field) || index(Some(of)).is_none_or(|i| observer.knows(*kind, i as i32))
                }
                _ => true,
            };
        if seen { Shown::Value(self.seen_value(&e.ty.base, value)) } else { Shown::Unseen }
    }
}

impl Explainer {
    /// The ruling about a choice as a seat may read it: the same verdict and clauses, but members and values that it
    /// must not know are left out.
    #[must_use]
    pub fn judge_seen(&self, position: &Position, seat: u16, choice: Choice) -> Ruling {
        self.judged(&History::of(position.clone()), position, (seat, choice), true)
    }

    /// Whether a choice names a member that the seat does not know.
    #[must_use]
    pub fn is_about_the_unknown(&self, position: &Position, seat: u16, choice: Choice) -> bool {
        Observer::new(self, position, seat).misses_a_part(choice)
    }
}
