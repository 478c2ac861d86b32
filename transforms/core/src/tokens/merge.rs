//! Byte-pair encoding of pieces, in tiktoken's own merge order: the lowest rank first, the leftmost on a tie.

use super::{
    cache::LONG_BYTES,
    merges::{Merges, NO_RANK},
    pairs::Rank,
    parts::Parts,
    possible::PossibleMerges,
    recent::RecentMerges,
    vocabulary::Vocabulary,
};

/// From this length on a queue finds the next merge; below it, looking at all pairs is quicker. tiktoken's own threshold.
const QUEUE_FROM_BYTES: usize = 100;
const _: () = assert!(QUEUE_FROM_BYTES <= Parts::SEEN_BYTES);

/// Scratch for merging; kept between pieces so that nothing is allocated for each.
#[derive(Debug, Default)]
pub(super) struct Merger {
    parts: Parts,
    ends: Vec<u32>,
    possible: PossibleMerges,
    recent: RecentMerges,
    merged_bytes: u64,
}

impl Merger {
    /// The number of tokens of `piece`, which is not empty.
    pub(super) fn count(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> u32 {
        if piece.len() > LONG_BYTES || vocabulary.is_unmade_token(piece) {
            return self.ends(vocabulary, piece).len() as u32;
        }
        self.merge(vocabulary, piece);
        self.parts.tokens()
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
            self.ends.extend(self.parts.ends());
        }
        &self.ends
    }

    /// Leaves the tokens of `piece` in `parts`.
    fn merge(&mut self, vocabulary: &Vocabulary, piece: &[u8]) {
        let Merger { parts, possible, recent, merged_bytes, .. } = self;
        *merged_bytes += piece.len() as u64;
        parts.begin(vocabulary, piece);
        if piece.len() < QUEUE_FROM_BYTES {
            merge_by_scanning(parts, vocabulary.merges());
        } else {
            merge_by_queue(parts, possible, vocabulary.merges());
        }
        // What is shorter is in a cache.
        if piece.len() > LONG_BYTES {
            recent.insert(piece, parts.ends());
        }
    }

    /// Bytes that were merged so far.
    pub(super) fn merged_bytes(&self) -> u64 {
        self.merged_bytes
    }
}

/// Merges a piece of up to [`Parts::SEEN_BYTES`] bytes.
fn merge_by_scanning(parts: &mut Parts, table: &Merges) {
    while let Some(at) = parts.first() {
        parts.merge(table, at);
    }
}

/// Same result for any length without looking at all pairs for each merge: a queue of those that were possible when
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
        fn scanning_and_the_queue_merge_alike(piece in "[ab]{1,200}|[a-f ]{1,200}|\\PC{1,64}") {
            vocabulary_of("cl100k_base", |vocabulary| {
                let ends = |merge: &dyn Fn(&mut Parts, &Merges)| {
                    let mut parts = Parts::default();
                    parts.begin(vocabulary, piece.as_bytes());
                    merge(&mut parts, vocabulary.merges());
                    assert_eq!(parts.ends().count(), parts.tokens() as usize);
                    parts.ends().collect::<Vec<_>>()
                };
                let by_scanning = ends(&merge_by_scanning);
                assert_eq!(by_scanning, ends(&|parts, table| merge_by_queue(parts, &mut PossibleMerges::default(), table)));
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
