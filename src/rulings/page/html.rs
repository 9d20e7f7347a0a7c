//! A ruling as one page of HTML: no scripts, nothing from elsewhere, light or dark as the reader has it, and fit to be
//! printed.

use std::fmt::Write;

use super::RulingPage;
use crate::game::Verdict;
use crate::html::{self, Styled, escaped};
use crate::rulings::sheet::{Held, Line};
use crate::rulings::words::{Words, fill};

/// The page.
pub(super) fn page(d: &RulingPage) -> String {
    let words = d.sheet.words;
    let title = format!("{}{}{}", words.heads.ruling, words.colon, d.sheet.headline());
    html::page(&words.tag.to_string(), &title, Styled::Inside, &body(d))
}

fn body(d: &RulingPage) -> String {
    let (sheet, words) = (d.sheet, d.sheet.words);
    let heads = &words.heads;
    let mut out = String::from("<main>\n<header>\n");
    let _ = writeln!(out, "<p class=\"about\">{}</p>", escaped(&d.about().join(" · ")));
    let _ = writeln!(out, "<h1>{}</h1>", escaped(&d.question()));
    let class = match sheet.verdict {
        Verdict::Legal => "legal",
        Verdict::Illegal => "illegal",
        Verdict::Undecided => "undecided",
    };
    let verdict = escaped(words.verdict(sheet.verdict));
    let _ = writeln!(
        out,
        "<p class=\"verdict\"><strong class=\"{class}\">{verdict}</strong> {}</p>\n</header>",
        escaped(&sheet.reason)
    );
    section(&mut out, heads.why, &reasons(d));
    section(&mut out, heads.lost, &lost(d));
    section(&mut out, heads.position, &position(d));
    if let Some(what_if_words) = &d.what_if_words {
        section(&mut out, heads.would, &list(what_if_words.iter()));
    }
    if let Some(words) = &d.outcome_words {
        section(&mut out, heads.outcome, &format!("<pre>{}</pre>\n", escaped(&words.join("\n"))));
    }
    section(&mut out, heads.readings, &readings(d));
    let derivation = derivation(d);
    if !derivation.is_empty() {
        let _ = writeln!(
            out,
            "<section>\n<details>\n<summary><h2>{}</h2></summary>\n{derivation}</details>\n</section>",
            escaped(heads.derivation)
        );
    }
    let command = format!(
        "<p>{}{}</p>\n<pre>{}</pre>\n<p>{}</p>\n",
        escaped(heads.command),
        escaped(words.colon.trim_end()),
        escaped(&d.command),
        fill(&escaped(heads.digest), &[&format!("<code>{}</code>", escaped(&d.digest))])
    );
    section(&mut out, heads.repeat, &command);
    out + "</main>\n"
}

/// A part of the page; empty if it has no content.
fn section(out: &mut String, title: &str, inner: &str) {
    if !inner.is_empty() {
        let _ = writeln!(out, "<section>\n<h2>{}</h2>\n{inner}</section>", escaped(title));
    }
}

fn list<'a>(items: impl Iterator<Item = &'a String>) -> String {
    let items: String = items.map(|item| format!("<li>{}</li>\n", escaped(item))).collect();
    if items.is_empty() { items } else { format!("<ul class=\"plain\">\n{items}</ul>\n") }
}

fn reasons(d: &RulingPage) -> String {
    let (sheet, words) = (d.sheet, d.sheet.words);
    let mut out = String::new();
    for line in &sheet.deciding {
        let phrase = if sheet.besides { words.forbidden_besides } else { words.by };
        let held = line.conditions.iter().filter(|h| !h.saw.is_empty() || !h.because.is_empty());
        clause(&mut out, words, (phrase, words.seen), line, held);
    }
    let phrase = if sheet.obliged { words.asked } else { words.needs };
    for held in &sheet.demands {
        let _ = writeln!(out, "<p>{}</p>", fill(&escaped(phrase), &[&explained(words, held)]));
    }
    let withheld = sheet.withheld.iter().map(|line| (words.withheld, line));
    for (phrase, line) in withheld.chain(d.near().iter().map(|line| (words.nearest, line))) {
        clause(&mut out, words, (phrase, words.fails), line, line.conditions.iter().filter(|h| !h.holds));
    }
    for said in &sheet.moment {
        let _ = writeln!(out, "<p>{}</p>", escaped(said));
    }
    if let Some(fault) = &sheet.fault {
        let _ = writeln!(out, "<p class=\"fault\">{}</p>", escaped(fault));
    }
    out
}

fn lost(d: &RulingPage) -> String {
    let words = d.sheet.words;
    let mut out = String::new();
    for line in &d.sheet.lost {
        let phrase = format!("{{0}} {}", line.fate.replace(['{', '}'], ""));
        clause(&mut out, words, (&phrase, words.seen), line, std::iter::empty());
    }
    out
}

/// A clause with the register's words for what it cites, and what it saw.
fn clause<'a>(
    out: &mut String,
    words: &Words,
    (phrase, saw): (&str, &str),
    line: &Line,
    held: impl Iterator<Item = &'a Held>,
) {
    let _ = writeln!(
        out,
        "<div class=\"clause\">\n<p>{} <span class=\"place\">{}</span></p>",
        fill(&escaped(phrase), &[&titled(line)]),
        escaped(&line.place)
    );
    for cite in line.cites.iter().chain(&line.by).filter(|c| !c.says.is_empty()) {
        let doubts: String = cite.doubts.iter().map(|d| format!("<br><small>{}</small>", escaped(d))).collect();
        let (named, says) = (escaped(&cite.named(words)), escaped(&cite.says));
        let _ = writeln!(out, "<blockquote><cite>{named}</cite> {says}{doubts}</blockquote>");
    }
    for held in held {
        let _ = writeln!(out, "<p class=\"saw\">{}</p>", fill(&escaped(saw), &[&explained(words, held)]));
    }
    out.push_str("</div>\n");
}

fn titled(line: &Line) -> String {
    let cites: Vec<String> = line.cites.iter().map(|c| escaped(&c.id)).collect();
    let cites = match cites.is_empty() {
        true => String::new(),
        false => format!(" <span class=\"cites\">[{}]</span>", cites.join(", ")),
    };
    format!("<strong>{}</strong>{cites}", escaped(&line.title))
}

fn said(words: &Words, held: &Held) -> String {
    let saw = match held.saw.is_empty() {
        true => String::new(),
        false => format!("<span class=\"values\">{}</span>", escaped(&words.bracketed(&held.saw.join(words.comma)))),
    };
    format!("<code>{}</code>{saw}", escaped(&held.text))
}

/// A condition with what it saw, and why it holds or fails.
fn explained(words: &Words, held: &Held) -> String {
    let because: String = held.because.iter().map(|b| format!("<br><small>{}</small>", escaped(b))).collect();
    said(words, held) + &because
}

fn readings(d: &RulingPage) -> String {
    let words = d.sheet.words;
    let heads = &words.heads;
    let mut out = list(d.sureness());
    if d.readings.is_empty() {
        return out;
    }
    let _ = writeln!(
        out,
        "<table>\n<tr><th>{}</th><th>{}</th><th>{}</th></tr>",
        escaped(heads.reading),
        escaped(heads.alternative),
        escaped(heads.verdict)
    );
    for row in &d.readings {
        for (i, (name, in_force, verdict)) in row.alternatives.iter().enumerate() {
            out.push_str("<tr>");
            if i == 0 {
                let _ = write!(
                    out,
                    "<td rowspan=\"{}\"><code>{}</code><br>{}</td>",
                    row.alternatives.len(),
                    escaped(&row.reading),
                    escaped(&row.question)
                );
            }
            let force = if *in_force { escaped(&words.bracketed(heads.in_force)) } else { String::new() };
            let class = if *verdict == Some(d.sheet.verdict) { "" } else { " class=\"other\"" };
            let verdict = escaped(words.outcome(*verdict));
            let _ = writeln!(out, "<td><code>{}</code>{force}</td><td{class}>{verdict}</td></tr>", escaped(name));
        }
    }
    out + "</table>\n"
}

fn position(d: &RulingPage) -> String {
    let heads = &d.sheet.words.heads;
    let mut out = String::new();
    if let Some(picture) = &d.picture {
        out.push_str(&picture.figure(""));
    } else if !d.map.is_empty() {
        let _ = writeln!(out, "<pre>{}</pre>", escaped(d.map.trim_end()));
    }
    if let Some(facts) = &d.facts {
        let _ = writeln!(
            out,
            "<details>\n<summary>{}</summary>\n<pre>{}</pre>\n</details>",
            escaped(heads.facts),
            escaped(facts.trim_end())
        );
    }
    out
}

fn derivation(d: &RulingPage) -> String {
    let words = d.sheet.words;
    let mut out = String::new();
    for layer in &d.sheet.layers {
        let _ = writeln!(out, "<h3>{}</h3>\n<ul class=\"marks\">", escaped(layer.title));
        for line in &layer.lines {
            let fate = if line.fate.is_empty() { words.applies } else { &line.fate };
            let _ = writeln!(
                out,
                "<li class=\"{}\">{}<span class=\"values\">{}</span>",
                mark(line.stands),
                titled(line),
                escaped(&words.bracketed(fate))
            );
            if !line.conditions.is_empty() {
                let held = |h: &Held| format!("<li class=\"{}\">{}</li>\n", mark(h.holds), said(words, h));
                let held: String = line.conditions.iter().map(held).collect();
                let _ = writeln!(out, "<ul class=\"marks\">\n{held}</ul>");
            }
            out.push_str("</li>\n");
        }
        out.push_str("</ul>\n");
    }
    if !d.sheet.exceptions.is_empty() {
        let _ = writeln!(out, "<h3>{}</h3>\n<ul>", escaped(words.heads.exceptions));
        d.sheet.exceptions.iter().for_each(|line| tree(&mut out, words, line));
        out.push_str("</ul>\n");
    }
    if !d.sheet.definitions.is_empty() {
        let _ = writeln!(out, "<h3>{}</h3>\n<ul>", escaped(words.heads.definitions));
        for defined in &d.sheet.definitions {
            let _ = writeln!(out, "<li>{}\n<ul>", escaped(&defined.says));
            defined.lines.iter().for_each(|line| tree(&mut out, words, line));
            out.push_str("</ul>\n</li>\n");
        }
        out.push_str("</ul>\n");
    }
    out
}

/// A clause, and under it what overrules it.
fn tree(out: &mut String, words: &Words, line: &Line) {
    let fate = if line.fate.is_empty() { String::new() } else { escaped(&words.bracketed(&line.fate)) };
    let _ = write!(out, "<li>{}<span class=\"values\">{fate}</span>", titled(line));
    if !line.under.is_empty() {
        out.push_str("\n<ul>\n");
        line.under.iter().for_each(|below| tree(out, words, below));
        out.push_str("</ul>\n");
    }
    out.push_str("</li>\n");
}

fn mark(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}
