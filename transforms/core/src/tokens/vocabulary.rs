//! The vocabulary: which byte strings are tokens, and in which order they merge.

use crate::error::Error;
use base64::{Engine, engine::general_purpose::STANDARD};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::{fmt, fmt::Write as _, hash::Hasher};

/// A token's place in merge order: the lower, the earlier. Dense, unlike tiktoken's ranks, which may have gaps.
pub(super) type Rank = u32;

/// No token. Later than every rank, so that it never wins a merge.
pub(super) const NO_RANK: Rank = Rank::MAX;

/// Tokens by rank and ranks by token.
pub(super) struct Vocabulary {
    /// All tokens' bytes, one after the other, in merge order.
    bytes: Vec<u8>,
    /// Where each token begins in `bytes`, and the end of the last.
    starts: Vec<u32>,
    /// tiktoken's rank of each token.
    published_ranks: Vec<u32>,
    /// Dense ranks, found by their token's hash.
    by_bytes: HashTable<Rank>,
    /// The same for single bytes.
    by_byte: [Rank; 256],
    /// Length in bytes of the longest token: no text has fewer tokens than its length over this.
    longest_bytes: usize,
}

impl Vocabulary {
    /// From (token, published rank) pairs in any order.
    ///
    /// # Errors
    /// If a token is empty or doubled, two tokens share a rank, or a single byte is no token: then some texts could not
    /// be encoded at all.
    pub(super) fn new(tokens: impl IntoIterator<Item = (Vec<u8>, u32)>) -> Result<Vocabulary, Error> {
        let mut tokens: Vec<_> = tokens.into_iter().collect();
        tokens.sort_unstable_by_key(|&(_, rank)| rank);
        if let Some(pair) = tokens.windows(2).find(|pair| pair[0].1 == pair[1].1) {
            return Err(Error::new(format!("two tokens share the rank {}; ranks must differ", pair[0].1)));
        }
        let lengths = tokens.iter().map(|(token, _)| token.len());
        let ranks = tokens.iter().map(|&(_, rank)| rank).collect();
        let bytes = tokens.iter().flat_map(|(token, _)| token.iter().copied()).collect();
        Vocabulary::from_parts(bytes, lengths, ranks)
    }

    /// From the tokens' bytes in merge order and their lengths; refuses what [`Vocabulary::new`] does.
    pub(super) fn from_parts(
        bytes: Vec<u8>,
        lengths: impl Iterator<Item = usize>,
        published_ranks: Vec<u32>,
    ) -> Result<Vocabulary, Error> {
        let mut starts = Vec::with_capacity(published_ranks.len() + 1);
        starts.push(0);
        let (mut end, mut longest_bytes) = (0_usize, 0);
        for length in lengths {
            end += length;
            longest_bytes = longest_bytes.max(length);
            starts.push(u32::try_from(end).map_err(|_| Error::new("the vocabulary is larger than 4 GiB"))?);
        }
        let by_bytes = HashTable::with_capacity(published_ranks.len());
        let by_byte = [NO_RANK; 256];
        let mut vocabulary = Vocabulary { bytes, starts, published_ranks, by_bytes, by_byte, longest_bytes };
        vocabulary.index_tokens()?;
        match (0..=u8::MAX).find(|&byte| vocabulary.rank_of_byte(byte) == NO_RANK) {
            Some(byte) => Err(Error::new(format!("the byte 0x{byte:02x} is no token; each of the 256 must be one"))),
            None => Ok(vocabulary),
        }
    }

    fn index_tokens(&mut self) -> Result<(), Error> {
        let mut by_bytes = std::mem::take(&mut self.by_bytes);
        for rank in 0..self.len() {
            let token = self.token(rank);
            let hash = hash(token);
            if token.is_empty() || by_bytes.find(hash, |&other| self.token(other) == token).is_some() {
                let published = self.published_ranks[rank as usize];
                return Err(Error::new(format!(
                    "the token of rank {published} is empty or the vocabulary has it twice"
                )));
            }
            by_bytes.insert_unique(hash, rank, |&other| self::hash(self.token(other)));
        }
        self.by_bytes = by_bytes;
        self.by_byte = std::array::from_fn(|byte| self.rank(&[byte as u8]));
        Ok(())
    }

    /// The rank of `bytes`, or [`NO_RANK`].
    #[inline]
    pub(super) fn rank(&self, bytes: &[u8]) -> Rank {
        if bytes.len() > self.longest_bytes {
            return NO_RANK;
        }
        self.by_bytes.find(hash(bytes), |&rank| self.token(rank) == bytes).map_or(NO_RANK, |&rank| rank)
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
    pub(super) fn tokens(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|rank| self.token(rank))
    }

    /// The number of tokens.
    pub(super) fn len(&self) -> Rank {
        (self.starts.len() - 1) as Rank
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
        f.debug_struct("Vocabulary").field("tokens", &self.len()).finish_non_exhaustive()
    }
}

#[inline]
fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
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
        assert_eq!(vocabulary.rank(b"ab"), 256);
        assert_eq!(vocabulary.rank(b"abc"), 257);
        assert_eq!(vocabulary.rank(b"bc"), NO_RANK);
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
