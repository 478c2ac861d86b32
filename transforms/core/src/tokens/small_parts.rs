//! A piece of up to 62 bytes on its way from bytes to tokens.

use super::{
    lanes::{Lanes, WIDTH},
    merges::{Merges, NO_RANK},
    pairs::Rank,
    vocabulary::Vocabulary,
};
use std::iter;

/// The tokens so far, and what may merge next. Places are those of bytes, from 1 on.
///
/// A merge is a step without a branch that depends on the text: the processor is at the next piece's while it waits
/// for what this one needs from memory.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct SmallParts {
    /// The merge of every part with the next one; at least [`NONE`] if there is none, or where no part begins.
    candidates: [Candidate; PLACES],
    /// The token that begins at a place; [`NO_RANK`] before the piece and behind it.
    ranks: [Rank; PLACES],
    /// A bit for each place where a part begins, for the one before them, and for the one behind.
    starts: u64,
    /// The merge that was found, and where the ranks are of what it makes with its neighbours.
    first: Candidate,
    asked: [usize; 2],
}

const PLACES: usize = WIDTH;

/// A possible merge: the rank of what a part makes together with the next one, and in the lowest bits the part's place,
/// so that the least of all is the one that comes first. Signed, since all processors compare such at once.
type Candidate = i32;
const PLACE_BITS: u32 = PLACES.trailing_zeros();
const NONE: Candidate = candidate(NO_RANK, 0);
const _: () = assert!(NONE > 0, "the rank of a candidate leaves the sign free");

impl SmallParts {
    /// Longest piece: there is a place before it and one behind.
    pub(super) const BYTES: usize = PLACES - 2;

    /// Every byte of `piece` a part of its own.
    #[inline(always)]
    pub(super) fn begin(&mut self, vocabulary: &Vocabulary, piece: &[u8]) {
        let SmallParts { candidates, ranks, starts, .. } = self;
        for (rank, &byte) in ranks[1..].iter_mut().zip(piece) {
            *rank = vocabulary.rank_of_byte(byte);
        }
        ranks[(piece.len() + 1) % PLACES] = NO_RANK;
        *candidates = [NONE; PLACES];
        for ((place, free), pair) in (1..).zip(&mut candidates[1..]).zip(piece.windows(2)) {
            *free = candidate(vocabulary.merges().rank_of_bytes(pair[0], pair[1]), place);
        }
        *starts = u64::MAX >> (SmallParts::BYTES - piece.len());
    }

    /// Finds the next merge: the lowest rank comes first, the leftmost on a tie. Asks for what it needs from memory, or
    /// says that there is none.
    #[inline(always)]
    pub(super) fn find<L: Lanes>(&mut self, table: &Merges) -> bool {
        self.first = L::least(&self.candidates);
        let (at, made) = (place(self.first), rank(self.first));
        let [previous, _, next] = self.around(at);
        self.asked = [table.ask(self.ranks[previous], made), table.ask(made, self.ranks[next])];
        self.first < NONE
    }

    /// Does the merge that was found.
    #[inline(always)]
    pub(super) fn merge(&mut self, table: &Merges) {
        let (at, made) = (place(self.first), rank(self.first));
        let [previous, absorbed, next] = self.around(at);
        let SmallParts { candidates, ranks, starts, asked: [with_previous, with_next], .. } = self;
        let with_previous = table.rank_at(*with_previous, ranks[previous], made);
        let with_next = table.rank_at(*with_next, made, ranks[next]);
        *starts ^= 1 << absorbed;
        ranks[at] = made;
        candidates[absorbed] = NONE;
        candidates[at] = candidate(with_next, at);
        candidates[previous] = candidate(with_previous, previous);
    }

    /// Where the part before that at `at` begins, the one behind it, and the one behind that.
    #[inline(always)]
    fn around(&self, at: usize) -> [usize; 3] {
        let previous = (self.starts & !(!0 << at) | 1).ilog2() as usize;
        let behind = self.starts & (!1 << at);
        let last = behind & behind.wrapping_sub(1);
        [previous, behind.trailing_zeros() as usize % PLACES, last.trailing_zeros() as usize % PLACES]
    }

    /// How many parts there are.
    #[inline(always)]
    pub(super) fn tokens(&self) -> u32 {
        self.starts.count_ones() - 2
    }

    /// Where each part ends, in bytes.
    pub(super) fn ends(&self) -> impl Iterator<Item = u32> + use<> {
        // After the place before the piece and that of the first part.
        let without_lowest = |starts: u64| starts & (starts - 1);
        let ends = without_lowest(without_lowest(self.starts));
        iter::successors(Some(ends), move |&ends| Some(without_lowest(ends)).filter(|&ends| ends != 0))
            .map(|ends| ends.trailing_zeros() - 1)
    }
}

impl Default for SmallParts {
    fn default() -> SmallParts {
        SmallParts { candidates: [NONE; PLACES], ranks: [NO_RANK; PLACES], starts: 0, first: NONE, asked: [0; 2] }
    }
}

const fn candidate(rank: Rank, place: usize) -> Candidate {
    (rank << PLACE_BITS | place as u32).cast_signed()
}

const fn place(candidate: Candidate) -> usize {
    candidate as usize % PLACES
}

const fn rank(candidate: Candidate) -> Rank {
    candidate.cast_unsigned() >> PLACE_BITS
}
