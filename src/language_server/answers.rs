//! The answers to requests.

use serde_json::{Value as Json, json};

use super::cases::Seen;
use super::names::{Outline, Word};
use super::{FAILED, Game, Refusal, Server, UNKNOWN_METHOD, hints, place};
use crate::layout;
use crate::model::{Model, RegisterRow};
use crate::span::Span;

/// The answer to a request.
pub(super) fn answer(server: &mut Server, method: &str, params: &Json) -> Result<Json, Refusal> {
    match method {
        "workspace/symbol" => return Ok(everywhere(server, params)),
        "workspace/executeCommand" => return hints::execute(server, params),
        _ => {}
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
                | "semanticTokens/full"
                | "inlayHint"
                | "codeLens"
        )
    );
    if !known {
        return Err(Refusal { code: UNKNOWN_METHOD, message: format!("there is no request {method}") });
    }
    let uri = params.get("textDocument").and_then(|d| d.get("uri")).and_then(Json::as_str).unwrap_or("");
    let Some(path) = place::path(uri) else { return Ok(Json::Null) };
    let Some((game, file)) = server.game(&path) else { return Ok(Json::Null) };
    let at = Place { game, file, byte: params.get("position").map_or(0, |p| place::byte(game.text(file), p)) };
    let about_names = matches!(
        method,
        "textDocument/hover" | "textDocument/definition" | "textDocument/references" | "textDocument/rename"
    );
    if !at.is_rule() && !about_names {
        return Ok(match method {
            "textDocument/completion" => at.completion_in_text(),
            "textDocument/codeLens" => at.lenses(uri),
            _ => Json::Null,
        });
    }
    match method {
        "textDocument/hover" => Ok(at.hover()),
        "textDocument/definition" => Ok(at.definition()),
        "textDocument/references" => Ok(at.references(params)),
        "textDocument/rename" => at.rename(params.get("newName").and_then(Json::as_str).unwrap_or("")),
        "textDocument/completion" => Ok(at.completion()),
        "textDocument/documentSymbol" => Ok(at.symbols()),
        "textDocument/foldingRange" => Ok(at.folding()),
        "textDocument/formatting" => at.formatting(),
        "textDocument/semanticTokens/full" => Ok(at.tokens()),
        "textDocument/inlayHint" => Ok(at.inlays(params)),
        "textDocument/codeLens" => Ok(json!([])),
        _ => Ok(at.actions(uri, params)),
    }
}

/// The declarations of all games whose names have the letters that are asked for.
fn everywhere(server: &Server, params: &Json) -> Json {
    let query = params.get("query").and_then(Json::as_str).unwrap_or("").to_lowercase();
    let query = query.as_str();
    let found = server.games.values().flat_map(move |game| {
        let named = game.index.outlines().filter(move |o| o.name.to_lowercase().contains(query));
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
    pub(super) fn location(&self, file: usize, start: usize, end: usize) -> Json {
        json!({ "uri": self.uri(self.name(file)), "range": place::range(self.text(file), start, end) })
    }

    /// The number of a file of the rules as they were when they last had no error.
    pub(super) fn number(&self, model: &Model, span: Span) -> Option<usize> {
        let name = &model.sources.files.get(span.file as usize)?.name;
        self.files.iter().position(|(n, _)| n == name)
    }

    /// Where something stood in the rules when they last had no error, in the text as it is.
    pub(super) fn placed(&self, model: &Model, span: Span) -> Option<Json> {
        Some(self.location(self.number(model, span)?, span.start as usize, span.end as usize))
    }

    /// Whether a file is as it was when the rules last had no error, and then its number there.
    pub(super) fn unchanged(&self, model: &Model, file: usize) -> Option<u32> {
        let (name, text) = self.files.get(file)?;
        let at = model.sources.files.iter().position(|f| f.name == *name && f.text == *text)?;
        u32::try_from(at).ok()
    }

    pub(super) fn row(&self, id: &str) -> Option<&RegisterRow> {
        self.model.as_ref()?.register.iter().find(|row| row.id == id)
    }
}

/// A place that a request is about.
pub(super) struct Place<'g> {
    pub game: &'g Game,
    pub file: usize,
    pub byte: usize,
}

impl<'g> Place<'g> {
    pub fn text(&self) -> &'g str {
        self.game.text(self.file)
    }

    /// Whether it is in a rule file; else it is in a casebook or a record.
    pub fn is_rule(&self) -> bool {
        self.game.name(self.file).ends_with(".law")
    }

    pub fn word(&self) -> Option<&'g Word> {
        self.game.index.at(self.file, self.byte)
    }

    /// What stands there in a casebook or record.
    pub fn seen(&self) -> Option<Seen> {
        let text = self.text();
        let name = self.game.name(self.file);
        let inside =
            super::cases::lines(name, text).iter().any(|(at, ..)| at.start <= self.byte && self.byte <= at.end);
        self.game.called.at(self.game.model.as_ref().filter(|_| inside)?, text, self.byte)
    }

    pub fn declared(&self, word: &'g Word) -> impl Iterator<Item = &'g Word> {
        self.game.index.same(word).filter(|w| w.declares.is_some())
    }

    fn symbols(&self) -> Json {
        let own = self.game.index.outlines_of(self.file).iter();
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
        let own = self.game.index.outlines_of(self.file).iter();
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
