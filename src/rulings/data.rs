//! A ruling as data.

use super::citing::cites_of;
use super::text::alternative;
use super::text::outcome_words;
use super::verdict_words;
use crate::explain::Explainer;
use crate::game::{
    Choice, Considered, Derived, Evaluator as _, Fate, Moment, Position, ReadingEffect, Reason, Ruling, Seen, SeenPart,
    Witness,
};
use crate::lexicon::Lexicon;
use crate::model::{ClauseId, Model};
use serde_json::{Value, json};

fn clause(model: &Model, id: ClauseId, lang: &str) -> Value {
    let found = model.clause(id);
    let place = found.map(|c| model.sources.place(c.span));
    json!({
        "head": found.map(|c| c.head()),
        "label": found.map(|c| c.label.get(lang)),
        "cites": found.map(|c| c.cites.clone()).unwrap_or_default(),
        "file": place.map(|p| p.0),
        "line": place.map(|p| p.1),
    })
}

pub(super) fn seen(lexicon: &Lexicon, seen: &Seen) -> Value {
    let values: serde_json::Map<String, Value> =
        lexicon.parts(&seen.values).into_iter().map(|(what, value)| (what, Value::from(value))).collect();
    json!({
        "text": lexicon.model.sources.line(seen.span),
        "holds": seen.holds,
        "values": values,
        "witnesses": seen.witnesses.iter().map(|w| witness(lexicon, w)).collect::<Vec<_>>(),
        "more": seen.more,
    })
}

fn witness(lexicon: &Lexicon, witness: &Witness) -> Value {
    let values = |parts: &[SeenPart]| -> serde_json::Map<String, Value> {
        lexicon.parts(parts).into_iter().map(|(what, value)| (what, Value::from(value))).collect()
    };
    json!({
        "members": values(&witness.members),
        "text": lexicon.model.sources.line(witness.span),
        "holds": witness.holds,
        "values": values(&witness.values),
        "by": witness.by.iter().map(|id| clause(lexicon.model, *id, lexicon.lang)).collect::<Vec<_>>(),
    })
}

pub(super) fn considered(lexicon: &Lexicon, c: &Considered) -> Value {
    let (model, lang) = (lexicon.model, lexicon.lang);
    let (fate, by) = match c.fate {
        Fate::Applies => ("applies", None),
        Fate::Fails => ("fails", None),
        Fate::Silenced(by) => ("silenced", Some(by)),
        Fate::Beaten(by) => ("beaten", Some(by)),
        Fate::UsedUp => ("used-up", None),
    };
    let holder = c.holder.and_then(|h| {
        let ability = model.clause(c.clause)?.ability?;
        let kind = model.abilities.get(ability.i())?.kind;
        Some(model.kinds.get(kind.i())?.members.get(h as usize)?.id.clone())
    });
    json!({
        "clause": clause(model, c.clause, lang),
        "holder": holder,
        "fate": fate,
        "by": by.map(|b| clause(model, b, lang)),
        "conditions": c.conditions.iter().map(|s| seen(lexicon, s)).collect::<Vec<_>>(),
        "number": c.number,
    })
}

/// Values of definitions for programs, with the clauses that made them.
#[must_use]
pub fn derived(lexicon: &Lexicon, list: &[Derived]) -> Vec<Value> {
    let by = |d: &Derived| d.by.iter().map(|c| considered(lexicon, c)).collect::<Vec<_>>();
    let one = |d: &Derived| {
        let (what, value) = (lexicon.applied(&d.what), lexicon.value(&d.value));
        json!({ "what": what, "after": d.after, "value": value, "by": by(d) })
    };
    list.iter().map(one).collect()
}

pub(super) fn readings(model: &Model, list: &[ReadingEffect]) -> Vec<Value> {
    let reading = |(id, others): &ReadingEffect| {
        let item = model.config.get(id.i())?;
        let others: Vec<Value> = others
            .iter()
            .map(|(value, verdict)| {
                json!({ "alternative": alternative(item, *value), "verdict": outcome_words(*verdict) })
            })
            .collect();
        Some(json!({ "reading": item.name, "otherwise": others }))
    };
    list.iter().filter_map(reading).collect()
}

/// Where an action is asked for that is not asked for now.
fn moment(lexicon: &Lexicon, moment: &Moment) -> Value {
    let code = lexicon.model.codes.get(moment.code.i());
    let step = code.and_then(|c| c.steps.get(moment.step?));
    json!({
        "procedure": code.map(|c| c.name.as_str()),
        "step": step.map(|s| s.name.as_str()),
        "clause": moment.hook.as_ref().map(|c| considered(lexicon, c)),
        "conditions": moment.conditions.iter().map(|s| seen(lexicon, s)).collect::<Vec<_>>(),
        "certain": moment.certain,
    })
}

/// What the register says of the clauses that are cited by what decides and by what lost.
fn citations(model: &Model, ruling: &Ruling, lang: &str) -> Vec<Value> {
    let near = ruling.misses.first();
    let all = ruling.deciding.iter().chain(&ruling.overruled).chain(near).cloned().collect::<Vec<_>>();
    let mut ids: Vec<&str> = Vec::new();
    for id in all.iter().flat_map(|c| cites_of(model, ruling, c)) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let row = |id: &&str| {
        let row = model.register.iter().find(|r| r.id == *id)?;
        Some(json!({
            "id": row.id, "section": row.section, "line": row.line,
            "says": row.paraphrase.get(lang), "unclear": row.ambiguity,
        }))
    };
    ids.iter().filter_map(row).collect()
}

/// A ruling as JSON: the same as its text says, for programs.
#[must_use]
pub fn json(referee: &Explainer, position: &Position, seat: u16, choice: Choice, ruling: &Ruling, lang: &str) -> Value {
    let model = referee.model();
    let lexicon = &Lexicon::for_data(model, lang);
    let reason = match ruling.reason {
        Reason::Permitted => "permitted",
        Reason::Offered => "offered",
        Reason::GameOver => "game-over",
        Reason::NotYourDecision(_) => "not-your-decision",
        Reason::NoSuchAction => "no-such-action",
        Reason::NoPermission => "no-permission",
        Reason::Prohibited => "prohibited",
        Reason::ObligationUnmet => "obligation-unmet",
        Reason::Conflict => "conflict",
        Reason::Gap => "gap",
    };
    let all = |list: &[Considered]| -> Vec<Value> { list.iter().map(|c| considered(lexicon, c)).collect() };
    json!({
        "seat": seat,
        "seat_name": lexicon.seat(seat),
        "choice": super::said(referee, position, (seat, choice), ruling, lang),
        "verdict": verdict_words(ruling.verdict),
        "reason": reason,
        "deciding": all(&ruling.deciding),
        "overruled": all(&ruling.overruled),
        "misses": all(&ruling.misses),
        "idle": all(&ruling.idle),
        "citations": citations(model, ruling, lang),
        "conditions": ruling.conditions.iter().map(|s| seen(lexicon, s)).collect::<Vec<_>>(),
        "moment": ruling.moment.as_ref().map(|m| moment(lexicon, m)),
        "derived": derived(lexicon, &ruling.derived),
        "fault": ruling.fault.as_ref().map(|f| lexicon.fault(f)),
        "readings": readings(model, &ruling.readings),
    })
}
