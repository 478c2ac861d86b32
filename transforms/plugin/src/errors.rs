//! One document that cannot be processed, and how each front says so.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use polars::prelude::PolarsError;
use pyo3::PyErr;
use pyo3::exceptions::PyValueError;

/// Why the document at `row` was refused. The message never quotes document text.
#[derive(Debug)]
pub struct DocumentError {
    /// Row in the column as the caller passed it.
    pub row: usize,
    /// What is wrong.
    pub message: String,
}

impl DocumentError {
    /// The error with the column's name, as `column "text", row 3: ...`.
    pub fn in_column<'a>(&'a self, column: &'a str, first_row: usize) -> InColumn<'a> {
        InColumn { column, row: first_row + self.row, message: &self.message }
    }
}

/// A [`DocumentError`] that knows its column, for messages.
#[derive(Debug)]
pub struct InColumn<'a> {
    column: &'a str,
    row: usize,
    message: &'a str,
}

impl fmt::Display for InColumn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {:?}, row {}: {}", self.column, self.row, self.message)
    }
}

impl From<InColumn<'_>> for PolarsError {
    fn from(error: InColumn<'_>) -> Self {
        PolarsError::ComputeError(error.to_string().into())
    }
}

impl From<InColumn<'_>> for PyErr {
    fn from(error: InColumn<'_>) -> Self {
        value_error(error)
    }
}

/// Runs `work` on the document at `row`; a panic, which would be a fault of ours, becomes an error like any other.
///
/// Nothing that `work` can reach is left half written in a way that matters: scratch is begun anew for each document, and
/// the caches hold only what was counted.
pub fn guarded<T>(row: usize, work: impl FnOnce() -> Result<T, DocumentError>) -> Result<T, DocumentError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let message = "tokenchunk failed on this text, which is a fault of its own: please report it".to_owned();
        Err(DocumentError { row, message })
    })
}

/// A Python `ValueError` with this message.
pub fn value_error(message: impl fmt::Display) -> PyErr {
    PyValueError::new_err(message.to_string())
}
