"""O5 of funmem verify: which arrays have no element that was never given a value.

A table of programs without memory, which `allocate` gives them: `f` is whole in one half of them,
and in the other it may have holes, though it looks much the same.
"""

from functools import cache
from itertools import product

import pytest

from funmem.interp.heap import run_heap
from funmem.ir.diagnostics import FaultKind, MemoryFault, Trap
from funmem.ir.fun import Ann, Program
from funmem.ir.names import Name
from funmem.ir.text import parse_fun
from funmem.ir.verify import Kind, Verdict, verify
from funmem.ir.verify.scene import Scene
from funmem.ir.verify.written import Written
from funmem.passes.runner import Pipeline

HEAD = """\
entry main [n] [m] (k : i64) (c : bool) (xs : [n]i32) (zs : [m]i32) (is : [n]i64) -> (r : i32) =
  let (s : [n]i32) = scratch [n]i32
  let (t : [n]i32) = scratch [n]i32
  let (w : [n]i32) = copy xs
  let (h : [1]i32) = scratch [1]i32
  let (s2 : [n][m]i32) = scratch [n][m]i32
  let (h3 : [3]i32) = scratch [3]i32
  let (w3 : [3]i32) = replicate [3] 0i32
"""


def allocated(text: str) -> Program[Ann]:
    """A program's text with places for its arrays."""
    found = Pipeline.parse("allocate").run(parse_fun(text))
    assert isinstance(found, Program)
    return found


@cache
def is_whole(body: str) -> bool:
    """Whether every element of ``f`` has a value."""
    p = allocated(f"{HEAD}{body}\n  in (0i32)\n")
    return Written.of(Scene.of_entry(p.entries[0])).whole(Name("f"))


def loop(body: str, bound: str = "n", *, start: str = "s", result: str = "p1") -> str:
    """``f`` is what a loop makes of ``p``."""
    head = f"let (f : [n]i32) = loop (p : *[n]i32) = {start} for i < {bound} do"
    return f"  {head}\n{body}\n    in ({result})"


def with_one(x: str, y: str, value: str = "5i32", at: str = "i") -> str:
    """An update of one element."""
    return f"  let ({y} : [n]i32) = {x} with [{at}] = {value}\n"


def branch(then: str, orelse: str) -> str:
    """One, which binds ``a``, or the other, which binds ``b``."""
    return f"  let (p1 : [n]i32) = if c then\n{then} in (a) else\n{orelse} in (b)\n"


def again(body: str, *, start: str = "p1", bound: str = "k") -> str:
    """A loop inside, of ``q``, which binds ``a`` in each iteration."""
    head = f"  let (g : [n]i32) = loop (q : *[n]i32) = {start} for j < {bound} do\n"
    return f"{head}{body} in (a)\n"


def rows(body: str) -> str:
    """Two loops that fill a matrix."""
    return f"""\
  let (f : [n][m]i32) = loop (p : *[n][m]i32) = s2 for i < n do
    let (g : [n][m]i32) = loop (q : *[n][m]i32) = p for j < m do
      {body}
      in (a)
    in (g)"""


def collective(how: str, result: str, *, row: str = "v", more: str = "u", out: str = "f o") -> str:
    """A reduction or a histogram of rows of 3, and a mapped result."""
    f, o = out.split()
    head = f"  let ({f} : RESULT) ({o} : [n][3]i32) = kernel i < n {how}"
    first = "e, " if how.startswith("hist") else ""
    return f"""{head} (\\ (p : [3]i32) (q : [3]i32) ->
    let (b : [3]i32) = replicate [3] 2i32
    let (d : [3]i32) = scratch [3]i32
    in ({result})) {"(h3)" if how == "reduce UNSET" else "(NEUTRAL)"} do
      let (e : i64) = is[i]
      let (v : [3]i32) = replicate [3] 1i32
      let (u : [3]i32) = replicate [3] 1i32
      let (y : [3]i32) = scratch [3]i32
      in ({first}{row}, {more})"""


def reduced(result: str, neutral: str = "w3", **given: str) -> str:
    """A reduction."""
    text = collective("reduce", result, **given)
    return text.replace("RESULT", "[3]i32").replace("NEUTRAL", neutral)


def counted(result: str, start: str = "w3", **given: str) -> str:
    """A histogram."""
    text = collective("hist (dest)", result, **given)
    dest = f"  let (dest : [2][3]i32) = replicate [2] {start}\n"
    return dest + text.replace("RESULT", "[2][3]i32").replace("NEUTRAL", "w3")


FILL = with_one("p", "p1")


def hole(x: str, y: str) -> str:
    """An update that takes the value of the first element away."""
    return f"  let ({y} : [n]i32) = {x} with [0 : 1 : 1] = h\n"


WHOLE = {
    "literal": "  let (f : [2][n]i32) = [xs, w] : [n]i32",
    "concat": "  let (f : [n + n]i32) = concat 0 xs w",
    "view": "  let (f : [n]i32) = reverse 0 w",
    "all of it replaced": "  let (f : [n]i32) = s with [0 : n : 1] = w",
    "one replaced": "  let (f : [n]i32) = w with [0] = 5i32",
    "scatter": "  let (f : [n]i32) = scatter w is xs",
    "branch": "  let (f : [n]i32) = if c then in (xs) else in (w)",
    "rows": "  let (f : [n][3]i32) = kernel i < n do let (a : [3]i32) = copy w3 in (a)",
    "loop keeps": loop(with_one("p", "p1"), "k", start="w"),
    "reduce": reduced("q"),
    "reduce beside a hole": reduced("q", more="y"),
    "reduce, mapped": reduced("q", row="y", out="o f"),
    "hist": counted("q"),
    "hist beside a hole": counted("q", more="y"),
    "hist, mapped": counted("q", row="y", out="o f"),
    "filled": loop(FILL),
    "filled and more": loop(FILL, "n + 1"),
    "filled, then changed": loop(FILL + with_one("p1", "p2", at="0"), result="p2"),
    "filled in branches": loop(branch(with_one("p", "a"), with_one("p", "b", "6i32"))),
    "filled, then a loop": loop(FILL + again(with_one("q", "a", at="0")), result="g"),
    "filled, then a scatter": loop(FILL + "  let (p2 : [n]i32) = scatter p1 is xs\n", result="p2"),
    "other array": loop("", result="xs").replace("*", ""),
    "filled by rows": rows("let (a : [n][m]i32) = q with [i, j] = 5i32"),
    "filled by whole rows": loop(
        "    let (p1 : [n][m]i32) = p with [i, 0 : m : 1] = zs", start="s2"
    ).replace("[n]", "[n][m]", 2),
}
HOLES = {
    "scratch": "  let (f : [n]i32) = copy s",
    "literal": "  let (f : [2][n]i32) = [xs, s] : [n]i32",
    "concat": "  let (f : [n + n]i32) = concat 0 s xs",
    "view": "  let (f : [n]i32) = reverse 0 s",
    "all of it replaced by a hole": "  let (f : [n]i32) = s with [0 : n : 1] = t",
    "a part replaced": "  let (f : [n]i32) = s with [0 : m : 1] = zs",
    "a part replaced by a hole": "  let (f : [n]i32) = w with [0 : 1 : 1] = h",
    "one replaced": "  let (f : [n]i32) = s with [0] = 5i32",
    "scatter to holes": "  let (f : [n]i32) = scatter s is xs",
    "scatter of holes": "  let (f : [n]i32) = scatter w is s",
    "branch": "  let (f : [n]i32) = if c then in (xs) else in (s)",
    "rows": "  let (f : [n][3]i32) = kernel i < n do let (a : [3]i32) = copy h3 in (a)",
    "loop ends with a hole": loop("", "k", start="w", result="t").replace("*", ""),
    "loop starts with a hole": loop(with_one("p", "p1", at="0"), "k"),
    "reduce of holes": reduced("q", row="y"),
    "reduce to a hole": reduced("d"),
    "reduce from a hole": reduced("b", "h3"),
    "reduce, mapped": reduced("q", more="y", out="o f"),
    "hist of holes": counted("q", row="y"),
    "hist to a hole": counted("d"),
    "hist from holes": counted("b", "h3"),
    "hist, mapped": counted("q", more="y", out="o f"),
    "filled too short": loop(FILL, "m"),
    "filled elsewhere": loop(with_one("p", "p1", at="0")),
    "filled, all but one": loop(FILL, "n - 1"),
    "filled, then a hole": loop(FILL + hole("p1", "a"), result="a"),
    "filled in one branch": loop(branch(with_one("p", "a"), with_one("p", "b", at="0"))),
    "hole in one branch": loop(branch(with_one("p", "a"), with_one("p", "p2") + hole("p2", "b"))),
    "filled, then a loop with holes": loop(FILL + again(hole("q", "a")), result="g"),
    "a loop after a hole": loop(
        FILL + hole("p1", "b") + again(with_one("q", "a", at="0"), start="b"), result="g"
    ),
    "a loop in a loop, too deep": loop(again(with_one("q", "a", at="i"), start="p"), result="g"),
    "filled, then a scatter of holes": loop(
        FILL + "  let (p2 : [n]i32) = scatter p1 is t\n", result="p2"
    ),
    "other array": loop("", result="t").replace("*", ""),
    "the same again": loop("", result="p"),
    "filled by rows, one element": rows("let (a : [n][m]i32) = q with [i, 0] = 5i32"),
    "filled by rows, one row": rows("let (a : [n][m]i32) = q with [0, j] = 5i32"),
    "filled flat": loop("  let (p1 : [n]i32) = p with flat [i + {(1 : 1)}] = w1\n").replace(
        "let (f", "let (w1 : [1]i32) = replicate [1] 1i32\n  let (f"
    ),
    "while": """\
  let (f : [n]i32) (l : bool) = loop (p : *[n]i32) = s, (d : bool) = c while d do
    let (p1 : [n]i32) = p with [k] = 5i32
    in (p1, c)""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_what_is_made_of_values_has_values(name: str) -> None:
    assert is_whole(WHOLE[name])


@pytest.mark.parametrize("name", HOLES)
def test_a_hole_stays_a_hole(name: str) -> None:
    assert not is_whole(HOLES[name])


FILLING = """\
entry main (n : i64) (m : i64) (k : i64) (c : bool) (x : i32) -> (r : [n][m]i32) =
  let (s : [n][m]i32) = scratch [n][m]i32
  let (f : [n][m]i32) = loop (p : *[n][m]i32) = s for i < n do
    let (g : [n][m]i32) = loop (q : *[n][m]i32) = p for j < m do
      let (v : i32) = if c then
        in (x)
      else
        let (w : i32) = q[READ]
        in (w)
      let (a : [n][m]i32) = q with [WRITTEN] = v
      in (a)
    in (g)
  in (f)
"""


@pytest.mark.parametrize(
    ("written", "read", "proved"),
    [
        ("i, j", "i - 1, j", True),
        ("i, j", "i - 1, j + 1", True),
        ("i, j", "i - 1, k", True),
        ("i, j", "i, j - 1", True),
        ("i, j", "i, j", False),
        ("i, j", "i, j + 1", False),
        ("i, j", "i + 1, j - 1", False),
        ("i, j", "k, j", False),
        ("i, m - 1 - j", "i - 1, j", True),
        ("i, m - 1 - j", "i, j - 1", False),
        ("n - 1 - i, j", "i - 1, j", False),
        ("i, 0", "i - 1, j", False),
    ],
)
def test_elements_of_earlier_iterations_are_written(written: str, read: str, proved: bool) -> None:
    found = verify(allocated(FILLING.replace("READ", read).replace("WRITTEN", written)))
    (o,) = (o for o in found.obligations if o.place == "element of q")
    assert (o.verdict is Verdict.PROVED) is proved


SCATTERED = """\
entry main [n] (xs : *[n]i32) (ys : [n]i32) -> (zs : [n]i32) =
  let (at : [n]i64) = MADE
  let (z : [n]i32) = scatter xs at ys
  in (z)
"""


@pytest.mark.parametrize(("made", "open_"), [("iota [n] 0 1", 0), ("scratch [n]i64", 1)])
def test_places_of_a_scatter_are_read(made: str, open_: int) -> None:
    found = verify(allocated(SCATTERED.replace("MADE", made))).obligations
    why = "at may have elements that were never given a value"
    reads = [o for o in found if o.kind is Kind.WRITTEN and o.place != "result zs"]
    assert [o.place for o in reads] == ["indices at"]
    assert [o.why for o in reads if o.verdict is not Verdict.PROVED] == [why] * open_


COUNTED = """\
entry main [n] (ks : [n]i64) -> (r : i64) =
  let (d : DEST) = START
  let (h : DEST) = kernel i < n hist (d) (\\(a : ELEM) (b : ELEM) ->
      let (c : ELEM) = SUM
      in (c)) (NEUTRAL) do
    let (k : i64) = ks[i]
    let (v : ELEM) = VALUE
    in (k, v)
  in (7)
"""
NUMBERS = {"ELEM": "i64", "SUM": "a + b", "NEUTRAL": "0", "VALUE": "k * 2"}
ROWS = {"ELEM": "[3]i64", "SUM": "copy b", "NEUTRAL": "z", "VALUE": "replicate [3] k"}


@pytest.mark.parametrize(
    ("start", "words", "buckets", "open_"),
    [
        ("replicate [4] 0", NUMBERS, ["d"], 0),
        ("scratch [4]i64", NUMBERS, ["d"], 1),
        ("scratch [4][3]i64", ROWS, [], 0),
    ],
)
def test_buckets_of_a_histogram_are_read(
    start: str, words: dict[str, str], buckets: list[str], open_: int
) -> None:
    """One number at a time; rows are copied, and what an operator reads of them is its matter."""
    text = COUNTED.replace("START", start)
    text = text.replace("DEST", "[4]i64" if words is NUMBERS else "[4][3]i64")
    for word, meant in words.items():
        text = text.replace(word, meant)
    if words is ROWS:
        text = text.replace("  let (d :", "  let (z : [3]i64) = replicate [3] 0\n  let (d :")
    p = allocated(text)
    reads = [o for o in verify(p).obligations if o.kind is Kind.WRITTEN]
    assert [o.place for o in reads if o.place.startswith("b")] == [f"buckets {x}" for x in buckets]
    assert sum(o.verdict is not Verdict.PROVED for o in reads) == open_
    try:
        run_heap(p, "main", ([0, 1, 0],))
        fault = None
    except MemoryFault as f:
        fault = f.kind
    assert fault is (FaultKind.POISON if open_ else None)


def test_a_loop_without_iterations_fills_nothing() -> None:
    """Inside of it there is one, and so as many as one element needs."""
    text = """\
entry main (k : i64) -> (r : i32) =
  let (s : [1]i32) = scratch [1]i32
  let (f : [1]i32) = loop (p : *[1]i32) = s for i < k do
    let (p1 : [1]i32) = p with [i] = 5i32
    in (p1)
  let (e : i32) = f[0]
  in (e)
"""
    found = verify(allocated(text))
    assert [o.kind for o in found.obligations if o.verdict is not Verdict.PROVED] == [Kind.WRITTEN]


PARTS = """\
entry main [m] (n : i64) (h : i64) (is : [m]i64) -> (r : i64) =
  let (s : [n]i64) = scratch [n]i64
  {before}
  let (f : [n]i64) = loop (p : *[n]i64) = s for i < {first} do
    {inside}
    let (p1 : [n]i64) = p with [{at}] = i
    in (p1)
  let (g : [n]i64) = loop (q : *[n]i64) = f for j < {second} do
    let (q1 : [n]i64) = q with [{to}] = j
    in (q1)
  {after}
  let (sum : i64) =
    kernel k < n reduce (\\(u : i64) (v : i64) ->
      let (w : i64) = u + v
      in (w)) (0)
    do
      let (z : i64) = g[k]
      in (z)
  in (sum)
"""
PLAIN = {"before": "let (n1 : i64) = n - 1", "inside": "", "after": ""}
REVERSED = {**PLAIN, "first": "n", "at": "n - 1 - i", "second": "0", "to": "j"}
HALVES = {**PLAIN, "first": "h", "at": "i", "second": "n - h", "to": "h + j"}
HALF = {"before": "let (half : i64) = n / 2"}

FILLED = [
    REVERSED,
    {**REVERSED, "inside": "let (t : i64) = n1 - i", "at": "t"},
    {**REVERSED, "first": "n + 0", "second": "h", "to": "0"},
    HALVES,
    {**HALVES, "at": "h - 1 - i"},
    {**HALVES, "to": "n - 1 - j"},
    {**HALVES, "at": "n - 1 - i", "to": "j"},
    {**HALVES, "at": "n - h + i", "to": "n - h - 1 - j"},
    {**HALVES, **HALF, "first": "half", "second": "n - half", "to": "half + j"},
    {
        **HALVES,
        "second": "n - h - 1",
        "to": "h + 1 + j",
        "before": "let (s0 : i64) = 3",
        "first": "h + 1",
    },
]
UNFILLED = [
    {**REVERSED, "first": "n - 1"},
    {**REVERSED, "first": "n - 1", "at": "n - 2 - i"},
    {**REVERSED, "at": "0"},
    {**REVERSED, "inside": "let (t : i64) = is[i]", "at": "t"},
    {**REVERSED, "inside": "let (t : i64) = (n1 - i) * (n1 - i) / n", "at": "t"},
    {**REVERSED, "first": "h"},
    {**HALVES, "second": "n - h - 1"},
    {**HALVES, "second": "n - h - 1", "to": "h + 1 + j"},
    {**HALVES, "first": "h - 1"},
    {**HALVES, "to": "h"},
    {**HALVES, "to": "n - h - 1 - j"},
    {**HALVES, "at": "n - 1 - i"},
    {**HALVES, **HALF, "first": "half", "second": "half", "to": "half + j"},
]


def filled(parts: dict[str, str]) -> Program[Ann]:
    text = PARTS
    for hole, what in parts.items():
        text = text.replace("{" + hole + "}", what)
    return allocated(text)


def has_holes(p: Program[Ann]) -> bool:
    for n, h in product(range(5), repeat=2):
        try:
            run_heap(p, "main", (n, h, [0, 1, 1, 2, 0]))
        except Trap:
            continue
        except MemoryFault as f:
            return f.kind is FaultKind.POISON
    return False


@pytest.mark.parametrize("parts", FILLED, ids=str)
def test_loops_that_fill_all_rows_in_parts_and_backwards(parts: dict[str, str]) -> None:
    p = filled(parts)
    assert not has_holes(p)
    assert [o for o in verify(p).obligations if o.verdict is not Verdict.PROVED] == []


@pytest.mark.parametrize("parts", UNFILLED, ids=str)
def test_loops_that_leave_some_rows(parts: dict[str, str]) -> None:
    p = filled(parts)
    assert has_holes(p)
    open_ = [o.kind for o in verify(p).obligations if o.verdict is not Verdict.PROVED]
    assert Kind.WRITTEN in open_


OVER = """\
entry main [n] (xs : [n][2]i64) -> (r : i64) =
  let (s : [n][2]i64) = scratch [n][2]i64
  let (f : [n][2]i64) = s with [0 : n, 0 : 2] = xs
  let (c : bool) = n == 3
  assert c "three"
  let (h : [2]i64) = scratch [2]i64
  let (h1 : [2]i64) = h with [0] = 1
  let (g : [n][2]i64) = f with [AT, 0 : 2] = h1
  let (e : i64) = g[1, 1]
  in (e)
"""


def test_what_is_written_over_by_holes_is_no_part() -> None:
    """All rows were written, and one of them again, with an element that has no value."""
    p = allocated(OVER.replace("AT", "1"))
    assert Kind.WRITTEN in {
        o.kind for o in verify(p).obligations if o.verdict is not Verdict.PROVED
    }


BEHIND = """\
entry main [m] (n : i64) (h : i64) (is : [m]i64) -> (r : i64) =
  let (s : [n]i64) = scratch [n]i64
  let (later : i64) = n + 3
  let (go : bool) = {compared} < {end}
  let (f : [n]i64) (l : i64) (i2 : i64) (g : bool) =
    loop (p : *[n]i64) = s, (at : i64) = {start}, (i : i64) = 0, (go1 : bool) = go while go1 do
      let (x : i64) = is[i]
      let (y : i64) = min(x, {most})
      let (stop : i64) = {next}
      let (count : i64) = stop - at
      let (p2 : [n]i64) = loop (q : *[n]i64) = p for j < {count} do
        let (q1 : [n]i64) = q with [{to}] = j
        in (q1)
      let (i1 : i64) = i + 1
      let (again : bool) = {again} < {end}
      in (p2, stop, i1, again)
  let (sum : i64) =
    kernel k < n reduce (\\(u : i64) (v : i64) ->
      let (w : i64) = u + v
      in (w)) (0)
    do
      let (z : i64) = f[k]
      in (z)
  in (sum)
"""
CURSOR = {
    "compared": "0",
    "start": "0",
    "end": "n",
    "most": "n",
    "next": "max(y, at)",
    "count": "count",
    "to": "at + j",
    "again": "stop",
}
ROW_BY_ROW = [
    CURSOR,
    {**CURSOR, "start": "3", "compared": "3", "end": "later", "most": "later", "to": "at + j - 3"},
    {**CURSOR, "to": "at + count - 1 - j"},
]
GAPS = [
    {**CURSOR, "end": "n - 1"},
    {**CURSOR, "start": "1", "compared": "1"},
    {**CURSOR, "compared": "h"},
    {**CURSOR, "again": "i1"},
    {**CURSOR, "count": "count - 1"},
    {**CURSOR, "to": "j"},
    {**CURSOR, "next": "y"},
]
ENDS = [[2, 1, 4, 5, 9], [0, 0, 0, 9], [-(2**63), 9], [-1, 9]]


def row_by_row(parts: dict[str, str]) -> tuple[Program[Ann], bool]:
    """Return a program that writes from row to row, and whether it may read what has no value."""
    text = BEHIND
    for hole, what in parts.items():
        text = text.replace("{" + hole + "}", what)
    p = allocated(text)
    for (n, h), ends in product([(4, 0), (3, 3)], ENDS):
        try:
            run_heap(p, "main", (n, h, ends))
        except Trap:
            continue
        except MemoryFault as f:
            return p, f.kind is FaultKind.POISON
    return p, False


@pytest.mark.parametrize("parts", [*ROW_BY_ROW, *GAPS], ids=str)
def test_rows_that_end_where_data_say_are_all_written(parts: dict[str, str]) -> None:
    """Without the maximum, the length of a row wraps around if the row before ended at -2^63."""
    p, holes = row_by_row(parts)
    open_ = {o.kind for o in verify(p).obligations if o.verdict is not Verdict.PROVED}
    assert (holes, Kind.WRITTEN in open_) == (parts in GAPS, parts in GAPS)
