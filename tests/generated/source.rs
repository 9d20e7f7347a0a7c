//! Where the choices of the generator come from.

use lawspeaker::players::Dice;

/// A source of choices; the choice 0 is always a smallest one.
pub trait Source {
    /// A number below `n`; 0 if there is none.
    fn below(&mut self, n: usize) -> usize;
}

impl Source for Dice {
    fn below(&mut self, n: usize) -> usize {
        Dice::below(self, n)
    }
}

/// Choices read from bytes; after their end always the smallest.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> usize {
        match self.0 {
            [first, rest @ ..] => {
                self.0 = rest;
                usize::from(*first)
            }
            [] => 0,
        }
    }
}

impl Source for Bytes<'_> {
    fn below(&mut self, n: usize) -> usize {
        match n {
            0 | 1 => 0,
            2..=256 => self.next() % n,
            _ => (self.next() << 16 | self.next() << 8 | self.next()) % n,
        }
    }
}
