//! `perft`: counts the positions a given number of plies ahead.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;

use lawspeaker::game::Position;
use lawspeaker::lexicon::{Counted, Words, fill};
use lawspeaker::library::Unusable;
use lawspeaker::map;
use lawspeaker::perft::{self, FILE, Row, START};
use serde_json::{Value as Json, json};

use super::flags::{PositionArgs, RulesArgs};
use super::games;
use super::number::within;
use super::screen::{Screen, Style};
use super::session::Session;
use super::{Answer, Run, Stop};

/// Count the positions a given number of plies ahead.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker perft confrontation --at ford.position --depth 3\n  \
    lawspeaker perft mygame --depth 4 --divide\n  \
    lawspeaker perft classics/connect-four --table --limit 1000000\n\n\
    Outcomes of chance count like choices; a game that is over has no positions ahead. The table is the file \
    perft.tsv in the game's folder.\n\n\
    Exit code 1: a count differs from the table.")]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    #[command(flatten)]
    position: PositionArgs,
    /// Look this many plies ahead.
    #[arg(
        long,
        value_name = "N",
        required_unless_present = "table",
        value_parser = within::<u32>(0..=u64::from(perft::MAX_PERFT_DEPTH))
    )]
    depth: Option<u32>,
    /// Count separately for each first choice.
    #[arg(long)]
    divide: bool,
    /// Compare the counts with the game's own table.
    #[arg(long, conflicts_with_all = ["at", "depth", "divide"])]
    table: bool,
    /// Skip counts of the table above this many positions.
    #[arg(long, value_name = "POSITIONS", requires = "table", value_parser = within::<u64>(1..=u64::MAX))]
    limit: Option<u64>,
    #[command(flatten)]
    rules: RulesArgs,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let Some(depth) = args.depth else {
        return table(args, screen);
    };
    let (session, position) = args.position.open(&args.game, &args.rules)?;
    if args.divide && depth == 0 {
        return Err(Unusable::new("there is nothing to divide at depth 0", "give --depth 1 or more").into());
    }
    let engine = session.rules.evaluators();
    let counts = match args.divide {
        true => perft::divide(engine, &position, depth),
        false => Ok(Vec::new()),
    };
    let counts = counts.map_err(|f| session.fault(&f))?;
    let total = match args.divide {
        true => counts.iter().map(|(_, n)| n).sum(),
        false => perft::perft(engine, &position, depth).map_err(|f| session.fault(&f))?,
    };
    let notations = session.notations(&position);
    let said = counts.iter().map(|(choice, n)| (notations.of(*choice), *n));
    if args.json {
        let said: Vec<Json> = said.map(|(choice, n)| json!({ "choice": choice, "positions": n })).collect();
        screen.json(&json!({ "depth": depth, "positions": total, "divide": said }))?;
    } else {
        for (choice, n) in said {
            writeln!(screen, "{n:>12}  {choice}")?;
        }
        let at_depth = fill(session.lexicon().words.perft.at_depth, &[&depth.to_string()]);
        writeln!(screen, "{total:>12}  {at_depth}")?;
    }
    Ok(Answer::Yes)
}

/// Counts what the game's table says, line by line.
fn table(args: &Args, screen: &mut Screen) -> Run {
    let home = args.rules.open(&args.game)?;
    let words = home.lexicon().words;
    let rows = rows(&home)?;
    let mut known: HashMap<String, (Session, Position)> = HashMap::new();
    let (mut done, mut differing, mut left) = (Vec::new(), 0, 0);
    for row in &rows {
        if args.limit.is_some_and(|limit| row.positions > limit) {
            left += 1;
            continue;
        }
        if !known.contains_key(&row.position) {
            known.insert(row.position.clone(), open(args, &home, row)?);
        }
        let Some((session, position)) = known.get(&row.position) else {
            continue;
        };
        let counted = perft::perft(session.rules.evaluators(), position, row.depth).map_err(|f| session.fault(&f))?;
        differing += usize::from(counted != row.positions);
        if args.json {
            done.push(json!({
                "position": row.position, "depth": row.depth, "positions": row.positions, "counted": counted,
                "ok": counted == row.positions,
            }));
        } else {
            print(row, counted, words, screen)?;
        }
    }
    if args.json {
        screen.json(&json!({ "ok": differing == 0, "counts": done, "left_out": left }))?;
    } else {
        let left = if left == 0 { String::new() } else { fill(words.perft.left_out, &[&left.to_string()]) };
        let counts = words.counts.of(Counted::Counts, rows.len());
        let name = &home.rules.loaded().folder.name;
        writeln!(screen, "{}", fill(words.perft.total, &[name, &counts, &differing.to_string(), &left]))?;
    }
    Ok(Answer::from(differing == 0))
}

fn print(row: &Row, counted: u64, words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    let perft = &words.perft;
    let [depth, positions, counted] = [u64::from(row.depth), row.positions, counted].map(|n| n.to_string());
    let (style, word, said) = match counted == positions {
        true => (Style::Good, perft.ok, fill(perft.row, &[&row.position, &depth, &positions])),
        false => (Style::Bad, perft.differs, fill(perft.row_differs, &[&row.position, &depth, &counted, &positions])),
    };
    let width = map::columns(perft.ok).max(map::columns(perft.differs));
    writeln!(screen, "{} {said}", screen.styled(style, &map::fit(word, width)))?;
    Ok(())
}

fn rows(session: &Session) -> Result<Vec<Row>, Stop> {
    let folder = &session.rules.loaded().folder;
    let Some(text) = folder.text(FILE) else {
        let help = format!(
            "write {FILE} into its folder: `position`, `depth` and `positions` with tabs between, a count a line"
        );
        return Err(Unusable::new(format!("{} has no table of counts", folder.name), help).into());
    };
    let place = |fault| Unusable::new(format!("{}/{FILE}:{fault}", folder.name), "");
    Ok(perft::table(text).map_err(place)?)
}

/// The position of a row and its rules: the settings of the position, and those of the command over them.
fn open(args: &Args, home: &Session, row: &Row) -> Result<(Session, Position), Stop> {
    let Some(files) = row.files() else {
        let session = args.rules.open(&args.game)?;
        let start = session.rules.start()?;
        return Ok((session, start));
    };
    let folder = &home.rules.loaded().folder;
    let Some((file, text)) = files.iter().find_map(|f| Some((f, folder.text(f)?))) else {
        let message = format!("{}/{FILE}:{}: there is no {}", folder.name, row.line, files[0]);
        return Err(Unusable::new(message, format!("write it, or `{START}` for the start of the game")).into());
    };
    let named = games::Named { name: Path::new(&folder.name).join(file), text: text.to_owned() };
    let (session, opened) = games::at_scene(&args.game, &named, &args.rules.settings(), args.rules.lang(), 0)?;
    let position = opened.last(&session)?;
    Ok((session, position))
}
