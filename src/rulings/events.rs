//! What a choice leads to: a line for players, the whole for a referee, and data.

use super::data;
use super::text::{condition, derived};
use crate::game::{Event, EventKind, Events, Sum};
use crate::lexicon::{Lexicon, fill};
use crate::model::{Model, Var, VarOwner};
use serde_json::{Value, json};

/// The maximum number of changes told in one sentence.
const MAX_CHANGES: usize = 6;

/// What happened, a sentence for all that has the same reason: the sums that were compared, what changed by them, and
/// the clauses. What the choice itself says, as it was `said`, is left out, and so are variables of the game that have
/// no name for people.
#[must_use]
pub fn events_brief(model: &Model, events: &Events, said: &str, lang: &str) -> Vec<String> {
    let lexicon = &Lexicon::new(model, lang);
    let mut sentences: Vec<(Vec<&Sum>, Vec<&str>, Vec<String>)> = Vec::new();
    for (i, event) in events.lasting(model).filter(|(_, event)| !is_plain(lexicon, event, said)) {
        let (mut sums, mut cites): (Vec<&Sum>, Vec<&str>) = (Vec::new(), Vec::new());
        for cause in events.causes(i).into_iter().filter_map(|c| events.all.get(c)) {
            for sum in &cause.sums {
                if !sums.contains(&sum) {
                    sums.push(sum);
                }
            }
            let void = matches!(event.kind, EventKind::Void);
            let deciding = !void && (!cause.sums.is_empty() || std::ptr::eq(cause, event));
            for cite in lexicon.origin_cites(cause).iter().filter(|_| deciding) {
                if !cites.contains(&cite.as_str()) {
                    cites.push(cite);
                }
            }
        }
        let said = lexicon.happened(event);
        match sentences.iter_mut().find(|(s, c, _)| *s == sums && *c == cites) {
            Some((_, _, all)) => all.push(said),
            None => sentences.push((sums, cites, vec![said])),
        }
    }
    let words = &lexicon.words.events;
    let sentence = |(sums, cites, mut said): (Vec<&Sum>, Vec<&str>, Vec<String>)| {
        let more = said.len().saturating_sub(MAX_CHANGES);
        if more > 1 {
            said.truncate(MAX_CHANGES);
            said.push(fill(lexicon.words.play.and_more, &[&more.to_string()]));
        }
        let mut text = said.join(words.semicolon);
        if !sums.is_empty() {
            let sums: Vec<String> = sums.iter().map(|s| lexicon.terms(s)).collect();
            text = fill(words.became, &[&sums.join(words.against), &text]);
        }
        if cites.is_empty() { text } else { format!("{text} [{}]", cites.join(", ")) }
    };
    sentences.into_iter().map(sentence).collect()
}

/// Whether a change needs no telling.
fn is_plain(lexicon: &Lexicon, event: &Event, said: &str) -> bool {
    let EventKind::Became { var, index, after, before, .. } = &event.kind else { return false };
    let unnamed = |v: &Var| v.owner == VarOwner::Game && v.label.text.is_empty();
    let value = lexicon.changed_to(before.as_ref(), after);
    lexicon.model.vars.get(var.i()).is_some_and(unnamed)
        || index.is_some_and(|i| said.contains(&lexicon.seen_member(i)))
            && !value.is_empty()
            && value.iter().all(|v| said.contains(v))
}

/// Everything that happened, in order: what says so, under which conditions with which values, and what it changed.
#[must_use]
pub fn events_text(model: &Model, events: &Events, lang: &str) -> Vec<String> {
    let lexicon = &Lexicon::new(model, lang);
    let mut lines = Vec::new();
    let mut last: Option<&Event> = None;
    let mut told: Vec<String> = Vec::new();
    for event in &events.all {
        let reasons: Vec<String> = reasons(lexicon, event).into_iter().filter(|line| !told.contains(line)).collect();
        let same = |e: &&Event| (e.code, e.step, &e.by) == (event.code, event.step, &event.by);
        let void = matches!(event.kind, EventKind::Void);
        if !void && (last.filter(same).is_none() || !reasons.is_empty()) {
            lines.push(lexicon.origin(event));
        }
        lines.extend(reasons.iter().map(|line| format!("  {line}")));
        lines.push(format!("  {}", lexicon.happened(event)));
        told.extend(reasons);
        last = Some(event).filter(|_| !void);
    }
    lines
}

/// Why something happened: the conditions with what they saw, sums, and definitions that a clause changed.
fn reasons(lexicon: &Lexicon, event: &Event) -> Vec<String> {
    let own = event.by.iter().flat_map(|by| &by.conditions);
    let seen = own.chain(&event.conditions).filter(|s| !s.values.is_empty());
    let mut lines: Vec<String> = seen
        .map(|seen| {
            let phrase = if seen.holds { lexicon.words.seen } else { lexicon.words.fails };
            fill(phrase, &[&condition(lexicon, seen)])
        })
        .collect();
    lines.extend(event.sums.iter().map(|sum| lexicon.sum(sum)));
    for one in &event.derived {
        let mut line = String::new();
        derived(&mut line, lexicon, one, "");
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// The same as data.
#[must_use]
pub fn events_json(model: &Model, events: &Events, lang: &str) -> Value {
    let lexicon = &Lexicon::for_data(model, lang);
    let sum = |sum: &Sum| {
        let (what, value) = (lexicon.applied(&sum.what), lexicon.value(&sum.value));
        json!({ "what": what, "value": value, "terms": lexicon.terms(sum) })
    };
    let event = |event: &Event| {
        let kind = match event.kind {
            EventKind::Became { .. } => "became",
            EventKind::Void => "void",
            EventKind::NothingLegal { .. } => "nothing-legal",
            EventKind::Over { .. } => "over",
        };
        json!({
            "kind": kind,
            "text": lexicon.happened(event),
            "origin": lexicon.origin(event),
            "cites": lexicon.origin_cites(event),
            "by": event.by.as_ref().map(|by| data::considered(lexicon, by)),
            "conditions": event.conditions.iter().map(|s| data::seen(lexicon, s)).collect::<Vec<_>>(),
            "sums": event.sums.iter().map(sum).collect::<Vec<_>>(),
            "derived": data::derived(lexicon, &event.derived),
            "follows": event.follows,
        })
    };
    Value::from(events.all.iter().map(event).collect::<Vec<_>>())
}
