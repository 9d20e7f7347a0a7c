//! `simulate`: who wins how often.

use std::collections::BTreeMap;
use std::io::Write as _;

use indicatif::{ProgressBar, ProgressDrawTarget};
use lawspeaker::game::Outcome;
use lawspeaker::lexicon::{Counted, Lexicon, Words, fill};
use lawspeaker::library::Unusable;
use lawspeaker::players::{self, Bot, Player};
use lawspeaker::rules::Evaluators;
use lawspeaker::search::Sight;
use lawspeaker::simulate::{self, Finish, MAX_PLIES, Played};
use serde_json::{Value as Json, json};

use super::flags::{Assigned, PositionArgs, RulesArgs, SeatsArgs, SeedArgs, bot_named, by_seat};
use super::lengths::Lengths;
use super::number::{LARGEST, MAX_THREADS, within};
use super::screen::Screen;
use super::session::Session;
use super::{Answer, Run, Stop};

/// Play many games between bots and report who wins how often, and how long the games are.
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("seats", |a| a.help(
        "The bot of a seat: `random` (the default), `first`, which takes the first option, `greedy`, which looks one \
        choice ahead, or `mcts`, which searches (`mcts:2000` with 2,000 playouts a choice, `mcts:1s` for a second); \
        without SEAT=, of all seats that are not named (may be given several times)"
    )),
    after_help = "Examples:\n  lawspeaker simulate confrontation --games 1000\n  \
    lawspeaker simulate confrontation --seats Good=random --seats Dark=first\n  \
    lawspeaker simulate confrontation --games 1000 --variant open_river --seed 3\n  \
    lawspeaker simulate confrontation --at ending.position --games 1000\n\n\
    The same seed gives the same games with any number of threads, unless a bot has a time for each choice. \
    Intervals are Wilson's, at 95 %.\n\n\
    Exit code 1: the rules failed in some game."
)]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    /// Play this many games.
    #[arg(long, default_value_t = 1000, value_name = "N", value_parser = within::<u64>(1..=LARGEST))]
    games: u64,
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    seats: SeatsArgs,
    #[command(flatten)]
    seed: SeedArgs,
    /// Play this many games at a time; by default, as many as there are cores.
    #[arg(long, value_name = "T", value_parser = within::<usize>(1..=MAX_THREADS))]
    threads: Option<usize>,
    #[command(flatten)]
    rules: RulesArgs,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// What came of a game: how long it was, and how it ended or what went wrong.
struct One {
    plies: usize,
    outcome: Result<Outcome, String>,
}

/// Faults that are told in words.
const TOLD: usize = 5;

/// What came of all games.
struct Tally {
    lengths: Lengths,
    /// Games that ended.
    over: usize,
    /// Games that each seat won.
    won: Vec<usize>,
    draws: usize,
    /// By the words for the ending.
    endings: BTreeMap<String, usize>,
    faulty: usize,
    /// The first faults.
    faults: Vec<String>,
}

impl Tally {
    fn new(session: &Session) -> Tally {
        Tally {
            lengths: Lengths::default(),
            over: 0,
            won: vec![0; session.rules.seats()],
            draws: 0,
            endings: BTreeMap::new(),
            faulty: 0,
            faults: Vec::new(),
        }
    }

    fn add(&mut self, session: &Session, one: One) {
        self.lengths.add(one.plies);
        let outcome = match one.outcome {
            Ok(outcome) => outcome,
            Err(fault) => {
                self.faulty += 1;
                if self.faults.len() < TOLD {
                    self.faults.push(fault);
                }
                return;
            }
        };
        self.over += 1;
        self.draws += usize::from(outcome.winners.is_empty());
        for seat in &outcome.winners {
            if let Some(won) = self.won.get_mut(usize::from(*seat)) {
                *won += 1;
            }
        }
        let bare = Outcome { scores: Vec::new(), ..outcome };
        *self.endings.entry(session.outcome(&bare)).or_default() += 1;
    }

    /// The shares of the seats in their order, then of draws.
    fn wins(&self, session: &Session, draw: &str) -> Vec<(String, Share)> {
        let seats = self.won.iter().zip(0..).map(|(won, seat)| (session.seat_name(Some(seat)), share(*won, self.over)));
        seats.chain(std::iter::once((draw.to_owned(), share(self.draws, self.over)))).collect()
    }

    /// The shares of the endings, the most frequent first.
    fn endings(&self) -> Vec<(String, Share)> {
        let mut sorted: Vec<(&String, usize)> = self.endings.iter().map(|(name, n)| (name, *n)).collect();
        sorted.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        sorted.into_iter().map(|(name, n)| (name.clone(), share(n, self.over))).collect()
    }
}

/// A share with its interval.
struct Share {
    count: usize,
    share: f64,
    low: f64,
    high: f64,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let (session, from) = args.position.begin(&args.game, &args.rules)?;
    let from = from.as_ref().map(|(position, _)| position);
    let bots = bots(&session, &args.seats.seats)?;
    let bar = ProgressBar::with_draw_target(Some(args.games), ProgressDrawTarget::stderr());
    let engine = session.rules.evaluators();
    engine.compile();
    let play_one = |engine: &Evaluators, seed: u64| {
        let mut players = seated(&bots, engine, seed);
        simulate::between(engine, from, &mut players, &Sight::new(engine), seed, MAX_PLIES)
    };
    let lexicon = if args.json { Lexicon::new(session.model(), "") } else { session.lexicon() };
    let look = |finish: Finish, plies: usize| {
        bar.inc(1);
        one(&lexicon, finish, plies)
    };
    let by_chance = bots.iter().all(|bot| *bot == Bot::Random);
    let play = || {
        let mut tally = Tally::new(&session);
        for batch in simulate::batches(args.games) {
            let wanted = batch.clone().count();
            let games = match by_chance {
                // Nobody looks at anything.
                true => simulate::outcomes(engine, from, batch, args.seed.fixed(), MAX_PLIES, look),
                false => {
                    let make = |_| engine.clone();
                    let seen = |_: &Evaluators, _: u64, played: Played| look(played.finish, played.plies.len());
                    simulate::many(make, (batch, args.seed.fixed()), play_one, seen)
                }
            };
            let whole = games.len() == wanted;
            games.into_iter().for_each(|one| tally.add(&session, one));
            if !whole {
                break;
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
    if args.json {
        screen.json(&to_json(args, &session, &bots, &tally))?;
    } else {
        print(&session, &tally, screen)?;
        left_out(args.games, tally.lengths.games(), lexicon.words, screen)?;
    }
    Ok(Answer::from(tally.faulty == 0))
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
fn bots(session: &Session, assigned: &[Assigned]) -> Result<Vec<Bot>, Unusable> {
    let bot = |who: Option<&str>| who.map_or(Ok(Bot::Random), bot_named);
    by_seat(assigned, session)?.into_iter().map(bot).collect()
}

/// The players of a game with a seed.
fn seated(bots: &[Bot], engine: &Evaluators, seed: u64) -> Vec<Box<dyn Player>> {
    let seats = bots.iter().zip(0..);
    seats.map(|(bot, seat)| bot.player(players::seed_of_seat(seed, seat), engine)).collect()
}

fn one(lexicon: &Lexicon<'_>, finish: Finish, plies: usize) -> One {
    let outcome = match finish {
        Finish::Over(outcome) => Ok(outcome),
        other => Err(problem(lexicon, &other).unwrap_or_default()),
    };
    One { plies, outcome }
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

/// A share of games with Wilson's interval of 95 %.
fn share(count: usize, of: usize) -> Share {
    let (low, high) = simulate::wilson(count, of);
    Share { count, share: count as f64 / (of as f64).max(1.0), low, high }
}

fn print(session: &Session, tally: &Tally, screen: &mut Screen) -> Result<(), Stop> {
    let words = session.lexicon().words;
    let line = |(name, s): &(String, Share)| {
        let [p, low, high] = [s.share, s.low, s.high].map(|x| format!("{:.1}", 100.0 * x));
        let share = fill(words.odds.share, &[&format!("{p:>5}"), &low, &high]);
        format!("{:>8}  {share}  {name}", s.count)
    };
    for row in tally.wins(session, words.play.draw) {
        writeln!(screen, "{}", line(&row))?;
    }
    writeln!(screen, "{}", words.many.by_ending)?;
    for row in tally.endings() {
        writeln!(screen, "{}", line(&row))?;
    }
    let lengths = &tally.lengths;
    let [least, most, median] = [lengths.least(), lengths.most(), lengths.median()].map(|n| n.to_string());
    let mean = format!("{:.1}", lengths.mean());
    writeln!(screen, "{}", fill(words.many.lengths_mean, &[&least, &most, &median, &mean]))?;
    for fault in &tally.faults {
        writeln!(screen, "{}", fill(words.many.fault, &[fault]))?;
    }
    Ok(())
}

fn to_json(args: &Args, session: &Session, bots: &[Bot], tally: &Tally) -> Json {
    let rows = |rows: Vec<(String, Share)>| -> Vec<Json> {
        let row = |(name, s): (String, Share)| {
            let (games, low, high) = (s.count, s.low, s.high);
            json!({ "name": name, "games": games, "share": s.share, "low": low, "high": high })
        };
        rows.into_iter().map(row).collect()
    };
    let lengths = &tally.lengths;
    json!({
        "game": session.model().name,
        "seed": args.seed.fixed(),
        "bots": bots
            .iter()
            .zip(0..)
            .map(|(bot, seat)| json!({ "seat": session.seat_name(Some(seat)), "bot": bot.to_string() }))
            .collect::<Vec<Json>>(),
        "games": lengths.games(),
        "wins": rows(tally.wins(session, "draw")),
        "endings": rows(tally.endings()),
        "plies": {
            "least": lengths.least(), "median": lengths.median(), "mean": lengths.mean(), "most": lengths.most(),
        },
        "faults": tally.faulty,
    })
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn the_interval_is_wilsons() {
        let s = share(8, 10);
        assert!((s.low - 0.4902).abs() < 1e-3 && (s.high - 0.9433).abs() < 1e-3, "{} to {}", s.low, s.high);
        let none = share(0, 0);
        assert!(none.low >= 0.0 && none.high <= 1.0);
    }
}
