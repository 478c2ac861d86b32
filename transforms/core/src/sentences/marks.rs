//! The marks at which a sentence may end, and the search for the next of them.
//!
//! The search looks at 64 bytes at a time for the first bytes of marks; a lead byte of a longer character is
//! followed up only when the bytes behind it fit too, so that Arabic, Devanagari or Chinese text costs hardly more
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

/// The last bytes of the marks longer than one byte, as bits of a set, by a hash of the bytes before.
const LAST_BYTES: [u64; 64] = {
    let (mut table, mut index) = ([0; 64], 0);
    while index < MARKS.len() {
        let mut buffer = [0; 4];
        match MARKS[index].0.encode_utf8(&mut buffer).as_bytes() {
            [first, last] => table[slot(*first, 0)] |= 1 << (*last & 63),
            [first, second, last] => table[slot(*first, *second)] |= 1 << (*last & 63),
            _ => (),
        }
        index += 1;
    }
    table
};

/// Where [`LAST_BYTES`] has what follows `first` and `second`; 0 for the second if it is the last.
const fn slot(first: u8, second: u8) -> usize {
    (first ^ (first << 3) ^ second) as usize % 64
}

/// Bytes looked at in one step.
const BLOCK: usize = 64;
/// Bytes compared at once.
const LANES: usize = 16;
/// A colon or semicolon is a mark at most so many bytes behind one that is no ASCII, see [`follows_armenian`].
const NEAR: usize = 4;

/// Goes from mark to mark.
///
/// Keeps which bytes of a block may begin a mark, so that no byte is searched twice however near the marks stand.
#[derive(Debug)]
pub(super) struct Marks<'t> {
    text: &'t str,
    /// Where the block begins.
    start: usize,
    /// One bit for each byte of the block that may begin a mark and was not passed.
    found: u64,
}

impl<'t> Marks<'t> {
    /// Those from `from` on.
    pub fn new(text: &'t str, from: usize) -> Self {
        Self { text, start: from, found: first_bytes_at(text.as_bytes(), from) }
    }

    /// The next mark at or after `from`: what it is and where. `from` never falls.
    pub fn next(&mut self, from: usize) -> Option<(Mark, usize)> {
        if from - self.start < BLOCK {
            self.found &= u64::MAX << (from - self.start);
        } else {
            self.search(from);
        }
        loop {
            while self.found != 0 {
                let at = self.start + self.found.trailing_zeros() as usize;
                self.found &= self.found - 1;
                if let Some(mark) = mark_at(self.text, at) {
                    return Some((mark, at));
                }
            }
            if self.start + BLOCK >= self.text.len() {
                return None;
            }
            self.search(self.start + BLOCK);
        }
    }

    fn search(&mut self, start: usize) {
        self.start = start;
        self.found = first_bytes_at(self.text.as_bytes(), start);
    }
}

/// One bit for each byte of the block at `start` that may begin a mark.
#[inline]
fn first_bytes_at(bytes: &[u8], start: usize) -> u64 {
    let (before, rest) = bytes.split_at(start);
    let after_wide = before.last_chunk::<NEAR>().is_some_and(|near| !near.is_ascii());
    if let Some(block) = rest.first_chunk() {
        return first_bytes_in(block, after_wide);
    }
    let mut block = [0; BLOCK + 2];
    block[..rest.len()].copy_from_slice(rest);
    first_bytes_in(&block, after_wide)
}

/// One bit for each byte of `block`, but the last two, that may begin a mark; those are there to follow others.
///
/// Marks longer than a byte, and marks of ASCII that only follow such letters, are sought where those are.
#[inline]
fn first_bytes_in(block: &[u8; BLOCK + 2], after_wide: bool) -> u64 {
    let mut all = u8x16::splat(0);
    let mut found = each_lane(block, |[first, ..]| {
        all |= first;
        ascii_marks(first)
    });
    if after_wide {
        let [first, ..] = lane(block, 0);
        found |= u64::from(joint_marks(first).to_bitmask());
    }
    if all.to_bitmask() != 0 {
        found |= wide_marks(block);
    }
    found
}

/// One bit for each byte of `block` that `marks` says yes to, asked with the two bytes behind.
#[inline]
fn each_lane(block: &[u8; BLOCK + 2], mut marks: impl FnMut([u8x16; 3]) -> u8x16) -> u64 {
    let mut found = 0;
    for start in (0..BLOCK).step_by(LANES) {
        found |= u64::from(marks(lane(block, start)).to_bitmask()) << start;
    }
    found
}

/// The bytes from `start` on, those behind each, and those behind these.
#[inline]
fn lane(block: &[u8; BLOCK + 2], start: usize) -> [u8x16; 3] {
    [0, 1, 2].map(|ahead| u8x16::new(*block[start + ahead..].first_chunk().unwrap_or(&[0; LANES])))
}

/// Which bytes are marks of every script.
#[inline]
fn ascii_marks(first: u8x16) -> u8x16 {
    let is = |byte: u8| first.simd_eq(u8x16::splat(byte));
    let exclamation_or_bracket = (first & u8x16::splat(!8)).simd_eq(u8x16::splat(b'!'));
    is(b'\n') | is(b'\r') | is(b'.') | is(b'?') | exclamation_or_bracket
}

/// Which bytes are marks only behind letters of their scripts.
#[inline]
fn joint_marks(first: u8x16) -> u8x16 {
    first.simd_eq(u8x16::splat(b';')) | first.simd_eq(u8x16::splat(b':'))
}

/// Which bytes of `block` may begin a mark longer than a byte, or one of ASCII behind letters of its script.
///
/// Each question is asked of the whole block, and only if some character of it is of such a script: a branch for
/// every lane is guessed wrong at every other quote.
#[inline]
fn wide_marks(block: &[u8; BLOCK + 2]) -> u64 {
    let mut leads = u8x16::splat(0);
    let mut found = each_lane(block, |[first, second, third]| {
        let general = first.simd_eq(u8x16::splat(0xE2));
        leads = leads.max(first & !general);
        general & behind_quotes(second, third)
    });
    let has = |least: u8| leads.max(u8x16::splat(least)).simd_eq(leads).to_bitmask() != 0;
    if has(0xD6) {
        // Armenian and all after it
        found |= each_lane(block, |[first, second, _]| greek_marks(first) | script_marks(first, second));
    } else if has(0xCD) {
        // Greek, Cyrillic
        found |= each_lane(block, |[first, ..]| greek_marks(first));
    }
    found
}

/// Which bytes may begin a mark of Greek, or one behind letters of Armenian.
#[inline]
fn greek_marks(first: u8x16) -> u8x16 {
    first.simd_eq(u8x16::splat(0xCD)) | joint_marks(first)
}

/// Which general punctuation, by its second and third bytes, is no curly quote or dash and may be a mark.
#[inline]
fn behind_quotes(second: u8x16, third: u8x16) -> u8x16 {
    third.max(u8x16::splat(0xA6)).simd_eq(third) | second.simd_eq(u8x16::splat(0x81))
}

/// Which bytes may begin a mark of the scripts from Armenian on.
///
/// First bytes that whole scripts share are told from letters by the second byte, the others by [`mark_at`].
#[inline]
fn script_marks(first: u8x16, second: u8x16) -> u8x16 {
    let is = |byte: u8| first.simd_eq(u8x16::splat(byte));
    let pair = |one: u8, two: u8| is(one) & second.simd_eq(u8x16::splat(two));
    let shared = pair(0xD6, 0x89) | pair(0xD8, 0x9F) | pair(0xDB, 0x94) | pair(0xE0, 0xA5) | pair(0xE3, 0x80);
    shared | is(0xE1) | is(0xEF)
}

/// The mark that begins at `at`, if any.
#[inline]
pub(super) fn mark_at(text: &str, at: usize) -> Option<Mark> {
    let bytes = text.as_bytes();
    match *bytes.get(at)? {
        first @ ..0x80 => ascii_mark_at(text, at, first),
        first @ ..0xE0 => long_mark_at(text, at, slot(first, 0), *bytes.get(at + 1)?),
        first => long_mark_at(text, at, slot(first, *bytes.get(at + 1)?), *bytes.get(at + 2)?),
    }
}

#[inline]
fn long_mark_at(text: &str, at: usize, slot: usize, last: u8) -> Option<Mark> {
    if LAST_BYTES[slot] >> (last & 63) & 1 == 1 { long_mark(char_at(text, at)?) } else { None }
}

#[inline]
fn ascii_mark_at(text: &str, at: usize, byte: u8) -> Option<Mark> {
    match byte {
        b';' => char_before(text, at).is_some_and(is_greek).then_some(Mark::Strong),
        b':' => follows_armenian(text, at).then_some(Mark::Full),
        _ => ASCII_MARKS[byte as usize],
    }
}

/// The marks of one byte.
const ASCII_MARKS: [Option<Mark>; 128] = {
    let (mut table, mut index) = ([None; 128], 0);
    while index < MARKS.len() {
        if MARKS[index].0.is_ascii() {
            table[MARKS[index].0 as usize] = Some(MARKS[index].1);
        }
        index += 1;
    }
    table
};

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
            for pad in 0..90 {
                let text = format!("{}{before}{c}{}", "y".repeat(pad), "z".repeat(100 - pad));
                assert_eq!(Marks::new(&text, 0).next(0), Some((mark, pad + before.len())), "{text}");
            }
        }
    }

    #[test]
    fn colon_and_semicolon_are_marks_only_in_their_scripts() {
        assert_eq!(Marks::new("a: b; c", 0).next(0), None);
        assert_eq!(Marks::new("τι;", 0).next(0), Some((Mark::Strong, 4)));
        assert_eq!(Marks::new("ինչ»:", 0).next(0), Some((Mark::Full, 8)));
        for pad in 0..20 {
            let text = format!("{}ինչ\"\"\":", "y".repeat(pad));
            assert_eq!(Marks::new(&text, 0).next(0), Some((Mark::Full, pad + 9)), "{text}");
        }
    }
}
