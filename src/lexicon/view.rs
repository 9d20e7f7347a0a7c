//! What a seat sees in words.

use super::{Lexicon, fill};
use crate::game::{SeenMember, SeenPile, SeenValue, SeenVariable, View};
use crate::model::{Base, CalledPart, Field, FieldStore, KindId, Shows, VarId, VarOwner};

impl Lexicon<'_> {
    /// A variable, or the entry of an indexed one: `hand of Ann`.
    #[must_use]
    pub fn entry(&self, var: VarId, index: Option<SeenMember>) -> String {
        match index {
            Some(index) => fill(self.words.of, &[self.var(var), &self.seen_member(index)]),
            None => self.var(var).to_owned(),
        }
    }

    /// The field that a variable is.
    #[must_use]
    pub fn field_of(&self, var: VarId) -> Option<(KindId, usize)> {
        let VarOwner::Field(kind) = self.model.vars.get(var.i())?.owner else { return None };
        let fields = &self.model.kinds.get(kind.i())?.fields;
        let own = |field: &Field| matches!(field.store, FieldStore::Var(v) if v == var);
        fields.iter().position(own).map(|field| (kind, field))
    }

    /// A field: what the board calls it, else what its kind does, else its name in the rules.
    #[must_use]
    pub fn field(&self, kind: KindId, field: usize) -> &str {
        let told = self.model.board.as_ref().and_then(|board| board.told(self.model, kind, field));
        let on_board = told.and_then(|shown| shown.label.as_ref()).map_or("", |label| label.get(self.lang));
        let declared = self.model.kinds.get(kind.i()).and_then(|k| k.fields.get(field));
        let own = declared.map_or("", |field| field.label.get(self.lang));
        let name = declared.map_or("?", |field| &field.name);
        [on_board, own].into_iter().find(|label| !label.is_empty()).unwrap_or(name)
    }

    /// Whether a variable is for the rules alone: it has no name for people, and no board shows it.
    #[must_use]
    pub fn is_internal(&self, var: VarId) -> bool {
        let Some(v) = self.model.vars.get(var.i()) else { return true };
        let Some(board) = &self.model.board else { return v.owner == VarOwner::Game && v.label.text.is_empty() };
        match (v.owner, self.field_of(var)) {
            (VarOwner::Field(kind), Some((_, field))) => {
                let of = |shows: &Shows| shows.at == field || shows.with.is_none() && v.ty.base == Base::Bool;
                let piece = board.shown(kind).is_some_and(of);
                let place = kind == board.kind && board.with.is_none();
                !(piece || place || board.told(self.model, kind, field).is_some())
            }
            (VarOwner::Pile, _) => v.label.text.is_empty() && board.tells.as_ref().is_some_and(|t| !t.contains(&var)),
            _ => v.label.text.is_empty(),
        }
    }

    /// The name of a variable as people read it.
    #[must_use]
    pub fn titled(&self, var: VarId, index: Option<SeenMember>) -> String {
        let unnamed = self.model.vars.get(var.i()).is_some_and(|v| v.label.text.is_empty());
        let entry = self.entry(var, index);
        if unnamed { entry.replace('_', " ") } else { entry }
    }

    /// A pile with what is seen of it: `hand of Ann (3): 2 Sword, Bow`, `hand of Bob: 3 unseen`.
    #[must_use]
    pub fn pile(&self, view: &View, pile: &SeenPile) -> String {
        let (title, size) = (self.titled(pile.var, pile.index), pile.size.to_string());
        let unseen = || fill(self.words.play.pile_unseen, &[&title, &size]);
        let Some(members) = &pile.members else {
            return unseen();
        };
        // Several of which nothing is known but whose they are: that there are so many is all there is to say.
        let unknown = |value: &SeenValue| matches!(value, SeenValue::Member(SeenMember::Unknown(..)));
        if members.len() > 1 && members.iter().all(unknown) && members.windows(2).all(|two| two.first() == two.last()) {
            return unseen();
        }
        let ordered = self.model.vars.get(pile.var.i()).is_some_and(|v| matches!(v.ty.base, Base::List(_)));
        let mut counted: Vec<(String, usize)> = Vec::new();
        for member in members {
            let name = self.seen_in(view, member);
            let place = match ordered {
                true => counted.last_mut().filter(|(last, _)| *last == name),
                false => counted.iter_mut().find(|(known, _)| *known == name),
            };
            match place.filter(|_| self.is_called(member)) {
                Some((_, n)) => *n += 1,
                None => counted.push((name, 1)),
            }
        }
        let said = counted.into_iter().map(|(name, n)| match n {
            1 => name,
            n => fill(self.words.counted, &[&n.to_string(), &name]),
        });
        fill(self.words.play.pile, &[&title, &size, &said.collect::<Vec<_>>().join(", ")])
    }

    fn is_called(&self, value: &SeenValue) -> bool {
        let SeenValue::Member(SeenMember::Known(kind, _)) = value else {
            return false;
        };
        self.model.kinds.get(kind.i()).is_some_and(|k| k.called.is_some())
    }

    /// A value in a view: a member by what it is called there.
    fn seen_in(&self, view: &View, value: &SeenValue) -> String {
        match value {
            SeenValue::Member(member @ SeenMember::Known(..)) => self.called_in(view, *member),
            value => self.value(value),
        }
    }

    /// What a member that is known is called in a view: as one of its kind where the view does not have the fields that
    /// say it, by its own name where one of them is nothing.
    fn called_in(&self, view: &View, member: SeenMember) -> String {
        let SeenMember::Known(kind, m) = member else {
            return self.seen_member(member);
        };
        let Some(declared) = self.model.kinds.get(kind.i()) else {
            return self.seen_member(member);
        };
        let parts = declared.called.as_ref().map_or(&[][..], |c| c.get(self.lang));
        let mut out = String::new();
        for part in parts {
            let field = match part {
                CalledPart::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                CalledPart::Field(field) => *field,
            };
            let value = match declared.fields.get(field).map(|f| (&f.ty.base, &f.store)) {
                Some((base, FieldStore::Printed(values))) => {
                    values.get(usize::from(m)).map(|value| SeenValue::known(base, value))
                }
                _ => {
                    let fields = view.kind(kind).and_then(|k| k.member(m)).map_or(&[][..], |known| &known.fields);
                    fields.iter().find(|seen| seen.field == field).map(|seen| seen.value.clone())
                }
            };
            match value {
                Some(SeenValue::Nothing) => return self.seen_member(member),
                Some(value) => out.push_str(&self.value(&value)),
                None => {
                    let owner = self.model.owner_of(kind, i32::from(m)).and_then(|seat| u16::try_from(seat).ok());
                    return self.seen_member(SeenMember::Unknown(kind, owner));
                }
            }
        }
        if out.trim().is_empty() { self.seen_member(member) } else { out }
    }

    /// A variable with its value: `leader: Frodo`.
    #[must_use]
    pub fn variable(&self, view: &View, variable: &SeenVariable) -> String {
        let value = self.seen_in(view, &variable.value);
        fill(self.words.play.variable, &[&self.titled(variable.var, variable.index), &value])
    }
}
