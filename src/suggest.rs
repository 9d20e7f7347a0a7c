//! "Did you mean ...?": the nearest of some known words.

/// The candidate nearest to `word`, if one is near enough to be a slip of the pen.
///
/// Near enough means at most a third of the letters of the longer word, and at least one, counted as insertions,
/// deletions, replacements and exchanges of neighbours. Of equally near candidates the first is taken; `word` itself
/// is never suggested.
#[must_use]
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters: Vec<char> = word.chars().collect();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate == word {
            continue;
        }
        let other: Vec<char> = candidate.chars().collect();
        let limit = (letters.len().max(other.len()) / 3).max(1);
        if letters.len().abs_diff(other.len()) > limit {
            continue;
        }
        let far = distance(&letters, &other);
        // A word of one or two letters is not like another when nothing of it is left.
        if far > limit || far >= letters.len().max(other.len()) {
            continue;
        }
        if best.is_none_or(|(least, _)| far < least) {
            best = Some((far, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Damerau-Levenshtein distance (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}
