//! Whether a clause applies, and the values of definitions with their clauses.

use super::budget::on_account_of;
use super::eval::{Eval, Res, as_set, fault, fit};
use super::memo::{Asked, MAX_REMEMBERED};
use super::note::Notes;
use crate::game::{
    Applied, Considered, Derived, Fate, Fault, FaultDetail, FaultKind, RulesPart, Seen, SeenPart, Shown, Subject,
};
use crate::model::{
    AbilityId, ActionId, Base, Clause, ClauseId, Def, DefClause, DefId, Expr, ExprKind, Layer, Silence, Value,
};
use crate::span::Span;

/// The maximum number of values shown of one condition.
const MAX_VALUES: usize = 12;

/// A clause that applies, for one holder.
pub(super) struct Applying<'a> {
    /// The clause.
    pub clause: &'a DefClause,
    /// The holder.
    pub holder: Option<u16>,
    considered: Option<Considered>,
}

impl<'a, N: Notes> Eval<'a, N> {
    fn get(&self, clause: ClauseId) -> Res<&'a Clause> {
        self.model.clause(clause).ok_or_else(|| {
            let detail = FaultDetail::Missing(RulesPart::Clause);
            fault(FaultKind::BadPosition, Span::default(), detail)
        })
    }

    /// Whether a clause applies to the locals, for one holder, and in a ruling what it saw.
    pub fn applies(&mut self, id: ClauseId, holder: Option<u16>) -> Res<(bool, Option<Considered>)> {
        let clause = self.get(id)?;
        self.looked_at((id, clause), holder).map_err(on_account_of(id))
    }

    fn looked_at(
        &mut self,
        (id, clause): (ClauseId, &'a Clause),
        holder: Option<u16>,
    ) -> Res<(bool, Option<Considered>)> {
        self.spend(1, clause.span)?;
        if let Some(h) = holder {
            self.set_local(clause.holder, Value::Int(i32::from(h)));
        }
        // What a member has not is not there to be considered.
        let missed = std::mem::take(&mut self.missed);
        let bears = self.all(clause.bearing()).inspect_err(|_| self.missed |= missed)?;
        // Whether somebody bears it does not matter where it would not apply.
        if self.missed && self.certainly_fails(clause.written()) {
            self.missed = missed;
            return Ok((false, None));
        }
        self.missed |= missed;
        if !bears {
            return Ok((false, None));
        }
        self.considered(id);
        let mut fate = Fate::Applies;
        if let (Some(ability), Some(h)) = (clause.ability, holder)
            && let Some(by) = self.silenced(ability, h)?
        {
            fate = Fate::Silenced(by);
            // It decides where the clause would have applied.
            if self.watch.is_some_and(|w| w.deciding) && self.all(clause.written()).unwrap_or(false) {
                self.decided(by);
            }
        } else if let Some(limit) = clause.limit {
            let index = usize::from(holder.unwrap_or(0));
            if self.entry(limit, index)?.truth() {
                fate = Fate::UsedUp;
            }
        }
        if !N::ON {
            return Ok((fate == Fate::Applies && self.all(clause.written())?, None));
        }
        let mut conditions = Vec::new();
        for cond in clause.written() {
            let seen = match self.seen(cond) {
                Ok(seen) => seen,
                Err(fault) if fate == Fate::Applies => return Err(fault),
                // What is switched off, or fails already, cannot make the rules fail.
                Err(_) => break,
            };
            if !seen.holds {
                fate = Fate::Fails;
            }
            conditions.push(seen);
        }
        let considered = Considered { clause: id, holder, fate, conditions, number: None };
        Ok((considered.fate == Fate::Applies, Some(considered)))
    }

    /// Whether all conditions hold.
    pub fn all(&mut self, conditions: &[Expr]) -> Res<bool> {
        for cond in conditions {
            if !self.truth(cond)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether one of some conditions fails by what is seen alone.
    fn certainly_fails(&mut self, conditions: &[Expr]) -> bool {
        let missed = self.missed;
        let mut fails = false;
        for cond in conditions {
            self.missed = false;
            match self.truth(cond) {
                Ok(holds) => fails |= !holds && !self.missed,
                // What is not seen may be the reason; the others are asked all the same.
                Err(_) if self.missed => {}
                Err(_) => break,
            }
        }
        self.missed = missed;
        fails
    }

    /// A condition with what it sees.
    pub fn seen(&mut self, cond: &Expr) -> Res<Seen> {
        let holds = self.truth(cond)?;
        let mut values = Vec::new();
        if N::ON {
            self.inside(cond, &mut values);
        }
        Ok(Seen::new(cond.span, holds, values))
    }

    /// The parts of an expression worth showing, with their values.
    pub fn parts(&mut self, e: &Expr, out: &mut Vec<SeenPart>) {
        // What only joins its parts, or is as it is written, says nothing more.
        let joins = matches!(
            e.kind,
            ExprKind::Const(_)
                | ExprKind::Not(_)
                | ExprKind::Neg(_)
                | ExprKind::Abs(_)
                | ExprKind::And(..)
                | ExprKind::Or(..)
                | ExprKind::Default(..)
                | ExprKind::Equal(..)
                | ExprKind::Compare(..)
                | ExprKind::SetOp(..)
                | ExprKind::In { .. }
                | ExprKind::IsEmpty(..)
                | ExprKind::If(..)
                | ExprKind::Match { .. }
                | ExprKind::SetOf { .. }
                | ExprKind::Quant(..)
                | ExprKind::IsOn(..)
                | ExprKind::Wins(_)
                | ExprKind::LegalAction(_)
                | ExprKind::Legal { .. }
                | ExprKind::Leads(_)
                | ExprKind::Over(_)
                | ExprKind::AsSet(_)
                | ExprKind::Would { .. }
        );
        if !joins && out.len() < MAX_VALUES {
            // What no action changes is the same afterwards.
            let fixed = matches!(e.kind, ExprKind::Local(_) | ExprKind::Config(_));
            let after = self.after && !fixed;
            let what = match e.kind {
                ExprKind::Local(local) => Subject::Local(local, e.span),
                _ => Subject::Part(e.span),
            };
            if !self.is_told(e.span, after, out)
                && let Ok(value) = self.eval(e)
            {
                let mut value = self.shown(e, &value);
                if let ExprKind::Way { steps, to } = &e.kind
                    && let Ok(Some(way)) = self.way_shown(steps, None, to)
                    && let Shown::Value(total) = value
                {
                    value = Shown::Way(Some(total), way.members);
                }
                out.push(SeenPart { what, after, value });
            }
        }
        self.inside(e, out);
    }

    /// Whether a part that is written the same way is told already, or there is nothing that could be quoted.
    fn is_told(&self, span: Span, after: bool, told: &[SeenPart]) -> bool {
        let sources = &self.model.sources;
        let text = sources.line(span);
        let same = |part: &SeenPart| match part.what {
            Subject::Part(span) | Subject::Local(_, span) => part.after == after && sources.line(span) == text,
            Subject::Action | Subject::Best | Subject::WayTo(_) => false,
        };
        text.is_empty() || told.iter().any(same)
    }

    /// The parts within an expression worth showing, with their values.
    pub fn inside(&mut self, e: &Expr, out: &mut Vec<SeenPart>) {
        if let ExprKind::Would { action, of } = &e.kind {
            self.parts_ahead(*action, of, out);
            return;
        }
        // Which side it is may tell of what is hidden.
        if let ExprKind::Crosses(c) = &e.kind
            && self.observer.is_none_or(|observer| !observer.may_miss_something())
            && out.len() < MAX_VALUES
            && let Some(side) = self.crossing_shown(c)
            && !(self.is_told(c.pair, false, out) && out.iter().any(|part| part.value == side.value))
        {
            out.push(side);
        }
        if let ExprKind::In { item, set, .. } = &e.kind
            && let ExprKind::Reached { steps, within } = &set.kind
            && out.len() < MAX_VALUES
            && let Ok(Some(way)) = self.way_shown(steps, within.as_deref(), item)
        {
            let value = Shown::Way(None, way.members);
            out.push(SeenPart { what: Subject::WayTo(way.to), after: self.after, value });
        }
        for part in e.free_children() {
            self.parts(part, out);
        }
    }

    /// The same at the position that an action would lead to.
    fn parts_ahead(&mut self, action: ActionId, e: &Expr, out: &mut Vec<SeenPart>) {
        if self.observer.is_some_and(|observer| observer.may_miss_something()) {
            return;
        }
        // A part that was not needed may have a fault, and is not shown then.
        let _ = self.ahead(action, |ev| {
            ev.parts(e, out);
            Ok(())
        });
    }

    /// The silence that switches off an ability of a holder, if one does.
    pub fn silenced(&mut self, ability: AbilityId, holder: u16) -> Res<Option<ClauseId>> {
        if self.model.silences.is_empty() {
            return Ok(None);
        }
        let known = self.silenced.iter().find(|(a, h, _)| *a == ability && *h == holder);
        if let Some((_, _, by)) = known {
            return Ok(*by);
        }
        let mut found = None;
        for (i, silence) in self.model.silences.iter().enumerate() {
            self.spend(1, Span::default())?;
            if self.silencing.contains(&i) || !self.about(silence, ability) {
                continue;
            }
            self.silencing.push(i);
            let result = self.framed(|ev| ev.silences(silence, ability, holder));
            self.silencing.pop();
            if result? {
                found = Some(silence.clause);
                break;
            }
        }
        // While a silence is being asked about it counts as not there, so what is found then is not the whole truth.
        if self.silencing.is_empty() {
            self.silenced.push((ability, holder, found));
        }
        Ok(found)
    }

    fn about(&self, silence: &Silence, ability: AbilityId) -> bool {
        let kind = self.model.abilities.get(ability.i()).map(|a| a.kind);
        kind == Some(silence.kind) && (silence.abilities.is_empty() || silence.abilities.contains(&ability))
    }

    fn silences(&mut self, silence: &Silence, ability: AbilityId, holder: u16) -> Res<bool> {
        let about = Value::Int(i32::from(holder));
        self.considered(silence.clause);
        let clause = self.get(silence.clause)?;
        let mut applies = false;
        self.set_local(0, about.clone());
        for own in self.speakers(silence.clause)? {
            self.set_local(0, about.clone());
            if let Some(h) = own {
                self.set_local(clause.holder, Value::Int(i32::from(h)));
            }
            let off = match (clause.ability, own) {
                (Some(a), Some(h)) => self.silenced(a, h)?.is_some(),
                _ => false,
            };
            if !off && self.all(&clause.when)? {
                applies = true;
                break;
            }
        }
        if !applies {
            return Ok(false);
        }
        for spare in &silence.spares {
            if !spare.abilities.contains(&ability) {
                continue;
            }
            self.considered(spare.clause);
            let clause = self.get(spare.clause)?;
            self.set_local(0, about.clone());
            for own in self.speakers(spare.clause)? {
                self.set_local(0, about.clone());
                if let Some(h) = own {
                    self.set_local(clause.holder, Value::Int(i32::from(h)));
                }
                if self.all(&clause.when)? {
                    self.decided(spare.clause);
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// A definition applied.
    pub fn call(&mut self, id: DefId, args: &[Expr], span: Span) -> Res<Value> {
        let model = self.model;
        let Some(def) = model.defs.get(id.i()) else {
            let detail = FaultDetail::Missing(RulesPart::Definition);
            return Err(fault(FaultKind::BadPosition, span, detail));
        };
        let mut values = [const { Value::None }; 4];
        let mut more = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let mut value = self.eval(arg)?;
            if let Some((_, ty)) = def.params.get(i) {
                value = fit(&ty.base, value);
                if value == Value::None && !ty.optional {
                    return Ok(Value::None);
                }
            }
            match values.get_mut(i) {
                Some(place) => *place = value,
                None => more.push(value),
            }
        }
        let given = values.get(..args.len()).filter(|_| self.keeps());
        let asked = given.and_then(|given| Asked::new(id, given));
        if let Some(value) = asked.and_then(|asked| self.known(&asked)) {
            return Ok(value);
        }
        let before = std::mem::take(&mut self.missed);
        let value = self.called((id, span), |ev| {
            for (i, value) in values.into_iter().chain(more).take(args.len()).enumerate() {
                ev.set_local(i as u16, value);
            }
            ev.defined((id, def), span)
        });
        let missed = self.missed;
        self.missed |= before;
        let value = value.map_err(on_account_of(def.clause))?;
        if let Some(asked) = asked {
            self.remember(asked, &value, missed);
        }
        Ok(value)
    }

    /// Whether the value of a definition holds for the position as a whole. It does not while a silence is being
    /// evaluated, which then counts as absent; nor at a partial position, which is filled in as it is evaluated. For an
    /// observer it is not kept where notes are taken.
    fn keeps(&self) -> bool {
        self.silencing.is_empty() && self.draft.is_none() && (self.within.is_none() || !N::ON)
    }

    /// What a definition was found to be. What an observer missed then, it misses again.
    fn known(&mut self, asked: &Asked) -> Option<Value> {
        if self.within.is_none() {
            return self.memo.get(asked).cloned();
        }
        let (value, missed) = self.memo_within.get(asked)?;
        self.missed |= missed;
        Some(value.clone())
    }

    /// Keeps what a definition was found to be, and whether an observer missed something on the way.
    fn remember(&mut self, asked: Asked, value: &Value, missed: bool) {
        match self.within {
            None if self.memo.len() < MAX_REMEMBERED => drop(self.memo.insert(asked, value.clone())),
            Some(_) if self.memo_within.len() < MAX_REMEMBERED => {
                self.memo_within.insert(asked, (value.clone(), missed));
            }
            _ => {}
        }
    }

    /// A definition whose arguments are the locals. It is noted if all is seen that it depends on.
    pub fn defined(&mut self, (id, def): (DefId, &'a Def), span: Span) -> Res<Value> {
        self.afresh(|ev| {
            let (value, by) = ev.made((id, def), span)?;
            let changed = |c: &Considered| c.clause != def.clause && c.fate == Fate::Applies;
            if N::ON && !ev.missed && (ev.notes.general() || by.iter().any(changed)) {
                let (what, value) = (ev.applied((id, def)), ev.seen_value(&def.ty.base, &value));
                ev.notes.derived(Derived { what, after: false, value, by });
            }
            Ok(value)
        })
    }

    /// The value of a definition, and the clauses that made it.
    fn made(&mut self, (id, def): (DefId, &'a Def), span: Span) -> Res<(Value, Vec<Considered>)> {
        let mut by = Vec::new();
        self.considered(def.clause);
        let mut value = match self.instead((id, def), &mut by)? {
            Some(value) => value,
            None => match &def.general {
                Some(general) => {
                    self.decided(def.clause);
                    if N::ON {
                        by.insert(0, Considered::bare(def.clause));
                    }
                    self.eval(general)?
                }
                None => {
                    let detail = FaultDetail::Undefined(self.applied((id, def)));
                    return Err(Box::new(Fault { kind: FaultKind::Gap, clauses: vec![def.clause], span, detail }));
                }
            },
        };
        value = fit(&def.ty.base, value);
        if matches!(def.ty.base, Base::Int | Base::Range(..))
            && let Some(first) = by.first_mut().filter(|first| first.fate == Fate::Applies)
        {
            first.number = value.int();
        }
        value = self.layer(def.layer(Layer::Times), (id, def), value, &mut by, i32::checked_mul)?;
        value = self.layer(def.layer(Layer::Plus), (id, def), value, &mut by, i32::checked_add)?;
        value = self.layer(def.layer(Layer::AtMost), (id, def), value, &mut by, |a, b| Some(a.min(b)))?;
        value = self.layer(def.layer(Layer::AtLeast), (id, def), value, &mut by, |a, b| Some(a.max(b)))?;
        if matches!(def.ty.base, Base::Set(_))
            && !(def.layer(Layer::Also).is_empty() && def.layer(Layer::Except).is_empty())
        {
            let mut set = as_set(value);
            for (clauses, add) in [(def.layer(Layer::Also), true), (def.layer(Layer::Except), false)] {
                for a in self.applying(clauses, def, &mut by)? {
                    let other = as_set(self.value_of(&a, def)?);
                    let before = self.watch.map(|_| set.clone());
                    set = if add { set.union(&other) } else { set.difference(&other) };
                    if before.is_some_and(|b| b != set) {
                        self.decided(a.clause.clause);
                    }
                    by.extend(a.considered);
                }
            }
            value = Value::Set(set);
        }
        Ok((value, by))
    }

    /// A definition with the arguments that are its locals now.
    fn applied(&self, (id, def): (DefId, &Def)) -> Applied {
        let args = def.params.iter().enumerate().map(|(i, (_, ty))| self.seen_value(&ty.base, self.local(i as u16)));
        Applied { def: id, args: args.collect() }
    }

    /// The clauses among some that apply to the locals; those that would, but for something else, are added to `by`.
    pub fn applying(
        &mut self,
        clauses: &'a [DefClause],
        def: &Def,
        by: &mut Vec<Considered>,
    ) -> Res<Vec<Applying<'a>>> {
        let mut found = Vec::new();
        for clause in clauses {
            let fits = clause.args.iter().take(def.params.len()).enumerate();
            let mut fits = fits.filter_map(|(i, a)| a.as_ref().map(|a| (i, a)));
            if !fits.all(|(i, a)| a == self.local(i as u16)) {
                continue;
            }
            for holder in self.speakers(clause.clause)? {
                let (applies, considered) = self.applies(clause.clause, holder)?;
                if applies {
                    found.push(Applying { clause, holder, considered });
                } else if let Some(c) = considered
                    && c.fate != Fate::Fails
                {
                    by.push(c);
                }
            }
        }
        Ok(found)
    }

    fn value_of(&mut self, applying: &Applying, def: &Def) -> Res<Value> {
        if let Some(h) = applying.holder {
            let clause = self.get(applying.clause.clause)?;
            self.set_local(clause.holder, Value::Int(i32::from(h)));
        }
        Ok(fit(&def.ty.base, self.eval(&applying.clause.value)?))
    }

    /// The value that replaces the general one, if one does.
    fn instead(&mut self, (id, def): (DefId, &'a Def), by: &mut Vec<Considered>) -> Res<Option<Value>> {
        if def.layer(Layer::Instead).is_empty() {
            return Ok(None);
        }
        let all = self.applying(def.layer(Layer::Instead), def, by)?;
        let mut values: Vec<(ClauseId, Value)> = Vec::new();
        let mut first = Vec::new();
        for a in &all {
            let clause = a.clause.clause;
            let beaten = all.iter().find(|b| b.clause.beats.contains(&clause));
            if let Some(b) = beaten {
                by.extend(a.considered.clone().map(|c| Considered { fate: Fate::Beaten(b.clause.clause), ..c }));
                continue;
            }
            let value = self.value_of(a, def)?;
            self.decided(clause);
            values.push((clause, value));
            first.extend(a.considered.clone());
        }
        by.splice(0..0, first);
        let Some((_, value)) = values.first().cloned() else {
            if let Some(a) = all.first() {
                let detail = FaultDetail::BeatEachOther(self.applied((id, def)));
                return Err(conflict(all.iter().map(|a| a.clause.clause), a.clause.value.span, detail));
            }
            return Ok(None);
        };
        if values.iter().any(|(_, v)| *v != value) {
            let span = all.first().map_or(Span::default(), |a| a.clause.value.span);
            let given = values.iter().map(|(_, v)| self.seen_value(&def.ty.base, v)).collect();
            let detail = FaultDetail::Values(self.applied((id, def)), given);
            return Err(conflict(values.iter().map(|(c, _)| *c), span, detail));
        }
        Ok(Some(value))
    }

    fn layer(
        &mut self,
        clauses: &'a [DefClause],
        (id, def): (DefId, &Def),
        value: Value,
        by: &mut Vec<Considered>,
        op: impl Fn(i32, i32) -> Option<i32>,
    ) -> Res<Value> {
        if clauses.is_empty() {
            return Ok(value);
        }
        let Some(mut number) = value.int() else {
            return Ok(value);
        };
        for a in self.applying(clauses, def, by)? {
            if let Some(k) = self.value_of(&a, def)?.int() {
                let before = number;
                number = op(number, k).ok_or_else(|| {
                    Box::new(Fault {
                        kind: FaultKind::OutOfRange,
                        clauses: vec![a.clause.clause],
                        span: a.clause.value.span,
                        detail: FaultDetail::DefinitionTooLarge(self.applied((id, def))),
                    })
                })?;
                if number != before {
                    self.decided(a.clause.clause);
                }
                by.extend(a.considered.map(|c| Considered { number: Some(k), ..c }));
            }
        }
        Ok(Value::Int(number))
    }
}

/// Clauses that disagree.
fn conflict(clauses: impl Iterator<Item = ClauseId>, span: Span, detail: FaultDetail) -> Box<Fault> {
    let mut clauses: Vec<ClauseId> = clauses.collect();
    clauses.dedup();
    Box::new(Fault { kind: FaultKind::Conflict, clauses, span, detail })
}
