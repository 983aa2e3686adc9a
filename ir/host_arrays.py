"""Arrays of other libraries as numpy arrays, and element types that contain others.

    __array__       results of calls, arrays of jax, torch, pandas, …
    __dlpack__      arrays in memory of the host (DLPack)
    the buffer protocol    bytes, bytearray, memoryview, array.array, ctypes arrays, mmap

None of them is copied here.  Like ``values``, this module imports numpy; only interpreters and code
generators use it.
"""

from collections.abc import Mapping
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from funmem.ir.scalars import F16, F32, F64, ScalarType

Data: TypeAlias = NDArray[np.generic]

_HOSTS = (1, 3, 11)
"""Kinds of memory in DLPack that the host can read: its own, and that pinned for CUDA or ROCm."""

_EXACT: Mapping[ScalarType, int] = {F16: 11, F32: 24, F64: 53}
"""Integers of so many bits are values of a float type."""


class Elsewhere(Exception):
    """The elements of an array are in memory that the host cannot read."""


@runtime_checkable
class IsArray(Protocol):
    """An object that numpy can convert to an array, such as a result of another library."""

    def __array__(self) -> Data: ...


@runtime_checkable
class IsOnDevice(Protocol):
    """An object that says where its elements are."""

    def __dlpack_device__(self) -> tuple[int, int]: ...


def host_array(a: object) -> Data | None:
    """Return an object of another library as an array over its memory; None if it is no array.

    Raises Elsewhere.
    """
    if isinstance(a, np.generic | str | int | float):
        return None
    if isinstance(a, IsOnDevice) and a.__dlpack_device__()[0] not in _HOSTS:
        raise Elsewhere
    if isinstance(a, IsArray):
        return np.asarray(a)
    if isinstance(a, IsOnDevice):
        return np.from_dlpack(a)  # type: ignore[arg-type]  # it has __dlpack__ as well
    return _buffer(a)


def _buffer(a: object) -> Data | None:
    """Return an object with the buffer protocol as an array; None if numpy knows no such type."""
    try:
        return np.asarray(memoryview(a))  # type: ignore[arg-type]  # else TypeError
    except (TypeError, ValueError, NotImplementedError):
        return None


def contains(t: ScalarType, source: ScalarType) -> bool:
    """True if every value of ``source`` is a value of ``t``; bool is contained in itself only."""
    if t is source:
        return True
    if t.is_float and source.is_float:
        return source.bits <= t.bits
    if not source.is_int:
        return False
    if t.is_float:
        return source.bits - source.is_signed <= _EXACT[t]
    return t.is_int and t.min <= source.min and source.max <= t.max
