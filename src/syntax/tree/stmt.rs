//! Statements as written.

use super::{Expr, Label, Part, Word};
use crate::span::Span;

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

/// `:=`, `+=`, `-=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignOp {
    /// `:=`
    Set,
    /// `+=`
    Add,
    /// `-=`
    Sub,
}

/// How many copies of one thing are put, taken or moved.
#[derive(Clone, Debug)]
pub enum HowMany {
    /// The thing itself, or one copy of it.
    One,
    /// So many copies.
    Number(Expr),
    /// All copies that are there.
    All,
}

impl HowMany {
    /// The number, if one is written.
    #[must_use]
    pub fn number(&self) -> Option<&Expr> {
        match self {
            HowMany::Number(number) => Some(number),
            HowMany::One | HowMany::All => None,
        }
    }
}

/// The kinds of statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `place := e`; the place is a name, an index or a field expression.
    Assign { place: Expr, op: AssignOp, value: Expr },
    /// `let x = e`
    Let { name: Word, value: Expr },
    /// `battle(a, b)`
    Call { name: Word, args: Vec<Expr> },
    /// `when C {..} else when D {..} else {..}`; the last of `arms` may have no condition
    When { arms: Vec<(Option<Expr>, Vec<Stmt>)> },
    /// `match E { V, W {..} else {..} }`
    Match { on: Expr, cases: Vec<(Vec<Expr>, Vec<Stmt>)>, otherwise: Option<Vec<Stmt>> },
    /// `repeat N times {..}`
    Repeat { times: Expr, body: Vec<Stmt> },
    /// `while C {..}`
    While { cond: Expr, body: Vec<Stmt> },
    /// `for x in S (chosen by p | by E)? {..}`
    For { name: Word, set: Expr, chosen_by: Option<Expr>, by: Option<Expr>, body: Vec<Stmt> },
    /// `put x into P`, `put N x into B`
    Put { many: HowMany, item: Expr, pile: Expr },
    /// `take x from P`, `take N x from B`, `take all x from B`
    Take { many: HowMany, item: Expr, pile: Expr },
    /// `move x from P to Q`, `move N x from B to C`, `move all x from B to C`
    Move { many: HowMany, item: Expr, from: Expr, to: Expr },
    /// `move all from P to Q`
    MoveAll { from: Expr, to: Expr },
    /// `shuffle P`
    Shuffle { pile: Expr },
    /// A decision.
    Choose(Box<Choose>),
    /// `secretly {..}`
    Secretly { body: Vec<Stmt> },
    /// `pick x at random from S where C log "..."`
    Pick { name: Word, set: Expr, cond: Option<Expr>, log: Option<Label>, cite: Vec<Word> },
    /// `draw x from B where C log "..."`: by its number of copies
    Draw { name: Word, bag: Expr, cond: Option<Expr>, log: Option<Label>, cite: Vec<Word> },
    /// `roll d from a..b`, with `times N into B` several into a bag
    Roll { name: Word, lo: Expr, hi: Expr, into: Option<Box<RollInto>>, log: Option<Label>, cite: Vec<Word> },
    /// `finish battle`
    Finish { procedure: Word },
}

impl Stmt {
    /// Its expressions and blocks, in the order written.
    pub fn parts(&self) -> Vec<Part<'_>> {
        use Part::{Any, Block, Condition, Place, Seat, Value};
        use StmtKind as S;
        match &self.kind {
            S::Assign { place, value, .. } => vec![Place(place), Any(value)],
            S::Let { value, .. } => vec![Any(value)],
            S::Call { args, .. } => args.iter().map(Any).collect(),
            S::When { arms } => {
                arms.iter().flat_map(|(cond, body)| cond.iter().map(Condition).chain([Block(body)])).collect()
            }
            S::Match { on, cases, otherwise } => {
                let cases = cases.iter().flat_map(|(values, body)| values.iter().map(Value).chain([Block(body)]));
                [Value(on)].into_iter().chain(cases).chain(otherwise.iter().map(|body| Block(body))).collect()
            }
            S::Repeat { times, body } => vec![Value(times), Block(body)],
            S::While { cond, body } => vec![Condition(cond), Block(body)],
            S::For { set, chosen_by, by, body, .. } => {
                let ordered = chosen_by.iter().map(Seat).chain(by.iter().map(Value));
                [Value(set)].into_iter().chain(ordered).chain([Block(body)]).collect()
            }
            S::Put { many, item, pile } | S::Take { many, item, pile } => {
                many.number().map(Value).into_iter().chain([Value(item), Place(pile)]).collect()
            }
            S::Move { many, item, from, to } => {
                many.number().map(Value).into_iter().chain([Value(item), Place(from), Place(to)]).collect()
            }
            S::MoveAll { from, to } => vec![Place(from), Place(to)],
            S::Shuffle { pile } => vec![Place(pile)],
            S::Choose(choose) => choose.parts(),
            S::Secretly { body } => vec![Block(body)],
            S::Pick { set, cond, .. } | S::Draw { bag: set, cond, .. } => {
                [Value(set)].into_iter().chain(cond.iter().map(Condition)).collect()
            }
            S::Roll { lo, hi, into, .. } => {
                let into = into.iter().flat_map(|into| [Value(&into.times), Place(&into.bag)]);
                [Value(lo), Value(hi)].into_iter().chain(into).collect()
            }
            S::Finish { .. } => Vec::new(),
        }
    }

    /// What it is called in lists of citations, and what it cites.
    pub fn cites(&self) -> (&'static str, &[Word]) {
        match &self.kind {
            StmtKind::Choose(choose) => ("choice", &choose.cite),
            StmtKind::Pick { cite, .. } => ("pick at random", cite),
            StmtKind::Draw { cite, .. } => ("draw", cite),
            StmtKind::Roll { cite, .. } => ("roll", cite),
            _ => ("", &[]),
        }
    }
}

/// `times N into B`.
#[derive(Clone, Debug)]
pub struct RollInto {
    /// How many.
    pub times: Expr,
    /// The bag.
    pub bag: Expr,
}

/// A decision of a seat.
#[derive(Clone, Debug)]
pub struct Choose {
    /// Who decides.
    pub seat: Expr,
    /// `may choose` rather than `chooses`.
    pub optional: bool,
    /// What is decided.
    pub what: ChooseWhat,
    /// Notation.
    pub log: Option<Label>,
    /// `asks "..."`: what the seat is asked to do, in words.
    pub asks: Option<Label>,
    /// How doing nothing is written.
    pub otherwise: Option<Label>,
    /// Citations.
    pub cite: Vec<Word>,
    /// `openly`.
    pub openly: bool,
    /// `asked anyway`, and where.
    pub anyway: Option<Span>,
    /// `hidden until ...`
    pub until: Option<Expr>,
    /// Again and again, until it is declined.
    pub repeated: Option<Repeated>,
    /// What follows, of an optional one.
    pub body: Vec<Stmt>,
    /// What happens where nothing is chosen, of an optional one.
    pub declined: Vec<Stmt>,
}

/// `repeatedly`.
#[derive(Clone, Debug)]
pub struct Repeated {
    /// How often at the most.
    pub up_to: Option<Expr>,
}

impl Choose {
    fn parts(&self) -> Vec<Part<'_>> {
        let (values, cond): (Vec<&Expr>, _) = match &self.what {
            ChooseWhat::One { set, cond, .. } => (vec![set], cond.as_ref()),
            ChooseWhat::Several { lo, hi, set, cond, .. } => (vec![lo, hi, set], cond.as_ref()),
            ChooseWhat::Number { lo, hi, .. } => (vec![lo, hi], None),
            ChooseWhat::Act { .. } | ChooseWhat::Yes { .. } => (Vec::new(), None),
        };
        let what = values.into_iter().map(Part::Value).chain(cond.map(Part::Condition));
        let most = self.repeated.iter().filter_map(|r| r.up_to.as_ref()).map(Part::Value);
        let until = self.until.iter().map(Part::Condition);
        [Part::Seat(&self.seat)]
            .into_iter()
            .chain(what)
            .chain(most)
            .chain(until)
            .chain([Part::Block(&self.body), Part::Block(&self.declined)])
            .collect()
    }
}

/// What is decided.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "a decision is boxed in its statement")]
pub enum ChooseWhat {
    /// One of a set.
    One { name: Word, set: Expr, cond: Option<Expr> },
    /// Between `lo` and `hi` of a set.
    Several { name: Word, lo: Expr, hi: Expr, set: Expr, cond: Option<Expr> },
    /// A number.
    Number { name: Word, lo: Expr, hi: Expr },
    /// One of some actions.
    Act { actions: Vec<Word>, if_any: bool },
    /// Yes or no.
    Yes { label: Label },
}
