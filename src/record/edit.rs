//! Edits the text of a record: unchanged lines and comments stay as they are.

use super::write::{ply_line, result_line};
use super::{Record, RecordedPly, RecordedResult};

/// The text of a record with the numbers of options and digests of these plies, and the digest of the rules. `old` is
/// what the text says.
#[must_use]
pub fn rewritten(text: &str, old: &Record, plies: &[RecordedPly], rules: u64) -> String {
    let mut out = String::with_capacity(text.len());
    let mut seen_rules = old.rules.is_some();
    let mut next = 0;
    for (i, whole) in text.split_inclusive('\n').enumerate() {
        let (line, end) = ended(whole);
        let (body, comment) = parted(line);
        let first = body.split_whitespace().next().unwrap_or("");
        if old.plies.get(next).is_some_and(|p| p.made.line == i + 1)
            && let Some(ply) = plies.get(next)
        {
            next += 1;
            let bare = body.split(';').next().unwrap_or("").trim_end();
            out.push_str(bare);
            if let (Some(options), Some(digest)) = (ply.options, ply.digest) {
                out.push_str(&format!(" ; {options} {digest:016x}"));
            }
            push_comment(&mut out, comment, end);
        } else if first == "rules" && old.rules.is_some() {
            out.push_str(&format!("rules {rules:016x}"));
            push_comment(&mut out, comment, end);
        } else {
            out.push_str(line);
            out.push_str(end);
            if !seen_rules && first == "record" {
                seen_rules = true;
                out.push_str(&format!("rules {rules:016x}{end}"));
            }
        }
    }
    out
}

fn push_comment(out: &mut String, comment: &str, end: &str) {
    if !comment.is_empty() {
        out.push_str("  ");
        out.push_str(comment);
    }
    out.push_str(end);
}

/// The text of a record that is continued: the first `kept` of its plies, then these, then the result. `old` is what
/// the text says; plies that are not kept lose their lines.
#[must_use]
pub fn continued(
    text: &str,
    old: &Record,
    kept: usize,
    more: &[RecordedPly],
    result: Option<&RecordedResult>,
    rules: u64,
) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut out = String::with_capacity(text.len() + 64 * more.len());
    let mut taken_back = old.plies.iter().skip(kept).map(|p| p.made.line).peekable();
    let mut seen_rules = old.rules.is_some() || more.is_empty();
    for (i, line) in text.split_inclusive('\n').enumerate() {
        if taken_back.next_if_eq(&(i + 1)).is_some() {
            continue;
        }
        if old.result.as_ref().is_some_and(|r| r.line == i + 1) {
            out.push_str(comment(line));
            continue;
        }
        out.push_str(line);
        if !seen_rules && line.split_whitespace().next() == Some("record") {
            seen_rules = true;
            close_line(&mut out, end);
            out.push_str(&format!("rules {rules:016x}{end}"));
        }
    }
    if !more.is_empty() || result.is_some() {
        close_line(&mut out, end);
    }
    if old.plies.is_empty() && !more.is_empty() && !out.ends_with(&format!("{end}{end}")) {
        out.push_str(end);
    }
    for (i, ply) in more.iter().enumerate() {
        out.push_str(&ply_line(kept + i + 1, ply));
        out.push_str(end);
    }
    if let Some(result) = result {
        out.push_str(result_line(result).trim_end());
        out.push_str(end);
    }
    out
}

/// Ends the last line if it has no end.
fn close_line(out: &mut String, end: &str) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push_str(end);
    }
}

/// A line and its end.
fn ended(line: &str) -> (&str, &str) {
    let bare = line.trim_end_matches('\n');
    let bare = bare.strip_suffix('\r').unwrap_or(bare);
    match line.get(bare.len()..) {
        Some(end) if !end.is_empty() => (bare, end),
        _ => (bare, "\n"),
    }
}

/// A line without its comment, and the comment. No ply and no digest has quotes, so that `//` there always begins one.
fn parted(line: &str) -> (&str, &str) {
    match line.find("//") {
        Some(at) => line.split_at(at),
        None => (line, ""),
    }
}

/// The comment of a line that may have quotes, with its end.
fn comment(line: &str) -> &str {
    let mut quoted = false;
    for (at, character) in line.char_indices() {
        match line.get(at..) {
            Some(rest) if !quoted && rest.starts_with("//") => return rest,
            _ => quoted ^= character == '"',
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Move;
    use crate::record::{RecordedEnd, parse, write};

    const TYPED: &str = "// A game.\nrecord nim  // by hand\n\n// First is bold.\n  1. First: take 3 // a; b\n\n\
                         Second: take 2\n// end of the evening\nresult First wins \"last // taken\" // hurrah";

    fn ply(who: &str, text: &str) -> RecordedPly {
        let made = Move { who: who.into(), text: text.into(), ..Move::default() };
        RecordedPly { made, options: Some(3), digest: Some(0xff) }
    }

    #[test]
    fn comments_and_spacing_stay_when_digests_are_written_anew() {
        let text =
            "// A game.\nrecord nim  // by hand\n\n  1. First: take 3 ; 2 00000000000000ff // a; b\r\nSecond: take 2\n";
        let old = parse(text).unwrap();
        let now = |line| RecordedPly { options: Some(3), digest: Some(line), ..RecordedPly::default() };
        assert_eq!(
            rewritten(text, &old, &[now(1), now(2)], 7),
            "// A game.\nrecord nim  // by hand\nrules 0000000000000007\n\n\
             \x20 1. First: take 3 ; 3 0000000000000001  // a; b\r\n\
             Second: take 2 ; 3 0000000000000002\n"
        );
    }

    #[test]
    fn what_was_typed_by_hand_stays_when_a_game_goes_on() {
        let old = parse(TYPED).unwrap();
        assert_eq!(continued(TYPED, &Record { result: None, ..old.clone() }, 2, &[], None, 7), TYPED);
        assert_eq!(
            continued(TYPED, &old, 2, &[ply("First", "take 1")], None, 7),
            "// A game.\nrecord nim  // by hand\nrules 0000000000000007\n\n\
             // First is bold.\n  1. First: take 3 // a; b\n\n\
             Second: take 2\n// end of the evening\n// hurrah\n3. First: take 1 ; 3 00000000000000ff\n"
        );
    }

    #[test]
    fn plies_that_are_taken_back_lose_their_lines() {
        let old = parse(TYPED).unwrap();
        let draw = RecordedResult { end: RecordedEnd::Draw, ..RecordedResult::default() };
        let text = continued(TYPED, &old, 1, &[ply("Second", "take 1")], Some(&draw), 7);
        assert!(text.ends_with(
            "take 3 // a; b\n\n// end of the evening\n// hurrah\n2. Second: take 1 ; 3 00000000000000ff\nresult draw\n"
        ));
        let read = parse(&text).unwrap();
        assert_eq!((read.plies.len(), read.plies[1].made.text.as_str()), (2, "take 1"));
        assert_eq!(parse(&continued(TYPED, &old, 0, &[], None, 7)).unwrap().plies, []);
    }

    #[test]
    fn a_record_of_ours_goes_on_as_if_it_were_written_whole() {
        let mut record = parse("record nim\nrules 0000000000000007\nseed 4\n").unwrap();
        let empty = write(&record);
        record.plies = vec![ply("First", "take 1"), ply("Second", "take 2")];
        let whole = write(&record);
        let begun = continued(&empty, &parse(&empty).unwrap(), 0, &record.plies[..1], None, 7);
        assert_eq!(continued(&begun, &parse(&begun).unwrap(), 1, &record.plies[1..], None, 7), whole);
        let windows = whole.replace('\n', "\r\n");
        let more = continued(&windows, &parse(&windows).unwrap(), 2, &[ply("First", "take 3")], None, 7);
        assert!(more.starts_with(&windows) && more.ends_with("00ff\r\n") && parse(&more).is_ok(), "{more}");
    }
}
