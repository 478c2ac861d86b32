"""Faults that users of other splitters reported, each as a document that brings it about.

All of them are put to every check of `guarantees`; a case with a promise of its own has a test below.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest

import guarantees
import reference
import tokenchunk as tc
from hard_texts import WHITE_SPACE, base64_text, json_text
from judge import Limits, contents, document, encoding, rows


def numbered(sentence: str, count: int, gap: str = " ") -> str:
    return gap.join(sentence.format(number) for number in range(count))


def letters(count: int) -> str:
    """Letters without a pattern, as in a protein or a key."""
    source = random.Random(count)
    return "".join(source.choices("ACDEFGHIKLMNPQRSTVWY", k=count))


CASES: dict[str, str] = {
    "no blank line in a page": numbered("Pump {0} was read at noon and gave {0}7 litres.", 40),
    "one line far over the limit": "Short start.\n" + "value;" * 200 + "\nShort end.",
    "tables and part codes": numbered("| {0} | AX-{0}9/7 | 1,{0}00.5 |", 30, "\n"),
    "dot leaders": numbered("Chapter {0} " + "." * 40 + " {0}1", 12, "\n"),
    "chemical names": "2-[(4-chlorophenyl)(pyridin-2-yl)methoxy]-N,N-dimethylethanamine " * 8,
    "short sentence before a long one": "Mind this. The " + numbered("part{0}", 150) + ". Done now.",
    "a long one at the very end": "It starts well enough here. " + letters(600),
    "steps": numbered("{0}. Turn knob {0}; wait, then press the key.", 25, "\n"),
    "sections": numbered("Part {0}\nThis part reads files.\n\nMore\nIt cuts them.", 12, "\n\n"),
    "letters without a pattern": letters(900),
    "base64": base64_text(900),
    "one line of JSON": json_text(900),
    "umlauts and emoji without a space": "äöüß€😀" * 60,
    "curly quotes and dashes": "“Quoted” — café €5; naïve 𝑥². Plain words follow here. " * 12,
    "a byte order mark": "\ufeffFirst line of it.\nSecond line of it." * 8,
    "nul": "Alpha\x00beta goes on. Next\x00 sentence is this. " * 8,
    "joiners that forbid a break": "never\u2060break " * 40,
    "zero width spaces": "may\u200bbreak" * 40,
    "direction marks": "\u202eright\u202c to left. " * 15,
    "control characters": "\x0b\x0c\x1c\x85 text. " * 20,
    "Chinese": "他说：“我们明天走。”大家都同意了！真的吗？好；就这样……" * 6,
    "Chinese without marks": "他们没有使用任何标点符号一直写" * 12,
    "Japanese": "値は３．１４です。「次です。」と言った。" * 8,
    "Thai": "วันนี้อากาศดีมากเราไปเที่ยวทะเลกัน" * 8,
    "Hindi": "यह पहला वाक्य है। यह दूसरा है॥ " * 10,
    "Arabic": "كيف حالك؟ أنا بخير، شكرا؛ وأنت؟ " * 10,
    "Markdown": numbered("## Heading {0}\n\n- item\n    - nested\n\n```py\nif x:\n\treturn {0}\n```", 8, "\n\n"),
    "gaps": numbered("w{0}", 50) + "\n\n\n\n" + numbered("v{0}", 50) + "\n \t\n\u3000\n" + numbered("u{0}", 50),
    "double spaces": "foo  bar   baz    " * 25,
    "one sentence again and again": "This is a test, please be kind. " * 25,
    "short words": "I am at a to be or no it is so up we go " * 12,
    "special tokens": "The mark <|endoftext|> ends a text. " * 8 + "<|fim_prefix|>a<|fim_middle|>" * 5,
    "only marks": "。\n.\n \n" + numbered("x{0}", 40),
    "headings as crumbs": numbered("Title {0}\n\n" + "Body text goes on here. " * 6, 6, "\n\n"),
    "letters of no block": "\U00010940\U00016ea0\U0001e6c0 " * 20,
}
CONFIGURATIONS = (
    ("cl100k_base", Limits(5)),
    ("o200k_base", Limits(16)),
    ("cl100k_base", Limits(20, 4, "both")),
    ("o200k_base", Limits(24, 9, "before")),
    ("r50k_base", Limits(48)),
)


@pytest.mark.parametrize(("name", "limits"), CONFIGURATIONS, ids=str)
@pytest.mark.parametrize("text", CASES.values(), ids=CASES.keys())
def test_every_guarantee_holds(text: str, name: str, limits: Limits) -> None:
    doc = document(text, name)
    cores = reference.pack(doc, limits.max_tokens, limits.overlap, limits.reserved_after)
    assert guarantees.violations(doc, rows(text, limits, name), cores, *limits) == []


def ends(text: str, limits: Limits) -> list[str]:
    return [row.content[-1] for row in rows(text, limits)[:-1]]


def test_no_chunk_of_overlap_alone_at_the_end() -> None:
    for words in range(1, 40):
        found = rows(" ".join(["a"] * words), Limits(8, 3, "before"))
        assert all(after.char_end > before.char_end for before, after in itertools.pairwise(found))


def test_overlap_is_in_tokens_and_there_without_any_separator() -> None:
    judge = encoding("cl100k_base")
    for text in (letters(600), CASES["Chinese without marks"]):
        found = rows(text, Limits(40, 8, "before"))
        shared = [text[after.char_start : before.char_end] for before, after in itertools.pairwise(found)]
        assert shared
        assert all(4 <= len(judge.encode_ordinary(piece)) <= 8 for piece in shared)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_system_end_a_paragraph(line_end: str) -> None:
    paragraphs = [f"Paragraph {number} has some words" for number in range(12)]
    found = rows((line_end * 2).join(paragraphs), Limits(7))
    assert contents(found) == paragraphs


@pytest.mark.parametrize(
    ("case", "marks"), [("Chinese", "。！？…”；"), ("Japanese", "。」"), ("Hindi", "।॥"), ("Arabic", "؟؛")]
)
def test_sentence_marks_of_other_scripts(case: str, marks: str) -> None:
    assert set(ends(CASES[case], Limits(64))) <= set(marks)


def test_words_stay_whole_where_they_fit() -> None:
    words = "alpha beta gamma delta " * 60
    found = rows(words.strip(), Limits(16))
    assert {word for row in found for word in row.content.split(" ")} == {"alpha", "beta", "gamma", "delta"}


def test_no_break_beside_a_word_joiner_while_spaces_are_left() -> None:
    found = rows(CASES["joiners that forbid a break"], Limits(12))
    assert all(content.startswith("never\u2060") for content in contents(found))


def test_nothing_is_cleaned_away() -> None:
    text = "# Guide\n\n- one\n    - nested\n\n~~~\n\tcode\u00a01,   # two  spaces\n~~~\n\nText  with  double  spaces."
    assert contents(rows("\n" + text + "\n", Limits(200))) == [text]


def test_special_tokens_are_text() -> None:
    judge = encoding("cl100k_base")
    found = rows("<|endoftext|>" * 20, Limits(16))
    assert len(found) > 1
    assert [row.token_count for row in found] == [len(judge.encode_ordinary(row.content)) for row in found]


def test_the_encoding_asked_for_is_the_one_that_counts() -> None:
    text = "Привет мир. こんにちは世界。 Hello world. 안녕하세요 세계. नमस्ते दुनिया। " * 8
    by_encoding = {name: rows(text, Limits(32), name) for name in ("cl100k_base", "o200k_base")}
    assert len(by_encoding["cl100k_base"]) > len(by_encoding["o200k_base"])


def test_chunks_are_filled() -> None:
    found = rows(numbered("Unit {0} is set to run now.", 400), Limits(128))
    inner = [row.token_count for row in found[1:-1]]
    assert sum(inner) / len(inner) > 0.9 * 128


@pytest.mark.parametrize("text", ["", " \n\t\u00a0\r\n", WHITE_SPACE * 9])
def test_blank_documents_have_no_chunks(text: str) -> None:
    assert rows(text, Limits(4)) == []


def test_documents_do_not_mix() -> None:
    texts = ["Alpha one. Alpha two.", "Beta one. Beta two.", "", None, "Eps"] * 3
    found = tc.Chunker(max_tokens=64, overlap=8).chunk_many(texts)
    assert [[chunk.content for chunk in chunks] for chunks in found] == [[text] if text else [] for text in texts]


GIANTS: dict[str, Callable[[int], str]] = {
    "one letter": lambda size: "a" * size,
    "spaces": lambda size: "x" + " " * size + "y",
    "underscores": lambda size: "_" * size,
    "tiny sentences": lambda size: "Go. " * (size // 4),
    "lines with one blank line at the end": lambda size: "The old sailor told a story\n" * (size // 28) + "\nEND",
}


@pytest.mark.parametrize("make", GIANTS.values(), ids=GIANTS.keys())
def test_giants_pass(make: Callable[[int], str]) -> None:
    """Quadratic work would take hours here; that it is linear is counted in the core's own tests."""
    text = make(200_000)
    found = rows(text, Limits(512, 64))
    assert all(row.token_count <= 512 and text[row.char_start : row.char_end] == row.content for row in found)
