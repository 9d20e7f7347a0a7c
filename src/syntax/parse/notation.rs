//! Notations of positions and of whole games.

use super::{Node, Parts, Read, Reader, Rule, broken, unquote};
use crate::syntax::tree::{
    Blank, EachPart, Expr, Notation, NotationPart, RowsPart, Transcript, Word, Written, WrittenPart,
};

impl Reader<'_> {
    /// `notation NAME "label" at PROCEDURE.STEP { ... }`.
    pub(super) fn notation(&self, p: &mut Parts) -> Read<Notation> {
        let mut path = self.parts(p.need(Rule::step_path)?);
        let part = |part| {
            let span = self.span(&part);
            let node = self.parts(part).first()?;
            match node.as_rule() {
                Rule::rows_part => Ok(NotationPart::Rows(self.rows_part(&mut self.parts(node))?)),
                Rule::each_part => Ok(NotationPart::Each(self.each_part(&mut self.parts(node))?)),
                Rule::written => Ok(NotationPart::Written(self.written(&mut self.parts(node))?)),
                _ => Err(broken(span)),
            }
        };
        Ok(Notation {
            name: self.need_word(p, Rule::low)?,
            label: self.opt_label(p)?,
            procedure: self.need_word(&mut path, Rule::low)?,
            step: self.need_word(&mut path, Rule::low)?,
            parts: p.all(Rule::notation_part).into_iter().map(part).collect::<Read<_>>()?,
        })
    }

    fn rows_part(&self, p: &mut Parts) -> Read<RowsPart> {
        let filter = p.opt(Rule::where_part).map(|w| self.expr(self.parts(w).need(Rule::expr)?)).transpose()?;
        let split = p.opt(Rule::split_part).map(|s| self.quoted(&mut self.parts(s))).transpose()?;
        Ok(RowsPart {
            var: self.need_word(p, Rule::low)?,
            kind: self.need_word(p, Rule::cap)?,
            filter,
            by: self.words(p, Rule::low),
            split,
            cell: self.written(&mut self.parts(p.need(Rule::cell_part)?))?,
        })
    }

    fn each_part(&self, p: &mut Parts) -> Read<EachPart> {
        let mut when = self.parts(p.need(Rule::when_mod)?);
        Ok(EachPart {
            var: self.need_word(p, Rule::low)?,
            kind: self.need_word(p, Rule::cap)?,
            when: self.expr(when.need(Rule::expr)?)?,
            written: self.written(&mut self.parts(p.need(Rule::written)?))?,
        })
    }

    fn written(&self, p: &mut Parts) -> Read<Written> {
        let ways = p.all(Rule::written_part).into_iter().map(|way| self.written_part(way));
        let ways = ways.collect::<Read<_>>()?;
        let blank = match (p.opt(Rule::blank_part), p.has(Rule::blank_counted)) {
            (Some(blank), _) => Some(Blank::Text(self.quoted(&mut self.parts(blank))?)),
            (None, true) => Some(Blank::Counted),
            (None, false) => None,
        };
        Ok(Written { ways, blank })
    }

    fn written_part(&self, node: Node) -> Read<WrittenPart> {
        let mut p = self.parts(node);
        let Some(of) = p.opt(Rule::postfix) else {
            return Ok(WrittenPart::Text(self.quoted(&mut p)?));
        };
        let code = |code| -> Read<(Expr, Word)> {
            let mut code = self.parts(code);
            Ok((self.expr(code.need(Rule::term)?)?, self.quoted(&mut code)?))
        };
        let codes = p.all(Rule::code).into_iter().map(code).collect::<Read<_>>()?;
        Ok(WrittenPart::Codes(self.expr(of)?, codes))
    }

    /// A text in quotes, with its place.
    fn quoted(&self, p: &mut Parts) -> Read<Word> {
        let node = p.need(Rule::text)?;
        Ok(Word { text: unquote(node.as_str()), span: self.span(&node) })
    }

    /// `transcript NAME "label" style NAME from NAME { SEAT "text" draw "text" }`.
    pub(super) fn transcript(&self, p: &mut Parts) -> Read<Transcript> {
        let mut named = |rule| p.opt(rule).map(|n| self.need_word(&mut self.parts(n), Rule::low)).transpose();
        let (style, from) = (named(Rule::in_style)?, named(Rule::from_notation)?);
        let result = |result| {
            let mut result = self.parts(result);
            let seat = result.opt(Rule::cap).map(|seat| self.word(&seat));
            Ok((seat, self.quoted(&mut result)?))
        };
        Ok(Transcript {
            name: self.need_word(p, Rule::low)?,
            label: self.opt_label(p)?,
            style,
            from,
            results: p.all(Rule::result_code).into_iter().map(result).collect::<Read<_>>()?,
        })
    }
}
