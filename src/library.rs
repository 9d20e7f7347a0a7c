//! Where games come from: a folder, or the games shipped inside the binary.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use include_dir::{Dir, DirEntry, include_dir};

use crate::check::{Checked, Diagnostic, Severity, check, check_seated};
use crate::model::Model;
use crate::reading;
pub use crate::reading::Unusable;
pub use crate::reading::text as read_text;
use crate::spelling::closest;

static SHIPPED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/rules");

/// The kinds of file that make a game; anything else in its folder is left alone.
const KINDS: [&str; 7] = ["law", "tsv", "csv", "md", "case", "record", "position"];

/// A game as files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder {
    /// What it is called: the shipped name, or the path as given.
    pub name: String,
    /// Path relative to the folder, separated by `/`, and text, in the order of the paths.
    pub files: Vec<(String, String)>,
    /// Where it is on disk; `None` if it is shipped.
    pub root: Option<PathBuf>,
}

impl Folder {
    /// The files that say the rules: `.law` files and the tables they read.
    #[must_use]
    pub fn rules(&self) -> Vec<(String, String)> {
        self.with(&["law", "tsv", "csv"]).cloned().collect()
    }

    /// The casebooks.
    pub fn casebooks(&self) -> impl Iterator<Item = &(String, String)> {
        self.with(&["md", "case"]).filter(|(path, text)| path.starts_with("cases/") || text.contains("```case"))
    }

    /// The records of games.
    pub fn records(&self) -> impl Iterator<Item = &(String, String)> {
        self.with(&["record"])
    }

    /// The text of a file by its path in the folder.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|(p, _)| p == path).map(|(_, text)| text.as_str())
    }

    /// The text of a list in the folder, by its path from there.
    ///
    /// # Errors
    /// There is no such file, it lies elsewhere, or it cannot be read.
    pub fn list(&self, path: &str) -> Result<String, Unusable> {
        if Path::new(path).components().any(|part| !matches!(part, std::path::Component::Normal(_))) {
            return Err(Unusable::new(format!("{path} is not in the folder of the game"), "name a file in it"));
        }
        if let Some(root) = &self.root {
            return read_text(&root.join(path));
        }
        if let Some(text) = self.text(path) {
            return Ok(text.to_owned());
        }
        let shipped = SHIPPED.get_file(format!("{}/{path}", self.name));
        let Some(file) = shipped else {
            let help = "give its path from the folder of the game, or write what is in it";
            return Err(Unusable::new(format!("there is no list {path}"), help));
        };
        reading::text_of(Path::new(path), file.contents().to_vec())
    }

    /// How many rule files it has.
    #[must_use]
    pub fn law_files(&self) -> usize {
        self.with(&["law"]).count()
    }

    /// Whether its rules name themselves as that game.
    #[must_use]
    pub fn declares(&self, name: &str) -> bool {
        self.with(&["law"]).any(|(_, text)| says_game(text, name))
    }

    /// The title in its rules: `game NAME "Title"`.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        let lines = self.with(&["law"]).flat_map(|(_, text)| text.lines());
        let line = lines.filter(|line| line.split_whitespace().next() == Some("game")).find(|line| line.contains('"'));
        line?.split('"').nth(1)
    }

    /// The title of a variant in its rules: `variant NAME "Title"`.
    #[must_use]
    pub fn variant_title(&self, name: &str) -> Option<&str> {
        let lines = self.with(&["law"]).flat_map(|(_, text)| text.lines());
        let says = |line: &&str| {
            let mut words = line.split_whitespace();
            words.next() == Some("variant") && words.next() == Some(name)
        };
        lines.filter(says).find_map(|line| line.split('"').nth(1))
    }

    /// Names the files of a report by their paths on disk, as a terminal can open them.
    pub fn locate(&self, checked: &mut Checked) {
        if let Some(root) = &self.root {
            for file in &mut checked.sources.files {
                file.name = root.join(&file.name).display().to_string();
            }
        }
    }

    fn with<'a>(&'a self, kinds: &'a [&str]) -> impl Iterator<Item = &'a (String, String)> {
        self.files.iter().filter(move |(path, _)| path.rsplit_once('.').is_some_and(|(_, kind)| kinds.contains(&kind)))
    }
}

/// A game ready to play.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The rules.
    pub model: Arc<Model>,
    /// Its files.
    pub folder: Folder,
    /// The variants laid over it.
    pub variants: Vec<String>,
    /// What the checker warns of.
    pub warnings: Vec<Diagnostic>,
}

/// Why a game could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Its files cannot be read.
    #[error(transparent)]
    Files(#[from] Unusable),
    /// Its rules have errors.
    #[error("the rules of {name} have errors")]
    Rules {
        /// The game.
        name: String,
        /// All that the checker found.
        checked: Box<Checked>,
    },
}

/// The names of the shipped games: their folders, `confrontation`, `classics/tic-tac-toe`.
#[must_use]
pub fn shipped() -> Vec<String> {
    let mut names = Vec::new();
    let mut todo: Vec<&Dir<'_>> = SHIPPED.dirs().collect();
    while let Some(dir) = todo.pop() {
        if has_law(dir) {
            names.extend(dir.path().to_str().map(|n| n.replace('\\', "/")));
        } else {
            todo.extend(dir.dirs());
        }
    }
    names.sort();
    names
}

/// The shipped game that a name means: its folder, or the last part of that where only one game's ends so, with `_` for
/// `-` as names in rules have it.
#[must_use]
pub fn shipped_name(name: &str) -> Option<String> {
    let mut names = shipped();
    if let Some(at) = names.iter().position(|n| n == name) {
        return Some(names.swap_remove(at));
    }
    let wanted = name.replace('_', "-");
    names.retain(|n| n.rsplit('/').next().is_some_and(|last| last.replace('_', "-") == wanted));
    if names.len() == 1 { names.pop() } else { None }
}

/// Whether two names of games are the same; folders have `-` where names in rules have `_`.
#[must_use]
pub fn same_name(a: &str, b: &str) -> bool {
    a.replace('_', "-") == b.replace('_', "-")
}

fn has_law(dir: &Dir<'_>) -> bool {
    dir.files().any(|f| f.path().extension().is_some_and(|e| e == "law"))
}

/// Finds a game by the path of its folder or by its shipped name (see [`shipped_name`]).
///
/// # Errors
/// There is no such game, or its files cannot be read.
pub fn find(name: &str) -> Result<Folder, Unusable> {
    let path = Path::new(name);
    let shipped = shipped_name(name);
    if path.is_dir() && (is_game(path) || shipped.is_none()) {
        return read_folder(path);
    }
    if path.is_file() {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new("."));
        return Err(Unusable::new(
            format!("{name} is a file, and a game is a folder"),
            format!("name its folder: {}", folder.display()),
        ));
    }
    let dir = shipped.and_then(|full| SHIPPED.get_dir(&full).map(|dir| (full, dir)));
    dir.map_or_else(|| Err(not_found(name)), |(full, dir)| embedded(&full, dir))
}

/// Whether a folder holds rule files.
#[must_use]
pub fn is_game(path: &Path) -> bool {
    std::fs::read_dir(path)
        .is_ok_and(|entries| entries.flatten().any(|e| e.path().extension().is_some_and(|x| x == "law")))
}

/// Whether a folder holds rules that name themselves as that game. Nothing else in it is read, and files that cannot be
/// read are ignored.
#[must_use]
pub fn declares(folder: &Path, name: &str) -> bool {
    let law = |path: &Path| path.extension().is_some_and(|e| e == "law");
    let files = reading::walk(folder, 0, law).unwrap_or_default();
    !name.is_empty() && files.iter().any(|file| read_text(file).is_ok_and(|text| says_game(&text, name)))
}

/// `game NAME "Title"` on a line of its own.
fn says_game(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let mut words = line.split_whitespace();
        words.next() == Some("game") && words.next().is_some_and(|own| same_name(own, name))
    })
}

fn not_found(name: &str) -> Unusable {
    let names = shipped();
    let parts = names.iter().flat_map(|n| std::iter::once(n.as_str()).chain(n.rsplit('/').next()));
    let near = closest(name, parts);
    let help = match near {
        Some(near) => format!(
            "did you mean {near}? `lawspeaker games` lists the shipped games; or give the path of a folder of .law \
             files"
        ),
        None => format!("give the path of a folder of .law files, or one of the shipped games: {}", names.join(", ")),
    };
    Unusable::new(format!("no game is called {name}"), help)
}

fn embedded(name: &str, dir: &Dir<'_>) -> Result<Folder, Unusable> {
    let mut files = Vec::new();
    collect_embedded(dir, dir.path(), &mut files)?;
    files.sort();
    Ok(Folder { name: name.to_owned(), files, root: None })
}

fn collect_embedded(dir: &Dir<'_>, root: &Path, files: &mut Vec<(String, String)>) -> Result<(), Unusable> {
    for entry in dir.entries() {
        match entry {
            DirEntry::Dir(inner) => collect_embedded(inner, root, files)?,
            DirEntry::File(file) if belongs(file.path()) => {
                let text = reading::text_of(file.path(), file.contents().to_vec())?;
                files.push((relative(file.path(), root), text));
            }
            DirEntry::File(_) => {}
        }
    }
    Ok(())
}

/// Reads a game's folder.
///
/// # Errors
/// A file or folder cannot be read, is too large or not text, or there are no rules in it.
pub fn read_folder(path: &Path) -> Result<Folder, Unusable> {
    let (mut files, mut bytes) = (Vec::new(), 0);
    for file in reading::walk(path, MAX_DEPTH, belongs)? {
        let text = read_text(&file)?;
        bytes += text.len();
        if bytes > MAX_FOLDER_MEGABYTES << 20 {
            let message = format!("the files in {} are larger than {MAX_FOLDER_MEGABYTES} MB together", path.display());
            return Err(Unusable::new(message, "keep in the folder only what belongs to the game"));
        }
        files.push((relative(&file, path), text));
    }
    files.sort();
    let folder = Folder { name: path.display().to_string(), files, root: Some(path.to_owned()) };
    if folder.law_files() == 0 {
        return Err(Unusable::new(
            format!("there are no .law files in {}", path.display()),
            "`lawspeaker new NAME` writes a small game to begin from",
        ));
    }
    Ok(folder)
}

/// The maximum depth of folders in a game.
const MAX_DEPTH: usize = 4;

/// The maximum size of the files of a game together, in megabytes.
const MAX_FOLDER_MEGABYTES: usize = 256;

/// Whether a file with this name belongs to a game; anything else in its folder is left alone.
#[must_use]
pub fn belongs(path: &Path) -> bool {
    path.extension().and_then(|e| e.to_str()).is_some_and(|e| KINDS.contains(&e))
}

fn relative(path: &Path, root: &Path) -> String {
    let inner = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = inner.components().map(|c| c.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

/// Checks a game's files and gives its rules.
///
/// # Errors
/// The rules have errors.
pub fn load(folder: Folder, variants: &[String]) -> Result<Loaded, LoadError> {
    let checked = check(&folder.rules(), variants);
    judged(folder, variants, checked)
}

/// The same for so many seats, of a game in which an option says how many play.
///
/// # Errors
/// The rules have errors.
pub fn load_seated(folder: Folder, variants: &[String], seats: usize) -> Result<Loaded, LoadError> {
    let checked = check_seated(&folder.rules(), variants, Some(seats));
    judged(folder, variants, checked)
}

fn judged(folder: Folder, variants: &[String], checked: Checked) -> Result<Loaded, LoadError> {
    let faulty = checked.diagnostics.iter().any(|d| d.severity == Severity::Error);
    match checked {
        Checked { model: Some(model), diagnostics, .. } if !faulty => {
            Ok(Loaded { model: Arc::new(model), folder, variants: variants.to_vec(), warnings: diagnostics })
        }
        mut checked => {
            folder.locate(&mut checked);
            Err(LoadError::Rules { name: folder.name, checked: Box::new(checked) })
        }
    }
}

/// Finds and loads a game.
///
/// # Errors
/// There is no such game, its files cannot be read, or its rules have errors.
pub fn open(name: &str, variants: &[String]) -> Result<Loaded, LoadError> {
    load(find(name)?, variants)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_rules_is_refused_with_advice() {
        let dir = tempfile::tempdir().unwrap();
        let error = find(&dir.path().display().to_string()).unwrap_err();
        assert!(error.message.contains("no .law files"), "{error}");
        assert!(error.help.unwrap().contains("lawspeaker new"));
    }

    #[test]
    fn text_that_is_not_utf8_is_refused_with_its_line() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.law"), b"game x\n\xff\xfe").unwrap();
        let error = read_folder(dir.path()).unwrap_err();
        assert!(error.message.contains("line 2"), "{error}");
    }

    #[test]
    fn a_shipped_game_is_found_by_the_last_part_of_its_name() {
        for (name, full) in
            [("classics/chess", "classics/chess"), ("chess", "classics/chess"), ("tic_tac_toe", "classics/tic-tac-toe")]
        {
            assert_eq!(find(name).unwrap().name, full);
        }
        assert!(find("classics").is_err());
        assert!(find("ches").unwrap_err().help.unwrap().contains("did you mean"));
    }

    #[test]
    fn files_are_named_relative_to_the_folder_and_sorted() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("variants")).unwrap();
        std::fs::write(dir.path().join("b.law"), "b").unwrap();
        std::fs::write(dir.path().join("variants/v.law"), "v").unwrap();
        std::fs::write(dir.path().join("picture.png"), [0xff]).unwrap();
        let folder = read_folder(dir.path()).unwrap();
        let names: Vec<&str> = folder.files.iter().map(|(n, _)| n.as_str()).collect();
        assert_eq!(names, ["b.law", "variants/v.law"]);
    }
}
