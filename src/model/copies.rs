//! Members that nothing printed tells apart, and where a position can tell them apart.

use super::{Base, FieldStore, KindId, Model, Set, Value, VarId, VarOwner};

/// A kind of which members may be alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copies {
    /// The kind.
    pub kind: KindId,
    /// For each member the first one that the rules do not tell apart from it.
    pub first: Vec<u16>,
    /// The variables that are indexed by the kind or hold members of it, those first that tell most apart.
    pub vars: Vec<VarId>,
}

/// A member after two were exchanged.
#[must_use]
pub fn exchanged((a, b): (usize, usize), member: usize) -> usize {
    match member {
        m if m == a => b,
        m if m == b => a,
        m => m,
    }
}

impl Model {
    /// The members of a kind that nothing printed tells apart; `named` says which ones the rules name.
    pub fn copies_of(&self, kind: KindId, named: impl Fn(u16) -> bool) -> Copies {
        let count = self.kinds.get(kind.i()).map_or(0, |k| k.members.len());
        let gridded = self.grids.iter().any(|g| g.kind == kind);
        let mut first: Vec<u16> = Vec::with_capacity(count);
        for m in 0..count {
            let same = |a: &usize| {
                first.get(*a) == Some(&(*a as u16)) && !named(*a as u16) && self.printed_alike(kind, (*a, m))
            };
            let own = gridded || named(m as u16);
            first.push(if own { m } else { (0..m).find(same).unwrap_or(m) } as u16);
        }
        let touches = |v: &super::Var| {
            let pair = v.index.and_then(|k| self.pair(k)).is_some_and(|(a, b, _)| a == kind || b == kind);
            v.index == Some(kind) || pair || holds_members(&v.ty.base, kind)
        };
        let all = self.vars.iter().enumerate().filter(|(_, v)| touches(v));
        let mut vars: Vec<VarId> = all.map(|(i, _)| VarId(i as u16)).collect();
        vars.sort_by_key(|v| self.vars.get(v.i()).map(|v| v.owner) != Some(VarOwner::Field(kind)));
        Copies { kind, first, vars }
    }

    /// Whether all that is printed is the same after two members were exchanged.
    fn printed_alike(&self, kind: KindId, two: (usize, usize)) -> bool {
        let moved = |of: KindId, m: usize| if of == kind { exchanged(two, m) } else { m };
        let fields = self.kinds.iter().enumerate().all(|(k, other)| {
            let of = KindId(k as u16);
            other.fields.iter().all(|field| match &field.store {
                FieldStore::Var(_) => true,
                FieldStore::Printed(values) => values.iter().enumerate().all(|(m, value)| {
                    values.get(moved(of, m)) == Some(&exchanged_value(&field.ty.base, kind, two, value))
                }),
            })
        });
        let links = || {
            self.links.iter().all(|l| {
                (l.from != kind && l.to != kind)
                    || l.forward.iter().enumerate().all(|(m, to)| {
                        let to: Set = to.iter().map(|t| moved(l.to, t)).collect();
                        l.forward.get(moved(l.from, m)) == Some(&to)
                    })
            })
        };
        let holds = |holders: &[u16], m: usize| holders.iter().any(|h| usize::from(*h) == m);
        let abilities = || {
            let own = self.abilities.iter().filter(|a| a.kind == kind);
            own.into_iter().all(|a| holds(&a.holders, two.0) == holds(&a.holders, two.1))
        };
        fields && links() && abilities()
    }
}

/// Whether values of a base name members of a kind.
#[must_use]
pub fn holds_members(base: &Base, kind: KindId) -> bool {
    match base {
        Base::Member(k) | Base::List(k) => *k == kind,
        Base::Set(of) | Base::Bag(of) => **of == Base::Member(kind),
        _ => false,
    }
}

fn exchanged_value(base: &Base, kind: KindId, two: (usize, usize), value: &Value) -> Value {
    if !holds_members(base, kind) {
        return value.clone();
    }
    let moved = |m: usize| exchanged(two, m);
    match value {
        Value::Int(m) => usize::try_from(*m).map_or(value.clone(), |m| Value::Int(moved(m) as i32)),
        Value::Set(set) => Value::Set(set.iter().map(moved).collect()),
        Value::List(items) => Value::List(items.iter().map(|m| moved(usize::from(*m)) as u16).collect()),
        Value::Bag(counts) => {
            let mut counts = counts.clone();
            counts.resize(counts.len().max(two.0.max(two.1) + 1), 0);
            counts.swap(two.0, two.1);
            Value::Bag(counts)
        }
        other => other.clone(),
    }
}
