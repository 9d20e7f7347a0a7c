//! Where the rules ask for options and readings.

use std::collections::BTreeMap;

use crate::model::{ConfigId, EndResult, Expr, ExprKind, Goal, Model};

/// For each place at which an option or reading is asked for: its file and first byte.
pub(super) fn asked(model: &Model) -> BTreeMap<(u32, u32), ConfigId> {
    let mut found = BTreeMap::new();
    let mut look = |e: &Expr| {
        e.walk(&mut |e| {
            if let ExprKind::Config(id) = e.kind {
                found.insert((e.span.file, e.span.start), id);
            }
        });
    };
    model.clauses.iter().flat_map(|c| &c.when).for_each(&mut look);
    for def in &model.defs {
        def.general.iter().chain(def.clauses.iter().map(|c| &c.value)).for_each(&mut look);
    }
    for action in &model.actions {
        look(&action.by);
        action.domain.iter().flatten().chain(&action.until).for_each(&mut look);
        for must in &action.must {
            match &must.goal {
                Goal::SoThat(e) | Goal::Prefer(_, e) => look(e),
            }
        }
    }
    model.codes.iter().flat_map(|c| &c.instrs).flat_map(|i| i.kind.expressions()).for_each(&mut look);
    model.vars.iter().filter_map(|v| v.init.as_ref()).for_each(&mut look);
    model.brings.iter().flat_map(|b| &b.demands).flat_map(|d| &d.goal).for_each(&mut look);
    for end in &model.ends {
        match &end.result {
            EndResult::Wins(e) | EndResult::Loses(e) => look(e),
            EndResult::Draw => {}
        }
    }
    model.score.iter().for_each(&mut look);
    found
}
