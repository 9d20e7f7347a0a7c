//! Expressions written outside the rule files, for a checked game.

use std::fmt;

use super::scope::Scope;
use super::{Checker, ExpressionError, Severity};
use crate::model::{self, Model};
use crate::span::Source;
use crate::syntax;

/// Checks expressions of one game. Its names are gathered once, which takes longer than most expressions.
pub struct Expressions {
    checker: Checker,
    /// The number of files of the game; the text of an expression stands after them.
    files: usize,
}

impl fmt::Debug for Expressions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expressions").finish_non_exhaustive()
    }
}

impl Expressions {
    /// Of this game.
    #[must_use]
    pub fn new(model: &Model) -> Expressions {
        let mut checker = Checker { model: model.clone(), ..Checker::default() };
        checker.names_of_model();
        Expressions { checker, files: model.sources.files.len() }
    }

    /// An expression without locals.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn expression(&mut self, text: &str) -> Result<model::Expr, ExpressionError> {
        self.checked(text, None)
    }

    /// The same where it must be true or false; `what` names it in a message.
    ///
    /// # Errors
    /// What is wrong with it; for one of another type, what to compare it with.
    pub fn condition(&mut self, text: &str, what: &str) -> Result<model::Expr, ExpressionError> {
        self.checked(text, Some(what))
    }

    fn checked(&mut self, text: &str, condition: Option<&str>) -> Result<model::Expr, ExpressionError> {
        let checker = &mut self.checker;
        checker.model.sources.files.push(Source { name: "case".into(), text: text.to_string() });
        let tree = syntax::parse_expr(self.files as u32, 0, text).map_err(|f| ExpressionError::Syntax(f.message));
        let found = tree.and_then(|tree| {
            let mut expr = checker.expr(&tree, &mut Scope::default());
            if let Some(what) = condition {
                let truth = model::Ty::of(model::Base::Bool);
                expr = expr.and_then(|expr| checker.fit(expr, &truth, what));
            }
            match (expr, checker.out.iter().find(|d| d.severity == Severity::Error)) {
                (Some(expr), None) => Ok(expr),
                (_, Some(wrong)) => Err(ExpressionError::Meaning(wrong.clone())),
                (None, None) => Err(ExpressionError::None),
            }
        });
        self.forget();
        found
    }

    /// Only the game and its names are kept from one expression to the next.
    fn forget(&mut self) {
        let Checker { mut model, names, procedures, .. } = std::mem::take(&mut self.checker);
        model.sources.files.truncate(self.files);
        self.checker = Checker { model, names, procedures, ..Checker::default() };
    }
}
