"""What funmem verify knows of a maximum: the numbers it was made of are no larger, unless they have
wrapped around on the way.
"""

from collections.abc import Mapping

import numpy as np
import pytest

from funmem.interp.heap import run_heap
from funmem.ir.diagnostics import MemoryFault
from funmem.ir.fun import Loop
from funmem.ir.logic.prove import nonneg
from funmem.ir.names import Name
from funmem.ir.sizes import var
from funmem.ir.text import parse_fun
from funmem.ir.verify import Kind, Verdict, verify
from funmem.ir.verify.scene import Scene

PROGRAM = """\
entry main [n] [a : mem] (k : i64) (d : i64) (lens : [n]i64 @ a -> 0 + {(n : 1)}) -> (r : i64) =
  let (e : i64) = max(d, 0)
  let (h : i64) = k * 2
  let (most : i64) = kernel i < RANGE reduce (\\ (u : i64) (w : i64) ->
    let (z : i64) = OP
    in (RESULT)) (0) do
    let (v : i64) = lens[i]
    let (q : i64) = VALUE
    in (q)
  let (m : mem) = alloc BYTES
  let (s : i64) = loop (s0 : i64) = 0 for j < TIMES do
    let (l : i64) = lens[j]
    let (x : i64) = AGAIN
    let (c : bool) = x >= 0
    let (s1 : i64) = if c then
      let (t : [1]i32 @ m -> x + {(1 : 1)}) = replicate [1] 5i32
      in (1)
      else in (2)
    in (s1)
  in (s)
"""
PLAIN = {
    "RANGE": "n",
    "OP": "max(u, w)",
    "RESULT": "z",
    "VALUE": "v + 0",
    "BYTES": "4*most + 4",
    "TIMES": "n",
    "AGAIN": "l + 0",
}


def text(changed: Mapping[str, str]) -> str:
    """The program with words filled in."""
    found = PROGRAM
    for word, by in {**PLAIN, **changed}.items():
        found = found.replace(word, by)
    return found


def test_what_elements_are_may_be_left_out() -> None:
    """What holds of the maximum then holds whatever is in memory."""
    (entry,) = parse_fun(text({})).entries
    for elements in (True, False):
        scene = Scene.of_entry(entry, elements=elements)
        (loop,) = [s.exp for s in entry.body.stms if isinstance(s.exp, Loop)]
        facts = scene.at_end[id(loop.body)].facts
        assert nonneg(var(Name("most")), facts) is elements
        assert nonneg(var(Name("most")) - var(Name("l")), facts) is elements


def proved_inside(program: str) -> bool:
    """Whether the elements that lie at the numbers are proved to be inside their block."""
    (found,) = [o for o in verify(parse_fun(program)).obligations if o.kind is Kind.INSIDE]
    return found.verdict is Verdict.PROVED


def is_inside(changed: Mapping[str, str]) -> bool:
    """The same of the program with words filled in."""
    return proved_inside(text(changed))


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"VALUE": "v * 2", "AGAIN": "l * 2"},
        {"VALUE": "v - e", "AGAIN": "l - e"},
        {"VALUE": "v - e", "BYTES": "4*most + 4*e + 4"},
        {"VALUE": "v / 4", "BYTES": "16*most + 16"},
        {"OP": "max(w, u)"},
        {"VALUE": "v / 1"},
        {"+ 0\n    let (c": "+ 0\n    let (g : i64) = i64(5i32)\n    let (c"},
        {"+ 0\n    let (c": "+ 0\n    let (g : i64) = l ^ 1\n    let (c"},
    ],
    ids=str,
)
def test_a_maximum_is_no_less_than_what_it_was_made_of(changed: Mapping[str, str]) -> None:
    assert is_inside(changed)


@pytest.mark.parametrize("fine", [True, False])
def test_values_are_spelt_out_up_to_a_length(fine: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice as long with every minimum of one value and itself, if there were no end."""
    longest = len("lens[]<i>") if fine else len("lens[]<i>") - 1
    monkeypatch.setattr("funmem.ir.verify.maxima.LONGEST", longest)
    assert is_inside({}) is fine


LARGE, SMALL = 2**63 - 1, -(2**63)


@pytest.mark.parametrize(
    ("changed", "lens"),
    [
        ({"VALUE": "v * 2", "BYTES": "8*most + 4"}, [2**62]),
        ({"VALUE": "v + 5"}, [LARGE]),
        ({"VALUE": "v - d"}, [LARGE]),
        ({"VALUE": "v / 2", "BYTES": "8*most + 8", "AGAIN": "l - 1"}, [SMALL]),
        ({"VALUE": "(v + 3) / 4", "BYTES": "16*most + 16"}, [LARGE]),
        ({"VALUE": "v / 4", "BYTES": "16*most + 12"}, [3]),
        ({"VALUE": "v - 1"}, [1]),
        ({"RESULT": "w"}, [7, 0]),
        ({"RESULT": "u"}, [7]),
        ({"OP": "max(u, u)"}, [7]),
        ({"OP": "max(w, w)"}, [7, 0]),
        ({"OP": "min(u, w)"}, [7]),
        ({"RANGE": "h", "TIMES": "k"}, []),
        ({"RANGE": "k"}, [7]),
        ({"RANGE": "n - 1"}, [0, 7]),
        ({"RANGE": "2"}, [0, 0, 7]),
        ({"in (q)": "in (3)"}, [7]),
        ({"VALUE": "i64(5i32)"}, [7]),
        ({"VALUE": "v / -4"}, [7]),
        ({"VALUE": "v / k"}, []),
        ({"VALUE": "v % 4"}, [7]),
        ({"VALUE": "(v / 3) / 2", "AGAIN": "(l / 3) / 2"}, []),
    ],
    ids=str,
)
def test_a_number_that_has_wrapped_around_may_be_larger(
    changed: Mapping[str, str], lens: list[int]
) -> None:
    """The execution, where there is a short one, shows it."""
    assert not is_inside(changed)
    if lens:
        p = parse_fun(text(changed))
        with pytest.raises(MemoryFault):
            run_heap(p, "main", [0, -5, np.array(lens)])


NESTED = """\
entry main [n] [m] [a : mem] [b : mem] (xs : [n][m]i64 @ a -> 0 + {(n : m) (m : 1)})
    (ys : [m]i64 @ b -> 0 + {(m : 1)}) -> (r : i64) =
  let (other : i64) = kernel i0 < m reduce (\\ (u0 : i64) (w0 : i64) ->
    let (z0 : i64) = max(u0, w0) in (z0)) (0) do
    let (v0 : i64) = ys[i0]
    in (v0)
  let (most : i64) = kernel i < n reduce (\\ (u : i64) (w : i64) ->
    let (z : i64) = max(u, w) in (z)) (0) do
    let (row : i64) = kernel i1 < INNER reduce (\\ (u1 : i64) (w1 : i64) ->
      let (z1 : i64) = max(u1, w1) in (z1)) (0) do
      let (v : i64) = xs[i, i1]
      let (q : i64) = v / 2
      in (VALUE)
    in (row)
  let (block : mem) = alloc SIZE
  let (s : i64) = loop (s0 : i64) = 0 for j < n do
    let (s1 : i64) = loop (s2 : i64) = 0 for j1 < m do
      let (x : i64) = READ
      let (c : bool) = x >= 0
      let (s3 : i64) = if c then
        let (t : [1]i32 @ block -> x + {(1 : 1)}) = replicate [1] 5i32
        in (1)
        else in (2)
      in (s3)
    in (s1)
  in (s)
"""


@pytest.mark.parametrize(
    ("value", "read", "inner", "size", "fine"),
    [
        ("v", "xs[j, j1]", "m", "4*most + 4", True),
        ("v", "xs[j, j1]", "m", "4*most", False),
        ("v", "xs[j, j1]", "2", "4*most + 4", False),
        ("v", "ys[j1]", "m", "4*most + 4", False),
        ("q", "xs[j, j1]", "m", "4*most + 4", False),
    ],
)
def test_a_maximum_of_maxima(value: str, read: str, inner: str, size: str, fine: bool) -> None:
    """Of what the inner ones were made of, and of nothing else; what was divided is forgotten."""
    words = NESTED.replace("VALUE", value).replace("READ", read).replace("INNER", inner)
    words = words.replace("SIZE", size)
    found = verify(parse_fun(words)).obligations
    (inside,) = [o for o in found if o.kind is Kind.INSIDE]
    assert (inside.verdict is Verdict.PROVED) is fine


STARTED = """\
entry main [n] [a : mem] (lens : [n]i64 @ a -> 0 + {(n : 1)}) -> (r : i64) =
  let (most : i64) = kernel i < n reduce (\\ (u : i64) (w : i64) ->
    let (z : i64) = max(u, w) in (z)) (LEAST) do
    let (v : i64) = lens[i]
    in (v)
  let (m : mem) = alloc 4*most
  let (t : [5]i32 @ m -> 0 + {(5 : 1)}) = replicate [5] 5i32
  in (1)
"""


@pytest.mark.parametrize(("least", "fine"), [("5", True), ("4", False), ("-5", False)])
def test_a_maximum_is_no_less_than_what_it_starts_with(least: str, fine: bool) -> None:
    assert proved_inside(STARTED.replace("LEAST", least)) is fine


NAMED = """\
entry main [p] [q] [a : mem] (X : [p][q]i64 @ a -> 0 + {(p : q) (q : 1)}) -> (r : i64) =
  let (most : i64) = kernel i < q reduce (\\ (u : i64) (w : i64) ->
    let (z : i64) = max(u, w) in (z)) (0) do
    let (v : i64) = X[ROW, i]
    in (v)
  let (m : mem) = alloc 4*most + 4
  let (s : i64) = loop (s0 : i64) = 0 for j < q do
    let (x : i64) = OP(ROW, j)
    let (c : bool) = x >= 0
    let (s1 : i64) = if c then
      let (t : [1]i32 @ m -> x + {(1 : 1)}) = replicate [1] 5i32
      in (1)
      else in (2)
    in (s1)
  in (s)
"""


@pytest.mark.parametrize(("op", "row"), [("max", "0"), ("min", "9")])
def test_an_array_may_be_called_like_an_operator(op: str, row: str) -> None:
    """Its elements are not the operator's results, whatever it is called."""
    for name in ("other", op):
        named = NAMED.replace("X", name).replace("OP", op).replace("ROW", row)
        assert not proved_inside(named)
