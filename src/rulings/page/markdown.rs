//! A ruling as Markdown.

use std::fmt::Write;

use super::RulingPage;
use crate::plain::markdown as plain;
use crate::rulings::sheet::{Held, Line};
use crate::rulings::words::{Words, fill};

/// The document.
pub(super) fn page(d: &RulingPage) -> String {
    let (sheet, words) = (d.sheet, d.sheet.words);
    let heads = &words.heads;
    let mut out = format!("## {}\n\n", plain(&d.question()));
    let _ = writeln!(out, "**{}**{}{}\n", words.verdict(sheet.verdict), words.comma, plain(&sheet.reason));
    let _ = writeln!(out, "*{}*\n", plain(&d.about().join(" · ")));
    reasons(&mut out, d);
    if !sheet.lost.is_empty() {
        head(&mut out, heads.lost);
        for line in &sheet.lost {
            clause(&mut out, words, &format!("{} {}", titled(line), plain(&line.fate)), line);
        }
        out.push('\n');
    }
    position(&mut out, d);
    if let Some(what_if_words) = &d.what_if_words {
        head(&mut out, heads.would);
        list(&mut out, what_if_words.iter());
    }
    if let Some(words) = &d.outcome_words {
        head(&mut out, heads.outcome);
        let _ = writeln!(out, "```text\n{}\n```\n", words.join("\n"));
    }
    readings(&mut out, d);
    head(&mut out, heads.derivation);
    derivation(&mut out, d);
    head(&mut out, heads.repeat);
    let _ = writeln!(out, "{}{}\n\n```sh\n{}\n```\n", heads.command, words.colon.trim_end(), d.command);
    let _ = writeln!(out, "{}", fill(heads.digest, &[&format!("`{}`", d.digest)]));
    crate::plain::plain(&out).into_owned()
}

fn head(out: &mut String, title: &str) {
    let _ = writeln!(out, "### {title}\n");
}

fn list<'a>(out: &mut String, items: impl Iterator<Item = &'a String>) {
    for item in items {
        let _ = writeln!(out, "- {}", plain(item));
    }
    out.push('\n');
}

fn reasons(out: &mut String, d: &RulingPage) {
    let (sheet, words) = (d.sheet, d.sheet.words);
    if sheet.deciding.is_empty()
        && sheet.demands.is_empty()
        && sheet.moment.is_empty()
        && d.near().is_empty()
        && sheet.fault.is_none()
    {
        return;
    }
    head(out, words.heads.why);
    for line in &sheet.deciding {
        let phrase = if sheet.besides { words.forbidden_besides } else { words.by };
        clause(out, words, &fill(phrase, &[&titled(line)]), line);
        let held = line.conditions.iter().filter(|h| !h.saw.is_empty() || !h.because.is_empty());
        conditions(out, words, words.seen, held);
    }
    let phrase = if sheet.obliged { words.asked } else { words.needs };
    for held in &sheet.demands {
        let _ = writeln!(out, "- {}", fill(phrase, &[&said(words, held)]));
        because(out, held, "  ");
    }
    let withheld = sheet.withheld.iter().map(|line| (words.withheld, line));
    for (phrase, line) in withheld.chain(d.near().iter().map(|line| (words.nearest, line))) {
        clause(out, words, &fill(phrase, &[&titled(line)]), line);
        conditions(out, words, words.fails, line.conditions.iter().filter(|h| !h.holds));
    }
    for said in &sheet.moment {
        let _ = writeln!(out, "- {}", plain(said));
    }
    if let Some(fault) = &sheet.fault {
        let _ = writeln!(out, "- {}", plain(fault));
    }
    out.push('\n');
}

/// A clause with what the register says of what it cites.
fn clause(out: &mut String, words: &Words, said: &str, line: &Line) {
    let _ = writeln!(out, "- {said}{}", words.bracketed(&format!("`{}`", line.place)));
    for cite in line.cites.iter().chain(&line.by).filter(|c| !c.says.is_empty()) {
        let _ = writeln!(out, "  > {}{}{}", plain(&cite.named(words)), words.colon, plain(&cite.says));
        for doubt in &cite.doubts {
            let _ = writeln!(out, "  > {}", plain(doubt));
        }
    }
}

fn conditions<'a>(out: &mut String, words: &Words, phrase: &str, held: impl Iterator<Item = &'a Held>) {
    for (i, held) in held.enumerate() {
        // After a quotation a list begins anew.
        let gap = if i == 0 { "\n" } else { "" };
        let _ = writeln!(out, "{gap}  - {}", fill(phrase, &[&said(words, held)]));
        because(out, held, "    ");
    }
}

fn readings(out: &mut String, d: &RulingPage) {
    let words = d.sheet.words;
    if d.sureness().next().is_none() && d.readings.is_empty() {
        return;
    }
    head(out, words.heads.readings);
    list(out, d.sureness());
    if d.readings.is_empty() {
        return;
    }
    let heads = &words.heads;
    let _ = writeln!(out, "| {} | {} | {} |\n| --- | --- | --- |", heads.reading, heads.alternative, heads.verdict);
    for row in &d.readings {
        for (name, in_force, verdict) in &row.alternatives {
            let force = if *in_force { words.bracketed(heads.in_force) } else { String::new() };
            let _ = writeln!(out, "| {} | {}{force} | {} |", plain(&row.reading), plain(name), words.outcome(*verdict));
        }
    }
    out.push('\n');
}

fn position(out: &mut String, d: &RulingPage) {
    if d.map.is_empty() && d.facts.is_none() {
        return;
    }
    head(out, d.sheet.words.heads.position);
    if !d.map.is_empty() {
        let _ = writeln!(out, "```text\n{}\n```\n", d.map.trim_end_matches('\n'));
    }
    if let Some(facts) = &d.facts {
        let _ = writeln!(out, "```text\n{}\n```\n", facts.trim_end());
    }
}

fn derivation(out: &mut String, d: &RulingPage) {
    let words = d.sheet.words;
    for layer in &d.sheet.layers {
        let _ = writeln!(out, "**{}**\n", layer.title);
        for line in &layer.lines {
            let fate = if line.fate.is_empty() { words.applies } else { &line.fate };
            let _ = writeln!(out, "- {} {}{}", mark(line.stands), titled(line), words.bracketed(&plain(fate)));
            for held in &line.conditions {
                let _ = writeln!(out, "  - {} {}", mark(held.holds), said(words, held));
            }
        }
        out.push('\n');
    }
    if !d.sheet.exceptions.is_empty() {
        let _ = writeln!(out, "**{}**\n", words.heads.exceptions);
        for line in &d.sheet.exceptions {
            tree(out, words, line, 0);
        }
        out.push('\n');
    }
    if !d.sheet.definitions.is_empty() {
        let _ = writeln!(out, "**{}**\n", words.heads.definitions);
        for defined in &d.sheet.definitions {
            let _ = writeln!(out, "- {}", plain(&defined.says));
            for line in &defined.lines {
                tree(out, words, line, 1);
            }
        }
        out.push('\n');
    }
}

fn tree(out: &mut String, words: &Words, line: &Line, depth: usize) {
    let fate = if line.fate.is_empty() { String::new() } else { words.bracketed(&plain(&line.fate)) };
    let _ = writeln!(out, "{}- {}{fate}", "  ".repeat(depth), titled(line));
    for below in &line.under {
        tree(out, words, below, depth + 1);
    }
}

fn mark(holds: bool) -> char {
    if holds { '✓' } else { '✗' }
}

fn titled(line: &Line) -> String {
    format!("**{}**", plain(&line.cited()))
}

/// Why a condition holds or fails.
fn because(out: &mut String, held: &Held, indent: &str) {
    for said in &held.because {
        let _ = writeln!(out, "{indent}- {}", plain(said));
    }
}

/// A condition as code, with what it saw.
fn said(words: &Words, held: &Held) -> String {
    let saw = match held.saw.is_empty() {
        true => String::new(),
        false => words.bracketed(&plain(&held.saw.join(words.comma))),
    };
    format!("`{}`{saw}", held.text.replace('`', "'"))
}
