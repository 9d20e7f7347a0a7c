//! What all pages of HTML have in common: their frame, their style, and how text is escaped.

use crate::plain::steers;

/// The style of a page that stands by itself: light or dark as the reader has it, and fit to be printed.
pub const STYLE: &str = include_str!("page.css");

/// Where a page has its style from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Styled<'a> {
    /// It brings [`STYLE`] along.
    Inside,
    /// It brings [`STYLE`] along, and this after it.
    With(&'a str),
    /// From a file beside it.
    Beside(&'a str),
}

/// A page around its body, which is HTML already. It has no scripts and needs nothing from elsewhere.
#[must_use]
pub fn page(lang: &str, title: &str, styled: Styled, body: &str) -> String {
    let style = match styled {
        Styled::Inside => format!("<style>\n{STYLE}</style>"),
        Styled::With(more) => format!("<style>\n{STYLE}{more}</style>"),
        Styled::Beside(file) => format!("<link rel=\"stylesheet\" href=\"{}\">", escaped(file)),
    };
    format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
         {style}\n</head>\n<body>\n{body}</body>\n</html>\n",
        escaped(lang),
        escaped(title),
    )
}

/// Text that can stand in HTML and in attributes.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Nothing that a page may not contain.
            c if steers(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_markup_is_escaped() {
        assert_eq!(escaped("<a href=\"x\">&'\u{0}"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\u{fffd}");
    }
}
