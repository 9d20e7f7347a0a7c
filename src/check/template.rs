//! Notations: texts with expressions in braces.

use super::Checker;
use super::scope::Scope;
use crate::check::Diagnostic;
use crate::model::{Template, TemplatePart};
use crate::span::Span;
use crate::syntax::tree;

impl Checker {
    /// A notation: texts with expressions in braces.
    pub(super) fn template(&mut self, label: &tree::Label, sc: &mut Scope) -> Template {
        let parts = self.template_parts(&label.text, label.span, sc);
        let translations =
            label.translations.iter().map(|(l, t)| (l.clone(), self.template_parts(t, label.span, sc))).collect();
        Template { parts, translations }
    }

    pub(super) fn template_parts(&mut self, text: &str, span: Span, sc: &mut Scope) -> Vec<TemplatePart> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let Some(close) = rest[open..].find('}').map(|c| open + c) else {
                self.report(
                    Diagnostic::error("law::syntax", "a brace is not closed in this text", span, "in here")
                        .help("write `{expression}`"),
                );
                return parts;
            };
            if open > 0 {
                parts.push(TemplatePart::Text(rest[..open].to_string()));
            }
            let inner = &rest[open + 1..close];
            // The place of the expression in the file: a text may have translations and escapes.
            let shown = self.model.sources.text(span).find(&rest[open..=close]).map(|at| at as u32 + 1);
            let offset = span.start + shown.unwrap_or(1);
            match crate::syntax::parse_expr(span.file, offset, inner) {
                Ok(tree) => parts.extend(self.expr(&tree, sc).map(TemplatePart::Value)),
                Err(f) => {
                    let at = if shown.is_some() { f.span } else { span };
                    let label = f.label.replace("the declaration ends", "the expression ends");
                    let mut d = Diagnostic::error("law::syntax", f.message, at, label);
                    d.help = f.help.or_else(|| Some("write one expression between the braces".into()));
                    self.report(d);
                }
            }
            rest = &rest[close + 1..];
        }
        if !rest.is_empty() {
            parts.push(TemplatePart::Text(rest.to_string()));
        }
        parts
    }
}
