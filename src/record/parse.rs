//! From the text of a record to its parts.

use super::{Record, RecordFault, RecordedEnd, RecordedPly, RecordedResult};
use crate::facts::parse::{Head, curly, curly_words, head, joined, settings};
use crate::facts::{MAX_FAULTS, Move, Scene, scene_line};
use pest::Parser;
use pest::error::{ErrorVariant, LineColLocation};
use pest::iterators::Pair;

/// The grammar of `grammar/record.pest`.
#[derive(pest_derive::Parser)]
#[grammar = "grammar/record.pest"]
struct RecordGrammar;

fn words(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::space | Rule::blank => "a space",
        Rule::quoted | Rule::opening => "a text in quotes (\"...\")",
        Rule::closing | Rule::inner => "the closing quote (\")",
        Rule::comma => "a comma",
        Rule::colon => "a colon",
        Rule::dot => "a full stop",
        Rule::dash => "a dash",
        Rule::semi | Rule::check => "`; OPTIONS DIGEST`",
        Rule::word => "a name",
        Rule::number | Rule::count | Rule::options | Rule::points => "a number",
        Rule::digest => "a digest of 16 hexadecimal digits",
        Rule::ply => "a ply (`SEAT: what it did`)",
        Rule::seat => "a seat's name in quotes (`SEAT \"name\"`)",
        Rule::who | Rule::name => "a seat",
        Rule::winners => "who wins",
        Rule::doing => "what was done",
        Rule::rest => "options",
        Rule::kw_wins => "`wins`",
        Rule::kw_none => "`none`",
        Rule::kw_draw | Rule::drawn => "`draw`",
        Rule::won => "`SEAT wins`",
        Rule::scores => "scores (`5-0`)",
        Rule::EOI => "the end of the line",
        _ => return None,
    })
}

fn unquoted(pair: Pair<'_, Rule>) -> String {
    pair.into_inner().find(|p| p.as_rule() == Rule::inner).map_or_else(String::new, |p| p.as_str().to_owned())
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

fn column(pair: &Pair<'_, Rule>) -> usize {
    pair.as_span().start_pos().line_col().1
}

#[derive(Default)]
struct Reader {
    record: Record,
    opened: bool,
    /// Inside the facts after `given`.
    facts: bool,
    /// How far the numbers of plies run ahead of the plies, which is reported once.
    ahead: i64,
    /// How many lines since the last ply could not be read: each may be a ply.
    unread: i64,
    faults: Vec<RecordFault>,
}

/// The parts of a record.
///
/// # Errors
/// All that is wrong with the text.
pub fn parse(text: &str) -> Result<Record, Vec<RecordFault>> {
    let mut record = parse_on(text)?;
    match record.misnumbered.take() {
        Some(fault) => Err(vec![fault]),
        None => Ok(record),
    }
}

/// The same, but numbers of plies may be wrong: the record says so.
///
/// # Errors
/// All else that is wrong with the text; with it, if the numbers are wrong too, the first of them.
pub fn parse_on(text: &str) -> Result<Record, Vec<RecordFault>> {
    let mut reader = Reader::default();
    for (i, line) in text.lines().enumerate() {
        if let Err(fault) = reader.line(line, i + 1) {
            reader.faults.push(fault);
            reader.unread += 1;
        }
        if reader.faults.len() >= MAX_FAULTS {
            break;
        }
        if !reader.opened && !reader.faults.is_empty() {
            // It is not a record at all; one message says so.
            break;
        }
    }
    if !reader.opened && reader.faults.is_empty() {
        reader.faults.push(no_record(1));
    }
    if reader.faults.is_empty() {
        return Ok(reader.record);
    }
    reader.faults.extend(reader.record.misnumbered);
    reader.faults.sort_by_key(|f| (f.line, f.column));
    Err(reader.faults)
}

fn no_record(line: usize) -> RecordFault {
    RecordFault::new(line, 1, "a record begins with `record GAME`, for example `record confrontation`")
}

impl Reader {
    fn line(&mut self, text: &str, number: usize) -> Result<(), RecordFault> {
        if self.opened
            && !self.facts
            && self.record.result.is_none()
            && let Some(ply) = plain(text, number, self.expected())
        {
            self.record.plies.push(ply);
            self.unread = 0;
            return Ok(());
        }
        self.by_grammar(text, number)
    }

    fn by_grammar(&mut self, text: &str, number: usize) -> Result<(), RecordFault> {
        if head(text) == Head::Empty {
            return Ok(());
        }
        if self.facts && head(text) != Head::Given && self.fact(text, number) {
            return Ok(());
        }
        self.facts = false;
        let pairs = RecordGrammar::parse(Rule::line, text).map_err(|e| {
            if !self.opened {
                return no_record(number);
            }
            if let Some((before, quote)) = curly(text) {
                return RecordFault::new(number, before + 1, curly_words(quote)).over(1);
            }
            if let Some(message) = other_form(text) {
                let indent = text.chars().take_while(|c| c.is_whitespace()).count();
                return RecordFault::new(number, indent + 1, message).over(text.trim().chars().count());
            }
            let (LineColLocation::Pos((_, column)) | LineColLocation::Span((_, column), _)) = e.line_col;
            let message = match &e.variant {
                _ if text.trim_end().ends_with(':') => String::from("expected what was done after the colon"),
                ErrorVariant::ParsingError { positives, .. } => {
                    let all = joined(positives.iter().filter_map(|r| words(*r)));
                    format!("expected {all}")
                }
                ErrorVariant::CustomError { message } => message.clone(),
            };
            RecordFault::new(number, column, message)
        })?;
        for pair in pairs.flat_map(Pair::into_inner) {
            self.take(pair, text, number)?;
        }
        Ok(())
    }

    /// Reads a line of facts, which is indented. `false` if the facts are over.
    fn fact(&mut self, text: &str, number: usize) -> bool {
        let indented = text.starts_with([' ', '\t']);
        let impossible = head(text) == Head::Impossible;
        let Some(scene) = self.record.scene.as_mut() else {
            return false;
        };
        (indented || impossible) && scene_line(scene, text, number, &mut self.faults)
    }

    fn take(&mut self, pair: Pair<'_, Rule>, text: &str, line: usize) -> Result<(), RecordFault> {
        let rule = pair.as_rule();
        let at = column(&pair);
        let fault = |message: &str| RecordFault::new(line, at, message);
        if !matches!(rule, Rule::blank | Rule::comment | Rule::EOI | Rule::record) {
            if !self.opened {
                return Err(no_record(line));
            }
            if self.record.result.is_some() {
                return Err(fault("nothing follows the result"));
            }
            let of_the_game = matches!(rule, Rule::ply | Rule::result);
            if !of_the_game && !self.record.plies.is_empty() {
                return Err(fault("this belongs before the first ply"));
            }
        }
        let mut inner = pair.into_inner();
        match rule {
            Rule::record => {
                if self.opened {
                    return Err(fault("a second `record` in one file"));
                }
                self.opened = true;
                if let Some(game) = inner.find(|p| p.as_rule() == Rule::word) {
                    self.record.settings.game = game.as_str().to_owned();
                }
            }
            Rule::title => {
                self.record.title = inner.find(|p| p.as_rule() == Rule::quoted).map(unquoted);
            }
            Rule::with => {
                if let Some(rest) = inner.find(|p| p.as_rule() == Rule::rest) {
                    let at = column(&rest);
                    settings(rest.as_str(), line, at, &mut self.record.settings)?;
                }
            }
            Rule::rules => {
                self.record.rules = inner.find(|p| p.as_rule() == Rule::digest).and_then(|p| hex(p.as_str()));
            }
            Rule::seed => {
                let seed = inner.find(|p| p.as_rule() == Rule::number).and_then(|p| p.as_str().parse().ok());
                self.record.seed = Some(seed.ok_or_else(|| fault("the seed is too large"))?);
            }
            Rule::given => {
                if self.record.scene.is_some() {
                    return Err(fault("a second `given` in one record"));
                }
                self.record.scene = Some(Scene { line, ..Scene::default() });
                self.facts = true;
            }
            Rule::seat => {
                let mut seat = (String::new(), String::new());
                for part in inner {
                    match part.as_rule() {
                        Rule::name => seat.0 = part.as_str().to_owned(),
                        Rule::quoted => seat.1 = unquoted(part),
                        _ => {}
                    }
                }
                if self.record.seats.iter().any(|s| s.0 == seat.0) {
                    return Err(fault("this seat is named twice"));
                }
                self.record.seats.push(seat);
            }
            Rule::result => self.record.result = Some(result(inner, line)?),
            Rule::ply => self.ply(inner, text, line)?,
            _ => {}
        }
        Ok(())
    }

    /// The number that the next ply has.
    fn expected(&self) -> usize {
        let count = i64::try_from(self.record.plies.len()).unwrap_or(i64::MAX - 1) + 1;
        usize::try_from(count.saturating_add(self.ahead)).unwrap_or(0)
    }

    /// Notes the number of a ply, if it is the first wrong one. The plies after it are taken as numbered from there.
    fn misnumbered(&mut self, part: &Pair<'_, Rule>, expected: usize, line: usize) {
        let said = part.as_str();
        let number = said.parse().unwrap_or(i64::MAX / 2);
        let expected = i64::try_from(expected).unwrap_or(i64::MAX / 2);
        let missing = number - expected;
        if (1..=self.unread).contains(&missing) {
            // The lines that could not be read are the plies that are missing.
            self.ahead = self.ahead.saturating_add(missing);
            return;
        }
        let why = match missing {
            1 => format!("; ply {expected} is missing, or the number is wrong"),
            2.. => format!("; plies {expected} to {} are missing, or the number is wrong", number - 1),
            _ => String::from("; one is there twice, or the number is wrong"),
        };
        let message = format!("this is ply {expected}, but the line says {said}{why} (numbers may be left out)");
        let fault = RecordFault::new(line, column(part), message).over(said.chars().count());
        self.record.misnumbered.get_or_insert(fault);
        self.ahead = self.ahead.saturating_add(missing);
    }

    fn ply<'a>(
        &mut self,
        parts: impl Iterator<Item = Pair<'a, Rule>>,
        text: &str,
        line: usize,
    ) -> Result<(), RecordFault> {
        let mut ply = RecordedPly::default();
        ply.made.line = line;
        let expected = self.expected();
        for part in parts {
            match part.as_rule() {
                Rule::count if part.as_str().parse() != Ok(expected) => self.misnumbered(&part, expected, line),
                Rule::who => {
                    ply.made.column = column(&part);
                    ply.made.who = part.as_str().to_owned();
                }
                Rule::doing => ply.made.text = part.as_str().to_owned(),
                Rule::check => {
                    for item in part.into_inner() {
                        match item.as_rule() {
                            Rule::options => ply.options = item.as_str().parse().ok(),
                            Rule::digest => ply.digest = hex(item.as_str()),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        if let Some(at) = ply.made.text.find(';') {
            let before = text.find(';').and_then(|b| text.get(..b)).map_or(at, |t| t.chars().count());
            return Err(RecordFault::new(
                line,
                before + 1,
                "after `;` stand the number of options and a digest of 16 hexadecimal digits",
            ));
        }
        self.record.plies.push(ply);
        self.unread = 0;
        Ok(())
    }
}

/// A ply as it is nearly always written, `3. Dark: Orcs to Fangorn ; 24 a1b2c3d4e5f60718`, without the grammar, to
/// which all other lines are left.
fn plain(text: &str, line: usize, expected: usize) -> Option<RecordedPly> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || text.get(..digits)?.parse() != Ok(expected) {
        return None;
    }
    let after = text.get(digits..)?.strip_prefix('.')?;
    let blank = [' ', '\t'];
    let named = after.trim_start_matches(blank);
    let colon = named.bytes().position(|b| matches!(b, b':' | b'"' | b';' | b'/'))?;
    let (who, done) = (named.get(..colon)?, named.get(colon..)?.strip_prefix(':')?);
    let semi = done.bytes().position(|b| b == b';');
    let (done, check) = (done.get(..semi.unwrap_or(done.len()))?, semi.and_then(|at| done.get(at + 1..)));
    let (who, done) = (who.trim_end_matches(blank), done.trim_matches(blank));
    if who.is_empty() || is_special(who) || done.is_empty() || done.contains("//") {
        return None;
    }
    let (options, digest) = match check {
        Some(check) => checked(check.trim_matches(blank))?,
        None => (None, None),
    };
    let column = text.len() - named.len() + 1;
    let made = Move { who: who.to_owned(), text: done.to_owned(), line, column };
    Some(RecordedPly { made, options, digest })
}

/// What to write in place of a line that is usual elsewhere.
fn other_form(text: &str) -> Option<&'static str> {
    let text = text.trim();
    let word = text.split_whitespace().next()?;
    if text.ends_with(':') {
        return None;
    }
    if text.starts_with('#') || text.starts_with("/*") {
        return Some("a comment begins with `//`");
    }
    if word == "result" {
        return Some(
            "a result is `result SEAT wins \"ending\" 1-0`, `result SEAT resigns`, `result draw` or `result none`; \
             ending and scores may be left out",
        );
    }
    let special = is_special(word) || word == "seat";
    let numbered = word.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('.') && word != ".";
    match text.contains(':') || special {
        true => None,
        false if numbered => {
            Some("a ply names its seat, and each ply has a line of its own: write `1. SEAT: what it did`")
        }
        false => {
            Some("this line says nothing of the game; a ply is written `SEAT: what it did`, a player `SEAT \"name\"`")
        }
    }
}

/// Whether the text in the place of a seat begins with a word that begins another line.
fn is_special(who: &str) -> bool {
    let special = ["record", "title", "with", "rules", "seed", "given", "result"];
    who.starts_with(|c: char| c.is_ascii_lowercase()) && special.iter().any(|word| who.starts_with(word))
}

/// `24 a1b2c3d4e5f60718` or `24`.
fn checked(text: &str) -> Option<(Option<usize>, Option<u64>)> {
    let (options, digest) = match text.split_once([' ', '\t']) {
        Some((options, digest)) => (options, Some(digest.trim_start_matches([' ', '\t']))),
        None => (text, None),
    };
    // Rust numbers may have a sign; these may not.
    if !options.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let digest = match digest {
        Some(d) if d.len() == 16 => {
            let mut figures = d.bytes().map(|b| char::from(b).to_digit(16));
            Some(figures.try_fold(0, |n, figure| Some(n << 4 | u64::from(figure?)))?)
        }
        Some(_) => return None,
        None => None,
    };
    Some((Some(options.parse().ok()?), digest))
}

fn result<'a>(parts: impl Iterator<Item = Pair<'a, Rule>>, line: usize) -> Result<RecordedResult, RecordFault> {
    let mut result = RecordedResult { line, ..RecordedResult::default() };
    for part in parts {
        match part.as_rule() {
            Rule::drawn => result.end = RecordedEnd::Draw,
            Rule::won => result.end = RecordedEnd::Wins(Vec::new()),
            Rule::resigned => {
                let who = part.into_inner().find(|p| p.as_rule() == Rule::loser);
                result.end = RecordedEnd::Resigns(who.map_or_else(String::new, |p| p.as_str().trim().to_owned()));
                continue;
            }
            _ => continue,
        }
        for item in part.into_inner() {
            match item.as_rule() {
                Rule::winners => {
                    let names = item.as_str().split(',').map(|n| n.trim_matches([' ', '\t']).to_owned());
                    result.end = RecordedEnd::Wins(names.collect());
                }
                Rule::quoted => result.label = Some(unquoted(item)),
                Rule::scores => {
                    let at = column(&item);
                    for points in item.into_inner().filter(|p| p.as_rule() == Rule::points) {
                        let points = points.as_str().parse();
                        let too_large = |_| RecordFault::new(line, at, "the score is too large");
                        result.scores.push(points.map_err(too_large)?);
                    }
                }
                _ => {}
            }
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    /// Parses a line with the grammar, after a number of plies.
    fn by_grammar(text: &str, plies: usize) -> Option<RecordedPly> {
        let mut reader = Reader { opened: true, ..Reader::default() };
        reader.record.plies = vec![RecordedPly::default(); plies];
        reader.by_grammar(text, 7).ok()?;
        reader.record.plies.get(plies).cloned()
    }

    #[test]
    fn usual_plies_need_no_grammar() {
        for text in ["3. Dark: Orcs to Fangorn ; 24 a1b2c3d4e5f60718", "3.a b:\tc;7 ", "03. chance: 1/2"] {
            let ply = plain(text, 7, 3);
            assert!(ply.is_some(), "{text}");
            assert_eq!(ply, by_grammar(text, 2), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]
        #[test]
        fn plies_are_the_same_without_the_grammar(
            text in "[ \t]?0?[23][.]?[ \t]?(Dark|the Good|record|with it|a\"b|)[ \t]?:? ?\
                    (x|a to b|ホビット|/|//|\"|;| |: ){0,4} ?;? ?[0-9]{0,3}[ \t]{0,2}(a1b2c3d4e5f6071|)[0-9g]{0,2} ?(//)?"
        ) {
            if let Some(ply) = plain(&text, 7, 3) {
                prop_assert_eq!(Some(ply), by_grammar(&text, 2), "{}", text);
            }
        }
    }
}
