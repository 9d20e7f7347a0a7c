//! A board of small cells with one line for each row, where there is no room for boxes.

use std::collections::BTreeMap;

use super::boxes::{Cell, Plan};
use super::drawn::{Drawn, Place, Tint};
use super::short::shortened;
use super::{columns, fit};

/// Contents wider than this are shortened.
const WIDE: usize = 3;

/// An empty cell, where names stand at the edges.
const EMPTY: &str = "·";

/// Draws cells in one line for each row, with the names of rows and columns at the edges if the names of the cells are
/// made of them; and what shortened contents mean. `None` if a cell holds more than one thing, or the board is wider
/// than `width`.
pub(super) fn draw(cells: &[Cell], width: usize) -> Option<Drawn> {
    if cells.is_empty() || cells.iter().any(|c| c.lines.len() > 1) {
        return None;
    }
    let mut cells: Vec<&Cell> = cells.iter().collect();
    cells.sort_by_key(|c| (c.row, c.column));
    let (short, meanings) = contents(&cells);
    let edges = Edges::of(&cells);
    let text = |cell: &Cell| match cell.lines.first().filter(|l| !l.is_empty()) {
        Some(line) => short.get(line.as_str()).cloned().unwrap_or_else(|| line.clone()),
        None if edges.is_some() => EMPTY.to_owned(),
        None => cell.name.clone(),
    };
    let inner = cells.iter().map(|c| columns(&text(c))).max()?.max(1);
    let rows: Vec<&[&Cell]> = cells.chunk_by(|a, b| a.row == b.row).collect();
    let places: Vec<Vec<i32>> = rows.iter().map(|r| r.iter().map(|c| c.column).collect()).collect();
    let Plan { step, left, centred, boxes } = Plan::of(&places);
    let pitch = inner + 1;
    let margin = edges.as_ref().map_or(0, |e| e.rows.iter().map(|r| columns(r)).max().unwrap_or(0) + 1);
    if margin + boxes * pitch > width + 1 {
        return None;
    }
    let place = |row: &[&Cell], i: usize, cell: &Cell| match centred {
        true => (boxes - row.len().min(boxes)) * pitch / 2 + i * pitch,
        false => (i64::from(cell.column) - i64::from(left)).max(0) as usize * pitch / step.max(1) as usize,
    };
    let line = |head: &str, row: &[&Cell], text: &dyn Fn(&Cell) -> String| {
        let mut out = fit(head, margin);
        let mut used = 0;
        for (i, cell) in row.iter().enumerate() {
            let at = place(row, i, cell).max(used);
            out += &" ".repeat(at - used);
            out += &fit(&text(cell), inner);
            used = at + inner;
        }
        out.trim_end().to_owned() + "\n"
    };
    let (mut drawn, mut head_line) = (Drawn::default(), 0);
    if let (Some(_), Some(first)) = (&edges, rows.first()) {
        head_line = 1;
        drawn.text +=
            &line("", first, &|cell| split(&cell.name).map_or_else(String::new, |(column, _)| column.to_owned()));
    }
    for (i, row) in rows.iter().enumerate() {
        let head = edges.as_ref().and_then(|e| e.rows.get(i)).map_or("", String::as_str);
        drawn.text += &line(head, row, &text);
        let at = i + head_line;
        for (i, cell) in row.iter().enumerate() {
            let column = margin + place(row, i, cell);
            drawn.places.push(Place { cell: cell.cell, line: at, column, wide: inner, high: 1 });
            let owner = cell.owners.first().copied().flatten();
            drawn.tints.extend(owner.map(|seat| Tint { line: at, column, wide: inner, seat }));
        }
    }
    drawn.entries(meanings);
    Some(drawn)
}

/// Short forms of wide contents, and what they mean: `R Red`.
fn contents(cells: &[&Cell]) -> (BTreeMap<String, String>, Vec<String>) {
    let mut all: Vec<String> = cells.iter().flat_map(|c| c.lines.first()).cloned().collect();
    all.sort();
    all.dedup();
    if all.iter().all(|text| columns(text) <= WIDE) {
        return (BTreeMap::new(), Vec::new());
    }
    let initials: Vec<String> = all.iter().map(|text| text.chars().take(1).collect()).collect();
    let mut different = initials.clone();
    different.sort();
    different.dedup();
    let short = if different.len() == all.len() { initials } else { shortened(&all) };
    let meanings = all.iter().zip(&short).filter(|(text, short)| text != short).map(|(text, s)| format!("{s} {text}"));
    let meanings = meanings.collect();
    (all.into_iter().zip(short).collect(), meanings)
}

/// The names of rows, where those of cells are made of a column and a row.
struct Edges {
    rows: Vec<String>,
}

impl Edges {
    fn of(cells: &[&Cell]) -> Option<Edges> {
        let mut rows = Vec::new();
        for row in cells.chunk_by(|a, b| a.row == b.row) {
            let mut names = row.iter().map(|c| split(&c.name));
            let (_, name) = names.next()??;
            if !names.all(|other| other.is_some_and(|(_, own)| own == name)) {
                return None;
            }
            rows.push(name.to_owned());
        }
        Some(Edges { rows })
    }
}

/// `b3` as `b` and `3`.
fn split(name: &str) -> Option<(&str, &str)> {
    let at = name.find(|c: char| c.is_ascii_digit())?;
    let (column, row) = name.split_at(at);
    let sound =
        !column.is_empty() && column.chars().all(char::is_alphabetic) && row.bytes().all(|b| b.is_ascii_digit());
    sound.then_some((column, row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::Under;

    fn cell(row: i32, column: i32, name: &str, line: &str) -> Cell {
        let lines = if line.is_empty() { Vec::new() } else { vec![line.to_owned()] };
        Cell { row, column, name: name.to_owned(), lines, ..Cell::default() }
    }

    #[test]
    fn names_stand_at_the_edges() {
        let cells = [cell(1, 1, "a2", "wK"), cell(1, 2, "b2", ""), cell(2, 1, "a1", ""), cell(2, 2, "b1", "bK")];
        let drawn = draw(&cells, 80).unwrap();
        assert_eq!(drawn.text, "  a  b\n2 wK ·\n1 ·  bK\n");
        assert!(drawn.under.is_empty());
        assert_eq!(drawn.places[3], Place { cell: 0, line: 2, column: 5, wide: 2, high: 1 });
    }

    #[test]
    fn rows_are_shifted_and_contents_shortened() {
        let cells = [cell(1, 1, "A1", "Red"), cell(1, 3, "B1", "Blue"), cell(2, 2, "A2", ""), cell(2, 4, "B2", "Red")];
        let drawn = draw(&cells, 80).unwrap();
        assert_eq!(drawn.text, "  A B\n1 R B\n2  · R\n");
        assert_eq!(drawn.under, [Under::Entries(vec!["B Blue".into(), "R Red".into()])]);
    }

    #[test]
    fn other_names_stand_in_the_cells() {
        let cells = [cell(1, 1, "Shire", ""), cell(1, 2, "Moria", "x")];
        assert_eq!(draw(&cells, 80).unwrap().text, "Shire x\n");
        assert_eq!(draw(&cells, 9), None);
        assert_eq!(draw(&[], 80), None);
    }
}
