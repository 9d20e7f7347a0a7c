//! Decisions that nobody was asked for, since no action was legal: where they stand, and what came nearest.

use super::Explainer;
use super::decision::{DecisionPoint, rest};
use super::note::Silent;
use super::run::Run;
use crate::game::{Args, Choice, FaultDetail, Position, Reason, Ruling};
use crate::model::{ActionId, ChooseWhat};

/// The maximum number of actions that are judged to find the nearest.
const MAX_JUDGED: usize = 256;

/// A decision at which no action was legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The position at it, where it can be asked why.
    pub position: Position,
    /// The seat that would have decided.
    pub seat: u16,
}

impl Explainer {
    /// The decisions that are skipped on the way from a choice to the next decision point, because no action is legal.
    /// If play comes to a fault on the way, those before it.
    #[must_use]
    pub fn skipped(&self, position: &Position, choice: Choice) -> Vec<Skipped> {
        let mut run = Run::new(&self.model, &self.config.0);
        run.skipped = Some(Vec::new());
        // Where it ends does not matter.
        let _ = run.apply(&mut position.clone(), choice);
        run.skipped.unwrap_or_default()
    }

    /// The position in which a seat must act after a choice and no action is legal. `None` if play does not come to
    /// such a gap.
    #[must_use]
    pub fn gap_after(&self, position: &Position, choice: Choice) -> Option<Position> {
        let mut position = position.clone();
        let fault = Run::new(&self.model, &self.config.0).apply(&mut position, choice).err()?;
        (fault.detail == FaultDetail::NoLegalAction).then_some(position)
    }

    /// The actions that come nearest to being legal at a decision among actions, the nearest first, with why each is
    /// not: at most one of each action.
    #[must_use]
    pub fn near_misses(&self, position: &Position, seat: u16) -> Vec<(Choice, Ruling)> {
        let Ok(DecisionPoint::Decision(choose, ..)) = rest(&self.model, position) else { return Vec::new() };
        let ChooseWhat::Act { actions, .. } = &choose.what else { return Vec::new() };
        let mut nearest: Vec<(usize, Choice, Ruling)> = Vec::new();
        for id in actions {
            let judged = self.there_are(position, *id, seat).into_iter().map(|choice| {
                let ruling = self.judge(position, seat, choice);
                (distance(&ruling), choice, ruling)
            });
            nearest.extend(judged.min_by_key(|(far, ..)| *far));
        }
        nearest.sort_by_key(|(far, ..)| *far);
        nearest.into_iter().map(|(_, choice, ruling)| (choice, ruling)).collect()
    }

    /// Some actions that there are with their parameters, legal or not.
    fn there_are(&self, position: &Position, id: ActionId, seat: u16) -> Vec<Choice> {
        let mut found = Vec::new();
        let mut ev = self.at::<Silent>(position);
        let Some(action) = ev.action(id) else { return found };
        // What cannot be worked out is left out.
        let _ = ev.each_tuple(action, seat, &mut |_, args| {
            found.push(Choice::Act(id, Args::new(args)));
            Ok(found.len() >= MAX_JUDGED)
        });
        found
    }
}

/// How far an action is from being legal: what is permitted and forbidden is nearest, then what misses the fewest
/// conditions of a permission.
fn distance(ruling: &Ruling) -> usize {
    match ruling.reason {
        Reason::NoPermission => {
            let failing = ruling.misses.iter().map(|c| c.conditions.iter().filter(|seen| !seen.holds).count());
            failing.min().map_or(usize::MAX, |n| n.saturating_add(1))
        }
        _ => 0,
    }
}
