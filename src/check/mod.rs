//! Stand-in.
use crate::model::{Expr, Model};

/// Stand-in.
///
/// # Errors
/// Always.
pub fn expression(_model: &Model, _text: &str) -> Result<Expr, String> {
    Err(String::from("not there yet"))
}
