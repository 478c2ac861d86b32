//! The rules: whether a candidate ends its sentence.
//!
//! Each rule has a name, a reason with an example, and a question. The first one that has an answer decides;
//! where none has, the candidate ends the sentence. `tests/data/sentences.jsonl` holds cases for each by its name.
//! What the rules know of words is in `words/`, one list a file.

use super::brackets::Brackets;
use super::chars::{
    begins_word, is_digit, is_east_asian, is_hangul, is_hiragana, is_latin_vowel, is_letter, is_lower, is_upper,
    is_wide_opener,
};
use super::look::{Letters, char_at, char_before, has, is_in_words, past_openers};
use super::marks::{Mark, is_armenian};
use super::shapes::{
    is_clock_time, is_dotted, is_doubled_capital, is_initial, is_number, is_plain, is_roman, is_short,
    is_small_cyrillic, lacks_vowels,
};
use super::stop::{LEAD, Run, Stop};
use super::words::{List, Lists};

/// What a rule says: the candidate ends its sentence, it does not, or the next rule may say.
type Answer = Option<bool>;

const ENDS: Answer = Some(true);
const GOES_ON: Answer = Some(false);

/// Whether a candidate with whitespace behind it ends its sentence.
pub(super) fn ends_before_space(stop: &Stop, brackets: &mut Brackets) -> bool {
    let answer = any_mark(stop).or_else(|| match stop.mark {
        Mark::Stop => full_stop(stop),
        Mark::Ellipsis => ellipsis(stop),
        Mark::Strong => exclamation(stop),
        _ => None,
    });
    answer.unwrap_or_else(|| !is_enclosed(stop, brackets))
}

/// Whether a candidate ends its sentence beyond doubt: `It rained. Then`, `“Why?” The`.
///
/// A short cut to what the rules say of most candidates: behind a word of small letters that no list has, before a
/// capital.
pub(super) fn is_plain_end(text: &str, sentence: usize, run: Run) -> bool {
    let bytes = text.as_bytes();
    if !bytes[..run.at].last().is_some_and(u8::is_ascii_lowercase) {
        return false;
    }
    let letters = Letters::before(text, run.at);
    let start = run.at - letters.count;
    let is_word = (2..16).contains(&letters.count) && letters.small + 1 >= letters.count;
    let is_whole = start > sentence + LEAD && !is_in_words(bytes[start - 1]);
    if !(is_word && is_whole && !run.gap.is_empty()) {
        return false;
    }
    let ends = match run.mark {
        Mark::Stop => {
            let has_vowel = || bytes[start..run.at].iter().copied().any(is_latin_vowel);
            (letters.count > 4 || has_vowel()) && !Lists::of(&text[start..run.at]).abbreviate()
        }
        Mark::Strong => !Lists::of_written(&text[start..run.end]).has(List::NamesWithMarks),
        _ => false,
    };
    ends && bytes.get(past_openers(text, run.gap.end)).is_some_and(u8::is_ascii_uppercase)
}

/// Whether a candidate with no whitespace behind it ends its sentence: only in scripts that need none.
pub(super) fn ends_without_space(stop: &Stop, brackets: &mut Brackets) -> bool {
    let next = char_at(stop.text, stop.gap.end);
    let needs_no_space = match stop.mark {
        Mark::Full => char_at(stop.text, stop.at) != Some(':'),
        Mark::WideStop => !next.is_some_and(is_digit),
        Mark::Strong | Mark::Ellipsis => {
            char_before(stop.text, stop.at).is_some_and(is_east_asian) && next.is_some_and(is_east_asian)
        }
        Mark::Stop => lacks_space(stop),
        Mark::NewLine | Mark::Bracket => false,
    };
    needs_no_space
        && opens_word(stop.text, stop.gap.end)
        && !(stop.has_closer() && next.is_some_and(is_hiragana))
        && !is_enclosed(stop, brackets)
}

/// `It rained.Then it`: a space was forgotten. In Latin script the next word must tell that it begins a sentence,
/// since names and code are written so.
fn lacks_space(stop: &Stop) -> bool {
    let word = stop.word;
    let next = stop.next_word();
    let alone = stop.before_word().is_none_or(|c| c.is_whitespace() || matches!(c, ',' | '(' | '"' | '“' | '«'));
    if !alone || stop.has_closer() || !stop.next.is_some_and(is_upper) {
        return false;
    }
    let after = &stop.text[stop.after + next.len()..];
    let small = word.starts_with(is_lower);
    let is_end = if is_plain(word) { !Lists::of(word).abbreviate() } else { is_number(word) && !stop.is_enumerator() };
    let begins = after.starts_with(' ') && (small || is_number(word)) && Lists::of(next).has(List::Starters);
    let titled = after.starts_with(". ") && Lists::of(next).has(List::NeverLast);
    let cyrillic = is_small_cyrillic(word) && !Lists::of(word).abbreviate() && after.starts_with(' ');
    (is_end && (begins || titled)) || cyrillic
}

/// A letter or digit, or up to three opening brackets and then one.
fn opens_word(text: &str, mut at: usize) -> bool {
    for _ in 0..4 {
        match char_at(text, at) {
            Some(c) if is_wide_opener(c) => at += c.len_utf8(),
            next => return next.is_some_and(begins_word),
        }
    }
    false
}

/// A border of East Asian text inside a bracket or quotation is none: `（雨。雪。）`.
fn is_enclosed(stop: &Stop, brackets: &mut Brackets) -> bool {
    let mark = char_before(stop.text, stop.marks_end);
    let before = char_before(stop.text, stop.at);
    (mark.is_some_and(is_east_asian) || before.is_some_and(is_east_asian))
        && brackets.enclose(stop.text, stop.gap.start)
}

/// Writes a list of rules as a function that asks one after the other.
macro_rules! rules {
    ($(#[$list_doc:meta])* fn $list:ident; $($(#[doc = $reason:literal])+ $rule:ident => $question:expr;)+) => {
        $(#[$list_doc])*
        fn $list(stop: &Stop) -> Answer {
            $(
                let $rule: fn(&Stop) -> Answer = $question;
                if let Some(ends) = $rule(stop) {
                    return Some(ends);
                }
            )+
            None
        }

        #[cfg(test)]
        mod $list {
            /// The names of the rules of this list.
            pub const NAMES: &[&str] = &[$(stringify!($rule)),+];
        }
    };
}

/// The names of all rules.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    [any_mark::NAMES, full_stop::NAMES, ellipsis::NAMES, exclamation::NAMES].into_iter().flatten().copied()
}

rules! {
    /// Rules for every mark with whitespace behind it.
    fn any_mark;

    /// `Wait! (` at the end of a text: nothing follows.
    nothing_follows => |stop| if stop.next.is_none() { GOES_ON } else { None };

    /// `. (EN)`: nothing stands before the marks.
    nothing_before => |stop| if stop.is_head() { GOES_ON } else { None };

    /// `no way. really?` Informal text begins sentences in lower case; elsewhere a small letter goes on.
    lower_case => |stop| if stop.next_is_lower() { Some(stop.opens_item() || is_informal(stop) || is_question_series(stop)) } else { None };

    /// `"Really?", he said.` A mark inside the sentence follows.
    punctuation_follows => |stop| match stop.next {
        Some('.' | '…') if stop.opens_ellipsis() => None,
        Some(c) if continues(c) => GOES_ON,
        _ => None,
    };

    /// `It rained. [...] It snowed.` An omission stays with what it follows.
    omission_follows => |stop| if stop.opens_omission() { GOES_ON } else { None };
}

rules! {
    /// Rules for `.`.
    fn full_stop;

    /// `It rained. Then`: a plain word that is in no list is no abbreviation.
    plain_word => |stop| {
        if is_plain(stop.word) && Lists::of(stop.word).is_empty() { ENDS } else { None }
    };

    /// Armenian ends sentences with `։`; its dot is a comma or an abbreviation's.
    armenian_dot => |stop| if char_before(stop.text, stop.at).is_some_and(is_armenian) { GOES_ON } else { None };

    /// `1.` `a.` `iv.` at the head of a sentence number it.
    enumerator => |stop| if stop.is_enumerator() { GOES_ON } else { None };

    /// `12. Juni`, `der 3. Platz`: an ordinal.
    ordinal => |stop| if is_number(stop.word) { Some(!is_ordinal(stop)) } else { None };

    /// `p. 55`, `No. 7`: the number belongs to the abbreviation.
    before_a_number => |stop| {
        let number = stop.next.is_some_and(is_digit);
        if number && (is_short(stop.word) || stop.is_in(List::BeforeNumbers)) { GOES_ON } else { None }
    };

    /// `J. Smith`, `z. B.`: single letters, and abbreviations of two with a space between.
    initial => |stop| {
        if !is_initial(stop.word, stop.before_word()) {
            return None;
        }
        let starts = starts(stop) && !stop.next_is_in(List::NameParticles);
        Some(starts && !stop.joint_lists().has(List::NeverLast))
    };

    /// `At 5 a.m. Mr. Smith` goes on, `He left at 6 p.m. Mr. Smith` does not.
    clock_time => |stop| {
        if !is_clock_time(stop.word) {
            return None;
        }
        Some(!stop.next_is_in(List::AfterClockTimes) && stop.words_before(3) > 2)
    };

    /// `Dr. Who`, `vgl. Kapitel`, `ad es. Roma`: something belongs behind.
    never_last => |stop| {
        let joint = is_short(stop.word) && stop.joint_lists().has(List::NeverLast);
        if joint || stop.is_in(List::NeverLast) { GOES_ON } else { None }
    };

    /// `U.S. Army`, `S.p.A. Milano`: letters with dots.
    dotted => |stop| if is_dotted(stop.word) { Some(starts(stop)) } else { None };

    /// `Acme Inc. The`: an abbreviation that may be the last word.
    sometimes_last => |stop| if stop.is_in(List::SometimesLast) { Some(starts(stop)) } else { None };

    /// `EE. UU.`: Spanish doubles the letters of a plural.
    doubled_capitals => |stop| if is_doubled_capital(stop.word) { Some(starts(stop)) } else { None };

    /// `Ludwig XIV. Karl`: a Roman numeral may be an ordinal.
    roman_numeral => |stop| if is_roman(stop.word) { Some(starts(stop)) } else { None };

    /// `Bhf. Nord`: what has no vowel is an abbreviation, listed or not.
    no_vowel => |stop| if lacks_vowels(stop.word) { Some(starts(stop)) } else { None };
}

rules! {
    /// Rules for `...` and `…`.
    fn ellipsis;

    /// `the [...] Rest`: dots for words left out, unless a whole sentence is: `It rained. [...] It snowed.`
    omission => |stop| if stop.is_omission() { Some(stop.omits_sentence()) } else { None };

    /// `well... I mean`: a pause, as likely as an end, where the next word shows no capital of its own.
    pause => |stop| {
        let dots = stop.text[stop.at..stop.marks_end].matches('.').count();
        let shown = stop.next.is_some_and(|c| is_upper(c) && stop.next_word() != "I" || is_hangul(c));
        if shown || dots > 3 { None } else { GOES_ON }
    };
}

rules! {
    /// Rules for `!` and `?`.
    fn exclamation;

    /// `Yahoo! Mail`: the mark belongs to a name.
    name_with_mark => |stop| if is_name_with_mark(stop) { Some(starts(stop)) } else { None };
}

/// Punctuation that a sentence never begins with.
fn continues(c: char) -> bool {
    matches!(
        c,
        ',' | ';' | ':' | '.' | '!' | '?' | ')' | ']' | '}' | '%' | '&' | '=' | '+' | '/' | '|' | '<' | '…' | '№'
    ) || matches!(c, '،' | '؛' | '、' | '，' | '：' | '；' | '。' | '।')
}

/// The next word is one that begins sentences.
fn starts(stop: &Stop) -> bool {
    !stop.next_is_initial() && (stop.next_is_elided() || stop.next_is_in(List::Starters))
}

/// A small letter follows, yet the sentence ends: the word before is a plain one, in a language that writes so.
fn is_informal(stop: &Stop) -> bool {
    let bare = !stop.has_closer() && stop.after == stop.gap.end;
    let likely = match stop.mark {
        Mark::Stop => is_plain(stop.word) && stop.lists().is_empty(),
        Mark::Strong => stop.sentence_is_lower() && !is_name_with_mark(stop),
        _ => false,
    };
    bare && likely && !stop.is_turkish()
}

/// `Who was it? and when?`: a question, then a short one.
fn is_question_series(stop: &Stop) -> bool {
    let bare = !stop.has_closer() && stop.after == stop.gap.end;
    bare && has(stop.text, stop.marks_end - 1, '?') && asks_briefly(stop.text, stop.gap.end) && !stop.is_turkish()
}

/// Whether the first mark at or after `at` is a question mark, and near.
fn asks_briefly(text: &str, at: usize) -> bool {
    let mut near = text.as_bytes()[at..].iter().take(40);
    near.find(|byte| matches!(byte, b'.' | b'!' | b'?' | b'"' | b'\n' | b'\r')) == Some(&b'?')
}

fn is_ordinal(stop: &Stop) -> bool {
    let number = stop.word.trim_start_matches('-');
    if number.len() > 3 || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    match stop.next {
        // `1. - 3. Mai`
        Some('0'..='9') => stop.after > stop.gap.end,
        Some(next) if is_letter(next) => {
            stop.next_is_in(List::AfterOrdinals)
                || (Lists::of(stop.previous_word()).has(List::BeforeOrdinals) && !starts(stop))
                || matches!(stop.mark_before_word(), Some(';' | ':'))
        }
        _ => false,
    }
}

fn is_name_with_mark(stop: &Stop) -> bool {
    stop.marks_end == stop.at + 1
        && Lists::of_written(&stop.text[stop.word_start()..stop.marks_end]).has(List::NamesWithMarks)
}
