//! Grapheme clusters (UAX #29, extended): where a reader sees one character, no border may fall.

use unicode_segmentation::GraphemeCursor;

/// Bytes of context looked at on each side of a place; keeps every question O(1).
///
/// Only runs of flags, emoji joiners or conjuncts longer than this could be judged wrongly, and a chunker that
/// walks such a run uses [`unicode_segmentation`]'s own iterator from a known border instead.
const CONTEXT_BYTES: usize = 256;

/// Whether `at`, a character boundary of `text`, lies between two grapheme clusters (or at an end of the text).
///
/// Costs two byte comparisons where both neighbours are ASCII, else one look at [`CONTEXT_BYTES`] on each side.
pub(crate) fn is_grapheme_border(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    if at == 0 || at == bytes.len() {
        return true;
    }
    let (before, after) = (bytes[at - 1], bytes[at]);
    if before.is_ascii() && after.is_ascii() {
        return (before, after) != (b'\r', b'\n');
    }
    let start = text.floor_char_boundary(at.saturating_sub(CONTEXT_BYTES));
    let end = text.ceil_char_boundary((at + CONTEXT_BYTES).min(bytes.len()));
    let context = &text[start..end];
    GraphemeCursor::new(at - start, context.len(), true).is_boundary(context, 0).unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_keep_clusters_whole() {
        for (text, inside) in [
            ("\r\n", 1),
            ("e\u{301}", 1),
            (" \u{301}", 1),
            ("\u{1F1E9}\u{1F1EA}", 4),
            ("\u{1F469}\u{200D}\u{1F4BB}", 7),
            ("\u{600}1", 2),
        ] {
            assert!(!is_grapheme_border(text, inside), "{text:?}");
        }
        assert!(is_grapheme_border("a b", 1));
        assert!(is_grapheme_border("你好", 3));
    }
}
