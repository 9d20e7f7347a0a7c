//! A map of hexagons with their points up, drawn with strokes.
//!
//! A cell takes six columns of text and three lines; neighbours share their sides:
//!
//! ```text
//!   ╱ ╲   ╱ ╲
//!  ╱A1 ╲ ╱A2 ╲
//! │Sam ↗│     │
//!  ╲ ^ ╱ ╲   ╱ ╲
//!   ╲ ╱   ╲ ╱B1 ╲
//! ```

use unicode_width::UnicodeWidthChar;

use super::drawn::{Drawn, Place, Tint};
use super::{columns, fit};

/// One cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hexagon {
    /// How many columns of cells it lies to the right, in a row that is not shifted.
    pub q: i32,
    /// Its row; each lies half a cell to the right of the one above.
    pub r: i32,
    /// Its name.
    pub name: String,
    /// What stands there.
    pub piece: String,
    /// The signs in it, one column each.
    pub signs: Vec<char>,
    /// Which of its kind it is.
    pub cell: u16,
    /// Whose the piece is, by the place of the seat.
    pub owner: Option<usize>,
}

/// A side of a cell, by its number clockwise from north-east, with the sign that it is drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The cell.
    pub cell: usize,
    /// The side.
    pub side: usize,
    /// The sign.
    pub sign: char,
}

/// Columns from a cell to the next, and lines.
pub(super) const COLUMNS_PER_CELL: i32 = 6;
pub(super) const HIGH: i32 = 3;

/// Columns inside a cell: beside its name and its signs, and in its middle.
const NARROW: usize = 3;
const MIDDLE: usize = 5;

/// The maximum size of a map.
const MAX_CANVAS_CELLS: usize = 1 << 20;

/// Where the strokes of a side stand, from the upper left corner of its cell: column, line; and the strokes.
const SIDES: [(&[(i32, i32)], char); 6] = [
    (&[(4, 0), (5, 1)], '╲'),
    (&[(6, 2)], '│'),
    (&[(5, 3), (4, 4)], '╱'),
    (&[(1, 3), (2, 4)], '╲'),
    (&[(0, 2)], '│'),
    (&[(2, 0), (1, 1)], '╱'),
];

/// A page of characters. A wide one has an empty place to its right.
struct Page {
    places: Vec<Option<char>>,
    wide: usize,
    left: i32,
    top: i32,
}

impl Page {
    /// A page large enough for all cells; `None` if that is too large.
    fn of(cells: &[Hexagon]) -> Option<Page> {
        let corners = || cells.iter().map(corner);
        let (left, right) = (corners().map(|c| c.0).min()?, corners().map(|c| c.0).max()?);
        let (top, bottom) = (corners().map(|c| c.1).min()?, corners().map(|c| c.1).max()?);
        let size = |from: i32, to: i32, more: i32| usize::try_from(i64::from(to) - i64::from(from) + i64::from(more));
        let (wide, high) = (size(left, right, COLUMNS_PER_CELL + 1).ok()?, size(top, bottom, HIGH + 2).ok()?);
        let all = wide.checked_mul(high).filter(|n| *n <= MAX_CANVAS_CELLS)?;
        Some(Page { places: vec![Some(' '); all], wide, left, top })
    }

    fn put(&mut self, (x, y): (i32, i32), text: &str) {
        let (Ok(x), Ok(y)) = (usize::try_from(x - self.left), usize::try_from(y - self.top)) else {
            return;
        };
        let mut at = y * self.wide + x;
        for c in text.chars() {
            let width = c.width().unwrap_or(0);
            if width == 0 {
                continue;
            }
            for (i, place) in self.places.iter_mut().skip(at).take(width).enumerate() {
                *place = (i == 0).then_some(c);
            }
            at += width;
        }
    }

    fn lines(&self) -> String {
        let line = |row: &[Option<char>]| {
            let text: String = row.iter().flatten().collect();
            format!("{}\n", text.trim_end())
        };
        self.places.chunks(self.wide.max(1)).map(line).collect()
    }
}

/// The upper left corner of a cell: column, line.
pub(super) fn corner(cell: &Hexagon) -> (i32, i32) {
    let x = cell.q.saturating_mul(COLUMNS_PER_CELL).saturating_add(cell.r.saturating_mul(COLUMNS_PER_CELL / 2));
    (x, cell.r.saturating_mul(HIGH))
}

/// Draws the cells; `sides` are drawn with their signs. `None` if the map is too large.
#[must_use]
pub fn draw(cells: &[Hexagon], sides: &[Side]) -> Option<String> {
    placed(cells, sides).map(|drawn| drawn.text)
}

/// The same with where the cells stand.
pub(super) fn placed(cells: &[Hexagon], sides: &[Side]) -> Option<Drawn> {
    let mut page = Page::of(cells)?;
    for cell in cells {
        for (side, (_, stroke)) in SIDES.iter().enumerate() {
            border(&mut page, cell, side, *stroke);
        }
    }
    for one in sides {
        if let Some(cell) = cells.get(one.cell) {
            border(&mut page, cell, one.side, one.sign);
        }
    }
    for cell in cells {
        inside(&mut page, cell);
    }
    let mut drawn = Drawn::plain(page.lines());
    for cell in cells {
        let (x, y) = corner(cell);
        let (Ok(x), Ok(y)) = (usize::try_from(x - page.left), usize::try_from(y - page.top)) else { continue };
        let (line, column) = (y + 1, x + 1);
        drawn.places.push(Place { cell: cell.cell, line, column, wide: MIDDLE, high: HIGH as usize });
        drawn.tints.extend(cell.owner.map(|seat| Tint { line: line + 1, column, wide: MIDDLE, seat }));
    }
    Some(drawn)
}

fn border(page: &mut Page, cell: &Hexagon, side: usize, stroke: char) {
    let (x, y) = corner(cell);
    for (dx, dy) in SIDES.get(side).map_or(&[][..], |s| s.0) {
        page.put((x + dx, y + dy), stroke.encode_utf8(&mut [0; 4]));
    }
}

/// The name above, what stands there in the middle, the signs below; where there is no room they go elsewhere in the
/// cell.
fn inside(page: &mut Page, cell: &Hexagon) {
    let (x, y) = corner(cell);
    let short = columns(&cell.name) <= NARROW;
    if short {
        page.put((x + 2, y + 1), &cell.name);
    }
    let middle = if cell.piece.is_empty() && !short { &cell.name } else { &cell.piece };
    let room = columns(middle).min(MIDDLE);
    // What is short stands in the middle.
    page.put((x + 1 + (MIDDLE - room) as i32 / 2, y + 2), fit(middle, MIDDLE).trim_end());
    let free = if short { columns(&cell.name) as i32 } else { 0 };
    let above = (free..NARROW as i32).map(|i| (x + 2 + i, y + 1)).rev();
    // One or two begin in the middle.
    let first = if cell.signs.len() < NARROW { 3 } else { 2 };
    let below = (first..=4).map(|i| (x + i, y + 3)).chain([(x + 3, y + 4)]);
    for (place, sign) in below.chain(above).zip(&cell.signs) {
        page.put(place, sign.encode_utf8(&mut [0; 4]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(q: i32, r: i32, name: &str, piece: &str, signs: &str) -> Hexagon {
        Hexagon { q, r, name: name.into(), piece: piece.into(), signs: signs.chars().collect(), ..Hexagon::default() }
    }

    #[test]
    fn cells_share_their_sides() {
        let cells = [cell(0, 0, "A1", "Sam↗", "^"), cell(1, 0, "A2", "", ""), cell(0, 1, "B1", "Gi", "^*+o")];
        let sides = [Side { cell: 0, side: 2, sign: '#' }, Side { cell: 1, side: 4, sign: '~' }];
        let text = draw(&cells, &sides).unwrap();
        let wanted = [
            "  ╱ ╲   ╱ ╲",
            " ╱A1 ╲ ╱A2 ╲",
            "│Sam↗ ~     │",
            " ╲ ^ # ╲   ╱",
            "  ╲ #B1 ╲ ╱",
            "   │ Gi  │",
            "    ╲^*+╱",
            "     ╲o╱",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), wanted, "\n{text}");
    }

    #[test]
    fn wide_names_take_two_columns() {
        let text = draw(&[cell(0, 0, "丘", "指輪↖", "")], &[]).unwrap();
        assert_eq!(text.lines().nth(1), Some(" ╱丘 ╲"));
        assert_eq!(text.lines().nth(2), Some("│指輪↖│"));
    }

    #[test]
    fn twelve_cells_fit_on_a_page() {
        let cells: Vec<Hexagon> = (0..18).flat_map(|r| (0..12).map(move |q| cell(q - r / 2, r, "", "", ""))).collect();
        let text = draw(&cells, &[]).unwrap();
        assert!(text.lines().all(|l| columns(l) <= 80), "{text}");
        assert_eq!(text.lines().count(), 56);
    }

    #[test]
    fn what_is_too_large_is_not_drawn() {
        assert_eq!(draw(&[], &[]), None);
        assert_eq!(draw(&[cell(0, 0, "a", "", ""), cell(i32::MAX, i32::MIN, "b", "", "")], &[]), None);
        assert_eq!(draw(&[cell(0, 0, "a", "", ""), cell(0, 90_000, "b", "", "")], &[]), None);
    }
}
