//! Text that is safe to show: nothing in it moves a cursor, rings a bell or changes the order of letters.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character controls a terminal instead of being shown: control characters other than tab and new line, and
/// those that change the direction of writing.
#[must_use]
pub fn steers(c: char) -> bool {
    (c.is_control() && !matches!(c, '\t' | '\n')) || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with control characters written out, as `\u{1b}`.
#[must_use]
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    text.chars().for_each(|c| push(&mut out, c));
    Cow::Owned(out)
}

/// Adds a character, written out if it is a control character.
pub fn push(out: &mut String, c: char) {
    if steers(c) {
        out.extend(c.escape_unicode());
    } else {
        out.push(c);
    }
}

/// The same within a string of JSON, whose meaning is kept.
#[must_use]
pub fn json(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if steers(c) {
            // All of them are of the first plane.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Text that means nothing in Markdown, also within a table.
#[must_use]
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '`' | '\\' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// The text, or if it is too long, its beginning and how much is left out.
#[must_use]
pub fn clip(text: &str, most: usize) -> Cow<'_, str> {
    // Counting all of a long text is only done if there is one.
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((at, _)) => {
            let (kept, rest) = text.split_at(at);
            Cow::Owned(format!("{kept}... ({} more characters)", rest.chars().count()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_is_written_out() {
        let foul = "a\u{1b}]0;x\u{7}\r\u{9b}2J\u{202e}b\u{2066}\u{7f}\0";
        assert_eq!(plain(foul), r"a\u{1b}]0;x\u{7}\u{d}\u{9b}2J\u{202e}b\u{2066}\u{7f}\u{0}");
        let fair = "Gandalf\tthe Grey,\nجندلف, ガンダルフ \u{200f}";
        assert!(matches!(plain(fair), Cow::Borrowed(f) if f == fair));
    }

    #[test]
    fn json_means_the_same() {
        let foul = "a\u{1b}\u{9b}\u{202e}\u{7f}\n\"";
        let text = serde_json::to_string(foul).unwrap();
        let safe = json(&text);
        assert!(!safe.contains(steers));
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), foul);
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(clip("指輪物語", 4), "指輪物語");
        assert_eq!(clip("指輪物語", 2), "指輪... (2 more characters)");
    }
}
