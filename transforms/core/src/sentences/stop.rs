//! A candidate: a run of marks that may end a sentence, read with what surrounds it.

use std::cell::OnceCell;

use super::chars::{is_bullet, is_digit, is_invisible, is_letter, is_lower, is_opener, is_upper};
use super::closers::{Quotes, gap_after};
use super::lines::Enumerator;
use super::look::{Gap, char_at, char_before, has, past_openers, word_after, word_before};
use super::marks::{Mark, mark_at};
use super::shapes::is_plain;
use super::words::{List, Lists};

/// How far back the sentence so far is looked at, in bytes.
const BACK: usize = 160;

/// Most bytes before the first word of a sentence.
pub(super) const LEAD: usize = 16;

/// A run of marks that may end a sentence, and the whitespace behind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// What the run amounts to.
    pub mark: Mark,
    /// Where the first mark stands.
    pub at: usize,
    /// Where the run ends.
    pub end: usize,
    /// The whitespace after the marks and the quotes and notes that close; the border would fall at its end.
    pub gap: Gap,
}

impl Run {
    /// Reads the run whose first mark is `mark` at `at`, in the sentence that begins at `sentence`.
    pub fn read(text: &str, sentence: usize, mark: Mark, at: usize, quotes: &mut Quotes) -> Self {
        // Nearly always it is one mark, and no closer behind it.
        let gap = match text.as_bytes()[at..] {
            [..0x80, b' ', b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9', ..] => {
                Some(Gap { start: at + 1, end: at + 2, newlines: 0 })
            }
            [..0x80, b'\n', ..] => Some(Gap::at(text, at + 1)),
            _ => None,
        };
        if let Some(gap) = gap {
            return Self { mark, at, end: at + 1, gap };
        }
        let (mark, end) = run_of_marks(text, mark, at);
        Self { mark, at, end, gap: gap_after(text, sentence, mark, end, quotes) }
    }
}

/// A run of marks with the word on each side.
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
    /// The lists that have the word, once asked for.
    lists: OnceCell<Lists>,
    /// Where that word ends: at the marks, or at the invisible characters before them.
    word_end: usize,
    /// Where the text goes on past quotes, brackets and dashes.
    pub after: usize,
    /// The character there, if the line has one.
    pub next: Option<char>,
}

impl<'t> Stop<'t> {
    /// Reads what surrounds `run`, in the sentence that begins at `sentence`.
    pub fn read(text: &'t str, sentence: usize, run: Run) -> Self {
        let Run { mark, at, end: marks_end, gap } = run;
        let word_end = before_invisible(text, at);
        let word = if needs_word(mark) { word_before(text, sentence, word_end) } else { "" };
        let after = past_openers(text, gap.end);
        let lists = OnceCell::new();
        let next = char_at(text, after).filter(|c| !c.is_whitespace());
        Self { text, sentence, mark, at, marks_end, gap, word, lists, word_end, after, next }
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

    /// The lists that have the word together with the short one before it: `z. B.` is `z.B.`, `ad es.` has its space.
    pub fn joint_lists(&self) -> Lists {
        if !Lists::of(self.word).end_joints() {
            return Lists::default();
        }
        let previous = self.previous_word();
        if previous.is_empty() || previous.len() > 6 || self.word.len() > 6 {
            return Lists::default();
        }
        let mut joint = [b' '; 13];
        let word_start = previous.len() + usize::from(!previous.ends_with('.'));
        let end = word_start + self.word.len();
        joint[..previous.len()].copy_from_slice(previous.as_bytes());
        joint[word_start..end].copy_from_slice(self.word.as_bytes());
        std::str::from_utf8(&joint[..end]).map(Lists::of).unwrap_or_default()
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

    /// Whether the sentence begins with a small letter: its writer uses no capitals there.
    pub fn sentence_is_lower(&self) -> bool {
        char_at(self.text, past_openers(self.text, self.sentence)).is_some_and(is_lower)
    }

    /// Whether quotes or brackets closed after the marks.
    pub fn has_closer(&self) -> bool {
        self.gap.start > self.marks_end
    }

    /// The lists that have the word before the marks, or its part after the last hyphen.
    ///
    /// A word in capitals is itself (`AD`, `NO`), unless the next is in capitals too (`DR. SMITH`).
    pub fn lists(&self) -> Lists {
        *self.lists.get_or_init(|| {
            let itself = is_shouted(self.word) && !is_shouted(self.next_word());
            let of = if itself { Lists::of_written } else { Lists::of };
            match self.word.bytes().rposition(|byte| byte == b'-') {
                Some(hyphen) => of(self.word).or(of(&self.word[hyphen + 1..])),
                None => of(self.word),
            }
        })
    }

    /// Whether `list` is one of them.
    pub fn is_in(&self, list: List) -> bool {
        self.lists().has(list)
    }

    /// Whether only openers and bullets stand before the marks: `... and then`.
    pub fn is_head(&self) -> bool {
        let ends_word = char_before(self.text, self.at).is_some_and(|c| c.is_ascii_alphanumeric());
        !ends_word && self.at - self.sentence <= LEAD && is_lead(&self.text[self.sentence..self.at])
    }

    /// Whether the sentence so far is only its number in a list: `1.` `a.` `iv.` `2.3.`
    pub fn is_enumerator(&self) -> bool {
        let word = self.word;
        if word.is_empty()
            || word.len() > 12
            || self.word_start() - self.sentence > LEAD
            || !is_lead(&self.text[self.sentence..self.word_start()])
        {
            return false;
        }
        let number = || word.chars().all(|c| is_digit(c) || c == '.');
        let letter = || word.chars().all(is_letter) && word.chars().count() == 1;
        let roman = || word.len() <= 4 && word.bytes().all(|byte| matches!(byte | 0x20, b'i' | b'v' | b'x'));
        number() || letter() || roman()
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

    /// Whether those dots follow the end of a sentence.
    pub fn omits_sentence(&self) -> bool {
        let bracket = self.at.saturating_sub(1);
        let end = self.text[self.sentence..bracket.max(self.sentence)].trim_end().len() + self.sentence;
        matches!(char_before(self.text, end), Some('.' | '!' | '?'))
    }

    /// Whether the sentence has a letter that Turkish has and its neighbours have not.
    pub fn is_turkish(&self) -> bool {
        let start = self.at.saturating_sub(BACK).max(self.sentence);
        let mut pairs = self.text.as_bytes()[start..self.at].windows(2);
        // ğ, İ, ı, Ş, ş in UTF-8.
        pairs.any(|pair| matches!(pair, [0xC4, 0x9F | 0xB0 | 0xB1] | [0xC5, 0x9E | 0x9F]))
    }
}

fn needs_word(mark: Mark) -> bool {
    !matches!(mark, Mark::Full | Mark::WideStop)
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
        && !char_at(text, past(text, at) + 1).is_some_and(|c| is_letter(c) || is_digit(c) || c == '.')
}

/// `ended. . . . The next`: the first of four spaced dots ends a sentence, the other three begin the next.
fn is_full_stop_and_ellipsis(text: &str, at: usize, end: usize) -> bool {
    let attached = char_before(text, at).is_some_and(|c| is_letter(c) || is_digit(c));
    attached && has(text, end, ' ') && char_at(text, end + 1).is_some_and(is_upper)
}

/// Past the character at `at`.
fn past(text: &str, at: usize) -> usize {
    at + char_at(text, at).map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, at: usize) -> Stop<'_> {
        Stop::read(text, 0, Run::read(text, 0, Mark::Stop, at, &mut Quotes::default()))
    }

    fn stop(text: &str) -> Stop<'_> {
        let at = text.find('.').expect("a stop");
        read(text, at)
    }

    #[test]
    fn a_stop_is_read_with_its_surroundings() {
        let stop = stop("(see Dr. “Who");
        assert_eq!((stop.word, stop.next_word(), stop.next), ("Dr", "Who", Some('W')));
        assert_eq!((stop.previous_word(), stop.before_word()), ("see", Some(' ')));
        assert!(stop.is_in(List::NeverLast) && !stop.has_closer());
    }

    #[test]
    fn runs_of_dots_are_ellipses() {
        for (text, mark) in
            [("a. B", Mark::Stop), ("a... B", Mark::Ellipsis), ("a . . . B", Mark::Ellipsis), ("a.! B", Mark::Strong)]
        {
            assert_eq!(stop(text).mark, mark, "{text}");
        }
        assert_eq!(stop("ab. . . . The").marks_end, 3);
        assert_eq!(stop("so . . . . The").mark, Mark::Ellipsis);
    }

    #[test]
    fn words_in_capitals_are_themselves() {
        assert!(!stop("AD. The").is_in(List::NeverLast) && stop("DR. WHO").is_in(List::NeverLast));
        assert!(!stop("DR. Who").is_in(List::NeverLast));
    }

    #[test]
    fn short_words_are_looked_up_together() {
        assert!(stop("z.").joint_lists().is_empty());
        let text = "z. B. Tee";
        let second = read(text, 4);
        assert!(second.joint_lists().has(List::NeverLast));
    }
}
