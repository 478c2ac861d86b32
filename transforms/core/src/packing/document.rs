//! One document and the questions that packing asks of it.

use crate::{error::Error, sentences::Sentences, tokens::TokenScratch, workspace::Workspace};
use std::ops::Range;

/// Windows in which the end of the n-th token is looked for begin at so many bytes for each token, and double.
const WINDOW_BYTES_PER_TOKEN: usize = 8;

/// A document's text, sentences and token index. Positions are byte offsets on character boundaries.
pub(super) struct Document<'a> {
    pub(super) text: &'a str,
    /// End of the text without the white space at its end.
    pub(super) end: usize,
    pub(super) sentences: Sentences<'a>,
    tokens: &'a mut TokenScratch,
}

impl<'a> Document<'a> {
    /// Indexes `text`, whose slices of up to `most_tokens` tokens are of interest.
    pub(super) fn new(text: &'a str, most_tokens: usize, workspace: &'a mut Workspace) -> Result<Document<'a>, Error> {
        if u32::try_from(text.len()).is_err() {
            return Err(Error::new(format!("the document has {} bytes; at most {} are allowed", text.len(), u32::MAX)));
        }
        let Workspace { tokens, sentence_ends } = workspace;
        tokens.index(text, most_tokens)?;
        Ok(Document { text, end: text.trim_end().len(), sentences: Sentences::new(text, sentence_ends), tokens })
    }

    /// Token count of `text[start..end]` as a text of its own, if it is at most `limit`. No white space at its end.
    pub(super) fn count(&mut self, slice: Range<usize>, limit: usize) -> Result<Option<usize>, Error> {
        self.tokens.count(self.text, slice, limit)
    }

    /// Whether `text[start..end]` has at most `limit` tokens.
    pub(super) fn fits(&mut self, slice: Range<usize>, limit: usize) -> Result<bool, Error> {
        Ok(self.count(slice, limit)?.is_some())
    }

    /// `start`, or where the next character that is no white space begins.
    pub(super) fn skip_white_space(&self, start: usize) -> usize {
        self.text.len() - self.text[start..].trim_start().len()
    }

    /// `end` less the white space before it, but not less than `start`.
    pub(super) fn trim_end(&self, start: usize, end: usize) -> usize {
        start + self.text[start..end].trim_end().len()
    }

    /// The longest that a text of so many tokens can be.
    pub(super) fn most_bytes(&self, tokens: usize) -> usize {
        tokens.saturating_mul(self.longest_token_bytes())
    }

    pub(super) fn longest_token_bytes(&self) -> usize {
        self.tokens.encoding().longest_token_bytes()
    }

    /// Whether [`Document::place_out_of_reach`] is a bound rather than a guess.
    pub(super) fn has_bounds(&self) -> bool {
        self.tokens.encoding().has_scanner()
    }

    /// A place such that `text[start..end]` has more than `tokens` tokens for every end from there on.
    pub(super) fn place_out_of_reach(&self, start: usize, tokens: usize) -> usize {
        // Whatever its tokens, a longer text has more.
        let too_far = start.saturating_add(self.most_bytes(tokens)).saturating_add(1);
        let window = start..self.floor(too_far).min(self.end);
        self.tokens.place_out_of_reach(self.text, window, tokens).unwrap_or(too_far)
    }

    /// How far `tokens` tokens reach from `start` on, at most to `end`: the end of the last of them in the encoding of
    /// the shortest window that has more, and past the white space that follows.
    ///
    /// A first guess at where a text of so many tokens can end: whoever cuts there or before counts what is left.
    pub(super) fn reach(&mut self, slice: Range<usize>, tokens: usize) -> Result<usize, Error> {
        let mut bytes = tokens.saturating_mul(WINDOW_BYTES_PER_TOKEN);
        loop {
            let window_end = self.floor(slice.start.saturating_add(bytes)).min(slice.end);
            let window = slice.start..self.trim_end(slice.start, window_end);
            if let Some(end) = self.tokens.end_of_token(self.text, window, tokens)? {
                return Ok(self.skip_white_space(self.floor(end)).min(slice.end));
            }
            if window_end == slice.end {
                return Ok(slice.end);
            }
            bytes = bytes.saturating_mul(2);
        }
    }

    /// How far `tokens` tokens reach back from `slice.end`, at most to `slice.start`: the start of the first of them in
    /// the encoding of the shortest window that has more.
    pub(super) fn reach_back(&mut self, slice: Range<usize>, tokens: usize) -> Result<usize, Error> {
        let mut bytes = tokens.saturating_mul(WINDOW_BYTES_PER_TOKEN);
        loop {
            let window_start = self.text.ceil_char_boundary(slice.end.saturating_sub(bytes)).max(slice.start);
            let window = window_start..slice.end;
            let before = self.count(window.clone(), usize::MAX)?.and_then(|count| count.checked_sub(tokens));
            if let Some(before) = before.filter(|&before| before > 0) {
                let end = self.tokens.end_of_token(self.text, window.clone(), before)?;
                return Ok(end.map_or(window.start, |end| self.text.ceil_char_boundary(end)));
            }
            if window_start == slice.start {
                return Ok(slice.start);
            }
            bytes = bytes.saturating_mul(2);
        }
    }

    /// The place after the character at `at`.
    pub(super) fn skip_char(&self, at: usize) -> usize {
        self.text.ceil_char_boundary(at + 1)
    }

    /// `at`, or where the character that it is inside of begins.
    pub(super) fn floor(&self, at: usize) -> usize {
        self.text.floor_char_boundary(at)
    }
}
