//! What certainly holds where an expression is evaluated, and which hidden things all seats see because of it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::model::{Domain, Expr, ExprKind, Model, SeenWhat, SetOp, VarId};

/// How deep definitions in the condition of a `seen` are looked into.
const MAX_DEPTH: usize = 8;

/// The name of the seat that looks, in the form of a condition.
const SEAT: &str = "the seat";

/// What certainly holds, by form: of each entry one of the alternatives.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Facts(Vec<Vec<String>>);

impl Facts {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Forgets all but the first so many.
    pub fn keep(&mut self, count: usize) {
        self.0.truncate(count);
    }

    /// What holds of its parameters in a definition that is applied to some arguments.
    pub fn of_arguments(&self, args: &[Expr]) -> Facts {
        let of = |fact: &Vec<String>, i: usize, arg: &str| {
            let sets = fact.iter().map(|f| f.strip_prefix(arg)?.strip_prefix(" in ").filter(|s| !s.contains("local ")));
            sets.map(|set| Some(membership(&format!("local {i}"), set?))).collect::<Option<Vec<String>>>()
        };
        let args = args.iter().map(form).enumerate();
        Facts(args.flat_map(|(i, arg)| self.0.iter().filter_map(move |fact| of(fact, i, &arg))).collect())
    }

    /// A condition holds.
    pub fn add(&mut self, cond: &Expr) {
        match &cond.kind {
            ExprKind::And(a, b) => {
                self.add(a);
                self.add(b);
            }
            ExprKind::In { item, set, positive: true, .. } => self.0.push(members_of(&form(item), set)),
            ExprKind::Equal(_, _, true) => self.0.push(vec![form(cond)]),
            _ => {}
        }
    }

    /// The variable of a domain stands for one of its members.
    pub fn add_domain(&mut self, domain: &Domain) {
        self.0.push(members_of(&format!("local {}", domain.local), &domain.set));
    }

    /// Whether all seats see an entry of a variable where these facts hold.
    pub fn show(&self, model: &Model, (var, index): (VarId, &Expr), known: &Reasons) -> bool {
        let reasons = known.of(model, var, form(index));
        reasons.same || self.0.iter().any(|fact| fact.iter().all(|f| reasons.forms.contains(f)))
    }
}

/// Why all seats may see entries of variables, as far as it has been asked.
#[derive(Default)]
pub(super) struct Reasons(RefCell<BTreeMap<(VarId, String), Rc<Reason>>>);

impl Reasons {
    /// Why all seats may see the entry of a variable whose index has a form.
    fn of(&self, model: &Model, var: VarId, index: String) -> Rc<Reason> {
        let key = (var, index);
        if let Some(known) = self.0.borrow().get(&key) {
            return Rc::clone(known);
        }
        let mut reason = Reason::default();
        for seen in model.seen.iter().filter(|s| s.what == SeenWhat::Var(var) && !s.nobody) {
            if let [cond] = model.clauses[seen.clause.i()].when.as_slice() {
                let names = |local| if local == 0 { key.1.clone() } else { String::from(SEAT) };
                alternatives(model, cond, &names, MAX_DEPTH, &mut reason);
            }
        }
        let reason = Rc::new(reason);
        self.0.borrow_mut().insert(key, Rc::clone(&reason));
        reason
    }
}

/// That something is a member of a set, for each of the sets of which the set is made.
fn members_of(item: &str, set: &Expr) -> Vec<String> {
    match &set.kind {
        ExprKind::SetOp(SetOp::Union, a, b) => {
            let mut all = members_of(item, a);
            all.extend(members_of(item, b));
            all
        }
        ExprKind::SetOp(SetOp::Minus | SetOp::Intersect, a, _) => members_of(item, a),
        ExprKind::Compr { domain, map: None, .. } => members_of(item, &domain.set),
        _ => vec![membership(item, &form(set))],
    }
}

fn membership(item: &str, set: &str) -> String {
    format!("{item} in {set}")
}

/// The form of an expression, written in one way whether or not it stands in another.
fn form(e: &Expr) -> String {
    tidy(&e.form())
}

fn tidy(form: &str) -> String {
    form.replace(" (", "(").trim().to_owned()
}

/// The alternatives of a condition.
#[derive(Default)]
struct Reason {
    forms: BTreeSet<String>,
    /// One of them is that something is itself.
    same: bool,
}

/// The alternatives of a condition that do not ask which seat looks.
fn alternatives(model: &Model, cond: &Expr, names: &dyn Fn(u16) -> String, depth: usize, out: &mut Reason) {
    let form = |e: &Expr| tidy(&e.form_with(&mut |i| names(i)));
    match &cond.kind {
        ExprKind::Or(a, b) => {
            alternatives(model, a, names, depth, out);
            alternatives(model, b, names, depth, out);
        }
        ExprKind::Call { def, args } if depth > 0 => {
            let def = &model.defs[def.i()];
            if let (Some(general), true) = (&def.general, def.clauses.is_empty()) {
                let args: Vec<String> = args.iter().map(form).collect();
                let inner = |i: u16| args.get(usize::from(i)).cloned().unwrap_or_else(|| format!("inner {i}"));
                alternatives(model, general, &inner, depth - 1, out);
            }
        }
        ExprKind::In { item, set, positive: true, .. } => {
            let form = membership(&form(item), &form(set));
            if !form.contains(SEAT) {
                out.forms.insert(form);
            }
        }
        ExprKind::Equal(a, b, true) => {
            let (a, b, whole) = (form(a), form(b), form(cond));
            if !whole.contains(SEAT) {
                out.forms.insert(whole);
                out.same |= a == b;
            }
        }
        _ => {}
    }
}
