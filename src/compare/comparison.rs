//! All that comes of one set of rules next to another.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{
    Ahead, Budget, Clashes, Counted, Edits, Games, Play, Records, Rulings, Side, Waking, Written, ahead, clashes,
    counts, play, records, rulings, waking, written,
};
use crate::audit::Suite;
use crate::lexicon::Lexicon;

/// The most games in which each ply is ruled on, and that are compared ply by ply.
const FEW_GAMES: u64 = 20;

/// How much is compared.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The most positions that are compared one by one, the nearest to the start first.
    pub positions: usize,
    /// The most positions that are counted ahead of each beginning, under either rules.
    pub counted: u64,
    /// The games under each rules; with 0 of them none are played.
    pub games: Games,
    /// The longest time for each of four things: positions, counts, games compared ply by ply, and games with rulings.
    pub time: Duration,
    /// The tries for a pair of clauses that could disagree.
    pub tries: u32,
    /// The language of the words in the result.
    pub lang: String,
}

/// What comes of the second rules next to the first.
#[derive(Debug)]
pub struct Comparison {
    /// What is written otherwise.
    pub written: Written,
    /// The cases.
    pub rulings: Rulings,
    /// The recorded games.
    pub records: Records,
    /// Clauses that can contradict each other.
    pub clashes: Clashes,
    /// The numbers of positions ahead.
    pub counts: Vec<Counted>,
    /// Games at random.
    pub play: Option<Play>,
    /// Clauses that came to decide something, or no longer do.
    pub waking: Option<Waking>,
    /// The shortest game that shows a difference.
    pub ahead: Option<Ahead>,
    /// Why games and positions were not compared, in words.
    pub unplayed: Option<String>,
    /// The changes of which nothing was found to come.
    pub unseen: Vec<String>,
}

impl Comparison {
    /// Compares two sets of rules; the cases and records are those of the first.
    #[must_use]
    pub fn new(before: &Side, after: &Side, suite: &Suite, wanted: &Wanted) -> Comparison {
        let lang = wanted.lang.as_str();
        let written = written(before, after);
        let edits = Edits::new(before, after, &written);
        let rulings = rulings(before, after, suite, &written, &edits);
        let records = records(before, after, suite, &edits, lang);
        let clashes = clashes(before, after, wanted.tries, lang);
        let mut found = Comparison {
            written,
            rulings,
            records,
            clashes,
            counts: Vec::new(),
            play: None,
            waking: None,
            ahead: None,
            unplayed: None,
            unseen: Vec::new(),
        };
        let (games, seed) = (wanted.games.games.min(FEW_GAMES), wanted.games.seed);
        let budget = Budget { positions: wanted.positions, games: (games, seed), time: wanted.time };
        match ahead(before, after, budget, &edits, lang) {
            Ok(ahead) => {
                found.ahead = Some(ahead);
                found.counts = counts(before, after, (wanted.counted, wanted.time), &edits, lang);
                if wanted.games.games > 0 {
                    found.play = Some(play(before, after, &wanted.games, lang));
                    found.waking = Some(waking(before, after, games, seed, wanted.time));
                }
            }
            Err(fault) => found.unplayed = Some(Lexicon::new(after.rules.model(), lang).fault(&fault)),
        }
        found.unseen = found.unseen(&edits);
        found
    }

    /// Whether anything comes out otherwise.
    #[must_use]
    pub fn differs(&self) -> bool {
        !self.rulings.others.is_empty()
            || !self.records.others.is_empty()
            || !self.clashes.come.is_empty()
            || !self.clashes.gone.is_empty()
            || self.counts.iter().any(|counted| counted.fork.is_some())
            || self.ahead.as_ref().is_some_and(|ahead| ahead.fork.is_some())
            || self.play.as_ref().is_some_and(Play::is_sure)
    }

    fn unseen(&self, edits: &Edits) -> Vec<String> {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let forks = self.counts.iter().filter_map(|counted| counted.fork.as_ref());
        let forks = forks.chain(self.ahead.iter().filter_map(|ahead| ahead.fork.as_ref()));
        let deciding = self.rulings.others.iter().map(|other| &other.deciding);
        let deciding = deciding.chain(self.records.others.iter().map(|other| &other.deciding));
        let deciding = deciding.chain(forks.map(|fork| &fork.deciding));
        seen.extend(deciding.flat_map(|deciding| &deciding.names).map(String::as_str));
        let clashes = self.clashes.come.iter().chain(&self.clashes.gone);
        seen.extend(clashes.flat_map(|clash| &clash.clauses).map(String::as_str));
        if let Some(waking) = &self.waking {
            seen.extend([true, false].into_iter().flat_map(|now| waking.only(now)).map(|(name, _)| name));
        }
        // What belongs to one declaration is seen together.
        for edit in &edits.all {
            if edit.names.iter().any(|name| seen.contains(name.as_str())) {
                seen.extend(edit.names.iter().map(String::as_str));
            }
        }
        // Where there is only one change, games that go otherwise come of it.
        if let ([edit], Some(play)) = (edits.all.as_slice(), &self.play)
            && play.is_sure()
        {
            seen.extend(edit.names.iter().map(String::as_str));
        }
        let changes = self.written.changes.iter().filter(|change| !seen.contains(change.what.as_str()));
        changes.map(|change| change.what.clone()).collect()
    }
}
