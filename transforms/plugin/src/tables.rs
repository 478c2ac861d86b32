//! Chunk rows as flat Arrow columns that own their text.
//!
//! Unlike the Polars lists these copy the content: Arrow's string layout outside Polars has no views that all readers know.

use std::ops::Range;

use polars::prelude::PolarsResult;
use polars_arrow::array::{Array, PrimitiveArray, StructArray, Utf8Array};
use polars_arrow::datatypes::{ArrowDataType, Field};
use polars_arrow::offset::Offsets;
use tokenchunk_core::Chunk;

use crate::capsule::{ArrowBatch, TextColumn};
use crate::documents::Documents;
use crate::identity::{self, Id, Sources};
use crate::parallel;
use crate::rows::Part;

/// Columns `row` (of the document in its array), `content`, `chunk_index`, `token_count`, `char_start`, `char_end`,
/// and `chunk_id` where sources are given.
pub fn chunk_table(
    documents: &TextColumn,
    parts: &[Part<Chunk>],
    sources: Option<&Sources>,
) -> PolarsResult<ArrowBatch> {
    let mut columns = vec![
        integers("row", parts, |row, _, _| row),
        content(documents, parts)?,
        integers("chunk_index", parts, |_, index, _| index),
        integers("token_count", parts, |_, _, chunk| chunk.token_count),
        integers("char_start", parts, |_, _, chunk| chunk.char_start),
        integers("char_end", parts, |_, _, chunk| chunk.char_end),
    ];
    columns.extend(sources.map(|sources| chunk_ids(documents, parts, sources)));
    let (fields, arrays): (Vec<Field>, Vec<Box<dyn Array>>) = columns.into_iter().unzip();
    let rows = StructArray::try_new(ArrowDataType::Struct(fields), arrays[0].len(), arrays, None)?;
    let tokens = parts.iter().flat_map(|part| &part.pieces).map(|chunk| chunk.token_count as u64).sum();
    let text_bytes = (0..documents.rows()).map(|row| documents.byte_len(row) as u64).sum();
    let empty = parts.iter().flat_map(|part| &part.lengths).filter(|length| **length == 0).count();
    Ok(ArrowBatch::new(rows, tokens, text_bytes, empty as u64))
}

type Column = (Field, Box<dyn Array>);

fn column(name: &str, array: Box<dyn Array>) -> Column {
    (Field::new(name.into(), array.dtype().clone(), true), array)
}

fn chunk_count(parts: &[Part<Chunk>]) -> usize {
    parts.iter().map(|part| part.pieces.len()).sum()
}

fn integers(name: &str, parts: &[Part<Chunk>], value: impl Fn(usize, usize, &Chunk) -> usize) -> Column {
    let mut values = Vec::with_capacity(chunk_count(parts));
    for (row, chunks) in parts.iter().flat_map(Part::by_row) {
        values.extend(chunks.iter().enumerate().map(|(index, chunk)| value(row, index, chunk) as i64));
    }
    column(name, PrimitiveArray::from_vec(values).boxed())
}

fn content(documents: &TextColumn, parts: &[Part<Chunk>]) -> PolarsResult<Column> {
    let lengths = parts.iter().flat_map(|part| &part.pieces).map(|chunk| bytes(chunk).len());
    let offsets = Offsets::<i64>::try_from_lengths(lengths)?;
    let total = *offsets.last() as usize;
    let mut values = vec![0; total];
    // Each part writes to its own stretch of the column.
    let mut stretches = Vec::with_capacity(parts.len());
    let mut rest = values.as_mut_slice();
    for part in parts {
        let (stretch, after) = rest.split_at_mut(part.pieces.iter().map(|chunk| bytes(chunk).len()).sum());
        stretches.push((part, stretch));
        rest = after;
    }
    parallel::run(stretches, total, |(part, stretch)| copy_content(documents, part, stretch));
    // SAFETY: the offsets rise from 0 to the length of `values`; the values are slices of checked UTF-8 at the borders of
    // code points, which the core guarantees.
    let array = unsafe { Utf8Array::new_unchecked(ArrowDataType::LargeUtf8, offsets.into(), values.into(), None) };
    Ok(column("content", array.boxed()))
}

fn copy_content(documents: &TextColumn, part: &Part<Chunk>, mut stretch: &mut [u8]) {
    for (row, chunks) in part.by_row() {
        let document = documents.bytes(row).unwrap_or_default();
        for chunk in chunks {
            let content = &document[bytes(chunk)];
            let (place, after) = stretch.split_at_mut(content.len());
            place.copy_from_slice(content);
            stretch = after;
        }
    }
}

fn bytes(chunk: &Chunk) -> Range<usize> {
    chunk.byte_start..chunk.byte_end
}

fn chunk_ids(documents: &TextColumn, parts: &[Part<Chunk>], sources: &Sources) -> Column {
    let total = parts.iter().flat_map(|part| &part.pieces).map(|chunk| bytes(chunk).len()).sum();
    let ids = parallel::run(parts.iter().collect(), total, |part| part_ids(documents, part, sources));
    column("chunk_id", Utf8Array::<i64>::from_iter_values(ids.iter().flatten().map(identity::digits)).boxed())
}

fn part_ids(documents: &TextColumn, part: &Part<Chunk>, sources: &Sources) -> Vec<Id> {
    let mut ids = Vec::with_capacity(part.pieces.len());
    for (row, chunks) in part.by_row() {
        let document = documents.bytes(row).unwrap_or_default();
        let source = sources.get(row);
        let id = |(index, chunk): (usize, &Chunk)| identity::chunk_id(source, index as u64, &document[bytes(chunk)]);
        ids.extend(chunks.iter().enumerate().map(id));
    }
    ids
}
