"""The interpreter of Core: the definition of a program's meaning, with which passes are compared.

    run_core(p, "main", args)     the results as scalars and arrays (layout.py)
    run_nested(p, "main", args)   the same; rows of different lengths are lists of arrays
    run_parts(p, "main", args)    the same as parts, which mark unknown inner sizes of empty arrays
    differ(expected, got)         the first difference between two lists of results

It runs all Core programs, before or after any pass: polymorphic, higher-order, recursive, with
irregular arrays.  Values are immutable (values.py).  arrays.py and slices.py have the array
operations, and evaluate.py an arm for each form.  The code aims at clarity, not speed; for speed,
programs are lowered to FUN.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from funmem.interp.core.evaluate import CoreEvaluator
from funmem.interp.core.layout import Layout, Part, differ
from funmem.interp.core.values import Env, i64
from funmem.ir.core import CoreProgram, Entry
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, Trap, TrapKind, UsageError
from funmem.ir.foreign_calls import NO_FUNCTIONS, Table
from funmem.ir.ragged import offsets_of
from funmem.ir.ragged_values import Rows as Nested
from funmem.ir.ragged_values import nested
from funmem.ir.signature import Parameter
from funmem.ir.values import ArgValue, Value

__all__ = ["Part", "differ", "run_core", "run_nested", "run_parts"]

FRAMES = 30_000
"""Limit on recursion in Python frames; a call that is not a tail call takes about four."""


def run_core(
    p: CoreProgram, entry: str, args: Sequence[ArgValue], foreign: Table = NO_FUNCTIONS
) -> tuple[Value, ...]:
    """Return the results of an entry point, in order, with FUN's layout.

    ``foreign`` has the foreign functions.  Unknown inner sizes of an empty array are 0.  Raises
    UsageError if there is no such entry point or if a foreign function is missing, InputError if
    the arguments do not fit, Trap if the program traps or if the rows of a result differ in length,
    DeviceError if it recurses too deep, Stuck if it is not well typed.
    """
    parts = run_parts(p, entry, args, foreign=foreign)
    for part in parts:
        if part.offsets:
            raise Trap(TrapKind.SHAPE, part.irregular)
    return tuple(part.value for part in parts)


def run_nested(
    p: CoreProgram, entry: str, args: Sequence[ArgValue], foreign: Table = NO_FUNCTIONS
) -> "tuple[Value | Nested, ...]":
    """Return the results like :func:`run_core`; rows of different lengths are lists of arrays."""
    parts = run_parts(p, entry, args, foreign=foreign)
    named: list[tuple[Value, Parameter]] = []
    for part, q in zip(parts, Layout(p.data).signature(entry_named(p, entry)).results, strict=True):
        names = [q.name]
        for _ in part.offsets:
            names.insert(0, offsets_of(names[0]))
        flat = zip(part.flat(), names, strict=True)
        named += [(x.value, Parameter(name, q.type)) for x, name in flat]
    return tuple([v for v, _ in nested(named)])


def run_parts(
    p: CoreProgram,
    entry: str,
    args: Sequence[ArgValue],
    start: Callable[[CoreProgram, Table], CoreEvaluator] = CoreEvaluator,
    foreign: Table = NO_FUNCTIONS,
) -> tuple[Part, ...]:
    """Return the results like :func:`run_core`, each with its known sizes."""
    e = entry_named(p, entry)
    layout = Layout(p.data)
    sizes, given = layout.arguments(e, args)
    env = Env({**{x: i64(n) for x, n in sizes.items()}, **given}, {})
    evaluator = start(p, foreign)
    with frames():
        evaluator.start(e.exp, env.values)
        return layout.results(evaluator.eval(e.exp, env), e.result)


def entry_named(p: CoreProgram, name: str) -> Entry:
    for e in p.entries:
        if e.name == name:
            return e
    known = ", ".join(f"`{e.name}`" for e in p.entries)
    raise UsageError(Diagnostic(NOWHERE, "entry", f"no entry point `{name}`; there is {known}"))


@contextmanager
def frames() -> Iterator[None]:
    """Raise the recursion limit while the block runs; exceeding it raises DeviceError."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, FRAMES))
    try:
        yield
    except RecursionError:
        what = "the program recurses too deeply for this interpreter"
        raise DeviceError(Diagnostic(NOWHERE, "memory", what)) from None
    finally:
        sys.setrecursionlimit(before)
