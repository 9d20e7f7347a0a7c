//! What is taken back and played again, and what needs a yes before.

use lawspeaker::game::{Position, View};
use lawspeaker::lexicon::fill;
use lawspeaker::spelling::fold;

use super::{Next, Talk};
use crate::cli::Stop;
use crate::cli::play::table::Done;

/// What somebody must say yes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// That plies are taken back, from this one on.
    Back(usize),
    /// That a seat gives up.
    Resign(u16),
}

impl Talk<'_, '_> {
    /// Takes back the last choice that a person made and what came of it. If anybody has seen something since that was
    /// hidden, the others are asked.
    pub(super) fn undo(&mut self) -> Result<Next, Stop> {
        let persons: Vec<u16> = self.persons().collect();
        let by_person = |d: &Done| d.question.as_ref().is_some_and(|q| persons.contains(&q.seat));
        let mut at = self.table.done.len();
        let found = loop {
            let Some(before) = at.checked_sub(1) else { break None };
            at = before;
            let Some(done) = self.table.done.get(at) else { break None };
            // What was taken without a question would be taken again at once.
            if by_person(done) && !(self.brief && self.is_only(done)) {
                break done.question.as_ref().map(|q| q.seat);
            }
        };
        let Some(seat) = found else {
            self.say(self.words().nothing_undone);
            return Ok(Next::Again);
        };
        let others: Vec<u16> = persons.into_iter().filter(|p| *p != seat).collect();
        let agreed = others.iter().all(|other| self.looking == Some(*other));
        if agreed || !self.seen_since(at) {
            return self.take_back(at);
        }
        let names: Vec<String> = others.iter().map(|other| self.table.session.seat_name(Some(*other))).collect();
        let names = names.join(self.table.session.lexicon().words.comma);
        let name = self.table.session.seat_name(Some(seat));
        self.say(fill(self.words().undo_asks, &[&(at + 1).to_string(), &name, &names]));
        self.asked = Some(Asked::Back(at));
        Ok(Next::Again)
    }

    /// Whether the decision had one option only.
    fn is_only(&self, done: &Done) -> bool {
        let seat = done.question.as_ref().map_or(0, |q| q.seat);
        let evaluators = self.table.session.rules.evaluators();
        let seen = evaluators.seen_options(&done.before, seat, &self.table.session.lang);
        seen.is_ok_and(|seen| seen.len() == 1)
    }

    /// Whether chance has spoken since a ply, or any seat has come to know what it did not know before it.
    fn seen_since(&self, at: usize) -> bool {
        let since = self.table.done.get(at..).unwrap_or_default();
        if since.iter().any(|d| d.question.is_none()) {
            return true;
        }
        let Some(before) = since.first().map(|d| &d.before).filter(|_| self.table.session.model().hides()) else {
            return false;
        };
        let rules = &self.table.session.rules;
        let seats = self.players.iter().zip(0..).map(|(_, seat)| seat);
        let view = |position: &Position, seat: u16| rules.view(position, seat);
        let after = || since.iter().skip(1).map(|d| &d.before).chain([&self.table.position]);
        seats.into_iter().any(|seat| {
            let known = view(before, seat);
            after().any(|position| learned(&known, &view(position, seat)))
        })
    }

    fn take_back(&mut self, at: usize) -> Result<Next, Stop> {
        self.undone = self.table.back_to(at)?;
        self.told = self.told.min(at);
        self.covered.retain(|i| *i < at);
        self.say(fill(self.words().undone, &[&(at + 1).to_string()]));
        Ok(Next::Go)
    }

    /// Plays again what was taken back.
    pub(super) fn redo(&mut self) -> Result<Next, Stop> {
        let undone = std::mem::take(&mut self.undone);
        if undone.is_empty() {
            self.say(self.words().nothing_redone);
            return Ok(Next::Again);
        }
        for (question, choice) in undone {
            self.table.choose(question, choice)?;
        }
        Ok(Next::Go)
    }

    /// Asks whether a seat really gives up.
    pub(super) fn resign(&mut self, seat: u16) -> Next {
        self.say(fill(self.words().resign_asks, &[&self.table.session.seat_name(Some(seat))]));
        self.asked = Some(Asked::Resign(seat));
        Next::Again
    }

    /// What a line means where a yes was asked for; `None` if none was, or the line is something else.
    pub(super) fn consented(&mut self, line: &str) -> Result<Option<Next>, Stop> {
        let Some(asked) = self.asked.take() else { return Ok(None) };
        let (typed, words) = (fold(line), self.words());
        let said = |all: &str| all.split_whitespace().any(|word| word == typed);
        if said(words.yes_typed) {
            return match asked {
                Asked::Back(at) => self.take_back(at).map(Some),
                Asked::Resign(seat) => {
                    self.table.resign(seat)?;
                    self.say(fill(words.resigned, &[&self.table.session.seat_name(Some(seat))]));
                    Ok(Some(Next::Leave))
                }
            };
        }
        if said(words.no_typed) || typed.is_empty() {
            self.say(words.as_it_was);
            return Ok(Some(Next::Again));
        }
        Ok(None)
    }
}

/// Whether a view shows which members things are, or what lies in piles, that an earlier view did not.
fn learned(before: &View, after: &View) -> bool {
    let members = after.kinds.iter().any(|kind| {
        let was = before.kind(kind.kind);
        was.is_some_and(|was| kind.known.iter().any(|m| was.member(m.member).is_none()))
    });
    let piles = after.piles.iter().filter(|p| p.size > 0 && p.members.is_some()).any(|pile| {
        let same = before.piles.iter().find(|p| (p.var, p.index) == (pile.var, pile.index));
        same.is_some_and(|was| was.members.is_none())
    });
    members || piles
}
