//! Cuts text into pretokens: by a hand-written scanner where we have one, else by the pattern itself.

use super::scan::Scanner;
use crate::error::Error;
use fancy_regex::Regex;
use std::ops::ControlFlow;

/// A pattern, ready to be run.
#[derive(Debug)]
pub(super) enum Pretokenizer {
    /// One of OpenAI's.
    Scanner(Scanner),
    /// Any other: it may look behind and may leave text out, so that nothing about a slice follows from the document.
    Pattern(Box<Regex>),
}

impl Pretokenizer {
    pub(super) fn new(pattern: &str) -> Result<Pretokenizer, Error> {
        if let Some(scanner) = Scanner::for_pattern(pattern) {
            return Ok(Pretokenizer::Scanner(scanner));
        }
        let regex =
            Regex::new(pattern).map_err(|e| Error::new(format!("the encoding's pattern is no valid regex: {e}")))?;
        Ok(Pretokenizer::Pattern(Box::new(regex)))
    }

    /// Calls `visit` with the range of every pretoken of `text[start..end]` taken as a text of its own, until it breaks.
    ///
    /// # Errors
    /// If the regex engine gives up on the text, which only patterns that backtrack can make it do.
    #[inline]
    pub(super) fn visit(
        &self,
        text: &str,
        start: usize,
        end: usize,
        mut visit: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        match self {
            Pretokenizer::Scanner(scanner) => {
                let (bytes, mut at) = (&text.as_bytes()[..end], start);
                while at < end {
                    let past = scanner.pretoken_end(bytes, at);
                    if visit(at, past).is_break() {
                        break;
                    }
                    at = past;
                }
            }
            Pretokenizer::Pattern(regex) => {
                for found in regex.find_iter(&text[start..end]) {
                    let found = found.map_err(gave_up)?;
                    let (from, to) = (start + found.start(), start + found.end());
                    if from < to && visit(from, to).is_break() {
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The engine's own message could quote text; ours does not.
fn gave_up(_: fancy_regex::Error) -> Error {
    Error::new("the encoding's pattern gave up on the text: it backtracks too much")
}
