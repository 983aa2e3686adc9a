"""The interpreter of Core: the definition of a program's meaning, with which passes are compared.

    run_core(p, "main", args)     the results as scalars and arrays (layout.py)
    run_parts(p, "main", args)    the same; it marks unknown inner sizes of empty arrays
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
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, UsageError
from funmem.ir.foreign_calls import NO_FUNCTIONS, Table
from funmem.ir.values import ArgValue, Value, bind

__all__ = ["Part", "differ", "run_core", "run_parts"]

FRAMES = 30_000
"""Limit on recursion in Python frames; a call that is not a tail call takes about four."""


def run_core(
    p: CoreProgram, entry: str, args: Sequence[ArgValue], foreign: Table = NO_FUNCTIONS
) -> tuple[Value, ...]:
    """Return the results of an entry point, in order, with FUN's layout.

    ``foreign`` has the foreign functions.  Unknown inner sizes of an empty array are 0.  Raises
    UsageError if there is no such entry point or if a foreign function is missing, InputError if
    the arguments do not fit, Trap if the program traps, DeviceError if it recurses too deep, Stuck
    if it is not well typed.
    """
    return tuple(part.value for part in run_parts(p, entry, args, foreign=foreign))


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
    sizes, values = bind(layout.signature(e), args)
    names = {x: i64(n) for x, n in sizes.items()}
    env = Env({**names, **layout.arguments(e, values)}, {})
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
