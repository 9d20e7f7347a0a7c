//! What-ifs, in words and as data.

use crate::game::{Change, Position, WhatIfs};
use crate::lexicon::unique_name;
use crate::lexicon::{Lexicon, Words, fill, thousands};
use crate::model::{Base, Model, Value};
use serde_json::{Value as Json, json};

/// The maximum number of what-ifs that are put into words.
const MAX_WHAT_IFS: usize = 8;

/// The maximum number of values of one what-if that are named.
const MAX_NAMED: usize = 6;

/// What would make an action legal in sentences, the plainest first.
#[must_use]
pub fn what_if_words(model: &Model, position: &Position, what_ifs: &WhatIfs, lang: &str) -> Vec<String> {
    let words = Words::of(lang);
    let mut found: Vec<String> = Vec::new();
    for what_if in what_ifs.found.iter().take(MAX_WHAT_IFS) {
        let changes: Vec<String> = what_if.changes.iter().map(|c| change(model, position, c, lang)).collect();
        found.push(match changes.as_slice() {
            [one] => fill(words.would, &[one]),
            [one, two] => fill(words.would_both, &[one, two]),
            _ => continue,
        });
    }
    let more = what_ifs.found.len().saturating_sub(MAX_WHAT_IFS);
    if more > 0 {
        found.push(fill(words.would_more, &[&more.to_string()]));
    }
    if what_ifs.found.is_empty() && (what_ifs.none_alone || !what_ifs.bounded) {
        found.push(if what_ifs.bounded { words.would_none_alone } else { words.would_none }.to_owned());
    }
    if what_ifs.bounded {
        found.push(fill(words.would_bounded, &[&thousands(what_ifs.most as u64)]));
    }
    found
}

/// A change in the words of positions: `Frodo at Rohan`.
#[must_use]
pub fn change(model: &Model, position: &Position, change: &Change, lang: &str) -> String {
    let words = Words::of(lang);
    let Some(var) = model.vars.get(change.var.i()) else {
        return String::from("?");
    };
    let index = var.index.map(|kind| Lexicon::new(model, lang).member(kind, change.index));
    let now = position.read(model, change.var, usize::from(change.index));
    let name = match var.label.get(lang) {
        "" => var.name.as_str(),
        label => label,
    };
    let whole = match &index {
        Some(index) => fill(words.of, &[name, index]),
        None => name.to_owned(),
    };
    if let Some(said) = turned(model, (&var.ty.base, &now, &change.values), (&whole, lang)) {
        return said;
    }
    if let (Base::Bool, [Value::Int(yes)]) = (&var.ty.base, change.values.as_slice()) {
        return match (&index, var.name.rsplit_once('.')) {
            (Some(index), Some((_, field))) => {
                fill(if *yes != 0 { words.field_holds } else { words.field_holds_not }, &[index, field])
            }
            _ => format!("{whole}{}{}", words.colon, if *yes != 0 { words.holds } else { words.holds_not }),
        };
    }
    let value = values(model, &var.ty.base, &now, change, lang);
    match (&index, var.name.rsplit_once('.')) {
        (Some(index), Some((_, field))) => format!("{index} {field} {value}"),
        _ => format!("{whole}{}{value}", words.colon),
    }
}

/// The values in words; where they are nearly all, those that do not do it.
fn values(model: &Model, base: &Base, now: &Value, change: &Change, lang: &str) -> String {
    let words = Words::of(lang);
    let lexicon = Lexicon::new(model, lang);
    let said = |v: &Value| lexicon.known(base, v);
    if change.values.len() <= MAX_NAMED {
        return change.values.iter().map(said).collect::<Vec<_>>().join(words.comma);
    }
    if change.values.len() == change.of {
        return words.anything.to_owned();
    }
    let lo = change.values.iter().filter_map(Value::int).min().unwrap_or(0);
    let hi = change.values.iter().filter_map(Value::int).max().unwrap_or(0);
    let left = change.of - change.values.len();
    if left < MAX_NAMED
        && let Base::Member(kind) = base
    {
        let all = 0..model.kinds.get(kind.i()).map_or(0, |k| k.members.len() as i32);
        let not = all.map(Value::Int).filter(|v| !change.values.contains(v) || v == now);
        let not: Vec<String> = not.map(|v| said(&v)).collect();
        return fill(words.any_but, &[&not.join(words.comma)]);
    }
    if matches!(base, Base::Range(..)) && i64::from(hi) - i64::from(lo) + 1 == change.values.len() as i64 {
        return format!("{lo}..{hi}");
    }
    let first: Vec<String> = change.values.iter().take(MAX_NAMED).map(said).collect();
    let more = (change.values.len() - MAX_NAMED).to_string();
    format!("{} {}", first.join(words.comma), fill(words.would_more, &[&more]))
}

/// One member more or less in a set, bag or pile.
fn turned(model: &Model, (base, now, after): (&Base, &Value, &[Value]), (whole, lang): (&str, &str)) -> Option<String> {
    let words = Words::of(lang);
    let items = |value: &Value| -> Option<Vec<i32>> {
        Some(match (value, base) {
            (Value::Set(set), Base::Set(of)) => {
                let lo = if let Base::Range(lo, _) = **of { lo } else { 0 };
                set.iter().map(|i| lo + i as i32).collect()
            }
            (Value::List(items), _) => items.iter().map(|i| i32::from(*i)).collect(),
            (Value::Bag(_), Base::Bag(of)) => crate::model::bag_items(of, value).collect(),
            _ => return None,
        })
    };
    let of = match base {
        Base::Set(of) | Base::Bag(of) => (**of).clone(),
        Base::List(kind) => Base::Member(*kind),
        _ => return None,
    };
    let before = items(now)?;
    let (mut more, mut less) = (Vec::new(), Vec::new());
    for value in after {
        let value = items(value)?;
        let said = |i: &i32| Lexicon::new(model, lang).known(&of, &Value::Int(*i));
        more.extend(surplus(&value, &before).iter().map(said));
        less.extend(surplus(&before, &value).iter().map(said));
    }
    let part =
        |phrase: &str, items: &[String]| (!items.is_empty()).then(|| fill(phrase, &[whole, &items.join(words.comma)]));
    let parts: Vec<String> =
        [part(words.with_member, &more), part(words.without_member, &less)].into_iter().flatten().collect();
    Some(parts.join(words.comma))
}

/// What one list has more than another, copy by copy.
fn surplus(one: &[i32], other: &[i32]) -> Vec<i32> {
    let count = |list: &[i32], item: i32| list.iter().filter(|i| **i == item).count();
    let mut found: Vec<i32> = Vec::new();
    for item in one {
        if count(one, *item) > count(other, *item) && !found.contains(item) {
            found.push(*item);
        }
    }
    found
}

/// What is changed and the values that do it, as positions write them.
fn data(model: &Model, change: &Change) -> (String, Vec<String>) {
    let Some(var) = model.vars.get(change.var.i()) else {
        return (String::from("?"), Vec::new());
    };
    let index = var.index.map(|kind| unique_name(model, kind, change.index));
    let what = match (index, var.name.rsplit_once('.')) {
        (Some(index), Some((_, field))) => format!("{index} {field}"),
        (Some(index), None) => format!("{} of {index}", var.name),
        (None, _) => var.name.clone(),
    };
    let values = change.values.iter();
    (what, values.filter_map(|v| crate::lexicon::fact_value(model, &var.ty, v)).collect())
}

/// What-ifs for programs.
#[must_use]
pub fn what_ifs_json(model: &Model, position: &Position, what_ifs: &WhatIfs, lang: &str) -> Json {
    let one = |c: &Change| {
        let (what, values) = data(model, c);
        json!({ "what": what, "values": values, "words": change(model, position, c, lang) })
    };
    let found = what_ifs.found.iter();
    let found: Vec<Vec<Json>> = found.map(|r| r.changes.iter().map(one).collect()).collect();
    json!({ "found": found, "tried": what_ifs.tried, "bounded": what_ifs.bounded })
}
