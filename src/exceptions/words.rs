//! The clauses about one subject in words.

use super::{Branch, Note, Role, Says, Thing};
use crate::lexicon::{Lexicon, fill};
use crate::span::Span;

/// What puts subjects and the clauses about them into words.
#[derive(Clone, Copy, Debug)]
pub struct Teller<'a>(pub Lexicon<'a>);

impl Teller<'_> {
    /// What a subject is, in a word.
    #[must_use]
    pub fn sort(&self, thing: Thing) -> &'static str {
        let words = &self.0.words.tree;
        match thing {
            Thing::Def(_) => words.definition,
            Thing::Action(_) => words.action,
            Thing::Procedure(_) => words.procedure,
            Thing::Step(..) => words.step,
            Thing::Bring(_) => words.list,
            Thing::Ends => words.endings,
        }
    }

    /// How a subject is declared: `define strength(c: Character) -> Int`; or what it is, and its name.
    #[must_use]
    pub fn title(&self, thing: Thing) -> String {
        let model = self.0.model;
        let declared = match thing {
            Thing::Def(d) => model.defs.get(d.i()).map(|d| d.clause),
            Thing::Action(a) => model.actions.get(a.i()).map(|a| a.clause),
            Thing::Bring(b) => model.brings.get(b.i()).map(|b| b.clause),
            Thing::Procedure(_) | Thing::Step(..) | Thing::Ends => None,
        };
        let Some(clause) = declared.and_then(|c| model.clause(c)) else {
            return match thing {
                Thing::Ends => self.sort(thing).to_owned(),
                _ => format!("{} {}", self.sort(thing), thing.name(model)),
            };
        };
        let text = self.text(clause.span);
        let ends = [" = ", " cite ", " where ", " log ", " {", " \""];
        let end = ends.iter().filter_map(|e| text.find(e)).min().unwrap_or(text.len());
        text.get(..end).unwrap_or(&text).to_owned()
    }

    /// What a clause does there; empty if there is no more to say than what clause it is.
    #[must_use]
    pub fn role(&self, branch: &Branch) -> String {
        let words = &self.0.words.tree;
        let role = match branch.role {
            Role::General => words.general.to_owned(),
            Role::Own => self.kind(branch),
            Role::Plain => String::new(),
            Role::Silences => words.silenced_by.to_owned(),
            Role::Spares => words.spared_by.to_owned(),
            Role::SetsAside => words.set_aside_by.to_owned(),
        };
        if branch.but { fill(words.but, &[&role]) } else { role }
    }

    /// What clauses of its kind are called: `instead`, `may not`.
    #[must_use]
    pub fn kind(&self, branch: &Branch) -> String {
        self.0.model.clause(branch.clause).map_or_else(String::new, |c| self.0.words.clause(c.kind, "", ""))
    }

    /// What a clause gives, adds or asks; empty if there is nothing more to say.
    #[must_use]
    pub fn says(&self, says: &Says) -> String {
        let (words, play) = (&self.0.words.tree, &self.0.words.play);
        match says {
            Says::Nothing => String::new(),
            Says::NoValue => self.0.words.none.to_owned(),
            Says::Value(span) => self.text(*span),
            Says::SoThat(goal) => fill(words.so_that, &[&self.all(goal)]),
            Says::Prefer(true, span) => fill(words.prefer_most, &[&self.text(*span)]),
            Says::Prefer(false, span) => fill(words.prefer_least, &[&self.text(*span)]),
            Says::Wins(span) => fill(play.wins, &[&self.text(*span)]),
            Says::Loses(span) => fill(words.loses, &[&self.text(*span)]),
            Says::Draw => play.draw.to_owned(),
        }
    }

    /// The holders of a clause, by name.
    #[must_use]
    pub fn holders(&self, branch: &Branch) -> Vec<String> {
        branch.holders.iter().map(|(kind, member)| self.0.member(*kind, *member)).collect()
    }

    /// What else a clause is.
    #[must_use]
    pub fn note(&self, note: Note) -> String {
        let words = &self.0.words.tree;
        match note {
            Note::Once(span) => fill(words.once, &[&self.text(span)]),
            Note::Openly => words.openly.to_owned(),
            Note::AlsoBeats(clause) => fill(words.also_beats, &[&self.0.clause(clause)]),
            Note::Despite(clause) => fill(words.despite, &[&self.0.labelled("", clause)]),
        }
    }

    /// The conditions of a clause, each as it is written.
    #[must_use]
    pub fn conditions(&self, branch: &Branch) -> Vec<String> {
        branch.when.iter().map(|span| self.text(*span)).collect()
    }

    fn all(&self, spans: &[Span]) -> String {
        spans.iter().map(|span| self.text(*span)).collect::<Vec<_>>().join(self.0.words.and)
    }

    fn text(&self, span: Span) -> String {
        self.0.model.sources.line(span)
    }
}
