//! The pieces on the cells of a board, as far as a view shows them.

use std::collections::BTreeSet;

use crate::game::{SeenField, SeenMember, SeenPile, SeenValue, View};
use crate::lexicon::Lexicon;
use crate::model::{
    Arranged, Base, Board, ExprKind, Field, FieldStore, Kind, KindId, Model, PLAYER, Shape, Shown, Shows,
};

/// A piece on the board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// Its name, or its owner's with `?`.
    pub name: String,
    /// Whether it is known which piece it is.
    pub known: bool,
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

/// The fields of the place itself that change in play: those that the board names, if they differ from their initial
/// values; otherwise all, without those that are nothing, no or 0. The value says enough if it is a place's only field.
pub fn own_fields(lexicon: &Lexicon, board: &Board, view: &View, place: u16) -> Vec<String> {
    let kind = board.kind;
    let known = view.kind(kind).and_then(|k| k.member(place));
    let fields = known.map_or(&[][..], |m| &m.fields);
    if let Some(with) = &board.with {
        return changed(lexicon, kind, Some(place), with, fields);
    }
    if let Arranged::Groups(group) = board.arranged {
        let with: Vec<Shown> = all(fields).into_iter().filter(|f| Some(f.field) != group).collect();
        return changed(lexicon, kind, Some(place), &with, fields);
    }
    let only = fields.len() == 1;
    let words = |field: &SeenField| match &field.value {
        SeenValue::Nothing | SeenValue::Truth(false) | SeenValue::Number(0) => None,
        SeenValue::Truth(true) => Some(name(lexicon, kind, field).to_owned()),
        _ if is_bag(lexicon.model, kind, field.field) => counts(lexicon, &field.value),
        value if only => Some(lexicon.prose(value)),
        value => Some(format!("{}: {}", name(lexicon, kind, field), lexicon.prose(value))),
    };
    fields.iter().filter_map(words).collect()
}

/// Whose the member is that a field of the place holds: the first that is a seat, or has an owner.
pub fn owner_there(model: &Model, board: &Board, view: &View, place: u16) -> Option<usize> {
    let fields = &view.kind(board.kind)?.member(place)?.fields;
    fields.iter().find_map(|field| match field.value {
        SeenValue::Member(SeenMember::Known(PLAYER, seat)) => Some(usize::from(seat)),
        SeenValue::Member(SeenMember::Known(kind, member)) => owner(model, kind, member),
        SeenValue::Member(SeenMember::Unknown(_, owner)) => owner.map(usize::from),
        _ => None,
    })
}

/// All fields that change, by their names.
pub(super) fn all(fields: &[SeenField]) -> Vec<Shown> {
    fields.iter().map(|f| Shown { field: f.field, label: None }).collect()
}

/// Whether a field holds a bag.
fn is_bag(model: &Model, kind: KindId, field: usize) -> bool {
    let field = model.kinds.get(kind.i()).and_then(|k| k.fields.get(field));
    field.is_some_and(|f| matches!(f.ty.base, Base::Bag(_)))
}

/// What a bag holds, with its counts: `2 Archer + Knight`; `None` if it is empty.
fn counts(lexicon: &Lexicon, bag: &SeenValue) -> Option<String> {
    let SeenValue::Set(items) = bag else {
        return Some(lexicon.value(bag));
    };
    let alike = items.chunk_by(|a, b| a == b).filter_map(|alike| Some((alike.first()?.clone(), alike.len())));
    let words = lexicon.counted(&alike.collect::<Vec<_>>());
    (!words.is_empty()).then(|| words.join(" + "))
}

/// What stands at a place.
pub fn at(lexicon: &Lexicon, board: &Board, view: &View, place: u16) -> Vec<Piece> {
    standing_at(lexicon, board, view, &SeenValue::Member(SeenMember::Known(board.kind, place)))
}

/// What stands nowhere on the board, as far as it is seen, but for what no seat has brought, and what the board tells
/// of elsewhere: what is in a pile that has a label by itself, then the rest.
pub fn off<'v>(lexicon: &Lexicon, board: &Board, view: &'v View) -> Vec<(Option<&'v SeenPile>, Vec<Piece>)> {
    let elsewhere = told_elsewhere(board, view);
    let labelled = |pile: &&SeenPile| {
        let var = lexicon.model.vars.get(pile.var.i());
        var.is_some_and(|v| !v.label.text.is_empty()) && !board.tells.iter().flatten().any(|told| *told == pile.var)
    };
    let labelled: Vec<&SeenPile> = view.piles.iter().filter(labelled).collect();
    let holds = |pile: &SeenPile, member: SeenMember| {
        pile.members.iter().flatten().any(|value| *value == SeenValue::Member(member))
    };
    let pieces = |within: Option<&SeenPile>| {
        let of = |shows: &Shows| {
            let brings = lexicon.model.brings.iter().any(|b| b.kind == shows.kind);
            let but = |member: u16| {
                let member = SeenMember::Known(shows.kind, member);
                elsewhere.contains(&member)
                    || match within {
                        Some(pile) => !holds(pile, member),
                        None => labelled.iter().any(|pile| holds(pile, member)),
                    }
            };
            let pieces = of_kind_at(lexicon, board, shows, view, (&SeenValue::Nothing, &but)).into_iter();
            let known = pieces.filter(|p| within.is_none() || p.known).filter(|p| !brings || p.brought.is_some());
            known.collect::<Vec<Piece>>()
        };
        board.shows.iter().flat_map(of).collect::<Vec<Piece>>()
    };
    let groups = labelled.iter().map(|pile| Some(*pile)).chain([None]);
    groups.map(|pile| (pile, pieces(pile))).filter(|(_, pieces)| !pieces.is_empty()).collect()
}

/// The members that a variable or pile holds of which the board tells.
fn told_elsewhere(board: &Board, view: &View) -> BTreeSet<SeenMember> {
    let Some(tells) = &board.tells else {
        return BTreeSet::new();
    };
    let variables = view.variables.iter().filter(|v| tells.contains(&v.var)).map(|v| &v.value);
    let piles = view.piles.iter().filter(|p| tells.contains(&p.var)).filter_map(|p| p.members.as_ref());
    let mut found = BTreeSet::new();
    for value in variables.chain(piles.flatten()) {
        match value {
            SeenValue::Member(member) => drop(found.insert(*member)),
            SeenValue::Set(all) => found.extend(all.iter().filter_map(|value| match value {
                SeenValue::Member(member) => Some(*member),
                _ => None,
            })),
            _ => {}
        }
    }
    found
}

fn standing_at(lexicon: &Lexicon, board: &Board, view: &View, place: &SeenValue) -> Vec<Piece> {
    board.shows.iter().flat_map(|shows| of_kind_at(lexicon, board, shows, view, (place, &|_| false))).collect()
}

/// The pieces of a kind at a place, but for some members.
fn of_kind_at(
    lexicon: &Lexicon,
    board: &Board,
    shows: &Shows,
    view: &View,
    (place, but): (&SeenValue, &dyn Fn(u16) -> bool),
) -> Vec<Piece> {
    let model = lexicon.model;
    let (Some(kind), Some(seen)) = (model.kinds.get(shows.kind.i()), view.kind(shows.kind)) else {
        return Vec::new();
    };
    let here = |fields: &[SeenField]| value(fields, Some(shows.at)) == Some(place);
    let taken = brought_in(model, shows, kind);
    let standing = |member: Option<u16>, name: String, owner: Option<usize>, fields: &[SeenField]| Piece {
        name,
        known: member.is_some(),
        owner,
        brought: value(fields, taken).filter(|v| **v != SeenValue::Nothing).map(|v| lexicon.value(v)),
        arrow: value(fields, shows.facing).and_then(|v| arrow(model, board, v)),
        told: told(lexicon, shows, member, fields),
    };
    let known = seen.known.iter().filter(|m| here(&m.fields) && !but(m.member)).map(|m| {
        let name = lexicon.member(shows.kind, m.member);
        standing(Some(m.member), name, owner(model, shows.kind, m.member), &m.fields)
    });
    let unknown = seen.unknown.iter().filter(|m| here(&m.fields)).map(|m| {
        let name = unknown_name(lexicon, m.owner);
        Piece { told: Vec::new(), ..standing(None, name, m.owner.map(usize::from), &m.fields) }
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

/// What a member was brought as, if seats bring such members and the view shows it.
#[must_use]
pub fn brought(lexicon: &Lexicon, view: &View, (kind, member): (KindId, u16)) -> Option<String> {
    let bring = lexicon.model.brings.iter().find(|b| b.kind == kind)?;
    let fields = &lexicon.model.kinds.get(kind.i())?.fields;
    let field = fields.iter().position(|f| matches!(f.store, FieldStore::Var(var) if var == bring.field))?;
    let known = &view.kind(kind)?.member(member)?.fields;
    value(known, Some(field)).filter(|v| **v != SeenValue::Nothing).map(|v| lexicon.value(v))
}

/// What stands for a member that is not known: its owner and `?`.
pub(super) fn unknown_name(lexicon: &Lexicon, owner: Option<u16>) -> String {
    owner.map_or_else(|| String::from("?"), |owner| format!("{} ?", lexicon.seat(owner)))
}

/// The fields of a piece that are shown: those that the board names if they differ from their initial values, otherwise
/// all that are true.
fn told(lexicon: &Lexicon, shows: &Shows, member: Option<u16>, fields: &[SeenField]) -> Vec<String> {
    let Some(with) = &shows.with else {
        let yes = fields.iter().filter(|f| f.value == SeenValue::Truth(true));
        return yes.map(|f| name(lexicon, shows.kind, f).to_owned()).collect();
    };
    changed(lexicon, shows.kind, member, with, fields)
}

/// The fields among these that are something, and not what they are at the start.
pub(super) fn changed(
    lexicon: &Lexicon,
    kind: KindId,
    member: Option<u16>,
    with: &[Shown],
    fields: &[SeenField],
) -> Vec<String> {
    let as_at_first = |shown: &Shown| {
        let field = lexicon.model.kinds.get(kind.i()).and_then(|k| k.fields.get(shown.field));
        let now = value(fields, Some(shown.field)).filter(|value| **value != SeenValue::Truth(true));
        now.is_some() && field.and_then(|field| first(lexicon.model, field, member)).as_ref() == now
    };
    let with: Vec<Shown> = with.iter().filter(|shown| !as_at_first(shown)).cloned().collect();
    now(lexicon, kind, &with, fields)
}

/// The fields among these that are something. A bag needs no name.
pub(super) fn now(lexicon: &Lexicon, kind: KindId, with: &[Shown], fields: &[SeenField]) -> Vec<String> {
    let words = |shown: &Shown| {
        let field = lexicon.model.kinds.get(kind.i())?.fields.get(shown.field)?;
        let said = |value: String| labelled(lexicon, field, shown, &value);
        match value(fields, Some(shown.field))? {
            value if value.is_idle() => None,
            SeenValue::Truth(true) => Some(said(String::new())),
            value if is_bag(lexicon.model, kind, shown.field) => {
                let counts = counts(lexicon, value)?;
                Some(if shown.label.is_some() { said(counts) } else { counts })
            }
            value => Some(said(lexicon.prose(value))),
        }
    };
    with.iter().filter_map(words).collect()
}

/// A value after the label of its field, or the field's name.
fn labelled(lexicon: &Lexicon, field: &Field, shown: &Shown, value: &str) -> String {
    let label = shown.label.as_ref().map_or(field.name.as_str(), |label| label.get(lexicon.lang));
    format!("{label} {value}").trim().to_owned()
}

/// The printed fields among these that are something: `stronghold`, `coastal`, `level 3`.
pub(super) fn printed(lexicon: &Lexicon, kind: KindId, member: u16, with: &[Shown]) -> Vec<String> {
    let words = |shown: &Shown| {
        let field = lexicon.model.kinds.get(kind.i())?.fields.get(shown.field)?;
        let FieldStore::Printed(values) = &field.store else { return None };
        let value = SeenValue::known(&field.ty.base, values.get(usize::from(member))?);
        match &value {
            value if value.is_idle() || *value == SeenValue::Number(0) => None,
            SeenValue::Truth(_) => Some(labelled(lexicon, field, shown, "")),
            SeenValue::Member(_) | SeenValue::Text(_) if shown.label.is_none() => Some(lexicon.value(&value)),
            value => Some(labelled(lexicon, field, shown, &lexicon.prose(value))),
        }
    };
    with.iter().filter_map(words).collect()
}

/// What a field is at the start, if a constant or a printed field of its member says so.
pub(crate) fn first(model: &Model, field: &Field, member: Option<u16>) -> Option<SeenValue> {
    let FieldStore::Var(var) = field.store else {
        return None;
    };
    let value = match &model.vars.get(var.i())?.init.as_ref()?.kind {
        ExprKind::Const(value) => value,
        ExprKind::Printed { kind, field, of } if matches!(of.kind, ExprKind::Local(0)) => {
            match &model.kinds.get(kind.i())?.fields.get(*field)?.store {
                FieldStore::Printed(values) => values.get(usize::from(member?))?,
                FieldStore::Var(_) => return None,
            }
        }
        _ => return None,
    };
    Some(SeenValue::known(&field.ty.base, value))
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
