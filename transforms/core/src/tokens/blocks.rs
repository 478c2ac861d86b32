//! Finds the pretokens of OpenAI's patterns in 64 bytes at once, by arithmetic on class masks.
//!
//! A block is loaded where a pretoken is known to begin. From its masks follows where the others begin, as far as that
//! depends on nothing outside the block; the rest is masked off, and the next block is loaded at the last start
//! found. Where none is found (a word longer than the block, white space of a shape that would need a longer look)
//! the scanner of [`super::scan`] takes one pretoken.
//!
//! In the comments a *lead* is the one character that may stand before a word and belongs to it, such as the space.

use super::{
    masks::Masks,
    scan::{Case, Scanner, contraction},
};

impl Scanner {
    /// Calls `each` with start and end of every pretoken of `text`, in order.
    #[inline(always)]
    pub(super) fn scan(self, text: &[u8], each: impl FnMut(usize, usize)) {
        match self {
            Scanner::R50k => scan_by(text, r50k, self, each),
            Scanner::Cl100k => scan_by(text, cl100k, self, each),
            Scanner::O200k => scan_by(text, o200k, self, each),
        }
    }
}

#[inline(always)]
fn scan_by(
    text: &[u8],
    starts_in: impl Fn(&[u8], &Masks) -> u64,
    scanner: Scanner,
    mut each: impl FnMut(usize, usize),
) {
    let mut start = 0;
    while start < text.len() {
        // The first character is where we begin.
        let mut starts = starts_in(&text[start..], &Masks::load(text, start)) & !1;
        if starts == 0 {
            let end = scanner.pretoken_end(text, start);
            each(start, end);
            start = end;
            continue;
        }
        let block = start;
        while starts != 0 {
            let end = block + starts.trailing_zeros() as usize;
            each(start, end);
            start = end;
            starts &= starts - 1;
        }
    }
}

/// Starts in the block at the beginning of `text` by GPT-2's pattern: a blank leads letters, numbers and others alike;
/// line ends are white space like any.
#[inline(always)]
fn r50k(text: &[u8], masks: &Masks) -> u64 {
    let &Masks { letters, numbers, spaces, blanks, apostrophes, present, .. } = masks;
    let others = present & !(letters | numbers | spaces);
    let unled = !(blanks << 1);
    let mut starts = (first(letters) | first(numbers) | first(others)) & unled | first(spaces) | last(spaces);
    let single = first(others) & unled & letters >> 1;
    each_bit(single & apostrophes, |bit| {
        if let Some(after) = after_contraction(text, bit, Case::Lower) {
            starts &= !(bit << 1);
            starts |= after & letters;
        }
    });
    starts & certain(spaces, masks.foreign(spaces), present)
}

/// Starts in the block at the beginning of `text` by cl100k's pattern.
#[inline(always)]
fn cl100k(text: &[u8], masks: &Masks) -> u64 {
    let &Masks { letters, numbers, spaces, line_ends, blanks, apostrophes, present, .. } = masks;
    let others = present & !(letters | numbers | spaces);
    let gaps = spaces & !line_ends;
    let first_others = first(others) & !(blanks << 1);
    // A single other character, unless a blank already leads it, leads the word after it.
    let words = first(letters) & !(gaps << 1) & !masks.after_character(first_others);
    // Line ends right after others belong to them.
    let lines = first(line_ends) & !(others << 1);
    let mut starts = words | every_third(numbers) | first_others | lines | first(gaps) | gaps & last(spaces);
    // A contraction ends a pretoken even where the word goes on, which only shows if it has more letters.
    each_bit(first_others & apostrophes & letters >> 1 & letters >> 2, |bit| {
        starts |= after_contraction(text, bit, Case::Any).map_or(0, |after| after & letters);
    });
    let odd_spaces = line_ends & gaps << 1 | masks.foreign(spaces);
    starts & certain(spaces, odd_spaces, present) & before_lowest(masks.foreign(numbers))
}

/// Starts in the block at the beginning of `text` by o200k's pattern.
#[inline(always)]
fn o200k(text: &[u8], masks: &Masks) -> u64 {
    let &Masks {
        letters, numbers, spaces, marks, upper, lower, line_ends, blanks, apostrophes, slashes, present, ..
    } = masks;
    let words = letters | marks;
    let only_upper = upper & !lower & !masks.continuations();
    let gaps = spaces & !line_ends;
    // Line ends and slashes right after others belong to them.
    let all_others = present & !(words | numbers | spaces);
    let absorbed = spread(line_ends & all_others << 1, line_ends | slashes);
    let others = all_others & !absorbed;
    let first_others = first(others) & !(blanks << 1);
    let first_words = first(words) & !(gaps << 1) & !masks.after_character(first_others);
    let humps = only_upper & (lower & !upper) << 1;
    let lines = first(line_ends) & !absorbed;
    let mut starts =
        first_words | humps | every_third(numbers) | first_others | lines | first(gaps) | gaps & last(spaces);
    // A contraction belongs to the word before it, but not two of them.
    let mut not_again = 0;
    each_bit(apostrophes & words << 1 & letters >> 1, |bit| {
        if bit & not_again == 0
            && let Some(after) = after_contraction(text, bit, Case::Any)
        {
            starts &= !bit;
            starts |= after & words;
            not_again = after;
        }
    });
    // A mark that follows no letter may be a lead, a word or one of the others; whether upper case after a letter
    // without case begins a word depends on what stands further on; and a contraction may begin at the block's end.
    let odd_marks = marks & !(words << 1);
    let odd_letters = only_upper & (upper & lower) << 1;
    let cut_off = apostrophes & words << 1 & last(present);
    let odd_spaces = line_ends & gaps << 1 | masks.foreign(spaces);
    let uncertain = odd_marks | odd_letters | cut_off | masks.foreign(numbers);
    starts & certain(spaces, odd_spaces, present) & before_lowest(uncertain)
}

impl Masks {
    /// The bytes of `class` in characters that are not ASCII: too rare to have rules for, where more than one byte to
    /// the character would ask for them.
    #[inline(always)]
    fn foreign(&self, class: u64) -> u64 {
        let [two, three, four] = self.leads;
        (two | three | four) & class
    }

    /// All bytes of characters but the first of each.
    #[inline(always)]
    fn continuations(&self) -> u64 {
        let [two, three, four] = self.leads;
        (two | three | four) << 1 | (three | four) << 2 | four << 3
    }

    /// The bytes after the characters that begin at `starts`.
    #[inline(always)]
    fn after_character(&self, starts: u64) -> u64 {
        let [two, three, four] = self.leads;
        let one = starts & !(two | three | four);
        one << 1 | (starts & two) << 2 | (starts & three) << 3 | (starts & four) << 4
    }
}

/// The bit of the byte after the contraction that begins at `bit`, if one does.
#[inline]
fn after_contraction(text: &[u8], bit: u64, case: Case) -> Option<u64> {
    let at = bit.trailing_zeros() as usize;
    contraction(text, at, case).map(|end| bit << (end - at))
}

/// The first of every run.
#[inline(always)]
fn first(class: u64) -> u64 {
    class & !(class << 1)
}

/// The last of every run.
#[inline(always)]
fn last(class: u64) -> u64 {
    class & !(class >> 1)
}

/// The first of every run, and every third after it.
#[inline(always)]
fn every_third(numbers: u64) -> u64 {
    let continued = numbers & numbers << 1 & numbers << 2 & numbers << 3;
    let (mut starts, mut new) = (first(numbers), first(numbers));
    loop {
        new = new << 3 & continued;
        if new == 0 {
            return starts;
        }
        starts |= new;
    }
}

/// `from`, and what follows it in `class` without a gap.
#[inline(always)]
fn spread(mut from: u64, class: u64) -> u64 {
    loop {
        let more = from | from << 1 & class;
        if more == from {
            return from;
        }
        from = more;
    }
}

/// What nothing outside the block can change: all before the run of white space at the block's end, and before the run
/// that holds the first of `odd`; the first of such a run included, since a pretoken begins there at any rate.
#[inline(always)]
fn certain(spaces: u64, odd: u64, present: u64) -> u64 {
    let doubtful = odd | spaces & last(present);
    if doubtful == 0 {
        return u64::MAX;
    }
    let lowest = doubtful & doubtful.wrapping_neg();
    let outside = !spaces & (lowest - 1);
    match outside.checked_ilog2() {
        None => 1,
        Some(bit) => u64::MAX >> (62 - bit),
    }
}

/// All bits below the lowest of `class`.
#[inline(always)]
fn before_lowest(class: u64) -> u64 {
    (class & class.wrapping_neg()).wrapping_sub(1)
}

#[inline(always)]
fn each_bit(mut bits: u64, mut f: impl FnMut(u64)) {
    while bits != 0 {
        let bit = bits & bits.wrapping_neg();
        f(bit);
        bits ^= bit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_blocks(scanner: Scanner, text: &str) -> Vec<usize> {
        let mut ends = Vec::new();
        scanner.scan(text.as_bytes(), |_, end| ends.push(end));
        ends
    }

    fn one_by_one(scanner: Scanner, text: &str) -> Vec<usize> {
        let (mut ends, mut at) = (Vec::new(), 0);
        while at < text.len() {
            at = scanner.pretoken_end(text.as_bytes(), at);
            ends.push(at);
        }
        ends
    }

    /// Every character class of the patterns, and what they treat apart.
    const ATOMS: [&str; 44] = [
        "a", "b", "s", "t", "ll", "ve", "A", "B", "S", "Ll", "ǅ", "é", "É", "ſ", "ʰ", "ª", "中", "か", "ж", "Ж",
        "\u{301}", "\u{940}", "1", "22", "½", "٣", " ", "  ", "\n", "\r", "\t", "\u{A0}", "\u{3000}", "\u{85}", "'",
        "'", "!", "?!", "/", "//", "“", "😀", "\u{200B}", "\0",
    ];

    fn texts() -> impl Strategy<Value = String> {
        let mixed = prop::collection::vec(prop::sample::select(&ATOMS[..]), 0..120);
        let few = (prop::sample::subsequence(&ATOMS[..], 2..5), 0..120_usize, any::<u64>());
        let few = few.prop_map(|(atoms, length, seed)| {
            let pick = |i: usize| atoms[(seed.rotate_left(i as u32 * 7) as usize) % atoms.len()];
            (0..length).map(pick).collect::<Vec<_>>()
        });
        prop_oneof![mixed, few].prop_map(|atoms| atoms.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn blocks_find_what_the_scanner_finds(text in texts()) {
            for scanner in [Scanner::R50k, Scanner::Cl100k, Scanner::O200k] {
                prop_assert_eq!(by_blocks(scanner, &text), one_by_one(scanner, &text), "{:?}", scanner);
            }
        }
    }
}
