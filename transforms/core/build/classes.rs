//! Character classes of the tokenisers' patterns as one two-level table: code point to class bits.

use regex_syntax::hir::{Class, HirKind};
use std::{fmt::Write as _, fs, path::Path};

/// The classes and the bit of each. The names are those of `src/tokens/classes.rs`.
const CLASSES: [(&str, u8); 6] = [
    (r"\p{L}", 1 << 0),
    (r"\p{N}", 1 << 1),
    (r"\s", 1 << 2),
    (r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", 1 << 3),
    (r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]", 1 << 4),
    (r"\p{M}", 1 << 5),
];

const CODE_POINTS: usize = 0x11_0000;
const BLOCK: usize = 256;

pub fn write(path: &Path) {
    let table = class_bits();
    let mut blocks: Vec<&[u8]> = Vec::new();
    let mut index: Vec<usize> = Vec::new();
    for block in table.chunks(BLOCK) {
        let known = blocks.iter().position(|&b| b == block);
        index.push(known.unwrap_or(blocks.len()));
        if known.is_none() {
            blocks.push(block);
        }
    }
    let mut source = String::new();
    let _ = writeln!(source, "static BLOCK_OF: [u8; {}] = {index:?};", index.len());
    let _ = writeln!(source, "static BLOCKS: [[u8; {BLOCK}]; {}] = {blocks:?};", blocks.len());
    assert!(blocks.len() <= 256, "the block index is one byte wide");
    fs::write(path, source).expect("OUT_DIR can be written");
}

fn class_bits() -> Vec<u8> {
    let mut table = vec![0; CODE_POINTS];
    for (pattern, bit) in CLASSES {
        for range in ranges(pattern) {
            for code_point in range {
                table[code_point as usize] |= bit;
            }
        }
    }
    table
}

fn ranges(pattern: &str) -> Vec<std::ops::RangeInclusive<u32>> {
    let hir = regex_syntax::parse(pattern).expect("a class that regex-syntax knows");
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            class.ranges().iter().map(|r| r.start() as u32..=r.end() as u32).collect()
        }
        _ => unreachable!("{pattern} is a character class"),
    }
}
