//! In which order the hooks of a place happen: by seats or numbers that are found in play, or as a seat chooses.
//!
//! Hooks whose rank depends on play are known by their places in a list; sets of such places are sets of members of a
//! kind made for the list.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::Checker;
use super::builder::Builder;
use super::expr::{constant, typed};
use super::names::Symbol;
use crate::check::Diagnostic;
use crate::model::{
    self, Attached, Base, Change, ChooseWhat, CodeId, Domain, Expr, ExprKind, InstrKind, Kind, KindId, Member,
    NextHook, Set, SetOp, Target, Template, Text, Ty, Value, VarId,
};
use crate::span::Span;
use crate::syntax::tree::{self, HookTime, Ranks};

/// Hooks whose places stand for them in sets.
pub(super) struct Places {
    hooks: Vec<Attached>,
    of: Base,
}

/// How hooks of one rank are ordered.
#[derive(Clone, Copy)]
struct Tie<'t> {
    /// Who chooses between them. `None`: their order must make no difference.
    chosen_by: Option<&'t tree::Expr>,
    /// The seat that owns their holders, where they have one.
    owner: Option<&'t Expr>,
    cites: &'t [tree::Word],
    span: Span,
}

impl Places {
    fn set(&self) -> Ty {
        Ty::of(Base::Set(Box::new(self.of.clone())))
    }

    fn all(&self, which: impl Iterator<Item = usize>, span: Span) -> Expr {
        constant(Value::Set(Set::from_iter(which)), self.set(), span)
    }

    fn place(&self, i: usize, span: Span) -> Expr {
        constant(Value::Int(i as i32), Ty::of(self.of.clone()), span)
    }
}

fn now(var: VarId, ty: &Ty, span: Span) -> Expr {
    typed(ExprKind::Var { var, index: None }, ty.clone(), span)
}

fn to(var: VarId) -> Target {
    Target { var, index: None }
}

fn truth(kind: ExprKind, span: Span) -> Expr {
    typed(kind, Ty::of(Base::Bool), span)
}

impl Checker {
    /// Writes the hooks of a place of a step in the order that the step gives; hooks without an order go side by side.
    pub(super) fn hooks_at(&mut self, b: &mut Builder, key: (CodeId, Option<usize>, HookTime), step: &tree::Step) {
        let span = step.span;
        let Some(order) = &step.order else {
            return self.hooks_by_seats(b, key, &[], span);
        };
        if let Some(seats) = self.fixed_seats(order) {
            return self.hooks_by_seats(b, key, &seats, span);
        }
        let hooks = self.replacing_at(&key);
        if hooks.len() < 2 {
            return b.side_by_side(&hooks, None, span);
        }
        b.clear_stale(span);
        let tie = Tie { chosen_by: order.chosen_by.as_ref(), owner: None, cites: &step.cite, span };
        match &order.ranks {
            None => b.tied(self, &hooks, tie),
            Some(Ranks::Seats(seats)) => b.by_seats(self, &hooks, seats, tie),
            Some(Ranks::By(name, kind, by)) => b.by_number(self, &hooks, (name, kind, by), tie),
        }
    }

    /// The seats of an order that names them, where no seat chooses.
    fn fixed_seats(&self, order: &tree::HookOrder) -> Option<Vec<u16>> {
        let Some(Ranks::Seats(seats)) = order.ranks.as_ref().filter(|_| order.chosen_by.is_none()) else {
            return None;
        };
        let named = |seat: &tree::Expr| match &seat.kind {
            tree::ExprKind::Name(word) => self.names.get(&word.text),
            _ => None,
        };
        let mut fixed = Vec::new();
        for seat in seats {
            match named(seat)? {
                Symbol::Member(model::PLAYER, m) => fixed.push(m),
                Symbol::Absent => {}
                _ => return None,
            }
        }
        Some(fixed)
    }

    /// Reports what is wrong in an order, also where no hooks need it.
    pub(super) fn check_order(&mut self, b: &mut Builder, order: &tree::HookOrder) {
        b.scope.here = Some(b.here());
        match &order.ranks {
            Some(Ranks::Seats(seats)) => seats.iter().for_each(|seat| drop(self.ranked_seat(b, seat))),
            Some(Ranks::By(name, kind, by)) => drop(self.rank_number(b, name, kind, by)),
            None => {}
        }
        if let Some(by) = &order.chosen_by {
            let of_seats = matches!(order.ranks, Some(Ranks::Seats(_)));
            if is_owner(by) && of_seats {
                return;
            }
            if is_owner(by) {
                self.report(
                    Diagnostic::error(
                        "law::unknown-name",
                        "it is not known whose hooks these are",
                        by.span,
                        "no seats",
                    )
                    .help("rank them by seats: `order ACTIVE, OTHER chosen by owner`; or name the seat that chooses"),
                );
                return;
            }
            drop(self.seat(by, &mut b.scope));
        }
    }

    fn ranked_seat(&mut self, b: &mut Builder, seat: &tree::Expr) -> Option<Expr> {
        let found = self.expr(seat, &mut b.scope)?;
        self.fit(found, &Ty { base: Base::Member(model::PLAYER), optional: true }, "whose hooks go first")
    }

    fn rank_number(
        &mut self,
        b: &mut Builder,
        name: &tree::Word,
        kind: &tree::Word,
        by: &tree::Expr,
    ) -> Option<Number> {
        let kind = self.kind_named(kind)?;
        let local = b.scope.bind(&name.text, Ty::of(Base::Member(kind)));
        let number = self.numeric(by, &mut b.scope);
        b.scope.unbind();
        Some(Number { kind, local, number: number? })
    }

    /// The seat that owns the holder of a hook, as the rules print it.
    fn owner_of(&self, a: Attached) -> Option<u16> {
        let holder = a.holder?;
        let kind = &self.model.kinds[self.holders_kind(a)?.i()];
        let owner = kind.owner.and_then(|f| kind.fields.get(f)).and_then(|f| match &f.store {
            model::FieldStore::Printed(values) => values.get(holder as usize).and_then(Value::int),
            model::FieldStore::Var(_) => None,
        });
        u16::try_from(owner?).ok()
    }

    fn holders_kind(&self, a: Attached) -> Option<KindId> {
        let clause = self.model.hooks[a.hook.i()].clause;
        let ability = self.model.clauses[clause.i()].ability?;
        Some(self.model.abilities[ability.i()].kind)
    }

    /// A kind whose members are these hooks.
    fn places(&mut self, hooks: &[Attached], span: Span) -> Places {
        let id = KindId(self.model.kinds.len() as u16);
        let member = |name: Text| Member { id: String::new(), name, span, cites: Vec::new() };
        self.model.kinds.push(Kind {
            name: format!("hook {}", id.0),
            members: self.names_of_hooks(hooks).into_iter().map(member).collect(),
            of_hooks: true,
            span,
            ..Kind::default()
        });
        Places { hooks: hooks.to_vec(), of: Base::Member(id) }
    }

    /// A name for each of some hooks: none that two have.
    fn names_of_hooks(&self, hooks: &[Attached]) -> Vec<Text> {
        let short: Vec<Cow<'_, Text>> = hooks.iter().map(|a| self.name_of_hook(*a)).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for name in &short {
            *counts.entry(&name.text).or_default() += 1;
        }
        let named = |(a, name): (&Attached, &Cow<'_, Text>)| match counts.get(name.text.as_str()) {
            Some(1) => name.clone().into_owned(),
            _ => self.name_with_holder(*a).unwrap_or_else(|| name.clone().into_owned()),
        };
        let mut names: Vec<Text> = hooks.iter().zip(&short).map(named).collect();
        let mut seen: HashMap<String, usize> = HashMap::new();
        for name in &mut names {
            let n = seen.entry(name.text.clone()).or_default();
            *n += 1;
            if *n > 1 {
                let texts = std::iter::once(&mut name.text).chain(name.translations.iter_mut().map(|(_, t)| t));
                texts.for_each(|t| *t += &format!(" ({n})"));
            }
        }
        names
    }

    /// How the rules call a hook: by its label, that of its ability, its holder, or its citations.
    fn name_of_hook(&self, a: Attached) -> Cow<'_, Text> {
        let clause = &self.model.clauses[self.model.hooks[a.hook.i()].clause.i()];
        let plain = |text: String| Cow::Owned(Text { text, ..Text::default() });
        match (self.label_of_hook(a), self.holder_of_hook(a)) {
            (Some(label), _) => Cow::Borrowed(label),
            (None, Some(holder)) => holder,
            (None, None) if !clause.cites.is_empty() => plain(clause.cites.join(", ")),
            (None, None) => plain(clause.head()),
        }
    }

    /// The name of a hook's holder and the label of the hook, where it has both.
    fn name_with_holder(&self, a: Attached) -> Option<Text> {
        let (holder, label) = (self.holder_of_hook(a)?, self.label_of_hook(a)?);
        let both = |lang: &str| format!("{}: {}", holder.get(lang), label.get(lang));
        let all = holder.translations.iter().chain(&label.translations);
        let mut langs: Vec<&String> = all.map(|(lang, _)| lang).collect();
        langs.sort_unstable();
        langs.dedup();
        Some(Text { text: both(""), translations: langs.into_iter().map(|l| (l.clone(), both(l))).collect() })
    }

    /// The label of a hook, or that of its ability.
    fn label_of_hook(&self, a: Attached) -> Option<&Text> {
        let clause = &self.model.clauses[self.model.hooks[a.hook.i()].clause.i()];
        let ability = clause.ability.map(|id| &self.model.abilities[id.i()].label);
        std::iter::once(&clause.label).chain(ability).find(|label| !label.text.is_empty())
    }

    /// The name of a hook's holder.
    fn holder_of_hook(&self, a: Attached) -> Option<Cow<'_, Text>> {
        let member = self.model.kinds[self.holders_kind(a)?.i()].members.get(usize::from(a.holder?))?;
        Some(match member.name.text.is_empty() {
            true => Cow::Owned(Text { text: member.id.clone(), ..Text::default() }),
            false => Cow::Borrowed(&member.name),
        })
    }
}

/// Ranks by a number.
struct Number {
    kind: KindId,
    local: u16,
    number: Expr,
}

/// `owner`: whoever owns the holders.
fn is_owner(e: &tree::Expr) -> bool {
    matches!(&e.kind, tree::ExprKind::Name(word) if word.text == "owner")
}

impl Builder {
    /// Hooks that nothing ranks, or those of them whose places are in a set.
    pub(super) fn side_by_side(&mut self, hooks: &[Attached], among: Option<(&Places, VarId)>, span: Span) {
        let one = match hooks {
            [] => return,
            [one] if one.bearers.is_none() => InstrKind::Hook(*one),
            _ => {
                self.push(InstrKind::Unranked(hooks.to_vec(), among.map(|(_, var)| var)), span);
                return;
            }
        };
        let skip = among.map(|(places, var)| {
            let set = Box::new(now(var, &places.set(), span));
            let item = Box::new(places.place(0, span));
            let is_in = ExprKind::In { item, set, of: places.of.clone(), positive: true };
            self.push(InstrKind::Unless(truth(is_in, span), 0), span)
        });
        self.push(one, span);
        if let Some(skip) = skip {
            self.land(skip);
        }
    }

    /// Hooks of one rank.
    fn tied(&mut self, c: &mut Checker, hooks: &[Attached], tie: Tie<'_>) {
        if tie.chosen_by.is_none() || hooks.len() < 2 {
            return self.side_by_side(hooks, None, tie.span);
        }
        let places = c.places(hooks, tie.span);
        let left = self.helper(c, places.set(), tie.span);
        self.push(InstrKind::Set(to(left), places.all(0..hooks.len(), tie.span)), tie.span);
        self.one_rank(c, &places, left, tie);
        self.stale.insert(left);
    }

    /// Those of some hooks whose places are in a set.
    fn one_rank(&mut self, c: &mut Checker, places: &Places, left: VarId, tie: Tie<'_>) {
        let span = tie.span;
        let Some(by) = tie.chosen_by.filter(|by| tie.owner.is_some() || !is_owner(by)) else {
            return self.side_by_side(&places.hooks, Some((places, left)), span);
        };
        self.scope.here = Some(self.here());
        let seat = match tie.owner.filter(|_| is_owner(by)) {
            Some(owner) => owner.clone(),
            None => match c.seat(by, &mut self.scope) {
                Some(seat) => seat,
                None => return,
            },
        };
        let open = self.helper(c, places.set(), span);
        let into = self.helper(c, Ty::of(places.of.clone()), span);
        let start = self.here();
        let next = NextHook { hooks: places.hooks.clone(), left, open, into, settled: 0, end: 0 };
        let find = self.push(InstrKind::NextHook(Box::new(next)), span);
        let log = super::choose::self_log(c, into, span);
        let what = ChooseWhat::One { set: now(open, &places.set(), span), of: places.of.clone(), into };
        self.decision(c, seat, what, false, log, Template::default(), tie.cites, by.span);
        let settled = self.here();
        let one = Ty::of(places.of.clone());
        self.push(Change::Take(now(into, &one, span), to(left)), span);
        self.push(InstrKind::Reset(vec![open]), span);
        self.push(InstrKind::HookAt(places.hooks.clone(), into), span);
        self.push(InstrKind::Jump(start), span);
        let here = self.here();
        if let Some(InstrKind::NextHook(next)) = self.instrs.get_mut(find).map(|i| &mut i.kind) {
            (next.settled, next.end) = (settled, here);
        }
    }

    /// `order A, B`: first the hooks of no holder and of seats that are not named, then those of each seat in turn.
    fn by_seats(&mut self, c: &mut Checker, hooks: &[Attached], seats: &[tree::Expr], tie: Tie<'_>) {
        self.scope.here = Some(self.here());
        let Some(ranks) = seats.iter().map(|e| c.ranked_seat(self, e)).collect::<Option<Vec<Expr>>>() else { return };
        let of = |e: &Expr| if let ExprKind::Const(value) = &e.kind { value.int() } else { None };
        let fixed: Option<Vec<i32>> = ranks.iter().map(of).collect();
        if let Some(fixed) = fixed {
            return self.by_fixed_seats(c, hooks, fixed.into_iter().zip(&ranks).collect(), tie);
        }
        let player = Ty { base: Base::Member(model::PLAYER), optional: true };
        let mut held = Vec::new();
        for rank in ranks {
            let var = self.helper(c, player.clone(), tie.span);
            self.push(InstrKind::Set(to(var), rank), tie.span);
            held.push(var);
        }
        self.by_found_seats(c, hooks, &held, tie);
        self.stale.extend(held);
    }

    fn by_fixed_seats(&mut self, c: &mut Checker, hooks: &[Attached], fixed: Vec<(i32, &Expr)>, tie: Tie<'_>) {
        let rank = |a: &Attached| c.owner_of(*a).and_then(|o| fixed.iter().position(|(seat, _)| *seat == i32::from(o)));
        let ranks: Vec<Option<usize>> = hooks.iter().map(rank).collect();
        let of = |rank: Option<usize>| -> Vec<Attached> {
            hooks.iter().zip(&ranks).filter(|(_, r)| **r == rank).map(|(a, _)| *a).collect()
        };
        let chosen_by = tie.chosen_by.filter(|by| !is_owner(by));
        self.tied(c, &of(None), Tie { chosen_by, ..tie });
        for (i, (_, owner)) in fixed.iter().enumerate() {
            self.tied(c, &of(Some(i)), Tie { owner: Some(owner), ..tie });
        }
    }

    fn by_found_seats(&mut self, c: &mut Checker, hooks: &[Attached], held: &[VarId], tie: Tie<'_>) {
        let mut groups: BTreeMap<Option<u16>, Vec<Attached>> = BTreeMap::new();
        for a in hooks {
            groups.entry(c.owner_of(*a)).or_default().push(*a);
        }
        let span = tie.span;
        let player = Ty { base: Base::Member(model::PLAYER), optional: true };
        let is = |var: VarId, owner: u16, positive: bool| {
            let owner = constant(Value::Int(i32::from(owner)), Ty::of(player.base.clone()), span);
            truth(ExprKind::Equal(Box::new(now(var, &player, span)), Box::new(owner), positive), span)
        };
        let all = |conds: Vec<Expr>| {
            let both = |a: Expr, b: Expr| truth(ExprKind::And(Box::new(a), Box::new(b)), span);
            conds.into_iter().reduce(both)
        };
        let places = c.places(hooks, span);
        let left = self.helper(c, places.set(), span);
        let of_owner = |owner: Option<u16>| {
            let group = groups.get(&owner).map_or(&[][..], Vec::as_slice);
            places.all((0..hooks.len()).filter(|i| group.contains(&hooks[*i])), span)
        };
        self.push(InstrKind::Set(to(left), of_owner(None)), span);
        for owner in groups.keys().copied().flatten() {
            let unnamed = all(held.iter().map(|var| is(*var, owner, false)).collect());
            let skip = unnamed.map(|cond| self.push(InstrKind::Unless(cond, 0), span));
            self.add_to(left, of_owner(Some(owner)), &places, span);
            skip.into_iter().for_each(|skip| self.land(skip));
        }
        self.one_rank(c, &places, left, tie);
        self.push(InstrKind::Reset(vec![left]), span);
        for (i, var) in held.iter().enumerate() {
            let seat = now(*var, &Ty::of(Base::Member(model::PLAYER)), span);
            let before = held.get(..i).unwrap_or_default();
            for (owner, group) in groups.iter().filter_map(|(owner, group)| Some(((*owner)?, group))) {
                let earlier = before.iter().map(|var| is(*var, owner, false));
                let conds = std::iter::once(is(*var, owner, true)).chain(earlier);
                let skip = all(conds.collect()).map(|cond| self.push(InstrKind::Unless(cond, 0), span));
                self.tied(c, group, Tie { owner: Some(&seat), ..tie });
                self.clear_stale(span);
                skip.into_iter().for_each(|skip| self.land(skip));
            }
        }
        self.stale.insert(left);
    }

    fn add_to(&mut self, set: VarId, more: Expr, places: &Places, span: Span) {
        let both = ExprKind::SetOp(SetOp::Union, Box::new(now(set, &places.set(), span)), Box::new(more));
        self.push(InstrKind::Set(to(set), typed(both, places.set(), span)), span);
    }

    /// `order x in KIND by E`: first the hooks that it does not rank, then those of the least number, and so on. The
    /// numbers are found again before each rank.
    fn by_number(
        &mut self,
        c: &mut Checker,
        hooks: &[Attached],
        (name, word, by): (&tree::Word, &tree::Word, &tree::Expr),
        tie: Tie<'_>,
    ) {
        self.scope.here = Some(self.here());
        let Some(Number { kind, local, number }) = c.rank_number(self, name, word, by) else { return };
        let (mut groups, mut others) = (BTreeMap::<u16, Vec<Attached>>::new(), Vec::new());
        for a in hooks {
            let ranked = match kind {
                model::PLAYER => c.owner_of(*a),
                _ => a.holder.filter(|_| c.holders_kind(*a) == Some(kind)),
            };
            ranked.map_or(&mut others, |member| groups.entry(member).or_default()).push(*a);
        }
        self.tied(c, &others, tie);
        let ranked: Vec<Attached> = groups.values().flatten().copied().collect();
        if groups.len() < 2 {
            return self.tied(c, &ranked, tie);
        }
        let span = tie.span;
        let places = c.places(&ranked, span);
        let of = Base::Member(kind);
        let (ty, optional) = (Ty::of(Base::Set(Box::new(of.clone()))), Ty { base: Base::Int, optional: true });
        let mut helper = |ty: &Ty| self.helper(c, ty.clone(), span);
        let (rest, first, least, left) = (helper(&ty), helper(&ty), helper(&optional), helper(&places.set()));
        let over = |cond| Domain { local, set: Box::new(now(rest, &ty, span)), of: of.clone(), cond };
        let members = Set::from_iter(groups.keys().map(|m| usize::from(*m)));
        self.push(InstrKind::Set(to(rest), constant(Value::Set(members), ty.clone(), span)), span);
        let start = self.here();
        let more = truth(ExprKind::IsEmpty(Box::new(now(rest, &ty, span)), false), span);
        let leave = self.push(InstrKind::Unless(more, 0), span);
        let best = typed(ExprKind::Best(false, Box::new(number.clone()), over(None)), optional.clone(), number.span);
        self.push(InstrKind::Set(to(least), best), span);
        // If the numbers of all that remain are nothing, so is the least: those come last.
        let is = ExprKind::Equal(Box::new(number), Box::new(now(least, &optional, span)), true);
        let firsts = ExprKind::Compr { domain: over(Some(Box::new(truth(is, span)))), map: None, of: of.clone() };
        self.push(InstrKind::Set(to(first), typed(firsts, ty.clone(), span)), span);
        let without = ExprKind::SetOp(SetOp::Minus, Box::new(now(rest, &ty, span)), Box::new(now(first, &ty, span)));
        self.push(InstrKind::Set(to(rest), typed(without, ty.clone(), span)), span);
        self.push(InstrKind::Reset(vec![left, least]), span);
        for (member, group) in &groups {
            let item = Box::new(constant(Value::Int(i32::from(*member)), Ty::of(of.clone()), span));
            let is_in = ExprKind::In { item, set: Box::new(now(first, &ty, span)), of: of.clone(), positive: true };
            let skip = self.push(InstrKind::Unless(truth(is_in, span), 0), span);
            let these = places.all((0..ranked.len()).filter(|i| group.contains(&ranked[*i])), span);
            self.add_to(left, these, &places, span);
            self.land(skip);
        }
        self.push(InstrKind::Reset(vec![first]), span);
        self.one_rank(c, &places, left, tie);
        self.push(InstrKind::Jump(start), span);
        self.land(leave);
        self.stale.extend([rest, left]);
    }
}
