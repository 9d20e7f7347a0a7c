//! Bots: against each other, and what they may know.

use std::sync::atomic::AtomicBool;

use crate::common::session::{Session, has, program, typed, utf8};
use lawspeaker::contest::{Standing, pair};
use lawspeaker::game::{Choice, Position, Status};
use lawspeaker::players::{Bot, Dice, Look, derived};
use lawspeaker::rules::Rules;
use lawspeaker::search::{Sight, Solved, Solver};
use lawspeaker::simulate::{Finish, between};
use lawspeaker::stats::Estimate;
use serde_json::Value as Json;

/// Nobody stops the games.
static GOES_ON: AtomicBool = AtomicBool::new(false);

/// The points of the first of two bots in pairs of games.
fn points(game: &str, bots: [&str; 2], pairs: u64) -> Vec<[f64; 2]> {
    let rules = Rules::open(game).unwrap();
    let evaluators = rules.evaluators();
    evaluators.compile();
    let bots = bots.map(|bot| Bot::parse(bot).unwrap());
    let sight = Sight::new(rules.evaluators());
    let played = |i| pair(evaluators, None, bots, (rules.seats(), derived(1, i)), &sight, &GOES_ON).unwrap();
    (0..pairs).map(|i| played(i).points.unwrap()).collect()
}

/// What the games of two bots say of the first one.
fn standing(game: &str, bots: [&str; 2], pairs: u64) -> Standing {
    let mut standing = Standing::default();
    points(game, bots, pairs).into_iter().for_each(|points| standing.add(points));
    standing
}

#[test]
fn a_bot_that_looks_one_choice_ahead_beats_chance() {
    for game in ["chess", "breakthrough", "reversi", "backgammon", "confrontation"] {
        let Estimate { value: share, low, .. } = standing(game, ["greedy", "random"], 30).share();
        assert!(low > 0.5, "{game}: {share} (from {low})");
    }
}

#[test]
fn a_bot_that_searches_beats_one_that_looks_one_choice_ahead() {
    for (game, bot) in [
        ("connect-four", "mcts:200"),
        ("hex", "mcts:100"),
        ("confrontation", "mcts:100"),
        ("breakthrough", "mcts:300"),
        ("reversi", "mcts:100"),
    ] {
        let Estimate { value: share, low, .. } = standing(game, [bot, "greedy"], 20).share();
        assert!(low > 0.5, "{game}: {share} (from {low})");
    }
}

#[test]
fn a_bot_that_searches_does_not_lose_at_tic_tac_toe() {
    let against_chance = points("tic-tac-toe", ["mcts:2000", "random"], 25);
    assert!(against_chance.iter().flatten().all(|points| *points >= 0.5), "{against_chance:?}");
    let against_itself = points("tic-tac-toe", ["mcts:3000", "mcts:3000"], 5);
    assert!(against_itself.iter().flatten().all(|points| *points == 0.5), "{against_itself:?}");
}

/// Whether a seat can force a win within some plies, which may be none.
fn is_won(rules: &Rules, position: &Position, seat: u16, plies: usize) -> bool {
    if let Status::Over(outcome) = rules.status(position).unwrap() {
        return outcome.winners.contains(&seat);
    }
    let mut solver = Solver::new(rules.evaluators(), seat, true, 20_000, &|_| {});
    matches!(solver.solve(std::slice::from_ref(position), plies), Ok(Solved::Forced(_)))
}

/// Positions of random games, each of another game, in which whoever decides can force a win, but not by every option.
fn won_positions(rules: &Rules, plies: usize, count: usize) -> Vec<(Position, u16)> {
    let mut found = Vec::new();
    for seed in 0..400 {
        let mut dice = Dice::new(derived(11, seed));
        let mut position = rules.start().unwrap();
        let mut met = None;
        while let Status::Decision(question) = rules.status(&position).unwrap() {
            let options = rules.options(&position).unwrap();
            let after = |choice: &Choice| {
                let mut after = position.clone();
                rules.apply(&mut after, *choice).unwrap();
                after
            };
            if options.len() > 1 && is_won(rules, &position, question.seat, plies) {
                let wins = options.iter().filter(|c| is_won(rules, &after(c), question.seat, plies - 1)).count();
                if wins > 0 && wins < options.len() {
                    met = Some((position.clone(), question.seat));
                    break;
                }
            }
            let Some(choice) = options.get(dice.below(options.len())) else { break };
            rules.apply(&mut position, *choice).unwrap();
        }
        found.extend(met);
        if found.len() == count {
            break;
        }
    }
    found
}

#[test]
fn a_bot_that_searches_finds_what_is_won() {
    for (game, plies) in
        [("tic-tac-toe", 3), ("connect-four", 3), ("breakthrough", 3), ("reversi", 3), ("chess", 1), ("hex", 1)]
    {
        let rules = Rules::open(game).unwrap();
        rules.evaluators().compile();
        let sight = Sight::new(rules.evaluators());
        let won = won_positions(&rules, plies, 5);
        assert_eq!(won.len(), 5, "{game}");
        for (position, seat) in won {
            let options = rules.options(&position).unwrap();
            let look = Look::new(&sight, &position, seat);
            let mut bot = Bot::parse("mcts:20000").unwrap().player(3, rules.evaluators());
            let choice = options[bot.choose(&look, &options)];
            let mut after = position.clone();
            rules.apply(&mut after, choice).unwrap();
            let said = rules.say(&position, choice);
            // A way that wins a little later wins too.
            assert!(is_won(&rules, &after, seat, plies + 1), "{game}: {said} at {:016x}", position.digest());
        }
    }
}

/// Positions of random games at which a seat decides, each with another that looks the same to it.
fn twins(rules: &Rules, games: u64, plies: usize) -> Vec<(Position, Position, u16)> {
    use lawspeaker::players::Eyes as _;
    let sight = Sight::new(rules.evaluators());
    let mut twins = Vec::new();
    for seed in 0..games {
        let mut dice = Dice::new(seed);
        let mut position = rules.start().unwrap();
        for _ in 0..plies {
            if let Status::Decision(question) = rules.status(&position).unwrap() {
                let worlds = sight.worlds(&position, question.seat, 4, &mut dice);
                let other = worlds.into_iter().map(|(world, _)| world).find(|world| *world != position);
                twins.extend(other.map(|other| (position.clone(), other, question.seat)));
            }
            let options: Vec<Choice> = rules.options(&position).unwrap();
            let Some(choice) = options.get(dice.below(options.len())) else { break };
            rules.apply(&mut position, *choice).unwrap();
        }
    }
    twins
}

#[test]
fn what_a_seat_does_not_see_changes_no_choice() {
    for (game, games, plies, least) in [
        ("leduc-holdem", 10, 8, 20),
        ("confrontation", 2, 30, 10),
        ("riddle", 1, 60, 10),
        ("middle-earth-ccg", 2, 400, 10),
        ("secrets", 10, 30, 20),
    ] {
        let rules = match game {
            "secrets" => Rules::from_text(include_str!("rules/secrets.law")),
            game => Rules::open(game),
        };
        let rules = rules.unwrap();
        let sight = Sight::new(rules.evaluators());
        let twins = twins(&rules, games, plies);
        assert!(twins.len() >= least, "{game}: only {}", twins.len());
        let some = twins.iter().step_by(twins.len().div_ceil(40));
        for (position, other, seat) in some {
            for bot in ["greedy", "mcts:12"] {
                let chosen = |position: &Position| {
                    let options = rules.options(position).unwrap();
                    let look = Look::new(&sight, position, *seat);
                    let chosen = Bot::parse(bot).unwrap().player(5, rules.evaluators()).choose(&look, &options);
                    look.texts(&options)[chosen].clone()
                };
                assert_eq!(chosen(position), chosen(other), "{game}, {bot}");
            }
        }
    }
}

/// What Bob does is hidden from Ann, as a truth value. Ann wins with 2.
const VEILED: &str = r#"
game veiled "Veiled"
players Ann, Bob
var sly[Player]: Bool = false
seen sly[q] by p when q is p
var taken: 1..3?
action hide by Bob log "?" { sly[Bob] := true }
may hide "always"
action show by Bob log "?" { sly[Bob] := false }
may show "always"
action take(n: 1..3) by Ann log "takes {n}" { taken := n }
may take "always"
procedure play {
  step hide { Bob chooses an action among hide, show }
  step take { Ann chooses an action among take }
}
ends Ann wins "two" when taken is 2
ends Bob wins "another number" when taken is not none and taken is not 2
"#;

#[test]
fn a_hidden_value_that_cannot_be_exchanged_does_not_stop_the_search() {
    use lawspeaker::players::Eyes as _;
    let rules = Rules::from_text(VEILED).unwrap();
    let sight = Sight::new(rules.evaluators());
    for hidden in ["hide", "show"] {
        let mut position = rules.start().unwrap();
        let choice = rules.options(&position).unwrap()[usize::from(hidden == "show")];
        rules.apply(&mut position, choice).unwrap();
        // In the worlds of Ann it stands as at the beginning, whatever it is.
        let worlds = sight.worlds(&position, 0, 3, &mut Dice::new(1));
        assert_eq!(worlds.len(), 3, "{hidden}");
        assert!(worlds.iter().all(|(world, _)| *world == worlds[0].0), "{hidden}");
        assert_eq!(worlds[0].0 == position, hidden == "show", "{hidden}");
        let options = rules.options(&position).unwrap();
        let look = Look::new(&sight, &position, 0);
        let chosen = Bot::parse("mcts:60").unwrap().player(5, rules.evaluators()).choose(&look, &options);
        assert_eq!(rules.say(&position, options[chosen]), "takes 2", "{hidden}");
    }
}

/// Who has the treasure is hidden, and worth more than anything Ann can take.
const TREASURE: &str = r#"
game treasure "Treasure"
players Ann, Bob
kind Card members Gold, Lead, Tin, Clay
ordered pile deck of Card = Card
pile hand[Player] of Card
seen deck by nobody
seen hand[q] by nobody
var taken: 0..12 = 0
var age: 0..250 = 0
action take(n: 1..12) by Ann log "takes {n}" { taken := n }
may take "always"
action wait() by Bob log "waits" { age += 1 }
may wait "always"
procedure play {
  shuffle deck
  step deal { when the top of deck is not none { move the top of deck from deck to hand[Ann] } }
  step take { Ann chooses an action among take }
  step wait { while age < 250 { Bob chooses an action among wait } }
}
ends draw "late" when age is 250
worth p = if p is not Ann then 0 else 5 * taken + (if Gold in hand[Ann] then 1000 else 0)
"#;

#[test]
fn a_search_counts_what_is_gained_not_what_a_world_is_worth() {
    let rules = Rules::from_text(TREASURE).unwrap();
    let sight = Sight::new(rules.evaluators());
    let mut position = rules.start().unwrap();
    while let Status::Chance(_) = rules.status(&position).unwrap() {
        let choice = rules.options(&position).unwrap()[0];
        rules.apply(&mut position, choice).unwrap();
    }
    let options = rules.options(&position).unwrap();
    let look = Look::new(&sight, &position, 0);
    for seed in 0..20 {
        let chosen = Bot::parse("mcts:100").unwrap().player(seed, rules.evaluators()).choose(&look, &options);
        assert_eq!(rules.say(&position, options[chosen]), "takes 12", "{seed}");
    }
}

/// Asserts that a bot at a seat begins a game with a choice, whatever its seed.
fn begins(game: &str, seat: u16, bot: &str, wanted: &str) {
    let rules = Rules::from_text(game).unwrap();
    let sight = Sight::new(rules.evaluators());
    let position = rules.start().unwrap();
    let options = rules.options(&position).unwrap();
    let look = Look::new(&sight, &position, seat);
    for seed in 0..20 {
        let chosen = Bot::parse(bot).unwrap().player(seed, rules.evaluators()).choose(&look, &options);
        assert_eq!(rules.say(&position, options[chosen]), wanted, "{seed}");
    }
}

/// Bob has no choice, but what he does shuts the left gate. To the right Ann wins with 2.
const GATES: &str = r#"
game gates "Gates"
players Ann, Bob
kind Gate members Left, Right
var gate: Gate?
var shut: Bool = false
var taken: 1..2?
action go(g: Gate) by Ann log "goes {g}" { gate := g }
may go "always"
action shut_it() by Bob log "shuts a gate" { shut := true }
may shut_it "always"
action take(n: 1..2) by Ann log "takes {n}" { taken := n }
may take "always"
procedure play {
  step go { Ann chooses an action among go }
  step shut_it { Bob chooses an action among shut_it }
  step take { Ann chooses an action among take }
}
define is_good() -> Bool = if gate is Left then not shut else taken is 2
ends Ann wins "through" when taken is not none and is_good()
ends Bob wins "stopped" when taken is not none and not is_good()
"#;

#[test]
fn a_search_does_not_pass_over_what_must_be_done() {
    begins(GATES, 0, "mcts:100", "goes Right");
}

/// If Ann trusts Bob, he chooses who else wins, and does not care who: every second time it is she. The die lets her
/// win five times of six.
const GIFT: &str = r#"
game gift "Gift"
players Cid, Bob, Ann
var winner: Player?
action trust() by Ann log "trusts Bob" { gift() }
may trust "always"
action dare() by Ann log "dares the die" { throw() }
may dare "always"
action give(q: Player) by Bob log "gives it to {q}" { winner := q }
may give "to another" when q is not Bob
procedure gift { step give { Bob chooses an action among give } }
procedure throw {
  step roll {
    roll d from 1..6 log "{d}"
    winner := if d is 1 then Bob else Ann
  }
}
procedure play { step begin { Ann chooses an action among trust, dare } }
ends winner wins "given" when winner is not none
"#;

#[test]
fn a_beaten_seat_is_not_thought_to_care_who_wins() {
    begins(GIFT, 2, "mcts:400", "dares the die");
}

/// Every step hurts, and the end is too far away to be seen. Ann may turn round instead for ever.
const MARCH: &str = r#"
game march "March"
players Ann
var is_turned: Bool = false
var steps: 0..20 = 0
action spin() by Ann log "spins" { is_turned := not is_turned }
action walk() by Ann log "walks" { steps := steps + 1 }
may spin, walk "always"
procedure play { while true { Ann chooses an action among spin, walk } }
worth p = 0 - steps
ends Ann wins "there" when steps is 20
"#;

#[test]
fn a_bot_does_not_go_in_circles() {
    let rules = Rules::from_text(MARCH).unwrap();
    let evaluators = rules.evaluators();
    let sight = Sight::new(evaluators);
    for bot in ["greedy", "mcts:50"] {
        let mut players = [Bot::parse(bot).unwrap().player(1, evaluators)];
        let played = between(evaluators, None, &mut players, &sight, 1, 100);
        assert!(matches!(played.finish, Finish::Over(_)), "{bot}: {:?}", played.finish);
        // It turns at least once where it can: a step always looks worse.
        assert!((40..=60).contains(&played.plies.len()), "{bot}: {}", played.plies.len());
    }
}

/// The messages of `play --json`, to which these lines are written.
fn messages(args: &[&str], lines: &str) -> Vec<Json> {
    let session = Session::empty();
    let args = [&["play", "leduc-holdem", "--json", "--seed", "3"], args].concat();
    let output = typed(program(session.dir.path(), &args), lines);
    assert!(output.status.success(), "{}", utf8(&output.stderr));
    utf8(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn another_program_plays_by_lines_of_json() {
    let said = messages(&["--seats", "Second=random"], "{\"choice\": 0}\nx\n{\"choice\": \"fly\"}\n{\"choice\": 7}\n");
    assert_eq!((&said[0]["lawspeaker"], &said[0]["yours"]), (&Json::from(1), &serde_json::json!(["First"])));
    assert_eq!((&said[1]["decides"], &said[1]["ply"]), (&Json::from("First"), &Json::from(3)));
    // Of the two cards that were dealt it sees its own.
    assert_eq!(said[1]["happened"][1], serde_json::json!({ "ply": 2, "who": null, "said": "?" }));
    assert_eq!(said[1]["view"]["piles"]["hand"]["Second"], serde_json::json!({ "size": 1, "members": null }));
    assert_eq!(said[1]["view"]["piles"]["hand"]["First"]["members"].as_array().map(Vec::len), Some(1));
    let errors: Vec<&str> = said.iter().filter_map(|m| m["error"].as_str()).collect();
    assert_eq!(errors.len(), 3, "{errors:?}");
    assert!(errors[0].contains("not JSON") && errors[1].contains("\"fly\" is not an option"), "{errors:?}");

    let calls = "{\"choice\": \"call\"}\n".repeat(9);
    let said = messages(&["--seats", "Second=first"], &calls);
    let last = said.last().unwrap();
    assert!(last["over"].is_string() && last["scores"].as_array().map(Vec::len) == Some(2), "{last}");
    assert_eq!(last["happened"].as_object().map(serde_json::Map::len), Some(1), "{last}");
    // Both seats, each told what it sees.
    let said = messages(&[], &calls);
    let seats: Vec<&str> = said.iter().filter_map(|m| m["decides"].as_str()).collect();
    assert!(seats.contains(&"First") && seats.contains(&"Second"), "{seats:?}");
}

#[test]
fn the_player_in_python_plays_to_the_end() {
    let player = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/holdem.py");
    let lawspeaker = env!("CARGO_BIN_EXE_lawspeaker");
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let output = std::process::Command::new("python3").arg(player).args([lawspeaker, "3"]).output().unwrap();
    let told = utf8(&output.stdout);
    assert!(output.status.success() && told.contains(" wins: "), "{told}{}", utf8(&output.stderr));
}

#[test]
fn matches_are_told() {
    let session = Session::with_nim();
    let told = session.says(0, &["match", "nim", "mcts:100", "random", "--games", "19", "--seed", "3"]);
    has(&told, &["mcts:100 against random: 20 games", " of 20 points, ", " of 10 as First", " of 10 as Second"]);
    assert_eq!(told, session.says(0, &["match", "nim", "mcts:100", "random", "--games", "20", "--seed", "3"]));
    let json = session.says(0, &["match", "nim", "mcts:100", "random", "--games", "4", "--json", "--threads", "1"]);
    has(&json, &["\"bots\": [", "\"mcts:100\"", "\"games\": 4", "\"faults\": 0", "\"verdict\": null"]);
    let early = ["match", "nim", "random", "mcts:100", "--stop-early", "50"];
    has(&session.says(1, &early), &["random is not stronger than mcts:100"]);
    let early = ["match", "nim", "mcts:100", "random", "--stop-early", "50", "--lang", "ja"];
    has(&session.says(0, &early), &["mcts:100はrandomよりEloで50以上強い"]);
    has(&session.says(2, &["match", "nim", "clever", "random"]), &["there is no bot `clever`", "the bots are: random"]);
    has(&session.says(2, &["match", "nim", "mcts:0", "random"]), &["neither a number of playouts nor a time"]);
}

#[test]
fn a_search_in_several_threads_is_the_same_each_time() {
    let session = Session::empty();
    let played = |file: &str, threads: &str| {
        let args = ["play", "tic-tac-toe", "--seats", "mcts:200", "--seed", "3", "--threads", threads];
        session.answers(0, "", &[&args[..], &["--record", file]].concat());
        session.read(file)
    };
    assert_eq!(played("a.record", "3"), played("b.record", "3"));
    // With more threads than playouts some trees stay empty.
    let rules = Rules::open("connect-four").unwrap();
    let (sight, position) = (Sight::new(rules.evaluators()), rules.start().unwrap());
    let (look, options) = (Look::new(&sight, &position, 0), rules.options(&position).unwrap());
    let chosen =
        |threads| Bot::parse("mcts:8").unwrap().player_in(threads, 1, rules.evaluators()).choose(&look, &options);
    assert_eq!(chosen(20), chosen(20));
}
