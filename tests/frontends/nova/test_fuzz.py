"""Wrong NOVA texts: whatever is read, the answer is a program or a SourceError, and soon."""

import random
import re
import time
from collections.abc import Sequence
from copy import deepcopy
from functools import cache

import pytest

from funmem.frontends import sexpr
from funmem.frontends.nova.program import to_core
from funmem.frontends.nova.tokens import KEYWORDS, SYNTAX
from funmem.ir.check.core import check_core
from funmem.ir.diagnostics import SourceError
from tests.frontends.nova.programs import ACCEPTED, REJECTED
from tests.support.sampling import sampled

TOKEN = re.compile(r"\s+|;[^\n]*|'?[A-Za-z_]\w*(?:#\d+)?|[\d.]+|->|[<>~]=|.")
SPLICES = [*sorted(KEYWORDS), "(", ")", "((", "))", ",", ".", "!", ":", "->", "'a", "vector", "int"]
SPLICES += ["vector#2", "vector#99", "9" * 5_000, "-", "1e999", "(" * 500, "map", "reduce", "\x00"]
PARTS, EACH = 20, 250


@cache
def seeds() -> Sequence[str]:
    texts = [p.read_text(encoding="utf-8") for p in (*ACCEPTED, *REJECTED)]
    return tuple(re.sub(r"^;.*\n", "", t, flags=re.MULTILINE) for t in texts)


def damaged(r: random.Random, texts: Sequence[str]) -> str:
    tokens = TOKEN.findall(r.choice(texts))
    other = TOKEN.findall(r.choice(texts))
    for _ in range(r.randrange(1, 4)):
        k = r.randrange(len(tokens) + 1)
        match r.randrange(5):
            case 0:
                tokens[k:k] = [f" {r.choice(SPLICES)} "]
            case 1:
                del tokens[k : k + r.randrange(1, 4)]
            case 2:
                tokens[k:k] = tokens[k : k + r.randrange(1, 9)]
            case 3:
                start = r.randrange(len(other))
                tokens[k : k + 1] = other[start : start + r.randrange(1, 9)]
            case _:
                tokens[k : k + 1] = [r.choice(other)]
    return "".join(tokens)


Tree = str | list["Tree"]
"""An expression as words and lists of them."""


def tree(datum: sexpr.Datum) -> Tree:
    return datum.text if isinstance(datum, sexpr.Atom) else list(map(tree, datum.items))


def places(whole: list[Tree]) -> list[tuple[list[Tree], int]]:
    """Every expression as a place in the list around it."""
    found = [(whole, k) for k in range(len(whole))]
    return found + [p for inner in whole if isinstance(inner, list) for p in places(inner)]


def spelt(x: Tree) -> str:
    return x if isinstance(x, str) else f"({' '.join(map(spelt, x))})"


def rearranged(r: random.Random, texts: Sequence[str]) -> str:
    """A program with whole expressions exchanged, left out or repeated: its brackets match."""
    try:
        own, other = ([tree(d) for d in sexpr.read(r.choice(texts), "", SYNTAX)[0]] for _ in "ab")
    except SourceError:
        return ""
    for _ in range(r.randrange(1, 3)):
        around, k = r.choice(places(own))
        match r.randrange(4):
            case 0:
                del around[k]
            case 1:
                around.insert(k, around[k])
            case 2:
                around[k] = r.choice(around)
            case _:
                there, j = r.choice(places(r.choice([own, other])))
                around[k] = deepcopy(there[j])
        if not places(own):
            break
    return "\n".join(map(spelt, own))


def wrong(r: random.Random, texts: Sequence[str]) -> str:
    return r.choice((damaged, rearranged))(r, texts)


def read(text: str) -> bool:
    """True if the text is a program.  Raises whatever else went wrong."""
    start = time.process_time()
    try:
        program = to_core(text, "damaged.nova")
    except SourceError as error:
        d = error.diagnostic
        assert d.code.startswith("nova-"), d
        rows = text.split("\n")
        assert 1 <= d.at.line <= len(rows)
        assert 1 <= d.at.col <= d.at.end
        d.render(text)
        return False
    finally:
        assert time.process_time() - start < 2
    check_core(program)
    return True


@pytest.mark.parametrize("part", sampled(range(PARTS), PARTS))
def test_damaged_texts(part: int) -> None:
    r = random.Random(part)
    texts = seeds()
    outcomes = [read(wrong(r, texts)) for _ in range(EACH)]
    share = sum(outcomes) / len(outcomes)
    assert 0.005 < share < 0.6, share  # a typed language is easily broken


def test_deep_programs() -> None:
    """As deep as brackets may be, and many definitions."""
    deep = "((x : int))\n" + "(+ 1 " * 390 + "x" + ")" * 390
    assert read(deep)
    many = " ".join(f"(a{k} (+ {f'a{k - 1}' if k else 'x'} 1))" for k in range(1_000))
    assert read(f"((x : int))\n(let {many} in a999)")
    nested = "((x : int))\n" + "(let (f (lambda (v : 'a) v)) in " * 390 + "(f x)" + ")" * 390
    assert read(nested)
