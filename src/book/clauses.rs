//! The clauses of the register in their order, with the rules that encode them.

use super::Desk;
use super::doc::{Anchor, Block, Chapter, Entry, Inline, Piece, field, link, text};
use crate::lexicon::fill;
use crate::model::{CitationRole, RegisterRow};

/// The chapter; `None` if the game has no register.
pub(super) fn chapter(desk: &Desk) -> Option<Chapter> {
    let words = &desk.words.book;
    let naming = Naming::new(desk);
    let mut pieces: Vec<Piece> = Vec::new();
    let mut section: Option<&str> = None;
    for row in &desk.model.register {
        if section != Some(&row.section) {
            section = Some(&row.section);
            // A register may come back to a section.
            let anchor = Anchor::new("section", &format!("{}.{}", pieces.len() + 1, row.section));
            let title = if row.section.is_empty() { words.clauses } else { &row.section };
            pieces.push(Piece { title: vec![text(title)], anchor, blocks: Vec::new() });
        }
        let entry = entry(desk, &naming, row);
        if let Some(piece) = pieces.last_mut() {
            piece.blocks.push(Block::Entry(entry));
        }
    }
    let lead = vec![Block::Para(vec![text(words.clauses_lead)])];
    (!pieces.is_empty()).then(|| Chapter { name: "clauses", title: words.clauses.to_owned(), lead, pieces })
}

fn entry(desk: &Desk, naming: &Naming, row: &RegisterRow) -> Entry {
    let words = desk.words;
    let mut head = vec![text(&row.id)];
    let changed = desk.changes.concern(&row.id);
    if changed {
        head.push(text(" "));
        head.push(Inline::Changed(words.book.concerned.to_owned()));
    }
    let mut blocks = vec![Block::Head(3, Some(Anchor::new("clause", &row.id)), head)];
    let says = row.paraphrase.get(desk.lexicon.lang);
    if !says.is_empty() {
        blocks.push(Block::Quote(vec![text(says)]));
    }
    let mut about = Vec::new();
    if !row.line.is_empty() {
        about.push(fill(words.rulebook_line, &[&row.line]));
    }
    if !row.ambiguity.is_empty() {
        about.push(fill(words.unclear, &[&row.ambiguity]));
    }
    if !about.is_empty() {
        blocks.push(Block::Para(vec![Inline::Soft(about.join("; "))]));
    }
    blocks.extend(encoded(desk, &row.id));
    let cases = desk.cases_about(&row.id);
    if !cases.is_empty() {
        blocks.push(field(words.book.cases, words.colon, desk.all_items(cases)));
    }
    let named = naming.named_in(desk, says);
    if !named.is_empty() {
        blocks.push(field(words.book.names_members, words.colon, named));
    }
    let tally = desk.about.measured.and_then(|measured| measured.measure.cited(&row.id));
    if let Some(tally) = tally {
        blocks.push(Block::Para(vec![Inline::Soft(desk.tally(&tally))]));
    }
    Entry { changed, blocks }
}

/// What encodes a clause.
fn encoded(desk: &Desk, id: &str) -> Vec<Block> {
    let words = &desk.words.book;
    let mut blocks = Vec::new();
    let mut shown = Vec::new();
    for citation in desk.model.citations.iter().filter(|c| c.id == id) {
        let Some(number) = desk.units.around(citation.span) else { continue };
        let Some(unit) = desk.units.all.get(number).filter(|_| !shown.contains(&number)) else { continue };
        shown.push(number);
        let mut line = match citation.role {
            CitationRole::Rule => vec![link(&unit.title, &unit.anchor)],
            CitationRole::Note => vec![link(words.noted, &unit.anchor)],
            CitationRole::Manners => vec![link(words.manners, &unit.anchor)],
        };
        line.push(text("  "));
        line.push(desk.place(unit.span));
        if let Some(sort) = desk.change_of(unit) {
            line.push(text(" "));
            line.push(desk.changed(sort));
        }
        if let Some(decided) = desk.decided(unit) {
            line.push(Inline::Soft(format!("{}{decided}", desk.words.comma)));
        }
        blocks.push(Block::Para(line));
        if citation.role != CitationRole::Note {
            blocks.push(Block::Source(desk.quoted(unit.span, &unit.anchor)));
        }
    }
    if blocks.is_empty() {
        blocks.push(Block::Para(vec![Inline::Strong(words.bare.to_owned())]));
    }
    blocks
}

/// The members by the names under which sentences may speak of them.
pub(super) struct Naming {
    /// Name, kind and place.
    names: Vec<(String, usize, u16)>,
}

impl Naming {
    pub fn new(desk: &Desk) -> Naming {
        let mut names = Vec::new();
        let kinds = desk.model.kinds.iter().enumerate().filter(|(_, kind)| super::desk::shown(kind));
        for (i, kind) in kinds {
            for (m, member) in kind.members.iter().enumerate() {
                let name = member.name.get(desk.lexicon.lang);
                // Short names are words of the language, too, and names of cells.
                if name.chars().count() > 2 && name.chars().next().is_some_and(|c| c.is_uppercase() || !c.is_ascii()) {
                    names.push((name.to_owned(), i, m as u16));
                }
            }
        }
        // Of several with one name the first stands for all.
        names.sort();
        names.dedup_by(|a, b| a.0 == b.0);
        Naming { names }
    }

    /// The members that a sentence names, linked.
    fn named_in(&self, desk: &Desk, says: &str) -> Vec<Inline> {
        let found = self.names.iter().filter(|(name, ..)| speaks_of(says, name));
        let links = found.map(|(_, kind, member)| desk.member(crate::model::KindId(*kind as u16), *member));
        super::doc::joined(links, desk.words.comma)
    }
}

/// Whether a sentence has a name in it, as a whole word where the language has words between blanks.
pub(super) fn speaks_of(says: &str, name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric();
    says.match_indices(name).any(|(at, _)| {
        let before = says.get(..at).and_then(|s| s.chars().next_back());
        let after = says.get(at + name.len()..).and_then(|s| s.chars().next());
        !before.is_some_and(letter) && !after.is_some_and(letter)
    })
}
