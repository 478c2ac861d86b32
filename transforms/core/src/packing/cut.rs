//! Cuts a sentence that does not fit: at the best border that keeps the piece at least half full.

use super::{borders::Border, cores::Core, document::Document};
use crate::{config::Config, error::Error};
use unicode_segmentation::UnicodeSegmentation;

/// The core from `start` on that ends inside the sentence there, which alone has more than `budget` tokens.
///
/// The furthest line border within reach that fits, if it fills half the budget; else so the furthest clause border
/// and word border; else the furthest border between grapheme clusters; and inside a cluster that alone does not fit,
/// the furthest code point.
pub(super) fn inside_sentence(document: &mut Document<'_>, start: usize, budget: usize) -> Result<Core, Error> {
    let sentence_end = document.sentence_end(start);
    let end = document.trim_end(start, sentence_end);
    let reach = document.reach(start..end, budget)?;
    for border in [Border::Line, Border::Clause, Border::Word] {
        if let Some(core) = furthest_border(document, border, start, reach, budget)? {
            return Ok(core);
        }
    }
    let clusters = ends_of_clusters(document, start, reach, end);
    for &border in clusters.iter().rev() {
        if let Some(core) = core_that_fits(document, start, border, budget)? {
            return Ok(core);
        }
    }
    let first_cluster = clusters.first().map_or(reach, |&first| first.min(reach));
    furthest_code_point(document, start, first_cluster, budget)
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

/// Ends of the grapheme clusters from `start` on that lie within reach; or of the first one, if it is seen to end.
fn ends_of_clusters(document: &Document<'_>, start: usize, reach: usize, end: usize) -> Vec<usize> {
    // A cluster that ends further on than a token past the reach cannot fit.
    let seen_to = document.floor(reach + document.longest_token_bytes()).min(end);
    let clusters = document.text[start..seen_to].grapheme_indices(true);
    let ends = clusters.map(|(offset, cluster)| start + offset + cluster.len());
    // The last cluster seen may go on where the look ended.
    let mut whole = ends.take_while(|&border| border < seen_to || seen_to == end).peekable();
    let first = whole.peek().copied();
    let within: Vec<usize> = whole.take_while(|&border| border <= reach).collect();
    if within.is_empty() { first.into_iter().collect() } else { within }
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
