//! Grids: their directions, their cells, and what is printed on the sides between them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Checker;
use super::names::Symbol;
use crate::check::Diagnostic;
use crate::model::{
    self, Base, FieldStore, Grid, GridId, KindId, Lattice, LinkId, Set, Shape, Shift, SideField, Ty, Value,
};
use crate::span::Span;
use crate::syntax::tree::{self, Decl, DeclKind, Label, Word};

/// The names of the questions to every grid; no field of a side may have one.
pub(super) const QUESTIONS: [&str; 11] =
    ["ahead", "toward", "turned", "distance", "ring", "disc", "arc", "wedge", "between", "passed", "crosses"];

/// The given values of the sides: by field, by cell and side.
type Said = Vec<Vec<Option<Value>>>;

fn shape(g: &tree::Grid) -> Shape {
    if g.square { Shape::Square } else { Shape::Hexagonal }
}

impl Checker {
    /// Declares the kind of the directions of a grid. Grids of one form may share it.
    pub(super) fn directions(&mut self, g: &tree::Grid, span: Span) {
        let Some(name) = &g.facing else { return };
        if let Some(Symbol::Kind(k)) = self.names.get(&name.text)
            && self.are_directions(k, shape(g))
        {
            return;
        }
        let directions = shape(g).directions().iter();
        let members: Vec<(Word, Option<Label>)> = directions
            .map(|(id, text, ja)| {
                let translations = vec![("ja".to_owned(), (*ja).to_owned())];
                let label = Label { text: (*text).to_owned(), translations, span: name.span };
                (Word { text: (*id).to_owned(), span: name.span }, Some(label))
            })
            .collect();
        self.kind((name, None), &members, span);
    }

    fn are_directions(&self, kind: KindId, shape: Shape) -> bool {
        let ids = self.model.kinds[kind.i()].members.iter().map(|m| m.id.as_str());
        ids.eq(shape.directions().iter().map(|d| d.0))
    }

    /// A grid without cells.
    pub(super) fn new_grid(&mut self, links: LinkId, span: Span) {
        self.place(self.model.grids.len(), "grids", span);
        self.model.grids.push(Grid {
            links,
            kind: model::PLAYER,
            facing: None,
            fields: Vec::new(),
            partial: false,
            lattice: Arc::default(),
        });
    }

    /// The grid whose neighbours are these links.
    pub(super) fn grid_of(&self, links: LinkId) -> Option<GridId> {
        let at = self.model.grids.iter().position(|g| g.links == links)?;
        u16::try_from(at).ok().map(GridId)
    }

    fn grid_named(&self, name: &Word) -> Option<GridId> {
        match self.names.get(&name.text) {
            Some(Symbol::Links(links)) => self.grid_of(links),
            _ => None,
        }
    }

    /// The names of all grids.
    pub(super) fn grid_names(&self) -> Vec<String> {
        self.model.grids.iter().map(|g| self.model.links[g.links.i()].name.clone()).collect()
    }

    /// The kinds of a grid and the types of the fields of its sides.
    pub(super) fn grid_types(&mut self, g: &tree::Grid) {
        let Some(id) = self.grid_named(&g.name) else { return };
        let facing = g.facing.as_ref().and_then(|f| self.kind_named(f));
        let clear = facing.is_none_or(|k| self.are_directions(k, shape(g)));
        if let Some(name) = g.facing.as_ref().filter(|_| !clear && facing.is_some())
            && !self.unclear.names.contains(&name.text)
        {
            self.report(
                Diagnostic::error(
                    "law::type",
                    format!("`{}` has members that are not directions", name.text),
                    name.span,
                    "only the grid declares its members",
                )
                .help("remove them, or name another kind after `facing`"),
            );
        }
        let Some(kind) = self.kind_named(&g.of).filter(|_| clear) else {
            self.unclear.names.insert(g.name.text.clone());
            return;
        };
        if let Some((_, span)) = g.shift.filter(|_| g.square) {
            self.report(
                Diagnostic::error("law::type", "the rows of a square grid are not shifted", span, "not wanted")
                    .help("leave it out, or make the grid `hexagonal`"),
            );
        }
        let links = self.model.grids[id.i()].links;
        (self.model.links[links.i()].from, self.model.links[links.i()].to) = (kind, kind);
        let mut fields: Vec<SideField> = Vec::new();
        for f in &g.fields {
            let Some(ty) = self.side_field(f, g, &fields) else {
                self.unclear.names.insert(g.name.text.clone());
                continue;
            };
            fields.push(SideField { name: f.name.text.clone(), ty, values: Vec::new() });
        }
        let printed = &self.model.kinds[kind.i()].fields;
        let partial = printed.iter().any(|f| (f.name == g.row.text || f.name == g.column.text) && f.ty.optional);
        let grid = &mut self.model.grids[id.i()];
        (grid.kind, grid.facing, grid.fields, grid.partial) = (kind, facing, fields, partial);
    }

    fn side_field(&mut self, f: &tree::Field, g: &tree::Grid, before: &[SideField]) -> Option<Ty> {
        self.not_kept(f.during.as_ref(), "a field of a side", "leave out `in`");
        if f.var {
            self.report(
                Diagnostic::error(
                    "law::type",
                    "a field of a side must be printed",
                    f.name.span,
                    "cannot change in play",
                )
                .help("leave `var` out; keep what changes in a variable or in fields of the cells"),
            );
        }
        let name = &f.name.text;
        if QUESTIONS.contains(&name.as_str()) {
            self.report(
                Diagnostic::error(
                    "law::duplicate",
                    format!("`{name}` is built in for every grid"),
                    f.name.span,
                    "taken",
                )
                .help(format!("choose another name for the field: `{}.{name}(...)` has a meaning", g.name.text)),
            );
            return None;
        }
        if before.iter().any(|o| o.name == *name) {
            self.field_twice(&f.name, &g.fields);
            return None;
        }
        self.ty(&f.ty)
    }

    /// Reports `edges` of something that is not a grid.
    pub(super) fn edges_of_nothing(&mut self, grid: &Word) {
        if self.grid_named(grid).is_none() {
            let names = self.grid_names();
            self.unknown_among("grid", grid, names.iter().map(String::as_str));
        }
    }

    /// Finds the places of the cells of a grid and the fields of their sides, once the printed fields are known.
    pub(super) fn lay_grid(&mut self, g: &tree::Grid, decls: &[Arc<Decl>]) {
        let Some(id) = self.grid_named(&g.name).filter(|_| !self.unclear.names.contains(&g.name.text)) else {
            return;
        };
        let kind = self.model.grids[id.i()].kind;
        let (rows, columns) = (self.numbers(kind, &g.row), self.numbers(kind, &g.column));
        let (Some(rows), Some(columns)) = (rows, columns) else { return };
        let Some(places) = self.cell_places(kind, rows, columns, g) else { return };
        if !self.places_are_good(kind, &places, g) {
            return;
        }
        let shift = if g.shift.is_some_and(|(even, _)| even) { Shift::Even } else { Shift::Odd };
        let lattice = Lattice::partial(shape(g), shift, places.iter().copied());
        let sides = lattice.shape().sides();
        let next = |c: usize| (0..sides).filter_map(|s| lattice.ahead(c, s)).collect::<Set>();
        let forward: Vec<Set> = (0..places.len()).map(next).collect();
        let links = self.model.grids[id.i()].links;
        self.model.links[links.i()].backward.clone_from(&forward);
        self.model.links[links.i()].forward = forward;
        self.model.grids[id.i()].lattice = Arc::new(lattice);
        let mut said: Said = vec![vec![None; places.len() * sides]; self.model.grids[id.i()].fields.len()];
        let mut first = BTreeMap::new();
        let faults = self.out.len();
        for d in decls {
            if let DeclKind::Edges { grid, file, .. } = &d.kind
                && grid.text == g.name.text
            {
                self.edges(id, file, &places, &mut said, &mut first);
            }
        }
        for d in decls {
            if let DeclKind::SetSide { grid, field, ends, value } = &d.kind
                && grid.text == g.name.text
                && self.is_overlay(d.span)
            {
                self.set_side(id, field, ends, value, &mut said);
            }
        }
        let sound = self.out.len() == faults;
        self.sides(id, g, said, sound);
    }

    /// Row and column of each member; one of the two alone is reported.
    fn cell_places(
        &mut self,
        kind: KindId,
        rows: Vec<Option<i32>>,
        columns: Vec<Option<i32>>,
        g: &tree::Grid,
    ) -> Option<Vec<Option<(i32, i32)>>> {
        let faults = self.out.len();
        for (i, (row, column)) in rows.iter().zip(&columns).enumerate() {
            let (has, lacks) = match (row, column) {
                (Some(_), None) => (&g.row, &g.column),
                (None, Some(_)) => (&g.column, &g.row),
                _ => continue,
            };
            let Some(member) = self.model.kinds[kind.i()].members.get(i) else { continue };
            let message = format!("`{}` has a `{}` but no `{}`", member.id, has.text, lacks.text);
            self.report(
                Diagnostic::error("law::missing-field", message, member.span, "half a place")
                    .and(g.name.span, "the grid")
                    .help("give both: a cell of the map; or neither: a member off the map"),
            );
        }
        let place = |(row, column): (Option<i32>, Option<i32>)| row.zip(column);
        (self.out.len() == faults).then(|| rows.into_iter().zip(columns).map(place).collect())
    }

    /// The printed numbers of all members; `None` if one is missing that must be stated.
    fn numbers(&mut self, kind: KindId, field: &Word) -> Option<Vec<Option<i32>>> {
        let k = &self.model.kinds[kind.i()];
        let Some(found) = k.fields.iter().find(|f| f.name == field.text) else {
            if !self.unclear.fields.contains(&(kind, field.text.clone())) {
                let what = format!("field of {} called", k.name);
                let names: Vec<String> = k.fields.iter().map(|f| f.name.clone()).collect();
                self.unknown_among(&what, field, names.iter().map(String::as_str));
            }
            return None;
        };
        match &found.store {
            FieldStore::Printed(values) if matches!(found.ty.base, Base::Int | Base::Range(..)) => {
                let off = |v: &Value| found.ty.optional && *v == Value::None;
                values.iter().map(|v| if off(v) { Some(None) } else { v.int().map(Some) }).collect()
            }
            _ => {
                self.report(
                    Diagnostic::error(
                        "law::type",
                        format!("`{}` must be a printed number", field.text),
                        field.span,
                        "says where a cell is",
                    )
                    .help(format!("declare it without `var` in the kind: `{}: 0..20`", field.text)),
                );
                None
            }
        }
    }

    fn places_are_good(&mut self, kind: KindId, places: &[Option<(i32, i32)>], g: &tree::Grid) -> bool {
        let faults = self.out.len();
        let mut taken: BTreeMap<(i32, i32), usize> = BTreeMap::new();
        for (i, (row, column)) in places.iter().enumerate().filter_map(|(i, place)| Some((i, place.as_ref()?))) {
            let name =
                |i: usize| self.model.kinds[kind.i()].members.get(i).map_or(("", Span::default()), |m| (&m.id, m.span));
            let ((id, span), far) = (name(i), Lattice::FARTHEST);
            if !(-far..=far).contains(row) || !(-far..=far).contains(column) {
                self.report(
                    Diagnostic::error(
                        "law::range",
                        format!("`{id}` in row {row}, column {column} is too far out"),
                        span,
                        "outside the bounds of a grid",
                    )
                    .and(g.name.span, "the grid")
                    .help(format!("rows and columns are from -{far} to {far}")),
                );
                continue;
            }
            if let Some(earlier) = taken.insert((*row, *column), i) {
                let (other, before) = name(earlier);
                self.report(
                    Diagnostic::error(
                        "law::duplicate",
                        format!("`{other}` and `{id}` both lie in row {row}, column {column}"),
                        span,
                        "the second",
                    )
                    .and(before, "the first")
                    .help("give each cell of a grid a place of its own"),
                );
            }
        }
        self.out.len() == faults
    }

    /// Reads the sides from a file.
    fn edges(
        &mut self,
        id: GridId,
        file: &Label,
        places: &[Option<(i32, i32)>],
        said: &mut Said,
        first: &mut BTreeMap<(usize, usize), Span>,
    ) {
        let Some((header, rows)) = self.side_table(file) else { return };
        let grid = self.model.grids[id.i()].clone();
        let fields: Vec<Option<usize>> = header
            .iter()
            .skip(2)
            .map(|column| {
                let found = grid.fields.iter().position(|f| f.name == *column);
                if found.is_none() {
                    let at = self.column(file, column);
                    let names: Vec<String> = grid.fields.iter().map(|f| f.name.clone()).collect();
                    let what = format!("field of the sides of `{}` called", self.model.links[grid.links.i()].name);
                    let word = Word { text: column.clone(), span: at };
                    self.unknown_among(&what, &word, names.iter().map(String::as_str));
                }
                found
            })
            .collect();
        let lattice = &grid.lattice;
        let sides = lattice.shape().sides();
        let mut unknown = Vec::new();
        for row in rows {
            let mut end = |n: usize| {
                let text = row.cells.get(n).cloned().unwrap_or_default();
                let at = self.within(file, row.spots.get(n).cloned().unwrap_or(row.at.clone()));
                self.member_in_cell(grid.kind, &Word { text, span: at }, &mut unknown).map(|m| (m, at))
            };
            let (Some((a, at)), Some((b, _))) = (end(0), end(1)) else {
                continue;
            };
            let name = |i: usize| self.model.kinds[grid.kind.i()].members.get(i).map_or("", |m| &m.id);
            let pair = format!("{} and {}", name(a), name(b));
            let Some(side) = lattice.toward(a, b) else {
                let place = |i: usize| match places.get(i).copied().flatten() {
                    Some((r, c)) => format!("row {r}, column {c}"),
                    None => format!("{} is off the map", name(i)),
                };
                self.report(
                    Diagnostic::error(
                        "law::file",
                        format!("{pair} have no side in common"),
                        at,
                        format!("{}; {}", place(a), place(b)),
                    )
                    .and(file.span, "read here")
                    .help("name two cells that are next to each other"),
                );
                continue;
            };
            if let Some(before) = first.insert((a.min(b), a.max(b)), at) {
                self.report(
                    Diagnostic::error(
                        "law::duplicate",
                        format!("the side between {pair} stands twice"),
                        at,
                        "the second, in whichever order",
                    )
                    .and(before, "the first")
                    .help("remove one of them"),
                );
                continue;
            }
            for (n, (cell, field)) in row.cells.iter().skip(2).zip(&fields).enumerate() {
                let Some(f) = field.filter(|_| !cell.is_empty()) else {
                    continue;
                };
                let at = row.spots.get(n + 2).cloned().unwrap_or(row.at.clone());
                let value = self.side_value(&grid.fields[f], cell, file, at, &pair);
                let other = b * sides + (side + sides / 2) % sides;
                (said[f][a * sides + side], said[f][other]) = (value.clone(), value);
            }
        }
        self.report_unknown_cells(file, unknown);
    }

    /// A field of a side that a variant sets.
    fn set_side(&mut self, id: GridId, field: &Word, ends: &[Word; 2], value: &tree::Expr, said: &mut Said) {
        let grid = self.model.grids[id.i()].clone();
        let Some(f) = grid.fields.iter().position(|f| f.name == field.text) else {
            let names: Vec<String> = grid.fields.iter().map(|f| f.name.clone()).collect();
            let what = format!("field of the sides of `{}` called", self.model.links[grid.links.i()].name);
            return self.unknown_among(&what, field, names.iter().map(String::as_str));
        };
        let [a, b] = [&ends[0], &ends[1]].map(|end| self.member_of(grid.kind, end));
        let (Some(a), Some(b)) = (a, b) else { return };
        let pair = format!("{} and {}", ends[0].text, ends[1].text);
        let Some(side) = grid.lattice.toward(a, b) else {
            self.report(
                Diagnostic::error(
                    "law::dangling-exception",
                    format!("{pair} have no side in common"),
                    ends[0].span.to(ends[1].span),
                    "sets nothing",
                )
                .help("name two cells that are next to each other"),
            );
            return;
        };
        let Some(set) = grid.fields.get(f) else { return };
        let value = self.constant_value(value, &set.ty, &format!("the `{}` between {pair}", set.name));
        let sides = grid.lattice.shape().sides();
        let other = b * sides + (side + sides / 2) % sides;
        (said[f][a * sides + side], said[f][other]) = (value.clone(), value);
    }

    fn side_value(
        &mut self,
        field: &SideField,
        cell: &str,
        file: &Label,
        at: std::ops::Range<usize>,
        pair: &str,
    ) -> Option<Value> {
        let found = self.cell(cell, &field.ty);
        if found.is_none() {
            let number = matches!(field.ty.base, Base::Range(..)) && cell.parse::<i64>().is_ok();
            let (words, at) = (super::types::article(&self.words(&field.ty)), self.within(file, at));
            self.report(
                Diagnostic::error(
                    if number { "law::range" } else { "law::type" },
                    format!("the `{}` between {pair} must be {words}, not \"{cell}\"", field.name),
                    at,
                    "in this cell",
                )
                .and(file.span, "read here")
                .help("correct the cell, or the type of the field"),
            );
        }
        found
    }

    /// Sets the fields of all sides to the given values or the defaults.
    fn sides(&mut self, id: GridId, g: &tree::Grid, said: Said, sound: bool) {
        let lattice = Arc::clone(&self.model.grids[id.i()].lattice);
        let sides = lattice.shape().sides();
        for (i, said) in said.into_iter().enumerate() {
            let (name, ty) =
                (self.model.grids[id.i()].fields[i].name.clone(), self.model.grids[id.i()].fields[i].ty.clone());
            let Some(written) = g.fields.iter().find(|f| f.name.text == name) else {
                continue;
            };
            let default = match &written.value {
                Some(e) => self.constant_value(e, &ty, &format!("the default of `{name}`")),
                None if ty.optional => Some(Value::None),
                None => None,
            };
            let mut missing = None;
            let values = said.into_iter().enumerate().map(|(at, value)| {
                let (cell, side) = (at / sides, at % sides);
                let other = lattice.ahead(cell, side)?;
                let value = value.or_else(|| default.clone());
                if value.is_none() {
                    missing = missing.or(Some((cell, other)));
                }
                value
            });
            let values: Vec<Value> = values.map(Option::unwrap_or_default).collect();
            self.model.grids[id.i()].fields[i].values = values;
            if let Some((a, b)) = missing.filter(|_| sound && written.value.is_none()) {
                let members = &self.model.kinds[self.model.grids[id.i()].kind.i()].members;
                let name_of = |i: usize| members.get(i).map_or("", |m| &m.id);
                let message = format!("no `{name}` is given between {} and {}", name_of(a), name_of(b));
                self.report(
                    Diagnostic::error("law::missing-field", message, written.name.span, "has no default").help(
                        format!(
                            "write a default: `{name}: ... = VALUE`, or name every side in a file of `edges {}`",
                            g.name.text
                        ),
                    ),
                );
            }
        }
    }
}
