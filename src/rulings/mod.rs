//! Rulings for people and for programs.

mod data;
mod muster;
mod referee;
mod text;

pub use data::json;
pub use muster::{muster_json, muster_text};
pub use referee::{Referee, Sight, languages};
pub use text::{clause_line, clauses_of, text, verdict_words};
