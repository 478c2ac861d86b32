"""Bad input gives an exception: never an abort of the interpreter, never a quote of the document."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import tokenchunk as tc
from conftest import Script

# Expressions that make a column of each type that a plugin may not have been built for.
DTYPES = {
    "Int128": "pl.Series('c', [1], dtype=pl.Int128)",
    "UInt128": "pl.Series('c', [1], dtype=pl.UInt128)",
    "Int8": "pl.Series('c', [1], dtype=pl.Int8)",
    "UInt16": "pl.Series('c', [1], dtype=pl.UInt16)",
    "Decimal": "pl.Series('c', ['1.5']).cast(pl.Decimal(20, 2))",
    "Float16": "pl.Series('c', [1.0], dtype=pl.Float16)",
    "Object": "pl.Series('c', [object()], dtype=pl.Object)",
    "Binary": "pl.Series('c', [b'a'])",
    "Boolean": "pl.Series('c', [True])",
    "Date": "pl.Series('c', [0]).cast(pl.Date)",
    "Time": "pl.Series('c', [0]).cast(pl.Time)",
    "Datetime": "pl.Series('c', [0]).cast(pl.Datetime('ns', 'Europe/Berlin'))",
    "Duration": "pl.Series('c', [0]).cast(pl.Duration('us'))",
    "List": "pl.Series('c', [['a']])",
    "Array": "pl.Series('c', [['a']], dtype=pl.Array(pl.String, 1))",
    "Struct": "pl.Series('c', [{'a': 'b'}])",
    "List of Categorical": "pl.Series('c', [['a']], dtype=pl.List(pl.Categorical))",
    "Struct of Decimal": "pl.Series('c', [{'a': 1}], dtype=pl.Struct({'a': pl.Decimal(20, 2)}))",
}
PROBE = """
import sys
import polars as pl
import tokenchunk as tc

column = {column}
for name in ("chunk", "count_tokens", "estimate_tokens", "split_sentences"):
    for resolve in (
        lambda e: column.to_frame().select(e),
        lambda e: column.to_frame().lazy().select(e).collect_schema(),
        lambda e: column.to_frame().lazy().select(e).collect(engine="streaming"),
    ):
        try:
            resolve(getattr(tc, name)("c"))
        except pl.exceptions.PolarsError as error:
            continue
        except pl.exceptions.PanicException as error:
            print("panic", name, error)
        else:
            print("no error", name)
frame = pl.DataFrame([column.alias("source"), pl.Series("text", ["One."])])
try:
    tc.chunk_documents(frame, chunk_id=True)
except pl.exceptions.PolarsError:
    pass
"""


@pytest.mark.parametrize("dtype", [name for name in DTYPES if hasattr(pl, name.split()[0])])
def test_exotic_columns_raise_and_do_not_abort(dtype: str, run_python: Script) -> None:
    done = run_python(PROBE.format(column=DTYPES[dtype]))
    if dtype == "Object":
        # Polars itself does not hand Python objects to plugins: any exception of its will do, so long as it is one.
        assert done.returncode in (0, 1), done.stderr
        return
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize("text", [None, 7, float("nan"), b"raw", ["a"], object()])
def test_what_is_not_text_is_a_type_error(chunker: tc.Chunker, text: Any) -> None:
    kind = type(text).__name__
    with pytest.raises(TypeError, match=f"text must be str, not {kind}"):
        chunker.chunk(text)
    with pytest.raises(TypeError, match=f"text must be str, not {kind}"):
        chunker.count(text)
    if text is not None:
        with pytest.raises(TypeError, match=f"text 1: text must be str, not {kind}"):
            chunker.chunk_many(["ok", text])


@pytest.mark.parametrize("text", ["\ud800", "secret \udfff tail", "é" * 3 + "\ud83d"])
def test_lone_surrogates_are_refused_with_their_position(chunker: tc.Chunker, text: str) -> None:
    position = next(i for i, char in enumerate(text) if "\ud800" <= char <= "\udfff")
    for call in (chunker.chunk, chunker.count, lambda text: chunker.chunk_document(text, "a")):
        with pytest.raises(ValueError, match=f"lone surrogate at character {position}$") as raised:
            call(text)
        assert "secret" not in str(raised.value)
        assert raised.value.__cause__ is None
    with pytest.raises(ValueError, match=f"text 1: .*character {position}$"):
        chunker.chunk_many(["ok", text])


def test_a_str_subclass_is_a_str(chunker: tc.Chunker) -> None:
    class Text(str):
        __slots__ = ()

    assert chunker.chunk(Text("One.")) == chunker.chunk("One.")


def test_the_plan_refuses_wrong_options_from_elsewhere() -> None:
    """Options are checked in Python first; a plan that was made by hand is checked again."""
    from polars.plugins import register_plugin_function

    from tokenchunk import _native

    good = {"encoding": "cl100k_base", "sha256": None, "max_tokens": 8, "overlap_tokens": 0, "overlap_side": "both"}
    wrong: list[dict[str, Any]] = [
        {"max_tokens": 2},
        {"overlap_tokens": 5},
        {"overlap_side": "after"},
        {"encoding": "nope"},
        {"max_tokens": -1},
        {"extra": 1},
    ]
    for change in wrong:
        expr = register_plugin_function(
            plugin_path=_native.__file__,
            function_name="chunk",
            args=["text"],
            kwargs=good | change,
            is_elementwise=True,
        )
        with pytest.raises(pl.exceptions.PolarsError):
            pl.DataFrame({"text": ["One."]}).select(expr)


def test_threads_that_are_no_number_are_passed_over(run_python: Script) -> None:
    script = "import tokenchunk._native as n; print(n.thread_count())"
    assert run_python(script, TOKENCHUNK_THREADS="3").stdout == "3\n"
    assert run_python(script, TOKENCHUNK_THREADS="", POLARS_MAX_THREADS="5").stdout == "5\n"
    for wrong in ("0", "-1", "many"):
        assert run_python(script, TOKENCHUNK_THREADS=wrong, POLARS_MAX_THREADS="5").stdout == "5\n"
