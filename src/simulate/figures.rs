//! Figures of many games that were looked at ply by ply.

use std::collections::BTreeMap;

use super::seen::{Made, PlyKind, Seen};
use super::{Finish, Winners};
use crate::game::{Choice, Position};
use crate::model::{CodeId, Config, KindId};
use crate::stats::Counts;

/// The number of different first choices that are counted each by itself.
const MAX_FIRSTS: usize = 2000;

/// A first choice: the seat, what asks it (`None`: a choice among actions), and what it chooses.
pub type FirstKey = (u16, Option<CodeId>, Choice);

/// How the games went that began with a choice.
#[derive(Clone, Debug)]
pub struct First {
    /// The position before the choice, in the first of these games.
    pub before: Position,
    /// Who won.
    pub winners: Winners,
}

/// How the games went in which something was so.
pub type Followed<K> = BTreeMap<K, Winners>;

/// Figures of many games. Memory does not grow with their number.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// The games.
    pub games: usize,
    /// For each seat, how many options its decisions had.
    pub options: BTreeMap<u16, Counts>,
    /// For each ply, from 0, the number of games in which a seat decided there, and of all their options.
    pub by_ply: BTreeMap<usize, (usize, usize)>,
    /// How many plies of each kind there were.
    pub kinds: BTreeMap<PlyKind, usize>,
    /// The first choice of each seat.
    pub firsts: BTreeMap<FirstKey, First>,
    /// Games with a first choice beyond those that are counted each by itself, by seat.
    pub other_firsts: Followed<u16>,
    /// Members that stand on the board at the end.
    pub standing: Followed<(KindId, u16)>,
    /// Options and readings, by their index in the model, with their values.
    pub settings: Followed<(usize, i32)>,
}

impl Figures {
    /// Counts a game. `config` are its options and readings, if they are drawn for each game.
    pub fn add(&mut self, seen: &Seen, finish: &Finish, config: Option<&Config>) {
        self.games += 1;
        for (ply, seat, options) in &seen.decisions {
            self.options.entry(*seat).or_default().add(*options);
            let (games, all) = self.by_ply.entry(*ply).or_default();
            *games += 1;
            *all += options;
        }
        for (kind, plies) in &seen.kinds {
            *self.kinds.entry(*kind).or_default() += plies;
        }
        let Finish::Over(outcome) = finish else { return };
        let winners = &outcome.winners;
        for (seat, made) in &seen.firsts {
            self.first(*seat, made).add(winners);
        }
        for member in &seen.standing {
            self.standing.entry(*member).or_default().add(winners);
        }
        for (item, value) in config.iter().flat_map(|config| config.0.iter().enumerate()) {
            self.settings.entry((item, *value)).or_default().add(winners);
        }
    }

    fn first(&mut self, seat: u16, made: &Made) -> &mut Winners {
        let key = (seat, made.code, made.choice);
        if self.firsts.len() >= MAX_FIRSTS && !self.firsts.contains_key(&key) {
            return self.other_firsts.entry(seat).or_default();
        }
        let new = || First { before: made.before.clone(), winners: Winners::default() };
        &mut self.firsts.entry(key).or_insert_with(new).winners
    }

    /// The options of all decisions.
    #[must_use]
    pub fn all_options(&self) -> Counts {
        let mut all = Counts::default();
        self.options.values().for_each(|counts| all.merge(counts));
        all
    }

    /// The mean number of options of the decisions at each of some ranges of plies, in order: at most so many ranges.
    #[must_use]
    pub fn options_by_ply(&self, ranges: usize) -> Vec<((usize, usize), f64)> {
        let plies: Counts = self.by_ply.keys().copied().collect();
        let mean = |bin: crate::stats::Bin| {
            let in_bin = self.by_ply.range(bin.from..=bin.to).map(|(_, both)| both);
            let (games, all) = in_bin.fold((0, 0), |sum, both| (sum.0 + both.0, sum.1 + both.1));
            (games > 0).then(|| ((bin.from, bin.to), all as f64 / games as f64))
        };
        plies.histogram(ranges).into_iter().filter_map(mean).collect()
    }
}
