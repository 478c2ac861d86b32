"""The transforms in Beam YAML, through the provider file of the package."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from beam.support import IN_MEMORY, Row, parquet_rows, rows_hash
from tokenchunk.beam import YAML_PROVIDERS

yaml_main = pytest.importorskip("apache_beam.yaml.main", reason="needs apache-beam[yaml]")

DOCUMENTS = """
pipeline:
  type: chain
  transforms:
    - type: ReadFromParquet
      config: {{file_pattern: "{source}"}}
    - type: ChunkDocuments
      config: {{max_tokens: 64, overlap: 8, overlap_side: before, keep: [year]}}
    - type: WriteToParquet
      config: {{path: "{output}/chunks", file_name_suffix: .parquet}}
providers:
  - include: "{providers}"
"""

WHOLE_JOB = """
pipeline:
  transforms:
    - type: ChunkParquet
      config: {{input: "{source}", output: "{output}", max_tokens: 64, overlap: 8, overlap_side: before}}
providers:
  - include: "{providers}"
"""


PLAIN = pa.schema({"source": pa.string(), "text": pa.string(), "year": pa.int64()})


def run(text: str, source: Path, output: Path) -> None:
    pipeline = text.format(source=source, output=output, providers=YAML_PROVIDERS)
    yaml_main.run(["--yaml_pipeline", pipeline, IN_MEMORY])


def test_rows(source_file: Path, tmp_path: Path, expected: list[Row]) -> None:
    # Beam's reader knows no large strings, which Polars writes; `ChunkParquet` does.
    plain = tmp_path / "plain.parquet"
    pq.write_table(pq.read_table(source_file).select(["source", "text", "year"]).cast(PLAIN), plain)
    run(DOCUMENTS, plain, tmp_path / "out")
    assert rows_hash(parquet_rows(tmp_path / "out")) == rows_hash(expected)


def test_whole_job(source_file: Path, tmp_path: Path, expected: list[Row]) -> None:
    run(WHOLE_JOB, source_file, tmp_path / "out")
    assert rows_hash(parquet_rows(tmp_path / "out")) == rows_hash(expected)
