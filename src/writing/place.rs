//! Where a file is written, and whether it may be.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::{Held, Refusal, beside};

/// What may be overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Nothing.
    New,
    /// The file that was read.
    Own,
    /// Whatever is there.
    Forced,
}

impl Policy {
    /// Of a file named after an option, with `--force` or without.
    #[must_use]
    pub fn forced(force: bool) -> Policy {
        if force { Policy::Forced } else { Policy::New }
    }
}

/// What is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A file, or nothing yet.
    File,
    /// The standard output of this process.
    Stdout,
    /// Its standard error.
    Stderr,
    /// A device, a pipe, or another open file.
    Stream,
}

/// A place to write to, after checking it.
#[derive(Clone, Debug)]
pub struct Place {
    /// As it was named.
    pub(super) named: PathBuf,
    /// Without symbolic links.
    pub(super) real: PathBuf,
    pub(super) policy: Policy,
    kind: Kind,
}

/// The number of links that are followed in turn.
const LINKS: usize = 40;

impl Place {
    /// Looks at a place, and removes beside it what killed processes left. Nothing is written.
    ///
    /// # Errors
    /// Something is there that may not be overwritten, or the folder is missing.
    pub fn new(path: &Path, policy: Policy) -> Result<Place, Refusal> {
        let (real, kind) = resolved(path)?;
        let place = Place { named: path.to_owned(), real, policy, kind };
        if kind == Kind::File {
            if let Some(folder) = place.real.parent() {
                beside::sweep(folder);
            }
            if let Ok(there) = place.real.symlink_metadata() {
                if policy == Policy::New {
                    return Err(Refusal::There(place.named));
                }
                if there.permissions().readonly() {
                    return Err(Refusal::ReadOnly(place.named));
                }
            }
        }
        Ok(place)
    }

    /// Whether the text goes to a device or pipe, and is not kept.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.kind != Kind::File
    }

    /// Writes the file once.
    ///
    /// # Errors
    /// It is in use, or cannot be written; or a file has come up there.
    pub fn write(self, text: &str) -> Result<(), Refusal> {
        self.hold()?.write(text)
    }

    /// Holds the place, so that no other process writes there.
    ///
    /// # Errors
    /// Another process does.
    pub fn hold(self) -> Result<Held, Refusal> {
        Held::new(self)
    }

    /// Writes to a device or pipe.
    pub(super) fn stream(&self, part: &[u8]) -> io::Result<()> {
        let written = match self.kind {
            Kind::Stdout => print(&mut io::stdout().lock(), part),
            Kind::Stderr => print(&mut io::stderr().lock(), part),
            Kind::Stream | Kind::File => {
                return OpenOptions::new().append(true).open(&self.real)?.write_all(part);
            }
        };
        match written {
            // As for everything printed: nobody reads it any more.
            Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }
}

fn print(out: &mut dyn io::Write, part: &[u8]) -> io::Result<()> {
    out.write_all(part)?;
    out.flush()
}

/// Removes what killed processes left where this file is written.
pub fn tidy(path: &Path) {
    if let Ok((real, Kind::File)) = resolved(path)
        && let Some(folder) = real.parent()
    {
        beside::sweep(folder);
    }
}

/// Follows symbolic links, also to where nothing is yet.
fn resolved(path: &Path) -> Result<(PathBuf, Kind), Refusal> {
    let system = |e| Refusal::system(path, e);
    let mut at = path.to_owned();
    for _ in 0..LINKS {
        at = absolute(&at).map_err(system)?.ok_or_else(|| Refusal::Folder(path.to_owned()))?;
        if let Some(kind) = opened(&at) {
            return Ok((at, kind));
        }
        let there = match at.symlink_metadata() {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok((at, Kind::File)),
            there => there.map_err(system)?,
        };
        if there.is_dir() {
            return Err(Refusal::Folder(path.to_owned()));
        }
        if is_disk(&there) {
            return Err(Refusal::Disk(path.to_owned()));
        }
        if !there.is_symlink() {
            return Ok((at, if there.is_file() { Kind::File } else { Kind::Stream }));
        }
        let to = std::fs::read_link(&at).map_err(system)?;
        at = at.parent().unwrap_or(Path::new("/")).join(to);
    }
    Err(system(io::Error::other("too many symbolic links")))
}

/// The file in its folder without links; `None` if it names no file.
fn absolute(path: &Path) -> io::Result<Option<PathBuf>> {
    let slashed = path.as_os_str().as_encoded_bytes().last().is_some_and(|b| std::path::is_separator(char::from(*b)));
    let Some(name) = path.file_name().filter(|_| !slashed) else {
        return Ok(None);
    };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(Some(folder.canonicalize()?.join(name)))
}

/// What a path means that names an open file of a process. Such a file is never replaced, whatever it is.
fn opened(path: &Path) -> Option<Kind> {
    if path == Path::new("/dev/stdout") {
        return Some(Kind::Stdout);
    }
    if path == Path::new("/dev/stderr") {
        return Some(Kind::Stderr);
    }
    let text = path.to_str()?;
    let (process, number) = text.strip_prefix("/proc/")?.split_once("/fd/")?;
    let own = process.parse() == Ok(std::process::id());
    Some(match number {
        "1" if own => Kind::Stdout,
        "2" if own => Kind::Stderr,
        _ => Kind::Stream,
    })
}

#[cfg(unix)]
fn is_disk(there: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    there.file_type().is_block_device()
}

#[cfg(not(unix))]
fn is_disk(_: &std::fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_files_are_known_by_their_names() {
        let own = format!("/proc/{}/fd/", std::process::id());
        for (name, kind) in [
            (String::from("/dev/stdout"), Some(Kind::Stdout)),
            (String::from("/dev/stderr"), Some(Kind::Stderr)),
            (own.clone() + "1", Some(Kind::Stdout)),
            (own.clone() + "2", Some(Kind::Stderr)),
            (own + "7", Some(Kind::Stream)),
            (String::from("/proc/1/fd/1"), Some(Kind::Stream)),
            (String::from("/dev/null"), None),
            (String::from("/tmp/stdout"), None),
        ] {
            assert_eq!(opened(Path::new(&name)), kind, "{name}");
        }
    }
}
