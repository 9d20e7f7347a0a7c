//! Which cells an action is about.

use super::Part;
use crate::game::{Choice, Position, Question};
use crate::model::{Base, ChooseWhat, FieldStore, InstrKind, KindId, Model};

/// The cells that a choice names, and those where the members that it names stand. `known` says whether the viewer
/// knows which member it is.
#[must_use]
pub fn parts(
    model: &Model,
    position: &Position,
    question: Option<&Question>,
    choice: Choice,
    known: &dyn Fn(KindId, u16) -> bool,
) -> Vec<(u16, Part)> {
    let Some(board) = &model.board else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (kind, member) in members(model, question, choice) {
        if kind == board.kind {
            found.push((member, Part::Named));
        }
        let shows = board.shown(kind).filter(|_| known(kind, member));
        let at = shows.and_then(|s| model.kinds.get(kind.i())?.fields.get(s.at));
        if let Some(FieldStore::Var(var)) = at.map(|f| &f.store)
            && let Some(cell) = position.read(model, *var, usize::from(member)).int()
            && let Ok(cell) = u16::try_from(cell)
        {
            found.push((cell, Part::From));
        }
    }
    found
}

/// The members that a choice names, with their kinds.
fn members(model: &Model, question: Option<&Question>, choice: Choice) -> Vec<(KindId, u16)> {
    let named = |(base, value): (&Base, i32)| match base {
        Base::Member(kind) => Some((*kind, u16::try_from(value).ok()?)),
        _ => None,
    };
    match choice {
        Choice::Act(id, args) => {
            let params = model.actions.get(id.i()).map_or(&[][..], |a| &a.params);
            let values = args.as_slice().iter().map(|v| i32::from(*v));
            params.iter().map(|(_, ty)| &ty.base).zip(values).filter_map(named).collect()
        }
        Choice::Value(value) => {
            question.and_then(|q| chosen_of(model, q)).and_then(|of| named((of, value))).into_iter().collect()
        }
        Choice::Yes | Choice::Pass => Vec::new(),
    }
}

/// What a question that is not about actions lets choose among.
fn chosen_of<'a>(model: &'a Model, question: &Question) -> Option<&'a Base> {
    let (code, at) = question.at;
    match &model.codes.get(code.i())?.instrs.get(usize::from(at))?.kind {
        InstrKind::Choose(choose) => match &choose.what {
            ChooseWhat::One { of, .. } | ChooseWhat::Several { of, .. } => Some(of),
            _ => None,
        },
        _ => None,
    }
}
