//! Questions to grids, as tables, except the cells that lines pass, which are computed on demand.

use std::cell::RefCell;
use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::bits::Bits;
use super::eval::Ev;
use super::fallback::Fallback;
use super::ir::{Cond, Flow, Lin, NONE, Num, SetE};
use super::leaf::Leaf;
use super::lower::{Env, Local, Low, Lower};
use super::tree::{choose, depends_only_on, evaluate, of};
use crate::model::{Arith, Crosses, Expr, Grid, GridAsk, GridId, Lattice, Set, Value};
use crate::span::Span;

/// The maximum number of segments of which is kept what was found of them.
const MAX_SEGMENTS: usize = 1 << 22;

/// The largest table that is made.
const MAX_ENTRIES: usize = 1 << 20;

/// Tables by grid, question and constant arguments.
type Tables<T> = HashMap<(GridId, GridAsk, Vec<Option<usize>>), Arc<[T]>>;

/// The tables of all grids that are made so far.
#[derive(Debug, Default)]
pub(super) struct GridTables {
    numbers: Tables<i32>,
    sets: Tables<Bits>,
}

/// A segment: a cell and a point of it, another cell and a point of it.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub lattice: Arc<Lattice>,
    pub ends: Box<[Num; 4]>,
    /// Where it is asked for.
    pub at: Option<Span>,
}

/// Whether a segment crosses a side with a condition.
#[derive(Clone, Debug)]
pub(super) struct Crossing {
    pub line: Line,
    from: u16,
    to: u16,
    cond: Cond,
    /// The sides for which it holds, if that depends on nothing else.
    known: Option<Arc<KnownSides>>,
}

/// The sides for which a condition holds.
pub(super) struct KnownSides {
    /// A bit for each cell and the first half of its sides.
    sides: Box<[u64]>,
    /// What was found of segments between two points of cells: whether one crosses such a side.
    found: Box<[AtomicU8]>,
}

impl fmt::Debug for KnownSides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownSides").field("sides", &self.sides).finish_non_exhaustive()
    }
}

/// What was found of a segment: nothing is known of it yet, it crosses none, or one.
pub(super) const UNKNOWN: u8 = 0;
const CLEAR: u8 = 1;
pub(super) const CROSSED: u8 = 2;

impl Line {
    pub fn walk(&self, f: &mut dyn FnMut(Leaf)) {
        f(Leaf::Loop);
        self.ends.iter().for_each(|n| n.walk(f));
    }
}

impl Crossing {
    pub fn walk(&self, f: &mut dyn FnMut(Leaf)) {
        self.line.walk(f);
        f(Leaf::Bind(self.from));
        f(Leaf::Bind(self.to));
        self.cond.walk(f);
    }

    /// Whether a segment crosses a side with a property.
    fn crosses_where(&self, [a, i, b, j]: [usize; 4], has: impl Fn(usize, usize, usize) -> bool) -> bool {
        let found = self.line.lattice.crossed((a, i, b, j), |x, side, y| Ok::<bool, Infallible>(has(x, side, y)));
        matches!(found, Ok(Some(_)))
    }

    /// Whether a segment crosses one of the known sides; looked up if that was found before.
    fn crosses_known(&self, known: &KnownSides, ends: [usize; 4]) -> bool {
        let (cells, points) = (self.line.lattice.len(), self.line.lattice.shape().sides() + 1);
        let [a, i, b, j] = ends;
        let within = a < cells && b < cells && i < points && j < points;
        let place = within.then(|| ((a * points + i) * cells + b) * points + j).and_then(|at| known.found.get(at));
        match place.map_or(UNKNOWN, |place| place.load(Ordering::Relaxed)) {
            UNKNOWN => {}
            found => return found == CROSSED,
        }
        let crosses = self.crosses_where(ends, |x, side, _| {
            let bit = self.bit(x, side);
            known.sides.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
        });
        if let Some(place) = place {
            place.store(if crosses { CROSSED } else { CLEAR }, Ordering::Relaxed);
        }
        crosses
    }

    /// What was found of all segments so far, if that is kept: by a cell, a point of it, another cell and a point
    /// of it. With it the number of cells and of points.
    pub fn found(&self) -> Option<(&[AtomicU8], usize, usize)> {
        let found = &*self.known.as_ref()?.found;
        let (cells, points) = (self.line.lattice.len(), self.line.lattice.shape().sides() + 1);
        (found.len() == (cells * points).pow(2)).then_some((found, cells, points))
    }

    /// The number of a side among all.
    fn bit(&self, cell: usize, side: usize) -> usize {
        cell * (self.line.lattice.shape().sides() / 2) + side
    }
}

impl Ev<'_> {
    /// The ends of a segment, found in turn up to the first that is nothing.
    fn ends(&self, line: &Line) -> Option<[usize; 4]> {
        let mut found = [0; 4];
        for (place, n) in found.iter_mut().zip(&*line.ends) {
            *place = usize::try_from(self.num(n)).ok()?;
        }
        Some(found)
    }

    /// The cells that a segment passes.
    pub fn passed(&self, line: &Line) -> Bits {
        let mut set = Bits::default();
        if let Some([a, i, b, j]) = self.ends(line) {
            line.lattice.each_passed(a, i, b, j, |cell| set.add(cell as u32));
        }
        set
    }

    pub fn crosses(&self, crossing: &Crossing) -> bool {
        let Some([a, i, b, j]) = self.ends(&crossing.line) else {
            return false;
        };
        if let Some(known) = &crossing.known {
            return crossing.crosses_known(known, [a, i, b, j]);
        }
        crossing.crosses_where([a, i, b, j], |x, _, y| {
            self.bind(crossing.from, x.min(y) as i32);
            self.bind(crossing.to, x.max(y) as i32);
            self.cond(&crossing.cond)
        })
    }
}

/// The sides found for conditions, for each grid.
pub(super) type AllKnownSides = RefCell<Vec<(Arc<Lattice>, Arc<KnownSides>)>>;

/// A number that is given as an argument: itself, and how many it can be.
type Term = (Num, u32);

fn number(i: Option<usize>) -> i32 {
    i.and_then(|i| i32::try_from(i).ok()).unwrap_or(NONE)
}

impl Lower<'_> {
    fn grid(&self, id: GridId) -> Low<&Grid> {
        self.model.grids.get(id.i()).ok_or(Fallback::Form)
    }

    /// The arguments that are numbers, each with its number of possible values. An unbounded number is reduced to the
    /// values that matter.
    fn terms(&mut self, grid: GridId, ask: GridAsk, args: &[Expr], env: &mut Env) -> Low<Vec<Term>> {
        let lattice = Arc::clone(&self.grid(grid)?.lattice);
        let (cells, sides) = (lattice.len() as u32, lattice.shape().sides() as u32);
        let nums = args.iter().map(|a| self.num(a, env)).collect::<Low<Vec<Num>>>()?;
        let far = lattice.farthest().max(0) as u32 + 1;
        let half = sides / 2 + 1;
        let sizes: &[u32] = match ask {
            GridAsk::Side(_) | GridAsk::Toward | GridAsk::Distance | GridAsk::Between => &[cells, cells],
            GridAsk::Ahead => &[cells, sides],
            GridAsk::Turned => &[sides, sides],
            GridAsk::Ring | GridAsk::Disc => &[cells, far],
            GridAsk::Arc | GridAsk::Wedge => &[cells, sides, half],
            GridAsk::Passed => &[cells, sides, cells, sides],
        };
        let mut terms: Vec<Term> = nums.into_iter().zip(sizes.iter().copied()).collect();
        let (op, bound) = match ask {
            GridAsk::Turned => (Arith::Mod, sides),
            GridAsk::Disc => (Arith::Min, far - 1),
            GridAsk::Arc | GridAsk::Wedge => (Arith::Min, half - 1),
            _ => return Ok(terms),
        };
        if let Some((last, _)) = terms.last_mut() {
            let n = std::mem::replace(last, Num::Const(NONE));
            *last = self.fold(Num::Arith(op, Box::new((n, Num::Const(bound as i32)))));
        }
        Ok(terms)
    }

    /// A table over all possible arguments, which is made once for one question; constant ones take no room in it.
    /// `None` if an argument is certainly out of bounds.
    fn tabulated<T>(
        (id, ask, terms): (GridId, GridAsk, Vec<Term>),
        known: &mut Tables<T>,
        mut f: impl FnMut(&[usize]) -> Low<T>,
    ) -> Low<Option<(Arc<[T]>, Lin)>> {
        let mut at = vec![0; terms.len()];
        let mut free = Vec::new();
        for (place, (i, (n, count))) in at.iter_mut().zip(terms.iter().enumerate()) {
            match n {
                Num::Const(k) if (0..*count as i32).contains(k) => *place = *k as usize,
                Num::Const(_) => return Ok(None),
                _ => free.push(i),
            }
        }
        let count = |i: &usize| terms.get(*i).map_or(0, |t| t.1 as usize);
        let entries = free.iter().try_fold(1usize, |all, i| all.checked_mul(count(i))).ok_or(Fallback::Form)?;
        if entries > MAX_ENTRIES {
            return Err(Fallback::TooLarge);
        }
        let constant = |i| if free.contains(&i) { None } else { at.get(i).copied() };
        let key = (id, ask, (0..at.len()).map(constant).collect());
        let table = match known.get(&key) {
            Some(table) => Arc::clone(table),
            None => {
                let mut table = Vec::with_capacity(entries);
                for entry in 0..entries {
                    let mut rest = entry;
                    for i in free.iter().rev() {
                        at[*i] = rest % count(i);
                        rest /= count(i);
                    }
                    table.push(f(&at)?);
                }
                Arc::clone(known.entry(key).or_insert(table.into()))
            }
        };
        let terms: Vec<_> =
            terms.into_iter().filter(|t| !matches!(t.0, Num::Const(_))).map(|(n, c)| (n, 0, c)).collect();
        Ok(Some((table, Lin { terms: terms.into(), strict: false })))
    }

    /// A question to a grid whose answer is a number.
    pub fn grid_number(&mut self, id: GridId, ask: GridAsk, args: &[Expr], env: &mut Env) -> Low<Num> {
        let terms = self.terms(id, ask, args, env)?;
        let grid = self.grid(id)?.clone();
        let lattice = &grid.lattice;
        let mut known = std::mem::take(&mut self.grid_tables.numbers);
        let found = Self::tabulated((id, ask, terms), &mut known, |at| {
            let (a, b) = (at[0], at[1]);
            Ok(match ask {
                GridAsk::Side(field) => self.value(&grid.side(field, a, b))?,
                GridAsk::Ahead => number(lattice.ahead(a, b)),
                GridAsk::Toward => number(lattice.toward(a, b)),
                GridAsk::Turned => number(Some(lattice.turned(a, b as i32))),
                GridAsk::Distance => lattice.distance(a, b).unwrap_or(NONE),
                _ => return Err(Fallback::Form),
            })
        });
        self.grid_tables.numbers = known;
        Ok(found?.map_or(Num::Const(NONE), |(table, lin)| Num::Table(table, lin)))
    }

    /// A question to a grid whose answer is a set.
    pub fn grid_set(&mut self, id: GridId, ask: GridAsk, args: &[Expr], env: &mut Env) -> Low<SetE> {
        let at = self.at.get();
        let terms = self.terms(id, ask, args, env)?;
        let grid = self.grid(id)?.clone();
        let lattice = &grid.lattice;
        if matches!(ask, GridAsk::Between | GridAsk::Passed) {
            return self.line_set(lattice, ask, terms.into_iter().map(|t| t.0).collect(), at);
        }
        let mut known = std::mem::take(&mut self.grid_tables.sets);
        let found = Self::tabulated((id, ask, terms), &mut known, |at| {
            let set = match (ask, at) {
                (GridAsk::Ring, [c, n]) => lattice.ring(*c, *n as i32),
                (GridAsk::Disc, [c, n]) => lattice.disc(*c, *n as i32),
                (GridAsk::Arc, [c, d, n]) => lattice.arc(*c, *d, *n as i32),
                (GridAsk::Wedge, [c, d, n]) => lattice.wedge(*c, *d, *n as i32),
                (GridAsk::Side(field), [a, b]) => match grid.side(field, *a, *b) {
                    Value::Set(set) => set,
                    _ => Set::new(),
                },
                _ => return Err(Fallback::Form),
            };
            self.bits(&set)
        });
        self.grid_tables.sets = known;
        Ok(found?.map_or(SetE::Const(Bits::default()), |(table, lin)| SetE::Table(table, lin)))
    }

    fn line_set(&mut self, lattice: &Arc<Lattice>, ask: GridAsk, nums: Vec<Num>, at: Option<Span>) -> Low<SetE> {
        let line = |ends: [Num; 4]| SetE::Passed(Line { lattice: Arc::clone(lattice), ends: Box::new(ends), at });
        match (ask, <[Num; 4]>::try_from(nums)) {
            (_, Ok(ends)) => Ok(line(ends)),
            (_, Err(nums)) => {
                let [a, b] = <[Num; 2]>::try_from(nums).map_err(|_| Fallback::Form)?;
                let centre = || Num::Const(lattice.centre() as i32);
                let all = line([a.clone(), centre(), b.clone(), centre()]);
                let ends = SetE::Of(Box::new([a, b]), 0, lattice.len(), true);
                Ok(SetE::Minus(Box::new((all, ends))))
            }
        }
    }

    /// Whether a segment crosses a side with a condition.
    pub fn crossing(&mut self, crosses: &Crosses, env: &mut Env) -> Low<Cond> {
        let at = self.at.get();
        let lattice = Arc::clone(&self.grid(crosses.grid)?.lattice);
        let ends = crosses.ends.iter().map(|e| self.num(e, env)).collect::<Low<Vec<Num>>>()?;
        let ends = <[Num; 4]>::try_from(ends).map_err(|_| Fallback::Form)?;
        let (from, to) = (self.slot()?, self.slot()?);
        env.set(crosses.from, Local::Slot(from));
        env.set(crosses.to, Local::Slot(to));
        let cond = self.cond(&crosses.cond, env)?;
        let line = Line { lattice, ends: Box::new(ends), at };
        Ok(self.crossing_where(Crossing { line, from, to, cond, known: None }))
    }

    /// The same, asked once for each case that the condition tells apart beforehand.
    fn crossing_where(&self, mut crossing: Crossing) -> Cond {
        let cases = match &crossing.cond {
            Cond::Flow(flow) => match &**flow {
                Flow::If(c, a, b) => Some((c.clone(), a.clone(), b.clone())),
                _ => None,
            },
            Cond::Is(Num::Flow(flow), i) => match &**flow {
                Flow::If(c, a, b) => Some((c.clone(), Cond::Is(a.clone(), *i), Cond::Is(b.clone(), *i))),
                _ => None,
            },
            _ => None,
        };
        if let Some((c, a, b)) = cases {
            let s = of(&self.shared, &c);
            if !s.risky && ![crossing.from, crossing.to].iter().any(|slot| s.slots.contains(slot)) {
                let [a, b] = [a, b].map(|cond| self.crossing_where(Crossing { cond, ..crossing.clone() }));
                return choose(c, a, b);
            }
        }
        crossing.known = self.known(&crossing);
        Cond::Crosses(Box::new(crossing))
    }

    /// For which sides the condition holds, if it depends only on the cells and never fails.
    fn known(&self, crossing: &Crossing) -> Option<Arc<KnownSides>> {
        if !depends_only_on(&of(&self.shared, &crossing.cond), &[crossing.from, crossing.to]) {
            return None;
        }
        let lattice = &crossing.line.lattice;
        let half = lattice.shape().sides() / 2;
        let mut words = vec![0u64; (lattice.len() * half).div_ceil(64)];
        for (x, side) in (0..lattice.len()).flat_map(|x| (0..half).map(move |side| (x, side))) {
            let Some(y) = lattice.ahead(x, side) else {
                continue;
            };
            self.scratch.slots.get(usize::from(crossing.from))?.set(x.min(y) as i32);
            self.scratch.slots.get(usize::from(crossing.to))?.set(x.max(y) as i32);
            if evaluate(&self.shared, &self.scratch, &crossing.cond)? {
                let bit = crossing.bit(x, side);
                *words.get_mut(bit / 64)? |= 1 << (bit % 64);
            }
        }
        let mut kept = self.known_sides.borrow_mut();
        let same = |(of, known): &&(Arc<Lattice>, Arc<KnownSides>)| Arc::ptr_eq(of, lattice) && *known.sides == *words;
        if let Some((_, known)) = kept.iter().find(same) {
            return Some(Arc::clone(known));
        }
        let points = lattice.shape().sides() + 1;
        let segments = (lattice.len() * points).pow(2);
        let segments = if segments <= MAX_SEGMENTS { segments } else { 0 };
        let found = (0..segments).map(|_| AtomicU8::new(UNKNOWN)).collect();
        let known = Arc::new(KnownSides { sides: words.into(), found });
        kept.push((Arc::clone(lattice), Arc::clone(&known)));
        Some(known)
    }
}
