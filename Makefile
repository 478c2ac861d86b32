# Everything is set up by these targets; nothing but Python (3.10 or later), pip and Rust is taken for granted.
# What is built and installed stays outside the checkout, so that a fresh clone starts warm.

CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/tokenchunk
PYTHON ?= python3
VENV := $(CACHE)/venv
BIN := $(VENV)/bin
# Beam caps pyarrow below what the rest is tested with, so it has an environment of its own.
VENV_BEAM := $(CACHE)/venv-beam
export CARGO_TARGET_DIR ?= $(CACHE)/target

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-rust test-sanitized test-python test-beam test-engine lint format bench clean

help:  ## What can be made
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "%-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/maturin:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip 'maturin>=1.9,<2.0'

setup: $(BIN)/maturin  ## Build the package, optimised, into an environment of its own
	VIRTUAL_ENV=$(VENV) $(BIN)/maturin develop --quiet --release --extras dev

demo: setup  ## Chunk the interpreter's own documentation to Parquet and show the result
	$(BIN)/python pipelines/demo_pydoc.py

test: test-rust test-beam test-python  ## All tests but those that need a cluster

test-rust:
	cargo test --quiet --package tokenchunk-core

# The sanitizers are part of stable Rust but for the name of their option.
test-sanitized:  ## The core's unit tests under AddressSanitizer, for what is `unsafe` in it
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=$(CACHE)/sanitized \
		cargo test --quiet --package tokenchunk-core --lib --target $(shell rustc -vV | sed -n 's/host: //p') tokens

test-python: setup
	$(BIN)/pytest

$(VENV_BEAM)/bin/pytest:
	$(PYTHON) -m venv $(VENV_BEAM)
	$(VENV_BEAM)/bin/pip install --quiet --upgrade pip
	$(VENV_BEAM)/bin/pip install --quiet --requirement tests/beam/requirements.txt

test-beam: setup $(VENV_BEAM)/bin/pytest
	PYTHONPATH=transforms/python $(VENV_BEAM)/bin/pytest -c tests/beam/pytest.ini tests/beam transforms/python/tokenchunk/beam

test-engine: setup $(VENV_BEAM)/bin/pytest  ## The Beam job on a real Flink cluster; needs Java 17 and Maven
	PATH=$(VENV_BEAM)/bin:$$PATH PYTHONPATH=transforms/python \
		$(VENV_BEAM)/bin/pytest -c tests/beam/pytest.ini -m engine -rs tests/beam/test_engine.py

lint: setup  ## Formatting, lints and types; warnings are errors
	cargo fmt --all --check
	CARGO_TARGET_DIR=$(CACHE)/lint cargo clippy --quiet --workspace --all-targets -- --deny warnings
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

format:  ## Format all sources
	cargo fmt --all
	$(BIN)/ruff format

bench: setup  ## Our speed beside the peers', in one run; then worst cases, cold start, and all fronts
	$(BIN)/pip install --quiet --requirement benchmarks/requirements.txt
	$(BIN)/python benchmarks/run.py peers --record
	$(BIN)/python benchmarks/run.py worst
	$(BIN)/python benchmarks/run.py cold
	$(BIN)/python benchmarks/run.py fronts --copies 50

clean:  ## Remove what was built and installed
	rm -rf $(CACHE)
