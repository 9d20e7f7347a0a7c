//! What is told of many games, row by row: names in words, and shares with their intervals.

use std::collections::BTreeMap;

use lawspeaker::game::Outcome;
use lawspeaker::lexicon::fill;
use lawspeaker::model::{ClauseId, KindId};
use lawspeaker::simulate::{Figures, First, FirstKey, PlyKind, Tally, Winners};
use lawspeaker::stats::{Confidence, Estimate};

use crate::cli::session::Session;
use crate::cli::varied;

/// A share of the games.
pub struct Row {
    /// Of what.
    pub name: String,
    /// How many games.
    pub games: usize,
    /// The share.
    pub share: Estimate,
}

/// The games of which something holds, and who won them.
pub struct Crossed {
    /// What holds.
    pub name: String,
    /// Who won.
    pub winners: Winners,
}

/// The ranges into which lengths and plies are put.
pub const RANGES: usize = 12;

/// What is told of many games.
#[derive(Clone, Copy)]
pub struct Report<'a> {
    /// Their rules.
    pub session: &'a Session,
    /// What came of them.
    pub tally: &'a Tally,
    /// How sure the intervals are.
    pub confidence: Confidence,
}

impl Report<'_> {
    fn share(&self, name: String, games: usize) -> Row {
        Row { name, games, share: self.confidence.share(games, self.tally.winners.over) }
    }

    /// What the seats are called.
    pub fn seats(&self) -> Vec<String> {
        (0..self.session.rules.seats()).map(|seat| self.session.seat_name(Some(seat as u16))).collect()
    }

    /// The shares of the seats in their order, then of draws.
    pub fn wins(&self, draw: &str) -> Vec<Row> {
        let winners = &self.tally.winners;
        let seats = self.seats().into_iter().enumerate().map(|(seat, name)| self.share(name, winners.of(seat)));
        seats.chain(std::iter::once(self.share(draw.to_owned(), winners.draws))).collect()
    }

    /// The shares of the endings, the most frequent first, each with its clause.
    pub fn endings(&self) -> Vec<(Row, Option<ClauseId>)> {
        let model = self.session.model();
        let row = |(outcome, games): (Outcome, usize)| {
            let clause = model.ends.get(outcome.ending).map(|end| end.clause);
            (self.share(self.session.outcome(&outcome), games), clause)
        };
        self.tally.endings().into_iter().map(row).collect()
    }

    /// A clause with its citations and its place.
    pub fn clause(&self, id: ClauseId) -> String {
        let (lexicon, model) = (self.session.lexicon(), self.session.model());
        let (file, line, _) = model.clause(id).map_or(("", 0, 0), |c| model.sources.place(c.span));
        format!("{}{}", lexicon.cited(id), lexicon.words.bracketed(&format!("{file}:{line}")))
    }

    /// Who won the games of some ranges of lengths.
    pub fn by_length(&self) -> Vec<Crossed> {
        let ranges = self.tally.by_length(RANGES).into_iter().filter(|(_, winners)| winners.over > 0);
        ranges.map(|((from, to), winners)| Crossed { name: range(from, to), winners }).collect()
    }

    /// The kinds of plies, the most frequent first.
    pub fn kinds(&self, figures: &Figures) -> Vec<(String, usize)> {
        let (model, words) = (self.session.model(), self.session.lexicon().words);
        let name = |kind: &PlyKind| match kind {
            PlyKind::Action(action) => model.actions.get(action.i()).map_or_else(String::new, |a| spoken(&a.name)),
            PlyKind::Answer(code) => {
                let name = model.codes.get(code.i()).map_or_else(String::new, |code| spoken(&code.name));
                fill(words.sim.answer, &[&name])
            }
            PlyKind::Pass => words.sim.pass.to_owned(),
            PlyKind::Chance => words.play.chance.to_owned(),
        };
        let mut named: BTreeMap<String, usize> = BTreeMap::new();
        for (kind, plies) in &figures.kinds {
            *named.entry(name(kind)).or_default() += plies;
        }
        let mut sorted: Vec<(String, usize)> = named.into_iter().collect();
        sorted.sort_by_key(|(_, plies)| std::cmp::Reverse(*plies));
        sorted
    }

    /// The first choices of a seat, the most frequent first; those that are not counted each by itself come last.
    pub fn firsts(&self, figures: &Figures, seat: u16) -> Vec<Crossed> {
        let of = figures.firsts.iter().filter(|((who, ..), _)| *who == seat);
        let named = |((_, _, choice), first): (&FirstKey, &First)| Crossed {
            name: self.session.say(&first.before, *choice),
            winners: first.winners.clone(),
        };
        let mut firsts: Vec<Crossed> = of.map(named).collect();
        firsts.sort_by_key(|first| std::cmp::Reverse(first.winners.over));
        let others = figures.other_firsts.get(&seat).map(|winners| Crossed {
            name: self.session.lexicon().words.sim.other_choices.to_owned(),
            winners: winners.clone(),
        });
        firsts.into_iter().chain(others).collect()
    }

    /// The members that stand on the board at the end, the most frequent first.
    pub fn standing(&self, figures: &Figures) -> Vec<Crossed> {
        let lexicon = self.session.lexicon();
        let named = |((kind, member), winners): (&(KindId, u16), &Winners)| Crossed {
            name: lexicon.member(*kind, *member),
            winners: winners.clone(),
        };
        let mut standing: Vec<Crossed> = figures.standing.iter().map(named).collect();
        standing.sort_by_key(|row| std::cmp::Reverse(row.winners.over));
        standing
    }

    /// The values of options and readings that were drawn, in the order of the rules; none of which there was only one
    /// value.
    pub fn settings(&self, figures: &Figures) -> Vec<Crossed> {
        let drawn = |item: usize| figures.settings.range((item, i32::MIN)..=(item, i32::MAX));
        let items = self.session.model().config.iter().enumerate().filter(|(i, _)| drawn(*i).count() > 1);
        let rows = items.flat_map(|(i, item)| {
            drawn(i).map(move |((_, value), winners)| {
                let name = format!("{}={}", item.name, varied::value_of(self.session, item, *value));
                Crossed { name, winners: winners.clone() }
            })
        });
        rows.collect()
    }

    /// The share of the games in a row that each seat won, with intervals that hold for `rows` such rows together.
    pub fn shares(&self, row: &Crossed, rows: usize) -> Vec<Estimate> {
        let seats = self.session.rules.seats();
        let confidence = self.confidence.for_all(rows * seats);
        (0..seats).map(|seat| confidence.share(row.winners.of(seat), row.winners.over)).collect()
    }
}

/// `7`, or `5-9`.
pub fn range(from: usize, to: usize) -> String {
    if from == to { from.to_string() } else { format!("{from}-{to}") }
}

/// A name of the rules for people.
fn spoken(name: &str) -> String {
    name.replace('_', " ")
}
