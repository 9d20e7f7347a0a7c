//! Cells that lie at the same place of a board, one for each seat, such as the points of backgammon.

use super::boxes::Cell;
use crate::lexicon::Lexicon;
use crate::model::{Board, PLAYER};

/// The cells, those at the same place as one, with the name of the cell that belongs to the seat that looks, else with
/// the names of all. What lies in them has the initial of the seat that
/// owns the cell; the second list says what the initials mean. Where no two share a place, nothing changes.
pub(super) fn joined(lexicon: &Lexicon, board: &Board, looking: u16, mut cells: Vec<Cell>) -> (Vec<Cell>, Vec<String>) {
    cells.sort_by_key(|cell| (cell.row, cell.column));
    let same = |a: &Cell, b: &Cell| (a.row, a.column) == (b.row, b.column);
    if cells.windows(2).all(|two| !matches!(two, [a, b] if same(a, b))) {
        return (cells, Vec::new());
    }
    let initials = initials(lexicon);
    let owner = |cell: &Cell| {
        let seat = lexicon.model.owner_of(board.kind, i32::from(cell.cell))?;
        usize::try_from(seat).ok()
    };
    let mut used = Vec::new();
    let mut one = |group: &[Cell]| -> Option<Cell> {
        let first = group.first()?;
        let mut names: Vec<&str> = group.iter().map(|cell| cell.name.as_str()).collect();
        names.dedup();
        let own = group.iter().find(|cell| owner(cell) == Some(usize::from(looking)));
        let name = own.map_or_else(|| names.join("/"), |own| own.name.clone());
        let mut whole = Cell { name, lines: Vec::new(), owners: Vec::new(), ..first.clone() };
        for cell in group {
            let seat = owner(cell);
            let initial = seat.and_then(|seat| initials.get(seat)).filter(|_| !cell.lines.is_empty());
            used.extend(seat.filter(|_| initial.is_some()));
            whole.lines.extend(cell.lines.iter().map(|line| line.clone() + initial.map_or("", |i| i)));
            whole.owners.extend(cell.lines.iter().map(|_| seat));
            if !cell.lines.is_empty() {
                whole.cell = cell.cell;
            }
        }
        Some(whole)
    };
    let cells = cells.chunk_by(same).filter_map(&mut one).collect();
    used.sort_unstable();
    used.dedup();
    let meaning = |seat: usize| {
        let name = lexicon.seat(u16::try_from(seat).ok()?);
        initials.get(seat).filter(|initial| **initial != name).map(|initial| format!("{initial} {name}"))
    };
    (cells, used.into_iter().filter_map(meaning).collect())
}

/// The first letters of the seats' names; the whole names, if two begin alike.
fn initials(lexicon: &Lexicon) -> Vec<String> {
    let seats = lexicon.model.kinds.get(PLAYER.i()).map_or(0, |kind| kind.members.len());
    let names: Vec<String> = (0..seats).filter_map(|s| u16::try_from(s).ok()).map(|s| lexicon.seat(s)).collect();
    let first: Vec<String> = names.iter().map(|name| name.chars().take(1).collect()).collect();
    let mut different = first.clone();
    different.sort();
    different.dedup();
    if different.len() == names.len() { first } else { names }
}
