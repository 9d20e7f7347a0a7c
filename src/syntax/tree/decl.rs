//! Declarations.

use super::{
    Ability, Board, Clause, Expr, Field, Grid, Index, Label, Mark, Mods, Notation, Param, Part, Stmt, Tell, Transcript,
    Type, Var, Word, labelled, row,
};
use crate::span::Span;

/// One declaration.
#[derive(Clone, Debug)]
pub struct Decl {
    /// What it declares.
    pub kind: DeclKind,
    /// The whole declaration.
    pub span: Span,
}

/// The kinds of declaration.
#[derive(Clone, Debug)]
pub enum DeclKind {
    /// `game confrontation "..."`
    Game { name: Word, title: Option<Label> },
    /// `source rulebook "clauses.tsv"`
    Source { name: Word, file: Label },
    /// `players Good "Good", Dark`; with `by OPTION` the first of them play, as many as the option says.
    Players { seats: Vec<(Word, Option<Label>)>, by: Option<Word> },
    /// `option name: Type = value "line" cite ...`
    Option { name: Word, ty: Type, value: Expr, label: Option<Label>, excludes: Vec<Word>, cite: Vec<Word> },
    /// `reading name "question" cite ... { value "grounds" default ... }`
    Reading { name: Word, label: Option<Label>, cite: Vec<Word>, choices: Vec<ReadingChoice> },
    /// `preset name "line" { option value ... }`
    Preset { name: Word, label: Option<Label>, settings: Vec<(Word, Expr)> },
    /// `kind Region owned by side members A, B { fields }`
    Kind {
        name: Word,
        /// What people call a member of it.
        label: Option<Label>,
        owner: Option<Word>,
        called: Option<Called>,
        members: Vec<(Word, Option<Label>)>,
        fields: Vec<Field>,
        has: Vec<Word>,
        /// The fields after `has`: members have the abilities of what these hold.
        bears: Vec<Vec<Word>>,
    },
    /// `Region Shire "The Shire" cite ... { row 0 ability ... }`, one or several names; `Region Shire also { ... }`
    Members {
        /// Whether the members are declared elsewhere.
        also: bool,
        kind: Word,
        names: Vec<(Word, Option<Label>)>,
        cite: Vec<Word>,
        fields: Vec<(Word, Expr)>,
        has: Vec<Word>,
        abilities: Vec<Ability>,
    },
    /// `table Card from "cards.csv" called name ja name_ja without notes`
    Table(Table),
    /// `links border between Region {...}` (undirected; `from` and `to` the same) or `from A to B {...}`
    Links {
        name: Word,
        from: Word,
        to: Word,
        directed: bool,
        cite: Vec<Word>,
        chains: Vec<Chain>,
        /// The file that holds them, if they do not stand here.
        file: Option<Label>,
    },
    /// `links border also { A - B }`, `links border except { A - B }`
    MoreLinks {
        name: Word,
        /// Whether they are taken away.
        except: bool,
        directed: bool,
        chains: Vec<Chain>,
    },
    /// `grid hexes of Hex hexagonal row row column column shift odd facing Side { fields }`
    Grid(Grid),
    /// `edges hexes from "edges.csv"`
    Edges { grid: Word, file: Label, cite: Vec<Word> },
    /// `ordered pile spent[p: Player] of Card = {...}`
    Pile {
        name: Word,
        ordered: bool,
        index: Option<Index>,
        of: Word,
        start: Option<Expr>,
        label: Option<Label>,
        cite: Vec<Word>,
    },
    /// `var x[Player]: T = e`
    Var(Var),
    /// `define f(params) -> T = e cite ...`
    Define {
        name: Word,
        params: Vec<Param>,
        ty: Option<Type>,
        during: Option<Word>,
        value: Option<Expr>,
        cite: Vec<Word>,
    },
    /// `action ...`
    Action(Action),
    /// `procedure ...`
    Procedure(Procedure),
    /// `procedure battle also { var calls: 0..9 = 0  step rally after cards { ... } }`
    MoreSteps { procedure: Word, vars: Vec<Var>, steps: Vec<(Step, Beside)> },
    /// An exception, permission, prohibition, hook, silence at the left margin.
    Clause(Clause),
    /// `ability Stealth of f: Figure "label" {...}` at the left margin.
    Ability(Ability),
    /// `seen Character c.field by p ...`, `seen hand[q] by p ...`
    Seen(Seen),
    /// `ends ...`
    Ends(Ends),
    /// `score p = e cite ...`
    Score { seat: Word, value: Expr, cite: Vec<Word> },
    /// `worth p = e`
    Worth { seat: Word, value: Expr },
    /// `rounds "label" cite ... { First as Good, Second as Dark ... }`; one inner list a round
    Rounds { label: Option<Label>, cite: Vec<Word>, rounds: Vec<Vec<(Word, Word)>> },
    /// `bring army(p: Player) into Unit.figure "An army" cite ...`
    Bring(Bring),
    /// `entry "{p} to move" (p: Player) at play.turns { ... }`
    Entry { phrase: Label, params: Vec<Param>, procedure: Word, step: Word, body: Vec<Stmt> },
    /// `notation fen "..." at play.turns { ... }`
    Notation(Notation),
    /// `transcript pgn "..." style san from fen { White "1-0" }`
    Transcript(Transcript),
    /// `never "label" cite ... when cond`
    Never { label: Label, mods: Mods },
    /// `board Region row row column col shows Character at at facing facing`
    Board(Board),
    /// `mark h: Hex "^" "high ground" when COND`
    Mark(Mark),
    /// `tell p: Player "{p} has {gold(p)} left" when COND`
    Tell(Tell),
    /// `note id, id`
    Note { cite: Vec<Word> },
    /// `manners id, id "why"`
    Manners { cite: Vec<Word>, why: Option<Label> },
    /// `variant name "..." cite ...`
    Variant { name: Word, label: Option<Label>, cite: Vec<Word> },
    /// `remove "label"` or `remove char.frodo.2` (a citation) or `remove Name`
    Remove { what: RemoveTarget },
    /// `replace DECL`
    Replace { decl: Box<Decl> },
    /// `replace step battle.cards { ... }`
    ReplaceStep { procedure: Word, step: Step },
    /// `set Frodo.printed = 2`, `set option = value`
    Set { path: Vec<Word>, value: Expr },
    /// `set hexes.river(A1, A2) = Water`
    SetSide { grid: Word, field: Word, ends: [Word; 2], value: Expr },
}

/// What a declaration begins with, and what it cites.
struct Head<'t> {
    keyword: &'static str,
    name: Option<&'t Word>,
    label: Option<&'t Label>,
    cites: &'t [Word],
}

impl DeclKind {
    fn head(&self) -> Head<'_> {
        let of = |keyword, name, label, cites| Head { keyword, name, label, cites };
        match self {
            Self::Game { name, .. } => of("game", Some(name), None, &[]),
            Self::Source { name, .. } => of("source", Some(name), None, &[]),
            Self::Option { name, cite, .. } => of("option", Some(name), None, cite),
            Self::Reading { name, cite, .. } => of("reading", Some(name), None, cite),
            Self::Preset { name, .. } => of("preset", Some(name), None, &[]),
            Self::Kind { name, .. } => of("kind", Some(name), None, &[]),
            Self::Members { cite, .. } => of("", None, None, cite),
            Self::Links { name, cite, .. } => of("links", Some(name), None, cite),
            Self::ReplaceStep { step, .. } => of("", None, None, &step.cite),
            Self::Grid(g) => of("grid", Some(&g.name), None, &g.cite),
            Self::Edges { cite, .. } => of("edges", None, None, cite),
            Self::Pile { name, cite, .. } => of("pile", Some(name), None, cite),
            Self::Var(v) => of("var", Some(&v.name), None, &v.cite),
            Self::Define { name, cite, .. } => of("define", Some(name), None, cite),
            Self::Action(a) => of("action", Some(&a.name), None, &a.cite),
            Self::Procedure(p) => of("procedure", Some(&p.name), None, &p.cite),
            Self::Clause(c) => of("", None, c.label.as_ref(), &c.mods.cite),
            Self::Ability(a) => of("ability", a.name.as_ref(), a.label.as_ref(), &a.mods.cite),
            Self::Seen(s) => of("seen", None, None, &s.mods.cite),
            Self::Ends(e) => of("ends", None, Some(&e.label), &e.mods.cite),
            Self::Score { cite, .. } => of("score", None, None, cite),
            Self::Worth { .. } => of("worth", None, None, &[]),
            Self::Rounds { cite, .. } => of("rounds", None, None, cite),
            Self::Bring(b) => of("bring", Some(&b.name), b.label.as_ref(), &b.cite),
            Self::Notation(n) => of("notation", Some(&n.name), None, &[]),
            Self::Transcript(t) => of("transcript", Some(&t.name), None, &[]),
            Self::Never { label, mods } => of("never", None, Some(label), &mods.cite),
            Self::Mark(m) => of("mark", None, m.label.as_ref(), &[]),
            Self::Tell(_) => of("tell", None, None, &[]),
            Self::Note { cite } => of("note", None, None, cite),
            Self::Manners { cite, .. } => of("manners", None, None, cite),
            Self::Variant { name, cite, .. } => of("variant", Some(name), None, cite),
            _ => of("", None, None, &[]),
        }
    }

    /// The name that it declares; members have several.
    pub fn name(&self) -> Option<&Word> {
        self.head().name
    }

    /// The label that other declarations can name it by. The line of an option or the title of a game is none.
    pub fn label(&self) -> Option<&Label> {
        self.head().label
    }

    /// What it cites, without its steps, statements, clauses and the abilities of members.
    pub fn cites(&self) -> &[Word] {
        self.head().cites
    }

    /// What it is called in lists: `define strength`, `ends "label"`.
    pub fn title(&self) -> String {
        let head = self.head();
        match self {
            Self::Clause(c) => c.title(),
            Self::Ability(a) => a.title(),
            Self::Members { names, also, .. } => {
                let names = row(names.iter().map(|(n, _)| n), ", ");
                if *also { format!("{names} also") } else { names }
            }
            Self::Set { path, .. } => format!("set {}", row(path, ".")),
            Self::SetSide { grid, field, ends, .. } => {
                format!("set {}.{}({})", grid.text, field.text, row(ends, ", "))
            }
            Self::MoreLinks { name, except, .. } => {
                format!("links {} {}", name.text, if *except { "except" } else { "also" })
            }
            Self::MoreSteps { procedure, .. } => format!("procedure {} also", procedure.text),
            Self::ReplaceStep { procedure, step } => format!("step {}.{}", procedure.text, step.name.text),
            Self::Edges { grid, .. } => format!("edges {}", grid.text),
            Self::Entry { phrase, .. } => labelled("entry", Some(phrase)),
            _ => match head.name {
                Some(name) => format!("{} {}", head.keyword, name.text),
                None => labelled(head.keyword, head.label),
            },
        }
    }

    /// The words that it may carry as a clause does.
    pub fn mods(&self) -> Option<&Mods> {
        match self {
            Self::Clause(Clause { mods, .. })
            | Self::Ability(Ability { mods, .. })
            | Self::Seen(Seen { mods, .. })
            | Self::Ends(Ends { mods, .. })
            | Self::Never { mods, .. } => Some(mods),
            _ => None,
        }
    }

    /// The abilities in it, or the one that it declares.
    pub fn abilities(&self) -> &[Ability] {
        match self {
            Self::Members { abilities, .. } => abilities,
            Self::Ability(a) => std::slice::from_ref(a),
            _ => &[],
        }
    }

    /// The same, to change them.
    pub fn abilities_mut(&mut self) -> &mut [Ability] {
        match self {
            Self::Members { abilities, .. } => abilities,
            Self::Ability(a) => std::slice::from_mut(a),
            _ => &mut [],
        }
    }

    /// Its own expressions and blocks, without its condition. Fields, variables, the items of a procedure, clauses and
    /// abilities have theirs.
    pub fn parts(&self) -> Vec<Part<'_>> {
        use Part::{Any, Block, Condition, Seat, Value};
        match self {
            Self::Option { value, .. }
            | Self::Score { value, .. }
            | Self::Worth { value, .. }
            | Self::Set { value, .. }
            | Self::SetSide { value, .. } => vec![Value(value)],
            Self::Preset { settings, .. } => settings.iter().map(|(_, e)| Value(e)).collect(),
            Self::Define { value, .. } => value.iter().map(Any).collect(),
            Self::Pile { start, .. } => start.iter().map(Value).collect(),
            Self::Action(a) => {
                let domain = a.domain.iter().map(Condition);
                let until = a.until.iter().map(Condition);
                [Value(&a.by)].into_iter().chain(domain).chain(until).chain([Block(&a.body)]).collect()
            }
            Self::Ends(Ends { result: EndsResult::Wins(seat) | EndsResult::Loses(seat), .. }) => vec![Seat(seat)],
            Self::Entry { body, .. } => vec![Block(body)],
            _ => Vec::new(),
        }
    }
}

/// What a `remove` names.
#[derive(Clone, Debug)]
pub enum RemoveTarget {
    /// By label.
    Label(Label),
    /// By citation or name: `char.frodo.2`, `Frodo`.
    Path(Word),
}

/// A table of members.
#[derive(Clone, Debug)]
pub struct Table {
    /// The kind.
    pub kind: Word,
    /// The file.
    pub file: Label,
    /// The columns of names, of which the identifiers are made.
    pub called: Option<NameColumns>,
    /// Columns that are not read.
    pub unread: Vec<Word>,
}

/// The columns of names: `called name_en ja name_ja`.
#[derive(Clone, Debug)]
pub struct NameColumns {
    /// The names, of which the identifiers are made.
    pub column: Word,
    /// The languages of other columns of names.
    pub translations: Vec<(String, Word)>,
}

/// One alternative of a reading.
#[derive(Clone, Debug)]
pub struct ReadingChoice {
    /// Its name.
    pub name: Word,
    /// Its reason.
    pub grounds: Option<Label>,
    /// Marked `default`.
    pub default: bool,
}

/// A list in a `links` block: `A - B, C` or `A -> B -> C`. Each element links to every member of the next.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The groups in turn.
    pub groups: Vec<Vec<Word>>,
    /// Where.
    pub span: Span,
}

/// `action ...`
#[derive(Clone, Debug)]
pub struct Action {
    /// Its name.
    pub name: Word,
    /// Parameters.
    pub params: Vec<Param>,
    /// `in PROCEDURE`: it is asked for only while that procedure is active, and knows its names.
    pub during: Option<Word>,
    /// Whose action it is.
    pub by: Expr,
    /// Which arguments make an action.
    pub domain: Option<Expr>,
    /// Notation.
    pub log: Option<Label>,
    /// Citations.
    pub cite: Vec<Word>,
    /// `openly`.
    pub openly: bool,
    /// `hidden until ...`
    pub until: Option<Expr>,
    /// Effect.
    pub body: Vec<Stmt>,
}

/// `procedure ...`
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: Word,
    /// Parameters.
    pub params: Vec<Param>,
    /// `in PROCEDURE`: it begins only while that procedure is active, and knows its names.
    pub during: Option<Word>,
    /// `nested N`.
    pub nested: Option<i64>,
    /// `asks "..."`: what a seat is asked to do in it.
    pub asks: Option<Label>,
    /// Citations.
    pub cite: Vec<Word>,
    /// Variables, steps and statements in the order written.
    pub items: Vec<ProcItem>,
    /// `finally { ... }`.
    pub finally: Option<Vec<Stmt>>,
}

/// A part of a procedure.
#[derive(Clone, Debug)]
pub enum ProcItem {
    /// A variable of the procedure.
    Var(Var),
    /// A named step.
    Step(Step),
    /// A statement outside a step.
    Stmt(Stmt),
}

/// In which order the hooks of a step happen: `order attacker, defender`, `order c in Card by c.rank chosen by p`
#[derive(Clone, Debug, Default)]
pub struct HookOrder {
    /// What ranks them. `None` if nothing does.
    pub ranks: Option<Ranks>,
    /// Who chooses between hooks that are not ranked.
    pub chosen_by: Option<Expr>,
}

/// What ranks hooks.
#[derive(Clone, Debug)]
pub enum Ranks {
    /// The seats that own their holders, the first first.
    Seats(Vec<Expr>),
    /// `NAME in KIND by E`: a number for each holder, or for its owner, the lowest first.
    By(Word, Word, Expr),
}

/// `step texts cite ... when C order Dark, Good { ... }`
#[derive(Clone, Debug)]
pub struct Step {
    /// Its name.
    pub name: Word,
    /// Label for people.
    pub label: Option<Label>,
    /// `asks "..."`: what a seat is asked to do in it.
    pub asks: Option<Label>,
    /// Citations.
    pub cite: Vec<Word>,
    /// Condition.
    pub when: Option<Expr>,
    /// In which order its hooks happen. `None` if it does not say.
    pub order: Option<HookOrder>,
    /// What happens.
    pub body: Vec<Stmt>,
    /// Where.
    pub span: Span,
}

/// Where a further step stands.
#[derive(Clone, Debug)]
pub struct Beside {
    /// Before the step, or else after it.
    pub before: bool,
    /// A step of the procedure.
    pub step: Word,
}

/// `seen ...`
#[derive(Clone, Debug)]
pub struct Seen {
    /// What is seen.
    pub what: SeenWhat,
    /// The name for the seat that looks; `None` if nobody sees it.
    pub by: Option<Word>,
    /// Citations and condition.
    pub mods: Mods,
}

/// What a `seen` is about.
#[derive(Clone, Debug)]
pub enum SeenWhat {
    /// `Character c`: what c is.
    Member { kind: Word, name: Word },
    /// `Character c.wounds`: a field.
    Field { kind: Word, name: Word, field: Word },
    /// `hand[q]`, `deck`: a pile or variable.
    Named { name: Word, index: Option<Word>, second: Option<Word> },
}

/// `bring ...`
#[derive(Clone, Debug)]
pub struct Bring {
    /// Its name.
    pub name: Word,
    /// The seat that brings it.
    pub seat: Param,
    /// The kind of those that take it.
    pub kind: Word,
    /// Their field.
    pub field: Word,
    /// Its label.
    pub label: Option<Label>,
    /// Citations.
    pub cite: Vec<Word>,
    /// What the things in it cost.
    pub costs: Option<Costs>,
    /// Its sections; none if it is one list.
    pub sections: Vec<Section>,
}

/// `each f costs f.cost up to points "points"`: what the things in a list cost.
#[derive(Clone, Debug)]
pub struct Costs {
    /// The name of the thing.
    pub thing: Word,
    /// What it costs.
    pub cost: Expr,
    /// What all may cost.
    pub most: Option<Expr>,
    /// What is paid.
    pub label: Option<Label>,
}

/// `called "{print}" alike`: what the members of a kind are called.
#[derive(Clone, Debug)]
pub struct Called {
    /// The text, with fields of the member in braces.
    pub label: Label,
    /// Whether members are told apart only where the game does.
    pub alike: bool,
}

/// A section of what a seat brings: `sideboard into spare[p] "Sideboard"`.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its name.
    pub name: Word,
    /// The pile on which those lie that take it.
    pub pile: Word,
    /// What stands in the brackets after the pile.
    pub index: Option<Word>,
    /// Its label.
    pub label: Option<Label>,
}

/// `ends ...`
#[derive(Clone, Debug)]
pub struct Ends {
    /// Who.
    pub result: EndsResult,
    /// Its label.
    pub label: Label,
    /// Citations and condition.
    pub mods: Mods,
}

/// What an ending gives.
#[derive(Clone, Debug)]
pub enum EndsResult {
    /// `SEAT wins`.
    Wins(Expr),
    /// `SEAT loses`.
    Loses(Expr),
    /// `draw`.
    Draw,
}
