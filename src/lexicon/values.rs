//! Values in words.

use super::{Lexicon, fill};
use crate::game::{SeenMember, SeenValue};
use crate::model::{Base, KindId, Model, Value, bag_items};

/// The name of a member, or its identifier where it has none.
pub(crate) fn member(model: &Model, kind: KindId, i: i32, lang: &str) -> String {
    if let Some((a, b, n)) = model.pair(kind) {
        let n = n as i32;
        return format!("{}, {}", member(model, a, i / n, lang), member(model, b, i % n, lang));
    }
    let member = model.kinds.get(kind.i()).and_then(|k| k.members.get(usize::try_from(i).ok()?));
    match member {
        None => i.to_string(),
        Some(m) if m.name.get(lang).is_empty() => m.id.clone(),
        Some(m) => m.name.get(lang).to_owned(),
    }
}

/// A value as notations, positions and records have it: names in a language, and `none`, `yes` and `no` in all of
/// them; `{A, B}` for a set, `[A, B]` for an ordered pile from the bottom up.
pub(crate) fn value_text(model: &Model, base: &Base, value: &Value, lang: &str) -> String {
    match (value, base) {
        (Value::None, _) => String::from("none"),
        (Value::Text(text), _) => text.clone(),
        (Value::Int(i), Base::Bool) => String::from(if *i == 0 { "no" } else { "yes" }),
        (Value::Int(i), Base::Member(kind)) => member(model, *kind, *i, lang),
        (Value::Int(i), _) => i.to_string(),
        (Value::Set(set), base) => {
            let of = match base {
                Base::Set(of) => of.as_ref(),
                Base::List(kind) => &Base::Member(*kind),
                _ => &Base::Int,
            };
            let items = set.iter().map(|b| Value::Int(of.of_bit(b)));
            let items: Vec<String> = items.map(|v| value_text(model, of, &v, lang)).collect();
            format!("{{{}}}", items.join(", "))
        }
        (Value::Bag(_), base) => {
            let Base::Bag(of) = base else { return String::from("?") };
            let items = bag_items(of, value).map(|i| value_text(model, of, &Value::Int(i), lang));
            format!("{{{}}}", copies(of, items.collect()).join(", "))
        }
        (Value::List(items), base) => {
            let of = match base {
                Base::List(kind) => Base::Member(*kind),
                Base::Set(of) => of.as_ref().clone(),
                _ => Base::Int,
            };
            let items = items.iter().map(|i| Value::Int(i32::from(*i)));
            let items: Vec<String> = items.map(|v| value_text(model, &of, &v, lang)).collect();
            format!("[{}]", items.join(", "))
        }
    }
}

/// The copies in a bag, which come with like ones together: of a member its name with their number before it, `3
/// Archer`; numbers and truths each by itself.
pub(crate) fn copies(of: &Base, items: Vec<String>) -> Vec<String> {
    if !matches!(of, Base::Member(_)) {
        return items;
    }
    let alike = items.chunk_by(|a, b| a == b);
    alike
        .map(|alike| match alike {
            [one] => one.clone(),
            several => format!("{} {}", several.len(), several.first().map_or("", String::as_str)),
        })
        .collect()
}

/// The maximum number of members that a ruling quotes of one value.
const MAX_QUOTED: usize = 12;

/// How many it quotes of more.
const QUOTED: usize = 8;

impl Lexicon<'_> {
    /// A member as far as it is known: by its name, or as one of its kind and owner.
    #[must_use]
    pub fn seen_member(&self, member: SeenMember) -> String {
        match member {
            SeenMember::Known(kind, member) => match self.names.and_then(|names| names.get(&(kind, member))) {
                Some(name) => name.clone(),
                None => self.member(kind, member),
            },
            SeenMember::Unknown(of, None) => fill(self.words.some_member, &[self.kind(of)]),
            SeenMember::Unknown(of, Some(owner)) => {
                fill(self.words.some_member_of, &[self.kind(of), &self.seat(owner)])
            }
        }
    }

    /// A value as somebody is told it.
    #[must_use]
    pub fn value(&self, value: &SeenValue) -> String {
        match value {
            SeenValue::Nothing => self.words.none.to_owned(),
            SeenValue::Truth(true) => self.words.yes.to_owned(),
            SeenValue::Truth(false) => self.words.no.to_owned(),
            SeenValue::Number(i) => i.to_string(),
            SeenValue::Member(member) => self.seen_member(*member),
            SeenValue::Text(text) => text.clone(),
            SeenValue::Set(items) => format!("{{{}}}", self.values(items).join(", ")),
            SeenValue::List(items) => format!("[{}]", self.values(items).join(", ")),
            SeenValue::Counted(items) => format!("{{{}}}", self.counted(items).join(", ")),
        }
    }

    /// A value as a ruling quotes it: of many members the first ones, and how many more there are.
    #[must_use]
    pub fn shortened(&self, value: &SeenValue) -> String {
        let (items, open, close) = match value {
            SeenValue::Set(items) if items.len() > MAX_QUOTED => (items, '{', '}'),
            SeenValue::List(items) if items.len() > MAX_QUOTED => (items, '[', ']'),
            _ => return self.value(value),
        };
        let first = items.get(..QUOTED).map_or_else(Vec::new, |first| self.values(first)).join(", ");
        let more = fill(self.words.would_more, &[&(items.len() - QUOTED).to_string()]);
        format!("{open}{first} {more}{close}")
    }

    /// A value within a sentence or a list of others: of several members there are no brackets around them, of many
    /// the first ones are named.
    #[must_use]
    pub fn prose(&self, value: &SeenValue) -> String {
        match value {
            SeenValue::Set(items) | SeenValue::List(items) if items.len() > MAX_QUOTED => {
                let first = items.get(..QUOTED).map_or_else(Vec::new, |first| self.values(first));
                let more = fill(self.words.would_more, &[&(items.len() - QUOTED).to_string()]);
                format!("{} {more}", first.join(self.words.comma))
            }
            SeenValue::Set(items) | SeenValue::List(items) => self.words.series(&self.values(items)),
            SeenValue::Counted(items) => self.words.series(&self.counted(items)),
            _ => self.value(value),
        }
    }

    /// Several values, each by itself.
    #[must_use]
    pub fn values(&self, values: &[SeenValue]) -> Vec<String> {
        values.iter().map(|v| self.value(v)).collect()
    }

    /// Several values with how many there are of each: `Frodo`, `3 Rohan Warrior`.
    #[must_use]
    pub fn counted(&self, values: &[(SeenValue, usize)]) -> Vec<String> {
        let said = |(value, n): &(SeenValue, usize)| match n {
            1 => self.value(value),
            n => fill(self.words.counted, &[&n.to_string(), &self.value(value)]),
        };
        values.iter().map(said).collect()
    }
}
