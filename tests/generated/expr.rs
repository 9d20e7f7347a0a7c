//! Truths and numbers.

use super::maker::{Maker, number};
use super::world::{Base, Elem, INT, Local, Pile, Ty};

/// The ways that a value is read from.
#[derive(Clone, Copy)]
enum Way {
    Local(usize),
    Var(usize),
    Field(usize, usize),
    Def(usize),
    Own(usize, usize),
}

impl Maker<'_> {
    /// A name, field, variable or definition of the type; of numbers any range. Where `opt`, one that may be nothing.
    pub fn read(&mut self, base: Base, opt: bool, d: u32) -> Option<String> {
        let fits = |ty: Ty| {
            let same = match (base, ty.base) {
                (Base::Num(..), Base::Num(..)) => true,
                (a, b) => a == b,
            };
            same && (opt || !ty.opt)
        };
        let scope = self.scope();
        let hidden = |name: &str| scope.iter().any(|l| l.name == name);
        let mut ways = Vec::new();
        for (i, local) in scope.iter().enumerate().filter(|(_, l)| fits(l.ty) && (l.index.is_none() || d > 0)) {
            // What is bound nearby is the most telling.
            let times = if local.var { 1 } else { 3 };
            ways.extend(std::iter::repeat_n(Way::Local(i), times));
        }
        for (i, var) in self.world.vars.iter().enumerate() {
            if fits(var.ty) && (var.index.is_none() || d > 0) && !hidden(&var.name) {
                ways.push(Way::Var(i));
            }
        }
        if d > 0 {
            for (k, kind) in self.world.kinds.iter().enumerate() {
                let of = kind.fields.iter().enumerate().filter(|(_, f)| fits(f.ty));
                ways.extend(of.map(|(f, _)| Way::Field(k, f)));
            }
            let defs = self.world.defs.iter().take(self.defs).enumerate();
            let room = |cost: u64| self.fits(cost);
            ways.extend(defs.filter(|(_, f)| fits(f.ty) && room(f.cost) && !hidden(&f.name)).map(|(i, _)| Way::Def(i)));
            if opt {
                for (p, proc) in self.world.procs.iter().enumerate().filter(|(p, _)| self.inside != Some(*p)) {
                    let vars = proc.vars.iter().enumerate().filter(|(_, v)| fits(v.ty) && v.index.is_none());
                    ways.extend(vars.map(|(v, _)| Way::Own(p, v)));
                }
            }
        }
        let way = self.pick(&ways)?;
        self.cost += self.weight;
        Some(match way {
            Way::Local(i) => self.local(&scope[i], d),
            Way::Var(i) => self.var(i, d),
            Way::Field(k, f) => {
                let field = self.world.kinds[k].fields[f].name.clone();
                let member = self.member(k, opt, d - 1);
                let member = if member == "none" { self.literal_member(k) } else { member };
                self.used("field");
                format!("{}.{field}", dotted(&member))
            }
            Way::Def(i) => self.call(i, opt, d - 1),
            Way::Own(p, v) => {
                self.used("variable of a procedure elsewhere");
                let proc = &self.world.procs[p];
                format!("{}.{}", proc.name, proc.vars[v].name)
            }
        })
    }

    /// A name in scope, with its index.
    pub fn local(&mut self, local: &Local, d: u32) -> String {
        match local.index {
            Some(k) => {
                self.used("indexed variable of a procedure");
                format!("{}[{}]", local.name, self.member(k, false, d.saturating_sub(1).min(1)))
            }
            None => local.name.clone(),
        }
    }

    /// A variable, with its index.
    pub fn var(&mut self, i: usize, d: u32) -> String {
        let var = self.world.vars[i].clone();
        match var.pile {
            Pile::No => {}
            Pile::Loose => self.used("pile read"),
            Pile::Ordered => self.used("ordered pile read"),
        }
        match var.index {
            Some(k) => {
                self.used("indexed variable");
                let at = self.member(k, false, d.saturating_sub(1).min(1));
                format!("{}[{at}]", var.name)
            }
            None => var.name,
        }
    }

    /// A definition asked.
    pub fn call(&mut self, i: usize, opt: bool, d: u32) -> String {
        let def = self.world.defs[i].clone();
        self.used("definition asked");
        self.cost = self.cost.saturating_add(self.weight.saturating_mul(def.cost));
        let mut args = Vec::new();
        for ty in &def.params {
            // A definition given nothing is nothing.
            let ty = Ty { opt: ty.opt || opt && self.one_in(4), ..*ty };
            args.push(self.value(ty, d.min(1)));
        }
        format!("{}({})", def.name, args.join(", "))
    }

    /// A value for a place of that type.
    pub fn value(&mut self, ty: Ty, d: u32) -> String {
        match ty.base {
            Base::Truth if ty.opt => self.maybe(Base::Truth, "false", d),
            Base::Truth => self.truth(d),
            INT if ty.opt => self.number_or_nothing(d),
            INT => self.number(d),
            Base::Num(lo, hi) => self.number_in(lo, hi, d),
            Base::Member(k) => self.member(k, ty.opt, d),
            Base::Set(e) => self.set(e, d),
            Base::Bag(e) => self.bag(e).unwrap_or_else(|| String::from("{}")),
        }
    }

    /// Something that may be nothing.
    fn maybe(&mut self, base: Base, plain: &str, d: u32) -> String {
        match self.below(4) {
            0 => String::from(plain),
            1 => String::from("none"),
            _ => self.read(base, true, d).unwrap_or_else(|| String::from(plain)),
        }
    }

    /// A number within bounds, most times.
    pub fn number_in(&mut self, lo: i32, hi: i32, d: u32) -> String {
        match self.below(6) {
            0 => number(lo),
            1 => number(hi),
            2 => number(lo.saturating_add(self.below(1 + (i64::from(hi) - i64::from(lo)).min(999) as usize) as i32)),
            _ => {
                let of = self.number(d);
                self.used("min and max");
                format!("max({}, min({}, {of}))", number(lo), number(hi))
            }
        }
    }

    /// A condition: a truth, or one that may be nothing.
    pub fn condition(&mut self, d: u32) -> String {
        if self.one_in(12)
            && let Some(read) = self.read(Base::Truth, true, d)
        {
            self.used("condition that may be nothing");
            return read;
        }
        self.truth(d)
    }

    pub fn truth(&mut self, d: u32) -> String {
        self.cost += self.weight;
        if d == 0 || !self.fits(1) {
            return match self.below(3) {
                0 => self.pick(&["true", "false"]).unwrap_or("true").to_owned(),
                1 => self.read(Base::Truth, false, 0).unwrap_or_else(|| String::from("false")),
                _ => self.compared(0),
            };
        }
        let d = d - 1;
        match self.below(22) {
            0 => self.read(Base::Truth, false, d).unwrap_or_else(|| String::from("true")),
            1..=3 => self.compared(d),
            4 => {
                self.used("not");
                format!("(not ({}))", self.truth(d))
            }
            5 | 6 => {
                self.used("and");
                format!("({} and {})", self.condition(d), self.condition(d))
            }
            7 => {
                self.used("or");
                format!("({} or {})", self.truth(d), self.truth(d))
            }
            8 | 9 => self.same_member(d),
            10 | 11 => self.member_in(d),
            12 => self.sets_compared(d),
            13..=15 => self.quantified(d),
            16 | 17 => self.joined(d),
            18 => {
                self.used("if");
                format!("(if {} then {} else {})", self.condition(d), self.truth(d), self.truth(d))
            }
            19 => self.matched(d, |m, d| m.truth(d)),
            20 => self.number_in_set(d),
            _ => self.special(d),
        }
    }

    fn compared(&mut self, d: u32) -> String {
        let op = self.pick(&["<", "<=", ">", ">=", "is", "is not", "==", "!="]).unwrap_or("<");
        self.used(match op {
            "is" => "is",
            "is not" => "is not",
            "==" | "!=" => "==",
            _ => "less",
        });
        let (a, b) = (self.number_or_nothing(d), self.number_or_nothing(d));
        format!("({a} {op} {b})")
    }

    fn same_member(&mut self, d: u32) -> String {
        let k = self.kind();
        let op = self.pick(&["is", "is not"]).unwrap_or("is");
        let a = self.member(k, true, d);
        let b = match self.below(4) {
            0 if a != "none" => {
                self.used("is none");
                String::from("none")
            }
            _ => self.member(k, true, d),
        };
        if a == "none" && b == "none" {
            return String::from("true");
        }
        format!("({a} {op} {b})")
    }

    fn member_in(&mut self, d: u32) -> String {
        let k = self.kind();
        self.used("in");
        let op = self.pick(&["in", "in", "not in"]).unwrap_or("in");
        format!("({} {op} {})", self.member(k, true, d), self.set(Elem::Kind(k), d))
    }

    fn sets_compared(&mut self, d: u32) -> String {
        let e = self.elem();
        let a = self.set(e, d);
        if a == "{}" {
            return String::from("true");
        }
        match self.below(4) {
            0 | 1 => {
                self.used("is empty");
                format!("({a} is empty)")
            }
            2 => {
                self.used("is not empty");
                format!("({a} is not empty)")
            }
            _ => {
                self.used("sets compared");
                let b = self.set(e, d);
                format!("({a} is {b})")
            }
        }
    }

    /// A set to go over: its words, what it is of, how many it may have.
    pub fn domain(&mut self, d: u32) -> (String, Elem, u64) {
        let e = self.elem();
        let size = self.world.size(e);
        if !self.fits(size) || size == 0 {
            return (String::from("0..2"), Elem::Range(0, 2), 3);
        }
        let whole = self.below(3) < 2 || d == 0;
        let text = match e {
            Elem::Kind(k) if whole => {
                self.used("over a kind");
                self.world.kinds[k].name.clone()
            }
            Elem::Range(lo, hi) if whole => {
                self.used("over a range");
                format!("{lo}..{hi}")
            }
            _ => {
                self.used("over a set");
                self.set(e, d - 1.min(d))
            }
        };
        if text == "{}" {
            return (String::from("0..2"), Elem::Range(0, 2), 3);
        }
        (text, e, size)
    }

    fn quantified(&mut self, d: u32) -> String {
        let how = self.pick(&["some", "every", "no"]).unwrap_or("some");
        self.used(how);
        let (set, e, size) = self.domain(d);
        let x = self.name("x");
        let of = self.with(&[(x.clone(), e.one())], size, |m| m.condition(d));
        format!("({how} {x} in {set}: {of})")
    }

    /// Values looked at one by one and counted by what is stored.
    fn joined(&mut self, d: u32) -> String {
        let mut fields = Vec::new();
        for (k, kind) in self.world.kinds.iter().enumerate() {
            let stored = |f: &&super::world::Field| {
                f.var
                    && match f.ty.base {
                        Base::Num(lo, hi) => i64::from(hi) - i64::from(lo) < 300,
                        Base::Member(_) => true,
                        _ => false,
                    }
            };
            fields.extend(kind.fields.iter().filter(stored).map(|f| (k, f.clone())));
        }
        let Some((k, field)) = self.pick(&fields) else {
            return self.quantified(d);
        };
        let (over, e) = match field.ty.base {
            Base::Member(to) => (self.world.kinds[to].name.clone(), Elem::Kind(to)),
            Base::Num(lo, hi) => {
                let (lo, hi) = self.near((lo, hi));
                (format!("{lo}..{hi}"), Elem::Range(lo, hi))
            }
            _ => return self.quantified(d),
        };
        let (outer, inner) = (self.world.size(e), self.world.size(Elem::Kind(k)));
        if !self.fits(outer.saturating_mul(inner)) {
            return self.quantified(d);
        }
        self.used("counted by a stored value");
        let (n, x) = (self.name("n"), self.name("x"));
        if n == x {
            return self.quantified(d);
        }
        let kind = self.world.kinds[k].name.clone();
        let how = self.below(4);
        self.with(&[(n.clone(), e.one())], outer, |m| {
            let also = m.with(&[(x.clone(), Ty::of(Base::Member(k)))], inner, |m| {
                if m.one_in(3) { format!(" and {}", m.truth(d.min(1))) } else { String::new() }
            });
            let met = format!("{x}.{} is {n}{also}", field.name);
            let c = m.below(3);
            let op = m.pick(&["is", ">", "<", ">="]).unwrap_or("is");
            let test = match how {
                0 => format!("(count {x} in {kind} where {met}) {op} {c}"),
                1 => format!("no {x} in {kind}: {met}"),
                2 => format!("some {x} in {kind}: {met}"),
                _ => format!("(count {x} in {kind} where {met}) {op} {c}"),
            };
            match m.below(4) {
                0 => format!("(some {n} in {over}: {test})"),
                1 => format!("(every {n} in {over}: {test})"),
                _ => format!("((count {n} in {over} where {test}) > {})", m.below(outer.min(99) as usize)),
            }
        })
    }

    /// `match` by value of a small kind, a truth or a number.
    pub fn matched(&mut self, d: u32, value: impl Fn(&mut Self, u32) -> String) -> String {
        self.used("match");
        let d = d.min(2);
        let small: Vec<usize> =
            (0..self.world.kinds.len()).filter(|k| self.world.kinds[*k].members.len() <= 5).collect();
        match (self.below(4), self.pick(&small)) {
            (2, Some(k)) => {
                self.used("match of nothing");
                let of = format!("(if {} then {} else none)", self.condition(d), self.member(k, false, d));
                let first = self.world.kinds[k].members[0].clone();
                let (a, b, c) = (value(self, d), value(self, d), value(self, d));
                match self.world.kinds[k].members.len() {
                    1 => format!("(match {of} {{ {first}: {a}  none: {b} }})"),
                    _ => format!("(match {of} {{ {first}: {a}  none: {b}  else: {c} }})"),
                }
            }
            (0 | 1, Some(k)) => {
                let mut arms = String::new();
                for member in self.world.kinds[k].members.clone() {
                    arms += &format!("{member}: {}  ", value(self, d));
                }
                format!("(match {} {{ {arms}}})", self.member(k, false, d))
            }
            _ => {
                let (a, b, c) = (value(self, d), value(self, d), value(self, d));
                format!("(match ({} - 1) {{ -2: {a}  0, 1: {b}  else: {c} }})", self.number(d))
            }
        }
    }

    fn number_in_set(&mut self, d: u32) -> String {
        self.used("number in a set");
        let n = self.number_or_nothing(d);
        // A number that certainly is not in the set is refused.
        let n = if n.ends_with(|c: char| c.is_ascii_digit() || c == ')') && !n.contains(' ') {
            String::from("tick")
        } else {
            n
        };
        match self.below(2) {
            0 => {
                let (lo, hi) = self.short_range();
                format!("({n} in {lo}..{hi})")
            }
            _ => {
                let (lo, hi) = self.short_range();
                format!("({n} in {})", self.set(Elem::Range(lo, hi), d))
            }
        }
    }

    /// What is rare: readings, procedures under way, would, lines of sight.
    fn special(&mut self, d: u32) -> String {
        let what = self.below(5);
        if what <= 1 && self.would {
            self.used("would");
            self.would = false;
            let of = self.with(&[], 8, |m| m.truth(d.min(2)));
            self.would = true;
            return format!("would({of})");
        }
        if what == 2
            && let Some((reading, is)) = self.pick(&self.world.readings.clone())
        {
            self.used("reading asked");
            return format!("({reading} is {is})");
        }
        if what == 3
            && let Some(text) = self.crosses(d)
        {
            return text;
        }
        if let Some(p) = self.pick(&self.world.procs.clone()) {
            self.used("is on");
            let op = self.pick(&["is", "is not"]).unwrap_or("is");
            return format!("({} {op} on)", p.name);
        }
        self.compared(d)
    }

    /// A number, or perhaps nothing.
    pub fn number_or_nothing(&mut self, d: u32) -> String {
        if self.one_in(6)
            && let Some(read) = self.read(INT, true, d)
        {
            return read;
        }
        if d > 0 && self.one_in(10) {
            return self.best(d - 1);
        }
        self.number(d)
    }

    pub fn number(&mut self, d: u32) -> String {
        self.cost += self.weight;
        if d == 0 || !self.fits(1) {
            let read = if self.below(3) > 0 { self.read(INT, false, 0) } else { None };
            return read.unwrap_or_else(|| self.literal());
        }
        let d = d - 1;
        match self.below(18) {
            0 => self.literal(),
            1..=4 => self.read(INT, false, d + 1).unwrap_or_else(|| self.literal()),
            5 | 6 => {
                let op = self.pick(&["+", "-", "+", "-", "*", "/", "mod"]).unwrap_or("+");
                self.used(match op {
                    "*" => "*",
                    "/" => "/",
                    "mod" => "mod",
                    _ => "+",
                });
                let a = self.number(d);
                let b = match op {
                    "/" | "mod" => number(self.pick(&[2, 3, -2, -3, 7, 64]).unwrap_or(2)),
                    "*" => number(self.pick(&[2, -1, 3, 0, 10]).unwrap_or(2)),
                    _ => self.number(d),
                };
                format!("({a} {op} {b})")
            }
            7 => {
                let f = self.pick(&["min", "max"]).unwrap_or("min");
                self.used("min and max");
                format!("{f}({}, {})", self.number(d), self.number(d))
            }
            8 => {
                self.used("abs");
                format!("abs({})", self.number(d))
            }
            9 => {
                self.used("minus");
                format!("(-({}))", self.number(d))
            }
            10 => {
                self.used("if");
                format!("(if {} then {} else {})", self.condition(d), self.number(d), self.number(d))
            }
            11 => self.matched(d, |m, d| m.number(d)),
            12 | 13 => self.counted(d),
            14 => self.summed(d),
            15 => {
                let best = self.best(d);
                format!("({best} or {})", self.literal())
            }
            16 => self.sized(d),
            _ => self.odd_number(d),
        }
    }

    fn counted(&mut self, d: u32) -> String {
        self.used("count");
        let (set, e, size) = self.domain(d);
        let x = self.name("x");
        let of = self.with(&[(x.clone(), e.one())], size, |m| m.condition(d));
        format!("(count {x} in {set} where {of})")
    }

    fn summed(&mut self, d: u32) -> String {
        self.used("sum");
        let (set, e, size) = self.domain(d);
        let x = self.name("x");
        self.with(&[(x.clone(), e.one())], size, |m| {
            let of = m.number_or_nothing(d);
            let cond = if m.one_in(2) { format!(" where {}", m.condition(d)) } else { String::new() };
            format!("(sum {of} for {x} in {set}{cond})")
        })
    }

    /// The greatest or the least; nothing if there is none.
    fn best(&mut self, d: u32) -> String {
        let how = self.pick(&["most", "least"]).unwrap_or("most");
        self.used(how);
        let (set, e, size) = self.domain(d);
        let x = self.name("x");
        self.with(&[(x.clone(), e.one())], size, |m| {
            let of = m.number_or_nothing(d);
            let cond = if m.one_in(2) { format!(" where {}", m.condition(d)) } else { String::new() };
            format!("({how} {of} for {x} in {set}{cond})")
        })
    }

    fn sized(&mut self, d: u32) -> String {
        let e = self.elem();
        if self.one_in(2)
            && let Some(bag) = self.bag(e)
        {
            self.used("size of a bag");
            return format!("size({bag})");
        }
        self.used("size");
        format!("size({})", self.set(e, d))
    }

    /// Copies in a bag, prices of ways, distances.
    fn odd_number(&mut self, d: u32) -> String {
        if self.would && self.one_in(2) {
            self.used("would, of a number");
            self.would = false;
            let of = self.with(&[], 8, |m| m.number(d.min(2)));
            self.would = true;
            return format!("would({of})");
        }
        match self.below(4) {
            0 => {
                let bags: Vec<Elem> = self.bags();
                if let Some(e) = self.pick(&bags)
                    && let Some(bag) = self.bag(e)
                {
                    self.used("copies in a bag");
                    let of = self.value(e.one(), d.min(1));
                    return format!("{bag}[{of}]");
                }
                self.literal()
            }
            1 => match self.way(d) {
                Some(way) => format!("({way} or {})", self.literal()),
                None => self.literal(),
            },
            _ => match self.distance(d) {
                Some(text) => format!("({text} or 9)"),
                None => self.counted(d),
            },
        }
    }
}

/// Something whose field is asked.
fn dotted(of: &str) -> String {
    let plain = of.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain && of != "none" || of.ends_with(')') && !of.contains(' ') { of.to_owned() } else { format!("({of})") }
}
