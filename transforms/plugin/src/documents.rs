//! Columns of documents as rows of bytes, whatever Arrow layout they came in.
//!
//! Bytes, not `str`: an Arrow string column may hold ill-formed UTF-8 (pyarrow does not check what it reads from
//! Parquet), so the check is made here, row by row, and a `str` exists only after it.

use polars_arrow::array::{BinaryArray, BinaryViewArray, DictionaryArray, DictionaryKey};
use polars_arrow::offset::Offset;

use crate::errors::DocumentError;

/// A column of documents that threads can read by row.
pub trait Documents: Sync {
    /// How many rows there are.
    fn rows(&self) -> usize;

    /// The bytes of a row; `None` for a null.
    fn bytes(&self, row: usize) -> Option<&[u8]>;

    /// The text of a row; `None` for a null.
    fn text(&self, row: usize) -> Result<Option<&str>, DocumentError> {
        self.bytes(row).map(|bytes| utf8(bytes, row)).transpose()
    }

    /// The length of a row in bytes; 0 for a null.
    fn byte_len(&self, row: usize) -> usize {
        self.bytes(row).map_or(0, <[u8]>::len)
    }
}

fn utf8(bytes: &[u8], row: usize) -> Result<&str, DocumentError> {
    // The `basic` check is the fastest but does not know where the fault is; the slow one is asked only then.
    simdutf8::basic::from_utf8(bytes).map_err(|_| {
        let at = std::str::from_utf8(bytes).map_or_else(|fault| fault.valid_up_to(), str::len);
        DocumentError { row, message: format!("not valid UTF-8 at byte {at}") }
    })
}

impl<O: Offset> Documents for BinaryArray<O> {
    fn rows(&self) -> usize {
        self.len()
    }

    fn bytes(&self, row: usize) -> Option<&[u8]> {
        self.get(row)
    }
}

impl Documents for BinaryViewArray {
    fn rows(&self) -> usize {
        self.len()
    }

    fn bytes(&self, row: usize) -> Option<&[u8]> {
        self.get(row)
    }
}

/// Rows of a dictionary-encoded column: each key names one of few values.
#[derive(Debug)]
pub struct Encoded<V> {
    keys: Vec<Option<usize>>,
    values: V,
}

impl<V: Documents> Encoded<V> {
    /// The rows of `array`, whose dictionary has been read as `values`.
    pub fn new<K: DictionaryKey>(array: &DictionaryArray<K>, values: V) -> Self {
        Encoded { keys: array.keys_iter().collect(), values }
    }
}

impl<V: Documents> Documents for Encoded<V> {
    fn rows(&self) -> usize {
        self.keys.len()
    }

    fn bytes(&self, row: usize) -> Option<&[u8]> {
        // A key outside the dictionary is the producer's fault; reading it as null keeps it from being ours.
        self.keys[row].filter(|key| *key < self.values.rows()).and_then(|key| self.values.bytes(key))
    }
}

impl Documents for Vec<Option<&str>> {
    fn rows(&self) -> usize {
        self.len()
    }

    fn bytes(&self, row: usize) -> Option<&[u8]> {
        self[row].map(str::as_bytes)
    }

    fn text(&self, row: usize) -> Result<Option<&str>, DocumentError> {
        Ok(self[row])
    }
}

impl<D: Documents + ?Sized + Send> Documents for Box<D> {
    fn rows(&self) -> usize {
        (**self).rows()
    }

    fn bytes(&self, row: usize) -> Option<&[u8]> {
        (**self).bytes(row)
    }
}

/// `count` rows of null.
#[derive(Debug)]
pub struct Nulls(pub usize);

impl Documents for Nulls {
    fn rows(&self) -> usize {
        self.0
    }

    fn bytes(&self, _row: usize) -> Option<&[u8]> {
        None
    }
}
