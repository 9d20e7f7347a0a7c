//! From the parts of a declaration to text whose lines are not decided yet.
//!
//! A *sentence* is a declaration, a clause, a statement or another item of a block. It breaks first at its *seams*:
//! before `=`, `where`, `log`, `cite`, `when` and the like. A line that the author has broken at a seam stays broken
//! there; within an expression or a list, only where it does not fit on one line.

use super::doc::{Between, Doc};
use super::joint::{Joint, has_block, has_block_after, is_expression, is_only, is_open, is_whole, joint};
use crate::syntax::written::{Gap, Node, Rule, Written};

/// A part of a sentence.
struct Item {
    /// Its first token.
    token: usize,
    doc: Doc,
    joint: Joint,
}

/// Builds docs from the parts of a file.
pub(super) struct Builder<'w, 't> {
    pub written: &'w Written<'t>,
}

impl<'t> Builder<'_, 't> {
    /// What stands before a token.
    fn gap(&self, token: usize) -> Gap<'t> {
        let tokens = &self.written.tokens;
        let (Some(at), Some(before)) = (tokens.get(token), token.checked_sub(1).and_then(|b| tokens.get(b))) else {
            return Gap::default();
        };
        Gap::new(self.written.text.get(before.end..at.start).unwrap_or(""))
    }

    /// What stands before a token: comments, else what is given.
    fn before(&self, token: usize, otherwise: Between) -> Between {
        let gap = self.gap(token);
        if gap.comments.is_empty() {
            return otherwise;
        }
        let mut docs = remarks(&gap, false);
        docs.push(Doc::Line { blank: false });
        // A line that begins at the margin would begin a declaration.
        Between::Fixed(Doc::All(docs).nest())
    }

    fn fixed(&self, token: usize, text: &str) -> Doc {
        match self.before(token, Between::Fixed(Doc::text(text))) {
            Between::Fixed(doc) => doc,
            Between::Soft { .. } | Between::Seam => Doc::none(),
        }
    }

    fn word(&self, node: &Node) -> Doc {
        Doc::text(self.written.word(node.tokens.start))
    }

    /// The text of a part that the grammar allows no white space in.
    fn whole(&self, node: &Node) -> Doc {
        Doc::text(node.tokens.clone().map(|t| self.written.word(t)).collect::<String>())
    }

    /// A sentence.
    pub fn sentence(&self, node: &Node) -> Doc {
        self.padded(node, None)
    }

    /// A sentence whose first word takes so many columns.
    fn padded(&self, node: &Node, columns: Option<usize>) -> Doc {
        let mut items = Vec::new();
        self.parts(node, &mut items);
        if let (Some(columns), Some(Item { doc: Doc::Text(word), .. })) = (columns, items.first_mut()) {
            *word = format!("{word:columns$}");
        }
        self.join(items)
    }

    /// Puts the parts of a sentence together.
    fn join(&self, items: Vec<Item>) -> Doc {
        let mut docs = Vec::new();
        let mut head = Head::default();
        for (at, item) in items.into_iter().enumerate() {
            match item.joint {
                Joint::Block => {
                    docs.push(head.take());
                    if at > 0 {
                        docs.push(self.fixed(item.token, " "));
                    }
                    docs.push(item.doc);
                }
                _ if at == 0 => head.first(item.doc),
                Joint::Seam => {
                    let author = self.author_breaks(item.token);
                    let between = match author {
                        true => Between::Fixed(Doc::Line { blank: false }.nest()),
                        false => Between::Seam,
                    };
                    match self.before(item.token, between) {
                        Between::Fixed(line) => head.part(Between::Fixed(line), item.doc, true),
                        between => head.part(between, item.doc, false),
                    }
                }
                joint => {
                    let between = match joint {
                        Joint::Soft => {
                            let author = self.gap(item.token).breaks();
                            Between::Soft { flat: " ", author, nest: true }
                        }
                        Joint::Tight => nothing(),
                        _ => Between::Fixed(Doc::text(" ")),
                    };
                    if head.is_empty() {
                        docs.push(self.fixed(item.token, if joint == Joint::Tight { "" } else { " " }));
                        head.first(item.doc);
                    } else {
                        head.word(self.before(item.token, between), item.doc);
                    }
                }
            }
        }
        docs.push(head.take());
        Doc::All(docs)
    }

    /// Whether the author began a new line before this token; before `=`, also after it.
    fn author_breaks(&self, token: usize) -> bool {
        let is_equals = self.written.tokens.get(token).is_some_and(|t| t.rule == Rule::eq);
        self.gap(token).breaks() || is_equals && self.gap(token + 1).breaks()
    }

    /// The parts of a node, as parts of the sentence that it belongs to.
    fn parts(&self, node: &Node, out: &mut Vec<Item>) {
        if node.is_token() {
            out.push(Item { token: node.tokens.start, doc: self.word(node), joint: Joint::Space });
            return;
        }
        if is_expression(node.rule) {
            out.push(Item { token: node.tokens.start, doc: self.expression(node, false), joint: Joint::Space });
            return;
        }
        if is_whole(node.rule) {
            out.push(Item { token: node.tokens.start, doc: self.whole(node), joint: Joint::Space });
            return;
        }
        let mut parts = node.parts.iter().peekable();
        let mut before: Option<&Node> = None;
        while let Some(part) = parts.next() {
            let at = out.len();
            if part.rule == Rule::lbrace {
                let mut inner = Vec::new();
                while let Some(next) = parts.next_if(|n| n.rule != Rule::rbrace) {
                    inner.push(next);
                }
                let close = parts.next();
                let doc = self.block(node.rule, part, &inner, close);
                out.push(Item { token: part.tokens.start, doc, joint: Joint::Block });
            } else {
                self.parts(part, out);
                if matches!(part.rule, Rule::named | Rule::shown) {
                    // What somebody is called stays beside the name.
                    let inner = out.iter_mut().skip(at).filter(|i| i.joint == Joint::Soft);
                    inner.for_each(|i| i.joint = Joint::Space);
                }
            }
            let joint = joint(node, before, part);
            if let Some(item) = out.get_mut(at)
                && item.joint != Joint::Block
                && (joint != Joint::Space || item.joint == Joint::Space)
            {
                item.joint = if item.joint == Joint::Seam { Joint::Seam } else { joint };
            }
            if is_expression(part.rule)
                && let Some(item) = out.get_mut(at)
                && !is_only(part, Rule::match_expr)
            {
                let doc = std::mem::replace(&mut item.doc, Doc::none()).nest();
                item.doc = if has_block_after(node) { doc.nest() } else { doc };
            }
            before = Some(part);
        }
    }

    /// A block in braces: its items stand on one line if the author wrote them so and they fit.
    fn block(&self, of: Rule, open: &Node, items: &[&Node], close: Option<&Node>) -> Doc {
        let close = close.map_or(open.tokens.end, |c| c.tokens.start);
        let gaps: Vec<Gap> = items.iter().map(|i| self.gap(i.tokens.start)).chain([self.gap(close)]).collect();
        if items.is_empty() {
            return match self.gap(close).comments.is_empty() {
                true => Doc::text("{ }"),
                false => Doc::All(vec![Doc::text("{"), self.end(close), Doc::text("}")]),
            };
        }
        let columns = (of == Rule::reading).then(|| self.widest(items));
        let docs: Vec<Doc> = items.iter().map(|item| self.padded(item, columns)).collect();
        let broken = of == Rule::reading || gaps.iter().any(Gap::breaks);
        let several = |item: &Node| !matches!(item.rule, Rule::field | Rule::setting | Rule::arm | Rule::match_else);
        if !broken {
            let lines = items.iter().any(|item| several(item));
            let inner = match lines {
                true => {
                    let mut all = Vec::new();
                    for doc in docs {
                        all.push(Doc::Break { flat: if all.is_empty() { " " } else { "  " } });
                        all.push(doc);
                    }
                    Doc::All(all)
                }
                false => {
                    let soft = || Between::Soft { flat: "  ", author: false, nest: false };
                    let fill = docs.into_iter().enumerate();
                    let fill = fill.map(|(at, doc)| (if at == 0 { nothing() } else { soft() }, doc));
                    Doc::All(vec![Doc::Break { flat: " " }, Doc::Fill(fill.collect())])
                }
            };
            return Doc::All(vec![Doc::text("{"), inner.nest(), Doc::Break { flat: " " }, Doc::text("}")]).group();
        }
        let mut fill = Vec::new();
        let mut before: Option<&Node> = None;
        for ((item, doc), gap) in items.iter().zip(docs).zip(&gaps) {
            let alone = |node: &Node| has_block(node) || of == Rule::reading;
            let joined = before.is_some_and(|b| !alone(b)) && !alone(item) && !gap.breaks();
            let between = match joined {
                true => Between::Soft { flat: "  ", author: false, nest: false },
                false => {
                    let inside = before.is_some();
                    let mut docs = remarks(gap, inside);
                    docs.push(Doc::Line { blank: gap.lines > 1 && (inside || !gap.comments.is_empty()) });
                    Between::Fixed(Doc::All(docs))
                }
            };
            fill.push((between, doc));
            before = Some(item);
        }
        Doc::All(vec![Doc::text("{"), Doc::Fill(fill).nest(), self.end(close), Doc::text("}")])
    }

    /// The comments before a closing brace, and the end of their line.
    fn end(&self, close: usize) -> Doc {
        Doc::All(vec![Doc::All(remarks(&self.gap(close), true)).nest(), Doc::Line { blank: false }])
    }

    /// The columns of the longest first word of some items.
    fn widest(&self, items: &[&Node]) -> usize {
        items.iter().map(|item| self.written.word(item.tokens.start).len()).max().unwrap_or(0)
    }

    /// An expression. `inner` says whether it is an operand of one that can be broken by itself.
    fn expression(&self, node: &Node, inner: bool) -> Doc {
        if node.is_token() {
            return self.word(node);
        }
        match (node.rule, node.parts.as_slice()) {
            (_, [only]) => self.expression(only, inner),
            (Rule::postfix | Rule::term | Rule::set | Rule::bounds, parts) => {
                let mut docs = Vec::new();
                for part in parts {
                    if !docs.is_empty() {
                        docs.push(self.fixed(part.tokens.start, ""));
                    }
                    docs.push(self.expression(part, inner));
                }
                Doc::All(docs)
            }
            (Rule::field_access, _) => self.whole(node),
            (Rule::match_expr, _) => {
                let mut items = Vec::new();
                self.parts_of(node, &mut items);
                self.join(items)
            }
            (Rule::expr | Rule::sum, parts) => {
                let nest = inner && node.rule == Rule::sum;
                let added = |sign: &Node| matches!(self.written.word(sign.tokens.start), "+" | "-");
                let adds = parts.iter().any(|p| p.rule == Rule::arith_op && added(p));
                let mut fill: Vec<(Between, Doc)> = Vec::new();
                let mut parts = parts.iter();
                if let Some(first) = parts.next() {
                    fill.push((nothing(), self.expression(first, true)));
                }
                while let (Some(sign), Some(operand)) = (parts.next(), parts.next()) {
                    let author = self.gap(sign.tokens.start).breaks() || self.gap(operand.tokens.start).breaks();
                    let between = self.before(sign.tokens.start, Between::Soft { flat: " ", author, nest });
                    let between = match between {
                        Between::Soft { .. } if adds && !added(sign) => Between::Fixed(Doc::text(" ")),
                        between => between,
                    };
                    let doc = vec![
                        self.expression(sign, true),
                        self.fixed(operand.tokens.start, " "),
                        self.expression(operand, true),
                    ];
                    append(&mut fill, between, Doc::All(doc));
                }
                Doc::Fill(fill).group()
            }
            _ => self.bracketed(node),
        }
    }

    /// An expression in brackets, or with words before its parts.
    fn bracketed(&self, node: &Node) -> Doc {
        let open = |n: &Node| matches!(n.rule, Rule::lparen | Rule::lbracket | Rule::lbrace);
        let close = |n: &Node| matches!(n.rule, Rule::rparen | Rule::rbracket | Rule::rbrace);
        let (Some(from), Some(to)) = (node.parts.iter().position(open), node.parts.iter().rposition(close)) else {
            let mut items = Vec::new();
            self.parts_of(node, &mut items);
            return self.fill(items, false).group();
        };
        let (before, rest) = node.parts.split_at(from);
        let (inside, after) = rest.split_at(to.saturating_sub(from));
        let (Some((open, inside)), Some((close, _))) = (inside.split_first(), after.split_first()) else {
            return self.whole(node);
        };
        let mut items = Vec::new();
        for part in before {
            items.push(Item { token: part.tokens.start, doc: self.expression(part, true), joint: Joint::Space });
        }
        let mut docs = vec![self.fill(items, false)];
        if let Some(last) = before.last() {
            let tight = matches!(last.rule, Rule::callee | Rule::kw_reach);
            docs.push(self.fixed(open.tokens.start, if tight { "" } else { " " }));
        }
        docs.push(self.word(open));
        let padding = if open.rule == Rule::lbrace && !inside.is_empty() { " " } else { "" };
        let mut items = Vec::new();
        let mut last: Option<&Node> = None;
        for part in inside {
            let at = items.len();
            self.inside(part, &mut items);
            if let (Some(item), Some(_)) = (items.get_mut(at), last) {
                item.joint = joint(node, last, part);
            }
            last = Some(part);
        }
        if let Some(first) = inside.first() {
            let doc = vec![self.fixed(first.tokens.start, padding), self.fill(items, false)];
            docs.push(Doc::All(doc).nest());
        }
        docs.push(self.fixed(close.tokens.start, padding));
        docs.push(self.word(close));
        Doc::All(docs).group()
    }

    /// The parts of an expression, of its binder and of what stands in its brackets.
    fn inside(&self, node: &Node, out: &mut Vec<Item>) {
        if is_open(node.rule) {
            self.parts_of(node, out);
        } else {
            out.push(Item { token: node.tokens.start, doc: self.expression(node, true), joint: Joint::Space });
        }
    }

    fn parts_of(&self, node: &Node, out: &mut Vec<Item>) {
        if node.rule == Rule::match_expr {
            return self.match_parts(node, out);
        }
        let mut before = None;
        for part in &node.parts {
            let at = out.len();
            self.inside(part, out);
            if let (Some(item), Some(_)) = (out.get_mut(at), before) {
                item.joint = match joint(node, before, part) {
                    Joint::Seam => Joint::Soft,
                    joint => joint,
                };
            }
            let under = matches!(node.rule, Rule::where_part | Rule::quant)
                || node.rule == Rule::if_expr && !is_only(part, Rule::if_expr);
            if under
                && part.rule == Rule::expr
                && let Some(item) = out.get_mut(at)
            {
                item.doc = std::mem::replace(&mut item.doc, Doc::none()).nest();
            }
            before = Some(part);
        }
    }

    fn match_parts(&self, node: &Node, out: &mut Vec<Item>) {
        let mut parts = node.parts.iter();
        let mut head = Vec::new();
        let mut open = None;
        for part in parts.by_ref() {
            if part.rule == Rule::lbrace {
                open = Some(part);
                break;
            }
            head.push(part);
        }
        for part in head {
            out.push(Item { token: part.tokens.start, doc: self.expression(part, true), joint: Joint::Space });
        }
        let inner: Vec<&Node> = parts.collect();
        if let (Some(open), Some((close, inner))) = (open, inner.split_last()) {
            let doc = self.block(node.rule, open, inner, Some(close));
            out.push(Item { token: open.tokens.start, doc, joint: Joint::Block });
        }
    }

    /// Items in a row, with line breaks where they do not fit.
    fn fill(&self, items: Vec<Item>, nest: bool) -> Doc {
        let mut fill: Vec<(Between, Doc)> = Vec::new();
        let mut block = Vec::new();
        for item in items {
            if item.joint == Joint::Block {
                block.push(self.fixed(item.token, " "));
                block.push(item.doc);
                continue;
            }
            let between = match item.joint {
                _ if fill.is_empty() => nothing(),
                Joint::Soft | Joint::Seam => {
                    let author = self.gap(item.token).breaks();
                    self.before(item.token, Between::Soft { flat: " ", author, nest })
                }
                Joint::Tight => Between::Fixed(self.fixed(item.token, "")),
                _ => Between::Fixed(self.fixed(item.token, " ")),
            };
            append(&mut fill, between, item.doc);
        }
        block.insert(0, Doc::Fill(fill));
        Doc::All(block)
    }
}

/// The head of a sentence: parts that are broken at their seams, and each of them within where it does not fit.
#[derive(Default)]
struct Head {
    parts: Vec<HeadPart>,
}

/// A part of a head, from one seam to the next.
struct HeadPart {
    between: Between,
    /// Pieces that are broken apart where they do not fit.
    pieces: Vec<(Between, Doc)>,
    /// Whether it begins a line by itself.
    nested: bool,
}

impl Head {
    fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    fn first(&mut self, doc: Doc) {
        self.part(nothing(), doc, false);
    }

    fn part(&mut self, between: Between, doc: Doc, nested: bool) {
        self.parts.push(HeadPart { between, pieces: vec![(nothing(), doc)], nested });
    }

    fn word(&mut self, between: Between, doc: Doc) {
        let Some(part) = self.parts.last_mut() else { return self.first(doc) };
        append(&mut part.pieces, between, doc);
    }

    fn take(&mut self) -> Doc {
        let parts = std::mem::take(&mut self.parts).into_iter().map(|part| {
            let doc = Doc::Fill(part.pieces).group();
            (part.between, if part.nested { doc.nest() } else { doc })
        });
        Doc::Fill(parts.collect())
    }
}

/// Nothing before an item.
fn nothing() -> Between {
    Between::Fixed(Doc::none())
}

/// Adds an item to a filled list; what cannot be broken off goes to the item before it.
fn append(fill: &mut Vec<(Between, Doc)>, between: Between, doc: Doc) {
    match (between, fill.last_mut()) {
        (Between::Fixed(before), Some((_, last))) => {
            *last = Doc::All(vec![std::mem::replace(last, Doc::none()), before, doc]);
        }
        (between, _) => fill.push((between, doc)),
    }
}

/// The comments of a gap, each with the end of the line before it. An empty line is kept, before the first comment only
/// if `inside` a block.
fn remarks(gap: &Gap, inside: bool) -> Vec<Doc> {
    let mut docs = Vec::new();
    for (at, comment) in gap.comments.iter().enumerate() {
        match comment.lines {
            0 => docs.push(Doc::text(format!(" {}", comment.text))),
            lines => {
                docs.push(Doc::Line { blank: lines > 1 && (inside || at > 0) });
                docs.push(Doc::text(comment.text));
            }
        }
    }
    docs
}
