//! What stands in a table.

use serde_json::Value as Json;

/// What stands in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers from 0 on.
    Number,
    /// Shares and the like.
    Real,
    /// Yes or no.
    Truth,
    /// Text.
    Text,
}

/// What stands in a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing.
    Nothing,
    /// A whole number.
    Number(u64),
    /// A share or the like.
    Real(f64),
    /// Yes or no.
    Truth(bool),
    /// Text.
    Text(String),
}

impl Cell {
    /// A text; nothing if it is empty.
    pub fn text(text: impl Into<String>) -> Cell {
        match text.into() {
            text if text.is_empty() => Cell::Nothing,
            text => Cell::Text(text),
        }
    }

    /// As CSV has it.
    pub fn csv(&self) -> String {
        match self {
            Cell::Nothing => String::new(),
            Cell::Number(n) => n.to_string(),
            Cell::Real(x) => x.to_string(),
            Cell::Truth(truth) => truth.to_string(),
            Cell::Text(text) => text.clone(),
        }
    }

    /// As JSON has it.
    pub fn json(&self) -> Json {
        match self {
            Cell::Nothing => Json::Null,
            Cell::Number(n) => Json::from(*n),
            Cell::Real(x) => Json::from(*x),
            Cell::Truth(truth) => Json::from(*truth),
            Cell::Text(text) => Json::from(text.as_str()),
        }
    }
}
