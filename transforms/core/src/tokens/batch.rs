//! Counts a document's pieces many at a time, so that the look-ups of one batch wait for memory together.
//!
//! The cache of counts is larger than the processor's own, and a look-up that has to wait costs more than all other
//! work on a pretoken. So a batch goes through in loops without a branch that could be guessed wrong: make all keys
//! and ask for their cache lines; look all up; and then, for those that were not there, the same with long pieces.

use super::{
    blocks::Pieces,
    cache::{MEDIUM_BYTES, MediumKey, PieceCounts, SHORT_BYTES, ShortKey},
    counter::{PieceCounter, Tables},
    lanes::{Lanes, Portable, WIDTH},
    scan::Scanner,
};
use std::ops::Range;
use wide::u32x8;

#[cfg(target_arch = "x86_64")]
use super::lanes::Avx2;

/// Pieces that are enough for their waits to overlap.
const ENOUGH: usize = 256;
/// Room for as many and those of one more block.
const ROOM: usize = 512;
/// Pieces that are looked at at once for whether they are known.
const LISTED: usize = 8;
const _: () = assert!(ENOUGH + WIDTH + LISTED < ROOM);

/// Scratch for one batch of consecutive pieces.
#[derive(Debug)]
pub(super) struct Batch {
    /// Where each piece begins, and the end of the last.
    borders: [u32; ROOM],
    /// Tokens of each piece, then up to the end of each.
    counts: [u32; ROOM],
    /// Pieces there are.
    filled: usize,
    /// Whether `counts` holds what is known without a look-up, and 0 for other pieces; else it holds nothing yet.
    is_partly_known: bool,
    /// Numbers of pieces that are not known.
    unknown: [u16; ROOM],
    short_keys: [ShortKey; ROOM],
    medium_keys: [MediumKey; ROOM],
}

impl Batch {
    pub(super) fn new() -> Batch {
        Batch {
            borders: [0; ROOM],
            counts: [0; ROOM],
            filled: 0,
            is_partly_known: false,
            unknown: [0; ROOM],
            short_keys: [ShortKey::NONE; ROOM],
            medium_keys: [MediumKey::NONE; ROOM],
        }
    }

    /// Lists the numbers of the pieces of more than `bytes` bytes whose count is 0, if any are `KNOWN`. Returns how many.
    #[inline(always)]
    fn list_unknown<const KNOWN: bool>(&mut self, bytes: u32) -> usize {
        let mut listed = 0;
        for first in (0..self.filled).step_by(LISTED) {
            let Some([counts, starts, ends]) = self.lanes(first) else { break };
            let is_longer = (ends - starts).simd_gt(u32x8::splat(bytes));
            let found = if KNOWN { is_longer & counts.simd_eq(u32x8::splat(0)) } else { is_longer };
            let mut found = found.to_bitmask() & u32::MAX >> (32 - (self.filled - first).min(LISTED));
            while found != 0 {
                self.unknown[listed % ROOM] = first as u16 + found.trailing_zeros() as u16;
                listed += 1;
                found &= found - 1;
            }
        }
        listed
    }

    /// Counts, starts and ends of pieces from the `first` on.
    #[inline(always)]
    fn lanes(&self, first: usize) -> Option<[u32x8; 3]> {
        let (counts, starts) = (self.counts.get(first..)?, self.borders.get(first..)?);
        let ends = starts.get(1..)?;
        Some([u32x8::new(*counts.first_chunk()?), u32x8::new(*starts.first_chunk()?), u32x8::new(*ends.first_chunk()?)])
    }

    #[inline(always)]
    fn range(&self, piece: usize) -> Range<usize> {
        self.borders[piece % ROOM] as usize..self.borders[(piece + 1) % ROOM] as usize
    }
}

/// One document on its way through batches.
pub(super) struct Run<'a> {
    pieces: &'a mut PieceCounter,
    batch: &'a mut Batch,
    tables: &'a Tables,
    text: &'a [u8],
    /// Tokens before the batch.
    tokens: u32,
    /// From this length on, in bytes, a pretoken need not be counted.
    too_long: usize,
    /// Gets the ends of pieces, and the tokens up to each of them.
    each: &'a mut dyn FnMut(&[u32], &[u32]),
}

impl<'a> Run<'a> {
    pub(super) fn new(
        pieces: &'a mut PieceCounter,
        batch: &'a mut Batch,
        tables: &'a Tables,
        text: &'a [u8],
        too_long: usize,
        each: &'a mut dyn FnMut(&[u32], &[u32]),
    ) -> Run<'a> {
        batch.borders[0] = 0;
        Run { pieces, batch, tables, text, tokens: 0, too_long, each }
    }

    /// Goes through the whole text.
    pub(super) fn scan(mut self, scanner: Scanner) {
        #[cfg(target_arch = "x86_64")]
        if Avx2::is_here() {
            #[expect(unsafe_code, reason = "compiled for what every processor has, counting is a third slower")]
            // SAFETY: the processor has been asked for all of them.
            return unsafe { self.scan_by_avx2(scanner) };
        }
        self.scan_inline::<Portable>(scanner);
    }

    /// The same, compiled for processors from 2013 on: instructions of three operands, four entries of the cache
    /// compared at once, bits counted and found by one instruction.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn scan_by_avx2(mut self, scanner: Scanner) {
        self.scan_inline::<Avx2>(scanner);
    }

    #[inline(always)]
    fn scan_inline<L: Lanes>(&mut self, scanner: Scanner) {
        scanner.scan::<L>(self.text, &self.tables.characters, self);
        self.flush();
    }

    /// Counts what is waiting, and hands it over.
    #[inline(always)]
    fn flush(&mut self) {
        let filled = self.batch.filled % ROOM;
        if self.batch.is_partly_known {
            self.look_up::<true>(filled)
        } else {
            self.look_up::<false>(filled)
        }
        let missed = self.batch.list_unknown::<true>(0);
        if missed > 0 {
            self.count_misses(missed);
        }
        self.hand_over(filled);
    }

    /// Looks all pieces up in the caches of short and medium ones, but leaves counts as they are where some are
    /// `KNOWN` and not 0.
    #[inline(always)]
    fn look_up<const KNOWN: bool>(&mut self, filled: usize) {
        let Run { pieces, batch, tables, text, .. } = self;
        let PieceCounts { short, medium, .. } = pieces.counts(tables);
        let (batch, text): (&mut Batch, &[u8]) = (batch, text);
        for i in 0..filled {
            let [start, end] = [batch.borders[i], batch.borders[i + 1]];
            let key = ShortKey::new(text, start as usize, end.wrapping_sub(start));
            short.prefetch(key);
            batch.short_keys[i] = key;
        }
        let longer = batch.list_unknown::<KNOWN>(SHORT_BYTES as u32) % ROOM;
        for i in 0..longer {
            let key = MediumKey::new(text, batch.range(usize::from(batch.unknown[i])));
            medium.prefetch(key);
            batch.medium_keys[i] = key;
        }
        short.get_all::<KNOWN>(&mut batch.short_keys[..filled], &mut batch.counts[..filled]);
        for i in 0..longer {
            batch.counts[usize::from(batch.unknown[i]) % ROOM] = medium.get(batch.medium_keys[i]);
        }
    }

    #[inline(never)]
    fn count_misses(&mut self, missed: usize) {
        let Run { pieces, batch, text, tables, .. } = self;
        for &miss in &batch.unknown[..missed] {
            let piece = batch.range(usize::from(miss));
            if piece.len() > MEDIUM_BYTES {
                pieces.counts(tables).long.prefetch(&text[piece]);
            }
        }
        for i in 0..missed {
            let miss = usize::from(batch.unknown[i]);
            let piece = batch.range(miss);
            batch.counts[miss] = pieces.count(tables, text, piece.start, piece.end);
        }
    }

    /// Sums the counts up and empties the batch.
    #[inline(always)]
    fn hand_over(&mut self, filled: usize) {
        let Batch { borders, counts, filled: waiting, is_partly_known, .. } = &mut *self.batch;
        for count in &mut counts[..filled] {
            self.tokens += *count;
            *count = self.tokens;
        }
        (self.each)(&borders[1..=filled], &counts[..filled]);
        borders[0] = borders[filled];
        (*waiting, *is_partly_known) = (0, false);
    }

    /// Hands a pretoken over without counting it, with the least number of tokens that it can have.
    #[cold]
    fn push_uncounted(&mut self, start: usize, end: usize) {
        self.flush();
        self.tokens += self.tables.vocabulary.least_tokens(end - start);
        self.batch.borders[0] = end as u32;
        (self.each)(&[end as u32], &[self.tokens]);
    }
}

impl Pieces for Run<'_> {
    #[inline(always)]
    fn push_block(&mut self, block: usize, mut ends: u64) {
        let Batch { borders, counts, filled, is_partly_known, .. } = &mut *self.batch;
        if *is_partly_known {
            counts[*filled..][..64].fill(0);
        }
        let room = borders[*filled + 1..].chunks_exact_mut(8);
        *filled += ends.count_ones() as usize;
        // Eight at a time, of which some may be none, are fewer instructions than one at a time.
        for eight in room {
            for border in eight {
                *border = block as u32 + ends.trailing_zeros();
                ends &= ends.wrapping_sub(1);
            }
            if ends == 0 {
                break;
            }
        }
        if *filled >= ENOUGH {
            self.flush();
        }
    }

    #[inline(always)]
    fn push_partly_known(&mut self, block: usize, mut ends: u64, known: u64, [ones, twos]: [u64; 2]) {
        let Batch { borders, counts, filled, is_partly_known, .. } = &mut *self.batch;
        if !*is_partly_known {
            counts[..*filled].fill(0);
            *is_partly_known = true;
        }
        let mut start = 1;
        while ends != 0 {
            let end = ends & ends.wrapping_neg();
            let inside = end - start;
            let count = (ones & inside).count_ones() + 2 * (twos & inside).count_ones();
            counts[*filled % ROOM] = if known & start == 0 { 0 } else { count };
            *filled += 1;
            borders[*filled % ROOM] = block as u32 + end.trailing_zeros();
            (start, ends) = (end, ends ^ end);
        }
        if *filled >= ENOUGH {
            self.flush();
        }
    }

    #[inline(always)]
    fn push(&mut self, start: usize, end: usize) {
        if end - start < self.too_long { self.push_block(end, 1) } else { self.push_uncounted(start, end) }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Encoding, Workspace,
        tokens::{merge::Merger, pretokens::Pretokenizer},
    };
    use proptest::prelude::*;

    /// What is counted in different ways: by short, medium and long entries, as known before, in parts, by merging.
    const ATOMS: [&str; 34] = [
        " the",
        " of",
        "a",
        "é",
        "É",
        "×",
        " administration",
        " untokenisable",
        "supercalifragilisticexpialidocious",
        "中",
        "国",
        "的",
        "文",
        "斀",
        "か",
        "です",
        "한국",
        "“",
        "”",
        "’",
        "—",
        "…",
        "。",
        "、",
        "！",
        "Ж",
        "слово",
        " अनुवाद",
        "😀",
        "12345",
        "\n",
        "  ",
        "\0",
        "----------------",
    ];

    fn one_by_one(encoding: &Encoding, text: &str) -> usize {
        let Pretokenizer::Scanner(scanner) = encoding.pretokenizer() else { panic!("a built-in encoding") };
        let (bytes, vocabulary) = (text.as_bytes(), &encoding.tables().vocabulary);
        let (mut merger, mut at, mut count) = (Merger::default(), 0, 0);
        while at < bytes.len() {
            let end = scanner.pretoken_end(bytes, at);
            count += merger.count(vocabulary, &bytes[at..end]) as usize;
            at = end;
        }
        count
    }

    proptest! {
        #[test]
        fn counts_are_those_of_merging_each_pretoken(atoms in prop::collection::vec(prop::sample::select(&ATOMS[..]), 0..200)) {
            let text = atoms.concat();
            for name in ["cl100k_base", "o200k_base", "p50k_base", "r50k_base"] {
                let encoding = Encoding::builtin(name).unwrap();
                let counted = encoding.count(&text, &mut Workspace::new(&encoding)).unwrap();
                prop_assert_eq!(counted, one_by_one(&encoding, &text), "{}", name);
            }
        }
    }
}
