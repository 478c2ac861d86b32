//! One document that cannot be processed, and how each front says so.

use std::fmt;

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

/// A Python `ValueError` with this message.
pub fn value_error(message: impl fmt::Display) -> PyErr {
    PyValueError::new_err(message.to_string())
}
