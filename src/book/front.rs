//! What stands on the first page.

use super::Desk;
use super::desk::shown;
use super::doc::{Anchor, Block, Inline, Item, field, link, text};
use super::units::Of;
use crate::compare::{Change, Sort};
use crate::lexicon::{Counted, fill};
use crate::model::CitationRole;

/// What the game is played with, what is encoded, what was measured, and what the settings change.
pub(super) fn blocks(desk: &Desk) -> Vec<Block> {
    let words = desk.words;
    let mut blocks = vec![Block::Para(vec![text(counts(desk))])];
    let readings = desk.model.config.iter().zip(&desk.about.side.rules.config().0);
    let other: Vec<Vec<Inline>> = readings
        .enumerate()
        .filter(|(_, (item, now))| **now != item.default)
        .filter_map(|(i, (item, now))| {
            let chosen = usize::try_from(*now).ok().and_then(|now| item.choices.get(now));
            let value = || desk.lexicon.known(&item.ty.base, &crate::model::Value::Int(*now));
            let to = desk.setting_anchor(crate::model::ConfigId(i as u16))?;
            let said = chosen.map_or_else(value, |choice| choice.name.clone());
            Some(vec![link(item.name.clone(), &to), text(" "), Inline::Code(said)])
        })
        .collect();
    if !other.is_empty() {
        blocks.push(field(words.book.set, words.colon, super::doc::joined(other, words.comma)));
    }
    if let Some(measured) = desk.about.measured {
        let parts = measured.measure.parts();
        let decided = parts.iter().filter(|part| part.decided()).count();
        let [cases, records] = [false, true].map(|r| desk.about.suite.iter().filter(|s| s.is_record() == r).count());
        let counted = [words.counts.of(Counted::Cases, cases), words.counts.of(Counted::Records, records)];
        let game = desk.model.title.get(desk.lexicon.lang);
        let said = fill(words.register.measured, &[game, &counted.join(words.comma)]);
        let all = words.counts.of(Counted::Parts, parts.len());
        let never = (parts.len() - decided).to_string();
        let said =
            format!("{said}{}{}", words.colon, fill(words.register.parts, &[&decided.to_string(), &all, &never]));
        blocks.push(Block::Para(vec![text(said)]));
    }
    blocks.extend(changes(desk));
    let digest = format!("{:016x}", desk.about.side.rules.digest());
    blocks.push(Block::Para(vec![Inline::Soft(fill(words.heads.digest, &[&digest]))]));
    blocks
}

/// How much there is of what.
fn counts(desk: &Desk) -> String {
    let (model, words) = (desk.model, desk.words);
    let role = |id: &str, role| model.citations.iter().any(|c| c.id == id && c.role == role);
    let count = |role_of: CitationRole, but: &[CitationRole]| {
        let rows = model.register.iter().filter(|row| role(&row.id, role_of) && !but.iter().any(|b| role(&row.id, *b)));
        rows.count()
    };
    let rules = count(CitationRole::Rule, &[]);
    let manners = count(CitationRole::Manners, &[CitationRole::Rule]);
    let notes = count(CitationRole::Note, &[CitationRole::Rule, CitationRole::Manners]);
    let all = model.register.len();
    let tried = model.register.iter().filter(|row| !desk.cases_about(&row.id).is_empty()).count();
    let mut said = Vec::new();
    if all > 0 {
        let numbers = [rules, notes, manners, all - rules - notes - manners, tried].map(|n| n.to_string());
        let [rules, notes, manners, bare, tried] = &numbers;
        let clauses = words.counts.of(Counted::Clauses, all);
        said.push(fill(words.register.total, &[&clauses, rules, notes, manners, bare, tried]));
    }
    let members: usize = model.kinds.iter().filter(|kind| shown(kind)).map(|kind| kind.members.len()).sum();
    let parts = desk.units.all.iter().filter(|unit| matches!(unit.of, Of::Clause(_))).count();
    let [cases, records] = [false, true].map(|r| desk.about.suite.iter().filter(|s| s.is_record() == r).count());
    said.push(fill(
        words.book.holds,
        &[
            &parts.to_string(),
            &members.to_string(),
            &words.counts.of(Counted::Cases, cases),
            &words.counts.of(Counted::Records, records),
        ],
    ));
    said.join(". ") + words.book.stop
}

/// What the settings change.
fn changes(desk: &Desk) -> Vec<Block> {
    let (words, written) = (&desk.words.compare, &desk.changes.written);
    if desk.about.before.is_none() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Head(2, Some(Anchor::new("what", "changes")), vec![text(desk.words.book.changes)])];
    if desk.changes.all().is_empty() {
        let said = if written.other { words.written_other } else { words.written_same };
        blocks.push(Block::Para(vec![text(said)]));
        return blocks;
    }
    let items = desk.changes.all().iter().map(|one| Item { text: change(desk, one), inside: Vec::new() });
    blocks.push(Block::List(items.collect()));
    for (phrase, ids) in [(words.lost, &written.lost), (words.gained, &written.gained)] {
        if !ids.is_empty() {
            let mut line = vec![text(fill(phrase, &[""]))];
            line.extend(desk.cites(ids));
            blocks.push(Block::Para(line));
        }
    }
    blocks
}

/// `changed: plus strength "..." (char.frodo.2)`, linked.
fn change(desk: &Desk, change: &Change) -> Vec<Inline> {
    let words = desk.words;
    let phrase = match change.sort {
        Sort::Added => words.compare.added,
        Sort::Removed => words.compare.removed,
        Sort::Changed => words.compare.changed,
    };
    let mut line = vec![text(fill(phrase, &[""]))];
    let unit = desk.units.all.iter().find(|unit| unit.name == change.what);
    let member = change.what.split_once('.').map_or(change.what.as_str(), |(member, _)| member);
    let member = member.rsplit_once(' ').map_or(member, |(_, id)| id);
    let to = unit.map(|u| &u.anchor).or_else(|| desk.names.get(member).filter(|_| change.sort != Sort::Removed));
    line.push(match to {
        Some(to) => link(&change.what, to),
        None => text(&change.what),
    });
    if let Some((was, now)) = change.values.as_ref().filter(|_| change.sort == Sort::Changed) {
        let nothing = |text: &str| if text.is_empty() { words.none.to_owned() } else { text.to_owned() };
        line.push(text(fill(words.compare.value, &["", &nothing(was), &nothing(now)])));
    } else if let Some(only) = change.only_value() {
        line.push(text(format!("{}{only}", words.colon)));
    }
    if !change.cites.is_empty() {
        line.push(text(" ["));
        line.extend(desk.cites(&change.cites));
        line.push(text("]"));
    }
    line
}
