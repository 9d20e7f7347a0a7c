//! `explore`: settings played side by side, and the setting that makes a game even.

mod even;
mod grid;
mod page;
mod rows;
mod told;

use std::sync::Arc;

use lawspeaker::facts::Settings;
use lawspeaker::game::Outcome;
use lawspeaker::library::{self, Loaded, Unusable};
use lawspeaker::players::Bot;
use lawspeaker::rules::Rules;
use lawspeaker::simulate::Tally;
use lawspeaker::stats::{Confidence, Estimate, Precision};

use super::flags::{ManyArgs, NotationArgs, SeatsArgs, SeedArgs};
use super::number::{LARGEST, points, within};
use super::screen::{self, Screen};
use super::session::Session;
use super::simulate::series::{End, Series, Until};
use super::simulate::{bots, in_threads};
use super::{Answer, Run, Stop, interrupt};

use even::{Found, Side};
use grid::{Dimension, Values, dimension};
use rows::Cell;

/// Play a game under several settings side by side, and report who wins how often under which.
///
/// With --even, look for the value of an option at which the game is even for a seat.
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("seats", |a| a.help(
        "The bot of a seat, as in `simulate`: `random` (the default), `first`, `greedy` or `mcts`; without SEAT=, of \
        all seats that are not named (may be given several times)"
    )),
    after_help = "Examples:\n  lawspeaker explore miniatures --with seats=2..4 --with turn_limit=20,60 --games 200\n  \
    lawspeaker explore hex --with pie_rule=false,true --precision 2 --html explored.html\n  \
    lawspeaker explore confrontation --with turn_limit=5..200 --even Good\n\n\
    The games of all settings have the same seeds. Intervals hold at 95 % for all figures of the table together.\n\n\
    Exit code 1: the rules failed in some game, or no value in the range is even. Ctrl-C ends the games, and what was \
    played so far is reported; the exit code is then 130."
)]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    /// The values of an option or a reading: hand_size=5..9, variant_cards=false,true; one value, or none, is the
    /// same in all games (may be given several times: then all combinations are played).
    #[arg(long, value_name = "NAME=VALUES", value_parser = dimension)]
    with: Vec<Dimension>,
    /// Apply this variant of the rules in all games (may be given several times).
    #[arg(long, value_name = "NAME")]
    variant: Vec<String>,
    /// Use the settings of this preset in all games.
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Play this many games under each settings; with --precision or --even, at most so many [default: 1000; with
    /// --precision as many as it takes, with --even 20000].
    #[arg(long, value_name = "N", value_parser = within::<u64>(1..=LARGEST))]
    games: Option<u64>,
    /// Play under each settings until half the width of each seat's interval is this many percentage points, or less.
    #[arg(long, value_name = "POINTS", value_parser = points, allow_negative_numbers = true)]
    precision: Option<f64>,
    /// Look, within the range A..B of one option, for the value at which this seat has an even share of the points: of
    /// a game that is won one point, which the winners share, and which all seats share in a draw.
    #[arg(long, value_name = "SEAT", conflicts_with = "precision")]
    even: Option<String>,
    #[command(flatten)]
    seats: SeatsArgs,
    #[command(flatten)]
    seed: SeedArgs,
    #[command(flatten)]
    notation: NotationArgs,
    #[command(flatten)]
    many: ManyArgs,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// The games that are played under each settings, if nothing else is said.
const GAMES: u64 = 1000;

/// The most games that are played at one value to find on which side of even it lies, if nothing else is said.
const EVEN_GAMES: u64 = 20_000;

/// What was explored.
struct Explored {
    /// The names of the options and readings of the grid.
    names: Vec<String>,
    /// What came of the games under each settings.
    cells: Vec<Cell>,
    /// How sure the intervals of the table are.
    confidence: Confidence,
    /// What the search for an even value found.
    even: Option<Even>,
    /// The precision that was wanted.
    precision: Option<Precision>,
    /// For each seat under the first settings its bot.
    bots: Vec<Bot>,
    interrupted: bool,
}

/// A search for an even value.
struct Even {
    /// The option.
    option: String,
    /// The seat, by its index and its name.
    seat: (u16, String),
    /// The even share.
    share: f64,
    /// How sure the intervals of the points are.
    confidence: Confidence,
    found: Found,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    interrupt::asked();
    let settings = Settings { preset: args.preset.clone(), variants: args.variant.clone(), ..Settings::default() };
    let loaded = Arc::new(library::open(&args.game, &args.variant)?);
    let explorer = Explorer { args, settings, loaded };
    let place = args.many.page()?;
    let table = args.many.table.as_deref().map(|file| told::begin(file, args.many.force)).transpose()?;
    let explored = in_threads(args.many.threads, || explorer.explore())??;
    if let Some(table) = table {
        told::write(table, &explored)?;
    }
    let Some(first) = explored.cells.first() else { return Ok(Answer::Interrupted) };
    let words = first.session.lexicon().words;
    if let Some(place) = place {
        place.write(&page::page(&explored, args.seed.fixed(), words))?;
    }
    if args.json {
        screen.json(&told::to_json(&explored, args.seed.fixed()))?;
    } else {
        told::print(&explored, words, screen)?;
        told::files(args.many.files(), words, screen)?;
    }
    let nowhere = explored.even.as_ref().is_some_and(|even| matches!(even.found, Found::Nowhere(_)));
    Ok(match explored.interrupted {
        true => Answer::Interrupted,
        false => Answer::from(!nowhere && explored.cells.iter().all(|cell| cell.tally.faulty == 0)),
    })
}

/// What plays.
struct Explorer<'a> {
    args: &'a Args,
    /// What holds in all games.
    settings: Settings,
    loaded: Arc<Loaded>,
}

impl Explorer<'_> {
    /// The rules under settings with these values.
    fn open(&self, values: &[(String, Option<String>)]) -> Result<Session, Stop> {
        let settings = grid::over(&self.settings, values);
        Session::of(Rules::of(Arc::clone(&self.loaded), &settings)?, self.args.notation.lang())
    }

    fn explore(&self) -> Result<Explored, Stop> {
        match &self.args.even {
            Some(seat) => self.even(seat),
            None => self.side_by_side(),
        }
    }

    /// All settings of the grid.
    fn side_by_side(&self) -> Result<Explored, Stop> {
        let cells = grid::cells(&self.args.with)?;
        if cells.len() < 2 {
            let help = "give an option several values: --with hand_size=5..9, or --with variant_cards=false,true";
            return Err(Unusable::new("there is nothing to put side by side", help).into());
        }
        // What is wrong with some settings is said before any game is played.
        let opened = cells.into_iter().map(|values| Ok((self.open(&values)?, values)));
        let opened: Vec<(Session, grid::Cell)> = opened.collect::<Result<_, Stop>>()?;
        for (session, _) in &opened {
            bots(session, &self.args.seats.seats)?;
        }
        let figures: usize = opened.iter().map(|(session, _)| session.rules.seats() + 1).sum();
        let together = Confidence::USUAL.for_all(figures);
        let precision = self
            .args
            .precision
            .map(|points| Precision::new(points / 100.0, together, self.args.games.unwrap_or(LARGEST)));
        let (until, confidence) = match &precision {
            Some(precision) => (Until::Precision(precision.clone()), precision.confidence()),
            None => (Until::Games(self.args.games.unwrap_or(GAMES)), together),
        };
        let mut explored = Explored {
            names: self.args.with.iter().filter(|one| one.varies()).map(|one| one.name.clone()).collect(),
            cells: Vec::new(),
            confidence,
            even: None,
            precision,
            bots: opened
                .first()
                .map(|(session, _)| bots(session, &self.args.seats.seats))
                .transpose()?
                .unwrap_or_default(),
            interrupted: false,
        };
        for (session, values) in opened {
            let (tally, end) = self.play(&session, &until)?;
            explored.interrupted |= end == End::Interrupted;
            explored.cells.push(Cell { values: varying(&explored.names, &values), session, tally });
            if explored.interrupted {
                break;
            }
        }
        Ok(explored)
    }

    fn play(&self, session: &Session, until: &Until) -> Result<(Tally, End), Stop> {
        let bots = bots(session, &self.args.seats.seats)?;
        session.rules.evaluators().compile();
        let bar = screen::games_bar();
        let series = Series { session, from: None, bots: &bots, seed: self.args.seed.fixed(), vary: None };
        let played = series.play(until, &bar);
        bar.finish_and_clear();
        Ok(played)
    }

    /// The value of an option at which a seat has an even share.
    fn even(&self, seat: &str) -> Result<Explored, Stop> {
        let (ranges, fixed): (Vec<&Dimension>, Vec<&Dimension>) =
            self.args.with.iter().partition(|one| matches!(one.values, Values::Range(..)));
        let (&[Dimension { name, values: Values::Range(from, to) }], true) =
            (ranges.as_slice(), fixed.iter().all(|one| !one.varies()))
        else {
            let help = "give one option a range, and all others one value: --with hand_size=5..9 --even Good";
            return Err(Unusable::new("--even looks in the range of one option", help).into());
        };
        let fixed: Vec<Dimension> = fixed.into_iter().cloned().collect();
        let fixed = grid::cells(&fixed)?.into_iter().next().unwrap_or_default();
        let open = |value: i32| self.open(&[&fixed[..], &[(name.clone(), Some(value.to_string()))]].concat());
        let at_end = open(*to)?;
        let first = open(*from)?;
        let seat = (first.seat(seat)?, first.seat_name(Some(first.seat(seat)?)));
        if at_end.rules.seats() != first.rules.seats() {
            let help = "search in another option";
            return Err(Unusable::new(format!("{name} changes how many play"), help).into());
        }
        let share = 1.0 / first.rules.seats().max(1) as f64;
        let looks = looks(self.args.games.unwrap_or(EVEN_GAMES));
        let confidence = Confidence::USUAL.for_all(looks.len() * even::most(*from, *to));
        let mut explored = Explored {
            names: vec![name.clone()],
            cells: Vec::new(),
            confidence,
            even: None,
            precision: None,
            bots: bots(&first, &self.args.seats.seats)?,
            interrupted: false,
        };
        let side = |value: i32| -> Result<Option<Side>, Stop> {
            let session = open(value)?;
            let (tally, end, side) = self.side(&session, (seat.0, share), &looks, confidence)?;
            explored.interrupted |= end == End::Interrupted;
            explored.cells.push(Cell { values: vec![value.to_string()], session, tally });
            Ok((end == End::Enough || end == End::Imprecise).then_some(side))
        };
        let found = even::search(*from, *to, side)?;
        explored.cells.sort_by_key(|cell| cell.values.first().and_then(|value| value.parse::<i32>().ok()));
        explored.even = Some(Even { option: name.clone(), seat, share, confidence, found });
        Ok(explored)
    }

    /// On which side of the even share a seat is, looked at after each of some numbers of games.
    fn side(
        &self,
        session: &Session,
        (seat, even): (u16, f64),
        looks: &[u64],
        confidence: Confidence,
    ) -> Result<(Tally, End, Side), Stop> {
        let bots = bots(session, &self.args.seats.seats)?;
        session.rules.evaluators().compile();
        let bar = screen::games_bar();
        let series = Series { session, from: None, bots: &bots, seed: self.args.seed.fixed(), vary: None };
        let mut decided = Side::Open;
        let (tally, end) = series.play_until(looks, &bar, |tally| {
            let points = points_of(tally, seat, session.rules.seats(), confidence);
            decided = match (points.low > even, points.high < even) {
                (true, _) => Side::More,
                (_, true) => Side::Less,
                (false, false) => Side::Open,
            };
            decided != Side::Open
        });
        bar.finish_and_clear();
        Ok((tally, end, decided))
    }
}

/// Numbers of games at which it is looked at on which side a value lies: they double up to the most.
fn looks(most: u64) -> Vec<u64> {
    const FIRST: u64 = 200;
    let doubled = std::iter::successors(Some(FIRST), |n| n.checked_mul(2));
    doubled.take_while(|n| *n < most).chain(std::iter::once(most)).collect()
}

/// The values of the options that vary.
fn varying(names: &[String], values: &[(String, Option<String>)]) -> Vec<String> {
    let value = |name: &String| values.iter().find(|(n, _)| n == name).and_then(|(_, value)| value.clone());
    names.iter().map(|name| value(name).unwrap_or_default()).collect()
}

/// The mean points of a seat in the games that ended: one for a win, which the winners share, and which all seats share
/// in a draw.
fn points_of(tally: &Tally, seat: u16, seats: usize, confidence: Confidence) -> Estimate {
    let points = |(outcome, games): (Outcome, usize)| match outcome.winners.as_slice() {
        [] => games as f64 / seats.max(1) as f64,
        winners if winners.contains(&seat) => games as f64 / winners.len() as f64,
        _ => 0.0,
    };
    confidence.points(tally.endings().into_iter().map(points).sum(), tally.winners.over as f64)
}
