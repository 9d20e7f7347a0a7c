//! The terminal as a whole screen, put back as it was when it is left.

use std::io::{self, IsTerminal as _, Stdout};
use std::panic;
use std::sync::Once;
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::layout::Rect;

use crate::cli::interrupt;

use super::draw::{Laid, draw};
use super::scene::Scene;

/// How often is looked whether the terminal is still there.
const LOOKS: Duration = Duration::from_secs(1);

/// The whole screen of a terminal.
pub struct FullScreen(Terminal<CrosstermBackend<Stdout>>);

impl FullScreen {
    /// Takes the terminal.
    ///
    /// # Errors
    /// The terminal cannot do it.
    pub fn open() -> io::Result<FullScreen> {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            leave();
            hook(info);
        }));
        // Told to end, it puts the terminal back first.
        let _ = interrupt::asked();
        end_with_the_terminal();
        enable_raw_mode()?;
        let opened = execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture)
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        // A program that was killed may have left something on the screen.
        match opened.and_then(|mut terminal| terminal.clear().map(|()| terminal)) {
            Ok(terminal) => Ok(FullScreen(terminal)),
            Err(error) => {
                leave();
                Err(error)
            }
        }
    }

    /// Its columns and lines.
    pub fn area(&self) -> Rect {
        self.0.size().map_or(Rect::default(), |size| Rect { x: 0, y: 0, width: size.width, height: size.height })
    }

    /// Draws a scene.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn draw(&mut self, scene: &Scene) -> io::Result<Laid> {
        let mut laid = Laid::default();
        self.0.draw(|frame| {
            let area = frame.area();
            laid = draw(scene, area, frame.buffer_mut());
            frame.set_cursor_position(laid.cursor);
        })?;
        Ok(laid)
    }

    /// Draws everything anew the next time.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn forget(&mut self) -> io::Result<()> {
        self.0.clear()
    }
}

impl Drop for FullScreen {
    fn drop(&mut self) {
        leave();
    }
}

/// Ends the process once the terminal is gone: to read from one that hung up never ends. What was played is in the
/// record by then.
fn end_with_the_terminal() {
    static WATCHED: Once = Once::new();
    let watch = || {
        while io::stdin().is_terminal() {
            std::thread::sleep(LOOKS);
        }
        std::process::exit(interrupt::CODE.into());
    };
    WATCHED.call_once(|| {
        let _ = std::thread::Builder::new().spawn(watch);
    });
}

/// Puts the terminal back as it was. What fails here fails because nobody looks any more.
fn leave() {
    let _ = execute!(io::stdout(), DisableMouseCapture, LeaveAlternateScreen, ratatui::crossterm::cursor::Show);
    let _ = disable_raw_mode();
}
