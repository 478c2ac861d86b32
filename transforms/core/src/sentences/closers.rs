//! What closes a sentence behind its stop: quotes and brackets, footnote marks, emoji, even past a space.

use super::chars::{is_closer, is_emoji, is_invisible, is_upper};
use super::look::{Gap, char_at, has, skip};
use super::marks::Mark;

/// The whitespace behind the marks that end at `marks_end`, past everything that closes.
pub(super) fn gap_after(text: &str, sentence: usize, mark: Mark, marks_end: usize, quotes: &mut Quotes) -> Gap {
    let mut gap = Gap::at(text, past_closers(text, mark, marks_end));
    while let Some(end) = late_closer(text, sentence, gap, quotes) {
        gap = Gap::at(text, past_closers(text, mark, end));
    }
    gap
}

/// Past the closers and footnote marks at `at`.
fn past_closers(text: &str, mark: Mark, marks_end: usize) -> usize {
    let mut at = marks_end;
    // Nearly always whitespace follows: nothing closes.
    while !matches!(text.as_bytes().get(at), Some(b' ' | b'\n')) {
        let closed = skip(text, at, |c| closes(c, mark) || is_emoji(c));
        let end = past_note(text, closed).or_else(|| past_note_number(text, closed)).unwrap_or(closed);
        if end == at {
            break;
        }
        at = end;
    }
    at
}

/// After a mark of a script that writes no spaces, a quote that may open (`“`) does.
fn closes(c: char, mark: Mark) -> bool {
    is_closer(c) && !(matches!(mark, Mark::Full | Mark::WideStop) && matches!(c, '“' | '‘' | '«' | '‹'))
}

/// Past a footnote mark: `[12]`, `[^note]`, `²`.
fn past_note(text: &str, at: usize) -> Option<usize> {
    match char_at(text, at)? {
        '[' => {
            let end = skip_few(text, at + 1, |c| c.is_alphanumeric() || c == '^');
            (end > at + 1 && has(text, end, ']')).then_some(end + 1)
        }
        c @ ('¹' | '²' | '³' | '⁰'..='⁹' | '†' | '‡') => Some(at + c.len_utf8()),
        _ => None,
    }
}

/// Past the plain number of a footnote, right behind the stop of a word or bracket: `as shown.12 Next`.
fn past_note_number(text: &str, at: usize) -> Option<usize> {
    let before = text.as_bytes().get(at.checked_sub(3)?..at)?;
    let ends_word =
        before[2] == b'.' && (before[1] == b')' || (before[0].is_ascii_lowercase() && before[1].is_ascii_lowercase()));
    if !ends_word {
        return None;
    }
    let mut end = past_digits(text, at);
    if end == at || end > at + 3 {
        return None;
    }
    while has(text, end, ' ') && past_digits(text, end + 1) > end + 1 {
        end = past_digits(text, end + 1);
    }
    let capital = char_at(text, end + 1).is_some_and(is_upper);
    (end <= at + 12 && has(text, end, ' ') && capital).then_some(end)
}

fn past_digits(text: &str, at: usize) -> usize {
    skip_few(text, at, |c| c.is_ascii_digit())
}

/// Like [`skip`], but at most eight characters.
fn skip_few(text: &str, at: usize, wanted: impl Fn(char) -> bool) -> usize {
    let mut left = 8;
    let mut end = at;
    while let Some(c) = char_at(text, end).filter(|&c| left > 0 && wanted(c)) {
        end += c.len_utf8();
        left -= 1;
    }
    end
}

/// The end of what closes the sentence though a space parts it from the stop: `Oui. »`, `ended. [12]`, `fun. :)`.
fn late_closer(text: &str, sentence: usize, gap: Gap, quotes: &mut Quotes) -> Option<usize> {
    if gap.is_empty() || gap.newlines > 0 {
        return None;
    }
    let end = match char_at(text, gap.end)? {
        '0'..='9' | 'a'..='z' | 'A'..='Z' => return None,
        c @ ('»' | '›' | ')' | ']' | '”') => gap.end + c.len_utf8(),
        '\'' => gap.end + 1 + usize::from(has(text, gap.end + 1, '\'')),
        '"' if quotes.are_open(text, sentence, gap.start) => gap.end + 1,
        '[' => past_note(text, gap.end)?,
        ':' | ';' => past_emoticon(text, gap.end)?,
        c if is_emoji(c) => skip(text, gap.end, is_emoji),
        _ => return None,
    };
    let alone = char_at(text, end).is_none_or(|c| c.is_whitespace() || is_invisible(c) || matches!(c, ',' | '.'));
    alone.then_some(end)
}

/// Past `:)` `;-)` `:D`
fn past_emoticon(text: &str, at: usize) -> Option<usize> {
    let mouth = at + 1 + usize::from(has(text, at + 1, '-'));
    matches!(char_at(text, mouth), Some(')' | '(' | 'D' | 'P')).then_some(mouth + 1)
}

/// Straight quotes, which open and close alike: an odd number of them in a sentence leaves one open.
#[derive(Debug, Default)]
pub(super) struct Quotes {
    /// The sentence that they are counted in.
    sentence: usize,
    /// Counted up to here, so that every byte is counted once however often is asked.
    read: usize,
    /// Whether their number is odd.
    odd: bool,
}

impl Quotes {
    /// Whether one is open at `at`, in the sentence that begins at `sentence`.
    fn are_open(&mut self, text: &str, sentence: usize, at: usize) -> bool {
        if sentence != self.sentence || self.read < sentence {
            *self = Self { sentence, read: sentence, odd: false };
        }
        let new = &text.as_bytes()[self.read.min(at)..at];
        self.odd = new.iter().fold(u8::from(self.odd), |odd, &byte| odd ^ u8::from(byte == b'"')) == 1;
        self.read = at;
        self.odd
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What follows the stop of `text` and its closers, without the whitespace between.
    fn after(text: &str, mark: Mark) -> &str {
        let stop = text.find(['.', '。']).expect("a stop");
        let marks_end = stop + char_at(text, stop).map_or(0, char::len_utf8);
        &text[gap_after(text, 0, mark, marks_end, &mut Quotes::default()).end..]
    }

    #[test]
    fn quotes_brackets_and_notes_close_a_sentence() {
        for text in
            ["a.” B", "a.)* B", "a.[3][4] B", "a.² B", "a. » B", "a. [3] B", "a. '' B", "a. :) B", "a. 😀 B", "ab.12 B"]
        {
            assert_eq!(after(text, Mark::Stop), "B", "{text}");
        }
    }

    #[test]
    fn what_opens_the_next_sentence_does_not() {
        for (text, next) in
            [("a. “B", "“B"), ("a. (B", "(B"), ("a. [B c]", "[B c]"), ("v.12 B", "12 B"), ("a. 'B", "'B")]
        {
            assert_eq!(after(text, Mark::Stop), next, "{text}");
        }
        assert_eq!(after("中。“文", Mark::Full), "“文");
    }

    #[test]
    fn a_spaced_straight_quote_closes_only_what_is_open() {
        assert_eq!(after("\" a. \" B", Mark::Stop), "B");
        assert_eq!(after("a. \" B", Mark::Stop), "\" B");
    }
}
