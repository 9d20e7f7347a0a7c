//! The results of a mutation run, kept in a file line by line, so that the run can be stopped and continued.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::library::Unusable;
use crate::{reading, writing};

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// The checker refuses the rules, with its first message.
    Refused(String),
    /// A case or record fails.
    Caught {
        /// Its name.
        by: String,
        /// The digest of its text.
        item: u64,
        /// Whether it is a record.
        record: bool,
    },
    /// All cases and records that reach it still pass: how many, and the digest of all there are.
    Survived {
        /// How many cases and records reached it.
        asked: usize,
        /// Of all cases and records.
        suite: u64,
    },
}

/// The first line of the file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    mutants: String,
    rules: u64,
    form: u32,
}

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    id: String,
    fate: Fate,
}

/// The form of the file that is written.
const FORM: u32 = 1;

/// The file.
pub struct MutationLog {
    file: Option<Mutex<File>>,
    known: HashMap<String, Fate>,
}

impl MutationLog {
    /// An empty log that is not kept in a file.
    #[must_use]
    pub fn none() -> MutationLog {
        MutationLog { file: None, known: HashMap::new() }
    }

    /// Opens or creates a file. Results for other rules (by their digest) are discarded.
    ///
    /// # Errors
    /// It cannot be read or written, or is some other file.
    pub fn open(path: &Path, game: &str, rules: u64) -> Result<MutationLog, Unusable> {
        let cannot = |e: &std::io::Error| {
            Unusable::new(format!("cannot write {}: {e}", path.display()), "choose another place with --state FILE")
        };
        let head = Head { mutants: game.to_owned(), rules, form: FORM };
        reading::regular_if_any(path)?;
        // Locked before it is read: two runs that write to the same file would spoil each other's lines.
        let elsewhere = |e: writing::Refusal| Unusable::new(e.to_string(), "choose another place with --state FILE");
        let mut file = writing::grow(path).map_err(elsewhere)?;
        let bytes = if file.metadata().is_ok_and(|m| m.is_file()) { reading::whole(path, &file)? } else { Vec::new() };
        let text = String::from_utf8_lossy(&bytes);
        let mut lines = text.lines();
        // The first line may have been cut off, too.
        let opening = format!("{{\"mutants\":{}", serde_json::to_string(game).unwrap_or_default());
        let cut = !text.contains('\n') && (text.starts_with(&opening) || opening.starts_with(&*text));
        let first = lines.next().filter(|_| !cut).map(serde_json::from_str::<Head>);
        let same = match &first {
            None => false,
            Some(Ok(found)) if found.mutants == game => *found == head,
            Some(found) => {
                let message = match found {
                    Ok(found) => format!("{} is about mutants of {}", path.display(), found.mutants),
                    Err(_) => format!("{} is not a list of mutants", path.display()),
                };
                return Err(Unusable::new(message, "choose another place with --state FILE, or remove it"));
            }
        };
        let mut known = HashMap::new();
        if same {
            // The last line may have been cut off.
            known.extend(lines.filter_map(|l| serde_json::from_str::<Line>(l).ok()).map(|l| (l.id, l.fate)));
        }
        let begun = if same {
            let whole = text.rfind('\n').map_or(0, |at| at + 1) as u64;
            file.set_len(whole).and_then(|()| file.seek(SeekFrom::End(0))).map(|_| ())
        } else {
            let head = serde_json::to_string(&head).unwrap_or_default();
            emptied(&mut file).and_then(|()| writeln!(file, "{head}"))
        };
        begun.map_err(|e| cannot(&e))?;
        Ok(MutationLog { file: Some(Mutex::new(file)), known })
    }

    /// The known result of a mutant.
    #[must_use]
    pub fn known(&self, id: &str) -> Option<&Fate> {
        self.known.get(id)
    }

    /// Records the result of a mutant.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&self, id: &str, fate: &Fate) -> std::io::Result<()> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let mut line = serde_json::to_string(&Line { id: id.to_owned(), fate: fate.clone() })?;
        line.push('\n');
        file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes())
    }
}

/// Truncates a file; a device or pipe cannot be truncated.
fn emptied(file: &mut File) -> std::io::Result<()> {
    if !file.metadata()?.is_file() {
        return Ok(());
    }
    file.set_len(0)?;
    file.rewind()
}
