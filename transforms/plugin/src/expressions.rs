//! The Polars expressions: what Polars calls by name, and the types it is promised.
//!
//! Each has one text column and its options as keyword arguments. The type functions refuse wrong columns and unknown
//! encodings, so that a wrong plan fails in `collect_schema()` and not after hours.

use polars::prelude::*;
use polars_arrow::array::{BinaryViewArray, PrimitiveArray};
use pyo3_polars::derive::polars_expr;
use serde::Deserialize;
use tokenchunk_core::{Chunker, Encoding};

use crate::chunkers;
use crate::encodings;
use crate::errors::DocumentError;
use crate::identity;
use crate::lists;
use crate::rows;

/// Which encoding: a built-in name, or with a hash one that was registered in this process.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CountOptions {
    encoding: String,
    sha256: Option<String>,
}

/// A whole configuration, resolved by the Python side.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChunkOptions {
    encoding: String,
    sha256: Option<String>,
    max_tokens: u32,
    overlap_tokens: u32,
    overlap_side: String,
}

fn chunk_field(fields: &[Field], kwargs: ChunkOptions) -> PolarsResult<Field> {
    known(&kwargs.encoding, kwargs.sha256.as_deref())?;
    text_field(fields, lists::chunks_dtype())
}

fn count_field(fields: &[Field], kwargs: CountOptions) -> PolarsResult<Field> {
    known(&kwargs.encoding, kwargs.sha256.as_deref())?;
    text_field(fields, DataType::Int64)
}

fn estimate_field(fields: &[Field]) -> PolarsResult<Field> {
    text_field(fields, DataType::Int64)
}

fn sentences_field(fields: &[Field]) -> PolarsResult<Field> {
    text_field(fields, lists::sentences_dtype())
}

fn chunk_id_field(fields: &[Field]) -> PolarsResult<Field> {
    let [source, ..] = fields else { polars_bail!(InvalidOperation: "expected three columns") };
    identity::check_source(source.name(), source.dtype())?;
    Ok(Field::new("chunk_id".into(), DataType::String))
}

/// Chunks of each document: `List[Struct{content, chunk_index, token_count, char_start, char_end}]`.
#[polars_expr(output_type_func_with_kwargs=chunk_field)]
fn chunk(inputs: &[Series], kwargs: ChunkOptions) -> PolarsResult<Series> {
    let chunker = chunker(&kwargs)?;
    let text = Text::new(&inputs[0])?;
    let parts = rows::chunks(&text.arrays, &chunker).map_err(|error| text.refused(&error))?;
    lists::chunk_lists(text.name, &text.arrays, &parts)
}

/// Exact tokens of each document.
#[polars_expr(output_type_func_with_kwargs=count_field)]
fn count_tokens(inputs: &[Series], kwargs: CountOptions) -> PolarsResult<Series> {
    let encoding = encoding(&kwargs.encoding, kwargs.sha256.as_deref())?;
    let text = Text::new(&inputs[0])?;
    let counts = rows::token_counts(&text.arrays, &encoding).map_err(|error| text.refused(&error))?;
    Ok(integers(text.name, counts))
}

/// A quick guess of the tokens of each document.
#[polars_expr(output_type_func=estimate_field)]
fn estimate_tokens(inputs: &[Series]) -> PolarsResult<Series> {
    let text = Text::new(&inputs[0])?;
    let counts = rows::token_estimates(&text.arrays).map_err(|error| text.refused(&error))?;
    Ok(integers(text.name, counts))
}

/// Sentences of each document, which joined give it back.
#[polars_expr(output_type_func=sentences_field)]
fn split_sentences(inputs: &[Series]) -> PolarsResult<Series> {
    let text = Text::new(&inputs[0])?;
    let parts = rows::sentences(&text.arrays).map_err(|error| text.refused(&error))?;
    lists::sentence_lists(text.name, &text.arrays, &parts)
}

/// Chunk ids from the columns source, chunk_index and content.
#[polars_expr(output_type_func=chunk_id_field)]
fn chunk_id(inputs: &[Series]) -> PolarsResult<Series> {
    identity::chunk_ids(&inputs[0], &inputs[1], &inputs[2])
}

/// A text column as arrays of bytes.
struct Text {
    name: PlSmallStr,
    arrays: Vec<BinaryViewArray>,
}

impl Text {
    fn new(series: &Series) -> PolarsResult<Text> {
        check_text(series.name(), series.dtype())?;
        // Null, Categorical and Enum become String; a cast of String is free.
        let strings = series.cast(&DataType::String)?;
        let arrays = strings.str()?.downcast_iter().map(|array| array.to_binview()).collect();
        Ok(Text { name: series.name().clone(), arrays })
    }

    fn refused(&self, error: &DocumentError) -> PolarsError {
        error.in_column(&self.name, 0).into()
    }
}

fn text_field(fields: &[Field], output: DataType) -> PolarsResult<Field> {
    let [text] = fields else { polars_bail!(InvalidOperation: "expected one text column, got {}", fields.len()) };
    check_text(text.name(), text.dtype())?;
    Ok(Field::new(text.name().clone(), output))
}

fn check_text(name: &str, dtype: &DataType) -> PolarsResult<()> {
    let is_text =
        matches!(dtype, DataType::String | DataType::Null | DataType::Categorical(_, _) | DataType::Enum(_, _));
    polars_ensure!(
        is_text,
        InvalidOperation: "column {name:?} is {dtype}; expected text (String, Categorical, Enum or Null)"
    );
    Ok(())
}

/// Asks for a registered encoding only: building a built-in one takes time, and its name was checked in Python.
fn known(name: &str, sha256: Option<&str>) -> PolarsResult<()> {
    if sha256.is_some() || !Encoding::BUILTIN.contains(&name) {
        encoding(name, sha256)?;
    }
    Ok(())
}

fn encoding(name: &str, sha256: Option<&str>) -> PolarsResult<Encoding> {
    encodings::find(name, sha256).map_err(|message| polars_err!(ComputeError: "{message}"))
}

fn chunker(options: &ChunkOptions) -> PolarsResult<Chunker> {
    let ChunkOptions { encoding, sha256, max_tokens, overlap_tokens, overlap_side } = options;
    chunkers::chunker(encoding, sha256.as_deref(), *max_tokens as usize, *overlap_tokens as usize, overlap_side)
        .map_err(|message| polars_err!(ComputeError: "{message}"))
}

fn integers(name: PlSmallStr, parts: Vec<Vec<Option<i64>>>) -> Series {
    let values: PrimitiveArray<i64> = parts.into_iter().flatten().collect();
    Int64Chunked::with_chunk(name, values).into_series()
}
