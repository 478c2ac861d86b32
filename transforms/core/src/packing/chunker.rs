//! The chunker: a configuration and an encoding, and how a document goes through.

use super::{
    cores::{Core, Cores},
    document::Document,
    overlap,
};
use crate::{config::Config, error::Error, tokens::Encoding, workspace::Workspace};

/// A chunk: a slice of the document, with no white space at its ends, and its exact token count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Where it begins, in bytes of UTF-8.
    pub byte_start: usize,
    /// Where it ends, in bytes of UTF-8.
    pub byte_end: usize,
    /// Where it begins, in code points.
    pub char_start: usize,
    /// Where it ends, in code points.
    pub char_end: usize,
    /// What the slice costs as a text of its own; at most the configured limit.
    pub token_count: usize,
}

/// Cuts documents into chunks. Cheap to clone, and shared freely between threads.
///
/// # Examples
/// ```
/// use tokenchunk_core::{Chunker, Config, Encoding, OverlapSide, Workspace};
///
/// let encoding = Encoding::builtin("cl100k_base")?;
/// let chunker = Chunker::new(encoding.clone(), Config::new(8, 0, OverlapSide::Both)?);
/// let mut workspace = Workspace::new(&encoding);
/// let text = "Documents come as rows. Models take pieces of bounded length.";
/// let mut chunks = Vec::new();
/// chunker.chunk(text, &mut workspace, &mut chunks)?;
/// let contents: Vec<_> = chunks.iter().map(|chunk| &text[chunk.byte_start..chunk.byte_end]).collect();
/// assert_eq!(contents, ["Documents come as rows.", "Models take pieces of bounded length."]);
/// # Ok::<(), tokenchunk_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Chunker {
    encoding: Encoding,
    config: Config,
}

impl Chunker {
    /// A chunker that counts by `encoding` and keeps to `config`.
    pub fn new(encoding: Encoding, config: Config) -> Chunker {
        Chunker { encoding, config }
    }

    /// The encoding that counts.
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// The limits.
    pub fn config(&self) -> Config {
        self.config
    }

    /// Clears `chunks` and fills it with the chunks of `text`, in order. A blank text has none.
    ///
    /// # Errors
    /// If the text is larger than 4 GiB; and for a caller's own encoding, if its pattern backtracks too much on the
    /// text, or it needs more than four tokens for one character.
    pub fn chunk(&self, text: &str, workspace: &mut Workspace, chunks: &mut Vec<Chunk>) -> Result<(), Error> {
        chunks.clear();
        workspace.tokens_for(&self.encoding);
        let mut document = Document::new(text, self.config.max_tokens(), workspace)?;
        let mut cores = Cores::new(self.config);
        let mut characters = Characters::default();
        let mut previous: Option<Core> = None;
        let mut current = cores.next(&mut document)?;
        while let Some(core) = current {
            let next = cores.next(&mut document)?;
            let chunk = self.overlapped(&mut document, previous.as_ref(), &core, next.as_ref())?;
            chunks.push(characters.located(text, chunk));
            (previous, current) = (Some(core), next);
        }
        Ok(())
    }

    /// The core grown into its neighbours.
    fn overlapped(
        &self,
        document: &mut Document<'_>,
        previous: Option<&Core>,
        core: &Core,
        next: Option<&Core>,
    ) -> Result<Core, Error> {
        let (tokens, limit) = (self.config.overlap_tokens(), self.config.max_tokens());
        let before = previous.filter(|_| tokens > 0);
        let after = next.filter(|_| self.config.reserved_after() > 0);
        let mut range = core.range.clone();
        if let Some(previous) = before {
            let most = limit - after.map_or(0, |_| self.config.reserved_after());
            range.start = overlap::start_of_chunk(document, &previous.range, &core.range, tokens, most)?;
        }
        if let Some(next) = after {
            range.end = overlap::end_of_chunk(document, range.start, range.end, &next.range, tokens, limit)?;
        }
        if range == core.range {
            return Ok(core.clone());
        }
        let token_count = document.count(range.clone(), limit)?;
        // Both ends were accepted only because the whole fits.
        token_count
            .map(|token_count| Core { range, token_count })
            .ok_or_else(|| Error::new("a chunk outgrew its limit while it was overlapped; please report this"))
    }
}

/// Turns byte offsets into code points; starts and ends each only rise, so that the text is passed once for either.
#[derive(Default)]
struct Characters {
    start: Place,
    end: Place,
}

#[derive(Clone, Copy, Default)]
struct Place {
    bytes: usize,
    characters: usize,
}

impl Place {
    fn advance(&mut self, text: &str, bytes: usize) -> usize {
        self.characters += count_characters(&text.as_bytes()[self.bytes..bytes]);
        self.bytes = bytes;
        self.characters
    }
}

impl Characters {
    fn located(&mut self, text: &str, chunk: Core) -> Chunk {
        let Core { range, token_count } = chunk;
        // An end is never before its start: no need to pass the part before it again.
        if self.end.bytes < range.start {
            self.start.advance(text, range.start);
            self.end = self.start;
        }
        Chunk {
            byte_start: range.start,
            byte_end: range.end,
            char_start: self.start.advance(text, range.start),
            char_end: self.end.advance(text, range.end),
            token_count,
        }
    }
}

/// Bytes whose characters are summed up in a byte: what fits one, and is a multiple of what the processor adds at once.
const SUMMED_BYTES: usize = 192;

/// The characters of a text: the bytes that do not go on with one. A fifth of the time that `chars().count()` takes.
fn count_characters(text: &[u8]) -> usize {
    let sum = |bytes: &[u8]| bytes.iter().fold(0_u8, |sum, &byte| sum + u8::from(byte.cast_signed() >= -0x40));
    let (whole, rest) = text.as_chunks::<SUMMED_BYTES>();
    whole.iter().map(|bytes| usize::from(sum(bytes))).sum::<usize>() + usize::from(sum(rest))
}
