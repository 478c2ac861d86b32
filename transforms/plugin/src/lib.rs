//! The native module `tokenchunk._native`: Polars expressions, Arrow in and out, over `tokenchunk-core`.
//!
//! Each front parses its arguments, releases the GIL, runs the one [`rows`] function over its documents and wraps
//! what comes back. Nothing here knows how a text is chunked; nothing here panics on bad input.

mod capsule;
mod chunkers;
mod documents;
mod encodings;
mod errors;
mod expressions;
mod identity;
mod lists;
mod parallel;
mod python;
mod rows;
mod tables;
mod workspaces;

pub use python::_native;
