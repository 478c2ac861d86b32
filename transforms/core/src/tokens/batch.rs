//! Counts a document's pieces many at a time, so that the look-ups of one batch wait for memory together.

use super::{
    blocks::Pieces,
    cache::MEDIUM_BYTES,
    counter::{PieceCounter, Tables},
    lanes::{Lanes, Portable, WIDTH},
    lookups::{LANES, LookUps, ROOM},
    scan::Scanner,
};

#[cfg(target_arch = "x86_64")]
use super::lanes::{Avx2, Avx512};

/// Pieces that are enough for their waits to overlap: fewer are slower, more are no faster.
const ENOUGH: usize = 384;
/// With those of one more block, and what is written past them.
const _: () = assert!(ENOUGH + WIDTH + LANES < ROOM);

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
    lookups: LookUps,
}

impl Batch {
    pub(super) fn new() -> Batch {
        Batch { borders: [0; ROOM], counts: [0; ROOM], filled: 0, is_partly_known: false, lookups: LookUps::new() }
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
        #[expect(unsafe_code, reason = "compiled for what every processor has, counting is a third slower")]
        if Avx512::is_here() {
            // SAFETY: the processor has been asked for all of them.
            return unsafe { self.scan_by_avx512(scanner) };
        } else if Avx2::is_here() {
            // SAFETY: as above.
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

    /// The same, compiled for processors from 2019 on: a mask by one comparison, eight words mixed at once, the places of
    /// a mask's bits without a table. A tenth to a seventh faster.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")]
    fn scan_by_avx512(mut self, scanner: Scanner) {
        self.scan_inline::<Avx512>(scanner);
    }

    #[inline(always)]
    fn scan_inline<L: Lanes>(&mut self, scanner: Scanner) {
        scanner.scan::<L>(self.text, &self.tables.characters, self);
        self.flush::<L>();
    }

    /// Counts what is waiting, and hands it over.
    #[inline(always)]
    fn flush<L: Lanes>(&mut self) {
        let Run { pieces, batch, tables, text, .. } = self;
        let Batch { borders, counts, filled, is_partly_known, lookups } = &mut **batch;
        let (cache, filled) = (pieces.counts(tables), *filled % ROOM);
        if *is_partly_known {
            lookups.count::<L, true>(cache, text, borders, counts, filled);
        } else {
            lookups.count::<L, false>(cache, text, borders, counts, filled);
        }
        let missed = lookups.uncounted::<L>(counts, filled);
        if !missed.is_empty() {
            count_misses(pieces, tables, text, missed, borders, counts);
        }
        self.hand_over(filled);
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
        self.flush::<Portable>();
        self.tokens += self.tables.vocabulary.least_tokens(end - start);
        self.batch.borders[0] = end as u32;
        (self.each)(&[end as u32], &[self.tokens]);
    }
}

/// Counts the pieces that were not found.
#[inline(never)]
fn count_misses(
    pieces: &mut PieceCounter,
    tables: &Tables,
    text: &[u8],
    missed: &[u16],
    borders: &[u32; ROOM],
    counts: &mut [u32; ROOM],
) {
    let range = |piece: usize| borders[piece % ROOM] as usize..borders[(piece + 1) % ROOM] as usize;
    for piece in missed.iter().map(|&piece| range(piece.into())).filter(|piece| piece.len() > MEDIUM_BYTES) {
        pieces.counts(tables).long.prefetch(&text[piece]);
    }
    let mut missed: Vec<_> = missed.iter().map(|&miss| (miss, range(miss.into()))).collect();
    pieces.count_each(tables, text, &mut missed, |miss, count| counts[usize::from(miss) % ROOM] = count);
}

impl Pieces for Run<'_> {
    #[inline(always)]
    fn make_room<L: Lanes>(&mut self) {
        if self.batch.filled >= ENOUGH {
            self.flush::<L>();
        }
    }

    #[inline(always)]
    fn push_block<L: Lanes>(&mut self, block: usize, ends: u64) {
        let Batch { borders, counts, filled, is_partly_known, .. } = &mut *self.batch;
        if *is_partly_known {
            counts[*filled..][..64].fill(0);
        }
        if let Some(places) = borders.get_mut(*filled + 1..).and_then(|rest| rest.first_chunk_mut()) {
            L::write_places(ends, block as u32, places);
        }
        *filled += ends.count_ones() as usize;
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
    }

    #[inline(always)]
    fn push(&mut self, start: usize, end: usize) {
        if end - start < self.too_long { self.push_block::<Portable>(end, 1) } else { self.push_uncounted(start, end) }
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
