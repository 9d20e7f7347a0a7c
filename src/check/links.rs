//! Links between members, and those that variants add and take away.

use std::sync::Arc;

use super::Checker;
use super::names::Symbol;
use crate::check::Diagnostic;
use crate::model::{KindId, LinkId, Set};
use crate::span::Span;
use crate::syntax::tree::{self, Chain, Decl, DeclKind, Word};

/// Two members that a chain links, and where it says so.
type Link = (usize, usize, Span);

impl Checker {
    pub(super) fn links(
        &mut self,
        name: &Word,
        (from, to): (&Word, &Word),
        directed: bool,
        chains: &[Chain],
        file: Option<&tree::Label>,
    ) {
        let Some(Symbol::Links(id)) = self.names.get(&name.text) else {
            return;
        };
        let (Some(f), Some(t)) = (self.kind_named(from), self.kind_named(to)) else {
            self.unclear.names.insert(name.text.clone());
            return;
        };
        let links = &mut self.model.links[id.i()];
        (links.from, links.to) = (f, t);
        links.forward = vec![Set::new(); self.model.kinds[f.i()].members.len()];
        links.backward = vec![Set::new(); self.model.kinds[t.i()].members.len()];
        for (x, y, _) in self.pairs_linked(chains, (f, t)) {
            self.link(id, (x, y), directed, true);
        }
        for (x, y) in file.map_or_else(Vec::new, |file| self.linked_in(file, (f, t))) {
            self.link(id, (x, y), directed, true);
        }
    }

    /// Links two members, or with `on` false takes their link away.
    fn link(&mut self, id: LinkId, (x, y): (usize, usize), directed: bool, on: bool) {
        let links = &mut self.model.links[id.i()];
        let mut put = |x: usize, y: usize| {
            for (sets, at, member) in [(&mut links.forward, x, y), (&mut links.backward, y, x)] {
                let Some(set) = sets.get_mut(at) else { continue };
                if on { set.insert(member) } else { set.remove(member) }
            }
        };
        put(x, y);
        if !directed {
            put(y, x);
        }
    }

    /// The pairs of members that chains link.
    fn pairs_linked(&mut self, chains: &[Chain], (from, to): (KindId, KindId)) -> Vec<Link> {
        let mut found = Vec::new();
        for chain in chains {
            for pair in chain.groups.windows(2) {
                let [left, right] = pair else { continue };
                for a in left {
                    for b in right {
                        if let (Some(x), Some(y)) = (self.member_of(from, a), self.member_of(to, b)) {
                            found.push((x, y, a.span.to(b.span)));
                        }
                    }
                }
            }
        }
        found
    }

    /// The pairs of members in the first two columns of a file.
    fn linked_in(&mut self, file: &tree::Label, (from, to): (KindId, KindId)) -> Vec<(usize, usize)> {
        let Some((_, rows)) = self.link_table(file) else { return Vec::new() };
        let (mut found, mut unknown) = (Vec::new(), Vec::new());
        for row in rows {
            let mut end = |n: usize, kind: KindId| {
                let text = row.cells.get(n).cloned().unwrap_or_default();
                let at = self.within(file, row.spots.get(n).cloned().unwrap_or(row.at.clone()));
                self.member_in_cell(kind, &Word { text, span: at }, &mut unknown)
            };
            if let (Some(x), Some(y)) = (end(0, from), end(1, to)) {
                found.push((x, y));
            }
        }
        self.report_unknown_cells(file, unknown);
        found
    }

    /// Adds and takes away the links that variants say.
    pub(super) fn more_links(&mut self, decls: &[Arc<Decl>]) {
        for d in decls {
            if let DeclKind::MoreLinks { name, except, directed, chains } = &d.kind
                && self.is_overlay(d.span)
                && let Some((id, both)) = self.links_changed(name, decls)
            {
                self.change_links(id, (*directed, both), *except, chains);
            }
        }
    }

    /// The links with this name, and whether they are directed.
    fn links_changed(&mut self, name: &Word, decls: &[Arc<Decl>]) -> Option<(LinkId, bool)> {
        let directed = decls.iter().find_map(|d| match &d.kind {
            DeclKind::Links { name: n, directed, .. } if n.text == name.text => Some(*directed),
            _ => None,
        });
        match (self.names.get(&name.text), directed) {
            (Some(Symbol::Links(id)), Some(directed)) => {
                (!self.unclear.names.contains(&name.text)).then_some((id, directed))
            }
            (Some(Symbol::Links(_)), None) => {
                let message = format!("`{}` is a grid, whose cells are linked by their places", name.text);
                self.report(
                    Diagnostic::error("law::type", message, name.span, "links of its own")
                        .help("declare `links` beside the grid, and add both: `hexes(c) + bridge(c)`"),
                );
                None
            }
            _ => {
                let known = self.model.links.iter().map(|l| l.name.clone()).collect::<Vec<_>>();
                self.unknown_among("block of links called", name, known.iter().map(String::as_str));
                None
            }
        }
    }

    fn change_links(&mut self, id: LinkId, (written, directed): (bool, bool), except: bool, chains: &[Chain]) {
        let name = self.model.links[id.i()].name.clone();
        if written != directed {
            let (message, help) = match directed {
                true => (format!("the links `{name}` lead one way"), "write `A -> B`"),
                false => (format!("the links `{name}` lead both ways"), "write `A - B`"),
            };
            let span = chains.first().map_or_else(Span::default, |chain| chain.span);
            self.report(Diagnostic::error("law::type", message, span, "written otherwise").help(help));
            return;
        }
        let (from, to) = (self.model.links[id.i()].from, self.model.links[id.i()].to);
        for (x, y, span) in self.pairs_linked(chains, (from, to)) {
            let is = self.model.links[id.i()].forward.get(x).is_some_and(|set| set.contains(y));
            if is != except {
                let member =
                    |kind: KindId, m: usize| self.model.kinds[kind.i()].members.get(m).map_or("", |m| m.id.as_str());
                let pair = format!("`{}` and `{}`", member(from, x), member(to, y));
                let (message, label, help) = match except {
                    true => (format!("{name}: {pair} are not linked"), "takes nothing away", "leave it out"),
                    false => (format!("{name}: {pair} are linked already"), "adds nothing", "leave it out"),
                };
                self.report(Diagnostic::error("law::dangling-exception", message, span, label).help(help));
            }
            self.link(id, (x, y), directed, !except);
        }
    }
}
