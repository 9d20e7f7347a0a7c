//! Examples that tell only what matters: what stands as at the start of the game and can be otherwise is left out.

use super::Finder;
use super::example::Example;
use crate::explain::Explainer;
use crate::explain::partial::{Entry, full};
use crate::game::{Evaluator as _, Fault, Position};
use crate::model::{Base, Model, Value};

/// The maximum number of other values that are tried for one fact.
const MAX_OTHERS: usize = 64;

impl Finder {
    /// The same example with fewer facts. A fact that is not as at the start becomes so, if the clauses still conflict;
    /// one that is so is not told, if they conflict whatever else it is.
    pub(super) fn shrunk(&self, mut example: Example, rules: &Explainer) -> Example {
        let model = self.model();
        let Ok(blank) = rules.blank() else { return example };
        let broken = rules.nevers(&example.position).unwrap_or_default();
        let told: Vec<Entry> = example.partial.entries().map(|(entry, _)| entry.clone()).collect();
        for entry in told {
            let (Some(now), Some(first)) = (held(model, &example.position, &entry), held(model, &blank, &entry)) else {
                continue;
            };
            if now == first {
                let others = full(&entry, model).values(MAX_OTHERS).into_iter().chain(full(&entry, model).ends());
                let mut others = others.filter(|value| *value != now);
                let clashes = |value| {
                    let position = with(model, &example.position, &entry, value)?;
                    clash(rules, &example, &position)
                };
                if others.all(|value| clashes(value).is_some()) {
                    example.partial.forget(&entry);
                }
            } else if let Some(position) = with(model, &example.position, &entry, first)
                && let Some(fault) = clash(rules, &example, &position)
                && rules.nevers(&position).is_ok_and(|nevers| nevers.iter().all(|n| broken.contains(n)))
            {
                example.partial.forget(&entry);
                (example.position, example.fault) = (position, fault);
            }
        }
        example
    }
}

/// The conflict of an example at another position, if it is there too.
fn clash(rules: &Explainer, example: &Example, position: &Position) -> Option<Fault> {
    let any_legal = example.partial.any_legal();
    rules.clash_in_play(position, &example.conflict, &example.args, any_legal)
}

/// The value of a variable's entry, or whether something is in a set. `None` if it is neither.
fn held(model: &Model, position: &Position, entry: &Entry) -> Option<Option<i32>> {
    match entry {
        Entry::Cell(var, index) => match position.read(model, *var, *index as usize) {
            Value::Int(i) => Some(Some(i)),
            Value::None => Some(None),
            _ => None,
        },
        Entry::Item(var, index, item) => match position.read(model, *var, *index as usize) {
            Value::Set(set) => Some(Some(i32::from(set.contains(*item as usize)))),
            _ => None,
        },
        _ => None,
    }
}

/// A position with another value for an entry, if it can have it.
fn with(model: &Model, position: &Position, entry: &Entry, value: Option<i32>) -> Option<Position> {
    let mut position = position.clone();
    let (var, index, value) = match entry {
        Entry::Cell(var, index) => (*var, *index, value.map_or(Value::None, Value::Int)),
        Entry::Item(var, index, item) => {
            let Value::Set(mut set) = position.read(model, *var, *index as usize) else { return None };
            match value {
                Some(0) | None => set.remove(*item as usize),
                Some(_) => set.insert(*item as usize),
            };
            (*var, *index, Value::Set(set))
        }
        _ => return None,
    };
    let optional = model.vars.get(var.i()).is_some_and(|v| v.ty.optional || matches!(v.ty.base, Base::Bool));
    if value == Value::None && !optional {
        return None;
    }
    position.write(model, var, index as usize, &value).then_some(position)
}
