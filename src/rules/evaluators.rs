//! Both evaluators of a game as one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::engine::{Engine, EngineNote, Fallback, Onward, Plays};
use crate::explain::{Explainer, Sightings};
use crate::game::{Choice, Evaluator, Fault, Length, Position, SeenOption, Status, Turn};
use crate::model::{ClauseId, Config, Model};

/// The compiled evaluator, with the explaining one behind it: what the first leaves, the second answers. One meaning,
/// fast.
#[derive(Clone, Debug)]
pub struct Evaluators {
    explainer: Explainer,
    engine: Engine,
    /// The first position, or the fault there, once it is asked for.
    start: Arc<OnceLock<Result<Position, Fault>>>,
    asked: Arc<AtomicU64>,
}

impl Evaluators {
    /// For these rules under these options and readings.
    #[must_use]
    pub fn new(model: Arc<Model>, config: Config) -> Evaluators {
        Evaluators::of(&Explainer::new(model, config))
    }

    /// For the rules, options and readings of an explaining evaluator.
    #[must_use]
    pub fn of(explainer: &Explainer) -> Evaluators {
        let engine = Engine::new(Arc::clone(explainer.shared()), explainer.config());
        Evaluators { explainer: explainer.clone(), engine, start: Arc::default(), asked: Arc::default() }
    }

    /// The same without machine code, which is never made: slower, and alike in all else.
    #[must_use]
    pub fn as_trees(self) -> Evaluators {
        Evaluators { engine: self.engine.as_trees(), ..self }
    }

    /// The same, but games begin as an explaining evaluator of the same rules begins them. What is lowered is shared.
    #[must_use]
    pub fn beginning_as(&self, explainer: &Explainer) -> Evaluators {
        let engine = self.engine.clone();
        Evaluators { explainer: explainer.clone(), engine, start: Arc::default(), asked: Arc::default() }
    }

    /// Makes machine code now, instead of when much has been played; `false` if it cannot be made here.
    pub fn compile(&self) -> bool {
        self.engine.compile()
    }

    /// What went wrong when machine code was made for these rules ([`Engine::trouble`]).
    #[must_use]
    pub fn trouble(&self) -> Option<&str> {
        self.engine.trouble()
    }

    /// What plays the game once it is played often ([`Engine::plays`]).
    #[must_use]
    pub fn plays(&self) -> Plays {
        self.engine.plays()
    }

    /// What is left to slower evaluators, and why ([`Engine::notes`]).
    #[must_use]
    pub fn notes(&self) -> Vec<EngineNote> {
        self.engine.notes()
    }

    /// The explaining evaluator.
    #[must_use]
    pub fn explainer(&self) -> &Explainer {
        &self.explainer
    }

    /// The options of a seat, each as it reads them ([`Explainer::seen_options`]); none where it does not decide.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn seen_options(&self, position: &Position, seat: u16, lang: &str) -> Result<Vec<SeenOption>, Fault> {
        let options = self.own_options(position, seat)?;
        Ok(self.explainer.as_seen(position, options, seat, lang, &Sightings::default()))
    }

    /// What a seat sees at a position, for whoever asks often: the compiled evaluator is asked first.
    #[must_use]
    pub fn sightings<'a>(&'a self, position: &'a Position, seat: u16) -> Sightings<'a> {
        Sightings::asking(move |what| self.engine.sees(position, what, seat).ok())
    }

    /// The options of a seat; none if it does not decide.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn own_options(&self, position: &Position, seat: u16) -> Result<Vec<Choice>, Fault> {
        match self.turn(position)? == Turn::Seat(seat) {
            true => self.options(position),
            false => Ok(Vec::new()),
        }
    }

    /// Those of some `never`s that a position breaks: whose condition holds ([`Explainer::nevers_of`]).
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn nevers_of(
        &self,
        position: &Position,
        asked: impl IntoIterator<Item = ClauseId>,
    ) -> Result<Vec<ClauseId>, Fault> {
        let (mut broken, mut left) = (Vec::new(), Vec::new());
        for (place, never) in asked.into_iter().enumerate() {
            match self.engine.breaks(position, never) {
                Ok(true) => broken.push((place, never)),
                Ok(false) => {}
                // What must not hold of a position does not belong to its play.
                Err(_) => left.push((place, never)),
            }
        }
        if !left.is_empty() {
            let found = self.explainer.nevers_of(position, left.iter().map(|(_, never)| *never))?;
            broken.extend(left.into_iter().filter(|(_, never)| found.contains(never)));
            broken.sort_unstable_by_key(|(place, _)| *place);
        }
        Ok(broken.into_iter().map(|(_, never)| never).collect())
    }

    /// The compiled evaluator.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// How often the explaining evaluator was asked instead, and whether it always is.
    #[must_use]
    pub fn asked(&self) -> (u64, bool) {
        (self.asked.load(Ordering::Relaxed), self.engine.leaves_all())
    }

    #[cold]
    fn ask(&self, _: Fallback) -> &Explainer {
        self.asked.fetch_add(1, Ordering::Relaxed);
        &self.explainer
    }
}

impl Evaluator for Evaluators {
    fn model(&self) -> &Model {
        self.explainer.model()
    }

    fn config(&self) -> &Config {
        self.explainer.config()
    }

    fn start(&self) -> Result<Position, Fault> {
        self.start.get_or_init(|| self.explainer.start()).clone()
    }

    fn blank(&self) -> Result<Position, Fault> {
        self.explainer.blank()
    }

    fn enter(&self, blank: Position, entry: usize, args: &[i32]) -> Result<Position, Fault> {
        self.explainer.enter(blank, entry, args)
    }

    fn status(&self, position: &Position) -> Result<Status, Fault> {
        match self.engine.status(position) {
            Ok(status) => Ok(status),
            // The last word of a game does not belong to its play.
            Err(_) if position.ending(self.model()).is_some() => self.explainer.status(position),
            Err(why) => self.ask(why).status(position),
        }
    }

    fn options(&self, position: &Position) -> Result<Vec<Choice>, Fault> {
        let mut out = Vec::new();
        self.options_into(position, &mut out)?;
        Ok(out)
    }

    fn options_into(&self, position: &Position, out: &mut Vec<Choice>) -> Result<(), Fault> {
        if let Err(why) = self.engine.options_into(position, out) {
            out.clear();
            *out = self.ask(why).options(position)?;
        }
        Ok(())
    }

    fn playout(
        &self,
        position: &mut Position,
        first: Option<&Choice>,
        draws: &mut dyn FnMut(&mut [u64]),
        length: Length,
    ) -> Option<usize> {
        self.engine.playout(position, draws, (first, length)).ok()
    }

    fn score_may_fail(&self) -> bool {
        self.engine.score_may_fail()
    }

    fn worth(&self, position: &Position, seat: u16) -> Result<Option<i32>, Fault> {
        match self.engine.worth(position, seat) {
            Ok(worth) => Ok(worth),
            // What bots think of a position does not belong to its play.
            Err(_) => self.explainer.worth(position, seat),
        }
    }

    fn turn(&self, position: &Position) -> Result<Turn, Fault> {
        match self.engine.turn(position) {
            Ok(turn) => Ok(turn),
            Err(why) => self.ask(why).turn(position),
        }
    }

    fn turn_and_options(&self, position: &Position, out: &mut Vec<Choice>) -> Result<Turn, Fault> {
        if let Ok(turn) = self.engine.turn_and_options(position, out) {
            return Ok(turn);
        }
        let turn = self.turn(position)?;
        self.options_into(position, out)?;
        Ok(turn)
    }

    fn make_ready(&self) {
        self.engine.compile();
    }

    fn count(&self, position: &Position) -> Result<usize, Fault> {
        match self.engine.count(position) {
            Ok(count) => Ok(count),
            Err(_) => Ok(self.options(position)?.len()),
        }
    }

    fn nth(&self, position: &Position, n: usize) -> Result<Option<Choice>, Fault> {
        match self.engine.nth(position, n) {
            Ok(choice) => Ok(choice),
            Err(_) => Ok(self.options(position)?.get(n).copied()),
        }
    }

    fn apply(&self, position: &mut Position, choice: Choice) -> Result<(), Fault> {
        match self.engine.apply(position, choice) {
            Ok(()) => Ok(()),
            Err(why) => self.ask(why).apply(position, choice),
        }
    }

    fn advance_to(&self, position: &mut Position, choice: Choice, out: &mut Vec<Choice>) -> Result<Turn, Fault> {
        match self.engine.advance_to(position, choice, out) {
            Ok(Onward::Listed(turn)) => return Ok(turn),
            Ok(Onward::Made) => {}
            Err(why) => self.ask(why).apply(position, choice)?,
        }
        self.turn_and_options(position, out)
    }

    fn advance(&self, position: &mut Position, choice: Choice) -> Result<(), Fault> {
        match self.engine.advance(position, choice) {
            Ok(()) => Ok(()),
            Err(why) => self.ask(why).apply(position, choice),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::Dice;
    use crate::rules::Rules;

    #[test]
    fn a_choice_and_what_follows_are_the_same_asked_at_once() {
        for game in ["tic-tac-toe", "backgammon", "leduc-holdem", "confrontation", "riddle"] {
            for compiled in [false, true] {
                let rules = Rules::open(game).unwrap();
                let evaluators = rules.evaluators();
                if compiled {
                    evaluators.compile();
                }
                let (mut dice, mut position) = (Dice::new(6), rules.start().unwrap());
                let mut options = evaluators.options(&position).unwrap();
                let mut plies = 0;
                while plies < 60 && !options.is_empty() {
                    let choice = options[dice.below(options.len())];
                    let mut explained = position.clone();
                    let turn = evaluators.advance_to(&mut position, choice, &mut options).unwrap();
                    let mut expected = Vec::new();
                    let found = evaluators.explainer().advance_to(&mut explained, choice, &mut expected).unwrap();
                    assert_eq!(position, explained, "{game} {plies}");
                    assert_eq!((turn, &options), (found, &expected), "{game} {plies}");
                    plies += 1;
                }
                assert!(plies > 4, "{game}");
            }
        }
    }
}
