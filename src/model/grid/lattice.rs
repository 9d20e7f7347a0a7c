//! The geometry of a grid, from the places of its cells.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::segment::Segment;
use super::shape::{Shape, Shift, Spot, spot};
use crate::model::Set;

/// No cell.
const NOBODY: u16 = u16::MAX;

/// The maximum number of differences of cells for which the results of segments are kept.
const MAX_CACHED_LINES: usize = 1 << 14;

/// Segments by their end points.
type Ends = Box<[OnceLock<Segment>]>;

/// The cells of a grid, by their numbers as members of the kind. Directions and sides are numbered clockwise.
#[derive(Clone, Debug, Default)]
pub struct Lattice {
    shape: Shape,
    /// Where each cell is; `None` if it lies off the map.
    spots: Vec<Option<Spot>>,
    /// The corner of the box around all cells with the lowest numbers, and its size.
    low: Spot,
    wide: i32,
    high: i32,
    /// The cells in the box, row by row.
    cells: Vec<u16>,
    /// The neighbours, by cell and side.
    next: Vec<u16>,
    /// What segments meet, by the difference of the cells; found when it is asked for.
    kept: Vec<OnceLock<Ends>>,
}

impl Lattice {
    /// The largest row and column; the smallest is as far below 0.
    pub const FARTHEST: i32 = 999;

    /// With the rows and columns of its cells, which are no farther than [`Lattice::FARTHEST`] and all different.
    #[must_use]
    pub fn new(shape: Shape, shift: Shift, places: &[(i32, i32)]) -> Lattice {
        Lattice::partial(shape, shift, places.iter().copied().map(Some))
    }

    /// The same where some members are no cells: they have no place.
    #[must_use]
    pub fn partial(shape: Shape, shift: Shift, places: impl Iterator<Item = Option<(i32, i32)>>) -> Lattice {
        let near = |i: i32| i.clamp(-Self::FARTHEST, Self::FARTHEST);
        let spots: Vec<Option<Spot>> =
            places.map(|place| place.map(|(row, column)| shape.place(shift, near(row), near(column)))).collect();
        let bound = |f: fn(&Spot) -> i32| {
            let all = || spots.iter().flatten().map(f);
            let (low, high) = (all().min().unwrap_or(0), all().max().unwrap_or(-1));
            (low, high - low + 1)
        };
        let ((q, wide), (r, high)) = (bound(|s| s.q), bound(|s| s.r));
        let mut lattice = Lattice { shape, low: spot(q, r), wide, high, ..Lattice::default() };
        lattice.cells = vec![NOBODY; wide as usize * high as usize];
        for (i, spot) in spots.iter().enumerate() {
            let at = spot.and_then(|spot| lattice.index(spot));
            if let Some(place) = at.and_then(|at| lattice.cells.get_mut(at)) {
                *place = u16::try_from(i).unwrap_or(NOBODY);
            }
        }
        let around = |s: &Option<Spot>| shape.steps().iter().map(|step| Some((*s)?.plus(*step))).collect::<Vec<_>>();
        let neighbours = spots.iter().flat_map(around);
        let cell = |spot: Option<Spot>| spot.and_then(|spot| lattice.at(spot)).map_or(NOBODY, |c| c as u16);
        lattice.next = neighbours.map(cell).collect();
        lattice.spots = spots;
        let differences = lattice.differences();
        if differences <= MAX_CACHED_LINES {
            lattice.kept = vec![OnceLock::new(); differences];
        }
        lattice
    }

    /// The form of the cells.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// How many members the kind of the cells has; some may lie off the map.
    #[must_use]
    pub fn len(&self) -> usize {
        self.spots.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spots.is_empty()
    }

    fn differences(&self) -> usize {
        (2 * self.wide.max(1) as usize - 1) * (2 * self.high.max(1) as usize - 1)
    }

    fn index(&self, s: Spot) -> Option<usize> {
        let Spot { q, r } = s.minus(self.low);
        let inside = (0..self.wide).contains(&q) && (0..self.high).contains(&r);
        inside.then(|| r as usize * self.wide as usize + q as usize)
    }

    fn at(&self, s: Spot) -> Option<usize> {
        match self.cells.get(self.index(s)?).copied()? {
            NOBODY => None,
            cell => Some(usize::from(cell)),
        }
    }

    /// Where a cell is drawn: how many cells to the right, and its row; `None` if it lies off the map. In hexagonal
    /// grids each row lies half a cell to the right of the one above.
    #[must_use]
    pub fn drawn(&self, cell: usize) -> Option<(i32, i32)> {
        self.spot(cell).map(|s| (s.q, s.r))
    }

    fn spot(&self, cell: usize) -> Option<Spot> {
        self.spots.get(cell).copied().flatten()
    }

    /// The cell next to one on a side.
    #[must_use]
    pub fn ahead(&self, cell: usize, side: usize) -> Option<usize> {
        let sides = self.shape.sides();
        let next = (side < sides).then(|| self.next.get(cell * sides + side).copied())??;
        (next != NOBODY).then_some(usize::from(next))
    }

    /// The side of a cell on which a neighbour lies.
    #[must_use]
    pub fn toward(&self, cell: usize, neighbour: usize) -> Option<usize> {
        let by = self.spot(neighbour)?.minus(self.spot(cell)?);
        self.shape.steps().iter().position(|step| *step == by)
    }

    /// A side so many farther clockwise.
    #[must_use]
    pub fn turned(&self, side: usize, by: i32) -> usize {
        let sides = self.shape.sides();
        (side + by.rem_euclid(sides as i32) as usize) % sides
    }

    /// How many steps from one cell to another, whether or not cells lie between; `None` if one lies off the map.
    #[must_use]
    pub fn distance(&self, a: usize, b: usize) -> Option<i32> {
        Some(self.shape.length(self.spot(b)?.minus(self.spot(a)?)))
    }

    /// The largest distance that two cells may have.
    #[must_use]
    pub fn farthest(&self) -> i32 {
        self.wide + self.high
    }

    fn all(&self, cell: usize, which: impl Fn(Spot) -> bool) -> Set {
        let Some(from) = self.spot(cell) else {
            return Set::new();
        };
        let here = |spot: &Option<Spot>| spot.is_some_and(|spot| which(spot.minus(from)));
        (0..self.len()).zip(&self.spots).filter(|(_, spot)| here(spot)).map(|(i, _)| i).collect()
    }

    /// The cells at a distance.
    #[must_use]
    pub fn ring(&self, cell: usize, distance: i32) -> Set {
        self.all(cell, |by| self.shape.length(by) == distance)
    }

    /// The cells up to a distance.
    #[must_use]
    pub fn disc(&self, cell: usize, distance: i32) -> Set {
        self.all(cell, |by| self.shape.length(by) <= distance)
    }

    /// The neighbours on the sides that are at most so many from a side.
    #[must_use]
    pub fn arc(&self, cell: usize, side: usize, within: i32) -> Set {
        let within = within.min(self.half());
        (-within..=within).filter_map(|by| self.ahead(cell, self.turned(side, by))).collect()
    }

    /// The cells whose centre lies on or between the rays through the neighbours so many sides to the left and right of
    /// a side, on its side. Not the cell itself.
    #[must_use]
    pub fn wedge(&self, cell: usize, side: usize, within: i32) -> Set {
        let within = within.min(self.half());
        let step = |by: i32| self.shape.step(self.turned(side, by));
        self.all(cell, |to| {
            let zero = to == Spot::default();
            let ray = within == 0 && step(0).cross(to) == 0 && step(0).along(to) > 0;
            // Each angle from one neighbour to the next is less than a half turn.
            let angle = |by: i32| step(by).cross(to) >= 0 && to.cross(step(by + 1)) >= 0;
            !zero && (ray || (-within..within).any(angle))
        })
    }

    fn half(&self) -> i32 {
        self.shape.sides() as i32 / 2
    }

    /// The number of the centre among the points that a segment ends at; those below are the corners.
    #[must_use]
    pub fn centre(&self) -> usize {
        self.shape.sides()
    }

    /// The cells that the segment from a point of a cell to a point of another has more than a point in common with.
    /// Corner `i` is the clockwise end of side `i`; beyond the last comes the centre.
    #[must_use]
    pub fn passed(&self, a: usize, i: usize, b: usize, j: usize) -> Set {
        let mut set = Set::new();
        self.each_passed(a, i, b, j, |cell| set.insert(cell));
        set
    }

    /// The same, one by one.
    pub fn each_passed(&self, a: usize, i: usize, b: usize, j: usize, mut f: impl FnMut(usize)) {
        let Some((from, segment)) = self.segment(a, i, b, j) else {
            return;
        };
        segment.cells.iter().filter_map(|by| self.at(from.plus(*by))).for_each(&mut f);
    }

    /// The cells other than two that the segment from centre to centre has more than a point in common with.
    #[must_use]
    pub fn between(&self, a: usize, b: usize) -> Set {
        let mut set = self.passed(a, self.centre(), b, self.centre());
        set.remove(a);
        set.remove(b);
        set
    }

    /// The first pair of neighbours, in the order along the segment, for which `which` holds of those whose common side
    /// it crosses at an inner point or runs along. `which` is given the cell, the number of the side there, which is in
    /// the first half, and the neighbour.
    pub fn crossed<E>(
        &self,
        (a, i, b, j): (usize, usize, usize, usize),
        mut which: impl FnMut(usize, usize, usize) -> Result<bool, E>,
    ) -> Result<Option<(usize, usize)>, E> {
        let Some((from, segment)) = self.segment(a, i, b, j) else {
            return Ok(None);
        };
        for (by, side) in &segment.sides {
            let side = usize::from(*side);
            if let Some(x) = self.at(from.plus(*by))
                && let Some(y) = self.ahead(x, side)
                && which(x, side, y)?
            {
                return Ok(Some((x, y)));
            }
        }
        Ok(None)
    }

    /// The place a segment begins at and what it meets.
    fn segment(&self, a: usize, i: usize, b: usize, j: usize) -> Option<(Spot, Cow<'_, Segment>)> {
        let points = self.shape.sides() + 1;
        if i >= points || j >= points {
            return None;
        }
        let (from, to) = (self.spot(a)?, self.spot(b)?);
        let by = to.minus(from);
        let make = || Segment::new(self.shape, by, i, j);
        // Cells of the box differ by less than its size.
        let row = (by.r + self.high - 1) as usize * (2 * self.wide as usize - 1);
        let segment = match self.kept.get(row + (by.q + self.wide - 1) as usize) {
            Some(ends) => {
                let ends = ends.get_or_init(|| vec![OnceLock::new(); points * points].into());
                Cow::Borrowed(ends.get(i * points + j)?.get_or_init(make))
            }
            None => Cow::Owned(make()),
        };
        Some((from, segment))
    }
}
