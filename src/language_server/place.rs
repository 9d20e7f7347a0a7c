//! Places as editors name them: lines and UTF-16 units, and files as URIs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

/// A byte of a text as line and UTF-16 unit, both from 0. Beyond the end it is the end.
#[must_use]
pub fn position(text: &str, byte: usize) -> Json {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    let before = text.get(..byte).unwrap_or("");
    let line = before.matches('\n').count();
    let last = before.rsplit('\n').next().unwrap_or("");
    json!({ "line": line, "character": last.encode_utf16().count() })
}

/// A stretch of a text.
#[must_use]
pub fn range(text: &str, start: usize, end: usize) -> Json {
    json!({ "start": position(text, start), "end": position(text, end.max(start)) })
}

/// A stretch of a line, both from 1: so many characters from a column on; if none, the word that begins there.
#[must_use]
pub fn written(text: &str, line: usize, column: usize, width: usize) -> Json {
    let lines = text.split('\n').count();
    let line = line.clamp(1, lines.max(1)) - 1;
    let own = text.split('\n').nth(line).unwrap_or("").trim_end_matches('\r');
    let units = |n: usize| own.chars().take(n).map(char::len_utf16).sum::<usize>();
    let before = column.saturating_sub(1);
    let width = match width {
        0 => own.chars().skip(before).take_while(|c| !c.is_whitespace()).count().max(1),
        width => width,
    };
    json!({
        "start": { "line": line, "character": units(before) },
        "end": { "line": line, "character": units(before.saturating_add(width)) },
    })
}

/// The byte of a text at a line and UTF-16 unit; the end of the line, or of the text, where there is none.
#[must_use]
pub fn byte(text: &str, position: &Json) -> usize {
    let number =
        |key: &str| position.get(key).and_then(Json::as_u64).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let (wanted, unit) = (number("line"), number("character"));
    let mut start = 0;
    for (at, line) in text.split_inclusive('\n').enumerate() {
        if at == wanted {
            let mut units = 0;
            for (offset, c) in line.trim_end_matches(['\n', '\r']).char_indices() {
                if units >= unit {
                    return start + offset;
                }
                units += c.len_utf16();
            }
            return start + line.trim_end_matches(['\n', '\r']).len();
        }
        start += line.len();
    }
    text.len()
}

/// The file that a URI names; `None` if it names none.
#[must_use]
pub fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let mut bytes = Vec::with_capacity(rest.len());
    let mut rest = rest.as_bytes().iter();
    while let Some(byte) = rest.next() {
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let digit = |b: Option<&u8>| b.and_then(|b| char::from(*b).to_digit(16));
        let (high, low) = (digit(rest.next())?, digit(rest.next())?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    let path = String::from_utf8(bytes).ok()?;
    path.starts_with('/').then(|| PathBuf::from(path))
}

/// The URI of a file.
#[must_use]
pub fn uri(path: &Path) -> String {
    let mut out = String::from("file://");
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_comes_back() {
        let text = "a\r\nエルフ𝄞x\n";
        for (byte_at, _) in text.char_indices().filter(|(_, c)| !matches!(c, '\r' | '\n')) {
            assert_eq!(byte(text, &position(text, byte_at)), byte_at);
        }
        assert_eq!(position(text, text.find('x').unwrap()), json!({ "line": 1, "character": 5 }));
        assert_eq!(byte(text, &json!({ "line": 1, "character": 99 })), text.len() - 1);
        assert_eq!(byte(text, &json!({ "line": 9, "character": 0 })), text.len());
    }

    #[test]
    fn a_path_comes_back() {
        let odd = Path::new("/home/ä b/100%/game.law");
        assert_eq!(path(&uri(odd)).as_deref(), Some(odd));
        assert_eq!(path("file:///a%2"), None);
        assert_eq!(path("untitled:1"), None);
    }
}
