//! Many positions of a game, side by side in memory.

use std::num::NonZeroU64;

use super::Position;

/// Positions of the same rules, numbered as they came.
#[derive(Debug, Default)]
pub(crate) struct Positions {
    bytes: Vec<u8>,
    all: Vec<Kept>,
}

/// One of them.
#[derive(Debug)]
struct Kept {
    /// Its first byte, and how many there are.
    at: usize,
    length: usize,
    plain: u32,
    stamp: Option<NonZeroU64>,
}

impl Positions {
    /// Keeps a copy of a position; returns its number.
    pub fn keep(&mut self, position: &Position) -> usize {
        let (number, at) = (self.all.len(), self.bytes.len());
        self.bytes.extend_from_slice(&position.bytes());
        let kept = Kept { at, length: self.bytes.len() - at, plain: position.plain_size(), stamp: position.stamp() };
        self.all.push(kept);
        number
    }

    /// Forgets all, and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.all.clear();
    }

    /// Makes a position the one of a number. `false` if there is none; then nothing is changed.
    pub fn copy_to(&self, number: usize, position: &mut Position) -> bool {
        let Some(kept) = self.all.get(number) else { return false };
        let Some(bytes) = self.bytes.get(kept.at..kept.at + kept.length) else { return false };
        position.take_over(bytes, kept.plain, kept.stamp);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Evaluator as _;
    use crate::players::Dice;
    use crate::rules::Rules;

    #[test]
    fn a_position_that_is_kept_is_given_back() {
        // Of the second a part is kept sparse.
        for game in ["confrontation", "riddle"] {
            let rules = Rules::open(game).unwrap();
            rules.evaluators().compile();
            let (mut dice, mut position) = (Dice::new(3), rules.start().unwrap());
            let (mut positions, mut copies) = (Positions::default(), Vec::new());
            for _ in 0..30 {
                assert_eq!(positions.keep(&position), copies.len());
                copies.push(position.clone());
                let options = rules.options(&position).unwrap();
                let Some(choice) = options.get(dice.below(options.len())) else { break };
                rules.evaluators().advance(&mut position, *choice).unwrap();
            }
            assert!(copies.len() > 10);
            for (number, copy) in copies.iter().enumerate() {
                assert!(positions.copy_to(number, &mut position));
                assert_eq!((&position, position.stamp()), (copy, copy.stamp()));
                assert_eq!(rules.options(&position).unwrap(), rules.options(copy).unwrap());
            }
            assert!(!positions.copy_to(copies.len(), &mut position));
        }
    }
}
