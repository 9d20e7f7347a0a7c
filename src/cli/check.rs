//! `check`: what is wrong with a game's rules.

use std::cell::RefCell;
use std::io::Write as _;

use lawspeaker::check::{Checked, Diagnostic, Memory, check_again, variants_again};
use lawspeaker::conflict;
use lawspeaker::lexicon::{Counted, Words, fill};
use lawspeaker::library::{self, Folder};
use lawspeaker::report;
use serde_json::{Value as Json, json};

use super::conflicts::{Conflicts, search};
use super::engine::{self, Played};
use super::flags::{RulesArgs, TriesArgs};
use super::opening;
use super::screen::{Screen, Style};
use super::{Answer, Run, Stop, watch};

/// Report every fault of a game's rules: conflicts, gaps, names, types, citations.
///
/// Without --variant, each variant of the game is checked as well.
///
/// With --conflicts, every pair of clauses that might clash is searched. For each pair the search shows that the two
/// never clash, or gives a position in which both apply and disagree, or says that it gave up.
///
/// With --engine, it is told what plays the game: machine code is made for that. What is left to a slower evaluator
/// follows, each place with the reason.
///
/// With --preset or --with, the search for conflicts takes the options and readings as they are set; otherwise it
/// looks at all of them.
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("tries", |a| a.requires("conflicts")),
    after_help = "Examples:\n  lawspeaker check confrontation\n  \
    lawspeaker check ./mygame --variant open --watch\n  \
    lawspeaker check ./mygame --conflicts --tries 200000"
)]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    /// `watch` is the same as --watch.
    #[arg(value_parser = ["watch"], hide = true)]
    mode: Option<String>,
    /// Search for positions in which unranked clauses conflict.
    #[arg(long)]
    conflicts: bool,
    #[command(flatten)]
    tries: TriesArgs,
    /// Tell what plays the game (machine code, trees or the explaining evaluator) and what is left to a slower one.
    #[arg(long)]
    engine: bool,
    /// Check again whenever a file changes, until interrupted.
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    rules: RulesArgs,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    if args.watch || args.mode.is_some() {
        let place = watch::place(&args.game)?;
        return watch::again(&[place], screen, &mut |screen| once(args, screen));
    }
    once(args, screen)
}

fn once(args: &Args, screen: &mut Screen) -> Run {
    let folder = library::find(&args.game)?;
    let files = folder.rules();
    let memory = RefCell::new(Memory::default());
    let looked = |variants: &[String]| {
        let mut checked = check_again(&mut memory.borrow_mut(), &files, variants);
        folder.locate(&mut checked);
        checked
    };
    let mut looks = vec![Look::new(folder.name.clone(), looked(args.rules.variants()))];
    if let Some(variant) = &looks[0].checked.unknown_variant {
        return Err(super::no_variant(&folder.name, variant).into());
    }
    if args.rules.variants().is_empty() && looks[0].checked.model.is_some() {
        let names = variants_again(&mut memory.borrow_mut(), &files);
        let words = Words::of(args.rules.lang());
        looks.extend(names.into_iter().map(|variant| {
            let checked = looked(std::slice::from_ref(&variant));
            let title = fill(words.pairs.with_variant, &[&folder.name, &variant]);
            Look { variant: Some(variant), ..Look::new(title, checked) }
        }));
    }
    for look in &mut looks {
        let Some(model) = &look.checked.model else { continue };
        let config = match args.rules.config(model) {
            // A variant that was not asked for may take an option away.
            Err(_) if look.variant.is_some() => None,
            config => config?,
        };
        look.played = args.engine.then(|| engine::played(model, config.clone()));
        opening::look(&mut look.checked, config.as_ref());
        if args.conflicts {
            look.conflicts = search(&mut look.checked, config, args.tries.tries, args.rules.lang());
        }
    }
    own_faults(&mut looks);
    let ok = looks.iter().all(|l| l.checked.model.is_some() && report::count(&l.checked.diagnostics).0 == 0);
    if args.json {
        screen.json(&to_json(&folder, &looks, ok))?;
    } else {
        for look in &looks {
            print(&folder, look, Words::of(args.rules.lang()), screen)?;
        }
    }
    Ok(Answer::from(ok))
}

/// A game looked over, with variants or without.
struct Look {
    title: String,
    /// The variant that is tried besides.
    variant: Option<String>,
    checked: Checked,
    conflicts: Option<Conflicts>,
    /// What plays it.
    played: Option<Played>,
}

impl Look {
    fn new(title: String, checked: Checked) -> Look {
        Look { title, variant: None, checked, conflicts: None, played: None }
    }
}

/// Leaves of the variants the faults that are their own.
fn own_faults(looks: &mut [Look]) {
    let Some((base, varied)) = looks.split_first_mut() else { return };
    let found = |d: &Diagnostic| base.checked.diagnostics.contains(d);
    let said = |d: &Diagnostic| base.checked.diagnostics.iter().any(|b| b.code == d.code && b.message == d.message);
    for look in varied {
        look.checked.diagnostics.retain(|d| if d.code == conflict::CODE { !found(d) } else { !said(d) });
    }
}

fn to_json(folder: &Folder, looks: &[Look], ok: bool) -> Json {
    let one = |look: &Look| {
        let mut one = serde_json::Map::new();
        one.insert("diagnostics".into(), report::json(&look.checked.diagnostics, &look.checked.sources));
        if let Some(conflicts) = &look.conflicts {
            one.insert("pairs".into(), conflicts.json());
        }
        if let Some(played) = &look.played {
            one.insert("engine".into(), played.json());
        }
        one
    };
    let (base, varied) = looks.split_first().map_or((None, looks), |(base, varied)| (Some(base), varied));
    let mut json = base.map(one).unwrap_or_default();
    let variants = varied.iter().map(|look| {
        let mut json = one(look);
        json.insert("variant".into(), json!(look.variant));
        Json::Object(json)
    });
    let variants: Vec<Json> = variants.collect();
    json.insert("game".into(), json!(folder.name));
    json.insert("ok".into(), json!(ok));
    json.insert("errors".into(), json!(base.map_or(0, |b| report::count(&b.checked.diagnostics).0)));
    json.insert("files".into(), json!(folder.law_files()));
    json.insert("clauses".into(), json!(base.and_then(|b| clauses(&b.checked))));
    json.insert("variants".into(), json!(variants));
    Json::Object(json)
}

fn print(folder: &Folder, look: &Look, words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    let checked = &look.checked;
    screen.faults(&checked.diagnostics, &checked.sources)?;
    let (errors, warnings) = report::count(&checked.diagnostics);
    let style = if errors == 0 { Style::Good } else { Style::Bad };
    let some = |(what, n): (Counted, usize)| (n > 0).then(|| words.counts.of(what, n));
    let faults: Vec<String> =
        [(Counted::Errors, errors), (Counted::Warnings, warnings)].into_iter().filter_map(some).collect();
    let faults = if faults.is_empty() { words.pairs.no_faults.to_owned() } else { faults.join(words.comma) };
    let mut counted = vec![words.counts.of(Counted::Files, folder.law_files())];
    counted.extend(clauses(checked).map(|n| words.counts.of(Counted::Clauses, n)));
    counted.push(screen.styled(style, &faults));
    writeln!(screen, "{}{}{}", look.title, words.colon, counted.join(words.comma))?;
    if let Some(played) = &look.played {
        played.print(words, screen)?;
    }
    match &look.conflicts {
        Some(conflicts) => conflicts.print(screen),
        None => Ok(()),
    }
}

fn clauses(checked: &Checked) -> Option<usize> {
    checked.model.as_ref().map(|m| m.clauses.iter().filter(|c| c.first.is_none()).count())
}
