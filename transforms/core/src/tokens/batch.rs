//! Counts a document's pieces many at a time, so that the look-ups of one batch wait for memory together.
//!
//! The cache of counts is larger than the processor's own, and a look-up that has to wait costs more than all other
//! work on a pretoken. So a batch goes through in three loops: make all keys and ask for their cache lines; look all
//! up, without a branch that could be guessed wrong; count what was not there.

use super::{
    cache::{Key, SHORT_BYTES},
    counter::{PieceCounter, Tables},
};

/// Pieces in a batch: enough for their waits to overlap.
const PIECES: usize = 256;

/// Scratch for one batch of consecutive pieces.
#[derive(Debug)]
pub(super) struct Batch {
    /// Where the first piece begins.
    start: usize,
    ends: [u32; PIECES],
    /// Numbers of the pieces that end inside a pretoken, at a place that no token crosses.
    inner: Vec<usize>,
    keys: [Key; PIECES],
    /// The set of the cache that each key belongs to.
    sets: [u32; PIECES],
    counts: [u32; PIECES],
    misses: [u16; PIECES],
    filled: usize,
}

impl Batch {
    pub(super) fn new() -> Batch {
        Batch {
            start: 0,
            ends: [0; PIECES],
            inner: Vec::new(),
            keys: [Key::NONE; PIECES],
            sets: [0; PIECES],
            counts: [0; PIECES],
            misses: [0; PIECES],
            filled: 0,
        }
    }
}

/// One document on its way through batches: `each` gets the ends of pretokens, and the tokens up to each of them.
pub(super) struct Run<'a, F: FnMut(&[u32], &[u32])> {
    pieces: &'a mut PieceCounter,
    batch: &'a mut Batch,
    tables: &'a Tables,
    text: &'a [u8],
    tokens: u32,
    each: F,
}

impl<'a, F: FnMut(&[u32], &[u32])> Run<'a, F> {
    pub(super) fn new(
        pieces: &'a mut PieceCounter,
        batch: &'a mut Batch,
        tables: &'a Tables,
        text: &'a [u8],
        each: F,
    ) -> Run<'a, F> {
        batch.start = 0;
        batch.filled = 0;
        batch.inner.clear();
        Run { pieces, batch, tables, text, tokens: 0, each }
    }

    /// Adds the pretoken `text[start..end]`, which begins where the last one ended.
    #[inline(always)]
    pub(super) fn push(&mut self, start: usize, end: usize) {
        if end - start > SHORT_BYTES {
            self.push_parts(start, end);
        }
        self.push_piece(end);
    }

    /// Adds a pretoken that is not to be counted, only said to have `tokens` tokens.
    pub(super) fn push_counted(&mut self, end: usize, tokens: u32) {
        self.flush();
        self.batch.start = end;
        self.tokens += tokens;
        (self.each)(&[end as u32], &[self.tokens]);
    }

    /// Adds all but the last of the parts into which a long pretoken falls where no token crosses.
    fn push_parts(&mut self, start: usize, end: usize) {
        let (tables, text) = (self.tables, self.text);
        tables.splits.each(text, start..end, |split| {
            self.batch.inner.push(self.batch.filled);
            self.push_piece(split);
        });
    }

    #[inline(always)]
    fn push_piece(&mut self, end: usize) {
        self.batch.ends[self.batch.filled % PIECES] = end as u32;
        self.batch.filled += 1;
        if self.batch.filled == PIECES {
            self.flush();
        }
    }

    /// Counts what is waiting.
    pub(super) fn flush(&mut self) {
        let filled = self.batch.filled.min(PIECES);
        self.make_keys(filled);
        let misses = self.look_up(filled);
        self.count_misses(misses);
        self.hand_over(filled);
    }

    /// Sums the counts up, and gives them and their places to `each`.
    fn hand_over(&mut self, filled: usize) {
        let Batch { start, ends, inner, counts, .. } = &mut *self.batch;
        let (ends, counts) = (&mut ends[..filled], &mut counts[..filled]);
        for count in counts.iter_mut() {
            self.tokens += *count;
            *count = self.tokens;
        }
        *start = ends.last().map_or(*start, |&end| end as usize);
        let pretokens = leave_out(inner, ends, counts);
        (self.each)(&ends[..pretokens], &counts[..pretokens]);
        inner.clear();
        self.batch.filled = 0;
    }

    fn make_keys(&mut self, filled: usize) {
        let Batch { start, ends, keys, sets, .. } = &mut *self.batch;
        let (ends, keys, sets) = (&ends[..filled], &mut keys[..filled], &mut sets[..filled]);
        let mut start = *start;
        for piece in 0..filled {
            let end = ends[piece] as usize;
            let key = if end - start <= SHORT_BYTES { Key::new(self.text, start, end) } else { Key::NONE };
            let set = key.set();
            self.pieces.short.prefetch(set);
            (keys[piece], sets[piece], start) = (key, set as u32, end);
        }
    }

    /// Fills `counts`, 0 for what is not in the cache, and `misses` with the numbers of those; returns how many.
    fn look_up(&mut self, filled: usize) -> usize {
        let Batch { keys, sets, counts, misses, .. } = &mut *self.batch;
        let (keys, sets, counts) = (&keys[..filled], &sets[..filled], &mut counts[..filled]);
        let mut missed = 0;
        for piece in 0..filled {
            let count = self.pieces.short.get(keys[piece], sets[piece] as usize);
            counts[piece] = count;
            misses[missed % PIECES] = piece as u16;
            missed += usize::from(count == 0);
        }
        missed
    }

    fn count_misses(&mut self, missed: usize) {
        for miss in 0..missed {
            let number = usize::from(self.batch.misses[miss]);
            let start = match number.checked_sub(1) {
                Some(previous) => self.batch.ends[previous] as usize,
                None => self.batch.start,
            };
            let end = self.batch.ends[number] as usize;
            self.batch.counts[number] = self.pieces.count_part(self.tables, self.text, start, end);
        }
    }
}

/// Closes the gaps that leaving out the elements numbered `inner` makes in both slices; returns how many remain.
fn leave_out(inner: &[usize], ends: &mut [u32], counts: &mut [u32]) -> usize {
    let Some(&first) = inner.first() else {
        return ends.len();
    };
    let (mut kept, mut left) = (first, inner.iter().copied().peekable());
    for piece in first..ends.len() {
        if left.next_if_eq(&piece).is_none() {
            (ends[kept], counts[kept]) = (ends[piece], counts[piece]);
            kept += 1;
        }
    }
    kept
}
