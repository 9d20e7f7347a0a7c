//! What a seat sees, in words: the map, the piles, and the moves of others with what is hidden left out.

use std::fmt::Write as _;

use lawspeaker::game::{Choice, Marked, Position, Question, View};
use lawspeaker::map;
use lawspeaker::model::{Base, FieldStore, InstrKind, KindId, Model, SeenWhat, Value};

use crate::cli::desk::Desk;

/// The eyes of a seat.
pub struct Eyes<'a> {
    desk: &'a Desk,
    /// Nobody's eyes see what any seat sees.
    seat: Option<u16>,
}

impl<'a> Eyes<'a> {
    /// Of a seat, or of one who looks over everybody's shoulder.
    pub fn new(desk: &'a Desk, seat: Option<u16>) -> Eyes<'a> {
        Eyes { desk, seat }
    }

    fn view(&self, position: &Position) -> View {
        let of = |seat| self.desk.rules.view_in(position, seat, &self.desk.lang);
        match self.seat {
            Some(seat) => of(seat),
            None => {
                let others = (1..self.desk.seats()).filter_map(|s| u16::try_from(s).ok());
                others.map(of).fold(of(0), joined)
            }
        }
    }

    /// The map with everything this seat sees on it; empty if the game has none.
    pub fn map(&self, position: &Position) -> String {
        map::board(self.desk.model(), &self.view(position), &self.marks(position), &self.desk.lang)
    }

    fn marks(&self, position: &Position) -> Vec<Marked> {
        let of = |seat| self.desk.rules.marks(position, seat);
        match self.seat {
            Some(seat) => of(seat),
            None => {
                let others = (1..self.desk.seats()).filter_map(|s| u16::try_from(s).ok());
                others.map(of).fold(of(0), either)
            }
        }
    }

    /// The piles, and the variables of the game that are something: what is seen of those that the board tells, or of all.
    pub fn piles(&self, position: &Position, all: bool) -> String {
        let model = self.desk.model();
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

    /// A move as this seat comes to know of it.
    pub fn told(&self, question: Option<&Question>, before: &Position, after: &Position, choice: Choice) -> String {
        let own = question.is_some_and(|q| Some(q.seat) == self.seat);
        let said = self.desk.say(before, choice);
        if own || self.seat.is_none() {
            return said;
        }
        if question.is_some_and(|q| secret(self.desk.model(), q)) {
            return String::from("(a secret choice)");
        }
        self.redact(said, &self.view(before), &self.view(after))
    }

    /// A secret choice, after it has come to light: `now` is the position now.
    pub fn uncovered(&self, before: &Position, now: &Position, choice: Choice) -> String {
        self.redact(self.desk.say(before, choice), &self.view(before), &self.view(now))
    }

    /// The text without the names of what this seat sees neither before nor after.
    fn redact(&self, mut text: String, before: &View, after: &View) -> String {
        let model = self.desk.model();
        let mut hidden: Vec<(&str, String)> = Vec::new();
        for (k, kind) in model.kinds.iter().enumerate() {
            let id = KindId(k as u16);
            let (covert, drawn) = (has_seen(model, id), in_piles(model, id));
            if !covert && !drawn {
                continue;
            }
            for (m, member) in kind.members.iter().enumerate() {
                let name = member.name.get(&self.desk.lang);
                let known = |v: &View| knows(v, &kind.name, &member.id);
                let shown = |v: &View| shows(v, name);
                let covered = covert && !known(before) && !known(after);
                if covered || (drawn && !shown(before) && !shown(after)) {
                    hidden.push((name, self.stand_in(id, m)));
                }
            }
        }
        hidden.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        for (name, stand_in) in hidden.iter().filter(|(name, _)| !name.is_empty()) {
            text = text.replace(name, stand_in);
        }
        text
    }

    /// What is said of a thing whose owner is all that is known: `Dark ?`.
    fn stand_in(&self, kind: KindId, member: usize) -> String {
        let kind = self.desk.model().kinds.get(kind.i());
        let owner = kind.and_then(|k| k.fields.get(k.owner?)).map(|f| &f.store);
        let seat = match owner {
            Some(FieldStore::Printed(values)) => values.get(member).and_then(Value::int),
            _ => None,
        };
        match seat.and_then(|s| u16::try_from(s).ok()) {
            Some(seat) => format!("{} ?", self.desk.seat_name(Some(seat))),
            None => String::from("?"),
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

/// Whether a seat knows which member of its kind a thing is.
fn knows(view: &View, kind: &str, id: &str) -> bool {
    let kind = view.kinds.iter().find(|k| k.name == kind);
    kind.is_some_and(|k| k.known.iter().any(|m| m.id == id))
}

/// Whether a name is to be seen in some pile, variable or field.
fn shows(view: &View, name: &str) -> bool {
    let among = |text: &String| text.split(", ").any(|part| part == name);
    view.piles.iter().any(|p| p.members.iter().flatten().any(|m| m == name))
        || view.variables.iter().any(|v| among(&v.value))
        || view.kinds.iter().any(|k| k.known.iter().any(|m| m.fields.iter().any(|(_, v)| among(v))))
}

/// Whether some rule hides which member of the kind a thing is.
fn has_seen(model: &Model, kind: KindId) -> bool {
    model.seen.iter().any(|s| s.what == SeenWhat::Member(kind))
}

/// Whether members of the kind can lie in a pile that some rule hides.
fn in_piles(model: &Model, kind: KindId) -> bool {
    model.seen.iter().any(|s| match s.what {
        SeenWhat::Member(_) => false,
        SeenWhat::Var(v) => model.vars.get(v.i()).is_some_and(|v| match &v.ty.base {
            Base::List(k) => *k == kind,
            Base::Set(of) | Base::Bag(of) => **of == Base::Member(kind),
            _ => false,
        }),
    })
}

/// Whether others must not know yet what is chosen.
pub fn secret(model: &Model, question: &Question) -> bool {
    let (code, pc) = question.at;
    let instr = model.codes.get(code.i()).and_then(|c| c.instrs.get(pc as usize));
    matches!(instr.map(|i| &i.kind), Some(InstrKind::Choose(c)) if c.secret)
}

/// Whether there is anything that a seat might not see.
pub fn has_secrets(model: &Model) -> bool {
    !model.seen.is_empty() || !model.secrets.is_empty()
}
