"""The cost of a call: ``python -m tests.dispatch_table``, for ``a*x + y`` on 16 numbers.

Each round runs every contender, so that a busy machine slows all of them.  It prints medians of the
rounds, and the ratios that have a goal.  numba and jax take part where they are installed.  The
exit code is 1 if ``--strict`` is given and a goal is missed, else 0.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from time import perf_counter

import numpy as np
from attrs import frozen

import funmem
from funmem.codegen.device import open_device
from funmem.codegen.toolchain import ensure_linker

AXPY = "entry main [n] (a: f32) (x: [n]f32) (y: [n]f32) : [n]f32 = map2 (\\u v -> a*u + v) x y"
RAW = """
__kernel void axpy(long n, float a, __global const float *x, __global const float *y,
                   __global float *z)
{
    long i = get_global_id(0);
    if (i < n)
        z[i] = a * x[i] + y[i];
}
"""
LENGTH = 16
CHAIN = 10

Call = Callable[[], object]


@frozen
class Goal:
    """``what`` takes at most ``factor`` times as long as ``yardstick``."""

    what: str
    yardstick: str
    factor: float


GOALS = (
    Goal("funmem C", "jax, numpy arguments, blocking", 0.6),
    Goal("funmem OpenCL, numpy arguments", "raw enqueue, finish", 2.0),
    Goal("funmem OpenCL, device arguments, waited for", "raw enqueue, finish", 1.5),
    Goal("ten dependent calls: funmem OpenCL", "ten dependent calls: raw enqueues, finish", 4.0),
)


def contenders(n: int) -> Mapping[str, Call]:
    """Return the contenders by name; each call computes ``a*x + y``, or ten of them in a chain."""
    a, x, y = 2.0, np.arange(n, dtype=np.float32), np.ones(n, np.float32)
    return {
        "numpy": lambda: np.float32(a) * x + y,
        **dict(_numba(a, x, y)),
        **dict(_jax(a, x, y)),
        **dict(_raw(n, a, x, y)),
        **dict(_opencl(a, x, y)),
        **dict(_c(a, x, y)),
    }


Array = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


def _numba(a: float, x: Array, y: Array) -> Iterator[tuple[str, Call]]:
    try:
        import numba
    except ImportError:
        return
    f, b = numba.njit(lambda a, x, y: a * x + y), np.float32(a)
    yield "numba", lambda: f(b, x, y)


def _jax(a: float, x: Array, y: Array) -> Iterator[tuple[str, Call]]:
    try:
        import jax
    except ImportError:
        return
    f, b = jax.jit(lambda a, x, y: a * x + y), np.float32(a)
    dx, dy, db = jax.device_put(x), jax.device_put(y), jax.device_put(b)
    yield "jax, numpy arguments, blocking", lambda: f(b, x, y).block_until_ready()
    yield "jax, device arguments, blocking", lambda: f(db, dx, dy).block_until_ready()

    def chain() -> object:
        z = dx
        for _ in range(CHAIN):
            z = f(db, z, dy)
        return z.block_until_ready()

    yield "ten dependent calls: jax", chain


def _raw(n: int, a: float, x: Array, y: Array) -> Iterator[tuple[str, Call]]:
    import pyopencl as cl

    device = open_device().handle
    ensure_linker()
    context = cl.Context([device])
    queue = cl.CommandQueue(context, device)
    kernel = cl.Kernel(cl.Program(context, RAW).build(), "axpy")
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffers = [cl.Buffer(context, flags, hostbuf=v) for v in (x, y, x)]
    kernel.set_args(np.int64(n), np.float32(a), *buffers)
    enqueue = cl.enqueue_nd_range_kernel

    def once() -> object:
        enqueue(queue, kernel, (n,), (1,))
        queue.finish()
        return buffers  # a kernel does not keep its arguments alive

    def chain() -> object:
        for _ in range(CHAIN):
            enqueue(queue, kernel, (n,), (1,))
        queue.finish()
        return buffers

    yield "raw enqueue, finish", once
    yield "ten dependent calls: raw enqueues, finish", chain


def _opencl(a: float, x: Array, y: Array) -> Iterator[tuple[str, Call]]:
    f = funmem.compile(AXPY, language="fut")
    dx, dy = f(0.0, x, x), f(0.0, y, y)
    yield "funmem OpenCL, numpy arguments", lambda: f(a, x, y)
    yield "funmem OpenCL, numpy arguments, np.asarray", lambda: np.asarray(f(a, x, y))
    yield "funmem OpenCL, device arguments", lambda: f(a, dx, dy)
    yield "funmem OpenCL, device arguments, waited for", lambda: f(a, dx, dy).wait()

    def chain() -> object:
        z = dx
        for _ in range(CHAIN):
            z = f(a, z, dy)
        return z.wait()

    yield "ten dependent calls: funmem OpenCL", chain


def _c(a: float, x: Array, y: Array) -> Iterator[tuple[str, Call]]:
    f = funmem.compile(AXPY, target="c", language="fut")
    yield "funmem C", lambda: f(a, x, y)


def measured(calls: Mapping[str, Call], rounds: int, repeat: int) -> dict[str, list[float]]:
    """Return the microseconds that a call took in each round, by contender."""
    for call in calls.values():
        for _ in range(max(3, repeat // 10)):
            call()
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = perf_counter()
            for _ in range(repeat):
                call()
            found[name].append((perf_counter() - start) / repeat * 1e6)
    return found


def report(found: Mapping[str, Sequence[float]]) -> tuple[list[str], bool]:
    """Return the lines of the table, and whether all goals are met."""
    width = max(map(len, found))
    lines = [f"{'microseconds a call':{width}} {'min':>9} {'median':>9}"]
    lines += [f"{x:{width}} {min(t):9.1f} {median(t):9.1f}" for x, t in found.items()]
    good = True
    for g in GOALS:
        if not {g.what, g.yardstick} <= found.keys():
            lines.append(f"not measured: {g.what} / {g.yardstick}")
            continue
        ratio = median(found[g.what]) / median(found[g.yardstick])
        good = good and ratio <= g.factor
        verdict = "met" if ratio <= g.factor else "MISSED"
        lines.append(f"{ratio:5.2f} (goal {g.factor}, {verdict}): {g.what} / {g.yardstick}")
    return lines, good


def main(args: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = ArgumentParser(prog="python -m tests.dispatch_table", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--repeat", type=int, default=100, help="calls of a contender in a round")
    parser.add_argument("--length", type=int, default=LENGTH)
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a goal is missed")
    given = parser.parse_args(args)
    lines, good = report(measured(contenders(given.length), given.rounds, given.repeat))
    print("\n".join(lines))
    return 1 if given.strict and not good else 0


if __name__ == "__main__":
    sys.exit(main())
