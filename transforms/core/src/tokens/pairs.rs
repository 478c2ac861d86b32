//! Which pairs of tokens merge: a list for the table that merging asks ([`super::merges`]).
//!
//! In a vocabulary that was trained, merging the bytes of a token makes it, and the two parts before the last merge are
//! the only pair that ever merges into it: parts that stand side by side in any text have been merged inside as they
//! would be alone, since no merge has crossed their borders. So one pair a token is all there is to know.
//!
//! The build script reads the pairs of the vocabularies that ship inside with the same code.

use std::collections::HashMap;

/// A token's place in merge order: the lower, the earlier. Dense, unlike tiktoken's ranks, which may have gaps.
pub(crate) type Rank = u32;

/// Two tokens and what they merge into.
pub(crate) type Merge = ([Rank; 2], Rank);

type Known = HashMap<[Rank; 2], Rank>;

/// What there is to know of a vocabulary to merge by it.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    pub(crate) merges: Vec<Merge>,
    /// Tokens that merging does not make of their bytes. A trained vocabulary has none.
    pub(crate) unmade: Vec<Rank>,
}

impl Pairs {
    /// Of tokens in merge order, each of which is there once, and among which is every single byte.
    pub(crate) fn of(tokens: &[Vec<u8>]) -> Pairs {
        let ranks: HashMap<&[u8], Rank> = tokens.iter().map(Vec::as_slice).zip(0..).collect();
        Pairs::of_trained(&ranks, tokens).unwrap_or_else(|| Pairs::of_any(&ranks, tokens))
    }

    /// One pair a token, in merge order; nothing if merging those before a token does not leave two parts of it.
    fn of_trained(ranks: &HashMap<&[u8], Rank>, tokens: &[Vec<u8>]) -> Option<Pairs> {
        let (mut known, mut merges) = (Known::new(), Vec::new());
        for (token, rank) in tokens.iter().map(Vec::as_slice).zip(0..) {
            if token.len() > 1 {
                let pair = merged(ranks, &known, token).try_into().ok()?;
                known.insert(pair, rank);
                merges.push((pair, rank));
            }
        }
        Some(Pairs { merges, unmade: Vec::new() })
    }

    /// All pairs that together have the bytes of a token.
    fn of_any(ranks: &HashMap<&[u8], Rank>, tokens: &[Vec<u8>]) -> Pairs {
        let tokens = || tokens.iter().map(Vec::as_slice).zip(0..);
        let splits = tokens().flat_map(|(token, rank)| (1..token.len()).map(move |at| (token.split_at(at), rank)));
        let merge = |((left, right), rank)| Some(([*ranks.get(left)?, *ranks.get(right)?], rank));
        let merges: Vec<Merge> = splits.filter_map(merge).collect();
        let known = merges.iter().copied().collect();
        let unmade =
            tokens().filter(|(token, _)| merged(ranks, &known, token).len() > 1).map(|(_, rank)| rank).collect();
        Pairs { merges, unmade }
    }
}

/// The tokens of `piece` by what is known so far: the lowest rank merges first, the leftmost on a tie.
fn merged(ranks: &HashMap<&[u8], Rank>, known: &Known, piece: &[u8]) -> Vec<Rank> {
    let mut parts: Vec<Rank> = piece.chunks(1).map(|byte| ranks[byte]).collect();
    let lowest = |parts: &[Rank]| {
        let pairs = parts.windows(2).enumerate();
        pairs.filter_map(|(at, pair)| Some((*known.get(pair)?, at))).min()
    };
    while let Some((rank, at)) = lowest(&parts) {
        parts[at] = rank;
        parts.remove(at + 1);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(longer: &[&str]) -> Pairs {
        let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
        Pairs::of(&bytes.chain(longer.iter().map(|token| token.as_bytes().to_vec())).collect::<Vec<_>>())
    }

    #[test]
    fn a_trained_token_has_one_pair() {
        let [a, b, c] = [b'a', b'b', b'c'].map(Rank::from);
        let pairs = pairs(&["bc", "ab", "abc"]);
        assert_eq!(pairs.merges, [([b, c], 256), ([a, b], 257), ([a, 256], 258)]);
        assert!(pairs.unmade.is_empty());
    }

    #[test]
    fn other_tokens_have_every_pair_and_some_are_not_made() {
        let [a, b, c] = [b'a', b'b', b'c'].map(Rank::from);
        let pairs = pairs(&["abc", "ab", "bc", "xyz"]);
        assert_eq!(pairs.merges, [([a, 258], 256), ([257, c], 256), ([a, b], 257), ([b, c], 258)]);
        assert_eq!(pairs.unmade, [259]);
    }
}
