//! The program as a person runs it, in a folder of its own.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// The program with arguments, in a folder; nothing is typed, and all that it prints is taken.
pub fn program(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lawspeaker"));
    command.args(args).current_dir(folder).env("COLUMNS", "100").env_remove("NO_COLOR");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a command to its end with a typed text.
pub fn typed(mut command: Command, text: &str) -> Output {
    finish(command.stdin(Stdio::piped()).spawn().unwrap(), text)
}

/// Types a text to a process and waits for its end.
pub fn finish(mut child: Child, text: &str) -> Output {
    // A command that asks nothing may be gone before it has read this.
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    child.wait_with_output().unwrap()
}

pub fn utf8(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What was printed on both streams.
pub fn both(output: &Output) -> String {
    utf8(&output.stdout) + &utf8(&output.stderr)
}

/// What was printed on both streams, without colours; the exit code must be this.
pub fn checked(output: &Output, code: i32, args: &[&str]) -> String {
    let text = both(output);
    let shown = || text.chars().take(3000).collect::<String>();
    assert_eq!(output.status.code(), Some(code), "{args:?} said:\n{}", shown());
    assert!(!text.contains('\u{1b}'), "colours in\n{}", shown());
    text
}

pub fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` in:\n{text}");
    }
}

/// A folder to work in.
pub struct Session {
    pub dir: TempDir,
}

impl Session {
    /// An empty folder.
    pub fn empty() -> Session {
        Session { dir: tempfile::tempdir().unwrap() }
    }

    /// A folder with the small game that `new` writes in `nim`.
    pub fn with_nim() -> Session {
        let session = Session::empty();
        session.says(0, &["new", "nim"]);
        session
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Writes a file, and the folders it lies in.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Replaces a part of a file, which must be there.
    pub fn change(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{from} in {text}");
        self.write(name, text.replace(from, to));
    }

    pub fn command(&self, args: &[&str]) -> Command {
        program(self.dir.path(), args)
    }

    pub fn output(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// All that is printed, on both streams; the exit code must be this.
    pub fn says(&self, code: i32, args: &[&str]) -> String {
        checked(&self.output(args), code, args)
    }

    /// The same for a command that reads a typed text.
    pub fn answers(&self, code: i32, text: &str, args: &[&str]) -> String {
        checked(&typed(self.command(args), text), code, args)
    }
}
