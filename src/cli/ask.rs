//! `ask`: a ruling about a position.

use std::io::Write as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lawspeaker::game::{
    Choice, Evaluator as _, Events, History, Meant, Position, Ruling, Sensitivity, Status, Verdict, WhatIfs,
};
use lawspeaker::lexicon::fill;
use lawspeaker::library::Unusable;
use lawspeaker::notation::{self, Unread};
use lawspeaker::rulings::{self, Depth, Sheet};
use lawspeaker::writing;
use serde_json::{Value as Json, json};

use super::about::Asked;
use super::flags::{Format, LimitArgs, PositionArgs, ReportArgs, RulesArgs, SeatArgs};
use super::ruling_page::{self, About};
use super::screen::{Screen, Style};
use super::session::Session;
use super::{Answer, Run, Stop};

/// Sets of alternatives that are judged for one line about the readings, and for their table.
const SHORT_SEARCH: usize = 256;
const LONG_SEARCH: usize = 8192;

/// Ask whether an action is legal, and why; without an action, list all legal ones.
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("seat", |a| a.help("Ask for this seat; by default, the one that decides")),
    mut_arg("limit", |a| a.default_value("20000").requires("would").help(
        "Examine at most this many changed positions for --would"
    )),
    after_help = "Examples:\n  lawspeaker ask tic-tac-toe A1\n  \
    lawspeaker ask confrontation --at ford.position 'Orcs to Rohan'\n  \
    lawspeaker ask confrontation --at ford.position 'Orcs to Rohan' --why\n  \
    lawspeaker ask confrontation --at ford.position 'Orcs to Rohan' --would\n  \
    lawspeaker ask confrontation --at game.record --ply 23\n  \
    lawspeaker ask confrontation '? Gimli'\n  \
    lawspeaker ask confrontation --at ford.position '? strength(Sam)'\n  \
    lawspeaker ask mygame --at game.record 'A to B' --format html --out r.html\n\n\
    The answer is for a referee, who sees everything. With --seen, it leaves out what the seat must not know, on the \
    board too.\n\n\
    Exit code 0: legal; 1: illegal or undecided."
)]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    /// The action in the game's notation; without it, all options are listed. `? NAME` tells of a member, and `?
    /// EXPRESSION` of a value and what it is made of.
    action: Option<String>,
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    seat: SeatArgs,
    /// Say only what that seat may know.
    #[arg(long)]
    seen: bool,
    /// Print the whole derivation: all clauses considered, the values their conditions saw, exceptions and definitions.
    #[arg(long)]
    why: bool,
    /// If no permission applies, print all near misses, not only the nearest.
    #[arg(long)]
    misses: bool,
    /// Search for the smallest changes of the position that would make it legal.
    #[arg(long)]
    would: bool,
    #[command(flatten)]
    limit: LimitArgs,
    /// Tell what it leads to, up to the next decision: who did what by which clause, and with which values.
    #[arg(long)]
    outcome: bool,
    /// Print the verdict under each alternative of each reading.
    #[arg(long, value_name = "WHICH", value_parser = ["all"])]
    readings: Option<String>,
    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    args.report.out.place()?;
    let (session, position, history) = args.position.open_played(&args.game, &args.rules)?;
    let status = session.rules.status(&position)?;
    let seat = match (&args.seat.seat, &status) {
        (Some(name), _) => Some(session.seat(name)?),
        (None, Status::Decision(question)) => Some(question.seat),
        (None, _) => None,
    };
    match &args.action {
        Some(action) if action.trim_start().starts_with('?') => {
            let text = action.trim_start().trim_start_matches('?').trim();
            let seat = if args.seen { Some(seat.ok_or_else(nobody)?) } else { None };
            Asked { session: &session, position: &position, seat, all: args.why }.answer(text, &args.report, screen)
        }
        Some(action) => one(args, &session, (&position, &history), seat, action, screen),
        None => all(args, &session, &position, (&status, seat), screen),
    }
}

fn one(
    args: &Args,
    session: &Session,
    (position, history): (&Position, &History),
    seat: Option<u16>,
    action: &str,
    screen: &mut Screen,
) -> Run {
    // Where no seat decides, any seat gets the answer that it may not.
    let seat = match (seat, args.seen) {
        (None, true) => return Err(nobody().into()),
        (seat, _) => seat.unwrap_or(0),
    };
    let meant = match args.seen {
        true => notation::read_seen(session.rules.explainer(), position, seat, action),
        false => notation::read(session.rules.explainer(), position, action).map(Meant::Other),
    };
    let explainer = session.rules.explainer();
    let (ruling, choice, veiled) = match meant {
        Err(Unread::Elsewhere(asked)) => {
            (explainer.judge_elsewhere(position, seat, &asked, args.seen), Choice::Pass, false)
        }
        Err(why) => return Err(unread(session, &why).into()),
        Ok(meant) => {
            let Some(choice) = meant.choice() else {
                return Err(unread(session, &Unread::Unknown(action.to_owned(), Vec::new())).into());
            };
            let veiled = matches!(&meant, Meant::Option(option) if option.veiled);
            let ruling = match args.seen {
                true => explainer.judge_meant(position, seat, &meant),
                false => session.rules.judge_after(history, position, seat, choice),
            };
            (ruling, choice, veiled)
        }
    };
    let written = ruling.written.is_some();
    let most = if args.readings.is_some() { LONG_SEARCH } else { SHORT_SEARCH };
    let sensitivity = match (veiled || written, args.seen) {
        (true, _) => Sensitivity::certain(ruling.verdict),
        // The moves before may tell what the seat does not know.
        (_, true) => session.rules.sensitivity(position, seat, choice, most),
        _ => session.rules.sensitivity_after(history, seat, choice, most),
    };
    let what_ifs = (args.would && ruling.verdict != Verdict::Legal && ruling.is_asked())
        .then(|| what_ifs(args, session, position, seat, choice));
    let from = match (args.position.ply, args.position.file().display().to_string()) {
        (Some(ply), file) => rulings::at_ply(&file, ply, &session.lang),
        (None, file) => file,
    };
    let table = args.readings.is_some();
    let about = About {
        session,
        position,
        history,
        seat,
        choice,
        seen: args.seen,
        veiled,
        from,
        sensitivity: (&sensitivity, table),
        what_ifs: what_ifs.as_ref(),
        outcome: outcome(args, session, position, (seat, choice))?,
    };
    let sheet = Sheet::new(session.rules.explainer(), position, (seat, choice), &ruling, &session.lang);
    let said = match args.report.format() {
        Format::Text => text(args, &about, &sheet, screen),
        Format::Json => format!("{:#}\n", data(&about, &ruling)),
        Format::Markdown => ruling_page::ruling_page(&about, &sheet).markdown(),
        Format::Html => ruling_page::ruling_page(&about, &sheet).html(),
    };
    match &args.report.out.file {
        Some(file) => {
            writing::write(file, &said, args.report.out.policy())?;
            writeln!(screen, "written: {}", file.display())?;
        }
        None => write!(screen, "{said}")?,
    }
    Ok(Answer::from(ruling.verdict == Verdict::Legal))
}

/// What a choice leads to, if that is asked and it is one of the options.
fn outcome(
    args: &Args,
    session: &Session,
    position: &Position,
    (seat, choice): (u16, Choice),
) -> Result<Option<Events>, Stop> {
    let explainer = session.rules.explainer();
    if !args.outcome || !explainer.options(position).is_ok_and(|options| options.contains(&choice)) {
        return Ok(None);
    }
    let events = explainer.apply_told(&mut position.clone(), choice, args.seen.then_some(seat));
    events.map(Some).map_err(|fault| session.fault(&fault))
}

fn unread(session: &Session, unread: &Unread) -> Unusable {
    Unusable::new(session.lexicon().unread(unread), "without an action `ask` lists all that is legal")
}

/// Whose sight is meant is not said.
fn nobody() -> Unusable {
    Unusable::new("--seen is about what a seat sees, and no seat decides here", "name it with --seat")
}

/// Searches with a bar on the terminal.
fn what_ifs(args: &Args, session: &Session, position: &Position, seat: u16, choice: Choice) -> WhatIfs {
    let bar = ProgressBar::with_draw_target(Some(args.limit.limit as u64), ProgressDrawTarget::stderr());
    let bar = match ProgressStyle::with_template("{bar:40} {pos} positions tried, {len} at the most") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    };
    let mut watch = |tried: usize| {
        if tried.is_multiple_of(64) {
            bar.set_position(tried as u64);
        }
    };
    let found = session.rules.explainer().what_ifs(position, seat, choice, (args.limit.limit, args.seen), &mut watch);
    bar.finish_and_clear();
    found
}

/// The ruling for a terminal.
fn text(args: &Args, about: &About, sheet: &Sheet, screen: &Screen) -> String {
    let depth = match (args.why, args.misses) {
        (true, _) => Depth::Whole,
        (false, true) => Depth::Misses,
        (false, false) => Depth::Short,
    };
    let (model, lang) = (about.session.model(), about.session.lang.as_str());
    let said = sheet.text(depth);
    let (head, rest) = said.split_once('\n').unwrap_or((&said, ""));
    let style = if sheet.verdict == Verdict::Legal { Style::Good } else { Style::Bad };
    let head = if args.report.out.file.is_some() { head.to_owned() } else { screen.styled(style, head) };
    let mut out = format!("{head}\n{rest}");
    let mut line = |text: &str| {
        out += "  ";
        out += text;
        out.push('\n');
    };
    rulings::sensitivity_words(model, about.sensitivity.0, lang).iter().for_each(|l| line(l));
    if let Some(what_ifs) = about.what_ifs {
        rulings::what_if_words(model, about.position, what_ifs, lang).iter().for_each(|l| line(l));
    } else if args.would {
        line(if sheet.verdict == Verdict::Legal { sheet.words.would_legal } else { sheet.words.would_not_asked });
    }
    if let Some(events) = &about.outcome {
        out += &format!("{}\n", about.session.lexicon().words.events.leads_to);
        rulings::events_text(model, events, lang).iter().for_each(|l| out += &format!("  {l}\n"));
    }
    if about.sensitivity.1 {
        let rows = rulings::reading_rows(model, about.session.rules.config(), about.sensitivity.0, lang);
        out += &rulings::reading_table(&rows, lang);
    }
    out
}

/// The ruling for programs.
fn data(about: &About, ruling: &Ruling) -> Json {
    let About { session, position, seat, choice, .. } = *about;
    let (model, lang) = (session.model(), session.lang.as_str());
    let mut json = rulings::json(session.rules.explainer(), position, seat, choice, ruling, lang);
    json["game"] = Json::from(model.name.as_str());
    json["rules"] = Json::from(ruling_page::digest(session));
    json["settings"] = Json::from(session.rules.settings().list());
    json["from"] = Json::from(about.from.as_str());
    json["command"] = Json::from(ruling_page::command(std::env::args_os()));
    json["seen"] = Json::from(about.seen);
    json["position"] =
        Json::from(if about.seen { None } else { ruling_page::written(session, position, about.history) });
    // Whether another reading would ask for it is not examined.
    let written = ruling.written.is_some();
    json["sensitivity"] = if written { Json::Null } else { sensitivity(about, about.sensitivity.0) };
    json["would"] = about.what_ifs.map_or(Json::Null, |r| rulings::what_ifs_json(model, position, r, lang));
    json["outcome"] = about.outcome.as_ref().map_or(Json::Null, |events| rulings::events_json(model, events, lang));
    json
}

fn sensitivity(about: &About, sensitivity: &Sensitivity) -> Json {
    rulings::sensitivity_json(about.session.model(), about.session.rules.config(), sensitivity, &about.session.lang)
}

fn all(
    args: &Args,
    session: &Session,
    position: &Position,
    (status, seat): (&Status, Option<u16>),
    screen: &mut Screen,
) -> Run {
    let of_one = [
        (args.why, "--why"),
        (args.misses, "--misses"),
        (args.would, "--would"),
        (args.outcome, "--outcome"),
        (args.readings.is_some(), "--readings"),
        (args.report.out.file.is_some(), "--out"),
        (matches!(args.report.format(), Format::Markdown | Format::Html), "--format markdown and html"),
    ];
    if let Some((_, what)) = of_one.iter().find(|(asked, _)| *asked) {
        let help = "name an action after the game, in quotes; `ask` without these options lists them";
        return Err(Unusable::new(format!("{what} is about one action, and none is named"), help).into());
    }
    let whose = match status {
        Status::Decision(question) => Some(question.seat),
        _ => None,
    };
    // A seat that was named sees its own options; a referee sees those of chance too.
    let (said, own) = match (args.seen, &args.seat.seat) {
        _ if matches!(status, Status::Over(_)) => (Vec::new(), true),
        (true, _) => {
            let seat = seat.ok_or_else(nobody)?;
            let options = session.rules.evaluators().seen_options(position, seat, &session.lang);
            let options = options.map_err(|f| Unusable::new(session.lexicon().fault(&f.outlined()), ""))?;
            (options.into_iter().map(|o| o.text).collect(), whose == Some(seat))
        }
        (false, Some(_)) if whose != seat => (Vec::new(), false),
        (false, _) => {
            let mut options = session.rules.options(position)?;
            // The copies of one value that is drawn stand side by side.
            options.dedup();
            (session.notations(position).each(&options), true)
        }
    };
    if args.report.format() == Format::Json {
        screen.json(&to_json(session, status, &said))?;
        return Ok(Answer::from(own));
    }
    let words = &session.lexicon().words.play;
    let title = match status {
        Status::Over(outcome) => fill(words.over, &[&session.outcome(outcome)]),
        Status::Decision(question) => fill(words.decides, &[&session.seat_name(Some(question.seat))]),
        Status::Chance(_) => words.chance_decides.to_owned(),
    };
    writeln!(screen, "{}", screen.styled(Style::Bold, &title))?;
    for (i, words) in said.iter().enumerate() {
        writeln!(screen, "{:>4}  {words}", i + 1)?;
    }
    if said.is_empty() && own && !args.seen {
        why_none(session, position, whose, screen)?;
    }
    if !own {
        writeln!(screen, "{}", fill(words.nothing_to_choose, &[&session.seat_name(seat)]))?;
    }
    Ok(Answer::from(own))
}

/// Says why nothing is legal for the seat that must act.
fn why_none(session: &Session, position: &Position, seat: Option<u16>, screen: &mut Screen) -> Result<(), Stop> {
    let Some(seat) = seat else { return Ok(()) };
    writeln!(screen, "{}", session.lexicon().words.play.none_legal)?;
    let explainer = session.rules.explainer();
    for (choice, ruling) in explainer.near_misses(position, seat) {
        let sheet = Sheet::new(explainer, position, (seat, choice), &ruling, &session.lang);
        write!(screen, "{}", sheet.text(Depth::Short))?;
    }
    Ok(())
}

fn to_json(session: &Session, status: &Status, said: &[String]) -> Json {
    let (state, seat) = match status {
        Status::Over(_) => ("over", None),
        Status::Decision(question) => ("decision", Some(session.seat_name(Some(question.seat)))),
        Status::Chance(_) => ("chance", None),
    };
    let mut json = json!({ "status": state, "seat": seat, "options": said, "count": said.len() });
    if let Status::Over(outcome) = status {
        json["result"] = json!({ "words": session.outcome(outcome), "scores": outcome.scores });
    }
    json
}
