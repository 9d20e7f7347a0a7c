//! The board as the game begins.

use super::Desk;
use super::doc::{Anchor, Block, Chapter, Piece, text};
use crate::map;
use crate::picture;

/// The chapter; `None` if the game has no board, or does not begin.
pub(super) fn chapter(desk: &Desk) -> Option<Chapter> {
    let (model, lang) = (desk.model, desk.lexicon.lang);
    let words = &desk.words.book;
    let start = desk.about.side.rules.start().ok()?;
    let explainer = desk.about.side.rules.explainer();
    let (view, marks) = (explainer.view_of_all(&start), explainer.marks_of_all(&start));
    let drawn = map::board(model, &view, &marks, lang);
    if drawn.trim().is_empty() {
        return None;
    }
    let block = match picture::board(model, &view, &marks, &[], lang) {
        Some(picture) => Block::Picture(Box::new(picture), words.board.to_owned(), drawn),
        None => Block::Verbatim(words.board.to_owned(), drawn),
    };
    let title = vec![text(words.board_start)];
    let piece = Piece { title, anchor: Anchor::new("board", "start"), blocks: vec![block] };
    Some(Chapter { name: "board", title: words.board.to_owned(), lead: Vec::new(), pieces: vec![piece] })
}
