//! Another name for a thing of the rules, in the rules, the casebooks and the records.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::{Value as Json, json};

use super::asked::Place;
use super::cases::Target;
use super::hover::is_text;
use super::names::Word;
use super::work::Shelf;
use super::{FAILED, Game, Refusal, place};
use crate::casebook::{self, Case};
use crate::check::{Diagnostic, Severity, check_all_seats};
use crate::facts::Settings;
use crate::library::Folder;
use crate::model::Model;
use crate::record;
use crate::rules::{Rulebook, Rules};
use crate::spelling::fold;

/// What is to be written where, by the number of the file.
type Edits = BTreeMap<usize, Vec<(Range<usize>, String)>>;

fn refuse<T>(message: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { code: FAILED, message: message.into() })
}

impl Place<'_> {
    /// Another name for what is declared in the rules. What would become of rules, cases and records is tried first.
    pub fn rename(&self, new: &str) -> Result<Json, Refusal> {
        let index = &self.game.index;
        let old = match self.is_rule() {
            true => self.word().filter(|w| !w.cited && self.declared(w).next().is_some()).cloned(),
            false => self
                .named()
                .and_then(|name| index.words().find(|w| w.text == name && w.declares.is_some() && !w.local).cloned()),
        };
        let Some(old) = old else { return refuse("nothing that the rules declare is named here") };
        let capital = |text: &str| text.starts_with(|c: char| c.is_ascii_uppercase());
        let letters = new.starts_with(|c: char| c.is_ascii_alphabetic())
            && new.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !letters || capital(new) != capital(&old.text) {
            let first = if capital(&old.text) { "capital" } else { "small" };
            return refuse(format!("a name has letters, digits and `_`, and here begins with a {first} letter"));
        }
        if index.words().any(|w| w.text == new && (!w.local || old.local)) {
            return refuse(format!("there is a `{new}` already"));
        }
        let mut edits = Edits::new();
        for word in index.same(&old) {
            edits.entry(word.file).or_default().push((word.start..word.end, new.to_owned()));
        }
        let before = (self.game.diagnostics.iter()).filter(|d| d.severity == Severity::Error).count();
        let rules = self.game.edited(&edits);
        let checked = check_all_seats(&rules.rules(), &[]);
        let is_error = |d: &&Diagnostic| d.severity == Severity::Error;
        if let Some(error) = checked.diagnostics.iter().find(is_error)
            && checked.diagnostics.iter().filter(is_error).count() > before
        {
            return refuse(format!("with this name the rules would have an error: {}", error.message));
        }
        let known = self.game.model.as_ref().zip(self.game.book.as_ref());
        if let (Some((_, book)), false) = (known, old.local) {
            let named = checked.model.as_ref();
            self.rename_in_texts((&old, new), named, book, &mut edits)?;
        }
        Ok(self.game.as_changes(edits))
    }

    /// The edits of casebooks and records, if these come out as before; `named` are the rules with the new name.
    fn rename_in_texts(
        &self,
        (old, new): (&Word, &str),
        named: Option<&Model>,
        book: &Arc<Rulebook>,
        edits: &mut Edits,
    ) -> Result<(), Refusal> {
        let Some(model) = &self.game.model else { return Ok(()) };
        let Some(target) = self.target(&old.text) else { return Ok(()) };
        let texts: Vec<(usize, &(String, String))> =
            self.game.files.iter().enumerate().filter(|(_, (name, _))| is_text(name)).collect();
        // A member that is called so because it is said, and not by its identifier, stays what it is in texts.
        let said = |model: &Model| match &target {
            Target::Member(kind, m, _) => {
                let member = model.kinds.get(kind.i()).and_then(|k| k.members.get(usize::from(*m)));
                member.map(|m| fold(&m.name.text))
            }
            Target::Name(_) => None,
        };
        let stays = said(model).is_some_and(|name| name == fold(&old.text) && named.and_then(said) == Some(name));
        for (file, (name, text)) in texts.iter().filter(|_| !stays) {
            let uses = self.game.called.uses(model, name, text, &target);
            edits.entry(*file).or_default().extend(uses.into_iter().map(|at| (at, new.to_owned())));
        }
        let after = Arc::new(Rulebook::new(self.game.edited(edits)));
        let shelf = |book: &Arc<Rulebook>| Shelf { own: Some((model.name.clone(), Arc::clone(book))) };
        let (old_shelf, new_shelf) = (shelf(book), shelf(&after));
        for (file, (name, text)) in &texts {
            let own = edits.get(file).map_or(&[][..], |own| own);
            let changed = applied(text, own);
            if name.ends_with(".record") {
                let digest = tried_record((&old_shelf, text), (&new_shelf, &changed), name)?;
                edits.entry(*file).or_default().extend(digest);
            } else {
                tried_cases((&old_shelf, text), (&new_shelf, &changed), name, &old.text)?;
            }
        }
        edits.retain(|_, list| !list.is_empty());
        Ok(())
    }
}

/// A text with some stretches written anew.
fn applied(text: &str, edits: &[(Range<usize>, String)]) -> String {
    let mut ordered: Vec<_> = edits.iter().collect();
    ordered.sort_by_key(|(at, _)| at.start);
    let (mut out, mut end) = (String::with_capacity(text.len()), 0);
    for (at, new) in ordered {
        out.push_str(text.get(end..at.start).unwrap_or(""));
        out.push_str(new);
        end = at.end;
    }
    out.push_str(text.get(end..).unwrap_or(""));
    out
}

/// Refuses if a case that mentions the name comes out otherwise under the new rules.
fn tried_cases(
    (old, before): (&Shelf, &str),
    (new, after): (&Shelf, &str),
    name: &str,
    mentioned: &str,
) -> Result<(), Refusal> {
    let ((cases, _), (changed, faults)) = (casebook::parse(name, before), casebook::parse(name, after));
    if let Some(fault) = faults.first().filter(|_| changed.len() != cases.len()) {
        return refuse(format!("with this name a case could not be read: {fault}"));
    }
    let mentioned = fold(mentioned);
    let passes = |shelf: &Shelf, case: &Case| {
        casebook::run(case, &|settings: &Settings| shelf.rules(settings)).failures.into_iter().next()
    };
    let both: Vec<(&Case, &Case)> = cases.iter().zip(&changed).collect();
    let worse = both.par_iter().find_map_first(|(case, changed)| {
        if !fold(&casebook::written(before, case)).contains(&mentioned) || case.looks_ahead() {
            return None;
        }
        passes(new, changed).filter(|_| passes(old, case).is_none())
    });
    worse.map_or(Ok(()), |failure| refuse(format!("with this name a case would fail: {failure}")))
}

/// The digest of the rules in a record, written anew; refuses if the record is no longer legal.
fn tried_record(
    (old, before): (&Shelf, &str),
    (new, after): (&Shelf, &str),
    name: &str,
) -> Result<Option<(Range<usize>, String)>, Refusal> {
    let Ok(recorded) = record::parse(before) else { return Ok(None) };
    let whole = |rules: &Rules, text: &str| {
        let record = record::parse(text).ok()?;
        matches!(rules.replay(&record).end, record::ReplayEnd::Complete(_)).then_some(())
    };
    let Ok(rules) = old.rules(&recorded.settings) else { return Ok(None) };
    if whole(&rules, before).is_none() {
        return Ok(None);
    }
    let parsed = record::parse(after).ok().and_then(|record| new.rules(&record.settings).ok());
    let Some(renamed) = parsed.filter(|rules| whole(rules, after).is_some()) else {
        return refuse(format!("with this name the record {name} would no longer be legal"));
    };
    let said = format!("{:016x}", rules.digest());
    let is_own = recorded.rules == Some(rules.digest());
    let at = before.find(&format!("rules {said}")).filter(|_| is_own).map(|at| at + "rules ".len());
    Ok(at.map(|at| (at..at + said.len(), format!("{:016x}", renamed.digest()))))
}

impl Game {
    /// The files of the game with some stretches written anew.
    fn edited(&self, edits: &Edits) -> Folder {
        let mut folder = self.folder();
        for (file, (_, text)) in folder.files.iter_mut().enumerate() {
            if let Some(own) = edits.get(&file) {
                *text = applied(text, own);
            }
        }
        folder
    }

    fn as_changes(&self, edits: Edits) -> Json {
        let mut changes = serde_json::Map::new();
        for (file, mut list) in edits {
            list.sort_by_key(|(at, _)| at.start);
            let text = self.text(file);
            let edit = |(at, new): &(Range<usize>, String)| {
                let range = place::range(text, at.start, at.end);
                json!({ "range": range, "newText": new })
            };
            changes.insert(self.uri(self.name(file)), list.iter().map(edit).collect());
        }
        json!({ "changes": changes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_written_anew() {
        let edits = [(4..5, String::from("yy")), (0..1, String::new())];
        assert_eq!(applied("a b c", &edits), " b yy");
    }
}
