//! Positions in the notations that the rules describe, such as FEN of chess: read as facts, and written.

use std::collections::BTreeMap;

use super::FactFault;
use super::writer::{fact_lines, fit, tuples};
use crate::explain::Explainer;
use crate::game::{Evaluator as _, Position};
use crate::lexicon::unique_name;
use crate::model::{
    Base, Blank, Codes, Fixed, Holds, KindId, Model, NotationPart, NotationPiece, PositionNotation, Source, Value,
    VarId, Written,
};

/// A position that was read in a notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    /// Its facts, one on a line, with the phrase by which play goes on, as they stand after `given`.
    pub facts: String,
    /// The number of the round, from 1.
    pub round: u32,
}

/// The maximum number of ways of writing a value that a message names.
const MAX_NAMED: usize = 14;

/// The maximum number of digits of a number; more fit no variable.
const MAX_DIGITS: usize = 9;

/// Reads a position in a notation. What is missing at the end is as in a position without facts.
///
/// # Errors
/// The first place where something else should stand, in line 1.
pub fn read_noted(referee: &Explainer, notation: &PositionNotation, text: &str) -> Result<Noted, FactFault> {
    let model = referee.model();
    let blank = referee.blank().map_err(|f| FactFault::new(1, 1, f.words(model)))?;
    let params = model.entries.get(notation.entry).map_or(0, |e| e.params.len());
    let mut reader = Reader {
        model,
        blank: &blank,
        text: text.trim_end(),
        at: text.len() - text.trim_start().len(),
        args: vec![None; params],
        set: BTreeMap::new(),
        round: 1,
    };
    reader.all(notation).map_err(|miss| reader.fault(&miss))?;
    let args: Vec<i32> = reader.args.iter().map(|a| a.unwrap_or_default()).collect();
    let said: Vec<(VarId, usize, Value)> = reader
        .set
        .into_iter()
        .filter(|((var, index), value)| blank.read(model, *var, *index) != *value)
        .map(|((var, index), value)| (var, index, value))
        .collect();
    let facts = fact_lines(model, &said, notation.entry, &args);
    let facts = facts.ok_or_else(|| FactFault::new(1, 1, "this position cannot be told in facts"))?;
    Ok(Noted { facts: facts.join("\n"), round: reader.round })
}

/// What should have stood at a place.
struct Miss {
    at: usize,
    wanted: String,
}

/// What reading a piece tells.
enum Told {
    Param(usize, i32),
    Var(VarId, usize, i32),
    Round(u32),
}

struct Reader<'a> {
    model: &'a Model,
    blank: &'a Position,
    text: &'a str,
    at: usize,
    args: Vec<Option<i32>>,
    set: BTreeMap<(VarId, usize), Value>,
    round: u32,
}

impl Reader<'_> {
    fn rest(&self, at: usize) -> &str {
        self.text.get(at..).unwrap_or("")
    }

    fn fault(&self, miss: &Miss) -> FactFault {
        let column = self.text.get(..miss.at).map_or(0, |before| before.chars().count()) + 1;
        let found = match self.rest(miss.at).split_whitespace().next() {
            Some(word) if !self.rest(miss.at).starts_with(char::is_whitespace) => format!("`{word}`"),
            Some(_) => String::from("a space"),
            None => String::from("the end"),
        };
        FactFault::new(1, column, format!("expected {}, not {found}", miss.wanted))
    }

    fn all(&mut self, notation: &PositionNotation) -> Result<(), Miss> {
        for part in &notation.parts {
            if self.at >= self.text.len() && self.args.iter().all(Option::is_some) {
                return Ok(());
            }
            match part {
                NotationPart::Written(written) => self.once(written, None)?,
                NotationPart::Rows { kind, rows, split, cell } => self.rows(*kind, rows, split, cell)?,
                NotationPart::Each { kind, when, written } => self.each(*kind, when, written)?,
            }
        }
        match self.at < self.text.len() {
            true => Err(Miss { at: self.at, wanted: String::from("the end") }),
            false => Ok(()),
        }
    }

    /// Something that is written once.
    fn once(&mut self, written: &Written, member: Option<u16>) -> Result<(), Miss> {
        let miss = match self.first_way(written, member) {
            Ok(()) => return Ok(()),
            Err(miss) => miss,
        };
        if let Blank::Text(text) = &written.blank {
            if self.rest(self.at).starts_with(text.as_str()) {
                self.at += text.len();
                return Ok(());
            }
            if miss.at == self.at {
                return Err(Miss { wanted: format!("{} or `{text}`", miss.wanted), ..miss });
            }
        }
        Err(miss)
    }

    /// The first way in which something is written here.
    fn first_way(&mut self, written: &Written, member: Option<u16>) -> Result<(), Miss> {
        let mut misses: Vec<Miss> = Vec::new();
        for way in &written.ways {
            match self.way(way, member) {
                Ok((at, told)) => {
                    self.at = at;
                    told.into_iter().for_each(|one| self.note(one));
                    return Ok(());
                }
                Err(miss) => misses.push(miss),
            }
        }
        let at = misses.iter().map(|m| m.at).max().unwrap_or(self.at);
        let wanted: Vec<String> = misses.into_iter().filter(|m| m.at == at).map(|m| m.wanted).collect();
        Err(Miss { at, wanted: wanted.join(" or ") })
    }

    fn note(&mut self, told: Told) {
        match told {
            Told::Param(param, value) => {
                if let Some(arg) = self.args.get_mut(param) {
                    *arg = Some(value);
                }
            }
            Told::Var(var, index, value) => {
                self.set.insert((var, index), Value::Int(value));
            }
            Told::Round(round) => self.round = round,
        }
    }

    /// Where the pieces end, and what they tell.
    fn way(&self, pieces: &[NotationPiece], member: Option<u16>) -> Result<(usize, Vec<Told>), Miss> {
        let (mut at, mut told) = (self.at, Vec::new());
        for piece in pieces {
            match piece {
                NotationPiece::Letters(letters) if self.rest(at).starts_with(letters.as_str()) => at += letters.len(),
                NotationPiece::Letters(letters) => {
                    let space = letters.starts_with(' ') && !self.rest(at).starts_with(' ');
                    let wanted = if space { String::from("a space") } else { format!("`{}`", letters.trim()) };
                    return Err(Miss { at, wanted });
                }
                NotationPiece::Round => {
                    let Some((number, length)) = digits(self.rest(at)).filter(|(n, _)| *n > 0) else {
                        return Err(Miss { at, wanted: String::from("the number of the round") });
                    };
                    told.push(Told::Round(number.unsigned_abs()));
                    at += length;
                }
                NotationPiece::Value { of, codes } => {
                    let (value, length) = self.value(of, codes, at)?;
                    at += length;
                    match of {
                        Source::Param(param) => told.push(Told::Param(*param, value)),
                        Source::Member if member.map(i32::from) == Some(value) => {}
                        Source::Member => return Err(Miss { at, wanted: self.codes_of(codes, member.map(i32::from)) }),
                        Source::Var(var, index) => {
                            let index = place(self.model, index.as_ref(), member);
                            let index = index.ok_or_else(|| Miss { at, wanted: String::from("something else") })?;
                            told.push(Told::Var(*var, index, value));
                        }
                    }
                }
            }
        }
        Ok((at, told))
    }

    /// The value that is written at a place, and the length of what is written.
    fn value(&self, of: &Source, codes: &Codes, at: usize) -> Result<(i32, usize), Miss> {
        let rest = self.rest(at);
        match codes {
            Codes::Each(each) => {
                let fits = each.iter().filter(|(_, text)| rest.starts_with(text.as_str()));
                let longest = fits.max_by_key(|(_, text)| text.len()).map(|(value, text)| (*value, text.len()));
                longest.ok_or_else(|| Miss { at, wanted: self.codes_of(codes, None) })
            }
            Codes::Digits => {
                let range = match of {
                    Source::Var(var, _) => self.model.vars.get(var.i()).map(|v| &v.ty.base),
                    _ => None,
                };
                let (lo, hi) = match range {
                    Some(Base::Range(lo, hi)) => (*lo, *hi),
                    _ => (0, i32::MAX),
                };
                let wanted = match hi {
                    i32::MAX => String::from("a number"),
                    _ => format!("a number from {lo} to {hi}"),
                };
                digits(rest).filter(|(n, _)| (lo..=hi).contains(n)).ok_or(Miss { at, wanted })
            }
        }
    }

    /// What may stand where a value is written.
    fn codes_of(&self, codes: &Codes, only: Option<i32>) -> String {
        let Codes::Each(each) = codes else { return String::from("a number") };
        let texts: Vec<String> =
            each.iter().filter(|(v, _)| only.is_none_or(|o| o == *v)).map(|(_, text)| format!("`{text}`")).collect();
        match texts.split_last() {
            None => String::from("something else"),
            Some((last, [])) => last.clone(),
            Some((last, rest)) if texts.len() <= MAX_NAMED => format!("{} or {last}", rest.join(", ")),
            Some((last, _)) => {
                let first = texts.first().map_or("", String::as_str);
                format!("one of {} from {first} to {last}", texts.len())
            }
        }
    }

    fn rows(&mut self, kind: KindId, rows: &[Vec<u16>], split: &str, cell: &Written) -> Result<(), Miss> {
        for (i, row) in rows.iter().enumerate() {
            if i > 0 {
                if !self.rest(self.at).starts_with(split) {
                    let wanted = format!("`{split}` after row {i}");
                    return Err(Miss { at: self.at, wanted });
                }
                self.at += split.len();
            }
            let mut skipped = 0;
            for (column, member) in row.iter().enumerate() {
                if skipped > 0 {
                    skipped -= 1;
                    continue;
                }
                let Err(miss) = self.once(cell, Some(*member)) else { continue };
                let left = row.len() - column;
                let counted = cell.blank == Blank::Counted;
                if let (true, Some((number, length))) = (counted, digits(self.rest(self.at))) {
                    let number = usize::try_from(number).unwrap_or(0);
                    if (1..=left).contains(&number) {
                        self.at += length;
                        skipped = number - 1;
                        continue;
                    }
                }
                let name = unique_name(self.model, kind, *member);
                let wanted = match (counted, left) {
                    (true, 1) => format!("{}, or `1`, for {name}", miss.wanted),
                    (true, _) => format!("{}, or a number from 1 to {left}, for {name}", miss.wanted),
                    (false, _) => format!("{} for {name}", miss.wanted),
                };
                return Err(Miss { at: miss.at, wanted });
            }
        }
        Ok(())
    }

    fn each(&mut self, kind: KindId, when: &[Holds], written: &Written) -> Result<(), Miss> {
        let model = self.model;
        let mut left: Vec<u16> = (0..model.kinds.get(kind.i()).map_or(0, |k| k.members.len()) as u16).collect();
        for member in &left {
            self.make(when, *member, false);
        }
        let (before, start) = (left.len(), self.at);
        let mut wanted = String::new();
        while let Some(i) = left.iter().position(|member| match self.first_way(written, Some(*member)) {
            Ok(()) => true,
            Err(miss) => {
                if self.at == start && wanted != miss.wanted {
                    wanted = if wanted.is_empty() { miss.wanted } else { format!("{wanted}, {}", miss.wanted) };
                }
                false
            }
        }) {
            let member = left.remove(i);
            self.make(when, member, true);
        }
        if left.len() < before {
            return Ok(());
        }
        match &written.blank {
            Blank::Text(text) if self.rest(self.at).starts_with(text.as_str()) => {
                self.at += text.len();
                Ok(())
            }
            Blank::Text(text) => Err(Miss { at: self.at, wanted: format!("{wanted} or `{text}`") }),
            _ => Ok(()),
        }
    }

    /// Makes conditions hold for a member, or takes a member out of the sets.
    fn make(&mut self, when: &[Holds], member: u16, hold: bool) {
        let model = self.model;
        for one in when {
            match one {
                Holds::In(item, var, index) => {
                    let found = item.of(model, Some(member)).zip(place(model, index.as_ref(), Some(member)));
                    let Some((item, index)) = found else { continue };
                    let blank = || self.blank.read(model, *var, index);
                    let mut value = self.set.get(&(*var, index)).cloned().unwrap_or_else(blank);
                    put(model, *var, &mut value, item, hold);
                    self.set.insert((*var, index), value);
                }
                Holds::Is(var, index, value) if hold => {
                    let found = value.of(model, Some(member)).zip(place(model, index.as_ref(), Some(member)));
                    if let Some((value, index)) = found {
                        self.set.insert((*var, index), Value::Int(value));
                    }
                }
                Holds::Is(..) => {}
            }
        }
    }
}

/// Puts an item into a set, a pile or a bag, or takes it out.
fn put(model: &Model, var: VarId, value: &mut Value, item: i32, inside: bool) {
    let Some(of) = model.vars.get(var.i()).map(|v| &v.ty.base) else { return };
    match (value, of) {
        (Value::Set(set), Base::Set(of)) => {
            if let Some(bit) = of.bit(item) {
                if inside { set.insert(bit) } else { set.remove(bit) }
            }
        }
        (Value::List(items), _) => {
            let Ok(item) = u16::try_from(item) else { return };
            items.retain(|i| *i != item);
            if inside {
                items.push(item);
            }
        }
        (Value::Bag(counts), Base::Bag(of)) => {
            if let Some(count) = of.bit(item).and_then(|bit| counts.get_mut(bit)) {
                *count = if inside { (*count).max(1) } else { 0 };
            }
        }
        _ => {}
    }
}

/// The number at the beginning of a text, and its length.
fn digits(text: &str) -> Option<(i32, usize)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = text.get(..length.min(MAX_DIGITS + 1))?.parse().ok()?;
    (length <= MAX_DIGITS).then_some((number, length))
}

/// The entry of a variable that belongs to a member.
fn place(model: &Model, index: Option<&Fixed>, member: Option<u16>) -> Option<usize> {
    match index {
        None => Some(0),
        Some(index) => usize::try_from(index.of(model, member)?).ok(),
    }
}

/// A position in a notation, with the number of the round; `None` if its entry does not lead to the position.
#[must_use]
pub fn write_noted(
    referee: &Explainer,
    notation: &PositionNotation,
    position: &Position,
    round: u32,
) -> Option<String> {
    let model = referee.model();
    let entry = model.entries.get(notation.entry)?;
    tuples(model, &entry.params).into_iter().find_map(|args| {
        let facts = fit(referee, position, notation.entry, &args)?;
        Writer { model, facts: &facts, args: &args, round }.all(notation)
    })
}

struct Writer<'a> {
    model: &'a Model,
    facts: &'a Position,
    args: &'a [i32],
    round: u32,
}

impl Writer<'_> {
    fn all(&self, notation: &PositionNotation) -> Option<String> {
        let mut out = String::new();
        for part in &notation.parts {
            match part {
                NotationPart::Written(written) => out.push_str(&self.once(written, None)?),
                NotationPart::Rows { rows, split, cell, .. } => {
                    let rows: Option<Vec<String>> = rows.iter().map(|row| self.row(row, cell)).collect();
                    out.push_str(&rows?.join(split));
                }
                NotationPart::Each { kind, when, written } => {
                    let members = 0..self.model.kinds.get(kind.i())?.members.len() as u16;
                    let holding = members.filter(|m| when.iter().all(|one| self.holds(one, *m)));
                    let texts: Option<Vec<String>> = holding.map(|m| self.written(written, Some(m))).collect();
                    match (texts?, &written.blank) {
                        (texts, Blank::Text(text)) if texts.is_empty() => out.push_str(text),
                        (texts, _) => out.push_str(&texts.concat()),
                    }
                }
            }
        }
        Some(out)
    }

    fn row(&self, row: &[u16], cell: &Written) -> Option<String> {
        let (mut out, mut empty) = (String::new(), 0);
        let count = |out: &mut String, empty: &mut usize| {
            if *empty > 0 {
                out.push_str(&empty.to_string());
                *empty = 0;
            }
        };
        for member in row {
            match (self.written(cell, Some(*member)), &cell.blank) {
                (Some(text), _) => {
                    count(&mut out, &mut empty);
                    out.push_str(&text);
                }
                (None, Blank::Counted) => empty += 1,
                (None, Blank::Text(text)) => out.push_str(text),
                (None, Blank::Never) => return None,
            }
        }
        count(&mut out, &mut empty);
        Some(out)
    }

    fn once(&self, written: &Written, member: Option<u16>) -> Option<String> {
        self.written(written, member).or_else(|| match &written.blank {
            Blank::Text(text) => Some(text.clone()),
            _ => None,
        })
    }

    /// The first way whose values are all there.
    fn written(&self, written: &Written, member: Option<u16>) -> Option<String> {
        written.ways.iter().find_map(|way| way.iter().map(|piece| self.piece(piece, member)).collect())
    }

    fn piece(&self, piece: &NotationPiece, member: Option<u16>) -> Option<String> {
        let (of, codes) = match piece {
            NotationPiece::Letters(letters) => return Some(letters.clone()),
            NotationPiece::Round => return Some(self.round.to_string()),
            NotationPiece::Value { of, codes } => (of, codes),
        };
        let value = match of {
            Source::Param(param) => *self.args.get(*param)?,
            Source::Member => i32::from(member?),
            Source::Var(var, index) => {
                self.facts.read(self.model, *var, place(self.model, index.as_ref(), member)?).int()?
            }
        };
        match codes {
            Codes::Digits => Some(value.to_string()),
            Codes::Each(each) => each.iter().find(|(v, _)| *v == value).map(|(_, text)| text.clone()),
        }
    }

    fn holds(&self, one: &Holds, member: u16) -> bool {
        let model = self.model;
        let (Holds::In(item, var, index) | Holds::Is(var, index, item)) = one;
        let found = item.of(model, Some(member)).zip(place(model, index.as_ref(), Some(member)));
        let Some((item, index)) = found else { return false };
        let of = model.vars.get(var.i()).map(|v| &v.ty.base);
        match (self.facts.read(model, *var, index), of) {
            (Value::Int(value), _) => value == item,
            (Value::Set(set), Some(Base::Set(of))) => of.bit(item).is_some_and(|bit| set.contains(bit)),
            (Value::List(items), _) => items.iter().any(|i| i32::from(*i) == item),
            (Value::Bag(counts), Some(Base::Bag(of))) => {
                of.bit(item).and_then(|bit| counts.get(bit)).is_some_and(|count| *count > 0)
            }
            _ => false,
        }
    }
}
