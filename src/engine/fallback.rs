//! Why rules, an expression or a single question are left to another way of evaluating them.

use std::fmt;

/// Why something is left: by the lowered trees to the explaining evaluator, by machine code to the trees or to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fallback {
    /// The rules fail here, or the choice is not one of the options: the explaining evaluator says which.
    Failure,
    /// The position is over, or one that play does not come to.
    Position,
    /// Expressions or instructions of this form are not lowered.
    Form,
    /// More than one hook applies, nothing says in which order, and the order makes a difference.
    HookOrder,
    /// Endings hold together.
    Endings,
    /// A set may have more members than the engine handles, or large sets need too much of the stack at once.
    LargeSet,
    /// The lowered rules become too large.
    TooLarge,
    /// Definitions use each other too deeply.
    TooDeep,
    /// Too much is computed again and again; the explaining evaluator remembers it.
    TooMuchWork,
    /// There are too many options to write them down.
    ManyOptions,
    /// A line is drawn over a grid.
    Line,
    /// Hooks have no order.
    NoOrder,
    /// Machine code could not be made.
    Trouble,
    /// The program is built without machine code.
    NoMachineCode,
}

impl Fallback {
    /// The reason in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Fallback::Failure => "the rules may fail here",
            Fallback::Position => "play does not come to this position",
            Fallback::Form => "this form is not lowered",
            Fallback::HookOrder => "several hooks apply, and their order matters",
            Fallback::Endings => "several endings hold together",
            Fallback::LargeSet => "a set may have too many members",
            Fallback::TooLarge => "the lowered rules would be too large",
            Fallback::TooDeep => "definitions use each other too deeply",
            Fallback::TooMuchWork => "too much would be computed again and again",
            Fallback::ManyOptions => "there are too many options",
            Fallback::Line => "a line is drawn over a grid",
            Fallback::NoOrder => "hooks have no order",
            Fallback::Trouble => "machine code could not be made",
            Fallback::NoMachineCode => "the program is built without machine code",
        }
    }
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

impl std::error::Error for Fallback {}
