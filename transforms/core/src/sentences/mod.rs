//! Sentences: where they end, in any language, without being told which.
//!
//! Precision comes first: a border that is missed makes a chunk a little less full, a false one cuts a sentence.
//! So a border needs a reason. One pass goes from mark to mark ([`marks`]); each mark is read with what surrounds it
//! ([`stop`], [`closers`]) and put to the [`rules`]; line ends are judged by the block structure of their lines ([`lines`]).
//! What is known of words is in lists (`words/*.txt`, read by [`words`]), of their looks in [`shapes`], of single
//! characters in [`chars`]; [`brackets`] keeps the stops of East Asian quotations inside.
//!
//! What holds for every text (the property tests in `tests.rs`):
//!
//! - Sentences tile the text; each keeps the whitespace behind it and has something visible, and all borders are
//!   borders of grapheme clusters.
//! - A border with no whitespace before it is followed by a letter or digit, at most with opening quotes before it.
//! - What a paragraph splits into does not depend on its neighbours. Fenced code is the one exception: a fence is
//!   one only if it is closed, and inside it borders are blank lines and statements at the margin.
//! - CR LF, CR and LF are alike. A lone line end is no border unless a block begins or ends there ([`lines`]).
//! - Time is linear: every look around is capped, or read once.
//!
//! What it does not do: spaces of Thai, Lao, Khmer and Burmese are no borders here, since only one in three ends a
//! sentence; whoever must cut inside a long sentence finds them as whitespace. Semicolons and colons end nothing.
//!
//! To teach it an abbreviation, add a line to a list in `words/`, a case to `tests/data/sentences.jsonl`, and raise
//! [`RULES_VERSION`]. To teach it a language, do the same, and add its stops to [`marks`] if they are its own.

mod brackets;
mod chars;
mod closers;
mod lines;
mod look;
mod marks;
mod on_demand;
mod rules;
mod shapes;
mod stop;
mod words;

#[cfg(test)]
mod tests;

use brackets::Brackets;
use closers::Quotes;
use lines::{Enumerator, Fences, Line};
use look::{Gap, char_at, char_before, next_line_end, skip};
use marks::{Mark, Marks};
use stop::{Run, Stop};

pub(crate) use on_demand::{KnownEnds, Sentences};

use crate::graphemes::is_grapheme_border;

/// Version of the rules; part of every configuration's fingerprint. Raise it when any border moves.
pub const RULES_VERSION: u32 = 3;

/// Clears `ends` and fills it with the byte offset of the end of every sentence of `text`, strictly rising; the last
/// is `text.len()`. Empty for "".
pub fn sentence_ends(text: &str, ends: &mut Vec<usize>) {
    ends.clear();
    if text.is_empty() {
        return;
    }
    Splitter::new(text, ends, &mut Fences::default(), text.len()).run(0);
    ends.push(text.len());
}

/// One pass over a text.
struct Splitter<'t> {
    text: &'t str,
    ends: &'t mut Vec<usize>,
    /// The pass ends with the paragraph that this place is in.
    until: usize,
    /// Where the pass ended.
    stopped: usize,
    /// Where the sentence so far begins.
    sentence: usize,
    /// What the line so far is.
    line: Line,
    /// The last item of the list that the paragraph holds inline.
    list: Option<Enumerator>,
    /// Brackets and quotations of East Asian text.
    brackets: Brackets,
    /// Straight quotes of the sentence so far.
    quotes: Quotes,
    /// Fences that have no end.
    fences: &'t mut Fences,
}

impl<'t> Splitter<'t> {
    fn new(text: &'t str, ends: &'t mut Vec<usize>, fences: &'t mut Fences, until: usize) -> Self {
        Self {
            text,
            ends,
            until,
            stopped: text.len(),
            sentence: 0,
            line: Line::Text,
            list: None,
            brackets: Brackets::default(),
            quotes: Quotes::default(),
            fences,
        }
    }

    /// Finds the ends from `from` on, the beginning of the text or of a paragraph, up to the first paragraph that begins
    /// after `until` or the end of the text. Returns which, but does not put it among the ends.
    fn run(mut self, from: usize) -> usize {
        let first = Gap::at(self.text, from).end;
        self.begin_sentence(first);
        let mut at = self.enter_line(Line::at(self.text, first), first);
        let mut marks = Marks::new(self.text, at);
        while let Some((mark, place)) = marks.next(at) {
            at = match mark {
                Mark::NewLine if self.is_wrapped(place) => {
                    self.brackets.restart(place + 1);
                    place + 1
                }
                Mark::NewLine => self.line_end(Gap::at(self.text, place), |splitter| splitter.ends_line(place)),
                Mark::Bracket => {
                    self.inline_item(place);
                    place + 1
                }
                _ => self.stop(mark, place),
            };
        }
        self.stopped
    }

    /// Judges the stop at `at`; returns where to go on.
    fn stop(&mut self, mark: Mark, at: usize) -> usize {
        if is_inside_word(self.text, at) {
            return at + 1;
        }
        if mark == Mark::Stop {
            self.inline_item(at);
        }
        let run = Run::read(self.text, self.sentence, mark, at, &mut self.quotes);
        self.gap(run.gap, |splitter| splitter.ends(run))
    }

    /// Judges what is behind a stop; returns where to go on.
    fn gap(&mut self, gap: Gap, ends: impl FnOnce(&mut Self) -> bool) -> usize {
        if gap.newlines > 0 {
            return self.line_end(gap, ends);
        }
        if self.line != Line::Row && ends(self) {
            self.border(gap.end);
        }
        gap.end
    }

    fn ends(&mut self, run: Run) -> bool {
        if rules::is_plain_end(self.text, self.sentence, run) {
            debug_assert!(rules::ends_before_space(&Stop::read(self.text, self.sentence, run), &mut self.brackets));
            return true;
        }
        let stop = Stop::read(self.text, self.sentence, run);
        if stop.gap.is_empty() {
            rules::ends_without_space(&stop, &mut self.brackets)
        } else {
            rules::ends_before_space(&stop, &mut self.brackets)
        }
    }

    /// Whether text goes on past the line end at `at` beyond doubt.
    fn is_wrapped(&self, at: usize) -> bool {
        let after_word = at > 0 && matches!(self.text.as_bytes()[at - 1], b'a'..=b'z' | b'A'..=b'Z' | b',' | b';');
        after_word && self.line == Line::Text && self.list.is_none() && Line::is_plain(self.text, at + 1)
    }

    /// Whether a lone line end at `at`, behind no stop, ends its sentence for what stands before it.
    fn ends_line(&self, at: usize) -> bool {
        lines::ends_by_space(self.text, at)
            || lines::is_label(self.text, self.sentence, at)
            || (self.list.is_some() && lines::ends_inline_list(self.text, self.sentence, at))
    }

    /// Judges whitespace with a line end in it, behind a stop that `ends` its sentence or does not, or behind none;
    /// returns where to go on.
    fn line_end(&mut self, gap: Gap, ends: impl FnOnce(&mut Self) -> bool) -> usize {
        if gap.is_blank_line() {
            self.list = None;
            if gap.end > self.until && self.is_border(gap.end) {
                self.stopped = gap.end;
                return self.text.len();
            }
        }
        let next = Line::at(self.text, gap.end);
        if gap.is_blank_line() || self.line.ends_before(next) || ends(self) {
            self.border(gap.end);
        }
        self.enter_line(next, gap.end)
    }

    /// Begins a line, and passes over a block of code that begins with it; returns where to go on.
    fn enter_line(&mut self, line: Line, at: usize) -> usize {
        self.line = line;
        self.brackets.restart(at);
        let close = if line == Line::Fence { self.fences.end(self.text, at) } else { None };
        close.map_or(at, |close| self.code(at, close))
    }

    /// Inside a fence blank lines are borders, and lines at the margin that close nothing: a statement begins there as
    /// a sentence does in prose. Stops in code end nothing.
    fn code(&mut self, opening: usize, close: usize) -> usize {
        let mut at = opening;
        while let Some(line_end) = next_line_end(self.text, at).filter(|&line_end| line_end < close) {
            let gap = Gap::at(self.text, line_end);
            let is_inside = at > opening && gap.end < close;
            let is_statement = is_inside && begins_at_the_margin(self.text, gap.end);
            if gap.is_blank_line() || is_statement {
                self.border(gap.end);
            }
            at = gap.end;
        }
        skip(self.text, close, |c| matches!(c, '`' | '~'))
    }

    /// Ends a sentence where the next item of an inline list begins: `1) salt 2) oil`.
    fn inline_item(&mut self, mark: usize) {
        let Some(item) = self.list else { return };
        let number = enumerator_start(self.text, mark);
        if number <= self.sentence || !Enumerator::at(self.text, number).is_some_and(|next| item.precedes(next)) {
            return;
        }
        let start = past_bullet_back(self.text, number);
        if char_before(self.text, start).is_some_and(char::is_whitespace) {
            self.border(start);
        }
    }

    /// Ends the sentence at `at`, unless that cuts a grapheme cluster.
    fn border(&mut self, at: usize) {
        if self.is_border(at) {
            self.ends.push(at);
            self.begin_sentence(at);
        }
    }

    /// Whether the sentence may end at `at`, behind whitespace or a mark.
    fn is_border(&self, at: usize) -> bool {
        // Few characters join what is before, so that the dear question is asked of those only.
        let apart = char_at(self.text, at).is_some_and(chars::begins_cluster);
        at > self.sentence && at < self.text.len() && (apart || is_grapheme_border(self.text, at))
    }

    /// Begins a sentence, perhaps the first item of an inline list.
    fn begin_sentence(&mut self, at: usize) {
        self.sentence = at;
        let head = skip(self.text, at, |c| chars::is_bullet(c) || c == ' ');
        if let Some(item) = Enumerator::at(self.text, head) {
            self.list = Some(item);
        }
    }
}

/// Whether the mark at `at` joins a small letter to what is before, two capitals, or two digits: `example.org`, `U.S`,
/// `3.14`.
fn is_inside_word(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let before = |is_alike: fn(&u8) -> bool| at > 0 && is_alike(&bytes[at - 1]);
    match bytes[at..] {
        [..0x80, b'a'..=b'z', ..] => true,
        [..0x80, b'A'..=b'Z', ..] => before(u8::is_ascii_uppercase),
        [..0x80, b'0'..=b'9', ..] => before(u8::is_ascii_digit),
        _ => false,
    }
}

/// Whether the line of code with its first visible character at `at` is neither indented nor closes a bracket.
fn begins_at_the_margin(text: &str, at: usize) -> bool {
    let is_margin = char_before(text, at).is_some_and(|c| matches!(c, '\n' | '\r'));
    is_margin && !char_at(text, at).is_some_and(|c| matches!(c, ')' | ']' | '}'))
}

/// Where the word of an enumerator begins whose dot or bracket stands at `mark`.
fn enumerator_start(text: &str, mark: usize) -> usize {
    let before = text.as_bytes()[..mark].iter().rev();
    let start = mark - before.take(5).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    start - usize::from(char_before(text, start) == Some('('))
}

/// Back over a bullet with at most one space after it.
fn past_bullet_back(text: &str, at: usize) -> usize {
    let spaced = at - usize::from(char_before(text, at) == Some(' '));
    match char_before(text, spaced) {
        Some(c) if chars::is_bullet(c) => spaced - c.len_utf8(),
        _ => at,
    }
}
