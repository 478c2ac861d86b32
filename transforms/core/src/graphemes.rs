//! Grapheme clusters (UAX #29, extended): where a reader sees one character, no border may fall.

use unicode_segmentation::GraphemeCursor;

/// Bytes of context that [`is_grapheme_border`] looks at on each side of a place.
const CONTEXT_BYTES: usize = 256;

/// Whether `at`, a character boundary of `text`, lies between two grapheme clusters (or at an end of the text).
///
/// O(1): only runs of flags, emoji joiners or conjuncts longer than [`CONTEXT_BYTES`] could be judged wrongly.
pub(crate) fn is_grapheme_border(text: &str, at: usize) -> bool {
    if let Some(answer) = told_by_neighbours(text, at) {
        return answer;
    }
    let start = text.floor_char_boundary(at.saturating_sub(CONTEXT_BYTES));
    let end = text.ceil_char_boundary((at + CONTEXT_BYTES).min(text.len()));
    is_between_clusters(&text[start..end], at - start)
}

/// The same with all of `text` for context: what such a run is, is found by passing it back to its beginning.
pub(crate) fn is_cluster_end(text: &str, at: usize) -> bool {
    told_by_neighbours(text, at).unwrap_or_else(|| is_between_clusters(text, at))
}

/// The answer at an end of the text and where both neighbours are ASCII, for two byte comparisons.
fn told_by_neighbours(text: &str, at: usize) -> Option<bool> {
    let bytes = text.as_bytes();
    if at == 0 || at == bytes.len() {
        return Some(true);
    }
    let (before, after) = (bytes[at - 1], bytes[at]);
    (before.is_ascii() && after.is_ascii()).then_some((before, after) != (b'\r', b'\n'))
}

fn is_between_clusters(text: &str, at: usize) -> bool {
    GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0).unwrap_or(true)
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
