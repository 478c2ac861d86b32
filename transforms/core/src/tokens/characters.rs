//! What is known of a character before any pretoken is: its classes, its own tokens, and whether a token may cross
//! from the byte before it into it.
//!
//! Byte-pair merging is additive over a place that no token crosses. Chinese and Japanese write whole clauses without
//! a space, so that pretokens are long and seldom repeat; but few tokens hold two of their characters, and cut at
//! these *splits* the pieces are short and repeat all the time (5 to 8 times the speed on Chinese and Japanese). Many
//! are a single character, whose tokens are known without a look-up.
//!
//! The test is a superset: per character the last byte, modulo 64, of what any token has before it. A false positive
//! costs speed, never exactness. It holds for any vocabulary: a merge across the place would be a token across it.

use super::classes::{LETTER, LOWER, MARK, NUMBER, SPACE, UPPER, class_of};
use rustc_hash::FxBuildHasher;
use std::{collections::HashMap, fmt, ops::Range};

/// What the bits of a character's facts say.
///
/// The lowest three are its classes. Those of a letter are `LETTER` and the cases it may have; a mark has both cases
/// but is no letter; a number has the bit of lower case alone, and white space that of upper.
pub(super) mod facts {
    pub(crate) const LOWER: u8 = 1 << 0;
    pub(crate) const UPPER: u8 = 1 << 1;
    pub(crate) const LETTER: u8 = 1 << 2;
    /// Its tokens by itself, 1 to 3, where it has three bytes: this bit is worth one, the next two.
    pub(crate) const ONE_TOKEN: u8 = 1 << 3;
    pub(crate) const TWO_TOKENS: u8 = 1 << 4;
    /// No token crosses from what is before it into it.
    pub(crate) const SPLIT: u8 = 1 << 5;
}

/// The facts of the characters of the Basic Multilingual Plane that are not ASCII.
pub(super) struct Characters {
    /// By code point: its facts but `SPLIT`, and above them the number of its set in `left_bytes`.
    entries: Box<[u16; PLANE]>,
    /// Sets of bytes that tokens have before a character or the beginning of one: bit `byte % 64`.
    left_bytes: Box<[u64; LEFT_BYTES]>,
}

const PLANE: usize = 1 << 16;
/// Sets that there is room for: cl100k has 192 and o200k 1,510. Number 0 is that of all bytes.
const LEFT_BYTES: usize = 1 << (16 - LEFT_BYTES_SHIFT);
const LEFT_BYTES_SHIFT: u32 = 5;

/// The code points of the characters of three bytes in the plane.
const THREE_BYTES: Range<usize> = 0x800..PLANE;

impl Characters {
    pub(super) fn new<'a>(tokens: impl Iterator<Item = &'a [u8]>) -> Characters {
        Characters::crossed_by(tokens, vec![0; PLANE])
    }

    /// For a vocabulary whose pieces must stay whole: as if there were a token across every place.
    pub(super) fn without_splits() -> Characters {
        Characters::crossed_by([].into_iter(), vec![u64::MAX; PLANE])
    }

    fn crossed_by<'a>(tokens: impl Iterator<Item = &'a [u8]>, mut left_bytes: Vec<u64>) -> Characters {
        let mut entries = vec![0; PLANE];
        let mut whole = vec![facts::ONE_TOKEN | facts::TWO_TOKENS; PLANE];
        for token in tokens {
            note_left_bytes(token, &mut left_bytes);
            note_own_tokens(token, &mut whole);
        }
        let left_bytes = number_sets(&left_bytes, &mut entries);
        for (code_point, entry) in entries.iter_mut().enumerate() {
            let own = if THREE_BYTES.contains(&code_point) { whole[code_point] } else { 0 };
            *entry |= u16::from(facts_of_class(class_of(code_point)) | own);
        }
        Characters { entries: array(entries), left_bytes: array(left_bytes) }
    }

    /// The facts of a character of two bytes.
    #[inline(always)]
    pub(super) fn of_two_bytes(&self, [lead, last]: [u8; 2]) -> u8 {
        // All that UTF-8 adds to the code point's own bits is taken off at once.
        let code_point = (u16::from(lead) << 6).wrapping_add(u16::from(last)).wrapping_sub(0x3080);
        self.entries[usize::from(code_point)] as u8 & !facts::SPLIT
    }

    /// The facts of a character of three bytes after the byte `left`.
    #[inline(always)]
    pub(super) fn of_three_bytes(&self, left: u8, [lead, middle, last]: [u8; 3]) -> u8 {
        let [lead, middle, last] = [u16::from(lead), u16::from(middle), u16::from(last)];
        let code_point = (lead << 12).wrapping_add(middle << 6).wrapping_add(last).wrapping_sub(0x2080);
        let entry = self.entries[usize::from(code_point)];
        let crossed = self.left_bytes[usize::from(entry >> LEFT_BYTES_SHIFT)] >> (left % 64) & 1;
        entry as u8 & (facts::SPLIT - 1) | ((crossed as u8 ^ 1) * facts::SPLIT)
    }

    /// Whether no token crosses `border` and all letters from `start` up to it, and the one after it, are of three bytes and
    /// without case.
    pub(super) fn fall_apart(&self, text: &[u8], start: usize, border: usize) -> bool {
        const CASELESS: u8 = facts::LETTER | facts::UPPER | facts::LOWER;
        let mut at = start;
        while let Some(&character) = text[at..].first_chunk()
            && character[0] & 0xF0 == 0xE0
        {
            let left = if at > start { text[at - 1] } else { 0 };
            let found = self.of_three_bytes(left, character);
            if found & CASELESS != CASELESS {
                return false;
            }
            if at >= border {
                return at == border && found & facts::SPLIT != 0;
            }
            at += 3;
        }
        false
    }

    /// The splits inside `text[piece]`, in order.
    #[inline(always)]
    pub(super) fn splits(&self, text: &[u8], piece: Range<usize>) -> impl Iterator<Item = usize> {
        let is_split = |window: &[u8]| match *window {
            [left, lead @ 0xE0..0xF0, middle, last] => {
                self.of_three_bytes(left, [lead, middle, last]) & facts::SPLIT != 0
            }
            _ => false,
        };
        let places = (piece.start + 1..).zip(text[piece].windows(4));
        places.filter(move |(_, window)| is_split(window)).map(|(at, _)| at)
    }
}

impl fmt::Debug for Characters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Characters").finish_non_exhaustive()
    }
}

/// The class bits of a character as the lowest bits of its facts.
pub(super) fn facts_of_class(class: u8) -> u8 {
    let has = |bit: u8, fact: u8| if class & bit == 0 { 0 } else { fact };
    let cases = has(LOWER, facts::LOWER) | has(UPPER, facts::UPPER);
    match class & (LETTER | MARK) {
        0 => has(NUMBER, facts::LOWER) | has(SPACE, facts::UPPER),
        _ => has(LETTER, facts::LETTER) | cases,
    }
}

/// Adds to the sets of all characters that `token` has after its first byte what it has before them.
fn note_left_bytes(token: &[u8], left_bytes: &mut [u64]) {
    for at in 1..token.len() {
        for set in &mut left_bytes[characters_beginning_with(&token[at..])] {
            *set |= 1 << (token[at - 1] % 64);
        }
    }
}

/// Lowers the tokens of those characters that have a token of two of their three bytes, or of all.
fn note_own_tokens(token: &[u8], own: &mut [u8]) {
    match *token {
        [lead, _, _] if lead & 0xF0 == 0xE0 => own[characters_beginning_with(token)].fill(facts::ONE_TOKEN),
        [lead, _] if lead & 0xF0 == 0xE0 => {
            own[characters_beginning_with(token)].iter_mut().for_each(|own| *own = (*own).min(facts::TWO_TOKENS));
        }
        [middle @ 0x80..0xC0, last @ 0x80..0xC0] => {
            let first = usize::from(middle & 0x3F) << 6 | usize::from(last & 0x3F);
            own[first..].iter_mut().step_by(1 << 12).for_each(|own| *own = (*own).min(facts::TWO_TOKENS));
        }
        _ => {}
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

/// The distinct sets, whose numbers it writes to `entries`. If there are too many, the rest counts as that of all bytes.
fn number_sets(sets: &[u64], entries: &mut [u16]) -> Vec<u64> {
    let mut distinct = vec![u64::MAX; LEFT_BYTES];
    let mut numbers = HashMap::with_capacity_and_hasher(LEFT_BYTES, FxBuildHasher);
    numbers.insert(u64::MAX, 0);
    for (set, entry) in sets.iter().zip(entries) {
        let next = numbers.len();
        let number = *numbers.entry(*set).or_insert(if next < LEFT_BYTES { next } else { 0 });
        if number > 0 {
            distinct[number] = *set;
        }
        *entry = (number as u16) << LEFT_BYTES_SHIFT;
    }
    distinct
}

fn array<T: fmt::Debug, const LENGTH: usize>(elements: Vec<T>) -> Box<[T; LENGTH]> {
    elements.try_into().unwrap_or_else(|_| unreachable!("made with that length"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn characters(tokens: &[&[u8]]) -> Characters {
        Characters::new(tokens.iter().copied())
    }

    #[test]
    fn a_place_inside_a_token_is_no_split() {
        let characters = characters(&["中文".as_bytes(), b" \xe6\x96", b"a\xe3"]);
        let is_split = |text: &str| characters.splits(text.as_bytes(), 0..text.len()).next().is_some();
        assert!(!is_split("中文"), "a token holds both");
        assert!(!is_split(" 文") && !is_split(" 斀"), "a token holds the beginning of either");
        assert!(!is_split("aか"));
        assert!(is_split("a文") && is_split("文中"));
        assert!(!is_split("文") && !is_split("é"));
    }

    #[test]
    fn a_characters_own_tokens() {
        let characters = characters(&["中".as_bytes(), b"\xe6\x96", b"\x87\xe3", b"\x81\x8b"]);
        let own = |c: &str| characters.of_three_bytes(0, c.as_bytes().try_into().unwrap()) / facts::ONE_TOKEN % 4;
        assert_eq!(["中", "文", "か", "国"].map(own), [1, 2, 2, 3]);
    }

    #[test]
    fn classes_of_well_known_characters() {
        let characters = characters(&[]);
        let class = |c: char| match c.len_utf8() {
            2 => characters.of_two_bytes(c.to_string().as_bytes().try_into().unwrap()) % 8,
            _ => characters.of_three_bytes(0, c.to_string().as_bytes().try_into().unwrap()) % 8,
        };
        assert_eq!(class('é'), facts::LETTER | facts::LOWER);
        assert_eq!(class('Ж'), facts::LETTER | facts::UPPER);
        assert_eq!(class('中'), facts::LETTER | facts::UPPER | facts::LOWER);
        assert_eq!(class('\u{301}'), facts::UPPER | facts::LOWER);
        assert_eq!(class('½'), facts::LOWER);
        assert_eq!(class('\u{3000}'), facts::UPPER);
        assert_eq!(class('“'), 0);
    }

    #[test]
    fn sets_that_do_not_fit_are_of_all_bytes() {
        let sets: Vec<u64> = (0..PLANE as u64).collect();
        let mut entries = vec![0; PLANE];
        let distinct = number_sets(&sets, &mut entries);
        for (set, entry) in sets.iter().zip(entries) {
            assert!([*set, u64::MAX].contains(&distinct[usize::from(entry >> LEFT_BYTES_SHIFT)]));
        }
    }
}
