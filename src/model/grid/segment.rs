//! What a segment of a straight line between corners or centres of cells meets.

use super::shape::{Shape, Spot, spot};

/// What a segment meets, by the differences from the cell that it begins at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Segment {
    /// The cells it has more than a point in common with, borders included.
    pub cells: Box<[Spot]>,
    /// The sides between cells that it crosses at an inner point or runs along for more than a point, in the order in
    /// which it comes to them. A side is given by one of its cells and the number there, which is in the first half.
    pub sides: Box<[(Spot, u8)]>,
}

/// A fraction whose denominator is above 0.
#[derive(Clone, Copy)]
struct Ratio(i64, i64);

impl Ratio {
    fn of(num: i64, den: i64) -> Ratio {
        if den < 0 { Ratio(-num, -den) } else { Ratio(num, den) }
    }

    fn less(self, other: Ratio) -> bool {
        self.0 * other.1 < other.0 * self.1
    }
}

impl Segment {
    /// From a point of a cell to a point of the cell that is `by` away; a point is the number of a corner, or that of
    /// the sides for the centre.
    pub fn new(shape: Shape, by: Spot, from: usize, to: usize) -> Segment {
        let point = |i: usize| if i < shape.sides() { shape.corner(i) } else { Spot::default() };
        let start = point(from);
        let end = by.times(shape.scale()).plus(point(to));
        let line = Line { shape, start, way: end.minus(start) };
        if line.way == Spot::default() {
            return Segment::default();
        }
        let cells = line.cells();
        let sides = line.sides(&cells);
        Segment { cells: cells.into(), sides: sides.into() }
    }
}

struct Line {
    shape: Shape,
    start: Spot,
    /// Not zero.
    way: Spot,
}

impl Line {
    fn cells(&self) -> Vec<Spot> {
        let scale = i64::from(self.shape.scale());
        let (y, dy) = (i64::from(self.start.r), i64::from(self.way.r));
        let (top, bottom) = (y.min(y + dy), y.max(y + dy));
        let mut found = Vec::new();
        for row in (top - scale).div_euclid(scale)..=(bottom + scale).div_euclid(scale) {
            // No cell reaches farther from its centre than to the next row or column.
            let (above, below) = ((row * scale - scale).max(top), (row * scale + scale).min(bottom));
            if above > below {
                continue;
            }
            let (left, right) = self.between_rows(above, below);
            for column in (left - scale).div_euclid(scale)..=(right + scale).div_euclid(scale) {
                let cell = spot(column as i32, row as i32);
                if self.meets(cell) {
                    found.push(cell);
                }
            }
        }
        found
    }

    /// From where to where the part between two heights reaches, rounded outwards.
    fn between_rows(&self, above: i64, below: i64) -> (i64, i64) {
        let (x, dx) = (i64::from(self.start.q), i64::from(self.way.q));
        let (y, dy) = (i64::from(self.start.r), i64::from(self.way.r));
        if dy == 0 {
            return (x.min(x + dx), x.max(x + dx));
        }
        let at = |height: i64| x + (dx * (height - y)).div_euclid(dy);
        let (a, b) = (at(above), at(below));
        // A negative divisor rounds upwards.
        (a.min(b) - 1, a.max(b) + 1)
    }

    /// Whether it has more than a point in common with a cell.
    fn meets(&self, cell: Spot) -> bool {
        let (bands, half) = self.shape.bands();
        let from = self.start.minus(cell.times(self.shape.scale()));
        let (mut enters, mut leaves) = (Ratio(0, 1), Ratio(1, 1));
        for band in bands {
            let (at, by) = (band.along(from), band.along(self.way));
            if by == 0 {
                if at.abs() > half {
                    return false;
                }
                continue;
            }
            let (a, b) = (Ratio::of(-half - at, by), Ratio::of(half - at, by));
            let (first, last) = if a.less(b) { (a, b) } else { (b, a) };
            if enters.less(first) {
                enters = first;
            }
            if last.less(leaves) {
                leaves = last;
            }
        }
        enters.less(leaves)
    }

    fn sides(&self, cells: &[Spot]) -> Vec<(Spot, u8)> {
        let mut found = Vec::new();
        for cell in cells {
            // Each side once: the other half are those of the neighbours.
            for side in 0..self.shape.sides() / 2 {
                // Both cells of such a side are met.
                if cells.binary_search_by_key(&order(cell.plus(self.shape.step(side))), |c| order(*c)).is_ok()
                    && let Some(at) = self.crosses(*cell, side)
                {
                    found.push((at, (*cell, side as u8)));
                }
            }
        }
        found.sort_by(|(a, _), (b, _)| match (a.less(*b), b.less(*a)) {
            (true, _) => std::cmp::Ordering::Less,
            (_, true) => std::cmp::Ordering::Greater,
            _ => std::cmp::Ordering::Equal,
        });
        found.into_iter().map(|(_, side)| side).collect()
    }

    /// How far along, as a part of the whole, it crosses the inside of a side or begins to run along it.
    fn crosses(&self, cell: Spot, side: usize) -> Option<Ratio> {
        let centre = cell.times(self.shape.scale()).minus(self.start);
        let corner = |i| centre.plus(self.shape.corner(i));
        let (a, b) = (corner(side + self.shape.sides() - 1), corner(side));
        let (left, right) = (self.way.cross(a), self.way.cross(b));
        if left == 0 && right == 0 {
            let whole = self.way.along(self.way);
            let (a, b) = (self.way.along(a), self.way.along(b));
            let (first, last) = (a.min(b).max(0), a.max(b).min(whole));
            return (first < last).then_some(Ratio(first, whole));
        }
        if left.signum() * right.signum() >= 0 {
            return None;
        }
        let along = b.minus(a);
        let at = Ratio::of(a.cross(along), self.way.cross(along));
        // Neither a corner nor a centre is inside a side: the ends of the segment are not to be told apart here.
        (Ratio(0, 1).less(at) && at.less(Ratio(1, 1))).then_some(at)
    }
}

/// Cells are listed row by row.
fn order(cell: Spot) -> (i32, i32) {
    (cell.r, cell.q)
}
