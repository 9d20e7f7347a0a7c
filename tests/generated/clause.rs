//! Definitions, actions and the clauses on them.

use super::maker::Maker;
use super::world::{Action, Base, Def, Elem, INT, Ty};

impl Maker<'_> {
    /// A definition, then clauses on it.
    pub fn definition(&mut self) {
        let i = self.world.defs.len();
        self.defs = i;
        let mut params = Vec::new();
        for _ in 0..self.below(3) {
            let k = self.kind();
            let bags = self.bags();
            let base = match self.below(5) {
                4 if !bags.is_empty() => {
                    self.used("bag as a parameter");
                    Base::Bag(bags[self.below(bags.len())])
                }
                0 => INT,
                1 => Base::Num(0, 9),
                _ => Base::Member(k),
            };
            params.push(Ty { base, opt: matches!(base, Base::Member(_)) && self.one_in(4) });
        }
        let mut ty = self.ty(true);
        match ty.base {
            Base::Num(..) => ty.base = INT,
            Base::Bag(e) => ty.base = Base::Set(e),
            _ => {}
        }
        let names: Vec<(String, Ty)> = params.iter().enumerate().map(|(n, ty)| (format!("p{i}x{n}"), *ty)).collect();
        let listed: Vec<String> = names.iter().map(|(n, ty)| format!("{n}: {}", self.world.ty(*ty))).collect();
        let head = format!("define d{i}({}) -> {}", listed.join(", "), self.world.ty(ty));
        let before = self.cost;
        self.cost = 0;
        let covered = match params.as_slice() {
            [Ty { base: Base::Member(k), opt: false }] if self.world.kinds[*k].members.len() <= 4 => Some(*k),
            _ => None,
        };
        match covered {
            Some(k) if self.one_in(3) => self.without_general(i, k, ty, &head),
            _ => {
                let general = self.with(&names, 1, |m| m.value(ty, 3));
                self.line(&format!("{head} = {general}"));
            }
        }
        self.layers(i, &params, &names, ty);
        let cost = self.cost;
        self.cost = before;
        self.world.defs.push(Def { name: format!("d{i}"), params, ty, cost });
        self.defs = i + 1;
    }

    /// Every member has a clause of its own.
    fn without_general(&mut self, i: usize, k: usize, ty: Ty, head: &str) {
        self.used("definition without a general value");
        self.line(head);
        for (n, member) in self.world.kinds[k].members.clone().into_iter().enumerate() {
            let value = self.value(ty, 1);
            self.line(&format!("instead d{i}({member}) = {value} \"c{i}m{n}\""));
        }
    }

    /// Clauses of all layers.
    fn layers(&mut self, i: usize, params: &[Ty], names: &[(String, Ty)], ty: Ty) {
        let all: Vec<String> = names.iter().map(|(n, _)| n.clone()).collect();
        let mut earlier = String::new();
        for n in 0..self.below(4) {
            let label = format!("e{i}n{n}");
            // About one member, or about all.
            let mut args = all.clone();
            if let Some(Ty { base: Base::Member(k), .. }) = params.first()
                && self.one_in(3)
            {
                self.used("clause about one member");
                args[0] = self.literal_member(*k);
            }
            let head = if args.is_empty() { format!("d{i}()") } else { format!("d{i}({})", args.join(", ")) };
            let known: Vec<(String, Ty)> = names.iter().filter(|(n, _)| args.contains(n)).cloned().collect();
            let text = self.with(&known, 1, |m| m.layer(&head, &label, ty, &mut earlier));
            self.line(&text);
        }
    }

    fn layer(&mut self, head: &str, label: &str, ty: Ty, earlier: &mut String) -> String {
        let cond = format!(" when {}", self.condition(3));
        let what = match ty.base {
            Base::Num(..) => self.below(7),
            Base::Set(_) => [0, 1, 7, 8][self.below(4)],
            _ => 0,
        };
        match what {
            2 => {
                self.used("times");
                let by = self.number_in(-2, 3, 1);
                format!("times {head} by {by} \"{label}\"{cond}")
            }
            3 | 4 => {
                self.used("plus");
                format!("plus {head} by {} \"{label}\"{cond}", self.number(2))
            }
            5 => {
                self.used("at most");
                format!("at most {head} {} \"{label}\"{cond}", self.number(1))
            }
            6 => {
                self.used("at least");
                format!("at least {head} {} \"{label}\"{cond}", self.number(1))
            }
            7 | 8 => {
                let Base::Set(e) = ty.base else {
                    return String::new();
                };
                let word = if what == 7 { "also" } else { "except" };
                self.used(word);
                match self.set(e, 2).as_str() {
                    "{}" => self.instead(head, label, ty, earlier, &cond),
                    set => format!("{word} {head} {set} \"{label}\"{cond}"),
                }
            }
            _ => self.instead(head, label, ty, earlier, &cond),
        }
    }

    fn instead(&mut self, head: &str, label: &str, ty: Ty, earlier: &mut String, cond: &str) -> String {
        self.used("instead");
        let value = self.value(ty, 2);
        let over = if earlier.is_empty() {
            ""
        } else if self.one_in(6) {
            self.used("instead, unranked");
            ""
        } else if self.one_in(3) {
            self.used("ranks above");
            "ranks above"
        } else {
            self.used("exception to");
            "exception to"
        };
        let over = if over.is_empty() { String::new() } else { format!(" {over} \"{earlier}\"") };
        *earlier = label.to_owned();
        format!("instead {head} = {value} \"{label}\"{over}{cond}")
    }

    /// An action with its clauses.
    pub fn action(&mut self) {
        let i = self.world.actions.len();
        let mut params = Vec::new();
        let mut size = 1u64;
        for n in 0..self.below(4) {
            let mut e = self.elem();
            if size.saturating_mul(self.world.size(e)) > 300 {
                e = Elem::Range(0, 2);
            }
            // The numbers of an action have 16 bits.
            if matches!(e, Elem::Range(lo, hi) if lo < -32_768 || hi > 32_767) {
                e = Elem::Range(-1, 2);
            }
            if size.saturating_mul(self.world.size(e)) > 300 {
                break;
            }
            size *= self.world.size(e);
            self.used(match e {
                Elem::Kind(_) => "action with a member",
                Elem::Range(..) => "action with a number",
                Elem::Truth => "action with a truth",
            });
            // The first has the same name in all actions, for clauses about several.
            params.push((if n == 0 { String::from("q") } else { format!("q{i}x{n}") }, e));
        }
        let known: Vec<(String, Ty)> = params.iter().map(|(n, e)| (n.clone(), e.one())).collect();
        let listed: Vec<String> = params.iter().map(|(n, e)| format!("{n}: {}", self.world.elem(*e))).collect();
        let mut head = format!("action act{i}({}) by ", listed.join(", "));
        let logged: Vec<String> = params.iter().map(|(n, _)| format!("{{{n}}}")).collect();
        self.with(&known, size, |m| {
            head += &match m.below(6) {
                0 | 1 => m.member(0, false, 1),
                _ => String::from("active"),
            };
            if m.one_in(3) {
                m.used("where, of an action");
                head += &format!(" where {}", m.condition(2));
            }
        });
        let cite = match self.one_in(4) {
            true => {
                self.used("cite");
                " cite c.1, c.2"
            }
            false => "",
        };
        let until = match self.one_in(6) {
            true => {
                self.used("hidden until, of an action");
                format!(" hidden until tick > {}", self.below(9))
            }
            false => String::new(),
        };
        let style = match self.one_in(4) {
            true => {
                self.used("style of a notation");
                format!(" style short \"a{i} {}\"", logged.join("-"))
            }
            false => String::new(),
        };
        head += &format!(" log \"act{i} {}\"{style}{cite}{until} {{", logged.join(" "));
        self.line(&head);
        self.world.actions.push(Action { name: format!("act{i}"), params, size, labels: Vec::new() });
        let calls = if self.one_in(3) { self.world.procs.len() } else { 0 };
        let choices = self.one_in(3);
        let asks = if self.one_in(8) { i } else { 0 };
        let spot = super::stmt::Spot { deep: 1, calls, asks, choices, loops: 1 };
        self.with(&known, 1, |m| m.block(spot, 3));
        self.line("}");
        self.permissions(i, &known, size);
    }

    /// The clauses on an action.
    fn permissions(&mut self, i: usize, known: &[(String, Ty)], size: u64) {
        // Some of it is always allowed, else games are short.
        self.used("may");
        let plain = self.below(3) > 0;
        let cond = match plain {
            true => String::new(),
            false => format!(" when {}", self.with(known, size, |m| m.condition(3))),
        };
        self.line(&format!("may act{i} \"m{i}\"{cond}"));
        for n in 0..self.below(3) {
            self.used("may not");
            let cond = self.under(known, size);
            self.line(&format!("may not act{i} \"n{i}x{n}\" when {cond}"));
            self.world.actions[i].labels.push(format!("n{i}x{n}"));
        }
        for n in 0..self.below(3) {
            let cond = self.under(known, size);
            let mut more = String::new();
            if let Some(label) = self.pick(&self.world.actions[i].labels.clone())
                && self.one_in(2)
            {
                self.used("despite");
                more += &format!(" despite \"{label}\"");
            }
            if self.one_in(4) {
                self.used("once per game");
                more += " once per game";
            }
            if let Some(proc) = self.pick(&self.world.procs.clone())
                && !more.contains("once")
                && self.one_in(4)
            {
                self.used("once per procedure");
                more += &format!(" once per {}", proc.name);
            }
            if self.one_in(6) {
                self.used("openly");
                more += " openly";
            }
            self.line(&format!("may act{i} \"o{i}x{n}\"{more} when {cond}"));
        }
        for n in 0..self.below(3) {
            let label = format!("b{i}x{n}");
            let when = match self.one_in(2) {
                true => format!(" when {}", self.under(known, size)),
                false => String::new(),
            };
            let asked = match self.below(3) {
                0 => {
                    self.used("must so that");
                    format!("so that {}", self.under(known, size))
                }
                n => {
                    self.used("must prefer");
                    let how = if n == 1 { "most" } else { "least" };
                    format!("prefer {how} {}", self.with(known, size, |m| m.number_or_nothing(3)))
                }
            };
            self.line(&format!("must act{i} \"{label}\" {asked}{when}"));
        }
    }

    /// A condition in which `would` may stand.
    fn under(&mut self, known: &[(String, Ty)], size: u64) -> String {
        self.would = size < 40;
        let cond = self.with(known, size, |m| m.condition(3));
        self.would = false;
        cond
    }
}
