//! What the first characters of a line say about it: the block structure of Markdown and plain text.
//!
//! A lone line end inside wrapped text is no border. It is one where a block begins or ends there: a heading, a list
//! item, a table row, a fenced code block, a line of dialogue, a label (`Dear all:`), the end of an inline list; also
//! where a space before it shows, in text that writes none, that the line was ended on purpose.

use super::chars::{is_bullet, is_dash, is_east_asian, is_upper};
use super::look::{Gap, char_at, char_before, has, next_line_end, next_of, skip, word_after};
use super::words::{List, Lists};

/// What a line is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Line {
    /// Running text, perhaps the continuation of the line before.
    #[default]
    Text,
    /// `# Heading`: stands alone.
    Heading,
    /// `| a table | row |`: stands alone.
    Row,
    /// The first line of a list item, a definition, a reply in a dialogue.
    Item,
    /// A line of a block quotation; goes on with the quoted line before.
    Quote,
    /// `---`, `===`: underlines the line before or separates; what follows is new.
    Rule,
    /// The first line of a fenced code block.
    Fence,
}

impl Line {
    /// What the line is whose first visible character is at `at`.
    pub fn at(text: &str, at: usize) -> Self {
        if Self::is_plain(text, at) {
            return Self::Text;
        }
        match char_at(text, at) {
            Some('#') if is_heading(text, at) => Self::Heading,
            Some('|') => Self::Row,
            Some('>') => Self::Quote,
            Some('`' | '~') if fence_length(text, at) >= FENCE => Self::Fence,
            Some('-' | '=' | '*' | '_') if is_rule(text, at) => Self::Rule,
            Some(first) if is_item(text, at, first) => Self::Item,
            _ => Self::Text,
        }
    }

    /// Whether an ASCII letter at `at` shows that the line is [`Line::Text`], as of most lines.
    #[inline]
    pub fn is_plain(text: &str, at: usize) -> bool {
        matches!(text.as_bytes().get(at..), Some(line @ [b'a'..=b'z' | b'A'..=b'Z', ..]) if !may_count(line))
    }

    /// Whether a line end between a line of kind `self` and one of kind `next` is a border.
    pub fn ends_before(self, next: Self) -> bool {
        matches!(self, Self::Heading | Self::Row | Self::Rule | Self::Fence)
            || matches!(next, Self::Heading | Self::Row | Self::Item | Self::Fence)
            || (next == Self::Quote && self != Self::Quote)
    }
}

/// Whether a space stands before the line end at `at` in text that writes none: it was typed to end a paragraph.
pub(super) fn ends_by_space(text: &str, at: usize) -> bool {
    let end = before_spaces(text, at);
    end < at && char_before(text, end).is_some_and(is_east_asian)
}

/// Whether the sentence up to the line end at `at` is a label: a line of up to three words and a colon.
pub(super) fn is_label(text: &str, sentence: usize, at: usize) -> bool {
    let end = before_spaces(text, at);
    let label = text.get(sentence..end).unwrap_or_default();
    label.len() <= LONGEST_LABEL
        && label.ends_with([':', '：'])
        && !label.contains(['\n', '\r'])
        && label.split_whitespace().count() <= 3
        && begins_line(text, sentence)
}

/// Whether the line end at `at` ends an inline list: `1) salt 2) oil`, then a line that begins with a capital.
pub(super) fn ends_inline_list(text: &str, sentence: usize, at: usize) -> bool {
    let is_inline_item = Enumerator::at(text, sentence).is_some() && !begins_line(text, sentence);
    is_inline_item && char_at(text, Gap::at(text, at).end).is_some_and(is_upper)
}

/// Whether only spaces stand between the beginning of its line and `at`.
fn begins_line(text: &str, at: usize) -> bool {
    matches!(char_before(text, before_spaces(text, at)), None | Some('\n' | '\r'))
}

/// Back over at most eight spaces.
fn before_spaces(text: &str, at: usize) -> usize {
    at - text.as_bytes()[..at].iter().rev().take(8).take_while(|&&byte| byte == b' ').count()
}

/// The longest label in bytes.
const LONGEST_LABEL: usize = 48;
/// Fewest backticks or tildes of a fence.
pub(super) const FENCE: usize = 3;
/// Longest fence that is told from a longer one; bounds the searches for an end that is not there.
const LONGEST_FENCE: usize = 8;

/// How many marks of a fence stand at `at`, at most [`LONGEST_FENCE`].
pub(super) fn fence_length(text: &str, at: usize) -> usize {
    let bytes = &text.as_bytes()[at..];
    bytes.iter().take(LONGEST_FENCE).take_while(|&&byte| byte == bytes[0]).count()
}

fn is_heading(text: &str, at: usize) -> bool {
    let marks = text.as_bytes()[at..].iter().take(7).take_while(|&&byte| byte == b'#').count();
    marks < 7 && matches!(char_at(text, at + marks), None | Some(' ' | '\t' | '\n' | '\r'))
}

/// A thematic break or the underline of a heading: three or more of one mark and nothing else.
fn is_rule(text: &str, at: usize) -> bool {
    let mark = char_at(text, at);
    let end = skip(text, at, |c| Some(c) == mark || c == ' ');
    end - at >= 3
        && has(text, at + 1, mark.unwrap_or_default())
        && matches!(char_at(text, end), None | Some('\n' | '\r'))
}

fn is_item(text: &str, at: usize, first: char) -> bool {
    let after = || is_space(char_at(text, at + first.len_utf8()));
    match first {
        '0'..='9' | 'a'..='z' | 'A'..='Z' | '(' => is_numbered(text, at),
        '-' | '*' | '+' => after(),
        '[' => has(text, at + 1, '^'),
        '\0'..='\u{7F}' => false,
        _ => is_bullet(first) || matches!(first, '①'..='⓿') || (is_dash(first) && after()),
    }
}

fn is_numbered(text: &str, at: usize) -> bool {
    // `3. Oktober` is a date that the line begins with.
    let is_date =
        |item: Enumerator| Lists::of(word_after(text, text.ceil_char_boundary(item.end + 1))).has(List::AfterOrdinals);
    Enumerator::at(text, at).is_some_and(|item| !is_date(item))
}

/// Whitespace or the end of the text.
fn is_space(c: Option<char>) -> bool {
    c.is_none_or(char::is_whitespace)
}

/// The number of a list item: `1.` `1)` `1.)` `(1)` `a.` `a)` `A)` `iv.` with whitespace after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Enumerator {
    /// Its place in the list, read as digits, as a letter, as a Roman numeral; 0 where it is none (`i` may be two).
    places: [u32; 3],
    /// Whether it ends in `)`.
    bracket: bool,
    /// Where it ends.
    end: usize,
}

impl Enumerator {
    /// The enumerator at `at`, if one stands there.
    #[inline]
    pub fn at(text: &str, at: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let start = at + usize::from(bytes.get(at) == Some(&b'('));
        if may_count(bytes.get(start..)?) { Self::read(text, at, start) } else { None }
    }

    fn read(text: &str, at: usize, start: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let word_end = (start..start + 5).find(|&end| !bytes.get(end).is_some_and(u8::is_ascii_alphanumeric))?;
        let dot = usize::from(start == at && bytes.get(word_end) == Some(&b'.'));
        let bracket = bytes.get(word_end + dot) == Some(&b')');
        if !(bracket || (dot == 1 && !bytes[start].is_ascii_uppercase())) {
            return None;
        }
        let end = word_end + dot + usize::from(bracket);
        let places = places(&text[start..word_end])?;
        is_space(char_at(text, end)).then_some(Self { places, bracket, end })
    }

    /// Whether it may be a list's first.
    pub fn is_first(self) -> bool {
        self.places.contains(&1)
    }

    /// Whether `next` is the item after this one in the same list.
    pub fn precedes(self, next: Self) -> bool {
        let mut readings = self.places.iter().zip(next.places);
        self.bracket == next.bracket && readings.any(|(&place, following)| place > 0 && following == place + 1)
    }
}

/// A number, a small Roman numeral or a single letter, then a dot or bracket: all else is ruled out by two bytes.
#[inline]
fn may_count(bytes: &[u8]) -> bool {
    matches!(bytes, [first, second, ..] if COUNTING[*first as usize].0 & COUNTING[*second as usize].1 != 0)
}

/// What a byte may be the first of in an enumerator, and what it may be the second of, as bits: no branch is
/// guessed wrong over the first letter of a line.
const COUNTING: [(u8, u8); 256] = {
    const NUMBER: u8 = 1;
    const ROMAN: u8 = 2;
    const LETTER: u8 = 4;
    let (mut table, mut byte) = ([(0, 0); 256], 0);
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'0'..=b'9' => (NUMBER, NUMBER),
            b'i' | b'v' | b'x' | b'I' | b'V' | b'X' => (ROMAN | LETTER, ROMAN),
            b'a'..=b'z' | b'A'..=b'Z' => (LETTER, 0),
            b'.' | b')' => (0, NUMBER | ROMAN | LETTER),
            _ => (0, 0),
        };
        byte += 1;
    }
    table
};

fn places(word: &str) -> Option<[u32; 3]> {
    const ROMAN: [&str; 15] =
        ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv"];
    if word.len() <= 3
        && let Ok(number) = word.parse()
    {
        return (number > 0).then_some([number, 0, 0]);
    }
    let letter = match word.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => u32::from(letter.to_ascii_lowercase() - b'a') + 1,
        _ => 0,
    };
    let numeral = |&(_, numeral): &(u32, &str)| word.eq_ignore_ascii_case(numeral);
    let is_roman = word.bytes().all(|byte| matches!(byte | 0x20, b'i' | b'v' | b'x'));
    let roman = if is_roman { (1..).zip(ROMAN).find(numeral) } else { None };
    let places = [0, letter, roman.map_or(0, |(place, _)| place)];
    (places != [0; 3]).then_some(places)
}

/// Fenced code blocks: finds their ends, once for every fence that has none.
#[derive(Debug, Default)]
pub(super) struct Fences {
    /// Shortest fence of backticks, of tildes, that was sought in vain.
    endless: [Option<usize>; 2],
}

impl Fences {
    /// Where the last line of the block begins whose first line begins at `at`; none if the fence is never closed.
    pub fn end(&mut self, text: &str, at: usize) -> Option<usize> {
        let mark = char_at(text, at)?;
        let length = fence_length(text, at);
        let endless = &mut self.endless[usize::from(mark == '~')];
        if endless.is_some_and(|shortest| shortest <= length) {
            return None;
        }
        let found = closing_line(text, at, mark, length);
        if found.is_none() {
            *endless = Some(length);
        }
        found
    }
}

/// The first line after `at`'s that holds nothing but `length` or more of `mark`: where its marks begin.
fn closing_line(text: &str, at: usize, mark: char, length: usize) -> Option<usize> {
    let is_blank = |c| matches!(c, ' ' | '\t');
    let mut end = next_line_end(text, at)?;
    loop {
        let start = next_of(text.as_bytes(), end, [mark as u8; 2])?;
        end = skip(text, start, |c| c == mark);
        let begins_line = text[..start].trim_end_matches(is_blank).ends_with(['\n', '\r']);
        let ends_line = matches!(char_at(text, skip(text, end, is_blank)), None | Some('\n' | '\r'));
        if end - start >= length && begins_line && ends_line {
            return Some(start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_known_by_their_first_characters() {
        for (line, kind) in [
            ("Plain words", Line::Text),
            ("## Heading", Line::Heading),
            ("#tag", Line::Text),
            ("| a | b |", Line::Row),
            ("> said", Line::Quote),
            ("```rust", Line::Fence),
            ("``code``", Line::Text),
            ("~~~~", Line::Fence),
            ("---", Line::Rule),
            ("=====  ", Line::Rule),
            ("- milk", Line::Item),
            ("-5 degrees", Line::Text),
            ("*emphasis* here", Line::Text),
            ("• milk", Line::Item),
            ("— Ja.", Line::Item),
            ("12. milk", Line::Item),
            ("3. Oktober", Line::Text),
            ("b) milk", Line::Item),
            ("B) milk", Line::Item),
            ("B. Smith", Line::Text),
            ("iv. milk", Line::Item),
            ("(iii) milk", Line::Item),
            ("[^1]: note", Line::Item),
            ("1.5 litres", Line::Text),
        ] {
            assert_eq!(Line::at(line, 0), kind, "{line}");
        }
    }

    #[test]
    fn a_fence_ends_at_a_line_of_as_many_marks() {
        let text = "```\nlet a = 1;\n``\n````\n";
        assert_eq!(Fences::default().end(text, 0), text.find("````"));
        assert_eq!(Fences::default().end("```\nlet a = 1;\n~~~\n", 0), None);
    }
}
