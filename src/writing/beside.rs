//! The temporary file beside a place, in which a text is written before it takes that place.

use std::collections::HashSet;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::lock::{Lock, stands};

/// How the names of all these files end.
const ENDING: &str = ".lawspeaker.tmp";

/// Numbers of the files of this process.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// Folders that were swept.
static SWEPT: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);

/// A file beside the place of another, locked. It is removed unless it takes the place.
#[derive(Debug)]
pub struct Beside {
    path: PathBuf,
    file: Option<File>,
}

impl Beside {
    /// An empty file beside a place. `like` is the file there, whose permissions it copies.
    pub fn new(place: &Path, like: Option<&Metadata>) -> io::Result<Beside> {
        loop {
            let path = place.with_file_name(name(place));
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            if like.is_some() {
                std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            }
            let file = match options.open(&path) {
                Err(e) if e.kind() == ErrorKind::AlreadyExists => continue,
                opened => opened?,
            };
            // Before it is locked, the file looks as if a killed process had left it, so another process may remove it.
            if Lock::of(&file) == Lock::Busy || !stands(&file, &path) {
                continue;
            }
            let beside = Beside { path, file: Some(file) };
            if let (Some(like), Some(file)) = (like, &beside.file) {
                resemble(file, like)?;
            }
            return Ok(beside);
        }
    }

    /// Writes the text, down to the disk.
    pub fn fill(&mut self, text: &str) -> io::Result<()> {
        self.add(text.as_bytes())?;
        self.sync()
    }

    /// Writes a part after what was written.
    pub fn add(&mut self, part: &[u8]) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), |file| file.write_all(part))
    }

    /// Writes what was written down to the disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.as_ref().map_or(Ok(()), File::sync_all)
    }

    /// Takes the place of the file that is there. Returns the file, still locked.
    pub fn over(mut self, place: &Path) -> io::Result<Option<File>> {
        std::fs::rename(&self.path, place)?;
        let file = self.file.take();
        sync_folder(place)?;
        Ok(file)
    }

    /// Takes an empty place; fails with [`ErrorKind::AlreadyExists`] if there is a file. Returns the file, still
    /// locked.
    pub fn first(mut self, place: &Path) -> io::Result<Option<File>> {
        match std::fs::hard_link(&self.path, place) {
            Ok(()) => {
                let _ = std::fs::remove_file(&self.path);
                let file = self.file.take();
                sync_folder(place)?;
                Ok(file)
            }
            Err(e) if matches!(e.kind(), ErrorKind::AlreadyExists | ErrorKind::NotFound) => Err(e),
            Err(_) => {
                // A file system without links: the name is claimed first.
                OpenOptions::new().write(true).create_new(true).open(place)?;
                self.over(place)
            }
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if self.file.is_some() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// `game.record` as `game.record.PID.COUNT.lawspeaker.tmp`.
fn name(place: &Path) -> String {
    let named = place.file_name().unwrap_or_default().to_string_lossy();
    // The length of names is limited.
    let short: String = named.chars().take(40).collect();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{short}.{}.{count}{ENDING}", std::process::id())
}

/// Whether a file is named like one of these.
fn is_beside(name: &str) -> bool {
    let number = |n: Option<&str>| n.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    name.strip_suffix(ENDING).is_some_and(|rest| {
        let mut parts = rest.rsplit('.');
        number(parts.next()) && number(parts.next()) && parts.next().is_some()
    })
}

/// Gives a file the owner and the mode of another.
fn resemble(file: &File, like: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (like.uid(), like.gid()) {
            // Only root may give files away; the group alone may be one's own.
            let given = fchown(file, Some(like.uid()), Some(like.gid()));
            let _ = given.or_else(|_| fchown(file, None, Some(like.gid())));
        }
    }
    file.set_permissions(like.permissions())
}

/// Writes the names in a folder down to the disk.
fn sync_folder(place: &Path) -> io::Result<()> {
    let Some(Ok(folder)) = place.parent().map(File::open) else {
        return Ok(());
    };
    match folder.sync_all() {
        Err(e) if matches!(e.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        synced => synced,
    }
}

/// Removes what killed processes left in a folder, once for each folder.
pub fn sweep(folder: &Path) {
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if swept.get_or_insert_default().insert(folder.to_owned()) {
        sweep_now(folder);
    }
}

/// Removes what killed processes left in a folder: temporary files without a lock.
pub fn sweep_now(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_str().is_some_and(is_beside);
        // Anything but a plain file would block, or be elsewhere.
        if !ours || !entry.file_type().is_ok_and(|t| t.is_file()) {
            continue;
        }
        let path = entry.path();
        let Ok(file) = OpenOptions::new().write(true).open(&path) else {
            continue;
        };
        if Lock::of(&file) == Lock::Ours && stands(&file, &path) {
            let _ = std::fs::remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn sweeping_takes_nothing_from_a_writer() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a.txt");
        let done = AtomicBool::new(false);
        std::thread::scope(|s| {
            let sweeper = || {
                while !done.load(Ordering::Relaxed) {
                    sweep_now(folder.path());
                }
            };
            s.spawn(sweeper);
            s.spawn(sweeper);
            for n in 0..100 {
                let mut beside = Beside::new(&place, None).unwrap();
                beside.fill(&n.to_string()).unwrap();
                beside.over(&place).unwrap();
                assert_eq!(std::fs::read_to_string(&place).unwrap(), n.to_string());
            }
            done.store(true, Ordering::Relaxed);
        });
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn only_names_of_ours_are_swept() {
        assert!(is_beside(&name(Path::new("a/g.record"))));
        assert!(is_beside("g.record.12.0.lawspeaker.tmp"));
        for other in ["g.record.12.tmp", "g.lawspeaker.tmp", "12.0.lawspeaker.tmp", "g.x.0.lawspeaker.tmp", "g.record"]
        {
            assert!(!is_beside(other), "{other}");
        }
    }
}
