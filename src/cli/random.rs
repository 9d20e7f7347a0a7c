//! `random`: many games played by chance.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressDrawTarget};
use lawspeaker::facts::{self, Scene};
use lawspeaker::game::{Choice, History, Position, Status};
use lawspeaker::lexicon::{Counted, Lexicon, fill};
use lawspeaker::library::Unusable;
use lawspeaker::players::derived;
use lawspeaker::record::{self, Record, ReplayEnd};
use lawspeaker::simulate::{self, Finish, MAX_PLIES, Played};
use lawspeaker::stats::Counts;
use lawspeaker::{reading, writing};
use rayon::prelude::*;
use serde_json::{Value as Json, json};

use super::flags::{PositionArgs, RulesArgs, SeedArgs};
use super::number::{LARGEST, MAX_GAME_PLIES, within};
use super::screen::{Screen, Style};
use super::session::Session;
use super::simulate::{left_out, problem};
use super::{Answer, Run, Stop, varied};

/// Play many random games and report how they end, how long they are, and whether the rules ever fail.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker random confrontation --games 1000 --seed 1\n  \
    lawspeaker random mygame --games 100 --replay --keep faults\n  \
    lawspeaker random mygame --at siege.position\n\n\
    The same seed gives the same games on any machine.\n\n\
    Exit code 1: the rules failed in some game.")]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    /// Play this many games.
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = within::<u64>(1..=LARGEST))]
    games: u64,
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    seed: SeedArgs,
    /// End a game after this many plies.
    #[arg(long, default_value_t = MAX_PLIES, value_name = "N", value_parser = within::<usize>(1..=MAX_GAME_PLIES))]
    plies: usize,
    /// Write each game as a record, read it and replay it: the last position must be the same.
    #[arg(long)]
    replay: bool,
    /// Draw the options and readings of each game at random too, so that all of them are played.
    #[arg(long, conflicts_with = "at")]
    vary: bool,
    /// Check each position of the first N games against every `never`, which is slow.
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = within::<u64>(0..=LARGEST))]
    checked: u64,
    /// Write records of the games in which the rules fail into this folder.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    rules: RulesArgs,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// What is asked for: the arguments, and the position that games begin at with how it came about; without one they
/// begin at the start.
#[derive(Clone, Copy)]
struct Asked<'a> {
    args: &'a Args,
    from: Option<&'a (Position, History)>,
}

impl Asked<'_> {
    /// A game with a seed.
    fn play(&self, session: &Session, seed: u64) -> Played {
        let from = self.from.map(|(position, _)| position);
        simulate::one_from(session.rules.evaluators(), from, seed, self.args.plies)
    }

    /// The position that a record of a game begins with, and the choices from there to the end of the game.
    fn history(&self, session: &Session, played: &Played) -> Option<(Position, Vec<Choice>)> {
        let mut choices = Vec::new();
        let opening = match self.from {
            Some((_, history)) => {
                choices.clone_from(&history.choices);
                history.opening.clone()
            }
            None => None,
        };
        choices.extend(played.plies.iter().map(|ply| ply.choice));
        let first = opening.map_or_else(|| session.rules.start().ok(), Some)?;
        Some((first, choices))
    }

    /// The facts of the position that games begin with, or that what led to it began with.
    fn scene(&self, session: &Session) -> Option<Scene> {
        let opening = self.from?.1.opening.as_ref()?;
        let rules = session.rules.explainer();
        Scene::parse(&facts::save(rules, session.rules.settings(), &[], opening)).ok()
    }
}

/// What is kept of a game.
struct Kept {
    game: u64,
    seed: u64,
    plies: usize,
    /// The number of plies after which it went wrong, or of all.
    at: usize,
    ending: Option<String>,
    /// What went wrong.
    fault: Option<String>,
}

/// Faulty games that are told of, for programs with their records.
const MAX_FAULTS: usize = 100;

/// The plies of a record that is shown whole.
const MAX_SHOWN: usize = 200;

/// What came of all games.
#[derive(Default)]
struct Tally {
    lengths: Counts,
    endings: BTreeMap<String, usize>,
    faulty: usize,
    /// The first faulty games.
    faults: Vec<Kept>,
}

impl Tally {
    fn add(&mut self, mut kept: Kept) {
        self.lengths.add(kept.plies);
        if let Some(ending) = kept.ending.take() {
            *self.endings.entry(ending).or_default() += 1;
        }
        if kept.fault.is_some() {
            self.faulty += 1;
            if self.faults.len() < MAX_FAULTS {
                self.faults.push(kept);
            }
        }
    }

    /// Endings and how many games had each, the most frequent first.
    fn endings(&self) -> Vec<(&str, usize)> {
        let mut sorted: Vec<(&str, usize)> = self.endings.iter().map(|(name, n)| (name.as_str(), *n)).collect();
        sorted.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        sorted
    }
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let (session, from) = args.position.begin(&args.game, &args.rules)?;
    let asked = Asked { args, from: from.as_ref() };
    let bar = ProgressBar::with_draw_target(Some(args.games), ProgressDrawTarget::stderr());
    let make = |game: u64| dealt(args, &session, game);
    let look = |dealt: &Session, game: u64, played: Played| {
        bar.inc(1);
        keep(asked, dealt, game, &played)
    };
    if let Some(folder) = &args.keep {
        make_folder(folder)?;
    }
    let mut tally = Tally::default();
    for batch in simulate::batches(args.games) {
        let wanted = batch.clone().count();
        let games = simulate::many(
            &simulate::GO_ON,
            make,
            (batch, args.seed.fixed()),
            |dealt, seed| asked.play(dealt, seed),
            look,
        );
        if let Some(folder) = &args.keep {
            games.par_iter().filter(|g| g.fault.is_some()).try_for_each(|g| write_fault(folder, asked, &session, g))?;
        }
        let whole = games.len() == wanted;
        games.into_iter().for_each(|kept| tally.add(kept));
        if !whole {
            break;
        }
    }
    bar.finish_and_clear();
    if args.json {
        screen.json(&to_json(asked, &session, &tally))?;
    } else {
        print(asked, &session, &tally, screen)?;
        left_out(args.games, tally.lengths.total(), session.lexicon().words, screen)?;
    }
    Ok(Answer::from(tally.faulty == 0))
}

/// The rules of a game, under the options drawn for it.
fn dealt(args: &Args, session: &Session, game: u64) -> Session {
    if !args.vary {
        return session.clone();
    }
    varied::dealt(session, derived(args.seed.fixed(), game))
}

/// The record of a game, which is played once more for it: records are long, and only a few are wanted.
fn record_of(asked: Asked<'_>, session: &Session, kept: &Kept) -> String {
    let dealt = dealt(asked.args, session, kept.game);
    let mut played = asked.play(&dealt, kept.seed);
    if kept.at < played.plies.len() {
        played.plies.truncate(kept.at);
        played.finish = Finish::GivenUp(kept.at);
    }
    record::write(&as_record(asked, &dealt, &played))
}

fn keep(asked: Asked<'_>, session: &Session, game: u64, played: &Played) -> Kept {
    let args = asked.args;
    // Programs get faults in the words of the rule files.
    let lexicon = if args.json { Lexicon::new(session.model(), "") } else { session.lexicon() };
    let ending = match &played.finish {
        Finish::Over(outcome) => Some(ending(session, outcome)),
        _ => None,
    };
    let problem = problem(&lexicon, &played.finish);
    let plies = played.plies.len();
    let broken = problem.is_none() && game < args.checked;
    let (at, problem) = match broken.then(|| never(asked, session, &lexicon, played)).flatten() {
        Some((at, broken)) => (at, Some(broken)),
        None => (plies, problem.or_else(|| args.replay.then(|| again(asked, session, &lexicon, played)).flatten())),
    };
    Kept { game, seed: played.seed, plies, at, ending, fault: problem }
}

/// The ending without its scores, so that games of one ending count together.
fn ending(session: &Session, outcome: &lawspeaker::game::Outcome) -> String {
    let bare = lawspeaker::game::Outcome { scores: Vec::new(), ..outcome.clone() };
    session.outcome(&bare)
}

fn as_record(asked: Asked<'_>, session: &Session, played: &Played) -> Record {
    let mut record = Record {
        scene: asked.scene(session),
        settings: session.rules.settings().clone(),
        rules: Some(session.rules.digest()),
        seed: Some(played.seed),
        ..Record::default()
    };
    let Some((mut position, choices)) = asked.history(session, played) else {
        return record;
    };
    for choice in choices {
        record.plies.push(record::ply((session.rules.evaluators(), session.rules.explainer()), &position, choice));
        if session.rules.apply(&mut position, choice).is_err() {
            break;
        }
    }
    if let Finish::Over(outcome) = &played.finish {
        record.result = Some(record::result_of(session.model(), Some(outcome)));
    }
    record
}

/// The first position of a game that a `never` rules out. What a game ends with is not looked at: nobody begins there.
fn never(asked: Asked<'_>, session: &Session, lexicon: &Lexicon<'_>, played: &Played) -> Option<(usize, String)> {
    let model = session.model();
    if model.nevers.is_empty() {
        return None;
    }
    let mut position = asked.from.map_or_else(|| session.rules.start().ok(), |(position, _)| Some(position.clone()))?;
    let mut choices = played.plies.iter().map(|ply| ply.choice);
    for plies in 0.. {
        if let Ok(Status::Over(_)) | Err(_) = session.rules.status(&position) {
            return None;
        }
        match session.broken(&position) {
            Ok(broken) => {
                if let Some(id) = broken.first() {
                    return Some((plies, session.is_broken(*id)));
                }
            }
            Err(fault) => return Some((plies, lexicon.fault(&fault))),
        }
        session.rules.apply(&mut position, choices.next()?).ok()?;
    }
    None
}

/// Plays the game again from the text of its record; what is different then.
fn again(asked: Asked<'_>, session: &Session, lexicon: &Lexicon<'_>, played: &Played) -> Option<String> {
    let words = &lexicon.words.many;
    let text = record::write(&as_record(asked, session, played));
    let read = match record::parse(&text) {
        Ok(read) => read,
        Err(faults) => return Some(fill(words.record_unread, &[&faults.first()?.to_string()])),
    };
    let replay = session.rules.replay(&read);
    if let ReplayEnd::Stopped { .. } = replay.end {
        return Some(fill(words.record_unplayed, &[&replay.words(session.rules.explainer(), lexicon.lang)]));
    }
    let digest = replay.position.as_ref().map(Position::digest);
    (digest != Some(played.digest)).then(|| words.other_position.to_owned())
}

/// Makes a folder, and those that it lies in.
pub fn make_folder(folder: &std::path::Path) -> Result<(), Stop> {
    let cannot = |e| {
        let message = format!("cannot make {}: {e}", folder.display());
        Unusable::new(message, "choose a place where you may write")
    };
    Ok(std::fs::create_dir_all(folder).map_err(cannot)?)
}

fn write_fault(folder: &std::path::Path, asked: Asked<'_>, session: &Session, kept: &Kept) -> Result<(), Unusable> {
    let name = format!("{}-{}.record", session.model().name, kept.seed);
    let (file, text) = (folder.join(name), record_of(asked, session, kept));
    // The same game of an earlier run.
    if reading::text(&file).is_ok_and(|there| there == text) {
        return Ok(());
    }
    Ok(writing::begin(&file, &text).map(|_| ())?)
}

fn print(asked: Asked<'_>, session: &Session, tally: &Tally, screen: &mut Screen) -> Result<(), Stop> {
    let args = asked.args;
    let words = session.lexicon().words;
    let lengths = &tally.lengths;
    for (ending, count) in tally.endings() {
        let share = 100.0 * count as f64 / lengths.total() as f64;
        writeln!(screen, "{count:>7}  {share:>5.1} %  {ending}")?;
    }
    let [least, most, median] = [lengths.least(), lengths.most(), lengths.median()].map(|n| n.to_string());
    writeln!(screen, "{}", fill(words.many.lengths, &[&least, &most, &median]))?;
    for (i, kept) in tally.faults.iter().enumerate().take(10) {
        let Kept { game, seed, at: plies, fault: Some(fault), .. } = kept else { continue };
        let word = screen.styled(Style::Bad, words.many.fault_word);
        let [number, begun, ply] = [game + 1, *seed, *plies as u64].map(|n| n.to_string());
        writeln!(screen, "{}", fill(words.many.in_game, &[&word, &number, &begun, &ply, fault]))?;
        if i == 0 && args.keep.is_none() && *plies > MAX_SHOWN {
            writeln!(screen, "  {}", words.many.long_record)?;
        } else if i == 0 && args.keep.is_none() {
            let record = record_of(asked, session, kept);
            let indented = record.trim_end().replace('\n', "\n    ");
            writeln!(screen, "  {}\n    {indented}", words.many.record)?;
        }
    }
    let style = if tally.faulty == 0 { Style::Good } else { Style::Bad };
    let faults = match tally.faulty {
        0 => words.pairs.no_faults.to_owned(),
        n => words.counts.of(Counted::Faults, n),
    };
    let faults = screen.styled(style, &faults);
    let count = words.counts.of(Counted::Games, lengths.total());
    let again = if args.replay { words.many.replayed } else { "" };
    let name = &session.rules.loaded().folder.name;
    writeln!(screen, "{}", fill(words.many.total, &[name, &count, again, &faults]))?;
    Ok(())
}

/// `faults` are the first ones with their records, `faulty` is how many there are.
fn to_json(asked: Asked<'_>, session: &Session, tally: &Tally) -> Json {
    let endings: Vec<Json> =
        tally.endings().into_iter().map(|(ending, n)| json!({ "ending": ending, "games": n })).collect();
    let fault = |f: &Kept| {
        let record = record_of(asked, session, f);
        json!({ "game": f.game, "seed": f.seed, "ply": f.at, "fault": f.fault, "record": record })
    };
    let lengths = &tally.lengths;
    json!({
        "game": session.model().name,
        "seed": asked.args.seed.fixed(),
        "games": lengths.total(),
        "endings": endings,
        "plies": { "least": lengths.least(), "median": lengths.median(), "most": lengths.most() },
        "faulty": tally.faulty,
        "faults": tally.faults.iter().map(fault).collect::<Vec<Json>>(),
    })
}
