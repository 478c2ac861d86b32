//! Cuts a sentence that does not fit: at the best border that keeps the piece at least half full.

use super::{borders::Border, cores::Core, document::Document};
use crate::{config::Config, error::Error, graphemes::is_cluster_end};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// The core from `start` on that ends inside the sentence there, which alone has more than `budget` tokens.
///
/// The furthest line border within reach that fits, if it fills half the budget; else so the furthest clause border
/// and word border; else the furthest border between grapheme clusters; and inside a cluster that alone does not fit,
/// the furthest code point.
pub(super) fn inside_sentence(document: &mut Document<'_>, start: usize, budget: usize) -> Result<Core, Error> {
    let sentence_end = document.sentences.first_after(start);
    let end = document.trim_end(start, sentence_end);
    let reach = document.reach(start..end, budget)?;
    for border in [Border::Line, Border::Clause, Border::Word] {
        if let Some(core) = furthest_border(document, border, start, reach, budget)? {
            return Ok(core);
        }
    }
    if let Some(core) = furthest_cluster(document, start..end, reach, budget)? {
        return Ok(core);
    }
    let first_cluster = end_of_first_cluster(document, start, reach, end);
    // One that ends past the reach has not been tried.
    if let Some(border) = first_cluster.filter(|&border| border > reach)
        && let Some(core) = core_that_fits(document, start, border, budget)?
    {
        return Ok(core);
    }
    furthest_code_point(document, start, first_cluster.map_or(reach, |border| border.min(reach)), budget)
}

/// The core up to the furthest such border that fits, if that is at least half the budget.
fn furthest_border(
    document: &mut Document<'_>,
    border: Border,
    start: usize,
    reach: usize,
    budget: usize,
) -> Result<Option<Core>, Error> {
    let mut at = reach;
    while let Some(found) = border.last(document.text, start, at) {
        if let Some(core) = core_that_fits(document, start, found, budget)? {
            return Ok(Some(core).filter(|core| core.token_count * 2 >= budget));
        }
        at = document.floor(found - 1);
    }
    Ok(None)
}

/// The core up to the furthest end of a grapheme cluster of `rest` that lies within reach and fits.
fn furthest_cluster(
    document: &mut Document<'_>,
    rest: Range<usize>,
    reach: usize,
    budget: usize,
) -> Result<Option<Core>, Error> {
    let (start, text) = (rest.start, &document.text[rest]);
    let mut border = reach;
    while border > start {
        if is_cluster_end(text, border - start)
            && let Some(core) = core_that_fits(document, start, border, budget)?
        {
            return Ok(Some(core));
        }
        border = document.floor(border - 1);
    }
    Ok(None)
}

/// Where the first grapheme cluster from `start` on ends, if it is seen to.
fn end_of_first_cluster(document: &Document<'_>, start: usize, reach: usize, end: usize) -> Option<usize> {
    // One that ends further on than a token past the reach cannot fit.
    let seen_to = document.floor(reach + document.longest_token_bytes()).min(end);
    let cluster = document.text[start..seen_to].graphemes(true).next()?;
    let border = start + cluster.len();
    // It may go on where the look ended.
    (border < seen_to || seen_to == end).then_some(border)
}

/// The core up to the furthest code point of the first cluster. There is one: the budget is at least what one can cost.
fn furthest_code_point(
    document: &mut Document<'_>,
    start: usize,
    cluster_end: usize,
    budget: usize,
) -> Result<Core, Error> {
    const { assert!(Config::SMALLEST_BUDGET >= 4) }
    let mut border = cluster_end;
    loop {
        if let Some(core) = core_that_fits(document, start, border, budget)? {
            return Ok(core);
        }
        border = document.floor(border - 1);
        if border <= start {
            return Err(Error::new("the encoding needs more than 4 tokens for one character"));
        }
    }
}

fn core_that_fits(
    document: &mut Document<'_>,
    start: usize,
    border: usize,
    budget: usize,
) -> Result<Option<Core>, Error> {
    let range = start..document.trim_end(start, border);
    let token_count = document.count(range.clone(), budget)?;
    Ok(token_count.map(|token_count| Core { range, token_count }))
}
