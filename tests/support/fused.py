"""What the tests of fuse and nest have in common: does a program still mean the same?"""

from collections.abc import Iterator
from random import Random

import numpy as np

from funmem.interp.value import run
from funmem.ir.diagnostics import Trap, TrapKind
from funmem.ir.fun import Ann, ArrayType, Body, Entry, Kernel, Program
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL
from funmem.ir.signature import signature
from funmem.ir.traverse import sub_bodies
from funmem.ir.values import ArgValue, Value, agree, dtype
from funmem.passes.framework import Report
from funmem.passes.runner import Pipeline

Outcome = tuple[Value, ...] | TrapKind


def outcome(p: Program[Ann], entry: str, args: tuple[ArgValue, ...]) -> Outcome:
    """The results, or the kind of trap."""
    try:
        return run(p, Name(entry), args)
    except Trap as t:
        return t.kind


def same(a: Outcome, b: Outcome) -> bool:
    """Whether two outcomes are equal, bit by bit."""
    if isinstance(a, TrapKind) or isinstance(b, TrapKind):
        return a is b
    return agree(a, b) is None


def arguments(e: Entry[Ann], rng: Random, number: int) -> Iterator[tuple[ArgValue, ...]]:
    """Small sizes, zero among them; integers around zero; scalars from -1.

    Offsets (``offs``, ``ends``) are mostly those of rows of m elements.
    """
    sig = signature(e)
    for _ in range(number):
        sizes = {x: rng.randint(0, 4) for x in sig.sizes}
        args: list[ArgValue] = []
        for p in sig.params:
            if isinstance(p.type, ArrayType):
                shape = tuple(d.eval(sizes.__getitem__) for d in p.type.shape)
                low = 0 if p.type.elem is BOOL else -2
                cells = [rng.randint(low, 4) for _ in range(int(np.prod(shape)))]
                if p.name in ("offs", "ends") and cells and rng.random() < 0.85:
                    m = sizes[Name("m")]
                    cells = sorted(rng.randint(0, m) for _ in cells)
                    cells[0], cells[-1] = 0, (m if len(cells) > 1 else 0)
                args.append(np.array(cells, dtype(p.type.elem)).reshape(shape))
            else:
                args.append(dtype(p.type).type(rng.choice((-1, 0, 1, 2, 3))))
        yield tuple(args)


def difference(p: Program[Ann], q: Program[Ann], number: int = 30) -> str | None:
    """Where two programs with the same entry points mean something else."""
    for e in p.entries:
        for args in arguments(e, Random(e.name), number):
            a, b = outcome(p, e.name, args), outcome(q, e.name, args)
            if not same(a, b):
                return f"{e.name}{args}: {a}, then {b}"
    return None


def only(p: Program[Ann], entry: str) -> Program[Ann]:
    """The program with one of its entry points."""
    return Program(tuple(e for e in p.entries if e.name == entry))


def kernels(p: Program[Ann]) -> list[tuple[int, int]]:
    """For each kernel in textual order how deep it is nested in others, and its dimensions."""

    def inside(b: Body[Ann], depth: int) -> Iterator[tuple[int, int]]:
        for s in b.stms:
            if isinstance(s.exp, Kernel):
                yield depth, len(s.exp.dims)
            for inner in sub_bodies(s.exp):
                yield from inside(inner, depth + isinstance(s.exp, Kernel))

    return [k for e in p.entries for k in inside(e.body, 0)]


def checked(p: Program[Ann], passes: str) -> tuple[Program[Ann], tuple[str, ...]]:
    """The program after passes, types checked after each, and the remarks."""
    report = Report()
    after = Pipeline.parse(passes).run(p, report=report)
    assert isinstance(after, Program)
    return after, tuple(map(str, report.remarks))
