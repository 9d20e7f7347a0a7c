//! Names and values as positions, records and casebooks write them: in the language of the rule file, and each name
//! means one thing.

use super::copies;
use crate::model::{Base, KindId, Member, Model, Text, Ty, Value, bag_items};
use crate::spelling::fold;

/// A text with its translations, folded, the empty ones left out.
pub(crate) fn folded(text: &Text) -> Vec<String> {
    let translations = text.translations.iter().map(|(_, t)| t.as_str());
    let mut all: Vec<String> =
        std::iter::once(text.text.as_str()).chain(translations).map(fold).filter(|t| !t.is_empty()).collect();
    all.dedup();
    all
}

/// A name that means only this member of its kind: its name for people, or its identifier.
#[must_use]
pub fn unique_name(model: &Model, kind: KindId, member: u16) -> String {
    let members = model.kinds.get(kind.i()).map_or(&[][..], |k| &k.members);
    let Some(this) = members.get(member as usize) else {
        return String::from("?");
    };
    let name = fold(&this.name.text);
    let plain =
        !name.is_empty() && name == fold(&this.name.text.replace([':', '"', '\t'], " ")) && !name.contains("//");
    let same = |i: usize, other: &Member| {
        i != member as usize && (fold(&other.id) == name || folded(&other.name).contains(&name))
    };
    let shared = members.iter().enumerate().any(|(i, m)| same(i, m));
    if plain && !shared { this.name.text.split_whitespace().collect::<Vec<_>>().join(" ") } else { this.id.clone() }
}

/// A value as a fact writes it.
pub(crate) fn fact_value(model: &Model, ty: &Ty, value: &Value) -> Option<String> {
    let one = |base: &Base, v: i32| -> String {
        match base {
            Base::Bool => String::from(if v == 0 { "false" } else { "true" }),
            Base::Member(k) => unique_name(model, *k, v as u16),
            _ => v.to_string(),
        }
    };
    let all = |texts: Vec<String>| match texts.is_empty() {
        true => String::from("empty"),
        false => texts.join(", "),
    };
    Some(match (value, &ty.base) {
        (Value::None, _) => String::from("none"),
        (Value::Int(i), base) => one(base, *i),
        (Value::Set(set), Base::Set(of)) => all(set.iter().map(|i| one(of, of.of_bit(i))).collect()),
        (bag @ Value::Bag(_), Base::Bag(of)) => all(copies(of, bag_items(of, bag).map(|i| one(of, i)).collect())),
        (Value::List(items), Base::List(k)) => all(items.iter().map(|i| unique_name(model, *k, *i)).collect()),
        _ => return None,
    })
}
