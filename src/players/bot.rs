//! The bots by their names.

use std::fmt;

use super::budget::{Budget, LONGEST, MOST_PLAYOUTS, USUAL};
use super::greedy::Greedy;
use super::mcts::Mcts;
use super::{First, Player, Random};
use crate::game::Evaluator;

/// Which bot plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bot {
    /// Every option is equally likely.
    Random,
    /// The first option in the order of the rules.
    First,
    /// The option after which its position is worth most ([`Greedy`]).
    Greedy,
    /// Tree search over the worlds that its seat cannot tell apart ([`Mcts`]).
    Mcts(Budget),
}

/// Why a text names no bot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoBot {
    /// There is none of this name.
    #[error("there is no bot `{0}`")]
    Unknown(String),
    /// The part after the colon says neither a number of playouts nor a time.
    #[error("`{0}` is neither a number of playouts nor a time")]
    Budget(String),
    /// The bot has no budget.
    #[error("`{0}` takes nothing after a colon")]
    NoBudget(String),
}

impl NoBot {
    /// What to write instead.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            NoBot::Unknown(_) => format!("the bots are: {}", BOTS.join(", ")),
            NoBot::Budget(_) => format!(
                "write for example mcts:2000 (playouts a choice, at most {MOST_PLAYOUTS}), mcts:500ms or mcts:1.5s \
                 (time a choice, at most {LONGEST} s)"
            ),
            NoBot::NoBudget(name) => format!("write {name}"),
        }
    }
}

/// The names of the bots.
pub const BOTS: [&str; 4] = ["random", "first", "greedy", "mcts"];

impl Bot {
    /// A bot by its name, with its budget after a colon, as in `mcts:2000` and `mcts:1s`.
    ///
    /// # Errors
    /// There is no such bot, or what follows the colon is not its budget.
    pub fn parse(text: &str) -> Result<Bot, NoBot> {
        let (name, budget) = match text.split_once(':') {
            Some((name, budget)) => (name.trim(), Some(budget.trim())),
            None => (text.trim(), None),
        };
        match (name, budget) {
            ("random", None) => Ok(Bot::Random),
            ("first", None) => Ok(Bot::First),
            ("greedy", None) => Ok(Bot::Greedy),
            ("mcts", None) => Ok(Bot::Mcts(USUAL)),
            ("mcts", Some(budget)) => {
                Budget::parse(budget).map(Bot::Mcts).ok_or_else(|| NoBot::Budget(budget.to_owned()))
            }
            ("random" | "first" | "greedy", Some(_)) => Err(NoBot::NoBudget(name.to_owned())),
            _ => Err(NoBot::Unknown(name.to_owned())),
        }
    }

    /// The bot as a player, with a seed. `evaluator` is what a bot that looks ahead plays with.
    #[must_use]
    pub fn player<E: Evaluator + Clone + Send + Sync + 'static>(self, seed: u64, evaluator: &E) -> Box<dyn Player> {
        self.player_in(1, seed, evaluator)
    }

    /// The same; a bot that searches does so in some threads.
    #[must_use]
    pub fn player_in<E: Evaluator + Clone + Send + Sync + 'static>(
        self,
        threads: usize,
        seed: u64,
        evaluator: &E,
    ) -> Box<dyn Player> {
        match self {
            Bot::Random => Box::new(Random::new(seed)),
            Bot::First => Box::new(First),
            Bot::Greedy => Box::new(Greedy::new(evaluator.clone(), seed)),
            Bot::Mcts(budget) => Box::new(Mcts::new(evaluator.clone(), budget, seed).in_threads(threads)),
        }
    }
}

impl fmt::Display for Bot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bot::Random => write!(f, "random"),
            Bot::First => write!(f, "first"),
            Bot::Greedy => write!(f, "greedy"),
            Bot::Mcts(budget) => write!(f, "mcts:{budget}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_are_read_and_written() {
        for (text, written) in [
            ("random", "random"),
            ("first", "first"),
            ("greedy", "greedy"),
            ("mcts", "mcts:1000"),
            ("mcts:2000", "mcts:2000"),
            ("mcts: 1.5s", "mcts:1500ms"),
            ("mcts:20ms", "mcts:20ms"),
        ] {
            assert_eq!(Bot::parse(text).map(|bot| bot.to_string()), Ok(written.to_owned()));
        }
    }

    #[test]
    fn what_is_no_bot_is_refused() {
        assert_eq!(Bot::parse("clever:3"), Err(NoBot::Unknown("clever".into())));
        assert_eq!(Bot::parse("first:3"), Err(NoBot::NoBudget("first".into())));
        for budget in ["", "0", "-1", "1h", "s", "nans", "infs", "1e1s", "0s", "3601s", "100000001"] {
            assert_eq!(Bot::parse(&format!("mcts:{budget}")), Err(NoBot::Budget(budget.into())), "{budget}");
        }
    }
}
