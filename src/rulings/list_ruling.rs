//! The ruling on a list, in words and as data.

use super::data;
use super::plain::Depth;
use super::text::{condition, derived, line, matters, overruled, paraphrases, readings};
use super::verdict_words;
use crate::explain::Explainer;
use crate::game::{Evaluator as _, Fate, ListDemand, ListRuling, Verdict};
use crate::lexicon::{Lexicon, fill};
use crate::model::Model;
use serde_json::{Value, json};
use std::fmt::Write;

/// The ruling on a list in words: the verdict; each clause that it breaks, with its condition and the values it saw;
/// those that it keeps; and the readings on which the verdict depends. In short, of an illegal list it is only counted
/// how many it keeps.
#[must_use]
pub fn list_ruling_text(referee: &Explainer, list_ruling: &ListRuling, depth: Depth, lang: &str) -> String {
    let model = referee.model();
    let lexicon = &Lexicon::new(model, lang);
    let words = lexicon.words;
    let (seat, brought) = (lexicon.seat(list_ruling.seat), called(model, list_ruling, lang));
    let colon = words.colon;
    let mut out = format!("{seat}{colon}{brought}{colon}{}\n", words.verdict(list_ruling.verdict));
    costs(&mut out, lexicon, list_ruling);
    let with = |f: fn(&&ListDemand) -> bool| list_ruling.demands.iter().filter(f);
    for broken in with(|d| d.kept == Some(false)) {
        let _ = writeln!(out, "  {}", fill(words.breaks, &[&line(lexicon, &broken.by)]));
        paraphrases(&mut out, model, broken.by.clause, "     ");
        seen(&mut out, lexicon, broken);
    }
    for open in with(|d| d.fault.is_some()) {
        let _ = writeln!(out, "  {}", fill(words.cannot_tell, &[&line(lexicon, &open.by)]));
        let _ = writeln!(out, "     {}", open.fault.as_ref().map_or_else(String::new, |f| lexicon.fault(f)));
    }
    let kept: Vec<&ListDemand> = with(|d| d.kept == Some(true)).collect();
    if list_ruling.verdict == Verdict::Illegal && depth == Depth::Short && kept.len() > 1 {
        let _ = writeln!(out, "  {}", fill(words.keeps_others, &[&kept.len().to_string()]));
    } else {
        told_kept(&mut out, lexicon, &kept);
    }
    for off in with(|d| !matches!(d.by.fate, Fate::Applies | Fate::Fails)) {
        overruled(&mut out, lexicon, &off.by);
    }
    readings(&mut out, lexicon, referee.config(), &list_ruling.readings);
    out
}

fn told_kept(out: &mut String, lexicon: &Lexicon, all: &[&ListDemand]) {
    for kept in all {
        let _ = writeln!(out, "  {}", fill(lexicon.words.keeps, &[&line(lexicon, &kept.by)]));
        seen(out, lexicon, kept);
    }
}

/// What the things in it cost, and what is left.
fn costs(out: &mut String, lexicon: &Lexicon, list_ruling: &ListRuling) {
    let bring = lexicon.model.brings.get(list_ruling.bring.i());
    let (Some(bring), Some(costs)) = (bring, &list_ruling.costs) else { return };
    let words = lexicon.words;
    let label = bring.costs.as_ref().map_or("", |c| c.label.get(lexicon.lang));
    let sum = costs.sum.to_string();
    let said = match costs.most.map(i64::from) {
        None => price(lexicon, &sum, label),
        Some(most) => {
            let left = most - costs.sum;
            let form = if left < 0 { words.price_over } else { words.price_of };
            fill(form, &[&sum, &price(lexicon, &most.to_string(), label), &left.abs().to_string()])
        }
    };
    let _ = writeln!(out, "  {said}");
    for (member, count, cost) in &costs.each {
        let (name, one) = (lexicon.member(bring.of, *member), cost.to_string());
        let said = match *count {
            1 => fill(words.priced, &[&name, &one]),
            n => {
                let all = (i64::from(*cost) * n as i64).to_string();
                fill(words.priced_each, &[&fill(words.counted, &[&n.to_string(), &name]), &all, &one])
            }
        };
        let _ = writeln!(out, "     {said}");
    }
}

/// An amount of what is paid.
#[must_use]
pub fn price(lexicon: &Lexicon, amount: &str, label: &str) -> String {
    fill(lexicon.words.price, &[amount, label]).trim_end().to_owned()
}

/// The label of what is brought, or its name.
fn called(model: &Model, list_ruling: &ListRuling, lang: &str) -> String {
    let Some(bring) = model.brings.get(list_ruling.bring.i()) else {
        return String::from("?");
    };
    let label = model.clause(bring.clause).map_or("", |c| c.label.get(lang));
    if label.is_empty() { bring.name.clone() } else { label.to_owned() }
}

fn seen(out: &mut String, lexicon: &Lexicon, demanded: &ListDemand) {
    let words = lexicon.words;
    for held in demanded.by.conditions.iter().filter(|c| !c.values.is_empty()) {
        let _ = writeln!(out, "     {}", fill(words.seen, &[&condition(lexicon, held)]));
    }
    for asked in &demanded.asked {
        let _ = writeln!(out, "     {}", fill(words.asked, &[&condition(lexicon, asked)]));
    }
    if !demanded.against.is_empty() {
        let against = lexicon.counted(&demanded.against).join(words.comma);
        let _ = writeln!(out, "     {}", fill(words.against_it, &[&against]));
    }
    let shown = || demanded.by.conditions.iter().chain(&demanded.asked);
    for one in demanded.derived.iter().filter(|d| matters(lexicon.model, shown(), d)) {
        derived(out, lexicon, one, "     ");
    }
}

/// The same for programs.
#[must_use]
pub fn list_ruling_json(referee: &Explainer, list_ruling: &ListRuling, lang: &str) -> Value {
    let model = referee.model();
    let lexicon = &Lexicon::for_data(model, lang);
    let demand = |d: &ListDemand| {
        let state = match (d.kept, &d.fault) {
            (Some(true), _) => "kept",
            (Some(false), _) => "broken",
            (None, Some(_)) => "undecided",
            (None, None) => "does-not-apply",
        };
        json!({
            "by": data::considered(lexicon, &d.by),
            "state": state,
            "asked": d.asked.iter().map(|s| data::seen(lexicon, s)).collect::<Vec<_>>(),
            "against": lexicon.counted(&d.against),
            "derived": data::derived(lexicon, &d.derived),
            "fault": d.fault.as_ref().map(|f| lexicon.fault(f)),
        })
    };
    let bring = model.brings.get(list_ruling.bring.i());
    json!({
        "seat": list_ruling.seat,
        "brings": bring.map(|b| b.name.as_str()),
        "verdict": verdict_words(list_ruling.verdict),
        "costs": list_ruling.costs.as_ref().map(|costs| json!({
            "each": costs.each.iter().map(|(member, count, cost)| json!({
                "name": bring.map(|b| lexicon.member(b.of, *member)),
                "count": count,
                "cost": cost,
            })).collect::<Vec<_>>(),
            "sum": costs.sum,
            "most": costs.most,
        })),
        "demands": list_ruling.demands.iter().map(demand).collect::<Vec<_>>(),
        "readings": data::readings(model, &list_ruling.readings),
    })
}
