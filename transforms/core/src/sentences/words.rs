//! The word lists of `words/*.txt`, hashed into one table while compiling.
//!
//! One entry a line; `#` begins a comment. An entry in lower case matches the word in any case; an entry with a
//! capital matches as it is written (`Mar` is a month, `mar` is the sea). Entries stand without their last dot.
//! One look-up tells all lists that a word is in, so that a stop costs two look-ups at most.

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
        let (hash, bits) = bytes.iter().fold((SEED, 0), |(hash, bits), &byte| {
            (mix(hash, byte.to_ascii_lowercase()), bits | byte | u8::from(byte.is_ascii_uppercase()) << 7)
        });
        // The eighth bit: a capital, or a letter beyond ASCII.
        if bits < 0x80 {
            return Self(find(hash, |entry| entry == bytes));
        }
        if !word.is_ascii() {
            return Self(look_up_lower(word) | look_up(word));
        }
        Self(find(hash, |entry| entry.eq_ignore_ascii_case(bytes)) | look_up(word))
    }

    /// The lists that have `word` just as it is written.
    pub fn of_written(word: &str) -> Self {
        Self(look_up(word))
    }

    /// Whether `list` is among them.
    pub fn has(self, list: List) -> bool {
        self.0 >> (list as u16) & 1 == 1
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// All in either.
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A power of two, at least twice the number of entries.
const SLOTS: usize = 4096;
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
                insert(&mut table, file, start, end);
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

#[allow(clippy::cast_possible_truncation, reason = "the lengths are asserted")]
const fn insert(table: &mut [Entry; SLOTS], file: usize, start: usize, end: usize) {
    assert!(end - start <= LONGEST, "an entry is too long");
    let bytes = FILES[file].as_bytes();
    let mut slot = slot(hash(bytes, start, end));
    while table[slot].lists != 0 && !holds(table[slot], bytes, start, end) {
        slot = (slot + 1) % SLOTS;
    }
    let lists = table[slot].lists | 1 << file;
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

fn look_up(word: &str) -> u16 {
    let bytes = word.as_bytes();
    find(hash(bytes, 0, bytes.len()), |entry| entry == bytes)
}

/// Looks `word` up in lower case, which may be longer.
fn look_up_lower(word: &str) -> u16 {
    let mut lower = [0; LONGEST * 3];
    let mut length = 0;
    for c in word.chars().flat_map(char::to_lowercase) {
        length += c.encode_utf8(&mut lower[length..]).len();
    }
    let lower = &lower[..length];
    find(hash(lower, 0, length), |entry| entry == lower)
}

/// The lists of the entry with this hash that is the one sought.
fn find(hash: u32, is_sought: impl Fn(&[u8]) -> bool) -> u16 {
    let mut slot = slot(hash);
    loop {
        let entry = TABLE[slot];
        let start = entry.start as usize;
        let text = FILES[entry.file as usize].as_bytes();
        if entry.lists == 0 || is_sought(&text[start..start + entry.length as usize]) {
            return entry.lists;
        }
        slot = (slot + 1) % SLOTS;
    }
}

/// FNV-1a of `bytes[start..end]`.
const fn hash(bytes: &[u8], start: usize, end: usize) -> u32 {
    let mut hash = SEED;
    let mut at = start;
    while at < end {
        hash = mix(hash, bytes[at]);
        at += 1;
    }
    hash
}

const SEED: u32 = 0x811C_9DC5;

const fn mix(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

const fn slot(hash: u32) -> usize {
    (hash ^ (hash >> 15)) as usize % SLOTS
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
        assert!(all * 2 < SLOTS, "raise SLOTS");
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
