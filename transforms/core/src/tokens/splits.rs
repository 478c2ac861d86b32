//! Places inside a pretoken that no token crosses: there the piece falls apart into independent ones.
//!
//! Byte-pair merging is additive over such a place. Chinese and Japanese write whole clauses without a space, so
//! that pretokens are long and seldom repeat; but few tokens hold two of their characters, and cut at these places
//! the pieces are short and repeat all the time (5 to 8 times the speed on Chinese and Japanese).
//!
//! The test is a superset: per character the last byte, modulo 64, of what any token has before it. A false
//! positive costs speed, never exactness. It holds for any vocabulary: a merge across the place would be a token
//! across it.

use super::classes::decode;
use std::{fmt, ops::Range};

/// For each character of three UTF-8 bytes: which bytes some token has just before it.
pub(super) struct HardSplits {
    /// By code point; bit `byte % 64` is set if a token holds `byte` and then the character, or the beginning of it.
    left_bytes: Vec<u64>,
}

impl HardSplits {
    pub(super) fn new<'a>(tokens: impl Iterator<Item = &'a [u8]>) -> HardSplits {
        let mut left_bytes = vec![0; 1 << 16];
        for token in tokens {
            for at in 1..token.len() {
                let left = 1 << (token[at - 1] % 64);
                for mask in &mut left_bytes[characters_beginning_with(&token[at..])] {
                    *mask |= left;
                }
            }
        }
        HardSplits { left_bytes }
    }

    /// Calls `each` with the places inside a piece of `text` that no token crosses, in order.
    #[inline(always)]
    pub(super) fn each(&self, text: &[u8], piece: Range<usize>, mut each: impl FnMut(usize)) {
        let mut at = piece.start;
        while at < piece.end {
            let lead = text[at];
            if lead < 0xC0 {
                at += 1;
                continue;
            }
            let (code_point, length) = decode(text, at, lead);
            if length == 3 && at > piece.start && self.before(text[at - 1], code_point) {
                each(at);
            }
            at += length;
        }
    }

    /// Whether no token holds `left`, the byte before it, and the beginning of the three-byte character `code_point`.
    #[inline(always)]
    fn before(&self, left: u8, code_point: usize) -> bool {
        self.left_bytes[code_point & 0xFFFF] >> (left % 64) & 1 == 0
    }
}

impl fmt::Debug for HardSplits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HardSplits").finish_non_exhaustive()
    }
}

/// The code points of the three-byte characters that `bytes`, the rest of a token, may begin.
fn characters_beginning_with(bytes: &[u8]) -> Range<usize> {
    let continuation = |at: usize| bytes.get(at).map(|byte| usize::from(byte & 0x3F));
    let lead = usize::from(bytes[0]);
    if lead & 0xF0 != 0xE0 {
        return 0..0;
    }
    let first = (lead & 0x0F) << 12;
    match (continuation(1), continuation(2)) {
        (None, _) => first..first + (1 << 12),
        (Some(second), None) => first + (second << 6)..first + (second << 6) + 64,
        (Some(second), Some(third)) => first + (second << 6) + third..first + (second << 6) + third + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_inside_a_token_is_no_split() {
        let tokens = ["中文".as_bytes(), b" \xe6\x96", b"a\xe3"];
        let splits = HardSplits::new(tokens.into_iter());
        let before = |left: &str, c: char| splits.before(*left.as_bytes().last().unwrap(), c as usize);
        assert!(!before("中", '文'), "a token holds both");
        assert!(!before(" ", '文') && !before(" ", '斀'), "a token holds the beginning of either");
        assert!(!before("a", 'か'));
        assert!(before("a", '文') && before("文", '中'));
    }
}
