//! Pages with plots and tables: one file without scripts, light or dark as the reader has it.

pub mod charts;

use lawspeaker::picture::escaped;

/// The style of pages with rulings, and what plots add to it.
const STYLE: [&str; 2] = [include_str!("../../rulings/page/page.css"), include_str!("plots.css")];

/// A page.
pub struct Page {
    lang: String,
    title: String,
    body: String,
}

impl Page {
    /// A page in a language, with a title, and above it what it is about.
    pub fn new(lang: &str, title: &str, about: &str) -> Page {
        let body = format!(
            "<main class=\"wide\">\n<header>\n<p class=\"about\">{}</p>\n<h1>{}</h1>\n</header>\n",
            escaped(about),
            escaped(title)
        );
        Page { lang: lang.to_owned(), title: title.to_owned(), body }
    }

    /// A paragraph.
    pub fn note(&mut self, text: &str) {
        self.body += &format!("<p>{}</p>\n", escaped(text));
    }

    /// A part with a heading.
    pub fn section(&mut self, title: &str, inner: &str) {
        self.body += &format!("<section>\n<h2>{}</h2>\n{inner}</section>\n", escaped(title));
    }

    /// The page as HTML.
    pub fn html(self) -> String {
        format!(
            "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
             <style>\n{}{}</style>\n</head>\n<body>\n{}</main>\n</body>\n</html>\n",
            escaped(&self.lang),
            escaped(&self.title),
            STYLE[0],
            STYLE[1],
            self.body
        )
    }
}

/// A plot with its legend.
pub fn figure(plot: &str, legend: &str) -> String {
    format!("<figure>\n{plot}{legend}</figure>\n")
}

/// A small note under a heading.
pub fn remark(text: &str) -> String {
    format!("<p class=\"remark\">{}</p>\n", escaped(text))
}

/// A table: its heads, and rows of which the first cell is a name and all others are figures.
pub fn table(heads: &[String], rows: &[Vec<String>]) -> String {
    let cells = |tag: &str, cells: &[String]| -> String {
        let cell = |(i, cell): (usize, &String)| {
            let class = if i == 0 { "" } else { " class=\"figure\"" };
            format!("<{tag}{class}>{}</{tag}>", escaped(cell))
        };
        cells.iter().enumerate().map(cell).collect()
    };
    let head = cells("th", heads);
    let body: String = rows.iter().map(|row| format!("<tr>{}</tr>\n", cells("td", row))).collect();
    format!("<div class=\"table\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_no_scripts_and_nothing_said_is_markup() {
        let mut page = Page::new("en", "A <b>", "\"x\"");
        page.note("<i>");
        page.section(
            "T&C",
            &table(&[String::from("<"), String::from("n")], &[vec![String::from("a>"), String::from("1")]]),
        );
        let html = page.html();
        for part in ["<h1>A &lt;b&gt;</h1>", "&quot;x&quot;", "<p>&lt;i&gt;</p>", "<h2>T&amp;C</h2>", "<td>a&gt;</td>"]
        {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert!(html.contains("<td class=\"figure\">1</td>") && !html.contains("<script"));
        assert!(!html.contains("http"), "nothing is loaded from elsewhere");
    }
}
