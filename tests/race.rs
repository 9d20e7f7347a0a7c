//! The explaining evaluator on a tiny game: what it lists, judges, shows and plays.

use std::sync::Arc;

use lawspeaker::check::check;
use lawspeaker::explain::Explainer;
use lawspeaker::facts::{self, Settings};
use lawspeaker::game::{Args, Choice, Evaluator as _, Fate, FaultKind, Reason, Status, Verdict};
use lawspeaker::model::{ActionId, ClauseId, Model, Value, VarId};

fn race() -> Explainer {
    let checked = check(&[("race.law".to_owned(), include_str!("race/race.law").to_owned())], &[]);
    let model = checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let config = facts::config_of(&model, &Settings::default()).unwrap();
    Explainer::new(Arc::new(model), config)
}

/// A piece to a place, both by their number.
fn go(piece: i32, to: i32) -> Choice {
    Choice::Act(ActionId(0), Args::new(&[piece, to]))
}

fn var(model: &Model, name: &str) -> VarId {
    VarId(model.vars.iter().position(|v| v.name == name).unwrap() as u16)
}

fn clause(model: &Model, label: &str) -> ClauseId {
    ClauseId(model.clauses.iter().position(|c| c.label.text == label).unwrap() as u16)
}

#[test]
fn a_race_is_listed_judged_and_played() {
    let game = race();
    let mut p = game.start().unwrap();
    assert_eq!(game.options(&p).unwrap(), [go(0, 1)]);
    assert_eq!(game.candidates(&p).len(), 9);
    assert_eq!(game.say(&p, go(0, 1), ""), "move Pawn B");
    let far = game.judge(&p, 0, go(0, 3));
    assert_eq!((far.verdict, far.reason), (Verdict::Illegal, Reason::NoPermission));
    assert_eq!(far.misses.first().map(|m| m.clause), Some(clause(game.model(), "forward")));
    let other = game.judge(&p, 0, go(1, 1));
    assert_eq!(other.reason, Reason::NoSuchAction);
    assert_eq!(other.conditions.len(), 1);
    let early = game.judge(&p, 1, go(1, 1));
    assert_eq!(early.reason, Reason::NotYourDecision(Some(0)));

    game.apply(&mut p, go(0, 1)).unwrap();
    assert_eq!(game.options(&p).unwrap(), [go(1, 2)]);
    assert_eq!(game.judge(&p, 1, go(1, 1)).reason, Reason::Prohibited);
    assert_eq!(game.judge(&p, 1, go(1, 2)).deciding.len(), 1);

    // The view of White: it does not know who is where.
    let view = game.view(&p, 0);
    let pieces = view.kinds.first().unwrap();
    assert_eq!(pieces.unknown.len(), 2);
    assert_eq!(view.question.unwrap().options, None);
    assert_eq!(game.view(&p, 1).kinds.first().unwrap().known.len(), 2);

    // The Knight then blocks White: it must choose, has nothing legal, and no ending says what then.
    let gap = game.apply(&mut p, go(1, 2)).unwrap_err();
    assert_eq!(gap.kind, FaultKind::Gap);
}

#[test]
fn silenced_abilities_and_conflicts_show() {
    let game = race();
    let mut p = game.start().unwrap();
    game.apply(&mut p, go(0, 1)).unwrap();
    let model = game.model();
    let turns = var(model, "turns");
    assert!(p.write(model, turns, 0, &Value::Int(2)));
    assert!(p.write(model, var(model, "active"), 0, &Value::Int(1)));
    let silenced = game.judge(&p, 1, go(1, 2));
    assert_eq!(silenced.reason, Reason::NoPermission);
    let fates: Vec<&Fate> = silenced.overruled.iter().map(|c| &c.fate).collect();
    assert_eq!(fates, [&Fate::Silenced(clause(model, "tired"))]);
    assert!(p.write(model, turns, 0, &Value::Int(4)));
    let conflict = game.judge(&p, 1, go(1, 1));
    assert_eq!((conflict.verdict, conflict.reason), (Verdict::Undecided, Reason::Conflict));
    assert_eq!(conflict.deciding.len(), 2);
    assert!(conflict.fault.is_some());
    assert!(game.options(&p).is_err());
    let now = lawspeaker::check::expression(model, "turns").unwrap();
    assert_eq!(game.eval(&p, &now).unwrap().0, Value::Int(4));
    assert!(game.nevers(&p).unwrap().is_empty());
}

#[test]
fn endings_end_the_game() {
    let game = race();
    let mut p = game.start().unwrap();
    let model = game.model();
    assert!(p.write(model, var(model, "Piece.at"), 0, &Value::Int(2)));
    game.apply(&mut p, go(0, 3)).unwrap();
    let Status::Over(outcome) = game.status(&p).unwrap() else {
        panic!("White should have won");
    };
    assert_eq!((outcome.winners, outcome.scores), (vec![0], vec![1, 0]));
    assert_eq!(game.judge(&p, 1, go(1, 1)).reason, Reason::GameOver);
    assert_eq!(game.view(&p, 1).winners, Some(vec![0]));
}
