//! What an editor asks about rules, cases and records, and the answers, as the Language Server Protocol has them. How
//! messages come in and go out, and on which thread the work is done, is not its matter.

mod answers;
mod asked;
mod cases;
mod completion;
mod hints;
mod hover;
mod names;
mod place;
mod rename;
mod types;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value as Json, json};

use crate::check::{Checked, Diagnostic, Memory, Severity};
use crate::library::{self, Folder, Loaded};
use crate::model::Model;
use crate::rules::Rulebook;
use crate::span::Sources;

pub use work::{Done, Job};

use cases::Called;
use names::Index;
use work::{Found, Shelf, Tried, Work};

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
    open: BTreeMap<PathBuf, Open>,
    games: BTreeMap<PathBuf, Game>,
    /// A job is being done.
    busy: bool,
    /// The client shows what a command answers.
    shows_answers: bool,
    /// What is to be sent beside the last answer.
    aside: Vec<Notice>,
}

/// A text in the editor.
#[derive(Debug)]
struct Open {
    text: String,
    version: Json,
}

/// A game of which a file is open.
#[derive(Debug)]
struct Game {
    root: PathBuf,
    /// Paths from the root, and texts.
    files: Vec<(String, String)>,
    /// The last check.
    diagnostics: Vec<Diagnostic>,
    sources: Sources,
    /// The last model that had no error.
    model: Option<Arc<Model>>,
    /// What its things are called in play.
    called: Called,
    /// The rules as they are, unless they have errors.
    book: Option<Arc<Rulebook>>,
    index: Index,
    memory: Memory,
    tried: Tried,
    /// The rules have changed since they were checked.
    rules_stale: bool,
    /// Cases or records that are open, or the rules, have changed since these were tried.
    texts_stale: bool,
    /// Set when the rules change: a check of them is then about a text of the past.
    stop_rules: Arc<AtomicBool>,
    /// Set when anything changes: what cases and records are being tried for is then of the past.
    stop_texts: Arc<AtomicBool>,
    /// The files for which diagnostics of the rules were sent last.
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
        "semanticTokensProvider": {
            "legend": { "tokenTypes": hints::TOKEN_TYPES, "tokenModifiers": ["declaration"] }, "full": true,
        },
        "inlayHintProvider": true,
        "codeLensProvider": {},
        "executeCommandProvider": { "commands": hints::COMMANDS },
    })
}

/// The endings of files that an editor may ask about.
const ENDINGS: [&str; 4] = ["law", "md", "case", "record"];

impl Server {
    /// A server for a client that has introduced itself.
    #[must_use]
    pub fn new(introduction: &Json) -> Server {
        let options = introduction.get("initializationOptions");
        let shows_answers = options.and_then(|o| o.get("showsAnswers")).and_then(Json::as_bool).unwrap_or(false);
        Server { shows_answers, ..Server::default() }
    }

    /// Takes note of what the editor tells. What follows from it is work that is [due](Server::due).
    pub fn notified(&mut self, method: &str, params: &Json) {
        let document = params.get("textDocument");
        let Some(path) = document.and_then(|d| d.get("uri")).and_then(Json::as_str).and_then(place::path) else {
            return;
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
            _ => return,
        };
        let Some(text) = text.and_then(Json::as_str) else { return };
        let version = document.and_then(|d| d.get("version")).cloned().unwrap_or(Json::Null);
        let anew = self.open.insert(path.clone(), Open { text: text.to_owned(), version }).is_none();
        self.look(&path, anew);
    }

    /// The answer to a request.
    ///
    /// # Errors
    /// There is no such request, or what it asks for cannot be done.
    pub fn request(&mut self, method: &str, params: &Json) -> Result<Json, Refusal> {
        answers::answer(self, method, params)
    }

    /// What is to be sent beside the last answer.
    pub fn aside(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.aside)
    }

    /// The next piece of work, unless one is being done.
    pub fn due(&mut self) -> Option<Job> {
        if self.busy {
            return None;
        }
        let open: BTreeSet<&PathBuf> = self.open.keys().collect();
        let job = self.games.values_mut().find_map(|game| game.due(&open))?;
        self.busy = true;
        Some(job)
    }

    /// Takes in what came of some work, and says what the editor is to be told.
    pub fn done(&mut self, done: Done) -> Vec<Notice> {
        let Done { root, stop, found } = done;
        self.busy &= matches!(found, Found::Text(..));
        let Some(game) = self.games.get_mut(&root) else { return Vec::new() };
        let current = !stop.load(Ordering::Relaxed);
        match found {
            Found::Rules(checked, memory) => {
                game.memory = memory;
                if !current {
                    return Vec::new();
                }
                game.take(*checked);
                game.notices(&self.open)
            }
            Found::Text(name, list) if current => {
                let path = root.join(&name);
                let version = self.open.get(&path).map_or(&Json::Null, |open| &open.version);
                vec![diagnostics(&game.uri(&name), &list, version)]
            }
            Found::Text(..) => Vec::new(),
            Found::Texts(tried) => {
                game.tried = tried;
                Vec::new()
            }
        }
    }

    /// Does all work that is due, here and now.
    pub fn settle(&mut self) -> Vec<Notice> {
        let mut notices = Vec::new();
        while let Some(job) = self.due() {
            let mut found = Vec::new();
            job.run(&mut |done| found.push(done));
            notices.extend(found.into_iter().flat_map(|done| self.done(done)));
        }
        notices
    }

    /// Notes that a file has changed; `anew` reads its folder again, too.
    fn look(&mut self, path: &Path, anew: bool) {
        let Some(root) = self.root(path) else { return };
        let Ok(name) = path.strip_prefix(&root).map(|p| p.to_string_lossy().replace('\\', "/")) else { return };
        let is_rule = name.ends_with(".law");
        if let (Some(game), Some(open), false) = (self.games.get_mut(&root), self.open.get(path), anew)
            && let Some(at) = game.files.iter().position(|(n, _)| *n == name)
            && let Some(file) = game.files.get_mut(at)
        {
            without_mark(&open.text).clone_into(&mut file.1);
            if is_rule {
                game.index.read(at, &file.1);
            }
            game.changed(is_rule);
            return;
        }
        let files = library::read_folder(&root).map(|folder| folder.files).unwrap_or_default();
        let files = self.with_open(&root, files);
        let game = self.games.entry(root.clone()).or_insert_with(|| Game::new(root));
        let rules = |files: &[(String, String)]| Folder { files: files.to_vec(), ..Folder::default() }.rules();
        let rules_changed = game.book.is_none() || rules(&files) != rules(&game.files);
        if rules_changed || files.len() != game.files.len() {
            let laws = files.iter().enumerate().filter(|(_, (name, _))| name.ends_with(".law"));
            game.index = Index::new(laws.map(|(n, (_, text))| (n, text.as_str())));
        }
        game.files = files;
        game.changed(rules_changed);
    }

    /// The folder of the game to which a file belongs.
    fn root(&self, path: &Path) -> Option<PathBuf> {
        let ending = path.extension().and_then(|e| e.to_str())?;
        if !ENDINGS.contains(&ending) {
            return None;
        }
        let known = self.games.keys().filter(|root| path.starts_with(root)).max_by_key(|root| root.as_os_str().len());
        known.cloned().or_else(|| root(path))
    }

    /// The files of a game, as they are in the editor where they are open there.
    fn with_open(&self, root: &Path, mut files: Vec<(String, String)>) -> Vec<(String, String)> {
        for (path, open) in &self.open {
            let Ok(name) = path.strip_prefix(root) else { continue };
            let name = name.to_string_lossy().replace('\\', "/");
            let text = without_mark(&open.text);
            match files.iter_mut().find(|(n, _)| *n == name) {
                Some((_, old)) => text.clone_into(old),
                None => files.push((name, text.to_owned())),
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

/// A text without the mark that some editors put before it.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The folder of the game to which a file belongs: the nearest one above it with a file that declares a game; for a
/// rule file else its own.
fn root(path: &Path) -> Option<PathBuf> {
    let own = path.parent()?;
    let declares = |folder: &&Path| {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
        let law = files.filter(|p| p.extension().is_some_and(|e| e == "law"));
        let mut texts = law.filter_map(|p| library::read_text(&p).ok());
        texts.any(|text| text.lines().any(|line| line.starts_with("game ")))
    };
    let is_rule = path.extension().is_some_and(|e| e == "law");
    own.ancestors().take(3).find(declares).or(is_rule.then_some(own)).map(Path::to_owned)
}

/// The diagnostics of a file, as the editor is told of them.
fn diagnostics(uri: &str, list: &[Json], version: &Json) -> Notice {
    let mut params = json!({ "uri": uri, "diagnostics": list });
    if let (Some(params), false) = (params.as_object_mut(), version.is_null()) {
        params.insert(String::from("version"), version.clone());
    }
    ("textDocument/publishDiagnostics", params)
}

impl Game {
    fn new(root: PathBuf) -> Game {
        Game {
            root,
            files: Vec::new(),
            diagnostics: Vec::new(),
            sources: Sources::default(),
            model: None,
            called: Called::default(),
            book: None,
            index: Index::default(),
            memory: Memory::default(),
            tried: Tried::default(),
            rules_stale: true,
            texts_stale: true,
            stop_rules: Arc::default(),
            stop_texts: Arc::default(),
            told: BTreeSet::new(),
        }
    }

    /// Something has changed: what is being done about it is about the past.
    fn changed(&mut self, rules: bool) {
        self.stop_texts.store(true, Ordering::Relaxed);
        self.stop_texts = Arc::default();
        if rules {
            self.stop_rules.store(true, Ordering::Relaxed);
            self.stop_rules = Arc::default();
        }
        self.rules_stale |= rules;
        self.texts_stale = true;
    }

    fn folder(&self) -> Folder {
        let name = self.root.display().to_string();
        Folder { name, files: self.files.clone(), root: Some(self.root.clone()) }
    }

    /// The next piece of work; `open` are the files in the editor.
    fn due(&mut self, open: &BTreeSet<&PathBuf>) -> Option<Job> {
        let (stop, work) = if self.rules_stale {
            self.rules_stale = false;
            (&self.stop_rules, Work::Rules(self.folder(), std::mem::take(&mut self.memory)))
        } else if self.texts_stale {
            self.texts_stale = false;
            let is_open = |name: &str| !name.ends_with(".law") && open.contains(&self.root.join(name));
            let texts: Vec<_> = self.files.iter().filter(|(name, _)| is_open(name)).cloned().collect();
            if texts.is_empty() {
                return None;
            }
            (&self.stop_texts, Work::Texts(self.shelf(), texts, std::mem::take(&mut self.tried)))
        } else {
            return None;
        };
        Some(Job { root: self.root.clone(), stop: Arc::clone(stop), work })
    }

    fn shelf(&self) -> Shelf {
        let own = self.book.as_ref().zip(self.model.as_ref());
        Shelf { own: own.map(|(book, model)| (model.name.clone(), Arc::clone(book))) }
    }

    /// Takes in what the checker found.
    fn take(&mut self, checked: Checked) {
        self.book = None;
        if let Some(model) = checked.model {
            let model = Arc::new(model);
            let folder = self.folder();
            let loaded = Loaded { model: Arc::clone(&model), folder, variants: Vec::new(), warnings: Vec::new() };
            self.called = Called::new(&model);
            self.book = Some(Arc::new(Rulebook::of(Arc::new(loaded))));
            self.model = Some(model);
        }
        self.tried = Tried::default();
        self.texts_stale = true;
        self.diagnostics = checked.diagnostics;
        self.sources = checked.sources;
    }

    fn text(&self, file: usize) -> &str {
        self.files.get(file).map_or("", |(_, text)| text.as_str())
    }

    fn name(&self, file: usize) -> &str {
        self.files.get(file).map_or("", |(name, _)| name.as_str())
    }

    fn uri(&self, name: &str) -> String {
        place::uri(&self.root.join(name))
    }

    /// The diagnostics of all rule files that are open or have some, and of those that no longer have any.
    fn notices(&mut self, open: &BTreeMap<PathBuf, Open>) -> Vec<Notice> {
        let mut found: BTreeMap<String, Vec<Json>> =
            std::mem::take(&mut self.told).into_iter().map(|n| (n, vec![])).collect();
        let own = open.keys().filter_map(|path| path.strip_prefix(&self.root).ok());
        let own = own.map(|path| path.to_string_lossy());
        let rules = own.filter(|name| name.ends_with(".law")).map(|name| name.replace('\\', "/"));
        found.extend(rules.map(|name| (name, Vec::new())));
        for diagnostic in &self.diagnostics {
            let placed = |(span, words): &(crate::span::Span, String)| {
                let file = self.sources.files.get(span.file as usize)?;
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
        let notice = |(name, list): (&String, &Vec<Json>)| {
            let version = open.get(&self.root.join(name)).map_or(&Json::Null, |open| &open.version);
            diagnostics(&self.uri(name), list, version)
        };
        found.iter().map(notice).collect()
    }
}
