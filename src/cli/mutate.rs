//! `mutate`: does some case or record fail when the rules are changed in one place?

use std::collections::HashMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lawspeaker::audit::{self, Explanation, Fate, Kind, Mutant, MutationLog, MutationRun};
use lawspeaker::lexicon::{Counted, Words, fill};
use lawspeaker::library::{self, Unusable};
use lawspeaker::players::Dice;
use lawspeaker::rules::Rules;
use rayon::prelude::*;
use serde_json::{Value as Json, json};

use super::flags::{LangArgs, SeedArgs, SettingsArgs};
use super::number::{LARGEST, within};
use super::screen::{Screen, Style};
use super::{Answer, Run, Stop, session};

/// Mutation-test the rules: each single change must make a case or record fail.
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("seed", |a| a.requires("sample")),
    after_help = "A mutant is the rules with one change: a clause or statement dropped, a condition (or one part of \
    it) negated or ignored, a number one more or less, `<` for `<=`, `may` for `may not`, an exception removed. It is \
    caught if the checker refuses it, or if a case or record fails. The survivors are listed: each is a case that \
    nobody has written, or a change that makes no difference, which the file mutants.md of the game can explain \
    (docs/bench.md).\n\n\
    Examples:\n  lawspeaker mutate mygame\n  lawspeaker mutate confrontation --sample 50 --seed 7\n  \
    lawspeaker mutate confrontation --only battle.law\n  lawspeaker mutate confrontation --only char.frodo\n\n\
    Exit code 0: all are caught or explained; 1: some survive; 2: the game cannot be used, because a case fails \
    without any change. With --variant, --preset or --with, cases that do not pass are left out instead.\n\n\
    Each result is written to a file at once, so that a run can be interrupted and continued."
)]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    /// Try only the mutants whose name or citations contain this: a file, a clause, a kind such as `drop`.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Try only this many, drawn at random.
    #[arg(long, value_name = "N", value_parser = within::<usize>(1..=LARGEST))]
    sample: Option<usize>,
    #[command(flatten)]
    seed: SeedArgs,
    #[command(flatten)]
    over: SettingsArgs,
    /// Keep the results in this file instead of GAME.mutants.
    #[arg(long, value_name = "FILE", conflicts_with = "no_state")]
    state: Option<PathBuf>,
    /// Keep no results.
    #[arg(long)]
    no_state: bool,
    /// List explained survivors as well.
    #[arg(long)]
    explained: bool,
    /// List the mutants without trying them.
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    lang: LangArgs,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// A mutant and what became of it.
struct Tried<'h> {
    mutant: &'h Mutant,
    fate: Fate,
    explanation: Option<&'h Explanation>,
}

impl Tried<'_> {
    fn survived(&self) -> bool {
        matches!(self.fate, Fate::Survived { .. })
    }
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let words = session::program_words(if args.json { "" } else { &args.lang.lang })?;
    let loaded = library::open(&args.game, &[])?;
    if args.list {
        let mutants = audit::mutants(&loaded.folder.rules());
        return list(args, &chosen(args, &mutants)?, &loaded.folder, words, screen);
    }
    // Settings that the game does not have are complained of before any case is run.
    Rules::of_folder(loaded.folder.clone(), &args.over.settings())?;
    let bar = bar("cases and records");
    let progress = |done: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    };
    let run = MutationRun::new(&loaded.folder, &loaded.model.name, &args.over.settings(), &progress)?;
    bar.finish_and_clear();
    let log = match (&args.state, args.no_state) {
        (_, true) => MutationLog::none(),
        (Some(file), _) => MutationLog::open(file, &loaded.model.name, run.rules)?,
        (None, _) => {
            let file = PathBuf::from(format!("{}.mutants", loaded.model.name));
            MutationLog::open(&file, &loaded.model.name, run.rules)?
        }
    };
    let mutants = chosen(args, &run.mutants)?;
    let fates = held_against(&run, &log, &mutants)?;
    let explanation = audit::explanation(&loaded.folder);
    let by_id: HashMap<&str, &Explanation> = explanation.iter().map(|e| (e.id.as_str(), e)).collect();
    let tried: Vec<Tried<'_>> = mutants
        .iter()
        .zip(fates)
        .map(|(mutant, fate)| Tried { mutant, fate, explanation: by_id.get(mutant.id.as_str()).copied() })
        .collect();
    let stale = stale(&run, &tried, &explanation, words);
    if args.json {
        screen.json(&to_json(&run, &tried, &stale))?;
    } else {
        let report = Report { game: &loaded.model.name, run: &run, tried: &tried, stale: &stale, words };
        report.print(args.explained, screen)?;
    }
    Ok(Answer::from(!tried.iter().any(|t| t.survived() && t.explanation.is_none())))
}

fn bar(what: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template(&format!("{what}: {{pos}} of {{len}} {{wide_bar}} {{eta}}"));
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar
}

/// The mutants that are wanted.
fn chosen<'h>(args: &Args, all: &'h [Mutant]) -> Result<Vec<&'h Mutant>, Unusable> {
    let wanted = |m: &&Mutant| match &args.only {
        None => true,
        Some(text) => m.id.contains(text.as_str()) || m.cites.iter().any(|c| c.contains(text.as_str())),
    };
    let mut found: Vec<&Mutant> = all.iter().filter(wanted).collect();
    if let (true, Some(text)) = (found.is_empty(), &args.only) {
        let message = format!("no mutant has `{text}` in its name or citations");
        return Err(Unusable::new(message, "`--list` lists their names; a file (battle.law) or a label will do"));
    }
    if let Some(n) = args.sample {
        let mut dice = Dice::new(args.seed.fixed());
        for i in 0..n.min(found.len()) {
            let j = i + dice.below(found.len() - i);
            found.swap(i, j);
        }
        found.truncate(n);
        found.sort_by_key(|m| (&m.file, m.bytes.start, &m.id));
    }
    Ok(found)
}

/// What becomes of each: as the log says, or found out now.
fn held_against(run: &MutationRun, log: &MutationLog, mutants: &[&Mutant]) -> Result<Vec<Fate>, Stop> {
    let bar = bar("mutants");
    bar.set_length(mutants.len() as u64);
    let failed = AtomicBool::new(false);
    let one = |mutant: &&Mutant| {
        if let Some(fate) = run.known(log, mutant) {
            bar.inc(1);
            return fate.clone();
        }
        let fate = run.hold(mutant);
        if log.add(&mutant.id, &fate).is_err() {
            failed.store(true, Ordering::Relaxed);
        }
        bar.inc(1);
        fate
    };
    let fates = mutants.par_iter().map(one).collect();
    bar.finish_and_clear();
    if failed.load(Ordering::Relaxed) {
        let message = "what was found out could not be written down";
        return Err(Unusable::new(message, "choose another place with --state FILE, or --no-state").into());
    }
    Ok(fates)
}

/// Explanations of mutants that were caught, or that there are none of: the place, and what is wrong with it.
fn stale(run: &MutationRun, tried: &[Tried<'_>], explanation: &[Explanation], words: &Words) -> Vec<(String, String)> {
    let words = &words.mutants;
    let mut found = Vec::new();
    for explanation in explanation {
        if let Some(tried) = tried.iter().find(|t| t.mutant.id == explanation.id) {
            match &tried.fate {
                Fate::Survived { .. } => {}
                Fate::Refused(_) => found.push((explanation, words.stale_refused.to_owned())),
                Fate::Caught { by, .. } => found.push((explanation, fill(words.stale_caught, &[by]))),
            }
        } else if !run.mutants.iter().any(|m| m.id == explanation.id) {
            found.push((explanation, words.unknown.to_owned()));
        }
    }
    found.into_iter().map(|(e, why)| (format!("{}: {}", e.place, e.id), why)).collect()
}

fn list(args: &Args, mutants: &[&Mutant], folder: &library::Folder, words: &Words, screen: &mut Screen) -> Run {
    if args.json {
        let all: Vec<Json> = mutants.iter().map(|m| named(m, folder.text(&m.file).unwrap_or(""))).collect();
        screen.json(&json!({ "mutants": all }))?;
        return Ok(Answer::Yes);
    }
    for mutant in mutants {
        writeln!(screen, "{}", mutant.id)?;
    }
    for kind in Kind::ALL {
        let n = mutants.iter().filter(|m| m.kind == kind).count();
        if n > 0 {
            writeln!(screen, "{n:>6} {}", kind.word())?;
        }
    }
    writeln!(screen, "{}", words.counts.of(Counted::Mutants, mutants.len()))?;
    Ok(Answer::Yes)
}

/// The share of those caught among those that the checker lets pass, in percent.
fn share(caught: usize, passed: usize) -> f64 {
    if passed == 0 { 100.0 } else { 100.0 * caught as f64 / passed as f64 }
}

struct Counts {
    refused: usize,
    by_cases: usize,
    by_records: usize,
    explained: usize,
    unexplained: usize,
}

impl Counts {
    fn of(tried: &[Tried<'_>]) -> Counts {
        let count = |f: &dyn Fn(&Tried<'_>) -> bool| tried.iter().filter(|t| f(t)).count();
        Counts {
            refused: count(&|t| matches!(t.fate, Fate::Refused(_))),
            by_cases: count(&|t| matches!(t.fate, Fate::Caught { record: false, .. })),
            by_records: count(&|t| matches!(t.fate, Fate::Caught { record: true, .. })),
            explained: count(&|t| t.survived() && t.explanation.is_some()),
            unexplained: count(&|t| t.survived() && t.explanation.is_none()),
        }
    }

    fn caught(&self) -> usize {
        self.by_cases + self.by_records
    }

    fn share(&self) -> f64 {
        share(self.caught(), self.caught() + self.explained + self.unexplained)
    }
}

/// What is told of a run.
struct Report<'r> {
    game: &'r str,
    run: &'r MutationRun,
    tried: &'r [Tried<'r>],
    stale: &'r [(String, String)],
    words: &'static Words,
}

impl Report<'_> {
    fn print(&self, explained: bool, screen: &mut Screen) -> Result<(), Stop> {
        let (words, run) = (&self.words.mutants, self.run);
        let shown = self.tried.iter().filter(|t| t.survived() && (explained || t.explanation.is_none()));
        for t in shown {
            self.survivor(t, run.text(&t.mutant.file), screen)?;
        }
        for (name, why) in self.stale {
            writeln!(screen, "{} {name}\n    {why}", screen.styled(Style::Dim, words.stale))?;
        }
        let counts = Counts::of(self.tried);
        let cases = run.suite.iter().filter(|w| !w.is_record()).count();
        let of = |what, n| self.words.counts.of(what, n);
        let (cases, records) = (of(Counted::Cases, cases), of(Counted::Records, run.suite.len() - cases));
        let all = of(Counted::Mutants, self.tried.len());
        writeln!(screen, "{}", fill(words.total, &[self.game, &all, &cases, &records]))?;
        writeln!(screen, "{:>6} {}", counts.refused, words.refused)?;
        let (by_cases, by_records) = (counts.by_cases.to_string(), counts.by_records.to_string());
        let caught = fill(words.caught, &[&by_cases, &by_records, &format!("{:.1}", counts.share())]);
        writeln!(screen, "{:>6} {caught}", counts.caught())?;
        let survivors = counts.explained + counts.unexplained;
        let more = match (survivors, counts.unexplained) {
            (0, _) => String::new(),
            (_, 0) => words.all_explained.to_owned(),
            (_, n) => fill(words.unexplained, &[&n.to_string()]),
        };
        let style = if counts.unexplained == 0 { Style::Good } else { Style::Bad };
        writeln!(screen, "{survivors:>6} {}", screen.styled(style, &format!("{}{more}", words.survived)))?;
        if !run.left_out.is_empty() {
            writeln!(screen, "{}", fill(words.left_out, &[&run.left_out.join(self.words.comma)]))?;
        }
        if !run.failing.is_empty() {
            writeln!(screen, "{}", fill(self.words.register.failing, &[&run.failing.join(self.words.comma)]))?;
        }
        Ok(())
    }

    fn survivor(&self, t: &Tried<'_>, text: &str, screen: &mut Screen) -> Result<(), Stop> {
        let (m, words) = (t.mutant, &self.words.mutants);
        let cites = if m.cites.is_empty() { String::new() } else { format!("  [{}]", m.cites.join(", ")) };
        let place = screen.styled(Style::Bold, &format!("{}:{}", m.file, m.line(text)));
        let word = screen.styled(Style::Bad, words.survived);
        writeln!(screen, "{word} {place}  {}{cites}", m.owner)?;
        let (before, after) = m.diff(text);
        writeln!(screen, "    {}", screen.styled(Style::Bad, &format!("- {before}")))?;
        if !after.is_empty() {
            writeln!(screen, "    {}", screen.styled(Style::Good, &format!("+ {after}")))?;
        }
        writeln!(screen, "    {}", screen.styled(Style::Dim, &m.id))?;
        match (&t.explanation, &t.fate) {
            (Some(e), _) => writeln!(screen, "    {}", fill(words.explained, &[&e.place, &e.why]))?,
            (None, Fate::Survived { asked: 0, .. }) => writeln!(screen, "    {}", words.unreached)?,
            (None, Fate::Survived { asked, .. }) => {
                let asked = self.words.counts.of(Counted::Tests, *asked);
                writeln!(screen, "    {}", fill(words.reached, &[&asked]))?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// A mutant by its name, place and change.
fn named(m: &Mutant, text: &str) -> Json {
    let (before, after) = m.diff(text);
    json!({
        "id": m.id, "file": m.file, "line": m.line(text), "clause": m.owner, "kind": m.kind.word(), "cites": m.cites,
        "before": before, "after": after,
    })
}

fn to_json(run: &MutationRun, tried: &[Tried<'_>], stale: &[(String, String)]) -> Json {
    let mutant = |t: &Tried<'_>| {
        let mut found = named(t.mutant, run.text(&t.mutant.file));
        match &t.fate {
            Fate::Refused(why) => found["refused"] = json!(why),
            Fate::Caught { by, record, .. } => {
                found["caught"] = json!({ "by": by, "record": record });
            }
            Fate::Survived { asked, .. } => {
                found["survived"] = json!({ "asked": asked, "explained": t.explanation.map(|e| &e.why) });
            }
        }
        found
    };
    let counts = Counts::of(tried);
    json!({
        "ok": counts.unexplained == 0,
        "mutants": tried.iter().map(mutant).collect::<Vec<Json>>(),
        "refused": counts.refused,
        "caught": { "by_cases": counts.by_cases, "by_records": counts.by_records, "percent": counts.share() },
        "left_out": { "other_games": run.left_out, "failing_with_settings": run.failing },
        "survived": { "explained": counts.explained, "unexplained": counts.unexplained },
        "explained_for_nothing": stale
            .iter()
            .map(|(name, why)| json!({ "id": name, "why": why }))
            .collect::<Vec<Json>>(),
    })
}
