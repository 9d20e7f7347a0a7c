//! Where the parts of the screen lie.

use lawspeaker::map::{columns, flowed_in};
use ratatui::layout::Rect;

use super::lines::wrapped;
use super::scene::Scene;

/// The smallest screen on which anything is drawn.
pub const LEAST: (u16, u16) = (40, 12);

/// Columns that are kept beside the board.
pub const BESIDE: u16 = 30;

/// Columns that a list of areas takes at the most.
const LIST: u16 = 80;

/// Columns of a long answer at the least.
const READABLE: u16 = 56;

/// Lines of a short answer at the most.
const MESSAGE: usize = 4;

/// The parts of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Panes {
    /// The title, and who decides.
    pub head: Rect,
    /// The board.
    pub board: Rect,
    /// The options, with their heading.
    pub options: Rect,
    /// What happened, with its heading.
    pub log: Rect,
    /// Both of these: a long answer lies over them.
    pub page: Rect,
    /// A short answer.
    pub message: Rect,
    /// The line that is typed.
    pub line: Rect,
    /// What the keys do.
    pub keys: Rect,
}

/// The parts of a screen of some size. `needed` are the lines that the options take in some columns.
pub fn panes(scene: &Scene, area: Rect, needed: &dyn Fn(u16) -> usize) -> Panes {
    let Rect { x, y, width, height } = area;
    let row = |line: u16| Rect { x, y: y + line, width, height: 1 };
    let message = match scene.message.is_empty() {
        true => 0,
        false => wrapped(&scene.message, usize::from(width), 0, 2).len().min(MESSAGE) as u16,
    };
    let body = Rect { x, y: y + 1, width, height: height.saturating_sub(3 + message) };
    let mut panes = Panes {
        head: row(0),
        message: Rect { x, y: body.y + body.height, width, height: message },
        line: row(height.saturating_sub(2)),
        keys: row(height.saturating_sub(1)),
        ..Panes::default()
    };
    let (wide, high) = size(scene, width);
    let (board, rest) = if wide == 0 {
        (Rect { width: 0, ..body }, body)
    } else if wide + BESIDE < width {
        let wide = wide.max(24);
        let board = Rect { width: wide, ..body };
        (board, Rect { x: x + wide + 1, width: width - wide - 1, ..body })
    } else {
        let high = high.min(body.height * 3 / 5);
        let board = Rect { height: high, ..body };
        (board, Rect { y: body.y + high, height: body.height - high, ..body })
    };
    panes.board = board;
    // A long answer has room to be read, if need be over the board.
    let over = rest.width.max(READABLE.min(width));
    panes.page = Rect { x: rest.right() - over, width: over, ..rest };
    // Wide and low: side by side. Otherwise one above the other.
    if rest.width > 2 * BESIDE && (rest.height < 14 || rest.width > 100) {
        let left = rest.width / 2;
        panes.options = Rect { width: left, ..rest };
        panes.log = Rect { x: rest.x + left + 1, width: rest.width - left - 1, ..rest };
    } else {
        // The options need the larger part of what is small.
        let least = (rest.height / 3).max(if rest.height < 10 { 2 } else { 4 }).min(rest.height);
        let needed = u16::try_from(needed(rest.width)).unwrap_or(u16::MAX).saturating_add(1);
        let options = needed.max(2).min(rest.height - least);
        panes.options = Rect { height: options, ..rest };
        panes.log = Rect { y: rest.y + options, height: rest.height - options, ..rest };
    }
    panes
}

/// The columns and lines that the board wants.
fn size(scene: &Scene, width: u16) -> (u16, u16) {
    let map = scene.board.text.lines().map(columns).max().unwrap_or(0);
    let wide = match (scene.listed, scene.beside.is_empty() && scene.board.under.is_empty()) {
        (true, _) if map > 0 => usize::from(list_width(width)),
        (_, false) if map < 24 => 24,
        _ => map,
    };
    let high = scene.board.text.lines().count() + legend(scene, wide).len() + told(scene, wide).len();
    (wide.min(usize::from(u16::MAX)) as u16, high.min(usize::from(u16::MAX)) as u16)
}

/// The columns of a list of areas on a screen of some width.
pub fn list_width(width: u16) -> u16 {
    (width * 11 / 20).min(LIST)
}

/// The legend of the map, in lines of some columns.
pub fn legend(scene: &Scene, wide: usize) -> Vec<String> {
    scene.board.legend(wide).lines().flat_map(|line| wrapped(line, wide, 0, 2)).collect()
}

/// What is told beside the map, in lines of some columns: piles, variables and what else the rules tell.
pub fn told(scene: &Scene, wide: usize) -> Vec<String> {
    scene.beside.iter().flat_map(|line| wrapped(line, wide, 0, 2)).collect()
}

/// What is told, above a map that has to be scrolled: the same close together, and no more than a third of the lines;
/// then what does not fit there, to be read under the map.
pub fn above(scene: &Scene, (wide, high): (usize, usize)) -> (Vec<String>, Vec<String>) {
    let mut text = String::new();
    let entries: Vec<&str> = scene.beside.iter().map(String::as_str).collect();
    flowed_in(&mut text, wide, 0, &entries);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let most = if high < 6 { high / 3 } else { (high / 3).max(2) };
    let mut rest = lines.split_off(most.min(lines.len()));
    if let Some(last) = lines.last_mut().filter(|_| !rest.is_empty()) {
        let room = wide.saturating_sub(2);
        if columns(last) > room {
            rest.insert(0, last.clone());
            // Whole words, if any fits.
            let ends = last.match_indices(' ').map(|(at, _)| at).rev();
            let cut = ends.map(|at| &last[..at]).find(|head| columns(head) <= room && !head.trim().is_empty());
            *last = cut.map_or_else(|| last.chars().take(room / 2).collect(), str::to_owned);
        }
        last.push_str(" …");
    }
    (lines, rest)
}
