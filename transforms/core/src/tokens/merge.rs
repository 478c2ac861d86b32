//! Byte-pair encoding of one piece, in tiktoken's own merge order: the lowest rank first, the leftmost on a tie.

use super::{
    pairs::PairRanks,
    possible::PossibleMerges,
    recent::RecentMerges,
    vocabulary::{NO_RANK, Rank, Vocabulary},
};

/// From this length on a queue finds the next merge; below it, scanning all pairs is quicker. tiktoken's own threshold.
const QUEUE_FROM_BYTES: usize = 100;

/// Scratch for merging; kept between pieces so that nothing is allocated for each.
#[derive(Debug, Default)]
pub(super) struct Merger {
    parts: Vec<Part>,
    possible: PossibleMerges,
    pairs: PairRanks,
    recent: RecentMerges,
    merged_bytes: u64,
}

/// A token so far.
#[derive(Clone, Copy, Debug)]
struct Part {
    start: u32,
    rank: Rank,
    /// Rank of this part and the next one together, [`NO_RANK`] if that is no token.
    merged: Rank,
    /// Links of the queue's doubly linked list; the linear scan does without.
    previous: u32,
    next: u32,
}

impl Merger {
    /// The number of tokens of `piece`, which is not empty.
    pub(super) fn count(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> usize {
        if vocabulary.rank(piece) != NO_RANK {
            return 1;
        }
        if let Some(ends) = self.recent_ends(piece) {
            return ends.len();
        }
        self.merge(vocabulary, piece);
        self.parts.len() - 1
    }

    /// The end of the `nth` token (from 1) of `piece`.
    ///
    /// # Errors
    /// How many tokens the piece has, if those are fewer.
    pub(super) fn end_of_token(&mut self, vocabulary: &Vocabulary, piece: &[u8], nth: usize) -> Result<usize, usize> {
        if vocabulary.rank(piece) != NO_RANK {
            return if nth == 1 { Ok(piece.len()) } else { Err(1) };
        }
        if let Some(ends) = self.recent_ends(piece) {
            return ends.get(nth - 1).map(|&end| end as usize).ok_or(ends.len());
        }
        self.merge(vocabulary, piece);
        self.parts.get(nth).map(|part| part.start as usize).ok_or(self.parts.len() - 1)
    }

    fn recent_ends(&self, piece: &[u8]) -> Option<&[u32]> {
        if piece.len() < QUEUE_FROM_BYTES { None } else { self.recent.get(piece) }
    }

    /// Whether merging the bytes of `token` makes it.
    pub(super) fn makes_one(&mut self, vocabulary: &Vocabulary, token: &[u8]) -> bool {
        self.merge(vocabulary, token);
        self.parts.len() == 2
    }

    /// Leaves all tokens in `parts`, and a last part, of no bytes, that begins at the end of the piece.
    fn merge(&mut self, vocabulary: &Vocabulary, piece: &[u8]) {
        self.merged_bytes += piece.len() as u64;
        self.begin(vocabulary, piece);
        if piece.len() < QUEUE_FROM_BYTES {
            self.merge_by_scanning(vocabulary);
        } else {
            self.merge_by_queue(vocabulary);
            self.recent.insert(piece, self.parts[1..].iter().map(|part| part.start));
        }
    }

    /// Bytes that were merged so far.
    pub(super) fn merged_bytes(&self) -> u64 {
        self.merged_bytes
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

    /// Same result without looking at all pairs for each merge: a linked list of parts, and a queue of the merges that
    /// were possible when pushed.
    fn merge_by_queue(&mut self, vocabulary: &Vocabulary) {
        for part in self.parts.iter().filter(|part| part.merged != NO_RANK) {
            self.possible.push(part.merged, part.start);
        }
        while let Some((rank, places)) = self.possible.pop() {
            let mut left = places.iter();
            while let Some(&at) = left.next() {
                // Places of parts that have changed since are left in the queue and passed over here.
                if self.parts[at as usize].merged == rank && self.merge_at(vocabulary, at) < rank {
                    // What has become possible comes first.
                    left.by_ref().for_each(|&at| self.possible.push(rank, at));
                }
            }
            self.possible.reuse(places);
        }
        self.keep_linked_parts();
    }

    /// Merges the part that begins at `at` with the next one; returns the lowest rank that this makes possible.
    fn merge_at(&mut self, vocabulary: &Vocabulary, at: u32) -> Rank {
        let absorbed = self.parts[at as usize].next;
        let after = self.parts[absorbed as usize].next;
        self.parts[absorbed as usize].merged = NO_RANK;
        self.parts[after as usize].previous = at;
        let part = &mut self.parts[at as usize];
        (part.next, part.rank) = (after, part.merged);
        let previous = part.previous;
        let lowest = self.renew_merge(vocabulary, at);
        if previous == u32::MAX { lowest } else { lowest.min(self.renew_merge(vocabulary, previous)) }
    }

    fn renew_merge(&mut self, vocabulary: &Vocabulary, at: u32) -> Rank {
        let Part { rank, next, .. } = self.parts[at as usize];
        let merged = match self.parts[next as usize].rank {
            NO_RANK => NO_RANK,
            after => self.pairs.rank(vocabulary, rank, after),
        };
        self.parts[at as usize].merged = merged;
        if merged != NO_RANK {
            self.possible.push(merged, at);
        }
        merged
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
        let (mut merger, vocabulary) = (Merger::default(), &encoding.tables().vocabulary);
        merger.begin(vocabulary, piece);
        merge(&mut merger, vocabulary);
        merger.parts.iter().map(|part| part.start).collect()
    }

    proptest! {
        #[test]
        fn scanning_and_the_queue_merge_alike(piece in "[ab]{1,200}|[a-f ]{1,200}|\\PC{1,80}") {
            let by_scanning = token_ends(Merger::merge_by_scanning, piece.as_bytes());
            let by_queue = token_ends(Merger::merge_by_queue, piece.as_bytes());
            prop_assert_eq!(by_scanning, by_queue);
        }
    }
}
