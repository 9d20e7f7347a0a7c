//! Expressions that a condition proves to be there, but that may be nothing again when they are used.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::scope::{Relied, Since};
use crate::check::{Checker, Diagnostic};
use crate::model::{Code, CodeId, Expr, ExprKind, Instr, InstrKind, Set, VarId};
use crate::span::Span;

/// What counts as there in one code because of one condition: the expression, and where it is used.
struct Group<'a> {
    of: &'a Expr,
    uses: Vec<&'a Relied>,
}

/// The variables that codes may change, with all that they begin; each code is examined once.
type Written = BTreeMap<CodeId, BTreeSet<VarId>>;

/// The maximum number of instructions before a use that are examined as possible changes.
const MAX_TRIED: usize = 20;

impl Checker {
    /// Reports expressions that count as there because of a condition, although something may have changed them since.
    pub(super) fn withdrawn(&mut self) {
        let mut groups: BTreeMap<(CodeId, Since, String), Group<'_>> = BTreeMap::new();
        for (code, relied) in self.relied.iter().filter(|(_, relied)| self.needed.contains(&relied.of.span)) {
            let form = relied.of.form();
            let group = groups.entry((*code, relied.since, form));
            group.or_insert_with(|| Group { of: &relied.of, uses: Vec::new() }).uses.push(relied);
        }
        let mut written = Written::new();
        let found: BTreeMap<Span, Span> =
            groups.iter().flat_map(|((code, since, _), g)| self.changes(*code, *since, g, &mut written)).collect();
        for (span, change) in found {
            let text = self.model.sources.line(span);
            self.report(
                Diagnostic::error(
                    "law::nothing",
                    format!("`{text}` may be nothing by then"),
                    span,
                    "relies on the condition",
                )
                .and(self.head(change), "this may change it first")
                .help(format!("keep it under a name before it changes: `let it = {text}`, or ask again")),
            );
        }
    }

    /// The uses that may come after an instruction which changes what the condition proved, each with such an
    /// instruction.
    fn changes(&self, code: CodeId, since: Since, group: &Group<'_>, written: &mut Written) -> Vec<(Span, Span)> {
        let Some(code) = self.model.codes.get(code.i()) else { return Vec::new() };
        let reads = self.model.read_by(group.of);
        let instr = |at: usize| code.instrs.get(at);
        let (first, since) = match since {
            Since::Start => (vec![0], None),
            Since::At(since) => (following(code, &[since]), Some(since)),
        };
        let after = reached(code, first, since);
        let mut may = |i| self.may_withdraw(i, group.of, &reads, written);
        let changing = after.iter().filter(|at| instr(*at).is_some_and(&mut may));
        let changing: Vec<u16> = changing.filter_map(|at| u16::try_from(at).ok()).collect();
        let late = reached(code, following(code, &changing), since);
        let uses = group.uses.iter().filter(|relied| late.contains(usize::from(relied.at)));
        uses.filter_map(|relied| {
            let before = changing.iter().rev().skip_while(|at| **at >= relied.at).take(MAX_TRIED);
            let mut tried = before.chain(changing.iter().rev().take(MAX_TRIED));
            let change = tried
                .find(|at| reached(code, following(code, &[**at]), since).contains(usize::from(relied.at)))
                .or(changing.first())?;
            Some((relied.of.span, instr(usize::from(*change))?.span))
        })
        .collect()
    }

    fn may_withdraw(&self, instr: &Instr, of: &Expr, reads: &BTreeSet<VarId>, written: &mut Written) -> bool {
        if let (InstrKind::Set(to, value), ExprKind::Var { var, index }) = (&instr.kind, &of.kind)
            && to.var == *var
            && !value.ty.optional
            && index.as_ref().is_none_or(|i| !self.model.read_by(i).contains(var))
        {
            // Whichever entry is written, it holds a value afterwards.
            return false;
        }
        let mut changes = |c| !written.entry(c).or_insert_with(|| self.model.written_by(c)).is_disjoint(reads);
        instr.kind.writes().iter().any(|v| reads.contains(v))
            || instr.kind.begins(&self.model).into_iter().any(&mut changes)
    }
}

/// The instructions that may follow some.
fn following(code: &Code, from: &[u16]) -> Vec<u16> {
    let next = |at: &u16| code.instrs.get(usize::from(*at)).map(|i| i.kind.next(*at)).unwrap_or_default();
    from.iter().flat_map(next).collect()
}

/// Some instructions and those reachable from them, without passing a given one.
fn reached(code: &Code, from: Vec<u16>, without: Option<u16>) -> Set {
    let (mut seen, mut todo) = (Set::new(), from);
    while let Some(at) = todo.pop() {
        if Some(at) != without && !seen.contains(usize::from(at)) {
            seen.insert(usize::from(at));
            todo.extend(following(code, &[at]));
        }
    }
    seen
}
