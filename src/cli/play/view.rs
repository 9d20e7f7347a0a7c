//! What a seat sees, in words: the map, the piles, and the choices of others.

use std::fmt::Write as _;

use lawspeaker::game::{Choice, Marked, Position, Told, View};
use lawspeaker::map;
use lawspeaker::model::Model;

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
        let of = |seat| self.session.rules.explainer().view_in(position, seat, &self.session.lang);
        match self.seat {
            Some(seat) => of(seat),
            None => {
                let others = (1..self.session.rules.seats()).filter_map(|s| u16::try_from(s).ok());
                others.map(of).fold(of(0), joined)
            }
        }
    }

    /// The map with everything this seat sees on it; empty if the game has none.
    pub fn map(&self, position: &Position) -> String {
        map::board(self.session.model(), &self.view(position), &self.marks(position), &self.session.lang)
    }

    fn marks(&self, position: &Position) -> Vec<Marked> {
        let of = |seat| self.session.rules.explainer().marks(position, seat);
        match self.seat {
            Some(seat) => of(seat),
            None => {
                let others = (1..self.session.rules.seats()).filter_map(|s| u16::try_from(s).ok());
                others.map(of).fold(of(0), either)
            }
        }
    }

    /// The piles, and the variables of the game that are something: what is seen of those that the board tells, or of all.
    pub fn piles(&self, position: &Position, all: bool) -> String {
        let model = self.session.model();
        let tells = model.board.as_ref().and_then(|b| b.tells.as_ref()).filter(|_| !all);
        let named =
            |name: &str| tells.is_none_or(|t| t.iter().any(|v| model.vars.get(v.i()).is_some_and(|v| v.name == name)));
        let view = self.view(position);
        let mut out = String::new();
        let mut empty = Vec::new();
        for pile in view.piles.iter().filter(|p| named(&p.name)) {
            let title = titled(&pile.name, pile.index.as_ref());
            if pile.size == 0 {
                empty.push(title);
                continue;
            }
            let _ = match &pile.members {
                Some(members) => writeln!(out, "{title} ({}): {}", pile.size, members.join(", ")),
                None => writeln!(out, "{title}: {} unseen", pile.size),
            };
        }
        // Where the board tells some, what is not told is empty.
        if !empty.is_empty() && tells.is_none() {
            let _ = writeln!(out, "empty: {}", empty.join(", "));
        }
        let mut column = 0;
        // What procedures keep for themselves has a dot in its name.
        let idle = |value: &str| matches!(value, "none" | "nothing" | "no" | "false" | "empty" | "{}" | "");
        for variable in view.variables.iter().filter(|v| !v.name.contains('.') && named(&v.name) && !idle(&v.value)) {
            let text = format!("{}: {}", titled(&variable.name, variable.index.as_ref()), variable.value);
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

    /// A choice as this seat comes to know of it.
    pub fn told(&self, before: &Position, after: &Position, choice: Choice) -> Told {
        self.session.rules.explainer().told(self.seat, (before, after), choice, &self.session.lang)
    }

    /// A secret choice when play has come to `now`.
    pub fn told_later(&self, before: &Position, now: &Position, choice: Choice) -> Told {
        match self.seat {
            Some(seat) => self.session.rules.explainer().told_later(seat, (before, now), choice, &self.session.lang),
            None => self.told(before, now, choice),
        }
    }
}

/// Two views laid together: what either sees.
fn joined(mut one: View, other: View) -> View {
    for pile in &mut one.piles {
        let same = other.piles.iter().find(|p| p.name == pile.name && p.index == pile.index);
        if pile.members.is_none() {
            pile.members = same.and_then(|p| p.members.clone());
        }
    }
    for variable in other.variables {
        let known = one.variables.iter().any(|v| v.name == variable.name && v.index == variable.index);
        if !known {
            one.variables.push(variable);
        }
    }
    for kind in other.kinds {
        let Some(same) = one.kinds.iter_mut().find(|k| k.name == kind.name) else {
            one.kinds.push(kind);
            continue;
        };
        let total = same.known.len() + same.unknown.len();
        for member in kind.known {
            if !same.known.iter().any(|m| m.id == member.id) {
                same.known.push(member);
            }
        }
        if same.known.len() >= total {
            same.unknown.clear();
        } else if kind.unknown.len() < same.unknown.len() {
            same.unknown = kind.unknown;
        }
    }
    one
}

/// The marks that one seat sees with those that another does.
fn either(mut ones: Vec<Marked>, others: Vec<Marked>) -> Vec<Marked> {
    for (one, other) in ones.iter_mut().zip(others) {
        one.cells.extend(other.cells);
        one.sides.extend(other.sides);
        one.cells.sort_unstable();
        one.cells.dedup();
        one.sides.sort_unstable();
        one.sides.dedup();
    }
    ones
}

fn titled(name: &str, index: Option<&String>) -> String {
    match index {
        Some(index) => format!("{name} of {index}"),
        None => name.to_owned(),
    }
}

/// Whether there is anything that a seat might not see.
pub fn has_secrets(model: &Model) -> bool {
    !model.seen.is_empty() || !model.secrets.is_empty()
}
