//! How a replay ended, in words.

use super::{Replay, ReplayEnd, Stop};
use crate::explain::Explainer;
use crate::game::{Choice, Evaluator as _, Outcome, Position};
use crate::lexicon::{Counted, Lexicon, fill};
use crate::model::PLAYER;
use crate::plain::clip;
use crate::rulings::text as ruling_text;
use crate::spelling::{distance, fold, nearest};

/// The maximum number of options listed where a record stops.
const MAX_LISTED_OPTIONS: usize = 12;

/// The maximum number of characters of the reason why a replay stops, which may quote a whole file.
const MAX_LINE_CHARACTERS: usize = 20_000;

impl Replay {
    /// How it ended, in a language. The referee has the rules that the record was replayed with.
    #[must_use]
    pub fn words(&self, referee: &Explainer, lang: &str) -> String {
        let lexicon = Lexicon::new(referee.model(), lang);
        let words = &lexicon.words.replay;
        let mut out = self.about_rules(referee, lang);
        match &self.end {
            ReplayEnd::Complete(outcome) => {
                let plies = lexicon.words.counts.of(Counted::Plies, self.plies.len());
                out.push_str(&fill(words.all_legal, &[&plies, &result(&lexicon, outcome.as_ref())]));
            }
            ReplayEnd::Stopped { ply, line, reason } => {
                let after = matches!(reason, Stop::WrongResult(_));
                let reason = self.said(reason, referee, &lexicon);
                let reason = clip(&reason, MAX_LINE_CHARACTERS);
                let (before, number, line_number) = (ply.saturating_sub(1), ply.to_string(), line.to_string());
                out.push_str(&match line {
                    // Errors in the beginning have their own places.
                    _ if *ply == 0 => reason.into_owned(),
                    _ if after => fill(words.after_ply, &[&before.to_string(), &line_number, &reason]),
                    0 => fill(words.at_ply, &[&number, &reason]),
                    _ => fill(words.at_line, &[&number, &line_number, &reason]),
                });
            }
        }
        out
    }

    /// That the record was made under other rules, in lines, if it was.
    #[must_use]
    pub fn about_rules(&self, referee: &Explainer, lang: &str) -> String {
        let words = &Lexicon::new(referee.model(), lang).words.replay;
        let mut out = String::new();
        if self.other_rules {
            out.push_str(words.other_rules);
            out.push('\n');
            if let Some(ply) = self.first_difference {
                out.push_str(&fill(words.first_difference, &[&ply.to_string()]));
                out.push('\n');
            }
        }
        out
    }

    /// Why it stopped, in a language; `None` if all of it was played.
    #[must_use]
    pub fn reason(&self, referee: &Explainer, lang: &str) -> Option<String> {
        match &self.end {
            ReplayEnd::Complete(_) => None,
            ReplayEnd::Stopped { reason, .. } => Some(self.said(reason, referee, &Lexicon::new(referee.model(), lang))),
        }
    }

    /// The options where it stopped, in a language; if there are too many to be listed, those most like a text come
    /// first.
    #[must_use]
    pub fn options(&self, referee: &Explainer, text: &str, lang: &str) -> Vec<String> {
        let Some(position) = &self.position else { return Vec::new() };
        let options = referee.options(position).unwrap_or_default();
        let mut said = referee.notations(position, lang).among(&options).each(&options);
        if said.len() > MAX_LISTED_OPTIONS {
            // No notation is much longer.
            let text: String = fold(text).chars().take(200).collect();
            said.sort_by_cached_key(|s| distance(&fold(s), &text));
        }
        said
    }

    fn said(&self, reason: &Stop, referee: &Explainer, lexicon: &Lexicon) -> String {
        let words = &lexicon.words.replay;
        let possible = |text: &str| {
            let options = self.options(referee, text, lexicon.lang);
            fill(words.possible, &[&lexicon.listed(&options, MAX_LISTED_OPTIONS)])
        };
        let who = |seat: &Option<u16>| seat.map_or_else(|| lexicon.who(None), |seat| lexicon.unique_seat(seat));
        match reason {
            Stop::NoBeginning(faults) => {
                let all: Vec<String> = faults.iter().map(ToString::to_string).collect();
                fill(words.no_beginning, &[&all.join("\n")])
            }
            Stop::NoStart(fault) => fill(words.no_beginning, &[&lexicon.fault(fault)]),
            Stop::Illegal { made, seat, choice, was_legal } => {
                let ruling = match (seat, &self.position) {
                    (Some(seat), Some(position)) => ruled(referee, position, (*seat, *choice), lexicon.lang),
                    _ => words.no_outcome.to_owned(),
                };
                let before = if *was_legal { format!("\n{}", words.was_legal) } else { String::new() };
                format!("{}{before}\n{}", ruling.trim_end(), possible(&made.text))
            }
            Stop::NoSuchMove(unread) => lexicon.unread(unread),
            Stop::NoSuchSeat { named, wanted } => {
                let count = lexicon.model.kinds.get(PLAYER.i()).map_or(0, |k| k.members.len());
                let seats: Vec<String> = (0..count).map(|seat| lexicon.unique_seat(seat as u16)).collect();
                let near = nearest(named, seats.iter().map(String::as_str).chain(["chance"]), 1);
                let all = lexicon.listed(&seats, MAX_LISTED_OPTIONS);
                fill(words.no_seat, &[named, &all, &lexicon.meant(&near), &who(wanted)])
            }
            Stop::WrongSeat { made, wanted } => {
                let recorded = format!("{}: {}", made.who, made.text);
                format!("{}\n{}", fill(words.wrong_seat, &[&recorded, &who(wanted)]), possible(&made.text))
            }
            Stop::WrongOptionCount { recorded, now } => {
                fill(words.wrong_count, &[&now.to_string(), &recorded.to_string()])
            }
            Stop::WrongDigest { recorded, now } => {
                fill(words.wrong_digest, &[&format!("{now:016x}"), &format!("{recorded:016x}")])
            }
            Stop::WrongResult(now) => fill(words.wrong_result, &[&result(lexicon, now.as_ref())]),
            Stop::AfterEnd(now) => fill(words.after_end, &[&result(lexicon, Some(now))]),
            Stop::Fault(fault) => fill(words.fault, &[&lexicon.fault(fault)]),
        }
    }
}

fn ruled(referee: &Explainer, position: &Position, (seat, choice): (u16, Choice), lang: &str) -> String {
    let ruling = referee.judge(position, seat, choice);
    ruling_text(referee, position, seat, choice, &ruling, lang)
}

/// The result of a game as the last line of a record has it.
fn result(lexicon: &Lexicon, outcome: Option<&Outcome>) -> String {
    let Some(outcome) = outcome else { return lexicon.words.replay.not_over.to_owned() };
    let play = &lexicon.words.play;
    let names: Vec<String> = outcome.winners.iter().map(|seat| lexicon.unique_seat(*seat)).collect();
    let who = match names.is_empty() {
        true => play.draw.to_owned(),
        false => fill(play.wins, &[&names.join(lexicon.words.comma)]),
    };
    let ending = lexicon.model.ends.get(outcome.ending);
    let who = ending.map_or_else(|| who.clone(), |end| lexicon.labelled(&who, end.clause));
    let scores: Vec<String> = outcome.scores.iter().map(i32::to_string).collect();
    fill(lexicon.words.replay.result, &[&who, &scores.join("-")]).trim_end().to_owned()
}
