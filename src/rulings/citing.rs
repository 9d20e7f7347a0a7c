//! Which of a clause's citations a ruling is about.
//!
//! A clause may stand for several sentences of the rulebook. Those that belong to what decided nothing here are left
//! out: to another definition in its condition than the one that decides, or to another permission than the one asked
//! for.

use std::collections::BTreeSet;

use crate::game::{Considered, Fate, Ruling};
use crate::lexicon::{Lexicon, fill};
use crate::model::{Clause, ClauseId, ClauseKind, Model};

/// The citations of a clause that are about what was asked; all of them if none is.
pub(super) fn cites_of<'m>(model: &'m Model, ruling: &Ruling, considered: &Considered) -> Vec<&'m str> {
    let Some(clause) = model.clause(considered.clause) else { return Vec::new() };
    let all: Vec<&str> = clause.cites.iter().map(String::as_str).collect();
    let elsewhere = other_definitions(model, clause, considered);
    let kept = |cite: &&str| !elsewhere.contains(cite) && !is_of_other_permission(model, ruling, clause, cite);
    let about: Vec<&str> = all.iter().copied().filter(kept).collect();
    if about.is_empty() { all } else { about }
}

/// A clause with those citations: `may move "forward" [move.2]`.
pub(super) fn cited(lexicon: &Lexicon, ruling: &Ruling, considered: &Considered) -> String {
    let title = lexicon.clause(considered.clause);
    let cites = cites_of(lexicon.model, ruling, considered);
    let title = if cites.is_empty() { title } else { format!("{title} [{}]", cites.join(", ")) };
    lexicon.held(&title, considered)
}

/// What became of a clause; where another beat it, with those citations of that one.
pub(super) fn fate(lexicon: &Lexicon, ruling: &Ruling, fate: &Fate) -> String {
    let winner = |by: &ClauseId| match ruling.deciding.iter().find(|c| c.clause == *by) {
        Some(considered) => cited(lexicon, ruling, considered),
        None => lexicon.cited(*by),
    };
    match fate {
        Fate::Silenced(by) => fill(lexicon.words.silenced_by, &[&winner(by)]),
        Fate::Beaten(by) => fill(lexicon.words.gives_way_to, &[&winner(by)]),
        _ => lexicon.fate(fate),
    }
}

/// What is cited only by definitions in the conditions of a clause that decided nothing.
fn other_definitions<'m>(model: &'m Model, clause: &'m Clause, considered: &Considered) -> BTreeSet<&'m str> {
    let through: Vec<ClauseId> = considered.conditions.iter().flat_map(|c| c.through.iter().copied()).collect();
    if through.is_empty() {
        return BTreeSet::new();
    }
    let cites = |id: &ClauseId| model.clause(*id).into_iter().flat_map(|c| c.cites.iter().map(String::as_str));
    let deciding: BTreeSet<&str> = through.iter().flat_map(cites).collect();
    model.definitions_in(&clause.when).iter().flat_map(cites).filter(|cite| !deciding.contains(cite)).collect()
}

/// Whether what a prohibition cites belongs, by its section of the register, with a permission that does not reach the
/// action, and with none that does.
fn is_of_other_permission(model: &Model, ruling: &Ruling, clause: &Clause, cite: &str) -> bool {
    let section = |id: &str| model.register.iter().find(|r| r.id == id).map(|r| r.section.as_str());
    let Some(own) = section(cite).filter(|_| clause.kind == ClauseKind::MayNot) else { return false };
    let permissions = |reaches: bool| {
        let all = ruling.deciding.iter().chain(&ruling.overruled).chain(&ruling.misses).chain(&ruling.idle);
        let wanted = all.filter(move |c| (c.fate != Fate::Fails) == reaches);
        wanted.filter_map(|c| model.clause(c.clause)).filter(|c| c.kind == ClauseKind::May)
    };
    let shares = |c: &Clause| c.cites.iter().any(|id| section(id) == Some(own));
    permissions(true).next().is_some() && permissions(false).any(shares) && !permissions(true).any(shares)
}
