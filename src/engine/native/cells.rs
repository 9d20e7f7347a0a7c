//! The values that the single numbers of a position can have. Machine code reads them without tests.
//!
//! A position is tested before machine code is given it. Machine code tests a number before it writes the number.

use crate::engine::place::Singles;
use crate::engine::program::Program;

/// How many bytes are compared together.
const PART: usize = 256;

/// What single numbers can be, by bytes.
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// Of each byte the least and the greatest value, as far as numbers of one byte go.
    least: Vec<u8>,
    most: Vec<u8>,
    /// Numbers of two and four bytes.
    wide: Vec<Singles>,
}

impl Cells {
    /// Those of a game.
    pub fn of(program: &Program) -> Cells {
        let mut cells = Cells::default();
        for singles in &program.singles {
            if singles.width > 1 {
                cells.wide.push(*singles);
                continue;
            }
            let (first, end) = (singles.at as usize, (singles.at + singles.count) as usize);
            for (bytes, of_others, bound) in
                [(&mut cells.least, 0, singles.least), (&mut cells.most, u8::MAX, singles.most)]
            {
                bytes.resize(bytes.len().max(end), of_others);
                bytes.get_mut(first..end).unwrap_or_default().fill(u8::try_from(bound).unwrap_or(u8::MAX));
            }
        }
        cells
    }

    /// Whether the number that is stored in a byte is never nothing.
    pub fn is_always_there(&self, at: u32) -> bool {
        self.least.get(at as usize).is_some_and(|least| *least > 0)
    }

    /// Makes sound numbers of bytes that are all zero.
    pub fn begin(&self, position: &mut [u8]) {
        for (byte, least) in position.iter_mut().zip(&self.least) {
            *byte = *least;
        }
        for singles in &self.wide {
            let (first, width) = (singles.at as usize, singles.width as usize);
            let entries = position.get_mut(first..first + width * singles.count as usize).unwrap_or_default();
            for low in entries.iter_mut().step_by(width) {
                *low = singles.least as u8;
            }
        }
    }

    /// Whether all numbers of a position are such as their variables can have. Those of another one are.
    pub fn are_sound(&self, position: &[u8], other: &[u8]) -> bool {
        let bounds = self.least.chunks(PART).zip(self.most.chunks(PART));
        let mut parts = position.chunks(PART).zip(other.chunks(PART)).zip(bounds);
        position.len() >= self.least.len()
            && other.len() >= position.len()
            && parts.all(|((bytes, known), bounds)| bytes == known || are_within(bytes, bounds))
            && self.wide.iter().all(|singles| singles.are_sound(position, other))
    }
}

/// Whether bytes are within bounds. All are looked at: so a processor does many at once.
fn are_within(bytes: &[u8], (least, most): (&[u8], &[u8])) -> bool {
    let bounds = least.iter().zip(most);
    let out =
        bytes.iter().zip(bounds).map(|(byte, (least, most))| least.saturating_sub(*byte) | byte.saturating_sub(*most));
    out.fold(0, |any, out| any | out) == 0
}

#[cfg(test)]
impl Cells {
    /// Makes of each number of the first bytes of a position one that its variable can have.
    pub fn bring_within(&self, position: &mut [u8]) {
        for (byte, (least, most)) in position.iter_mut().zip(self.least.iter().zip(&self.most)) {
            let span = u16::from(most - least) + 1;
            *byte = least + (u16::from(*byte) % span) as u8;
        }
        for singles in &self.wide {
            let (first, width) = (singles.at as usize, singles.width as usize);
            let bytes = position.get_mut(first..first + width * singles.count as usize).unwrap_or_default();
            for entry in bytes.chunks_exact_mut(width).filter(|entry| !singles.has(entry)) {
                entry.copy_from_slice(&singles.least.to_le_bytes()[..width]);
            }
        }
    }
}

impl Singles {
    /// Whether what is stored in an entry is one that it can have.
    fn has(&self, entry: &[u8]) -> bool {
        let number = entry.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
        (self.least..=self.most).contains(&number)
    }

    /// Whether that is so of all entries of a position, where those of another one are sound.
    fn are_sound(&self, position: &[u8], other: &[u8]) -> bool {
        let (first, width) = (self.at as usize, self.width as usize);
        let range = first..first + width * self.count as usize;
        let bytes = position.get(range.clone());
        bytes == other.get(range) || bytes.is_some_and(|bytes| bytes.chunks_exact(width).all(|entry| self.has(entry)))
    }
}
