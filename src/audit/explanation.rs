//! Survivors that somebody has explained, in the Markdown files of a game.

use crate::library::Folder;

/// A mutant that need not be caught, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The name of the mutant.
    pub id: String,
    /// Why.
    pub why: String,
    /// File and line.
    pub place: String,
}

/// The explanations in the blocks fenced with ```` ```mutants ````: names of mutants at the margin, one on a line, and
/// after each group, indented, the reason.
#[must_use]
pub fn explanation(folder: &Folder) -> Vec<Explanation> {
    let mut found = Vec::new();
    for (name, text) in folder.files.iter().filter(|(name, _)| name.ends_with(".md")) {
        let mut inside = false;
        // The index of the first mutant of the current group, and whether its reason has begun.
        let (mut group, mut told) = (found.len(), false);
        for (i, line) in text.lines().enumerate() {
            if let Some(info) = line.strip_prefix("```") {
                inside = !inside && info.trim() == "mutants";
                (group, told) = (found.len(), false);
                continue;
            }
            let words = line.trim();
            if !inside || words.is_empty() {
                continue;
            }
            if line.starts_with(char::is_whitespace) {
                for explanation in found.iter_mut().skip(group) {
                    let Explanation { why, .. } = explanation;
                    if !why.is_empty() {
                        why.push(' ');
                    }
                    why.push_str(words);
                }
                told = true;
            } else {
                if told {
                    (group, told) = (found.len(), false);
                }
                found.push(Explanation {
                    id: words.to_owned(),
                    why: String::new(),
                    place: format!("{name}:{}", i + 1),
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_stands_for_the_names_before_it() {
        let text = "# G\n```mutants\na.law: x: drop\na.law: y: drop\n  they are the same,\n  both of them\n\n\
                    b.law: z: drop\n  never asked\n```\n```case\nno: drop\n```\n";
        let folder = Folder { files: vec![("README.md".into(), text.into())], ..Folder::default() };
        let found = explanation(&folder);
        let short: Vec<(&str, &str, &str)> =
            found.iter().map(|e| (e.id.as_str(), e.why.as_str(), e.place.as_str())).collect();
        assert_eq!(
            short,
            [
                ("a.law: x: drop", "they are the same, both of them", "README.md:3"),
                ("a.law: y: drop", "they are the same, both of them", "README.md:4"),
                ("b.law: z: drop", "never asked", "README.md:8"),
            ]
        );
    }
}
