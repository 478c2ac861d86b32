//! What is true of every text, through the public interface alone.

use proptest::prelude::*;
use tokenchunk_core::{Chunk, Chunker, Config, Encoding, OverlapSide, Workspace, sentence_ends};

const ENCODINGS: [&str; 4] = ["cl100k_base", "o200k_base", "p50k_base", "r50k_base"];

/// Pieces that tokenisers and splitters get wrong side by side.
#[rustfmt::skip]
const PIECES: [&str; 72] = [
    "\r", "\n", "\r\n", " ", "  ", "\t", "\u{B}", "\u{C}", "\u{1C}", "\u{85}", "\u{A0}", "\u{1680}", "\u{2003}", "\u{2028}",
    "\u{3000}", "\u{200B}", "\u{FEFF}", "\u{2060}", "'s", "'S", "'ſ", "'LL", "'", "x's's", "a", "Z", "the", " The", "é",
    "e\u{301}", "\u{301}", "\u{301}\u{302}\u{303}", "\u{600}", "क्षि", "्", "ข้", "中文", "日本", "。", "、", "「", "」", "한국", "ᄀ",
    "א", "ب", "؟", "Ж", "1", "123", "1234567", "½", "٣", "!", "? ", ". ", ", ", "; ", ": ", "//", "{\"a\":1}", "==", "___",
    "<|endoftext|>", "😀", "👩\u{200D}💻", "🇩🇪", "\u{10940}", "\u{16EA0}", "\0", "Dr. ", "internationalization",
];

fn text() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        6 => prop::sample::select(&PIECES[..]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => (prop::sample::select(&PIECES[..]), 2_usize..40).prop_map(|(piece, times)| piece.repeat(times)),
    ];
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

fn config() -> impl Strategy<Value = Config> {
    (4_usize..40, 0_usize..12, prop::bool::ANY).prop_map(|(budget, overlap, both)| {
        let side = if both { OverlapSide::Both } else { OverlapSide::Before };
        Config::new(budget + 2 * overlap, overlap, side).expect("a budget of at least four")
    })
}

fn encoding() -> impl Strategy<Value = Encoding> {
    prop::sample::select(&ENCODINGS[..]).prop_map(|name| Encoding::builtin(name).expect("a built-in encoding"))
}

fn chunks_of(chunker: &Chunker, text: &str, workspace: &mut Workspace) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    chunker.chunk(text, workspace, &mut chunks).expect("built-in encodings cut every text");
    chunks
}

proptest! {
    #[test]
    fn sentences_tile_the_text(text in text()) {
        let mut ends = Vec::new();
        sentence_ends(&text, &mut ends);
        prop_assert_eq!(ends.last().copied().unwrap_or(0), text.len());
        prop_assert!(ends.iter().all(|&end| text.is_char_boundary(end)));
        prop_assert!(ends.is_sorted_by(|a, b| a < b));
    }

    /// The count of a slice comes from the document's index; counting the slice by itself must give the same.
    #[test]
    fn chunks_count_as_texts_of_their_own(text in text(), config in config(), encoding in encoding()) {
        let mut workspace = Workspace::new(&encoding);
        let chunks = chunks_of(&Chunker::new(encoding.clone(), config), &text, &mut workspace);
        for chunk in chunks {
            let content = &text[chunk.byte_start..chunk.byte_end];
            prop_assert_eq!(encoding.count(content, &mut Workspace::new(&encoding)).expect("a count"), chunk.token_count);
            prop_assert!((1..=config.max_tokens()).contains(&chunk.token_count));
            prop_assert_eq!(content.trim(), content);
            prop_assert_eq!(text[..chunk.byte_start].chars().count(), chunk.char_start);
            prop_assert_eq!(content.chars().count(), chunk.char_end - chunk.char_start);
        }
    }

    #[test]
    fn only_white_space_lies_between_chunks(text in text(), config in config(), encoding in encoding()) {
        let chunks = chunks_of(&Chunker::new(encoding.clone(), config), &text, &mut Workspace::new(&encoding));
        let mut at = 0;
        for (chunk, before) in chunks.iter().zip(std::iter::once(None).chain(chunks.iter().map(Some))) {
            prop_assert!(at >= chunk.byte_start || text[at..chunk.byte_start].trim().is_empty());
            prop_assert!(config.overlap_tokens() > 0 || at <= chunk.byte_start);
            prop_assert!(before.is_none_or(|b| b.byte_start < chunk.byte_start && b.byte_end < chunk.byte_end));
            at = chunk.byte_end;
        }
        prop_assert!(text[at..].trim().is_empty());
    }

    #[test]
    fn what_a_workspace_saw_before_changes_nothing(
        texts in prop::collection::vec(text(), 1..5), config in config(), encoding in encoding(), other in encoding(),
    ) {
        let chunker = Chunker::new(encoding.clone(), config);
        let mut used = Workspace::new(&other);
        for text in &texts {
            other.count(text, &mut used).expect("a count");
            prop_assert_eq!(chunks_of(&chunker, text, &mut used), chunks_of(&chunker, text, &mut Workspace::new(&encoding)));
        }
    }

    /// A caller's own copy of an encoding takes the slow way, which scans every slice anew.
    #[test]
    fn a_slower_copy_agrees(text in text(), config in config()) {
        let (fast, slow) = (Encoding::builtin("r50k_base").expect("a built-in encoding"), slow_copy());
        let of = |encoding: &Encoding| {
            chunks_of(&Chunker::new(encoding.clone(), config), &text, &mut Workspace::new(encoding))
        };
        prop_assert_eq!(of(&fast), of(slow));
    }
}

/// `r50k_base` by a pattern that means the same and is none of OpenAI's own spelling.
fn slow_copy() -> &'static Encoding {
    static COPY: std::sync::OnceLock<Encoding> = std::sync::OnceLock::new();
    COPY.get_or_init(|| {
        let original = Encoding::builtin("r50k_base").expect("a built-in encoding");
        let pattern = format!("(?:{})", original.pattern());
        Encoding::custom("slow", &pattern, ranks(&original)).expect("valid")
    })
}

fn ranks(encoding: &Encoding) -> Vec<(Vec<u8>, u32)> {
    let file = String::from_utf8(encoding.tiktoken_file()).expect("base64 and digits");
    let decoded = |line: &str| {
        let (token, rank) = line.split_once(' ').expect("a token and a rank");
        (from_base64(token), rank.parse().expect("a number"))
    };
    file.lines().map(decoded).collect()
}

fn from_base64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0_u32, 0);
    for letter in text.bytes().filter(|&letter| letter != b'=') {
        let value = LETTERS.iter().position(|&known| known == letter).expect("base64");
        bits = bits << 6 | value as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}
