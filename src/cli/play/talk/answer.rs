//! What a line means that somebody typed.

use std::path::Path;

use lawspeaker::game::{Elsewhere, Meant, Question, Reason, SeenOption};
use lawspeaker::lexicon::fill;
use lawspeaker::notation::{self, Unread};
use lawspeaker::rulings::Depth;
use lawspeaker::spelling::{closest, fold, nearest};
use lawspeaker::writing::{self, Policy, Refusal};

use super::{Next, Show, Talk};
use crate::cli::about::{Asked, MAX_NEAR};
use crate::cli::play::grouped::matches;
use crate::cli::play::input::{Typed, WORDS, Word, parse};
use crate::cli::play::view::Viewer;
use crate::cli::transcripts::{self, Form};
use crate::cli::{Stop, games};

impl Talk<'_, '_> {
    /// Answers a line. What is to be said is in [`Talk::said`].
    ///
    /// # Errors
    /// A fault of the rules, or a record that cannot be written.
    pub fn answer(&mut self, question: &Question, options: &[SeenOption], line: &str) -> Result<Next, Stop> {
        if let Some(next) = self.consented(line)? {
            return Ok(next);
        }
        match parse(line) {
            Typed::Empty => {}
            Typed::Board(place) => return self.board_at(question, options, &place),
            Typed::Word(word) => return self.word(word, question),
            Typed::Explain(action, depth) => self.explain(question.seat, options, &action, depth),
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

    /// Answers a line that is typed when the game is over: nothing, or `q`, leaves.
    ///
    /// # Errors
    /// A fault of the rules, or a record that cannot be written.
    pub fn answer_at_end(&mut self, line: &str) -> Result<Next, Stop> {
        if let Some(next) = self.consented(line)? {
            return Ok(next);
        }
        match parse(line) {
            Typed::Empty | Typed::Word(Word::Quit) => return Ok(Next::Leave),
            Typed::Word(Word::Undo) => return self.undo(),
            Typed::Word(Word::Redo) => return self.redo(),
            Typed::Word(Word::Resign) | Typed::Number(_) => {}
            Typed::Word(word) => return Ok(shown(word).map_or(Next::Again, Next::Show)),
            Typed::Board(place) => {
                let cell = Viewer::new(self.table.session, self.eyes()).cell(&place);
                return Ok(Next::Show(cell.map_or(Show::All, Show::Around)));
            }
            Typed::Explain(name, _) => self.tell_of(&name),
            Typed::Save(file, force) => self.save(&file, force)?,
            Typed::Move(text) => {
                if let Some(noted) = self.noted(&text) {
                    self.say(noted);
                }
            }
        }
        Ok(Next::Again)
    }

    /// Tells of a member, or what an expression is worth, when nothing can be chosen.
    fn tell_of(&mut self, name: &str) {
        let about = self.about(self.eyes());
        let cards = about.cards(name);
        let found = if cards.is_empty() { about.worth_or_like(name) } else { Ok(cards) };
        let line = match found {
            Ok(lines) => lines.join("\n"),
            Err(near) => self.table.session.lexicon().unread(&Unread::Unknown(name.to_owned(), near)),
        };
        self.say(line);
    }

    /// Makes a choice: of options that the seat cannot tell apart one by lot.
    pub(super) fn choose(&mut self, question: &Question, option: &SeenOption) -> Result<Next, Stop> {
        let Some(choice) = self.table.draw(&option.choices) else {
            return Ok(Next::Again);
        };
        self.table.choose(Some(question.clone()), choice)?;
        self.undone.clear();
        // What it led to is told of a choice that one has made oneself, too.
        self.told = self.table.done.len() - 1;
        Ok(Next::Go)
    }

    /// `board all`, `board CELL`; or a move that is written so.
    fn board_at(&mut self, question: &Question, options: &[SeenOption], place: &str) -> Result<Next, Stop> {
        let text = format!("board {place}");
        match self.viewer_of(question.seat).cell(place) {
            _ if options.iter().any(|o| fold(&o.text) == fold(&text)) => self.typed(question, options, &text),
            Some(cell) => Ok(Next::Show(Show::Around(cell))),
            None if place.eq_ignore_ascii_case("all") => Ok(Next::Show(Show::All)),
            None => self.typed(question, options, &text),
        }
    }

    /// Whether a text is an option as one style or language of notation writes it.
    pub(in crate::cli::play) fn is_written_so(&self, seat: u16, text: &str) -> bool {
        let explainer = self.table.session.rules.explainer();
        matches!(notation::read_seen(explainer, &self.table.position, seat, text), Ok(Meant::Option(_)))
    }

    fn typed(&mut self, question: &Question, options: &[SeenOption], text: &str) -> Result<Next, Stop> {
        if !options.iter().any(|option| fold(&option.text) == fold(text))
            && let Some(noted) = self.noted(text)
        {
            self.say(noted);
            return Ok(Next::Again);
        }
        let read = notation::read_seen(self.table.session.rules.explainer(), &self.table.position, question.seat, text);
        match read {
            Ok(Meant::Option(option)) => return self.choose(question, &option),
            Ok(meant) => self.rule_on(question.seat, &meant, Depth::Short),
            Err(Unread::Elsewhere(asked)) => match self.steps(question, options, text)? {
                Some(next) => return Ok(next),
                None => self.elsewhere(question.seat, &asked, Depth::Short),
            },
            Err(unread) => {
                if let Some(next) = self.steps(question, options, text)? {
                    return Ok(next);
                }
                let words = || WORDS.iter().map(|(w, _)| *w).chain(["save"]);
                let first = text.split_whitespace().next().unwrap_or("");
                let unread = self.unread(unread, options);
                let begun = || words().find(|w| !first.is_empty() && w.starts_with(first));
                let line = match closest(first, words()).or_else(begun) {
                    Some(word) => fill(self.words().or_command, &[&unread, word]),
                    None => fill(self.words().help_hint, &[&unread]),
                };
                self.say(line);
            }
        }
        Ok(Next::Again)
    }

    /// The position in a notation of the game, or the game in one of whole games. Where something is hidden, nobody is
    /// told it.
    fn noted(&self, name: &str) -> Option<String> {
        let (rules, name) = (&self.table.session.rules, name.trim());
        let model = rules.model();
        let form = transcripts::form(model, name).ok().filter(|form| !matches!(form, Form::Record))?;
        if model.hides() {
            return None;
        }
        let (record, replay) = self.table.replayed();
        transcripts::written(rules, form, &record, &replay, None).ok().map(|text| text.trim_end().to_owned())
    }

    pub(super) fn rule_on(&mut self, seat: u16, meant: &Meant, depth: Depth) {
        let ruling = games::ruling(self.table.session, &self.table.position, seat, meant, depth);
        self.say(ruling);
    }

    /// Why a text is not understood, with what is like it among the options.
    fn unread(&self, unread: Unread, options: &[SeenOption]) -> String {
        let lexicon = self.table.session.lexicon();
        let Unread::Unknown(text, near) = unread else { return lexicon.unread(&unread) };
        if text.parse::<usize>().is_ok() {
            return fill(self.words().no_option, &[&text, &options.len().to_string()]);
        }
        let fits = options.iter().map(|o| &o.text).filter(|option| matches(option, &text));
        let fitting: Vec<String> = fits.cloned().collect();
        if fitting.len() > 1 {
            return lexicon.unread(&Unread::Ambiguous(text, fitting));
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
    fn explain(&mut self, seat: u16, options: &[SeenOption], action: &str, depth: Depth) {
        let (explainer, position) = (self.table.session.rules.explainer(), &self.table.position);
        let numbered = action.parse::<usize>().ok().and_then(|n| options.get(n.checked_sub(1)?));
        let numbered = numbered.filter(|_| !options.iter().any(|option| option.text == action));
        if let Some(option) = numbered {
            // A number is an option and nothing else.
            if let Ok(meant) = notation::read_seen(explainer, position, seat, &option.text) {
                self.rule_on(seat, &meant, depth);
                return;
            }
        }
        let cards = self.about(Some(seat)).cards(action).join("\n");
        let meant = notation::read_seen(explainer, position, seat, action);
        // That there is no such action now is no answer to who only names something, unless all is asked for.
        let names = !cards.is_empty() && matches!(depth, Depth::Short);
        let is_name = |meant: &Meant| match meant {
            Meant::Other(choice) => explainer.judge_seen(position, seat, *choice).reason == Reason::NoSuchAction,
            Meant::Option(_) => false,
        };
        let ruled = match meant {
            Ok(meant) if names && is_name(&meant) => Ok(()),
            Ok(meant) => {
                self.rule_on(seat, &meant, depth);
                Ok(())
            }
            Err(Unread::Elsewhere(_)) if names => Ok(()),
            Err(Unread::Elsewhere(asked)) => {
                self.elsewhere(seat, &asked, depth);
                Ok(())
            }
            Err(unread) => Err(unread),
        };
        // What is called like an action is asked about as well.
        match (cards.as_str(), ruled) {
            ("", Ok(())) => {}
            ("", Err(unread)) => self.like(seat, options, action, unread),
            _ => self.say(cards),
        }
    }

    /// What there is to say where nothing is called so: what an expression is worth; or about the one member whose name
    /// has these words, or which members have them.
    fn like(&mut self, seat: u16, options: &[SeenOption], text: &str, unread: Unread) {
        let line = match self.about(Some(seat)).worth_or_like(text) {
            Ok(lines) => lines.join("\n"),
            Err(near) if near.is_empty() => self.unread(unread, options),
            Err(near) => self.table.session.lexicon().unread(&Unread::Unknown(text.to_owned(), near)),
        };
        self.say(line);
    }

    /// What is asked about for a seat, or for one who sees all.
    fn about(&self, seat: Option<u16>) -> Asked<'_> {
        Asked { session: self.table.session, position: &self.table.position, seat, all: false }
    }

    fn elsewhere(&mut self, seat: u16, asked: &Elsewhere, depth: Depth) {
        let ruling = games::ruling_elsewhere(self.table.session, &self.table.position, seat, asked, depth);
        self.say(ruling);
    }

    fn save(&mut self, file: &str, force: bool) -> Result<(), Stop> {
        if file.is_empty() {
            self.say(self.words().save_what);
            return Ok(());
        }
        let path = Path::new(file);
        if self.table.keeps_in(path) {
            self.say(fill(self.words().own_record, &[file]));
            return Ok(());
        }
        let text = self.table.text()?;
        let line = match writing::write(path, &text, Policy::forced(force)) {
            Ok(()) => fill(self.words().saved, &[file]),
            Err(refusal) => {
                let words = self.table.session.refusal(&refusal);
                match refusal {
                    Refusal::There(_) => fill(self.words().replaces, &[&words, file]),
                    _ => words,
                }
            }
        };
        self.say(line);
        Ok(())
    }

    fn word(&mut self, word: Word, question: &Question) -> Result<Next, Stop> {
        Ok(match word {
            Word::Quit => Next::Leave,
            Word::Undo => return self.undo(),
            Word::Redo => return self.redo(),
            Word::Resign => self.resign(question.seat),
            word => shown(word).map_or(Next::Again, Next::Show),
        })
    }
}

/// What a word asks to see, if it asks for that.
fn shown(word: Word) -> Option<Show> {
    Some(match word {
        Word::Board => Show::Board,
        Word::Hand => Show::Hand,
        Word::Options => Show::Options,
        Word::Help => Show::Help,
        Word::Happened => Show::Happened,
        Word::Log => Show::Log,
        Word::Quit | Word::Undo | Word::Redo | Word::Resign => return None,
    })
}
