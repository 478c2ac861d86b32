//! The vectors in `tests/data`, made by tiktoken and a reference in plain Python.

use serde_json::Value;
use std::{fs, path::Path};
use tokenchunk_core::{Chunker, Config, Encoding, OverlapSide, Workspace};

fn vectors(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data").join(name);
    let lines = fs::read_to_string(path).expect("the vectors lie beside the Python tests");
    lines.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("a number")).expect("a small number")
}

fn chunker(vector: &Value) -> Chunker {
    let encoding = Encoding::builtin(vector["encoding"].as_str().expect("a name")).expect("a built-in encoding");
    let side = if vector["side"] == "both" { OverlapSide::Both } else { OverlapSide::Before };
    let config = Config::new(number(&vector["max_tokens"]), number(&vector["overlap"]), side);
    Chunker::new(encoding, config.expect("valid limits"))
}

#[test]
fn chunks() {
    for vector in vectors("chunks.jsonl") {
        let (chunker, text) = (chunker(&vector), vector["text"].as_str().expect("a text"));
        let mut chunks = Vec::new();
        chunker.chunk(text, &mut Workspace::new(chunker.encoding()), &mut chunks).expect("chunks");
        let found: Vec<_> = chunks.iter().map(|chunk| [chunk.token_count, chunk.char_start, chunk.char_end]).collect();
        assert_eq!(serde_json::json!(found), vector["chunks"], "{text:?} {:?}", chunker.config());
    }
}

#[test]
fn counts() {
    for vector in vectors("counts.jsonl") {
        let text = vector["text"].as_str().expect("a text");
        for (name, expected) in vector["counts"].as_object().expect("counts by encoding") {
            let encoding = Encoding::builtin(name).expect("a built-in encoding");
            let count = encoding.count(text, &mut Workspace::new(&encoding)).expect("a count");
            assert_eq!(count, number(expected), "{name} {text:?}");
        }
    }
}
