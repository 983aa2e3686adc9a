"""The layout of a block that the threads of a kernel share.

A thread's part holds ``part`` units of ``unit`` bytes.  ``threads`` is the number of threads, and
thread number t is an i64 polynomial in the kernel's indices.  Consider an array whose elements have
``unit // u`` bytes each and whose home in one thread's own block was ``o + {(n : s) …}``.  Its new
home is

    contiguous      o + t*part*u + {(n : s) …}
    interleaved     o*threads + t + {(n : s*threads) …}       u = 1 for every array in the block

Both separate the threads: contiguous parts do not overlap, and interleaved addresses of different
threads differ modulo the number of threads.
"""

from collections.abc import Sequence

from funmem.ir.fun import Home, KernelDim
from funmem.ir.lmad import Lmad
from funmem.ir.record import frozen
from funmem.ir.sizes import ZERO, Size, product, var


@frozen
class Layout:
    """The division of one block."""

    dims: tuple[KernelDim, ...]
    """The kernel's dimensions that number the threads; empty if there is one thread."""
    unit: int
    part: Size
    interleaved: bool

    def __str__(self) -> str:
        how = "interleaved" if self.interleaved else "contiguous"
        return f"{self.bytes} bytes for {self.threads} threads, {how}"

    @property
    def threads(self) -> Size:
        return product(d.size for d in self.dims)

    @property
    def bytes(self) -> Size:
        """The size of the whole block in bytes."""
        return self.part * self.unit * self.threads

    def home(self, home: Home, element_bytes: int) -> Home:
        """Return the home, in the shared block, of an array that had ``home`` in one thread's own
        block.
        """
        return Home(home.block, self.place(home.ix, element_bytes))

    def place(self, ix: Lmad, element_bytes: int) -> Lmad:
        """Return the index function, in this thread's part, of an array with such elements."""
        t = thread_number(self.dims)
        if self.interleaved:
            return ix.scaled(self.threads).shifted(t)
        return ix.shifted(t * self.part * (self.unit // element_bytes))


def thread_number(dims: Sequence[KernelDim]) -> Size:
    """Return the row-major number of the thread with the indices of ``dims``."""
    number = ZERO
    for d in dims:
        number = number * d.size + var(d.index)
    return number
