"""hot_paths: loops that seldom allocate, and loops that stay as they are.

Protects ``codegen/hot_paths.py``.  The IMP interpreter judges the split programs, and the plan
shows what the host still does in an iteration.
"""

import pytest

from funmem.codegen import plan
from funmem.codegen.hot_paths import split_hot_paths
from funmem.codegen.opencl import compile_imp
from funmem.interp.imp import run_imp
from funmem.ir.check import check_imp
from funmem.ir.diagnostics import MemoryFault
from funmem.ir.imp import Allocate, ForStm, ImpProgram, WhileStm
from funmem.ir.imp_traverse import nested
from funmem.ir.text import parse_imp
from funmem.ir.values import agree
from tests.seeded.world import alone

LOOP = """
entry main (m : i64) {
  var table : mem;
  table <- alloc 16;
  kernel z < 2 do
    table[z] : i64 <- 0;
  done
  var room : i64;
  room <- 2;
  var sum : i64;
  sum <- 0;
  for i < m do
    var odd : bool;
    odd <- i % 3 == 1;
    var new : mem;
    var size : i64;
    var add : i64;
    if odd then
      add <- i * 7;
      size <- room;
      new <- table;
    else
      var full : bool;
      full <- i >= room;
      var old : i64;
      old <- table[0] : i64;
      if full then
        var more : mem;
        more <- alloc 16*room;
        kernel j < 2*room do
          more[j] : i64 <- 0;
        done
        kernel k < room do
          more[k] <- table[k] : i64;
        done
        size <- 2 * room;
        new <- more;
      else
        size <- room;
        new <- table;
      fi
      add <- old + i;
      new[i] : i64 <- add;
    fi
    sum <- sum * 3 + add;
    new[0] : i64 <- sum;
    table <- new;
    room <- size;
  done
  var last : i64;
  last <- table[0] : i64;
  return (sum : i64) (last : i64) (room : i64)
}"""

WHILE = LOOP.replace(
    "for i < m do", "var i : i64;\ni <- 0;\nvar go : bool;\ngo <- i < m;\nwhile go do"
).replace("room <- size;\n", "room <- size;\n    i <- i + 1;\n    go <- i < m;\n")


def same(p: ImpProgram, q: ImpProgram) -> None:
    assert check_imp(q) is None
    for n in (0, 1, 2, 5, 40):
        assert agree(run_imp(p, "main", [n]), run_imp(q, "main", [n])) is None


def loops_without_allocation(p: ImpProgram) -> int:
    """The number of loops that write memory, and contain no allocation and no kernel."""
    loops = (s for e in p.entries for s in nested(e.body) if isinstance(s, WhileStm | ForStm))
    return sum(not any(isinstance(t, Allocate) for t in nested(s.body)) for s in loops)


@pytest.mark.parametrize("text", [LOOP, WHILE], ids=["for", "while"])
def test_the_task_runs_until_the_table_is_full(text: str) -> None:
    p = parse_imp(text)
    q = split_hot_paths(p)
    same(p, q)
    assert loops_without_allocation(p) == 0
    assert loops_without_allocation(q) == 1
    (entry,) = compile_imp(p).plan.entries
    (loop,) = (s for s in plan.every_step(entry.steps) if isinstance(s, plan.While))
    own = [s for s in loop.body if isinstance(s, plan.Launch)]
    assert [entry.kernels[s.kernel].task for s in own] == [True]


WRITES_FIRST = ("    var odd : bool;", "    table[1] : i64 <- i;\n    var odd : bool;")
SWAPS = ("    room <- size;", "    room <- size;\n    table <- spare;\n    spare <- new;")
ALWAYS = ("    var odd : bool;", "    var own : mem;\n    own <- alloc 8;\n    var odd : bool;")
CARRIES = ("    var odd : bool;", "    sum <- sum + 1;\n    var odd : bool;")
TWICE = (
    "    sum <- sum * 3",
    """
    var big : bool;
    big <- i >= 9;
    if big then
      var own : mem;
      own <- alloc 8;
    else
    fi
    sum <- sum * 3""",
)


@pytest.mark.parametrize("change", [WRITES_FIRST, SWAPS, ALWAYS, CARRIES, TWICE])
@pytest.mark.parametrize("text", [LOOP, WHILE], ids=["for", "while"])
def test_loops_that_stay(text: str, change: tuple[str, str]) -> None:
    text = text.replace(*change)
    if change is SWAPS:  # the tables of one iteration and the next are different blocks
        text = text.replace("  var room", "  var spare : mem;\n  spare <- alloc 16;\n  var room", 1)
        text = text.replace("table[0] : i64;\n  return", "spare[0] : i64;\n  return")
    p = parse_imp(text)
    q = split_hot_paths(p)
    assert loops_without_allocation(q) == 0
    if change is not SWAPS:
        same(p, q)


ADDS = LOOP.replace(
    "    var odd : bool;",
    "    var w : i64;\n    w <- table[1] : i64;\n    table[1] : i64 <- w + 1;\n    var odd : bool;",
).replace("last <- table[0]", "last <- table[1]")

BUGS = (
    (
        "an iteration that has written is run again",
        "clean = clean and self.repeatable((s,))",
        "clean = True",
        ADDS,
    ),
    (
        "an iteration that has changed a variable is run again",
        " or not self.own.issuperset(own_assigns(s))",
        "",
        LOOP.replace(*CARRIES),
    ),
    (
        "the rest of an iteration runs although it was left",
        "IfStm(Var(self.rare), (), rest))",
        "*rest)",
        LOOP,
    ),
)
"""A text of the module becomes another; the program on which that shows."""


@pytest.mark.parametrize(("what", "old", "new", "text"), BUGS)
def test_seeded_bugs_are_caught(what: str, old: str, new: str, text: str) -> None:
    p = parse_imp(text)
    same(p, split_hot_paths(p))
    faulty = alone("funmem.codegen.hot_paths", old, new).split_hot_paths(p)
    assert any(differ(p, faulty, n) for n in (5, 40)), what


def differ(p: ImpProgram, q: ImpProgram, n: int) -> bool:
    try:
        return agree(run_imp(p, "main", [n]), run_imp(q, "main", [n])) is not None
    except MemoryFault:
        return True
