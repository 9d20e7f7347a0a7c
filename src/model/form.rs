//! The form of an expression: what it is made of, without the places where it is written.

use super::{Base, Domain, Expr, ExprKind, Steps};

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
        writer.expr(self);
        writer.out
    }

    /// Whether two expressions of one scope have the same form.
    #[must_use]
    pub fn same(&self, other: &Expr) -> bool {
        self.form() == other.form()
    }

    /// The locals that the expression binds itself, not those that its parts bind.
    #[must_use]
    pub fn binds(&self) -> Vec<u16> {
        match &self.kind {
            ExprKind::Reach { local, .. } => vec![*local],
            ExprKind::Crosses(c) => vec![c.from, c.to],
            ExprKind::Reached { steps, .. } | ExprKind::Way { steps, .. } => vec![steps.a, steps.b],
            _ => self.domain().map(|d| d.local).into_iter().collect(),
        }
    }

    /// The parts that stand outside of what the expression binds itself: their locals are those around it.
    #[must_use]
    pub fn free_children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Reach { from, .. } => vec![from],
            ExprKind::Crosses(c) => c.ends.iter().collect(),
            ExprKind::Reached { steps, within } => std::iter::once(&*steps.from).chain(within.as_deref()).collect(),
            ExprKind::Way { steps, to } => vec![&steps.from, to],
            ExprKind::Match { on, .. } => vec![on],
            _ => self.domain().map_or_else(|| self.children(), |d| vec![&*d.set]),
        }
    }
}

struct Writer<'f> {
    /// The locals that are bound around, innermost last.
    bound: Vec<u16>,
    free: &'f mut dyn FnMut(u16) -> String,
    out: String,
}

impl Writer<'_> {
    fn expr(&mut self, e: &Expr) {
        if let ExprKind::Local(i) = e.kind {
            self.out += &match self.bound.iter().rposition(|b| *b == i) {
                Some(depth) => format!("bound {depth}"),
                None => (self.free)(i),
            };
            return;
        }
        self.out.push('(');
        self.out += &head(e);
        let around = self.bound.len();
        self.bound.extend(e.binds());
        for child in e.children() {
            self.out.push(' ');
            self.expr(child);
        }
        self.bound.truncate(around);
        self.out.push(')');
    }
}

/// The head of an expression: together with the forms of its parts it determines the expression.
fn head(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Const(value) => match &e.ty.base {
            Base::Int | Base::Range(..) => format!("{value:?}"),
            base => format!("{value:?} {base:?}"),
        },
        ExprKind::Local(i) => format!("local {i}"),
        ExprKind::Var { var, index } => format!("var {} {}", var.0, index.is_some()),
        ExprKind::Printed { kind, field, .. } => format!("printed {} {field}", kind.0),
        ExprKind::Config(id) => format!("config {}", id.0),
        ExprKind::Linked { links, back, .. } => format!("links {} {back}", links.0),
        ExprKind::Reach { links, cond, .. } => format!("reach {} {}", links.0, cond.is_some()),
        ExprKind::Grid { grid, ask, .. } => format!("grid {} {ask:?}", grid.0),
        ExprKind::Crosses(c) => format!("crosses {}", c.grid.0),
        ExprKind::Reached { steps, within } => format!("steps {} {}", steps_head(steps), within.is_some()),
        ExprKind::Way { steps, .. } => format!("way {}", steps_head(steps)),
        ExprKind::Call { def, .. } => format!("def {}", def.0),
        ExprKind::Not(_) => "not".into(),
        ExprKind::Neg(_) => "neg".into(),
        ExprKind::Abs(_) => "abs".into(),
        ExprKind::And(..) => "and".into(),
        ExprKind::Or(..) => "or".into(),
        ExprKind::Default(..) => "default".into(),
        ExprKind::Equal(_, _, positive) => format!("equal {positive}"),
        ExprKind::Compare(order, ..) => format!("{order:?}"),
        ExprKind::Arith(op, ..) => format!("{op:?}"),
        ExprKind::SetOp(op, ..) => format!("{op:?}"),
        ExprKind::In { of, positive, .. } => format!("in {of:?} {positive}"),
        ExprKind::IsEmpty(_, positive) => format!("empty {positive}"),
        ExprKind::Size(_) => "size".into(),
        ExprKind::If(..) => "if".into(),
        ExprKind::Match { arms, otherwise, .. } => {
            let patterns: Vec<_> = arms.iter().map(|(values, _)| values).collect();
            format!("match {patterns:?} {}", otherwise.is_some())
        }
        ExprKind::SetOf { of, .. } => format!("set {of:?}"),
        ExprKind::Compr { domain, map, of } => format!("those {} {} {of:?}", domain_head(domain), map.is_some()),
        ExprKind::Quant(quantifier, domain) => format!("{quantifier:?} {}", domain_head(domain)),
        ExprKind::Count(domain) => format!("count {}", domain_head(domain)),
        ExprKind::Sum(_, domain) => format!("sum {}", domain_head(domain)),
        ExprKind::Best(most, _, domain) => format!("best {most} {}", domain_head(domain)),
        ExprKind::The(domain) => format!("the {}", domain_head(domain)),
        ExprKind::Top(var, index) => format!("top {} {}", var.0, index.is_some()),
        ExprKind::IsOn(code, positive) => format!("on {} {positive}", code.0),
        ExprKind::Wins(_) => "wins".into(),
        ExprKind::NoLegalAction => "no legal action".into(),
        ExprKind::AsSet(_) => "as set".into(),
        ExprKind::Copies { of, .. } => format!("copies {of:?}"),
        ExprKind::Would { action, .. } => format!("would {}", action.0),
    }
}

fn domain_head(d: &Domain) -> String {
    format!("{:?} {}", d.of, d.cond.is_some())
}

fn steps_head(s: &Steps) -> String {
    format!("{} {} {}", s.kind.0, s.cond.is_some(), s.cost.is_some())
}
