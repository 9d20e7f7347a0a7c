//! `play --json`: a game played by another program, in lines of JSON. `docs/bots.md` describes them.

use std::io::{self, Write as _};

use lawspeaker::game::{Question, SeenOption, Status, Told};
use lawspeaker::library::Unusable;
use lawspeaker::plain;
use serde_json::{Value as Json, json};

use super::input::read;
use super::seated::{PlayerAt, decide, seen_options};
use super::seen_json::view;
use super::table::Table;
use super::talk::Leaving;
use super::view::Viewer;
use crate::cli::Stop;
use crate::cli::screen::Screen;

/// The number of the protocol. It changes when a message changes its meaning.
const PROTOCOL: u32 = 1;

/// A game at a table, told to a program that decides for the seats of persons.
pub struct Wire<'a, 'd> {
    table: &'a mut Table<'d>,
    players: &'a mut [PlayerAt],
    screen: &'a mut Screen,
    /// For each seat how many plies it has been told of.
    told: Vec<usize>,
}

impl<'a, 'd> Wire<'a, 'd> {
    /// Before the first message.
    pub fn new(table: &'a mut Table<'d>, players: &'a mut [PlayerAt], screen: &'a mut Screen) -> Wire<'a, 'd> {
        let told = vec![table.done.len(); players.len()];
        Wire { table, players, screen, told }
    }

    /// Plays until the game is over, or the other program writes no more.
    pub fn run(&mut self) -> Result<Leaving, Stop> {
        self.begin()?;
        loop {
            match self.table.status()? {
                Status::Over(outcome) => {
                    let words = self.table.session.outcome(&outcome);
                    let winners: Vec<String> = outcome.winners.iter().map(|seat| self.id(*seat)).collect();
                    let happened: serde_json::Map<String, Json> =
                        self.persons().into_iter().map(|seat| (self.id(seat), self.happened(seat))).collect();
                    self.send(&json!({
                        "over": words, "winners": winners, "scores": outcome.scores, "happened": happened,
                    }))?;
                    return Ok(Leaving::Over);
                }
                Status::Chance(_) => match self.table.roll()? {
                    Some(outcome) => self.table.choose(None, outcome)?,
                    None => return Err(self.stuck()),
                },
                Status::Decision(question) => {
                    if self.decision(&question)? == Leaving::Gone {
                        return Ok(Leaving::Gone);
                    }
                }
            }
        }
    }

    fn begin(&mut self) -> Result<(), Stop> {
        let seats: Vec<String> = (0..self.players.len()).map(|seat| self.id(seat as u16)).collect();
        let yours: Vec<String> = self.persons().into_iter().map(|seat| self.id(seat)).collect();
        let model = self.table.session.model();
        let file = self.table.file().display().to_string();
        self.send(&json!({
            "lawspeaker": PROTOCOL, "game": model.name, "seats": seats, "yours": yours, "record": file,
        }))
    }

    fn decision(&mut self, question: &Question) -> Result<Leaving, Stop> {
        if self.table.options()?.is_empty() {
            return Err(self.stuck());
        }
        if let Some(PlayerAt::Bot(bot)) = self.players.get_mut(usize::from(question.seat)) {
            decide(self.table, bot.as_mut(), question)?;
            return Ok(Leaving::Over);
        }
        let options = seen_options(self.table, question.seat)?;
        let happened = self.happened(question.seat);
        let session = self.table.session;
        let texts: Vec<&str> = options.iter().map(|option| option.text.as_str()).collect();
        self.send(&json!({
            "decides": self.id(question.seat),
            "ply": self.table.done.len() + 1,
            "asked": session.asked_in(question),
            "happened": happened,
            "view": view(session.model(), &session.rules.view(&self.table.position, question.seat)),
            "options": texts,
        }))?;
        loop {
            let line = if self.screen.closed() { None } else { read(&mut io::stdin().lock()) };
            let Some(line) = line else { return Ok(Leaving::Gone) };
            if line.trim().is_empty() {
                continue;
            }
            match chosen(&line, &options) {
                Ok(option) => {
                    if let Some(choice) = self.table.draw(&option.choices) {
                        self.table.choose(Some(question.clone()), choice)?;
                    }
                    return Ok(Leaving::Over);
                }
                Err(error) => self.send(&json!({ "error": error.message, "help": error.help }))?,
            }
        }
    }

    /// What a seat has not been told yet, as it is told.
    fn happened(&mut self, seat: u16) -> Json {
        let viewer = Viewer::new(self.table.session, Some(seat));
        let from = self.told.get(usize::from(seat)).copied().unwrap_or(0);
        let line = |i: usize| {
            let done = self.table.done.get(i)?;
            let after = self.table.done.get(i + 1).map_or(&self.table.position, |next| &next.before);
            let said = match viewer.told(&done.before, after, done.choice) {
                Told::Said(words) => Json::from(words),
                Told::Secret => Json::Null,
            };
            let who = done.question.as_ref().map(|question| self.id(question.seat));
            Some(json!({ "ply": i + 1, "who": who, "said": said }))
        };
        let told: Vec<Json> = (from..self.table.done.len()).filter_map(line).collect();
        if let Some(count) = self.told.get_mut(usize::from(seat)) {
            *count = self.table.done.len();
        }
        Json::from(told)
    }

    /// The seats for which the other program decides.
    fn persons(&self) -> Vec<u16> {
        let seats = self.players.iter().zip(0..);
        seats.filter(|(player, _)| matches!(player, PlayerAt::Person)).map(|(_, seat)| seat).collect()
    }

    /// What a seat is called in the rules.
    fn id(&self, seat: u16) -> String {
        let seats = self.table.session.model().kinds.first().map(|kind| &kind.members);
        seats.and_then(|seats| seats.get(usize::from(seat))).map_or_else(String::new, |member| member.id.clone())
    }

    fn send(&mut self, message: &Json) -> Result<(), Stop> {
        writeln!(self.screen, "{}", plain::json(&message.to_string()))?;
        self.screen.flush()?;
        Ok(())
    }

    fn stuck(&self) -> Stop {
        let help = "the rules leave a decision without an option; the record leads there";
        let message = format!("nothing can be chosen after ply {}", self.table.done.len());
        Unusable::new(message, help).into()
    }
}

/// The option that a line names: `{"choice": 0}` by its place, `{"choice": "e2-e4"}` by its text.
fn chosen<'o>(line: &str, options: &'o [SeenOption]) -> Result<&'o SeenOption, Unusable> {
    let form = "write {\"choice\": N}, where N is the place of an option, from 0, or its text";
    let message: Json =
        serde_json::from_str(line).map_err(|e| Unusable::new(format!("this line is not JSON: {e}"), form))?;
    let Some(choice) = message.get("choice") else {
        return Err(Unusable::new("there is no `choice` in this line", form));
    };
    let found = match (choice.as_u64(), choice.as_str()) {
        (Some(place), _) => usize::try_from(place).ok().and_then(|place| options.get(place)),
        (_, Some(text)) => options.iter().find(|option| option.text == text),
        _ => None,
    };
    let last = options.len().saturating_sub(1);
    let message = || format!("{choice} is not an option. Write the text of an option, or its number: 0 to {last}");
    found.ok_or_else(|| Unusable::new(message(), form))
}
