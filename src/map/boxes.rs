//! A map as rows of boxes, each with a name and its contents.

use super::drawn::{Drawn, Place, Tint};
use super::{columns, fit};

/// One box of the map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Its row.
    pub row: i32,
    /// Its column.
    pub column: i32,
    /// Its name, in the first line.
    pub name: String,
    /// Its contents, a line each.
    pub lines: Vec<String>,
    /// Which of its kind it is.
    pub cell: u16,
    /// Whose the contents of each line are, by the place of the seat.
    pub owners: Vec<Option<usize>>,
}

/// Draws the boxes, no wider than `width` where that can be. A row above another has the lower number.
#[must_use]
pub fn draw(cells: &[Cell], width: usize) -> String {
    placed(cells, width, false).text
}

/// The same with where the boxes stand. Where it is dense, the boxes of a row share their borders with those above.
pub(super) fn placed(cells: &[Cell], width: usize, dense: bool) -> Drawn {
    let mut cells: Vec<&Cell> = cells.iter().collect();
    cells.sort_by_key(|c| (c.row, c.column));
    let rows: Vec<&[&Cell]> = cells.chunk_by(|a, b| a.row == b.row).collect();
    let grid = Grid::of(&rows, width);
    let mut drawn = Drawn::default();
    let mut lines: Vec<String> = Vec::new();
    for row in rows {
        let text = grid.row(row);
        let mut own: Vec<String> = text.lines().map(str::to_owned).collect();
        if let (Some(above), Some(first)) = (if dense { lines.pop() } else { None }, own.first_mut()) {
            *first = laid_over(&above, first);
        }
        let (top, height) = (lines.len(), own.len());
        lines.extend(own);
        for (column, cell) in grid.places(row).into_iter().zip(row) {
            let (line, wide) = (top, grid.inner + 2);
            drawn.places.push(Place { cell: cell.cell, line, column, wide, high: height });
            let owned = cell.owners.iter().enumerate().filter_map(|(i, owner)| Some((i, (*owner)?)));
            let tint = |(i, seat)| Tint { line: line + 2 + i, column: column + 1, wide: grid.inner, seat };
            drawn.tints.extend(owned.map(tint));
        }
    }
    drawn.text = lines.into_iter().map(|line| line + "\n").collect();
    drawn
}

/// Two lines of borders as one.
fn laid_over(above: &str, below: &str) -> String {
    let (above, below): (Vec<char>, Vec<char>) = (above.chars().collect(), below.chars().collect());
    let at = |line: &[char], i: usize| STROKES.iter().position(|c| line.get(i) == Some(c)).unwrap_or(0);
    let all = 0..above.len().max(below.len());
    all.filter_map(|i| STROKES.get(at(&above, i) | at(&below, i))).collect()
}

/// The strokes that go up (1), down (2), to the left (4) and to the right (8).
const STROKES: [char; 16] = [' ', '╵', '╷', '│', '╴', '┘', '┐', '┤', '╶', '└', '┌', '├', '─', '┴', '┬', '┼'];

/// How columns become places on the screen.
struct Grid {
    /// Columns of text inside a box.
    inner: usize,
    /// Columns of the board that one box spans.
    step: i32,
    /// The leftmost column.
    left: i32,
    /// Columns of the screen in all.
    total: usize,
    /// Rows are centred: their columns only number them from the left.
    centred: bool,
}

/// How the columns of a board become places in a row, however wide a box is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Columns of the board that one box spans.
    pub step: i32,
    /// The leftmost column.
    pub left: i32,
    /// Rows are centred: their columns only number them from the left.
    pub centred: bool,
    /// Boxes that the widest row has room for.
    pub boxes: usize,
}

impl Plan {
    /// Of the columns of each row, in order.
    pub(crate) fn of(rows: &[Vec<i32>]) -> Plan {
        let all_gaps: Vec<i32> =
            rows.iter().flat_map(|r| r.iter().zip(r.iter().skip(1))).map(|(a, b)| b.saturating_sub(*a)).collect();
        let step = all_gaps.iter().copied().filter(|g| *g > 0).min();
        let step = step.unwrap_or(1);
        let starts: Vec<i32> = rows.iter().filter_map(|r| r.first().copied()).collect();
        let left = starts.iter().copied().min().unwrap_or(0);
        let same_start = starts.iter().all(|s| *s == left);
        let centred = same_start && all_gaps.iter().all(|g| *g == step);
        let ends = rows.iter().filter_map(|r| r.last().copied());
        let span = ends.max().unwrap_or(left).saturating_sub(left).max(0) as usize;
        let boxes =
            if centred { rows.iter().map(Vec::len).max().unwrap_or(0) } else { span.div_ceil(step as usize) + 1 };
        Plan { step, left, centred, boxes }
    }
}

impl Grid {
    fn of(rows: &[&[&Cell]], width: usize) -> Grid {
        let columns_of: Vec<Vec<i32>> = rows.iter().map(|r| r.iter().map(|c| c.column).collect()).collect();
        let Plan { step, left, centred, boxes } = Plan::of(&columns_of);
        let room = width.saturating_sub(1) / boxes.max(1);
        let wanted = rows
            .iter()
            .flat_map(|r| r.iter())
            .flat_map(|c| c.lines.iter().chain([&c.name]))
            .map(|t| columns(t))
            .max()
            .unwrap_or(0);
        let inner = wanted.max(3).min(room.saturating_sub(1).max(3));
        Grid { inner, step, left, total: boxes * (inner + 1) + 1, centred }
    }

    /// Where the left border of each box of a row is.
    fn places(&self, row: &[&Cell]) -> Vec<usize> {
        let pitch = self.inner + 1;
        if self.centred {
            let start = self.total.saturating_sub(row.len() * pitch + 1) / 2;
            return (0..row.len()).map(|i| start + i * pitch).collect();
        }
        let place = |c: &&Cell| {
            let off = i64::from(c.column) - i64::from(self.left);
            (off.max(0) as usize * pitch) / self.step as usize
        };
        row.iter().map(place).collect()
    }

    fn row(&self, row: &[&Cell]) -> String {
        let places = self.places(row);
        let height = row.iter().map(|c| c.lines.len()).max().unwrap_or(0).max(1);
        let mut out = self.border(&places, ['┌', '┬', '┐']);
        out += &self.line(&places, row, |c| &c.name);
        for i in 0..height {
            out += &self.line(&places, row, |c| c.lines.get(i).map_or("", |l| l));
        }
        out + &self.border(&places, ['└', '┴', '┘'])
    }

    fn border(&self, places: &[usize], [first, joined, last]: [char; 3]) -> String {
        let mut out = String::new();
        let mut at = 0;
        for (i, place) in places.iter().enumerate() {
            let joins = i > 0 && *place < at;
            if joins {
                out.pop();
                out.push(joined);
            } else {
                out += &" ".repeat(place.saturating_sub(at));
                out.push(first);
            }
            out += &"─".repeat(self.inner);
            out.push(last);
            at = place + self.inner + 2;
        }
        out.push('\n');
        out
    }

    fn line<'a>(&self, places: &[usize], row: &[&'a Cell], text: impl Fn(&'a Cell) -> &'a str) -> String {
        let mut out = String::new();
        let mut at = 0;
        for (place, cell) in places.iter().zip(row) {
            if *place >= at {
                out += &" ".repeat(place - at);
                out.push('│');
            }
            out += &fit(text(cell), self.inner);
            out.push('│');
            at = place + self.inner + 2;
        }
        out.push('\n');
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(row: i32, column: i32, name: &str, lines: &[&str]) -> Cell {
        let lines = lines.iter().map(|l| (*l).to_owned()).collect();
        Cell { row, column, name: name.to_owned(), lines, ..Cell::default() }
    }

    fn diamond() -> Vec<Cell> {
        let mut cells = Vec::new();
        for (row, n) in [1, 2, 3, 4, 3, 2, 1].into_iter().enumerate() {
            for column in 0..n {
                cells.push(cell(row as i32, column, "Fangorn", &["Dark ?", "Frodo"]));
            }
        }
        cells
    }

    #[test]
    fn a_diamond_is_centred() {
        let text = draw(&diamond()[..3], 100);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "    ┌───────┐");
        assert_eq!(lines[5], "┌───────┬───────┐");
        assert_eq!(lines[7], "│Dark ? │Dark ? │");
        assert_eq!(lines[9], "└───────┴───────┘");
    }

    #[test]
    fn it_fits_also_with_double_width_names() {
        let mut cells = diamond();
        for c in &mut cells {
            c.name = "指輪の幽鬼と灰色港とホビット庄".into();
        }
        let text = draw(&cells, 100);
        assert!(text.lines().all(|l| columns(l) <= 100), "{text}");
        assert!(text.contains('…'));
    }

    #[test]
    fn columns_with_half_steps_and_holes_keep_their_places() {
        let cells = [cell(0, 1, "b", &[]), cell(1, 0, "a", &[]), cell(1, 2, "c", &[])];
        let text = draw(&cells, 40);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "  ┌───┐");
        assert_eq!(lines[4], "┌───┬───┐");
    }

    #[test]
    fn dense_rows_share_their_borders() {
        let mut cells = diamond()[..3].to_vec();
        cells[1].cell = 7;
        cells[1].owners = vec![None, Some(1)];
        let drawn = placed(&cells, 100, true);
        let lines: Vec<&str> = drawn.text.lines().collect();
        assert_eq!(lines[4], "┌───┴───┬───┴───┐");
        assert_eq!(lines.len(), 9);
        assert_eq!(drawn.places[1], Place { cell: 7, line: 4, column: 0, wide: 9, high: 5 });
        assert_eq!(drawn.tints, [Tint { line: 7, column: 1, wide: 7, seat: 1 }]);
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        assert_eq!(draw(&[], 100), "");
    }
}
