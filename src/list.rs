//! Lists that seats bring to the game, as text: `army for skirmish with points 500`, then the things in it.

use std::fmt::Write as _;

use crate::explain::Explainer;
use crate::facts::parse::{Rule, column, parse as grammar, take_settings};
use crate::facts::{FactFault, MAX_FAULTS, Names, Piece, Settings, member_named, no_member, unique_name};
use crate::game::{Brought, Evaluator as _};
use crate::model::{Base, Bring, BringId, KindId, Model, Section};
use crate::spelling::{fold, hint, nearest};

/// A list as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// The name of what is brought, and where it stands.
    pub name: Piece,
    /// The game and its options.
    pub settings: Settings,
    /// Where the game is named.
    pub game: Piece,
    /// What is in it, line by line.
    pub lines: Vec<Piece>,
}

/// One item of a list: a thing and its number.
#[derive(Clone, Copy, Debug)]
struct Portion<'a> {
    count: usize,
    member: u16,
    section: u16,
    line: &'a Piece,
    /// Bytes of the folded line from here on.
    left: usize,
}

/// The maximum number of members that are told in digits.
const MAX_COUNT: usize = 99_999;

const BEGINNING: &str = "a list begins with what it is and the game, for example `army for skirmish with points 500`";

impl List {
    /// Parses the text of a list. Names are not looked up yet.
    ///
    /// # Errors
    /// Its first line does not say what it is.
    pub fn parse(text: &str) -> Result<List, FactFault> {
        let mut roster: Option<List> = None;
        for (i, raw) in text.lines().enumerate() {
            let line = i + 1;
            let bare = raw.split("//").next().unwrap_or("");
            if bare.trim().is_empty() {
                continue;
            }
            match &mut roster {
                None => roster = Some(head(raw, line)?),
                Some(roster) => {
                    let indent = bare.chars().take_while(|c| c.is_whitespace()).count();
                    roster.lines.push(Piece { text: bare.trim().to_owned(), line, column: indent + 1 });
                }
            }
        }
        roster.ok_or_else(|| FactFault::new(1, 1, BEGINNING))
    }
}

fn head(text: &str, line: usize) -> Result<List, FactFault> {
    let mut roster = List::default();
    let pairs = grammar(Rule::roster_line, text, line, 1)
        .map_err(|f| FactFault { message: format!("{BEGINNING}; {}", f.message.replace("a space", "`for`")), ..f })?;
    for pair in pairs {
        let piece = Piece { text: pair.as_str().to_owned(), line, column: column(&pair, 1) };
        match pair.as_rule() {
            Rule::bring_name => roster.name = piece,
            Rule::game => {
                roster.settings.game.clone_from(&piece.text);
                roster.game = piece;
            }
            Rule::settings => {
                let at = piece.column;
                take_settings(pair, &mut roster.settings).map_err(|e| FactFault::new(line, at, e.to_string()))?;
            }
            _ => {}
        }
    }
    Ok(roster)
}

/// Why a name means nothing that is brought to a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    /// Nobody brings anything to the game.
    #[error("the game {game} has no `bring`: nobody brings anything to it")]
    NoBrings {
        /// The game.
        game: String,
    },
    /// Nobody brings that.
    #[error("nobody brings `{name}` to {game} (there is {}){}", known.join(", "), hint(near))]
    NoSuchBring {
        /// The name.
        name: String,
        /// The game.
        game: String,
        /// What is brought to it.
        known: Vec<String>,
        /// What may have been meant.
        near: Vec<String>,
    },
}

/// What is brought under that name.
///
/// # Errors
/// The game has no such thing.
pub fn bring_named(model: &Model, name: &str) -> Result<BringId, ListError> {
    let wanted = fold(name);
    let known = || model.brings.iter().map(|b| b.name.as_str());
    let found = model.brings.iter().position(|b| fold(&b.name) == wanted);
    found.map(|i| BringId(i as u16)).ok_or_else(|| match known().next() {
        None => ListError::NoBrings { game: model.name.clone() },
        Some(_) => ListError::NoSuchBring {
            name: name.to_owned(),
            game: model.name.clone(),
            known: known().map(str::to_owned).collect(),
            near: nearest(name, known(), 2),
        },
    })
}

/// The members that a list names, each as often as it comes.
///
/// # Errors
/// An item that cannot be read, or more things than the seat has places for; a fault of the rules before the game
/// begins is reported at the first line.
pub fn members(
    referee: &Explainer,
    bring: BringId,
    seat: u16,
    lines: &[Piece],
) -> Result<Vec<Brought>, Vec<FactFault>> {
    let model = referee.model();
    let Some(declared) = model.brings.get(bring.i()) else {
        return Ok(Vec::new());
    };
    let names = Names::new(model);
    let mut faults = Vec::new();
    let mut all = Vec::new();
    let mut section = 0;
    let parts: Vec<Piece>;
    let lines = match declared.sections.is_empty() {
        true => lines,
        false => {
            parts = lines.iter().flat_map(parts_of).collect();
            &parts
        }
    };
    for line in lines {
        let read = section_head(model, &names, declared, line).and_then(|(begun, items)| {
            section = begun.unwrap_or(section);
            read_line(model, &names, (declared.of, section), items, line, &mut all)
        });
        read.unwrap_or_else(|f| faults.push(f));
        if faults.len() >= MAX_FAULTS {
            break;
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let first = lines.first().map_or((1, 1), |l| (l.line, l.column));
    let takers = referee.takers(bring, seat);
    let room = takers.map_err(|f| vec![FactFault::new(first.0, first.1, f.words(model))])?.len();
    let mut list = Vec::new();
    let whole = all.iter().fold(0usize, |n, s| n.saturating_add(s.count));
    for some in all {
        if some.count > room - list.len() {
            let many = if whole > MAX_COUNT { String::from("more") } else { whole.to_string() };
            let message = format!("there is room for {room}, and these are {many}");
            let column = some.line.column + place(&some.line.text, &fold(&some.line.text), some.left);
            return Err(vec![FactFault::new(some.line.line, column, message)]);
        }
        list.extend(std::iter::repeat_n(Brought { member: some.member, section: some.section }, some.count));
    }
    Ok(list)
}

/// The parts of a line of a list with sections, which `;` separates.
fn parts_of(line: &Piece) -> Vec<Piece> {
    let mut column = line.column;
    let mut parts = Vec::new();
    for part in line.text.split(';') {
        let indent = part.chars().take_while(|c| c.is_whitespace()).count();
        parts.push(Piece { text: part.trim().to_owned(), line: line.line, column: column + indent });
        column += part.chars().count() + 1;
    }
    parts
}

/// The section that a line begins (`deck: 2 Sword`), if it begins one, and how many bytes of the folded line are left
/// after that.
fn section_head(model: &Model, names: &Names, bring: &Bring, line: &Piece) -> Result<(Option<u16>, usize), FactFault> {
    let folded = fold(&line.text);
    let Some((head, after)) = folded.split_once(':') else {
        return Ok((None, folded.len()));
    };
    let head = head.trim_end();
    if let Some(at) = bring.sections.iter().position(|s| is_called(s, head)) {
        return Ok((Some(at as u16), after.trim_start().len()));
    }
    let item = counted(&folded).map_or(folded.as_str(), |(_, name)| name);
    if member_named(model, names, bring.of, item).is_ok() || bring.sections.is_empty() && !after.is_empty() {
        return Ok((None, folded.len()));
    }
    let known = || bring.sections.iter().map(|s| s.name.as_str());
    let written = line.text.split(':').next().unwrap_or("").trim_end();
    let message = match known().collect::<Vec<_>>().join(", ") {
        known if known.is_empty() => format!("`{written}:` would begin a section, and `{}` has none", bring.name),
        list => {
            let near = hint(&nearest(written, known(), 2));
            format!("`{}` has no section `{written}` (there is {list}){near}", bring.name)
        }
    };
    Err(FactFault::new(line.line, line.column, message).over(written.chars().count().max(1)))
}

fn is_called(section: &Section, folded: &str) -> bool {
    let label = std::iter::once(&section.label.text).chain(section.label.translations.iter().map(|(_, t)| t));
    std::iter::once(&section.name).chain(label).any(|name| !name.is_empty() && fold(name) == folded)
}

/// What is in a list as text that [`members`] reads again: `deck: 2 Sword, 1 Bow; sideboard: 1 Sword`.
#[must_use]
pub fn text(model: &Model, bring: BringId, things: &[Brought]) -> String {
    let mut out = String::new();
    let Some(bring) = model.brings.get(bring.i()) else {
        return out;
    };
    let mut section = None;
    for same in things.chunk_by(|a, b| a == b) {
        let Some(first) = same.first() else { continue };
        match bring.sections.get(usize::from(first.section)) {
            Some(begun) if section != Some(first.section) => {
                let _ = write!(out, "{}{}: ", if section.is_none() { "" } else { "; " }, begun.name);
            }
            _ if out.is_empty() => {}
            _ => out.push_str(", "),
        }
        section = Some(first.section);
        let name = unique_name(model, bring.of, first.member);
        let members = model.kinds.get(bring.of.i()).map_or(&[][..], |k| &k.members);
        let id = members.get(usize::from(first.member)).map_or("?", |m| m.id.as_str());
        // Quotes and separators would be read as the end of the text or of the section.
        let name = if name.contains(['"', ';', ':', '/']) { id } else { &name };
        let _ = write!(out, "{} {name}", same.len());
    }
    out
}

fn read_line<'a>(
    model: &Model,
    names: &Names,
    (of, section): (KindId, u16),
    left: usize,
    line: &'a Piece,
    all: &mut Vec<Portion<'a>>,
) -> Result<(), FactFault> {
    let folded = fold(&line.text);
    let mut rest = folded.get(folded.len().saturating_sub(left)..).unwrap_or("");
    if rest.is_empty() {
        return Ok(());
    }
    loop {
        let at = |rest: &str| line.column + place(&line.text, &folded, rest.len());
        let fault = |rest: &str, message: String| {
            let width = rest.split(',').next().unwrap_or(rest).trim_end().chars().count();
            FactFault::new(line.line, at(rest), message).over(width.max(1))
        };
        let (count, name) = match (member_named(model, names, of, rest), counted(rest)) {
            (Err(_), Some((count, name))) => (count, name),
            _ => (1, rest),
        };
        if name.is_empty() {
            return Err(fault(rest, String::from("expected a name after the number")));
        }
        let (member, after) =
            member_named(model, names, of, name).map_err(|e| fault(name, e.typed(&line.text).to_string()))?;
        if count == 0 {
            return Err(fault(rest, String::from("none of them: leave it out")));
        }
        all.push(Portion { count, member: member as u16, section, line, left: rest.len() });
        let after = after.trim_start();
        if after.is_empty() {
            return Ok(());
        }
        match after.strip_prefix(',') {
            Some(next) if next.trim().is_empty() => {
                return Err(fault(after, String::from("expected a name after the comma")));
            }
            Some(next) => rest = next.trim_start(),
            None => {
                let message = no_member(model, names, &Base::Member(of), name).typed(&line.text);
                return Err(fault(name, format!("{message} (several stand with commas between)")));
            }
        }
    }
}

/// `3 ...`, `3x ...`: how many, and of what.
fn counted(text: &str) -> Option<(usize, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at_checked(digits)?;
    // A number too large to parse is more than there is room for.
    let count = if number.is_empty() { return None } else { number.parse().unwrap_or(usize::MAX) };
    let rest = rest.trim_start();
    let name = rest.strip_prefix("x ").or_else(|| rest.strip_prefix('×')).unwrap_or(rest);
    Some((count, name.trim_start()))
}

/// How many characters into the text as written the last `left` bytes of the folded one begin.
fn place(text: &str, folded: &str, left: usize) -> usize {
    let before = folded.get(..folded.len().saturating_sub(left)).unwrap_or("");
    let before = before.chars().filter(|c| !c.is_whitespace()).count();
    let letters = text.chars().enumerate().filter(|(_, c)| !c.is_whitespace());
    letters.map(|(i, _)| i).nth(before).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_says_what_it_is() {
        let roster =
            List::parse("// mine\n\narmy for skirmish with points 500, no heroes // small\n  3 Elf // three\n")
                .unwrap();
        assert_eq!((roster.name.text.as_str(), roster.settings.game.as_str()), ("army", "skirmish"));
        assert_eq!(roster.settings.list(), "points 500, no heroes");
        assert_eq!(roster.lines, [Piece { text: "3 Elf".into(), line: 4, column: 3 }]);
        for (text, place) in [("", "1:1"), ("army of skirmish\nElf", "1:6"), ("army for skirmish wiht x\n", "1:19")] {
            let fault = List::parse(text).unwrap_err().to_string();
            assert!(fault.starts_with(place) && fault.contains("a list begins with"), "{fault}");
        }
    }

    #[test]
    fn a_number_says_how_many() {
        assert_eq!(counted("3 rohan warrior"), Some((3, "rohan warrior")));
        assert_eq!(counted("3x elf"), Some((3, "elf")));
        assert_eq!(counted("12"), Some((12, "")));
        assert_eq!(counted("elf"), None);
        assert_eq!(counted("99999999999999999999999 elf"), Some((usize::MAX, "elf")));
    }

    #[test]
    fn places_are_those_of_the_text() {
        assert_eq!(place("Elf,   3  Orc", "elf, 3 orc", 3), 10);
        assert_eq!(place("Elf", "elf", 3), 0);
    }
}
