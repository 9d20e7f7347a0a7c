//! The board that the terminal draws, and the signs on it.

use unicode_width::UnicodeWidthChar;

use super::Checker;
use super::declare::text;
use super::names::Symbol;
use super::scope::Scope;
use crate::check::Diagnostic;
use crate::model::{self, Base, KindId, MarkAt, Shape, Ty, VarId};
use crate::syntax::tree::{self, Decl, DeclKind, Word};

impl Checker {
    /// Resolves the board, then what is marked on it.
    pub(super) fn pictures(&mut self, decls: &[Decl]) {
        for d in decls {
            if let DeclKind::Board { kind, row, column, shows, tells } = &d.kind {
                let tells = tells.as_ref().map(|tells| self.told(tells));
                self.board((kind, row, column), shows.as_ref(), tells);
            }
        }
        let drawn = decls.iter().any(|d| matches!(d.kind, DeclKind::Board { .. }));
        for d in decls {
            let DeclKind::Mark(mark) = &d.kind else { continue };
            if drawn {
                self.mark(mark);
            } else {
                self.report(
                    Diagnostic::error("law::incomplete", "there is no picture to mark", self.head(d.span), "on what?")
                        .help("write `board KIND row FIELD column FIELD`"),
                );
            }
        }
    }

    /// The variables and piles with these names.
    fn told(&mut self, names: &[Word]) -> Vec<VarId> {
        let mut found = Vec::new();
        for name in names {
            match self.names.get(&name.text) {
                Some(symbol @ Symbol::Var(var)) => {
                    self.names.mark(symbol);
                    found.push(var);
                }
                _ => self.unknown("variable or pile", name),
            }
        }
        found
    }

    fn board(
        &mut self,
        (kind, row, column): (&Word, &Word, &Word),
        shows: Option<&tree::Shows>,
        tells: Option<Vec<VarId>>,
    ) {
        let Some(k) = self.kind_named(kind) else {
            return;
        };
        let (row, column) = (self.board_field(k, row), self.board_field(k, column));
        let shows = shows.and_then(|s| {
            let kind = self.kind_named(&s.kind)?;
            let at = self.board_field(kind, &s.at)?;
            let facing = s.facing.as_ref().and_then(|f| self.facing(k, kind, f));
            let with = s.with.as_ref();
            let with = with.map(|with| with.iter().filter_map(|w| self.board_field(kind, w)).collect());
            Some(model::Shows { kind, at, facing, with })
        });
        if let (Some(row), Some(column)) = (row, column) {
            self.model.board = Some(model::Board { kind: k, row, column, shows, tells });
        }
    }

    /// The field of a piece that holds a direction of the cells' grid.
    fn facing(&mut self, cells: KindId, pieces: KindId, word: &Word) -> Option<usize> {
        let field = self.board_field(pieces, word)?;
        let ty = self.model.kinds[pieces.i()].fields[field].ty.clone();
        let mut grids = self.model.grids.iter().filter(|g| g.kind == cells);
        if grids.any(|g| g.facing.is_some_and(|f| ty.base == Base::Member(f))) {
            return Some(field);
        }
        let (words, cells) = (self.words(&ty), self.model.kinds[cells.i()].name.clone());
        self.report(
            Diagnostic::error(
                "law::type",
                format!("`{}` is not a direction of a grid of {cells}", word.text),
                word.span,
                words,
            )
            .help(format!("write a field of the kind that `grid NAME of {cells} ... facing KIND` declares")),
        );
        None
    }

    /// The field of a kind.
    pub(super) fn board_field(&mut self, k: KindId, word: &Word) -> Option<usize> {
        let fields = &self.model.kinds[k.i()].fields;
        let found = fields.iter().position(|f| f.name == word.text);
        if found.is_none() {
            let names: Vec<String> = fields.iter().map(|f| f.name.clone()).collect();
            let what = format!("field of {} called", self.model.kinds[k.i()].name);
            self.unknown_among(&what, word, names.iter().map(String::as_str));
        }
        found
    }

    fn mark(&mut self, mark: &tree::Mark) {
        let mut sc = Scope::default();
        let at = match &mark.at {
            tree::MarkAt::Cells { name, kind } => self.kind_named(kind).and_then(|k| {
                sc.bind(&name.text, Ty::of(Base::Member(k)));
                self.shown(k, kind).then_some(MarkAt::Cells)
            }),
            tree::MarkAt::Sides { from, to, grid } => self.marked_grid(grid).and_then(|id| {
                let kind = self.model.grids[id.i()].kind;
                for name in [from, to] {
                    sc.bind(&name.text, Ty::of(Base::Member(kind)));
                }
                self.shown(kind, grid).then_some(MarkAt::Sides(id))
            }),
        };
        let mut letters = mark.sign.text.chars();
        let sign = letters.next().filter(|c| letters.next().is_none() && c.width() == Some(1));
        if sign.is_none() {
            self.report(
                Diagnostic::error("law::type", "a sign takes one column of the picture", mark.sign.span, "not one")
                    .help("write one letter or sign, like \"^\"; what it means comes after it"),
            );
        }
        // Without the local bound, its condition would be reported as well.
        let Some(at) = at else { return };
        let when = mark.when.as_ref().map(|when| self.truth(when, &mut sc));
        if let (Some(sign), None | Some(Some(_))) = (sign, &when) {
            let label = text(mark.label.as_ref());
            self.model.marks.push(model::Mark { at, sign, label, when: when.flatten() });
        }
    }

    fn marked_grid(&mut self, name: &Word) -> Option<model::GridId> {
        let symbol = self.names.get(&name.text);
        let found = match symbol {
            Some(Symbol::Links(links)) => self.grid_of(links),
            _ => None,
        };
        let Some(grid) = found else {
            let names = self.grid_names();
            self.unknown_among("grid", name, names.iter().map(String::as_str));
            return None;
        };
        self.names.mark(symbol?);
        if self.model.grids[grid.i()].lattice.shape() == Shape::Hexagonal {
            return Some(grid);
        }
        self.report(
            Diagnostic::error("law::type", "sides are drawn on hexagonal maps only", name.span, "a square grid")
                .help("mark the cells: `mark x: KIND \"^\" \"...\" when CONDITION`"),
        );
        None
    }

    /// Whether the board shows a kind.
    fn shown(&mut self, kind: KindId, word: &Word) -> bool {
        let Some(board) = self.model.board.as_ref().map(|b| b.kind) else {
            return false;
        };
        if board == kind {
            return true;
        }
        let name = |k: KindId| self.model.kinds[k.i()].name.clone();
        let message = format!("the board shows {}, not {}", name(board), name(kind));
        self.error("law::type", message, word.span, "not in the picture");
        false
    }
}
