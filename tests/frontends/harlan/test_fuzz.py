"""Wrong Harlan texts: whatever is read, the answer is a program or a SourceError, and soon."""

import random
import re
import time
from collections.abc import Sequence
from functools import cache

import pytest

from funmem.frontends.harlan.forms import KEYWORDS
from funmem.frontends.harlan.program import to_core
from funmem.ir.check.core import check_core
from funmem.ir.depth import deep
from funmem.ir.diagnostics import SourceError
from tests.frontends.harlan.programs import ACCEPTED, REJECTED
from tests.support.sampling import sampled

TOKEN = re.compile(r'\s+|;[^\n]*|"[^"\n]*"|[^\s()\[\]";]+|.')
SPLICES = [
    *sorted(KEYWORDS),
    "(",
    ")",
    "((",
    "))",
    "[",
    "]",
    "...",
    ".",
    "_",
    "->",
    "x",
    "0",
    "1.5",
]
SPLICES += ["println", "reduce", "let*", "cond", "else", "#t", "#\\a", '"', "9" * 5_000, "1e999"]
SPLICES += ["(" * 500, "18446744073709551616", "\x00", "'", "(vec int)", "define-macro"]
PARTS, EACH = 20, 150


@cache
def seeds() -> Sequence[str]:
    texts = [p.read_text(encoding="utf-8") for p in (*ACCEPTED, *REJECTED)]
    return tuple(re.sub(r"^;.*\n", "", t, flags=re.MULTILINE) for t in texts)


def wrong(r: random.Random, texts: Sequence[str]) -> str:
    tokens = TOKEN.findall(r.choice(texts))
    other = TOKEN.findall(r.choice(texts))
    for _ in range(r.randrange(1, 3)):
        k = r.randrange(len(tokens) + 1)
        match r.randrange(7):
            case 0:
                tokens[k:k] = [f" {r.choice(SPLICES)} "]
            case 1:
                del tokens[k : k + r.randrange(1, 4)]
            case 2:
                tokens[k:k] = tokens[k : k + r.randrange(1, 9)]
            case 3:
                start = r.randrange(len(other))
                tokens[k : k + 1] = other[start : start + r.randrange(1, 9)]
            case 4:
                tokens[k : k + 1] = [r.choice(other)]
            case _:  # another atom in the place of an atom
                atoms = [j for j, t in enumerate(tokens) if re.match(r"[^\s()\[\]]", t)]
                if atoms:
                    tokens[r.choice(atoms)] = tokens[r.choice(atoms)]
    return "".join(tokens)


def read(text: str) -> bool:
    """True if the text is a program.  Raises whatever else went wrong."""
    start = time.process_time()
    try:
        program = to_core(text, "damaged.kfc")
    except SourceError as error:
        d = error.diagnostic
        assert d.code.startswith("harlan-"), d
        rows = text.split("\n")
        assert d.at.file != "damaged.kfc" or 1 <= d.at.line <= len(rows)
        assert 1 <= d.at.col <= d.at.end
        d.render(text)
        return False
    finally:
        assert time.process_time() - start < 2
    with deep():
        check_core(program)
    return True


@pytest.mark.parametrize("part", sampled(range(PARTS), PARTS))
def test_damaged_texts(part: int) -> None:
    r = random.Random(part)
    texts = seeds()
    outcomes = [read(wrong(r, texts)) for _ in range(EACH)]
    share = sum(outcomes) / len(outcomes)
    assert 0 < share < 0.7, share  # a typed language is easily broken


@pytest.mark.slow
def test_deep_programs() -> None:
    """As deep as brackets may be, many statements, and a macro that makes more and more."""
    assert read("(module (define (main) " + "(+ 1 " * 390 + "0" + ")" * 390 + "))")
    many = " ".join(f"(print {k})" for k in range(1_000))
    assert read(f"(module (define (main) {many} 0))")
    grows = "(define-macro m () ((_ x ...) (m x ... x ...)))"
    assert not read(f"(module {grows} (define (main) (m 1)))")
