//! Pieces of 16 to 62 bytes.

use super::super::prefetch::prefetch;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Longest piece whose bytes fit an entry.
pub(crate) const LONG_BYTES: usize = 62;
const SETS: usize = 1 << 13;

/// Entries of a set. Russian has thousands of words of so many bytes: with two, one in seven would be merged each time.
const WAYS: usize = 4;
type Set = [LongEntry; WAYS];

/// 2 MiB, oldest out first within a set.
#[derive(Clone)]
pub(crate) struct LongPieces {
    sets: Vec<Set>,
}

#[derive(Clone, Copy)]
#[repr(align(64))]
struct LongEntry {
    bytes: [u8; LONG_BYTES],
    length: u8,
    count: u8,
}

impl LongPieces {
    pub(crate) const BYTES: usize = SETS * size_of::<Set>();

    pub(crate) fn new() -> LongPieces {
        LongPieces { sets: vec![[LongEntry { bytes: [0; LONG_BYTES], length: 0, count: 0 }; WAYS]; SETS] }
    }

    /// Asks the processor for the entries of which `piece` may be one, if it may.
    #[inline]
    pub(crate) fn prefetch(&self, piece: &[u8]) {
        if piece.len() <= LONG_BYTES {
            self.sets[set(piece)].iter().for_each(prefetch);
        }
    }

    /// The count of `piece`; 0 if it is not here.
    #[inline]
    pub(crate) fn get(&self, piece: &[u8]) -> u32 {
        if piece.len() > LONG_BYTES {
            return 0;
        }
        let entry = self.sets[set(piece)].iter().find(|entry| entry.bytes[..usize::from(entry.length)] == *piece);
        entry.map_or(0, |entry| u32::from(entry.count))
    }

    /// Keeps the count of `piece`, if it is short enough.
    pub(crate) fn insert(&mut self, piece: &[u8], count: u32) {
        if piece.len() <= LONG_BYTES {
            let entries = &mut self.sets[set(piece)];
            entries.rotate_right(1);
            let [entry, ..] = entries;
            (entry.length, entry.count) = (piece.len() as u8, count as u8);
            entry.bytes[..piece.len()].copy_from_slice(piece);
        }
    }
}

fn set(piece: &[u8]) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write(piece);
    (hasher.finish() >> (64 - SETS.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_back_with_their_counts_unless_they_are_too_long() {
        let mut cache = LongPieces::new();
        for length in [16, LONG_BYTES, LONG_BYTES + 1] {
            let piece = vec![b'x'; length];
            assert_eq!(cache.get(&piece), 0);
            cache.insert(&piece, 9);
            assert_eq!(cache.get(&piece), if length <= LONG_BYTES { 9 } else { 0 });
        }
    }
}
