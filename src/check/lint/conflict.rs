//! Definitions whose clauses certainly conflict, or do not cover all cases.

use std::collections::{BTreeSet, HashMap};

use crate::check::{Checker, Diagnostic, logic};
use crate::model::{Base, Def, DefClause, ExprKind, Layer, Ty, Value};

/// A summary of a clause that gives a constant.
struct Parts<'a> {
    value: &'a Value,
    /// The first argument in its head; `None` for any.
    first: Option<&'a Value>,
    /// Of its conditions.
    when: Vec<String>,
}

/// Clauses by their first argument and their value.
type Group<'a> = HashMap<Option<&'a Value>, HashMap<&'a Value, Vec<usize>>>;

/// The maximum number of reported pairs of clauses of one definition.
const MAX_PAIRS: usize = 1000;

impl Checker {
    /// Two `instead`s that certainly apply together somewhere and give different constants, neither ranked above the
    /// other.
    pub(super) fn certain_conflicts(&mut self) {
        let mut found = Vec::new();
        for def in &self.model.defs {
            for (i, j) in self.clashing(def) {
                let (a, b) = (&def.layer(Layer::Instead)[i], &def.layer(Layer::Instead)[j]);
                found.push((def.name.clone(), a.clause, b.clause, text(self, a), text(self, b)));
            }
        }
        for (name, a, b, x, y) in found {
            let (sa, sb) = (self.head(self.model.clauses[a.i()].span), self.head(self.model.clauses[b.i()].span));
            self.report(
                Diagnostic::error(
                    "law::conflict",
                    format!("two clauses on `{name}` apply together and disagree"),
                    sb,
                    format!("this gives {y}"),
                )
                .and(sa, format!("this gives {x}"))
                .help(
                    "say which one wins: `exception to \"LABEL\"` or `ranks above \"LABEL\"`, or make their conditions \
                         exclude each other",
                ),
            );
        }
    }

    /// The pairs of clauses that conflict, up to a maximum. Only pairs whose summaries allow a conflict are compared:
    /// both give constants, which differ; their first arguments may be equal; and their conditions have a part in
    /// common, or one has none.
    fn clashing<'d>(&self, def: &'d Def) -> BTreeSet<(usize, usize)> {
        let constant = |c: &'d DefClause| match &c.value.kind {
            ExprKind::Const(value) => Some(value),
            _ => None,
        };
        let parts: Vec<Option<Parts<'_>>> = def
            .layer(Layer::Instead)
            .iter()
            .map(|c| {
                let when = &self.model.clauses[c.clause.i()].when;
                let value = constant(c)?;
                let first = c.args.first().and_then(Option::as_ref);
                Some(Parts { value, first, when: logic::parts(when) })
            })
            .collect();
        // A clause is looked up by the part of its conditions that the fewest clauses share.
        let mut common: HashMap<&String, usize> = HashMap::new();
        for part in parts.iter().flatten().flat_map(|p| &p.when) {
            *common.entry(part).or_default() += 1;
        }
        let mut groups: HashMap<Option<&String>, Group<'_>> = HashMap::new();
        for (i, p) in parts.iter().enumerate().filter_map(|(i, p)| Some((i, p.as_ref()?))) {
            let rarest = p.when.iter().min_by_key(|part| common.get(part).copied().unwrap_or(0));
            groups.entry(rarest).or_default().entry(p.first).or_default().entry(p.value).or_default().push(i);
        }
        let mut pairs = BTreeSet::new();
        for (i, p) in parts.iter().enumerate().filter_map(|(i, p)| Some((i, p.as_ref()?))) {
            for group in p.when.iter().map(Some).chain([None]).filter_map(|part| groups.get(&part)) {
                let firsts: Vec<_> = match p.first {
                    Some(_) => [p.first, None].iter().filter_map(|first| group.get(first)).collect(),
                    None => group.values().collect(),
                };
                let others = firsts.into_iter().flatten().filter(|(value, _)| **value != p.value);
                for j in others.flat_map(|(_, others)| others.iter().copied()) {
                    if self.clash(&def.layer(Layer::Instead)[i.min(j)], &def.layer(Layer::Instead)[i.max(j)]) {
                        pairs.insert((i.min(j), i.max(j)));
                    }
                    if pairs.len() >= MAX_PAIRS {
                        return pairs;
                    }
                }
            }
        }
        pairs
    }

    fn clash(&self, a: &DefClause, b: &DefClause) -> bool {
        let (ca, cb) = (&self.model.clauses[a.clause.i()], &self.model.clauses[b.clause.i()]);
        if self.unclear.clauses.contains(&a.clause) || self.unclear.clauses.contains(&b.clause) {
            return false;
        }
        let ranked = |x, y| self.ranks.contains(&(x, y));
        if ranked(a.clause, b.clause) || ranked(b.clause, a.clause) || ca.ability.is_some() != cb.ability.is_some() {
            return false;
        }
        let heads = a.args.iter().zip(&b.args).all(|(x, y)| x.is_none() || y.is_none() || x == y);
        if !heads {
            return false;
        }
        let together = logic::follows(&ca.when, &cb.when) || logic::follows(&cb.when, &ca.when);
        let differ = match (&a.value.kind, &b.value.kind) {
            (ExprKind::Const(x), ExprKind::Const(y)) => x != y,
            _ => false,
        };
        let possible = logic::never(ca.when.iter().chain(&cb.when)).is_none();
        let args: Vec<Option<Value>> = a.args.iter().zip(&b.args).map(|(x, y)| x.clone().or(y.clone())).collect();
        let excluded =
            ca.when.iter().chain(&cb.when).any(|e| logic::known(e, &args, &self.model).is_some_and(|v| !v.truth()));
        together && differ && possible && !excluded
    }

    /// Definitions without a general value whose clauses do not cover every case.
    pub(super) fn uncovered_definitions(&mut self) {
        let mut found = Vec::new();
        for def in &self.model.defs {
            let unclear = self.unclear.names.contains(&def.name) || self.unclear.meant.contains(&def.name);
            if def.general.is_none() && !unclear && !self.covered(def) && def.ty.base != Base::Nothing {
                found.push((def.name.clone(), self.head(self.model.clauses[def.clause.i()].span), self.missing(def)));
            }
        }
        for (name, span, missing) in found {
            // A general value with an error of its own is not missing.
            if self.out.iter().any(|d| {
                d.labels.iter().any(|(s, _)| s.file == span.file && span.start <= s.start && s.end <= span.end)
            }) {
                continue;
            }
            self.report(
                Diagnostic::error("law::gap", format!("`{name}` does not cover all cases"), span, missing)
                    .help("write a general value after the type: `= VALUE`"),
            );
        }
    }

    fn covered(&self, def: &Def) -> bool {
        let always: Vec<&DefClause> = def.layer(Layer::Instead).iter().filter(|c| self.unconditional(c)).collect();
        if always.iter().any(|c| c.args.iter().all(Option::is_none)) {
            return true;
        }
        (0..def.params.len()).any(|p| {
            let covers = |v: &Value| {
                always.iter().any(|c| {
                    c.args[p].as_ref() == Some(v) && c.args.iter().enumerate().all(|(i, a)| i == p || a.is_none())
                })
            };
            self.arguments(&def.params[p].1).is_some_and(|all| all.iter().all(covers))
        })
    }

    /// All possible arguments for a parameter that is a member, including nothing if it may be nothing.
    fn arguments(&self, ty: &Ty) -> Option<Vec<Value>> {
        let Base::Member(k) = ty.base else {
            return None;
        };
        let members = (0..self.model.kinds[k.i()].members.len() as i32).map(Value::Int);
        Some(members.chain(ty.optional.then_some(Value::None)).collect())
    }

    fn unconditional(&self, c: &DefClause) -> bool {
        let clause = &self.model.clauses[c.clause.i()];
        clause.when.is_empty() && clause.ability.is_none() && clause.limit.is_none()
    }

    fn missing(&self, def: &Def) -> String {
        if let [(_, ty)] = def.params.as_slice()
            && let Some(all) = self.arguments(ty)
        {
            let said = |v: &Value| {
                def.layer(Layer::Instead).iter().any(|c| self.unconditional(c) && c.args[0].as_ref() == Some(v))
            };
            let missing: Vec<String> = all.iter().filter(|v| !said(v)).map(|v| self.value_words(v, &ty.base)).collect();
            let more = if missing.len() > 4 { format!(" and {} more", missing.len() - 4) } else { String::new() };
            let first = missing.iter().take(4).cloned().collect::<Vec<_>>().join(", ");
            return format!("there is no value for {first}{more}");
        }
        "there is no value if none of its clauses applies".into()
    }
}

fn text(c: &Checker, d: &DefClause) -> String {
    c.model.sources.line(d.value.span)
}
