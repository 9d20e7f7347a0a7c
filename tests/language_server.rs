//! The language server, as an editor meets it: whole conversations over its standard input and output.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use lawspeaker::language_server::Server;
use serde_json::{Value as Json, json};

use crate::common::files::root;
use crate::common::session::Session;

/// An editor that has started the server.
struct Editor {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    asked: u64,
    /// The notifications that came in meanwhile.
    told: Vec<Json>,
}

impl Editor {
    fn start() -> Editor {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lawspeaker"));
        let mut child = command.args(["lsp", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut editor = Editor { child, to, from, asked: 0, told: Vec::new() };
        let hello = editor.ask("initialize", json!({ "processId": null, "rootUri": null, "capabilities": {} }));
        assert_eq!(hello["serverInfo"]["name"], "lawspeaker");
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: &Json) {
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.to.flush().unwrap();
    }

    fn receive(&mut self) -> Json {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.from.read_line(&mut line).unwrap();
            match line.trim().split_once(": ") {
                Some(("Content-Length", n)) => length = n.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        let mut bytes = vec![0; length];
        self.from.read_exact(&mut bytes).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    fn tell(&mut self, method: &str, params: Json) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn answer(&mut self, method: &str, params: Json) -> Json {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            self.told.push(message);
        }
    }

    fn ask(&mut self, method: &str, params: Json) -> Json {
        let mut answer = self.answer(method, params);
        assert_eq!(answer["error"], Json::Null, "{method}");
        answer["result"].take()
    }

    /// The diagnostics of a version of a file, once they are such as the server has after a moment.
    fn diagnostics(&mut self, uri: &str, version: u64, wanted: impl Fn(&[Json]) -> bool) -> Vec<Json> {
        loop {
            let of_file = |m: &&Json| {
                let params = &m["params"];
                let is_it = m["method"] == "textDocument/publishDiagnostics" && params["uri"] == uri;
                is_it && params["version"] == version && wanted(params["diagnostics"].as_array().unwrap())
            };
            if let Some(found) = self.told.iter().rev().find(of_file) {
                return found["params"]["diagnostics"].as_array().unwrap().clone();
            }
            let message = self.receive();
            self.told.push(message);
        }
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "law", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn change(&mut self, uri: &str, version: u64, text: &str) {
        let document = json!({ "uri": uri, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        self.tell("textDocument/didChange", params);
    }

    fn end(mut self) {
        self.ask("shutdown", Json::Null);
        self.tell("exit", Json::Null);
        assert!(self.child.wait().unwrap().success());
    }
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.canonicalize().unwrap().display())
}

/// Where a text stands in another, as a place of the protocol; its end if `end`.
fn place(text: &str, part: &str, end: bool) -> Json {
    let at = text.find(part).unwrap_or_else(|| panic!("{part}")) + if end { part.len() } else { 0 };
    let before = &text[..at];
    let last = before.rsplit('\n').next().unwrap();
    json!({ "line": before.matches('\n').count(), "character": last.encode_utf16().count() })
}

#[test]
fn a_conversation_about_the_small_game() {
    let session = Session::with_nim();
    let path = session.path("nim/game.law");
    let (uri, text) = (uri(&path), session.read("nim/game.law"));
    let document = json!({ "uri": uri });
    let mut editor = Editor::start();
    editor.open(&uri, &text);
    editor.diagnostics(&uri, 1, <[Json]>::is_empty);

    // A name that there is not is reported while it is typed, and the help is one click away.
    let wrong = text.replace("when n is last", "when n is lasst");
    editor.change(&uri, 2, &wrong);
    let found = editor.diagnostics(&uri, 2, |_| true);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["range"]["start"], place(&wrong, "lasst", false));
    assert_eq!(found[0]["severity"], 1);
    let asked = json!({ "textDocument": document, "range": found[0]["range"], "context": { "diagnostics": found } });
    let actions = editor.ask("textDocument/codeAction", asked);
    assert_eq!(actions[0]["edit"]["changes"][&uri][0]["newText"], "last", "{actions}");
    editor.change(&uri, 3, &text);
    editor.diagnostics(&uri, 3, <[Json]>::is_empty);

    // What a name is, and the clauses of the rulebook behind it.
    let at = |part: &str| json!({ "textDocument": document, "position": place(&text, part, false) });
    let shown = editor.ask("textDocument/hover", at("heap -= n"));
    assert!(shown["contents"]["value"].as_str().unwrap().contains("var heap: 0..30 = counters"), "{shown}");
    let shown = editor.ask("textDocument/hover", at("take.2"));
    assert!(shown["contents"]["value"].as_str().unwrap().contains("**take.2**"), "{shown}");
    let shown = editor.ask("textDocument/hover", at("take(n"));
    assert!(shown["contents"]["value"].as_str().unwrap().contains("`may not take` \"not the same again\""), "{shown}");

    // Where it is declared, and where it stands.
    let found = editor.ask("textDocument/definition", at("heap -= n"));
    assert_eq!(found[0]["range"]["start"], place(&text, "heap: 0..30", false));
    let mut params = at("heap -= n");
    params["context"] = json!({ "includeDeclaration": true });
    let all = editor.ask("textDocument/references", params);
    assert!(all.as_array().unwrap().len() >= 4, "{all}");

    // Another name everywhere; one that is taken is refused.
    let mut params = at("heap -= n");
    params["newName"] = json!("pile_of_counters");
    let edit = editor.ask("textDocument/rename", params.clone());
    let mut changed = text.clone();
    for one in edit["changes"][&uri].as_array().unwrap().iter().rev() {
        assert_eq!(one["newText"], "pile_of_counters");
        let line = one["range"]["start"]["line"].as_u64().unwrap() as usize;
        let column = one["range"]["start"]["character"].as_u64().unwrap() as usize;
        let start = text.split_inclusive('\n').take(line).map(str::len).sum::<usize>() + column;
        changed.replace_range(start..start + "heap".len(), "pile_of_counters");
    }
    assert!(!changed.contains("heap -= n") && changed.contains("pile_of_counters -= n"), "{changed}");
    params["newName"] = json!("last");
    assert!(editor.answer("textDocument/rename", params)["error"]["message"].as_str().unwrap().contains("already"));

    // Completion by place.
    let end = |part: &str| json!({ "textDocument": document, "position": place(&text, part, true) });
    let labels = |items: &Json| -> Vec<String> {
        items.as_array().unwrap().iter().map(|i| i["label"].as_str().unwrap().to_owned()).collect()
    };
    let ids = labels(&editor.ask("textDocument/completion", end("log \"take {n}\" cite ")));
    assert!(ids.contains(&String::from("take.1")) && !ids.contains(&String::from("heap")), "{ids:?}");
    let names = labels(&editor.ask("textDocument/completion", end("  heap -= ")));
    for name in ["heap", "n", "other", "count"] {
        assert!(names.iter().any(|l| l == name), "{name} in {names:?}");
    }

    // Outline, folding, layout.
    let outline = editor.ask("textDocument/documentSymbol", json!({ "textDocument": document }));
    assert!(outline.as_array().unwrap().iter().any(|s| s["name"] == "heap" && s["detail"] == "var"), "{outline}");
    let folds = editor.ask("textDocument/foldingRange", json!({ "textDocument": document }));
    assert!(!folds.as_array().unwrap().is_empty());
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let asked = json!({ "textDocument": document, "options": options });
    assert_eq!(editor.ask("textDocument/formatting", asked.clone()), json!([]));
    let loose = text.replace("heap -= n", "heap   -=   n");
    editor.change(&uri, 4, &loose);
    assert_eq!(editor.ask("textDocument/formatting", asked)[0]["newText"], json!(text));

    // What is not offered is refused, and the conversation goes on.
    let refused = editor.answer("textDocument/moniker", at("heap -= n"));
    assert_eq!(refused["error"]["code"], -32601);
    editor.end();
}

/// A text with the edits of an answer carried out.
fn with_edits(text: &str, edits: &Json) -> String {
    let byte = |at: &Json| {
        let (line, unit) = (at["line"].as_u64().unwrap() as usize, at["character"].as_u64().unwrap() as usize);
        text.split_inclusive('\n').take(line).map(str::len).sum::<usize>() + unit
    };
    let mut changed = text.to_owned();
    for edit in edits.as_array().unwrap().iter().rev() {
        let range = &edit["range"];
        changed.replace_range(byte(&range["start"])..byte(&range["end"]), edit["newText"].as_str().unwrap());
    }
    changed
}

#[test]
fn a_conversation_about_cases_and_records() {
    let session = Session::with_nim();
    let record = "record nim\nwith counters 7\n\n1. First: take 3\n2. Second: take 2\n";
    std::fs::create_dir(session.path("nim/records")).unwrap();
    std::fs::write(session.path("nim/records/one.record"), record).unwrap();
    let (law, book) = (session.read("nim/game.law"), session.read("nim/cases/rulings.md"));
    let place_of = |name: &str| uri(&session.path(name));
    let (law_uri, book_uri) = (place_of("nim/game.law"), place_of("nim/cases/rulings.md"));
    let record_uri = place_of("nim/records/one.record");
    let mut editor = Editor::start();
    editor.open(&book_uri, &book);
    editor.diagnostics(&book_uri, 1, <[Json]>::is_empty);

    // A case that comes out otherwise, and a word that is nearly right, are reported where they stand.
    let wrong = book.replacen("  heap: 8", "  heap: 7", 1);
    editor.change(&book_uri, 2, &wrong);
    let found = editor.diagnostics(&book_uri, 2, |all| !all.is_empty());
    assert_eq!(found[0]["range"]["start"], place(&wrong, "heap: 7", false));
    assert!(found[0]["message"].as_str().unwrap().contains("expected `heap: 7`"), "{found:?}");
    let misspelt = book.replacen("heap: 5", "hepa: 5", 1);
    editor.change(&book_uri, 3, &misspelt);
    let found = editor.diagnostics(&book_uri, 3, |all| !all.is_empty());
    assert_eq!(found[0]["range"]["start"], place(&misspelt, "hepa: 5", false));
    editor.change(&book_uri, 4, &book);
    editor.diagnostics(&book_uri, 4, <[Json]>::is_empty);

    // So is a ply that is not legal, and all of it again when the rules change.
    editor.open(&record_uri, record);
    editor.diagnostics(&record_uri, 1, <[Json]>::is_empty);
    let illegal = record.replace("take 2", "take 3");
    editor.change(&record_uri, 2, &illegal);
    let found = editor.diagnostics(&record_uri, 2, |all| !all.is_empty());
    assert_eq!(found[0]["range"]["start"]["line"], 4);
    assert!(found[0]["message"].as_str().unwrap().contains("not the same again"), "{found:?}");
    editor.open(&law_uri, &law.replace("when n is last", "when n is last and heap > 9"));
    editor.diagnostics(&record_uri, 2, <[Json]>::is_empty);
    editor.diagnostics(&book_uri, 4, |all| !all.is_empty());
    editor.change(&law_uri, 2, &law);
    editor.change(&record_uri, 3, record);
    editor.diagnostics(&record_uri, 3, <[Json]>::is_empty);

    // What words of a case mean, and where they are declared.
    let at = |part: &str| json!({ "textDocument": { "uri": book_uri }, "position": place(&book, part, false) });
    let hover = |editor: &mut Editor, part: &str| {
        editor.ask("textDocument/hover", at(part))["contents"]["value"].as_str().unwrap().to_owned()
    };
    assert!(hover(&mut editor, "heap: 5").contains("var heap: 0..30 = counters"));
    assert!(hover(&mut editor, "take.2\ngiven").contains("just taken"));
    assert!(hover(&mut editor, "not the same again\"\n  First").contains("may not take"));
    assert!(hover(&mut editor, "First to move").contains("(Player)"));
    let found = editor.ask("textDocument/definition", at("heap: 5"));
    assert_eq!((&found[0]["uri"], &found[0]["range"]["start"]), (&json!(law_uri), &place(&law, "heap: 0..30", false)));
    let labels = editor.ask("textDocument/completion", at("\"not the same again\"\n"));
    assert!(labels.as_array().unwrap().iter().any(|i| i["label"] == "take.2"), "{labels}");

    // What can be run.
    let lenses = editor.ask("textDocument/codeLens", json!({ "textDocument": { "uri": book_uri } }));
    let run = &lenses[0]["command"];
    assert_eq!((&run["title"], &run["arguments"][0]), (&json!("Run this case"), &json!(book_uri)));
    let answer = editor.ask("workspace/executeCommand", run.clone());
    assert_eq!(answer["title"], "Not the same number again: passed");
    assert!(editor.receive()["params"]["message"].as_str().unwrap().contains("passed"));
    let shown = editor.ask("workspace/executeCommand", lenses[1]["command"].clone());
    assert!(shown["text"].as_str().unwrap().contains("heap: 5"), "{shown}");
    let lenses = editor.ask("textDocument/codeLens", json!({ "textDocument": { "uri": record_uri } }));
    let answer = editor.ask("workspace/executeCommand", lenses[0]["command"].clone());
    assert!(answer["text"].as_str().unwrap().contains("2 plies"), "{answer}");

    // Another name in rules, cases and records, asked for in a case.
    let mut params = at("heap: 5");
    params["newName"] = json!("counters_left");
    let changes = &editor.ask("textDocument/rename", params)["changes"];
    let renamed = with_edits(&book, &changes[&book_uri]);
    assert!(renamed.contains("  counters_left: 5   last: 2") && !renamed.contains("heap:"), "{renamed}");
    assert!(renamed.contains("with a heap") == book.contains("with a heap"));
    assert!(with_edits(&law, &changes[&law_uri]).contains("counters_left -= n"));
    let of_option = json!({ "uri": law_uri });
    let params = json!({
        "textDocument": of_option, "position": place(&law, "counters: 7", false), "newName": "size",
    });
    let changes = &editor.ask("textDocument/rename", params)["changes"];
    assert_eq!(with_edits(record, &changes[&record_uri]), record.replace("counters", "size"));
    editor.end();
}

#[test]
fn who_does_not_speak_the_protocol_is_told_so() {
    let session = Session::empty();
    let said = session.says(2, &["lsp"]);
    assert!(said.contains("this is no conversation with an editor"), "{said}");
}

/// A server with a file of a shipped game in the editor.
struct Served {
    server: Server,
    uri: String,
}

impl Served {
    fn new(name: &str) -> (Served, String) {
        let path = root().join("rules").join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        let uri = format!("file://{}", path.display());
        let mut server = Server::default();
        let document = json!({ "uri": uri, "languageId": "law", "version": 1, "text": text });
        server.notified("textDocument/didOpen", &json!({ "textDocument": document }));
        server.settle();
        (Served { server, uri }, text)
    }

    fn change(&mut self, text: &str) {
        let document = json!({ "uri": self.uri, "version": 2 });
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        self.server.notified("textDocument/didChange", &params);
        self.server.settle();
    }

    fn ask(&mut self, method: &str, position: &Json) -> Json {
        let params = json!({ "textDocument": { "uri": self.uri }, "position": position });
        self.server.request(&format!("textDocument/{method}"), &params).unwrap()
    }

    /// What is proposed at a place, the best first.
    fn proposed(&mut self, position: &Json) -> Vec<String> {
        let items = self.ask("completion", position);
        let mut items: Vec<(String, String)> = items
            .as_array()
            .unwrap()
            .iter()
            .map(|i| (i["sortText"].as_str().unwrap_or("").to_owned(), i["label"].as_str().unwrap().to_owned()))
            .collect();
        items.sort();
        items.into_iter().map(|(_, label)| label).collect()
    }
}

#[test]
fn what_is_proposed_depends_on_type_and_place() {
    let end = |text: &str| {
        let last = text.rsplit('\n').next().unwrap();
        json!({ "line": text.matches('\n').count(), "character": last.len() })
    };
    let (mut served, text) = Served::new("confrontation/movement.law");
    // What is being written is half a clause at the end of the file.
    let mut proposed = |clause: &str| {
        let half = format!("{text}\n{clause}");
        served.change(&half);
        served.proposed(&end(&half))
    };
    let fields = proposed("may not move \"x\" when c.");
    assert!(fields.contains(&String::from("at")) && !fields.contains(&String::from("mountain")), "{fields:?}");
    let fields = proposed("may not move \"x\" when c.at.");
    assert!(fields.contains(&String::from("mountain")) && !fields.contains(&String::from("shown")), "{fields:?}");
    let fields = proposed("may not move \"x\" when some r in Region: r.");
    assert!(fields.contains(&String::from("mountain")), "{fields:?}");
    let members = proposed("may not move \"x\" when c.at is ");
    assert!(
        members.iter().take(30).any(|m| m == "Fangorn") && !members.iter().take(5).any(|m| m == "Frodo"),
        "{members:?}"
    );
    let seats = proposed("may not move \"x\" when c.side is not ");
    assert!(seats.iter().take(2).any(|m| m == "Dark"), "{seats:?}");
    let scope = proposed("may not move \"x\" when ");
    let first: Vec<&str> = scope.iter().map(String::as_str).take(4).collect();
    assert!(first.contains(&"c") && first.contains(&"to"), "{first:?}");
    let ids = proposed("may not move \"x\" cite ");
    assert!(ids.contains(&String::from("char.frodo.2")), "{ids:?}");
}

#[test]
fn clauses_show_what_they_beat_and_members_what_is_printed_on_them() {
    let (mut served, text) = Served::new("confrontation/good.law");
    let hover = |served: &mut Served, part: &str| {
        served.ask("hover", &place(&text, part, false))["contents"]["value"].as_str().unwrap_or("").to_owned()
    };
    let frodo = hover(&mut served, "Frodo \"Frodo\"");
    assert!(frodo.contains("- printed: 1") && frodo.contains("**char.frodo.1**"), "{frodo}");
    let may = hover(&mut served, "retreat \"slip away sideways\"");
    assert!(may.contains("forbidden by") && may.contains("Frodo does not slip away in the mountains"), "{may}");
}

#[test]
fn clauses_show_their_layer_and_rank() {
    let (mut served, text) = Served::new("confrontation/movement.law");
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9999, "character": 0 } });
    let params = json!({ "textDocument": { "uri": served.uri }, "range": whole });
    let hints = served.server.request("textDocument/inlayHint", &params).unwrap();
    let shown = |hint: &Json| {
        let line = text.lines().nth(hint["position"]["line"].as_u64().unwrap() as usize).unwrap();
        format!("{line}   <- {}", hint["label"].as_str().unwrap())
    };
    let shown: Vec<String> = hints.as_array().unwrap().iter().map(shown).collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn words_have_colours_by_what_they_are() {
    let (mut served, text) = Served::new("confrontation/movement.law");
    let tokens = tokens_of(&served.ask("semanticTokens/full", &Json::Null), &text);
    let all = [("may", "keyword"), ("move", "method"), ("c", "parameter"), ("Character", "class"), ("at", "property")];
    for one in all {
        assert!(tokens.contains(&one), "{one:?}");
    }
}

/// Semantic tokens as words and what they are; each stands in the text.
pub fn tokens_of<'t>(answer: &Json, text: &'t str) -> Vec<(&'t str, &'static str)> {
    let capabilities = lawspeaker::language_server::capabilities();
    let legend = capabilities["semanticTokensProvider"]["legend"]["tokenTypes"].as_array().unwrap();
    const KINDS: [&str; 12] = [
        "comment",
        "keyword",
        "class",
        "enumMember",
        "property",
        "variable",
        "function",
        "method",
        "parameter",
        "string",
        "number",
        "decorator",
    ];
    assert_eq!(*legend, KINDS.map(|kind| json!(kind)));
    let data: Vec<usize> = answer["data"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
    let (mut line, mut unit, mut found) = (0, 0, Vec::new());
    for token in data.chunks_exact(5) {
        unit = if token[0] > 0 { token[1] } else { unit + token[1] };
        line += token[0];
        let own = text.split('\n').nth(line).unwrap_or_else(|| panic!("line {line}"));
        let byte = |units: usize| {
            let mut rest = units;
            let at = own.char_indices().find(|(_, c)| {
                let here = rest == 0;
                rest = rest.saturating_sub(c.len_utf16());
                here
            });
            at.map_or(own.len(), |(at, _)| at)
        };
        let word = &own[byte(unit)..byte(unit + token[2])];
        assert_eq!(word.encode_utf16().count(), token[2], "{own}");
        found.push((word, KINDS[token[3]]));
    }
    found
}
