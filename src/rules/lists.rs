//! The lists with which a game begins.

use std::sync::{Arc, OnceLock};

use super::{Rules, RulesError};
use crate::facts::{FactFault, Piece, SeatList, seat_named, unique_name};
use crate::game::{StartingList, Verdict};
use crate::library::same_name;
use crate::list::{self, List};
use crate::model::{BringId, Model, PLAYER};
use crate::rulings::{self, Depth};
use crate::spelling::{hint, nearest};

impl Rules {
    /// The same with the lists of the settings laid before their seats. The settings then say what is in them.
    pub(super) fn with_lists(self) -> Result<Rules, RulesError> {
        if self.settings.lists.is_empty() {
            return Ok(self);
        }
        let mut begun: Vec<StartingList> = Vec::new();
        let mut lists = Vec::new();
        for given in &self.settings.lists {
            let starting = self.starting(given).map_err(RulesError::List)?;
            self.apart(&begun, &starting).map_err(RulesError::List)?;
            lists.push(said(self.model(), &starting));
            begun.push(starting);
        }
        let explainer = self.explainer.clone().beginning_with(begun);
        let evaluators = OnceLock::from(self.evaluators().beginning_as(&explainer));
        let mut settings = self.settings.clone();
        settings.lists = lists;
        Ok(Rules { settings, explainer, evaluators: Arc::new(evaluators), ..self })
    }

    /// A list that was read, and that the rules allow.
    fn starting(&self, given: &SeatList) -> Result<StartingList, String> {
        let (model, explainer) = (self.model(), &self.explainer);
        if !given.game.is_empty() && !same_name(&given.game, &model.name) {
            return Err(format!("{} is for {}, and these are the rules of {}", given.file, given.game, model.name));
        }
        let lines = match &given.lines {
            Some(lines) => lines.clone(),
            None => self.listed_in(given)?,
        };
        let wanted = match (given.bring.as_str(), model.brings.as_slice()) {
            ("", [only]) => only.name.as_str(),
            (name, _) => name,
        };
        let bring = list::bring_named(model, wanted).map_err(|e| e.to_string())?;
        let seat = seat_named(model, &given.seat).ok_or_else(|| no_seat(model, &given.seat))?;
        let things = list::members(explainer, bring, seat, &lines).map_err(|all| placed(given, &all))?;
        let ruling = explainer.list_ruling(bring, seat, &things).map_err(|f| f.words(model))?;
        match ruling.verdict {
            Verdict::Legal => Ok(StartingList { bring, seat, things }),
            _ => {
                let words = rulings::list_ruling_text(explainer, &ruling, Depth::Short, "");
                let file = if given.file.is_empty() { String::new() } else { format!("{}: ", given.file) };
                Err(format!("{file}the game cannot begin with this list\n{}", words.trim_end()))
            }
        }
    }

    /// The lines of a list in a file of the game's folder.
    fn listed_in(&self, given: &SeatList) -> Result<Vec<Piece>, String> {
        let text = self.loaded.folder.list(&given.file).map_err(|e| match &e.help {
            Some(help) => format!("{e} ({help})"),
            None => e.to_string(),
        })?;
        let list = List::parse(&text).map_err(|f| placed(given, &[f]))?;
        let fault =
            |piece: &Piece, message: String| placed(given, &[FactFault::new(piece.line, piece.column, message)]);
        if !same_name(&list.settings.game, &self.model().name) {
            let message = format!("this is for {}, not for {}", list.settings.game, self.model().name);
            return Err(fault(&list.game, message));
        }
        let bring = list::bring_named(self.model(), &list.name.text).map_err(|e| fault(&list.name, e.to_string()))?;
        let name = self.model().brings.get(bring.i()).map_or("", |b| b.name.as_str());
        if !given.bring.is_empty() && list::bring_named(self.model(), &given.bring) != Ok(bring) {
            return Err(fault(&list.name, format!("this is `{name}`, and `{}` is asked for", given.bring)));
        }
        Ok(list.lines)
    }

    /// Two lists of one seat must not be taken by the same things.
    fn apart(&self, begun: &[StartingList], next: &StartingList) -> Result<(), String> {
        let model = self.model();
        let field = |id: BringId| model.brings.get(id.i()).map(|b| b.field);
        let other = begun.iter().find(|l| l.seat == next.seat && field(l.bring) == field(next.bring));
        let name = |id: BringId| model.brings.get(id.i()).map_or("?", |b| b.name.as_str());
        let seat = unique_name(model, PLAYER, next.seat);
        match other {
            None => Ok(()),
            Some(other) if other.bring == next.bring => Err(format!("{seat} has two lists `{}`", name(next.bring))),
            Some(other) => {
                let (a, b) = (name(other.bring), name(next.bring));
                Err(format!("`{a}` and `{b}` of {seat} would be taken by the same things: give one of them"))
            }
        }
    }
}

/// The list as a record says it.
fn said(model: &Model, list: &StartingList) -> SeatList {
    let text = list::text(model, list.bring, &list.things);
    SeatList {
        bring: model.brings.get(list.bring.i()).map_or_else(String::new, |b| b.name.clone()),
        seat: unique_name(model, PLAYER, list.seat),
        lines: Some(vec![Piece { text, line: 1, column: 1 }]),
        ..SeatList::default()
    }
}

/// Mistakes with their places: those of a file are named with it.
fn placed(given: &SeatList, faults: &[FactFault]) -> String {
    let words = |f: &FactFault| match given.file.as_str() {
        "" => f.message.clone(),
        file => format!("{file}:{f}"),
    };
    let said: Vec<String> = faults.iter().map(words).collect();
    match given.file.as_str() {
        "" => format!("the list of {}: {}", given.seat, said.join(", ")),
        _ => said.join("\n"),
    }
}

fn no_seat(model: &Model, name: &str) -> String {
    let seats = model.kinds.get(PLAYER.i()).map_or(&[][..], |k| &k.members);
    let known: Vec<&str> = seats.iter().map(|s| s.name.text.as_str()).collect();
    let near = hint(&nearest(name, known.iter().copied(), 2));
    format!("no seat is called `{name}` (there is {}){near}", known.join(", "))
}
