//! Which stops of East Asian text lie inside a bracket or quotation: those end no sentence.
//!
//! Only pairs that close within [`REACH`] bytes on their own line count, so that a stray opening bracket swallows
//! nothing. Every byte is read once however many stops there are; what is kept is bounded by the reach.

use std::collections::VecDeque;

use wide::u8x16;

use super::look::char_at;

/// The longest pair that keeps its stops from ending sentences (about 200 characters).
const REACH: usize = 600;
/// Bytes looked at at once.
const LANES: usize = 16;
/// Deepest nesting that is followed.
const DEPTH: usize = 16;

const PAIRS: &[(char, char)] = &[
    ('「', '」'),
    ('『', '』'),
    ('（', '）'),
    ('《', '》'),
    ('【', '】'),
    ('〈', '〉'),
    ('〔', '〕'),
    ('［', '］'),
    ('｢', '｣'),
    ('“', '”'),
];

/// The pairs around the place that the splitter has reached.
#[derive(Debug, Default)]
pub(super) struct Brackets {
    /// Read up to here.
    read: usize,
    /// Open brackets: their closing mark and place, innermost last, at most [`DEPTH`].
    open: VecDeque<(char, usize)>,
    /// Pairs not yet passed, disjoint, rising.
    pairs: VecDeque<(usize, usize)>,
}

impl Brackets {
    /// Whether the mark at `at` lies inside a pair. Places must be asked in rising order.
    pub fn enclose(&mut self, text: &str, at: usize) -> bool {
        while self.pairs.front().is_some_and(|&(_, close)| close <= at) {
            self.pairs.pop_front();
        }
        self.read_to(text, at + REACH);
        self.pairs.iter().any(|&(open, close)| open < at && at < close)
    }

    /// Forgets what is open: a new line begins at `at`.
    pub fn restart(&mut self, at: usize) {
        self.read = self.read.max(at);
        if !(self.open.is_empty() && self.pairs.is_empty()) {
            self.open.clear();
            self.pairs.clear();
        }
    }

    fn read_to(&mut self, text: &str, limit: usize) {
        let bytes = text.as_bytes();
        let limit = limit.min(bytes.len());
        while self.read < limit {
            let mut found = first_bytes_at(bytes, self.read);
            let start = self.read;
            while found != 0 {
                self.read = start + found.trailing_zeros() as usize;
                match char_at(text, self.read).filter(|_| self.read < limit) {
                    None | Some('\n' | '\r' | '\u{2028}' | '\u{2029}') => return,
                    Some(c) => self.bracket(c, self.read),
                }
                found &= found - 1;
            }
            self.read = start + LANES;
        }
    }

    fn bracket(&mut self, c: char, at: usize) {
        if let Some(&(_, close)) = PAIRS.iter().find(|pair| pair.0 == c) {
            if self.open.len() == DEPTH {
                self.open.pop_front();
            }
            self.open.push_back((close, at));
        } else if let Some(index) = self.open.iter().rposition(|&(close, _)| close == c) {
            let open = self.open[index].1;
            self.open.truncate(index);
            self.pair(open, at);
        }
    }

    fn pair(&mut self, open: usize, close: usize) {
        if close - open > REACH {
            return;
        }
        while self.pairs.back().is_some_and(|&(inner, _)| inner > open) {
            self.pairs.pop_back();
        }
        self.pairs.push_back((open, close));
    }
}

/// One bit for each of the bytes at `start` that may begin a bracket, or is a line end.
fn first_bytes_at(bytes: &[u8], start: usize) -> u32 {
    let rest = &bytes[start..];
    if let Some(block) = rest.first_chunk() {
        return first_bytes_in(block);
    }
    let mut block = [0; LANES + 1];
    block[..rest.len()].copy_from_slice(rest);
    first_bytes_in(&block)
}

#[inline]
fn first_bytes_in(block: &[u8; LANES + 1]) -> u32 {
    let lanes = |start: usize| u8x16::new(*block[start..].first_chunk().unwrap_or(&[0; LANES]));
    let (first, second) = (lanes(0), lanes(1));
    let is = |byte: u8| first.simd_eq(u8x16::splat(byte));
    let general = (is(0xE2) | is(0xE3)) & second.simd_eq(u8x16::splat(0x80));
    (general | is(0xEF) | is(b'\n') | is(b'\r')).to_bitmask()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enclosed(text: &str) -> Vec<bool> {
        let mut brackets = Brackets::default();
        text.match_indices('。').map(|(at, _)| brackets.enclose(text, at)).collect()
    }

    #[test]
    fn stops_between_a_pair_are_enclosed() {
        assert_eq!(enclosed("雨。（雪。）風。"), [false, true, false]);
        assert_eq!(enclosed("「雪（霜。）氷。」雲。"), [true, true, false]);
        assert_eq!(enclosed("（雪（霜）氷。）雲。"), [true, false]);
    }

    #[test]
    fn every_pair_is_known() {
        for (open, close) in PAIRS {
            assert_eq!(enclosed(&format!("a{open}雨。😀雪{close}風。")), [true, false], "{open}{close}");
        }
    }

    #[test]
    fn a_stray_bracket_encloses_nothing() {
        assert_eq!(enclosed("「雨。雪。"), [false, false]);
        assert_eq!(enclosed("雨。」「雪。"), [false, false]);
        for line_end in ['\n', '\r', '\u{2028}', '\u{2029}'] {
            assert_eq!(enclosed(&format!("「雨。{line_end}雪」。")), [false, false]);
        }
        assert_eq!(enclosed(&format!("「雨。{}」", "雪".repeat(300))), [false]);
    }
}
