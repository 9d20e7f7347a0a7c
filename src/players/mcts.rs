//! Information-set Monte-Carlo tree search: one tree for the seat that decides, over worlds that it cannot tell apart
//! (Cowling, Powley, Whitehouse 2012). `docs/bots.md` describes it.

use std::time::{Duration, Instant};

use super::budget::Budget;
use super::guess::Guess;
use super::tree::Tree;
use super::{Dice, Look, Player, derived};
use crate::game::{Choice, Evaluator};

/// The most worlds that are drawn for one choice; playouts take them in turn.
const WORLDS: usize = 128;

/// The fewest worlds that are drawn, if there are as many playouts.
const FEW_WORLDS: usize = 8;

/// How many playouts there are for each world that is drawn.
const PLAYOUTS_A_WORLD: usize = 16;

/// In less time few worlds are drawn.
const SHORT: Duration = Duration::from_millis(500);

/// A bot that searches a tree. It is given no position in play: it asks its [`Look`] for worlds.
#[derive(Clone, Debug)]
pub struct Mcts<E> {
    evaluator: E,
    budget: Budget,
    seed: u64,
    /// How many choices it has made. Each has dice of its own, so that none depends on how many numbers an earlier one
    /// drew.
    made: u64,
}

impl<E: Evaluator> Mcts<E> {
    /// A bot that plays ahead with an evaluator, with a budget for each choice and a seed.
    #[must_use]
    pub fn new(evaluator: E, budget: Budget, seed: u64) -> Mcts<E> {
        Mcts { evaluator, budget, seed, made: 0 }
    }

    /// The number of the text of the option that is best. `None` if no world can be drawn, or none played.
    fn best(&self, guess: &Guess, dice: &mut Dice) -> Option<usize> {
        let began = Instant::now();
        let mut tree = Tree::new(&self.evaluator, dice);
        for (played, world) in guess.worlds.iter().cycle().enumerate() {
            let enough = match self.budget {
                Budget::Playouts(n) => played >= n as usize,
                Budget::Time(time) => played > 0 && began.elapsed() >= time,
            };
            if enough {
                break;
            }
            // A playout that meets a fault teaches nothing, but counts, so that the search ends.
            let _ = tree.playout(world);
        }
        tree.best()
    }

    /// How many worlds are drawn: a playout in each is little, and to draw one takes as long as some playouts.
    fn worlds(&self) -> usize {
        match self.budget {
            Budget::Playouts(n) => (n as usize / PLAYOUTS_A_WORLD).clamp(FEW_WORLDS.min(n as usize), WORLDS),
            Budget::Time(time) if time < SHORT => FEW_WORLDS,
            Budget::Time(_) => WORLDS,
        }
    }
}

impl<E: Evaluator + Send> Player for Mcts<E> {
    fn choose(&mut self, look: &Look<'_>, options: &[Choice]) -> usize {
        let mut dice = Dice::new(derived(self.seed, self.made));
        self.made += 1;
        if options.len() < 2 {
            return 0;
        }
        let guess = Guess::new(look, self.worlds(), &mut dice);
        let best = self.best(&guess, &mut dice);
        guess.option(best, look, options, &mut dice)
    }
}
