//! Work grows with the length of the document, not with its square: counted, not timed.

use tokenchunk_core::{Chunker, Config, Encoding, OverlapSide, Workspace};

/// What makes tokenisers and splitters quadratic: long pieces, far borders, long clusters, gaps.
#[rustfmt::skip]
const REPEATED: [&str; 26] = [
    "a", " ", "\n", "\r\n", "_", "-", "^", ".)))", "1234567", "x's's", "'", "(", "\"a. ", "。", "中文没有标点", "สวัสดีครับ",
    "क्", "\u{301}", "🇩🇪", "👩\u{200D}", "\u{600}", "\u{FEFF}", "w,", "word ", "Go. ", " \u{301}",
];

fn merged_bytes(encoding: &Encoding, config: Config, text: &str) -> u64 {
    let mut workspace = Workspace::new(encoding);
    let mut chunks = Vec::new();
    Chunker::new(encoding.clone(), config).chunk(text, &mut workspace, &mut chunks).expect("chunks");
    workspace.merged_bytes()
}

fn of_size(unit: &str, bytes: usize) -> String {
    // Between letters, so that white space is no white space at an end.
    format!("x{}x", unit.repeat(bytes / unit.len()))
}

#[test]
fn merging_is_linear_in_the_document() {
    for (name, max_tokens, overlap) in [("cl100k_base", 32, 0), ("o200k_base", 48, 8)] {
        let encoding = Encoding::builtin(name).expect("a built-in encoding");
        let config = Config::new(max_tokens, overlap, OverlapSide::Both).expect("valid limits");
        for unit in REPEATED {
            // Both far longer than the longest window of one chunk: 48 tokens of 128 bytes.
            let [less, more] = [1 << 15, 1 << 17].map(|size| merged_bytes(&encoding, config, &of_size(unit, size)));
            assert!(more <= 5 * less.max(1 << 13), "{name} {config:?} {unit:?}: {less} then {more}");
            assert!(more <= 80 << 17, "{name} {config:?} {unit:?}: {more}");
        }
    }
}

#[test]
fn one_far_border_costs_nothing() {
    let encoding = Encoding::builtin("cl100k_base").expect("a built-in encoding");
    let config = Config::new(64, 0, OverlapSide::Both).expect("valid limits");
    let lines = "The old sailor told one more long story about the winter sea and its lights.\n".repeat(4000);
    let alone = merged_bytes(&encoding, config, &lines);
    let before_one_border = merged_bytes(&encoding, config, &format!("{lines}\n\nTHE END."));
    assert!(before_one_border <= alone + alone / 10 + 1000, "{alone} then {before_one_border}");
}
