"""Loops over the elements that foreign code takes or gives: which of them become one copy.

``tests/programs/nova/foreign/vectors.nova`` compares C, which copies, with the engines that do not.
"""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from funmem.codegen import foreign_bulk
from funmem.codegen.foreign_bulk import in_bulk
from funmem.driver.compilation import machine_code
from funmem.driver.options import Options
from funmem.driver.stages import to_fun
from funmem.frontends.nova.foreign import implement
from funmem.frontends.nova.program import to_core
from funmem.ir.foreign import ForeignCode, crossing
from funmem.ir.fun import Linkage
from funmem.ir.imp import CallStm, ImpProgram, OpaqueStm
from funmem.ir.imp_traverse import nested
from funmem.ir.text import parse_imp, show

SOURCE = """((xs : vector int) (k : int))
(foreign (f : vector int -> int -> vector int))
(f (map (+ k) xs) k)
"""
IMP = """
entry main [n] (xs : [n]i32) (h : i64) (k : i32) {{
  var t : bool;
  t <- false;
  var y : mem;
  y <- alloc 4*n;
  for i < n do
    {}
    t <- u;
  done
  return (y : [n]i32)
}}
"""
PUT = "var x : i32; x <- xs[{}] : i32; var u : bool; call (u) <- f__put0 (t, h, {}) effect;"
GET = "var u : bool; var x : i32; call (u, x) <- f__get0 (t, h, {}) effect; y[{}] : i32 <- {};"


IN_C = "void f(int *n, int **out, int a, const int *xs, int k) {}"


@cache
def code(c: str = IN_C) -> ForeignCode:
    return implement(to_core(SOURCE, "p.nova").foreign, c, "")


def crossings(p: ImpProgram) -> list[str]:
    """The functions to which arrays are passed, as a whole or by elements."""
    every = [s for e in p.entries for s in nested(e.body)]
    return [
        s.fn
        for s in every
        if isinstance(s, OpaqueStm)
        or (isinstance(s, CallStm) and s.linkage is Linkage.EFFECT and crossing(s.fn))
    ]


def test_no_element_crosses_alone() -> None:
    p, _ = machine_code(to_fun(to_core(SOURCE, "p.nova")), Options())
    assert crossings(p) == ["f__put0", "f__get0"]
    assert crossings(in_bulk(p, code())) == ["f__puts0", "f__gets0"]
    assert in_bulk(p, code(c="")) == p, "without a source in C the elements cross"


CASES = [
    (PUT.format("i", "x"), "opaque () <- f__puts0 (i, h, (xs : [i]i32));"),
    (GET.format("i", "i", "x"), "opaque ((y : [i]i32)) <- f__gets0 (i, h);"),
    (PUT.format("n - i - 1", "x"), None),
    (PUT.format("i", "x + 1i32"), None),
    (PUT.format("i", "k"), None),
    (GET.format("0", "i", "x"), None),
    (GET.format("h", "i", "x"), None),
    (GET.format("i", "n - i - 1", "x"), None),
    (GET.format("i", "i", "x + 1i32"), None),
    (GET.format("i", "i", "k"), None),
]
"""Bodies of loops, and the copy that replaces the loop; None if it stays."""


@pytest.mark.parametrize(("body", "whole"), CASES)
def test_a_loop_of_another_form_stays(body: str, whole: str | None) -> None:
    p = parse_imp(IMP.format(body))
    found = in_bulk(p, code())
    assert (found == p) == (whole is None)
    if whole is not None:
        assert "i <- n;" in show(found)
        assert whole in show(found)


SAME = "(x, x, u, u, t, var(s.index)) == (x1, x2, u1, u2, t1, index)\n            and "
SEEDED = {
    "an array is taken in any order": (
        SAME + "(of",
        "(x, x, u, u, t) == (x1, x2, u1, u2, t1)\n            and (of",
    ),
    "any variable is taken": (
        SAME + "(of",
        "(x, u, u, t, var(s.index)) == (x1, u1, u2, t1, index)\n            and (of",
    ),
    "an array is given in any order": (
        SAME + "i ==",
        "(x, x, u, u, t) == (x1, x2, u1, u2, t1)\n            and i ==",
    ),
    "any variable is given": (
        SAME + "i ==",
        "(x, u, u, t, var(s.index)) == (x1, u1, u2, t1, index)\n            and i ==",
    ),
    "one element is given to all": ("            and i == s.index\n", ""),
    "the length is one less": ("size_exp(s.bound)", "size_exp(s.bound - 1)"),
    "the length is the index": ("yield Assign(s.index, size_exp(s.bound), s.at)", "pass"),
    "without a source in C": ("for f in code.opaque if f.c)", "for f in code.opaque)"),
}
"""Mistakes in the module: the text that changes, and the new text."""


@pytest.mark.parametrize("name", SEEDED)
def test_a_seeded_bug_is_seen(name: str) -> None:
    """By one of the loops above; each premise of the module is dropped once."""
    old, new = SEEDED[name]
    source = Path(foreign_bulk.__file__).read_text(encoding="utf-8")
    assert source.count(old) == 1
    space: dict[str, Any] = {}
    exec(compile(source.replace(old, new), name, "exec"), space)
    programs = [parse_imp(IMP.format(body)) for body, _ in CASES]
    assert any(
        space["in_bulk"](p, code(c=c)) != in_bulk(p, code(c=c))
        for c in (IN_C, "")
        for p in programs
    )
