//! Files are written whole or not at all, and never over another one unless asked for.
//!
//! A text goes into a file beside its place, which is synced and then takes the place. The writer holds a lock on the
//! file itself. The system releases the locks of a process that ends, however it ends: so what a killed process leaves
//! behind is recognised by not being locked, and nothing stays locked.

mod beside;
mod held;
mod lock;
mod place;
#[cfg(test)]
mod tests;

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use crate::reading::Unusable;
use lock::Lock;

pub use held::{Held, Parts};
pub use place::{Place, Policy};

/// Why a file is not written.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Another file is there.
    #[error("{} is there already", .0.display())]
    There(PathBuf),
    /// Another process holds it.
    #[error("{} is in use: another lawspeaker writes there", .0.display())]
    Busy(PathBuf),
    /// It is no longer the file that was read or written last.
    #[error("{} was changed by another program meanwhile", .0.display())]
    Changed(PathBuf),
    /// It is a folder.
    #[error("cannot write {}: it is a folder", .0.display())]
    Folder(PathBuf),
    /// It is read-only.
    #[error("cannot write {}: it is read-only", .0.display())]
    ReadOnly(PathBuf),
    /// It is a disk as a whole.
    #[error("cannot write {}: it is a disk", .0.display())]
    Disk(PathBuf),
    /// The system refuses.
    #[error("cannot write {}: {why}", path.display())]
    System {
        /// The file.
        path: PathBuf,
        /// The message.
        why: std::io::Error,
    },
}

impl Refusal {
    fn system(path: &Path, why: std::io::Error) -> Refusal {
        Refusal::System { path: path.to_owned(), why }
    }

    /// What to do.
    fn help(&self) -> &'static str {
        match self {
            Refusal::There(_) => "choose another name; --force replaces what is there",
            Refusal::Busy(_) => "wait until that one ends, or choose another file",
            Refusal::Changed(_) => "look at the file; nothing of it was overwritten",
            Refusal::Folder(_) => "name a file in it",
            Refusal::ReadOnly(_) => "make it writable (chmod u+w), or choose another file",
            Refusal::Disk(_) => "choose a file",
            Refusal::System { why, .. } if why.kind() == std::io::ErrorKind::NotFound => {
                "make its folder first, or choose another"
            }
            Refusal::System { .. } => "choose a place where you may write",
        }
    }
}

impl From<Refusal> for Unusable {
    fn from(refusal: Refusal) -> Unusable {
        Unusable::new(refusal.to_string(), refusal.help())
    }
}

/// Writes a file once.
///
/// # Errors
/// It is not to be overwritten, is in use, or cannot be written.
pub fn write(path: &Path, text: &str, policy: Policy) -> Result<(), Refusal> {
    Place::new(path, policy)?.write(text)
}

/// Writes a file that was read, if it is still as it was read.
///
/// # Errors
/// It was changed since, is in use, or cannot be written.
pub fn replace(path: &Path, read: &str, text: &str) -> Result<(), Refusal> {
    let mut held = Place::new(path, Policy::Own)?.hold()?;
    if held.is_stream() {
        return Err(Refusal::system(path, std::io::Error::other("what is read from a pipe cannot be replaced")));
    }
    let now = std::fs::read_to_string(path).map_err(|e| Refusal::system(path, e))?;
    // Reading a text leaves out its byte order mark.
    let (mark, now) = match now.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", now.as_str()),
    };
    if now != read {
        return Err(Refusal::Changed(path.to_owned()));
    }
    held.write(&format!("{mark}{text}"))
}

/// Creates a file with that name, or with a number added if the name is taken, and holds it.
///
/// # Errors
/// It cannot be written.
pub fn begin(path: &Path, text: &str) -> Result<Held, Refusal> {
    let mut number = 1;
    loop {
        let name = if number == 1 { path.to_owned() } else { numbered(path, number) };
        number += 1;
        let begun = Place::new(&name, Policy::New).and_then(Place::hold).and_then(|mut held| {
            held.write(text)?;
            Ok(held)
        });
        match begun {
            Err(Refusal::There(_)) if number <= 10_000 => {}
            begun => return begun,
        }
    }
}

/// `game.record` as `game-2.record`.
#[must_use]
pub fn numbered(file: &Path, number: usize) -> PathBuf {
    let mut name = file.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(kind) = file.extension() {
        name.push(".");
        name.push(kind);
    }
    file.with_file_name(name)
}

/// Opens or creates a file that grows line by line, and locks it. Its contents stay.
///
/// # Errors
/// It is in use, or cannot be written.
pub fn grow(path: &Path) -> Result<File, Refusal> {
    let system = |e| Refusal::system(path, e);
    let place = Place::new(path, Policy::Own)?;
    if place.is_stream() {
        return OpenOptions::new().append(true).open(path).map_err(system);
    }
    let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path).map_err(system)?;
    match Lock::of(&file) {
        Lock::Busy => Err(Refusal::Busy(path.to_owned())),
        Lock::Ours | Lock::Unknown => Ok(file),
    }
}

/// Removes what killed processes left where this file is written. A command that may write calls it when it starts.
pub fn tidy(path: &Path) {
    place::tidy(path);
}
