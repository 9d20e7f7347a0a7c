//! The legend under a map: the meanings of its signs and short names.

use super::columns;
use crate::game::Marked;
use crate::model::Model;

/// The maximum width of a line in columns.
pub const WIDTH: usize = 80;

/// Adds the entries, side by side as far as there is room in lines of some columns.
pub fn rows(out: &mut String, room: usize, entries: impl IntoIterator<Item = String>) {
    let mut used = 0;
    for entry in entries {
        let width = columns(&entry);
        if used > 0 && used + 3 + width <= room {
            out.push_str("   ");
            used += 3;
        } else if used > 0 {
            out.push('\n');
            used = 0;
        }
        out.push_str(&entry);
        used += width;
    }
    if used > 0 {
        out.push('\n');
    }
}

/// Adds words in lines of some columns, between which lines are broken; each line but the first is indented.
pub fn words<'w>(out: &mut String, room: usize, indent: usize, words: impl IntoIterator<Item = &'w str>) {
    let mut used = 0;
    for word in words {
        let width = columns(word);
        if used > 0 && used + 1 + width > room {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            used = indent;
        } else if used > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += width;
    }
    out.push('\n');
}

/// The marks that are drawn somewhere: `^ high ground`.
pub fn marks(model: &Model, marks: &[Marked], lang: &str) -> Vec<String> {
    let drawn = marks.iter().filter(|m| !(m.cells.is_empty() && m.sides.is_empty()));
    let found = drawn.filter_map(|m| model.marks.get(m.mark));
    let mut entries: Vec<String> =
        found.map(|m| format!("{} {}", m.sign, m.label.get(lang)).trim_end().to_owned()).collect();
    entries.dedup();
    entries
}
