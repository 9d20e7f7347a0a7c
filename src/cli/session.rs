//! A game on the table: its rules, the settings in force and the language to talk in.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use lawspeaker::facts::Settings;
use lawspeaker::game::{Choice, Fault, Outcome, Position, Question};
use lawspeaker::lexicon::{self, Lexicon, UnknownLanguage, Words, fill};
use lawspeaker::library::Unusable;
use lawspeaker::model::{ClauseId, CodeKind, Model};
use lawspeaker::reading;
use lawspeaker::rules::{Notations, Rules};
use lawspeaker::writing::Refusal;

use super::Stop;

/// A game on the table.
#[derive(Clone, Debug)]
pub struct Session {
    /// Its rules.
    pub rules: Rules,
    /// The language of names and notation; empty for the rule file's own.
    pub lang: String,
}

impl Session {
    /// Opens a game by folder or shipped name.
    pub fn open(game: &str, settings: &Settings, lang: &str) -> Result<Session, Stop> {
        Session::of(Rules::open_with(game, settings)?, lang)
    }

    /// Of rules that are open.
    pub fn of(rules: Rules, lang: &str) -> Result<Session, Stop> {
        let lang = language(rules.model(), lang)?;
        Ok(Session { rules, lang })
    }

    /// The rules.
    pub fn model(&self) -> &Model {
        self.rules.model()
    }

    /// What a seat is asked to do, in the words of the rules; without such words the procedure or action in which
    /// something is chosen. `None` for a choice among actions, which speak for themselves, and in the procedure `play`.
    pub fn asked_in(&self, question: &Question) -> Option<String> {
        if let Some(asks) = self.model().asks(question.at) {
            return Some(asks.get(&self.lang).to_owned());
        }
        let code = self.model().codes.get(question.at.0.i()).filter(|_| question.actions.is_empty())?;
        let named = match code.kind {
            CodeKind::Procedure => code.name != "play",
            CodeKind::Action(_) => true,
            CodeKind::Hook(..) | CodeKind::Entry => false,
        };
        named.then(|| code.name.replace('_', " "))
    }

    /// The steps in which play stands, from the outermost, by their labels.
    pub fn phases(&self, position: &Position) -> Vec<String> {
        let model = self.model();
        let frames = (0..position.depth(model)).map(|depth| position.frame(model, depth));
        frames.filter_map(|at| model.phase(at)).map(|label| label.get(&self.lang).to_owned()).collect()
    }

    /// A fault of the rules, as a reason to stop.
    pub fn fault(&self, fault: &Fault) -> Stop {
        let lexicon = self.lexicon();
        Unusable::new(lexicon.fault(fault), lexicon.words.play.fault_help).into()
    }

    /// The `never`s that a position breaks.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn broken(&self, position: &Position) -> Result<Vec<ClauseId>, Fault> {
        if self.model().nevers.is_empty() {
            return Ok(Vec::new());
        }
        self.rules.explainer().nevers(position)
    }

    /// That a `never` is broken, and where it stands.
    pub fn is_broken(&self, never: ClauseId) -> String {
        let (lexicon, model) = (self.lexicon(), self.model());
        let (file, line, _) = model.clause(never).map_or(("", 0, 0), |c| model.sources.place(c.span));
        fill(lexicon.words.play.broken, &[&lexicon.clause(never), &format!("{file}:{line}")])
    }

    /// Choices at a position in the game's notation.
    pub fn notations<'a>(&'a self, position: &'a Position) -> Notations<'a> {
        self.rules.explainer().notations(position, &self.lang)
    }

    /// A choice in the game's notation.
    pub fn say(&self, position: &Position, choice: Choice) -> String {
        self.rules.explainer().say(position, choice, &self.lang)
    }

    /// Names and the program's own words in the language of the session.
    pub fn lexicon(&self) -> Lexicon<'_> {
        Lexicon::new(self.model(), &self.lang)
    }

    /// Why a file is not written.
    pub fn refusal(&self, refusal: &Refusal) -> String {
        let words = &self.lexicon().words.refusals;
        let (phrase, path) = match refusal {
            Refusal::There(path) => (words.there, path),
            Refusal::Busy(path) => (words.busy, path),
            Refusal::Changed(path) => (words.changed, path),
            Refusal::Folder(path) => (words.folder, path),
            Refusal::File(path) => (words.file, path),
            Refusal::Filled(path) => (words.filled, path),
            Refusal::ReadOnly(path) => (words.read_only, path),
            Refusal::Disk(path) => (words.disk, path),
            Refusal::System { path, why } => {
                let said = match why.kind() {
                    ErrorKind::NotFound => words.no_folder.to_owned(),
                    ErrorKind::PermissionDenied => words.not_allowed.to_owned(),
                    ErrorKind::StorageFull => words.full.to_owned(),
                    _ => why.to_string(),
                };
                return fill(words.system, &[&path.display().to_string(), &said]);
            }
        };
        fill(phrase, &[&path.display().to_string()])
    }

    /// What a seat is called; nobody is chance.
    pub fn seat_name(&self, seat: Option<u16>) -> String {
        self.lexicon().who(seat)
    }

    /// The seat of that name or identifier.
    pub fn seat(&self, name: &str) -> Result<u16, Unusable> {
        self.rules.seat(name, &self.lang)
    }

    /// How a game ended, in words.
    pub fn outcome(&self, outcome: &Outcome) -> String {
        self.lexicon().outcome(outcome)
    }
}

/// The language that `--lang` means.
pub fn language(model: &Model, wanted: &str) -> Result<String, Unusable> {
    lexicon::language(model, wanted).map_err(no_language)
}

/// The program's words in the language that `--lang` means, where no game is at hand.
pub fn program_words(wanted: &str) -> Result<&'static Words, Unusable> {
    lexicon::program_words(wanted).map_err(no_language)
}

fn no_language(unknown: UnknownLanguage) -> Unusable {
    let (one, all) = if unknown.style { ("style", "styles") } else { ("language", "languages") };
    let help = match unknown.known.is_empty() {
        true => String::from("its notation has one style: leave `--style` out"),
        false => format!("the {all} are {}", unknown.known.join(", ")),
    };
    Unusable::new(format!("there is no {one} `{}`", unknown.wanted), help)
}

/// A fault of the rules in words, as a reason to stop.
pub fn of_rules(words: &str) -> Stop {
    Unusable::new(words, "this is a fault of the rules, not of the move: correct the clause that is named").into()
}

/// The files below a folder with an ending, in order, three folders deep at the most.
pub fn files_below(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, Unusable> {
    reading::walk(folder, 3, |path| path.extension().is_some_and(|e| e == ending))
}
