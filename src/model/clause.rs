//! Clauses, one for each sentence of the rulebook, and the things that they are about.

use super::{
    AbilityId, ActionId, ClauseId, CodeId, Expr, ExprKind, HookTime, KindId, Layer, Set, Text, Ty, Value, VarId,
};
use crate::span::Span;

/// The kinds of clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClauseKind {
    /// The general rule of a definition.
    Define,
    /// A clause on a definition.
    Layer(Layer),
    /// An action: what it is and does.
    Action,
    /// A permission.
    May,
    /// A prohibition.
    MayNot,
    /// An obligation, on an action or on what a seat brings.
    Must,
    /// What a seat brings to the game.
    Bring,
    /// What runs at a step.
    Hook(HookTime),
    /// Who sees something.
    Seen,
    /// What switches abilities off.
    Silence,
    /// An ability that a silence does not touch.
    Spare,
    /// A position that cannot arise.
    Never,
    /// An ending.
    Ends,
    /// A decision of a procedure.
    Choice,
}

impl ClauseKind {
    /// How rule files begin such a clause.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            ClauseKind::Define => "define",
            ClauseKind::Layer(layer) => layer.keyword(),
            ClauseKind::Action => "action",
            ClauseKind::May => "may",
            ClauseKind::MayNot => "may not",
            ClauseKind::Must => "must",
            ClauseKind::Bring => "bring",
            ClauseKind::Hook(time) => time.keyword(),
            ClauseKind::Seen => "seen",
            ClauseKind::Silence => "silence",
            ClauseKind::Spare => "spare",
            ClauseKind::Never => "never",
            ClauseKind::Ends => "ends",
            ClauseKind::Choice => "choice",
        }
    }

    /// Whether something is done under such a clause, so that it can be limited to so often.
    #[must_use]
    pub fn can_be_limited(self) -> bool {
        matches!(self, ClauseKind::May | ClauseKind::Hook(_))
    }
}

/// The identity of a clause and what all clauses have.
#[derive(Clone, Debug)]
pub struct Clause {
    /// Its kind.
    pub kind: ClauseKind,
    /// The name of what it is about: `move`, `strength`, `battle.powers`; empty where there is none.
    pub subject: String,
    /// Its label for people; empty if it has none.
    pub label: Text,
    /// The clauses of the register it encodes, its ability's included.
    pub cites: Vec<String>,
    /// Where.
    pub span: Span,
    /// The ability it belongs to. The local [`Clause::holder`] is then its holder.
    pub ability: Option<AbilityId>,
    /// The local that is the holder, in `when` and the clause's expressions.
    pub holder: u16,
    /// Its condition, split at `and`: it applies when all hold.
    pub when: Vec<Expr>,
    /// How many of these, the first ones, are not written: that the holder is a parameter, that it has the ability now.
    pub unwritten: usize,
    /// A limit: it applies only while this variable (indexed by the holder's kind if in an ability, else single) is 0.
    pub limit: Option<VarId>,
    /// It may depend on what the acting seat cannot see.
    pub openly: bool,
    /// In a clause about several actions, the clause about the first of them; this is the same clause about another.
    pub first: Option<ClauseId>,
}

impl Clause {
    /// A clause that always applies and cites nothing.
    #[must_use]
    pub fn new(kind: ClauseKind, subject: &str, label: Text, span: Span) -> Clause {
        Clause {
            kind,
            subject: subject.to_owned(),
            label,
            cites: Vec::new(),
            span,
            ability: None,
            holder: 0,
            when: Vec::new(),
            unwritten: 0,
            limit: None,
            openly: false,
            first: None,
        }
    }

    /// How the clause begins in the rule file: `may not move`, `instead strength`, `ends`.
    #[must_use]
    pub fn head(&self) -> String {
        match self.subject.as_str() {
            "" => self.kind.keyword().to_owned(),
            subject => format!("{} {subject}", self.kind.keyword()),
        }
    }

    /// The conditions that are written in the rules.
    #[must_use]
    pub fn written(&self) -> &[Expr] {
        self.when.get(self.unwritten..).unwrap_or(&[])
    }

    /// The conditions that are not.
    #[must_use]
    pub fn bearing(&self) -> &[Expr] {
        self.when.get(..self.unwritten).unwrap_or(&[])
    }

    /// The parameter that its first condition says is the holder.
    #[must_use]
    pub fn holder_is(&self) -> Option<u16> {
        let Some(ExprKind::Equal(a, b, true)) = self.when.first().map(|e| &e.kind) else { return None };
        match (&a.kind, &b.kind) {
            (ExprKind::Local(it), ExprKind::Local(h)) if *h == self.holder && it != h && !a.ty.optional => Some(*it),
            (ExprKind::Local(h), ExprKind::Local(it)) if *h == self.holder && it != h && !b.ty.optional => Some(*it),
            _ => None,
        }
        .filter(|_| self.ability.is_some())
    }
}

/// A bundle of clauses held by members.
#[derive(Clone, Debug)]
pub struct Ability {
    /// Its label for people.
    pub label: Text,
    /// The kind of its holders.
    pub kind: KindId,
    /// The members that have it, or can have it.
    pub holders: Vec<u16>,
    /// Its clauses may depend on what the acting seat cannot see.
    pub openly: bool,
    /// The fields that say which members have it now; none if those who have it do not change.
    pub borne: Vec<Borne>,
    /// Where that changes: the members that have it in any case.
    pub always: Vec<u16>,
    /// Its own citations.
    pub cites: Vec<String>,
    /// Where.
    pub span: Span,
}

/// A field whose member has an ability while it holds one of some members, or a set with one of them.
#[derive(Clone, Debug)]
pub struct Borne {
    /// The field, by its place in the kind.
    pub field: usize,
    /// The variable that it is.
    pub var: VarId,
    /// The members that give the ability.
    pub givers: Vec<u16>,
}

/// What switches abilities off.
#[derive(Clone, Debug)]
pub struct Silence {
    /// Its identity; local 0 is the member whose ability it is about, the clause's holder local is its own holder.
    pub clause: ClauseId,
    /// Which abilities; all of `kind` if empty.
    pub abilities: Vec<AbilityId>,
    /// The kind of the members it is about.
    pub kind: KindId,
    /// What is taken out of it.
    pub spares: Vec<Spare>,
}

/// An ability that a silence does not touch.
#[derive(Clone, Debug)]
pub struct Spare {
    /// Its identity; local 0 as in the silence.
    pub clause: ClauseId,
    /// Which abilities.
    pub abilities: Vec<AbilityId>,
}

/// A pure definition with its clauses, layer by layer.
#[derive(Clone, Debug)]
pub struct Def {
    /// Its name.
    pub name: String,
    /// Parameters: name and type. They are locals 0, 1, ...
    pub params: Vec<(String, Ty)>,
    /// Type of its value.
    pub ty: Ty,
    /// Identity of the general rule.
    pub clause: ClauseId,
    /// The general value; without one, it is a gap if no `instead` applies.
    pub general: Option<Expr>,
    /// The clauses on it, layer by layer; see [`Def::layer`] and [`Def::add`].
    pub clauses: Vec<DefClause>,
    /// The maximum number of locals that its expressions use.
    pub locals: u16,
}

/// A clause on a definition.
#[derive(Clone, Debug)]
pub struct DefClause {
    /// Its identity.
    pub clause: ClauseId,
    /// How it changes the value.
    pub layer: Layer,
    /// For each parameter the value it must have, or none for any.
    pub args: Vec<Option<Value>>,
    /// Its value.
    pub value: Expr,
    /// The clauses it beats where both apply (exceptions and ranks, all the way down).
    pub beats: Vec<ClauseId>,
}

impl Def {
    /// The clauses of a layer, in the order of the rule files.
    #[must_use]
    pub fn layer(&self, layer: Layer) -> &[DefClause] {
        let start = self.clauses.partition_point(|c| c.layer < layer);
        let end = self.clauses.partition_point(|c| c.layer <= layer);
        self.clauses.get(start..end).unwrap_or(&[])
    }

    /// Adds a clause behind those of its layer.
    pub fn add(&mut self, clause: DefClause) {
        let at = self.clauses.partition_point(|c| c.layer <= clause.layer);
        self.clauses.insert(at, clause);
    }
}

/// The maximum number of parameters an action can have.
pub const MAX_ARGS: usize = 6;

/// Something a player can do.
#[derive(Clone, Debug)]
pub struct Action {
    /// Its name.
    pub name: String,
    /// Parameters: name and type; locals 0, 1, ...
    pub params: Vec<(String, Ty)>,
    /// Whose it is; the parameters are its locals.
    pub by: Expr,
    /// Which arguments make an action, split at `and`; entry `i` uses parameters up to `i` only (the first entry also
    /// those that use none).
    pub domain: Vec<Vec<Expr>>,
    /// How it is written.
    pub log: Template,
    /// Others are not told of it until this holds; its parameters are those of its code.
    pub until: Option<Expr>,
    /// Its identity.
    pub clause: ClauseId,
    /// Its effect; the parameters are the code's parameters.
    pub code: CodeId,
    /// Permissions.
    pub may: Vec<Permission>,
    /// Prohibitions.
    pub may_not: Vec<Prohibition>,
    /// Obligations.
    pub must: Vec<Obligation>,
    /// The maximum number of locals that its clauses use.
    pub locals: u16,
}

/// `may`.
#[derive(Clone, Debug)]
pub struct Permission {
    /// Its identity.
    pub clause: ClauseId,
    /// The prohibitions it sets aside.
    pub despite: Vec<ClauseId>,
}

/// `may not`.
#[derive(Clone, Debug)]
pub struct Prohibition {
    /// Its identity.
    pub clause: ClauseId,
}

/// `must`.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// Its identity.
    pub clause: ClauseId,
    /// What it requires.
    pub goal: Goal,
}

/// What an obligation requires.
#[derive(Clone, Debug)]
pub enum Goal {
    /// Only actions for which it holds, if there is one.
    SoThat(Expr),
    /// Only those for which it is greatest (`true`) or least.
    Prefer(bool, Expr),
}

/// A notation: texts and expressions in turn.
#[derive(Clone, Debug, Default)]
pub struct Template {
    /// The parts.
    pub parts: Vec<TemplatePart>,
    /// Translations, each as parts.
    pub translations: Vec<(String, Vec<TemplatePart>)>,
}

/// A part of a notation.
#[derive(Clone, Debug)]
pub enum TemplatePart {
    /// As it is.
    Text(String),
    /// The value of an expression, written by its name.
    Value(Expr),
}

/// A hook.
#[derive(Clone, Debug)]
pub struct Hook {
    /// Its identity.
    pub clause: ClauseId,
    /// What it does; the code's first parameter is the holder if it is an ability's.
    pub code: CodeId,
    /// Where fields say who has its ability now: the members to look at, for each place in the order of its step.
    pub bearers: Vec<Set>,
}

/// Who sees what. The local 0 is the member or index, local 1 the seat that looks.
#[derive(Clone, Debug)]
pub struct Seen {
    /// What it is about.
    pub what: SeenWhat,
    /// Its identity; its `when` is the condition.
    pub clause: ClauseId,
    /// Nobody sees it.
    pub nobody: bool,
}

/// What a `seen` is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SeenWhat {
    /// Which member of the kind it is.
    Member(KindId),
    /// A variable: a field, a pile, a variable of the game. If it is single, local 0 is unused.
    Var(VarId),
}

/// A choice that others must not see while its code is at `from..=to`, or until a condition holds.
#[derive(Clone, Debug)]
pub struct Secret {
    /// The code.
    pub code: CodeId,
    /// The variable chosen.
    pub var: VarId,
    /// First instruction at which it is hidden.
    pub from: u16,
    /// Last instruction at which it is hidden.
    pub to: u16,
    /// Who sees it.
    pub seat: Expr,
    /// The condition, which may read the variables of the code.
    pub until: Option<Expr>,
}

/// An ending.
#[derive(Clone, Debug)]
pub struct End {
    /// Its identity; its `when` is the condition.
    pub clause: ClauseId,
    /// What it gives.
    pub result: EndResult,
    /// Endings it beats where both hold.
    pub beats: Vec<ClauseId>,
}

/// What an ending gives.
#[derive(Clone, Debug)]
pub enum EndResult {
    /// The seat wins, or all seats of a set.
    Wins(Expr),
    /// All others win.
    Loses(Expr),
    /// Nobody wins.
    Draw,
}

impl super::Model {
    /// The clause itself.
    #[must_use]
    pub fn clause(&self, id: ClauseId) -> Option<&Clause> {
        self.clauses.get(id.i())
    }

    /// Who has an ability: its holders, or what gives it where that changes.
    #[must_use]
    pub fn who_has(&self, ability: &Ability) -> Vec<(KindId, u16)> {
        let held = if ability.borne.is_empty() { &ability.holders } else { &ability.always };
        let mut found: Vec<(KindId, u16)> = held.iter().map(|h| (ability.kind, *h)).collect();
        for borne in &ability.borne {
            let of = self.vars.get(borne.var.i()).and_then(|v| match &v.ty.base {
                super::Base::Member(of) => Some(*of),
                super::Base::Set(of) => {
                    if let super::Base::Member(of) = **of {
                        Some(of)
                    } else {
                        None
                    }
                }
                _ => None,
            });
            found.extend(of.into_iter().flat_map(|of| borne.givers.iter().map(move |g| (of, *g))));
        }
        found
    }

    /// How a clause is called in a report: `may move "forward"`.
    #[must_use]
    pub fn clause_title(&self, id: ClauseId, lang: &str) -> String {
        match self.clause(id) {
            Some(c) if c.label.text.is_empty() => c.head(),
            Some(c) => format!("{} \"{}\"", c.head(), c.label.get(lang)),
            None => String::from("?"),
        }
    }

    /// The same clause about other actions, if it is about several and this is the first.
    pub fn others(&self, first: ClauseId) -> impl Iterator<Item = ClauseId> + use<'_> {
        let all = self.clauses.iter().enumerate().skip(first.i() + 1);
        all.take_while(move |(_, c)| c.first == Some(first)).map(|(i, _)| ClauseId(i as u16))
    }

    /// A clause as it stands in the rules, with all actions that it is about: `may not move, retreat "label"`.
    #[must_use]
    pub fn whole_title(&self, id: ClauseId) -> String {
        let first = self.clause(id).and_then(|c| c.first).unwrap_or(id);
        let mut title = self.clause_title(first, "");
        let about = self.others(first).filter_map(|other| self.clause(other));
        let more: String = about.map(|other| format!(", {}", other.subject)).collect();
        let head = self.clause(first).map_or(0, |c| c.head().len());
        title.insert_str(head.min(title.len()), &more);
        title
    }

    /// The action of that name.
    #[must_use]
    pub fn action(&self, name: &str) -> Option<ActionId> {
        self.actions.iter().position(|a| a.name == name).map(|i| ActionId(i as u16))
    }
}
