//! Waiting for files to change.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use lawspeaker::reading;

/// How often to look.
const PAUSE: Duration = Duration::from_millis(200);

/// Files and when they were last changed.
type Stamps = BTreeMap<PathBuf, Option<SystemTime>>;

/// The state of a folder's files.
pub fn stamps(folder: &Path) -> Stamps {
    let mut found = Stamps::new();
    collect(folder, 0, &mut found);
    found
}

/// Like the game's own files: links to folders are not followed, and there is an end to how many are looked at.
fn collect(folder: &Path, depth: usize, found: &mut Stamps) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if found.len() >= reading::MAX_ENTRIES {
            return;
        }
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            if depth < 4 {
                collect(&path, depth + 1, found);
            }
        } else {
            let changed = std::fs::metadata(&path).and_then(|m| m.modified()).ok();
            found.insert(path, changed);
        }
    }
}

/// Waits until the state of the folder differs from `before` and gives the new one.
pub fn wait(folder: &Path, before: &Stamps) -> Stamps {
    loop {
        std::thread::sleep(PAUSE);
        let now = stamps(folder);
        if now != *before {
            return now;
        }
    }
}
