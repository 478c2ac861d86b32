//! Sixty-four bytes at a time: one bit for each byte, one mask for each class.

use super::{
    characters::{Characters, facts, facts_of_class},
    classes::class_at,
};
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
    /// First bytes of characters of three bytes into which no token crosses from what is before them.
    pub(super) splits: u64,
    /// First bytes of characters of three bytes: the bits, from the lowest, of their tokens by themselves.
    pub(super) own_tokens: [u64; 2],
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
    pub(super) fn load(text: &[u8], at: usize, characters: &Characters) -> Masks {
        let rest = &text[at..];
        match rest.first_chunk::<WIDTH>() {
            Some(bytes) => Masks::of(bytes, u64::MAX, characters),
            None => Masks::of_tail(rest, characters),
        }
    }

    #[cold]
    fn of_tail(rest: &[u8], characters: &Characters) -> Masks {
        let mut bytes = [0; WIDTH];
        bytes[..rest.len()].copy_from_slice(rest);
        Masks::of(&bytes, u64::MAX >> (WIDTH - rest.len()), characters)
    }

    #[inline(always)]
    fn of(bytes: &[u8; WIDTH], present: u64, characters: &Characters) -> Masks {
        let (mut masks, foreign) = ascii(bytes);
        masks.present = present;
        if foreign != 0 {
            masks.add_foreign(bytes, characters);
        }
        masks
    }

    /// Looks up the characters that are not ASCII.
    #[inline(always)]
    fn add_foreign(&mut self, bytes: &[u8; WIDTH], characters: &Characters) {
        let mut leads = [0xC0, 0xE0, 0xF0].map(|first| mask(bytes, |lane| at_least(lane, first)));
        let cut_off = leads[0] & 1 << 63 | leads[1] & 3 << 62 | leads[2] & 7 << 61;
        if cut_off != 0 {
            self.present &= before_lowest(cut_off);
        }
        let present = self.present;
        // Those of more bytes are above the lower bounds of those of fewer.
        leads = [leads[0] & !leads[1], leads[1] & !leads[2], leads[2]].map(|leads| leads & present);
        let mut found = [0; WIDTH];
        each(leads[0], |at| {
            if let Some(&character) = bytes[at..].first_chunk() {
                found[at] = characters.of_two_bytes(character);
            }
        });
        each(leads[1], |at| {
            if let Some(&character) = bytes[at..].first_chunk() {
                found[at] = characters.of_three_bytes(bytes[at.wrapping_sub(1) % WIDTH], character);
            }
        });
        each(leads[2], |at| found[at] = facts_of_class(class_at(bytes, at).0));
        self.add_facts(leads, &found);
    }

    /// From the facts of each character, at its first byte.
    #[inline(always)]
    fn add_facts(&mut self, leads: [u64; 3], found: &[u8; WIDTH]) {
        let bits = |fact: u8| mask(found, |lane| (lane & u8x16::splat(fact)).simd_eq(u8x16::splat(fact)));
        let [two, _, four] = leads;
        // All bytes of the characters that begin at these.
        let whole = |at: u64| at | at << 1 | (at & !two) << 2 | (at & four) << 3;
        let [letter, upper, lower] = [facts::LETTER, facts::UPPER, facts::LOWER].map(bits);
        self.letters |= whole(letter);
        self.numbers |= whole(lower & !upper & !letter);
        self.spaces |= whole(upper & !lower & !letter);
        self.marks |= whole(upper & lower & !letter);
        self.upper |= whole(upper & (letter | lower));
        self.lower |= whole(lower & (letter | upper));
        self.splits = bits(facts::SPLIT);
        self.own_tokens = [facts::ONE_TOKEN, facts::TWO_TOKENS].map(bits);
        self.leads = leads;
    }
}

/// Calls `f` with the numbers of all bits of `mask`, in order.
#[inline(always)]
fn each(mut mask: u64, mut f: impl FnMut(usize)) {
    while mask != 0 {
        f(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}

/// A bit for each byte: whether `f` says all ones of it.
#[inline(always)]
fn mask(bytes: &[u8; WIDTH], f: impl Fn(u8x16) -> u8x16) -> u64 {
    let lanes = bytes.as_chunks::<16>().0.iter().enumerate();
    lanes.fold(0, |mask, (number, lane)| mask | u64::from(f(u8x16::new(*lane)).to_bitmask()) << (16 * number))
}

#[inline(always)]
fn at_least(lane: u8x16, first: u8) -> u8x16 {
    lane.max(u8x16::splat(first)).simd_eq(lane)
}

#[inline(always)]
fn within(lane: u8x16, first: u8, last: u8) -> u8x16 {
    let offset = lane - u8x16::splat(first);
    offset.min(u8x16::splat(last - first)).simd_eq(offset)
}

/// The bits below the lowest of `mask`.
#[inline(always)]
pub(super) fn before_lowest(mask: u64) -> u64 {
    mask.wrapping_sub(1) & !mask
}

/// The classes of all ASCII characters, and which bytes are not of one.
#[inline(always)]
fn ascii(bytes: &[u8; WIDTH]) -> (Masks, u64) {
    let is = |lane: u8x16, byte: u8| lane.simd_eq(u8x16::splat(byte));
    let mut masks = Masks {
        letters: mask(bytes, |lane| within(lane | u8x16::splat(0x20), b'a', b'z')),
        upper: mask(bytes, |lane| within(lane, b'A', b'Z')),
        numbers: mask(bytes, |lane| within(lane, b'0', b'9')),
        blanks: mask(bytes, |lane| is(lane, b' ')),
        spaces: mask(bytes, |lane| within(lane, b'\t', b'\r') | is(lane, b' ')),
        line_ends: mask(bytes, |lane| is(lane, b'\n') | is(lane, b'\r')),
        apostrophes: mask(bytes, |lane| is(lane, b'\'')),
        slashes: mask(bytes, |lane| is(lane, b'/')),
        ..Masks::default()
    };
    masks.lower = masks.letters & !masks.upper;
    (masks, mask(bytes, |lane| lane))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::classes::{LETTER, LOWER, MARK, NUMBER, SPACE, UPPER};

    /// The same, a character at a time, where no token crosses any place.
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
        masks.splits = masks.leads[1];
        masks.own_tokens = [masks.leads[1]; 2];
        masks
    }

    #[test]
    fn blocks_are_classified_as_single_characters_are() {
        let characters = Characters::new([].into_iter());
        let ascii: String = (0..128_u8).map(char::from).collect();
        let mixed = "aé中😀Ж1½\u{301}\u{A0}\u{3000}'/ ".repeat(8);
        for text in [&ascii, &mixed] {
            for start in (0..text.len()).filter(|&start| text.is_char_boundary(start)) {
                let expected = one_by_one(&text[start..]);
                assert_eq!(Masks::load(text.as_bytes(), start, &characters), expected, "{:?}", &text[start..]);
            }
        }
    }
}
