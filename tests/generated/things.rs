//! Members, sets, bags, ways and what a grid tells.

use super::maker::Maker;
use super::world::{Base, Elem, Pile, Ty};

impl Maker<'_> {
    /// A member of a kind; where `opt`, perhaps nothing.
    pub fn member(&mut self, k: usize, opt: bool, d: u32) -> String {
        self.cost += self.weight;
        if opt && self.one_in(16) {
            return String::from("none");
        }
        if d == 0 || !self.fits(1) {
            let read = if self.below(3) > 0 { self.read(Base::Member(k), opt, 0) } else { None };
            return read.unwrap_or_else(|| self.literal_member(k));
        }
        let d = d - 1;
        match self.below(9) {
            0 => self.literal_member(k),
            1..=4 => self.read(Base::Member(k), opt, d + 1).unwrap_or_else(|| self.literal_member(k)),
            5 => {
                self.used("if");
                format!("(if {} then {} else {})", self.condition(d), self.member(k, opt, d), self.member(k, opt, d))
            }
            _ => {
                let found = self.found(k, d);
                match (found, opt) {
                    (Some(found), true) => found,
                    (Some(found), false) => {
                        self.used("or, of nothing");
                        format!("({found} or {})", self.literal_member(k))
                    }
                    (None, _) => self.literal_member(k),
                }
            }
        }
    }

    pub fn literal_member(&mut self, k: usize) -> String {
        let members = &self.world.kinds[k].members;
        let last = members.len() - 1;
        // The first and the last are at the edges of words of bits.
        let n = match self.below(4) {
            0 => 0,
            1 => last,
            _ => self.below(last + 1),
        };
        self.world.kinds[k].members[n].clone()
    }

    /// A member looked for, perhaps nothing.
    fn found(&mut self, k: usize, d: u32) -> Option<String> {
        match self.below(4) {
            0 => {
                let tops: Vec<usize> = (0..self.world.vars.len())
                    .filter(|i| self.world.vars[*i].pile == Pile::Ordered)
                    .filter(|i| self.world.vars[*i].ty.base == Base::Set(Elem::Kind(k)))
                    .collect();
                let i = self.pick(&tops)?;
                self.used("the top of");
                Some(format!("(the top of {})", self.var(i, 1)))
            }
            1 => self.direction(k, d),
            _ => {
                let size = self.world.size(Elem::Kind(k));
                if !self.fits(size) {
                    return None;
                }
                self.used("the");
                let set = if self.one_in(2) { self.world.kinds[k].name.clone() } else { self.set(Elem::Kind(k), d) };
                if set == "{}" {
                    return None;
                }
                let x = self.name("x");
                let of = self.with(&[(x.clone(), Ty::of(Base::Member(k)))], size, |m| m.condition(d));
                Some(format!("(the {x} in {set} where {of})"))
            }
        }
    }

    /// A set.
    pub fn set(&mut self, e: Elem, d: u32) -> String {
        match (self.some_of(e, d), e) {
            (set, _) if set != "{}" => set,
            (_, Elem::Kind(k)) => format!("{{ {} }}", self.literal_member(k)),
            (_, Elem::Range(lo, hi)) => format!("{{ y in {lo}..{} where true }}", hi),
            (_, Elem::Truth) => String::from("{ true }"),
        }
    }

    /// A set; `{}` where nothing is at hand.
    fn some_of(&mut self, e: Elem, d: u32) -> String {
        self.cost += self.weight;
        let size = self.world.size(e);
        if d == 0 || !self.fits(size) {
            return self.read_set(e, 0).or_else(|| self.listed(e)).unwrap_or_else(|| String::from("{}"));
        }
        let d = d - 1;
        match self.below(12) {
            0 => self.read_set(e, d).or_else(|| self.listed(e)).unwrap_or_else(|| String::from("{}")),
            1 => self.listed(e).unwrap_or_else(|| String::from("{}")),
            2 | 3 => self.those_where(e, d),
            4 => self.values_for(e, d),
            5 | 6 => {
                let op = self.pick(&["+", "-", "*"]).unwrap_or("+");
                self.used(match op {
                    "+" => "sets together",
                    "-" => "sets taken apart",
                    _ => "sets in common",
                });
                match (self.set(e, d), self.set(e, d)) {
                    (a, b) if a == "{}" || b == "{}" => self.those_where(e, d),
                    (a, b) => format!("({a} {op} {b})"),
                }
            }
            7 => {
                let (a, b) = (self.set(e, d), self.set(e, d));
                if a == "{}" || b == "{}" {
                    return self.those_where(e, d);
                }
                self.used("if");
                format!("(if {} then {a} else {b})", self.condition(d))
            }
            8 | 9 => self.linked(e, d).unwrap_or_else(|| self.those_where(e, d)),
            10 => self.reached(e, d).unwrap_or_else(|| self.those_where(e, d)),
            _ => self.cells(e, d).unwrap_or_else(|| self.those_where(e, d)),
        }
    }

    /// A variable, pile or bag as a set.
    fn read_set(&mut self, e: Elem, d: u32) -> Option<String> {
        if self.one_in(4)
            && let Some(bag) = self.bag(e)
        {
            self.used("bag as a set");
            return Some(bag);
        }
        self.read(Base::Set(e), false, d)
    }

    fn listed(&mut self, e: Elem) -> Option<String> {
        let Elem::Kind(k) = e else {
            return None;
        };
        self.used("set written out");
        let members: Vec<String> = (0..1 + self.below(3)).map(|_| self.member(k, false, 0)).collect();
        Some(format!("{{ {} }}", members.join(", ")))
    }

    fn those_where(&mut self, e: Elem, d: u32) -> String {
        let size = self.world.size(e);
        let over = match e {
            Elem::Truth => return self.read_set(e, d).unwrap_or_else(|| String::from("{}")),
            e => self.world.elem(e),
        };
        if !self.fits(size) {
            return String::from("{}");
        }
        self.used("set with a condition");
        let x = self.name("x");
        let of = self.with(&[(x.clone(), e.one())], size, |m| m.condition(d));
        format!("{{ {x} in {over} where {of} }}")
    }

    /// What is found for each of some.
    fn values_for(&mut self, e: Elem, d: u32) -> String {
        let Elem::Kind(k) = e else {
            return self.those_where(e, d);
        };
        self.used("set of what is found");
        let (over, from, size) = self.domain(d);
        let x = self.name("x");
        self.with(&[(x.clone(), from.one())], size, |m| {
            let of = m.member(k, true, d.max(1));
            let of = if of == "none" { m.literal_member(k) } else { of };
            let cond = if m.one_in(2) { format!(" where {}", m.condition(d)) } else { String::new() };
            format!("{{ {of} for {x} in {over}{cond} }}")
        })
    }

    fn linked(&mut self, e: Elem, d: u32) -> Option<String> {
        let Elem::Kind(k) = e else {
            return None;
        };
        let mut ways = Vec::new();
        for (i, (_, from, to)) in self.world.links.iter().enumerate() {
            if *to == k {
                ways.push((i, false));
            }
            if *from == k && from != to {
                ways.push((i, true));
            }
        }
        let (i, back) = self.pick(&ways)?;
        let (name, from, to) = self.world.links[i].clone();
        let directed = name.starts_with("arrow");
        if from == to && self.one_in(3) {
            return self.reach_by_links(&name, k, d);
        }
        let back = back || directed && from == to && self.one_in(2);
        self.used(if back { "back" } else { "links" });
        let of = self.member(if back { to } else { from }, true, d);
        let of = if of == "none" { self.literal_member(if back { to } else { from }) } else { of };
        Some(if back { format!("(back {name}({of}))") } else { format!("{name}({of})") })
    }

    fn reach_by_links(&mut self, name: &str, k: usize, d: u32) -> Option<String> {
        let size = self.world.size(Elem::Kind(k));
        if !self.fits(size) {
            return None;
        }
        self.used("reach by links");
        let from = self.step_from(k, d);
        if self.one_in(3) {
            return Some(format!("reach({name}, {from})"));
        }
        let x = self.name("x");
        let of = self.with(&[(x.clone(), Ty::of(Base::Member(k)))], size, |m| m.condition(d));
        Some(format!("reach({name}, {from}, {x} where {of})"))
    }

    /// `a to b in SET where C cost E`, and the kind.
    fn steps(&mut self, k: usize, d: u32) -> Option<(String, bool)> {
        let size = self.world.size(Elem::Kind(k));
        if !self.with_steps || size > 9 || !self.fits(size * size) {
            return None;
        }
        let (a, b) = (self.name("a"), self.name("b"));
        if a == b {
            return None;
        }
        let ty = Ty::of(Base::Member(k));
        let d = d.min(1);
        let set = self.with(&[(a.clone(), ty)], size, |m| m.set(Elem::Kind(k), d + 1));
        let set = if set == "{}" { self.world.kinds[k].name.clone() } else { set };
        let mut text = format!("{a} to {b} in {set}");
        let mut priced = false;
        self.with(&[(a, ty), (b, ty)], size * size, |m| {
            if m.one_in(2) {
                m.used("steps with a condition");
                text += &format!(" where {}", m.condition(d));
            }
            if m.one_in(2) {
                m.used("steps with a price");
                priced = true;
                let price = m.number_or_nothing(d);
                let price = if m.one_in(8) { price } else { format!("max(0, min(20, {price}))") };
                text += &format!(" cost {price}");
            }
        });
        Some((text, priced))
    }

    fn reached(&mut self, e: Elem, d: u32) -> Option<String> {
        let Elem::Kind(k) = e else {
            return None;
        };
        let (steps, priced) = self.steps(k, d)?;
        self.used("reach by steps");
        let from = self.step_from(k, d);
        let within =
            if priced || self.one_in(2) { format!(" within {}", self.number(d.min(1))) } else { String::new() };
        Some(format!("reach({from}, {steps}{within})"))
    }

    fn step_from(&mut self, k: usize, d: u32) -> String {
        let from = if self.one_in(3) { self.set(Elem::Kind(k), d) } else { self.member(k, true, d) };
        if from == "{}" || from == "none" { self.literal_member(k) } else { from }
    }

    /// The price of the cheapest way, perhaps nothing.
    pub fn way(&mut self, d: u32) -> Option<String> {
        let k = self.kind();
        let (steps, _) = self.steps(k, d)?;
        self.used("way");
        let from = self.step_from(k, d);
        let to = self.member(k, false, d);
        Some(format!("way({from}, {to}, {steps})"))
    }

    /// What bags there are of.
    pub fn bags(&self) -> Vec<Elem> {
        let of = |ty: &Ty| match ty.base {
            Base::Bag(e) => Some(e),
            _ => None,
        };
        let fields = self.world.kinds.iter().flat_map(|k| &k.fields).map(|f| &f.ty);
        self.world
            .vars
            .iter()
            .map(|v| &v.ty)
            .chain(fields)
            .chain(self.locals.iter().map(|l| &l.ty))
            .filter_map(of)
            .collect()
    }

    /// A bag.
    pub fn bag(&mut self, e: Elem) -> Option<String> {
        self.read(Base::Bag(e), false, 1)
    }

    /// The cells of a grid, seen from one.
    fn cells(&mut self, e: Elem, d: u32) -> Option<String> {
        let Elem::Kind(k) = e else {
            return None;
        };
        let grids: Vec<usize> = (0..self.world.grids.len()).filter(|g| self.world.grids[*g].kind == k).collect();
        let g = self.pick(&grids)?;
        let grid = self.world.grids[g].clone();
        let a = self.member(k, true, d);
        let a = if a == "none" { self.literal_member(k) } else { a };
        let way = self.member(grid.facing, false, d.min(1));
        let b = self.member(k, false, d.min(1));
        let n = self.number_in(0, 3, 1);
        let (what, text) = match self.below(8) {
            0 => ("grid", format!("({a})")),
            1 => ("ring", format!(".ring({a}, {n})")),
            2 => ("disc", format!(".disc({a}, {n})")),
            3 => ("arc", format!(".arc({a}, {way}, {n})")),
            4 => ("wedge", format!(".wedge({a}, {way}, {n})")),
            5 => ("between", format!(".between({a}, {b})")),
            6 => {
                let other = self.member(grid.facing, false, d.min(1));
                ("passed", format!(".passed({a}, {way}, {b}, {other})"))
            }
            _ => return self.reach_by_links(&grid.name, k, d.min(1)),
        };
        self.used(what);
        Some(format!("{}{text}", grid.name))
    }

    /// A cell ahead, a direction: perhaps nothing.
    fn direction(&mut self, k: usize, d: u32) -> Option<String> {
        let grid = self.pick(&self.world.grids.clone())?;
        let d = d.min(1);
        if k == grid.kind {
            self.used("ahead");
            return Some(format!(
                "{}.ahead({}, {})",
                grid.name,
                self.member(k, false, d),
                self.member(grid.facing, false, d)
            ));
        }
        if k != grid.facing {
            return None;
        }
        let cell = grid.kind;
        Some(match self.below(2) {
            0 => {
                self.used("toward");
                format!("{}.toward({}, {})", grid.name, self.member(cell, false, d), self.member(cell, false, d))
            }
            _ => {
                self.used("turned");
                let from = self.member(k, true, d);
                let from = if from == "none" { self.literal_member(k) } else { from };
                format!("(if {} then {}.turned({from}, {}) else none)", self.truth(d), grid.name, self.number(d))
            }
        })
    }

    /// How far two cells are from each other, or a number of the side between them.
    pub fn distance(&mut self, d: u32) -> Option<String> {
        let grid = self.pick(&self.world.grids.clone())?;
        let (a, b) = (self.member(grid.kind, false, d.min(1)), self.member(grid.kind, false, d.min(1)));
        let numbers: Vec<_> = grid.sides.iter().filter(|(_, ty)| matches!(ty.base, Base::Num(..))).collect();
        if let Some((side, _)) = self.pick(&numbers)
            && self.one_in(3)
        {
            self.used("field of a side");
            return Some(format!("{}.{side}({a}, {b})", grid.name));
        }
        self.used("distance");
        Some(match grid.partial {
            true => format!("({}.distance({a}, {b}) or {})", grid.name, self.below(9)),
            false => format!("{}.distance({a}, {b})", grid.name),
        })
    }

    /// Whether a line crosses certain sides.
    pub fn crosses(&mut self, d: u32) -> Option<String> {
        let grid = self.pick(&self.world.grids.clone())?;
        let d = d.min(1);
        let cells = self.world.size(Elem::Kind(grid.kind));
        if !self.fits(4 * cells) {
            return None;
        }
        let (a, b) = (self.member(grid.kind, false, d), self.member(grid.kind, false, d));
        let (i, j) = (self.member(grid.facing, false, d), self.member(grid.facing, false, d));
        let (x, y) = (self.name("x"), self.name("y"));
        if x == y {
            return None;
        }
        self.used("crosses");
        let ty = Ty::of(Base::Member(grid.kind));
        let of = self.with(&[(x.clone(), ty), (y.clone(), ty)], 4 * cells, |m| m.condition(d));
        Some(format!("{}.crosses({a}, {i}, {b}, {j}, {x} to {y} where {of})", grid.name))
    }
}
