//! What a choice leads to: a line for players, the whole for a referee, and data.

use super::carried::carried;
use super::data;
use super::text::{condition, derived};
use crate::game::{Event, EventKind, Events, Sum};
use crate::lexicon::{Lexicon, fill};
use crate::model::{Base, ClauseId, Model, VarOwner};
use serde_json::{Value, json};

/// The maximum number of changes told in one sentence.
const MAX_CHANGES: usize = 6;

/// What happened, a sentence for all that has the same reason: the sums that were compared, what changed by them, and
/// the clauses. What the choice itself says, as it was `said`, is left out, and so are variables of the game that have
/// no name for people.
#[must_use]
pub fn events_brief(lexicon: &Lexicon, events: &Events, said: &str) -> Vec<String> {
    let mut sentences: Vec<(Vec<&Sum>, Vec<&str>, Vec<String>)> = Vec::new();
    let mut summed: Vec<&Sum> = Vec::new();
    let lasting: Vec<(usize, &Event)> =
        events.lasting(lexicon.model).filter(|(_, e)| !is_internal(lexicon, e)).collect();
    let carried = carried(lexicon, &lasting, said);
    for (i, event) in lasting {
        let told = match carried.get(&i) {
            Some(lines) => lines.clone(),
            None if is_plain(lexicon, event, said) => Vec::new(),
            None => vec![lexicon.happened(event)],
        };
        if told.is_empty() {
            continue;
        }
        let (mut sums, mut cites): (Vec<&Sum>, Vec<&str>) = (Vec::new(), Vec::new());
        for cause in events.causes(i).into_iter().filter_map(|c| events.all.get(c)) {
            for sum in &cause.sums {
                if !sums.contains(&sum) {
                    sums.push(sum);
                }
            }
            let void = matches!(event.kind, EventKind::Void);
            let decides =
                cause.by.is_some() && lexicon.model.clause(clause_of(cause)).is_some_and(|c| c.ability.is_some());
            let deciding = !void && (!cause.sums.is_empty() || std::ptr::eq(cause, event) || decides);
            for cite in lexicon.origin_cites(cause).iter().filter(|_| deciding) {
                if !cites.contains(&cite.as_str()) {
                    cites.push(cite);
                }
            }
        }
        match sentences.iter_mut().find(|(s, c, _)| *s == sums && *c == cites) {
            Some((_, _, all)) => all.extend(told),
            None => sentences.push((sums, cites, told)),
        }
    }
    let words = &lexicon.words.events;
    // What has been told of the sums before is not told again.
    for (sums, ..) in &mut sentences {
        if sums.iter().all(|sum| summed.contains(sum)) {
            sums.clear();
        }
        summed.extend(sums.iter().copied());
    }
    let sentence = |(sums, cites, mut said): (Vec<&Sum>, Vec<&str>, Vec<String>)| {
        let more = said.len().saturating_sub(MAX_CHANGES);
        if more > 1 {
            said.truncate(MAX_CHANGES);
        }
        let mut text = said.join(words.semicolon);
        if more > 1 {
            text = fill(lexicon.words.play.and_more, &[&text, &more.to_string()]);
        }
        if !sums.is_empty() {
            let made = match sums.as_slice() {
                [one] => lexicon.total(one),
                several => several.iter().map(|s| lexicon.terms(s)).collect::<Vec<_>>().join(words.against),
            };
            text = fill(words.became, &[&made, &text]);
        }
        if cites.is_empty() { text } else { format!("{text} [{}]", cites.join(", ")) }
    };
    sentences.into_iter().map(sentence).collect()
}

/// Whether a change needs no telling.
fn is_plain(lexicon: &Lexicon, event: &Event, said: &str) -> bool {
    let EventKind::Became { var, index, after, before, .. } = &event.kind else { return false };
    let value = lexicon.changed_to(before.as_ref(), after);
    let named = index.is_some_and(|i| said.contains(&lexicon.seen_member(i)));
    // A number of a place that was named, such as that of its men, is what the choice says.
    let place = lexicon.model.board.as_ref().map(|board| VarOwner::Field(board.kind));
    let own = lexicon
        .model
        .vars
        .get(var.i())
        .is_some_and(|v| Some(v.owner) == place && matches!(v.ty.base, Base::Int | Base::Range(..)));
    named && (own || !value.is_empty() && value.iter().all(|v| said.contains(v)))
}

/// Whether something happened that is for the rules alone.
fn is_internal(lexicon: &Lexicon, event: &Event) -> bool {
    matches!(event.kind, EventKind::Became { var, .. } if lexicon.is_internal(var))
}

/// The clause that brought something about.
fn clause_of(event: &Event) -> ClauseId {
    event.by.as_ref().map_or(ClauseId(u16::MAX), |by| by.clause)
}

/// Everything that happened as players are told it: without what is for the rules alone, and by clauses instead of
/// procedures.
#[must_use]
pub fn events_told(lexicon: &Lexicon, events: &Events) -> Vec<String> {
    let (mut lines, mut told, mut last): (Vec<String>, Vec<String>, String) = (Vec::new(), Vec::new(), String::new());
    let idle = |event: &Event| match event.kind {
        EventKind::Became { var, .. } => lexicon.model.is_passing(var) || lexicon.is_internal(var),
        EventKind::NothingLegal { .. } => true,
        EventKind::Void | EventKind::Over { .. } => false,
    };
    for event in events.all.iter().filter(|event| !idle(event)) {
        let cites = lexicon.origin_cites(event);
        let origin = match &event.by {
            Some(_) => lexicon.origin(event),
            None if cites.is_empty() => String::new(),
            None => format!("[{}]", cites.join(", ")),
        };
        let void = matches!(event.kind, EventKind::Void);
        if !void && origin != last && !origin.is_empty() {
            lines.push(origin.clone());
        }
        for line in reasons(lexicon, event) {
            if !told.contains(&line) {
                lines.push(format!("  {line}"));
                told.push(line);
            }
        }
        lines.push(format!("  {}", lexicon.happened(event)));
        last = if void { String::new() } else { origin };
    }
    lines
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
