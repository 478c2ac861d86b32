//! A chunker from the plain values that Python and Polars pass.

use tokenchunk_core::{Chunker, Config, OverlapSide};

use crate::encodings;

/// The chunker of a configuration that the Python side has resolved.
pub fn chunker(
    encoding: &str,
    sha256: Option<&str>,
    max_tokens: usize,
    overlap_tokens: usize,
    overlap_side: &str,
) -> Result<Chunker, String> {
    let encoding = encodings::find(encoding, sha256)?;
    let side = match overlap_side {
        "both" => OverlapSide::Both,
        "before" => OverlapSide::Before,
        other => return Err(format!("overlap_side must be 'both' or 'before', not {other:?}")),
    };
    let config = Config::new(max_tokens, overlap_tokens, side).map_err(|error| error.to_string())?;
    Ok(Chunker::new(encoding, config))
}
