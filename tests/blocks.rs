//! What a block names is gone when the block is left, in every position in which play rests.

use std::sync::Arc;

use lawspeaker::explain::Explainer;
use lawspeaker::game::{Evaluator, Position, SeenValue, SeenVariable};
use lawspeaker::library::{self, Folder, Loaded};
use lawspeaker::model::{ChooseWhat, Code, Config, Instr, InstrKind, Model, Set, Value, VarId};
use lawspeaker::notation;
use lawspeaker::players::{Dice, derived};
use lawspeaker::rules::Evaluators;
use lawspeaker::simulate;

use crate::common::files::root;

fn rules(text: &str) -> Loaded {
    let folder = Folder { files: vec![("game.law".into(), text.into())], ..Folder::default() };
    library::load(folder, &[]).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

fn defaults(model: &Model) -> Config {
    Config::defaults(model)
}

/// The explaining evaluator, trees and machine code of a game.
fn evaluators(game: &Loaded, config: &Config) -> Vec<Box<dyn Evaluator>> {
    let engine = || Evaluators::new(Arc::clone(&game.model), config.clone()).as_trees();
    let code = engine();
    assert!(code.compile() || code.asked().1 || !cfg!(feature = "jit"), "no machine code");
    vec![Box::new(Explainer::new(Arc::clone(&game.model), config.clone())), Box::new(engine()), Box::new(code)]
}

/// Where a name means something: of `for` and of an optional choice the statement, of what the checker itself keeps too, of others to the end of the
/// braces around it; nothing: as long as its procedure.
fn scope(model: &Model, code: &Code, id: VarId) -> Option<(u32, u32)> {
    let var = &model.vars[id.i()];
    let whole = |i: &&Instr| match &i.kind {
        InstrKind::Next { into, .. } => *into == id,
        InstrKind::Choose(c) => {
            c.optional
                && !c.secret
                && matches!(&c.what, ChooseWhat::One { into, .. } | ChooseWhat::Number { into, .. } if *into == id)
        }
        _ => false,
    };
    if let Some(instr) = code.instrs.iter().find(whole) {
        return Some((instr.span.start, instr.span.end));
    }
    if var.name.contains("._") {
        return Some((var.span.start, var.span.end));
    }
    let text = &model.sources.files[var.span.file as usize].text;
    let before = text[..var.span.start as usize].trim_end();
    if before.ends_with("var") {
        return None;
    }
    // What is chosen secretly is known behind that block too.
    let secret = |i: &Instr| match &i.kind {
        InstrKind::Choose(c) if c.secret => match &c.what {
            ChooseWhat::One { into, .. } | ChooseWhat::Number { into, .. } | ChooseWhat::Several { into, .. } => {
                *into == id
            }
            _ => false,
        },
        _ => false,
    };
    let mut depth = if code.instrs.iter().any(secret) { 2 } else { 1 };
    // What `for ... chosen by` names belongs to the braces that follow.
    if before.ends_with("for") {
        return code.instrs.iter().find_map(|i| match &i.kind {
            InstrKind::Choose(c) if matches!(c.what, ChooseWhat::One { into, .. } if into == id) => {
                Some((i.span.start, i.span.end))
            }
            _ => None,
        });
    }
    let end = text[var.span.end as usize..].char_indices().find(|(_, c)| {
        depth += i32::from(*c == '{') - i32::from(*c == '}');
        depth == 0
    })?;
    let end = var.span.end + end.0 as u32 + 1;
    (end != code.span.end).then_some((var.span.start, end))
}

/// Holds every variable against where its code is.
fn nothing_is_left_behind(game: &Loaded, position: &Position, place: &str) {
    let model = &game.model;
    let depth = position.depth(model);
    for at in 0..depth {
        let (code, pc) = position.frame(model, at);
        if (at + 1..depth).any(|d| position.frame(model, d).0 == code) {
            continue;
        }
        let c = &model.codes[code.i()];
        // A caller is past its call already.
        let instr = &c.instrs[usize::from(pc) - usize::from(at + 1 < depth)];
        for id in c.vars.iter().filter(|v| !c.params.contains(v)) {
            let var = &model.vars[id.i()];
            let Some((from, to)) = scope(model, c, *id) else { continue };
            let several = matches!(&instr.kind, InstrKind::Choose(c) if matches!(c.what, ChooseWhat::Several { into, .. } if into == *id));
            if several || from <= instr.span.start && instr.span.end <= to {
                continue;
            }
            let value = position.read(model, *id, 0);
            let empty = match &value {
                Value::None => true,
                Value::Bag(counts) => counts.iter().all(|n| *n == 0),
                value => *value == Value::Set(Set::new()),
            };
            assert!(empty, "{place}: {} is {value:?} at {:?} of {}", var.name, instr.span, c.name);
        }
    }
}

fn play(game: &Loaded, seed: u64, plies: u32) {
    let config = simulate::varied(&game.model, &defaults(&game.model), seed);
    let e = Explainer::new(Arc::clone(&game.model), config);
    let mut dice = Dice::new(seed);
    let Ok(mut position) = e.start() else { return };
    for ply in 0..plies {
        nothing_is_left_behind(game, &position, &format!("{}, seed {seed}, ply {ply}", game.folder.name));
        let Ok(options) = e.options(&position) else { return };
        if options.is_empty() || e.apply(&mut position, options[dice.below(options.len())]).is_err() {
            return;
        }
    }
}

#[test]
fn names_end_with_their_blocks() {
    let many = rules(include_str!("rules/blocks.law"));
    (0..60).for_each(|i| play(&many, derived(20, i), 200));
    let folder = root().join("tests/rules");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "law") {
            let text = std::fs::read_to_string(&path).unwrap();
            let folder = Folder { name: path.display().to_string(), ..Folder::default() };
            let folder = Folder { files: vec![("game.law".into(), text)], ..folder };
            let game = library::load(folder, &[]).ok();
            (0..3).for_each(|i| game.iter().for_each(|g| play(g, derived(21, i), 40)));
        }
    }
    for name in library::shipped() {
        let game = library::open(&name, &[]).unwrap();
        (0..2).for_each(|i| play(&game, derived(22, i), 60));
    }
}

#[test]
fn a_card_that_was_dealt_is_seen_by_its_owner_alone() {
    let game = rules(
        "game deal \"Deal\"\nplayers A, B\nkind Card members Ace, King, Queen\npile hand[p: Player] of Card\n\
         seen hand[q] by p when q is p\naction rest() by A log \"rest\" { }\nmay rest \"r\"\n\
         procedure play {\n  step deal { pick c at random from Card  put c into hand[B] }\n  \
         step turns { while true { A chooses an action among rest } }\n}\n",
    );
    let e = Explainer::new(Arc::clone(&game.model), defaults(&game.model));
    for fast in evaluators(&game, e.config()) {
        let views = ["Ace", "King", "Queen"].map(|card| {
            let mut position = fast.start().unwrap();
            let choice = notation::read(&e, &position, card).unwrap();
            fast.apply(&mut position, choice).unwrap();
            e.view(&position, 0)
        });
        assert_eq!(views[0], views[1]);
        assert_eq!(views[1], views[2]);
        let name = |v: &SeenVariable| e.model().vars[v.var.i()].name.as_str();
        let open = |v: &SeenVariable| name(v) == "play.c" && v.value != SeenValue::Nothing;
        assert!(!views[0].variables.iter().any(open), "{:?}", views[0].variables);
    }
}

#[test]
fn two_ways_to_one_position_are_one() {
    // What was chosen in a loop, a branch, a block left by `finish` and an optional choice.
    for block in [
        "for x in Card chosen by A { n += 1 }",
        "A may choose x from Card log \"{x}\" else \"none\" { n += 0 }",
        "A may \"yes\" else \"no\" { n += 0 }",
        "when n is 0 { A chooses x from Card  let y = x }",
        "while n < 2 { A chooses x from Card  n += 1 }",
        "give()",
        "A chooses an action among take_one",
        "for x in { Ace } { A chooses y from Card  n += 1 }",
        "A may choose 0..2 xs from Card { n := 0 }",
    ] {
        let game = rules(&format!(
            "game two \"Two\"\nplayers A, B\nkind Card members Ace, King\nvar n: 0..99 = 0\n\
             procedure give {{\n  step ask {{ A chooses x from Card  when x is Ace {{ finish give }}  let y = x }}\n  \
             finally {{ B may \"so\" else \"not\" {{ n += 0 }} }}\n}}\n\
             action take_one() by A log \"take\" {{ when n is 0 {{ A chooses x from Card }}  B may \"so\" else \"not\" {{ n += 0 }} }}\nmay take_one \"t\"\n\
             action rest() by A log \"rest\" {{ }}\nmay rest \"r\"\n\
             procedure play {{ step turns {{\n  {block}\n  while true {{ A chooses an action among rest }}\n}} }}\n"
        ));
        let config = defaults(&game.model);
        for fast in evaluators(&game, &config) {
            let mut ends: Vec<Position> = Vec::new();
            for seed in 0..12 {
                let mut dice = Dice::new(derived(5, seed));
                let mut position = fast.start().unwrap();
                for _ in 0..12 {
                    let options = fast.options(&position).unwrap();
                    fast.apply(&mut position, options[dice.below(options.len())]).unwrap();
                }
                let at = position.frame(&game.model, position.depth(&game.model) - 1);
                assert_eq!(at.0, game.model.play, "{block}");
                ends.push(position);
            }
            assert!(ends.windows(2).all(|w| w[0] == w[1]), "{block}");
        }
    }
}
