//! Statements, one a line.

use super::maker::{Maker, number};
use super::world::{Base, Elem, Local, Pile, Ty};

/// Where a statement stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spot {
    /// How far it is indented.
    pub deep: usize,
    /// Procedures before this one may be called.
    pub calls: usize,
    /// Actions before this one may be asked for.
    pub asks: usize,
    /// Choices and chance may stand here.
    pub choices: bool,
    /// Inside a loop or an optional block: no more loops within many.
    pub loops: usize,
}

impl Spot {
    fn inner(self) -> Spot {
        Spot { deep: self.deep + 1, ..self }
    }

    fn looped(self) -> Spot {
        Spot { deep: self.deep + 1, loops: self.loops + 1, ..self }
    }
}

/// What can be changed.
struct Target {
    text: String,
    ty: Ty,
    pile: Pile,
}

impl Maker<'_> {
    pub fn put(&mut self, spot: Spot, text: &str) {
        let line = format!("{}{text}", "  ".repeat(spot.deep));
        self.line(&line);
    }

    /// Some statements; what they name is forgotten after them.
    pub fn block(&mut self, spot: Spot, most: usize) {
        let (depth, weight) = (self.locals.len(), self.weight);
        for _ in 0..self.below(most + 1) {
            self.statement(spot);
        }
        self.locals.truncate(depth);
        self.weight = weight;
    }

    fn bind(&mut self, name: &str, ty: Ty) {
        self.locals.push(Local { name: name.to_owned(), ty, var: false, index: None });
    }

    /// `HEAD {`, statements, `}`, with names known inside.
    fn braced(&mut self, spot: Spot, head: &str, bound: &[(String, Ty)], most: usize) {
        self.put(spot, &format!("{head} {{"));
        self.with(bound, 1, |m| m.block(spot.inner(), most));
        self.put(spot, "}");
    }

    /// An optional choice with what follows, and sometimes what happens where nothing is chosen.
    fn optional(&mut self, spot: Spot, head: &str, bound: &[(String, Ty)]) {
        self.put(spot, &format!("{head} {{"));
        self.with(bound, 1, |m| m.block(spot.inner(), 2));
        if self.one_in(3) {
            self.used("else, a block");
            self.put(spot, "} else {");
            self.with(&[], 1, |m| m.block(spot.inner(), 2));
        }
        self.put(spot, "}");
    }

    pub fn statement(&mut self, spot: Spot) {
        let deep = spot.deep > 6;
        match self.below(if spot.choices { 30 } else { 17 }) {
            0..=4 => self.assign(spot),
            5 if deep => self.assign(spot),
            5 => self.when(spot),
            6 if self.one_in(2) => self.match_cases(spot),
            6 => self.when(spot),
            7 => self.let_be(spot),
            8 if spot.loops < 2 => self.go_over(spot),
            9 | 10 => self.pile_change(spot),
            11 | 12 => self.bag_change(spot),
            13 | 14 if spot.loops < 2 => self.do_procedure(spot),
            15 => self.known_to_be(spot),
            16 if spot.loops < 2 => self.finish(spot),
            17..=19 => self.choose_one(spot),
            20 if spot.loops < 2 => self.choose_several(spot),
            21 => self.choose_number(spot),
            22 if !deep => self.yes_or_no(spot),
            23 | 24 => self.chance(spot),
            25 if spot.loops < 2 => self.chosen_order(spot),
            26 if self.one_in(3) && self.change_elsewhere(spot) => {}
            26 => self.secret(spot),
            27 if spot.loops < 2 && !deep && self.one_in(2) => self.repeat_times(spot),
            27 if spot.loops < 2 && !deep => self.repeat(spot),
            28 | 29 if spot.asks > 0 => self.ask_again(spot),
            _ => self.assign(spot),
        }
    }

    fn targets(&mut self, fits: impl Fn(Ty, Pile) -> bool) -> Option<Target> {
        let mut found: Vec<(usize, usize, usize)> = Vec::new();
        let scope = self.scope();
        let hidden = |name: &str| scope.iter().any(|l| l.name == name);
        let locals = scope.iter().enumerate().filter(|(_, l)| l.var && fits(l.ty, Pile::No));
        found.extend(locals.map(|(i, _)| (0, i, 0)));
        for (i, var) in self.world.vars.iter().enumerate() {
            if !var.fixed && fits(var.ty, var.pile) && !hidden(&var.name) {
                found.push((1, i, 0));
            }
        }
        for (k, kind) in self.world.kinds.iter().enumerate() {
            let fields = kind.fields.iter().enumerate().filter(|(_, f)| f.var && fits(f.ty, Pile::No));
            found.extend(fields.map(|(f, _)| (2, k, f)));
        }
        Some(match self.pick(&found)? {
            (0, i, _) => Target { text: self.local(&scope[i], 1), ty: scope[i].ty, pile: Pile::No },
            (1, i, _) => {
                let (ty, pile) = (self.world.vars[i].ty, self.world.vars[i].pile);
                Target { text: self.var(i, 1), ty, pile }
            }
            (_, k, f) => {
                let field = self.world.kinds[k].fields[f].clone();
                let of = match self.read(Base::Member(k), false, 0) {
                    Some(of) => of,
                    None => self.literal_member(k),
                };
                Target { text: format!("{of}.{}", field.name), ty: field.ty, pile: Pile::No }
            }
        })
    }

    fn assign(&mut self, spot: Spot) {
        let Some(target) = self.targets(|_, pile| pile == Pile::No) else {
            return;
        };
        let to = &target.text;
        let text = match target.ty.base {
            Base::Num(lo, hi) if !target.ty.opt && self.one_in(3) => {
                self.used("+=");
                let by = number(1 + self.below(3) as i32);
                match self.below(5) {
                    0 => format!("{to} += {}", self.number(1)),
                    1 | 2 => format!("when {to} + {by} <= {} {{ {to} += {by} }}", number(hi.min(i32::MAX - 9))),
                    _ => format!("when {to} - {by} >= {} {{ {to} -= {by} }}", number(lo.max(i32::MIN + 9))),
                }
            }
            Base::Set(e) if self.one_in(2) => {
                self.used("+= of sets");
                let op = self.pick(&["+=", "-="]).unwrap_or("+=");
                match self.set(e, 2).as_str() {
                    "{}" => format!("{to} := {{}}"),
                    set => format!("{to} {op} {set}"),
                }
            }
            Base::Bag(e) => self.bag_assigned(to, e),
            _ if target.ty.opt && self.one_in(6) => {
                self.used("set to none");
                format!("{to} := none")
            }
            // A number kept within bounds so that the game goes on.
            Base::Num(lo, hi) if self.below(8) > 0 => {
                let of = self.number(2);
                format!("{to} := max({}, min({}, {of}))", number(lo.max(-1_000_000_000)), number(hi.min(1_000_000_000)))
            }
            _ => format!("{to} := {}", self.value(target.ty, 3)),
        };
        self.used(":=");
        self.put(spot, &text);
    }

    fn bag_assigned(&mut self, to: &str, e: Elem) -> String {
        self.used("bag changed as a whole");
        match (self.below(4), self.bag(e)) {
            (0, Some(bag)) if self.one_in(2) => {
                self.used("bags together");
                let (op, other) = (self.pick(&[":=", "+=", "-="]).unwrap_or(":="), self.bag(e));
                format!("{to} {op} {bag} + {}", other.unwrap_or_else(|| bag.clone()))
            }
            (1, Some(bag)) => format!("{to} := {bag}"),
            (2, Some(bag)) => format!("{to} += {bag}"),
            (3, Some(bag)) => format!("{to} -= {bag}"),
            _ => format!("{to} := {{}}"),
        }
    }

    fn when(&mut self, spot: Spot) {
        self.used("when");
        let cond = self.condition(3);
        self.put(spot, &format!("when {cond} {{"));
        self.block(spot.inner(), 2);
        if self.one_in(3) {
            self.used("else when");
            let cond = self.condition(2);
            self.put(spot, &format!("}} else when {cond} {{"));
            self.block(spot.inner(), 2);
        }
        if self.one_in(3) {
            self.used("else");
            self.put(spot, "} else {");
            self.block(spot.inner(), 2);
        }
        self.put(spot, "}");
    }

    fn match_cases(&mut self, spot: Spot) {
        self.used("match as a statement");
        let (on, cases) = if self.one_in(2) {
            let k = self.kind();
            let (one, other) = (self.literal_member(k), self.literal_member(k));
            // Of something that is always there nothing is no case.
            let none = if self.one_in(3) { ", none" } else { "" };
            (self.member(k, true, 2), [one, format!("{other}{none}")])
        } else {
            (self.number(2), [String::from("0, 1"), String::from("-1, 3, 7")])
        };
        self.put(spot, &format!("match {on} {{"));
        for case in cases {
            self.braced(spot.inner(), &case, &[], 2);
        }
        if self.one_in(2) {
            self.braced(spot.inner(), "else", &[], 2);
        }
        self.put(spot, "}");
    }

    fn let_be(&mut self, spot: Spot) {
        self.used("let");
        let name = self.name("y");
        let k = self.kind();
        let (ty, text) = match self.below(4) {
            3 => (Ty::of(Base::Set(Elem::Kind(k))), self.set(Elem::Kind(k), 2)),
            0 => (Ty::of(super::world::INT), self.number(2)),
            1 => (Ty::of(Base::Truth), self.truth(2)),
            _ => (Ty::of(Base::Member(k)), self.member(k, false, 2)),
        };
        self.put(spot, &format!("let {name} = {text}"));
        self.bind(&name, ty);
    }

    /// A test that something is there, and a use of it.
    fn known_to_be(&mut self, spot: Spot) {
        let k = self.kind();
        let name = self.name("y");
        let found = self.member(k, true, 2);
        if found == "none" {
            return self.assign(spot);
        }
        self.used("known to be there");
        self.put(spot, &format!("let {name} = {found}"));
        self.bind(&name, Ty { base: Base::Member(k), opt: true });
        self.put(spot, &format!("when {name} is not none {{"));
        let depth = self.locals.len();
        self.bind(&name, Ty::of(Base::Member(k)));
        self.assign(spot.inner());
        self.locals.truncate(depth);
        self.put(spot, "}");
    }

    /// A set that loops go over, with what it is of.
    fn some_set(&mut self, d: u32) -> (String, Elem) {
        let weight = self.weight;
        self.weight = self.weight.saturating_mul(8);
        let (text, e, _) = self.domain(d);
        self.weight = weight;
        (text, e)
    }

    /// Numbers up to one that depends on play.
    fn count_up(&mut self, spot: Spot) {
        self.used("for up to a computed number");
        let x = self.name("x");
        let lo = self.below(3);
        let hi = self.number(1);
        self.put(spot, &format!("for {x} in {lo}..min({hi}, 4) {{"));
        self.with(&[(x, Ty::of(super::world::INT))], 4, |m| m.block(Spot { choices: false, ..spot.looped() }, 2));
        self.put(spot, "}");
    }

    fn go_over(&mut self, spot: Spot) {
        if self.one_in(4) {
            return self.count_up(spot);
        }
        self.used("for");
        let (set, e) = self.some_set(2);
        let x = self.name("x");
        let cond = match self.one_in(4) {
            true => {
                self.used("for where");
                self.with(&[(x.clone(), e.one())], 16, |m| format!(" where {}", m.condition(2)))
            }
            false => String::new(),
        };
        let by = match self.below(3) {
            0 => {
                self.used("for by");
                let by = self.with(&[(x.clone(), e.one())], 8, |m| m.number_or_nothing(2));
                format!(" by {by}")
            }
            _ => String::new(),
        };
        self.put(spot, &format!("for {x} in {set}{cond}{by} {{"));
        // What is done for each of many asks nothing.
        let inner = Spot { choices: spot.choices && self.world.size(e) < 4, ..spot.looped() };
        let size = self.world.size(e);
        self.with(&[(x, e.one())], size, |m| m.block(inner, 2));
        self.put(spot, "}");
    }

    fn chosen_order(&mut self, spot: Spot) {
        let (set, e) = self.some_set(2);
        if self.world.size(e) > 5 {
            return self.choose_one(spot);
        }
        self.used("for chosen by");
        let x = self.name("x");
        let seat = self.seat();
        self.put(spot, &format!("for {x} in {set} chosen by {seat} {{"));
        self.with(&[(x, e.one())], 1, |m| m.block(Spot { choices: false, ..spot.looped() }, 2));
        self.put(spot, "}");
    }

    pub fn seat(&mut self) -> String {
        if self.below(3) > 0 { String::from("active") } else { self.member(0, false, 1) }
    }

    fn pile_change(&mut self, spot: Spot) {
        let Some(to) = self.targets(|ty, _| matches!(ty.base, Base::Set(Elem::Kind(_)))) else {
            return self.assign(spot);
        };
        let Base::Set(Elem::Kind(k)) = to.ty.base else {
            return;
        };
        let member = self.member(k, false, 1);
        let name = self.name("y");
        self.put(spot, &format!("let {name} = {member}"));
        self.bind(&name, Ty::of(Base::Member(k)));
        let from = self.targets(|ty, _| ty == to.ty).map_or_else(|| to.text.clone(), |t| t.text);
        let (there, to_pile) = (self.below(6) > 0, &to.text);
        let text = match self.below(6) {
            0 | 1 => {
                self.used("put");
                format!("put {name} into {to_pile}")
            }
            2 => {
                self.used("take");
                format!("take {name} from {from}")
            }
            3 => {
                self.used("move");
                format!("move {name} from {from} to {to_pile}")
            }
            4 if to.pile == Pile::Ordered && spot.choices => {
                self.used("shuffle");
                return self.put(spot, &format!("shuffle {to_pile}"));
            }
            _ => {
                self.used("move all");
                return self.put(spot, &format!("move all from {from} to {to_pile}"));
            }
        };
        match there {
            true => self.put(spot, &format!("when {name} in {from} {{ {text} }}")),
            false => self.put(spot, &text),
        }
    }

    fn bag_change(&mut self, spot: Spot) {
        let Some(to) = self.targets(|ty, _| matches!(ty.base, Base::Bag(_))) else {
            return self.assign(spot);
        };
        let Base::Bag(e) = to.ty.base else {
            return;
        };
        let from = self.targets(|ty, _| ty == to.ty).map_or_else(|| to.text.clone(), |t| t.text);
        let of = self.value(e.one(), 1);
        let bag = &to.text;
        let text = match self.below(13) {
            6 => {
                self.used("put copies into a bag");
                format!("put {} ({of}) into {bag}", self.below(4))
            }
            7 => {
                self.used("take copies from a bag");
                let n = 1 + self.below(3);
                format!("when {bag}[{of}] >= {n} {{ take {n} ({of}) from {bag} }}")
            }
            8 => {
                self.used("take all copies");
                format!("take all ({of}) from {bag}")
            }
            9 => {
                self.used("move copies between bags");
                let n = self.number(1);
                format!("when {from}[{of}] >= {n} {{ move {n} ({of}) from {from} to {bag} }}")
            }
            10 => {
                self.used("move all copies");
                format!("move all ({of}) from {from} to {bag}")
            }
            11 => {
                self.used("copies that are set");
                let op = self.pick(&[":=", "+=", "-="]).unwrap_or(":=");
                format!("{bag}[{of}] {op} {}", self.number_in(0, 3, 1))
            }
            12 if spot.choices => {
                self.used("draw");
                let name = self.name("d");
                format!("when {bag} is not empty {{ draw {name} from {bag} log \"out comes {{{name}}}\" }}")
            }
            0 | 1 => {
                self.used("put into a bag");
                format!("put {of} into {bag}")
            }
            2 => {
                self.used("take from a bag");
                format!("when {of} in {bag} {{ take {of} from {bag} }}")
            }
            3 => {
                self.used("move between bags");
                format!("when {of} in {from} {{ move {of} from {from} to {bag} }}")
            }
            4 => {
                self.used("move all between bags");
                format!("move all from {from} to {bag}")
            }
            _ => match e {
                Elem::Range(lo, hi) if spot.choices && hi - lo < 20 => {
                    self.used("roll into a bag");
                    let times = self.below(4);
                    let name = self.name("d");
                    format!(
                        "roll {name} from {}..{} times {times} into {bag} log \"a {{{name}}}\"",
                        number(lo),
                        number(hi)
                    )
                }
                _ => format!("put {of} into {bag}"),
            },
        };
        self.put(spot, &text);
    }

    fn do_procedure(&mut self, spot: Spot) {
        let callable = spot.calls.min(self.world.procs.len());
        if callable == 0 {
            return self.assign(spot);
        }
        let p = self.below(callable);
        let proc = self.world.procs[p].clone();
        self.used("procedure done");
        let args: Vec<String> = proc.params.iter().map(|(_, ty)| self.value(*ty, 2)).collect();
        self.put(spot, &format!("{}({})", proc.name, args.join(", ")));
    }

    fn finish(&mut self, spot: Spot) {
        let Some(p) = self.inside else {
            return self.assign(spot);
        };
        self.used("finish");
        // Now and then another one, which may not be under way.
        let p = if self.one_in(8) { self.below(self.world.procs.len()) } else { p };
        let name = self.world.procs[p].name.clone();
        let cond = self.condition(2);
        self.put(spot, &format!("when {cond} {{ finish {name} }}"));
    }

    fn choose_one(&mut self, spot: Spot) {
        let (set, e) = self.some_set(3);
        let (x, seat) = (self.name("x"), self.seat());
        let cond = match self.one_in(3) {
            true => self.with(&[(x.clone(), e.one())], 16, |m| format!(" where {}", m.condition(2))),
            false => String::new(),
        };
        if self.one_in(3) {
            self.used("may choose");
            let mut log = String::new();
            if self.one_in(2) {
                self.used("asks");
                log = format!(" log \"{{{x}}}\" asks \"one of them\" else \"nobody\"");
            }
            let asked = self.asked_anyway();
            if spot.loops < 2 && self.one_in(4) {
                self.used("may repeatedly choose");
                let most = self.below(4);
                let head = format!("{seat} may repeatedly choose {x} from {set}{cond} up to {most}{log}{asked}");
                return self.braced(Spot { choices: false, ..spot.looped() }, &head, &[(x, e.one())], 2);
            }
            let head = format!("{seat} may choose {x} from {set}{cond}{log}{asked}");
            return self.optional(spot, &head, &[(x, e.one())]);
        }
        self.used("chooses");
        let until = self.hidden_until();
        let text = format!("{seat} chooses {x} from {set}{cond}{until}");
        if self.one_in(5) {
            self.put(spot, &text);
            return self.bind(&x, e.one());
        }
        // An empty choice would be a fault.
        let some = cond.strip_prefix(" where ").unwrap_or("true");
        self.put(spot, &format!("when some {x} in {set}: {some} {{"));
        self.put(spot.inner(), &text);
        let depth = self.locals.len();
        self.bind(&x, e.one());
        self.block(spot.inner(), 2);
        self.locals.truncate(depth);
        self.put(spot, "}");
    }

    fn choose_several(&mut self, spot: Spot) {
        let (set, e) = self.some_set(2);
        let Elem::Kind(k) = e else {
            return self.choose_number(spot);
        };
        if self.world.kinds[k].members.len() > 9 {
            return self.choose_number(spot);
        }
        let (xs, seat) = (self.name("xs"), self.seat());
        let (lo, hi) = (self.below(2), 1 + self.below(2));
        let ty = Ty::of(Base::Set(e));
        if self.one_in(2) {
            self.used("may choose several");
            return self.optional(spot, &format!("{seat} may choose {lo}..{hi} {xs} from {set}"), &[(xs, ty)]);
        }
        self.used("chooses several");
        let y = self.name("z");
        self.put(spot, &format!("when some {y} in {set}: true {{"));
        self.put(spot.inner(), &format!("{seat} chooses {lo}..{hi} {xs} from {set}"));
        let depth = self.locals.len();
        self.bind(&xs, ty);
        self.block(spot.inner(), 2);
        self.locals.truncate(depth);
        self.put(spot, "}");
    }

    fn choose_number(&mut self, spot: Spot) {
        let (n, seat) = (self.name("n"), self.seat());
        let (lo, hi) = self.short_range();
        let hi = hi.min(lo.saturating_add(70));
        let bounds = match self.below(3) {
            0 => format!("{lo}..{hi}"),
            1 => format!("{lo}..{}", self.number_in(lo, hi, 1)),
            _ => format!("{}..{hi}", self.number_in(lo, hi, 1)),
        };
        let ty = Ty::of(super::world::INT);
        if self.one_in(3) {
            self.used("may choose a number");
            let asked = self.asked_anyway();
            return self.optional(spot, &format!("{seat} may choose number {n} from {bounds}{asked}"), &[(n, ty)]);
        }
        self.used("chooses a number");
        self.put(spot, &format!("{seat} chooses number {n} from {bounds}"));
        self.bind(&n, ty);
    }

    fn yes_or_no(&mut self, spot: Spot) {
        self.used("may, yes or no");
        let seat = self.seat();
        let left = match self.one_in(3) {
            true => {
                self.used("else, a notation");
                let number = self.number(1);
                match number.contains(['{', '"']) {
                    true => String::from("leave it"),
                    false => format!("{{{number}}} is left"),
                }
            }
            false => String::from("leave it"),
        };
        self.optional(spot, &format!("{seat} may \"do it\" else \"{left}\""), &[]);
    }

    fn chance(&mut self, spot: Spot) {
        if self.one_in(2) {
            self.used("roll");
            let d = self.name("d");
            let (lo, hi) = self.short_range();
            self.put(spot, &format!("roll {d} from {lo}..{} log \"a {{{d}}}\"", hi.min(lo.saturating_add(9))));
            return self.bind(&d, Ty::of(super::world::INT));
        }
        self.used("pick at random");
        let (set, e) = self.some_set(2);
        // Copies in a bag are not equally likely.
        let set = match e {
            Elem::Kind(k) => self.world.kinds[k].name.clone(),
            _ => set,
        };
        if self.bags().contains(&e) && !matches!(e, Elem::Kind(_)) {
            return self.assign(spot);
        }
        let z = self.name("z");
        self.put(spot, &format!("when some {z} in {set}: true {{"));
        self.put(spot.inner(), &format!("pick {z} at random from {set}"));
        let depth = self.locals.len();
        self.bind(&z, e.one());
        self.block(spot.inner(), 2);
        self.locals.truncate(depth);
        self.put(spot, "}");
    }

    /// That a choice is asked even if it can only be declined, now and then.
    fn asked_anyway(&mut self) -> &'static str {
        if !self.one_in(4) {
            return "";
        }
        self.used("asked anyway");
        " asked anyway"
    }

    /// That a choice is hidden for some time, now and then.
    fn hidden_until(&mut self) -> String {
        if !self.one_in(5) {
            return String::new();
        }
        self.used("hidden until");
        format!(" hidden until tick > {}", self.below(9))
    }

    fn secret(&mut self, spot: Spot) {
        self.used("secretly");
        let (a, b) = (self.name("n"), self.name("x"));
        let k = self.kind();
        if a == b {
            return self.assign(spot);
        }
        let (first, second) = (self.literal_member(0), self.literal_member(0));
        let kind = self.world.kinds[k].name.clone();
        self.put(spot, "secretly {");
        self.put(spot.inner(), &format!("{first} chooses number {a} from 0..2"));
        if self.one_in(2) {
            self.used("secretly, with what follows");
            let (head, anyway) = (format!("{second} may choose {b} from {kind}"), self.asked_anyway());
            self.put(spot.inner(), &format!("{head}{anyway} {{"));
            self.put(Spot { deep: spot.deep + 2, ..spot }, "tick += 1");
            self.put(spot.inner(), "}");
            self.put(spot, "}");
            self.bind(&a, Ty::of(super::world::INT));
            return self.bind(&b, Ty { opt: true, ..Ty::of(Base::Member(k)) });
        }
        self.put(spot.inner(), &format!("{second} chooses {b} from {kind}"));
        self.put(spot, "}");
        self.bind(&a, Ty::of(super::world::INT));
        self.bind(&b, Ty::of(Base::Member(k)));
    }

    /// A loop that comes to an end, with a choice in it.
    fn repeat(&mut self, spot: Spot) {
        self.used("while");
        let seat = self.seat();
        let cond = self.condition(2);
        self.put(spot, &format!("while tick < 20 and {cond} {{"));
        self.put(spot.inner(), "tick += 1");
        self.put(spot.inner(), &format!("{seat} may \"go on\" {{ tick += 1 }}"));
        self.block(Spot { choices: false, ..spot.looped() }, 2);
        self.put(spot, "}");
    }

    fn repeat_times(&mut self, spot: Spot) {
        self.used("repeat");
        let times = match self.below(3) {
            0 => format!("{} mod 4", self.number(1)),
            _ => self.below(4).to_string(),
        };
        self.put(spot, &format!("repeat {times} times {{"));
        self.with(&[], 4, |m| m.block(Spot { choices: spot.choices, ..spot.looped() }, 2));
        self.put(spot, "}");
    }

    /// A choice among actions.
    pub fn ask_again(&mut self, spot: Spot) {
        let asks = spot.asks.min(self.world.actions.len());
        let first = self.below(asks);
        let mut among = vec![self.world.actions[first].name.clone()];
        if asks > 1 && self.one_in(2) {
            let second = self.world.actions[(first + 1) % asks].name.clone();
            self.used("several actions at once");
            among.push(second);
        }
        let (seat, among) = (self.seat(), among.join(", "));
        let text = match self.below(7) {
            6 => {
                self.used("repeatedly chooses an action");
                let head = format!("{seat} repeatedly chooses an action among {among} if any up to {}", self.below(4));
                if self.one_in(2) {
                    return self.braced(Spot { asks: 0, choices: false, ..spot.looped() }, &head, &[], 2);
                }
                head
            }
            4 => {
                self.used("may repeatedly choose an action");
                let up_to = if self.one_in(3) { String::new() } else { format!(" up to {}", self.below(4)) };
                let head = format!("{seat} may repeatedly choose an action among {among}{up_to} else \"enough\"");
                if self.one_in(2) {
                    return self.braced(Spot { asks: 0, choices: false, ..spot.looped() }, &head, &[], 2);
                }
                head
            }
            5 => {
                self.used("may choose an action, with a block");
                let asked = self.asked_anyway();
                let head = format!("{seat} may choose an action among {among} else \"stay\"{asked}");
                return self.optional(Spot { asks: 0, choices: false, ..spot }, &head, &[]);
            }
            0 => {
                self.used("if any");
                format!("{seat} chooses an action among {among} if any")
            }
            1 => {
                self.used("may choose an action");
                let asked = self.asked_anyway();
                format!("{seat} may choose an action among {among} else \"stand\"{asked}")
            }
            _ => {
                self.used("chooses an action");
                format!("{seat} chooses an action among {among}")
            }
        };
        self.put(spot, &text);
    }
}
