//! An encoding: a pattern and a vocabulary, by the name that tiktoken gives it.

use super::{
    batch::Batch,
    cache::PROCESS,
    counter::{PieceCounter, Tables},
    index::{Context, DocumentIndex},
    pairs::Rank,
    pretokens::Pretokenizer,
    scan::{CL100K, O200K, R50K},
    vocabulary::Vocabulary,
};
use crate::{error::Error, workspace::Workspace};
use sha2::{Digest, Sha256};
use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

/// A tokenizer's pattern and vocabulary. Cheap to clone; the tables behind it are built once and shared.
#[derive(Clone, Debug)]
pub struct Encoding {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    name: String,
    pattern: String,
    pretokenizer: Pretokenizer,
    tables: Arc<Tables>,
    sha256: String,
}

/// The vocabularies that the seven built-in encodings need.
#[derive(Clone, Copy)]
enum Builtin {
    R50k,
    P50k,
    Cl100k,
    O200k,
}

impl Encoding {
    /// The names of the encodings that ship inside.
    pub const BUILTIN: [&'static str; 7] =
        ["cl100k_base", "o200k_base", "o200k_harmony", "p50k_base", "p50k_edit", "r50k_base", "gpt2"];

    /// The built-in encoding of that name. The first call in a process builds its tables, later ones share them.
    ///
    /// # Errors
    /// If no encoding of that name ships inside; the message lists those that do.
    pub fn builtin(name: &str) -> Result<Encoding, Error> {
        static BUILT: [OnceLock<Encoding>; Encoding::BUILTIN.len()] = [const { OnceLock::new() }; 7];
        let Some(number) = Encoding::BUILTIN.iter().position(|&known| known == name) else {
            let known = Encoding::BUILTIN.join(", ");
            return Err(Error::new(format!("unknown encoding {name:?}; built in are {known}")));
        };
        if let Some(built) = BUILT[number].get() {
            return Ok(built.clone());
        }
        let (pattern, vocabulary) = match name {
            "cl100k_base" => (CL100K, Builtin::Cl100k),
            "o200k_base" | "o200k_harmony" => (O200K, Builtin::O200k),
            "p50k_base" | "p50k_edit" => (R50K, Builtin::P50k),
            _ => (R50K, Builtin::R50k),
        };
        let encoding = Encoding::new(name, pattern, vocabulary.tables(), vocabulary.sha256().to_owned())?;
        Ok(BUILT[number].get_or_init(|| encoding).clone())
    }

    /// An encoding of the caller's own: a regular expression and (token, rank) pairs, as in `tiktoken.Encoding`.
    ///
    /// # Errors
    /// If the pattern is no valid expression, the ranks cannot encode every text, or there are more than 2,097,151 tokens.
    pub fn custom(
        name: &str,
        pattern: &str,
        ranks: impl IntoIterator<Item = (Vec<u8>, u32)>,
    ) -> Result<Encoding, Error> {
        let tables = Arc::new(Tables::new(Vocabulary::new(ranks)?));
        let hashed =
            Sha256::new().chain_update(pattern).chain_update("\n").chain_update(tables.vocabulary.tiktoken_file());
        Encoding::new(name, pattern, tables, format!("{:x}", hashed.finalize()))
    }

    fn new(name: &str, pattern: &str, tables: Arc<Tables>, sha256: String) -> Result<Encoding, Error> {
        let pretokenizer = Pretokenizer::new(pattern)?;
        let inner = Inner { name: name.to_owned(), pattern: pattern.to_owned(), pretokenizer, tables, sha256 };
        Ok(Encoding { inner: Arc::new(inner) })
    }

    /// The name, as tiktoken has it.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The regular expression that cuts text into pretokens.
    pub fn pattern(&self) -> &str {
        &self.inner.pattern
    }

    /// SHA-256, in hex, of the vocabulary as a `.tiktoken` file; for an encoding of the caller's own, of its pattern, a
    /// line end and that file.
    pub fn sha256(&self) -> &str {
        &self.inner.sha256
    }

    /// The vocabulary as the file that tiktoken reads: a line per token, base64 and rank.
    pub fn tiktoken_file(&self) -> Vec<u8> {
        self.inner.tables.vocabulary.tiktoken_file().into_bytes()
    }

    /// The number of tokens of `text`; special tokens in it are ordinary text.
    ///
    /// # Errors
    /// Only for a caller's own pattern, if it backtracks too much on the text.
    pub fn count(&self, text: &str, workspace: &mut Workspace) -> Result<usize, Error> {
        let (mut context, _) = workspace.tokens_for(self).split();
        let mut count = 0;
        context.scan(text, usize::MAX, &mut |_, tokens| count = tokens.last().map_or(count, |&last| last as usize))?;
        Ok(count)
    }

    #[cfg(test)]
    pub(super) fn pretokenizer(&self) -> &Pretokenizer {
        &self.inner.pretokenizer
    }

    #[cfg(test)]
    pub(super) fn tables(&self) -> &Tables {
        &self.inner.tables
    }

    /// Whether both are the very same encoding, not merely equal ones.
    pub(crate) fn is_same(&self, other: &Encoding) -> bool {
        Arc::ptr_eq(&self.inner.tables, &other.inner.tables)
    }

    /// Length in bytes of the longest token.
    pub(crate) fn longest_token_bytes(&self) -> usize {
        self.inner.tables.vocabulary.longest_bytes()
    }

    /// Whether the pattern is one of OpenAI's, so that slices follow from the document's own pretokens.
    pub(crate) fn has_scanner(&self) -> bool {
        matches!(self.inner.pretokenizer, Pretokenizer::Scanner(_))
    }
}

impl Builtin {
    fn tables(self) -> Arc<Tables> {
        static BUILT: [OnceLock<Arc<Tables>>; 4] = [const { OnceLock::new() }; 4];
        let built = &BUILT[self as usize];
        if let Some(tables) = built.get() {
            return Arc::clone(tables);
        }
        let tables = Arc::new(Tables::new(self.vocabulary()));
        Arc::clone(built.get_or_init(|| tables))
    }

    /// Of the `.tiktoken` file, as tiktoken expects it and `build/vocabularies.rs` has checked it.
    fn sha256(self) -> &'static str {
        match self {
            Builtin::R50k => "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
            Builtin::P50k => "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
            Builtin::Cl100k => "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
            Builtin::O200k => "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        }
    }

    fn vocabulary(self) -> Vocabulary {
        match self {
            Builtin::R50k => {
                unpack(include_bytes!(concat!(env!("OUT_DIR"), "/r50k_base.vocabulary")), (0..50_256).collect())
            }
            // Its file has a gap where the rank of a special token is.
            Builtin::P50k => unpack(
                include_bytes!(concat!(env!("OUT_DIR"), "/p50k_base.vocabulary")),
                (0..50_256).chain(50_257..50_281).collect(),
            ),
            Builtin::Cl100k => {
                unpack(include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base.vocabulary")), (0..100_256).collect())
            }
            Builtin::O200k => {
                unpack(include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.vocabulary")), (0..199_998).collect())
            }
        }
    }
}

/// A vocabulary from the form that `build/vocabularies.rs` writes.
fn unpack(packed: &[u8], published_ranks: Vec<u32>) -> Vocabulary {
    let (lengths, rest) = packed.split_at(published_ranks.len());
    let (pairs, bytes) = rest.split_at((published_ranks.len() - 256) * size_of::<[Rank; 2]>());
    let rank = |bytes: &[u8; 4]| Rank::from_le_bytes(*bytes);
    let pairs = pairs.as_chunks().0.as_chunks().0.iter().map(|[left, right]| [rank(left), rank(right)]);
    let lengths = lengths.iter().map(|&length| usize::from(length));
    Vocabulary::trained(bytes.to_vec(), lengths, &pairs.zip(256..).collect::<Vec<_>>(), published_ranks)
}

/// A worker's caches and index for one encoding.
#[derive(Debug)]
pub(crate) struct TokenScratch {
    encoding: Encoding,
    pieces: PieceCounter,
    batch: Box<Batch>,
    index: DocumentIndex,
}

impl TokenScratch {
    pub(crate) fn new(encoding: &Encoding) -> TokenScratch {
        TokenScratch {
            encoding: encoding.clone(),
            pieces: PieceCounter::new(&encoding.inner.tables, &PROCESS),
            batch: Box::new(Batch::new()),
            index: DocumentIndex::default(),
        }
    }

    pub(crate) fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// Bytes merged so far, a measure of work that does not depend on the clock.
    pub(crate) fn merged_bytes(&self) -> u64 {
        self.pieces.merged_bytes()
    }

    /// Indexes `text`, of which slices of up to `most_tokens` tokens will be asked for.
    pub(crate) fn index(&mut self, text: &str, most_tokens: usize) -> Result<(), Error> {
        let (mut context, index) = self.split();
        index.fill(&mut context, text, most_tokens)
    }

    /// The count of a slice that ends in a character that is no white space, if it is at most `limit`.
    pub(crate) fn count(&mut self, text: &str, slice: Range<usize>, limit: usize) -> Result<Option<usize>, Error> {
        let (mut context, index) = self.split();
        index.count(&mut context, text, slice, limit)
    }

    /// The end of the `nth` token (from 1) of a slice, if there are more.
    pub(crate) fn end_of_token(&mut self, text: &str, slice: Range<usize>, nth: usize) -> Result<Option<usize>, Error> {
        let (mut context, index) = self.split();
        index.end_of_token(&mut context, text, slice, nth)
    }

    /// A place such that no slice from `slice.start` that ends there or later has at most `tokens` tokens, if one is soon
    /// found.
    ///
    /// For an encoding without a scanner it is a guess.
    pub(crate) fn place_out_of_reach(&self, text: &str, slice: Range<usize>, tokens: usize) -> Option<usize> {
        let Inner { pretokenizer, tables, .. } = &*self.encoding.inner;
        let border = match pretokenizer {
            Pretokenizer::Scanner(scanner) => self.index.first_shared_border(*scanner, &tables.characters, text, slice),
            Pretokenizer::Pattern(_) => Some(slice.start),
        };
        border.map(|border| self.index.border_past(self.index.tokens_before(border) + tokens))
    }

    fn split(&mut self) -> (Context<'_>, &mut DocumentIndex) {
        let TokenScratch { encoding, pieces, batch, index } = self;
        let Inner { pretokenizer, tables, .. } = &*encoding.inner;
        let context = Context { pretokenizer, tables, pieces, batch };
        (context, index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vocabularies_are_those_that_tiktoken_expects() {
        for name in Encoding::BUILTIN {
            let encoding = Encoding::builtin(name).unwrap();
            let digest = format!("{:x}", Sha256::digest(encoding.tiktoken_file()));
            assert_eq!(digest, encoding.sha256(), "{name}");
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_those_that_are_known() {
        let message = Encoding::builtin("cl100k").unwrap_err().to_string();
        assert!(message.contains("\"cl100k\"") && message.contains("cl100k_base"), "{message}");
    }

    #[test]
    fn a_token_that_no_merge_makes_stands_only_where_it_is_a_pretoken() {
        let tokens = (0..=255_u8).map(|byte| vec![byte]).chain(["中", "国"].map(|c| c.as_bytes().to_vec()));
        let encoding = Encoding::custom("own", CL100K, tokens.zip(0..)).unwrap();
        let count = |text: &str| encoding.count(text, &mut Workspace::new(&encoding)).unwrap();
        // As `tiktoken.Encoding` has it: a piece is looked up whole, then merged from its bytes.
        assert_eq!(["中", "中国", "中 国"].map(count), [1, 6, 5]);
    }

    #[test]
    fn an_encoding_is_shared_and_its_hash_tells_the_pattern() {
        let one = Encoding::builtin("gpt2").unwrap();
        assert!(Arc::ptr_eq(&one.inner, &Encoding::builtin("gpt2").unwrap().inner));
        let ranks = || (0..=255_u8).map(|byte| (vec![byte], u32::from(byte)));
        let by_pattern = |pattern: &str| Encoding::custom("own", pattern, ranks()).unwrap();
        assert_ne!(by_pattern(r"\S+|\s+").sha256(), by_pattern(r"\w+|\W+").sha256());
    }
}
