//! The standard output, locked and buffered, with colours only where a person looks at it.
//!
//! When nobody reads it any more (`| head`), commands go on in silence: what they answer is in their exit code, too.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value as Json;

/// Where commands print.
pub struct Screen {
    out: BufWriter<StdoutLock<'static>>,
    colour: bool,
    terminal: bool,
    closed: bool,
}

/// A colour or weight.
#[derive(Clone, Copy, Debug)]
pub enum Style {
    /// For what goes well.
    Good,
    /// For what does not.
    Bad,
    /// For what stands out.
    Bold,
    /// For what matters less.
    Dim,
}

impl Screen {
    /// The standard output.
    pub fn new() -> Screen {
        let out = io::stdout();
        Screen { colour: colour(&out), terminal: out.is_terminal(), closed: false, out: BufWriter::new(out.lock()) }
    }

    /// Whether nobody reads any more.
    pub fn closed(&self) -> bool {
        self.closed
    }

    /// Takes note if nobody reads any more, which is no error.
    fn noted<T>(&mut self, done: io::Result<T>, instead: T) -> io::Result<T> {
        match done {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(instead)
            }
            done => done,
        }
    }

    /// Whether to use colours.
    pub fn colour(&self) -> bool {
        self.colour
    }

    /// The text in a style, if there are colours.
    pub fn styled(&self, style: Style, text: &str) -> String {
        let code = match style {
            _ if !self.colour => return text.to_owned(),
            Style::Good => "32",
            Style::Bad => "31;1",
            Style::Bold => "1",
            Style::Dim => "2",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    /// A JSON value on lines of its own.
    pub fn json(&mut self, value: &Json) -> io::Result<()> {
        writeln!(self, "{value:#}")
    }

    /// Empties the screen of a terminal.
    pub fn clear(&mut self) -> io::Result<()> {
        if self.terminal {
            self.write_all(b"\x1b[2J\x1b[3J\x1b[H")?;
        }
        Ok(())
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        let written = self.out.write(bytes);
        self.noted(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let flushed = self.out.flush();
        self.noted(flushed, ())
    }
}

/// Shows on a terminal how many there are so far of what is counted without knowing how many there will be.
pub fn counter(what: &'static str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {human_pos} {msg}") {
        bar.set_style(style);
    }
    bar.set_message(what);
    bar
}

/// Whether a stream is shown in colours: it is a terminal and `NO_COLOR` is not set.
pub fn colour(stream: &impl IsTerminal) -> bool {
    stream.is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
}
