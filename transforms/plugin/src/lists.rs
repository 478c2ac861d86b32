//! Pieces of documents as Polars lists, one list per row, without copying text.
//!
//! A Polars string is a 16-byte view into a buffer. A piece of a document is therefore a new view into the document's own
//! buffer: overlap costs nothing, and neither does a document that is one chunk. The price: a piece keeps the whole buffer
//! alive. Views are taken through the array's own accessors, so sliced columns need no care here.

use std::ops::Range;

use polars::prelude::*;
use polars_arrow::array::{Array, BinaryViewArray, ListArray, PrimitiveArray, StructArray, Utf8ViewArray, View};
use polars_arrow::bitmap::Bitmap;
use polars_arrow::datatypes::ArrowDataType;
use polars_arrow::offset::Offsets;
use tokenchunk_core::Chunk;

use crate::documents::Documents;
use crate::rows::Part;

/// The type of a chunk list: every front has these names and types.
pub fn chunks_dtype() -> DataType {
    let integer = |name: &str| Field::new(name.into(), DataType::Int64);
    DataType::List(Box::new(DataType::Struct(vec![
        Field::new("content".into(), DataType::String),
        integer("chunk_index"),
        integer("token_count"),
        integer("char_start"),
        integer("char_end"),
    ])))
}

/// The type of a sentence list.
pub fn sentences_dtype() -> DataType {
    DataType::List(Box::new(DataType::String))
}

/// One list of chunks per row of `arrays`.
pub fn chunk_lists(name: PlSmallStr, arrays: &[BinaryViewArray], parts: &[Part<Chunk>]) -> PolarsResult<Series> {
    lists(name, arrays, parts, &chunks_dtype(), |documents, parts, dtype| {
        let content = views(documents, parts, |chunk| chunk.byte_start..chunk.byte_end);
        let columns = vec![
            content.boxed(),
            integers(parts, |index, _| index),
            integers(parts, |_, chunk| chunk.token_count),
            integers(parts, |_, chunk| chunk.char_start),
            integers(parts, |_, chunk| chunk.char_end),
        ];
        Ok(StructArray::try_new(dtype.clone(), columns[0].len(), columns, None)?.boxed())
    })
}

/// One list of sentences per row of `arrays`.
pub fn sentence_lists(
    name: PlSmallStr,
    arrays: &[BinaryViewArray],
    parts: &[Part<Range<usize>>],
) -> PolarsResult<Series> {
    lists(name, arrays, parts, &sentences_dtype(), |documents, parts, _| {
        Ok(views(documents, parts, Range::clone).boxed())
    })
}

/// One list array per array of the column; `values` makes the flat array of all its rows' pieces.
fn lists<T>(
    name: PlSmallStr,
    arrays: &[BinaryViewArray],
    parts: &[Part<T>],
    dtype: &DataType,
    values: impl Fn(&BinaryViewArray, &[Part<T>], &ArrowDataType) -> PolarsResult<Box<dyn Array>>,
) -> PolarsResult<Series> {
    let list_dtype = dtype.to_physical().to_arrow(CompatLevel::newest());
    let ArrowDataType::LargeList(item) = &list_dtype else {
        polars_bail!(ComputeError: "unexpected list type {list_dtype:?}");
    };
    let mut chunks = Vec::with_capacity(arrays.len());
    let mut rest = parts;
    for (index, documents) in arrays.iter().enumerate() {
        let (parts, after) = rest.split_at(rest.partition_point(|part| part.array <= index));
        rest = after;
        let lengths = parts.iter().flat_map(|part| part.lengths.iter().copied());
        let list = ListArray::<i64>::try_new(
            list_dtype.clone(),
            Offsets::try_from_lengths(lengths)?.into(),
            values(documents, parts, item.dtype())?,
            validity(documents),
        )?;
        chunks.push(list.boxed());
    }
    // SAFETY: each chunk was made with `list_dtype`, the physical type of `dtype`.
    Ok(unsafe { Series::from_chunks_and_dtype_unchecked(name, chunks, dtype) })
}

fn validity(documents: &BinaryViewArray) -> Option<Bitmap> {
    documents.validity().cloned()
}

fn integers<T>(parts: &[Part<T>], value: impl Fn(usize, &T) -> usize) -> Box<dyn Array> {
    let mut values = Vec::with_capacity(parts.iter().map(|part| part.pieces.len()).sum());
    for (_, pieces) in parts.iter().flat_map(Part::by_row) {
        values.extend(pieces.iter().enumerate().map(|(index, piece)| value(index, piece) as i64));
    }
    PrimitiveArray::from_vec(values).boxed()
}

/// The pieces of all rows as views into the documents' own buffers.
fn views<T>(documents: &BinaryViewArray, parts: &[Part<T>], range: impl Fn(&T) -> Range<usize>) -> Utf8ViewArray {
    let mut views = Vec::with_capacity(parts.iter().map(|part| part.pieces.len()).sum());
    for (row, pieces) in parts.iter().flat_map(Part::by_row) {
        let document = documents.views()[row];
        let bytes = documents.bytes(row).unwrap_or_default();
        views.extend(pieces.iter().map(|piece| view(document, bytes, range(piece))));
    }
    // SAFETY: each view was made by `view` from a view of `documents`, so it lies in its buffers; the pieces are slices of
    // checked UTF-8 at the borders of code points, which the core guarantees.
    unsafe {
        Utf8ViewArray::new_unchecked_unknown_md(
            ArrowDataType::Utf8View,
            views.into(),
            documents.data_buffers().clone(),
            None,
            Some(documents.total_buffer_len()),
        )
    }
}

/// The view of the piece at `range` of the document that `document` is the view of and `bytes` the content.
fn view(document: View, bytes: &[u8], range: Range<usize>) -> View {
    // A document's length and its offset in the buffer are u32, so a place inside it is one too. A piece of more than 12
    // bytes comes from a document of more than 12 bytes, whose view is an offset and not the bytes themselves.
    let offset = document.offset.wrapping_add(range.start as u32);
    View::new_from_bytes(&bytes[range], document.buffer_idx, offset)
}
