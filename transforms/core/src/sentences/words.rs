//! The word lists of `words/*.txt`, hashed while compiling.
//!
//! One entry a line; `#` begins a comment. An entry in lower case matches the word in any case; an entry with a
//! capital matches as it is written (`Mar` is a month, `mar` is the sea). Entries stand without their last dot.

/// A list of words, built while compiling and asked in constant time.
#[derive(Debug)]
pub(super) struct WordList {
    /// The file, whole.
    text: &'static str,
    /// Open addressing: start and length of an entry in `text`, length 0 for a free slot.
    slots: [(u16, u8); SLOTS],
}

/// A power of two, more than twice the longest list.
const SLOTS: usize = 2048;
/// Longest word that is looked up.
const LONGEST: usize = 48;

impl WordList {
    const fn new(text: &'static str) -> Self {
        let bytes = text.as_bytes();
        assert!(bytes.len() <= u16::MAX as usize);
        let mut slots = [(0, 0); SLOTS];
        let mut start = 0;
        while start < bytes.len() {
            let end = line_end(bytes, start);
            if end > start && bytes[start] != b'#' {
                insert(bytes, &mut slots, start, end);
            }
            start = end + 1;
        }
        Self { text, slots }
    }

    /// Whether the list has `word`, as it is or in lower case.
    pub fn has(&self, word: &str) -> bool {
        if word.is_empty() || word.len() > LONGEST {
            return false;
        }
        self.has_exactly(word.as_bytes()) || self.has_in_lower_case(word)
    }

    /// Whether the list has `word` just as it is written.
    pub fn has_as_written(&self, word: &str) -> bool {
        !word.is_empty() && self.has_exactly(word.as_bytes())
    }

    fn has_exactly(&self, word: &[u8]) -> bool {
        let mut slot = hash(word, 0, word.len());
        loop {
            let (start, length) = self.slots[slot % SLOTS];
            if length == 0 {
                return false;
            }
            if &self.text.as_bytes()[start as usize..][..length as usize] == word {
                return true;
            }
            slot += 1;
        }
    }

    fn has_in_lower_case(&self, word: &str) -> bool {
        let mut lower = [0; LONGEST * 3];
        let mut length = 0;
        for c in word.chars().flat_map(char::to_lowercase) {
            length += c.encode_utf8(&mut lower[length..]).len();
        }
        lower[..length] != *word.as_bytes() && self.has_exactly(&lower[..length])
    }

    /// All entries.
    #[cfg(test)]
    pub fn entries(&self) -> impl Iterator<Item = &'static str> {
        self.text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
    }
}

const fn line_end(bytes: &[u8], start: usize) -> usize {
    let mut end = start;
    while end < bytes.len() && bytes[end] != b'\n' {
        end += 1;
    }
    end
}

const fn insert(bytes: &[u8], slots: &mut [(u16, u8); SLOTS], start: usize, end: usize) {
    assert!(end - start <= LONGEST, "an entry is too long");
    let mut slot = hash(bytes, start, end);
    while slots[slot % SLOTS].1 != 0 {
        slot += 1;
    }
    #[expect(clippy::cast_possible_truncation, reason = "both are checked above and in `new`")]
    let entry = (start as u16, (end - start) as u8);
    slots[slot % SLOTS] = entry;
}

/// FNV-1a of `bytes[start..end]`.
const fn hash(bytes: &[u8], start: usize, end: usize) -> usize {
    let mut hash: u32 = 0x811C_9DC5;
    let mut at = start;
    while at < end {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    (hash ^ (hash >> 15)) as usize
}

macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident = $file:literal;)*) => {
        $($(#[$doc])* pub(super) static $name: WordList = WordList::new(include_str!(concat!("words/", $file)));)*
        #[cfg(test)]
        static ALL: &[(&str, &WordList)] = &[$(($file, &$name)),*];
    };
}

lists! {
    /// Words whose dot never ends a sentence while a word follows: titles, `Fig`, `vs`, `vgl`, `ул`.
    NEVER_LAST = "never_last.txt";
    /// Abbreviations that do end sentences, then a starter follows: `Inc`, `etc`, `km`, `Jr`.
    SOMETIMES_LAST = "sometimes_last.txt";
    /// Abbreviations that a number belongs to: `No`, `p`, `стр`.
    BEFORE_NUMBERS = "before_numbers.txt";
    /// Words that begin sentences and are no names.
    STARTERS = "starters.txt";
    /// Words that an ordinal stands before: months, `Jahrhundert`.
    AFTER_ORDINALS = "after_ordinals.txt";
    /// Words that an ordinal with a dot stands after: `der 3. Platz`.
    BEFORE_ORDINALS = "before_ordinals.txt";
    /// What follows `a.m.` in the same sentence: days, months, time zones.
    AFTER_CLOCK_TIMES = "after_clock_times.txt";
    /// Particles of family names: `J. de Vries`, `M. La Rue`.
    NAME_PARTICLES = "name_particles.txt";
    /// Names that end in `!` or `?`.
    NAMES_WITH_MARKS = "names_with_marks.txt";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_clean() {
        for (file, list) in ALL {
            let mut seen = std::collections::HashSet::new();
            for entry in list.entries() {
                assert_eq!(entry, entry.trim(), "{file}: white space around {entry:?}");
                assert!(!entry.ends_with('.'), "{file}: {entry} is written without its last dot");
                assert!(seen.insert(entry), "{file}: {entry} stands twice");
                assert!(list.has(entry), "{file}: {entry} is not found");
            }
            assert!(seen.len() * 2 < SLOTS, "{file}: raise SLOTS");
        }
    }

    #[test]
    fn lower_case_entries_match_any_case_capitals_only_themselves() {
        assert!(NEVER_LAST.has("Dr") && NEVER_LAST.has("DR") && NEVER_LAST.has("dr"));
        assert!(NEVER_LAST.has("Ул"));
        assert!(SOMETIMES_LAST.has("Sat") && !SOMETIMES_LAST.has("sat"));
        assert!(!NEVER_LAST.has("") && !NEVER_LAST.has(&"x".repeat(100)));
    }
}
