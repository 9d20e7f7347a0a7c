//! The board as a map of hexagons.

use super::drawn::Drawn;
use super::hexagons::{self, Hexagon, Side};
use super::pieces::{self, Piece};
use super::short::{cut, shortened_beside};
use super::{columns, legend, signs, window};
use crate::game::{Marked, View};
use crate::lexicon::Lexicon;
use crate::model::{Board, Grid, Kind, Model};

/// Columns for what stands in a cell.
const ROOM: usize = 5;

/// A cell of the board with what is on it.
pub(crate) struct Place {
    /// Its name.
    pub name: String,
    /// What changes of itself.
    pub fields: Vec<String>,
    /// What stands there.
    pub pieces: Vec<Piece>,
}

/// The cells of a board as a view shows them, and the short names of what stands on each.
pub fn places(model: &Model, board: &Board, kind: &Kind, view: &View, lang: &str) -> (Vec<Place>, Vec<Vec<String>>) {
    let lexicon = Lexicon::new(model, lang);
    let place = |place: u16| Place {
        name: lexicon.member(board.kind, place),
        fields: pieces::own_fields(&lexicon, board, view, place),
        pieces: pieces::at(&lexicon, board, view, place),
    };
    let places: Vec<Place> = (0..kind.members.len() as u16).map(place).collect();
    let names: Vec<String> = places.iter().flat_map(|p| &p.pieces).map(|p| p.name.clone()).collect();
    let cells = places.iter().map(|p| p.name.clone()).collect();
    let mut short = shortened_beside(&names, cells).into_iter();
    let short: Vec<Vec<String>> = places.iter().map(|p| short.by_ref().take(p.pieces.len()).collect()).collect();
    (places, short)
}

/// The map with its legend, of a large one the part around the cells `near`; `None` if it is too large.
pub fn picture(
    (model, view, marks): (&Model, &View, &[Marked]),
    board: &Board,
    grid: &Grid,
    near: &[u16],
    lang: &str,
) -> Option<Drawn> {
    let kind = model.kinds.get(board.kind.i())?;
    let (places, short) = places(model, board, kind, view, lang);
    let cell = |i: usize| {
        let ((q, r), place, short) = (grid.lattice.drawn(i)?, places.get(i)?, short.get(i)?);
        let signs = signs(model, marks, i).chars().collect();
        let owner = place.pieces.first().and_then(|p| p.owner);
        let (name, piece) = (place.name.clone(), piece(&place.pieces, short));
        let hexagon = Hexagon { q, r, name, piece, signs, cell: i as u16, owner };
        Some((i, hexagon))
    };
    let (all, cells): (Vec<usize>, Vec<Hexagon>) = (0..places.len()).filter_map(cell).unzip();
    let near: Vec<usize> = near.iter().filter_map(|cell| all.binary_search(&usize::from(*cell)).ok()).collect();
    let shown = window::shown(&cells, &near);
    let on: Vec<usize> = shown.iter().filter_map(|i| all.get(*i)).copied().collect();
    let cells: Vec<Hexagon> = shown.iter().filter_map(|i| cells.get(*i)).cloned().collect();
    let marks = &window::marks_in(marks, &on)[..];
    let sides =
        sides(model, marks).into_iter().filter_map(|s| Some(Side { cell: on.binary_search(&s.cell).ok()?, ..s }));
    let mut out = hexagons::placed(&cells, &sides.collect::<Vec<Side>>())?;
    if on.len() < all.len() {
        out.list(Lexicon::new(model, lang).words.play.part);
    }
    out.entries(legend::marks(model, marks, lang));
    out.entries(meanings(&places, &short));
    out.entries(beside(&places, &short, &|i| on.binary_search(&i).is_ok()));
    Some(out)
}

/// What stands in the middle of a cell: `Ara↗`, `Ar↗+2`.
fn piece(pieces: &[Piece], short: &[String]) -> String {
    let (Some(first), Some(name)) = (pieces.first(), short.first()) else {
        return String::new();
    };
    let mut after: String = first.arrow.into_iter().collect();
    if pieces.len() > 1 {
        after += &format!("+{}", pieces.len() - 1);
    }
    cut(name, ROOM.saturating_sub(columns(&after))) + &after
}

fn sides(model: &Model, marks: &[Marked]) -> Vec<Side> {
    let signed = marks.iter().filter_map(|m| Some((m, model.marks.get(m.mark)?.sign)));
    let side = |sign| move |(cell, side): &(u16, u8)| Side { cell: (*cell).into(), side: (*side).into(), sign };
    signed.flat_map(|(m, sign)| m.sides.iter().map(side(sign))).collect()
}

/// What the short names mean, each once: `RW1 Rohan Warrior 1 (wounded)`.
pub(crate) fn meanings(places: &[Place], short: &[Vec<String>]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (piece, short) in places.iter().zip(short).flat_map(|(p, s)| p.pieces.iter().zip(s)) {
        let plain = Piece { arrow: None, ..piece.clone() };
        let words = plain.words();
        let entry = match words.strip_prefix(short.as_str()) {
            // It is called so, or that is the whole of its name.
            Some(rest) if piece.name == *short => format!("{short}{rest}"),
            _ => format!("{short} {words}"),
        };
        if entry != *short && !found.contains(&entry) {
            found.push(entry);
        }
    }
    found.sort();
    found
}

/// What there is no room for in the cells: several pieces in one, and what changes of the cell itself. Of what is not
/// drawn, all pieces.
pub(crate) fn beside(places: &[Place], short: &[Vec<String>], drawn: &dyn Fn(usize) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for (i, (place, short)) in places.iter().zip(short).enumerate() {
        let crowd = if place.pieces.len() > 1 || !drawn(i) { &place.pieces[..] } else { &[] };
        let pieces = crowd.iter().zip(short).map(|(p, s)| s.chars().chain(p.arrow).collect::<String>());
        let all: Vec<String> = pieces.chain(place.fields.iter().cloned()).collect();
        if !all.is_empty() {
            found.push(format!("{}: {}", place.name, all.join(", ")));
        }
    }
    found
}
