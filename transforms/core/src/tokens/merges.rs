//! The table that merging asks what two tokens merge into.

use super::{
    pairs::{Merge, Rank},
    prefetch::prefetch,
};
use std::{fmt, hint::select_unpredictable};

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
/// their own, of which text touches a few cache lines. The others are in a perfect hash table: a pair has one place, so
/// that there is no search whose end the processor would have to guess. Pairs are dealt into groups of three or so, and
/// the groups, the largest first, each get the first pilot that sends all of its pairs to places that are free (PTHash,
/// Pibiri and Trani 2021). 1 MiB for cl100k, three quarters full.
pub(super) struct Merges {
    /// By the two bytes.
    of_bytes: Box<[Rank]>,
    /// By group.
    pilots: Box<[u8]>,
    entries: Box<[Entry]>,
}

impl Merges {
    /// `by_byte` are the ranks of the single bytes; all ranks are below [`MOST_TOKENS`]; no pair is there twice.
    pub(super) fn new(by_byte: &[Rank; 256], merges: &[Merge]) -> Merges {
        let places = (merges.len() * 5 / 4 + 2).next_power_of_two();
        let sizes = (0..).map(|doublings| places << doublings);
        let found = sizes.filter_map(|places| Merges::with_places(merges, places)).next();
        let mut table = found.unwrap_or_else(|| unreachable!("with more places there are fewer that are taken"));
        table.of_bytes = by_byte.iter().flat_map(|&left| by_byte.map(|right| table.rank(left, right))).collect();
        table
    }

    /// With so many places, a power of two; nothing if there is a group for which no pilot will do.
    fn with_places(merges: &[Merge], places: usize) -> Option<Merges> {
        let pilots = vec![0; places.div_ceil(4)].into();
        let mut table = Merges { of_bytes: Box::default(), pilots, entries: vec![EMPTY; places].into() };
        let groups = Groups::of(merges, &table);
        for group in groups.largest_first() {
            let entries = groups.entries(group);
            table.pilots[group] = (0..=u8::MAX).find(|&pilot| table.settle(entries, pilot))?;
        }
        Some(table)
    }

    /// Puts the entries of a group where a pilot sends them, if all of these places are free.
    fn settle(&mut self, group: &[Entry], pilot: u8) -> bool {
        for (settled, &entry) in group.iter().enumerate() {
            let place = self.place(mixed(entry >> RANK_BITS), pilot);
            if self.entries[place] != EMPTY {
                for entry in &group[..settled] {
                    let place = self.place(mixed(entry >> RANK_BITS), pilot);
                    self.entries[place] = EMPTY;
                }
                return false;
            }
            self.entries[place] = entry;
        }
        true
    }

    /// The rank of what two tokens merge into, or [`NO_RANK`].
    #[inline(always)]
    pub(super) fn rank(&self, left: Rank, right: Rank) -> Rank {
        self.rank_at(self.place_of(left, right), left, right)
    }

    /// The same for two single bytes.
    #[inline(always)]
    pub(super) fn rank_of_bytes(&self, left: u8, right: u8) -> Rank {
        self.of_bytes[usize::from(left) << 8 | usize::from(right)]
    }

    /// Where [`Merges::rank_at`] finds what two tokens merge into; asks the processor for the cache line.
    #[inline(always)]
    pub(super) fn ask(&self, left: Rank, right: Rank) -> usize {
        let place = self.place_of(left, right);
        prefetch(&self.entries[place]);
        place
    }

    /// The same as [`Merges::rank`], of a pair whose place is known.
    #[inline(always)]
    pub(super) fn rank_at(&self, place: usize, left: Rank, right: Rank) -> Rank {
        let entry = self.entries[place];
        // No branch: mostly it is another pair's, but one never knows.
        select_unpredictable(entry >> RANK_BITS == key(left, right), entry as Rank & NO_RANK, NO_RANK)
    }

    #[inline(always)]
    fn place_of(&self, left: Rank, right: Rank) -> usize {
        let mixed = mixed(key(left, right));
        self.place(mixed, self.pilots[self.group(mixed)])
    }

    /// Which group a pair belongs to, and where a pilot sends it.
    #[inline(always)]
    fn group(&self, mixed: u64) -> usize {
        (mixed >> 32) as usize & (self.pilots.len() - 1)
    }

    #[inline(always)]
    fn place(&self, mixed: u64, pilot: u8) -> usize {
        (mixed.wrapping_mul(2 * u64::from(pilot) + 1) >> (64 - self.entries.len().trailing_zeros())) as usize
    }
}

/// The entries of a table, group after group.
struct Groups {
    entries: Vec<Entry>,
    /// Where each group ends.
    ends: Vec<usize>,
}

impl Groups {
    fn of(merges: &[Merge], table: &Merges) -> Groups {
        let group = |&([left, right], _): &Merge| table.group(mixed(key(left, right)));
        let mut ends = vec![0; table.pilots.len()];
        merges.iter().for_each(|merge| ends[group(merge)] += 1);
        let mut end = 0;
        for size in &mut ends {
            // For now where the group begins: its entries move it on to its end.
            (end, *size) = (end + *size, end);
        }
        let mut entries = vec![EMPTY; merges.len()];
        for merge @ &([left, right], rank) in merges {
            let end = &mut ends[group(merge)];
            entries[*end] = key(left, right) << RANK_BITS | Entry::from(rank);
            *end += 1;
        }
        Groups { entries, ends }
    }

    fn entries(&self, group: usize) -> &[Entry] {
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        &self.entries[start..self.ends[group]]
    }

    /// There are few sizes, so that a list for each is quicker than sorting.
    fn largest_first(&self) -> impl Iterator<Item = usize> {
        let mut of_size: Vec<Vec<usize>> = Vec::new();
        for group in 0..self.ends.len() {
            let size = self.entries(group).len();
            of_size.resize_with(of_size.len().max(size + 1), Vec::new);
            of_size[size].push(group);
        }
        of_size.into_iter().rev().flatten()
    }
}

impl fmt::Debug for Merges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Merges").finish_non_exhaustive()
    }
}

/// The two ranks as one number; no token's if one of them is [`NO_RANK`].
#[inline(always)]
fn key(left: Rank, right: Rank) -> u64 {
    u64::from(left) << RANK_BITS | u64::from(right)
}

/// As many numbers as there are keys; the upper half of each depends on all of its key.
#[inline(always)]
fn mixed(key: u64) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn every_pair_has_its_rank_and_others_have_none() {
        for count in [0, 1, 2, 3, 5, 1000, 50_000] {
            let pair = |at: Rank| [at % 251, 3 * at % MOST_TOKENS as Rank];
            let merges: HashMap<_, _> = (0..count).map(|at| (pair(at), at)).collect();
            let listed: Vec<Merge> = merges.iter().map(|(&pair, &rank)| (pair, rank)).collect();
            let table = Merges::new(&std::array::from_fn(|byte| byte as Rank), &listed);
            for pair @ [left, right] in (0..count + 100).map(pair) {
                assert_eq!(table.rank(left, right), merges.get(&pair).copied().unwrap_or(NO_RANK));
                assert_eq!(table.rank(right, NO_RANK), NO_RANK);
            }
            assert_eq!(table.rank_of_bytes(0, 0), table.rank(0, 0));
        }
    }
}
