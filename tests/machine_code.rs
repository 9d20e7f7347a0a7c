//! Machine code, trees and the explaining evaluator in step where numbers meet the edges of what holds them, and where
//! rules fail.

use std::sync::Arc;

use lawspeaker::explain::Explainer;
use lawspeaker::game::{Choice, Evaluator, Length, Position, Status};
use lawspeaker::library::{self, Folder};
use lawspeaker::model::{Config, Def, Model};
use lawspeaker::players::{Dice, derived};
use lawspeaker::rules::Evaluators;
use rayon::prelude::*;

pub(crate) fn model(text: &str) -> Model {
    let files = vec![(String::from("game.law"), String::from(text))];
    let folder = Folder { name: "game".into(), files, ..Folder::default() };
    match library::load(folder, &[]) {
        Ok(game) => (*game.model).clone(),
        Err(e) => panic!("{e}\n{text}"),
    }
}

/// Plays games with all three evaluators; how many choices were made, and the faults of the rules that were met.
pub(crate) fn in_step(model: Model, games: u64, most: u64) -> (u64, Vec<String>) {
    let model = Arc::new(model);
    let config = Config::defaults(&model);
    let e = Explainer::new(Arc::clone(&model), config.clone());
    let trees = Evaluators::new(Arc::clone(&model), config.clone()).as_trees();
    let code = Evaluators::new(Arc::clone(&model), config).as_trees();
    assert!(code.compile(), "machine code of {}: {:?} {:?}", model.name, code.notes(), code.trouble());
    let (mut plies, mut faults) = (0, Vec::new());
    for seed in 0..games {
        for fast in [&trees, &code] {
            plies += one_game(&e, fast, seed, most, &mut faults);
        }
    }
    (plies, faults)
}

fn one_game(e: &Explainer, fast: &Evaluators, seed: u64, most: u64, faults: &mut Vec<String>) -> u64 {
    let mut dice = Dice::new(derived(31, seed));
    let mut position = match (e.start(), fast.start()) {
        (Ok(a), Ok(b)) if a == b => a,
        (a, b) => panic!("{a:?} {b:?}"),
    };
    for ply in 0..most {
        let place = || format!("seed {seed}, ply {ply}, {}", position.digest());
        let status = e.status(&position);
        assert_eq!(status, fast.status(&position), "{}", place());
        let (options, listed) = (e.options(&position), fast.options(&position));
        assert_eq!(options, listed, "{}", place());
        let options = match options {
            Ok(options) => options,
            Err(fault) => {
                faults.push(fault.words(e.model()));
                return ply;
            }
        };
        assert_eq!(fast.count(&position), Ok(options.len()), "{}", place());
        if !matches!(status, Ok(Status::Decision(_) | Status::Chance(_))) {
            return ply;
        }
        let Some(choice) = options.get(dice.below(options.len())).copied() else {
            return ply;
        };
        let mut other = position.clone();
        let (a, b) = (e.apply(&mut position, choice), fast.apply(&mut other, choice));
        assert_eq!(a, b, "seed {seed}, ply {ply}, {choice:?}");
        if let Err(fault) = a {
            faults.push(fault.words(e.model()));
            return ply;
        }
        assert_eq!(position, other, "seed {seed}, ply {ply}, {choice:?}");
    }
    most
}

pub(crate) fn members(letter: char, n: usize) -> String {
    (0..n).map(|i| format!("{letter}{i}")).collect::<Vec<_>>().join(", ")
}

/// A game of asking for the values that so many of a kind have: so many members, the type of their field with its first
/// value, the type asked about.
fn counting(n: usize, (field, first): (&str, &str), asked: &str, right: &str) -> String {
    let kinds: String = [63, 64, 65, 127, 128, 129, 254, 255, 487]
        .iter()
        .filter(|n| field.trim_end_matches('?') == format!("L{n}"))
        .map(|n| format!("kind L{n} members {}\n", members('M', *n)))
        .collect();
    let (gives, action) = if field.ends_with('?') {
        ("may lift \"l\"\n", "action lift(x: K) by Ann log \"lift\" { x.f := none }\n")
    } else {
        ("", "")
    };
    let also = if gives.is_empty() { "" } else { ", lift" };
    format!(
        "game counts \"Counts\"\nplayers Ann, Bob\n{kinds}kind K {{ var f: {field}{first} }}\nK {}\n\
         var turns: 0..99 = 0\n\
         action put(x: K, v: {}) by Ann log \"put\" {{ x.f := v }}\n{action}\
         action say(n: {asked}) by Bob log \"say\" {{ turns += 1 }}\n\
         may put \"p\"\n{gives}may say \"s\" when (count x in K where x.f is n) {right}\n\
         procedure play {{ step s {{ while turns < 90 {{\n Ann chooses an action among put{also}\n \
         Bob chooses an action among say if any\n }} }} }}\nends draw \"over\" when turns is 90\n",
        members('K', n),
        if field == "0..250" { asked } else { field.trim_end_matches('?') },
    )
}

/// The range of what is asked about is not that of what is stored, or one of them ends where words of 64 or 128 bits
/// do.
#[test]
fn values_are_counted_alike_whatever_their_ranges() {
    let ranges = [
        (("5..9", " = 5"), "0..9"),
        (("5..9", " = 5"), "6..7"),
        (("0..9", " = 0"), "5..20"),
        (("-3..3", " = 0"), "-5..5"),
        (("-3..3", " = 0"), "0..3"),
        (("0..3", " = 0"), "-3..-1"),
        (("0..61", " = 61"), "0..61"),
        (("0..62", " = 62"), "0..62"),
        (("0..63", " = 63"), "0..63"),
        (("0..64", " = 64"), "0..64"),
        (("0..3", " = 0"), "0..63"),
        (("0..3", " = 0"), "0..64"),
        (("1..127", " = 127"), "1..127"),
        (("0..126", " = 126"), "0..126"),
        (("0..127", " = 127"), "0..127"),
        (("0..9", " = 0"), "-118..9"),
        (("0..250", " = 250"), "123..250"),
        (("100..200", " = 100"), "90..110"),
        (("L63?", ""), "L63"),
        (("L64?", ""), "L64"),
        (("L65?", ""), "L65"),
        (("L127", " = M126"), "L127"),
        (("L128", " = M127"), "L128"),
        (("L128?", ""), "L128"),
        (("0..199", " = 199"), "0..199"),
        (("0..250", " = 250"), "0..255"),
        (("-100..99", " = 0"), "-110..110"),
        (("0..299", " = 299"), "0..299"),
        (("-100..499", " = 499"), "300..499"),
        (("0..1023", " = 1023"), "1000..1023"),
        (("L129?", ""), "L129"),
        (("L254", " = M253"), "L254"),
        (("L255?", ""), "L255"),
        (("L487?", ""), "L487"),
    ];
    let tests: Vec<_> = ranges
        .into_iter()
        .flat_map(|(field, asked)| ["is 0", "is 1", ">= 2"].map(|right| (field, asked, right)))
        .collect();
    tests.par_iter().for_each(|(field, asked, right)| {
        let text = counting(3, *field, asked, right);
        let (plies, _) = in_step(model(&text), 1, 12);
        assert!(plies >= 12, "{plies} choices of {text}");
    });
}

/// Those counted are as many as bits of a word, or one more or less.
#[test]
fn members_are_counted_alike_however_many() {
    [1, 2, 63, 64, 65, 127, 128, 129, 144, 257, 487, 1024].par_iter().for_each(|n| {
        let text = counting(*n, ("5..9", " = 5"), "4..9", ">= 1");
        in_step(model(&text), 1, 6);
    });
}

/// Sets of `@n` members, in everything that is done with sets.
const SETS: &str = r#"game sets "Sets"
players Ann, Bob
kind K { nr: 0..@last  var at: K?  var of: 0..3 = 0 }
@members
links next between K { @ring - M0 }
var those: set of K
var per[Player]: set of K
var own[Player]: set of K
var nums: set of 1..@n
var turns: 0..99 = 0
ordered pile row of K = { k in K where k.nr mod 3 is 0 }
pile loose of K
var who: Player = Ann
var x: K = M@last
var total: Int = 0
define low(s: set of K) -> set of K = { k in s where k.nr < @middle }
define two(p: Player) -> set of K = if turns mod 2 is 0 then per[p] else those - per[p]
also two(p) { M0, M@last } "ends" when who is Ann
except two(p) { k in K where k.of is 1 } "ones" when who is Bob
define three(p: Player) -> set of K
  = match turns mod 3 { 0: two(p) * those  1: low(two(p))  else: { k.at for k in K where k.at is not none } }
instead three(p) = { k in row where k in those } "late" when turns > 20
define far() -> set of K = reach(next, M@middle, k where k.of is not 3)
define top() -> Int = (most y.nr for y in those) or 0
define last_one() -> K = (the k in those where k.nr == top()) or M0
action link(y: K) by who log "{y}" {
  put x into those
  x.at := y
  x.of := (x.of + 1) mod 4
  own[who] += next(y) + { y }
  when x in own[who] { per[who] += own[who] }
  nums += { k in 1..@n where k == y.nr + 1 or k == @last - x.nr }
  when y not in loose and y in row { move y from row to loose }
  shift(those - { x }, y)
}
may link "near" when y in next(x) or y in next(last_one()) + { M@last, M@middle }
may link "back" when x in per[who] and y is x.at
may not link "the same" when x in three(who) and y in two(who)
may not link "three" when x.of is 3 or y in { M1 }
procedure shift(s: set of K, from: K) {
  var left: set of K = s * far()
  step go {
    for k in left { k.of := (k.of + 1) mod 4 }
    left := s - left + { from }
    when size(left) > 5 { per[Bob] := left }
  }
}
procedure renew { step t { per[Ann] := { k in K where k.nr mod 2 is turns mod 2 } } }
procedure play {
  step s {
    while turns < 60 {
      who may choose an action among link
      turns += 1
      when some k in nums: k > @middle { who chooses k from nums  total := k + size(nums) }
      when per[Ann] == per[Bob] or per[Ann] is empty { renew() }
      pick w at random from K
      x := w
      those := three(who) + { w } + { y in K where y.at is x }
      when turns mod 9 is 8 { move all from loose to row }
      when turns mod 11 is 10 { move all from row to loose }
      when every y in those: y.of < 3 { those -= low(those) }
      total := (sum y.nr for y in those) + (count y in K where (count z in low(row) where z.at is y) > 0)
      who := if who is Ann then Bob else Ann
    }
  }
}
ends draw "over" when turns is 60
"#;

fn sets(n: usize) -> String {
    let ring: Vec<String> = (0..n).map(|i| format!("M{i}")).collect();
    let members: String = ring.iter().zip(0..).map(|(m, i)| format!("K {m} {{ nr {i} }}\n")).collect();
    let text = SETS.replace("@members", &members).replace("@ring", &ring.join(" - "));
    text.replace("@n", &n.to_string()).replace("@last", &(n - 1).to_string()).replace("@middle", &(n / 2).to_string())
}

/// Sets of any number of members are played by machine code, in step.
#[test]
fn sets_of_any_width_are_sets() {
    [3, 64, 65, 128, 129, 192, 256, 257, 300, 487, 512, 513, 600, 1024].par_iter().for_each(|n| {
        // To explain a choice among a thousand takes long.
        let most = if *n > 300 { 12 } else { 40 };
        let (plies, faults) = in_step(model(&sets(*n)), 1, most);
        assert!(plies == 2 * most, "{plies} choices, {n} members, {faults:?}");
    });
}

/// A value that rules fail to give is no place in a table, nor an entry of a variable.
fn gap(rules: &str) -> Model {
    model(&format!(
        "game gap \"Gap\"\nplayers A, B\nkind R members P, Q\nlinks path between R {{ P - Q }}\n\
         var at: R? = Q\nvar odd: Bool = false\nvar mark[R]: 0..9 = 3\nvar held[R]: set of R\n{rules}\n\
         action go(to: R) by A log \"{{to}}\" {{ at := to }}\n\
         action rise() by A log \"rise\" {{ at := none  odd := true }}\nmay rise \"r\"\n\
         may go \"table\" when to in path(f(at))\n\
         may go \"entry\" when mark[f(at)] is 2\n\
         may go \"set\" when to in held[f(at)]\n\
         var turns: 0..9 = 0\n\
         procedure play {{ step s {{ while turns < 9 {{ A chooses an action among go, rise  turns += 1 }} }} }}\nends draw \"x\" when at is P\n"
    ))
}

fn definition(model: &mut Model) -> &mut Def {
    model.defs.iter_mut().find(|d| d.name == "f").expect("it is defined")
}

#[test]
fn a_gap_in_a_definition_is_a_gap() {
    let mut model = gap("define f(r: R?) -> R = P\ninstead f(P) = Q \"p\"\ninstead f(Q) = P \"q\"\n\
         instead f(Q) = Q \"q2\" exception to \"q\" when odd");
    // The checker would see that nothing says what it is of nothing.
    definition(&mut model).general = None;
    let (_, faults) = in_step(model, 8, 9);
    assert!(faults.iter().any(|f| f.contains("no rule says what f(none) is")), "{faults:?}");
}

#[test]
fn rules_that_beat_each_other_in_a_circle_are_a_fault() {
    let mut model = gap("define f(r: R?) -> R = P\ninstead f(r) = Q \"first\" when odd\n\
         instead f(r) = P \"second\" exception to \"first\" when odd");
    let def = definition(&mut model);
    let second = def.clauses[1].clause;
    def.clauses[0].beats = vec![second];
    let first = def.clauses[0].clause;
    def.clauses[1].beats = vec![first];
    let (_, faults) = in_step(model, 8, 9);
    assert!(faults.iter().any(|f| f.contains("f(none)")), "{faults:?}");
}

/// Whoever makes a position by hand can make a stack that play never comes to. It is refused, or played as the
/// explaining evaluator does.
#[test]
fn a_stack_that_play_never_comes_to_is_no_harm() {
    let model = Arc::new(model(include_str!("rules/chain.law")));
    let e = Explainer::new(Arc::clone(&model), Config(Vec::new()));
    let code = Evaluators::new(Arc::clone(&model), Config(Vec::new())).as_trees();
    assert!(code.compile());
    let start = e.start().expect("it begins");
    let (asks, pc) = start.top(&model).expect("it asks");
    assert!(start.depth(&model) > 2);
    // The code that asks, at the bottom.
    let mut bottom = Position::zero(&model);
    assert!(bottom.push(&model, asks));
    bottom.set_pc(&model, pc);
    // The same above play, which never begins it.
    let mut short = Position::zero(&model);
    assert!(short.push(&model, model.play) && short.push(&model, asks));
    short.set_pc(&model, pc);
    // A place beyond its instructions.
    let mut beyond = start.clone();
    beyond.set_pc(&model, u16::MAX);
    // An instruction that asks nothing.
    let mut before = start.clone();
    before.set_pc(&model, 0);
    for position in [bottom, short, beyond, before] {
        for choice in [Choice::Value(1), Choice::Pass, Choice::Yes] {
            let (mut a, mut b) = (position.clone(), position.clone());
            let (x, y) = (e.apply(&mut a, choice), code.apply(&mut b, choice));
            assert_eq!(x, y, "{choice:?}");
            if x.is_ok() {
                assert_eq!(a, b, "{choice:?}");
            }
        }
        assert_eq!(e.options(&position), code.options(&position));
        let mut on = position.clone();
        code.playout(&mut on, None, &mut |words| words.fill(7), Length::of(50));
    }
    let mut played = start;
    assert_eq!(code.apply(&mut played, Choice::Value(1)), Ok(()), "one that play comes to is played");
}

/// The part of that game that is always the same.
const MANY: &str = r#"var turns: 0..60 = 0
var wet: Bool = false
var total: 0..9999 = 0
define worth(c: Card) -> Int = 0
define free(c: Card, k: 0..4) -> Bool = c.spent and k < 4
define rating(c: Card) -> Int = c.print.rank + 1
plus rating(c) by 2 "wet" when wet
action lay(c: Card, k: 0..4) by Ann log "lay {c} {k}" {
  total := (total + worth(c) + k) mod 999
  c.spent := not c.spent
}
action turn(k: 0..4, c: Card) by Ann log "turn {k} {c}" {
  total := (total + worth(c) * k + abs(rating(c)) mod 99) mod 999
  wet := not wet
}
action wait by Ann log "wait" { }
may wait "w"
may not lay "wet" when wet and k < 2
may not lay "spent" when c.spent and k is 3
may not turn "wet" when wet and k is 0
may lay "by its text" when free(c, k)
instead worth(c) = 99 "soaked" exception to "v3" when wet and c.spent and c.print.rank is 3
procedure play {
  step rounds {
    while turns < 40 {
      Ann chooses an action among lay, turn, wait
      for c in Card { roll r from 0..3 log "{c} {r}" when r is 0 { next(c) } }
      turns += 1
    }
  }
}
procedure next(c: Card) { c.print := (the p in Print where p.rank is turns mod 10) or c.print }
ends draw "over" when turns is 40
"#;

/// A game with so many permissions, prohibitions that some of them set aside, and definitions that have a value of
/// their own for as many members; `by` says how the permissions are told apart.
fn many_clauses(n: usize, by: &str) -> String {
    let prints: String = (0..n).map(|i| format!("Print M{i} {{ rank {} }}\n", i % 10)).collect();
    let mut text = format!(
        "game many \"Many\"\nplayers Ann, Bob\nkind Print {{ rank: 0..9 }}\n{prints}\
         kind Card {{ var print: Print = M0  var spent: Bool = false }}\nCard {}\n{MANY}",
        members('C', 9),
    );
    for i in 0..n {
        let despite = if i % 23 == 5 { " despite \"wet\"" } else { "" };
        let when = match by {
            "print" => format!("c.print is M{i} and k is {}", i % 5),
            "other" => format!("k is {} and c.print is M{i} and not c.spent", i % 5),
            _ => format!("(c.print is M{i} or c.print.rank is {}) and k < {}", i % 10, i % 5),
        };
        text += &format!("may lay \"p{i}\"{despite} when {when}\nmay turn \"t{i}\" when {when}\n");
        // A prohibition that others set aside stands between those that are found by their number.
        let despite =
            if i % 41 == 7 { format!("may turn \"d{i}\" despite \"n{i}\" when k is 2\n") } else { String::new() };
        text += &format!("may not turn \"n{i}\" when c.print is M{i} and k is {}\n{despite}", i % 3);
        let layer = ["plus", "times", "at most", "at least"][i % 4];
        let by = if i % 4 < 2 { "by " } else { "" };
        text += &format!("{layer} rating(c) {by}{} \"r{i}\" when c.print is M{i} and not c.spent\n", i % 5);
        let (worth, dry) = ((i * 7) % 50, [" and not wet", ""][i % 2]);
        text += &format!("instead worth(c) = {worth} \"v{i}\" when c.print is M{i}{dry}\n");
        if i % 3 == 0 {
            text += &format!("instead free(c, k) = true \"f{i}\" when c.print is M{i} and k is {}\n", i % 4);
        }
    }
    text
}

/// There may be any number of permissions, of rules of a definition, of prohibitions set aside.
#[test]
fn there_is_no_limit_of_clauses() {
    let games: Vec<(usize, &str)> =
        [7, 64, 65, 110].into_iter().flat_map(|n| ["print", "other", "none"].map(|by| (n, by))).collect();
    games.into_par_iter().for_each(|(n, by)| {
        let (plies, faults) = in_step(model(&many_clauses(n, by)), 3, 120);
        assert!(plies > 300 || !faults.is_empty(), "{n} by {by}: {plies} {faults:?}");
    });
}

/// A game of ways over `n` areas on a ring with short cuts, among figures that watch what is around them.
fn ways(n: usize) -> String {
    let twin = |i: usize| if i.is_multiple_of(3) { String::new() } else { format!("  twin {}", i / 4) };
    let areas: String = (0..n).map(|i| format!("Area A{i} {{ n {i}{} }}\n", twin(i))).collect();
    let links = |by: usize| (0..n).map(|i| format!("  A{i} - A{}\n", (i + by) % n)).collect::<String>();
    let (ring, cuts) = (links(1), links(2.max(n / 5)));
    format!(
        "game ways \"Ways\"\nplayers Ann, Bob\nkind Area {{ n: 0..999  twin: 0..99? }}\n{areas}links road between Area {{\n{ring}}}\n\
         links cut between Area {{\n{cuts}}}\n{WAYS}"
    )
}

/// The part of that game that is always the same.
const WAYS: &str = r#"kind Unit { side: Player  var at: Area = A0  var calm: Bool = false  var gone: Bool = false }
Unit U0, U1, U2, U3, U4 { side Ann }
Unit V0, V1, V2, V3, V4 { side Bob }
var active: Player = Ann
var turns: 0..99 = 0
var dry: Bool = false
define near(a: Area) -> set of Area = road(a) + cut(a)
define zone(u: Unit) -> set of Area = near(u.at)
instead zone(u) = {} "calm" when u.calm
except zone(u) { b in Area where b.n mod 4 is 1 } "dry" when dry
define watched(u: Unit, a: Area) -> Bool = some e in Unit: e.side is not u.side and a in zone(e)
define guarded(a: Area) -> Bool = some e in Unit: e.calm and not e.gone and a in near(e.at)
define price(a: Area, b: Area) -> Int = 1 + (a.n + b.n) mod 3
define taken(u: Unit, a: Area) -> Bool = some v in Unit: v is not u and v.at is a
define room(u: Unit) -> set of Area
  = reach(u.at, a to b in near(a)
      where (a is u.at or not watched(u, a)) and not taken(u, b) and not (guarded(b) and b.n mod 3 is 1)
      cost price(a, b) within 4)
define stroll(u: Unit) -> set of Area
  = reach(u.at, a to b in near(a) where not watched(u, a) and (dry or not taken(u, b) or guarded(b)) within 2)
// What is added and taken away is the same wherever a step begins.
define out(u: Unit, a: Area) -> set of Area = near(a)
also out(u, a) { b in Area where b.n mod 7 is 3 and not taken(u, b) } "paths"
  when some e in Unit: e.calm and e.side is u.side
except out(u, a) { b in Area where guarded(b) and watched(u, b) } "guards"
  when not dry and { e in Unit where e.gone and e.side is not u.side } is not empty
define roam(u: Unit) -> set of Area = reach(u.at, a to b in out(u, a) where not taken(u, b) within 3)
// Many have no twin.
define twins(u: Unit) -> set of Area
  = { x in Area where (some e in Unit: e is not u and x in roam(e)) and x.twin is u.at.twin }
define march(u: Unit, to: Area) -> Int?
  = way(u.at, to, a to b in near(a) where not guarded(a) and (if dry then a.n < b.n else not taken(u, b)) cost price(a, b))
action go(u: Unit, to: Area) by u.side where u.side is active log "{u} {to}" { u.at := to }
action call(u: Unit) by u.side where u.side is active log "{u}" { u.calm := not u.calm }
action look by active log "look" { dry := not dry }
may go "there" when to in room(u)
may go "about" when to in roam(u)
may go "to a twin" when to in twins(u)
may go "calmly" when u.calm and to in stroll(u)
may not go "far" when march(u, to) > 4
may call "c" when size(stroll(u)) > 1
may look "l"
procedure play {
  step rounds {
    while turns < 90 {
      active chooses an action among go, call, look
      turns += 1
      active := if active is Ann then Bob else Ann
      when turns mod 9 is 2 { for u in Unit { u.gone := watched(u, u.at) } }
    }
  }
}
ends draw "over" when turns is 90
"#;

/// What all steps need is computed before the first: it must be what each step would have found.
#[test]
fn steps_among_what_is_the_same_for_all() {
    [(6, 60), (40, 30), (64, 30), (128, 20), (150, 20), (260, 12)].into_par_iter().for_each(|(n, most)| {
        let (plies, faults) = in_step(model(&ways(n)), 3, most);
        assert!(plies == 6 * most && faults.is_empty(), "{n}: {plies} {faults:?}");
    });
}

/// A game of bags, one for each place, of so many sorts of things.
fn stores(sorts: usize) -> String {
    format!(
        "game stores \"Stores\"\nplayers Ann, Bob\nkind Place members P0, P1, P2, P3, P4\nkind Sort members {}\n{STORES}",
        members('S', sorts)
    )
}

/// The part of that game that is always the same.
const STORES: &str = r#"kind Unit { var at: Place? = P0 }
Unit U0, U1, U2
var turns: 0..99 = 0
var store[Place]: bag of Sort
define near(u: Unit) -> Int = count s in Sort where u.at is not none and store[u.at or P0][s] > 0
action put(x: Sort, p: Place) by Ann log "{x} {p}" { put x into store[p] }
action take(x: Sort, p: Place) by Ann log "take {x} {p}" { take x from store[p] }
action walk(u: Unit, p: Place) by Bob log "{u} {p}" { u.at := p }
action go(u: Unit) by Bob log "{u}" { u.at := none }
may put "p" when store[p][x] < 2
may take "t" when x in store[p]
may walk "w" when (some x in store[p]: x in store[u.at or P0]) or store[p] is empty
may walk "more" when size({ x in store[p] where x is not S0 }) > near(u)
may go "g" when not (every p in Place: (some x in store[p]: store[p][x] is 1))
procedure play {
  step rounds {
    while turns < 90 {
      Ann chooses an action among put, take
      Bob chooses an action among walk, go
      turns += 1
    }
  }
}
ends draw "over" when turns is 90
"#;

/// What is in a bag that a number names, wherever its bytes end.
#[test]
fn what_is_in_a_bag_is_found_however_many_sorts_there_are() {
    [1, 2, 15, 16, 17, 64, 100, 129, 150].into_par_iter().for_each(|n| {
        let (plies, faults) = in_step(model(&stores(n)), 3, 60);
        assert!(plies > 60, "{n}: {plies} {faults:?}");
    });
}
