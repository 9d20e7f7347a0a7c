//! Flags that several commands share: each is described once and means one thing.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lawspeaker::conflict;
use lawspeaker::facts::{self, Settings};
use lawspeaker::game::{History, Position};
use lawspeaker::lexicon::Words;
use lawspeaker::library::Unusable;
use lawspeaker::model::{Config, Model};
use lawspeaker::players::Bot;
use lawspeaker::writing::{Place, Policy};

use super::lists::{self, ListOf, of_seat};
use super::number::{LARGEST, MAX_KEPT, MAX_THREADS, seed, within};
use super::session::Session;
use super::{Stop, games};

/// Which rules are in force.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SettingsArgs {
    /// Apply this variant of the rules (may be given several times).
    #[arg(long, value_name = "NAME")]
    pub variant: Vec<String>,
    /// Use the settings of this preset.
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Set an option or a reading, as in `--with hand_size=7` (may be given several times).
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    with: Vec<Setting>,
}

impl SettingsArgs {
    /// As the settings of a position or record.
    pub fn settings(&self) -> Settings {
        Settings {
            options: self.with.clone(),
            preset: self.preset.clone(),
            variants: self.variant.clone(),
            ..Settings::default()
        }
    }
}

/// Which rules are in force, and the language they are shown in.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct RulesArgs {
    #[command(flatten)]
    own: SettingsArgs,
    #[command(flatten)]
    notation: NotationArgs,
}

/// An option or reading and its value; without a value it is switched on.
pub type Setting = (String, Option<String>);

/// `NAME=VALUE`, or `NAME` alone.
pub fn setting(text: &str) -> Result<Setting, String> {
    let (name, value) = match text.split_once(['=', ' ']) {
        Some((name, value)) => (name.trim(), Some(value.trim().to_owned())),
        None => (text.trim(), None),
    };
    match name {
        "" => Err(String::from("write NAME=VALUE, for example hand_size=7")),
        name => Ok((name.to_owned(), value)),
    }
}

impl RulesArgs {
    /// As the settings of a position or record.
    pub fn settings(&self) -> Settings {
        self.own.settings()
    }

    /// The variants.
    pub fn variants(&self) -> &[String] {
        &self.own.variant
    }

    /// The values of all options and readings. `None` if none is set.
    pub fn config(&self, model: &Model) -> Result<Option<Config>, Unusable> {
        let config = facts::config_of(model, &self.settings()).map_err(|message| Unusable::new(message, ""))?;
        Ok((self.own.preset.is_some() || !self.own.with.is_empty()).then_some(config))
    }

    /// The language and style.
    pub fn lang(&self) -> &str {
        self.notation.lang()
    }

    /// The game with these settings.
    pub fn open(&self, game: &str) -> Result<Session, Stop> {
        Session::open(game, &self.settings(), self.lang())
    }
}

/// The language of what is printed, and the style of moves.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct NotationArgs {
    #[command(flatten)]
    lang: LangArgs,
    /// Write moves in this style of the game's notation, for example uci; all styles are read.
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    style: String,
    /// Language and style together.
    #[arg(skip)]
    tag: OnceLock<String>,
}

impl NotationArgs {
    /// The language; empty for the rule file's own. A style follows it after a `+`.
    pub fn lang(&self) -> &str {
        self.tag.get_or_init(|| match self.style.as_str() {
            "" => self.lang.lang.clone(),
            style => format!("{}+{style}", self.lang.lang),
        })
    }

    /// The words of the program in this language.
    pub fn words(&self) -> &'static Words {
        Words::of(&self.lang.lang)
    }
}

/// The language of what is printed.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct LangArgs {
    /// Language of names, notation and explanations, for example ja.
    #[arg(long, value_name = "TAG", default_value = "", hide_default_value = true)]
    pub lang: String,
}

/// The position to start from.
#[derive(Clone, Debug, clap::Args)]
pub struct PositionArgs {
    /// Start from this position (`given ...`) or from the end of this record, instead of the start of the game; `-`
    /// reads it from the standard input, and a position can be given itself, in quotes.
    #[arg(long, value_name = "FILE")]
    pub at: Option<PathBuf>,
    /// With a record, take the position before this ply.
    #[arg(long, value_name = "N", requires = "at", value_parser = within::<usize>(1..=LARGEST))]
    pub ply: Option<usize>,
    /// Begin with this list of a seat, such as its deck (may be given several times, once for each seat).
    #[arg(long = "list", value_name = "SEAT=FILE", value_parser = of_seat, conflicts_with = "at")]
    pub lists: Vec<ListOf>,
}

impl PositionArgs {
    /// The game and the position.
    pub fn open(&self, game: &str, rules: &RulesArgs) -> Result<(Session, Position), Stop> {
        self.open_played(game, rules).map(|(session, position, _)| (session, position))
    }

    /// The same, and how the position came about.
    pub fn open_played(&self, game: &str, rules: &RulesArgs) -> Result<(Session, Position, History), Stop> {
        let settings = lists::begin_with(&self.lists, rules.settings())?;
        games::at_file(game, self.at.as_deref(), self.ply, &settings, rules.lang())
    }

    /// The game, and the position with how it came about if one is given; `None` is the start of the game. A position
    /// in which the game is over is refused.
    pub fn begin(&self, game: &str, rules: &RulesArgs) -> Result<(Session, Option<(Position, History)>), Stop> {
        if self.at.is_none() {
            let settings = lists::begin_with(&self.lists, rules.settings())?;
            return Ok((Session::open(game, &settings, rules.lang())?, None));
        }
        let (session, position, history) = self.open_played(game, rules)?;
        if position.ending(session.model()).is_some() {
            let help = "give a position from which the game goes on; --ply N takes an earlier one of a record";
            return Err(Unusable::new("the game is over at this position", help).into());
        }
        Ok((session, Some((position, history))))
    }

    /// The file; empty if there is none.
    pub fn file(&self) -> &Path {
        self.at.as_deref().unwrap_or(Path::new(""))
    }
}

/// The seat that a command is about.
#[derive(Clone, Debug, clap::Args)]
pub struct SeatArgs {
    /// Take the part of this seat.
    #[arg(long, value_name = "SEAT")]
    pub seat: Option<String>,
}

/// Who plays, or how the seats decide.
#[derive(Clone, Debug, clap::Args)]
pub struct SeatsArgs {
    /// Who decides for a seat; without SEAT=, for all seats that are not named (may be given several times).
    #[arg(long, value_name = "[SEAT=]WHO", value_parser = assigned)]
    pub seats: Vec<Assigned>,
}

/// `SEAT=WHO`, or `WHO` for all seats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assigned {
    /// `None`: all seats that are not named.
    pub seat: Option<String>,
    /// Who decides, or how.
    pub who: String,
}

/// `SEAT=WHO`, or `WHO` alone.
pub fn assigned(text: &str) -> Result<Assigned, String> {
    let (seat, who) = match text.split_once('=') {
        Some((seat, who)) => (Some(seat.trim().to_owned()), who.trim()),
        None => (None, text.trim()),
    };
    match who.is_empty() || seat.as_deref() == Some("") {
        true => Err(String::from("write SEAT=WHO, or WHO alone for all seats")),
        false => Ok(Assigned { seat, who: who.to_owned() }),
    }
}

/// For each seat who decides for it. `None` if that was not said.
pub fn by_seat<'a>(assigned: &'a [Assigned], session: &Session) -> Result<Vec<Option<&'a str>>, Unusable> {
    let all = assigned.iter().rfind(|a| a.seat.is_none()).map(|a| a.who.as_str());
    let mut who = vec![all; session.rules.seats()];
    for one in assigned {
        let Some(name) = &one.seat else { continue };
        let seat = session.seat(name)?;
        if let Some(place) = who.get_mut(usize::from(seat)) {
            *place = Some(one.who.as_str());
        }
    }
    Ok(who)
}

/// A bot by its name.
pub fn bot_named(who: &str) -> Result<Bot, Unusable> {
    Bot::parse(who).map_err(|no| Unusable::new(no.to_string(), no.help()))
}

/// The seed of what is drawn by chance.
#[derive(Clone, Debug, clap::Args)]
pub struct SeedArgs {
    /// Seed for everything drawn at random: the same seed gives the same draws [default: 1].
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
}

impl SeedArgs {
    /// The seed, which is 1 if none was given.
    pub fn fixed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For a terminal.
    Text,
    /// For programs.
    Json,
    /// For a forum.
    #[value(alias = "md")]
    Markdown,
    /// A page that needs no other files.
    Html,
}

/// The form of a report, and where it goes.
#[derive(Clone, Debug, clap::Args)]
pub struct ReportArgs {
    /// Form of the report.
    #[arg(long, value_enum, default_value_t = Format::Text, hide_default_value = true)]
    format: Format,
    /// The same as --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    pub out: OutArgs,
}

impl ReportArgs {
    /// The form.
    pub fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// The file that something is written to.
#[derive(Clone, Debug, clap::Args)]
pub struct OutArgs {
    /// Write it to this file.
    #[arg(long = "out", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Allow --out to replace a file.
    #[arg(long, requires = "file")]
    force: bool,
}

impl OutArgs {
    /// Whether a file may be replaced.
    pub fn policy(&self) -> Policy {
        Policy::forced(self.force)
    }

    /// The place for the file, if one is wanted.
    pub fn place(&self) -> Result<Option<Place>, Unusable> {
        Ok(self.file.as_ref().map(|file| Place::new(file, self.policy())).transpose()?)
    }
}

/// How many games are played at a time, and what is written of them.
#[derive(Clone, Debug, clap::Args)]
pub struct ManyArgs {
    /// Play this many games at a time; by default, as many as there are cores.
    #[arg(long, value_name = "T", value_parser = within::<usize>(1..=MAX_THREADS))]
    pub threads: Option<usize>,
    /// Write a table: .csv, .json (an object on each line) or .parquet.
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// Write a page with plots and tables, which needs no other file.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Allow --table and --html to replace a file.
    #[arg(long)]
    pub force: bool,
}

impl ManyArgs {
    /// The place for the page, if one is wanted.
    pub fn page(&self) -> Result<Option<Place>, Unusable> {
        Ok(self.html.as_deref().map(|file| Place::new(file, Policy::forced(self.force))).transpose()?)
    }

    /// The files that are written.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.table.iter().chain(&self.html)
    }
}

/// The bound on how much is searched. Each command sets its own default.
#[derive(Clone, Debug, clap::Args)]
pub struct LimitArgs {
    /// Examine at most this many positions.
    #[arg(long, value_name = "POSITIONS", default_value = "1000000", value_parser = within::<usize>(1..=MAX_KEPT))]
    pub limit: usize,
}

/// The bound on how many ways there may be in which what is hidden can lie.
#[derive(Clone, Debug, clap::Args)]
pub struct WorldsArgs {
    /// Consider at most this many arrangements of what is hidden.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = within::<usize>(1..=MAX_KEPT))]
    pub worlds: usize,
}

/// The bound on the search for one conflict.
#[derive(Clone, Debug, clap::Args)]
pub struct TriesArgs {
    /// Give up on a pair of clauses after evaluating their conditions this many times.
    #[arg(long, value_name = "N", default_value_t = conflict::TRIES, value_parser = within::<u32>(1..=LARGEST))]
    pub tries: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_a_name_and_perhaps_a_value() {
        assert_eq!(setting("hand_size=7"), Ok((String::from("hand_size"), Some(String::from("7")))));
        assert_eq!(setting("shelob any good"), Ok((String::from("shelob"), Some(String::from("any good")))));
        assert_eq!(setting("fast"), Ok((String::from("fast"), None)));
        assert!(setting("=7").is_err() && setting("").is_err());
    }

    #[test]
    fn seats_are_assigned_one_by_one_or_all_at_once() {
        let of = |seat: Option<&str>, who: &str| Ok(Assigned { seat: seat.map(str::to_owned), who: who.to_owned() });
        assert_eq!(assigned("Dark=random"), of(Some("Dark"), "random"));
        assert_eq!(assigned("Good = stand; best"), of(Some("Good"), "stand; best"));
        assert_eq!(assigned("random"), of(None, "random"));
        for text in ["", "Dark=", "=random", "="] {
            assert!(assigned(text).is_err(), "{text}");
        }
    }
}
