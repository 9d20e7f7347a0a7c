//! Files of this checkout, and copies of them.

use std::path::{Path, PathBuf};

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files under a folder, sorted.
pub fn under(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for path in entries.map(|e| e.unwrap().path()) {
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// Whether a file is a whole game, and not a variant or a piece of one.
pub fn is_game(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "law")
        && std::fs::read_to_string(path).unwrap().lines().any(|line| line.starts_with("game "))
}

/// The files under a folder: their paths from there, and their texts.
pub fn texts(folder: &Path) -> Vec<(String, String)> {
    let name = |path: &Path| path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
    under(folder).iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// Copies a folder with all that is in it.
pub fn copy(from: &Path, to: &Path) {
    for file in under(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(&file, target).unwrap();
    }
}
