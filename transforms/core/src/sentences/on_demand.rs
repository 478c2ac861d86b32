//! Sentences where they are asked for, and nowhere else.
//!
//! Packing asks for sentences around the ends of chunks only, and what a paragraph splits into does not depend on its
//! neighbours: so whole paragraphs in between are passed over unread. On prose, where a chunk of 512 tokens holds
//! several paragraphs, this is two thirds of the sentence pass.
//!
//! Reading begins at a *paragraph*: visible text behind a blank line that is outside of fenced code. Where backticks or
//! tildes might make a fence, the text is read up to there and through it.

use super::{
    Splitter, chars,
    lines::{FENCE, Fences, fence_length},
    look::{Gap, char_at, last_blank_line, next_of},
};
use std::ops::Range;

/// Sentence ends of one text, as far as they are known; kept and filled anew for each.
#[derive(Debug, Default)]
pub(crate) struct KnownEnds {
    /// Rising; the end of the text is not among them.
    ends: Vec<usize>,
    /// What was passed over, between paragraphs whose beginnings are among the ends; rising.
    holes: Vec<Range<usize>>,
}

/// The sentences of a text.
///
/// Whatever is asked, and in whatever order, the answers are those of [`super::sentence_ends`]. Every byte is read
/// once, and searched for paragraphs and fences a bounded number of times.
#[derive(Debug)]
pub(crate) struct Sentences<'t> {
    text: &'t str,
    known: &'t mut KnownEnds,
    /// Up to this paragraph, or the end of the text, all is known or a hole.
    read: usize,
    fences: Fences,
}

impl<'t> Sentences<'t> {
    pub(crate) fn new(text: &'t str, known: &'t mut KnownEnds) -> Self {
        known.ends.clear();
        known.holes.clear();
        Self { text, known, read: 0, fences: Fences::default() }
    }

    /// The first end after `at`, which is before the end of the text.
    pub(crate) fn first_after(&mut self, at: usize) -> usize {
        self.know(at);
        let ends = &self.known.ends;
        ends.get(ends.partition_point(|&end| end <= at)).copied().unwrap_or(self.text.len())
    }

    /// The last end before `at`; 0 if there is none.
    pub(crate) fn last_before(&mut self, at: usize) -> usize {
        let Some(before) = at.checked_sub(1) else { return 0 };
        self.know(before);
        let ends = &self.known.ends;
        ends.partition_point(|&end| end < at).checked_sub(1).map_or(0, |last| ends[last])
    }

    /// Sees to it that the sentence of the byte `at` is known, its beginning and its end.
    fn know(&mut self, at: usize) {
        while self.read <= at && self.read < self.text.len() {
            self.read_on(at);
        }
        let hole = self.known.holes.partition_point(|hole| hole.end <= at);
        if self.known.holes.get(hole).is_some_and(|hole| hole.start <= at) {
            self.fill(hole, at);
        }
    }

    /// Reads past `at`, or past the first fence before it; but passes over whole paragraphs before either.
    fn read_on(&mut self, at: usize) {
        let until = next_fence(self.text, self.read, at).unwrap_or(at);
        let read = self.read_around(until, self.read);
        if read.start > self.read {
            self.known.holes.push(self.read..read.start);
        }
        self.read = read.end;
        if self.read < self.text.len() {
            self.known.ends.push(self.read);
        }
    }

    /// Reads the part of a hole around `at`.
    fn fill(&mut self, number: usize, at: usize) {
        let Range { start, end } = self.known.holes[number];
        let known = self.known.ends.len();
        let read = self.read_around(at, start);
        let KnownEnds { ends, holes } = &mut *self.known;
        if read.end < end {
            ends.push(read.end);
        }
        let found = ends.len() - known;
        let later = ends[..known].partition_point(|&known| known <= start);
        ends[later..].rotate_right(found);
        let unread = [start..read.start, read.end..end];
        holes.splice(number..=number, unread.into_iter().filter(|hole| !hole.is_empty()));
    }

    /// Reads from the last paragraph up to `at`, but not from before `start`, to the first one after `at`. Appends the ends
    /// between, and `start` of what was read if that is a paragraph passed on to; returns what was read.
    fn read_around(&mut self, at: usize, start: usize) -> Range<usize> {
        let ends = &mut self.known.ends;
        let paragraph = last_paragraph(self.text, start..at);
        ends.extend(paragraph);
        let from = paragraph.unwrap_or(start);
        from..Splitter::new(self.text, ends, &mut self.fences, at).run(from)
    }
}

/// Where backticks or tildes that may be a fence begin first, from `from` on, up to and with `to`.
fn next_fence(text: &str, mut from: usize, to: usize) -> Option<usize> {
    let seen = &text.as_bytes()[..text.len().min(to + 1)];
    while let Some(at) = next_of(seen, from, *b"`~") {
        let length = fence_length(text, at);
        if length >= FENCE {
            return Some(at);
        }
        from = at + length;
    }
    None
}

/// The last paragraph that begins after `within.start` and up to `within.end`, where no fence is.
fn last_paragraph(text: &str, within: Range<usize>) -> Option<usize> {
    // Blank lines at the beginning of the text part nothing.
    let (first, mut end) = (Gap::at(text, within.start).end, within.end);
    while let Some(blank_line) = last_blank_line(text, within.start..end) {
        let start = Gap::at(text, blank_line).end;
        if start > first && start <= within.end && char_at(text, start).is_some_and(chars::begins_cluster) {
            return Some(start);
        }
        end = text[..blank_line].trim_end().len();
    }
    None
}
