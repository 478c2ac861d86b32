//! Token counts of pieces seen before. Text repeats itself: nearly every pretoken is answered from here.
//!
//! A count depends on the piece and the vocabulary alone, so what is or is not cached never changes a result.

use rustc_hash::FxHasher;
use std::{fmt, hash::Hasher};

/// Longest piece whose bytes fit an entry of [`ShortPieces`].
pub(super) const SHORT_BYTES: usize = 15;
/// Longest piece whose bytes fit an entry of [`LongPieces`].
const LONG_BYTES: usize = 62;

const SETS: usize = 1 << 16;
const LONG_SLOTS: usize = 1 << 14;
const COUNT_SHIFT: u32 = 120;
const LENGTH_SHIFT: u32 = 124;
const COUNT_MASK: u128 = 0xF << COUNT_SHIFT;

/// Four entries in one cache line. An entry is 15 bytes of text, then 4 bits of count and 4 bits of length.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Set([u128; 4]);

/// Counts of pieces of at most [`SHORT_BYTES`] bytes: 4 MiB, oldest out first within a set.
#[derive(Clone)]
pub(super) struct ShortPieces {
    sets: Vec<Set>,
}

/// A short piece as the cache knows it.
#[derive(Clone, Copy)]
pub(super) struct Key(u128);

impl Key {
    /// The key of `text[start..end]`, which has 1 to [`SHORT_BYTES`] bytes.
    #[inline(always)]
    pub(super) fn new(text: &[u8], start: usize, end: usize) -> Key {
        let length = end - start;
        let bytes = match text.get(start..start + 16) {
            Some(bytes) => <[u8; 16]>::try_from(bytes).map_or(0, u128::from_le_bytes),
            None => Key::near_the_end(&text[start..end]),
        };
        let kept = (1_u128 << (8 * length)) - 1;
        Key(bytes & kept | (length as u128) << LENGTH_SHIFT)
    }

    #[cold]
    fn near_the_end(piece: &[u8]) -> u128 {
        let mut bytes = [0; 16];
        bytes[..piece.len()].copy_from_slice(piece);
        u128::from_le_bytes(bytes)
    }

    /// Where to look: both halves folded into one and multiplied, the best mixed bits on top.
    #[inline(always)]
    fn set(self) -> usize {
        let folded = (self.0 as u64) ^ ((self.0 >> 64) as u64).rotate_left(29);
        (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SETS.trailing_zeros())) as usize
    }
}

impl ShortPieces {
    pub(super) fn new() -> ShortPieces {
        ShortPieces { sets: vec![Set([0; 4]); SETS] }
    }

    /// The count of a piece, 0 if it is not here.
    #[inline(always)]
    pub(super) fn get(&self, key: Key) -> u32 {
        let set = &self.sets[key.set()].0;
        let mut count = 0;
        for entry in set {
            if entry & !COUNT_MASK == key.0 {
                count = (entry >> COUNT_SHIFT) as u32 & 0xF;
            }
        }
        count
    }

    #[inline]
    pub(super) fn insert(&mut self, key: Key, count: u32) {
        let set = &mut self.sets[key.set()].0;
        set.rotate_right(1);
        set[0] = key.0 | u128::from(count) << COUNT_SHIFT;
    }
}

impl fmt::Debug for ShortPieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShortPieces").finish_non_exhaustive()
    }
}

/// Counts of pieces of 16 to [`LONG_BYTES`] bytes: 1 MiB, direct mapped.
pub(super) struct LongPieces {
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
    pub(super) fn new() -> LongPieces {
        LongPieces { slots: vec![LongEntry { bytes: [0; LONG_BYTES], length: 0, count: 0 }; LONG_SLOTS] }
    }

    /// The count of `piece`, or what `count` says of it, kept if the piece is short enough to keep.
    #[inline]
    pub(super) fn get_or_count(&mut self, piece: &[u8], count: impl FnOnce() -> u32) -> u32 {
        if piece.len() > LONG_BYTES {
            return count();
        }
        let entry = &mut self.slots[slot(piece)];
        if entry.bytes[..usize::from(entry.length)] != *piece {
            entry.bytes[..piece.len()].copy_from_slice(piece);
            entry.length = piece.len() as u8;
            entry.count = count() as u8;
        }
        u32::from(entry.count)
    }
}

impl fmt::Debug for LongPieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LongPieces").finish_non_exhaustive()
    }
}

fn slot(piece: &[u8]) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write(piece);
    (hasher.finish() >> (64 - LONG_SLOTS.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_pieces_come_back_with_their_counts() {
        let text = b"the quick brown fox jumps over";
        let mut cache = ShortPieces::new();
        for (start, end, count) in [(0, 3, 1), (3, 9, 2), (15, 30, 15), (27, 30, 3)] {
            let key = Key::new(text, start, end);
            assert_eq!(cache.get(key), 0);
            cache.insert(key, count);
            assert_eq!(cache.get(key), count);
        }
        assert_eq!(cache.get(Key::new(text, 0, 2)), 0, "a prefix is another piece");
    }

    #[test]
    fn a_full_set_forgets_its_oldest_piece() {
        let mut cache = ShortPieces::new();
        let keys: Vec<_> = (0..u64::MAX)
            .map(|i| Key(u128::from(i) | 8 << LENGTH_SHIFT))
            .filter(|key| key.set() == 7)
            .take(5)
            .collect();
        for &key in &keys {
            cache.insert(key, 1);
        }
        assert_eq!(keys.iter().map(|&key| cache.get(key)).collect::<Vec<_>>(), [0, 1, 1, 1, 1]);
    }

    #[test]
    fn long_pieces_are_counted_once() {
        let mut cache = LongPieces::new();
        let piece = b"internationalisation";
        assert_eq!(cache.get_or_count(piece, || 4), 4);
        assert_eq!(cache.get_or_count(piece, || unreachable!("kept")), 4);
        assert_eq!(cache.get_or_count(&[b'x'; 63], || 9), 9);
        assert_eq!(cache.get_or_count(&[b'x'; 63], || 8), 8, "too long to keep");
    }
}
