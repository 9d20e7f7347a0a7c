//! Three evaluators of a game in step: explaining, trees, machine code.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use lawspeaker::check::{Severity, check};
use lawspeaker::engine::{EngineNote, Fallback, LeftOver};
use lawspeaker::explain::Explainer;
use lawspeaker::game::{Choice, Evaluator, Fault, FaultKind, Position, Status};
use lawspeaker::model::{Config, Layer, Model};
use lawspeaker::players::{Dice, derived};
use lawspeaker::rules::Evaluators;
use lawspeaker::simulate::{self, Finish};

use super::Game;

/// Options beyond this many are too many to explain often.
const CROWD: usize = 400;

/// What came of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tried {
    /// The checker refuses it: the codes of its errors, with words.
    Refused(Vec<String>),
    /// Played alike.
    Alike(Walk),
    /// The first difference.
    Different(String),
}

/// How much was played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    pub plies: u64,
    /// Games that had machine code.
    pub code: u64,
    /// Games that a fault of the rules stopped.
    pub faults: u64,
}

/// The rules of a game, or the errors that the checker found.
pub fn load(game: &Game) -> Result<Arc<Model>, Vec<String>> {
    let checked = check(&game.files, &game.variants);
    let errors = checked.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let told: Vec<String> = errors
        .map(|d| {
            let (file, line, column) = d.labels.first().map_or(("", 0, 0), |l| checked.sources.place(l.0));
            let label = d.labels.first().map_or("", |l| l.1.as_str());
            format!("{} {} ({label}) at {file}:{line}:{column}", d.code, d.message)
        })
        .collect();
    match checked.model {
        Some(model) if told.is_empty() => Ok(Arc::new(model)),
        _ => Err(told),
    }
}

/// Checks a game and plays it by all evaluators; a panic is a difference.
pub fn try_game(game: &Game, seed: u64, games: u64, most: usize) -> Tried {
    let tried = catch_unwind(AssertUnwindSafe(|| {
        let model = match load(game) {
            Ok(model) => model,
            Err(told) => return Tried::Refused(told),
        };
        let mut walk = Walk::default();
        for i in 0..games {
            if let Err(difference) = play(&model, derived(seed, i), most, &mut walk) {
                return Tried::Different(difference);
            }
        }
        Tried::Alike(walk)
    }));
    tried.unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().cloned();
        let said = said.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        Tried::Different(format!("panic: {}", said.unwrap_or_default()))
    })
}

/// An engine and what it is called.
type Named<'a> = (&'static str, &'a Evaluators);

fn same<T: PartialEq + Debug>(what: &str, how: &str, ply: usize, a: &T, b: &T) -> Result<(), String> {
    match a == b {
        true => Ok(()),
        false => Err(format!("{what} at ply {ply}:\n  explain: {a:?}\n  {how}: {b:?}")),
    }
}

fn play(model: &Arc<Model>, seed: u64, most: usize, walk: &mut Walk) -> Result<(), String> {
    let defaults = Config::defaults(model);
    let config = simulate::varied(model, &defaults, seed);
    let explainer = Explainer::new(Arc::clone(model), config.clone());
    let trees = Evaluators::new(Arc::clone(model), config.clone()).as_trees();
    let code = Evaluators::new(Arc::clone(model), config).as_trees();
    let mut engines: Vec<Named> = vec![("trees", &trees)];
    let faults = walk.faults;
    if code.compile() {
        engines.push(("machine code", &code));
        walk.code += 1;
    } else if cfg!(feature = "jit") {
        may_lack_code(&code)?;
    }
    let over = by_plies(&explainer, &engines, seed, most, walk).map_err(|e| format!("seed {seed}: {e}"))?;
    if walk.faults == faults {
        // Where a conflict leaves open whether an action is legal, the decision stands, and the game may end before it.
        let conflicts = model.defs.iter().any(|def| def.layer(Layer::Instead).len() > 1);
        let most = u64::from(over && conflicts);
        engines.iter().try_for_each(|named| is_not_asked(*named, most))?;
    }
    let other = derived(seed, 1);
    let played = simulate::one(&explainer, other, most);
    if matches!(&played.finish, Finish::Fault(fault) if fault.kind == FaultKind::TooLong) {
        return Ok(());
    }
    for (how, engine) in engines {
        let Ok(mut table) = simulate::Playouts::new(engine, None) else {
            continue;
        };
        let went = table.outcome(other, most);
        let told = (played.finish.clone(), played.plies.len());
        same("a game in one go", how, went.1, &told, &went).map_err(|e| format!("seed {other}: {e}"))?;
    }
    Ok(())
}

/// What may keep rules, or a part of them, from the compiled evaluator: they are too large.
const TOO_LARGE: [Fallback; 4] = [Fallback::LargeSet, Fallback::TooLarge, Fallback::TooDeep, Fallback::TooMuchWork];

/// Nothing else keeps rules from machine code.
fn may_lack_code(code: &Evaluators) -> Result<(), String> {
    let notes = code.notes();
    let whole = |n: &&EngineNote| matches!(n.what, LeftOver::Game | LeftOver::MachineCode);
    match (code.trouble(), notes.iter().find(whole)) {
        (None, Some(note)) if TOO_LARGE.contains(&note.why) => Ok(()),
        (trouble, _) => Err(format!("no machine code: {trouble:?} {notes:?}")),
    }
}

/// Where the rules do not fail, the explaining evaluator is not asked more often than this.
fn is_not_asked((how, engine): Named, most: u64) -> Result<(), String> {
    let ((asked, _), notes) = (engine.asked(), engine.notes());
    if asked > most && !notes.iter().any(|n| TOO_LARGE.contains(&n.why)) {
        return Err(format!("{how}: the explaining evaluator was asked {asked} times\n{notes:?}"));
    }
    Ok(())
}

/// Whether the explaining evaluator gives up. The compiled one needs fewer steps and may find what it is.
fn given_up<T>(found: &Result<T, Fault>) -> bool {
    matches!(found, Err(fault) if fault.kind == FaultKind::TooLong)
}

/// A game choice by choice; whether it came to an end.
fn by_plies(e: &Explainer, engines: &[Named], seed: u64, most: usize, walk: &mut Walk) -> Result<bool, String> {
    let mut dice = Dice::new(seed);
    let started = e.start();
    if given_up(&started) {
        return Ok(false);
    }
    for (how, engine) in engines {
        same("the start", how, 0, &started, &engine.start())?;
    }
    let Ok(mut position) = started else {
        walk.faults += 1;
        return Ok(false);
    };
    for ply in 0..=most {
        let status = e.status(&position);
        let options = e.options(&position);
        if given_up(&status) || given_up(&options) {
            return Ok(false);
        }
        for named in engines {
            at_rest(*named, ply, &position, (&status, &options), &mut dice.clone())?;
        }
        for seat in 0..2 {
            let worth = e.worth(&position, seat);
            for (how, engine) in engines.iter().filter(|_| !given_up(&worth)) {
                same("the worth", how, ply, &worth, &engine.worth(&position, seat))?;
            }
        }
        if !matches!(status, Ok(Status::Decision(_) | Status::Chance(_))) {
            walk.faults += u64::from(status.is_err());
            return Ok(status.is_ok());
        }
        walk.faults += u64::from(options.is_err());
        let options = options.unwrap_or_default();
        let Some(choice) = options.get(dice.below(options.len())).copied() else {
            return Ok(false);
        };
        if ply == most || options.len() > CROWD && ply > 2 {
            return Ok(false);
        }
        let before = position.clone();
        let done = e.apply(&mut position, choice);
        if given_up(&done) {
            return Ok(false);
        }
        for (how, engine) in engines {
            let mut other = before.clone();
            same(&format!("after {choice:?}"), how, ply, &done, &engine.apply(&mut other, choice))?;
            if done.is_ok() {
                bytes_alike(e, how, ply, choice, &position, &other)?;
            }
        }
        if done.is_err() {
            walk.faults += 1;
            return Ok(false);
        }
        walk.plies += 1;
    }
    Ok(false)
}

/// What is asked at a position, and what can be chosen.
fn at_rest(
    (how, engine): Named,
    ply: usize,
    position: &Position,
    (status, options): (&Result<Status, Fault>, &Result<Vec<Choice>, Fault>),
    dice: &mut Dice,
) -> Result<(), String> {
    same("the status", how, ply, status, &engine.status(position))?;
    same("the options", how, ply, options, &engine.options(position))?;
    let Ok(options) = options else {
        return Ok(());
    };
    same("the count", how, ply, &Ok(options.len()), &engine.count(position))?;
    for n in [0, dice.below(options.len().max(1)), options.len().saturating_sub(1), options.len()] {
        same("the nth", how, ply, &Ok(options.get(n).copied()), &engine.nth(position, n))?;
    }
    Ok(())
}

fn bytes_alike(e: &Explainer, how: &str, ply: usize, choice: Choice, a: &Position, b: &Position) -> Result<(), String> {
    if a.bytes() == b.bytes() {
        return Ok(());
    }
    let model = e.model();
    let mut told = format!("the position after {choice:?} at ply {ply}:");
    for (i, var) in model.vars.iter().enumerate() {
        for entry in 0..var.place.count as usize {
            let id = lawspeaker::model::VarId(i as u16);
            let (x, y) = (a.read(model, id, entry), b.read(model, id, entry));
            if x != y {
                told += &format!("\n  {}[{entry}]: explain {x:?}, {how} {y:?}", var.name);
            }
        }
    }
    Err(told)
}
