//! Names as a tree of letters: which values' names does a text begin with?

use crate::lexicon::value_text;
use crate::model::{Base, FieldStore, KindId, Model, Value};

/// The names of the values of an argument, for finding them at the beginning of a text.
#[derive(Clone, Debug)]
pub(super) enum Names {
    /// By name: node 0 is the root.
    Tree(Vec<Node>),
    /// In digits.
    Digits,
}

/// All names with the same beginning.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    /// The letters that come next in all of them.
    letters: Box<[u8]>,
    /// The values whose name ends then.
    values: Vec<i32>,
    /// By the letter that follows, the node for the others.
    next: Vec<(u8, u32)>,
}

/// Numbers of more digits are left alone: they fit no variable.
const MAX_DIGITS: usize = 9;

impl Names {
    /// The names of the values of a base; `None` unless they are few and fixed.
    pub fn new(model: &Model, base: &Base, lang: &str) -> Option<Names> {
        let count = match base {
            Base::Bool => 2,
            // What a member is called may depend on the position.
            Base::Member(kind) => model.kinds.get(kind.i()).filter(|k| k.called.is_none())?.members.len(),
            Base::Int | Base::Range(..) => return Some(Names::Digits),
            _ => return None,
        };
        let values = (0..i32::try_from(count).ok()?).map(Value::Int);
        Names::of(values.map(|value| value_text(model, base, &value, lang)))
    }

    /// The printed values of a field, for the members of a kind; `None` if the field changes in play, or is empty for
    /// some.
    pub fn printed(model: &Model, kind: KindId, field: usize, lang: &str) -> Option<Names> {
        let field = model.kinds.get(kind.i())?.fields.get(field)?;
        let FieldStore::Printed(values) = &field.store else {
            return None;
        };
        if values.contains(&Value::None) || matches!(field.ty.base, Base::Set(_) | Base::List(_)) {
            return None;
        }
        Names::of(values.iter().map(|value| value_text(model, &field.ty.base, value, lang)))
    }

    /// Value 0 is called by the first text, 1 by the next. Notations are compared without the space around them, so no
    /// name may have any.
    fn of(texts: impl Iterator<Item = String>) -> Option<Names> {
        let mut all: Vec<(String, i32)> = texts.zip(0..).collect();
        if all.iter().any(|(name, _)| name.trim() != name) {
            return None;
        }
        all.sort();
        let mut tree = Vec::new();
        grow(&mut tree, &all, 0);
        Some(Names::Tree(tree))
    }

    /// Whether nothing at all may be the name of something.
    pub fn may_be_empty(&self) -> bool {
        let is_any = |root: &Node| root.letters.is_empty() && !root.values.is_empty();
        matches!(self, Names::Tree(tree) if tree.first().is_some_and(is_any))
    }

    /// Calls `f` with each value whose name begins a text, and the length of that name, until `f` returns `None`.
    pub fn each(&self, text: &[u8], f: &mut impl FnMut(i32, usize) -> Option<()>) -> Option<()> {
        match self {
            Names::Tree(tree) => {
                let (mut node, mut at) = (tree.first()?, 0);
                while let Some(rest) = text.get(at..).and_then(|t| t.strip_prefix(&*node.letters)) {
                    at = text.len() - rest.len();
                    for value in &node.values {
                        f(*value, at)?;
                    }
                    let Some((_, next)) = rest.first().and_then(|l| node.next.iter().find(|(n, _)| n == l)) else {
                        break;
                    };
                    at += 1;
                    node = tree.get(*next as usize)?;
                }
            }
            Names::Digits => {
                let negative = text.first() == Some(&b'-');
                let sign = usize::from(negative);
                let digits = text.get(sign..).unwrap_or(&[]);
                let mut number = 0;
                for (i, digit) in digits.iter().take(MAX_DIGITS).enumerate() {
                    if !digit.is_ascii_digit() {
                        break;
                    }
                    number = 10 * number + i32::from(digit - b'0');
                    let zero = number == 0;
                    if !(zero && negative) {
                        f(if negative { -number } else { number }, sign + i + 1)?;
                    }
                    if zero {
                        break;
                    }
                }
            }
        }
        Some(())
    }
}

/// Makes the node of sorted names, of which the first letters are known, and all below it.
fn grow(tree: &mut Vec<Node>, names: &[(String, i32)], known: usize) {
    let rest = |i: usize| names.get(i).and_then(|(name, _)| name.as_bytes().get(known..)).unwrap_or(&[]);
    // Sorted, they all share what the first and the last do.
    let (first, last) = (rest(0), rest(names.len().saturating_sub(1)));
    let shared = first.iter().zip(last).take_while(|(a, b)| a == b).count();
    let known = known + shared;
    let ended = names.iter().take_while(|(name, _)| name.len() == known).count();
    let (ended, mut names) = names.split_at(ended);
    let at = tree.len();
    let values = ended.iter().map(|(_, value)| *value).collect();
    tree.push(Node { letters: first.iter().take(shared).copied().collect(), values, next: Vec::new() });
    while let Some(letter) = names.first().and_then(|(name, _)| name.as_bytes().get(known)) {
        let count = names.iter().take_while(|(name, _)| name.as_bytes().get(known) == Some(letter)).count();
        let (those, others) = names.split_at(count);
        let next = (*letter, tree.len() as u32);
        if let Some(node) = tree.get_mut(at) {
            node.next.push(next);
        }
        grow(tree, those, known + 1);
        names = others;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(names: &Names, text: &str) -> Vec<(i32, usize)> {
        let mut all = Vec::new();
        let _ = names.each(text.as_bytes(), &mut |value, len| {
            all.push((value, len));
            Some(())
        });
        all
    }

    #[test]
    fn every_name_that_begins_a_text_is_found() {
        let names = Names::of(["Good 1", "Good 10", "Good", "Bad", "Good"].map(str::to_owned).into_iter());
        let names = names.expect("names");
        assert_eq!(found(&names, "Good 10 to"), [(2, 4), (4, 4), (0, 6), (1, 7)]);
        assert_eq!(found(&names, "Goo"), []);
        assert!(!names.may_be_empty());
        let letters = Names::of(["", "N", "B"].map(str::to_owned).into_iter()).expect("names");
        assert_eq!(found(&letters, "Ng1"), [(0, 0), (1, 1)]);
        assert!(letters.may_be_empty());
        assert!(Names::of(["N "].map(str::to_owned).into_iter()).is_none());
    }

    #[test]
    fn numbers_are_found_as_they_are_written() {
        assert_eq!(found(&Names::Digits, "120x"), [(1, 1), (12, 2), (120, 3)]);
        assert_eq!(found(&Names::Digits, "-7"), [(-7, 2)]);
        assert_eq!(found(&Names::Digits, "07"), [(0, 1)]);
        assert_eq!(found(&Names::Digits, "-0"), []);
    }
}
