//! What lies ahead, held against what is known: sums of dice, solved games, published values, and what a seat that sees less can do.

use std::collections::BTreeMap;
use std::sync::Arc;

use lawspeaker::check::check;
use lawspeaker::explain::Explainer;
use lawspeaker::facts::Scene;
use lawspeaker::game::{Choice, Evaluator, Position, Status, Turn};
use lawspeaker::library;
use lawspeaker::model::Config;
use lawspeaker::rules::Evaluators;
use lawspeaker::search::*;

fn shipped(name: &str) -> Explainer {
    let game = library::open(name, &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
    let config = Config::defaults(&game.model);
    Explainer::new(Arc::clone(&game.model), config)
}

fn rules(text: &str) -> Explainer {
    let checked = check(&[(String::from("small.law"), text.to_owned())], &[]);
    let model = checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    let config = Config::defaults(&model);
    Explainer::new(Arc::new(model), config)
}

fn position(rules: &Explainer, text: &str) -> Position {
    Scene::parse(text).unwrap().position(rules).unwrap_or_else(|f| panic!("{f:?}"))
}

/// Asks a question from a position on; every seat decides as it is said.
fn odds(rules: &Explainer, from: &Position, until: &Until, how: &[&str], question: &str) -> Result<Chances, Halt> {
    let engine = Evaluators::of(rules);
    let players: Vec<Policy> = how.iter().map(|h| Policy::parse(h)).collect();
    let odds = Odds {
        engine: &engine,
        until,
        begun: false,
        players: &players,
        plies: 1000,
        most: 500_000,
        watch: &|_| {},
        lang: "",
    };
    odds.ask(vec![(from.clone(), Ratio::ONE)], &Query::new(rules, question).unwrap())
}

const DICE: &str = "game small \"Small\"\nplayers One, Two\nvar total: 0..99 = 0\nvar last: 0..6 = 0\nvar dice: bag of 1..6\n\
    procedure play {\n  step roll { roll d from 1..6 times 5 into dice }\n  step add { for n in 1..6 { total += n * dice[n] } }\n\
    \x20 step end { One chooses number k from 0..1 }\n}\nends One wins \"high\" when total >= 20\nends Two wins \"low\" when total < 20 and total > 0\n";

#[test]
fn dice_sum_as_they_must() {
    let rules = rules(DICE);
    let start = rules.start().unwrap();
    let found = odds(&rules, &start, &Until::Over, &["", ""], "total").unwrap();
    // Ways to throw a total with five dice: 1, 5, 15, 35, 70, 126, 205, 305, 420, 540, 651, 735, 780 and back.
    let half = [1, 5, 15, 35, 70, 126, 205, 305, 420, 540, 651, 735, 780];
    let ways: Vec<i64> = half.iter().chain(half.iter().rev()).copied().collect();
    assert_eq!(found.of.len(), 26);
    for ((value, chance), ways) in found.of.iter().zip(ways) {
        assert_eq!(*chance, Ratio::new(ways, 7776), "{value:?}");
    }
    assert_eq!(found.mean(), Some(Ratio::new(35, 2)));
    // Five dice are 252 throws, not 7776.
    assert!(found.positions < 600, "{}", found.positions);
    let high = odds(&rules, &start, &Until::Over, &["", ""], "One wins").unwrap();
    assert_eq!(
        high.yes(),
        Ratio::new(780 + 735 - 735 + 651 + 540 + 420 + 305 + 205 + 126 + 70 + 35 + 15 + 5 + 1 - 780, 7776)
    );
}

/// Each player's dice are counted at once, and cleared before they are rolled again.
const COUNTED: &str = "game small \"Small\"\nplayers One, Two\nvar high: 0..99 = 0\nvar round: 0..9 = 0\n\
    var dice[Player]: bag of 1..6\nprocedure play {\n  step rounds { while round < 2 { throw() } }\n\
    \x20 step end { One chooses number k from 0..1 }\n}\nprocedure throw {\n\
    \x20 step clear { for p in Player { dice[p] := {} } }\n\
    \x20 step roll { for p in Player by rank(p) { roll d from 1..6 times 5 into dice[p]\n\
    \x20   high += count d in dice[p] where d >= 5 } }\n  step on { round += 1 }\n}\n\
    define rank(p: Player) -> Int = match p { One: 1  Two: 0 }\nends One wins \"never\" when high > 90\n";

#[test]
fn dice_that_nothing_reads_again_are_dropped() {
    let rules = rules(COUNTED);
    let start = rules.start().unwrap();
    let found = odds(&rules, &start, &Until::Decision, &["", ""], "high").unwrap();
    // Twenty dice, each high with 1/3.
    assert_eq!(found.mean(), Some(Ratio::new(20, 3)));
    assert!(found.rest.is_zero());
    // With one player's dice kept while the other's are rolled there are 252 times as many.
    assert!(found.positions < 20_000, "{}", found.positions);
    // What the question reads is kept.
    let until = Until::Holds(Query::condition(&rules, "size(dice[One]) == 1").unwrap());
    let ones = odds(&rules, &start, &until, &["", ""], "1 in dice[Two]");
    assert_eq!(ones.unwrap().yes(), Ratio::new(7776 - 3125, 7776));
}

#[test]
fn leduc_holdem_has_its_published_values() {
    let rules = shipped("leduc-holdem");
    let start = rules.start().unwrap();
    let even = odds(&rules, &start, &Until::Over, &["random", "random"], "score of First").unwrap();
    assert_eq!(even.mean(), Some(Ratio::new(-5, 64)));
    // A best reply to a random player, blind to his card.
    let best = odds(&rules, &start, &Until::Over, &["best", "random"], "score of First").unwrap();
    assert_eq!(best.mean(), Some(Ratio::new(167, 80)));
}

#[test]
fn what_is_not_said_is_asked_for() {
    let rules = shipped("tic-tac-toe");
    let start = rules.start().unwrap();
    let ask = |how: &[&str]| odds(&rules, &start, &Until::Over, how, "winner").unwrap_err();
    assert!(
        matches!(ask(&["random", ""]), halt @ Halt::Unsaid { seat: 1, .. } if halt.to_string().starts_with("O must decide"))
    );
    assert!(matches!(ask(&["random", "B4; random"]), Halt::Idle { seat: 1, answer, .. } if answer == "B4"));
    assert!(matches!(ask(&["best", "worst"]), Halt::SeveralBest));
    assert!(matches!(ask(&["best", "random"]), Halt::NothingIsBest(question) if question == "winner"));
    let found = odds(&rules, &start, &Until::Over, &["random", "random"], "winner").unwrap();
    let shares: Vec<String> = found.of.values().map(ToString::to_string).collect();
    // Nobody, X, O.
    assert_eq!(shares, ["8/63", "737/1260", "121/420"]);
    assert_eq!(found.plies, 9);
}

#[test]
fn bounds_are_told() {
    let rules = shipped("tic-tac-toe");
    let engine = Evaluators::of(&rules);
    let start = rules.start().unwrap();
    let players = vec![Policy::parse("random"); 2];
    let query = Query::new(&rules, "X wins").unwrap();
    let odds = Odds {
        engine: &engine,
        until: &Until::Over,
        begun: false,
        players: &players,
        plies: 5,
        most: 500_000,
        watch: &|_| {},
        lang: "",
    };
    let found = odds.ask(vec![(start.clone(), Ratio::ONE)], &query).unwrap();
    assert_eq!(found.yes().plus(found.rest), Ratio::ONE);
    assert_eq!(found.yes(), Ratio::new(2, 21));
    let sampled = sample(&odds, &[(start, Ratio::ONE)], &query, (200, 3)).unwrap();
    assert_eq!(sampled.of.values().sum::<usize>() + sampled.rest, 200);
}

fn solved(rules: &Explainer, from: &Position, seat: u16, open: bool, plies: usize) -> Solved {
    let engine = Evaluators::of(rules);
    let from = if open { vec![from.clone()] } else { worlds(&engine, from, seat, 5000).unwrap() };
    Solver::new(&engine, seat, open, 500_000, &|_| {}).solve(&from, plies).unwrap()
}

#[test]
fn tic_tac_toe_is_a_draw() {
    let rules = shipped("tic-tac-toe");
    let start = rules.start().unwrap();
    assert!(matches!(solved(&rules, &start, 0, false, 20), Solved::Never));
    assert!(matches!(solved(&rules, &start, 1, false, 20), Solved::Never));
    let corner = "given tic-tac-toe\n  A1 mark X   B1 mark O\n  X to move\n";
    let fork = position(&rules, corner);
    assert!(matches!(solved(&rules, &fork, 0, false, 20), Solved::Forced(5)));
    assert!(matches!(solved(&rules, &fork, 0, false, 4), Solved::NotWithin(4)));
}

/// An ending of five pieces: a search ply by ply that keeps no graph comes to 89,000 positions.
#[test]
fn an_ending_is_searched_in_few_positions_and_told_in_few_lines() {
    let rules = shipped("confrontation");
    let ending = position(
        &rules,
        "given confrontation\n  Frodo at Mirkwood   Aragorn at Shire   Cave Troll at Rhudaur\n  \
        Black Rider, Witch-king at Gondor\n  Dark to move\n",
    );
    let engine = Evaluators::of(&rules);
    let from = [ending];
    let mut solver = Solver::new(&engine, 0, true, 20_000, &|_| {});
    assert!(matches!(solver.solve(&from, 24).unwrap(), Solved::Forced(9)));
    assert!(solver.positions() < 10_000, "{}", solver.positions());
    let plans = solver.plan(&from, 9).unwrap().unwrap();
    let lines = lines("Good", &plans, lawspeaker::lexicon::Words::english());
    assert!(lines.len() < 100, "{} lines", lines.len());
    let mut shallow = Solver::new(&engine, 0, true, 20_000, &|_| {});
    assert!(matches!(shallow.solve(&from, 8).unwrap(), Solved::NotWithin(8)));
}

/// Whether a win is forced within some plies, found by going through all that can happen.
fn plainly_wins(
    engine: &Evaluators,
    (position, seat): (&Position, u16),
    left: usize,
    known: &mut BTreeMap<(Position, usize), bool>,
) -> bool {
    if let Status::Over(outcome) = engine.status(position).unwrap() {
        return outcome.winners.contains(&seat);
    }
    if left == 0 {
        return false;
    }
    let key = (position.clone(), left);
    if let Some(wins) = known.get(&key) {
        return *wins;
    }
    let mut wins = |choice: Choice| {
        let mut after = position.clone();
        engine.apply(&mut after, choice).unwrap();
        plainly_wins(engine, (&after, seat), left - 1, known)
    };
    let mut options = engine.options(position).unwrap().into_iter();
    let wins = match engine.turn(position).unwrap() {
        Turn::Seat(who) if who == seat => options.any(&mut wins),
        _ => options.all(&mut wins),
    };
    known.insert(key, wins);
    wins
}

/// Follows choices that a simple generator of numbers draws, up to so many.
fn drawn(engine: &Evaluators, start: &Position, number: &mut u64, plies: usize) -> Position {
    let mut position = start.clone();
    for _ in 0..plies {
        *number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let options =
            if engine.turn(&position).unwrap() == Turn::Over { Vec::new() } else { engine.options(&position).unwrap() };
        let Some(choice) = options.get((*number >> 33) as usize % options.len().max(1)) else { break };
        engine.apply(&mut position, *choice).unwrap();
    }
    position
}

/// Two runners on a ring, one of whom is thrown back by a die: ways meet again, and play can go on without end.
const RING: &str = "game small \"Small\"\nplayers One, Two\nvar here: 0..11 = 0\nvar there: 0..11 = 5\n\
    procedure play { step go { while true { turn() } } }\nprocedure turn {\n\
    \x20 step mine { One chooses number k from 0..2\n here := (here + k) mod 12 }\n\
    \x20 step theirs { Two chooses number k from 0..2\n there := (there + 2 * k) mod 12 }\n\
    \x20 step wind { roll d from 0..1\n there := (there + d) mod 12 }\n}\n\
    ends One wins \"caught\" ranks above \"away\" when here == 11 or here == there + 1\nends Two wins \"away\" when there == 0 or there == here + 3\n";

#[test]
fn what_is_forced_is_what_going_through_everything_finds() {
    let (ring, crosses) = (rules(RING), shipped("tic-tac-toe"));
    let mut number = 7;
    let mut forced = 0;
    for (rules, plies) in [(&ring, 9), (&crosses, 9)] {
        let engine = Evaluators::of(rules);
        let start = rules.start().unwrap();
        for i in 0..60 {
            let from = drawn(&engine, &start, &mut number, i % 7);
            for (seat, open) in [(0, false), (1, true)] {
                let mut known = BTreeMap::new();
                let shortest = (0..=plies).find(|n| plainly_wins(&engine, (&from, seat), *n, &mut known));
                let found = match solved(rules, &from, seat, open, plies) {
                    Solved::Forced(plies) => Some(plies),
                    Solved::Never | Solved::NotWithin(_) => None,
                    undecided => panic!("{undecided:?}"),
                };
                assert_eq!(found, shortest, "{i}, seat {seat}");
                forced += usize::from(shortest.is_some_and(|n| n > 2));
            }
        }
    }
    assert!(forced > 10, "{forced}");
}

/// Endings that chance arranged: how many plies a win of Good takes, if it can be forced, and an upper bound on the
/// positions that the search needs. An order of replies that is good for wins can be bad for what cannot be won.
const ENDINGS: [(&str, Option<usize>, usize); 5] = [
    ("Frodo at Rohan   Gandalf at Rohan   Saruman at Gondor\n  Dark to move\n", Some(9), 200),
    (
        "Frodo at Arthedain   Pippin at High Pass   Witch-king at Hollin   Shelob at Fangorn\n  Dark to move\n",
        Some(14),
        5_000,
    ),
    (
        "Frodo at Arthedain   Legolas at Misty Mountains   Shelob at Hollin   Saruman at Mirkwood\n  Good to move\n",
        Some(14),
        10_000,
    ),
    (
        "Frodo at Enedwaith   Boromir at Arthedain   Cave Troll at Misty Mountains   Flying Nazgul at High Pass\n  \
        Dark to move\n",
        None,
        1_200,
    ),
    (
        "Frodo at Cardolan   Cave Troll at Fangorn   Orcs at Dagorlad   Saruman at Enedwaith\n  Good to move\n",
        None,
        5_000,
    ),
];

#[test]
fn endings_are_settled_in_few_positions_whether_won_or_not() {
    let rules = shipped("confrontation");
    let engine = Evaluators::of(&rules);
    for (pieces, wins, most) in ENDINGS {
        let from = [position(&rules, &format!("given confrontation\n  {pieces}"))];
        let mut solver = Solver::new(&engine, 0, true, 100_000, &|_| {});
        let found = match solver.solve(&from, 24).unwrap() {
            Solved::Forced(plies) => Some(plies),
            Solved::Never => None,
            undecided => panic!("{pieces}: {undecided:?}"),
        };
        assert_eq!(found, wins, "{pieces}");
        assert!(solver.positions() <= most, "{pieces}: {} positions", solver.positions());
    }
}

/// A counter makes no difference as long as it is far from the number that it is asked for.
#[test]
fn a_counter_near_its_end_still_counts() {
    let text = "game small \"Small\"\nplayers One, Two\nvar turns: Int = 0\nvar at: 0..9 = 0\n\
        procedure play { step go { while at < 9 { turn() } } }\nprocedure turn {\n\
        \x20 step go { One chooses number k from 0..1\n at := at + k }\n  step done { turns += 1 }\n}\n\
        ends One wins \"there\" when at == 5\nends draw \"late\" ranks above \"there\" when turns >= LIMIT\n";
    let result = |limit: &str| {
        let rules = rules(&text.replace("LIMIT", limit));
        let start = rules.start().unwrap();
        solved(&rules, &start, 0, false, 20)
    };
    assert!(matches!(result("1000"), Solved::Forced(5)));
    assert!(matches!(result("6"), Solved::Forced(5)));
    assert!(matches!(result("4"), Solved::Never));
}

const CARDS: &str = "game small \"Small\"\nplayers One, Two\nkind Card owned by owner { owner: Player  worth: 0..9 }\n\
    Card A1 { owner One  worth 1 }\nCard A5 { owner One  worth 5 }\nCard A6 { owner One  worth 6 }\nCard B2 { owner Two  worth 2 }\nCard B5 { owner Two  worth 5 }\n\
    pile hand[p: Player] of Card = { c in Card where c.owner is p }\nvar shown: Card?\nvar laid: Card?\nseen hand[q] by p when q is p\n\
    seen laid by p when p is Two\n\
    procedure play {\n  step first { Two chooses b from hand[Two]\n    laid := b\n    move b from hand[Two] to hand[One] }\n\
    \x20 step second { One chooses a from { c in Card where c.owner is One }\n    shown := a }\n}\n\
    ends One wins \"one more\" when shown is not none and shown.worth == laid.worth + (if laid is B2 then 3 else 1)\n\
    ends Two wins \"else\" ranks above \"one more\" when shown is not none and shown.worth is not laid.worth + (if laid is B2 then 3 else 1)\n";

#[test]
fn a_win_that_needs_the_hidden_card_is_no_forced_one() {
    let text = CARDS.replace("move b from hand[Two] to hand[One]", "hand[Two] := {}");
    let rules = rules(&text.replace("    hand[Two] := {} }", " }"));
    let start = rules.start().unwrap();
    assert!(matches!(solved(&rules, &start, 0, true, 9), Solved::Forced(2)));
    assert!(matches!(solved(&rules, &start, 0, false, 9), Solved::Never));
    assert!(matches!(solved(&rules, &start, 1, true, 9), Solved::Never));
}

#[test]
fn hidden_things_are_exchanged() {
    let rules = shipped("leduc-holdem");
    let mut dealt = rules.start().unwrap();
    make(&rules, &mut dealt, "jack of spades").unwrap();
    make(&rules, &mut dealt, "king of hearts").unwrap();
    // Five cards may be in the other hand.
    assert_eq!(worlds(&Evaluators::of(&rules), &dealt, 0, 100).unwrap().len(), 5);
    assert!(matches!(worlds(&Evaluators::of(&rules), &dealt, 0, 4), Err(Unclear::TooMany { most: 4, .. })));
    let rules = shipped("confrontation");
    let fort =
        position(&rules, "given confrontation\n  Frodo at Gondor   Orcs at Mordor   Warg shown\n  Dark to move\n");
    assert_eq!(worlds(&Evaluators::of(&rules), &fort, 0, 100).unwrap().len(), 8);
    // A `never` says that Frodo is on the board, so the one that Dark does not know is he.
    assert_eq!(worlds(&Evaluators::of(&rules), &fort, 1, 100).unwrap().len(), 1);
}

#[test]
fn a_position_is_found_or_shown_not_to_be() {
    let rules = shipped("tic-tac-toe");
    let engine = Evaluators::of(&rules);
    let seek = |wanted: &str, most: usize, games: u64| {
        let wanted = Query::condition(&rules, wanted).unwrap();
        let finder =
            Finder { engine: &engine, wanted: &wanted, most, games, bots: &[], seed: 1, plies: 100, watch: &|_| {} };
        find(&finder).unwrap()
    };
    let found = seek("O wins and B2.mark is X", 100_000, 0);
    assert_eq!(found.way.map(|w| w.len()), Some(6));
    let never = seek("draw and (count c in Cell where c.mark is O) > 4", 100_000, 10);
    assert!(never.all && never.way.is_none() && never.games == 0);
    let lucky = seek("draw", 100, 1000);
    assert_eq!(lucky.way.as_ref().map(Vec::len), Some(9));
    assert_eq!(lucky, seek("draw", 100, 1000));
    assert!(seek("draw", 100, 0).way.is_none());
}

/// The commands.
#[cfg(feature = "cli")]
mod commands {
    use crate::common::session::Session;

    #[test]
    fn the_commands_say_it() {
        let session = Session::empty();
        let write = |name: &str, text: &str| session.write(name, text);
        write(
            "ford.position",
            "given confrontation\n  Frodo, Sam at Fangorn   Orcs at Dagorlad   Balrog at Mordor\n  Dark to move\n",
        );
        write("race.position", "given confrontation\n  Frodo at Rohan   Flying Nazgul at Cardolan\n  Good to move\n");
        write("corner.position", "given tic-tac-toe\n  A1 mark X   B1 mark O\n  X to move\n");
        let ford = ["odds", "confrontation", "--at", "ford.position", "--do", "Orcs to Fangorn"];
        let run = |code, args: &[&str]| format!("$ lawspeaker {}\n{}\n", args.join(" "), session.says(code, args));
        let ask = |code, more: &[&str]| run(code, &[&ford[..], more].concat());
        let said = [
            ask(0, &["--seats", "random", "Frodo.at is none"]),
            ask(0, &["--seats", "random", "winner"]),
            ask(0, &["--seats", "random", "--seats", "Good=worst", "Frodo.at is none", "--json"]),
            ask(0, &["--seats", "random", "--until", "over", "--limit", "300", "winner"]),
            ask(0, &["--seats", "random", "--sample", "50", "winner"]),
            ask(0, &["--until", "decision", "size(hand[Good])"]),
            ask(2, &["Frodo.at is none"]),
            ask(2, &["--seats", "random", "Frodoo.at is none"]),
            ask(2, &["--seats", "random", "--until", "size(hand[Good])", "winner"]),
            ask(2, &["--seats", "random", "--seats", "Good=Sam stepps in; random", "winner"]),
            ask(2, &["--seats", "Good=", "winner"]),
            ask(2, &["--do", "Frodo to Rohan", "winner"]),
            run(0, &["odds", "leduc-holdem", "--seats", "random", "--until", "over", "score of First"]),
            run(0, &["odds", "backgammon", "--until", "decision", "6 in dice"]),
            run(2, &["odds", "chess", "--ply", "3", "over"]),
        ];
        insta::assert_snapshot!("odds", said.concat());
        let said = [
            run(0, &["solve", "confrontation", "--at", "race.position", "--seat", "Good", "--open"]),
            run(1, &["solve", "confrontation", "--at", "race.position", "--seat", "Dark", "--open"]),
            run(1, &["solve", "tic-tac-toe", "--at", "corner.position", "--seat", "O"]),
            run(1, &["solve", "tic-tac-toe", "--at", "corner.position", "--seat", "X", "--plies", "3"]),
            run(0, &["solve", "confrontation", "--at", "race.position", "--seat", "Good", "--open", "--json"]),
            run(0, &["solve", "confrontation", "--at", "race.position", "--seat", "Good", "--open", "--lang", "ja"]),
            run(1, &["solve", "chess", "--seat", "White", "--limit", "500"]),
            run(2, &["solve", "tic-tac-toe", "--seat", "Y"]),
            run(2, &["solve", "tic-tac-toe", "--seat", "X", "--plies", "5000"]),
            run(2, &["solve", "confrontation", "--at", "ford.position", "--seat", "Good", "--worlds", "5"]),
        ];
        insta::assert_snapshot!("solve", said.concat());
        let said = [
            run(0, &["find", "tic-tac-toe", "O wins and B2.mark is X"]),
            run(1, &["find", "tic-tac-toe", "draw and A1.mark is none"]),
            run(1, &["find", "chess", "draw", "--limit", "200", "--games", "2", "--plies", "20"]),
            run(0, &["find", "tic-tac-toe", "draw", "--limit", "50", "--out", "drawn.record"]),
            run(0, &["replay", "drawn.record", "--game", "tic-tac-toe"]),
            run(2, &["find", "tic-tac-toe", "size(Cell)"]),
            run(2, &["find", "tic-tac-toe", "A9.mark is X"]),
        ];
        insta::assert_snapshot!("find", said.concat());
    }
}
