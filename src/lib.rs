//! Lawspeaker: rulebooks of tabletop games as text that checks, plays, explains and replays.
pub mod casebook;
pub mod check;
pub mod explain;
pub mod facts;
pub mod game;
pub mod library;
pub mod map;
pub mod model;
pub mod notation;
pub mod players;
pub mod record;
pub mod report;
pub mod rulings;
pub mod simulate;
pub mod span;
pub mod spelling;
pub mod syntax;
