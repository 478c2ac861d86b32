//! The vocabularies in the form the core maps: per token its length; per token of several bytes the pair that it is
//! merged from; then all tokens' bytes; each in rank order.
//!
//! Four files serve seven encodings: gpt2 is r50k, p50k_edit is p50k, harmony is o200k.
//! Each is rebuilt as the `.tiktoken` file that OpenAI publishes and must have the sha256 that tiktoken expects.

use crate::pairs::Pairs;
use base64::{Engine, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};
use std::{fs, path::Path};
use tiktoken_rs::CoreBPE;

/// Name, ranks up to, and the sha256 in `tiktoken_ext/openai_public.py`.
const FILES: [(&str, u32, &str); 4] = [
    ("r50k_base", 50_256, "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"),
    ("p50k_base", 50_281, "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069"),
    ("cl100k_base", 100_256, "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
    ("o200k_base", 199_998, "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
];

pub fn write(out: &Path) {
    for (name, ranks, sha256) in FILES {
        let tokens = tokens(name, ranks);
        let digest = format!("{:x}", Sha256::digest(tiktoken_file(&tokens)));
        assert_eq!(digest, sha256, "{name} is not the vocabulary that tiktoken expects");
        let tokens: Vec<_> = tokens.into_iter().map(|(_, token)| token).collect();
        fs::write(out.join(format!("{name}.vocabulary")), packed(&tokens)).expect("OUT_DIR can be written");
    }
}

/// (rank, bytes) of every ordinary token. Rank 50,256 of p50k is a special token: its file has a gap there.
fn tokens(name: &str, ranks: u32) -> Vec<(u32, Vec<u8>)> {
    let bpe: CoreBPE = match name {
        "r50k_base" => tiktoken_rs::r50k_base(),
        "p50k_base" => tiktoken_rs::p50k_base(),
        "cl100k_base" => tiktoken_rs::cl100k_base(),
        _ => tiktoken_rs::o200k_base(),
    }
    .expect("tiktoken-rs carries the vocabulary");
    (0..ranks)
        .filter(|&rank| !(name == "p50k_base" && rank == 50_256))
        .map(|rank| (rank, bpe.decode_bytes(&[rank]).expect("every rank is a token")))
        .collect()
}

fn tiktoken_file(tokens: &[(u32, Vec<u8>)]) -> String {
    tokens.iter().map(|(rank, token)| format!("{} {rank}\n", STANDARD.encode(token))).collect()
}

fn packed(tokens: &[Vec<u8>]) -> Vec<u8> {
    let lengths = tokens.iter().map(|token| u8::try_from(token.len()).expect("tokens are at most 128 bytes"));
    let Pairs { merges, unmade } = Pairs::of(tokens);
    assert!(
        unmade.is_empty() && merges.len() == tokens.len() - 256,
        "the vocabulary was trained, single bytes come first"
    );
    let pairs = merges.iter().flat_map(|(pair, _)| pair.iter().flat_map(|rank| rank.to_le_bytes()));
    lengths.chain(pairs).chain(tokens.concat()).collect()
}
