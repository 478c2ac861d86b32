//! The table that merging asks what two tokens merge into.

use super::{
    cache::set_of,
    pairs::{Merge, Rank},
};
use std::fmt;

/// A left and a right rank and what they merge into, of so many bits each.
type Entry = u64;
const RANK_BITS: u32 = 21;
/// Reads as [`NO_RANK`].
const EMPTY: Entry = Entry::MAX;

/// No token. Later than every rank, so that it never wins a merge.
pub(super) const NO_RANK: Rank = (1 << RANK_BITS) - 1;

/// Most tokens that a vocabulary may have.
pub(super) const MOST_TOKENS: usize = NO_RANK as usize;

/// All merges of a vocabulary, by their pairs.
///
/// Most pairs that are asked for do not merge, and most that begin a piece are of single bytes: those have a table of
/// their own, of which text touches a few cache lines. The others lie where their hash says or soon behind, in a table
/// that is less than half full: 2 MiB for cl100k.
pub(super) struct Merges {
    /// By the two bytes.
    of_bytes: Box<[Rank]>,
    entries: Box<[Entry]>,
}

impl Merges {
    /// `by_byte` are the ranks of the single bytes; all ranks are below [`MOST_TOKENS`].
    pub(super) fn new(by_byte: &[Rank; 256], merges: &[Merge]) -> Merges {
        let entries = vec![EMPTY; (2 * merges.len() + 2).next_power_of_two()];
        let mut table = Merges { of_bytes: Box::default(), entries: entries.into() };
        for &([left, right], rank) in merges {
            let pair = key(left, right);
            let free = table.places(pair).find(|&place| table.entries[place] == EMPTY);
            table.entries[free.expect("half of the table is empty")] = pair << RANK_BITS | Entry::from(rank);
        }
        table.of_bytes = by_byte.iter().flat_map(|&left| by_byte.map(|right| table.rank(left, right))).collect();
        table
    }

    /// The rank of what two tokens merge into, or [`NO_RANK`].
    #[inline]
    pub(super) fn rank(&self, left: Rank, right: Rank) -> Rank {
        let pair = key(left, right);
        for place in self.places(pair) {
            let entry = self.entries[place];
            if entry >> RANK_BITS == pair || entry == EMPTY {
                return entry as Rank & NO_RANK;
            }
        }
        NO_RANK
    }

    /// The same for two single bytes.
    #[inline]
    pub(super) fn rank_of_bytes(&self, left: u8, right: u8) -> Rank {
        self.of_bytes[usize::from(left) << 8 | usize::from(right)]
    }

    /// Where the entry of a pair may be, in order.
    #[inline]
    fn places(&self, pair: u64) -> impl Iterator<Item = usize> + use<> {
        let places = self.entries.len();
        (set_of(pair, places)..).map(move |place| place & (places - 1))
    }
}

impl fmt::Debug for Merges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Merges").finish_non_exhaustive()
    }
}

/// The two ranks as one number; no token's if one of them is [`NO_RANK`].
fn key(left: Rank, right: Rank) -> u64 {
    u64::from(left) << RANK_BITS | u64::from(right)
}
