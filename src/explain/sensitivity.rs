//! How a verdict depends on the readings: at a position, and after the moves that led there.

use std::sync::Arc;

use super::Explainer;
use super::coverage::{Coverage, CoverageMode};
use super::decision::{DecisionPoint, rest};
use super::note::Silent;
use crate::game::{Choice, Cover, Evaluator, History, Position, ReadingEffect, Sensitivity, Together, Verdict};
use crate::model::{Config, ConfigId};

/// A question about a choice, and how the position came about.
#[derive(Clone, Copy)]
struct Inquiry<'a> {
    history: &'a History,
    seat: u16,
    choice: Choice,
}

impl Inquiry<'_> {
    /// The number of steps before the question: the beginning, and the choices.
    fn steps(&self) -> usize {
        1 + self.history.choices.len()
    }
}

/// What a step comes to: step 0 is the beginning, the last is the question.
enum Came {
    /// The position after it.
    To(Position),
    /// Nothing: what was chosen cannot be chosen.
    Nowhere,
    /// The answer to the question.
    Verdict(Verdict),
}

/// What some readings come to, the others in force or indifferent. No verdict: the position would not have come about.
struct Leaf {
    /// The readings that were evaluated, with their alternatives.
    chosen: Vec<(ConfigId, i32)>,
    verdict: Option<Verdict>,
}

/// The way to the verdict under the readings in force.
struct Way {
    /// Before each step the position, and the readings that the step read.
    steps: Vec<(Position, Vec<ConfigId>)>,
    verdict: Option<Verdict>,
}

impl Explainer {
    /// The readings each of which changes the answer by itself, with its alternatives and the verdict under them; no
    /// verdict where the position would not have come about.
    pub(super) fn alone(&self, history: &History, seat: u16, choice: Choice, verdict: Verdict) -> Vec<ReadingEffect> {
        if !self.model.config.iter().any(|c| c.is_reading()) {
            return Vec::new();
        }
        let inquiry = Inquiry { history, seat, choice };
        let other = |(id, verdicts): (ConfigId, Vec<Option<Verdict>>)| {
            let others = (0..).zip(verdicts).filter(|(_, other)| *other != Some(verdict));
            let others: Vec<(i32, Option<Verdict>)> = others.collect();
            (!others.is_empty()).then_some((id, others))
        };
        self.table(inquiry, &self.way(inquiry)).into_iter().filter_map(other).collect()
    }

    /// The verdict under other readings: under all combinations of them, or, where more than `most` had to be judged
    /// for that, under each alternative by itself and each pair. The choices of the history are made again under each;
    /// where one cannot be made, the position would not have come about.
    #[must_use]
    pub fn sensitivity(&self, history: &History, seat: u16, choice: Choice, most: usize) -> Sensitivity {
        let inquiry = Inquiry { history, seat, choice };
        let way = self.way(inquiry);
        let verdict = way.verdict.unwrap_or(Verdict::Undecided);
        let mut leaves = Vec::new();
        let cover = if self.grow(inquiry, (0, &self.placeholder), most, &mut Vec::new(), &mut leaves) {
            Cover::All
        } else {
            leaves = self.pairs(inquiry, &way);
            Cover::Pairs
        };
        let count = |wanted: &dyn Fn(Option<Verdict>) -> bool| {
            let weight = |leaf: &Leaf| match cover {
                Cover::All => self.combinations(&leaf.chosen),
                Cover::Pairs => 1,
            };
            leaves.iter().filter(|l| wanted(l.verdict)).map(weight).fold(0, u64::saturating_add)
        };
        Sensitivity {
            verdict,
            table: self.table(inquiry, &way),
            cover,
            played: !history.is_as_it_stands(),
            combinations: count(&|_| true),
            differing: count(&|v| v.is_some_and(|v| v != verdict)),
            unreached: count(&|v| v.is_none()),
            others: self.fewest(&leaves, verdict),
        }
    }

    /// The readings with how many alternatives they have.
    fn readings(&self) -> impl Iterator<Item = (ConfigId, i32)> + '_ {
        let all = self.model.config.iter().enumerate().filter(|(_, item)| item.is_reading());
        all.map(|(i, item)| (ConfigId(i as u16), item.choices.len() as i32))
    }

    fn current(&self, id: ConfigId) -> i32 {
        self.config.0.get(id.i()).copied().unwrap_or(0)
    }

    /// The same rules under some other alternatives.
    fn under(&self, chosen: &[(ConfigId, i32)]) -> Explainer {
        let mut config: Config = self.config.clone();
        for (id, value) in chosen {
            if let Some(place) = config.0.get_mut(id.i()) {
                *place = *value;
            }
        }
        self.other(config)
    }

    /// How many combinations have these alternatives.
    fn combinations(&self, chosen: &[(ConfigId, i32)]) -> u64 {
        let free = self.readings().filter(|(id, _)| !chosen.iter().any(|(c, _)| c == id));
        free.fold(1, |n: u64, (_, choices)| n.saturating_mul(u64::try_from(choices).unwrap_or(1)))
    }

    /// What a step comes to, and the options and readings that it reads.
    fn came(&self, inquiry: Inquiry, step: usize, position: &Position) -> (Came, Vec<ConfigId>) {
        let trace = Arc::new(Coverage::new(&self.model));
        let tracing = Some(CoverageMode { trace: Arc::clone(&trace), quiet: true });
        let traced = Explainer { tracing, ..self.clone() };
        let reached = match (step.checked_sub(1), &inquiry.history.opening) {
            (None, Some(opening)) => Some(opening.clone()),
            (None, None) => traced.start().ok(),
            (Some(i), _) => match inquiry.history.choices.get(i) {
                Some(choice) => traced.made(position, *choice),
                None => {
                    let (verdict, _) = traced.verdict(position, inquiry.seat, inquiry.choice);
                    return (Came::Verdict(verdict), trace.read());
                }
            },
        };
        (reached.map_or(Came::Nowhere, Came::To), trace.read())
    }

    /// The position after a choice, if it can be made.
    fn made(&self, position: &Position, choice: Choice) -> Option<Position> {
        let possible = match rest(&self.model, position).ok()? {
            DecisionPoint::Over => false,
            DecisionPoint::Decision(choose, ..) => {
                let seat = self.at::<Silent>(position).seat(choose).ok()?;
                self.verdict(position, seat, choice).0 == Verdict::Legal
            }
            DecisionPoint::Chance(chance, ..) => self.at::<Silent>(position).outcomes(chance).ok()?.contains(&choice),
        };
        let mut position = position.clone();
        (possible && self.apply(&mut position, choice).is_ok()).then_some(position)
    }

    fn way(&self, inquiry: Inquiry) -> Way {
        let mut way = Way { steps: Vec::new(), verdict: None };
        let mut position = Position::clone(&self.placeholder);
        for step in 0..=inquiry.steps() {
            let (came, read) = self.came(inquiry, step, &position);
            way.steps.push((position.clone(), read));
            match came {
                Came::To(next) => position = next,
                Came::Nowhere => break,
                Came::Verdict(verdict) => way.verdict = Some(verdict),
            }
        }
        way
    }

    /// The verdict under some other alternatives. What precedes the first step that reads one of them is as it was.
    fn fixed(&self, inquiry: Inquiry, way: &Way, chosen: &[(ConfigId, i32)]) -> Option<Verdict> {
        let reads = |read: &[ConfigId]| chosen.iter().any(|(id, v)| *v != self.current(*id) && read.contains(id));
        let Some(first) = way.steps.iter().position(|(_, read)| reads(read)) else {
            return way.verdict;
        };
        let under = self.under(chosen);
        let mut position = way.steps.get(first)?.0.clone();
        for step in first..=inquiry.steps() {
            match under.came(inquiry, step, &position).0 {
                Came::To(next) => position = next,
                Came::Nowhere => return None,
                Came::Verdict(verdict) => return Some(verdict),
            }
        }
        None
    }

    /// Goes on from a step under all combinations of the readings that are evaluated from there; others decide nothing.
    /// `false` if there are too many.
    fn grow(
        &self,
        inquiry: Inquiry,
        (step, position): (usize, &Position),
        most: usize,
        chosen: &mut Vec<(ConfigId, i32)>,
        leaves: &mut Vec<Leaf>,
    ) -> bool {
        if leaves.len() >= most {
            return false;
        }
        let under = self.under(chosen);
        let mut position = position.clone();
        for step in step..=inquiry.steps() {
            let (came, read) = under.came(inquiry, step, &position);
            let open = |id: &ConfigId| read.contains(id) && !chosen.iter().any(|(c, _)| c == id);
            if let Some((id, choices)) = self.readings().find(|(id, _)| open(id)) {
                return (0..choices).all(|value| {
                    chosen.push((id, value));
                    let all = self.grow(inquiry, (step, &position), most, chosen, leaves);
                    chosen.pop();
                    all
                });
            }
            let verdict = match came {
                Came::To(next) => {
                    position = next;
                    continue;
                }
                Came::Nowhere => None,
                Came::Verdict(verdict) => Some(verdict),
            };
            leaves.push(Leaf { chosen: chosen.clone(), verdict });
            return true;
        }
        true
    }

    /// Judges under the readings in force, under each other alternative and under each two of them.
    fn pairs(&self, inquiry: Inquiry, way: &Way) -> Vec<Leaf> {
        let others = |(id, choices): (ConfigId, i32)| {
            let current = self.current(id);
            (0..choices).filter(move |v| *v != current).map(move |v| (id, v))
        };
        let single: Vec<(ConfigId, i32)> = self.readings().flat_map(others).collect();
        let mut sets = vec![Vec::new()];
        for (i, one) in single.iter().enumerate() {
            sets.push(vec![*one]);
            let after = single.iter().skip(i + 1).filter(|other| other.0 != one.0);
            sets.extend(after.map(|other| vec![*one, *other]));
        }
        let judged = |chosen: Vec<(ConfigId, i32)>| {
            let verdict = self.fixed(inquiry, way, &chosen);
            Leaf { chosen, verdict }
        };
        sets.into_iter().map(judged).collect()
    }

    fn table(&self, inquiry: Inquiry, way: &Way) -> Vec<(ConfigId, Vec<Option<Verdict>>)> {
        let row =
            |(id, choices): (ConfigId, i32)| (id, (0..choices).map(|v| self.fixed(inquiry, way, &[(id, v)])).collect());
        self.readings().map(row).collect()
    }

    /// Of what changes the answer, the sets of alternatives that contain no smaller one, the smallest first.
    fn fewest(&self, leaves: &[Leaf], verdict: Verdict) -> Vec<Together> {
        let other = |(id, value): &&(ConfigId, i32)| self.current(*id) != *value;
        let differing = leaves.iter().filter(|l| l.verdict != Some(verdict));
        let mut sets: Vec<Together> =
            differing.map(|l| (l.chosen.iter().filter(other).copied().collect(), l.verdict)).collect();
        sets.sort_by_key(|(set, _)| (set.len(), set.clone()));
        let mut kept: Vec<Together> = Vec::new();
        for (set, verdict) in sets {
            let known = |(few, same): &Together| *same == verdict && few.iter().all(|one| set.contains(one));
            if !kept.iter().any(known) {
                kept.push((set, verdict));
            }
        }
        kept
    }
}
