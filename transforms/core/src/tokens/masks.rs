//! Sixty-four bytes at a time: one bit for each byte, one mask for each class.

use super::{
    characters::{Characters, facts, facts_of_class},
    classes::class_at,
    lanes::{Lanes, WIDTH},
};

/// Classes of 64 bytes of text: bit `i` speaks of the `i`-th. All bytes of a character have its classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Masks {
    /// Whole characters there are: fewer than 64 bytes at the end of a text, and where a character goes on after them.
    pub(super) present: u64,
    /// First bytes of characters of two, three and four bytes.
    pub(super) leads: [u64; 3],
    /// First bytes of characters of three bytes into which no token crosses from what is before them.
    pub(super) splits: u64,
    /// First bytes of characters of three bytes: the bits, from the lowest, of their tokens by themselves, where those were
    /// looked up.
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
    pub(super) fn load<L: Lanes>(text: &[u8], at: usize, characters: &Characters) -> Masks {
        let rest = &text[at..];
        let padded;
        let (bytes, present) = match rest.first_chunk() {
            Some(bytes) => (bytes, u64::MAX),
            None => {
                padded = pad(rest);
                (&padded, u64::MAX >> (WIDTH - rest.len()))
            }
        };
        let lanes = L::load(bytes);
        let mut masks = Masks { present, ..Masks::ascii(lanes) };
        if lanes.foreign() != 0 {
            masks.add_foreign(lanes, bytes, characters);
        }
        masks
    }

    /// The classes of all ASCII characters.
    #[inline(always)]
    fn ascii(lanes: impl Lanes) -> Masks {
        let letters = lanes.or(0x20).within(b'a', b'z');
        let upper = lanes.within(b'A', b'Z');
        let blanks = lanes.equal(b' ');
        Masks {
            letters,
            upper,
            lower: letters & !upper,
            numbers: lanes.within(b'0', b'9'),
            spaces: lanes.within(b'\t', b'\r') | blanks,
            blanks,
            line_ends: lanes.equal(b'\n') | lanes.equal(b'\r'),
            apostrophes: lanes.equal(b'\''),
            slashes: lanes.equal(b'/'),
            ..Masks::default()
        }
    }

    /// Looks up the characters that are not ASCII.
    #[inline(always)]
    fn add_foreign<L: Lanes>(&mut self, lanes: L, bytes: &[u8; WIDTH], characters: &Characters) {
        let (two, three, four) = (lanes.within(0xC0, 0xDF), lanes.within(0xE0, 0xEF), lanes.within(0xF0, 0xFF));
        self.present &= before_lowest(two & 1 << 63 | three & 3 << 62 | four & 7 << 61);
        let (two, three, four) = (two & self.present, three & self.present, four & self.present);
        self.leads = [two, three, four];
        // The commonest are told by their bytes: a look-up of each would take several times as long.
        let two = if two == 0 { 0 } else { two & !self.add_cyrillic(lanes, two) };
        let two = if two == 0 { 0 } else { two & !self.add_latin(lanes, two) };
        let three = if three == 0 { 0 } else { three & !general_punctuation(lanes, three) };
        if two | three | four == 0 {
            return;
        }
        let mut found = [0; WIDTH];
        each_bit(two, |bit| {
            let at = bit.trailing_zeros() as usize;
            if let Some(&character) = bytes[at..].first_chunk() {
                found[at] = characters.of_two_bytes(character);
            }
        });
        each_bit(three, |bit| {
            let at = bit.trailing_zeros() as usize;
            if let Some(&character) = bytes[at..].first_chunk() {
                found[at] = characters.of_three_bytes(bytes[at.wrapping_sub(1) % WIDTH], character);
            }
        });
        each_bit(four, |bit| {
            let at = bit.trailing_zeros() as usize;
            found[at] = facts_of_class(class_at(bytes, at).0);
        });
        self.add_facts(L::load(&found));
    }

    /// Adds U+0400 to U+045F, the letters of Russian and its neighbours, and returns where they begin, among the `leads`
    /// of two bytes. Upper case comes first, up to U+042F.
    #[inline(always)]
    fn add_cyrillic(&mut self, lanes: impl Lanes, leads: u64) -> u64 {
        let (first, second) = (lanes.equal(0xD0) & leads, lanes.equal(0xD1) & leads);
        if first | second == 0 {
            return 0;
        }
        let upper = first & lanes.within(0x80, 0xAF) >> 1;
        let lower = first & !upper | second & lanes.within(0x80, 0x9F) >> 1;
        self.add_letters(upper, lower)
    }

    /// The same with U+00C0 to U+00FF, of which U+00D7 and U+00F7 are no letters and lower case begins at U+00DF.
    #[inline(always)]
    fn add_latin(&mut self, lanes: impl Lanes, leads: u64) -> u64 {
        let all = lanes.equal(0xC3) & leads;
        if all == 0 {
            return 0;
        }
        let letters = all & !((lanes.equal(0x97) | lanes.equal(0xB7)) >> 1);
        let upper = letters & lanes.within(0x80, 0x9E) >> 1;
        self.add_letters(upper, letters & !upper);
        all
    }

    /// Adds letters of two bytes that may be upper or lower case, and returns all.
    #[inline(always)]
    fn add_letters(&mut self, upper: u64, lower: u64) -> u64 {
        let both = upper | lower;
        self.letters |= both | both << 1;
        self.upper |= upper | upper << 1;
        self.lower |= lower | lower << 1;
        both
    }

    /// Adds what is known of each character, at its first byte.
    #[inline(always)]
    fn add_facts(&mut self, found: impl Lanes) {
        let [two, _, four] = self.leads;
        let whole = |at: u64| at | at << 1 | (at & !two) << 2 | (at & four) << 3;
        let (letter, upper, lower) = (found.with(facts::LETTER), found.with(facts::UPPER), found.with(facts::LOWER));
        self.letters |= whole(letter);
        self.numbers |= whole(lower & !upper & !letter);
        self.spaces |= whole(upper & !lower & !letter);
        self.marks |= whole(upper & lower & !letter);
        self.upper |= whole(upper & (letter | lower));
        self.lower |= whole(lower & (letter | upper));
        self.splits = found.with(facts::SPLIT);
        self.own_tokens = [found.with(facts::ONE_TOKEN), found.with(facts::TWO_TOKENS)];
    }
}

/// Where U+2010 to U+2027 begin, among the `leads` of three bytes: dashes and curly quotes, which are of no class.
#[inline(always)]
fn general_punctuation(lanes: impl Lanes, leads: u64) -> u64 {
    let first = lanes.equal(0xE2) & leads;
    if first == 0 { 0 } else { first & lanes.equal(0x80) >> 1 & lanes.within(0x90, 0xA7) >> 2 }
}

#[cold]
fn pad(rest: &[u8]) -> [u8; WIDTH] {
    let mut bytes = [0; WIDTH];
    bytes[..rest.len()].copy_from_slice(rest);
    bytes
}

/// Calls `f` with every bit of a mask by itself, in order.
#[inline(always)]
pub(super) fn each_bit(mut bits: u64, mut f: impl FnMut(u64)) {
    while bits != 0 {
        let bit = bits & bits.wrapping_neg();
        f(bit);
        bits ^= bit;
    }
}

/// The bits below the lowest of `mask`.
#[inline(always)]
pub(super) fn before_lowest(mask: u64) -> u64 {
    mask.wrapping_sub(1) & !mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::classes::{LETTER, LOWER, MARK, NUMBER, SPACE, UPPER};
    use crate::tokens::lanes::Portable;

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
            // Nobody asks it of those.
            if c.len_utf8() == 3 && !('\u{2010}'..='\u{2027}').contains(&c) {
                masks.splits |= 1 << at;
            }
        }
        masks.own_tokens = [masks.splits; 2];
        masks
    }

    #[test]
    fn blocks_are_classified_as_single_characters_are() {
        let characters = Characters::new([].into_iter());
        let ascii: String = (0..128_u8).map(char::from).collect();
        let mixed = "aé中😀Ж1½\u{301}\u{A0}\u{3000}'/ ".repeat(8);
        let two_bytes: String = ('\u{80}'..='\u{7FF}').collect();
        let general: String = ('\u{2000}'..='\u{20FF}').collect();
        for text in [&ascii, &mixed, &two_bytes, &general] {
            for start in (0..text.len()).filter(|&start| text.is_char_boundary(start)) {
                let expected = one_by_one(&text[start..]);
                assert_eq!(
                    Masks::load::<Portable>(text.as_bytes(), start, &characters),
                    expected,
                    "{:?}",
                    &text[start..]
                );
            }
        }
    }
}
