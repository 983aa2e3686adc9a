"""straight: reads and conditions that leave a branch, and those that stay.

Protects ``codegen/straight.py``.  A read that leaves a branch although its element may not exist is
found by the IMP interpreter, which reports accesses outside of a block.
"""

import numpy as np
import pytest

from funmem.codegen.straight import straightened
from funmem.interp.imp import run_imp
from funmem.ir.imp import IfStm, ImpProgram, Read
from funmem.ir.imp_traverse import nested
from funmem.ir.text import parse_imp
from funmem.ir.values import agree

LIFE = """
entry main [m] (xs : [m]i8) {
  var ys : mem;
  ys <- alloc m - 2;
  kernel j < m - 2 do
    var west : i8;
    west <- xs[j] : i8;
    var east : i8;
    east <- xs[j + 2] : i8;
    var sum : i8;
    sum <- west + east;
    var three : bool;
    three <- sum == 3i8;
    var lives : bool;
    if three then
      lives <- true;
    else
      var two : bool;
      two <- sum == 2i8;
      var both : bool;
      if two then
        var here : i8;
        here <- xs[j + 1] : i8;
        var one : bool;
        one <- here == 1i8;
        both <- one;
      else
        both <- false;
      fi
      lives <- both;
    fi
    ys[j] : i8 <- i8(lives);
  done
  return (ys : [m - 2]i8)
}"""


CHECKED = """
    if three then
      var few : bool;
      few <- west < 1i8;
      check (few) "assertion failed" "many";
    else
    fi
    east <- xs[j + 2] : i8;
    ys[j]"""


def branches(p: ImpProgram) -> list[IfStm]:
    return [s for e in p.entries for s in nested(e.body) if isinstance(s, IfStm)]


def reads(p: ImpProgram) -> list[Read]:
    """The reads in branches."""
    return [s for b in branches(p) for s in nested((b,)) if isinstance(s, Read)]


def same(p: ImpProgram, q: ImpProgram) -> None:
    rng = np.random.default_rng(3)
    for n in (2, 3, 4, 9, 40):
        xs = rng.integers(0, 3, n).astype(np.int8)
        assert agree(run_imp(p, "main", [xs]), run_imp(q, "main", [xs])) is None


def test_no_branch_is_left() -> None:
    p = parse_imp(LIFE)
    q = straightened(p)
    assert not branches(q)
    same(p, q)


@pytest.mark.parametrize(
    ("then", "orelse"), [("true", "one"), ("one", "false"), ("false", "one"), ("one", "true")]
)
def test_truth_values(then: str, orelse: str) -> None:
    text = LIFE.replace("both <- false;", "both <- @;").replace("both <- one;", f"both <- {then};")
    text = text.replace("        var one : bool;\n        one <- here == 1i8;\n", "").replace(
        "    var three",
        "    var one : bool;\n    one <- east == 1i8;\n    var three",
    )
    text = text.replace("@", orelse)
    p = parse_imp(text)
    q = straightened(p)
    assert not branches(q)
    same(p, q)


@pytest.mark.parametrize(
    "change",
    [
        ("xs[j + 1]", "xs[j + 3]"),  # it may not exist
        ("xs[j + 2]", "xs[j]"),  # there is none behind it
        ("    ys[j]", CHECKED),  # where the check fails the iteration ends before it
        ("ys[j] : i8 <- i8(lives)", "ys[j] : i8 <- here"),
    ],
)
def test_reads_that_stay(change: tuple[str, str]) -> None:
    text = LIFE.replace(*change)
    if "check" in text:  # east is read behind the branch only
        text = text.replace("    east <- xs[j + 2] : i8;\n", "    east <- west;\n", 1)
    if "<- here;" in text:  # a variable that is assigned on both sides
        text = text.replace("        var here : i8;\n", "").replace(
            "    var three", "    var here : i8;\n    here <- 0i8;\n    var three"
        )
    p = parse_imp(text)
    q = straightened(p)
    assert len(reads(q)) == len(reads(p)) > 0
    if "j + 3" not in text and "check" not in text:
        same(p, q)


def test_a_branch_that_assigns_something_else_stays() -> None:
    text = LIFE.replace("    var lives", "    var other : i8;\n    other <- 0i8;\n    var lives")
    text = text.replace("lives <- true;", "other <- 5i8;\n      lives <- true;")
    p = parse_imp(text.replace("i8(lives)", "i8(lives) + other"))
    q = straightened(p)
    assert len(branches(q)) == 1
    same(p, q)
