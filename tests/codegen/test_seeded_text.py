"""Seeded bugs of what the code generators do to IMP before they print it: each one is caught.

``straight`` is judged by IMP's interpreter: the same results, and no access outside of a block.
``unswitch`` is judged by its definition: a row's condition is one that no iteration of the row can
change, and whose evaluation cannot trap.
"""

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType

import numpy as np
import pytest
from attrs import frozen

from funmem.interp.imp import run_imp
from funmem.ir.diagnostics import MemoryFault, Stuck, Trap, TrapKind
from funmem.ir.imp import ImpProgram, KernelStm
from funmem.ir.imp_traverse import exp_names, nested, own_assigns
from funmem.ir.text import parse_imp
from funmem.ir.values import ArgValue, Value, agree
from tests.codegen.test_straight import CHECKED, LIFE
from tests.codegen.test_unswitch import CHANGES, ROWS, text_of
from tests.seeded.world import alone

ONE = "        var one : bool;\n        one <- here == 1i8;\n"
EAST = ONE.replace("        ", "    ").replace("here", "east")
BESIDE = LIFE.replace(ONE, "").replace("    var three", EAST + "    var three")
"""The condition is computed in front of the branch."""

LATE = LIFE.replace("    east <- xs[j + 2] : i8;\n", "    east <- west;\n", 1)
LATE = LATE.replace("    ys[j]", CHECKED).replace("few <- west < 1i8", "few <- j + 3 < m")
LATE = LATE.replace("three <- sum == 3i8", "three <- west < 9i8")
LATE = LATE.replace("kernel j < m - 2", "kernel j < m").replace("alloc m - 2", "alloc m")
"""A check fails where there are no elements behind it, and everything else comes after it."""

LIVES = (
    LIFE,
    BESIDE.replace("both <- false;", "both <- true;"),
    BESIDE.replace("both <- one;", "both <- true;").replace("both <- false;", "both <- one;"),
    BESIDE.replace("both <- one;", "both <- @;")
    .replace("both <- false;", "both <- one;")
    .replace("@", "false"),
    LIFE.replace("xs[j + 1]", "xs[j + 3]").replace("two <- sum == 2i8", "two <- j + 3 < m"),
    LIFE.replace("xs[j + 1]", "zs[j + 1]")
    .replace("two <- sum == 2i8", "two <- j < 0")
    .replace("  kernel", "  var zs : mem;\n  zs <- alloc 1;\n  kernel"),
    LATE.replace("xs[j + 1]", "xs[j + 2]").replace("(ys : [m - 2]i8)", "(ys : [m]i8)"),
    BESIDE.replace("    var lives", "    var other : i8;\n    other <- 0i8;\n    var lives")
    .replace("lives <- true;", "other <- 5i8;\n      lives <- true;")
    .replace("i8(lives)", "i8(lives) + other"),
)


def outcome(p: ImpProgram, xs: ArgValue) -> Sequence[Value] | TrapKind:
    try:
        return run_imp(p, "main", [xs])
    except Trap as e:
        return e.kind


@cache
def expected() -> list[tuple[ImpProgram, list[tuple[ArgValue, Sequence[Value] | TrapKind]]]]:
    """The programs, and what they compute."""
    rng = np.random.default_rng(3)
    inputs = [rng.integers(0, 3, n).astype(np.int8) for n in (2, 3, 4, 12)]
    return [(p, [(xs, outcome(p, xs)) for xs in inputs]) for p in map(parse_imp, LIVES)]


def straight_is_wrong(m: ModuleType) -> bool:
    """True if a program means something else without its branches."""
    for p, calls in expected():
        q = m.straightened(p)
        for xs, want in calls:
            try:
                got = outcome(q, xs)
            except (MemoryFault, Stuck):
                return True
            if isinstance(want, TrapKind) or isinstance(got, TrapKind):
                if want is not got:
                    return True
            elif agree(want, got) is not None:
                return True
    return False


def unswitch_is_wrong(m: ModuleType) -> bool:
    """True if a condition may differ within a row, or may trap."""
    for change in ((ROWS, ROWS), *CHANGES):
        for k in nested(parse_imp(text_of(change)).entries[0].body):
            cond = m.outer_condition(k) if isinstance(k, KernelStm) else None
            if cond is not None and isinstance(k, KernelStm):
                inside = {x for t in nested(k.body) for x in own_assigns(t)} | {k.dims[-1].index}
                if not inside.isdisjoint(exp_names(cond)) or "/" in str(cond) or "DIV" in str(cond):
                    return True
    return False


@frozen
class Bug:
    """``old`` becomes ``new``; ``what`` says what is then wrong."""

    what: str
    old: str
    new: str


STRAIGHT = (
    Bug("elements on one side are enough", "min(far) <= 0 <= max(far)", "min(far) <= max(far)"),
    Bug("the block is not compared", "if a.block == r.block and a.elem is r.elem", "if r.elem"),
    Bug("what follows a check counts", "if not all(isinstance(x, _PLAIN)", "if not any(x"),
    Bug(
        "a disjunction becomes a conjunction",
        "value=Bin(BinOp.LOR, cond, b)",
        "value=Bin(BinOp.LAND, cond, b)",
    ),
    Bug(
        "the condition is not negated",
        "value=Bin(BinOp.LAND, Un(UnOp.LNOT, cond), b)",
        "value=Bin(BinOp.LAND, cond, b)",
    ),
    Bug(
        "the condition is not negated before a constant",
        "value=Bin(BinOp.LOR, Un(UnOp.LNOT, cond), a)",
        "value=Bin(BinOp.LOR, cond, a)",
    ),
    Bug("other assignments are made, too", "        outer == shared\n        and ", "        "),
    Bug("a variable stays in the branch", "        body += (d for", "        _ = (d for"),
)

UNSWITCH = (
    Bug("it may vary", "        and s.dims[-1].index not in exp_names(t.value)\n", ""),
    Bug("it may trap", "        and is_simple(t.value)\n", ""),
    Bug("it may change", "        and not any(assigned[x] for x in exp_names(t.value))\n", ""),
)


@pytest.mark.parametrize(
    ("module", "is_wrong", "bugs"),
    [("straight", straight_is_wrong, STRAIGHT), ("unswitch", unswitch_is_wrong, UNSWITCH)],
)
def test_seeded_bugs_are_caught(
    module: str, is_wrong: Callable[[ModuleType], bool], bugs: tuple[Bug, ...]
) -> None:
    name = f"funmem.codegen.{module}"
    assert not is_wrong(import_module(name))
    assert [b.what for b in bugs if not is_wrong(alone(name, b.old, b.new))] == []
