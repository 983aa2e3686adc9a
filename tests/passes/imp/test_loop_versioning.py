"""versions: a loop without some checks is the loop, where these checks hold.

Protects ``passes/imp/loop_versioning.py``: results, and which check fails first, with its message.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from funmem.interp.imp import Order, run_imp
from funmem.ir.diagnostics import MemoryFault, Trap
from funmem.ir.imp import Check, ForStm, ImpProgram
from funmem.ir.imp_traverse import nested
from funmem.ir.sizes import Size, const, var
from funmem.ir.text import parse_imp
from funmem.ir.values import ArgValue
from funmem.passes.framework import Report, as_imp
from funmem.passes.imp import loop_versioning as module
from funmem.passes.pipeline import to_funmem
from funmem.passes.runner import Pipeline
from funmem.testing import generate
from tests.support.sampling import sampled

KERNEL = """
entry main [n] [m] (xs : [n]i64) (ks : [m]i64) (first : i64) (last : i64) {{
  var ys : mem;
  ys <- alloc 8*m;
  kernel j < m do
    var acc : i64;
    acc <- 0;
    {}
    ys[j] : i64 <- acc;
  done
  return (ys : [m]i64)
}}"""

BODIES = {
    "a range that is given": """
    for i < last - first do
      check i + first in n "index out of bounds" "Index [{}], n {}." (i + first, n);
      var x : i64;
      x <- xs[i + first] : i64;
      acc <- acc + x;
    done""",
    "from the start": """
    for i < last do
      var x : i64;
      check i in n "index out of bounds" "Index [{}]." (i);
      x <- xs[i] : i64;
      acc <- acc * 3 + x;
    done""",
    "beside a check of data": """
    for i < last do
      check i in n "index out of bounds" "Index [{}]." (i);
      var x : i64;
      x <- xs[i] : i64;
      check x in m "index out of bounds" "Key [{}]." (x);
      acc <- acc + x;
    done""",
    "in a branch": """
    for i < last - first do
      var some : bool;
      some <- i % 2 == 1;
      if some then
        check i + first in n "index out of bounds" "Index [{}]." (i);
        var x : i64;
        x <- xs[i + first] : i64;
        acc <- acc + x;
      else fi
    done""",
    "the ends are data": """
    var lo : i64;
    var hi : i64;
    lo <- ks[j] : i64;
    hi <- lo + last;
    for i < hi - lo do
      check i + lo in n "index out of bounds" "Index [{}] of {}." (i + lo, lo);
      var x : i64;
      x <- xs[i + lo] : i64;
      acc <- acc + x;
    done""",
    "a product": """
    for i < last do
      check i + 2*first*last in n "index out of bounds" "Index [{}]." (i);
      var x : i64;
      x <- xs[i + 2*first*last] : i64;
      acc <- acc + x;
    done""",
    "backwards": """
    for i < last do
      check last - i - 1 in n "index out of bounds" "Index [{}]." (i);
      var x : i64;
      x <- xs[last - i - 1] : i64;
      acc <- 3 * acc + x;
    done""",
    "a variable, backwards": """
    for i < last do
      var at : i64;
      var from : i64;
      from <- first + last;
      at <- from - i;
      check at in n "index out of bounds" "Index [{}]." (at);
      var x : i64;
      x <- xs[at] : i64;
      acc <- 3 * acc + x;
    done""",
    "in a loop": """
    for l < 2 do
      var start : i64;
      start <- first + l;
      for i < last - start do
        check i + start in n "index out of bounds" "Index [{}]." (l);
        var x : i64;
        x <- xs[i + start] : i64;
        acc <- acc + x * l;
      done
    done""",
}

REFUSED = {
    "(1) a loop inside": """
    for i < last do
      check i in n "index out of bounds" "Index [{}]." (i);
      for l < 2 do acc <- acc + l; done
    done""",
    "(2) the loop changes it": """
    var at : i64;
    at <- first;
    for i < last - at do
      check i + at in n "index out of bounds" "Index [{}]." (i);
      at <- at + 1;
    done""",
    "(2) twice its index": """
    for i < last do
      check 2*i in n "index out of bounds" "Index [{}]." (i);
      acc <- acc + i;
    done""",
    "(2) a variable from the iteration before": """
    var at : i64;
    at <- last;
    for i < last do
      check at in n "index out of bounds" "Index [{}]." (i);
      at <- i + first;
    done""",
    "(3) a high power": """
    for i < last do
      check i + first*first*first*first in n "index out of bounds" "Index [{}]." (i);
      acc <- acc + i;
    done""",
}


def program(body: str) -> ImpProgram:
    return parse_imp(KERNEL.replace("{}", body).replace("{{", "{").replace("}}", "}"))


def through(p: ImpProgram, report: Report | None = None) -> ImpProgram:
    return as_imp(Pipeline.parse("loop-versioning").run(p, report=report))


def outcome(p: ImpProgram, args: Sequence[ArgValue], order: Order) -> str:
    try:
        return repr(run_imp(p, "main", args, order=order, seed=1))
    except Trap as trap:
        return f"{trap.kind}: {trap.diagnostic.message}"


SMALL, LARGE = -(2**63), 2**63 - 1


def differs(before: ImpProgram, after: ImpProgram) -> str | None:
    """The first difference, for ranges inside, outside, empty, and from end to end of i64."""
    ranges = [(0, 4), (1, 4), (0, 5), (-1, 3), (-2, 3), (3, 2), (4, 4), (5, 9), (SMALL, SMALL + 2)]
    ranges += [(LARGE - 1, LARGE), (1, SMALL), (2, SMALL + 2), (2**62, 2)]
    for first, last in ranges:
        args = (np.array([0, 2, 1, 1]), np.array([0, 3, 1]), first, last)
        for order in Order:
            want, got = outcome(before, args, order), outcome(after, args, order)
            if want != got:
                return f"{first} {last} {order}: {want} became {got}"
    return None


@pytest.mark.parametrize("name", sampled(BODIES, 3))
def test_same_results_and_messages(name: str) -> None:
    before = program(BODIES[name])
    after = through(before)
    assert differs(before, after) is None


@pytest.mark.parametrize("name", BODIES)
def test_one_of_the_loops_has_no_such_check(name: str) -> None:
    before, after = program(BODIES[name]), through(program(BODIES[name]))
    checks = [
        sum(isinstance(t, Check) for t in nested(s.body))
        for s in nested(after.entries[0].body)
        if isinstance(s, ForStm) and module.innermost(s)
    ]
    (most,) = (
        sum(isinstance(t, Check) for t in nested(s.body))
        for s in nested(before.entries[0].body)
        if isinstance(s, ForStm) and module.innermost(s)
    )
    assert checks == [most - 1, most]


@pytest.mark.parametrize("condition", REFUSED)
def test_conditions(condition: str) -> None:
    before = program(REFUSED[condition])
    assert through(before) == before


def test_a_remark_says_why() -> None:
    report = Report()
    through(program(REFUSED["(3) a high power"]), report)
    (r,) = report.remarks
    assert r.condition == "range"
    assert "first*first*first*first, which may wrap around" in r.reason


N, M, K = var("n"), var("m"), var("k")


@pytest.mark.parametrize(
    "d",
    [const(0), const(5), N, N * 2, const(1) - N * 3, N * M, N * M * K - N * 7, N * N * N * N],
    ids=str,
)
def test_up_to_where_a_size_is_exact(d: Size) -> None:
    """It fits as long as no name exceeds the number; one more would be too much for some signs."""
    limit = module.exact_up_to(d)

    def most(each: int) -> int:
        return sum(abs(k) * each ** len(monomial) for monomial, k in d.terms)

    assert 0 < limit <= LARGE
    assert most(limit) <= LARGE
    assert limit == LARGE or most(limit + 1) > LARGE


def test_a_size_that_may_be_exact_for_zeros_only() -> None:
    assert module.exact_up_to(N * LARGE + M) == 0


@pytest.mark.parametrize("factor", [2**43 - 1, 2**43])
def test_names_may_be_limited_to_what_is_worth_it(factor: int) -> None:
    """The first factor leaves exactly LEAST, the other one less."""
    limit = module.exact_up_to(N * factor)
    assert limit == module.LEAST - (factor == 2**43)
    before = program(f"""
      for i < 4 do
        check i + {factor}*first in n "index out of bounds" "Index [{{}}]." (i);
        acc <- acc + i;
      done""")
    assert (through(before) == before) == (limit < module.LEAST)


@pytest.mark.parametrize("seed", sampled(range(20), 3, 1))
def test_generated_programs(seed: int) -> None:
    g = generate(3000 + seed)
    before = as_imp(Pipeline.parse("lower").run(to_funmem(g.program, verify=False)))
    after = through(before)

    def run(p: ImpProgram, order: Order) -> str:
        try:
            return repr(run_imp(p, g.entry, g.args, order=order, seed=seed))
        except Trap as trap:
            return str(trap.kind)

    want = run(before, Order.FORWARDS)
    for order in Order:
        assert want == run(after, order)


def without_test(which: int) -> Callable[[pytest.MonkeyPatch], None]:
    """One of the comparisons is not made."""

    def bug(monkeypatch: pytest.MonkeyPatch) -> None:
        old = module.inside

        def inside(*args: object) -> object:
            found = old(*args)  # type: ignore[arg-type]
            return found if isinstance(found, str) else found[:which] + found[which + 1 :]

        monkeypatch.setattr(module, "inside", inside)

    return bug


def at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The range may end one element too far."""
    old = module._at_most
    monkeypatch.setattr(module, "_at_most", lambda a, b: old(a, b + 1))


def of_the_iteration_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable counts as what the iteration assigns to it, also where it is used earlier."""
    value = var("i") + var("first")
    monkeypatch.setattr(module, "_polynomials", lambda s: {"at": value})


def nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the loop itself assigns counts as the same in all iterations."""
    monkeypatch.setattr(module, "_changing", lambda s: frozenset((s.index,)))


def wraps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A product is compared as it is, wrapped around or not."""
    monkeypatch.setattr(module, "exact_up_to", lambda d: LARGE)


BUGS = [
    (without_test(0), BODIES["a range that is given"]),
    (without_test(1), BODIES["from the start"]),
    (without_test(2), BODIES["a range that is given"]),
    (at_the_end, BODIES["a range that is given"]),
    (without_test(4), BODIES["a variable, backwards"]),
    (without_test(5), BODIES["a variable, backwards"]),
    (of_the_iteration_before, REFUSED["(2) a variable from the iteration before"]),
    (nothing_changes, REFUSED["(2) the loop changes it"]),
    (wraps, BODIES["a product"]),
]
"""A bug, and the body in which another answer shows it."""


@pytest.mark.parametrize(("bug", "body"), BUGS)
def test_seeded_bugs_are_caught(
    bug: Callable[[pytest.MonkeyPatch], None], body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bug(monkeypatch)
    assert caught(body)


def caught(body: str) -> bool:
    """By another answer, or by the interpreter, which sees what lies outside a block."""
    before = program(body)
    try:
        return differs(before, through(before)) is not None
    except MemoryFault:
        return True
