//! Text in lines of some columns, with styles.

use lawspeaker::map::columns;
use lawspeaker::plain;
use ratatui::buffer::Buffer;
use ratatui::style::Style;
use unicode_width::UnicodeWidthChar as _;

/// A text in one style.
pub type Span = (String, Style);

/// A line of spans.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line(pub Vec<Span>);

impl Line {
    /// A line in one style.
    pub fn of(text: impl Into<String>, style: Style) -> Line {
        Line(vec![(text.into(), style)])
    }

    /// Writes the line, no farther than some columns.
    pub fn put(&self, buffer: &mut Buffer, (x, y): (u16, u16), room: u16) {
        let mut at = x;
        for (text, style) in &self.0 {
            let left = (x + room).saturating_sub(at);
            at = buffer.set_stringn(at, y, plain::plain(text), usize::from(left), *style).0;
        }
    }
}

/// Breaks a text into lines of some columns: between words, and between wide letters. The first line is indented by
/// `first` columns, the others by `next`.
pub fn wrapped(text: &str, room: usize, first: usize, next: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let indent = |n: usize| " ".repeat(n.min(room.saturating_sub(1)));
    let (mut line, mut empty) = (indent(first), true);
    for word in words(text) {
        let bare = word.trim_end();
        if !empty && columns(&line) + columns(bare) > room {
            lines.push(std::mem::replace(&mut line, indent(next)).trim_end().to_owned());
        }
        empty = false;
        for letter in word.chars() {
            let wide = letter.width().unwrap_or(0);
            if columns(&line) + wide > room {
                if letter == ' ' {
                    continue;
                }
                lines.push(std::mem::replace(&mut line, indent(next)));
            }
            line.push(letter);
        }
    }
    lines.push(line.trim_end().to_owned());
    lines
}

/// The parts between which a text may be broken: words with the space after them, and wide letters.
fn words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, letter)) = chars.next() {
        let end = at + letter.len_utf8();
        let wide = letter.width().unwrap_or(0) > 1;
        let closes = chars.peek().is_some_and(|(_, next)| "、。）」：；".contains(*next));
        if letter == ' ' || (wide && !closes && !"（「".contains(letter)) {
            found.extend(text.get(from..end));
            from = end;
        }
    }
    found.extend(text.get(from..).filter(|rest| !rest.is_empty()));
    found
}

/// The part of a line from some column on; half of a wide letter is a space.
pub fn cut(line: &str, from: usize) -> String {
    let (mut at, mut out) = (0, String::new());
    for letter in line.chars() {
        let wide = letter.width().unwrap_or(0);
        if at >= from {
            out.push(letter);
        } else if at + wide > from {
            out.push_str(&" ".repeat(at + wide - from));
        }
        at += wide;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_wide_letters() {
        assert_eq!(wrapped("Frodo falls [battle.7]", 12, 0, 2), ["Frodo falls", "  [battle.7]"]);
        assert_eq!(wrapped("abcdefgh", 4, 0, 1), ["abcd", " efg", " h"]);
        assert_eq!(wrapped("指輪の幽鬼、倒れる", 8, 0, 0), ["指輪の幽", "鬼、倒れ", "る"]);
        assert_eq!(wrapped("", 8, 2, 2), [""]);
    }

    #[test]
    fn half_a_wide_letter_is_a_space() {
        assert_eq!(cut("指輪x", 1), " 輪x");
        assert_eq!(cut("abc", 5), "");
    }
}
