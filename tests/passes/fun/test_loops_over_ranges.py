"""Loops over ranges need no array: their numbers are computed from the index.

Protects ``counted`` in ``passes/core/to_fun/arrays.py``, the proof that an index is below its own
bound (``ir/logic/prove.py``), and that an assertion that holds already is not made again
(``passes/fun/simplify/forward.py``), without which a check would keep a kernel alive.
"""

from collections.abc import Callable

import pytest

import funmem
from funmem.driver.source import Source
from funmem.ir.fun import Ann, Assert, Index, Iota, Kernel, Program
from funmem.ir.logic.prove import Facts, in_range
from funmem.ir.sizes import const, var
from funmem.ir.text import parse_fun
from funmem.ir.traverse import walk
from funmem.passes.framework import as_tree
from funmem.passes.runner import Pipeline


def compiled(text: str, passes: str = "simplify") -> Program[Ann]:
    return as_tree(Pipeline.parse(passes).run(Source("t.fut", text, "fut").parse()))


def kinds(p: Program[Ann]) -> set[type]:
    return {type(s.exp) for e in p.entries for s in walk(e.body)}


RANGES: dict[str, Callable[[int, int], int]] = {
    "for i in a..<b do s + i": lambda a, b: sum(range(a, b)),
    "for i in a...b do s + 2 * i": lambda a, b: 2 * sum(range(a, b + 1)),
    "for i in a + 1..a + 3...a + 7 do s + i": lambda a, _: sum(range(a + 1, a + 8, 2)),
    "for i in b..b - 1..>b - 4 do s * 3 + i": lambda _, b: _digits(range(b, b - 4, -1)),
}


def _digits(xs: range) -> int:
    total = 0
    for x in xs:
        total = total * 3 + x
    return total


@pytest.mark.parametrize("loop", RANGES)
@pytest.mark.parametrize(("a", "b"), [(2, 5), (-3, 4), (4, 4)])
def test_no_range_is_in_memory(loop: str, a: int, b: int) -> None:
    text = f"def main (a: i64) (b: i64) = loop s = 0i64 {loop}"
    assert not kinds(compiled(text)) & {Iota, Index}
    assert funmem.run(Source("t.fut", text, "fut").parse(), a, b) == RANGES[loop](a, b)


def test_numbers_of_other_types_wrap_around() -> None:
    text = "def main (a: i8) = loop s = 0i64 for i in a..a + 2...a + 6 do s * 1000 + i64.i8 i"
    program = Source("t.fut", text, "fut").parse()
    assert funmem.run(program, 100) == ((100 * 1000 + 102) * 1000 + 104) * 1000 + 106


@pytest.mark.parametrize(
    "text",
    [
        # another bound than the length, another index, an element that another expression names
        "def main (n: i64) (k: i64) = let xs = iota n in loop s = 0 for i < k do s + xs[i]",
        "def main (n: i64) (k: i64) = let xs = iota n in loop s = 0 for i < n do s + xs[k] + i",
        "def main (n: i64) (_: i64) = let xs = iota n in loop s = 0 for i < n do s + xs[i - 1]",
    ],
)
def test_an_element_that_may_not_be_there_is_still_read(text: str) -> None:
    program = Source("t.fut", text, "fut").parse()
    assert Index in kinds(program)
    with pytest.raises(funmem.Trap, match="out of bounds"):
        funmem.run(program, 3, 4)


def test_an_index_is_below_its_own_bound() -> None:
    i, n = var("i"), var("b") - var("a")
    facts = Facts().with_index("i", n)
    assert in_range(i, n, facts)
    assert not in_range(i + 1, n, facts)
    assert not in_range(i, n - 1, facts)
    assert not in_range(i, const(5), facts)


TWICE = """
entry main [m] (xs : [m]i64) (n : i64) (k : i64) -> (r : [m]i64) =
  let (ok : bool) = n > k
  assert ok "n is larger than k"
  let (ys : [2]i64) = kernel i < 2 do
    let (also : bool) = n > k
    assert also "so it is"
    let (x : i64) = i + n
    in (x)
  let (other : bool) = n < 100
  let (zs : [m]i64) = kernel j < m do
    assert other "n is small"
    let (y : i64) = ys[0]
    in (y)
  assert other "and here it has not been said"
  in (zs)
"""


def test_an_assertion_that_holds_is_not_made_again() -> None:
    (e,) = as_tree(Pipeline.parse("simplify").run(parse_fun(TWICE))).entries
    said = [s.exp.message for s in walk(e.body) if isinstance(s.exp, Assert)]
    assert said == ["n is larger than k", "n is small", "and here it has not been said"]


def test_a_check_keeps_no_kernel_alive() -> None:
    """``tabulate_2d`` checks its sizes once; a kernel of nothing but the same check is gone."""
    text = "def main (n: i64) = tabulate_2d (n - 1) (n - 1) (\\i j -> i * j)"
    e = compiled(text, "simplify,fuse,nest,schedule,simplify").entries[0]
    assert sum(isinstance(s.exp, Kernel) for s in walk(e.body)) == 1
