//! The work itself, for every front: documents in, chunks (counts, sentences) out, in parallel and in row order.

use std::ops::Range;

use tokenchunk_core::{Chunk, Chunker, Encoding, sentence_ends};

use crate::documents::Documents;
use crate::errors::{DocumentError, guarded};
use crate::parallel::{self, Task};
use crate::workspaces;

/// What a run of rows of one array gave.
#[derive(Debug)]
pub struct Part<T> {
    /// Index of the array in the column.
    pub array: usize,
    /// Rows of that array.
    pub rows: Range<usize>,
    /// How many pieces each row gave.
    pub lengths: Vec<usize>,
    /// The pieces of all rows, one row after the other.
    pub pieces: Vec<T>,
}

impl<T> Part<T> {
    fn new(task: &Task) -> Self {
        let lengths = Vec::with_capacity(task.rows.len());
        Part { array: task.array, rows: task.rows.clone(), lengths, pieces: Vec::new() }
    }

    /// Each row of the part with its pieces.
    pub fn by_row(&self) -> impl Iterator<Item = (usize, &[T])> {
        let mut rest = self.pieces.as_slice();
        self.rows.clone().zip(&self.lengths).map(move |(row, length)| {
            let (pieces, after) = rest.split_at(*length);
            rest = after;
            (row, pieces)
        })
    }
}

/// Chunks every document; a null has none.
pub fn chunks<D: Documents>(arrays: &[D], chunker: &Chunker) -> Result<Vec<Part<Chunk>>, DocumentError> {
    parallel::map(arrays, |task| {
        let mut part = Part::new(task);
        let mut chunks = Vec::new();
        workspaces::with(chunker.encoding(), |workspace| {
            for_each_text(arrays, task, |row, text| {
                chunks.clear();
                if let Some(text) = text {
                    chunker.chunk(text, workspace, &mut chunks).map_err(|error| refused(row, &error))?;
                }
                part.lengths.push(chunks.len());
                part.pieces.append(&mut chunks);
                Ok(())
            })
        })?;
        Ok(part)
    })
}

/// Counts the tokens of every document; a null has none.
pub fn token_counts<D: Documents>(arrays: &[D], encoding: &Encoding) -> Result<Vec<Vec<Option<i64>>>, DocumentError> {
    parallel::map(arrays, |task| {
        let mut counts = Vec::with_capacity(task.rows.len());
        workspaces::with(encoding, |workspace| {
            for_each_text(arrays, task, |row, text| {
                let count = text.map(|text| encoding.count(text, workspace)).transpose();
                counts.push(count.map_err(|error| refused(row, &error))?.map(|count| count as i64));
                Ok(())
            })
        })?;
        Ok(counts)
    })
}

/// Guesses the tokens of every document as a quarter of its characters, rounded up.
pub fn token_estimates<D: Documents>(arrays: &[D]) -> Result<Vec<Vec<Option<i64>>>, DocumentError> {
    parallel::map(arrays, |task| {
        let mut estimates = Vec::with_capacity(task.rows.len());
        for_each_text(arrays, task, |_, text| {
            estimates.push(text.map(|text| text.chars().count().div_ceil(4) as i64));
            Ok(())
        })?;
        Ok(estimates)
    })
}

/// Finds the sentences of every document as byte ranges that tile it; a null has none.
pub fn sentences<D: Documents>(arrays: &[D]) -> Result<Vec<Part<Range<usize>>>, DocumentError> {
    parallel::map(arrays, |task| {
        let mut part = Part::new(task);
        let mut ends = Vec::new();
        for_each_text(arrays, task, |_, text| {
            ends.clear();
            if let Some(text) = text {
                sentence_ends(text, &mut ends);
            }
            let starts = std::iter::once(0).chain(ends.iter().copied());
            part.pieces.extend(starts.zip(&ends).map(|(start, end)| start..*end));
            part.lengths.push(ends.len());
            Ok(())
        })?;
        Ok(part)
    })
}

/// Calls `work` with each text of the task; errors name the row in the whole column.
fn for_each_text<'a, D: Documents>(
    arrays: &'a [D],
    task: &Task,
    mut work: impl FnMut(usize, Option<&'a str>) -> Result<(), DocumentError>,
) -> Result<(), DocumentError> {
    let array = &arrays[task.array];
    for row in task.rows.clone() {
        let done = array.text(row).and_then(|text| guarded(row, || work(row, text)));
        done.map_err(|error| DocumentError { row: task.first_row + error.row, ..error })?;
    }
    Ok(())
}

/// The core's refusal of the document at `row`.
pub fn refused(row: usize, error: &tokenchunk_core::Error) -> DocumentError {
    DocumentError { row, message: error.to_string() }
}
