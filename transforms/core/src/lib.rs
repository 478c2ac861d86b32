//! Exact token-aware chunking of text.
//!
//! [`Chunker`] cuts a document into [`Chunk`]s: sentences first, packed greedily by true token counts under a hard
//! limit, cut inside only where a sentence alone is too long, with overlap between neighbours. [`Encoding`] counts
//! tokens exactly as tiktoken does. [`sentence_ends`] splits text into sentences in any language.
//!
//! No I/O, no Python, no dataframes: the crates above this one bring those.
#![deny(unsafe_code)]

mod config;
mod error;
mod graphemes;
mod packing;
mod sentences;
mod tokens;
mod workspace;

pub use config::{Config, OverlapSide};
pub use error::Error;
pub use packing::{Chunk, Chunker};
pub use sentences::{RULES_VERSION, sentence_ends};
pub use tokens::Encoding;
pub use workspace::Workspace;
