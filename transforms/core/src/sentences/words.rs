//! The word lists of `words/*.txt`, hashed into one table while compiling.
//!
//! One entry a line; `#` begins a comment. An entry in lower case matches the word in any case; an entry with a
//! capital matches as it is written (`Mar` is a month, `mar` is the sea). Entries stand without their last dot.
//! One look-up tells all lists that a word is in, so that a stop costs two look-ups at most.

use super::chars::is_upper;

/// The lists. Each is a file of its name in `words/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    /// Words whose dot never ends a sentence while a word follows: titles, `Fig`, `vs`, `vgl`, `ул`.
    NeverLast,
    /// Abbreviations that do end sentences, then a starter follows: `Inc`, `etc`, `km`, `Jr`.
    SometimesLast,
    /// Abbreviations that a number belongs to: `No`, `p`, `стр`.
    BeforeNumbers,
    /// Words that begin sentences and are no names.
    Starters,
    /// Words that an ordinal stands before: months, `Jahrhundert`.
    AfterOrdinals,
    /// Words that an ordinal with a dot stands after: `der 3. Platz`.
    BeforeOrdinals,
    /// What follows `a.m.` in the same sentence: days, months, time zones.
    AfterClockTimes,
    /// Particles of family names: `J. de Vries`, `M. La Rue`.
    NameParticles,
    /// Names that end in `!` or `?`.
    NamesWithMarks,
}

/// The files, in the order of [`List`].
const FILES: [&str; 9] = [
    include_str!("words/never_last.txt"),
    include_str!("words/sometimes_last.txt"),
    include_str!("words/before_numbers.txt"),
    include_str!("words/starters.txt"),
    include_str!("words/after_ordinals.txt"),
    include_str!("words/before_ordinals.txt"),
    include_str!("words/after_clock_times.txt"),
    include_str!("words/name_particles.txt"),
    include_str!("words/names_with_marks.txt"),
];

/// The lists that a word is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lists(u16);

impl Lists {
    /// The lists that have `word`, as it is or in lower case.
    pub fn of(word: &str) -> Self {
        if word.is_empty() || word.len() > LONGEST {
            return Self::default();
        }
        let bytes = word.as_bytes();
        if bytes.iter().any(|byte| !byte.is_ascii()) {
            let capital = word.chars().any(is_upper);
            return if capital { of_lower(word).or(Self::of_written(word)) } else { Self::of_written(word) };
        }
        find(bytes, |entry| entry == bytes || (entry.eq_ignore_ascii_case(bytes) && is_lower(entry)))
    }

    /// The lists that have `word` just as it is written.
    pub fn of_written(word: &str) -> Self {
        find(word.as_bytes(), |entry| entry == word.as_bytes())
    }

    /// Whether `list` is among them.
    pub fn has(self, list: List) -> bool {
        self.0 >> (list as u16) & 1 == 1
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 & !JOINT_END == 0
    }

    /// Whether the word is or may be an abbreviation, or the end of one.
    pub fn abbreviate(self) -> bool {
        self.has(List::NeverLast) || self.has(List::SometimesLast) || self.end_joints()
    }

    /// Whether the word is the last part of an abbreviation of several.
    pub fn end_joints(self) -> bool {
        self.0 & JOINT_END != 0
    }

    /// All in either.
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A power of two, at least four times the number of entries: most words are in no list and find a free slot at once.
const SLOTS: usize = 1 << 13;
/// The bit of [`Lists`] for last parts of abbreviations of several, which are looked up together.
const JOINT_END: u16 = 1 << 15;
/// The longest entry in bytes.
const LONGEST: usize = 24;

/// An entry: where its text is, and one bit for each list that has it.
#[derive(Clone, Copy)]
struct Entry {
    file: u8,
    length: u8,
    start: u16,
    lists: u16,
}

impl Entry {
    fn text(self) -> &'static [u8] {
        let start = self.start as usize;
        &FILES[self.file as usize].as_bytes()[start..start + self.length as usize]
    }
}

/// All entries by their hash, with open addressing; a free slot has no lists.
static TABLE: [Entry; SLOTS] = table();

const fn table() -> [Entry; SLOTS] {
    let mut table = [Entry { file: 0, length: 0, start: 0, lists: 0 }; SLOTS];
    let mut file = 0;
    while file < FILES.len() {
        let bytes = FILES[file].as_bytes();
        assert!(bytes.len() <= u16::MAX as usize, "a list is too long");
        let mut start = 0;
        while start < bytes.len() {
            let end = line_end(bytes, start);
            if end > start && bytes[start] != b'#' {
                insert(&mut table, file, start, end, 1 << file);
                let part = last_part(bytes, start, end);
                if part > start {
                    insert(&mut table, file, part, end, JOINT_END);
                }
            }
            start = end + 1;
        }
        file += 1;
    }
    table
}

const fn line_end(bytes: &[u8], start: usize) -> usize {
    let mut end = start;
    while end < bytes.len() && bytes[end] != b'\n' {
        end += 1;
    }
    end
}

/// Where the last part of an entry begins: of `z.b` and `ad es` those are `b` and `es`.
const fn last_part(bytes: &[u8], start: usize, end: usize) -> usize {
    let mut part = end;
    while part > start && !matches!(bytes[part - 1], b'.' | b' ') {
        part -= 1;
    }
    part
}

#[allow(clippy::cast_possible_truncation, reason = "the lengths are asserted")]
const fn insert(table: &mut [Entry; SLOTS], file: usize, start: usize, end: usize, lists: u16) {
    assert!(end - start <= LONGEST, "an entry is too long");
    let bytes = FILES[file].as_bytes();
    let mut slot = slot(bytes.split_at(end).0.split_at(start).1);
    while table[slot].lists != 0 && !holds(table[slot], bytes, start, end) {
        slot = (slot + 1) % SLOTS;
    }
    let lists = table[slot].lists | lists;
    table[slot] = Entry { file: file as u8, length: (end - start) as u8, start: start as u16, lists };
}

const fn holds(entry: Entry, bytes: &[u8], start: usize, end: usize) -> bool {
    let text = FILES[entry.file as usize].as_bytes();
    let mut at = 0;
    while at < end - start && at < entry.length as usize && text[entry.start as usize + at] == bytes[start + at] {
        at += 1;
    }
    at == end - start && at == entry.length as usize
}

/// The lists that have `word` in lower case, which may be longer.
fn of_lower(word: &str) -> Lists {
    let mut lower = [0; LONGEST * 3];
    let mut length = 0;
    for c in word.chars().flat_map(char::to_lowercase) {
        length += c.encode_utf8(&mut lower[length..]).len();
    }
    let lower = &lower[..length];
    find(lower, |entry| entry == lower)
}

fn is_lower(entry: &[u8]) -> bool {
    !entry.iter().any(u8::is_ascii_uppercase)
}

/// The lists of the entries that are sought, among those where `word` would be.
fn find(word: &[u8], is_sought: impl Fn(&[u8]) -> bool) -> Lists {
    let (mut slot, mut lists) = (slot(word), 0);
    while TABLE[slot].lists != 0 {
        let entry = TABLE[slot];
        if entry.length as usize == word.len() && is_sought(entry.text()) {
            lists |= entry.lists;
        }
        slot = (slot + 1) % SLOTS;
    }
    Lists(lists)
}

/// Where the search for `word` begins: a hash that ignores the case of ASCII letters and looks at the last eight
/// bytes, which are there at once.
#[inline]
const fn slot(word: &[u8]) -> usize {
    const ANY_CASE: u64 = 0x2020_2020_2020_2020;
    let end = if let Some(end) = word.last_chunk() {
        u64::from_le_bytes(*end)
    } else if let (Some(start), Some(end)) = (word.first_chunk(), word.last_chunk()) {
        (u32::from_le_bytes(*start) as u64) << 32 | u32::from_le_bytes(*end) as u64
    } else if let [first, .., last] = word {
        (*first as u64) << 16 | (word[word.len() / 2] as u64) << 8 | *last as u64
    } else if let [only] = word {
        *only as u64
    } else {
        0
    };
    ((end | ANY_CASE).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> (u64::BITS - SLOTS.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_clean() {
        let mut all = 0;
        for (number, file) in FILES.iter().enumerate() {
            let mut seen = std::collections::HashSet::new();
            for entry in file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
                assert_eq!(entry, entry.trim(), "white space around {entry:?}");
                assert!(!entry.ends_with('.'), "{entry} is written without its last dot");
                assert!(seen.insert(entry), "{entry} stands twice in one list");
                assert!(Lists::of(entry).0 >> number & 1 == 1, "{entry} is not found");
            }
            all += seen.len();
        }
        assert!(all * 4 < SLOTS, "raise SLOTS");
    }

    #[test]
    fn lower_case_entries_match_any_case_capitals_only_themselves() {
        for word in ["Dr", "DR", "dr", "Ул", "ул"] {
            assert!(Lists::of(word).has(List::NeverLast), "{word}");
        }
        assert!(Lists::of("Sat").has(List::SometimesLast) && !Lists::of("sat").has(List::SometimesLast));
        assert!(Lists::of_written("dr").has(List::NeverLast) && Lists::of_written("DR").is_empty());
        assert!(Lists::of("").is_empty() && Lists::of(&"x".repeat(100)).is_empty());
    }

    #[test]
    fn a_word_may_be_in_several_lists() {
        let sept = Lists::of("sept");
        assert!(sept.has(List::SometimesLast) && sept.has(List::BeforeNumbers) && !sept.has(List::Starters));
    }
}
