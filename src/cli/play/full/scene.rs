//! What there is to be seen on the screen: a value, from which alone it is drawn.

use lawspeaker::lexicon::words::ScreenWords;
use lawspeaker::map::Drawn;

use super::colours::Colours;
use crate::cli::play::grouped::Group;
use crate::cli::play::talk::Said;

/// The screen.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The words of the language.
    pub words: &'static ScreenWords,
    /// Its colours.
    pub colours: Colours,
    /// What the game is called.
    pub title: String,
    /// Who decides, and on what.
    pub asked: String,
    /// The seat that decides.
    pub seat: Option<u16>,
    /// The board.
    pub board: Drawn,
    /// Whether the board is a list, which takes any width.
    pub listed: bool,
    /// Piles and variables.
    pub beside: Vec<String>,
    /// What happened.
    pub log: Vec<Said>,
    /// The texts of the options.
    pub options: Vec<String>,
    /// What stands after each option that is no part of it, such as a price.
    pub after: Vec<String>,
    /// The options in groups.
    pub groups: Vec<Group>,
    /// The cells that each option names.
    pub cells: Vec<Vec<u16>>,
    /// What is typed.
    pub typed: String,
    /// The option that was clicked, and what was typed before: the list stays as it was.
    pub clicked: Option<(String, String)>,
    /// How many letters of it stand before the cursor.
    pub at: usize,
    /// A short answer.
    pub message: String,
    /// A long answer, over what happened and the options.
    pub page: Option<Page>,
    /// Where the keys go.
    pub focus: Focus,
    /// The option under the cursor, by its place.
    pub chosen: Option<usize>,
    /// The cell under the cursor.
    pub cell: Option<u16>,
    /// How far the board is scrolled: columns, lines.
    pub board_at: (usize, usize),
    /// How far what happened is scrolled up from its end, in lines.
    pub log_at: usize,
    /// How far the options are scrolled, in lines.
    pub options_at: usize,
}

/// A long answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// What it says.
    pub said: Vec<Said>,
    /// How far it is scrolled, in lines.
    pub at: usize,
}

/// Where the keys go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    /// To the line that is typed.
    #[default]
    Line,
    /// To the board.
    Board,
    /// To the options.
    Options,
    /// To what happened.
    Log,
}

impl Focus {
    /// The next one in turn.
    pub fn next(self) -> Focus {
        match self {
            Focus::Line => Focus::Board,
            Focus::Board => Focus::Options,
            Focus::Options => Focus::Log,
            Focus::Log => Focus::Line,
        }
    }
}
