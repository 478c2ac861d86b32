//! Pieces of 16 to 62 bytes.

use super::super::prefetch::prefetch;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Longest piece whose bytes fit an entry.
pub(crate) const LONG_BYTES: usize = 62;
const SLOTS: usize = 1 << 14;

/// 1 MiB, direct mapped.
#[derive(Clone)]
pub(crate) struct LongPieces {
    slots: Vec<LongEntry>,
}

#[derive(Clone, Copy)]
#[repr(align(64))]
struct LongEntry {
    bytes: [u8; LONG_BYTES],
    length: u8,
    count: u8,
}

impl LongPieces {
    pub(crate) const BYTES: usize = SLOTS * size_of::<LongEntry>();

    pub(crate) fn new() -> LongPieces {
        LongPieces { slots: vec![LongEntry { bytes: [0; LONG_BYTES], length: 0, count: 0 }; SLOTS] }
    }

    /// Asks the processor for the entry that `piece` would have, if it may have one.
    #[inline]
    pub(crate) fn prefetch(&self, piece: &[u8]) {
        if piece.len() <= LONG_BYTES {
            prefetch(&self.slots[slot(piece)]);
        }
    }

    /// The count of `piece`; 0 if it is not here.
    #[inline]
    pub(crate) fn get(&self, piece: &[u8]) -> u32 {
        if piece.len() > LONG_BYTES {
            return 0;
        }
        let entry = &self.slots[slot(piece)];
        if entry.bytes[..usize::from(entry.length)] == *piece { u32::from(entry.count) } else { 0 }
    }

    /// Keeps the count of `piece`, if it is short enough.
    pub(crate) fn insert(&mut self, piece: &[u8], count: u32) {
        if piece.len() <= LONG_BYTES {
            let entry = &mut self.slots[slot(piece)];
            (entry.length, entry.count) = (piece.len() as u8, count as u8);
            entry.bytes[..piece.len()].copy_from_slice(piece);
        }
    }
}

fn slot(piece: &[u8]) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write(piece);
    (hasher.finish() >> (64 - SLOTS.trailing_zeros())) as usize
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
