//! What a seat sees, in words: the map, the piles, and the moves of others with what is hidden left out.

use lawspeaker::game::{Choice, Evaluator as _, Position, Question};
use lawspeaker::map::{self, Cell};
use lawspeaker::model::{
    Base, Board, Field, FieldStore, InstrKind, KindId, Model, SeenWhat, Ty, Value, VarId, VarOwner,
};
use lawspeaker::rulings::{Referee as _, Sight};

use crate::cli::desk::Desk;

/// The eyes of a seat.
pub struct Eyes<'a> {
    desk: &'a Desk,
    /// Nobody's eyes see everything.
    seat: Option<u16>,
}

impl<'a> Eyes<'a> {
    /// Of a seat, or of one who sees everything.
    pub fn new(desk: &'a Desk, seat: Option<u16>) -> Eyes<'a> {
        Eyes { desk, seat }
    }

    fn model(&self) -> &'a Model {
        self.desk.model()
    }

    fn sees(&self, position: &Position, what: Sight) -> bool {
        let Some(seat) = self.seat else {
            return true;
        };
        self.desk.rules.sees(position, seat, what).unwrap_or(false)
    }

    /// The map with everything this seat sees on it; empty if the game has none.
    pub fn map(&self, position: &Position) -> String {
        let Some(board) = &self.model().board else {
            return String::new();
        };
        map::draw(&self.cells(position, board), map::WIDTH)
    }

    fn cells(&self, position: &Position, board: &Board) -> Vec<Cell> {
        let Some(kind) = self.model().kinds.get(board.kind.i()) else {
            return Vec::new();
        };
        let cell = |(i, member): (usize, &lawspeaker::model::Member)| Cell {
            row: printed(kind.fields.get(board.row), i),
            column: printed(kind.fields.get(board.column), i),
            name: member.name.get(&self.desk.lang).to_owned(),
            lines: self.on_it(position, board, i),
        };
        kind.members.iter().enumerate().map(cell).collect()
    }

    /// What there is to see at a place: its own fields that change, and the pieces.
    fn on_it(&self, position: &Position, board: &Board, place: usize) -> Vec<String> {
        let mut lines = self.fields(position, board.kind, place);
        let Some((kind, field)) = board.shows else {
            return lines;
        };
        let pieces = self.model().kinds.get(kind.i());
        let Some((pieces, FieldStore::Var(var))) =
            pieces.and_then(|k| Some((k, &k.fields.get(field)?.store)))
        else {
            return lines;
        };
        let mut names: Vec<(String, usize)> = Vec::new();
        for i in 0..pieces.members.len() {
            let there = self.desk.rules.read(position, *var, i);
            if there.int() != i32::try_from(place).ok() || !self.sees_var(position, *var, i) {
                continue;
            }
            let name = self.name(position, kind, i);
            match names.iter_mut().find(|(n, _)| *n == name) {
                Some((_, count)) => *count += 1,
                None => names.push((name, 1)),
            }
        }
        let shown = names.into_iter().map(|(name, count)| match count {
            1 => name,
            n => format!("{name} x{n}"),
        });
        lines.extend(shown);
        lines
    }

    fn fields(&self, position: &Position, kind: KindId, member: usize) -> Vec<String> {
        let fields = self
            .model()
            .kinds
            .get(kind.i())
            .map_or(&[][..], |k| &k.fields);
        let shown = fields.iter().filter_map(|field| {
            let FieldStore::Var(var) = field.store else {
                return None;
            };
            let value = self.desk.rules.read(position, var, member);
            let told = value != Value::None && self.sees_var(position, var, member);
            told.then(|| format!("{}: {}", field.name, self.value(&field.ty, &value)))
        });
        shown.collect()
    }

    fn sees_var(&self, position: &Position, var: VarId, index: usize) -> bool {
        self.sees(position, Sight::Var(var, index as u16))
    }

    fn sees_member(&self, position: &Position, kind: KindId, member: usize) -> bool {
        self.sees(position, Sight::Member(kind, member as u16))
    }

    /// What a piece is called by who sees it so: `Frodo`, or `Good ?`.
    fn name(&self, position: &Position, kind: KindId, member: usize) -> String {
        if self.sees_member(position, kind, member) {
            return self.member(kind, member);
        }
        self.unseen(kind, member)
    }

    fn member(&self, kind: KindId, member: usize) -> String {
        let members = self.model().kinds.get(kind.i()).map(|k| &k.members);
        let found = members.and_then(|m| m.get(member));
        found.map_or_else(
            || String::from("?"),
            |m| m.name.get(&self.desk.lang).to_owned(),
        )
    }

    /// A piece whose owner is all that is seen of it.
    fn unseen(&self, kind: KindId, member: usize) -> String {
        let kind = self.model().kinds.get(kind.i());
        let owner = kind.and_then(|k| k.fields.get(k.owner?));
        match owner.map(|f| &f.store) {
            Some(FieldStore::Printed(values)) => {
                let seat = values.get(member).and_then(Value::int);
                let seat = seat.and_then(|s| u16::try_from(s).ok());
                seat.map_or_else(
                    || String::from("?"),
                    |s| format!("{} ?", self.desk.seat_name(Some(s))),
                )
            }
            _ => String::from("?"),
        }
    }

    /// A value in words.
    fn value(&self, ty: &Ty, value: &Value) -> String {
        match (&ty.base, value) {
            (_, Value::None) => String::from("none"),
            (Base::Bool, Value::Int(i)) => String::from(if *i == 0 { "no" } else { "yes" }),
            (Base::Member(kind), Value::Int(i)) => {
                self.member(*kind, usize::try_from(*i).unwrap_or(usize::MAX))
            }
            (_, Value::Int(i)) => i.to_string(),
            (Base::List(kind), Value::List(items)) => {
                let names = items.iter().map(|i| self.member(*kind, *i as usize));
                names.collect::<Vec<_>>().join(", ")
            }
            (Base::Set(of), Value::Set(set)) => {
                let names = set.iter().map(|i| match &**of {
                    Base::Member(kind) => self.member(*kind, i),
                    Base::Range(lo, _) => (i64::from(*lo) + i as i64).to_string(),
                    _ => i.to_string(),
                });
                names.collect::<Vec<_>>().join(", ")
            }
            (_, Value::Text(text)) => text.clone(),
            (_, _) => String::from("?"),
        }
    }

    /// The piles and the variables of the game: what is seen of each.
    pub fn piles(&self, position: &Position) -> String {
        let mut out = String::new();
        for (i, var) in self.model().vars.iter().enumerate() {
            if !matches!(var.owner, VarOwner::Pile | VarOwner::Game) {
                continue;
            }
            for entry in 0..var.place.count as usize {
                if let Some(line) = self.entry(position, VarId(i as u16), entry) {
                    out += &line;
                    out.push('\n');
                }
            }
        }
        out
    }

    fn entry(&self, position: &Position, id: VarId, entry: usize) -> Option<String> {
        let var = self.model().vars.get(id.i())?;
        let label = var.label.get(&self.desk.lang);
        let label = if label.is_empty() { &var.name } else { label };
        let title = match var.index {
            Some(kind) => format!("{label} of {}", self.member(kind, entry)),
            None => label.to_owned(),
        };
        let value = self.desk.rules.read(position, id, entry);
        let size = match &value {
            Value::Set(set) => Some(set.len()),
            Value::List(items) => Some(items.len()),
            _ => None,
        };
        let seen = self.sees_var(position, id, entry);
        match (size, seen) {
            (Some(0), _) => (var.owner == VarOwner::Pile).then(|| format!("{title}: empty")),
            (Some(n), true) => Some(format!("{title} ({n}): {}", self.value(&var.ty, &value))),
            (Some(n), false) => Some(format!("{title}: {n} unseen")),
            (None, true) => Some(format!("{title}: {}", self.value(&var.ty, &value))),
            (None, false) => None,
        }
    }

    /// A move as this seat comes to know of it.
    pub fn told(
        &self,
        question: Option<&Question>,
        before: &Position,
        after: &Position,
        choice: Choice,
    ) -> String {
        let own = question.is_some_and(|q| Some(q.seat) == self.seat);
        let said = self.desk.say(before, choice);
        if own || self.seat.is_none() {
            return said;
        }
        if question.is_some_and(|q| secret(self.model(), q)) {
            return String::from("(a secret choice)");
        }
        self.redact(said, before, after)
    }

    /// The text without the names of what this seat sees neither before nor after.
    fn redact(&self, mut text: String, before: &Position, after: &Position) -> String {
        let mut hidden: Vec<(String, String)> = Vec::new();
        for k in 0..self.model().kinds.len() {
            let kind = KindId(k as u16);
            if !hideable(self.model(), kind) {
                continue;
            }
            for m in 0..self.model().kinds[k].members.len() {
                let seen = |p| self.sees_member(p, kind, m);
                if !(seen(before) || seen(after)) || self.in_unseen_pile(before, after, kind, m) {
                    hidden.push((self.member(kind, m), self.unseen(kind, m)));
                }
            }
        }
        hidden.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        for (name, stand_in) in hidden.iter().filter(|(name, _)| !name.is_empty()) {
            text = text.replace(name, stand_in);
        }
        text
    }

    /// Whether a member is in a pile that this seat does not see, and afterwards in none that it sees.
    fn in_unseen_pile(&self, before: &Position, after: &Position, kind: KindId, m: usize) -> bool {
        let piles = self.model().piles.iter().filter_map(|id| {
            let var = self.model().vars.get(id.i())?;
            let holds = match &var.ty.base {
                Base::List(k) => *k == kind,
                Base::Set(of) => **of == Base::Member(kind),
                _ => false,
            };
            holds.then_some((*id, var.place.count as usize))
        });
        let entries: Vec<(VarId, usize)> = piles
            .flat_map(|(id, count)| (0..count).map(move |i| (id, i)))
            .collect();
        let inside = |p: &Position, seen: bool| {
            entries.iter().any(|(id, i)| {
                self.sees_var(p, *id, *i) == seen
                    && match self.desk.rules.read(p, *id, *i) {
                        Value::Set(set) => set.contains(m),
                        Value::List(items) => items.contains(&(m as u16)),
                        _ => false,
                    }
            })
        };
        (inside(before, false) || inside(after, false)) && !inside(after, true)
    }
}

fn printed(field: Option<&Field>, member: usize) -> i32 {
    match field.map(|f| &f.store) {
        Some(FieldStore::Printed(values)) => values.get(member).and_then(Value::int).unwrap_or(0),
        _ => 0,
    }
}

/// Whether some rule hides members of the kind, or a pile they can be in.
fn hideable(model: &Model, kind: KindId) -> bool {
    model.seen.iter().any(|s| match s.what {
        SeenWhat::Member(k) => k == kind,
        SeenWhat::Var(v) => model.vars.get(v.i()).is_some_and(|v| match &v.ty.base {
            Base::List(k) => *k == kind,
            Base::Set(of) => **of == Base::Member(kind),
            _ => false,
        }),
    })
}

/// Whether others must not know yet what is chosen.
fn secret(model: &Model, question: &Question) -> bool {
    let (code, pc) = question.at;
    let instr = model
        .codes
        .get(code.i())
        .and_then(|c| c.instrs.get(pc as usize));
    matches!(instr.map(|i| &i.kind), Some(InstrKind::Choose(c)) if c.secret)
}

/// Whether there is anything that a seat might not see.
pub fn has_secrets(model: &Model) -> bool {
    !model.seen.is_empty() || !model.secrets.is_empty()
}
