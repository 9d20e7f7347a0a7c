//! `match`: two bots play against each other, with the seats exchanged.

use std::io::Write as _;

use indicatif::{ProgressBar, ProgressDrawTarget};
use lawspeaker::contest::{self, Pair, Standing, Verdict};
use lawspeaker::lexicon::{Counted, Words, fill};
use lawspeaker::library::Unusable;
use lawspeaker::players::{Bot, derived};
use lawspeaker::search::Sight;
use lawspeaker::stats::Estimate;
use rayon::prelude::*;
use serde_json::{Value as Json, json};

use super::flags::{PositionArgs, RulesArgs, SeedArgs, bot_named};
use super::number::{LARGEST, MAX_THREADS, within};
use super::screen::Screen;
use super::session::Session;
use super::simulate::problem;
use super::{Answer, Run, Stop, interrupt};

/// Let two bots play against each other with the seats exchanged, and report which is stronger, and by how much.
#[derive(Debug, clap::Args)]
#[command(after_help = "The bots are those of `play`: random, first, greedy, mcts (mcts:2000, mcts:1s).\n\n\
    Examples:\n  lawspeaker match breakthrough mcts:200 random --games 100\n  \
    lawspeaker match confrontation mcts:2000 mcts:200 --stop-early 50\n\n\
    The games come in pairs: the same chance, and the seats exchanged. In a game with more than two seats each bot \
    plays every other one. A won game is a point, a draw half a point; if seats of both win, they share it. Intervals \
    are Wilson's, at 95 %.\n\n\
    Exit code 1: the rules failed in some game, or --stop-early found that the first bot is not stronger.")]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    /// The first bot.
    #[arg(value_name = "BOT")]
    first: String,
    /// The bot it plays against.
    #[arg(value_name = "OTHER")]
    second: String,
    /// Play this many games, rounded up to an even number.
    #[arg(long, default_value_t = 400, value_name = "N", value_parser = within::<u64>(1..=LARGEST))]
    games: u64,
    /// Stop as soon as it is sure that the first bot is stronger by this difference in Elo, or not stronger at all: a
    /// sequential test with errors of 5 % either way.
    #[arg(long, value_name = "ELO", value_parser = within::<u32>(1..=1000))]
    stop_early: Option<u32>,
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    seed: SeedArgs,
    /// Play this many pairs of games at a time; by default, as many as there are cores.
    #[arg(long, value_name = "T", value_parser = within::<usize>(1..=MAX_THREADS))]
    threads: Option<usize>,
    #[command(flatten)]
    rules: RulesArgs,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// Pairs that are played before the test is asked again.
const BATCH: u64 = 64;

/// Faults that are told in words.
const TOLD: usize = 5;

/// What came of all pairs.
#[derive(Default)]
struct Tally {
    standing: Standing,
    plies: usize,
    /// Games that did not end.
    faulty: usize,
    /// The first reasons.
    faults: Vec<String>,
    verdict: Option<Verdict>,
}

impl Tally {
    fn add(&mut self, session: &Session, pair: &Pair) {
        self.plies += pair.plies;
        if let Some(points) = pair.points {
            self.standing.add(points);
        }
        for why in pair.finishes.iter().filter_map(|finish| problem(&session.lexicon(), finish)) {
            self.faulty += 1;
            if self.faults.len() < TOLD {
                self.faults.push(why);
            }
        }
    }
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let (session, from) = args.position.begin(&args.game, &args.rules)?;
    let from = from.as_ref().map(|(position, _)| position);
    let bots = [bot_named(&args.first)?, bot_named(&args.second)?];
    let seats = session.rules.seats();
    if seats < 2 {
        let help = "a match needs a game of two seats or more";
        return Err(Unusable::new("this game has one seat", help).into());
    }
    let engine = session.rules.evaluators();
    engine.compile();
    let pairs = args.games.div_ceil(2);
    let bar = ProgressBar::with_draw_target(Some(2 * pairs), ProgressDrawTarget::stderr());
    let one = |i: u64| {
        let sight = Sight::new(engine);
        let seed = derived(args.seed.fixed(), i);
        let pair = contest::pair(engine, from, bots, (seats, seed), &sight, interrupt::asked());
        bar.inc(2);
        pair
    };
    let play = || {
        let mut tally = Tally::default();
        for batch in (0..pairs).step_by(BATCH as usize) {
            let played: Vec<Option<Pair>> = (batch..pairs.min(batch + BATCH)).into_par_iter().map(one).collect();
            for pair in played.into_iter().flatten() {
                tally.add(&session, &pair);
                tally.verdict = args.stop_early.and_then(|elo| tally.standing.verdict(f64::from(elo)));
                if tally.verdict.is_some() {
                    return tally;
                }
            }
            if interrupt::heard() {
                return tally;
            }
        }
        tally
    };
    let tally = match args.threads {
        None => play(),
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.map_err(|e| Unusable::new(format!("cannot begin {threads} threads: {e}"), "ask for fewer"))?
                .install(play)
        }
    };
    bar.finish_and_clear();
    match args.json {
        true => screen.json(&to_json(args, &session, bots, &tally))?,
        false => print(args, &session, bots, &tally, screen)?,
    }
    if interrupt::heard() && tally.verdict.is_none() {
        return Ok(Answer::Interrupted);
    }
    Ok(Answer::from(tally.faulty == 0 && tally.verdict != Some(Verdict::NotStronger)))
}

/// Points: a whole number, or one with a half.
fn points(points: f64) -> String {
    let text = format!("{points:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// A difference in Elo, with its sign.
fn signed(elo: f64) -> String {
    match elo {
        elo if elo == f64::INFINITY => String::from("+∞"),
        elo if elo == f64::NEG_INFINITY => String::from("-∞"),
        elo if elo.abs() < 0.5 => String::from("0"),
        elo => format!("{elo:+.0}"),
    }
}

fn print(args: &Args, session: &Session, bots: [Bot; 2], tally: &Tally, screen: &mut Screen) -> Result<(), Stop> {
    let words: &Words = session.lexicon().words;
    let [first, second] = bots.map(|bot| bot.to_string());
    let standing = &tally.standing;
    let games = words.counts.of(Counted::Games, standing.games() as usize);
    writeln!(screen, "{}", fill(words.bots.games, &[&first, &second, &games]))?;
    if interrupt::heard() && tally.verdict.is_none() {
        writeln!(screen, "{}", fill(words.sim.interrupted, &[&games]))?;
    }
    if standing.games() == 0 {
        return Ok(());
    }
    let Estimate { value: share, low, high } = standing.share();
    let [p, l, h] = [share, low, high].map(|x| format!("{:.1}", 100.0 * x));
    let both: f64 = standing.points().iter().sum();
    let share_told = fill(words.odds.share, &[&p, &l, &h]);
    let all = standing.games().to_string();
    writeln!(screen, "{}", fill(words.bots.points, &[&first, &points(both), &all, &share_told]))?;
    let half = (standing.games() / 2).to_string();
    for (won, seat) in standing.points().iter().zip(0..) {
        let name = session.seat_name(Some(seat));
        writeln!(screen, "{}", fill(words.bots.as_seat, &[&points(*won), &half, &name]))?;
    }
    let [elo, least, most] = [share, low, high].map(|x| signed(contest::elo(x)));
    writeln!(screen, "{}", fill(words.bots.elo, &[&elo, &least, &most]))?;
    if let Some(wanted) = args.stop_early {
        let line = match tally.verdict {
            Some(Verdict::Stronger) => words.bots.stronger,
            Some(Verdict::NotStronger) => words.bots.not_stronger,
            None => words.bots.undecided,
        };
        writeln!(screen, "{}", fill(line, &[&first, &second, &wanted.to_string()]))?;
    }
    for fault in &tally.faults {
        writeln!(screen, "{}", fill(words.many.fault, &[fault]))?;
    }
    Ok(())
}

fn to_json(args: &Args, session: &Session, bots: [Bot; 2], tally: &Tally) -> Json {
    let standing = &tally.standing;
    let Estimate { value: share, low, high } = standing.share();
    let elo = [share, low, high].map(|x| Some(contest::elo(x)).filter(|elo| elo.is_finite()));
    let verdict = tally.verdict.map(|v| match v {
        Verdict::Stronger => "stronger",
        Verdict::NotStronger => "not stronger",
    });
    json!({
        "game": session.model().name,
        "seed": args.seed.fixed(),
        "bots": bots.map(|bot| bot.to_string()),
        "games": standing.games(),
        "points": standing.points(),
        "share": { "share": share, "low": low, "high": high },
        "elo": elo,
        "verdict": verdict,
        "plies": tally.plies,
        "faults": tally.faulty,
    })
}
