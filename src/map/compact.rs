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
/// made of them; and what shortened contents mean. `None` if the names are made otherwise, a cell holds more than one
/// thing, or the board is wider than `width`.
pub(super) fn draw(cells: &[Cell], width: usize) -> Option<Drawn> {
    if cells.is_empty() || cells.iter().any(|c| c.lines.len() > 1) {
        return None;
    }
    let mut cells: Vec<&Cell> = cells.iter().collect();
    cells.sort_by_key(|c| (c.row, c.column));
    let (short, meanings) = contents(&cells);
    let edges = Edges::of(&cells)?;
    let text = |cell: &Cell| match cell.lines.first().filter(|l| !l.is_empty()) {
        Some(line) => short.get(line.as_str()).cloned().unwrap_or_else(|| line.clone()),
        None => EMPTY.to_owned(),
    };
    let inner = cells.iter().map(|c| columns(&text(c))).max()?.max(1);
    let rows: Vec<&[&Cell]> = cells.chunk_by(|a, b| a.row == b.row).collect();
    let places: Vec<Vec<i32>> = rows.iter().map(|r| r.iter().map(|c| c.column).collect()).collect();
    let Plan { step, left, centred, boxes } = Plan::of(&places);
    let pitch = inner + 1;
    let margin = edges.rows.iter().map(|r| columns(r)).max().unwrap_or(0) + 1;
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
    if let Some(first) = rows.first() {
        head_line = 1;
        drawn.text +=
            &line("", first, &|cell| split(&cell.name).map_or_else(String::new, |(column, _)| column.to_owned()));
    }
    for (i, row) in rows.iter().enumerate() {
        let head = edges.rows.get(i).map_or("", String::as_str);
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

/// Draws cells whose names are not made of rows and columns in two lines for each row: the names, and below them what
/// is there, in short where there is little room. `None` if the names do not fit.
pub(super) fn named(cells: &[Cell], width: usize) -> Option<Drawn> {
    let mut cells: Vec<&Cell> = cells.iter().collect();
    cells.sort_by_key(|c| (c.row, c.column));
    let rows: Vec<&[&Cell]> = cells.chunk_by(|a, b| a.row == b.row).collect();
    let places: Vec<Vec<i32>> = rows.iter().map(|r| r.iter().map(|c| c.column).collect()).collect();
    let Plan { step, left, centred, boxes } = Plan::of(&places);
    let inner = (width.saturating_sub(1) / boxes.max(1)).checked_sub(1)?;
    let widest = cells.iter().map(|c| columns(&c.name)).max()?;
    let inner = inner.min(cells.iter().map(|c| columns(&c.lines.join(", "))).max()?.max(widest));
    if inner < LEAST_NAME.min(widest) {
        return None;
    }
    let all: Vec<String> = cells.iter().flat_map(|c| c.lines.iter()).cloned().collect();
    let short: BTreeMap<String, String> = all.iter().cloned().zip(shortened(&all)).collect();
    let (mut drawn, mut meanings) = (Drawn::default(), BTreeMap::new());
    let pitch = inner + 1;
    for (i, row) in rows.iter().enumerate() {
        let (mut names, mut contents, mut used) = (String::new(), String::new(), 0);
        for (j, cell) in row.iter().enumerate() {
            let at = match centred {
                true => (boxes - row.len().min(boxes)) * pitch / 2 + j * pitch,
                false => (i64::from(cell.column) - i64::from(left)).max(0) as usize * pitch / step.max(1) as usize,
            };
            let whole = cell.lines.join(", ");
            let said = if columns(&whole) <= inner {
                whole
            } else {
                let of = |line: &String| short.get(line).cloned().unwrap_or_else(|| line.clone());
                meanings.extend(cell.lines.iter().map(|line| (of(line), line.clone())).filter(|(s, l)| s != l));
                cell.lines.iter().map(of).collect::<Vec<String>>().join(" ")
            };
            let border = |line: &mut String, text: &str| {
                let gap = at.saturating_sub(used.min(at));
                *line += &" ".repeat(gap);
                if used <= at {
                    line.push('│');
                }
                *line += &fit(text, inner);
                line.push('│');
            };
            border(&mut names, &cell.name);
            border(&mut contents, &said);
            used = at + pitch + 1;
            drawn.places.push(Place { cell: cell.cell, line: 2 * i, column: at, wide: inner + 2, high: 2 });
            let owner = cell.owners.iter().copied().flatten().next();
            drawn.tints.extend(owner.map(|seat| Tint { line: 2 * i + 1, column: at + 1, wide: inner, seat }));
        }
        drawn.text += &format!("{names}\n{contents}\n");
    }
    drawn.entries(meanings.into_iter().map(|(short, line)| format!("{short} {line}")));
    Some(drawn)
}

/// The columns of a name that tell it from others.
const LEAST_NAME: usize = 8;

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
    fn other_names_stand_above_what_is_there() {
        let mut cells = [cell(1, 1, "Shire", ""), cell(1, 2, "Moria", "Balrog"), cell(2, 1, "Rohan", "")];
        assert_eq!(draw(&cells, 80), None);
        assert_eq!(named(&cells, 80).unwrap().text, "│Shire │Moria │\n│      │Balrog│\n   │Rohan │\n   │      │\n");
        assert_eq!(named(&cells, 9), None);
        cells[1].lines.push("Shelob".to_owned());
        let drawn = named(&cells, 20).unwrap();
        assert_eq!(drawn.text.lines().nth(1), Some("│        │Bal She │"));
        assert_eq!(drawn.under, [Under::Entries(vec!["Bal Balrog".into(), "She Shelob".into()])]);
        assert_eq!(drawn.places[1], Place { cell: 0, line: 0, column: 9, wide: 10, high: 2 });
        assert_eq!(named(&[], 80), None);
    }
}
