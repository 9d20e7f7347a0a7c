//! The pieces on the cells of a board, as far as a view shows them.

use crate::game::{SeenField, SeenMember, SeenValue, View};
use crate::lexicon::Lexicon;
use crate::model::{Base, Board, ExprKind, Field, FieldStore, Kind, KindId, Model, PLAYER, Shape, Shows, Value};

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

/// The fields of the place itself that change in play, without those that are nothing, no or 0. The value says enough
/// if it is a place's only field.
pub fn own_fields(lexicon: &Lexicon, kind: KindId, view: &View, place: u16) -> Vec<String> {
    let known = view.kind(kind).and_then(|k| k.member(place));
    let fields = known.map_or(&[][..], |m| &m.fields);
    let only = fields.len() == 1;
    let words = |field: &SeenField| match &field.value {
        SeenValue::Nothing | SeenValue::Truth(false) | SeenValue::Number(0) => None,
        SeenValue::Truth(true) => Some(name(lexicon, kind, field).to_owned()),
        value if only => Some(lexicon.value(value)),
        value => Some(format!("{}: {}", name(lexicon, kind, field), lexicon.value(value))),
    };
    fields.iter().filter_map(words).collect()
}

/// What stands at a place.
pub fn at(lexicon: &Lexicon, board: &Board, view: &View, place: u16) -> Vec<Piece> {
    standing_at(lexicon, board, view, &SeenValue::Member(SeenMember::Known(board.kind, place)))
}

/// What stands nowhere on the board, as far as it is seen, but for what no seat has brought.
pub fn off(lexicon: &Lexicon, board: &Board, view: &View) -> Vec<Piece> {
    let pieces = standing_at(lexicon, board, view, &SeenValue::Nothing).into_iter();
    let model = lexicon.model;
    let brings = board.shows.as_ref().is_some_and(|s| model.brings.iter().any(|b| b.kind == s.kind));
    pieces.filter(|p| !brings || p.brought.is_some()).collect()
}

fn standing_at(lexicon: &Lexicon, board: &Board, view: &View, place: &SeenValue) -> Vec<Piece> {
    let model = lexicon.model;
    let Some(shows) = &board.shows else {
        return Vec::new();
    };
    let (Some(kind), Some(seen)) = (model.kinds.get(shows.kind.i()), view.kind(shows.kind)) else {
        return Vec::new();
    };
    let here = |fields: &[SeenField]| value(fields, Some(shows.at)) == Some(place);
    let taken = brought_in(model, shows, kind);
    let standing = |name: String, owner: Option<usize>, fields: &[SeenField]| Piece {
        name,
        owner,
        brought: value(fields, taken).filter(|v| **v != SeenValue::Nothing).map(|v| lexicon.value(v)),
        arrow: value(fields, shows.facing).and_then(|v| arrow(model, board, v)),
        told: told(lexicon, shows, kind, fields),
    };
    let known = seen.known.iter().filter(|m| here(&m.fields)).map(|m| {
        let name = lexicon.member(shows.kind, m.member);
        standing(name, owner(model, shows.kind, m.member), &m.fields)
    });
    let unknown = seen.unknown.iter().filter(|m| here(&m.fields)).map(|m| {
        let name = m.owner.map_or_else(|| String::from("?"), |owner| format!("{} ?", lexicon.seat(owner)));
        Piece { told: Vec::new(), ..standing(name, m.owner.map(usize::from), &m.fields) }
    });
    known.chain(unknown).collect()
}

/// The value of a field.
fn value(fields: &[SeenField], field: Option<usize>) -> Option<&SeenValue> {
    fields.iter().find(|f| Some(f.field) == field).map(|f| &f.value)
}

/// The name of a field.
fn name<'a>(lexicon: &Lexicon<'a>, kind: KindId, field: &SeenField) -> &'a str {
    let kind = lexicon.model.kinds.get(kind.i());
    kind.and_then(|k| k.fields.get(field.field)).map_or("?", |f| &f.name)
}

/// The field that says what a piece was brought as, if seats bring such pieces.
fn brought_in(model: &Model, shows: &Shows, kind: &Kind) -> Option<usize> {
    let bring = model.brings.iter().find(|b| b.kind == shows.kind)?;
    kind.fields.iter().position(|f| matches!(f.store, FieldStore::Var(var) if var == bring.field))
}

/// The fields of a piece that are shown: those that the board names if they differ from their initial values, otherwise
/// all that are true.
fn told(lexicon: &Lexicon, shows: &Shows, kind: &Kind, fields: &[SeenField]) -> Vec<String> {
    let Some(with) = &shows.with else {
        let yes = fields.iter().filter(|f| f.value == SeenValue::Truth(true));
        return yes.map(|f| name(lexicon, shows.kind, f).to_owned()).collect();
    };
    let words = |at: &usize| {
        let field = kind.fields.get(*at)?;
        match value(fields, Some(*at))? {
            SeenValue::Nothing | SeenValue::Truth(false) => None,
            SeenValue::Set(items) if items.is_empty() => None,
            SeenValue::Truth(true) => Some(field.name.clone()),
            SeenValue::Number(i) if first(lexicon.model, field) == Some(*i) => None,
            value => Some(format!("{} {}", field.name, lexicon.value(value))),
        }
    };
    with.iter().filter_map(words).collect()
}

/// The number that a field begins with.
fn first(model: &Model, field: &Field) -> Option<i32> {
    let FieldStore::Var(var) = field.store else {
        return None;
    };
    match model.vars.get(var.i())?.init.as_ref()?.kind {
        ExprKind::Const(Value::Int(i)) if matches!(field.ty.base, Base::Range(..)) => Some(i),
        _ => None,
    }
}

/// The printed owner of a member.
fn owner(model: &Model, kind: KindId, member: u16) -> Option<usize> {
    let seat = usize::try_from(model.owner_of(kind, i32::from(member))?).ok()?;
    (seat < model.kinds.get(PLAYER.i())?.members.len()).then_some(seat)
}

/// The arrow of a direction.
fn arrow(model: &Model, board: &Board, direction: &SeenValue) -> Option<char> {
    let SeenValue::Member(SeenMember::Known(kind, at)) = direction else {
        return None;
    };
    let grid = model.grids.iter().find(|g| g.kind == board.kind && g.facing == Some(*kind))?;
    match grid.lattice.shape() {
        Shape::Hexagonal => HEXAGONAL.get(usize::from(*at)).copied(),
        Shape::Square => SQUARE.get(usize::from(*at)).copied(),
    }
}

/// The pieces in words, several that look the same as one: the first of them, and the words.
pub fn counted(pieces: &[Piece]) -> Vec<(&Piece, String)> {
    let mut counted: Vec<(&Piece, String, usize)> = Vec::new();
    for piece in pieces {
        let words = piece.words();
        match counted.iter_mut().find(|(_, w, _)| *w == words) {
            Some((.., count)) => *count += 1,
            None => counted.push((piece, words, 1)),
        }
    }
    let line = |(piece, words, count)| (piece, if count == 1 { words } else { format!("{words} x{count}") });
    counted.into_iter().map(line).collect()
}
