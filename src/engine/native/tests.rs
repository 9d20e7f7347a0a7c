//! Machine code at positions of any bytes, between guard pages; and what happens when it cannot be made.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use cranelift_jit::{JITMemoryKind, JITMemoryProvider as _};

use super::guard::{Guard, Strike, guarding, striking};
use super::memory::Reserve;
use super::watched::end_parts;
use super::{Native, frames};
use crate::engine::{trouble, with_machine};
use crate::game::{Args, Choice, Evaluator as _, Length, Position};
use crate::library::{self, Folder, Loaded};
use crate::model::{ActionId, CodeId, Config, InstrKind};
use crate::players::{Dice, derived};
use crate::rules::Evaluators;

/// Positions that are tried of each game, on each side of the pages, unless the variable TRIED says how many.
const TRIED: u64 = 1_500;

fn engine(game: &Loaded) -> Evaluators {
    let config = Config::defaults(&game.model);
    Evaluators::new(Arc::clone(&game.model), config).as_trees()
}

/// All shipped games, and the small ones that try the constructs of the language.
fn games() -> Vec<Loaded> {
    let mut games: Vec<Loaded> = library::shipped().iter().filter_map(|name| library::open(name, &[]).ok()).collect();
    assert!(games.len() > 5, "the shipped games have no faults");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let mut files: Vec<_> = fs::read_dir(folder).expect("the tests are there").flatten().map(|e| e.path()).collect();
    files.sort();
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "law")) {
        let text = fs::read_to_string(file).expect("a text");
        let name = file.display().to_string();
        let folder = Folder { name, files: vec![("game.law".into(), text)], ..Folder::default() };
        games.extend(library::load(folder, &[]).ok());
    }
    games
}

/// Some positions that play comes to.
fn reached(engine: &Evaluators) -> Vec<Position> {
    let Ok(start) = engine.start() else {
        return Vec::new();
    };
    let mut all = vec![start.clone()];
    for seed in 0..6 {
        let (mut dice, mut position) = (Dice::new(derived(3, seed)), start.clone());
        for _ in 0..25 {
            let options = engine.options(&position).unwrap_or_default();
            let Some(choice) = options.get(dice.below(options.len())).copied() else {
                break;
            };
            if engine.apply(&mut position, choice).is_err() {
                break;
            }
            all.push(position.clone());
        }
    }
    all
}

/// The code and instruction of each place where something is asked.
fn asking(game: &Loaded) -> Vec<(usize, usize)> {
    let asks = |kind: &InstrKind| matches!(kind, InstrKind::Choose(_) | InstrKind::Chance(_));
    let codes = game.model.codes.iter().enumerate();
    codes
        .flat_map(|(c, code)| {
            code.instrs.iter().enumerate().filter(move |(_, i)| asks(&i.kind)).map(move |(pc, _)| (c, pc))
        })
        .collect()
}

/// A position of some bytes that play does not come to.
fn odd(
    game: &Loaded,
    native: (&crate::engine::program::Program, &Native),
    pool: &[Position],
    dice: &mut Dice,
) -> Position {
    let l = &game.model.layout;
    let mut position = pool[dice.below(pool.len())].clone();
    let bytes = position.bytes_mut();
    let n = bytes.len();
    let how = dice.below(6);
    match how {
        0 | 1 => bytes.iter_mut().for_each(|b| *b = dice.below(256) as u8),
        2 => bytes.iter_mut().for_each(|b| *b = [0, 1, 2, 64, 127, 128, 129, 254, 255][dice.below(9)]),
        _ => {
            for _ in 0..1 + dice.below(8) {
                bytes[dice.below(n)] = [0, 1, 63, 64, 127, 128, 254, 255, dice.below(256) as u8][dice.below(9)];
            }
        }
    }
    // Numbers that their variables can have, so that all else is looked at.
    if dice.below(8) > 0 {
        native.1.cells.bring_within(&mut bytes[..n.min(l.plain as usize)]);
    }
    if dice.below(8) > 0 {
        bytes[l.over as usize..l.over as usize + 2].fill(0);
    }
    match dice.below(4) {
        // As it came.
        0 => {}
        // Any codes, above each other.
        1 => {
            let asks = asking(game);
            let depth = 1 + dice.below(l.max_depth as usize + 2);
            bytes[l.depth as usize] = depth as u8;
            for d in 0..depth {
                let at = l.stack as usize + 4 * d;
                let (code, pc) = match d + 1 == depth {
                    true => asks[dice.below(asks.len())],
                    false => (dice.below(game.model.codes.len() + 1), dice.below(20)),
                };
                if let Some(frame) = bytes.get_mut(at..at + 4) {
                    frame.copy_from_slice(&[code as u8, (code >> 8) as u8, pc as u8, (pc >> 8) as u8]);
                }
            }
        }
        // A stack that play comes to, so that all else is looked at.
        _ => {
            let from = pool[dice.below(pool.len())].bytes();
            let frames = frames::part(native.0);
            bytes[frames.clone()].copy_from_slice(&from[frames]);
        }
    }
    position
}

/// A choice, of those there are or of any.
fn any_choice(game: &Loaded, options: &[Choice], dice: &mut Dice) -> Choice {
    if !options.is_empty() && dice.below(2) == 0 {
        return options[dice.below(options.len())];
    }
    let any = |dice: &mut Dice| [0, 1, 2, 3, 5, 63, 64, 127, 128, 255, 32_767, -1, -32_768][dice.below(13)];
    match dice.below(5) {
        0 => Choice::Value(any(dice)),
        1 => Choice::Yes,
        2 => Choice::Pass,
        _ => {
            let actions = game.model.actions.len().max(1);
            let id = ActionId(dice.below(actions) as u16);
            let n = game.model.actions.get(id.i()).map_or(0, |a| a.params.len());
            let args: Vec<i32> = (0..n).map(|_| any(dice)).collect();
            Choice::Act(id, Args::new(&args))
        }
    }
}

/// Tries positions of any bytes; returns for how many the code listed options, and how many choices it made. `None` if
/// there is no code.
fn tried(game: &Loaded, seeds: Range<u64>) -> Option<(usize, usize)> {
    let engine = engine(game);
    if !engine.compile() {
        return None;
    }
    let (program, native) = engine.engine().native()?;
    let pool = reached(&engine);
    if pool.is_empty() {
        return None;
    }
    let (mut listed, mut played) = (0, 0);
    for seed in seeds {
        let mut dice = Dice::new(derived(77, seed));
        let position = odd(game, (program, native), &pool, &mut dice);
        let mut options = Vec::new();
        with_machine(native, |m| {
            if native.list(program, m, &position).is_ok() {
                listed += 1;
                let _ = (m.seat(), m.count(), m.nth(dice.below(300)));
                if m.count() < 10_000 {
                    m.options(&mut options);
                }
            }
        });
        for i in 0..4 {
            let choice = any_choice(game, &options, &mut dice);
            let (mut on, mut advanced) = (position.clone(), position.clone());
            let done = with_machine(native, |m| native.apply(program, m, &mut on, (choice, true)));
            match done {
                Ok(()) => played += 1,
                Err(_) => assert_eq!(on, position, "left as it was"),
            }
            let also = with_machine(native, |m| native.apply(program, m, &mut advanced, (choice, false)));
            assert_eq!((also.is_ok(), &advanced), (done.is_ok(), &on), "made in a copy or not");
            let length = Length { plies: 12 * (i % 2), following: 8 * (i / 2) };
            let words = dice.bits();
            let play = |on: &mut Position, first: Option<&Choice>| {
                let (before, mut dice) = (on.clone(), Dice::new(words));
                let mut draws = |words: &mut [u64]| words.iter_mut().for_each(|w| *w = dice.bits());
                let played = with_machine(native, |m| native.playout(program, m, on, &mut draws, (first, length)));
                assert!(played.is_ok() || *on == before, "left as it was");
                played.ok()
            };
            let mut at_once = position.clone();
            let played_at_once = play(&mut at_once, Some(&choice));
            // From one that is gone on from, and from one that stays.
            let mut on = if i % 2 == 0 { advanced } else { on };
            let played_on = play(&mut on, None);
            if also.is_ok() && played_on.is_some() && played_at_once.is_some() {
                assert_eq!((played_at_once, at_once), (played_on, on), "a choice and what follows, at once or in turn");
            }
        }
    }
    Some((listed, played))
}

/// A read or write outside of a position, its copies, the tables or the list of options ends the test with a signal.
#[test]
fn whatever_the_bytes_are_the_code_stays_inside() {
    let tries = std::env::var("TRIED").ok().and_then(|n| n.parse().ok()).unwrap_or(TRIED);
    let (mut coded, mut crowds) = (0, 0);
    for game in games() {
        for (guard, seeds) in [(Guard::After, 0..tries), (Guard::Before, tries..2 * tries)] {
            let Some((listed, played)) = guarding(guard, || tried(&game, seeds)) else {
                continue;
            };
            coded += 1;
            let name = &game.folder.name;
            crowds += usize::from(name.ends_with("crowds.law"));
            println!("{name}: {tries} tried, {listed} listed, {played} choices made ({guard:?})");
            assert!(listed > 0 && played > 0, "{name}: all positions were refused");
        }
    }
    assert!(coded >= 30, "machine code of few games");
    assert_eq!(crowds, 2, "machine code of sets of hundreds");
}

/// A game of one file.
fn game_of(text: &str) -> Loaded {
    let folder = Folder { name: "one".into(), files: vec![("game.law".into(), text.into())], ..Folder::default() };
    library::load(folder, &[]).expect("it has no faults")
}

/// What is asked of each seat is told apart where that goes through sets, and not where it is short.
#[test]
fn endings_about_each_seat_are_told_apart() {
    let parts = |game: &Loaded| {
        let engine = engine(game);
        assert!(engine.compile());
        let (program, _) = engine.engine().native().expect("it is made");
        end_parts(program).len()
    };
    let shipped = |name: &str| library::open(name, &[]).expect("it has no faults");
    assert_eq!(parts(&shipped("hex")), 2);
    assert_eq!(parts(&shipped("tic-tac-toe")), 0);
    assert_eq!(parts(&game_of(include_str!("../../../tests/rules/ends.law"))), 5);
}

/// A small game whose codes begin each other.
fn chain() -> Loaded {
    game_of(include_str!("../../../tests/rules/chain.law"))
}

/// Codes that are begun at one place only give back to it without looking: where play never began them they would leave
/// the stack at its lower end.
#[test]
fn a_stack_that_play_never_comes_to_is_refused() {
    let game = chain();
    for guard in [Guard::After, Guard::Before] {
        guarding(guard, || {
            let engine = engine(&game);
            assert!(engine.compile());
            let (program, native) = engine.engine().native().expect("it is made");
            let start = engine.start().expect("it begins");
            let (asks, pc) = start.top(&game.model).expect("it asks");
            let mut bottom = Position::zero(&game.model);
            assert!(bottom.push(&game.model, asks));
            bottom.set_pc(&game.model, pc);
            let mut beyond = start.clone();
            beyond.set_pc(&game.model, u16::MAX);
            let mut uncounted = start.clone();
            let counts = frames::part(program).end;
            uncounted.bytes_mut()[counts - 1] ^= 1;
            let one = Choice::Value(1);
            for position in [bottom, beyond, uncounted] {
                with_machine(native, |m| {
                    let mut on = position.clone();
                    assert!(native.list(program, m, &on).is_err());
                    assert!(native.apply(program, m, &mut on, (one, true)).is_err());
                    assert!(native.apply(program, m, &mut on, (one, false)).is_err());
                    for first in [None, Some(&one)] {
                        let length = (first, Length::of(50));
                        assert!(native.playout(program, m, &mut on, &mut |words| words.fill(7), length).is_err());
                    }
                    assert_eq!(on, position);
                });
            }
            let mut on = start.clone();
            with_machine(native, |m| {
                assert!(native.list(program, m, &on).is_ok());
                assert!(native.apply(program, m, &mut on, (one, true)).is_ok());
                for first in [Some(&one), None] {
                    let length = (first, Length::of(50));
                    assert!(native.playout(program, m, &mut on, &mut |words| words.fill(7), length).is_ok());
                }
            });
        });
    }
}

/// Machine code takes it that each number is one that its variable can have.
#[test]
fn a_number_that_its_variable_cannot_have_is_refused() {
    let game = library::open("hex", &[]).expect("it has no faults");
    let engine = engine(&game);
    assert!(engine.compile());
    let (program, native) = engine.engine().native().expect("it is made");
    let start = engine.start().expect("it begins");
    let place = |name: &str| game.model.vars.iter().find(|v| v.name == name).expect("it is there").place.offset;
    let refused = |name: &str, byte: u8| {
        let mut position = start.clone();
        position.bytes_mut()[place(name) as usize] = byte;
        with_machine(native, |m| native.list(program, m, &position).is_err())
    };
    // A cell has one of two stones, or none; somebody is always to move.
    assert_eq!([0, 1, 2, 3, 255].map(|byte| refused("Cell.stone", byte)), [false, false, false, true, true]);
    assert_eq!([0, 1, 2, 3, 255].map(|byte| refused("active", byte)), [true, false, false, true, true]);
}

/// By its stamp a position is known without a look at its bytes.
#[test]
fn a_position_that_was_changed_has_no_stamp() {
    let game = chain();
    let engine = engine(&game);
    assert!(engine.compile());
    let mut position = engine.start().expect("it begins");
    engine.engine().advance(&mut position, Choice::Value(1)).expect("it is made");
    assert!(position.stamp().is_some());
    assert_eq!(position.clone().stamp(), position.stamp());
    let (code, pc) = position.top(&game.model).expect("it asks");
    let changes: [fn(&mut Position, &Loaded, CodeId, u16); 5] = [
        |p, _, _, _| p.bytes_mut()[0] ^= 1,
        |p, game, _, pc| p.set_pc(&game.model, pc + 1),
        |p, game, _, _| p.pop(&game.model),
        |p, game, _, _| p.end(&game.model, 0, 1),
        |p, game, code, _| _ = p.push(&game.model, code),
    ];
    for change in changes {
        let mut changed = position.clone();
        change(&mut changed, &game, code, pc);
        assert!(changed == position || changed.stamp().is_none());
    }
    let mut changed = position.clone();
    changed.pop(&game.model);
    assert_ne!(changed, position);
}

/// Lists lie where they should for that.
#[test]
fn guarded_lists_end_and_begin_at_pages() {
    let page = region::page::size();
    let after = guarding(Guard::After, || super::buffer::Buffer::<u8>::new(100));
    assert_eq!(after.as_ptr_range().end.addr() % page, 0);
    let before = guarding(Guard::Before, || super::buffer::Buffer::<u8>::new(100));
    assert_eq!(before.as_ptr().addr() % page, 0);
    let reads = |p: *const u8| region::query(p).is_ok_and(|r| r.is_readable());
    assert!(reads(before.as_ptr()) && !reads(before.as_ptr().wrapping_sub(1)));
    assert!(reads(after.as_ptr()) && !reads(after.as_ptr_range().end));
}

fn small() -> Loaded {
    library::open("classics/tic-tac-toe", &[]).expect("it is shipped")
}

#[test]
fn what_goes_wrong_leaves_the_trees_and_is_said() {
    let game = small();
    for strike in [Strike::Error, Strike::Panic] {
        let engine = engine(&game);
        assert_eq!(engine.trouble(), None);
        assert!(!striking(strike, || engine.compile()), "{strike:?}");
        assert_eq!(engine.trouble(), Some("struck"), "{strike:?}");
        assert_eq!(trouble(), Some("struck"));
        let mut position = engine.start().expect("it begins");
        while let Some(choice) = engine.options(&position).expect("options").first().copied() {
            engine.apply(&mut position, choice).expect("it is legal");
        }
        assert_eq!(engine.asked().0, 0, "trees go on");
    }
    let engine = engine(&game);
    assert!(engine.compile() && engine.trouble().is_none());
}

#[test]
fn memory_that_is_not_there_is_an_error() {
    let mut reserve = Reserve::new(Arc::new(AtomicUsize::new(usize::MAX / 4)));
    assert!(reserve.allocate(100, 16, JITMemoryKind::Executable).is_err());
}

/// Calls reach 2 GB at most.
#[test]
fn all_functions_lie_in_one_piece() {
    let engine = engine(&small());
    assert!(engine.compile());
    let (_, native) = engine.engine().native().expect("it is made");
    let run = (native.functions.run as *const u8).addr();
    let sites = native.functions.sites.iter().flatten().map(|s| (*s as *const u8).addr());
    assert!(sites.map(|s| s.abs_diff(run)).all(|d| d < 1 << 20));
}
