//! Expectations about a list that a seat brings.

use super::Because;
use super::complaint::{Complaint, complaint};
use super::expect::{Bench, is_meant};
use crate::facts::Piece;
use crate::game::{Considered, Fate, ListRuling, Reason, Ruling, Verdict};
use crate::list;
use crate::rulings::{Depth, list_ruling_text, verdict_words};

impl Bench<'_> {
    /// Checks a list against the clauses on it; the position does not matter.
    pub(super) fn brings(
        &mut self,
        name: &str,
        seat: Option<&str>,
        list: &str,
        verdict: Verdict,
        because: &[Because],
    ) -> Result<(), Complaint> {
        self.last = None;
        let model = self.rules.model();
        let explainer = self.rules.explainer();
        let bring = list::bring_named(model, name).map_err(Complaint::of)?;
        let seat = seat.map_or(Ok(0), |s| self.seat(s))?;
        let lines = [Piece { text: list.to_owned(), line: 1, column: 1 }];
        let said = |faults: Vec<crate::facts::FactFault>| {
            let words: Vec<String> = faults.into_iter().map(|f| f.message).collect();
            words.join(", ")
        };
        let list = crate::list::members(explainer, bring, seat, &lines).map_err(said)?;
        let list_ruling = explainer.list_ruling(bring, seat, &list).map_err(|f| f.words(model))?;
        let deciding = deciding(&list_ruling);
        self.clauses.extend(list_ruling.demands.iter().filter(|d| d.kept.is_some()).map(|d| d.by.clause));
        let words = || list_ruling_text(explainer, &list_ruling, Depth::Short, "").trim_end().to_owned();
        let result = if list_ruling.verdict != verdict {
            Err(complaint!("it is {}. The ruling on it is:\n{}", verdict_words(list_ruling.verdict), words()))
        } else {
            let meant = |b: &Because| deciding.iter().any(|c| is_meant(model, c.clause, b));
            let missing = because.iter().find(|b| !meant(b));
            missing
                .map_or(Ok(()), |b| Err(complaint!("{b} is not among the reasons. The ruling on it is:\n{}", words())))
        };
        self.last = Some(as_ruling(&list_ruling, deciding));
        result
    }
}

/// The clauses that a list breaks, or that cannot be decided; otherwise those that it keeps.
fn deciding(list_ruling: &ListRuling) -> Vec<Considered> {
    let demands = list_ruling.demands.iter();
    let deciding = demands.filter(|d| match list_ruling.verdict {
        Verdict::Legal => d.kept == Some(true),
        Verdict::Illegal => d.kept == Some(false),
        Verdict::Undecided => d.fault.is_some(),
    });
    deciding.map(|d| d.by.clone()).collect()
}

/// Makes `overruled` and `depends on` usable as after any ruling.
fn as_ruling(list_ruling: &ListRuling, deciding: Vec<Considered>) -> Ruling {
    let by = list_ruling.demands.iter().map(|d| &d.by);
    let overruled = by.filter(|c| !matches!(c.fate, Fate::Applies | Fate::Fails));
    Ruling {
        deciding,
        overruled: overruled.cloned().collect(),
        derived: list_ruling.demands.iter().flat_map(|d| d.derived.iter().cloned()).collect(),
        readings: list_ruling.readings.clone(),
        ..Ruling::new(list_ruling.verdict, Reason::Offered)
    }
}
