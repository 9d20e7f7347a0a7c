//! What seats can know of positions: views, options as they read them, and worlds drawn at random.

use std::collections::HashMap;

use super::possible::{Possible, seen};
use super::worlds::Guesses;
use crate::game::{Evaluator as _, Position, SeenOption, View};
use crate::players::{Dice, Eyes};
use crate::rules::Evaluators;

/// How many arrangements are tried for each world that is wanted.
const TRIES: usize = 16;

/// The eyes of all seats under rules.
#[derive(Clone, Copy, Debug)]
pub struct Sight<'e> {
    rules: &'e Evaluators,
}

impl<'e> Sight<'e> {
    /// Under rules.
    #[must_use]
    pub fn new(rules: &'e Evaluators) -> Sight<'e> {
        Sight { rules }
    }
}

impl Eyes for Sight<'_> {
    fn view(&self, position: &Position, seat: u16) -> View {
        self.rules.explainer().view(position, seat)
    }

    fn seen(&self, position: &Position, seat: u16) -> u64 {
        seen(self.rules, position, seat, 0)
    }

    /// Draws arrangements of what is hidden, all equally likely, and keeps those that the seat cannot rule out. What it
    /// learnt earlier and does not see now is not taken into account. Empty if what is hidden cannot be exchanged.
    fn worlds(
        &self,
        position: &Position,
        seat: u16,
        count: usize,
        dice: &mut Dice,
    ) -> Vec<(Position, Vec<SeenOption>)> {
        let rules = self.rules.explainer();
        if !rules.model().hides() {
            return vec![(position.clone(), self.options(position, seat))];
        }
        let Ok(start) = self.rules.start() else { return Vec::new() };
        // Many entries are read one by one.
        let mut laid_out = position.clone();
        laid_out.lay_out(&rules.model().layout);
        let position = &laid_out;
        let Ok(guesses) = Guesses::new(rules, &start, position, seat) else { return Vec::new() };
        let Ok(possible) = Possible::new(self.rules, position, seat, guesses.scope()) else { return Vec::new() };
        let mut found = Vec::new();
        // Where little is hidden, the same world is drawn again and again.
        let mut judged: HashMap<Position, Option<Vec<SeenOption>>> = HashMap::new();
        for _ in 0..TRIES * count {
            if found.len() >= count {
                break;
            }
            let drawn = guesses.draw(|n| dice.below(n));
            // A copy is kept sparse.
            let world = drawn.clone();
            let options = match judged.get(&world) {
                Some(options) => options.clone(),
                None => {
                    let options = possible.options(&drawn).unwrap_or(None);
                    judged.insert(world.clone(), options.clone());
                    options
                }
            };
            found.extend(options.map(|options| (world, options)));
        }
        found
    }

    fn options(&self, position: &Position, seat: u16) -> Vec<SeenOption> {
        self.rules.seen_options(position, seat, "").unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Choice, Status};
    use crate::players::{Budget, Look, Mcts, Player as _};
    use crate::rules::Rules;

    /// The text of what a bot of this seed chooses.
    fn chosen(rules: &Rules, position: &Position, seat: u16) -> String {
        let sight = Sight::new(rules.evaluators());
        let options = rules.options(position).unwrap();
        let look = Look::new(&sight, position, seat);
        let mut bot = Mcts::new(rules.evaluators().clone(), Budget::Playouts(40), 5);
        let chosen = bot.choose(&look, &options);
        look.texts(&options)[chosen].clone()
    }

    /// Decisions of random games with a position that looks the same to the seat that decides, and is another.
    fn pairs(rules: &Rules, games: u64, plies: usize) -> Vec<(Position, Position, u16)> {
        let sight = Sight::new(rules.evaluators());
        let mut pairs = Vec::new();
        for seed in 0..games {
            let mut dice = Dice::new(seed);
            let mut position = rules.start().unwrap();
            for _ in 0..plies {
                if let Status::Decision(question) = rules.status(&position).unwrap() {
                    let other =
                        sight.worlds(&position, question.seat, 4, &mut dice).into_iter().find(|w| w.0 != position);
                    pairs.extend(other.map(|(other, _)| (position.clone(), other, question.seat)));
                }
                let options: Vec<Choice> = rules.options(&position).unwrap();
                let Some(choice) = options.get(dice.below(options.len())) else { break };
                rules.apply(&mut position, *choice).unwrap();
            }
        }
        pairs
    }

    #[test]
    fn what_is_hidden_does_not_change_the_choice() {
        for (game, games, plies) in [("leduc-holdem", 10, 8), ("confrontation", 1, 24)] {
            let rules = Rules::open(game).unwrap();
            let pairs = pairs(&rules, games, plies);
            assert!(pairs.len() >= 5, "{game}: {}", pairs.len());
            for (position, other, seat) in pairs {
                assert_eq!(chosen(&rules, &position, seat), chosen(&rules, &other, seat), "{game}");
            }
        }
    }

    #[test]
    fn a_win_in_one_is_found_and_a_loss_in_one_prevented() {
        let rules = Rules::open("tic-tac-toe").unwrap();
        for (moves, best) in [(["A1", "B1", "A2", "B2"].as_slice(), "A3"), (&["A1", "B2", "A2"], "A3")] {
            let mut position = rules.start().unwrap();
            for text in moves {
                let choice = rules.read(&position, text).unwrap();
                rules.apply(&mut position, choice).unwrap();
            }
            let sight = Sight::new(rules.evaluators());
            let options = rules.options(&position).unwrap();
            let look = Look::new(&sight, &position, moves.len() as u16 % 2);
            let mut bot = Mcts::new(rules.evaluators().clone(), Budget::Playouts(500), 1);
            let chosen = bot.choose(&look, &options);
            assert_eq!(rules.say(&position, options[chosen]), best);
        }
    }
}
