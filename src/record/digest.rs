//! The digest of rules: the same rules have the same digest, however they are spaced and commented.

use crate::model::{Config, FieldStore, Model};
use xxhash_rust::xxh3::xxh3_64;

/// The text without comments, each run of white space outside quotes one space.
fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let mut quoted = false;
        let mut chars = line.chars().peekable();
        let indented = line.starts_with([' ', '\t']);
        let from = out.len();
        while let Some(c) = chars.next() {
            match c {
                '"' => {
                    quoted = !quoted;
                    out.push(c);
                }
                '/' if !quoted && chars.peek() == Some(&'/') => break,
                c if c.is_whitespace() && !quoted => {
                    if !out.ends_with([' ', '\n']) {
                        out.push(' ');
                    }
                }
                c => out.push(c),
            }
        }
        while out.len() > from && out.ends_with(' ') {
            out.pop();
        }
        if out.len() == from {
            continue;
        }
        // A declaration begins at the margin; line breaks inside it do not matter.
        out.insert(from, if indented { ' ' } else { '\n' });
    }
    out
}

/// The digest of the rules of a game with the options and readings in force, and of the layout of positions: 64 bits,
/// the same on every machine.
#[must_use]
pub fn rules_digest(model: &Model, config: &Config) -> u64 {
    let mut bytes = Vec::new();
    for file in &model.sources.files {
        bytes.extend(file.name.as_bytes());
        bytes.push(0);
        bytes.extend(normal(&file.text).as_bytes());
        bytes.push(0);
    }
    for (item, value) in model.config.iter().zip(&config.0) {
        bytes.extend(format!("{}={value}\n", item.name).as_bytes());
    }
    // The members' values from tables beside the rules.
    for kind in &model.kinds {
        let ids: Vec<&str> = kind.members.iter().map(|m| m.id.as_str()).collect();
        bytes.extend(format!("{}: {}\n", kind.name, ids.join(" ")).as_bytes());
        for field in &kind.fields {
            if let FieldStore::Printed(values) = &field.store {
                bytes.extend(format!("{} {values:?}\n", field.name).as_bytes());
            }
        }
    }
    // The digests of positions in a record are comparable only if the layout is the same.
    for var in &model.vars {
        bytes.extend(format!("{} {:?}\n", var.name, var.place).as_bytes());
    }
    for code in &model.codes {
        bytes.extend(format!("{} {}\n", code.name, code.instrs.len()).as_bytes());
    }
    xxh3_64(&bytes)
}
