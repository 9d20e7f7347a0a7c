//! What changes in a text, line by line.

use std::io::Write as _;

use similar::{ChangeTag, TextDiff};

use super::Stop;
use super::screen::{Screen, Style};

/// The lines that change, with two around them.
pub fn diff(old: &str, new: &str, screen: &mut Screen) -> Result<(), Stop> {
    let diff = TextDiff::from_lines(old, new);
    for group in diff.grouped_ops(2) {
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let line = change.value().trim_end_matches('\n');
            let line = match change.tag() {
                ChangeTag::Delete => screen.styled(Style::Bad, &format!("- {line}")),
                ChangeTag::Insert => screen.styled(Style::Good, &format!("+ {line}")),
                ChangeTag::Equal => format!("  {line}"),
            };
            writeln!(screen, "{line}")?;
        }
        writeln!(screen)?;
    }
    Ok(())
}
