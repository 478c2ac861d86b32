//! A candidate: a run of marks that may end a sentence, read with what surrounds it.

use super::chars::{is_bullet, is_closer, is_emoji, is_invisible, is_lower, is_opener, is_upper};
use super::lines::Enumerator;
use super::look::{Gap, char_at, char_before, has, past_openers, skip, word_after, word_before};
use super::marks::{Mark, mark_at};
use super::shapes::is_plain;
use super::words::{List, Lists};

/// How far back the sentence so far is looked at, in bytes.
const BACK: usize = 160;

/// A run of marks, the quotes and notes that close after it, the whitespace behind, the word on each side.
#[derive(Debug)]
pub(super) struct Stop<'t> {
    /// The whole text.
    pub text: &'t str,
    /// Where the sentence so far begins.
    pub sentence: usize,
    /// What the run of marks amounts to.
    pub mark: Mark,
    /// Where the first mark stands.
    pub at: usize,
    /// Where the run of marks ends.
    pub marks_end: usize,
    /// The whitespace after the marks and their closers; the border would fall at its end.
    pub gap: Gap,
    /// The word before the marks; empty after a bracket, quote or space, and before marks that need no look at it.
    pub word: &'t str,
    /// The lists that have the word, or its part after the last hyphen; none unless the mark is `.`.
    pub lists: Lists,
    /// Where that word ends: at the marks, or at the invisible characters before them.
    word_end: usize,
    /// Where the text goes on past quotes, brackets and dashes.
    pub after: usize,
    /// The character there.
    pub next: Option<char>,
}

impl<'t> Stop<'t> {
    /// Reads the candidate whose first mark is `mark` at `at`, in the sentence that begins at `sentence`.
    pub fn read(text: &'t str, sentence: usize, mark: Mark, at: usize) -> Self {
        let (mark, marks_end) = run_of_marks(text, mark, at);
        let gap = gap_after(text, sentence, mark, marks_end);
        let word_end = before_invisible(text, at);
        let word = if needs_word(mark) { word_before(text, sentence, word_end) } else { "" };
        let after = past_openers(text, gap.end);
        let lists = if mark == Mark::Stop { lists_of(word, text, after) } else { Lists::default() };
        Self { text, sentence, mark, at, marks_end, gap, word, lists, word_end, after, next: char_at(text, after) }
    }

    /// The letters of the next word.
    pub fn next_word(&self) -> &'t str {
        word_after(self.text, self.after)
    }

    /// Whether the next word is in `list`.
    pub fn next_is_in(&self, list: List) -> bool {
        Lists::of(self.next_word()).has(list)
    }

    /// Whether the next letter is a small one and the word not one like `iPhone`.
    pub fn next_is_lower(&self) -> bool {
        self.next.is_some_and(is_lower) && !char_at(self.text, self.after + 1).is_some_and(is_upper)
    }

    /// Whether the next word is a single letter with a dot.
    pub fn next_is_initial(&self) -> bool {
        let end = self.after + self.next.map_or(0, char::len_utf8);
        has(self.text, end, '.')
    }

    /// Whether the next word is one letter elided before a small one: `L’homme`, `D'abord`.
    pub fn next_is_elided(&self) -> bool {
        matches!(self.next, Some('C' | 'D' | 'J' | 'L' | 'M' | 'N' | 'S'))
            && matches!(char_at(self.text, self.after + 1), Some('\'' | '’'))
            && char_at(self.text, self.after + 1 + char_at(self.text, self.after + 1).map_or(0, char::len_utf8))
                .is_some_and(is_lower)
    }

    /// Where the word before the marks begins.
    pub fn word_start(&self) -> usize {
        self.word_end - self.word.len()
    }

    /// The character before that word.
    pub fn before_word(&self) -> Option<char> {
        char_before(self.text, self.word_start())
    }

    /// The word before that word, if only spaces part them.
    pub fn previous_word(&self) -> &'t str {
        let end = self.before_spaces();
        if end == self.word_start() { "" } else { word_before(self.text, self.sentence, end) }
    }

    /// The character before the spaces before that word.
    pub fn mark_before_word(&self) -> Option<char> {
        char_before(self.text, self.before_spaces())
    }

    fn before_spaces(&self) -> usize {
        let mut at = self.word_start();
        while at > self.sentence && matches!(char_before(self.text, at), Some(' ' | '\u{A0}')) {
            at -= char_before(self.text, at).map_or(0, char::len_utf8);
        }
        at
    }

    /// How many words the sentence has before that one; stops counting after `most`.
    pub fn words_before(&self, most: usize) -> usize {
        self.text[self.sentence..self.word_start()].split_whitespace().take(most).count()
    }

    /// Whether quotes or brackets closed after the marks.
    pub fn has_closer(&self) -> bool {
        self.gap.start > self.marks_end
    }

    /// Whether the word before the marks, or its part after the last hyphen, is in `list`.
    pub fn is_in(&self, list: List) -> bool {
        self.lists.has(list)
    }

    /// Whether only openers and bullets stand before the marks: `... and then`.
    pub fn is_head(&self) -> bool {
        is_lead(&self.text[self.sentence..self.at])
    }

    /// Whether the sentence so far is only its number in a list: `1.` `a.` `iv.` `2.3.`
    pub fn is_enumerator(&self) -> bool {
        let word = self.word;
        if word.is_empty() || word.len() > 12 || !is_lead(&self.text[self.sentence..self.word_start()]) {
            return false;
        }
        let number = word.chars().all(|c| c.is_numeric() || c == '.');
        let letter = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
        let roman = word.len() <= 4 && word.bytes().all(|byte| matches!(byte.to_ascii_lowercase(), b'i' | b'v' | b'x'));
        number || letter || roman
    }

    /// Whether the first item of an inline list follows: `a. salt b. oil`.
    pub fn opens_item(&self) -> bool {
        is_plain(self.word) && Enumerator::at(self.text, self.gap.end).is_some_and(Enumerator::is_first)
    }

    /// Whether dots that open a sentence follow: `... and then`.
    pub fn opens_ellipsis(&self) -> bool {
        let rest = &self.text[self.gap.end..];
        is_plain(self.word) && (rest.starts_with("..") || rest.starts_with(". .") || rest.starts_with('…'))
    }

    /// Whether `[...]` or `[…]` follows.
    pub fn opens_omission(&self) -> bool {
        if !matches!(char_at(self.text, self.gap.end), Some('[' | '(')) {
            return false;
        }
        let rest = &self.text[self.gap.end..];
        rest.starts_with("[.") || rest.starts_with("[…") || rest.starts_with("(...)") || rest.starts_with("(…)")
    }

    /// Whether the marks are the dots of `[...]` or `(...)`.
    pub fn is_omission(&self) -> bool {
        matches!(char_before(self.text, self.at), Some('[' | '('))
            && matches!(char_at(self.text, self.marks_end), Some(']' | ')'))
    }

    /// Whether the sentence has a letter that Turkish has and its neighbours have not.
    pub fn is_turkish(&self) -> bool {
        let start = self.text.ceil_char_boundary(self.at.saturating_sub(BACK)).max(self.sentence);
        self.text[start..self.at].contains(['ı', 'ğ', 'ş', 'İ', 'Ş'])
    }
}

fn needs_word(mark: Mark) -> bool {
    !matches!(mark, Mark::Full | Mark::WideStop)
}

/// The lists that have `word`, or its part after the last hyphen.
///
/// A word in capitals is itself (`AD`, `NO`), unless the next, at `after`, is in capitals too (`DR. SMITH`).
fn lists_of(word: &str, text: &str, after: usize) -> Lists {
    let of = if is_shouted(word) && !is_shouted(word_after(text, after)) { Lists::of_written } else { Lists::of };
    match word.bytes().rposition(|byte| byte == b'-') {
        Some(hyphen) => of(word).or(of(&word[hyphen + 1..])),
        None => of(word),
    }
}

/// Whether `head` holds nothing but what may stand before a sentence's first word.
fn is_lead(head: &str) -> bool {
    head.len() <= 16
        && head.chars().all(|c| is_opener(c) || is_bullet(c) || c.is_whitespace() || matches!(c, '#' | '>' | '+'))
}

/// Two or more capitals and nothing else.
fn is_shouted(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(is_upper) && letters.next().is_some_and(is_upper) && letters.all(is_upper)
}

fn before_invisible(text: &str, mut at: usize) -> usize {
    while let Some(c) = char_before(text, at).filter(|&c| is_invisible(c)) {
        at -= c.len_utf8();
    }
    at
}

/// The run of marks at `at`: what it amounts to, and its end. `. . .` is one run.
fn run_of_marks(text: &str, first: Mark, at: usize) -> (Mark, usize) {
    let (mut mark, mut end, mut dots, mut spaced) = (first, past(text, at), 1, 0);
    loop {
        match mark_at(text, end) {
            Some(Mark::Stop) => dots += 1,
            Some(next @ (Mark::Strong | Mark::Full)) => mark = stronger(mark, next),
            Some(Mark::Ellipsis | Mark::WideStop) => dots += 2,
            _ if is_spaced_dot(text, end) => {
                (dots, spaced) = (dots + 1, spaced + 1);
                end = past(text, end);
            }
            _ => break,
        }
        end = past(text, end);
    }
    if mark != Mark::Stop || dots == 1 {
        return (mark, end);
    }
    if (dots, spaced) == (4, 3) && is_full_stop_and_ellipsis(text, at, end) {
        return (Mark::Stop, at + 1);
    }
    (Mark::Ellipsis, end)
}

fn stronger(mark: Mark, next: Mark) -> Mark {
    if mark == Mark::Full { mark } else { next }
}

/// A space and a dot that belongs to no word: `. . .`
fn is_spaced_dot(text: &str, at: usize) -> bool {
    matches!(char_at(text, at), Some(' ' | '\u{A0}'))
        && has(text, past(text, at), '.')
        && !char_at(text, past(text, at) + 1).is_some_and(|c| c.is_alphanumeric() || c == '.')
}

/// `ended. . . . The next`: the first of four spaced dots ends a sentence, the other three begin the next.
fn is_full_stop_and_ellipsis(text: &str, at: usize, end: usize) -> bool {
    let attached = char_before(text, at).is_some_and(char::is_alphanumeric);
    attached && has(text, end, ' ') && char_at(text, end + 1).is_some_and(is_upper)
}

/// Past the character at `at`.
fn past(text: &str, at: usize) -> usize {
    at + char_at(text, at).map_or(0, char::len_utf8)
}

/// The whitespace behind the marks that end at `marks_end`, past everything that closes.
fn gap_after(text: &str, sentence: usize, mark: Mark, marks_end: usize) -> Gap {
    let mut gap = Gap::at(text, past_closers(text, mark, marks_end));
    while let Some(end) = late_closer(text, sentence, gap) {
        gap = Gap::at(text, past_closers(text, mark, end));
    }
    gap
}

/// Past the closers and footnote marks at `at`.
fn past_closers(text: &str, mark: Mark, marks_end: usize) -> usize {
    let mut at = marks_end;
    // Nearly always a space follows: nothing closes.
    while !has(text, at, ' ') {
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
fn late_closer(text: &str, sentence: usize, gap: Gap) -> Option<usize> {
    if gap.is_empty() || gap.newlines > 0 {
        return None;
    }
    let end = match char_at(text, gap.end)? {
        c @ ('»' | '›' | ')' | ']' | '”') => gap.end + c.len_utf8(),
        '\'' => gap.end + 1 + usize::from(has(text, gap.end + 1, '\'')),
        '"' if has_open_quote(text, sentence, gap.start) => gap.end + 1,
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

/// Whether the sentence so far has an odd number of straight quotes.
fn has_open_quote(text: &str, sentence: usize, at: usize) -> bool {
    let start = sentence.max(at.saturating_sub(BACK * 3));
    text.as_bytes()[start..at].iter().filter(|&&byte| byte == b'"').count() % 2 == 1
}
