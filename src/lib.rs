//! Lawspeaker: rulebooks of tabletop games as text that checks, plays, explains and replays.
//!
//! ```text
//!  .law      syntax ── tree ──> check ── model ──> explain, engine ──> game (Position, Choice, Ruling, View)
//!                                 │                                │
//!                             diagnostics           facts, notation, casebook, list, record, rulings,
//!                                 │                 players, simulate, search, map
//!                              report                              │
//!                                 │              audit
//!                                 └──────────── cli ───────────────┘
//! ```
//!
//! Data flows one way, and nothing below imports what is above it. `model` imports nothing else of this crate but
//! spans; only `syntax`, `facts`, `casebook` and `record` know the grammar; only `report` renders diagnostics; only
//! `reading` reads files and only `writing` writes them. The library never prints, never exits, draws random numbers
//! only in `players`, and never panics on any text.

pub mod audit;
pub mod casebook;
pub mod check;
pub mod conflict;
pub mod engine;
pub mod exceptions;
mod excerpt;
pub mod explain;
pub mod facts;
pub mod game;
pub mod lexicon;
pub mod library;
pub mod list;
pub mod map;
pub mod model;
pub mod notation;
pub mod perft;
pub mod picture;
pub mod plain;
pub mod players;
pub mod reading;
pub mod record;
pub mod report;
pub mod rules;
pub mod rulings;
pub mod search;
pub mod simulate;
pub mod span;
pub mod spelling;
pub mod syntax;
pub mod terms;
pub mod writing;
