"""``np.sort`` and ``np.argsort`` of traced values.

    np.sort(xs)      ->      [ x | x <- xs, order by x ]

A row is sorted by a program in ``.fut``, one for each element type, which becomes a shared
definition (entry_calls.py).  It is stable, and NaN is last, as in numpy.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from funmem.frontends.python import indexing
from funmem.frontends.python.entry_calls import call_entry
from funmem.frontends.python.errors import Code, wrong
from funmem.frontends.python.functions import map_
from funmem.frontends.python.tape import Symbol, active
from funmem.ir import core as c
from funmem.ir.scalars import ScalarType

_TEXT = """
entry sort [n] (xs: [n]{t}) : [n]{t} = [ x | x <- xs, order by x ] :> [n]{t}
entry argsort [n] (xs: [n]{t}) : [n]i64 =
  [ i | (i, x) <- zip (indices xs) xs, order by x ] :> [n]i64
"""


@cache
def _program(t: ScalarType) -> c.CoreProgram:
    """Return the two functions for an element type."""
    from funmem.frontends.futhark.program import to_core

    return to_core(_TEXT.format(t=t.value), "sort.fut")


def sort(x: Any, axis: int | None = -1, **options: Any) -> Any:
    """Return a sorted copy along an axis; with None, of all elements in one row."""
    return _along(x, axis, "sort", options)


def argsort(x: Any, axis: int | None = -1, **options: Any) -> Any:
    """Return the indices that sort along an axis; equal elements keep their order."""
    return _along(x, axis, "argsort", options)


def _along(x: Any, axis: int | None, what: str, options: dict[str, Any]) -> Any:
    for option, value in options.items():
        if option not in ("kind", "stable") and value is not None:
            raise wrong(Code.UNSUPPORTED, f"np.{what} with `{option}=` in traced code")
    tape = active()
    if tape is None:
        raise wrong(Code.ESCAPED, "a traced value is used after its function has returned")
    x = tape.lift(x)
    if axis is None:
        x, axis = x.reshape(-1), 0
    if not x.dims:
        raise wrong(Code.SHAPE, f"np.{what} of a scalar")
    rank = len(x.dims)
    k = axis % rank
    last = [*(j for j in range(rank) if j != k), k]
    found = _rows(x if k == rank - 1 else indexing.rearranged(x, last), what)
    if k == rank - 1:
        return found
    return indexing.rearranged(found, [last.index(j) for j in range(rank)])


def _rows(x: Symbol, what: str) -> Any:
    if len(x.dims) == 1:
        program = _program(x.type)
        (entry,) = (e for e in program.entries if e.name == what)
        return call_entry(x.tape, program, entry, (x,))
    return map_(lambda row: _rows(row, what), x)
