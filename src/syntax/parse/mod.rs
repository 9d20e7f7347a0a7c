//! From the pairs of the grammar to the tree.

mod clause;
mod decl;
mod expr;
mod links;
mod notation;
mod procedure;
mod stmt;

use std::collections::BTreeSet;
use std::sync::{Arc, Once};

use pest::Parser;
use pest::iterators::Pair;

use super::fault::{self, SyntaxFault};
use super::lookalike;
use super::split::{self, Piece};
use super::tree::{Expr, File, Label, Word};
use crate::span::Span;

pub(super) use grammar::Law;
pub use grammar::Rule;

/// What pest derives.
#[allow(missing_docs)]
pub(super) mod grammar {
    /// The parser of one declaration or one expression.
    #[derive(pest_derive::Parser)]
    #[grammar = "grammar/law.pest"]
    pub struct Law;
}

/// A bound on the work for one declaration: far above what the longest needs, and reached in about a second.
const CALLS: std::num::NonZeroUsize = std::num::NonZeroUsize::new(50_000_000).unwrap();

/// The maximum number of operators in one chain. A longer one would make a tree too deep for recursion.
const MAX_NAME_CHARACTERS: usize = 64;

/// The number of errors after which the rest of a file is not read.
const MAX_FAULTS: usize = 10_000;

/// What reading one node gives.
type Read<T> = Result<T, SyntaxFault>;

/// A file that was read, declaration by declaration.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// What could be read.
    pub tree: File,
    /// What could not.
    pub faults: Vec<SyntaxFault>,
    pieces: Vec<Known>,
}

/// A stretch of a file, as it was read.
#[derive(Clone, Debug)]
struct Known {
    base: u32,
    line: Option<usize>,
    text: String,
    /// Which declaration of the tree it is.
    found: Result<usize, SyntaxFault>,
}

impl Known {
    /// Where it stands, and its text.
    fn written(&self) -> (u32, Option<usize>, &str) {
        (self.base, self.line, &self.text)
    }
}

impl Parsed {
    /// Whether the declarations of both that could be read are the same, in the same places.
    #[must_use]
    pub fn has_same_declarations(&self, other: &Parsed) -> bool {
        self.read().map(Known::written).eq(other.read().map(Known::written))
    }

    fn read(&self) -> impl Iterator<Item = &Known> {
        self.pieces.iter().filter(|known| known.found.is_ok())
    }
}

/// Reads a file. Each declaration is read on its own: those that could not be read are missing from the tree, and
/// there is one fault for each of them.
#[must_use]
pub fn parse(file: u32, text: &str) -> (File, Vec<SyntaxFault>) {
    let Parsed { tree, faults, .. } = parse_again(file, text, &Parsed::default());
    (tree, faults)
}

/// The same for a file that was read before: only declarations that have changed since, or moved, are read again.
#[must_use]
pub fn parse_again(file: u32, text: &str, before: &Parsed) -> Parsed {
    bound();
    let (pieces, mut faults) = split::split(file, text);
    let mut tree = File::default();
    let mut known = Vec::with_capacity(pieces.len());
    for (i, piece) in pieces.iter().enumerate() {
        let decl = match before
            .pieces
            .get(i)
            .filter(|k| k.written() == (piece.base, piece.line, piece.text))
            .map(|k| &k.found)
        {
            Some(Ok(at)) => before.tree.decls.get(*at).cloned().ok_or_else(|| broken(piece.whole())),
            Some(Err(fault)) => Err(fault.clone()),
            None => declaration(piece).map(Arc::new),
        };
        let found = match decl {
            Ok(decl) => {
                tree.decls.push(decl);
                Ok(tree.decls.len() - 1)
            }
            Err(fault) => {
                faults.push(fault.clone());
                Err(fault)
            }
        };
        known.push(Known { base: piece.base, line: piece.line, text: piece.text.to_owned(), found });
        if faults.len() >= MAX_FAULTS {
            let message = format!("{MAX_FAULTS} errors in one file: the rest is not read");
            faults.push(SyntaxFault::new(piece.whole(), message, "up to here", Some("fix these first")));
            break;
        }
    }
    faults.sort_by_key(|fault| fault.span);
    mark_following(text, &mut faults);
    Parsed { tree, faults, pieces: known }
}

/// Marks the faults about a word that an earlier one says cannot be a name.
fn mark_following(text: &str, faults: &mut [SyntaxFault]) {
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for fault in faults {
        let word = text.get(fault.span.start as usize..fault.span.end as usize).unwrap_or("");
        fault.follows = told.contains(word);
        if fault.label == fault::NO_NAME {
            told.insert(word);
        }
    }
}

/// Reads a text that must be one expression; its spans are those of `file` from `offset` on.
///
/// # Errors
///
/// The error, if it is not an expression.
pub fn parse_expr(file: u32, offset: u32, text: &str) -> Result<Expr, SyntaxFault> {
    bound();
    let piece = Piece { file, base: offset, line: None, text };
    split::visible(&piece)?;
    lookalike::ascii(&piece)?;
    split::survey(&piece)?;
    match grammar::Law::parse(Rule::expr_entry, text) {
        Ok(mut pairs) => {
            let reader = Reader { piece };
            let entry = pairs.next().ok_or_else(|| broken(piece.whole()))?;
            let mut parts = reader.parts(entry);
            reader.expr(parts.need(Rule::expr)?)
        }
        Err(error) => Err(fault::translate(&piece, &error)),
    }
}

/// pest keeps its bound for the whole process, so it is set once, to a constant.
pub(super) fn bound() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| pest::set_call_limit(Some(CALLS)));
}

/// All words that have a meaning of their own somewhere, in the order of the alphabet.
#[must_use]
pub fn keywords() -> Vec<String> {
    let name = |rule: &Rule| format!("{rule:?}").strip_prefix("kw_").map(str::to_owned);
    let mut words: Vec<String> = Rule::all_rules().iter().filter_map(name).collect();
    words.extend(["true", "false", "none"].map(str::to_owned));
    words.sort();
    words
}

/// What is checked before a declaration is parsed.
pub(super) fn survey(piece: &Piece) -> Result<(), SyntaxFault> {
    split::visible(piece)?;
    lookalike::ascii(piece)?;
    fault::beginning(piece)?;
    split::survey(piece)
}

fn declaration(piece: &Piece) -> Read<super::tree::Decl> {
    survey(piece)?;
    match grammar::Law::parse(Rule::decl_entry, piece.text) {
        Ok(mut pairs) => {
            let reader = Reader { piece: *piece };
            let entry = pairs.next().ok_or_else(|| broken(piece.whole()))?;
            let node = entry.into_inner().next().ok_or_else(|| broken(piece.whole()))?;
            reader.decl(node)
        }
        Err(error) => Err(fault::translate(piece, &error)),
    }
}

/// The grammar gave other parts than expected: an internal error, reported rather than panicking.
pub(super) fn broken(span: Span) -> SyntaxFault {
    SyntaxFault::new(span, "this cannot be read", "here", None)
}

/// A node of pest's.
type Node<'a> = Pair<'a, Rule>;

/// The parts of a node, taken out by rule. Parts of one rule keep their order.
struct Parts<'a> {
    nodes: Vec<Node<'a>>,
    span: Span,
}

impl<'a> Parts<'a> {
    /// The first part of that rule, if there is one.
    fn opt(&mut self, rule: Rule) -> Option<Node<'a>> {
        let at = self.nodes.iter().position(|n| n.as_rule() == rule)?;
        Some(self.nodes.remove(at))
    }

    /// The first part of that rule.
    fn need(&mut self, rule: Rule) -> Read<Node<'a>> {
        self.opt(rule).ok_or_else(|| broken(self.span))
    }

    /// All parts of that rule.
    fn all(&mut self, rule: Rule) -> Vec<Node<'a>> {
        let (taken, kept) = std::mem::take(&mut self.nodes).into_iter().partition(|n| n.as_rule() == rule);
        self.nodes = kept;
        taken
    }

    /// Is there a part of that rule?
    fn has(&self, rule: Rule) -> bool {
        self.nodes.iter().any(|n| n.as_rule() == rule)
    }

    /// The first part of any rule.
    fn first(self) -> Read<Node<'a>> {
        let span = self.span;
        self.nodes.into_iter().next().ok_or_else(|| broken(span))
    }
}

/// Reads the nodes of one piece.
struct Reader<'p> {
    piece: Piece<'p>,
}

impl Reader<'_> {
    fn span(&self, node: &Node) -> Span {
        let span = node.as_span();
        self.piece.span(span.start(), span.end())
    }

    fn parts<'a>(&self, node: Node<'a>) -> Parts<'a> {
        Parts { span: self.span(&node), nodes: node.into_inner().collect() }
    }

    fn word(&self, node: &Node) -> Word {
        Word { text: node.as_str().to_owned(), span: self.span(node) }
    }

    /// The words among the parts, capital or small.
    fn names(&self, parts: &mut Parts) -> Vec<Word> {
        let nodes = std::mem::take(&mut parts.nodes);
        nodes
            .iter()
            .filter(|n| matches!(n.as_rule(), Rule::cap | Rule::low | Rule::any_word))
            .map(|n| self.word(n))
            .collect()
    }

    fn need_word(&self, parts: &mut Parts, rule: Rule) -> Read<Word> {
        Ok(self.word(&parts.need(rule)?))
    }

    fn words(&self, parts: &mut Parts, rule: Rule) -> Vec<Word> {
        parts.all(rule).iter().map(|n| self.word(n)).collect()
    }

    fn label(&self, node: Node) -> Read<Label> {
        let mut parts = self.parts(node);
        let text = unquote(parts.need(Rule::text)?.as_str());
        let mut translations = Vec::new();
        for one in parts.all(Rule::translation) {
            let mut one = self.parts(one);
            let lang = one.need(Rule::lang)?.as_str().to_owned();
            translations.push((lang, unquote(one.need(Rule::text)?.as_str())));
        }
        Ok(Label { text, translations, span: parts.span })
    }

    /// A notation with its styles, each as one more translation: `+uci`, `ja+uci`.
    fn log(&self, node: Node) -> Read<Label> {
        let mut parts = self.parts(node);
        let mut log = self.label(parts.need(Rule::label)?)?;
        for style in parts.all(Rule::style) {
            let mut style = self.parts(style);
            let name = self.need_word(&mut style, Rule::low)?;
            let own = self.label(style.need(Rule::label)?)?;
            let texts = std::iter::once((String::new(), own.text)).chain(own.translations);
            for (lang, text) in texts {
                let tag = format!("{lang}+{}", name.text);
                if log.translations.iter().any(|(known, _)| *known == tag) {
                    let help = Some("leave one of them");
                    let message = format!("the style `{}` stands twice", name.text);
                    return Err(SyntaxFault::new(name.span, message, "again", help));
                }
                log.translations.push((tag, text));
            }
        }
        Ok(log)
    }

    fn opt_label(&self, parts: &mut Parts) -> Read<Option<Label>> {
        parts.opt(Rule::label).map(|n| self.label(n)).transpose()
    }

    fn labels(&self, parts: &mut Parts) -> Read<Vec<Label>> {
        parts.all(Rule::label).into_iter().map(|n| self.label(n)).collect()
    }

    /// The words of a `cite_list`.
    fn cite_list(&self, node: Node) -> Vec<Word> {
        let mut parts = self.parts(node);
        self.words(&mut parts, Rule::cite_id)
    }

    /// All that is cited by the parts.
    fn cites(&self, parts: &mut Parts) -> Vec<Word> {
        let mut all = Vec::new();
        for node in parts.all(Rule::cites) {
            for list in self.parts(node).all(Rule::cite_list) {
                all.extend(self.cite_list(list));
            }
        }
        all
    }

    fn int(&self, node: &Node) -> Read<i64> {
        node.as_str()
            .parse()
            .map_err(|_| SyntaxFault::new(self.span(node), "this number is too large", "beyond 64 bits", None))
    }
}

/// Sets something that may be given only once.
fn once<T>(slot: &mut Option<T>, value: T, span: Span, what: &str) -> Read<()> {
    if slot.is_some() {
        return Err(SyntaxFault::new(
            span,
            format!("{what} is given twice"),
            "the second time",
            Some("remove one of them"),
        ));
    }
    *slot = Some(value);
    Ok(())
}

/// A text without its quotes and escapes.
fn unquote(quoted: &str) -> String {
    let inner = quoted.strip_prefix('"').unwrap_or(quoted);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some(other) => out.push(other),
                None => {}
            },
            _ => out.push(c),
        }
    }
    out
}
