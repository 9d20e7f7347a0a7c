//! Counters: numbers that only grow, and of which rules only ask whether they have reached a fixed number. As long as a
//! counter is away from these numbers it makes no difference how far it has come.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Arith, Base, Config, EndResult, Expr, ExprKind, Goal, InstrKind, Model, TemplatePart, Value, VarId, VarOwner,
};

/// A variable of the game that only grows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The variable.
    pub var: VarId,
    /// The numbers that it is compared with, and the greatest that it can be.
    pub asked: Vec<i32>,
}

#[derive(Default)]
struct Uses {
    other: BTreeSet<VarId>,
    asked: BTreeMap<VarId, Vec<i32>>,
}

impl Model {
    /// The counters of the rules under some options.
    #[must_use]
    pub fn counters(&self, config: &Config) -> Vec<Counter> {
        let mut uses = Uses::default();
        self.outside_codes(&mut |e| uses.look(e, config));
        for instr in self.codes.iter().flat_map(|c| &c.instrs) {
            if grown(&instr.kind).is_some() {
                continue;
            }
            uses.other.extend(instr.kind.writes());
            instr.kind.expressions().into_iter().for_each(|e| uses.look(e, config));
            let logs = match &instr.kind {
                InstrKind::Choose(choose) => vec![&choose.log, &choose.otherwise],
                InstrKind::Chance(chance) => vec![&chance.log],
                _ => Vec::new(),
            };
            if let InstrKind::Choose(choose) = &instr.kind {
                choose.until.iter().for_each(|e| uses.look(e, config));
            }
            logs.into_iter().flat_map(values).for_each(|e| uses.look(e, config));
        }
        let counter = |(i, var): (usize, &super::Var)| {
            let greatest = match var.ty.base {
                Base::Int => i32::MAX,
                Base::Range(_, hi) => hi,
                _ => return None,
            };
            let id = VarId(i as u16);
            if var.owner != VarOwner::Game || var.index.is_some() || uses.other.contains(&id) {
                return None;
            }
            let asked = uses.asked.get(&id).into_iter().flatten().copied().chain([greatest]);
            Some(Counter { var: id, asked: asked.collect() })
        };
        self.vars.iter().enumerate().filter_map(counter).collect()
    }

    /// All expressions that are looked at in play, without those of codes.
    fn outside_codes<'m>(&'m self, look: &mut impl FnMut(&'m Expr)) {
        self.vars.iter().filter_map(|v| v.init.as_ref()).for_each(&mut *look);
        self.clauses.iter().flat_map(|c| &c.when).for_each(&mut *look);
        for def in &self.defs {
            def.general.iter().chain(def.clauses.iter().map(|c| &c.value)).for_each(&mut *look);
        }
        for action in &self.actions {
            action.domain.iter().flatten().chain([&action.by]).chain(&action.until).for_each(&mut *look);
            values(&action.log).for_each(&mut *look);
            for must in &action.must {
                let (Goal::SoThat(goal) | Goal::Prefer(_, goal)) = &must.goal;
                look(goal);
            }
        }
        for end in &self.ends {
            match &end.result {
                EndResult::Wins(seat) | EndResult::Loses(seat) => look(seat),
                EndResult::Draw => {}
            }
        }
        self.score
            .iter()
            .chain(self.secrets.iter().flat_map(|s| [&s.seat].into_iter().chain(&s.until)))
            .for_each(&mut *look);
        self.marks.iter().filter_map(|m| m.when.as_ref()).for_each(&mut *look);
        self.tells.iter().flat_map(|t| t.when.iter().chain(values(&t.text))).for_each(&mut *look);
        self.brings.iter().flat_map(|b| &b.demands).flat_map(|d| &d.goal).for_each(look);
    }
}

fn values(template: &super::Template) -> impl Iterator<Item = &Expr> {
    let parts = template.parts.iter().chain(template.translations.iter().flat_map(|(_, parts)| parts));
    parts.filter_map(|part| match part {
        TemplatePart::Value(e) => Some(e),
        TemplatePart::Text(_) => None,
    })
}

/// The variable to which an instruction adds a fixed number.
fn grown(kind: &InstrKind) -> Option<VarId> {
    let InstrKind::Set(to, Expr { kind: ExprKind::Arith(Arith::Add, a, b), .. }) = kind else { return None };
    let more = |e: &Expr| matches!(e.kind, ExprKind::Const(Value::Int(i)) if i > 0);
    let grows = variable(a) == Some(to.var) && more(b) || variable(b) == Some(to.var) && more(a);
    (to.index.is_none() && grows).then_some(to.var)
}

fn variable(e: &Expr) -> Option<VarId> {
    match e.kind {
        ExprKind::Var { var, index: None } => Some(var),
        _ => None,
    }
}

/// A number that is the same in all positions.
fn fixed(e: &Expr, config: &Config) -> Option<i32> {
    match &e.kind {
        ExprKind::Const(Value::Int(i)) => Some(*i),
        ExprKind::Config(id) => config.0.get(id.i()).copied(),
        _ => None,
    }
}

impl Uses {
    fn look(&mut self, e: &Expr, config: &Config) {
        if let ExprKind::Compare(_, a, b) | ExprKind::Equal(a, b, _) = &e.kind {
            let asked = variable(a).zip(fixed(b, config)).or_else(|| variable(b).zip(fixed(a, config)));
            if let Some((var, number)) = asked {
                self.asked.entry(var).or_default().push(number);
                return;
            }
        }
        if let ExprKind::Var { var, .. } | ExprKind::Top(var, _) = &e.kind {
            self.other.insert(*var);
        }
        e.children().into_iter().for_each(|part| self.look(part, config));
    }
}
