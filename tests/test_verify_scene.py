"""What funmem verify knows of numbers: which cannot have wrapped around."""

from itertools import product

import numpy as np
import pytest

from funmem.interp.heap import run_heap
from funmem.ir.diagnostics import MemoryFault
from funmem.ir.fun import Bin, Const, ScalarExp, Var
from funmem.ir.names import Name
from funmem.ir.scalar_functions import OperatorTrap
from funmem.ir.scalars import I64, eval_bin
from funmem.ir.text import parse_fun
from funmem.passes.lower.prove import Facts, nonneg
from funmem.passes.verify import Kind, Verdict, verify
from funmem.passes.verify.ladder import through
from funmem.passes.verify.scene import Scene
from funmem.verify.recheck import read_size

VIEWS = """\
entry main [n] [a : mem] (x : [n]i8 @ a -> 0 + {(n : 1)}) -> (r : i64) =
  let (x1 : [n - 1]i8 @ a -> 0 + {(n - 1 : 1)}) = x[0 : n - 1 : 1]
  let (x2 : [n - 2]i8 @ a -> 0 + {(n - 2 : 1)}) = x[0 : n - 2 : 1]
  let (x3 : [n - 3]i8 @ a -> 0 + {(n - 3 : 1)}) = x[0 : n - 3 : 1]
  let (x4 : [n - 4]i8 @ a -> 0 + {(n - 4 : 1)}) = x[0 : n - 4 : 1]
  let (x5 : [n - 5]i8 @ a -> 0 + {(n - 5 : 1)}) = x[0 : n - 5 : 1]
  let (p : i64) = FACTOR * n
  in (p)
"""


@pytest.mark.parametrize(("factor", "fits"), [(32, True), (160, False)])
def test_many_views_of_an_array_do_not_make_it_larger(factor: int, fits: bool) -> None:
    """It may have 2^56 elements: 32 times as many are an i64, and 160 times as many are not."""
    p = parse_fun(VIEWS.replace("FACTOR", str(factor)))
    assert (Name("p") in Scene.of_entry(p.entries[0]).exact) is fits


ITSELF = """\
entry main (n : i64) -> (r : i32) =
  let (s : i64) = n * 4
  let (b : mem) = alloc BYTES
  let (x : [n]i32 @ b -> 0 + {(n : 1)}) = MADE
  in (5i32)
"""


@pytest.mark.parametrize("made", ["scratch [n]i32", "kernel i < n do in (5i32)"])
def test_that_an_array_exists_is_no_reason_why_it_is_inside_its_block(made: str) -> None:
    """4*n wraps around for n = 2^62, and the block has no bytes.  No array of so many elements
    exists, but to say so of this one begs the question.
    """
    wrong, right = (
        parse_fun(ITSELF.replace("MADE", made).replace("BYTES", b)) for b in ("s", "4*n")
    )
    with pytest.raises(MemoryFault, match="of 0 bytes"):
        run_heap(wrong, "main", [np.int64(2**62)])
    for p, verdict in ((wrong, Verdict.UNKNOWN), (right, Verdict.PROVED)):
        (inside,) = [o for o in verify(p).obligations if o.kind is Kind.INSIDE]
        assert inside.verdict is verdict


# ---------------------------------------------------------------------- what operators say

LARGE, SMALL = 2**63 - 1, -(2**63)
ANY = (*range(-5, 6), 2**62, -(2**62), 2**61, LARGE, LARGE - 1, SMALL, SMALL + 1)
FEW = (0, 1, 2, 3, 9, 2**56)
"""Lengths of arrays of bytes."""

OPERATORS = """\
entry main [n] [a : mem] (k : i64) (d : i64) (x : [n]i8 @ a -> 0 + {{(n : 1)}}) -> (r : i64) =
  {}
  in (k)
"""


def computed(e: ScalarExp, values: dict[Name, int]) -> int:
    """The value of an operator's expression, as i64."""
    match e:
        case Const(int(c)):
            return c
        case Var(x):
            return values[x]
        case Bin(op, a, b):
            return int(eval_bin(op, I64, computed(a, values), computed(b, values)))
        case _:
            raise AssertionError(e)


def said(lines: str, lengths: tuple[str, ...]) -> tuple[Facts, Scene]:
    """What is known after some statements.  Nothing of it is wrong for any of the values, however
    large they are; names in ``lengths`` are those of arrays.
    """
    body = parse_fun(OPERATORS.format(lines)).entries[0]
    scene = Scene.of_entry(body)
    facts = scene.at_end[id(body.body)].facts
    for nv, kv, dv in product(FEW, *(FEW if x in lengths else ANY for x in ("k", "d"))):
        values = {Name("n"): nv, Name("k"): kv, Name("d"): dv}
        try:
            for s in body.body.stms:
                if isinstance(s.exp, Bin | Const | Var):
                    values[s.pat[0].name] = computed(s.exp, values)
        except OperatorTrap:
            continue
        assert all(values[x] >= least for x, least in facts.least), values
        assert all(p.eval(values.__getitem__) >= 0 for p in facts.assumed), (facts.assumed, values)
        assert all(p.eval(values.__getitem__) == values[x] for x, p in scene.exact.items()), values
    return through(facts, scene), scene


ARRAY = "let (m : mem) = alloc k let (z : [k]i8 @ m -> 0 + {(k : 1)}) = scratch [k]i8"


@pytest.mark.parametrize(
    ("lines", "known", "unknown"),
    [
        ("max(k, d)", "y - k, y - d", "k - y, d - y"),
        ("max(k + 1, 0)", "y", "y - k - 1"),
        ("max(0, k - 1)", "y", "y - k + 1"),
        ("max(n + 5, 3)", "y - n - 5, n + 5 - y", ""),
        ("max(3, n + 5)", "y - n - 5, n + 5 - y", ""),
        ("max(min(k, n), 0)", "y, n - y", "k - y"),
        ("max(0, min(n, k))", "y, n - y", "k - y"),
        ("max(3, min(n + 7, k))", "y - 3, n + 7 - y", "k - y"),
        ("max(min(k, n), 5)", "y - 5", "n - y, k - y"),
        ("min(k, d)", "k - y, d - y", "y - k, y - d, y"),
        ("min(n + 1, n)", "n - y, y - n", ""),
        ("min(n, n + 1)", "n - y, y - n", ""),
        ("min(k * 2, n)", "n - y", "2*k - y"),
        ("min(n, k * 2)", "n - y", "2*k - y"),
        ("n / 4", "y, n - 4*y, 4*y + 3 - n", ""),
        ("(n + 3) / 4", "y, 4*y - n, n + 3 - 4*y", ""),
        ("k / 2", "k - 2*y, 2*y + 1 - k", "y"),
        ("k / d", "", "y, k - y"),
        ("n / d", "", "y, n - y"),
        ("(k * 2) / 4", "", "y, k - 2*y"),
        ("n / (n + 1)", "y", ""),
        ("k % 8", "y, 7 - y", "k - y"),
        ("k % d", "", "y, d - 1 - y"),
        ("k % (n + 1)", "y, n - y", ""),
        ("k % (d + 1)", "", "y, d - y"),
        ("k % (n - 1)", "", "y, n - 2 - y"),
        ("n / (n - 1)", "", "y"),
        ("k + 0 let (z : i64) = y * 3", "", "z - 3*k, 3*k - z"),
        ("k % 8 let (z : i64) = y * 3 - 7", "z - 3*y + 7, 3*y - 7 - z", ""),
        ("n * 32", "y - 32*n, 32*n - y", ""),
        ("n * n", "", "y"),
        ("n * 1024", "", "y"),
    ],
)
def test_what_operators_say(lines: str, known: str, unknown: str) -> None:
    check(*said(f"let (y : i64) = {lines}", ()), known, unknown)


@pytest.mark.parametrize(
    ("lines", "known", "unknown"),
    [
        (f"let (y : i64) = k * 2 {ARRAY}", "y - 2*k, 2*k - y", ""),
        (f"let (y : i64) = max(k + 1, 0) {ARRAY}", "y - k - 1", ""),
        (f"let (y : i64) = min(k + 1, d) {ARRAY}", "k + 1 - y", "y"),
        (f"let (y : i64) = (k + 7) / 8 {ARRAY}", "8*y - k, k + 7 - 8*y", ""),
        (f"let (y : i64) = d % (k + 1) {ARRAY}", "y, k - y", ""),
        (f"let (y : i64) = k * 1024 {ARRAY}", "", "y"),
    ],
)
def test_what_operators_say_as_soon_as_an_array_exists(
    lines: str, known: str, unknown: str
) -> None:
    """k is its length, and not larger than a machine."""
    check(*said(lines, ("k",)), known, unknown)


def check(facts: Facts, scene: Scene, known: str, unknown: str) -> None:
    """What is not negative follows, and what may be does not."""
    for said, follows in ((known, True), (unknown, False)):
        for p in filter(None, said.split(", ")):
            assert nonneg(read_size(p).subst(scene.exact), facts) == follows, p
