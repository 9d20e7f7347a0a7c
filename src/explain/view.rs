//! Views: what each seat sees.

use super::decision::{DecisionPoint, rest};
use super::eval::{Eval, lowest, number};
use super::note::Silent;
use super::reader::Reader;
use super::words::{bag_items, member, value_text};
use super::{Evaluator, Explainer};
use crate::game::{Fault, KnownMember, Position, SeenKind, SeenPile, SeenQuestion, SeenVariable, UnknownMember, View};
use crate::model::{Base, CodeKind, FieldStore, KindId, PLAYER, SeenWhat, Value, Var, VarId, VarOwner};

/// A look at a position by one seat.
struct ViewBuilder<'a> {
    rules: &'a Explainer,
    position: &'a Position,
    /// Nobody in particular: a referee, who sees all.
    seat: Option<u16>,
    lang: &'a str,
    /// For each kind whether the seat knows its members; empty: all.
    known: Vec<Vec<bool>>,
}

impl Explainer {
    /// Whether a seat sees something: which member this is, or the entry of a variable. Everything is seen of which no
    /// rule says when.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn sees(&self, position: &Position, what: SeenWhat, index: usize, seat: u16) -> Result<bool, Fault> {
        let mut ev = self.at::<Silent>(position);
        ev.watch = self.watch(true);
        let mut rules = self.model.seen.iter().filter(|s| s.what == what).peekable();
        if rules.peek().is_none() {
            return Ok(true);
        }
        for rule in rules {
            for holder in ev.holders(rule.clause) {
                ev.decided(rule.clause);
                let seen = ev.framed(|ev| {
                    ev.set_local(0, Value::Int(index as i32));
                    ev.set_local(1, Value::Int(i32::from(seat)));
                    Ok(ev.applies(rule.clause, holder)?.0)
                });
                if seen.map_err(|f| *f)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether a variable is a choice made in secret by another seat that is not open yet.
    #[must_use]
    pub fn secret(&self, position: &Position, var: VarId, seat: u16) -> bool {
        let model = &self.model;
        let frames = (0..position.depth(model)).map(|d| position.frame(model, d));
        let frames: Vec<_> = frames.collect();
        model.secrets.iter().filter(|s| s.var == var).any(|s| {
            // The names of a procedure mean the innermost active one.
            let frame = frames.iter().rev().find(|(code, _)| *code == s.code);
            let hidden = frame.is_some_and(|(_, pc)| (s.from..=s.to).contains(pc));
            hidden && {
                let maker = self.at::<Silent>(position).int(&s.seat);
                maker.ok().flatten() != Some(i32::from(seat))
            }
        })
    }

    /// Whether a variable is one that a view tells of: of the game, a pile, a field, or of a procedure under way.
    pub(super) fn in_view(&self, position: &Position, var: VarId) -> bool {
        let model = &self.model;
        let Some(v) = model.vars.get(var.i()) else {
            return false;
        };
        match v.owner {
            VarOwner::Game | VarOwner::Field(_) | VarOwner::Pile => true,
            VarOwner::Code(code) => {
                let kind = model.codes.get(code.i()).map(|c| c.kind);
                let name = v.name.rsplit('.').next().unwrap_or("");
                kind == Some(CodeKind::Procedure) && position.active(model, code) > 0 && !name.starts_with('_')
            }
            VarOwner::Limit => false,
        }
    }

    /// For each member of a kind whose it is; nothing where nobody's.
    #[must_use]
    pub fn owners(&self, kind: KindId) -> Vec<Option<i32>> {
        let Some(k) = self.model.kinds.get(kind.i()) else {
            return Vec::new();
        };
        let zero = Position::zero(&self.model);
        let ev: Eval<Silent> = self.at(&zero);
        (0..k.members.len()).map(|i| ev.printed(kind, k.owner?, i as i32).int()).collect()
    }

    /// What a seat sees of a position, in the language of the rule file.
    #[must_use]
    pub fn view(&self, position: &Position, seat: u16) -> View {
        self.view_in(position, seat, "")
    }

    /// The same in another language. Where the rules fail to say whether something is seen, it is not.
    #[must_use]
    pub fn view_in(&self, position: &Position, seat: u16, lang: &str) -> View {
        self.looked_at(position, Some(seat), lang)
    }

    /// What a referee sees: all there is.
    #[must_use]
    pub fn view_of_all(&self, position: &Position, lang: &str) -> View {
        self.looked_at(position, None, lang)
    }

    fn looked_at(&self, position: &Position, seat: Option<u16>, lang: &str) -> View {
        let mut look = ViewBuilder { rules: self, position, seat, lang, known: Vec::new() };
        for (k, kind) in self.model.kinds.iter().enumerate() {
            let what = SeenWhat::Member(KindId(k as u16));
            let ruled = self.model.seen.iter().any(|s| s.what == what);
            let members = if ruled { kind.members.len() } else { 0 };
            let known = (0..members).map(|i| look.sees(what, i)).collect();
            look.known.push(known);
        }
        View {
            seat: seat.unwrap_or(0),
            winners: look.winners(),
            variables: look.variables(),
            piles: look.piles(),
            kinds: look.kinds(),
            question: look.question(),
        }
    }
}

impl ViewBuilder<'_> {
    fn sees(&self, what: SeenWhat, index: usize) -> bool {
        self.seat.is_none_or(|seat| self.rules.sees(self.position, what, index, seat).unwrap_or(false))
    }

    fn knows(&self, kind: KindId, i: usize) -> bool {
        let known = self.known.get(kind.i()).and_then(|k| k.get(i));
        known.copied().unwrap_or(true)
    }

    fn owner(&self, kind: KindId, i: usize) -> Option<String> {
        let k = self.rules.model.kinds.get(kind.i())?;
        let field = k.owner?;
        let ev: Eval<Silent> = self.rules.at(self.position);
        let owner = ev.printed(kind, field, i as i32).int()?;
        Some(member(&self.rules.model, PLAYER, owner, self.lang))
    }

    /// A member by its name, or as one of its kind and owner.
    fn member(&self, kind: KindId, i: usize) -> String {
        if self.knows(kind, i) {
            return member(&self.rules.model, kind, i as i32, self.lang);
        }
        let name = self.rules.model.kinds.get(kind.i()).map_or("", |k| &k.name);
        match self.owner(kind, i) {
            Some(owner) => format!("a {name} of {owner}"),
            None => format!("a {name}"),
        }
    }

    /// The members of a set: those known in order, then the others, whose names are equal or sorted.
    fn members(&self, of: &Base, items: impl Iterator<Item = usize>) -> Vec<String> {
        let Base::Member(kind) = of else {
            let values = items.map(|b| Value::Int(number(of, b)));
            return values.map(|v| value_text(&self.rules.model, of, &v, self.lang)).collect();
        };
        let (known, hidden): (Vec<usize>, Vec<usize>) = items.partition(|i| self.knows(*kind, *i));
        let mut hidden: Vec<String> = hidden.into_iter().map(|i| self.member(*kind, i)).collect();
        hidden.sort();
        let known = known.into_iter().map(|i| self.member(*kind, i));
        known.chain(hidden).collect()
    }

    /// What a bag holds, copy by copy: those known in order, then the others.
    fn copies(&self, of: &Base, bag: &Value) -> Vec<String> {
        let lo = lowest(of);
        self.members(of, bag_items(of, bag).filter_map(|i| usize::try_from(i64::from(i) - i64::from(lo)).ok()))
    }

    fn value(&self, base: &Base, value: &Value) -> String {
        match (base, value) {
            (Base::Bag(of), Value::Bag(_)) => format!("{{{}}}", self.copies(of, value).join(", ")),
            (Base::Member(kind), Value::Int(i)) if *i >= 0 => self.member(*kind, *i as usize),
            (Base::Set(of), Value::Set(set)) => {
                format!("{{{}}}", self.members(of, set.iter()).join(", "))
            }
            (Base::List(kind), Value::List(items)) => {
                let items = items.iter().map(|i| self.member(*kind, usize::from(*i)));
                format!("[{}]", items.collect::<Vec<_>>().join(", "))
            }
            _ => value_text(&self.rules.model, base, value, self.lang),
        }
    }

    fn winners(&self) -> Option<Vec<String>> {
        let model = &self.rules.model;
        model.kinds.get(PLAYER.i()).and_then(|players| {
            self.position.ending(model)?;
            let winners = self.position.winners(model);
            let seats = (0..players.members.len().min(32)).filter(|s| winners >> s & 1 == 1);
            Some(seats.map(|s| member(model, PLAYER, s as i32, self.lang)).collect())
        })
    }

    fn secret(&self, var: VarId) -> bool {
        self.seat.is_some_and(|seat| self.rules.secret(self.position, var, seat))
    }

    /// The entries of a variable with the name of their index. Those of hidden members come last and are to be sorted
    /// by what is shown of them.
    fn entries(&self, var: VarId) -> Vec<(usize, Option<String>, bool)> {
        let Some(v) = self.rules.model.vars.get(var.i()) else {
            return Vec::new();
        };
        let Some(kind) = v.index else {
            return vec![(0, None, true)];
        };
        let entry = |i| (i, Some(self.member(kind, i)), self.knows(kind, i));
        (0..v.place.count as usize).map(entry).collect()
    }

    fn variables(&self) -> Vec<SeenVariable> {
        let model = &self.rules.model;
        let mut found = Vec::new();
        for (i, v) in model.vars.iter().enumerate() {
            let var = VarId(i as u16);
            let shown = match v.owner {
                VarOwner::Game => !model.piles.contains(&var) && !matches!(v.ty.base, Base::Bag(_)),
                VarOwner::Code(_) => self.rules.in_view(self.position, var),
                _ => false,
            };
            if !shown || self.secret(var) {
                continue;
            }
            let mut hidden = Vec::new();
            for (index, name, known) in self.entries(var) {
                if !self.sees(SeenWhat::Var(var), index) {
                    continue;
                }
                let value = self.position.read(model, var, index);
                let variable =
                    SeenVariable { name: v.name.clone(), index: name, value: self.value(&v.ty.base, &value) };
                if known {
                    found.push(variable);
                } else {
                    hidden.push(variable);
                }
            }
            hidden.sort();
            found.extend(hidden);
        }
        found
    }

    fn piles(&self) -> Vec<SeenPile> {
        let model = &self.rules.model;
        let mut found = Vec::new();
        // Bags of the game are shown as piles are.
        let bag = |v: &Var| v.owner == VarOwner::Game && matches!(v.ty.base, Base::Bag(_));
        let bags = model.vars.iter().enumerate().filter(|(_, v)| bag(v)).map(|(i, _)| VarId(i as u16));
        for var in model.piles.iter().copied().chain(bags) {
            let Some(v) = model.vars.get(var.i()) else {
                continue;
            };
            let mut hidden = Vec::new();
            for (index, name, known) in self.entries(var) {
                let seen = self.sees(SeenWhat::Var(var), index);
                let (size, members) = match (self.position.read(model, var, index), &v.ty.base) {
                    (bag @ Value::Bag(_), Base::Bag(of)) => {
                        let items = self.copies(of, &bag);
                        (items.len(), seen.then_some(items))
                    }
                    (Value::Set(set), Base::Set(of)) => (set.len(), seen.then(|| self.members(of, set.iter()))),
                    (Value::List(items), Base::List(kind)) => {
                        let names = items.iter().map(|i| self.member(*kind, usize::from(*i)));
                        (items.len(), seen.then(|| names.collect()))
                    }
                    _ => continue,
                };
                let pile = SeenPile { name: v.name.clone(), index: name, size, members };
                if known {
                    found.push(pile);
                } else {
                    hidden.push(pile);
                }
            }
            hidden.sort();
            found.extend(hidden);
        }
        found
    }

    fn fields(&self, kind: KindId, i: usize) -> Vec<(String, String)> {
        let model = &self.rules.model;
        let fields = model.kinds.get(kind.i()).map_or(&[][..], |k| &k.fields);
        let mut found = Vec::new();
        for field in fields {
            if let FieldStore::Var(var) = field.store
                && self.sees(SeenWhat::Var(var), i)
            {
                let value = self.position.read(model, var, i);
                found.push((field.name.clone(), self.value(&field.ty.base, &value)));
            }
        }
        found
    }

    fn kinds(&self) -> Vec<SeenKind> {
        let model = &self.rules.model;
        let mut found = Vec::new();
        for (k, kind) in model.kinds.iter().enumerate() {
            let id = KindId(k as u16);
            let changes = kind.fields.iter().any(|f| matches!(f.store, FieldStore::Var(_)));
            let ruled = self.known.get(k).is_some_and(|known| !known.is_empty());
            if !changes && !ruled {
                continue;
            }
            let mut seen = SeenKind { name: kind.name.clone(), known: Vec::new(), unknown: Vec::new() };
            for (i, m) in kind.members.iter().enumerate() {
                let fields = self.fields(id, i);
                if self.knows(id, i) {
                    seen.known.push(KnownMember {
                        id: m.id.clone(),
                        name: member(model, id, i as i32, self.lang),
                        fields,
                    });
                } else {
                    seen.unknown.push(UnknownMember { owner: self.owner(id, i), fields });
                }
            }
            seen.unknown.sort();
            found.push(seen);
        }
        found
    }

    fn question(&self) -> Option<SeenQuestion> {
        let model = &self.rules.model;
        let Ok(DecisionPoint::Decision(choose, ..)) = rest(model, self.position) else {
            return None;
        };
        let seat = self.rules.at::<Silent>(self.position).seat(choose).ok()?;
        let options = self.seat.is_none_or(|own| own == seat).then(|| {
            let options = self.rules.options(self.position).unwrap_or_default();
            let reader = match self.seat {
                Some(seat) => Reader::seat(self.rules, self.position, seat, self.lang),
                None => Reader::referee(self.rules, self.lang),
            };
            options.into_iter().map(|c| self.rules.say_to(&reader, self.position, c, &[])).collect()
        });
        Some(SeenQuestion { seat, options })
    }
}
