//! What a seat sees in words.

use super::{Lexicon, fill};
use crate::game::{SeenMember, SeenPile, SeenVariable};
use crate::model::VarId;

impl Lexicon<'_> {
    /// A variable, or the entry of an indexed one: `hand of Ann`.
    #[must_use]
    pub fn entry(&self, var: VarId, index: Option<SeenMember>) -> String {
        match index {
            Some(index) => fill(self.words.of, &[self.var(var), &self.seen_member(index)]),
            None => self.var(var).to_owned(),
        }
    }

    /// A pile with what is seen of it: `hand of Ann (2): Card 1, Card 10`, `hand of Bob: 3 unseen`.
    #[must_use]
    pub fn pile(&self, pile: &SeenPile) -> String {
        let (title, size) = (self.entry(pile.var, pile.index), pile.size.to_string());
        match &pile.members {
            Some(members) => fill(self.words.play.pile, &[&title, &size, &self.values(members).join(", ")]),
            None => fill(self.words.play.pile_unseen, &[&title, &size]),
        }
    }

    /// A variable with its value: `leader: Frodo`.
    #[must_use]
    pub fn variable(&self, variable: &SeenVariable) -> String {
        fill(self.words.play.variable, &[&self.entry(variable.var, variable.index), &self.value(&variable.value)])
    }
}
