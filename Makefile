# Everything is set up by these targets; nothing but Python (3.10 or later), pip and Rust is taken for granted.
# What is built and installed stays outside the checkout, so that a fresh clone starts warm.

CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/tokenchunk
PYTHON ?= python3
VENV := $(CACHE)/venv
BIN := $(VENV)/bin
export CARGO_TARGET_DIR ?= $(CACHE)/target

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-rust test-python lint format bench clean

help:  ## What can be made
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "%-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/maturin:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip 'maturin>=1.9,<2.0'

setup: $(BIN)/maturin  ## Build the package, optimised, into an environment of its own
	VIRTUAL_ENV=$(VENV) $(BIN)/maturin develop --quiet --release --extras dev

demo: setup  ## Chunk the interpreter's own documentation to Parquet and show the result
	$(BIN)/python pipelines/demo_pydoc.py

test: test-rust test-python  ## All tests

test-rust:
	cargo test --quiet --package tokenchunk-core

test-python: setup
	$(BIN)/pytest

lint: setup  ## Formatting, lints and types; warnings are errors
	cargo fmt --all --check
	cargo clippy --quiet --workspace --all-targets -- --deny warnings
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

format:  ## Format all sources
	cargo fmt --all
	$(BIN)/ruff format

bench: setup  ## Our speed beside the peers', in one run
	$(BIN)/python benchmarks/run.py

clean:  ## Remove what was built and installed
	rm -rf $(CACHE)
