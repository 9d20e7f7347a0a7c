//! Options that exclude each other.

use std::sync::Arc;

use super::names::Symbol;
use super::{Checker, Diagnostic};
use crate::model::{Base, Config, ConfigId};
use crate::span::Span;
use crate::syntax::tree::{Decl, DeclKind, Word};

impl Checker {
    /// Resolves what options exclude, and reports defaults and presets that switch on two options that exclude each
    /// other.
    pub(super) fn exclusions(&mut self, decls: &[Arc<Decl>]) {
        for d in decls {
            if let DeclKind::Option { name, excludes, .. } = &d.kind
                && let Some(id) = self.option_called(name)
            {
                let others = excludes.iter().filter_map(|other| self.excluded(id, other)).collect();
                self.model.config[id.i()].excludes = others;
            }
        }
        let defaults = Config::defaults(&self.model);
        if let Some((a, b)) = defaults.excluded(&self.model) {
            let span = self.model.config[b.i()].span;
            self.report_excluded("both are on by default", (a, b), span);
            return;
        }
        for d in decls {
            let DeclKind::Preset { name, .. } = &d.kind else { continue };
            let Some(preset) = self.model.presets.iter().find(|p| p.name == name.text) else { continue };
            let mut config = defaults.clone();
            preset.settings.iter().for_each(|(id, value)| config.0[id.i()] = *value);
            if let Some(pair) = config.excluded(&self.model) {
                self.report_excluded(&format!("the preset `{}` has both on", name.text), pair, name.span);
            }
        }
    }

    fn option_called(&self, name: &Word) -> Option<ConfigId> {
        match self.names.get(&name.text) {
            Some(Symbol::Config(id)) if !self.model.config[id.i()].is_reading() => Some(id),
            _ => None,
        }
    }

    /// What an option excludes.
    fn excluded(&mut self, id: ConfigId, other: &Word) -> Option<ConfigId> {
        let Some(found) = self.option_called(other) else {
            let options = self.model.config.iter().filter(|item| !item.is_reading());
            let names: Vec<String> = options.map(|item| item.name.clone()).collect();
            self.unknown_among("option", other, names.iter().map(String::as_str));
            return None;
        };
        let is_switch = |id: ConfigId| self.model.config[id.i()].ty.base == Base::Bool;
        let (message, help) = if found == id {
            ("an option cannot exclude itself", "name another option")
        } else if !is_switch(id) || !is_switch(found) {
            ("only options that are on or off exclude each other", "declare both of them as `Bool`")
        } else {
            return Some(found);
        };
        self.report(Diagnostic::error("law::type", message, other.span, "not this one").help(help));
        None
    }

    fn report_excluded(&mut self, what: &str, (a, b): (ConfigId, ConfigId), span: Span) {
        let [a, b] = [a, b].map(|id| &self.model.config[id.i()]);
        let message = format!("`{}` excludes `{}`, and {what}", a.name, b.name);
        let diagnostic = Diagnostic::error("law::excluded", message, span, "on as well")
            .and(a.span, "excluded here")
            .help("switch one of them off");
        self.report(diagnostic);
    }
}
