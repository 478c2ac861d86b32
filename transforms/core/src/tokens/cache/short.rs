//! Pieces of up to 7 bytes, as most are: an entry is one number.

use super::{super::prefetch::prefetch, bytes_at, set_of};

/// Longest piece whose bytes fit an entry.
pub(crate) const SHORT_BYTES: usize = 7;

const SETS: usize = 1 << 16;

/// Text in the upper bytes, the number of its bits in bits 3 to 5, its tokens in the lowest three.
type Entry = u64;
const COUNT_BITS: Entry = 0b111;

/// Two entries: more would be more work at every look-up, for fewer pieces than the larger caches have.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Set([Entry; 2]);

/// 1 MiB, oldest out first within a set.
#[derive(Clone)]
pub(crate) struct ShortPieces {
    sets: Box<[Set; SETS]>,
}

/// A piece as the cache knows it: an entry without its count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShortKey(Entry);

impl ShortKey {
    /// The key of no piece: it is never found.
    pub(crate) const NONE: ShortKey = ShortKey(0);

    /// The key of `text[start..start + length]`, or of nothing sensible if that has more than [`SHORT_BYTES`] bytes.
    #[inline(always)]
    pub(crate) fn new(text: &[u8], start: usize, length: u32) -> ShortKey {
        let word = u64::from_le_bytes(bytes_at(text, start));
        let bits = length << 3;
        ShortKey(word.wrapping_shl(bits.wrapping_neg()) | u64::from(bits))
    }

    #[inline(always)]
    fn set(self) -> usize {
        set_of(self.0, SETS)
    }
}

impl ShortPieces {
    pub(crate) const BYTES: usize = SETS * size_of::<Set>();

    pub(crate) fn new() -> ShortPieces {
        let sets = vec![Set([0; 2]); SETS].try_into();
        ShortPieces { sets: sets.unwrap_or_else(|_| unreachable!("the length is SETS")) }
    }

    /// The count of a piece; 0 if it is not here.
    #[inline(always)]
    pub(crate) fn get(&self, key: ShortKey) -> u32 {
        count_by(self.nearest(key))
    }

    /// Fills in the counts of the pieces that have these keys, 0 for those that are not here. Where some are `KNOWN` they
    /// stay as they are, unless they are 0. Uses the keys up.
    #[inline(always)]
    pub(crate) fn get_all<const KNOWN: bool>(&self, keys: &mut [ShortKey], counts: &mut [u32]) {
        // In two loops, since LLVM would make one branch, and that would be guessed wrong at every longer piece.
        for key in &mut *keys {
            key.0 = self.nearest(*key);
        }
        for (count, &ShortKey(difference)) in counts.iter_mut().zip(&*keys) {
            // Always written: stores of some lanes only take AMD's processors many cycles.
            let kept = if KNOWN { *count } else { 0 };
            *count = kept | if kept == 0 { count_by(difference) } else { 0 };
        }
    }

    /// In which bits `key` differs from the entry that is most like it.
    #[inline(always)]
    fn nearest(&self, key: ShortKey) -> Entry {
        let Set([one, other]) = self.sets[key.set() % SETS];
        (one ^ key.0).min(other ^ key.0)
    }

    /// Asks the processor for the cache line that a look-up will need.
    #[inline(always)]
    pub(crate) fn prefetch(&self, key: ShortKey) {
        prefetch(&self.sets[key.set() % SETS]);
    }

    #[inline]
    pub(crate) fn insert(&mut self, key: ShortKey, count: u32) {
        let Set([one, other]) = &mut self.sets[key.set() % SETS];
        (*one, *other) = (key.0 | u64::from(count), *one);
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
        let keys: Vec<_> = (1..u64::MAX).map(|i| ShortKey(i << 3)).filter(|key| key.set() == 7).take(3).collect();
        for &key in &keys {
            cache.insert(key, 1);
        }
        assert_eq!(keys.iter().map(|&key| cache.get(key)).collect::<Vec<_>>(), [0, 1, 1]);
    }
}
