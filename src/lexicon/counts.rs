//! How many there are of something, in words.

use super::words::{Counts, fill};

/// What is counted in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Plies.
    Plies,
    /// Positions.
    Positions,
    /// Records.
    Records,
    /// Games that are played.
    Games,
    /// Pairs of clauses.
    Pairs,
    /// Names.
    Names,
    /// Clauses.
    Clauses,
    /// Files.
    Files,
    /// Errors in rules.
    Errors,
    /// Warnings about rules.
    Warnings,
    /// Mutants of the rules.
    Mutants,
    /// Cases.
    Cases,
    /// Casebooks.
    Casebooks,
    /// Faults of the rules in play.
    Faults,
    /// Parts of the rules.
    Parts,
    /// Lines of a text.
    Lines,
    /// Counts of positions in a table.
    Counts,
    /// Cases and records together.
    Tests,
    /// Seats.
    Seats,
    /// Options of a game.
    Options,
    /// Readings of a game.
    Readings,
    /// Presets of a game.
    Presets,
    /// Variants of a game.
    Variants,
}

impl Counts {
    /// A number of things: `1 ply`, `2 plies`.
    #[must_use]
    pub fn of(&self, what: Counted, n: usize) -> String {
        let (one, many) = match what {
            Counted::Plies => (self.ply_one, self.ply_many),
            Counted::Positions => (self.position_one, self.position_many),
            Counted::Records => (self.record_one, self.record_many),
            Counted::Games => (self.game_one, self.game_many),
            Counted::Pairs => (self.pair_one, self.pair_many),
            Counted::Names => (self.name_one, self.name_many),
            Counted::Clauses => (self.clause_one, self.clause_many),
            Counted::Files => (self.file_one, self.file_many),
            Counted::Errors => (self.error_one, self.error_many),
            Counted::Warnings => (self.warning_one, self.warning_many),
            Counted::Mutants => (self.mutant_one, self.mutant_many),
            Counted::Cases => (self.case_one, self.case_many),
            Counted::Casebooks => (self.casebook_one, self.casebook_many),
            Counted::Faults => (self.fault_one, self.fault_many),
            Counted::Parts => (self.part_one, self.part_many),
            Counted::Lines => (self.line_one, self.line_many),
            Counted::Counts => (self.count_one, self.count_many),
            Counted::Tests => (self.test_one, self.test_many),
            Counted::Seats => (self.seat_one, self.seat_many),
            Counted::Options => (self.option_one, self.option_many),
            Counted::Readings => (self.reading_one, self.reading_many),
            Counted::Presets => (self.preset_one, self.preset_many),
            Counted::Variants => (self.variant_one, self.variant_many),
        };
        fill(if n == 1 { one } else { many }, &[&n.to_string()])
    }
}
