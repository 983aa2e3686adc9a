"""lanes: neighbours side by side compute what they compute one after the other.

Protects ``passes/imp/vectorise``.  Groups here have two or three lanes, so that small arrays have
whole groups and a rest; the IMP interpreter runs them in three orders and watches for races and for
elements that were never written.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from funmem.interp.imp import Order, run_imp
from funmem.ir.diagnostics import FunmemError, Stuck, Trap, UsageError
from funmem.ir.imp import Check, ImpProgram, KernelStm
from funmem.ir.imp_traverse import nested
from funmem.ir.text import parse_fun, parse_imp, show
from funmem.ir.values import ArgValue, Value, agree
from funmem.passes.framework import Report, as_imp
from funmem.passes.imp.vectorise import groups, masked, sink
from funmem.passes.imp.vectorise.split import Lanes, Loop, split
from funmem.passes.imp.vectorise.varying import varying_names
from funmem.passes.pipeline import to_funmem, to_imp
from funmem.passes.runner import PassFailed, Pipeline
from funmem.testing import generate
from funmem.testing.judge.time_limit import OutOfTime, limited
from tests.support.devices import needs_compiler, pocl
from tests.support.paths import ROOT
from tests.support.sampling import sampled

conditions = import_module("funmem.passes.imp.vectorise")
EXAMPLES = ROOT / "examples"


def lanes(p: ImpProgram, width: int = 0, report: Report | None = None) -> ImpProgram:
    return as_imp(Pipeline.parse(f"vectorise{{width={width}}}").run(p, report=report))


def lowered(text: str) -> ImpProgram:
    return as_imp(Pipeline.parse("lower").run(to_funmem(parse_fun(text))))


# ---------------------------------------------------------------------- programs

KERNEL = """
entry main [n] [m] (xs : [n][m]i64) (k : i64) {{
  var ys : mem;
  ys <- alloc 8*n*m;
  kernel i < n, j < m do
    {}
  done
  return (ys : [n][m]i64)
}}"""

BODIES = {
    "an accumulator": """
    var acc : i64;
    acc <- j;
    for l < n do
      var x : i64;
      x <- xs[l*m + j] : i64;
      acc <- acc * 3 + x;
    done
    ys[i*m + j] : i64 <- acc;""",
    "a count between accumulators": """
    var count : i64;
    var acc : i64;
    var other : i64;
    count <- 1;
    acc <- j;
    other <- 0;
    for l < n do
      acc <- acc * 3 + count;
      count <- count + l;
      other <- other + acc;
      acc <- acc + count;
    done
    ys[i*m + j] : i64 <- acc + other;""",
    "what is alike": """
    var acc : i64;
    var last : i64;
    acc <- 0;
    last <- i;
    for l < n do
      var x : i64;
      x <- xs[l*m] : i64;
      acc <- acc + x * last + j;
      last <- last + x;
    done
    ys[i*m + j] : i64 <- acc + last;""",
    "loops in loops": """
    var acc : i64;
    acc <- 1;
    for l < n do
      var row : i64;
      row <- acc;
      for o < l do
        var x : i64;
        x <- xs[o*m + j] : i64;
        row <- row + x * o;
      done
      acc <- acc + row;
    done
    ys[i*m + j] : i64 <- acc;""",
    "set in some iterations": """
    var best : i64;
    var at : i64;
    best <- -1000;
    for l < n do
      var x : i64;
      x <- xs[l*m + j] : i64;
      var more : bool;
      more <- x > best;
      if more then
        best <- x;
        at <- l;
      else
      fi
    done
    if true then at <- best; else at <- 0; fi
    for r < n do
      best <- best + at;
    done
    ys[i*m + j] : i64 <- best + at;""",
    "a branch that is alike": """
    var acc : i64;
    acc <- 0;
    var odd : bool;
    odd <- i % 2 == 1;
    if odd then
      for l < k do
        acc <- acc + l * j;
      done
    else
      acc <- j;
    fi
    ys[i*m + j] : i64 <- acc;""",
    "a loop of its own inside": """
    var acc : i64;
    acc <- 0;
    for l < n do
      for o < j do
        acc <- acc + o * l;
      done
    done
    ys[i*m + j] : i64 <- acc;""",
    "while": """
    var acc : i64;
    var go : bool;
    var left : i64;
    acc <- j;
    left <- k;
    go <- left > 0;
    while go do
      acc <- acc * 2 - i;
      left <- left - 1;
      go <- left > 0;
    done
    ys[i*m + j] : i64 <- acc;""",
    "an index with a name": """
    var acc : i64;
    acc <- 0;
    for l < n do
      var at : i64;
      at <- l * m + j;
      var x : i64;
      x <- xs[at] : i64;
      acc <- acc + x * at;
    done
    ys[i*m + j] : i64 <- acc;""",
    "a while-loop that some leave earlier": """
    var acc : i64;
    var go : bool;
    var left : i64;
    acc <- 0;
    left <- j - i;
    go <- left > 0;
    while go do
      acc <- acc + left * i;
      var fast : bool;
      fast <- acc > 5;
      left <- left - 1;
      if fast then left <- left - 1; else fi
      go <- left > 0;
    done
    ys[i*m + j] : i64 <- acc + left;""",
    "such loops in a loop": """
    var acc : i64;
    acc <- j;
    for l < k do
      var go : bool;
      go <- acc < 9;
      while go do
        var x : i64;
        x <- xs[i*m + j] : i64;
        acc <- acc + x + 1;
        go <- acc < 9 + j;
      done
      acc <- acc - 4;
    done
    ys[i*m + j] : i64 <- acc;""",
    "a while-loop of which only the count is used": """
    var z : i64;
    var count : i64;
    var go : bool;
    z <- j - i;
    count <- 0;
    go <- z < 40;
    while go do
      z <- z * 2 + 1;
      count <- count + 1;
      go <- z < 40 && count < 9;
      if go then z <- z + i; else fi
    done
    ys[i*m + j] : i64 <- count;""",
    "a while-loop that goes on from where it was": """
    var state : i64;
    var total : i64;
    state <- j + 3 * i;
    total <- 0;
    for l < k do
      var go : bool;
      var count : i64;
      count <- 0;
      go <- true;
      while go do
        state <- state * 5 + 3;
        count <- count + 1;
        go <- (state & 7) > 2 && count < 6;
      done
      total <- total * 10 + count;
    done
    ys[i*m + j] : i64 <- total;""",
    "a while-loop that divides": """
    var left : i64;
    var sum : i64;
    var go : bool;
    left <- j;
    sum <- 0;
    go <- left > 0;
    while go do
      sum <- sum + 12 // left;
      left <- left - 1;
      go <- left > 0;
    done
    ys[i*m + j] : i64 <- sum;""",
    "a while-loop that divides inside of an expression": """
    var left : i64;
    var odd : bool;
    var sum : i64;
    var go : bool;
    left <- j;
    sum <- 0;
    go <- left > 0;
    while go do
      odd <- !(12 // left > 3);
      left <- left - 1;
      if go then sum <- sum * 2; else fi
      if odd then sum <- sum + 1; else fi
      go <- left > 0;
    done
    ys[i*m + j] : i64 <- sum;""",
    "two while-loops": """
    var at : i64;
    var more : i64;
    var go : bool;
    at <- j;
    go <- at > 1;
    while go do
      at <- at - 2;
      more <- at + i;
      go <- at > 1;
    done
    more <- at;
    go <- more < 4;
    while go do
      more <- more + at + 1;
      go <- more < 4;
    done
    if go then ys[i*m + j] : i64 <- 9; else ys[i*m + j] : i64 <- more; fi""",
    "what a loop sets, and what follows sets again": """
    var q : i64;
    var left : i64;
    var go : bool;
    left <- j & 3;
    go <- left > 0;
    while go do
      q <- left * 2;
      left <- left - 1;
      go <- left > 0 && q != 6;
    done
    q <- left + 3;
    ys[i*m + j] : i64 <- q;""",
    "what a loop sets and does not use": """
    var last : i64;
    var left : i64;
    var go : bool;
    last <- 5;
    left <- j;
    go <- left > 0;
    while go do
      last <- left * 3 + i;
      left <- left - 1;
      go <- left > 0;
    done
    ys[i*m + j] : i64 <- last;""",
    "values that are needed after the loop": """
    var old : i64;
    var start : i64;
    var acc : i64;
    var twice : i64;
    start <- j;
    old <- xs[i*m + j] : i64;
    twice <- old * 2 + start;
    acc <- start;
    for l < k do
      acc <- acc + l;
      start <- start + 1;
    done
    ys[i*m + j] : i64 <- twice - acc;""",
    "an element that is written after it was read": """
    var old : i64;
    var acc : i64;
    ys[i*m + j] : i64 <- 7;
    old <- ys[i*m + j] : i64;
    acc <- j;
    for l < k + 1 do
      acc <- acc + l;
      ys[i*m + j] : i64 <- acc;
    done
    ys[i*m + j] : i64 <- old - acc;""",
    "a kernel inside": """
    kernel first < 1 do
      ys[i*m + j] : i64 <- j;
    done
    var x : i64;
    for l < k do
      x <- ys[i*m + j] : i64;
      ys[i*m + j] : i64 <- x * 2 + l;
    done""",
    "a variable of each iteration of a kernel inside": """
    kernel a < n do
      var x : i64;
      x <- a * j;
      for l < k do
        x <- x + l;
      done
      var mine : bool;
      mine <- a == i;
      if mine then ys[i*m + j] : i64 <- x; else fi
    done""",
    "narrow types": """
    var small : i8;
    var flag : bool;
    var half : f16;
    small <- i8(j);
    flag <- j % 2 == 0;
    half <- 0.5f16;
    for l < n do
      small <- small + 3i8;
      flag <- !flag;
      half <- half + 0.25f16;
    done
    var kind : i64;
    kind <- 0;
    if flag then kind <- 100; else fi
    ys[i*m + j] : i64 <- i64(small) + kind + i64(half * 4.0f16);""",
    "a branch that is alike and writes": """
    var acc : i64;
    acc <- j;
    for l < k do
      acc <- acc + l;
    done
    var odd : bool;
    odd <- i % 2 == 1;
    var which : i64;
    if odd then
      ys[i*m + j] : i64 <- acc;
      which <- i;
    else
      which <- 7;
    fi
    var even : bool;
    even <- which == 7;
    if even then ys[i*m + j] : i64 <- acc + which; else fi""",
    "the index after the loop": """
    var acc : i64;
    acc <- 0;
    for l < k do
      acc <- acc + j * l;
    done
    var x : i64;
    x <- xs[i*m + j] : i64;
    ys[i*m + j] : i64 <- acc + j + x;""",
    "a check that is alike": """
    var acc : i64;
    acc <- 0;
    check nonneg k "negative size" "Size {{}} is negative." (k);
    for l < k do
      acc <- acc + j;
    done
    ys[i*m + j] : i64 <- acc;""",
}


def program(name: str) -> ImpProgram:
    return parse_imp(KERNEL.format(BODIES[name].replace("{{}}", "{}")))


def outcome(p: ImpProgram, args: Sequence[ArgValue], order: Order) -> Sequence[Value] | str:
    try:
        return run_imp(p, "main", args, order=order, seed=3)
    except Trap as trap:
        return f"{trap.kind}: {trap.diagnostic.message}"


def same(a: Sequence[Value] | str, b: Sequence[Value] | str) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return agree(a, b) is None


def differs(before: ImpProgram, after: ImpProgram) -> str | None:
    """The first difference between two programs, at sizes from zero to several groups."""
    for n, m, k in ((0, 3, 1), (2, 0, 1), (1, 1, 0), (3, 2, 2), (2, 5, 3), (3, 7, -1)):
        xs = np.arange(n * m).reshape(n, m) * 7 % 5
        for order in Order:
            want = outcome(before, (xs, k), Order.FORWARDS)
            try:
                got = outcome(after, (xs, k), order)
            except (FunmemError, Stuck) as error:
                return f"{n} {m} {k} {order}: {error}"
            if not same(want, got):
                return f"{n} {m} {k} {order}: {want} became {got}"
    return None


@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("name", sampled(BODIES, 10))
def test_same_results(name: str, width: int) -> None:
    before = program(name)
    after = lanes(before, width)
    assert after != before, "the conditions refuse it"
    assert differs(before, after) is None


@pytest.mark.parametrize("seed", sampled(range(0, 90, 2), 10))
def test_generated_programs(seed: int) -> None:
    g = generate(1000 + seed)
    before = as_imp(Pipeline.parse("lower").run(to_funmem(g.program, verify=False)))
    after = lanes(before, 2)

    def run(p: ImpProgram, order: Order) -> Sequence[Value] | str:
        try:
            return run_imp(p, g.entry, g.args, order=order, seed=seed)
        except Trap as trap:
            return str(trap.kind)

    want = run(before, Order.FORWARDS)
    for order in Order:
        assert same(want, run(after, order))


@pytest.mark.exhaustive
def test_generated_programs_have_such_kernels() -> None:
    """Else the test above would say nothing."""
    some = 0
    for seed in range(0, 90, 2):
        p = to_funmem(generate(1000 + seed).program, verify=False)
        before = as_imp(Pipeline.parse("lower").run(p))
        some += lanes(before, 2) != before
        if some == 3:
            return
    raise AssertionError(f"{some} of 45")


# ---------------------------------------------------------------------- conditions

REFUSED = {
    "no_own_blocks": """
    var own : mem.private;
    own <- alloc.private 8;
    for l < k do own[0] : i64 <- l; done
    ys[i*m + j] : i64 <- j;""",
    "uniform_checks": """
    var x : i64;
    for l < k do
      x <- xs[i*m + j] : i64;
      check x in k "index out of bounds" "Index [{}]." (x);
    done
    ys[i*m + j] : i64 <- j;""",
    "has_uniform_loop": """
    var acc : i64;
    acc <- 0;
    for l < j do acc <- acc + l; done
    ys[i*m + j] : i64 <- acc;""",
    "unit_stride": """
    var acc : i64;
    acc <- 0;
    for l < k do
      var x : i64;
      x <- xs[j*n] : i64;
      acc <- acc + x;
    done
    ys[i*m + j] : i64 <- acc;""",
    "fits_registers": "\n".join(
        (
            *(f"var a{k} : i64;\na{k} <- j;" for k in range(17)),
            *("for l < k do", *(f"a{k} <- a{k} + l;" for k in range(17)), "done"),
            f"ys[i*m + j] : i64 <- {' + '.join(f'a{k}' for k in range(17))};",
        )
    ),
}


@pytest.mark.parametrize("condition", REFUSED)
def test_conditions(condition: str) -> None:
    """Each refuses a program that violates only it, and says so."""
    before = parse_imp(
        KERNEL.replace("{}", REFUSED[condition]).replace("{{", "{").replace("}}", "}")
    )
    report = Report()
    assert lanes(before, report=report) == before
    assert [r.condition for r in report.remarks] == [condition]


@pytest.mark.parametrize(("read", "group"), [("64*l + j", 64), ("n*j + l", 16)])
def test_a_group_is_a_whole_strip(read: str, group: int) -> None:
    """Also if its accumulators do not fit the registers: a part of it reads a part of each row."""
    sums = range(6)
    body = "\n".join(
        (
            *(f"var a{k} : i64;\na{k} <- 0;" for k in sums),
            f"for l < n do\nvar x : i64;\nx <- xs[{read}] : i64;",
            *(f"a{k} <- a{k} + x * {3 * k + 1} + x;" for k in sums),
            f"done\nys[i*64 + j] : i64 <- {' + '.join(f'a{k}' for k in sums)};",
        )
    )
    p = parse_imp(
        KERNEL.replace("j < m", "j < 64").replace("{}", body).replace("{{", "{").replace("}}", "}")
    )
    assert f"kernel lane_2 < {group} do" in show(lanes(p))


@pytest.mark.parametrize(
    ("reads", "group"),
    [
        (("l", "l*m + j"), 16),
        (("n*i + l", "l*m + j"), 16),
        (("m*i + j", "l*m + j"), 64),
        (("l", "m*i + j + l"), 64),
    ],
)
def test_groups_whose_rows_share_what_lanes_read_are_blocks(
    reads: tuple[str, str], group: int
) -> None:
    """Not those that also read elements of their own row: these are faster in wide groups."""
    some = "".join(
        f"var x{k} : i64;\nx{k} <- xs[{i}] : i64;\na <- a + x{k};\n" for k, i in enumerate(reads)
    )
    body = f"var a : i64;\na <- 0;\nfor l < n do\n{some}done\nys[i*m + j] : i64 <- a;"
    text = KERNEL.replace("{}", body).replace("{{", "{").replace("}}", "}")
    made = Pipeline.parse("vectorise{block=16}").run(parse_imp(text))
    assert f"groups_1 <- m // {group};" in show(as_imp(made))


def test_many_operations_outweigh_a_read_at_another_stride() -> None:
    few, many = (
        parse_imp(
            KERNEL.replace("{}", REFUSED["unit_stride"].replace("acc + x", "acc" + " + x" * count))
            .replace("{{", "{")
            .replace("}}", "}")
        )
        for count in (15, 16)
    )
    assert lanes(few) == few
    assert lanes(many) != many
    args = (np.arange(3 * 70).reshape(3, 70), 2)
    assert same(run_imp(many, "main", args), run_imp(lanes(many), "main", args))


OTHERS = {
    "a while-loop with a loop in it": (
        "has_uniform_loop",
        """
    var acc : i64;
    var left : i64;
    var go : bool;
    acc <- 0;
    left <- j;
    go <- left > 0;
    while go do
      for l < left do acc <- acc + l; done
      left <- left - 1;
      go <- left > 0;
    done
    ys[i*m + j] : i64 <- acc;""",
    ),
    "a loop without lanes": (
        "has_uniform_loop",
        """
    var acc : i64;
    acc <- 0;
    for l < k do acc <- acc + l; done
    ys[i*m + j] : i64 <- acc + j;""",
    ),
    "rows of a loop of its own": (
        "unit_stride",
        """
    var acc : i64;
    acc <- 0;
    for l < k do
      for o < j do
        var x : i64;
        x <- xs[o*m + j] : i64;
        acc <- acc + x;
      done
    done
    ys[i*m + j] : i64 <- acc;""",
    ),
    "rows of a kernel of its own": (
        "unit_stride",
        """
    for l < k do
      kernel a < j, b < 2 do
        var x : i64;
        x <- xs[a*m + j] : i64;
        var yes : bool;
        yes <- a + b == l;
        if yes then ys[i*m + j] : i64 <- x; else fi
      done
    done""",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_programs_that_violate_conditions(name: str) -> None:
    """Nothing would be gained: no lanes are side by side in these loops."""
    condition, body = OTHERS[name]
    before = parse_imp(KERNEL.format(body))
    report = Report()
    assert lanes(before, report=report) == before
    assert [r.condition for r in report.remarks] == [condition]


@pytest.mark.parametrize(
    "read",
    [
        "x <- ys[i*m] : i64;",
        "var odd : bool; odd <- i % 2 == 1; if odd then x <- ys[i*m] : i64; else x <- i; fi",
    ],
)
def test_the_only_lane_may_read_what_it_has_written(read: str) -> None:
    """There are no others, and so the element is alike for all; but it is written before."""
    before = parse_imp(
        KERNEL.format(
            f"""
    ys[i*m + j] : i64 <- j + i + 1;
    var x : i64;
    {read}
    var acc : i64;
    acc <- j;
    for l < k do acc <- acc + x; done
    ys[i*m + j] : i64 <- acc;"""
        )
    )
    after = lanes(before, 2)
    assert after != before
    args = (np.zeros((4, 1), np.int64), 3)
    assert same(outcome(before, args, Order.FORWARDS), outcome(after, args, Order.FORWARDS))


def test_what_is_alike_goes_in_front_of_lanes_that_wait() -> None:
    """The lanes do the rest at once."""
    p = parse_imp(
        KERNEL.format(
            """
    var x : i64;
    x <- xs[i*m + j] : i64;
    var y : i64;
    y <- xs[i*m] : i64;
    var z : i64;
    z <- i + 1;
    ys[i*m + j] : i64 <- x + y;
    z <- z + 1;
    ys[i*m + j] : i64 <- x + y + z;"""
        )
    )
    (kernel,) = (s for e in p.entries for s in nested(e.body) if isinstance(s, KernelStm))
    nodes = split(kernel.body, varying_names(kernel.body, kernel.dims[-1].index))
    (part,) = (n for n in nodes if isinstance(n, Lanes))
    assert nodes[-1] is part


LATE = {
    "after a while-loop": """
    var a : i64;
    var go : bool;
    a <- j;
    go <- a % 2 == 1;
    while go do
      a <- a + 2;
      go <- a % 2 == 1;
    done
    check nonneg k "negative size" "Size {} is negative." (k);
    ys[i*m + j] : i64 <- a;""",
    "after a loop of some": """
    var acc : i64;
    acc <- j;
    var odd : bool;
    odd <- j % 2 == 1;
    if odd then
      for r < 4611686018427387904 do acc <- acc + r; done
    else fi
    for l < n do acc <- acc + l; done
    check nonneg k "negative size" "Size {} is negative." (k);
    ys[i*m + j] : i64 <- acc;""",
    "in a loop with one": """
    var a : i64;
    a <- j;
    for l < 2 do
      var go : bool;
      check nonneg k - l + 1 "negative size" "Size {} is negative." (k);
      go <- a % 2 == 1;
      while go do
        a <- a + 2;
        go <- a % 2 == 1;
      done
    done
    ys[i*m + j] : i64 <- a;""",
}


def late(name: str) -> ImpProgram:
    return parse_imp(KERNEL.replace("{}", LATE[name], 1).replace("{{", "{").replace("}}", "}"))


def is_reported(p: ImpProgram) -> bool:
    """Whether the check that iteration 0 fails ends a program, of which iteration 1 never ends."""
    try:
        with limited(0.3):
            run_imp(p, "main", (np.zeros((2, 2), np.int64), -1))
    except Trap:
        return True
    except OutOfTime:
        return False
    raise AssertionError("nothing fails")


@pytest.mark.parametrize("name", LATE)
def test_no_check_waits_for_a_lane_that_never_ends(name: str) -> None:
    before = late(name)
    report = Report()
    assert lanes(before, 2, report=report) == before
    assert [r.condition for r in report.remarks] == ["uniform_checks"]
    assert is_reported(before)


@pytest.mark.parametrize("name", LATE)
def test_a_check_that_waited_would_never_be_reported(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A seeded bug: the condition overlooks the loops of lanes."""
    monkeypatch.setattr(conditions, "has_divergent_loop", lambda nodes: False)
    assert not is_reported(lanes(late(name), 2))


def test_a_few_iterations_stay_as_they_are() -> None:
    text = KERNEL.replace("{}", BODIES["an accumulator"]).replace("{{", "{").replace("}}", "}")
    few = parse_imp(text.replace("j < m", "j < 8"))
    report = Report()
    assert lanes(few, report=report) == few
    assert [r.condition for r in report.remarks] == ["wide_enough"]


@pytest.mark.parametrize(
    ("name", "several"),
    [
        ("a while-loop of which only the count is used", True),
        ("a while-loop that some leave earlier", True),
        ("a while-loop that divides", False),
        ("a while-loop that divides inside of an expression", False),
    ],
)
def test_rounds_that_do_no_harm_follow_one_another(name: str, *, several: bool) -> None:
    """Before somebody looks whether there is a lane that goes on."""
    one, three = (
        as_imp(Pipeline.parse(f"vectorise{{width=2,rounds={k}}}").run(program(name)))
        for k in (1, 3)
    )
    assert (one != three) is several


def test_a_negative_width_is_refused() -> None:
    """It would leave out iterations."""
    with pytest.raises(UsageError, match="width"):
        lanes(program("an accumulator"), -2)


# ---------------------------------------------------------------------- the whole way


def test_golden(golden: Callable[[str, str], None]) -> None:
    """A matrix product, as a reader sees it."""
    text = (EXAMPLES / "matmul.fun").read_text()
    golden("vectorise/matmul.imp", show(lanes(lowered(text))))


def test_it_is_part_of_the_default_pipeline_for_processors() -> None:
    p = to_imp(parse_fun((EXAMPLES / "matmul.fun").read_text()))
    (entry,) = p.entries
    inner = [s for k in nested(entry.body) if isinstance(k, KernelStm) for s in nested(k.body)]
    assert any(isinstance(s, KernelStm) for s in inner)


@pytest.mark.parametrize("engine", [
    pytest.param("opencl", marks=pytest.mark.opencl), pytest.param("c", marks=needs_compiler)
])  # fmt: skip
def test_on_devices(engine: str) -> None:
    """Whole groups of 64 and a rest, rows that are fewer than a group."""
    from funmem.codegen.c import compile_c
    from funmem.codegen.c_library import CLibrary, COptions
    from funmem.codegen.opencl import compile_imp
    from funmem.codegen.runtime import Executable

    p = to_imp(parse_fun((EXAMPLES / "matmul.fun").read_text()))
    call: Any
    if engine == "c":
        call = CLibrary.load(compile_c(p, "matmul"), COptions(optimise=False)).entry()
    else:
        call = Executable.load(compile_imp(p), pocl())
    rng = np.random.default_rng(1)
    for n, k, m in ((3, 5, 200), (2, 4, 64), (70, 3, 63), (1, 0, 130)):
        a, b = (rng.integers(0, 9, s).astype(np.float32) for s in ((n, k), (k, m)))
        np.testing.assert_array_equal(call(a, b), a @ b)


# ---------------------------------------------------------------------- seeded bugs


def forget_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is loaded that a part only may leave as it was."""
    monkeypatch.setattr(groups.Group, "_loaded", lambda self, e: e.before & self._arrays.keys())


def no_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is alike overtakes lanes that use its old value."""
    parts = import_module("funmem.passes.imp.vectorise.split")
    monkeypatch.setattr(parts, "_conflict", lambda s, waiting: False)


def nothing_meets(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is alike is done behind lanes that use its new value."""
    parts = import_module("funmem.passes.imp.vectorise.split")
    monkeypatch.setattr(parts, "_meets", lambda s, late: False)


def branches_are_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one branch assigns counts as assigned."""
    old = groups.exposed

    def exposed(stms: Sequence[Any]) -> groups.Exposed:
        e = old(stms)
        return groups.Exposed(e.before, e.assigned, e.assigned)

    monkeypatch.setattr(groups, "exposed", exposed)


def neighbouring_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lane 0 of a group is lane 1."""
    old = groups.Group.body

    def body(self: groups.Group, nodes: Sequence[Any]) -> Any:
        shifted = groups.Group(
            self.types,
            self.fresh,
            self.varying,
            self.width,
            self.lanes,
            self.index,
            self.first + 1,
            self.rounds,
        )
        return old(shifted, nodes)

    monkeypatch.setattr(groups.Group, "body", body)


def branches_stay_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A branch that writes is done by the lanes, also where it assigns what is declared outside."""
    parts = import_module("funmem.passes.imp.vectorise.split")
    monkeypatch.setattr(parts, "_assigns_uniform", lambda s, varying: False)


def nothing_used_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """All variables of a while-loop run on in lanes that are done."""
    monkeypatch.setattr(masked, "_used", lambda nodes, but: frozenset())


def nothing_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """So do those in a loop around it that it needs in the next iteration."""
    old = masked.with_dead_variables

    def with_dead_variables(nodes: Sequence[Any]) -> Any:
        return tuple(evolve(n, body=old(n.body)) if isinstance(n, Loop) else n for n in old(nodes))

    monkeypatch.setattr(groups, "with_dead_variables", with_dead_variables)


def harmless_divisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lanes that are done divide, by zero perhaps."""
    monkeypatch.setattr(masked, "can_trap", lambda op, t: False)


def sinks_through_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read is read later, though it was written in the meantime."""
    monkeypatch.setattr(sink, "Write", Check)


def sinks_through_assignments(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is computed is computed later, from what has other values by then."""
    monkeypatch.setattr(sink, "own_assigns", lambda s: ())


BUGS = [
    (sinks_through_writes, "an element that is written after it was read"),
    (sinks_through_assignments, "what a loop sets and does not use"),
    (forget_kept, "set in some iterations"),
    (no_conflict, "what is alike"),
    (nothing_meets, "a count between accumulators"),
    (branches_are_sure, "set in some iterations"),
    (neighbouring_group, "an accumulator"),
    (branches_stay_whole, "a branch that is alike and writes"),
    (nothing_used_later, "a while-loop that some leave earlier"),
    (nothing_used_again, "a while-loop that goes on from where it was"),
    (harmless_divisions, "a while-loop that divides"),
]
"""A bug, and the program in which the comparison above, or a type, finds it."""


@pytest.mark.parametrize(("bug", "name"), BUGS)
def test_seeded_bugs_are_caught(
    bug: Callable[[pytest.MonkeyPatch], None], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bug(monkeypatch)
    assert caught(name)


def caught(name: str) -> bool:
    try:
        after = lanes(program(name), 2)
    except PassFailed:
        return True
    return differs(program(name), after) is not None
