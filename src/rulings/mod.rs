//! Rulings for people and for programs.

mod card;
mod carried;
mod citing;
mod data;
mod events;
mod list_ruling;
mod page;
mod plain;
mod said;
mod sensitivity;
mod sheet;
mod text;
mod value;
mod what_if;

pub use crate::lexicon::{languages, words};
pub use card::{member_card, members_called, members_like};
pub use data::{derived as derived_json, json};
pub use events::{events_brief, events_json, events_text, events_told};
pub use list_ruling::{list_ruling_json, list_ruling_text, price};
pub use page::{RulingPage, at_ply};
pub use plain::{Depth, reading_table};
use said::said;
pub use sensitivity::{ReadingRow, reading_rows, sensitivity_json, sensitivity_words};
pub use sheet::{Cite, Defined, Held, Layer, Line, Sheet};
pub use text::{clause_line, clauses_of, derived_that_matter, text, verdict_words};
pub use value::value_lines;
pub use what_if::{change, what_if_words, what_ifs_json};
