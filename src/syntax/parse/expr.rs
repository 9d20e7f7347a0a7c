//! Expressions.

use super::{MAX_NAME_CHARACTERS, Node, Parts, Read, Reader, Rule, broken, unquote};
use crate::span::Span;
use crate::syntax::fault::SyntaxFault;
use crate::syntax::tree::{BinOp, Expr, ExprKind, GridCall, Quantifier, SideBy, Steps, Word};

/// `x in S where C`.
struct Binder {
    var: Word,
    set: Box<Expr>,
    cond: Option<Box<Expr>>,
}

fn binary(op: BinOp, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span }
}

/// Joins operands from the left, tighter operators first.
fn join(first: Expr, rest: Vec<(BinOp, Expr)>, tight: fn(BinOp) -> bool) -> Expr {
    let mut done: Option<(Expr, BinOp)> = None;
    let mut last = first;
    for (op, next) in rest {
        if tight(op) {
            last = binary(op, last, next);
        } else {
            let left = match done {
                Some((left, before)) => binary(before, left, last),
                None => last,
            };
            done = Some((left, op));
            last = next;
        }
    }
    match done {
        Some((left, op)) => binary(op, left, last),
        None => last,
    }
}

impl Reader<'_> {
    /// Reads `expr`, `conj`, `set`, `sum`, `term`, `postfix` or a primary.
    pub(super) fn expr(&self, node: Node) -> Read<Expr> {
        let span = self.span(&node);
        match node.as_rule() {
            Rule::expr | Rule::sum => self.row(node),
            Rule::conj => self.conj(node),
            Rule::set => {
                let mut parts = self.parts(node);
                let low = self.expr(parts.need(Rule::sum)?)?;
                match parts.opt(Rule::sum) {
                    None => Ok(low),
                    Some(high) => {
                        let high = self.expr(high)?;
                        let kind = ExprKind::Range(Box::new(low), Box::new(high));
                        Ok(Expr { kind, span })
                    }
                }
            }
            Rule::term => {
                let mut parts = self.parts(node);
                let inner = self.expr(parts.need(Rule::postfix)?)?;
                Ok(if parts.has(Rule::minus) {
                    match inner.kind {
                        ExprKind::Int(n) => Expr { kind: ExprKind::Int(n.saturating_neg()), span },
                        _ => Expr { kind: ExprKind::Neg(Box::new(inner)), span },
                    }
                } else {
                    inner
                })
            }
            Rule::postfix => self.postfix(node),
            _ => self.primary(node),
        }
    }

    /// `4 Regular + Elite`.
    pub(super) fn bag_value(&self, node: Node) -> Read<Expr> {
        let span = self.span(&node);
        let mut items = Vec::new();
        for copies in self.parts(node).all(Rule::copies) {
            let mut copies = self.parts(copies);
            let number = copies.opt(Rule::number).map(|n| self.expr(n)).transpose()?;
            let item = self.need_word(&mut copies, Rule::cap)?;
            items.push((number, Expr { span: item.span, kind: ExprKind::Name(item) }));
        }
        Ok(Expr { kind: ExprKind::Bag(items), span })
    }

    /// The next expression of that rule, boxed.
    pub(super) fn boxed(&self, parts: &mut Parts, rule: Rule) -> Read<Box<Expr>> {
        Ok(Box::new(self.expr(parts.need(rule)?)?))
    }

    /// Operands with operators between.
    fn row(&self, node: Node) -> Read<Expr> {
        let parts = self.parts(node);
        let span = parts.span;
        if parts.nodes.len() > 2 * MAX_NAME_CHARACTERS {
            return Err(SyntaxFault::new(
                span,
                format!("more than {MAX_NAME_CHARACTERS} operators in a row"),
                "too long",
                Some("give a part of it a name of its own with `define` or `let`"),
            ));
        }
        let mut nodes = parts.nodes.into_iter();
        let first = self.expr(nodes.next().ok_or_else(|| broken(span))?)?;
        let mut rest = Vec::new();
        while let (Some(op), Some(next)) = (nodes.next(), nodes.next()) {
            let op = self.parts(op).first()?;
            rest.push((self.operator(&op)?, self.expr(next)?));
        }
        Ok(join(first, rest, |op| matches!(op, BinOp::And | BinOp::Mul | BinOp::Div | BinOp::Mod)))
    }

    fn operator(&self, node: &Node) -> Read<BinOp> {
        Ok(match node.as_rule() {
            Rule::kw_or => BinOp::Or,
            Rule::kw_and => BinOp::And,
            Rule::plus => BinOp::Add,
            Rule::minus => BinOp::Sub,
            Rule::star => BinOp::Mul,
            Rule::slash => BinOp::Div,
            Rule::kw_mod => BinOp::Mod,
            Rule::eqeq => BinOp::Is,
            Rule::neq => BinOp::IsNot,
            Rule::le => BinOp::Le,
            Rule::lt => BinOp::Lt,
            Rule::ge => BinOp::Ge,
            Rule::gt => BinOp::Gt,
            _ => return Err(broken(self.span(node))),
        })
    }

    fn conj(&self, node: Node) -> Read<Expr> {
        let mut parts = self.parts(node);
        let left = self.expr(parts.need(Rule::sum)?)?;
        let inner = match parts.opt(Rule::compare) {
            Some(tail) => {
                let span = left.span.to(self.span(&tail));
                self.compare(left, span, tail)?
            }
            None => left,
        };
        Ok(if parts.has(Rule::kw_not) {
            Expr { kind: ExprKind::Not(Box::new(inner)), span: parts.span }
        } else {
            inner
        })
    }

    fn compare(&self, left: Expr, span: Span, tail: Node) -> Read<Expr> {
        let mut parts = self.parts(tail);
        if let Some(is) = parts.opt(Rule::is_tail) {
            let mut is = self.parts(is);
            let yes = !is.has(Rule::kw_not);
            let kind = if is.has(Rule::kw_empty) {
                ExprKind::IsEmpty(Box::new(left), yes)
            } else if is.has(Rule::kw_on) {
                let ExprKind::Name(name) = left.kind else {
                    return Err(SyntaxFault::new(
                        left.span,
                        "only a procedure can be on",
                        "not the name of a procedure",
                        Some("write its bare name: `battle is on`"),
                    ));
                };
                ExprKind::IsOn(name, yes)
            } else {
                let op = if yes { BinOp::Is } else { BinOp::IsNot };
                return Ok(binary(op, left, self.expr(is.need(Rule::sum)?)?));
            };
            return Ok(Expr { kind, span });
        }
        if let Some(tail) = parts.opt(Rule::in_tail) {
            let mut tail = self.parts(tail);
            let op = if tail.has(Rule::kw_not) { BinOp::NotIn } else { BinOp::In };
            return Ok(binary(op, left, self.expr(tail.need(Rule::set)?)?));
        }
        if parts.has(Rule::kw_wins) {
            let kind = ExprKind::Wins(Box::new(left));
            return Ok(Expr { kind, span });
        }
        let op = self.parts(parts.need(Rule::rel_op)?).first()?;
        let op = self.operator(&op)?;
        Ok(binary(op, left, self.expr(parts.need(Rule::sum)?)?))
    }

    fn postfix(&self, node: Node) -> Read<Expr> {
        let parts = self.parts(node);
        let whole = parts.span;
        if parts.nodes.len() > MAX_NAME_CHARACTERS {
            return Err(SyntaxFault::new(
                whole,
                format!("more than {MAX_NAME_CHARACTERS} fields in a row"),
                "too long",
                Some("give a part of it a name of its own with `let`"),
            ));
        }
        let mut nodes = parts.nodes.into_iter();
        let mut expr = self.expr(nodes.next().ok_or_else(|| broken(whole))?)?;
        for tail in nodes {
            let span = expr.span.to(self.span(&tail));
            let rule = tail.as_rule();
            let mut tail = self.parts(tail);
            let kind = if rule == Rule::field_access {
                let field = self.need_word(&mut tail, Rule::any_word)?;
                ExprKind::Field(Box::new(expr), field)
            } else {
                let first = self.boxed(&mut tail, Rule::expr)?;
                let index = match tail.opt(Rule::expr) {
                    None => first,
                    Some(second) => {
                        let second = Box::new(self.expr(second)?);
                        Box::new(Expr { span: first.span.to(second.span), kind: ExprKind::Pair(first, second) })
                    }
                };
                ExprKind::Index(Box::new(expr), index)
            };
            expr = Expr { kind, span };
        }
        Ok(expr)
    }

    fn primary(&self, node: Node) -> Read<Expr> {
        let span = self.span(&node);
        let rule = node.as_rule();
        let kind = match rule {
            Rule::number => ExprKind::Int(self.int(&node)?),
            Rule::text => ExprKind::Text(unquote(node.as_str())),
            Rule::bool_lit => ExprKind::Bool(node.as_str() == "true"),
            Rule::none_lit => ExprKind::None,
            Rule::legal_action => ExprKind::LegalAction(self.parts(node).has(Rule::kw_some)),
            _ => self.compound(rule, self.parts(node))?,
        };
        Ok(Expr { kind, span })
    }

    /// A primary with parts.
    fn compound(&self, rule: Rule, mut parts: Parts) -> Read<ExprKind> {
        let p = &mut parts;
        Ok(match rule {
            Rule::name => ExprKind::Name(self.word(&parts.first()?)),
            Rule::paren => self.expr(p.need(Rule::expr)?)?.kind,
            Rule::braces => self.braces(parts)?,
            Rule::if_expr => {
                ExprKind::If(self.boxed(p, Rule::expr)?, self.boxed(p, Rule::expr)?, self.boxed(p, Rule::expr)?)
            }
            Rule::match_expr => {
                let on = self.boxed(p, Rule::expr)?;
                let mut arms = Vec::new();
                for arm in p.all(Rule::arm) {
                    let mut arm = self.parts(arm);
                    let values = self.exprs(&mut arm, Rule::term)?;
                    arms.push((values, self.expr(arm.need(Rule::expr)?)?));
                }
                let otherwise = match p.opt(Rule::match_else) {
                    Some(node) => Some(self.boxed(&mut self.parts(node), Rule::expr)?),
                    None => None,
                };
                ExprKind::Match { on, arms, otherwise }
            }
            Rule::quant => {
                let quant = if p.has(Rule::kw_some) {
                    Quantifier::Some
                } else if p.has(Rule::kw_every) {
                    Quantifier::Every
                } else {
                    Quantifier::No
                };
                ExprKind::Quant {
                    quant,
                    var: self.need_word(p, Rule::low)?,
                    set: self.boxed(p, Rule::set)?,
                    cond: self.boxed(p, Rule::expr)?,
                }
            }
            Rule::count_expr => {
                let Binder { var, set, cond } = self.binder(p)?;
                ExprKind::Count { var, set, cond }
            }
            Rule::the_expr => {
                let Binder { var, set, cond } = self.binder(p)?;
                ExprKind::The { var, set, cond }
            }
            Rule::sum_expr => {
                let value = self.boxed(p, Rule::expr)?;
                let Binder { var, set, cond } = self.binder(p)?;
                ExprKind::Sum { value, var, set, cond }
            }
            Rule::best_expr => {
                let most = p.has(Rule::kw_most);
                let value = self.boxed(p, Rule::expr)?;
                let Binder { var, set, cond } = self.binder(p)?;
                ExprKind::Best { most, value, var, set, cond }
            }
            Rule::top_expr => ExprKind::Top(self.boxed(p, Rule::postfix)?),
            Rule::back_expr => ExprKind::Back(self.need_word(p, Rule::callee)?, self.boxed(p, Rule::expr)?),
            Rule::reach_expr => {
                let first = self.boxed(p, Rule::expr)?;
                if let Some(steps) = p.opt(Rule::steps) {
                    return self.reach_by_steps(first, steps);
                }
                let ExprKind::Name(link) = first.kind else {
                    return Err(SyntaxFault::new(
                        first.span,
                        "expected the name of links",
                        "no name",
                        Some(
                            "write `reach(LINKS, FROM, x where COND)`, or steps: `reach(FROM, a to b in SET where \
                             COND)`",
                        ),
                    ));
                };
                let from = self.boxed(p, Rule::expr)?;
                let (mut var, mut cond) = (None, None);
                if let Some(by) = p.opt(Rule::reach_by) {
                    let mut by = self.parts(by);
                    var = Some(self.need_word(&mut by, Rule::low)?);
                    cond = self.where_part(&mut by)?.map(Box::new);
                }
                ExprKind::Reach { link, from, var, cond }
            }
            Rule::grid_call => {
                let (grid, what) = (self.need_word(p, Rule::low)?, self.need_word(p, Rule::callee)?);
                let mut args = self.parts(p.need(Rule::grid_args)?);
                let side = match args.opt(Rule::side_by) {
                    Some(by) => Some(self.side_by(self.parts(by))?),
                    None => None,
                };
                let args = self.exprs(&mut args, Rule::expr)?;
                ExprKind::Grid(Box::new(GridCall { grid, what, args, side }))
            }
            Rule::call => {
                let steps = p.opt(Rule::steps);
                let (name, args) = self.call(p)?;
                match steps {
                    Some(steps) => self.way(&name, args, steps)?,
                    None => ExprKind::Call(name, args),
                }
            }
            _ => return Err(broken(parts.span)),
        })
    }

    fn side_by(&self, mut parts: Parts) -> Read<SideBy> {
        let span = parts.span;
        let (from, to) = (self.need_word(&mut parts, Rule::low)?, self.need_word(&mut parts, Rule::low)?);
        let cond = self.where_part(&mut parts)?.ok_or_else(|| broken(span))?;
        Ok(SideBy { from, to, cond, span })
    }

    /// `reach(FROM, a to b in SET ...)`.
    fn reach_by_steps(&self, from: Box<Expr>, steps: Node) -> Read<ExprKind> {
        let steps = self.steps(steps)?;
        if let (Some(cost), None) = (&steps.cost, &steps.within) {
            return Err(SyntaxFault::new(
                cost.span,
                "a price without a limit",
                "how far may it go?",
                Some("add `within N`; the least price of a way is `way(FROM, TO, a to b in SET cost E)`"),
            ));
        }
        Ok(ExprKind::Steps { from, to: None, steps: Box::new(steps) })
    }

    /// `way(FROM, TO, a to b in SET ...)`.
    fn way(&self, name: &Word, args: Vec<Expr>, steps: Node) -> Read<ExprKind> {
        if name.text != "way" {
            return Err(self.no_steps(&steps, &name.text));
        }
        let steps = self.steps(steps)?;
        if let Some(within) = &steps.within {
            return Err(SyntaxFault::new(
                within.span,
                "`way` has no limit",
                "not asked here",
                Some("compare the price: `way(...) <= N`"),
            ));
        }
        match <[Expr; 2]>::try_from(args) {
            Ok([from, to]) => {
                Ok(ExprKind::Steps { from: Box::new(from), to: Some(Box::new(to)), steps: Box::new(steps) })
            }
            Err(_) => Err(SyntaxFault::new(
                name.span,
                "`way` leads from members to one member",
                "not two places before the steps",
                Some("write `way(FROM, TO, a to b in SET where COND cost E)`"),
            )),
        }
    }

    fn no_steps(&self, steps: &Node, name: &str) -> SyntaxFault {
        SyntaxFault::new(
            self.span(steps),
            format!("`{name}` does not take steps"),
            "steps",
            Some("only `reach(FROM, a to b in SET)` and `way(FROM, TO, a to b in SET)` take steps"),
        )
    }

    fn steps(&self, node: Node) -> Read<Steps> {
        let mut parts = self.parts(node);
        let p = &mut parts;
        let (a, b) = (self.need_word(p, Rule::low)?, self.need_word(p, Rule::low)?);
        let set = self.expr(p.need(Rule::set)?)?;
        let cond = self.where_part(p)?;
        let mut last = |rule| match p.opt(rule) {
            Some(node) => self.expr(self.parts(node).need(Rule::expr)?).map(Some),
            None => Ok(None),
        };
        let (cost, within) = (last(Rule::cost_part)?, last(Rule::within_part)?);
        Ok(Steps { a, b, set, cond, cost, within })
    }

    /// All expressions of that rule among the parts.
    fn exprs(&self, parts: &mut Parts, rule: Rule) -> Read<Vec<Expr>> {
        parts.all(rule).into_iter().map(|n| self.expr(n)).collect()
    }

    /// The parts of a `call`.
    pub(super) fn call(&self, parts: &mut Parts) -> Read<(Word, Vec<Expr>)> {
        let name = self.need_word(parts, Rule::callee)?;
        if let Some(steps) = parts.opt(Rule::steps) {
            return Err(self.no_steps(&steps, &name.text));
        }
        Ok((name, self.exprs(parts, Rule::expr)?))
    }

    /// `where C`, if it is there.
    pub(super) fn where_part(&self, parts: &mut Parts) -> Read<Option<Expr>> {
        match parts.opt(Rule::where_part) {
            Some(node) => Ok(Some(self.expr(self.parts(node).need(Rule::expr)?)?)),
            None => Ok(None),
        }
    }

    fn binder(&self, parts: &mut Parts) -> Read<Binder> {
        let mut parts = self.parts(parts.need(Rule::binder)?);
        Ok(Binder {
            var: self.need_word(&mut parts, Rule::low)?,
            set: self.boxed(&mut parts, Rule::set)?,
            cond: self.where_part(&mut parts)?.map(Box::new),
        })
    }

    fn braces(&self, mut parts: Parts) -> Read<ExprKind> {
        if let Some(body) = parts.opt(Rule::compr_body) {
            let Binder { var, set, cond } = self.binder(&mut self.parts(body))?;
            return Ok(ExprKind::Compr { map: None, var, set, cond });
        }
        let Some(body) = parts.opt(Rule::list_body) else {
            return Ok(ExprKind::Set(Vec::new()));
        };
        let mut body = self.parts(body);
        if body.has(Rule::binder) {
            let map = Some(self.boxed(&mut body, Rule::expr)?);
            let Binder { var, set, cond } = self.binder(&mut body)?;
            return Ok(ExprKind::Compr { map, var, set, cond });
        }
        Ok(ExprKind::Set(self.exprs(&mut body, Rule::expr)?))
    }
}
