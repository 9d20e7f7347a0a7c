//! `validate`: whether what a seat brings follows the rules.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use lawspeaker::facts::{FactFault, Settings, seat_named};
use lawspeaker::game::{ListRuling, Verdict};
use lawspeaker::library::{self, Unusable};
use lawspeaker::list::List;
use lawspeaker::model::{Model, PLAYER};
use lawspeaker::rules::Rules;
use lawspeaker::rulings::{self, Depth};
use lawspeaker::spelling::{hint, nearest};
use serde_json::Value as Json;

use super::cache::{Home, RulesCache};
use super::flags::{RulesArgs, SeatArgs};
use super::games;
use super::screen::{Screen, Style};
use super::session;
use super::{Answer, Run};

/// Judge the lists that seats bring to a game, such as armies and decks: whether they follow the rules, and which
/// clauses they break.
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("seat", |a| a.help("Whose list it is; by default, the first seat's")),
    after_help = "Examples:\n  lawspeaker validate mygame fellowship.army\n  \
    lawspeaker validate mygame armies/*.army --seat Dark\n\n\
    A list is a text file. Its first line says what it is; each further line names one entry.\n\n  \
    army for mygame with points 500\n  Captain\n  3 Archer\n\n\
    Exit code 0: legal; 1: illegal or undecided."
)]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    /// Files with lists.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    seat: SeatArgs,
    #[command(flatten)]
    rules: RulesArgs,
    /// Name the clauses that an illegal list keeps as well.
    #[arg(long)]
    why: bool,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let cache = RulesCache::new(Home::given(&args.game));
    let mut unusable: Vec<Unusable> = Vec::new();
    let mut all_legal = true;
    let mut data: Vec<Json> = Vec::new();
    for (i, file) in args.files.iter().enumerate() {
        let (rules, list_ruling) = match validate(args, &cache, file) {
            Ok(found) => found,
            Err(error) => {
                unusable.push(error);
                continue;
            }
        };
        let lang = session::language(rules.model(), args.rules.lang())?;
        all_legal &= list_ruling.verdict == Verdict::Legal;
        if args.json {
            let mut one = rulings::list_ruling_json(rules.explainer(), &list_ruling, &lang);
            one["file"] = Json::from(file.display().to_string());
            data.push(one);
            continue;
        }
        if args.files.len() > 1 {
            let gap = if i == 0 { "" } else { "\n" };
            writeln!(screen, "{gap}{}", screen.styled(Style::Bold, &file.display().to_string()))?;
        }
        let depth = if args.why { Depth::Whole } else { Depth::Short };
        write!(screen, "{}", rulings::list_ruling_text(rules.explainer(), &list_ruling, depth, &lang))?;
    }
    if args.json && !data.is_empty() {
        screen.json(&Json::from(data))?;
    }
    match unusable.is_empty() {
        true => Ok(Answer::from(all_legal)),
        false => Err(together(&unusable).into()),
    }
}

/// Several reasons to stop as one.
fn together(errors: &[Unusable]) -> Unusable {
    let words: Vec<String> = errors.iter().map(super::cache::words).collect();
    let reports: Vec<String> = errors.iter().map(super::complaint).collect();
    Unusable::new(words.join("\n  "), "").reported(reports.join("\n"))
}

fn validate(args: &Args, cache: &RulesCache, file: &Path) -> Result<(Rules, ListRuling), Unusable> {
    let text = library::read_text(file)?;
    let faults = |found: &[FactFault]| games::faults(file, &text, found);
    let roster = List::parse(&text).map_err(|f| faults(&[f]))?;
    let at = |piece: &lawspeaker::facts::Piece, message: String| {
        faults(&[FactFault::new(piece.line, piece.column, message)])
    };
    let settings = settings(args, &roster);
    let rules = cache.rules(&settings).map_err(|why| at(&roster.game, why.to_string()))?;
    let model = rules.model();
    if model.name != roster.game.text {
        return Err(at(
            &roster.game,
            format!("this is for {}, but these are the rules of {}", roster.game.text, model.name),
        ));
    }
    let seat = match &args.seat.seat {
        Some(name) => seat_named(model, name).ok_or_else(|| no_seat(model, name))?,
        None => 0,
    };
    let list_ruling = rules.validate(&roster, seat).map_err(|f| faults(&f))?;
    Ok((rules, list_ruling))
}

/// The settings of a list with those of the command line over them. The game is the one of the command line.
fn settings(args: &Args, roster: &List) -> Settings {
    let mut settings = Settings { game: String::new(), ..roster.settings.clone() };
    settings.lay_over(&args.rules.settings());
    settings
}

fn no_seat(model: &Model, name: &str) -> Unusable {
    let seats = model.kinds.get(PLAYER.i()).map_or(&[][..], |k| &k.members);
    let near = hint(&nearest(name, seats.iter().map(|s| s.name.text.as_str()), 2));
    let known: Vec<&str> = seats.iter().map(|s| s.id.as_str()).collect();
    Unusable::new(format!("no seat is called {name}{near}"), format!("the seats are {}", known.join(", ")))
}
