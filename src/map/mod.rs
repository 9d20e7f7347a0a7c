//! The board as text: rows of boxes, a map of hexagons, or a list of areas; and under it what the signs and short names
//! on it mean.

mod areas;
mod boxes;
mod compact;
mod drawn;
mod flow;
mod hexagons;
pub(crate) mod honeycomb;
pub(crate) mod legend;
pub(crate) mod pieces;
pub(crate) mod shared;
mod short;
mod window;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::game::{Marked, View};
use crate::lexicon::{Lexicon, fill};
use crate::model::{Arranged, Board, FieldStore, Kind, MarkAt, Model, Shape, Value};

pub(crate) use boxes::Plan;
pub use boxes::{Cell, draw};
pub use drawn::{Drawn, Place, Tint, Under};
pub use flow::{flowed, flowed_in, wrapped};
pub use hexagons::{Hexagon, Side, draw as draw_hexagons};
pub use pieces::brought;
pub use window::{named, near};

/// Columns that a map may take.
pub const WIDTH: usize = 100;

/// The board as a view shows it, with the marks that its seat sees and names in a language; empty if the game has none.
#[must_use]
pub fn board(model: &Model, view: &View, marks: &[Marked], lang: &str) -> String {
    board_near(model, view, marks, &Near::default(), lang)
}

/// What is drawn of a large board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Near {
    /// The cells that matter (see [`near`]); if there are none, all of a map is drawn.
    pub cells: Vec<u16>,
    /// The columns and lines that there is room for. Boxes that take more are drawn as one line for each row, or with
    /// shared borders.
    pub room: Option<(usize, usize)>,
    /// The columns of a list of areas, if not those of a terminal.
    pub list: Option<usize>,
}

/// The same, of a map of hexagons that is wider than a terminal only the part around some cells (see [`near`]).
#[must_use]
pub fn board_near(model: &Model, view: &View, marks: &[Marked], near: &Near, lang: &str) -> String {
    drawn(model, view, marks, near, lang).whole()
}

/// The same with where its cells stand, and what stands under it.
#[must_use]
pub fn drawn(model: &Model, view: &View, marks: &[Marked], near: &Near, lang: &str) -> Drawn {
    let Some(board) = &model.board else {
        return Drawn::default();
    };
    let lexicon = &Lexicon::new(model, lang);
    let mut out = match board.arranged {
        Arranged::Groups(group) => {
            areas::picture(lexicon, (board, group), view, marks, near.list.unwrap_or(legend::WIDTH))
        }
        Arranged::Rows { .. } => rows((model, view, marks), board, near, lang),
    };
    for (pile, pieces) in pieces::off(lexicon, board, view) {
        let words: Vec<String> = pieces::counted(&pieces).into_iter().map(|(_, words)| words).collect();
        let words = words.join(lexicon.words.comma);
        let play = &lexicon.words.play;
        out.list(&match pile {
            Some(pile) => fill(play.variable, &[&lexicon.titled(pile.var, pile.index), &words]),
            None => fill(play.off_board, &[&words]),
        });
    }
    out
}

/// A map of hexagons where there is a grid of them, or rows of boxes.
fn rows((model, view, marks): (&Model, &View, &[Marked]), board: &Board, near: &Near, lang: &str) -> Drawn {
    let grid = model.grids.iter().find(|g| g.kind == board.kind && g.lattice.shape() == Shape::Hexagonal);
    let honeycomb = grid.and_then(|grid| honeycomb::picture((model, view, marks), board, grid, &near.cells, lang));
    honeycomb.unwrap_or_else(|| {
        let (on, off): (Vec<Placed>, Vec<Placed>) =
            cells(model, board, view, marks, lang).into_iter().partition(|placed| placed.on_map);
        let (on, owners) =
            shared::joined(&Lexicon::new(model, lang), board, view.seat, on.into_iter().map(|p| p.cell).collect());
        let mut out = boxes::placed(&on, WIDTH, false);
        let large = |drawn: &Drawn, room: (usize, usize)| {
            drawn.text.lines().any(|line| columns(line) > room.0) || drawn.text.lines().count() > room.1
        };
        if let Some(room) = near.room.filter(|room| large(&out, *room)) {
            out = smaller(&on, room, &large);
        }
        out.entries(owners);
        out.entries(legend::marks(model, marks, lang));
        let off = off.into_iter().map(|placed| placed.cell).filter(|cell| !cell.lines.is_empty());
        out.entries(off.map(|cell| format!("{}: {}", cell.name, cell.lines.join(", "))));
        out
    })
}

/// Cells for which boxes with borders of their own are too large.
fn smaller(on: &[Cell], (wide, high): (usize, usize), large: &dyn Fn(&Drawn, (usize, usize)) -> bool) -> Drawn {
    if let Some(compact) = compact::draw(on, wide) {
        return compact;
    }
    let dense = boxes::placed(on, wide.min(WIDTH), true);
    match large(&dense, (wide, high)) || dense.text.contains('…') {
        true => compact::named(on, wide).unwrap_or(dense),
        false => dense,
    }
}

/// A cell as it is drawn.
struct Placed {
    cell: Cell,
    /// It has a row and a column.
    on_map: bool,
}

fn cells(model: &Model, board: &Board, view: &View, marks: &[Marked], lang: &str) -> Vec<Placed> {
    let Some(kind) = model.kinds.get(board.kind.i()) else {
        return Vec::new();
    };
    let lexicon = Lexicon::new(model, lang);
    let cell = |i: usize| {
        let place = i as u16;
        let mut lines = pieces::own_fields(&lexicon, board, view, place);
        // What stands there as a value of the place itself has one owner, if any.
        let mut owners = vec![pieces::owner_there(model, board, view, place); lines.len()];
        let pieces = pieces::at(&lexicon, board, view, place);
        for (piece, words) in pieces::counted(&pieces) {
            lines.push(words);
            owners.push(piece.owner);
        }
        lines.extend(Some(signs(model, marks, i)).filter(|s| !s.is_empty()));
        let at = place_of(board, kind, i);
        let (row, column) = at.unwrap_or_default();
        let name = lexicon.member(board.kind, place);
        Placed { cell: Cell { row, column, name, lines, cell: place, owners }, on_map: at.is_some() }
    };
    (0..kind.members.len()).map(cell).collect()
}

/// The signs in a cell, in the order of the rules.
pub(crate) fn signs(model: &Model, marks: &[Marked], cell: usize) -> String {
    let here = marks.iter().filter(|m| m.cells.iter().any(|c| usize::from(*c) == cell));
    let found = here.filter_map(|m| model.marks.get(m.mark));
    found.filter(|m| m.at == MarkAt::Cells).map(|m| m.sign).collect()
}

/// The row and column of a member; `None` if it lies off the map.
pub(crate) fn place_of(board: &Board, kind: &Kind, member: usize) -> Option<(i32, i32)> {
    let printed = |field: usize| {
        let field = kind.fields.get(field)?;
        match &field.store {
            FieldStore::Printed(values) if field.ty.optional => values.get(member).and_then(Value::int),
            FieldStore::Printed(values) => Some(values.get(member).and_then(Value::int).unwrap_or(0)),
            FieldStore::Var(_) => Some(0),
        }
    };
    let Arranged::Rows { row, column } = board.arranged else { return None };
    Some((printed(row)?, printed(column)?))
}

/// Columns a text takes on a terminal: characters of Japanese names take two.
#[must_use]
pub fn columns(text: &str) -> usize {
    text.width()
}

/// The text cut to some columns (with `…`) and filled up with spaces.
#[must_use]
pub fn fit(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    let whole = columns(text) <= width;
    let room = if whole { width } else { width.saturating_sub(1) };
    for c in text.chars() {
        let w = c.width().unwrap_or(0);
        if used + w > room {
            break;
        }
        out.push(c);
        used += w;
    }
    if !whole && width > 0 {
        out.push('…');
        used += 1;
    }
    out + &" ".repeat(width.saturating_sub(used))
}
