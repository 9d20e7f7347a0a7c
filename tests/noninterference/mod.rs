//! What a seat is told depends on what it sees, and on nothing else.
//!
//! Pairs of positions that a seat cannot tell apart are drawn in every game with hidden things: unseen things are
//! exchanged, hidden numbers are others. All that the commands say to that seat must be the same at both: views, maps
//! and pictures, options, readings of lines and of misspelt lines, suggestions and errors, rulings in every form on
//! its own and on others' decisions, and what it is told of what was chosen.
#![allow(missing_docs)]

mod alike;
mod asks;
#[cfg(feature = "cli")]
mod program;
mod told;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::common::files::root;
use alike::{Alike, another, renamed_choice};
use asks::{Asks, Much, a_value, lines};
use lawspeaker::explain::Explainer;
use lawspeaker::game::{Choice, Evaluator as _, Position, Status, Told};
use lawspeaker::library::{self, Folder, Loaded};
use lawspeaker::model::{Base, Config, KindId, Value, VarId};
use lawspeaker::players::{Dice, derived};
use rayon::prelude::*;

/// Pairs drawn in one go, from one seed.
const CHUNK: usize = 10;

/// Values that are asked for at a pair.
const VALUES: usize = 24;

/// Plies that are followed after a pair.
const FOLLOWED: usize = 4;

fn load(file: &str) -> Loaded {
    let text = std::fs::read_to_string(root().join("tests").join(file)).expect("the test's game");
    let name = Path::new(file).file_stem().and_then(|s| s.to_str()).expect("a name").to_owned();
    let folder = Folder { name, files: vec![("game.law".into(), text)], ..Folder::default() };
    library::load(folder, &[]).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// All games with something hidden: the shipped ones, and small ones for each way of hiding.
fn games() -> Vec<Loaded> {
    let shipped =
        library::shipped().into_iter().map(|name| library::open(&name, &[]).expect("a shipped game is sound"));
    let hides = |game: &Loaded| !game.model.seen.is_empty() || !game.model.secrets.is_empty();
    let mut found: Vec<Loaded> = shipped.filter(hides).collect();
    assert!(found.len() >= 2, "the shipped games with hidden things");
    let own = ["numbers", "hands", "bids", "scouts", "council"].map(|name| format!("noninterference/{name}.law"));
    let others = ["drawing", "shots", "bags", "secrets"].map(|name| format!("rules/{name}.law"));
    found.extend(own.iter().chain(&others).map(|file| load(file)));
    found
}

/// Whether the game's notations name nothing that the view does not show afterwards, so that what is told can be held
/// against the views alone.
fn leaves_traces(name: &str) -> bool {
    ["numbers", "hands", "bids", "scouts"].contains(&name)
}

/// Options and readings drawn by chance, small numbers too: of players, for example.
fn drawn_config(game: &Loaded, dice: &mut Dice) -> Config {
    let mut config = Config::defaults(&game.model);
    for (i, (value, item)) in config.0.iter_mut().zip(&game.model.config).enumerate() {
        // Rules are loaded for so many seats.
        let fixed = game.model.seating.is_some_and(|s| s.option.i() == i);
        match item.ty.base {
            _ if item.is_reading() => *value = dice.below(item.choices.len()) as i32,
            Base::Bool => *value = dice.below(2) as i32,
            Base::Range(lo, hi) if hi - lo < 8 && !fixed => *value = lo + dice.below((hi - lo) as usize + 1) as i32,
            _ => {}
        }
    }
    config
}

#[derive(Clone, Debug, Default)]
struct Tally {
    pairs: usize,
    /// With other numbers.
    numbers: usize,
    /// Where the seat decides.
    own: usize,
    lines: usize,
    rulings: usize,
    told: usize,
    outcomes: usize,
    texts: usize,
    differences: Vec<String>,
}

impl Tally {
    fn add(mut self, other: Tally) -> Tally {
        self.pairs += other.pairs;
        self.numbers += other.numbers;
        self.own += other.own;
        self.lines += other.lines;
        self.rulings += other.rulings;
        self.told += other.told;
        self.outcomes += other.outcomes;
        self.texts += other.texts;
        self.differences.extend(other.differences);
        self
    }

    fn same<T: PartialEq + fmt::Debug>(&mut self, what: &dyn Fn() -> String, one: &[T], two: &[T]) {
        self.texts += one.len();
        if one != two && self.differences.len() < 5 {
            let apart = one.iter().zip(two).find(|(a, b)| a != b);
            self.differences.push(format!("{}:\n  {apart:#?}", what()));
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { pairs, numbers, own, lines, rulings, told, outcomes, texts, differences } = self;
        write!(
            f,
            "{pairs} pairs ({numbers} with other numbers, {own} at own decisions), {lines} lines, {rulings} rulings, {told} choices told, {outcomes} outcomes, {texts} texts \
             compared, {} differences",
            differences.len()
        )
    }
}

/// Everything that is said at a pair.
fn compare(asks: Asks, one: &Position, two: &Position, dice: &mut Dice, tally: &mut Tally) {
    let rules = asks.rules;
    let seat = asks.seat;
    tally.same(&|| format!("what seat {seat} sees"), &asks.looks(one), &asks.looks(two));
    tally.same(&|| format!("the options of seat {seat}"), &[asks.options(one)], &[asks.options(two)]);
    for line in lines(rules, [one, two], seat, 1, dice) {
        let much = Much::drawn(dice);
        let what = || format!("the line {line:?} of seat {seat}, {much:?}");
        tally.same(&what, &asks.line(one, &line, much), &asks.line(two, &line, much));
        tally.lines += 1;
    }
    let model = rules.model();
    for _ in 0..VALUES {
        let Some(expr) = a_value(model, dice) else { continue };
        let what = || format!("the value of {:?} for seat {seat}", expr.kind);
        tally.same(&what, &asks.value(one, &expr), &asks.value(two, &expr));
    }
    let kind = KindId(dice.below(model.kinds.len()) as u16);
    if let members @ 1.. = model.kinds[kind.i()].members.len() {
        let member = (kind, dice.below(members) as u16);
        let what = || format!("what seat {seat} is told of {member:?}");
        tally.same(&what, &asks.card(one, member), &asks.card(two, member));
    }
    let candidates = rules.candidates(one);
    for _ in 0..4.min(candidates.len()) {
        let (choice, much) = (candidates[dice.below(candidates.len())], Much::drawn(dice));
        let what = || format!("the ruling on {:?} for seat {seat}, {much:?}", rules.say(one, choice, ""));
        tally.same(&what, &asks.ruling(one, choice, much), &asks.ruling(two, choice, much));
        tally.rulings += 1;
    }
}

/// What the seat is told where play goes on in the same way from both.
fn follow(asks: Asks, one: &Position, alike: &Alike, dice: &mut Dice, tally: &mut Tally) {
    let (rules, seat) = (asks.rules, asks.seat);
    let (mut one, mut two) = (one.clone(), alike.position.clone());
    let mut made: Vec<(Position, Position, Choice, Choice)> = Vec::new();
    for _ in 0..FOLLOWED {
        let (Ok(options), Ok(others)) = (rules.options(&one), rules.options(&two)) else { return };
        if options.is_empty() {
            return;
        }
        let choice = options[dice.below(options.len())];
        let same = renamed_choice(rules, &one, choice, &alike.renaming);
        if !others.contains(&same) {
            return;
        }
        let (before, behind) = (one.clone(), two.clone());
        if rules.apply(&mut one, choice).is_err() || rules.apply(&mut two, same).is_err() {
            return;
        }
        if !alike::alike(rules, &one, &two, seat) {
            return;
        }
        let what = || format!("what seat {seat} is told of {:?}", rules.say(&before, choice, ""));
        // Who saw different things on the way may be told so.
        let saw_alike = led_to(asks, (&before, choice), (&behind, same), tally);
        if saw_alike {
            tally.same(&what, &asks.told(&before, &one, choice), &asks.told(&behind, &two, same));
            tally.told += 1;
        }
        for (before, behind, choice, same) in &made {
            let what = || format!("what seat {seat} is told later of {:?}", rules.say(before, *choice, ""));
            tally.same(&what, &asks.told(before, &one, *choice)[1..], &asks.told(behind, &two, *same)[1..]);
        }
        if saw_alike {
            made.push((before, behind, choice, same));
        }
    }
}

/// What the seat is told that two choices led to, where all that it saw on the way is the same; whether it is.
fn led_to(asks: Asks, one: (&Position, Choice), two: (&Position, Choice), tally: &mut Tally) -> bool {
    let ((seen, texts), (other, others)) = (asks.led_to(one.0, one.1), asks.led_to(two.0, two.1));
    if seen == other {
        let what = || format!("what seat {} is told that {:?} leads to", asks.seat, asks.rules.say(one.0, one.1, ""));
        tally.same(&what, &[texts], &[others]);
        tally.outcomes += 1;
    }
    seen == other
}

/// What the seat is told of two choices of one sort by others, after which it sees the same.
fn told_apart(asks: Asks, before: &Position, dice: &mut Dice, tally: &mut Tally) {
    let (rules, seat) = (asks.rules, asks.seat);
    let options = rules.options(before).unwrap_or_default();
    let other = |s: Status| !matches!(s, Status::Decision(q) if q.seat == seat);
    if options.len() < 2 || !rules.status(before).is_ok_and(other) {
        return;
    }
    for _ in 0..4 {
        let (a, b) = (options[dice.below(options.len())], options[dice.below(options.len())]);
        let like = match (a, b) {
            (Choice::Act(x, _), Choice::Act(y, _)) => x == y,
            (Choice::Value(_), Choice::Value(_)) => true,
            _ => false,
        };
        let (mut one, mut two) = (before.clone(), before.clone());
        if !like || a == b || rules.apply(&mut one, a).is_err() || rules.apply(&mut two, b).is_err() {
            continue;
        }
        if alike::alike(rules, &one, &two, seat) {
            let what =
                || format!("seat {seat} is told {:?} from {:?}", rules.say(before, a, ""), rules.say(before, b, ""));
            if led_to(asks, (before, a), (before, b), tally) {
                tally.same(&what, &asks.told(before, &one, a), &asks.told(before, &two, b));
                tally.told += 1;
            }
        }
    }
}

/// Draws pairs along random games.
fn draw(game: &Loaded, seed: u64, most: usize, each: &mut dyn FnMut(Asks, &Position, &Alike, &mut Dice)) -> usize {
    let mut dice = Dice::new(seed);
    let langs = lawspeaker::lexicon::languages(&game.model);
    let mut found = 0;
    for _ in 0..200 {
        let rules = Explainer::new(Arc::clone(&game.model), drawn_config(game, &mut dice));
        let mut position = rules.start().expect("no fault");
        // Not only the beginnings of games.
        let apart = 1 + dice.below(6);
        for ply in 0..400 {
            let options = rules.options(&position).expect("no fault");
            if options.is_empty() {
                break;
            }
            for seat in 0..game.model.kinds[0].members.len() as u16 {
                if !(ply + dice.below(apart)).is_multiple_of(apart) {
                    continue;
                }
                if let Some(alike) = another(&rules, &position, seat, &mut dice) {
                    let lang = &langs[dice.below(langs.len())];
                    each(Asks { rules: &rules, seat, lang }, &position, &alike, &mut dice);
                    found += 1;
                    if found >= most {
                        return found;
                    }
                }
            }
            let choice = options[dice.below(options.len())];
            rules.apply(&mut position, choice).expect("no fault");
        }
    }
    found
}

fn chunk(game: &Loaded, seed: u64, most: usize) -> Tally {
    let mut tally = Tally::default();
    draw(game, seed, most, &mut |asks, position, alike, dice| {
        tally.pairs += 1;
        tally.numbers += usize::from(alike.numbers);
        let own = matches!(asks.rules.status(position), Ok(Status::Decision(q)) if q.seat == asks.seat);
        tally.own += usize::from(own);
        compare(asks, position, &alike.position, dice, &mut tally);
        follow(asks, position, alike, dice, &mut tally);
        if leaves_traces(&game.folder.name) {
            told_apart(asks, position, dice, &mut tally);
        }
    });
    tally
}

/// So many pairs in all games together, each game the same share.
fn pairs(seed: u64, count: usize) {
    // One game, or all.
    let only = std::env::var("LAWSPEAKER_GAME").ok();
    let games: Vec<Loaded> =
        games().into_iter().filter(|g| only.as_ref().is_none_or(|o| g.folder.name.contains(o))).collect();
    let share = count.div_ceil(games.len());
    let mut all = Tally::default();
    for game in &games {
        let chunks: Vec<usize> = (0..share).step_by(CHUNK).map(|from| CHUNK.min(share - from)).collect();
        let seeds = chunks.into_par_iter().enumerate();
        let of = |(i, most): (usize, usize)| {
            chunk(game, derived(derived(seed, i as u64), game.model.vars.len() as u64), most)
        };
        let tally = seeds.map(of).reduce(Tally::default, Tally::add);
        println!("{}: {tally}", game.folder.name);
        tally.differences.iter().for_each(|apart| println!("{apart}"));
        // Not every game that is begun comes to a pair.
        assert!(tally.pairs * 10 >= share * 9, "{}: {} pairs of {share}", game.folder.name, tally.pairs);
        // In some games it is rare.
        let decides = tally.own > 0 || share < 200;
        assert!(decides, "{}: no pair at a decision of the seat", game.folder.name);
        all = all.add(tally);
    }
    println!("in all: {all}");
    assert!(only.is_some() || all.numbers > 0 && all.told > 0 && all.outcomes > 0 && all.own > 0, "{all}");
    assert!(all.differences.is_empty(), "{}", all.differences.join("\n"));
}

#[test]
fn what_a_seat_is_told_depends_on_what_it_sees() {
    pairs(17, 120);
}

/// `LAWSPEAKER_PAIRS` says how many, and `LAWSPEAKER_SEED` from which seed.
#[test]
#[ignore = "takes an hour"]
fn ten_thousand_pairs() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    pairs(number("LAWSPEAKER_SEED").unwrap_or(1), number("LAWSPEAKER_PAIRS").unwrap_or(10_000) as usize);
}

/// The pairs are such that they show a leak: what is read and said from all there is differs in each way.
#[test]
fn a_referee_s_words_would_tell() {
    let (mut read, mut said, mut drawn) = (Vec::new(), 0, 0);
    for game in games().iter().filter(|g| leaves_traces(&g.folder.name) || g.folder.name == "confrontation") {
        let mut apart = 0;
        draw(game, 5, 60, &mut |asks, position, alike, dice| {
            drawn += 1;
            for line in lines(asks.rules, [position, &alike.position], asks.seat, 4, dice) {
                apart += usize::from(asks.referee(position, &line) != asks.referee(&alike.position, &line));
            }
            let options = asks.rules.options(position).unwrap_or_default();
            for choice in options {
                let same = renamed_choice(asks.rules, position, choice, &alike.renaming);
                let say = |p: &Position, c| asks.rules.say(p, c, "");
                said += usize::from(say(position, choice) != say(&alike.position, same));
            }
        });
        read.push((game.folder.name.clone(), apart));
    }
    assert!(drawn > 200 && said > 0, "{drawn} pairs, {said} notations");
    for name in ["numbers", "hands", "scouts"] {
        assert!(read.iter().any(|(n, apart)| n == name && *apart > 0), "{name}: {read:?}");
    }
}

/// A game of the list at a position of play, and the choice that a text means there to a referee.
fn at(rules: &Explainer, position: &Position, text: &str) -> Choice {
    lawspeaker::notation::read(rules, position, text).unwrap_or_else(|e| panic!("{e}"))
}

fn explainer(name: &str) -> Explainer {
    let game = load(&format!("noninterference/{name}.law"));
    Explainer::new(Arc::clone(&game.model), Config::defaults(&game.model))
}

/// A position at the first entry of a game, with some entries of variables as they are wanted.
fn entered(rules: &Explainer, args: &[i32], entries: &[(&str, usize, Value)]) -> Position {
    let mut position = rules.enter(rules.blank().expect("no fault"), 0, args).expect("no fault");
    for (name, index, value) in entries {
        let var = rules.model().vars.iter().position(|v| v.name == *name).expect("a variable");
        assert!(position.write(rules.model(), VarId(var as u16), *index, value), "{name} takes it");
    }
    position
}

fn told(rules: &Explainer, seat: u16, before: &Position, text: &str) -> Told {
    let mut after = before.clone();
    let choice = at(rules, before, text);
    rules.apply(&mut after, choice).expect("no fault");
    rules.told(Some(seat), (before, &after), choice, "")
}

#[test]
fn what_is_hidden_stands_as_a_question_mark() {
    let said = |text: &str| Told::Said(text.to_owned());
    // Names are left out by what they name: one stands inside another.
    let hands = explainer("hands");
    let set = |members: &[usize]| Value::Set(members.iter().copied().collect());
    // Card 1, Card 2, Card 10 and Card 12 against Card 20 and the card that is called no.
    let dealt = [("hand", 0, set(&[0, 1, 2, 3])), ("hand", 1, set(&[4, 6])), ("deck", 0, Value::List(vec![5]))];
    let here = entered(&hands, &[0], &dealt);
    assert_eq!(told(&hands, 1, &here, "lays Card 10, yes"), said("lays Card 10, yes"));
    assert_eq!(told(&hands, 1, &here, "gives Card 1"), said("gives Card 1"));
    assert_eq!(told(&hands, 0, &here, "gives Card 1"), said("gives Card 1"));
    // A hidden number is neither told nor suggested.
    let numbers = explainer("numbers");
    let dealt = [("hand", 0, set(&[0])), ("hand", 1, set(&[1, 3])), ("secret", 0, Value::Int(4))];
    let here = entered(&numbers, &[], &dealt);
    assert_eq!(told(&numbers, 0, &here, "bump 4"), said("bump ?"));
    assert_eq!(told(&numbers, 1, &here, "bump 4"), said("bump 4"));
    assert_eq!(told(&numbers, 0, &here, "look at value 9"), said("look at value ?"));
    assert_eq!(told(&numbers, 0, &here, "keep 2 for 4"), said("keep ? for ?"));
    let read = |seat, text: &str| match lawspeaker::notation::read_seen(&numbers, &here, seat, text) {
        Ok(meant) => format!("{meant:?}"),
        Err(unread) => unread.to_string(),
    };
    let near = read(0, "bump 77");
    assert!(near.contains("bump ?") && !near.contains('4'), "{near}");
    assert!(read(1, "bump 7").contains("bump 4"), "{}", read(1, "bump 7"));
    assert_eq!(numbers.seen_options(&here, 0, "").expect("no fault"), Vec::new(), "Bob decides");
}
