//! The answers to requests.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::names::{Outline, Word};
use super::{FAILED, Game, Refusal, Server, UNKNOWN_METHOD, place};
use crate::check::{Severity, check_all_seats};
use crate::layout;
use crate::model::RegisterRow;
use crate::syntax;

/// The lines of a declaration that are shown of it.
const SHOWN_LINES: usize = 12;

/// The clauses that are listed of what they are about.
const SHOWN_CLAUSES: usize = 20;

/// The answer to a request.
pub(super) fn answer(server: &mut Server, method: &str, params: &Json) -> Result<Json, Refusal> {
    if method == "workspace/symbol" {
        return Ok(everywhere(server, params));
    }
    let known = matches!(
        method.strip_prefix("textDocument/"),
        Some(
            "hover"
                | "definition"
                | "references"
                | "rename"
                | "completion"
                | "documentSymbol"
                | "foldingRange"
                | "formatting"
                | "codeAction"
        )
    );
    if !known {
        return Err(Refusal { code: UNKNOWN_METHOD, message: format!("there is no request {method}") });
    }
    let uri = params.get("textDocument").and_then(|d| d.get("uri")).and_then(Json::as_str).unwrap_or("");
    let Some(path) = place::path(uri) else { return Ok(Json::Null) };
    let Some((game, file)) = server.game(&path) else { return Ok(Json::Null) };
    let at = Place { game, file, byte: params.get("position").map_or(0, |p| place::byte(game.text(file), p)) };
    match method {
        "textDocument/hover" => Ok(at.hover()),
        "textDocument/definition" => Ok(at.definition()),
        "textDocument/references" => Ok(at.references(params)),
        "textDocument/rename" => at.rename(params.get("newName").and_then(Json::as_str).unwrap_or("")),
        "textDocument/completion" => Ok(at.completion()),
        "textDocument/documentSymbol" => Ok(at.symbols()),
        "textDocument/foldingRange" => Ok(at.folding()),
        "textDocument/formatting" => at.formatting(),
        _ => Ok(at.actions(uri, params)),
    }
}

/// The declarations of all games whose names have the letters that are asked for.
fn everywhere(server: &Server, params: &Json) -> Json {
    let query = params.get("query").and_then(Json::as_str).unwrap_or("").to_lowercase();
    let query = query.as_str();
    let found = server.games.values().flat_map(move |game| {
        let named = game.index.outlines.iter().filter(move |o| o.name.to_lowercase().contains(query));
        named.map(move |outline| {
            let location = game.location(outline.file, outline.start, outline.end);
            json!({ "name": outline.name, "kind": kind(outline), "location": location })
        })
    });
    found.take(500).collect()
}

/// What kind of symbol a declaration is, in the numbers of the protocol.
fn kind(outline: &Outline) -> u8 {
    match outline.keyword.as_str() {
        "kind" => 5,
        "action" => 6,
        "define" | "procedure" => 12,
        "var" | "pile" | "ordered" => 13,
        "option" | "reading" | "preset" => 14,
        _ => 19,
    }
}

impl Game {
    fn location(&self, file: usize, start: usize, end: usize) -> Json {
        let name = self.files.get(file).map_or("", |(name, _)| name.as_str());
        json!({ "uri": self.uri(name), "range": place::range(self.text(file), start, end) })
    }

    fn row(&self, id: &str) -> Option<&RegisterRow> {
        self.model.as_ref()?.register.iter().find(|row| row.id == id)
    }
}

/// A place that a request is about.
struct Place<'g> {
    game: &'g Game,
    file: usize,
    byte: usize,
}

impl<'g> Place<'g> {
    fn text(&self) -> &'g str {
        self.game.text(self.file)
    }

    fn word(&self) -> Option<&'g Word> {
        self.game.index.at(self.file, self.byte)
    }

    fn declared(&self, word: &'g Word) -> impl Iterator<Item = &'g Word> {
        self.game.index.same(word).filter(|w| w.declares)
    }

    fn hover(&self) -> Json {
        let Some(word) = self.word() else { return Json::Null };
        let mut out = String::new();
        if word.cited {
            match self.game.row(&word.text) {
                Some(row) => tell(row, &mut out),
                None => return Json::Null,
            }
        }
        for declared in self.declared(word).take(3) {
            self.declaration(declared, &mut out);
        }
        self.clauses(word, &mut out);
        if out.is_empty() {
            return Json::Null;
        }
        let range = place::range(self.text(), word.start, word.end);
        json!({ "contents": { "kind": "markdown", "value": out }, "range": range })
    }

    /// The declaration of a name, and the clauses of the rulebook that it cites.
    fn declaration(&self, word: &Word, out: &mut String) {
        let text = self.game.text(word.file);
        let within = |o: &&Outline| o.file == word.file && o.start <= word.start && word.end <= o.end;
        let Some(outline) = self.game.index.outlines.iter().find(within) else { return };
        let shown = match word.local || outline.name != word.text {
            true => {
                let start = text.get(..word.start).and_then(|t| t.rfind('\n')).map_or(0, |n| n + 1);
                text.get(start..).and_then(|t| t.lines().next()).unwrap_or("").trim().to_owned()
            }
            false => {
                let lines = text.get(outline.start..outline.end).unwrap_or("").lines();
                lines.take(SHOWN_LINES).collect::<Vec<_>>().join("\n")
            }
        };
        let _ = writeln!(out, "```law\n{shown}\n```");
        let cited = self.game.index.words.iter().filter(|w| {
            w.cited
                && w.file == word.file
                && outline.start <= w.start
                && w.end <= outline.end
                && outline.name == word.text
        });
        for row in cited.filter_map(|w| self.game.row(&w.text)).take(SHOWN_LINES) {
            tell(row, out);
        }
    }

    /// The clauses about what a word names.
    fn clauses(&self, word: &Word, out: &mut String) {
        let Some(model) = self.game.model.as_ref().filter(|_| !word.local && !word.cited) else { return };
        let about: Vec<_> = model.clauses.iter().filter(|c| c.subject == word.text).collect();
        for clause in about.iter().take(SHOWN_CLAUSES) {
            let (file, line, _) = model.sources.place(clause.span);
            let label = &clause.label.text;
            let label = if label.is_empty() { String::new() } else { format!(" \"{label}\"") };
            let _ = writeln!(out, "- `{}`{label} ({file}:{line})", clause.head());
        }
        if let Some(more) = about.len().checked_sub(SHOWN_CLAUSES).filter(|n| *n > 0) {
            let _ = writeln!(out, "- and {more} more");
        }
    }

    fn definition(&self) -> Json {
        let Some(word) = self.word() else { return Json::Null };
        self.declared(word).map(|w| self.game.location(w.file, w.start, w.end)).collect()
    }

    fn references(&self, params: &Json) -> Json {
        let Some(word) = self.word() else { return Json::Null };
        let declared = params.get("context").and_then(|c| c.get("includeDeclaration")).and_then(Json::as_bool);
        let wanted = self.game.index.same(word).filter(|w| declared != Some(false) || !w.declares);
        wanted.map(|w| self.game.location(w.file, w.start, w.end)).collect()
    }

    /// Another name for what is declared in the rules. The rules with the new name are checked first.
    fn rename(&self, new: &str) -> Result<Json, Refusal> {
        let refuse = |message: String| Err(Refusal { code: FAILED, message });
        let Some(word) = self.word().filter(|w| !w.cited && self.declared(w).next().is_some()) else {
            return refuse(String::from("nothing that the rules declare is named here"));
        };
        let capital = |text: &str| text.starts_with(|c: char| c.is_ascii_uppercase());
        let letters = new.starts_with(|c: char| c.is_ascii_alphabetic())
            && new.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !letters || capital(new) != capital(&word.text) {
            let first = if capital(&word.text) { "capital" } else { "small" };
            return refuse(format!("a name has letters, digits and `_`, and here begins with a {first} letter"));
        }
        if self.game.index.words.iter().any(|w| w.text == new && (!w.local || word.local)) {
            return refuse(format!("there is a `{new}` already"));
        }
        let (mut files, mut edits) = (self.game.files.clone(), serde_json::Map::new());
        let mut words: Vec<&Word> = self.game.index.same(word).collect();
        words.sort_by_key(|w| std::cmp::Reverse((w.file, w.start)));
        for word in words {
            let Some((name, text)) = files.get_mut(word.file) else { continue };
            let edit =
                json!({ "range": place::range(self.game.text(word.file), word.start, word.end), "newText": new });
            text.replace_range(word.start..word.end, new);
            let list = edits.entry(self.game.uri(name)).or_insert_with(|| json!([]));
            if let Some(list) = list.as_array_mut() {
                list.insert(0, edit);
            }
        }
        let errors = |all: &[crate::check::Diagnostic]| all.iter().filter(|d| d.severity == Severity::Error).count();
        let checked = check_all_seats(&files, &[]);
        let error = checked.diagnostics.iter().find(|d| d.severity == Severity::Error);
        match error.filter(|_| errors(&checked.diagnostics) > errors(&self.game.checked.diagnostics)) {
            Some(error) => refuse(format!("with this name the rules would have an error: {}", error.message)),
            None => Ok(json!({ "changes": edits })),
        }
    }

    fn completion(&self) -> Json {
        let before = self.text().get(..self.byte).unwrap_or("");
        let line = before.rsplit('\n').next().unwrap_or("");
        let typed = line.rsplit(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).next().unwrap_or("");
        let rest = line.strip_suffix(typed).unwrap_or(line).trim_end();
        let last = rest.rsplit(|c: char| c == ',' || c.is_whitespace()).find(|w| !w.is_empty() && !w.contains('.'));
        if matches!(last, Some("cite" | "note" | "manners")) && !rest.ends_with('"') {
            return self.ids();
        }
        let after_dot = typed.contains('.');
        let here = self
            .game
            .index
            .outlines
            .iter()
            .position(|o| o.file == self.file && o.start <= self.byte && self.byte <= o.end);
        let mut names: Vec<&str> = Vec::new();
        for word in self.game.index.words.iter().filter(|w| w.declares) {
            let near = here
                .and_then(|n| self.game.index.outlines.get(n))
                .is_some_and(|o| word.file == self.file && o.start <= word.start && word.end <= o.end);
            if (!word.local || near) && !(after_dot && (word.local || word.text.starts_with(char::is_uppercase))) {
                names.push(&word.text);
            }
        }
        names.sort_unstable();
        names.dedup();
        let mut items: Vec<Json> = names.iter().map(|name| json!({ "label": name, "kind": 6 })).collect();
        if !after_dot {
            items.extend(syntax::keywords().iter().map(|word| json!({ "label": word, "kind": 14 })));
        }
        Json::Array(items)
    }

    /// The ids of the register.
    fn ids(&self) -> Json {
        let Some(model) = &self.game.model else { return Json::Null };
        let item = |row: &RegisterRow| json!({ "label": row.id, "kind": 18, "detail": row.paraphrase.text });
        model.register.iter().map(item).collect()
    }

    fn symbols(&self) -> Json {
        let own = self.game.index.outlines.iter().filter(|o| o.file == self.file);
        let symbol = |outline: &Outline| {
            let range = place::range(self.text(), outline.start, outline.end);
            let head = outline.start + outline.keyword.len();
            json!({
                "name": outline.name, "detail": outline.keyword, "kind": kind(outline), "range": range,
                "selectionRange": place::range(self.text(), outline.start, head.min(outline.end)),
            })
        };
        own.map(symbol).collect()
    }

    fn folding(&self) -> Json {
        let line = |byte: usize| self.text().get(..byte).unwrap_or("").matches('\n').count();
        let own = self.game.index.outlines.iter().filter(|o| o.file == self.file);
        let folds = own.map(|o| (line(o.start), line(o.end))).filter(|(from, to)| to > from);
        folds.map(|(from, to)| json!({ "startLine": from, "endLine": to })).collect()
    }

    fn formatting(&self) -> Result<Json, Refusal> {
        let text = self.text();
        let laid = layout::format_readable(text, layout::WIDTH)
            .map_err(|fault| Refusal { code: FAILED, message: fault.to_string() })?;
        if laid == text {
            return Ok(json!([]));
        }
        Ok(json!([{ "range": place::range(text, 0, text.len()), "newText": laid }]))
    }

    /// What the checker's help says to write instead, where it says it in so many words.
    fn actions(&self, uri: &str, params: &Json) -> Json {
        let diagnostics = params.get("context").and_then(|c| c.get("diagnostics")).and_then(Json::as_array);
        let action = |diagnostic: &Json| {
            let help = diagnostic.get("data")?.get("help")?.as_str()?;
            let instead = match help {
                "remove it" => "",
                _ => help.split_once("did you mean `")?.1.split_once('`')?.0,
            };
            let edit = json!({ "range": diagnostic.get("range")?, "newText": instead });
            Some(json!({
                "title": help, "kind": "quickfix", "diagnostics": [diagnostic], "isPreferred": true,
                "edit": { "changes": { uri: [edit] } },
            }))
        };
        diagnostics.into_iter().flatten().filter_map(action).collect()
    }
}

/// A clause of the register in words.
fn tell(row: &RegisterRow, out: &mut String) {
    let _ = writeln!(out, "**{}** {}\n", row.id, row.paraphrase.text);
    if !row.ambiguity.is_empty() {
        let _ = writeln!(out, "*{}*\n", row.ambiguity);
    }
}
