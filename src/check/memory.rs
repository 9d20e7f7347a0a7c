//! What was read of the files of a game before.

use std::collections::HashMap;
use std::sync::Arc;

use crate::syntax::{self, SyntaxFault, tree};

/// What was read of rule files before: a check that is given it reads only those again that have changed since.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// By number and name of the file; places in a tree have the number.
    files: HashMap<(u32, String), Arc<Kept>>,
}

/// A file as it was read.
#[derive(Debug)]
struct Kept {
    text: String,
    tree: tree::File,
    faults: Vec<SyntaxFault>,
}

impl Memory {
    /// Reads a file, or remembers it.
    pub(super) fn read(&mut self, file: u32, name: &str, text: &str) -> (tree::File, Vec<SyntaxFault>) {
        let key = (file, name.to_owned());
        if let Some(kept) = self.files.get(&key).filter(|kept| kept.text == text) {
            return (kept.tree.clone(), kept.faults.clone());
        }
        let (tree, faults) = syntax::parse(file, text);
        let kept = Kept { text: text.to_owned(), tree: tree.clone(), faults: faults.clone() };
        self.files.insert(key, Arc::new(kept));
        (tree, faults)
    }

    /// Forgets all but these files, by name.
    pub(super) fn keep(&mut self, files: &[(String, String)]) {
        self.files.retain(|(_, name), kept| files.iter().any(|(n, text)| n == name && *text == kept.text));
    }
}
