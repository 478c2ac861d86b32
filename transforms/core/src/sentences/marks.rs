//! The marks at which a sentence may end, and the search for the next of them.
//!
//! The search is one pass over the bytes with a 256-entry table; a lead byte of a longer character is followed up
//! only when the second byte fits too, so that Arabic, Devanagari or Chinese text costs hardly more than English.

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
    /// LF, CR, NEL, LINE SEPARATOR, PARAGRAPH SEPARATOR.
    NewLine,
    /// `)`, which may end the number of an item of an inline list.
    Bracket,
}

/// Every mark that the search stops at.
const MARKS: &[(char, Mark)] = &[
    ('\n', Mark::NewLine),
    ('\r', Mark::NewLine),
    ('\u{85}', Mark::NewLine),
    ('\u{2028}', Mark::NewLine),
    ('\u{2029}', Mark::NewLine),
    ('.', Mark::Stop),
    ('…', Mark::Ellipsis),
    ('!', Mark::Strong),
    ('?', Mark::Strong),
    ('‼', Mark::Strong),
    ('⁇', Mark::Strong),
    ('⁈', Mark::Strong),
    ('⁉', Mark::Strong),
    (')', Mark::Bracket),
    // Only after a letter of the script that ends sentences with them, see `mark_at`.
    (';', Mark::Strong), // Greek
    (':', Mark::Full),   // Armenian
    ('\u{37E}', Mark::Strong),
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

/// Per first byte: 0 for none, 1 for a mark of one byte, else the bits of the second bytes that may follow.
const FIRST_BYTES: [u64; 256] = first_bytes();

const fn first_bytes() -> [u64; 256] {
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

/// The next mark of `text` at or after `from`: what it is and where.
pub(super) fn next_mark(text: &str, from: usize) -> Option<(Mark, usize)> {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        let seconds = FIRST_BYTES[byte as usize];
        if seconds != 0 && (byte < 0x80 || seconds >> (bytes[at + 1] & 63) & 1 == 1) {
            if let Some(mark) = mark_at(text, at) {
                return Some((mark, at));
            }
        }
        at += 1;
    }
    None
}

/// The mark that begins at `at`, if any.
pub(super) fn mark_at(text: &str, at: usize) -> Option<Mark> {
    let c = char_at(text, at)?;
    match c {
        '.' => Some(Mark::Stop),
        '\n' | '\r' => Some(Mark::NewLine),
        '!' | '?' => Some(Mark::Strong),
        ')' => Some(Mark::Bracket),
        ';' => char_before(text, at).is_some_and(is_greek).then_some(Mark::Strong),
        ':' => follows_armenian(text, at).then_some(Mark::Full),
        _ => MARKS.iter().find(|(mark, _)| *mark == c).map(|&(_, mark)| mark),
    }
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
            Some(c) if is_closer(c) || c == '.' => at -= c.len_utf8(),
            before => return before.is_some_and(is_armenian),
        }
    }
    false
}
