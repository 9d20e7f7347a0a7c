//! Questions to a grid.

use super::super::Checker;
use super::super::grid::QUESTIONS;
use super::super::names::Symbol;
use super::super::scope::{Binding, Scope};
use super::typed;
use crate::check::Diagnostic;
use crate::model::{Base, Crosses, Expr, ExprKind, GridAsk, GridId, KindId, Ty};
use crate::span::Span;
use crate::syntax::tree;

/// The type that an argument must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Param {
    Cell,
    Direction,
    Number,
}
use Param::{Cell, Direction, Number};

type Params = &'static [(&'static str, Param)];

const CELLS: Params = &[("a", Cell), ("b", Cell)];
const AROUND: Params = &[("c", Cell), ("n", Number)];
const AHEAD: Params = &[("c", Cell), ("d", Direction)];
const TURNED: Params = &[("d", Direction), ("n", Number)];
const TOWARDS: Params = &[("c", Cell), ("d", Direction), ("n", Number)];
const CORNERS: Params = &[("a", Cell), ("i", Direction), ("b", Cell), ("j", Direction)];

fn params(ask: GridAsk) -> Params {
    match ask {
        GridAsk::Side(_) | GridAsk::Toward | GridAsk::Distance | GridAsk::Between => CELLS,
        GridAsk::Ahead => AHEAD,
        GridAsk::Turned => TURNED,
        GridAsk::Ring | GridAsk::Disc => AROUND,
        GridAsk::Arc | GridAsk::Wedge => TOWARDS,
        GridAsk::Passed => CORNERS,
    }
}

impl Checker {
    /// `hexes.ahead(c, d)` and the like.
    pub(super) fn grid_call(&mut self, call: &tree::GridCall, span: Span, sc: &mut Scope) -> Option<Expr> {
        let grid = self.grid_asked(&call.grid, sc)?;
        if call.what.text == "crosses" {
            return self.crosses(grid, call, span, sc);
        }
        let ask = self.question(grid, call)?;
        if let Some(side) = &call.side {
            self.report(
                Diagnostic::error(
                    "law::type",
                    format!("`{}` takes no condition", call.what.text),
                    side.span,
                    "only `crosses` takes one",
                )
                .help("remove it, or apply it to the result: `{ x in ... where C }`"),
            );
            return None;
        }
        let args = self.asked_with(grid, call, params(ask), sc)?;
        let g = &self.model.grids[grid.i()];
        let lifted = args.iter().any(|a| a.ty.optional) || ask == GridAsk::Distance && g.partial;
        let if_lifted = |base: Base| Ty { base, optional: lifted };
        let cells = Ty::of(Base::Set(Box::new(Base::Member(g.kind))));
        let ty = match ask {
            GridAsk::Side(field) => g.fields[field].ty.clone().maybe(),
            GridAsk::Ahead => Ty::of(Base::Member(g.kind)).maybe(),
            GridAsk::Toward => Ty::of(Base::Member(g.facing?)).maybe(),
            GridAsk::Turned => if_lifted(Base::Member(g.facing?)),
            GridAsk::Distance => if_lifted(Base::Int),
            _ => cells,
        };
        Some(typed(ExprKind::Grid { grid, ask, args }, ty, span))
    }

    fn grid_asked(&mut self, name: &tree::Word, sc: &Scope) -> Option<GridId> {
        let local = sc.get(&name.text);
        if matches!(local, Some(Binding::Broken)) || local.is_none() && self.unclear.names.contains(&name.text) {
            return None;
        }
        match self.names.get(&name.text).filter(|_| local.is_none()) {
            Some(s @ Symbol::Links(links)) if self.grid_of(links).is_some() => {
                self.names.mark(s);
                self.grid_of(links)
            }
            _ => {
                let names = self.grid_names();
                self.unknown_among("grid", name, names.iter().map(String::as_str));
                None
            }
        }
    }

    fn question(&mut self, grid: GridId, call: &tree::GridCall) -> Option<GridAsk> {
        let fields = &self.model.grids[grid.i()].fields;
        if let Some(i) = fields.iter().position(|f| f.name == call.what.text) {
            return Some(GridAsk::Side(i));
        }
        let ask = match call.what.text.as_str() {
            "ahead" => GridAsk::Ahead,
            "toward" => GridAsk::Toward,
            "turned" => GridAsk::Turned,
            "distance" => GridAsk::Distance,
            "ring" => GridAsk::Ring,
            "disc" => GridAsk::Disc,
            "arc" => GridAsk::Arc,
            "wedge" => GridAsk::Wedge,
            "between" => GridAsk::Between,
            "passed" => GridAsk::Passed,
            _ => {
                let names: Vec<String> =
                    fields.iter().map(|f| f.name.clone()).chain(QUESTIONS.map(String::from)).collect();
                let what = format!("field of the sides of `{}`, or question about it, called", call.grid.text);
                self.unknown_among(&what, &call.what, names.iter().map(String::as_str));
                return None;
            }
        };
        let directed = ask == GridAsk::Toward || params(ask).iter().any(|p| p.1 == Direction);
        if directed {
            self.directions_of(grid, call)?;
        }
        Some(ask)
    }

    fn directions_of(&mut self, grid: GridId, call: &tree::GridCall) -> Option<KindId> {
        let facing = self.model.grids[grid.i()].facing;
        if facing.is_none() {
            let name = &call.grid.text;
            self.report(
                Diagnostic::error(
                    "law::type",
                    format!("the directions of `{name}` have no names"),
                    call.what.span,
                    "asks for directions",
                )
                .help(format!("declare them with the grid: `grid {name} of ... facing Side`")),
            );
        }
        facing
    }

    fn asked_with(&mut self, grid: GridId, call: &tree::GridCall, params: Params, sc: &mut Scope) -> Option<Vec<Expr>> {
        let title = format!("{}.{}", call.grid.text, call.what.text);
        if call.args.len() != params.len() {
            let names: Vec<&str> = params.iter().map(|p| p.0).collect();
            self.arity(&title, &names, call.args.len(), call.what.span);
            return None;
        }
        let (kind, facing) = (self.model.grids[grid.i()].kind, self.model.grids[grid.i()].facing);
        let mut found = Vec::new();
        for (arg, (name, param)) in call.args.iter().zip(params) {
            let wanted = match param {
                Cell => Base::Member(kind),
                Direction => Base::Member(facing?),
                Number => {
                    found.push(self.numeric(arg, sc));
                    continue;
                }
            };
            let arg = self.expr(arg, sc);
            let wanted = Ty { base: wanted, optional: true };
            found.push(arg.and_then(|arg| {
                let there = !arg.ty.optional;
                let mut arg = self.fit(arg, &wanted, &format!("`{name}` of `{title}`"))?;
                arg.ty.optional &= !there;
                Some(arg)
            }));
        }
        found.into_iter().collect()
    }

    /// `hexes.crosses(a, i, b, j, x to y where C)`.
    fn crosses(&mut self, grid: GridId, call: &tree::GridCall, span: Span, sc: &mut Scope) -> Option<Expr> {
        self.directions_of(grid, call)?;
        let ends = self.asked_with(grid, call, CORNERS, sc);
        let Some(by) = &call.side else {
            self.report(
                Diagnostic::error(
                    "law::arity",
                    "`crosses` does not say which sides are meant",
                    call.what.span,
                    "no condition",
                )
                .help(format!("write `{}.crosses(a, i, b, j, x to y where CONDITION)`", call.grid.text)),
            );
            return None;
        };
        let cell = Ty::of(Base::Member(self.model.grids[grid.i()].kind));
        let (from, to) = (sc.bind(&by.from.text, cell.clone()), sc.bind(&by.to.text, cell));
        let cond = self.truth(&by.cond, sc);
        sc.unbind();
        sc.unbind();
        let pair = by.from.span.to(by.to.span);
        let crosses = Crosses { grid, ends: ends?, from, to, cond: cond?, pair };
        Some(typed(ExprKind::Crosses(Box::new(crosses)), Ty::of(Base::Bool), span))
    }
}
