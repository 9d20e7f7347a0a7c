//! One handle on a rulebook: what is loaded, under which settings, and all that can be asked of it.

mod error;
mod evaluators;
mod lists;
mod names;
mod rulebook;
#[cfg(test)]
mod tests;

pub use crate::explain::Notations;
pub use error::RulesError;
pub use evaluators::Evaluators;
pub use rulebook::Rulebook;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::check::Expressions;
use crate::engine::EngineNote;
use crate::explain::{Coverage, Explainer};
use crate::facts::{self, FactFault, Names, Scene, Settings};
use crate::game::{
    Choice, Derived, Elsewhere, Evaluator, Fault, History, Length, ListRuling, Position, Ruling, Sensitivity, Status,
    Turn, View, WhatIfs,
};
use crate::library::{self, Folder, Loaded};
use crate::list::{self, List};
use crate::model::{Config, Expr, Model, Value};
use crate::notation;
use crate::perft;
use crate::record::{self, Record, Replay, Replayer, Trail};
use crate::rulings;
use crate::simulate::{self, Finish, Played};

/// So many questions are answered by the explaining evaluator before the rules are lowered: for fewer it takes longer
/// than it saves.
const LOWER_AFTER_QUESTIONS: u32 = 50;

/// Which evaluator answers what needs no reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// The explaining one, always.
    Explaining,
    /// The explaining one at first, the compiled one once much is asked.
    Adaptive,
    /// The compiled one, from the first question on.
    Compiled,
}

/// A rulebook under its settings: the one handle of this library.
///
/// It holds the checked rules, the options and readings in force and both evaluators. It is cheap to clone, and clones
/// share what is lowered. All methods take a [`Position`] and depend on nothing else.
///
/// ```
/// use lawspeaker::{Rules, Status};
///
/// let rules = Rules::open("tic-tac-toe")?;
/// let mut position = rules.start()?;
/// let centre = rules.read(&position, "B2")?;
/// rules.apply(&mut position, centre)?;
/// assert_eq!(rules.options(&position)?.len(), 8);
/// assert!(matches!(rules.status(&position)?, Status::Decision(_)));
/// # Ok::<(), lawspeaker::RulesError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rules {
    loaded: Arc<Loaded>,
    settings: Settings,
    explainer: Explainer,
    evaluators: Arc<OnceLock<Evaluators>>,
    replayer: Arc<OnceLock<Replayer>>,
    pace: Pace,
    questions: Arc<AtomicU32>,
    expressions: Arc<OnceLock<Mutex<Expressions>>>,
    spelt: Arc<OnceLock<Names>>,
}

/// The rules for as many seats as the settings ask for.
fn seated(loaded: Arc<Loaded>, settings: &Settings) -> Result<Arc<Loaded>, RulesError> {
    match facts::seats_of(&loaded.model, settings) {
        Some(seats) if !loaded.folder.files.is_empty() => {
            Ok(Arc::new(library::load_seated(loaded.folder.clone(), &loaded.variants, seats)?))
        }
        _ => Ok(loaded),
    }
}

/// Loading, and settings.
impl Rules {
    /// Opens the rules in a folder, or of a shipped game by its name, under the settings they have by themselves.
    ///
    /// # Errors
    /// There is no such game, its files cannot be read, or its rules have errors.
    pub fn open(game: &str) -> Result<Rules, RulesError> {
        Rules::open_with(game, &Settings::default())
    }

    /// The same under some settings. The name of the game in them does not count.
    ///
    /// # Errors
    /// As [`Rules::open`]; a setting that the game does not have.
    pub fn open_with(game: &str, settings: &Settings) -> Result<Rules, RulesError> {
        Rules::of_folder(library::find(game)?, settings)
    }

    /// Rules from text in memory: one file of rules.
    ///
    /// # Errors
    /// The rules have errors.
    pub fn from_text(text: &str) -> Result<Rules, RulesError> {
        let files = vec![(String::from("game.law"), text.to_owned())];
        Rules::of_folder(Folder { name: "the text".into(), files, ..Folder::default() }, &Settings::default())
    }

    /// Rules from files in memory.
    ///
    /// # Errors
    /// The rules have errors; a setting that the game does not have.
    pub fn of_folder(folder: Folder, settings: &Settings) -> Result<Rules, RulesError> {
        Rules::of(Arc::new(library::load(folder, &settings.variants)?), settings)
    }

    /// For rules that are loaded, with the variants of the settings laid over them.
    ///
    /// # Errors
    /// A setting that the game does not have.
    #[doc(hidden)]
    pub fn of(loaded: Arc<Loaded>, settings: &Settings) -> Result<Rules, RulesError> {
        let loaded = seated(loaded, settings)?;
        let config = facts::config_of(&loaded.model, settings).map_err(RulesError::Settings)?;
        let settings = Settings { game: loaded.model.name.clone(), ..settings.clone() };
        Rules::configured(loaded, settings, config).with_lists()
    }

    /// For a model that was checked elsewhere, without its files.
    ///
    /// # Errors
    /// A setting that the game does not have.
    #[doc(hidden)]
    pub fn of_model(model: Arc<Model>, settings: &Settings) -> Result<Rules, RulesError> {
        let variants = settings.variants.clone();
        let loaded = Loaded { model, folder: Folder::default(), variants, warnings: Vec::new() };
        Rules::of(Arc::new(loaded), settings)
    }

    /// For rules that are loaded, under settings whose values are known.
    #[doc(hidden)]
    #[must_use]
    pub fn configured(loaded: Arc<Loaded>, settings: Settings, config: Config) -> Rules {
        Rules {
            explainer: Explainer::new(Arc::clone(&loaded.model), config),
            loaded,
            settings,
            evaluators: Arc::default(),
            replayer: Arc::default(),
            pace: Pace::Adaptive,
            questions: Arc::default(),
            expressions: Arc::default(),
            spelt: Arc::default(),
        }
    }

    /// The same rules with more settings, in words, as after `with` in a position: options and readings with their
    /// values, presets, variants.
    ///
    /// ```
    /// # use lawspeaker::Rules;
    /// let rules = Rules::open("confrontation")?.with("variant_cards")?;
    /// assert_eq!(rules.settings().list(), "variant_cards");
    /// # Ok::<(), lawspeaker::RulesError>(())
    /// ```
    ///
    /// # Errors
    /// A setting that is not understood, or that the game does not have; the variants have errors.
    pub fn with(&self, words: &str) -> Result<Rules, RulesError> {
        let more = facts::header(&format!("given {} with {words}", self.model().name));
        let more = more.map_err(|fault| RulesError::Text(vec![fault]))?;
        let mut settings = self.settings.clone();
        settings.options.extend(more.options);
        settings.variants.extend(more.variants);
        settings.preset = more.preset.or(settings.preset);
        settings.lists.extend(more.lists);
        if settings.variants == self.loaded.variants {
            return Rules::of(Arc::clone(&self.loaded), &settings);
        }
        Rules::of_folder(self.loaded.folder.clone(), &settings)
    }

    /// The same, but every question is answered by the explaining evaluator: slow, and never lowered.
    #[must_use]
    pub fn explaining(self) -> Rules {
        Rules { pace: Pace::Explaining, ..self }
    }

    /// The same, but lowered at the first question that needs no reasons.
    #[must_use]
    pub fn compiled(self) -> Rules {
        Rules { pace: Pace::Compiled, ..self }
    }

    /// The same with every question answered by the explaining evaluator, which leaves marks of what it comes across.
    #[doc(hidden)]
    #[must_use]
    pub fn traced(self, trace: Arc<Coverage>) -> Rules {
        let explainer = Explainer::traced(Arc::clone(&self.loaded.model), self.config().clone(), trace);
        let explainer = explainer.beginning_with(self.explainer.lists().to_vec());
        let evaluators = Arc::new(OnceLock::from(self.evaluators().beginning_as(&explainer)));
        Rules { explainer, evaluators, pace: Pace::Explaining, ..self }
    }

    /// The rules.
    #[doc(hidden)]
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.loaded.model
    }

    /// The rules with their files and what the checker warns of.
    #[doc(hidden)]
    #[must_use]
    pub fn loaded(&self) -> &Arc<Loaded> {
        &self.loaded
    }

    /// The settings as written.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The values of all options and readings.
    #[doc(hidden)]
    #[must_use]
    pub fn config(&self) -> &Config {
        self.explainer.config()
    }

    /// What gives reasons.
    #[doc(hidden)]
    #[must_use]
    pub fn explainer(&self) -> &Explainer {
        &self.explainer
    }

    /// What plays fast: lowered at the first question, if it was not before.
    #[doc(hidden)]
    #[must_use]
    pub fn evaluators(&self) -> &Evaluators {
        self.evaluators.get_or_init(|| Evaluators::of(&self.explainer))
    }

    /// What is left to slower evaluators, where, and why; the rules are lowered for that. What machine code leaves is
    /// among it once it was made.
    #[doc(hidden)]
    #[must_use]
    pub fn engine_notes(&self) -> Vec<EngineNote> {
        self.evaluators().notes()
    }

    /// Whether the compiled evaluator answers beside the explaining one from the first question on.
    #[must_use]
    pub fn is_compiled(&self) -> bool {
        self.pace == Pace::Compiled
    }

    /// The evaluator for a question that needs no reasons.
    fn evaluator(&self) -> &dyn Evaluator {
        let few = || self.questions.fetch_add(1, Ordering::Relaxed) < LOWER_AFTER_QUESTIONS;
        match self.pace {
            Pace::Explaining => &self.explainer,
            Pace::Adaptive if self.evaluators.get().is_none() && few() => &self.explainer,
            Pace::Adaptive | Pace::Compiled => self.evaluators(),
        }
    }

    fn checked<T>(&self, result: Result<T, Fault>) -> Result<T, RulesError> {
        result.map_err(|fault| RulesError::fault(self.model(), fault))
    }
}

/// Play.
impl Rules {
    /// The first position.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn start(&self) -> Result<Position, RulesError> {
        self.checked(self.evaluator().start())
    }

    /// Where a position stands: over, at a seat's decision, or at chance.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn status(&self, position: &Position) -> Result<Status, RulesError> {
        self.checked(self.evaluator().status(position))
    }

    /// All options of a decision or outcomes of chance, in a fixed order; none if the game is over.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn options(&self, position: &Position) -> Result<Vec<Choice>, RulesError> {
        self.checked(self.evaluator().options(position))
    }

    /// Makes a choice that is one of the options and plays on to the next decision, chance or the end.
    ///
    /// # Errors
    /// A fault of the rules; the position is then to be thrown away.
    pub fn apply(&self, position: &mut Position, choice: Choice) -> Result<(), RulesError> {
        self.checked(self.evaluator().apply(position, choice))
    }

    /// The choice that a text means, in the game's notation: an option if there is one that is written so, else what
    /// else could be meant.
    ///
    /// # Errors
    /// Nothing is written so, or more than one thing.
    pub fn read(&self, position: &Position, text: &str) -> Result<Choice, RulesError> {
        let options = self.evaluator().options(position);
        let read = notation::read_among(&self.explainer, position, options.as_deref(), text);
        read.map_err(RulesError::Unread)
    }

    /// How a choice is written.
    #[must_use]
    pub fn say(&self, position: &Position, choice: Choice) -> String {
        self.explainer.say(position, choice, "")
    }

    /// What a seat sees of a position.
    #[must_use]
    pub fn view(&self, position: &Position, seat: u16) -> View {
        self.explainer.view(position, seat)
    }

    /// The position that a text describes: `given GAME`, facts, and who is to move.
    ///
    /// # Errors
    /// All that is wrong with the text.
    pub fn position(&self, text: &str) -> Result<Position, RulesError> {
        let scene = Scene::parse(text).map_err(RulesError::Text)?;
        scene.position(&self.explainer).map_err(RulesError::Text)
    }
}

/// Reasons.
impl Rules {
    /// The ruling about a choice of a seat, whether or not it may be made.
    #[must_use]
    pub fn judge(&self, position: &Position, seat: u16, choice: Choice) -> Ruling {
        self.explainer.judge(position, seat, choice)
    }

    /// The same where it is known how the position came about; see [`Explainer::judge_after`].
    #[must_use]
    pub fn judge_after(&self, history: &History, position: &Position, seat: u16, choice: Choice) -> Ruling {
        self.explainer.judge_after(history, position, seat, choice)
    }

    /// The ruling on a text that is no choice here, but would be one at other moments.
    #[doc(hidden)]
    #[must_use]
    pub fn judge_elsewhere(&self, position: &Position, seat: u16, asked: &Elsewhere) -> Ruling {
        self.explainer.judge_elsewhere(position, seat, asked, false)
    }

    /// A ruling in words, with the clauses and citations it rests on.
    #[must_use]
    pub fn ruling_text(&self, position: &Position, seat: u16, choice: Choice, ruling: &Ruling) -> String {
        rulings::text(&self.explainer, position, seat, choice, ruling, "")
    }

    /// The verdict under other readings, at the position as it stands: under all combinations of them, or, where more
    /// than `most` had to be judged for that, under each alternative by itself and each pair.
    #[must_use]
    pub fn sensitivity(&self, position: &Position, seat: u16, choice: Choice, most: usize) -> Sensitivity {
        self.sensitivity_after(&History::of(position.clone()), seat, choice, most)
    }

    /// The same where it is known how the position came about: the choices are made again under each reading, and where
    /// one cannot be made, the position would not have come about.
    #[must_use]
    pub fn sensitivity_after(&self, history: &History, seat: u16, choice: Choice, most: usize) -> Sensitivity {
        self.explainer.sensitivity(history, seat, choice, most)
    }

    /// The smallest changes of the position that make a choice legal, with at most `most` changed positions judged.
    #[must_use]
    pub fn what_ifs(&self, position: &Position, seat: u16, choice: Choice, most: usize) -> WhatIfs {
        self.explainer.what_ifs(position, seat, choice, (most, false), &mut |_| {})
    }

    /// The value of an expression of the language, and what it was derived from.
    ///
    /// # Errors
    /// It is not an expression, or a fault of the rules.
    #[doc(hidden)]
    pub fn ask(&self, position: &Position, expression: &str) -> Result<(Value, Vec<Derived>), RulesError> {
        let expr = self.expression(expression)?;
        self.checked(self.explainer.eval(position, &expr))
    }

    /// An expression of the language, without locals.
    ///
    /// # Errors
    /// It is not an expression.
    pub fn expression(&self, text: &str) -> Result<Expr, RulesError> {
        self.expressions().expression(text).map_err(RulesError::Expression)
    }

    /// Makes sure that an expression of the language is true or false; `what` names it in a message.
    ///
    /// # Errors
    /// It is not an expression, or one of another type.
    #[doc(hidden)]
    pub fn condition(&self, expression: &str, what: &str) -> Result<(), RulesError> {
        self.expressions().condition(expression, what).map(|_| ()).map_err(RulesError::Expression)
    }

    /// What checks expressions of this game.
    fn expressions(&self) -> MutexGuard<'_, Expressions> {
        let one = self.expressions.get_or_init(|| Mutex::new(Expressions::new(self.model())));
        one.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The names by which texts may call things of this game.
    #[must_use]
    pub(crate) fn spelt(&self) -> &Names {
        self.spelt.get_or_init(|| Names::new(self.model()))
    }

    /// What the rules say of a list that a seat brings to the game.
    ///
    /// # Errors
    /// The list cannot be read, or a fault of the rules before any clause speaks, at its place.
    pub fn validate(&self, list: &List, seat: u16) -> Result<ListRuling, Vec<FactFault>> {
        let at = |m: String| vec![FactFault::new(list.name.line, list.name.column, m)];
        let bring = list::bring_named(self.model(), &list.name.text).map_err(|e| at(e.to_string()))?;
        let members = list::members(&self.explainer, bring, seat, &list.lines)?;
        let ruling = self.explainer.list_ruling(bring, seat, &members);
        ruling.map_err(|fault| at(fault.words(self.model())))
    }
}

/// Many games, and whole ones.
impl Rules {
    /// The number of positions a given number of choices ahead, outcomes of chance counted like choices.
    ///
    /// # Errors
    /// A fault of the rules on the way.
    pub fn perft(&self, position: &Position, depth: u32) -> Result<u64, RulesError> {
        self.checked(perft::perft(self.evaluators(), position, depth))
    }

    /// Plays a game by chance, every option equally likely. It depends only on the rules, the settings and the seed.
    #[must_use]
    pub fn play(&self, seed: u64) -> Played {
        simulate::one(self.evaluators(), seed, simulate::MAX_PLIES)
    }

    /// How a number of random games end, each with the number of its plies, on all cores. The result depends
    /// only on the rules, the settings and the seed.
    #[must_use]
    pub fn simulate(&self, games: u64, seed: u64) -> Vec<(Finish, usize)> {
        let keep = |finish, plies| (finish, plies);
        simulate::outcomes(self.evaluators(), None, 0..games, seed, simulate::MAX_PLIES, keep)
    }

    /// Plays a record again, up to the first ply that does not hold.
    #[must_use]
    pub fn replay(&self, record: &Record) -> Replay {
        let replayer = self.replayer.get_or_init(|| Replayer::new(self.model(), self.config()));
        match self.pace {
            Pace::Explaining => replayer.replay(record, &self.explainer, &self.explainer),
            Pace::Adaptive | Pace::Compiled => replayer.replay(record, self.evaluators(), &self.explainer),
        }
    }

    /// The same, from where the record leaves the last replay of which this is the trail, under the same rules.
    #[must_use]
    pub fn replay_on(&self, record: &Record, trail: &mut Trail) -> Replay {
        let replayer = self.replayer.get_or_init(|| Replayer::new(self.model(), self.config()));
        replayer.replay_on(record, self.evaluators(), &self.explainer, trail)
    }

    /// Reads the text of a record.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn record(text: &str) -> Result<Record, RulesError> {
        record::parse(text).map_err(RulesError::Text)
    }

    /// The digest of the rules and settings that records carry.
    #[must_use]
    pub fn digest(&self) -> u64 {
        record::rules_digest(self.model(), self.config())
    }
}

impl AsRef<Explainer> for Rules {
    fn as_ref(&self) -> &Explainer {
        &self.explainer
    }
}

impl Evaluator for Rules {
    fn model(&self) -> &Model {
        &self.loaded.model
    }

    fn config(&self) -> &Config {
        self.explainer.config()
    }

    fn start(&self) -> Result<Position, Fault> {
        self.evaluator().start()
    }

    fn blank(&self) -> Result<Position, Fault> {
        self.explainer.blank()
    }

    fn enter(&self, blank: Position, entry: usize, args: &[i32]) -> Result<Position, Fault> {
        self.explainer.enter(blank, entry, args)
    }

    fn status(&self, position: &Position) -> Result<Status, Fault> {
        self.evaluator().status(position)
    }

    fn options(&self, position: &Position) -> Result<Vec<Choice>, Fault> {
        self.evaluator().options(position)
    }

    fn options_into(&self, position: &Position, out: &mut Vec<Choice>) -> Result<(), Fault> {
        self.evaluator().options_into(position, out)
    }

    fn make_ready(&self) {
        self.evaluators().make_ready();
    }

    fn score_may_fail(&self) -> bool {
        self.evaluator().score_may_fail()
    }

    fn worth(&self, position: &Position, seat: u16) -> Result<Option<i32>, Fault> {
        self.evaluator().worth(position, seat)
    }

    fn turn(&self, position: &Position) -> Result<Turn, Fault> {
        self.evaluator().turn(position)
    }

    fn count(&self, position: &Position) -> Result<usize, Fault> {
        self.evaluator().count(position)
    }

    fn nth(&self, position: &Position, n: usize) -> Result<Option<Choice>, Fault> {
        self.evaluator().nth(position, n)
    }

    fn apply(&self, position: &mut Position, choice: Choice) -> Result<(), Fault> {
        self.evaluator().apply(position, choice)
    }

    fn advance(&self, position: &mut Position, choice: Choice) -> Result<(), Fault> {
        self.evaluator().advance(position, choice)
    }

    fn playout(
        &self,
        position: &mut Position,
        first: Option<&Choice>,
        draws: &mut dyn FnMut(&mut [u64]),
        length: Length,
    ) -> Option<usize> {
        self.evaluator().playout(position, first, draws, length)
    }
}
