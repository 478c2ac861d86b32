//! The long pieces that were merged last, and where their tokens end.
//!
//! Text that goes on for hundreds of bytes without a border mostly repeats itself: rules of hyphens, padding, one letter
//! typed for fun. To cut such a piece, windows of it are merged, and the next window is the same text again.

use std::collections::VecDeque;

/// Pieces that are remembered: the windows, and what is left of them, of a few different runs.
const PIECES: usize = 16;
/// Bytes of text that are remembered; 4 more are for each token.
const BYTES: usize = 1 << 19;
/// Longest piece that is remembered.
const LONGEST_BYTES: usize = BYTES / 4;

#[derive(Debug, Default)]
pub(super) struct RecentMerges {
    /// The latest first.
    merges: VecDeque<Merge>,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Merge {
    piece: Vec<u8>,
    ends: Vec<u32>,
}

impl RecentMerges {
    /// Where the tokens of `piece` end, if it is remembered.
    pub(super) fn get(&self, piece: &[u8]) -> Option<&[u32]> {
        self.merges.iter().find(|merge| merge.piece == piece).map(|merge| merge.ends.as_slice())
    }

    /// Remembers where the tokens of `piece` end, unless it is too long.
    pub(super) fn insert(&mut self, piece: &[u8], ends: &[u32]) {
        if piece.len() > LONGEST_BYTES {
            return;
        }
        let mut merge = Merge::default();
        while self.merges.len() == PIECES || self.bytes + piece.len() > BYTES {
            // There is one: none alone is too long.
            merge = self.merges.pop_back().unwrap_or_default();
            self.bytes -= merge.piece.len();
        }
        self.bytes += piece.len();
        merge.piece.clear();
        merge.piece.extend_from_slice(piece);
        merge.ends.clear();
        merge.ends.extend_from_slice(ends);
        self.merges.push_front(merge);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_pieces_are_remembered_unless_too_long() {
        let mut recent = RecentMerges::default();
        let piece = |number: usize| vec![b'-'; 100 + number];
        for number in 0..=PIECES {
            recent.insert(&piece(number), &[7, number as u32]);
        }
        assert_eq!(recent.get(&piece(0)), None);
        assert_eq!(recent.get(&piece(1)), Some(&[7, 1][..]));
        assert_eq!(recent.get(&piece(PIECES)), Some(&[7, 16][..]));
        recent.insert(&[b'-'; LONGEST_BYTES + 1], &[1]);
        assert_eq!(recent.get(&[b'-'; LONGEST_BYTES + 1]), None);
        assert_eq!(recent.get(&piece(2)), Some(&[7, 2][..]));
        for number in 0..4 {
            recent.insert(&vec![number; LONGEST_BYTES], &[1]);
        }
        assert_eq!(recent.get(&piece(PIECES)), None, "there is no room");
        assert_eq!(recent.get(&[0; LONGEST_BYTES]), Some(&[1][..]));
    }
}
