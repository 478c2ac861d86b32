//! The character classes that OpenAI's patterns speak of, as bits per code point (Unicode 16, see `build/classes.rs`).

include!(concat!(env!("OUT_DIR"), "/classes.rs"));

/// `\p{L}`.
pub(super) const LETTER: u8 = 1 << 0;
/// `\p{N}`.
pub(super) const NUMBER: u8 = 1 << 1;
/// `\s`, the 25 code points of White_Space.
pub(super) const SPACE: u8 = 1 << 2;
/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`: what may open a word in o200k.
pub(super) const UPPER: u8 = 1 << 3;
/// `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`: what may close a word in o200k.
pub(super) const LOWER: u8 = 1 << 4;
/// `\p{M}`.
pub(super) const MARK: u8 = 1 << 5;

/// Class bits of every ASCII byte, apart from the two-level table: most text needs no more.
static ASCII: [u8; 128] = {
    let mut ascii = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        ascii[byte] = BLOCKS[BLOCK_OF[0] as usize][byte];
        byte += 1;
    }
    ascii
};

/// Class bits of the character at `at` and the place after it; `(0, at)` at the end of the text.
#[inline(always)]
pub(super) fn class_at(text: &[u8], at: usize) -> (u8, usize) {
    match text.get(at) {
        None => (0, at),
        Some(&byte) if byte < 0x80 => (ASCII[byte as usize], at + 1),
        Some(&lead) => {
            let (code_point, length) = decode(text, at, lead);
            (class_of(code_point), at + length)
        }
    }
}

#[inline(always)]
pub(super) fn class_of(code_point: usize) -> u8 {
    BLOCKS[BLOCK_OF[(code_point >> 8) % BLOCK_OF.len()] as usize][code_point & 0xFF]
}

/// Code point and length in bytes of the character that `lead`, not ASCII, begins at `at`. `text` is UTF-8 from there on.
#[inline(always)]
fn decode(text: &[u8], at: usize, lead: u8) -> (usize, usize) {
    let tail = |i: usize| text.get(at + i).map_or(0, |&b| usize::from(b & 0x3F));
    let lead = usize::from(lead);
    match lead {
        0..0xE0 => ((lead & 0x1F) << 6 | tail(1), 2),
        0xE0..0xF0 => ((lead & 0x0F) << 12 | tail(1) << 6 | tail(2), 3),
        _ => ((lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_well_known_characters() {
        let class = |c: char| class_at(c.to_string().as_bytes(), 0).0;
        assert_eq!(class('a'), LETTER | LOWER);
        assert_eq!(class('A'), LETTER | UPPER);
        assert_eq!(class('中'), LETTER | UPPER | LOWER);
        assert_eq!(class('\u{301}'), MARK | UPPER | LOWER);
        assert_eq!(class('½'), NUMBER);
        assert_eq!(class('\u{A0}'), SPACE);
        assert_eq!(class('\u{1C}'), 0, "a separator, yet no White_Space");
        assert_eq!(class('\u{200B}'), 0);
        assert_eq!(class('😀'), 0);
    }

    #[test]
    fn unicode_is_16_as_in_tiktoken() {
        let letters = (0..0x11_0000).filter(|&c| class_of(c) & LETTER != 0).count();
        assert_eq!(letters, 141_028);
    }

    #[test]
    fn white_space_is_rusts() {
        for c in (0..=0x10_FFFF).filter_map(char::from_u32) {
            assert_eq!(class_of(c as usize) & SPACE != 0, c.is_whitespace(), "{c:?}");
        }
    }
}
