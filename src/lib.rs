//! Lawspeaker: rulebooks of tabletop games as text that checks, plays, explains and replays.
pub mod check;
pub mod game;
pub mod model;
pub mod report;
pub mod span;
pub mod suggest;
pub mod syntax;
