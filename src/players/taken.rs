//! What a bot has chosen in a game so far.

use std::collections::HashMap;

/// The options that a bot has taken, by what it saw then. Who takes the same again where all looks the same goes in
/// circles, and some games let one do that for ever.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken {
    /// Texts of options, by what was seen ([`Look::seen`](super::Look::seen)).
    by_sight: HashMap<u64, Vec<String>>,
}

impl Taken {
    /// The texts of the options that were taken when this was seen.
    pub fn before(&self, seen: u64) -> &[String] {
        self.by_sight.get(&seen).map_or(&[], Vec::as_slice)
    }

    /// Notes that an option with a text is taken.
    pub fn note(&mut self, seen: u64, text: &str) {
        self.by_sight.entry(seen).or_default().push(text.to_owned());
    }
}
