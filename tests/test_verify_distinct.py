"""Scatters that funmem verify proves race-free, and what they fill: ranks of flags, and indices
that a condition keeps apart (passes/verify/distinct.py and cases.py).

Programs with holes to fill: as they stand each is proved; what is changed in WRONG makes a program
that races, or reads what was never written, on a small input, which is run; and it is not proved.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product

import pytest

from funmem.interp.heap import run_heap
from funmem.ir.diagnostics import MemoryFault, Trap
from funmem.ir.fun import Ann, Program
from funmem.ir.text import parse_fun
from funmem.ir.values import ArgValue
from funmem.passes.framework import Pipeline
from funmem.passes.verify import Kind, Verdict, verify

FILTER = r"""
entry main [n] (t : i64) (xs : [n]i64) -> (r : i64) =
  let (ranks : [n]i64) (keeps : [n]bool) =
    kernel i < n scan (\(a : i64) (b : i64) ->
      let (s : i64) = {op}
      in (s)) ({neutral})
    do
      let (x : i64) = xs[{read}]
      let (keep : bool) = x < t
      let (sure : bool) =
        if keep then
          in (keep)
        else
          in ({unsure})
      let (flag : i64) = {flag}
      in (flag, keep)
  let (some : bool) = 0 < n
  let (total : i64) =
    if some then
      let (l : i64) = ranks[{last}]
      in (l)
    else
      let (nothing : i64) = {none}
      in (nothing)
  let (places : [n]i64) =
    kernel j < {range} do
      let (y : i64) = xs[j]
      let (kept : bool) = keeps[{at}]
      let (rank : i64) = ranks[{here}]
      let (here : bool) = {kept}
      let (place : i64) =
        if here then
          let (p : i64) = {place}
          in (p)
        else
          in ({other})
      in (place)
  let (m : [{length}]i64) = {empty}
  let (f : [{length}]i64) = scatter m places xs
  let (sum : i64) =
    kernel k < {length} reduce (\(u : i64) (v : i64) ->
      let (w : i64) = u + v
      in (w)) (0)
    do
      let (z : i64) = f[k]
      in (z)
  in (sum)
"""
FILTERED = {
    "op": "a + b",
    "neutral": "0",
    "read": "i",
    "unsure": "false",
    "flag": "i64(sure)",
    "last": "n - 1",
    "none": "0",
    "range": "n",
    "at": "j",
    "here": "j",
    "kept": "kept",
    "place": "rank - 1",
    "other": "-1",
    "length": "total",
    "empty": "scratch [total]i64",
}

PARTITION = r"""
entry main [n] (t : i64) (xs : [n]i64) -> (r : i64) =
  let (low : [n]i64) (mid : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (c : bool) = x == 1
      let (f : i64) (g : i64) =
        if c then
          in (1, 0)
        else
          let (d : bool) = {second}
          let (h : i64) = i64(d)
          in (0, h)
      in (f, g)
  let (lows : [n]i64) (mids : [n]i64) (others : [n]i64) =
    kernel j < n scan (\(a : i64) (b : i64) (o1 : i64) (c1 : i64) (d1 : i64) (o2 : i64) ->
      let (s : i64) = {first}
      let (u : i64) = b + d1
      let (v : i64) = o1 + o2
      in (s, u, v)) (0, 0, 0)
    do
      let (f1 : i64) = low[j]
      let (g1 : i64) = mid[j]
      let (w : i64) = xs[j]
      let (h1 : i64) = {other}
      in (f1, g1, h1)
  let (none : bool) = {none}
  let (lowest : i64) (rest : i64) =
    if none then
      in (0, 0)
    else
      let (l : i64) = lows[{last}]
      let (l1 : i64) = others[n - 1]
      in (l, l1)
  let (places : [n]i64) =
    kernel k < n do
      let (y : i64) = xs[k]
      let (a1 : i64) = lows[k]
      let (b1 : i64) = mids[k]
      let (c2 : bool) = y == {one}
      let (place : i64) =
        if c2 then
          let (p : i64) = a1 - 1
          in (p)
        else
          let (d2 : bool) = y == 2
          let (q : i64) =
            if d2 then
              let (o : i64) = {base} + b1 - 1
              in (o)
            else
              in (-1)
          in (q)
      in (place)
  let (m : [n]i64) = copy xs
  let (ids : [n]i64) = iota [n] 0 1
  let (e : [n]i64) = scatter m places ids
  in (t)
"""
PARTITIONED = {
    "second": "x == 2",
    "none": "n == 0",
    "first": "a + c1",
    "other": "i64(w == 0)",
    "last": "n - 1",
    "one": "1",
    "base": "lowest",
}

DIAGONAL = r"""
entry main [n] [m] (t : i64) (xs : [n]i64) (ys : [m]i64) -> (r : i64) =
  let (columns : [n]i64) =
    kernel i < n do
      let (column : i64) = {column}
      in (column)
  let (grid : [n][m]i64) = replicate [n][m] 0
  let (values : [n]i64) =
    kernel h < n do
      let (x : i64) = xs[h]
      let (value : i64) = {value}
      in (value)
  let (places : [n]i64) =
    kernel k < n do
      let (y : i64) = xs[k]
      let (j : i64) = columns[{at}]
      let (inside : bool) = {inside}
      let (place : i64) =
        if inside then
          let (p : i64) = {place}
          in (p)
        else
          in ({other})
      in (place)
  let (row : [m*n]i64) = reshape [m*n] grid
  let (f : [m*n]i64) = scatter row places {values}
  in (t)
"""
ON_A_DIAGONAL = {
    "column": "n - 1 - i",
    "value": "x",
    "at": "k",
    "inside": "0 <= j && j < m",
    "place": "m * k + j",
    "other": "-1",
    "values": "values",
}

TEMPLATES = {
    "filter": (FILTER, FILTERED),
    "partition": (PARTITION, PARTITIONED),
    "diagonal": (DIAGONAL, ON_A_DIAGONAL),
}


@cache
def allocated(text: str) -> Program[Ann]:
    found = Pipeline.parse("allocate").run(parse_fun(text))
    assert isinstance(found, Program)
    return found


def program(template: str, changed: Mapping[str, str]) -> Program[Ann]:
    text, plain = TEMPLATES[template]
    assert set(changed) <= set(plain)
    return allocated(text.format_map({**plain, **changed}))


def proved(p: Program[Ann]) -> bool:
    """No scatter races, and every element that is read was written."""
    asked = [o for o in verify(p).obligations if o.kind in (Kind.RACE_FREE, Kind.WRITTEN)]
    assert any("scatter" in o.place for o in asked)
    return all(o.verdict is Verdict.PROVED for o in asked)


def inputs(p: Program[Ann]) -> Iterator[tuple[ArgValue, ...]]:
    """Up to four elements, and a second array if there is one."""
    two = len(p.entries[0].params) == 3
    for n in range(4 if two else 5):
        for xs in product(range(2 if two or n > 3 else 3), repeat=n):
            for t in (-1, 0, 1, 2, 2**63 - 1):
                yield from ((t, list(xs), [0] * m) for m in range(4)) if two else ((t, list(xs)),)


def breaks(p: Program[Ann]) -> bool:
    """Whether some small input makes it race, or read what was never written."""
    for args in inputs(p):
        try:
            run_heap(p, p.entries[0].name, args)
        except MemoryFault:
            return True
        except Trap as trap:
            if "never" in trap.diagnostic.message:
                return True
    return False


MANY_CASES = " + ".join(f"i64(y < {k})" for k in range(2, 32))
"""30 if y is less than 2: two to the 30 ways to say it."""

RIGHT: list[tuple[str, dict[str, str]]] = [
    ("filter", {}),
    ("filter", {"op": "b + a"}),
    ("filter", {"kept": "y < t && kept"}),
    ("filter", {"none": "-0"}),
    ("filter", {"other": "-7"}),
    ("filter", {"kept": "y < t"}),
    ("filter", {"kept": "!(y >= t)"}),
    ("filter", {"kept": "kept || y < t"}),
    ("partition", {}),
    ("partition", {"base": "lowest + 0"}),
    ("partition", {"base": "lowest + 2"}),
    ("partition", {"base": "2 * lowest"}),
    ("partition", {"first": "c1 + a"}),
    ("partition", {"one": "1 && y != 2"}),
    ("partition", {"none": "0 == n"}),
    ("partition", {"none": "n < 1"}),
    ("partition", {"none": "n <= 0"}),
    ("partition", {"none": "1 > n"}),
    ("partition", {"none": "!(n > 0)"}),
    ("partition", {"none": "n < n"}),
    ("partition", {"none": "n != n || n == 0"}),
    ("partition", {"second": "x != 1 && x == 2"}),
    ("filter", {"other": "-32"}),
    ("filter", {"place": "rank - 1 + i64(kept) - i64(kept)"}),
    ("filter", {"unsure": "keep"}),
    ("filter", {"flag": "i64(i64(keep))"}),
    ("partition", {"base": "32 * lowest"}),
    ("partition", {"base": "lowest + rest"}),
    ("partition", {"base": "lowest + 3 * rest + 2"}),
    ("diagonal", {}),
    ("diagonal", {"inside": "j <= m - 1 && j >= 0"}),
    ("diagonal", {"inside": "true", "place": "k"}),
    ("diagonal", {"inside": "true", "place": "3 * n - k"}),
    ("diagonal", {"inside": "j == 0", "place": "0"}),
    ("diagonal", {"inside": "k == t", "place": "0"}),
    ("diagonal", {"inside": "y == 0 && y == 3", "place": "0", "value": "h + 1"}),
    ("diagonal", {"inside": "0 == j && y < t", "place": "y"}),
    ("diagonal", {"place": "0", "value": "3"}),
    ("diagonal", {"place": "0", "value": "t * t"}),
    ("diagonal", {"place": "y", "value": "t / 3"}),
    ("diagonal", {"values": "columns"}),
]

WRONG: list[tuple[str, dict[str, str]]] = [
    ("filter", {"op": "max(a, b)"}),
    ("filter", {"op": "b + b"}),
    ("filter", {"read": "n - 1 - i", "at": "n - 1 - j"}),
    ("filter", {"read": "n - 1 - i", "kept": "y < t"}),
    ("filter", {"flag": "i64(!keep)"}),
    ("filter", {"flag": "i64(keep && x < 1)"}),
    ("filter", {"flag": "2 * i64(keep)"}),  # distinct, and every other one is empty
    ("filter", {"flag": "1"}),
    ("filter", {"none": "1"}),
    ("filter", {"none": "1 - 4611686018427387904 * 4"}),  # the same
    ("filter", {"at": "0"}),
    ("filter", {"here": "0"}),
    ("filter", {"here": "n - 1 - j"}),
    ("filter", {"kept": "!kept"}),
    ("filter", {"kept": "true"}),
    ("filter", {"kept": "kept && y < 1"}),
    ("filter", {"kept": "y < 1"}),
    ("filter", {"place": "rank"}),
    ("filter", {"place": "rank - 2"}),
    ("filter", {"place": "2 * rank - 2"}),
    ("filter", {"place": "rank - y"}),
    ("filter", {"place": "0"}),
    ("filter", {"other": "0"}),
    ("filter", {"other": "rank"}),
    ("filter", {"length": "n", "empty": "scratch [n]i64"}),
    ("filter", {"length": "n", "empty": "replicate [n] 7", "place": "rank - y"}),
    ("partition", {"base": "0"}),
    ("partition", {"none": "n < 3"}),
    ("partition", {"none": "n <= 2"}),
    ("partition", {"none": "n == 2"}),
    ("partition", {"none": "2 == n"}),
    ("partition", {"none": "n >= 2"}),
    ("partition", {"none": "n >= 0"}),
    ("partition", {"none": "n == n"}),
    ("partition", {"none": "n > -1"}),
    ("partition", {"none": "t < 1"}),
    ("partition", {"none": "t + 1 < t"}),
    ("partition", {"none": "t == t + n - 2"}),
    ("partition", {"base": "1"}),
    ("partition", {"base": "lowest - 1"}),
    ("partition", {"base": "t"}),
    ("partition", {"base": "lowest + t"}),
    ("partition", {"base": "lowest * t"}),
    ("partition", {"base": "rest"}),
    ("partition", {"base": "lowest + rest", "other": "0 - i64(w == 0)"}),
    ("partition", {"base": "lowest - rest"}),
    ("partition", {"last": "0"}),
    ("partition", {"second": "x == 0"}),
    ("partition", {"second": "t != 1"}),
    ("partition", {"one": "0"}),
    ("diagonal", {"inside": "true"}),
    ("diagonal", {"inside": "0 <= j"}),
    ("diagonal", {"inside": "k == 0", "place": "k", "other": "1", "value": "h + 1"}),
    ("diagonal", {"inside": "1 <= k && k < 3", "place": "0", "value": "h + 1"}),
    ("diagonal", {"inside": "true", "place": "i64(i8(y + 1)) - 2", "value": "h + 1"}),
    ("diagonal", {"inside": "true", "place": "i64(3i32) - 3", "value": "h + 1"}),
    ("diagonal", {"inside": "0 <= j && j < m + 1"}),
    ("diagonal", {"inside": "j == 0 || k == 0", "place": "0"}),
    ("diagonal", {"inside": "y <= k && k <= y", "place": "0", "value": "h + 1"}),
    ("diagonal", {"inside": "y == k", "place": "0", "value": "h + 1"}),
    (
        "diagonal",  # the two are 0
        {
            "inside": "y == 0 && y == 4611686018427387904 * 4",
            "place": "0",
            "value": "h + 1",
        },
    ),
    ("diagonal", {"inside": "!(k == t)", "place": "0"}),
    ("diagonal", {"inside": "y == t", "place": "0", "value": "h"}),
    ("diagonal", {"place": "0"}),
    ("diagonal", {"place": "y", "value": "h"}),
    ("diagonal", {"place": "j / 2"}),
    ("diagonal", {"place": "k * (k - 1)"}),
    ("diagonal", {"place": "4611686018427387904 * 4 * k"}),
    ("diagonal", {"at": "0", "place": "j"}),
    ("diagonal", {"place": f"{' * '.join('k' * 40)} / n"}),
    ("diagonal", {"place": "0", "value": "x + 1"}),
    ("diagonal", {"place": "0", "value": "h"}),
    ("diagonal", {"place": "0", "values": "xs"}),
    ("diagonal", {"inside": "true", "place": f"{MANY_CASES} - 30", "value": "h + 1"}),
    ("diagonal", {"place": "0", "values": "columns"}),
]


@pytest.mark.parametrize(("template", "changed"), RIGHT, ids=str)
def test_right_is_proved(template: str, changed: dict[str, str]) -> None:
    assert proved(program(template, changed))


@pytest.mark.parametrize(("template", "changed"), WRONG, ids=str)
def test_wrong_is_not_proved(template: str, changed: dict[str, str]) -> None:
    assert not proved(program(template, changed))


@pytest.mark.parametrize(("template", "changed"), RIGHT, ids=str)
def test_right_on_small_inputs(template: str, changed: dict[str, str]) -> None:
    assert not breaks(program(template, changed))


@pytest.mark.parametrize(("template", "changed"), WRONG, ids=str)
def test_wrong_on_a_small_input(template: str, changed: dict[str, str]) -> None:
    assert breaks(program(template, changed))


ROWS = """
entry main [n] [m] (is : [n]i64) (xs : [n][m]i64) -> (r : i64) =
  let (s : [n][m]i64) = {dest}
  let (f : [n][m]i64) = scatter s is xs
  let (z : i64) = f[0, 0]
  in (z)
"""


@pytest.mark.parametrize(
    ("dest", "holes"), [("scratch [n][m]i64", True), ("replicate [n][m] 0", False)]
)
def test_rows_are_scattered_like_elements(dest: str, holes: bool) -> None:
    """A destination need not be a vector."""
    obligations = verify(allocated(ROWS.format(dest=dest))).obligations
    open_ = {o.kind for o in obligations if o.verdict is not Verdict.PROVED}
    assert Kind.RACE_FREE in open_
    assert (Kind.WRITTEN in open_) is holes
