//! Rules with their exceptions, as trees.

use super::Desk;
use super::doc::{Anchor, Block, Chapter, Inline, Item, Piece, joined, link, text};
use crate::exceptions::{self, Branch, Teller, Thing};
use crate::lexicon::fill;

/// The chapter; `None` if nothing has exceptions.
pub(super) fn chapter(desk: &Desk) -> Option<Chapter> {
    let things = exceptions::list(desk.model);
    let words = &desk.words.book;
    let lead = vec![Block::Para(vec![text(words.trees_lead)])];
    let pieces: Vec<Piece> = things.iter().map(|thing| piece(desk, *thing)).collect();
    (!pieces.is_empty()).then(|| Chapter { name: "exceptions", title: words.trees.to_owned(), lead, pieces })
}

/// Where a subject's tree stands.
fn anchor(desk: &Desk, thing: Thing) -> Anchor {
    Anchor::new("about", &thing.name(desk.model))
}

fn piece(desk: &Desk, thing: Thing) -> Piece {
    let teller = Teller(desk.lexicon);
    let name = thing.name(desk.model);
    let title = match thing {
        Thing::Ends => teller.sort(thing).to_owned(),
        _ => format!("{} {name}", teller.sort(thing)),
    };
    let mut blocks = Vec::new();
    if let Some(declared) = desk.subjects.get(&name) {
        blocks.push(Block::Para(vec![Inline::Link(vec![Inline::Code(teller.title(thing))], declared.clone())]));
    }
    blocks.push(Block::List(exceptions::tree(desk.model, thing).iter().map(|b| item(desk, &teller, b)).collect()));
    Piece { title: vec![text(title)], anchor: anchor(desk, thing), blocks }
}

fn item(desk: &Desk, teller: &Teller, branch: &Branch) -> Item {
    let (lexicon, words) = (&desk.lexicon, desk.words);
    let head = match teller.role(branch).as_str() {
        "" => lexicon.clause(branch.clause),
        role => lexicon.labelled(role, branch.clause),
    };
    let unit = desk.units.of_clause(branch.clause);
    let mut line = match unit {
        Some(unit) => vec![link(head, &unit.anchor)],
        None => vec![Inline::Strong(head)],
    };
    let says = teller.says(&branch.says);
    if !says.is_empty() {
        line.push(text(words.colon));
        line.push(Inline::Code(says));
    }
    if !branch.holders.is_empty() {
        line.push(text(words.comma));
        let (before, after) = words.tree.of.split_once("{0}").unwrap_or((words.tree.of, ""));
        line.push(text(before));
        line.extend(joined(branch.holders.iter().map(|(kind, member)| desk.member(*kind, *member)), words.comma));
        line.push(text(after));
    }
    for note in &branch.notes {
        line.push(text(format!("{}{}", words.comma, teller.note(*note))));
    }
    if !branch.when.is_empty() {
        line.push(text(words.comma));
        let when = teller.conditions(branch).join(words.and);
        line.push(text(fill(words.tree.when, &[""])));
        line.push(Inline::Code(when));
    }
    let cites = desk.model.clause(branch.clause).map_or(&[][..], |c| &c.cites);
    if !cites.is_empty() {
        line.push(text(" ["));
        line.extend(desk.cites(cites));
        line.push(text("]"));
    }
    if let Some(sort) = unit.and_then(|unit| desk.change_of(unit)) {
        line.push(text(" "));
        line.push(desk.changed(sort));
    }
    Item { text: line, inside: branch.inside.iter().map(|b| item(desk, teller, b)).collect() }
}
