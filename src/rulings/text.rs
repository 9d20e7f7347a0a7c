//! A ruling in words.

use super::citing::{cited, cites_of, fate};
use crate::explain::Explainer;
use crate::game::{
    Choice, Considered, Derived, Evaluator as _, Fate, Position, ReadingEffect, Reason, Ruling, Seen, Verdict,
};
use crate::lexicon::{Lexicon, fill};
use crate::model::{ClauseId, ClauseKind, Config, ConfigItem, Layer, Model, RegisterRow};
use std::fmt::Write;

/// `legal`, `illegal`, `undecided`.
#[must_use]
pub fn verdict_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Legal => "legal",
        Verdict::Illegal => "illegal",
        Verdict::Undecided => "undecided",
    }
}

/// The same; `unreached` where the position would not have come about.
pub(super) fn outcome_words(verdict: Option<Verdict>) -> &'static str {
    verdict.map_or("unreached", verdict_words)
}

/// A clause as reports name it: head, label, citations and holder.
#[must_use]
pub fn clause_line(model: &Model, considered: &Considered, lang: &str) -> String {
    line(&Lexicon::new(model, lang), considered)
}

pub(super) fn line(lexicon: &Lexicon, considered: &Considered) -> String {
    lexicon.held(&lexicon.cited(considered.clause), considered)
}

fn row<'m>(model: &'m Model, id: &str) -> Option<&'m RegisterRow> {
    model.register.iter().find(|r| r.id == id)
}

/// Why a condition holds or fails.
fn because(out: &mut String, lexicon: &Lexicon, seen: &Seen, indent: &str) {
    for said in lexicon.because(seen) {
        let _ = writeln!(out, "{indent}{said}");
    }
}

/// The citation ids of some clauses, each once.
#[must_use]
pub fn clauses_of(model: &Model, considered: &[Considered]) -> Vec<String> {
    let mut ids = Vec::new();
    for id in considered.iter().filter_map(|c| model.clause(c.clause)).flat_map(|c| &c.cites) {
        if !ids.contains(id) {
            ids.push(id.clone());
        }
    }
    ids
}

pub(super) fn paraphrases(out: &mut String, model: &Model, id: ClauseId, indent: &str) {
    let cites = model.clause(id).map_or(&[][..], |c| &c.cites);
    for row in cites.iter().filter_map(|id| model.register.iter().find(|r| r.id == *id)) {
        let _ = writeln!(out, "{indent}{}: {}", row.id, row.paraphrase.text);
    }
}

/// What the register says of a clause, in a language where it has it; empty if it says nothing.
pub(super) fn paraphrases_of(model: &Model, id: &str, lang: &str) -> String {
    let row = model.register.iter().find(|r| r.id == id);
    row.map_or_else(String::new, |r| r.paraphrase.get(lang).to_owned())
}

pub(super) fn condition(lexicon: &Lexicon, seen: &Seen) -> String {
    let text = lexicon.model.sources.line(seen.span);
    match lexicon.saw(seen) {
        saw if saw.is_empty() => text,
        saw => text + &lexicon.words.bracketed(&saw.join(lexicon.words.comma)),
    }
}

/// Whether a condition that is shown asks for a definition.
pub(super) fn matters<'a>(model: &Model, mut shown: impl Iterator<Item = &'a Seen>, derived: &Derived) -> bool {
    let name = model.defs.get(derived.what.def.i()).map_or("", |d| &d.name);
    let call = format!("{name}(");
    shown.any(|seen| model.sources.line(seen.span).contains(&call))
}

/// The definitions whose values had a part in a ruling.
#[must_use]
pub fn derived_that_matter<'r>(model: &Model, ruling: &'r Ruling) -> Vec<&'r Derived> {
    let clauses = || ruling.deciding.iter().chain(&ruling.overruled).chain(ruling.misses.first());
    let shown = || clauses().flat_map(|c| &c.conditions).chain(&ruling.conditions);
    ruling.derived.iter().filter(|d| matters(model, shown(), d)).collect()
}

/// Whether a clause that applies adds nothing to a number.
fn adds_nothing(model: &Model, considered: &Considered) -> bool {
    considered.number == Some(0)
        && model.clause(considered.clause).map(|c| c.kind) == Some(ClauseKind::Layer(Layer::Plus))
}

/// Whether a clause has changed the value of a definition.
pub(super) fn is_changed(model: &Model, derived: &Derived) -> bool {
    let general = model.defs.get(derived.what.def.i()).map(|def| def.clause);
    derived.by.iter().any(|c| Some(c.clause) != general && c.fate == Fate::Applies && !adds_nothing(model, c))
}

/// The value of a definition, and the clauses that made it.
pub(super) fn derived(out: &mut String, lexicon: &Lexicon, derived: &Derived, indent: &str) {
    let adds = |c: &&Considered| !adds_nothing(lexicon.model, c);
    let by: Vec<&Considered> = derived.by.iter().filter(adds).collect();
    made(out, lexicon, (derived, &by), indent);
}

/// The same with those that add 0.
pub(super) fn derived_by_all(out: &mut String, lexicon: &Lexicon, derived: &Derived, indent: &str) {
    made(out, lexicon, (derived, &derived.by.iter().collect::<Vec<_>>()), indent);
}

fn made(out: &mut String, lexicon: &Lexicon, (derived, by): (&Derived, &[&Considered]), indent: &str) {
    let says = lexicon.derived(derived);
    let says = match by {
        [] => says,
        [one] => fill(lexicon.words.made_by, &[&says, &line(lexicon, one)]),
        several => {
            let part = |c: &&Considered| {
                let giving = lexicon.giving(&lexicon.cited(c.clause), c);
                match c.fate {
                    Fate::Applies => giving,
                    _ => format!("{giving}{}", lexicon.words.bracketed(&lexicon.fate(&c.fate))),
                }
            };
            let parts: Vec<String> = several.iter().map(part).collect();
            let is_number = several.iter().any(|c| c.number.is_some());
            let phrase = if is_number { lexicon.words.made_of } else { lexicon.words.made_by };
            fill(phrase, &[&says, &parts.join(lexicon.words.comma)])
        }
    };
    let _ = writeln!(out, "{indent}{says}");
}

/// A ruling in words: the verdict, the clauses that decide it, what was overruled, what was near, what it was derived
/// from, and the readings on which it depends.
#[must_use]
pub fn text(
    referee: &Explainer,
    position: &Position,
    seat: u16,
    choice: Choice,
    ruling: &Ruling,
    lang: &str,
) -> String {
    let model = referee.model();
    let lexicon = &Lexicon::new(model, lang);
    let words = lexicon.words;
    let said = super::said(referee, position, (seat, choice), ruling, lang);
    let mut out = format!(
        "{}{colon}{said}{colon}{}{}{}\n",
        lexicon.seat(seat),
        words.verdict(ruling.verdict),
        words.comma,
        reason(lexicon, ruling),
        colon = words.colon,
    );
    let besides = matches!(ruling.reason, Reason::NoPermission | Reason::NoSuchAction | Reason::NotYourDecision(_));
    for clause in &ruling.deciding {
        let phrase = if besides { words.forbidden_besides } else { words.by };
        let _ = writeln!(out, "  {}", fill(phrase, &[&cited(lexicon, ruling, clause)]));
        for row in cites_of(model, ruling, clause).into_iter().filter_map(|id| row(model, id)) {
            let _ = writeln!(out, "     {}: {}", row.id, row.paraphrase.text);
        }
        for seen in &clause.conditions {
            if !seen.values.is_empty() {
                let _ = writeln!(out, "     {}", fill(words.seen, &[&condition(lexicon, seen)]));
            }
            because(&mut out, lexicon, seen, "     ");
        }
    }
    for seen in &ruling.conditions {
        let phrase = if ruling.reason == Reason::ObligationUnmet { words.asked } else { words.needs };
        let _ = writeln!(out, "  {}", fill(phrase, &[&condition(lexicon, seen)]));
        because(&mut out, lexicon, seen, "     ");
    }
    if let Some(withheld) = ruling.moment.as_ref().and_then(|m| m.withheld()) {
        let _ = writeln!(out, "  {}", fill(words.withheld, &[&line(lexicon, withheld)]));
        paraphrases(&mut out, model, withheld.clause, "     ");
        failing(&mut out, lexicon, withheld);
    }
    for seen in ruling.moment.iter().flat_map(|m| &m.conditions) {
        let _ = writeln!(out, "  {}", fill(words.needs, &[&condition(lexicon, seen)]));
    }
    for clause in &ruling.overruled {
        let title = fill(words.overruled, &[&cited(lexicon, ruling, clause)]);
        let _ = writeln!(out, "  {title} {}", fate(lexicon, ruling, &clause.fate));
    }
    nearest(&mut out, lexicon, ruling);
    for one in derived_that_matter(model, ruling) {
        derived(&mut out, lexicon, one, "  ");
    }
    if let Some(fault) = &ruling.fault {
        let _ = writeln!(out, "  {}", lexicon.fault(fault));
    }
    for said in moment(lexicon, ruling) {
        let _ = writeln!(out, "  {said}");
    }
    readings(&mut out, lexicon, referee.config(), &ruling.readings);
    out
}

/// Why, in a sentence.
pub(super) fn reason(lexicon: &Lexicon, ruling: &Ruling) -> String {
    match &ruling.moment {
        Some(moment) if moment.certain => lexicon.words.not_asked.to_owned(),
        _ => lexicon.reason(&ruling.reason),
    }
}

/// Of an action that is not asked for now, where it is asked for, and whose decision it is instead.
pub(super) fn moment(lexicon: &Lexicon, ruling: &Ruling) -> Vec<String> {
    let Some(moment) = &ruling.moment else { return Vec::new() };
    let code = lexicon.model.codes.get(moment.code.i());
    let step = code.and_then(|c| c.steps.get(moment.step?));
    let name = code.map_or("?", |c| c.name.as_str());
    let place = step.map_or_else(|| name.to_owned(), |step| format!("{name}.{}", step.name));
    let asks = code.and_then(|c| c.asks_in(step));
    let place =
        asks.map_or_else(|| place.clone(), |asks| fill(lexicon.words.asked_to, &[asks.get(lexicon.lang), &place]));
    let cites = step.or(None).map_or_else(|| code.map_or(&[][..], |c| &c.cites), |s| &s.cites);
    let place = if cites.is_empty() { place } else { format!("{place} [{}]", cites.join(", ")) };
    let mut lines = vec![fill(lexicon.words.asked_at, &[&place])];
    if moment.certain && matches!(ruling.reason, Reason::NotYourDecision(_)) {
        lines.push(lexicon.reason(&ruling.reason));
    }
    lines
}

/// A clause that lost.
pub(super) fn overruled(out: &mut String, lexicon: &Lexicon, clause: &Considered) {
    let title = fill(lexicon.words.overruled, &[&line(lexicon, clause)]);
    let _ = writeln!(out, "  {title} {}", lexicon.fate(&clause.fate));
}

/// Why a clause does not apply.
fn failing(out: &mut String, lexicon: &Lexicon, clause: &Considered) {
    for failed in clause.conditions.iter().filter(|c| !c.holds) {
        let _ = writeln!(out, "     {}", fill(lexicon.words.fails, &[&condition(lexicon, failed)]));
        because(out, lexicon, failed, "        ");
    }
    if clause.fate != Fate::Fails {
        let _ = writeln!(out, "     {}", fill(lexicon.words.but_it, &[&lexicon.fate(&clause.fate)]));
    }
}

/// The permission that comes nearest to reaching an action.
fn nearest(out: &mut String, lexicon: &Lexicon, ruling: &Ruling) {
    let words = lexicon.words;
    // Where a permission was silenced, that is the answer, not the next one.
    let silenced = ruling.overruled.iter().any(|c| matches!(c.fate, Fate::Silenced(_)));
    let Some((nearest, others)) = ruling.misses.split_first().filter(|_| !silenced) else {
        return;
    };
    let _ = writeln!(out, "  {}", fill(words.nearest, &[&cited(lexicon, ruling, nearest)]));
    failing(out, lexicon, nearest);
    let farther = match others.len() {
        0 => return,
        1 => words.farther_one.to_owned(),
        n => fill(words.farther_many, &[&n.to_string()]),
    };
    let _ = writeln!(out, "     {farther}");
}

/// The name of an alternative of a reading.
pub(super) fn alternative(item: &ConfigItem, value: i32) -> String {
    let choice = usize::try_from(value).ok().and_then(|i| item.choices.get(i));
    choice.map_or_else(|| value.to_string(), |c| c.name.clone())
}

/// The readings on which a verdict depends, a line each.
pub(super) fn readings(out: &mut String, lexicon: &Lexicon, config: &Config, readings: &[ReadingEffect]) {
    for line in depends(lexicon, config, readings) {
        let _ = writeln!(out, "  {line}");
    }
}

/// The same as sentences.
pub(super) fn depends(lexicon: &Lexicon, config: &Config, readings: &[ReadingEffect]) -> Vec<String> {
    let words = lexicon.words;
    let sentence = |(id, others): &ReadingEffect| {
        let item = lexicon.model.config.get(id.i())?;
        let now = config.0.get(id.i()).copied().unwrap_or(0);
        let other = |(value, verdict): &(i32, Option<Verdict>)| {
            fill(words.under, &[words.outcome(*verdict), &alternative(item, *value)])
        };
        let others: Vec<String> = others.iter().map(other).collect();
        Some(fill(words.depends, &[&item.name, &alternative(item, now), &others.join(words.comma)]))
    };
    readings.iter().filter_map(sentence).collect()
}
