//! The part of a large map that is drawn: the cells around those that matter.

use crate::game::{Choice, Marked, SeenMember, SeenValue, View};
use crate::model::{Base, Board, KindId, Model};

use super::hexagons::{self, Hexagon};

/// Columns of a terminal. A map that is not wider is drawn whole.
const COLUMNS: i32 = 80;

/// Rows of cells that are drawn at least, and at most.
const LEAST_ROWS: i32 = 7;
const MOST_ROWS: i32 = 13;

/// The cells that matter to a seat: first those where a variable that the board tells has it, then those that its
/// options name.
#[must_use]
pub fn near(model: &Model, view: &View, options: &[Choice]) -> Vec<u16> {
    let Some(board) = &model.board else {
        return Vec::new();
    };
    let told = |var| board.tells.as_ref().is_none_or(|t| t.contains(&var));
    let own = Some(SeenMember::Known(KindId(0), view.seat));
    let stands = view.variables.iter().filter(|v| told(v.var) && v.index == own).filter_map(|v| match v.value {
        SeenValue::Member(SeenMember::Known(kind, member)) if kind == board.kind => Some(member),
        _ => None,
    });
    let named = options.iter().flat_map(|choice| cells_of(model, board.kind, *choice));
    let pieces = options.iter().flat_map(|choice| pieces_of(model, *choice));
    let told_pieces = view.variables.iter().filter(|v| board.tells.as_ref().is_some_and(|t| t.contains(&v.var)));
    let told_pieces = told_pieces.filter_map(|v| match v.value {
        SeenValue::Member(SeenMember::Known(kind, member)) => Some((kind, member)),
        _ => None,
    });
    let stand = pieces.chain(told_pieces).filter_map(|piece| place_of(board, view, piece));
    let mut found = Vec::new();
    for cell in stands.chain(named).chain(stand) {
        if !found.contains(&cell) {
            found.push(cell);
        }
    }
    found
}

/// The members that an action names.
fn pieces_of(model: &Model, choice: Choice) -> Vec<(KindId, u16)> {
    let Choice::Act(action, args) = choice else { return Vec::new() };
    let params = model.actions.get(action.i()).map_or(&[][..], |a| &a.params);
    let members = params.iter().zip(args.as_slice()).filter_map(|((_, ty), value)| match ty.base {
        Base::Member(kind) => Some((kind, u16::try_from(*value).ok()?)),
        _ => None,
    });
    members.collect()
}

/// The cell on which a piece stands, as far as the view shows it.
fn place_of(board: &Board, view: &View, (kind, member): (KindId, u16)) -> Option<u16> {
    let at = board.shown(kind)?.at;
    let fields = &view.kind(kind)?.member(member)?.fields;
    fields.iter().find(|f| f.field == at).and_then(|f| match f.value {
        SeenValue::Member(SeenMember::Known(of, cell)) if of == board.kind => Some(cell),
        _ => None,
    })
}

/// The cells of the board that an action names.
#[must_use]
pub fn named(model: &Model, choice: Choice) -> Vec<u16> {
    model.board.as_ref().map_or_else(Vec::new, |board| cells_of(model, board.kind, choice))
}

/// The cells that an action names.
fn cells_of(model: &Model, kind: KindId, choice: Choice) -> Vec<u16> {
    let Choice::Act(action, args) = choice else {
        return Vec::new();
    };
    let params = model.actions.get(action.i()).map_or(&[][..], |a| &a.params);
    let cells = params.iter().zip(args.as_slice()).filter(|((_, ty), _)| ty.base == Base::Member(kind));
    cells.filter_map(|(_, cell)| u16::try_from(*cell).ok()).collect()
}

/// Which of the cells are drawn, by their places in the list. All, if `near` is empty or the map fits a terminal;
/// otherwise those around the cells that lie at the places `near`, or, if these lie too far apart, around the first.
pub(super) fn shown(cells: &[Hexagon], near: &[usize]) -> Vec<usize> {
    let corners: Vec<(i32, i32)> = cells.iter().map(hexagons::corner).collect();
    let of_near: Vec<(i32, i32)> = near.iter().filter_map(|i| corners.get(*i)).copied().collect();
    let (wide, room) = (hexagons::COLUMNS_PER_CELL, COLUMNS - hexagons::COLUMNS_PER_CELL - 1);
    let columns = Span::of(corners.iter().map(|c| c.0));
    let (Some(columns), Some(first)) = (columns.filter(|all| all.length() > room), of_near.first()) else {
        return (0..cells.len()).collect();
    };
    let part = |at: fn(&(i32, i32)) -> i32, margin: i32, (least, most): (i32, i32), all: Span| {
        let wanted = Span::of(of_near.iter().map(at)).map(|s| Span { from: s.from - margin, to: s.to + margin });
        let fits = wanted.filter(|s| s.length() <= most);
        fits.unwrap_or(Span { from: at(first), to: at(first) }).widened(least, most).within(all)
    };
    let rows = Span::of(corners.iter().map(|c| c.1)).unwrap_or(columns);
    let across = part(|c| c.0, wide, (room, room), columns);
    let (least, most) = (LEAST_ROWS - 1, MOST_ROWS - 1);
    let down = part(|c| c.1, hexagons::HIGH, (least * hexagons::HIGH, most * hexagons::HIGH), rows);
    let inside = |(x, y): &(i32, i32)| across.holds(*x) && down.holds(*y);
    (0..cells.len()).filter(|i| corners.get(*i).is_some_and(inside)).collect()
}

/// The marks, where they are drawn in some cells only.
pub(super) fn marks_in(marks: &[Marked], cells: &[usize]) -> Vec<Marked> {
    let drawn = |cell: u16| cells.binary_search(&usize::from(cell)).is_ok();
    let mut found = marks.to_vec();
    for mark in &mut found {
        mark.cells.retain(|cell| drawn(*cell));
        mark.sides.retain(|(cell, _)| drawn(*cell));
    }
    found
}

/// From one number to another, both included.
#[derive(Clone, Copy)]
struct Span {
    from: i32,
    to: i32,
}

impl Span {
    fn of(numbers: impl Iterator<Item = i32> + Clone) -> Option<Span> {
        Some(Span { from: numbers.clone().min()?, to: numbers.max()? })
    }

    fn length(self) -> i32 {
        self.to.saturating_sub(self.from)
    }

    fn holds(self, n: i32) -> bool {
        (self.from..=self.to).contains(&n)
    }

    /// At least so long, and at most, about the same middle.
    fn widened(self, least: i32, most: i32) -> Span {
        let length = self.length().clamp(least, most);
        let from = self.from + (self.length() - length) / 2;
        Span { from, to: from + length }
    }

    /// Moved until it lies within another, if it is not longer.
    fn within(self, all: Span) -> Span {
        let length = self.length();
        let from = self.from.min(all.to - length).max(all.from);
        Span { from, to: from + length }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forty cells side by side in each of twenty rows.
    fn large() -> Vec<Hexagon> {
        let row = |r: i32| (0..40).map(move |c| Hexagon { q: c - r / 2, r, ..Hexagon::default() });
        (0..20).flat_map(row).collect()
    }

    fn text(near: &[usize]) -> String {
        let cells = large();
        let shown: Vec<Hexagon> = shown(&cells, near).into_iter().map(|i| cells[i].clone()).collect();
        hexagons::draw(&shown, &[]).unwrap()
    }

    #[test]
    fn a_part_is_no_wider_than_a_terminal_and_holds_what_matters() {
        for near in [vec![0], vec![799], vec![420], vec![420, 422, 500], vec![420, 425, 660]] {
            let found = shown(&large(), &near);
            assert!(near.iter().all(|i| found.contains(i)), "{near:?} in {found:?}");
            let text = text(&near);
            assert!(text.lines().all(|l| crate::map::columns(l) <= 80), "{text}");
            assert!((7 * 3..=13 * 3 + 2).contains(&text.lines().count()), "{text}");
        }
    }

    #[test]
    fn of_cells_that_lie_too_far_apart_the_first_is_in_the_middle() {
        let found = shown(&large(), &[420, 0, 799]);
        assert!(found.contains(&420) && !found.contains(&0) && !found.contains(&799), "{found:?}");
    }

    #[test]
    fn a_map_is_drawn_whole_where_nothing_matters_or_it_fits() {
        assert_eq!(shown(&large(), &[]).len(), 800);
        let small: Vec<Hexagon> = large().into_iter().filter(|c| (0..12).contains(&(c.q + c.r / 2))).collect();
        assert_eq!(shown(&small, &[0]).len(), small.len());
    }
}
