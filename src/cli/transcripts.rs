//! Games in transcripts, such as PGN, and what is played written in a notation of its game.

use std::path::Path;

use lawspeaker::game::Position;
use lawspeaker::library::Unusable;
use lawspeaker::model::{Model, Transcript};
use lawspeaker::record::{self, Frame, Record, RecordedPly, Replay, Transcribed};
use lawspeaker::rules::Rules;
use lawspeaker::{facts, spelling::list};

use super::games;

/// A form in which a game can be written.
#[derive(Clone, Copy)]
pub enum Form<'m> {
    /// A record.
    Record,
    /// A transcript.
    Transcript(&'m Transcript),
    /// The last position, in a notation of positions.
    Position(&'m lawspeaker::model::PositionNotation),
}

/// The form that a name stands for.
pub fn form<'m>(model: &'m Model, name: &str) -> Result<Form<'m>, Unusable> {
    if name == "record" {
        return Ok(Form::Record);
    }
    let transcript = model.transcript(name).map(Form::Transcript);
    transcript.or_else(|| model.notation(name).map(Form::Position)).ok_or_else(|| {
        let own = model.transcripts.iter().map(|t| &t.name).chain(model.notations.iter().map(|n| &n.name));
        let known: Vec<String> = std::iter::once(String::from("record")).chain(own.cloned()).collect();
        Unusable::new(format!("{} has no notation `{name}`", model.name), format!("it has: {}", list(&known, 12)))
    })
}

/// One game of a transcript as a record.
pub fn record(rules: &Rules, file: &Path, text: &str, number: usize) -> Result<(Record, Transcribed), Unusable> {
    let model = rules.model();
    let Some(transcript) = model.transcripts.first() else {
        let message = format!("{}: {} has no transcripts", file.display(), model.name);
        return Err(Unusable::new(message, "its rules would declare one: `transcript NAME \"...\" { ... }`"));
    };
    let faults = |fault| games::faults(file, text, &[fault]);
    let game = record::games_of(transcript, text).map_err(faults)?.into_iter().nth(number);
    let game = game.ok_or_else(|| Unusable::new(format!("{} has no such game", file.display()), ""))?;
    let read = record::record_of((rules.evaluators(), rules.explainer()), transcript, &game, rules.settings())
        .map_err(faults)?;
    Ok((read, game))
}

/// A game that was played to its end in a form. `from` is the transcript that it was read from.
pub fn written(
    rules: &Rules,
    form: Form<'_>,
    record: &Record,
    replay: &Replay,
    from: Option<&Transcribed>,
) -> Result<String, String> {
    let (evaluator, referee) = (rules.evaluators(), rules.explainer());
    let positions = replay.positions(evaluator);
    match form {
        Form::Record => {
            let plies = positions.zip(&replay.plies);
            let plies = plies.map(|(at, ply)| record::ply((evaluator, referee), &at, ply.choice));
            let plies: Vec<RecordedPly> = plies.collect();
            let over = match &replay.end {
                record::ReplayEnd::Complete(Some(outcome)) => Some(record::result_of(rules.model(), Some(outcome))),
                _ => record.result.clone(),
            };
            let mut settings = record.settings.clone();
            settings.game.clone_from(&rules.model().name);
            let rules = Some(rules.digest());
            Ok(record::write(&Record { settings, plies, result: over, rules, ..record.clone() }))
        }
        Form::Transcript(transcript) => {
            let beginning = replay.beginning.as_ref().ok_or("this game has no beginning")?;
            let choices: Vec<_> = replay.plies.iter().map(|p| p.choice).collect();
            let frame = from.map(|game| Frame {
                tags: game.tags.clone(),
                result: game.result.as_ref().map(|(text, _)| text.clone()),
            });
            record::transcribe((evaluator, referee), transcript, (record, beginning), &choices, frame.as_ref())
        }
        Form::Position(notation) => {
            let last = replay.position.as_ref().ok_or("this game has no position")?;
            position(rules, notation, last, round(record, rules, positions, last)).map(|text| text + "\n")
        }
    }
}

/// A position in a notation.
pub fn position(
    rules: &Rules,
    notation: &lawspeaker::model::PositionNotation,
    at: &Position,
    round: u32,
) -> Result<String, String> {
    facts::write_noted(rules.explainer(), notation, at, round)
        .ok_or_else(|| format!("this position cannot be written as {}", notation.name))
}

/// The number of the round at the last position.
fn round(record: &Record, rules: &Rules, positions: impl Iterator<Item = Position>, last: &Position) -> u32 {
    record::round_of(rules.explainer(), record, positions.chain([last.clone()]))
}
