//! `find`: a game in which something comes about.

use std::io::Write as _;

use lawspeaker::game::{Choice, Status};
use lawspeaker::lexicon::{Counted, Words, fill};
use lawspeaker::library::Unusable;
use lawspeaker::players::{Bot, derived};
use lawspeaker::record::{self, Record};
use lawspeaker::search::{self, FORMS, Finder, Query, Sought};
use serde_json::{Value as Json, json};

use super::flags::{Assigned, LimitArgs, OutArgs, RulesArgs, SeedArgs, assigned, bot_named, by_seat};
use super::number::{LARGEST, MAX_GAME_PLIES, MAX_KEPT, within};
use super::screen::{self, Screen};
use super::session::Session;
use super::{Answer, Run, Stop};

/// Find a game in which a condition comes to hold, and print it as a record.
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("limit", |a| a.default_value("100000").value_parser(within::<usize>(0..=MAX_KEPT)).help(
        "Follow all ways from the start through at most this many positions"
    )),
    after_help = "The condition is an expression of the language, or SEAT wins, SEAT loses, draw, over; several may be \
    joined by `and`. First all ways are followed from the start, the shortest first; then games are \
    played, at random or by bots.\n\n\
    Examples:\n  lawspeaker find tic-tac-toe 'O wins and B2.mark is X'\n  \
    lawspeaker find confrontation 'crowd(Dark, Shire) == 2' --out shire.record\n\n\
    Exit code 0: found; 1: not found (the answer says what was searched)."
)]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    /// The condition.
    condition: String,
    #[command(flatten)]
    limit: LimitArgs,
    /// If the search finds nothing, play this many games, at random if no bots are named.
    #[arg(long, default_value_t = 1000, value_name = "N", value_parser = within::<u64>(0..=LARGEST))]
    games: u64,
    /// Who plays these games: a bot, such as greedy or mcts:200, for a seat or for all (may be given several times).
    #[arg(long, alias = "seat", value_name = "[SEAT=]BOT", value_parser = assigned)]
    seats: Vec<Assigned>,
    #[command(flatten)]
    seed: SeedArgs,
    /// End such a game after this many plies.
    #[arg(long, default_value_t = 5000, value_name = "N", value_parser = within::<usize>(1..=MAX_GAME_PLIES))]
    plies: usize,
    #[command(flatten)]
    out: OutArgs,
    #[command(flatten)]
    rules: RulesArgs,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let place = args.out.place()?;
    let session = args.rules.open(&args.game)?;
    let wanted = Query::condition(session.rules.explainer(), &args.condition)
        .map_err(|m| Unusable::new(m.to_string(), format!("a condition is one of: {FORMS}")))?;
    let bots = by_seat(&args.seats, &session)?.into_iter().map(|who| who.map_or(Ok(Bot::Random), bot_named));
    let bots = bots.collect::<Result<Vec<Bot>, Unusable>>()?;
    let bar = screen::counter("positions");
    let watch = |n: usize| bar.set_position(n as u64);
    let engine = session.rules.evaluators();
    let finder = Finder {
        engine,
        wanted: &wanted,
        most: args.limit.limit,
        games: args.games,
        bots: &bots,
        seed: args.seed.fixed(),
        plies: args.plies,
        watch: &watch,
    };
    let sought = search::find(&finder);
    bar.finish_and_clear();
    let sought = sought.map_err(|f| session.fault(&f))?;
    let by = seated(&session, &bots);
    let text = match &sought.way {
        Some(way) => Some(record::write(&as_record(&session, args, &sought, way)?)),
        None => None,
    };
    if let (Some(text), Some(file)) = (&text, place) {
        file.write(text)?;
    }
    if args.json {
        let bots: Vec<String> = bots.iter().map(Bot::to_string).collect();
        screen.json(&to_json(args, (&sought, &bots), text.as_deref()))?;
    } else {
        print(args, session.lexicon().words, (&sought, by.as_deref()), text.as_deref(), screen)?;
    }
    Ok(Answer::from(sought.way.is_some()))
}

/// The record of the way.
fn as_record(session: &Session, args: &Args, sought: &Sought, way: &[Choice]) -> Result<Record, Stop> {
    let mut record = Record {
        settings: session.rules.settings().clone(),
        rules: Some(record::rules_digest(session.model(), session.rules.config())),
        seed: sought.game.map(|game| derived(args.seed.fixed(), game)),
        ..Record::default()
    };
    let mut position = session.rules.start()?;
    for choice in way {
        record.plies.push(record::ply((session.rules.evaluators(), session.rules.explainer()), &position, *choice));
        session.rules.apply(&mut position, *choice)?;
    }
    if let Status::Over(outcome) = session.rules.status(&position)? {
        record.result = Some(record::result_of(session.model(), Some(&outcome)));
    }
    Ok(record)
}

/// Who played the games: one bot, or for each seat its own; `None` if all was at random.
fn seated(session: &Session, bots: &[Bot]) -> Option<String> {
    let words = session.lexicon().words;
    let first = bots.first()?;
    if bots.iter().all(|bot| bot == first) {
        return (*first != Bot::Random).then(|| first.to_string());
    }
    let one = |(bot, seat): (&Bot, u16)| format!("{}{}{bot}", session.seat_name(Some(seat)), words.colon);
    Some(bots.iter().zip(0..).map(one).collect::<Vec<_>>().join(words.comma))
}

/// What was looked at.
fn covered((sought, by): (&Sought, Option<&str>), words: &Words) -> String {
    let (find, counts) = (&words.find, &words.counts);
    let all = match sought.all {
        true => find.all.to_owned(),
        false => fill(find.up_to, &[&sought.depth.to_string()]),
    };
    let mut said = fill(find.looked, &[&counts.of(Counted::Positions, sought.positions), &all]);
    if sought.games > 0 {
        let games = counts.of(Counted::Games, sought.games as usize);
        let played = counts.of(Counted::Positions, sought.played);
        said += &match by {
            Some(bots) => fill(find.of_bots, &[&games, &played, bots]),
            None => fill(find.random, &[&games, &played]),
        };
    }
    said
}

fn print(
    args: &Args,
    words: &Words,
    (sought, by): (&Sought, Option<&str>),
    text: Option<&str>,
    screen: &mut Screen,
) -> Result<(), Stop> {
    let (condition, find, covered) = (args.condition.trim(), &words.find, covered((sought, by), words));
    let Some(way) = &sought.way else {
        let phrase = if sought.all { find.never } else { find.not_found };
        writeln!(screen, "{}", fill(phrase, &[condition, &covered]))?;
        return Ok(());
    };
    let after = words.counts.of(Counted::Plies, way.len());
    let how = match (sought.game, by) {
        (None, _) => find.shortest.to_owned(),
        (Some(game), None) => fill(find.in_game, &[&(game + 1).to_string()]),
        (Some(game), Some(bots)) => fill(find.in_game_of, &[&(game + 1).to_string(), bots]),
    };
    let found = [condition, &after, &how, &covered];
    match &args.out.file {
        Some(file) => {
            writeln!(screen, "{}", fill(find.found, &found))?;
            writeln!(screen, "{}", fill(find.written, &[&file.display().to_string()]))?;
        }
        None => {
            writeln!(screen, "{}", fill(find.found_note, &found))?;
            write!(screen, "{}", text.unwrap_or_default())?;
        }
    }
    Ok(())
}

fn to_json(args: &Args, (sought, bots): (&Sought, &[String]), text: Option<&str>) -> Json {
    json!({
        "condition": args.condition,
        "found": sought.way.is_some(),
        "plies": sought.way.as_ref().map(Vec::len),
        "game": sought.game,
        "seed": sought.game.map(|game| derived(args.seed.fixed(), game)),
        "record": text,
        "positions": sought.positions,
        "depth": sought.depth,
        "all": sought.all,
        "games": sought.games,
        "bots": bots,
        "played": sought.played,
    })
}
