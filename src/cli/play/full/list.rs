//! The options that fit what is typed, in lines.

use lawspeaker::map::columns;

use super::lines::{Line, wrapped};
use super::scene::Scene;
use crate::cli::play::grouped::matches;

/// The columns between two options.
const GAP: usize = 2;

/// A line of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// What it says.
    pub line: Line,
    /// The options on it: first column, columns, which.
    pub places: Vec<(usize, usize, usize)>,
}

impl Scene {
    /// An option as it is listed.
    fn listed(&self, option: usize) -> String {
        let of = |texts: &[String]| texts.get(option).cloned().unwrap_or_default();
        of(&self.options) + &of(&self.after)
    }

    /// The options that fit what is typed: all of them, if it is a number or fits none.
    pub fn sought(&self) -> impl Iterator<Item = usize> + '_ {
        let typed = self.sought_by();
        let numbered = typed.trim().parse::<usize>().is_ok();
        let all = numbered || !self.options.iter().any(|text| matches(text, typed));
        (0..self.options.len()).filter(move |i| all || self.options.get(*i).is_some_and(|t| matches(t, typed)))
    }

    /// The text by which options are sought: what is typed, or what was typed before an option was clicked.
    pub fn sought_by(&self) -> &str {
        match &self.clicked {
            Some((option, before)) if *option == self.typed => before,
            _ => &self.typed,
        }
    }
}

/// The options that fit what is typed, in lines of some columns: groups after one another, or columns.
pub fn list(scene: &Scene, room: usize) -> Vec<Listed> {
    let sought: Vec<usize> = scene.sought().collect();
    match scene.groups.as_slice() {
        [_, _, ..] => grouped(scene, &sought, room),
        _ => in_columns(scene, &sought, room),
    }
}

fn number(scene: &Scene, option: usize) -> String {
    let wide = scene.options.len().to_string().len();
    format!("{:>wide$} ", option + 1)
}

/// Columns that are read downwards.
fn in_columns(scene: &Scene, sought: &[usize], room: usize) -> Vec<Listed> {
    let text = |i: &usize| number(scene, *i) + &scene.listed(*i);
    let texts: Vec<String> = sought.iter().map(text).collect();
    let wide = texts.iter().map(|text| columns(text)).max().unwrap_or(0);
    if wide > room {
        return one_below_another(scene, sought, room);
    }
    let across = ((room + GAP) / (wide + GAP)).max(1);
    let down = texts.len().div_ceil(across).max(1);
    let row = |row: usize| {
        let mut listed = Listed::default();
        for (column, (text, option)) in texts.iter().zip(sought).skip(row).step_by(down).enumerate() {
            let at = column * (wide + GAP);
            entry(scene, &mut listed, at, text, *option);
        }
        listed
    };
    (0..down).map(row).collect()
}

/// Long options, in lines that are broken between words.
fn one_below_another(scene: &Scene, sought: &[usize], room: usize) -> Vec<Listed> {
    let lines = |option: &usize| {
        let indent = number(scene, *option).len();
        let text = number(scene, *option) + &scene.listed(*option);
        let broken = |(i, text): (usize, String)| {
            let mut listed = Listed::default();
            match i {
                0 => entry(scene, &mut listed, 0, &text, *option),
                _ => {
                    listed.places.push((0, columns(&text), *option));
                    listed.line = Line::of(text, ratatui::style::Style::new());
                }
            }
            listed
        };
        wrapped(&text, room, 0, indent).into_iter().enumerate().map(broken).collect::<Vec<Listed>>()
    };
    sought.iter().flat_map(lines).collect()
}

/// An option at some column of a line: its number dim, its text plain.
fn entry(scene: &Scene, listed: &mut Listed, at: usize, text: &str, option: usize) {
    let used: usize = listed.line.0.iter().map(|(text, _)| columns(text)).sum();
    let (number, words) = text.split_at(text.len().min(number(scene, option).len()));
    listed.line.0.push((" ".repeat(at.saturating_sub(used)), ratatui::style::Style::new()));
    listed.line.0.push((number.to_owned(), scene.colours.dim()));
    listed.line.0.push((words.to_owned(), ratatui::style::Style::new()));
    listed.places.push((at, columns(text), option));
}

/// Each group begins a line with its title; its options follow side by side, without the title if they begin with it.
fn grouped(scene: &Scene, sought: &[usize], room: usize) -> Vec<Listed> {
    let mut lines: Vec<Listed> = Vec::new();
    for group in &scene.groups {
        let own: Vec<usize> = group.options.iter().copied().filter(|i| sought.binary_search(i).is_ok()).collect();
        if own.is_empty() {
            continue;
        }
        let mut listed = Listed::default();
        let mut used = 0;
        if !group.title.is_empty() {
            let style = scene.colours.bold().patch(scene.colours.seat(group.seat));
            listed.line.0.push((group.title.clone(), style));
            used = columns(&group.title) + GAP;
            if !group.brought.is_empty() {
                listed.line.0.push((format!(" {}", group.brought), scene.colours.dim()));
                used += 1 + columns(&group.brought);
            }
        }
        for option in own {
            let text = scene.listed(option);
            let rest = text.strip_prefix(group.title.as_str()).filter(|_| !group.title.is_empty());
            let rest = rest.and_then(|rest| rest.strip_prefix(' ')).unwrap_or(&text);
            let text = format!("{} {rest}", option + 1);
            let wide = columns(&text);
            if used > GAP && used + wide > room {
                lines.push(std::mem::take(&mut listed));
                used = GAP;
            }
            if used + wide > room {
                let indent = GAP + text.find(' ').map_or(0, |number| number + 1);
                let mut parts = wrapped(&text, room - GAP.min(room), 0, indent - GAP).into_iter();
                short(scene, &mut listed, (&parts.next().unwrap_or_default(), GAP), option);
                for part in parts {
                    lines.push(std::mem::take(&mut listed));
                    listed.places.push((GAP, columns(&part), option));
                    listed.line = Line::of(" ".repeat(GAP) + &part, ratatui::style::Style::new());
                }
                // Nothing stands beside the end of a long one.
                used = room;
                continue;
            }
            let line = (text.as_str(), used);
            short(scene, &mut listed, line, option);
            used += wide + GAP;
        }
        lines.push(listed);
    }
    lines
}

/// An option in a group.
fn short(scene: &Scene, listed: &mut Listed, (text, at): (&str, usize), option: usize) {
    let before: usize = listed.line.0.iter().map(|(text, _)| columns(text)).sum();
    let (number, words) = text.split_at(text.find(' ').unwrap_or(0));
    listed.line.0.push((" ".repeat(at.saturating_sub(before)), ratatui::style::Style::new()));
    listed.line.0.push((number.to_owned(), scene.colours.dim()));
    listed.line.0.push((words.to_owned(), ratatui::style::Style::new()));
    listed.places.push((at, columns(text), option));
}
