//! `ask`: a ruling about a position.

use std::io::Write as _;
use std::path::PathBuf;

use lawspeaker::game::{Choice, Evaluator as _, Position, Status, Verdict};
use lawspeaker::library::Unusable;
use lawspeaker::notation::{self, Unread};
use lawspeaker::rulings;
use serde_json::{Value as Json, json};

use super::desk::{Desk, RulesArgs};
use super::log;
use super::screen::{Screen, Style};
use super::{Answer, Run};

/// Ask whether an action is legal, and why; or list all that is.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker ask confrontation --at ford.position 'Orcs to Rohan'\n  \
    lawspeaker ask confrontation --at game.record --ply 23\n\n\
    Exit code 0: legal; 1: illegal, or undecided.")]
pub struct Args {
    /// Folder of .law files, or a shipped game.
    game: String,
    /// The action in the game's notation; without it all options are listed.
    action: Option<String>,
    /// A position (`given ...`) or a record.
    #[arg(long, value_name = "FILE")]
    at: PathBuf,
    /// Of a record: the position before this ply; its end if not given.
    #[arg(long, value_name = "N")]
    ply: Option<usize>,
    /// Ask for this seat; the one whose decision it is if not given.
    #[arg(long, value_name = "SEAT")]
    seat: Option<String>,
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
    let settings = args.rules.settings();
    let (desk, position) = log::at_file(&args.game, Some(&args.at), args.ply, &settings, &args.lang)?;
    let status = desk.rules.status(&position).map_err(|f| desk.fault(&f))?;
    let seat = match (&args.seat, &status) {
        (Some(name), _) => Some(desk.seat(name)?),
        (None, Status::Decision(question)) => Some(question.seat),
        (None, _) => None,
    };
    match &args.action {
        Some(action) => one(args, &desk, &position, seat, action, screen),
        None => all(args, &desk, &position, &status, screen),
    }
}

fn one(args: &Args, desk: &Desk, position: &Position, seat: Option<u16>, action: &str, screen: &mut Screen) -> Run {
    let choice = notation::read(&*desk.rules, position, action).map_err(unread)?;
    // Where no seat decides, any seat gets the answer that it may not.
    let seat = seat.unwrap_or(0);
    let ruling = desk.rules.judge(position, seat, choice);
    if args.json {
        screen.json(&rulings::json(&*desk.rules, position, seat, choice, &ruling, &desk.lang))?;
    } else {
        let text = rulings::text(&*desk.rules, position, seat, choice, &ruling, &desk.lang);
        write!(screen, "{text}")?;
    }
    Ok(Answer::from(ruling.verdict == Verdict::Legal))
}

fn unread(unread: Unread) -> Unusable {
    Unusable::new(unread.to_string(), "without an action `ask` lists all that is legal")
}

fn all(args: &Args, desk: &Desk, position: &Position, status: &Status, screen: &mut Screen) -> Run {
    let options = desk.rules.options(position).map_err(|f| desk.fault(&f))?;
    let said: Vec<String> = options.iter().map(|c| desk.say(position, *c)).collect();
    if args.json {
        screen.json(&to_json(desk, status, &options, &said))?;
        return Ok(Answer::Yes);
    }
    let title = match status {
        Status::Over(outcome) => format!("The game is over: {}", desk.outcome(outcome)),
        Status::Decision(question) => format!("{} decides:", desk.seat_name(Some(question.seat))),
        Status::Chance(_) => String::from("Chance decides:"),
    };
    writeln!(screen, "{}", screen.styled(Style::Bold, &title))?;
    for (i, words) in said.iter().enumerate() {
        writeln!(screen, "{:>4}  {words}", i + 1)?;
    }
    Ok(Answer::Yes)
}

fn to_json(desk: &Desk, status: &Status, options: &[Choice], said: &[String]) -> Json {
    let (state, seat) = match status {
        Status::Over(_) => ("over", None),
        Status::Decision(question) => ("decision", Some(desk.seat_name(Some(question.seat)))),
        Status::Chance(_) => ("chance", None),
    };
    let mut json = json!({ "status": state, "seat": seat, "options": said, "count": options.len() });
    if let Status::Over(outcome) = status {
        json["result"] = json!({ "words": desk.outcome(outcome), "scores": outcome.scores });
    }
    json
}
