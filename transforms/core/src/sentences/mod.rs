//! Sentences: where they end, in any language, without being told which.

mod brackets;
mod chars;
mod lines;
mod look;
mod marks;
mod rules;
mod shapes;
mod stop;
mod words;

use brackets::Brackets;
use lines::{Enumerator, Fences, Line};
use look::{Gap, char_at, char_before, next_line_end, skip};
use marks::{Mark, next_mark};
use stop::Stop;

use crate::graphemes::is_grapheme_border;

/// Version of the rules; part of every configuration's fingerprint. Raise it when any border moves.
pub const RULES_VERSION: u32 = 1;

/// Clears `ends` and fills it with the byte offset of the end of every sentence of `text`, strictly rising; the last
/// is `text.len()`. Empty for "".
pub fn sentence_ends(text: &str, ends: &mut Vec<usize>) {
    ends.clear();
    if text.is_empty() {
        return;
    }
    Splitter {
        text,
        ends,
        sentence: 0,
        line: Line::Text,
        list: None,
        brackets: Brackets::default(),
        fences: Fences::default(),
    }
    .run();
    ends.push(text.len());
}

/// One pass over a text.
struct Splitter<'t> {
    text: &'t str,
    ends: &'t mut Vec<usize>,
    /// Where the sentence so far begins.
    sentence: usize,
    /// What the line so far is.
    line: Line,
    /// The last item of the list that the paragraph holds inline.
    list: Option<Enumerator>,
    brackets: Brackets,
    fences: Fences,
}

impl Splitter<'_> {
    fn run(&mut self) {
        let first = Gap::at(self.text, 0).end;
        self.begin_sentence(first);
        let mut at = self.enter_line(Line::at(self.text, first), first);
        while let Some((mark, place)) = next_mark(self.text, at) {
            at = match mark {
                Mark::NewLine => self.line_end(Gap::at(self.text, place), None),
                Mark::Bracket => {
                    self.inline_item(place);
                    place + 1
                }
                _ => self.stop(mark, place),
            };
        }
    }

    fn stop(&mut self, mark: Mark, at: usize) -> usize {
        if mark == Mark::Stop {
            self.inline_item(at);
        }
        let stop = Stop::read(self.text, self.sentence, mark, at);
        let gap = stop.gap;
        if gap.newlines > 0 {
            return self.line_end(gap, Some(&stop));
        }
        let ends = if gap.is_empty() {
            rules::ends_without_space(&stop, &mut self.brackets)
        } else {
            rules::ends_before_space(&stop, &mut self.brackets)
        };
        if ends {
            self.border(gap.end);
        }
        gap.end
    }

    fn line_end(&mut self, gap: Gap, stop: Option<&Stop>) -> usize {
        let next = Line::at(self.text, gap.end);
        if gap.is_blank_line() {
            self.list = None;
        }
        if gap.is_blank_line()
            || self.line.ends_before(next)
            || stop.is_some_and(|stop| rules::ends_before_space(stop, &mut self.brackets))
        {
            self.border(gap.end);
        }
        self.enter_line(next, gap.end)
    }

    fn enter_line(&mut self, line: Line, at: usize) -> usize {
        self.line = line;
        self.brackets.restart(at);
        if line == Line::Fence {
            if let Some(close) = self.fences.end(self.text, at) {
                return self.code(at, close);
            }
        }
        at
    }

    /// Inside a fence only blank lines are borders: stops in code end nothing.
    fn code(&mut self, mut at: usize, close: usize) -> usize {
        while let Some(line_end) = next_line_end(self.text, at).filter(|&line_end| line_end < close) {
            let gap = Gap::at(self.text, line_end);
            if gap.is_blank_line() {
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
        let next = Enumerator::at(self.text, number);
        let start = past_bullet_back(self.text, number);
        if start > self.sentence
            && next.is_some_and(|next| item.precedes(next))
            && char_before(self.text, start).is_some_and(char::is_whitespace)
        {
            self.border(start);
        }
    }

    fn border(&mut self, at: usize) {
        // No letter extends the whitespace or mark before it, so the dear question is left for other characters.
        let letter = char_at(self.text, at).is_some_and(chars::begins_word);
        if at > self.sentence && at < self.text.len() && (letter || is_grapheme_border(self.text, at)) {
            self.ends.push(at);
            self.begin_sentence(at);
        }
    }

    fn begin_sentence(&mut self, at: usize) {
        self.sentence = at;
        let head = skip(self.text, at, |c| chars::is_bullet(c) || c == ' ');
        if let Some(item) = Enumerator::at(self.text, head) {
            self.list = Some(item);
        }
    }
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
