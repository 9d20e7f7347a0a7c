//! Why a question to [`Rules`](super::Rules) has no answer.

use std::sync::Arc;

use crate::check::{ExpressionError, Severity};
use crate::facts::{FactFault, SettingError};
use crate::game::Fault;
use crate::library::{LoadError, Unusable};
use crate::model::Model;
use crate::notation::Unread;

/// Why there are no rules, or no answer of them.
///
/// ```
/// use lawspeaker::{Rules, RulesError};
///
/// let error = Rules::open("chess")?.with("castling_twice").unwrap_err();
/// assert!(matches!(error, RulesError::Settings(_)));
/// assert!(error.to_string().starts_with("no option or reading is called `castling_twice`"));
/// # Ok::<(), RulesError>(())
/// ```
#[derive(Clone, Debug, thiserror::Error)]
pub enum RulesError {
    /// The game cannot be found or read, or its rules have errors.
    #[error(transparent)]
    Load(Arc<LoadError>),
    /// A setting that the game does not have.
    #[error(transparent)]
    Settings(SettingError),
    /// A list with which the game cannot begin: why, in words.
    #[error("{0}")]
    List(String),
    /// A text that is not an expression of the language.
    #[error(transparent)]
    Expression(ExpressionError),
    /// A text that does not say which choice is meant.
    #[error(transparent)]
    Unread(Unread),
    /// All that is wrong with the text of a position.
    #[error("{}", lines(.0))]
    Text(Vec<FactFault>),
    /// The rules fail at this position.
    #[error("{words}")]
    Fault {
        /// How.
        fault: Box<Fault>,
        /// The same in words, with the clauses and the place.
        words: String,
    },
}

impl RulesError {
    pub(super) fn fault(model: &Model, fault: Fault) -> RulesError {
        RulesError::Fault { words: fault.words(model), fault: Box::new(fault) }
    }
}

impl From<LoadError> for RulesError {
    fn from(error: LoadError) -> RulesError {
        RulesError::Load(Arc::new(error))
    }
}

impl From<Unusable> for RulesError {
    fn from(error: Unusable) -> RulesError {
        LoadError::from(error).into()
    }
}

impl RulesError {
    /// The error in one line: of rules with errors the first of these.
    #[must_use]
    pub fn brief(&self) -> String {
        let RulesError::Load(load) = self else {
            return self.to_string();
        };
        match &**load {
            LoadError::Rules { checked, .. } => {
                let first = checked.diagnostics.iter().find(|d| d.severity == Severity::Error);
                first.map_or_else(|| load.to_string(), |d| format!("{}: {}", d.code, d.message))
            }
            LoadError::Files(files) => files.to_string(),
        }
    }
}

fn lines(faults: &[FactFault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
