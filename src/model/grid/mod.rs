//! Grids: a kind whose members are the cells of a lattice, with data on the sides between neighbours.

mod lattice;
mod segment;
mod shape;
#[cfg(test)]
mod test;

use std::sync::Arc;

pub use lattice::Lattice;
pub use shape::{Shape, Shift};

use super::{KindId, LinkId, Ty, Value};

/// A grid over the members of a kind. Its neighbours are links of the same name.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Who is next to whom.
    pub links: LinkId,
    /// The kind of the cells.
    pub kind: KindId,
    /// The kind of the directions, clockwise.
    pub facing: Option<KindId>,
    /// What is printed on the sides between neighbours.
    pub fields: Vec<SideField>,
    /// Whether members of the kind may lie off the map.
    pub partial: bool,
    /// Where the cells are.
    pub lattice: Arc<Lattice>,
}

/// A field of the sides between neighbours.
#[derive(Clone, Debug)]
pub struct SideField {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// By cell and side, each pair of neighbours twice; `None` where there is no neighbour.
    pub values: Vec<Value>,
}

/// The questions to a grid, beside its neighbours and [`super::ExprKind::Crosses`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GridAsk {
    /// Of two neighbours: a field of the side between them.
    Side(usize),
    /// The cell next to one in a direction.
    Ahead,
    /// The direction from a cell to a neighbour.
    Toward,
    /// A direction turned clockwise by some sides.
    Turned,
    /// How many cells one is from another.
    Distance,
    /// The cells at a distance.
    Ring,
    /// The cells up to a distance.
    Disc,
    /// The neighbours up to some sides from a direction.
    Arc,
    /// The cells between two rays, up to some sides from a direction.
    Wedge,
    /// The cells that the line between two centres passes.
    Between,
    /// The cells that the line between two corners passes.
    Passed,
}

impl Grid {
    /// The value of the side between two cells; `None` if they are not neighbours.
    #[must_use]
    pub fn side(&self, field: usize, a: usize, b: usize) -> Value {
        let at = self.lattice.toward(a, b).map(|side| a * self.lattice.shape().sides() + side);
        let value = at.and_then(|at| self.fields.get(field)?.values.get(at));
        value.cloned().unwrap_or_default()
    }
}
