//! A colon before a block, as in cases of a `match` that is an expression.

use super::fault::{is_reserved, word_at};

/// The colon that stands before a block at `at`, or in a case of a statement `match` around it; and whether it is in a
/// `match`.
pub(super) fn colon_before_block(text: &str, at: usize, block_wanted: bool) -> Option<(usize, bool)> {
    let (before, found) = text.split_at_checked(at)?;
    // The braces that are open at `at`, innermost last, each with the last colon directly in it.
    let mut open: Vec<(usize, Option<usize>)> = Vec::new();
    for (i, c) in before.char_indices() {
        match c {
            '{' => open.push((i, None)),
            '}' => drop(open.pop()),
            ':' if !text.get(i + 1..)?.starts_with('=') => {
                open.iter_mut().next_back().into_iter().for_each(|(_, colon)| *colon = Some(i));
            }
            _ => {}
        }
    }
    let in_match = |(brace, _): &&(usize, Option<usize>)| begins_match(before.get(..*brace).unwrap_or(""));
    if block_wanted && found.starts_with(':') && !found.starts_with(":=") {
        return Some((at, open.last().as_ref().is_some_and(in_match)));
    }
    let around = open.iter().rev().take(2).find(in_match)?;
    around.1.map(|colon| (colon, true))
}

/// Whether a text ends with the head of a statement `match`.
fn begins_match(head: &str) -> bool {
    let Some(start) = head.rfind("match").filter(|start| word_at(head, *start) == "match") else { return false };
    let (ahead, head) = head.split_at(start);
    let ahead = ahead.trim_end();
    let last = ahead.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or("");
    let operand = ahead.ends_with(['{', '}', ')', ']', '"']) || !last.is_empty();
    operand && !head.contains(['{', '}']) && !is_reserved(last) && !["by", "from", "to", "into"].contains(&last)
}
