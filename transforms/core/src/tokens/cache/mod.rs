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
pub(super) use medium::{MEDIUM_BYTES, MediumKey, MediumPieces};
pub(super) use short::{SHORT_BYTES, ShortKey, ShortPieces};

/// Counts of pieces of up to 62 bytes.
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
            self.short.get(key)
        } else if length <= MEDIUM_BYTES {
            let key = MediumKey::new(text, start..end);
            self.medium.get(key)
        } else {
            self.long.get(&text[start..end])
        };
        (count > 0).then_some(count)
    }

    /// Notes the count of a piece, if it is short enough.
    pub(super) fn insert(&mut self, piece: &[u8], count: u32) {
        if piece.len() <= SHORT_BYTES {
            self.short.insert(ShortKey::new(piece, 0, piece.len() as u32), count);
        } else if piece.len() <= MEDIUM_BYTES {
            self.medium.insert(MediumKey::new(piece, 0..piece.len()), count);
        } else {
            self.long.insert(piece, count);
        }
    }
}

/// The bytes of `text` from `start` on, zeros where it has ended.
#[inline(always)]
fn bytes_at<const N: usize>(text: &[u8], start: usize) -> [u8; N] {
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

/// Which of so many sets, a power of two, `word` belongs to: multiplied, the best mixed bits on top.
#[inline(always)]
pub(super) fn set_of(word: u64, sets: usize) -> usize {
    (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - sets.trailing_zeros())) as usize
}

impl fmt::Debug for PieceCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PieceCounts").finish_non_exhaustive()
    }
}
