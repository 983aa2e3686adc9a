"""Array results of calls, which stay on the device until their elements are used on the host.

    y = f(x)         # a DeviceArray; no element has moved
    z = g(y)         # the buffer of y is passed as the argument
    np.asarray(z)    # the elements move to the host; on a CPU numpy maps the memory without a copy

A DeviceArray can be used wherever numpy accepts an array, and it has all methods of an array.  They
run on the host and return numpy arrays.  It may be the result of kernels that have not run yet:
whatever reads its elements waits for them (papers/decisions/calls.md).
"""

import math
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import pyopencl as cl
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from funmem.codegen.buffers import Buffer
from funmem.codegen.device import Device, address_of, failed
from funmem.codegen.forks import Threads, claim
from funmem.codegen.interrupts import Interruptible, nothing
from funmem.ir.values import elem_type, holdable

Host = NDArray[np.generic]

_CPU = 1
"""DLPack's number for memory of the host."""


class DeviceArray(NDArrayOperatorsMixin):
    """A read-only array on a device, row-major at the start of a buffer.

    ``np.array(x)`` is a copy that may be changed.
    """

    __slots__ = ("__weakref__", "_host", "_owner", "device", "dtype", "nbytes", "shape")

    def __init__(
        self,
        device: Device,
        buffer: Buffer,
        shape: tuple[int, ...],
        dtype: np.dtype[np.generic],
        nbytes: int,
    ) -> None:
        """Hold the buffer; it is released with the last array over it."""
        self.device = device
        self.shape = shape
        self.dtype = dtype
        self.nbytes = nbytes
        self._owner = _BufferOwner(device, buffer)
        self._host: Host | None = None

    @property
    def buffer(self) -> Buffer:
        """Return the buffer that holds the elements."""
        return self._owner.buffer

    @property
    def on_host(self) -> bool:
        """True once the elements have been copied or mapped to the host."""
        return self._host is not None

    @property
    def ndim(self) -> int:
        """Return the number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Return the number of elements."""
        return math.prod(self.shape)

    def wait(self) -> "DeviceArray":
        """Return the array once its elements have been computed.  Raises DeviceError."""
        claim(Threads.OPENCL)
        with Interruptible(nothing):
            try:
                self.device.queue.finish()
            except cl.Error as error:
                raise failed(self.device, error) from None
        return self

    def outline(self) -> Host:
        """Return an array of the same shape and type, whose elements are all the same zero."""
        return np.broadcast_to(np.zeros((), self.dtype), self.shape)

    def host(self) -> Host:
        """Return the elements as a read-only array.  Raises DeviceError if the device fails."""
        if self._host is None:
            claim(Threads.OPENCL)
            with self.device.lock, Interruptible(nothing):
                try:
                    self._host = self._fetched()
                except cl.Error as error:
                    raise failed(self.device, error) from None
            self._host.flags.writeable = False
        return self._host

    def _fetched(self) -> Host:
        if not self.nbytes:
            if (t := elem_type(self.dtype)) is not None:
                holdable(self.shape, t)
            return np.empty(self.shape, self.dtype)
        self.device.transfers.fetched(self.nbytes)
        self.device.pool.here(self.buffer)
        queue, handle = self.device.queue, self.buffer.handle
        if self.device.pool.residence is not None:
            data = np.empty(self.shape, self.dtype)
            cl.enqueue_copy(queue, data, handle)
            return data
        if self.device.stays_in_place:
            queue.finish()
            return np.asarray(_InPlace(self._owner, self.shape, self.dtype))
        if self.device.info.shares_memory:
            return np.asarray(_Mapped(self._owner, self.shape, self.dtype))
        data = np.empty(self.shape, self.dtype)
        cl.enqueue_copy(queue, data, handle)
        return data

    # -- the protocols of numpy and Python

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Host:
        return np.array(self.host(), dtype, copy=copy)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self.host().__array_interface__

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_CPU, 0)  # consumers get host memory

    def __dlpack__(self, **options: Any) -> Any:
        """Return a capsule on the host; a copy for consumers that do not support read-only ones."""
        data: Any = self.host()
        if (options.get("max_version") or (0, 0)) < (1, 0):
            return np.array(data).__dlpack__()
        return data.__dlpack__(**options)

    def __array_ufunc__(self, f: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if any(isinstance(x, DeviceArray) for x in options.get("out", ())):
            raise _fixed()
        return getattr(f, method)(*map(_on_host, inputs), **options)

    def __array_function__(self, f: Any, _: Any, args: Any, options: Any) -> Any:
        return f(*_on_host(args), **{k: _on_host(v) for k, v in options.items()})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # all supported protocols are defined above
            raise AttributeError(name)
        return getattr(self.host(), name)

    def __getitem__(self, index: Any) -> Any:
        return self.host()[_on_host(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        raise _fixed()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.host())

    def __len__(self) -> int:
        return len(self.outline())

    def __bool__(self) -> bool:
        return bool(self.host())

    def __int__(self) -> int:
        return int(cast(Any, self.host()))

    def __float__(self) -> float:
        return float(cast(Any, self.host()))

    def __buffer__(self, flags: int) -> memoryview:  # Python 3.12
        return self.host().data

    def __bytes__(self) -> bytes:
        return self.host().tobytes()

    def __reduce__(self) -> Any:
        return np.array, (self.host(),)

    def __repr__(self) -> str:
        return repr(self.host()).replace("array", "DeviceArray", 1).replace("\n", "\n      ")

    def __str__(self) -> str:
        return str(self.host())


class _BufferOwner:
    """Returns a buffer to the pool when the last array over it is deleted."""

    __slots__ = ("buffer", "device")

    def __init__(self, device: Device, buffer: Buffer) -> None:
        self.device, self.buffer = device, buffer

    def __del__(self) -> None:
        self.device.pool.returned.append(self.buffer)  # may run in any thread


class _Mapped:
    """A mapping of device memory into the host, which lasts as long as an array over it."""

    def __init__(
        self, owner: _BufferOwner, shape: tuple[int, ...], dtype: np.dtype[np.generic]
    ) -> None:
        flags, queue, handle = cl.map_flags.READ, owner.device.queue, owner.buffer.own
        data, _ = cl.enqueue_map_buffer(queue, handle, flags, 0, shape, dtype)
        self._data = data  # set before the owner, so that it is unmapped first
        self._owner = owner
        self.__array_interface__ = data.__array_interface__


class _InPlace:
    """Memory of a device that is memory of the host, at an address that does not change.

    The memory is mapped once, to learn the address.
    """

    def __init__(
        self, owner: _BufferOwner, shape: tuple[int, ...], dtype: np.dtype[np.generic]
    ) -> None:
        if not owner.buffer.address:
            owner.buffer.address = address_of(owner.device, owner.buffer.own)
        self._owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (owner.buffer.address, True),
            "shape": shape,
            "typestr": dtype.str,
        }


def _on_host(x: Any) -> Any:
    """Replace device arrays by numpy arrays, also inside lists and tuples."""
    match x:
        case DeviceArray():
            return x.host()
        case list() | tuple() if type(x) in (list, tuple):
            return type(x)(map(_on_host, x))
        case _:
            return x


def _fixed() -> TypeError:
    return TypeError("results of calls are read-only; np.array(x) is a copy that can be changed")
