//! Why a seat was not asked: no action was legal where it would have been.

use super::complaint::Complaint;
use super::expect::Bench;
use crate::facts::seat_named;
use crate::game::Position;

/// The maximum number of actions of which it is said why they are not legal.
const MAX_MISSES: usize = 3;

impl Bench<'_> {
    /// What stands, and if a seat is not asked because its decision was skipped after the last move, why nothing was
    /// legal there.
    pub(super) fn with_skipped(&self, seat: &str, stands: String) -> Complaint {
        let (Some((before, choice)), Some(seat)) = (&self.before, seat_named(self.rules.model(), seat)) else {
            return Complaint(stands);
        };
        let skipped = self.rules.explainer().skipped(before, *choice);
        match skipped.iter().rfind(|s| s.seat == seat) {
            Some(skipped) => {
                let why = self.misses(&skipped.position, seat);
                Complaint(format!(
                    "{stands}; the decision of {} was skipped, none was legal{why}",
                    self.seat_name(seat)
                ))
            }
            None => Complaint(stands),
        }
    }

    /// A fault, and if a seat had to act and could not, why nothing was legal.
    pub(super) fn with_gap(&self, fault: String) -> Complaint {
        let explainer = self.rules.explainer();
        let gap = self.before.as_ref().and_then(|(before, choice)| explainer.gap_after(before, *choice));
        match gap.and_then(|gap| explainer.decider(&gap).map(|seat| (gap, seat))) {
            Some((gap, seat)) => Complaint(format!("{fault}{}", self.misses(&gap, seat))),
            None => Complaint(fault),
        }
    }

    fn misses(&self, position: &Position, seat: u16) -> String {
        let misses = self.rules.explainer().near_misses(position, seat);
        if misses.is_empty() {
            return String::from(": there is no such action at all");
        }
        let nearest = misses.iter().take(MAX_MISSES);
        let said = nearest.map(|(choice, ruling)| {
            let text = self.rules.ruling_text(position, seat, *choice, ruling);
            text.trim_end().replace('\n', "\n    ")
        });
        format!(":\n    {}", said.collect::<Vec<_>>().join("\n    "))
    }
}
