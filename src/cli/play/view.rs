//! What a seat sees, in words: the map, the piles, and the choices of others.

use std::fmt::Write as _;

use lawspeaker::game::{Choice, Events, Position, SeenPile, Told, View, named_of};
use lawspeaker::lexicon::{Lexicon, fill};
use lawspeaker::map::{self, Frame};
use lawspeaker::model::{VarId, VarOwner};
use lawspeaker::rulings;

use crate::cli::session::Session;

/// The eyes of a seat.
pub struct Viewer<'a> {
    session: &'a Session,
    /// Nobody's eyes see what any seat sees.
    seat: Option<u16>,
}

impl<'a> Viewer<'a> {
    /// Of a seat, or of one who looks over everybody's shoulder.
    pub fn new(session: &'a Session, seat: Option<u16>) -> Viewer<'a> {
        Viewer { session, seat }
    }

    fn view(&self, position: &Position) -> View {
        match self.seat {
            Some(seat) => self.session.rules.view(position, seat),
            None => self.session.rules.explainer().view_of_any(position),
        }
    }

    /// The map with everything this seat sees on it; empty if the game has none.
    pub fn map(&self, position: &Position) -> String {
        let marks = match self.seat {
            Some(seat) => self.session.rules.explainer().marks(position, seat),
            None => self.session.rules.explainer().marks_of_any(position),
        };
        map::board(self.session.model(), &self.view(position), &marks, &self.session.lang)
    }

    /// The map as far as there is room for it, around the places that some options name.
    pub fn part_of_map(&self, position: &Position, options: &[Choice], (columns, lines): (usize, usize)) -> String {
        let Some(seat) = self.seat else { return self.map(position) };
        let model = self.session.model();
        let Some(board) = &model.board else { return String::new() };
        let around = named_of(model, position, options, board.kind);
        let marks = self.session.rules.explainer().marks(position, seat);
        let frame = Frame { columns, lines, around };
        map::part(model, &self.view(position), &marks, &self.session.lang, &frame)
    }

    /// The piles, and the variables of the game that are something: what is seen of those that the board tells, or of
    /// all.
    pub fn piles(&self, position: &Position, all: bool) -> String {
        let model = self.session.model();
        let lexicon = Lexicon::new(model, &self.session.lang);
        let tells = model.board.as_ref().and_then(|b| b.tells.as_ref()).filter(|_| !all);
        let told = |var: VarId| tells.is_none_or(|t| t.contains(&var));
        let view = self.view(position);
        let mut out = String::new();
        let (full, empty): (Vec<&SeenPile>, Vec<&SeenPile>) =
            view.piles.iter().filter(|p| told(p.var)).partition(|p| p.size > 0);
        for pile in full {
            let _ = writeln!(out, "{}", lexicon.pile(&view, pile));
        }
        // Where the board tells some, what is not told is empty.
        if !empty.is_empty() && tells.is_none() {
            let titles: Vec<String> = empty.iter().map(|p| lexicon.entry(p.var, p.index)).collect();
            let _ = writeln!(out, "{}", fill(lexicon.words.play.empty, &[&titles.join(lexicon.words.comma)]));
        }
        let own = |var: VarId| model.vars.get(var.i()).is_some_and(|v| v.owner == VarOwner::Game);
        let variables = view.variables.iter().filter(|v| own(v.var) && told(v.var) && !v.value.is_idle());
        out += &columns(variables.map(|v| lexicon.variable(&view, v)));
        out
    }

    /// A choice as this seat comes to know of it.
    pub fn told(&self, before: &Position, after: &Position, choice: Choice) -> Told {
        self.session.rules.explainer().told(self.seat, (before, after), choice, &self.session.lang)
    }

    /// What a choice led to, as this seat saw it, in short: not what `said` says already. Nobody in particular is told
    /// where something is hidden.
    pub fn outcome(&self, before: &Position, choice: Choice, said: &str) -> Vec<String> {
        let events = self.events_of(before, choice);
        events.map_or_else(Vec::new, |e| rulings::events_brief(self.session.model(), &e, said, &self.session.lang))
    }

    /// The same with all conditions and values.
    pub fn events(&self, before: &Position, choice: Choice) -> Vec<String> {
        let events = self.events_of(before, choice);
        events.map_or_else(Vec::new, |e| rulings::events_text(self.session.model(), &e, &self.session.lang))
    }

    fn events_of(&self, before: &Position, choice: Choice) -> Option<Events> {
        if self.seat.is_none() && self.session.model().hides() {
            return None;
        }
        self.session.rules.explainer().apply_told(&mut before.clone(), choice, self.seat).ok()
    }

    /// The choices of which this seat is not told yet, of a game that has come to `now`.
    pub fn not_told(&self, choices: &[(&Position, Choice)], now: &Position) -> Vec<usize> {
        let explainer = self.session.rules.explainer();
        self.seat.map_or_else(Vec::new, |seat| explainer.not_told(seat, choices, now))
    }

    /// A secret choice when play has come to `now`.
    pub fn told_later(&self, before: &Position, now: &Position, choice: Choice) -> Told {
        match self.seat {
            Some(seat) => self.session.rules.explainer().told_later(seat, (before, now), choice, &self.session.lang),
            None => self.told(before, now, choice),
        }
    }
}

/// Texts side by side, as many in a line as there is room for.
pub(super) fn columns(texts: impl Iterator<Item = String>) -> String {
    let (mut out, mut column) = (String::new(), 0);
    for text in texts {
        let width = map::columns(&text);
        let gap = match column {
            0 => "",
            n if n + 3 + width > map::WIDTH => "\n",
            _ => "   ",
        };
        column = if gap == "   " { column + 3 + width } else { width };
        let _ = write!(out, "{gap}{text}");
    }
    if column > 0 {
        out.push('\n');
    }
    out
}
