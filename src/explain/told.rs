//! What notations ask of play: whether another action is legal now, and what the one that is written leads to.

use super::coverage::Recorder;
use super::decision::{DecisionPoint, rest};
use super::eval::{Eval, Res};
use super::legal::Standing;
use super::note::Notes;
use super::run::Run;
use crate::game::{Args, Choice, Position};
use crate::model::{ActionId, ChooseWhat, Expr};

/// The action whose notation is written, and what it leads to once that is known.
pub(super) struct Written {
    action: ActionId,
    args: Args,
    /// `None` if it is not legal.
    led: Option<Option<Box<Position>>>,
}

impl Written {
    /// An action before anything is asked about it.
    pub fn new(action: ActionId, args: Args) -> Written {
        Written { action, args, led: None }
    }
}

impl<N: Notes> Eval<'_, N> {
    /// Whether an action with these arguments is legal for the seat that decides now.
    pub fn legal_now(&mut self, action: ActionId, args: &[Expr]) -> Res<bool> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            match self.int(arg)? {
                Some(value) => values.push(value),
                None => return Ok(false),
            }
        }
        self.is_legal(action, &Args::new(&values))
    }

    fn is_legal(&mut self, id: ActionId, args: &Args) -> Res<bool> {
        // What seats may do can tell of what is hidden.
        self.missed |= self.within.is_some_and(|observer| observer.may_miss_something());
        let DecisionPoint::Decision(choose, ..) = rest(self.model, self.position)? else { return Ok(false) };
        let ChooseWhat::Act { actions, .. } = &choose.what else { return Ok(false) };
        let Some(action) = self.action(id).filter(|_| actions.contains(&id)) else { return Ok(false) };
        self.framed(|ev| {
            let seat = ev.seat(choose)?;
            let permitted = ev.with_args(args, |ev| {
                for conds in &action.domain {
                    if !ev.all(conds)? {
                        return Ok(false);
                    }
                }
                Ok(ev.belongs(action, seat)? && ev.standing(action)? == Standing::Permitted)
            })?;
            if !permitted || !ev.has_duties(actions) {
                return Ok(permitted);
            }
            Ok(ev.legal(actions, seat)?.contains(&Choice::Act(id, *args)))
        })
    }

    /// Whether the action that is written is legal, and something holds where it leads.
    pub fn leads(&mut self, of: &Expr) -> Res<bool> {
        let Some(written) = self.written.take() else { return Ok(false) };
        let led = match written.led {
            Some(led) => led,
            None => self.led(written.action, &written.args)?,
        };
        let holds = match &led {
            Some(position) => self.after(position, |ev| ev.truth(of)).0,
            None => Ok(false),
        };
        self.written = Some(Written { led: Some(led), ..written });
        self.missed |= self.within.is_some_and(|observer| observer.may_miss_something());
        holds
    }

    /// Where an action leads, if it is legal.
    fn led(&mut self, id: ActionId, args: &Args) -> Res<Option<Box<Position>>> {
        if !self.is_legal(id, args)? {
            return Ok(None);
        }
        self.notes.blind();
        let mut position = self.position.clone();
        let mut run = Run::new(self.model, self.config).watched(self.watch.map(Recorder::idle));
        let done = run.apply(&mut position, Choice::Act(id, *args));
        done.map(|()| Some(Box::new(position)))
    }

    /// Whether the game has ended, by an ending with a label if one is given.
    pub fn is_over(&self, label: Option<&str>) -> bool {
        let ending = self.position.ending(self.model).and_then(|i| self.model.ends.get(i));
        let clause = ending.and_then(|end| self.model.clause(end.clause));
        clause.is_some_and(|clause| label.is_none_or(|label| clause.label.text == label))
    }
}
