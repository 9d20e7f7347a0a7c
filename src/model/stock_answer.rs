//! Answers that every game has, and the words for them where its rules have none.

/// An answer of a seat that names nothing of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StockAnswer {
    /// The one thing that may be done is done.
    Yes,
    /// Nothing is done.
    Pass,
    /// Enough is chosen.
    Done,
}

/// The answers in each language; the first is that of records, and of all languages that are not here.
const WORDS: [(&str, [&str; 3]); 2] = [("", ["yes", "pass", "done"]), ("ja", ["はい", "パス", "以上"])];

impl StockAnswer {
    /// The word for this answer in a language.
    #[must_use]
    pub fn word(self, lang: &str) -> &'static str {
        let [(_, english), ..] = WORDS;
        let [yes, pass, done] = WORDS.iter().find(|(own, _)| *own == lang).map_or(english, |(_, words)| *words);
        match self {
            StockAnswer::Yes => yes,
            StockAnswer::Pass => pass,
            StockAnswer::Done => done,
        }
    }

    /// Whether a text is the word for an answer in some language.
    #[must_use]
    pub fn is_word(text: &str) -> bool {
        WORDS.iter().any(|(_, words)| words.contains(&text))
    }
}
