//! Whole games in the notation that is common for a game, such as PGN: tags in brackets, moves numbered by rounds, and
//! the result. The rules say in which style moves are written and how results are.

use super::{Record, RecordFault, RecordedEnd, RecordedPly, RecordedResult};
use crate::explain::Explainer;
use crate::facts::{Move, Piece, Scene, Settings, read_noted, unique_name, write_noted};
use crate::game::{Choice, Evaluator, Position, Status};
use crate::map;
use crate::model::{Model, PLAYER, Transcript};
use crate::notation::{self, Patterns};
use crate::spelling::{abbreviates, fold};
use std::borrow::Borrow;
use std::fmt::Write;

/// The result of a game that was not finished, in every transcript.
const UNFINISHED: &str = "*";

/// The columns of a line of moves.
const WIDTH: usize = 79;

/// What stands for a tag that is not known.
const UNKNOWN: &str = "?";

/// A game as it is written in a transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcribed {
    /// Tags in their order: name and value.
    pub tags: Vec<(String, String)>,
    /// The moves; `who` is empty.
    pub moves: Vec<Move>,
    /// The numbers written before moves: the move that follows (from 0), the number, the line and the column.
    pub numbers: Vec<(usize, u32, usize, usize)>,
    /// The result, and its line.
    pub result: Option<(String, usize)>,
    /// The first line.
    pub line: usize,
}

impl Transcribed {
    /// The value of a tag, whose name is compared without case.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// Whether a text is a transcript and not a record.
#[must_use]
pub fn is_transcript(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with(['%', ';']));
    lines.next().is_some_and(|line| line.starts_with('[') || numbered(line).is_some_and(|(n, _)| n > 0))
}

/// The number with full stops that a text begins with, and its length.
fn numbered(text: &str) -> Option<(u32, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let dots = text.get(digits..)?.bytes().take_while(|b| *b == b'.').count();
    let number = text.get(..digits)?.parse().ok()?;
    (dots > 0).then_some((number, digits + dots))
}

/// The games of a transcript.
///
/// # Errors
/// The first thing that cannot be read.
pub fn read_transcript(text: &str) -> Result<Vec<Transcribed>, RecordFault> {
    let mut reader = TranscriptReader::default();
    for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        reader.line(line, i + 1)?;
    }
    if let Some((line, column, what)) = reader.open {
        return Err(RecordFault::new(line, column, format!("this {what} has no end")));
    }
    reader.close();
    Ok(reader.games)
}

#[derive(Default)]
struct TranscriptReader {
    games: Vec<Transcribed>,
    game: Transcribed,
    /// A comment or a variation that has begun: where, and what it is.
    open: Option<(usize, usize, &'static str)>,
    /// How many variations are open.
    depth: usize,
    /// Inside a comment in braces.
    comment: bool,
}

impl TranscriptReader {
    /// Ends a game.
    fn close(&mut self) {
        let game = std::mem::take(&mut self.game);
        if game != Transcribed::default() {
            self.games.push(game);
        }
    }

    fn line(&mut self, text: &str, line: usize) -> Result<(), RecordFault> {
        if text.starts_with('%') {
            return Ok(());
        }
        let mut at = 0;
        while let Some(next) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let rest = text.get(at..).unwrap_or("");
            let column = || text.get(..at).map_or(0, |before| before.chars().count()) + 1;
            if self.comment {
                match rest.find('}') {
                    Some(end) => {
                        self.comment = false;
                        if self.depth == 0 {
                            self.open = None;
                        }
                        at += end + 1;
                        continue;
                    }
                    None => return Ok(()),
                }
            }
            match next {
                _ if next.is_whitespace() => at += next.len_utf8(),
                ';' => return Ok(()),
                '{' => {
                    self.open.get_or_insert((line, column(), "comment"));
                    self.comment = true;
                    at += 1;
                }
                '(' => {
                    self.open.get_or_insert((line, column(), "variation"));
                    self.depth += 1;
                    at += 1;
                }
                ')' => {
                    let Some(depth) = self.depth.checked_sub(1) else {
                        return Err(RecordFault::new(line, column(), "no variation is open here").over(1));
                    };
                    self.depth = depth;
                    if depth == 0 {
                        self.open = None;
                    }
                    at += 1;
                }
                '[' if self.depth == 0 => {
                    if !self.game.moves.is_empty() || self.game.result.is_some() {
                        self.close();
                    }
                    if self.game.line == 0 {
                        self.game.line = line;
                    }
                    let (tag, length) = tag(rest).ok_or_else(|| {
                        RecordFault::new(line, column(), "a tag is `[Name \"value\"]`, on one line").over(1)
                    })?;
                    self.game.tags.push(tag);
                    at += length;
                }
                _ => {
                    let end = rest.find(|c: char| c.is_whitespace() || "(){};".contains(c)).unwrap_or(rest.len());
                    if self.depth == 0 {
                        self.word(rest.get(..end).unwrap_or(rest), line, column())?;
                    }
                    at += end.max(1);
                }
            }
        }
        Ok(())
    }

    /// A word among the moves: a number, a move, a sign about one, or the result.
    fn word(&mut self, word: &str, line: usize, column: usize) -> Result<(), RecordFault> {
        if word.starts_with('$') {
            return Ok(());
        }
        if let Some((result, _)) = &self.game.result {
            let message = format!("the game is over with `{result}`; the next one begins with a tag in brackets");
            return Err(RecordFault::new(line, column, message).over(word.chars().count()));
        }
        if self.game.line == 0 {
            self.game.line = line;
        }
        // It says only how the pawn before was taken.
        if word.eq_ignore_ascii_case("e.p.") {
            return Ok(());
        }
        let (number, length) = numbered(word).map_or((None, 0), |(n, length)| (Some(n), length));
        if let Some(number) = number {
            self.game.numbers.push((self.game.moves.len(), number, line, column));
        }
        let text = word.get(length..).unwrap_or("").trim_end_matches(['!', '?']);
        if text.is_empty() {
            return Ok(());
        }
        let column = column + length;
        self.game.moves.push(Move { who: String::new(), text: text.to_owned(), line, column });
        Ok(())
    }
}

/// The tag that a text begins with, and its length.
fn tag(text: &str) -> Option<((String, String), usize)> {
    let inner = text.strip_prefix('[')?;
    let quote = inner.find('"')?;
    let name = inner.get(..quote)?.trim();
    if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let mut value = String::new();
    let mut chars = inner.get(quote + 1..)?.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => value.push(chars.next()?.1),
            '"' => {
                let after = inner.get(quote + 1 + at + 1..)?;
                let close = after.find(']').filter(|close| after.get(..*close).is_some_and(|b| b.trim().is_empty()))?;
                return Some(((name.to_owned(), value), 1 + quote + 1 + at + 1 + close + 1));
            }
            c => value.push(c),
        }
    }
    None
}

impl Transcribed {
    /// The words at the end of the moves that are the result, by the rules.
    fn take_result(&mut self, transcript: &Transcript) {
        let last = self.moves.last().map(|m| m.text.clone()).unwrap_or_default();
        if last == UNFINISHED || transcript.results.iter().any(|(_, text)| *text == last) {
            self.result = self.moves.pop().map(|m| (m.text, m.line));
        }
    }
}

/// The games of a transcript by the rules of its game: what ends the moves of each is its result.
///
/// # Errors
/// The first thing that cannot be read.
pub fn games_of(transcript: &Transcript, text: &str) -> Result<Vec<Transcribed>, RecordFault> {
    let mut games = read_transcript(text)?;
    games.iter_mut().for_each(|game| game.take_result(transcript));
    Ok(games)
}

/// A game as a record. Its plies are in the usual notation as far as they can be read; replaying tells what is wrong
/// with the first that cannot. The evaluator plays, and the referee reads.
///
/// # Errors
/// The position that it begins with cannot be read, a number does not fit, or the result contradicts its tag.
pub fn record_of(
    (evaluator, referee): (&dyn Evaluator, &Explainer),
    transcript: &Transcript,
    game: &Transcribed,
    settings: &Settings,
) -> Result<Record, RecordFault> {
    let model = referee.model();
    let mut record = Record { settings: settings.clone(), ..Record::default() };
    record.title = game.tag("Event").filter(|event| *event != UNKNOWN).map(str::to_owned);
    for seat in 0..model.kinds.get(PLAYER.i()).map_or(0, |k| k.members.len()) as u16 {
        let name = unique_name(model, PLAYER, seat);
        if let Some(who) = game.tag(&name).filter(|who| *who != UNKNOWN) {
            record.seats.push((name, who.to_owned()));
        }
    }
    let mut round = 1;
    let notation = transcript.from.and_then(|n| model.notations.get(n));
    let beginning = notation.and_then(|n| Some((n, game.tag(&n.name)?)));
    if let Some((notation, text)) = beginning {
        let fault = |message: String| RecordFault::new(game.line, 1, message);
        let noted = read_noted(referee, notation, text)
            .map_err(|f| fault(format!("column {} of the tag `{}`: {}", f.column, notation.name, f.message)))?;
        round = noted.round;
        let fact = Piece { text: format!("{} {text}", notation.name), line: game.line, column: 1 };
        let settings = settings.clone();
        record.scene = Some(Scene { settings, facts: vec![fact], line: game.line, ..Scene::default() });
    }
    let start = match &record.scene {
        None => referee.start().map_err(|f| RecordFault::new(game.line, 1, f.words(model)))?,
        Some(scene) => scene
            .opening(referee)
            .map_err(|f| f.into_iter().next().unwrap_or_else(|| RecordFault::new(game.line, 1, "no position")))?,
    };
    let mut walk = RoundWalk { evaluator, referee, position: start, round, last: None };
    let (patterns, lang) = (Patterns::new(model), transcript.tag());
    for (i, made) in game.moves.iter().enumerate() {
        if matches!(evaluator.status(&walk.position), Ok(Status::Over(_))) {
            // Replaying says how the game ended before this move.
            let who = game.moves.get(i.wrapping_sub(2)).map_or_else(String::new, |_| unique_name(model, PLAYER, 0));
            record.plies.push(RecordedPly { made: Move { who, ..made.clone() }, ..RecordedPly::default() });
            break;
        }
        let (who, number) = walk.next();
        if let Some((_, written, line, column)) = game.numbers.iter().find(|(at, ..)| *at == i)
            && *written != number
        {
            let message = format!("this move is number {number}, not {written}");
            return Err(RecordFault::new(*line, *column, message).over(written.to_string().len()));
        }
        let made = Move { who, ..made.clone() };
        match walk.play(&patterns, &lang, &made.text) {
            Some(said) => {
                record.plies.push(RecordedPly { made: Move { text: said, ..made }, ..RecordedPly::default() })
            }
            None => {
                if let [_, _, ..] = walk.likely(&lang, &made.text).as_slice() {
                    let may = walk.likely(&lang, &made.text).join(" or ");
                    let message = format!("`{}` may be {may}", made.text);
                    return Err(RecordFault::new(made.line, made.column, message).over(made.text.chars().count()));
                }
                record.plies.push(RecordedPly { made, ..RecordedPly::default() });
                // Replaying stops here and says why.
                break;
            }
        }
    }
    record.result = result(referee, &walk.position, transcript, game)?;
    Ok(record)
}

/// A game that is played along, with the number of its rounds.
struct RoundWalk<'a> {
    evaluator: &'a dyn Evaluator,
    referee: &'a Explainer,
    position: Position,
    round: u32,
    /// Who moved last.
    last: Option<u16>,
}

impl RoundWalk<'_> {
    /// Who moves now, and the number of the round: a round begins when the first seat moves after another one.
    fn next(&mut self) -> (String, u32) {
        match self.evaluator.status(&self.position) {
            Ok(Status::Decision(q)) => {
                if q.seat == 0 && self.last.is_some_and(|last| last != 0) {
                    self.round += 1;
                }
                self.last = Some(q.seat);
                (unique_name(self.referee.model(), PLAYER, q.seat), self.round)
            }
            _ => (String::from("chance"), self.round),
        }
    }

    /// The options for which a text is short, as a transcript writes them.
    fn likely(&self, lang: &str, text: &str) -> Vec<String> {
        let options = self.evaluator.options(&self.position).unwrap_or_default();
        let said = self.referee.notations(&self.position, lang).among(&options).each(&options);
        let short = |long: &&String| abbreviates(&fold(text), &fold(long));
        said.iter().filter(short).cloned().collect()
    }

    /// Plays what a text means, if it is legal, and gives it in the usual notation.
    fn play(&mut self, patterns: &Patterns, lang: &str, text: &str) -> Option<String> {
        let at = match self.evaluator.status(&self.position).ok()? {
            Status::Decision(q) => q.at,
            Status::Chance(at) => at,
            Status::Over(_) => return None,
        };
        let options = self.evaluator.options(&self.position).ok()?;
        let found = patterns.styled((self.referee, &self.position), at, &options, (lang, text));
        // Anything else that the game reads: another style, a sign of check that is left out.
        let read = || notation::option(self.referee, &self.position, &options, text).ok();
        let choice = found.or_else(read)?;
        if !options.contains(&choice) {
            return None;
        }
        let said = self.referee.say(&self.position, choice, "");
        self.evaluator.apply(&mut self.position, choice).ok()?;
        Some(said)
    }
}

/// The number of the round at the last of the positions of a game, one for each ply and the last.
#[must_use]
pub fn round_of(referee: &Explainer, record: &Record, positions: impl Iterator<Item = impl Borrow<Position>>) -> u32 {
    let notations = &referee.model().notations;
    let facts = record.scene.iter().flat_map(|scene| &scene.facts);
    let begun = facts.filter_map(|fact| {
        let (name, text) = fact.text.split_once(char::is_whitespace)?;
        let notation = notations.iter().find(|n| n.name == name)?;
        read_noted(referee, notation, text).ok()
    });
    let mut round = begun.map(|noted| noted.round).next().unwrap_or(1);
    let mut last = None;
    for position in positions {
        if let Ok(Status::Decision(q)) = referee.status(position.borrow()) {
            round += u32::from(q.seat == 0 && last.is_some_and(|last| last != 0));
            last = Some(q.seat);
        }
    }
    round
}

/// The result as a record has it. A game that is not over by the rules was given up by the only other seat, or is not
/// finished.
fn result(
    referee: &Explainer,
    position: &Position,
    transcript: &Transcript,
    game: &Transcribed,
) -> Result<Option<RecordedResult>, RecordFault> {
    let model = referee.model();
    let Some((text, line)) = &game.result else { return Ok(None) };
    if let Some(tag) = game.tag("Result").filter(|tag| tag != text) {
        let message = format!("the result is `{text}` here, and `{tag}` in the tag `Result`");
        return Err(RecordFault::new(*line, 1, message));
    }
    let over = matches!(referee.status(position), Ok(Status::Over(_)));
    let name = |seat: u16| unique_name(model, PLAYER, seat);
    let seats = model.kinds.get(PLAYER.i()).map_or(0, |k| k.members.len()) as u16;
    let end = match transcript.results.iter().find(|(_, t)| t == text) {
        Some((Some(winner), _)) if over => RecordedEnd::Wins(vec![name(*winner)]),
        Some((Some(winner), _)) if seats == 2 => RecordedEnd::Resigns(name(1 - *winner)),
        Some((None, _)) if over => RecordedEnd::Draw,
        _ => RecordedEnd::Unfinished,
    };
    Ok(Some(RecordedResult { end, line: *line, ..RecordedResult::default() }))
}

/// What is written before and after the moves of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Tags in their order: name and value.
    pub tags: Vec<(String, String)>,
    /// The result; `None`: that of the position reached.
    pub result: Option<String>,
}

/// The tags that a record gives, in the order in which they usually stand, without the result.
fn tags_of(model: &Model, record: &Record) -> Vec<(String, String)> {
    let mut tags = Vec::new();
    let mut add = |name: &str, value: Option<&str>| tags.push((name.to_owned(), value.unwrap_or(UNKNOWN).to_owned()));
    add("Event", record.title.as_deref());
    add("Site", None);
    add("Date", Some("????.??.??"));
    add("Round", None);
    for seat in 0..model.kinds.get(PLAYER.i()).map_or(0, |k| k.members.len()) as u16 {
        let name = unique_name(model, PLAYER, seat);
        let who = record.seats.iter().find(|(n, _)| *n == name).map(|(_, who)| who.as_str());
        add(&name, who);
    }
    tags
}

/// A game from its beginning, with its choices, as a transcript. The frame is that of a transcript that was read;
/// without one it is made from the record.
///
/// # Errors
/// In words: a position or a move that cannot be written so.
pub fn transcribe(
    (evaluator, referee): (&dyn Evaluator, &Explainer),
    transcript: &Transcript,
    (record, beginning): (&Record, &Position),
    choices: &[Choice],
    frame: Option<&Frame>,
) -> Result<String, String> {
    let model = referee.model();
    let notation = transcript.from.and_then(|n| model.notations.get(n));
    let mut round = 1;
    let mut from = None;
    if let (Some(scene), Some(notation)) = (&record.scene, notation) {
        let written = scene.facts.iter().find_map(|f| f.text.strip_prefix(notation.name.as_str()));
        let text = match written {
            Some(text) => text.trim().to_owned(),
            None => write_noted(referee, notation, beginning, 1)
                .ok_or_else(|| format!("the beginning of this game cannot be written as {}", notation.name))?,
        };
        round = read_noted(referee, notation, &text).map_or(1, |noted| noted.round);
        from = Some((notation.name.to_uppercase(), text));
    } else if record.scene.is_some() {
        return Err(format!("{} has no notation of positions, and this game begins at one", transcript.name));
    }
    let lang = transcript.tag();
    let mut walk = RoundWalk { evaluator, referee, position: beginning.clone(), round, last: None };
    let mut words: Vec<String> = Vec::new();
    for choice in choices {
        let before = (walk.round, walk.last);
        let (_, number) = walk.next();
        let said = referee.say(&walk.position, *choice, &lang);
        if said.contains(char::is_whitespace) {
            return Err(format!("`{said}` has spaces, and the moves of {} have none", transcript.name));
        }
        let first = walk.last == Some(0);
        if first && before.1 != Some(0) {
            words.push(format!("{number}."));
        } else if before.1.is_none() {
            words.push(format!("{number}..."));
        }
        words.push(said);
        evaluator.apply(&mut walk.position, *choice).map_err(|f| f.words(model))?;
    }
    let result = match frame.and_then(|f| f.result.clone()) {
        Some(result) => result,
        None => result_text(referee, &walk.position, transcript, record),
    };
    words.push(result.clone());
    let mut tags = frame.map_or_else(|| tags_of(model, record), |f| f.tags.clone());
    if frame.is_none() {
        tags.push((String::from("Result"), result));
        if let Some((name, text)) = from {
            tags.push((String::from("SetUp"), String::from("1")));
            tags.push((name, text));
        }
    }
    let mut out = String::new();
    for (name, value) in &tags {
        let _ = writeln!(out, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""));
    }
    if !tags.is_empty() {
        out.push('\n');
    }
    map::legend::words(&mut out, WIDTH, 0, words.iter().map(String::as_str));
    Ok(out)
}

/// How the result of a game is written.
fn result_text(referee: &Explainer, position: &Position, transcript: &Transcript, record: &Record) -> String {
    let winners = match referee.status(position) {
        Ok(Status::Over(outcome)) => Some(outcome.winners),
        _ => match record.result.as_ref().map(|r| &r.end) {
            Some(RecordedEnd::Resigns(name)) => {
                let others = transcript.results.iter().filter_map(|(seat, _)| *seat);
                let model = referee.model();
                Some(others.filter(|seat| unique_name(model, PLAYER, *seat) != *name).collect())
            }
            _ => None,
        },
    };
    let seat = match winners.as_deref() {
        Some([]) => None,
        Some([winner]) => Some(*winner),
        _ => return UNFINISHED.to_owned(),
    };
    let found = transcript.results.iter().find(|(s, _)| *s == seat).map(|(_, text)| text.clone());
    found.unwrap_or_else(|| UNFINISHED.to_owned())
}
