//! The index.

use std::collections::BTreeMap;

use super::Desk;
use super::desk::{item_anchor, shown};
use super::doc::{Anchor, Block, Chapter, Inline, Item, Piece, link, text};
use super::units::Of;
use crate::model::KindId;

/// The chapter: all names, in the order of their letters.
pub(super) fn chapter(desk: &Desk) -> Option<Chapter> {
    let mut entries: Vec<(String, String, Anchor)> = Vec::new();
    members(desk, &mut entries);
    rules(desk, &mut entries);
    entries.sort_by(|a, b| key(&a.0).cmp(&key(&b.0)).then_with(|| a.cmp(b)));
    entries.dedup();
    let mut letters: BTreeMap<String, Vec<Item>> = BTreeMap::new();
    for (name, sort, to) in entries {
        let letter = key(&name).chars().next().map_or_else(String::new, |c| c.to_uppercase().collect());
        let line = vec![link(name, &to), text(" "), Inline::Soft(sort)];
        letters.entry(letter).or_default().push(Item { text: line, inside: Vec::new() });
    }
    let piece = |(letter, items): (String, Vec<Item>)| Piece {
        anchor: Anchor::new("letter", &letter),
        title: vec![text(letter)],
        blocks: vec![Block::List(items)],
    };
    let pieces: Vec<Piece> = letters.into_iter().map(piece).collect();
    let title = desk.words.book.names.to_owned();
    (!pieces.is_empty()).then(|| Chapter { name: "names", title, lead: Vec::new(), pieces })
}

/// What a name is sorted by: its letters, without signs before them.
fn key(name: &str) -> String {
    name.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

fn members(desk: &Desk, entries: &mut Vec<(String, String, Anchor)>) {
    let words = &desk.words.book;
    for (i, kind) in desk.model.kinds.iter().enumerate().filter(|(_, kind)| shown(kind) && !kind.members.is_empty()) {
        entries.push((kind.name.clone(), words.kind.to_owned(), Anchor::new("kind", &kind.name)));
        for (m, member) in kind.members.iter().enumerate() {
            let anchor = super::desk::member_anchor(desk.model, KindId(i as u16), &member.id);
            let name = desk.lexicon.member(KindId(i as u16), m as u16);
            if name != member.id {
                entries.push((member.id.clone(), kind.name.clone(), anchor.clone()));
            }
            entries.push((name, kind.name.clone(), anchor));
        }
    }
}

fn rules(desk: &Desk, entries: &mut Vec<(String, String, Anchor)>) {
    let (model, words, lang) = (desk.model, desk.words, desk.lexicon.lang);
    let subject = |name: &str| desk.subjects.get(name).cloned();
    let mut add = |name: &str, sort: &str, to: Option<Anchor>| {
        if let Some(to) = to.filter(|_| !name.is_empty()) {
            entries.push((name.to_owned(), sort.to_owned(), to));
        }
    };
    model.defs.iter().for_each(|d| add(&d.name, words.tree.definition, subject(&d.name)));
    model.actions.iter().for_each(|a| add(&a.name, words.tree.action, subject(&a.name)));
    let procedures = model.codes.iter().filter(|c| c.kind == crate::model::CodeKind::Procedure);
    procedures.for_each(|c| add(&c.name, words.tree.procedure, subject(&c.name)));
    for (i, item) in model.config.iter().enumerate() {
        let sort = if item.is_reading() { words.book.reading } else { words.book.option };
        add(&item.name, sort, desk.setting_anchor(crate::model::ConfigId(i as u16)));
    }
    for unit in &desk.units.all {
        match unit.of {
            Of::Clause(id) => {
                let label = model.clause(id).map_or("", |c| c.label.get(lang));
                let kind = model.clause(id).map_or_else(String::new, |c| words.clause(c.kind, "", ""));
                add(label, &kind, Some(unit.anchor.clone()));
            }
            Of::Ability(id) => {
                let label = model.abilities.get(id.i()).map_or("", |a| a.label.get(lang));
                add(label, words.book.ability, Some(unit.anchor.clone()));
            }
            _ => {}
        }
    }
    for item in desk.about.suite {
        let (name, sort) = match (item.case(), item.record()) {
            (Some(case), _) => (case.name.as_str(), words.book.case),
            (None, Some(record)) => (record.title.as_deref().unwrap_or(&item.name), words.book.record),
            (None, None) => continue,
        };
        add(name, sort, Some(item_anchor(item)));
    }
}
