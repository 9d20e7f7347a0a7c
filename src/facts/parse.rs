//! The lines of positions and cases, through their grammar. Only this and its neighbours of the same name know pest.

use super::{FactFault, Move, Piece, SeatList, Settings};
use crate::spelling::is_curly;
use pest::Parser;
use pest::error::{ErrorVariant, LineColLocation};
use pest::iterators::{Pair, Pairs};

/// The grammar of `grammar/case.pest`.
#[derive(pest_derive::Parser)]
#[grammar = "grammar/case.pest"]
pub(crate) struct CaseGrammar;

/// The word for a rule in a message; `None` if it should not be mentioned.
fn words(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::space | Rule::blank | Rule::gap => "a space",
        Rule::quoted | Rule::opening => "a text in quotes (\"...\")",
        Rule::closing | Rule::inner => "the closing quote (\")",
        Rule::comma => "a comma",
        Rule::colon => "a colon",
        Rule::slash => "`/`",
        Rule::word | Rule::on => "a name",
        Rule::number | Rule::part => "a number",
        Rule::fraction => "a fraction (`11/36`)",
        Rule::asked => "an expression",
        Rule::kw_until => "`until WHEN`",
        Rule::kw_within => "`within N plies`",
        Rule::kw_plies => "`plies`",
        Rule::kw_positions => "`positions`",
        Rule::kw_how => "`random`, `first`, `best` or `worst`",
        Rule::named | Rule::player => "a seat and how it decides",
        Rule::kw_open => "`open`",
        Rule::value | Rule::valued => "a value",
        Rule::game => "the name of a game",
        Rule::bring_name | Rule::roster_line => "the name of what is brought",
        Rule::kw_for => "`for`",
        Rule::kw_is => "`is`",
        Rule::kw_of => "`of`",
        Rule::kw_legal => "`legal`",
        Rule::kw_illegal => "`illegal`",
        Rule::kw_undecided => "`undecided`",
        Rule::setting | Rule::settings | Rule::only_settings | Rule::listed => "an option",
        Rule::preset | Rule::kw_preset => "`preset NAME`",
        Rule::variant | Rule::kw_variant => "`variant NAME`",
        Rule::off | Rule::kw_no => "`no NAME`",
        Rule::kw_case | Rule::case_line => "`case`",
        Rule::kw_cite => "`cite`",
        Rule::kw_given | Rule::header => "`given`",
        Rule::kw_when | Rule::when_line => "`when` alone on its line",
        Rule::kw_then | Rule::then_line => "`then` alone on its line",
        Rule::kw_with => "`with`",
        Rule::kw_from_start => "`from the start`",
        Rule::kw_impossible | Rule::impossible => "`impossible \"label\"`",
        Rule::who | Rule::subject | Rule::scorer | Rule::bringer | Rule::forcer => "a seat",
        Rule::doing => "what is done",
        Rule::piece => "a fact",
        Rule::fact | Rule::object => "a fact",
        Rule::move_line => "`SEAT: what it does`",
        Rule::cite | Rule::reference => "a citation or a label in quotes",
        Rule::reason => "a citation, a label in quotes, or `no permission`",
        Rule::reasons | Rule::kw_because => "`because`",
        Rule::kw_by => "`by`",
        Rule::kw_only => "`only`",
        Rule::kw_not => "`not`",
        Rule::kw_that => "`that`",
        Rule::expression => "an expression",
        Rule::EOI => "the end of the line",
        _ => return None,
    })
}

/// The words joined: `a comma or the end of the line`.
pub(crate) fn joined(words: impl Iterator<Item = &'static str>) -> String {
    let mut said: Vec<&str> = Vec::new();
    for word in words {
        if !said.contains(&word) {
            said.push(word);
        }
    }
    if said.len() > 1 {
        said.retain(|w| *w != "a space");
    }
    match said.split_last() {
        None => String::from("something else"),
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

fn column_of(place: &LineColLocation) -> usize {
    match place {
        LineColLocation::Pos((_, c)) | LineColLocation::Span((_, c), _) => *c,
    }
}

/// The first curly quote of a line that cannot be read, and the characters before it.
pub(crate) fn curly(text: &str) -> Option<(usize, char)> {
    text.chars().enumerate().find(|(_, c)| is_curly(*c))
}

/// What to write in place of a curly quote.
pub(crate) fn curly_words(quote: char) -> String {
    format!("`{quote}` neither begins nor ends a text: write straight quotes (`\"`)")
}

/// Parses a text as one rule. The text starts at a column (from 1) of a line.
pub(crate) fn parse<'a>(rule: Rule, text: &'a str, line: usize, column: usize) -> Result<Pairs<'a, Rule>, FactFault> {
    let mut pairs = CaseGrammar::parse(rule, text).map_err(|e| {
        if let Some((before, quote)) = curly(text) {
            return FactFault::new(line, column + before, curly_words(quote)).over(1);
        }
        let at = column + column_of(&e.line_col).saturating_sub(1);
        let message = match &e.variant {
            _ if rule == Rule::move_line && text.trim_end().ends_with(':') => {
                String::from("expected what is done after the colon")
            }
            ErrorVariant::ParsingError { positives, .. } => {
                format!("expected {}", joined(positives.iter().filter_map(|r| words(*r))))
            }
            ErrorVariant::CustomError { message } => message.clone(),
        };
        FactFault::new(line, at, message)
    })?;
    // The rule itself is the only pair; its contents are the result.
    Ok(match pairs.next() {
        Some(pair) => pair.into_inner(),
        None => pairs,
    })
}

/// The column (from 1, in characters) of a pair, in a text that starts at a column.
pub(crate) fn column(pair: &Pair<'_, Rule>, start: usize) -> usize {
    start + pair.as_span().start_pos().line_col().1.saturating_sub(1)
}

/// The columns of places in a line, each counted on from the one before.
struct Columns<'a> {
    line: &'a str,
    at: usize,
    column: usize,
}

impl Columns<'_> {
    fn new(line: &str) -> Columns<'_> {
        Columns { line, at: 0, column: 1 }
    }

    /// The column (from 1, in characters) of a byte that is not before the last one asked for.
    fn at(&mut self, byte: usize) -> usize {
        self.column += self.line.get(self.at..byte).map_or(0, |between| between.chars().count());
        self.at = byte;
        self.column
    }
}

/// The text between the quotes.
pub(crate) fn unquoted(pair: Pair<'_, Rule>) -> String {
    pair.into_inner().find(|p| p.as_rule() == Rule::inner).map_or_else(String::new, |p| p.as_str().to_owned())
}

/// All quoted texts directly in these pairs.
pub(crate) fn quoted<'a>(pairs: impl Iterator<Item = Pair<'a, Rule>>) -> Vec<String> {
    pairs.filter(|p| p.as_rule() == Rule::quoted).map(unquoted).collect()
}

/// The maximum number of options, and of variants, in one text.
const MAX_SETTINGS: usize = 1000;

/// Why a list of settings cannot be one, whatever the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SettingsError {
    /// It has two presets.
    #[error("a second preset; there can be one")]
    SecondPreset,
    /// It has too many variants.
    #[error("more than {MAX_SETTINGS} variants")]
    TooManyVariants,
    /// It has too many lists.
    #[error("more than {MAX_SETTINGS} lists")]
    TooManyLists,
    /// It has too many options.
    #[error("more than {MAX_SETTINGS} options")]
    TooManyOptions,
    /// An option is set twice.
    #[error("`{0}` is set twice")]
    Twice(String),
}

/// `deck of North "gandalf.deck"`
fn listed(form: Pair<'_, Rule>) -> SeatList {
    let place = form.as_span().start_pos().line_col();
    let part = |rule: Rule| form.clone().into_inner().find(|p| p.as_rule() == rule);
    let named = |rule: Rule| part(rule).map_or_else(String::new, |p| p.as_str().trim().to_owned());
    let text = part(Rule::quoted).map_or_else(String::new, unquoted);
    SeatList::quoted(named(Rule::bring_name), named(Rule::bringer), text, place)
}

/// The settings among the pairs of a list of them.
pub(crate) fn take_settings(pair: Pair<'_, Rule>, into: &mut Settings) -> Result<(), SettingsError> {
    for setting in pair.into_inner().filter(|p| p.as_rule() == Rule::setting) {
        let Some(form) = setting.into_inner().next() else {
            continue;
        };
        let rule = form.as_rule();
        if rule == Rule::listed {
            if into.lists.len() >= MAX_SETTINGS {
                return Err(SettingsError::TooManyLists);
            }
            into.lists.push(listed(form));
            continue;
        }
        let mut names = form
            .into_inner()
            .filter(|p| matches!(p.as_rule(), Rule::word | Rule::value))
            .map(|p| p.as_str().to_owned());
        let Some(name) = names.next() else { continue };
        let value = match rule {
            Rule::preset => {
                if into.preset.replace(name).is_some() {
                    return Err(SettingsError::SecondPreset);
                }
                continue;
            }
            Rule::variant => {
                if into.variants.len() >= MAX_SETTINGS {
                    return Err(SettingsError::TooManyVariants);
                }
                if !into.variants.contains(&name) {
                    into.variants.push(name);
                }
                continue;
            }
            Rule::off => Some(String::from("false")),
            Rule::valued => names.next(),
            _ => None,
        };
        if into.options.len() >= MAX_SETTINGS {
            return Err(SettingsError::TooManyOptions);
        }
        if into.options.iter().any(|(n, _)| *n == name) {
            return Err(SettingsError::Twice(name));
        }
        into.options.push((name, value));
    }
    Ok(())
}

/// `given GAME with ...`
pub(crate) fn header(text: &str, line: usize) -> Result<Settings, FactFault> {
    let mut settings = Settings::default();
    for pair in parse(Rule::header, text, line, 1)? {
        match pair.as_rule() {
            Rule::game => settings.game = pair.as_str().to_owned(),
            Rule::kw_from_start => settings.from_start = true,
            Rule::settings => {
                let at = column(&pair, 1);
                take_settings(pair, &mut settings).map_err(|e| FactFault::new(line, at, e.to_string()))?;
            }
            _ => {}
        }
    }
    Ok(settings)
}

/// `variant_cards, preset seed`: the settings alone, added to existing ones.
pub(crate) fn settings(text: &str, line: usize, start: usize, into: &mut Settings) -> Result<(), FactFault> {
    for pair in parse(Rule::only_settings, text, line, start)? {
        if pair.as_rule() == Rule::settings {
            take_settings(pair, into).map_err(|e| FactFault::new(line, start, e.to_string()))?;
        }
    }
    Ok(())
}

/// `given impossible "a", "b"`
pub(crate) fn impossible(text: &str, line: usize) -> Result<Vec<String>, FactFault> {
    Ok(quoted(parse(Rule::impossible, text, line, 1)?))
}

/// The facts of a line.
pub(crate) fn pieces(text: &str, line: usize) -> Result<Vec<Piece>, FactFault> {
    let mut columns = Columns::new(text);
    let found = parse(Rule::pieces, text, line, 1)?.filter(|p| p.as_rule() == Rule::piece);
    let piece = |p: Pair<'_, Rule>| {
        let column = columns.at(p.as_span().start());
        Piece { text: p.as_str().trim().to_owned(), line, column }
    };
    Ok(found.map(piece).collect())
}

/// `Dark: Orcs to Fangorn`
pub(crate) fn move_line(text: &str, line: usize) -> Result<Move, FactFault> {
    let mut made = Move { line, ..Move::default() };
    for pair in parse(Rule::move_line, text, line, 1)? {
        match pair.as_rule() {
            Rule::who => {
                made.column = column(&pair, 1);
                made.who = pair.as_str().to_owned();
            }
            Rule::doing => made.text = pair.as_str().to_owned(),
            _ => {}
        }
    }
    Ok(made)
}

/// The line is `when`, or `then`, and nothing else.
pub(crate) fn section(rule: Rule, text: &str, line: usize) -> Result<(), FactFault> {
    parse(rule, text, line, 1).map(|_| ())
}

/// What a line opens, by its first words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// Nothing but white space and a comment.
    Empty,
    /// `case`
    Case,
    /// `given GAME`
    Given,
    /// `given impossible`
    Impossible,
    /// `when`
    When,
    /// `then`
    Then,
    /// Something inside a section.
    Inside,
}

/// What a line opens.
pub(crate) fn head(text: &str) -> Head {
    let mut words = text.split_whitespace();
    let Some(first) = words.next() else {
        return Head::Empty;
    };
    let second = words.next().unwrap_or("");
    let first = first.split("//").next().unwrap_or("");
    match (first, second) {
        ("", _) => Head::Empty,
        ("case", _) => Head::Case,
        ("given", "impossible") => Head::Impossible,
        ("given", _) => Head::Given,
        ("when", "") => Head::When,
        ("then", "") => Head::Then,
        ("when", s) if s.starts_with("//") => Head::When,
        ("then", s) if s.starts_with("//") => Head::Then,
        (f, _) if f.starts_with("case\"") => Head::Case,
        _ => Head::Inside,
    }
}
