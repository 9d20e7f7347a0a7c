//! `play`: a game at the terminal.

mod again;
mod full;
mod grouped;
mod input;
mod prompt;
mod seated;
mod seen_json;
mod table;
mod talk;
mod view;
mod wire;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use lawspeaker::game::{Outcome, Status};
use lawspeaker::lexicon::{Words, fill};
use lawspeaker::library::Unusable;
use lawspeaker::players::{BOTS, Bot, NoBot, derived, seed_of_seat};
use lawspeaker::writing::{Held, Place, Policy, Refusal, numbered};

use super::flags::{Assigned, RulesArgs, SeatsArgs, SeedArgs, by_seat};
use super::games;
use super::lists::{self, ListOf, of_seat};
use super::number::{MAX_THREADS, within};
use super::screen::{Screen, Style};
use super::session::Session;
use super::{Answer, Run, Stop};
use full::{Full, FullScreen};
pub use input::Input;
use prompt::Prompt;
use seated::PlayerAt;
use table::{Spot, Table};
use talk::{Leaving, Talk};
pub use view::Viewer;
use wire::Wire;

/// Play a game at the terminal. Persons and bots each see only what their seat sees.
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("seats", |a| a.alias("seat").help(
        "Who plays a seat: `person` (the default), `random`, `first`, which takes the first option, `greedy`, which \
        looks one choice ahead, or `mcts`, which searches (`mcts:2000` with 2,000 playouts a choice, `mcts:1s` for a \
        second); in a match, SIDE=WHO; without SEAT=, who plays all seats that are not named (may be given several \
        times)"
    )),
    mut_arg("seed", |a| a.help("Seed of everything drawn by chance, bots included [default: from the clock]")),
    after_help = "Examples:\n  lawspeaker play confrontation --seats Dark=random\n  \
    lawspeaker play confrontation --resume confrontation-20260101-120000.record\n  \
    lawspeaker play confrontation --match --seats First=random\n\n\
    While you play, `help` lists what can be typed. The record is on disk after every ply."
)]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    #[command(flatten)]
    seats: SeatsArgs,
    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    seed: SeedArgs,
    /// Keep the record here instead of NAME-YYYYMMDD-HHMMSS.record.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Allow --record to replace a file.
    #[arg(long, requires = "record")]
    force: bool,
    /// Continue the game of this record; with --match, the match of these records (given once for each game so far, in
    /// order).
    #[arg(long, value_name = "FILE", conflicts_with = "at")]
    resume: Vec<PathBuf>,
    /// Start at the position in this file.
    #[arg(long, value_name = "FILE", conflicts_with = "matched")]
    at: Option<PathBuf>,
    /// Begin with this list of a seat, such as its deck (may be given several times, once for each seat).
    #[arg(long = "list", value_name = "SEAT=FILE", value_parser = of_seat, conflicts_with_all = ["at", "resume"])]
    lists: Vec<ListOf>,
    /// Play all games of a match, exchanging sides, and add up the scores.
    #[arg(long = "match")]
    matched: bool,
    /// Let bots that search do so in this many threads at a time. With a number of playouts, the same seed and number
    /// of threads give the same game.
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = within::<usize>(1..=MAX_THREADS))]
    threads: usize,
    /// Look at each position whether a `never` rules it out, and say so; that gives exit code 1.
    #[arg(long)]
    check: bool,
    /// Talk in lines at a prompt, also on a terminal.
    #[arg(long)]
    plain: bool,
    /// Speak JSON, a message a line, so that another program plays the seats of persons (docs/bots.md).
    #[arg(long, conflicts_with_all = ["matched", "check"])]
    json: bool,
}

/// How the talk with the people at the table is shown.
enum Front {
    /// In lines, at a prompt.
    Lines(Input),
    /// On the whole screen of a terminal.
    Whole,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let mut front =
        if args.plain || args.json || !screen.is_whole() { Front::Lines(Input::new()) } else { Front::Whole };
    let seed = args.seed.seed.unwrap_or_else(clock_seed);
    if args.matched {
        return play_match(args, seed, &mut front, screen);
    }
    if args.resume.len() > 1 {
        let help = "give one record; several are those of a match, with --match";
        return Err(Unusable::new("--resume is given more than once", help).into());
    }
    // Held before it is read: what is read is what is gone on with.
    let held = held(args, args.resume.first())?;
    let (session, opened) = open(args, seed)?;
    let mut players = players(&session, &args.seats.seats, (opened.seed, args.threads))?;
    let elsewhere = held.as_ref().is_some_and(|h| !h.is_own());
    let spot = held.map_or_else(|| Spot::Free(default_file(&session, "")), Spot::At);
    let mut table = Table::new(&session, opened, spot)?;
    table.begin(elsewhere)?;
    if args.check {
        table.check();
    }
    let on = |table: &Table<'_>| again::command(args, table, &[]);
    if args.json {
        // It holds the standard input.
        drop(front);
        return wired(&mut table, &mut players, screen);
    }
    sit(&mut table, &mut players, &on, &mut front, screen)?;
    Ok(Answer::from(!table.broke))
}

/// Lets another program play at a table.
fn wired(table: &mut Table<'_>, players: &mut [PlayerAt], screen: &mut Screen) -> Run {
    match Wire::new(table, players, screen).run() {
        Ok(_) => {}
        Err(Stop::Unusable(error)) => return Err(rescued(table, error)),
        Err(stop) => return Err(stop),
    }
    table.end()?;
    Ok(Answer::Yes)
}

/// The file in which the record is kept, if one is named.
fn held(args: &Args, resume: Option<&PathBuf>) -> Result<Option<Held>, Refusal> {
    let place = match (&args.record, resume) {
        (Some(record), resume) => {
            let same = |r: &PathBuf| matches!((r.canonicalize(), record.canonicalize()), (Ok(a), Ok(b)) if a == b);
            let own = resume.is_some_and(same);
            Place::new(record, if own { Policy::Own } else { Policy::forced(args.force) })?
        }
        (None, Some(resume)) if resume.is_file() => Place::new(resume, Policy::Own)?,
        // This is not a file. Reading it fails, and that error is reported.
        (None, Some(_)) | (None, None) => return Ok(None),
    };
    place.hold().map(Some)
}

/// Opens the game at its start, at a position, or where a record left it.
fn open(args: &Args, seed: u64) -> Result<(Session, games::Opened), Stop> {
    if let Some(file) = args.resume.first() {
        return resume(args, file);
    }
    if let Some(file) = &args.at {
        if file.as_os_str() == "-" {
            let help = "write the position into a file, or give it itself after --at, in quotes";
            return Err(Unusable::new("`play` reads from the standard input what you type", help).into());
        }
        let settings = args.rules.settings();
        let named = games::Named::of(&args.game, file, &settings)?;
        return games::at_scene(&args.game, &named, &settings, args.rules.lang(), seed);
    }
    let session = fresh(args)?;
    let opened = games::at_start(&session, seed)?;
    Ok((session, opened))
}

/// The rules of a game that begins, with the lists it begins with.
fn fresh(args: &Args) -> Result<Session, Stop> {
    let settings = lists::begin_with(&args.lists, args.rules.settings())?;
    Session::open(&args.game, &settings, args.rules.lang())
}

/// Opens the game of a record where it was left.
fn resume(args: &Args, file: &Path) -> Result<(Session, games::Opened), Stop> {
    let (session, opened) = games::resume(&args.game, file, args.rules.lang())?;
    again::settled(args, opened.seed)?;
    Ok((session, opened))
}

/// Plays at a table; `on` gives the command with which the game goes on if someone leaves.
fn sit(
    table: &mut Table<'_>,
    players: &mut [PlayerAt],
    on: &dyn Fn(&Table<'_>) -> String,
    front: &mut Front,
    screen: &mut Screen,
) -> Result<Leaving, Stop> {
    let title = table.session.model().title.get(&table.session.lang).to_owned();
    writeln!(screen, "{}", screen.styled(Style::Bold, &title))?;
    let (words, file) = (&table.session.lexicon().words.play, table.file().display().to_string());
    // From the seed all follows that chance brings, and so what is hidden.
    let record = match table.session.model().hides() {
        true => fill(words.record, &[&file]),
        false => fill(words.record_seed, &[&file, &table.seed.to_string()]),
    };
    writeln!(screen, "{record}")?;
    table.patient = players.iter().any(|player| matches!(player, PlayerAt::Person));
    let played = match front {
        Front::Lines(input) => Prompt::new(Talk::new(table, players, false), input, screen).run(),
        Front::Whole => {
            screen.flush()?;
            let full = FullScreen::open()?;
            Full::new(Talk::new(table, players, true), full, screen.colours()).saying(record).run()
        }
    };
    let left = match played {
        Ok(left) => left,
        Err(Stop::Unusable(error)) => return Err(rescued(table, error)),
        Err(stop) => return Err(stop),
    };
    screen.flush()?;
    match table.end() {
        Err(Stop::Unusable(error)) => return Err(rescued(table, error)),
        ended => ended?,
    }
    if let (Front::Whole, Status::Over(outcome)) = (&front, table.status()?) {
        writeln!(screen, "{}", screen.styled(Style::Bold, &table.session.outcome(&outcome)))?;
    }
    if left == Leaving::Gone && table.is_kept() {
        let file = table.file().display().to_string();
        writeln!(screen, "{}", fill(words.kept, &[&file, &on(table)]))?;
    }
    Ok(left)
}

/// Keeps under another name what could not be kept in its place, and says so.
fn rescued(table: &mut Table<'_>, error: Unusable) -> Stop {
    // What has been played is worth more than a second complaint.
    if !table.is_kept() {
        let _ = table.end();
    }
    let other = default_file(table.session, "");
    match table.rescue(other) {
        Some(file) => Unusable::new(error.message, format!("the game so far is kept in {}", file.display())).into(),
        None => error.into(),
    }
}

fn play_match(args: &Args, seed: u64, front: &mut Front, screen: &mut Screen) -> Run {
    let begun = match args.resume.first() {
        Some(file) => Some(resume(args, file)?.0),
        None => None,
    };
    let session = begun.map_or_else(|| fresh(args), Ok)?;
    let Some(rounds) = session.model().rounds.clone() else {
        let message = format!("{} has no `rounds`, so no match", session.model().name);
        return Err(Unusable::new(message, "leave out --match").into());
    };
    if args.resume.len() > rounds.games.len() {
        let message = format!("{} records are given, and a match has {} games", args.resume.len(), rounds.games.len());
        return Err(Unusable::new(message, "give --resume once for each game so far, in order").into());
    }
    if args.record.is_some() && !args.resume.is_empty() {
        let message = "--record cannot be used with --match and --resume: a record that goes on keeps its place";
        return Err(Unusable::new(message, "leave out --record").into());
    }
    let lexicon = session.lexicon();
    let words = &lexicon.words.play;
    let mut files: Vec<PathBuf> = Vec::new();
    let (mut totals, mut broke) = (vec![0_i64; rounds.sides.len()], false);
    let record = |file: &'_ PathBuf| {
        let stream = Place::new(file, Policy::Forced).is_ok_and(|p| p.is_stream());
        let file = file.clone();
        let named = move |n| if stream { file.clone() } else { numbered(&file, n) };
        (1..=rounds.games.len()).map(move |n| Place::new(&named(n), Policy::forced(args.force)))
    };
    // All are looked at before the first game, so that the last does not fail for its name.
    let places: Result<Vec<Place>, Refusal> = args.record.iter().flat_map(record).collect();
    let mut places = places?.into_iter();
    for (i, seats) in rounds.games.iter().enumerate() {
        let number = i + 1;
        let games = rounds.games.len().to_string();
        writeln!(screen, "{}", fill(words.game_of, &[&number.to_string(), &games]))?;
        let placed = seat_sides(&session, &args.seats.seats, &rounds.sides, seats);
        let game_seed = derived(seed, i as u64);
        let mut players = players(&session, &placed, (game_seed, args.threads))?;
        let spot = match places.next() {
            Some(place) => Spot::At(place.hold()?),
            None => Spot::Free(default_file(&session, &format!("-{number}"))),
        };
        let (spot, opened) = match args.resume.get(i) {
            Some(file) => (held(args, Some(file))?.map_or(spot, Spot::At), resume(args, file)?.1),
            None => (spot, games::at_start(&session, game_seed)?),
        };
        let mut table = Table::new(&session, opened, spot)?;
        table.begin(args.resume.get(i).is_none())?;
        if args.check {
            table.check();
        }
        let on = |table: &Table<'_>| again::command(args, table, &files);
        if number < args.resume.len() {
            finished(&table)?;
        } else if sit(&mut table, &mut players, &on, front, screen)? == Leaving::Gone {
            return Ok(Answer::from(!(broke || table.broke)));
        }
        broke |= table.broke;
        files.push(table.file().to_owned());
        if let Status::Over(outcome) = table.status()? {
            add(&mut totals, seats, &outcome);
        }
        let total = total(lexicon.words, &rounds.sides, &totals);
        writeln!(screen, "{}", fill(words.after_game, &[&number.to_string(), &total]))?;
    }
    let words = fill(words.match_result, &[&match_result(lexicon.words, &rounds.sides, &totals)]);
    writeln!(screen, "{}", screen.styled(Style::Bold, &words))?;
    Ok(Answer::from(!broke))
}

/// Makes sure that a game of a match before the last one is over.
fn finished(table: &Table<'_>) -> Result<(), Stop> {
    match table.status()? {
        Status::Over(_) => Ok(()),
        _ => {
            let message = format!("the game of {} is not over", table.file().display());
            Err(Unusable::new(message, "only the last record of a match can be of a game that goes on").into())
        }
    }
}

/// Adds the scores of a game to the sides: `seats` is for each side the seat it took.
pub fn add(totals: &mut [i64], seats: &[i32], outcome: &Outcome) {
    for (total, seat) in totals.iter_mut().zip(seats) {
        let score = usize::try_from(*seat).ok().and_then(|s| outcome.scores.get(s));
        *total += i64::from(score.copied().unwrap_or(0));
    }
}

fn total(words: &Words, sides: &[String], totals: &[i64]) -> String {
    let parts = sides.iter().zip(totals).map(|(s, t)| fill(words.play.total, &[s, &t.to_string()]));
    parts.collect::<Vec<_>>().join(words.comma)
}

/// The result of a match: the side with the highest total wins.
pub fn match_result(words: &Words, sides: &[String], totals: &[i64]) -> String {
    let best = totals.iter().copied().max().unwrap_or(0);
    let winners: Vec<&str> = sides.iter().zip(totals).filter(|(_, t)| **t == best).map(|(s, _)| s.as_str()).collect();
    let result = match winners.as_slice() {
        [winner] => fill(words.play.wins, &[winner]),
        _ => words.play.draw.to_owned(),
    };
    result + &words.bracketed(&total(words, sides, totals))
}

/// `SIDE=WHO` as `SEAT=WHO` of the seat that the side takes in this game. A seat's own name is left as it is.
fn seat_sides(session: &Session, assigned: &[Assigned], sides: &[String], seats: &[i32]) -> Vec<Assigned> {
    let place = |one: &Assigned| {
        let side = sides.iter().position(|s| Some(s) == one.seat.as_ref());
        let seat = side.and_then(|s| seats.get(s)).and_then(|s| u16::try_from(*s).ok());
        let name = seat.map(|seat| session.seat_name(Some(seat)));
        Assigned { seat: name.or(one.seat.clone()), who: one.who.clone() }
    };
    assigned.iter().map(place).collect()
}

fn players(session: &Session, assigned: &[Assigned], (seed, threads): (u64, usize)) -> Result<Vec<PlayerAt>, Unusable> {
    let player = |(who, seat): (Option<&str>, u16)| match who {
        None | Some("person") => Ok(PlayerAt::Person),
        Some(who) => match Bot::parse(who) {
            Ok(bot) => {
                let (seed, evaluators) = (seed_of_seat(seed, seat), session.rules.evaluators());
                Ok(PlayerAt::Bot(bot.player_in(threads, seed, evaluators)))
            }
            Err(NoBot::Unknown(_)) => {
                let help = format!("write SEAT=WHO, where WHO is person, {}", listed(&BOTS));
                Err(Unusable::new(format!("there is no player called {who}"), help))
            }
            Err(no) => Err(Unusable::new(no.to_string(), no.help())),
        },
    };
    by_seat(assigned, session)?.into_iter().zip(0..).map(player).collect()
}

/// Names as a list in a sentence.
fn listed(names: &[&str]) -> String {
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

fn clock_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    // Few digits: a seed may have to be typed again.
    derived(now.map_or(0, |d| d.as_nanos() as u64), 0) % 1_000_000_000
}

fn default_file(session: &Session, suffix: &str) -> PathBuf {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let stamp = timestamp(now.map_or(0, |d| d.as_secs()));
    PathBuf::from(format!("{}-{stamp}{suffix}.record", session.model().name))
}

/// Seconds since 1970 as `YYYYMMDD-HHMMSS`, in universal time.
fn timestamp(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days since 1 March of the year 0; an era is 400 years.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = year + era * 400 + next;
    let (h, m, s) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}{month:02}{date:02}-{h:02}{m:02}{s:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_dates() {
        assert_eq!(timestamp(0), "19700101-000000");
        assert_eq!(timestamp(951_782_400), "20000229-000000");
        assert_eq!(timestamp(951_868_800), "20000301-000000");
        assert_eq!(timestamp(1_795_257_665), "20261121-104105");
    }

    #[test]
    fn a_match_goes_to_the_higher_total() {
        let words = Words::english();
        let sides = ["Anna".to_owned(), "Ben".to_owned()];
        let mut totals = [0, 0];
        let game = |scores: [i32; 2]| Outcome { ending: 0, winners: Vec::new(), scores: scores.to_vec() };
        add(&mut totals, &[0, 1], &game([5, 0]));
        add(&mut totals, &[1, 0], &game([3, 1]));
        assert_eq!(match_result(words, &sides, &totals), "Anna wins (Anna 6, Ben 3)");
        assert_eq!(match_result(words, &sides, &[2, 2]), "draw (Anna 2, Ben 2)");
    }
}
