//! What belongs to a procedure and stands outside it: procedures and actions in it, and variables kept in it.

use super::maker::{LIMIT, Maker, number};
use super::stmt::Spot;
use super::world::{Base, Def, Elem, INT, Local, Pile, Proc, Ty, Var};

/// The parts of a procedure that is being written: the variables that are kept in it, and whether something begins in
/// it.
#[derive(Debug, Default)]
pub struct Parts {
    kept: Vec<Var>,
    inner: bool,
    action: bool,
}

impl Maker<'_> {
    /// What a procedure is to have; what is kept in it can be changed like its own variables.
    pub fn plan_parts(&mut self, p: usize, leaf: bool, nested: bool) -> Parts {
        let inner = self.one_in(3);
        let mut parts = Parts { kept: Vec::new(), inner, action: inner && !leaf && self.one_in(2) };
        if !nested && self.one_in(3) {
            for n in 0..1 + self.below(2) {
                let ty = self.ty(true);
                let index = self.one_in(3).then_some(0);
                let name = format!("k{p}x{n}");
                parts.kept.push(Var { name: name.clone(), index, ty, pile: Pile::No, fixed: true });
                self.locals.push(Local { name, ty, var: true, index });
            }
        }
        parts
    }

    /// The step in which the inner procedure begins.
    pub fn begin_parts(&mut self, p: usize, parts: &Parts) {
        if parts.inner {
            let arg = self.value(Ty::of(Base::Member(0)), 1);
            self.line(&format!("  step inner{p} {{ part{p}({arg}) }}"));
        }
    }

    /// What stands behind the procedure: its names are still known.
    pub fn write_parts(&mut self, p: usize, parts: Parts, spot: Spot) {
        let name = self.world.procs[p].name.clone();
        if parts.inner {
            self.used("procedure in a procedure");
            if parts.action {
                self.part_action(p, &name);
            }
            self.line(&format!("procedure part{p}(by{p}: Player) in {name} {{"));
            let depth = self.locals.len();
            self.locals.push(Local { name: format!("by{p}"), ty: Ty::of(Base::Member(0)), var: false, index: None });
            let first = self.number(1);
            self.line(&format!("  var own{p}: Int = {first}"));
            self.locals.push(Local { name: format!("own{p}"), ty: Ty::of(INT), var: true, index: None });
            self.block(Spot { deep: 1, calls: 0, asks: 0, loops: 1, ..spot }, 3);
            if parts.action {
                self.line(&format!("  by{p} may choose an action among does{p} else \"no part\""));
            }
            self.block(Spot { deep: 1, loops: 1, ..Spot::default() }, 2);
            self.line("}");
            self.locals.truncate(depth);
        }
        if self.one_in(4) {
            self.used("definition in a procedure");
            let known = [(format!("d{p}"), Ty::of(Base::Member(0)))];
            let value = self.with(&known, 4, |m| m.number(2));
            let def = format!("seen{p}");
            self.line(&format!("define {def}(d{p}: Player) -> Int in {name} = {value}"));
            let params = vec![Ty::of(Base::Member(0))];
            self.world.defs.push(Def { name: def, params, ty: Ty { base: INT, opt: true }, cost: LIMIT / 4 });
        }
        for var in parts.kept {
            self.used("variable kept in a procedure");
            let init = match var.ty.base {
                Base::Bag(_) => String::new(),
                _ if var.ty.opt && self.one_in(2) => String::new(),
                Base::Set(_) => String::from(" = {}"),
                Base::Num(lo, hi) if var.ty.base != INT => format!(" = {}", number(self.pick(&[lo, hi]).unwrap_or(lo))),
                Base::Num(..) => format!(" = {}", self.literal()),
                Base::Truth => String::from(" = false"),
                Base::Member(k) => format!(" = {}", self.literal_member(k)),
            };
            let at = if var.index.is_some() { "[Player]" } else { "" };
            self.line(&format!("var {}{at}: {} in {name}{init}", var.name, self.world.ty(var.ty)));
            self.world.vars.push(var);
        }
    }

    /// An action that is asked for only in the procedure.
    fn part_action(&mut self, p: usize, name: &str) {
        self.used("action in a procedure");
        let known = vec![(format!("z{p}"), Ty::of(Base::Member(0)))];
        let (cond, may) = self.with(&known, 3, |m| (m.condition(2), m.condition(2)));
        self.line(&format!("action does{p}(z{p}: Player) in {name} by z{p} where {cond} log \"part {{z{p}}}\" {{"));
        self.with(&known, 1, |m| m.block(Spot { deep: 1, loops: 1, ..Spot::default() }, 2));
        self.line("}");
        self.line(&format!("may does{p} \"m-part{p}\" when {may}"));
    }

    /// A variable of a procedure is changed where a condition proves that it is active.
    pub fn change_elsewhere(&mut self, spot: Spot) -> bool {
        let plain = |v: &&Var| v.index.is_none() && !matches!(v.ty.base, Base::Bag(_));
        let with_vars: Vec<(usize, Proc)> = self.world.procs.iter().cloned().enumerate().collect();
        let with_vars: Vec<_> = with_vars.into_iter().filter(|(_, p)| p.vars.iter().any(|v| plain(&v))).collect();
        let Some((_, proc)) = self.pick(&with_vars) else { return false };
        let Some(var) = self.pick(&proc.vars.iter().filter(plain).cloned().collect::<Vec<_>>()) else { return false };
        let hidden = |l: &Local| l.name == proc.name;
        if self.locals.iter().any(hidden) {
            return false;
        }
        self.used("variable of a procedure changed elsewhere");
        let name = &proc.name;
        let change = format!("{name}.{} := {}", var.name, self.value(var.ty, 2));
        let text = match self.below(3) {
            0 => format!("when {name} is not on {{ }} else {{ {change} }}"),
            1 => format!("when {name} is on and {} {{ {change} }}", self.truth(1)),
            _ => format!("when {name} is on {{ {change} }}"),
        };
        self.put(spot, &text);
        true
    }

    /// Clauses about several actions.
    pub fn clauses_on_several(&mut self) {
        let actions = self.world.actions.clone();
        let [first, .., last] = actions.as_slice() else { return };
        let shared = first.params.iter().filter(|p| last.params.contains(p));
        let known: Vec<(String, Ty)> = shared.map(|(n, e): &(String, Elem)| (n.clone(), e.one())).collect();
        let what = self.pick(&["may not", "may"]).unwrap_or("may");
        let limit = if what == "may" && self.one_in(3) { " once per game" } else { "" };
        self.used(if what == "may" { "may, of several actions" } else { "may not, of several actions" });
        let cond = self.with(&known, first.size.max(last.size), |m| m.condition(2));
        self.line(&format!("{what} {}, {} \"both\"{limit} when {cond}", first.name, last.name));
    }
}
