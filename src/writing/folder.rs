//! A folder of files that belong together.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{Place, Policy, Refusal};

/// A folder to write files into, after checking it.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    policy: Policy,
    /// It is not there yet.
    missing: bool,
}

impl Folder {
    /// Looks at a folder. Nothing is written. It may be missing, but not the one around it.
    ///
    /// # Errors
    /// There are files in it that were not written for it and may not be overwritten; it is a file.
    pub fn new(path: &Path, policy: Policy) -> Result<Folder, Refusal> {
        let system = |e| Refusal::system(path, e);
        let folder = |missing| Folder { path: path.to_owned(), policy, missing };
        match std::fs::metadata(path) {
            Err(e) if e.kind() == ErrorKind::NotFound => {
                let around = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
                std::fs::metadata(around).map_err(system)?;
                Ok(folder(true))
            }
            Err(e) => Err(system(e)),
            Ok(there) if !there.is_dir() => Err(Refusal::File(path.to_owned())),
            Ok(_) => {
                let filled = std::fs::read_dir(path).map_err(system)?.next().is_some();
                if filled && policy == Policy::New {
                    return Err(Refusal::Filled(path.to_owned()));
                }
                Ok(folder(false))
            }
        }
    }

    /// Writes the files, each whole or not at all. What else is in the folder stays.
    ///
    /// # Errors
    /// A file is in use, or cannot be written. Those before it are written then.
    pub fn write<'a>(self, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<(), Refusal> {
        if self.missing {
            std::fs::create_dir(&self.path).map_err(|e| Refusal::system(&self.path, e))?;
        }
        for (name, text) in files {
            Place::new(&self.path.join(name), self.policy)?.write(text)?;
        }
        Ok(())
    }
}
