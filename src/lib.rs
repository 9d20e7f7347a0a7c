//! Lawspeaker: rulebooks of tabletop games as text that checks, plays, explains and replays.
//!
//! [`Rules`] is the handle on a rulebook: it loads the rules of a game, plays, reads and writes moves in the game's
//! notation, and gives a ruling on every one of them with the clauses that decide it.
//!
//! ```
//! use lawspeaker::{Rules, Status, Verdict};
//!
//! let rules = Rules::open("confrontation")?;
//! let position = rules.position("given confrontation\n  Frodo at Rohan   Flying Nazgul at Cardolan\n  Good to move")?;
//! let Status::Decision(question) = rules.status(&position)? else { panic!("Good is to move") };
//!
//! // What may be done, in the game's notation.
//! let options: Vec<String> = rules.options(&position)?.iter().map(|c| rules.say(&position, *c)).collect();
//! assert_eq!(options, ["Frodo to Gondor"]);
//!
//! // Why something may not be done: the ruling with the clauses of the rulebook.
//! let leap = rules.read(&position, "Frodo to Mordor")?;
//! let ruling = rules.judge(&position, question.seat, leap);
//! assert_eq!(ruling.verdict, Verdict::Illegal);
//! println!("{}", rules.ruling_text(&position, question.seat, leap, &ruling));
//!
//! // A thousand games by chance, on all cores; the result depends only on the seed.
//! let games = rules.simulate(1000, 7);
//! assert_eq!(games.len(), 1000);
//! # Ok::<(), lawspeaker::RulesError>(())
//! ```
//!
//! The folder `examples` has a bot, a referee and a replay checker.
//!
//! # Features
//!
//! - `jit` (on): rules that are played much are made machine code, with Cranelift. Without it they are played as
//!   trees: slower, and alike in all else.
//! - `cli` (on): the program `lawspeaker`, and reports of faults drawn with frames and colours.
//!
//! With `default-features = false` the library depends on neither Cranelift nor anything of the command line.
//!
//! # How it is built
//!
//! ```text
//!  .law      syntax ── tree ──> check ── model ──> explain, engine ──> game (Position, Choice, Ruling, View)
//!                                 │                                │
//!                             diagnostics           facts, notation, list, record, rulings, simulate, perft
//!                                 │                                │
//!                              report                       rules (the handle)
//!                                 │                                │
//!                                 │                casebook, search, audit
//!                                 └──────────── cli ───────────────┘
//! ```
//!
//! Data flows one way, and nothing below imports what is above it. `model` imports nothing else of this crate but
//! spans; only `syntax`, `facts`, `casebook` and `record` know the grammar; only `report` renders diagnostics; only
//! `reading` reads files and only `writing` writes them. `engine` and `explain` do not know each other: `rules` decides
//! which of them is asked. The library never prints, never exits, draws random numbers
//! only in `players`, and never panics on any text.

// The modules are for the program and the tests of this package: what is meant for others is named below.
#[doc(hidden)]
pub mod audit;
#[doc(hidden)]
pub mod casebook;
#[doc(hidden)]
pub mod check;
#[doc(hidden)]
pub mod conflict;
#[doc(hidden)]
pub mod engine;
#[doc(hidden)]
pub mod exceptions;
mod excerpt;
#[doc(hidden)]
pub mod explain;
#[doc(hidden)]
pub mod facts;
#[doc(hidden)]
pub mod game;
#[doc(hidden)]
pub mod lexicon;
#[doc(hidden)]
pub mod library;
#[doc(hidden)]
pub mod list;
#[doc(hidden)]
pub mod map;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod notation;
#[doc(hidden)]
pub mod perft;
#[doc(hidden)]
pub mod picture;
#[doc(hidden)]
pub mod plain;
#[doc(hidden)]
pub mod players;
#[doc(hidden)]
pub mod reading;
#[doc(hidden)]
pub mod record;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod rules;
#[doc(hidden)]
pub mod rulings;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod simulate;
#[doc(hidden)]
pub mod span;
#[doc(hidden)]
pub mod spelling;
#[doc(hidden)]
pub mod syntax;
#[doc(hidden)]
pub mod terms;
#[doc(hidden)]
pub mod writing;

pub use check::{Diagnostic, Severity};
pub use engine::{EngineNote, Fallback, LeftOver};
pub use facts::{FactFault, Settings};
pub use game::{
    Choice, Evaluator, Fault, ListRuling, Outcome, Position, Question, Reason, Ruling, Sensitivity, Status, Verdict,
    View, WhatIfs,
};
pub use library::{Folder, LoadError, Loaded, Unusable, shipped};
pub use list::List;
pub use model::{Config, Model};
pub use notation::Unread;
pub use record::{Record, Replay, ReplayEnd};
pub use rules::{Rulebook, Rules, RulesError};
pub use simulate::{Finish, Played};
