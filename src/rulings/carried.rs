//! What goes from one place of the board to another, where places hold what stands there: as moves, and not as changes
//! of the places.

use std::collections::BTreeMap;

use crate::game::{Event, EventKind, SeenMember, SeenValue};
use crate::lexicon::{Lexicon, fill};
use crate::model::{Base, PLAYER, VarId, VarOwner};

/// A change of what a place holds.
struct Change<'a> {
    event: usize,
    place: SeenMember,
    after: &'a SeenValue,
    came: Vec<&'a SeenValue>,
    went: Vec<&'a SeenValue>,
}

/// For each event that changes what a place of the board holds, what is said in its stead: nothing where the choice,
/// as it was `said`, says it already.
pub fn carried(lexicon: &Lexicon, events: &[(usize, &Event)], said: &str) -> BTreeMap<usize, Vec<String>> {
    let mut by_var: BTreeMap<VarId, Vec<Change<'_>>> = BTreeMap::new();
    for (event, of) in events {
        let EventKind::Became { var, index: Some(place), before: Some(before), after, .. } = &of.kind else { continue };
        if !holds(lexicon, *var) {
            continue;
        }
        let (was, is) = (items(before), items(after));
        let (came, went) = (without(&is, &was), without(&was, &is));
        by_var.entry(*var).or_default().push(Change { event: *event, place: *place, after, came, went });
    }
    let mut told = BTreeMap::new();
    for changes in by_var.values_mut() {
        moves(lexicon, changes, said, &mut told);
    }
    told
}

/// Whether a variable says what stands in the places of the board.
fn holds(lexicon: &Lexicon, var: VarId) -> bool {
    let (Some(board), Some(var)) = (&lexicon.model.board, lexicon.model.vars.get(var.i())) else { return false };
    let base = match &var.ty.base {
        Base::Bag(of) => of.as_ref(),
        base => base,
    };
    var.owner == VarOwner::Field(board.kind) && matches!(base, Base::Member(_))
}

fn items(value: &SeenValue) -> Vec<&SeenValue> {
    match value {
        SeenValue::Nothing => Vec::new(),
        SeenValue::Set(all) | SeenValue::List(all) => all.iter().collect(),
        one => vec![one],
    }
}

/// What is in one list and not in another, copy by copy.
fn without<'a>(list: &[&'a SeenValue], other: &[&SeenValue]) -> Vec<&'a SeenValue> {
    let mut other = other.to_vec();
    let mut left = Vec::new();
    for item in list {
        match other.iter().position(|o| o == item) {
            Some(at) => drop(other.swap_remove(at)),
            None => left.push(*item),
        }
    }
    left
}

/// Whether a choice names something, not as a part of another name.
fn names(said: &str, name: &str) -> bool {
    said.match_indices(name).any(|(at, _)| {
        let after = said.get(at + name.len()..).and_then(|rest| rest.chars().next());
        after.is_none_or(|c| !c.is_ascii_digit())
    })
}

/// Like things with their number: `5 Spear`, `Captain`.
fn counted(lexicon: &Lexicon, values: &[&SeenValue]) -> String {
    let mut values = values.to_vec();
    values.sort();
    let alike = values.chunk_by(|a, b| a == b).filter_map(|all| Some(((*all.first()?).clone(), all.len())));
    lexicon.counted(&alike.collect::<Vec<_>>()).join(lexicon.words.comma)
}

fn moves(lexicon: &Lexicon, changes: &mut [Change<'_>], said: &str, told: &mut BTreeMap<usize, Vec<String>>) {
    let words = &lexicon.words.events;
    // What comes somewhere came from the first place that lost the like.
    for to in 0..changes.len() {
        let mut lines = Vec::new();
        for from in 0..changes.len() {
            let (Some(target), Some(source)) = (changes.get(to), changes.get(from)) else { continue };
            let stays = without(&target.came, &source.went);
            let goes = without(&target.came, &stays);
            if from == to || goes.is_empty() {
                continue;
            }
            let (here, there) = (lexicon.seen_member(source.place), lexicon.seen_member(target.place));
            if !(names(said, &here) && names(said, &there)) {
                lines.push(fill(words.from_to, &[&counted(lexicon, &goes), &here, &there]));
            }
            let left = without(&source.went, &goes);
            if let Some(source) = changes.get_mut(from) {
                source.went = left;
            }
            if let Some(target) = changes.get_mut(to) {
                target.came = stays;
            }
        }
        if let Some(target) = changes.get(to) {
            told.insert(target.event, lines);
        }
    }
    for change in changes.iter() {
        let lines = told.entry(change.event).or_default();
        rest(lexicon, change, said, lines);
    }
}

/// What came from nowhere, and what is gone.
fn rest(lexicon: &Lexicon, change: &Change<'_>, said: &str, lines: &mut Vec<String>) {
    let words = &lexicon.words.events;
    let place = lexicon.seen_member(change.place);
    let named = names(said, &place);
    if matches!(change.after, SeenValue::Set(_) | SeenValue::List(_)) {
        let parts = [(words.with, &change.came), (words.without, &change.went)];
        let parts = parts.into_iter().filter(|(_, all)| !all.is_empty());
        let parts: Vec<String> = parts.map(|(phrase, all)| fill(phrase, &[&counted(lexicon, all)])).collect();
        if !parts.is_empty() {
            lines.push(fill(words.became, &[&place, &parts.join(lexicon.words.comma)]));
        }
        return;
    }
    let empty = *change.after == SeenValue::Nothing;
    let seat = |value: &SeenValue| matches!(value, SeenValue::Member(SeenMember::Known(PLAYER, _)));
    // What leaves a place that was named, and is empty now, was told to.
    for value in change.went.iter().filter(|_| !(named && empty)) {
        let said = lexicon.value(value);
        lines.push(match seat(value) {
            true => fill(words.taken, &[&place, &said]),
            false => fill(words.gone_from, &[&said, &place]),
        });
    }
    if change.went.is_empty() && !named {
        for value in &change.came {
            let said = lexicon.value(value);
            lines.push(match seat(value) {
                true => fill(words.became, &[&place, &said]),
                false => fill(words.to, &[&said, &place]),
            });
        }
    }
}
