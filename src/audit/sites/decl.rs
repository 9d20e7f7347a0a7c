//! Declarations and clauses.

use std::collections::BTreeSet;

use super::{At, Kind, Scope, Sites};
use crate::span::Span;
use crate::syntax::tree::{
    Ability, Clause, ClauseKind, Decl, DeclKind, EndsResult, ExprKind, File, Label, Mods, ProcItem, Procedure, Step,
    Var, Word,
};

/// The fields that only say where things are drawn: those of the board's kind, if it has no grid.
pub(super) fn drawn(files: &[File]) -> BTreeSet<(String, String)> {
    let all = || files.iter().flat_map(|f| &f.decls);
    let gridded = |kind: &str| all().any(|d| matches!(&d.kind, DeclKind::Grid(g) if g.of.text == kind));
    let mut found = BTreeSet::new();
    for d in all() {
        if let DeclKind::Board { kind, row, column, .. } = &d.kind
            && !gridded(&kind.text)
        {
            found.extend([row, column].map(|field| (kind.text.clone(), field.text.clone())));
        }
    }
    found
}

/// `may move`, `instead strength(Sam)`.
fn head(c: &Clause) -> String {
    let about = |word: &str, name: &Word, args: &[Word]| {
        let args: Vec<&str> = args.iter().map(|a| a.text.as_str()).collect();
        if args.is_empty() {
            format!("{word} {}", name.text)
        } else {
            format!("{word} {}({})", name.text, args.join(", "))
        }
    };
    match &c.kind {
        ClauseKind::Layer { layer, name, args, .. } => about(layer.keyword(), name, args),
        ClauseKind::May { action } => format!("may {}", action.text),
        ClauseKind::MayNot { action } => format!("may not {}", action.text),
        ClauseKind::MustSo { action, .. } | ClauseKind::MustPrefer { action, .. } => format!("must {}", action.text),
        ClauseKind::Hook { time, procedure, step, .. } => {
            let time = time.keyword();
            match step {
                Some(step) => format!("{time} {}.{}", procedure.text, step.text),
                None => format!("{time} {}", procedure.text),
            }
        }
        ClauseKind::Silence { .. } => String::from("silence"),
        ClauseKind::Spare { .. } => String::from("spare"),
    }
}

fn labelled(head: &str, label: Option<&Label>) -> String {
    match label {
        Some(label) if !label.text.is_empty() => format!("{head} \"{}\"", label.text),
        _ => head.to_owned(),
    }
}

impl Sites<'_> {
    /// The context of a declaration.
    fn own(owner: String, cite: &[Word], scope: Scope) -> At {
        At { owner, cites: Self::cites(cite), scope }
    }

    pub(super) fn decl(&mut self, d: &Decl) {
        let (clause, code) = (Scope::Clause(d.span.start), Scope::Code(d.span.start));
        match &d.kind {
            DeclKind::Clause(c) => self.clause(c, None),
            DeclKind::Ability(a) => self.ability(a, ""),
            DeclKind::Define { name, value: Some(value), cite, .. } => {
                self.within(Self::own(format!("define {}", name.text), cite, clause), |s| s.value(value));
            }
            DeclKind::Action(a) => {
                self.within(Self::own(format!("action {}", a.name.text), &a.cite, clause), |s| {
                    s.expr(&a.by);
                    a.domain.iter().for_each(|c| s.condition(c));
                    s.scoped(code, |s| s.block(&a.body));
                });
            }
            DeclKind::Procedure(p) => self.procedure(p, code),
            DeclKind::Seen(seen) => {
                let words = self.line(d.span);
                let head = words.split(" cite ").next().unwrap_or("").split(" when ").next().unwrap_or("");
                self.within(Self::own(head.to_owned(), &seen.mods.cite, clause), |s| {
                    s.replace(Kind::Drop, d.span, "", "");
                    s.mods(&seen.mods);
                });
            }
            DeclKind::Ends(e) => {
                self.within(Self::own(labelled("ends", Some(&e.label)), &e.mods.cite, clause), |s| {
                    s.replace(Kind::Drop, d.span, "", "");
                    let (seat, words) = match &e.result {
                        EndsResult::Wins(seat) => (Some(seat), ("wins", "loses")),
                        EndsResult::Loses(seat) => (Some(seat), ("loses", "wins")),
                        EndsResult::Draw => (None, ("", "")),
                    };
                    if let Some(seat) = seat {
                        let head = Span { end: e.label.span.start, ..d.span };
                        s.swap(Kind::Turn, (seat.span.end, e.label.span.start), words, head);
                    }
                    s.mods(&e.mods);
                });
            }
            DeclKind::Never { label, mods } => {
                self.within(Self::own(labelled("never", Some(label)), &mods.cite, clause), |s| {
                    s.replace(Kind::Drop, d.span, "", "");
                    s.mods(mods);
                });
            }
            DeclKind::Entry { phrase, body, .. } => {
                self.within(Self::own(labelled("entry", Some(phrase)), &[], code), |s| s.block(body));
            }
            DeclKind::Replace { decl } => self.decl(decl),
            DeclKind::Remove { .. } => {
                let owner = self.line(d.span);
                self.within(Self::own(owner, &[], Scope::Game), |s| s.replace(Kind::Drop, d.span, "", ""));
            }
            _ => self.data(d),
        }
    }

    /// Data of the game, which anything may use.
    fn data(&mut self, d: &Decl) {
        match &d.kind {
            DeclKind::Option { name, value, cite, .. } => {
                self.within(Self::own(format!("option {}", name.text), cite, Scope::Game), |s| s.expr(value));
            }
            DeclKind::Preset { name, settings, .. } => {
                self.within(Self::own(format!("preset {}", name.text), &[], Scope::Game), |s| {
                    settings.iter().for_each(|(_, e)| s.expr(e));
                });
            }
            DeclKind::Kind { name, fields, .. } => {
                let drawn = self.drawn;
                let counts = |field: &Word| !drawn.contains(&(name.text.clone(), field.text.clone()));
                self.within(Self::own(format!("kind {}", name.text), &[], Scope::Game), |s| {
                    for field in fields.iter().filter(|f| counts(&f.name)) {
                        s.printed(&field.name, field.value.as_ref());
                    }
                });
            }
            DeclKind::Members { kind, names, cite, fields, abilities, .. } => {
                let own: Vec<&str> = names.iter().map(|(n, _)| n.text.as_str()).collect();
                let drawn = self.drawn;
                let counts = |field: &Word| !drawn.contains(&(kind.text.clone(), field.text.clone()));
                self.within(Self::own(own.join(", "), cite, Scope::Game), |s| {
                    for (field, value) in fields.iter().filter(|(f, _)| counts(f)) {
                        s.printed(field, Some(value));
                    }
                });
                for ability in abilities {
                    self.ability(ability, &own.join(", "));
                }
            }
            DeclKind::Pile { name, start: Some(start), cite, .. } => {
                self.within(Self::own(format!("pile {}", name.text), cite, Scope::Game), |s| s.expr(start));
            }
            DeclKind::Var(v) => self.var(v, Scope::Game),
            DeclKind::Score { value, cite, .. } => {
                self.within(Self::own(String::from("score"), cite, Scope::Game), |s| s.expr(value));
            }
            DeclKind::Set { path, value } => {
                let path: Vec<&str> = path.iter().map(|w| w.text.as_str()).collect();
                self.within(Self::own(format!("set {}", path.join(".")), &[], Scope::Game), |s| {
                    s.replace(Kind::Drop, d.span, "", "");
                    s.expr(value);
                });
            }
            _ => {}
        }
    }

    /// The value of a field, with the name of the field in the name of the mutant.
    fn printed(&mut self, field: &Word, value: Option<&crate::syntax::tree::Expr>) {
        let Some(value) = value else { return };
        let whole = field.span.to(value.span);
        match &value.kind {
            ExprKind::Int(n) => self.number(*n, value.span, whole),
            ExprKind::Bool(b) => {
                let words = if *b { ("true", "false") } else { ("false", "true") };
                self.swap(Kind::Turn, (value.span.start, value.span.end), words, whole);
            }
            _ => self.expr(value),
        }
    }

    fn var(&mut self, v: &Var, scope: Scope) {
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
            if let (Some(first), Some(last)) = (step.order.first(), step.order.last()) {
                s.cut_list("order", step.span.start, first.span.to(last.span));
            }
            s.block(&step.body);
        });
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
                ClauseKind::Layer { value, .. } => s.value(value),
                ClauseKind::May { action } => {
                    let head = Span { end: action.span.end, ..c.span };
                    s.swap(Kind::Turn, (c.span.start, action.span.start), ("may", "may not"), head);
                }
                ClauseKind::MayNot { action } => {
                    let head = Span { end: action.span.end, ..c.span };
                    // A permission is evaluated where a prohibition is not: if nothing else permits.
                    s.scoped(Scope::Game, |s| {
                        s.swap(Kind::Turn, (c.span.start, action.span.start), ("may not", "may"), head);
                    });
                }
                ClauseKind::MustSo { so_that, .. } => s.condition(so_that),
                ClauseKind::MustPrefer { most, value, .. } => {
                    let words = if *most { ("most", "least") } else { ("least", "most") };
                    let from = s.back("prefer", c.span.start, value.span.start).unwrap_or(c.span.start);
                    let whole = Span { start: from, ..value.span };
                    s.swap(Kind::Turn, (from, value.span.start), words, whole);
                    s.expr(value);
                }
                ClauseKind::Hook { body, .. } => s.scoped(Scope::Code(c.span.start), |s| s.block(body)),
                ClauseKind::Silence { .. } | ClauseKind::Spare { .. } => {}
            }
            s.mods(&c.mods);
        });
    }

    /// The words of a clause: its condition, and what makes it an exception.
    fn mods(&mut self, mods: &Mods) {
        mods.when.iter().for_each(|c| self.condition(c));
        let labels = |sites: &mut Self, word: &str, labels: &[Label]| {
            for label in labels {
                sites.cut(word, label.span);
            }
        };
        labels(self, "exception to", mods.exception_to.as_slice());
        labels(self, "ranks above", &mods.ranks_above);
        labels(self, "despite", &mods.despite);
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
