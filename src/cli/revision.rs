//! The files of a game as they were at a revision that git keeps.

use std::path::Path;
use std::process::Command;

use lawspeaker::library::{self, Folder, Unusable};

/// A folder at a revision.
pub fn folder_at(folder: &str, revision: &str) -> Result<Folder, Unusable> {
    let path = Path::new(folder);
    if !path.is_dir() {
        let help = "--base is for a folder that git keeps; a shipped game has no earlier revision";
        return Err(Unusable::new(format!("{folder} is not a folder"), help));
    }
    let listed = git(path, revision, &["ls-tree", "-r", "-z", "--name-only", revision, "."])?;
    let mut files = Vec::new();
    for name in listed.split('\0').filter(|name| library::belongs(Path::new(name))) {
        files.push((name.to_owned(), git(path, revision, &["show", &format!("{revision}:./{name}")])?));
    }
    files.sort();
    if !files.iter().any(|(name, _)| name.ends_with(".law")) {
        let message = format!("there are no .law files in {folder} at {revision}");
        return Err(Unusable::new(message, "name a revision in which the rules are there"));
    }
    Ok(Folder { name: format!("{folder} at {revision}"), files, root: None })
}

/// What git answers in a folder.
fn git(folder: &Path, revision: &str, args: &[&str]) -> Result<String, Unusable> {
    if revision.starts_with('-') {
        return Err(Unusable::new(format!("there is no revision {revision}"), "write a branch, a tag or a commit"));
    }
    let out = Command::new("git").arg("-C").arg(folder).args(args).output();
    let out = out.map_err(|e| Unusable::new(format!("cannot run git: {e}"), "--base needs git"))?;
    if !out.status.success() {
        let why = String::from_utf8_lossy(&out.stderr);
        let why = why.lines().next().unwrap_or("it gives no reason").trim_start_matches("fatal: ").to_owned();
        let message = format!("git does not give {} at {revision}: {why}", folder.display());
        return Err(Unusable::new(message, "name a revision that `git log` shows in this folder"));
    }
    String::from_utf8(out.stdout).map_err(|_| {
        Unusable::new(format!("a file in {} at {revision} is not text", folder.display()), "keep rules as UTF-8")
    })
}
