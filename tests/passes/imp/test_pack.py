"""pack: a kernel that reads panels computes what it computed from the array.

Protects ``passes/imp/pack.py``.  Panels are two lanes wide here, and two rows run together; the IMP
interpreter runs the programs in three orders and watches for races, for accesses outside a block
and for elements that were never written.
"""

import random
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from funmem.interp.imp import Order, run_imp
from funmem.interp.value import run
from funmem.ir.diagnostics import MemoryFault, Trap, UsageError
from funmem.ir.imp import Allocate, ImpProgram, KernelStm
from funmem.ir.imp_traverse import nested
from funmem.ir.text import parse_fun, parse_imp, show
from funmem.ir.values import ArgValue, agree
from funmem.passes.framework import Report, as_imp
from funmem.passes.imp import pack as module
from funmem.passes.runner import PassFailed, Pipeline
from tests.support.sampling import sampled

JAMMED = "vectorise{width=2},unroll-and-jam{rows=2}"
PACK = "pack{reuse=2,least=0}"

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

MIN_PLUS = PRODUCT.replace("acc + a * b", "min(acc, a + b)")
TWO = PRODUCT.replace(
    "acc <- acc + a * b;", "var c : i64; c <- as[k*p + j] : i64; acc <- acc + b * c + a;"
)
"""A second array with rows of the same length: both are packed."""
BATCHED = PRODUCT.replace("kernel i < n,", "kernel h < 2, i < n,").replace("8*n*p", "16*n*p")
BATCHED = BATCHED.replace("(bs : [m]", "(bs : [2][m]").replace("bs[", "bs[h*m*p + ")
BATCHED = BATCHED.replace("cs[", "cs[h*n*p + ").replace("(cs : ", "(cs : [2]")
PLANES = BATCHED.replace("bs[h*m*p + ", "bs[")
"""The second matrix is the same in both: it is read by twice as many iterations."""

CHECKED = PRODUCT.replace("(bs : [m]", "(bs : [3]").replace(
    "var a :", 'check nonneg 2 - k "index out of bounds" "no";\n      var a :'
)
"""The check fails before the loop reads beyond the end of ``bs``."""

SHAPES = [(0, 1, 2), (1, 2, 3), (4, 2, 2), (4, 1, 5), (4, 3, 4), (5, 0, 2), (7, 2, 3), (6, 3, 0)]


def through(p: ImpProgram, passes: str, report: Report | None = None) -> ImpProgram:
    return as_imp(Pipeline.parse(passes).run(p, report=report))


def arguments(text: str, n: int, m: int, p: int) -> list[ArgValue]:
    rng = np.random.default_rng(n + 10 * m + 100 * p)
    second = (2, m, p) if "(bs : [2]" in text else (m, p)
    return [rng.integers(-9, 9, (n, m)), rng.integers(-9, 9, second)]


def panels(p: ImpProgram) -> int:
    found = [t for e in p.entries for t in nested(e.body) if isinstance(t, Allocate)]
    return sum(t.x.startswith("panels") for t in found)


@pytest.mark.parametrize(
    ("text", "order"),
    sampled(product([PRODUCT, MIN_PLUS, BATCHED, PLANES], Order), 4),
)
def test_every_element_once(text: str, order: Order) -> None:
    """Rows and lanes that are left over, loops without iterations, and sizes below the limits."""
    p = parse_imp(text)
    changed = through(p, f"{JAMMED},{PACK}")
    assert panels(changed) == (2 if text == PLANES else 1)  # left-over rows: 2 planes read them
    for shape in SHAPES:
        args = arguments(text, *shape)
        want, got = run_imp(p, "main", args), run_imp(changed, "main", args, order=order, seed=1)
        assert agree(want, got) is None, shape


def test_two_arrays() -> None:
    p = parse_imp(TWO)
    changed = through(p, f"{JAMMED},{PACK}")
    assert panels(changed) == 2
    args = arguments(TWO, 4, 4, 4)
    assert agree(run_imp(p, "main", args), run_imp(changed, "main", args)) is None


def test_a_panel_serves_all_rows_before_the_next_one() -> None:
    (entry,) = through(parse_imp(BATCHED), f"{JAMMED},{PACK}").entries
    (first, *_) = [s for s in entry.body if isinstance(s, KernelStm)]
    assert [str(d.bound) for d in first.dims] == ["2", "groups_1", "rows_1"]


@pytest.mark.parametrize(
    ("limits", "shape", "packs"),
    [
        ("reuse=2,least=48", (4, 2, 3), True),
        ("reuse=3,least=48", (4, 2, 3), False),
        ("reuse=2,least=49", (4, 2, 3), False),
        ("reuse=2,least=0", (4, 0, 2), False),
        ("reuse=2,least=0,most=64", (4, 2, 4), True),
        ("reuse=2,least=0,most=63", (4, 2, 4), False),
        ("reuse=2,least=0,most=64", (4, 2, 6), False),
    ],
)
def test_limits(limits: str, shape: tuple[int, int, int], packs: bool) -> None:
    """Seen in the memory that a run takes: an unlimited allocation is an error in the test."""
    changed = show(through(parse_imp(PRODUCT), f"{JAMMED},pack{{{limits}}}"))
    traced = changed.replace("alloc 16*groups_1*m", "alloc 0 - 16*groups_1*m - 1")
    assert traced != changed
    args = arguments(PRODUCT, *shape)
    if packs:
        with pytest.raises((Trap, MemoryFault)):
            run_imp(parse_imp(traced), "main", args)
    else:
        assert (
            agree(
                run_imp(parse_imp(PRODUCT), "main", args), run_imp(parse_imp(traced), "main", args)
            )
            is None
        )


REFUSED = {
    "ends_nowhere": ("acc <- i;", 'acc <- i;\n check nonneg n "index out of bounds" "no";'),
    "has_dimension": ("bs[k*p + j]", "bs[k*p + j + i]"),
    "always_reads": ("for k < m do", "for k < i do"),
    "affine": ("bs[k*p + j]", "bs[k*k*p + j]"),
    "strided": ("bs[k*p + j]", "bs[2*k + j]"),
}


@pytest.mark.parametrize("condition", REFUSED)
def test_it_says_why_not(condition: str) -> None:
    """Each change breaks one condition only, for the read of ``bs`` in whole groups."""
    old, new = REFUSED[condition]
    before = through(parse_imp(PRODUCT.replace(old, new)), "vectorise{width=2}")
    report = Report()
    assert through(before, PACK, report) == before
    assert condition in {r.condition for r in report.remarks}
    others = {"always_reads"} | {condition}  # the lanes that are left over have another reason
    assert {r.condition for r in report.remarks} <= others


@pytest.mark.parametrize("options", ["reuse=1", "least=-1", "most=-1"])
def test_options(options: str) -> None:
    with pytest.raises(UsageError, match=r"number"):
        through(parse_imp(PRODUCT), f"pack{{{options}}}")


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (module.ends_nowhere, CHECKED),
        (module.always_reads, PRODUCT.replace("for k < m do", "for k < i do")),
        (module.affine, PRODUCT.replace("bs[k*p + j]", "bs[k*k*p + j]")),
    ],
    ids=["ends_nowhere", "always_reads", "affine"],
)
def test_without_a_condition(
    condition: Callable[[module.Candidate], object], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each protects a program that the pass would change for the worse."""
    kept = tuple(c for c in module.CONDITIONS if c is not condition)
    monkeypatch.setattr(module, "CONDITIONS", kept)
    p = through(parse_imp(text), "vectorise{width=2}")
    a, b = arguments(text, 4, 4, 2)
    args = [a, b[:3] if text == CHECKED else b]

    def outcome(q: ImpProgram) -> object:
        try:
            return str(run_imp(q, "main", args))
        except (MemoryFault, Trap) as error:
            return str(error)

    try:
        changed = through(p, PACK)
    except PassFailed:
        return
    assert outcome(changed) != outcome(p)


def generated(seed: int) -> tuple[str, list[ArgValue]]:
    """A product of matrices in FUN, and arguments: one or two second matrices, maybe reversed;
    dimensions in any order, also one that nothing depends on; any operators.
    """
    rng, numbers = random.Random(f"pack {seed}"), np.random.default_rng(seed)
    n, m, p = rng.randint(0, 6), rng.randint(0, 4), rng.randint(0, 7)
    planes = "[2]" if rng.random() < 0.5 else ""
    lets, last = [], "bs"
    for k in range(rng.randint(0, 2)):
        axis = rng.randrange(3 if planes else 2)
        lets.append(f"let (b_{k} : {planes}[m][p]i64) = reverse {axis} {last}")
        last = f"b_{k}"
    dims = ["i < n", *(["h < 2"] if planes else []), *rng.sample(["g < 3"], rng.randint(0, 1))]
    rng.shuffle(dims)
    out = "".join(f"[{d.split('< ')[1]}]" for d in dims) + "[p]i64"
    one = rng.choice(["a * b", "a + b", "max(a, b)"])
    two = rng.choice(["acc + x", "min(acc, x)", "acc - x"])
    text = f"""
entry main [n] [m] [p] (as : [n][m]i64) (bs : {planes}[m][p]i64) -> (r : {out}) =
  {" ".join(lets)}
  let (cs : {out}) = kernel {", ".join(dims)}, j < p do
    let (c : i64) = loop (acc : i64) = 0 for k < m do
        let (a : i64) = as[i, k]
        let (b : i64) = {last}[{"h, " if planes else ""}k, j]
        let (x : i64) = {one}
        let (y : i64) = {two}
        in (y)
    in (c)
  in (cs)"""
    second = (2, m, p) if planes else (m, p)
    return text, [numbers.integers(-9, 9, (n, m)), numbers.integers(-9, 9, second)]


@pytest.mark.parametrize("seed", sampled(range(40), 20))
def test_generated_programs(seed: int) -> None:
    """Against the value interpreter; three in four have panels."""
    text, args = generated(seed)
    p = parse_fun(text)
    pipeline = Pipeline.parse(f"allocate,lower,{JAMMED},{PACK}")
    packed = as_imp(pipeline.run(p))
    for order in Order:
        got = run_imp(packed, "main", args, order=order, seed=seed)
        assert agree(run(p, "main", args), got) is None


def test_golden(golden: Callable[[str, str], None]) -> None:
    golden("pack/product.imp", show(through(parse_imp(PRODUCT), f"{JAMMED},{PACK}")))
