//! Hand-written scanners for OpenAI's patterns: where the pretoken that begins at a place ends.
//!
//! None of the patterns looks behind, so a pretoken depends on the text to its right alone. That is what lets a
//! [`DocumentIndex`](super::index::DocumentIndex) count slices of a document that was scanned once.

use super::classes::{LETTER, LOWER, MARK, NUMBER, SPACE, UPPER, class_at};

/// The patterns as tiktoken 0.14 spells them; an encoding whose pattern is none of these takes the general path.
pub(super) const R50K: &str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s";
pub(super) const CL100K: &str = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s";
pub(super) const O200K: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);

/// A pattern we have a scanner for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scanner {
    /// GPT-2's: r50k_base, p50k_base, p50k_edit, gpt2.
    R50k,
    /// cl100k_base's.
    Cl100k,
    /// o200k_base's and o200k_harmony's.
    O200k,
}

impl Scanner {
    /// The scanner for exactly this pattern string.
    pub(super) fn for_pattern(pattern: &str) -> Option<Scanner> {
        match pattern {
            R50K => Some(Scanner::R50k),
            CL100K => Some(Scanner::Cl100k),
            O200K => Some(Scanner::O200k),
            _ => None,
        }
    }

    /// End of the pretoken that begins at `start`, where the text ends at `text.len()`; always past `start`.
    #[inline]
    pub(super) fn pretoken_end(self, text: &[u8], start: usize) -> usize {
        match self {
            Scanner::R50k => r50k(text, start),
            Scanner::Cl100k => cl100k(text, start),
            Scanner::O200k => o200k(text, start),
        }
    }
}

fn r50k(text: &[u8], start: usize) -> usize {
    if let Some(end) = contraction(text, start, Case::Lower) {
        return end;
    }
    // A space may lead letters, numbers or anything else but white space.
    let body = start + usize::from(text[start] == b' ');
    let (class, after) = class_at(text, body);
    if after == body {
        return body;
    }
    match class & (LETTER | NUMBER | SPACE) {
        LETTER => run(text, after, LETTER),
        NUMBER => run(text, after, NUMBER),
        0 => run_of_others(text, after),
        _ => white_space(text, start, Newlines::Plain),
    }
}

fn cl100k(text: &[u8], start: usize) -> usize {
    if let Some(end) = contraction(text, start, Case::Any) {
        return end;
    }
    let (class, after) = class_at(text, start);
    if class & LETTER != 0 {
        return letters(text, after);
    }
    if class & NUMBER != 0 {
        return up_to_three_numbers(text, after);
    }
    // One character that is no line end may lead a run of letters.
    if !is_line_end(text[start]) {
        let (next, past) = class_at(text, after);
        if next & LETTER != 0 {
            return letters(text, past);
        }
    }
    match punctuation(text, start, class, after) {
        Some(end) => skip(text, end, is_line_end),
        None => white_space(text, start, Newlines::LastButAtTheEnd),
    }
}

fn o200k(text: &[u8], start: usize) -> usize {
    let (class, after) = class_at(text, start);
    if let Some(end) = o200k_word(text, start, class, after) {
        return contraction(text, end, Case::Any).unwrap_or(end);
    }
    if class & NUMBER != 0 {
        return up_to_three_numbers(text, after);
    }
    match punctuation(text, start, class, after) {
        Some(end) => skip(text, end, |byte| is_line_end(byte) || byte == b'/'),
        None => white_space(text, start, Newlines::Last),
    }
}

/// The two word alternatives of o200k, in the order in which a backtracking engine tries them: with the optional
/// leading character and without, first ending in lower case, then without any.
fn o200k_word(text: &[u8], start: usize, class: u8, after: usize) -> Option<usize> {
    let may_lead = class & (LETTER | NUMBER) == 0 && !is_line_end(text[start]);
    let led = may_lead.then(|| Word::scan(text, after));
    // Only a mark is both a possible leading character and a possible first character of the word itself.
    let bare = (class & (LETTER | MARK) != 0).then(|| Word::scan(text, start));
    let words = [led, bare];
    let ending_in_lower = words.iter().flatten().find_map(|word| word.lower_end);
    ending_in_lower.or_else(|| words.iter().flatten().find_map(|word| word.upper_end))
}

/// What o200k's word alternatives match from one place on.
struct Word {
    /// `U*L+`: as many of U as leave one of L, then L.
    lower_end: Option<usize>,
    /// `U+L*` where the first did not match, so that L is empty.
    upper_end: Option<usize>,
}

impl Word {
    fn scan(text: &[u8], start: usize) -> Word {
        let mut at = start;
        let mut last_lower = None;
        // Every letter without case and every mark is in both sets: giving back the run's last one is enough.
        loop {
            let (class, after) = class_at(text, at);
            if class & UPPER == 0 {
                break;
            }
            if class & LOWER != 0 {
                last_lower = Some(after);
            }
            at = after;
        }
        let lower_end = run(text, at, LOWER);
        Word {
            lower_end: if lower_end > at { Some(lower_end) } else { last_lower },
            upper_end: (at > start).then_some(at),
        }
    }
}

/// ` ?[^\s\p{L}\p{N}]+` from `start`, whose character has `class` and ends at `after`.
fn punctuation(text: &[u8], start: usize, class: u8, after: usize) -> Option<usize> {
    if class & (LETTER | NUMBER | SPACE) == 0 {
        return Some(run_of_others(text, after));
    }
    if text[start] == b' ' {
        let (next, past) = class_at(text, after);
        if past > after && next & (LETTER | NUMBER | SPACE) == 0 {
            return Some(run_of_others(text, past));
        }
    }
    None
}

/// Which letters a contraction may have.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Case {
    /// Lower case only.
    Lower,
    /// Both cases, and U+017F, the long s, which folds to `s`.
    Any,
}

/// `'s`, `'d`, `'m`, `'t`, `'ll`, `'ve` or `'re` at `start`. More letters may follow: `'tis` gives `'t`.
#[inline]
pub(super) fn contraction(text: &[u8], start: usize, case: Case) -> Option<usize> {
    if text.get(start) != Some(&b'\'') {
        return None;
    }
    let fold = |at: usize| text.get(at).map(|&b| if case == Case::Any { b.to_ascii_lowercase() } else { b });
    match (fold(start + 1)?, fold(start + 2)) {
        (b's' | b'd' | b'm' | b't', _) => Some(start + 2),
        (b'l', Some(b'l')) | (b'v' | b'r', Some(b'e')) => Some(start + 3),
        (0xC5, Some(0xBF)) if case == Case::Any => Some(start + 3),
        _ => None,
    }
}

/// How a pattern cuts a run of white space that holds line ends.
#[derive(Clone, Copy, PartialEq)]
enum Newlines {
    /// Like any other white space.
    Plain,
    /// After the last line end of the run.
    Last,
    /// The same, but a run that ends the text is one pretoken.
    LastButAtTheEnd,
}

/// A run of white space from `start`: all of it at the end of the text, else without its last character, which may
/// lead what follows.
fn white_space(text: &[u8], start: usize, newlines: Newlines) -> usize {
    let (mut at, mut last_start, mut line_end) = (start, start, None);
    loop {
        let (class, after) = class_at(text, at);
        if class & SPACE == 0 {
            break;
        }
        if is_line_end(text[at]) {
            line_end = Some(after);
        }
        (last_start, at) = (at, after);
    }
    let ends_the_text = at == text.len();
    match (newlines, line_end) {
        (Newlines::Last, Some(end)) => end,
        (Newlines::LastButAtTheEnd, Some(end)) if !ends_the_text => end,
        _ if ends_the_text || last_start == start => at,
        _ => last_start,
    }
}

#[inline]
fn up_to_three_numbers(text: &[u8], after_first: usize) -> usize {
    let mut end = after_first;
    for _ in 0..2 {
        let (class, after) = class_at(text, end);
        if class & NUMBER == 0 {
            break;
        }
        end = after;
    }
    end
}

#[inline]
fn letters(text: &[u8], at: usize) -> usize {
    run(text, at, LETTER)
}

/// End of the run of characters of `class` from `at` on.
#[inline]
fn run(text: &[u8], mut at: usize, class: u8) -> usize {
    loop {
        let (bits, after) = class_at(text, at);
        if bits & class == 0 {
            return at;
        }
        at = after;
    }
}

/// End of the run of `[^\s\p{L}\p{N}]` from `at` on.
#[inline]
fn run_of_others(text: &[u8], mut at: usize) -> usize {
    loop {
        let (bits, after) = class_at(text, at);
        if after == at || bits & (LETTER | NUMBER | SPACE) != 0 {
            return at;
        }
        at = after;
    }
}

#[inline]
fn skip(text: &[u8], mut at: usize, wanted: impl Fn(u8) -> bool) -> usize {
    while text.get(at).is_some_and(|&byte| wanted(byte)) {
        at += 1;
    }
    at
}

#[inline]
fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}
