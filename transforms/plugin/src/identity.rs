//! The id of a chunk: 128 bits of SHA-256 over its source, its index and its content.
//!
//! SHA-256 because ids become keys in other systems: it is in every language's standard library, so that anyone can compute
//! them, and no document can be written to collide with another one's id. Most CPUs have instructions for it.
//!
//! What is hashed, so that no two chunks spell the same bytes: the source as one letter of kind and its value (`i` and 16
//! bytes little-endian; `s` or `b`, 8 bytes of length and the bytes; `n` for null), the index as 8 bytes little-endian,
//! then the content to the end. The integer width does not matter: 5 is the same source as Int32 and as UInt64.

use polars::prelude::*;
use sha2::{Digest, Sha256};

use crate::documents::Documents;
use crate::errors::DocumentError;
use crate::parallel;

/// The value of a document's source.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// No source.
    Null,
    /// An integer of any width.
    Integer(i128),
    /// A text.
    Text(&'a [u8]),
    /// Bytes.
    Bytes(&'a [u8]),
}

/// 32 hexadecimal digits.
pub type Id = [u8; 32];

/// The id of one chunk.
pub fn chunk_id(source: Source<'_>, chunk_index: u64, content: &[u8]) -> Id {
    let mut hash = Sha256::new();
    let mut sized = |kind: u8, bytes: &[u8]| {
        hash.update([kind]);
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    match source {
        Source::Text(bytes) => sized(b's', bytes),
        Source::Bytes(bytes) => sized(b'b', bytes),
        Source::Null => hash.update(b"n"),
        Source::Integer(value) => {
            hash.update(b"i");
            hash.update(value.to_le_bytes());
        }
    }
    hash.update(chunk_index.to_le_bytes());
    hash.update(content);
    hex(&hash.finalize()[..16])
}

fn hex(bytes: &[u8]) -> Id {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut id = [0; 32];
    for (pair, byte) in id.chunks_exact_mut(2).zip(bytes) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    id
}

/// Refuses a source column whose values have no one spelling, by name.
pub fn check_source(name: &str, dtype: &DataType) -> PolarsResult<()> {
    let has_ids = dtype.is_integer() && !matches!(dtype, DataType::UInt128)
        || matches!(
            dtype,
            DataType::Null | DataType::String | DataType::Binary | DataType::Categorical(_, _) | DataType::Enum(_, _)
        );
    polars_ensure!(
        has_ids,
        InvalidOperation: "column {name:?} is {dtype}; chunk_id needs a source of integers, text or binary: cast it"
    );
    Ok(())
}

/// A source column that can be read by row.
pub enum Sources {
    /// Integers.
    Integers(Int128Chunked),
    /// Text.
    Text(Box<dyn Documents + Send>),
    /// Bytes.
    Bytes(BinaryChunked),
}

impl Sources {
    /// Reads a column as one chunk, so that rows are found at once.
    pub fn new(source: &Series) -> PolarsResult<Sources> {
        check_source(source.name(), source.dtype())?;
        let source = source.rechunk();
        Ok(match source.dtype() {
            DataType::Binary => Sources::Bytes(source.binary()?.clone()),
            dtype if dtype.is_integer() => Sources::Integers(source.cast(&DataType::Int128)?.i128()?.clone()),
            // Null becomes String too.
            _ => Sources::Text(Box::new(source.cast(&DataType::String)?.str()?.downcast_as_array().to_binview())),
        })
    }

    /// The source of a row.
    pub fn get(&self, row: usize) -> Source<'_> {
        match self {
            Sources::Integers(values) => values.get(row).map_or(Source::Null, Source::Integer),
            Sources::Text(values) => values.bytes(row).map_or(Source::Null, Source::Text),
            Sources::Bytes(values) => values.get(row).map_or(Source::Null, Source::Bytes),
        }
    }
}

/// The ids of a frame of chunk rows; a null content has none.
pub fn chunk_ids(source: &Series, chunk_index: &Series, content: &Series) -> PolarsResult<Series> {
    let rows = content.len();
    let source = Sources::new(&broadcast(source, rows))?;
    let index = broadcast(chunk_index, rows).cast(&DataType::UInt64)?.rechunk();
    let index = index.u64()?;
    let content = content.cast(&DataType::String)?.rechunk();
    let arrays = [content.str()?.downcast_as_array().to_binview()];
    let parts = parallel::map(&arrays, |task| {
        let id = |row| Some(chunk_id(source.get(row), index.get(row)?, arrays[0].bytes(row)?));
        Ok::<_, DocumentError>(task.rows.clone().map(id).collect::<Vec<_>>())
    });
    let parts = parts.map_err(|error| PolarsError::from(error.in_column(content.name(), 0)))?;
    let ids: StringChunked = parts.iter().flatten().map(|id| id.as_ref().map(digits)).collect();
    Ok(ids.with_name("chunk_id".into()).into_series())
}

/// The id as text.
pub fn digits(id: &Id) -> &str {
    // Hexadecimal digits are ASCII; the fallback is never reached.
    std::str::from_utf8(id).unwrap_or_default()
}

/// A literal arrives as one row beside columns of many.
fn broadcast(series: &Series, rows: usize) -> Series {
    if series.len() == 1 && rows != 1 { series.new_from_index(0, rows) } else { series.clone() }
}
