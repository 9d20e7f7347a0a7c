//! What needs the bytes of a position, which only the library can change.

use std::sync::Arc;

use crate::check::check;
use crate::explain::Explainer;
use crate::facts::{Settings, config_of};
use crate::game::{Args, Choice, Evaluator as _};
use crate::model::ActionId;

#[test]
fn no_position_and_no_choice_makes_the_explaining_evaluator_panic() {
    let law = include_str!("../../tests/race/race.law");
    let model = check(&[("race.law".to_owned(), law.to_owned())], &[]).model.unwrap();
    let config = config_of(&model, &Settings::default()).unwrap();
    let game = Explainer::new(Arc::new(model), config);
    let go = |piece, to| Choice::Act(ActionId(0), Args::new(&[piece, to]));
    let start = game.start().unwrap();
    let mut position = start.clone();
    for i in 0..start.bytes().len() {
        for b in [1, 7, 255] {
            position.bytes_mut().copy_from_slice(&start.bytes());
            position.bytes_mut()[0] = 0;
            position.bytes_mut()[i] = b;
            for choice in [go(0, 1), go(9, 99), Choice::Pass, Choice::Value(-1)] {
                let _ = (game.judge(&position, 0, choice), game.say(&position, choice, "ja"));
                let _ = (game.view(&position, 1), game.candidates(&position));
                let _ = game.apply(&mut position.clone(), choice);
            }
        }
    }
}
