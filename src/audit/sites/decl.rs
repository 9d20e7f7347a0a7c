//! Declarations and clauses.

use std::collections::BTreeSet;

use super::{At, Kind, Scope, Sites};
use crate::span::Span;
use crate::syntax::tree::{
    Ability, Arranged, Board, Clause, ClauseKind, Decl, DeclKind, EndsResult, Expr, ExprKind, File, HookOrder, Mods,
    Part, ProcItem, Procedure, Ranks, Step, Var, Word, labelled, row,
};

/// The fields that only say where things are drawn: those of the board's kind, if it has no grid.
pub(super) fn drawn(files: &[File]) -> BTreeSet<(String, String)> {
    let all = || files.iter().flat_map(|f| &f.decls);
    let gridded = |kind: &str| all().any(|d| matches!(&d.kind, DeclKind::Grid(g) if g.of.text == kind));
    let mut found = BTreeSet::new();
    for d in all() {
        if let DeclKind::Board(Board { kind, arranged: Arranged::Rows { row, column }, .. }) = &d.kind
            && !gridded(&kind.text)
        {
            found.extend([row, column].map(|field| (kind.text.clone(), field.text.clone())));
        }
    }
    found
}

/// `may move`, `instead strength(Sam)`.
fn head(c: &Clause) -> String {
    match &c.kind {
        ClauseKind::Layer { args, .. } if !args.is_empty() => {
            format!("{}({})", c.kind.head(), row(args, ", "))
        }
        kind => kind.head(),
    }
}

impl Sites<'_> {
    /// The context of a declaration.
    fn own(owner: String, cite: &[Word], scope: Scope) -> At {
        At { owner, cites: Self::cites(cite), scope }
    }

    pub(super) fn decl(&mut self, d: &Decl) {
        match &d.kind {
            DeclKind::Clause(c) => self.clause(c, None),
            DeclKind::Ability(a) => self.ability(a, ""),
            DeclKind::Procedure(p) => self.procedure(p, Scope::Code(d.span.start)),
            DeclKind::Var(v) => self.var(v, Scope::Game),
            DeclKind::Replace { decl } => self.decl(decl),
            DeclKind::ReplaceStep { procedure, step } => self.step(&procedure.text, step, Scope::Game),
            DeclKind::MoreSteps { procedure, vars, steps } => {
                vars.iter().for_each(|v| self.var(v, Scope::Game));
                steps.iter().for_each(|(step, _)| self.step(&procedure.text, step, Scope::Game));
            }
            DeclKind::Kind { name, fields, .. } => {
                let values = fields.iter().filter_map(|f| Some((&f.name, f.value.as_ref()?)));
                self.printed(&d.kind, name, values);
                let kept = fields.iter().filter_map(|f| f.during.as_ref());
                self.within(Self::own(d.kind.title(), d.kind.cites(), Scope::Game), |s| {
                    kept.for_each(|word| s.cut("in", word.span));
                });
            }
            DeclKind::Members { kind, fields, abilities, .. } => {
                self.printed(&d.kind, kind, fields.iter().map(|(field, value)| (field, value)));
                abilities.iter().for_each(|a| self.ability(a, &d.kind.title()));
            }
            kind => self.other(kind, d.span),
        }
    }

    /// A declaration that is named after how it begins.
    fn other(&mut self, kind: &DeclKind, span: Span) {
        let owner = match kind {
            DeclKind::Seen(_) => {
                let words = self.line(span);
                words.split(" cite ").next().unwrap_or("").split(" when ").next().unwrap_or("").to_owned()
            }
            DeclKind::Remove { .. } => self.line(span),
            _ => kind.title(),
        };
        // Anything may use data of the game.
        let scope = match kind {
            DeclKind::Define { .. } | DeclKind::Action(_) => Scope::Clause(span.start),
            _ if kind.mods().is_some() => Scope::Clause(span.start),
            _ => Scope::Game,
        };
        self.within(Self::own(owner, kind.cites(), scope), |s| {
            if kind.mods().is_some()
                || matches!(kind, DeclKind::Remove { .. } | DeclKind::Set { .. } | DeclKind::SetSide { .. })
            {
                s.replace(Kind::Drop, span, "", "");
            }
            if let DeclKind::Ends(e) = kind
                && let EndsResult::Wins(seat) | EndsResult::Loses(seat) = &e.result
            {
                let wins = matches!(e.result, EndsResult::Wins(_));
                let head = Span { end: e.label.span.start, ..span };
                s.turn(wins, (seat.span.end, e.label.span.start), ("wins", "loses"), head);
            }
            // No rule depends on what bots think of a position.
            if !matches!(kind, DeclKind::Worth { .. }) {
                s.parts(kind.parts(), span);
            }
            kind.mods().into_iter().for_each(|mods| s.mods(mods));
        });
    }

    /// The parts of a declaration or a clause. Its statements run as code.
    fn parts(&mut self, parts: Vec<Part<'_>>, span: Span) {
        for part in parts {
            match part {
                Part::Block(body) => self.scoped(Scope::Code(span.start), |s| s.block(body)),
                _ => self.part(part),
            }
        }
    }

    /// The values of fields, with the name of the field in the name of the mutant.
    fn printed<'f>(&mut self, d: &DeclKind, kind: &Word, fields: impl Iterator<Item = (&'f Word, &'f Expr)>) {
        let drawn = self.drawn;
        self.within(Self::own(d.title(), d.cites(), Scope::Game), |s| {
            for (field, value) in fields.filter(|(f, _)| !drawn.contains(&(kind.text.clone(), f.text.clone()))) {
                let whole = field.span.to(value.span);
                match &value.kind {
                    ExprKind::Int(_) | ExprKind::Bool(_) => s.expr_in(value, whole),
                    _ => s.expr(value),
                }
            }
        });
    }

    fn var(&mut self, v: &Var, scope: Scope) {
        if let Some(word) = &v.during {
            self.within(Self::own(format!("var {}", v.name.text), &v.cite, scope), |s| s.cut("in", word.span));
        }
        if let Some(value) = &v.value {
            let whole = v.name.span.to(value.span);
            self.within(Self::own(format!("var {}", v.name.text), &v.cite, scope), |s| match &value.kind {
                ExprKind::Int(n) => s.number(*n, value.span, whole),
                _ => s.value(value),
            });
        }
    }

    fn procedure(&mut self, p: &Procedure, code: Scope) {
        let name = &p.name.text;
        self.within(Self::own(format!("procedure {name}"), &p.cite, code), |s| {
            for item in &p.items {
                match item {
                    ProcItem::Var(v) => s.var(v, code),
                    ProcItem::Stmt(stmt) => s.block(std::slice::from_ref(stmt)),
                    ProcItem::Step(step) => s.step(name, step, code),
                }
            }
            p.finally.iter().for_each(|body| s.block(body));
        });
    }

    fn step(&mut self, procedure: &str, step: &Step, code: Scope) {
        self.within(Self::own(format!("step {procedure}.{}", step.name.text), &step.cite, code), |s| {
            step.when.iter().for_each(|c| s.condition(c));
            step.order.iter().for_each(|o| s.hook_order(o, step));
            s.block(&step.body);
        });
    }

    fn hook_order(&mut self, order: &HookOrder, step: &Step) {
        match &order.ranks {
            Some(Ranks::Seats(seats)) => {
                if let (Some(first), Some(last), None) = (seats.first(), seats.last(), &order.chosen_by) {
                    self.cut_list("order", step.span.start, first.span.to(last.span));
                }
                seats.iter().for_each(|e| self.value(e));
            }
            Some(Ranks::By(_, _, by)) => self.value(by),
            None => {}
        }
        order.chosen_by.iter().for_each(|by| self.value(by));
    }

    fn ability(&mut self, a: &Ability, member: &str) {
        let name = a.name.as_ref().map(|n| n.text.as_str()).unwrap_or(member);
        let owner = labelled(name, a.label.as_ref());
        let inside = Scope::Between(a.span.start, a.span.end);
        self.within(Self::own(owner, &a.mods.cite, inside), |s| {
            s.mods(&a.mods);
            for c in &a.clauses {
                s.clause(c, Some(a));
            }
        });
    }

    /// A clause; inside an ability its owner is named too.
    fn clause(&mut self, c: &Clause, ability: Option<&Ability>) {
        let mut owner = labelled(&head(c), c.label.as_ref());
        let mut cites = Self::cites(&c.mods.cite);
        if ability.is_some() {
            owner = format!("{}, {owner}", self.at.owner);
            cites.extend(self.at.cites.iter().cloned());
            let mut seen = BTreeSet::new();
            cites.retain(|c| seen.insert(c.clone()));
        }
        self.within(At { owner, cites, scope: Scope::Clause(c.span.start) }, |s| {
            s.replace(Kind::Drop, c.span, "", "");
            match &c.kind {
                ClauseKind::May { actions } | ClauseKind::MayNot { actions } => {
                    let (Some(action), Some(last)) = (actions.first(), actions.last()) else { return };
                    let may = matches!(c.kind, ClauseKind::May { .. });
                    let head = Span { end: last.span.end, ..c.span };
                    if actions.len() > 1 {
                        actions.iter().for_each(|action| s.cut(if may { "may" } else { "may not" }, action.span));
                    }
                    // A permission is evaluated where a prohibition is not: if nothing else permits.
                    let scope = if may { s.at.scope } else { Scope::Game };
                    s.scoped(scope, |s| s.turn(may, (c.span.start, action.span.start), ("may", "may not"), head));
                }
                ClauseKind::MustPrefer { most, value, .. } => {
                    let from = s.back("prefer", c.span.start, value.span.start).unwrap_or(c.span.start);
                    let whole = Span { start: from, ..value.span };
                    s.turn(*most, (from, value.span.start), ("most", "least"), whole);
                }
                _ => {}
            }
            s.parts(c.parts(), c.span);
            s.mods(&c.mods);
        });
    }

    /// The words of a clause: its condition, and what makes it an exception.
    fn mods(&mut self, mods: &Mods) {
        mods.when.iter().for_each(|c| self.condition(c));
        mods.exception_to.iter().for_each(|label| self.cut("exception to", label.span));
        mods.ranks_above.iter().for_each(|label| self.cut("ranks above", label.span));
        mods.despite.iter().for_each(|label| self.cut("despite", label.span));
        if let Some(word) = &mods.once_per {
            self.cut("once per", word.span);
        }
    }

    /// The last place before another at which a word begins.
    fn back(&self, word: &str, from: u32, before: u32) -> Option<u32> {
        let gap = self.text.get(from as usize..before as usize)?;
        gap.rfind(word).map(|at| from + at as u32)
    }

    /// Removes one of the items after a word, and the word too if it was the only one.
    fn cut(&mut self, word: &str, item: Span) {
        let what = format!("{word} `{}`", self.line(item));
        let (start, end) = (item.start as usize, item.end as usize);
        let after = self.text.get(end..).unwrap_or("");
        let next = after.trim_start();
        let before = self.text.get(..start).unwrap_or("").trim_end();
        let bytes = if next.starts_with(',') {
            let comma = end + (after.len() - next.len()) + 1;
            let space = self.text.get(comma..).map_or(0, |t| t.len() - t.trim_start().len());
            start..comma + space
        } else if before.ends_with(',') {
            before.len() - 1..end
        } else {
            // Any white space may separate the words.
            let mut at = before.len();
            for part in word.split(' ').rev() {
                let head = self.text.get(..at).unwrap_or("").trim_end();
                let Some(rest) = head.strip_suffix(part) else { return };
                at = rest.len();
            }
            at..end
        };
        self.add(Kind::Rank, bytes, "", &what);
    }

    /// Removes a word and everything after it.
    fn cut_list(&mut self, word: &str, from: u32, items: Span) {
        if let Some(start) = self.back(word, from, items.start) {
            let what = format!("{word} `{}`", self.line(items));
            self.replace(Kind::Rank, Span { start, ..items }, "", &what);
        }
    }
}
