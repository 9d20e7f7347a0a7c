//! The ruling on a list, in words and as data.

use super::data;
use super::text::{clause_line, condition, derived, fate, matters, paraphrases, readings};
use super::{names, verdict_words};
use crate::explain::Explainer;
use crate::game::{Evaluator as _, Fate, ListDemand, ListRuling};
use crate::model::Model;
use serde_json::{Value, json};
use std::fmt::Write;

/// The ruling on a list in words: the verdict; each clause that it breaks, with its condition and the values it saw;
/// those that it keeps; and the readings on which the verdict depends.
#[must_use]
pub fn list_ruling_text(referee: &Explainer, list_ruling: &ListRuling, lang: &str) -> String {
    let model = referee.model();
    let mut out = format!(
        "{}: {}: {}\n",
        names::seat(model, list_ruling.seat, lang),
        called(model, list_ruling, lang),
        verdict_words(list_ruling.verdict)
    );
    let with = |f: fn(&&ListDemand) -> bool| list_ruling.demands.iter().filter(f);
    for broken in with(|d| d.kept == Some(false)) {
        let _ = writeln!(out, "  breaks {}", clause_line(model, &broken.by, lang));
        paraphrases(&mut out, model, broken.by.clause, "     ");
        seen(&mut out, model, broken, lang);
    }
    for open in with(|d| d.fault.is_some()) {
        let _ = writeln!(out, "  cannot tell {}", clause_line(model, &open.by, lang));
        let _ = writeln!(out, "     {}", open.fault.as_deref().unwrap_or_default());
    }
    for kept in with(|d| d.kept == Some(true)) {
        let _ = writeln!(out, "  keeps {}", clause_line(model, &kept.by, lang));
        seen(&mut out, model, kept, lang);
    }
    for off in with(|d| !matches!(d.by.fate, Fate::Applies | Fate::Fails)) {
        let words = fate(model, &off.by.fate, lang);
        let _ = writeln!(out, "  overruled: {} {words}", clause_line(model, &off.by, lang));
    }
    readings(&mut out, model, referee.config(), &list_ruling.readings);
    out
}

/// The label of what is brought, or its name.
fn called(model: &Model, list_ruling: &ListRuling, lang: &str) -> String {
    let Some(bring) = model.brings.get(list_ruling.bring.i()) else {
        return String::from("?");
    };
    let label = model.clause(bring.clause).map_or("", |c| c.label.get(lang));
    if label.is_empty() { bring.name.clone() } else { label.to_owned() }
}

fn seen(out: &mut String, model: &Model, demanded: &ListDemand, lang: &str) {
    for held in demanded.by.conditions.iter().filter(|c| !c.values.is_empty()) {
        let _ = writeln!(out, "     as {}", condition(model, held));
    }
    for asked in &demanded.asked {
        let _ = writeln!(out, "     asked: {}", condition(model, asked));
    }
    if !demanded.against.is_empty() {
        let _ = writeln!(out, "     against it: {}", demanded.against.join(", "));
    }
    let shown = || demanded.by.conditions.iter().chain(&demanded.asked);
    for one in demanded.derived.iter().filter(|d| matters(model, shown(), d)) {
        derived(out, model, one, "     ", lang);
    }
}

/// The same for programs.
#[must_use]
pub fn list_ruling_json(referee: &Explainer, list_ruling: &ListRuling, lang: &str) -> Value {
    let model = referee.model();
    let demand = |d: &ListDemand| {
        let state = match (d.kept, &d.fault) {
            (Some(true), _) => "kept",
            (Some(false), _) => "broken",
            (None, Some(_)) => "undecided",
            (None, None) => "does-not-apply",
        };
        json!({
            "by": data::considered(model, &d.by, lang),
            "state": state,
            "asked": d.asked.iter().map(|s| data::seen(model, s)).collect::<Vec<_>>(),
            "against": d.against,
            "derived": data::derived(model, &d.derived, lang),
            "fault": d.fault,
        })
    };
    json!({
        "seat": list_ruling.seat,
        "brings": model.brings.get(list_ruling.bring.i()).map(|b| b.name.as_str()),
        "verdict": verdict_words(list_ruling.verdict),
        "demands": list_ruling.demands.iter().map(demand).collect::<Vec<_>>(),
        "readings": data::readings(model, &list_ruling.readings),
    })
}
