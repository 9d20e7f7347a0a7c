//! A board that has been drawn, with where its cells stand and whose pieces are where, so that a screen can colour them
//! and point at them.

use super::legend;

/// The columns before the further lines of a list.
const LIST_INDENT: usize = 2;

/// A board that has been drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// The map, line by line.
    pub text: String,
    /// Where the cells stand.
    pub places: Vec<Place>,
    /// Whose pieces stand where.
    pub tints: Vec<Tint>,
    /// What stands under the map.
    pub under: Vec<Under>,
}

/// Where a cell stands in the text of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The cell, by its place in its kind.
    pub cell: u16,
    /// Its first line.
    pub line: usize,
    /// Its first column.
    pub column: usize,
    /// Its columns.
    pub wide: usize,
    /// Its lines.
    pub high: usize,
}

/// A part of a line that is about a piece of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tint {
    /// The line.
    pub line: usize,
    /// Its first column.
    pub column: usize,
    /// Its columns.
    pub wide: usize,
    /// The seat, by its place among the seats.
    pub seat: usize,
}

/// What stands under a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Under {
    /// Entries side by side, as far as there is room.
    Entries(Vec<String>),
    /// A list, broken between its words.
    List(String),
}

impl Drawn {
    /// A map with nothing to point at.
    pub(super) fn plain(text: String) -> Drawn {
        Drawn { text, ..Drawn::default() }
    }

    /// Puts entries under the map, if there are any.
    pub(super) fn entries(&mut self, entries: impl IntoIterator<Item = String>) {
        let entries: Vec<String> = entries.into_iter().collect();
        if !entries.is_empty() {
            self.under.push(Under::Entries(entries));
        }
    }

    /// Puts a list under the map.
    pub(super) fn list(&mut self, text: &str) {
        self.under.push(Under::List(text.to_owned()));
    }

    /// What stands under the map, in lines of some columns.
    #[must_use]
    pub fn legend(&self, width: usize) -> String {
        let mut out = String::new();
        for under in &self.under {
            match under {
                Under::Entries(entries) => legend::rows(&mut out, width, entries.iter().cloned()),
                Under::List(text) => legend::words(&mut out, width, LIST_INDENT, text.split(' ')),
            }
        }
        out
    }

    /// The map with what stands under it.
    #[must_use]
    pub fn whole(self) -> String {
        let legend = self.legend(legend::WIDTH);
        self.text + &legend
    }
}
