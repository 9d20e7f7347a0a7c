//! A colon before a block, as in cases of a `match` that is an expression.

/// Words behind which a `match` is an expression.
const BEFORE_VALUES: [&str; 21] = [
    "and", "or", "not", "is", "in", "if", "then", "else", "when", "where", "while", "by", "from", "to", "into", "of",
    "mod", "most", "least", "sum", "for",
];

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
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let Some((ahead, head)) = head.rsplit_once("match") else { return false };
    let last = ahead.trim_end().rsplit(|c: char| !is_word(c)).next().unwrap_or("");
    let operand = ahead.trim_end().ends_with(['{', '}', ')', ']', '"']) || !last.is_empty();
    let alone = !ahead.ends_with(is_word) && !head.starts_with(is_word);
    alone && operand && !head.contains(['{', '}']) && !BEFORE_VALUES.contains(&last)
}
