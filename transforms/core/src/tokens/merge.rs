//! Byte-pair encoding of one pretoken, in tiktoken's own merge order: the lowest rank first, the leftmost on a tie.

use super::vocabulary::{NO_RANK, Rank, Vocabulary};
use std::{cmp::Reverse, collections::BinaryHeap};

/// From this length on a heap finds the next merge; below it, scanning all pairs is quicker. tiktoken's own threshold.
const HEAP_FROM_BYTES: usize = 100;

/// Scratch for merging; kept between pieces so that nothing is allocated for each.
#[derive(Debug, Default)]
pub(super) struct Merger {
    parts: Vec<Part>,
    heap: BinaryHeap<Reverse<(Rank, u32)>>,
}

/// A token so far: where it begins, and what it could merge into with its right neighbour.
#[derive(Clone, Copy, Debug)]
struct Part {
    start: u32,
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

    /// Leaves the starts of all tokens in `parts`, and a last part that begins at the end of the piece.
    fn merge(&mut self, vocabulary: &Vocabulary, piece: &[u8]) {
        if piece.len() < HEAP_FROM_BYTES {
            self.merge_by_scanning(vocabulary, piece);
        } else {
            self.merge_by_heap(vocabulary, piece);
        }
    }

    fn merge_by_scanning(&mut self, vocabulary: &Vocabulary, piece: &[u8]) {
        let parts = &mut self.parts;
        parts.clear();
        for start in 0..=piece.len() {
            let merged = piece.get(start..start + 2).map_or(NO_RANK, |pair| vocabulary.rank(pair));
            parts.push(Part { start: start as u32, merged, previous: 0, next: 0 });
        }
        while let Some(best) = lowest(parts) {
            parts.remove(best + 1);
            parts[best].merged = rank_of_pair(vocabulary, piece, parts, best);
            if best > 0 {
                parts[best - 1].merged = rank_of_pair(vocabulary, piece, parts, best - 1);
            }
        }
    }

    /// Same result in O(n log n): a linked list of parts, and a heap of the merges that were possible when pushed.
    fn merge_by_heap(&mut self, vocabulary: &Vocabulary, piece: &[u8]) {
        let last = piece.len() as u32;
        self.parts.clear();
        self.heap.clear();
        for start in 0..=last {
            let merged = piece.get(start as usize..start as usize + 2).map_or(NO_RANK, |pair| vocabulary.rank(pair));
            self.parts.push(Part { start, merged, previous: start.wrapping_sub(1), next: start + 1 });
            self.push_merge(start);
        }
        while let Some(Reverse((rank, at))) = self.heap.pop() {
            // Entries of parts that have changed since are left in the heap and passed over here.
            if self.parts[at as usize].merged == rank {
                self.merge_at(vocabulary, piece, at);
            }
        }
        self.keep_linked_parts(last);
    }

    fn merge_at(&mut self, vocabulary: &Vocabulary, piece: &[u8], at: u32) {
        let absorbed = self.parts[at as usize].next;
        let after = self.parts[absorbed as usize].next;
        self.parts[absorbed as usize].merged = NO_RANK;
        self.parts[at as usize].next = after;
        self.parts[after as usize].previous = at;
        self.renew_merge(vocabulary, piece, at);
        let previous = self.parts[at as usize].previous;
        if previous != u32::MAX {
            self.renew_merge(vocabulary, piece, previous);
        }
    }

    fn renew_merge(&mut self, vocabulary: &Vocabulary, piece: &[u8], at: u32) {
        let next = self.parts[at as usize].next;
        let end = if next as usize == piece.len() { next } else { self.parts[next as usize].next };
        let is_pair = next < end;
        let pair = &piece[at as usize..end as usize];
        self.parts[at as usize].merged = if is_pair { vocabulary.rank(pair) } else { NO_RANK };
        self.push_merge(at);
    }

    fn push_merge(&mut self, at: u32) {
        let merged = self.parts[at as usize].merged;
        if merged != NO_RANK {
            self.heap.push(Reverse((merged, at)));
        }
    }

    fn keep_linked_parts(&mut self, last: u32) {
        let (mut kept, mut at) = (0, 0);
        loop {
            self.parts[kept] = self.parts[at as usize];
            kept += 1;
            if at == last {
                break;
            }
            at = self.parts[kept - 1].next;
        }
        self.parts.truncate(kept);
    }
}

/// Index of the part whose merge comes first, if any can merge.
fn lowest(parts: &[Part]) -> Option<usize> {
    let (best, part) = parts.iter().enumerate().min_by_key(|(_, part)| part.merged)?;
    (part.merged != NO_RANK).then_some(best)
}

fn rank_of_pair(vocabulary: &Vocabulary, piece: &[u8], parts: &[Part], at: usize) -> Rank {
    match parts.get(at + 2) {
        Some(end) => vocabulary.rank(&piece[parts[at].start as usize..end.start as usize]),
        None => NO_RANK,
    }
}
