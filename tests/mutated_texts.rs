//! Casebooks, positions and records with something changed at random: reading, running and replaying them never panics and comes to an end.
#![allow(missing_docs)]

use std::sync::{Arc, LazyLock};

use lawspeaker::casebook;
use lawspeaker::explain::Explainer;
use lawspeaker::facts::{self, Settings};
use lawspeaker::game::Evaluator as _;
use lawspeaker::library;
use lawspeaker::list;
use lawspeaker::model::Model;
use lawspeaker::record;
use lawspeaker::rules::Rules;
use proptest::prelude::*;

static MODEL: LazyLock<Arc<Model>> = LazyLock::new(|| library::open("confrontation", &[]).unwrap().model);

/// The rules of the game under some settings; those with variants are not loaded, to be quick.
fn load(settings: &Settings) -> Result<Rules, String> {
    if settings.game != "confrontation" || !settings.variants.is_empty() {
        return Err(String::from("no such rules"));
    }
    Rules::of_model(Arc::clone(&MODEL), settings).map(Rules::explaining).map_err(|e| e.to_string())
}

const CASES: &str = r#"# Frodo

```case
case "Frodo slips away from the Orcs" cite char.frodo.2, char.orcs.3
given confrontation with preset seed
  Frodo at Fangorn   Orcs at Dagorlad
  hand of Good: Good 1, Noble Sacrifice
  spent of Good: Good 2, Good 3, Good 4, Good 5, Good Magic, Elven Cloak, Retreat Backward
  Dark to move
when
  Dark: Orcs to Fangorn
  Good: Frodo retreats to Rohan
then
  Frodo at Rohan
  hand of Good has 2
  Good to decide
  Good may "Frodo to Gondor"
  holds strength(Frodo) == 1 because char.1
  Dark does not see hand of Good
  ask "Frodo to Mirkwood"
```
"#;

const POSITION: &str = "given confrontation with variant_cards, preset english_2002
given impossible \"more than nine cards in a hand\"
  Frodo, Sam at Fangorn   Orcs at Dagorlad   Frodo shown   Sam not shown
  hand of Good: Good 1, Noble Sacrifice
  spent of Good: Good 2, Good 3, Good 4, Good 5, Good Magic, Elven Cloak, Retreat Backward
  turns: 12
  Dark to move
when
  Dark: Orcs to Fangorn
  chance: against Frodo
";

const ROSTER: &str = "// for Sunday
band for muster with points 300, leaders any
Captain of the Guard
  3x Archer, Watcher, the Pale // in all five
2 弓兵
";

static MUSTER: LazyLock<Explainer> = LazyLock::new(|| {
    let files = [(String::from("game.law"), include_str!("rules/muster.law").to_owned())];
    let model = lawspeaker::check::check(&files, &[]).model.unwrap();
    let config = facts::config_of(&model, &Settings::default()).unwrap();
    Explainer::new(Arc::new(model), config)
});

const RECORD: &str = include_str!("../rules/confrontation/records/12-mordor-is-full.record");

/// A text with a piece cut out, put in, doubled or moved elsewhere.
fn changed(text: &str, at: usize, len: usize, with: &str, how: u8) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at = at % chars.len();
    let end = (at + len).min(chars.len());
    let part = |a: usize, b: usize| chars[a..b].iter().collect::<String>();
    let (head, cut, tail) = (part(0, at), part(at, end), part(end, chars.len()));
    match how {
        0 => head + &tail,
        1 => head + with + &tail,
        2 => head + &cut + with + &cut + &tail,
        3 => head,
        _ => tail + &cut + &head,
    }
}

fn pieces() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[ -~\n;]{0,8}",
        1 => "[\u{3000}ホé\t\u{0}\r]{1,4}",
        2 => prop::sample::select(vec![
            "Frodo", "Dark:", "chance:", "when\n", "then\n", "given", "hand of", "at none", " ; ", "99999999999999999999", "```",
            "\"", "because", "  ", "ring", "to move", "not", "-1", "impossible", "from the start", "{", "//", "指輪の幽鬼",
        ])
        .prop_map(String::from),
    ]
}

#[test]
fn a_fact_that_would_begin_another_part_is_refused() {
    let faults = record::parse("record confrontation\ngiven\n  Frodo at Rohan  given\n  Good to move\n").unwrap_err();
    assert_eq!(faults[0].to_string(), "3:19: `given` begins a part of its own and is not a fact");
}

proptest! {
    #![proptest_config(crate::common::tried(1000))]

    #[test]
    fn casebooks(at in 0usize..2000, len in 0usize..60, with in pieces(), how in 0u8..5) {
        let text = changed(CASES, at, len, &with, how);
        let (cases, _) = casebook::parse("cases/frodo.md", &text);
        for case in cases {
            let _ = casebook::run(&case, &load);
        }
    }

    #[test]
    fn positions(at in 0usize..2000, len in 0usize..60, with in pieces(), how in 0u8..5) {
        let text = changed(POSITION, at, len, &with, how);
        let _ = facts::read(&text, &load);
    }

    #[test]
    fn lists(at in 0usize..200, len in 0usize..30, with in pieces(), how in 0u8..5, seat in 0u16..3) {
        let text = changed(ROSTER, at, len, &with, how);
        if let Ok(read) = list::List::parse(&text) {
            let _ = facts::config_of(MUSTER.model(), &read.settings);
            let bring = list::bring_named(MUSTER.model(), &read.name.text).unwrap_or_default();
            match list::members(&MUSTER, bring, seat, &read.lines) {
                Ok(list) => prop_assert!(MUSTER.list_ruling(bring, seat, &list).is_ok()),
                Err(faults) => {
                    for fault in faults {
                        let line = text.lines().nth(fault.line - 1).unwrap_or("");
                        prop_assert!(fault.column <= line.chars().count() + 1, "{fault}");
                    }
                }
            }
        }
    }

    #[test]
    fn records(at in 0usize..2000, len in 0usize..60, with in pieces(), how in 0u8..5) {
        let text = changed(RECORD, at, len, &with, how);
        if let Ok(read) = record::parse(&text) {
            if let Ok(rules) = load(&read.settings) {
                let replay = record::replay(&read, rules.explainer());
                prop_assert!(replay.plies.len() <= read.plies.len());
            }
            prop_assert!(record::parse(&record::write(&read)).is_ok());
        }
    }
}
