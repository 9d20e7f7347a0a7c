//! The sensitivity of a verdict to readings, in words and as data.

use super::text::{alternative, outcome_words};
use super::words::{Words, fill, thousands};
use crate::game::{Cover, Sensitivity, Together, Verdict};
use crate::model::{Config, ConfigId, Model};
use serde_json::{Value as Json, json};

/// A verdict under other readings in sentences: how many combinations agree, and what only several alternatives
/// together change.
#[must_use]
pub fn sensitivity_words(model: &Model, sensitivity: &Sensitivity, lang: &str) -> Vec<String> {
    let words = Words::of(lang);
    if sensitivity.table.is_empty() {
        return Vec::new();
    }
    let Sensitivity { combinations, differing, unreached, .. } = *sensitivity;
    let (all, readings) = (thousands(combinations), sensitivity.table.len().to_string());
    let first = match (differing, unreached, sensitivity.cover) {
        (0, 0, Cover::All) => fill(words.same_under_all, &[&all, &readings]),
        (0, 0, Cover::Pairs) => fill(words.same_under_pairs, &[&all, &readings]),
        (0, ..) => fill(words.same_where_reached, &[&thousands(combinations.saturating_sub(unreached)), &all]),
        (n, _, Cover::All) => fill(words.other_under, &[&thousands(n), &all]),
        (n, _, Cover::Pairs) => fill(words.other_under_pairs, &[&thousands(n), &all]),
    };
    let scope = if sensitivity.played { words.played_again } else { words.as_it_stands };
    let mut found = vec![fill(scope, &[&first])];
    if unreached > 0 {
        found.push(fill(words.unreached_under, &[&thousands(unreached), &all]));
    }
    for (set, outcome) in sensitivity.others.iter().filter(|(set, _)| set.len() > 1) {
        let set: Vec<String> = set.iter().filter_map(|(id, value)| chosen(model, *id, *value)).collect();
        found.push(fill(words.only_together, &[words.outcome(*outcome), &set.join(words.and)]));
    }
    found
}

/// `magic_reaches any_discard`.
fn chosen(model: &Model, id: ConfigId, value: i32) -> Option<String> {
    let item = model.config.get(id.i())?;
    Some(format!("{} {}", item.name, alternative(item, value)))
}

/// A reading with its alternatives and the verdict under each, the others as they are in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadingRow {
    /// Its name.
    pub reading: String,
    /// What it asks.
    pub question: String,
    /// For each alternative its name, whether it is in force, and the verdict; none if the position does not come
    /// about.
    pub alternatives: Vec<(String, bool, Option<Verdict>)>,
}

/// The table of the readings.
#[must_use]
pub fn reading_rows(model: &Model, config: &Config, sensitivity: &Sensitivity, lang: &str) -> Vec<ReadingRow> {
    let row = |(id, verdicts): &(ConfigId, Vec<Option<Verdict>>)| {
        let item = model.config.get(id.i())?;
        let now = config.0.get(id.i()).copied();
        let alternatives = verdicts.iter().enumerate();
        let alternatives =
            alternatives.map(|(i, verdict)| (alternative(item, i as i32), now == Some(i as i32), *verdict)).collect();
        Some(ReadingRow { reading: item.name.clone(), question: item.text.get(lang).to_owned(), alternatives })
    };
    sensitivity.table.iter().filter_map(row).collect()
}

/// The same for programs.
#[must_use]
pub fn sensitivity_json(model: &Model, config: &Config, sensitivity: &Sensitivity, lang: &str) -> Json {
    let row = |row: ReadingRow| {
        let one = |(name, in_force, verdict): &(String, bool, Option<Verdict>)| {
            let verdict = outcome_words(*verdict);
            json!({ "alternative": name, "in_force": in_force, "verdict": verdict })
        };
        let alternatives: Vec<Json> = row.alternatives.iter().map(one).collect();
        json!({ "reading": row.reading, "question": row.question, "alternatives": alternatives })
    };
    let other = |(set, verdict): &Together| {
        let named = |(id, value): &(ConfigId, i32)| {
            let item = model.config.get(id.i())?;
            Some(json!({ "reading": item.name, "alternative": alternative(item, *value) }))
        };
        json!({ "under": set.iter().filter_map(named).collect::<Vec<_>>(), "verdict": outcome_words(*verdict) })
    };
    json!({
        "same": sensitivity.is_same(),
        "cover": match sensitivity.cover { Cover::All => "all", Cover::Pairs => "pairs" },
        "combinations": sensitivity.combinations,
        "played": sensitivity.played,
        "differing": sensitivity.differing,
        "unreached": sensitivity.unreached,
        "table": reading_rows(model, config, sensitivity, lang).into_iter().map(row).collect::<Vec<_>>(),
        "others": sensitivity.others.iter().map(other).collect::<Vec<_>>(),
    })
}
