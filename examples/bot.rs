//! A bot in thirty lines: of its options it takes the one that leaves its opponent the fewest.
//!
//! `cargo run --example bot -- classics/tic-tac-toe`

use lawspeaker::{Choice, Position, Rules, RulesError, Status};

fn main() -> Result<(), RulesError> {
    let game = std::env::args().nth(1).unwrap_or_else(|| String::from("tic-tac-toe"));
    let rules = Rules::open(&game)?;
    let mut position = rules.start()?;
    for ply in 1..=200 {
        let choice = match rules.status(&position)? {
            Status::Over(outcome) => {
                println!("{}", rules.outcome_words(&outcome, ""));
                return Ok(());
            }
            Status::Decision(_) => fewest_answers(&rules, &position)?,
            Status::Chance(_) => rules.options(&position)?.first().copied(),
        };
        let Some(choice) = choice else { break };
        println!("{ply}. {}", rules.say(&position, choice));
        rules.apply(&mut position, choice)?;
    }
    println!("given up");
    Ok(())
}

/// The option after which there are the fewest options; the first of several.
fn fewest_answers(rules: &Rules, position: &Position) -> Result<Option<Choice>, RulesError> {
    let mut best = None;
    for choice in rules.options(position)? {
        let mut next = position.clone();
        rules.apply(&mut next, choice)?;
        let answers = rules.options(&next)?.len();
        if best.is_none_or(|(fewest, _)| answers < fewest) {
            best = Some((answers, choice));
        }
    }
    Ok(best.map(|(_, choice)| choice))
}
