//! The layout of a board: where the cells are drawn, and their contents.

use super::Part;
use super::svg::{Canvas, stroke, width};
use crate::map::honeycomb::Place;
use crate::map::pieces::{Piece, counted};
use crate::map::{Plan, columns};
use crate::model::Lattice;

/// From the centre of a hexagon to its corners.
const RADIUS: f64 = 34.0;

/// Sizes of text.
const NAME: f64 = 10.0;
const PIECE: f64 = 12.0;

/// A line in a box.
const HIGH: f64 = 17.0;

/// The least and greatest width of a box.
const NARROWEST: f64 = 46.0;
const MAX_CELL_WIDTH: f64 = 150.0;

/// Seats that have colours of their own.
const COLOURS: usize = 4;

/// A cell with what is to be drawn in it.
pub(super) struct Tile<'a> {
    /// Its name and what is there.
    pub place: &'a Place,
    /// Short names of the pieces.
    pub short: &'a [String],
    /// Signs of marks.
    pub signs: String,
    /// How it stands out.
    pub part: Option<Part>,
}

impl Tile<'_> {
    fn class(&self) -> &'static str {
        match self.part {
            None => "cell",
            Some(Part::From) => "cell from",
            Some(Part::Named) => "cell named",
        }
    }

    /// All of it in words.
    fn title(&self) -> String {
        let pieces = counted(&self.place.pieces).into_iter().map(|(_, words)| words);
        let all: Vec<String> = pieces.chain(self.place.fields.iter().cloned()).collect();
        match all.is_empty() {
            true => self.place.name.clone(),
            false => format!("{}: {}", self.place.name, all.join(", ")),
        }
    }
}

/// A map of hexagons with their points up; `None` if there are no cells.
pub(super) fn hexagons(tiles: &[Tile], lattice: &Lattice, sides: &[(usize, usize, usize)]) -> Option<String> {
    let mut canvas = Canvas::default();
    let centre = |i: usize| {
        let (q, r) = lattice.drawn(i).unwrap_or_default();
        let (q, r) = (f64::from(q), f64::from(r));
        ((q + r / 2.0) * RADIUS * 3_f64.sqrt(), r * RADIUS * 1.5)
    };
    // Highlighted cells are drawn last, so that their edges are not hidden by neighbours.
    let mut order: Vec<usize> = (0..tiles.len()).filter(|i| lattice.drawn(*i).is_some()).collect();
    order.sort_by_key(|i| tiles.get(*i).is_some_and(|t| t.part.is_some()));
    for i in order {
        let tile = tiles.get(i)?;
        let (x, y) = centre(i);
        canvas.open(&tile.title());
        canvas.polygon(tile.class(), &corners((x, y), RADIUS - 0.5));
        inside(&mut canvas, tile, (x, y));
        canvas.close();
    }
    for (cell, side, mark) in sides {
        let around = corners(centre(*cell), RADIUS);
        // Side 0 is north-east, between the top corner and the next one clockwise.
        if let (Some(a), Some(b)) = (around.get(*side), around.get((side + 1) % 6)) {
            canvas.line(&format!("side {}", stroke(*mark)), *a, *b);
        }
    }
    (!tiles.is_empty()).then(|| canvas.finish())
}

/// The corners of a hexagon, from the top one clockwise.
fn corners((x, y): (f64, f64), radius: f64) -> [(f64, f64); 6] {
    let (half, wide) = (radius / 2.0, radius * 3_f64.sqrt() / 2.0);
    [
        (x, y - radius),
        (x + wide, y - half),
        (x + wide, y + half),
        (x, y + radius),
        (x - wide, y + half),
        (x - wide, y - half),
    ]
}

fn inside(canvas: &mut Canvas, tile: &Tile, (x, y): (f64, f64)) {
    canvas.text("name", (x, y - 17.0), NAME, 34.0, &tile.place.name);
    if let (Some(piece), Some(short)) = (tile.place.pieces.first(), tile.short.first()) {
        let mut text: String = short.chars().chain(piece.arrow).collect();
        if tile.place.pieces.len() > 1 {
            text += &format!("+{}", tile.place.pieces.len() - 1);
        }
        chip(canvas, piece, (x, y + 1.0), (50.0, 20.0), &text);
    } else if let Some(field) = tile.place.fields.first() {
        canvas.text("field", (x, y + 5.0), PIECE, 50.0, field);
    }
    canvas.text("signs", (x, y + 24.0), PIECE, 34.0, &tile.signs);
}

/// A piece on a ground of its owner's colour; `at` is its middle.
fn chip(canvas: &mut Canvas, piece: &Piece, (x, y): (f64, f64), (wide, high): (f64, f64), text: &str) {
    let class = piece.owner.map_or_else(|| String::from("chip"), |seat| format!("chip seat{}", seat % COLOURS));
    canvas.rect(&class, (x - wide / 2.0, y - high / 2.0), (wide, high), 4.0);
    canvas.text("piece", (x, y + 4.2), PIECE, wide - 6.0, text);
}

/// Rows of boxes; `None` if there are none. `places` are row and column of each.
pub(super) fn boxes(tiles: &[Tile], places: &[Option<(i32, i32)>]) -> Option<String> {
    let place = |i: usize| places.get(i).copied().flatten();
    let mut order: Vec<usize> = (0..tiles.len().min(places.len())).filter(|i| place(*i).is_some()).collect();
    order.sort_by_key(|i| place(*i));
    let rows: Vec<&[usize]> = order.chunk_by(|a, b| place(*a).map(|p| p.0) == place(*b).map(|p| p.0)).collect();
    let column = |i: &usize| place(*i).map_or(0, |p| p.1);
    let plan = Plan::of(&rows.iter().map(|r| r.iter().map(column).collect()).collect::<Vec<Vec<i32>>>());
    let wide = box_width(tiles);
    let mut canvas = Canvas::default();
    let mut top = 0.0;
    for row in &rows {
        let tallest = row.iter().filter_map(|i| tiles.get(*i)).map(|t| lines(t).len()).max().unwrap_or(0);
        // A square board is square.
        let least = if wide <= NARROWEST + 14.0 { wide } else { 40.0 };
        let high = (22.0 + tallest.max(1) as f64 * (HIGH + 3.0)).max(least);
        for (at, i) in row.iter().enumerate() {
            let tile = tiles.get(*i)?;
            let left = if plan.centred {
                (at as f64 - row.len() as f64 / 2.0) * wide
            } else {
                f64::from(column(i).saturating_sub(plan.left)) * wide / f64::from(plan.step)
            };
            canvas.open(&tile.title());
            canvas.rect(tile.class(), (left + 1.0, top + 1.0), (wide - 2.0, high - 2.0), 4.0);
            in_box(&mut canvas, tile, (left, top), (wide, high));
            canvas.close();
        }
        top += high;
    }
    (!tiles.is_empty()).then(|| canvas.finish())
}

/// What is written in a box, a line each: a piece, or a field of the place.
fn lines<'a>(tile: &'a Tile) -> Vec<(Option<&'a Piece>, String)> {
    let pieces = counted(&tile.place.pieces).into_iter().map(|(piece, words)| (Some(piece), words));
    pieces.chain(tile.place.fields.iter().map(|f| (None, f.clone()))).collect()
}

fn box_width(tiles: &[Tile]) -> f64 {
    let texts = tiles.iter().flat_map(lines).map(|(_, text)| width(&text, PIECE) + 16.0);
    let names = tiles.iter().map(|t| width(&t.place.name, NAME) + 12.0);
    texts.chain(names).fold(NARROWEST, f64::max).min(MAX_CELL_WIDTH)
}

fn in_box(canvas: &mut Canvas, tile: &Tile, (left, top): (f64, f64), (wide, high): (f64, f64)) {
    let middle = left + wide / 2.0;
    canvas.text("name", (middle, top + 13.0), NAME, wide - 8.0, &tile.place.name);
    let lines = lines(tile);
    let alone = lines.len() == 1;
    for (i, (piece, text)) in lines.into_iter().enumerate() {
        let y = top + 18.0 + HIGH / 2.0 + i as f64 * (HIGH + 3.0);
        match piece {
            Some(piece) => chip(canvas, piece, (middle, y), (wide - 10.0, HIGH), &text),
            // What is short and alone may be large.
            None if alone && columns(&text) <= 3 => {
                canvas.text("field", (middle, (top + high / 2.0) + 12.0), 18.0, wide - 8.0, &text);
            }
            None => canvas.text("field", (middle, y + 4.2), PIECE, wide - 8.0, &text),
        }
    }
    canvas.text("signs", (left + wide - 9.0, top + high - 6.0), PIECE, 14.0, &tile.signs);
}
