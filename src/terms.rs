//! Terms of the language that mean the same in the tree of a rule file and in the model.

/// When a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HookTime {
    /// Before the step.
    Before,
    /// In the step, after its own block.
    At,
    /// After the step.
    After,
    /// In place of the step's block.
    Instead,
}

impl HookTime {
    /// How rule files begin a hook that runs then.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            HookTime::Before => "before",
            HookTime::At => "at",
            HookTime::After => "after",
            HookTime::Instead => "instead of",
        }
    }
}

/// How a clause on a definition changes its value, in the order in which the layers are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layer {
    /// It replaces the general value.
    Instead,
    /// A factor.
    Times,
    /// A term.
    Plus,
    /// An upper bound.
    AtMost,
    /// A lower bound.
    AtLeast,
    /// Members added, of a set.
    Also,
    /// Members taken out, of a set.
    Except,
}

impl Layer {
    /// All layers, in order.
    pub const ALL: [Layer; 7] =
        [Layer::Instead, Layer::Times, Layer::Plus, Layer::AtMost, Layer::AtLeast, Layer::Also, Layer::Except];

    /// How rule files begin a clause of the layer.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Layer::Instead => "instead",
            Layer::Times => "times",
            Layer::Plus => "plus",
            Layer::AtMost => "at most",
            Layer::AtLeast => "at least",
            Layer::Also => "also",
            Layer::Except => "except",
        }
    }

    /// Whether it changes sets; else it changes numbers, but for [`Layer::Instead`], which changes values of any type.
    #[must_use]
    pub fn is_of_sets(self) -> bool {
        matches!(self, Layer::Also | Layer::Except)
    }
}

/// `some`, `every`, `no`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Quantifier {
    Some,
    Every,
    No,
}
