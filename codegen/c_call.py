"""Prints the function that calls a C function, for arguments that are accepted.

For ``main [n] (a : f32) (x : [n]f32) -> (y : [n]f32)``:

    def go(n0, v0, p1):                        sizes, scalars, addresses of arrays
     cells = spare.pop() if spare else new_cells()
     q0, h0, m0, s0, = cells                   the addresses of the cells, then the cells
     m0.value = None
     with lock:
      if n0 <= 16384:
       code = function(context, n0, v0, p1, q0, h0)
      else:
       with Interruptible(interrupt):
        code = function(context, n0, v0, p1, q0, h0)
      entry.peak_bytes = peak(context)
      if code:
       failed(code, (m0,))
     results = array0(m0.value or 0, s0[:])
     spare.append(cells)
     return results

A *cell* receives a result: a scalar, or an array's address and shape.  Cells are used again; a call
takes them from ``spare``, so that calls of several threads, or a call from a signal handler, do not
share them.
"""

import ctypes
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from funmem.codegen.fast_call import (
    ALIGNED,
    CONTIGUOUS,
    REFUSE,
    WRITEABLE,
    brief,
    indented,
    refuse_unless,
)
from funmem.codegen.host_code import tuple_of
from funmem.codegen.plan import EntryPlan
from funmem.ir.imp import ArrayPort, Port, ScalarPort
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, F16, ScalarType, Value, unpack
from funmem.ir.values import dtype, holdable

Release: TypeAlias = Callable[[int], object]

SCALARS: Mapping[ScalarType, type["ctypes._SimpleCData[int] | ctypes._SimpleCData[float]"]] = {
    ScalarType.BOOL: ctypes.c_uint8,
    ScalarType.I8: ctypes.c_int8,
    ScalarType.I16: ctypes.c_int16,
    ScalarType.I32: ctypes.c_int32,
    ScalarType.I64: ctypes.c_int64,
    ScalarType.U8: ctypes.c_uint8,
    ScalarType.U16: ctypes.c_uint16,
    ScalarType.U32: ctypes.c_uint32,
    ScalarType.U64: ctypes.c_uint64,
    ScalarType.F16: ctypes.c_uint16,
    ScalarType.F32: ctypes.c_float,
    ScalarType.F64: ctypes.c_double,
}
"""How C receives and returns a scalar; f16 is passed as its bits."""


def c_scalar(t: ScalarType, v: Value) -> object:
    """Return a scalar as C receives it."""
    return SCALARS[t](as_number(t, v))  # type: ignore[arg-type]


def as_number(t: ScalarType, v: Value) -> int | float:
    """Return the number that C receives for a scalar."""
    return f16_bits(v) if t is F16 else int(v) if t is BOOL else v


def f16_bits(v: Value) -> int:
    """Return the bits of a value of f16."""
    return int(np.array(v, np.float16).view(np.uint16))


def argument_types(e: EntryPlan) -> list[type]:
    """Return the ctypes types of the parameters of an entry point's C function."""
    found: list[type] = [ctypes.c_void_p, *[ctypes.c_int64] * len(e.sizes)]
    for p in e.params:
        found.append(SCALARS[p.type] if isinstance(p, ScalarPort) else ctypes.c_void_p)
    for p in e.results:
        found += [ctypes.c_void_p] * (1 if isinstance(p, ScalarPort) else 2)
    return found


def go_text(e: EntryPlan, release: Release) -> tuple[str, dict[str, object]]:
    """Return the text of ``go``, and what the names in it stand for.

    ``release`` gives memory back to the library.  Not among the names are ``entry``, ``lock``,
    ``function``, ``context``, ``interrupt``, ``peak``, ``failed`` and ``Interruptible``.
    """
    args = [f"{'v' if isinstance(p, ScalarPort) else 'p'}{k}" for k, p in enumerate(e.params)]
    given = [*(f"n{k}" for k in range(len(e.sizes))), *args]
    known = {x: f"n{k}" for k, x in enumerate(e.sizes)}
    known |= {p.x: a for p, a in zip(e.params, args, strict=True) if isinstance(p, ScalarPort)}
    cells, passed, memories, results = [], [], [], []
    names: dict[str, object] = {"spare": [], "new_cells": lambda: _cells(e)}
    for k, p in enumerate(e.results):
        passed.append(f"q{k}")
        match p:
            case ScalarPort(_, t):
                names[f"scalar{k}"] = _scalar_of(t)
                cells.append(f"q{k}, m{k}")
                results.append(f"scalar{k}(m{k}.value)")
            case ArrayPort(_, t):
                names[f"array{k}"] = _array_of(t, release)
                cells.append(f"q{k}, h{k}, m{k}, s{k}")
                passed.append(f"h{k}")
                memories.append(f"m{k}")
                results.append(f"array{k}(m{k}.value or 0, s{k}[:])")
    call = f"function({', '.join(['context', *given, *passed])})"
    returned = results[0] if len(results) == 1 else tuple_of(results)
    lines = [
        f"def go({', '.join(given)}):",
        " cells = spare.pop() if spare else new_cells()",
        *([f" {', '.join(cells)}, = cells"] if cells else []),
        *(f" {m}.value = None" for m in memories),
        " with lock:",
        f"  if {brief(e, known)}:",
        f"   code = {call}",
        "  else:",
        "   with Interruptible(interrupt):",
        f"    code = {call}",
        "  entry.peak_bytes = peak(context)",
        "  if code:",
        f"   failed(code, {tuple_of(memories)})",
        f" results = {returned}",
        " spare.append(cells)",
        " return results",
    ]
    return "\n".join(lines) + "\n", names


@frozen
class ToC:
    """The part of the call function that depends on C (``fast_call.BackEnd``)."""

    plan: EntryPlan
    limited = "library.max_bytes is not None"
    rounds = True

    def array(self, k: int, t: ScalarType) -> Sequence[str]:
        a, good = f"a{k}", CONTIGUOUS | ALIGNED
        return (
            *refuse_unless(f"type({a}) is ndarray and {a}.dtype is dtype_{t}"),
            f"flags = {a}.flags.num",
            f"if flags & {good | WRITEABLE} == {good | WRITEABLE} and {a}.size:",
            f"    p{k} = addressof(first_byte({a}))",
            f"elif flags & {good} == {good}:",
            f"    p{k} = {a}.ctypes.data",
            "else:",
            *indented((REFUSE,)),
        )

    def go(self, sizes: Sequence[str], values: Sequence[str]) -> Sequence[str]:  # noqa: ARG002
        given = [*sizes]
        for k, p in enumerate(self.plan.params):
            if isinstance(p, ArrayPort):
                given.append(f"p{k}")
            else:
                given.append(f"f16_bits(v{k})" if p.type is F16 else f"v{k}")
        return (f"return go({', '.join(given)})",)

    @staticmethod
    def names() -> dict[str, object]:
        """Return what the statements refer to."""
        return {
            "addressof": ctypes.addressof,
            "first_byte": ctypes.c_char.from_buffer,
            "f16_bits": f16_bits,
        }


# ---------------------------------------------------------------------- results


def _cells(e: EntryPlan) -> tuple[object, ...]:
    """Return the addresses of new cells for the results, each followed by its cells."""
    found: list[object] = []
    for p in e.results:
        cells = _cells_of(p)
        found += [*map(ctypes.addressof, cells), *cells]
    return tuple(found)


def _cells_of(p: Port) -> "list[ctypes._CData]":
    match p:
        case ScalarPort(_, t):
            return [SCALARS[t]()]
        case ArrayPort(_, _, shape):
            return [ctypes.c_void_p(), (ctypes.c_int64 * len(shape))()]


def _scalar_of(t: ScalarType) -> Callable[[int | float], Value]:
    """Return the function that turns what C returned into a scalar."""
    match t:
        case ScalarType.BOOL:
            return bool
        case ScalarType.F16:
            return lambda bits: unpack(int(bits).to_bytes(2, "little"), F16)
        case _:
            return lambda v: v


class _Memory:
    """The memory of an array result; it is released with the last array over it."""

    __slots__ = ("__array_interface__", "_pointer", "_release")

    def __init__(
        self, pointer: int, shape: tuple[int, ...], typestr: str, release: Release
    ) -> None:
        self._pointer, self._release = pointer, release
        self.__array_interface__ = {
            "version": 3,
            "data": (pointer, False),
            "shape": shape,
            "typestr": typestr,
        }

    def __del__(self) -> None:
        self._release(self._pointer)


_SMALL = 1 << 12
"""Bytes of an array that are copied faster than an array over the library's memory is made."""


def _array_of(
    t: ScalarType, release: Release
) -> Callable[[int, Sequence[int]], NDArray[np.generic]]:
    """Return a function that returns an array result, given its address and shape.

    It raises DeviceError for an empty one that numpy cannot represent.
    """
    element, size, typestr, empty = dtype(t), t.bytes, dtype(t).str, np.empty
    memmove, addressof = ctypes.memmove, ctypes.addressof
    first_byte = cast(Callable[[object], ctypes.c_char], ctypes.c_char.from_buffer)

    def array(pointer: int, lengths: Sequence[int]) -> NDArray[np.generic]:
        shape = tuple(lengths)
        nbytes = prod(shape) * size
        if 0 < nbytes <= _SMALL:
            small = empty(shape, element)
            memmove(addressof(first_byte(small)), pointer, nbytes)
            release(pointer)
            return small
        memory = _Memory(pointer, shape, typestr, release)
        if not nbytes:
            holdable(shape, t)
        return np.asarray(memory)

    return array
