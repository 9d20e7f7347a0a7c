//! The board as a picture for pages: SVG in the colours of the page around it.

mod figure;
mod layout;
mod parts;
mod svg;

use crate::game::{Marked, View};
use crate::map::honeycomb::{beside, meanings, places};
use crate::map::{self, legend};
use crate::model::{Arranged, Board, MarkAt, Model, PLAYER, Shape};
use layout::{Tile, boxes, hexagons};

pub use parts::parts;

/// The maximum number of cells that are drawn.
const MAX_CELLS: usize = 2000;

/// The role of a cell in an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Something that the action names stands there.
    From,
    /// The action names it.
    Named,
}

/// A picture with its legend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// An `svg` element; its colours are variables of the page.
    pub svg: String,
    /// Which of the page's colours the seats have that are called by one, as declarations of style.
    pub colours: String,
    /// What its signs mean; of one drawn on sides the class of its strokes.
    pub signs: Vec<(String, Option<String>)>,
    /// What its short names mean.
    pub names: Vec<String>,
    /// What there is no room for in the cells.
    pub beside: Vec<String>,
}

/// The board as a view shows it, with marks and names in the view's language; `None` if the game has none or it is a
/// list, which is text. `parts` are the cells to highlight.
#[must_use]
pub fn board(model: &Model, view: &View, marks: &[Marked], parts: &[(u16, Part)], lang: &str) -> Option<Picture> {
    let board = model.board.as_ref().filter(|b| matches!(b.arranged, Arranged::Rows { .. }))?;
    let kind = model.kinds.get(board.kind.i()).filter(|k| k.members.len() <= MAX_CELLS)?;
    let (places, short) = places(model, board, kind, view, lang);
    let grid = model.grids.iter().find(|g| g.kind == board.kind);
    let hexagonal = grid.filter(|g| g.lattice.shape() == Shape::Hexagonal);
    let part = |i: usize| {
        let here = |wanted| parts.iter().any(|(c, p)| usize::from(*c) == i && *p == wanted);
        if here(Part::Named) { Some(Part::Named) } else { here(Part::From).then_some(Part::From) }
    };
    let tiles: Vec<Tile> = places
        .iter()
        .zip(&short)
        .enumerate()
        .map(|(i, (place, short))| Tile { place, short, signs: map::signs(model, marks, i), part: part(i) })
        .collect();
    let drawn = |i: usize| match hexagonal {
        Some(grid) => grid.lattice.drawn(i).is_some(),
        None => map::place_of(board, kind, i).is_some(),
    };
    let svg = match hexagonal {
        Some(grid) => hexagons(&tiles, &grid.lattice, &sides(model, marks))?,
        None => boxes(&tiles, &apart(&tiles, rows(board, kind)))?,
    };
    Some(Picture {
        svg,
        colours: colours(model),
        signs: signs(model, marks, lang, hexagonal.is_some()),
        names: if hexagonal.is_some() { meanings(&places, &short) } else { Vec::new() },
        beside: if hexagonal.is_some() || !(0..places.len()).all(drawn) {
            beside(&places, &short, &drawn)
        } else {
            Vec::new()
        },
    })
}

/// The colours of the page by which a seat may be called.
const NAMED: [&str; 6] = ["red", "blue", "green", "yellow", "black", "white"];

/// A seat that is called Red is drawn red.
fn colours(model: &Model) -> String {
    let seats = model.kinds.get(PLAYER.i()).map_or(&[][..], |k| &k.members);
    let named = seats.iter().enumerate().filter_map(|(i, seat)| {
        let colour = NAMED.into_iter().find(|c| seat.id.eq_ignore_ascii_case(c))?;
        Some(format!("--seat{i}: var(--{colour});"))
    });
    named.collect()
}

/// What the marks that are drawn mean.
fn signs(model: &Model, marks: &[Marked], lang: &str, hexagonal: bool) -> Vec<(String, Option<String>)> {
    let mut found: Vec<(String, Option<String>)> = Vec::new();
    for one in marks {
        let Some(words) = legend::marks(model, std::slice::from_ref(one), lang).into_iter().next() else {
            continue;
        };
        let strokes = (hexagonal && !one.sides.is_empty()).then(|| svg::stroke(one.mark));
        if !found.iter().any(|(known, _)| *known == words) {
            found.push((words, strokes));
        }
    }
    found
}

/// Row and column of each cell; `None` if it lies off the map.
fn rows(board: &Board, kind: &crate::model::Kind) -> Vec<Option<(i32, i32)>> {
    (0..kind.members.len()).map(|i| map::place_of(board, kind, i)).collect()
}

/// Of cells at the same place, such as the points of backgammon, only the one with something in it is drawn.
fn apart(tiles: &[Tile], mut rows: Vec<Option<(i32, i32)>>) -> Vec<Option<(i32, i32)>> {
    let holds = |i: &usize| tiles.get(*i).is_some_and(|t| !t.place.fields.is_empty() || !t.place.pieces.is_empty());
    let mut order: Vec<usize> = (0..rows.len()).filter(|i| rows.get(*i).is_some_and(Option::is_some)).collect();
    order.sort_by_key(|i| (rows.get(*i).copied(), !holds(i)));
    let twins: Vec<usize> = order
        .windows(2)
        .filter_map(|two| match two {
            [a, b] if rows.get(*a) == rows.get(*b) && !holds(b) => Some(*b),
            _ => None,
        })
        .collect();
    twins.into_iter().filter_map(|twin| rows.get_mut(twin).map(Option::take)).for_each(drop);
    rows
}

/// The sides that have a mark: cell, side, which mark.
fn sides(model: &Model, marks: &[Marked]) -> Vec<(usize, usize, usize)> {
    let drawn = marks.iter().filter(|m| model.marks.get(m.mark).is_some_and(|m| m.at != MarkAt::Cells));
    drawn.flat_map(|m| m.sides.iter().map(|(c, s)| (usize::from(*c), usize::from(*s), m.mark))).collect()
}
