"""short-circuit: which copies go, which stay and why, and that nobody sees a difference."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from attrs import frozen

from funmem.interp.imp import Order, run_imp
from funmem.ir.diagnostics import FaultKind, MemoryFault, Trap, TrapKind
from funmem.ir.fun import Alloc, Ann, Program
from funmem.ir.imp import (
    Block,
    CopyElement,
    ForStm,
    IfStm,
    ImpProgram,
    ImpStm,
    KernelStm,
    WhileStm,
)
from funmem.ir.names import Name
from funmem.ir.traverse import walk
from funmem.passes.context import Remark
from funmem.passes.framework import Report
from funmem.passes.runner import Pipeline
from funmem.testing import generate
from tests.support.memory_check import (
    CORPUS,
    EXAMPLES,
    HOISTED,
    before_and_after,
    difference,
    heap_outcome,
    inputs,
    load,
    same,
    through,
    value_outcome,
)
from tests.support.sampling import sampled

FOLDER = Path(__file__).parent / "short_circuit"
PROGRAMS = sorted(FOLDER.glob("*.fun*"))
SHORT = f"{HOISTED},short-circuit"
GOLDEN = ("chain", "concat", "in_place_map", "loop_own_place", "threads", "used_later", "views")


def named(file: Path) -> str:
    return file.stem


# ---------------------------------------------------------------------- what programs expect


@frozen
class Expected:
    """What the head of a program says about the pass's remarks."""

    done: Counter[str]
    refused: list[tuple[str, str, str]]
    """Number of the condition, the copy, a part of the reason."""

    @staticmethod
    def of(file: Path) -> "Expected":
        """``-- done: copy, copy`` and ``-- refused: (n) copy: part of the reason``."""
        text = file.read_text(encoding="utf-8")
        done = [
            c.strip()
            for line in re.findall(r"^-- done: (.*)$", text, re.M)
            for c in line.split(",")
        ]
        refused = re.findall(r"^-- refused: (\(\d\)) ([^:]*): (.*)$", text, re.M)
        return Expected(Counter(done), refused)


def remarks(file: Path, passes: str = SHORT) -> list[Remark]:
    """What the pass said about a program."""
    report = Report()
    through(load(file), passes, report)
    return [r for r in report.remarks if r.pass_name == "short-circuit"]


def copy_of(r: Remark) -> str:
    return r.reason.partition(":")[0]


@pytest.mark.parametrize("file", PROGRAMS, ids=named)
def test_which_copies_go_and_why_others_stay(file: Path) -> None:
    want = Expected.of(file)
    assert want.done or want.refused
    found = remarks(file)
    assert Counter(copy_of(r) for r in found if r.done) == want.done
    stayed = sorted(f"{r.condition[:3]} {r.reason}" for r in found if not r.done)
    assert len(stayed) == len(want.refused), stayed
    for number, copy, why in want.refused:
        assert any(s.startswith(f"{number} {copy}: ") and why in s for s in stayed), (copy, stayed)


@pytest.mark.parametrize("number", range(1, 8))
def test_each_condition_has_a_program_that_violates_it(number: int) -> None:
    files = [f for f in PROGRAMS if f.name.startswith(f"no_{number}_")]
    assert files
    for f in files:
        assert f"({number})" in f.read_text(encoding="utf-8").splitlines()[0]


# ---------------------------------------------------------------------- nobody sees a difference


def faults(p: Program[Ann], q: Program[Ann]) -> str | None:
    """Where IMP, in any order, differs from the values, or touches what it must not."""
    imp = Pipeline.parse("lower").run(q)
    assert isinstance(imp, ImpProgram)
    for e in p.entries:
        for args in inputs(e):
            want = value_outcome(p, e.name, args)
            for order in Order:
                try:
                    found: object = run_imp(imp, e.name, args, order=order, seed=1)
                except Trap as t:
                    found = t.kind
                except MemoryFault as f:
                    found = TrapKind.UNINITIALISED if f.kind is FaultKind.POISON else f.kind
                if not same(want, found):
                    return f"{e.name}{args} {order}: value {want}, imp {found}"
    return None


@pytest.mark.parametrize("file", sampled(PROGRAMS, 32), ids=named)
def test_value_is_heap_is_imp(file: Path) -> None:
    p = load(file)
    q = through(p, SHORT)
    assert difference(p, q) is None
    assert faults(p, q) is None


@pytest.mark.parametrize("file", sampled([*CORPUS, *EXAMPLES], 6), ids=named)
def test_corpus_is_valid(file: Path) -> None:
    p = load(file)
    assert difference(p, through(p, SHORT)) is None


@pytest.mark.parametrize("file", sampled(PROGRAMS, 18), ids=named)
def test_twice_is_once(file: Path) -> None:
    report = Report()
    once = through(load(file), SHORT)
    assert through(once, "short-circuit", report) == once
    assert not [r for r in report.remarks if r.done]


@pytest.mark.parametrize(
    "file", sampled([f for f in CORPUS if f.name.startswith("loop_")], 4), ids=named
)
def test_after_double_buffering(file: Path) -> None:
    """Buffers are blocks that are live under a loop parameter's name."""
    p = load(file)
    passes = f"{HOISTED},double-buffer{{swap=never}},hoist,short-circuit,simplify"
    assert difference(p, through(p, passes)) is None


@pytest.mark.parametrize("seed", sampled(range(8), 3))
def test_generated_programs(seed: int) -> None:
    g = generate(seed)
    q = through(g.program, f"{SHORT},expand,short-circuit")
    want = value_outcome(g.program, g.entry, g.args)
    assert same(want, heap_outcome(q, g.entry, g.args))


# ---------------------------------------------------------------------- what is left


def copied_elements(file: Path, passes: str) -> int:
    """How many statements of the lowered program move elements."""
    imp = Pipeline.parse("lower").run(through(load(file), passes))
    assert isinstance(imp, ImpProgram)
    return sum(isinstance(s, CopyElement) for e in imp.entries for s in statements(e.body))


@pytest.mark.parametrize(
    "name", ["chain", "nested_threads", "concat_columns", "literal", "branch", "loop_in_place"]
)
def test_nothing_is_copied(name: str) -> None:
    """What a person would write by hand: one block, the result's, and no copy."""
    file = FOLDER / f"{name}.fun"
    assert copied_elements(file, HOISTED) > 0
    assert copied_elements(file, SHORT) == 0
    blocks = [s for e in through(load(file), f"{SHORT},simplify").entries for s in walk(e.body)]
    assert sum(isinstance(s.exp, Alloc) for s in blocks) == 1


def statements(b: Block) -> Iterator[ImpStm]:
    """Every statement of IMP, at any depth."""
    for s in b:
        yield s
        match s:
            case IfStm(_, then, orelse):
                yield from statements((*then, *orelse))
            case ForStm(_, _, body) | WhileStm(_, body) | KernelStm(_, body):
                yield from statements(body)
            case _:
                pass


def test_an_allocation_fails_where_its_first_array_is_made() -> None:
    """Whoever has not enough memory is told so there, not where the pieces are put together."""
    file = FOLDER / "concat.fun"
    (e,) = through(load(file), SHORT).entries
    made = {b.name: s for s in walk(e.body) for b in s.pat}
    home = next(b.home for b in made[Name("a")].pat)
    assert home is not None
    assert made[home.block].at == made[Name("a")].at


BROKE_COMPILERS = {
    "write-set of iota not recorded": "iota_written",
    "a write moved above its bounds check": "no_6_bounds",
    "an in-place parameter reused while still live": "no_5_early",
    "a per-thread copy of a unique row short-circuited into the row itself": "row_itself",
    "concat in a loop stored into a block live under the parameter's name": "loop_concat",
    "a copy removed through a transitive alias": "transitive_alias",
    "swapped slices in two branches": "no_4_swapped",
    "if b then xs else reverse xs": "no_3_two_places",
    "overlapping self-slice update": "no_4_self_slice",
    "a full-array reversing update simplified to a copy": "reversing_update",
    "variant size under a loop": "no_5_size",
}
"""Program classes that broke real compilers, each with its program here."""


@pytest.mark.parametrize("what", BROKE_COMPILERS)
def test_has_a_program(what: str) -> None:
    file = FOLDER / f"{BROKE_COMPILERS[what]}.fun"
    assert file in PROGRAMS
    assert Expected.of(file).refused


# ---------------------------------------------------------------------- golden files


@pytest.mark.parametrize("name", GOLDEN)
def test_before_and_after(name: str, golden: Callable[[str, str], None]) -> None:
    p = through(load(FOLDER / f"{name}.fun"), HOISTED)
    golden(f"short-circuit/{name}.funmem", before_and_after(p, "short-circuit,simplify"))
