//! A table of one row a game.

use std::collections::HashMap;
use std::path::Path;

use lawspeaker::game::Outcome;
use lawspeaker::model::{Config, Model};
use lawspeaker::simulate::{Finish, FirstKey, Made};

use super::problem;
use super::series::Game;
use crate::cli::session::Session;
use crate::cli::table::{Cell, Kind, Table};
use crate::cli::{Stop, varied};

/// First choices whose texts are kept.
const KEPT: usize = 2000;

/// A table of one row a game.
pub struct Games<'a> {
    session: &'a Session,
    table: Table,
    /// Options and readings are drawn for each game.
    vary: bool,
    /// First choices in words.
    said: HashMap<FirstKey, String>,
}

/// The identifiers of the seats.
fn seats(model: &Model) -> impl Iterator<Item = &str> {
    model.kinds.first().into_iter().flat_map(|players| &players.members).map(|seat| seat.id.as_str())
}

impl<'a> Games<'a> {
    /// Begins the table.
    pub fn begin(file: &Path, force: bool, session: &'a Session, vary: bool) -> Result<Games<'a>, Stop> {
        let model = session.model();
        let mut columns = vec![(String::from("game"), Kind::Number), (String::from("seed"), Kind::Number)];
        if vary {
            columns.extend(model.config.iter().map(|item| (item.name.clone(), Kind::Text)));
        }
        columns.extend([(String::from("winners"), Kind::Text)]);
        columns.extend(seats(model).map(|seat| (format!("won_{seat}"), Kind::Truth)));
        columns.extend([("ending", Kind::Text), ("clause", Kind::Text), ("cites", Kind::Text)].map(named));
        columns.extend([("plies", Kind::Number), ("decisions", Kind::Number)].map(named));
        columns.extend(seats(model).map(|seat| (format!("first_{seat}"), Kind::Text)));
        columns.push((String::from("fault"), Kind::Text));
        Ok(Games { session, table: Table::begin(file, force, columns)?, vary, said: HashMap::new() })
    }

    /// Writes a game.
    pub fn row(&mut self, game: &Game) -> Result<(), Stop> {
        let model = self.session.model();
        let mut cells = vec![Cell::Number(game.number + 1), Cell::Number(game.seed)];
        if self.vary {
            cells.extend(self.settings(game.config.as_ref()));
        }
        cells.extend(self.ending(&game.finish));
        cells.extend([Cell::Number(game.plies as u64), Cell::Number(game.seen.decisions.len() as u64)]);
        for seat in 0..seats(model).count() {
            let made = game.seen.firsts.get(&(seat as u16));
            cells.push(made.map_or(Cell::Nothing, |made| Cell::text(self.said(seat as u16, made))));
        }
        cells.push(problem(&self.session.lexicon(), &game.finish).map_or(Cell::Nothing, Cell::text));
        self.table.row(&cells)
    }

    /// Ends the table.
    pub fn finish(self) -> Result<(), Stop> {
        self.table.finish()
    }

    fn settings(&self, config: Option<&Config>) -> Vec<Cell> {
        let values = config.map(|config| config.0.as_slice()).unwrap_or_default();
        let items = self.session.model().config.iter().zip(values);
        items.map(|(item, value)| Cell::text(varied::value_of(self.session, item, *value))).collect()
    }

    /// Winners, a truth for each seat, the ending, its clause and what that cites.
    fn ending(&self, finish: &Finish) -> Vec<Cell> {
        let model = self.session.model();
        let seats = 0..seats(model).count() as u16;
        let Finish::Over(outcome) = finish else {
            return vec![Cell::Nothing; seats.count() + 4];
        };
        let lexicon = self.session.lexicon();
        let winners: Vec<String> = outcome.winners.iter().map(|seat| lexicon.seat(*seat)).collect();
        let won = seats.map(|seat| Cell::Truth(outcome.winners.contains(&seat)));
        let clause = model.ends.get(outcome.ending).map(|end| end.clause);
        let bare = Outcome { scores: Vec::new(), ..outcome.clone() };
        let cites = clause.and_then(|id| model.clause(id)).map_or_else(String::new, |clause| clause.cites.join(" "));
        let told = [
            Cell::text(lexicon.outcome(&bare)),
            Cell::text(clause.map_or_else(String::new, |id| model.clause_title(id, &self.session.lang))),
            Cell::text(cites),
        ];
        std::iter::once(Cell::text(winners.join(lexicon.words.comma))).chain(won).chain(told).collect()
    }

    /// A first choice in words.
    fn said(&mut self, seat: u16, made: &Made) -> String {
        let key = (seat, made.code, made.choice);
        if let Some(said) = self.said.get(&key) {
            return said.clone();
        }
        let said = self.session.say(&made.before, made.choice);
        if self.said.len() < KEPT {
            self.said.insert(key, said.clone());
        }
        said
    }
}

fn named((name, kind): (&str, Kind)) -> (String, Kind) {
    (name.to_owned(), kind)
}
