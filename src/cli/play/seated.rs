//! Who sits at the seats, and how a bot decides.

use lawspeaker::game::{Choice, Question, SeenOption};
use lawspeaker::players::{Look, Player};
use lawspeaker::search::Sight;

use super::table::Table;
use crate::cli::Stop;

/// Who decides for a seat.
pub enum PlayerAt {
    /// A person at this terminal.
    Person,
    /// A program.
    Bot(Box<dyn Player>),
}

/// The options of a seat as it reads them.
pub fn seen_options(table: &Table<'_>, seat: u16) -> Result<Vec<SeenOption>, Stop> {
    let session = table.session;
    let seen = session.rules.evaluators().seen_options(&table.position, seat, &session.lang);
    seen.map_err(|fault| session.fault(&fault))
}

/// Lets a bot decide. There must be an option.
pub fn decide(table: &mut Table<'_>, bot: &mut dyn Player, question: &Question) -> Result<(), Stop> {
    // Where nothing is hidden the options are what the seat sees of them.
    let seen = match table.session.model().hides() {
        true => seen_options(table, question.seat)?,
        false => table.options()?.into_iter().map(SeenOption::open).collect(),
    };
    let firsts: Vec<Choice> = seen.iter().filter_map(|o| o.choices.first().copied()).collect();
    let eyes = Sight::new(table.session.rules.evaluators());
    let chosen = bot.choose(&Look::new(&eyes, &table.position, question.seat), &firsts);
    if let Some(option) = seen.get(chosen).or(seen.first())
        && let Some(choice) = table.draw(&option.choices)
    {
        table.choose(Some(question.clone()), choice)?;
    }
    Ok(())
}
