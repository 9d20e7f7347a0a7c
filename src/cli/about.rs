//! `? NAME` and `? EXPRESSION`: what there is to say of a member, and what a value is made of.

use std::io::Write as _;

use lawspeaker::game::{Derived, Position, Valuation};
use lawspeaker::model::KindId;
use lawspeaker::notation::Unread;
use lawspeaker::rules::RulesError;
use lawspeaker::rulings;
use lawspeaker::writing;
use serde_json::json;

use super::flags::{Format, ReportArgs};
use super::screen::Screen;
use super::session::Session;
use super::{Answer, Run, Stop, Unusable};

/// How many options or members are named that are like a text that is not understood.
pub const MAX_NEAR: usize = 3;

/// What can be asked so.
const ASKS: &str = "`? NAME` tells of a member, and `? EXPRESSION` of a value: '? strength(Sam)'";

/// Who asks, and where. Without a seat, all is seen.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    pub session: &'a Session,
    pub position: &'a Position,
    pub seat: Option<u16>,
    /// Whether all definitions are told that a value is made of.
    pub all: bool,
}

impl Asked<'_> {
    /// What there is to say of the members of different kinds that are called so; empty if there are none.
    pub fn cards(&self, name: &str) -> Vec<String> {
        let members = rulings::members_called(self.session.model(), name, &self.session.lang);
        members.into_iter().flat_map(|member| self.card(member)).collect()
    }

    /// What there is to say of one member.
    pub fn card(&self, member: (KindId, u16)) -> Vec<String> {
        let explainer = self.session.rules.explainer();
        rulings::member_card(explainer, self.position, self.seat, member, &self.session.lang)
    }

    /// The names of the members, a few at most, whose names have the words that were typed; or what there is to say of
    /// the one that has them.
    pub fn like(&self, typed: &str) -> Result<Vec<String>, Vec<String>> {
        let (lexicon, lang) = (self.session.lexicon(), &self.session.lang);
        match rulings::members_like(self.session.model(), typed, lang).as_slice() {
            [member] => Ok(self.card(*member)),
            several => {
                Err(several.iter().take(MAX_NEAR).map(|(kind, member)| lexicon.member(*kind, *member)).collect())
            }
        }
    }

    /// The value of an expression of the language, nothing if the seat does not see enough to tell; `None` if the text
    /// is no expression, or only a number.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn value(&self, text: &str) -> Result<Option<Option<Valuation>>, Stop> {
        let Ok(expr) = self.session.rules.expression(text) else { return Ok(None) };
        if text.trim().parse::<i64>().is_ok() {
            return Ok(None);
        }
        let found = self.session.rules.explainer().value_for(self.position, self.seat, &expr);
        found.map(Some).map_err(|fault| self.session.fault(&fault))
    }

    /// The same in words.
    pub fn valued(&self, text: &str, found: Option<&Valuation>) -> Vec<String> {
        let Asked { session, position, seat, all } = *self;
        match found {
            Some(found) => {
                let how = (all, session.lang.as_str());
                rulings::value_lines(session.rules.explainer(), (position, seat), (text.trim(), found), how)
            }
            None => vec![session.lexicon().words.card.not_seen.to_owned()],
        }
    }

    /// What an expression is worth, else what there is to say of the one member whose name has these words; else the
    /// names of those that have them.
    pub fn worth_or_like(&self, text: &str) -> Result<Vec<String>, Vec<String>> {
        match self.value(text) {
            Ok(Some(found)) => Ok(self.valued(text, found.as_ref())),
            _ => self.like(text),
        }
    }

    /// Answers `ask GAME '? TEXT'`.
    ///
    /// # Errors
    /// The text names nothing and is no expression; the answer cannot be written.
    pub fn answer(&self, text: &str, report: &ReportArgs, screen: &mut Screen) -> Run {
        let (lines, valued) = match self.cards(text) {
            lines if !lines.is_empty() => (lines, None),
            _ => match self.value(text)? {
                Some(found) => (self.valued(text, found.as_ref()), found),
                None => (self.like(text).map_err(|near| self.unknown(text, near))?, None),
            },
        };
        let said = match report.format() {
            Format::Text => lines.iter().map(|line| format!("{line}\n")).collect(),
            Format::Json => {
                let lexicon = self.session.lexicon();
                let derived = valued.as_ref().map(|found| {
                    let all: Vec<Derived> = found.made.iter().chain(&found.on_the_way).cloned().collect();
                    rulings::derived_json(&lexicon, &all)
                });
                let value = valued.as_ref().map(|found| lexicon.value(&found.value));
                format!("{:#}\n", json!({ "asked": text, "lines": lines, "value": value, "derived": derived }))
            }
            Format::Markdown | Format::Html => {
                let message = "`? ...` is answered as text or as JSON";
                return Err(Unusable::new(message, "leave --format out, or ask about an action").into());
            }
        };
        match &report.out.file {
            Some(file) => {
                writing::write(file, &said, report.out.policy())?;
                writeln!(screen, "written: {}", file.display())?;
            }
            None => write!(screen, "{said}")?,
        }
        Ok(Answer::Yes)
    }

    fn unknown(&self, text: &str, near: Vec<String>) -> Unusable {
        if text.is_empty() {
            return Unusable::new("`?` asks about nothing", ASKS);
        }
        let message = self.session.lexicon().unread(&Unread::Unknown(text.to_owned(), near));
        // What is wrong with it as an expression is told of what looks like one.
        let why = match self.session.rules.expression(text) {
            Err(RulesError::Expression(wrong)) if text.contains('(') => wrong.to_string(),
            _ => ASKS.to_owned(),
        };
        Unusable::new(message, why)
    }
}
