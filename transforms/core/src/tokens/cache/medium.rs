//! Pieces of up to 15 bytes: an entry is sixteen, four are compared at once.

use super::{super::prefetch::prefetch, bytes_at, set_of};
use std::ops::Range;

/// Longest piece whose bytes fit an entry.
pub(crate) const MEDIUM_BYTES: usize = 15;

const SETS: usize = 1 << 15;

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

/// 2 MiB, oldest out first within a set.
#[derive(Clone)]
pub(crate) struct MediumPieces {
    sets: Box<[Set; SETS]>,
}

/// A piece as the cache knows it: an entry without its count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MediumKey(Entry);

/// By length: the bits of an entry that are text. None for a length that is too much.
static TEXT_BITS: [Entry; MEDIUM_BYTES + 2] = {
    let mut masks = [[0; 2]; MEDIUM_BYTES + 2];
    let mut length = 0;
    while length <= MEDIUM_BYTES {
        let bits = (1_u128 << (8 * length)) - 1;
        masks[length] = [bits as u64, (bits >> 64) as u64];
        length += 1;
    }
    masks
};

impl MediumKey {
    /// The key of no piece: it is never found.
    pub(crate) const NONE: MediumKey = MediumKey([0, 0]);

    /// The key of a piece of `text`, or [`MediumKey::NONE`] if that has more than [`MEDIUM_BYTES`] bytes.
    #[inline(always)]
    pub(crate) fn new(text: &[u8], piece: Range<usize>) -> MediumKey {
        let length = piece.len().min(MEDIUM_BYTES + 1);
        let both = u128::from_le_bytes(bytes_at(text, piece.start));
        let [low, high] = [both as u64, (both >> 64) as u64];
        let [low_bits, high_bits] = TEXT_BITS[length];
        // A length of 16 leaves no bit of itself.
        MediumKey([low & low_bits, high & high_bits | (length as u64) << LENGTH_SHIFT])
    }

    /// Both halves folded into one.
    #[inline(always)]
    fn set(self) -> usize {
        set_of(self.0[0] ^ self.0[1].rotate_left(29), SETS)
    }
}

impl MediumPieces {
    pub(crate) const BYTES: usize = SETS * size_of::<Set>();

    pub(crate) fn new() -> MediumPieces {
        let sets = vec![Set([[0; WAYS]; 2]); SETS].try_into();
        MediumPieces { sets: sets.unwrap_or_else(|_| unreachable!("the length is SETS")) }
    }

    /// The count of a piece; 0 if it is not here.
    #[inline(always)]
    pub(crate) fn get(&self, key: MediumKey) -> u32 {
        let [low, high] = key.0;
        let [lows, highs] = &self.sets[key.set() % SETS].0;
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

    /// Asks the processor for the cache line that a look-up will need.
    #[inline(always)]
    pub(crate) fn prefetch(&self, key: MediumKey) {
        prefetch(&self.sets[key.set() % SETS]);
    }

    #[inline]
    pub(crate) fn insert(&mut self, key: MediumKey, count: u32) {
        let [lows, highs] = &mut self.sets[key.set() % SETS].0;
        lows.rotate_right(1);
        highs.rotate_right(1);
        (lows[0], highs[0]) = (key.0[0], key.0[1] | u64::from(count) << COUNT_SHIFT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_back_with_their_counts() {
        let text = b"the quick brown fox jumps over";
        let mut cache = MediumPieces::new();
        for (start, end, count) in [(0, 3, 1), (3, 9, 2), (15, 30, 15), (27, 30, 3)] {
            let key = MediumKey::new(text, start..end);
            assert_eq!(cache.get(key), 0);
            cache.insert(key, count);
            assert_eq!(cache.get(key), count);
        }
        let prefix = MediumKey::new(text, 0..2);
        assert_eq!(cache.get(prefix), 0, "a prefix is another piece");
    }

    #[test]
    fn a_full_set_forgets_its_oldest_piece() {
        let mut cache = MediumPieces::new();
        let keys: Vec<_> =
            (0..u64::MAX).map(|i| MediumKey([i, 8 << LENGTH_SHIFT])).filter(|key| key.set() == 7).take(5).collect();
        for &key in &keys {
            cache.insert(key, 1);
        }
        assert_eq!(keys.iter().map(|&key| cache.get(key)).collect::<Vec<_>>(), [0, 1, 1, 1, 1]);
    }
}
