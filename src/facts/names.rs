//! The names of a game, for finding them in running text, the longest first.

use crate::lexicon::folded;
use crate::model::{KindId, Model, PLAYER, VarId, VarOwner};
use crate::spelling::{closest, fold, nearest};
use std::collections::BTreeSet;

/// A member under one of its names.
#[derive(Clone, Debug)]
struct Named {
    name: String,
    /// The name as the rules write it.
    shown: String,
    kind: KindId,
    member: u16,
    is_id: bool,
}

/// All names of a game, folded (small letters, single spaces).
#[derive(Clone, Debug, Default)]
pub struct Names {
    members: Vec<Named>,
    vars: Vec<(String, VarId)>,
}

/// The rest of a text after a name, if it begins with the whole name.
pub(super) fn after<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(name)?;
    let last = name.chars().next_back()?;
    let goes_on = |c: char| c.is_alphanumeric() || c == '_';
    match rest.chars().next() {
        Some(next) if goes_on(last) && goes_on(next) && last.is_ascii() && next.is_ascii() => None,
        _ => Some(rest),
    }
}

impl Names {
    /// The names of a game.
    #[must_use]
    pub fn new(model: &Model) -> Names {
        let mut members = Vec::new();
        // Pairs are named by their two members.
        for (k, kind) in model.kinds.iter().enumerate().filter(|(_, kind)| kind.pair.is_none() && !kind.of_hooks) {
            for (m, member) in kind.members.iter().enumerate() {
                let mut add = |shown: &str, is_id: bool| {
                    let (name, shown) = (fold(shown), shown.to_owned());
                    members.push(Named { name, shown, kind: KindId(k as u16), member: m as u16, is_id });
                };
                let id = fold(&member.id);
                let translations = member.name.translations.iter().map(|(_, t)| t);
                let spelt = std::iter::once(&member.name.text).chain(translations);
                spelt.filter(|name| fold(name) != id && !name.trim().is_empty()).for_each(|name| add(name, false));
                if !id.is_empty() {
                    add(&member.id, true);
                }
            }
        }
        members.sort_by_key(|n: &Named| std::cmp::Reverse(n.name.len()));
        let mut vars = Vec::new();
        for (v, var) in model.vars.iter().enumerate() {
            if matches!(var.owner, VarOwner::Field(_)) {
                continue;
            }
            let name = fold(&var.name);
            for text in std::iter::once(name).chain(folded(&var.label)) {
                if !text.is_empty() {
                    vars.push((text, VarId(v as u16)));
                }
            }
        }
        vars.sort_by_key(|v: &(String, VarId)| std::cmp::Reverse(v.0.len()));
        Names { members, vars }
    }

    /// The members whose name begins a (folded) text, the longest names first: kind, member, whether by identifier, the
    /// text after it.
    pub fn members<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (KindId, u16, bool, &'a str)> + 'a {
        self.members.iter().filter_map(move |n| Some((n.kind, n.member, n.is_id, after(text, &n.name)?)))
    }

    /// The variables whose name begins a (folded) text, the longest names first, with the text after it.
    pub fn vars<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (VarId, &'a str)> + 'a {
        self.vars.iter().filter_map(move |(name, var)| Some((*var, after(text, name)?)))
    }

    /// All names of members of a kind, or of all kinds, as the rules write them.
    pub fn known(&self, kind: Option<KindId>) -> impl Iterator<Item = &str> {
        self.of(kind).map(|n| n.shown.as_str())
    }

    fn of(&self, kind: Option<KindId>) -> impl Iterator<Item = &Named> {
        self.members.iter().filter(move |n| kind.is_none_or(|k| k == n.kind))
    }

    /// The members that a misspelt name may mean, nearest first: each by one name, at most `most`. Where no name is
    /// near, those that begin with the text, or with a word like its first.
    #[must_use]
    pub fn near(&self, typed: &str, kind: Option<KindId>, most: usize) -> Vec<String> {
        let mut found = nearest(typed, self.known(kind), 3 * most);
        if found.is_empty() {
            let typed = fold(typed);
            let first = |name: &str| name.split([' ', ',']).next().unwrap_or("").to_owned();
            let (long, word) = (typed.chars().count() > 2, first(&typed));
            let same = |n: &&Named| n.name.starts_with(&typed) || first(&n.name) == word;
            let like = |n: &&Named| closest(&word, [first(&n.name).as_str()]).is_some();
            let all = |is: &dyn Fn(&&Named) -> bool| -> Vec<String> {
                self.of(kind).filter(|n| long && is(n)).take(3 * most).map(|n| n.shown.clone()).collect()
            };
            found = all(&same);
            if found.is_empty() {
                found = all(&like);
            }
            let words = |name: &str| -> BTreeSet<String> {
                let long = |w: &&str| w.chars().count() > 2;
                name.split([' ', ',']).filter(long).map(str::to_owned).collect()
            };
            if found.is_empty() {
                let typed = words(&typed);
                found = all(&|n| !typed.is_disjoint(&words(&n.name)));
            }
        }
        let mut told = BTreeSet::new();
        found.retain(|name| {
            let named = self.of(kind).find(|n| n.shown == *name);
            named.is_none_or(|n| told.insert((n.kind, n.member)))
        });
        found.truncate(most);
        found
    }

    /// All names of variables.
    pub fn known_vars(&self) -> impl Iterator<Item = &str> {
        self.vars.iter().map(|(n, _)| n.as_str())
    }
}

/// The seat with that name or identifier.
#[must_use]
pub fn seat_named(model: &Model, text: &str) -> Option<u16> {
    let text = fold(text);
    let seats = &model.kinds.get(PLAYER.i())?.members;
    seats.iter().position(|s| fold(&s.id) == text || folded(&s.name).contains(&text)).map(|i| i as u16)
}
