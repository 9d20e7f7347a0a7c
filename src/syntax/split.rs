//! Splits a file into declarations, and checks each before it is parsed: texts closed, brackets balanced, and nesting
//! limited so that parsing cannot exhaust the stack.

use super::fault::SyntaxFault;
use crate::plain;
use crate::span::Span;

/// The maximum nesting of brackets, and of expressions that open another without a bracket (`if`, `some`, ...).
const MAX_NESTING: usize = 64;

/// A stretch of a file that is read on its own.
#[derive(Clone, Copy)]
pub(super) struct Piece<'a> {
    /// The file's number.
    pub file: u32,
    /// Where the stretch begins in the file, in bytes.
    pub base: u32,
    /// The line on which it begins, if it is part of a file.
    pub line: Option<usize>,
    /// The stretch.
    pub text: &'a str,
}

impl Piece<'_> {
    /// The span of a stretch of the piece.
    pub fn span(&self, start: usize, end: usize) -> Span {
        let at = |offset: usize| self.base.saturating_add(u32::try_from(offset).unwrap_or(u32::MAX));
        Span { file: self.file, start: at(start), end: at(end) }
    }

    /// The span of the whole.
    pub fn whole(&self) -> Span {
        self.span(0, self.text.len())
    }
}

/// The declarations of a file, and the lines that belong to none.
pub(super) fn split(file: u32, text: &str) -> (Vec<Piece<'_>>, Vec<SyntaxFault>) {
    let mut pieces = Vec::new();
    let mut faults = Vec::new();
    // Start, end of the last content, and line of the current declaration.
    let mut open: Option<(usize, usize, usize)> = None;
    let mut stray = false;
    // Lines of a comment as other languages write it belong together, so that it is reported once.
    let mut remark = false;
    let mut start = 0;
    let offset = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let mut close = |open: Option<(usize, usize, usize)>| {
        if let Some((from, to, line)) = open {
            pieces.push(Piece { file, base: offset(from), line: Some(line), text: text.get(from..to).unwrap_or("") });
        }
    };
    for (index, raw) in text.split_inclusive('\n').enumerate() {
        let mut from = start;
        start += raw.len();
        let mut line = raw;
        if index == 0
            && let Some(rest) = line.strip_prefix('\u{feff}')
        {
            line = rest;
            from += '\u{feff}'.len_utf8();
        }
        let content = without_comment(line).trim_end();
        if content.trim_start().is_empty() {
            continue;
        }
        let end = from + content.len();
        let inside = remark;
        remark = (remark || content.starts_with("/*")) && !content.contains("*/");
        let further = inside || content.starts_with(|c: char| c.is_whitespace() || c == '}' || c == ')');
        if !further {
            close(open.take());
            open = Some((from, end, index + 1));
        } else if let Some((_, last, _)) = &mut open {
            *last = end;
        } else if !stray {
            stray = true;
            let indent = content.len() - content.trim_start().len();
            faults.push(SyntaxFault::new(
                Span { file, start: offset(from + indent), end: offset(end) },
                "this line belongs to no declaration",
                "indented, and nothing begins above it",
                Some("begin every declaration at the left margin"),
            ));
        }
    }
    close(open);
    (pieces, faults)
}

/// The line up to its comment; `//` inside a text does not begin one.
pub(super) fn without_comment(line: &str) -> &str {
    let bytes = line.as_bytes();
    let mut quoted = false;
    let mut i = 0;
    while let Some(&byte) = bytes.get(i) {
        match byte {
            b'\\' if quoted => i += 1,
            b'"' => quoted = !quoted,
            b'/' if !quoted && bytes.get(i + 1) == Some(&b'/') => {
                return line.get(..i).unwrap_or(line);
            }
            _ => {}
        }
        i += 1;
    }
    line
}

/// An open bracket.
struct Open {
    sign: char,
    at: usize,
    /// `Words` before it.
    words: Words,
}

/// Open expressions that a word began (`if`, `some`, ...): all of them, and those outside the innermost braces.
#[derive(Clone, Copy, Default)]
struct Words {
    all: usize,
    outside: usize,
}

/// Reports control characters, and characters that change the direction of writing so that a text looks different from
/// what it is. The end of a line may be `\r\n`.
pub(super) fn visible(piece: &Piece) -> Result<(), SyntaxFault> {
    let follows = |at: usize| piece.text.as_bytes().get(at + 1);
    let found =
        piece.text.char_indices().find(|(at, c)| plain::steers(*c) && (*c, follows(*at)) != ('\r', Some(&b'\n')));
    let Some((at, c)) = found else { return Ok(()) };
    Err(SyntaxFault::new(
        piece.span(at, at + c.len_utf8()),
        format!("this contains the control character U+{:04X}", u32::from(c)),
        "invisible, but it changes how text is shown",
        Some("remove it"),
    ))
}

/// Words after which an expression stands inside another.
pub(super) const NESTING: [&str; 10] = ["if", "some", "every", "no", "count", "sum", "most", "least", "the", "match"];

/// Words that do not stand within an expression, unless as a field.
pub(super) const OUTSIDE: [&str; 12] =
    ["let", "when", "while", "cite", "may", "must", "step", "finish", "instead", "exception", "ranks", "despite"];

/// Checks a piece before it is parsed.
pub(super) fn survey(piece: &Piece) -> Result<(), SyntaxFault> {
    let text = piece.text;
    let bytes = text.as_bytes();
    let mut stack: Vec<Open> = Vec::new();
    let mut words = Words::default();
    // A bracket closed at the margin though it was not the outermost: the one most likely left open.
    let mut suspect: Option<usize> = None;
    let mut i = 0;
    while let Some(&byte) = bytes.get(i) {
        let mut next = i + 1;
        match byte {
            b'/' if bytes.get(i + 1) == Some(&b'/') => {
                while bytes.get(next).is_some_and(|b| *b != b'\n') {
                    next += 1;
                }
            }
            b'"' => next = text_end(piece, i)?,
            b'(' | b'[' | b'{' => {
                stack.push(Open { sign: char::from(byte), at: i, words });
                if byte == b'{' {
                    words.outside = words.all;
                }
            }
            b')' | b']' | b'}' => {
                let Some(open) = stack.pop() else {
                    return Err(SyntaxFault::new(
                        piece.span(i, i + 1),
                        format!("`{}` closes nothing", char::from(byte)),
                        "nothing is open here",
                        Some("remove it, or put the bracket that it should close before it"),
                    ));
                };
                if closing(open.sign) != char::from(byte) {
                    return Err(unclosed(piece, &open, i));
                }
                let at_margin = i == 0 || bytes.get(i - 1) == Some(&b'\n');
                if at_margin && !stack.is_empty() && suspect.is_none() {
                    suspect = Some(open.at);
                }
                words = open.words;
            }
            b'=' if bytes.get(next) == Some(&b'=') => next += 1,
            b'=' if i == 0 || !matches!(bytes.get(i - 1), Some(b'!' | b'<' | b'>')) => {
                words.all = words.outside;
            }
            b if b.is_ascii_alphanumeric() || b == b'_' => {
                while bytes.get(next).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
                    next += 1;
                }
                let word = text.get(i..next).unwrap_or("");
                if NESTING.contains(&word) {
                    words.all += 1;
                } else if OUTSIDE.contains(&word) && (i == 0 || bytes.get(i - 1) != Some(&b'.')) {
                    words.all = words.outside;
                }
            }
            _ => {}
        }
        if stack.len() > MAX_NESTING || words.all > MAX_NESTING {
            return Err(SyntaxFault::new(
                piece.span(i, next),
                format!("nested more than {MAX_NESTING} deep"),
                "too deep",
                Some("give an inner part a name of its own with `define` or `let`"),
            ));
        }
        i = next;
    }
    match stack.into_iter().next_back() {
        None => Ok(()),
        Some(open) => {
            let open = match suspect {
                Some(at) => Open { sign: '{', at, words },
                None => open,
            };
            let end = text.len();
            Err(unclosed(piece, &open, end))
        }
    }
}

fn closing(sign: char) -> char {
    match sign {
        '(' => ')',
        '[' => ']',
        _ => '}',
    }
}

/// The byte after the text that begins at `start`.
fn text_end(piece: &Piece, start: usize) -> Result<usize, SyntaxFault> {
    let bytes = piece.text.as_bytes();
    let mut i = start + 1;
    loop {
        match bytes.get(i) {
            Some(b'"') => return Ok(i + 1),
            Some(b'\\') => match bytes.get(i + 1) {
                Some(b'"' | b'\\' | b'n') => i += 2,
                _ => {
                    let wide = piece.text.get(i + 1..).and_then(|t| t.chars().next()).map_or(0, char::len_utf8);
                    return Err(SyntaxFault::new(
                        piece.span(i, i + 1 + wide),
                        "unknown escape in a text",
                        "after `\\`",
                        Some("write `\\\"`, `\\\\` or `\\n`"),
                    ));
                }
            },
            None | Some(b'\n') => {
                return Err(SyntaxFault::new(
                    piece.span(start, start + 1),
                    "this text is not closed",
                    "begins here",
                    Some("end it with `\"` on the same line"),
                ));
            }
            Some(_) => i += 1,
        }
    }
}

/// A bracket that is not closed before `end`.
fn unclosed(piece: &Piece, open: &Open, end: usize) -> SyntaxFault {
    let sign = piece.text.get(open.at..open.at + 1).and_then(|t| t.chars().next()).unwrap_or(open.sign);
    let message = match piece.line {
        Some(first) => {
            let before = piece.text.get(..open.at).unwrap_or("");
            let line = first + before.matches('\n').count();
            format!("`{sign}` of line {line} is not closed")
        }
        None => format!("`{sign}` is not closed"),
    };
    let shut = closing(sign);
    let help = match piece.text.get(end..end + 1) {
        Some(found) => format!("put `{shut}` before this `{found}` at the latest"),
        None => format!("put `{shut}` where it ends"),
    };
    SyntaxFault::new(piece.span(open.at, open.at + 1), message, "opened here", Some(&help))
}
