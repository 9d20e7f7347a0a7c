//! Where play goes on after a decision.

/// How a decision is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Something is chosen.
    Chosen,
    /// Nothing is done, or there is nothing to choose.
    Pass,
}

/// Where play goes on after a decision, by its answer: at the next instruction, if nothing else is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leads {
    pass: Option<u16>,
}

impl Leads {
    /// Makes doing nothing lead to an instruction.
    pub fn set_pass(&mut self, to: u16) {
        self.pass = Some(to);
    }

    /// Where play goes on after an answer, of a decision that stands at `at`.
    #[must_use]
    pub fn after(self, answer: Answer, at: u16) -> u16 {
        match (answer, self.pass) {
            (Answer::Pass, Some(to)) => to,
            _ => at.saturating_add(1),
        }
    }

    /// All places where play may go on, of a decision that stands at `at`.
    #[must_use]
    pub fn all(self, at: u16) -> Vec<u16> {
        let mut all = vec![self.after(Answer::Chosen, at), self.after(Answer::Pass, at)];
        all.dedup();
        all
    }
}
