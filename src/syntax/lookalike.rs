//! Characters outside of texts that the language does not have: curly quotes, spaces that do not break, dashes, letters
//! with accents. Editors and web pages put them in place of those that were meant.

use super::fault::{NO_NAME, SyntaxFault};
use super::split::Piece;
use crate::spelling::is_curly;

/// Reports the first character outside of texts and comments that is not ASCII, and what to write instead.
pub(super) fn ascii(piece: &Piece) -> Result<(), SyntaxFault> {
    if piece.text.is_ascii() {
        return Ok(());
    }
    let mut chars = piece.text.char_indices().peekable();
    let mut quoted = false;
    // The first curly quote in the open text: if the text is not closed on its line, it was meant to close it.
    let mut curly = None;
    while let Some((at, c)) = chars.next() {
        match c {
            '\n' if quoted && curly.is_some() => break,
            '\n' | '"' => (quoted, curly) = (c == '"' && !quoted, None),
            '\\' if quoted => _ = chars.next(),
            _ if quoted => curly = curly.or(is_curly(c).then_some((at, c))),
            '/' if chars.peek().is_some_and(|next| next.1 == '/') => {
                while chars.next_if(|next| next.1 != '\n').is_some() {}
            }
            c if !c.is_ascii() => return Err(fault(piece, at, c)),
            _ => {}
        }
    }
    curly.map_or(Ok(()), |(at, c)| Err(fault(piece, at, c)))
}

fn fault(piece: &Piece, at: usize, c: char) -> SyntaxFault {
    let span = piece.span(at, at + c.len_utf8());
    let code = format!("U+{:04X}", u32::from(c));
    let (message, label, help) = match c {
        _ if is_curly(c) => {
            (format!("`{c}` neither begins nor ends a text"), "a curly quote", "write straight quotes: `\"`".into())
        }
        '‘' | '’' | '‚' | '‛' | '′' | '＇' => {
            let help = "put a text in straight double quotes: `\"`".into();
            (format!("`{c}` neither begins nor ends a text"), "a curly quote", help)
        }
        '\u{a0}' | '\u{202f}' | '\u{2007}' => {
            (format!("this is a no-break space ({code})"), "looks like a space", "write an ordinary space".into())
        }
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => {
            (format!("an invisible character stands here ({code})"), "cannot be seen", "remove it".into())
        }
        _ if c.is_whitespace() => {
            let message = format!("this is a space of another kind ({code})");
            (message, "looks like a space", "write an ordinary space".into())
        }
        '‐'..='―' | '−' | '－' => {
            let help = "write `-` to subtract, and `1..3` for a range".into();
            (format!("`{c}` is not a minus sign"), "a dash", help)
        }
        _ if c.is_alphabetic() && wide(c).is_none() => return letter(piece, at, c),
        _ => {
            let help = match instead(c) {
                Some(meant) => format!("write `{meant}`"),
                None => "only texts in quotes and comments may contain it".into(),
            };
            (format!("`{c}` is not a sign of the language"), "not expected here", help)
        }
    };
    SyntaxFault::new(span, message, label, Some(&help))
}

/// A letter that names do not have; the whole word is told.
fn letter(piece: &Piece, at: usize, c: char) -> SyntaxFault {
    let inside = |c: &char| c.is_alphanumeric() || *c == '_';
    let (before, after) = piece.text.split_at(at);
    let start = at - before.chars().rev().take_while(inside).map(char::len_utf8).sum::<usize>();
    let end = at + after.chars().take_while(inside).map(char::len_utf8).sum::<usize>();
    let word = piece.text.get(start..end).unwrap_or("");
    SyntaxFault::new(
        piece.span(start, end),
        format!("`{word}` has a letter that names do not have: `{c}` (U+{:04X})", u32::from(c)),
        NO_NAME,
        Some("names have the letters a to z, digits and `_`; a label in quotes says how they are shown"),
    )
}

/// What was meant by a sign.
fn instead(c: char) -> Option<String> {
    let known = match c {
        '…' | '‥' => "..",
        '×' | '·' | '⋅' => "*",
        '÷' | '∕' | '⁄' => "/",
        '≤' | '⩽' => "<=",
        '≥' | '⩾' => ">=",
        '≠' => "!=",
        '→' | '⇒' | '➔' | '⟶' => "->",
        '∧' => "and",
        '∨' => "or",
        '¬' => "not",
        '∈' => "in",
        _ => return wide(c).map(String::from),
    };
    Some(known.to_owned())
}

/// The usual form of a full-width character.
fn wide(c: char) -> Option<char> {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0),
        '、' => Some(','),
        '。' => Some('.'),
        _ => None,
    }
}
