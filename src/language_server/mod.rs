//! What an editor asks about rules, and the answers, as the Language Server Protocol has them. How messages come in and
//! go out is not its matter.

mod answers;
mod names;
mod place;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::check::{Checked, Severity, check_all_seats};
use crate::library;
use crate::model::Model;
use crate::reading::Unusable;

use names::Index;

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The code of the protocol.
    pub code: i32,
    /// In words.
    pub message: String,
}

/// There is no such request.
const UNKNOWN_METHOD: i32 = -32601;

/// The request cannot be carried out.
const FAILED: i32 = -32803;

/// A message that the server sends unasked: its method, and what it says.
pub type Notice = (&'static str, Json);

/// The state of the server: the texts that are open in the editor, and the games that they belong to.
#[derive(Debug, Default)]
pub struct Server {
    open: BTreeMap<PathBuf, String>,
    games: BTreeMap<PathBuf, Game>,
}

/// A game of which a file is open.
#[derive(Debug)]
struct Game {
    root: PathBuf,
    /// Paths from the root, and texts.
    files: Vec<(String, String)>,
    checked: Checked,
    /// The last model that had no error.
    model: Option<Model>,
    index: Index,
    /// The files for which diagnostics were sent last.
    told: BTreeSet<String>,
}

/// What the server can do, as the protocol says it.
#[must_use]
pub fn capabilities() -> Json {
    json!({
        "textDocumentSync": { "openClose": true, "change": 1, "save": true },
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "renameProvider": true,
        "completionProvider": { "triggerCharacters": ["."] },
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "foldingRangeProvider": true,
        "documentFormattingProvider": true,
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
    })
}

impl Server {
    /// Takes note of what the editor tells, and says what follows from it.
    pub fn notified(&mut self, method: &str, params: &Json) -> Vec<Notice> {
        let document = params.get("textDocument");
        let Some(path) = document.and_then(|d| d.get("uri")).and_then(Json::as_str).and_then(place::path) else {
            return Vec::new();
        };
        let text = match method {
            "textDocument/didOpen" => document.and_then(|d| d.get("text")),
            "textDocument/didChange" => {
                let changes = params.get("contentChanges").and_then(Json::as_array);
                changes.and_then(|c| c.last()).and_then(|c| c.get("text"))
            }
            "textDocument/didSave" => return self.look(&path, true),
            "textDocument/didClose" => {
                self.open.remove(&path);
                return self.look(&path, true);
            }
            _ => return Vec::new(),
        };
        let Some(text) = text.and_then(Json::as_str) else { return Vec::new() };
        let anew = self.open.insert(path.clone(), text.to_owned()).is_none();
        self.look(&path, anew)
    }

    /// The answer to a request.
    ///
    /// # Errors
    /// There is no such request, or what it asks for cannot be done.
    pub fn request(&mut self, method: &str, params: &Json) -> Result<Json, Refusal> {
        answers::answer(self, method, params)
    }

    /// Checks the game of a file again; `anew` reads its folder again, too.
    fn look(&mut self, path: &Path, anew: bool) -> Vec<Notice> {
        let Some(root) = self.root(path) else { return Vec::new() };
        let files = match self.games.get(&root).filter(|_| !anew) {
            Some(game) => game.files.clone(),
            None => read(&root).unwrap_or_default(),
        };
        let files = self.with_open(&root, files);
        let mut checked = check_all_seats(&files, &[]);
        let texts: Vec<(usize, &str)> =
            files.iter().enumerate().filter(|(_, f)| f.0.ends_with(".law")).map(|(n, f)| (n, f.1.as_str())).collect();
        let index = Index::new(&texts);
        let (told, last) = self.games.remove(&root).map(|game| (game.told, game.model)).unwrap_or_default();
        let model = checked.model.take().or(last);
        let mut game = Game { root: root.clone(), files, checked, model, index, told };
        let notices = game.notices();
        self.games.insert(root, game);
        notices
    }

    /// The folder of the game to which a file belongs.
    fn root(&self, path: &Path) -> Option<PathBuf> {
        path.extension().filter(|e| *e == "law")?;
        let known = self.games.keys().filter(|root| path.starts_with(root)).max_by_key(|root| root.as_os_str().len());
        known.cloned().or_else(|| root(path))
    }

    /// The files of a game, as they are in the editor where they are open there.
    fn with_open(&self, root: &Path, mut files: Vec<(String, String)>) -> Vec<(String, String)> {
        for (path, text) in &self.open {
            let Ok(name) = path.strip_prefix(root) else { continue };
            let name = name.to_string_lossy().replace('\\', "/");
            let text = text.strip_prefix('\u{feff}').unwrap_or(text);
            match files.iter_mut().find(|(n, _)| *n == name) {
                Some((_, old)) => text.clone_into(old),
                None if name.ends_with(".law") => files.push((name, text.to_owned())),
                None => {}
            }
        }
        files.sort();
        files
    }

    /// The game of a file, and the number of the file in it.
    fn game(&mut self, path: &Path) -> Option<(&Game, usize)> {
        let root = self.root(path)?;
        if !self.games.contains_key(&root) {
            self.look(path, true);
        }
        let game = self.games.get(&root)?;
        let name = path.strip_prefix(&root).ok()?.to_string_lossy().replace('\\', "/");
        Some((game, game.files.iter().position(|(n, _)| *n == name)?))
    }
}

/// The files of a folder that say the rules.
fn read(root: &Path) -> Result<Vec<(String, String)>, Unusable> {
    Ok(library::read_folder(root)?.rules())
}

/// The folder of the game to which a file belongs: the nearest one above it with a file that declares a game, else its
/// own.
fn root(path: &Path) -> Option<PathBuf> {
    let own = path.parent()?;
    let declares = |folder: &&Path| {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
        let law = files.filter(|p| p.extension().is_some_and(|e| e == "law"));
        let mut texts = law.filter_map(|p| library::read_text(&p).ok());
        texts.any(|text| text.lines().any(|line| line.starts_with("game ")))
    };
    Some(own.ancestors().take(3).find(declares).unwrap_or(own).to_owned())
}

impl Game {
    fn text(&self, file: usize) -> &str {
        self.files.get(file).map_or("", |(_, text)| text.as_str())
    }

    fn uri(&self, name: &str) -> String {
        place::uri(&self.root.join(name))
    }

    /// The diagnostics of all files that have some, and of those that no longer have any.
    fn notices(&mut self) -> Vec<Notice> {
        let mut found: BTreeMap<String, Vec<Json>> =
            std::mem::take(&mut self.told).into_iter().map(|n| (n, vec![])).collect();
        let sources = &self.checked.sources;
        for diagnostic in &self.checked.diagnostics {
            let placed = |(span, words): &(crate::span::Span, String)| {
                let file = sources.files.get(span.file as usize)?;
                let range = place::range(&file.text, span.start as usize, span.end as usize);
                Some((file.name.clone(), range, words.clone()))
            };
            let mut places = diagnostic.labels.iter().filter_map(placed);
            let (name, range, label) = places.next().unwrap_or_else(|| {
                let first = self.files.iter().find(|(n, _)| n.ends_with(".law")).map_or("", |(n, _)| n.as_str());
                (first.to_owned(), place::range("", 0, 0), String::new())
            });
            let related: Vec<Json> = places
                .map(|(name, range, words)| {
                    json!({ "location": { "uri": self.uri(&name), "range": range }, "message": words })
                })
                .collect();
            let mut message = diagnostic.message.clone();
            for more in [&label].into_iter().chain(&diagnostic.help).filter(|m| !m.is_empty()) {
                message.push('\n');
                message.push_str(more);
            }
            found.entry(name).or_default().push(json!({
                "range": range,
                "severity": if diagnostic.severity == Severity::Error { 1 } else { 2 },
                "code": diagnostic.code,
                "source": "lawspeaker",
                "message": message,
                "relatedInformation": related,
                "data": { "help": diagnostic.help },
            }));
        }
        self.told = found.iter().filter(|(_, list)| !list.is_empty()).map(|(name, _)| name.clone()).collect();
        let notice = |(name, list): (String, Vec<Json>)| {
            ("textDocument/publishDiagnostics", json!({ "uri": self.uri(&name), "diagnostics": list }))
        };
        found.into_iter().map(notice).collect()
    }
}
