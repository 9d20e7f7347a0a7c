//! Several steps that are typed at once: `G1 east east, shoots at Orc`.

use lawspeaker::game::{Meant, Question, SeenOption};
use lawspeaker::lexicon::fill;
use lawspeaker::notation;
use lawspeaker::rulings::Depth;
use lawspeaker::spelling::bare;

use super::{Next, Talk, Turn};
use crate::cli::Stop;
use crate::cli::play::grouped::subject;

/// Steps that are taken of one line at the most.
const MAX_STEPS: usize = 100;

impl Talk<'_, '_> {
    /// Makes the choices that a line names one after another, as long as the same seat decides. `None` if the line does
    /// not begin with an option.
    pub(super) fn steps(
        &mut self,
        question: &Question,
        options: &[SeenOption],
        text: &str,
    ) -> Result<Option<Next>, Stop> {
        let words = text.replace([',', ';', '、'], " , ");
        let words: Vec<&str> = words.split_whitespace().collect();
        let Some((first, taken)) = begun(options, &words, "") else { return Ok(None) };
        if words.get(taken..).unwrap_or_default().iter().all(|w| *w == ",") {
            return Ok(None);
        }
        let model = self.table.session.model();
        let mut rest = words.get(taken..).unwrap_or_default();
        let mut about = subject(model, &self.table.session.lang, first).unwrap_or_default();
        self.choose(question, &first.clone())?;
        let from = self.table.done.len() - 1;
        for _ in 0..MAX_STEPS {
            while let [",", after @ ..] = rest {
                rest = after;
            }
            if rest.is_empty() {
                break;
            }
            let (next, options) = match self.turn()? {
                Turn::Person(next, options) if next.seat == question.seat => (next, options),
                turn @ (Turn::Only(..) | Turn::Chance) => {
                    self.play(&turn)?;
                    continue;
                }
                _ => break,
            };
            let Some((option, taken)) = begun(&options, rest, &about) else { break };
            if let Some(now) = subject(model, &self.table.session.lang, option) {
                about = now;
            }
            self.choose(&next, &option.clone())?;
            rest = rest.get(taken..).unwrap_or_default();
        }
        // All of it is told.
        self.told = from;
        if !rest.is_empty() {
            self.left(question.seat, rest, &about)?;
        }
        Ok(Some(Next::Go))
    }
}

impl Talk<'_, '_> {
    /// Says that the rest of a line was not played, and why.
    fn left(&mut self, seat: u16, rest: &[&str], about: &str) -> Result<(), Stop> {
        let left = rest.join(" ").replace(" ,", ",");
        match self.turn()? {
            Turn::Person(next, _) | Turn::Bot(next) if next.seat != seat => {
                let name = self.table.session.seat_name(Some(next.seat));
                self.say(fill(self.words().steps_other, &[&left, &name]));
            }
            _ => {
                self.say(fill(self.words().steps_left, &[&left]));
                let words: Vec<&str> = rest.iter().copied().take_while(|word| *word != ",").collect();
                let own = words.join(" ");
                let explainer = self.table.session.rules.explainer();
                let ways = [own.clone(), format!("{about} {own}")];
                let read = |way: &String| notation::read_seen(explainer, &self.table.position, seat, way).ok();
                if let Some(meant @ Meant::Other(_)) = ways.iter().find_map(read) {
                    self.rule_on(seat, &meant, Depth::Short);
                }
            }
        }
        Ok(())
    }
}

/// The option that some words begin with, and how many of them are its notation: the longest. `about` stands before
/// what does not say what it is about.
fn begun<'o>(options: &'o [SeenOption], words: &[&str], about: &str) -> Option<(&'o SeenOption, usize)> {
    let written: Vec<(&SeenOption, String)> = options.iter().map(|o| (o, bare(&o.text))).collect();
    let until = words.iter().position(|w| *w == ",").unwrap_or(words.len());
    (1..=until).rev().find_map(|n| {
        let own = words.get(..n)?.join(" ");
        let ways = [bare(&own), bare(&format!("{about} {own}"))];
        let mut found = written.iter().filter(|(_, text)| !text.is_empty() && ways.contains(text));
        let first = found.next()?;
        // Two that are written alike are not told apart here.
        found.next().is_none().then_some((first.0, n))
    })
}
