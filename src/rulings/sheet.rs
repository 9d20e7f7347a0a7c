//! A ruling taken apart for people: every sentence of it in the words of a language, ready to be set as text or as a
//! page.

use super::citing::{cites_of, fate};
use super::text::{alternative, depends, moment, paraphrases_of, reason};
use super::words::{Words, fill};
use crate::explain::Explainer;
use crate::game::{Choice, Considered, Derived, Evaluator as _, Fate, Position, Reason, Ruling, Seen, Verdict};
use crate::lexicon::Lexicon;
use crate::model::{self, ClauseId, ClauseKind, Config, Model};

/// How deep exceptions to exceptions are followed.
const MAX_DERIVATION_DEPTH: usize = 8;

/// A clause of the rulebook that is cited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cite {
    /// `move.2`.
    pub id: String,
    /// The line of the rulebook; empty if the register does not say.
    pub line: String,
    /// What the register says of it; empty if it does not.
    pub says: String,
    /// What is unclear about it, and which readings of it are in force.
    pub doubts: Vec<String>,
}

impl Cite {
    /// `move.2 (line 42)`.
    #[must_use]
    pub fn named(&self, words: &Words) -> String {
        match self.line.as_str() {
            "" => self.id.clone(),
            line => self.id.clone() + &words.bracketed(&fill(words.rulebook_line, &[line])),
        }
    }
}

/// A condition with what it saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Whether it holds.
    pub holds: bool,
    /// The condition as the rules have it.
    pub text: String,
    /// What it saw, a sentence each.
    pub saw: Vec<String>,
    /// Why it holds or fails: the members and definitions that decide, a sentence each.
    pub because: Vec<String>,
}

/// A clause with what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// `may move "forward"`.
    pub title: String,
    /// What it cites.
    pub cites: Vec<Cite>,
    /// File and line.
    pub place: String,
    /// Whether it applies and stands.
    pub stands: bool,
    /// `gives way to ...`; empty for one that applies.
    pub fate: String,
    /// What is cited by the clause that overrules it.
    pub by: Vec<Cite>,
    /// Its conditions.
    pub conditions: Vec<Held>,
    /// What overrules it, and what overrules that.
    pub under: Vec<Line>,
}

/// Clauses of one sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// `permissions`.
    pub title: &'static str,
    /// Its clauses, those that stand first.
    pub lines: Vec<Line>,
}

/// A definition on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defined {
    /// `strength(Sam) is 5`.
    pub says: String,
    /// The clauses that made it: the general rule, what overrode it, what overrode that.
    pub lines: Vec<Line>,
}

/// A ruling in sentences.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The words it is in.
    pub words: &'static Words,
    /// Who asks.
    pub seat: String,
    /// What for.
    pub action: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Why, in a sentence.
    pub reason: String,
    /// The clauses that decide it.
    pub deciding: Vec<Line>,
    /// They also forbid it: it is illegal anyway.
    pub besides: bool,
    /// What is needed or asked.
    pub demands: Vec<Held>,
    /// The clause that would ask for the action and does not.
    pub withheld: Option<Line>,
    /// Where an action is asked for that is not asked for now, and whose decision it is instead.
    pub moment: Vec<String>,
    /// What an obligation asks, and not what the action needs.
    pub obliged: bool,
    /// The clauses that lost.
    pub lost: Vec<Line>,
    /// A permission among them was silenced: that is the answer, not the next one.
    pub silenced: bool,
    /// Permissions that do not reach it, the nearest first.
    pub misses: Vec<Line>,
    /// All clauses that were considered.
    pub layers: Vec<Layer>,
    /// Clauses with their exceptions as trees.
    pub exceptions: Vec<Line>,
    /// Definitions that some clause changed.
    pub definitions: Vec<Defined>,
    /// A fault of the rules.
    pub fault: Option<String>,
    /// The readings on which it depends.
    pub depends: Vec<String>,
}

/// How a ruling is put into words.
struct Writer<'a> {
    model: &'a Model,
    ruling: &'a Ruling,
    lexicon: Lexicon<'a>,
    words: &'static Words,
    config: &'a Config,
}

/// A sort of clauses: what it is called, and which heads belong to it.
type Sort = (&'static str, fn(ClauseKind) -> bool);

impl Sheet {
    /// Of a ruling in a language.
    #[must_use]
    pub fn new(
        referee: &Explainer,
        position: &Position,
        (seat, choice): (u16, Choice),
        ruling: &Ruling,
        lang: &str,
    ) -> Sheet {
        let model = referee.model();
        let lexicon = Lexicon::new(model, lang);
        let writer = Writer { model, ruling, lexicon, words: lexicon.words, config: referee.config() };
        let all = |list: &[Considered]| list.iter().map(|c| writer.line(c)).collect::<Vec<Line>>();
        let fates = ruling.overruled.iter().map(|c| &c.fate);
        let moment_conditions = ruling.moment.iter().flat_map(|m| &m.conditions);
        Sheet {
            words: writer.words,
            seat: lexicon.seat(seat),
            action: super::said(referee, position, (seat, choice), ruling, lang),
            verdict: ruling.verdict,
            reason: reason(&lexicon, ruling),
            deciding: all(&ruling.deciding),
            besides: matches!(ruling.reason, Reason::NoPermission | Reason::NoSuchAction | Reason::NotYourDecision(_)),
            demands: ruling.conditions.iter().chain(moment_conditions).map(|s| writer.held(s)).collect(),
            withheld: ruling.moment.as_ref().and_then(|m| m.withheld()).map(|c| writer.line(c)),
            moment: moment(&lexicon, ruling),
            obliged: ruling.reason == Reason::ObligationUnmet,
            lost: all(&ruling.overruled),
            silenced: fates.into_iter().any(|f| matches!(f, Fate::Silenced(_))),
            misses: all(&ruling.misses),
            layers: writer.layers(ruling),
            exceptions: writer.exceptions(ruling),
            definitions: ruling.derived.iter().map(|d| writer.defined(d)).collect(),
            fault: ruling.fault.as_ref().map(|f| lexicon.fault(f)),
            depends: depends(&lexicon, referee.config(), &ruling.readings),
        }
    }

    /// `Good: Frodo to Mordor: illegal, no permission reaches it`.
    #[must_use]
    pub fn headline(&self) -> String {
        let (words, colon) = (self.words, self.words.colon);
        let (seat, action, reason) = (&self.seat, &self.action, &self.reason);
        format!("{seat}{colon}{action}{colon}{}{}{reason}", words.verdict(self.verdict), words.comma)
    }

    /// How many clauses were considered.
    #[must_use]
    pub fn considered(&self) -> usize {
        self.layers.iter().map(|l| l.lines.len()).sum()
    }
}

impl Line {
    /// Title and citations: `may move "forward" [move.2]`.
    #[must_use]
    pub fn cited(&self) -> String {
        let ids: Vec<&str> = self.cites.iter().map(|c| c.id.as_str()).collect();
        if ids.is_empty() { self.title.clone() } else { format!("{} [{}]", self.title, ids.join(", ")) }
    }
}

impl Held {
    /// The condition with what it saw.
    #[must_use]
    pub fn said(&self, words: &Words) -> String {
        if self.saw.is_empty() {
            return self.text.clone();
        }
        format!("{}{}", self.text, words.bracketed(&self.saw.join(words.comma)))
    }
}

impl Writer<'_> {
    fn held(&self, seen: &Seen) -> Held {
        let (saw, because) = (self.lexicon.saw(seen), self.lexicon.because(seen));
        Held { holds: seen.holds, text: self.model.sources.line(seen.span), saw, because }
    }

    /// What a clause cites, as far as the ruling is about it.
    fn cites(&self, considered: &Considered) -> Vec<Cite> {
        cites_of(self.model, self.ruling, considered).into_iter().map(|id| self.cite(id)).collect()
    }

    /// What is cited by a clause that beat another.
    fn cites_of_winner(&self, id: ClauseId) -> Vec<Cite> {
        match self.ruling.deciding.iter().find(|c| c.clause == id) {
            Some(considered) => self.cites(considered),
            None => {
                let bare = Considered::bare(id);
                self.cites(&bare)
            }
        }
    }

    fn cite(&self, id: &str) -> Cite {
        let row = self.model.register.iter().find(|r| r.id == id);
        let unclear = row.map(|r| r.ambiguity.as_str()).filter(|text| !text.is_empty());
        let unclear = unclear.map(|text| fill(self.words.unclear, &[text]));
        let readings = self.model.config.iter().zip(&self.config.0);
        let taken = readings.filter(|(item, _)| item.is_reading() && item.cites.iter().any(|c| c == id));
        let taken = taken.map(|(item, now)| {
            let grounds = usize::try_from(*now).ok().and_then(|i| item.choices.get(i)).map(|c| &c.grounds);
            let grounds = grounds.map_or("", |g| g.get(self.lexicon.lang));
            fill(self.words.reading_taken, &[&item.name, &alternative(item, *now), grounds])
        });
        Cite {
            id: id.to_owned(),
            line: row.map_or_else(String::new, |r| r.line.clone()),
            says: paraphrases_of(self.model, id, self.lexicon.lang),
            doubts: unclear.into_iter().chain(taken).collect(),
        }
    }

    fn line(&self, considered: &Considered) -> Line {
        let clause = self.model.clause(considered.clause);
        let title = self.lexicon.clause(considered.clause);
        Line {
            title: self.lexicon.giving(&title, considered),
            cites: self.cites(considered),
            by: beaten_by(&considered.fate).map_or_else(Vec::new, |by| self.cites_of_winner(by)),
            place: clause.map_or_else(String::new, |c| {
                let (file, line, _) = self.model.sources.place(c.span);
                format!("{file}:{line}")
            }),
            stands: considered.fate == Fate::Applies,
            fate: if considered.fate == Fate::Applies {
                String::new()
            } else {
                fate(&self.lexicon, self.ruling, &considered.fate)
            },
            conditions: considered.conditions.iter().map(|s| self.held(s)).collect(),
            under: Vec::new(),
        }
    }

    /// All that was considered, sort by sort.
    fn layers(&self, ruling: &Ruling) -> Vec<Layer> {
        let heads = &self.words.heads;
        let sorts: [Sort; 4] = [
            (heads.permissions, |k| k == ClauseKind::May),
            (heads.prohibitions, |k| k == ClauseKind::MayNot),
            (heads.obligations, |k| k == ClauseKind::Must),
            (heads.other_clauses, |k| !matches!(k, ClauseKind::May | ClauseKind::MayNot | ClauseKind::Must)),
        ];
        let all = || ruling.deciding.iter().chain(&ruling.overruled).chain(&ruling.misses).chain(&ruling.idle);
        let kind = |c: &Considered| self.model.clause(c.clause).map(|c| c.kind);
        let layer = |(title, of): Sort| {
            let lines: Vec<Line> = all().filter(|c| kind(c).is_some_and(of)).map(|c| self.line(c)).collect();
            (!lines.is_empty()).then_some(Layer { title, lines })
        };
        sorts.into_iter().filter_map(layer).collect()
    }

    fn exceptions(&self, ruling: &Ruling) -> Vec<Line> {
        let all: Vec<&Considered> = ruling.deciding.iter().chain(&ruling.overruled).collect();
        self.trees(&all).into_iter().filter(|l| !l.under.is_empty()).collect()
    }

    /// The clauses that overrule no other, each with what overrules it below it.
    fn trees(&self, all: &[&Considered]) -> Vec<Line> {
        let overrules = |id: ClauseId| all.iter().any(|c| beaten_by(&c.fate) == Some(id));
        let roots = all.iter().filter(|c| !overrules(c.clause));
        roots.map(|c| self.tree(c, all, 0)).collect()
    }

    fn tree(&self, considered: &Considered, all: &[&Considered], depth: usize) -> Line {
        let mut line = self.line(considered);
        if let Some(by) = beaten_by(&considered.fate).filter(|_| depth < MAX_DERIVATION_DEPTH) {
            let bare = Considered::bare(by);
            let known = all.iter().find(|c| c.clause == by).copied();
            line.under = vec![self.tree(known.unwrap_or(&bare), all, depth + 1)];
        }
        line
    }

    fn defined(&self, derived: &Derived) -> Defined {
        let says = self.lexicon.derived(derived);
        let general = self.model.defs.get(derived.what.def.i()).filter(|d| d.general.is_some()).map(|d| d.clause);
        // A replaced general rule is not among the clauses that were asked.
        let first = derived.by.first();
        let replaced = general.zip(first).filter(|(g, f)| {
            f.clause != *g
                && self.model.clause(f.clause).is_some_and(|c| c.kind == ClauseKind::Layer(model::Layer::Instead))
        });
        let root =
            replaced.map(|(clause, by)| Considered { fate: Fate::Beaten(by.clause), ..Considered::bare(clause) });
        let all: Vec<&Considered> = root.iter().chain(&derived.by).collect();
        Defined { says, lines: self.trees(&all) }
    }
}

fn beaten_by(fate: &Fate) -> Option<ClauseId> {
    match fate {
        Fate::Silenced(by) | Fate::Beaten(by) => Some(*by),
        _ => None,
    }
}
