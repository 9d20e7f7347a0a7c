//! What keys and the mouse do.

use lawspeaker::game::SeenOption;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::scene::Focus;
use super::{Full, Pressed};
use crate::cli::Stop;
use crate::cli::play::grouped::matches;

/// Lines that a turn of the wheel scrolls.
const WHEEL: isize = 3;

impl Full<'_, '_> {
    pub(super) fn key(&mut self, key: &KeyEvent, options: &[SeenOption]) -> Result<Pressed, Stop> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            // The ends of lines that were pasted, or typed before the screen was there.
            KeyCode::Char('j' | 'm') if control => return Ok(self.enter(options)),
            KeyCode::Char(letter) if control => return self.control(letter),
            KeyCode::Char(letter) => {
                self.scene.focus = Focus::Line;
                self.scene.options_at = 0;
                // A number after an option that is written out is another choice.
                let longer = format!("{}{letter}", self.editor.text());
                if letter.is_ascii_digit()
                    && self.scene.options.contains(&self.editor.text())
                    && !self.scene.options.iter().any(|option| matches(option, &longer))
                {
                    self.editor.clear();
                }
                self.editor.insert(letter);
            }
            KeyCode::Enter => return Ok(self.enter(options)),
            KeyCode::Tab => self.complete(),
            KeyCode::BackTab => self.scene.focus = self.scene.focus.next(),
            KeyCode::Esc => self.escape(),
            KeyCode::Backspace => {
                self.editor.backspace();
                self.scene.options_at = 0;
            }
            KeyCode::Delete => self.editor.delete(),
            KeyCode::Home => self.editor.home(),
            KeyCode::End => self.editor.end(),
            KeyCode::PageUp => self.page(-1),
            KeyCode::PageDown => self.page(1),
            KeyCode::Up => self.arrow(0, -1),
            KeyCode::Down => self.arrow(0, 1),
            KeyCode::Left => self.arrow(-1, 0),
            KeyCode::Right => self.arrow(1, 0),
            _ => {}
        }
        Ok(Pressed::Drawn)
    }

    fn control(&mut self, letter: char) -> Result<Pressed, Stop> {
        match letter {
            'a' => self.editor.home(),
            'e' => self.editor.end(),
            'u' => self.editor.clear(),
            'w' => self.editor.delete_word(),
            'd' if self.editor.text().is_empty() => return Ok(Pressed::Leave),
            'd' => self.editor.delete(),
            'l' => self.screen.forget()?,
            'p' => self.editor.earlier(),
            'n' => self.editor.later(),
            _ => {}
        }
        Ok(Pressed::Drawn)
    }

    fn escape(&mut self) {
        if self.scene.page.take().is_none() {
            match self.scene.focus {
                Focus::Line => self.editor.clear(),
                _ => self.scene.focus = Focus::Line,
            }
            self.scene.message.clear();
        }
    }

    fn enter(&mut self, options: &[SeenOption]) -> Pressed {
        match (self.scene.focus, self.scene.chosen, self.scene.cell) {
            (Focus::Options, Some(option), _) if option < options.len() => {
                self.editor.clear();
                Pressed::Line((option + 1).to_string())
            }
            (Focus::Board, _, Some(cell)) => {
                self.point(cell);
                Pressed::Drawn
            }
            _ => {
                let line = self.editor.enter();
                if line.is_empty() && self.scene.page.take().is_some() {
                    return Pressed::Drawn;
                }
                Pressed::Line(line)
            }
        }
    }

    /// Seeks the options that name a cell as well; the only one is typed.
    fn point(&mut self, cell: u16) {
        let viewer = self.talk.viewer_of(self.scene.seat.unwrap_or(0));
        if let Some(name) = viewer.name_of(cell) {
            self.editor.add(&name);
            // Where nothing goes from what was sought to this cell, it is the beginning of something else.
            if !self.scene.options.iter().any(|option| matches(option, &self.editor.text())) {
                self.editor.set(&name);
            }
            self.scene.focus = Focus::Line;
            self.scene.typed = self.editor.text();
            let mut sought = self.scene.sought();
            if let (Some(only), None) = (sought.next(), sought.next())
                && let Some(text) = self.scene.options.get(only)
            {
                self.editor.set(text);
            }
        }
    }

    fn arrow(&mut self, x: isize, y: isize) {
        if self.scene.page.is_some() && y != 0 {
            self.scroll_page(y);
            return;
        }
        match self.scene.focus {
            Focus::Line if x != 0 => self.editor.step(x),
            Focus::Line if y < 0 => self.editor.earlier(),
            Focus::Line => self.editor.later(),
            Focus::Board => self.step_on_board(x, y),
            Focus::Options => self.step_in_options(x, y),
            Focus::Log => self.scroll_log(-y),
        }
    }

    fn step_in_options(&mut self, x: isize, y: isize) {
        let sought: Vec<usize> = self.scene.sought().collect();
        let now = self.scene.chosen.filter(|c| sought.contains(c));
        let Some(now) = now else {
            self.scene.chosen = self.laid.options.first().map(|(_, option)| *option).or(sought.first().copied());
            return;
        };
        // In the picture where it stands in sight, else in the order of the options.
        let places: Vec<(Rect, usize)> = self.laid.options.clone();
        let next = nearest(&places, now, (x, y));
        let at = sought.iter().position(|o| *o == now).unwrap_or(0);
        let by_order = || sought.get(at.saturating_add_signed(if y == 0 { x } else { y })).copied();
        self.scene.chosen = next.or_else(by_order).or(Some(now));
        self.scene.options_at = self.scene.options_at.min(self.laid.most.options);
    }

    fn step_on_board(&mut self, x: isize, y: isize) {
        let places: Vec<(Rect, u16)> = self
            .scene
            .board
            .places
            .iter()
            .filter_map(|p| {
                let number = |n: usize| u16::try_from(n).ok();
                let rect = Rect::new(number(p.column)?, number(p.line)?, number(p.wide)?, number(p.high)?);
                Some((rect, p.cell))
            })
            .collect();
        let in_sight = || self.laid.cells.first().map(|(_, cell)| *cell);
        let Some(now) = self.scene.cell.or_else(|| self.near.first().copied()).or_else(in_sight) else {
            self.scroll_board(x * WHEEL, y);
            return;
        };
        let next = if self.scene.cell.is_none() { Some(now) } else { nearest(&places, now, (x, y)) };
        match next {
            Some(next) => {
                self.scene.cell = Some(next);
                self.bring_into_sight(vec![next]);
            }
            None => self.scroll_board(x * WHEEL, y),
        }
    }

    fn page(&mut self, by: isize) {
        let lines = |rect: Rect| (rect.height as isize - 2).max(1) * by;
        match self.scene.focus {
            _ if self.scene.page.is_some() => self.scroll_page(lines(self.laid.panes.page)),
            Focus::Board => self.scroll_board(0, lines(self.laid.map)),
            Focus::Options => self.scroll_options(lines(self.laid.panes.options)),
            // Where all of what happened is in sight, the options are scrolled.
            Focus::Line if self.laid.most.log == 0 => self.scroll_options(lines(self.laid.panes.options)),
            Focus::Log | Focus::Line => self.scroll_log(-lines(self.laid.panes.log)),
        }
    }

    fn scroll_page(&mut self, by: isize) {
        if let Some(page) = &mut self.scene.page {
            page.at = page.at.saturating_add_signed(by).min(self.laid.most.page);
        }
    }

    fn scroll_log(&mut self, up: isize) {
        self.scene.log_at = self.scene.log_at.min(self.laid.most.log).saturating_add_signed(up);
    }

    fn scroll_options(&mut self, by: isize) {
        self.scene.chosen = None;
        self.scene.options_at = self.scene.options_at.saturating_add_signed(by).min(self.laid.most.options);
    }

    fn scroll_board(&mut self, x: isize, y: isize) {
        let (columns, lines) = self.laid.most.board;
        let (left, top) = &mut self.scene.board_at;
        *left = left.saturating_add_signed(x).min(columns);
        *top = top.saturating_add_signed(y).min(lines);
    }

    pub(super) fn mouse(&mut self, mouse: &MouseEvent) -> Pressed {
        let at = Position { x: mouse.column, y: mouse.row };
        let panes = self.laid.panes;
        let by = match mouse.kind {
            MouseEventKind::ScrollUp => -WHEEL,
            MouseEventKind::ScrollDown => WHEEL,
            MouseEventKind::Down(MouseButton::Left) => return self.click(at),
            _ => return Pressed::Drawn,
        };
        match () {
            () if self.scene.page.is_some() && panes.page.contains(at) => self.scroll_page(by),
            () if panes.board.contains(at) && mouse.modifiers.contains(KeyModifiers::SHIFT) => {
                self.scroll_board(by * 2, 0);
            }
            () if panes.board.contains(at) => self.scroll_board(0, by),
            () if panes.options.contains(at) => self.scroll_options(by),
            () if panes.log.contains(at) => self.scroll_log(-by),
            () => {}
        }
        Pressed::Drawn
    }

    /// An option is typed, and taken if it was typed already; a cell is sought.
    fn click(&mut self, at: Position) -> Pressed {
        if self.scene.page.is_some() {
            self.scene.page = None;
            return Pressed::Drawn;
        }
        if let Some((_, option)) = self.laid.options.iter().find(|(rect, _)| rect.contains(at)) {
            let (number, text) = (option + 1, self.scene.options.get(*option).cloned().unwrap_or_default());
            if self.editor.text() == text {
                self.editor.clear();
                return Pressed::Line(number.to_string());
            }
            let before = self.scene.sought_by().to_owned();
            self.editor.set(&text);
            self.scene.clicked = Some((text, before));
            self.scene.focus = Focus::Line;
            return Pressed::Drawn;
        }
        // Beside a small cell the nearer one is meant.
        let beside = |rect: &Rect| Rect { width: rect.width + 1, ..*rect }.contains(at) && self.laid.map.contains(at);
        let hit = self.laid.cells.iter().find(|(rect, _)| rect.contains(at));
        if let Some((_, cell)) = hit.or_else(|| self.laid.cells.iter().find(|(rect, _)| beside(rect))) {
            let cell = *cell;
            self.scene.cell = Some(cell);
            self.point(cell);
        }
        Pressed::Drawn
    }
}

/// What lies nearest in a direction.
fn nearest<T: Copy + PartialEq>(places: &[(Rect, T)], now: T, (x, y): (isize, isize)) -> Option<T> {
    // Twice the middle, so that it is a whole number; a line is about as high as two columns are wide.
    let middle = |rect: &Rect| {
        let (left, top) = (isize::try_from(rect.x).ok()?, isize::try_from(rect.y).ok()?);
        Some((2 * left + rect.width as isize, 2 * (2 * top + rect.height as isize)))
    };
    let from = places.iter().find(|(_, one)| *one == now).and_then(|(rect, _)| middle(rect))?;
    let far = |(rect, one): &(Rect, T)| {
        let to = middle(rect)?;
        let (right, down) = (to.0 - from.0, to.1 - from.1);
        let (ahead, aside) = if x == 0 { (down * y, right.abs()) } else { (right * x, down.abs()) };
        (ahead > 0 && *one != now).then_some((ahead + 2 * aside, *one))
    };
    places.iter().filter_map(far).min_by_key(|(distance, _)| *distance).map(|(_, one)| one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_goes_to_what_lies_nearest() {
        let at = |x, y, cell| (Rect::new(x, y, 5, 3), cell);
        let cells = [at(3, 0, 'a'), at(9, 0, 'b'), at(0, 3, 'c'), at(6, 3, 'd')];
        assert_eq!(nearest(&cells, 'a', (1, 0)), Some('b'));
        assert_eq!(nearest(&cells, 'b', (0, 1)), Some('d'));
        assert_eq!(nearest(&cells, 'd', (-1, 0)), Some('c'));
        assert_eq!(nearest(&cells, 'a', (0, -1)), None);
    }
}
