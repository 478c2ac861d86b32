//! From a document to its chunks: cores packed greedily under the limit, then overlapped with their neighbours.

mod borders;
mod chunker;
mod cores;
mod cut;
mod document;
mod overlap;

pub use chunker::{Chunk, Chunker};
