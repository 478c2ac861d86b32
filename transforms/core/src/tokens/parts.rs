//! A piece of any length on its way from bytes to tokens.

use super::{
    merges::{Merges, NO_RANK},
    pairs::Rank,
    vocabulary::Vocabulary,
};
use std::iter;

/// The tokens so far, and what may merge.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// A list linked both ways, each part at the place of its first byte. One more stands at the end.
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    rank: Rank,
    previous: u32,
    next: u32,
    /// What it makes together with the next one; [`NO_RANK`] if they do not merge, or if it is no part any more.
    candidate: Rank,
}

impl Parts {
    /// Every byte of `piece` a part of its own.
    pub(super) fn begin(&mut self, vocabulary: &Vocabulary, piece: &[u8]) {
        let part = |(&byte, at): (&u8, u32)| {
            let next = piece.get(at as usize + 1);
            Part {
                rank: vocabulary.rank_of_byte(byte),
                previous: at.wrapping_sub(1),
                next: at + 1,
                candidate: next.map_or(NO_RANK, |&next| vocabulary.merges().rank_of_bytes(byte, next)),
            }
        };
        let end = piece.len() as u32;
        self.parts.clear();
        self.parts.extend(piece.iter().zip(0..).map(part));
        self.parts.push(Part { rank: NO_RANK, previous: end.wrapping_sub(1), next: end, candidate: NO_RANK });
    }

    /// The rank of what the part at `at` and the next one make; [`NO_RANK`] if they do not merge, or no part is there.
    pub(super) fn candidate(&self, at: u32) -> Rank {
        self.parts.get(at as usize).map_or(NO_RANK, |part| part.candidate)
    }

    /// The ranks and places of all merges that are possible, in order of place.
    pub(super) fn candidates(&self) -> impl Iterator<Item = (Rank, u32)> {
        self.parts.iter().map(|part| part.candidate).zip(0..).filter(|&(candidate, _)| candidate != NO_RANK)
    }

    /// Merges the part at `at` with the next one. Returns the places where that may have changed what is possible, from
    /// left to right; the first may be none.
    #[inline]
    pub(super) fn merge(&mut self, table: &Merges, at: u32) -> [u32; 2] {
        let Parts { parts } = self;
        let Part { previous, next: absorbed, candidate: made, .. } = parts[at as usize];
        let next = parts[absorbed as usize].next;
        let candidate = table.rank(made, parts[next as usize].rank);
        parts[at as usize] = Part { rank: made, previous, next, candidate };
        parts[absorbed as usize].candidate = NO_RANK;
        parts[next as usize].previous = at;
        if let Some(part) = parts.get_mut(previous as usize) {
            part.candidate = table.rank(part.rank, made);
        }
        [previous, at]
    }

    /// Where each part ends.
    pub(super) fn ends(&self) -> impl Iterator<Item = u32> {
        let Parts { parts } = self;
        let last = parts.len() as u32 - 1;
        iter::successors(Some(parts[0].next), move |&end| (end < last).then(|| parts[end as usize].next))
    }
}
