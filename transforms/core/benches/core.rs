//! The core's stages by themselves, on words of several scripts: `cargo bench --package tokenchunk-core`.
//!
//! Figures move with the machine; compare two of one run. For whole corpora beside the peers see `benchmarks/`.

use divan::{Bencher, black_box, counter::BytesCount};
use tokenchunk_core::{Chunker, Config, Encoding, OverlapSide, Workspace, sentence_ends};

const SCRIPTS: [&str; 4] = ["latin", "cyrillic", "han", "devanagari"];
const TEXT_BYTES: usize = 1 << 18;

fn main() {
    divan::main();
}

/// Scanning and looking up: every piece has been seen.
#[divan::bench(args = SCRIPTS)]
fn count_seen(bencher: Bencher, script: &str) {
    let (encoding, text) = (encoding(), text(script));
    let mut workspace = Workspace::new(&encoding);
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| encoding.count(black_box(&text), &mut workspace));
}

/// The same with nothing but the vocabulary in the cache: what is no token is merged.
#[divan::bench(args = SCRIPTS)]
fn count_unseen(bencher: Bencher, script: &str) {
    let (encoding, text) = (encoding(), text(script));
    bencher
        .counter(BytesCount::of_str(&text))
        .with_inputs(|| Workspace::new(&encoding))
        .bench_local_refs(|workspace| encoding.count(black_box(&text), workspace));
}

/// One piece without end: merging by the queue.
#[divan::bench(args = ["a", "ab", "中", "-"])]
fn merge(bencher: Bencher, unit: &str) {
    let (encoding, text) = (encoding(), unit.repeat((1 << 14) / unit.len()));
    let mut workspace = Workspace::new(&encoding);
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| encoding.count(black_box(&text), &mut workspace));
}

#[divan::bench(args = SCRIPTS)]
fn sentences(bencher: Bencher, script: &str) {
    let (text, mut ends) = (text(script), Vec::new());
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| sentence_ends(black_box(&text), &mut ends));
}

/// From end to end; what it takes more than counting and sentences is packing, and overlap where there is any.
#[divan::bench(args = SCRIPTS, consts = [0, 102])]
fn chunk<const OVERLAP: usize>(bencher: Bencher, script: &str) {
    let (encoding, text) = (encoding(), text(script));
    let config = Config::new(512, OVERLAP, OverlapSide::Both).expect("valid limits");
    let chunker = Chunker::new(encoding.clone(), config);
    let (mut workspace, mut chunks) = (Workspace::new(&encoding), Vec::new());
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| chunker.chunk(black_box(&text), &mut workspace, &mut chunks));
}

fn encoding() -> Encoding {
    Encoding::builtin("cl100k_base").expect("a built-in encoding")
}

/// Sentences of words drawn by chance, the same in every run.
fn text(script: &str) -> String {
    let (words, space, stop) = match script {
        "latin" => (LATIN, " ", ". "),
        "cyrillic" => (CYRILLIC, " ", ". "),
        "han" => (HAN, "", "。"),
        _ => (DEVANAGARI, " ", "। "),
    };
    let mut state = 1_u64;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    let mut text = String::new();
    while text.len() < TEXT_BYTES {
        let sentence: Vec<_> = (0..6 + below(12)).map(|_| words[below(words.len())]).collect();
        text += &sentence.join(space);
        text += if below(6) == 0 { "\n\n" } else { stop };
    }
    text
}

const LATIN: &[&str] = &[
    "The",
    "harbour",
    "was",
    "quiet",
    "and",
    "nobody",
    "on",
    "the",
    "pier",
    "could",
    "tell",
    "whether",
    "ships",
    "would",
    "return",
    "before",
    "midnight,",
    "although",
    "lanterns",
    "burned",
    "in",
    "twelve",
    "windows",
    "above",
];
const CYRILLIC: &[&str] = &[
    "Гавань",
    "была",
    "тихой",
    "и",
    "никто",
    "на",
    "причале",
    "не",
    "знал,",
    "вернутся",
    "ли",
    "корабли",
    "до",
    "полуночи",
    "хотя",
    "фонари",
    "горели",
    "в",
    "двенадцати",
    "окнах",
    "над",
    "водой",
];
const HAN: &[&str] = &[
    "港口",
    "很",
    "安静，",
    "码头",
    "上",
    "没有",
    "人",
    "知道",
    "船只",
    "会不会",
    "在",
    "午夜",
    "之前",
    "回来",
    "虽然",
    "灯笼",
    "还",
    "亮着",
    "十二",
    "扇",
    "窗户",
    "里面",
];
const DEVANAGARI: &[&str] = &[
    "बंदरगाह",
    "शांत",
    "था",
    "और",
    "घाट",
    "पर",
    "कोई",
    "नहीं",
    "जानता",
    "कि",
    "जहाज़",
    "आधी",
    "रात",
    "से",
    "पहले",
    "लौटेंगे",
    "या",
    "नहीं",
    "हालाँकि",
    "लालटेनें",
    "जल",
    "रही",
    "थीं",
];
