//! What a ruling saw in words.

use super::{Lexicon, fill};
use crate::game::{Considered, Derived, Fate, Reason, Seen, SeenMember, SeenPart, Shown, Subject, Witness};
use crate::model::{ClauseId, ClauseKind, ConfigId, Layer};

impl Lexicon<'_> {
    /// Of what a condition saw: what has a value, and the value.
    #[must_use]
    pub fn parts(&self, parts: &[SeenPart]) -> Vec<(String, String)> {
        self.told(parts).map(|(part, value)| (self.subject(part), value)).collect()
    }

    /// The same, a sentence each.
    #[must_use]
    pub fn saw(&self, seen: &Seen) -> Vec<String> {
        self.sentences(&seen.values)
    }

    /// Why a condition holds or fails, a sentence for each witness.
    #[must_use]
    pub fn because(&self, seen: &Seen) -> Vec<String> {
        let mut found: Vec<String> = seen.witnesses.iter().map(|w| self.witness(w)).collect();
        if seen.more > 0 {
            found.push(fill(self.words.would_more, &[&seen.more.to_string()]));
        }
        found
    }

    fn witness(&self, witness: &Witness) -> String {
        let mut said = self.model.sources.line(witness.span);
        let saw = self.sentences(&witness.values);
        // A value on its own is shown with its name.
        let itself = self.parts(&witness.values).first().is_some_and(|(what, _)| *what == said);
        match (itself, saw.split_first()) {
            (_, None) => {}
            (true, Some((first, []))) => said = first.clone(),
            (true, Some((first, rest))) => said = first.clone() + &self.words.bracketed(&rest.join(self.words.comma)),
            (false, _) => said += &self.words.bracketed(&saw.join(self.words.comma)),
        }
        let cites = |id: &ClauseId| self.model.clause(*id).map(|c| c.cites.as_slice()).filter(|c| !c.is_empty());
        if let Some(cites) = witness.by.iter().rev().find_map(cites) {
            said += &format!(" [{}]", cites.join(", "));
        }
        let members = self.sentences(&witness.members);
        if !members.is_empty() {
            said = fill(self.words.with_members, &[&said, &members.join(self.words.comma)]);
        }
        fill(if witness.holds { self.words.because_holds } else { self.words.because_fails }, &[&said])
    }

    fn sentences(&self, parts: &[SeenPart]) -> Vec<String> {
        let sentence = |(part, value): (&SeenPart, String)| match part.what {
            Subject::Action => fill(self.words.it_is, &[&value]),
            _ => fill(self.words.is, &[&self.subject(part), &value]),
        };
        self.told(parts).map(sentence).collect()
    }

    /// The parts with their values, but for those that would only say that a thing is itself.
    fn told<'s>(&self, parts: &'s [SeenPart]) -> impl Iterator<Item = (&'s SeenPart, String)> {
        let itself = |part: &SeenPart, value: &str| match part.what {
            Subject::Part(span) | Subject::Local(_, span) => self.model.sources.line(span) == value,
            Subject::Action | Subject::Best | Subject::WayTo(_) => false,
        };
        let parts = parts.iter().map(|part| (part, self.shown(&part.value)));
        parts.filter(move |(part, value)| !itself(part, value))
    }

    /// A clause with what it cites: `may move "forward" [move.2]`.
    #[must_use]
    pub fn cited(&self, id: ClauseId) -> String {
        let title = self.clause(id);
        match self.model.clause(id) {
            Some(c) if !c.cites.is_empty() => format!("{title} [{}]", c.cites.join(", ")),
            _ => title,
        }
    }

    /// What became of a clause: `gives way to may not move "full"`.
    #[must_use]
    pub fn fate(&self, fate: &Fate) -> String {
        match fate {
            Fate::Applies => self.words.applies.to_owned(),
            Fate::Fails => self.words.does_not_apply.to_owned(),
            Fate::Silenced(by) => fill(self.words.silenced_by, &[&self.cited(*by)]),
            Fate::Beaten(by) => fill(self.words.gives_way_to, &[&self.cited(*by)]),
            Fate::UsedUp => self.words.used_up.to_owned(),
        }
    }

    /// The holder of a clause's ability, where several have it.
    #[must_use]
    pub fn holder(&self, considered: &Considered) -> Option<String> {
        let ability = self.model.clause(considered.clause)?.ability?;
        let ability = self.model.abilities.get(ability.i())?;
        (ability.holders.len() > 1).then_some(())?;
        Some(self.member(ability.kind, considered.holder?))
    }

    /// A text, where one has it of its holder: `may move "forward" of Sam`.
    #[must_use]
    pub fn held(&self, text: &str, considered: &Considered) -> String {
        match self.holder(considered) {
            Some(holder) => fill(self.words.of, &[text, &holder]),
            None => text.to_owned(),
        }
    }

    /// The same, with the number that it gives: `-1 by plus prowess "tapped"`.
    #[must_use]
    pub fn giving(&self, text: &str, considered: &Considered) -> String {
        let held = self.held(text, considered);
        let Some(number) = considered.number else { return held };
        let number = match self.model.clause(considered.clause).map(|c| c.kind) {
            Some(ClauseKind::Layer(Layer::Plus)) => format!("{number:+}"),
            Some(ClauseKind::Layer(Layer::Times)) => format!("×{number}"),
            _ => number.to_string(),
        };
        fill(self.words.gives, &[&number, &held])
    }

    /// The reason of a ruling in a sentence.
    #[must_use]
    pub fn reason(&self, reason: &Reason) -> String {
        let whose = match reason {
            Reason::NotYourDecision(Some(seat)) => self.seat(*seat),
            _ => String::new(),
        };
        self.words.reason(reason, &whose)
    }

    fn subject(&self, part: &SeenPart) -> String {
        let what = match part.what {
            Subject::Part(span) | Subject::Local(_, span) => self.model.sources.line(span),
            Subject::Action => self.words.it.to_owned(),
            Subject::Best => self.words.best.to_owned(),
            Subject::WayTo(member) => fill(self.words.way_to, &[&self.seen_member(member)]),
        };
        if part.after { fill(self.words.after_it, &[&what]) } else { what }
    }

    fn shown(&self, shown: &Shown) -> String {
        match shown {
            Shown::Value(value) => self.shortened(value),
            Shown::Unseen => self.words.unseen.to_owned(),
            Shown::Alternative(reading, choice) => self.alternative(*reading, *choice),
            Shown::Way(None, members) => self.way(members),
            Shown::Way(Some(total), members) => format!("{}, {}", self.value(total), self.way(members)),
            Shown::Side(one, other) => fill(self.words.side, &[&self.seen_member(*one), &self.seen_member(*other)]),
            Shown::ActionOf(whose) => fill(self.words.action_of, &[&self.value(whose)]),
        }
    }

    /// `Bree - Rivendell (1) - Moria (3)`.
    fn way(&self, members: &[(SeenMember, Option<i32>)]) -> String {
        let said = |(member, total): &(SeenMember, Option<i32>)| match total {
            Some(total) => format!("{} ({total})", self.seen_member(*member)),
            None => self.seen_member(*member),
        };
        members.iter().map(said).collect::<Vec<_>>().join(" - ")
    }

    /// The name of an alternative of a reading.
    #[must_use]
    pub fn alternative(&self, reading: ConfigId, choice: i32) -> String {
        let item = self.model.config.get(reading.i());
        let known = item.and_then(|item| item.choices.get(usize::try_from(choice).ok()?));
        known.map_or_else(|| choice.to_string(), |c| c.name.clone())
    }

    /// A definition with its value: `strength(Sam) is 5`.
    #[must_use]
    pub fn derived(&self, derived: &Derived) -> String {
        let says = fill(self.words.is, &[&self.applied(&derived.what), &self.shortened(&derived.value)]);
        if derived.after { fill(self.words.after_it, &[&says]) } else { says }
    }
}
