//! A referee: may a seat do this here, and why?
//!
//! `cargo run --example referee -- confrontation ford.position "Frodo to Mordor"`

use std::error::Error;

use lawspeaker::{Rules, Status};

/// Without arguments this is ruled on.
const POSITION: &str = "given confrontation\n  Frodo at Rohan   Flying Nazgul at Cardolan\n  Good to move\n";
const MOVE: &str = "Frodo to Mordor";

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let rules = Rules::open(&args.next().unwrap_or_else(|| String::from("confrontation")))?;
    let text = args.next().map_or_else(|| Ok(String::from(POSITION)), std::fs::read_to_string)?;
    let asked = args.next().unwrap_or_else(|| String::from(MOVE));
    let position = rules.position(&text)?;
    let Status::Decision(question) = rules.status(&position)? else {
        println!("no seat decides here");
        return Ok(());
    };
    let choice = rules.read(&position, &asked)?;
    let ruling = rules.judge(&position, question.seat, choice);
    print!("{}", rules.ruling_text(&position, question.seat, choice, &ruling));
    Ok(())
}
