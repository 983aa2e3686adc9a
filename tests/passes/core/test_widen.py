"""widen: narrow ints become i64 exactly where they cannot wrap around."""

import numpy as np
import pytest

import funmem
from funmem.frontends.nova.program import to_core
from funmem.ir import core as c
from funmem.ir.check.core import flat
from funmem.ir.core import Exp
from funmem.ir.core_traverse import parts
from funmem.ir.scalars import I64
from funmem.passes.core import to_fun_by
from funmem.passes.core.widen import widen
from tests.support.core_programs import (
    I32,
    add,
    at,
    call,
    compute,
    define,
    fmap,
    fn,
    i32s,
    k,
    op,
    program,
    v,
)
from tests.support.core_programs import arr as array

HEAD = "((n : int) (i : int) (a : int8) (X : vector int) (M : vector#2 int))\n"


def left(e: Exp) -> list[Exp]:
    """The conversions of narrow ints to i64 in an expression; constants are left to FUN."""
    found = isinstance(e, c.Convert) and e.to is I64 and not isinstance(e.a, c.Const)
    own: list[Exp] = [e] if found else []
    return [*own, *(x for part in parts(e) for x in left(part))]


def widened(text: str) -> int:
    """How many conversions are left after the pass in a NOVA program."""
    seen: dict[str, c.CoreProgram] = {}
    to_fun_by(to_core(HEAD + text, "t.nova"), seen.__setitem__)
    (entry,) = seen["widen"].entries
    return len(left(entry.exp))


GONE = {
    "the index of a map over a range": "(map (lambda (k : int) (X ! k)) (range (length X)))",
    "a neighbour": "(map (lambda (k : int) (X ! (max 0 (- k 1)))) (range (length X)))",
    "the next one": "(map (lambda (k : int) (X ! (+ k 1))) (range (length X)))",
    "twice a small one": "(map (lambda (k : int) (X ! (* 2 k))) (range 1000))",
    "two dimensions": """(map (lambda (y : int) (map (lambda (x : int) (M ! (x, y))) (range 5)))
        (range (length X)))""",
    "through a name": """(map (lambda (k : int) (let (j (- k 1)) (m (max j 0)) in (X ! m)))
        (range (length X)))""",
}
STAYS = {
    "an input": "(X ! i)",
    "a sum that may wrap around": "(X ! (+ i 1))",
    "an element": "(map (lambda (x : int) (X ! x)) X)",
    "a product that may wrap around": """(map (lambda (k : int) (X ! (* k k)))
        (range (length X)))""",
    "a range of the other step": "(map (lambda (k : int) (X ! k)) (range 5 -1 0))",
    "two beyond the largest": """(map (lambda (k : int) (X ! (+ k 2)))
        (range (length X)))""",
}


@pytest.mark.parametrize("what", GONE)
def test_widened(what: str) -> None:
    assert widened(GONE[what]) == 0


@pytest.mark.parametrize("what", STAYS)
def test_not_widened(what: str) -> None:
    assert widened(STAYS[what]) > 0


def test_elements_of_a_long_iota_wrap_around() -> None:
    """An iota of i8 counts modulo 256, so its index is not its element."""
    i8 = c.ScalarType.I8
    numbers = c.Iota(c.Length(v("xs")), k(0, i8), k(1, i8))
    element = op("+", c.Convert(I64, v("j")), k(128))
    body = fmap(fn(("j", i8), body=at(v("xs"), element)), numbers)
    p = program([("xs", array(I32, "n"))], body, sizes="n", result=array(I32, None))
    xs = np.arange(300, dtype=np.int32)
    want = [int(np.int8((j + 128) % 256 - 128)) + 128 for j in range(300)]
    assert compute(widen(p), xs) == want
    assert compute(widen(p), i32s()) == []


def test_names_are_new_in_the_program() -> None:
    """Two definitions and the entry point each get an index: no name is bound twice."""

    def gather(xs: str, j: str) -> c.Exp:
        """Three elements of xs by narrow indices."""
        numbers = c.Iota(k(3), k(0, I32), k(1, I32))
        return fmap(fn((j, I32), body=at(v(xs), c.Convert(I64, v(j)))), numbers)

    rows = array(I32, None)
    defs = [define(f, [(xs, rows)], rows, gather(xs, j)) for f, xs, j in ("fai", "gbj")]
    total = fmap(
        fn(("x", I32), ("y", I32), ("z", I32), body=add(v("x"), add(v("y"), v("z")))),
        call("f", v("k")),
        call("g", v("k")),
        gather("k", "l"),
    )
    p = program([("k", rows)], total, defs=defs, result=rows)
    assert flat(p) is None
    after = widen(p)
    assert [len(left(e.exp)) for e in (*after.entries, *after.defs)] == [0, 0, 0]
    assert flat(after) is None


@pytest.mark.parametrize("n", [0, 1, 5])
def test_values_stay(n: int) -> None:
    """A box filter in one dimension; an index that wraps around still traps."""
    text = """((X : vector int))
      (let (n (length X)) (at (lambda (k : int) (X ! (max 0 (min (- n 1) k)))))
       in (map (lambda (k : int) (+ (at (- k 1)) (+ (at k) (at (+ k 1))))) (range n)))"""
    xs = np.arange(n, dtype=np.int32) ** 2
    padded = np.pad(xs, 1, mode="edge") if n else xs
    want = [int(padded[j : j + 3].sum()) for j in range(n)]
    assert funmem.run(text, xs, language="nova").tolist() == want
    wrapping = "((X : vector int) (i : int))\n(X ! (+ i 2147483647))"
    assert funmem.run(wrapping, np.arange(3, dtype=np.int32) + 7, -2147483646, language="nova") == 8
    with pytest.raises(funmem.Trap, match="out of bounds"):
        funmem.run(wrapping, np.arange(3, dtype=np.int32), 1, language="nova")
