//! Where text may be cut inside a sentence, from the best place to the worst.

use crate::graphemes::is_grapheme_border;

/// A kind of border, better ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Border {
    /// After a line end.
    Line,
    /// After a comma, semicolon or colon, in any script.
    Clause,
    /// Where a word begins after white space, or after a zero width space.
    Word,
}

const LINE_ENDS: [char; 7] = ['\n', '\r', '\x0B', '\x0C', '\u{85}', '\u{2028}', '\u{2029}'];

const ASCII_CLAUSE_MARKS: [char; 3] = [',', ';', ':'];

/// Commas, semicolons and colons that are such wherever they stand.
const CLAUSE_MARKS: [char; 22] = [
    '、', '，', '；', '：', '﹐', '﹑', '﹔', '﹕', '､', '،', '؛', '՝', '·', '፣', '፤', '፥', '፦', '၊', '᠂', '᠈', '꓾',
    '꘍',
];

/// What may close a quotation or bracket between a clause mark and the white space after it.
const CLOSERS: [char; 10] = ['"', '\'', '”', '’', '»', '“', ')', ']', '}', '`'];

impl Border {
    /// Whether there is a border of this kind between `before`, which is not empty, and `after`.
    fn is_between(self, before: &str, after: &str) -> bool {
        match self {
            Border::Line => is_line_border(before, after),
            Border::Clause => is_clause_border(before, after),
            Border::Word => before.ends_with(is_breaking_space) && !after.starts_with(char::is_whitespace),
        }
    }

    /// The last border of this kind in `text` after `start` and not after `at`.
    pub(super) fn last(self, text: &str, start: usize, at: usize) -> Option<usize> {
        let first_bytes = self.first_bytes();
        let places = (start..at).rev().filter(|&place| first_bytes[usize::from(text.as_bytes()[place])]);
        self.first_after(text, start, places)
    }

    /// The first border of this kind in `text` from `at` on and before `end`; `at` is after `start`.
    pub(super) fn first(self, text: &str, start: usize, at: usize, end: usize) -> Option<usize> {
        let first_bytes = self.first_bytes();
        let places =
            (text.floor_char_boundary(at - 1)..end).filter(|&place| first_bytes[usize::from(text.as_bytes()[place])]);
        self.first_after(text, start, places).filter(|&border| border < end)
    }

    /// The first border after a character that begins at one of `places`.
    fn first_after(self, text: &str, start: usize, places: impl Iterator<Item = usize>) -> Option<usize> {
        let is_border = |at: usize| {
            let (before, after) = (&text[start..at], &text[at..]);
            self.is_between(before, after) && is_grapheme_border(text, at)
        };
        places.map(|place| text.ceil_char_boundary(place + 1)).find(|&at| is_border(at))
    }

    /// First bytes of the characters after which there may be a border: most text is passed over by these alone.
    fn first_bytes(self) -> &'static [bool; 256] {
        static LINE: [bool; 256] = first_bytes_of(&[&LINE_ENDS]);
        static CLAUSE: [bool; 256] = first_bytes_of(&[&ASCII_CLAUSE_MARKS, &CLAUSE_MARKS, &CLOSERS]);
        static WORD: [bool; 256] = first_bytes_of(&[&SPACES]);
        match self {
            Border::Line => &LINE,
            Border::Clause => &CLAUSE,
            Border::Word => &WORD,
        }
    }
}

const fn first_bytes_of(lists: &[&[char]]) -> [bool; 256] {
    let mut first_bytes = [false; 256];
    let mut list = 0;
    while list < lists.len() {
        let mut number = 0;
        while number < lists[list].len() {
            let mut bytes = [0; 4];
            lists[list][number].encode_utf8(&mut bytes);
            first_bytes[bytes[0] as usize] = true;
            number += 1;
        }
        list += 1;
    }
    first_bytes
}

fn is_line_border(before: &str, after: &str) -> bool {
    before.ends_with(LINE_ENDS) && !(before.ends_with('\r') && after.starts_with('\n'))
}

fn is_clause_border(before: &str, after: &str) -> bool {
    let next = after.chars().next();
    let is_before_space = next.is_none_or(char::is_whitespace);
    // `He said "yes," and left`: the quotation mark stays with what it closes.
    if is_before_space && let Some(inner) = before.strip_suffix(CLOSERS) {
        return inner.ends_with(ASCII_CLAUSE_MARKS) || inner.ends_with(CLAUSE_MARKS);
    }
    let is_before_closed_space = || {
        let mut chars = after.chars();
        chars.next().is_some_and(|c| CLOSERS.contains(&c)) && chars.next().is_none_or(char::is_whitespace)
    };
    let is_mark = match before.as_bytes().last() {
        // Not in 1,000; but between the fields of JSON and CSV, which has no spaces.
        Some(b',' | b';') => !is_inside_number(before, after),
        // Not in 12:30, in a URL or between a key and its value.
        Some(b':') => is_before_space,
        _ => before.ends_with(CLAUSE_MARKS),
    };
    is_mark && !is_before_closed_space()
}

fn is_inside_number(before: &str, after: &str) -> bool {
    let bytes = before.as_bytes();
    bytes.len() > 1 && bytes[bytes.len() - 2].is_ascii_digit() && after.starts_with(|c: char| c.is_ascii_digit())
}

/// One of each first byte of the characters that are breaking spaces.
const SPACES: [char; 10] = ['\t', '\n', '\x0B', '\x0C', '\r', ' ', '\u{85}', '\u{1680}', '\u{200B}', '\u{3000}'];

/// White space at which lines may be broken, and the zero width space that marks words in scripts without spaces.
fn is_breaking_space(c: char) -> bool {
    c == '\u{200B}' || c.is_whitespace() && !matches!(c, '\u{A0}' | '\u{2007}' | '\u{202F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `text` with a bar at every border of the kind.
    fn marked(border: Border, text: &str) -> String {
        let mut marked = text.to_owned();
        let mut at = text.len();
        while let Some(found) = border.last(text, 0, at).filter(|_| at > 0) {
            marked.insert(found, '|');
            at = text.floor_char_boundary(found - 1);
        }
        marked
    }

    #[test]
    fn line_ends_of_every_system() {
        assert_eq!(marked(Border::Line, "a\nb\r\nc\rd\u{2028}e"), "a\n|b\r\n|c\r|d\u{2028}|e");
    }

    #[test]
    fn clause_marks() {
        for (text, expected) in [
            ("one, two; three: four", "one,| two;| three:| four"),
            ("1,000 and 12:30 at http://x", "1,000 and 12:30 at http://x"),
            (r#"{"a":1,"b":2}"#, r#"{"a":1,|"b":2}"#),
            (r#"he said "yes," and left"#, r#"he said "yes,"| and left"#),
            ("今天，明天；后天", "今天，|明天；|后天"),
            ("،\u{301}x", "،\u{301}x"),
        ] {
            assert_eq!(marked(Border::Clause, text), expected);
        }
    }

    #[test]
    fn words_begin_after_breaking_white_space() {
        assert_eq!(marked(Border::Word, "ab  cd\u{A0}e\u{200B}f"), "ab  |cd\u{A0}e\u{200B}|f");
        assert_eq!(marked(Border::Word, "a \u{301}b"), "a \u{301}b", "inside a grapheme cluster");
    }

    #[test]
    fn no_border_follows_a_character_that_is_passed_over() {
        for c in '\0'..=char::MAX {
            let before = format!(",{c}");
            for border in [Border::Line, Border::Clause, Border::Word] {
                let is_one = ["", " ", "x"].iter().any(|after| border.is_between(&before, after));
                assert!(!is_one || border.first_bytes()[usize::from(before.as_bytes()[1])], "{border:?} after {c:?}");
            }
        }
    }

    #[test]
    fn first_and_last_see_the_same_borders() {
        let text = "ab cd ef";
        assert_eq!(Border::Word.first(text, 0, 3, 8), Some(3));
        assert_eq!(Border::Word.first(text, 3, 4, 8), Some(6));
        assert_eq!(Border::Word.last(text, 0, 6), Some(6));
        assert_eq!(Border::Word.last(text, 0, 5), Some(3));
        assert_eq!(Border::Word.last(text, 3, 5), None);
    }
}
