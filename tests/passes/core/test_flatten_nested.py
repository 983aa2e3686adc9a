"""flatten-nested: rows of different lengths become offsets and elements, of the same value.

Protects ``passes/core/flatten_nested/``.  The judge is Core's interpreter, which has arrays of rows
of any lengths.
"""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from funmem.frontends.futhark.program import to_core
from funmem.interp.heap import run_heap
from funmem.interp.value import run as value_run
from funmem.ir.check.core import flat
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import FunmemError, Trap
from funmem.ir.fun import DerivedArray, Kernel, RaggedKernel
from funmem.ir.text.read_core import parse_core
from funmem.ir.traverse import walk
from funmem.passes.context import Context
from funmem.passes.core.flatten_nested import flatten_nested
from funmem.passes.framework import Report, as_core, as_tree
from funmem.passes.pipeline import CORE, to_fun
from funmem.passes.runner import Pipeline
from tests.seeded.bugs_flatten_nested import BUGS, XS, Bug
from tests.seeded.core import CoreBug, Seen, faulty, source
from tests.support.ragged_programs import (
    DEEP,
    HARD,
    LONGER,
    Nested,
    by_core,
    by_fun,
    core,
    given_rows,
    program,
    rows,
)
from tests.support.sampling import sampled

BEFORE = CORE.removesuffix(",to-fun")
YS: list[Nested] = [[[1, 2], [], [3]], [], [[4]], [[], [5, 6, 7]], []]
"""Rows of rows."""


def flattened(text: str, report: Report | None = None) -> CoreProgram:
    return as_core(Pipeline.parse(BEFORE).run(core(text), report=report))


@pytest.mark.parametrize("seed", sampled(range(60), 60))
def test_generated_programs_agree_with_core(seed: int) -> None:
    """Maps, filters, scans, slices, gathers and reductions of rows, one after the other."""
    rng = Random(seed)
    p = core(program(rng))
    for _ in range(4):
        xs = rows(rng)
        assert by_fun(p, xs) == by_core(p, xs), xs


def test_generated_programs_are_flattened() -> None:
    """None of them falls back to arrays of one length, which would trap."""
    for seed in range(5):
        report = Report()
        flattened(program(Random(seed)), report)
        assert not report.remarks, program(Random(seed))


@pytest.mark.parametrize(
    ("op", "start", "own"),
    [
        ("(lambda (a : int) (b : int) (+ a b))", "0", None),
        ("(lambda (a : int) (b : int) (+ a (* k b)))", "0", "k"),
        ("(lambda (a : int) (b : int) (+ a b))", "k", None),  # it counts once, outside
    ],
)
def test_reductions_with_an_operator_of_their_row_are_remarks(
    op: str, start: str, own: str | None
) -> None:
    report = Report()
    text = f"(map (lambda (r : vector int) (k : int) (reduce {op} {start} r)) X N)"
    flattened(f"((X : vector vector int) (N : vector int)) {text}", report)
    found = [r.reason for r in report.remarks if r.condition == "one operator for all rows"]
    assert len(found) == (own is not None)
    assert all(own is not None and why.endswith(f"it uses {own}") for why in found)


def test_sums_of_rows_are_one_kernel_over_the_rows() -> None:
    """The square is computed where it is added: nothing of the size of the elements is stored."""
    text = """((X : vector vector float))
    (map (lambda (r : vector float) (reduce + 0.0 (map (lambda (x : float) (* x x)) r))) X)"""
    (e,) = to_fun(core(text)).entries
    kernels = [s.exp for s in walk(e.body) if isinstance(s.exp, Kernel | RaggedKernel)]
    assert [type(k) for k in kernels] == [RaggedKernel]


def test_the_length_of_a_mapped_row_needs_no_elements() -> None:
    """Offsets come from the numbers alone; the elements are computed once, for all rows."""
    text = """((N : vector int))
    ((map (lambda (n : int) (map (lambda (k : int) (* k n)) (range (max 0 n)))) N), 0)"""
    (e,) = to_fun(core(text)).entries
    kernels = [s for s in walk(e.body) if isinstance(s.exp, Kernel | RaggedKernel)]
    rows = [s for s in kernels if isinstance(s.exp, RaggedKernel)]
    inner = [t for s in kernels for t in walk(s.exp.body) if isinstance(t.exp, Kernel)]  # type: ignore[union-attr]
    assert (len(rows), inner) == (1, [])


def test_free_arrays_are_not_replicated() -> None:
    """The vector of a sparse product is read by each row; it is nowhere as long as the elements."""
    text = """((V : vector vector double) (C : vector vector int) (x : vector double))
    (map (lambda (vs : vector double) (cs : vector int)
      (reduce + 0.0 (map (lambda (v : double) (c : int) (* v (x ! c))) vs cs))) V C)"""
    (e,) = to_fun(core(text)).entries
    elements = {str(q.binder.type.shape[0]) for q in e.params if q.binder.name in ("V", "C")}  # type: ignore[union-attr]
    stms = [s for s in e.body.stms if not isinstance(s.exp, DerivedArray)]
    made = [b.type for s in stms for b in s.pat if hasattr(b.type, "shape")]
    assert not [t for t in made if str(t.shape[0]) in elements]


def test_regular_programs_stay() -> None:
    """A program whose rows have one length is not touched, not even rebuilt."""
    text = "((M : vector#2 int) (n : int)) (map (lambda (k : int) (map (+ k) (range 3))) (range n))"
    p = as_core(Pipeline.parse(BEFORE.removesuffix(",flatten-nested")).run(core(text)))
    q = as_core(Pipeline.parse("flatten-nested").run(p))
    assert q is p


@pytest.mark.parametrize("text", sampled(DEEP, 10))
def test_rows_of_rows_agree_with_core(text: str) -> None:
    """Three levels are two arrays of offsets; none of them is refused."""
    report = Report()
    p = core(f"((X : vector vector vector int)) ({text}, 0)")
    flattened(f"((X : vector vector vector int)) ({text}, 0)", report)
    assert not report.remarks
    for xs in (YS, [], [[]]):
        assert by_fun(p, xs) == by_core(p, xs), xs


@pytest.mark.parametrize("text", sampled(HARD, 10))
def test_what_no_rule_describes_agrees_with_core(text: str) -> None:
    """Operators on rows, functions and loops that return rows, rows made element by element."""
    report = Report()
    p = core(f"((X : vector vector int)) ({text}, 0)")
    flattened(f"((X : vector vector int)) ({text}, 0)", report)
    assert not [r for r in report.remarks if r.pass_name == "flatten-nested"]
    for xs in (XS, []):
        assert by_fun(p, xs) == by_core(p, xs), xs


@pytest.mark.slow
def test_what_a_scan_of_rows_allocates_grows_with_the_rows() -> None:
    """Twice the rows are twice the memory: no step copies the prefixes before it."""
    fun = to_fun(core(f"((X : vector vector int)) (iscan {LONGER} (range 0) X)"))
    p = as_tree(Pipeline.parse("schedule,allocate").run(fun))
    a, b, d = (run_heap(p, "main", [given_rows([[1, 2]] * n)]).stats.allocated for n in (8, 16, 32))
    assert d - b <= 2 * (b - a)


def test_names_are_new_in_the_program() -> None:
    """Two entry points with the same rows, and a definition for each: no name is bound twice."""
    sums = "map (\\row -> reduce (+) 0 row) [ iota n | n <- ns, n > 0 ]"
    entries = (f"entry {name} (ns: []i64) : []i64 = {sums}" for name in ("one", "other"))
    p = as_core(Pipeline.parse(BEFORE).run(to_core("\n".join(entries), "rows.fut")))
    assert flat(p) is None


def test_where_one_length_is_needed_rows_are_a_matrix() -> None:
    """A length of the rows is asked for: they must have it."""
    text = "entry main [n] (xs : [n][]i32) : (i64, i32) =\n  (size 1 xs, 0i32)"
    p = as_core(parse_core(text))
    q = flatten_nested(p, Context("flatten-nested", {}))
    fun = as_tree(Pipeline.parse("to-fun").run(q))
    (found, _) = value_run(fun, "main", [[np.array([1, 2], np.int32), np.array([3, 4], np.int32)]])
    assert found == 2
    with pytest.raises(Trap, match="Irregular array"):
        value_run(fun, "main", [[np.array([1, 2], np.int32), np.array([3], np.int32)]])


def by_fun_with(p: CoreProgram, run: Callable[..., CoreProgram]) -> object:
    """Return the results on XS after another flatten-nested; what it raises is an answer, too."""
    before = BEFORE.removesuffix(",flatten-nested")
    try:
        q = run(as_core(Pipeline.parse(before).run(p)), Context("flatten-nested", {}))
        fun = as_tree(Pipeline.parse("to-fun").run(q, verify=False))
        found = value_run(fun, "main", [[np.array(r, np.int32) for r in XS]])
    except (FunmemError, AssertionError, KeyError, TypeError, ValueError) as error:
        return repr(error)
    return [str(getattr(v, "data", v)) for v in found]


@pytest.mark.parametrize("bug", sampled(BUGS, 4, slow=1), ids=lambda b: b.name)
def test_seeded_bugs_are_noticed(bug: Bug) -> None:
    """The faulty pass gives other results than the right one, which agrees with Core."""
    assert source(bug.module).count(bug.old) == 1
    p = core(bug.text)
    assert by_fun(p, XS) == by_core(p, XS)
    change = CoreBug(bug.name, "flatten-nested", bug.old, bug.new, "", Seen.VALUE, "", bug.module)
    wrong = faulty(change)
    assert by_fun_with(p, wrong) != by_fun_with(p, flatten_nested)
