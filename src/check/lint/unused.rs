//! Names that are declared and never used.

use crate::check::names::Symbol;
use crate::check::{Checker, Diagnostic};

impl Checker {
    /// Reports names that nothing uses. A name that a declaration with an error might use is not reported.
    pub(super) fn unused(&mut self) {
        if self.out.iter().any(|d| d.severity == crate::check::Severity::Error) {
            return;
        }
        let mut found = Vec::new();
        for (name, symbol, span) in self.names.all() {
            let what = match symbol {
                Symbol::Config(c) if self.model.config[c.i()].is_reading() => "reading",
                Symbol::Config(_) => "option",
                Symbol::Links(_) => "topology",
                Symbol::Var(v) if self.model.piles.contains(&v) => "pile",
                Symbol::Var(_) => "variable",
                Symbol::Def(_) => "definition",
                Symbol::Action(_) => "action",
                Symbol::Procedure(_) => "procedure",
                Symbol::Kind(k) if self.model.kinds[k.i()].members.is_empty() => "kind",
                _ => continue,
            };
            if !self.used(symbol) {
                found.push((name.to_string(), what, span, symbol));
            }
        }
        for (name, what, span, symbol) in found {
            let help = match symbol {
                Symbol::Action(_) => {
                    format!("offer it: `SEAT chooses an action among {name}`, or remove it")
                }
                Symbol::Procedure(_) => format!("do it somewhere: `{name}(...)`, or remove it"),
                _ => "use it, or remove it".to_string(),
            };
            self.report(
                Diagnostic::warning("law::unused", format!("the {what} `{name}` is never used"), span, "declared here")
                    .help(help),
            );
        }
    }
}
