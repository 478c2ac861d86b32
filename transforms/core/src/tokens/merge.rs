//! Byte-pair encoding of pieces, in tiktoken's own merge order: the lowest rank first, the leftmost on a tie.

#[cfg(target_arch = "x86_64")]
use super::lanes::Avx2;
use super::{
    cache::LONG_BYTES,
    lanes::{Lanes, Portable},
    merges::{Merges, NO_RANK},
    pairs::Rank,
    parts::Parts,
    possible::PossibleMerges,
    recent::RecentMerges,
    small_parts::SmallParts,
    vocabulary::Vocabulary,
};
use std::array;

/// Small pieces that are merged in turn, so that their waits for memory overlap.
const TOGETHER: usize = 8;

/// What is not remembered here is in a cache.
const _: () = assert!(SmallParts::BYTES <= LONG_BYTES);

/// Scratch for merging; kept between pieces so that nothing is allocated for each.
#[derive(Debug, Default)]
pub(super) struct Merger {
    small: [SmallParts; TOGETHER],
    parts: Parts,
    possible: PossibleMerges,
    recent: RecentMerges,
    ends: Vec<u32>,
    merged_bytes: u64,
}

impl Merger {
    /// The number of tokens of `piece`, which is not empty.
    pub(super) fn count(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> u32 {
        if !Merger::is_small(vocabulary, piece) {
            return self.ends(vocabulary, piece).len() as u32;
        }
        let mut count = 0;
        self.count_small(vocabulary, [((), piece)], |(), _, tokens| count = tokens);
        count
    }

    /// Whether `piece` is merged together with others.
    pub(super) fn is_small(vocabulary: &Vocabulary, piece: &[u8]) -> bool {
        piece.len() <= SmallParts::BYTES && !vocabulary.is_unmade_token(piece)
    }

    /// Calls `counted` with each of `pieces`, which are small and not empty, and the number of its tokens, in any order.
    pub(super) fn count_small<'a, Name: Copy>(
        &mut self,
        vocabulary: &Vocabulary,
        pieces: impl IntoIterator<Item = (Name, &'a [u8])>,
        counted: impl FnMut(Name, &'a [u8], u32),
    ) {
        #[cfg(target_arch = "x86_64")]
        if Avx2::is_here() {
            #[expect(unsafe_code, reason = "the least of eight candidates is one instruction instead of four")]
            // SAFETY: the processor has been asked for all of them.
            return unsafe { self.count_small_by_avx2(vocabulary, pieces, counted) };
        }
        self.count_small_inline::<Portable, _>(vocabulary, pieces, counted);
    }

    /// The same, compiled for processors from 2013 on.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn count_small_by_avx2<'a, Name: Copy>(
        &mut self,
        vocabulary: &Vocabulary,
        pieces: impl IntoIterator<Item = (Name, &'a [u8])>,
        counted: impl FnMut(Name, &'a [u8], u32),
    ) {
        self.count_small_inline::<Avx2, _>(vocabulary, pieces, counted);
    }

    #[inline(always)]
    fn count_small_inline<'a, L: Lanes, Name: Copy>(
        &mut self,
        vocabulary: &Vocabulary,
        pieces: impl IntoIterator<Item = (Name, &'a [u8])>,
        mut counted: impl FnMut(Name, &'a [u8], u32),
    ) {
        let Merger { small, merged_bytes, .. } = self;
        let mut pieces = pieces.into_iter().inspect(|(_, piece)| *merged_bytes += piece.len() as u64);
        let mut current = [None; TOGETHER];
        // Those that are being merged come first.
        let (mut slots, mut merging): ([usize; TOGETHER], _) = (array::from_fn(|slot| slot), 0);
        for (slot, piece) in pieces.by_ref().take(TOGETHER).enumerate() {
            small[slot].begin(vocabulary, piece.1);
            current[slot] = Some(piece);
            merging += 1;
        }
        while merging > 0 {
            let mut turn = 0;
            while turn < merging {
                let slot = slots[turn];
                if small[slot].find::<L>(vocabulary.merges()) {
                    turn += 1;
                    continue;
                }
                if let Some((name, piece)) = current[slot] {
                    counted(name, piece, small[slot].tokens());
                }
                current[slot] = pieces.next();
                match current[slot] {
                    Some((_, piece)) => small[slot].begin(vocabulary, piece),
                    None => {
                        merging -= 1;
                        slots.swap(turn, merging);
                    }
                }
            }
            for &slot in &slots[..merging] {
                small[slot].merge(vocabulary.merges());
            }
        }
    }

    /// Where the tokens of `piece` end.
    pub(super) fn ends(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> &[u32] {
        self.ends.clear();
        if vocabulary.is_unmade_token(piece) {
            self.ends.push(piece.len() as u32);
        } else if let Some(recent) = self.recent.get(piece) {
            self.ends.extend_from_slice(recent);
        } else {
            self.merge(vocabulary, piece);
        }
        &self.ends
    }

    /// Leaves in `ends` where the tokens of `piece` end.
    fn merge(&mut self, vocabulary: &Vocabulary, piece: &[u8]) {
        let Merger { small: [small, ..], parts, possible, recent, ends, merged_bytes } = self;
        *merged_bytes += piece.len() as u64;
        if piece.len() <= SmallParts::BYTES {
            small.begin(vocabulary, piece);
            while small.find::<Portable>(vocabulary.merges()) {
                small.merge(vocabulary.merges());
            }
            ends.extend(small.ends());
        } else {
            parts.begin(vocabulary, piece);
            merge_by_queue(parts, possible, vocabulary.merges());
            ends.extend(parts.ends());
            recent.insert(piece, ends);
        }
    }

    /// Bytes that were merged so far.
    pub(super) fn merged_bytes(&self) -> u64 {
        self.merged_bytes
    }
}

/// Merges a piece of any length without looking at all pairs for each merge: a queue has those that were possible when
/// pushed.
fn merge_by_queue(parts: &mut Parts, possible: &mut PossibleMerges, table: &Merges) {
    for (rank, at) in parts.candidates() {
        possible.push(rank, at);
    }
    while let Some((lowest, places)) = possible.pop() {
        let mut left = places.iter();
        while let Some(&at) = left.next() {
            // Places of parts that have changed since are left in the queue and passed over here.
            if parts.candidate(at) == lowest && merge_and_push(parts, possible, table, at) < lowest {
                // What has become possible comes first.
                left.by_ref().for_each(|&at| possible.push(lowest, at));
            }
        }
        possible.reuse(places);
    }
}

/// Merges the part at `at` with the next one, and pushes what has become possible; returns the lowest rank of that.
fn merge_and_push(parts: &mut Parts, possible: &mut PossibleMerges, table: &Merges, at: u32) -> Rank {
    let mut lowest = NO_RANK;
    for at in parts.merge(table, at) {
        let rank = parts.candidate(at);
        if rank != NO_RANK {
            possible.push(rank, at);
            lowest = lowest.min(rank);
        }
    }
    lowest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Encoding;
    use proptest::prelude::*;

    fn vocabulary_of(name: &str, test: impl FnOnce(&Vocabulary)) {
        test(&Encoding::builtin(name).unwrap().tables().vocabulary);
    }

    proptest! {
        #[test]
        fn small_pieces_merge_together_as_each_does_by_the_queue(
            pieces in prop::collection::vec("[ab]{1,62}|[a-f ]{1,62}|\\PC{1,15}", 1..40),
        ) {
            vocabulary_of("cl100k_base", |vocabulary| {
                let by_queue = |piece: &str| {
                    let mut parts = Parts::default();
                    parts.begin(vocabulary, piece.as_bytes());
                    merge_by_queue(&mut parts, &mut PossibleMerges::default(), vocabulary.merges());
                    parts.ends().collect::<Vec<_>>()
                };
                let (mut merger, mut counts) = (Merger::default(), vec![0; pieces.len()]);
                let named = pieces.iter().map(String::as_bytes).enumerate();
                merger.count_small(vocabulary, named, |name, _, tokens| counts[name] = tokens as usize);
                for (piece, count) in pieces.iter().zip(counts) {
                    let ends = by_queue(piece);
                    assert_eq!(count, ends.len());
                    assert_eq!(merger.ends(vocabulary, piece.as_bytes()), ends);
                }
            });
        }
    }

    #[test]
    fn merging_makes_every_token_of_the_built_in_vocabularies() {
        for name in ["cl100k_base", "o200k_base", "p50k_base", "r50k_base"] {
            // What it remembers is of one vocabulary.
            let mut merger = Merger::default();
            vocabulary_of(name, |vocabulary| {
                assert!(vocabulary.tokens().all(|token| merger.count(vocabulary, token) == 1), "{name}");
            });
        }
    }
}
