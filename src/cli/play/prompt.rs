//! The talk in lines, at a prompt.

use std::io::Write as _;

use lawspeaker::game::{Question, SeenOption};
use lawspeaker::lexicon::fill;
use lawspeaker::map::{self, Near};

use super::input::Input;
use super::talk::{Leaving, Next, Said, Show, Talk, Turn};
use super::view::Viewer;
use crate::cli::Stop;
use crate::cli::screen::{Screen, Style};

/// Lines of a terminal that are kept for what happened, the legend and the options.
const LINES_BESIDE_BOARD: usize = 10;

/// The columns of what can be typed, in the help.
const EXAMPLE_WIDTH: usize = 13;

/// The columns before what a ply led to.
const INDENT: usize = 8;

/// A talk in lines.
pub struct Prompt<'a, 'd> {
    talk: Talk<'a, 'd>,
    input: &'a mut Input,
    screen: &'a mut Screen,
    /// Whether the board is to be drawn at the next decision, whatever has happened.
    fresh: bool,
}

impl<'a, 'd> Prompt<'a, 'd> {
    /// Before the first word.
    pub fn new(talk: Talk<'a, 'd>, input: &'a mut Input, screen: &'a mut Screen) -> Prompt<'a, 'd> {
        Prompt { talk, input, screen, fresh: true }
    }

    /// Plays until the game is over or someone leaves.
    pub fn run(&mut self) -> Result<Leaving, Stop> {
        loop {
            let turn = self.talk.turn()?;
            if !matches!(turn, Turn::Over(_)) {
                let broken = self.talk.broken()?;
                self.print(&broken)?;
            }
            match &turn {
                Turn::Over(outcome) => {
                    self.tell()?;
                    let words = self.talk.table.session.outcome(outcome);
                    let words = self.screen.styled(Style::Bold, &words);
                    let viewer = Viewer::new(self.talk.table.session, None);
                    let position = &self.talk.table.position;
                    write!(self.screen, "{}{}", viewer.map(position, &Near::default()), viewer.piles(position, false))?;
                    writeln!(self.screen, "\n{words}")?;
                    return Ok(Leaving::Over);
                }
                Turn::Person(question, options) => {
                    if self.person(question, options)? == Leaving::Gone {
                        return Ok(Leaving::Gone);
                    }
                }
                Turn::Chance | Turn::Bot(_) | Turn::Only(..) => self.talk.play(&turn)?,
            }
        }
    }

    fn tell(&mut self) -> Result<(), Stop> {
        let told: Vec<Said> = self.talk.tell().into_iter().map(|(_, said)| said).collect();
        self.print(&told)
    }

    fn print(&mut self, said: &[Said]) -> Result<(), Stop> {
        for one in said {
            match one {
                Said::Ply { text, .. } => writeln!(self.screen, "{text}")?,
                Said::Led(text) => self.screen.indented(INDENT, text)?,
                Said::Why(deeper, text) => self.screen.indented(INDENT + deeper, text)?,
                Said::Bad(text) => writeln!(self.screen, "{}", self.screen.styled(Style::Bad, text))?,
                Said::Text(text) => writeln!(self.screen, "{}", text.trim_end_matches('\n'))?,
            }
        }
        Ok(())
    }

    fn person(&mut self, question: &Question, options: &[SeenOption]) -> Result<Leaving, Stop> {
        if self.talk.looking != Some(question.seat) && !self.hand_over(question.seat)? {
            return Ok(Leaving::Gone);
        }
        let fresh = std::mem::take(&mut self.fresh) || self.talk.told < self.talk.table.done.len();
        // On a terminal the board is above what happened, which would otherwise scroll away.
        let above = self.screen.size().is_some();
        if fresh && above {
            self.board(question.seat, options)?;
        }
        self.tell()?;
        if fresh && !above {
            self.board(question.seat, options)?;
        }
        self.options(question, options)?;
        let troubled = self.talk.troubled();
        self.print(&troubled)?;
        let name = self.talk.table.session.seat_name(Some(question.seat));
        let prompt = fill(self.talk.words().prompt, &[&name]);
        loop {
            let Some(line) = self.input.ask(self.screen, &prompt)? else {
                return Ok(Leaving::Gone);
            };
            let plies = self.talk.table.done.len();
            let next = self.talk.answer(question, options, &line)?;
            let said = self.talk.said();
            self.print(&said)?;
            match next {
                Next::Again => {}
                Next::Go => {
                    // Something was taken back.
                    self.fresh |= self.talk.table.done.len() <= plies;
                    return Ok(Leaving::Over);
                }
                Next::Leave => return Ok(Leaving::Gone),
                Next::Show(show) => self.show(&show, question, options)?,
            }
        }
    }

    /// Lets another person to the screen, so that neither sees what the other does. `false`: the input ended.
    fn hand_over(&mut self, seat: u16) -> Result<bool, Stop> {
        let handed = self.talk.hands_over(seat);
        if handed {
            self.screen.clear()?;
            let name = self.talk.table.session.seat_name(Some(seat));
            let prompt = fill(self.talk.words().hand_over, &[&name]);
            if self.input.ask(self.screen, &prompt)?.is_none() {
                return Ok(false);
            }
            self.screen.clear()?;
            self.input.forget();
        }
        self.talk.look(seat, handed);
        Ok(true)
    }

    fn show(&mut self, show: &Show, question: &Question, options: &[SeenOption]) -> Result<(), Stop> {
        let seat = question.seat;
        match show {
            Show::Board => self.board(seat, options),
            Show::Around(cell) => self.board_near(seat, vec![*cell]),
            Show::All => self.board_near(seat, Vec::new()),
            Show::Hand => self.piles(seat, true),
            Show::Options => self.options(question, options),
            Show::Help => {
                let help = help(self.talk.words().help, options);
                Ok(write!(self.screen, "{help}")?)
            }
            Show::Happened => {
                let said = self.talk.happened();
                self.print(&said)
            }
            Show::Log => {
                let said: Vec<Said> = (0..self.talk.table.done.len()).flat_map(|i| self.talk.logged(i)).collect();
                self.print(&said)
            }
        }
    }

    fn board(&mut self, seat: u16, options: &[SeenOption]) -> Result<(), Stop> {
        let near = self.talk.viewer_of(seat).near(&self.talk.table.position, options);
        self.board_near(seat, near)
    }

    fn board_near(&mut self, seat: u16, cells: Vec<u16>) -> Result<(), Stop> {
        let size = self.screen.size();
        let room = size.map(|(wide, high)| (wide, high.saturating_sub(LINES_BESIDE_BOARD)));
        let map = self.talk.viewer_of(seat).map(&self.talk.table.position, &Near { cells, room, list: None });
        write!(self.screen, "{map}")?;
        self.piles(seat, false)
    }

    fn piles(&mut self, seat: u16, all: bool) -> Result<(), Stop> {
        let piles = self.talk.viewer_of(seat).piles(&self.talk.table.position, all);
        write!(self.screen, "{piles}")?;
        Ok(())
    }

    fn options(&mut self, question: &Question, options: &[SeenOption]) -> Result<(), Stop> {
        let title = self.talk.title(question);
        writeln!(self.screen, "{}", self.screen.styled(Style::Bold, &title))?;
        let viewer = self.talk.viewer_of(question.seat);
        let price = |option: &SeenOption| viewer.price(&self.talk.table.position, option);
        let brought = viewer.brought(&self.talk.table.position);
        let after = |option: &SeenOption| price(option) + &viewer.whom(&brought, option, false);
        let line = |(i, option): (usize, &SeenOption)| format!("{:>4}  {}{}", i + 1, option.text, after(option));
        let lines: Vec<String> = options.iter().enumerate().map(line).collect();
        match self.screen.size() {
            Some((columns, height)) if options.len() > height / 2 => {
                write!(self.screen, "{}", in_columns(&lines, columns))?;
            }
            _ => lines.into_iter().try_for_each(|line| writeln!(self.screen, "{line}"))?,
        }
        Ok(())
    }
}

/// What can be typed, with one of the options as an example.
pub(super) fn help(words: &str, options: &[SeenOption]) -> String {
    let example = options.first().map_or_else(String::new, |option| option.text.clone());
    let pad = match EXAMPLE_WIDTH.checked_sub(map::columns(&example)) {
        Some(more) => " ".repeat(more + 1),
        None => format!("\n  {}", " ".repeat(EXAMPLE_WIDTH + 1)),
    };
    fill(words, &[&format!("{example}{pad}")])
}

/// Texts in columns that are read downwards, as many as there is room for.
fn in_columns(texts: &[String], width: usize) -> String {
    let wide = texts.iter().map(|t| map::columns(t)).max().unwrap_or(0) + 2;
    let across = (width / wide.max(1)).max(1);
    let down = texts.len().div_ceil(across);
    let mut out = String::new();
    for row in 0..down {
        let cells: Vec<&String> = texts.iter().skip(row).step_by(down.max(1)).collect();
        for (i, text) in cells.iter().enumerate() {
            let last = i + 1 == cells.len();
            out += &if last { format!("{text}\n") } else { map::fit(text, wide) };
        }
    }
    out
}
