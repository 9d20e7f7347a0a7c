//! The line that is typed, and the lines before it.

/// A line that can be edited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Editor {
    text: Vec<char>,
    at: usize,
    earlier: Vec<String>,
    /// The earlier line that is shown, counted from the last.
    back: Option<usize>,
    /// What was typed before an earlier line was shown.
    kept: String,
}

/// Letters of a line at the most.
const MOST: usize = 10_000;

impl Editor {
    /// The line.
    pub fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// How many letters stand before the cursor.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Puts another text in its place, with the cursor at its end.
    pub fn set(&mut self, text: &str) {
        self.text = text.chars().filter(|c| !c.is_control()).take(MOST).collect();
        self.at = self.text.len();
    }

    /// Ends the line and gives it.
    pub fn enter(&mut self) -> String {
        let text = self.text().trim().to_owned();
        if !text.is_empty() && self.earlier.last() != Some(&text) {
            self.earlier.push(text.clone());
        }
        self.clear();
        text
    }

    /// Empties the line.
    pub fn clear(&mut self) {
        self.set("");
        self.back = None;
    }

    /// Forgets the earlier lines: another person comes to the screen.
    pub fn forget(&mut self) {
        *self = Editor::default();
    }

    /// Types a letter.
    pub fn insert(&mut self, letter: char) {
        if !letter.is_control() && self.text.len() < MOST {
            self.text.insert(self.at, letter);
            self.at += 1;
        }
    }

    /// Adds a word at the end.
    pub fn add(&mut self, word: &str) {
        let text = self.text();
        let text = text.trim_end();
        let gap = if text.is_empty() { "" } else { " " };
        self.set(&format!("{text}{gap}{word} "));
    }

    /// Takes away the letter before the cursor.
    pub fn backspace(&mut self) {
        if self.at > 0 {
            self.at -= 1;
            self.text.remove(self.at);
        }
    }

    /// Takes away the letter at the cursor.
    pub fn delete(&mut self) {
        if self.at < self.text.len() {
            self.text.remove(self.at);
        }
    }

    /// Takes away the word before the cursor.
    pub fn delete_word(&mut self) {
        let blank = |at: usize, text: &[char]| at.checked_sub(1).and_then(|i| text.get(i)).is_some_and(|c| *c == ' ');
        while blank(self.at, &self.text) {
            self.backspace();
        }
        while self.at > 0 && !blank(self.at, &self.text) {
            self.backspace();
        }
    }

    /// Moves the cursor by some letters.
    pub fn step(&mut self, by: isize) {
        self.at = self.at.saturating_add_signed(by).min(self.text.len());
    }

    /// Moves the cursor to the beginning.
    pub fn home(&mut self) {
        self.at = 0;
    }

    /// Moves the cursor to the end.
    pub fn end(&mut self) {
        self.at = self.text.len();
    }

    /// Shows the line before.
    pub fn earlier(&mut self) {
        let back = self.back.map_or(0, |back| back + 1);
        if back < self.earlier.len() {
            if self.back.is_none() {
                self.kept = self.text();
            }
            self.show(back);
        }
    }

    /// Shows the line after.
    pub fn later(&mut self) {
        match self.back {
            None => {}
            Some(0) => {
                self.back = None;
                self.set(&self.kept.clone());
            }
            Some(back) => self.show(back - 1),
        }
    }

    fn show(&mut self, back: usize) {
        self.back = Some(back);
        if let Some(text) = self.earlier.iter().rev().nth(back).cloned() {
            self.set(&text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back() {
        let mut editor = Editor::default();
        for line in ["one", "two", "two"] {
            editor.set(line);
            assert_eq!(editor.enter(), line);
        }
        editor.set("thr");
        editor.earlier();
        assert_eq!(editor.text(), "two");
        editor.earlier();
        editor.earlier();
        assert_eq!(editor.text(), "one");
        editor.later();
        editor.later();
        assert_eq!(editor.text(), "thr");
    }

    #[test]
    fn a_line_is_edited_anywhere() {
        let mut editor = Editor::default();
        "Sam to Moria".chars().for_each(|c| editor.insert(c));
        editor.delete_word();
        assert_eq!(editor.text(), "Sam to ");
        editor.home();
        editor.delete();
        editor.insert('P');
        editor.step(2);
        editor.backspace();
        assert_eq!((editor.text().as_str(), editor.at()), ("Pa to ", 2));
        editor.add("Shire");
        assert_eq!(editor.text(), "Pa to Shire ");
    }
}
