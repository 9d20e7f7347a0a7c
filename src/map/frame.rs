//! Which cells of a large map are drawn where there is no room for all of them.

/// How much of a map is drawn, and around what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Columns of text that the map may take.
    pub columns: usize,
    /// Lines that it may take.
    pub lines: usize,
    /// The cells that matter now. If there are none, the middle of the map does.
    pub around: Vec<usize>,
}

/// Cells as they lie on a page: the upper left corner of each that is drawn, and how much room one takes.
pub(super) struct Page {
    pub corners: Vec<Option<(i32, i32)>>,
    pub wide: i32,
    pub high: i32,
}

impl Page {
    /// For each cell, whether it is drawn in a frame; `None` if there is room for all.
    pub fn inside(&self, frame: &Frame) -> Option<Vec<bool>> {
        let all = || self.corners.iter().copied().flatten();
        let around: Vec<(i32, i32)> =
            frame.around.iter().filter_map(|i| self.corners.get(*i).copied().flatten()).collect();
        let focus = || -> Box<dyn Iterator<Item = (i32, i32)> + '_> {
            if around.is_empty() { Box::new(all()) } else { Box::new(around.iter().copied()) }
        };
        let across = span(all().map(|c| c.0), focus().map(|c| c.0), self.wide, frame.columns)?;
        let down = span(all().map(|c| c.1), focus().map(|c| c.1), self.high, frame.lines)?;
        if across.whole && down.whole {
            return None;
        }
        let drawn = |(x, y): (i32, i32)| across.has(x, self.wide) && down.has(y, self.high);
        Some(self.corners.iter().map(|c| c.is_some_and(drawn)).collect())
    }
}

/// A part of an axis.
struct Span {
    from: i32,
    room: i32,
    whole: bool,
}

impl Span {
    fn has(&self, at: i32, size: i32) -> bool {
        self.whole || at >= self.from && at.saturating_add(size) <= self.from.saturating_add(self.room)
    }
}

/// The part with the middle of the focus in its own middle, as far as the map reaches.
fn span(all: impl Iterator<Item = i32>, focus: impl Iterator<Item = i32>, size: i32, room: usize) -> Option<Span> {
    let (low, high) = bounds(all)?;
    let (first, last) = bounds(focus)?;
    let room = i32::try_from(room).unwrap_or(i32::MAX).max(size);
    let end = high.saturating_add(size);
    let whole = end.saturating_sub(low) <= room;
    let middle = (i64::from(first) + i64::from(last) + i64::from(size)) / 2;
    let from = (middle - i64::from(room) / 2).clamp(i64::from(low), i64::from(end.saturating_sub(room).max(low)));
    Some(Span { from: i32::try_from(from).unwrap_or(low), room, whole })
}

fn bounds(mut values: impl Iterator<Item = i32>) -> Option<(i32, i32)> {
    let first = values.next()?;
    Some(values.fold((first, first), |(low, high), v| (low.min(v), high.max(v))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(n: i32) -> Page {
        let corners = (0..n * n).map(|i| Some((6 * (i % n), 3 * (i / n)))).chain([None]).collect();
        Page { corners, wide: 7, high: 5 }
    }

    fn drawn(page: &Page, columns: usize, lines: usize, around: &[usize]) -> Option<Vec<usize>> {
        let inside = page.inside(&Frame { columns, lines, around: around.to_vec() })?;
        Some((0..inside.len()).filter(|i| inside[*i]).collect())
    }

    #[test]
    fn what_fits_is_drawn_whole() {
        assert_eq!(drawn(&page(3), 19, 11, &[0]), None);
        assert_eq!(drawn(&Page { corners: vec![None], wide: 7, high: 5 }, 1, 1, &[0]), None);
    }

    #[test]
    fn the_focus_is_in_the_middle_or_at_the_edge() {
        assert_eq!(drawn(&page(5), 19, 99, &[12]), Some((0..25).filter(|i| (1..4).contains(&(i % 5))).collect()));
        assert_eq!(drawn(&page(5), 13, 8, &[0]), Some(vec![0, 1, 5, 6]));
        assert_eq!(drawn(&page(5), 13, 8, &[24]), Some(vec![18, 19, 23, 24]));
        // Where nothing matters, the middle of the map.
        assert_eq!(drawn(&page(5), 7, 5, &[]), Some(vec![12]));
        assert_eq!(drawn(&page(5), 1, 1, &[25]), Some(vec![12]));
    }
}
