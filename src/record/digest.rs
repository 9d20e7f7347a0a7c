//! The digest of rules: the same rules have the same digest, however they are spaced and commented.

use crate::model::{Config, FieldStore, Model};
use xxhash_rust::xxh3::xxh3_64;

/// The text without comments and without the white space that nothing depends on: a space stays only between two words,
/// and a line end only where a declaration begins.
fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let mut quoted = false;
        let mut gap = !line.starts_with(|c: char| !c.is_whitespace() && c != '}' && c != ')');
        let mut first = !gap;
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            if !quoted && (c.is_whitespace() || c == '/' && chars.peek() == Some(&'/')) {
                if c == '/' {
                    break;
                }
                gap = true;
                continue;
            }
            if std::mem::take(&mut first) {
                out.push('\n');
            } else if std::mem::take(&mut gap) && !quoted && is_word(c) && out.ends_with(is_word) {
                out.push(' ');
            }
            out.push(c);
            match c {
                '"' => quoted = !quoted,
                '\\' if quoted => out.extend(chars.next()),
                _ => {}
            }
        }
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The digest of what files of rules say, each with its name. With `layout`, comments and layout count; in tables they
/// always do.
#[must_use]
pub fn files_digest(files: &[(String, String)], layout: bool) -> u64 {
    let mut bytes = Vec::new();
    for (name, text) in files {
        bytes.extend(name.as_bytes());
        bytes.push(0);
        match layout || !name.ends_with(".law") {
            true => bytes.extend(text.as_bytes()),
            false => bytes.extend(normal(text).as_bytes()),
        }
        bytes.push(0);
    }
    xxh3_64(&bytes)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_and_line_ends_do_not_matter() {
        let one = normal("// about\ndefine f(a: Int) -> Int = { a } // here\n  cite x.1 when a is 2\nnote x.2\n");
        let two = normal("define f( a : Int )->Int\n  = {a}\n  cite x.1\n  when a\n    is 2\n\nnote x.2");
        assert_eq!(one, two);
        assert_eq!(one, "\ndefine f(a:Int)->Int={a}cite x.1 when a is 2\nnote x.2");
    }

    #[test]
    fn words_texts_and_declarations_stay_apart() {
        assert_ne!(normal("note ab"), normal("note a b"));
        assert_ne!(normal("log \"a  b\""), normal("log \"a b\""));
        assert_ne!(normal("note a\nnote b"), normal("note a\n note b"));
        assert_eq!(normal("log \"a \\\" // b\""), "\nlog\"a \\\" // b\"");
        assert_eq!(normal("x {\n  y\n}"), normal("x { y }"));
    }
}
