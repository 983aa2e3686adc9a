"""Measure the processor's limits: memory bandwidth and f32 operations per second.

Other devices are not measured.
"""

import ctypes
from pathlib import Path
from time import perf_counter

import numpy as np

from funmem.bench.peers import C_FLAGS, load_c
from funmem.codegen.c_library import find_compiler
from funmem.ir.record import frozen

ELEMENTS, ROUNDS = 1 << 24, 5
PARTS, STEPS = 64, 1 << 15
LANES = 256
"""The constant LANES of ``peak`` in limits.c."""


@frozen
class Limits:
    """Bytes per second of a triad; f32 operations per second (a multiply-add counts as two)."""

    bandwidth: float
    flops: float

    def __str__(self) -> str:
        return f"triad {self.bandwidth / 1e9:.1f} GB/s, f32 {self.flops / 1e9:.0f} GFLOP/s"


def measure(elements: int = ELEMENTS, steps: int = STEPS) -> Limits:
    """Return the best of ROUNDS measurements.  Raises DeviceError if there is no C compiler."""
    source = str(Path(__file__).with_name("limits.c"))
    library = load_c([*find_compiler(), *C_FLAGS, "-ffast-math"], [source], ["-lm"])
    library.triad.restype = library.peak.restype = None
    x, y, z = (np.ones(elements, np.float32) for _ in range(3))
    out = np.zeros(PARTS, np.float32)
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in (x, y, z, out)]
    moved = 3 * 4 * elements

    def triad() -> None:
        library.triad(ctypes.c_int64(elements), ctypes.c_float(2.0), *pointers[:3])

    def peak() -> None:
        library.peak(ctypes.c_int64(PARTS), ctypes.c_int64(steps), pointers[3])

    triad()
    peak()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for f, spent in zip((triad, peak), times, strict=True):
            start = perf_counter()
            f()
            spent.append(perf_counter() - start)
    return Limits(moved / min(times[0]), 2.0 * LANES * PARTS * steps / min(times[1]))
