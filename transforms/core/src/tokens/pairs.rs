//! What two tokens merge into, remembered: merging asks for the same pairs again and again.

use super::vocabulary::{NO_RANK, Rank, Vocabulary};

/// Pairs remembered, at 16 bytes each; the last that was asked for stays in its slot.
const SLOTS: usize = 1 << 14;

/// Ranks of pairs of tokens.
#[derive(Debug)]
pub(super) struct PairRanks {
    /// A pair and the rank of both together; the pair of no tokens where there is none yet.
    slots: Vec<(u64, Rank)>,
    /// Scratch for a pair's bytes.
    bytes: Vec<u8>,
}

impl Default for PairRanks {
    fn default() -> PairRanks {
        PairRanks { slots: vec![(key(NO_RANK, NO_RANK), NO_RANK); SLOTS], bytes: Vec::new() }
    }
}

impl PairRanks {
    /// The rank of the two tokens' bytes together, or [`NO_RANK`].
    #[inline]
    pub(super) fn rank(&mut self, vocabulary: &Vocabulary, left: Rank, right: Rank) -> Rank {
        let pair = key(left, right);
        let slot = (pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SLOTS.trailing_zeros())) as usize;
        if self.slots[slot].0 != pair {
            self.bytes.clear();
            self.bytes.extend_from_slice(vocabulary.token(left));
            self.bytes.extend_from_slice(vocabulary.token(right));
            self.slots[slot] = (pair, vocabulary.rank(&self.bytes));
        }
        self.slots[slot].1
    }
}

fn key(left: Rank, right: Rank) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}
