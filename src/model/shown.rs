//! Which fields a board tells, and how.

use super::{Arranged, Base, Board, KindId, Model, Shown};

impl Board {
    /// How a field is told with the members of its kind, if the board names it.
    #[must_use]
    pub fn told(&self, model: &Model, kind: KindId, field: usize) -> Option<&Shown> {
        let heads = match self.arranged {
            Arranged::Groups(Some(by)) => model.kinds.get(self.kind.i()).and_then(|k| k.fields.get(by)),
            _ => None,
        };
        let heads = heads.filter(|f| f.ty.base == Base::Member(kind)).map(|_| self.heads.iter());
        let own = self.with.iter().flatten().filter(|_| self.kind == kind);
        let pieces = self.shown(kind).and_then(|shows| shows.with.as_ref()).into_iter().flatten();
        heads.into_iter().flatten().chain(own).chain(pieces).find(|shown| shown.field == field)
    }
}
