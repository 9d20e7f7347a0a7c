//! The arrangements that a seat cannot rule out: what else a position may be, as far as it can tell.
//!
//! A seat that does not see which of several things is which, or what lies in a pile, considers it possible that they
//! are exchanged. So the arrangements, or worlds, are the renamings of the position among the things that it does not
//! see, each compared with what it does see. Things stay with their owners.

use std::collections::{BTreeMap, BTreeSet};

use super::possible::Possible;
use super::scope::Scope;
use crate::explain::Explainer;
use crate::game::{Evaluator as _, Fault, Position};
use crate::model::{Base, KindId, Model, SeenWhat, Value, Var, VarId, VarOwner, scalar_span};
use crate::rules::Evaluators;

/// Why the worlds cannot be listed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unclear {
    /// The rules fail.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// There are more than the limit.
    #[error("too many hidden arrangements (about {about}; the limit is {most})")]
    TooMany {
        /// How many, about.
        about: u64,
        /// The limit.
        most: usize,
    },
    /// A hidden variable holds values that are not members.
    #[error("`{0}` is hidden, and its other possible values cannot be listed: only members can be exchanged")]
    NoThings(String),
    /// A procedure is active inside itself.
    #[error("a procedure is active inside itself, and what else its variables may hold cannot be listed")]
    Nested,
}

/// The positions that look to the seat like this one, in a fixed order; this one is among them.
///
/// # Errors
/// Something hidden cannot be exchanged (a number, a truth value), or there are more than `most` worlds.
pub fn worlds(rules: &Evaluators, position: &Position, seat: u16, most: usize) -> Result<Vec<Position>, Unclear> {
    if !rules.model().hides() {
        return Ok(vec![position.clone()]);
    }
    let hidden = Hidden::new(rules.explainer(), position, seat)?;
    let is_there = |(var, index): &&(VarId, usize)| !empty(&position.read(rules.model(), *var, *index));
    if let Some((var, _)) = hidden.apart.iter().find(is_there) {
        return Err(Unclear::NoThings(name_of(rules.model(), *var)));
    }
    let groups: Vec<Group> = hidden.groups(false);
    let count = groups.iter().fold(1.0, |n, g| n * g.count());
    if count > most as f64 {
        return Err(Unclear::TooMany { about: count.round() as u64, most });
    }
    let mut ways: Vec<Renaming> = vec![Renaming::new(rules.model())];
    for group in &groups {
        let all = group.ways();
        ways = ways.iter().flat_map(|way| all.iter().map(|more| way.and(group.kind, more))).collect();
    }
    let scope = scope(rules.model(), &hidden.active, &groups);
    let possible = Possible::new(rules, position, seat, &scope)?;
    let things = groups.iter().flat_map(|group| group.members.iter().map(|(m, _)| (group.kind, *m))).collect();
    let exchanged = Exchanged::new(rules.model(), position, &scope.touched, &things);
    let mut found = BTreeSet::from([position.clone()]);
    for way in ways {
        let world = exchanged.renamed(rules.model(), position, &way);
        if world != *position && possible.allows(&world)? {
            // A copy is kept sparse.
            found.insert(world.clone());
        }
    }
    Ok(found.into_iter().collect())
}

/// For each kind, the thing that takes the place of each thing. Empty for a kind whose things all stay.
#[derive(Clone)]
struct Renaming(Vec<Vec<u16>>);

impl Renaming {
    /// All things stay.
    fn new(model: &Model) -> Renaming {
        Renaming(vec![Vec::new(); model.kinds.len()])
    }

    fn put(&mut self, kind: KindId, from: u16, to: u16) {
        let Some(things) = self.0.get_mut(kind.i()) else { return };
        let known = things.len() as u16;
        if from >= known {
            things.extend(known..=from);
        }
        if let Some(place) = things.get_mut(usize::from(from)) {
            *place = to;
        }
    }

    fn and(&self, kind: KindId, more: &[(u16, u16)]) -> Renaming {
        let mut joined = self.clone();
        more.iter().for_each(|(from, to)| joined.put(kind, *from, *to));
        joined
    }

    fn of(&self, kind: KindId, thing: u16) -> u16 {
        self.0.get(kind.i()).and_then(|things| things.get(usize::from(thing))).copied().unwrap_or(thing)
    }
}

/// Where a thing is: a variable, its entry, and the place in an ordered pile.
type Place = (VarId, usize, usize);

/// The role of a thing: the places it is in, and the values of its own entries.
type Role = (Vec<Place>, Vec<Value>);

/// Things of one kind and owner that may be exchanged, in order, with their roles.
struct Group {
    kind: KindId,
    members: Vec<(u16, Role)>,
}

impl Group {
    /// The roles, with the things that have them.
    fn roles(&self) -> BTreeMap<&Role, Vec<u16>> {
        let mut roles: BTreeMap<&Role, Vec<u16>> = BTreeMap::new();
        self.members.iter().for_each(|(m, role)| roles.entry(role).or_default().push(*m));
        roles
    }

    /// The number of ways.
    fn count(&self) -> f64 {
        let factorial = |n: usize| (2..=n).fold(1.0, |p, i| p * i as f64);
        self.roles().values().fold(factorial(self.members.len()), |n, same| n / factorial(same.len()))
    }

    /// All ways to give the roles to the members: pairs of who had a role and who has it then.
    fn ways(&self) -> Vec<Vec<(u16, u16)>> {
        let roles: Vec<Vec<u16>> = self.roles().into_values().collect();
        let mut left: Vec<usize> = roles.iter().map(Vec::len).collect();
        let mut found = Vec::new();
        self.deal(0, &roles, &mut left, &mut Vec::new(), &mut found);
        found
    }

    fn deal(
        &self,
        next: usize,
        roles: &[Vec<u16>],
        left: &mut Vec<usize>,
        dealt: &mut Vec<(u16, u16)>,
        found: &mut Vec<Vec<(u16, u16)>>,
    ) {
        let Some((member, _)) = self.members.get(next) else {
            found.push(dealt.clone());
            return;
        };
        for (r, had) in roles.iter().enumerate() {
            let Some(n) = left.get_mut(r).filter(|n| **n > 0) else {
                continue;
            };
            let Some(from) = had.get(*n - 1) else {
                continue;
            };
            *n -= 1;
            dealt.push((*from, *member));
            self.deal(next + 1, roles, left, dealt, found);
            dealt.pop();
            if let Some(n) = left.get_mut(r) {
                *n += 1;
            }
        }
    }
}

/// What a seat does not see of a position.
struct Hidden<'a> {
    model: &'a Model,
    position: &'a Position,
    active: Vec<(VarId, &'a Var)>,
    /// For each kind the things that may be exchanged.
    things: Vec<BTreeSet<u16>>,
    /// The hidden entries whose values cannot be exchanged.
    apart: Vec<(VarId, usize)>,
    owners: Vec<Vec<Option<i32>>>,
}

impl<'a> Hidden<'a> {
    fn new(rules: &'a Explainer, position: &'a Position, seat: u16) -> Result<Hidden<'a>, Unclear> {
        let model = rules.model();
        let mut unknown: Vec<Option<BTreeSet<u16>>> = Vec::new();
        for (k, kind) in model.kinds.iter().enumerate() {
            let what = SeenWhat::Member(KindId(k as u16));
            if !model.seen.iter().any(|s| s.what == what) {
                unknown.push(None);
                continue;
            }
            let mut these = BTreeSet::new();
            for i in 0..kind.members.len() {
                if !rules.sees(position, what, i, seat)? {
                    these.insert(i as u16);
                }
            }
            unknown.push(Some(these));
        }
        let mut open: Vec<BTreeSet<u16>> = vec![BTreeSet::new(); model.kinds.len()];
        let mut shut = vec![false; model.kinds.len()];
        let mut apart = Vec::new();
        let active = active_vars(model, position);
        for (id, var) in active.iter().copied() {
            if var.name.rsplit('.').next().is_some_and(|n| n.starts_with('_')) {
                continue;
            }
            for index in 0..var.place.count as usize {
                let value = rules.read(position, id, index);
                let sees = !rules.secret(position, id, seat) && rules.sees(position, SeenWhat::Var(id), index, seat)?;
                match kind_of(&var.ty.base) {
                    Some(kind) if sees => {
                        if let Some(open) = open.get_mut(kind.i()) {
                            open.extend(things_in(&value).into_iter().map(|(m, _)| m));
                        }
                    }
                    Some(kind) if !matches!(var.owner, VarOwner::Field(_)) => {
                        if let Some(shut) = shut.get_mut(kind.i()) {
                            *shut |= !things_in(&value).is_empty();
                        }
                    }
                    _ if sees => {}
                    _ => apart.push((id, index)),
                }
            }
        }
        if model.codes.iter().enumerate().any(|(i, c)| {
            c.nested > 1 && position.active(model, crate::model::CodeId(i as u16)) > 1 && !c.vars.is_empty()
        }) {
            return Err(Unclear::Nested);
        }
        let things = model.kinds.iter().enumerate().map(|(k, kind)| match unknown.get_mut(k).and_then(Option::take) {
            Some(these) => these,
            None if shut.get(k) == Some(&true) => {
                let all = 0..kind.members.len() as u16;
                all.filter(|m| open.get(k).is_none_or(|open| !open.contains(m))).collect()
            }
            None => BTreeSet::new(),
        });
        let owners = (0..model.kinds.len()).map(|k| rules.owners(KindId(k as u16))).collect();
        Ok(Hidden { model, position, active, things: things.collect(), apart, owners })
    }

    /// The groups. With `blind`, roles say nothing of hidden things that they name.
    fn groups(&self, blind: bool) -> Vec<Group> {
        let mut groups = Vec::new();
        for (k, things) in self.things.iter().enumerate() {
            let kind = KindId(k as u16);
            let mut places = self.places(kind, blind);
            let owner = |m: u16| self.owners.get(k).and_then(|o| o.get(usize::from(m)).copied().flatten());
            let owners: BTreeSet<Option<i32>> = things.iter().map(|m| owner(*m)).collect();
            for of in owners {
                let members = things.iter().filter(|m| owner(**m) == of).map(|m| {
                    let places = places.get_mut(usize::from(*m)).map(std::mem::take).unwrap_or_default();
                    (*m, (places, self.own(kind, *m, blind)))
                });
                let members: Vec<(u16, Role)> = members.collect();
                if members.len() > 1 {
                    groups.push(Group { kind, members });
                }
            }
        }
        groups
    }

    /// The places that each thing of a kind is in.
    fn places(&self, kind: KindId, blind: bool) -> Vec<Vec<Place>> {
        let mut places = vec![Vec::new(); self.model.kinds.get(kind.i()).map_or(0, |kind| kind.members.len())];
        let hidden_entry = |of: Option<KindId>, index: usize| {
            blind && of.is_some_and(|k| self.model.pair(k).is_some() || self.is_hidden(k, index as u16))
        };
        for (id, var) in self.active.iter().filter(|(_, var)| kind_of(&var.ty.base) == Some(kind)) {
            for index in 0..var.place.count as usize {
                let here = things_in(&self.position.read(self.model, *id, index));
                let index = if hidden_entry(var.index, index) { usize::MAX } else { index };
                for (member, at) in here {
                    if let Some(places) = places.get_mut(usize::from(member)) {
                        places.push((*id, index, at));
                    }
                }
            }
        }
        if blind {
            places.iter_mut().for_each(|places| places.sort_unstable());
        }
        places
    }

    /// The values of a thing's own entries.
    fn own(&self, kind: KindId, member: u16, blind: bool) -> Vec<Value> {
        let mut own = Vec::new();
        let read = |id: VarId, base: &Base, index: usize| match self.position.read(self.model, id, index) {
            value if blind => self.blinded(base, value),
            value => value,
        };
        for (id, var) in self.active.iter().copied() {
            if var.index == Some(kind) {
                own.push(read(id, &var.ty.base, usize::from(member)));
            }
            if let Some((a, b, n)) = var.index.and_then(|k| self.model.pair(k)) {
                let (member, count) = (usize::from(member), var.place.count as usize);
                let mut entries: Vec<usize> = Vec::new();
                if a == kind {
                    entries.extend(member * n..count.min((member + 1) * n));
                }
                if b == kind && n > 0 {
                    entries.extend((member..count).step_by(n));
                }
                entries.sort_unstable();
                entries.dedup();
                own.extend(entries.into_iter().map(|i| read(id, &var.ty.base, i)));
            }
        }
        own
    }

    fn is_hidden(&self, kind: KindId, member: u16) -> bool {
        self.things.get(kind.i()).is_some_and(|things| things.contains(&member))
    }

    /// A value without the hidden things in it, of which only their number is kept.
    fn blinded(&self, base: &Base, value: Value) -> Value {
        let Some(kind) = kind_of(base) else { return value };
        let things = things_in(&value);
        match things.iter().filter(|(m, _)| self.is_hidden(kind, *m)).count() {
            0 => value,
            hidden => Value::List(vec![hidden as u16, things.len() as u16]),
        }
    }
}

/// What a seat cannot see of a position, for drawing what else the position may be.
pub struct Guesses<'a> {
    model: &'a Model,
    position: &'a Position,
    /// For each group its kind, its members, and the members in the order of their roles.
    groups: Vec<(KindId, Vec<u16>, Vec<u16>)>,
    exchanged: Exchanged,
    scope: Scope,
    /// What is hidden and cannot be exchanged.
    apart: Vec<(VarId, usize, Instead)>,
}

/// The most numbers of which one is thought of.
const MAX_NUMBERS: u64 = 1 << 16;

/// What stands in a world for a hidden value that cannot be exchanged. It does not depend on the value.
enum Instead {
    /// What stood there at the beginning of the game.
    First(Value),
    /// One of so many numbers from a lowest one on, if there is one: which is chosen in secret.
    Number(i32, usize),
}

impl<'a> Guesses<'a> {
    /// What the seat cannot see; `start` is the position at the beginning of the game.
    ///
    /// # Errors
    /// Something is hidden of which nothing else can be thought of.
    pub fn new(
        rules: &'a Explainer,
        start: &Position,
        position: &'a Position,
        seat: u16,
    ) -> Result<Guesses<'a>, Unclear> {
        let model = rules.model();
        let hidden = Hidden::new(rules, position, seat)?;
        let instead = |(var, index): &(VarId, usize)| Ok((*var, *index, Instead::of(model, start, *var, *index)?));
        let apart: Vec<_> = hidden.apart.iter().map(instead).collect::<Result<_, Unclear>>()?;
        let groups = hidden.groups(true);
        let mut scope = scope(model, &hidden.active, &groups);
        scope.replaced = apart.iter().map(|(var, ..)| *var).collect();
        scope.touched.extend(&scope.replaced);
        let dealt = |group: &Group| {
            let members = group.members.iter().map(|(m, _)| *m).collect();
            (group.kind, members, group.roles().into_values().flatten().collect())
        };
        let things = groups.iter().flat_map(|group| group.members.iter().map(|(m, _)| (group.kind, *m))).collect();
        let exchanged = Exchanged::new(model, position, &scope.touched, &things);
        Ok(Guesses { model, position, groups: groups.iter().map(dealt).collect(), exchanged, scope, apart })
    }

    /// In what an arrangement may differ from the position.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// An arrangement, laid out, each equally likely; it may be one that the seat can rule out. `below` draws a number
    /// below its argument. Roles are dealt in an order that does not depend on who holds them, so that the same draws
    /// give the same arrangement, whatever is hidden.
    pub fn draw(&self, mut below: impl FnMut(usize) -> usize) -> Position {
        let mut way = Renaming::new(self.model);
        for (kind, members, by_role) in &self.groups {
            let mut to = members.clone();
            for i in (1..to.len()).rev() {
                to.swap(i, below(i + 1));
            }
            by_role.iter().zip(to).for_each(|(from, to)| way.put(*kind, *from, to));
        }
        let mut world = self.exchanged.renamed(self.model, self.position, &way);
        for (var, index, instead) in &self.apart {
            let value = match instead {
                Instead::First(value) => value.clone(),
                Instead::Number(..) if empty(&world.read(self.model, *var, *index)) => continue,
                Instead::Number(lo, count) => Value::Int(lo + below(*count) as i32),
            };
            // It is of the type of the variable, so it fits.
            let _ = world.write(self.model, *var, *index, &value);
        }
        world
    }
}

impl Instead {
    /// For an entry of a variable.
    fn of(model: &Model, start: &Position, var: VarId, index: usize) -> Result<Instead, Unclear> {
        let Some(v) = model.vars.get(var.i()) else { return Ok(Instead::First(Value::None)) };
        let unclear = || Unclear::NoThings(name_of(model, var));
        if !matches!(v.owner, VarOwner::Code(_)) {
            let first = start.read(model, var, index);
            let fits = start.clone().write(model, var, index, &first);
            return if fits { Ok(Instead::First(first)) } else { Err(unclear()) };
        }
        match scalar_span(&v.ty.base, &model.kinds) {
            (lo, count @ 1..=MAX_NUMBERS) if matches!(v.ty.base, Base::Bool | Base::Range(..) | Base::Member(_)) => {
                Ok(Instead::Number(lo as i32, count as usize))
            }
            _ => Err(unclear()),
        }
    }
}

fn name_of(model: &Model, var: VarId) -> String {
    model.vars.get(var.i()).map_or_else(String::new, |var| var.name.clone())
}

/// The variables of the game, and of its active procedures.
fn active_vars<'a>(model: &'a Model, position: &Position) -> Vec<(VarId, &'a Var)> {
    let mut codes = vec![false; model.codes.len()];
    for depth in 0..position.depth(model) {
        if let Some(active) = codes.get_mut(position.frame(model, depth).0.i()) {
            *active = true;
        }
    }
    let active = |var: &Var| match var.owner {
        VarOwner::Code(code) => codes.get(code.i()) == Some(&true),
        _ => true,
    };
    let vars = model.vars.iter().enumerate().map(|(i, var)| (VarId(i as u16), var));
    vars.filter(|(_, var)| active(var)).collect()
}

/// The kind of the things that a variable holds.
fn kind_of(base: &Base) -> Option<KindId> {
    match base {
        Base::Member(kind) | Base::List(kind) => Some(*kind),
        Base::Set(of) | Base::Bag(of) => kind_of(of),
        _ => None,
    }
}

fn empty(value: &Value) -> bool {
    match value {
        Value::None => true,
        Value::Set(set) => set.is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Bag(counts) => counts.iter().all(|n| *n == 0),
        Value::Int(_) | Value::Text(_) => false,
    }
}

/// The things in a value, each with its place in an ordered pile or its number of copies.
fn things_in(value: &Value) -> Vec<(u16, usize)> {
    match value {
        Value::Int(m) => u16::try_from(*m).map_or_else(|_| Vec::new(), |m| vec![(m, 0)]),
        Value::Set(set) => set.iter().map(|m| (m as u16, 0)).collect(),
        Value::List(items) => items.iter().enumerate().map(|(at, m)| (*m, at)).collect(),
        Value::Bag(counts) => {
            let there = counts.iter().enumerate().filter(|(_, n)| **n > 0);
            there.map(|(m, n)| (m as u16, usize::from(*n))).collect()
        }
        Value::None | Value::Text(_) => Vec::new(),
    }
}

/// What exchanges within the groups may change: the variables that hold things of them, or belong to them.
fn scope(model: &Model, active: &[(VarId, &Var)], groups: &[Group]) -> Scope {
    let exchanged: BTreeSet<KindId> = groups.iter().map(|group| group.kind).collect();
    let moves = |kind: KindId| exchanged.contains(&kind);
    let of = |kind: KindId| moves(kind) || model.pair(kind).is_some_and(|(a, b, _)| moves(a) || moves(b));
    let touches = |var: &Var| kind_of(&var.ty.base).is_some_and(moves) || var.index.is_some_and(of);
    let touched = active.iter().filter(|(_, var)| touches(var)).map(|(id, _)| *id).collect();
    Scope { touched, exchanged, replaced: BTreeSet::new() }
}

/// What exchanges within groups may change of a position: entries of variables, with what stands there.
struct Exchanged(Vec<(VarId, usize, Value)>);

impl Exchanged {
    /// Of these variables the entries that hold or belong to some of these things. A variable that holds no things and
    /// has the same value in all these entries is left out: nothing changes where they are exchanged.
    fn new(model: &Model, position: &Position, vars: &BTreeSet<VarId>, things: &BTreeSet<(KindId, u16)>) -> Exchanged {
        let mut entries = Vec::new();
        for id in vars.iter().copied() {
            let Some(var) = model.vars.get(id.i()) else { continue };
            let holds = kind_of(&var.ty.base);
            let first = entries.len();
            for index in 0..var.place.count as usize {
                let value = position.read(model, id, index);
                let is_held = || {
                    holds
                        .is_some_and(|kind| things_in(&value).iter().any(|(thing, _)| things.contains(&(kind, *thing))))
                };
                if owners_of(model, var, index).iter().flatten().any(|owner| things.contains(owner)) || is_held() {
                    entries.push((id, index, value));
                }
            }
            let own = entries.get(first..).unwrap_or_default();
            if holds.is_none() && own.windows(2).all(|two| matches!(two, [(.., one), (.., other)] if one == other)) {
                entries.truncate(first);
            }
        }
        Exchanged(entries)
    }

    /// The position of the entries with things in the places of others; laid out.
    fn renamed(&self, model: &Model, position: &Position, way: &Renaming) -> Position {
        let mut world = position.laid_out(&model.layout);
        for (id, index, value) in &self.0 {
            let Some(var) = model.vars.get(id.i()) else { continue };
            let place =
                match owners_of(model, var, *index).map(|owner| owner.map(|(kind, m)| usize::from(way.of(kind, m)))) {
                    [Some(first), Some(second)] => {
                        first * var.index.and_then(|kind| model.pair(kind)).map_or(0, |(_, _, n)| n) + second
                    }
                    [Some(only), None] => only,
                    _ => *index,
                };
            let moved = kind_of(&var.ty.base).filter(|kind| moves_any(value, |m| way.of(*kind, m)));
            // The old value fitted, so the new one does. Only what changes is written.
            let _ = match moved {
                Some(kind) => world.write(model, *id, place, &with_others(value, |m| way.of(kind, m))),
                None if place == *index => continue,
                None => world.write(model, *id, place, value),
            };
        }
        world
    }
}

/// The things that an entry of a variable belongs to: one or two, if it is indexed.
fn owners_of(model: &Model, var: &Var, index: usize) -> [Option<(KindId, u16)>; 2] {
    let Some(kind) = var.index else { return [None, None] };
    match model.pair(kind) {
        None => [Some((kind, index as u16)), None],
        Some((a, b, n)) => [Some((a, (index / n) as u16)), Some((b, (index % n) as u16))],
    }
}

/// Whether others take the place of things in a value.
fn moves_any(value: &Value, to: impl Fn(u16) -> u16) -> bool {
    match value {
        Value::Int(m) => u16::try_from(*m).is_ok_and(|m| to(m) != m),
        Value::Set(set) => set.iter().any(|m| to(m as u16) != m as u16),
        Value::List(items) => items.iter().any(|m| to(*m) != *m),
        Value::Bag(counts) => (0..counts.len() as u16).any(|m| to(m) != m),
        Value::None | Value::Text(_) => false,
    }
}

/// A value with other things instead of those in it.
fn with_others(value: &Value, to: impl Fn(u16) -> u16) -> Value {
    match value {
        Value::Int(m) => Value::Int(u16::try_from(*m).map_or(*m, |m| i32::from(to(m)))),
        Value::Set(set) => Value::Set(set.iter().map(|m| usize::from(to(m as u16))).collect()),
        Value::List(items) => Value::List(items.iter().map(|m| to(*m)).collect()),
        Value::Bag(counts) => {
            let mut moved = vec![0; counts.len()];
            for (m, n) in counts.iter().enumerate() {
                if let Some(place) = moved.get_mut(usize::from(to(m as u16))) {
                    *place = *n;
                }
            }
            Value::Bag(moved)
        }
        other => other.clone(),
    }
}
