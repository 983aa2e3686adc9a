"""cells: scalars that the host need not wait for; generated hosts, and seeded bugs.

Protects ``codegen/cells.py``.  The IMP interpreter compares generated programs of host loops before
and after.  What the host has to wait for is counted in the plan.
"""

import random

import numpy as np
import pytest

from funmem.codegen.cells import with_cells
from funmem.codegen.opencl import compile_imp
from funmem.codegen.plan import Fetch, Launch, ReadScalar, every_step
from funmem.interp.imp import run_imp
from funmem.ir.diagnostics import MemoryFault, Stuck, Trap, TrapKind
from funmem.ir.imp import ImpProgram
from funmem.ir.text import parse_imp
from funmem.ir.values import Value, agree
from tests.seeded.world import alone
from tests.support.sampling import sampled

NORMS = """
entry main [n] (xs : [n]f64) {
  var ys : mem;
  ys <- alloc 8*n;
  kernel i < n do
    ys[i] : f64 <- 1.0;
  done
  var lo : i64;
  lo <- n / 2;
  for k < 3 do
    var sum : f64;
    sum <- 0.0;
    for i < lo do
      var x : f64;
      x <- ys[i] : f64;
      sum <- sum + x;
    done
    check lo : n - lo : 1 inside n "slice out of bounds" "no";
    for i < n - lo do
      var y : f64;
      y <- ys[lo + i] : f64;
      sum <- sum + y;
    done
    var norm : f64;
    norm <- sqrt(sum);
    var inner : i64;
    inner <- n - 1;
    kernel i < inner do
      var z : f64;
      z <- xs[i] : f64;
      ys[i] : f64 <- z / norm + f64(k);
    done
  done
  return (ys : [n]f64)
}"""


def waits(p: ImpProgram) -> tuple[int, int]:
    """The places at which the host waits for a scalar, and the launches."""
    steps = [s for e in compile_imp(p).plan.entries for s in every_step(e.steps)]
    return (
        sum(isinstance(s, Fetch | ReadScalar) for s in steps),
        sum(isinstance(s, Launch) for s in steps),
    )


def test_the_host_does_not_wait_for_what_kernels_use() -> None:
    """Both loops, the root and the bound of the kernel belong to one task or come before it."""
    p = parse_imp(NORMS)
    assert waits(p) == (0, 3)
    xs = np.arange(6.0)
    assert agree(run_imp(p, "main", [xs]), run_imp(with_cells(p), "main", [xs])) is None


CHECK = 'check (norm > 0.0) "assertion failed" "no";'
ALLOC = """
    var s : i64;
    s <- i64(norm);
    var c : mem;
    c <- alloc s;
"""


@pytest.mark.parametrize(
    "change",
    [
        ("  return (", "  return (norm : f64) ("),
        ("inner <- n - 1", "inner <- i64(min(norm, 1.0))"),
        ("    kernel i < inner", f"    {CHECK}\n    kernel i < inner"),
        ("    kernel i < inner", f"{ALLOC}    kernel i < inner"),
    ],
)
def test_what_the_host_needs(change: tuple[str, str]) -> None:
    text = NORMS.replace(*change)
    if "(norm : f64)" in text:
        text = text.replace("    var norm : f64;\n", "")
        text = text.replace("  for k", "  var norm : f64;\n  for k")
    assert waits(parse_imp(text))[0] == 1


# ------------------------------------------------- generated programs


def generated(seed: int) -> ImpProgram:
    """A host with loops, whose scalars are used by kernels, by tasks, and some by the host."""
    r = random.Random(seed)
    names = [f"s{k}" for k in range(4)]
    fresh = iter(range(1000))

    def value() -> str:
        a, b = r.choice(names), r.choice([*names, "1", "k"])
        return r.choice([a, f"{a} + {b}", f"{a} - {b}", f"min({a}, {b})", str(r.randrange(5))])

    def device(depth: int) -> str:
        x, i = r.choice(names), next(fresh)
        match r.randrange(6 if depth else 4):
            case 0:
                return f"{x} <- b[{r.randrange(4)}] : i64;"
            case 1:
                return f"b[{r.randrange(4)}] : i64 <- {value()};"
            case 2:
                body = f"t{i} <- b[j{i}] : i64; {x} <- {x} + t{i};"
                return f"var t{i} : i64; for j{i} < 3 do {body} done"
            case 3:
                return f"{x} <- {value()};"
            case 4:
                inner = device(depth - 1)
                other = r.choice(["", device(depth - 1)])
                branch = f"if c{i} then {inner} else {other} fi"
                return f"var c{i} : bool; c{i} <- b0 < {r.randrange(4)}; {branch}"
            case _:
                return f"for j{i} < {r.randrange(3)} do {device(depth - 1)} done"

    def host(depth: int) -> str:
        i = next(fresh)
        match r.randrange(8 if depth else 6):
            case 0 | 1:
                e = value()
                return (
                    f"kernel j{i} < 4 do var v{i} : i64; v{i} <- b[j{i}] : i64; "
                    f"b[j{i}] : i64 <- v{i} / 2 + {e}; done"
                )
            case 2 | 3 | 4:
                return device(2)
            case 5:
                x = r.choice(names)
                return r.choice(
                    [
                        f"var h{i} : i64; h{i} <- n + {r.randrange(3)};",
                        f'check (n > {r.randrange(-2, 4)}) "assertion failed" "no";',
                        f'check ({x} < 40) "assertion failed" "no";' if r.random() < 0.2 else "",
                    ]
                )
            case 6:
                inner = "\n".join(host(depth - 1) for _ in range(r.randrange(1, 5)))
                return f"for l{i} < {r.randrange(3)} do\n{inner}\ndone"
            case _:
                inner = "\n".join(host(depth - 1) for _ in range(r.randrange(1, 4)))
                test = f"var d{i} : bool; d{i} <- n > {r.randrange(6)};"
                return f"{test}\nif d{i} then\n{inner}\nelse fi"

    start = "\n".join(f"var {x} : i64; {x} <- {k};" for k, x in enumerate(names))
    body = "\n".join(host(2) for _ in range(r.randrange(3, 8)))
    returned = "(s0 : i64) " if r.random() < 0.3 else ""
    return parse_imp(f"""
entry main [n] (xs : [n]i64) {{
  var b : mem;
  b <- alloc 32;
  kernel i < 4 do b[i] : i64 <- i; done
  var b0 : i64;
  b0 <- n;
  {start}
  for k < 3 do
  {body}
  done
  return {returned}(b : [4]i64)
}}""")


def outcome(p: ImpProgram) -> tuple[Value, ...] | TrapKind:
    try:
        given = np.arange(3) if "s0" in str(p) else np.arange(1.0, 9.0)
        return tuple(run_imp(p, "main", [given]))
    except Trap as e:
        return e.kind


def is_wrong(p: ImpProgram, q: ImpProgram) -> bool:
    try:
        want, got = outcome(p), outcome(q)
    except (MemoryFault, Stuck):
        return True
    if isinstance(want, TrapKind) or isinstance(got, TrapKind):
        return want is not got
    return agree(want, got) is not None


@pytest.mark.parametrize("first", sampled(range(0, 2000, 8), 250, slow=0))
def test_generated_hosts(first: int) -> None:
    for seed in range(first, first + 8):
        p = generated(seed)
        assert not is_wrong(p, with_cells(p)), seed


# ------------------------------------------------- seeded bugs

LATER = NORMS.replace("inner <- n - 1;", "inner <- n - 1;\n    lo <- max(lo - 1, 0);")
LATER = LATER.replace("sum + x;", "sum + 2.0 * x;")
"""The host changes a bound of the task after it."""

COUNTED = NORMS.replace("    var inner : i64;\n    inner <- n - 1;\n", "").replace(
    "    sum <- 0.0;", "    sum <- 0.0;\n    var inner : i64;\n    inner <- 0;"
)
COUNTED = COUNTED.replace("sum <- sum + y;", "sum <- sum + y;\n      inner <- inner + 1;")
"""The task computes the bound of the kernel."""

MOVED = COUNTED.replace(
    "    kernel i < inner", "    var m : i64;\n    m <- inner - 1;\n    kernel i < m"
)
"""The host computes it from a result of the task."""

BUGS: tuple[tuple[str, str, str, int | str], ...] = (
    (
        "an assignment overtakes what uses its variable",
        "(f.uses | f.assigns).isdisjoint(g.assigns)",
        "f.assigns.isdisjoint(g.assigns)",
        LATER,
    ),
    ("an assignment overtakes what it uses", " and f.assigns.isdisjoint(g.uses)", "", MOVED),
    (
        "one side of a branch is enough",
        "inner[0][1] & inner[1][1]",
        "inner[0][1] | inner[1][1]",
        19,
    ),
    (
        "every loop has an iteration",
        "        if isinstance(s, IfStm):\n",
        "        if isinstance(s, ForStm):\n            known |= inner[0][1]\n"
        "        if isinstance(s, IfStm):\n",
        21,
    ),
    ("what was not set is lost", "u.exposed | u.partial)", "u.exposed)", 19),
    (
        "a kernel reads nothing",
        "self.copies(s, used, used)",
        "self.copies(s, used, used - used)",
        1,
    ),
    ("a change is not written", "if x in changed", "if x in changed and x in u.exposed", 1),
    (
        "results are no uses",
        "*map(_port_name, e.params), *map(_port_name, e.results)}",
        "*map(_port_name, e.params)}",
        1,
    ),
    (
        "bounds of kernels are no uses",
        "return own_uses(s) | frozenset(own_assigns(s))",
        "return frozenset()",
        COUNTED,
    ),
    ("the host's statements are no uses", "return f.uses | f.assigns", "return frozenset()", 3),
)
"""A text becomes another; the program, or the seed of one, on which that shows."""


@pytest.mark.parametrize(("what", "old", "new", "shown"), sampled(BUGS, 3, slow=2))
def test_seeded_bugs_are_caught(what: str, old: str, new: str, shown: int | str) -> None:
    p = generated(shown) if isinstance(shown, int) else parse_imp(shown)
    assert not is_wrong(p, with_cells(p))
    assert is_wrong(p, alone("funmem.codegen.cells", old, new).with_cells(p)), what
