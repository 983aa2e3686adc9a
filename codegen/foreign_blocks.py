"""Foreign code on whole arrays, called through ctypes: what the interpreters need of it.

table["rev"](3, xs)     allocates the result, and calls foreign_rev for each index of the grid
"""

import ctypes
from collections.abc import Callable, Sequence
from typing import cast

import numpy as np

from funmem.ir.foreign import C_TYPES, OpaqueFunction, Reference, symbol
from funmem.ir.fun import ArrayType
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.values import dtype

CTYPES: dict[ScalarType, type] = {
    ScalarType.BOOL: ctypes.c_uint8,
    ScalarType.I8: ctypes.c_int8,
    ScalarType.I16: ctypes.c_int16,
    ScalarType.I32: ctypes.c_int32,
    ScalarType.I64: ctypes.c_int64,
    ScalarType.U8: ctypes.c_uint8,
    ScalarType.U16: ctypes.c_uint16,
    ScalarType.U32: ctypes.c_uint32,
    ScalarType.U64: ctypes.c_uint64,
    ScalarType.F16: ctypes.c_float,
    ScalarType.F32: ctypes.c_float,
    ScalarType.F64: ctypes.c_double,
}


def over_grid(f: OpaqueFunction) -> str:
    """Return a C function that calls ``foreign_NAME`` for each index of a grid, in order."""
    types = ["long"] * len(f.sizes) + [_c_type(t, "const ") for t in f.params]
    types += [_c_type(t, "") for t in f.results]
    args = [f"x{k}" for k in range(len(types))]
    grid = [f"n{k}" for k in range(len(f.grid))]
    indices = [f"i{k}" for k in range(len(f.grid))]
    params = [f"{t} {x}" for t, x in zip(types, args, strict=True)] + [f"long {n}" for n in grid]
    loops = "".join(
        f"for (long {i} = 0; {i} < {n}; {i}++) " for i, n in zip(indices, grid, strict=True)
    )
    call = f"{symbol(f.name)}({', '.join((*args, *indices))});"
    return f"void called_{symbol(f.name)}({', '.join(params)}) {{ {loops}{call} }}"


def _c_type(t: ScalarType | ArrayType, qualifier: str) -> str:
    return C_TYPES[t] if isinstance(t, ScalarType) else f"{qualifier}{C_TYPES[t.elem]} *"


@frozen(eq=False)
class WithoutSizes:
    """A reference, which takes the parameters without the sizes."""

    reference: Reference
    sizes: int

    def __call__(self, *args: object) -> object:
        return self.reference(*args[self.sizes :])


@frozen(eq=False)
class OnBlocks:
    """A function of :func:`over_grid` in a loaded library."""

    call: Callable[..., object]
    of: OpaqueFunction

    def __call__(self, *args: object) -> object:
        f = self.of
        sizes = dict(zip(f.sizes, cast(Sequence[int], args), strict=False))
        count = len(f.sizes)
        types: Sequence[ScalarType | ArrayType] = (ScalarType.I64,) * count + f.params
        kept = [np.ascontiguousarray(x) if isinstance(x, np.ndarray) else x for x in args]
        given = [_argument(x, t) for x, t in zip(kept, types, strict=True)]
        outs = [
            np.empty([d.eval(sizes.__getitem__) for d in t.shape], dtype(t.elem)) for t in f.results
        ]
        grid = [ctypes.c_int64(d.eval(sizes.__getitem__)) for d in f.grid]
        self.call(*given, *(ctypes.c_void_p(x.ctypes.data) for x in outs), *grid)
        return tuple(outs) if len(outs) != 1 else outs[0]


def _argument(x: object, t: ScalarType | ArrayType) -> object:
    if isinstance(t, ArrayType):
        assert isinstance(x, np.ndarray)
        return ctypes.c_void_p(x.ctypes.data)
    return CTYPES[t](x)
