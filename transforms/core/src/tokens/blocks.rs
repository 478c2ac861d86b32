//! Finds the pretokens of OpenAI's patterns in 64 bytes at once, by arithmetic on class masks.
//!
//! A block is loaded where a pretoken is known to begin. From its masks follows where the others begin, as far as that
//! depends on nothing outside the block; the rest is masked off, and the next block is loaded at the last start
//! found. Where none is found (a word longer than the block, white space of a shape that would need a longer look)
//! the scanner of [`super::scan`] takes one pretoken.
//!
//! In the comments a *lead* is the one character that may stand before a word and belongs to it, such as the space.

use super::{
    characters::Characters,
    lanes::Lanes,
    masks::{Masks, before_lowest, each_bit},
    scan::{Case, Scanner, contraction},
};

/// What takes the pieces of a text, each of which begins where the last one ended.
///
/// They are the pretokens, and parts of pretokens: cut before a letter, where no token crosses and from where on a
/// scanner that begins there would find the same.
pub(super) trait Pieces {
    /// Sees to it that there is room for the pieces of one more block.
    fn make_room<L: Lanes>(&mut self);

    /// Takes those that end at `block` plus the number of each bit of `ends`.
    fn push_block<L: Lanes>(&mut self, block: usize, ends: u64);

    /// The same, where the pieces that begin at `known` have as many tokens as there are bits of `own_tokens` inside
    /// them, those of the second worth two.
    fn push_partly_known(&mut self, block: usize, ends: u64, known: u64, own_tokens: [u64; 2]);

    /// Takes a pretoken, which may be of any length.
    fn push(&mut self, start: usize, end: usize);
}

impl Scanner {
    /// Finds all pieces of `text`, in order.
    #[inline(always)]
    pub(super) fn scan<L: Lanes>(self, text: &[u8], characters: &Characters, pieces: &mut impl Pieces) {
        // A loop for each, which knows which it is and works out no mask that its pattern does not ask for.
        match self {
            Scanner::R50k => Scanner::R50k.scan_blocks::<L>(text, characters, pieces),
            Scanner::Cl100k => Scanner::Cl100k.scan_blocks::<L>(text, characters, pieces),
            Scanner::O200k => Scanner::O200k.scan_blocks::<L>(text, characters, pieces),
        }
    }

    #[inline(always)]
    fn scan_blocks<L: Lanes>(self, text: &[u8], characters: &Characters, pieces: &mut impl Pieces) {
        let mut start = 0;
        while start < text.len() {
            pieces.make_room::<L>();
            let masks = Masks::load::<L>(text, start, characters);
            let borders = self.borders(&text[start..], &masks);
            // The first character is where we begin.
            let ends = (borders.pretokens | borders.splits) & !1;
            let Some(last) = ends.checked_ilog2() else {
                let end = self.pretoken_end(text, start);
                pieces.push(start, end);
                start = end;
                continue;
            };
            // Characters of three bytes that are a piece; where they follow each other, one piece does.
            let alone = masks.known() & (ends | 1) & ends >> 3;
            match alone & alone << 3 & !borders.pretokens {
                0 => pieces.push_block::<L>(start, ends),
                inside => pieces.push_partly_known(start, ends & !inside, alone, masks.own_tokens),
            }
            start += last as usize;
        }
    }

    #[inline(always)]
    fn borders(self, text: &[u8], masks: &Masks) -> Borders {
        match self {
            Scanner::R50k => r50k(text, masks),
            Scanner::Cl100k => cl100k(text, masks),
            Scanner::O200k => o200k(text, masks),
        }
    }
}

/// Where pieces begin in a block, as far as nothing outside the block can change it.
struct Borders {
    pretokens: u64,
    /// Inside pretokens, or where one begins.
    splits: u64,
}

/// Starts in the block at the beginning of `text` by GPT-2's pattern: a blank leads letters, numbers and others alike;
/// line ends are white space like any.
#[inline(always)]
fn r50k(text: &[u8], masks: &Masks) -> Borders {
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
    let certain = certain(spaces, masks.foreign(spaces), present);
    Borders { pretokens: starts & certain, splits: masks.splits & letters & certain }
}

/// Starts in the block at the beginning of `text` by cl100k's pattern.
#[inline(always)]
fn cl100k(text: &[u8], masks: &Masks) -> Borders {
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
    let certain = certain(spaces, odd_spaces, present) & before_lowest(masks.foreign(numbers));
    Borders { pretokens: starts & certain, splits: masks.splits & letters & certain }
}

/// Starts in the block at the beginning of `text` by o200k's pattern.
#[inline(always)]
fn o200k(text: &[u8], masks: &Masks) -> Borders {
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
    let certain = certain(spaces, odd_spaces, present) & before_lowest(uncertain);
    // After a letter that is only lower case the word takes no more of those that are only upper case; begun further
    // on, it would.
    let splits = masks.splits & letters & !spread(lower & !upper, words);
    Borders { pretokens: starts & certain, splits: splits & certain }
}

impl Masks {
    /// The characters whose own tokens are known.
    #[inline(always)]
    fn known(&self) -> u64 {
        self.own_tokens[0] | self.own_tokens[1]
    }

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
    let outside = !spaces & before_lowest(odd | spaces & last(present));
    // No branch, since every sixth block ends in white space.
    u64::MAX.unbounded_shr(outside.leading_zeros()) << 1 | 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::lanes::Portable;
    use proptest::prelude::*;

    impl Pieces for Vec<usize> {
        fn make_room<L: Lanes>(&mut self) {}

        fn push_block<L: Lanes>(&mut self, block: usize, ends: u64) {
            each_bit(ends, |bit| self.push(block + bit.trailing_zeros() as usize));
        }

        fn push_partly_known(&mut self, block: usize, ends: u64, _: u64, _: [u64; 2]) {
            self.push_block::<Portable>(block, ends);
        }

        fn push(&mut self, _: usize, end: usize) {
            self.push(end);
        }
    }

    /// By the blocks of a vocabulary that has no token across any place.
    fn by_blocks(scanner: Scanner, text: &str) -> Vec<usize> {
        let mut ends = Vec::new();
        scanner.scan::<Portable>(text.as_bytes(), &Characters::new([].into_iter()), &mut ends);
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
    const ATOMS: [&str; 46] = [
        "a", "b", "s", "t", "ll", "ve", "A", "B", "S", "Ll", "ǅ", "é", "É", "ſ", "ʰ", "ª", "ế", "Ế", "中", "か", "ж",
        "Ж", "\u{301}", "\u{940}", "1", "22", "½", "٣", " ", "  ", "\n", "\r", "\t", "\u{A0}", "\u{3000}", "\u{85}",
        "'", "'", "!", "?!", "/", "//", "“", "😀", "\u{200B}", "\0",
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
        fn blocks_find_what_the_scanner_finds_and_places_from_where_it_finds_the_same(text in texts()) {
            for scanner in [Scanner::R50k, Scanner::Cl100k, Scanner::O200k] {
                let (found, mut expected) = (by_blocks(scanner, &text), one_by_one(scanner, &text).into_iter().peekable());
                for end in found {
                    let Some(&next) = expected.peek() else { panic!("more than the text") };
                    if end == next {
                        expected.next();
                    } else {
                        prop_assert!(end < next, "{scanner:?}: {next} was passed over");
                        prop_assert_eq!(scanner.pretoken_end(text.as_bytes(), end), next, "{:?} from {}", scanner, end);
                    }
                }
                prop_assert_eq!(expected.next(), None);
            }
        }
    }
}
