//! One piece on its way from bytes to tokens.

use super::{
    merges::{Merges, NO_RANK},
    pairs::Rank,
    vocabulary::Vocabulary,
};
use std::{array, iter};

/// The tokens so far, and what may merge next.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// A list linked both ways, each part at the place of its first byte. One more stands at the end.
    parts: Vec<Part>,
    /// The merge of every part with the next one; at least [`NONE`] if there is none, or where no part begins.
    candidates: Vec<Candidate>,
    tokens: u32,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    rank: Rank,
    previous: u32,
    next: u32,
}

/// A possible merge: the rank of what a part makes together with the next one, and in the lowest bits the part's place
/// modulo 256, so that the least of so many is the one that comes first. Signed, since all processors compare such at
/// once.
type Candidate = i32;
const PLACE_BITS: u32 = 8;
const NONE: Candidate = candidate(NO_RANK, 0);
const _: () = assert!(NONE > 0, "the rank of a candidate leaves the sign free");

/// Candidates that are compared at once.
const LANES: usize = 8;

impl Parts {
    /// Longest piece, in bytes, that [`Parts::first`] sees all of.
    pub(super) const SEEN_BYTES: usize = 1 << PLACE_BITS;

    /// Every byte of `piece` a part of its own.
    pub(super) fn begin(&mut self, vocabulary: &Vocabulary, piece: &[u8]) {
        let Parts { parts, candidates, tokens } = self;
        parts.clear();
        parts.extend(piece.iter().zip(0_u32..).map(|(&byte, at)| Part {
            rank: vocabulary.rank_of_byte(byte),
            previous: at.wrapping_sub(1),
            next: at + 1,
        }));
        let end = piece.len() as u32;
        parts.push(Part { rank: NO_RANK, previous: end.wrapping_sub(1), next: end });
        let of_bytes = |(pair, at): (&[u8], _)| candidate(vocabulary.merges().rank_of_bytes(pair[0], pair[1]), at);
        candidates.clear();
        candidates.extend(piece.windows(2).zip(0..).map(of_bytes));
        candidates.resize((candidates.len() + 1).next_multiple_of(LANES), NONE);
        *tokens = end;
    }

    /// The place of the part that merges next: the lowest rank comes first, the leftmost on a tie.
    pub(super) fn first(&self) -> Option<u32> {
        let (chunks, _) = self.candidates.as_chunks::<LANES>();
        let first =
            |all: [Candidate; LANES], chunk: &[Candidate; LANES]| array::from_fn(|lane| all[lane].min(chunk[lane]));
        let lanes = chunks.iter().fold([NONE; LANES], first);
        let first = lanes.into_iter().fold(NONE, Candidate::min);
        (first < NONE).then_some(first.cast_unsigned() % (1 << PLACE_BITS))
    }

    /// The rank of what the part at `at` and the next one make; [`NO_RANK`] if they do not merge, or no part is there.
    pub(super) fn candidate(&self, at: u32) -> Rank {
        self.candidates.get(at as usize).map_or(NO_RANK, |&candidate| rank(candidate))
    }

    /// The ranks and places of all merges that are possible, in order of place.
    pub(super) fn candidates(&self) -> impl Iterator<Item = (Rank, u32)> {
        let candidates = self.candidates.iter().zip(0..);
        candidates.filter(|&(&candidate, _)| candidate < NONE).map(|(&candidate, at)| (rank(candidate), at))
    }

    /// Merges the part at `at` with the next one. Returns the places where that may have changed what is possible, from
    /// left to right; the first may be none.
    #[inline]
    pub(super) fn merge(&mut self, table: &Merges, at: u32) -> [u32; 2] {
        let Parts { parts, candidates, tokens } = self;
        let Part { previous, next: absorbed, .. } = parts[at as usize];
        let next = parts[absorbed as usize].next;
        let made = rank(candidates[at as usize]);
        parts[at as usize] = Part { rank: made, previous, next };
        parts[next as usize].previous = at;
        candidates[absorbed as usize] = NONE;
        candidates[at as usize] = candidate(table.rank(made, parts[next as usize].rank), at);
        if let Some(part) = parts.get(previous as usize) {
            candidates[previous as usize] = candidate(table.rank(part.rank, made), previous);
        }
        *tokens -= 1;
        [previous, at]
    }

    /// How many parts there are.
    pub(super) fn tokens(&self) -> u32 {
        self.tokens
    }

    /// Where each part ends.
    pub(super) fn ends(&self) -> impl Iterator<Item = u32> {
        let Parts { parts, .. } = self;
        let last = parts.len() as u32 - 1;
        iter::successors(Some(parts[0].next), move |&end| (end < last).then(|| parts[end as usize].next))
    }
}

const fn candidate(rank: Rank, place: u32) -> Candidate {
    (rank << PLACE_BITS | (place % (1 << PLACE_BITS))).cast_signed()
}

fn rank(candidate: Candidate) -> Rank {
    candidate.cast_unsigned() >> PLACE_BITS
}
