//! What may be written at a place.

use serde_json::{Value as Json, json};

use super::asked::Place;
use super::names::Role;

use crate::lexicon::Lexicon;
use crate::model::{Base, Field, KindId, Model, RegisterRow, VarOwner};
use crate::syntax;

/// The members of a kind that are proposed one by one.
const SHOWN_MEMBERS: usize = 1000;

/// What an expression is compared with, or gets, stands after these.
const COMPARED: [&str; 6] = ["is not", "is", "==", "!=", ":=", "="];

/// The words with which casebooks are written.
const CASE_WORDS: [&str; 22] = [
    "case",
    "given",
    "when",
    "then",
    "with",
    "cite",
    "from the start",
    "preset",
    "variant",
    "impossible",
    "legal",
    "illegal",
    "may",
    "may not",
    "may only",
    "holds",
    "because",
    "to decide",
    "wins",
    "sees",
    "does not see",
    "ask",
];

impl Place<'_> {
    pub fn completion(&self) -> Json {
        let before = self.text().get(..self.byte).unwrap_or("");
        let line = before.rsplit('\n').next().unwrap_or("");
        let typed = line.rsplit(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).next().unwrap_or("");
        let rest = line.strip_suffix(typed).unwrap_or(line).trim_end();
        let last = rest.rsplit(|c: char| c == ',' || c.is_whitespace()).find(|w| !w.is_empty() && !w.contains('.'));
        if matches!(last, Some("cite" | "note" | "manners")) && !rest.ends_with('"') {
            return self.ids();
        }
        let dot = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
        if let Some(chain) = dot.strip_suffix('.') {
            return self.fields(chain.len());
        }
        let mut items = Vec::new();
        let start = before.len() - typed.len();
        if let Some(model) = &self.game.model {
            let above = before.get(..start).unwrap_or("").trim_end();
            let compared = COMPARED.iter().find_map(|word| above.strip_suffix(word));
            let spaced = compared.filter(|rest| rest.ends_with(char::is_whitespace) || above.ends_with('='));
            match spaced.and_then(|rest| self.type_before(rest.trim_end().len())) {
                Some(base) => values(model, &base, &mut items),
                None if above.ends_with(':') => kinds(model, &mut items),
                None => {}
            }
        }
        self.names(&mut items);
        items.extend(syntax::keywords().iter().map(|word| json!({ "label": word, "kind": 14, "sortText": "2" })));
        Json::Array(items)
    }

    /// The fields that there are after a dot; of anything, if its type does not show. A procedure has steps.
    fn fields(&self, end: usize) -> Json {
        let base = self.type_before(end);
        let kind = match base {
            Some(Base::Member(kind)) => self.game.model.as_ref().and_then(|model| model.kinds.get(kind.i())),
            _ => None,
        };
        if let (Some(kind), Some(model)) = (kind, &self.game.model) {
            let item = |field: &Field| {
                let detail = type_words(model, &field.ty.base);
                json!({ "label": field.name, "kind": 5, "detail": detail })
            };
            return kind.fields.iter().map(item).collect();
        }
        let small =
            |w: &&super::names::Word| w.declares.is_some() && !w.local && !w.text.starts_with(char::is_uppercase);
        let mut names: Vec<&str> = self.game.index.words().filter(small).map(|w| w.text.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names.iter().map(|name| json!({ "label": name, "kind": self.sort(name) })).collect()
    }

    /// The names of the game, and those of the declaration around the place.
    fn names(&self, items: &mut Vec<Json>) {
        let here = self.game.index.around(self.file, self.byte);
        let mut names: Vec<(&str, bool)> = Vec::new();
        for word in self.game.index.words().filter(|w| w.declares.is_some()) {
            let near = here.is_some_and(|o| word.file == self.file && o.start <= word.start && word.end <= o.end);
            if !word.local || near {
                names.push((&word.text, word.local));
            }
        }
        let parameters = self.game.model.as_ref().map_or_else(Vec::new, |model| self.parameters(model));
        names.extend(parameters.iter().map(|(name, _)| (name.as_str(), true)));
        names.sort_unstable_by_key(|(name, local)| (*name, !local));
        names.dedup_by(|a, b| a.0 == b.0);
        let item = |(name, local): &(&str, bool)| {
            let kind = if *local { 6 } else { self.sort(name) };
            json!({ "label": name, "kind": kind, "sortText": if *local { "1" } else { "1z" } })
        };
        items.extend(names.iter().map(item));
    }

    /// What sort of thing a name is, in the numbers of the protocol.
    fn sort(&self, name: &str) -> u8 {
        match self.game.index.role(name) {
            Some(Role::Kind) => 7,
            Some(Role::Member) => 20,
            Some(Role::Field) => 5,
            Some(Role::Definition) => 3,
            Some(Role::Action | Role::Procedure) => 2,
            Some(Role::Option) => 10,
            Some(Role::Game) => 9,
            Some(Role::Variable | Role::Local) | None => 6,
        }
    }

    /// The ids of the register.
    fn ids(&self) -> Json {
        let Some(model) = &self.game.model else { return Json::Null };
        let item = |row: &RegisterRow| json!({ "label": row.id, "kind": 18, "detail": row.paraphrase.text });
        model.register.iter().map(item).collect()
    }

    /// What may stand in a casebook or record.
    pub fn completion_in_text(&self) -> Json {
        let Some(model) = &self.game.model else { return Json::Null };
        let name = self.game.name(self.file);
        let lines = super::cases::lines(name, self.text());
        if !lines.iter().any(|(at, ..)| at.start <= self.byte && self.byte <= at.end) {
            return Json::Null;
        }
        let at = super::cases::line_around(self.text(), self.byte);
        let line = self.text().get(at.start..self.byte).unwrap_or("");
        let said = |word: &str| line.split_whitespace().any(|w| w == word);
        let item = |label: &str, kind: u8, detail: &str| json!({ "label": label, "kind": kind, "detail": detail });
        let mut items: Vec<Json> = Vec::new();
        if said("cite") || said("because") || said("overruled") {
            items.extend(model.register.iter().map(|row| item(&row.id, 18, &row.paraphrase.text)));
            let mut labels: Vec<&str> = model.clauses.iter().map(|c| c.label.text.as_str()).collect();
            labels.sort_unstable();
            labels.dedup();
            let labels = labels.into_iter().filter(|label| !label.is_empty());
            items.extend(labels.map(|label| item(&format!("\"{label}\""), 1, "")));
            return Json::Array(items);
        }
        if said("with") && (said("given") || said("record")) || line.trim_start().starts_with("with") {
            items.extend(model.config.iter().map(|c| item(&c.name, 10, &c.text.text)));
            items.extend(model.presets.iter().map(|p| item(&format!("preset {}", p.name), 10, &p.text.text)));
            return Json::Array(items);
        }
        items.extend(CASE_WORDS.iter().map(|word| item(word, 14, "")));
        let lexicon = Lexicon::new(model, "");
        for (k, kind) in model.kinds.iter().enumerate().filter(|(_, kind)| kind.pair.is_none() && !kind.of_hooks) {
            let id = KindId(u16::try_from(k).unwrap_or(u16::MAX));
            let named = (0..kind.members.len().min(SHOWN_MEMBERS)).filter_map(|m| u16::try_from(m).ok());
            items.extend(named.map(|m| item(&lexicon.member(id, m), 20, &kind.name)));
        }
        let vars = model.vars.iter().filter(|v| matches!(v.owner, VarOwner::Game | VarOwner::Pile));
        items.extend(vars.map(|v| item(&v.name, 6, "")));
        items.extend(model.entries.iter().map(|e| item(&e.phrase.text, 1, "")));
        Json::Array(items)
    }
}

/// The values of a type that has few enough to be named.
fn values(model: &Model, base: &Base, items: &mut Vec<Json>) {
    let mut add = |label: &str, kind: u8| items.push(json!({ "label": label, "kind": kind, "sortText": "0" }));
    match base {
        Base::Bool => ["true", "false"].iter().for_each(|word| add(word, 14)),
        Base::Member(kind) => {
            let members = model.kinds.get(kind.i()).map_or(&[][..], |k| &k.members);
            members.iter().take(SHOWN_MEMBERS).for_each(|m| add(&m.id, 20));
        }
        _ => {}
    }
}

/// The types that may be written.
fn kinds(model: &Model, items: &mut Vec<Json>) {
    let named = model.kinds.iter().filter(|k| k.pair.is_none() && !k.of_hooks).map(|k| k.name.as_str());
    let words = named.chain(["Bool", "Int", "Text"]);
    items.extend(words.map(|name| json!({ "label": name, "kind": 7, "sortText": "0" })));
}

/// A type in words.
fn type_words(model: &Model, base: &Base) -> String {
    let kind = |kind: &KindId| model.kinds.get(kind.i()).map_or("?", |k| &k.name).to_owned();
    match base {
        Base::Bool => String::from("Bool"),
        Base::Int => String::from("Int"),
        Base::Range(lo, hi) => format!("{lo}..{hi}"),
        Base::Member(of) => kind(of),
        Base::Text => String::from("Text"),
        Base::Set(of) => format!("set of {}", type_words(model, of)),
        Base::List(of) => format!("ordered pile of {}", kind(of)),
        Base::Bag(of) => format!("bag of {}", type_words(model, of)),
        Base::Nothing => String::from("none"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_named_as_it_is_written() {
        let set = Base::Set(Box::new(Base::Range(1, 6)));
        assert_eq!(type_words(&Model::default(), &set), "set of 1..6");
        assert_eq!(crate::language_server::types::kind(&Model::default(), "Card"), None);
    }
}
