//! Rulings on positions that came about by moves: the moves are made again under each reading.

use lawspeaker::game::{Cover, Verdict};
use lawspeaker::model::ConfigId;
use lawspeaker::{Choice, History, Position, Rules, Sensitivity};

/// How far a step goes depends on `far`, whether one may step twice on `twice`; nothing depends on `idle`.
const STEPS: &str = r#"
game steps "Steps"
players Ann
reading far "How far is a step?" { one "it says so" default  two "the picture" }
reading twice "Twice?" { often "nothing forbids it" default  once "one is enough" }
reading idle "Which?" { this "one" default  that "the other" }
var at: 0..9 = 0
var steps: 0..9 = 0
action walk() by Ann { at := at + (if far is one then 1 else 2)  steps := steps + 1 }
action rest() by Ann { at := at }
action sit() by Ann { at := at }
may walk "a step"
may sit "a seat"
may rest "a rest" when at mod 2 == 0
may not walk "no second step" when twice is once and steps > 0
define half() -> Bool = idle is this
procedure play { step turn { while at < 9 { Ann chooses an action among walk, rest, sit } } }
ends Ann wins "far" when at == 9 and half()
ends Ann wins "far too" when at == 9 and not half()
"#;

fn after(rules: &Rules, texts: &[&str]) -> (History, Position) {
    let mut position = rules.start().unwrap();
    let mut history = History::default();
    for text in texts {
        let choice = rules.read(&position, text).unwrap();
        rules.apply(&mut position, choice).unwrap();
        history.choices.push(choice);
    }
    (history, position)
}

fn asked(rules: &Rules, moves: &[&str], text: &str) -> (Sensitivity, Sensitivity, Choice, Position, History) {
    let (history, position) = after(rules, moves);
    let choice = rules.read(&position, text).unwrap();
    let after = rules.sensitivity_after(&history, 0, choice, 100);
    let here = rules.sensitivity(&position, 0, choice, 100);
    (after, here, choice, position, history)
}

fn id(rules: &Rules, name: &str) -> ConfigId {
    ConfigId(rules.model().config.iter().position(|c| c.name == name).unwrap() as u16)
}

#[test]
fn a_reading_counts_that_made_the_position_another_one() {
    let rules = Rules::from_text(STEPS).unwrap();
    let (after, here, choice, position, history) = asked(&rules, &["walk", "walk"], "rest");
    assert_eq!((after.verdict, after.cover, after.played), (Verdict::Legal, Cover::All, true));
    // By steps of two the place is even too; where one may step but once, it would not have come about.
    assert_eq!((after.combinations, after.differing, after.unreached), (8, 0, 4));
    assert!(!after.is_same());
    assert_eq!((here.played, here.differing, here.unreached, here.is_same()), (false, 0, 0, true));
    let ruling = rules.judge_after(&history, &position, 0, choice);
    assert_eq!(ruling.readings, [(id(&rules, "twice"), vec![(1, None)])]);
    assert!(rules.judge(&position, 0, choice).readings.is_empty());

    let (after, here, choice, position, history) = asked(&rules, &["walk"], "rest");
    assert_eq!((after.verdict, after.differing, after.unreached), (Verdict::Illegal, 4, 0));
    assert_eq!(after.others, [(vec![(id(&rules, "far"), 1)], Some(Verdict::Legal))]);
    assert!(here.is_same());
    let ruling = rules.judge_after(&history, &position, 0, choice);
    assert_eq!(ruling.readings, [(id(&rules, "far"), vec![(1, Some(Verdict::Legal))])]);
    assert!(rules.judge(&position, 0, choice).readings.is_empty());
}

#[test]
fn many_readings_are_tried_in_pairs_along_the_moves_too() {
    let rules = Rules::from_text(STEPS).unwrap();
    let (history, position) = after(&rules, &["walk", "walk", "walk"]);
    let rest = rules.read(&position, "rest").unwrap();
    let all = rules.sensitivity_after(&history, 0, rest, 100);
    let pairs = rules.sensitivity_after(&history, 0, rest, 1);
    assert_eq!((all.cover, pairs.cover), (Cover::All, Cover::Pairs));
    assert_eq!(all.table, pairs.table);
    assert_eq!(all.others, pairs.others);
    // Alone, each other alternative, and each two of them: of these, `twice once` never comes about.
    assert_eq!((pairs.combinations, pairs.differing, pairs.unreached), (7, 2, 3));
}

#[test]
fn what_is_said_tells_whether_the_moves_were_made_again() {
    let rules = Rules::from_text(STEPS).unwrap();
    let (after, here, ..) = asked(&rules, &["walk", "walk"], "rest");
    let words = |s: &Sensitivity| lawspeaker::rulings::sensitivity_words(rules.model(), s, "");
    insta::assert_snapshot!(words(&after).join("\n"), @r"
    with the moves that led here made again: the same under the 4 of 8 combinations under which the position is reached
    under 4 of the 8 combinations the position would not have been reached
    ");
    insta::assert_snapshot!(words(&here).join("\n"), @"at this position, as it stands: the same under all 8 combinations of the 3 readings");
    let (after, ..) = asked(&rules, &["walk"], "rest");
    insta::assert_snapshot!(words(&after).join("\n"), @"with the moves that led here made again: another verdict under 4 of the 8 combinations of the readings");
}

/// In records of Confrontation, every verdict found by the search is the one that replaying under other settings gives.
#[test]
fn the_search_agrees_with_replays_under_other_settings() {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/rules/confrontation/records/13-by-the-river.record"
    ))
    .unwrap();
    let record = Rules::record(&text).unwrap();
    let rules = Rules::open_with("confrontation", &record.settings).unwrap();
    let replay = rules.replay(&record);
    let opening = replay.beginning.clone().filter(|_| record.scene.is_some());
    let under = |name: &str, value: &str| {
        let mut settings = record.settings.clone();
        settings.options.push((name.to_owned(), Some(value.to_owned())));
        Rules::open_with("confrontation", &settings).unwrap()
    };
    let readings = rules.model().config.iter().filter(|c| c.is_reading());
    let others: Vec<Vec<Rules>> =
        readings.map(|item| item.choices.iter().map(|c| under(&item.name, &c.name)).collect()).collect();
    let (mut tried, mut differing) = (0, 0);
    for ply in 0..replay.positions(&rules).count() {
        let Some(seat) = replay.plies[ply].seat else { continue };
        let choice = replay.plies[ply].choice;
        let history =
            History { opening: opening.clone(), choices: replay.plies[..ply].iter().map(|p| p.choice).collect() };
        let found = rules.sensitivity_after(&history, seat, choice, 64);
        assert_eq!(found.table.len(), others.len());
        for ((id, verdicts), others) in found.table.iter().zip(&others) {
            for (verdict, other) in verdicts.iter().zip(others) {
                let mut at = opening.clone().unwrap_or_else(|| other.start().unwrap());
                let came = history.choices.iter().all(|made| {
                    let legal = other.options(&at).unwrap().contains(made);
                    legal && other.apply(&mut at, *made).is_ok()
                });
                let now = came.then(|| other.judge(&at, seat, choice).verdict);
                assert_eq!(*verdict, now, "ply {}: {}", ply + 1, rules.model().config[id.i()].name);
                tried += 1;
                differing += usize::from(now != Some(found.verdict));
            }
        }
    }
    assert!(tried > 100, "{tried}");
    println!("{differing} of {tried} differ");
}
