//! Exact token counts, equal to `len(tiktoken.Encoding.encode_ordinary(text))`, at the speed of a scan.
//!
//! A text is cut into pretokens by the encoding's pattern ([`scan`], [`pretokens`]); each pretoken is counted by
//! itself ([`counter`]), mostly from a cache ([`cache`]), else by byte-pair merging ([`merge`]). An [`index`] of one
//! pass over a document then answers for any slice of it.

mod batch;
mod blocks;
mod cache;
mod characters;
mod classes;
mod counter;
mod encoding;
mod index;
mod lanes;
mod lookups;
mod masks;
mod merge;
mod merges;
mod pairs;
mod parts;
mod possible;
mod prefetch;
mod pretokens;
mod recent;
mod scan;
mod small_parts;
mod vocabulary;

pub use encoding::Encoding;
pub(crate) use encoding::TokenScratch;
