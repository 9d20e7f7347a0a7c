//! Waiting for files to change.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use lawspeaker::library::{self, Unusable};
use lawspeaker::reading;

use super::screen::Screen;
use super::{Answer, Run, Stop};

/// How often to look.
const PAUSE: Duration = Duration::from_millis(200);

/// Files and when they were last changed.
type Stamps = BTreeMap<PathBuf, Option<SystemTime>>;

/// A file or a folder that is watched.
pub type Place = PathBuf;

/// What is named on the command line as a place that can change.
pub fn place(name: &str) -> Result<Place, Stop> {
    let path = PathBuf::from(name);
    if path.exists() {
        return Ok(path);
    }
    library::find(name)?;
    let help = "copy it with `lawspeaker new NAME --from GAME` and watch the copy";
    Err(Unusable::new(format!("{name} is inside the program and cannot change"), help).into())
}

/// Does something now and after every change of the places, until nobody reads what is shown.
pub fn again(places: &[Place], screen: &mut Screen, each: &mut dyn FnMut(&mut Screen) -> Run) -> Run {
    let mut state = stamps(places);
    loop {
        screen.clear()?;
        let answer = match each(screen) {
            // A file may be half written, or gone for a moment: say so and go on.
            Err(Stop::Unusable(error)) => {
                write!(screen, "{}", super::complaint(&error))?;
                Answer::No
            }
            answer => answer?,
        };
        screen.flush()?;
        if screen.closed() {
            return Ok(answer);
        }
        state = wait(places, &state);
    }
}

/// The state of the files there.
fn stamps(places: &[Place]) -> Stamps {
    let mut found = Stamps::new();
    for place in places {
        if place.is_dir() {
            collect(place, 0, &mut found);
        } else {
            stamp(place.clone(), &mut found);
        }
    }
    found
}

fn stamp(file: PathBuf, found: &mut Stamps) {
    let changed = std::fs::metadata(&file).and_then(|m| m.modified()).ok();
    found.insert(file, changed);
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
            stamp(path, found);
        }
    }
}

/// Waits until the state of the places differs from `before` and gives the new one.
fn wait(places: &[Place], before: &Stamps) -> Stamps {
    loop {
        std::thread::sleep(PAUSE);
        let now = stamps(places);
        if now != *before {
            return now;
        }
    }
}
