//! Definitions that only bots ask: those that `worth` uses, and nothing else does.

use std::collections::BTreeSet;

use crate::syntax::tree::{DeclKind, File};

/// A declaration: what it defines, if it is a definition, and the words in it.
struct Said<'t> {
    defines: Option<&'t str>,
    is_worth: bool,
    words: BTreeSet<&'t str>,
}

/// The names of the definitions that only `worth` uses, itself or by others of them. A name that a rule mentions counts
/// as used, whatever the rule means by it.
pub(super) fn judging<'t>(texts: &[&'t str], trees: &'t [File]) -> BTreeSet<&'t str> {
    let mut all = Vec::new();
    for (text, tree) in texts.iter().zip(trees) {
        for d in &tree.decls {
            let text = text.get(d.span.start as usize..d.span.end as usize).unwrap_or("");
            let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
            let defines = match &d.kind {
                DeclKind::Define { name, .. } => Some(name.text.as_str()),
                _ => None,
            };
            all.push(Said { defines, is_worth: matches!(d.kind, DeclKind::Worth { .. }), words });
        }
    }
    let judges = all.iter().any(|said| said.is_worth);
    let mut found: BTreeSet<&str> = all.iter().filter_map(|said| said.defines.filter(|_| judges)).collect();
    loop {
        let of_rules = |said: &&Said<'_>| !said.is_worth && said.defines.is_none_or(|name| !found.contains(name));
        let used: BTreeSet<&str> = all.iter().filter(of_rules).flat_map(|said| said.words.iter().copied()).collect();
        let before = found.len();
        found.retain(|name| !used.contains(name));
        if found.len() == before {
            return found;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::judging;
    use crate::syntax;

    #[test]
    fn what_a_rule_asks_is_not_only_of_bots() {
        let rules = "define men() -> Int = 3\ndefine strong() -> Bool = men() > 2\nmay move when strong()\n";
        let bots = "define near() -> Int = 1\ndefine hope() -> Int = near() + men()\nworth p = hope()\n";
        let trees = [rules, bots].map(|text| syntax::parse(0, text).0);
        assert_eq!(Vec::from_iter(judging(&[rules, bots], &trees)), ["hope", "near"]);
        assert!(judging(&[rules], &trees[..1]).is_empty());
    }
}
