//! A file that this process writes again and again, and no other process may write.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::SystemTime;

use super::Refusal;
use super::beside::Beside;
use super::lock::{Lock, stands};
use super::place::{Place, Policy};

/// A place that this process holds.
#[derive(Debug)]
pub struct Held {
    place: Place,
    /// The file that stands there, locked; nothing before it is made.
    file: Option<File>,
    /// Its length and time when it was read or written last.
    stamp: Option<Stamp>,
}

type Stamp = (u64, Option<SystemTime>);

fn stamp(of: &Metadata) -> Stamp {
    (of.len(), of.modified().ok())
}

impl Held {
    /// Locks the file at a place, if there is one.
    pub(super) fn new(place: Place) -> Result<Held, Refusal> {
        let mut held = Held { place, file: None, stamp: None };
        if held.place.is_stream() || held.place.policy == Policy::New {
            return Ok(held);
        }
        let named = held.place.named.clone();
        loop {
            let file = match open(&held.place.real) {
                Err(e) if e.kind() == ErrorKind::NotFound => return Ok(held),
                opened => opened.map_err(|e| Refusal::system(&named, e))?,
            };
            if Lock::of(&file) == Lock::Busy {
                return Err(Refusal::Busy(named));
            }
            // The process that held it before may have put another file in its place.
            if stands(&file, &held.place.real) {
                held.stamp = file.metadata().ok().as_ref().map(stamp);
                held.file = Some(file);
                return Ok(held);
            }
        }
    }

    /// Where it is, as it was named.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.place.named
    }

    /// Whether the file was read before it is written.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.place.policy == Policy::Own
    }

    /// Whether what is written goes to a device or pipe, and is not kept.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.place.is_stream()
    }

    /// Writes the whole file.
    ///
    /// # Errors
    /// Another program has changed it since it was written last; or it cannot be written, and then it is as it was.
    pub fn write(&mut self, text: &str) -> Result<(), Refusal> {
        let system = |e| Refusal::system(&self.place.named, e);
        if self.place.is_stream() {
            return self.place.stream(text).map_err(system);
        }
        let there = match self.place.real.symlink_metadata() {
            Err(e) if e.kind() == ErrorKind::NotFound => None,
            there => Some(there.map_err(system)?),
        };
        if let Some(there) = &there {
            self.unchanged(there)?;
        }
        let mut beside = Beside::new(&self.place.real, there.as_ref()).map_err(system)?;
        beside.fill(text).map_err(system)?;
        let written = match there {
            Some(_) => beside.over(&self.place.real),
            None => beside.first(&self.place.real),
        };
        let file = written.map_err(|e| match e.kind() {
            ErrorKind::AlreadyExists => Refusal::There(self.place.named.clone()),
            _ => system(e),
        })?;
        self.stamp = file.as_ref().and_then(|f| f.metadata().ok()).as_ref().map(stamp);
        self.file = file;
        Ok(())
    }

    /// Whether the file there is the one that is held, unchanged.
    fn unchanged(&self, there: &Metadata) -> Result<(), Refusal> {
        let named = || self.place.named.clone();
        let Some(file) = &self.file else {
            return Err(Refusal::There(named()));
        };
        let same = stands(file, &self.place.real) && self.stamp == Some(stamp(there));
        if same { Ok(()) } else { Err(Refusal::Changed(named())) }
    }
}

/// Opens a file to lock it, which whoever may only read or only write it can.
fn open(path: &Path) -> io::Result<File> {
    File::open(path).or_else(|e| match e.kind() {
        ErrorKind::PermissionDenied => OpenOptions::new().write(true).open(path),
        _ => Err(e),
    })
}
