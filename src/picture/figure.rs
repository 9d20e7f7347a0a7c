//! A picture as a part of a page.

use std::fmt::Write as _;

use super::Picture;
use crate::html::escaped;

impl Picture {
    /// The picture with its legend as an element of a page. `name` says what it shows to those who do not see it; it
    /// may be empty where the page says it.
    #[must_use]
    pub fn figure(&self, name: &str) -> String {
        let style = match self.colours.as_str() {
            "" => String::new(),
            colours => format!(" style=\"{colours}\""),
        };
        let svg = match name {
            "" => self.svg.clone(),
            name => self.svg.replacen(" role=\"img\"", &format!(" role=\"img\" aria-label=\"{}\"", escaped(name)), 1),
        };
        let mut out = String::new();
        let _ = writeln!(out, "<figure{style}>\n{svg}<figcaption>");
        let sign = |(words, stroke): &(String, Option<String>)| match stroke {
            Some(class) => {
                let line = format!(
                    "<svg class=\"key\"><line class=\"side {class}\" x1=\"2\" y1=\"7\" x2=\"20\" y2=\"7\"/></svg>"
                );
                // The picture has a stroke where a terminal has the sign.
                let meaning = words.split_once(' ').map_or(words.as_str(), |(_, meaning)| meaning);
                format!("<span>{line} {}</span> ", escaped(meaning))
            }
            None => format!("<span>{}</span> ", escaped(words)),
        };
        let plain = |words: &String| format!("<span>{}</span> ", escaped(words));
        let rows: [String; 3] = [
            self.signs.iter().map(sign).collect(),
            self.names.iter().map(plain).collect(),
            self.beside.iter().map(plain).collect(),
        ];
        for row in rows.iter().filter(|r| !r.is_empty()) {
            let _ = writeln!(out, "<p class=\"legend\">{}</p>", row.trim_end());
        }
        out.push_str("</figcaption>\n</figure>\n");
        out
    }
}
