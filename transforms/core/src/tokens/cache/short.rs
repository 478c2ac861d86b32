//! Pieces of up to 7 bytes, as most are: an entry is one number.

use super::{bytes_at, mixed};

/// Longest piece whose bytes fit an entry.
pub(crate) const SHORT_BYTES: usize = 7;

const SETS: usize = 1 << 16;

/// Text in the upper bytes, the number of its bits in bits 3 to 5, its tokens in the lowest three.
type Entry = u64;
const COUNT_BITS: Entry = 0b111;

/// Two entries: more would be more work at every look-up, for fewer pieces than the larger caches have.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub(crate) struct ShortSet([Entry; 2]);

/// 1 MiB, oldest out first within a set.
#[derive(Clone)]
pub(crate) struct ShortPieces {
    sets: Box<[ShortSet; SETS]>,
}

/// A piece as the cache knows it: an entry without its count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShortKey(pub(crate) Entry);

impl ShortKey {
    /// The key of no piece: it is never found.
    pub(crate) const NONE: ShortKey = ShortKey(0);

    /// The key of `text[start..start + length]`, or of nothing sensible if that has more than [`SHORT_BYTES`] bytes.
    #[inline(always)]
    pub(crate) fn new(text: &[u8], start: usize, length: u32) -> ShortKey {
        ShortKey::of_word(u64::from_le_bytes(bytes_at(text, start)), length)
    }

    /// The same of the first bytes of `word`.
    #[inline(always)]
    pub(crate) fn of_word(word: u64, length: u32) -> ShortKey {
        let bits = length.min(SHORT_BYTES as u32 + 1) << 3;
        ShortKey(word.wrapping_shl(bits.wrapping_neg()) | u64::from(bits))
    }

    /// Which set it belongs to.
    #[inline(always)]
    pub(crate) fn slot(self) -> u16 {
        mixed(self.0)
    }
}

impl ShortSet {
    pub(crate) const EMPTY: ShortSet = ShortSet([0; 2]);

    /// The count of a piece; 0 if it is not here.
    #[inline(always)]
    pub(crate) fn count(self, key: ShortKey) -> u32 {
        let [one, other] = self.0;
        count_by(one ^ key.0) | count_by(other ^ key.0)
    }
}

impl ShortPieces {
    pub(crate) const BYTES: usize = SETS * size_of::<ShortSet>();

    pub(crate) fn new() -> ShortPieces {
        let sets = vec![ShortSet([0; 2]); SETS].try_into();
        ShortPieces { sets: sets.unwrap_or_else(|_| unreachable!("the length is SETS")) }
    }

    /// The set at `slot`.
    #[inline(always)]
    pub(crate) fn set(&self, slot: u16) -> ShortSet {
        self.sets[usize::from(slot)]
    }

    /// The count of a piece; 0 if it is not here.
    #[inline]
    pub(crate) fn get(&self, key: ShortKey) -> u32 {
        self.set(key.slot()).count(key)
    }

    /// Adds a piece, and returns the one that was there longest, with a count of 0 if there was none.
    #[inline]
    pub(crate) fn insert(&mut self, key: ShortKey, count: u32) -> (ShortKey, u32) {
        let ShortSet([one, other]) = &mut self.sets[usize::from(key.slot())];
        let oldest = *other;
        (*one, *other) = (key.0 | u64::from(count), *one);
        (ShortKey(oldest & !COUNT_BITS), (oldest & COUNT_BITS) as u32)
    }
}

/// The count of an entry that so differs from a piece's key: of the same piece only in the count, which a key has not.
#[inline(always)]
fn count_by(difference: Entry) -> u32 {
    if difference <= COUNT_BITS { difference as u32 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_back_with_their_counts() {
        let text = b"the quick\0\0 fox";
        let mut cache = ShortPieces::new();
        for (start, length, count) in [(0, 3, 1), (3, 6, 2), (8, 2, 2), (9, 1, 1), (9, 2, 1), (8, 7, 7), (14, 1, 1)] {
            let key = ShortKey::new(text, start, length);
            assert_eq!(cache.get(key), 0);
            cache.insert(key, count);
            assert_eq!(cache.get(key), count);
        }
        let prefix = ShortKey::new(text, 0, 2);
        assert_eq!(cache.get(prefix), 0, "a prefix is another piece");
    }

    #[test]
    fn a_full_set_forgets_its_older_piece() {
        let mut cache = ShortPieces::new();
        let keys: Vec<_> = (1..u64::MAX).map(|i| ShortKey(i << 3)).filter(|key| key.slot() == 7).take(3).collect();
        for &key in &keys {
            cache.insert(key, 1);
        }
        assert_eq!(keys.iter().map(|&key| cache.get(key)).collect::<Vec<_>>(), [0, 1, 1]);
    }
}
