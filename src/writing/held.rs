//! A file that this process writes again and again, and no other process may write.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
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
            return self.place.stream(text.as_bytes()).map_err(system);
        }
        let mut beside = self.beside()?;
        beside.fill(text).map_err(system)?;
        self.take(beside)
    }

    /// An empty file beside the place, like the file there, which is still as it was.
    fn beside(&self) -> Result<Beside, Refusal> {
        let there = self.there()?;
        Beside::new(&self.place.real, there.as_ref()).map_err(|e| Refusal::system(&self.place.named, e))
    }

    /// The file there, which is still as it was; `None` if there is none.
    fn there(&self) -> Result<Option<Metadata>, Refusal> {
        let there = match self.place.real.symlink_metadata() {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            there => there.map_err(|e| Refusal::system(&self.place.named, e))?,
        };
        self.unchanged(&there)?;
        Ok(Some(there))
    }

    /// A file that was written beside the place takes it.
    fn take(&mut self, beside: Beside) -> Result<(), Refusal> {
        let system = |e| Refusal::system(&self.place.named, e);
        let written = match self.there()? {
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

    /// Begins to write the whole file part by part.
    ///
    /// # Errors
    /// Another program has changed it; or there can be no file.
    pub fn in_parts(self) -> Result<Parts, Refusal> {
        let beside = if self.place.is_stream() { None } else { Some(self.beside()?) };
        Ok(Parts { held: self, beside })
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

/// A file that is written part by part. It takes its place when it is whole; before that, what was there is there.
#[derive(Debug)]
pub struct Parts {
    held: Held,
    /// Where the parts are; `None` if they go to a device or pipe.
    beside: Option<Beside>,
}

impl Parts {
    /// The file is whole, and takes its place.
    ///
    /// # Errors
    /// Another program has changed what is there; or it cannot be written, and then it is as it was.
    pub fn finish(mut self) -> Result<(), Refusal> {
        let Some(beside) = self.beside.take() else { return Ok(()) };
        beside.sync().map_err(|e| Refusal::system(&self.held.place.named, e))?;
        self.held.take(beside)
    }
}

impl Write for Parts {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        match &mut self.beside {
            Some(beside) => beside.add(part)?,
            None => self.held.place.stream(part)?,
        }
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Opens a file to lock it, which whoever may only read or only write it can.
fn open(path: &Path) -> io::Result<File> {
    File::open(path).or_else(|e| match e.kind() {
        ErrorKind::PermissionDenied => OpenOptions::new().write(true).open(path),
        _ => Err(e),
    })
}
