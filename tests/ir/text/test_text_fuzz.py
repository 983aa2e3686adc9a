"""Wrong texts: whatever is read, the answer is a program or a SourceError, and soon.

The texts are those of tests/texts/ and the examples, damaged.  A program that comes out in spite
of the damage must still be one that can be printed and read back.
"""

import random
import re
import time
from collections.abc import Callable

import pytest

from funmem.ir.diagnostics import SourceError
from funmem.ir.fun import Ann, Program
from funmem.ir.imp import ImpProgram
from funmem.ir.text import RESERVED, parse_fun, parse_imp, show
from tests.support.paths import ROOT
from tests.support.sampling import sampled

FILES = sorted(
    p
    for folder in ("tests/texts", "examples", "papers/funmem")
    for p in (ROOT / folder).iterdir()
    if p.suffix in (".fun", ".funmem", ".imp")
)
TOKEN = re.compile(r"""[A-Za-z_0-9.']+|"[^"\n]*"|[^\sA-Za-z_0-9"]|"|\s+""")
CHARACTERS = (
    "\0\t\r\n \"\\'(){}[]:;,.@*+-/%<>=!~&|^_09aefinux#$?`\x1b\x7f\x85\xa0éßλ→≤∀\u0301\u200b"
)
CHARACTERS += "\u202e\u2028\ufeff\ud800\uffff٣𝟙😀\U0010ffff"
SPLICES = [*sorted(RESERVED), '"', '"\\', "--", "(" * 300, "in (x)", "9" * 5_000, "1e", "x." * 50]
TIMES = 5_000
PARTS = 10

Mutation = Callable[[random.Random, list[str]], None]

# ---------------------------------------------------------------------- damage


def delete(r: random.Random, tokens: list[str]) -> None:
    del tokens[r.randrange(len(tokens))]


def delete_run(r: random.Random, tokens: list[str]) -> None:
    start = r.randrange(len(tokens))
    del tokens[start : start + r.randrange(1, 30)]


def duplicate(r: random.Random, tokens: list[str]) -> None:
    start = r.randrange(len(tokens))
    tokens[start:start] = tokens[start : start + r.randrange(1, 6)]


def swap(r: random.Random, tokens: list[str]) -> None:
    i, k = r.randrange(len(tokens)), r.randrange(len(tokens))
    tokens[i], tokens[k] = tokens[k], tokens[i]


def splice(r: random.Random, tokens: list[str]) -> None:
    tokens.insert(r.randrange(len(tokens) + 1), f" {r.choice(SPLICES)} ")


def flip(r: random.Random, tokens: list[str]) -> None:
    """Another character in place of one, or inserted."""
    k = r.randrange(len(tokens))
    token = tokens[k]
    i = r.randrange(len(token) + 1)
    tokens[k] = token[:i] + r.choice(CHARACTERS) + token[i + r.randrange(2) :]


def truncate(r: random.Random, tokens: list[str]) -> None:
    del tokens[r.randrange(len(tokens)) :]


MUTATIONS: tuple[Mutation, ...] = (
    delete,
    delete_run,
    duplicate,
    duplicate,
    swap,
    splice,
    flip,
    flip,
    truncate,
)


def entry(r: random.Random, text: str) -> str:
    """One entry of a text: short texts are read fast."""
    return "entry " + r.choice(re.split(r"^entry ", text, flags=re.MULTILINE)[1:])


def damaged(r: random.Random, text: str) -> str:
    tokens = TOKEN.findall(entry(r, text))
    for _ in range(r.randrange(1, 4)):
        if tokens:
            r.choice(MUTATIONS)(r, tokens)
    return "".join(tokens)


def noise(r: random.Random) -> str:
    if r.random() < 0.5:
        return "".join(r.choices(CHARACTERS, k=r.randrange(80)))
    words = [*sorted(RESERVED), *"()[]{}:,=+-*<>\\@", "x", "0", '"s"', "->", "i64", "in", "let"]
    return "entry f -> = " + " ".join(r.choices(words, k=r.randrange(40)))


# ---------------------------------------------------------------------- the check


def read(text: str, parse: Callable[[str], Program[Ann] | ImpProgram]) -> bool:
    """Whether the text is a program.  Raises whatever else went wrong."""
    start = time.process_time()
    try:
        program = parse(text)
    except SourceError as error:
        d = error.diagnostic
        assert (d.code, bool(d.message)) == ("syntax", True)
        rows = text.split("\n")
        assert 1 <= d.at.line <= len(rows)
        assert 1 <= d.at.col < d.at.end <= len(rows[d.at.line - 1]) + 2
        return False
    finally:
        assert time.process_time() - start < 2
    printed = show(program)
    assert parse(printed) == program
    return True


@pytest.mark.parametrize("part", sampled(range(PARTS), PARTS))
def test_damaged_texts(part: int) -> None:
    r = random.Random(part)
    texts = [(p.read_text(encoding="utf-8"), p.suffix == ".imp") for p in FILES]
    outcomes = []
    for _ in range(TIMES // PARTS):
        text, is_imp = r.choice(texts)
        text = noise(r) if r.random() < 0.1 else damaged(r, text)
        outcomes.append(read(text, parse_imp if is_imp else parse_fun))
    assert 0.01 < sum(outcomes) / len(outcomes) < 0.5


def test_every_prefix() -> None:
    """A text that breaks off, at every place of a small program of each language."""
    fun = (ROOT / "papers/funmem/fig7.funmem").read_text(encoding="utf-8")
    imp = (ROOT / "papers/funmem/fig13.imp").read_text(encoding="utf-8")
    for end in range(len(fun) + 1):
        read(fun[:end], parse_fun)
    for end in range(len(imp) + 1):
        read(imp[:end], parse_imp)
