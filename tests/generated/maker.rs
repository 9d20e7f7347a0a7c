//! The state of the generator: what is declared, what is in scope, what an expression may still cost.

use std::collections::BTreeSet;

use super::source::Source;
use super::world::{Base, Elem, INT, Local, Ty, World};

/// So many parts of an expression may be looked at for one answer.
pub const LIMIT: u64 = 1_500;

/// Ranges with odd bounds.
pub const RANGES: [(i32, i32); 39] = [
    (0, 3),
    (0, 1),
    (1, 6),
    (0, 9),
    (2, 5),
    (5, 9),
    (-2, 2),
    (-1, 0),
    (0, 0),
    (-7, -4),
    (3, 4),
    (1, 1),
    (-9, 9),
    (0, 62),
    (0, 63),
    (0, 64),
    (1, 64),
    (-1, 63),
    (-64, 63),
    (0, 126),
    (0, 127),
    (0, 128),
    (1, 127),
    (120, 130),
    (0, 254),
    (0, 255),
    (0, 256),
    (-128, 127),
    (1, 255),
    (200, 210),
    (0, 299),
    (1, 487),
    (-1, 511),
    (-100, 499),
    (0, 999),
    (0, 1023),
    (4000, 4005),
    (-1_000_000, -999_997),
    (2_147_483_640, 2_147_483_644),
];

/// Sizes of kinds that are not small.
pub const SIZES: [usize; 15] = [64, 65, 63, 128, 127, 129, 255, 256, 257, 300, 487, 513, 600, 1000, 1024];

/// The generator.
pub struct Maker<'s> {
    pub source: &'s mut dyn Source,
    pub world: World,
    pub text: String,
    pub used: BTreeSet<&'static str>,
    pub locals: Vec<Local>,
    /// How often what is written next is looked at.
    pub weight: u64,
    /// What was written so far costs so much.
    pub cost: u64,
    /// Definitions that may be asked: those before.
    pub defs: usize,
    /// `would` may stand here.
    pub would: bool,
    /// Whose steps and variables are known by bare names.
    pub inside: Option<usize>,
    pub fresh: usize,
    /// There may be steps, which machine code leaves to the trees.
    pub with_steps: bool,
    /// There may be sets of more than 128.
    pub wide: bool,
}

impl<'s> Maker<'s> {
    pub fn new(source: &'s mut dyn Source) -> Maker<'s> {
        let (with_steps, wide) = (source.below(4) == 3, source.below(4) == 3);
        Maker {
            with_steps,
            wide,
            source,
            world: World::default(),
            text: String::new(),
            used: BTreeSet::new(),
            locals: Vec::new(),
            weight: 1,
            cost: 0,
            defs: 0,
            would: false,
            inside: None,
            fresh: 0,
        }
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.source.below(n)
    }

    /// Whether something that happens once in `n` times does.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) + 1 == n
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        let n = self.below(from.len());
        from.get(n).cloned()
    }

    /// Notes that something stands in the game.
    pub fn used(&mut self, what: &'static str) {
        self.used.insert(what);
    }

    pub fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    /// A name for something new; now and then one that hides another.
    pub fn name(&mut self, of: &str) -> String {
        if self.one_in(40)
            && let Some(local) = self.pick(&self.locals.clone())
        {
            self.used("hidden name");
            return local.name;
        }
        self.fresh += 1;
        format!("{of}{}", self.fresh)
    }

    /// What is in scope and not hidden.
    pub fn scope(&self) -> Vec<Local> {
        let mut found: Vec<Local> = Vec::new();
        for local in self.locals.iter().rev() {
            if found.iter().all(|l| l.name != local.name) {
                found.push(local.clone());
            }
        }
        found
    }

    /// Whether something over so many values may still be written here.
    pub fn fits(&self, size: u64) -> bool {
        self.weight.saturating_mul(size) <= LIMIT
    }

    /// Writes something in which a name is bound, and which is looked at so many times.
    pub fn with<T>(&mut self, bound: &[(String, Ty)], size: u64, write: impl FnOnce(&mut Self) -> T) -> T {
        let (depth, weight) = (self.locals.len(), self.weight);
        let bound = bound.iter().map(|(name, ty)| Local { name: name.clone(), ty: *ty, var: false, index: None });
        self.locals.extend(bound);
        self.weight = self.weight.saturating_mul(size.max(1));
        let written = write(self);
        self.locals.truncate(depth);
        self.weight = weight;
        written
    }

    pub fn range(&mut self) -> (i32, i32) {
        // The plain ones at the beginning are drawn more often.
        let most = if self.one_in(3) { RANGES.len() } else { 9 };
        let n = self.below(most);
        let (lo, hi) = RANGES[n];
        if self.wide || i64::from(hi) - i64::from(lo) < 128 { (lo, hi) } else { (hi - 127, hi) }
    }

    /// A range of which something is made for each value.
    pub fn short_range(&mut self) -> (i32, i32) {
        let (lo, hi) = self.range();
        if lo < -2000 || hi > 4095 { (lo, lo + 3) } else { (lo, hi) }
    }

    /// A range near another one: the same, wider, shifted.
    pub fn near(&mut self, (lo, hi): (i32, i32)) -> (i32, i32) {
        let room = |n: i32, by: i32| n.saturating_add(by).clamp(-2_147_483_640, 2_147_483_640);
        self.used("quantifier with another range than the field");
        match self.below(6) {
            0 => (lo, hi),
            1 => (0.min(lo), hi),
            2 => (room(lo, -1), room(hi, 1)),
            3 => (room(lo, -3), hi),
            4 => (lo, room(hi, 5)),
            _ => (hi, room(hi, 2)),
        }
    }

    pub fn literal(&mut self) -> String {
        let n = match self.below(24) {
            n @ 0..=17 => n as i32 - 4,
            18 => 63,
            19 => -64,
            20 => 128,
            21 => 255,
            22 => 4095,
            _ => {
                self.used("number near the limits");
                self.pick(&[2_147_483_645, -2_147_483_645, 1_073_741_824, 65_536, -65_537, 46_341]).unwrap_or(0)
            }
        };
        number(n)
    }

    pub fn elem(&mut self) -> Elem {
        match self.below(4) {
            0 | 1 => Elem::Kind(self.below(self.world.kinds.len())),
            2 => {
                let (lo, hi) = self.short_range();
                Elem::Range(lo, hi)
            }
            _ => Elem::Truth,
        }
    }

    /// A kind of at least one member.
    pub fn kind(&mut self) -> usize {
        self.below(self.world.kinds.len())
    }

    /// A type for a variable.
    pub fn ty(&mut self, sets: bool) -> Ty {
        let base = match self.below(if sets { 10 } else { 7 }) {
            0 => Base::Truth,
            1 => INT,
            2 | 3 => {
                let (lo, hi) = self.range();
                Base::Num(lo, hi)
            }
            4..=6 => Base::Member(self.kind()),
            7 => {
                let e = self.elem();
                Base::Bag(if self.world.size(e) > 255 { Elem::Range(1, 6) } else { e })
            }
            _ => Base::Set(self.elem()),
        };
        let opt = !matches!(base, Base::Set(_) | Base::Bag(_)) && self.one_in(3);
        Ty { base, opt }
    }
}

/// A number as it is written among others.
pub fn number(n: i32) -> String {
    if n < 0 { format!("({n})") } else { n.to_string() }
}
