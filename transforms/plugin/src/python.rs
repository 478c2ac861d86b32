//! The Python side of the native module: plain values in, plain values or Arrow out. Names and defaults live in Python.

use std::fmt;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyString};
use tokenchunk_core::{Chunk, Encoding, RULES_VERSION};

use crate::capsule::{self, ArrowBatch};
use crate::chunkers;
use crate::documents::Documents;
use crate::encodings;
use crate::errors::{guarded, value_error};
use crate::identity::{self, Source};
use crate::parallel;
use crate::rows;
use crate::tables;
use crate::workspaces;

/// Below this many bytes the GIL is kept: giving it up and asking again can take longer than the work.
const KEEP_GIL_BYTES: usize = 8 << 10;

/// Content, index, tokens, first and last character of a chunk.
type ChunkTuple<'py> = (Bound<'py, PyString>, usize, usize, usize, usize);

/// A configuration bound to its encoding.
#[pyclass(frozen, module = "tokenchunk._native")]
struct Chunker {
    chunker: tokenchunk_core::Chunker,
}

impl fmt::Debug for Chunker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunker").field("encoding", &self.chunker.encoding().name()).finish_non_exhaustive()
    }
}

#[pymethods]
impl Chunker {
    #[new]
    fn new(
        encoding: &str,
        sha256: Option<&str>,
        max_tokens: usize,
        overlap_tokens: usize,
        overlap_side: &str,
    ) -> PyResult<Self> {
        let chunker = chunkers::chunker(encoding, sha256, max_tokens, overlap_tokens, overlap_side);
        Ok(Chunker { chunker: chunker.map_err(value_error)? })
    }

    /// The chunks of one text.
    fn chunk<'py>(&self, py: Python<'py>, text: &Bound<'py, PyAny>) -> PyResult<Vec<ChunkTuple<'py>>> {
        let text = text_of(text)?;
        let mut chunks = Vec::new();
        let work =
            || workspaces::with(self.chunker.encoding(), |workspace| self.chunker.chunk(text, workspace, &mut chunks));
        unlocked(py, text.len(), work)?;
        Ok(tuples(py, text, &chunks))
    }

    /// The chunks of many texts, in parallel; a `None` has none.
    fn chunk_many<'py>(&self, py: Python<'py>, texts: Vec<Bound<'py, PyAny>>) -> PyResult<Vec<Vec<ChunkTuple<'py>>>> {
        let documents = [texts_of(&texts)?];
        let parts = py
            .detach(|| rows::chunks(&documents, &self.chunker))
            .map_err(|error| value_error(format!("text {}: {}", error.row, error.message)))?;
        let [documents] = documents;
        let by_row = parts.iter().flat_map(rows::Part::by_row);
        Ok(by_row.map(|(row, chunks)| tuples(py, documents[row].unwrap_or_default(), chunks)).collect())
    }

    /// The tokens of one text.
    fn count(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<usize> {
        let text = text_of(text)?;
        let encoding = self.chunker.encoding();
        let work = || workspaces::with(encoding, |workspace| encoding.count(text, workspace));
        unlocked(py, text.len(), work)
    }

    /// The chunk rows of an Arrow text array; `first_row` is where it lies in the caller's column, for messages.
    #[pyo3(signature = (text, *, column, first_row, sources = None, source_column = ""))]
    fn chunk_array(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        column: &str,
        first_row: usize,
        sources: Option<&Bound<'_, PyAny>>,
        source_column: &str,
    ) -> PyResult<ArrowBatch> {
        let documents = [capsule::import_text(text, column)?];
        let sources = sources.map(|array| capsule::import_sources(array, source_column)).transpose()?;
        py.detach(|| {
            let parts = rows::chunks(&documents, &self.chunker);
            let parts = parts.map_err(|error| PyErr::from(error.in_column(column, first_row)))?;
            tables::chunk_table(&documents[0], &parts, sources.as_ref()).map_err(value_error)
        })
    }
}

/// Runs `work` on one text, without the GIL where that pays.
fn unlocked<T: Send>(
    py: Python<'_>,
    bytes: usize,
    work: impl FnOnce() -> Result<T, tokenchunk_core::Error> + Send,
) -> PyResult<T> {
    let work = || guarded(0, || work().map_err(|error| rows::refused(0, &error)));
    let done = if bytes < KEEP_GIL_BYTES { work() } else { py.detach(work) };
    done.map_err(|error| value_error(error.message))
}

fn tuples<'py>(py: Python<'py>, text: &str, chunks: &[Chunk]) -> Vec<ChunkTuple<'py>> {
    let tuple = |(index, chunk): (usize, &Chunk)| {
        let content = PyString::new(py, &text[chunk.byte_start..chunk.byte_end]);
        (content, index, chunk.token_count, chunk.char_start, chunk.char_end)
    };
    chunks.iter().enumerate().map(tuple).collect()
}

fn text_of<'a>(text: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    let string = text
        .cast::<PyString>()
        .map_err(|_| PyTypeError::new_err(format!("text must be str, not {}", type_name(text))))?;
    string.to_str().map_err(|error| no_utf8("text", string, &error))
}

/// A `str` may hold half a surrogate pair, which is no character and has no UTF-8. The error of Python quotes the text.
fn no_utf8(what: &str, text: &Bound<'_, PyString>, error: &PyErr) -> PyErr {
    let position = error.value(text.py()).getattr("start").and_then(|start| start.extract::<usize>());
    match position {
        Ok(position) => value_error(format!("{what} holds a lone surrogate at character {position}")),
        Err(_) => value_error(format!("{what} cannot be encoded as UTF-8")),
    }
}

fn texts_of<'a>(texts: &'a [Bound<'_, PyAny>]) -> PyResult<Vec<Option<&'a str>>> {
    let text = |(row, text): (usize, &'a Bound<'_, PyAny>)| {
        if text.is_none() {
            return Ok(None);
        }
        text_of(text).map(Some).map_err(|error| at_row(text.py(), &error, row))
    };
    texts.iter().enumerate().map(text).collect()
}

/// The same error with the number of the text before its message.
fn at_row(py: Python<'_>, error: &PyErr, row: usize) -> PyErr {
    PyErr::from_type(error.get_type(py), format!("text {row}: {}", error.value(py)))
}

fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string())
}

/// Makes a user's encoding known in this process; returns the hash that names it.
#[pyfunction]
fn register_encoding(name: &str, pattern: &str, ranks: Vec<(Vec<u8>, u32)>) -> PyResult<String> {
    encodings::register(name, pattern, ranks).map_err(value_error)
}

/// The hash of an encoding's vocabulary.
#[pyfunction]
#[pyo3(signature = (name, sha256 = None))]
fn vocabulary_sha256(name: &str, sha256: Option<&str>) -> PyResult<String> {
    Ok(encodings::find(name, sha256).map_err(value_error)?.sha256().to_owned())
}

/// A built-in encoding's pattern.
#[pyfunction]
fn encoding_pattern(name: &str) -> PyResult<String> {
    Ok(encodings::find(name, None).map_err(value_error)?.pattern().to_owned())
}

/// A built-in vocabulary in tiktoken's file form.
#[pyfunction]
fn vocabulary_file<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(py, &encodings::find(name, None).map_err(value_error)?.tiktoken_file()))
}

/// Cuts an Arrow text array into runs of rows of at most `run_bytes`; returns where each run ends.
#[pyfunction]
fn byte_runs(text: &Bound<'_, PyAny>, column: &str, run_bytes: usize) -> PyResult<Vec<usize>> {
    let documents = capsule::import_text(text, column)?;
    Ok(parallel::byte_runs(&documents, run_bytes).into_iter().map(|run| run.end).collect())
}

/// The bytes of an Arrow text array's documents.
#[pyfunction]
fn byte_count(text: &Bound<'_, PyAny>, column: &str) -> PyResult<usize> {
    let documents = capsule::import_text(text, column)?;
    Ok((0..documents.rows()).map(|row| documents.byte_len(row)).sum())
}

/// The id of one chunk.
#[pyfunction]
fn chunk_id(source: &Bound<'_, PyAny>, chunk_index: u64, content: &str) -> PyResult<String> {
    let id = identity::chunk_id(source_of(source)?, chunk_index, content.as_bytes());
    Ok(identity::digits(&id).to_owned())
}

fn source_of<'a>(source: &'a Bound<'_, PyAny>) -> PyResult<Source<'a>> {
    if source.is_none() {
        return Ok(Source::Null);
    }
    if let Ok(text) = source.cast::<PyString>() {
        return Ok(Source::Text(text.to_str().map_err(|error| no_utf8("source", text, &error))?.as_bytes()));
    }
    if let Ok(bytes) = source.cast::<PyBytes>() {
        return Ok(Source::Bytes(bytes.as_bytes()));
    }
    let kind = type_name(source);
    // A bool is an integer by accident, and a number of more than 128 bits is none that a column can hold.
    if source.is_instance_of::<PyBool>() || !source.hasattr("__index__")? {
        let message = format!("chunk_id needs a source of str, bytes, int or None, not {kind}");
        return Err(PyTypeError::new_err(message));
    }
    let value = source.extract().map_err(|_| value_error("source is an integer of more than 128 bits"))?;
    Ok(Source::Integer(value))
}

/// Exact token-aware chunking: the native part. Its Python face is `tokenchunk`.
#[pymodule(gil_used = true)]
pub mod _native {
    #[pymodule_export]
    use super::{
        Chunker, byte_count, byte_runs, chunk_id, encoding_pattern, register_encoding, vocabulary_file,
        vocabulary_sha256,
    };
    #[pymodule_export]
    use crate::capsule::ArrowBatch;

    use super::{Encoding, RULES_VERSION};
    use crate::parallel;
    use pyo3::prelude::*;

    /// Threads that a call may use now.
    #[pyfunction]
    fn thread_count() -> usize {
        parallel::thread_count()
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("RULES_VERSION", RULES_VERSION)?;
        module.add("BUILTIN_ENCODINGS", Encoding::BUILTIN)
    }
}
