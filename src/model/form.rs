//! The form of an expression: what it is made of, without the places where it is written.

use std::fmt::{Arguments, Write as _};

use super::{Expr, ExprKind, Visitor};

impl Expr {
    /// The form of the expression as a text. Two expressions of one scope and of the same form have the same value at
    /// the same position: the names of what they bind themselves, spaces, brackets and comments do not matter.
    #[must_use]
    pub fn form(&self) -> String {
        self.form_with(&mut |local| format!("local {local}"))
    }

    /// The same, where `free` names the locals that the expression does not bind: locals with the same name have the
    /// same value.
    #[must_use]
    pub fn form_with(&self, free: &mut dyn FnMut(u16) -> String) -> String {
        let mut writer = Writer { bound: Vec::new(), free, out: String::new() };
        writer.inside(self);
        writer.out
    }

    /// Whether two expressions of one scope have the same form.
    #[must_use]
    pub fn same(&self, other: &Expr) -> bool {
        self.form() == other.form()
    }
}

struct Writer<'f> {
    /// The locals that are bound around, innermost last.
    bound: Vec<u16>,
    free: &'f mut dyn FnMut(u16) -> String,
    out: String,
}

impl<'e> Visitor<'e> for Writer<'_> {
    fn head(&mut self, head: Arguments<'_>) {
        // Writing to a string never fails.
        let _ = self.out.write_fmt(head);
    }

    fn absent(&mut self) {
        self.out += " -";
    }

    fn bind(&mut self, local: u16) {
        self.bound.push(local);
    }

    fn outside(&mut self, part: &'e Expr) {
        self.inside(part);
    }

    fn inside(&mut self, part: &'e Expr) {
        if let ExprKind::Local(i) = part.kind {
            self.out += &match self.bound.iter().rposition(|b| *b == i) {
                Some(depth) => format!(" bound {depth}"),
                None => format!(" {}", (self.free)(i)),
            };
            return;
        }
        let around = self.bound.len();
        self.out.push('(');
        part.visit(self);
        self.out.push(')');
        self.bound.truncate(around);
    }
}
