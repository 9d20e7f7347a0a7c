//! Rulings: whether a choice may be made here, and which clauses decide it.

use super::Explainer;
use super::decision::{DecisionPoint, rest};
use super::eval::{Eval, Res};
use super::legal::{Duty, Standing};
use super::note::{Notes, Role, Traced, Written};
use super::observer::Observer;
use crate::game::{
    Args, Choice, Considered, Fate, Fault, FaultKind, History, Moment, Position, Reason, Ruling, Seen, SeenPart, Shown,
    Subject, Verdict,
};
use crate::model::{
    Action, ActionId, Base, Choose, ChooseWhat, ClauseId, CodeKind, Expr, ExprKind, Goal, PLAYER, Value,
};

pub(super) fn illegal(reason: Reason) -> Ruling {
    Ruling::new(Verdict::Illegal, reason)
}

impl Explainer {
    /// Judges a choice that a seat wants to make: legal, illegal or undecided, with the clauses that decide it, those
    /// that lost, and the readings on which the verdict depends. A fault of the rules makes it undecided.
    #[must_use]
    pub fn judge(&self, position: &Position, seat: u16, choice: Choice) -> Ruling {
        self.judged(&History::of(position.clone()), position, (seat, choice), false)
    }

    /// The same where it is known how the position came about: a reading counts too if without it the position would
    /// not have come about, or would be another one.
    #[must_use]
    pub fn judge_after(&self, history: &History, position: &Position, seat: u16, choice: Choice) -> Ruling {
        self.judged(history, position, (seat, choice), false)
    }

    /// The same; with `seen` as the seat may read it, see [`Explainer::judge_seen`].
    pub(super) fn judged(
        &self,
        history: &History,
        position: &Position,
        (seat, choice): (u16, Choice),
        seen: bool,
    ) -> Ruling {
        if seen && self.is_about_the_unknown(position, seat, choice) {
            // Even why there is no such action would tell something of a member the seat does not know.
            return Ruling { seen, ..illegal(self.unasked(position, seat)) };
        }
        let observer = seen.then(|| Observer::new(self, position, seat));
        let mut ruling = self.ruling(position, seat, choice, observer);
        ruling.seen = seen;
        self.trace_ruling(&ruling, choice);
        ruling.readings = self.alone(history, seat, choice, ruling.verdict);
        ruling
    }

    /// Why a seat may not do what it is not asked for.
    pub(super) fn unasked(&self, position: &Position, seat: u16) -> Reason {
        match rest(&self.model, position) {
            Ok(DecisionPoint::Over) => Reason::GameOver,
            Ok(DecisionPoint::Chance(..)) => Reason::NotYourDecision(None),
            _ => match self.decider(position) {
                Some(whose) if whose != seat => Reason::NotYourDecision(Some(whose)),
                _ => Reason::NoSuchAction,
            },
        }
    }

    /// Marks the clauses that decide a ruling: those named as deciding, and those that others lost to.
    fn trace_ruling(&self, ruling: &Ruling, choice: Choice) {
        let Some(watch) = self.watch(true) else {
            return;
        };
        let winner = |c: &Considered| match c.fate {
            Fate::Silenced(by) | Fate::Beaten(by) => Some(by),
            _ => None,
        };
        let deciding = ruling.deciding.iter().map(|c| c.clause);
        deciding.chain(ruling.overruled.iter().filter_map(winner)).for_each(|id| watch.decided(id));
        if let (Reason::NoSuchAction, Choice::Act(id, _), false) =
            (&ruling.reason, choice, ruling.conditions.is_empty())
            && let Some(action) = self.model.actions.get(id.i())
        {
            watch.decided(action.clause);
        }
    }

    /// The ruling under the options and readings in force.
    fn ruling(&self, position: &Position, seat: u16, choice: Choice, observer: Option<Observer>) -> Ruling {
        let mut ev = self.at::<Written>(position);
        ev.observer = observer;
        let mut ruling = match self.asked(&mut ev, position, seat, choice) {
            Ok(ruling) => ruling,
            Err(fault) => self.undecided(&fault, observer.is_some_and(|observer| observer.may_miss_something())),
        };
        ruling.derived = ev.notes.derived;
        self.add_witnesses(&mut ruling, position, choice, observer);
        ruling
    }

    /// The verdict alone, and what it was found from.
    pub(super) fn verdict(&self, position: &Position, seat: u16, choice: Choice) -> (Verdict, Traced) {
        let mut ev = self.at::<Traced>(position);
        let verdict = match self.asked(&mut ev, position, seat, choice) {
            Ok(ruling) => ruling.verdict,
            Err(_) => Verdict::Undecided,
        };
        (verdict, ev.notes)
    }

    /// Whether the choice may be made, found from nothing but what the seat sees; and what was read.
    pub(super) fn legal_within(&self, position: &Position, seat: u16, choice: Choice) -> (bool, Traced) {
        let mut ev = self.at::<Traced>(position);
        let observer = Observer::new(self, position, seat);
        ev.within = observer.may_miss_something().then_some(observer);
        let ruling = self.asked(&mut ev, position, seat, choice);
        let legal = ruling.is_ok_and(|r| r.verdict == Verdict::Legal) && !ev.missed;
        (legal, ev.notes)
    }

    fn undecided(&self, fault: &Fault, veiled: bool) -> Ruling {
        let reason = match fault.kind {
            FaultKind::Conflict => Reason::Conflict,
            _ => Reason::Gap,
        };
        Ruling {
            deciding: fault.clauses.iter().map(|c| Considered::bare(*c)).collect(),
            fault: Some(if veiled { fault.outlined() } else { fault.clone() }),
            ..Ruling::new(Verdict::Undecided, reason)
        }
    }

    fn asked<'a, N: Notes>(
        &'a self,
        ev: &mut Eval<'a, N>,
        position: &'a Position,
        seat: u16,
        choice: Choice,
    ) -> Res<Ruling> {
        let choose = match rest(&self.model, position)? {
            DecisionPoint::Over => return Ok(illegal(Reason::GameOver)),
            DecisionPoint::Chance(..) => {
                let reason = Reason::NotYourDecision(None);
                return match choice {
                    Choice::Act(id, args) => self.besides(ev, position, seat, (id, args), reason),
                    _ => Ok(illegal(reason)),
                };
            }
            DecisionPoint::Decision(choose, ..) => choose,
        };
        let whose = ev.seat(choose)?;
        if whose != seat {
            let reason = Reason::NotYourDecision(Some(whose));
            return match choice {
                Choice::Act(id, args) => self.besides(ev, position, seat, (id, args), reason),
                _ => Ok(illegal(reason)),
            };
        }
        match (&choose.what, choice) {
            (ChooseWhat::Act { actions, .. }, Choice::Act(id, args)) => {
                self.act(ev, position, actions, seat, (id, args))
            }
            (_, Choice::Act(id, args)) => self.besides(ev, position, seat, (id, args), Reason::NoSuchAction),
            _ => offered(ev, choose, choice),
        }
    }

    fn act<'a, N: Notes>(
        &'a self,
        ev: &mut Eval<'a, N>,
        position: &'a Position,
        actions: &[ActionId],
        seat: u16,
        (id, args): (ActionId, Args),
    ) -> Res<Ruling> {
        if !actions.contains(&id) {
            return self.besides(ev, position, seat, (id, args), Reason::NoSuchAction);
        }
        let (action, conditions) = self.action_now(ev, seat, (id, args))?;
        let Some(action) = action.filter(|_| conditions.is_empty()) else {
            return Ok(Ruling { conditions, ..illegal(Reason::NoSuchAction) });
        };
        let standing = ev.with_args(&args, |ev| ev.standing(action))?;
        let clauses = ev.notes.take_clauses();
        let mut result = self.by_clauses(action, &args, standing, clauses);
        if standing == Standing::Permitted && ev.has_duties(actions) && self.may_oblige(ev, actions)? {
            self.obliged(ev, position, actions, seat, (id, args), &mut result)?;
        }
        Ok(result)
    }

    /// Whether the choice is an action that some seat has at a position, whoever is asked for what there.
    #[must_use]
    pub fn is_of_some_seat(&self, position: &Position, choice: Choice) -> bool {
        let Choice::Act(id, args) = choice else { return false };
        let seats = self.model.kinds.get(PLAYER.i()).map_or(0, |kind| kind.members.len() as u16);
        (0..seats).any(|seat| {
            let found = self.action_now(&mut self.at::<Written>(position), seat, (id, args));
            found.is_ok_and(|(action, conditions)| action.is_some() && conditions.is_empty())
        })
    }

    /// The action, if there is one with such arguments, and why it is none of the seat's now.
    fn action_now<'a, N: Notes>(
        &'a self,
        ev: &mut Eval<'a, N>,
        seat: u16,
        (id, args): (ActionId, Args),
    ) -> Res<(Option<&'a Action>, Vec<Seen>)> {
        let Some(action) = self.model.actions.get(id.i()).filter(|a| self.fits(a, &args)) else {
            return Ok((None, Vec::new()));
        };
        ev.considered(action.clause);
        let conditions = ev.with_args(&args, |ev| failing(ev, action, seat))?;
        Ok((Some(action), conditions))
    }

    /// An action that nobody asks this seat for now. A referee still wants to hear what would speak for and against it.
    fn besides<'a, N: Notes>(
        &'a self,
        ev: &mut Eval<'a, N>,
        position: &'a Position,
        seat: u16,
        (id, args): (ActionId, Args),
        reason: Reason,
    ) -> Res<Ruling> {
        let (action, conditions) = self.action_now(ev, seat, (id, args))?;
        let Some(action) = action.filter(|_| conditions.is_empty()) else {
            let conditions = if reason == Reason::NoSuchAction { conditions } else { Vec::new() };
            let near = action.and_then(|action| self.nearest(ev, position, action, &args));
            let moment = self.when_asked(ev, position, id, near);
            return Ok(Ruling { conditions, moment, ..illegal(reason) });
        };
        // It is none of the seat's now in any case; its clauses need not make sense here.
        let Ok(standing) = ev.with_args(&args, |ev| ev.standing(action)) else {
            return Ok(illegal(reason));
        };
        let clauses = ev.notes.take_clauses();
        let mut result =
            Ruling { verdict: Verdict::Illegal, reason, ..self.by_clauses(action, &args, standing, clauses) };
        let near = result.deciding.iter().chain(&result.misses).next().map(|c| c.clause);
        result.moment = self.when_asked(ev, position, id, near);
        if standing == Standing::Permitted {
            result.deciding.clear();
        }
        Ok(result)
    }

    /// The clause that permits an action or comes nearest to it, though there is no such action now.
    fn nearest<'a, N: Notes>(
        &'a self,
        ev: &Eval<'a, N>,
        position: &'a Position,
        action: &'a Action,
        args: &Args,
    ) -> Option<ClauseId> {
        let mut aside = self.at::<N>(position);
        (aside.observer, aside.watch) = (ev.observer, None);
        let standing = aside.with_args(args, |ev| ev.standing(action)).ok()?;
        let clauses = aside.notes.take_clauses();
        let ruling = self.by_clauses(action, args, standing, clauses);
        ruling.deciding.iter().chain(&ruling.misses).next().map(|c| c.clause)
    }

    /// When an action is asked for that is not asked for now.
    fn when_asked<'a, N: Notes>(
        &'a self,
        ev: &mut Eval<'a, N>,
        position: &'a Position,
        id: ActionId,
        near: Option<ClauseId>,
    ) -> Option<Moment> {
        let veiled = ev.observer.is_some_and(|observer| {
            observer.may_miss_something() && self.decider(position) != Some(observer.seat()) && self.is_aside(position)
        });
        let wanted = N::ON && (veiled || !self.asks_for(position, id));
        wanted.then(|| self.moment_of(ev, position, id, near).ok().flatten()).flatten()
    }

    /// Whether the decision that is asked now is about an action, whoever decides.
    fn asks_for(&self, position: &Position, id: ActionId) -> bool {
        match rest(&self.model, position) {
            Ok(DecisionPoint::Decision(choose, ..)) => {
                matches!(&choose.what, ChooseWhat::Act { actions, .. } if actions.contains(&id))
            }
            _ => false,
        }
    }

    /// Whether what is asked now is asked by a hook or an action, so that not all seats know what it is.
    fn is_aside(&self, position: &Position) -> bool {
        let code = position.top(&self.model).and_then(|(code, _)| self.model.codes.get(code.i()));
        code.is_some_and(|c| c.kind != CodeKind::Procedure)
    }

    fn fits(&self, action: &Action, args: &Args) -> bool {
        let args = args.as_slice();
        args.len() == action.params.len()
            && action
                .params
                .iter()
                .zip(args)
                .all(|((_, ty), v)| self.model.values(&ty.base).is_some_and(|all| all.contains(&i32::from(*v))))
    }

    fn by_clauses(&self, action: &Action, args: &Args, standing: Standing, clauses: Vec<(Role, Considered)>) -> Ruling {
        let mut result = match standing {
            Standing::Permitted => Ruling::new(Verdict::Legal, Reason::Permitted),
            Standing::Prohibited => illegal(Reason::Prohibited),
            Standing::Unreached => illegal(Reason::NoPermission),
        };
        let stands = |(role, c): &&(Role, Considered)| *role == Role::Prohibition && c.fate == Fate::Applies;
        let prohibition = clauses.iter().find(stands).map(|(_, c)| c.clause);
        for (role, c) in clauses {
            match (&c.fate, role, standing) {
                (Fate::Applies, Role::Permission, Standing::Prohibited) => {
                    let fate = prohibition.map_or(Fate::Applies, Fate::Beaten);
                    result.overruled.push(Considered { fate, ..c });
                }
                (Fate::Applies, ..) => result.deciding.push(c),
                (Fate::Fails, Role::Permission, Standing::Unreached) => result.misses.push(c),
                (Fate::Fails, ..) => result.idle.push(c),
                _ => result.overruled.push(c),
            }
        }
        result.misses.sort_by_key(|c| self.miss(c, action, args));
        result
    }

    // How far a clause is from what was meant: first by what it fixes of what was asked for, and the action has
    // otherwise; then by the other conditions that fail, where another piece is farther than another place; then an
    // ability of a piece that acts is nearer; then the fewer conditions, the nearer; then the general rule.
    fn miss(&self, c: &Considered, action: &Action, args: &Args) -> (usize, usize, bool, usize, bool) {
        let params = action.params.len();
        let when = self.model.clause(c.clause).map_or(&[][..], |c| c.written());
        let far = c.conditions.iter().zip(when).filter(|(seen, _)| !seen.holds).map(|(_, cond)| match &cond.kind {
            ExprKind::Equal(a, b, true) => match (&a.kind, &b.kind) {
                (ExprKind::Local(_) | ExprKind::Config(_), ExprKind::Const(_)) => 3,
                _ => 1,
            },
            _ => 1,
        });
        let ability = self.model.clause(c.clause).and_then(|c| c.ability).and_then(|a| self.model.abilities.get(a.i()));
        let acts = |kind, holder: u16| {
            let mut params = action.params.iter().zip(args.as_slice());
            params.any(|((_, ty), v)| ty.base == Base::Member(kind) && i32::from(*v) == i32::from(holder))
        };
        let own = ability.zip(c.holder).is_some_and(|(a, h)| acts(a.kind, h));
        let failing = || c.conditions.iter().zip(when).filter(|(seen, _)| !seen.holds).map(|(_, cond)| cond);
        let others = failing().filter(|cond| fixes_parameter(cond, params)).count();
        (others, far.sum(), !own, when.len(), c.holder.is_some())
    }

    /// Whether an obligation can be in force, whatever is permitted. Only what an observer sees is worth this look:
    /// which actions are permitted may depend on what the observer does not see.
    fn may_oblige<N: Notes>(&self, ev: &mut Eval<N>, actions: &[ActionId]) -> Res<bool> {
        if ev.within.is_none() {
            return Ok(true);
        }
        let missed = std::mem::take(&mut ev.missed);
        for id in actions {
            let musts = self.model.actions.get(id.i()).map_or(&[][..], |a| &a.must);
            let mut all = Vec::new();
            if !musts.is_empty() {
                self.all_tuples(*id, &mut Vec::new(), &mut all);
            }
            for choice in all {
                let Choice::Act(_, args) = choice else { continue };
                for must in musts {
                    for holder in self.model.holders(must.clause) {
                        if ev.with_args(&args, |ev| Ok(ev.applies(must.clause, holder)?.0))? || ev.missed {
                            ev.missed |= missed;
                            return Ok(true);
                        }
                    }
                }
            }
        }
        ev.missed = missed;
        Ok(false)
    }

    /// Looks whether obligations leave a permitted action legal.
    fn obliged<'a, N: Notes>(
        &'a self,
        ev: &mut Eval<'a, N>,
        position: &'a Position,
        actions: &[ActionId],
        seat: u16,
        (id, args): (ActionId, Args),
        result: &mut Ruling,
    ) -> Res<()> {
        let mut aside = self.at::<N::Aside>(position);
        aside.within = ev.within;
        let permitted = aside.permitted(actions, seat)?;
        let duties = aside.duties(actions, &permitted)?;
        ev.missed |= aside.missed;
        ev.notes.aside(aside.notes);
        let place = permitted.iter().position(|c| *c == Choice::Act(id, args));
        let unmet = |d: &&Duty| place.is_none_or(|i| d.met.get(i) != Some(&true));
        let unmet: Vec<&Duty> = duties.iter().filter(unmet).collect();
        if unmet.is_empty() {
            return Ok(());
        }
        let winner = unmet.first().map(|d| d.clause);
        let beaten = std::mem::take(&mut result.deciding);
        result
            .overruled
            .extend(beaten.into_iter().map(|c| Considered { fate: winner.map_or(Fate::Applies, Fate::Beaten), ..c }));
        result.verdict = Verdict::Illegal;
        result.reason = Reason::ObligationUnmet;
        for duty in unmet {
            ev.with_args(&args, |ev| {
                if duty.action != id {
                    // It asks for another action: its conditions are about that one's parameters.
                    result.deciding.push(Considered { holder: duty.holder, ..Considered::bare(duty.clause) });
                    return Ok(());
                }
                let (_, considered) = ev.applies(duty.clause, duty.holder)?;
                // It is in force because of other actions, even where its conditions fail for this one.
                result.deciding.extend(considered.map(|c| Considered { fate: Fate::Applies, ..c }));
                let mut seen = match duty.goal {
                    Goal::SoThat(cond) => ev.seen(cond)?,
                    Goal::Prefer(_, e) => Seen { holds: false, ..ev.seen(e)? },
                };
                if let Goal::Prefer(_, e) = duty.goal {
                    let value = ev.eval(e)?;
                    let value = ev.shown(e, &value);
                    seen.values.insert(0, SeenPart { what: Subject::Part(e.span), after: false, value });
                    if let Some(best) = duty.best {
                        let value = Shown::Value(ev.seen_value(&e.ty.base, &Value::Int(best)));
                        seen.values.push(SeenPart { what: Subject::Best, after: false, value });
                    }
                }
                result.conditions.push(seen);
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// Why an action is none of the seat's now: whose it is, else the first condition of its `where` that fails; its
/// arguments are the locals.
fn failing<N: Notes>(ev: &mut Eval<N>, action: &Action, seat: u16) -> Res<Vec<Seen>> {
    let whose = if ev.belongs(action, seat)? { None } else { Some(ev.eval(&action.by)?) };
    // Where it is nobody's, a condition says why: what it belongs to is not active.
    if whose.as_ref().is_none_or(|whose| *whose == Value::None) {
        for cond in action.domain.iter().flatten() {
            let seen = ev.seen(cond)?;
            if !seen.holds {
                return Ok(vec![seen]);
            }
        }
    }
    let Some(whose) = whose else { return Ok(Vec::new()) };
    let value = Shown::ActionOf(ev.seen_value(&action.by.ty.base, &whose));
    let values = vec![SeenPart { what: Subject::Action, after: false, value }];
    Ok(vec![Seen::new(action.by.span, false, values)])
}

/// Whether a condition says which member a parameter is, or among which it is.
fn fixes_parameter(cond: &Expr, params: usize) -> bool {
    let is_parameter = |e: &Expr| matches!(e.kind, ExprKind::Local(i) if usize::from(i) < params);
    let is_fixed = |e: &Expr| match &e.kind {
        ExprKind::Const(_) => true,
        ExprKind::SetOf { items, .. } => items.iter().all(|i| matches!(i.kind, ExprKind::Const(_))),
        _ => false,
    };
    match &cond.kind {
        ExprKind::Equal(a, b, true) => (is_parameter(a) && is_fixed(b)) || (is_fixed(a) && is_parameter(b)),
        ExprKind::In { item, set, positive: true, .. } => is_parameter(item) && is_fixed(set),
        _ => false,
    }
}

/// Judges a choice that is not an action.
fn offered<N: Notes>(ev: &mut Eval<N>, choose: &Choose, choice: Choice) -> Res<Ruling> {
    let offer = ev.offer(choose)?.unwrap_or_default();
    if offer.choices.contains(&choice) || (offer.pass && choice == Choice::Pass) {
        return Ok(Ruling {
            deciding: vec![Considered::bare(choose.clause)],
            ..Ruling::new(Verdict::Legal, Reason::Offered)
        });
    }
    let mut result = illegal(Reason::NoSuchAction);
    let set = match &choose.what {
        ChooseWhat::One { set, of, .. } | ChooseWhat::Several { set, of, .. } => Some((set, of)),
        _ => None,
    };
    if let (Some((set, of)), Choice::Value(value)) = (set, choice) {
        result.conditions = missing(ev, set, of, value)?;
    }
    Ok(result)
}

/// Why a value is not in a set: the conditions of the set that it fails, or the set.
fn missing<N: Notes>(ev: &mut Eval<N>, set: &Expr, of: &Base, value: i32) -> Res<Vec<Seen>> {
    if ev.among(set, of, value)? {
        return Ok(Vec::new());
    }
    if let ExprKind::Compr { domain, map: None, .. } = &set.kind
        && ev.among(&domain.set, &domain.of, value)?
        && let Some(cond) = &domain.cond
    {
        return ev.framed(|ev| {
            ev.set_local(domain.local, Value::Int(value));
            let mut todo = vec![cond.as_ref()];
            let mut failing = Vec::new();
            while let Some(cond) = todo.pop() {
                if let ExprKind::And(a, b) = &cond.kind {
                    todo.extend([b.as_ref(), a.as_ref()]);
                    continue;
                }
                let seen = ev.seen(cond)?;
                if !seen.holds {
                    failing.push(seen);
                    break;
                }
            }
            Ok(failing)
        });
    }
    let inside = ev.eval(set)?;
    let value = ev.shown(set, &inside);
    let values = vec![SeenPart { what: Subject::Part(set.span), after: false, value }];
    Ok(vec![Seen::new(set.span, false, values)])
}
