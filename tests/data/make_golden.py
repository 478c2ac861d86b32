"""Writes chunks.jsonl and counts.jsonl: what tiktoken and the reference say, for the tests of every language.

The sentences are written out by hand here, so that the vectors depend on nothing that they test. Run it after a change
of the rules: `PYTHONPATH=tests python tests/data/make_golden.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import reference
from hard_texts import ONE_OFF
from judge import Limits, encoding

HERE = Path(__file__).parent
NAMES = ("cl100k_base", "o200k_base", "o200k_harmony", "p50k_base", "p50k_edit", "r50k_base", "gpt2")
LIMITS = (
    Limits(4),
    Limits(12),
    Limits(40),
    Limits(14, 4, "before"),
    Limits(24, 4, "both"),
    Limits(40, 12, "both"),
)
# Each a document as its sentences.
DOCUMENTS: list[list[str]] = [
    [""],
    [" \n\u3000\t"],
    ["One short line"],
    ["The pump moved three litres. ", "Then it stopped without a sound. ", "Nobody in the room knew why."],
    ["The harbour was quiet. ", "A boat came in late! ", "Who was on board? ", "Only the old dog, it seemed."],
    ["  Leading space stays out. ", "So does what trails.  \n\n"],
    ["Windows ends its lines.\r\n\r\n", "Both ways of it count.\r\n\r\n", "Here is the last one."],
    ["Old line ends were lone.\r\r", "They still end a paragraph.\r\r", "This is the end."],
    ["Line one of a long sentence\nline two of it\nline three of it\nline four of it goes on and on without a stop"],
    ["A list of words, of clauses; of things: all in one sentence, which is long, very long; so it is cut, somewhere"],
    ['He said "yes," and left, then (a while,) came back; the price was 1,000,000 at 12:30, so they say: maybe'],
    ["word " * 40 + "word"],
    ["never\u00a0break\u00a0here " * 12 + "end"],
    ["may\u200bbreak" * 20],
    ["a" * 120],
    ["1234567890" * 12],
    ["x" + "'s" * 60],
    ["-" * 200 + "=" * 120],
    ["a\u0301" + "\u0300\u0302" * 40 + "b"],
    ["e\u0301" * 60],
    ["👩\u200d💻👨\u200d👩\u200d👧\u200d👦👍🏽❤\ufe0f" * 5],
    ["🇩🇪🇫🇷🇺🇳🇯🇵" * 6],
    ["क्षत्रिय और ज्ञान की बात है। ", "यह दूसरा वाक्य यहाँ है। ", "अंत में तीसरा वाक्य है।"],
    ["สวัสดีครับวันนี้อากาศดีมากเราจะไปเที่ยวทะเลกันไหมครับ" * 2],
    ["他们明天早上就要出发了。", "大家都同意这个计划！", "真的没有问题吗？", "那就这样决定了。"],
    ["今天天气很好，我们去公园；明天下雨，我们在家：后天再说，好不好，大家一起去吧，一定很好玩"],
    ["値は三つあります。", "次の行も読みます。", "これで終わりです。"],
    ["没有标点的中文长文本一直写下去不停止" * 5],
    ["한국어 문장은 띄어쓰기가 있습니다. ", "두 번째 문장도 있습니다. ", "마지막 문장입니다."],
    ["كيف حالك اليوم يا صديقي؟ ", "أنا بخير، شكرا لك على السؤال؛ وأنت؟"],
    ["שלום עולם זה משפט ראשון. ", "זה משפט שני כאן."],
    ["Это первое предложение здесь. ", "Это второе, немного длиннее первого. ", "Конец текста."],
    ['{"id":1,"name":"row one","tags":["x","y:z"],"ok":true},{"id":2,"name":"row two","tags":[],"ok":false}'],
    ["TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsuTWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsuTWFueSBoYW5kcyBtYWtlIGxpZ2h0"],
    ["https://example.com/a/b?c=d&e=f#g,https://example.com/h/i?j=k&l=m#n,https://example.com/o/p?q=r&s=t#u"],
    ["<|endoftext|>" * 9],
    ["The mark <|endoftext|> ends a text here. ", "Another <|fim_prefix|> stands in this one."],
    ["Nul\x00 and \x1c stay, \ufeff and \u2060 too, as they are in the text, and \x1f at the end \x1f"],
    ["a" + " " * 90 + "b" + "\n" * 40, "c"],
    ["\U00010940\U00016ea0\u0378 ſ 'ſ K Ⅷ ½ ٣ ０ ǅ ʰ ª — new letters, old letters, and marks \u1ab0\u20dd here"],
    ["\u0600" * 12 + "1 and \u06dd2 are prepended"],
]


def chunk_vectors() -> Iterator[dict[str, Any]]:
    for number, sentences in enumerate(DOCUMENTS):
        text, ends = "".join(sentences), list(accumulate(map(len, sentences)))
        for shift, limits in enumerate(LIMITS):
            name = NAMES[(number + shift) % len(NAMES)]
            rows = reference.chunk(text, ends, encoding(name), *limits)
            chunks = [[row.token_count, row.char_start, row.char_end] for row in rows]
            yield {"text": text, "encoding": name, **limits._asdict(), "chunks": chunks}


def count_vectors() -> Iterator[dict[str, Any]]:
    for text in [*map("".join, DOCUMENTS), *ONE_OFF]:
        yield {"text": text, "counts": {name: len(encoding(name).encode_ordinary(text)) for name in NAMES}}


def write(name: str, vectors: Iterable[dict[str, Any]]) -> None:
    lines = [json.dumps(vector, ensure_ascii=True) + "\n" for vector in vectors]
    (HERE / name).write_text("".join(lines), encoding="ascii")


if __name__ == "__main__":
    write("chunks.jsonl", chunk_vectors())
    write("counts.jsonl", count_vectors())
