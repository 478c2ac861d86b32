//! Token counts of pieces seen before. Text repeats itself: nearly every pretoken is answered from here.
//!
//! A count depends on the piece and the vocabulary alone, so what is or is not cached never changes a result.

use super::prefetch::prefetch;
use rustc_hash::FxHasher;
use std::{fmt, hash::Hasher};

/// Longest piece whose bytes fit an entry of [`ShortPieces`].
pub(super) const SHORT_BYTES: usize = 15;
/// Longest piece whose bytes fit an entry of [`LongPieces`].
const LONG_BYTES: usize = 62;

const SETS: usize = 1 << 16;
const LONG_SLOTS: usize = 1 << 14;

/// Where in its upper half an entry has its count, and its length.
const COUNT_SHIFT: u32 = 56;
const LENGTH_SHIFT: u32 = 60;
const COUNT_BITS: u64 = 0xF << COUNT_SHIFT;

/// 15 bytes of text, little end first, then 4 bits of count and 4 bits of length.
type Entry = [u64; 2];

/// Entries of a set: as many as fit one cache line.
const WAYS: usize = 4;

/// The lower halves of all entries, then the upper ones: four at a time are compared by one instruction.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Set([[u64; WAYS]; 2]);

/// Counts of pieces of at most [`SHORT_BYTES`] bytes: 4 MiB, oldest out first within a set.
#[derive(Clone)]
pub(super) struct ShortPieces {
    sets: Box<[Set; SETS]>,
}

/// A short piece as the cache knows it: an entry without its count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key(Entry);

/// By length: the bits of an entry that are text. None for a length that is too much.
static TEXT_BITS: [Entry; SHORT_BYTES + 2] = {
    let mut masks = [[0; 2]; SHORT_BYTES + 2];
    let mut length = 0;
    while length <= SHORT_BYTES {
        let bits = (1_u128 << (8 * length)) - 1;
        masks[length] = [bits as u64, (bits >> 64) as u64];
        length += 1;
    }
    masks
};

impl Key {
    /// The key of no piece: it is never found.
    pub(super) const NONE: Key = Key([0, 0]);

    /// The key of `text[start..end]`, or [`Key::NONE`] if that has more than [`SHORT_BYTES`] bytes.
    #[inline(always)]
    pub(super) fn new(text: &[u8], start: usize, end: usize) -> Key {
        let length = (end - start).min(SHORT_BYTES + 1);
        let [low, high] = match text.get(start..start + 16).and_then(|bytes| bytes.first_chunk()) {
            Some(bytes) => halves(bytes),
            None => Key::near_the_end(&text[start..]),
        };
        let [low_bits, high_bits] = TEXT_BITS[length];
        // A length of 16 leaves no bit of itself.
        Key([low & low_bits, high & high_bits | (length as u64) << LENGTH_SHIFT])
    }

    #[cold]
    fn near_the_end(rest: &[u8]) -> Entry {
        let mut bytes = [0; 16];
        bytes[..rest.len()].copy_from_slice(rest);
        halves(&bytes)
    }

    /// Where to look: both halves folded into one and multiplied, the best mixed bits on top.
    #[inline(always)]
    pub(super) fn set(self) -> usize {
        let folded = self.0[0] ^ self.0[1].rotate_left(29);
        (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SETS.trailing_zeros())) as usize
    }
}

#[inline(always)]
fn halves(bytes: &[u8; 16]) -> Entry {
    let both = u128::from_le_bytes(*bytes);
    [both as u64, (both >> 64) as u64]
}

impl ShortPieces {
    pub(super) fn new() -> ShortPieces {
        let sets = vec![Set([[0; WAYS]; 2]); SETS].try_into();
        ShortPieces { sets: sets.unwrap_or_else(|_| unreachable!("the length is SETS")) }
    }

    /// The count of a piece whose set is `set`; 0 if it is not here.
    #[inline(always)]
    pub(super) fn get(&self, key: Key, set: usize) -> u32 {
        let [low, high] = key.0;
        let [lows, highs] = &self.sets[set % SETS].0;
        // By arithmetic, since branches on which of the four it is would be guessed wrong.
        let mut found = 0;
        for way in 0..WAYS {
            // Of the same piece only the count differs: a key has none.
            let difference = highs[way] ^ high;
            let is_same = (lows[way] == low) & (difference & !COUNT_BITS == 0);
            found |= if is_same { difference } else { 0 };
        }
        (found >> COUNT_SHIFT) as u32
    }

    /// Asks the processor for the cache line that [`ShortPieces::get`] will look at.
    #[inline(always)]
    pub(super) fn prefetch(&self, set: usize) {
        prefetch(&self.sets[set % SETS]);
    }

    #[inline]
    pub(super) fn insert(&mut self, key: Key, count: u32) {
        let [lows, highs] = &mut self.sets[key.set() % SETS].0;
        lows.rotate_right(1);
        highs.rotate_right(1);
        (lows[0], highs[0]) = (key.0[0], key.0[1] | u64::from(count) << COUNT_SHIFT);
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

    /// Asks the processor for the entry that `piece` would have, if it may have one.
    #[inline]
    pub(super) fn prefetch(&self, piece: &[u8]) {
        if piece.len() <= LONG_BYTES {
            prefetch(&self.slots[slot(piece)]);
        }
    }

    /// The count of `piece`, if it is here.
    #[inline]
    pub(super) fn get(&self, piece: &[u8]) -> Option<u32> {
        if piece.len() > LONG_BYTES {
            return None;
        }
        let entry = &self.slots[slot(piece)];
        (entry.bytes[..usize::from(entry.length)] == *piece).then_some(u32::from(entry.count))
    }

    /// Keeps the count of `piece`, if it is short enough.
    pub(super) fn insert(&mut self, piece: &[u8], count: u32) {
        if piece.len() <= LONG_BYTES {
            let entry = &mut self.slots[slot(piece)];
            (entry.length, entry.count) = (piece.len() as u8, count as u8);
            entry.bytes[..piece.len()].copy_from_slice(piece);
        }
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
            assert_eq!(cache.get(key, key.set()), 0);
            cache.insert(key, count);
            assert_eq!(cache.get(key, key.set()), count);
        }
        let prefix = Key::new(text, 0, 2);
        assert_eq!(cache.get(prefix, prefix.set()), 0, "a prefix is another piece");
    }

    #[test]
    fn a_full_set_forgets_its_oldest_piece() {
        let mut cache = ShortPieces::new();
        let keys: Vec<_> =
            (0..u64::MAX).map(|i| Key([i, 8 << LENGTH_SHIFT])).filter(|key| key.set() == 7).take(5).collect();
        for &key in &keys {
            cache.insert(key, 1);
        }
        assert_eq!(keys.iter().map(|&key| cache.get(key, 7)).collect::<Vec<_>>(), [0, 1, 1, 1, 1]);
    }

    #[test]
    fn long_pieces_come_back_with_their_counts_unless_they_are_too_long() {
        let mut cache = LongPieces::new();
        for length in [16, LONG_BYTES, LONG_BYTES + 1] {
            let piece = vec![b'x'; length];
            assert_eq!(cache.get(&piece), None);
            cache.insert(&piece, 9);
            assert_eq!(cache.get(&piece), (length <= LONG_BYTES).then_some(9));
        }
    }
}
