//! Draws the screen from what there is to be seen: nothing else has a say in it.

use lawspeaker::map::columns;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::lines::{Line, cut, wrapped};
use super::list::{Listed, list};
use super::panes::{LEAST, Panes, above, legend, panes, told as told_beside};
use super::scene::{Focus, Scene};
use crate::cli::play::talk::Said;

/// Where everything came to stand, for the mouse and the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Laid {
    /// The parts of the screen.
    pub panes: Panes,
    /// The part of the board that is scrolled.
    pub map: Rect,
    /// The options that are in sight.
    pub options: Vec<(Rect, usize)>,
    /// The cells that are in sight.
    pub cells: Vec<(Rect, u16)>,
    /// Where the next letter goes.
    pub cursor: (u16, u16),
    /// How far the board, what happened, the options and the page can be scrolled.
    pub most: Most,
}

/// How far the parts can be scrolled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Most {
    /// Columns and lines of the board.
    pub board: (usize, usize),
    /// Lines of what happened.
    pub log: usize,
    /// Lines of the options.
    pub options: usize,
    /// Lines of the page.
    pub page: usize,
}

/// Draws the screen.
pub fn draw(scene: &Scene, area: Rect, buffer: &mut Buffer) -> Laid {
    if area.width < LEAST.0 || area.height < LEAST.1 {
        for (line, y) in wrapped(scene.words.small, area.width.into(), 0, 0).iter().zip(area.top()..area.bottom()) {
            Line::of(line, Style::new()).put(buffer, (area.x, y), area.width);
        }
        return Laid::default();
    }
    let listed = |wide: u16| list(scene, usize::from(wide)).len();
    let mut laid = Laid { panes: panes(scene, area, &listed), ..Laid::default() };
    let panes = laid.panes;
    head(scene, panes.head, buffer);
    board(scene, panes.board, buffer, &mut laid);
    if panes.board.width > 0 && panes.options.x > panes.board.x {
        for y in panes.board.top()..panes.board.bottom() {
            buffer.set_string(panes.options.x - 1, y, "│", scene.colours.dim());
        }
    }
    if panes.log.x > panes.options.x {
        for y in panes.log.top() + 1..panes.log.bottom() {
            buffer.set_string(panes.log.x - 1, y, "│", scene.colours.dim());
        }
    }
    match &scene.page {
        Some(_) => page(scene, panes.page, buffer, &mut laid),
        None => {
            options(scene, panes.options, buffer, &mut laid);
            log(scene, panes.log, buffer, &mut laid);
        }
    }
    let message = wrapped(&scene.message, usize::from(area.width), 0, 2);
    for (line, y) in message.iter().zip(panes.message.top()..panes.message.bottom()) {
        Line::of(line, scene.colours.bold()).put(buffer, (panes.message.x, y), panes.message.width);
    }
    typed(scene, panes.line, buffer, &mut laid);
    Line::of(scene.words.keys, scene.colours.dim()).put(buffer, (panes.keys.x, panes.keys.y), panes.keys.width);
    laid
}

fn head(scene: &Scene, area: Rect, buffer: &mut Buffer) {
    let bar = scene.colours.bar();
    buffer.set_style(area, bar);
    let title = format!(" {} ", scene.title);
    let asked = format!(" {} ", scene.asked);
    let bold = bar.add_modifier(Modifier::BOLD);
    let room = usize::from(area.width);
    // Who decides matters more than what the game is called.
    let wide = columns(&asked).min(room);
    Line::of(title, bar).put(buffer, (area.x, area.y), area.width - wide as u16);
    Line::of(asked, bold.patch(scene.colours.seat(scene.seat))).put(
        buffer,
        (area.right() - wide as u16, area.y),
        wide as u16,
    );
}

/// The heading of a part, with how much of it is out of sight.
fn heading(scene: &Scene, area: Rect, buffer: &mut Buffer, title: &str, focus: bool, (above, below): (bool, bool)) {
    let rule = "─".repeat(usize::from(area.width));
    Line::of(rule, scene.colours.dim()).put(buffer, (area.x, area.y), area.width);
    let style = if focus { scene.colours.bar() } else { scene.colours.bold() };
    let title = format!(" {title} ");
    Line::of(&title, style).put(buffer, (area.x + 1, area.y), area.width.saturating_sub(4));
    let arrows = match (above, below) {
        (true, true) => "↑↓",
        (true, false) => "↑",
        (false, true) => "↓",
        (false, false) => return,
    };
    buffer.set_string(area.right().saturating_sub(3), area.y, arrows, scene.colours.bold());
}

fn board(scene: &Scene, area: Rect, buffer: &mut Buffer, laid: &mut Laid) {
    if area.width == 0 || area.height == 0 {
        return;
    }
    let map: Vec<&str> = scene.board.text.lines().collect();
    let (wide, high) = (usize::from(area.width), usize::from(area.height));
    let mut under = legend(scene, wide);
    let told = told_beside(scene, wide);
    // What one plays from is in sight wherever the map is scrolled to.
    let (above, rest) = match map.len() + under.len() + told.len() > high {
        true => above(scene, (wide, high)),
        false => (Vec::new(), told),
    };
    under.extend(rest);
    for (line, y) in above.iter().zip(area.top()..area.bottom()) {
        Line::of(line, Style::new()).put(buffer, (area.x, y), area.width);
    }
    let area = Rect { y: area.y + above.len() as u16, height: area.height - above.len() as u16, ..area };
    let high = usize::from(area.height);
    laid.map = area;
    let widest = map.iter().map(|line| columns(line)).max().unwrap_or(0);
    laid.most.board = (widest.saturating_sub(wide), (map.len() + under.len()).saturating_sub(high));
    let left = scene.board_at.0.min(laid.most.board.0);
    let top = scene.board_at.1.min(laid.most.board.1);
    for (i, y) in (top..).zip(area.top()..area.bottom()) {
        let text = match map.get(i) {
            Some(line) => cut(line, left),
            None => under.get(i - map.len()).cloned().unwrap_or_default(),
        };
        Line::of(text, Style::new()).put(buffer, (area.x, y), area.width);
    }
    let shown = |line: usize, column: usize, wide: usize, high: usize| {
        let (x, y) = (column as i64 - left as i64, line as i64 - top as i64);
        let (right, bottom) = ((x + wide as i64).min(area.width.into()), (y + high as i64).min(area.height.into()));
        let (x, y) = (x.max(0), y.max(0));
        let place = Rect {
            x: area.x + x as u16,
            y: area.y + y as u16,
            width: (right - x).max(0) as u16,
            height: (bottom - y).max(0) as u16,
        };
        (right > x && bottom > y).then_some(place)
    };
    let named: Vec<u16> = scene.sought().flat_map(|i| scene.cells.get(i).into_iter().flatten().copied()).collect();
    for place in &scene.board.places {
        let Some(rect) = shown(place.line, place.column, place.wide, place.high) else { continue };
        laid.cells.push((rect, place.cell));
        if named.contains(&place.cell) {
            buffer.set_style(rect, Style::new().add_modifier(Modifier::BOLD));
        }
    }
    for tint in &scene.board.tints {
        if let Some(rect) = shown(tint.line, tint.column, tint.wide, 1) {
            buffer.set_style(rect, scene.colours.seat(u16::try_from(tint.seat).ok()));
        }
    }
    if let (Focus::Board, Some(cell)) = (scene.focus, scene.cell) {
        laid.cells.iter().filter(|(_, c)| *c == cell).for_each(|(rect, _)| {
            buffer.set_style(*rect, scene.colours.bar());
        });
    }
    let marks = [(top > 0, area.top(), "↑"), (top < laid.most.board.1, area.bottom() - 1, "↓")];
    for (_, y, mark) in marks.into_iter().filter(|(more, ..)| *more) {
        buffer.set_string(area.right() - 1, y, mark, scene.colours.bold());
    }
    let sides = [(left > 0, area.left(), "←"), (left < laid.most.board.0, area.right() - 1, "→")];
    for (_, x, mark) in sides.into_iter().filter(|(more, ..)| *more) {
        buffer.set_string(x, area.top() + area.height / 2, mark, scene.colours.bold());
    }
}

fn options(scene: &Scene, area: Rect, buffer: &mut Buffer, laid: &mut Laid) {
    let all = list(scene, usize::from(area.width));
    let room = usize::from(area.height.saturating_sub(1));
    laid.most.options = all.len().saturating_sub(room);
    let chosen = scene.chosen.filter(|_| scene.focus == Focus::Options);
    let mut top = scene.options_at.min(laid.most.options);
    // What the cursor is on is in sight.
    if let Some(line) = chosen.and_then(|o| all.iter().position(|l| l.places.iter().any(|(.., i)| *i == o))) {
        top = top.clamp((line + 1).saturating_sub(room), line);
    }
    let title = match (scene.options.len(), scene.sought().count()) {
        (all, some) if some < all => format!("{} {some}/{all}", scene.words.options),
        (all, _) => format!("{} {all}", scene.words.options),
    };
    let more = (top > 0, top < laid.most.options);
    heading(scene, area, buffer, &title, scene.focus == Focus::Options, more);
    for (Listed { line, places }, y) in all.iter().skip(top).zip(area.top() + 1..area.bottom()) {
        line.put(buffer, (area.x, y), area.width);
        for (column, wide, option) in places {
            let (column, wide) = (*column as u16, *wide as u16);
            let rect = Rect { x: area.x + column, y, width: wide.min(area.width.saturating_sub(column)), height: 1 };
            laid.options.push((rect, *option));
            if chosen == Some(*option) {
                buffer.set_style(rect, scene.colours.bar());
            }
        }
    }
}

/// What was said, in lines of some columns.
fn told(scene: &Scene, said: &[Said], wide: usize) -> Vec<Line> {
    let line = |one: &Said| -> Vec<Line> {
        let (text, style, first, next) = match one {
            Said::Ply { seat, text } => (text.trim_start(), scene.colours.seat(*seat), 0, 2),
            Said::Led(text) => (text.as_str(), Style::new(), 2, 4),
            Said::Why(deeper, text) => (text.as_str(), Style::new(), 2 + deeper, 4 + deeper),
            Said::Bad(text) => (text.as_str(), scene.colours.bad(), 0, 2),
            Said::Text(text) => (text.as_str(), Style::new(), 0, 2),
        };
        let lines = text.lines().flat_map(|line| {
            let own = line.len() - line.trim_start().len();
            wrapped(line.trim_start(), wide, first + own, next + own)
        });
        lines.map(|text| Line::of(text, style)).collect()
    };
    said.iter().flat_map(line).collect()
}

fn log(scene: &Scene, area: Rect, buffer: &mut Buffer, laid: &mut Laid) {
    let lines = told(scene, &scene.log, usize::from(area.width));
    let room = usize::from(area.height.saturating_sub(1));
    laid.most.log = lines.len().saturating_sub(room);
    let up = scene.log_at.min(laid.most.log);
    let top = laid.most.log - up;
    heading(scene, area, buffer, scene.words.happened, scene.focus == Focus::Log, (top > 0, up > 0));
    for (line, y) in lines.iter().skip(top).zip(area.top() + 1..area.bottom()) {
        line.put(buffer, (area.x, y), area.width);
    }
}

fn page(scene: &Scene, area: Rect, buffer: &mut Buffer, laid: &mut Laid) {
    let Some(page) = &scene.page else { return };
    for y in area.top()..area.bottom() {
        buffer.set_string(area.x, y, " ".repeat(area.width.into()), Style::reset());
    }
    if area.x > 0 {
        for y in area.top()..area.bottom() {
            buffer.set_string(area.x - 1, y, "│", scene.colours.dim());
        }
    }
    let lines = told(scene, &page.said, usize::from(area.width));
    let room = usize::from(area.height.saturating_sub(1));
    laid.most.page = lines.len().saturating_sub(room);
    let top = page.at.min(laid.most.page);
    heading(scene, area, buffer, scene.words.page, true, (top > 0, top < laid.most.page));
    for (line, y) in lines.iter().skip(top).zip(area.top() + 1..area.bottom()) {
        line.put(buffer, (area.x, y), area.width);
    }
}

fn typed(scene: &Scene, area: Rect, buffer: &mut Buffer, laid: &mut Laid) {
    let prompt = "> ";
    let before: String = scene.typed.chars().take(scene.at).collect();
    let room = usize::from(area.width).saturating_sub(prompt.len() + 1);
    // Of a long line the part around the cursor is in sight.
    let from = columns(&before).saturating_sub(room);
    Line::of(prompt, scene.colours.bold().patch(scene.colours.seat(scene.seat))).put(buffer, (area.x, area.y), 2);
    Line::of(cut(&scene.typed, from), Style::new()).put(buffer, (area.x + 2, area.y), area.width - 2);
    laid.cursor = (area.x + (prompt.len() + columns(&before) - from) as u16, area.y);
}
