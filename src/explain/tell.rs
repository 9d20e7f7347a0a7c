//! What a seat is told: its options, what others chose, and what it asks about.

use std::collections::{BTreeMap, BTreeSet};

use super::Explainer;
use super::decision::{DecisionPoint, rest};
use super::judge::illegal;
use super::note::Silent;
use super::observer::{Observer, Sightings};
use super::reader::Reader;
use super::say::number_alike;
use crate::game::{Choice, Evaluator as _, Fault, History, Meant, Position, Reason, Ruling, SeenOption, Told, Verdict};
use crate::model::{
    Base, ChanceWhat, Change, Choose, ChooseWhat, CodeId, Expr, ExprKind, FieldStore, InstrKind, KindId, SeenWhat, Set,
    Value, VarId, VarOwner,
};

impl Explainer {
    /// How a choice is written for a seat: what it does not see stands there as `?`.
    #[must_use]
    pub fn say_seen(&self, position: &Position, seat: u16, choice: Choice, lang: &str) -> String {
        self.say_to(&Reader::seat(self, position, seat, lang), position, choice, &[])
    }

    /// The same of several choices; one that is written like one before it is numbered, where names can be shared.
    #[must_use]
    pub fn say_each(&self, position: &Position, seat: u16, choices: &[Choice], lang: &str) -> Vec<String> {
        let found = Sightings::default();
        let reader = Reader::looking(self, Observer::new(self, position, seat).keeping(&found), lang);
        let mut texts: Vec<String> = choices.iter().map(|c| self.say_to(&reader, position, *c, &[])).collect();
        if !self.model.copies.is_empty() {
            number_alike(&mut texts);
        }
        texts
    }

    /// How choices are written by a seat that may name what it does not know: names are not secret, what stands where
    /// is one.
    #[must_use]
    pub fn say_named(&self, position: &Position, seat: u16, choices: &[Choice], lang: &str) -> Vec<String> {
        let found = Sightings::default();
        let reader = Reader::looking(self, Observer::new(self, position, seat).keeping(&found), lang).naming();
        choices.iter().map(|c| self.say_to(&reader, position, *c, &[])).collect()
    }

    /// The options of a seat, each as it reads them; none where it does not decide. Those that name what it does not
    /// know come after the others, so that their order tells nothing.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn seen_options(&self, position: &Position, seat: u16, lang: &str) -> Result<Vec<SeenOption>, Fault> {
        let options = if self.decider(position) == Some(seat) { self.options(position)? } else { Vec::new() };
        Ok(self.as_seen(position, options, seat, lang, &Sightings::default()))
    }

    /// Options of a position, each as a seat reads it that decides there, in the order of
    /// [`Explainer::seen_options`]. `found` is what was found of what the seat sees.
    pub fn as_seen(
        &self,
        position: &Position,
        options: Vec<Choice>,
        seat: u16,
        lang: &str,
        found: &Sightings<'_>,
    ) -> Vec<SeenOption> {
        let observer = Observer::new(self, position, seat).keeping(found);
        let reader = Reader::looking(self, observer, lang);
        let (mut known, mut last) = (Vec::new(), Vec::new());
        let mut veiled: BTreeMap<String, Vec<Choice>> = BTreeMap::new();
        for choice in options {
            let text = self.say_to(&reader, position, choice, &[]);
            if observer.misses_a_part(choice) {
                veiled.entry(text).or_default().push(choice);
                continue;
            }
            let list = if choice == Choice::Pass { &mut last } else { &mut known };
            list.push(SeenOption { text, choices: vec![choice], veiled: false });
        }
        known.extend(veiled.into_iter().map(|(text, choices)| SeenOption { text, choices, veiled: true }));
        known.extend(last);
        if !self.model.copies.is_empty() {
            let mut texts: Vec<String> = known.iter().map(|option| option.text.clone()).collect();
            number_alike(&mut texts);
            known.iter_mut().zip(texts).for_each(|(option, text)| option.text = text);
        }
        known
    }

    /// The seat that decides at a position.
    pub fn decider(&self, position: &Position) -> Option<u16> {
        match rest(&self.model, position) {
            Ok(DecisionPoint::Decision(choose, ..)) => self.at::<Silent>(position).seat(choose).ok(),
            _ => None,
        }
    }

    /// What a seat is told of a choice by which one position became another; `None`: one who sees all.
    #[must_use]
    pub fn told(&self, seat: Option<u16>, (before, after): (&Position, &Position), choice: Choice, lang: &str) -> Told {
        let place = rest(&self.model, before).ok();
        let decides = self.decider(before);
        match (place, seat) {
            (_, None) => Told::Said(self.say(before, choice, lang)),
            (_, Some(seat)) if decides == Some(seat) => {
                Told::Said(self.say_to(&Reader::seat(self, before, seat, lang), before, choice, &[]))
            }
            (_, Some(_)) if self.is_secret(before, choice, after) => Told::Secret,
            (_, Some(seat)) => Told::Said(self.told_openly(seat, (before, after), choice, lang)),
        }
    }

    /// Whether others than its seat are not told of a choice as it is made.
    fn is_secret(&self, before: &Position, choice: Choice, after: &Position) -> bool {
        let secretly = match rest(&self.model, before) {
            Ok(DecisionPoint::Decision(choose, ..)) => choose.secret,
            _ => false,
        };
        secretly || self.is_hidden_until(before, choice, after) == Some(true)
    }

    /// The choices of which a seat is not told yet, of a game that has come to the last of the positions.
    #[must_use]
    pub fn not_told(&self, seat: u16, choices: &[(&Position, Choice)], now: &Position) -> Vec<usize> {
        let later = |i: usize| choices.get(i + 1).map_or(now, |(position, _)| *position);
        let hidden = |(i, (before, choice)): (usize, &(&Position, Choice))| {
            let hidden = self.decider(before) != Some(seat)
                && self.is_secret(before, *choice, later(i))
                && (i..choices.len()).all(|j| self.is_still_secret(seat, (before, later(j)), *choice));
            hidden.then_some(i)
        };
        choices.iter().enumerate().filter_map(hidden).collect()
    }

    fn is_still_secret(&self, seat: u16, (before, now): (&Position, &Position), choice: Choice) -> bool {
        let into = match rest(&self.model, before) {
            Ok(DecisionPoint::Decision(choose, ..)) => choose.var(),
            _ => None,
        };
        let hidden = self.is_hidden_until(before, choice, now) == Some(true) && self.decider(before) != Some(seat);
        hidden || into.is_some_and(|into| self.is_in_secret(now, into, seat))
    }

    /// What a seat is told of a secret choice when play has come to `now`.
    #[must_use]
    pub fn told_later(&self, seat: u16, (before, now): (&Position, &Position), choice: Choice, lang: &str) -> Told {
        if self.is_still_secret(seat, (before, now), choice) {
            return Told::Secret;
        }
        Told::Said(self.told_openly(seat, (before, now), choice, lang))
    }

    fn told_openly(&self, seat: u16, (before, after): (&Position, &Position), choice: Choice, lang: &str) -> String {
        // What comes to light is told whole, but for what its seat or chance still hides.
        let kept: Vec<bool> = match self.is_hidden_until(before, choice, after) {
            Some(_) => Vec::new(),
            None => self.homes(before, choice).iter().map(|v| self.keeps(seat, after, v)).collect(),
        };
        let shown = self.shown_meanwhile(seat, (before, after), choice);
        self.say_to(&Reader::told(self, (before, shown.as_ref().unwrap_or(after)), seat, lang), before, choice, &kept)
    }

    /// If a seat knows a member that a choice names neither before nor after: a position on the way at which the seat
    /// knows all of them, such as while a card that was hidden before and is hidden again lies open.
    fn shown_meanwhile(&self, seat: u16, (before, after): (&Position, &Position), choice: Choice) -> Option<Position> {
        let named = match (choice, rest(&self.model, before).ok()?) {
            (Choice::Act(id, args), _) => {
                let params = &self.model.actions.get(id.i())?.params;
                let values = args.as_slice().iter().map(|value| i32::from(*value));
                params.iter().map(|(_, ty)| ty.base.clone()).zip(values).collect()
            }
            (Choice::Value(value), DecisionPoint::Decision(choose, ..)) => match &choose.what {
                ChooseWhat::One { of, .. } | ChooseWhat::Several { of, .. } => vec![(of.clone(), value)],
                _ => return None,
            },
            _ => return None,
        };
        let member = |(base, value): (Base, i32)| match base {
            Base::Member(kind) => Some((kind, value)),
            _ => None,
        };
        let members: Vec<(KindId, i32)> = named.into_iter().filter_map(member).collect();
        let observer = Observer::new(self, before, seat).and_later(after);
        let known = members.iter().all(|(kind, m)| observer.knows(*kind, *m));
        if known { None } else { self.while_known(before, choice, (seat, members)) }
    }

    /// Whether the condition until which a choice is hidden does not hold at `now`; `None` if it has none.
    fn is_hidden_until(&self, before: &Position, choice: Choice, now: &Position) -> Option<bool> {
        let model = &self.model;
        let (until, kept) = match (choice, rest(model, before)) {
            (Choice::Act(id, args), _) => {
                let action = model.actions.get(id.i())?;
                let params = model.codes.get(action.code.i()).map_or(&[][..], |c| &c.params);
                let args = args.as_slice().iter().map(|arg| Value::Int(i32::from(*arg)));
                (action.until.as_ref()?, params.iter().copied().zip(args).collect())
            }
            (_, Ok(DecisionPoint::Decision(choose, code, _))) => {
                let until = choose.until.as_ref()?;
                let mut made = before.clone();
                if let (Some(into), Some(value)) = (choose.var(), chosen(choose, choice)) {
                    let _ = made.write(model, into, 0, &value);
                }
                let names = model.codes.get(code.i()).map_or(&[][..], |c| &c.vars);
                (until, names.iter().map(|name| (*name, made.read(model, *name, 0))).collect::<Vec<_>>())
            }
            _ => return None,
        };
        let mut ev = self.at::<Silent>(now);
        ev.kept = kept;
        Some(!ev.truth(until).unwrap_or(false))
    }

    /// For each part of a choice the variables not seen by all that it is put into.
    fn homes(&self, before: &Position, choice: Choice) -> Vec<BTreeSet<VarId>> {
        let model = &self.model;
        let (code, parts) = match (choice, rest(model, before)) {
            (Choice::Act(id, _), _) => {
                let code = model.actions.get(id.i()).map(|a| a.code);
                let params = code.and_then(|c| model.codes.get(c.i())).map_or_else(Vec::new, |c| c.params.clone());
                (code, params)
            }
            (_, Ok(DecisionPoint::Decision(choose, code, _))) => (Some(code), choose.var().into_iter().collect()),
            (_, Ok(DecisionPoint::Chance(chance, code, _))) => match chance.what {
                ChanceWhat::Pick { into, .. } | ChanceWhat::Draw { into, .. } | ChanceWhat::Roll { into, .. } => {
                    (Some(code), vec![into])
                }
                ChanceWhat::Shuffle { .. } => (None, Vec::new()),
            },
            _ => (None, Vec::new()),
        };
        let Some(code) = code else {
            return Vec::new();
        };
        parts.into_iter().map(|var| self.home_of(code, var)).collect()
    }

    /// The variables not seen by all into which a procedure, and what it begins, puts the value of one of its
    /// variables.
    fn home_of(&self, code: CodeId, var: VarId) -> BTreeSet<VarId> {
        let model = &self.model;
        // Of a thing in a pile it is told where it can be seen.
        let piled = |v: VarId| match model.vars.get(v.i()).map(|v| &v.ty.base) {
            Some(Base::List(_)) => true,
            Some(Base::Set(of)) => matches!(**of, Base::Member(_)),
            _ => false,
        };
        let hidden = |v: VarId| !piled(v) && model.seen.iter().any(|s| s.what == SeenWhat::Var(v));
        let own = |v: VarId| model.vars.get(v.i()).is_some_and(|v| matches!(v.owner, VarOwner::Code(_)));
        let (mut carries, mut found, mut codes) = (BTreeSet::from([var]), BTreeSet::new(), BTreeSet::from([code]));
        loop {
            let before = (carries.len(), found.len(), codes.len());
            for code in codes.clone() {
                for instr in model.codes.get(code.i()).map_or(&[][..], |c| &c.instrs) {
                    let mut put = |e: &Expr, to: VarId| {
                        if mentions(e, &carries) && hidden(to) {
                            found.insert(to);
                        } else if mentions(e, &carries) && own(to) {
                            carries.insert(to);
                        }
                    };
                    match &instr.kind {
                        InstrKind::Set(target, e) | InstrKind::Change(Change::Put(e, target)) => put(e, target.var),
                        InstrKind::Change(Change::Count(count)) => {
                            put(&count.item, count.bag.var);
                            put(&count.number, count.bag.var);
                        }
                        InstrKind::Change(Change::Bag(_, target, Some(e))) => put(e, target.var),
                        InstrKind::Call(called, args) => {
                            let params = model.codes.get(called.i()).map_or(&[][..], |c| &c.params);
                            args.iter().zip(params).for_each(|(e, param)| put(e, *param));
                            codes.insert(*called);
                        }
                        _ => {}
                    }
                }
            }
            if before == (carries.len(), found.len(), codes.len()) {
                return found;
            }
        }
    }

    /// Whether a seat does not see all places where a value may go. Which of them changed may be hidden itself.
    fn keeps(&self, seat: u16, after: &Position, homes: &BTreeSet<VarId>) -> bool {
        homes.iter().any(|var| {
            let count = self.model.vars.get(var.i()).map_or(0, |v| v.place.count as usize);
            !(0..count).all(|i| self.sees(after, SeenWhat::Var(*var), i, seat).unwrap_or(false))
        })
    }

    /// Whether a seat knows which member this is and sees where it stands on the board.
    #[must_use]
    pub fn sees_place(&self, position: &Position, kind: KindId, member: usize, seat: u16) -> bool {
        let shows = self.model.board.as_ref().and_then(|b| b.shown(kind));
        let at = shows.and_then(|s| self.model.kinds.get(kind.i())?.fields.get(s.at)).map(|f| &f.store);
        let sees = |what| self.sees(position, what, member, seat).unwrap_or(false);
        sees(SeenWhat::Member(kind))
            && match at {
                Some(FieldStore::Var(var)) => sees(SeenWhat::Var(*var)),
                _ => true,
            }
    }

    /// The ruling about what a seat means, as it may read it. Of an option that names what it does not know it is
    /// said only that it is one.
    #[must_use]
    pub fn judge_meant(&self, position: &Position, seat: u16, meant: &Meant) -> Ruling {
        match meant {
            Meant::Option(option) if option.veiled => {
                Ruling { seen: true, ..Ruling::new(Verdict::Legal, Reason::Offered) }
            }
            Meant::Option(_) | Meant::Other(_) => match meant.choice() {
                Some(choice) => self.judged(&History::of(position.clone()), position, (seat, choice), true),
                None => illegal(Reason::NoSuchAction),
            },
        }
    }
}

/// What is put into the variable of a decision.
fn chosen(choose: &Choose, choice: Choice) -> Option<Value> {
    let value = match choice {
        Choice::Value(i) => i,
        Choice::Yes => 1,
        Choice::Pass | Choice::Act(..) => return None,
    };
    match &choose.what {
        ChooseWhat::Several { of, .. } => Some(Value::Set(Set::from_iter(of.bit(value)))),
        _ => Some(Value::Int(value)),
    }
}

/// Whether the value of an expression is made from that of a variable; where an entry is looked up by it, its value
/// is another.
fn mentions(e: &Expr, vars: &BTreeSet<VarId>) -> bool {
    match &e.kind {
        ExprKind::Var { var, .. } => vars.contains(var),
        ExprKind::Printed { .. } => false,
        _ => e.children().into_iter().any(|part| mentions(part, vars)),
    }
}
