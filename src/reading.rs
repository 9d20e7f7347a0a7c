//! Reads files as text: the only place that reads from disk. Only regular files up to a size are read, and links to
//! folders are not followed.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Why something could not be read, in words, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unusable {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// The same for a screen, with the places in the text, if it is about a text.
    pub report: Option<String>,
}

impl Unusable {
    /// With words and advice.
    #[must_use]
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Unusable {
        let help = help.into();
        Unusable { message: message.into(), help: (!help.is_empty()).then_some(help), report: None }
    }

    /// The same with a report for a screen, which says all of it.
    #[must_use]
    pub fn reported(self, report: String) -> Unusable {
        Unusable { report: Some(report), ..self }
    }
}

/// The maximum size of a file in megabytes.
pub const MAX_MEGABYTES: u64 = 64;

/// The maximum size of a file in bytes.
const MAX_BYTES: u64 = MAX_MEGABYTES << 20;

/// The maximum number of files and folders in a walk.
pub const MAX_ENTRIES: usize = 20_000;

/// Reads a text file, without its byte order mark, if it has one.
///
/// # Errors
/// It cannot be read, is not a regular file, is too large, or is not UTF-8.
pub fn text(path: &Path) -> Result<String, Unusable> {
    let bytes = open(path).and_then(|file| whole(path, file))?;
    text_of(path, bytes)
}

/// Reads the standard input as text, to its end.
///
/// # Errors
/// It cannot be read, is too large, or is not UTF-8.
pub fn standard_input() -> Result<String, Unusable> {
    let name = Path::new("the standard input");
    text_of(name, whole(name, io::stdin().lock())?)
}

/// Makes sure that a file is a regular one of allowed size, if there is one of that name.
///
/// # Errors
/// It is something else, or too large.
pub(crate) fn regular_if_any(path: &Path) -> Result<(), Unusable> {
    std::fs::metadata(path).map_or(Ok(()), |found| regular(path, &found))
}

/// Opens a regular file. Its type is checked before opening (a pipe would wait for a writer) and after (it may be
/// another file by then).
fn open(path: &Path) -> Result<File, Unusable> {
    let found = std::fs::metadata(path).map_err(|e| unreadable(path, &e))?;
    regular(path, &found)?;
    let file = File::open(path).map_err(|e| unreadable(path, &e))?;
    let opened = file.metadata().map_err(|e| unreadable(path, &e))?;
    regular(path, &opened)?;
    Ok(file)
}

fn regular(path: &Path, found: &Metadata) -> Result<(), Unusable> {
    if found.is_dir() {
        return Err(Unusable::new(format!("{} is a folder", path.display()), "name a file in it"));
    }
    if !found.is_file() {
        let message = format!("{} is {}, not a regular file", path.display(), what(found));
        return Err(Unusable::new(message, "write its text into a file first, and name that file"));
    }
    if found.len() > MAX_BYTES { Err(too_large(path)) } else { Ok(()) }
}

/// What something is that is neither a file nor a folder.
#[cfg(unix)]
fn what(found: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = found.file_type();
    match () {
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () if kind.is_char_device() || kind.is_block_device() => "a device",
        () => "something else",
    }
}

/// What something is that is neither a file nor a folder.
#[cfg(not(unix))]
fn what(_: &Metadata) -> &'static str {
    "something else"
}

fn too_large(path: &Path) -> Unusable {
    let message = format!("{} is larger than {MAX_MEGABYTES} MB", path.display());
    Unusable::new(message, "a file that is read has at most that much; split it, or take out what is not needed")
}

/// Reads a whole file. Some have more content than their size says, or no end.
///
/// # Errors
/// It cannot be read, or is too large.
pub(crate) fn whole(path: &Path, file: impl Read) -> Result<Vec<u8>, Unusable> {
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| unreadable(path, &e))?;
    if bytes.len() as u64 > MAX_BYTES { Err(too_large(path)) } else { Ok(bytes) }
}

/// Bytes as text.
///
/// # Errors
/// They are not UTF-8.
pub(crate) fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, Unusable> {
    let text = String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let line = e.as_bytes().get(..at).unwrap_or(&[]);
        let line = line.iter().filter(|b| **b == b'\n').count() + 1;
        Unusable::new(
            format!("{} is not UTF-8 text (line {line})", path.display()),
            "save the file with the encoding UTF-8",
        )
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

fn unreadable(path: &Path, error: &io::Error) -> Unusable {
    let help = match error.kind() {
        io::ErrorKind::NotFound => "check the path; it is relative to where you are now",
        io::ErrorKind::PermissionDenied => "you may not read it: look at its permissions",
        _ => "",
    };
    Unusable::new(format!("cannot read {}: {error}", path.display()), help)
}

/// The wanted files below a folder, in the order of their paths, down to a depth. Hidden files and folders are skipped,
/// and so are links to folders, which lead elsewhere or in a ring.
///
/// # Errors
/// A folder cannot be read, or there is too much in it.
pub fn walk(folder: &Path, deep: usize, wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, Unusable> {
    let (mut files, mut met) = (Vec::new(), 0);
    let mut todo = vec![(folder.to_owned(), 0)];
    while let Some((dir, depth)) = todo.pop() {
        for entry in std::fs::read_dir(&dir).map_err(|e| unreadable(&dir, &e))? {
            let entry = entry.map_err(|e| unreadable(&dir, &e))?;
            met += 1;
            if met > MAX_ENTRIES {
                let message = format!("there are more than {MAX_ENTRIES} files in {}", folder.display());
                return Err(Unusable::new(message, "name a folder that holds nothing but a game"));
            }
            let path = entry.path();
            if hidden(&path) {
                continue;
            }
            if entry.file_type().map_err(|e| unreadable(&path, &e))?.is_dir() {
                if depth < deep {
                    todo.push((path, depth + 1));
                }
            } else if wanted(&path) && !path.is_dir() {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|n| n.as_encoded_bytes().starts_with(b"."))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_a_file_is_read_and_a_device_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("a.law"), "\u{feff}game x").unwrap();
        std::os::unix::fs::symlink(at("a.law"), at("b.law")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("c.law")).unwrap();
        assert_eq!(text(&at("b.law")).unwrap(), "game x");
        let refused = text(&at("c.law")).unwrap_err();
        assert!(refused.message.contains("a device, not a regular file"), "{refused}");
        assert!(regular_if_any(&at("gone")).is_ok());
        assert!(regular_if_any(&at("c.law")).is_err());
    }

    #[test]
    fn a_file_of_too_many_bytes_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let large = dir.path().join("large.record");
        File::create(&large).unwrap().set_len(MAX_BYTES + 1).unwrap();
        assert!(text(&large).unwrap_err().message.contains("larger than 64 MB"));
    }

    #[test]
    fn a_walk_does_not_leave_its_folder() {
        let dir = tempfile::tempdir().unwrap();
        let (own, other) = (dir.path().join("own"), dir.path().join("other"));
        for folder in [&own.join("in"), &other] {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join("a.law"), "").unwrap();
        }
        std::os::unix::fs::symlink(&other, own.join("away")).unwrap();
        std::os::unix::fs::symlink(&own, own.join("round.law")).unwrap();
        assert_eq!(walk(&own, 4, |_| true).unwrap(), [own.join("in/a.law")]);
    }
}
