//! The game as a whole screen: the board, what happened, the options and a line to type, side by side.

mod colours;
mod draw;
mod editor;
mod keys;
mod lines;
mod list;
mod panes;
mod scene;
mod stage;
mod terminal;
#[cfg(test)]
mod tests;

use std::io;
use std::time::Duration;

use lawspeaker::game::{Outcome, Question, SeenOption};
use lawspeaker::lexicon::fill;
use lawspeaker::spelling::fold;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::grouped::{completed, matches};
use super::input::{Typed, parse};
use super::prompt::help;
use super::talk::{Leaving, Next, Said, Show, Talk, Turn};
use crate::cli::{Stop, interrupt};
use colours::Colours;
use draw::Laid;
use editor::Editor;
use scene::{Focus, Page, Scene};
use stage::Log;
pub use terminal::FullScreen;

/// A talk on a whole screen.
pub struct Full<'a, 'd> {
    talk: Talk<'a, 'd>,
    screen: FullScreen,
    scene: Scene,
    laid: Laid,
    editor: Editor,
    log: Log,
    /// The cells that matter at this decision.
    near: Vec<u16>,
    /// The option that the completion came to, where several fit.
    cycled: Option<(String, usize)>,
}

/// How often it is looked whether the process was told to end.
const LISTEN: Duration = Duration::from_millis(200);

/// What a key led to.
enum Pressed {
    /// Nothing but another picture.
    Drawn,
    /// A line was typed.
    Line(String),
    /// Somebody leaves.
    Leave,
}

impl<'a, 'd> Full<'a, 'd> {
    /// Before the first picture.
    pub fn new(talk: Talk<'a, 'd>, screen: FullScreen, colour: bool) -> Full<'a, 'd> {
        let scene = stage::empty(talk.table.session, Colours::of(talk.table.session.model(), colour));
        let log = Log::new(talk.table.done.len());
        let (laid, editor) = (Laid::default(), Editor::default());
        Full { talk, screen, scene, laid, editor, log, near: Vec::new(), cycled: None }
    }

    /// Says something at the first decision.
    #[must_use]
    pub fn saying(mut self, message: String) -> Full<'a, 'd> {
        self.scene.message = message;
        self
    }

    /// Plays until the game is over or someone leaves.
    ///
    /// # Errors
    /// A fault of the rules, a record that cannot be written, a terminal that cannot be drawn on.
    pub fn run(&mut self) -> Result<Leaving, Stop> {
        loop {
            let turn = self.talk.turn()?;
            if !matches!(turn, Turn::Over(_)) {
                let broken = self.talk.broken()?;
                self.log.note(self.talk.table.done.len(), broken);
            }
            match &turn {
                Turn::Over(outcome) => {
                    if self.over(outcome)? {
                        return Ok(Leaving::Over);
                    }
                }
                Turn::Person(question, options) => {
                    if self.person(question, options)? == Leaving::Gone {
                        return Ok(Leaving::Gone);
                    }
                }
                Turn::Bot(question) => {
                    self.thinks(question)?;
                    self.talk.play(&turn)?;
                }
                Turn::Chance | Turn::Only(..) => self.talk.play(&turn)?,
            }
            if interrupted(self.talk.eyes().is_none())? {
                return Ok(Leaving::Gone);
            }
        }
    }

    /// Shows that a bot is about to decide, to the one who looks.
    fn thinks(&mut self, question: &Question) -> Result<(), Stop> {
        let name = self.talk.table.session.seat_name(Some(question.seat));
        self.scene.asked = fill(self.scene.words.thinks, &[&name]);
        self.scene.seat = Some(question.seat);
        self.scene.options = Vec::new();
        self.scene.groups = Vec::new();
        self.tell();
        self.board();
        self.picture()
    }

    fn tell(&mut self) {
        let told = self.talk.tell();
        self.log.tell(told);
    }

    fn person(&mut self, question: &Question, options: &[SeenOption]) -> Result<Leaving, Stop> {
        if self.talk.looking != Some(question.seat) {
            let handed = self.talk.hands_over(question.seat);
            if handed && !self.hand_over(question.seat)? {
                return Ok(Leaving::Gone);
            }
            self.talk.look(question.seat, handed);
            if handed {
                self.log = Log::new(self.talk.told);
            }
        }
        self.tell();
        self.decide(question, options);
        for said in self.talk.troubled() {
            if let Said::Bad(text) = said {
                self.scene.message = text;
            }
        }
        loop {
            self.picture()?;
            let line = match self.pressed(options)? {
                Pressed::Drawn => continue,
                Pressed::Line(line) => line,
                Pressed::Leave => return Ok(Leaving::Gone),
            };
            self.scene.message.clear();
            self.scene.page = None;
            if let Some(whole) = self.meant(&line) {
                self.editor.set(&whole);
                self.scene.message = self.scene.words.take_it.to_owned();
                continue;
            }
            let plies = self.talk.table.done.len();
            let next = self.talk.answer(question, options, &line)?;
            let said = self.talk.said();
            if self.talk.table.done.len() <= plies {
                self.log.back_to(self.talk.table.done.len());
            }
            self.says(said);
            match next {
                Next::Again => {}
                Next::Go => return Ok(Leaving::Over),
                Next::Leave => return Ok(Leaving::Gone),
                Next::Show(show) => self.show(&show, options),
            }
        }
    }

    /// The one option that a line means without being it, so that it can be seen before it is taken.
    fn meant(&self, line: &str) -> Option<String> {
        let Typed::Move(text) = parse(line) else { return None };
        if self.scene.options.iter().any(|option| fold(option) == fold(&text)) {
            return None;
        }
        let words = |text: &str| text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).count();
        let mut fits = self.scene.options.iter().filter(|option| matches(option, &text));
        let only = fits.next().filter(|only| words(&text) < words(only))?;
        let written = || self.scene.seat.is_some_and(|seat| self.talk.is_written_so(seat, &text));
        (fits.next().is_none() && !written()).then(|| only.clone())
    }

    /// Lets another person to the screen. `false`: they leave.
    fn hand_over(&mut self, seat: u16) -> Result<bool, Stop> {
        let name = self.talk.table.session.seat_name(Some(seat));
        self.editor.forget();
        let blank = stage::empty(self.talk.table.session, self.scene.colours.clone());
        self.scene = Scene { message: fill(self.talk.words().hand_over, &[&name]), ..blank };
        loop {
            self.picture()?;
            match next_event()? {
                None => return Ok(false),
                Some(Event::Key(key)) if leaves(&key) => return Ok(false),
                Some(Event::Key(key)) if key.kind != KeyEventKind::Release && key.code == KeyCode::Enter => break,
                _ => {}
            }
        }
        self.scene.message.clear();
        Ok(true)
    }

    /// Shows the end until somebody leaves. `false`: plies were taken back, and play goes on.
    fn over(&mut self, outcome: &Outcome) -> Result<bool, Stop> {
        self.tell();
        let words = self.talk.table.session.outcome(outcome);
        self.scene.asked.clone_from(&words);
        self.scene.seat = outcome.winners.first().copied().filter(|_| outcome.winners.len() == 1);
        self.scene.options = Vec::new();
        self.scene.groups = Vec::new();
        let ended = format!("{words}  {}", self.scene.words.over);
        self.scene.message.clone_from(&ended);
        self.board_of(None);
        loop {
            self.picture()?;
            let line = match self.pressed(&[])? {
                Pressed::Drawn => continue,
                Pressed::Leave => return Ok(true),
                Pressed::Line(line) => line,
            };
            self.scene.message.clone_from(&ended);
            if self.scene.page.take().is_some() && line.trim().is_empty() {
                continue;
            }
            let next = self.talk.answer_at_end(&line)?;
            let said = self.talk.said();
            self.says(said);
            match next {
                Next::Again => {}
                Next::Leave => return Ok(true),
                Next::Show(show) => self.show(&show, &[]),
                Next::Go => {
                    self.log.back_to(self.talk.table.done.len());
                    self.scene.message.clear();
                    return Ok(false);
                }
            }
        }
    }

    /// Shows what was said: in a line, or as a page.
    fn says(&mut self, said: Vec<Said>) {
        match said.as_slice() {
            [] => {}
            [Said::Text(text)] if text.trim_end().lines().count() == 1 => self.scene.message = text.trim_end().into(),
            _ => self.scene.page = Some(Page { said, at: 0 }),
        }
    }

    fn show(&mut self, show: &Show, options: &[SeenOption]) {
        let page = |said: Vec<Said>| Some(Page { said, at: 0 });
        match show {
            Show::Board | Show::All => self.bring_into_sight(self.near.clone()),
            Show::Around(cell) => {
                self.scene.cell = Some(*cell);
                self.scene.focus = Focus::Board;
                self.bring_into_sight(vec![*cell]);
            }
            Show::Options => self.scene.focus = Focus::Options,
            Show::Log => {
                self.log.all(&self.talk);
                let said = self.log.lines(&self.talk, 0);
                self.scene.page = Some(Page { said, at: usize::MAX });
            }
            Show::Happened => self.scene.page = page(self.talk.happened()),
            Show::Hand => {
                let seat = self.talk.eyes();
                let viewer = super::view::Viewer::new(self.talk.table.session, seat);
                let lines = viewer.told_lines(&self.talk.table.position, true);
                self.scene.page = page(lines.into_iter().map(Said::Text).collect());
            }
            Show::Help => {
                let text = help(self.talk.words().help, options);
                self.scene.page = page(vec![Said::Text(text), Said::Text(self.scene.words.help.to_owned())]);
            }
        }
    }

    /// Draws what there is.
    fn picture(&mut self) -> Result<(), Stop> {
        self.scene.typed = self.editor.text();
        self.scene.at = self.editor.at();
        self.scene.log = self.log.lines(&self.talk, self.scene.log_at);
        self.laid = self.screen.draw(&self.scene)?;
        Ok(())
    }

    /// Waits for a key and does what it says.
    fn pressed(&mut self, options: &[SeenOption]) -> Result<Pressed, Stop> {
        let Some(event) = next_event()? else { return Ok(Pressed::Leave) };
        Ok(match event {
            Event::Key(key) if key.kind == KeyEventKind::Release => Pressed::Drawn,
            Event::Key(key) if leaves(&key) => Pressed::Leave,
            Event::Key(key) => self.key(&key, options)?,
            Event::Mouse(mouse) => self.mouse(&mouse),
            Event::Resize(..) => {
                self.screen.forget()?;
                match self.scene.seat {
                    Some(_) if !options.is_empty() => self.board(),
                    _ => self.board_of(None),
                }
                Pressed::Drawn
            }
            _ => Pressed::Drawn,
        })
    }

    /// Completes what is typed; where several options fit, each in turn.
    fn complete(&mut self) {
        let typed = self.editor.text();
        let texts = self.scene.options.iter().map(String::as_str);
        if let Some(whole) = completed(&typed, texts.clone()).filter(|whole| fold(whole) != fold(&typed)) {
            self.editor.set(&whole);
            self.cycled = None;
            return;
        }
        let (sought, next) = match self.cycled.take() {
            Some((sought, last)) if self.scene.options.get(last).is_some_and(|o| *o == typed) => (sought, last + 1),
            _ => (typed, 0),
        };
        let fits: Vec<usize> = texts.enumerate().filter(|(_, text)| matches(text, &sought)).map(|(i, _)| i).collect();
        let found = fits.iter().find(|i| **i >= next).or(fits.first()).copied();
        if let Some((found, text)) = found.and_then(|i| Some((i, self.scene.options.get(i)?))) {
            self.editor.set(text);
            self.cycled = Some((sought, found));
        }
    }
}

/// Whether a key means that somebody leaves.
fn leaves(key: &KeyEvent) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL) && matches!(key.code, KeyCode::Char('c'))
}

/// Waits for an event of the terminal. `None`: the process was told to end.
fn next_event() -> Result<Option<Event>, io::Error> {
    loop {
        if interrupt::heard() {
            return Ok(None);
        }
        if event::poll(LISTEN)? {
            return event::read().map(Some);
        }
    }
}

/// Whether somebody left while nobody was asked; who only watches leaves with a single `q`.
fn interrupted(watches: bool) -> Result<bool, io::Error> {
    if interrupt::heard() {
        return Ok(true);
    }
    while event::poll(Duration::ZERO)? {
        if let Event::Key(key) = event::read()?
            && (leaves(&key) || watches && key.code == KeyCode::Char('q'))
        {
            return Ok(true);
        }
    }
    Ok(false)
}
