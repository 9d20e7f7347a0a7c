//! `ask`: a ruling about a position.

use std::io::Write as _;
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lawspeaker::game::{Choice, Evaluator as _, Meant, Position, Remedies, Ruling, Status, Sway, Verdict};
use lawspeaker::library::Unusable;
use lawspeaker::notation::{self, Unread};
use lawspeaker::rulings::{self, Depth, Sheet};
use lawspeaker::writing::{self, Place, Policy};
use serde_json::{Value as Json, json};

use super::desk::{Desk, RulesArgs};
use super::dossier::{self, About};
use super::log;
use super::number::{LARGEST, MOST_KEPT, within};
use super::screen::{Screen, Style};
use super::{Answer, Run};

/// Sets of alternatives that are judged for one line about the readings, and for their table.
const FEW: usize = 256;
const MANY: usize = 8192;

/// Ask whether an action is legal, and why; or list all that is.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker ask confrontation --at ford.position 'Orcs to Rohan'\n  \
    lawspeaker ask confrontation --at ford.position 'Orcs to Rohan' --why\n  \
    lawspeaker ask confrontation --at ford.position 'Orcs to Rohan' --would\n  \
    lawspeaker ask confrontation --at game.record --ply 23 'Orcs to Rohan' --format html --out ruling.html\n  \
    lawspeaker ask confrontation --at game.record --ply 23\n\n\
    A referee asks, who sees everything; with --seen what the seat must not know is left out, also from the board.\n\
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
    #[arg(long, value_name = "N", value_parser = within::<usize>(1..=LARGEST))]
    ply: Option<usize>,
    /// Ask for this seat; the one whose decision it is if not given.
    #[arg(long, value_name = "SEAT")]
    seat: Option<String>,
    /// Say only what that seat may know.
    #[arg(long)]
    seen: bool,
    /// The whole derivation: all clauses considered, what their conditions saw, exceptions, definitions.
    #[arg(long)]
    why: bool,
    /// Where no permission reaches it: all that come near, not only the nearest.
    #[arg(long)]
    misses: bool,
    /// What would make it legal: the smallest changes of the position.
    #[arg(long)]
    would: bool,
    /// Changed positions that --would judges at the most.
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = within::<usize>(1..=MOST_KEPT))]
    most: usize,
    /// The verdict under each alternative of each reading.
    #[arg(long, value_name = "WHICH", value_parser = ["all"])]
    readings: Option<String>,
    #[command(flatten)]
    rules: RulesArgs,
    /// Language of names and notation, and of the ruling, for example ja.
    #[arg(long, default_value = "", hide_default_value = true)]
    lang: String,
    /// Form of the ruling.
    #[arg(long, value_enum, default_value_t = Format::Text, hide_default_value = true)]
    format: Format,
    /// The same as --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Write the ruling to this file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Let --out replace another file.
    #[arg(long, requires = "out")]
    force: bool,
}

/// The form of a ruling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For a terminal.
    Text,
    /// For programs (docs/ruling.schema.json).
    Json,
    /// For a forum.
    Markdown,
    /// A page with the board.
    Html,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    if let Some(file) = &args.out {
        Place::new(file, Policy::forced(args.force))?;
    }
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
        None => all(args, &desk, &position, (&status, seat), screen),
    }
}

fn one(args: &Args, desk: &Desk, position: &Position, seat: Option<u16>, action: &str, screen: &mut Screen) -> Run {
    // Where no seat decides, any seat gets the answer that it may not.
    let seat = match (seat, args.seen) {
        (None, true) => return Err(nobody().into()),
        (seat, _) => seat.unwrap_or(0),
    };
    let meant = match args.seen {
        true => notation::read_seen(&desk.rules, position, seat, action),
        false => notation::read(&*desk.rules, position, action).map(Meant::Other),
    };
    let meant = meant.map_err(unread)?;
    let Some(choice) = meant.choice() else {
        return Err(unread(Unread::Unknown(action.to_owned(), Vec::new())).into());
    };
    let veiled = matches!(&meant, Meant::Option(option) if option.veiled);
    let ruling = match args.seen {
        true => desk.rules.judge_meant(position, seat, &meant, &desk.lang),
        false => desk.rules.judge_in(position, seat, choice, &desk.lang, false),
    };
    let most = if args.readings.is_some() { MANY } else { FEW };
    let sway = match veiled {
        true => Sway::certain(ruling.verdict),
        false => desk.rules.sway(position, seat, choice, most),
    };
    let remedies =
        (args.would && ruling.verdict != Verdict::Legal).then(|| remedies(args, desk, position, seat, choice));
    let from = match (args.ply, args.at.display().to_string()) {
        (Some(ply), file) => rulings::at_ply(&file, ply, &desk.lang),
        (None, file) => file,
    };
    let table = args.readings.is_some();
    let about = About {
        desk,
        position,
        seat,
        choice,
        seen: args.seen,
        veiled,
        from,
        sway: (&sway, table),
        remedies: remedies.as_ref(),
    };
    let sheet = Sheet::new(&*desk.rules, position, (seat, choice), &ruling, &desk.lang);
    let said = match if args.json { Format::Json } else { args.format } {
        Format::Text => text(args, &about, &sheet, screen),
        Format::Json => format!("{:#}\n", data(&about, &ruling)),
        Format::Markdown => dossier::dossier(&about, &sheet).markdown(),
        Format::Html => dossier::dossier(&about, &sheet).html(),
    };
    match &args.out {
        Some(file) => {
            writing::write(file, &said, Policy::forced(args.force))?;
            writeln!(screen, "written: {}", file.display())?;
        }
        None => write!(screen, "{said}")?,
    }
    Ok(Answer::from(ruling.verdict == Verdict::Legal))
}

fn unread(unread: Unread) -> Unusable {
    Unusable::new(unread.to_string(), "without an action `ask` lists all that is legal")
}

/// Whose sight is meant is not said.
fn nobody() -> Unusable {
    Unusable::new("--seen is about what a seat sees, and no seat decides here", "name it with --seat")
}

/// Searches with a bar on the terminal.
fn remedies(args: &Args, desk: &Desk, position: &Position, seat: u16, choice: Choice) -> Remedies {
    let bar = ProgressBar::with_draw_target(Some(args.most as u64), ProgressDrawTarget::stderr());
    let bar = match ProgressStyle::with_template("{bar:40} {pos} positions tried, {len} at the most") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    };
    let mut watch = |tried: usize| {
        if tried.is_multiple_of(64) {
            bar.set_position(tried as u64);
        }
    };
    let found = desk.rules.remedies(position, seat, choice, (args.most, args.seen), &mut watch);
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
    let (model, lang) = (about.desk.model(), about.desk.lang.as_str());
    let said = sheet.text(depth);
    let (head, rest) = said.split_once('\n').unwrap_or((&said, ""));
    let style = if sheet.verdict == Verdict::Legal { Style::Good } else { Style::Bad };
    let head = if args.out.is_some() { head.to_owned() } else { screen.styled(style, head) };
    let mut out = format!("{head}\n{rest}");
    let mut line = |text: &str| {
        out += "  ";
        out += text;
        out.push('\n');
    };
    rulings::swayed(model, about.sway.0, lang).iter().for_each(|l| line(l));
    if let Some(remedies) = about.remedies {
        rulings::remedied(model, about.position, remedies, lang).iter().for_each(|l| line(l));
    } else if args.would {
        line(sheet.words.would_legal);
    }
    if about.sway.1 {
        let rows = rulings::reading_rows(model, about.desk.rules.config(), about.sway.0, lang);
        out += &rulings::reading_table(&rows, lang);
    }
    out
}

/// The ruling for programs.
fn data(about: &About, ruling: &Ruling) -> Json {
    let About { desk, position, seat, choice, .. } = *about;
    let (model, lang) = (desk.model(), desk.lang.as_str());
    let mut json = rulings::json(&*desk.rules, position, seat, choice, ruling, lang);
    json["game"] = Json::from(model.name.as_str());
    json["rules"] = Json::from(dossier::digest(desk));
    json["settings"] = Json::from(desk.settings.list());
    json["from"] = Json::from(about.from.as_str());
    json["command"] = Json::from(dossier::command(std::env::args_os()));
    json["seen"] = Json::from(about.seen);
    json["position"] = Json::from(if about.seen { None } else { dossier::written(desk, position) });
    json["sway"] = sway(about, about.sway.0);
    json["would"] = about.remedies.map_or(Json::Null, |r| rulings::remedies_json(model, position, r, lang));
    json
}

fn sway(about: &About, sway: &Sway) -> Json {
    rulings::sway_json(about.desk.model(), about.desk.rules.config(), sway, &about.desk.lang)
}

fn all(
    args: &Args,
    desk: &Desk,
    position: &Position,
    (status, seat): (&Status, Option<u16>),
    screen: &mut Screen,
) -> Run {
    let of_one = [
        (args.why, "--why"),
        (args.misses, "--misses"),
        (args.would, "--would"),
        (args.readings.is_some(), "--readings"),
        (args.out.is_some(), "--out"),
        (matches!(args.format, Format::Markdown | Format::Html), "--format markdown and html"),
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
    let (said, own) = match (args.seen, &args.seat) {
        _ if matches!(status, Status::Over(_)) => (Vec::new(), true),
        (true, _) => {
            let seat = seat.ok_or_else(nobody)?;
            let options = desk.rules.seen_options(position, seat, &desk.lang);
            let options = options.map_err(|f| Unusable::new(f.outline(desk.model()), ""))?;
            (options.into_iter().map(|o| o.text).collect(), whose == Some(seat))
        }
        (false, Some(_)) if whose != seat => (Vec::new(), false),
        (false, _) => {
            let options = desk.rules.options(position).map_err(|f| desk.fault(&f))?;
            (options.iter().map(|c| desk.say(position, *c)).collect::<Vec<String>>(), true)
        }
    };
    if args.json || args.format == Format::Json {
        screen.json(&to_json(desk, status, &said))?;
        return Ok(Answer::from(own));
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
    if !own {
        writeln!(screen, "{} has nothing to choose now.", desk.seat_name(seat))?;
    }
    Ok(Answer::from(own))
}

fn to_json(desk: &Desk, status: &Status, said: &[String]) -> Json {
    let (state, seat) = match status {
        Status::Over(_) => ("over", None),
        Status::Decision(question) => ("decision", Some(desk.seat_name(Some(question.seat)))),
        Status::Chance(_) => ("chance", None),
    };
    let mut json = json!({ "status": state, "seat": seat, "options": said, "count": said.len() });
    if let Status::Over(outcome) = status {
        json["result"] = json!({ "words": desk.outcome(outcome), "scores": outcome.scores });
    }
    json
}
