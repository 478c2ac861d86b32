//! Counts single pieces (pretokens, or parts of one at a slice's edge), mostly by having seen them before.

use super::{
    cache::{Budget, MEDIUM_BYTES, PieceCounts, Share},
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
    /// Every token of at most [`MEDIUM_BYTES`] bytes with count 1: what each worker's own cache starts from, and all that
    /// workers know for which no memory is left.
    seeded: PieceCounts,
}

impl Tables {
    pub(super) fn new(vocabulary: Vocabulary) -> Tables {
        // Only where merging makes every token of its bytes has a part of a pretoken that is a token no other tokens.
        let characters =
            if vocabulary.is_trained() { Characters::new(vocabulary.tokens()) } else { Characters::without_splits() };
        let mut seeded = PieceCounts::new();
        // The latest ranks first, so that a crowded set keeps the most frequent tokens.
        for token in vocabulary.tokens().rev().filter(|token| token.len() <= MEDIUM_BYTES) {
            seeded.insert(token, 1);
        }
        Tables { vocabulary, characters, seeded }
    }

    /// Whether nothing but merging the piece in one tells its count, and that can be done together with others.
    #[inline]
    fn is_merged_whole(&self, text: &[u8], piece: Range<usize>) -> bool {
        Merger::is_small(&self.vocabulary, &text[piece.clone()]) && self.characters.splits(text, piece).next().is_none()
    }
}

/// A worker's cache and scratch for counting pieces of one encoding.
#[derive(Debug)]
pub(super) struct PieceCounter {
    own: Option<OwnCounts>,
    merger: Merger,
}

/// A worker's own cache, and the memory it was granted for it.
#[derive(Debug)]
struct OwnCounts {
    counts: PieceCounts,
    _share: Share,
}

impl PieceCounter {
    /// With a cache of its own, if the budget has that much left.
    pub(super) fn new(tables: &Tables, budget: &'static Budget) -> PieceCounter {
        let share = budget.take(PieceCounts::BYTES);
        let own = share.map(|share| OwnCounts { counts: tables.seeded.clone(), _share: share });
        PieceCounter { own, merger: Merger::default() }
    }

    /// What is known of pieces.
    #[inline(always)]
    pub(super) fn counts<'a>(&'a self, tables: &'a Tables) -> &'a PieceCounts {
        self.own.as_ref().map_or(&tables.seeded, |own| &own.counts)
    }

    /// The number of tokens of the piece `text[start..end]`, which is not empty.
    #[inline(always)]
    pub(super) fn count(&mut self, tables: &Tables, text: &[u8], start: usize, end: usize) -> u32 {
        self.recall(tables, text, start, end).unwrap_or_else(|| self.count_unknown(tables, text, start, end))
    }

    /// The same, if it is known.
    #[inline(always)]
    fn recall(&mut self, tables: &Tables, text: &[u8], start: usize, end: usize) -> Option<u32> {
        match &mut self.own {
            Some(own) => own.counts.recall(text, start, end),
            None => tables.seeded.get(text, start, end),
        }
    }

    #[cold]
    fn count_unknown(&mut self, tables: &Tables, text: &[u8], start: usize, end: usize) -> u32 {
        let count = self.count_parts(tables, text, start, end);
        if let Some(own) = &mut self.own {
            own.counts.insert(&text[start..end], count);
        }
        count
    }

    /// Counts pieces of which most are not known, and gives the count of each to `counted`, in any order.
    pub(super) fn count_each(
        &mut self,
        tables: &Tables,
        text: &[u8],
        pieces: &mut [(u16, Range<usize>)],
        mut counted: impl FnMut(u16, u32),
    ) {
        let mut small = 0;
        for at in 0..pieces.len() {
            let (name, Range { start, end }) = pieces[at].clone();
            if let Some(count) = self.recall(tables, text, start, end) {
                counted(name, count);
            } else if tables.is_merged_whole(text, start..end) {
                pieces[small] = pieces[at].clone();
                small += 1;
            } else {
                counted(name, self.count_unknown(tables, text, start, end));
            }
        }
        let small = pieces[..small].iter().map(|(name, piece)| (*name, &text[piece.clone()]));
        self.merger.count_small(&tables.vocabulary, small, |name, piece, count| {
            counted(name, count);
            if let Some(own) = &mut self.own {
                own.counts.insert(piece, count);
            }
        });
    }

    /// Cuts a piece where no token crosses and counts what lies between.
    fn count_parts(&mut self, tables: &Tables, text: &[u8], start: usize, end: usize) -> u32 {
        let (mut count, mut part) = (0, start);
        for split in tables.characters.splits(text, start..end) {
            count += self.count(tables, text, part, split);
            part = split;
        }
        if part > start {
            return count + self.count(tables, text, part, end);
        }
        self.merger.count(&tables.vocabulary, &text[start..end])
    }

    /// Where the `nth` token (from 1) of a piece ends.
    ///
    /// # Errors
    /// How many tokens the piece has, if those are fewer.
    pub(super) fn end_of_token(
        &mut self,
        tables: &Tables,
        text: &[u8],
        piece: Range<usize>,
        nth: usize,
    ) -> Result<usize, usize> {
        let (mut part, mut before) = (piece.start, 0);
        for end in tables.characters.splits(text, piece.clone()).chain([piece.end]) {
            let nth = nth - before;
            before += match self.counts(tables).get(text, part, end) {
                Some(count) if (count as usize) < nth => count as usize,
                _ => match self.merger.ends(&tables.vocabulary, &text[part..end]) {
                    ends if ends.len() < nth => ends.len(),
                    ends => return Ok(part + ends[nth - 1] as usize),
                },
            };
            part = end;
        }
        Err(before)
    }

    /// Bytes that went through a merge since this was made: the work that caches do not save.
    pub(super) fn merged_bytes(&self) -> u64 {
        self.merger.merged_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Encoding;

    #[test]
    fn without_memory_of_its_own_a_counter_counts_the_same_and_merges_more() {
        static BUDGETS: [Budget; 2] = [Budget::new(PieceCounts::BYTES), Budget::new(0)];
        let encoding = Encoding::builtin("cl100k_base").unwrap();
        let (tables, text) = (encoding.tables(), b" untokenisable");
        let [own, shared] = [0, 1].map(|number| {
            let mut counter = PieceCounter::new(tables, &BUDGETS[number]);
            let counts = [(); 3].map(|()| counter.count(tables, text, 0, text.len()));
            (counts, counter.merged_bytes())
        });
        assert_eq!(own.0, shared.0);
        assert_eq!(3 * own.1, shared.1);
    }
}
