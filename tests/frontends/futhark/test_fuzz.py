"""Wrong Futhark texts: whatever is read, the answer is a tree or a SourceError, and soon.

The texts are the repository's own programs and the table of tests/frontends/futhark/test_parser.py,
damaged.  A tree that comes out in spite of the damage must still be one that can be printed and
read back.
"""

import random
import time

import pytest

from funmem.frontends.futhark.lexer import RESERVED
from funmem.frontends.futhark.parser import parse
from funmem.frontends.futhark.show import show
from funmem.ir.diagnostics import SourceError
from tests.frontends.futhark.test_parser import (
    ATOMS,
    COMPREHENSIONS,
    FILES,
    FORMS,
    OPERATORS,
    TYPES,
)
from tests.ir.text.test_text_fuzz import CHARACTERS, MUTATIONS, TOKEN
from tests.support.futhark_trees import difference
from tests.support.paths import ROOT
from tests.support.sampling import sampled

SPLICES = [*sorted(RESERVED), "in", "let", "<-", "|", "..", "...", "#[", "#c", "`f`", "'", "???"]
SPLICES += [
    "(" * 300,
    "[" * 300,
    '"',
    '"\\',
    "--",
    "'\\",
    "`",
    "9" * 5_000,
    "1e",
    "0x1.8p",
    "x." * 99,
]
SPLICES += ["group by", "order by", "into x =", ":>", "with [0] =", "\\x ->", "?[n].", "-", "!"]
TIMES = 5_000
PARTS = 10
LONGEST = 3_000
"""Characters of a seed: short texts are read fast, and every construct stands in a short one."""


def seeds() -> list[str]:
    made = [f"def x =\n  {t}\n" for t in (*OPERATORS, *ATOMS, *FORMS, *COMPREHENSIONS)]
    made += [f"type t = {t}\n" for t in TYPES]
    made += [f"{t}\n" for t in FILES if t]
    for folder in ("tests/programs", "papers"):
        for path in sorted(ROOT.glob(f"{folder}/**/*.fut")):
            text = path.read_text(encoding="utf-8")
            made.append(text[-LONGEST:].partition("\n")[2] if len(text) > LONGEST else text)
    return made


def damaged(r: random.Random, text: str) -> str:
    tokens = TOKEN.findall(text)
    for _ in range(r.randrange(1, 4)):
        if not tokens:
            break
        if r.random() < 0.2:
            tokens.insert(r.randrange(len(tokens) + 1), f" {r.choice(SPLICES)} ")
        else:
            r.choice(MUTATIONS)(r, tokens)
    return "".join(tokens)


def noise(r: random.Random) -> str:
    if r.random() < 0.5:
        return "".join(r.choices(CHARACTERS, k=r.randrange(80)))
    words = [*SPLICES, *"()[]{}:,=+-*<>.|", "x", "0", "1.5", '"s"', "'c'", "->", "i64", "in"]
    return "def f = " + " ".join(r.choices(words, k=r.randrange(40)))


def read(text: str) -> bool:
    """Whether the text is a program.  Raises whatever else went wrong."""
    start = time.process_time()
    try:
        file = parse(text, "fuzz.fut")
    except SourceError as error:
        d = error.diagnostic
        assert d.code in ("syntax", "not-supported")
        assert d.message
        rows = text.split("\n")
        assert 1 <= d.at.line <= len(rows)
        assert 1 <= d.at.col < d.at.end <= len(rows[d.at.line - 1]) + 2
        d.render(text)
        return False
    finally:
        assert time.process_time() - start < 2
    printed = show(file)
    assert difference(parse(printed, "shown.fut"), file) is None, printed
    return True


@pytest.mark.parametrize("part", sampled(range(PARTS), PARTS))
def test_damaged_texts(part: int) -> None:
    r = random.Random(part)
    texts = seeds()
    outcomes = [
        read(noise(r) if r.random() < 0.1 else damaged(r, r.choice(texts)))
        for _ in range(TIMES // PARTS)
    ]
    assert 0.02 < sum(outcomes) / len(outcomes) < 0.6


def test_every_prefix() -> None:
    """A text that breaks off, at every place."""
    text = "\n".join([f"def x = {t}" for t in (*FORMS, *COMPREHENSIONS)][::3] + [*FILES][:12])
    for end in range(max(0, len(text) - 200), len(text) + 1):
        read(text[:end])
