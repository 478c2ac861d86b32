"""Text that tokenisers and splitters get wrong, to draw examples from."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import random

from hypothesis import strategies as st

EXAMPLES = int(os.environ.get("TOKENCHUNK_EXAMPLES", "60"))
"""Examples for each property; more for a thorough run."""

WHITE_SPACE = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
ALPHABETS: dict[str, list[str]] = {
    "line ends": ["\r", "\n", "\r\n", "\n\r", "\x0b", "\x0c", "\x85", "\u2028", "a", ".", " "],
    "white space": [*WHITE_SPACE, "\x1c", "\x1f", "\u180e", "\u200b", "\ufeff", "\u2060", "a", "b.", "C"],
    "white space before marks": [" ", "\n", "\t", "\u0301", "\u200d", "\u0600", "a", "B", ".", "\u3000"],
    "digits": ["1", "12", "123", "1234567", "½", "Ⅷ", "٣", "٤٥", "０", "१", "𝟗", ".", ",", " ", ":"],
    "contractions": ["x's's's", "'s", "'S", "'ſ", "'ll", "'LL", "'ve", "'Re", "'t", "'", "’s", "ſ", "a", "Z", " ", "!"],
    "letter case": ["a", "B", "cD", "ǅ", "ʰ", "ª", "א", "中", "\u0301", "ß", "ſ", "ı", "İ", "Ж", "щ", " "],
    "words": [
        "the",
        " The",
        " quick",
        " WORD",
        ", ",
        ". ",
        "! ",
        "? ",
        "; ",
        ": ",
        "Dr. ",
        " 3.14 ",
        "\n\n",
        "\n- ",
        "(",
        ") ",
        '"',
    ],
    "clauses": [
        "one",
        "two",
        ",",
        ";",
        ":",
        ", ",
        "; ",
        ": ",
        '," ',
        ",) ",
        "1,000",
        "12:30",
        "，",
        "、",
        "،",
        "՝",
        " ",
        "'",
    ],
    "marks": [
        "e\u0301",
        "\u0301",
        "\u0300\u0301\u0302",
        "\u0940",
        "\u20dd",
        "a",
        " ",
        "\u200d",
        "\ufe0f",
        "\u034f",
        ".",
        ",",
    ],
    "giant clusters": ["a", "\u0301" * 3, "\u0334\u0489", "\u0338" * 9, " ", "x.", "\u200d", "\u0e4d" * 5, "👩"],
    "emoji": [
        "👩\u200d💻",
        "👨\u200d👩\u200d👧\u200d👦",
        "👍🏽",
        "❤\ufe0f",
        "1\ufe0f\u20e3",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
        "😀",
        " ",
        ".",
        "\u200d",
        "ok",
    ],
    "flags": ["🇩🇪", "🇫🇷", "🇯", "🇺🇳", " ", "a", "."],
    "prepend": ["\u0600", "\u06dd", "\u0d4e", "\U000110bd", "\U00011f02", " ", "1", "\n", "a", ".", "\u0301"],
    "jamo": ["ᄀ", "ᅡ", "ᆨ", "각", "가", "한국", "어", " ", ".", "다. ", "\ud7b0", "\ua960"],
    "Thai": ["สวัสดี", "ครับ", "ก", "้", "ำ", "เ", "า", " ", "ฯ", "\u200b", "๑๒"],
    "Devanagari": ["क", "्", "ष", "ि", "क्षि", "र्", "\u200d", "\u200c", "।", "॥", " ", "यह ", "नमस्ते"],
    "Indic": ["ক্ষ", "క్ష", "ക്ഷ", "മ്", "\u0d4e", "ം", " ", "।", "ೋ", "ශ්‍රී", "က္က", "។", "ខ្មែរ", "\u17d2"],
    "Chinese": [
        "他说",
        "：",
        "“",
        "我们",
        "。",
        "”",
        "！",
        "？",
        "，",
        "、",
        "……",
        "（",
        "）",
        "3．14",
        "中",
        " ",
        "\u3000",
        "abc",
    ],
    "Japanese": ["値は", "です", "。", "「", "」", "と", "カタ", "ー", "ッ", "ｶﾞ", "が", "か\u3099", "、", "！？", " "],
    "no marks": ["中文", "没有", "标点", "的", "长", "文本", "ひらがな", "龘", "𠀋", "한글"],
    "right to left": [
        "שלום",
        "עולם",
        "مرحبا",
        "بالعالم",
        "؟",
        "،",
        "؛",
        "۔",
        " ",
        "\u200f",
        "\u202e",
        "ـ",
        "َ",
        "١٢",
        ".",
    ],
    "after Unicode 16": [
        "\U00010940",
        "\U00016ea0",
        "\U0001e6c0",
        "\U0001e6e3",
        "\u0378",
        "\u1add",
        "\U000323b0",
        "a",
        "1",
        " ",
        ".",
    ],
    "special tokens": ["<|endoftext|>", "<|fim_prefix|>", "<|im_start|>", "<|", "|>", "endoftext", "<s>", " ", "a. "],
    "code": [
        "def f(x):\n",
        "    return ",
        "\t",
        "{",
        "}",
        "();",
        "==",
        "!=",
        "//",
        "/*",
        "*/",
        "\n\n",
        "_",
        "->",
        "x",
        "0x1F",
        "#",
        "\\",
    ],
    "markup": [
        "| a ",
        "|",
        "---|",
        "\n",
        "# ",
        "- ",
        "1. ",
        "```",
        "**b**",
        "[x](http://a.b/c?d=e&f)",
        "<p>",
        "&amp;",
        " ",
        "text",
    ],
    "urls": ["https://", "example.com", "/a/b", "?q=", "&", "%20", "#x", ",", ";", "\n", " ", "www.", "@", "_-_"],
    "control": [
        "\x00",
        "\x01",
        "\x1b[0m",
        "\x7f",
        "\u00ad",
        "\u2060",
        "\ufeff",
        "\ufffd",
        "\ufffe",
        "\U0010ffff",
        "a",
        " ",
        ".",
    ],
    "runs": [
        "a" * 40,
        "-" * 30,
        "=" * 70,
        " " * 30,
        "\n" * 9,
        "." * 20,
        "0" * 25,
        "~" * 45,
        "_" * 17,
        "ab" * 20,
        ".)))",
        "x",
    ],
}


def base64_text(length: int) -> str:
    digest = b"".join(hashlib.sha256(bytes([n % 256])).digest() for n in range(length // 32 + 1))
    return base64.b64encode(digest).decode()[:length]


def json_text(length: int) -> str:
    rows = [{"id": n, "name": f"row {n}", "tags": ["x", "y:z"], "ok": n % 2 == 0} for n in range(length // 40 + 1)]
    return json.dumps(rows, separators=(",", ":"))[:length]


ONE_OFF: list[str] = [
    base64_text(400),
    json_text(500),
    "a\u0301" + "\u0300" * 150 + " b. Next one here.",
    "\u0600" * 60 + "1. Prepended.",
    "a" + " " * 400 + "b" + "\n" * 300 + "c",
    "क्" * 80 + "ष",
    "👩\u200d" * 60 + "👩",
    "🇩🇪" * 50,
    "x's" * 120,
    "1234567" * 60,
    "ſ" * 100 + "'ſ" * 60,
    "| cell | cell |\n|---|---|\n" + "| 1,5 | 2;6 |\n" * 30,
    "<|endoftext|>" * 40,
    "。" * 150,
    "Go. " * 150,
    "wait" + "," * 200,
    ".)))" * 100,
]


def random_text(source: random.Random) -> str:
    """A text of a few hundred characters from one hard alphabet or two, now and then with a one-off inside."""
    names = source.sample(sorted(ALPHABETS), source.choice([1, 1, 2, 3]))
    atoms = [atom for name in names for atom in ALPHABETS[name]]
    atoms = source.sample(atoms, source.randint(1, len(atoms)))
    text = "".join(source.choice(atoms) for _ in range(source.choice([3, 10, 30, 80, 150])))
    if source.random() < 0.15:
        place = source.randrange(len(text) + 1)
        text = text[:place] + source.choice(ONE_OFF) + text[place:]
    return text


@st.composite
def hard_texts(draw: st.DrawFn, longest: int = 80) -> str:
    """Texts from one hard alphabet or two, or of any characters at all."""
    names = draw(st.lists(st.sampled_from(sorted(ALPHABETS)), min_size=1, max_size=2))
    atoms = [atom for name in names for atom in ALPHABETS[name]]
    pieces = st.one_of(st.sampled_from(atoms), st.sampled_from(atoms), st.characters(exclude_categories=["Cs"]))
    hard = st.lists(pieces, max_size=longest).map("".join)
    return draw(st.one_of(hard, hard, hard, st.sampled_from(ONE_OFF), st.text(max_size=longest)))
