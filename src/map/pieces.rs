//! The pieces on the cells of a board, as far as a view shows them.

use crate::game::{SeenKind, View};
use crate::model::{Base, Board, ExprKind, Field, FieldStore, Kind, Model, PLAYER, Shape, Shows, Value};

/// A piece on the board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// Its name, or its owner's with `?`.
    pub name: String,
    /// What it was brought as, if seats bring such pieces.
    pub brought: Option<String>,
    /// Whose it is, by its place among the seats.
    pub owner: Option<usize>,
    /// The direction in which it faces.
    pub arrow: Option<char>,
    /// Its fields that are shown.
    pub told: Vec<String>,
}

impl Piece {
    /// Its name with what is true of it: `Frodo↗ (wounded)`.
    pub fn words(&self) -> String {
        let mut words = self.name.clone();
        words.extend(self.arrow);
        if let Some(brought) = &self.brought {
            words = format!("{words} {brought}");
        }
        match self.told.is_empty() {
            true => words,
            false => format!("{words} ({})", self.told.join(", ")),
        }
    }
}

const HEXAGONAL: [char; 6] = ['↗', '→', '↘', '↙', '←', '↖'];
const SQUARE: [char; 4] = ['↑', '→', '↓', '←'];

pub(super) fn seen<'a>(kind: &Kind, view: &'a View) -> Option<&'a SeenKind> {
    view.kinds.iter().find(|k| k.name == kind.name)
}

/// The fields of the place itself that change in play, without those that are nothing, no or 0. The value says enough
/// if it is a place's only field.
pub fn own_fields(kind: &Kind, view: &View, id: &str) -> Vec<String> {
    let known = seen(kind, view).and_then(|k| k.known.iter().find(|m| m.id == id));
    let fields = known.map_or(&[][..], |m| &m.fields);
    let told = fields.iter().filter(|(_, value)| !["none", "no", "0"].contains(&value.as_str()));
    let only = fields.len() == 1;
    let words = |(name, value): &(String, String)| match value.as_str() {
        "yes" => name.clone(),
        _ if only => value.clone(),
        _ => format!("{name}: {value}"),
    };
    told.map(words).collect()
}

/// What stands at a place.
pub fn at(model: &Model, board: &Board, view: &View, place: &str, lang: &str) -> Vec<Piece> {
    let Some(shows) = &board.shows else {
        return Vec::new();
    };
    let Some(kind) = model.kinds.get(shows.kind.i()) else {
        return Vec::new();
    };
    let name_of = |field: Option<usize>| kind.fields.get(field?).map(|f| f.name.as_str());
    let (Some(seen), Some(field)) = (seen(kind, view), name_of(Some(shows.at))) else {
        return Vec::new();
    };
    let facing = name_of(shows.facing);
    let taker = model.brings.iter().find(|b| b.kind == shows.kind);
    let taken = taker.and_then(|b| model.vars.get(b.field.i())).and_then(|v| v.name.rsplit('.').next());
    let value = |fields: &[(String, String)], name: &str| fields.iter().find(|(n, _)| n == name).map(|f| f.1.clone());
    let here = |fields: &[(String, String)]| fields.iter().any(|(n, v)| n == field && v == place);
    let standing = |name: String, owner: Option<usize>, fields: &[(String, String)]| Piece {
        name,
        owner,
        brought: taken.and_then(|t| value(fields, t)).filter(|v| v != "none"),
        arrow: facing.and_then(|f| value(fields, f)).and_then(|v| arrow(model, board, &v, lang)),
        told: told(model, shows, kind, fields),
    };
    let known = seen
        .known
        .iter()
        .filter(|m| here(&m.fields))
        .map(|m| standing(m.name.clone(), owner(model, kind, &m.id), &m.fields));
    let unknown = seen.unknown.iter().filter(|m| here(&m.fields)).map(|m| {
        let name = m.owner.as_ref().map_or_else(|| String::from("?"), |owner| format!("{owner} ?"));
        Piece { told: Vec::new(), ..standing(name, m.owner.as_ref().and_then(|o| seat(model, o, lang)), &m.fields) }
    });
    known.chain(unknown).collect()
}

/// The fields of a piece that are shown: those that the board names if they differ from their initial values, otherwise
/// all that are true.
fn told(model: &Model, shows: &Shows, kind: &Kind, fields: &[(String, String)]) -> Vec<String> {
    let Some(with) = &shows.with else {
        return fields.iter().filter(|(_, value)| value == "yes").map(|(name, _)| name.clone()).collect();
    };
    let words = |(name, value): &(String, String), field: &Field| match value.as_str() {
        "none" | "no" | "{}" => None,
        "yes" => Some(name.clone()),
        value if first(model, field).is_some_and(|first| first == value) => None,
        value => Some(format!("{name} {value}")),
    };
    let named = with.iter().filter_map(|f| kind.fields.get(*f));
    named.filter_map(|f| fields.iter().find(|(name, _)| *name == f.name).and_then(|told| words(told, f))).collect()
}

/// The number that a field begins with.
fn first(model: &Model, field: &Field) -> Option<String> {
    let FieldStore::Var(var) = field.store else {
        return None;
    };
    match model.vars.get(var.i())?.init.as_ref()?.kind {
        ExprKind::Const(Value::Int(i)) if matches!(field.ty.base, Base::Range(..)) => Some(i.to_string()),
        _ => None,
    }
}

/// The printed owner of a member.
fn owner(model: &Model, kind: &Kind, id: &str) -> Option<usize> {
    let member = kind.members.iter().position(|m| m.id == id)?;
    match &kind.fields.get(kind.owner?)?.store {
        FieldStore::Printed(values) => {
            let seat = usize::try_from(values.get(member)?.int()?).ok()?;
            (seat < model.kinds.get(PLAYER.i())?.members.len()).then_some(seat)
        }
        FieldStore::Var(_) => None,
    }
}

/// The seat of that name.
fn seat(model: &Model, name: &str, lang: &str) -> Option<usize> {
    let seats = &model.kinds.get(PLAYER.i())?.members;
    seats.iter().position(|s| s.name.get(lang) == name || s.id == name)
}

/// The arrow of a direction by its name.
fn arrow(model: &Model, board: &Board, name: &str, lang: &str) -> Option<char> {
    model.grids.iter().filter(|g| g.kind == board.kind).find_map(|grid| {
        let directions = &model.kinds.get(grid.facing?.i())?.members;
        let at = directions.iter().position(|d| d.name.get(lang) == name || d.id == name)?;
        match grid.lattice.shape() {
            Shape::Hexagonal => HEXAGONAL.get(at).copied(),
            Shape::Square => SQUARE.get(at).copied(),
        }
    })
}

/// The pieces in words, several that look the same as one.
pub fn counted(pieces: &[Piece]) -> Vec<String> {
    let mut counted: Vec<(String, usize)> = Vec::new();
    for words in pieces.iter().map(Piece::words) {
        match counted.iter_mut().find(|(n, _)| *n == words) {
            Some((_, count)) => *count += 1,
            None => counted.push((words, 1)),
        }
    }
    let line = |(words, count): (String, usize)| if count == 1 { words } else { format!("{words} x{count}") };
    counted.into_iter().map(line).collect()
}
