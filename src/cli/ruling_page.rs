//! A ruling as a document: the question with the board, the position and how to ask again.

use std::ffi::OsString;
use std::fmt::Write as _;

use lawspeaker::facts;
use lawspeaker::game::{Choice, Events, History, Position, Sensitivity, Status, WhatIfs};
use lawspeaker::map;
use lawspeaker::model::KindId;
use lawspeaker::picture;
use lawspeaker::rulings::{self, RulingPage, Sheet};

use super::session::Session;

/// What a document is about.
pub struct About<'a> {
    /// The game.
    pub session: &'a Session,
    /// The position.
    pub position: &'a Position,
    /// How it came about.
    pub history: &'a History,
    /// Who asks.
    pub seat: u16,
    /// What for.
    pub choice: Choice,
    /// Only what that seat may know.
    pub seen: bool,
    /// It is an option that names what the seat does not know.
    pub veiled: bool,
    /// The file that the position comes from, and the ply; empty at the start of the game.
    pub from: String,
    /// Other readings, and whether their table is wanted.
    pub sensitivity: (&'a Sensitivity, bool),
    /// What would make it legal, if that was asked.
    pub what_ifs: Option<&'a WhatIfs>,
    /// What it leads to, if that was asked and it can be done.
    pub outcome: Option<Events>,
}

/// The document.
pub fn ruling_page<'a>(about: &About, sheet: &'a Sheet) -> RulingPage<'a> {
    let About { session, position, seat, choice, seen, .. } = *about;
    let (model, lang) = (session.model(), session.lang.as_str());
    let (view, marks) = match seen {
        true => (session.rules.explainer().view(position, seat), session.rules.explainer().marks(position, seat)),
        false => (session.rules.explainer().view_of_all(position), session.rules.explainer().marks_of_all(position)),
    };
    let question = match session.rules.status(position) {
        Ok(Status::Decision(question)) => Some(question),
        _ => None,
    };
    let known = |kind: KindId, member: u16| {
        !seen || session.rules.explainer().sees_place(position, kind, usize::from(member), seat)
    };
    let parts = match about.veiled {
        true => Vec::new(),
        false => picture::parts(model, position, question.as_ref(), choice, &known),
    };
    let (sensitivity, table) = about.sensitivity;
    RulingPage {
        sheet,
        game: model.title.get(lang).to_owned(),
        settings: session.rules.settings().list(),
        from: about.from.clone(),
        viewer: seen.then(|| session.seat_name(Some(seat))),
        picture: picture::board(model, &view, &marks, &parts, lang),
        map: map::board(model, &view, &marks, lang),
        facts: if seen { None } else { written(session, position, about.history) },
        sensitivity_words: rulings::sensitivity_words(model, sensitivity, lang),
        readings: if table {
            rulings::reading_rows(model, session.rules.config(), sensitivity, lang)
        } else {
            Vec::new()
        },
        outcome_words: about.outcome.as_ref().map(|events| rulings::events_text(model, events, lang)),
        what_if_words: about.what_ifs.map(|r| rulings::what_if_words(model, position, r, lang)),
        digest: digest(session),
        command: command(std::env::args_os()),
    }
}

/// The digest of the rules with their options and readings.
pub fn digest(session: &Session) -> String {
    format!("{:016x}", session.rules.digest())
}

/// The position as a file has it: its facts where an entry of the rules leads to it, else those that an entry leads to,
/// or the start, and the moves since. `None` if no moves are known that lead to it.
pub fn written(session: &Session, position: &Position, history: &History) -> Option<String> {
    let explainer = session.rules.explainer();
    if let Some(facts) = facts::write(explainer, position) {
        let mut out = format!("{}\n", session.rules.settings().rules());
        for line in facts.lines() {
            let _ = writeln!(out, "  {line}");
        }
        return Some(out);
    }
    let mut at = match &history.opening {
        Some(opening) => opening.clone(),
        None => session.rules.start().ok()?,
    };
    let mut made = Vec::new();
    for choice in &history.choices {
        made.push((at.clone(), *choice));
        session.rules.apply(&mut at, *choice).ok()?;
    }
    let begins = || made.iter().rev().any(|(p, _)| facts::write(explainer, p).is_some());
    let known = at == *position && (history.opening.is_none() || begins());
    known.then(|| facts::save(explainer, session.rules.settings(), &made, position))
}

/// The command line as it can be typed again, without the file that it writes.
pub fn command(args: impl Iterator<Item = OsString>) -> String {
    let mut words = vec![String::from("lawspeaker")];
    let mut args = args.skip(1).map(|a| a.to_string_lossy().into_owned());
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--out" => {
                let _ = args.next();
            }
            "--force" => {}
            out if out.starts_with("--out=") => {}
            _ => words.push(quoted(&arg)),
        }
    }
    words.join(" ")
}

/// A word of a command line, in quotes if a shell needs them.
pub fn quoted(arg: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:,@%".contains(c);
    match !arg.is_empty() && arg.chars().all(plain) {
        true => arg.to_owned(),
        false => format!("'{}'", arg.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_typed_again() {
        let args =
            ["/bin/lawspeaker", "ask", "chess", "it's", "--out", "a.html", "--out=b", "--force", "--at", "p.position"];
        let said = command(args.into_iter().map(OsString::from));
        assert_eq!(said, "lawspeaker ask chess 'it'\\''s' --at p.position");
    }
}
