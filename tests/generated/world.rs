//! What a generated game consists of, as far as its expressions need to know.

use std::collections::BTreeSet;

/// What sets, bags and quantifiers are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elem {
    Kind(usize),
    Range(i32, i32),
    Truth,
}

/// A type without `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    Truth,
    Num(i32, i32),
    Member(usize),
    Set(Elem),
    Bag(Elem),
}

/// All numbers.
pub const INT: Base = Base::Num(i32::MIN, i32::MAX);

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ty {
    pub base: Base,
    pub opt: bool,
}

impl Ty {
    pub fn of(base: Base) -> Ty {
        Ty { base, opt: false }
    }
}

impl Elem {
    /// The type of one of them.
    pub fn one(self) -> Ty {
        Ty::of(match self {
            Elem::Kind(k) => Base::Member(k),
            Elem::Range(lo, hi) => Base::Num(lo, hi),
            Elem::Truth => Base::Truth,
        })
    }
}

/// A field of a kind.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub ty: Ty,
    pub var: bool,
}

/// A kind and its members.
#[derive(Clone, Debug, Default)]
pub struct Kind {
    pub name: String,
    pub members: Vec<String>,
    pub fields: Vec<Field>,
}

/// Whether a variable is a pile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pile {
    No,
    Loose,
    Ordered,
}

/// A variable or pile.
#[derive(Clone, Debug)]
pub struct Var {
    pub name: String,
    pub index: Option<usize>,
    pub ty: Ty,
    pub pile: Pile,
    /// An option: it cannot be changed.
    pub fixed: bool,
}

/// A definition.
#[derive(Clone, Debug)]
pub struct Def {
    pub name: String,
    pub params: Vec<Ty>,
    pub ty: Ty,
    pub cost: u64,
}

/// An action.
#[derive(Clone, Debug)]
pub struct Action {
    pub name: String,
    pub params: Vec<(String, Elem)>,
    /// How many sets of arguments there are.
    pub size: u64,
    pub labels: Vec<String>,
}

/// A procedure.
#[derive(Clone, Debug, Default)]
pub struct Proc {
    pub name: String,
    pub params: Vec<(String, Ty)>,
    pub vars: Vec<Var>,
    pub steps: Vec<String>,
    pub nested: bool,
}

/// A grid.
#[derive(Clone, Debug)]
pub struct Grid {
    pub name: String,
    pub kind: usize,
    /// The kind of its directions.
    pub facing: usize,
    /// Fields of its sides.
    pub sides: Vec<(String, Ty)>,
    /// Some members of the kind lie off the map.
    pub partial: bool,
}

/// Names in scope.
#[derive(Clone, Debug)]
pub struct Local {
    pub name: String,
    pub ty: Ty,
    /// A variable of the procedure: it can be changed.
    pub var: bool,
    /// There is one for each member of this kind.
    pub index: Option<usize>,
}

/// All that is declared so far.
#[derive(Clone, Debug, Default)]
pub struct World {
    pub kinds: Vec<Kind>,
    pub vars: Vec<Var>,
    pub defs: Vec<Def>,
    pub actions: Vec<Action>,
    pub procs: Vec<Proc>,
    pub grids: Vec<Grid>,
    /// Links: name, from which kind, to which.
    pub links: Vec<(String, usize, usize)>,
    /// Readings and one of their alternatives.
    pub readings: Vec<(String, String)>,
    /// A last member that is declared at the end: its kind, its name, what stands in its block.
    pub deferred: Option<(usize, String, String)>,
}

impl World {
    /// How many values there are.
    pub fn size(&self, elem: Elem) -> u64 {
        match elem {
            Elem::Kind(k) => self.kinds[k].members.len() as u64,
            Elem::Range(lo, hi) => (i64::from(hi) - i64::from(lo) + 1) as u64,
            Elem::Truth => 2,
        }
    }

    pub fn elem(&self, elem: Elem) -> String {
        match elem {
            Elem::Kind(k) => self.kinds[k].name.clone(),
            Elem::Range(lo, hi) => format!("{lo}..{hi}"),
            Elem::Truth => String::from("Bool"),
        }
    }

    pub fn ty(&self, ty: Ty) -> String {
        let base = match ty.base {
            Base::Truth => String::from("Bool"),
            INT => String::from("Int"),
            Base::Num(lo, hi) => format!("{lo}..{hi}"),
            Base::Member(k) => self.kinds[k].name.clone(),
            Base::Set(e) => format!("set of {}", self.elem(e)),
            Base::Bag(e) => format!("bag of {}", self.elem(e)),
        };
        if ty.opt { base + "?" } else { base }
    }
}

/// A game as it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    pub files: Vec<(String, String)>,
    pub variants: Vec<String>,
    /// What is in it.
    pub used: BTreeSet<&'static str>,
}
