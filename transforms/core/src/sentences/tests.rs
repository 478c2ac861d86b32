//! What holds for every text, and the golden cases of every rule.

use proptest::prelude::*;

use super::*;

/// The sentences of `text`.
fn split(text: &str) -> Vec<&str> {
    let mut ends = Vec::new();
    sentence_ends(text, &mut ends);
    let mut start = 0;
    ends.into_iter().map(|end| &text[std::mem::replace(&mut start, end)..end]).collect()
}

/// Pieces that the rules care about: put together at random they make texts full of edges.
const PIECES: &[&str] = &[
    "a",
    "The",
    "word",
    "Word",
    "etc",
    "Dr",
    "p",
    "J",
    "U.S",
    "e.g",
    "1",
    "12",
    "3.14",
    "iv",
    "XIV",
    "Mai",
    "der",
    " ",
    " ",
    " ",
    "  ",
    "\u{A0}",
    "\u{3000}",
    "\u{2009}",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\u{2028}",
    "\u{2029}",
    "\u{85}",
    "\t",
    ".",
    ".",
    ".",
    "!",
    "?",
    "…",
    "...",
    ". . .",
    ",",
    ";",
    ":",
    "-",
    "—",
    "(",
    ")",
    "[",
    "]",
    "[1]",
    "[...]",
    "\"",
    "'",
    "“",
    "”",
    "«",
    "»",
    "„",
    "*",
    "_",
    "`",
    "```",
    "~~~",
    "#",
    "# ",
    "|",
    ">",
    "- ",
    "1. ",
    "2) ",
    "a. ",
    "• ",
    "① ",
    "---",
    "。",
    "！",
    "？",
    "．",
    "３",
    "「",
    "」",
    "（",
    "）",
    "、",
    "中",
    "文",
    "の",
    "カ",
    "한",
    "글",
    "।",
    "॥",
    "क",
    "ि",
    "؟",
    "۔",
    "ا",
    "ب",
    "។",
    "។",
    "ខ",
    "။",
    "က",
    "ာ",
    "።",
    "ሀ",
    "։",
    "ա",
    "Ա",
    "α",
    "Ω",
    ";",
    "я",
    "Ж",
    "г",
    "ก",
    "ำ",
    "\u{301}",
    "\u{200D}",
    "\u{200F}",
    "\u{FE0F}",
    "\u{FEFF}",
    "😀",
    "👩",
    "🇩",
    "🇪",
    "\u{600}",
    "Yahoo!",
    "ı",
    "http://a.b/c.d",
];

/// What parts paragraphs, and what makes it seem so.
const PARTS: &[&str] = &[
    "\n\n",
    "\n\n",
    "\r\n\r\n",
    "\n \n",
    "\n\n\n  ",
    "\n\n\u{301}",
    "\n\n \u{301}",
    ".\n\n",
    "\n```\n",
    "\n~~~~\n",
    "\n\n```\na\n\nb. C\n```\n\n",
    "\n\n1. ",
    "\n",
    "\u{2029}",
    "",
];

fn texts() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..60).prop_map(|pieces| pieces.concat())
}

/// A paragraph: no blank line, no fence, no white space at its ends.
fn paragraphs() -> impl Strategy<Value = String> {
    texts().prop_map(|text| {
        let plain = text.replace(['`', '~', '\r', '\u{2029}', '\u{2028}'], "");
        let lines = plain.split('\n').map(str::trim).filter(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join("\n")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sentences_tile_the_text(text in texts()) {
        prop_assert_eq!(split(&text).concat(), text.as_str());
        prop_assert_eq!(split(&text).is_empty(), text.is_empty());
        prop_assert!(split(&text).iter().all(|sentence| !sentence.is_empty()));
    }

    #[test]
    fn arbitrary_characters_are_no_danger(text in "\\PC{0,80}") {
        prop_assert_eq!(split(&text).concat(), text);
    }

    #[test]
    fn every_border_is_one_of_graphemes(text in texts()) {
        let mut ends = Vec::new();
        sentence_ends(&text, &mut ends);
        prop_assert!(ends.iter().all(|&end| is_grapheme_border(&text, end)));
    }

    #[test]
    fn every_sentence_is_visible_and_begins_visibly(text in texts()) {
        let sentences = split(&text);
        if !text.trim().is_empty() {
            prop_assert!(sentences.iter().all(|sentence| !sentence.trim().is_empty()), "{:?}", sentences);
        }
        let later = sentences.iter().skip(1);
        prop_assert!(later.clone().all(|sentence| !sentence.starts_with(char::is_whitespace)), "{:?}", sentences);
    }

    /// The packing relies on it: a tokeniser's piece never holds two such borders.
    #[test]
    fn a_border_without_whitespace_is_followed_by_a_letter(text in texts()) {
        for pair in split(&text).windows(2) {
            let letters = pair[1].trim_start_matches(chars::is_wide_opener);
            let letter = letters.chars().next().is_some_and(|c| chars::begins_word(c) && c.is_alphanumeric());
            prop_assert!(pair[0].ends_with(char::is_whitespace) || letter, "{:?}", pair);
        }
    }

    #[test]
    fn a_paragraph_is_split_alike_wherever_it_stands(before in paragraphs(), text in paragraphs(), after in paragraphs()) {
        let whole = format!("{before}\n\n{text}\n\n{after}");
        let mut expected: Vec<String> = Vec::new();
        for paragraph in [&before, &text, &after] {
            let mut sentences = split(paragraph).into_iter().map(str::to_owned).collect::<Vec<_>>();
            expected.append(&mut sentences);
        }
        let found: Vec<_> = split(&whole).iter().map(|sentence| sentence.trim().to_owned()).collect();
        let expected: Vec<_> = expected.iter().map(|sentence| sentence.trim().to_owned()).collect();
        prop_assert_eq!(found.into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>(), expected);
    }

    /// Paragraphs are passed over where none of their sentences is asked for; no answer may show it.
    #[test]
    fn sentences_on_demand_are_those_of_the_whole_text(
        parts in prop::collection::vec((texts(), prop::sample::select(PARTS)), 0..8),
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..20),
    ) {
        let text: String = parts.iter().flat_map(|(text, part)| [part, text.as_str()]).collect();
        let (mut ends, mut known) = (Vec::new(), KnownEnds::default());
        sentence_ends(&text, &mut ends);
        let mut sentences = Sentences::new(&text, &mut known);
        for (place, is_after) in places {
            let at = place.index(text.len() + 1);
            if is_after && at < text.len() {
                let expected = ends.iter().copied().find(|&end| end > at);
                prop_assert_eq!(Some(sentences.first_after(at)), expected, "after {} of {:?}", at, text);
            } else {
                let expected = ends.iter().copied().rev().find(|&end| end < at);
                prop_assert_eq!(sentences.last_before(at), expected.unwrap_or(0), "before {} of {:?}", at, text);
            }
        }
    }

    #[test]
    fn line_ends_are_alike(text in texts()) {
        let unix = text.replace("\r\n", "\n").replace('\r', "\n");
        for line_end in ["\r\n", "\r"] {
            let other = unix.replace('\n', line_end);
            let sentences: Vec<_> = split(&other).iter().map(|sentence| sentence.replace(line_end, "\n")).collect();
            prop_assert_eq!(sentences, split(&unix));
        }
    }
}

#[test]
fn blank_texts_are_one_sentence() {
    assert_eq!(split(""), [""; 0]);
    assert_eq!(split(" \n\n\t"), [" \n\n\t"]);
    assert_eq!(split("\n\n  Rain.\n\n"), ["\n\n  Rain.\n\n"]);
}

#[test]
fn the_list_of_ends_is_cleared() {
    let mut ends = vec![7, 8, 9];
    sentence_ends("Rain.", &mut ends);
    assert_eq!(ends, [5]);
}

/// Long runs of what the looks around a mark go over. A look without a cap would take minutes here.
#[test]
fn hostile_texts_take_linear_time() {
    let units = [
        ".",
        ". ",
        "A. ",
        "a. ",
        "(",
        ")",
        "\"",
        "? \"",
        "'",
        "“",
        "。「",
        "」。",
        "中文",
        "1. ",
        "1) ",
        "a) x. ",
        "|",
        "`",
        "```\n",
        "```x\n",
        "```x\n\n",
        "\n \n",
        "~",
        "~~~\n",
        "#",
        "# \n",
        "-",
        "- ",
        "-\n",
        "*",
        " ",
        "\n",
        "\r\n",
        "... ",
        "[",
        ". [1]",
        "a. \u{301}",
        "ա:",
        "α;",
        "😀",
        "ıa? a ",
        "U.S. ",
        "\u{200F}",
        "\u{A0}",
        "www.",
    ];
    for unit in units {
        for text in [unit.repeat(1_000_000 / unit.len()), format!("The end.{}", unit.repeat(100_000))] {
            assert_eq!(split(&text).concat().len(), text.len());
            let mut known = KnownEnds::default();
            let mut sentences = Sentences::new(&text, &mut known);
            for at in (0..text.len()).step_by(1000) {
                assert!(sentences.first_after(at) > at && sentences.last_before(at) <= at);
            }
        }
    }
}

/// A case of `tests/data/sentences.jsonl`.
struct Case {
    rule: String,
    text: String,
    sentences: Vec<String>,
}

impl Case {
    fn read(line: &str) -> Self {
        let case: serde_json::Value = serde_json::from_str(line).expect("a line is a JSON object");
        let string = |value: &serde_json::Value| value.as_str().expect("a string").to_owned();
        let sentences = case["sentences"].as_array().expect("a list").iter().map(string).collect();
        Self { rule: string(&case["rule"]), text: string(&case["text"]), sentences }
    }
}

/// Cases of every rule by its name; tests in other languages read the same file.
#[test]
fn golden_cases() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/sentences.jsonl");
    let file = std::fs::read_to_string(path).expect("the golden cases are in the repository");
    let cases: Vec<_> = file.lines().map(Case::read).collect();
    for Case { rule, text, sentences } in &cases {
        assert_eq!(&split(text), sentences, "{rule}");
    }
    for rule in rules::names() {
        assert!(cases.iter().any(|case| case.rule == rule), "no case for the rule {rule}");
    }
}
