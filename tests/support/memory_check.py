"""Is a FUNMEM program still valid?  Shared by the tests of the memory passes.

A program is valid if the heap agrees with the values on all inputs (definition 3.1, errata 20):
equal results, or a trap of the same kind; and no memory fault.  The inputs here are small: every
combination of a few sizes and scalars, arrays filled with a fixed pattern.
"""

from collections.abc import Iterator, Sequence
from itertools import product as cartesian
from pathlib import Path

import numpy as np

from funmem.interp.heap import run_heap
from funmem.interp.value import run
from funmem.ir.diagnostics import FaultKind, MemoryFault, Trap, TrapKind
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Body,
    Entry,
    Kernel,
    Loop,
    Program,
    RaggedKernel,
    Space,
)
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType
from funmem.ir.signature import signature
from funmem.ir.text import parse_fun, show
from funmem.ir.traverse import sub_bodies, walk
from funmem.ir.values import ArgValue, agree, dtype
from funmem.passes.framework import Level, Report, levels_of
from funmem.passes.runner import Pipeline
from tests.support.paths import ROOT, TESTS

EXAMPLES = sorted((ROOT / "examples").glob("*.fun"))
CORPUS = sorted((TESTS / "corpus").glob("*.fun*"))

ALLOCATED = "simplify,allocate,simplify"
HOISTED = f"{ALLOCATED},hoist"
BUFFERED = f"{HOISTED},double-buffer,hoist,simplify"
EXPANDED = f"{BUFFERED},expand,simplify"
INTERLEAVED = f"{BUFFERED},expand{{layout=interleaved}},simplify"
SEQUENTIAL = f"{EXPANDED},sequentialise"

SIZES = (0, 1, 3)
MAX_INPUTS = 10


def load(file: Path) -> Program[Ann]:
    """A program of the corpus."""
    return parse_fun(file.read_text(encoding="utf-8"), file.name)


def over_rows(p: Program[Ann]) -> bool:
    """True if the program has a kernel over rows of varying length: `schedule` replaces it."""
    return any(isinstance(s.exp, RaggedKernel) for e in p.entries for s in walk(e.body))


def through(p: Program[Ann], passes: str, report: Report | None = None) -> Program[Ann]:
    """The program after passes; types and conditions are checked after each.

    A FUNMEM program is allocated already.
    """
    steps = Pipeline.parse(passes).steps
    if Level.FUN not in levels_of(p):
        steps = tuple(s for s in steps if s.what.name != "allocate")
    after = Pipeline(steps).run(p, report=report)
    assert isinstance(after, Program)
    return after


# ---------------------------------------------------------------------- inputs


def inputs(e: Entry[Ann]) -> Iterator[tuple[ArgValue, ...]]:
    """Arguments of an entry point."""
    sig = signature(e)
    scalars = [p.name for p in sig.params if not isinstance(p.type, ArrayType)]
    names = [*sig.sizes, *scalars]
    choices = list(cartesian(SIZES, repeat=len(names)))
    step = max(1, len(choices) // MAX_INPUTS)
    for values in choices[::step]:
        known = dict(zip(names, values, strict=True))
        yield tuple(_argument(p.type, p.name, known) for p in sig.params)


def _argument(t: object, name: Name, known: dict[Name, int]) -> ArgValue:
    if isinstance(t, ScalarType):
        return dtype(t).type(known[name])
    assert isinstance(t, ArrayType)
    shape = tuple(max(0, d.eval(lambda x: known[x])) for d in t.shape)
    count = int(np.prod(shape))
    return ((np.arange(count) * 7 + 3) % 5).astype(dtype(t.elem)).reshape(shape)


# ---------------------------------------------------------------------- outcomes


def value_outcome(p: Program[Ann], entry: Name, args: Sequence[ArgValue]) -> object:
    """The results of the value semantics, or the kind of its trap."""
    try:
        return run(p, entry, args)
    except Trap as t:
        return t.kind


def heap_outcome(p: Program[Ann], entry: Name, args: Sequence[ArgValue]) -> object:
    """The results of the heap semantics, or the kind of its trap or fault."""
    try:
        return run_heap(p, entry, args).values
    except Trap as t:
        return t.kind
    except MemoryFault as f:
        return TrapKind.UNINITIALISED if f.kind is FaultKind.POISON else f.kind


def difference(p: Program[Ann], transformed: Program[Ann]) -> str | None:
    """Where a transformed program's heap semantics differs from the program's values."""
    for e in p.entries:
        for args in inputs(e):
            want = value_outcome(p, e.name, args)
            found = heap_outcome(transformed, e.name, args)
            if not same(want, found):
                return f"{e.name}{args}: value {want}, heap {found}"
    return None


def same(a: object, b: object) -> bool:
    """Whether two outcomes are equal, bit by bit."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return agree(a, b) is None
    return a == b


# ---------------------------------------------------------------------- counting


def allocs_in_kernels(p: Program[Ann]) -> list[Name]:
    """The device blocks allocated inside kernels."""

    def inside(b: Body[Ann], in_kernel: bool) -> Iterator[Name]:
        for s in b.stms:
            if in_kernel and isinstance(s.exp, Alloc) and s.exp.space is Space.DEVICE:
                yield s.pat[0].name
            for inner in sub_bodies(s.exp):
                yield from inside(inner, in_kernel or isinstance(s.exp, Kernel))

    return [m for e in p.entries for m in inside(e.body, False)]


def allocs_in_loops(p: Program[Ann]) -> list[Name]:
    """The blocks allocated inside loops."""
    return [
        t.pat[0].name
        for e in p.entries
        for s in walk(e.body)
        if isinstance(s.exp, Loop)
        for t in walk(s.exp.body)
        if isinstance(t.exp, Alloc)
    ]


def before_and_after(p: Program[Ann], passes: str) -> str:
    """For golden files: the program, what a pass makes of it, and the pass's remarks."""
    report = Report()
    after = through(p, passes, report)
    remarks = "".join(f"-- {r}\n" for r in report.remarks)
    return f"{show(p)}\n-- {passes} -->\n\n{show(after)}{remarks}"
