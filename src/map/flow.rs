//! Entries side by side, in lines as wide as a small terminal.

use super::{columns, legend};

/// The indentation of the further lines of an entry.
const HANGING: usize = 6;

/// The space between two entries in one line.
const GAP: usize = 3;

/// Puts entries side by side in lines of 80 columns, indented; a longer one has lines of its own.
pub fn flowed(out: &mut String, indent: usize, entries: &[&str]) {
    flowed_in(out, legend::WIDTH, indent, entries);
}

/// The same in lines of some columns. Gives the line and column at which each entry begins, counted from the beginning
/// of the text.
pub fn flowed_in(out: &mut String, room: usize, indent: usize, entries: &[&str]) -> Vec<(usize, usize)> {
    let mut used = 0;
    let mut starts = Vec::with_capacity(entries.len());
    let mut line = out.lines().count();
    for entry in entries {
        let width = columns(entry);
        if used > 0 && used + GAP + width <= room {
            *out += &" ".repeat(GAP);
            starts.push((line, used + GAP));
            *out += entry;
            used += GAP + width;
            continue;
        }
        if used > 0 {
            out.push('\n');
            line += 1;
        }
        starts.push((line, indent));
        used = indent + width;
        if used <= room {
            *out += &" ".repeat(indent);
            *out += entry;
        } else {
            wrapped(out, room, indent, entry);
            line = out.lines().count();
            used = 0;
        }
    }
    if used > 0 {
        out.push('\n');
    }
    starts
}

/// A text in lines of some columns that are broken between its words, and within those that are longer than a line.
pub fn wrapped(out: &mut String, room: usize, indent: usize, text: &str) {
    *out += &" ".repeat(indent);
    let (mut used, mut gap) = (indent, false);
    for word in words(text) {
        let (width, space) = (columns(word.trim_end()), usize::from(gap));
        if used + space + width > room && used > HANGING {
            out.push('\n');
            *out += &" ".repeat(HANGING);
            used = HANGING;
        } else if gap {
            out.push(' ');
            used += 1;
        }
        for letter in word.trim_end().chars() {
            let wide = columns(letter.encode_utf8(&mut [0; 4]));
            if used + wide > room && used > HANGING {
                out.push('\n');
                *out += &" ".repeat(HANGING);
                used = HANGING;
            }
            out.push(letter);
            used += wide;
        }
        gap = word.ends_with(' ');
    }
    out.push('\n');
}

/// The words of a text with the spaces after them; a Japanese comma ends one as well.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive([' ', '、', '：'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid(entries: &[&str]) -> String {
        let mut out = String::new();
        flowed(&mut out, 2, entries);
        out
    }

    #[test]
    fn short_entries_share_a_line_and_long_ones_are_wrapped() {
        let long = format!("Moria: {}", ["12 Orc"; 16].join(" + "));
        let text = laid(&["Bree: Frodo", "Hollin: 2 Elf", &long, "Rohan: 3 Horse"]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "  Bree: Frodo   Hollin: 2 Elf");
        assert!(lines[1].starts_with("  Moria: 12 Orc + ") && lines[2].starts_with("      "), "{text}");
        assert_eq!(lines.last(), Some(&"  Rohan: 3 Horse"));
        assert!(lines.iter().all(|l| columns(l) <= legend::WIDTH), "{text}");
    }

    #[test]
    fn what_has_no_spaces_is_broken_at_the_end_of_a_line() {
        let names = ["指輪の幽鬼"; 12].join("、");
        let text = laid(&[&format!("灰色港：{names}"), &"長".repeat(100)]);
        assert!(text.lines().all(|l| columns(l) <= legend::WIDTH), "{text}");
        assert!(text.lines().next().is_some_and(|l| l.ends_with('、')), "{text}");
        assert_eq!(text.matches('長').count(), 100);
    }
}
