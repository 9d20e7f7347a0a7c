//! The clauses about one subject as a tree.

use super::Thing;
use super::find::hooks;
use crate::model::{AbilityId, Action, ClauseId, Def, DefClause, EndResult, Goal, KindId, Layer, Model, Silence};
use crate::span::Span;

/// What a clause does among the clauses about one subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is the general rule.
    General,
    /// It does what its kind of clause does: `instead`, `may not`.
    Own,
    /// It is one of several of which nothing more is to be said.
    Plain,
    /// It silences the clause above it.
    Silences,
    /// It spares the clause from what would silence it.
    Spares,
    /// It sets the prohibition above it aside.
    SetsAside,
}

/// What a clause gives, adds or asks; places are those of expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// There is nothing more to say.
    Nothing,
    /// It gives no value.
    NoValue,
    /// Its value.
    Value(Span),
    /// What must be so.
    SoThat(Vec<Span>),
    /// What is to be as great as possible, or as small.
    Prefer(bool, Span),
    /// Who wins.
    Wins(Span),
    /// Who loses.
    Loses(Span),
    /// The game is a draw.
    Draw,
}

/// What else a clause is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// It applies once in a while: the place of what it is counted by.
    Once(Span),
    /// It is played openly.
    Openly,
    /// It beats this one, too.
    AlsoBeats(ClauseId),
    /// It holds in spite of this prohibition.
    Despite(ClauseId),
}

/// A clause with those that are exceptions to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// What it does there.
    pub role: Role,
    /// Whether it is an exception to the clause above it.
    pub but: bool,
    /// The clause.
    pub clause: ClauseId,
    /// The holders of its ability.
    pub holders: Vec<(KindId, u16)>,
    /// What it gives, adds, asks.
    pub says: Says,
    /// The places of its conditions.
    pub when: Vec<Span>,
    /// What else it is.
    pub notes: Vec<Note>,
    /// What beats it, sets it aside or switches it off.
    pub inside: Vec<Branch>,
}

/// All clauses about one subject, the top-level ones in the order in which they apply.
#[must_use]
pub fn tree(model: &Model, thing: Thing) -> Vec<Branch> {
    let grow = Grow { model };
    match thing {
        Thing::Def(d) => model.defs.get(d.i()).map_or(Vec::new(), |d| grow.def(d)),
        Thing::Action(a) => model.actions.get(a.i()).map_or(Vec::new(), |a| grow.action(a)),
        Thing::Procedure(c) => grow.plain(hooks(model, c, None)),
        Thing::Step(c, s) => grow.plain(hooks(model, c, Some(s))),
        Thing::Bring(b) => model.brings.get(b.i()).map_or(Vec::new(), |b| {
            b.demands
                .iter()
                .map(|d| {
                    let goal = d.goal.iter().map(|e| e.span).collect();
                    Branch { says: Says::SoThat(goal), ..grow.clause(Role::Own, d.clause) }
                })
                .collect()
        }),
        Thing::Ends => grow.ends(),
    }
}

struct Grow<'m> {
    model: &'m Model,
}

impl Grow<'_> {
    /// A clause by itself, with what switches it off.
    fn clause(&self, role: Role, id: ClauseId) -> Branch {
        let clause = self.model.clause(id);
        let ability = clause.and_then(|c| c.ability);
        let held = ability.and_then(|a| self.model.abilities.get(a.i()));
        let mut notes = Vec::new();
        if let Some(limit) = clause.and_then(|c| c.limit).and_then(|l| self.model.vars.get(l.i())) {
            notes.push(Note::Once(limit.span));
        }
        if clause.is_some_and(|c| c.openly) {
            notes.push(Note::Openly);
        }
        Branch {
            role,
            but: false,
            clause: id,
            holders: held.map_or(Vec::new(), |a| self.model.who_has(a)),
            says: Says::Nothing,
            when: clause.map_or(Vec::new(), |c| c.written().iter().map(|e| e.span).collect()),
            notes,
            inside: ability.map_or(Vec::new(), |a| self.silences(a)),
        }
    }

    /// What switches an ability off, with what is spared.
    fn silences(&self, ability: AbilityId) -> Vec<Branch> {
        let kind = self.model.abilities.get(ability.i()).map(|a| a.kind);
        let about = |s: &&Silence| kind == Some(s.kind) && (s.abilities.is_empty() || s.abilities.contains(&ability));
        let mut found = Vec::new();
        for silence in self.model.silences.iter().filter(about) {
            // What silences a silence is shown only when that silence is asked for.
            let mut branch = Branch { inside: Vec::new(), ..self.clause_alone(Role::Silences, silence.clause) };
            for spare in silence.spares.iter().filter(|s| s.abilities.contains(&ability)) {
                branch.inside.push(self.clause_alone(Role::Spares, spare.clause));
            }
            found.push(branch);
        }
        found
    }

    /// A clause without what switches it off.
    fn clause_alone(&self, role: Role, id: ClauseId) -> Branch {
        let when = self.model.clause(id).map_or(Vec::new(), |c| c.written().iter().map(|e| e.span).collect());
        let (holders, notes, inside) = (Vec::new(), Vec::new(), Vec::new());
        Branch { role, but: false, clause: id, holders, says: Says::Nothing, when, notes, inside }
    }

    fn plain(&self, clauses: Vec<ClauseId>) -> Vec<Branch> {
        clauses.into_iter().map(|c| self.clause(Role::Plain, c)).collect()
    }

    fn def(&self, def: &Def) -> Vec<Branch> {
        let general = match &def.general {
            Some(e) => Branch { says: Says::Value(e.span), ..self.clause(Role::General, def.clause) },
            None => Branch { says: Says::NoValue, ..self.clause(Role::General, def.clause) },
        };
        let beats = |a: &DefClause, b: &DefClause| a.beats.contains(&b.clause);
        let make = |c: &DefClause| Branch { says: Says::Value(c.value.span), ..self.clause(Role::Own, c.clause) };
        let inside = self.ranked(def.layer(Layer::Instead), &beats, &|c| c.clause, &make);
        let mut general = general;
        general.inside.extend(inside);
        let mut all = vec![general];
        let others = def.clauses.iter().filter(|c| c.layer != Layer::Instead);
        all.extend(others.map(make));
        all
    }

    /// Clauses of which some beat others: each stands once, inside the first that it beats and that no other between
    /// them does.
    fn ranked<C>(
        &self,
        all: &[C],
        beats: &dyn Fn(&C, &C) -> bool,
        id: &dyn Fn(&C) -> ClauseId,
        make: &dyn Fn(&C) -> Branch,
    ) -> Vec<Branch> {
        let direct = |a: &C, b: &C| beats(a, b) && !all.iter().any(|c| beats(a, c) && beats(c, b));
        let top: Vec<&C> = all.iter().filter(|c| !all.iter().any(|d| beats(c, d))).collect();
        top.into_iter().map(|c| self.grown(c, all, &direct, id, make)).collect()
    }

    fn grown<C>(
        &self,
        clause: &C,
        all: &[C],
        direct: &dyn Fn(&C, &C) -> bool,
        id: &dyn Fn(&C) -> ClauseId,
        make: &dyn Fn(&C) -> Branch,
    ) -> Branch {
        let mut branch = make(clause);
        let first = |c: &&C| all.iter().find(|d| direct(c, d)).map(id) == Some(id(clause));
        for above in all.iter().filter(|c| direct(c, clause)).filter(first) {
            let mut inside = self.grown(above, all, direct, id, make);
            let others = all.iter().filter(|d| direct(above, d)).skip(1);
            inside.notes.extend(others.map(|d| Note::AlsoBeats(id(d))));
            inside.but = true;
            branch.inside.push(inside);
        }
        branch
    }

    fn action(&self, action: &Action) -> Vec<Branch> {
        let mut all: Vec<Branch> = Vec::new();
        for may in &action.may {
            let mut branch = self.clause(Role::Own, may.clause);
            branch.notes.extend(may.despite.iter().map(|not| Note::Despite(*not)));
            all.push(branch);
        }
        for not in &action.may_not {
            let mut branch = self.clause(Role::Own, not.clause);
            for may in action.may.iter().filter(|m| m.despite.contains(&not.clause)) {
                branch.inside.push(self.clause_alone(Role::SetsAside, may.clause));
            }
            all.push(branch);
        }
        for must in &action.must {
            let says = match &must.goal {
                Goal::SoThat(e) => Says::SoThat(vec![e.span]),
                Goal::Prefer(most, e) => Says::Prefer(*most, e.span),
            };
            all.push(Branch { says, ..self.clause(Role::Own, must.clause) });
        }
        all
    }

    fn ends(&self) -> Vec<Branch> {
        let all = &self.model.ends;
        let make = |end: &crate::model::End| {
            let says = match &end.result {
                EndResult::Wins(e) => Says::Wins(e.span),
                EndResult::Loses(e) => Says::Loses(e.span),
                EndResult::Draw => Says::Draw,
            };
            Branch { says, ..self.clause(Role::Own, end.clause) }
        };
        self.ranked(all, &|a, b| a.beats.contains(&b.clause), &|e| e.clause, &make)
    }
}
