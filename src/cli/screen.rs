//! The standard output, locked and buffered, with colours only where a person looks at it.
//!
//! When nobody reads it any more (`| head`), commands go on in silence: what they answer is in their exit code, too.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lawspeaker::check::Diagnostic;
use lawspeaker::report::Mistake;
use lawspeaker::span::Sources;
use lawspeaker::{map, plain, report};
use serde_json::Value as Json;

/// The columns of a line that is broken between words.
pub const COLUMNS: usize = 80;

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

    /// The columns and lines of the terminal; `None` if it is none.
    pub fn size(&self) -> Option<(usize, usize)> {
        let (columns, lines) = terminal_size::terminal_size().filter(|_| self.terminal)?;
        Some((columns.0.into(), lines.0.into()))
    }

    /// Whether nobody reads any more.
    pub fn closed(&self) -> bool {
        self.closed
    }

    /// Writes a text with what steers a terminal written out.
    fn plain(&mut self, bytes: &[u8]) -> io::Result<()> {
        for chunk in bytes.utf8_chunks() {
            let text = chunk.valid();
            let mut done = 0;
            for (at, c) in text.char_indices() {
                let Some(instead) = written(c, self.colour) else { continue };
                self.out.write_all(text.as_bytes().get(done..at).unwrap_or_default())?;
                self.out.write_all(instead.as_bytes())?;
                done = at + c.len_utf8();
            }
            self.out.write_all(text.as_bytes().get(done..).unwrap_or_default())?;
            if !chunk.invalid().is_empty() {
                self.out.write_all("\u{fffd}".as_bytes())?;
            }
        }
        Ok(())
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

    /// The text in a style, if there are colours.
    pub fn styled(&self, style: Style, text: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        let mark = match style {
            Style::Good => GOOD,
            Style::Bad => BAD,
            Style::Bold => BOLD,
            Style::Dim => DIM,
        };
        format!("{mark}{text}{END}")
    }

    /// A JSON value on lines of its own.
    pub fn json(&mut self, value: &Json) -> io::Result<()> {
        let text = format!("{value:#}\n");
        self.as_it_is(&plain::json(&text))
    }

    /// A script for a shell, as it is.
    pub fn script(&mut self, text: &str) -> io::Result<()> {
        self.as_it_is(text)
    }

    /// Faults of rules. They bring their own colours, and nothing else that steers a terminal.
    pub fn faults(&mut self, diagnostics: &[Diagnostic], sources: &Sources) -> io::Result<()> {
        let text = report::all(diagnostics, sources, self.colour);
        if text.is_empty() { Ok(()) } else { self.as_it_is(&(text + "\n")) }
    }

    /// A mistake in a text with its place. It brings its own colours, too.
    pub fn mistake(&mut self, name: &str, text: &str, mistake: &Mistake<'_>) -> io::Result<()> {
        self.as_it_is(&(report::quoted(name, text, mistake, self.colour) + "\n"))
    }

    /// A text behind some blanks, broken between its words.
    pub fn indented(&mut self, indent: usize, text: &str) -> io::Result<()> {
        self.write_all(broken(indent, text).as_bytes())
    }

    fn as_it_is(&mut self, text: &str) -> io::Result<()> {
        let done = self.out.write_all(text.as_bytes());
        self.noted(done, ())
    }

    /// Empties the screen of a terminal.
    pub fn clear(&mut self) -> io::Result<()> {
        if self.terminal {
            self.out.write_all(b"\x1b[2J\x1b[3J\x1b[H")?;
        }
        Ok(())
    }
}

/// Where styles begin and end in a text on its way to the screen: code points that Unicode keeps for such use inside a
/// program. A text that has them itself gets a style and nothing else.
const GOOD: char = '\u{fdd0}';
const BAD: char = '\u{fdd1}';
const BOLD: char = '\u{fdd2}';
const DIM: char = '\u{fdd3}';
const END: char = '\u{fdd4}';

/// What is written for a character; `None` for the character itself.
fn written(c: char, colour: bool) -> Option<String> {
    let code = match c {
        GOOD => "32",
        BAD => "31;1",
        BOLD => "1",
        DIM => "2",
        END => "0",
        _ if plain::steers(c) => return Some(c.escape_unicode().to_string()),
        _ => return None,
    };
    Some(if colour { format!("\u{1b}[{code}m") } else { String::new() })
}

/// The one way to the screen for all that commands say: whatever names and files say, nothing in it steers a terminal.
impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        let written = self.plain(bytes);
        self.noted(written, ())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let flushed = self.out.flush();
        self.noted(flushed, ())
    }
}

/// A text as lines behind some blanks, broken between its words.
pub fn broken(indent: usize, text: &str) -> String {
    let (mut line, mut lines) = (String::new(), Vec::new());
    for word in text.split(' ') {
        if !line.is_empty() && indent + map::columns(&line) + 1 + map::columns(word) > COLUMNS {
            // What goes on stands a little farther in.
            lines.push(std::mem::replace(&mut line, String::from("  ")));
        } else if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.iter().map(|line| format!("{:indent$}{line}\n", "")).collect()
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

/// Shows on a terminal how many games were played, and how long the others will take; their number is set when it is
/// known.
pub fn games_bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len} games, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// Whether a stream is shown in colours: it is a terminal and `NO_COLOR` is not set.
pub fn colour(stream: &impl IsTerminal) -> bool {
    stream.is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
}
