//! One round of what comes back to the same position.

use super::eval::fault;
use super::events::Spot;
use crate::game::{Fault, FaultDetail, FaultKind};
use crate::model::{CodeId, CodeKind, InstrKind, Model};

/// The instructions of a round, with how many codes are active at each.
#[derive(Default)]
pub(super) struct Round {
    passed: Vec<(usize, Spot)>,
}

impl Round {
    /// Goes through an instruction.
    pub fn pass(&mut self, depth: usize, spot: Spot) {
        self.passed.push((depth, spot));
    }

    /// Says where it goes round, and through what.
    pub fn fault(&self, model: &Model) -> Box<Fault> {
        let outer = self.passed.iter().map(|(depth, _)| *depth).min().unwrap_or(0);
        // Of loops in each other the outer one goes back furthest.
        let back = |spot: &Spot| {
            let instr = model.codes.get(spot.code.i())?.instrs.get(usize::from(spot.pc))?;
            let to = instr.kind.next(spot.pc).into_iter().filter(|to| *to <= spot.pc).min()?;
            matches!(instr.kind, InstrKind::Jump(_) | InstrKind::Unless(..)).then_some((to, instr.span))
        };
        let backs = self.passed.iter().enumerate().filter(|(_, (depth, _))| *depth == outer);
        let found = backs.filter_map(|(i, (_, spot))| Some((i, back(spot)?))).min_by_key(|(_, (to, _))| *to);
        let (head, span) = found.map_or((0, None), |(i, (_, span))| (i, Some(span)));
        // The round was not noticed at its head.
        let round = self.passed.iter().skip(head).chain(self.passed.iter().take(head));
        let mut codes: Vec<CodeId> = Vec::new();
        for (_, spot) in round.filter(|(depth, spot)| *depth > outer && spot.pc == 0) {
            if !codes.contains(&spot.code) {
                codes.push(spot.code);
            }
        }
        let clause = |code: &CodeId| match model.codes.get(code.i())?.kind {
            CodeKind::Hook(hook) => model.hooks.get(hook.i()).map(|h| h.clause),
            _ => None,
        };
        let clauses = codes.iter().filter_map(clause).collect();
        let found = fault(FaultKind::Endless, span.unwrap_or_default(), FaultDetail::SamePosition(codes));
        Box::new(Fault { clauses, ..*found })
    }
}
