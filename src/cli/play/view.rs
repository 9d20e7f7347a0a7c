//! What a seat sees, in words: the map, the piles, and the choices of others.

use std::fmt::Write as _;

use lawspeaker::game::{Choice, Events, Position, SeenOption, SeenPile, Told, View};
use lawspeaker::lexicon::{Lexicon, fill};
use lawspeaker::map::{self, Near};
use lawspeaker::model::{VarId, VarOwner};
use lawspeaker::rulings;
use lawspeaker::spelling::fold;

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

    /// The map with everything this seat sees on it, of a large one the part around some cells; empty if the game has
    /// none.
    pub fn map(&self, position: &Position, near: &Near) -> String {
        let marks = match self.seat {
            Some(seat) => self.session.rules.explainer().marks(position, seat),
            None => self.session.rules.explainer().marks_of_any(position),
        };
        map::board_near(self.session.model(), &self.view(position), &marks, near, &self.session.lang)
    }

    /// The cells that matter to whoever has these options: where the seat stands, and those that are named.
    pub fn near(&self, position: &Position, options: &[SeenOption]) -> Vec<u16> {
        // What a seat may not know is not looked at.
        let open = options.iter().filter(|o| !o.veiled).filter_map(|o| o.choices.first().copied());
        map::near(self.session.model(), &self.view(position), &open.collect::<Vec<Choice>>())
    }

    /// The cell of the map that is called so.
    pub fn cell(&self, name: &str) -> Option<u16> {
        let lexicon = Lexicon::new(self.session.model(), &self.session.lang);
        let kind = self.session.model().board.as_ref()?.kind;
        let members = self.session.model().kinds.get(kind.i())?.members.len();
        (0..members).filter_map(|i| u16::try_from(i).ok()).find(|i| fold(&lexicon.member(kind, *i)) == fold(name))
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
