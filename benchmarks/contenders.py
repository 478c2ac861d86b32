"""Ours and the peers: each makes a callable that takes the whole corpus, on one thread."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import polars as pl

import tokenchunk as tc

Texts = list[str]
Work = Callable[[], object]


def ours_chunk(texts: Texts, encoding: str, max_tokens: int) -> Work:
    column = pl.Series("text", texts)
    expression = tc.chunk("text", encoding=encoding, max_tokens=max_tokens, overlap=0)
    return lambda: column.to_frame().select(expression)


def ours_chunk_overlap(texts: Texts, encoding: str, max_tokens: int) -> Work:
    column = pl.Series("text", texts)
    expression = tc.chunk("text", encoding=encoding, max_tokens=max_tokens, overlap=0.2)
    return lambda: column.to_frame().select(expression)


def ours_count(texts: Texts, encoding: str, max_tokens: int) -> Work:
    column = pl.Series("text", texts)
    return lambda: column.to_frame().select(tc.count_tokens("text", encoding=encoding))


def tiktoken_encode(texts: Texts, encoding: str, max_tokens: int) -> Work:
    import tiktoken

    encode = tiktoken.get_encoding(encoding).encode_ordinary
    return lambda: [len(encode(text)) for text in texts]


def bpe_openai_encode(texts: Texts, encoding: str, max_tokens: int) -> Work:
    import bpe_openai

    encode = bpe_openai.get_encoding(encoding).encode_ordinary
    return lambda: [len(encode(text)) for text in texts]


def toktok_count(texts: Texts, encoding: str, max_tokens: int) -> Work:
    import toktok

    return lambda: toktok.batch_count(texts, encoding, threads=1)


def gigatoken_encode(texts: Texts, encoding: str, max_tokens: int) -> Work:
    import gigatoken

    folder = Path(tempfile.mkdtemp())
    vocabularies = {path.name: path for path in tc.export_vocabularies(folder)}
    name = {"o200k_harmony": "o200k_base", "gpt2": "r50k_base"}.get(encoding, encoding)
    vocabulary = shutil.copy(vocabularies[_cache_name(name)], folder / f"{name}.tiktoken")
    corpus = folder / "corpus.txt"
    corpus.write_text("<|endoftext|>".join(texts))
    tokenizer = gigatoken.Tokenizer.from_tiktoken(str(vocabulary))
    source = gigatoken.TextFileSource([str(corpus)], separator=b"<|endoftext|>")
    return lambda: tokenizer.encode_files(source, parallel=False)


def _cache_name(encoding: str) -> str:
    import hashlib

    address = f"https://openaipublic.blob.core.windows.net/encodings/{encoding}.tiktoken"
    return hashlib.sha1(address.encode()).hexdigest()


def langchain_recursive(texts: Texts, encoding: str, max_tokens: int) -> Work:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        encoding_name=encoding, chunk_size=max_tokens, chunk_overlap=0, disallowed_special=()
    )
    return lambda: [splitter.split_text(text) for text in texts]


def langchain_token(texts: Texts, encoding: str, max_tokens: int) -> Work:
    from langchain_text_splitters import TokenTextSplitter

    splitter = TokenTextSplitter(encoding_name=encoding, chunk_size=max_tokens, chunk_overlap=0, disallowed_special=())
    return lambda: [splitter.split_text(text) for text in texts]


def llamaindex_sentence(texts: Texts, encoding: str, max_tokens: int) -> Work:
    import tiktoken
    from llama_index.core.node_parser import SentenceSplitter

    encode = tiktoken.get_encoding(encoding).encode_ordinary
    # Its own splitter of sentences wants data from the network.
    sentences = re.compile(r"(?<=[.!?])\s+").split
    splitter = SentenceSplitter(
        chunk_size=max_tokens, chunk_overlap=0, tokenizer=encode, chunking_tokenizer_fn=sentences
    )
    return lambda: [splitter.split_text(text) for text in texts]


def semchunk(texts: Texts, encoding: str, max_tokens: int) -> Work:
    import semchunk
    import tiktoken

    encode = tiktoken.get_encoding(encoding).encode_ordinary

    def work() -> object:
        # It remembers what it has counted: with the same counter, a second round would only look results up.
        split = semchunk.chunkerify(lambda text: len(encode(text)), max_tokens)
        return [split(text) for text in texts]

    return work


def semantic_text_splitter(texts: Texts, encoding: str, max_tokens: int) -> Work:
    from semantic_text_splitter import TextSplitter

    model = {"cl100k_base": "gpt-4", "o200k_base": "gpt-4o"}[encoding]
    splitter = TextSplitter.from_tiktoken_model(model, max_tokens)
    return lambda: [splitter.chunks(text) for text in texts]


def chonkie_sentence(texts: Texts, encoding: str, max_tokens: int) -> Work:
    import tiktoken
    from chonkie import SentenceChunker

    chunker = SentenceChunker(tokenizer=tiktoken.get_encoding(encoding), chunk_size=max_tokens, chunk_overlap=0)
    return lambda: [chunker(text) for text in texts]


Contender = Callable[[Texts, str, int], Work]
OURS: list[Contender] = [ours_chunk, ours_chunk_overlap, ours_count]
TOKENISERS: list[Contender] = [tiktoken_encode, bpe_openai_encode, toktok_count, gigatoken_encode]
CHUNKERS: list[Contender] = [
    langchain_recursive,
    langchain_token,
    llamaindex_sentence,
    semchunk,
    semantic_text_splitter,
    chonkie_sentence,
]
