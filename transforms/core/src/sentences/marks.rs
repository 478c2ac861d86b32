//! The marks at which a sentence may end, and the search for the next of them.
//!
//! The search looks at sixteen bytes at a time for the first bytes of marks; a lead byte of a longer character is
//! followed up only when the second byte fits too, so that Arabic, Devanagari or Chinese text costs hardly more
//! than English.

use wide::u8x16;

use super::chars::is_closer;
use super::look::{char_at, char_before};

/// What a mark is to the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// `.`: ends a sentence, an abbreviation, an ordinal or an initial.
    Stop,
    /// `…`
    Ellipsis,
    /// `!`, `?` and their doubles: hardly ever anything but an end.
    Strong,
    /// Marks of scripts that need no space after them: `。` `？` `।` `۔` `።` `။`.
    Full,
    /// `．`, a full stop and a decimal point.
    WideStop,
    /// LF, CR, LINE SEPARATOR, PARAGRAPH SEPARATOR.
    NewLine,
    /// `)`, which may end the number of an item of an inline list.
    Bracket,
}

/// Every mark that the search stops at.
const MARKS: &[(char, Mark)] = &[
    ('\n', Mark::NewLine),
    ('\r', Mark::NewLine),
    ('.', Mark::Stop),
    ('!', Mark::Strong),
    ('?', Mark::Strong),
    (')', Mark::Bracket),
    // Only after a letter of the script that ends sentences with them, see `mark_at`.
    (';', Mark::Strong), // Greek
    (':', Mark::Full),   // Armenian
    ('…', Mark::Ellipsis),
    ('‼', Mark::Strong),
    ('⁇', Mark::Strong),
    ('⁈', Mark::Strong),
    ('⁉', Mark::Strong),
    ('\u{2028}', Mark::NewLine),
    ('\u{2029}', Mark::NewLine),
    ('\u{37E}', Mark::Strong), // Greek question mark
    ('։', Mark::Full),
    ('؟', Mark::Full),
    ('۔', Mark::Full),
    ('।', Mark::Full),
    ('॥', Mark::Full),
    ('။', Mark::Full),
    ('።', Mark::Full),
    ('፧', Mark::Full),
    ('፨', Mark::Full),
    ('។', Mark::Full),
    ('៕', Mark::Full),
    ('᠃', Mark::Full),
    ('᱾', Mark::Full),
    ('。', Mark::Full),
    ('！', Mark::Full),
    ('？', Mark::Full),
    ('｡', Mark::Full),
    ('．', Mark::WideStop),
];

/// Per first byte of a mark: 1 for a mark of one byte, else the bits of the second bytes that may follow. 0 for none.
const SECOND_BYTES: [u64; 256] = second_bytes();

const fn second_bytes() -> [u64; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < MARKS.len() {
        let mut buffer = [0; 4];
        let encoded = MARKS[index].0.encode_utf8(&mut buffer).as_bytes();
        table[encoded[0] as usize] |= if encoded.len() == 1 { 1 } else { 1 << (encoded[1] & 63) };
        index += 1;
    }
    table
}

/// The bits of the last bytes of marks longer than one: rules out `’` and `”`, which have two bytes of `…`.
const LAST_BYTES: u64 = {
    let (mut bits, mut index) = (0, 0);
    while index < MARKS.len() {
        let mut buffer = [0; 4];
        let encoded = MARKS[index].0.encode_utf8(&mut buffer).as_bytes();
        bits |= if encoded.len() == 1 { 0 } else { 1 << (encoded[encoded.len() - 1] & 63) };
        index += 1;
    }
    bits
};

/// The marks of one byte. A test holds these and [`LEAD_BYTES`] to [`MARKS`].
const ASCII_MARKS: [u8; 8] = [b'\n', b'\r', b'.', b'!', b'?', b')', b';', b':'];
/// The first bytes of all other marks.
const LEAD_BYTES: [u8; 9] = [0xCD, 0xD6, 0xD8, 0xDB, 0xE0, 0xE1, 0xE2, 0xE3, 0xEF];

/// Bytes looked at in one step.
const BLOCK: usize = 16;

/// The next mark of `text` at or after `from`: what it is and where.
pub(super) fn next_mark(text: &str, from: usize) -> Option<(Mark, usize)> {
    let bytes = text.as_bytes();
    let mut start = from;
    while let Some(block) = bytes.get(start..).and_then(<[u8]>::first_chunk) {
        let mut found = first_bytes_in(*block);
        while found != 0 {
            let at = start + found.trailing_zeros() as usize;
            found &= found - 1;
            if !second_byte_fits(bytes, at) {
                continue;
            }
            if let Some(mark) = mark_at(text, at) {
                return Some((mark, at));
            }
        }
        start += BLOCK;
    }
    (start..bytes.len()).find_map(|at| mark_at(text, at).map(|mark| (mark, at)))
}

/// One bit for each byte of `block` that may begin a mark.
#[inline]
fn first_bytes_in(block: [u8; BLOCK]) -> u32 {
    let block = u8x16::new(block);
    let any_of = |firsts: &[u8]| {
        let none = u8x16::splat(0);
        firsts.iter().fold(none, |found, &first| found | block.simd_eq(u8x16::splat(first))).to_bitmask()
    };
    let is_ascii = block.to_bitmask() == 0;
    any_of(&ASCII_MARKS) | if is_ascii { 0 } else { any_of(&LEAD_BYTES) }
}

/// The mark that begins at `at`, if any.
pub(super) fn mark_at(text: &str, at: usize) -> Option<Mark> {
    let bytes = text.as_bytes();
    let first = *bytes.get(at)?;
    if first < 0x80 {
        return ascii_mark_at(text, at, first);
    }
    let last = *bytes.get(at + if first < 0xE0 { 1 } else { 2 })?;
    let possible = second_byte_fits(bytes, at) && LAST_BYTES >> (last & 63) & 1 == 1;
    if possible { long_mark(char_at(text, at)?) } else { None }
}

/// Whether the byte after the one at `at` is the second of a mark that begins with it; always for ASCII.
#[inline]
fn second_byte_fits(bytes: &[u8], at: usize) -> bool {
    let first = bytes[at];
    first < 0x80 || bytes.get(at + 1).is_some_and(|&second| SECOND_BYTES[first as usize] >> (second & 63) & 1 == 1)
}

fn ascii_mark_at(text: &str, at: usize, byte: u8) -> Option<Mark> {
    match byte {
        b'.' => Some(Mark::Stop),
        b'\n' | b'\r' => Some(Mark::NewLine),
        b'!' | b'?' => Some(Mark::Strong),
        b')' => Some(Mark::Bracket),
        b';' => char_before(text, at).is_some_and(is_greek).then_some(Mark::Strong),
        b':' => follows_armenian(text, at).then_some(Mark::Full),
        _ => None,
    }
}

fn long_mark(c: char) -> Option<Mark> {
    MARKS.iter().find(|(mark, _)| *mark == c).map(|&(_, mark)| mark)
}

fn is_greek(c: char) -> bool {
    matches!(c, '\u{386}'..='\u{3CE}' | '\u{1F00}'..='\u{1FFF}')
}

/// Letters of Armenian.
pub(super) fn is_armenian(c: char) -> bool {
    matches!(c, '\u{531}'..='\u{587}')
}

/// An Armenian letter before `at`, perhaps with a closing bracket or dots between.
fn follows_armenian(text: &str, mut at: usize) -> bool {
    for _ in 0..4 {
        match char_before(text, at) {
            Some(c) if c == '.' || is_closer(c) => at -= c.len_utf8(),
            before => return before.is_some_and(is_armenian),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_is_found_wherever_it_stands() {
        for &(c, mark) in MARKS {
            let before = match c {
                ';' => "ά",
                ':' => "ա",
                _ => "x",
            };
            for pad in 0..40 {
                let text = format!("{}{before}{c}{}", "y".repeat(pad), "z".repeat(40 - pad));
                assert_eq!(next_mark(&text, 0), Some((mark, pad + before.len())), "{text}");
            }
        }
    }

    #[test]
    fn first_bytes_are_those_of_the_table() {
        for byte in 0..=u8::MAX {
            let expected = if SECOND_BYTES[byte as usize] == 0 { 0 } else { 0xFFFF };
            assert_eq!(first_bytes_in([byte; BLOCK]), expected, "{byte:#x}");
        }
    }

    #[test]
    fn colon_and_semicolon_are_marks_only_in_their_scripts() {
        assert_eq!(next_mark("a: b; c", 0), None);
        assert_eq!(next_mark("τι;", 0), Some((Mark::Strong, 4)));
        assert_eq!(next_mark("ինչ»:", 0), Some((Mark::Full, 8)));
    }
}
