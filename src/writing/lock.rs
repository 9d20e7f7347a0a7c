//! Locks on open files.

use std::fs::{File, TryLockError};
use std::path::Path;

/// Who holds the lock of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// Locked by this process, until the file is closed.
    Ours,
    /// Locked by another process.
    Busy,
    /// This file system has no locks.
    Unknown,
}

impl Lock {
    /// Locks a file if nobody else has.
    pub fn of(file: &File) -> Lock {
        match file.try_lock() {
            Ok(()) => Lock::Ours,
            Err(TryLockError::WouldBlock) => Lock::Busy,
            Err(TryLockError::Error(_)) => Lock::Unknown,
        }
    }
}

/// Whether the open file is the one with that name.
#[cfg(unix)]
pub fn stands(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), path.symlink_metadata()) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// Whether the open file is the one with that name.
#[cfg(not(unix))]
pub fn stands(_: &File, path: &Path) -> bool {
    path.exists()
}
