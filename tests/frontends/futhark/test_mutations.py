"""Damaged `.fut` programs on the whole way to FUN: a program, or an error that says what is wrong.

Protects users from tracebacks, and FUN from programs that its checker refuses although the front
end accepted them: names are swapped and doubled, so that most texts still parse and many still
have types.  5,000 and more by hand:

    python -m tests.frontends.futhark.test_mutations 5000
"""

import random
import re
import sys
import time
from functools import cache

import pytest

from funmem.frontends.futhark.program import to_fun
from funmem.ir.check import check
from funmem.ir.diagnostics import SourceError
from tests.frontends.futhark.test_fuzz import damaged
from tests.support.paths import ROOT
from tests.support.sampling import sampled

TOKEN = re.compile(r"\s+|[A-Za-z_][A-Za-z0-9_']*|[0-9][0-9a-z_.]*|.")
SECONDS = 5
"""No text may take longer."""


@cache
def texts() -> tuple[str, ...]:
    """Our own programs."""
    folders = (ROOT / "tests" / "programs", ROOT / "papers")
    return tuple(p.read_text("utf-8") for f in folders for p in sorted(f.rglob("*.fut")))


def renamed(r: random.Random, text: str) -> str:
    """One or two words take each other's place, or one takes another's."""
    tokens = TOKEN.findall(text)
    words = [k for k, t in enumerate(tokens) if t[0].isalnum() or t[0] == "_"]
    for _ in range(r.randrange(1, 3)):
        if len(words) < 2:
            break
        a, b = r.choice(words), r.choice(words)
        tokens[a], tokens[b] = tokens[b], tokens[r.choice((a, b))]
    return "".join(tokens)


def survives(seed: int) -> bool:
    """Whether the seed's text is a program.  Raises whatever is no SourceError of the front end."""
    r = random.Random(seed)
    text = r.choice(texts())
    text = damaged(r, text) if r.random() < 0.2 else renamed(r, text)
    start = time.process_time()
    try:
        program = to_fun(text, "damaged.fut")
    except SourceError:
        return False
    finally:
        assert time.process_time() - start < SECONDS
    check(program)
    return True


@pytest.mark.parametrize("part", sampled(range(8), 8))
def test_damaged_programs(part: int) -> None:
    survived = sum(survives(1000 * part + k) for k in range(30))
    assert survived > 1, "the damage is so great that nothing is tested"


if __name__ == "__main__":
    print(sum(map(survives, range(int(sys.argv[1])))), "programs are still programs")
