//! What a seat sees in words.

use super::{Lexicon, fill};
use crate::game::{SeenMember, SeenPile, SeenValue, SeenVariable, View};
use crate::model::{Base, CalledPart, FieldStore, VarId};

impl Lexicon<'_> {
    /// A variable, or the entry of an indexed one: `hand of Ann`.
    #[must_use]
    pub fn entry(&self, var: VarId, index: Option<SeenMember>) -> String {
        match index {
            Some(index) => fill(self.words.of, &[self.var(var), &self.seen_member(index)]),
            None => self.var(var).to_owned(),
        }
    }

    /// A pile with what is seen of it: `hand of Ann (3): 2 Sword, Bow`, `hand of Bob: 3 unseen`.
    #[must_use]
    pub fn pile(&self, view: &View, pile: &SeenPile) -> String {
        let (title, size) = (self.entry(pile.var, pile.index), pile.size.to_string());
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
        fill(self.words.play.variable, &[&self.entry(variable.var, variable.index), &value])
    }
}
