//! Short names of pieces, for maps that have little room.

use std::collections::BTreeMap;

use unicode_width::UnicodeWidthChar;

use super::columns;

/// The maximum width of a short name in columns.
pub const SHORT: usize = 4;

/// A short name for each name: the name itself where it is short; the first letters of its words and its number; its
/// beginning. Equal names have equal short names, and others do not, as far as that can be.
#[must_use]
pub fn shortened(names: &[String]) -> Vec<String> {
    shortened_beside(names, Vec::new())
}

/// The same, where some short names are taken: the cells of the map are called so.
#[must_use]
pub fn shortened_beside(names: &[String], mut taken: Vec<String>) -> Vec<String> {
    let mut given: BTreeMap<&str, String> = BTreeMap::new();
    // What is short keeps its name, whatever comes before it.
    let (short, long): (Vec<&String>, Vec<&String>) = names.iter().partition(|n| columns(n) <= SHORT);
    for name in short.into_iter().chain(long) {
        if given.contains_key(name.as_str()) {
            continue;
        }
        let ways = ways(name);
        let free = ways.iter().find(|w| !taken.contains(w)).cloned();
        let short = free.unwrap_or_else(|| numbered(ways.first().map_or("", |w| w), &taken));
        taken.push(short.clone());
        given.insert(name, short);
    }
    names.iter().map(|n| given.get(n.as_str()).cloned().unwrap_or_default()).collect()
}

/// The ways to shorten a name, the best first.
fn ways(name: &str) -> Vec<String> {
    if columns(name) <= SHORT {
        return vec![name.to_owned()];
    }
    let words = words(name);
    let letters = |n: usize| words.first().map_or(String::new(), |w| cut(w, n));
    let initials: String =
        words.iter().filter_map(|w| if is_number(w) { Some((*w).to_owned()) } else { initial(w) }).collect();
    let mut ways = Vec::new();
    if words.len() > 1 && columns(&initials) <= SHORT {
        ways.push(initials);
    }
    match words.last().filter(|w| words.len() > 1 && is_number(w)) {
        // A name without its number would seem to be another's.
        Some(number) => ways.extend((2..SHORT).map(|n| letters(n) + number).filter(|w| columns(w) <= SHORT)),
        None => {
            ways.extend([letters(3), letters(SHORT)]);
            ways.extend(words.last().map(|w| cut(w, 3)));
        }
    }
    ways.retain(|w| !w.is_empty());
    ways
}

/// The words and numbers of a name: `Blue12` has one of each.
fn words(name: &str) -> Vec<&str> {
    let apart = name.split(|c: char| !c.is_alphanumeric());
    apart
        .flat_map(|word| word.split_at_checked(word.trim_end_matches(|c: char| c.is_ascii_digit()).len()))
        .flat_map(|(letters, number)| [letters, number])
        .filter(|w| !w.is_empty())
        .collect()
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

fn initial(word: &str) -> Option<String> {
    // Small words say little: `of`, `the`.
    let first = word.chars().next()?;
    (!first.is_lowercase()).then(|| first.to_string())
}

/// As many letters as fit into some columns.
pub fn cut(word: &str, room: usize) -> String {
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= room
    };
    word.chars().take_while(fits).collect()
}

fn numbered(stem: &str, taken: &[String]) -> String {
    let all = (2..1000).map(|n: usize| {
        let number = n.to_string();
        cut(stem, SHORT.saturating_sub(number.len())) + &number
    });
    let mut all = all;
    all.find(|w| !taken.contains(w)).unwrap_or_else(|| stem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(names: &[&str]) -> Vec<String> {
        shortened(&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn names_are_shortened_and_stay_different() {
        assert_eq!(short(&["Sam", "Aragorn", "Frodo Baggins", "Frodo Baggins"]), ["Sam", "Ara", "FB", "FB"]);
        assert_eq!(short(&["Rohan Warrior 1", "Rohan Warrior 12", "King of the Dead"]), ["RW1", "RW12", "KD"]);
        assert_eq!(short(&["Gandalf", "Gandras", "Gandor", "Gandalfr"]), ["Gan", "Gand", "Gan2", "Gan3"]);
        assert_eq!(short(&["Samwise", "Sam"]), ["Samw", "Sam"]);
        assert_eq!(short(&["Blue1", "Blue2", "Blue12", "Black12", "Grün 3"]), ["B1", "B2", "B12", "Bl12", "G3"]);
        let beside = shortened_beside(&["Blue1".into(), "Blue2".into()], vec!["B1".into()]);
        assert_eq!(beside, ["Bl1", "B2"]);
        assert_eq!(short(&["指輪の幽鬼", "指輪の魔王", ""]), ["指", "指輪", ""]);
    }
}
