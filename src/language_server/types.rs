//! Of which type an expression is that is being written, as far as its words tell.

use std::collections::BTreeSet;

use super::asked::Place;
use super::hover::member;
use crate::model::{Base, KindId, Model};

/// A part of a chain such as `near(c.at)[0].side`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Link {
    name: String,
}

/// How often the type of a name is looked up in the type of another.
const MAX_DEPTH: usize = 4;

impl Place<'_> {
    /// The type of the expression that ends at a byte of the text.
    pub fn type_before(&self, end: usize) -> Option<Base> {
        let model = self.game.model.as_ref()?;
        self.of_chain(model, &chain(self.text().get(..end)?), MAX_DEPTH)
    }

    fn of_chain(&self, model: &Model, chain: &[Link], depth: usize) -> Option<Base> {
        let (first, rest) = chain.split_first()?;
        let mut base = self.of_name(model, &first.name, depth)?;
        for link in rest {
            let Base::Member(kind) = base else { return None };
            let fields = &model.kinds.get(kind.i())?.fields;
            base = fields.iter().find(|f| f.name == link.name)?.ty.base.clone();
        }
        Some(base)
    }

    fn of_name(&self, model: &Model, name: &str, depth: usize) -> Option<Base> {
        if let Some((kind, _)) = member(model, name) {
            return Some(Base::Member(kind));
        }
        let local = self.of_local(model, name, depth);
        if let Some(base) = local.or_else(|| self.parameters(model).into_iter().find(|p| p.0 == name).map(|p| p.1)) {
            return Some(base);
        }
        let var = model.vars.iter().find(|v| v.name == name || v.name.ends_with(&format!(".{name}")));
        let def = || model.defs.iter().find(|d| d.name == name).map(|d| d.ty.base.clone());
        let config = || model.config.iter().find(|c| c.name == name).map(|c| c.ty.base.clone());
        var.map(|v| v.ty.base.clone()).or_else(def).or_else(config)
    }

    /// The text of the declaration around the place, up to the place. A declaration that cannot be read yet has no
    /// outline: what stands above it up to an empty line is meant.
    fn own(&self) -> &str {
        let text = self.text();
        let before = text.get(..self.byte).unwrap_or("");
        let start = match self.game.index.around(self.file, self.byte) {
            Some(outline) => outline.start,
            None => before.rfind("\n\n").map_or(0, |n| n + 2),
        };
        before.get(start..).unwrap_or("")
    }

    /// The parameters of the actions and definitions that the declaration around the place names: clauses about these
    /// know them.
    pub fn parameters(&self, model: &Model) -> Vec<(String, Base)> {
        let words: BTreeSet<&str> = self.own().split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        let actions = model.actions.iter().filter(|a| words.contains(a.name.as_str())).map(|a| &a.params);
        let defs = model.defs.iter().filter(|d| words.contains(d.name.as_str())).map(|d| &d.params);
        actions.chain(defs).flatten().map(|(name, ty)| (name.clone(), ty.base.clone())).collect()
    }

    /// The type of a name that only the declaration around the place knows.
    fn of_local(&self, model: &Model, name: &str, depth: usize) -> Option<Base> {
        let depth = depth.checked_sub(1)?;
        let own = self.own();
        for (at, _) in own.rmatch_indices(name) {
            let joined = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            let after = own.get(at + name.len()..).unwrap_or("");
            if joined(own.get(..at).and_then(|t| t.chars().next_back())) || joined(after.chars().next()) {
                continue;
            }
            let after = after.trim_start();
            let typed = after.strip_prefix(':').filter(|rest| !rest.starts_with('='));
            if let Some(kind) = typed.and_then(|rest| kind(model, first_word(rest))) {
                return Some(Base::Member(kind));
            }
            let set = ["in ", "from ", "= "].iter().find_map(|word| after.strip_prefix(word));
            let Some(set) = set.map(str::trim_start) else { continue };
            if let Some(kind) = kind(model, first_word(set)) {
                return Some(Base::Member(kind));
            }
            let links = chain(set.get(..whole(set)).unwrap_or(""));
            match self.of_chain(model, &links, depth) {
                Some(Base::Set(of) | Base::Bag(of)) => return Some(*of),
                Some(Base::List(kind)) => return Some(Base::Member(kind)),
                Some(base) => return Some(base),
                None => {}
            }
        }
        None
    }
}

fn first_word(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}

/// The kind with a name.
pub(super) fn kind(model: &Model, name: &str) -> Option<KindId> {
    let at = model.kinds.iter().position(|k| k.name == name && !name.is_empty())?;
    u16::try_from(at).ok().map(KindId)
}

/// The end of the chain with which a text begins.
fn whole(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 0 => return at,
            ')' | ']' => depth -= 1,
            _ if depth > 0 || c.is_alphanumeric() || matches!(c, '_' | '.') => {}
            _ => return at,
        }
    }
    text.len()
}

/// The chain of names with which a text ends; arguments and indices are left out.
fn chain(text: &str) -> Vec<Link> {
    let mut links = Vec::new();
    let mut rest = text.trim_end();
    loop {
        while rest.ends_with([')', ']']) {
            let mut depth = 0_usize;
            let open = rest.char_indices().rev().find(|(_, c)| {
                match c {
                    ')' | ']' => depth += 1,
                    '(' | '[' => depth -= 1,
                    _ => {}
                }
                depth == 0
            });
            let Some((at, _)) = open else { return Vec::new() };
            rest = rest.get(..at).unwrap_or("");
        }
        let start = rest.rfind(|c: char| !(c.is_alphanumeric() || c == '_'));
        let start = start.map_or(0, |at| at + rest.get(at..).and_then(|t| t.chars().next()).map_or(1, char::len_utf8));
        let name = rest.get(start..).unwrap_or("");
        if name.is_empty() {
            return Vec::new();
        }
        links.insert(0, Link { name: name.to_owned() });
        rest = rest.get(..start).unwrap_or("");
        match rest.strip_suffix('.') {
            Some(before) if !before.ends_with('.') => rest = before,
            _ => return links,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_read_backwards() {
        let names = |text: &str| chain(text).into_iter().map(|l| l.name).collect::<Vec<_>>().join(".");
        assert_eq!(names("when some c in near(x.at, y)[0].side"), "near.side");
        assert_eq!(names("holder.troop"), "holder.troop");
        assert_eq!(names("1..x"), "x");
        assert_eq!(names("a +"), "");
        assert_eq!(names(")"), "");
    }
}
