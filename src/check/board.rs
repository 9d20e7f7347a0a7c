//! The board that the terminal draws, and the signs on it.

use std::sync::Arc;

use unicode_width::UnicodeWidthChar;

use super::Checker;
use super::declare::text;
use super::names::Symbol;
use super::scope::Scope;
use crate::check::Diagnostic;
use crate::model::{self, Arranged, Base, KindId, MarkAt, Shape, Shown, Ty, VarId};
use crate::syntax::tree::{self, Decl, DeclKind, Word};

impl Checker {
    /// Resolves the board, then what is marked on it.
    pub(super) fn pictures(&mut self, decls: &[Arc<Decl>]) {
        // A variant may draw the board in another way.
        let mut drawn_in = [false; 2];
        for d in decls {
            if let DeclKind::Board(board) = &d.kind {
                let layer = usize::from(self.is_overlay(d.span));
                if std::mem::replace(&mut drawn_in[layer], true) {
                    let span = self.head(d.span);
                    self.report(
                        Diagnostic::error("law::duplicate", "a game has one board", span, "the second one")
                            .help("leave it out; what stands on the same cells is added with `shows`"),
                    );
                }
                self.board(board);
            }
        }
        for d in decls {
            if let DeclKind::Tell(tell) = &d.kind {
                self.tell(tell);
            }
        }
        let drawn = decls.iter().any(|d| matches!(d.kind, DeclKind::Board(_)));
        for d in decls {
            let DeclKind::Mark(mark) = &d.kind else { continue };
            if drawn {
                self.mark(mark);
            } else {
                self.report(
                    Diagnostic::error("law::incomplete", "there is no picture to mark", self.head(d.span), "on what?")
                        .help("write `board KIND row FIELD column FIELD` or `board KIND grouped by FIELD`"),
                );
            }
        }
    }

    /// The variables and piles with these names.
    fn told(&mut self, told: &[tree::Shown]) -> Vec<VarId> {
        let mut found = Vec::new();
        for tree::Shown { field: name, label } in told {
            match self.names.get(&name.text) {
                Some(symbol @ Symbol::Var(var)) => {
                    self.names.mark(symbol);
                    if label.is_some() {
                        self.model.vars[var.i()].label = super::declare::text(label.as_ref());
                    }
                    found.push(var);
                }
                _ => self.unknown("variable or pile", name),
            }
        }
        found
    }

    fn board(&mut self, board: &tree::Board) {
        let tells = board.tells.as_ref().map(|tells| self.told(tells));
        let Some(kind) = self.kind_named(&board.kind) else {
            return;
        };
        let arranged = match &board.arranged {
            tree::Arranged::Rows { row, column } => {
                let (row, column) = (self.board_field(kind, row), self.board_field(kind, column));
                row.zip(column).map(|(row, column)| Arranged::Rows { row, column })
            }
            tree::Arranged::Groups(None) => Some(Arranged::Groups(None)),
            tree::Arranged::Groups(Some(by)) => {
                self.board_field(kind, &by.field).map(|field| Arranged::Groups(Some(field)))
            }
        };
        let heads = self.heads(kind, board);
        let with = board.with.as_ref().map(|with| self.fields_shown(kind, with));
        let shows: Vec<model::Shows> = board.shows.iter().filter_map(|s| self.shows(kind, s)).collect();
        for (i, word) in board.shows.iter().map(|s| &s.kind).enumerate() {
            if board.shows.iter().take(i).any(|s| s.kind.text == word.text) {
                let message = format!("the board shows {} twice", word.text);
                self.error("law::duplicate", message, word.span, "the second time");
            }
        }
        if let Some(arranged) = arranged {
            self.model.board = Some(model::Board { kind, arranged, heads, with, shows, tells });
        }
    }

    /// What is told of the members that head groups.
    fn heads(&mut self, kind: KindId, board: &tree::Board) -> Vec<Shown> {
        let tree::Arranged::Groups(Some(by)) = &board.arranged else {
            return Vec::new();
        };
        let fields = &self.model.kinds[kind.i()].fields;
        let (Some(field), Some(first)) = (fields.iter().find(|f| f.name == by.field.text), by.told.first()) else {
            return Vec::new();
        };
        let ty = field.ty.clone();
        if let Base::Member(heads) = ty.base {
            return self.fields_shown(heads, &by.told);
        }
        let words = self.words(&ty);
        let message = format!("`{}` does not hold a member, so it has no fields to show", by.field.text);
        self.report(
            Diagnostic::error("law::type", message, by.field.span, words)
                .help(format!("leave out `({})`", first.field.text)),
        );
        Vec::new()
    }

    /// Pieces on the cells of a kind.
    fn shows(&mut self, cells: KindId, shows: &tree::Shows) -> Option<model::Shows> {
        let kind = self.kind_named(&shows.kind)?;
        let at = self.board_field(kind, &shows.at)?;
        let ty = self.model.kinds[kind.i()].fields[at].ty.clone();
        if ty.base != Base::Member(cells) {
            let (words, cells) = (self.words(&ty), self.model.kinds[cells.i()].name.clone());
            self.report(
                Diagnostic::error(
                    "law::type",
                    format!("`{}` is not a place on the board", shows.at.text),
                    shows.at.span,
                    words,
                )
                .help(format!(
                    "write a field of {} whose type is {cells}, the kind that the board draws",
                    shows.kind.text
                )),
            );
        }
        let facing = shows.facing.as_ref().and_then(|f| self.facing(cells, kind, f));
        let with = shows.with.as_ref().map(|with| self.fields_shown(kind, with));
        Some(model::Shows { kind, at, facing, with })
    }

    /// The fields of a kind that are told with its members.
    fn fields_shown(&mut self, kind: KindId, with: &[tree::Shown]) -> Vec<Shown> {
        let one = |shown: &tree::Shown| {
            let field = self.board_field(kind, &shown.field)?;
            Some(Shown { field, label: shown.label.as_ref().map(|label| text(Some(label))) })
        };
        with.iter().filter_map(one).collect()
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
                (self.shown(kind, grid) && self.has_sides(grid)).then_some(MarkAt::Sides(id))
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

    fn tell(&mut self, tell: &tree::Tell) {
        let mut sc = Scope::default();
        let each = match &tell.each {
            None => None,
            Some((name, kind)) => match self.kind_named(kind) {
                Some(kind) => {
                    sc.bind(&name.text, Ty::of(Base::Member(kind)));
                    Some(kind)
                }
                None => return,
            },
        };
        let text = self.template(&tell.text, &mut sc);
        let when = tell.when.as_ref().map(|when| self.truth(when, &mut sc));
        if let None | Some(Some(_)) = &when {
            self.model.tells.push(model::Tell { each, text, when: when.flatten() });
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

    /// Whether the picture has sides to draw on.
    fn has_sides(&mut self, word: &Word) -> bool {
        let arranged = self.model.board.as_ref().map(|b| b.arranged);
        let listed = matches!(arranged, Some(Arranged::Groups(_)));
        if listed {
            self.report(
                Diagnostic::error("law::type", "a board that is a list has no sides", word.span, "not drawn")
                    .help("mark the members: `mark x: KIND \"^\" \"...\" when CONDITION`"),
            );
        }
        !listed
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
