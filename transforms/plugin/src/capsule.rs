//! Arrow arrays across the PyCapsule interface, both ways.

use std::ffi::CStr;

use polars::prelude::{PlSmallStr, Series};
use polars_arrow::array::{Array, BinaryArray, BinaryViewArray, DictionaryArray, DictionaryKey, StructArray};
use polars_arrow::datatypes::{ArrowDataType, Field, IntegerType};
use polars_arrow::ffi::{
    ArrowArray, ArrowSchema, export_array_to_c, export_field_to_c, import_array_from_c, import_field_from_c,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::documents::{Documents, Encoded, Nulls};
use crate::errors::value_error;
use crate::identity::Sources;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// An Arrow text column that threads can read.
pub type TextColumn = Box<dyn Documents + Send>;

/// Imports a column of sources: text like [`import_text`], or integers or bytes.
pub fn import_sources(object: &Bound<'_, PyAny>, column: &str) -> PyResult<Sources> {
    let (field, (array, rows)) = parts(object)?;
    if as_binary(field.dtype.to_storage()).is_some() {
        return Ok(Sources::Text(text_of(field, array, rows, column)?));
    }
    // An array without rows may come without buffers, which the import refuses.
    let array = if rows == 0 {
        polars_arrow::array::new_empty_array(field.dtype)
    } else {
        // SAFETY: `field` has the type that the producer gave with this array.
        unsafe { import_array_from_c(array, field.dtype) }.map_err(value_error)?
    };
    let series = Series::try_from((PlSmallStr::from(column), array)).map_err(value_error)?;
    Sources::new(&series).map_err(value_error)
}

/// Imports an Arrow text column: string, large_string, string_view, a dictionary of these, or null.
///
/// String types are imported as the binary types of the same layout, since their bytes are not to be trusted.
pub fn import_text(object: &Bound<'_, PyAny>, column: &str) -> PyResult<TextColumn> {
    let (field, (array, rows)) = parts(object)?;
    text_of(field, array, rows, column)
}

fn text_of(field: Field, array: ArrowArray, rows: usize, column: &str) -> PyResult<TextColumn> {
    let dtype = as_binary(field.dtype.to_storage()).ok_or_else(|| not_text(column, &field.dtype))?;
    if dtype == ArrowDataType::Null || rows == 0 {
        return Ok(Box::new(Nulls(rows)));
    }
    // SAFETY: `dtype` has the layout of the type that the producer gave with this array.
    let array = unsafe { import_array_from_c(array, dtype) }.map_err(value_error)?;
    text_column(array.as_ref()).ok_or_else(|| not_text(column, &field.dtype))
}

fn not_text(column: &str, dtype: &ArrowDataType) -> PyErr {
    value_error(format!(
        "column {column:?} is {dtype:?}; expected text (string, large_string, string_view, a dictionary of these, or null)"
    ))
}

fn as_binary(dtype: &ArrowDataType) -> Option<ArrowDataType> {
    Some(match dtype {
        ArrowDataType::Utf8 => ArrowDataType::Binary,
        ArrowDataType::LargeUtf8 => ArrowDataType::LargeBinary,
        ArrowDataType::Utf8View => ArrowDataType::BinaryView,
        ArrowDataType::Null => ArrowDataType::Null,
        ArrowDataType::Dictionary(key, values, ordered) => {
            ArrowDataType::Dictionary(*key, Box::new(as_binary(values.to_storage())?), *ordered)
        }
        _ => return None,
    })
}

fn text_column(array: &dyn Array) -> Option<TextColumn> {
    Some(match array.dtype() {
        ArrowDataType::Null => Box::new(Nulls(array.len())),
        ArrowDataType::Binary => Box::new(array.as_any().downcast_ref::<BinaryArray<i32>>()?.clone()),
        ArrowDataType::LargeBinary => Box::new(array.as_any().downcast_ref::<BinaryArray<i64>>()?.clone()),
        ArrowDataType::BinaryView => Box::new(array.as_any().downcast_ref::<BinaryViewArray>()?.clone()),
        ArrowDataType::Dictionary(key, _, _) => encoded(*key, array)?,
        _ => return None,
    })
}

fn encoded(key: IntegerType, array: &dyn Array) -> Option<TextColumn> {
    match key {
        IntegerType::Int8 => encoded_by::<i8>(array),
        IntegerType::Int16 => encoded_by::<i16>(array),
        IntegerType::Int32 => encoded_by::<i32>(array),
        IntegerType::Int64 => encoded_by::<i64>(array),
        IntegerType::UInt8 => encoded_by::<u8>(array),
        IntegerType::UInt16 => encoded_by::<u16>(array),
        IntegerType::UInt32 => encoded_by::<u32>(array),
        IntegerType::UInt64 => encoded_by::<u64>(array),
        IntegerType::Int128 | IntegerType::UInt128 => None,
    }
}

fn encoded_by<K: DictionaryKey>(array: &dyn Array) -> Option<TextColumn> {
    let array = array.as_any().downcast_ref::<DictionaryArray<K>>()?;
    let values = text_column(array.values().as_ref())?;
    Some(Box::new(Encoded::new(array, values)))
}

/// The field and the array of an object with `__arrow_c_array__`, taken out of its capsules, and the array's length.
fn parts(object: &Bound<'_, PyAny>) -> PyResult<(Field, (ArrowArray, usize))> {
    let exported = object.call_method0("__arrow_c_array__").map_err(|_| {
        let kind = object.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!("expected an Arrow array (an object with __arrow_c_array__), not {kind}"))
    })?;
    let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = exported.extract()?;
    let schema: *mut ArrowSchema = schema.pointer_checked(Some(SCHEMA))?.cast().as_ptr();
    let array: *mut ArrowArray = array.pointer_checked(Some(ARRAY))?.cast().as_ptr();
    // SAFETY: the capsules have the names that the interface gives to these structures, and we hold the GIL. The array is
    // moved out, leaving a released one; the schema is read in place and freed with its capsule.
    // Its length is the structure's first field in C, which polars-arrow does not show.
    let (field, rows, array) =
        unsafe { (import_field_from_c(&*schema), *array.cast::<i64>(), array.replace(ArrowArray::empty())) };
    Ok((field.map_err(value_error)?, (array, usize::try_from(rows).map_err(value_error)?)))
}

/// A table of chunk rows on its way to Python, which reads it through `__arrow_c_array__`.
#[pyclass(frozen, module = "tokenchunk._native")]
#[derive(Debug)]
pub struct ArrowBatch {
    rows: StructArray,
    /// Tokens of all chunks.
    #[pyo3(get)]
    tokens: u64,
    /// Bytes of the documents' text.
    #[pyo3(get)]
    text_bytes: u64,
    /// Documents that gave no chunk.
    #[pyo3(get)]
    empty: u64,
}

impl ArrowBatch {
    /// Rows with their totals.
    pub fn new(rows: StructArray, tokens: u64, text_bytes: u64, empty: u64) -> Self {
        ArrowBatch { rows, tokens, text_bytes, empty }
    }
}

#[pymethods]
impl ArrowBatch {
    /// The Arrow PyCapsule interface; types are as they are, `requested_schema` is not looked at.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        let field = Field::new("".into(), self.rows.dtype().clone(), false);
        let schema = PyCapsule::new_with_value(py, export_field_to_c(&field), SCHEMA)?;
        let array = PyCapsule::new_with_value(py, export_array_to_c(self.rows.clone().boxed()), ARRAY)?;
        (schema, array).into_pyobject(py)
    }
}
