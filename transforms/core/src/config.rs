//! How large chunks are and how much they overlap.

use crate::error::Error;

/// Which neighbours a chunk overlaps with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OverlapSide {
    /// The tail of the core before it and the head of the core after it.
    Both,
    /// The tail of the core before it only: a sliding window.
    Before,
}

/// Limits of a chunk, in tokens. Valid once made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    max_tokens: usize,
    overlap_tokens: usize,
    overlap_side: OverlapSide,
}

impl Config {
    /// What a core must be allowed at the least: one code point is up to 4 bytes, and so up to 4 tokens.
    pub const SMALLEST_BUDGET: usize = 4;

    /// The largest limit: positions in a document are 32 bits wide.
    pub const LARGEST_MAX_TOKENS: usize = i32::MAX as usize;

    /// A limit of `max_tokens` for each chunk, of which up to `overlap_tokens` on each side that has a neighbour.
    ///
    /// # Errors
    /// If `max_tokens` is not in 4 to 2,147,483,647, or the overlap leaves a core fewer than 4 tokens.
    pub fn new(max_tokens: usize, overlap_tokens: usize, overlap_side: OverlapSide) -> Result<Config, Error> {
        let (smallest, largest) = (Config::SMALLEST_BUDGET, Config::LARGEST_MAX_TOKENS);
        if !(smallest..=largest).contains(&max_tokens) {
            return Err(Error::new(format!("max_tokens is {max_tokens}; it must be from {smallest} to {largest}")));
        }
        let config = Config { max_tokens, overlap_tokens, overlap_side };
        let reserved = overlap_tokens.saturating_add(config.reserved_after());
        if max_tokens.saturating_sub(reserved) < smallest {
            return Err(Error::new(format!(
                "overlap of {overlap_tokens} tokens leaves too little of max_tokens {max_tokens}: \
                 what is neither before nor after must be at least {smallest} tokens"
            )));
        }
        Ok(config)
    }

    /// Hard limit of a chunk in tokens, overlap included.
    pub fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    /// The most tokens of a neighbour that a chunk takes on one side.
    pub fn overlap_tokens(&self) -> usize {
        self.overlap_tokens
    }

    /// Which neighbours a chunk overlaps with.
    pub fn overlap_side(&self) -> OverlapSide {
        self.overlap_side
    }

    /// Tokens kept free for what comes before a core that is not the first.
    pub(crate) fn reserved_before(&self) -> usize {
        self.overlap_tokens
    }

    /// Tokens kept free for what comes after a core that is not the last.
    pub(crate) fn reserved_after(&self) -> usize {
        match self.overlap_side {
            OverlapSide::Both => self.overlap_tokens,
            OverlapSide::Before => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_core_budget_is_four_tokens() {
        for (max_tokens, overlap, side, is_valid) in [
            (4, 0, OverlapSide::Both, true),
            (3, 0, OverlapSide::Both, false),
            (0, 0, OverlapSide::Before, false),
            (20, 8, OverlapSide::Both, true),
            (20, 9, OverlapSide::Both, false),
            (20, 16, OverlapSide::Before, true),
            (20, 17, OverlapSide::Before, false),
            (20, usize::MAX, OverlapSide::Both, false),
            (usize::MAX, 0, OverlapSide::Both, false),
        ] {
            let config = Config::new(max_tokens, overlap, side);
            assert_eq!(config.is_ok(), is_valid, "{max_tokens} {overlap} {side:?}");
        }
    }

    #[test]
    fn a_refusal_names_both_numbers() {
        let message = Config::new(64, 61, OverlapSide::Before).unwrap_err().to_string();
        assert!(message.contains("64") && message.contains("61"), "{message}");
    }
}
