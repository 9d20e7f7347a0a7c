//! `random`: many games played by chance.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressDrawTarget};
use lawspeaker::engine::Engine;
use lawspeaker::facts::Settings;
use lawspeaker::game::{Evaluator as _, Position};
use lawspeaker::library;
use lawspeaker::model::{Base, Config, Value};
use lawspeaker::players::derived;
use lawspeaker::record::{self, Record, ReplayEnd, Replayer};
use lawspeaker::report::plural;
use lawspeaker::simulate::{self, Finish, MAX_PLIES, Played};
use lawspeaker::writing;
use serde_json::{Value as Json, json};

use super::desk::{Desk, RulesArgs};
use super::screen::{Screen, Style};
use super::{Answer, Run, Stop};

/// Play many random games: how they end, how long they are, and whether the rules ever fail.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker random confrontation --games 1000 --seed 1\n  \
    lawspeaker random mygame --games 100 --replay --keep faults\n\n\
    The same seed gives the same games on any machine. Exit code 1: the rules failed in some game.")]
pub struct Args {
    /// Folder of .law files, or a shipped game.
    game: String,
    /// How many games.
    #[arg(long, default_value_t = 100, value_name = "N")]
    games: u64,
    /// Seed of all games.
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// Give a game up after so many plies.
    #[arg(long, default_value_t = MAX_PLIES, value_name = "N")]
    plies: usize,
    /// Write each game as a record, read it again and play it again: the last position must be the same.
    #[arg(long)]
    replay: bool,
    /// Draw the options and readings of each game too, so that all of them are played.
    #[arg(long)]
    vary: bool,
    /// Write the records of games in which the rules fail into this folder.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    rules: RulesArgs,
    /// For programs.
    #[arg(long)]
    json: bool,
}

/// What is kept of a game.
struct Kept {
    game: u64,
    seed: u64,
    plies: usize,
    ending: Option<String>,
    /// What went wrong, with the record that leads there.
    fault: Option<(String, String)>,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let desk = Desk::open(&args.game, &args.rules.settings(), "")?;
    let bar = ProgressBar::with_draw_target(Some(args.games), ProgressDrawTarget::stderr());
    let make = |game: u64| {
        if !args.vary {
            return desk.engine();
        }
        let config = simulate::varied(desk.model(), desk.rules.config(), derived(args.seed, game));
        Engine::new(Arc::clone(&desk.loaded.model), config)
    };
    let look = |engine: &Engine, game: u64, played: Played| {
        bar.inc(1);
        let settings = if args.vary { settings_of(&desk, engine.config()) } else { desk.settings.clone() };
        let desk = Desk::with(engine.clone(), settings, Arc::clone(&desk.loaded), String::new());
        keep(args, &desk, game, &played)
    };
    let games =
        simulate::many(make, (args.games, args.seed), |engine, seed| simulate::one(engine, seed, args.plies), look);
    bar.finish_and_clear();
    if let Some(folder) = &args.keep {
        write_faults(folder, &desk, &games)?;
    }
    if args.json {
        screen.json(&to_json(args, &desk, &games))?;
    } else {
        print(args, &desk, &games, screen)?;
    }
    Ok(Answer::from(games.iter().all(|g| g.fault.is_none())))
}

/// The settings that give these options and readings.
fn settings_of(desk: &Desk, config: &Config) -> Settings {
    let named = desk.model().config.iter().zip(&config.0).filter(|(item, value)| item.default != **value);
    let options = named.map(|(item, value)| {
        let text = match item.choices.get(usize::try_from(*value).unwrap_or(0)) {
            Some(choice) if item.is_reading() => choice.name.clone(),
            _ => desk.rules.value_text(&item.ty.base, &Value::Int(*value), ""),
        };
        let text = match (&item.ty.base, *value) {
            (Base::Bool, 0) => String::from("false"),
            (Base::Bool, _) => String::from("true"),
            _ => text,
        };
        (item.name.clone(), Some(text))
    });
    Settings { options: options.collect(), preset: None, ..desk.settings.clone() }
}

fn keep(args: &Args, desk: &Desk, game: u64, played: &Played) -> Kept {
    let (ending, problem) = match &played.finish {
        Finish::Over(outcome) => (Some(ending(desk, outcome)), None),
        Finish::Fault(fault) => (None, Some(fault.words(desk.model()))),
        Finish::Stuck => (None, Some(String::from("a decision has no options"))),
        Finish::GivenUp(n) => (None, Some(format!("not over after {n} plies"))),
    };
    let problem = problem.or_else(|| args.replay.then(|| again(desk, played)).flatten());
    Kept {
        game,
        seed: played.seed,
        plies: played.plies.len(),
        ending,
        fault: problem.map(|words| (words, record::write(&as_record(desk, played)))),
    }
}

/// The ending without its scores, so that games of one ending count together.
fn ending(desk: &Desk, outcome: &lawspeaker::game::Outcome) -> String {
    let bare = lawspeaker::game::Outcome { scores: Vec::new(), ..outcome.clone() };
    desk.outcome(&bare)
}

fn as_record(desk: &Desk, played: &Played) -> Record {
    let mut record = Record {
        settings: desk.settings.clone(),
        rules: Some(record::rules_digest(desk.model(), desk.rules.config())),
        seed: Some(played.seed),
        ..Record::default()
    };
    let Ok(mut position) = desk.rules.start() else {
        return record;
    };
    for ply in &played.plies {
        record.plies.push(record::ply(&*desk.rules, &position, ply.choice));
        if desk.rules.apply(&mut position, ply.choice).is_err() {
            break;
        }
    }
    if let Finish::Over(outcome) = &played.finish {
        record.result = Some(record::result_of(desk.model(), Some(outcome)));
    }
    record
}

/// Plays the game again from the text of its record; what is different then.
fn again(desk: &Desk, played: &Played) -> Option<String> {
    let text = record::write(&as_record(desk, played));
    let read = match record::parse(&text) {
        Ok(read) => read,
        Err(faults) => return Some(format!("its record cannot be read: {}", faults.first()?)),
    };
    let replayer = Replayer::new(desk.model(), desk.rules.config());
    let replay = replayer.replay(&read, &desk.engine(), &*desk.rules);
    if let ReplayEnd::Stopped { .. } = replay.end {
        return Some(format!("its record cannot be played: {}", replay.words(desk.model())));
    }
    let digest = replay.position.as_ref().map(Position::digest);
    (digest != Some(played.digest)).then(|| String::from("its record leads to another position"))
}

fn write_faults(folder: &std::path::Path, desk: &Desk, games: &[Kept]) -> Result<(), Stop> {
    let cannot = |e| {
        let message = format!("cannot make {}: {e}", folder.display());
        lawspeaker::library::Unusable::new(message, "choose a place where you may write")
    };
    std::fs::create_dir_all(folder).map_err(cannot)?;
    for (game, (_, text)) in games.iter().filter_map(|g| Some((g, g.fault.as_ref()?))) {
        let name = format!("{}-{}.record", desk.model().name, game.seed);
        let file = folder.join(name);
        // The same game of an earlier run.
        if library::read_text(&file).is_ok_and(|there| there == *text) {
            continue;
        }
        writing::begin(&file, text)?;
    }
    Ok(())
}

/// Endings and how many games had each, the most frequent first.
fn endings(games: &[Kept]) -> Vec<(&str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for ending in games.iter().filter_map(|g| g.ending.as_deref()) {
        *counts.entry(ending).or_default() += 1;
    }
    let mut sorted: Vec<(&str, usize)> = counts.into_iter().collect();
    sorted.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    sorted
}

/// Shortest, median and longest.
fn lengths(games: &[Kept]) -> (usize, usize, usize) {
    let mut all: Vec<usize> = games.iter().map(|g| g.plies).collect();
    all.sort_unstable();
    let at = |i: usize| all.get(i).copied().unwrap_or(0);
    (at(0), at(all.len() / 2), at(all.len().saturating_sub(1)))
}

fn print(args: &Args, desk: &Desk, games: &[Kept], screen: &mut Screen) -> Result<(), Stop> {
    for (ending, count) in endings(games) {
        let share = 100.0 * count as f64 / games.len() as f64;
        writeln!(screen, "{count:>7}  {share:>5.1} %  {ending}")?;
    }
    let (short, median, long) = lengths(games);
    writeln!(screen, "plies: {short} to {long}, median {median}")?;
    let faulty: Vec<&Kept> = games.iter().filter(|g| g.fault.is_some()).collect();
    for (i, game) in faulty.iter().enumerate().take(10) {
        let Some((words, text)) = &game.fault else {
            continue;
        };
        let word = screen.styled(Style::Bad, "fault");
        writeln!(screen, "{word} in game {} (seed {}), after ply {}: {words}", game.game + 1, game.seed, game.plies)?;
        if i == 0 && args.keep.is_none() {
            let indented = text.trim_end().replace('\n', "\n    ");
            writeln!(screen, "  the record that leads there:\n    {indented}")?;
        }
    }
    let style = if faulty.is_empty() { Style::Good } else { Style::Bad };
    let words = match faulty.len() {
        0 => String::from("no faults"),
        n => plural(n, "fault"),
    };
    let words = screen.styled(style, &words);
    let count = plural(games.len(), "game");
    let again = if args.replay { ", each replayed from its record" } else { "" };
    writeln!(screen, "{}: {count}{again}, {words}", desk.loaded.folder.name)?;
    Ok(())
}

fn to_json(args: &Args, desk: &Desk, games: &[Kept]) -> Json {
    let endings: Vec<Json> =
        endings(games).into_iter().map(|(ending, n)| json!({ "ending": ending, "games": n })).collect();
    let fault = |g: &Kept| {
        let (words, text) = g.fault.as_ref()?;
        Some(json!({ "game": g.game, "seed": g.seed, "ply": g.plies, "fault": words, "record": text }))
    };
    let (short, median, long) = lengths(games);
    json!({
        "game": desk.model().name,
        "seed": args.seed,
        "games": games.len(),
        "endings": endings,
        "plies": { "least": short, "median": median, "most": long },
        "faults": games.iter().filter_map(fault).collect::<Vec<Json>>(),
    })
}
