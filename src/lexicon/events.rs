//! What a choice leads to, in words.

use super::{Lexicon, fill};
use crate::game::{Event, EventKind, SeenMember, SeenValue, Sum, Term, TermSubject};
use crate::model::{FieldStore, VarId, VarOwner};

impl Lexicon<'_> {
    /// What happened: `Merry leaves the board at Mirkwood`, `hand of Dark: without Dark 6`.
    #[must_use]
    pub fn happened(&self, event: &Event) -> String {
        let words = &self.words.events;
        match &event.kind {
            EventKind::Became { var, index: Some(piece), before, after, .. } if self.is_place(*var) => {
                self.moved(*piece, before.as_ref(), after)
            }
            EventKind::Became { var, index, before, after, .. } => {
                fill(words.became, &[&self.changed(*var, *index), &self.change(before.as_ref(), after)])
            }
            EventKind::Void => match &event.by {
                Some(by) => fill(words.void, &[&self.held(&self.cited(by.clause), by), &self.fate(&by.fate)]),
                None => String::new(),
            },
            EventKind::NothingLegal { seat, .. } => fill(words.nothing_legal, &[&self.seat(*seat)]),
            EventKind::Over { winners, .. } => {
                let winners: Vec<String> = winners.iter().map(|seat| self.seat(*seat)).collect();
                match winners.as_slice() {
                    [] => self.words.play.draw.to_owned(),
                    [winner] => fill(self.words.play.wins, &[winner]),
                    all => fill(self.words.play.win, &[&all.join(self.words.comma)]),
                }
            }
        }
    }

    /// Whether a variable says where the pieces on the board are.
    fn is_place(&self, var: VarId) -> bool {
        self.model.board.iter().flat_map(|b| &b.shows).any(|shows| {
            let field = self.model.kinds.get(shows.kind.i()).and_then(|k| k.fields.get(shows.at));
            field.is_some_and(|f| matches!(f.store, FieldStore::Var(v) if v == var))
        })
    }

    /// `Merry from Hollin to Mirkwood`.
    fn moved(&self, piece: SeenMember, before: Option<&SeenValue>, after: &SeenValue) -> String {
        let words = &self.words.events;
        let piece = self.seen_member(piece);
        match (before.filter(|b| **b != SeenValue::Nothing), after) {
            (None, SeenValue::Nothing) => fill(words.gone, &[&piece]),
            (Some(from), SeenValue::Nothing) => fill(words.gone_from, &[&piece, &self.value(from)]),
            (None, to) => fill(words.to, &[&piece, &self.value(to)]),
            (Some(from), to) => fill(words.from_to, &[&piece, &self.value(from), &self.value(to)]),
        }
    }

    /// What says so: the clause, or the procedure and its step, with citations.
    #[must_use]
    pub fn origin(&self, event: &Event) -> String {
        if let Some(by) = &event.by {
            return self.held(&self.cited(by.clause), by);
        }
        let (place, cites) = (self.step_name(event), self.origin_cites(event));
        if cites.is_empty() { place } else { format!("{place} [{}]", cites.join(", ")) }
    }

    /// The citations of what says so.
    #[must_use]
    pub fn origin_cites(&self, event: &Event) -> &[String] {
        if let Some(clause) = event.by.as_ref().and_then(|by| self.model.clause(by.clause)) {
            return &clause.cites;
        }
        let Some(code) = self.model.codes.get(event.code.i()) else { return &[] };
        event.step.and_then(|s| code.steps.get(s)).map_or(&code.cites, |step| &step.cites)
    }

    /// `battle.compare`.
    fn step_name(&self, event: &Event) -> String {
        let Some(code) = self.model.codes.get(event.code.i()) else { return String::from("?") };
        match event.step.and_then(|s| code.steps.get(s)) {
            Some(step) => format!("{}.{}", code.name, step.name),
            None => code.name.clone(),
        }
    }

    /// A variable as facts name it: `Merry at`, `hand of Dark`, `fallen`.
    fn changed(&self, var: VarId, index: Option<SeenMember>) -> String {
        let Some(v) = self.model.vars.get(var.i()) else { return String::from("?") };
        let own = v.name.rsplit('.').next().unwrap_or(&v.name);
        let own = self.field_of(var).map_or(own, |(kind, field)| self.field(kind, field));
        match (v.owner, index) {
            (VarOwner::Field(_), Some(member)) => format!("{} {own}", self.seen_member(member)),
            (VarOwner::Code(_), _) => own.to_owned(),
            _ => self.entry(var, index),
        }
    }

    /// A new value; of what holds several, what came and what went.
    fn change(&self, before: Option<&SeenValue>, after: &SeenValue) -> String {
        let words = &self.words.events;
        if let (Some(was), Some(is)) = (before.and_then(items), items(after)) {
            let (came, went) = (without(is, was), without(was, is));
            let listed = |phrase: &str, all: &[SeenValue]| {
                let alike = all.chunk_by(|a, b| a == b).filter_map(|all| Some((all.first()?.clone(), all.len())));
                let alike: Vec<(SeenValue, usize)> = alike.collect();
                (!all.is_empty()).then(|| fill(phrase, &[&self.counted(&alike).join(self.words.comma)]))
            };
            let said: Vec<String> =
                [listed(words.with, &came), listed(words.without, &went)].into_iter().flatten().collect();
            // Only the order changed.
            if said.is_empty() { self.value(after) } else { said.join(self.words.comma) }
        } else {
            match before {
                // A truth was the other one.
                Some(SeenValue::Truth(_)) => self.value(after),
                Some(before) => fill(words.was, &[&self.value(after), &self.value(before)]),
                None => self.value(after),
            }
        }
    }

    /// The values that a change brings: a new value, or those that came and went.
    #[must_use]
    pub fn changed_to(&self, before: Option<&SeenValue>, after: &SeenValue) -> Vec<String> {
        match (before.and_then(items), items(after)) {
            (Some(was), Some(is)) => self.values(&[without(is, was), without(was, is)].concat()),
            _ => vec![self.value(after)],
        }
    }

    /// A sum with its value: `force(Dark) is 8: strength(Warg) 2 + worth(Dark 6) 6`.
    #[must_use]
    pub fn sum(&self, sum: &Sum) -> String {
        let says = fill(self.words.is, &[&self.applied(&sum.what), &self.value(&sum.value)]);
        fill(self.words.events.became, &[&says, &self.terms(sum)])
    }

    /// The same in a sentence about what follows from it: `force(Dark) 8 = strength(Warg) 2 + worth(Dark 6) 6`.
    #[must_use]
    pub fn total(&self, sum: &Sum) -> String {
        let what = self.applied(&sum.what).replace('_', " ");
        fill(self.words.events.total, &[&what, &self.value(&sum.value), &self.terms(sum)])
    }

    /// The parts of a sum: `strength(Warg) 2 + worth(Dark 6) 6`.
    #[must_use]
    pub fn terms(&self, sum: &Sum) -> String {
        let mut out = String::new();
        for (i, term) in sum.terms.iter().enumerate() {
            match (i, term.minus) {
                (0, false) => {}
                (0, true) => out.push('-'),
                (_, false) => out.push_str(" + "),
                (_, true) => out.push_str(" - "),
            }
            out.push_str(&self.term(term));
        }
        out
    }

    fn term(&self, term: &Term) -> String {
        let value = self.value(&term.value);
        let what = match &term.what {
            TermSubject::Applied(applied) => self.applied(applied).replace('_', " "),
            TermSubject::Written(span) => self.model.sources.line(*span),
        };
        if what == value { value } else { format!("{what} {value}") }
    }
}

fn items(value: &SeenValue) -> Option<&[SeenValue]> {
    match value {
        SeenValue::Set(items) | SeenValue::List(items) => Some(items),
        _ => None,
    }
}

/// What is in one list and not in another, copy by copy.
fn without(list: &[SeenValue], other: &[SeenValue]) -> Vec<SeenValue> {
    let mut other = other.to_vec();
    let mut left = Vec::new();
    for item in list {
        match other.iter().position(|o| o == item) {
            Some(at) => drop(other.swap_remove(at)),
            None => left.push(item.clone()),
        }
    }
    left
}
