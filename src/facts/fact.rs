//! One fact: what its words mean under the rules.

use super::error::FactError;
use super::guess;
use super::names::{Names, after};
use crate::game::Position;
use crate::lexicon::folded;
use crate::model::{
    Base, Field, FieldStore, KindId, MAX_COPIES, Model, Ty, Value, VarId, as_number, entry_width, scalar_span,
};
use crate::spelling::{fold, nearest};

/// What a fact says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A variable, or entries of an indexed one, have a value: `Frodo, Sam at Rohan`, `active: Dark`, `hand of Good:
    /// Good 1`.
    Is {
        /// The variable.
        var: VarId,
        /// Which entries.
        indices: Vec<u16>,
        /// The value.
        value: Value,
    },
    /// A pile, set or bag has that many members, of a bag each copy counted.
    Size {
        /// The pile.
        var: VarId,
        /// Which.
        index: u16,
        /// How many.
        size: usize,
    },
    /// A pile, set or bag has these among its members; a bag has as many copies as are named.
    Has {
        /// The pile.
        var: VarId,
        /// Which.
        index: u16,
        /// The members.
        members: Vec<i32>,
    },
    /// Where play goes on.
    Entry {
        /// Index into [`Model::entries`].
        entry: usize,
        /// The values of the phrase's parameters.
        args: Vec<i32>,
    },
}

const NOTHING: [&str; 3] = ["none", "nowhere", "nothing"];
/// The members of a kind are all named if they are no more than this.
const MAX_NAMED: usize = 12;

const NO_MEMBERS: [&str; 3] = ["empty", "none", "nothing"];

/// What a fact means.
///
/// # Errors
/// It is not understood, or does not fit.
pub fn resolve(model: &Model, names: &Names, text: &str) -> Result<Fact, FactError> {
    let folded = fold(text);
    let (understood, wrong) = match read(model, names, &folded) {
        Ok(fact) => return Ok(fact),
        Err(wrong) => wrong,
    };
    if let Some(words) = guess::two_facts(&folded, &|part| read(model, names, part).is_ok()) {
        let all: Vec<&str> = text.split_whitespace().collect();
        let (first, second) = all.split_at_checked(words).unwrap_or((&all, &[]));
        let (first, second) = (first.join(" "), second.join(" "));
        return Err(FactError::TwoFacts { first, second });
    }
    if understood < A_FIELD {
        let near = guess::phrases(model, &folded);
        if !near.is_empty() {
            return Err(FactError::NoFact { text: text.to_owned(), near });
        }
    }
    Err(wrong.unwrap_or_else(|| unknown(model, names, text, &folded)).typed(text))
}

/// How much of a fact was understood if its variable or field is known.
const A_FIELD: usize = 100;

/// What a folded text means; otherwise how much of it was understood, and what is wrong with the rest.
fn read(model: &Model, names: &Names, folded: &str) -> Result<Fact, (usize, Option<FactError>)> {
    if let Some(result) = variable(model, names, folded) {
        return result.map_err(|wrong| (A_FIELD, Some(wrong)));
    }
    if let Some(fact) = entry(model, names, folded) {
        return Ok(fact);
    }
    let mut best = (0, None);
    let mut members = Vec::new();
    field(model, names, folded, None, &mut members, &mut best).ok_or(best)
}

/// The error for a text in which nothing is known: what may have been meant.
fn unknown(model: &Model, names: &Names, text: &str, folded: &str) -> FactError {
    if text.starts_with('#') || text.starts_with("/*") {
        return FactError::Comment(text.to_owned());
    }
    if let Some((before, _)) = folded.split_once(':') {
        let name = before.split(" of ").next().unwrap_or(before);
        return FactError::NoVariable { name: name.to_owned(), near: nearest(name, names.known_vars(), 2) };
    }
    let fields = model.kinds.iter().flat_map(|k| &k.fields);
    let subject = fields
        .filter_map(|f| {
            let word = format!(" {} ", fold(&f.name));
            folded.find(&word)
        })
        .min()
        .and_then(|at| folded.get(..at));
    if let Some(subject) = subject {
        let wrong = subject
            .split([',', '/'])
            .map(str::trim)
            .find(|n| names.members(n).all(|(_, _, _, rest)| !rest.is_empty()))
            .unwrap_or(subject);
        return FactError::NoMember { name: wrong.to_owned(), near: names.near(wrong, None, 3) };
    }
    let phrases: Vec<&str> = model.entries.iter().map(|e| e.phrase.text.as_str()).collect();
    let known = names.known(None).chain(phrases.iter().copied());
    FactError::NotAFact { text: text.to_owned(), near: nearest(folded, known, 3) }
}

/// A value written out in full.
fn value(model: &Model, names: &Names, ty: &Ty, text: &str) -> Result<Value, FactError> {
    let text = text.trim();
    match &ty.base {
        Base::Set(of) => {
            let lo = match **of {
                Base::Range(lo, _) => lo,
                _ => 0,
            };
            let items = items(model, names, of, text, false)?;
            let bits = items.iter().filter_map(|i| usize::try_from(i - lo).ok());
            Ok(Value::Set(bits.collect()))
        }
        Base::Bag(of) => {
            let lo = scalar_span(of, &model.kinds).0;
            let mut counts = vec![0u16; entry_width(&ty.base, &model.kinds) as usize];
            for item in items(model, names, of, text, true)? {
                let place = usize::try_from(i64::from(item) - lo).ok().and_then(|i| counts.get_mut(i));
                let n = place.ok_or_else(|| not_a(model, names, of, text))?;
                if *n == u16::from(MAX_COPIES) {
                    return Err(FactError::TooManyCopies);
                }
                *n += 1;
            }
            Ok(Value::Bag(counts))
        }
        Base::List(kind) => {
            let items = items(model, names, &Base::Member(*kind), text, false)?;
            Ok(Value::List(items.iter().map(|i| *i as u16).collect()))
        }
        base => {
            if NOTHING.contains(&text) {
                if ty.optional {
                    return Ok(Value::None);
                }
                return Err(FactError::Required);
            }
            let (item, rest) = item(model, names, base, text)?;
            let rest = rest.trim();
            if rest.starts_with(',') || after(rest, "and").is_some() {
                let what = match base {
                    Base::Member(kind) => model.kinds.get(kind.i()).map_or("value", |k| k.name.as_str()),
                    _ => "value",
                };
                return Err(FactError::Several(what.to_owned()));
            }
            if !rest.is_empty() {
                return Err(not_a(model, names, base, text));
            }
            Ok(Value::Int(item))
        }
    }
}

/// Several values separated by commas; only with `copies` may one be named twice.
fn items(model: &Model, names: &Names, of: &Base, text: &str, copies: bool) -> Result<Vec<i32>, FactError> {
    let mut all = Vec::new();
    if NO_MEMBERS.contains(&text) {
        return Ok(all);
    }
    let mut rest = text;
    loop {
        let (number, named) = if copies { portion(names, of, rest)? } else { (1, rest) };
        let (one, after_it) = item(model, names, of, named)?;
        if !copies && all.contains(&one) {
            let word = rest.get(..rest.len() - after_it.len()).unwrap_or(rest);
            return Err(FactError::Twice(word.trim().to_owned()));
        }
        all.extend(std::iter::repeat_n(one, number));
        let next = after_it.trim_start();
        if next.is_empty() {
            return Ok(all);
        }
        let joined = next.strip_prefix(',').or_else(|| next.strip_prefix("and "));
        rest = match joined.or_else(|| next.strip_prefix('+').filter(|_| copies)) {
            Some(r) => r.trim_start(),
            None => return Err(not_a(model, names, of, rest)),
        };
    }
}

/// The number of copies before a member in a bag, `3 Archer`, and the text from the member on; 1 without a number. A
/// name that begins with a number is a name.
fn portion<'a>(names: &Names, of: &Base, text: &'a str) -> Result<(usize, &'a str), FactError> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at_checked(digits).unwrap_or(("", text));
    let is_member = matches!(of, Base::Member(kind) if names.members(text).all(|(k, ..)| k != *kind));
    if number.is_empty() || !is_member || !rest.starts_with(' ') {
        return Ok((1, text));
    }
    match number.parse::<usize>() {
        Ok(n) if n <= usize::from(MAX_COPIES) => Ok((n, rest.trim_start())),
        _ => Err(FactError::TooManyCopies),
    }
}

/// One value at the beginning of a text, and what is left.
fn item<'a>(model: &Model, names: &'a Names, base: &Base, text: &'a str) -> Result<(i32, &'a str), FactError> {
    let wrong = || not_a(model, names, base, text);
    match base {
        Base::Member(kind) => member(model, names, *kind, text),
        Base::Bool => [("true", 1), ("yes", 1), ("false", 0), ("no", 0)]
            .iter()
            .find_map(|(w, v)| Some((*v, after(text, w)?)))
            .ok_or_else(wrong),
        Base::Int | Base::Range(..) => {
            let digits = text
                .char_indices()
                .find(|(i, c)| !(c.is_ascii_digit() || *i == 0 && *c == '-'))
                .map_or(text.len(), |(i, _)| i);
            let (number, rest) = text.split_at_checked(digits).ok_or_else(wrong)?;
            let number = number.parse().ok().and_then(as_number).ok_or_else(wrong)?;
            match base {
                Base::Range(lo, hi) if !(*lo..=*hi).contains(&number) => {
                    Err(FactError::OutOfRange { number, lo: *lo, hi: *hi })
                }
                _ => Ok((number, rest)),
            }
        }
        _ => Err(FactError::NotStored),
    }
}

/// The member of a kind whose name begins a (folded) text, and the text after it.
///
/// # Errors
/// There is none, or the name is shared by several.
pub(crate) fn member<'a>(
    model: &Model,
    names: &'a Names,
    kind: KindId,
    text: &'a str,
) -> Result<(i32, &'a str), FactError> {
    if let Some((a, b, n)) = model.pair(kind) {
        let (first, rest) = member(model, names, a, text)?;
        let rest = rest.trim_start();
        let rest = rest.strip_prefix(',').ok_or_else(|| FactError::TwoIndices(pair_words(model, kind)))?;
        let (second, rest) = member(model, names, b, rest.trim_start())?;
        return Ok((first * n as i32 + second, rest));
    }
    let mut found: Vec<(u16, bool, &str)> =
        names.members(text).filter(|(k, ..)| *k == kind).map(|(_, m, id, rest)| (m, id, rest)).collect();
    let longest = found.iter().map(|f| f.2.len()).min();
    found.retain(|f| Some(f.2.len()) == longest);
    if found.iter().any(|f| f.1) {
        found.retain(|f| f.1);
    }
    found.dedup_by_key(|f| f.0);
    match found.as_slice() {
        [] => Err(not_a(model, names, &Base::Member(kind), text)),
        [(m, _, rest)] => Ok((i32::from(*m), rest)),
        several => {
            let members = several.iter().filter_map(|(m, ..)| model.kinds.get(kind.i())?.members.get(*m as usize));
            Err(FactError::Shared(members.map(|m| m.id.clone()).collect()))
        }
    }
}

/// An example of a pair of members.
fn pair_words(model: &Model, kind: KindId) -> String {
    model.kinds.get(kind.i()).and_then(|k| k.members.first()).map(|m| m.id.clone()).unwrap_or_default()
}

/// The members of a kind, if they are few.
fn few(model: &Model, kind: KindId) -> Vec<String> {
    let members = model.kinds.get(kind.i()).map_or(&[][..], |k| &k.members);
    let few = members.len() <= MAX_NAMED;
    members.iter().filter(|_| few).map(|m| m.name.text.clone()).collect()
}

/// Why a text is not a value of the base, with near names.
pub(crate) fn not_a(model: &Model, names: &Names, base: &Base, text: &str) -> FactError {
    let word = text.split(',').next().unwrap_or(text).trim();
    match base {
        _ if word.starts_with(':') => FactError::Colon,
        Base::Member(kind) => {
            let what = model.kinds.get(kind.i()).map_or("?", |k| k.name.as_str());
            let other =
                names.members(word).find(|(_, _, _, rest)| rest.is_empty()).and_then(|(k, ..)| model.kinds.get(k.i()));
            match other {
                Some(k) if k.name != what => {
                    FactError::OtherKind { name: word.to_owned(), kind: k.name.clone(), needed: what.to_owned() }
                }
                _ => {
                    let near = names.near(word, Some(*kind), 3);
                    let few = if near.is_empty() { few(model, *kind) } else { Vec::new() };
                    FactError::NoSuchMember { name: word.to_owned(), kind: what.to_owned(), near, few }
                }
            }
        }
        Base::Bool => FactError::NotATruth(word.to_owned()),
        Base::Range(lo, hi) => FactError::NotInRange { text: word.to_owned(), lo: *lo, hi: *hi },
        _ => FactError::NotANumber(word.to_owned()),
    }
}

/// `hand of Good: ...`, `active: Dark`, `hand of Good has 9`. `None` if it has another form.
fn variable(model: &Model, names: &Names, text: &str) -> Option<Result<Fact, FactError>> {
    names.vars(text).find_map(|(var, rest)| variable_as(model, names, var, rest))
}

fn variable_as(model: &Model, names: &Names, var: VarId, rest: &str) -> Option<Result<Fact, FactError>> {
    let decl = model.vars.get(var.i())?;
    let rest = rest.trim_start();
    let bracket = rest.strip_prefix('[');
    let place = bracket.or_else(|| after(rest, "of").map(str::trim_start));
    let (index, rest) = match (place, decl.index) {
        (None, index) => (index.map(|_| None), rest),
        (Some(_), None) => {
            return Some(Err(FactError::OnlyOne(decl.name.clone())));
        }
        (Some(text), Some(kind)) => match member(model, names, kind, text) {
            Err(e) => return Some(Err(e)),
            Ok((m, rest)) => {
                let rest = match bracket {
                    Some(_) => rest.trim_start().strip_prefix(']')?,
                    None => rest,
                };
                (Some(Some(m as u16)), rest)
            }
        },
    };
    let rest = rest.trim_start();
    let colon = rest.strip_prefix(':');
    let has = after(rest, "has");
    if colon.is_none() && has.is_none() {
        return None;
    }
    let index = match index {
        None => 0,
        Some(Some(i)) => i,
        Some(None) => {
            let kind = decl.index.and_then(|k| model.kinds.get(k.i())).map_or("?", |k| k.name.as_str());
            return Some(Err(FactError::OneForEach { name: decl.name.clone(), kind: kind.to_owned() }));
        }
    };
    if let Some(text) = colon {
        return Some(value(model, names, &decl.ty, text).map_err(|e| e.of(&decl.name)).map(|value| Fact::Is {
            var,
            indices: vec![index],
            value,
        }));
    }
    Some(having(model, names, var, index, has?.trim()))
}

fn having(model: &Model, names: &Names, var: VarId, index: u16, text: &str) -> Result<Fact, FactError> {
    let decl = model.vars.get(var.i());
    let of = match decl.map(|v| &v.ty.base) {
        Some(Base::Set(of)) => (**of).clone(),
        Some(Base::List(kind)) => Base::Member(*kind),
        Some(Base::Bag(of)) => (**of).clone(),
        _ => return Err(FactError::NotAPile),
    };
    let copies = matches!(decl.map(|v| &v.ty.base), Some(Base::Bag(_)));
    let mut words = text.split_whitespace();
    let number = words.next().and_then(|w| w.parse::<usize>().ok());
    let simple = words.count() <= 1;
    let numbers = matches!(of, Base::Range(..));
    let counted = copies && portion(names, &of, text).is_ok_and(|(_, named)| item(model, names, &of, named).is_ok());
    match number {
        Some(size) if simple && !numbers && !counted => Ok(Fact::Size { var, index, size }),
        _ => Ok(Fact::Has { var, index, members: items(model, names, &of, text, copies)? }),
    }
}

/// `Dark to move`
fn entry(model: &Model, names: &Names, text: &str) -> Option<Fact> {
    model.entries.iter().enumerate().find_map(|(i, e)| {
        folded(&e.phrase).iter().find_map(|phrase| {
            let mut args = vec![None; e.params.len()];
            phrase_fits(model, names, &e.params, phrase, text, &mut args).then_some(())?;
            let args = args.into_iter().collect::<Option<Vec<i32>>>()?;
            Some(Fact::Entry { entry: i, args })
        })
    })
}

fn phrase_fits(
    model: &Model,
    names: &Names,
    params: &[(String, Ty)],
    phrase: &str,
    text: &str,
    args: &mut Vec<Option<i32>>,
) -> bool {
    let Some((before, rest)) = phrase.split_once('{') else {
        return phrase.trim() == text.trim();
    };
    let Some((name, rest)) = rest.split_once('}') else {
        return false;
    };
    let Some(text) = text.trim_start().strip_prefix(before.trim_start()) else {
        return false;
    };
    let Some(p) = params.iter().position(|(n, _)| fold(n) == name.trim()) else {
        return false;
    };
    let ways: Vec<(i32, &str)> = match params.get(p).map(|(_, ty)| &ty.base) {
        Some(Base::Member(kind)) => {
            names.members(text).filter(|(k, ..)| k == kind).map(|(_, m, _, rest)| (i32::from(m), rest)).collect()
        }
        Some(base) => item(model, names, base, text).into_iter().collect(),
        None => Vec::new(),
    };
    ways.into_iter().any(|(value, text)| {
        if let Some(place) = args.get_mut(p) {
            *place = Some(value);
        }
        phrase_fits(model, names, params, rest, text, args)
    })
}

/// `Frodo, Sam at Rohan`: the members first, then the field. The error that understood most of the text is kept.
fn field(
    model: &Model,
    names: &Names,
    text: &str,
    kind: Option<KindId>,
    members: &mut Vec<u16>,
    best: &mut (usize, Option<FactError>),
) -> Option<Fact> {
    for (k, m, _, rest) in names.members(text) {
        if kind.is_some_and(|kind| kind != k) || members.contains(&m) {
            continue;
        }
        members.push(m);
        let rest = rest.trim_start();
        let more = rest.strip_prefix(',').or_else(|| after(rest, "and"));
        let found = match more {
            Some(rest) => field(model, names, rest.trim_start(), Some(k), members, best),
            None => field_of(model, names, k, rest, members, best),
        };
        if found.is_some() {
            return found;
        }
        members.pop();
    }
    let progress = members.len();
    if best.1.is_none() && progress > 0 {
        let word = text.split(',').next().unwrap_or(text);
        let kind_name = kind.and_then(|k| model.kinds.get(k.i())).map_or("member", |k| k.name.as_str());
        let near = names.near(word.split(" at ").next().unwrap_or(word), kind, 2);
        *best = (progress, Some(FactError::NotBegun { text: word.to_owned(), kind: kind_name.to_owned(), near }));
    }
    None
}

/// How a text may call a field: by its name, and by the labels of what it stores; folded.
pub(crate) fn spelt(model: &Model, field: &Field) -> Vec<String> {
    let stored = match &field.store {
        FieldStore::Var(v) => model.vars.get(v.i()).map_or(Vec::new(), |v| folded(&v.label)),
        FieldStore::Printed(_) => Vec::new(),
    };
    std::iter::once(fold(&field.name)).chain(folded(&field.label)).chain(stored).collect()
}

fn field_of(
    model: &Model,
    names: &Names,
    kind: KindId,
    text: &str,
    members: &[u16],
    best: &mut (usize, Option<FactError>),
) -> Option<Fact> {
    let decl = model.kinds.get(kind.i())?;
    let mut blame = |progress: usize, error: FactError| {
        if best.1.is_none() || progress > best.0 {
            *best = (progress, Some(error));
        }
    };
    let (negated, body) = match after(text, "not") {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    };
    let mut fields: Vec<(&Field, &str)> = decl
        .fields
        .iter()
        .filter_map(|f| {
            let rest = spelt(model, f).into_iter().filter_map(|n| after(body, &n)).min_by_key(|r| r.len());
            Some((f, rest?))
        })
        .collect();
    fields.sort_by_key(|(_, rest)| rest.len());
    for (field, rest) in fields {
        let rest = rest.trim();
        let FieldStore::Var(var) = field.store else {
            blame(A_FIELD, FactError::Printed(field.name.clone()));
            continue;
        };
        let read = if rest.is_empty() && field.ty.base == Base::Bool {
            Ok(Value::bool(!negated))
        } else if negated {
            Err(FactError::CannotDeny)
        } else if rest.is_empty() {
            Err(FactError::NoValue)
        } else {
            value(model, names, &field.ty, rest)
        };
        match read {
            Ok(value) => {
                return Some(Fact::Is { var, indices: members.to_vec(), value });
            }
            Err(e) => blame(A_FIELD + field.name.len(), e.of(&field.name)),
        }
    }
    let word = body.split_whitespace().next().unwrap_or("");
    let known = || decl.fields.iter().filter(|f| matches!(f.store, FieldStore::Var(_))).map(|f| f.name.as_str());
    let (kind, fields) = (decl.name.clone(), known().map(str::to_owned).collect::<Vec<String>>());
    let what = match (word.is_empty(), fields.is_empty()) {
        (_, true) => FactError::NothingChanges(kind),
        (true, _) => FactError::NoField { kind, fields },
        (false, _) => FactError::NoSuchField { kind, name: word.to_owned(), fields, near: nearest(word, known(), 2) },
    };
    blame(members.len() + 1, what);
    None
}

impl Fact {
    /// Writes the fact into a position.
    ///
    /// # Errors
    /// It cannot be written into a position, or does not fit.
    pub fn put(&self, model: &Model, position: &mut Position) -> Result<(), FactError> {
        let Fact::Is { var, indices, value } = self else {
            return Err(FactError::NotStated);
        };
        let name = model.vars.get(var.i()).map_or("?", |v| v.name.as_str());
        for index in indices {
            if !position.write(model, *var, *index as usize, value) {
                return Err(FactError::CannotState(name.to_owned()));
            }
        }
        Ok(())
    }
}
