//! Texts that people type: how they are compared, and what may have been meant by a misspelt one.

/// How many letters must be inserted, dropped or changed to turn one text into the other; swapping two neighbours
/// counts once.
pub use strsim::osa_distance as distance;

use std::borrow::Cow;
use std::ops::RangeInclusive;

use unicode_normalization::UnicodeNormalization as _;

/// The accents of Latin, Greek and Cyrillic letters, as characters of their own.
const ACCENTS: RangeInclusive<char> = '\u{300}'..='\u{36f}';

/// The text without accents: `Lórien` is `Lorien`. Other signs are part of their letters, as in Japanese.
fn unaccented(text: &str) -> Cow<'_, str> {
    match text.chars().all(has_no_accent) {
        true => text.into(),
        false => text.nfd().filter(|c| !ACCENTS.contains(c)).nfc().collect(),
    }
}

/// Whether a character certainly is neither an accent, nor a letter with one, nor a sign that becomes part of the
/// letter before it.
fn has_no_accent(c: char) -> bool {
    match c {
        '\u{302a}'..='\u{302f}' | '\u{3099}' | '\u{309a}' => false,
        _ => c.is_ascii() || matches!(c, '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{9fff}'),
    }
}

/// The text in small letters without accents, white space trimmed and each run of it one space.
#[must_use]
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        let mut folded = String::with_capacity(text.len());
        for word in text.split_whitespace() {
            if !folded.is_empty() {
                folded.push(' ');
            }
            folded.push_str(word);
        }
        folded.make_ascii_lowercase();
        return folded;
    }
    let lower = unaccented(text).to_lowercase();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The part of a text that is this when folded, as it was typed; the folded part itself if the text has no such part.
#[must_use]
pub fn as_typed(text: &str, part: &str) -> String {
    // Small letters can be more than the large one they are for, so that places are counted in letters of the text.
    let starts =
        text.char_indices().filter(|(i, _)| text[..*i].chars().next_back().is_none_or(|c| !c.is_alphanumeric()));
    let ends = |rest: &str| -> Vec<usize> {
        let after = rest.char_indices().map(|(i, c)| i + c.len_utf8());
        after.filter(|end| rest[*end..].chars().next().is_none_or(|c| !c.is_alphanumeric())).collect()
    };
    let most = 3 * part.len() + 8;
    for (start, _) in starts.take(200) {
        let rest = &text[start..];
        let found = ends(rest).into_iter().take_while(|end| *end <= most).find(|end| fold(&rest[..*end]) == part);
        if let Some(end) = found {
            return rest[..end].split_whitespace().collect::<Vec<_>>().join(" ");
        }
    }
    part.to_owned()
}

/// The letters and digits of the text in small letters; everything else is one space. A sign before a digit is kept.
#[must_use]
pub fn bare(text: &str) -> String {
    let mut out = String::new();
    let text = unaccented(text);
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let sign =
            matches!(c, '-' | '+') && !before.is_alphanumeric() && chars.peek().is_some_and(char::is_ascii_digit);
        if c.is_alphanumeric() || sign {
            out.extend(c.to_lowercase());
        } else if !matches!(c, '\'' | '\u{2019}') {
            out.push(' ');
        }
        before = c;
    }
    fold(&out)
}

/// The letters and digits of the text in small letters, and nothing else. Texts that are alike when folded or
/// [`bare`] have the same letters.
#[must_use]
pub fn letters(text: &str) -> String {
    if text.is_ascii() {
        let kept = text.bytes().filter(u8::is_ascii_alphanumeric);
        return kept.map(|b| char::from(b.to_ascii_lowercase())).collect();
    }
    unaccented(text).chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase().replace('ς', "σ")
}

/// The identifier made of a name: its words without accents, each with a capital, joined: `Minas Tirith` is
/// `MinasTirith`. `None` if it does not begin with a Latin letter, or has a letter of another script.
#[must_use]
pub fn identifier(name: &str) -> Option<String> {
    let mut made = String::new();
    let mut begins = true;
    for c in unaccented(name).chars() {
        let latin = match c {
            'æ' => "ae",
            'Æ' => "Ae",
            'œ' => "oe",
            'Œ' => "Oe",
            'ø' => "o",
            'Ø' => "O",
            'ß' => "ss",
            'đ' | 'ð' => "d",
            'Đ' | 'Ð' => "D",
            'þ' => "th",
            'Þ' => "Th",
            'ł' => "l",
            'Ł' => "L",
            'ı' => "i",
            _ => "",
        };
        match c {
            '\'' | '\u{2019}' => {}
            c if c.is_ascii_alphanumeric() && begins => made.push(c.to_ascii_uppercase()),
            c if c.is_ascii_alphanumeric() => made.push(c),
            _ if !latin.is_empty() => {
                let (first, rest) = latin.split_at(1);
                made.push_str(&if begins { first.to_ascii_uppercase() } else { first.to_owned() });
                made.push_str(rest);
            }
            c if c.is_alphanumeric() => return None,
            _ => {}
        }
        begins = !(c.is_alphanumeric() || matches!(c, '\'' | '\u{2019}'));
    }
    made.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(made)
}

/// Whether this is a double quote as word processors write it.
#[must_use]
pub fn is_curly(c: char) -> bool {
    matches!(c, '“' | '”' | '„' | '‟' | '«' | '»' | '″' | '＂' | '〝' | '〞')
}

/// A longer text is no slip of the pen.
const MAX_COMPARED_CHARACTERS: usize = 200;

/// The candidate nearest to `word`, if one is near enough to be a slip of the pen.
///
/// Near enough means at most a third of the letters of the longer word, and at least one. Of equally near candidates
/// the first is taken; `word` itself is never suggested.
#[must_use]
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = word.chars().count();
    if letters > MAX_COMPARED_CHARACTERS {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.into_iter().filter(|c| *c != word) {
        let other = candidate.chars().count();
        let longer = letters.max(other);
        let limit = (longer / 3).max(1);
        if letters.abs_diff(other) > limit {
            continue;
        }
        let far = distance(word, candidate);
        // A word of one or two letters is not like another when nothing of it is left.
        if far <= limit && far < longer && best.is_none_or(|(least, _)| far < least) {
            best = Some((far, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Whether a text is short for another, both folded: the same first and last character, and those between in order,
/// punctuation aside. Of four and more one may be missing in the other: `Nf3` and `Ng1-f3`, `exd5` and `e4-d5`.
#[must_use]
pub fn abbreviates(short: &str, long: &str) -> bool {
    let counted = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<Vec<char>>();
    let ends = |text: &str| {
        let mut characters = text.chars().filter(|c| c.is_alphanumeric());
        (characters.next(), characters.next_back())
    };
    let (first, last) = ends(short);
    if last.is_none() || (first, last) != ends(long) {
        return false;
    }
    let (short, long) = (counted(short), counted(long));
    if long.len() > 2 * short.len() {
        return false;
    }
    let within = |without: Option<usize>| {
        let mut rest = long.iter();
        short.iter().enumerate().filter(|(i, _)| Some(*i) != without).all(|(_, c)| rest.any(|other| other == c))
    };
    within(None) || short.len() > 3 && (1..short.len()).any(|i| within(Some(i)))
}

/// The known texts that are near to what was typed, nearest first, then those that it is short for, at most `most`.
#[must_use]
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<String> {
    let typed: String = fold(typed).chars().take(MAX_COMPARED_CHARACTERS).collect();
    let allowed = (typed.chars().count() / 3).max(1);
    let mut near: Vec<(usize, String)> = known
        .into_iter()
        .filter_map(|k| {
            let folded = fold(k);
            let (n, m) = (typed.chars().count(), folded.chars().count());
            let far = (n.abs_diff(m) <= allowed).then(|| distance(&typed, &folded)).filter(|d| *d <= allowed);
            let far = far.or_else(|| abbreviates(&typed, &folded).then_some(allowed + 1 + m.abs_diff(n)))?;
            Some((far, k.to_owned()))
        })
        .collect();
    near.sort();
    near.dedup_by(|a, b| a.1 == b.1);
    near.truncate(most);
    near.into_iter().map(|(_, k)| k).collect()
}

/// `; did you mean "a" or "b"?`, or nothing.
#[must_use]
pub fn hint(near: &[String]) -> String {
    if near.is_empty() {
        return String::new();
    }
    let quoted: Vec<String> = near.iter().map(|n| format!("\"{n}\"")).collect();
    format!("; did you mean {}?", quoted.join(" or "))
}

/// The texts in quotes with commas between, the first `most` of them, and how many more there are.
#[must_use]
pub fn list(texts: &[String], most: usize) -> String {
    let shown: Vec<String> = texts.iter().take(most).map(|t| format!("\"{t}\"")).collect();
    match texts.len().saturating_sub(most) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_accent_stays_as_it_is() {
        for c in ('\0'..=char::MAX).filter(|c| has_no_accent(*c)) {
            for before in ["", "a", "か", "…"] {
                let text = format!("{before}{c}");
                let kept: String = text.nfd().filter(|c| !ACCENTS.contains(c)).nfc().collect();
                assert_eq!(kept, text, "{:x}", u32::from(c));
            }
        }
    }
}
