//! What is said while a game is played, in words.

use super::{Lexicon, fill};
use crate::game::{Outcome, Unread};

/// Most choices that are named where a text could be any of them.
const MAX_NAMED: usize = 5;

impl Lexicon<'_> {
    /// Who decides: a seat, or chance.
    #[must_use]
    pub fn who(&self, seat: Option<u16>) -> String {
        seat.map_or_else(|| self.words.play.chance.to_owned(), |seat| self.seat(seat))
    }

    /// How a game ended: `Good wins: the Ring is destroyed (2 : 0)`.
    #[must_use]
    pub fn outcome(&self, outcome: &Outcome) -> String {
        let words = &self.words.play;
        let end = self.model.ends.get(outcome.ending);
        let label = end.map_or_else(String::new, |end| self.label(end.clause));
        let winners: Vec<String> = outcome.winners.iter().map(|seat| self.seat(*seat)).collect();
        let who = match winners.as_slice() {
            [] => words.draw.to_owned(),
            [winner] => fill(words.wins, &[winner]),
            all => fill(words.win, &[&all.join(self.words.comma)]),
        };
        let why = if label.is_empty() { who } else { fill(words.because, &[&who, &label]) };
        let scores: Vec<String> = outcome.scores.iter().map(i32::to_string).collect();
        if scores.is_empty() { why } else { why + &self.words.bracketed(&scores.join(" : ")) }
    }

    /// Why a text is no choice.
    #[must_use]
    pub fn unread(&self, unread: &Unread) -> String {
        let words = &self.words.play;
        match unread {
            Unread::Unknown(text, near) => fill(words.unknown, &[text, &self.meant(near)]),
            Unread::Ambiguous(text, all) => fill(words.ambiguous, &[text, &self.listed(all, MAX_NAMED)]),
            Unread::Unseen(text) => fill(words.unseen_thing, &[text]),
            Unread::NotYours(text, near) => fill(words.not_yours, &[text, &self.meant(near)]),
            Unread::Elsewhere(elsewhere) => fill(words.elsewhere, &[&elsewhere.text]),
            Unread::Fault(fault, _) => fill(words.rules_fail, &[&self.fault(fault)]),
        }
    }

    /// What may have been meant, as the end of a sentence; empty if nothing is near.
    #[must_use]
    pub fn meant(&self, near: &[String]) -> String {
        let quoted: Vec<String> = near.iter().map(|n| format!("\"{n}\"")).collect();
        match quoted.is_empty() {
            true => String::new(),
            false => fill(self.words.play.did_you_mean, &[&quoted.join(self.words.play.or)]),
        }
    }

    /// Texts in quotes, the first `most` of them, and how many more there are.
    #[must_use]
    pub fn listed(&self, texts: &[String], most: usize) -> String {
        let shown: Vec<String> = texts.iter().take(most).map(|t| format!("\"{t}\"")).collect();
        let shown = shown.join(self.words.comma);
        match texts.len().saturating_sub(most) {
            0 => shown,
            more => fill(self.words.play.and_more, &[&shown, &more.to_string()]),
        }
    }
}
