//! A map of areas, or any members, as a list in groups: what is where, and only where there is something.

use super::drawn::{Drawn, Place};
use super::flow::{flowed_in, wrapped};
use super::pieces::{self, changed, counted, now, unknown_name};
use super::{columns, legend, signs};
use crate::game::{Marked, SeenField, SeenMember, SeenValue, View};
use crate::lexicon::{Lexicon, fill};
use crate::model::{Arranged, Base, Board, Field, FieldStore, Kind};

/// The indentation of entries under a heading.
const INDENT: usize = 2;

/// A member with what is told of it.
struct Entry {
    /// The member, if it is known.
    place: Option<u16>,
    /// The value of the field by which it is grouped, as far as it is seen.
    group: Option<SeenValue>,
    /// `None` if there is nothing to tell.
    text: Option<String>,
}

/// The list with its legend, in lines of `room` columns. A value of the field `group` that is a member is told with
/// what the board names of that member, or else with what changed of it.
pub fn picture(
    lexicon: &Lexicon,
    (board, group): (&Board, Option<usize>),
    view: &View,
    marks: &[Marked],
    room: usize,
) -> Drawn {
    let Some(kind) = lexicon.model.kinds.get(board.kind.i()) else {
        return Drawn::default();
    };
    let mut places = Vec::new();
    let mut entries = entries(lexicon, board, kind, group, view, marks);
    // Those in no group come last.
    entries.sort_by(|a, b| (a.group.is_none(), &a.group).cmp(&(b.group.is_none(), &b.group)));
    let mut out = String::new();
    let headings = group.is_some();
    for group in entries.chunk_by(|a, b| a.group == b.group) {
        let about = group.first().and_then(|e| e.group.as_ref());
        let changes = about.map_or_else(Vec::new, |value| changes(lexicon, board, value, view));
        let texts: Vec<&str> = group.iter().filter_map(|e| e.text.as_deref()).collect();
        if headings && !(texts.is_empty() && changes.is_empty()) {
            let title = heading(lexicon, kind, board, about);
            wrapped(&mut out, room, 0, &of(lexicon, title, &changes));
        }
        let starts = flowed_in(&mut out, room, if headings { INDENT } else { 0 }, &texts);
        let told = group.iter().filter(|e| e.text.is_some()).zip(&texts).zip(starts);
        places.extend(told.filter_map(|((entry, text), (line, column))| {
            let wide = columns(text).min(room.saturating_sub(column));
            Some(Place { cell: entry.place?, line, column, wide, high: 1 })
        }));
    }
    let mut drawn = Drawn { text: out, places, ..Drawn::default() };
    let silent = entries.iter().filter(|e| e.text.is_none()).count();
    // Where none has anything, the rules only name what else is told; what has nothing printed is no place to go to.
    let printed = |(i, field): (usize, &Field)| kind.owner != Some(i) && matches!(field.store, FieldStore::Printed(_));
    let has_places = kind.fields.iter().enumerate().any(printed);
    if has_places && (1..entries.len()).contains(&silent) {
        drawn.list(&fill(lexicon.words.play.nothing_there, &[&silent.to_string()]));
    }
    drawn.entries(legend::marks(lexicon.model, marks, lexicon.lang));
    drawn
}

fn entries(
    lexicon: &Lexicon,
    board: &Board,
    kind: &Kind,
    group: Option<usize>,
    view: &View,
    marks: &[Marked],
) -> Vec<Entry> {
    let seen = view.kind(board.kind);
    let member = |place: u16, fields: &[SeenField]| {
        let mut told = pieces::own_fields(lexicon, board, view, place);
        told.extend(counted(&pieces::at(lexicon, board, view, place)).into_iter().map(|(_, words)| words));
        let signs = signs(lexicon.model, marks, place.into());
        let text = (!told.is_empty() || !signs.is_empty()).then(|| {
            let with = board.with.as_deref().unwrap_or_default();
            let printed = pieces::printed(lexicon, board.kind, place, with);
            let mut name = lexicon.member(board.kind, place);
            if !printed.is_empty() {
                name = format!("{name} ({})", printed.join(", "));
            }
            if !signs.is_empty() {
                name = format!("{name} {signs}");
            }
            of(lexicon, name, &told)
        });
        Entry { place: Some(place), group: group.and_then(|field| grouped(kind, field, Some(place), fields)), text }
    };
    let Some(seen) = seen else {
        return (0..kind.members.len() as u16).map(|place| member(place, &[])).collect();
    };
    let known = seen.known.iter().map(|m| member(m.member, &m.fields));
    let unknown = seen.unknown.iter().map(|m| {
        let with = board.with.clone().unwrap_or_else(|| pieces::all(&m.fields));
        let told = changed(lexicon, board.kind, None, &with, &m.fields);
        let text = (!told.is_empty()).then(|| of(lexicon, unknown_name(lexicon, m.owner), &told));
        Entry { place: None, group: group.and_then(|field| grouped(kind, field, None, &m.fields)), text }
    });
    known.chain(unknown).collect()
}

/// The value of the field by which a member is grouped; `None` if it is nothing or not seen.
fn grouped(kind: &Kind, field: usize, member: Option<u16>, fields: &[SeenField]) -> Option<SeenValue> {
    let declared = kind.fields.get(field)?;
    let value = match &declared.store {
        FieldStore::Printed(values) => SeenValue::known(&declared.ty.base, values.get(usize::from(member?))?),
        FieldStore::Var(_) => fields.iter().find(|f| f.field == field)?.value.clone(),
    };
    (value != SeenValue::Nothing).then_some(value)
}

/// What a group is called.
fn heading(lexicon: &Lexicon, kind: &Kind, board: &Board, about: Option<&SeenValue>) -> String {
    let field = match board.arranged {
        Arranged::Groups(Some(field)) => kind.fields.get(field),
        _ => None,
    };
    let Some((value, field)) = about.zip(field) else {
        return lexicon.words.play.other_areas.to_owned();
    };
    let said = lexicon.value(value);
    match field.ty.base {
        // The value alone would not say what it is about.
        Base::Bool | Base::Int | Base::Range(..) => fill(lexicon.words.play.variable, &[&field.name, &said]),
        _ => said,
    }
}

/// What is told of the member that a group is about, if it is not one of those listed.
fn changes(lexicon: &Lexicon, board: &Board, about: &SeenValue, view: &View) -> Vec<String> {
    let SeenValue::Member(SeenMember::Known(kind, member)) = *about else {
        return Vec::new();
    };
    let Some(known) = view.kind(kind).filter(|_| kind != board.kind).and_then(|k| k.member(member)) else {
        return Vec::new();
    };
    match board.heads.as_slice() {
        [] => changed(lexicon, kind, Some(member), &pieces::all(&known.fields), &known.fields),
        // What the board names is shown even if it is as it was at the start.
        heads => now(lexicon, kind, heads, &known.fields),
    }
}

/// `Minas Tirith: 3 Archer, Frodo`.
fn of(lexicon: &Lexicon, name: String, told: &[String]) -> String {
    match told.is_empty() {
        true => name,
        false => fill(lexicon.words.play.variable, &[&name, &told.join(lexicon.words.comma)]),
    }
}
