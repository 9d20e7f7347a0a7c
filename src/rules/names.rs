//! What seats and results are called.

use super::Rules;
use crate::game::Outcome;
use crate::lexicon::Lexicon;
use crate::library::Unusable;
use crate::model::{Member, PLAYER};
use crate::spelling::{closest, letters};

impl Rules {
    fn seat_members(&self) -> &[Member] {
        self.model().kinds.get(PLAYER.i()).map_or(&[], |k| &k.members)
    }

    /// How many seats there are.
    #[must_use]
    pub fn seats(&self) -> usize {
        self.seat_members().len()
    }

    /// What a seat is called in a language; empty for the rule file's own.
    #[must_use]
    pub fn seat_name(&self, seat: u16, lang: &str) -> String {
        Lexicon::new(self.model(), lang).seat(seat)
    }

    /// The seat of that name or identifier, in a language or in the rule file's own.
    ///
    /// # Errors
    /// There is no such seat.
    pub fn seat(&self, name: &str, lang: &str) -> Result<u16, Unusable> {
        let members = self.seat_members();
        // Capitals and spaces make no difference.
        let typed = letters(name);
        let known = |m: &Member| {
            let called = [m.id.as_str(), m.name.text.as_str(), m.name.get(lang)];
            called.contains(&name) || !typed.is_empty() && called.iter().any(|one| letters(one) == typed)
        };
        if let Some(seat) = members.iter().position(known) {
            return Ok(u16::try_from(seat).unwrap_or(u16::MAX));
        }
        let names: Vec<&str> = members.iter().map(|m| m.id.as_str()).collect();
        let help = match closest(name, names.iter().copied()) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("the seats are {}", names.join(", ")),
        };
        Err(Unusable::new(format!("no seat is called {name}"), help))
    }

    /// How a game ended, in words: `Good wins: the Ring is destroyed (2 : 0)`.
    #[must_use]
    pub fn outcome_words(&self, outcome: &Outcome, lang: &str) -> String {
        Lexicon::new(self.model(), lang).outcome(outcome)
    }
}
