//! The reader of a notation: what that reader does not see is written `?`.

use std::collections::BTreeMap;

use super::Explainer;
use super::eval::{Eval, as_set};
use super::note::Silent;
use super::observer::Observer;
use super::words::{copies, member, value_text};
use crate::game::{Args, Position};
use crate::lexicon::{Names, Words};
use crate::model::{
    ActionId, Base, CalledPart, Expr, ExprKind, FieldStore, KindId, Model, PLAYER, SeenWhat, TemplatePart, Value,
    VarId, bag_items,
};

/// What stands for a value that the reader does not see.
pub(super) const UNSEEN: &str = "?";

/// Who reads a notation.
pub(super) struct Reader<'a> {
    rules: &'a Explainer,
    /// The language of names.
    pub lang: &'a str,
    /// What the reader sees; `None` for everything.
    sight: Option<Sight<'a>>,
    /// Whether several members stand within a sentence, without brackets around them.
    prose: bool,
}

/// What a seat sees of a choice.
struct Sight<'a> {
    observer: Observer<'a>,
    /// For each kind, for each member, whether its name is not told; empty: of none.
    hidden: Vec<Vec<bool>>,
    /// What is chosen is named whatever it is: the reader wrote the name.
    named: bool,
}

/// Members, each with the entries that it stands in.
type Shown = BTreeMap<(KindId, i32), Vec<(VarId, usize)>>;

/// What a notation is the notation of: the arguments of an action, or a value that goes into a variable.
#[derive(Default)]
pub(super) struct Given {
    parts: Vec<Part>,
    /// The variable of a choice that is not an action.
    pub into: Option<VarId>,
}

/// An argument, or the value.
struct Part {
    /// Which member it is, if it is one.
    thing: Option<(KindId, i32)>,
    /// It goes where the reader does not see it.
    kept: bool,
}

impl Given {
    /// The arguments of an action.
    pub fn args(model: &Model, id: ActionId, args: &Args) -> Given {
        let params = model.actions.get(id.i()).map_or(&[][..], |a| &a.params);
        let named = params.iter().zip(args.as_slice()).map(|((_, ty), value)| thing(&ty.base, i32::from(*value)));
        Given { parts: named.map(|thing| Part { thing, kept: false }).collect(), into: None }
    }

    /// Nothing is chosen.
    pub fn nothing() -> Given {
        Given { parts: Vec::new(), into: None }
    }

    /// A value that is put into a variable.
    pub fn value(base: &Base, value: &Value, into: VarId) -> Given {
        let thing = value.int().and_then(|i| thing(base, i));
        Given { parts: vec![Part { thing, kept: false }], into: Some(into) }
    }

    /// The same; `kept` tells for each part whether it goes where the reader does not see it.
    pub fn kept(mut self, kept: &[bool]) -> Given {
        self.parts.iter_mut().zip(kept).for_each(|(part, kept)| part.kept = *kept);
        self
    }

    /// The part that an expression is.
    fn part(&self, e: &Expr) -> Option<&Part> {
        match &e.kind {
            ExprKind::Local(i) if self.into.is_none() => self.parts.get(usize::from(*i)),
            ExprKind::Var { var, index: None } if self.into == Some(*var) => self.parts.first(),
            _ => None,
        }
    }
}

fn thing(base: &Base, value: i32) -> Option<(KindId, i32)> {
    match base {
        Base::Member(kind) => Some((*kind, value)),
        _ => None,
    }
}

impl Explainer {
    /// What a seat, or one who sees all, calls the members that share names when one position became another: those
    /// that it can name before or after. Where several are called alike, each has its own name before that.
    #[must_use]
    pub fn names(&self, seat: Option<u16>, (before, after): (&Position, &Position), lang: &str) -> Names {
        let readers = [after, before].map(|position| match seat {
            Some(seat) => (position, Reader::seat(self, position, seat, lang)),
            None => (position, Reader::referee(self, lang)),
        });
        let mut names = Names::new();
        for (k, kind) in self.model.kinds.iter().enumerate().filter(|(_, kind)| kind.called.is_some()) {
            let id = KindId(k as u16);
            for m in 0..kind.members.len() as u16 {
                let thing = (id, i32::from(m));
                let sees = |(position, reader): &&(&Position, Reader<'_>)| {
                    !reader.hides(thing) && !reader.unread(position, thing)
                };
                if let Some((position, reader)) = readers.iter().find(sees) {
                    names.insert((id, m), reader.called(position, thing));
                }
            }
        }
        let mut alike: BTreeMap<(KindId, String), usize> = BTreeMap::new();
        names.iter().for_each(|((kind, _), name)| *alike.entry((*kind, name.clone())).or_default() += 1);
        for ((kind, m), name) in &mut names {
            let own = member(&self.model, *kind, i32::from(*m), lang);
            if *name != own && alike.get(&(*kind, name.clone())).is_some_and(|n| *n > 1) {
                *name = format!("{own} {name}");
            }
        }
        names
    }
}

impl<'a> Reader<'a> {
    /// A referee, who sees all.
    pub fn referee(rules: &'a Explainer, lang: &'a str) -> Reader<'a> {
        Reader { rules, lang, sight: None, prose: false }
    }

    /// A seat that looks at what may be chosen: of what it does not know it reads the owner only.
    pub fn seat(rules: &'a Explainer, position: &'a Position, seat: u16, lang: &'a str) -> Reader<'a> {
        Reader::looking(rules, Observer::new(rules, position, seat), lang)
    }

    /// The same for an observer.
    pub fn looking(rules: &'a Explainer, observer: Observer<'a>, lang: &'a str) -> Reader<'a> {
        Reader::new(rules, observer, lang, |kind, m| !observer.knows(kind, m))
    }

    /// The same, but several members stand within a sentence.
    pub fn in_prose(self) -> Reader<'a> {
        Reader { prose: true, ..self }
    }

    /// The same seat, which names itself what it means, whether or not it knows where it is.
    pub fn naming(mut self) -> Reader<'a> {
        self.sight.iter_mut().for_each(|sight| sight.named = true);
        self
    }

    /// A seat that is told what was chosen: what it can see neither before nor after is not named.
    pub fn told(
        rules: &'a Explainer,
        (before, after): (&'a Position, &'a Position),
        seat: u16,
        lang: &'a str,
    ) -> Reader<'a> {
        let observer = Observer::new(rules, before, seat).and_later(after);
        let (earlier, later) = (Observer::new(rules, before, seat), Observer::new(rules, after, seat));
        let shown = [before, after].map(|position| rules.shown(position, seat));
        let drawn: Vec<bool> = (0..rules.model.kinds.len()).map(|k| rules.model.is_drawn(KindId(k as u16))).collect();
        // Whether it can be told from others of its kind, before (0) and after (1).
        let open = |kind: KindId, m: i32, at: usize| {
            let known = if at == 0 { earlier.knows(kind, m) } else { later.knows(kind, m) };
            let places = shown.get(at).is_some_and(|shown| shown.contains_key(&(kind, m)));
            known && (places || drawn.get(kind.i()) != Some(&true))
        };
        let stands = |kind: KindId, m: i32| {
            let fields = rules.model.kinds.get(kind.i()).map_or(&[][..], |k| &k.fields);
            let fields = fields.iter().filter_map(|f| match f.store {
                FieldStore::Var(var) => Some(after.read(&rules.model, var, usize::try_from(m).ok()?)),
                FieldStore::Printed(_) => None,
            });
            let places = shown.get(1).and_then(|shown| shown.get(&(kind, m)).cloned());
            (rules.model.owner_of(kind, m), places, fields.collect::<Vec<Value>>())
        };
        Reader::new(rules, observer, lang, |kind, m| {
            if open(kind, m, 0) {
                return false;
            }
            let new = |m: &i32| !open(kind, *m, 0) && open(kind, *m, 1);
            // Of several that come to light in one place it is not told which is which.
            let count = rules.model.kinds.get(kind.i()).map_or(0, |k| k.members.len() as i32);
            let others = || (0..count).filter(|x| *x != m && new(x));
            !new(&m) || others().any(|x| stands(kind, x) == stands(kind, m))
        })
    }

    fn new(
        rules: &'a Explainer,
        observer: Observer<'a>,
        lang: &'a str,
        hides: impl Fn(KindId, i32) -> bool,
    ) -> Reader<'a> {
        if !observer.may_miss_something() {
            return Reader::referee(rules, lang);
        }
        let kinds = rules.model.kinds.iter().enumerate().map(|(k, kind)| {
            let id = KindId(k as u16);
            match rules.model.is_covert(id) || rules.model.is_drawn(id) {
                true => (0..kind.members.len()).map(|m| hides(id, m as i32)).collect(),
                false => Vec::new(),
            }
        });
        Reader { rules, lang, sight: Some(Sight { observer, hidden: kinds.collect(), named: false }), prose: false }
    }

    fn hides(&self, (kind, member): (KindId, i32)) -> bool {
        let hidden = self.sight.as_ref().and_then(|s| s.hidden.get(kind.i()));
        let member = usize::try_from(member).ok().and_then(|m| hidden?.get(m));
        member.copied().unwrap_or(false)
    }

    /// A value in words, at a position.
    pub fn name(&self, position: &Position, base: &Base, value: &Value) -> String {
        let model = &self.rules.model;
        if self.sight.is_none() && !self.prose && model.kinds.iter().all(|k| k.called.is_none()) {
            return value_text(model, base, value, self.lang);
        }
        let hidden = |of: &Base, i: i32| thing(of, i).is_some_and(|t| self.hides(t) || self.unread(position, t));
        let one = |of: &Base, i: i32| match thing(of, i) {
            Some((kind, m)) if hidden(of, i) => self.stand_in(kind, m),
            Some(thing) => self.called(position, thing),
            None => value_text(model, of, &Value::Int(i), self.lang),
        };
        // The places of the unknown ones in the order of members would tell which they are.
        let told = |of: &Base, items: Vec<i32>| {
            let (unknown, known): (Vec<i32>, Vec<i32>) = items.into_iter().partition(|i| hidden(of, *i));
            let mut unknown: Vec<String> = unknown.into_iter().map(|i| one(of, i)).collect();
            unknown.sort();
            known.into_iter().map(|i| one(of, i)).chain(unknown).collect::<Vec<_>>()
        };
        let listed = |all: &[String]| match self.prose {
            true => Words::of(self.lang).series(all),
            false => format!("{{{}}}", all.join(", ")),
        };
        match (base, value) {
            (Base::Member(_), Value::Int(i)) => one(base, *i),
            (Base::Set(of), Value::Set(set)) => listed(&told(of, set.iter().map(|b| of.of_bit(b)).collect())),
            (Base::Bag(of), bag @ Value::Bag(_)) => listed(&copies(of, told(of, bag_items(of, bag).collect()))),
            (Base::List(kind), Value::List(items)) => {
                let items = items.iter().map(|i| one(&Base::Member(*kind), i32::from(*i)));
                let items: Vec<String> = items.collect();
                if self.prose { listed(&items) } else { format!("[{}]", items.join(", ")) }
            }
            _ => value_text(model, base, value, self.lang),
        }
    }

    /// The fields by which a member is called.
    fn calling(&self, kind: KindId) -> &[CalledPart] {
        let called = self.rules.model.kinds.get(kind.i()).and_then(|k| k.called.as_ref());
        called.map_or(&[], |c| c.get(self.lang))
    }

    /// The value of a field of a member; `None` if the reader does not see it.
    fn field(&self, position: &Position, (kind, member): (KindId, i32), field: usize) -> Option<(Base, Value)> {
        let model = &self.rules.model;
        let field = model.kinds.get(kind.i())?.fields.get(field)?;
        let member = usize::try_from(member).ok()?;
        let value = match &field.store {
            FieldStore::Printed(values) => values.get(member)?.clone(),
            FieldStore::Var(var) => match &self.sight {
                Some(sight) => sight.observer.seen_entry(position, *var, member)?,
                None => position.read(model, *var, member),
            },
        };
        Some((field.ty.base.clone(), value))
    }

    /// Whether the reader does not see what a member is called by.
    fn unread(&self, position: &Position, thing: (KindId, i32)) -> bool {
        let hidden = |part: &CalledPart| match part {
            CalledPart::Text(_) => false,
            CalledPart::Field(field) => self.field(position, thing, *field).is_none(),
        };
        self.sight.is_some() && self.calling(thing.0).iter().any(hidden)
    }

    /// What a member is called at a position; by its own name if a field of it is nothing.
    fn called(&self, position: &Position, thing: (KindId, i32)) -> String {
        let model = &self.rules.model;
        let mut out = String::new();
        for part in self.calling(thing.0) {
            match part {
                CalledPart::Text(text) => out.push_str(text),
                CalledPart::Field(field) => match self.field(position, thing, *field) {
                    Some((base, value)) if value != Value::None => {
                        out.push_str(&value_text(model, &base, &value, self.lang));
                    }
                    _ => return member(model, thing.0, thing.1, self.lang),
                },
            }
        }
        if out.trim().is_empty() { member(model, thing.0, thing.1, self.lang) } else { out }
    }

    /// What is shown of a thing whose owner alone is known: `Dark ?`.
    fn stand_in(&self, kind: KindId, m: i32) -> String {
        let model = &self.rules.model;
        match model.owner_of(kind, m) {
            Some(seat) => format!("{} {UNSEEN}", member(model, PLAYER, seat, self.lang)),
            None => String::from(UNSEEN),
        }
    }

    /// An argument or value, in words.
    pub fn chosen(&self, position: &Position, base: &Base, value: &Value, kept: bool) -> String {
        match (&self.sight, value.int().and_then(|i| thing(base, i))) {
            (Some(sight), Some(thing)) if sight.named => self.called(position, thing),
            (Some(sight), _) if sight.named => value_text(&self.rules.model, base, value, self.lang),
            (Some(_), _) if kept => String::from(UNSEEN),
            _ => self.name(position, base, value),
        }
    }

    /// A template written out. A set variable of a choice of one member, the next of several, is written without
    /// braces.
    pub fn written<'e>(&self, ev: &mut Eval<'e, Silent>, log: &[TemplatePart], given: &Given) -> String
    where
        'a: 'e,
    {
        ev.within = self.sight.as_ref().map(|sight| sight.observer.given(given.into));
        if given.into.is_some() {
            ev.memo_within.clear();
        }
        let mut out = String::new();
        for part in log {
            match part {
                TemplatePart::Text(text) => out.push_str(text),
                // A bag is written with all its copies.
                TemplatePart::Value(e) => out.push_str(&self.part(ev, e.bag().unwrap_or(e), given)),
            }
        }
        ev.within = None;
        if given.into.is_some() {
            ev.memo_within.clear();
        }
        out
    }

    fn part(&self, ev: &mut Eval<'_, Silent>, e: &Expr, given: &Given) -> String {
        ev.missed = false;
        let value = ev.eval(e).unwrap_or_default();
        let missed = std::mem::take(&mut ev.missed);
        if let Some(part) = given.part(e) {
            return match (&e.ty.base, given.into) {
                (Base::Set(of), Some(_)) => {
                    let first = as_set(value).first();
                    self.chosen(ev.position, of, &first.map_or(Value::None, |b| Value::Int(of.of_bit(b))), part.kept)
                }
                (base, _) => self.chosen(ev.position, base, &value, part.kept),
            };
        }
        if self.sight.is_some() && (missed || self.tells(e, given)) {
            return String::from(UNSEEN);
        }
        self.name(ev.position, &e.ty.base, &value)
    }

    /// Whether the value of an expression tells of something hidden that is chosen. Whose it is may be told.
    fn tells(&self, e: &Expr, given: &Given) -> bool {
        if let ExprKind::Printed { kind, field, .. } = &e.kind
            && self.rules.model.kinds.get(kind.i()).is_some_and(|k| k.owner == Some(*field))
        {
            return false;
        }
        let mut found = false;
        e.walk(&mut |e| {
            found |= given.part(e).is_some_and(|part| part.kept || part.thing.is_some_and(|t| self.hides(t)));
        });
        found
    }
}

impl Explainer {
    /// The members that are to be seen by a seat, and where: in a pile, a variable or a field that it sees.
    fn shown(&self, position: &Position, seat: u16) -> Shown {
        let model = &self.model;
        let mut found = Shown::new();
        for (i, v) in model.vars.iter().enumerate() {
            let var = VarId(i as u16);
            let Some((kind, _)) = members_of(&v.ty.base, &Value::None) else { continue };
            if !(model.is_drawn(kind) || model.is_covert(kind))
                || !self.in_view(position, var)
                || self.secret(position, var, seat)
            {
                continue;
            }
            for index in 0..v.place.count as usize {
                if self.sees(position, SeenWhat::Var(var), index, seat).unwrap_or(false)
                    && let Some((kind, members)) = members_of(&v.ty.base, &position.read(model, var, index))
                {
                    members.into_iter().for_each(|m| found.entry((kind, m)).or_default().push((var, index)));
                }
            }
        }
        found
    }
}

/// The kind of the members that values of a base name, and those that a value names.
fn members_of(base: &Base, value: &Value) -> Option<(KindId, Vec<i32>)> {
    let (Base::Member(kind) | Base::List(kind)) = (match base {
        Base::Set(of) | Base::Bag(of) => of,
        base => base,
    }) else {
        return None;
    };
    let members = match (base, value) {
        (_, Value::Int(m)) => vec![*m],
        (Base::Set(of), Value::Set(set)) => set.iter().map(|b| of.of_bit(b)).collect(),
        (Base::Bag(of), bag @ Value::Bag(_)) => bag_items(of, bag).collect(),
        (_, Value::List(items)) => items.iter().map(|m| i32::from(*m)).collect(),
        _ => Vec::new(),
    };
    Some((*kind, members))
}
