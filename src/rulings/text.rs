//! A ruling in words.

use super::names;
use crate::explain::Explainer;
use crate::game::{Choice, Considered, Derived, Evaluator as _, Fate, Position, Reason, Ruling, Seen, Verdict};
use crate::model::{ClauseId, Config, ConfigId, ConfigItem, Model};
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

/// A clause as reports name it: head, label, holder and citations.
#[must_use]
pub fn clause_line(model: &Model, considered: &Considered, lang: &str) -> String {
    let mut line = clause_name(model, considered.clause, lang);
    if let Some(holder) = names::holder(model, considered, lang) {
        let _ = write!(line, " of {holder}");
    }
    line
}

fn clause_name(model: &Model, id: ClauseId, lang: &str) -> String {
    let title = model.clause_title(id, lang);
    match model.clause(id) {
        Some(c) if !c.cites.is_empty() => format!("{title} [{}]", c.cites.join(", ")),
        _ => title,
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

pub(super) fn condition(model: &Model, seen: &Seen) -> String {
    let values: Vec<String> = seen.values.iter().map(|(what, value)| format!("{what} is {value}")).collect();
    let values = match values.is_empty() {
        true => String::new(),
        false => format!(" ({})", values.join(", ")),
    };
    format!("{}{values}", model.sources.line(seen.span))
}

pub(super) fn fate(model: &Model, fate: &Fate, lang: &str) -> String {
    match fate {
        Fate::Applies => String::from("applies"),
        Fate::Fails => String::from("does not apply"),
        Fate::Silenced(by) => format!("is silenced by {}", clause_name(model, *by, lang)),
        Fate::Beaten(by) => format!("gives way to {}", clause_name(model, *by, lang)),
        Fate::UsedUp => String::from("is used up"),
    }
}

fn reason(model: &Model, ruling: &Ruling, lang: &str) -> String {
    match &ruling.reason {
        Reason::Permitted => String::from("it is permitted"),
        Reason::Offered => String::from("it is one of the options"),
        Reason::GameOver => String::from("the game is over"),
        Reason::NotYourDecision(Some(seat)) => {
            format!("it is {}'s decision", names::seat(model, *seat, lang))
        }
        Reason::NotYourDecision(None) => String::from("chance decides here"),
        Reason::NoSuchAction => String::from("there is no such action now"),
        Reason::NoPermission => String::from("no permission reaches it"),
        Reason::Prohibited => String::from("it is prohibited"),
        Reason::ObligationUnmet => String::from("an obligation asks for something else"),
        Reason::Conflict => String::from("clauses conflict"),
        Reason::Gap => String::from("no clause speaks"),
    }
}

/// Whether a condition that is shown asks for a definition.
pub(super) fn matters<'a>(model: &Model, mut shown: impl Iterator<Item = &'a Seen>, derived: &Derived) -> bool {
    let name = derived.what.split('(').next().unwrap_or("");
    let call = format!("{name}(");
    shown.any(|seen| model.sources.line(seen.span).contains(&call))
}

/// The value of a definition, and the clauses that made it.
pub(super) fn derived(out: &mut String, model: &Model, derived: &Derived, indent: &str, lang: &str) {
    let by: Vec<String> = derived.by.iter().map(|c| clause_line(model, c, lang)).collect();
    let by = match by.is_empty() {
        true => String::new(),
        false => format!(" by {}", by.join(", ")),
    };
    let when = if derived.after { "after it: " } else { "" };
    let _ = writeln!(out, "{indent}{when}{} is {}{by}", derived.what, derived.value);
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
    let mut out = format!(
        "{}: {}: {}, {}\n",
        names::seat(model, seat, lang),
        super::said(referee, position, (seat, choice), ruling, lang),
        verdict_words(ruling.verdict),
        reason(model, ruling, lang),
    );
    for clause in &ruling.deciding {
        let word = match ruling.reason {
            Reason::NoPermission | Reason::NoSuchAction | Reason::NotYourDecision(_) => "and expressly forbidden by",
            _ => "by",
        };
        let _ = writeln!(out, "  {word} {}", clause_line(model, clause, lang));
        paraphrases(&mut out, model, clause.clause, "     ");
        for seen in clause.conditions.iter().filter(|c| !c.values.is_empty()) {
            let _ = writeln!(out, "     as {}", condition(model, seen));
        }
    }
    for seen in &ruling.conditions {
        let word = match ruling.reason {
            Reason::ObligationUnmet => "asked",
            _ => "needs",
        };
        let _ = writeln!(out, "  {word}: {}", condition(model, seen));
    }
    for clause in &ruling.overruled {
        let _ = writeln!(out, "  overruled: {} {}", clause_line(model, clause, lang), fate(model, &clause.fate, lang));
    }
    // Where a permission was silenced, that is the answer, not the next one.
    let silenced = ruling.overruled.iter().any(|c| matches!(c.fate, Fate::Silenced(_)));
    if let Some((nearest, others)) = ruling.misses.split_first().filter(|_| !silenced) {
        let _ = writeln!(out, "  nearest: {}", clause_line(model, nearest, lang));
        for failed in nearest.conditions.iter().filter(|c| !c.holds) {
            let _ = writeln!(out, "     fails: {}", condition(model, failed));
        }
        if nearest.fate != Fate::Fails {
            let _ = writeln!(out, "     but it {}", fate(model, &nearest.fate, lang));
        }
        match others.len() {
            0 => {}
            1 => out.push_str("     (1 other permission is farther)\n"),
            n => {
                let _ = writeln!(out, "     ({n} other permissions are farther)");
            }
        }
    }
    let nearest = ruling.misses.first();
    let clauses = ruling.deciding.iter().chain(&ruling.overruled).chain(nearest);
    let shown = || clauses.clone().flat_map(|c| &c.conditions).chain(&ruling.conditions);
    for one in ruling.derived.iter().filter(|d| matters(model, shown(), d)) {
        derived(&mut out, model, one, "  ", lang);
    }
    if let Some(fault) = &ruling.fault {
        let _ = writeln!(out, "  {fault}");
    }
    readings(&mut out, model, referee.config(), &ruling.readings);
    out
}

/// The name of an alternative of a reading.
pub(super) fn alternative(item: &ConfigItem, value: i32) -> String {
    let choice = usize::try_from(value).ok().and_then(|i| item.choices.get(i));
    choice.map_or_else(|| value.to_string(), |c| c.name.clone())
}

/// The readings on which a verdict depends, a line each.
pub(super) fn readings(out: &mut String, model: &Model, config: &Config, readings: &[(ConfigId, Vec<(i32, Verdict)>)]) {
    for (id, others) in readings {
        let Some(item) = model.config.get(id.i()) else {
            continue;
        };
        let now = config.0.get(id.i()).copied().unwrap_or(0);
        let others: Vec<String> = others
            .iter()
            .map(|(value, verdict)| format!("{} under {}", verdict_words(*verdict), alternative(item, *value)))
            .collect();
        let (name, now) = (&item.name, alternative(item, now));
        let _ = writeln!(out, "  hangs on the reading {name} (here {now}): {}", others.join(", "));
    }
}
