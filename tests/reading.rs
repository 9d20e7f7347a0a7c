//! Records are read in two ways, by patterns and by searching among all that can be said; both must come to the same.

use std::sync::Arc;

use lawspeaker::explain::Explainer;
use lawspeaker::game::{Choice, Evaluator, Position, Status};
use lawspeaker::lexicon::languages;
use lawspeaker::library::{self, Folder, Loaded};
use lawspeaker::model::{CodeId, Config};
use lawspeaker::notation::{self, Patterns, Unread};
use lawspeaker::players::{Dice, derived};
use lawspeaker::record::{self, Record, ReplayEnd, Replayer};
use lawspeaker::rules::Evaluators;
use lawspeaker::spelling::{bare, fold};
use lawspeaker::{facts, simulate};

use crate::common::files::root;

fn shipped() -> Vec<Loaded> {
    let games = library::shipped();
    games.iter().map(|name| library::open(name, &[]).unwrap_or_else(|e| panic!("{name}: {e}"))).collect()
}

fn small(name: &str) -> Loaded {
    let file = root().join("tests").join(name);
    let text = std::fs::read_to_string(file).expect("it is there");
    let folder = Folder { name: name.to_owned(), files: vec![("game.law".into(), text)], ..Folder::default() };
    library::load(folder, &[]).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Games whose notations are hard to read.
fn tricky() -> Vec<Loaded> {
    ["rules/wording.law", "rules/acts.law"].map(small).into()
}

fn varied(game: &Loaded, seed: u64) -> Config {
    let defaults = Config::defaults(&game.model);
    simulate::varied(&game.model, &defaults, seed)
}

/// Plays a game by chance and calls `look` at each position with the place where it stands and the options.
fn walk(e: &Explainer, seed: u64, mut look: impl FnMut(&Position, (CodeId, u16), &[Choice])) {
    let mut dice = Dice::new(seed);
    let Ok(mut position) = e.start() else {
        return;
    };
    for _ in 0..300 {
        let at = match e.status(&position) {
            Ok(Status::Decision(question)) => question.at,
            Ok(Status::Chance(at)) => at,
            _ => return,
        };
        let Ok(options) = e.options(&position) else {
            return;
        };
        look(&position, at, &options);
        let choice = options[dice.below(options.len())];
        if e.apply(&mut position, choice).is_err() {
            return;
        }
    }
}

/// Each text is searched for among all options, so the fewer are read the more there are: at most so many pairs.
const READ: usize = 200;

/// Of the options at every tenth position of a game, in every language; how many were asked for in the first, and how many
/// of them the patterns knew.
fn read_all(game: &Loaded, seed: u64) -> (usize, usize) {
    let e = Explainer::new(Arc::clone(&game.model), varied(game, seed));
    let patterns = Patterns::new(&game.model);
    let (mut asked, mut known, mut turn) = (0, 0, 0);
    walk(&e, seed, |position, at, options| {
        turn += 1;
        if turn % 10 != 1 {
            return;
        }
        for choice in options.iter().step_by((options.len() * options.len()).div_ceil(READ)) {
            for lang in languages(&game.model) {
                let text = e.say(position, *choice, &lang);
                let fast = patterns.option(&e, position, at, options, &text);
                let slow = notation::option(&e, position, options, &text);
                // What several options are called is left to whoever looks at all of them.
                let counts = lang.is_empty() && slow.is_ok();
                asked += usize::from(counts);
                known += usize::from(counts && fast.is_some());
                if let Some(fast) = fast {
                    assert_eq!(Ok(fast), slow, "{}, seed {seed}: \"{text}\"", game.folder.name);
                }
            }
        }
    });
    (asked, known)
}

#[test]
fn patterns_know_the_notations_of_the_shipped_games() {
    for game in shipped() {
        for i in 0..4 {
            let (asked, known) = read_all(&game, derived(3, i));
            assert_eq!(asked, known, "{}: so many texts are known by pattern", game.folder.name);
        }
    }
}

#[test]
fn patterns_are_never_wrong_about_notations_that_are_hard_to_read() {
    for game in tricky() {
        let counts = (0..40).map(|i| read_all(&game, derived(4, i)));
        let (asked, known) = counts.fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        assert!(2 * known > asked, "{}: {known} of {asked} are known by pattern", game.folder.name);
    }
}

/// Holds what is read of texts, as a referee or a seat writes them, against all that can be written at a position.
/// Returns how many texts were tried.
fn read_any(game: &Loaded, seed: u64) -> usize {
    let e = Explainer::new(Arc::clone(&game.model), varied(game, seed));
    let langs = languages(&game.model);
    let mut dice = Dice::new(seed);
    let mut tried = 0;
    let mut turn = 0;
    walk(&e, seed, |position, _, _| {
        turn += 1;
        if turn % 20 != 1 {
            return;
        }
        let all = e.candidates(position);
        if all.is_empty() || all.len() > 40_000 {
            return;
        }
        for _ in 0..4 {
            let choice = all[dice.below(all.len())];
            let lang = &langs[dice.below(langs.len())];
            let text = spoilt(&e.say(position, choice, lang), dice.below(8));
            if text.chars().all(|c| !c.is_alphanumeric()) {
                continue;
            }
            let alike = |same: &dyn Fn(&str) -> bool| -> Vec<Choice> {
                let written = |c: &&Choice| langs.iter().any(|lang| same(&e.say(position, **c, lang)));
                all.iter().filter(written).copied().collect()
            };
            let ways: [&dyn Fn(&str) -> bool; 3] =
                [&|said| said.trim() == text.trim(), &|said| fold(said) == fold(&text), &|said| {
                    bare(said) == bare(&text)
                }];
            let wanted = ways.iter().map(|way| alike(way)).find(|found| !found.is_empty()).unwrap_or_default();
            let what = format!("{}, seed {seed}: \"{text}\"", game.folder.name);
            match notation::read(&e, position, &text) {
                Ok(found) => assert!(wanted.contains(&found), "{what}: {found:?}"),
                Err(Unread::Ambiguous(..)) => assert!(wanted.len() > 1, "{what}"),
                Err(_) => assert_eq!(wanted, [], "{what}"),
            }
            tried += 1;
        }
    });
    tried
}

#[test]
fn what_is_not_an_option_is_found_without_writing_out_all() {
    let mut tried = 0;
    for game in shipped().into_iter().chain(tricky()) {
        tried += (0..3).map(|i| read_any(&game, derived(6, i))).sum::<usize>();
    }
    assert!(tried > 300, "{tried}");
}

#[test]
fn accents_may_be_left_out() {
    let game = small("words/lands.law");
    let e = Explainer::new(Arc::clone(&game.model), Config::defaults(&game.model));
    let start = e.start().unwrap();
    let read = |text: &str| notation::read(&e, &start, text).map(|c| e.say(&start, c, ""));
    for typed in ["to Rhûn", "to rhun", "TO RHÛN", "to Rhu\u{302}n"] {
        assert_eq!(read(typed).as_deref(), Ok("to Rhûn"), "{typed}");
    }
    assert_eq!(read("to Lorien").as_deref(), Ok("to Lórien"), "not an option here");
    // Not an accent: another letter.
    assert_eq!((read("to が").as_deref(), read("to か").as_deref()), (Ok("to が"), Ok("to か")));
    let scene = facts::Scene::parse("given lands\n  at: rhun\n  Ann to move").unwrap();
    let position = scene.position(&e).unwrap_or_else(|f| panic!("{f:?}"));
    assert_eq!(e.say(&position, e.options(&position).unwrap()[0], ""), "to Lórien");
}

/// The record of a random game.
fn recorded(game: &Loaded, config: &Config, seed: u64) -> Record {
    let engine = Evaluators::new(Arc::clone(&game.model), config.clone());
    let e = engine.explainer();
    let mut record = Record { rules: Some(record::rules_digest(&game.model, config)), ..Record::default() };
    record.settings.game.clone_from(&game.model.name);
    let Ok(mut position) = e.start() else {
        return record;
    };
    for ply in simulate::one(&engine, seed, 120).plies {
        record.plies.push(record::ply((&engine, e), &position, ply.choice));
        if e.apply(&mut position, ply.choice).is_err() {
            break;
        }
    }
    record
}

/// Plays a record in both ways; whether it held.
fn play_both(game: &Loaded, config: &Config, record: &Record, place: &str) -> bool {
    let engine = Evaluators::new(Arc::clone(&game.model), config.clone());
    let e = engine.explainer();
    let fast = Replayer::new(&game.model, config).replay(record, &engine, e);
    let slow = Replayer::searching(&game.model, config).replay(record, e, e);
    assert_eq!(fast, slow, "{}, {place}", game.folder.name);
    assert_eq!(fast.positions(&engine).count(), fast.plies.len());
    matches!(fast.end, ReplayEnd::Complete(_))
}

/// Ways to spoil a line, of which some leave it legal.
fn spoilt(text: &str, way: usize) -> String {
    match way {
        0 => text.to_uppercase(),
        1 => text.chars().skip(1).collect(),
        2 => format!("{text}s"),
        3 => text.replacen(' ', "  ", 1),
        4 => text.replace(|c: char| !c.is_alphanumeric(), "-"),
        5 => text.chars().rev().collect(),
        _ => String::from("!"),
    }
}

#[test]
fn records_play_alike_in_both_ways() {
    for game in shipped().into_iter().chain(tricky()) {
        let shipped = game.folder.name.ends_with(".law");
        for i in 0..if shipped { 8 } else { 3 } {
            let seed = derived(17, i);
            let config = varied(&game, seed);
            let whole = recorded(&game, &config, seed);
            let held = play_both(&game, &config, &whole, &format!("seed {seed}"));
            assert!(held || shipped, "{}, seed {seed}", game.folder.name);
            let mut dice = Dice::new(seed);
            for way in 0..9 {
                let mut record = whole.clone();
                let at = dice.below(record.plies.len());
                let other = dice.below(record.plies.len());
                let others = record.plies[other].clone();
                let ply = &mut record.plies[at];
                match way {
                    7 => ply.made.text = others.made.text,
                    8 => ply.made.who = if dice.below(2) == 0 { others.made.who } else { ply.made.who.to_uppercase() },
                    way => ply.made.text = spoilt(&ply.made.text, way),
                }
                play_both(&game, &config, &record, &format!("seed {seed}, ply {}, spoilt in way {way}", at + 1));
            }
        }
    }
}

#[test]
fn shipped_records_play_alike_in_both_ways() {
    let mut plies = 0;
    for game in shipped() {
        for (name, text) in game.folder.files.iter().filter(|(name, _)| name.ends_with(".record")) {
            let record = record::parse(text).unwrap_or_else(|f| panic!("{name}: {}", f[0]));
            let varied =
                library::load(game.folder.clone(), &record.settings.variants).unwrap_or_else(|e| panic!("{e}"));
            let config = facts::config_of(&varied.model, &record.settings).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(play_both(&varied, &config, &record, name), "{name}");
            plies += record.plies.len();
        }
    }
    assert!(plies > 500, "{plies}");
}
