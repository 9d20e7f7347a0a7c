//! Waiting for files to change.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

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

fn collect(folder: &Path, depth: usize, found: &mut Stamps) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            if depth < 4 {
                collect(&path, depth + 1, found);
            }
        } else {
            let changed = entry.metadata().and_then(|m| m.modified()).ok();
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
