//! Packs sentences into cores: the parts of a document that chunks are made of before they overlap.
//!
//! A core takes as many sentences as fit its budget by the exact count of its text as emitted. What is left of the
//! document becomes the last core as soon as it fits. A sentence that alone does not fit is cut inside ([`super::cut`]).

use super::{cut, document::Document};
use crate::{config::Config, error::Error};
use std::ops::Range;

/// A core: a slice of the document without white space at its ends.
#[derive(Clone, Debug)]
pub(super) struct Core {
    pub(super) range: Range<usize>,
    pub(super) token_count: usize,
}

/// Walks a document core by core.
pub(super) struct Cores {
    config: Config,
    at: usize,
    is_first: bool,
}

impl Cores {
    pub(super) fn new(config: Config) -> Cores {
        Cores { config, at: 0, is_first: true }
    }

    /// The next core, or none when only white space is left.
    pub(super) fn next(&mut self, document: &mut Document<'_>) -> Result<Option<Core>, Error> {
        let start = document.skip_white_space(self.at);
        if start >= document.end {
            return Ok(None);
        }
        let before = if self.is_first { 0 } else { self.config.reserved_before() };
        self.is_first = false;
        let core = next_core(document, start, self.config.max_tokens() - before, self.config.reserved_after())?;
        self.at = core.range.end;
        Ok(Some(core))
    }
}

/// The core from `start` on: of at most `last_budget` tokens if it is the last, else of `reserved_after` fewer.
fn next_core(
    document: &mut Document<'_>,
    start: usize,
    last_budget: usize,
    reserved_after: usize,
) -> Result<Core, Error> {
    let rest = start..document.end;
    if let Some(token_count) = document.count(rest.clone(), last_budget)? {
        return Ok(Core { range: rest, token_count });
    }
    let budget = last_budget - reserved_after;
    match furthest_sentence(document, start, budget)? {
        Some(core) => Ok(core),
        None => cut::inside_sentence(document, start, budget),
    }
}

/// The core that ends with the furthest sentence that still fits.
fn furthest_sentence(document: &mut Document<'_>, start: usize, budget: usize) -> Result<Option<Core>, Error> {
    let out_of_reach = document.place_out_of_reach(start, budget);
    // One sentence more: without the white space at its end it may end before that place.
    let mut end = document.sentences.first_after(out_of_reach.min(document.text.len()) - 1);
    while end > start {
        let range = start..document.trim_end(start, end);
        let may_fit = range.end < out_of_reach || !document.has_bounds();
        if may_fit && let Some(token_count) = document.count(range.clone(), budget)? {
            return extend_guess(document, Core { range, token_count }, end, budget).map(Some);
        }
        end = document.sentences.last_before(end);
    }
    Ok(None)
}

/// Where the place out of reach was a guess, takes the sentences after `end` that fit as well.
fn extend_guess(document: &mut Document<'_>, mut core: Core, mut end: usize, budget: usize) -> Result<Core, Error> {
    while !document.has_bounds() && end < document.text.len() {
        end = document.sentences.first_after(end);
        let range = core.range.start..document.trim_end(core.range.start, end);
        match document.count(range.clone(), budget)? {
            Some(token_count) => core = Core { range, token_count },
            None => break,
        }
    }
    Ok(core)
}
