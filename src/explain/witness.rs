//! Witnesses: the members for which a condition fails or holds as it should not, down to the clause that decides.

use std::collections::BTreeSet;

use super::Explainer;
use super::clause::Applying;
use super::eval::{Eval, Res, fit};
use super::note::{Notes, Written};
use super::observer::Observer;
use crate::game::{Args, Choice, Considered, Fate, Position, Ruling, Seen, SeenPart, Shown, Subject, Witness};
use crate::model::{
    Base, ClauseId, ClauseKind, Def, DefId, Domain, Expr, ExprKind, Layer, LinkId, Quantifier, Set, SetOp, Value,
};
use crate::span::Span;

/// The maximum number of witnesses of one condition that are told.
const MAX_WITNESSES: usize = 3;

/// The maximum number of quantifiers and definitions inside each other that are followed.
const MAX_DEPTH: usize = 24;

/// The maximum number of misses whose conditions are explained.
const MAX_MISSES: usize = 3;

/// What is found of one condition.
struct Search {
    /// The condition itself, which explains nothing.
    whole: Span,
    /// What is bound on the way.
    members: Vec<SeenPart>,
    /// The definitions on the way.
    by: Vec<ClauseId>,
    depth: usize,
    found: Vec<Witness>,
    more: usize,
    /// The definitions on the way to all that was found.
    through: BTreeSet<ClauseId>,
}

/// A member of a set that is asked about: its number, and its place in the set.
type Item = (i32, usize);

impl Explainer {
    /// Adds witnesses to the conditions that decide a ruling, and to those that fail in its nearest misses.
    pub(super) fn add_witnesses(
        &self,
        ruling: &mut Ruling,
        position: &Position,
        choice: Choice,
        observer: Option<Observer>,
    ) {
        let (id, args) = match choice {
            Choice::Act(id, args) => (Some(id), args),
            _ => (None, Args::new(&[])),
        };
        let add = |cond: &Expr, holder: Option<(ClauseId, u16)>, seen: &mut Seen| {
            if let Some(search) = self.witnesses(position, (cond, seen.holds), (&args, holder), observer) {
                (seen.witnesses, seen.more, seen.through) =
                    (search.found, search.more, search.through.into_iter().collect());
            }
        };
        let of_clause = |considered: &mut Considered, holds: bool| {
            let Some(clause) = self.model.clause(considered.clause) else { return };
            let holder = considered.holder.map(|h| (considered.clause, h));
            let both = clause.written().iter().zip(&mut considered.conditions);
            both.filter(|(_, seen)| seen.holds == holds).for_each(|(cond, seen)| add(cond, holder, seen));
        };
        let forbids = |c: &Considered| {
            c.fate == Fate::Applies && self.model.clause(c.clause).is_some_and(|c| c.kind == ClauseKind::MayNot)
        };
        ruling.deciding.iter_mut().filter(|c| forbids(c)).for_each(|c| of_clause(c, true));
        ruling.misses.iter_mut().take(MAX_MISSES).for_each(|c| of_clause(c, false));
        let action = id.and_then(|id| self.model.actions.get(id.i()));
        let conditions = action.into_iter().flat_map(|a| a.domain.iter().flatten());
        for cond in conditions {
            let seen = ruling.conditions.iter_mut().find(|s| s.span == cond.span && !s.holds);
            seen.into_iter().for_each(|seen| add(cond, None, seen));
        }
    }

    /// What decides one condition; its locals are the arguments and the holder. A seat is told nothing where the answer
    /// depends on something that it does not see.
    fn witnesses(
        &self,
        position: &Position,
        (cond, holds): (&Expr, bool),
        (args, holder): (&Args, Option<(ClauseId, u16)>),
        observer: Option<Observer>,
    ) -> Option<Search> {
        let mut ev = self.at::<Written>(position);
        ev.watch = None;
        ev.observer = observer;
        ev.within = observer.filter(Observer::may_miss_something);
        let mut search = Search::new(cond.span);
        let done = ev.with_args(args, |ev| {
            if let Some((clause, holder)) = holder {
                ev.hold(clause, Some(holder));
            }
            ev.because(cond, holds, &mut search)
        });
        (done.is_ok() && !ev.missed).then_some(search)
    }
}

impl Search {
    fn new(whole: Span) -> Search {
        let (members, by, found, through) = (Vec::new(), Vec::new(), Vec::new(), BTreeSet::new());
        Search { whole, members, by, depth: 0, found, more: 0, through }
    }
}

impl<'a, N: Notes> Eval<'a, N> {
    /// Why a condition has the truth that it has.
    fn because(&mut self, e: &Expr, holds: bool, search: &mut Search) -> Res<()> {
        if search.depth >= MAX_DEPTH {
            self.told(e, holds, search);
            return Ok(());
        }
        search.depth += 1;
        let done = self.because_of(e, holds, search);
        search.depth -= 1;
        done
    }

    fn because_of(&mut self, e: &Expr, holds: bool, search: &mut Search) -> Res<()> {
        match &e.kind {
            ExprKind::Not(a) => return self.because(a, !holds, search),
            // The first part that decides is enough.
            ExprKind::And(a, b) if !holds => {
                let decides = if self.truth(a)? { b } else { a };
                return self.because(decides, false, search);
            }
            ExprKind::Or(a, b) if holds => {
                let decides = if self.truth(a)? { a } else { b };
                return self.because(decides, true, search);
            }
            // Of several that hold, that which has a member for it.
            ExprKind::And(..) => {
                let mut parts = conjuncts(e);
                let Some(part) = parts.find(|part| has_members(part)) else {
                    self.told(e, holds, search);
                    return Ok(());
                };
                return self.because(part, true, search);
            }
            ExprKind::If(c, a, b) => {
                let branch = if self.truth(c)? { a } else { b };
                return self.because(branch, holds, search);
            }
            ExprKind::Quant(quantifier, domain) => return self.members((e, *quantifier), domain, holds, search),
            ExprKind::In { item, set, of, positive } => {
                let item = self.int(item)?.and_then(|i| Some((i, of.bit(i)?)));
                let known = search.by.len();
                let told = match item {
                    Some(item) => self.because_in(set, item, holds == *positive, search)?,
                    None => false,
                };
                if !told {
                    self.told(e, holds, search);
                }
                search.by.truncate(known);
            }
            ExprKind::Call { def, args } => {
                let known = search.by.len();
                let inner = self.entered(*def, args, e.span, |ev, def| {
                    let Some((clause, value)) = ev.source(def)? else { return Ok(false) };
                    search.by.push(clause);
                    let says_why = !matches!(value.kind, ExprKind::Const(_));
                    if says_why {
                        ev.because(value, holds, search)?;
                    }
                    Ok(says_why)
                })?;
                if inner != Some(true) {
                    self.told(e, holds, search);
                }
                search.by.truncate(known);
            }
            ExprKind::Would { action, of } if self.within.is_none() => {
                self.ahead(*action, |ev| ev.because(of, holds, search))?;
            }
            _ => self.told(e, holds, search),
        }
        Ok(())
    }

    /// The members of a quantifier that decide.
    fn members(
        &mut self,
        (e, quantifier): (&Expr, Quantifier),
        domain: &Domain,
        holds: bool,
        search: &mut Search,
    ) -> Res<()> {
        // What their condition is.
        let inner = if quantifier == Quantifier::No { !holds } else { holds };
        let set = self.set(&domain.set)?;
        // If the condition holds for all of them, the whole set is the witness.
        let told_whole = set.is_empty() || (quantifier == Quantifier::Every && holds);
        let Some(cond) = domain.cond.as_deref().filter(|_| !told_whole) else {
            self.told(e, holds, search);
            return Ok(());
        };
        for b in set.iter() {
            self.spend(1, domain.set.span)?;
            let member = domain.of.of_bit(b);
            self.set_local(domain.local, Value::Int(member));
            if self.truth(cond)? == inner {
                let bound = self.bound((domain.local, &domain.of), member, cond);
                self.with_member(bound, search, |ev, search| ev.because(cond, inner, search))?;
            }
        }
        Ok(())
    }

    /// A variable with the member that it is, as it is called in an expression.
    fn bound(&self, (local, of): (u16, &Base), member: i32, e: &Expr) -> Option<SeenPart> {
        let what = Subject::Local(local, named(e, local)?);
        let value = Shown::Value(self.seen_value(of, &Value::Int(member)));
        Some(SeenPart { what, after: false, value })
    }

    fn with_member<T>(
        &mut self,
        bound: Option<SeenPart>,
        search: &mut Search,
        f: impl FnOnce(&mut Self, &mut Search) -> Res<T>,
    ) -> Res<T> {
        let known = search.members.len();
        search.members.extend(bound);
        let done = f(self, search);
        search.members.truncate(known);
        done
    }

    /// Why something is in a set or not. `false` if there is nothing to say but that.
    fn because_in(&mut self, set: &Expr, item: Item, inside: bool, search: &mut Search) -> Res<bool> {
        if search.depth >= MAX_DEPTH {
            return Ok(false);
        }
        search.depth += 1;
        let done = self.because_within(set, item, inside, search);
        search.depth -= 1;
        done
    }

    fn because_within(&mut self, set: &Expr, item: Item, inside: bool, search: &mut Search) -> Res<bool> {
        let (part, inside) = match &set.kind {
            ExprKind::Call { def, args } => {
                let inner = self.entered(*def, args, set.span, |ev, def| {
                    let Some((clause, part, inside)) = ev.giver(def, item, inside)? else { return Ok(false) };
                    search.by.push(clause);
                    ev.because_in(part, item, inside, search)
                })?;
                return Ok(inner == Some(true));
            }
            ExprKind::Compr { domain, map, .. } => {
                return self.because_filtered((domain, map.as_deref()), item, inside, search);
            }
            ExprKind::Reach { links, from, local, cond: Some(cond) } if !inside => {
                let Base::Set(of) = &set.ty.base else { return Ok(false) };
                let steps = Steps { links: *links, from: self.start(from)?, local: *local, cond, of };
                return self.in_the_way(&steps, item, search);
            }
            ExprKind::If(c, a, b) => (if self.truth(c)? { a } else { b }, inside),
            ExprKind::SetOp(SetOp::Union, a, b) if inside => (if self.contains(a, item)? { a } else { b }, true),
            ExprKind::SetOp(SetOp::Minus, a, _) if inside => (a, true),
            ExprKind::SetOp(SetOp::Minus, a, b) => {
                let has = self.contains(a, item)?;
                (if has { b } else { a }, has)
            }
            ExprKind::SetOp(SetOp::Intersect, a, b) if !inside => (if self.contains(a, item)? { b } else { a }, false),
            _ => return Ok(false),
        };
        self.because_in(part, item, inside, search)
    }

    fn contains(&mut self, set: &Expr, item: Item) -> Res<bool> {
        Ok(self.set(set)?.contains(item.1))
    }

    /// The same of a set of those that meet a condition, or of what belongs to them.
    fn because_filtered(
        &mut self,
        (domain, map): (&Domain, Option<&Expr>),
        item: Item,
        inside: bool,
        search: &mut Search,
    ) -> Res<bool> {
        if !inside {
            let known = domain.of.bit(item.0).filter(|_| map.is_none());
            let Some(place) = known else { return Ok(false) };
            if !self.contains(&domain.set, (item.0, place))? {
                return self.because_in(&domain.set, (item.0, place), false, search);
            }
            let Some(cond) = &domain.cond else { return Ok(false) };
            self.set_local(domain.local, Value::Int(item.0));
            let bound = self.bound((domain.local, &domain.of), item.0, cond);
            self.with_member(bound, search, |ev, search| ev.because(cond, false, search))?;
            return Ok(true);
        }
        for b in self.set(&domain.set)?.iter() {
            self.spend(1, domain.set.span)?;
            let member = domain.of.of_bit(b);
            self.set_local(domain.local, Value::Int(member));
            let meets = match &domain.cond {
                Some(cond) => self.truth(cond)?,
                None => true,
            };
            let value = match map {
                Some(map) => self.int(map)?,
                None => Some(member),
            };
            if !meets || value != Some(item.0) {
                continue;
            }
            let Some(shown) = map.or(domain.cond.as_deref()) else { return Ok(false) };
            let bound = self.bound((domain.local, &domain.of), member, shown);
            return self.with_member(bound, search, |ev, search| {
                match map {
                    Some(map) => ev.told_value(map, search),
                    None => ev.because(shown, true, search)?,
                }
                Ok(true)
            });
        }
        Ok(false)
    }

    /// What keeps a search along links from coming to a member: those that it may not go through, each alone if it is
    /// enough that one of them lets it through.
    fn in_the_way(&mut self, steps: &Steps, item: Item, search: &mut Search) -> Res<bool> {
        let (_, blocked) = self.flood(steps, None)?;
        let mut alone = Vec::new();
        for member in &blocked {
            if self.flood(steps, Some(*member))?.0.contains(item.1) {
                alone.push(*member);
            }
        }
        let deciding = if alone.is_empty() { blocked } else { alone };
        for member in &deciding {
            self.set_local(steps.local, Value::Int(*member));
            let bound = self.bound((steps.local, steps.of), *member, steps.cond);
            self.with_member(bound, search, |ev, search| ev.because(steps.cond, false, search))?;
        }
        Ok(!deciding.is_empty())
    }

    /// What a search comes to, and where it may not go on; it may go through one more.
    fn flood(&mut self, steps: &Steps, spare: Option<i32>) -> Res<(Set, Vec<i32>)> {
        let (mut reached, mut blocked, mut todo) = (Set::new(), Vec::new(), Vec::new());
        todo.extend(steps.from.iter());
        while let Some(at) = todo.pop() {
            for n in self.neighbours(steps.links, false, at as i32).iter() {
                if reached.contains(n) {
                    continue;
                }
                reached.insert(n);
                self.spend(1, steps.cond.span)?;
                let member = n as i32;
                self.set_local(steps.local, Value::Int(member));
                if steps.from.contains(n) {
                    continue;
                }
                match spare == Some(member) || self.truth(steps.cond)? {
                    true => todo.push(n),
                    false => blocked.push(member),
                }
            }
        }
        Ok((reached, blocked))
    }

    /// Does something with the arguments of a definition as locals; `None` if one is missing.
    fn entered<T: Send>(
        &mut self,
        id: DefId,
        args: &[Expr],
        span: Span,
        f: impl FnOnce(&mut Self, &'a Def) -> Res<T> + Send,
    ) -> Res<Option<T>> {
        let Some(def) = self.model.defs.get(id.i()) else { return Ok(None) };
        let mut values = Vec::with_capacity(args.len());
        for (arg, (_, ty)) in args.iter().zip(&def.params) {
            let value = fit(&ty.base, self.eval(arg)?);
            if value == Value::None && !ty.optional {
                return Ok(None);
            }
            values.push(value);
        }
        let inner = self.called((id, span), |ev| {
            for (i, value) in values.into_iter().enumerate() {
                ev.set_local(i as u16, value);
            }
            f(ev, def)
        });
        inner.map(Some)
    }

    /// The clause that gives a definition its value before others change it, with the value; its arguments are the
    /// locals.
    fn source(&mut self, def: &'a Def) -> Res<Option<(ClauseId, &'a Expr)>> {
        let all = self.applying(def.layer(Layer::Instead), def, &mut Vec::new())?;
        let beaten = |a: &Applying| all.iter().any(|b| b.clause.beats.contains(&a.clause.clause));
        if let Some(a) = all.iter().find(|a| !beaten(a)) {
            self.hold(a.clause.clause, a.holder);
            return Ok(Some((a.clause.clause, &a.clause.value)));
        }
        Ok(def.general.as_ref().map(|general| (def.clause, general)))
    }

    /// The clause by which something is in a set that is defined or not, with a set, and whether it is in that.
    fn giver(&mut self, def: &'a Def, item: Item, inside: bool) -> Res<Option<(ClauseId, &'a Expr, bool)>> {
        let source = self.source(def)?;
        let begins = match source {
            Some((_, value)) => self.contains(value, item)?,
            None => false,
        };
        let added = if begins { None } else { self.layered(def, Layer::Also, item)? };
        if inside || !(begins || added.is_some()) {
            let first = source.filter(|_| begins == inside).map(|(clause, value)| (clause, value, inside));
            return Ok(added.map(|(clause, value)| (clause, value, true)).or(first));
        }
        Ok(self.layered(def, Layer::Except, item)?.map(|(clause, value)| (clause, value, true)))
    }

    /// The first clause of a layer whose set has a member.
    fn layered(&mut self, def: &'a Def, layer: Layer, item: Item) -> Res<Option<(ClauseId, &'a Expr)>> {
        for a in self.applying(def.layer(layer), def, &mut Vec::new())? {
            self.hold(a.clause.clause, a.holder);
            if self.contains(&a.clause.value, item)? {
                return Ok(Some((a.clause.clause, &a.clause.value)));
            }
        }
        Ok(None)
    }

    /// Gives the local of an ability's holder its value.
    pub fn hold(&mut self, clause: ClauseId, holder: Option<u16>) {
        if let (Some(c), Some(h)) = (self.model.clause(clause), holder) {
            self.set_local(c.holder, Value::Int(i32::from(h)));
        }
    }

    /// Notes a condition that explains itself.
    fn told(&mut self, e: &Expr, holds: bool, search: &mut Search) {
        search.through.extend(self.model.definitions_in([e]));
        if e.span == search.whole && search.members.is_empty() {
            return;
        }
        let mut values = Vec::new();
        self.inside(e, &mut values);
        self.witness(e.span, (holds, values), search);
    }

    /// Notes a value that makes something a member.
    fn told_value(&mut self, e: &Expr, search: &mut Search) {
        let mut values = Vec::new();
        self.parts(e, &mut values);
        self.witness(e.span, (true, values), search);
    }

    fn witness(&self, span: Span, (holds, mut values): (bool, Vec<SeenPart>), search: &mut Search) {
        let sources = &self.model.sources;
        let text = |part: &SeenPart| match part.what {
            Subject::Part(span) | Subject::Local(_, span) => sources.line(span),
            Subject::Action | Subject::Best | Subject::WayTo(_) => String::new(),
        };
        let told = |part: &SeenPart| search.members.iter().any(|m| m.value == part.value && text(m) == text(part));
        values.retain(|part| !told(part));
        let witness = Witness { members: search.members.clone(), span, holds, values, by: search.by.clone() };
        search.through.extend(&search.by);
        // Without a member or a value it would only say the condition again.
        if witness.members.is_empty() && witness.values.is_empty() || search.found.contains(&witness) {
            return;
        }
        match search.found.len() < MAX_WITNESSES {
            true => search.found.push(witness),
            false => search.more += 1,
        }
    }
}

/// A search along links.
struct Steps<'e> {
    links: LinkId,
    from: Set,
    local: u16,
    cond: &'e Expr,
    of: &'e Base,
}

/// The parts of a condition that are joined by `and`.
fn conjuncts(e: &Expr) -> impl Iterator<Item = &Expr> {
    let mut open = vec![e];
    std::iter::from_fn(move || {
        let mut next = open.pop()?;
        while let ExprKind::And(a, b) = &next.kind {
            open.push(b);
            next = a;
        }
        Some(next)
    })
}

/// Whether there are members because of which a condition holds, if it does.
fn has_members(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Quant(quantifier, _) => *quantifier == Quantifier::Some,
        ExprKind::In { set, positive: true, .. } => {
            matches!(set.kind, ExprKind::Call { .. } | ExprKind::Compr { .. } | ExprKind::SetOp(..))
        }
        _ => false,
    }
}

/// Where an expression names a local.
fn named(e: &Expr, local: u16) -> Option<Span> {
    match e.kind {
        ExprKind::Local(i) if i == local => Some(e.span),
        _ => e.children().into_iter().find_map(|part| named(part, local)),
    }
}
