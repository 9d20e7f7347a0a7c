//! Rulings for people and for programs.

mod changes;
mod data;
mod muster;
mod names;
mod page;
mod plain;
mod referee;
mod sheet;
mod sway;
mod text;
pub mod words;

pub use changes::{change, remedied, remedies_json};
pub use data::json;
pub use muster::{muster_json, muster_text};
pub use page::{Dossier, at_ply};
pub use plain::{Depth, reading_table};
use referee::said;
pub use referee::{Referee, Sight, languages};
pub use sheet::{Cite, Defined, Held, Layer, Line, Sheet};
pub use sway::{ReadingRow, reading_rows, sway_json, swayed};
pub use text::{clause_line, clauses_of, text, verdict_words};
