//! Values in words.

use super::Explainer;

use crate::model::{Base, KindId, Model, Template, TemplatePart, Value};

/// The name of a member.
pub(super) fn member(model: &Model, kind: KindId, i: i32, lang: &str) -> String {
    let member = model.kinds.get(kind.i()).and_then(|k| k.members.get(usize::try_from(i).ok()?));
    match member {
        None => i.to_string(),
        Some(m) if m.name.get(lang).is_empty() => m.id.clone(),
        Some(m) => m.name.get(lang).to_owned(),
    }
}

/// What a bag holds, each copy by itself, in order.
pub(crate) fn bag_items<'v>(of: &Base, bag: &'v Value) -> impl Iterator<Item = i32> + use<'v> {
    let counts = if let Value::Bag(counts) = bag { counts.as_slice() } else { &[] };
    let lo = of.lowest();
    let each = move |(i, n): (usize, &u8)| std::iter::repeat_n(lo.saturating_add(i as i32), usize::from(*n));
    counts.iter().enumerate().flat_map(each)
}

/// A value in words.
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
            format!("{{{}}}", items.collect::<Vec<_>>().join(", "))
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

impl Template {
    /// The parts in a language, or those of the file where it has none.
    pub(crate) fn get(&self, lang: &str) -> &[TemplatePart] {
        self.translations.iter().find(|(l, _)| l == lang).map_or(&self.parts, |(_, parts)| parts)
    }
}

impl Explainer {
    /// A value of a base in words: names of members, `none`, `yes` and `no`, `{A, B}`; an ordered pile from the bottom up as `[A, B]`.
    #[must_use]
    pub fn value_text(&self, base: &Base, value: &Value, lang: &str) -> String {
        value_text(&self.model, base, value, lang)
    }
}
