//! The language server, as an editor meets it: whole conversations over its standard input and output, and a great many
//! texts that are half written.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use lawspeaker::language_server::Server;
use serde_json::{Value as Json, json};

use crate::common::files::{root, under};
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

    /// The diagnostics that were sent last for a file.
    fn diagnostics(&mut self, uri: &str) -> Vec<Json> {
        // An answer to anything says that all before it has been sent.
        self.ask("workspace/symbol", json!({ "query": "" }));
        let of_file = |m: &&Json| m["method"] == "textDocument/publishDiagnostics" && m["params"]["uri"] == uri;
        let last = self.told.iter().rev().find(of_file);
        last.map_or_else(Vec::new, |m| m["params"]["diagnostics"].as_array().unwrap().clone())
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
    let open = |text: &str| json!({ "uri": uri, "languageId": "law", "version": 1, "text": text });
    editor.tell("textDocument/didOpen", json!({ "textDocument": open(&text) }));
    assert_eq!(editor.diagnostics(&uri), Vec::<Json>::new());

    // A name that there is not is reported while it is typed, and the help is one click away.
    let wrong = text.replace("when n is last", "when n is lasst");
    let change = json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "text": wrong }] });
    editor.tell("textDocument/didChange", change);
    let found = editor.diagnostics(&uri);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["range"]["start"], place(&wrong, "lasst", false));
    assert_eq!(found[0]["severity"], 1);
    let asked = json!({ "textDocument": document, "range": found[0]["range"], "context": { "diagnostics": found } });
    let actions = editor.ask("textDocument/codeAction", asked);
    assert_eq!(actions[0]["edit"]["changes"][&uri][0]["newText"], "last", "{actions}");
    let change = json!({ "textDocument": { "uri": uri, "version": 3 }, "contentChanges": [{ "text": text }] });
    editor.tell("textDocument/didChange", change);
    assert_eq!(editor.diagnostics(&uri), Vec::<Json>::new());

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
    let change = json!({ "textDocument": { "uri": uri, "version": 4 }, "contentChanges": [{ "text": loose }] });
    editor.tell("textDocument/didChange", change);
    assert_eq!(editor.ask("textDocument/formatting", asked)[0]["newText"], json!(text));

    // What is not offered is refused, and the conversation goes on.
    let refused = editor.answer("textDocument/moniker", at("heap -= n"));
    assert_eq!(refused["error"]["code"], -32601);
    editor.end();
}

#[test]
fn who_does_not_speak_the_protocol_is_told_so() {
    let session = Session::empty();
    let said = session.says(2, &["lsp"]);
    assert!(said.contains("this is no conversation with an editor"), "{said}");
}

/// Every place that an answer names lies in the text.
fn inside(answer: &Json, text: &str) {
    match answer {
        Json::Array(list) => list.iter().for_each(|a| inside(a, text)),
        Json::Object(map) => {
            if let (Some(line), Some(character)) = (map.get("line"), map.get("character")) {
                let line = line.as_u64().unwrap() as usize;
                let found = text.split('\n').nth(line).unwrap_or_else(|| panic!("line {line}"));
                assert!(character.as_u64().unwrap() as usize <= found.encode_utf16().count(), "{answer}");
            }
            map.values().for_each(|a| inside(a, text));
        }
        _ => {}
    }
}

/// Opens a text in the place of a file, and asks about places in it.
fn edited(server: &mut Server, path: &Path, text: &str, seed: usize) {
    let uri = format!("file://{}", path.display());
    let method = if seed == 0 { "textDocument/didOpen" } else { "textDocument/didChange" };
    let params = json!({
        "textDocument": { "uri": uri, "text": text, "version": seed }, "contentChanges": [{ "text": text }],
    });
    for (_, notice) in server.notified(method, &params) {
        if notice["uri"] == uri {
            notice["diagnostics"].as_array().unwrap().iter().for_each(|d| inside(&d["range"], text));
        }
    }
    let line = seed * 7 % (text.matches('\n').count() + 1);
    for character in [0, 5, 17] {
        let position = json!({ "line": line, "character": character });
        let at = json!({ "textDocument": { "uri": uri }, "position": position, "context": { "diagnostics": [] } });
        for method in ["hover", "completion", "documentSymbol", "foldingRange", "formatting", "codeAction"] {
            let answer = server.request(&format!("textDocument/{method}"), &at);
            if method != "formatting" || seed.is_multiple_of(5) {
                inside(&answer.unwrap_or_default(), text);
            }
        }
    }
}

/// Goes through beginnings of the shipped files, and through files with a stretch taken out.
fn half_written(games: &[&str], one_of: usize) {
    for game in games {
        let folder = root().join("rules").join(game);
        let files: Vec<PathBuf> =
            under(&folder).into_iter().filter(|p| p.extension().is_some_and(|e| e == "law")).collect();
        for path in files {
            let (text, mut server) = (std::fs::read_to_string(&path).unwrap(), Server::default());
            let ends = text.char_indices().map(|(at, _)| at);
            for (seed, at) in ends.step_by(one_of).enumerate() {
                edited(&mut server, &path, &text[..at], seed);
                let mut without = text.clone();
                let to = (at..text.len()).skip(seed * 13 % 90).find(|n| text.is_char_boundary(*n)).unwrap_or(at);
                without.replace_range(at..to, "");
                edited(&mut server, &path, &without, seed + 1);
            }
        }
    }
}

#[test]
fn half_written_files_are_answered_about() {
    half_written(&["classics/tic-tac-toe"], 197);
    half_written(&["classics/leduc-holdem"], 1999);
}

#[test]
#[ignore = "long: every beginning of every shipped file"]
fn every_beginning_is_answered_about() {
    let games = ["confrontation", "riddle", "miniatures", "war-of-the-ring"];
    let classics =
        ["backgammon", "breakthrough", "chess", "connect-four", "hex", "leduc-holdem", "reversi", "tic-tac-toe"];
    let classics: Vec<String> = classics.iter().map(|c| format!("classics/{c}")).collect();
    half_written(&classics.iter().map(String::as_str).chain(games).collect::<Vec<_>>(), 1);
}
