//! `simulate`: who wins how often.

mod games;
pub mod page;
mod rows;
pub mod series;
pub mod told;

use std::io::Write as _;

use lawspeaker::lexicon::{Counted, Lexicon, Words, fill};
use lawspeaker::library::Unusable;
use lawspeaker::players::Bot;
use lawspeaker::simulate::{Figures, Finish, Tally};
use lawspeaker::stats::{Confidence, Precision};
use serde_json::{Value as Json, json};

use super::flags::{Assigned, ManyArgs, PositionArgs, RulesArgs, SeatsArgs, SeedArgs, bot_named, by_seat};
use super::number::{LARGEST, points, within};
use super::screen::{self, Screen};
use super::session::Session;
use super::varied::Deals;
use super::{Answer, Run, Stop, interrupt};

use games::Games;
use rows::Report;
use series::{End, Series, Until};

/// Play many games between bots and report who wins how often, and how long the games are.
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("table", |a| a.help("Write a table of one row a game: .csv, .json (an object on each line) or .parquet")),
    mut_arg("seats", |a| a.alias("seat").help(
        "The bot of a seat: `random` (the default), `first`, which takes the first option, `greedy`, which looks one \
        choice ahead, or `mcts`, which searches (`mcts:2000` with 2,000 playouts a choice, `mcts:1s` for a second); \
        without SEAT=, of all seats that are not named (may be given several times)"
    )),
    after_help = "Examples:\n  lawspeaker simulate confrontation --games 1000\n  \
    lawspeaker simulate confrontation --seats Good=random --seats Dark=first\n  \
    lawspeaker simulate confrontation --games 1000 --variant open_river --seed 3\n  \
    lawspeaker simulate confrontation --at ending.position --games 1000\n  \
    lawspeaker simulate confrontation --precision 0.5 --details\n  \
    lawspeaker simulate confrontation --table games.csv --html games.html\n\n\
    The same seed gives the same games with any number of threads, unless a bot has a time for each choice. \
    Intervals are Wilson's, at 95 %. With --precision they are looked at only after numbers of games that are fixed \
    beforehand, and hold at all these looks together.\n\n\
    Ctrl-C ends the games, and what was played so far is reported; the exit code is then 130.\n\n\
    Exit code 1: the rules failed in some game."
)]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    /// Play this many games [default: 1000; with --precision as many as it takes].
    #[arg(long, value_name = "N", value_parser = within::<u64>(1..=LARGEST))]
    games: Option<u64>,
    /// Play until half the width of each seat's interval is this many percentage points, or less.
    #[arg(long, value_name = "POINTS", value_parser = points, allow_negative_numbers = true)]
    precision: Option<f64>,
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    seats: SeatsArgs,
    #[command(flatten)]
    seed: SeedArgs,
    /// Draw the options and readings of each game at random too, and report who wins under which.
    #[arg(long, conflicts_with = "at")]
    vary: bool,
    #[command(flatten)]
    rules: RulesArgs,
    /// Report more: options per decision, plies by kind, first choices, what is on the board at the end, and who wins
    /// games of which length. Games are played more slowly then, since each ply is looked at.
    #[arg(long)]
    details: bool,
    #[command(flatten)]
    many: ManyArgs,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// What came of all games.
struct Played {
    tally: Tally,
    /// More of them, if it was asked for.
    figures: Option<Figures>,
    end: End,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    interrupt::asked();
    let (session, from) = args.position.begin(&args.game, &args.rules)?;
    let from = from.as_ref().map(|(position, _)| position);
    let bots = bots(&session, &args.seats.seats)?;
    let until = until(args.games, args.precision);
    let html = args.many.page()?;
    let table =
        args.many.table.as_deref().map(|file| Games::begin(file, args.many.force, &session, args.vary)).transpose()?;
    let engine = session.rules.evaluators();
    engine.compile();
    let deals = Deals::default();
    let vary = args.vary.then_some(&deals);
    let series = Series { session: &session, from, bots: &bots, seed: args.seed.fixed(), vary };
    let played = in_threads(args.many.threads, || played(args, &series, &until, table))??;
    let report = Report { session: &session, tally: &played.tally, confidence: until.confidence() };
    if let (Some(place), Some(figures)) = (html, &played.figures) {
        place.write(&page::page(&report, figures, (&bots, args.seed.fixed()), &until))?;
    }
    if args.json {
        screen.json(&to_json(args, &report, &bots, &until, &played))?;
    } else {
        print(args, &report, &until, &played, screen)?;
    }
    Ok(match played.end {
        End::Interrupted => Answer::Interrupted,
        _ => Answer::from(played.tally.faulty == 0),
    })
}

fn played(args: &Args, series: &Series<'_>, until: &Until, mut table: Option<Games<'_>>) -> Result<Played, Stop> {
    let bar = screen::games_bar();
    let details = args.details || args.vary || args.many.html.is_some();
    if !details && table.is_none() {
        let (tally, end) = series.play(until, &bar);
        bar.finish_and_clear();
        return Ok(Played { tally, figures: None, end });
    }
    let mut figures = Figures::default();
    let told = |game: &series::Game| {
        figures.add(&game.seen, &game.finish, game.config.as_ref());
        table.as_mut().map_or(Ok(()), |table| table.row(game))
    };
    let (tally, end) = series.watch(until, &bar, told)?;
    bar.finish_and_clear();
    table.map_or(Ok(()), Games::finish)?;
    Ok(Played { tally, figures: details.then_some(figures), end })
}

/// How many games are wanted: so many, or until a precision in percentage points is reached.
pub fn until(games: Option<u64>, precision: Option<f64>) -> Until {
    match precision {
        Some(points) => Until::Precision(Precision::new(points / 100.0, Confidence::USUAL, games.unwrap_or(LARGEST))),
        None => Until::Games(games.unwrap_or(GAMES)),
    }
}

/// The games that are played if nothing else is said.
const GAMES: u64 = 1000;

/// Does something in so many threads; without a number, in as many as there are cores.
pub fn in_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> Result<T, Unusable> {
    let Some(threads) = threads else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| Unusable::new(format!("cannot begin {threads} threads: {e}"), "ask for fewer"))?;
    Ok(pool.install(work))
}

/// Says how many games were not played, because a fault in the last one took long to find.
pub fn left_out(wanted: u64, played: usize, words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    match wanted.saturating_sub(played as u64) {
        0 => {}
        n => writeln!(screen, "{}", fill(words.many.left_out, &[&words.counts.of(Counted::Games, n as usize)]))?,
    }
    Ok(())
}

/// For each seat its bot.
pub fn bots(session: &Session, assigned: &[Assigned]) -> Result<Vec<Bot>, Unusable> {
    let bot = |who: Option<&str>| who.map_or(Ok(Bot::Random), bot_named);
    by_seat(assigned, session)?.into_iter().map(bot).collect()
}

/// Why a game did not end. `None` if it did.
pub fn problem(lexicon: &Lexicon<'_>, finish: &Finish) -> Option<String> {
    let words = lexicon.words;
    match finish {
        Finish::Over(_) => None,
        Finish::Fault(fault) => Some(lexicon.fault(fault)),
        Finish::Stuck => Some(words.many.no_options.to_owned()),
        Finish::GivenUp(n) => Some(fill(words.many.given_up, &[&words.counts.of(Counted::Plies, *n)])),
    }
}

fn print(args: &Args, report: &Report<'_>, until: &Until, played: &Played, screen: &mut Screen) -> Result<(), Stop> {
    let words = report.session.lexicon().words;
    if played.end == End::Interrupted {
        writeln!(screen, "{}", fill(words.sim.interrupted, &[&told::games(report)]))?;
    }
    told::print(report, args.details, screen)?;
    if let Some(figures) = played.figures.as_ref().filter(|_| args.details || args.vary) {
        told::print_details(report, figures, screen)?;
    }
    if let (Until::Precision(precision), End::Enough | End::Imprecise) = (until, played.end) {
        let phrase = if played.end == End::Enough { words.sim.precise } else { words.sim.imprecise };
        let points = told::points_text(100.0 * precision.half_width());
        let looks = precision.numbers().len().to_string();
        screen.indented(0, &fill(phrase, &[&points, &told::games(report), &looks]))?;
    }
    told::print_faults(report, screen)?;
    if let (End::Fault, Until::Games(wanted)) = (played.end, until) {
        left_out(*wanted, report.tally.games(), words, screen)?;
    }
    for file in args.many.files() {
        writeln!(screen, "{}", fill(words.sim.written, &[&file.display().to_string()]))?;
    }
    Ok(())
}

fn to_json(args: &Args, report: &Report<'_>, bots: &[Bot], until: &Until, played: &Played) -> Json {
    let session = report.session;
    let bot = |(bot, seat): (&Bot, u16)| json!({ "seat": session.seat_name(Some(seat)), "bot": bot.to_string() });
    let precision = match until {
        Until::Games(_) => Json::Null,
        Until::Precision(precision) => json!({
            "half_width": precision.half_width(), "reached": played.end == End::Enough, "looks": precision.numbers(),
        }),
    };
    json!({
        "game": session.model().name,
        "settings": session.rules.settings().list(),
        "seed": args.seed.fixed(),
        "bots": bots.iter().zip(0..).map(bot).collect::<Vec<Json>>(),
        "games": report.tally.games(),
        "interrupted": played.end == End::Interrupted,
        "precision": precision,
        "wins": told::wins_json(report),
        "endings": told::endings_json(report),
        "plies": told::counts_json(&report.tally.lengths),
        "faults": report.tally.faulty,
        "details": played.figures.as_ref().map(|figures| told::details_json(report, figures)),
    })
}
