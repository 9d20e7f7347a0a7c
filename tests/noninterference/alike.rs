//! Pairs of positions that a seat cannot tell apart: what it does not see is exchanged, or becomes another value.

use std::collections::{BTreeMap, BTreeSet};

use lawspeaker::explain::Explainer;
use lawspeaker::game::{Choice, Evaluator as _, Position};
use lawspeaker::model::{Base, FieldStore, KindId, Model, SeenWhat, Set, Value, VarId, VarOwner};
use lawspeaker::players::Dice;

/// For a thing of a kind what stands in its place.
pub type Renaming = BTreeMap<(KindId, u16), u16>;

/// A position that looks to a seat like another one.
pub struct Alike {
    pub position: Position,
    pub renaming: Renaming,
    /// Hidden numbers are others, or other things are where something hidden is.
    pub numbers: bool,
}

/// Whether a variable is of the game, or of a procedure under way.
fn lives(model: &Model, position: &Position, var: VarId) -> bool {
    match model.vars[var.i()].owner {
        VarOwner::Code(code) => position.active(model, code) > 0,
        _ => true,
    }
}

fn kind_of(base: &Base) -> Option<KindId> {
    match base {
        Base::Member(kind) | Base::List(kind) => Some(*kind),
        Base::Set(of) | Base::Bag(of) => kind_of(of),
        _ => None,
    }
}

fn things_in(value: &Value) -> Vec<u16> {
    match value {
        Value::Int(m) => vec![*m as u16],
        Value::Set(set) => set.iter().map(|m| m as u16).collect(),
        Value::List(items) => items.clone(),
        Value::Bag(counts) => counts.iter().enumerate().filter(|(_, n)| **n > 0).map(|(m, _)| m as u16).collect(),
        Value::None | Value::Text(_) => Vec::new(),
    }
}

fn sees_entry(rules: &Explainer, position: &Position, seat: u16, var: VarId, index: usize) -> bool {
    rules.sees(position, SeenWhat::Var(var), index, seat).unwrap_or(false) && !rules.secret(position, var, seat)
}

/// The things of which a seat does not know where they are, by kind and owner.
fn unseen(rules: &Explainer, position: &Position, seat: u16) -> Vec<(KindId, Vec<u16>)> {
    let model = rules.model();
    let mut groups: BTreeMap<(KindId, Option<i32>), Vec<u16>> = BTreeMap::new();
    for (k, kind) in model.kinds.iter().enumerate() {
        let id = KindId(k as u16);
        let covert = model.seen.iter().any(|s| s.what == SeenWhat::Member(id));
        let (mut open, mut shut) = (BTreeSet::new(), false);
        for (i, var) in model.vars.iter().enumerate() {
            let inner = var.name.rsplit('.').next().is_some_and(|n| n.starts_with('_'));
            if kind_of(&var.ty.base) != Some(id) || inner || !lives(model, position, VarId(i as u16)) {
                continue;
            }
            for index in 0..var.place.count as usize {
                let things = things_in(&position.read(model, VarId(i as u16), index));
                match sees_entry(rules, position, seat, VarId(i as u16), index) {
                    true => open.extend(things),
                    false => shut |= !things.is_empty(),
                }
            }
        }
        for m in 0..kind.members.len() {
            let hidden = match covert {
                true => !rules.sees(position, SeenWhat::Member(id), m, seat).unwrap_or(true),
                false => shut && !open.contains(&(m as u16)),
            };
            let owner = match kind.owner.and_then(|f| kind.fields.get(f)).map(|f| &f.store) {
                Some(FieldStore::Printed(owners)) => owners[m].int(),
                _ => None,
            };
            if hidden {
                groups.entry((id, owner)).or_default().push(m as u16);
            }
        }
    }
    groups.into_iter().map(|((kind, _), members)| (kind, members)).filter(|(_, m)| m.len() > 1).collect()
}

/// Some of the unseen things in each other's places.
fn exchange(rules: &Explainer, position: &Position, seat: u16, dice: &mut Dice) -> Renaming {
    let mut renaming = Renaming::new();
    for (kind, members) in unseen(rules, position, seat) {
        // Two, or all.
        let mut to = members.clone();
        if dice.below(2) == 0 {
            (1..to.len()).rev().for_each(|i| to.swap(i, dice.below(i + 1)));
        } else {
            let (a, b) = (dice.below(to.len()), dice.below(to.len()));
            to.swap(a, b);
        }
        renaming.extend(members.iter().zip(to).filter(|(a, b)| *a != b).map(|(a, b)| ((kind, *a), b)));
    }
    renaming
}

fn renamed(model: &Model, position: &Position, way: &Renaming) -> Position {
    let mut other = position.clone();
    let to = |kind: KindId, m: u16| way.get(&(kind, m)).copied().unwrap_or(m);
    for (i, var) in model.vars.iter().enumerate() {
        let id = VarId(i as u16);
        if !lives(model, position, id) {
            continue;
        }
        for index in 0..var.place.count as usize {
            let value = match (kind_of(&var.ty.base), position.read(model, id, index)) {
                (Some(kind), Value::Int(m)) => Value::Int(i32::from(to(kind, m as u16))),
                (Some(kind), Value::Set(set)) => {
                    Value::Set(set.iter().map(|m| usize::from(to(kind, m as u16))).collect::<Set>())
                }
                (Some(kind), Value::List(items)) => Value::List(items.iter().map(|m| to(kind, *m)).collect()),
                (Some(kind), Value::Bag(counts)) => {
                    let mut moved = vec![0; counts.len()];
                    (0..counts.len()).for_each(|m| moved[usize::from(to(kind, m as u16))] = counts[m]);
                    Value::Bag(moved)
                }
                (_, value) => value,
            };
            let place = var.index.map_or(index, |kind| usize::from(to(kind, index as u16)));
            let there = other.read(model, id, place) == value;
            assert!(there || other.write(model, id, place, &value), "{} takes what its like had", var.name);
        }
    }
    other
}

/// Other numbers in some of the entries that a seat does not see.
fn change_numbers(rules: &Explainer, position: &Position, seat: u16, dice: &mut Dice) -> Position {
    let model = rules.model();
    let mut other = position.clone();
    for (i, var) in model.vars.iter().enumerate() {
        let id = VarId(i as u16);
        let inner = var.name.rsplit('.').next().is_some_and(|n| n.starts_with('_'));
        if inner || !lives(model, position, id) || matches!(var.owner, VarOwner::Limit) {
            continue;
        }
        for index in 0..var.place.count as usize {
            if sees_entry(rules, position, seat, id, index) || dice.below(4) == 0 {
                continue;
            }
            let value = match (&var.ty.base, position.read(model, id, index)) {
                (Base::Range(lo, hi), Value::Int(_)) => Value::Int(lo + dice.below((hi - lo + 1) as usize) as i32),
                (Base::Bool, Value::Int(i)) => Value::Int(1 - i),
                (Base::Int, Value::Int(i)) => Value::Int((i + dice.below(5) as i32 - 2).max(0)),
                // How much there is, all see.
                (Base::Bag(_), Value::Bag(mut counts)) => {
                    (1..counts.len()).rev().for_each(|i| counts.swap(i, dice.below(i + 1)));
                    Value::Bag(counts)
                }
                _ => continue,
            };
            let _ = other.write(model, id, index, &value);
        }
    }
    other
}

/// Another position that looks to the seat like this one; nothing if the one tried does not.
pub fn another(rules: &Explainer, position: &Position, seat: u16, dice: &mut Dice) -> Option<Alike> {
    let renaming = match dice.below(4) {
        0 => Renaming::new(),
        _ => exchange(rules, position, seat, dice),
    };
    let moved = renamed(rules.model(), position, &renaming);
    let numbers = dice.below(2) == 0 || renaming.is_empty();
    let other = if numbers { change_numbers(rules, &moved, seat, dice) } else { moved.clone() };
    let numbers = other != moved;
    if other == *position || !alike(rules, position, &other, seat) {
        return None;
    }
    let sound = |p: &Position| Some((rules.nevers(p).ok()?, rules.status(p).ok()?, rules.options(p).is_ok()));
    (sound(position)?.0 == sound(&other)?.0).then_some(Alike { position: other, renaming, numbers })
}

/// Whether a seat cannot tell two positions apart: it sees the same, and where it decides it can choose the same.
pub fn alike(rules: &Explainer, a: &Position, b: &Position, seat: u16) -> bool {
    let look = |position: &Position| {
        let mut view = rules.view(position, seat);
        // The order of its options tells it nothing.
        view.question.iter_mut().flat_map(|q| q.options.as_mut()).for_each(|options| options.sort());
        view
    };
    match rules.model().hides() {
        true => look(a) == look(b),
        false => a == b,
    }
}

/// A choice with things exchanged as in the position.
pub fn renamed_choice(rules: &Explainer, position: &Position, choice: Choice, way: &Renaming) -> Choice {
    let model = rules.model();
    let to = |base: &Base, value: i32| match base {
        Base::Member(kind) => way.get(&(*kind, value as u16)).map_or(value, |m| i32::from(*m)),
        _ => value,
    };
    match choice {
        Choice::Act(id, args) => {
            let params = &model.actions[id.i()].params;
            let args: Vec<i32> =
                params.iter().zip(args.as_slice()).map(|((_, ty), v)| to(&ty.base, i32::from(*v))).collect();
            Choice::Act(id, lawspeaker::game::Args::new(&args))
        }
        Choice::Value(value) => match of(rules, position) {
            Some(base) => Choice::Value(to(&base, value)),
            None => choice,
        },
        choice => choice,
    }
}

/// What is chosen, picked or drawn at a position, where it is a thing.
fn of(rules: &Explainer, position: &Position) -> Option<Base> {
    use lawspeaker::model::{ChanceWhat, InstrKind};
    let model = rules.model();
    let (code, pc) = position.top(model)?;
    match &model.codes[code.i()].instrs[usize::from(pc)].kind {
        InstrKind::Choose(choose) => choose.of().cloned(),
        InstrKind::Chance(chance) => match &chance.what {
            ChanceWhat::Pick { of, .. } | ChanceWhat::Draw { of, .. } => Some(of.clone()),
            ChanceWhat::Shuffle { pile, .. } => Some(Base::Member(kind_of(&model.vars[pile.var.i()].ty.base)?)),
            ChanceWhat::Roll { .. } => None,
        },
        _ => None,
    }
}
