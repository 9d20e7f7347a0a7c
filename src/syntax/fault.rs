//! Syntax errors, in the words of a reader.

use pest::error::{Error, ErrorVariant, InputLocation};

use super::colon::colon_before_block;
use super::parse::Rule;
use super::split::Piece;
use crate::span::Span;
use crate::spelling::closest;

/// A place that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxFault {
    /// Where.
    pub span: Span,
    /// The message, a sentence without a full stop.
    pub message: String,
    /// A few words to stand at the place.
    pub label: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Whether it merely follows from a fault before it: a word that cannot be a name is used again.
    pub follows: bool,
}

impl SyntaxFault {
    pub(super) fn new(span: Span, message: impl Into<String>, label: &str, help: Option<&str>) -> SyntaxFault {
        let (message, label, help) = (message.into(), label.to_owned(), help.map(str::to_owned));
        SyntaxFault { span, message, label, help, follows: false }
    }
}

/// The words a declaration may begin with.
const BEGINNINGS: [&str; 47] = [
    "game",
    "source",
    "players",
    "option",
    "reading",
    "preset",
    "kind",
    "table",
    "links",
    "grid",
    "edges",
    "ordered",
    "pile",
    "var",
    "define",
    "instead",
    "times",
    "plus",
    "at",
    "also",
    "except",
    "action",
    "may",
    "must",
    "procedure",
    "before",
    "after",
    "ability",
    "silence",
    "spare",
    "seen",
    "ends",
    "score",
    "worth",
    "rounds",
    "bring",
    "entry",
    "notation",
    "transcript",
    "never",
    "board",
    "mark",
    "tell",
    "note",
    "manners",
    "variant",
    "remove",
];

/// Those that stand only in a file of a variant.
const VARIANT_BEGINNINGS: [&str; 2] = ["replace", "set"];

/// Words that cannot be names.
const RESERVED: [&str; 35] = [
    "and",
    "or",
    "not",
    "is",
    "in",
    "if",
    "then",
    "else",
    "when",
    "where",
    "while",
    "for",
    "let",
    "some",
    "every",
    "no",
    "count",
    "sum",
    "none",
    "true",
    "false",
    "cite",
    "do",
    "match",
    "may",
    "must",
    "step",
    "finish",
    "the",
    "most",
    "least",
    "instead",
    "exception",
    "ranks",
    "despite",
];

/// What stands at a word that was given as a name and cannot be one.
pub(super) const NO_NAME: &str = "it cannot be a name";

/// The maximum number of alternatives that a message names.
const MAX_NAMED: usize = 6;

fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

fn is_beginning(word: &str) -> bool {
    BEGINNINGS.contains(&word) || VARIANT_BEGINNINGS.contains(&word)
}

/// How other languages begin comments, and what to write instead.
const COMMENTS: [(&str, &str); 4] = [
    ("#", "begin a comment with `//`"),
    ("/*", "begin each line of a comment with `//`; there is no `*/`"),
    ("--", "begin a comment with `//`"),
    (";", "begin a comment with `//`; nothing stands between two declarations"),
];

/// Checks the word a declaration begins with.
pub(super) fn beginning(piece: &Piece) -> Result<(), SyntaxFault> {
    let word = word_at(piece.text, 0);
    if is_beginning(word) || word.starts_with(|c: char| c.is_ascii_uppercase()) {
        return Ok(());
    }
    let span = piece.span(0, token_end(piece.text, 0));
    if let Some((sign, help)) = COMMENTS.into_iter().find(|(sign, _)| piece.text.starts_with(sign)) {
        let message = format!("`{sign}` does not begin a comment");
        return Err(SyntaxFault::new(piece.span(0, sign.len()), message, "not a comment", Some(help)));
    }
    if !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Err(SyntaxFault::new(
            span,
            "expected a declaration",
            "not the beginning of one",
            Some("begin a declaration with a word like `define`; indent its further lines"),
        ));
    }
    let candidates = BEGINNINGS.into_iter().chain(VARIANT_BEGINNINGS);
    let help = match closest(word, candidates) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!(
            "begin with a kind (`Card Ace ...`) or one of {}; indent a line that continues the one above",
            BEGINNINGS.into_iter().chain(VARIANT_BEGINNINGS).map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", ")
        ),
    };
    Err(SyntaxFault::new(span, format!("unknown declaration `{word}`"), "no declaration begins with this", Some(&help)))
}

/// Translates an error of pest.
pub(super) fn translate(piece: &Piece, error: &Error<Rule>) -> SyntaxFault {
    let text = piece.text;
    let at = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => next_token(text, at),
    };
    let span = piece.span(at, token_end(text, at));
    let ErrorVariant::ParsingError { positives, .. } = &error.variant else {
        return SyntaxFault::new(
            piece.whole(),
            "this takes too long to read",
            "too complex",
            Some("split it into smaller declarations"),
        );
    };
    let found = text.get(at..).unwrap_or("");
    if let Some(fault) = known_slip(piece, positives, found, at, span) {
        return fault;
    }
    let wanted = wanted(positives, found.is_empty());
    let message = match wanted.split_last() {
        None => "this cannot be read".to_owned(),
        Some((last, [])) => format!("expected {last}"),
        Some((last, rest)) => format!("expected {} or {last}", rest.join(", ")),
    };
    let quoted_missing = positives.iter().all(|r| matches!(r, Rule::label | Rule::text));
    let help = if quoted_missing {
        Some("put the words in double quotes".to_owned())
    } else {
        let word = word_at(text, at);
        let keywords: Vec<String> = positives.iter().flat_map(|r| keywords_of(*r)).collect();
        closest(word, keywords.iter().map(String::as_str))
            .filter(|_| !word.is_empty())
            .map(|near| format!("did you mean `{near}`?"))
            .or_else(|| foreign(found).map(str::to_owned))
    };
    let label = if found.is_empty() { "the declaration ends here" } else { "not expected here" };
    SyntaxFault::new(span, message, label, help.as_deref())
}

/// What to write in place of a sign of another language.
fn foreign(found: &str) -> Option<&'static str> {
    Some(match found.chars().next()? {
        '&' => "write `and`",
        '|' => "write `or`",
        '!' => "write `not`, or `!=` between two values",
        ';' | ',' => "remove it: the parts simply follow one another",
        '\'' => "put a text in double quotes",
        _ => return None,
    })
}

/// Mistakes that deserve more than a list of what was expected.
fn known_slip(piece: &Piece, positives: &[Rule], found: &str, at: usize, span: Span) -> Option<SyntaxFault> {
    let has = |rules: &[Rule]| positives.iter().any(|r| rules.contains(r));
    let word = word_at(piece.text, at);
    if word_at(piece.text, 0) == "players" && piece.text.starts_with("players") {
        let number = found.starts_with(|c: char| c.is_ascii_digit());
        if number && has(&[Rule::cap, Rule::named]) {
            return Some(SyntaxFault::new(
                span,
                "the seats of a game are named one by one",
                "a number of players",
                Some("write `players North, South`: a number of seats that varies is not supported"),
            ));
        }
    }
    if found.starts_with('.') && word_at(piece.text, 0) == "procedure" && has(&[Rule::step_part, Rule::kw_order]) {
        return Some(SyntaxFault::new(
            span,
            "a step is named here without its procedure",
            "not wanted",
            Some("write the step alone: `after cards`"),
        ));
    }
    let single = found.starts_with('=') && !found.starts_with("==");
    if single && has(&[Rule::assign_op, Rule::assign]) {
        return Some(SyntaxFault::new(
            span,
            "expected `:=`",
            "`=` changes nothing",
            Some("write `:=` to change a variable, `is` or `==` to compare"),
        ));
    }
    if single && has(&[Rule::compare, Rule::rel_op]) {
        return Some(SyntaxFault::new(
            span,
            "`=` does not compare",
            "expected `is` or `==`",
            Some("write `is` or `==`"),
        ));
    }
    if found.starts_with(':') && has(&[Rule::arrow]) {
        return Some(SyntaxFault::new(
            span,
            "expected `->`",
            "not expected here",
            Some("write `-> TYPE` for what the definition gives"),
        ));
    }
    if (found.starts_with(":=") || found.starts_with("==")) && has(&[Rule::eq]) {
        return Some(SyntaxFault::new(
            span,
            "expected `=`",
            "not expected here",
            Some("write `=` where something is declared; `:=` changes it later"),
        ));
    }
    if let Some((colon, in_match)) = colon_before_block(piece.text, at, has(&[Rule::lbrace])) {
        let help = match in_match {
            true => "a case of the statement `match` is written `1, 2 { ... }`, the rest `else { ... }`",
            false => "the block follows at once: `{ ... }`",
        };
        let span = piece.span(colon, colon + 1);
        return Some(SyntaxFault::new(span, "no `:` stands before a block", "leave it out", Some(help)));
    }
    if let Some((span, message, label, help)) = wrong_form(piece, &has, found, at, span) {
        return Some(SyntaxFault::new(span, message, label, Some(help)));
    }
    let names = [Rule::low, Rule::cap, Rule::name];
    let named = !positives.is_empty()
        && positives.iter().any(|r| names.contains(r))
        && !has(&[Rule::conj, Rule::expr, Rule::term, Rule::sum, Rule::postfix]);
    if named && word.starts_with(|c: char| c.is_ascii_digit()) && word.contains(|c: char| c.is_ascii_alphabetic()) {
        let help = Some("begin it with a letter: a small one for a variable, a capital for a kind or a member");
        return Some(SyntaxFault::new(span, format!("`{word}` begins with a digit"), NO_NAME, help));
    }
    let others = positives.iter().flat_map(|r| keywords_of(*r));
    if named && is_reserved(word) && !others.into_iter().any(|k| k == word) {
        return Some(SyntaxFault::new(
            span,
            format!("`{word}` is a reserved word"),
            NO_NAME,
            Some("choose another name"),
        ));
    }
    None
}

/// What other languages, or this one elsewhere, write so.
fn wrong_form(
    piece: &Piece,
    has: &dyn Fn(&[Rule]) -> bool,
    found: &str,
    at: usize,
    span: Span,
) -> Option<(Span, &'static str, &'static str, &'static str)> {
    let before = piece.text.get(..at).unwrap_or("");
    let digit = |c: char| c.is_ascii_digit();
    let head = word_at(piece.text, 0);
    if found.starts_with(['#']) || found.starts_with("/*") {
        return Some((span, "this does not begin a comment", "not a comment", "begin a comment with `//`"));
    }
    if found.starts_with('{') && has(&[Rule::kw_then]) {
        let help = "write `when CONDITION { ... }`; `if` chooses between two values: `if CONDITION then A else B`";
        let at = before.rfind("if").filter(|at| word_at(piece.text, *at) == "if");
        let span = at.map_or(span, |at| piece.span(at, at + 2));
        return Some((span, "`if` begins no statement", "a statement begins with `when`", help));
    }
    if found.is_empty() && has(&[Rule::kw_else]) {
        return Some((span, "`if` needs a value for the other case", "`else` is missing", "add `else VALUE`"));
    }
    if found.starts_with(digit) && before.ends_with('.') && before.trim_end_matches('.').ends_with(digit) {
        if before.ends_with("..") {
            return None;
        }
        let start = before.trim_end_matches('.').trim_end_matches(digit).len();
        let end = at + found.len() - found.trim_start_matches(digit).len();
        let help = "count in smaller units (`155` tenths), or compare products: `2 * a > 3 * b`";
        return Some((piece.span(start, end), "numbers are whole", "has a decimal point", help));
    }
    if found.starts_with('.') && before.ends_with("..") {
        return Some((piece.span(at - 2, at + 1), "a range has two dots", "three dots", "write `1..3`"));
    }
    let range = has(&[Rule::dotdot]) && before.ends_with(digit);
    if range && (found.starts_with('-') || word_at(found, 0) == "to") {
        return Some((span, "a range has two dots between its bounds", "not `..`", "write `1..3`"));
    }
    if found.starts_with('"') && ["may", "must", "instead", "also", "except", "never", "ends"].contains(&head) {
        let help = "write `LABEL when CONDITION`, as in `may take \"from the heap\" when heap > 0`";
        let late = before.split_whitespace().any(|w| w == "when");
        return late.then_some((span, "a label stands before `when`", "too late", help));
    }
    if ["pile", "ordered", "var"].contains(&head)
        && (found.starts_with('"') || found.starts_with('=') && before.trim_end().ends_with('"'))
    {
        let help = "write `pile hand of Card \"hand\"`, `var round: Int = 0 \"round\"`";
        return Some((span, "the label of a pile or a variable stands at its end", "label too early", help));
    }
    let last = before.trim_end();
    let last = last.len() - last.chars().rev().take_while(|c| c.is_ascii_alphanumeric()).count();
    let word = word_at(piece.text, last);
    if head == "may" && last > 0 && found.starts_with(|c: char| c.is_ascii_lowercase()) && word != "not" {
        let help = "did you mean `not`?";
        let nearly = closest(word, ["not"]).is_some();
        return nearly.then(|| {
            (piece.span(last, last + word.len()), "expected `not` or the name of an action", "unknown", help)
        });
    }
    None
}

/// What was expected, without repetition, the most useful first.
fn wanted(positives: &[Rule], at_end: bool) -> Vec<String> {
    let mut ranked: Vec<(u8, String)> = positives.iter().flat_map(|rule| describe(*rule)).collect();
    ranked.sort();
    ranked.dedup();
    // Where a field may follow, an index always may, so it is not mentioned.
    if positives.iter().any(|r| matches!(r, Rule::dot | Rule::field_access)) {
        ranked.retain(|(_, text)| text != "`[`");
    }
    // "a name" says both of these.
    let small = "a name that begins with a small letter";
    let capital = "a name that begins with a capital";
    let both = [small, capital].iter().all(|w| ranked.iter().any(|(_, text)| text == w));
    if both {
        ranked.retain(|(_, text)| text != small && text != capital);
        ranked.insert(0, (0, "a name".to_owned()));
    }
    let telling = ranked.iter().any(|(rank, _)| *rank < SELDOM);
    ranked
        .into_iter()
        .filter(|(rank, text)| (!telling || *rank < SELDOM) && !(at_end && text == "the end of the declaration"))
        .map(|(_, text)| text)
        .take(MAX_NAMED)
        .collect()
}

/// From this rank on a thing is named only where nothing else could stand.
const SELDOM: u8 = 9;

/// How a rule is named to a reader, and its rank among others.
fn describe(rule: Rule) -> Vec<(u8, String)> {
    let (rank, text) = match rule {
        Rule::low => (0, "a name that begins with a small letter"),
        Rule::cap => (0, "a name that begins with a capital"),
        Rule::any_word | Rule::name | Rule::path | Rule::ability_ref => (0, "a name"),
        Rule::named => (0, "a name that begins with a capital"),
        Rule::head | Rule::hook_path | Rule::step_path | Rule::seen_path | Rule::shown => {
            (0, "a name that begins with a small letter")
        }
        Rule::column => (0, "the name of a column"),
        Rule::field_path => (0, "a kind and its field, like `Unit.figure`"),
        Rule::cite_id | Rule::cite_list => (0, "the id of a clause, like `move.1`"),
        Rule::ty => (0, "a type"),
        Rule::expr | Rule::conj | Rule::sum | Rule::term | Rule::postfix | Rule::set | Rule::bounds => {
            (0, "an expression")
        }
        Rule::what => (0, "what is chosen"),
        Rule::number | Rule::int | Rule::range_ty => (0, "a number"),
        Rule::label | Rule::text | Rule::yes => (1, "a text in quotes"),
        Rule::stmt | Rule::place_stmt | Rule::call_stmt => (1, "a statement"),
        Rule::clause => (1, "a clause"),
        Rule::field => (1, "a field"),
        Rule::setting => (1, "a field"),
        Rule::chain | Rule::arrow_chain | Rule::group => (1, "a name that begins with a capital"),
        Rule::choice | Rule::param | Rule::mark_cell | Rule::mark_sides => {
            (1, "a name that begins with a small letter")
        }
        Rule::round | Rule::casting => (1, "a name that begins with a capital"),
        Rule::arm => (1, "a value"),
        Rule::block | Rule::lbrace => (2, "`{`"),
        Rule::rbrace => (2, "`}`"),
        Rule::lparen | Rule::params | Rule::args | Rule::grid_args => (3, "`(`"),
        Rule::rparen => (2, "`)`"),
        Rule::rbracket => (2, "`]`"),
        Rule::lbracket | Rule::index_decl => (3, "`[`"),
        Rule::comma => (3, "`,`"),
        Rule::colon => (2, "`:`"),
        Rule::eq => (2, "`=`"),
        Rule::arrow => (2, "`->`"),
        Rule::dotdot => (4, "`..`"),
        Rule::assign | Rule::assign_op => (2, "`:=`"),
        Rule::chooses => (3, "`chooses`"),
        Rule::may_choose => (3, "`may`"),
        Rule::modifier => return of_keywords(&["cite", "when"]),
        Rule::step_part => return of_keywords(&["cite", "when", "order", "asks"]),
        Rule::action_part => return of_keywords(&["by", "where", "log", "cite"]),
        Rule::choose_part => return of_keywords(&["log", "else", "cite"]),
        Rule::said => return of_keywords(&["log", "cite"]),
        Rule::cites => (5, "`cite`"),
        Rule::compare | Rule::logic_op | Rule::arith_op | Rule::rel_op => (7, "an operator"),
        Rule::EOI => (8, "the end of the declaration"),
        Rule::minus => (6, "`-`"),
        Rule::dot => (SELDOM, "`.`"),
        Rule::field_access | Rule::index_access | Rule::question | Rule::lang | Rule::translation => {
            (SELDOM, "another sign")
        }
        other => {
            let words = keywords_of(other);
            let first: Vec<&str> = words.iter().take(1).map(String::as_str).collect();
            return of_keywords(&first);
        }
    };
    vec![(rank, text.to_owned())]
}

fn of_keywords(words: &[&str]) -> Vec<(u8, String)> {
    words.iter().map(|w| (4, format!("`{w}`"))).collect()
}

/// The keywords with which what the rule names may begin.
fn keywords_of(rule: Rule) -> Vec<String> {
    let words: &[&str] = match rule {
        Rule::modifier => &["cite", "when", "exception", "ranks", "despite", "once", "openly"],
        Rule::step_part => &["cite", "when", "order", "asks"],
        Rule::beside => &["before", "after"],
        Rule::action_part => &["by", "where", "log", "cite", "openly", "hidden until"],
        Rule::choose_part => &["log", "asks", "else", "cite", "openly", "asked anyway", "hidden until"],
        Rule::said => &["log", "cite"],
        Rule::chooses => &["chooses"],
        Rule::may_choose => &["may"],
        Rule::logic_op => &["or", "and"],
        Rule::compare => &["is", "in", "not"],
        Rule::clause => {
            &["before", "at", "after", "instead", "times", "plus", "also", "except", "may", "must", "silence", "spare"]
        }
        Rule::stmt => {
            &["let", "when", "while", "for", "put", "take", "move", "shuffle", "secretly", "pick", "roll", "finish"]
        }
        // Many rules begin with the keyword of their own name.
        _ => {
            let name = format!("{rule:?}");
            return match name.strip_prefix("kw_") {
                Some(word) => vec![word.to_owned()],
                None => first_word(rule).map(str::to_owned).into_iter().collect(),
            };
        }
    };
    words.iter().map(|w| (*w).to_owned()).collect()
}

/// The keyword with which an optional part begins.
fn first_word(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::cites => "cite",
        Rule::when_mod => "when",
        Rule::order_part => "order",
        Rule::by_part => "by",
        Rule::where_part => "where",
        Rule::log_part => "log",
        Rule::asks_part => "asks",
        Rule::anyway => "asked",
        Rule::until_part => "hidden",
        Rule::else_part | Rule::else_block | Rule::declined | Rule::else_when | Rule::match_else => "else",
        Rule::owned => "owned",
        Rule::kind_members => "members",
        Rule::nested => "nested",
        Rule::during => "in",
        Rule::called => "called",
        Rule::style => "style",
        Rule::seated => "by",
        Rule::unread => "without",
        Rule::between => "between",
        Rule::directed => "from",
        Rule::shift => "shift",
        Rule::shows_facing => "facing",
        Rule::shows_with => "with",
        Rule::tells => "tells",
        Rule::shows => "shows",
        Rule::board_rows => "row",
        Rule::board_groups => "grouped",
        Rule::faces => "facing",
        Rule::rows_part => "rows",
        Rule::each_part => "each",
        Rule::split_part => "split",
        Rule::blank_part | Rule::blank_counted => "else",
        Rule::in_style => "style",
        Rule::from_notation => "from",
        Rule::so_that => "so",
        Rule::prefer => "prefer",
        Rule::chosen_by => "chosen",
        Rule::cost_part => "cost",
        Rule::within_part => "within",
        Rule::if_any => "if",
        Rule::rolled_into => "times",
        Rule::finally => "finally",
        Rule::step => "step",
        Rule::var_decl => "var",
        Rule::own_ability => "ability",
        Rule::has_list => "has",
        _ => return None,
    })
}

/// The word that begins at `at`; empty if none does.
fn word_at(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or("");
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
    rest.get(..end).unwrap_or("")
}

/// Where the token that begins at `at` ends: a word, or one character.
fn token_end(text: &str, at: usize) -> usize {
    let word = word_at(text, at);
    let rest = text.get(at..).unwrap_or("");
    match rest.chars().next() {
        None => at,
        Some(_) if !word.is_empty() => at + word.len(),
        Some(c) => at + c.len_utf8(),
    }
}

/// The first token at or after `at`.
fn next_token(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    loop {
        let rest = text.get(at..).unwrap_or("");
        let bare = rest.trim_start();
        at += rest.len() - bare.len();
        if !bare.starts_with("//") {
            return at;
        }
        at += bare.find('\n').unwrap_or(bare.len());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::split::{NESTING, OUTSIDE};
    use super::*;

    /// The text between two others.
    fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
        text.split_once(start).and_then(|(_, rest)| rest.split_once(end)).expect("the list of reserved words").0
    }

    #[test]
    fn the_reserved_words_are_the_same_everywhere() {
        let reserved = BTreeSet::from(RESERVED);
        assert_eq!(reserved.len(), RESERVED.len());
        let grammar = between(include_str!("../../grammar/law.pest"), "reserved  = _{", "}");
        assert_eq!(grammar.split('"').skip(1).step_by(2).collect::<BTreeSet<_>>(), reserved);
        let page = between(include_str!("../../docs/language.md"), "These words cannot be names: `", "`");
        assert_eq!(page.split_whitespace().collect::<BTreeSet<_>>(), reserved);
        assert!(NESTING.iter().chain(&OUTSIDE).all(|word| reserved.contains(word)));
    }
}
