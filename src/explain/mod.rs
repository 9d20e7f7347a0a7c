//! The explaining evaluator: the meaning of the language, and the reasons for every verdict.
//!
//! It walks the model as it is written, one expression, one clause, one instruction at a time. Its rulings and its
//! lists of options come from the same judgement; only a ruling keeps notes on the way.

mod about;
mod active;
mod ahead;
mod alike;
mod bring;
mod budget;
mod clause;
pub mod conflict;
mod coverage;
mod decision;
mod ending;
mod entry;
mod eval;
mod events;
mod grid;
mod hooks;
mod judge;
mod legal;
mod marks;
mod memo;
mod moment;
mod notations;
mod note;
mod observer;
pub mod partial;
mod parts;
mod reader;
mod round;
mod run;
mod say;
mod sensitivity;
mod skipped;
mod speakers;
mod steps;
mod store;
mod sums;
mod tell;
mod told;
mod values;
mod view;
mod what_if;
mod witness;
mod words;

use std::sync::{Arc, OnceLock};

use crate::game::without_copies;
use crate::game::{
    Args, Choice, Derived, Evaluator, Fault, FaultDetail, FaultKind, Position, Question, StartingList, Status,
};
use crate::lexicon::languages;
use crate::model::{ActionId, ChanceWhat, ChooseWhat, ClauseId, Config, Expr, Model, Value};
pub use coverage::{Coverage, Mark};
use coverage::{CoverageMode, Recorder};
use decision::{DecisionPoint, rest};
use eval::Eval;
pub use notations::Notations;
use note::{Notes, Silent, Written};
pub use observer::Sightings;
pub use parts::NotationPart;
use run::Run;
pub use skipped::Skipped;

/// The maximum number of candidates listed, enough for any game that a person could play by hand.
const MAX_CANDIDATES: usize = 250_000;

/// The explaining evaluator of a game.
#[derive(Clone, Debug)]
pub struct Explainer {
    model: Arc<Model>,
    config: Config,
    tracing: Option<CoverageMode>,
    /// A placeholder for the position when a partial position is evaluated.
    placeholder: Arc<Position>,
    /// The lists with which a game from the start begins.
    lists: Arc<[StartingList]>,
    /// The languages of the game, when they have been asked for.
    languages: Arc<OnceLock<Vec<String>>>,
}

impl Explainer {
    /// For these rules under these options and readings.
    #[must_use]
    pub fn new(model: Arc<Model>, config: Config) -> Explainer {
        let placeholder = Arc::new(Position::zero(&model));
        Explainer { model, config, tracing: None, placeholder, lists: Arc::default(), languages: Arc::default() }
    }

    /// The same, and all that is evaluated leaves its marks in a trace of the model.
    #[must_use]
    pub fn traced(model: Arc<Model>, config: Config, trace: Arc<Coverage>) -> Explainer {
        Explainer { tracing: Some(CoverageMode { trace, quiet: false }), ..Explainer::new(model, config) }
    }

    /// The languages in which the game has names and notation, and its styles of notation: that of its files first.
    #[must_use]
    pub fn languages(&self) -> &[String] {
        self.languages.get_or_init(|| languages(&self.model))
    }

    /// The same rules under other options and readings: what it finds decides nothing here.
    fn other(&self, config: Config) -> Explainer {
        let tracing = self.tracing.clone().map(|t| CoverageMode { quiet: true, ..t });
        Explainer { config, tracing, ..self.clone() }
    }

    fn watch(&self, deciding: bool) -> Option<Recorder<'_>> {
        self.tracing.as_ref().map(|t| t.watch(deciding))
    }

    fn at<'p, N: Notes>(&'p self, position: &'p Position) -> Eval<'p, N> {
        Eval::new(&self.model, &self.config.0, position).watched(self.watch(N::ON))
    }

    /// Every choice that exists at the decision point, whether or not it may be made, for reading what a person wrote.
    /// For a question about actions: all actions asked for, with all arguments of the right types; for other questions
    /// and chance: all possible values; then doing nothing; then all other actions. Empty if the game is over.
    #[must_use]
    pub fn candidates(&self, position: &Position) -> Vec<Choice> {
        self.candidates_by(position, |id, found| self.all_actions(id, found))
    }

    /// The same, of which only those actions are wanted that a function adds.
    #[must_use]
    pub fn candidates_by(&self, position: &Position, mut add: impl FnMut(ActionId, &mut Vec<Choice>)) -> Vec<Choice> {
        let mut found = Vec::new();
        match rest(&self.model, position) {
            Err(_) | Ok(DecisionPoint::Over) => {}
            Ok(DecisionPoint::Decision(choose, ..)) => {
                let asked = match &choose.what {
                    ChooseWhat::Act { actions, .. } => actions.as_slice(),
                    _ => &[],
                };
                asked.iter().for_each(|id| add(*id, &mut found));
                match &choose.what {
                    ChooseWhat::Act { .. } => {}
                    ChooseWhat::One { of, .. } | ChooseWhat::Several { of, .. } => {
                        let all = self.model.values(of).into_iter().flatten().take(MAX_CANDIDATES);
                        found.extend(all.map(Choice::Value));
                    }
                    ChooseWhat::Number { .. } => {
                        let offer = self.at::<Silent>(position).offer(choose);
                        found.extend(offer.ok().flatten().unwrap_or_default().choices);
                    }
                    ChooseWhat::Yes { .. } => found.push(Choice::Yes),
                }
                found.push(Choice::Pass);
                self.action_ids().filter(|a| !asked.contains(a)).for_each(|id| add(id, &mut found));
            }
            Ok(DecisionPoint::Chance(chance, ..)) => match &chance.what {
                ChanceWhat::Pick { of, .. } | ChanceWhat::Draw { of, .. } => {
                    let all = self.model.values(of).into_iter().flatten().take(MAX_CANDIDATES);
                    found.extend(all.map(Choice::Value));
                }
                ChanceWhat::Roll { .. } | ChanceWhat::Shuffle { .. } => {
                    found = self.at::<Silent>(position).outcomes(chance).unwrap_or_default();
                }
            },
        }
        found
    }

    /// Where nobody decides, the actions that a function adds of each; else none.
    #[must_use]
    pub fn other_actions(&self, position: &Position, mut add: impl FnMut(ActionId, &mut Vec<Choice>)) -> Vec<Choice> {
        let mut found = Vec::new();
        if !matches!(rest(&self.model, position), Ok(DecisionPoint::Decision(..))) {
            self.action_ids().for_each(|id| add(id, &mut found));
        }
        found
    }

    /// All actions.
    pub fn action_ids(&self) -> impl Iterator<Item = ActionId> + use<> {
        (0..self.model.actions.len() as u16).map(ActionId)
    }

    /// Adds an action with all arguments of the right types, up to a bound.
    pub fn all_actions(&self, id: ActionId, out: &mut Vec<Choice>) {
        self.all_tuples(id, &mut Vec::new(), out);
    }

    fn all_tuples(&self, id: ActionId, args: &mut Vec<i32>, out: &mut Vec<Choice>) {
        let params = self.model.actions.get(id.i()).map_or(&[][..], |a| &a.params);
        let Some((_, ty)) = params.get(args.len()) else {
            out.push(Choice::Act(id, Args::new(args)));
            return;
        };
        for value in self.model.values(&ty.base).into_iter().flatten() {
            if out.len() >= MAX_CANDIDATES {
                return;
            }
            args.push(value);
            self.all_tuples(id, args, out);
            args.pop();
        }
    }

    /// The value of an expression that has no locals, and the definitions on the way with the clauses that gave their
    /// values.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn eval(&self, position: &Position, expr: &Expr) -> Result<(Value, Vec<Derived>), Fault> {
        let mut ev = self.at::<Written>(position);
        ev.notes.general = true;
        let value = ev.eval(expr).map_err(|f| *f)?;
        Ok((value, ev.notes.derived))
    }

    /// The value of an expression that has no locals, and nothing more: for those who ask often.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn value(&self, position: &Position, expr: &Expr) -> Result<Value, Fault> {
        self.at::<Silent>(position).eval(expr).map_err(|f| *f)
    }

    /// The rules, to share them.
    #[must_use]
    pub fn shared(&self) -> &Arc<Model> {
        &self.model
    }

    /// The `never`s whose condition holds: the position cannot arise in play.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn nevers(&self, position: &Position) -> Result<Vec<ClauseId>, Fault> {
        self.nevers_of(position, self.model.nevers.iter().map(|never| never.clause))
    }

    /// Those of some `never`s whose condition holds.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn nevers_of(
        &self,
        position: &Position,
        asked: impl IntoIterator<Item = ClauseId>,
    ) -> Result<Vec<ClauseId>, Fault> {
        let mut ev = self.at::<Silent>(position);
        ev.watch = self.watch(true);
        ev.nevers(asked).map_err(|f| *f)
    }

    /// The position after the statements of an entry, before play goes on; `false` if they are not done, because a
    /// decision, chance or ending comes first.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn prepare(&self, blank: Position, entry: usize, args: &[i32]) -> Result<(Position, bool), Fault> {
        let mut position = blank;
        let done = self.run().prepare(&mut position, entry, args).map_err(|f| *f)?;
        Ok((position, done))
    }

    /// Plays on from a position that [`Explainer::prepare`] made, to its first decision point.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn go_on(&self, prepared: Position) -> Result<Position, Fault> {
        let mut position = prepared;
        self.run().go_on(&mut position).map_err(|f| *f)?;
        Ok(position)
    }

    fn run(&self) -> Run<'_> {
        Run::new(&self.model, &self.config.0).watched(self.watch(true))
    }
}

impl Evaluator for Explainer {
    fn model(&self) -> &Model {
        &self.model
    }

    fn config(&self) -> &Config {
        &self.config
    }

    fn start(&self) -> Result<Position, Fault> {
        self.run().start(self.laid_out()?).map_err(|f| *f)
    }

    fn blank(&self) -> Result<Position, Fault> {
        self.run().blank().map_err(|f| *f)
    }

    fn enter(&self, blank: Position, entry: usize, args: &[i32]) -> Result<Position, Fault> {
        let mut position = blank;
        self.run().enter(&mut position, entry, args).map_err(|f| *f)?;
        Ok(position)
    }

    fn status(&self, position: &Position) -> Result<Status, Fault> {
        let mut ev = self.at::<Silent>(position);
        let status = rest(&self.model, position).and_then(|place| match place {
            DecisionPoint::Over => {
                let (ending, winners) = (position.ending(&self.model).unwrap_or(0), position.winners(&self.model));
                if ending >= self.model.ends.len() {
                    let detail = FaultDetail::NoSuchEnding;
                    let span = crate::span::Span::default();
                    return Err(eval::fault(FaultKind::BadPosition, span, detail));
                }
                ev.watch = self.watch(true);
                Ok(Status::Over(ev.outcome(ending, winners)?))
            }
            DecisionPoint::Decision(choose, code, pc) => {
                let (actions, optional) = match &choose.what {
                    ChooseWhat::Act { actions, .. } => (actions.clone(), choose.optional),
                    ChooseWhat::Several { .. } => (Vec::new(), ev.offer(choose)?.is_some_and(|o| o.pass)),
                    ChooseWhat::Yes { .. } => (Vec::new(), true),
                    _ => (Vec::new(), choose.optional),
                };
                Ok(Status::Decision(Question { seat: ev.seat(choose)?, at: (code, pc), actions, optional }))
            }
            DecisionPoint::Chance(_, code, pc) => Ok(Status::Chance((code, pc))),
        });
        status.map_err(|f| *f)
    }

    fn options(&self, position: &Position) -> Result<Vec<Choice>, Fault> {
        let mut ev = self.at::<Silent>(position);
        let options = rest(&self.model, position).and_then(|place| match place {
            DecisionPoint::Over => Ok(Vec::new()),
            DecisionPoint::Decision(choose, ..) => {
                let offer = ev.offer(choose)?.unwrap_or_default();
                let mut choices = offer.choices;
                without_copies(&self.model, position, &mut choices);
                if offer.pass {
                    choices.push(Choice::Pass);
                }
                Ok(choices)
            }
            DecisionPoint::Chance(chance, ..) => ev.outcomes(chance),
        });
        options.map_err(|f| *f)
    }

    fn worth(&self, position: &Position, seat: u16) -> Result<Option<i32>, Fault> {
        self.at::<Silent>(position).worth(seat).map_err(|f| *f)
    }

    fn apply(&self, position: &mut Position, choice: Choice) -> Result<(), Fault> {
        self.run().apply(position, choice).map_err(|f| *f)
    }
}
