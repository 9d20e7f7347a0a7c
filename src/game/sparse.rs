//! Bytes of which most are zero, kept without those.
//!
//! A block is kept as a bit for each of its words, set if the word is not zero; then for each such word a byte with a
//! bit for each of its bytes, set if the byte is not zero; then the bytes that are not zero. Blocks of the same size
//! are equal if what is kept of them is.

use std::ops::Range;

/// Bytes of a word.
const WORD: usize = 8;

/// Bytes of a part, of which a word tells which words are there.
const PART: usize = 64 * WORD;

/// Most blocks have at most so many bytes that are not zero.
const VALUES: usize = 256;

/// Appends what is kept of a block.
pub(super) fn pack(block: &[u8], to: &mut Vec<u8>) {
    let first = to.len();
    let masks_from = first + word_bits(block.len());
    to.resize(masks_from, 0);
    let mut values = Vec::with_capacity(VALUES);
    // What is found in one part; that of the next is written over it.
    let (mut masks, mut found) = ([0; PART / WORD], [0; PART]);
    for (i, part) in block.chunks(PART).enumerate() {
        let (words, rest) = part.as_chunks();
        let last = number(rest).to_le_bytes();
        let mut left = nonzero_words(words.iter().chain((!rest.is_empty()).then_some(&last)));
        let bits = to.get_mut(first + WORD * i..masks_from).unwrap_or_default();
        bits.iter_mut().zip(left.to_le_bytes()).for_each(|(to, byte)| *to = byte);
        let (mut count, mut end) = (0, 0);
        while left != 0 {
            let word = words.get(left.trailing_zeros() as usize).unwrap_or(&last);
            left &= left - 1;
            if let Some(mask) = masks.get_mut(count) {
                *mask = nonzero(u64::from_le_bytes(*word));
                count += 1;
            }
            // There is no branch for each byte, since none could be foretold.
            for byte in word {
                if let Some(to) = found.get_mut(end) {
                    *to = *byte;
                    end += usize::from(*byte != 0);
                }
            }
        }
        values.extend_from_slice(found.get(..end).unwrap_or(&[]));
        to.extend_from_slice(masks.get(..count).unwrap_or(&[]));
    }
    to.extend_from_slice(&values);
}

/// A bit for each of some words, set if the word is not zero.
fn nonzero_words<'a>(words: impl Iterator<Item = &'a [u8; WORD]>) -> u64 {
    let bit = |(i, word): (usize, &[u8; WORD])| u64::from(u64::from_le_bytes(*word) != 0) << i;
    words.enumerate().map(bit).fold(0, |any, bit| any | bit)
}

/// Restores a block from what is kept of it, at the beginning of these bytes; returns those that follow. Whatever the
/// bytes are, the whole block is written.
pub(super) fn unpack<'a>(kept: &'a [u8], block: &mut [u8]) -> &'a [u8] {
    block.fill(0);
    let (there, rest) = kept.split_at(word_bits(block.len()).min(kept.len()));
    let (mut masks, mut rest) = rest.split_at(ones(there).min(rest.len()));
    for (part, there) in block.chunks_mut(PART).zip(there.chunks(WORD)) {
        let mut there = number(there);
        while there != 0 {
            let at = WORD * there.trailing_zeros() as usize;
            there &= there - 1;
            let Some((mask, more)) = masks.split_first() else { return rest };
            masks = more;
            let word = take(&mut rest, *mask).to_le_bytes();
            match part.get_mut(at..at + WORD) {
                Some(to) => to.copy_from_slice(&word),
                None => part.iter_mut().skip(at).zip(word).for_each(|(to, byte)| *to = byte),
            }
        }
    }
    rest
}

/// Reads bytes of a block of this size of which this is kept.
pub(super) fn read(kept: &[u8], size: usize, at: usize, to: &mut [u8]) {
    let found = Found::new(kept, size, at..at + to.len());
    let mut values = kept.get(found.values.start..).unwrap_or(&[]);
    let mut skipped = at % WORD;
    let mut left = to;
    for mask in found.masks_of(kept) {
        let word = take(&mut values, mask).to_le_bytes();
        let word = word.get(skipped..).unwrap_or(&[]);
        let n = word.len().min(left.len());
        let (now, more) = left.split_at_mut(n);
        now.copy_from_slice(word.get(..n).unwrap_or(&[]));
        (left, skipped) = (more, 0);
    }
}

/// Writes bytes of a block of this size. What is kept of it is the end of these bytes, from `first` on.
pub(super) fn write(bytes: &mut Vec<u8>, first: usize, size: usize, at: usize, new: &[u8]) {
    let Some(kept) = bytes.get(first..) else { return };
    let found = Found::new(kept, size, at..at + new.len());
    let mut values = kept.get(found.values.clone()).unwrap_or(&[]);
    let mut words: Vec<u8> = found.masks_of(kept).flat_map(|mask| take(&mut values, mask).to_le_bytes()).collect();
    match words.get_mut(at % WORD..at % WORD + new.len()) {
        Some(old) if old != new => old.copy_from_slice(new),
        _ => return,
    }
    let (mut masks, mut values) = (Vec::new(), Vec::new());
    for (i, word) in found.words.clone().zip(words.as_chunks().0) {
        let mask = nonzero(u64::from_le_bytes(*word));
        masks.extend((mask != 0).then_some(mask));
        values.extend(word.iter().filter(|byte| **byte != 0));
        if let Some(byte) = bytes.get_mut(first + i / 8) {
            let bit = 1 << (i % 8);
            *byte = if mask != 0 { *byte | bit } else { *byte & !bit };
        }
    }
    let within = |range: &Range<usize>| first + range.start..first + range.end;
    bytes.splice(within(&found.values), values);
    bytes.splice(within(&found.masks), masks);
}

/// The fewest bytes that are kept of a block of this size.
pub(super) fn least(size: usize) -> usize {
    word_bits(size)
}

/// Where some words of a block are in what is kept of it.
struct Found {
    /// The words.
    words: Range<usize>,
    masks: Range<usize>,
    values: Range<usize>,
}

impl Found {
    /// The words around these bytes of a block of this size.
    fn new(kept: &[u8], size: usize, range: Range<usize>) -> Found {
        let words = range.start / WORD..range.end.div_ceil(WORD);
        let (there, rest) = kept.split_at(word_bits(size).min(kept.len()));
        let (first, last) = (bits_below(there, words.start), bits_below(there, words.end));
        let (masks, _) = rest.split_at(ones(there).min(rest.len()));
        let (first, last) = (first.min(masks.len()), last.min(masks.len()));
        let (before, these) = (masks.get(..first).unwrap_or(&[]), masks.get(first..last).unwrap_or(&[]));
        // Bytes that nothing was packed to may end too early.
        let values = (there.len() + masks.len() + ones(before)).min(kept.len());
        let n = ones(these).min(kept.len() - values);
        Found { words, masks: there.len() + first..there.len() + last, values: values..values + n }
    }

    /// The mask of each word; 0 if the word is zero.
    fn masks_of<'a>(&self, kept: &'a [u8]) -> impl Iterator<Item = u8> + use<'a> {
        let mut masks = kept.get(self.masks.clone()).unwrap_or(&[]).iter();
        self.words.clone().map(move |word| match kept.get(word / 8) {
            Some(byte) if byte >> (word % 8) & 1 == 1 => masks.next().copied().unwrap_or(0),
            _ => 0,
        })
    }
}

/// How many of the first bits are set.
fn bits_below(bytes: &[u8], bits: usize) -> usize {
    let (full, part) = bytes.split_at((bits / 8).min(bytes.len()));
    let part = part.first().map_or(0, |byte| byte & ((1 << (bits % 8)) - 1));
    ones(full) + part.count_ones() as usize
}

/// The bytes that have a bit for each word of a block.
fn word_bits(size: usize) -> usize {
    size.div_ceil(8 * WORD)
}

/// How many bits are set.
fn ones(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<WORD>();
    let rest = rest.iter().map(|byte| byte.count_ones());
    words.iter().map(|word| u64::from_le_bytes(*word).count_ones()).chain(rest).sum::<u32>() as usize
}

/// A bit for each byte of a word, set if the byte is not zero.
fn nonzero(word: u64) -> u8 {
    const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let high = (((word & LOW) + LOW) | word) & !LOW;
    ((high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// The word at the beginning of these bytes, the lowest first; what is missing is zero.
fn number(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// A word of the bytes that its mask names, which are taken from the beginning of these.
fn take(bytes: &mut &[u8], mask: u8) -> u64 {
    let count = mask.count_ones() as usize;
    let (these, rest) = bytes.split_at(count.min(bytes.len()));
    *bytes = rest;
    let mut left = mask;
    let mut word = 0;
    for byte in these {
        word |= u64::from(*byte) << ((8 * left.trailing_zeros()) & 63);
        left &= left.wrapping_sub(1);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random.
    fn numbers() -> impl FnMut(usize) -> usize {
        let mut state = 1u64;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below.max(1)
        }
    }

    /// Blocks of many sizes, empty, full, and between.
    fn blocks() -> Vec<Vec<u8>> {
        let mut below = numbers();
        let mut blocks = Vec::new();
        for size in [0, 1, 7, 8, 9, 63, 64, 65, 200, 511, 512, 513, 1000, 1376, 3016] {
            for most in [1, 2, 20, 255] {
                let byte = |_| if below(most) == 0 { 0 } else { below(256) as u8 };
                blocks.push((0..size).map(byte).collect());
            }
            blocks.push((0..size).map(|i| u8::from(i % 90 == 89)).collect());
        }
        blocks
    }

    fn packed(block: &[u8]) -> Vec<u8> {
        let mut kept = vec![1, 2, 3];
        pack(block, &mut kept);
        kept.split_off(3)
    }

    #[test]
    fn what_is_kept_of_a_block_gives_the_block() {
        for block in blocks() {
            let mut kept = packed(&block);
            let zeros = block.iter().filter(|byte| **byte == 0).count();
            let words = block.chunks(WORD).filter(|word| word.iter().any(|byte| *byte != 0)).count();
            assert_eq!(kept.len(), least(block.len()) + words + block.len() - zeros);
            kept.push(77);
            let mut again = vec![9; block.len()];
            assert_eq!(unpack(&kept, &mut again), [77]);
            assert_eq!(again, block);
        }
    }

    #[test]
    fn parts_are_read_and_written_where_they_are() {
        let mut below = numbers();
        for mut block in blocks() {
            let mut kept = vec![1, 2, 3];
            pack(&block, &mut kept);
            for _ in 0..200 {
                let at = below(block.len() + 1);
                let len = below((block.len() - at).min(30) + 1);
                let mut part = vec![9; len];
                read(&kept[3..], block.len(), at, &mut part);
                assert_eq!(part, block[at..at + len]);
                let most = 1 + below(3);
                part.fill_with(|| below(most) as u8);
                block[at..at + len].copy_from_slice(&part);
                write(&mut kept, 3, block.len(), at, &part);
                assert_eq!(kept[..3], [1, 2, 3]);
                assert_eq!(kept[3..], packed(&block), "{len} bytes from {at} on of {}", block.len());
            }
        }
    }

    #[test]
    fn any_bytes_give_some_block() {
        let mut below = numbers();
        for _ in 0..2000 {
            let kept: Vec<u8> = (0..below(40)).map(|_| below(256) as u8).collect();
            let size = below(300);
            let mut block = vec![9; size];
            unpack(&kept, &mut block);
            let at = below(size + 1);
            let mut part = vec![0; below(size - at + 1)];
            read(&kept, size, at, &mut part);
            write(&mut kept.clone(), 0, size, at, &part);
        }
    }
}
