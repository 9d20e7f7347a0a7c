//! `solve`: whether a win is forced.

use std::io::Write as _;

use lawspeaker::game::Position;
use lawspeaker::lexicon::{Counted, Lexicon, Words, fill};
use lawspeaker::library::Unusable;
use lawspeaker::search::{self, Escape, Plan, Solved, Solver, Unclear};
use serde_json::{Value as Json, json};

use super::flags::{LimitArgs, PositionArgs, RulesArgs, SeatArgs, WorldsArgs};
use super::number::within;
use super::screen::{self, Screen, Style};
use super::session::Session;
use super::{Answer, Run, Stop};

/// Decide whether a seat can force a win, with the line that forces it, or the moves that escape.
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("seat", |a| a.required(true).help("The seat that is to win")),
    mut_arg("limit", |a| a.default_value("3000000")),
    after_help = "The line uses only what the seat sees: it must win whatever the others hold, as far as the seat can \
    tell. With --open, the seat knows the whole position, and only what others choose secretly from then on is hidden.\
    \n\n\
    Examples:\n  lawspeaker solve tic-tac-toe --seat X\n  \
    lawspeaker solve confrontation --at ending.position --seat Good --open\n  \
    lawspeaker solve chess --at rook-ending.position --seat White --plies 5\n\n\
    Exit code 0: forced; 1: not forced, or not decided within the bounds (the answer says which)."
)]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    #[command(flatten)]
    seat: SeatArgs,
    #[command(flatten)]
    position: PositionArgs,
    /// Win within this many plies, at most 1000; choices, answers and outcomes of chance each count one.
    #[arg(
        long,
        default_value_t = 60,
        value_name = "N",
        value_parser = within::<usize>(1..=search::MAX_SOLVE_DEPTH as u64)
    )]
    plies: usize,
    #[command(flatten)]
    limit: LimitArgs,
    #[command(flatten)]
    worlds: WorldsArgs,
    /// Let the seat see everything.
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    rules: RulesArgs,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// What was found, in all it takes to tell it.
struct Found {
    solved: Solved,
    plans: Option<Vec<Plan>>,
    escapes: Vec<Escape>,
    worlds: usize,
    positions: usize,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let (session, position) = args.position.open(&args.game, &args.rules)?;
    let seat = session.seat(args.seat.seat.as_deref().unwrap_or_default())?;
    let from = if args.open { vec![position] } else { possible(&session, &position, seat, args.worlds.worlds)? };
    let bar = screen::counter("positions");
    let watch = |n: usize| bar.set_position(n as u64);
    let engine = session.rules.evaluators();
    let mut solver = Solver::new(engine, seat, args.open, args.limit.limit, &watch);
    solver.lexicon = match args.json {
        true => Lexicon::for_data(session.model(), &session.lang),
        false => session.lexicon(),
    };
    let found = found(&mut solver, &from, args.plies);
    bar.finish_and_clear();
    let found = found.map_err(|f| session.fault(&f))?;
    let name = session.seat_name(Some(seat));
    if args.json {
        screen.json(&to_json(&name, &found))?;
    } else {
        print(&name, &found, session.lexicon().words, screen)?;
    }
    Ok(Answer::from(matches!(found.solved, Solved::Forced(_))))
}

fn possible(session: &Session, position: &Position, seat: u16, most: usize) -> Result<Vec<Position>, Stop> {
    search::worlds(session.rules.evaluators(), position, seat, most).map_err(|unclear| match unclear {
        Unclear::Fault(fault) => session.fault(&fault),
        other => {
            let help = "take the position as it is with --open, or raise --worlds";
            Unusable::new(other.to_string(), help).into()
        }
    })
}

fn found(solver: &mut Solver, from: &[Position], plies: usize) -> Result<Found, lawspeaker::game::Fault> {
    let solved = solver.solve(from, plies)?;
    let plans = match solved {
        Solved::Forced(plies) => solver.plan(from, plies)?,
        _ => None,
    };
    let escapes = match solved {
        Solved::Never => solver.escapes(from, plies)?,
        Solved::NotWithin(plies) => solver.escapes(from, plies)?,
        _ => Vec::new(),
    };
    Ok(Found { solved, plans, escapes, worlds: from.len(), positions: solver.positions() })
}

fn print(name: &str, found: &Found, words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    let solve = &words.solve;
    let (style, title) = match found.solved {
        Solved::Forced(plies) => (Style::Good, fill(solve.forced, &[name, &plies.to_string()])),
        Solved::Never => (Style::Bad, fill(solve.never, &[name])),
        Solved::NotWithin(plies) => (Style::Bad, fill(solve.not_within, &[name, &plies.to_string()])),
        Solved::Undecided(plies) => {
            let (positions, plies) = (found.positions.to_string(), plies.to_string());
            (Style::Bad, fill(solve.undecided, &[&positions, &plies, name]))
        }
    };
    writeln!(screen, "{}", screen.styled(style, &title))?;
    match &found.plans {
        Some(plans) => {
            for line in search::lines(name, plans, words) {
                writeln!(screen, "  {line}")?;
            }
        }
        None if matches!(found.solved, Solved::Forced(_)) => writeln!(screen, "  {}", solve.too_wide)?,
        None => {}
    }
    const SHOWN: usize = 12;
    for escape in found.escapes.iter().take(SHOWN) {
        writeln!(screen, "  {}", search::escape_line(escape, words))?;
    }
    if found.escapes.len() > SHOWN {
        writeln!(screen, "  {}", fill(solve.more, &[&(found.escapes.len() - SHOWN).to_string()]))?;
    }
    let mut note = words.counts.of(Counted::Positions, found.positions);
    if found.worlds > 1 {
        note += &fill(solve.worlds, &[name, &found.worlds.to_string()]);
    }
    writeln!(screen, "{}", screen.styled(Style::Dim, &note))?;
    Ok(())
}

fn plan_json(plan: &Plan) -> Json {
    let then: Vec<Json> = plan.then.iter().map(plan_json).collect();
    json!({ "after": plan.after, "choice": plan.choice, "won": plan.won, "then": then })
}

fn to_json(name: &str, found: &Found) -> Json {
    let (verdict, plies) = match found.solved {
        Solved::Forced(plies) => ("forced", Some(plies)),
        Solved::Never => ("never", None),
        Solved::NotWithin(plies) => ("not within", Some(plies)),
        Solved::Undecided(plies) => ("undecided", Some(plies)),
    };
    let escapes = found.escapes.iter().map(|e| json!({ "choice": e.choice, "plies": e.plies, "over": e.over }));
    json!({
        "seat": name,
        "verdict": verdict,
        "plies": plies,
        "plan": found.plans.as_ref().map(|plans| plans.iter().map(plan_json).collect::<Vec<Json>>()),
        "escapes": escapes.collect::<Vec<Json>>(),
        "worlds": found.worlds,
        "positions": found.positions,
    })
}
