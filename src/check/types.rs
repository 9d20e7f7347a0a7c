//! Types: how they are written, what fits where.

use super::Checker;
use super::expr::unread;
use crate::check::Diagnostic;
use crate::check::names::Symbol;
use crate::model::{Base, Expr, ExprKind, KindId, LEAST, MAX_BAG_MEMBERS, Set, Ty, Value, as_number, scalar_span};
use crate::span::Span;
use crate::syntax::tree;

impl Checker {
    /// The kind that an ability is of, by the type after its name.
    pub(super) fn ability_kind(&mut self, holder: &tree::Param) -> Option<KindId> {
        match &holder.ty.kind {
            tree::TypeKind::Name(word) if !holder.ty.optional => self.kind_named(word),
            _ => {
                let help = "write the kind of the members that have it: `of c: Card`";
                let span = holder.ty.span;
                self.report(
                    Diagnostic::error("law::type", "only members of a kind have abilities", span, "not a kind")
                        .help(help),
                );
                None
            }
        }
    }

    /// A type as written, for anything that is not a bag.
    pub(super) fn ty(&mut self, ty: &tree::Type) -> Option<Ty> {
        let found = self.var_ty(ty)?;
        if matches!(found.base, Base::Bag(_)) {
            self.report(
                Diagnostic::error("law::type", "this cannot be a bag", ty.span, "a bag")
                    .help("a variable, a field or a parameter of a definition or procedure can; else write `set of`"),
            );
            return None;
        }
        Some(found)
    }

    /// A type as written, for what can be a bag: a variable, a field, a parameter of a definition or procedure.
    pub(super) fn var_ty(&mut self, ty: &tree::Type) -> Option<Ty> {
        let base = match &ty.kind {
            tree::TypeKind::Bag(of) => return self.bag_ty(of, ty.span),
            tree::TypeKind::Range(lo, hi) => self.range(*lo, *hi, ty.span)?,
            tree::TypeKind::Set(of) => {
                let of = self.ty(of)?;
                if !matches!(of.base, Base::Member(_) | Base::Range(..) | Base::Bool) {
                    self.report(
                        Diagnostic::error(
                            "law::type",
                            "a set must be of a kind, a range or Bool",
                            ty.span,
                            "not a finite type",
                        )
                        .help("write `set of KIND` or `set of 0..9`"),
                    );
                    return None;
                }
                if let Base::Range(lo, hi) = of.base
                    && i64::from(hi) - i64::from(lo) >= MAX_SET_MEMBERS
                {
                    self.report(
                        Diagnostic::error(
                            "law::range",
                            "this set is too wide",
                            ty.span,
                            format!("of more than {MAX_SET_MEMBERS} numbers"),
                        )
                        .help("make the range smaller, or count in a kind"),
                    );
                    return None;
                }
                Base::Set(Box::new(of.base))
            }
            tree::TypeKind::Name(name) => match name.text.as_str() {
                "Bool" => Base::Bool,
                "Int" => Base::Int,
                "Text" => Base::Text,
                _ => match self.names.get(&name.text) {
                    Some(Symbol::Kind(k)) => {
                        self.names.mark(Symbol::Kind(k));
                        Base::Member(k)
                    }
                    _ => {
                        self.unknown("type", name);
                        return None;
                    }
                },
            },
        };
        Some(Ty { base, optional: ty.optional })
    }

    fn bag_ty(&mut self, of: &tree::Type, span: Span) -> Option<Ty> {
        let of = self.ty(of)?;
        if !matches!(of.base, Base::Member(_) | Base::Range(..) | Base::Bool) {
            self.report(
                Diagnostic::error("law::type", "a bag must be of a kind, a range or Bool", span, "not a finite type")
                    .help("write `bag of KIND` or `bag of 1..6`"),
            );
            return None;
        }
        if scalar_span(&of.base, &self.model.kinds).1 > u64::from(MAX_BAG_MEMBERS) {
            self.report(
                Diagnostic::error(
                    "law::range",
                    "this bag is too wide",
                    span,
                    format!("of more than {MAX_BAG_MEMBERS} values"),
                )
                .help("make the range smaller, or write `set of` if one of each is enough"),
            );
            return None;
        }
        Some(Ty::of(Base::Bag(Box::new(of.base))))
    }

    fn range(&mut self, lo: i64, hi: i64, span: Span) -> Option<Base> {
        match (as_number(lo), as_number(hi)) {
            (Some(lo), Some(hi)) if lo <= hi => Some(Base::Range(lo, hi)),
            (Some(_), Some(_)) => {
                self.report(
                    Diagnostic::error("law::range", format!("{lo}..{hi} is not a range"), span, "empty")
                        .help(format!("write the smaller bound first: `{hi}..{lo}`")),
                );
                None
            }
            _ => {
                self.report(
                    Diagnostic::error("law::range", "this number is too large", span, "more than 32 bits")
                        .help(format!("numbers are from {LEAST} to {}", i32::MAX)),
                );
                None
            }
        }
    }

    /// A type in words.
    pub(super) fn words(&self, ty: &Ty) -> String {
        let base = self.base_words(&ty.base);
        if ty.optional { format!("{base}?") } else { base }
    }

    fn base_words(&self, base: &Base) -> String {
        match base {
            Base::Bool => "Bool".into(),
            Base::Int => "Int".into(),
            Base::Range(lo, hi) => format!("{lo}..{hi}"),
            Base::Member(k) => self.model.kinds[k.i()].name.clone(),
            Base::Text => "Text".into(),
            Base::Set(of) => format!("set of {}", self.base_words(of)),
            Base::Bag(of) => format!("bag of {}", self.base_words(of)),
            Base::List(k) => format!("ordered pile of {}", self.model.kinds[k.i()].name),
            Base::Nothing => "nothing".into(),
        }
    }

    /// Makes an expression fit a type, or reports that it does not. `what` names the place: `the value of strength`.
    pub(super) fn fit(&mut self, expr: Expr, to: &Ty, what: &str) -> Option<Expr> {
        self.fit_or(expr, to, what, Checker::ask_first)
    }

    /// The same, where `instead` says what else to write around an expression that may be nothing, or in its place.
    pub(super) fn fit_or(
        &mut self,
        expr: Expr,
        to: &Ty,
        what: &str,
        instead: impl Fn(&Checker, &Expr) -> String,
    ) -> Option<Expr> {
        let expr = literal_as(expr, &to.base);
        let expr = if matches!(to.base, Base::Bag(_)) { as_bag(expr, to) } else { self.as_set_for(expr, to) };
        if !base_fits(&expr.ty.base, &to.base) {
            let (got, want) = (self.words(&expr.ty), self.base_words(&to.base));
            self.report(
                Diagnostic::error(
                    "law::type",
                    format!("{what} must be {}, not {}", article(&want), article(&got)),
                    expr.span,
                    format!("this is {}", article(&got)),
                )
                .help(self.fitting(&expr, to)),
            );
            return None;
        }
        self.fits_range(&expr, &to.base)?;
        if expr.ty.optional && !to.optional && !matches!(to.base, Base::Set(_) | Base::Bool) {
            let help = format!("write `{} or DEFAULT`, or {}", self.operand(&expr), instead(self, &expr));
            self.report(
                Diagnostic::error(
                    "law::nothing",
                    format!("{what} must be there, but this may be nothing"),
                    expr.span,
                    "may be nothing",
                )
                .help(help),
            );
            return None;
        }
        if !to.optional && !matches!(to.base, Base::Set(_) | Base::Bool) {
            self.need(&expr);
        }
        Some(retype(expr, to))
    }

    /// Notes that an expression must be there, and with it what it is made of.
    pub(super) fn need(&mut self, expr: &Expr) {
        expr.walk(&mut |e| {
            self.needed.insert(e.span);
        });
    }

    /// The text of an expression as it can stand before an operator.
    pub(super) fn operand(&self, expr: &Expr) -> String {
        let text = self.model.sources.line(expr.span);
        if is_open(expr) { format!("({text})") } else { text }
    }

    /// What to write instead of an expression of the wrong type.
    pub(super) fn fitting(&self, expr: &Expr, to: &Ty) -> String {
        let text = self.model.sources.line(expr.span);
        let one = |k: &crate::model::KindId| {
            let first = self.model.kinds[k.i()].members.first();
            first.map_or_else(|| "MEMBER".to_string(), |m| m.id.clone())
        };
        match (&to.base, &expr.ty.base) {
            (Base::Bool, Base::Int | Base::Range(..)) => format!("compare it: `{text} > 0`"),
            (Base::Bool, Base::Member(k)) => format!("compare it: `{text} is {}`", one(k)),
            (Base::Bool, Base::Set(_) | Base::List(_)) => format!("ask `{text} is not empty`"),
            (Base::Int | Base::Range(..), Base::Set(_) | Base::List(_)) => format!("count it: `size({text})`"),
            (Base::Set(of), base) if **of == *base => format!("put it in braces: `{{ {text} }}`"),
            (base, Base::Set(of)) if **of == *base => format!("name one of them: `the x in {text} where ...`"),
            (Base::Member(k), _) => format!("write a {}, like `{}`", self.model.kinds[k.i()].name, one(k)),
            (Base::Int | Base::Range(..), _) => "write a number".into(),
            (Base::Bool, _) => "write a condition, `true` or `false`".into(),
            (Base::Text, _) => "write a text in quotes".into(),
            (Base::Bag(_), _) => format!("name a {}, or two with `+` between them", self.base_words(&to.base)),
            (base, _) => format!("write {}", article(&self.base_words(base))),
        }
    }

    fn fits_range(&mut self, expr: &Expr, to: &Base) -> Option<()> {
        let (ExprKind::Const(Value::Int(v)), Base::Range(lo, hi)) = (&expr.kind, to) else {
            return Some(());
        };
        if (lo..=hi).contains(&v) {
            return Some(());
        }
        self.report(
            Diagnostic::error("law::range", format!("{v} is out of range"), expr.span, format!("must be {lo}..{hi}"))
                .help(format!("write a number from {lo} to {hi}, or widen the range where it is declared")),
        );
        None
    }

    /// An ordered pile is read as a set where one is wanted.
    pub(super) fn as_set_for(&self, expr: Expr, to: &Ty) -> Expr {
        if matches!(to.base, Base::Set(_)) { as_set(expr) } else { expr }
    }
}

/// Whether an operator that follows an expression would be read as a part of it.
fn is_open(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Sum(..) | ExprKind::Best(..) | ExprKind::If(..) | ExprKind::Match { .. } => true,
        ExprKind::Arith(_, _, last) => is_open(last),
        _ => false,
    }
}

/// What is read as a bag where one is wanted: a bag, or `{}`.
fn as_bag(expr: Expr, to: &Ty) -> Expr {
    match &expr.kind {
        ExprKind::SetOf { items, .. } if items.is_empty() => {
            Expr { kind: ExprKind::Const(Value::Bag(Vec::new())), ty: to.clone(), ..expr }
        }
        _ => unread(expr),
    }
}

/// The maximum width of the range of a set.
const MAX_SET_MEMBERS: i64 = 4096;

/// An ordered pile as the set of its members; any other expression unchanged.
pub(super) fn as_set(expr: Expr) -> Expr {
    let Base::List(k) = expr.ty.base else {
        return expr;
    };
    let span = expr.span;
    Expr { kind: ExprKind::AsSet(Box::new(expr)), ty: Ty::of(Base::Set(Box::new(Base::Member(k)))), span }
}

/// A set of numbers written out takes the range of the place it is put into, if its numbers are in that range.
pub(super) fn literal_as(mut expr: Expr, to: &Base) -> Expr {
    let (ExprKind::SetOf { of, .. }, Base::Set(wanted)) = (&mut expr.kind, to) else {
        return expr;
    };
    if let (Base::Range(lo, hi), Base::Range(from, until)) = (&*of, &**wanted)
        && from <= lo
        && hi <= until
    {
        *of = (**wanted).clone();
        expr.ty.base = to.clone();
    }
    expr
}

/// Empty sets and nothing take the type of the place they are put into.
fn retype(mut expr: Expr, to: &Ty) -> Expr {
    match (&expr.kind, &to.base) {
        (ExprKind::Const(Value::None), Base::Set(_)) => {
            expr.kind = ExprKind::Const(Value::Set(Set::new()));
            expr.ty = to.clone();
        }
        (ExprKind::SetOf { items, .. }, Base::Set(of)) => {
            expr.kind = ExprKind::SetOf { items: items.clone(), of: (**of).clone() };
            expr.ty = to.clone();
        }
        (ExprKind::Const(_), _) if expr.ty.base == Base::Nothing => expr.ty = to.clone(),
        _ => {}
    }
    expr
}

/// Whether a value of one base can be put where another is wanted; numbers that the checker cannot check are checked in
/// play.
pub(super) fn base_fits(from: &Base, to: &Base) -> bool {
    match (from, to) {
        (Base::Nothing, _) => true,
        (Base::Int | Base::Range(..), Base::Int | Base::Range(..)) => true,
        (Base::Set(a), Base::Set(b)) => **a == Base::Nothing || **b == Base::Nothing || set_fits(a, b),
        (a, b) => a == b,
    }
}

// A set of a range is stored from its lower bound, so only the same range fits.
fn set_fits(a: &Base, b: &Base) -> bool {
    a == b
}

/// The common base of two branches.
pub(super) fn join(a: &Ty, b: &Ty) -> Option<Ty> {
    let optional = a.optional || b.optional || a.base == Base::Nothing || b.base == Base::Nothing;
    let base = match (&a.base, &b.base) {
        (Base::Nothing, x) | (x, Base::Nothing) => x.clone(),
        (x, y) if x == y => x.clone(),
        (Base::Int | Base::Range(..), Base::Int | Base::Range(..)) => Base::Int,
        (Base::Set(x), Base::Set(y)) if **x == Base::Nothing => Base::Set(y.clone()),
        (Base::Set(x), Base::Set(y)) if **y == Base::Nothing => Base::Set(x.clone()),
        _ => return None,
    };
    let ty = Ty { base, optional: false };
    Some(if optional { ty.maybe() } else { ty })
}

/// `an Int`, `a Region`.
pub(super) fn article(words: &str) -> String {
    if words == "nothing" || words.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return words.to_string();
    }
    let vowel = words.starts_with(['A', 'E', 'I', 'O', 'U', 'a', 'e', 'i', 'o', 'u']);
    format!("{} {words}", if vowel { "an" } else { "a" })
}
