//! `compare`: what a change of the rules changes.

mod json;
mod sets;
mod told;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lawspeaker::audit;
use lawspeaker::compare::{Comparison, Games, Side, Wanted, records_of};
use lawspeaker::conflict;
use lawspeaker::facts::Settings;
use lawspeaker::lexicon::{Lexicon, Words, fill};
use lawspeaker::library::Unusable;
use lawspeaker::players::Bot;
use lawspeaker::record;
use lawspeaker::writing::{self, Place, Policy};

use super::flags::{Format, NotationArgs, ReportArgs, SeatsArgs, SeedArgs, bot_named, by_seat};
use super::number::{LARGEST, points, within};
use super::random::make_folder;
use super::ruling_page::command;
use super::screen::{Screen, Style};
use super::{Answer, Run, Stop, session};
use sets::SetArgs;

/// Compare sets of rules by their consequences: what is written otherwise, and which rulings, records and games come
/// out otherwise.
///
/// The first rules are GAME as it stands. Each --variant, --preset, --with, --given and --against gives one more set of
/// rules, which is compared with the first. With --base the first are those of an earlier revision, and those of now
/// are one of the others.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker compare confrontation --variant open_river\n  \
    lawspeaker compare confrontation --with shadowfax_move=same_character\n  \
    lawspeaker compare mygame --variant rivers --variant roads --given 'variant rivers, variant roads'\n  \
    lawspeaker compare mygame --against mygame-with-rivers --format html --out rivers.html\n  \
    lawspeaker compare mygame --base HEAD\n\n\
    Cases and records are those of the first rules. Games are played by bots (--seats; by default they choose at \
    random), with the same seeds under all rules; a difference is marked with * if it is sure at 95 % for all \
    differences of the report together.\n\n\
    Exit code 1: a ruling, a record, a game, a count, an option or a conflict comes out otherwise.")]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    #[command(flatten)]
    sets: SetArgs,
    /// Play this many games under each rules [default: 1000; with --precision as many as it takes].
    #[arg(long, value_name = "N", value_parser = within::<u64>(0..=LARGEST))]
    games: Option<u64>,
    /// Play until the difference of each seat's share of wins is known to within this many percentage points.
    #[arg(long, value_name = "POINTS", value_parser = points)]
    precision: Option<f64>,
    #[command(flatten)]
    seats: SeatsArgs,
    /// Compare the options of this many positions, the nearest to the start first.
    #[arg(long, default_value_t = 5000, value_name = "N", value_parser = within::<usize>(1..=LARGEST))]
    positions: usize,
    /// Count positions ahead, ply by ply, up to about this many.
    #[arg(long, default_value_t = 20_000, value_name = "N", value_parser = within::<u64>(1..=LARGEST))]
    counted: u64,
    /// Spend at most so long on each of four things: positions, counts, games that are compared ply by ply, and games
    /// with a ruling on each ply.
    #[arg(long, default_value_t = 4, value_name = "SECONDS", value_parser = within::<u64>(1..=LARGEST))]
    time: u64,
    #[command(flatten)]
    seed: SeedArgs,
    #[command(flatten)]
    notation: NotationArgs,
    /// Write the shortest game that shows the difference into this folder, as a record under either rules.
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
    #[command(flatten)]
    report: ReportArgs,
}

/// The games that are played if nothing else is said.
const GAMES: u64 = 1000;

/// The sets of rules, and what comes of each but the first next to the first.
struct Report {
    first: Side,
    others: Vec<(Side, Comparison)>,
    seed: u64,
    /// The seats and their bots; empty if all choose at random.
    bots: Vec<(String, String)>,
    /// The command that makes the report again.
    command: String,
}

impl Report {
    fn differs(&self) -> bool {
        self.others.iter().any(|(_, found)| found.differs())
    }
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    args.report.out.place()?;
    let (first, others) = args.sets.sides(&args.game)?;
    if let Some(folder) = &args.records {
        make_folder(folder)?;
        for file in (0..others.len()).flat_map(|i| record_files(i, others.len())) {
            Place::new(&folder.join(file), Policy::New)?;
        }
    }
    let lang = session::language(first.rules.model(), args.notation.lang())?;
    let session = session::Session::of(first.rules.clone(), args.notation.lang())?;
    let bots = by_seat(&args.seats.seats, &session)?.into_iter();
    let bots: Vec<Bot> = bots.map(|who| who.map_or(Ok(Bot::Random), bot_named)).collect::<Result<_, _>>()?;
    let suite = audit::suite(&first.folder, &first.rules.model().name, &Settings::default())?;
    let wanted = Wanted {
        positions: args.positions,
        counted: args.counted,
        games: Games {
            games: args.games.unwrap_or(if args.precision.is_some() { LARGEST } else { GAMES }),
            precision: args.precision.map(|points| points / 100.0),
            seed: args.seed.fixed(),
            bots: bots.clone(),
            sets: others.len(),
        },
        time: Duration::from_secs(args.time),
        tries: conflict::TRIES,
        lang: lang.clone(),
    };
    let others = others.into_iter().map(|side| {
        let found = Comparison::new(&first, &side, &suite, &wanted);
        (side, found)
    });
    let others = others.collect();
    let named = bots.iter().zip(0..).filter(|_| bots.iter().any(|bot| *bot != Bot::Random));
    let bots = named.map(|(bot, seat)| (session.seat_name(Some(seat)), bot.to_string())).collect();
    let report = Report { first, others, seed: wanted.games.seed, bots, command: command(std::env::args_os()) };
    let words = Words::of(&lang);
    let document = || told::document(&report, words);
    let plain = |text: &str| text.to_owned();
    let said = match (args.report.format(), &args.report.out.file) {
        (Format::Json, None) => {
            screen.json(&json::json(&report))?;
            String::new()
        }
        (Format::Json, Some(_)) => format!("{:#}\n", json::json(&report)),
        (Format::Markdown, _) => document().markdown(),
        (Format::Html, _) => document().html(&words.tag.to_string()),
        (Format::Text, None) => document().text(&|text| screen.styled(Style::Bold, text)),
        (Format::Text, Some(_)) => document().text(&plain),
    };
    match &args.report.out.file {
        Some(file) => {
            writing::write(file, &said, args.report.out.policy())?;
            writeln!(screen, "{}", fill(words.compare.kept, &[&file.display().to_string()]))?;
        }
        None => write!(screen, "{said}")?,
    }
    if let Some(folder) = &args.records {
        write_records(&report, folder, &lang, screen)?;
    }
    Ok(Answer::from(!report.differs()))
}

/// The names of the records about the sets of rules with this number, from 0.
fn record_files(i: usize, sets: usize) -> [String; 2] {
    match sets {
        1 => [String::from("first.record"), String::from("second.record")],
        _ => [1, i + 2].map(|rules| format!("{}-under-{rules}.record", i + 2)),
    }
}

/// Writes the shortest games, each under both rules.
fn write_records(report: &Report, folder: &Path, lang: &str, screen: &mut Screen) -> Result<(), Stop> {
    let words = Words::of(lang);
    for (i, (side, found)) in report.others.iter().enumerate() {
        let Some(fork) = found.ahead.as_ref().and_then(|ahead| ahead.fork.as_ref()) else { continue };
        let records = records_of(fork, [&report.first, side], lang);
        let records =
            records.map_err(|fault| Unusable::new(Lexicon::new(side.rules.model(), lang).fault(&fault), ""))?;
        for (file, one) in record_files(i, report.others.len()).iter().zip(records) {
            let file = folder.join(file);
            writing::write(&file, &record::write(&one), Policy::New)?;
            writeln!(screen, "{}", fill(words.compare.kept, &[&file.display().to_string()]))?;
        }
    }
    Ok(())
}
