//! Looks many pieces up in the caches at once.
//!
//! The caches are larger than the processor's own, and text is hard to foresee: what costs most of the time of a look-up
//! are waits for memory, and branches that were guessed wrong. So all pieces go through one step after the other, in
//! short loops that LLVM makes several pieces at a time of and that have no branch that depends on the text. As one loop
//! with fewer instructions to each piece, they took a third longer.

use super::{
    cache::{MediumKey, PieceCounts, SHORT_BYTES, ShortKey, ShortSet, bytes_at, words_at},
    lanes::{Lanes, SET_BITS},
};

/// Pieces that can be looked up at once.
pub(super) const ROOM: usize = 512;
/// Pieces that are gone through at once.
pub(super) const LANES: usize = 8;

/// Scratch for the pieces of one batch.
#[derive(Debug)]
pub(super) struct LookUps {
    /// Bytes of each piece; 0 if its count is known.
    lengths: [u32; ROOM],
    short: ShortLookUps,
    medium: MediumLookUps,
    /// The numbers of some of the pieces.
    listed: [u16; ROOM],
}

/// Of each piece.
#[derive(Debug)]
struct ShortLookUps {
    words: [u64; ROOM],
    keys: [ShortKey; ROOM],
    slots: [u16; ROOM],
    sets: [ShortSet; ROOM],
}

/// Of each piece that is longer. First words and keys both by halves, or LLVM would not make four of them at once.
#[derive(Debug)]
struct MediumLookUps {
    halves: [[u64; ROOM]; 2],
    lengths: [u32; ROOM],
    slots: [u16; ROOM],
}

impl LookUps {
    pub(super) fn new() -> LookUps {
        LookUps {
            lengths: [0; ROOM],
            short: ShortLookUps {
                words: [0; ROOM],
                keys: [ShortKey::NONE; ROOM],
                slots: [0; ROOM],
                sets: [ShortSet::EMPTY; ROOM],
            },
            medium: MediumLookUps { halves: [[0; ROOM]; 2], lengths: [0; ROOM], slots: [0; ROOM] },
            listed: [0; ROOM],
        }
    }

    /// Fills in the counts of so many `pieces` of `text`, which lie between `borders`; 0 for those that the caches of short
    /// and medium pieces do not have. Where some are `KNOWN` they stay as they are, unless they are 0.
    #[inline(always)]
    pub(super) fn count<L: Lanes, const KNOWN: bool>(
        &mut self,
        cache: &PieceCounts,
        text: &[u8],
        borders: &mut [u32; ROOM],
        counts: &mut [u32; ROOM],
        pieces: usize,
    ) {
        // Empty pieces up to a multiple of what is gone through at once: a rest would be a loop of its own, with an end to
        // guess.
        let end = borders[pieces];
        borders[pieces..][..LANES].fill(end);
        let (borders, pieces) = (&*borders, pieces.next_multiple_of(LANES) % ROOM);
        self.lengths_of::<KNOWN>(borders, counts, pieces);
        self.short.prepare(cache, text, borders, pieces);
        let is_longer = |lengths: &[u32; LANES]| L::at_least(lengths, SHORT_BYTES as u32 + 1);
        let longer = list(&self.lengths[..pieces], is_longer, &mut self.listed) % ROOM;
        let longer = &self.listed[..longer];
        self.medium.prepare(cache, text, borders, &self.lengths, longer);
        self.short.count::<KNOWN>(&mut counts[..pieces]);
        self.medium.count(cache, longer, counts);
    }

    /// The numbers of those of the first `pieces` that have no count. Those after them are given one.
    #[inline(always)]
    pub(super) fn uncounted<L: Lanes>(&mut self, counts: &mut [u32; ROOM], pieces: usize) -> &[u16] {
        counts[pieces..][..LANES].fill(1);
        let counts = &counts[..pieces.next_multiple_of(LANES)];
        let found = list(counts, |counts| !L::at_least(counts, 1), &mut self.listed);
        &self.listed[..found % ROOM]
    }

    #[inline(always)]
    fn lengths_of<const KNOWN: bool>(&mut self, borders: &[u32; ROOM], counts: &[u32; ROOM], pieces: usize) {
        for i in 0..pieces {
            let length = borders[i + 1].wrapping_sub(borders[i]);
            self.lengths[i] = if KNOWN && counts[i] > 0 { 0 } else { length };
        }
    }
}

impl ShortLookUps {
    /// Makes all keys, and fetches the sets that they belong to: the waits overlap without asking ahead, too.
    #[inline(always)]
    fn prepare(&mut self, cache: &PieceCounts, text: &[u8], borders: &[u32; ROOM], pieces: usize) {
        let ShortLookUps { words, keys, slots, sets } = self;
        read_words(text, &borders[..pieces], words);
        for i in 0..pieces {
            keys[i] = ShortKey::of_word(words[i], borders[i + 1].wrapping_sub(borders[i]));
            slots[i] = keys[i].slot();
        }
        for (set, &slot) in sets[..pieces].iter_mut().zip(&*slots) {
            *set = cache.short.set(slot);
        }
    }

    #[inline(always)]
    fn count<const KNOWN: bool>(&self, counts: &mut [u32]) {
        let ShortLookUps { keys, sets, .. } = self;
        for (i, count) in counts.iter_mut().enumerate() {
            let known = if KNOWN { *count } else { 0 };
            *count = known | sets[i].count(keys[i]);
        }
    }
}

impl MediumLookUps {
    /// The same for the pieces of these numbers.
    #[inline(always)]
    fn prepare(
        &mut self,
        cache: &PieceCounts,
        text: &[u8],
        borders: &[u32; ROOM],
        all_lengths: &[u32; ROOM],
        pieces: &[u16],
    ) {
        let MediumLookUps { halves: [lows, highs], lengths, slots } = self;
        for (i, &piece) in pieces.iter().enumerate() {
            let piece = usize::from(piece) % ROOM;
            [lows[i], highs[i]] = words_at(text, borders[piece] as usize);
            lengths[i] = all_lengths[piece];
        }
        for i in 0..pieces.len() {
            let key = MediumKey::of_words([lows[i], highs[i]], lengths[i]);
            ([lows[i], highs[i]], slots[i]) = (key.0, key.slot());
        }
        for &slot in &slots[..pieces.len()] {
            cache.medium.prefetch(slot);
        }
    }

    #[inline(always)]
    fn count(&mut self, cache: &PieceCounts, pieces: &[u16], counts: &mut [u32; ROOM]) {
        let MediumLookUps { halves: [lows, highs], slots, .. } = self;
        for (i, &piece) in pieces.iter().enumerate() {
            counts[usize::from(piece) % ROOM] = cache.medium.get_at(slots[i], MediumKey([lows[i], highs[i]]));
        }
    }
}

/// Reads the eight bytes of `text` that begin at each of `starts`, which rise; zeros after its end.
#[inline(always)]
#[expect(unsafe_code, reason = "with two checks to each word, counting takes 2 % longer")]
fn read_words(text: &[u8], starts: &[u32], words: &mut [u64; ROOM]) {
    let last = text.len().checked_sub(8);
    let inside = last.map_or(0, |last| starts.partition_point(|&start| start as usize <= last));
    let (inside, rest) = starts.split_at(inside);
    for (word, &start) in words.iter_mut().zip(inside) {
        let start = (start as usize).min(last.unwrap_or(0));
        // SAFETY: if anything is `inside` there are eight bytes from `last` on, and so from here.
        *word = u64::from_le_bytes(unsafe { *text.as_ptr().add(start).cast::<[u8; 8]>() });
    }
    for (word, &start) in words[inside.len()..].iter_mut().zip(rest) {
        *word = u64::from_le_bytes(bytes_at(text, start as usize));
    }
}

/// Lists the numbers of those `values` for which `wanted` has a bit, and returns how many they are.
#[inline(always)]
fn list(values: &[u32], wanted: impl Fn(&[u32; LANES]) -> u8, listed: &mut [u16; ROOM]) -> usize {
    let (mut found, mut first) = (0, 0);
    for lanes in values.as_chunks().0 {
        let bits = wanted(lanes);
        let Some(numbers) = listed.get_mut(found..).and_then(|rest| rest.first_chunk_mut()) else { break };
        *numbers = SET_BITS[usize::from(bits)].map(|bit| first + bit);
        found += bits.count_ones() as usize;
        first += LANES as u16;
    }
    found
}
