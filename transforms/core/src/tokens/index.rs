//! One pass over a document, after which the token count of any slice of it is a subtraction and two small scans.
//!
//! Counts are not additive: the tokens of a slice are those of the slice taken as a text of its own. But no pattern of
//! OpenAI's looks behind, so that scanning a slice from its start meets a pretoken border of the document soon (mostly
//! at once), and from there on the two scans agree up to the last border before the slice's end. Between those two
//! borders, the document's prefix counts give the count.
//!
//! What makes the last step true: the slice ends in a character that is no white space. (Then only the pretoken that
//! the end cuts in two can differ.) `DESIGN.md` has the argument and its counterexamples.

use super::{
    batch::{Batch, Run},
    characters::Characters,
    counter::{PieceCounter, Tables},
    pretokens::Pretokenizer,
    scan::Scanner,
};
use crate::error::Error;
use std::{
    cell::Cell,
    ops::{ControlFlow, Range},
};

/// What an index is made with and asked with: an encoding's tables and a worker's caches.
#[derive(Debug)]
pub(super) struct Context<'a> {
    pub(super) pretokenizer: &'a Pretokenizer,
    pub(super) tables: &'a Tables,
    pub(super) pieces: &'a mut PieceCounter,
    pub(super) batch: &'a mut Batch,
}

impl Context<'_> {
    /// Calls `each` with the ends of the pretokens of `text` and the tokens up to each, some at a time.
    ///
    /// A pretoken of `too_long` bytes or more may be left uncounted and given the least number of tokens it can have.
    pub(super) fn scan(
        &mut self,
        text: &str,
        too_long: usize,
        each: &mut dyn FnMut(&[u32], &[u32]),
    ) -> Result<(), Error> {
        let Context { pretokenizer, tables, pieces, batch } = self;
        let bytes = text.as_bytes();
        let Pretokenizer::Scanner(scanner) = pretokenizer else {
            let mut tokens = 0;
            return pretokenizer.visit(text, 0, text.len(), |start, end| {
                let is_short = end - start < too_long;
                let least = tables.vocabulary.least_tokens(end - start);
                tokens += if is_short { pieces.count(tables, bytes, start, end) } else { least };
                each(&[end as u32], &[tokens]);
                ControlFlow::Continue(())
            });
        };
        Run::new(pieces, batch, tables, bytes, too_long, each).scan(*scanner);
        Ok(())
    }
}

/// Pretoken borders and prefix counts of one document; kept and filled anew for each.
#[derive(Debug, Default)]
pub(super) struct DocumentIndex {
    /// End of every pretoken, in bytes.
    ends: Vec<u32>,
    /// Tokens up to the end of every pretoken.
    counts: Vec<u32>,
    /// Places that were asked for, and how many pretokens end up to each: packing asks for the same few again and again.
    places: [Cell<(usize, usize)>; PLACES],
}

const PLACES: usize = 32;
/// From this length on it does not pay to scan from inside a piece of the document.
const LONG_PIECE_BYTES: usize = 256;

/// A part of a slice.
enum Part {
    /// A piece that is to be counted by itself.
    Piece(usize, usize),
    /// Whole pretokens of the document, by their numbers.
    Indexed(Range<usize>),
}

impl DocumentIndex {
    /// Indexes `text`, of which slices of up to `most_tokens` tokens will be asked for.
    ///
    /// A pretoken too long to fit any such slice is not counted, but given a number of tokens that is above
    /// `most_tokens` and not above the truth.
    pub(super) fn fill(&mut self, context: &mut Context<'_>, text: &str, most_tokens: usize) -> Result<(), Error> {
        self.ends.clear();
        self.counts.clear();
        self.places = Default::default();
        let longest = context.tables.vocabulary.longest_bytes();
        let too_long = longest.saturating_mul(most_tokens) + 1;
        let (ends, counts) = (&mut self.ends, &mut self.counts);
        context.scan(text, too_long, &mut |new_ends, new_counts| {
            ends.extend_from_slice(new_ends);
            counts.extend_from_slice(new_counts);
        })
    }

    /// The tokens before the last pretoken border at or before `at`: never falls as `at` rises.
    pub(super) fn tokens_before(&self, at: usize) -> usize {
        self.count_of_first(self.pretokens_up_to(at))
    }

    /// The token count of `text[start..end]`, which ends in a character that is no white space, if it is at most `limit`.
    pub(super) fn count(
        &self,
        context: &mut Context<'_>,
        text: &str,
        slice: Range<usize>,
        limit: usize,
    ) -> Result<Option<usize>, Error> {
        let is_scanned = matches!(context.pretokenizer, Pretokenizer::Scanner(_));
        if is_scanned && slice.len() > limit.saturating_mul(context.tables.vocabulary.longest_bytes()) {
            return Ok(None);
        }
        let mut count = 0;
        self.visit(context, text, slice, |context, part| {
            count += self.tokens_of(context, text, &part);
            if count > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok((count <= limit).then_some(count))
    }

    /// The end of the `nth` token (from 1) of `text[slice]`, if there are more.
    pub(super) fn end_of_token(
        &self,
        context: &mut Context<'_>,
        text: &str,
        slice: Range<usize>,
        nth: usize,
    ) -> Result<Option<usize>, Error> {
        let (mut left, mut found, mut has_more) = (nth, slice.start, false);
        self.visit(context, text, slice, |context, part| {
            if left == 0 {
                has_more = true;
                return ControlFlow::Break(());
            }
            let part_end = self.end_of_part(&part);
            if let Some(piece) = self.locate(part, &mut left) {
                match context.pieces.end_of_token(context.tables, text.as_bytes(), piece, left) {
                    Ok(end) => (found, has_more, left) = (end, end < part_end, 0),
                    Err(tokens) => left -= tokens,
                }
            }
            if has_more { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(has_more.then_some(found))
    }

    /// The piece of `part` in which its token `left` (from 1) is looked for, and in `left` which of the piece's own that
    /// would be; none if the part has fewer, which are then taken off.
    fn locate(&self, part: Part, left: &mut usize) -> Option<Range<usize>> {
        let pretokens = match part {
            Part::Piece(start, end) => return Some(start..end),
            Part::Indexed(pretokens) => pretokens,
        };
        let before = self.count_of_first(pretokens.start);
        let wanted = before + *left;
        let number = self.counts[..pretokens.end].partition_point(|&count| (count as usize) < wanted);
        *left = wanted - self.count_of_first(number);
        (number < pretokens.end).then(|| self.end_of_first(number)..self.end_of_first(number + 1))
    }

    fn end_of_part(&self, part: &Part) -> usize {
        match part {
            &Part::Piece(_, end) => end,
            Part::Indexed(pretokens) => self.end_of_first(pretokens.end),
        }
    }

    fn tokens_of(&self, context: &mut Context<'_>, text: &str, part: &Part) -> usize {
        match part {
            &Part::Piece(start, end) => context.pieces.count(context.tables, text.as_bytes(), start, end) as usize,
            Part::Indexed(pretokens) => self.count_of_first(pretokens.end) - self.count_of_first(pretokens.start),
        }
    }

    /// Calls `visit` with the parts of `text[slice]` in order, until it breaks.
    fn visit(
        &self,
        context: &mut Context<'_>,
        text: &str,
        slice: Range<usize>,
        mut visit: impl FnMut(&mut Context<'_>, Part) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let pretokenizer = context.pretokenizer;
        let Pretokenizer::Scanner(scanner) = pretokenizer else {
            return pretokenizer.visit(text, slice.start, slice.end, |from, to| visit(context, Part::Piece(from, to)));
        };
        // At the front: pieces of the slice's own until one ends where a pretoken of the document ends.
        let characters = &context.tables.characters;
        let front =
            self.walk_front(*scanner, characters, text, &slice, |from, to| visit(context, Part::Piece(from, to)));
        let Some(border) = front.filter(|&border| border < slice.end) else {
            return Ok(());
        };
        let first = self.pretokens_up_to(border);
        // In the middle: whole pretokens of the document.
        let last = self.pretokens_up_to(slice.end);
        if last > first && visit(context, Part::Indexed(first..last)).is_break() {
            return Ok(());
        }
        // At the back: what the slice's end leaves of the next pretoken.
        pretokenizer.visit(text, self.end_of_first(last), slice.end, |from, to| visit(context, Part::Piece(from, to)))
    }

    /// Where `text[slice]`, scanned from its start, first meets a border of the document. From there on its count is at
    /// least what [`DocumentIndex::tokens_before`] says. None if it begins inside a very long pretoken.
    pub(super) fn first_shared_border(
        &self,
        scanner: Scanner,
        characters: &Characters,
        text: &str,
        slice: Range<usize>,
    ) -> Option<usize> {
        let before = self.pretokens_up_to(slice.start);
        let around = self.end_of_first(before)..self.end_of_first((before + 1).min(self.ends.len()));
        if around.len() > LONG_PIECE_BYTES {
            return None;
        }
        self.walk_front(scanner, characters, text, &slice, |_, _| ControlFlow::Continue(()))
    }

    /// Calls `each` with start and end of the pieces of `text[slice]` of its own up to the first border that it shares
    /// with the document. Returns that border, or the slice's end if there is none; nothing if `each` breaks.
    fn walk_front(
        &self,
        scanner: Scanner,
        characters: &Characters,
        text: &str,
        slice: &Range<usize>,
        mut each: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Option<usize> {
        let bytes = &text.as_bytes()[..slice.end];
        let (mut at, mut first) = (slice.start, self.pretokens_up_to(slice.start));
        while self.end_of_first(first) != at && at < slice.end {
            let end = self.own_end(scanner, characters, bytes, at, first);
            if each(at, end).is_break() {
                return None;
            }
            at = end;
            first = self.pretokens_up_to(at);
        }
        Some(at)
    }

    /// Where the first piece of a slice of its own that begins at `at` ends: where its pretoken does; or at the next
    /// border of the document, the one after the `first`, if all up to it are letters without case and no token crosses
    /// it. Clauses of Chinese are one pretoken each, but fall apart alike wherever one begins to read.
    fn own_end(&self, scanner: Scanner, characters: &Characters, text: &[u8], at: usize, first: usize) -> usize {
        let border = self.ends.get(first).map_or(text.len(), |&end| end as usize);
        if border < text.len() && characters.fall_apart(text, at, border) {
            return border;
        }
        scanner.pretoken_end(text, at)
    }

    /// The first pretoken border with more than `tokens` tokens before it; past every place if there is none.
    pub(super) fn border_past(&self, tokens: usize) -> usize {
        let number = self.counts.partition_point(|&count| count as usize <= tokens);
        self.ends.get(number).map_or(usize::MAX, |&end| end as usize)
    }

    /// How many pretokens end at or before `at`.
    fn pretokens_up_to(&self, at: usize) -> usize {
        let place = &self.places[at % PLACES];
        if place.get().0 != at {
            place.set((at, self.ends.partition_point(|&end| end as usize <= at)));
        }
        place.get().1
    }

    fn count_of_first(&self, pretokens: usize) -> usize {
        pretokens.checked_sub(1).map_or(0, |last| self.counts[last] as usize)
    }

    fn end_of_first(&self, pretokens: usize) -> usize {
        pretokens.checked_sub(1).map_or(0, |last| self.ends[last] as usize)
    }
}
