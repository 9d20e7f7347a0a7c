//! Sets the scene: what the one who looks sees, at a decision.

use std::cmp::Reverse;

use lawspeaker::game::{Question, SeenOption};
use lawspeaker::lexicon::fill;
use lawspeaker::map::{self, Drawn, Near};
use lawspeaker::model::Arranged;
use ratatui::layout::Rect;

use super::Full;
use super::colours::Colours;
use super::panes::{BESIDE, list_width};
use super::scene::{Focus, Scene};
use crate::cli::play::grouped::groups;
use crate::cli::play::talk::{Said, Talk};
use crate::cli::play::view::Viewer;
use crate::cli::session::Session;

/// Plies that are added to what can be scrolled at a time.
const MORE: usize = 40;

/// What happened, as far back as it has been looked at.
pub(super) struct Log {
    /// Each with the number of plies before it.
    said: Vec<(usize, Said)>,
    /// The first ply that is there.
    from: usize,
}

impl Log {
    /// Nothing yet: what comes after some plies is told.
    pub fn new(plies: usize) -> Log {
        Log { said: Vec::new(), from: plies }
    }

    /// Adds what was told.
    pub fn tell(&mut self, told: Vec<(usize, Said)>) {
        self.said.extend(told);
    }

    /// Adds something that was noticed after some plies.
    pub fn note(&mut self, plies: usize, said: Vec<Said>) {
        self.said.extend(said.into_iter().map(|one| (plies.saturating_sub(1), one)));
    }

    /// Forgets what came from a ply on: it was taken back.
    pub fn back_to(&mut self, ply: usize) {
        self.said.retain(|(at, _)| *at < ply);
        self.from = self.from.min(ply);
    }

    /// Goes back to the first ply.
    pub fn all(&mut self, talk: &Talk<'_, '_>) {
        self.earlier(talk, self.from);
    }

    fn earlier(&mut self, talk: &Talk<'_, '_>, more: usize) {
        let from = self.from.saturating_sub(more);
        let of = |i: usize| talk.logged(i).into_iter().map(move |said| (i, said));
        let mut said: Vec<(usize, Said)> = (from..self.from).flat_map(of).collect();
        said.append(&mut self.said);
        self.said = said;
        self.from = from;
    }

    /// All that is there, with more of it where it is scrolled up to there.
    pub fn lines(&mut self, talk: &Talk<'_, '_>, scrolled: usize) -> Vec<Said> {
        if self.from > 0 && self.said.len() < scrolled + MORE {
            self.earlier(talk, MORE + scrolled);
        }
        self.said.iter().map(|(_, said)| said.clone()).collect()
    }
}

/// A scene in which nothing is seen yet.
pub(super) fn empty(session: &Session, colours: Colours) -> Scene {
    let lexicon = session.lexicon();
    Scene {
        words: &lexicon.words.screen,
        colours,
        title: session.model().title.get(&session.lang).to_owned(),
        asked: String::new(),
        seat: None,
        board: Drawn::default(),
        listed: session.model().board.as_ref().is_some_and(|b| matches!(b.arranged, Arranged::Groups(_))),
        beside: Vec::new(),
        log: Vec::new(),
        options: Vec::new(),
        after: Vec::new(),
        groups: Vec::new(),
        cells: Vec::new(),
        typed: String::new(),
        clicked: None,
        at: 0,
        message: String::new(),
        page: None,
        focus: Focus::Line,
        chosen: None,
        cell: None,
        board_at: (0, 0),
        log_at: 0,
        options_at: 0,
    }
}

/// What a seat sees of a board that has a screen of some size.
pub(super) fn board(scene: &mut Scene, viewer: &Viewer<'_>, position: &lawspeaker::game::Position, area: Rect) {
    let drawn = |(wide, high): (u16, u16)| {
        let room = Some((usize::from(wide), usize::from(high)));
        viewer.drawn(position, &Near { cells: Vec::new(), room, list: Some(list_width(area.width).into()) })
    };
    let high = area.height.saturating_sub(3);
    scene.board = drawn((area.width.saturating_sub(BESIDE + 1), high));
    // What is cut beside the options may have room above them.
    if scene.board.text.contains('…') && !scene.listed {
        let above = drawn((area.width, high));
        let fits = above.text.lines().count() <= usize::from(high * 3 / 5);
        if fits && !above.text.contains('…') {
            scene.board = above;
        }
    }
    scene.beside = viewer.told_lines(position, false);
}

/// Where play stands, who decides, and on what.
fn asked(talk: &Talk<'_, '_>, question: &Question) -> String {
    let session = talk.table.session;
    let (words, name) = (&session.lexicon().words.screen, session.seat_name(Some(question.seat)));
    let asked = match session.asked_in(question) {
        Some(asked) => fill(words.asked, &[&name, &asked]),
        None => fill(words.decides, &[&name]),
    };
    match session.phases(&talk.table.position).last() {
        Some(phase) => fill(words.phase, &[phase, &asked]),
        None => asked,
    }
}

/// A decision: who, what, and the options.
pub(super) fn decision(scene: &mut Scene, talk: &Talk<'_, '_>, question: &Question, options: &[SeenOption]) {
    let session = talk.table.session;
    let viewer = talk.viewer_of(question.seat);
    scene.asked = asked(talk, question);
    scene.seat = Some(question.seat);
    let brought = viewer.brought(&talk.table.position);
    scene.groups = groups(session.model(), &session.lang, options, &|of| brought.get(&of).cloned());
    scene.cells = options.iter().map(|option| viewer.cells_of(option)).collect();
    scene.options = options.iter().map(|option| option.text.clone()).collect();
    let titled = |i: usize| scene.groups.iter().any(|group| !group.brought.is_empty() && group.options.contains(&i));
    let after = |(i, option): (usize, &SeenOption)| {
        viewer.price(&talk.table.position, option) + &viewer.whom(&brought, option, titled(i))
    };
    scene.after = options.iter().enumerate().map(after).collect();
    scene.clicked = None;
    scene.focus = Focus::Line;
    scene.chosen = None;
    scene.options_at = 0;
    scene.log_at = 0;
}

impl Full<'_, '_> {
    /// Sets the scene for a decision.
    pub(super) fn decide(&mut self, question: &Question, options: &[SeenOption]) {
        self.editor.clear();
        self.cycled = None;
        decision(&mut self.scene, &self.talk, question, options);
        self.near = self.talk.viewer_of(question.seat).near(&self.talk.table.position, options);
        self.board();
        self.bring_into_sight(self.near.clone());
    }

    /// The board as the one who looks sees it.
    pub(super) fn board(&mut self) {
        self.board_of(self.talk.eyes());
    }

    /// The board as a seat sees it; nobody's eyes see what any seat sees.
    pub(super) fn board_of(&mut self, seat: Option<u16>) {
        let viewer = Viewer::new(self.talk.table.session, seat);
        board(&mut self.scene, &viewer, &self.talk.table.position, self.screen.area());
    }

    /// Scrolls the board so that cells are in sight: all of them if that can be, else the first.
    pub(super) fn bring_into_sight(&mut self, cells: Vec<u16>) {
        let area = self.screen.area();
        let laid = super::draw::draw(&self.scene, area, &mut ratatui::buffer::Buffer::empty(area));
        let pane = (usize::from(laid.map.width), usize::from(laid.map.height));
        self.scene.board_at = sight(&self.scene, pane, laid.most.board, &cells);
    }
}

/// How far a board is scrolled so that cells are in sight.
pub(super) fn sight(scene: &Scene, pane: (usize, usize), most: (usize, usize), cells: &[u16]) -> (usize, usize) {
    let places: Vec<&map::Place> =
        cells.iter().filter_map(|cell| scene.board.places.iter().find(|p| p.cell == *cell)).collect();
    let along = |at: &dyn Fn(&map::Place) -> (usize, usize), now: usize, room: usize, most: usize| {
        let ends = |of: &[&map::Place]| {
            let from = of.iter().map(|p| at(p).0).min()?;
            Some((from, of.iter().map(|p| at(p).0 + at(p).1).max()?))
        };
        let first = ends(places.get(..1)?)?;
        let Some((from, to)) = ends(&places).filter(|(from, to)| to - from <= room) else {
            // What matters most stays in sight, and as many of the others as can be, not far from where the board is.
            let holds = |top: usize, margin: usize| {
                first.0 >= top + margin.min(first.0) && first.1 + margin <= top + room || first.1 <= room && top == 0
            };
            if holds(now, 0) {
                return Some(now.min(most));
            }
            let inside =
                |top: usize| places.iter().filter(|p| at(p).0 >= top && at(p).0 + at(p).1 <= top + room).count();
            let tops = places.iter().map(|p| at(p).0.min(most)).filter(|top| holds(*top, room / 4));
            let best = tops.min_by_key(|top| (Reverse(inside(*top)), top.abs_diff(now)));
            return Some(best.unwrap_or_else(|| (first.0 + first.1).saturating_sub(room).div_euclid(2).min(most)));
        };
        Some(match from >= now && to <= now + room {
            true => now.min(most),
            false => (from + to).saturating_sub(room).div_euclid(2).min(most),
        })
    };
    let (x, y) = scene.board_at;
    // Where nothing matters, it stays.
    let x = along(&|p| (p.column, p.wide), x, pane.0, most.0).unwrap_or(x.min(most.0));
    (x, along(&|p| (p.line, p.high), y, pane.1, most.1).unwrap_or(y.min(most.1)))
}
