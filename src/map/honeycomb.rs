//! The board as a map of hexagons.

use super::hexagons::{self, Hexagon, Side};
use super::pieces::{self, Piece};
use super::short::{cut, shortened};
use super::{Frame, columns, legend, signs};
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
    let mut short = shortened(&names).into_iter();
    let short: Vec<Vec<String>> = places.iter().map(|p| short.by_ref().take(p.pieces.len()).collect()).collect();
    (places, short)
}

/// The map with its legend, of a large one what a frame has room for; `None` if it is too large.
pub fn picture(
    model: &Model,
    (board, grid): (&Board, &Grid),
    (view, marks): (&View, &[Marked]),
    lang: &str,
    frame: Option<&Frame>,
) -> Option<String> {
    let kind = model.kinds.get(board.kind.i())?;
    let (places, short) = places(model, board, kind, view, lang);
    let inside = frame.and_then(|frame| hexagons::page((0..places.len()).map(|i| grid.lattice.drawn(i))).inside(frame));
    let on_page = |i: usize| inside.as_ref().is_none_or(|inside| inside.get(i) == Some(&true));
    let cells: Vec<Hexagon> = places
        .iter()
        .zip(&short)
        .enumerate()
        .filter_map(|(i, (place, short))| {
            let (q, r) = grid.lattice.drawn(i).filter(|_| on_page(i))?;
            let signs = signs(model, marks, i).chars().collect();
            Some(Hexagon { q, r, name: place.name.clone(), piece: piece(&place.pieces, short), signs })
        })
        .collect();
    let on: Vec<usize> = (0..places.len()).filter(|i| grid.lattice.drawn(*i).is_some() && on_page(*i)).collect();
    let sides =
        sides(model, marks).into_iter().filter_map(|s| Some(Side { cell: on.binary_search(&s.cell).ok()?, ..s }));
    let mut out = hexagons::draw(&cells, &sides.collect::<Vec<Side>>())?;
    if inside.is_some() {
        legend::list(&mut out, Lexicon::new(model, lang).words.play.part_of_map);
    }
    legend::rows(&mut out, legend::marks(model, marks, lang));
    legend::rows(&mut out, meanings(&places, &short));
    legend::rows(&mut out, beside(&places, &short, &|i| grid.lattice.drawn(i).is_some() && on_page(i)));
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
