//! `odds`: how likely something is from a position on.

use std::io::Write as _;
use std::path::PathBuf;

use lawspeaker::facts::Settings;
use lawspeaker::game::Position;
use lawspeaker::library::Unusable;
use lawspeaker::model::Value;
use lawspeaker::report::plural;
use lawspeaker::search::{self, Chances, FORMS, Halt, Odds, Policy, Query, Ratio, Sampled, Unclear, Until};
use lawspeaker::simulate;
use serde_json::{Value as Json, json};

use super::number::{LARGEST, MAX_GAME_PLIES, MAX_KEPT, seed, within};
use super::screen::{self, Screen, Style};
use super::session::{RulesArgs, Session};
use super::{Answer, Run, Stop, games};

/// How likely something is: exactly, over all that chance and the seats may do.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The question is an expression of the language (`crowd(Dark, Shire)`, `Frodo.at is none`), or one of: SEAT wins, \
    SEAT loses, draw, over, winner, ending, score of SEAT.\n\n\
    Examples:\n  lawspeaker odds backgammon 'dice' --until decision\n  \
    lawspeaker odds confrontation --at ford.position --do 'Orcs to Fangorn' --seats random 'Frodo.at is none'\n  \
    lawspeaker odds confrontation --at ford.position --do 'Orcs to Fangorn' --seat 'Good=stand; best' --seats random 'winner'\n  \
    lawspeaker odds leduc-holdem --seats random --until over 'score of First'\n\n\
    Exit code 0: there is an answer, whatever it is; 2: a question or a decision on the way is not said."
)]
pub struct Args {
    /// Folder of .law files, or a shipped game.
    game: String,
    /// What is asked when all is done.
    question: String,
    /// A position (`given ...`) or a record; the start of the game if not given.
    #[arg(long, value_name = "FILE")]
    at: Option<PathBuf>,
    /// Of a record: the position before this ply; its end if not given.
    #[arg(long, value_name = "N", value_parser = within::<usize>(1..=LARGEST))]
    ply: Option<usize>,
    /// What is done first, in the game's notation (may be given several times, in order).
    #[arg(long = "do", value_name = "ACTION")]
    first: Vec<String>,
    /// When the question is asked: `next` (what was begun is done, and a seat decides again), `decision` (any seat must decide),
    /// `over` (the end of the game), or an expression: as soon as it holds. At the latest when the game is over.
    #[arg(long, default_value = "next", value_name = "WHEN")]
    until: String,
    /// Over all that this seat cannot see: every way in which it can lie is equally likely. Of the ways in which what is done first cannot be done
    /// none is counted.
    #[arg(long, value_name = "SEAT")]
    view: Option<String>,
    /// Most such ways.
    #[arg(long, default_value_t = 10_000, value_name = "N", requires = "view", value_parser = within::<usize>(1..=MAX_KEPT))]
    worlds: usize,
    /// How a seat decides on the way: options in its order of preference and, last, `random`, `first`, `best` or `worst` for the rest, with `;`
    /// between.
    #[arg(long, value_name = "SEAT=HOW")]
    seat: Vec<String>,
    /// How the seats decide that are not named.
    #[arg(long, value_name = "HOW")]
    seats: Option<String>,
    /// Look no further than this many plies.
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = within::<usize>(1..=MAX_GAME_PLIES))]
    plies: usize,
    /// Go on from this many positions at the most; what is left is said.
    #[arg(long, default_value_t = 2_000_000, value_name = "N", value_parser = within::<usize>(1..=MAX_KEPT))]
    most: usize,
    /// Do not follow all ways, but try so many by chance.
    #[arg(long, value_name = "N", value_parser = within::<usize>(1..=LARGEST))]
    sample: Option<usize>,
    /// Seed of the tries.
    #[arg(long, default_value_t = 1, value_name = "S", requires = "sample", value_parser = seed)]
    seed: u64,
    #[command(flatten)]
    rules: RulesArgs,
    /// Language of names and notation, for example ja.
    #[arg(long, default_value = "", hide_default_value = true)]
    lang: String,
    /// For programs.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let settings: Settings = args.rules.settings();
    let (session, position) = games::at_file(&args.game, args.at.as_deref(), args.ply, &settings, &args.lang)?;
    let help = format!("ask {FORMS}");
    let query = Query::new(&session.rules, &args.question).map_err(|m| Unusable::new(m, help))?;
    let players = players(&session, &args.seat, args.seats.as_deref())?;
    let from = possible(args, &session, &position)?;
    let (from, level) = done(&session, from, &args.first)?;
    let until = until(&session, &args.until, level)?;
    let bar = screen::counter("positions");
    let watch = |n: usize| bar.set_position(n as u64);
    let engine = session.engine();
    let odds =
        Odds { engine: &engine, until: &until, players: &players, plies: args.plies, most: args.most, watch: &watch };
    let worlds = from.len();
    let from: Vec<(Position, Ratio)> = from.into_iter().map(|p| (p, Ratio::ONE.one_of(worlds))).collect();
    match args.sample {
        Some(tries) => {
            let sampled = search::sample(&odds, &from, &query, (tries, args.seed));
            bar.finish_and_clear();
            told_sampled(args, &query, &sampled.map_err(|h| halted(&session, h))?, screen)?;
        }
        None => {
            let chances = odds.ask(from, &query);
            bar.finish_and_clear();
            told(args, &query, &chances.map_err(|h| halted(&session, h))?, worlds, screen)?;
        }
    }
    Ok(Answer::Yes)
}

/// The positions that the question is about, each equally likely.
fn possible(args: &Args, session: &Session, position: &Position) -> Result<Vec<Position>, Stop> {
    let Some(view) = &args.view else {
        return Ok(vec![position.clone()]);
    };
    let seat = session.seat(view)?;
    search::worlds(&session.rules, position, seat, args.worlds).map_err(|unclear| match unclear {
        Unclear::Fault(fault) => session.fault(&fault),
        other => {
            let help = "without --view the position is taken as it lies; --worlds N looks at more ways";
            Unusable::new(other.to_string(), help).into()
        }
    })
}

/// Makes the choices that come first, wherever all of them can be made; the positions then, and the level at which what is begun is done.
fn done(session: &Session, from: Vec<Position>, first: &[String]) -> Result<(Vec<Position>, usize), Stop> {
    let mut level = usize::MAX;
    let mut wrong: Option<String> = None;
    let mut reached = Vec::new();
    for mut position in from {
        let mut here = position.depth(session.model());
        let made = first.iter().enumerate().try_for_each(|(i, text)| {
            search::make(&session.rules, &mut position, text).map_err(|m| format!("--do {}, `{text}`: {m}", i + 1))?;
            here = here.min(position.depth(session.model()));
            Ok(())
        });
        match made {
            Ok(()) => {
                level = level.min(here);
                reached.push(position);
            }
            Err(words) => wrong = wrong.or(Some(words)),
        }
    }
    match wrong.filter(|_| reached.is_empty()) {
        Some(words) => Err(Unusable::new(words, "`lawspeaker ask` lists what is legal").into()),
        None => Ok((reached, level)),
    }
}

fn until(session: &Session, text: &str, level: usize) -> Result<Until, Unusable> {
    Ok(match text.trim() {
        "next" => Until::Level(level),
        "decision" => Until::Decision,
        "over" => Until::Over,
        condition => {
            let help = "--until takes next, decision, over or a condition in the language of the rules";
            Until::Holds(
                Query::condition(&session.rules, condition)
                    .map_err(|m| Unusable::new(format!("--until: {m}"), help))?,
            )
        }
    })
}

/// For each seat how it decides.
fn players(session: &Session, named: &[String], others: Option<&str>) -> Result<Vec<Policy>, Unusable> {
    let mut players = vec![others.map_or_else(Policy::default, Policy::parse); session.seats()];
    for text in named {
        let Some((seat, how)) = text.split_once('=') else {
            let help = "write SEAT=HOW, for example --seat Dark=random; --seats random is about all of them";
            return Err(Unusable::new(format!("`{text}` does not say how the seat decides"), help));
        };
        let seat = session.seat(seat.trim())?;
        if let Some(policy) = players.get_mut(usize::from(seat)) {
            *policy = Policy::parse(how);
        }
    }
    Ok(players)
}

/// Why there is no answer.
pub fn halted(session: &Session, halt: Halt) -> Stop {
    match halt {
        Halt::Fault(fault) => session.fault(&fault),
        Halt::Unsaid(words) => {
            let help = "say how with --seat SEAT=HOW (random, first, best, worst or an option), or for all with --seats random; or stop there with --until decision";
            Unusable::new(words, help).into()
        }
        Halt::Idle(words) => Unusable::new(words, "leave it out, or write it as `ask` lists it").into(),
        Halt::Best(words) => Unusable::new(words, "").into(),
    }
}

/// `30.556 %`
fn percent(share: f64) -> String {
    format!("{:.3} %", 100.0 * share)
}

/// A number with up to six decimals.
fn decimal(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn told(args: &Args, query: &Query, chances: &Chances, worlds: usize, screen: &mut Screen) -> Result<(), Stop> {
    if args.json {
        return Ok(screen.json(&to_json(args, query, chances, worlds))?);
    }
    let title = screen.styled(Style::Bold, query.text());
    if query.is_truth() && chances.rest.is_zero() {
        let yes = chances.yes();
        writeln!(screen, "{title}: {yes}, {}", percent(yes.value()))?;
    } else {
        writeln!(screen, "{title}:")?;
        rows(query, chances, &args.lang, screen)?;
    }
    if let Some(choice) = &chances.choice {
        writeln!(screen, "  what is chosen first: {choice}")?;
    }
    let plies = if chances.plies == 1 { "ply" } else { "plies" };
    let mut notes = format!("{}, {} {plies} ahead", plural(chances.positions, "position"), chances.plies);
    if let Some(view) = &args.view {
        notes += &format!("; as far as {view} can tell, from one of {worlds} positions");
    }
    if !chances.is_exact() {
        notes += "; too long for exact fractions, so some are rounded";
    }
    writeln!(screen, "{}", screen.styled(Style::Dim, &notes))?;
    Ok(())
}

fn rows(query: &Query, chances: &Chances, lang: &str, screen: &mut Screen) -> Result<(), Stop> {
    let mut rows: Vec<(String, Ratio)> = chances.of.iter().map(|(v, c)| (query.words(v, lang), *c)).collect();
    let rest = String::from("not known: not reached within the bounds");
    rows.extend((!chances.rest.is_zero()).then_some((rest, chances.rest)));
    let rows: Vec<(String, String, String)> =
        rows.into_iter().map(|(name, c)| (percent(c.value()), c.to_string(), name)).collect();
    let width = rows.iter().map(|r| r.1.len()).max().unwrap_or(0);
    for (percent, fraction, name) in rows {
        writeln!(screen, "{percent:>11}  {fraction:>width$}  {name}")?;
    }
    if let Some(mean) = chances.mean().filter(|_| query.is_number() && !query.is_truth()) {
        let about = if mean.is_exact() { format!("{} = ", mean.lowest()) } else { String::from("about ") };
        writeln!(screen, "  mean {about}{}", decimal(mean.value()))?;
    }
    Ok(())
}

fn value_json(query: &Query, value: &Value, lang: &str) -> Json {
    match value {
        Value::Int(n) if query.is_truth() => json!(*n != 0),
        Value::Int(n) if query.is_number() => json!(n),
        Value::None => Json::Null,
        _ => json!(query.words(value, lang)),
    }
}

fn ratio_json(ratio: Ratio) -> Json {
    match ratio.is_exact() {
        true => json!(ratio.to_string()),
        false => Json::Null,
    }
}

fn to_json(args: &Args, query: &Query, chances: &Chances, worlds: usize) -> Json {
    let of = chances.of.iter().map(|(value, chance)| {
        json!({ "value": value_json(query, value, &args.lang), "chance": ratio_json(*chance), "share": chance.value() })
    });
    let mean = chances.mean().filter(|_| query.is_number());
    json!({
        "question": query.text(),
        "exact": chances.is_exact() && chances.rest.is_zero(),
        "of": of.collect::<Vec<Json>>(),
        "mean": mean.map(|m| json!({ "fraction": ratio_json(m), "value": m.value() })),
        "rest": { "chance": ratio_json(chances.rest), "share": chances.rest.value() },
        "first_choice": chances.choice,
        "positions": chances.positions,
        "plies": chances.plies,
        "worlds": worlds,
    })
}

fn told_sampled(args: &Args, query: &Query, sampled: &Sampled, screen: &mut Screen) -> Result<(), Stop> {
    if args.json {
        let of = sampled.of.iter().map(|(value, count)| {
            let (low, high) = simulate::wilson(*count, sampled.tries);
            let share = *count as f64 / sampled.tries.max(1) as f64;
            json!({ "value": value_json(query, value, &args.lang), "tries": count, "share": share, "low": low, "high": high })
        });
        let mean = sampled.mean().filter(|_| query.is_number());
        let json = json!({
            "question": query.text(), "exact": false, "tries": sampled.tries, "seed": args.seed, "rest": sampled.rest,
            "of": of.collect::<Vec<Json>>(), "mean": mean.map(|(m, off)| json!({ "value": m, "low": m - off, "high": m + off })),
        });
        return Ok(screen.json(&json)?);
    }
    let title = screen.styled(Style::Bold, query.text());
    writeln!(screen, "{title}, in {} tries:", sampled.tries)?;
    let mut rows: Vec<(String, usize)> = sampled.of.iter().map(|(v, n)| (query.words(v, &args.lang), *n)).collect();
    rows.extend((sampled.rest > 0).then(|| (String::from("not known: not reached within the bounds"), sampled.rest)));
    for (name, count) in rows {
        let (low, high) = simulate::wilson(count, sampled.tries);
        let share = 100.0 * count as f64 / sampled.tries.max(1) as f64;
        writeln!(screen, "{count:>8}  {share:>6.2} % ({:.2} to {:.2})  {name}", 100.0 * low, 100.0 * high)?;
    }
    if let Some((mean, off)) = sampled.mean().filter(|_| query.is_number() && !query.is_truth()) {
        writeln!(screen, "  mean {} ({} to {})", decimal(mean), decimal(mean - off), decimal(mean + off))?;
    }
    let note = format!("sampled with the seed {}; intervals of 95 %", args.seed);
    writeln!(screen, "{}", screen.styled(Style::Dim, &note))?;
    Ok(())
}
