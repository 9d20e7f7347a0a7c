//! Games of so many seats as an option says.
//!
//! A game is checked for each number of seats by itself: its model has only the seats that play. The name of another
//! seat is nothing, and falls out of sets, of `match` and of orders of seats.

use std::sync::Arc;

use super::names::Symbol;
use super::{Checked, Checker, Diagnostic, Memory, Severity};
use crate::model::{Base, Seating, Ty, Value};
use crate::syntax::tree::{self, Decl, DeclKind, ExprKind, TypeKind, Word};

/// The maximum number of seats in a game whose number of seats is an option.
const MAX_SEATS: usize = 32;

impl Checker {
    /// How many of the seats named play.
    pub(super) fn seats_playing(&mut self, named: usize, by: Option<&Word>, decls: &[Arc<Decl>]) -> usize {
        let Some(by) = by else { return named };
        let option = decls.iter().find_map(|d| match &d.kind {
            DeclKind::Option { name, ty, value, .. } if name.text == by.text => Some((ty, value)),
            _ => None,
        });
        let Some((ty, value)) = option else {
            let options: Vec<&str> = decls
                .iter()
                .filter_map(|d| match &d.kind {
                    DeclKind::Option { name, .. } => Some(name.text.as_str()),
                    _ => None,
                })
                .collect();
            self.unknown_among("option", by, options.into_iter());
            return named;
        };
        let (least, most) = match ty.kind {
            TypeKind::Range(lo, hi) if !ty.optional => (lo, hi),
            _ => (0, 0),
        };
        // An empty range is reported where types are read.
        if least > most {
            return named;
        }
        if !(1..=MAX_SEATS as i64).contains(&least) || usize::try_from(most) != Ok(named) {
            self.report(
                Diagnostic::error(
                    "law::range",
                    format!("`{}` must go up to the number of seats that are named, {named}", by.text),
                    ty.span,
                    "the number of seats",
                )
                .and(by.span, "says how many play")
                .help(format!("write `option {}: 2..{named} = {named}`, or name as many seats", by.text)),
            );
            return named;
        }
        let usual = match value.kind {
            ExprKind::Int(n) => n.clamp(least, most),
            _ => most,
        };
        let playing = self.seats.map_or(usual, |n| i64::try_from(n).unwrap_or(most).clamp(least, most)) as usize;
        self.seating = Some((by.text.clone(), [least as usize, usual as usize, named]));
        playing
    }

    /// The option that says how many play is fixed at the number that do.
    pub(super) fn fix_seats(&mut self) {
        let Some((name, [least, usual, most])) = self.seating.clone() else { return };
        let Some(Symbol::Config(option)) = self.names.get(&name) else { return };
        self.names.mark(Symbol::Config(option));
        let playing = self.model.kinds[0].members.len() as i32;
        let item = &mut self.model.config[option.i()];
        (item.ty, item.default) = (Ty::of(Base::Range(playing, playing)), playing);
        self.model.seating = Some(Seating { option, least, usual, most });
    }

    /// Whether an expression is the name of a seat that does not play.
    pub(super) fn is_absent(&self, e: &tree::Expr) -> bool {
        matches!(&e.kind, ExprKind::Name(word) if self.names.get(&word.text) == Some(Symbol::Absent))
    }

    /// The value of a cell that names a seat that does not play.
    pub(super) fn absent_cell(&self, cell: &str, ty: &Ty) -> Option<Value> {
        let absent = ty.optional && self.names.get(cell) == Some(Symbol::Absent);
        absent.then_some(Value::None)
    }
}

/// The same as [`super::check`], for every number of seats that the game can have: an error that there is only with
/// fewer seats is among the diagnostics.
#[must_use]
pub fn check_all_seats(files: &[(String, String)], variants: &[String]) -> Checked {
    check_again(&mut Memory::default(), files, variants)
}

/// The same for a game that is checked again and again: only files that have changed since are read again.
#[must_use]
pub fn check_again(memory: &mut Memory, files: &[(String, String)], variants: &[String]) -> Checked {
    let checked = for_all(files, variants, memory);
    memory.keep(files);
    checked
}

fn for_all(files: &[(String, String)], variants: &[String], memory: &mut Memory) -> Checked {
    let checked = super::remembering(files, variants, memory);
    let Some(Seating { least, most, .. }) = checked.model.as_ref().and_then(|m| m.seating) else { return checked };
    for seats in least..most {
        let fewer = super::seated(files, variants, Some(seats), memory);
        let errors: Vec<Diagnostic> = fewer.diagnostics.into_iter().filter(|d| d.severity == Severity::Error).collect();
        if !errors.is_empty() {
            let with = errors.into_iter().map(|d| Diagnostic { message: with_seats(&d.message, seats), ..d });
            return Checked { model: None, diagnostics: with.collect(), sources: fewer.sources, ..checked };
        }
    }
    checked
}

fn with_seats(message: &str, seats: usize) -> String {
    match seats {
        1 => format!("with 1 seat: {message}"),
        n => format!("with {n} seats: {message}"),
    }
}
