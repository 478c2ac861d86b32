//! What single characters are to the splitter: marks that close, marks that open, letters.
//!
//! Everything here is a pure question about one character; nothing looks at its neighbours.

/// A set of marks, a bit for each character of the blocks that punctuation is in.
struct Set([u128; BLOCKS.len()]);

/// Where those blocks of 128 characters begin: ASCII, Latin-1, general, East Asian, and wide punctuation.
const BLOCKS: [u32; 5] = [0, 0x80, 0x2000, 0x3000, 0xFF00];

impl Set {
    /// The marks of `text`, each of them encoded in UTF-16 by one unit.
    const fn of(text: &str) -> Self {
        let mut bits = [0; BLOCKS.len()];
        let (bytes, mut at) = (text.as_bytes(), 0);
        while at < bytes.len() {
            let (c, length) = match bytes[at] {
                first @ ..0x80 => (first as u32, 1),
                first @ ..0xE0 => ((first as u32 & 0x1F) << 6 | bytes[at + 1] as u32 & 0x3F, 2),
                first => {
                    let low = (bytes[at + 1] as u32 & 0x3F) << 6 | bytes[at + 2] as u32 & 0x3F;
                    ((first as u32 & 0xF) << 12 | low, 3)
                }
            };
            let Some(block) = block(c) else { panic!("a mark is in no block") };
            bits[block] |= 1 << (c % 128);
            at += length;
        }
        Self(bits)
    }

    fn has(&self, c: char) -> bool {
        let c = u32::from(c);
        block(c).is_some_and(|block| self.0[block] >> (c % 128) & 1 == 1)
    }
}

const fn block(c: u32) -> Option<usize> {
    match c & !127 {
        0 => Some(0),
        0x80 => Some(1),
        0x2000 => Some(2),
        0x3000 => Some(3),
        0xFF00 => Some(4),
        _ => None,
    }
}

/// Whether `c` may stand between a stop and the end of its sentence: quotes, brackets, emphasis, bidi marks.
///
/// `«` and `“` are in: Danish closes with `«`, German with `“`.
pub(super) fn is_closer(c: char) -> bool {
    const CLOSERS: Set = Set::of("\"')]}*_`~”’»«›‹“‘´″」』）】》〉〕］｝〗〙〛｣〞〟＂＇");
    CLOSERS.has(c) || is_invisible(c)
}

/// Whether `c` may stand between the start of a sentence and its first word.
pub(super) fn is_opener(c: char) -> bool {
    const OPENERS: Set = Set::of("\"'([{*_`~-‘“”’«»„‚‹›¿¡•·「『（【《〈〔［｛〖〘〚｢〝");
    OPENERS.has(c) || is_dash(c) || is_invisible(c)
}

/// Opening brackets and quotes that follow a stop of East Asian text without a space.
pub(super) fn is_wide_opener(c: char) -> bool {
    const WIDE_OPENERS: Set = Set::of("「『（【《〈〔［｛〖〘〚｢〝“‘");
    WIDE_OPENERS.has(c)
}

/// Dashes that open a line of dialogue or join two halves of a sentence.
pub(super) fn is_dash(c: char) -> bool {
    matches!(c, '–' | '—' | '―' | '‒' | '⸺')
}

/// Bullets that begin a list item.
pub(super) fn is_bullet(c: char) -> bool {
    matches!(
        c,
        '•' | '‣'
            | '◦'
            | '▪'
            | '▫'
            | '●'
            | '○'
            | '■'
            | '□'
            | '◆'
            | '◇'
            | '⁃'
            | '∙'
            | '➢'
            | '➤'
            | '✓'
            | '✔'
            | '※'
            | '★'
            | '☆'
            | '►'
            | '▶'
    )
}

/// Format characters that take no room: bidi marks and isolates, joiners, the byte order mark.
pub(super) fn is_invisible(c: char) -> bool {
    c >= '\u{200B}'
        && matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

/// Whether `c` has a case and it is the lower one.
pub(super) fn is_lower(c: char) -> bool {
    match c {
        '\0'..='\u{7F}' => c.is_ascii_lowercase(),
        'ß'..='ö' | 'ø'..='ÿ' | 'α'..='ω' | 'а'..='џ' => true,
        _ => !is_caseless(c) && c.is_lowercase(),
    }
}

/// Whether `c` has a case and it is the upper one.
pub(super) fn is_upper(c: char) -> bool {
    match c {
        '\0'..='\u{7F}' => c.is_ascii_uppercase(),
        'ß'..='ö' | 'ø'..='ÿ' | 'α'..='ω' | 'а'..='џ' => false,
        _ => !is_caseless(c) && c.is_uppercase(),
    }
}

/// Whether `c` is of Hebrew to Burmese or East Asian, which have no cases; spares a look at larger tables.
fn is_caseless(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{109F}' | '\u{2E80}'..='\u{A63F}' | '\u{AC00}'..='\u{FAFF}')
}

/// [`char::is_alphabetic`], at once for the letters and marks of most text; the tables behind it are searched slowly.
pub(super) fn is_letter(c: char) -> bool {
    match c {
        '\0'..='\u{7F}' => c.is_ascii_alphabetic(),
        'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ɏ' | 'α'..='ω' | 'Ѐ'..='ҁ' | 'Ա'..='Ֆ' | 'ա'..='և' => true,
        'א'..='ת' | 'ء'..='ي' | 'ऄ'..='ह' | 'ও'..='ন' | 'ก'..='\u{E3A}' | 'ა'..='ჺ' => true,
        'ሀ'..='ቈ' | 'ぁ'..='ゖ' | 'ァ'..='ヺ' | '\u{4E00}'..='\u{9FEF}' | '가'..='힣' => true,
        '\u{80}'..='\u{A9}' | '\u{300}'..='\u{344}' | '\u{2000}'..='\u{2070}' | '\u{2190}'..='\u{24B5}' => false,
        '\u{3008}'..='\u{3020}' | '\u{FF01}'..='\u{FF20}' | '\u{1F18A}'..='\u{1FBEF}' => false,
        _ => c.is_alphabetic(),
    }
}

/// [`char::is_numeric`], at once for most text.
pub(super) fn is_digit(c: char) -> bool {
    match c {
        '\0'..='\u{7F}' => c.is_ascii_digit(),
        '\u{C0}'..='\u{5FF}' | 'ऄ'..='ॣ' | 'ก'..='\u{E4F}' | 'ა'..='ቈ' | '\u{2000}'..='\u{206F}' => false,
        '\u{3040}'..='\u{318F}' | '\u{3400}'..='\u{9FFF}' | '가'..='힣' | '\u{1F10D}'..='\u{1FBEF}' => false,
        _ => c.is_numeric(),
    }
}

/// A letter of Han, kana or Hangul: each is a syllable or more, so a single one is a word, never an initial.
pub(super) fn is_syllable(c: char) -> bool {
    c >= '\u{1100}'
        && matches!(c, '\u{1100}'..='\u{11FF}' | '\u{1200}'..='\u{137F}' | '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..)
}

/// Han, kana and their punctuation: scripts that write no spaces.
pub(super) fn is_east_asian(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..)
}

/// Emoji and their modifiers, which close a sentence rather than begin one.
pub(super) fn is_emoji(c: char) -> bool {
    c >= '\u{200D}'
        && matches!(c, '\u{1F000}'..='\u{1FAFF}' | '\u{2600}'..='\u{26FF}' | '\u{2764}' | '\u{FE0F}' | '\u{200D}')
}

/// Hangul, which writes spaces and has no capitals.
pub(super) fn is_hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11FF}' | '\u{AC00}'..='\u{D7A3}')
}

/// Hiragana: what follows a closing bracket in it (`」と`, `）は`) carries the sentence on.
pub(super) fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309F}')
}

/// Whether `c` begins a grapheme cluster behind whitespace or punctuation, whatever comes next.
pub(super) fn begins_cluster(c: char) -> bool {
    matches!(c, '!'..='~' | '\u{2010}'..='\u{2027}') || begins_word(c)
}

/// Letters and digits that may begin a sentence with no space before it.
///
/// All of them are `\p{L}` or `\p{N}` in every Unicode version since 11, and none is a mark: so a tokeniser's run
/// of punctuation never holds two such borders. Narrower than [`char::is_alphanumeric`] for that reason.
pub(super) fn begins_word(c: char) -> bool {
    match c {
        '\0'..='\u{7F}' => c.is_ascii_alphanumeric(),
        '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' => true,
        '\u{3400}'..='\u{4DB5}' | '\u{4E00}'..='\u{9FEF}' | '\u{AC00}'..='\u{D7A3}' => true,
        '\u{C0}'..='\u{24F}' => !matches!(c, '×' | '÷'),
        '\u{388}'..='\u{481}' | '\u{48A}'..='\u{556}' | '\u{561}'..='\u{587}' => is_letter(c),
        '\u{5D0}'..='\u{5EA}' | '\u{620}'..='\u{64A}' | '\u{671}'..='\u{6D3}' => true,
        '\u{660}'..='\u{669}' | '\u{6F0}'..='\u{6F9}' => true,
        '\u{904}'..='\u{939}' | '\u{958}'..='\u{961}' | '\u{966}'..='\u{96F}' => true,
        '\u{985}'..='\u{98C}' | '\u{993}'..='\u{9A8}' | '\u{9AA}'..='\u{9B0}' | '\u{9E6}'..='\u{9F1}' => true,
        '\u{E01}'..='\u{E30}' | '\u{E40}'..='\u{E46}' | '\u{E50}'..='\u{E59}' => true,
        '\u{1000}'..='\u{102A}' | '\u{103F}'..='\u{1049}' => true,
        '\u{1200}'..='\u{1248}' | '\u{1250}'..='\u{1256}' | '\u{1260}'..='\u{1288}' => true,
        '\u{1290}'..='\u{12B0}' | '\u{12C8}'..='\u{12D6}' | '\u{12D8}'..='\u{1310}' => true,
        '\u{1318}'..='\u{135A}' | '\u{1369}'..='\u{137C}' => true,
        '\u{1780}'..='\u{17B3}' | '\u{17E0}'..='\u{17E9}' => true,
        '\u{F900}'..='\u{FA6D}' | '\u{20000}'..='\u{2A6D6}' => true,
        '\u{FF10}'..='\u{FF19}' | '\u{FF21}'..='\u{FF3A}' | '\u{FF41}'..='\u{FF5A}' | '\u{FF66}'..='\u{FF9D}' => true,
        _ => false,
    }
}

/// Bits of a, e, i, o, u, y by their place in the alphabet.
const LATIN_VOWELS: u32 = 1 << 1 | 1 << 5 | 1 << 9 | 1 << 15 | 1 << 21 | 1 << 25;

/// Whether `letter`, one of ASCII, is a vowel.
pub(super) fn is_latin_vowel(letter: u8) -> bool {
    LATIN_VOWELS >> (letter & 31) & 1 == 1
}

/// Whether `c` is a vowel of Latin, Greek or Cyrillic, or of no alphabet that has them apart.
///
/// Used to know abbreviations by their lack of vowels; letters of other scripts therefore count as vowels.
pub(super) fn may_be_vowel(c: char) -> bool {
    let consonant = match c {
        'a'..='z' | 'A'..='Z' => !is_latin_vowel(c as u8),
        'а'..='я' | 'А'..='Я' => !matches!(
            c,
            'а' | 'е'
                | 'и'
                | 'о'
                | 'у'
                | 'ы'
                | 'э'
                | 'ю'
                | 'я'
                | 'А'
                | 'Е'
                | 'И'
                | 'О'
                | 'У'
                | 'Ы'
                | 'Э'
                | 'Ю'
                | 'Я'
        ),
        'α'..='ω' => !matches!(c, 'α' | 'ε' | 'η' | 'ι' | 'ο' | 'υ' | 'ω'),
        _ => false,
    };
    !consonant
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closers_and_openers_of_several_scripts() {
        assert!("\"')]}”’»」）》*`\u{200F}".chars().all(is_closer));
        assert!("\"'([{“„«»「（《¿¡—-\u{200E}".chars().all(is_opener));
        assert!(!is_closer('a') && !is_opener('a') && !is_opener('.'));
    }

    #[test]
    fn a_sentence_begins_with_a_letter_or_digit_never_with_a_mark() {
        assert!("aZ9éЯ你あア가अ٣ကក３Ａ".chars().all(begins_word));
        assert!("#。「\u{301}\u{94D}\u{93E}\u{102C}\u{17B6}×Ⓐ😀".chars().all(|c| !begins_word(c)));
    }

    #[test]
    fn classes_are_those_of_unicode() {
        for c in '\0'..=char::MAX {
            assert_eq!((is_lower(c), is_upper(c)), (c.is_lowercase(), c.is_uppercase()), "{c:?}");
            assert_eq!((is_letter(c), is_digit(c)), (c.is_alphabetic(), c.is_numeric()), "{c:?}");
        }
    }

    #[test]
    fn vowels_are_known_in_three_alphabets_and_assumed_elsewhere() {
        assert!("aEyиЯωא".chars().all(may_be_vowel));
        assert!("bTргλ".chars().all(|c| !may_be_vowel(c)));
    }
}
