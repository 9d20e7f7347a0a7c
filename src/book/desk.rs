//! Everything that the chapters look things up in.

use std::collections::{BTreeMap, BTreeSet};

use super::changes::Changes;
use super::doc::{Anchor, Inline, joined, link, text};
use super::units::{Of, Unit, Units};
use super::{About, Frame, asked};
use crate::audit::{SuiteItem, Tally, Through};
use crate::casebook::{Because, Case, Expectation, Section};
use crate::compare::Sort as Changed;
use crate::game::{SeenMember, SeenValue};
use crate::lexicon::{Counted, Lexicon, Words, fill};
use crate::model::{AbilityId, Base, ConfigId, Kind, KindId, Model, Value};
use crate::span::Span;
use crate::spelling::fold;
use crate::syntax::Sort;

/// The most cases and records that are named beside a rule.
const NAMED: usize = 8;

/// What a chapter is written from.
pub(super) struct Desk<'a> {
    pub about: &'a About<'a>,
    pub model: &'a Model,
    pub lexicon: Lexicon<'a>,
    pub words: &'static Words,
    pub units: Units,
    pub changes: Changes,
    /// Where each option and reading is asked for.
    pub asked: BTreeMap<(u32, u32), ConfigId>,
    /// Where the members, kinds and abilities stand that rules name.
    pub names: BTreeMap<String, Anchor>,
    /// Where definitions, actions, procedures, options and readings are declared.
    pub subjects: BTreeMap<String, Anchor>,
    /// The parts that name a member, kind or ability.
    uses: BTreeMap<String, Vec<usize>>,
    /// The parts that ask for an option or reading.
    asking: BTreeMap<ConfigId, Vec<usize>>,
    /// The cases that are about a clause of the register.
    cited: BTreeMap<String, Vec<usize>>,
    /// The cases in which a part is given as a reason.
    reasons: BTreeMap<usize, Vec<usize>>,
    /// The parts that a case gives as reasons.
    given: BTreeMap<usize, BTreeSet<usize>>,
    /// The ids of the register.
    ids: BTreeSet<&'a str>,
}

impl<'a> Desk<'a> {
    pub fn new(about: &'a About<'a>) -> Desk<'a> {
        let model = about.side.rules.model();
        let lexicon = Lexicon::new(model, about.lang);
        let changes = about.before.map_or_else(Changes::default, |before| Changes::new(before, about.side));
        let mut desk = Desk {
            about,
            model,
            lexicon,
            words: lexicon.words,
            units: Units::new(&lexicon),
            changes,
            asked: asked::asked(model),
            names: BTreeMap::new(),
            subjects: BTreeMap::new(),
            uses: BTreeMap::new(),
            asking: BTreeMap::new(),
            cited: BTreeMap::new(),
            reasons: BTreeMap::new(),
            given: BTreeMap::new(),
            ids: model.register.iter().map(|row| row.id.as_str()).collect(),
        };
        desk.name_things();
        desk.find_uses();
        desk.find_cases();
        desk
    }

    /// What all pages say.
    pub fn frame(&self) -> Frame {
        let game = self.model.title.get(self.lexicon.lang);
        let game = if game.is_empty() { self.model.name.clone() } else { game.to_owned() };
        let mut about = vec![game.clone()];
        let settings = self.about.side.settings.list();
        if !settings.is_empty() {
            about.push(fill(self.words.heads.settings, &[&settings]));
        }
        Frame { words: self.words, game, about }
    }

    fn name_things(&mut self) {
        for (i, kind) in self.model.kinds.iter().enumerate().filter(|(_, kind)| shown(kind)) {
            self.names.insert(kind.name.clone(), Anchor::new("kind", &kind.name));
            for member in &kind.members {
                self.names.insert(member.id.clone(), member_anchor(self.model, KindId(i as u16), &member.id));
            }
        }
        let mut subject = |name: &str, span: Option<Span>| {
            if let Some(span) = span {
                self.subjects.insert(name.to_owned(), super::units::anchor(self.model, span));
            }
        };
        let clause = |id| self.model.clause(id).map(|c| c.span);
        self.model.defs.iter().for_each(|d| subject(&d.name, clause(d.clause)));
        self.model.actions.iter().for_each(|a| subject(&a.name, clause(a.clause)));
        self.model.brings.iter().for_each(|b| subject(&b.name, clause(b.clause)));
        let procedures = self.model.codes.iter().filter(|c| c.kind == crate::model::CodeKind::Procedure);
        procedures.for_each(|c| subject(&c.name, Some(c.span)));
        for item in &self.model.config {
            self.subjects.insert(item.name.clone(), Anchor::new("setting", &item.name));
        }
    }

    /// Goes through all words of the rules, and notes in which innermost part each stands.
    fn find_uses(&mut self) {
        for (file, tokens) in self.units.tokens.iter().enumerate() {
            let source = self.model.sources.files.get(file).map_or("", |f| &f.text);
            let mut open: Vec<usize> = Vec::new();
            let mut next = self.units.all.partition_point(|u| (u.span.file as usize) < file);
            for token in tokens {
                let at = token.at.start as u32;
                while let Some(unit) = self.units.all.get(next) {
                    if unit.span.file as usize != file || unit.span.start > at {
                        break;
                    }
                    open.push(next);
                    next += 1;
                }
                while open.last().and_then(|i| self.units.all.get(*i)).is_some_and(|u| u.span.end <= at) {
                    open.pop();
                }
                let Some(innermost) = open.last().copied() else { continue };
                let note = |all: &mut Vec<usize>| {
                    if all.last() != Some(&innermost) && !all.contains(&innermost) {
                        all.push(innermost);
                    }
                };
                if token.sort == Sort::Name {
                    let name = source.get(token.at.clone()).unwrap_or("");
                    note(self.uses.entry(name.to_owned()).or_default());
                }
                if let Some(id) = self.asked.get(&(file as u32, at)) {
                    note(self.asking.entry(*id).or_default());
                }
            }
        }
    }

    /// Notes which clauses and parts the cases are about.
    fn find_cases(&mut self) {
        let mut labels: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (i, unit) in self.units.all.iter().enumerate() {
            let label = match unit.of {
                Of::Clause(id) => self.model.clause(id).map(|c| &c.label),
                Of::Ability(id) => self.model.abilities.get(id.i()).map(|a| &a.label),
                _ => None,
            };
            for said in label.iter().flat_map(|l| std::iter::once(&l.text).chain(l.translations.iter().map(|(_, t)| t)))
            {
                let parts = labels.entry(fold(said)).or_default();
                if !said.is_empty() && !parts.contains(&i) {
                    parts.push(i);
                }
            }
        }
        for (number, case) in self.about.suite.iter().enumerate().filter_map(|(i, item)| Some((i, item.case()?))) {
            let mut cited: BTreeSet<String> = case.cites.iter().cloned().collect();
            let mut given: BTreeSet<usize> = BTreeSet::new();
            for reason in reasons(case) {
                match reason {
                    Because::Cite(id) => {
                        cited.insert(id);
                    }
                    Because::Label(label) => given.extend(labels.get(&fold(&label)).into_iter().flatten()),
                    Because::Reason(_) => {}
                }
            }
            cited.into_iter().for_each(|id| self.cited.entry(id).or_default().push(number));
            given.iter().for_each(|part| self.reasons.entry(*part).or_default().push(number));
            self.given.insert(number, given);
        }
    }

    /// Where a clause of the register stands.
    pub fn clause_anchor(&self, id: &str) -> Option<Anchor> {
        self.ids.contains(id).then(|| Anchor::new("clause", id))
    }

    /// The parts that name something.
    pub fn uses(&self, name: &str) -> &[usize] {
        self.uses.get(name).map_or(&[], Vec::as_slice)
    }

    /// The parts that ask for an option or reading.
    pub fn asking(&self, id: ConfigId) -> &[usize] {
        self.asking.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The cases about a clause of the register.
    pub fn cases_about(&self, id: &str) -> &[usize] {
        self.cited.get(id).map_or(&[], Vec::as_slice)
    }

    /// The cases in which a part is given as a reason.
    pub fn cases_because(&self, part: usize) -> &[usize] {
        self.reasons.get(&part).map_or(&[], Vec::as_slice)
    }

    /// The parts that a case gives as reasons.
    pub fn reasons_of(&self, case: usize) -> impl Iterator<Item = &usize> {
        self.given.get(&case).into_iter().flatten()
    }

    /// `char.frodo.1, char.frodo.2`, linked.
    pub fn cites<'c>(&self, ids: impl IntoIterator<Item = &'c String>) -> Vec<Inline> {
        let one = |id: &String| match self.clause_anchor(id) {
            Some(anchor) => vec![link(id, &anchor)],
            None => vec![text(id)],
        };
        joined(ids.into_iter().map(one), self.words.comma)
    }

    /// A part of the rules by its title, linked.
    pub fn part(&self, part: usize) -> Vec<Inline> {
        self.units.all.get(part).map_or_else(Vec::new, |unit| vec![link(&unit.title, &unit.anchor)])
    }

    /// Parts of the rules, linked.
    pub fn parts<'p>(&self, parts: impl IntoIterator<Item = &'p usize>) -> Vec<Inline> {
        self.some(parts.into_iter().map(|part| self.part(*part)).collect(), usize::MAX)
    }

    /// A case or record by its name, linked.
    pub fn item(&self, number: usize) -> Vec<Inline> {
        let Some(item) = self.about.suite.get(number) else { return Vec::new() };
        let name = match item.record() {
            Some(record) => record.title.clone().unwrap_or_else(|| item.name.clone()),
            None => item.name.clone(),
        };
        vec![link(name, &item_anchor(item))]
    }

    /// Cases and records, linked; only the first of many.
    pub fn items(&self, numbers: &[usize]) -> Vec<Inline> {
        self.some(numbers.iter().map(|n| self.item(*n)).collect(), NAMED)
    }

    /// Cases and records, linked, however many.
    pub fn all_items(&self, numbers: &[usize]) -> Vec<Inline> {
        self.some(numbers.iter().map(|n| self.item(*n)).collect(), usize::MAX)
    }

    fn some(&self, mut all: Vec<Vec<Inline>>, most: usize) -> Vec<Inline> {
        let more = all.len().saturating_sub(most);
        all.truncate(most);
        let mut line = joined(all, self.words.comma);
        if more > 0 {
            line.push(text(self.words.comma));
            line.push(Inline::Soft(fill(self.words.book.and_more, &[&more.to_string()])));
        }
        line
    }

    /// A member, linked.
    pub fn member(&self, kind: KindId, member: u16) -> Vec<Inline> {
        let name = self.lexicon.member(kind, member);
        let id = self.model.kinds.get(kind.i()).and_then(|k| k.members.get(usize::from(member)));
        match id.and_then(|m| self.names.get(&m.id)) {
            Some(anchor) => vec![link(name, anchor)],
            None => vec![text(name)],
        }
    }

    /// A value, its members linked.
    pub fn value(&self, base: &Base, value: &Value) -> Vec<Inline> {
        self.seen(&SeenValue::known(base, value))
    }

    fn seen(&self, value: &SeenValue) -> Vec<Inline> {
        match value {
            SeenValue::Member(SeenMember::Known(kind, member)) => self.member(*kind, *member),
            SeenValue::Set(all) | SeenValue::List(all) if !all.is_empty() => {
                joined(all.iter().map(|one| self.seen(one)), self.words.comma)
            }
            other => vec![text(self.lexicon.value(other))],
        }
    }

    /// The abilities that a member has, or gives.
    pub fn abilities(&self) -> BTreeMap<(KindId, u16), Vec<AbilityId>> {
        let mut found: BTreeMap<(KindId, u16), Vec<AbilityId>> = BTreeMap::new();
        for (i, ability) in self.model.abilities.iter().enumerate() {
            for who in self.model.who_has(ability) {
                found.entry(who).or_default().push(AbilityId(i as u16));
            }
        }
        found
    }

    /// `good.law:12`.
    pub fn place(&self, span: Span) -> Inline {
        let (file, line, _) = self.model.sources.place(span);
        Inline::Soft(format!("{file}:{line}"))
    }

    /// How a thing is changed, in a word.
    pub fn changed(&self, sort: Changed) -> Inline {
        let words = &self.words.book;
        let said = match sort {
            Changed::Added => words.added,
            Changed::Removed => words.removed,
            Changed::Changed => words.changed,
        };
        Inline::Changed(said.to_owned())
    }

    /// How a part is changed, if it is.
    pub fn change_of(&self, unit: &Unit) -> Option<Changed> {
        self.changes.of(&unit.name)
    }

    /// What a part decided, if it was measured.
    pub fn decided(&self, unit: &Unit) -> Option<String> {
        let measured = self.about.measured?;
        let part = measured.measure.part(unit.part.as_ref()?)?;
        Some(self.tally(&part.tally))
    }

    /// In how many cases and records something decided.
    pub fn tally(&self, tally: &[Tally; 3]) -> String {
        let words = self.words;
        let both = [(Through::Cases, Counted::Cases), (Through::Records, Counted::Records)];
        let counted = |of: fn(&Tally) -> usize| {
            let all = both.into_iter().filter_map(|(through, what)| {
                let n = tally.get(through as usize).map_or(0, of);
                (n > 0).then(|| words.counts.of(what, n))
            });
            all.collect::<Vec<_>>().join(words.comma)
        };
        match (counted(|t| t.decided), counted(|t| t.considered)) {
            (decided, _) if !decided.is_empty() => fill(words.book.decided, &[&decided]),
            (_, considered) if !considered.is_empty() => fill(words.book.considered, &[&considered]),
            _ => words.book.never.to_owned(),
        }
    }
}

/// Whether the members of a kind are shown: not those that only the rules' own machinery has.
pub(super) fn shown(kind: &Kind) -> bool {
    kind.pair.is_none() && !kind.of_hooks
}

/// Where a member stands.
pub(super) fn member_anchor(model: &Model, kind: KindId, id: &str) -> Anchor {
    let kind = model.kinds.get(kind.i()).map_or("", |k| &k.name);
    Anchor::new("member", &format!("{kind}.{id}"))
}

/// Where a case or record stands.
pub(super) fn item_anchor(item: &SuiteItem) -> Anchor {
    Anchor::new(if item.is_record() { "record" } else { "case" }, &item.place.replace(':', "."))
}

/// The reasons that a case expects, endings among them.
fn reasons(case: &Case) -> impl Iterator<Item = Because> {
    let expected = case.sections.iter().flat_map(|section| match section {
        Section::Then(all) => all.as_slice(),
        Section::When(_) => &[],
    });
    expected.flat_map(|expected| match &expected.what {
        Expectation::Ruled { because, .. } | Expectation::Holds(_, because) | Expectation::Brings { because, .. } => {
            because.clone()
        }
        Expectation::Overruled(lost, by) => std::iter::once(lost).chain(by).cloned().collect(),
        Expectation::Wins(_, Some(label)) | Expectation::Draw(Some(label)) => vec![Because::Label(label.clone())],
        _ => Vec::new(),
    })
}
