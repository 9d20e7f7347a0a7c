//! A change of the rules in parts, each of which can be taken back by itself.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexMap;

use super::written::{idle_variants, plain};
use super::{Side, Written, written};
use crate::facts::Settings;
use crate::library::Folder;
use crate::syntax;
use crate::syntax::tree::DeclKind;

/// The most parts that are taken back one by one.
const MOST: usize = 60;

/// With more parts than this, those that cannot be taken back alone are not tried in pairs.
const FEW: usize = 12;

/// How a part is taken back.
#[derive(Clone, Debug)]
enum Back {
    /// This stretch of a file is replaced.
    Text { file: String, at: Range<usize>, by: String },
    /// This is written at the end of a file.
    Append { file: String, text: String },
    /// An option or reading is not set.
    Setting(String),
    /// A preset is not chosen.
    Preset,
}

/// A part of a change: a declaration, a row of a table, a setting.
#[derive(Clone, Debug)]
pub struct Edit {
    /// What it changes, by the names of [`Written`].
    pub names: Vec<String>,
    backs: Vec<Back>,
}

/// The parts of a change, and the second rules without some of them.
pub struct Edits {
    /// In the order of the files, then the settings.
    pub all: Vec<Edit>,
    folder: Folder,
    settings: Settings,
    sides: Mutex<HashMap<Vec<usize>, Option<Arc<Side>>>>,
}

/// A declaration or row: where it stands, and what it says.
struct Unit {
    file: String,
    at: Range<usize>,
    says: String,
}

/// Declarations by their titles, rows by their first cells; several of one name are numbered.
type Units = IndexMap<(String, usize), Unit>;

impl Edits {
    /// The parts in which the second rules differ from the first. None if there are too many.
    #[must_use]
    pub fn new(before: &Side, after: &Side, changed: &Written) -> Edits {
        let mut edits = Edits {
            all: Vec::new(),
            folder: after.folder.clone(),
            settings: after.settings.clone(),
            sides: Mutex::new(HashMap::new()),
        };
        let backs = backs(before, after);
        if let ([], _) | (_, []) = (backs.as_slice(), changed.changes.as_slice()) {
            return edits;
        }
        if backs.len() > MOST {
            return edits;
        }
        let named = |edits: &Edits, backs: Vec<Back>| {
            let without = edits.build(&backs)?;
            let names = written(&without, after).changes.into_iter().map(|change| change.what).collect::<Vec<_>>();
            Some(Edit { names, backs })
        };
        let mut stuck = Vec::new();
        for back in &backs {
            match named(&edits, vec![back.clone()]) {
                Some(edit) if edit.names.is_empty() => {}
                Some(edit) => edits.all.push(edit),
                None => stuck.push(back),
            }
        }
        // What another part needs is taken back together with it.
        for back in stuck.into_iter().filter(|_| backs.len() <= FEW) {
            let others = backs.iter().filter(|other| !std::ptr::eq(*other, back));
            let pair = others.filter_map(|other| named(&edits, vec![back.clone(), other.clone()])).next();
            edits.all.extend(pair);
        }
        edits
    }

    /// The second rules without some parts; `None` if they cannot stand so.
    #[must_use]
    pub fn without(&self, parts: &[usize]) -> Option<Arc<Side>> {
        let known = |sides: &HashMap<Vec<usize>, Option<Arc<Side>>>| sides.get(parts).cloned();
        if let Some(side) = known(&self.sides.lock().unwrap_or_else(PoisonError::into_inner)) {
            return side;
        }
        let backs =
            parts.iter().filter_map(|i| self.all.get(*i)).flat_map(|edit| edit.backs.clone()).collect::<Vec<_>>();
        let side = self.build(&backs).map(Arc::new);
        let mut sides = self.sides.lock().unwrap_or_else(PoisonError::into_inner);
        sides.insert(parts.to_vec(), side.clone());
        side
    }

    /// The parts on which something depends: each of which, taken back by itself, gives what the first rules give; or
    /// else a smallest set of parts that must all be taken back. Empty if there is none. Of a part that changes several
    /// things, those in `traced` are named if there are any.
    pub fn deciding(&self, traced: &BTreeSet<String>, as_before: &dyn Fn(&Side) -> bool) -> Deciding {
        let restores = |parts: &[usize]| self.without(parts).is_some_and(|side| as_before(&side));
        let names = |parts: &[usize]| -> Vec<String> {
            let mut names: Vec<String> = Vec::new();
            for edit in parts.iter().filter_map(|i| self.all.get(*i)) {
                let some = edit.names.iter().any(|name| traced.contains(name));
                let told = edit.names.iter().filter(|name| !some || traced.contains(*name));
                let new: Vec<String> = told.filter(|name| !names.contains(name)).cloned().collect();
                names.extend(new);
            }
            names
        };
        let single: Vec<usize> = (0..self.all.len()).filter(|i| restores(&[*i])).collect();
        if !single.is_empty() {
            let how = if single.len() == 1 { How::Alone } else { How::Together };
            return Deciding { names: names(&single), how };
        }
        let mut all: Vec<usize> = (0..self.all.len()).collect();
        if all.len() < 2 || !restores(&all) {
            return Deciding::default();
        }
        for i in 0..self.all.len() {
            let fewer: Vec<usize> = all.iter().copied().filter(|other| *other != i).collect();
            if restores(&fewer) {
                all = fewer;
            }
        }
        Deciding { names: names(&all), how: How::Each }
    }

    fn build(&self, backs: &[Back]) -> Option<Side> {
        let (mut folder, mut settings) = (self.folder.clone(), self.settings.clone());
        let mut cuts: BTreeMap<&str, Vec<(Range<usize>, &str)>> = BTreeMap::new();
        let mut more: Vec<(&str, &str)> = Vec::new();
        for back in backs {
            match back {
                Back::Text { file, at, by } => cuts.entry(file).or_default().push((at.clone(), by)),
                Back::Append { file, text } => more.push((file, text)),
                Back::Setting(name) => settings.options.retain(|(n, _)| n != name),
                Back::Preset => settings.preset = None,
            }
        }
        for (name, text) in &mut folder.files {
            let mut cuts = cuts.remove(name.as_str()).unwrap_or_default();
            cuts.sort_by_key(|(at, _)| std::cmp::Reverse(at.start));
            // A part that another one needs may be among the parts by itself too.
            cuts.dedup_by_key(|(at, _)| at.clone());
            for (at, by) in cuts {
                text.get(at.clone())?;
                text.replace_range(at, by);
            }
        }
        more.sort_unstable();
        more.dedup();
        for (name, text) in more {
            match folder.files.iter_mut().find(|(n, _)| n == name) {
                Some((_, old)) => {
                    if !old.ends_with('\n') {
                        old.push('\n');
                    }
                    old.push_str(text);
                    old.push('\n');
                }
                None => folder.files.push((name.to_owned(), format!("{text}\n"))),
            }
        }
        folder.files.sort();
        Side::new(folder, settings).ok()
    }
}

/// The changes on which something depends.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deciding {
    /// Their names, as in [`Written`].
    pub names: Vec<String>,
    /// How they bring it about.
    pub how: How,
}

/// How several changes bring something about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// It is one change.
    #[default]
    Alone,
    /// It takes all of them.
    Together,
    /// Each is enough: they must all be taken back to undo it.
    Each,
}

impl How {
    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            How::Alone => "alone",
            How::Together => "together",
            How::Each => "each",
        }
    }
}

/// How each part of a change is taken back.
fn backs(before: &Side, after: &Side) -> Vec<Back> {
    let idle = idle_variants(before, after);
    let (mut old, new) = (units(before, &idle), units(after, &idle));
    let mut backs = Vec::new();
    for (key, now) in new {
        let by = match old.shift_remove(&key) {
            Some(was) if was.says == now.says => continue,
            Some(was) => before.folder.text(&was.file).and_then(|text| text.get(was.at)).unwrap_or("").to_owned(),
            None => String::new(),
        };
        backs.push(Back::Text { file: now.file, at: now.at, by });
    }
    for was in old.into_values() {
        let text = before.folder.text(&was.file).and_then(|text| text.get(was.at)).unwrap_or("").to_owned();
        backs.push(Back::Append { file: was.file, text });
    }
    for (name, value) in &after.settings.options {
        if !before.settings.options.contains(&(name.clone(), value.clone())) {
            backs.push(Back::Setting(name.clone()));
        }
    }
    if after.settings.preset.is_some() && after.settings.preset != before.settings.preset {
        backs.push(Back::Preset);
    }
    backs
}

/// The declarations and rows of a side's files, without the variants that are not in force, but with some of these.
fn units(side: &Side, some: &[String]) -> Units {
    let mut units = Units::new();
    let mut put = |name: String, unit: Unit| {
        let n = (0..).find(|n| !units.contains_key(&(name.clone(), *n))).unwrap_or(0);
        units.insert((name, n), unit);
    };
    for (file, text) in side.folder.rules() {
        if !file.ends_with(".law") {
            for (name, at) in rows(&text) {
                let says = text.get(at.clone()).unwrap_or("").trim_end().to_owned();
                put(format!("{file}: {name}"), Unit { file: file.clone(), at, says });
            }
            continue;
        }
        let (tree, _) = syntax::parse(0, &text);
        let variant = tree.decls.iter().find_map(|d| match &d.kind {
            DeclKind::Variant { name, .. } => Some(name.text.as_str()),
            _ => None,
        });
        let left_out = |name: &str| !side.settings.variants.iter().chain(some).any(|v| v == name);
        if variant.map_or(file.contains('/'), left_out) {
            continue;
        }
        for d in tree.decls.iter().filter(|d| !matches!(d.kind, DeclKind::Variant { .. })) {
            let at = d.span.start as usize..d.span.end as usize;
            let says = plain(text.get(at.clone()).unwrap_or(""));
            let whose = variant.unwrap_or("");
            put(format!("{whose}: {}", d.kind.title()), Unit { file: file.clone(), at, says });
        }
    }
    units
}

/// The lines of a table by their first cells.
fn rows(text: &str) -> Vec<(String, Range<usize>)> {
    let mut at = 0;
    let rows = text.split_inclusive('\n').map(|line| {
        let start = at;
        at += line.len();
        (line.split([',', '\t']).next().unwrap_or("").to_owned(), start..at)
    });
    rows.collect()
}
