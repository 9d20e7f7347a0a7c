//! `replay`: records are played again, every ply verified.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lawspeaker::facts::{self, FactFault};
use lawspeaker::game::{Choice, Outcome, Position};
use lawspeaker::lexicon::{Counted, Lexicon, Words, fill};
use lawspeaker::library::Unusable;
use lawspeaker::model::Model;
use lawspeaker::plain::clip;
use lawspeaker::record::{self, Record, Replay, ReplayEnd, Transcribed};
use lawspeaker::report::{Mistake, plural};
use lawspeaker::rulings;
use lawspeaker::writing::{self, Place, Policy};
use rayon::prelude::*;
use serde_json::{Value as Json, json};

use super::cache::{Home, NoRules, RulesCache, RulesCaches};
use super::flags::{NotationArgs, SettingsArgs};
use super::number::{LARGEST, within};
use super::play::{Input, Viewer, add, match_result};
use super::screen::{Screen, Style};
use super::session::{self, Session};
use super::sources::{Source, find, games_in, named};
use super::transcripts::{self, Form};
use super::{Answer, Run, Stop, rewrite};

/// Replay records and verify every ply; stop at the first illegal one, with the reason.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker replay rules/confrontation/records\n  \
    lawspeaker replay game.record --to 23 --explain --board\n  \
    lawspeaker replay --match first.record second.record\n  \
    lawspeaker replay mygame/records --rewrite\n  \
    lawspeaker replay --game chess games.pgn --as record\n\n\
    The record names its game, variants, options and readings; those of the command line come on top. The game is \
    looked up in the folders around the record, then among the shipped games.")]
pub struct Args {
    /// Records, folders with records, or names of shipped games.
    #[arg(required = true)]
    records: Vec<PathBuf>,
    /// Use the rules of this game instead of looking for them.
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Replay only this many plies.
    #[arg(long, value_name = "N", value_parser = within::<usize>(0..=LARGEST))]
    to: Option<usize>,
    /// Draw the map of the last position; with --step, of each.
    #[arg(long)]
    board: bool,
    /// Print each ply with the clauses that decided it.
    #[arg(long)]
    explain: bool,
    /// Write the last position to this file, for `ask --at` and `play --at`.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Allow --save to replace a file.
    #[arg(long, requires = "save")]
    force: bool,
    /// Print each ply and wait for Enter.
    #[arg(long)]
    step: bool,
    /// After a change of the rules, rewrite the digests and numbers of options of each record whose plies are all still
    /// legal.
    #[arg(long, conflicts_with_all = ["to", "step", "json", "matched", "save", "variant", "preset", "with"])]
    rewrite: bool,
    /// Print the games in this form: `record`, or a notation of games (`pgn`) or of positions (`fen`) that the rules
    /// declare; of positions, the last.
    #[arg(long = "as", value_name = "FORM")]
    #[arg(conflicts_with_all = ["step", "json", "matched", "explain", "board", "rewrite"])]
    form: Option<String>,
    /// Of a file with several games, take only this one.
    #[arg(long, value_name = "N", value_parser = within::<usize>(1..=LARGEST))]
    number: Option<usize>,
    /// Take the records as the games of a match, in order, and print its result.
    #[arg(long = "match")]
    matched: bool,
    #[command(flatten)]
    over: SettingsArgs,
    #[command(flatten)]
    notation: NotationArgs,
    /// Print JSON, for programs.
    #[arg(long, conflicts_with_all = ["step", "matched"])]
    json: bool,
}

/// The maximum number of characters about a mistake beyond its first line, which may quote a whole file.
const MAX_MORE: usize = 20_000;

/// A record that was played again.
struct Played {
    file: PathBuf,
    /// Of a file with several games: which, from 1.
    number: Option<usize>,
    /// The game as the transcript has it, if it was read from one.
    from: Option<Transcribed>,
    text: String,
    session: Session,
    record: Record,
    replay: Replay,
}

impl Played {
    /// The file, and which of its games, if it has several.
    fn name(&self) -> String {
        named(&self.file, self.number)
    }

    /// The position before each ply.
    fn positions(&self) -> impl Iterator<Item = Position> {
        self.replay.positions(self.session.rules.evaluators())
    }

    /// How it ended.
    fn words(&self) -> String {
        self.replay.words(self.session.rules.explainer(), &self.session.lang)
    }

    fn whole(&self) -> bool {
        matches!(self.replay.end, ReplayEnd::Complete(_))
    }
}

/// A record that could be played again, or why it could not be read.
type Tried = Result<Played, Unusable>;

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let files = games_in(find(&args.records)?, args.number)?;
    if files.len() > 1 && (args.save.is_some() || args.step) {
        let help = "give a single record";
        return Err(Unusable::new("--save and --step are for one record", help).into());
    }
    if let Some(file) = &args.save {
        Place::new(file, Policy::forced(args.force))?;
    }
    if args.rewrite {
        if let Some(source) = files.iter().find(|source| source.game.is_some()) {
            let message = format!("{} has no digests to rewrite", source.file.display());
            return Err(Unusable::new(message, "`--as record` writes a game of it as a record").into());
        }
        if let Some(source) = files.iter().find(|source| source.inside.is_some()) {
            let message = format!("{} is inside the program and cannot be rewritten", source.file.display());
            let help = "copy the game with `lawspeaker new NAME --from GAME`";
            return Err(Unusable::new(message, help).into());
        }
        files.iter().for_each(|source| writing::tidy(&source.file));
    }
    let words = args.notation.words();
    let mut tried = play_all(args, &files);
    // Settings of the command line that no game of the records has.
    if !args.over.settings().list().is_empty()
        && tried.iter().all(Result::is_err)
        && let Some(Err(error)) = tried.pop()
    {
        return Err(error.into());
    }
    let files: Vec<PathBuf> = files.into_iter().map(|source| source.file).collect();
    if let Some(form) = &args.form {
        return print_as(args, &tried, &files, form, screen);
    }
    if args.rewrite {
        return rewrite_all(&tried, &files, words, screen);
    }
    if args.json {
        let all: Vec<Json> = tried.iter().zip(&files).map(|(t, f)| to_json(args, t, f)).collect();
        screen.json(&Json::from(all))?;
        return verdict(tried);
    }
    for (played, file) in tried.iter().zip(&files) {
        match played {
            Ok(played) => show(args, played, screen)?,
            Err(error) => {
                // A single one is complained of as input that cannot be used.
                if files.len() > 1 {
                    let word = screen.styled(Style::Bad, words.replay.unread);
                    writeln!(screen, "{word} {}", placed(file, error))?;
                }
            }
        }
    }
    if args.matched {
        return result_of_match(&tried, screen);
    }
    if tried.len() > 1 {
        let whole = tried.iter().flatten().filter(|p| p.whole()).count();
        let count = words.counts.of(Counted::Records, tried.len());
        let [whole, not] = [whole, tried.len() - whole].map(|n| n.to_string());
        writeln!(screen, "{}", fill(words.replay.total, &[&count, &whole, &not]))?;
    }
    verdict(tried)
}

/// What is wrong with a file, in words that begin with its name.
fn placed(file: &Path, error: &Unusable) -> String {
    let words = super::cache::words(error);
    let name = file.display().to_string();
    if words.contains(&name) { words } else { format!("{name}: {words}") }
}

/// Yes if all are legal; a single record that cannot be read at all is unusable input.
fn verdict(mut tried: Vec<Tried>) -> Run {
    if tried.len() == 1 {
        return match tried.remove(0) {
            // Of a text that is wrong in itself nothing is answered.
            Ok(played) if played.record.misnumbered.is_some() => Ok(Answer::Unusable),
            Ok(played) => Ok(Answer::from(played.whole())),
            Err(error) => Err(error.into()),
        };
    }
    let whole = tried.iter().all(|t| t.as_ref().is_ok_and(|p| p.whole() && p.record.misnumbered.is_none()));
    Ok(Answer::from(whole))
}

/// Prints the games in a form; what is wrong with those that could not be played comes at the end.
fn print_as(args: &Args, tried: &[Tried], files: &[PathBuf], form: &str, screen: &mut Screen) -> Run {
    let mut all = true;
    let mut first = true;
    for (played, file) in tried.iter().zip(files) {
        let played = match played {
            Ok(played) if played.whole() && played.record.misnumbered.is_none() => played,
            Ok(played) => {
                all = false;
                show(args, played, screen)?;
                continue;
            }
            Err(error) if tried.len() == 1 => {
                return Err(Unusable { message: error.message.clone(), ..error.clone() }.into());
            }
            Err(error) => {
                all = false;
                writeln!(screen, "{}", placed(file, error))?;
                continue;
            }
        };
        let rules = &played.session.rules;
        let form = transcripts::form(rules.model(), form)?;
        let text = transcripts::written(rules, form, &played.record, &played.replay, played.from.as_ref());
        let text = text.map_err(|why| Unusable::new(format!("{}: {why}", played.name()), ""))?;
        if !std::mem::take(&mut first) && !matches!(form, Form::Position(_)) {
            writeln!(screen)?;
        }
        write!(screen, "{text}")?;
    }
    Ok(Answer::from(all))
}

fn play_all(args: &Args, files: &[Source]) -> Vec<Tried> {
    let mut caches = RulesCaches::default();
    let home = |source: &Source| args.game.as_deref().map_or_else(|| source.home(), Home::given);
    let jobs: Vec<(&Source, Arc<RulesCache>)> = files.iter().map(|file| (file, caches.of(home(file)))).collect();
    let bar = progress(files.len());
    let tried = jobs
        .into_par_iter()
        .map(|(file, cache)| {
            let tried = play(args, file, &cache);
            bar.inc(1);
            tried
        })
        .collect();
    bar.finish_and_clear();
    tried
}

/// A bar on the terminal; with few records, or without a terminal, none.
fn progress(count: usize) -> ProgressBar {
    let target = if count > 1 { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(count as u64), target);
    match ProgressStyle::with_template("{bar:40} {pos}/{len} records") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn play(args: &Args, source: &Source, cache: &RulesCache) -> Tried {
    let file = source.file.as_path();
    let text = source.text()?.into_owned();
    let mut from = None;
    let mut record = match source.game {
        None => source.record(&text)?,
        Some((number, _)) => {
            if args.game.is_none() && !source.home().is_some() {
                let message = format!("{} does not say of which game it is", file.display());
                return Err(Unusable::new(message, "--game names the rules to use"));
            }
            let rules = cache.rules(&args.over.settings()).map_err(|why| Unusable::new(why.to_string(), ""))?;
            let (record, game) = transcripts::record(&rules, file, &text, number)?;
            from = Some(game);
            record
        }
    };
    record.settings.lay_over(&args.over.settings());
    if args.rewrite {
        rewrite::forget(&mut record);
    }
    if let Some(to) = args.to {
        if to < record.plies.len() {
            record.result = None;
        }
        record.plies.truncate(to);
    }
    let unusable = |keyword: &str, m: String, help: &str| {
        let line = line_of(&text, keyword).map_or_else(String::new, |n| format!("{n}:"));
        Unusable::new(format!("{}:{line} {m}", file.display()), help)
    };
    let rules = cache.rules(&record.settings).map_err(|why| match why {
        NoRules::Variant(_) | NoRules::Setting(_) => unusable("with", why.to_string(), ""),
        _ => unusable("record", why.to_string(), "--game names the rules to use"),
    })?;
    let replay = rules.replay(&record);
    let lang = session::language(rules.model(), args.notation.lang())?;
    let session = Session { rules, lang };
    let number = source.game.and_then(|(i, several)| several.then_some(i + 1));
    Ok(Played { file: file.to_owned(), number, from, text, session, record, replay })
}

/// The line of a record's header that begins with a word.
fn line_of(text: &str, keyword: &str) -> Option<usize> {
    let line = text.lines().position(|l| l.split_whitespace().next() == Some(keyword))?;
    Some(line + 1)
}

fn show(args: &Args, played: &Played, screen: &mut Screen) -> Result<(), Stop> {
    if args.step {
        step(args, played, screen)?;
    } else if args.explain {
        for (i, before) in played.positions().enumerate() {
            write!(screen, "{}", ply_words(played, i, &before, true))?;
        }
    }
    let style = if played.whole() { Style::Good } else { Style::Bad };
    let words = played.session.lexicon().words;
    let word = screen.styled(style, if played.whole() { words.legal } else { words.replay.stopped });
    let mistakes = mistakes(played);
    // The mistakes follow with their lines.
    let bare = |said: String| said.trim_end_matches([' ', ':', '：']).to_owned();
    let said = match &played.replay.end {
        ReplayEnd::Stopped { ply: 0, .. } if !mistakes.is_empty() => bare(fill(words.replay.no_beginning, &[""])),
        ReplayEnd::Stopped { ply, line, .. } if !mistakes.is_empty() => {
            let (explainer, lang) = (played.session.rules.explainer(), played.session.lang.as_str());
            let place = match played.record.plies.get(ply - 1) {
                Some(_) => fill(words.replay.at_ply, &[&ply.to_string(), ""]),
                None => fill(words.replay.after_ply, &[&(ply - 1).to_string(), &line.to_string(), ""]),
            };
            played.replay.about_rules(explainer, lang) + &bare(place)
        }
        _ => played.words(),
    };
    let said = said.trim_end().replace('\n', "\n  ");
    let line = match &played.replay.end {
        ReplayEnd::Stopped { ply, line, .. } if *ply > 0 && *line > 0 => format!(":{line}"),
        _ => String::new(),
    };
    writeln!(screen, "{word} {}{line}{}{said}", played.name(), words.colon)?;
    // Where a ply is left out, that explains why the next cannot be played.
    let shown = !mistakes.is_empty() && !mistakes.iter().any(|m| left_out(played, m));
    let told = if shown { &mistakes[..] } else { &[] };
    for fault in played.record.misnumbered.iter().chain(told) {
        let mistake = Mistake { line: fault.line, column: fault.column, width: fault.width, message: &fault.message };
        screen.mistake(&played.file.display().to_string(), &played.text, &mistake)?;
    }
    let more = if shown { more(played) } else { String::new() };
    if !more.is_empty() {
        writeln!(screen, "  {}", more.replace('\n', "\n  "))?;
    }
    if let (true, Some(position)) = (args.board && !args.step, &played.replay.position) {
        board(played, position, screen)?;
    }
    if let Some(file) = &args.save {
        save(played, file, args.force)?;
        writeln!(screen, "{}", fill(words.replay.position_saved, &[&file.display().to_string()]))?;
    }
    Ok(())
}

/// The mistakes in the text of a record because of which a replay stops: in the position it begins with, or in a line.
fn mistakes(played: &Played) -> Vec<FactFault> {
    match (&played.replay.end, &played.record.scene) {
        (ReplayEnd::Stopped { ply: 0, .. }, Some(scene)) => {
            scene.opening(played.session.rules.explainer()).err().unwrap_or_default()
        }
        (ReplayEnd::Stopped { ply, line, reason }, _) if *ply > 0 && *line > 0 => {
            if matches!(reason, record::Stop::Fault(_)) {
                return Vec::new();
            }
            let (explainer, lang) = (played.session.rules.explainer(), played.session.lang.as_str());
            let why = played.replay.reason(explainer, lang).unwrap_or_default();
            let why = why.lines().next().unwrap_or_default().to_owned();
            let (column, width) = match played.record.plies.get(ply - 1).map(|p| &p.made) {
                Some(made) => (made.column.max(1), made.who.chars().count() + 2 + made.text.chars().count()),
                None => (1, played.text.lines().nth(line - 1).map_or(1, |l| l.trim_end().chars().count())),
            };
            vec![FactFault::new(*line, column, why).over(width)]
        }
        _ => Vec::new(),
    }
}

/// Whether a mistake stands in the line before which a ply is missing.
fn left_out(played: &Played, mistake: &FactFault) -> bool {
    played.record.misnumbered.as_ref().is_some_and(|m| m.line == mistake.line)
}

/// The lines about a mistake beyond its first, which stands at the line of the record.
fn more(played: &Played) -> String {
    let (explainer, lang) = (played.session.rules.explainer(), played.session.lang.as_str());
    let why = match &played.replay.end {
        ReplayEnd::Stopped { ply, .. } if *ply > 0 => played.replay.reason(explainer, lang).unwrap_or_default(),
        _ => String::new(),
    };
    why.split_once('\n').map_or_else(String::new, |(_, more)| clip(more.trim_end(), MAX_MORE).into_owned())
}

fn board(played: &Played, position: &Position, screen: &mut Screen) -> Result<(), Stop> {
    let viewer = Viewer::new(&played.session, None);
    write!(screen, "{}{}", viewer.map(position, &lawspeaker::map::Near::default()), viewer.piles(position, false))?;
    Ok(())
}

/// Writes digests and numbers of options anew in the records that can still be played, and says what changes.
fn rewrite_all(tried: &[Tried], files: &[PathBuf], words: &Words, screen: &mut Screen) -> Run {
    let mut all = true;
    for (played, file) in tried.iter().zip(files) {
        let refusal = match played {
            Ok(played) if played.whole() && played.record.misnumbered.is_none() => {
                let (session, replay) = (&played.session, &played.replay);
                let changes = rewrite::file(file, &session.rules, &played.record, replay)?;
                writeln!(screen, "{} {}", screen.styled(Style::Good, changes.word(words)), file.display())?;
                for line in changes.lines(words) {
                    writeln!(screen, "  {line}")?;
                }
                continue;
            }
            Ok(played) => format!("{}{}{}", file.display(), words.colon, played.words()),
            Err(error) => placed(file, error),
        };
        all = false;
        let refusal = refusal.trim_end().replace('\n', "\n  ");
        let word = screen.styled(Style::Bad, words.replay.left);
        writeln!(screen, "{word} {refusal}")?;
    }
    Ok(Answer::from(all))
}

fn step(args: &Args, played: &Played, screen: &mut Screen) -> Result<(), Stop> {
    let mut input = Input::new();
    for (i, before) in played.positions().enumerate() {
        if args.board {
            board(played, &before, screen)?;
        }
        write!(screen, "{}", ply_words(played, i, &before, args.explain))?;
        match input.ask(screen, played.session.lexicon().words.replay.step)?.as_deref() {
            None | Some("q" | "quit") => return Ok(()),
            Some(_) => {}
        }
    }
    if let (true, Some(position)) = (args.board, &played.replay.position) {
        board(played, position, screen)?;
    }
    Ok(())
}

/// A ply from the position before it, and if wanted the clauses that decide it.
fn ply_words(played: &Played, i: usize, before: &Position, explain: bool) -> String {
    let Some(ply) = played.replay.plies.get(i) else {
        return String::new();
    };
    let session = &played.session;
    let said = session.say(before, ply.choice);
    let phrase = session.lexicon().words.play.ply;
    let mut out = fill(phrase, &[&format!("{:>4}", i + 1), &session.seat_name(ply.seat), &said]) + "\n";
    if let (true, Some(seat)) = (explain, ply.seat) {
        let ruling = session.rules.judge(before, seat, ply.choice);
        let lexicon = Lexicon::new(session.model(), &session.lang);
        let words = lexicon.words;
        let by = |phrase: &str, clause: &lawspeaker::game::Considered| {
            let clause = rulings::clause_line(session.model(), clause, &session.lang);
            format!("        {}\n", fill(phrase, &[&clause]))
        };
        out.extend(ruling.deciding.iter().map(|c| by(words.by, c)));
        out.extend(ruling.overruled.iter().map(|c| by(words.over, c)));
        for derived in rulings::derived_that_matter(session.model(), &ruling) {
            let _ = writeln!(out, "        {}", lexicon.derived(derived));
        }
    }
    if explain {
        let mut after = before.clone();
        let (model, lang) = (session.model(), session.lang.as_str());
        if let Ok(events) = session.rules.explainer().apply_told(&mut after, ply.choice, None) {
            for line in rulings::events_text(model, &events, lang) {
                let _ = writeln!(out, "        {line}");
            }
        }
    }
    out
}

fn save(played: &Played, file: &Path, force: bool) -> Result<(), Stop> {
    let choices = played.replay.plies.iter().map(|p| p.choice);
    let history: Vec<(Position, Choice)> = played.positions().zip(choices).collect();
    let Some(position) = &played.replay.position else {
        let message = "the record does not lead to any position";
        return Err(Unusable::new(message, "").into());
    };
    let settings = &played.record.settings;
    let text = facts::save(played.session.rules.explainer(), settings, &history, position);
    writing::write(file, &text, Policy::forced(force))?;
    Ok(())
}

fn result_of_match(tried: &[Tried], screen: &mut Screen) -> Run {
    let played: Vec<&Played> = tried.iter().flatten().collect();
    let outcomes: Vec<Option<&Outcome>> = played.iter().map(|p| outcome(p)).collect();
    let Some(model) = played.first().map(|p| p.session.model()) else {
        return Ok(Answer::No);
    };
    let totals = totals(model, &outcomes)?;
    let sides = model.rounds.as_ref().map_or(&[][..], |r| &r.sides);
    let words = played.first().map_or_else(Words::english, |p| p.session.lexicon().words);
    let words = fill(words.play.match_result, &[&match_result(words, sides, &totals)]);
    writeln!(screen, "{}", screen.styled(Style::Bold, &words))?;
    Ok(Answer::from(played.len() == tried.len() && played.iter().all(|p| p.whole())))
}

fn outcome(played: &Played) -> Option<&Outcome> {
    match &played.replay.end {
        ReplayEnd::Complete(outcome) => outcome.as_ref(),
        ReplayEnd::Stopped { .. } => None,
    }
}

fn totals(model: &Model, outcomes: &[Option<&Outcome>]) -> Result<Vec<i64>, Unusable> {
    let Some(rounds) = &model.rounds else {
        let message = format!("{} has no `rounds`, so no match", model.name);
        return Err(Unusable::new(message, "leave out --match"));
    };
    if outcomes.len() != rounds.games.len() {
        let (wanted, given) = (rounds.games.len(), outcomes.len());
        let message = format!("a match is {}, given are {given}", plural(wanted, "game"));
        return Err(Unusable::new(message, "name the records in the order of the games"));
    }
    let mut totals = vec![0; rounds.sides.len()];
    for (i, (seats, outcome)) in rounds.games.iter().zip(outcomes).enumerate() {
        let Some(outcome) = outcome else {
            let message = format!("game {} of the match was not finished", i + 1);
            return Err(Unusable::new(message, "a match counts finished games"));
        };
        add(&mut totals, seats, outcome);
    }
    Ok(totals)
}

fn to_json(args: &Args, tried: &Tried, file: &Path) -> Json {
    let played = match tried {
        Ok(played) => played,
        Err(error) => {
            return json!({ "record": file.display().to_string(), "ok": false, "error": error.message });
        }
    };
    let (model, referee) = (played.session.model(), played.session.rules.explainer());
    let mut json = json!({
        "record": file.display().to_string(),
        "game": model.name,
        "ok": played.whole(),
        "plies": played.replay.plies.len(),
        "recorded_plies": played.record.plies.len(),
        "other_rules": played.replay.other_rules,
        "first_difference": played.replay.first_difference,
        "words": played.replay.words(referee, ""),
        "digest": played.replay.position.as_ref().map(|p| format!("{:016x}", p.digest())),
        "rules": format!("{:016x}", record::rules_digest(model, played.session.rules.config())),
    });
    match &played.replay.end {
        ReplayEnd::Complete(Some(outcome)) => {
            json["result"] = json!({ "words": played.session.outcome(outcome), "scores": outcome.scores });
        }
        ReplayEnd::Complete(None) => {}
        ReplayEnd::Stopped { ply, line, reason } => {
            json["stopped"] = json!({ "ply": ply, "line": line, "reason": played.replay.reason(referee, "") });
            if let record::Stop::Illegal { made, .. } = reason {
                json["stopped"]["legal"] = json!(played.replay.options(referee, &made.text, ""));
            }
        }
    }
    if args.explain {
        json["explained"] = explained(played);
    }
    json
}

/// Each ply with the ruling on it and what it led to.
fn explained(played: &Played) -> Json {
    let (session, explainer) = (&played.session, played.session.rules.explainer());
    let (model, lang) = (session.model(), session.lang.as_str());
    let plies = played.replay.plies.iter().zip(played.positions());
    let ply = |(ply, before): (&record::Ply, Position)| {
        let ruling = ply.seat.map(|seat| (seat, session.rules.judge(&before, seat, ply.choice)));
        let events = explainer.apply_told(&mut before.clone(), ply.choice, None).unwrap_or_default();
        json!({
            "seat": session.seat_name(ply.seat),
            "choice": session.say(&before, ply.choice),
            "ruling": ruling.map(|(seat, r)| rulings::json(explainer, &before, seat, ply.choice, &r, lang)),
            "outcome": rulings::events_json(model, &events, lang),
        })
    };
    Json::from(plies.map(ply).collect::<Vec<_>>())
}
