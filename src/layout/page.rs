//! Rules in the pages of a documentation: blocks that are fenced as `law`.

use super::format;

/// The columns of a line of rules in a page.
pub const PAGE_WIDTH: usize = 100;

/// A page with its blocks of rules laid out. A block that cannot be read by itself, such as a part of a declaration,
/// stays as it is; so does one whose fence says `as written`.
#[must_use]
pub fn format_page(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut block: Option<String> = None;
    let mut fence = Fence::None;
    for line in text.split_inclusive('\n') {
        let mark = line.trim_end();
        match (&mut block, fence) {
            (Some(rules), _) if mark == "```" => {
                let laid = format(rules, PAGE_WIDTH).unwrap_or_else(|_| rules.clone());
                // An empty line at the beginning parts the block from the one that it continues.
                if rules.starts_with('\n') && !laid.starts_with('\n') {
                    out.push('\n');
                }
                out.push_str(&laid);
                out.push_str(line);
                (block, fence) = (None, Fence::None);
            }
            (Some(rules), _) => rules.push_str(line),
            (None, Fence::Other) => {
                if mark == "```" {
                    fence = Fence::None;
                }
                out.push_str(line);
            }
            (None, _) => {
                if let Some(info) = mark.strip_prefix("```") {
                    let rules = info.split_whitespace().next() == Some("law") && !info.contains("as written");
                    fence = if rules { Fence::Rules } else { Fence::Other };
                    block = rules.then(String::new);
                }
                out.push_str(line);
            }
        }
    }
    // A block that is not closed is no block.
    out.push_str(&block.unwrap_or_default());
    out
}

/// In which kind of fenced block a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fence {
    None,
    Rules,
    Other,
}
