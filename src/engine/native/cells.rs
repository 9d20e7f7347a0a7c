//! What the bytes of a position hold where single numbers are stored: machine code goes by it.
//!
//! It is tested of a position before that is held. Machine code keeps to it: it writes a single number only once it
//! is one of those that its variable can have.

use crate::engine::place::Singles;
use crate::engine::program::Program;

/// What single numbers can be, by bytes.
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// Of each byte the least and the greatest value, as far as numbers of one byte go.
    bytes: Vec<[u8; 2]>,
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
            if cells.bytes.len() < end {
                cells.bytes.resize(end, [0, u8::MAX]);
            }
            let bounds = [singles.least, singles.most].map(|n| u8::try_from(n).unwrap_or(u8::MAX));
            cells.bytes.get_mut(first..end).unwrap_or_default().fill(bounds);
        }
        cells
    }

    /// Whether the number that is stored in a byte is never nothing.
    pub fn is_always_there(&self, at: u32) -> bool {
        self.bytes.get(at as usize).is_some_and(|[least, _]| *least > 0)
    }

    /// Whether all numbers of a position are such as their variables can have.
    pub fn are_sound(&self, position: &[u8]) -> bool {
        let Some(bytes) = position.get(..self.bytes.len()) else { return false };
        // All are looked at, without branches.
        let out = self.bytes.iter().zip(bytes).map(|([least, most], byte)| byte < least || byte > most);
        !out.fold(false, |any, out| any | out) && self.wide.iter().all(|singles| singles.all_sound(position))
    }
}

#[cfg(test)]
impl Cells {
    /// Makes of each number one that its variable can have.
    pub fn bring_within(&self, position: &mut [u8]) {
        for (byte, [least, most]) in position.iter_mut().zip(&self.bytes) {
            let span = u16::from(most - least) + 1;
            *byte = least + (u16::from(*byte) % span) as u8;
        }
        for singles in &self.wide {
            let (first, width) = (singles.at as usize, singles.width as usize);
            let bytes = &mut position[first..first + width * singles.count as usize];
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

    /// Whether that is so of all entries.
    fn all_sound(&self, position: &[u8]) -> bool {
        let (first, width) = (self.at as usize, self.width as usize);
        let bytes = position.get(first..first + width * self.count as usize);
        bytes.is_some_and(|bytes| bytes.chunks_exact(width).all(|entry| self.has(entry)))
    }
}
