//! `would`: what holds in the position that an action would lead to.

use super::coverage::Recorder;
use super::eval::{Eval, Res};
use super::note::Notes;
use super::run::Run;
use crate::game::{Args, FaultDetail, Position};
use crate::model::ActionId;

/// Where an action with its arguments leads.
pub(super) struct Reached {
    action: ActionId,
    args: Args,
    position: Position,
}

impl<N: Notes> Eval<'_, N> {
    /// Asks something of the position that an action would lead to; its arguments are the first locals, and all locals
    /// keep their values.
    ///
    /// # Errors
    /// Also a fault of its effect.
    pub fn ahead<T>(&mut self, action: ActionId, f: impl FnOnce(&mut Eval<N>) -> Res<T>) -> Res<T> {
        let reached = self.reach_by(action)?;
        let (result, notes) = self.after(&reached.position, f);
        self.reached = Some(reached);
        if self.observer.is_none_or(|observer| !observer.may_miss_something()) {
            self.notes.ahead(notes);
        }
        result
    }

    fn reach_by(&mut self, action: ActionId) -> Res<Reached> {
        let params = self.model.actions.get(action.i()).map_or(0, |a| a.params.len());
        let args: Vec<i32> = (0..params).filter_map(|i| self.local(i as u16).int()).collect();
        let args = Args::new(&args);
        // Several clauses may ask of the same action.
        if let Some(reached) = self.reached.take().filter(|r| r.action == action && r.args == args) {
            return Ok(reached);
        }
        // Its effect reads what it likes.
        self.notes.blind();
        self.missed |= self.within.is_some();
        let mut position = self.position.clone();
        // What would be done is not done.
        let mut run = Run::new(self.model, self.config).watched(self.watch.map(Recorder::idle));
        *run.work.get_mut() = self.work.done().saturating_add(1 + self.model.layout.size / 1024);
        let done = run.effect(&mut position, action, &args);
        self.work.set(run.work.into_inner());
        done.map_err(|mut fault| {
            fault.detail = FaultDetail::Ahead(Box::new(fault.detail));
            fault
        })?;
        Ok(Reached { action, args, position })
    }
}
