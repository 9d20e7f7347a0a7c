//! The members as cards: what is printed on them, their abilities, and the rules and clauses that name them.

use std::collections::BTreeMap;

use super::Desk;
use super::clauses::speaks_of;
use super::desk::{member_anchor, shown};
use super::doc::{Anchor, Block, Chapter, Entry, Inline, Piece, field, joined, link, text};
use super::units::Of;
use crate::model::{AbilityId, FieldStore, Kind, KindId, Value};

/// The most cards of one piece.
const CARDS: usize = 60;

/// The characters of a printed text that does not need a line of its own.
const SHORT: usize = 30;

/// The abilities of each member.
type Abilities = BTreeMap<(KindId, u16), Vec<AbilityId>>;

pub(super) fn chapter(desk: &Desk) -> Option<Chapter> {
    let abilities = desk.abilities();
    let mut pieces = Vec::new();
    for (i, kind) in desk.model.kinds.iter().enumerate().filter(|(_, kind)| shown(kind) && !kind.members.is_empty()) {
        let id = KindId(i as u16);
        let facts = Facts { desk, id, kind, abilities: &abilities };
        pieces.extend(if facts.is_table() { vec![facts.table()] } else { facts.cards() });
    }
    let words = &desk.words.book;
    let lead = vec![Block::Para(vec![text(words.members_lead)])];
    (!pieces.is_empty()).then(|| Chapter { name: "members", title: words.members.to_owned(), lead, pieces })
}

/// The members of one kind, and what is known of them.
struct Facts<'a> {
    desk: &'a Desk<'a>,
    id: KindId,
    kind: &'a Kind,
    abilities: &'a Abilities,
}

impl Facts<'_> {
    /// Whether there is nothing to say of the members that does not fit into a row.
    fn is_table(&self) -> bool {
        (0..self.kind.members.len()).all(|m| {
            let named = self.naming(m);
            named.is_empty() && self.own(m).is_empty() && self.kind.members.get(m).is_some_and(|m| m.cites.is_empty())
        })
    }

    fn own(&self, member: usize) -> &[AbilityId] {
        self.abilities.get(&(self.id, member as u16)).map_or(&[], Vec::as_slice)
    }

    /// The parts that name a member, without its own declaration and abilities.
    fn naming(&self, member: usize) -> Vec<usize> {
        let Some(own) = self.kind.members.get(member) else { return Vec::new() };
        let units = &self.desk.units.all;
        let is_own = |part: &usize| {
            units.get(*part).is_some_and(|unit| match unit.of {
                Of::Declaration => unit.title.starts_with(&format!("{} ", self.kind.name)),
                Of::Ability(id) => self.own(member).contains(&id),
                Of::Clause(id) => {
                    let ability = self.desk.model.clause(id).and_then(|c| c.ability);
                    ability.is_some_and(|ability| self.own(member).contains(&ability))
                }
                _ => false,
            })
        };
        self.desk.uses(&own.id).iter().copied().filter(|part| !is_own(part)).collect()
    }

    /// The name of a member, and its identifier where that is another.
    fn name(&self, member: usize) -> String {
        let name = self.desk.lexicon.member(self.id, member as u16);
        match self.kind.members.get(member) {
            Some(own) if own.id != name => format!("{name}{}", self.desk.words.bracketed(&own.id)),
            _ => name,
        }
    }

    fn anchor(&self, member: usize) -> Anchor {
        let id = self.kind.members.get(member).map_or("", |m| &m.id);
        member_anchor(self.desk.model, self.id, id)
    }

    fn is_changed(&self, member: usize) -> bool {
        let id = self.kind.members.get(member).map_or("", |m| &m.id);
        self.desk.changes.touch(self.desk.model, &self.kind.name, id)
    }

    /// What is printed on a member: fields as people call them.
    fn printed(&self, member: usize) -> impl Iterator<Item = (&str, Option<Vec<Inline>>)> {
        self.kind.fields.iter().enumerate().filter_map(move |(i, field)| {
            let FieldStore::Printed(values) = &field.store else { return None };
            let value = values.get(member)?;
            let idle = matches!(value, Value::None) || crate::game::SeenValue::known(&field.ty.base, value).is_idle();
            Some((self.desk.lexicon.field(self.id, i), (!idle).then(|| self.desk.value(&field.ty.base, value))))
        })
    }

    /// Where the links of the game lead from a member, but not those of grids.
    fn linked(&self, member: usize) -> Vec<Block> {
        let model = self.desk.model;
        let own = model
            .links
            .iter()
            .enumerate()
            .filter(|(i, links)| links.from == self.id && !model.grids.iter().any(|grid| grid.links.i() == *i));
        let leads = own.filter_map(|(_, links)| {
            let to = links.forward.get(member)?;
            let all: Vec<Vec<Inline>> = to.iter().map(|other| self.desk.member(links.to, other as u16)).collect();
            let all = joined(all, self.desk.words.comma);
            (!all.is_empty()).then(|| field(&links.name, self.desk.words.colon, all))
        });
        leads.collect()
    }

    fn piece(&self, title: String, anchor: Anchor, blocks: Vec<Block>) -> Piece {
        let declared = self.desk.model.sources.files.get(self.kind.span.file as usize);
        let mut all = Vec::new();
        if declared.is_some_and(|f| f.name.ends_with(".law")) && self.kind.span.end > 0 {
            let to = super::units::anchor(self.desk.model, self.kind.span);
            let place = vec![link(self.desk.words.book.declared, &to), text(" "), self.desk.place(self.kind.span)];
            all.push(Block::Para(place));
        }
        all.extend(blocks);
        Piece { title: vec![text(title)], anchor, blocks: all }
    }

    fn table(&self) -> Piece {
        let (desk, words) = (self.desk, &self.desk.words.book);
        let of_grid = |i: usize| desk.model.grids.iter().any(|g| g.links.i() == i);
        let has_links = desk.model.links.iter().enumerate().any(|(i, l)| l.from == self.id && !of_grid(i));
        let mut heads = vec![words.name.to_owned()];
        heads.extend(self.printed(0).map(|(name, _)| name.to_owned()));
        if has_links {
            heads.push(words.leads_to.to_owned());
        }
        let row = |member: usize| {
            let mut name = vec![Inline::At(self.anchor(member)), text(self.name(member))];
            if self.is_changed(member) {
                name.push(text(" "));
                name.push(Inline::Changed(words.changed.to_owned()));
            }
            let mut row = vec![name];
            row.extend(self.printed(member).map(|(_, value)| value.unwrap_or_default()));
            if has_links {
                let all = self.linked(member).into_iter().filter_map(|block| match block {
                    Block::Para(line) => Some(line),
                    _ => None,
                });
                row.push(joined(all, "; "));
            }
            row
        };
        let rows = (0..self.kind.members.len()).map(row).collect();
        self.piece(self.heading(), Anchor::new("kind", &self.kind.name), vec![Block::Table(heads, rows)])
    }

    /// What people call the members, with a capital.
    fn heading(&self) -> String {
        let mut letters = self.desk.lexicon.kind(self.id).chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    }

    fn cards(&self) -> Vec<Piece> {
        let cards: Vec<Entry> = (0..self.kind.members.len()).map(|member| self.card(member)).collect();
        let chunks: Vec<&[Entry]> = cards.chunks(CARDS).collect();
        let title = self.heading();
        let piece = |(i, chunk): (usize, &&[Entry])| {
            let name = match chunks.len() {
                1 => title.clone(),
                _ => {
                    let (from, to) = (i * CARDS, i * CARDS + chunk.len() - 1);
                    format!("{title}{}{} – {}", self.desk.words.colon, self.name(from), self.name(to))
                }
            };
            let anchor = if i == 0 { self.kind.name.clone() } else { format!("{}.{}", self.kind.name, i + 1) };
            self.piece(name, Anchor::new("kind", &anchor), vec![Block::Cards(chunk.to_vec())])
        };
        chunks.iter().enumerate().map(piece).collect()
    }

    fn card(&self, member: usize) -> Entry {
        let (desk, words) = (self.desk, self.desk.words);
        let changed = self.is_changed(member);
        let mut head = vec![text(self.name(member))];
        if changed {
            head.push(text(" "));
            head.push(Inline::Changed(words.book.changed.to_owned()));
        }
        let mut blocks = vec![Block::Head(3, Some(self.anchor(member)), head)];
        let mut short = Vec::new();
        for (name, value) in self.printed(member).filter_map(|(name, value)| Some((name, value?))) {
            if matches!(value.as_slice(), [Inline::Text(text)] if text.chars().count() > SHORT) {
                blocks.push(field(name, words.colon, value));
            } else {
                let mut said = vec![Inline::Soft(format!("{name}{}", words.colon))];
                said.extend(value);
                short.push(said);
            }
        }
        if !short.is_empty() {
            blocks.insert(1, Block::Para(joined(short, "; ")));
        }
        blocks.extend(self.linked(member));
        let mut cites: Vec<&String> = self.kind.members.get(member).map_or(Vec::new(), |m| m.cites.iter().collect());
        let abilities = self.own(member);
        let parts: Vec<usize> = (0..desk.units.all.len())
            .filter(|i| {
                let of = desk.units.all.get(*i).map(|u| u.of);
                matches!(of, Some(Of::Ability(id)) if abilities.contains(&id))
            })
            .collect();
        if !parts.is_empty() {
            blocks.push(field(words.book.abilities, words.colon, desk.parts(&parts)));
        }
        for ability in abilities.iter().filter_map(|id| desk.model.abilities.get(id.i())) {
            cites.extend(&ability.cites);
        }
        let mut seen = std::collections::BTreeSet::new();
        cites.retain(|id| seen.insert(id.as_str()));
        let name = desk.lexicon.member(self.id, member as u16);
        let long = name.chars().count() > 2;
        let says = desk.model.register.iter().filter(|row| long && !seen.contains(row.id.as_str()));
        let spoken: Vec<&String> =
            says.filter(|row| speaks_of(row.paraphrase.get(desk.lexicon.lang), &name)).map(|row| &row.id).collect();
        if !cites.is_empty() {
            blocks.push(field(words.book.cites, words.colon, desk.cites(cites)));
        }
        if !spoken.is_empty() {
            blocks.push(field(words.book.also_named, words.colon, desk.cites(spoken)));
        }
        let naming = self.naming(member);
        if !naming.is_empty() {
            blocks.push(field(words.book.named_by, words.colon, desk.parts(&naming)));
        }
        Entry { changed, blocks }
    }
}
