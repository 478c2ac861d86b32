//! Looks around a place in the text. Each is capped in bytes, so that asking at every mark stays linear.

use std::ops::Range;

use wide::u8x16;

use super::chars::{is_bullet, is_dash, is_letter, is_opener};

/// How far a look back for the word before a stop goes; longer words are no abbreviations.
const WORD_BYTES: usize = 40;
/// How far a look ahead for the next word goes past quotes, brackets and dashes.
const OPENERS: usize = 10;

/// The character at `at`; none at the end or inside a character.
pub(super) fn char_at(text: &str, at: usize) -> Option<char> {
    match text.as_bytes().get(at) {
        Some(&byte) if byte < 0x80 => Some(char::from(byte)),
        Some(_) => text.get(at..)?.chars().next(),
        None => None,
    }
}

/// The character that ends at `at`.
pub(super) fn char_before(text: &str, at: usize) -> Option<char> {
    match *text.as_bytes().get(at.checked_sub(1)?)? {
        byte if byte < 0x80 => Some(char::from(byte)),
        _ => text.get(..at)?.chars().next_back(),
    }
}

/// Whether `text` has `c` at `at`.
pub(super) fn has(text: &str, at: usize, c: char) -> bool {
    char_at(text, at) == Some(c)
}

/// Where the run of characters that satisfy `wanted` ends, from `at` on. Not capped: callers move on past the run.
pub(super) fn skip(text: &str, mut at: usize, wanted: impl Fn(char) -> bool) -> usize {
    while let Some(c) = char_at(text, at).filter(|&c| wanted(c)) {
        at += c.len_utf8();
    }
    at
}

/// The next LF or CR at or after `from`.
pub(super) fn next_line_end(text: &str, from: usize) -> Option<usize> {
    next_of(text.as_bytes(), from, *b"\n\r")
}

/// The next byte at or after `from` that is one of two, sixteen at a time.
pub(super) fn next_of(bytes: &[u8], from: usize, wanted: [u8; 2]) -> Option<usize> {
    let [one, other] = wanted.map(u8x16::splat);
    let mut start = from;
    while let Some(block) = bytes.get(start..).and_then(<[u8]>::first_chunk) {
        let block = u8x16::new(*block);
        let found = (block.simd_eq(one) | block.simd_eq(other)).to_bitmask();
        if found != 0 {
            return Some(start + found.trailing_zeros() as usize);
        }
        start += 16;
    }
    let rest = bytes.get(start..)?;
    rest.iter().position(|byte| wanted.contains(byte)).map(|index| start + index)
}

/// Where the last two line ends right behind each other begin in a part of a text, sixteen bytes at a time. Blank lines
/// with white space in them are passed over.
pub(super) fn last_blank_line(text: &str, within: Range<usize>) -> Option<usize> {
    let bytes = &text.as_bytes()[..within.end];
    let mut end = within.end;
    while let Some(block) = bytes[within.start..end].last_chunk::<17>() {
        let [first, second] = [0, 1].map(|ahead| u8x16::new(*block[ahead..].first_chunk().unwrap_or(&[0; 16])));
        let (line_feed, carriage_return) = (u8x16::splat(b'\n'), u8x16::splat(b'\r'));
        let found = first.simd_eq(line_feed) & (second.simd_eq(line_feed) | second.simd_eq(carriage_return));
        end -= 16;
        if found.to_bitmask() != 0 {
            return Some(end - 1 + found.to_bitmask().ilog2() as usize);
        }
    }
    let rest = &bytes[within.start..end];
    let last = rest.windows(2).rposition(|pair| matches!(pair, [b'\n', b'\n' | b'\r']))?;
    Some(within.start + last)
}

/// A run of whitespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    /// Where it begins.
    pub start: usize,
    /// Where it ends: at the next visible character or the end of the text.
    pub end: usize,
    /// Line ends in it; CR LF is one, PARAGRAPH SEPARATOR counts as two.
    pub newlines: usize,
}

impl Gap {
    /// The whitespace at `start`, perhaps none. Not capped: the splitter goes on from its end.
    #[inline]
    pub fn at(text: &str, start: usize) -> Self {
        // Nearly always it is one space, one line end or one blank line.
        match text.as_bytes().get(start..) {
            Some([b' ', b'!'..=b'~', ..]) => Self { start, end: start + 1, newlines: 0 },
            Some([b'\n', b'!'..=b'~', ..]) => Self { start, end: start + 1, newlines: 1 },
            Some([b'\n', b'\n', b'!'..=b'~', ..]) => Self { start, end: start + 2, newlines: 2 },
            _ => Self::read(text, start),
        }
    }

    fn read(text: &str, start: usize) -> Self {
        let bytes = text.as_bytes();
        let (mut end, mut newlines) = (start, 0);
        while let Some(&byte) = bytes.get(end) {
            match byte {
                b' ' | b'\t' | 0x0B | 0x0C => (),
                b'\n' => newlines += usize::from(end == start || bytes[end - 1] != b'\r'),
                b'\r' => newlines += 1,
                ..0x80 => break,
                _ => match char_at(text, end) {
                    Some(c) if c.is_whitespace() => {
                        newlines += match c {
                            '\u{2028}' => 1,
                            '\u{2029}' => 2,
                            _ => 0,
                        };
                        end += c.len_utf8() - 1;
                    }
                    _ => break,
                },
            }
            end += 1;
        }
        Self { start, end, newlines }
    }

    /// Whether there is no whitespace at all.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether a blank line lies in it.
    pub fn is_blank_line(self) -> bool {
        self.newlines > 1
    }
}

/// The word that ends at `end`: back to whitespace, a bracket, a quote or another separator, never before `floor`.
///
/// Dots, hyphens and letters of any kind belong to it. A word longer than [`WORD_BYTES`] comes back cut.
pub(super) fn word_before(text: &str, floor: usize, end: usize) -> &str {
    let bytes = text.as_bytes();
    let letters = Letters::before(text, end).count;
    // Nearly always it is a short word of ASCII letters behind a space.
    if end > floor + letters && bytes[end - letters - 1] == b' ' {
        return &text[end - letters..end];
    }
    let floor = if end - floor > WORD_BYTES { text.ceil_char_boundary(end - WORD_BYTES) } else { floor };
    let mut start = end - letters.min(end - floor);
    while start > floor {
        let byte = bytes[start - 1];
        if byte < 0x80 {
            if !IN_WORDS[byte as usize] {
                break;
            }
            start -= 1;
        } else if start > floor + 1 && matches!(bytes[start - 2], 0xC3..=0xD7) {
            // Latin, Greek, Cyrillic, Armenian or Hebrew: none of its characters parts words.
            start -= 2;
        } else {
            match char_before(text, start) {
                Some(c) if !separates_words(c) => start -= c.len_utf8(),
                _ => break,
            }
        }
    }
    &text[start..end]
}

/// The ASCII letters that end at some place.
pub(super) struct Letters {
    /// How many they are; sixteen may be more, near the beginning of the text all are left out.
    pub count: usize,
    /// How many small ones end there.
    pub small: usize,
}

impl Letters {
    /// Those that end at `end`, all looked at at once.
    #[inline]
    pub fn before(text: &str, end: usize) -> Self {
        let Some(block) = text.as_bytes()[..end].last_chunk() else { return Self { count: 0, small: 0 } };
        let block = u8x16::new(*block);
        let in_alphabet = |bytes: u8x16| {
            let place = bytes - u8x16::splat(b'a');
            let found = place.min(u8x16::splat(25)).simd_eq(place).to_bitmask();
            (!(found << 16)).leading_zeros() as usize
        };
        Self { count: in_alphabet(block | u8x16::splat(0x20)), small: in_alphabet(block) }
    }
}

/// The ASCII characters that words are made of.
const IN_WORDS: [bool; 128] = {
    let mut table = [false; 128];
    let mut byte: u8 = 0;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'&' | b'@' | b'%' | b'$');
        byte += 1;
    }
    table
};

/// Whether words are made of `byte`, or it is none of ASCII.
pub(super) fn is_in_words(byte: u8) -> bool {
    byte >= 0x80 || IN_WORDS[byte as usize]
}

/// Whether `c`, none of ASCII, stands between words.
fn separates_words(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '“' | '”' | '„' | '‚' | '‘' | '’' | '«' | '»' | '‹' | '›' | '…' | '¿' | '¡')
        || matches!(c, '、' | '，' | '。' | '「' | '」' | '『' | '』' | '（' | '）' | '：' | '；' | '،' | '؛')
        || is_dash(c)
        || is_bullet(c)
}

/// Where the next sentence's first word would begin: past openers and dashes with the spaces among them.
pub(super) fn past_openers(text: &str, from: usize) -> usize {
    let mut at = from;
    for _ in 0..OPENERS {
        match char_at(text, at) {
            Some('a'..='z' | 'A'..='Z') => break,
            // Two commas are how `„` is typed.
            Some(',') if has(text, at + 1, ',') => at += 2,
            Some(c) if is_opener(c) || (at > from && matches!(c, ' ' | '\u{A0}')) => at += c.len_utf8(),
            _ => break,
        }
    }
    at
}

/// The letters from `at` on, at most [`WORD_BYTES`] bytes of them.
pub(super) fn word_after(text: &str, at: usize) -> &str {
    let rest = &text[at..text.floor_char_boundary((at + WORD_BYTES).min(text.len()))];
    let ascii = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    if rest.as_bytes().get(ascii).is_none_or(u8::is_ascii) {
        return &rest[..ascii];
    }
    let end = rest.find(|c: char| !is_letter(c)).unwrap_or(rest.len());
    &rest[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_count_line_ends_alike() {
        for (text, newlines) in [(" x", 0), ("\n x", 1), ("\r\n\r\n", 2), ("\n\r", 2), ("\r \r", 2), ("\u{2029}", 2)] {
            assert_eq!(Gap::at(text, 0).newlines, newlines, "{text:?}");
        }
        assert!(Gap::at("x", 0).is_empty());
    }

    #[test]
    fn the_word_before_keeps_dots_and_hyphens() {
        let text = "(see Jean-P.R";
        assert_eq!(word_before(text, 0, text.len()), "Jean-P.R");
        assert_eq!(word_before(text, 7, text.len()), "an-P.R");
        assert_eq!(word_before("l’Avv", 0, "l’Avv".len()), "Avv");
    }

    #[test]
    fn the_word_after_lies_past_quotes_and_dashes() {
        let text = "— “Ja”";
        assert_eq!(word_after(text, past_openers(text, 0)), "Ja");
    }
}
