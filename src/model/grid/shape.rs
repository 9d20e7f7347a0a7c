//! The two lattices and their measures.
//!
//! A place is written in two whole numbers along axes of the lattice, with rows counted downwards. In hexagonal
//! lattices the axes are skewed, by an affine map, which leaves lines, sides of lines, order on a line and turning
//! as they are; so what a line meets is found in these numbers exactly.

/// A place of a lattice, or a difference of two. Points that are not centres are given in a finer scale:
/// [`Shape::scale`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Spot {
    /// To the right.
    pub q: i32,
    /// Downwards, in hexagonal lattices to the right as well.
    pub r: i32,
}

/// A place or difference.
pub(super) const fn spot(q: i32, r: i32) -> Spot {
    Spot { q, r }
}

impl Spot {
    pub fn plus(self, other: Spot) -> Spot {
        spot(self.q + other.q, self.r + other.r)
    }

    pub fn minus(self, other: Spot) -> Spot {
        spot(self.q - other.q, self.r - other.r)
    }

    pub fn times(self, n: i32) -> Spot {
        spot(self.q * n, self.r * n)
    }

    /// Above 0 if the other is clockwise of this one by less than a half turn, 0 if they are in line.
    pub fn cross(self, other: Spot) -> i64 {
        i64::from(self.q) * i64::from(other.r) - i64::from(self.r) * i64::from(other.q)
    }

    /// A measure along this one: it grows that way on each line in this direction.
    pub fn along(self, other: Spot) -> i64 {
        i64::from(self.q) * i64::from(other.q) + i64::from(self.r) * i64::from(other.r)
    }
}

/// The form of the cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Six sides, points up.
    #[default]
    Hexagonal,
    /// Four sides.
    Square,
}

/// Which rows of a hexagonal grid lie half a cell to the right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shift {
    /// Those with odd numbers.
    #[default]
    Odd,
    /// Those with even numbers.
    Even,
}

const HEXAGONAL: [Spot; 6] = [spot(1, -1), spot(1, 0), spot(0, 1), spot(-1, 1), spot(-1, 0), spot(0, -1)];
const SQUARE: [Spot; 4] = [spot(0, -1), spot(1, 0), spot(0, 1), spot(-1, 0)];

const HEXAGONAL_BANDS: [Spot; 3] = [spot(2, 1), spot(1, 2), spot(1, -1)];
const SQUARE_BANDS: [Spot; 2] = [spot(1, 0), spot(0, 1)];

impl Shape {
    /// How many sides a cell has.
    #[must_use]
    pub fn sides(self) -> usize {
        self.steps().len()
    }

    /// The directions, clockwise: name in the rules, in English, in Japanese.
    #[must_use]
    pub fn directions(self) -> &'static [(&'static str, &'static str, &'static str)] {
        match self {
            Shape::Hexagonal => &[
                ("NorthEast", "north-east", "北東"),
                ("East", "east", "東"),
                ("SouthEast", "south-east", "南東"),
                ("SouthWest", "south-west", "南西"),
                ("West", "west", "西"),
                ("NorthWest", "north-west", "北西"),
            ],
            Shape::Square => {
                &[("North", "north", "北"), ("East", "east", "東"), ("South", "south", "南"), ("West", "west", "西")]
            }
        }
    }

    /// To the neighbour on each side, clockwise.
    pub(super) fn steps(self) -> &'static [Spot] {
        match self {
            Shape::Hexagonal => &HEXAGONAL,
            Shape::Square => &SQUARE,
        }
    }

    /// To the neighbour on a side, which may be counted on beyond the last.
    pub(super) fn step(self, side: usize) -> Spot {
        self.steps().get(side % self.sides()).copied().unwrap_or_default()
    }

    /// Where the cell of a row and column is.
    pub(super) fn place(self, shift: Shift, row: i32, column: i32) -> Spot {
        match (self, shift) {
            (Shape::Square, _) => spot(column, row),
            (Shape::Hexagonal, Shift::Odd) => spot(column - row.div_euclid(2), row),
            (Shape::Hexagonal, Shift::Even) => spot(column - (row - 1).div_euclid(2), row),
        }
    }

    /// How many steps a difference is.
    pub(super) fn length(self, d: Spot) -> i32 {
        match self {
            Shape::Hexagonal => d.q.abs().max(d.r.abs()).max((d.q + d.r).abs()),
            Shape::Square => d.q.abs() + d.r.abs(),
        }
    }

    /// In this scale corners have whole numbers: the distance of neighbouring centres.
    pub(super) fn scale(self) -> i32 {
        match self {
            Shape::Hexagonal => 3,
            Shape::Square => 2,
        }
    }

    /// From the centre of a cell to the clockwise end of a side, in [`Shape::scale`].
    pub(super) fn corner(self, side: usize) -> Spot {
        self.step(side).plus(self.step(side + 1))
    }

    /// A cell is where each of these measures, from its centre and in [`Shape::scale`], is at most the number in size.
    pub(super) fn bands(self) -> (&'static [Spot], i64) {
        match self {
            Shape::Hexagonal => (&HEXAGONAL_BANDS, 3),
            Shape::Square => (&SQUARE_BANDS, 1),
        }
    }
}
