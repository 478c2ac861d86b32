//! The merges that are possible, the lowest rank first and within a rank the leftmost.

use super::pairs::Rank;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::{cmp::Reverse, collections::BinaryHeap};

/// A queue of places by rank. Text that is long without a border mostly repeats itself and has few ranks with many
/// places each, in order already: on a run of one letter three times as quick as a heap of all places.
#[derive(Debug, Default)]
pub(super) struct PossibleMerges {
    ranks: BinaryHeap<Reverse<Rank>>,
    places: HashMap<Rank, Vec<u32>, FxBuildHasher>,
    /// Lists that are empty now, kept for later ranks.
    spare: Vec<Vec<u32>>,
}

impl PossibleMerges {
    pub(super) fn push(&mut self, rank: Rank, place: u32) {
        let PossibleMerges { ranks, places, spare } = self;
        let places = places.entry(rank).or_insert_with(|| {
            ranks.push(Reverse(rank));
            spare.pop().unwrap_or_default()
        });
        places.push(place);
    }

    /// Takes out the lowest rank and its places, in order.
    pub(super) fn pop(&mut self) -> Option<(Rank, Vec<u32>)> {
        let Reverse(rank) = self.ranks.pop()?;
        let mut places = self.places.remove(&rank).unwrap_or_default();
        places.sort_unstable();
        Some((rank, places))
    }

    /// Takes back a list of places that [`PossibleMerges::pop`] gave.
    pub(super) fn reuse(&mut self, mut places: Vec<u32>) {
        places.clear();
        self.spare.push(places);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowest_ranks_come_first_with_their_places_in_order() {
        let mut possible = PossibleMerges::default();
        for (rank, place) in [(7, 3), (2, 9), (7, 1), (2, 4)] {
            possible.push(rank, place);
        }
        let lowest = possible.pop();
        assert_eq!(lowest, Some((2, vec![4, 9])));
        possible.push(1, 5);
        assert_eq!([possible.pop(), possible.pop()], [Some((1, vec![5])), Some((7, vec![1, 3]))]);
        assert_eq!(possible.pop(), None);
    }
}
