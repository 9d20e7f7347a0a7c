//! The answers to requests.

use serde_json::{Value as Json, json};

use super::asked::Place;
use super::names::Outline;
use super::{FAILED, Refusal, Server, UNKNOWN_METHOD, hints, place};
use crate::layout;

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

impl Place<'_> {
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
