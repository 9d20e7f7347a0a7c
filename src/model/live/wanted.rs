//! Of which variables of a code it matters at an instruction what is known: those that it may still look at. What is
//! known of the others only tells places apart that are alike.

use std::collections::BTreeSet;

use crate::model::{Code, ExprKind, InstrKind, VarId};

/// For each instruction of a code, its own variables that are looked at from there on before they are set anew.
pub fn wanted(code: &Code) -> Vec<BTreeSet<VarId>> {
    let own: BTreeSet<VarId> = code.vars.iter().copied().collect();
    let mut wanted: Vec<BTreeSet<VarId>> = vec![BTreeSet::new(); code.instrs.len()];
    loop {
        let mut changed = false;
        for (at, instr) in code.instrs.iter().enumerate().rev() {
            let mut here = BTreeSet::new();
            let mut next = instr.kind.next(at as u16);
            next.extend(matches!(instr.kind, InstrKind::Finish(_)).then_some(code.finally));
            for to in next {
                here.extend(wanted.get(usize::from(to)).into_iter().flatten().copied());
            }
            here.retain(|var| own.contains(var) && !set_anew(&instr.kind).contains(var));
            looked_at(&instr.kind, &mut here);
            if let Some(place) = wanted.get_mut(at).filter(|place| **place != here) {
                *place = here;
                changed = true;
            }
        }
        if !changed {
            return wanted;
        }
    }
}

fn looked_at(kind: &InstrKind, found: &mut BTreeSet<VarId>) {
    for e in kind.expressions() {
        e.walk(&mut |e| {
            if let ExprKind::Var { var, .. } = &e.kind {
                found.insert(*var);
            }
        });
    }
    match kind {
        InstrKind::Next { set, .. } => found.extend([*set]),
        InstrKind::Change(change) => found.extend(change.parts().1.iter().map(|target| target.var)),
        _ => {}
    }
}

fn set_anew(kind: &InstrKind) -> Vec<VarId> {
    match kind {
        InstrKind::Set(to, _) if to.index.is_none() => vec![to.var],
        // A loop that ends leaves its variable, but nothing looks at it then.
        InstrKind::Next { into, .. } => vec![*into],
        InstrKind::Choose(_) | InstrKind::Chance(_) | InstrKind::Reset(_) => kind.fills(),
        _ => Vec::new(),
    }
}
