//! What is written otherwise.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::Side;
use crate::check;
use crate::lexicon::Lexicon;
use crate::model::{ClauseId, ClauseKind, Code, CodeKind, Expr, FieldStore, Model, VarOwner};
use crate::span::Span;

/// How two sets of rules differ in one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// Only the second has it.
    Added,
    /// Only the first has it.
    Removed,
    /// Both have it, and say something else.
    Changed,
}

/// A thing that is written otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// How.
    pub sort: Sort,
    /// `plus strength "an elven cloak"`, `step battle.cards`, `Shadowfax.strength`.
    pub what: String,
    /// The clauses of the register that it cites, on either side.
    pub cites: Vec<String>,
    /// The values, where it is one: before and after; empty where it is not there.
    pub values: Option<(String, String)>,
    /// Whether it is a clause or a step, which can decide something in a case.
    pub decides: bool,
}

impl Change {
    /// The value of what only one side has, unless it is empty or stands in its name.
    #[must_use]
    pub fn only_value(&self) -> Option<&str> {
        let (was, now) = self.values.as_ref()?;
        let value = match self.sort {
            Sort::Added => now,
            Sort::Removed => was,
            Sort::Changed => return None,
        };
        (!value.is_empty() && !self.what.ends_with(value.as_str())).then_some(value)
    }
}

/// All that is written otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// In the order of the second rules; what only the first have comes last.
    pub changes: Vec<Change>,
    /// Clauses of the register that no rule cites any more.
    pub lost: Vec<String>,
    /// Clauses of the register that a rule cites now.
    pub gained: Vec<String>,
    /// Whether nothing is written otherwise, but the files differ in more than comments and layout.
    pub other: bool,
}

impl Written {
    /// The names of what was changed.
    pub fn names(&self) -> BTreeSet<&str> {
        self.changes.iter().map(|change| change.what.as_str()).collect()
    }
}

/// A thing that the rules say, by its name.
struct Part {
    says: String,
    cites: Vec<String>,
    of: Of,
}

/// What a part is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Clause,
    Procedure,
    Value,
}

type Parts = IndexMap<String, Part>;

/// What is written otherwise in the second rules than in the first: clauses, procedures and steps compared word by
/// word without comments and layout; members, what is printed on them, links, options and readings by their values;
/// and the same of variants that are in force under neither, which cases and records may name.
#[must_use]
pub fn written(before: &Side, after: &Side) -> Written {
    let mut changes = changes(parts(before), parts(after));
    for variant in idle_variants(before, after) {
        // With a variant that has errors no case holds, which is told there.
        let (Some(old), Some(new)) = (with_variant(before, &variant), with_variant(after, &variant)) else { continue };
        let more = self::changes(parts(&old), parts(&new));
        let more = more.into_iter().filter(|change| !changes.iter().any(|other| other.what == change.what));
        let named = more.map(|change| Change { what: format!("variant {variant}: {}", change.what), ..change });
        changes.extend(named.collect::<Vec<_>>());
    }
    let cited = |side: &Side| -> BTreeSet<String> {
        side.rules.model().citations.iter().map(|citation| citation.id.clone()).collect()
    };
    let (was, now) = (cited(before), cited(after));
    let other = changes.is_empty() && files(before) != files(after);
    Written {
        changes,
        lost: was.difference(&now).cloned().collect(),
        gained: now.difference(&was).cloned().collect(),
        other,
    }
}

/// How the parts of two sets of rules differ.
fn changes(mut old: Parts, new: Parts) -> Vec<Change> {
    let mut changes = Vec::new();
    for (what, now) in new {
        let change = match old.shift_remove(&what) {
            None => {
                let values = (now.of == Of::Value).then_some((String::new(), now.says));
                Change { sort: Sort::Added, what, cites: now.cites, values, decides: now.of == Of::Clause }
            }
            Some(was) if was.says == now.says => continue,
            Some(was) => {
                let mut cites = was.cites;
                cites.extend(now.cites);
                cites.sort();
                cites.dedup();
                let values = (now.of == Of::Value).then_some((was.says, now.says));
                Change { sort: Sort::Changed, what, cites, values, decides: now.of == Of::Clause }
            }
        };
        changes.push(change);
    }
    let gone = |(what, was): (String, Part)| Change {
        sort: Sort::Removed,
        what,
        cites: was.cites,
        values: (was.of == Of::Value).then_some((was.says, String::new())),
        decides: was.of == Of::Clause,
    };
    changes.extend(old.into_iter().map(gone));
    changes
}

/// The variants that are in force under neither rules, which both have, and which do not say the same.
pub(super) fn idle_variants(before: &Side, after: &Side) -> Vec<String> {
    let (old, new) = (before.folder.rules(), after.folder.rules());
    let said = |files: &[(String, String)], variant: &str| -> Vec<String> {
        let base = check::in_force(files, &[]);
        let with = check::in_force(files, &[variant.to_owned()]).into_iter();
        with.filter(|file| !base.contains(file)).map(|(_, text)| plain(&text)).collect()
    };
    let chosen = |name: &String| before.settings.variants.contains(name) || after.settings.variants.contains(name);
    let others = check::variants(&new).into_iter().filter(|name| !chosen(name));
    let has = check::variants(&old);
    others.filter(|name| has.contains(name) && said(&old, name) != said(&new, name)).collect()
}

/// A side with one more variant; `None` if its rules have errors.
fn with_variant(side: &Side, variant: &str) -> Option<Side> {
    let mut settings = side.settings.clone();
    settings.variants.push(variant.to_owned());
    Side::new(side.folder.clone(), settings).ok()
}

/// The files that say the rules, without comments and layout.
fn files(side: &Side) -> Vec<(String, String)> {
    let plain = |(name, text): (String, String)| (name, plain(&text));
    side.folder.rules().into_iter().map(plain).collect()
}

/// A clause by its kind, what it is about, its label, and its ability.
pub(super) fn title(model: &Model, id: ClauseId) -> String {
    let title = model.whole_title(id);
    let ability = model.clause(id).and_then(|c| c.ability).and_then(|a| model.abilities.get(a.i()));
    match ability {
        Some(a) if !a.label.text.is_empty() => format!("\"{}\": {title}", a.label.text),
        _ => title,
    }
}

/// The names of a model's clauses; of several with one name, the second is numbered 2.
#[must_use]
pub fn titles(model: &Model) -> Vec<String> {
    let mut seen: IndexMap<String, usize> = IndexMap::new();
    let ids = 0..model.clauses.len();
    let numbered = ids.map(|i| {
        let id = ClauseId(i as u16);
        let title = title(model, id);
        if model.clause(id).is_some_and(|c| c.first.is_some()) {
            return title;
        }
        let n = seen.entry(title.clone()).or_default();
        *n += 1;
        if *n == 1 { title } else { format!("{title} ({n})") }
    });
    numbered.collect()
}

fn parts(side: &Side) -> Parts {
    let (model, mut parts) = (side.rules.model(), Parts::new());
    let said = |span: Span, cites: &[String]| Part {
        says: plain(model.sources.text(span)),
        cites: cites.to_vec(),
        of: Of::Clause,
    };
    for (clause, title) in model.clauses.iter().zip(titles(model)) {
        if clause.first.is_none() && clause.kind != ClauseKind::Choice {
            parts.insert(title, said(clause.span, &clause.cites));
        }
    }
    for code in model.codes.iter().filter(|code| code.kind == CodeKind::Procedure) {
        let part = Part { says: plain(&without_parts(model, code)), cites: code.cites.clone(), of: Of::Procedure };
        parts.insert(format!("procedure {}", code.name), part);
        for step in &code.steps {
            parts.insert(format!("step {}.{}", code.name, step.name), said(step.whole, &step.cites));
        }
        // A variant can add variables beside the procedure.
        let vars = code.vars.iter().filter_map(|var| model.vars.get(var.i()));
        for var in vars.filter(|var| var.init.is_some() || !within(var.span, code.span)) {
            let says = var.init.as_ref().map_or_else(String::new, |e| plain(model.sources.text(e.span)));
            parts.insert(format!("variable {}", var.name), Part { says, cites: Vec::new(), of: Of::Procedure });
        }
    }
    for entry in &model.entries {
        let part = Part { says: plain(model.sources.text(entry.span)), cites: Vec::new(), of: Of::Procedure };
        parts.insert(format!("entry \"{}\"", entry.phrase.text), part);
    }
    data(side, &mut parts);
    parts
}

fn within(inner: Span, outer: Span) -> bool {
    inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end
}

/// What a procedure says beside its steps and the first values of its variables: the text of each is left out, as they
/// are parts of their own.
fn without_parts(model: &Model, code: &Code) -> String {
    let (text, mut out, mut from) = (model.sources.text(code.span), String::new(), code.span.start);
    let vars = code.vars.iter().filter_map(|var| model.vars.get(var.i()));
    let firsts = vars.filter_map(|var| var.init.as_ref()).map(|first| (first.span, ""));
    let mut cuts: Vec<(Span, &str)> = code.steps.iter().map(|step| (step.whole, step.name.as_str())).collect();
    cuts.extend(firsts);
    cuts.retain(|(span, _)| within(*span, code.span));
    cuts.sort_by_key(|(span, _)| span.start);
    let between = |from: u32, to: u32| {
        let place = |at: u32| (at - code.span.start) as usize;
        text.get(place(from)..place(to)).unwrap_or("")
    };
    for (span, name) in cuts {
        if span.start >= from {
            out += between(from, span.start);
            out += name;
            from = span.end;
        }
    }
    out + between(from, code.span.end)
}

/// What is no clause: members with what is printed on them, who has which ability, links, options and readings.
fn data(side: &Side, parts: &mut Parts) {
    let model = side.rules.model();
    let lexicon = Lexicon::new(model, "");
    let value = |says: String, cites: &[String]| Part { says, cites: cites.to_vec(), of: Of::Value };
    for kind in model.kinds.iter().filter(|kind| kind.pair.is_none() && !kind.of_hooks) {
        for (i, member) in kind.members.iter().enumerate() {
            parts.insert(format!("{} {}", kind.name, member.id), value(member.name.text.clone(), &member.cites));
            for field in &kind.fields {
                if let FieldStore::Printed(values) = &field.store
                    && let Some(printed) = values.get(i)
                {
                    let says = lexicon.known(&field.ty.base, printed);
                    parts.insert(format!("{}.{}", member.id, field.name), value(says, &member.cites));
                }
            }
        }
    }
    let ids = |kind: crate::model::KindId, members: &mut dyn Iterator<Item = usize>| -> String {
        let all = model.kinds.get(kind.i()).map_or(&[][..], |k| &k.members);
        let mut named: Vec<&str> = members.filter_map(|m| all.get(m).map(|m| m.id.as_str())).collect();
        named.sort_unstable();
        named.join(", ")
    };
    let text = |e: Option<&Expr>| e.map_or_else(String::new, |e| plain(model.sources.text(e.span)));
    for var in model.vars.iter().filter(|var| !matches!(var.owner, VarOwner::Code(_) | VarOwner::Limit)) {
        parts.insert(format!("the first value of {}", var.name), value(text(var.init.as_ref()), &[]));
    }
    parts.insert(String::from("score"), value(text(model.score.as_ref()), &model.score_cites));
    for ability in &model.abilities {
        let holders = ids(ability.kind, &mut ability.holders.iter().map(|m| usize::from(*m)));
        parts.insert(format!("who has \"{}\"", ability.label.text), value(holders, &ability.cites));
    }
    for links in &model.links {
        for (from, to) in links.forward.iter().enumerate() {
            let name = format!("{} from {}", links.name, ids(links.from, &mut std::iter::once(from)));
            parts.insert(name, value(ids(links.to, &mut to.iter()), &[]));
        }
    }
    for grid in &model.grids {
        let all = model.kinds.get(grid.kind.i()).map_or(&[][..], |kind| &kind.members);
        let sides = grid.lattice.shape().sides();
        let links = model.links.get(grid.links.i()).map_or("", |links| &links.name);
        for (cell, side) in (0..all.len()).flat_map(|cell| (0..sides).map(move |side| (cell, side))) {
            let Some(other) = grid.lattice.ahead(cell, side).filter(|other| cell < *other) else { continue };
            let (Some(a), Some(b)) = (all.get(cell), all.get(other)) else { continue };
            for field in &grid.fields {
                if let Some(printed) = field.values.get(cell * sides + side) {
                    let name = format!("{links}.{}({}, {})", field.name, a.id, b.id);
                    parts.insert(name, value(lexicon.known(&field.ty.base, printed), &[]));
                }
            }
        }
    }
    for (item, now) in model.config.iter().zip(&side.rules.config().0) {
        let chosen = usize::try_from(*now).ok().and_then(|now| item.choices.get(now));
        let (sort, says) = match chosen {
            Some(choice) => ("reading", choice.name.clone()),
            None if item.is_reading() => ("reading", now.to_string()),
            None => ("option", lexicon.known(&item.ty.base, &crate::model::Value::Int(*now))),
        };
        parts.insert(format!("{sort} {}", item.name), value(says, &item.cites));
    }
}

/// A text of the rules without comments, and with single blanks.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let (mut quoted, mut escaped) = (false, false);
        let mut end = line.len();
        for (at, c) in line.char_indices() {
            if !quoted && line.get(at..).is_some_and(|rest| rest.starts_with("//")) {
                end = at;
                break;
            }
            quoted ^= c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
        }
        for word in line.get(..end).unwrap_or("").split_whitespace() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
    }
    out
}
