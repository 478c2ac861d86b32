//! What a worker keeps between documents, so that caches stay warm and nothing is allocated for each.

use crate::{
    sentences::KnownEnds,
    tokens::{Encoding, TokenScratch},
};

/// A worker's caches and scratch: about 5 MiB, and a small multiple of the longest document so far.
///
/// The caches of a process take at most 256 MiB together. A worker that comes after these are given out merges all that is
/// no token: it counts the same, more slowly.
///
/// One for each thread, kept for as long as there is work. It is made for one encoding; used with another, it is made
/// anew for that one.
#[derive(Debug)]
pub struct Workspace {
    pub(crate) tokens: TokenScratch,
    pub(crate) sentence_ends: KnownEnds,
}

impl Workspace {
    /// A workspace whose caches know the encoding's whole vocabulary.
    pub fn new(encoding: &Encoding) -> Workspace {
        Workspace { tokens: TokenScratch::new(encoding), sentence_ends: KnownEnds::default() }
    }

    /// Bytes that had to be merged since the workspace was made: work that does not depend on the clock, for tests
    /// that time grows linearly.
    pub fn merged_bytes(&self) -> u64 {
        self.tokens.merged_bytes()
    }

    pub(crate) fn tokens_for(&mut self, encoding: &Encoding) -> &mut TokenScratch {
        if !self.tokens.encoding().is_same(encoding) {
            self.tokens = TokenScratch::new(encoding);
        }
        &mut self.tokens
    }
}
