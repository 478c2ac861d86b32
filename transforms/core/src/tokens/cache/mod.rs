//! Token counts of pieces seen before. Text repeats itself: nearly every pretoken is answered from here.
//!
//! A count depends on the piece and the vocabulary alone, so what is or is not cached never changes a result. There are
//! three caches by length: what is compared at once is small for the many short pieces, and as much as it takes for
//! the rest.

mod budget;
mod long;
mod medium;
mod short;

use std::fmt;

pub(super) use budget::{Budget, PROCESS, Share};
pub(super) use long::LONG_BYTES;
use long::LongPieces;
pub(super) use medium::{MEDIUM_BYTES, MediumKey, MediumPieces, words_at};
pub(super) use short::{SHORT_BYTES, ShortKey, ShortPieces, ShortSet};

/// Counts of pieces of up to 62 bytes. Short ones that have to make room for others go where the medium ones are.
#[derive(Clone)]
pub(super) struct PieceCounts {
    pub(super) short: ShortPieces,
    pub(super) medium: MediumPieces,
    pub(super) long: LongPieces,
}

impl PieceCounts {
    /// Memory that one takes.
    pub(super) const BYTES: usize = ShortPieces::BYTES + MediumPieces::BYTES + LongPieces::BYTES;

    pub(super) fn new() -> PieceCounts {
        PieceCounts { short: ShortPieces::new(), medium: MediumPieces::new(), long: LongPieces::new() }
    }

    /// The count of `text[start..end]`, if it is here.
    #[inline]
    pub(super) fn get(&self, text: &[u8], start: usize, end: usize) -> Option<u32> {
        let length = end - start;
        let count = if length <= SHORT_BYTES {
            let key = ShortKey::new(text, start, length as u32);
            match self.short.get(key) {
                0 => self.medium.get(MediumKey::of_short(key)),
                count => count,
            }
        } else if length <= MEDIUM_BYTES {
            self.medium.get(MediumKey::new(text, start, length as u32))
        } else {
            self.long.get(&text[start..end])
        };
        (count > 0).then_some(count)
    }

    /// The same; a short piece that had to make room for others is given room again.
    #[inline]
    pub(super) fn recall(&mut self, text: &[u8], start: usize, end: usize) -> Option<u32> {
        let count = self.get(text, start, end)?;
        let length = end - start;
        if length <= SHORT_BYTES && self.short.get(ShortKey::new(text, start, length as u32)) == 0 {
            self.insert(&text[start..end], count);
        }
        Some(count)
    }

    /// Notes the count of a piece, if it is short enough.
    pub(super) fn insert(&mut self, piece: &[u8], count: u32) {
        if piece.len() <= SHORT_BYTES {
            // What has to make room is still wanted.
            let (key, count) = self.short.insert(ShortKey::new(piece, 0, piece.len() as u32), count);
            let key = MediumKey::of_short(key);
            if count > 0 && self.medium.get(key) == 0 {
                self.medium.insert(key, count);
            }
        } else if piece.len() <= MEDIUM_BYTES {
            self.medium.insert(MediumKey::new(piece, 0, piece.len() as u32), count);
        } else {
            self.long.insert(piece, count);
        }
    }
}

/// The bytes of `text` from `start` on, zeros where it has ended.
#[inline(always)]
pub(super) fn bytes_at<const N: usize>(text: &[u8], start: usize) -> [u8; N] {
    match text.get(start..start + N).and_then(|bytes| bytes.first_chunk()) {
        Some(bytes) => *bytes,
        None => padded(&text[start..]),
    }
}

#[cold]
fn padded<const N: usize>(rest: &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    bytes[..rest.len()].copy_from_slice(rest);
    bytes
}

/// 16 bits in which all of `word` is mixed. Both of its halves are multiplied by themselves, as AVX2 does for four words at
/// once; the best bits are those in the middle.
#[inline(always)]
fn mixed(word: u64) -> u16 {
    let (low, high) = (word & 0xFFFF_FFFF, word >> 32);
    (((low * 0x7F4A_7C15) ^ (high * 0x9E37_79B9)) >> 20) as u16
}

impl fmt::Debug for PieceCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PieceCounts").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_pieces_that_make_room_for_others_are_recalled() {
        let texts = (0..u32::MAX).map(u32::to_le_bytes);
        let same_set = texts.filter(|text| ShortKey::new(text, 0, 4).slot() == 7).take(4);
        let (texts, mut cache) = (same_set.collect::<Vec<_>>(), PieceCounts::new());
        for (count, text) in (1..).zip(&texts) {
            cache.insert(text, count);
        }
        assert_eq!(cache.short.get(ShortKey::new(&texts[0], 0, 4)), 0);
        for _ in 0..3 {
            for (count, text) in (1..).zip(&texts) {
                assert_eq!(cache.get(text, 0, 4), Some(count));
                assert_eq!(cache.recall(text, 0, 4), Some(count));
                assert_eq!(cache.short.get(ShortKey::new(text, 0, 4)), count);
            }
        }
    }
}
