//! Sight after chapter 5 of the rulebook, clause by clause, by lines on a plane. Nothing here comes from the rule files but the maps.
//!
//! A hex is six corners around its middle. Across, the unit is half the width of a hex; down, a quarter of its height. A line
//! stays a line when a plane is stretched, so that everything is exact in whole numbers.

use std::collections::{BTreeMap, BTreeSet};

/// A point of the plane; y grows downward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    x: i64,
    y: i64,
}

/// A hex by its column and its row, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hex {
    pub column: i64,
    pub row: i64,
}

/// The sides of a hex, clockwise from the upper right one: where a figure can face.
pub const SIDES: [&str; 6] = ["NorthEast", "East", "SouthEast", "SouthWest", "West", "NorthWest"];

/// The corners of a hex from its middle, clockwise from the topmost: side `i` runs from corner `i` to corner `i + 1`.
const CORNERS: [(i64, i64); 6] = [(0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1)];

impl Hex {
    /// `C5`: the third column, the fifth row.
    pub fn named(name: &str) -> Hex {
        let (letter, number) = name.split_at(1);
        let column = i64::from(letter.as_bytes()[0] - b'A');
        Hex { column, row: number.parse::<i64>().expect("a row") - 1 }
    }

    pub fn name(self) -> String {
        format!("{}{}", char::from(b'A' + self.column as u8), self.row + 1)
    }

    /// Every second row is shifted to the right by half a hex.
    fn middle(self) -> Point {
        Point { x: 2 * self.column + self.row % 2, y: 3 * self.row }
    }

    fn corner(self, i: usize) -> Point {
        let (middle, (x, y)) = (self.middle(), CORNERS[i % 6]);
        Point { x: middle.x + x, y: middle.y + y }
    }

    fn side(self, i: usize) -> (Point, Point) {
        (self.corner(i), self.corner(i + 1))
    }
}

/// On which side of the line from `a` to `b` a point lies: 0 on the line itself.
fn turn(a: Point, b: Point, c: Point) -> i64 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

/// 5.10, 5.11, 5.121: whether a line crosses a side or runs along it. To touch an end of the side is neither.
fn meets(line: (Point, Point), side: (Point, Point)) -> bool {
    let (p, q) = line;
    let (a, b) = side;
    let ends = (turn(p, q, a), turn(p, q, b));
    if p == q {
        return false;
    }
    if ends == (0, 0) {
        // All on one line: do they share more than a point?
        let along = |c: Point| (q.x - p.x) * (c.x - p.x) + (q.y - p.y) * (c.y - p.y);
        let (low, high) = (along(a).min(along(b)), along(a).max(along(b)));
        return low.max(0) < high.min(along(q));
    }
    let apart = |s: i64, t: i64| s.signum() * t.signum() < 0;
    apart(ends.0, ends.1) && apart(turn(a, b, p), turn(a, b, q))
}

/// Whether a line has a point strictly inside a hex. It is cut off at each of the six sides; what is left is between two fractions of it.
fn enters(line: (Point, Point), hex: Hex) -> bool {
    let (p, q) = line;
    let (mut from, mut to) = ((0, 1), (1, 1));
    for i in 0..6 {
        let (a, b) = hex.side(i);
        // Inside is where the turn is to the right.
        let (start, end) = (turn(a, b, p), turn(a, b, q));
        if start <= 0 && end <= 0 {
            return false;
        }
        // The line is on the side itself at this fraction, with a positive denominator.
        let at = (start.abs(), start.abs() + end.abs());
        let later = |s: (i64, i64), t: (i64, i64)| s.0 * t.1 > t.0 * s.1;
        if start <= 0 && later(at, from) {
            from = at;
        }
        if end <= 0 && later(to, at) {
            to = at;
        }
    }
    from.0 * to.1 < to.0 * from.1
}

/// One side of the map sheet.
#[derive(Default)]
pub struct Map {
    pub hexes: BTreeSet<Hex>,
    pub high: BTreeSet<Hex>,
    walls: BTreeSet<(Point, Point)>,
}

impl Map {
    /// A black line between two hexes: the side that they share.
    pub fn wall(&mut self, a: Hex, b: Hex) {
        let mut shared = (0..6).map(|i| a.side(i)).filter(|s| (0..6).any(|i| b.side(i) == (s.1, s.0)));
        self.walls.insert(shared.next().expect("neighbours"));
    }
}

/// A figure on the map.
#[derive(Clone, Debug)]
pub struct Figure {
    pub at: Hex,
    /// One of the Ringwraiths (9.15).
    pub wraith: bool,
    /// Frodo wearing the Ring.
    pub ringed: bool,
    /// It has announced Sharpshooter (8.18).
    pub sharp: bool,
}

/// The readings that sight depends on.
#[derive(Clone, Copy, Debug)]
pub struct Readings {
    /// A line from corner to corner passes through a hex and not merely by its corners.
    pub corners_block: bool,
    /// A shooter on high ground shoots over everybody at a target that is below.
    pub nobody_from_above: bool,
}

/// A map with figures on it.
pub struct Table<'m> {
    pub map: &'m Map,
    pub figures: BTreeMap<usize, Figure>,
}

impl Table<'_> {
    /// 5.10: some line from an end of the front side to some corner of the target's hex is free.
    pub fn sees(&self, shooter: usize, target: usize, facing: usize, readings: Readings) -> bool {
        let (from, to) = (self.figures[&shooter].at, self.figures[&target].at);
        let ends = [from.corner(facing), from.corner(facing + 1)];
        ends.iter().any(|&p| (0..6).any(|j| self.free((p, to.corner(j)), shooter, target, readings)))
    }

    fn free(&self, line: (Point, Point), shooter: usize, target: usize, readings: Readings) -> bool {
        let blocks = |hex: Hex| (0..6).any(|i| meets(line, hex.side(i))) || readings.corners_block && enters(line, hex);
        let high = |i: usize| self.map.high.contains(&self.figures[&i].at);
        let (above, below) = (high(shooter), !high(target));
        let walls = self.map.walls.iter().any(|&wall| meets(line, wall));
        let others = self.figures.iter().filter(|(i, _)| ![shooter, target].contains(i));
        let mut stand_in_the_way = others.filter(|&(&i, _)| self.matters(shooter, target, i, readings));
        let figures = stand_in_the_way.any(|(_, f)| blocks(f.at));
        // 5.12: high ground is in the way of two who are both below.
        let heights = !above && below && self.map.high.iter().any(|&h| blocks(h));
        !(walls || figures || heights)
    }

    /// Whether another figure is one that can be in the way.
    fn matters(&self, shooter: usize, target: usize, other: usize, readings: Readings) -> bool {
        let high = |i: usize| self.map.high.contains(&self.figures[&i].at);
        let shot = &self.figures[&shooter];
        // 5.14: from above only those who are above too.
        let overlooked = high(shooter) && (!high(other) || readings.nobody_from_above && !high(target));
        // 5.15: a target above is seen over everybody.
        let looked_up = !high(shooter) && high(target);
        // 9.102: Frodo wearing the Ring is in the way of Ringwraiths only.
        let unseen = self.figures[&other].ringed && !shot.wraith;
        !(overlooked || looked_up || shot.sharp || unseen)
    }

    /// 5.07, under the reading that the field of view lies between the rays through the middles of the two outer hexes of the kill zone.
    pub fn in_wedge(&self, shooter: usize, target: usize, facing: usize) -> bool {
        let (eye, seen) = (self.figures[&shooter].at.middle(), self.figures[&target].at.middle());
        // Toward the middle of the neighbour across a side.
        let toward = |side: usize| {
            let (a, b) = (CORNERS[side % 6], CORNERS[(side + 1) % 6]);
            Point { x: eye.x + a.0 + b.0, y: eye.y + a.1 + b.1 }
        };
        turn(eye, toward(facing + 5), seen) >= 0 && turn(eye, toward(facing + 1), seen) <= 0
    }

    /// 5.07, under the reading that it is the half of the map before the figure.
    pub fn in_front(&self, shooter: usize, target: usize, facing: usize) -> bool {
        let (eye, seen) = (self.figures[&shooter].at.middle(), self.figures[&target].at.middle());
        // The line through the middle that is parallel to the front side.
        let (a, b) = (CORNERS[facing], CORNERS[(facing + 1) % 6]);
        turn(Point { x: 0, y: 0 }, Point { x: b.0 - a.0, y: b.1 - a.1 }, Point { x: seen.x - eye.x, y: seen.y - eye.y })
            <= 0
    }
}
