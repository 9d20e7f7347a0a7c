//! Readings and options: what they decide, where the rules ask for them, and which cases show it.

use super::Desk;
use super::doc::{Anchor, Block, Chapter, Entry, Inline, Piece, field, link, text};
use crate::casebook::{Case, Expectation, Section};
use crate::facts::Settings;
use crate::lexicon::fill;
use crate::model::{ConfigId, ConfigItem, Value};

/// The chapter; `None` if the game has neither readings nor options.
pub(super) fn chapter(desk: &Desk) -> Option<Chapter> {
    let words = &desk.words.book;
    let all = || desk.model.config.iter().enumerate();
    let of = |readings: bool| {
        let own = all().filter(move |(_, item)| item.is_reading() == readings);
        own.map(|(i, item)| Block::Entry(entry(desk, ConfigId(i as u16), item))).collect::<Vec<_>>()
    };
    let presets = desk.model.presets.iter().map(|preset| Block::Entry(bundle(desk, preset))).collect();
    let parts = [
        ("readings", words.readings, of(true)),
        ("options", words.options, of(false)),
        ("presets", words.presets, presets),
    ];
    let pieces: Vec<Piece> = parts
        .into_iter()
        .filter(|(_, _, blocks): &(_, _, Vec<Block>)| !blocks.is_empty())
        .map(|(name, title, blocks)| Piece { title: vec![text(title)], anchor: Anchor::new("settings", name), blocks })
        .collect();
    let lead = vec![Block::Para(vec![text(words.settings_lead)])];
    (!pieces.is_empty()).then(|| Chapter { name: "settings", title: words.settings.to_owned(), lead, pieces })
}

fn entry(desk: &Desk, id: ConfigId, item: &ConfigItem) -> Entry {
    let (words, lang) = (desk.words, desk.lexicon.lang);
    let sort = if item.is_reading() { "reading" } else { "option" };
    let change = desk.changes.of(&format!("{sort} {}", item.name));
    let mut head = vec![Inline::Code(item.name.clone())];
    if let Some(change) = change {
        head.push(text(" "));
        head.push(desk.changed(change));
    }
    let mut blocks = vec![Block::Head(3, desk.setting_anchor(id), head)];
    blocks.push(Block::Para(vec![text(item.text.get(lang))]));
    let now = desk.about.side.rules.config().0.get(id.i()).copied().unwrap_or(item.default);
    if item.is_reading() {
        let heads = [words.heads.alternative, words.book.grounds].map(str::to_owned).to_vec();
        let row = |(i, choice): (usize, &crate::model::ReadingChoice)| {
            let mut said = Vec::new();
            if usize::try_from(now) == Ok(i) {
                said.push(words.heads.in_force);
            }
            if usize::try_from(item.default) == Ok(i) {
                said.push(words.book.default);
            }
            let mut name = vec![Inline::Code(choice.name.clone())];
            if !said.is_empty() {
                name.push(Inline::Soft(words.bracketed(&said.join(words.comma))));
            }
            vec![name, vec![text(choice.grounds.get(lang))]]
        };
        blocks.push(Block::Table(heads, item.choices.iter().enumerate().map(row).collect()));
    } else {
        let said = |value: i32| desk.lexicon.known(&item.ty.base, &Value::Int(value));
        let values = fill(words.book.value, &[&said(now), &said(item.default)]);
        blocks.push(Block::Para(vec![Inline::Soft(values)]));
    }
    if !item.cites.is_empty() {
        blocks.push(field(words.book.cites, words.colon, desk.cites(&item.cites)));
    }
    let asking = desk.asking(id);
    if !asking.is_empty() {
        blocks.push(field(words.book.decides, words.colon, desk.parts(asking)));
    }
    if let Some(unit) = desk.units.all.iter().find(|u| u.of == super::units::Of::Setting(id)) {
        blocks.push(Block::Para(vec![link(words.book.declared, &unit.anchor), text(" "), desk.place(unit.span)]));
    }
    for (phrase, records) in [(words.book.cases, false), (words.book.records, true)] {
        let all = desk.about.suite.iter().enumerate().filter(|(_, s)| s.is_record() == records);
        let shows: Vec<usize> = all.filter(|(_, s)| shows(s, &item.name)).map(|(i, _)| i).collect();
        if !shows.is_empty() {
            blocks.push(field(phrase, words.colon, desk.all_items(&shows)));
        }
    }
    Entry { changed: change.is_some(), blocks }
}

/// Whether a case or record shows what a setting decides: it sets it, or says that its ruling depends on it.
fn shows(item: &crate::audit::SuiteItem, name: &str) -> bool {
    let sets = |settings: &Settings| settings.options.iter().any(|(option, _)| option == name);
    let depends = |case: &Case| {
        let mut expected = case.sections.iter().flat_map(|s| match s {
            Section::Then(all) => all.as_slice(),
            Section::When(_) => &[],
        });
        expected.any(|e| matches!(&e.what, Expectation::DependsOn(reading) if reading == name))
    };
    item.case().is_some_and(|case| sets(&case.scene.settings) || depends(case))
        || item.record().is_some_and(|record| sets(&record.settings))
}

fn bundle(desk: &Desk, preset: &crate::model::Preset) -> Entry {
    let words = desk.words;
    let head = vec![Inline::Code(preset.name.clone())];
    let mut blocks = vec![Block::Head(3, Some(Anchor::new("preset", &preset.name)), head)];
    blocks.push(Block::Para(vec![text(preset.text.get(desk.lexicon.lang))]));
    let heads = vec![words.book.setting.to_owned(), words.heads.alternative.to_owned()];
    let row = |(id, value): &(ConfigId, i32)| {
        let item = desk.model.config.get(id.i())?;
        let chosen = usize::try_from(*value).ok().and_then(|i| item.choices.get(i));
        let said = chosen.map_or_else(|| desk.lexicon.known(&item.ty.base, &Value::Int(*value)), |c| c.name.clone());
        let name = vec![Inline::Code(item.name.clone())];
        let name = desk.setting_anchor(*id).map_or(name.clone(), |to| vec![Inline::Link(name, to)]);
        Some(vec![name, vec![Inline::Code(said)]])
    };
    blocks.push(Block::Table(heads, preset.settings.iter().filter_map(row).collect()));
    Entry { changed: false, blocks }
}
