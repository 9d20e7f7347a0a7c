//! The geometry beside another one: cells as polygons of another affine picture, lines cut by all edges, angles as
//! they are on paper.

use std::collections::{BTreeSet, VecDeque};

use super::{Lattice, Shape, Shift};

type Point = (i128, i128);

/// A grid as polygons: rows of bricks with points up, or of squares.
struct Paper {
    shape: Shape,
    shift: Shift,
    places: Vec<(i32, i32)>,
    lattice: Lattice,
}

fn sub(a: Point, b: Point) -> Point {
    (a.0 - b.0, a.1 - b.1)
}

fn cross(a: Point, b: Point) -> i128 {
    a.0 * b.1 - a.1 * b.0
}

/// All of a board but every `hole`th cell.
fn paper(shape: Shape, shift: Shift, rows: std::ops::Range<i32>, columns: i32, hole: usize) -> Paper {
    let all = rows.flat_map(|row| (-1..columns).map(move |column| (row, column)));
    let places: Vec<_> = all.enumerate().filter(|(i, _)| i % hole != hole - 1).map(|(_, place)| place).collect();
    Paper { shape, shift, lattice: Lattice::new(shape, shift, &places), places }
}

impl Paper {
    fn centre(&self, cell: usize) -> Point {
        let (row, column) = self.places[cell];
        let right = (row % 2 != 0) == (self.shift == Shift::Odd);
        match self.shape {
            Shape::Square => (2 * i128::from(column), 2 * i128::from(row)),
            Shape::Hexagonal => (2 * i128::from(column) + i128::from(right), 3 * i128::from(row)),
        }
    }

    /// Clockwise; corner `i` ends side `i`.
    fn corners(&self, cell: usize) -> Vec<Point> {
        let offsets: &[Point] = match self.shape {
            Shape::Square => &[(1, -1), (1, 1), (-1, 1), (-1, -1)],
            Shape::Hexagonal => &[(1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1), (0, -2)],
        };
        let (x, y) = self.centre(cell);
        offsets.iter().map(|(dx, dy)| (x + dx, y + dy)).collect()
    }

    fn edges(&self, cell: usize) -> Vec<(Point, Point)> {
        let corners = self.corners(cell);
        let n = corners.len();
        (0..n).map(|i| (corners[(i + n - 1) % n], corners[i])).collect()
    }

    /// Whether a segment has more than a point in common with a cell: cut by all edges, does the middle of some piece
    /// lie in it?
    fn passes(&self, cell: usize, p: Point, q: Point) -> bool {
        if p == q {
            return false;
        }
        let way = sub(q, p);
        let mut cuts = vec![(0, 1), (1, 1)];
        for (a, b) in self.edges(cell) {
            let edge = sub(b, a);
            let den = cross(way, edge);
            if den != 0 {
                let num = cross(sub(a, p), edge);
                let cut = (num * den.signum(), den.abs());
                if cut.0 > 0 && cut.0 < cut.1 {
                    cuts.push(cut);
                }
            }
        }
        cuts.sort_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)));
        cuts.windows(2).any(|w| {
            let (a, b) = (w[0], w[1]);
            let (num, den) = (a.0 * b.1 + b.0 * a.1, 2 * a.1 * b.1);
            let middle = (p.0 * den + way.0 * num, p.1 * den + way.1 * num);
            let inside = |(a, b): (Point, Point)| cross(sub(b, a), sub(middle, (a.0 * den, a.1 * den))) >= 0;
            a.0 * b.1 != b.0 * a.1 && self.edges(cell).into_iter().all(inside)
        })
    }

    fn common(&self, x: usize, y: usize) -> Option<(Point, Point)> {
        let corners = self.corners(y);
        self.edges(x).into_iter().find(|(a, b)| corners.contains(a) && corners.contains(b))
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let n = self.places.len();
        (0..n).flat_map(move |a| (0..n).map(move |b| (a, b)))
    }

    fn point(&self, cell: usize, i: usize) -> Point {
        self.corners(cell).get(i).copied().unwrap_or_else(|| self.centre(cell))
    }

    /// The angle from the centre of a cell to that of another, clockwise, as it is on paper.
    fn angle(&self, a: usize, b: usize) -> f64 {
        let (x, y) = sub(self.centre(b), self.centre(a));
        let stretch = if self.shape == Shape::Hexagonal { 3f64.sqrt() } else { 1.0 };
        (y as f64).atan2(x as f64 * stretch)
    }
}

/// Whether the inside of a side is crossed, or it is run along for more than a point.
fn crosses((a, b): (Point, Point), p: Point, q: Point) -> bool {
    let (way, edge) = (sub(q, p), sub(b, a));
    let den = cross(way, edge);
    if den != 0 {
        let on_way = cross(sub(a, p), edge) * den.signum();
        let on_edge = cross(sub(a, p), way) * den.signum();
        return (0..=den.abs()).contains(&on_way) && on_edge > 0 && on_edge < den.abs();
    }
    if cross(way, sub(a, p)) != 0 || p == q {
        return false;
    }
    let key = |v: Point| if way.0 != 0 { v.0 } else { v.1 };
    let (first, last) = (key(p).min(key(q)), key(p).max(key(q)));
    key(a).min(key(b)).max(first) < key(a).max(key(b)).min(last)
}

fn papers() -> Vec<Paper> {
    vec![
        paper(Shape::Hexagonal, Shift::Odd, -1..4, 4, 7),
        paper(Shape::Hexagonal, Shift::Even, 0..4, 4, 100),
        paper(Shape::Square, Shift::Odd, -1..3, 4, 8),
    ]
}

#[test]
fn neighbours_share_a_side() {
    for paper in papers() {
        let sides = paper.shape.sides();
        for (a, b) in paper.pairs().filter(|(a, b)| a != b) {
            let common = paper.common(a, b);
            let side = paper.lattice.toward(a, b);
            let n = common.and_then(|c| paper.edges(a).iter().position(|e| *e == c));
            assert_eq!(side, n, "{a} to {b}");
            if let Some(side) = side {
                assert_eq!(paper.lattice.ahead(a, side), Some(b));
                assert_eq!(paper.lattice.toward(b, a), Some((side + sides / 2) % sides));
            }
        }
        let known =
            (0..paper.places.len()).map(|a| (0..sides).filter(|s| paper.lattice.ahead(a, *s).is_some()).count());
        let pairs = paper.pairs().filter(|(a, b)| a != b && paper.common(*a, *b).is_some());
        assert_eq!(known.sum::<usize>(), pairs.count());
        assert_eq!(paper.lattice.turned(0, -1), sides - 1);
        assert_eq!(paper.lattice.turned(1, i32::MAX), (1 + i32::MAX as usize) % sides);
        assert_eq!(paper.lattice.turned(1, i32::MIN), (1 + i32::MIN.rem_euclid(sides as i32) as usize) % sides);
    }
}

#[test]
fn distances_are_steps_on_a_full_board() {
    for (shape, shift) in [(Shape::Hexagonal, Shift::Odd), (Shape::Hexagonal, Shift::Even), (Shape::Square, Shift::Odd)]
    {
        let (small, full) = (paper(shape, shift, -1..3, 4, 3), paper(shape, shift, -12..15, 16, 10_000));
        let wide =
            Lattice::new(shape, shift, &(-20..20).flat_map(|r| (-20..20).map(move |c| (r, c))).collect::<Vec<_>>());
        assert!(full.lattice.len() < wide.len());
        let cell = |(row, column): (i32, i32)| ((row + 20) * 40 + column + 20) as usize;
        for (i, place) in small.places.iter().enumerate() {
            let mut steps = vec![-1; wide.len()];
            let mut todo = VecDeque::from([cell(*place)]);
            steps[cell(*place)] = 0;
            while let Some(x) = todo.pop_front() {
                for y in (0..shape.sides()).filter_map(|s| wide.ahead(x, s)) {
                    if steps[y] < 0 {
                        steps[y] = steps[x] + 1;
                        todo.push_back(y);
                    }
                }
            }
            for (j, other) in small.places.iter().enumerate() {
                assert_eq!(small.lattice.distance(i, j), Some(steps[cell(*other)]), "{place:?} to {other:?}");
            }
            for n in -1..6 {
                let at = |j: &usize| small.lattice.distance(i, *j) == Some(n);
                let all: Vec<usize> = (0..small.places.len()).filter(at).collect();
                assert_eq!(small.lattice.ring(i, n).iter().collect::<Vec<_>>(), all);
                let rings = (0..=n).flat_map(|n| small.lattice.ring(i, n).iter().collect::<Vec<_>>());
                assert_eq!(small.lattice.disc(i, n).iter().collect::<BTreeSet<_>>(), rings.collect::<BTreeSet<_>>());
            }
        }
    }
}

#[test]
fn wedges_are_angles() {
    for paper in papers() {
        let sides = paper.shape.sides() as i32;
        let turn = std::f64::consts::TAU / f64::from(sides);
        for cell in 0..paper.places.len() {
            for side in 0..sides {
                // One turn back from the right: to the upper right, or up.
                let middle = f64::from(side - 1) * turn;
                for n in -1..=sides {
                    let in_it = |other: &usize| {
                        let off = (paper.angle(cell, *other) - middle).rem_euclid(std::f64::consts::TAU);
                        *other != cell && n >= 0 && off.min(std::f64::consts::TAU - off) <= f64::from(n) * turn + 1e-9
                    };
                    let all: Vec<usize> = (0..paper.places.len()).filter(in_it).collect();
                    let found = paper.lattice.wedge(cell, side as usize, n);
                    assert_eq!(found.iter().collect::<Vec<_>>(), all, "{cell} {side} {n}");
                    let next: Vec<usize> =
                        all.into_iter().filter(|x| paper.lattice.toward(cell, *x).is_some()).collect();
                    let arc = paper.lattice.arc(cell, side as usize, n);
                    assert_eq!(arc.iter().collect::<Vec<_>>(), next, "{cell} {side} {n}");
                }
            }
        }
    }
}

#[test]
fn segments_pass_what_they_cut() {
    for paper in papers() {
        let (lattice, points) = (&paper.lattice, paper.shape.sides() + 1);
        for (a, b) in paper.pairs() {
            for (i, j) in (0..points).flat_map(|i| (0..points).map(move |j| (i, j))) {
                // Each pair of cells with some pairs of points, all of them together often.
                if (a + b + i + j) % 3 != 0 {
                    continue;
                }
                let (p, q) = (paper.point(a, i), paper.point(b, j));
                let all: Vec<usize> = (0..paper.places.len()).filter(|c| paper.passes(*c, p, q)).collect();
                assert_eq!(lattice.passed(a, i, b, j).iter().collect::<Vec<_>>(), all, "{a} {i} {b} {j}");
                if i == lattice.centre() && j == i {
                    let between: Vec<usize> = all.iter().copied().filter(|c| *c != a && *c != b).collect();
                    assert_eq!(lattice.between(a, b).iter().collect::<Vec<_>>(), between);
                }
                let mut found = Vec::new();
                let none = lattice.crossed((a, i, b, j), |x, side, y| {
                    assert_eq!(lattice.ahead(x, side), Some(y));
                    assert!(side < paper.shape.sides() / 2);
                    found.push((x.min(y), x.max(y)));
                    Ok::<bool, ()>(false)
                });
                assert_eq!(none, Ok(None));
                let pairs = paper.pairs().filter(|(x, y)| x < y);
                let cut = pairs.filter(|(x, y)| paper.common(*x, *y).is_some_and(|side| crosses(side, p, q)));
                let times = found.len();
                let found: BTreeSet<_> = found.into_iter().collect();
                assert_eq!(found.len(), times, "a side comes twice");
                assert_eq!(found, cut.collect(), "{a} {i} {b} {j}");
            }
        }
    }
}

#[test]
fn sides_come_in_order_along_the_segment() {
    let places: Vec<_> = (0..9).map(|column| (0, column)).collect();
    let row = Lattice::new(Shape::Square, Shift::Odd, &places);
    let way = |from: usize, to: usize| {
        let mut seen = Vec::new();
        let end = row.crossed((from, row.centre(), to, row.centre()), |x, _, y| {
            seen.push(x.min(y));
            Ok::<bool, ()>(x.min(y) == 4)
        });
        (seen, end)
    };
    assert_eq!(way(1, 7), (vec![1, 2, 3, 4], Ok(Some((4, 5)))));
    assert_eq!(way(7, 1), (vec![6, 5, 4], Ok(Some((4, 5)))));
    assert_eq!(way(0, 3), (vec![0, 1, 2], Ok(None)));
}

/// Where so many cells are far apart nothing is kept, and all is found all the same.
#[test]
fn a_wide_board_needs_no_memory() {
    let far = Lattice::FARTHEST;
    let places = [(-far, -far), (far, far), (-far, -far + 1), (0, 0), (far, -far)];
    for shape in [Shape::Hexagonal, Shape::Square] {
        let wide = Lattice::new(shape, Shift::Odd, &places);
        assert!(wide.passed(0, wide.centre(), 1, 0).contains(0));
        assert_eq!(wide.ahead(0, 1), Some(2));
        assert_eq!(wide.disc(0, i32::MAX).len(), 5);
        assert_eq!(wide.wedge(0, 1, i32::MAX).len(), 4);
    }
    let none = Lattice::new(Shape::Hexagonal, Shift::Odd, &[]);
    assert_eq!((none.ahead(0, 0), none.distance(0, 0), none.passed(0, 0, 0, 1).len()), (None, None, 0));
}
