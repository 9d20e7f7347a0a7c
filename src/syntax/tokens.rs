//! The words and signs of a file as they stand in it, for whoever shows rules.

use std::ops::Range;

use pest::Parser;

use super::parse::{Law, Rule};
use super::split;

/// What a word or sign is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A comment.
    Comment,
    /// A keyword.
    Keyword,
    /// A name with a capital: a member, a kind, an ability.
    Name,
    /// Any other name.
    Word,
    /// The name of what is called with arguments, or of what a clause is about.
    Subject,
    /// A text in quotes.
    Text,
    /// A number.
    Number,
    /// An id of the register.
    Cite,
    /// A sign or a bracket.
    Sign,
}

/// A word or sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub sort: Sort,
    /// Where it stands in the file, in bytes.
    pub at: Range<usize>,
}

/// The words, signs and comments of a file in order. Declarations that cannot be read have none.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found = comments(text);
    for piece in split::split(0, text).0 {
        let base = piece.base as usize;
        let Ok(pairs) = Law::parse(Rule::decl_entry, piece.text) else { continue };
        let mut before = Before::default();
        for pair in pairs.flatten() {
            let (rule, span) = (pair.as_rule(), pair.as_span());
            if matches!(rule, Rule::head | Rule::hook_path) {
                before.head = Some(span.start());
            }
            if span.start() == span.end() || pair.into_inner().next().is_some() {
                continue;
            }
            let sort = match sort(rule) {
                Sort::Word if before.a_subject(span.start()) => Sort::Subject,
                sort => sort,
            };
            before.pass(rule, sort);
            found.push(Token { sort, at: base + span.start()..base + span.end() });
        }
    }
    found.sort_by_key(|token| (token.at.start, token.at.end));
    found
}

/// What stands before a word of a declaration.
#[derive(Default)]
struct Before {
    /// Where the head of a clause began last.
    head: Option<usize>,
    /// The last two words or signs, the last one first.
    last: [Option<Rule>; 2],
    /// Whether the last word was a subject, or the comma after one.
    subject: bool,
}

impl Before {
    /// Whether a plain word that begins here is what a clause or declaration is about.
    fn a_subject(&self, at: usize) -> bool {
        const NAMING: [Rule; 8] = [
            Rule::kw_may,
            Rule::kw_must,
            Rule::kw_among,
            Rule::kw_define,
            Rule::kw_action,
            Rule::kw_procedure,
            Rule::kw_reading,
            Rule::kw_option,
        ];
        let [last, earlier] = self.last;
        self.head == Some(at)
            || last.is_some_and(|last| NAMING.contains(&last))
            || last == Some(Rule::kw_not) && earlier == Some(Rule::kw_may)
            || last == Some(Rule::comma) && self.subject
    }

    fn pass(&mut self, rule: Rule, sort: Sort) {
        self.subject = sort == Sort::Subject || self.subject && rule == Rule::comma;
        self.last = [Some(rule), self.last[0]];
    }
}

/// The declarations of a file: from the first byte of each to its last.
#[must_use]
pub fn declarations(text: &str) -> Vec<Range<usize>> {
    let range = |piece: split::Piece| piece.base as usize..piece.base as usize + piece.text.len();
    split::split(0, text).0.into_iter().map(range).collect()
}

fn comments(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let whole = line.trim_end().len();
        let content = split::without_comment(line).len();
        if content < whole {
            found.push(Token { sort: Sort::Comment, at: start + content..start + whole });
        }
        start += line.len();
    }
    found
}

fn sort(rule: Rule) -> Sort {
    match rule {
        Rule::cap => Sort::Name,
        Rule::low | Rule::any_word | Rule::lang => Sort::Word,
        Rule::callee => Sort::Subject,
        Rule::text => Sort::Text,
        Rule::number | Rule::int => Sort::Number,
        Rule::cite_id => Sort::Cite,
        Rule::bool_lit | Rule::none_lit => Sort::Keyword,
        rule if format!("{rule:?}").starts_with("kw_") => Sort::Keyword,
        _ => Sort::Sign,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(text: &str) -> Vec<(Sort, &str)> {
        tokens(text).into_iter().map(|t| (t.sort, &text[t.at])).collect()
    }

    #[test]
    fn words_are_what_they_are_where_they_stand() {
        let text = "// All of it.\ninstead strength(Sam) = 5 \"a // b\" // here\n  cite char.sam.2\n";
        assert_eq!(
            sorted(text),
            [
                (Sort::Comment, "// All of it."),
                (Sort::Keyword, "instead"),
                (Sort::Subject, "strength"),
                (Sort::Sign, "("),
                (Sort::Name, "Sam"),
                (Sort::Sign, ")"),
                (Sort::Sign, "="),
                (Sort::Number, "5"),
                (Sort::Text, "\"a // b\""),
                (Sort::Comment, "// here"),
                (Sort::Keyword, "cite"),
                (Sort::Cite, "char.sam.2"),
            ]
        );
    }

    #[test]
    fn clauses_and_declarations_name_their_subjects() {
        let subjects = |text| {
            let found = sorted(text).into_iter().filter(|(s, _)| *s == Sort::Subject).map(|(_, t)| t);
            found.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(subjects("may not move, retreat \"no\" when to in near(c.at)"), "move retreat near");
        assert_eq!(subjects("define rows(c: Cell) -> Int = other"), "rows");
        assert_eq!(
            subjects("at battle.powers { Good may choose an action among move, retreat }"),
            "battle move retreat"
        );
    }

    #[test]
    fn a_declaration_that_cannot_be_read_has_only_its_comments() {
        assert_eq!(
            sorted("may not // why\nnote a.1\n"),
            [(Sort::Comment, "// why"), (Sort::Keyword, "note"), (Sort::Cite, "a.1")]
        );
    }

    #[test]
    fn declarations_are_found() {
        let text = "// first\ngame x\n\nplayers A,\n  B // two\n}\n";
        let found: Vec<&str> = declarations(text).into_iter().map(|at| &text[at]).collect();
        assert_eq!(found, ["game x", "players A,\n  B // two\n}"]);
    }
}
