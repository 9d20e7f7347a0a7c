//! What can be hidden about a kind: which member a thing is, and where it lies; and who owns it.

use super::{Base, FieldStore, KindId, Model, SeenWhat};

impl Model {
    /// Whether the rules hide anything from anybody.
    #[must_use]
    pub fn hides(&self) -> bool {
        !(self.seen.is_empty() && self.secrets.is_empty())
    }

    /// Whether a rule says when something is seen. Without one it is always seen.
    #[must_use]
    pub fn limits_sight_of(&self, what: SeenWhat) -> bool {
        self.seen.iter().any(|seen| seen.what == what)
    }

    /// The printed owner of a member.
    #[must_use]
    pub fn owner_of(&self, kind: KindId, member: i32) -> Option<i32> {
        let kind = self.kinds.get(kind.i())?;
        match &kind.fields.get(kind.owner?)?.store {
            FieldStore::Printed(values) => values.get(usize::try_from(member).ok()?)?.int(),
            FieldStore::Var(_) => None,
        }
    }

    /// The two kinds whose pairs are the members of a kind, and how many members the second has: pair `i` is of their
    /// members `i / n` and `i % n`.
    #[must_use]
    pub fn pair(&self, kind: KindId) -> Option<(KindId, KindId, usize)> {
        let (a, b) = self.kinds.get(kind.i())?.pair?;
        Some((a, b, self.kinds.get(b.i())?.members.len().max(1)))
    }

    /// Whether some `seen` clause is about which member of the kind a thing is.
    #[must_use]
    pub fn is_covert(&self, kind: KindId) -> bool {
        self.seen.iter().any(|s| s.what == SeenWhat::Member(kind))
    }

    /// Whether members of the kind can lie in a pile, set or bag that some rule hides.
    #[must_use]
    pub fn is_drawn(&self, kind: KindId) -> bool {
        self.seen.iter().any(|s| match s.what {
            SeenWhat::Member(_) => false,
            SeenWhat::Var(v) => self.vars.get(v.i()).is_some_and(|v| match &v.ty.base {
                Base::List(k) => *k == kind,
                Base::Set(of) | Base::Bag(of) => **of == Base::Member(kind),
                _ => false,
            }),
        })
    }
}
