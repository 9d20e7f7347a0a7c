//! `odds`: how likely something is from a position on.

use std::collections::BTreeMap;
use std::io::Write as _;

use lawspeaker::game::Position;
use lawspeaker::lexicon::{Counted, Lexicon, fill};
use lawspeaker::library::Unusable;
use lawspeaker::model::Value;
use lawspeaker::search::{self, Chances, FORMS, Halt, Odds, Policy, Query, Ratio, Sampled, Unclear, Until};
use lawspeaker::stats::{Confidence, Estimate};
use serde_json::{Value as Json, json};

use super::flags::{LimitArgs, PositionArgs, RulesArgs, SeatArgs, SeatsArgs, SeedArgs, WorldsArgs, by_seat};
use super::number::{LARGEST, MAX_GAME_PLIES, within};
use super::screen::{self, Screen, Style};
use super::session::Session;
use super::{Answer, Run, Stop};

/// Compute exactly how likely something is, over everything that chance and the seats may do.
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("seat", |a| a.help(
        "Take all arrangements of what this seat cannot see as equally likely; those in which the --do actions are \
        impossible are left out"
    )),
    mut_arg("worlds", |a| a.requires("seat")),
    mut_arg("seats", |a| a.help(
        "How a seat decides: options in order of preference and, last, `random`, `first`, `best`, `worst` or a bot \
        (`greedy`, `mcts:200`), separated by `;`; without SEAT=, for all seats that are not named (may be given \
        several times)"
    )),
    mut_arg("limit", |a| a.default_value("2000000")),
    mut_arg("seed", |a| a.requires("sample")),
    after_help = "The question is an expression of the language (`crowd(Dark, Shire)`, `Frodo.at is none`), or one of: \
    SEAT wins, SEAT loses, draw, over, winner, ending, score of SEAT.\n\n\
    Examples:\n  lawspeaker odds backgammon 'dice' --until decision\n  \
    lawspeaker odds leduc-holdem --seats random --until over 'score of First'\n  \
    lawspeaker odds mygame --at here.position --do 'A to B' --seats random winner\n  \
    lawspeaker odds mygame --seats 'First=A to B; best' --seats random winner\n\n\
    Exit code 0: there is an answer, whatever it is; 2: the question, or how a seat decides, was not given."
)]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    /// The question to answer.
    question: String,
    #[command(flatten)]
    position: PositionArgs,
    /// Do this first, in the game's notation (may be given several times, in order).
    #[arg(long = "do", value_name = "ACTION")]
    first: Vec<String>,
    /// When the question is asked: `next` (everything begun is finished and a seat decides again), `decision` (any seat
    /// must decide), `over` (the game has ended), or as soon as an expression holds; at the latest when the game is
    /// over.
    #[arg(long, default_value = "next", value_name = "WHEN")]
    until: String,
    #[command(flatten)]
    seat: SeatArgs,
    #[command(flatten)]
    worlds: WorldsArgs,
    #[command(flatten)]
    seats: SeatsArgs,
    /// Look ahead at most this many plies.
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = within::<usize>(1..=MAX_GAME_PLIES))]
    plies: usize,
    #[command(flatten)]
    limit: LimitArgs,
    /// Instead of following all ways, sample this many at random.
    #[arg(long, value_name = "N", value_parser = within::<usize>(1..=LARGEST))]
    sample: Option<usize>,
    /// Print no mean if more than this share, in per cent, is unknown.
    #[arg(long, value_name = "PERCENT", default_value_t = 1, value_parser = within::<u8>(0..=100))]
    unknown: u8,
    #[command(flatten)]
    seed: SeedArgs,
    #[command(flatten)]
    rules: RulesArgs,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let (session, position) = args.position.open(&args.game, &args.rules)?;
    let help = format!("ask {FORMS}");
    let query =
        Query::new(session.rules.explainer(), &args.question).map_err(|m| Unusable::new(m.to_string(), help))?;
    let policy = |how: Option<&str>| how.map_or_else(Policy::default, Policy::parse);
    let players: Vec<Policy> = by_seat(&args.seats.seats, &session)?.into_iter().map(policy).collect();
    let from = possible(args, &session, &position)?;
    let (from, level) = done(&session, from, &args.first)?;
    let until = until(&session, &args.until, level)?;
    let bar = screen::counter("positions");
    let watch = |n: usize| bar.set_position(n as u64);
    let engine = session.rules.evaluators();
    let odds = Odds {
        engine,
        until: &until,
        begun: !args.first.is_empty(),
        players: &players,
        plies: args.plies,
        most: args.limit.limit,
        watch: &watch,
        lang: args.rules.lang(),
    };
    let worlds = from.len();
    let from: Vec<(Position, Ratio)> = from.into_iter().map(|p| (p, Ratio::ONE.one_of(worlds))).collect();
    match args.sample {
        Some(tries) => {
            let sampled = search::sample(&odds, &from, &query, (tries, args.seed.fixed()));
            bar.finish_and_clear();
            told_sampled(args, &session, &query, &sampled.map_err(|h| halted(&session, h))?, screen)?;
        }
        None => {
            let chances = odds.ask(from, &query);
            bar.finish_and_clear();
            let chances = chances.map_err(|h| halted(&session, h))?;
            told(args, &session, (&query, &chances, worlds), screen)?;
        }
    }
    Ok(Answer::Yes)
}

/// The positions that the question is about, each equally likely.
fn possible(args: &Args, session: &Session, position: &Position) -> Result<Vec<Position>, Stop> {
    let Some(view) = &args.seat.seat else {
        return Ok(vec![position.clone()]);
    };
    let seat = session.seat(view)?;
    search::worlds(session.rules.evaluators(), position, seat, args.worlds.worlds).map_err(|unclear| match unclear {
        Unclear::Fault(fault) => session.fault(&fault),
        other => {
            Unusable::new(other.to_string(), "leave out --seat to take the position as it is, or raise --worlds").into()
        }
    })
}

/// Makes the choices that come first, wherever all of them can be made; the positions then, and the level at which
/// what is begun is done.
fn done(session: &Session, from: Vec<Position>, first: &[String]) -> Result<(Vec<Position>, usize), Stop> {
    let mut level = usize::MAX;
    let mut wrong: Option<String> = None;
    let mut reached = Vec::new();
    for mut position in from {
        let mut here = position.depth(session.model());
        let made = first.iter().enumerate().try_for_each(|(i, text)| {
            search::make(session.rules.explainer(), &mut position, text)
                .map_err(|m| format!("--do {}, `{text}`: {m}", i + 1))?;
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
                Query::condition(session.rules.explainer(), condition)
                    .map_err(|m| Unusable::new(format!("--until: {m}"), help))?,
            )
        }
    })
}

/// Why there is no answer.
pub fn halted(session: &Session, halt: Halt) -> Stop {
    match halt {
        Halt::Fault(fault) => session.fault(&fault),
        Halt::Unsaid { .. } => {
            let help = "say how with --seats SEAT=HOW (random, first, best, worst, a bot or an option), or for all \
                 with --seats random; or stop there with --until decision";
            Unusable::new(halt.to_string(), help).into()
        }
        Halt::Idle { .. } => Unusable::new(halt.to_string(), "leave it out, or write it as `ask` lists it").into(),
        other => Unusable::new(other.to_string(), "").into(),
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

/// An answer, and how likely it is.
type Asked<'a> = (&'a Query, &'a Chances, usize);

fn told(args: &Args, session: &Session, asked: Asked, screen: &mut Screen) -> Result<(), Stop> {
    let (query, chances, worlds) = asked;
    if args.json {
        return Ok(screen.json(&to_json(session, args.unknown, asked))?);
    }
    let lexicon = session.lexicon();
    let words = lexicon.words;
    let title = screen.styled(Style::Bold, query.text());
    if query.is_truth() && chances.rest.is_zero() {
        let yes = chances.yes();
        writeln!(screen, "{title}{}{yes}{}{}", words.colon, words.comma, percent(yes.value()))?;
    } else {
        match query.is_truth() {
            true => {
                let (least, most) = (chances.yes(), chances.yes().plus(chances.rest));
                let between = fill(words.odds.between, &[&percent(least.value()), &percent(most.value())]);
                writeln!(screen, "{title}{}{between}", words.colon)?;
            }
            false => writeln!(screen, "{title}{}", words.colon.trim_end())?,
        }
        rows(query, chances, (args.unknown, &lexicon), screen)?;
    }
    if let Some(choice) = &chances.choice {
        writeln!(screen, "  {}", fill(words.odds.first_choice, &[choice]))?;
    }
    let positions = words.counts.of(Counted::Positions, chances.positions);
    let mut notes = fill(words.odds.ahead, &[&positions, &words.counts.of(Counted::Plies, chances.plies)]);
    if let Some(view) = &args.seat.seat {
        notes += &fill(words.odds.as_far_as, &[view, &worlds.to_string()]);
    }
    if !chances.is_exact() {
        notes += words.odds.rounded;
    }
    writeln!(screen, "{}", screen.styled(Style::Dim, &notes))?;
    Ok(())
}

/// Answers in words, in their order: that of the values, or of the words where the answers are texts.
fn answers<T: Copy>(query: &Query, of: &BTreeMap<Value, T>, lexicon: &Lexicon) -> Vec<(String, T)> {
    let mut all: Vec<(String, T)> = of.iter().map(|(v, c)| (query.words(v, lexicon), *c)).collect();
    if query.is_text() {
        all.sort_by(|a, b| a.0.cmp(&b.0));
    }
    all
}

/// Whether so little is unknown that a mean says something.
fn has_mean(query: &Query, unknown: f64, percent: u8) -> bool {
    query.is_number() && unknown * 100.0 <= f64::from(percent)
}

fn rows(query: &Query, chances: &Chances, (unknown, lexicon): (u8, &Lexicon), screen: &mut Screen) -> Result<(), Stop> {
    let words = &lexicon.words.odds;
    let mut rows = answers(query, &chances.of, lexicon);
    rows.extend((!chances.rest.is_zero()).then(|| (words.rest.to_owned(), chances.rest)));
    let rows: Vec<(String, String, String)> =
        rows.into_iter().map(|(name, c)| (percent(c.value()), c.to_string(), name)).collect();
    let width = rows.iter().map(|r| r.1.len()).max().unwrap_or(0);
    for (percent, fraction, name) in rows {
        writeln!(screen, "{percent:>11}  {fraction:>width$}  {name}")?;
    }
    let rest = chances.rest.value();
    if query.is_number() && !query.is_truth() && !has_mean(query, rest, unknown) {
        writeln!(screen, "  {}", fill(words.no_mean, &[&percent(rest)]))?;
    } else if let Some(mean) = chances.mean().filter(|_| query.is_number() && !query.is_truth()) {
        let value = decimal(mean.value());
        let mean = match mean.is_exact() {
            true => fill(words.mean_exact, &[&mean.to_string(), &value]),
            false => fill(words.mean_about, &[&value]),
        };
        writeln!(screen, "  {mean}")?;
    }
    Ok(())
}

fn value_json(query: &Query, value: &Value, data: &Lexicon) -> Json {
    match value {
        _ if query.is_text() => json!(query.words(value, data)),
        Value::Int(n) if query.is_truth() => json!(*n != 0),
        Value::Int(n) if query.is_number() => json!(n),
        Value::None => Json::Null,
        _ => json!(query.words(value, data)),
    }
}

fn ratio_json(ratio: Ratio) -> Json {
    match ratio.is_exact() {
        true => json!(ratio.to_string()),
        false => Json::Null,
    }
}

fn to_json(session: &Session, unknown: u8, (query, chances, worlds): Asked) -> Json {
    let data = Lexicon::for_data(session.model(), &session.lang);
    let of = chances.of.iter().map(|(value, chance)| {
        json!({ "value": value_json(query, value, &data), "chance": ratio_json(*chance), "share": chance.value() })
    });
    let mean = chances.mean().filter(|_| has_mean(query, chances.rest.value(), unknown));
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

/// Which share of the tries did not come to an end.
fn unknown_share(sampled: &Sampled) -> f64 {
    sampled.rest as f64 / sampled.tries.max(1) as f64
}

fn told_sampled(
    args: &Args,
    session: &Session,
    query: &Query,
    sampled: &Sampled,
    screen: &mut Screen,
) -> Result<(), Stop> {
    if args.json {
        let data = Lexicon::for_data(session.model(), &session.lang);
        let of = sampled.of.iter().map(|(value, count)| {
            let Estimate { value: share, low, high } = Confidence::USUAL.share(*count, sampled.tries);
            json!({
                "value": value_json(query, value, &data), "tries": count, "share": share, "low": low, "high": high
            })
        });
        let mean = sampled.mean().filter(|_| has_mean(query, unknown_share(sampled), args.unknown));
        let json = json!({
            "question": query.text(), "exact": false, "tries": sampled.tries, "seed": args.seed.fixed(),
            "rest": sampled.rest,
            "of": of.collect::<Vec<Json>>(),
            "mean": mean.map(|(m, off)| json!({ "value": m, "low": m - off, "high": m + off })),
        });
        return Ok(screen.json(&json)?);
    }
    let title = screen.styled(Style::Bold, query.text());
    let lexicon = session.lexicon();
    let words = &lexicon.words.odds;
    writeln!(screen, "{}", fill(words.tries, &[&title, &sampled.tries.to_string()]))?;
    let mut rows = answers(query, &sampled.of, &lexicon);
    rows.extend((sampled.rest > 0).then(|| (words.rest.to_owned(), sampled.rest)));
    for (name, count) in rows {
        let Estimate { value, low, high } = Confidence::USUAL.share(count, sampled.tries);
        let [share, low, high] = [value, low, high].map(|x| format!("{:.2}", 100.0 * x));
        let share = fill(words.share, &[&format!("{share:>6}"), &low, &high]);
        writeln!(screen, "{count:>8}  {share}  {name}")?;
    }
    let rest = unknown_share(sampled);
    if query.is_number() && !query.is_truth() && !has_mean(query, rest, args.unknown) {
        writeln!(screen, "  {}", fill(words.no_mean, &[&percent(rest)]))?;
    } else if let Some((mean, off)) = sampled.mean().filter(|_| query.is_number() && !query.is_truth()) {
        let [mean, low, high] = [mean, mean - off, mean + off].map(decimal);
        writeln!(screen, "  {}", fill(words.mean_between, &[&mean, &low, &high]))?;
    }
    let note = fill(words.sampled, &[&args.seed.fixed().to_string()]);
    writeln!(screen, "{}", screen.styled(Style::Dim, &note))?;
    Ok(())
}
