//! Makes the text of a game smaller while it still fails.

use super::Game;

/// Tries smaller games; `fails` says whether one still does. After so many tries it rests.
pub fn shrink(game: &Game, tries: usize, fails: impl Fn(&Game) -> bool) -> Game {
    let mut work = Work { game: game.clone(), left: tries, fails };
    loop {
        let before = work.size();
        work.files();
        work.units();
        work.lists();
        work.groups();
        work.numbers();
        if work.size() >= before || work.left == 0 {
            return work.game;
        }
    }
}

struct Work<F> {
    game: Game,
    left: usize,
    fails: F,
}

impl<F: Fn(&Game) -> bool> Work<F> {
    fn size(&self) -> usize {
        self.game.files.iter().map(|(_, text)| text.len()).sum::<usize>() + self.game.variants.len()
    }

    fn keep_if(&mut self, game: Game) -> bool {
        if self.left == 0 || game == self.game {
            return false;
        }
        self.left -= 1;
        let fails = (self.fails)(&game);
        if fails {
            self.game = game;
        }
        fails
    }

    /// Replaces the text of a file, if the game still fails.
    fn text(&mut self, file: usize, text: String) -> bool {
        let mut game = self.game.clone();
        game.files[file].1 = text;
        self.keep_if(game)
    }

    fn files(&mut self) {
        let mut game = self.game.clone();
        game.variants.clear();
        self.keep_if(game);
        for file in (1..self.game.files.len()).rev() {
            let mut game = self.game.clone();
            game.files.remove(file);
            self.keep_if(game);
        }
    }

    /// Takes out declarations, blocks and lines; many at once first. Then the braces around what is inside.
    fn units(&mut self) {
        for file in 0..self.game.files.len() {
            let mut size = self.game.files[file].1.lines().count().max(1);
            while size > 0 {
                let mut at = 0;
                while let Some(end) = self.unit(file, at, size) {
                    let lines: Vec<&str> = self.game.files[file].1.lines().collect();
                    let text = joined(lines[..at].iter().chain(&lines[end..]));
                    if !self.text(file, text) {
                        at += 1;
                    }
                }
                size /= 2;
            }
            let mut at = 0;
            while at < self.game.files[file].1.lines().count() {
                self.unwrap(file, at);
                at += 1;
            }
        }
    }

    /// Where so many units from this line on end.
    fn unit(&self, file: usize, at: usize, units: usize) -> Option<usize> {
        let lines: Vec<&str> = self.game.files[file].1.lines().collect();
        let mut end = at;
        for _ in 0..units {
            end = match lines.get(end) {
                Some(_) => closed(&lines, end),
                None => break,
            };
        }
        (end > at).then_some(end)
    }

    /// Takes out a head line and the brace that closes it.
    fn unwrap(&mut self, file: usize, at: usize) {
        let lines: Vec<&str> = self.game.files[file].1.lines().collect();
        let end = closed(&lines, at);
        if end > at + 1 {
            let text = joined(lines[..at].iter().chain(&lines[at + 1..end - 1]).chain(&lines[end..]));
            self.text(file, text);
        }
    }

    /// Takes out parts of lists with commas or dashes.
    fn lists(&mut self) {
        for file in 0..self.game.files.len() {
            for sign in [", ", " - ", " -> ", "  "] {
                let mut at = 0;
                while at < self.game.files[file].1.lines().count() {
                    self.list(file, at, sign);
                    at += 1;
                }
            }
        }
    }

    fn list(&mut self, file: usize, at: usize, sign: &str) {
        let line = |work: &Self| work.game.files[file].1.lines().nth(at).unwrap_or("").to_owned();
        let mut size = line(self).trim_start().matches(sign).count();
        while size > 0 {
            let mut from = 1;
            loop {
                let whole = line(self);
                let indent = whole.len() - whole.trim_start().len();
                let parts: Vec<&str> = whole[indent..].split(sign).collect();
                if from >= parts.len() {
                    break;
                }
                let to = (from + size).min(parts.len());
                // What closes the list stands at the end of its last part.
                let mut kept: Vec<&str> = parts[..from].iter().chain(&parts[to..]).copied().collect();
                let tail = parts[to - 1].find([')', '}']).map(|i| &parts[to - 1][i..]);
                let last = kept[from - 1].to_owned() + tail.filter(|_| to == parts.len()).unwrap_or("");
                kept[from - 1] = &last;
                let new = format!("{}{}", &whole[..indent], kept.join(sign));
                if !self.line(file, at, &new) {
                    from += size;
                }
            }
            size /= 2;
        }
    }

    fn line(&mut self, file: usize, at: usize, new: &str) -> bool {
        let mut lines: Vec<&str> = self.game.files[file].1.lines().collect();
        lines[at] = new;
        let text = joined(lines.iter());
        self.text(file, text)
    }

    /// Puts something small in place of what stands in brackets, or takes a group within it.
    fn groups(&mut self) {
        for file in 0..self.game.files.len() {
            let mut from = 0;
            loop {
                let text = self.game.files[file].1.clone();
                let Some(open) = text[from..].find(['(', '{']).map(|i| i + from) else {
                    break;
                };
                from = open + 1;
                let Some(end) = matching(&text, open) else {
                    continue;
                };
                // With the word before it, if it is asked with arguments.
                let start =
                    text[..open].rfind(|c: char| !c.is_ascii_alphanumeric() && !"_.".contains(c)).map_or(0, |i| i + 1);
                let inner: Vec<String> = within(&text, open, end);
                let small = ["true", "false", "0", "1", "none", "{}", "()", ""];
                for new in small.iter().map(|s| (*s).to_owned()).chain(inner) {
                    let done = [start, open].into_iter().any(|start| {
                        let shorter = format!("{}{new}{}", &text[..start], &text[end..]);
                        shorter.len() < text.len() && self.text(file, shorter)
                    });
                    if done {
                        from = start;
                        break;
                    }
                }
            }
        }
    }

    /// Puts 0 or 1 in place of numbers, takes out conditions.
    fn numbers(&mut self) {
        for file in 0..self.game.files.len() {
            for word in [
                " when ",
                " where ",
                " log ",
                " cost ",
                " and ",
                " or ",
                " + ",
                " exception to ",
                " ranks above ",
                " once per ",
            ] {
                let mut from = 0;
                while let Some(at) = self.game.files[file].1[from..].find(word).map(|i| i + from) {
                    let text = self.game.files[file].1.clone();
                    let rest = &text[at + word.len()..];
                    let ends = rest.match_indices([' ', '\n', ')', '}']).map(|(i, _)| i).take(12);
                    let done = ends.into_iter().any(|i| self.text(file, format!("{}{}", &text[..at], &rest[i..])));
                    from = if done { at } else { at + 1 };
                }
            }
        }
    }
}

fn joined<'a>(lines: impl Iterator<Item = &'a &'a str>) -> String {
    lines.flat_map(|l| [*l, "\n"]).collect()
}

/// The line after the one with which what begins on this line is closed.
fn closed(lines: &[&str], at: usize) -> usize {
    let mut open = 0i32;
    for (i, line) in lines.iter().enumerate().skip(at) {
        for c in
            line.chars().skip(if i == at { usize::from(line.trim_start().starts_with('}')) * line.len() } else { 0 })
        {
            open += match c {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
        }
        if open <= 0 {
            return i + 1;
        }
    }
    lines.len()
}

/// Where the bracket that is opened here is closed.
fn matching(text: &str, open: usize) -> Option<usize> {
    let mut deep = 0;
    for (i, c) in text[open..].char_indices() {
        deep += match c {
            '(' | '{' | '[' => 1,
            ')' | '}' | ']' => -1,
            _ => 0,
        };
        if deep == 0 {
            return Some(open + i + 1);
        }
    }
    None
}

/// The groups directly inside another.
fn within(text: &str, open: usize, end: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = open + 1;
    while let Some(i) = text[at..end].find('(').map(|i| i + at) {
        let Some(close) = matching(text, i).filter(|c| *c < end) else {
            break;
        };
        found.push(text[i..close].to_owned());
        at = close;
    }
    found
}
