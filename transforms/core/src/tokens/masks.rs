//! Sixty-four bytes at a time: one bit for each byte, one mask for each class.

use super::classes::{LETTER, LOWER, MARK, NUMBER, SPACE, UPPER, class_at};
use wide::u8x16;

/// Bytes in a block.
const WIDTH: usize = 64;

/// Classes of 64 bytes of text: bit `i` speaks of the `i`-th. All bytes of a character have its classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Masks {
    /// Whole characters there are: fewer than 64 bytes at the end of a text, and where a character goes on after them.
    pub(super) present: u64,
    /// First bytes of characters of two, three and four bytes.
    pub(super) leads: [u64; 3],
    /// `\p{L}`.
    pub(super) letters: u64,
    /// `\p{N}`.
    pub(super) numbers: u64,
    /// `\s`.
    pub(super) spaces: u64,
    /// `\p{M}`.
    pub(super) marks: u64,
    /// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`.
    pub(super) upper: u64,
    /// `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`.
    pub(super) lower: u64,
    /// CR and LF.
    pub(super) line_ends: u64,
    /// U+0020.
    pub(super) blanks: u64,
    /// `'`.
    pub(super) apostrophes: u64,
    /// `/`.
    pub(super) slashes: u64,
}

impl Masks {
    /// The block of `text` that begins at `at`, before its end.
    #[inline(always)]
    pub(super) fn load(text: &[u8], at: usize) -> Masks {
        let rest = &text[at..];
        match rest.first_chunk::<WIDTH>() {
            Some(bytes) => Masks::of(text, at, bytes, u64::MAX),
            None => Masks::of_tail(text, at),
        }
    }

    #[cold]
    fn of_tail(text: &[u8], at: usize) -> Masks {
        let rest = &text[at..];
        let mut bytes = [0; WIDTH];
        bytes[..rest.len()].copy_from_slice(rest);
        Masks::of(text, at, &bytes, u64::MAX >> (WIDTH - rest.len()))
    }

    #[inline(always)]
    fn of(text: &[u8], at: usize, bytes: &[u8; WIDTH], present: u64) -> Masks {
        let (mut masks, foreign) = ascii(bytes);
        masks.present = present;
        if foreign != 0 {
            masks.add_foreign(text, at, foreign);
        }
        masks
    }

    /// Looks up the characters that are not ASCII, of which `foreign` has the bytes.
    #[inline(always)]
    fn add_foreign(&mut self, text: &[u8], start: usize, foreign: u64) {
        let mut left = foreign;
        while left != 0 {
            let bit = left.trailing_zeros() as usize;
            let (class, after) = class_at(text, start + bit);
            let length = after - start - bit;
            if bit + length > WIDTH {
                self.present &= (1 << bit) - 1;
                return;
            }
            let bytes = ((1 << length) - 1) << bit;
            let put = |mask: &mut u64, wanted: u8| *mask |= if class & wanted == 0 { 0 } else { bytes };
            put(&mut self.letters, LETTER);
            put(&mut self.numbers, NUMBER);
            put(&mut self.spaces, SPACE);
            put(&mut self.marks, MARK);
            put(&mut self.upper, UPPER);
            put(&mut self.lower, LOWER);
            self.leads[length - 2] |= 1 << bit;
            left &= !bytes;
        }
    }
}

/// The classes of all ASCII characters, and which bytes are not of one.
#[inline(always)]
fn ascii(bytes: &[u8; WIDTH]) -> (Masks, u64) {
    let is = |lane: u8x16, byte: u8| lane.simd_eq(u8x16::splat(byte));
    let within = |lane: u8x16, first: u8, last: u8| {
        let offset = lane - u8x16::splat(first);
        offset.min(u8x16::splat(last - first)).simd_eq(offset)
    };
    let mut masks = Masks::default();
    let mut foreign = 0;
    for (number, chunk) in bytes.as_chunks::<16>().0.iter().enumerate() {
        let lane = u8x16::new(*chunk);
        let put = |mask: &mut u64, lane: u8x16| *mask |= u64::from(lane.to_bitmask()) << (16 * number);
        put(&mut foreign, lane);
        put(&mut masks.letters, within(lane | u8x16::splat(0x20), b'a', b'z'));
        put(&mut masks.upper, within(lane, b'A', b'Z'));
        put(&mut masks.numbers, within(lane, b'0', b'9'));
        put(&mut masks.blanks, is(lane, b' '));
        put(&mut masks.spaces, within(lane, b'\t', b'\r') | is(lane, b' '));
        put(&mut masks.line_ends, is(lane, b'\n') | is(lane, b'\r'));
        put(&mut masks.apostrophes, is(lane, b'\''));
        put(&mut masks.slashes, is(lane, b'/'));
    }
    masks.lower = masks.letters & !masks.upper;
    (masks, foreign)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same, a character at a time.
    fn one_by_one(text: &str) -> Masks {
        let mut masks = Masks::default();
        for (at, c) in text.char_indices().take_while(|(at, c)| at + c.len_utf8() <= WIDTH) {
            let bytes = ((1_u128 << c.len_utf8()) as u64).wrapping_sub(1) << at;
            let (class, _) = class_at(text.as_bytes(), at);
            let put = |mask: &mut u64, is: bool| *mask |= if is { bytes } else { 0 };
            put(&mut masks.present, true);
            put(&mut masks.letters, class & LETTER != 0);
            put(&mut masks.numbers, class & NUMBER != 0);
            put(&mut masks.spaces, class & SPACE != 0);
            put(&mut masks.marks, class & MARK != 0);
            put(&mut masks.upper, class & UPPER != 0);
            put(&mut masks.lower, class & LOWER != 0);
            put(&mut masks.line_ends, matches!(c, '\n' | '\r'));
            put(&mut masks.blanks, c == ' ');
            put(&mut masks.apostrophes, c == '\'');
            put(&mut masks.slashes, c == '/');
            if c.len_utf8() > 1 {
                masks.leads[c.len_utf8() - 2] |= 1 << at;
            }
        }
        masks
    }

    #[test]
    fn blocks_are_classified_as_single_characters_are() {
        let ascii: String = (0..128_u8).map(char::from).collect();
        let mixed = "aé中😀Ж1½\u{301}\u{A0}\u{3000}'/ ".repeat(8);
        for text in [&ascii, &mixed] {
            for start in (0..text.len()).filter(|&start| text.is_char_boundary(start)) {
                let expected = one_by_one(&text[start..]);
                assert_eq!(Masks::load(text.as_bytes(), start), expected, "{:?}", &text[start..]);
            }
        }
    }
}
