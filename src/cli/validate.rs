//! `validate`: whether what a seat brings follows the rules.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use lawspeaker::explain::Explainer;
use lawspeaker::facts::{FactFault, Settings, config_of, seat_named};
use lawspeaker::game::{ListRuling, Verdict};
use lawspeaker::library::{self, Unusable};
use lawspeaker::list::{self, List};
use lawspeaker::model::{Model, PLAYER};
use lawspeaker::rulings;
use lawspeaker::spelling::{hint, nearest};
use serde_json::Value as Json;

use super::cache::{Home, RulesCache};
use super::games;
use super::screen::{Screen, Style};
use super::session::{self, RulesArgs};
use super::{Answer, Run};

/// Say whether lists that seats bring to a game, such as armies and decks, follow its rules, and which clauses they break.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker validate mygame fellowship.army\n  \
    lawspeaker validate mygame armies/*.army --seat Dark\n\n\
    A list is a text: its first line says what it is, then what is in it, one a line.\n\n  \
    army for mygame with points 500\n  Captain\n  3 Archer\n\n\
    Exit code 0: legal; 1: illegal, or undecided.")]
pub struct Args {
    /// Folder of .law files, or a shipped game.
    game: String,
    /// The lists.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Whose list it is; the first seat's if not given.
    #[arg(long, value_name = "SEAT")]
    seat: Option<String>,
    #[command(flatten)]
    rules: RulesArgs,
    /// Language of names, for example ja.
    #[arg(long, default_value = "", hide_default_value = true)]
    lang: String,
    /// For programs.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let cache = RulesCache::new(Home::given(&args.game));
    let mut unusable: Vec<String> = Vec::new();
    let mut all_legal = true;
    let mut data: Vec<Json> = Vec::new();
    for (i, file) in args.files.iter().enumerate() {
        let (rules, list_ruling) = match validate(args, &cache, file) {
            Ok(found) => found,
            Err(error) => {
                unusable.push(super::cache::words(&error));
                continue;
            }
        };
        let lang = session::language(rules.shared(), &args.lang)?;
        all_legal &= list_ruling.verdict == Verdict::Legal;
        if args.json {
            let mut one = rulings::list_ruling_json(&rules, &list_ruling, &lang);
            one["file"] = Json::from(file.display().to_string());
            data.push(one);
            continue;
        }
        if args.files.len() > 1 {
            let gap = if i == 0 { "" } else { "\n" };
            writeln!(screen, "{gap}{}", screen.styled(Style::Bold, &file.display().to_string()))?;
        }
        write!(screen, "{}", rulings::list_ruling_text(&rules, &list_ruling, &lang))?;
    }
    if args.json && !data.is_empty() {
        screen.json(&Json::from(data))?;
    }
    match unusable.is_empty() {
        true => Ok(Answer::from(all_legal)),
        false => Err(Unusable::new(unusable.join("\n  "), "").into()),
    }
}

fn validate(args: &Args, cache: &RulesCache, file: &Path) -> Result<(Explainer, ListRuling), Unusable> {
    let text = library::read_text(file)?;
    let faults = |found: &[FactFault]| games::faults(file, found);
    let roster = List::parse(&text).map_err(|f| faults(&[f]))?;
    let at = |piece: &lawspeaker::facts::Piece, message: String| {
        faults(&[FactFault::new(piece.line, piece.column, message)])
    };
    let settings = settings(args, &roster);
    let loaded = cache.rules(&settings).map_err(|why| at(&roster.game, why.to_string()))?;
    let model = &loaded.model;
    if model.name != roster.game.text {
        return Err(at(&roster.game, format!("this is for {}, and the rules are of {}", roster.game.text, model.name)));
    }
    let config = config_of(model, &settings).map_err(|e| at(&roster.game, e.to_string()))?;
    let bring = list::bring_named(model, &roster.name.text).map_err(|m| at(&roster.name, m))?;
    let seat = match &args.seat {
        Some(name) => seat_named(model, name).ok_or_else(|| no_seat(model, name))?,
        None => 0,
    };
    let rules = Explainer::new(model.clone(), config);
    let list = list::members(&rules, bring, seat, &roster.lines).map_err(|f| faults(&f))?;
    let list_ruling = rules.list_ruling(bring, seat, &list).map_err(|f| at(&roster.name, f.words(model)))?;
    Ok((rules, list_ruling))
}

/// The settings of a list with those of the command line over them. The game is the one of the command line.
fn settings(args: &Args, roster: &List) -> Settings {
    let over = args.rules.settings();
    let mut settings = Settings { game: String::new(), ..roster.settings.clone() };
    settings.options.extend(over.options);
    settings.variants.extend(over.variants);
    settings.preset = over.preset.or(settings.preset);
    settings
}

fn no_seat(model: &Model, name: &str) -> Unusable {
    let seats = model.kinds.get(PLAYER.i()).map_or(&[][..], |k| &k.members);
    let near = hint(&nearest(name, seats.iter().map(|s| s.name.text.as_str()), 2));
    let known: Vec<&str> = seats.iter().map(|s| s.id.as_str()).collect();
    Unusable::new(format!("there is no seat {name}{near}"), format!("the seats are {}", known.join(", ")))
}
