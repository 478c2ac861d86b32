//! Pieces of up to 15 bytes: an entry is two numbers, four are compared at once.

use super::{super::prefetch::prefetch, bytes_at, mixed, short::ShortKey};

/// Longest piece whose bytes fit an entry.
pub(crate) const MEDIUM_BYTES: usize = 15;

const SETS: usize = 1 << 15;

/// The first 8 bytes of text; the rest of it in the upper bytes, then four bits of length and four bits of count.
type Entry = [u64; 2];
const COUNT_BITS: u64 = 0xF;
const LENGTH_SHIFT: u32 = 4;

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
pub(crate) struct MediumKey(pub(crate) Entry);

impl MediumKey {
    /// The key of no piece: it is never found.
    pub(crate) const NONE: MediumKey = MediumKey([0, 0]);

    /// The key of `text[start..start + length]`, which has more than 7 bytes; [`MediumKey::NONE`] if more than
    /// [`MEDIUM_BYTES`].
    #[inline(always)]
    pub(crate) fn new(text: &[u8], start: usize, length: u32) -> MediumKey {
        MediumKey::of_words(words_at(text, start), length)
    }

    /// The same of the first bytes of two `words`.
    #[inline(always)]
    pub(crate) fn of_words([low, high]: [u64; 2], length: u32) -> MediumKey {
        if length > MEDIUM_BYTES as u32 {
            return MediumKey::NONE;
        }
        MediumKey([low, high.unbounded_shl(128 - 8 * length) | u64::from(length << LENGTH_SHIFT)])
    }

    /// The key of a piece that is shorter: no other has none of the bits of length.
    #[inline(always)]
    pub(crate) fn of_short(ShortKey(word): ShortKey) -> MediumKey {
        MediumKey([word, 0])
    }

    /// Which set it belongs to.
    #[inline(always)]
    pub(crate) fn slot(self) -> u16 {
        let [low, high] = self.0;
        mixed(low ^ high.rotate_left(29)) % SETS as u16
    }
}

/// The 16 bytes of `text` from `start` on.
#[inline(always)]
pub(crate) fn words_at(text: &[u8], start: usize) -> [u64; 2] {
    let both = u128::from_le_bytes(bytes_at(text, start));
    [both as u64, (both >> 64) as u64]
}

impl MediumPieces {
    pub(crate) const BYTES: usize = SETS * size_of::<Set>();

    pub(crate) fn new() -> MediumPieces {
        let sets = vec![Set([[0; WAYS]; 2]); SETS].try_into();
        MediumPieces { sets: sets.unwrap_or_else(|_| unreachable!("the length is SETS")) }
    }

    /// The count of a piece; 0 if it is not here.
    #[inline]
    pub(crate) fn get(&self, key: MediumKey) -> u32 {
        self.get_at(key.slot(), key)
    }

    /// The same for a piece of which it is known that it belongs to the set at `slot`.
    #[inline(always)]
    pub(crate) fn get_at(&self, slot: u16, MediumKey([low, high]): MediumKey) -> u32 {
        let [lows, highs] = &self.sets[usize::from(slot) % SETS].0;
        // By arithmetic, since branches on which of the four it is would be guessed wrong.
        let mut found = 0;
        for way in 0..WAYS {
            // Of the same piece only the count differs: a key has none.
            let difference = highs[way] ^ high;
            let is_same = (lows[way] == low) & (difference & !COUNT_BITS == 0);
            found |= if is_same { difference } else { 0 };
        }
        found as u32
    }

    /// Asks the processor for the cache line of the set at `slot`.
    #[inline(always)]
    pub(crate) fn prefetch(&self, slot: u16) {
        prefetch(&self.sets[usize::from(slot) % SETS]);
    }

    #[inline]
    pub(crate) fn insert(&mut self, key: MediumKey, count: u32) {
        let [lows, highs] = &mut self.sets[usize::from(key.slot())].0;
        lows.rotate_right(1);
        highs.rotate_right(1);
        (lows[0], highs[0]) = (key.0[0], key.0[1] | u64::from(count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_back_with_their_counts() {
        let text = b"the quick brown fox jumps over";
        let mut cache = MediumPieces::new();
        for (start, length, count) in [(0, 8, 1), (3, 9, 2), (15, 15, 15), (15, 14, 3)] {
            let key = MediumKey::new(text, start, length);
            assert_eq!(cache.get(key), 0);
            cache.insert(key, count);
            assert_eq!(cache.get(key), count);
        }
        let prefix = MediumKey::new(text, 3, 8);
        assert_eq!(cache.get(prefix), 0, "a prefix is another piece");
    }

    #[test]
    fn what_is_too_long_is_never_found() {
        let mut cache = MediumPieces::new();
        let key = MediumKey::new(b"the quick brown fox", 0, MEDIUM_BYTES as u32);
        cache.insert(key, 3);
        assert_eq!(cache.get(MediumKey::new(b"the quick brown fox", 0, MEDIUM_BYTES as u32 + 1)), 0);
    }

    #[test]
    fn short_pieces_are_others_than_those_of_the_same_bytes() {
        let mut cache = MediumPieces::new();
        let short = MediumKey::of_short(ShortKey::new(b"the", 0, 3));
        cache.insert(short, 1);
        assert_eq!(cache.get(short), 1);
        let ShortKey(word) = ShortKey::new(b"the", 0, 3);
        assert_eq!(cache.get(MediumKey::new(&word.to_le_bytes(), 0, 8)), 0);
    }

    #[test]
    fn a_full_set_forgets_its_oldest_piece() {
        let mut cache = MediumPieces::new();
        let keys: Vec<_> =
            (0..u64::MAX).map(|i| MediumKey([i, 8 << LENGTH_SHIFT])).filter(|key| key.slot() == 7).take(5).collect();
        for &key in &keys {
            cache.insert(key, 1);
        }
        assert_eq!(keys.iter().map(|&key| cache.get(key)).collect::<Vec<_>>(), [0, 1, 1, 1, 1]);
    }
}
