//! Positions and records as files: opened, gone on with, written.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use lawspeaker::facts::{self, FactFault, Scene, Settings};
use lawspeaker::game::{Choice, Elsewhere, History, Meant, Position, Question, Status};
use lawspeaker::library::{self, Unusable};
use lawspeaker::model::PositionNotation;
use lawspeaker::notation;
use lawspeaker::plain;
use lawspeaker::reading;
use lawspeaker::record::{self, Record, RecordedPly, ReplayEnd};
use lawspeaker::report::{self, Mistake, plural};
use lawspeaker::rules::{Rules, RulesError};
use lawspeaker::rulings::{Depth, Sheet};

use super::session::Session;
use super::{Stop, screen};

/// A game that was opened: where it begins and what has been done.
pub struct Opened {
    /// The position it begins with.
    pub position: Position,
    /// Seed of its chance.
    pub seed: u64,
    /// What its record says before the plies.
    pub header: Record,
    /// What was done.
    pub plies: Vec<(Option<Question>, Choice)>,
    /// The record as it stands, if it is gone on with.
    pub begun: Option<Begun>,
}

/// A record that is gone on with: its text and what that says.
pub struct Begun {
    /// The text.
    pub text: String,
    /// What it says.
    pub record: Record,
}

impl Opened {
    /// The position reached.
    pub fn last(&self, session: &Session) -> Result<Position, Stop> {
        let mut position = self.position.clone();
        for (_, choice) in &self.plies {
            session.rules.apply(&mut position, *choice)?;
        }
        Ok(position)
    }
}

/// A position or record that was named: what it is called in messages, and its text.
pub struct Named {
    /// The file, or what stands for it.
    pub name: PathBuf,
    /// The text.
    pub text: String,
}

impl Named {
    /// What `--at` names: a file, the standard input (`-`), or the position itself.
    pub fn at(said: &Path) -> Result<Named, Unusable> {
        let itself = said.to_str().filter(|t| t.trim_start().starts_with("given ") || t.contains('\n'));
        if let Some(text) = itself {
            return Ok(Named { name: PathBuf::from("--at"), text: text.to_owned() });
        }
        if said == Path::new("-") {
            let text = reading::standard_input()?;
            return Ok(Named { name: PathBuf::from("standard input"), text });
        }
        Ok(Named { name: said.to_owned(), text: library::read_text(said)? })
    }

    /// The same for a game, whose notations of positions are read as well.
    pub fn of(game: &str, said: &Path, over: &Settings) -> Result<Named, Stop> {
        let text = said.to_str().unwrap_or_default();
        if said.exists() || text == "-" || text.trim_start().starts_with("given ") || text.contains('\n') {
            return Ok(Named::at(said)?);
        }
        let rules = Rules::open_with(game, over)?;
        let reads = |notation: &&PositionNotation| {
            let fault = facts::read_noted(rules.explainer(), notation, text).err();
            fault.map_or(usize::MAX, |fault| fault.column)
        };
        let nearest = rules.model().notations.iter().max_by_key(reads);
        // A name of a file that is not there is no position.
        let Some(notation) = nearest.filter(|n| text.contains(' ') || reads(n) == usize::MAX) else {
            return Ok(Named::at(said)?);
        };
        let text = format!("given {}\n  {} {}\n", rules.model().name, notation.name, text.trim());
        Ok(Named { name: PathBuf::from("--at"), text })
    }
}

/// Whether a text is a record and not a position.
pub fn is_record(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|l| !l.is_empty() && !l.starts_with("//"));
    first.is_some_and(|l| l.split_whitespace().next() == Some("record"))
}

fn header(session: &Session, seed: u64, scene: Option<Scene>) -> Record {
    Record {
        settings: session.rules.settings().clone(),
        rules: Some(session.rules.digest()),
        seed: Some(seed),
        scene,
        ..Record::default()
    }
}

/// A game at its start.
pub fn at_start(session: &Session, seed: u64) -> Result<Opened, Stop> {
    Ok(Opened {
        position: session.rules.start()?,
        seed,
        header: header(session, seed, None),
        plies: Vec::new(),
        begun: None,
    })
}

/// A game at a position written by hand. `over` are settings that go over those of the position.
pub fn at_scene(
    game: &str,
    Named { name: file, text }: &Named,
    over: &Settings,
    lang: &str,
    seed: u64,
) -> Result<(Session, Opened), Stop> {
    let scene = Scene::parse(text).map_err(|f| faults(file, text, &f))?;
    let session = open(game, scene.settings.clone(), over, lang, file)?;
    // All mistakes are reported together; then the opening and the moves are read one by one.
    scene.position(session.rules.explainer()).map_err(|f| faults(file, text, &f))?;
    let opening = scene.opening(session.rules.explainer()).map_err(|f| faults(file, text, &f))?;
    let plies = moves(&session, &opening, &scene)?;
    let beginning = Scene { moves: Vec::new(), ..scene.clone() };
    let beginning = (!scene.settings.from_start).then_some(beginning);
    let opened = Opened { position: opening, seed, header: header(&session, seed, beginning), plies, begun: None };
    Ok((session, opened))
}

fn moves(session: &Session, opening: &Position, scene: &Scene) -> Result<Vec<(Option<Question>, Choice)>, Stop> {
    let mut position = opening.clone();
    let mut plies = Vec::new();
    for made in &scene.moves {
        let question = question(session, &position)?;
        let choice = notation::read(session.rules.explainer(), &position, &made.text)
            .map_err(|e| Unusable::new(e.to_string(), ""))?;
        session.rules.apply(&mut position, choice)?;
        plies.push((question, choice));
    }
    Ok(plies)
}

/// The question at a position; `None` for chance, or if the game is over.
fn question(session: &Session, position: &Position) -> Result<Option<Question>, Stop> {
    match session.rules.status(position) {
        Ok(Status::Decision(question)) => Ok(Some(question)),
        Ok(_) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Opens a game with the settings of a file, which must be about that game, and other settings over them.
fn open(game: &str, mut settings: Settings, over: &Settings, lang: &str, file: &Path) -> Result<Session, Stop> {
    settings.lay_over(over);
    let named = &settings.game;
    let other = |name: &str| {
        let message = format!("{} is about {named}, not about {name}", file.display());
        Unusable::new(message, "name the game that the file names")
    };
    let session = match Rules::open_with(game, &settings) {
        Ok(rules) => Session::of(rules, lang)?,
        // The settings of another game are not looked up in this one.
        Err(_) if !library::find(game).is_ok_and(|folder| folder.declares(named)) => return Err(other(game).into()),
        Err(RulesError::Settings(wrong)) if over.options.is_empty() && over.preset.is_none() => {
            return Err(Unusable::new(format!("{}: {wrong}", file.display()), "").into());
        }
        Err(error) => return Err(error.into()),
    };
    let name = &session.model().name;
    if library::same_name(named, name) { Ok(session) } else { Err(other(name).into()) }
}

/// The maximum number of mistakes of a text that are shown.
const MAX_MISTAKES: usize = 10;

/// What is wrong with a position, a record or a list, as a reason to stop: in lines, and with the places in its text.
pub fn faults(file: &Path, text: &str, faults: &[FactFault]) -> Unusable {
    let name = file.display().to_string();
    let colour = screen::colour(&std::io::stderr());
    let shown = || faults.iter().take(MAX_MISTAKES);
    let mut lines: Vec<String> = shown().map(|f| format!("{name}:{f}")).collect();
    let quoted = |f: &FactFault| {
        let mistake = Mistake { line: f.line, column: f.column, width: f.width, message: &f.message };
        report::quoted(&name, text, &mistake, colour)
    };
    let mut reports: Vec<String> = shown().map(quoted).collect();
    if let Some(more) = faults.len().checked_sub(MAX_MISTAKES).filter(|n| *n > 0) {
        lines.push(format!("and {more} more"));
        reports.push(format!("and {more} more\n"));
    }
    let count = plural(faults.len(), "error");
    reports.push(format!("error: {} cannot be used: {count}\n", plain::plain(&name)));
    Unusable::new(lines.join("\n  "), "").reported(reports.join("\n"))
}

/// A game at the end of a record, every ply verified.
pub fn resume(game: &str, file: &Path, lang: &str) -> Result<(Session, Opened), Stop> {
    let text = library::read_text(file)?;
    let mut recorded = record::parse(&text).map_err(|f| faults(file, &text, &f))?;
    let session = open(game, recorded.settings.clone(), &Settings::default(), lang, file)?;
    let whole = recorded.clone();
    recorded.result = None;
    let replayed = record::replay(&recorded, session.rules.explainer());
    if let ReplayEnd::Stopped { .. } = replayed.end {
        return Err(not_replayed(file, &replayed.words(session.rules.explainer(), &session.lang)).into());
    }
    let mut plies = Vec::new();
    let positions = || replayed.positions(session.rules.explainer()).zip(&replayed.plies);
    for (before, ply) in positions() {
        plies.push((question(&session, &before)?, ply.choice));
    }
    let mut begun = Begun { text, record: whole };
    if replayed.other_rules {
        // The digests of a record are all of the same rules.
        let rules = &session.rules;
        let written =
            |(at, ply): (Position, &record::Ply)| record::ply((rules.evaluators(), rules.explainer()), &at, ply.choice);
        let now: Vec<RecordedPly> = positions().map(written).collect();
        let rules = session.rules.digest();
        begun.text = record::rewritten(&begun.text, &begun.record, &now, rules);
    }
    let position = match replayed.beginning {
        Some(position) => position,
        None => session.rules.start()?,
    };
    let seed = recorded.seed.unwrap_or(0);
    let header = Record { plies: Vec::new(), rules: header(&session, seed, None).rules, seed: Some(seed), ..recorded };
    let opened = Opened { position, seed, header, plies, begun: Some(begun) };
    Ok((session, opened))
}

fn not_replayed(file: &Path, words: &str) -> Unusable {
    let help = "`lawspeaker replay` shows how far the record goes; lines after it can be deleted";
    Unusable::new(format!("{}: {words}", file.display()), help)
}

/// The position of a record before a ply (from 1), or at its end; of one that cannot be played to its end, the last
/// that is reached, and a line on the standard error says so. `over` are settings that go over those of the record.
pub fn at_ply(
    game: &str,
    Named { name: file, text }: &Named,
    ply: Option<usize>,
    over: &Settings,
    lang: &str,
) -> Result<(Session, Position, History), Stop> {
    let (mut recorded, wrong) = match (record::parse_on(text), ply) {
        (Ok(record), _) => (record, None),
        (Err(all), None) => before(text, &all).ok_or_else(|| faults(file, text, &all))?,
        (Err(all), Some(_)) => return Err(faults(file, text, &all).into()),
    };
    let count = recorded.plies.len();
    if let Some(ply) = ply {
        if ply == 0 || ply > count + 1 {
            let help = format!("plies are numbered from 1; {} is after the last", count + 1);
            let message = format!("{} has no ply {ply}", file.display());
            return Err(Unusable::new(message, help).into());
        }
        recorded.plies.truncate(ply - 1);
    }
    recorded.result = None;
    let session = open(game, recorded.settings.clone(), over, lang, file)?;
    recorded.settings.lay_over(over);
    let replayed = record::replay(&recorded, session.rules.explainer());
    let about = replayed.about_rules(session.rules.explainer(), &session.lang);
    let words = replayed.words(session.rules.explainer(), &session.lang);
    let opening = replayed.beginning.filter(|_| recorded.scene.is_some());
    let history = History { opening, choices: replayed.plies.iter().map(|p| p.choice).collect() };
    let last = match &replayed.end {
        ReplayEnd::Stopped { ply, .. } if *ply > 0 => Some(*ply),
        _ => None,
    };
    let reached = match &replayed.end {
        ReplayEnd::Complete(_) => true,
        // All plies could be made; the rules fail at the position after them, which can still be looked at.
        ReplayEnd::Stopped { ply, reason, .. } => {
            *ply > recorded.plies.len() && matches!(reason, record::Stop::Fault(_))
        }
    };
    let from = if ply.is_none() { last } else { None };
    match (reached, from, replayed.position) {
        (true, _, Some(position)) => {
            for fault in recorded.misnumbered.iter().chain(&wrong) {
                note(&format!("{}:{fault}", file.display()));
            }
            if wrong.is_some() {
                note(&format!("this is asked after ply {}, the last before that line", recorded.plies.len()));
            }
            Ok((session, position, history))
        }
        (false, Some(ply), Some(position)) => {
            let why = words.strip_prefix(&about).unwrap_or(&words).lines().next().unwrap_or_default();
            note(&format!("{}: {why}", file.display()));
            if let Some((gap, choice)) = gap_after(&session, &recorded, ply, &position) {
                note(&format!(
                    "this is asked where play stops after ply {ply}; --ply {ply} takes the position before it"
                ));
                return Ok((session, gap, History { choices: [history.choices, vec![choice]].concat(), ..history }));
            }
            note(&format!("this is asked at the last position that is reached, before ply {ply} (--ply {ply})"));
            Ok((session, position, history))
        }
        _ => {
            let error = not_replayed(file, &words);
            let help = last.map(|ply| format!("--ply {ply} takes the position before it, the last that is reached"));
            Err(Unusable { help: help.or(error.help.clone()), ..error }.into())
        }
    }
}

/// Where play stops after a ply of a record because a seat must act and nothing is legal, and the choice that leads
/// there.
fn gap_after(session: &Session, record: &Record, ply: usize, before: &Position) -> Option<(Position, Choice)> {
    let explainer = session.rules.explainer();
    let made = &record.plies.get(ply.checked_sub(1)?)?.made;
    let choice = notation::read(explainer, before, &made.text).ok()?;
    explainer.gap_after(before, choice).map(|gap| (gap, choice))
}

/// A record up to its first mistake, if some plies stand before it, and the mistake.
fn before(text: &str, faults: &[FactFault]) -> Option<(Record, Option<FactFault>)> {
    let first = faults.first()?;
    let lines: Vec<&str> = text.lines().take(first.line.saturating_sub(1)).collect();
    let record = record::parse_on(&lines.join("\n")).ok().filter(|r| !r.plies.is_empty())?;
    Some((record, Some(first.clone())))
}

/// Says something beside the answer.
fn note(words: &str) {
    // Who cannot hear it has the answer all the same.
    let _ = writeln!(std::io::stderr(), "note: {}", plain::plain(words));
}

/// The position of a file: one written by hand, with `over` over its settings, or that of a record; without a file the
/// start of the game. And how the position came about.
pub fn at_file(
    game: &str,
    file: Option<&Path>,
    ply: Option<usize>,
    over: &Settings,
    lang: &str,
) -> Result<(Session, Position, History), Stop> {
    let Some(named) = file.map(|file| Named::of(game, file, over)).transpose()? else {
        let session = Session::open(game, over, lang)?;
        let start = session.rules.start()?;
        return Ok((session, start, History::default()));
    };
    if is_record(&named.text) {
        return at_ply(game, &named, ply, over, lang);
    }
    let (session, opened) = at_scene(game, &named, over, lang, 0)?;
    let position = opened.last(&session)?;
    let opening = opened.header.scene.is_some().then_some(opened.position);
    let history = History { opening, choices: opened.plies.iter().map(|(_, choice)| *choice).collect() };
    Ok((session, position, history))
}

/// A record with its plies and, if the game is over, its result.
pub fn record(
    session: &Session,
    header: &Record,
    plies: Vec<RecordedPly>,
    position: &Position,
) -> Result<Record, Stop> {
    let result = match session.rules.status(position) {
        Ok(Status::Over(outcome)) => Some(record::result_of(session.model(), Some(&outcome))),
        Ok(_) => None,
        Err(error) => return Err(error.into()),
    };
    Ok(Record { plies, result, ..header.clone() })
}

/// The ruling about what a seat means, in words that tell it nothing it must not know.
pub fn ruling(session: &Session, position: &Position, seat: u16, meant: &Meant, depth: Depth) -> String {
    let ruling = session.rules.explainer().judge_meant(position, seat, meant);
    let choice = meant.choice().unwrap_or(Choice::Pass);
    Sheet::new(session.rules.explainer(), position, (seat, choice), &ruling, &session.lang).text(depth)
}

/// The same of a text that is what is asked at other moments.
pub fn ruling_elsewhere(session: &Session, position: &Position, seat: u16, asked: &Elsewhere, depth: Depth) -> String {
    let explainer = session.rules.explainer();
    let ruling = explainer.judge_elsewhere(position, seat, asked, true);
    Sheet::new(explainer, position, (seat, Choice::Pass), &ruling, &session.lang).text(depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_and_positions_are_told_apart() {
        assert!(is_record("// typed by hand\n\nrecord confrontation\n"));
        assert!(!is_record("given confrontation\n  Frodo at Rohan\n"));
        assert!(!is_record(""));
    }
}
