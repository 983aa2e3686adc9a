"""What a Core program computes: the definition that every pass on Core is compared with.

    run_core(p, "main", args)     what a caller gets: scalars and arrays (layout.py)
    run_parts(p, "main", args)    the same, and which inner sizes of empty arrays nobody knows
    differ(expected, got)         the first difference between two such answers

Any Core program is run as it is, before or after any pass: polymorphic, higher-order, recursive,
with irregular arrays.  Values are immutable (values.py); arrays.py has the array operations,
evaluate.py an arm for each form.  It is written to be read: where speed counts, programs are
lowered to FUN.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from funmem.interp.core.evaluate import Evaluator
from funmem.interp.core.layout import Layout, Part, differ
from funmem.interp.core.values import Env, i64
from funmem.ir.core import CoreProgram, Entry
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, UsageError
from funmem.ir.values import ArgValue, Value, bind

__all__ = ["Part", "differ", "run_core", "run_parts"]

FRAMES = 30_000
"""How deep a program may recurse, in Python's frames: some four for a call that is no tail call."""


def run_core(p: CoreProgram, entry: str, args: Sequence[ArgValue]) -> tuple[Value, ...]:
    """The results of an entry point, in order, laid out as FUN has them.

    Inner sizes of an empty array that nobody knows are 0.  Raises UsageError if there is no such
    entry point, InputError if the arguments do not fit, Trap if the program traps, DeviceError if
    it recurses too deep, Stuck if it is not well typed.
    """
    return tuple(part.value for part in run_parts(p, entry, args))


def run_parts(
    p: CoreProgram,
    entry: str,
    args: Sequence[ArgValue],
    start: Callable[[CoreProgram], Evaluator] = Evaluator,
) -> tuple[Part, ...]:
    """As :func:`run_core`; each result says which of its sizes are known."""
    e = _entry_named(p, entry)
    layout = Layout(p.data)
    sizes, values = bind(layout.signature(e), args)
    names = {x: i64(n) for x, n in sizes.items()}
    env = Env({**names, **layout.arguments(e, values)}, {})
    evaluator = start(p)
    with _frames():
        evaluator.start(e.exp, env.values)
        return layout.results(evaluator.eval(e.exp, env), e.result)


def _entry_named(p: CoreProgram, name: str) -> Entry:
    for e in p.entries:
        if e.name == name:
            return e
    known = ", ".join(f"`{e.name}`" for e in p.entries)
    raise UsageError(Diagnostic(NOWHERE, "entry", f"no entry point `{name}`; there is {known}"))


@contextmanager
def _frames() -> Iterator[None]:
    """More frames while the block runs; too many are a limit of this machine."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, FRAMES))
    try:
        yield
    except RecursionError:
        what = "the program recurses too deep for this interpreter"
        raise DeviceError(Diagnostic(NOWHERE, "memory", what)) from None
    finally:
        sys.setrecursionlimit(before)
