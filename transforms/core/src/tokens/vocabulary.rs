//! The vocabulary: which byte strings are tokens, and in which order they merge.

use super::{
    merges::{MOST_TOKENS, Merges, NO_RANK},
    pairs::{Merge, Pairs, Rank},
};
use crate::error::Error;
use base64::{Engine, engine::general_purpose::STANDARD};
use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;
use std::{fmt, fmt::Write as _};

/// Tokens by rank, and how they merge.
pub(super) struct Vocabulary {
    /// All tokens' bytes, one after the other, in merge order.
    bytes: Vec<u8>,
    /// Where each token begins in `bytes`, and the end of the last.
    starts: Vec<u32>,
    /// tiktoken's rank of each token.
    published_ranks: Vec<u32>,
    /// Ranks of the single bytes.
    by_byte: [Rank; 256],
    merges: Merges,
    /// Tokens that merging does not make: a piece is looked up among them before it is merged.
    unmade: HashSet<Box<[u8]>, FxBuildHasher>,
    /// Length in bytes of the longest token: no text has fewer tokens than its length over this.
    longest_bytes: usize,
}

impl Vocabulary {
    /// From (token, published rank) pairs in any order.
    ///
    /// # Errors
    /// If a token is empty or doubled, two tokens share a rank, or a single byte is no token: then some texts could not
    /// be encoded at all. If there are more than [`MOST_TOKENS`].
    pub(super) fn new(tokens: impl IntoIterator<Item = (Vec<u8>, u32)>) -> Result<Vocabulary, Error> {
        let mut tokens: Vec<_> = tokens.into_iter().collect();
        tokens.sort_unstable_by_key(|&(_, rank)| rank);
        check(&tokens)?;
        let (tokens, published_ranks): (Vec<Vec<u8>>, Vec<_>) = tokens.into_iter().unzip();
        let Pairs { merges, unmade } = Pairs::of(&tokens);
        let unmade = unmade.iter().map(|&rank| tokens[rank as usize].as_slice().into()).collect();
        let lengths = tokens.iter().map(Vec::len);
        Ok(Vocabulary { unmade, ..Vocabulary::trained(tokens.concat(), lengths, &merges, published_ranks) })
    }

    /// From the tokens' bytes in merge order, their lengths, and their merges, if merging makes every token.
    pub(super) fn trained(
        bytes: Vec<u8>,
        lengths: impl Iterator<Item = usize>,
        merges: &[Merge],
        published_ranks: Vec<u32>,
    ) -> Vocabulary {
        let (mut starts, mut by_byte, mut longest_bytes) = (vec![0], [NO_RANK; 256], 0);
        let mut end = 0;
        for (length, rank) in lengths.zip(0..) {
            if length == 1 {
                by_byte[usize::from(bytes[end])] = rank;
            }
            end += length;
            longest_bytes = longest_bytes.max(length);
            starts.push(end as u32);
        }
        let merges = Merges::new(&by_byte, merges);
        Vocabulary { bytes, starts, published_ranks, by_byte, merges, unmade: HashSet::default(), longest_bytes }
    }

    /// Which tokens merge.
    pub(super) fn merges(&self) -> &Merges {
        &self.merges
    }

    /// Whether `piece` is a token that merging does not make.
    #[inline]
    pub(super) fn is_unmade_token(&self, piece: &[u8]) -> bool {
        !self.unmade.is_empty() && self.unmade.contains(piece)
    }

    /// Whether merging makes every token of its bytes, as where a vocabulary was trained.
    pub(super) fn is_trained(&self) -> bool {
        self.unmade.is_empty()
    }

    /// The rank of a single byte, each of which is a token.
    #[inline]
    pub(super) fn rank_of_byte(&self, byte: u8) -> Rank {
        self.by_byte[usize::from(byte)]
    }

    /// The bytes of a token.
    #[inline]
    pub(super) fn token(&self, rank: Rank) -> &[u8] {
        &self.bytes[self.starts[rank as usize] as usize..self.starts[rank as usize + 1] as usize]
    }

    /// All tokens in merge order.
    pub(super) fn tokens(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        (0..self.published_ranks.len() as Rank).map(|rank| self.token(rank))
    }

    /// Length in bytes of the longest token.
    pub(super) fn longest_bytes(&self) -> usize {
        self.longest_bytes
    }

    /// The fewest tokens that a text of so many bytes can have.
    pub(super) fn least_tokens(&self, bytes: usize) -> u32 {
        bytes.div_ceil(self.longest_bytes) as u32
    }

    /// The file that tiktoken reads: a line per token, base64 and rank.
    pub(super) fn tiktoken_file(&self) -> String {
        let mut file = String::new();
        for (token, rank) in self.tokens().zip(&self.published_ranks) {
            let _ = writeln!(file, "{} {rank}", STANDARD.encode(token));
        }
        file
    }
}

impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vocabulary").field("tokens", &self.published_ranks.len()).finish_non_exhaustive()
    }
}

/// Refuses what [`Vocabulary::new`] does; the tokens are in order of their ranks.
fn check(tokens: &[(Vec<u8>, u32)]) -> Result<(), Error> {
    if tokens.len() > MOST_TOKENS {
        let given = tokens.len();
        return Err(Error::new(format!("the vocabulary has {given} tokens; at most {MOST_TOKENS} are allowed")));
    }
    let bytes: usize = tokens.iter().map(|(token, _)| token.len()).sum();
    if u32::try_from(bytes).is_err() {
        return Err(Error::new("the vocabulary is larger than 4 GiB"));
    }
    if let Some(pair) = tokens.windows(2).find(|pair| pair[0].1 == pair[1].1) {
        return Err(Error::new(format!("two tokens share the rank {}; ranks must differ", pair[0].1)));
    }
    let mut seen = HashSet::<&[u8], FxBuildHasher>::default();
    if let Some((_, rank)) = tokens.iter().find(|(token, _)| token.is_empty() || !seen.insert(token)) {
        return Err(Error::new(format!("the token of rank {rank} is empty or the vocabulary has it twice")));
    }
    match (0..=u8::MAX).find(|&byte| !seen.contains(&[byte][..])) {
        Some(byte) => Err(Error::new(format!("the byte 0x{byte:02x} is no token; each of the 256 must be one"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single_bytes() -> Vec<(Vec<u8>, u32)> {
        (0..=255_u8).map(|byte| (vec![byte], u32::from(byte))).collect()
    }

    #[test]
    fn ranks_may_be_sparse_and_unordered() {
        let mut tokens = single_bytes();
        tokens.push((b"abc".to_vec(), 9000));
        tokens.push((b"ab".to_vec(), 500));
        let vocabulary = Vocabulary::new(tokens).unwrap();
        let [a, b, c] = [b'a', b'b', b'c'].map(|byte| vocabulary.rank_of_byte(byte));
        let merges = vocabulary.merges();
        assert_eq!([merges.rank(a, b), merges.rank(256, c), merges.rank(b, c)], [256, 257, NO_RANK]);
        assert_eq!(merges.rank_of_bytes(b'a', b'b'), 256);
        assert!(vocabulary.tiktoken_file().ends_with("YWJj 9000\n"));
    }

    #[test]
    fn refuses_what_could_not_encode_every_text() {
        for (tokens, complaint) in [
            (single_bytes()[1..].to_vec(), "the byte 0x00 is no token"),
            ([single_bytes(), vec![(b"a".to_vec(), 999)]].concat(), "twice"),
            ([single_bytes(), vec![(b"ab".to_vec(), 97)]].concat(), "two tokens share the rank 97"),
            ([single_bytes(), vec![(Vec::new(), 999)]].concat(), "empty"),
        ] {
            let message = Vocabulary::new(tokens).unwrap_err().to_string();
            assert!(message.contains(complaint), "{message}");
        }
    }
}
