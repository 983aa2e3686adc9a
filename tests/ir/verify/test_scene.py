"""What funmem verify knows of numbers: which cannot have wrapped around."""

from contextlib import suppress
from itertools import product
from math import prod
from typing import cast

import numpy as np
import pytest

from funmem.interp.heap import run_heap
from funmem.ir.arith import scalar_type
from funmem.ir.diagnostics import MemoryFault
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Bin,
    Body,
    Const,
    Convert,
    For,
    Index,
    Kernel,
    Loop,
    Param,
    ScalarExp,
    Var,
)
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.scalar_functions import OperatorTrap
from funmem.ir.scalar_values import convert
from funmem.ir.scalars import I64, ScalarType, Value, eval_bin
from funmem.ir.sizes import Size, var
from funmem.ir.text import parse_fun
from funmem.ir.traverse import sub_bodies
from funmem.ir.verify import Kind, Verdict, verify
from funmem.ir.verify.ladder import through
from funmem.ir.verify.scene import Scene
from funmem.verify.from_json import read_size

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


BETWEEN = """\
entry main [n] [a : mem] (d : i64) (x : [n]i8 @ a -> 0 + {(n : 1)}) -> (r : i64) =
  let (up : i64) = max(d, 0)
  let (down : i64) = min(d, 0)
  let (p : i64) = EXP
  in (p)
"""


@pytest.mark.parametrize(
    ("exp", "fits"),
    [
        ("up - n", True),
        ("up + n", False),
        ("down + n", True),
        ("down - n", False),
        ("d - n", False),
        ("d + n", False),
    ],
)
def test_between_a_name_and_what_is_small_nothing_wraps_around(exp: str, fits: bool) -> None:
    """A name may be any i64, but if it is not negative, what is taken away does no harm."""
    p = parse_fun(BETWEEN.replace("EXP", exp))
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
FEW = (0, 1, 2, 3, 9, 2**56)
"""Lengths of arrays of bytes."""
ANY = (*range(-5, 6), 9, 2**56, 2**61, 2**62, -(2**62), LARGE, LARGE - 1, SMALL, SMALL + 1)

OPERATORS = """\
entry main [n] [a : mem] (k : i64) (d : i64) (x : [n]i8 @ a -> 0 + {{(n : 1)}}) -> (r : i64) =
  let (big : i64) = 4611686018427387904
  {}
  in (k)
"""
Values = dict[Name, Value]


class Stops(Exception):
    """An assertion does not hold, or there is not so much memory."""


def computed(e: ScalarExp, values: Values, types: dict[Name, ScalarType]) -> Value:
    """The value of an operator's expression, in its type."""
    match e:
        case Const(c):
            return c
        case Var(x):
            return values[x]
        case Convert(to, a):
            return convert(computed(a, values, types), scalar_type(a, types), to)
        case Bin(op, a, b):
            one, other = computed(a, values, types), computed(b, values, types)
            return eval_bin(op, scalar_type(a, types), one, other)
        case _:
            raise AssertionError(e)


def check_body(b: Body[Ann], values: Values, scene: Scene) -> None:
    """Nothing that is known at the end of a body, or of one inside of it, is wrong: of iterations
    the first, the last and one between are looked at.  Raises OperatorTrap, Stops.
    """

    def number(p: Size) -> int:
        return p.eval(lambda x: cast("int", values[x]))

    def few(*sizes: Size) -> list[int]:
        found = [number(p) for p in sizes if p.free() <= values.keys()]
        if min(found, default=0) < 0 or prod(found) > FEW[-1]:
            raise Stops
        return found

    for s in b.stms:
        match s.exp:
            case Bin() | Const() | Var() | Convert() as e:
                types = {**dict.fromkeys(values, I64), **scene.scalars}
                values[s.pat[0].name] = computed(e, values, types)
            case Assert(Var(c)) if not values[c]:
                raise Stops
            case Alloc(size):
                few(size)
            case Index(a, (i,)):
                (n,) = few(*scene.types[a].shape)
                if not 0 <= number(i) < n:
                    raise Stops
            case Kernel(dims, _, body):
                picks = [{0, n // 2, n - 1} for n in few(*(d.size for d in dims)) if n]
                for way in product(*picks) if len(picks) == len(dims) else ():
                    inner = dict(zip((d.index for d in dims), way, strict=True))
                    check_body(body, {**values, **inner}, scene)
            case Loop((Param(p, init), *_), For(i, size), body):
                n, start = number(size), computed(init, values, scene.scalars)
                for k in {0, n // 2, n - 1} if n > 0 else ():
                    check_body(body, {**values, i: k, p.name: start}, scene)
            case _:
                pass
        for binder in s.pat:
            if isinstance(binder.type, ArrayType):
                few(*binder.type.shape)
    facts = scene.at_end[id(b)].facts
    assert all(number(var(x)) >= least for x, least in facts.least if x in values), values
    for p in facts.assumed:
        assert not p.free() <= values.keys() or number(p) >= 0, (p, values)
    for x, p in scene.exact.items():
        assert not p.free() | {x} <= values.keys() or number(p) == values[x], (x, p, values)


def said(lines: str) -> tuple[Facts, Scene]:
    """What is known where ``y`` is.  Nothing of it is wrong for any values, however large."""
    (entry,) = parse_fun(OPERATORS.format(lines)).entries
    scene = Scene.of_entry(entry)
    given = [(x, FEW if x == "n" else ANY if x in lines.split() else (1,)) for x in "nkd"]
    for way in product(*(some for _, some in given)):
        with suppress(OperatorTrap, Stops):
            values = zip((Name(x) for x, _ in given), way, strict=True)
            check_body(entry.body, dict(values), scene)
    todo = [entry.body]
    while not any(p.name == "y" for s in todo[0].stms for p in s.pat):
        todo += [b for s in todo.pop(0).stms for b in sub_bodies(s.exp)]
    return through(scene.at_end[id(todo[0])].facts, scene), scene


@pytest.mark.parametrize(
    ("lines", "known", "unknown"),
    [
        ("max(k, d)", "y - k, y - d", "k - y, d - y"),
        ("max(k + 1, 0)", "y", "y - k - 1"),
        ("max(0, k - 1)", "y", "y - k + 1"),
        ("max(n, 1)", "y - 1, y - n", "n - y"),
        ("max(1, n)", "y - 1, y - n", "n - y"),
        ("max(n + 5, 3)", "y - n - 5, n + 5 - y", ""),
        ("max(3, n + 5)", "y - n - 5, n + 5 - y", ""),
        ("max(n, n + 1)", "n + 1 - y, y - n - 1", ""),
        ("max(n + 1, n)", "n + 1 - y, y - n - 1", ""),
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
        ("(n - 1) / (n + 1)", "y + 1", "y"),
        ("(n - 2) / (n + 1)", "", "y + 1"),
        ("k % 8", "y, 7 - y", "k - y"),
        ("k % d", "", "y, d - 1 - y"),
        ("k % n", "y, n - 1 - y", ""),
        ("k % (n + 1)", "y, n - y", ""),
        ("k % (d + 1)", "", "y, d - y"),
        ("k % (n - 1)", "", "y, n - 2 - y"),
        ("k / 0", "", "y"),
        ("n / n", "y", ""),
        ("n / (n - 1)", "", "y"),
        ("k + 0 let (z : i64) = y * 3", "", "z - 3*k, 3*k - z"),
        ("k % 8 let (z : i64) = y * 3 - 7", "z - 3*y + 7, 3*y - 7 - z", ""),
        ("n * 32", "y - 32*n, 32*n - y", ""),
        ("n * n", "", "y"),
        ("n * 1024", "", "y"),
        ("0 - k", "", "y + k"),
        ("big * 4", "", "y - 1"),
        ("big * 1", "y - 1", ""),
    ],
)
def test_what_operators_say(lines: str, known: str, unknown: str) -> None:
    check(*said(f"let (y : i64) = {lines}"), known, unknown)


@pytest.mark.parametrize(
    ("lines", "known", "unknown"),
    [
        ("k / 1024 let (y : i64) = z * 512", "y - 512*z", ""),
        ("k / 1024 let (y : i64) = z * 2048", "", "y - 2048*z"),
        ("k / -1024 let (y : i64) = z * 512", "y - 512*z", ""),
        ("k / 3 let (y : i64) = z * 2", "y - 2*z, 2*z - y", ""),
        ("k / 3 let (y : i64) = z * 3", "", "y - 3*z"),
        ("k / 9 let (y : i64) = z * 9", "", "y - 9*z"),
        ("k / 7 let (y : i64) = z * 6 + 1317624576693539401", "", "y - 6*z"),
        ("k / 1 let (y : i64) = z * 1 - 1", "", "y - z + 1"),
        ("min(k / 1024, d / 2048) let (y : i64) = z * 512", "y - 512*z", ""),
        ("max(k / 2048, d / 1024) let (y : i64) = z * 512", "y - 512*z", ""),
        ("max(k / 2048, d / 1024) let (y : i64) = z * 1024", "", "y - 1024*z"),
        ("min(k / 1024, d) let (y : i64) = z * 2", "", "y - 2*z"),
        ("k / 1024 let (w : i64) = z + z let (y : i64) = w * 256", "y - 256*w", ""),
        ("k % 1125899906842624 let (y : i64) = z * 4096", "y - 4096*z", ""),
        ("k % -1125899906842624 let (y : i64) = z * 4096", "y - 4096*z", ""),
        ("k % 1125899906842624 let (y : i64) = z * z", "", "y"),
        ("k / 1024 let (w : i64) = max(z, 5) let (y : i64) = w * 512", "y - 512*w", ""),
        ("k / 288230376151711744 let (y : i64) = z * n", "y - n*z", ""),
        ("k / 4503599627370496 let (y : i64) = z * n", "", "y - n*z"),
    ],
)
def test_how_large_a_result_is(lines: str, known: str, unknown: str) -> None:
    """What is a quotient or a remainder may be multiplied."""
    check(*said(f"let (z : i64) = {lines}"), known, unknown)


def test_a_number_of_another_type_wraps_around_earlier() -> None:
    lines = "let (z : i8) = i8( k ) let (w : i8) = z % 100i8 let (v : i8) = w + w"
    check(*said(f"{lines} let (y : i64) = k + 0"), "y - k, k - y", "")


# ---------------------------------------------------------------------- what exists


def given(*conditions: str) -> str:
    """Statements that assert conditions."""
    return " ".join(f'let (c{i} : bool) = {c} assert c{i} "c{i}"' for i, c in enumerate(conditions))


def array(name: str, *shape: str) -> str:
    """A statement that makes an array."""
    strides = [" * ".join(("1", *shape[i + 1 :])) for i in range(len(shape))]
    dims = " ".join(f"({d} : {s})" for d, s in zip(shape, strides, strict=True))
    whole = "".join(f"[{d}]" for d in shape)
    return f"let ({name} : {whole}i8 @ a -> 0 + {{{dims}}}) = scratch {whole}i8"


NEAR = given("0 <= k", "k <= n")
BOTH = given("0 < k", "0 < d")
ROWS = f"{array('z', ' k ', ' d ')}"
REDUCED = r"reduce (\ (u : i64) (v : i64) -> let (w : i64) = u + v in (w)) (0) do"
THIRTY_TWO = "let (q : i64) = n / 4503599627370496"
SUMMED = f"let (t : i64) = kernel i < k {REDUCED} in (1)"
TABLE = f"let (t : [ k ]i64 @ a -> 0 + {{( k : 1)}}) = kernel i < k , j < d {REDUCED} in (1)"
LOOPED = "let (t : i64) = loop (s : i64) = 0 for i < {} do {} in (s)"


@pytest.mark.parametrize(
    ("lines", "known", "unknown"),
    [
        ("let (y : i64) = k * 2 ARRAY", "y - 2*k, 2*k - y", ""),
        ("let (y : i64) = max(k + 1, 0) ARRAY", "y - k - 1", ""),
        ("let (y : i64) = max(k + 1, k + 2) ARRAY", "y - k - 2, k + 2 - y", ""),
        ("let (y : i64) = min(k + 1, d) ARRAY", "k + 1 - y", "y"),
        ("let (y : i64) = (k + 7) / 8 ARRAY", "8*y - k, k + 7 - 8*y", ""),
        ("let (y : i64) = (k + 7) / (k + 1) ARRAY", "y", ""),
        ("let (y : i64) = d % (k + 1) ARRAY", "y, k - y", ""),
        ("let (y : i64) = k * 1024 ARRAY", "", "y"),
        (f"let (y : i64) = k * 2 {NEAR}", "y - 2*k, 2*k - y", ""),
        (f"let (y : i64) = k * 1024 {NEAR}", "", "y"),
    ],
)
def test_what_operators_say_as_soon_as_an_array_exists(
    lines: str, known: str, unknown: str
) -> None:
    """k is its length, and not larger than a machine; or is compared with such a length."""
    check(*said(lines.replace("ARRAY", array("z", " k "))), known, unknown)


@pytest.mark.parametrize(
    ("lines", "known", "unknown"),
    [
        (f"{NEAR} let (y : i64) = k * 3 + 5", "y - 3*k - 5", ""),
        (f"{NEAR} let (y : i64) = 0 - k * 3 - 5", "0 - 3*k - 5 - y, y + 3*k + 5", ""),
        (f"{NEAR} let (y : i64) = k * 33", "", "y"),
        (f"{NEAR} let (z : i64) = k * 3 let (y : i64) = max(z + 1, 0)", "y - z - 1", ""),
        ("let (v : i8) = x[k] let (y : i64) = k * 32", "k, n - 1 - k, y", "k - 1, n - 2 - k"),
        ("let (y : i64) = k * 3 + 5", "", "y - 3*k"),
        (f"{given('k <= n')} let (y : i64) = k * 2", "", "y - 2*k"),
        (f"{given('0 <= k')} let (y : i64) = k * 2", "", "y"),
        (f"{given('0 <= k', 'k <= 9')} let (y : i64) = k * 1000", "y - 1000*k", ""),
        (f"{ROWS} let (y : i64) = k * 32", "", "y"),
        (f"{ROWS} let (y : i64) = d * 32", "", "y"),
        (f"{BOTH} {ROWS} let (y : i64) = k * 32", "y - 32*k", ""),
        (f"{BOTH} {ROWS} let (y : i64) = d * 32", "y - 32*d", ""),
        (f"{given('0 < d')} {ROWS} let (y : i64) = d * 32", "", "y"),
        (f"{BOTH} {ROWS} {THIRTY_TWO} let (y : i64) = d * q", "y - d*q", ""),
        (f"{given('0 < d')} {ROWS} {THIRTY_TWO} let (y : i64) = d * q", "", "y - d*q"),
        (f"{ROWS} let (y : i64) = d * k * 32", "y - 32*d*k", ""),
        (f"{ROWS} let (y : i64) = d * k * 128", "", "y - d*k"),
        (f"{ROWS} let (y : i64) = 0 - d * k * 30", "y + 30*d*k", ""),
        (f"{ROWS} {array('z1', ' k * n ')} let (y : i64) = (d * k + k * n) * 9", "y", ""),
        (f"{ROWS} {array('z1', ' k * n ')} let (y : i64) = (d * k + k * n) * 160", "", "y"),
        (f"{ROWS} {array('z1', ' k * n ')} let (y : i64) = d * k * 32", "y", ""),
        (f"{given('0 <= k')} let (y : i64) = k * 2 let (m : mem) = alloc k", "y - 2*k", ""),
        (f"{SUMMED} let (y : i64) = k * 32", "y - 32*k", ""),
        (f"let (y : i64) = k * 32 {SUMMED}", "y - 32*k", ""),
        (f"{TABLE} let (y : i64) = d * 32", "", "y"),
        (f"{BOTH} {TABLE} let (y : i64) = d * 32", "y - 32*d", ""),
    ],
)
def test_what_exists_is_not_larger_than_a_machine(lines: str, known: str, unknown: str) -> None:
    """Nor is what it is compared with; dimensions may be, if there are no elements."""
    check(*said(lines), known, unknown)


@pytest.mark.parametrize(
    ("bound", "body", "known", "unknown"),
    [
        (" k ", "let (y : i64) = i + 1", "", "y - i"),
        (" n ", "let (y : i64) = i * 32 - n", "y - 32*i + n", ""),
        (" n ", "let (b : i64) = k / 288230376151711744 let (y : i64) = b * i", "y - b*i", ""),
        ("h", "let (y : i64) = i * 2", "k - 1 - i", "n - 1 - i, y"),
        ("w", "let (y : i64) = i * 2", "n - 1 - i, k - 1 - i, y - 2*i", "d - i"),
        ("g", "let (y : i64) = i * 2", "", "k - 1 - i"),
        ("g", "let (y : i64) = i * 2", "g - 1 - i", ""),
        ("q", "let (y : i64) = i * 2", "", "k - 1 - i"),
    ],
)
def test_an_index_is_below_the_bounds_of_its_bound(
    bound: str, body: str, known: str, unknown: str
) -> None:
    """max(k, 0), min(n, k); not so of another maximum, or another operator."""
    before = "let (h : i64) = max( k , 0) let (w : i64) = min( n , k ) let (g : i64) = max( k , n )"
    lines = f"{before} let (q : i64) = k / -1 {LOOPED.format(bound, body)}"
    check(*said(lines), known, unknown)


def test_what_a_loop_hands_on_exists_from_the_start() -> None:
    loop = "let (f : i64) (q : [f]i8 @ a -> 0 + {(f : 1)}) ="
    loop += " loop (f1 : i64) = k, (q1 : [f1]i8 @ a -> 0 + {(f1 : 1)}) = z for i < d do"
    loop += " let (y : i64) = f1 * 32 in (f1, q1)"
    check(*said(f"{array('z', ' k ')} {loop}"), "y", "")


def check(facts: Facts, scene: Scene, known: str, unknown: str) -> None:
    """What is not negative follows, and what may be does not."""
    for said, follows in ((known, True), (unknown, False)):
        for p in filter(None, said.split(", ")):
            assert nonneg(read_size(p).subst(scene.exact), facts) == follows, p
