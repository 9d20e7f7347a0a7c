//! Questions to grids.

use super::eval::{Eval, Res};
use super::note::Notes;
use crate::game::{SeenPart, Shown, Subject};
use crate::model::{Crosses, Expr, Grid, GridAsk, GridId, Value};

impl<'a, N: Notes> Eval<'a, N> {
    fn grid(&self, id: GridId) -> Option<&'a Grid> {
        let model = self.model;
        model.grids.get(id.i())
    }

    /// Evaluates numbers in turn; `None` at the first that is nothing.
    fn numbers<const M: usize>(&mut self, args: &[Expr]) -> Res<Option<[i32; M]>> {
        let mut found = [0; M];
        for (place, arg) in found.iter_mut().zip(args) {
            match self.int(arg)? {
                Some(i) => *place = i,
                None => return Ok(None),
            }
        }
        Ok(Some(found))
    }

    /// What a grid tells of these.
    pub fn asked(&mut self, id: GridId, ask: GridAsk, args: &[Expr]) -> Res<Value> {
        let (Some([a, b, c, d]), Some(grid)) = (self.numbers(args)?, self.grid(id)) else {
            return Ok(Value::None);
        };
        let lattice = &grid.lattice;
        let at = |i: i32| usize::try_from(i).unwrap_or(usize::MAX);
        let member = |i: Option<usize>| i.map_or(Value::None, |i| Value::Int(i as i32));
        Ok(match ask {
            GridAsk::Side(field) => grid.side(field, at(a), at(b)),
            GridAsk::Ahead => member(lattice.ahead(at(a), at(b))),
            GridAsk::Toward => member(lattice.toward(at(a), at(b))),
            GridAsk::Turned => member(Some(lattice.turned(at(a), b))),
            GridAsk::Distance => lattice.distance(at(a), at(b)).map_or(Value::None, Value::Int),
            GridAsk::Ring => Value::Set(lattice.ring(at(a), b)),
            GridAsk::Disc => Value::Set(lattice.disc(at(a), b)),
            GridAsk::Arc => Value::Set(lattice.arc(at(a), at(b), c)),
            GridAsk::Wedge => Value::Set(lattice.wedge(at(a), at(b), c)),
            GridAsk::Between => Value::Set(lattice.between(at(a), at(b))),
            GridAsk::Passed => Value::Set(lattice.passed(at(a), at(b), at(c), at(d))),
        })
    }

    /// The first side, in the order along the segment, for which the condition holds: its cells, in their order.
    pub fn crossing(&mut self, crosses: &Crosses) -> Res<Option<(usize, usize)>> {
        let (Some([a, i, b, j]), Some(grid)) = (self.numbers(&crosses.ends)?, self.grid(crosses.grid)) else {
            return Ok(None);
        };
        let at = |i: i32| usize::try_from(i).unwrap_or(usize::MAX);
        let found = grid.lattice.crossed((at(a), at(i), at(b), at(j)), |x, _, y| {
            self.set_local(crosses.from, Value::Int(x.min(y) as i32));
            self.set_local(crosses.to, Value::Int(x.max(y) as i32));
            self.truth(&crosses.cond)
        })?;
        Ok(found.map(|(x, y)| (x.min(y), x.max(y))))
    }

    /// Which side it is that is crossed, for a ruling.
    pub fn crossing_shown(&mut self, crosses: &Crosses) -> Option<SeenPart> {
        let (x, y) = self.crossing(crosses).ok()??;
        let kind = self.grid(crosses.grid)?.kind;
        let value = Shown::Side(self.seen_member(kind, x as u16), self.seen_member(kind, y as u16));
        Some(SeenPart { what: Subject::Part(crosses.pair), after: false, value })
    }
}
