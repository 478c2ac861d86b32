//! Byte-pair encoding of one piece, in tiktoken's own merge order: the lowest rank first, the leftmost on a tie.

use super::{
    pairs::PairRanks,
    vocabulary::{NO_RANK, Rank, Vocabulary},
};
use std::{cmp::Reverse, collections::BinaryHeap};

/// From this length on a heap finds the next merge; below it, scanning all pairs is quicker. tiktoken's own threshold.
const HEAP_FROM_BYTES: usize = 100;

/// Scratch for merging; kept between pieces so that nothing is allocated for each.
#[derive(Debug, Default)]
pub(super) struct Merger {
    parts: Vec<Part>,
    /// Possible merges, rank above place in one number: compared at once, a third quicker than as a pair.
    heap: BinaryHeap<Reverse<u64>>,
    pairs: PairRanks,
}

/// A token so far.
#[derive(Clone, Copy, Debug)]
struct Part {
    start: u32,
    rank: Rank,
    /// Rank of this part and the next one together, [`NO_RANK`] if that is no token.
    merged: Rank,
    /// Links of the heap's doubly linked list; the linear scan does without.
    previous: u32,
    next: u32,
}

impl Merger {
    /// The number of tokens of `piece`, which is not empty.
    pub(super) fn count(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> usize {
        if vocabulary.rank(piece) != NO_RANK {
            return 1;
        }
        self.merge(vocabulary, piece);
        self.parts.len() - 1
    }

    /// Pushes the end of every token of `piece`, plus `offset`, to `ends`.
    pub(super) fn token_ends(&mut self, vocabulary: &Vocabulary, piece: &[u8], offset: usize, ends: &mut Vec<usize>) {
        if vocabulary.rank(piece) != NO_RANK {
            ends.push(offset + piece.len());
            return;
        }
        self.merge(vocabulary, piece);
        ends.extend(self.parts[1..].iter().map(|part| offset + part.start as usize));
    }

    /// Leaves all tokens in `parts`, and a last part, of no bytes, that begins at the end of the piece.
    fn merge(&mut self, vocabulary: &Vocabulary, piece: &[u8]) {
        self.begin(vocabulary, piece);
        if piece.len() < HEAP_FROM_BYTES { self.merge_by_scanning(vocabulary) } else { self.merge_by_heap(vocabulary) }
    }

    /// Every byte a part of its own.
    fn begin(&mut self, vocabulary: &Vocabulary, piece: &[u8]) {
        let Merger { parts, pairs, .. } = self;
        parts.clear();
        for (start, &byte) in piece.iter().enumerate() {
            let rank = vocabulary.rank_of_byte(byte);
            let merged = match piece.get(start + 1) {
                Some(&next) => pairs.rank(vocabulary, rank, vocabulary.rank_of_byte(next)),
                None => NO_RANK,
            };
            let start = start as u32;
            parts.push(Part { start, rank, merged, previous: start.wrapping_sub(1), next: start + 1 });
        }
        let end = piece.len() as u32;
        parts.push(Part { start: end, rank: NO_RANK, merged: NO_RANK, previous: end.wrapping_sub(1), next: end });
    }

    fn merge_by_scanning(&mut self, vocabulary: &Vocabulary) {
        let Merger { parts, pairs, .. } = self;
        let merged = |pairs: &mut PairRanks, parts: &[Part], at: usize| match parts[at + 1].rank {
            NO_RANK => NO_RANK,
            next => pairs.rank(vocabulary, parts[at].rank, next),
        };
        while let Some(best) = lowest(parts) {
            parts[best].rank = parts[best].merged;
            parts.remove(best + 1);
            parts[best].merged = merged(pairs, parts, best);
            if best > 0 {
                parts[best - 1].merged = merged(pairs, parts, best - 1);
            }
        }
    }

    /// Same result in O(n log n): a linked list of parts, and a heap of the merges that were possible when pushed.
    fn merge_by_heap(&mut self, vocabulary: &Vocabulary) {
        let mut possible = std::mem::take(&mut self.heap).into_vec();
        possible.clear();
        let mergeable = self.parts.iter().filter(|part| part.merged != NO_RANK);
        possible.extend(mergeable.map(|part| possible_merge(part.merged, part.start)));
        self.heap = BinaryHeap::from(possible);
        while let Some(Reverse(possible)) = self.heap.pop() {
            let (rank, at) = ((possible >> 32) as Rank, possible as u32);
            // Entries of parts that have changed since are left in the heap and passed over here.
            if self.parts[at as usize].merged == rank {
                self.merge_at(vocabulary, at);
            }
        }
        self.keep_linked_parts();
    }

    fn merge_at(&mut self, vocabulary: &Vocabulary, at: u32) {
        let absorbed = self.parts[at as usize].next;
        let after = self.parts[absorbed as usize].next;
        self.parts[absorbed as usize].merged = NO_RANK;
        self.parts[after as usize].previous = at;
        let part = &mut self.parts[at as usize];
        (part.next, part.rank) = (after, part.merged);
        let previous = part.previous;
        self.renew_merge(vocabulary, at);
        if previous != u32::MAX {
            self.renew_merge(vocabulary, previous);
        }
    }

    fn renew_merge(&mut self, vocabulary: &Vocabulary, at: u32) {
        let Part { rank, next, .. } = self.parts[at as usize];
        let merged = match self.parts[next as usize].rank {
            NO_RANK => NO_RANK,
            after => self.pairs.rank(vocabulary, rank, after),
        };
        self.parts[at as usize].merged = merged;
        if merged != NO_RANK {
            self.heap.push(possible_merge(merged, at));
        }
    }

    fn keep_linked_parts(&mut self) {
        let last = self.parts.len() - 1;
        let (mut kept, mut at) = (0, 0);
        while at < last {
            self.parts[kept] = self.parts[at];
            at = self.parts[at].next as usize;
            kept += 1;
        }
        self.parts[kept] = self.parts[last];
        self.parts.truncate(kept + 1);
    }
}

fn possible_merge(rank: Rank, at: u32) -> Reverse<u64> {
    Reverse(u64::from(rank) << 32 | u64::from(at))
}

/// Index of the part whose merge comes first, if any can merge.
fn lowest(parts: &[Part]) -> Option<usize> {
    let (best, part) = parts.iter().enumerate().min_by_key(|(_, part)| part.merged)?;
    (part.merged != NO_RANK).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Encoding;
    use proptest::prelude::*;

    fn token_ends(merge: impl Fn(&mut Merger, &Vocabulary), piece: &[u8]) -> Vec<u32> {
        let encoding = Encoding::builtin("cl100k_base").unwrap();
        let (mut merger, vocabulary) = (Merger::default(), encoding.vocabulary());
        merger.begin(vocabulary, piece);
        merge(&mut merger, vocabulary);
        merger.parts.iter().map(|part| part.start).collect()
    }

    proptest! {
        #[test]
        fn scanning_and_the_heap_merge_alike(piece in "[ab]{1,200}|[a-f ]{1,200}|\\PC{1,80}") {
            let by_scanning = token_ends(Merger::merge_by_scanning, piece.as_bytes());
            let by_heap = token_ends(Merger::merge_by_heap, piece.as_bytes());
            prop_assert_eq!(by_scanning, by_heap);
        }
    }
}
