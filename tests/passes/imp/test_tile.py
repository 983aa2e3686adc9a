"""tile, edges: kernels in another order compute what they computed.

Protects ``passes/imp/tile.py``, ``passes/imp/peel.py`` and ``passes/imp/decided.py``.  The IMP
interpreter runs the programs in three orders and watches for races, for elements written twice, and
for those never written.
"""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from funmem.interp.imp import Order, run_imp
from funmem.ir.diagnostics import FunmemError, UsageError
from funmem.ir.imp import IfStm, ImpProgram, KernelStm
from funmem.ir.imp_traverse import nested
from funmem.ir.text import parse_imp, show
from funmem.ir.values import ArgValue, Value, agree
from funmem.passes.framework import Report, as_imp
from funmem.passes.imp import decided
from funmem.passes.imp import peel as peel_module
from funmem.passes.pipeline import to_imp
from funmem.passes.runner import Pipeline
from funmem.testing import generate
from tests.support.sampling import sampled

TRANSPOSE = """
entry main [n] [m] (xs : [n][m]i32) {
  var ys : mem;
  ys <- alloc 4*n*m;
  kernel i < m, j < n do
    ys[i*n + j] <- xs[j*m + i] : i32;
  done
  return (ys : [m][n]i32)
}"""

STENCIL = """
entry main [n] [m] (xs : [n][m]i32) {
  var ys : mem;
  ys <- alloc 4*n*m;
  kernel i < n, j < m do
    var west : i64;
    west <- max(0, j - 2);
    var east : i64;
    east <- min(j + 1, m - 1);
    var x : i32;
    x <- xs[i*m + west] : i32;
    var y : i32;
    y <- xs[i*m + east] : i32;
    ys[i*m + j] : i32 <- x * 3i32 + y * i32(west) + i32(j);
  done
  return (ys : [n][m]i32)
}"""

CLAMPED = STENCIL.replace("max(0, j - 2)", "max(0, min(m - 1, j - 2))").replace(
    "    var east : i64;\n    east <- min(j + 1, m - 1);",
    "    var next : i64;\n    next <- j + 1;\n    var east : i64;\n"
    "    east <- min(m - 1, max(next, 0));",
)
"""Both ends limit both indices, one of which has a name before."""

TORUS = CLAMPED.replace("max(0, min(m - 1, j - 2))", "(j - 2 + m) % m").replace(
    "min(m - 1, max(next, 0))",
    "next % m;\n    var south : i64;\n    south <- (i + 1) % n;\n    var north : i64;\n"
    "    north <- (i - 1 + n) % n",
)
TORUS = TORUS.replace("xs[i*m + west]", "xs[south*m + west]").replace(
    "xs[i*m + east]", "xs[north*m + east]"
)
"""Remainders instead of limits: those by the last dimension, and by the other one."""

PLANES = TRANSPOSE.replace("kernel i", "kernel h < 2, i").replace("4*n*m", "8*n*m")
PLANES = PLANES.replace("ys[i*n", "ys[h*n*m + i*n").replace("(ys : ", "(ys : [2]")

STENCILS = STENCIL.replace("kernel i", "kernel h < 2, i").replace("4*n*m", "8*n*m")
STENCILS = STENCILS.replace("ys[i*m", "ys[h*n*m + i*m").replace("(ys : ", "(ys : [2]")

SHAPES = [(0, 0), (1, 1), (1, 2), (2, 3), (3, 2), (4, 4), (5, 7), (7, 5), (1, 9), (8, 1)]


def through(p: ImpProgram, passes: str, report: Report | None = None) -> ImpProgram:
    return as_imp(Pipeline.parse(passes).run(p, report=report))


def outcome(p: ImpProgram, args: list[ArgValue], order: Order) -> tuple[Value, ...] | str:
    try:
        return run_imp(p, "main", args, order=order, seed=1)
    except FunmemError as error:
        return f"{type(error).__name__}: {error}"


def kernels(p: ImpProgram) -> list[KernelStm]:
    return [s for e in p.entries for s in nested(e.body) if isinstance(s, KernelStm)]


@pytest.mark.parametrize("order", sampled(Order, 3, slow=6))
@pytest.mark.parametrize(
    "passes", ["tile{tall=2,wide=2}", "tile{tall=3,wide=3}", "peel", "peel,vectorise{width=2}"]
)
@pytest.mark.parametrize(
    "text",
    [TRANSPOSE, PLANES, STENCIL, STENCILS, CLAMPED, TORUS],
    ids=["transpose", "planes", "stencil", "stencils", "clamped", "torus"],
)
def test_every_element_once(text: str, passes: str, order: Order) -> None:
    """Sizes below, at and above tiles and edges; nothing is left out, nothing done twice."""
    p = parse_imp(text)
    changed = through(p, passes)
    for shape in SHAPES:
        xs = np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape)
        want, got = run_imp(p, "main", [xs]), outcome(changed, [xs], order)
        assert not isinstance(got, str), got
        assert agree(want, got) is None, shape


def test_golden(golden: Callable[[str, str], None]) -> None:
    golden("tile/transpose.imp", show(through(parse_imp(TRANSPOSE), "tile")))
    golden("tile/stencil.imp", show(through(parse_imp(STENCIL), "peel")))


def test_tiles_go_through_both_orders() -> None:
    p = through(parse_imp(TRANSPOSE), "tile{tall=4,wide=4}")
    assert len(kernels(p)) == 4  # tiles, and in them; right of them; below them
    assert len(kernels(through(parse_imp(PLANES), "tile{tall=4,wide=4}"))) == 4
    backwards = TRANSPOSE.replace("j*m + i", "j*m + m - 1 - i")
    assert len(kernels(through(parse_imp(backwards), "tile{tall=1,wide=1}"))) == 4


@pytest.mark.parametrize(
    ("old", "new", "condition"),
    [
        ("<- xs[j*m + i]", "<- xs[i*n + j]", "transposed_access"),
        ("<- xs[j*m + i]", "<- xs[i + j]", "transposed_access"),
        ("<- xs[j*m + i]", "<- xs[i - j + n]", "transposed_access"),
        ("<- xs[j*m + i]", "<- xs[i]", "transposed_access"),
        (
            "done\n  return",
            '  check i in m "index out of bounds" "no";\n done\n  return',
            "checks_nothing",
        ),
        (
            "    ys[i*n + j] <-",
            "    for k < 2 do\n var t : i64;\n t <- k;\n done\n    ys[i*n + j] <-",
            "straight_line",
        ),
    ],
)
def test_tiles_say_why_not(old: str, new: str, condition: str) -> None:
    """Each change breaks one condition only."""
    p = parse_imp(TRANSPOSE.replace(old, new))
    report = Report()
    assert through(p, "tile", report) == p
    assert [r.condition for r in report.remarks] == [condition]


def test_a_side_is_positive() -> None:
    with pytest.raises(UsageError, match="positive"):
        through(parse_imp(TRANSPOSE), "tile{wide=0}")
    with pytest.raises(UsageError, match="at most"):
        through(parse_imp(TRANSPOSE), f"tile{{tall={2**63}}}")
    assert len(kernels(through(parse_imp(TRANSPOSE), f"tile{{wide={2**20}}}"))) == 4


@pytest.mark.parametrize(
    ("more", "condition"),
    [
        ('check j in n "index out of bounds" "no";', "checks_nothing"),
        ("for k < 2 do\n var t : i64;\n t <- k;\n done", "no_loops"),
    ],
)
def test_edges_say_why_not(more: str, condition: str) -> None:
    """Otherwise another iteration might fail first."""
    p = parse_imp(STENCIL.replace("  done\n", f"  {more}\n  done\n"))
    report = Report()
    assert through(p, "peel", report) == p
    assert [r.condition for r in report.remarks] == [condition]


@pytest.mark.parametrize(
    "text",
    [STENCIL, CLAMPED, STENCIL.replace("j - 2", "j - 8")],
    ids=["stencil", "clamped", "wide"],
)
def test_the_interior_has_no_limits(text: str) -> None:
    interior, edges = kernels(through(parse_imp(text), "peel"))
    assert "max" not in show_block(interior)
    assert "min" not in show_block(interior)
    assert {"max", "min"} <= set(re.findall(r"\w+", show_block(edges)))


def test_a_torus_has_few_divisions() -> None:
    """The interior has none; in the edges the second neighbour still needs one."""
    interior, edges = kernels(through(parse_imp(TORUS), "peel"))
    assert "MOD" not in show_block(interior)
    assert show_block(edges).count("MOD") == 1


def test_remainders_by_another_number_stay() -> None:
    p = parse_imp(TORUS.replace("next % m", "next % n").replace("% m", "% 5"))
    assert show_block(kernels(through(p, "peel"))[0]).count("MOD") == 2


def test_an_index_without_a_limit_is_nothing_to_be_done_apart() -> None:
    p = parse_imp(STENCIL.replace("max(0, j - 2)", "j").replace("min(j + 1, m - 1)", "j"))
    assert through(p, "peel") == p


def test_a_limit_without_edges_is_no_limit() -> None:
    """An index of the dimension is inside it."""
    p = parse_imp(STENCIL.replace("max(0, j - 2)", "max(0, j)").replace("j + 1, m - 1", "j, m - 1"))
    changed = through(p, "peel")
    (kernel,) = kernels(changed)
    assert not {"max", "min"} & set(re.findall(r"\w+", show_block(kernel)))
    xs = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert agree(run_imp(p, "main", [xs]), run_imp(changed, "main", [xs])) is None


def show_block(s: KernelStm) -> str:
    return " ".join(str(t) for t in nested(s.body))


@pytest.mark.parametrize(
    "change",
    [
        ("max(0, j - 2)", "max(0, j - 9)"),  # too far
        ("min(j + 1, m - 1)", "min(j + 1, m - 2)"),  # not the dimension's end
        ("max(0, j - 2)", "max(1, j - 2)"),
        ("max(0, j - 2)", "max(0, i - 2)"),  # another dimension's index
    ],
)
def test_other_limits_stay(change: tuple[str, str]) -> None:
    """Only one of the two limits is left that edges knows: it is the other that counts."""
    text = STENCIL.replace(*change)
    p = parse_imp(text)
    changed = through(p, "peel")
    xs = np.arange(35, dtype=np.int32).reshape(5, 7)
    if "m - 2" not in text:
        assert agree(run_imp(p, "main", [xs]), run_imp(changed, "main", [xs])) is None
    assert change[1].split("(")[0] in " ".join(map(show_block, kernels(changed)))


def test_a_variable_that_changes_stays() -> None:
    text = STENCIL.replace("    var east", "    west <- west + 1;\n    var east").replace(
        "min(j + 1, m - 1)", "0"
    )
    p = parse_imp(text)
    assert through(p, "peel") == p


@pytest.mark.parametrize(
    "change",
    [
        "t <- by + j; by <- 2; west <- max(0, t - by)",
        "t <- j + by; by <- by + 1; west <- max(0, t - by + by)",
        "t <- by; by <- j + 1; west <- max(0, by - t)",
    ],
)
def test_what_a_variable_was_assigned_from_may_change(change: str) -> None:
    """What it was computed from has another value where the limit is."""
    text = STENCIL.replace("west <- max(0, j - 2)", f"var by : i64; var t : i64; by <- 1; {change}")
    p = parse_imp(text.replace("min(j + 1, m - 1)", "0"))
    changed = through(p, "peel")
    for n, m in SHAPES:
        xs = np.arange(n * m, dtype=np.int32).reshape(n, m)
        want = outcome(p, [xs], Order.FORWARDS)
        got = outcome(changed, [xs], Order.FORWARDS)
        if isinstance(want, str) or isinstance(got, str):
            assert want == got
        else:
            assert agree(want, got) is None


# ------------------------------------------------- branches on the index

BRANCH = """
entry main [n] [m] (xs : [n][m]i32) {
  var ys : mem;
  ys <- alloc 4*n*m;
  kernel i < n, j < m do
    var p : i64;
    p <- j + 1;
    var c : bool;
    c <- CONDITION;
    var y : i32;
    if c then
      y <- xs[i*m + j] : i32;
    else
      y <- -1i32;
    fi
    ys[i*m + j] : i32 <- y;
  done
  return (ys : [n][m]i32)
}"""

NESTED = BRANCH.replace(
    "    c <- CONDITION;",
    """\
    var inside : bool;
    inside <- 0 < i && i < n - 1 && 1 < j;
    if inside then c <- j < m - 2; else c <- false; fi""",
)
"""As lowering prints ``&&``: only one side of the inner branch is left."""


def branch(condition: str) -> ImpProgram:
    return parse_imp(BRANCH.replace("CONDITION", condition))


def branches(s: KernelStm) -> int:
    return sum(isinstance(t, IfStm) for t in nested(s.body))


def same_on_all_shapes(p: ImpProgram, changed: ImpProgram) -> None:
    for shape in SHAPES:
        xs = np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape)
        for order in (Order.FORWARDS, Order.SHUFFLED):
            want, got = run_imp(p, "main", [xs]), outcome(changed, [xs], order)
            assert not isinstance(got, str), got
            assert agree(want, got) is None, (shape, order)


@pytest.mark.parametrize("op", sampled(["<", "<=", ">", ">=", "==", "!="], 3))
@pytest.mark.parametrize(
    ("left", "right"),
    sampled(
        [
            ("j", "{k}"),
            ("{k}", "j"),
            ("j", "m - {k}"),
            ("m - {k}", "p"),
            ("p - 3", "{k}"),
            ("m - 1 - j", "{k}"),
            ("j + {k}", "m"),
        ],
        2,
    ),
)
def test_no_branch_is_left_in_the_interior(op: str, left: str, right: str) -> None:
    """All comparisons near both ends, in kernels that have an interior and in those that do not."""
    for k in (0, 1, 2):
        p = branch(f"{left.format(k=k)} {op} {right.format(k=k)}")
        changed = through(p, "peel")
        assert branches(kernels(changed)[0]) == 0
        same_on_all_shapes(p, changed)


def test_conjunctions_and_branches_that_set_conditions() -> None:
    p = parse_imp(NESTED)
    interior, edges = kernels(through(p, "peel"))
    assert (branches(interior), branches(edges)) == (2, 3)  # on i, and at_end
    same_on_all_shapes(p, through(p, "peel"))


@pytest.mark.parametrize(
    "condition",
    ["j < 9", "j < m - 9", "j == i", "2 * j < m", "j * j < 4", "j < m + 1", "j < n", "i < 1"],
)
def test_conditions_that_stay(condition: str) -> None:
    """Far from the ends, not affine in the index, or on another index."""
    p = branch(condition)
    assert through(p, "peel") == p


def test_a_condition_that_changes_is_no_constant() -> None:
    p = parse_imp(BRANCH.replace("CONDITION", "j > 0").replace("    var y", "    c <- !c;\n var y"))
    changed = through(p, "peel")
    assert branches(kernels(changed)[0]) == 1
    same_on_all_shapes(p, changed)


def test_a_branch_without_accesses_splits_nothing() -> None:
    """A C compiler selects one of two values without a branch."""
    text = BRANCH.replace("CONDITION", "j > 0").replace("y <- xs[i*m + j] : i32;", "y <- 1i32;")
    p = parse_imp(text)
    assert through(p, "peel") == p


def test_a_comparison_that_no_branch_uses_splits_nothing() -> None:
    p = parse_imp(
        BRANCH.replace("CONDITION", "j > 0; var b : bool; b <- i > 0").replace("if c", "if b")
    )
    assert through(p, "peel") == p


@pytest.mark.parametrize(
    ("old", "new"),
    [("low + 1 if", "low if"), ("-high - 1 if", "-high - 2 if"), ("op in (BinOp.GT,", "op in (")],
    ids=["narrow before", "narrow after", "wrong side"],
)
def test_seeded_bugs_are_caught(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edge that is too narrow by one, and a branch that takes the other side."""
    source = Path(decided.__file__).read_text(encoding="utf-8")
    assert source.count(old) == 1
    wrong: dict[str, object] = {"__name__": decided.__name__}
    exec(compile(source.replace(old, new), "decided.py", "exec"), wrong)
    monkeypatch.setattr(peel_module, "comparisons", wrong["comparisons"])
    monkeypatch.setattr(peel_module, "settled", wrong["settled"])

    def judge() -> None:
        for condition in ("j <= 0", "j > m - 2", "j > 0"):
            p = branch(condition)
            same_on_all_shapes(p, through(p, "peel"))

    with pytest.raises(AssertionError):
        judge()


@pytest.mark.parametrize("seed", sampled(range(6), 3))
def test_generated_programs(seed: int) -> None:
    g = generate(seed)
    p = to_imp(g.program, verify=False)
    changed = through(p, "peel,tile{tall=2,wide=2}")

    def answer(q: ImpProgram) -> object:
        try:
            return run_imp(q, g.entry, g.args)
        except FunmemError as error:
            return str(error)

    want, got = answer(p), answer(changed)
    if isinstance(want, tuple) and isinstance(got, tuple):
        assert agree(want, got) is None
    else:
        assert want == got


def test_default_pipeline_has_them() -> None:
    from funmem.passes.pipeline import DEFAULT

    assert "lower,peel,tile," in DEFAULT
