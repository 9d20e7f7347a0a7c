//! Ids and values come first, and words are made of them: what has the same name stays apart, and a name that is one of
//! the program's own words stays a name.

use std::sync::Arc;

use lawspeaker::check::check;
use lawspeaker::explain::Explainer;
use lawspeaker::facts::{self, Settings};
use lawspeaker::game::{Cover, Evaluator as _, Position, Sensitivity, Told, Verdict};
use lawspeaker::lexicon::{self, Lexicon};
use lawspeaker::map;
use lawspeaker::model::ConfigId;
use lawspeaker::notation;
use lawspeaker::rulings::{Depth, Sheet, sensitivity_words};

fn rules(law: &str) -> Explainer {
    let checked = check(&[("game.law".to_owned(), law.to_owned())], &[]);
    let model = checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    let config = facts::config_of(&model, &Settings::default()).unwrap();
    Explainer::new(Arc::new(model), config)
}

fn twins() -> (Explainer, Position) {
    let rules = rules(include_str!("words/twins.law"));
    let start = rules.start().unwrap();
    (rules, start)
}

/// A ruling with all that was considered.
fn ruling(rules: &Explainer, position: &Position, action: &str, lang: &str) -> String {
    let choice = notation::read(rules, position, action).unwrap();
    let ruling = rules.judge(position, 0, choice);
    Sheet::new(rules, position, (0, choice), &ruling, lang).text(Depth::Whole)
}

#[test]
fn a_piece_stands_on_one_of_two_places_of_one_name() {
    let (rules, start) = twins();
    let board = map::board(rules.model(), &rules.view(&start, 0), &[], "");
    assert_eq!(board.matches("no (mate best)").count(), 1, "{board}");
    assert_eq!(board.matches("best (mate no)").count(), 1, "{board}");
    assert_eq!(board.matches("Hill").count(), 2, "{board}");
}

#[test]
fn a_name_that_is_one_of_the_programs_words_stays_a_name() {
    let (rules, start) = twins();
    let english = ruling(&rules, &start, "no to Dale", "");
    assert!(english.contains("(leader is no, best is no)"), "{english}");
    let japanese = ruling(&rules, &start, "no to Dale", "ja");
    assert!(japanese.contains("（leader は no、best は no）"), "{japanese}");
}

#[test]
fn what_no_one_translated_is_marked() {
    let (rules, start) = twins();
    let japanese = ruling(&rules, &start, "no to Dale", "ja");
    assert!(japanese.contains("禁止 go「the leader stays」（原文）"), "{japanese}");
    for lang in ["", "en"] {
        assert!(ruling(&rules, &start, "no to Dale", lang).contains("may not go \"the leader stays\" (game.law:17)"));
    }
    let german = ruling(&rules, &start, "no to Dale", "de");
    assert!(german.contains("may not go \"the leader stays\" (not translated) (game.law:17)"), "{german}");
}

#[test]
fn a_fault_is_told_in_each_language() {
    let rules = rules(include_str!("words/worth.law"));
    let fault = rules.options(&rules.start().unwrap()).unwrap_err();
    let japanese = Lexicon::new(rules.model(), "ja").fault(&fault);
    assert!(japanese.starts_with("衝突：worth(Flint) は一方では 1、他方では 2（"), "{japanese}");
    assert_eq!(fault.to_string(), "conflict: clauses apply together and disagree");
    let error: &dyn std::error::Error = &fault;
    assert!(error.source().is_none());
}

#[test]
fn what_was_tried_of_the_readings_is_counted_in_its_place() {
    let (rules, _) = twins();
    let table = [0, 1].map(|id| (ConfigId(id), vec![Some(Verdict::Legal); 2])).to_vec();
    let tried = Sensitivity { cover: Cover::Pairs, combinations: 1234, table, ..Sensitivity::certain(Verdict::Legal) };
    let said = sensitivity_words(rules.model(), &tried, "");
    assert_eq!(
        said,
        ["at this position, as it stands: the same under each alternative of the 2 readings and each two of them \
          (1,234 tried)"]
    );
}

#[test]
fn a_language_is_known_or_refused() {
    let (rules, _) = twins();
    let model = rules.model();
    assert_eq!(lexicon::language(model, "").as_deref(), Ok(""));
    assert_eq!(lexicon::language(model, "ja").as_deref(), Ok("ja"));
    assert_eq!(lexicon::language(model, "ja-JP").as_deref(), Ok("ja"));
    let refused = lexicon::language(model, "tlh").unwrap_err();
    assert_eq!(refused.known, ["en", "ja"]);
    assert_eq!(refused.to_string(), "there is no language `tlh`; there are en, ja");
    let german = include_str!("words/twins.law").replace("Piece Two \"best\"", "Piece Two \"best\" de \"Bester\"");
    assert_eq!(lexicon::language(self::rules(&german).model(), "de").as_deref(), Ok("de"));
}

#[test]
fn a_name_that_begins_another_takes_nothing_out_of_it() {
    let rules = rules(include_str!("words/cards.law"));
    let before = rules.start().unwrap();
    let choice = rules.options(&before).unwrap()[0];
    let mut after = before.clone();
    rules.apply(&mut after, choice).unwrap();
    for seat in [None, Some(0), Some(1)] {
        let told = rules.told(seat, (&before, &after), choice, "");
        assert_eq!(told, Told::Said("lays Card 10".into()), "{seat:?}");
    }
}

#[test]
fn a_conflict_says_what_each_clause_gives() {
    let rules = rules(include_str!("words/worth.law"));
    let start = rules.start().unwrap();
    let two = rules.options(&start).unwrap_err().words(rules.model());
    assert!(two.starts_with("conflict: worth(Flint) is 1 by one and 2 by the other ("), "{two}");
    let wet = rules.model().vars.iter().position(|v| v.name == "wet").unwrap();
    let mut start = start;
    assert!(start.write(rules.model(), lawspeaker::model::VarId(wet as u16), 0, &lawspeaker::model::Value::Int(1)));
    let three = rules.options(&start).unwrap_err().words(rules.model());
    assert!(three.starts_with("conflict: worth(Flint) is 1, 2, 3, each by another clause ("), "{three}");
}
