//! Links between members.

use super::{Parts, Read, Reader, Rule};
use crate::syntax::tree::{Chain, DeclKind};

impl Reader<'_> {
    pub(super) fn links(&self, mut parts: Parts) -> Read<DeclKind> {
        let name = self.need_word(&mut parts, Rule::low)?;
        let directed = parts.has(Rule::directed);
        let (body, rule) = if directed {
            (parts.need(Rule::directed)?, Rule::arrow_chain)
        } else {
            (parts.need(Rule::between)?, Rule::chain)
        };
        let mut body = self.parts(body);
        let chains = self.chains(&mut body, rule);
        let from = self.need_word(&mut body, Rule::cap)?;
        let to = match body.opt(Rule::cap) {
            Some(to) => self.word(&to),
            None => from.clone(),
        };
        let file = match body.opt(Rule::linked_in) {
            Some(file) => Some(self.label(self.parts(file).need(Rule::label)?)?),
            None => None,
        };
        Ok(DeclKind::Links { name, from, to, directed, cite: self.cites(&mut body), chains, file })
    }

    fn chains(&self, parts: &mut Parts, rule: Rule) -> Vec<Chain> {
        let one = |chain| {
            let mut chain = self.parts(chain);
            let groups = chain.all(Rule::group).into_iter();
            Chain { groups: groups.map(|g| self.words(&mut self.parts(g), Rule::cap)).collect(), span: chain.span }
        };
        parts.all(rule).into_iter().map(one).collect()
    }

    /// `links path also { A - B }`.
    pub(super) fn more_links(&self, mut parts: Parts) -> Read<DeclKind> {
        let p = &mut parts;
        let directed = p.has(Rule::arrow_chain);
        let chains = self.chains(p, if directed { Rule::arrow_chain } else { Rule::chain });
        Ok(DeclKind::MoreLinks {
            name: self.need_word(p, Rule::low)?,
            except: p.has(Rule::kw_except),
            directed,
            chains,
        })
    }
}
