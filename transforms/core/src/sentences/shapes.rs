//! What a word before a dot looks like: an initial, a number, an abbreviation.

use super::chars::{is_digit, is_latin_vowel, is_letter, is_lower, is_syllable, is_upper, may_be_vowel};

/// `p`, `Art`, `стр`: up to three letters and nothing else. Syllables of Han or Hangul are words.
pub(super) fn is_short(word: &str) -> bool {
    (1..=3).contains(&word.chars().count()) && word.chars().all(|c| is_letter(c) && !is_syllable(c))
}

/// `12`, `1,000`, `3.14`: ends in a digit.
pub(super) fn is_number(word: &str) -> bool {
    word.chars().next_back().is_some_and(is_digit)
}

/// `a.m` or `p.m`, the last dot left out.
pub(super) fn is_clock_time(word: &str) -> bool {
    word.eq_ignore_ascii_case("a.m") || word.eq_ignore_ascii_case("p.m")
}

/// A single letter, or a letter of India with its vowel sign (`के. पी.`). `before` is the character before it.
///
/// Not after an apostrophe (`qu'à`, `ארה"ב`), and not where it is a pronoun: Turkish `o`, Russian `я`.
pub(super) fn is_initial(word: &str, before: Option<char>) -> bool {
    let mut chars = word.chars();
    let Some(first) = chars.next() else { return false };
    let single = match chars.next() {
        None => !matches!(first, 'o' | 'я'),
        Some(second) => is_indic(first) && is_indic(second) && chars.next().is_none(),
    };
    single && is_letter(first) && !is_syllable(first) && !matches!(before, Some('\'' | '’' | '"' | '״'))
}

fn is_indic(c: char) -> bool {
    matches!(c, '\u{900}'..='\u{DFF}')
}

/// `U.S`, `e.g`, `Ph.D`, `J.-P`: letters in groups of up to three, dots between them.
pub(super) fn is_dotted(word: &str) -> bool {
    word.contains('.') && word.split(['.', '-']).all(is_group)
}

fn is_group(part: &str) -> bool {
    part.chars().count() <= 3 && part.chars().all(is_letter)
}

/// `EE`, `UU`: a capital twice.
pub(super) fn is_doubled_capital(word: &str) -> bool {
    matches!(word.as_bytes(), [first, second] if first == second && first.is_ascii_uppercase())
}

/// `II`, `XIV`: capitals that may be a Roman numeral, at least two.
pub(super) fn is_roman(word: &str) -> bool {
    word.len() > 1 && word.bytes().all(|byte| matches!(byte, b'I' | b'V' | b'X' | b'L' | b'C'))
}

/// `Bhf`, `vnw`, `кв`: two to four letters, not all of them capitals, and no vowel.
pub(super) fn lacks_vowels(word: &str) -> bool {
    (2..=4).contains(&word.chars().count())
        && word.chars().any(is_lower)
        && word.chars().all(|c| is_letter(c) && !may_be_vowel(c))
}

/// At least four small letters of Latin or Greek, the first perhaps a capital, with a vowel: no abbreviation,
/// unless listed.
pub(super) fn is_plain(word: &str) -> bool {
    if let [b'a'..=b'z' | b'A'..=b'Z', rest @ ..] = word.as_bytes()
        && rest.iter().all(u8::is_ascii_lowercase)
    {
        return rest.len() >= 3 && word.bytes().any(is_latin_vowel);
    }
    let (mut letters, mut vowels) = (0, 0);
    for c in word.chars() {
        let small = if c.is_ascii() { c.is_ascii_lowercase() } else { is_lower(c) && is_latin_or_greek(c) };
        if !(small || (letters == 0 && is_upper(c))) {
            return false;
        }
        letters += 1;
        vowels += u32::from(may_be_vowel(c));
    }
    letters >= 4 && vowels > 0
}

/// At least four small letters of Cyrillic.
pub(super) fn is_small_cyrillic(word: &str) -> bool {
    word.len() >= 8 && word.chars().all(|c| is_lower(c) && matches!(c, '\u{400}'..='\u{52F}'))
}

fn is_latin_or_greek(c: char) -> bool {
    matches!(c, '\u{C0}'..='\u{24F}' | '\u{386}'..='\u{3CE}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_abbreviations() {
        assert!(is_short("Art") && is_short("стр") && !is_short("page") && !is_short("다") && !is_short("v2"));
        assert!(is_dotted("e.g") && is_dotted("Ph.D") && is_dotted("J.-P") && is_dotted("т.е"));
        assert!(!is_dotted("example.com") && !is_dotted("3.14") && !is_dotted("etc"));
        assert!(is_roman("XIV") && !is_roman("I") && !is_roman("xiv"));
        assert!(lacks_vowels("Bhf") && lacks_vowels("гг") && !lacks_vowels("TV") && !lacks_vowels("my"));
        assert!(is_doubled_capital("EE") && !is_doubled_capital("EU"));
    }

    #[test]
    fn initials_are_single_letters_that_are_no_words() {
        assert!(is_initial("J", None) && is_initial("Ж", Some(' ')) && is_initial("के", Some(' ')));
        assert!(!is_initial("o", None) && !is_initial("я", None) && !is_initial("다", None));
        assert!(!is_initial("ב", Some('"')) && !is_initial("à", Some('’')) && !is_initial("", None));
    }

    #[test]
    fn plain_words_are_of_small_letters() {
        assert!(is_plain("house") && is_plain("Café") && is_plain("κανένας"));
        assert!(!is_plain("etc") && !is_plain("NASA") && !is_plain("дом") && !is_plain("e-mail") && !is_plain("x86y"));
    }
}
