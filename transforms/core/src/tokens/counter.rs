//! Counts single pieces (pretokens, or parts of one at a slice's edge), mostly by having seen them before.

use super::{
    cache::{MEDIUM_BYTES, PieceCounts},
    characters::Characters,
    merge::Merger,
    vocabulary::Vocabulary,
};
use std::ops::Range;

/// What counting a piece needs that is the same for everybody.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) vocabulary: Vocabulary,
    pub(super) characters: Characters,
    /// Every token of at most [`MEDIUM_BYTES`] bytes with count 1: where each worker's own caches start from.
    seeded: PieceCounts,
}

impl Tables {
    /// For a vocabulary each of whose tokens merging makes of its bytes, so that a part of a pretoken that is a token has
    /// no other tokens; as all have that were trained.
    pub(super) fn new(vocabulary: Vocabulary) -> Tables {
        let characters = Characters::new(vocabulary.tokens());
        Tables::with(vocabulary, characters)
    }

    /// For any vocabulary: looks whether it is such a one, and cuts no pretoken into parts if it is not.
    pub(super) fn of_any(vocabulary: Vocabulary) -> Tables {
        let mut merger = Merger::default();
        if vocabulary.tokens().all(|token| merger.makes_one(&vocabulary, token)) {
            return Tables::new(vocabulary);
        }
        Tables::with(vocabulary, Characters::without_splits())
    }

    fn with(vocabulary: Vocabulary, characters: Characters) -> Tables {
        let mut seeded = PieceCounts::new();
        // The latest ranks first, so that a crowded set keeps the most frequent tokens.
        let tokens = (0..vocabulary.len()).rev().map(|rank| vocabulary.token(rank));
        for token in tokens.filter(|token| token.len() <= MEDIUM_BYTES) {
            seeded.insert(token, 1);
        }
        Tables { vocabulary, characters, seeded }
    }
}

/// A worker's caches and scratch for counting pieces of one encoding.
#[derive(Debug)]
pub(super) struct PieceCounter {
    pub(super) counts: PieceCounts,
    merger: Merger,
    /// Bytes that went through a merge since this was made: the work that caches do not save.
    merged_bytes: u64,
}

impl PieceCounter {
    pub(super) fn new(tables: &Tables) -> PieceCounter {
        PieceCounter { counts: tables.seeded.clone(), merger: Merger::default(), merged_bytes: 0 }
    }

    /// The number of tokens of the piece `text[start..end]`, which is not empty.
    #[inline(always)]
    pub(super) fn count(&mut self, tables: &Tables, text: &[u8], start: usize, end: usize) -> u32 {
        self.counts.get(text, start, end).unwrap_or_else(|| self.count_miss(tables, text, start, end))
    }

    #[cold]
    pub(super) fn count_miss(&mut self, tables: &Tables, text: &[u8], start: usize, end: usize) -> u32 {
        let count = self.count_parts(tables, text, start, end);
        self.counts.insert(&text[start..end], count);
        count
    }

    /// Cuts a long piece where no token crosses and counts what lies between.
    fn count_parts(&mut self, tables: &Tables, text: &[u8], start: usize, end: usize) -> u32 {
        let (mut count, mut part) = (0, start);
        tables.characters.each_split(text, start..end, |split| {
            count += self.count(tables, text, part, split);
            part = split;
        });
        if part > start {
            return count + self.count(tables, text, part, end);
        }
        self.merged_bytes += (end - start) as u64;
        self.merger.count(&tables.vocabulary, &text[start..end]) as u32
    }

    /// Pushes the end of every token of a piece.
    pub(super) fn token_ends(&mut self, tables: &Tables, text: &[u8], piece: Range<usize>, ends: &mut Vec<usize>) {
        if piece.len() <= MEDIUM_BYTES && self.count(tables, text, piece.start, piece.end) == 1 {
            ends.push(piece.end);
            return;
        }
        self.merged_bytes += piece.len() as u64;
        let mut part = piece.start;
        tables.characters.each_split(text, piece.clone(), |split| {
            self.merger.token_ends(&tables.vocabulary, &text[part..split], part, ends);
            part = split;
        });
        self.merger.token_ends(&tables.vocabulary, &text[part..piece.end], part, ends);
    }

    pub(super) fn merged_bytes(&self) -> u64 {
        self.merged_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Encoding;

    #[test]
    fn merging_makes_every_token_of_the_built_in_vocabularies() {
        for name in ["cl100k_base", "o200k_base", "p50k_base", "r50k_base"] {
            let encoding = Encoding::builtin(name).unwrap();
            // What it remembers is of one vocabulary.
            let (vocabulary, mut merger) = (encoding.vocabulary(), Merger::default());
            assert!(vocabulary.tokens().all(|token| merger.makes_one(vocabulary, token)), "{name}");
        }
    }
}
