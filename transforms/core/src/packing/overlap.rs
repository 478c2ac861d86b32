//! Lets a chunk reach into its neighbours: how far, and at which border.
//!
//! An overlap region ends at a sentence border if one lies within its tokens, else at a word border, else at a
//! grapheme border; the furthest of its kind. It is never a whole neighbour, so that starts and ends rise strictly,
//! and it never shrinks the chunk's own core.

use super::{borders::Border, document::Document};
use crate::{error::Error, graphemes::is_cluster_end};
use std::ops::Range;

/// Where a chunk with this core begins: inside `previous`, as far back as the `overlap` tokens of that core's tail and
/// `most_tokens` for the chunk up to the core's end allow.
pub(super) fn start_of_chunk(
    document: &mut Document<'_>,
    previous: &Range<usize>,
    core: &Range<usize>,
    overlap: usize,
    most_tokens: usize,
) -> Result<usize, Error> {
    let reach = document.reach_back(previous.clone(), overlap)?;
    let mut fits = |document: &mut Document<'_>, start: usize| {
        Ok(document.fits(start..previous.end, overlap)? && document.fits(start..core.end, most_tokens)?)
    };
    if let Some(start) = sentence_start(document, previous, reach, &mut fits)? {
        return Ok(start);
    }
    let (mut at, text) = (reach.max(document.skip_char(previous.start)), document.text);
    while let Some(start) = Border::Word.first(text, previous.start, at, previous.end) {
        if fits(document, start)? {
            return Ok(start);
        }
        at = document.skip_char(start);
    }
    let (tail, mut start) = (&text[previous.clone()], reach.max(document.skip_char(previous.start)));
    while start < previous.end {
        let is_candidate = !text[start..].starts_with(char::is_whitespace);
        if is_candidate && is_cluster_end(tail, start - previous.start) && fits(document, start)? {
            return Ok(start);
        }
        start = document.skip_char(start);
    }
    Ok(core.start)
}

/// The start of the furthest sentence: those that begin before the reach as long as they fit, else the first that
/// begins within it and fits.
fn sentence_start(
    document: &mut Document<'_>,
    previous: &Range<usize>,
    reach: usize,
    fits: &mut impl FnMut(&mut Document<'_>, usize) -> Result<bool, Error>,
) -> Result<Option<usize>, Error> {
    // The next sentence after an end before this begins before the reach.
    let beyond = document.trim_end(previous.start, reach);
    let mut found = None;
    let mut end = document.sentences.last_before(beyond);
    while end > previous.start {
        let start = document.skip_white_space(end);
        if !fits(document, start)? {
            break;
        }
        (found, end) = (Some(start), document.sentences.last_before(end));
    }
    if found.is_some() {
        return Ok(found);
    }
    end = document.sentences.first_after(previous.start.max(beyond.saturating_sub(1)));
    while end < previous.end {
        let start = document.skip_white_space(end);
        if fits(document, start)? {
            return Ok(Some(start));
        }
        end = document.sentences.first_after(end);
    }
    Ok(None)
}

/// Where a chunk that begins at `start` ends: inside `next`, as far on as the `overlap` tokens of that core's head and
/// `most_tokens` for the whole chunk allow; at `core_end` if nothing fits.
pub(super) fn end_of_chunk(
    document: &mut Document<'_>,
    start: usize,
    core_end: usize,
    next: &Range<usize>,
    overlap: usize,
    most_tokens: usize,
) -> Result<usize, Error> {
    let reach = document.reach(next.clone(), overlap)?;
    let mut fits = |document: &mut Document<'_>, end: usize| {
        Ok(document.fits(next.start..end, overlap)? && document.fits(start..end, most_tokens)?)
    };
    if let Some(end) = sentence_end(document, next, reach, &mut fits)? {
        return Ok(end);
    }
    let (mut at, text) = (reach, document.text);
    while let Some(border) = Border::Word.last(text, next.start, at) {
        let end = document.trim_end(next.start, border);
        if end < next.end && fits(document, end)? {
            return Ok(end);
        }
        at = document.floor(border - 1);
    }
    let (head, mut end) = (&text[next.clone()], reach);
    while end > next.start {
        let is_candidate = end < next.end && !text[..end].ends_with(char::is_whitespace);
        if is_candidate && is_cluster_end(head, end - next.start) && fits(document, end)? {
            return Ok(end);
        }
        end = document.floor(end - 1);
    }
    Ok(core_end)
}

/// The end of the furthest sentence, the mirror image of [`sentence_start`].
fn sentence_end(
    document: &mut Document<'_>,
    next: &Range<usize>,
    reach: usize,
    fits: &mut impl FnMut(&mut Document<'_>, usize) -> Result<bool, Error>,
) -> Result<Option<usize>, Error> {
    let mut found = None;
    let mut end = document.sentences.first_after(reach);
    while end < next.end {
        let trimmed = document.trim_end(next.start, end);
        if !fits(document, trimmed)? {
            break;
        }
        (found, end) = (Some(trimmed), document.sentences.first_after(end));
    }
    if found.is_some() {
        return Ok(found);
    }
    end = document.sentences.last_before(next.end.min(reach + 1));
    while end > next.start {
        let trimmed = document.trim_end(next.start, end);
        if fits(document, trimmed)? {
            return Ok(Some(trimmed));
        }
        end = document.sentences.last_before(end);
    }
    Ok(None)
}
