//! Whether play comes back to a position without a decision or chance between: then it does so for ever.

/// Watches the positions on a way on which nothing is decided, so that each follows from the one before.
///
/// It keeps one position and compares those that follow with it. The one that it keeps is replaced after twice as many
/// each time, so a ring of any length is found within three of its rounds.
#[derive(Debug, Default)]
pub(crate) struct Laps {
    kept: Vec<u8>,
    seen: u32,
    replace_at: u32,
}

impl Laps {
    /// Whether a position, of which every byte counts, has been met before.
    pub fn again(&mut self, bytes: &[u8]) -> bool {
        if self.kept == bytes {
            return true;
        }
        self.seen = self.seen.saturating_add(1);
        if self.seen > self.replace_at {
            self.replace_at = self.seen.saturating_mul(2);
            self.kept.clear();
            self.kept.extend_from_slice(bytes);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After how many positions a ring behind some others is noticed.
    fn noticed(before: u32, ring: u32) -> Option<u32> {
        let mut laps = Laps::default();
        let position = |i: u32| if i < before { i } else { before + (i - before) % ring };
        (0..100_000).find(|i| laps.again(&position(*i).to_le_bytes()))
    }

    #[test]
    fn a_ring_is_noticed_within_three_rounds() {
        for (before, ring) in [(0, 1), (0, 7), (5, 1), (100, 3), (3, 1000), (1000, 1000)] {
            let found = noticed(before, ring).expect("a ring");
            assert!(found <= 3 * (before + ring) + 3, "{before} before {ring}: {found}");
        }
    }

    #[test]
    fn different_positions_are_no_ring() {
        assert_eq!(noticed(100_000, 1), None);
    }
}
