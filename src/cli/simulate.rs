//! `simulate`: who wins how often.

use std::collections::BTreeMap;
use std::io::Write as _;

use indicatif::{ProgressBar, ProgressDrawTarget};
use lawspeaker::engine::Engine;
use lawspeaker::game::{Outcome, Position};
use lawspeaker::library::Unusable;
use lawspeaker::players::{self, BOTS, Player, RANDOM};
use lawspeaker::report::plural;
use lawspeaker::simulate::{self, Finish, MAX_PLIES, Played};
use serde_json::{Value as Json, json};

use super::desk::{Desk, RulesArgs};
use super::screen::Screen;
use super::{Answer, Run, Stop};

/// Play many games between bots: who wins how often, and how long it takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker simulate confrontation --games 1000\n  \
    lawspeaker simulate confrontation --seat Good=random --seat Dark=random --threads 2\n  \
    lawspeaker simulate confrontation --games 1000 --variant open_river --seed 3\n\n\
    The same seed gives the same games with any number of threads. Intervals are Wilson's, 95 %.\n\
    Exit code 1: the rules failed in some game.")]
pub struct Args {
    /// Folder of .law files, or a shipped game.
    game: String,
    /// How many games.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    games: u64,
    /// Who plays a seat; all seats not named: random.
    #[arg(long, value_name = "SEAT=BOT")]
    seat: Vec<String>,
    /// Seed of all games.
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// How many games are played at a time; as many as there are cores if not given.
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    #[command(flatten)]
    rules: RulesArgs,
    /// For programs.
    #[arg(long)]
    json: bool,
}

/// What is kept of a game.
struct Kept {
    plies: usize,
    outcome: Result<Outcome, String>,
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
    let desk = Desk::open(&args.game, &args.rules.settings(), "")?;
    let bots = bots(&desk, &args.seat)?;
    let bar = ProgressBar::with_draw_target(Some(args.games), ProgressDrawTarget::stderr());
    let engine = desk.engine();
    engine.compile();
    let play_one = |engine: &Engine, seed: u64| {
        let mut players = seated(&bots, seed);
        let see = |position: &Position, seat: u16| engine.explainer().view(position, seat);
        simulate::between(engine, &mut players, see, seed, MAX_PLIES)
    };
    let look = |finish: Finish, plies: usize| {
        bar.inc(1);
        kept(&desk, finish, plies)
    };
    let play = || match bots.iter().all(|bot| *bot == RANDOM) {
        // Nobody looks at anything.
        true => simulate::outcomes(&engine, args.games, args.seed, MAX_PLIES, look),
        false => {
            let make = |_| engine.clone();
            let seen = |_: &Engine, _: u64, played: Played| look(played.finish, played.plies.len());
            simulate::many(make, (args.games, args.seed), play_one, seen)
        }
    };
    let games = match args.threads {
        None => play(),
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
            pool.map_err(|e| Unusable::new(format!("cannot begin {threads} threads: {e}"), "ask for fewer"))?
                .install(play)
        }
    };
    bar.finish_and_clear();
    if args.json {
        screen.json(&to_json(args, &desk, &bots, &games))?;
    } else {
        print(&desk, &games, screen)?;
        left_out(args.games, games.len(), screen)?;
    }
    Ok(Answer::from(games.iter().all(|g| g.outcome.is_ok())))
}

/// Says how many games were not played, because a fault in the last one took long to find.
pub fn left_out(wanted: u64, played: usize, screen: &mut Screen) -> Result<(), Stop> {
    match wanted.saturating_sub(played as u64) {
        0 => {}
        n => writeln!(screen, "not played after this fault, which takes long to find: {}", plural(n as usize, "game"))?,
    }
    Ok(())
}

/// For each seat the name of its bot.
fn bots(desk: &Desk, wanted: &[String]) -> Result<Vec<&'static str>, Unusable> {
    let mut bots = vec![RANDOM; desk.seats()];
    for text in wanted {
        let Some((seat, bot)) = text.split_once('=') else {
            return Err(Unusable::new(format!("`{text}` names no bot"), "write SEAT=BOT, for example Dark=random"));
        };
        let seat = desk.seat(seat.trim())?;
        let Some(bot) = BOTS.into_iter().find(|b| *b == bot.trim()) else {
            let help = format!("the bots are: {}", BOTS.join(", "));
            return Err(Unusable::new(format!("there is no bot `{}`", bot.trim()), help));
        };
        if let Some(place) = bots.get_mut(usize::from(seat)) {
            *place = bot;
        }
    }
    Ok(bots)
}

/// The players of a game with a seed.
fn seated(bots: &[&str], seed: u64) -> Vec<Box<dyn Player>> {
    let seats = bots.iter().zip(0..);
    seats.filter_map(|(bot, seat)| players::bot(bot, players::seed_of_seat(seed, seat))).collect()
}

fn kept(desk: &Desk, finish: Finish, plies: usize) -> Kept {
    let outcome = match finish {
        Finish::Over(outcome) => Ok(outcome),
        Finish::Fault(fault) => Err(fault.words(desk.model())),
        Finish::Stuck => Err(String::from("a decision has no options")),
        Finish::GivenUp(n) => Err(format!("not over after {n} plies")),
    };
    Kept { plies, outcome }
}

/// A share of games with Wilson's interval of 95 %.
fn share(count: usize, of: usize) -> Share {
    let (low, high) = simulate::wilson(count, of);
    Share { count, share: count as f64 / (of as f64).max(1.0), low, high }
}

/// The shares of the seats in their order, then of draws.
fn wins(desk: &Desk, games: &[Kept]) -> Vec<(String, Share)> {
    let over: Vec<&Outcome> = games.iter().filter_map(|g| g.outcome.as_ref().ok()).collect();
    let seats = (0..desk.seats() as u16).map(|seat| {
        let count = over.iter().filter(|o| o.winners.contains(&seat)).count();
        (desk.seat_name(Some(seat)), share(count, over.len()))
    });
    let draws = over.iter().filter(|o| o.winners.is_empty()).count();
    seats.chain(std::iter::once((String::from("draw"), share(draws, over.len())))).collect()
}

fn endings(desk: &Desk, games: &[Kept]) -> Vec<(String, Share)> {
    let over: Vec<&Outcome> = games.iter().filter_map(|g| g.outcome.as_ref().ok()).collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for outcome in &over {
        let bare = Outcome { scores: Vec::new(), ..(*outcome).clone() };
        *counts.entry(desk.outcome(&bare)).or_default() += 1;
    }
    let mut sorted: Vec<(String, usize)> = counts.into_iter().collect();
    sorted.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    sorted.into_iter().map(|(name, n)| (name, share(n, over.len()))).collect()
}

/// Shortest, median, mean and longest game in plies.
fn lengths(games: &[Kept]) -> (usize, usize, f64, usize) {
    let mut all: Vec<usize> = games.iter().map(|g| g.plies).collect();
    all.sort_unstable();
    let at = |i: usize| all.get(i).copied().unwrap_or(0);
    let mean = all.iter().sum::<usize>() as f64 / (all.len().max(1) as f64);
    (at(0), at(all.len() / 2), mean, at(all.len().saturating_sub(1)))
}

fn print(desk: &Desk, games: &[Kept], screen: &mut Screen) -> Result<(), Stop> {
    let line = |(name, s): &(String, Share)| {
        let (p, low, high) = (100.0 * s.share, 100.0 * s.low, 100.0 * s.high);
        format!("{:>8}  {p:>5.1} % ({low:.1} to {high:.1})  {name}", s.count)
    };
    for row in wins(desk, games) {
        writeln!(screen, "{}", line(&row))?;
    }
    writeln!(screen, "by ending:")?;
    for row in endings(desk, games) {
        writeln!(screen, "{}", line(&row))?;
    }
    let (short, median, mean, long) = lengths(games);
    writeln!(screen, "plies: {short} to {long}, median {median}, mean {mean:.1}")?;
    for fault in games.iter().filter_map(|g| g.outcome.as_ref().err()).take(5) {
        writeln!(screen, "fault: {fault}")?;
    }
    Ok(())
}

fn to_json(args: &Args, desk: &Desk, bots: &[&str], games: &[Kept]) -> Json {
    let rows = |rows: Vec<(String, Share)>| -> Vec<Json> {
        let row = |(name, s): (String, Share)| json!({ "name": name, "games": s.count, "share": s.share, "low": s.low, "high": s.high });
        rows.into_iter().map(row).collect()
    };
    let (short, median, mean, long) = lengths(games);
    json!({
        "game": desk.model().name,
        "seed": args.seed,
        "bots": bots.iter().zip(0..).map(|(bot, seat)| json!({ "seat": desk.seat_name(Some(seat)), "bot": bot })).collect::<Vec<Json>>(),
        "games": games.len(),
        "wins": rows(wins(desk, games)),
        "endings": rows(endings(desk, games)),
        "plies": { "least": short, "median": median, "mean": mean, "most": long },
        "faults": games.iter().filter(|g| g.outcome.is_err()).count(),
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
