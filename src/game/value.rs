//! Values as somebody is told them: numbers, truths, and members by their ids, without words.

use serde::{Deserialize, Serialize};

use crate::model::{Base, KindId, Value, bag_items};

/// A member as far as somebody knows which it is. Those known come first, in the order of their kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SeenMember {
    /// This one, by its place in its kind.
    Known(KindId, u16),
    /// Some member of the kind; whose it is, where that is told.
    Unknown(KindId, Option<u16>),
}

/// A value as somebody is told it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SeenValue {
    /// Nothing.
    Nothing,
    /// A truth.
    Truth(bool),
    /// A number.
    Number(i32),
    /// A member.
    Member(SeenMember),
    /// A printed text.
    Text(String),
    /// What a set or a bag holds, copy by copy, in the order of the values, so that the order tells nothing.
    Set(Vec<SeenValue>),
    /// What an ordered pile holds, from the bottom up.
    List(Vec<SeenValue>),
    /// A set in which several look the same: how many there are of each.
    Counted(Vec<(SeenValue, usize)>),
}

impl SeenValue {
    /// A value of a base; `who` says of a member as what it is known.
    #[must_use]
    pub fn of(base: &Base, value: &Value, who: &dyn Fn(KindId, u16) -> SeenMember) -> SeenValue {
        let one = |base: &Base, i: i32| match (base, u16::try_from(i)) {
            (Base::Bool, _) => SeenValue::Truth(i != 0),
            (Base::Member(kind), Ok(member)) => SeenValue::Member(who(*kind, member)),
            _ => SeenValue::Number(i),
        };
        let element = match base {
            Base::Set(of) | Base::Bag(of) => of.as_ref(),
            Base::List(kind) => &Base::Member(*kind),
            _ => &Base::Int,
        };
        let sorted = |mut items: Vec<SeenValue>| {
            items.sort();
            SeenValue::Set(items)
        };
        match value {
            Value::None => SeenValue::Nothing,
            Value::Text(text) => SeenValue::Text(text.clone()),
            Value::Int(i) => one(base, *i),
            Value::Set(set) => sorted(set.iter().map(|b| one(element, element.of_bit(b))).collect()),
            Value::Bag(_) => sorted(bag_items(element, value).map(|i| one(element, i)).collect()),
            Value::List(items) => SeenValue::List(items.iter().map(|i| one(element, i32::from(*i))).collect()),
        }
    }

    /// A value of which all is known.
    #[must_use]
    pub fn known(base: &Base, value: &Value) -> SeenValue {
        SeenValue::of(base, value, &SeenMember::Known)
    }

    /// Whether it is nothing, no, or an empty set.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        match self {
            SeenValue::Nothing | SeenValue::Truth(false) => true,
            SeenValue::Set(items) | SeenValue::List(items) => items.is_empty(),
            SeenValue::Text(text) => text.is_empty(),
            _ => false,
        }
    }
}
