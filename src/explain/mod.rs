//! Stand-in.
use crate::game::{Choice, Derived, Evaluator, Fault, FaultKind, Position, Ruling, Status};
use crate::model::{ClauseId, Config, Expr, Model, Value};
use crate::span::Span;
use std::sync::Arc;

/// Stand-in.
pub struct Explainer(Arc<Model>, Config);

fn fault() -> Fault {
    Fault {
        kind: FaultKind::Gap,
        clauses: Vec::new(),
        span: Span::default(),
        detail: String::new(),
    }
}

#[allow(missing_docs)]
impl Explainer {
    #[must_use]
    pub fn new(model: Arc<Model>, config: Config) -> Explainer {
        Explainer(model, config)
    }
    #[must_use]
    pub fn judge(&self, _: &Position, _: u16, _: Choice) -> Ruling {
        Ruling {
            verdict: crate::game::Verdict::Undecided,
            reason: crate::game::Reason::Gap,
            deciding: Vec::new(),
            overruled: Vec::new(),
            misses: Vec::new(),
            conditions: Vec::new(),
            derived: Vec::new(),
            fault: None,
            readings: Vec::new(),
        }
    }
    #[must_use]
    pub fn candidates(&self, _: &Position) -> Vec<Choice> {
        Vec::new()
    }
    #[must_use]
    pub fn say(&self, _: &Position, _: Choice, _: &str) -> String {
        String::new()
    }
    /// # Errors
    /// Always.
    pub fn eval(&self, _: &Position, _: &Expr) -> Result<(Value, Vec<Derived>), Fault> {
        Err(fault())
    }
    /// # Errors
    /// Always.
    pub fn nevers(&self, _: &Position) -> Result<Vec<ClauseId>, Fault> {
        Err(fault())
    }
}

impl Evaluator for Explainer {
    fn model(&self) -> &Model {
        &self.0
    }
    fn config(&self) -> &Config {
        &self.1
    }
    fn start(&self) -> Result<Position, Fault> {
        Err(fault())
    }
    fn blank(&self) -> Result<Position, Fault> {
        Err(fault())
    }
    fn enter(&self, _: Position, _: usize, _: &[i32]) -> Result<Position, Fault> {
        Err(fault())
    }
    fn status(&self, _: &Position) -> Result<Status, Fault> {
        Err(fault())
    }
    fn options(&self, _: &Position) -> Result<Vec<Choice>, Fault> {
        Err(fault())
    }
    fn apply(&self, _: &mut Position, _: Choice) -> Result<(), Fault> {
        Err(fault())
    }
}
