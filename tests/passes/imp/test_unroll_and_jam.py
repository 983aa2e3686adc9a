"""jam: rows that run together compute what they compute one after the other.

Protects ``passes/imp/unroll_and_jam.py``.  Two or three rows run together here, in groups of two
lanes, so that small arrays have whole groups and rows that are left over; the IMP interpreter runs
them in three orders and watches for races and for elements that were never written.
"""

from collections.abc import Callable

import numpy as np
import pytest

from funmem.interp.imp import Order, run_imp
from funmem.ir.diagnostics import FunmemError, MemoryFault, UsageError
from funmem.ir.imp import Block, ForStm, ImpProgram, KernelStm, Read
from funmem.ir.imp_traverse import nested
from funmem.ir.names import Name
from funmem.ir.text import parse_fun, parse_imp, show
from funmem.ir.values import ArgValue, Value, agree
from funmem.passes.framework import Report, as_imp
from funmem.passes.imp import unroll_and_jam as jam_module
from funmem.passes.imp.vectorise.varying import varying_names
from funmem.passes.pipeline import DEFAULT, to_funmem, to_imp
from funmem.passes.runner import PassFailed, Pipeline
from funmem.testing import generate
from tests.support.paths import ROOT
from tests.support.sampling import sampled

EXAMPLES = ROOT / "examples"

PRODUCT = """
entry main [n] [m] [p] (as : [n][m]i64) (bs : [m][p]i64) {
  var cs : mem;
  cs <- alloc 8*n*p;
  kernel i < n, j < p do
    var acc : i64;
    acc <- i;
    for k < m do
      var a : i64;
      a <- as[i*m + k] : i64;
      var b : i64;
      b <- bs[k*p + j] : i64;
      acc <- acc + a * b;
    done
    cs[i*p + j] : i64 <- acc;
  done
  return (cs : [n][p]i64)
}"""

PLANES = """
entry main [n] [m] [p] (as : [n][m]i64) (bs : [m][p]i64) {
  var cs : mem;
  cs <- alloc 16*n*p;
  kernel i < n, h < 2, j < p do
    var acc : i64;
    acc <- 0;
    var even : bool;
    even <- m % 2 == 0;
    for k < m do
      var b : i64;
      b <- bs[k*p + j] : i64;
      if even then acc <- acc + b * (h + 1); else acc <- acc - b * i; fi
    done
    cs[2*i*p + h*p + j] : i64 <- acc;
  done
  return (cs : [n][2][p]i64)
}"""

SHAPES = [(0, 1, 2), (1, 2, 3), (2, 2, 2), (3, 1, 5), (4, 3, 4), (5, 0, 2), (7, 2, 3), (6, 3, 0)]


def through(p: ImpProgram, passes: str, report: Report | None = None) -> ImpProgram:
    return as_imp(Pipeline.parse(passes).run(p, report=report))


def jammed(text: str, rows: int = 2, report: Report | None = None) -> ImpProgram:
    return through(parse_imp(text), f"vectorise{{width=2}},unroll-and-jam{{rows={rows}}}", report)


def arguments(n: int, m: int, p: int) -> list[ArgValue]:
    rng = np.random.default_rng(n + 10 * m + 100 * p)
    return [rng.integers(-9, 9, (n, m)), rng.integers(-9, 9, (m, p))]


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("rows", [2, 3])
@pytest.mark.parametrize("text", [PRODUCT, PLANES], ids=["product", "planes"])
def test_every_element_once(text: str, rows: int, order: Order) -> None:
    """Fewer rows than run together, as many, and more; nothing is left out, nothing done twice."""
    p, changed = parse_imp(text), jammed(text, rows)
    assert changed != through(p, "vectorise{width=2}")
    for shape in SHAPES:
        args = arguments(*shape)
        want, got = run_imp(p, "main", args), run_imp(changed, "main", args, order=order, seed=1)
        assert agree(want, got) is None, shape


def shared_reads(p: ImpProgram) -> list[int]:
    """How often each loop reads ``bs``."""
    loops = (s for e in p.entries for s in nested(e.body) if isinstance(s, ForStm))
    reads = [[t for t in nested(s.body) if isinstance(t, Read) and t.block == "bs"] for s in loops]
    return [len(found) for found in reads]


def test_what_is_shared_is_read_once() -> None:
    assert set(shared_reads(jammed(PRODUCT, 3))) == {1}
    whole = jammed(PRODUCT.replace("i < n", "i < 6"), 3)
    assert len(shared_reads(whole)) == 2  # whole groups of lanes, and the rest; no rows are left


def test_the_innermost_dimension_that_shares() -> None:
    """Of two that would do, the one whose rows are neighbours."""
    (first, *_) = [s for e in jammed(PLANES).entries for s in e.body if isinstance(s, KernelStm)]
    assert [str(d.bound) for d in first.dims][:2] == ["n", "1"]


CHAIN = """
entry main [n] [m] (as : [n][m]i64) (bs : [m][0]i64) {
  var cs : mem;
  cs <- alloc 8*n*m;
  kernel i < n do
    var west : i64;
    west <- i;
    for k < m do
      var a : i64;
      a <- as[i*m + k] : i64;
      west <- max(west - 2, a);
      cs[i*m + k] : i64 <- west;
    done
  done
  return (cs : [n][m]i64)
}"""


def chained(text: str, chains: int, report: Report | None = None) -> ImpProgram:
    return through(parse_imp(text), f"unroll-and-jam{{chains={chains}}}", report)


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("chains", [2, 3])
def test_chains_run_together(chains: int, order: Order) -> None:
    """Fewer iterations than run together, as many, and more."""
    p, changed = parse_imp(CHAIN), chained(CHAIN, chains)
    assert changed != p
    for n, m in [(0, 2), (1, 3), (2, 2), (3, 0), (5, 4), (6, 3)]:
        args = arguments(n, m, 0)
        want, got = run_imp(p, "main", args), run_imp(changed, "main", args, order=order, seed=1)
        assert agree(want, got) is None, (n, m)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("cs[i*m + k] : i64 <- west;", ""),  # a reduction
        ("max(west - 2, a)", "a"),  # each step by itself
        ("var a : i64;", "var a : i64; for l < 2 do west <- west + l; done"),
    ],
    ids=["nothing written", "no chain", "a loop inside"],
)
def test_what_is_no_chain(old: str, new: str) -> None:
    text = CHAIN.replace(old, new)
    if "<- west" not in text:
        text = text.replace("    done\n  done", "    done\n    cs[i*m] : i64 <- west;\n  done")
    report = Report()
    assert chained(text, 2, report) == parse_imp(text)
    assert not report.remarks


def test_chains_of_different_length() -> None:
    text = CHAIN.replace("for k < m do", "for k < i do")
    report = Report()
    assert chained(text, 2, report) == parse_imp(text)
    assert {r.condition for r in report.remarks} == {"uniform_control"}


def test_without_chains() -> None:
    assert chained(CHAIN, 0) == parse_imp(CHAIN)
    with pytest.raises(UsageError, match="or 0"):
        chained(CHAIN, 1)


REFUSED = {
    "uniform_control": ("for k < m do", "for k < i do"),
    "checks_nothing": (
        "var acc : i64;",
        'var acc : i64;\n check nonneg n "index out of bounds" "no";',
    ),
    "shares": ("bs[k*p + j]", "bs[k*p + j + i]"),
    "enough_rows": ("kernel i < n", "kernel i < 1"),
}


@pytest.mark.parametrize("condition", REFUSED)
def test_it_says_why_not(condition: str) -> None:
    """Each change breaks one condition only."""
    old, new = REFUSED[condition]
    before = through(parse_imp(PRODUCT.replace(old, new)), "vectorise{width=2}")
    report = Report()
    assert through(before, "unroll-and-jam", report) == before
    assert {r.condition for r in report.remarks} == {condition}


@pytest.mark.parametrize(("width", "rows"), [(128, 2), (64, 4), (32, 8)])
def test_as_many_rows_as_fit_registers(width: int, rows: int) -> None:
    """2048 bytes of them, and 8 for each lane's sum."""
    before = through(parse_imp(PRODUCT), f"vectorise{{width={width}}}")
    text = show(through(before, "unroll-and-jam{rows=8}"))
    assert f"n // {rows};" in text


@pytest.mark.parametrize("block", ["mem.private; t <- alloc.private 8*m", "mem; t <- alloc 64"])
def test_what_a_row_keeps_is_known(block: str) -> None:
    before = parse_imp(CHAIN.replace("var west : i64;", f"var west : i64; var t : {block};"))
    report = Report()
    assert through(before, "unroll-and-jam", report) == before
    (why,) = report.remarks
    assert (why.condition, why.reason) == (
        "fits_registers",
        "the size of a row's private blocks is not a constant",
    )


def test_what_does_not_fit_registers_stays() -> None:
    before = through(parse_imp(PRODUCT), "vectorise{width=200}")
    report = Report()
    assert through(before, "unroll-and-jam", report) == before
    assert {r.condition for r in report.remarks} == {"fits_registers"}


def test_rows_are_at_least_two() -> None:
    with pytest.raises(UsageError, match="at least 2"):
        through(parse_imp(PRODUCT), "unroll-and-jam{rows=1}")


@pytest.mark.parametrize("seed", sampled(range(6), 3))
def test_generated_programs(seed: int) -> None:
    g = generate(seed)
    p = through(to_imp(g.program, verify=False), "vectorise{width=2}")
    changed = through(p, "unroll-and-jam{rows=2}")

    def answer(q: ImpProgram) -> tuple[Value, ...] | str:
        try:
            return run_imp(q, g.entry, g.args)
        except FunmemError as error:
            return str(error)

    want, got = answer(p), answer(changed)
    if isinstance(want, tuple) and isinstance(got, tuple):
        assert agree(want, got) is None
    else:
        assert want == got


def test_golden(golden: Callable[[str, str], None]) -> None:
    """A matrix product, as a reader sees it."""
    text = (EXAMPLES / "matmul.fun").read_text()
    lowered = as_imp(Pipeline.parse("lower").run(to_funmem(parse_fun(text))))
    golden(
        "unroll_and_jam/matmul.imp",
        show(through(lowered, "vectorise{width=32},unroll-and-jam{rows=2}")),
    )


def test_it_is_the_end_of_the_default_pipeline_for_processors() -> None:
    assert DEFAULT.endswith("lower,peel,tile,vectorise,unroll-and-jam,pack,loop-versioning")


# ---------------------------------------------------------------------- seeded bugs


def blocks_are_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a thread keeps is the same in all rows."""

    def varying(body: Block, index: Name, own: object) -> frozenset[Name]:
        return varying_names(body, index)

    monkeypatch.setattr(jam_module, "varying_names", varying)


def control_may_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows run as many iterations as the first."""
    others = tuple(c for c in jam_module.CONDITIONS if c is not jam_module.uniform_control)
    monkeypatch.setattr(jam_module, "CONDITIONS", others)


UNEVEN = PRODUCT.replace(
    "    cs[i*p + j]",
    """\
    var c : i64;
    c <- i;
    for h < c do
      acc <- acc + 1;
    done
    cs[i*p + j]""",
)


def branches_are_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows take the branch that the first one takes."""
    monkeypatch.setattr(jam_module, "_controls", lambda _: frozenset())


DIAGONAL = PRODUCT.replace(
    "    cs[i*p + j]",
    """\
    var c : bool;
    c <- i == j;
    if c then
      var one : i64;
      one <- acc + acc;
      acc <- one;
    else
      acc <- acc - 1;
    fi
    cs[i*p + j]""",
)


def test_branches_without_loops_are_replicated() -> None:
    """Each row has its own condition, and no name is declared twice."""
    p = parse_imp(DIAGONAL)
    changed = jammed(DIAGONAL)
    assert changed != through(p, "vectorise{width=2}")
    for n, m, width in SHAPES:
        args = arguments(n, m, width)
        assert agree(run_imp(p, "main", args), run_imp(changed, "main", args)) is None


BUGS = {branches_are_shared: DIAGONAL, blocks_are_shared: PRODUCT, control_may_differ: UNEVEN}


@pytest.mark.parametrize("bug", BUGS)
def test_seeded_bugs_are_caught(
    bug: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = BUGS[bug]
    args = arguments(4, 3, 2)
    want = run_imp(parse_imp(text), "main", args)
    bug(monkeypatch)
    try:
        got = run_imp(jammed(text), "main", args)
    except (MemoryFault, PassFailed):
        return
    assert agree(want, got) is not None
