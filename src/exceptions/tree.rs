//! The clauses about one subject as a tree.

use super::Thing;
use super::find::hooks;
use crate::lexicon::Lexicon;
use crate::model::{Action, ClauseId, Def, DefClause, EndResult, Goal, Layer, Model, Text};

/// A clause with those that are exceptions to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// What it does there: `general rule`, `instead`, `times`, `may not`, `set aside by`, `silenced by` ...
    pub role: String,
    /// The clause.
    pub clause: ClauseId,
    /// The holders of its ability.
    pub holders: Vec<String>,
    /// What it gives, adds, asks; empty if there is nothing more to say.
    pub says: String,
    /// Its conditions.
    pub when: Vec<String>,
    /// What else it is: `once per battle`, a clause that it beats besides the one above it.
    pub notes: Vec<String>,
    /// What beats it, sets it aside or switches it off.
    pub inside: Vec<Branch>,
}

/// All clauses about one subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// How it is declared: `strength(c: Character) -> Int`.
    pub title: String,
    /// Its top-level clauses, in the order in which they apply.
    pub branches: Vec<Branch>,
}

/// All clauses about a subject, in a language.
#[must_use]
pub fn tree(model: &Model, thing: Thing, lang: &str) -> Tree {
    let grow = Grow { model, lang };
    let branches = match thing {
        Thing::Def(d) => model.defs.get(d.i()).map_or(Vec::new(), |d| grow.def(d)),
        Thing::Action(a) => model.actions.get(a.i()).map_or(Vec::new(), |a| grow.action(a)),
        Thing::Procedure(c) => grow.plain(hooks(model, c, None)),
        Thing::Step(c, s) => grow.plain(hooks(model, c, Some(s))),
        Thing::Bring(b) => model.brings.get(b.i()).map_or(Vec::new(), |b| {
            b.demands
                .iter()
                .map(|d| {
                    let goal: Vec<String> = d.goal.iter().map(|e| grow.text(e.span)).collect();
                    Branch { says: format!("so that {}", goal.join(" and ")), ..grow.clause("must", d.clause) }
                })
                .collect()
        }),
        Thing::Ends => grow.ends(),
    };
    Tree { title: title(model, thing), branches }
}

/// How a thing is declared.
fn title(model: &Model, thing: Thing) -> String {
    let declared = match thing {
        Thing::Def(d) => model.defs.get(d.i()).map(|d| d.clause),
        Thing::Action(a) => model.actions.get(a.i()).map(|a| a.clause),
        Thing::Bring(b) => model.brings.get(b.i()).map(|b| b.clause),
        _ => None,
    };
    let Some(clause) = declared.and_then(|c| model.clause(c)) else {
        return format!("{} {}", thing.sort(), thing.name(model)).replace("endings ends", "endings");
    };
    let text = model.sources.line(clause.span);
    let ends = [" = ", " cite ", " where ", " log ", " {", " \""];
    let end = ends.iter().filter_map(|e| text.find(e)).min().unwrap_or(text.len());
    text.get(..end).unwrap_or(&text).to_owned()
}

struct Grow<'m> {
    model: &'m Model,
    lang: &'m str,
}

impl Grow<'_> {
    fn text(&self, span: crate::span::Span) -> String {
        self.model.sources.line(span)
    }

    fn label(&self, label: &Text) -> String {
        format!("\"{}\"", label.get(self.lang))
    }

    /// A clause by itself, with what switches it off.
    fn clause(&self, role: &str, id: ClauseId) -> Branch {
        let clause = self.model.clause(id);
        let ability = clause.and_then(|c| c.ability);
        let held = ability.and_then(|a| self.model.abilities.get(a.i()));
        let name = |kind: crate::model::KindId, i: u16| Lexicon::new(self.model, self.lang).member(kind, i);
        let mut notes = Vec::new();
        if let Some(limit) = clause.and_then(|c| c.limit).and_then(|l| self.model.vars.get(l.i())) {
            notes.push(format!("once per {}", self.text(limit.span)));
        }
        if clause.is_some_and(|c| c.openly) {
            notes.push(String::from("openly"));
        }
        Branch {
            role: role.to_owned(),
            clause: id,
            holders: held.map_or(Vec::new(), |a| a.holders.iter().map(|h| name(a.kind, *h)).collect()),
            says: String::new(),
            when: clause.map_or(Vec::new(), |c| c.when.iter().map(|e| self.text(e.span)).collect()),
            notes,
            inside: ability.map_or(Vec::new(), |a| self.silences(a)),
        }
    }

    /// What switches an ability off, with what is spared.
    fn silences(&self, ability: crate::model::AbilityId) -> Vec<Branch> {
        let kind = self.model.abilities.get(ability.i()).map(|a| a.kind);
        let about = |s: &&crate::model::Silence| {
            kind == Some(s.kind) && (s.abilities.is_empty() || s.abilities.contains(&ability))
        };
        let mut found = Vec::new();
        for silence in self.model.silences.iter().filter(about) {
            // What silences a silence is shown only when that silence is asked for.
            let mut branch = Branch { inside: Vec::new(), ..self.clause_alone("silenced by", silence.clause) };
            for spare in silence.spares.iter().filter(|s| s.abilities.contains(&ability)) {
                branch.inside.push(self.clause_alone("unless spared by", spare.clause));
            }
            found.push(branch);
        }
        found
    }

    /// A clause without what switches it off.
    fn clause_alone(&self, role: &str, id: ClauseId) -> Branch {
        let when = self.model.clause(id).map_or(Vec::new(), |c| c.when.iter().map(|e| self.text(e.span)).collect());
        Branch {
            role: role.to_owned(),
            clause: id,
            holders: Vec::new(),
            says: String::new(),
            when,
            notes: Vec::new(),
            inside: Vec::new(),
        }
    }

    fn plain(&self, clauses: Vec<ClauseId>) -> Vec<Branch> {
        clauses.into_iter().map(|c| self.clause("", c)).collect()
    }

    fn def(&self, def: &Def) -> Vec<Branch> {
        let general = match &def.general {
            Some(e) => Branch { says: self.text(e.span), ..self.clause("general rule", def.clause) },
            None => Branch { says: String::from("none"), ..self.clause("general rule", def.clause) },
        };
        let beats = |a: &DefClause, b: &DefClause| a.beats.contains(&b.clause);
        let make = |role: &str, c: &DefClause| Branch { says: self.text(c.value.span), ..self.clause(role, c.clause) };
        let inside = self.ranked(def.layer(Layer::Instead), &beats, &|c| c.clause, &|c| make("instead", c));
        let mut general = general;
        general.inside.extend(inside);
        let mut all = vec![general];
        let others = def.clauses.iter().filter(|c| c.layer != Layer::Instead);
        all.extend(others.map(|c| make(c.layer.keyword(), c)));
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
            inside.notes.extend(others.map(|d| format!("also beats {}", self.model.clause_title(id(d), self.lang))));
            inside.role = format!("but {}", inside.role);
            branch.inside.push(inside);
        }
        branch
    }

    fn action(&self, action: &Action) -> Vec<Branch> {
        let mut all: Vec<Branch> = Vec::new();
        for may in &action.may {
            let mut branch = self.clause("may", may.clause);
            for not in &may.despite {
                let label = self.model.clause(*not).map_or_else(String::new, |c| self.label(&c.label));
                branch.notes.push(format!("despite {label}"));
            }
            all.push(branch);
        }
        for not in &action.may_not {
            let mut branch = self.clause("may not", not.clause);
            for may in action.may.iter().filter(|m| m.despite.contains(&not.clause)) {
                branch.inside.push(self.clause_alone("set aside by", may.clause));
            }
            all.push(branch);
        }
        for must in &action.must {
            let says = match &must.goal {
                Goal::SoThat(e) => format!("so that {}", self.text(e.span)),
                Goal::Prefer(true, e) => format!("prefer most {}", self.text(e.span)),
                Goal::Prefer(false, e) => format!("prefer least {}", self.text(e.span)),
            };
            all.push(Branch { says, ..self.clause("must", must.clause) });
        }
        all
    }

    fn ends(&self) -> Vec<Branch> {
        let all = &self.model.ends;
        let make = |end: &crate::model::End| {
            let says = match &end.result {
                EndResult::Wins(e) => format!("{} wins", self.text(e.span)),
                EndResult::Loses(e) => format!("{} loses", self.text(e.span)),
                EndResult::Draw => String::from("draw"),
            };
            Branch { says, ..self.clause("ends", end.clause) }
        };
        self.ranked(all, &|a, b| a.beats.contains(&b.clause), &|e| e.clause, &make)
    }
}
