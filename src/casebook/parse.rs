//! From the text of a casebook to its cases.

use super::ahead;
use super::misspelt;
use super::{Because, Case, CaseFault, Expectation, Expected, Recorded, Section};
use crate::facts::parse::{Head, Rule, head, parse as grammar, quoted, unquoted};
use crate::facts::parse::{header, move_line, pieces, section};
use crate::facts::{FactFault, MAX_FAULTS, Piece};
use crate::game::Verdict;
use crate::plain::clip;
use crate::spelling::closest;
use pest::iterators::Pair;

/// A line with the byte at which it begins.
struct Line<'a> {
    text: &'a str,
    number: usize,
    start: usize,
}

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split_inclusive('\n').enumerate().map(move |(i, raw)| {
        let line = Line { text: raw.trim_end_matches(['\n', '\r']), number: i + 1, start };
        start += raw.len();
        line
    })
}

/// The number of backticks with which a line opens or closes a fence, and the words after them.
fn fence(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start();
    let ticks = line.len() - line.trim_start_matches('`').len();
    (ticks >= 3).then(|| (ticks, line.get(ticks..).unwrap_or("").trim()))
}

/// The word of a fence that was meant, if this one is nearly right.
fn meant(word: &str) -> Option<&'static str> {
    const WORDS: [&str; 2] = ["case", "ruling"];
    let small = word.to_lowercase();
    match WORDS.into_iter().find(|known| *known == small) {
        Some(known) => (known != word).then_some(known),
        None => closest(&small, WORDS),
    }
}

/// Characters of a case's name in a message.
const NAME: usize = 200;

#[derive(Default)]
struct Reader {
    file: String,
    heading: String,
    cases: Vec<Case>,
    faults: Vec<CaseFault>,
    open: Option<Case>,
    broken: bool,
    /// Something stands in the block.
    begun: bool,
}

/// The cases of a casebook, and the errors in its text. A case with an error is left out.
#[must_use]
pub fn parse(name: &str, text: &str) -> (Vec<Case>, Vec<CaseFault>) {
    let mut reader = Reader { file: name.to_owned(), ..Reader::default() };
    // The fence that is open: its ticks, its word, its line, the byte after that line.
    let mut inside: Option<(usize, String, usize, usize)> = None;
    for line in lines(text) {
        if reader.faults.len() >= MAX_FAULTS {
            break;
        }
        let after = (line.start + line.text.len() + 1).min(text.len());
        match (&inside, fence(line.text)) {
            (None, Some((ticks, info))) => {
                let word = info.split_whitespace().next().unwrap_or("");
                if let Some(meant) = meant(word) {
                    let column = line.text.find(word).map_or(1, |at| at + 1);
                    let message = format!("a block that begins with `{word}` is not read: write `{meant}`");
                    reader.fault(FactFault::new(line.number, column, message));
                    reader.broken = false;
                }
                reader.begun = false;
                inside = Some((ticks, word.to_owned(), line.number, after));
            }
            (None, None) => {
                if line.text.starts_with('#') {
                    reader.heading = line.text.trim_start_matches('#').trim().to_owned();
                }
            }
            (Some((ticks, word, opened, from)), Some((closing, ""))) if closing >= *ticks => {
                if word == "case" {
                    reader.close();
                    if !reader.begun {
                        let message =
                            "this block has no case: write `case \"its name\"`, `given GAME` and `then` in it";
                        reader.fault(FactFault::new(*opened, 1, message));
                        reader.broken = false;
                    }
                } else if word == "ruling" {
                    let bytes = *from..line.start.max(*from);
                    let recorded =
                        Recorded { text: text.get(bytes.clone()).unwrap_or("").to_owned(), line: *opened, bytes };
                    reader.ruling(recorded);
                }
                inside = None;
            }
            (Some((_, word, ..)), _) => {
                if word == "case" {
                    reader.line(&line);
                }
            }
        }
    }
    if let Some((ticks, word, opened, _)) = inside {
        let ticks = "`".repeat(ticks);
        if word == "case" || word == "ruling" {
            reader.fault(FactFault::new(opened, 1, format!("the block that begins here is never closed with {ticks}")));
        }
        reader.close();
    }
    (reader.cases, reader.faults)
}

impl Reader {
    fn fault(&mut self, fault: FactFault) {
        self.broken = true;
        self.faults.push(CaseFault {
            file: self.file.clone(),
            case: self.open.as_ref().map_or_else(String::new, |c| clip(&c.name, NAME).into_owned()),
            fault,
        });
    }

    fn close(&mut self) {
        if let Some(case) = &self.open
            && !self.broken
        {
            let (line, given) = (case.line, case.scene.line);
            let expects = case.sections.iter().any(|s| matches!(s, Section::Then(e) if !e.is_empty()));
            if given == 0 {
                self.fault(FactFault::new(line, 1, "the case has no `given GAME`"));
            } else if !expects {
                self.fault(FactFault::new(line, 1, "the case expects nothing: it has no `then`"));
            }
        }
        if let Some(case) = self.open.take()
            && !self.broken
        {
            self.cases.push(case);
        }
        self.broken = false;
    }

    fn ruling(&mut self, recorded: Recorded) {
        let line = recorded.line;
        let problem = match self.cases.last_mut() {
            None => Some("a recorded ruling must stand after a case"),
            Some(case) if case.ruling.is_some() => Some("the case above has a recorded ruling already"),
            Some(case) => {
                case.ruling = Some(recorded);
                None
            }
        };
        if let Some(problem) = problem {
            self.fault(FactFault::new(line, 1, problem));
            self.broken = false;
        }
    }

    fn line(&mut self, line: &Line<'_>) {
        if let Err(fault) = self.take(line) {
            self.fault(fault);
        }
    }

    fn take(&mut self, line: &Line<'_>) -> Result<(), FactFault> {
        let (text, number) = (line.text, line.number);
        let kind = head(text);
        self.begun |= kind != Head::Empty;
        if kind == Head::Case {
            self.close();
            let mut case =
                Case { file: self.file.clone(), heading: self.heading.clone(), line: number, ..Case::default() };
            let pairs = grammar(Rule::case_line, text, number, 1);
            if let Ok(pairs) = &pairs {
                for pair in pairs.clone() {
                    match pair.as_rule() {
                        Rule::quoted => case.name = unquoted(pair),
                        Rule::cite => case.cites.push(pair.as_str().to_owned()),
                        _ => {}
                    }
                }
            }
            self.open = Some(case);
            return pairs.map(|_| ());
        }
        let Some(case) = &mut self.open else {
            if kind == Head::Empty {
                return Ok(());
            }
            // Reported once; what follows belongs to it.
            self.open = Some(Case::default());
            return Err(FactFault::new(number, 1, "a case begins with `case \"its name\"`"));
        };
        if let (Head::Inside, Some(part)) = (kind, misspelt::part(text)) {
            // What follows belongs to that part.
            match part {
                "when" => case.sections.push(Section::When(Vec::new())),
                "then" => case.sections.push(Section::Then(Vec::new())),
                _ => {}
            }
            let column = text.chars().take_while(|c| c.is_whitespace()).count() + 1;
            let message = format!("`{}` begins no part of a case; did you mean `{part}`?", text.trim());
            return Err(FactFault::new(number, column, message));
        }
        match kind {
            Head::Empty | Head::Case => {}
            Head::Given => {
                if case.scene.line != 0 {
                    return Err(FactFault::new(number, 1, "a second `given` in one case"));
                }
                case.scene.line = number;
                case.scene.settings = header(text, number)?;
            }
            Head::When => {
                case.sections.push(Section::When(Vec::new()));
                section(Rule::when_line, text, number)?;
            }
            Head::Then => {
                case.sections.push(Section::Then(Vec::new()));
                section(Rule::then_line, text, number)?;
            }
            Head::Impossible | Head::Inside => match case.sections.last_mut() {
                None if case.scene.line == 0 => {
                    return Err(FactFault::new(number, 1, "`given GAME` is missing here"));
                }
                None => {
                    let mut faults = Vec::new();
                    crate::facts::scene_line(&mut case.scene, text, number, &mut faults);
                    if let Some(first) = faults.into_iter().next() {
                        return Err(first);
                    }
                }
                Some(Section::When(moves)) => moves.push(move_line(text, number)?),
                Some(Section::Then(expected)) => {
                    for piece in then_pieces(text, number)? {
                        let Piece { column, .. } = piece;
                        expected.push(Expected { what: expectation(&piece)?, text: piece.text, line: number, column });
                    }
                }
            },
        }
        Ok(())
    }
}

/// The parts of a `then` line; an expression of the language is one part, however it is spaced.
fn then_pieces(text: &str, line: usize) -> Result<Vec<Piece>, FactFault> {
    let found = pieces(text, line)?;
    match (found.first(), found.last()) {
        (Some(first), Some(last)) if ["holds ", "odds ", "mean "].iter().any(|w| first.text.starts_with(w)) => {
            let from = first.column - 1;
            let length = last.column - first.column + last.text.chars().count();
            Ok(vec![Piece { text: text.chars().skip(from).take(length).collect(), ..first.clone() }])
        }
        _ => Ok(found),
    }
}

fn because(pair: Pair<'_, Rule>) -> Option<Because> {
    match pair.as_rule() {
        Rule::reason | Rule::reference => because(pair.into_inner().next()?),
        Rule::phrase => Some(Because::Reason(pair.as_str().to_owned())),
        Rule::quoted => Some(Because::Label(unquoted(pair))),
        Rule::cite => Some(Because::Cite(pair.as_str().to_owned())),
        _ => None,
    }
}

fn reasons<'a>(pairs: impl Iterator<Item = Pair<'a, Rule>>) -> Vec<Because> {
    pairs.filter(|p| p.as_rule() == Rule::reasons).flat_map(Pair::into_inner).filter_map(because).collect()
}

fn expectation(piece: &Piece) -> Result<Expectation, FactFault> {
    let wrong = || piece.fault("this is not understood");
    let forms = grammar(Rule::assertion, &piece.text, piece.line, piece.column);
    let forms = forms.map_err(|fault| match misspelt::expectation(&piece.text) {
        Some(meant) => piece.fault(format!("`{}` is not understood; did you mean `{meant}`?", piece.text)),
        None => fault,
    });
    let form = forms?.next().ok_or_else(wrong)?;
    let rule = form.as_rule();
    let inner = form.clone().into_inner();
    let text_of = |rule: Rule| inner.clone().find(|p| p.as_rule() == rule).map(|p| p.as_str().trim().to_owned());
    let texts = quoted(inner.clone());
    let text = || texts.first().cloned().ok_or_else(wrong);
    let seat = || text_of(Rule::subject).ok_or_else(wrong);
    let ruled = |seat: Option<String>, verdict: Verdict| {
        Ok(Expectation::Ruled { seat, text: text()?, verdict, because: reasons(inner.clone()) })
    };
    match rule {
        Rule::fact => Ok(Expectation::Fact(piece.clone())),
        Rule::legal => ruled(None, Verdict::Legal),
        Rule::illegal => ruled(None, Verdict::Illegal),
        Rule::undecided => ruled(None, Verdict::Undecided),
        Rule::may => ruled(Some(seat()?), Verdict::Legal),
        Rule::may_not => ruled(Some(seat()?), Verdict::Illegal),
        Rule::may_only => Ok(Expectation::Only(seat()?, texts.clone())),
        Rule::decides => Ok(Expectation::Decides(seat()?)),
        Rule::chance_at => Ok(Expectation::Chance),
        Rule::chance_of => {
            let mut parts = inner.clone().filter(|p| p.as_rule() == Rule::part).map(|p| p.as_str().parse::<u64>());
            match (parts.next(), parts.next()) {
                (Some(Ok(a)), Some(Ok(b))) if b > 0 => Ok(Expectation::Odds(a, b, text()?)),
                _ => Err(piece.fault("this is not a probability: write `chance 1/2 \"...\"`")),
            }
        }
        Rule::odds | Rule::mean => ahead::likely(form).map_err(|m| piece.fault(m.to_string())),
        Rule::forced => ahead::forced(form).map_err(|m| piece.fault(m.to_string())),
        Rule::wins => Ok(Expectation::Wins(seat()?, texts.first().cloned())),
        Rule::draw => Ok(Expectation::Draw(texts.first().cloned())),
        Rule::score => {
            let mut scores = Vec::new();
            for scored in inner.clone().filter(|p| p.as_rule() == Rule::scored) {
                let mut name = String::new();
                for part in scored.into_inner() {
                    match part.as_rule() {
                        Rule::scorer => name = part.as_str().to_owned(),
                        Rule::number => {
                            let number = part.as_str().parse().map_err(|_| wrong())?;
                            scores.push((std::mem::take(&mut name), number));
                        }
                        _ => {}
                    }
                }
            }
            Ok(Expectation::Score(scores))
        }
        Rule::holds => {
            let expr = text_of(Rule::expression).ok_or_else(wrong)?;
            Ok(Expectation::Holds(expr, reasons(inner.clone())))
        }
        Rule::sees | Rule::blind => {
            let object = text_of(Rule::object).ok_or_else(wrong)?;
            Ok(Expectation::Sees(seat()?, rule == Rule::sees, object))
        }
        Rule::brings => {
            let verdicts = [
                (Rule::kw_legal, Verdict::Legal),
                (Rule::kw_illegal, Verdict::Illegal),
                (Rule::kw_undecided, Verdict::Undecided),
            ];
            let verdict = verdicts.iter().find(|(rule, _)| text_of(*rule).is_some()).ok_or_else(wrong)?.1;
            let (name, seat) = (text_of(Rule::bring_name).ok_or_else(wrong)?, text_of(Rule::bringer));
            Ok(Expectation::Brings { name, seat, list: text()?, verdict, because: reasons(inner.clone()) })
        }
        Rule::overruled => {
            let mut found = inner.clone().filter(|p| p.as_rule() == Rule::reference).filter_map(because);
            let lost = found.next().ok_or_else(wrong)?;
            Ok(Expectation::Overruled(lost, found.next()))
        }
        Rule::depends => Ok(Expectation::DependsOn(text_of(Rule::word).ok_or_else(wrong)?)),
        Rule::ask => Ok(Expectation::Ask(None, text()?)),
        Rule::asks => Ok(Expectation::Ask(Some(seat()?), text()?)),
        _ => Err(wrong()),
    }
}
