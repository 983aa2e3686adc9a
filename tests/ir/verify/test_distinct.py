"""Scatters that funmem verify proves race-free, and what they fill: ranks of flags, the starts of
groups, and indices that a condition keeps apart (ir/verify/distinct.py, prefix.py, cases.py).

Programs with holes to fill: as they stand each is proved; what is changed in WRONG makes a program
that races, or reads what was never written, on a small input, which is run; and it is not proved.
Neither before nor after ``schedule`` has made chunks of the scans.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product

import pytest

from funmem.interp.heap import run_heap
from funmem.ir.diagnostics import MemoryFault, Trap
from funmem.ir.fun import Ann, Program
from funmem.ir.text import parse_fun, show
from funmem.ir.values import ArgValue
from funmem.ir.verify import Kind, Verdict, verify
from funmem.passes.runner import Pipeline
from tests.support.sampling import sampled
from tests.support.scatter_programs import TEMPLATES

IN_CHUNKS = "fuse,schedule{threads=2},allocate"
"""Scans become three loops, and what is cheap is computed in each of them."""


@cache
def allocated(text: str, passes: str = "allocate") -> Program[Ann]:
    found = Pipeline.parse(passes).run(parse_fun(text))
    assert isinstance(found, Program)
    return found


def program(template: str, changed: Mapping[str, str], passes: str = "allocate") -> Program[Ann]:
    text, plain = TEMPLATES[template]
    assert set(changed) <= set(plain)
    return allocated(text.format_map({**plain, **changed}), passes)


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

CHOSEN = "let (q1 : {0}) = loop (q2 : {0}) = q0 for q3 < 1 do in (q2)"
"""A name of which nothing is known but its type."""
BITS = " * ".join(["popcount(y - y - 1)"] * 6)
"""64 to the power of 6 is 0 as an i32 ..."""
BITS_64 = " * ".join(["i64(popcount(y - y - 1))"] * 6)
"""... but 68719476736 as an i64."""
NO_HOLES = {"length": "n", "empty": "replicate [n] 7"}
NAN = "f64(y) / f64(y)"
POWERS = " ".join(f"let (j{k} : i64) = j{k - 1} * j{k - 1}" for k in range(2, 5))
"""Squares of squares of j1, up to the power of 8."""


def zero(i: str) -> str:
    """Nothing if t is 0, in more terms than polynomials are expanded to."""
    powers = [(a, b) for a in range(12) for b in range(12 - a)]
    return " + ".join("*".join(["t", *[i] * a, *["n"] * b]) for a, b in powers)


FEWER = {"range": "t", "more": 'let (fewer : bool) = t <= n assert fewer "t"'}
LARGE = "4611686018427387904"

RIGHT: list[tuple[str, dict[str, str]]] = [
    ("filter", {}),
    ("twice", {}),
    ("filter", {"at": "0", "kept": "true", "place": "i64(kept) - 2", **NO_HOLES}),
    ("filter", {"op": "b + a"}),
    ("filter", {"kept": "y < t && kept"}),
    ("filter", {"none": "-0"}),
    ("filter", {"none": "-32"}),
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
    ("partition", FEWER),
    ("partition", {**FEWER, "counted": "f1 * i64(j < n)"}),
    ("expansion", {}),
    ("expansion", {"sum": "((b | s | a) >> 63) | s", "added": "b + a"}),
    ("expansion", {"place": "e - 1"}),
    ("expansion", {"some": "z != 0"}),
    ("expansion", {"some": "!(z == 0)"}),
    ("expansion", {"some": "1 <= z"}),
    ("expansion", {"some": "z > 0 && w < 7"}),
    ("expansion", {"size": "max(x - 1, 0)", "checked": "true"}),
    ("expansion", {"size": "i64(i32(x))"}),
    ("expansion", {"size": "t"}),
    ("expansion", {"size": "x / 2", "checked": "0 <= x"}),
    ("expansion", {"size": "i64(popcount(x))", "checked": "true", "sum": "s"}),
    ("expansion", {"size": "i64(x > 0) * 64", "checked": "true", "sum": "s"}),
    ("expansion", {"size": "2", "checked": "true", "sum": "s", "place": "e + t"}),
    ("expansion", {"counted": "i64(y > 0)", "sum": "s", "place": "e - 1"}),
    ("expansion", {"counted": "i64(y > 1)", "some": "!(z > 1)", "sum": "s", "place": "k - e"}),
    ("diagonal", {}),
    ("diagonal", {"inside": "j <= m - 1 && j >= 0"}),
    ("diagonal", {"inside": "true", "place": "k"}),
    ("diagonal", {"inside": "true", "place": "3 * n - k"}),
    ("diagonal", {"inside": "j == 0", "place": "0"}),
    ("diagonal", {"inside": "k == t", "place": "0"}),
    ("diagonal", {"inside": "y == 0 && y == 3", "place": "0", "value": "h + 1"}),
    ("diagonal", {"inside": "0 == j && y < t", "place": "y"}),
    ("diagonal", {"place": "0", "value": "3"}),
    ("diagonal", {"place": "0", "value": "abs(t)"}),
    *(
        ("diagonal", {"outer": f"let (g : [n]i64) = iota [n] 5 {step}", "by": "g"})
        for step in (1, -1, 32)
    ),
    ("diagonal", {"place": "0", "value": "t * t"}),
    ("diagonal", {"place": "y", "value": "t / 3"}),
    ("diagonal", {"values": "columns"}),
    ("diagonal", {"inside": "1 <= t && t <= 9", "place": "t * k"}),
    ("diagonal", {"inside": "y == 0 && y == 3 && k < t", "place": "0", "value": "h + 1"}),
    ("diagonal", {"inside": "y == 1 && y == -1", "place": "0", "value": "h + 1"}),
    ("diagonal", {"inside": "i8(y) == 3i8 && i8(y) == 4i8", "place": "0", "value": "h + 1"}),
    (
        "diagonal",
        {
            "more": f"let (q0 : bool) = y < t {CHOSEN.format('bool')}",
            "inside": "true",
            "place": "i64(q1) - 2",
        },
    ),
    (
        "diagonal",
        {"outer": "let (g : [n]i64) = replicate [n] t", "place": "0", "value": "g[h]"},
    ),
    (
        "diagonal",
        {
            "outer": "let (g : [n]i64) = iota [n] 5 3",
            "more": "let (q1 : i64) = g[k]",
            "inside": "true",
            "place": "q1",
        },
    ),
]

FIRST = "i64(i < 2)"
"""With it two sizes are huge, and the sum of those and of one of 2 is 0 as an i64."""

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
    ("partition", {**FEWER, "counted": "f1 * i64(j < t) - i64(j >= t)"}),  # fewer in total
    ("expansion", {"checked": "true", "size": "1 - x", "sum": "s"}),
    ("expansion", {"checked": "-1 <= size", "size": "1 - x", "sum": "s"}),
    ("expansion", {"checked": "0 <= x", "size": "1 - x", "sum": "s"}),
    ("expansion", {"sum": "s", "size": f"max(({FIRST}) * t, 2)", "checked": "true"}),
    ("expansion", {"sum": "s | ((a | s) >> 63)", "size": "1 - x", "checked": "true"}),
    ("expansion", {"sum": "max(a, b)"}),
    ("expansion", {"added": "a + b - 1", "sum": "s"}),
    ("expansion", {"place": "z"}),
    ("expansion", {"place": "e - z * z"}),
    ("expansion", {"place": "e - z + w", "also": "1 - i"}),
    ("expansion", {"place": "e - z - x2", "more": "let (x2 : i64) = xs[k]"}),
    ("expansion", {"place": "0"}),
    ("expansion", {"place": "k - e"}),
    ("expansion", {"some": "true"}),
    ("expansion", {"some": "z >= 0"}),
    ("expansion", {"some": "z < 1"}),
    ("expansion", {"some": "z > 0 || k == 1"}),
    ("expansion", {"other": "0"}),
    ("expansion", {"here": "n - 1 - j"}),
    ("expansion", {"at": "n - 1 - k"}),
    ("expansion", {"end": "n - 1 - k"}),
    ("expansion", {"counted": "y * y - y"}),
    ("expansion", {"counted": "1 - y", "sum": "s"}),
    ("expansion", {"counted": "i64(y > 1)", "sum": "s"}),
    ("expansion", {"counted": "i64(y == 0)", "sum": "s", "place": "e - 1"}),
    ("expansion", {"counted": "i64(y > 1)", "sum": "s", "place": "k - e"}),
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
    ("filter", {"place": "0", "given": "again", **NO_HOLES}),
    (
        "filter",  # its own total in each thread
        {
            "more": "let (g : [2]i64) = kernel q < 2 scan (\\(g1 : i64) (g2 : i64) -> "
            "let (g3 : i64) = g1 + g2 in (g3)) (0) do let (g4 : i64) = i64(y < 0 + 1) in (g4) "
            "let (q1 : i64) = g[1]",
            "place": "rank - 1 + q1",
            **NO_HOLES,
        },
    ),
    *(
        ("diagonal", {"inside": "true", "value": "h + 1", **changed})
        for changed in (
            {"place": "i64(i8(256 * k))"},
            {"inside": f"!({NAN} == {NAN})", "place": "0"},
            {"inside": "!(!(y == 1) && 0 <= k)", "place": "0"},
            {"inside": "(0 <= k || k < 0) && y < 7", "place": "0"},
            {"outer": "let (g : [n]i64) = iota [n] 0 0", "by": "g"},
            {"outer": "let (g : [n]i64) = iota [n] 0 -9223372036854775808", "by": "g"},
            {"inside": f"y == 1 && y == {LARGE} * 4 + 1", "place": "0"},
            {"inside": f"y == i64({BITS}) + 1 && y == {BITS_64} - 68719476735", "place": "0"},
            {"place": "0", "value": "t / (x + 1)"},
            {
                "more": f"let (q0 : f64) = f64(y + 2) {CHOSEN.format('f64')}",
                "place": "i64(q1) - 2",
            },
            {
                "more": f"let (q0 : f64) = {NAN} {CHOSEN.format('f64')}",
                "inside": "!(q1 == q1)",
                "place": "0",
            },
            {
                "more": "let (q0 : f64) = f64(y + 2) let (g : [2]f64) = replicate [2] q0 "
                "let (q1 : f64) = g[0]",
                "place": "i64(q1) - 2",
            },
            {
                "more": f"let (q1 : i64) = {LARGE} * k let (q2 : i64) = q1 * 4",
                "place": "q2 + 0",
            },
            {
                "outer": "let (z : [n]i64) = replicate [n] 0 let (g : [n]i64) = "
                "kernel q < 2 reduce (\\(g1 : [n]i64) (g2 : [n]i64) -> in (g1)) (z) do in (z)",
                "more": "let (q1 : i64) = g[k]",
                "place": "q1",
            },
            {
                "outer": "let (g : [n]i8) = iota [n] 0i8 -128i8",
                "more": "let (q1 : i8) = g[k]",
                "place": "i64(q1)",
            },
            {
                "outer": "let (g : [n]i64) = iota [n] 0 2",
                "more": "let (q1 : i64) = g[k]",
                "place": "q1 - 2 * k",
            },
            {
                "more": f"let (q0 : i64) = y {CHOSEN.format('i64')} "
                'let (some : bool) = 0 <= q1 assert some "some"',
                "inside": "!(0 < q1)",
                "place": "0",
            },
        )
    ),
]


@pytest.mark.parametrize(("template", "changed"), sampled(RIGHT, 2), ids=str)
def test_right_is_proved(template: str, changed: dict[str, str]) -> None:
    assert proved(program(template, changed))


@pytest.mark.parametrize(("template", "changed"), sampled(WRONG, 5, slow=1), ids=str)
def test_wrong_is_not_proved(template: str, changed: dict[str, str]) -> None:
    assert not proved(program(template, changed))


def scanned(programs: list[tuple[str, dict[str, str]]]) -> list[tuple[str, dict[str, str]]]:
    """Those that scan."""
    return [p for p in programs if p[0] != "diagonal"]


@pytest.mark.parametrize(("template", "changed"), sampled(scanned(RIGHT), 24), ids=str)
def test_right_is_proved_in_chunks(template: str, changed: dict[str, str]) -> None:
    assert proved(program(template, changed, IN_CHUNKS))


@pytest.mark.parametrize(("template", "changed"), sampled(scanned(WRONG), 20, 1), ids=str)
def test_wrong_is_not_proved_in_chunks(template: str, changed: dict[str, str]) -> None:
    assert not proved(program(template, changed, IN_CHUNKS))


ONE_PASS = [
    ("(p_4 : i64) = e_2 - 1", "(p_4 : i64) = e_2 - 2"),
    ("(e_2 : i64) = g_4", "(e_2 : i64) = acc_7"),
    ("(some_2 : bool) = z_2 > 0", "(some_2 : bool) = z_2 >= 0"),
    ("= scanned_4[t_4]", "= part_1[t_4]"),
    ("(acc_7 : i64) = acc_4", "(acc_7 : i64) = 0"),
    ("with [t_3] = acc_3", "with [t_3] = g_2"),
]
"""Faults in the loops that scan sizes and compute places from the sums, in rows and a remainder."""


@cache
def in_one_pass() -> str:
    text, plain = TEMPLATES["expansion"]
    p = parse_fun(text.format_map({**plain, "place": "e - 1"}))
    return show(Pipeline.parse("fuse,schedule{threads=2}").run(p))


def test_places_from_a_scan_in_one_pass_are_proved() -> None:
    assert " scan " not in in_one_pass()
    assert proved(allocated(in_one_pass()))


@pytest.mark.parametrize(("old", "new"), sampled(ONE_PASS, 6), ids=str)
def test_wrong_places_in_one_pass_are_not_proved(old: str, new: str) -> None:
    assert in_one_pass().count(old) == 1
    wrong = allocated(in_one_pass().replace(old, new))
    assert breaks(wrong)
    assert not proved(wrong)


APART = """
entry main [n] (t : i64) (xs : [n]i64) -> (r : i64) =
  let (total : i64) =
    kernel j < n reduce (\\(a2 : i64) (b2 : i64) -> let (s2 : i64) = a2 + b2 in (s2)) (0) do
      let (x2 : i64) = xs[j]
      let (c2 : bool) = x2 == 1
      let (f2 : i64) = i64(c2)
      in (f2)
  let (ends : [n]i64) =
    kernel i < n scan (\\(a1 : i64) (b1 : i64) -> let (s1 : i64) = a1 + b1 in (s1)) (0) do
      let (x1 : i64) = xs[i]
      let (c1 : bool) = x1 == 1
      let (f1 : i64) = i64(c1)
      in (f1)
  let (places : [n]i64) =
    kernel k < n do
      let (y : i64) = xs[k]
      let (e : i64) = ends[k]
      let (d : bool) = y == 1
      let (p : i64) = if d then let (q : i64) = e - 1 in (q)
        else let (o : i64) = total + k - e in (o)
      in (p)
  let (m : [n]i64) = copy xs
  let (ids : [n]i64) = iota [n] 0 1
  let (z : [n]i64) = scatter m places ids
  in (t)"""
"""A partition whose total is computed apart from the running sum."""
IN_ORDER = APART.replace(
    "kernel j < n reduce (\\(a2 : i64) (b2 : i64) -> let (s2 : i64) = a2 + b2 in (s2)) (0) do",
    "loop (acc : i64) = 0 for j < n do",
).replace("in (f2)", "let (s2 : i64) = acc + f2 in (s2)")
"""The same, by a loop."""
IN_LOOPS = "schedule{threads=2},allocate"
WRONG_TOTALS = [
    ("c2 : bool) = x2 == 1", "c2 : bool) = x2 == 2"),
    ("s2 : i64) = a2 + b2", "s2 : i64) = max(a2, b2)"),
    ("x2 : i64) = xs[j]", "x2 : i64) = xs[0]"),
    ("total + k - e", "total - 1 + k - e"),
]
SCHEDULED = [
    ("(acc_5 : i64) = acc_4", "(acc_5 : i64) = 0"),
    (
        "(acc_2 : i64) =\n        loop (acc_1 : i64) = 0",
        "(acc_2 : i64) =\n        loop (acc_1 : i64) = -1",
    ),
]
"""Faults in the loops that add up the total of all chunks."""


@pytest.mark.parametrize("passes", ["allocate", IN_LOOPS])
def test_a_total_apart_from_the_running_sum_is_proved(passes: str) -> None:
    assert proved(allocated(APART, passes))


@pytest.mark.parametrize("passes", ["allocate", IN_LOOPS])
@pytest.mark.parametrize(("old", "new"), sampled(WRONG_TOTALS, 3), ids=str)
def test_another_total_is_not_proved(old: str, new: str, passes: str) -> None:
    assert APART.count(old) == 1
    wrong = allocated(APART.replace(old, new), passes)
    assert breaks(wrong)
    assert not proved(wrong)


KEPT = (
    APART.replace("let (o : i64) = total + k - e in (o)", "let (o : i64) = -1 in (o)")
    .replace("let (m : [n]i64) = copy xs", "let (m : [total]i64) = scratch [total]i64")
    .replace("let (z : [n]i64)", "let (z : [total]i64)")
    .replace(
        "in (t)",
        """let (sum : i64) =
    loop (u : i64) = 0 for h < total do
      let (v : i64) = z[h]
      let (w : i64) = u + v
      in (w)
  in (sum)""",
    )
)
"""A filter: the kept elements have all places up to the total."""


@pytest.mark.parametrize(
    ("old", "new", "fine"),
    [
        ("", "", True),
        ("d : bool) = y == 1", "d : bool) = y == 2", False),
        ("c2 : bool) = x2 == 1", "c2 : bool) = x2 > 0", False),
        ("let (q : i64) = e - 1", "let (q : i64) = e - 2", False),
    ],
)
def test_a_filter_in_one_pass_fills_its_result(old: str, new: str, fine: bool) -> None:
    p = allocated(KEPT.replace(old, new) if old else KEPT, IN_LOOPS)
    assert proved(p) is fine
    assert fine or breaks(p)


@pytest.mark.parametrize(("start", "fine"), [("0", True), ("-1", False)])
def test_a_total_from_a_loop_starts_at_0(start: str, fine: bool) -> None:
    p = allocated(IN_ORDER.replace("(acc : i64) = 0", f"(acc : i64) = {start}"))
    assert proved(p) is fine
    assert breaks(p) is not fine


@pytest.mark.parametrize(("old", "new"), SCHEDULED, ids=str)
def test_a_total_of_some_chunks_is_not_proved(old: str, new: str) -> None:
    text = show(Pipeline.parse("schedule{threads=2}").run(parse_fun(APART)))
    assert text.count(old) == 1
    wrong = allocated(text.replace(old, new))
    assert breaks(wrong)
    assert not proved(wrong)


@pytest.mark.parametrize(("large", "fine"), [("j4 * j3", True), ("j4 * j3 * j2", False)])
def test_products_of_many_factors_are_not_proved_to_be_the_same(large: str, fine: bool) -> None:
    """Of how many is a matter of taste; it is no polynomial then, and has to be spelt alike."""
    other = " * ".join(reversed(large.split(" * ")))
    changed = {"more": f"let (j1 : i64) = j {POWERS}", "place": f"rank - 1 + {large} - {other}"}
    assert proved(program("filter", changed)) is fine


@pytest.mark.slow
def test_elements_far_apart_are_not_proved_to_be_the_same() -> None:
    """Their indices are too long to be compared in other words than those of the text."""
    far = program(
        "filter",
        {
            "read": f"i + {zero('i')}",
            "flag": "i64(x == 1)",
            "more": f"let (other : i64) = xs[n - 1 - j + {zero('j')}]",
            "kept": "other == 1",
            **NO_HOLES,
        },
    )
    assert breaks(far)
    assert not proved(far)


@pytest.mark.parametrize(("template", "changed"), sampled(RIGHT, 50), ids=str)
def test_right_on_small_inputs(template: str, changed: dict[str, str]) -> None:
    assert not breaks(program(template, changed))


@pytest.mark.parametrize(("template", "changed"), sampled(WRONG, 30), ids=str)
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


PERMUTED = """
entry main [n] (t : i64) (xs : [n]i64) -> (r : i64) =
  let (s : [{rows}]i64) = scratch [{rows}]i64
  let (is : [n]i64) = {indices}
  let (f : [{rows}]i64) = scatter s is xs
  let (sum : i64) =
    kernel k < {rows} reduce (\\(u : i64) (v : i64) ->
      let (w : i64) = u + v
      in (w)) (0)
    do
      let (z : i64) = f[k]
      in (z)
  in (sum)
"""


def permuted(at: str, rows: str) -> Program[Ann]:
    kernel = f"kernel i < n do let (j : i64) = {at} in (j)"
    indices = at if at.startswith("iota") else kernel
    return allocated(PERMUTED.format(rows=rows, indices=indices))


@pytest.mark.parametrize(
    ("at", "rows"),
    sampled(
        [
            ("i", "n"),
            ("n - 1 - i", "n"),
            ("i - 1", "n - 1"),
            ("n - 2 - i", "n - 1"),
            ("(i + 5) % n", "n"),
            ("(3 - i) % n", "n"),
            ("iota [n] 0 1", "n"),
        ],
        3,
        1,
    ),
)
def test_indices_of_all_rows_are_a_permutation(at: str, rows: str) -> None:
    """A reversed, or a rotated scatter fills all rows; n - 1 is 0 or more, as there are rows."""
    p = permuted(at, rows)
    assert proved(p)
    assert not breaks(p)


@pytest.mark.parametrize(
    ("at", "rows"),
    [
        ("i + 1", "n"),
        ("n - i", "n"),
        ("n - 2 - i", "n"),
        ("i", "n + 1"),
        ("(i + 5) % n", "n + 1"),
        ("(i + 5) % (n + 1)", "n"),
        ("(i + t) % n", "n"),
        ("(2 * i) % n", "n"),
        ("(i * i) % n", "n"),
        ("(i + 5) / n", "n"),
        ("i / 2", "n"),
        ("iota [n] 1 1", "n"),
        ("iota [n] 0 -1", "n"),
        ("iota [n] 0 2", "n"),
        ("iota [n] t -1", "n"),
    ],
)
def test_indices_that_leave_rows_or_repeat(at: str, rows: str) -> None:
    p = permuted(at, rows)
    assert breaks(p)
    assert not proved(p)
