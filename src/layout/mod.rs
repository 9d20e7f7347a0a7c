//! One layout for rule files: where lines end, how they are indented, where spaces stand.
//!
//! Words, signs and comments stay as they are, in their order; so do empty lines, one of several. [`format`] holds its
//! own result against the text that it was given, so that nothing that is read differently ever comes out of it.

mod build;
mod doc;
mod joint;
mod page;

use build::Builder;
pub use page::{PAGE_WIDTH, format_page};

use crate::syntax::SyntaxFault;
use crate::syntax::written::{Gap, Node, Written};

/// The columns of a line of rules. Characters that are as wide as two, as in Japanese, count as two.
pub const WIDTH: usize = 120;

/// Why a text is left as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unformatted {
    /// It cannot be read.
    #[error("{}", .0.message)]
    Unread(SyntaxFault),
    /// With another layout it would be read differently: a fault of the program.
    #[error("the layout would change what line {line} says, so nothing was changed")]
    Changed {
        /// The first line of the declaration.
        line: usize,
    },
}

/// The text in the layout of rule files, in lines of at most `width` columns where words and comments allow.
///
/// # Errors
/// A declaration cannot be read, or would be read differently.
pub fn format(text: &str, width: usize) -> Result<String, Unformatted> {
    let written = Written::new(text);
    for stretch in &written.stretches {
        if let Err(fault) = &stretch.node {
            return Err(Unformatted::Unread(fault.clone()));
        }
    }
    formatted(&written, width)
}

/// The same for a text of which not all can be read: what cannot is left as it stands.
///
/// # Errors
/// A declaration would be read differently.
pub fn format_readable(text: &str, width: usize) -> Result<String, Unformatted> {
    formatted(&Written::new(text), width)
}

fn formatted(written: &Written, width: usize) -> Result<String, Unformatted> {
    let laid = lay(written, width);
    match difference(written, &Written::new(&laid)) {
        None => Ok(laid),
        Some(line) => Err(Unformatted::Changed { line }),
    }
}

fn lay(written: &Written, width: usize) -> String {
    let text = written.text;
    let (mark, ends) = (text.starts_with('\u{feff}'), text.contains("\r\n"));
    let builder = Builder { written };
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for stretch in &written.stretches {
        between(&Gap::new(text.get(at..stretch.range.start).unwrap_or("")), &mut out);
        match &stretch.node {
            Ok(node) => out.push_str(&doc::write(&builder.sentence(node), width)),
            Err(_) => out.push_str(text.get(stretch.range.clone()).unwrap_or("")),
        }
        at = stretch.range.end;
    }
    between(&Gap::new(text.get(at..).unwrap_or("")), &mut out);
    let out = match out.trim_end() {
        "" => String::new(),
        out => format!("{}{out}\n", if mark { "\u{feff}" } else { "" }),
    };
    if ends { out.replace("\r\n", "\n").replace('\n', "\r\n") } else { out }
}

/// Writes what stands between two declarations: comments, and empty lines, one of several.
fn between(gap: &Gap, out: &mut String) {
    let lines = |out: &mut String, lines: usize| {
        if !out.is_empty() {
            out.push_str(if lines > 1 { "\n\n" } else { "\n" });
        }
    };
    for comment in &gap.comments {
        match comment.lines {
            0 if !out.is_empty() => out.push(' '),
            n => lines(out, n),
        }
        out.push_str(comment.text);
    }
    lines(out, gap.lines);
}

/// The first line of the first declaration that is not the same in both texts but for its layout: the same parts of the
/// grammar, the same words and signs, the same comments in the same places.
fn difference(a: &Written, b: &Written) -> Option<usize> {
    let line = |at: usize| a.text.get(..at).unwrap_or("").matches('\n').count() + 1;
    if a.stretches.len() != b.stretches.len() {
        return Some(1);
    }
    let (mut at, mut bt) = (0, 0);
    for (x, y) in a.stretches.iter().zip(&b.stretches) {
        let same_comments = comments(a.text, at, x.range.start) == comments(b.text, bt, y.range.start);
        let same = match (&x.node, &y.node) {
            (Ok(m), Ok(n)) => same(a, b, m, n),
            (Err(_), Err(_)) => a.text.get(x.range.clone()) == b.text.get(y.range.clone()),
            _ => false,
        };
        if !same || !same_comments {
            return Some(line(x.range.start));
        }
        (at, bt) = (x.range.end, y.range.end);
    }
    (comments(a.text, at, a.text.len()) != comments(b.text, bt, b.text.len())).then(|| line(at))
}

fn comments(text: &str, from: usize, to: usize) -> Vec<&str> {
    Gap::new(text.get(from..to).unwrap_or("")).comments.iter().map(|c| c.text).collect()
}

/// Whether two declarations are the same but for their layout.
fn same(a: &Written, b: &Written, x: &Node, y: &Node) -> bool {
    let tokens = |w: &Written, node: &Node, at: usize| w.tokens.get(node.tokens.start + at).copied();
    let same_tokens = x.tokens.len() == y.tokens.len()
        && (0..x.tokens.len()).all(|at| {
            let (Some(s), Some(t)) = (tokens(a, x, at), tokens(b, y, at)) else { return false };
            let word = a.text.get(s.start..s.end) == b.text.get(t.start..t.end);
            let before = |w: &Written, node: &Node, start: usize| match at.checked_sub(1) {
                None => start,
                Some(last) => tokens(w, node, last).map_or(start, |t| t.end),
            };
            let comments =
                comments(a.text, before(a, x, s.start), s.start) == comments(b.text, before(b, y, t.start), t.start);
            word && comments && s.rule == t.rule
        });
    same_tokens && same_parts(x, y)
}

fn same_parts(x: &Node, y: &Node) -> bool {
    x.rule == y.rule && x.parts.len() == y.parts.len() && x.parts.iter().zip(&y.parts).all(|(x, y)| same_parts(x, y))
}
