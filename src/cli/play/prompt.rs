//! The talk with the people at the table.

use std::io::Write as _;
use std::path::Path;

use lawspeaker::game::{Elsewhere, Meant, Question, SeenOption, Status, Told};
use lawspeaker::lexicon::fill;
use lawspeaker::lexicon::words::Play;
use lawspeaker::map::{self, Near};
use lawspeaker::notation::{self, Unread};
use lawspeaker::rulings::Depth;
use lawspeaker::spelling::{closest, fold, nearest};
use lawspeaker::writing::{self, Policy, Refusal};

use super::input::{Input, Typed, WORDS, Word, parse};
use super::seated::{PlayerAt, decide, seen_options};
use super::table::Table;
use super::view::Viewer;
use crate::cli::screen::{Screen, Style};
use crate::cli::{Stop, games};

/// Options that are named in place of a text that is not understood.
const MAX_NEAR: usize = 3;

/// Lines of a terminal that are kept for what happened, the legend and the options.
const LINES_BESIDE_BOARD: usize = 10;

/// The columns of what can be typed, in the help.
const EXAMPLE_WIDTH: usize = 13;

/// How the talk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// The game is over.
    Over,
    /// Someone left, or the input ended.
    Gone,
}

/// A talk at a table.
pub struct Prompt<'a, 'd> {
    table: &'a mut Table<'d>,
    players: &'a mut [PlayerAt],
    input: &'a mut Input,
    screen: &'a mut Screen,
    /// The person who looks at the screen.
    looking: Option<u16>,
    /// Whether the board is to be drawn at the next decision, whatever has happened.
    fresh: bool,
    /// How many plies that person has been told of.
    told: usize,
    /// The first of the plies that that person was told of last.
    last: usize,
    /// Plies of which that person knows only that something was chosen.
    covered: Vec<usize>,
}

impl<'a, 'd> Prompt<'a, 'd> {
    /// Before the first word.
    pub fn new(
        table: &'a mut Table<'d>,
        players: &'a mut [PlayerAt],
        input: &'a mut Input,
        screen: &'a mut Screen,
    ) -> Prompt<'a, 'd> {
        let told = table.done.len();
        Prompt { table, players, input, screen, looking: None, fresh: true, told, last: told, covered: Vec::new() }
    }

    /// Plays until the game is over or someone leaves.
    pub fn run(&mut self) -> Result<Leaving, Stop> {
        loop {
            match self.table.status()? {
                Status::Over(outcome) => {
                    self.tell()?;
                    let words = self.table.session.outcome(&outcome);
                    let words = self.screen.styled(Style::Bold, &words);
                    let viewer = Viewer::new(self.table.session, None);
                    write!(self.screen, "{}", viewer.map(&self.table.position, &Near::default()))?;
                    writeln!(self.screen, "\n{words}")?;
                    return Ok(Leaving::Over);
                }
                Status::Chance(_) => {
                    self.tell_broken()?;
                    self.chance()?;
                }
                Status::Decision(question) => {
                    self.tell_broken()?;
                    if self.decision(&question)? == Leaving::Gone {
                        return Ok(Leaving::Gone);
                    }
                }
            }
        }
    }

    /// Says which `never`s the position breaks, if that is looked at.
    fn tell_broken(&mut self) -> Result<(), Stop> {
        for never in self.table.broken()? {
            let (words, ply) = (self.table.session.is_broken(never), self.table.done.len().to_string());
            let words = self.screen.styled(Style::Bad, &fill(self.words().broken_at, &[&ply, &words]));
            writeln!(self.screen, "{words}")?;
        }
        Ok(())
    }

    fn chance(&mut self) -> Result<(), Stop> {
        match self.table.roll()? {
            Some(outcome) => self.table.choose(None, outcome),
            None => Err(self.stuck()),
        }
    }

    fn stuck(&self) -> Stop {
        let help = "the rules leave a decision without an option; the record leads there";
        let message = format!("nothing can be chosen after ply {}", self.table.done.len());
        lawspeaker::library::Unusable::new(message, help).into()
    }

    fn decision(&mut self, question: &Question) -> Result<Leaving, Stop> {
        let options = self.table.options()?;
        if options.is_empty() {
            return Err(self.stuck());
        }
        if let Some(PlayerAt::Bot(bot)) = self.players.get_mut(question.seat as usize) {
            decide(self.table, bot.as_mut(), question)?;
            return Ok(Leaving::Over);
        }
        let seen = seen_options(self.table, question.seat)?;
        self.person(question, &seen)
    }

    /// What is said in the language of the session.
    fn words(&self) -> &'static Play {
        &self.table.session.lexicon().words.play
    }

    fn viewer_of(&self, seat: u16) -> Viewer<'d> {
        Viewer::new(self.table.session, Some(seat))
    }

    /// Who is told what happens: the one who looks, else the first person; where there are only bots, nobody in
    /// particular.
    fn viewer(&self) -> Option<u16> {
        let person = self.players.iter().position(|s| matches!(s, PlayerAt::Person));
        self.looking.or(person.and_then(|p| u16::try_from(p).ok()))
    }

    /// Tells the one who looks what has happened.
    fn tell(&mut self) -> Result<(), Stop> {
        let viewer = self.viewer();
        let viewer = Viewer::new(self.table.session, viewer);
        if self.told < self.table.done.len() {
            self.last = self.told;
        }
        for i in self.told..self.table.done.len() {
            let done = &self.table.done[i];
            let next = self.table.done.get(i + 1);
            let after = next.map_or(&self.table.position, |d| &d.before);
            let words = match viewer.told(&done.before, after, done.choice) {
                Told::Said(words) => words,
                Told::Secret => {
                    self.covered.push(i);
                    self.words().secret.to_owned()
                }
            };
            self.line(i, &words)?;
            for sentence in viewer.outcome(&self.table.done[i].before, self.table.done[i].choice, &words) {
                self.screen.indented(8, &sentence)?;
            }
        }
        self.told = self.table.done.len();
        self.uncover(&viewer)
    }

    fn line(&mut self, i: usize, words: &str) -> Result<(), Stop> {
        let question = self.table.done.get(i).and_then(|d| d.question.as_ref());
        let who = self.table.session.seat_name(question.map(|q| q.seat));
        let line = fill(self.words().ply, &[&format!("{:>4}", i + 1), &who, words]);
        writeln!(self.screen, "{line}")?;
        Ok(())
    }

    /// Tells what secret choices were, once they are none any more.
    fn uncover(&mut self, viewer: &Viewer<'_>) -> Result<(), Stop> {
        for i in std::mem::take(&mut self.covered) {
            let Some(done) = self.table.done.get(i) else {
                continue;
            };
            // It was told if it was open at any time since.
            let since = self.table.done.iter().skip(i + 1).map(|d| &d.before).chain([&self.table.position]);
            let told = |now| viewer.told_later(&done.before, now, done.choice);
            let open = since.into_iter().find(|now| told(now) != Told::Secret);
            match open.map_or(Told::Secret, told) {
                Told::Said(words) => self.line(i, &fill(self.words().it_was, &[&words]))?,
                Told::Secret => self.covered.push(i),
            }
        }
        Ok(())
    }

    fn person(&mut self, question: &Question, options: &[SeenOption]) -> Result<Leaving, Stop> {
        if self.looking != Some(question.seat) && !self.hand_over(question.seat)? {
            return Ok(Leaving::Gone);
        }
        let fresh = std::mem::take(&mut self.fresh) || self.told < self.table.done.len();
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
        let prompt = fill(self.words().prompt, &[&self.table.session.seat_name(Some(question.seat))]);
        loop {
            let Some(line) = self.input.ask(self.screen, &prompt)? else {
                return Ok(Leaving::Gone);
            };
            match self.answer(question, options, &line)? {
                Next::Again => {}
                Next::Go => return Ok(Leaving::Over),
                Next::Leave => return Ok(Leaving::Gone),
            }
        }
    }

    /// Lets another person to the screen, so that neither sees what the other does. `false`: the input ended.
    fn hand_over(&mut self, seat: u16) -> Result<bool, Stop> {
        let people = self.players.iter().filter(|s| matches!(s, PlayerAt::Person));
        if people.count() > 1 && self.table.session.model().hides() {
            self.screen.clear()?;
            let name = self.table.session.seat_name(Some(seat));
            let prompt = fill(self.words().hand_over, &[&name]);
            if self.input.ask(self.screen, &prompt)?.is_none() {
                return Ok(false);
            }
            self.screen.clear()?;
            self.input.forget();
            self.told = self.last_own(seat);
            self.covered = self.still_covered(seat);
        }
        self.looking = Some(seat);
        Ok(true)
    }

    /// The plies of which a seat was not told yet when it last decided.
    fn still_covered(&self, seat: u16) -> Vec<usize> {
        let Some(last) = self.told.checked_sub(1).and_then(|last| self.table.done.get(last)) else {
            return Vec::new();
        };
        let done = self.table.done.iter().take(self.told - 1);
        let choices: Vec<_> = done.map(|d| (&d.before, d.choice)).collect();
        self.viewer_of(seat).not_told(&choices, &last.before)
    }

    /// The ply after the last decision of a seat: from there on it has something to be told.
    fn last_own(&self, seat: u16) -> usize {
        let own = |d: &super::table::Done| d.question.as_ref().is_some_and(|q| q.seat == seat);
        self.table.done.iter().rposition(own).map_or(0, |i| i + 1)
    }

    fn board(&mut self, seat: u16, options: &[SeenOption]) -> Result<(), Stop> {
        let near = self.viewer_of(seat).near(&self.table.position, options);
        self.board_near(seat, near)
    }

    /// `board all`, `board CELL`; or a move that is written so.
    fn board_at(&mut self, question: &Question, options: &[SeenOption], place: &str) -> Result<Next, Stop> {
        let text = format!("board {place}");
        let cell = self.viewer_of(question.seat).cell(place);
        match cell {
            _ if options.iter().any(|o| fold(&o.text) == fold(&text)) => self.typed(question, options, &text),
            Some(cell) => self.board_near(question.seat, vec![cell]).map(|()| Next::Again),
            None if place.eq_ignore_ascii_case("all") => {
                self.board_near(question.seat, Vec::new()).map(|()| Next::Again)
            }
            None => self.typed(question, options, &text),
        }
    }

    fn board_near(&mut self, seat: u16, cells: Vec<u16>) -> Result<(), Stop> {
        let size = self.screen.size();
        let room = size.map(|(wide, high)| (wide, high.saturating_sub(LINES_BESIDE_BOARD)));
        let map = self.viewer_of(seat).map(&self.table.position, &Near { cells, room });
        write!(self.screen, "{map}")?;
        self.piles(seat, false)
    }

    fn piles(&mut self, seat: u16, all: bool) -> Result<(), Stop> {
        let piles = self.viewer_of(seat).piles(&self.table.position, all);
        write!(self.screen, "{piles}")?;
        Ok(())
    }

    fn options(&mut self, question: &Question, options: &[SeenOption]) -> Result<(), Stop> {
        let name = self.table.session.seat_name(Some(question.seat));
        let asked = self.table.session.asked_in(question);
        let words = self.words();
        let title = match &asked {
            Some(asked) => fill(words.decides_on, &[&name, asked]),
            None => fill(words.decides, &[&name]),
        };
        writeln!(self.screen, "{}", self.screen.styled(Style::Bold, &title))?;
        let lines = options.iter().enumerate().map(|(i, option)| format!("{:>4}  {}", i + 1, option.text));
        match self.screen.size() {
            Some((columns, height)) if options.len() > height / 2 => {
                write!(self.screen, "{}", in_columns(&lines.collect::<Vec<_>>(), columns))?;
            }
            _ => lines.into_iter().try_for_each(|line| writeln!(self.screen, "{line}"))?,
        }
        Ok(())
    }

    fn answer(&mut self, question: &Question, options: &[SeenOption], line: &str) -> Result<Next, Stop> {
        match parse(line) {
            Typed::Empty => {}
            Typed::Board(place) => return self.board_at(question, options, &place),
            Typed::Word(word) => return self.word(word, question, options),
            Typed::Explain(action, depth) => self.explain(question.seat, options, &action, depth)?,
            Typed::Save(file, force) => self.save(&file, force)?,
            Typed::Number(n) => match n.checked_sub(1).and_then(|i| options.get(i)) {
                Some(option) => return self.choose(question, option),
                // Where numbers are chosen, a number can be the notation of an option that is not that one.
                None => return self.typed(question, options, line),
            },
            Typed::Move(text) => return self.typed(question, options, &text),
        }
        Ok(Next::Again)
    }

    /// Makes a choice: of options that the seat cannot tell apart one by lot.
    fn choose(&mut self, question: &Question, option: &SeenOption) -> Result<Next, Stop> {
        let Some(choice) = self.table.draw(&option.choices) else {
            return Ok(Next::Again);
        };
        self.table.choose(Some(question.clone()), choice)?;
        self.told = self.table.done.len() - 1;
        Ok(Next::Go)
    }

    fn typed(&mut self, question: &Question, options: &[SeenOption], text: &str) -> Result<Next, Stop> {
        match notation::read_seen(self.table.session.rules.explainer(), &self.table.position, question.seat, text) {
            Ok(Meant::Option(option)) => return self.choose(question, &option),
            Ok(meant) => {
                let ruling =
                    games::ruling(self.table.session, &self.table.position, question.seat, &meant, Depth::Short);
                write!(self.screen, "{ruling}")?;
            }
            Err(Unread::Elsewhere(asked)) => self.elsewhere(question.seat, &asked, Depth::Short)?,
            Err(unread) => {
                let words = || WORDS.iter().map(|(w, _)| *w).chain(["save"]);
                let first = text.split_whitespace().next().unwrap_or("");
                let unread = self.unread(unread, options);
                let begun = || words().find(|w| !first.is_empty() && w.starts_with(first));
                let line = match closest(first, words()).or_else(begun) {
                    Some(word) => fill(self.words().or_command, &[&unread, word]),
                    None => fill(self.words().help_hint, &[&unread]),
                };
                writeln!(self.screen, "{line}")?;
            }
        }
        Ok(Next::Again)
    }

    /// Why a text is not understood, with what is like it among the options.
    fn unread(&self, unread: Unread, options: &[SeenOption]) -> String {
        let lexicon = self.table.session.lexicon();
        let Unread::Unknown(text, near) = unread else { return lexicon.unread(&unread) };
        if text.parse::<usize>().is_ok() {
            return fill(self.words().no_option, &[&text, &options.len().to_string()]);
        }
        let all = || options.iter().map(|o| o.text.as_str());
        let mut found = nearest(&text, all(), MAX_NEAR);
        if found.is_empty() {
            let part = fold(&text);
            let has = |o: &&str| part.chars().count() > 1 && fold(o).contains(&part);
            found = all().filter(has).take(MAX_NEAR).map(str::to_owned).collect();
        }
        lexicon.unread(&Unread::Unknown(text, if found.is_empty() { near } else { found }))
    }

    /// Says whether an action is allowed, which may be named by the number of an option.
    fn explain(&mut self, seat: u16, options: &[SeenOption], action: &str, depth: Depth) -> Result<(), Stop> {
        let (explainer, position) = (self.table.session.rules.explainer(), &self.table.position);
        let mut meant = notation::read_seen(explainer, position, seat, action);
        let numbered = action.parse::<usize>().ok().and_then(|n| options.get(n.checked_sub(1)?));
        if let (Err(Unread::Unknown(..)), Some(option)) = (&meant, numbered) {
            meant = notation::read_seen(explainer, position, seat, &option.text);
        }
        match meant {
            Ok(meant) => {
                let ruling = games::ruling(self.table.session, &self.table.position, seat, &meant, depth);
                write!(self.screen, "{ruling}")?;
            }
            Err(Unread::Elsewhere(asked)) => self.elsewhere(seat, &asked, depth)?,
            Err(unread) => {
                let words = self.unread(unread, options);
                writeln!(self.screen, "{words}")?;
            }
        }
        Ok(())
    }

    fn elsewhere(&mut self, seat: u16, asked: &Elsewhere, depth: Depth) -> Result<(), Stop> {
        let ruling = games::ruling_elsewhere(self.table.session, &self.table.position, seat, asked, depth);
        write!(self.screen, "{ruling}")?;
        Ok(())
    }

    fn save(&mut self, file: &str, force: bool) -> Result<(), Stop> {
        if file.is_empty() {
            writeln!(self.screen, "{}", self.words().save_what)?;
            return Ok(());
        }
        let path = Path::new(file);
        if self.table.keeps_in(path) {
            writeln!(self.screen, "{}", fill(self.words().own_record, &[file]))?;
            return Ok(());
        }
        let text = self.table.text()?;
        match writing::write(path, &text, Policy::forced(force)) {
            Ok(()) => writeln!(self.screen, "{}", fill(self.words().saved, &[file]))?,
            Err(refusal) => {
                let words = self.table.session.refusal(&refusal);
                let words = match refusal {
                    Refusal::There(_) => fill(self.words().replaces, &[&words, file]),
                    _ => words,
                };
                writeln!(self.screen, "{words}")?;
            }
        }
        Ok(())
    }

    /// All that the plies led to of which the seat was told last.
    fn happened(&mut self, seat: u16) -> Result<(), Stop> {
        let viewer = self.viewer_of(seat);
        for i in self.last..self.table.done.len() {
            let done = &self.table.done[i];
            let after = self.table.done.get(i + 1).map_or(&self.table.position, |d| &d.before);
            let words = match viewer.told(&done.before, after, done.choice) {
                Told::Said(words) => words,
                Told::Secret => self.words().secret.to_owned(),
            };
            let lines = viewer.events(&done.before, done.choice);
            self.line(i, &words)?;
            for line in lines {
                let deeper = line.len() - line.trim_start().len();
                self.screen.indented(8 + deeper, line.trim_start())?;
            }
        }
        Ok(())
    }

    /// What can be typed, with one of the options as an example.
    fn help(&self, options: &[SeenOption]) -> String {
        let example = options.first().map_or_else(String::new, |option| option.text.clone());
        let pad = match EXAMPLE_WIDTH.checked_sub(map::columns(&example)) {
            Some(more) => " ".repeat(more + 1),
            None => format!("\n  {}", " ".repeat(EXAMPLE_WIDTH + 1)),
        };
        fill(self.words().help, &[&format!("{example}{pad}")])
    }

    fn word(&mut self, word: Word, question: &Question, options: &[SeenOption]) -> Result<Next, Stop> {
        let seat = question.seat;
        match word {
            Word::Board => self.board(seat, options)?,
            Word::Hand => self.piles(seat, true)?,
            Word::Options => self.options(question, options)?,
            Word::Help => write!(self.screen, "{}", self.help(options))?,
            Word::Quit => return Ok(Next::Leave),
            Word::Happened => self.happened(seat)?,
            Word::Undo => {
                if self.table.undo(seat)? {
                    self.told = self.table.done.len();
                    self.covered.retain(|i| *i < self.told);
                    writeln!(self.screen, "{}", fill(self.words().undone, &[&(self.told + 1).to_string()]))?;
                    self.fresh = true;
                    return Ok(Next::Go);
                }
                writeln!(self.screen, "{}", self.words().nothing_undone)?;
            }
        }
        Ok(Next::Again)
    }
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

/// What follows an answer.
enum Next {
    Again,
    Go,
    Leave,
}
