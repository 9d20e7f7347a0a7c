//! What a seat sees, as JSON. All names are those of the rules.

use lawspeaker::game::{SeenField, SeenMember, SeenValue, View};
use lawspeaker::model::{KindId, Model, VarId};
use serde_json::{Map, Value as Json, json};

/// What a seat sees: `variables`, `piles` and `members`, each by its name; indexed ones by the name of the index.
pub fn view(model: &Model, view: &View) -> Json {
    let mut variables = Map::new();
    for seen in &view.variables {
        put(&mut variables, &var(model, seen.var), entry(model, seen.index), value(model, &seen.value));
    }
    let mut piles = Map::new();
    for seen in &view.piles {
        let members = seen.members.as_ref().map(|all| all.iter().map(|one| value(model, one)).collect::<Vec<Json>>());
        let pile = json!({ "size": seen.size, "members": members });
        put(&mut piles, &var(model, seen.var), entry(model, seen.index), pile);
    }
    let mut members = Map::new();
    for kind in &view.kinds {
        let name = |member: u16| id(model, kind.kind, member);
        let known = kind.known.iter().map(|one| (name(one.member), fields(model, kind.kind, &one.fields)));
        let known: Map<String, Json> = known.collect();
        let owner = |seat: Option<u16>| seat.map(|seat| id(model, KindId(0), seat));
        let unknown = kind.unknown.iter();
        let unknown: Vec<Json> = unknown
            .map(|one| json!({ "owner": owner(one.owner), "fields": fields(model, kind.kind, &one.fields) }))
            .collect();
        let called = model.kinds.get(kind.kind.i()).map_or_else(String::new, |kind| kind.name.clone());
        members.insert(called, json!({ "known": known, "unknown": unknown }));
    }
    json!({ "variables": variables, "piles": piles, "members": members })
}

fn put(all: &mut Map<String, Json>, name: &str, entry: Option<String>, value: Json) {
    let Some(entry) = entry else {
        all.insert(name.to_owned(), value);
        return;
    };
    if let Json::Object(entries) = all.entry(name).or_insert_with(|| json!({})) {
        entries.insert(entry, value);
    }
}

fn var(model: &Model, var: VarId) -> String {
    model.vars.get(var.i()).map_or_else(String::new, |var| var.name.clone())
}

fn entry(model: &Model, index: Option<SeenMember>) -> Option<String> {
    index.map(|member| match member {
        SeenMember::Known(kind, member) => id(model, kind, member),
        SeenMember::Unknown(..) => String::from("?"),
    })
}

fn id(model: &Model, kind: KindId, member: u16) -> String {
    let member = model.kinds.get(kind.i()).and_then(|kind| kind.members.get(usize::from(member)));
    member.map_or_else(String::new, |member| member.id.clone())
}

fn fields(model: &Model, kind: KindId, fields: &[SeenField]) -> Json {
    let name = |place: usize| model.kinds.get(kind.i())?.fields.get(place).map(|field| field.name.clone());
    let fields = fields.iter().filter_map(|field| Some((name(field.field)?, value(model, &field.value))));
    Json::Object(fields.collect())
}

/// A value: nothing is `null`, a member its name, one that the seat does not know `"?"`, a set or a list an array, and
/// copies that look alike objects of `value` and `count`.
fn value(model: &Model, seen: &SeenValue) -> Json {
    match seen {
        SeenValue::Nothing => Json::Null,
        SeenValue::Truth(truth) => Json::from(*truth),
        SeenValue::Number(number) => Json::from(*number),
        SeenValue::Text(text) => Json::from(text.as_str()),
        SeenValue::Member(member) => Json::from(entry(model, Some(*member))),
        SeenValue::Set(all) | SeenValue::List(all) => all.iter().map(|one| value(model, one)).collect(),
        SeenValue::Counted(all) => {
            all.iter().map(|(one, count)| json!({ "value": value(model, one), "count": count })).collect()
        }
    }
}
