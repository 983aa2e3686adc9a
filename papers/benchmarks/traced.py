"""Compare traced Python with ``.fut``, and measure what tracing costs.

    python papers/benchmarks/traced.py                # all tables
    python papers/benchmarks/traced.py --text axpy    # differences of the kernels' texts

    texts      kernels, and lines of OpenCL, of the traced program and of the .fut program; "same":
               the texts are equal up to the names
    times      least time of a call through OpenCL, traced : .fut, interleaved rounds
    lengths    a call with a length that was not seen before : one with a known length
    tracing    tracing a function of 1,000 operations : the same 1,000 numpy calls on one element
               (processor time)

The programs are those of the folders beside this file, written with ``@funmem.jit``.
"""

import argparse
import difflib
import re
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

import numpy as np

import funmem as fm

HERE = Path(__file__).parent

# ---------------------------------------------------------------------- the programs


@fm.jit
def axpy(a: fm.f32, xs: fm.f32["n"], ys: fm.f32["n"]):
    return a * xs + ys


@fm.jit
def dot(xs: fm.f32["n"], ys: fm.f32["n"]):
    return (xs * ys).sum()


@fm.jit
def matmul(a: fm.f32["n", "m"], b: fm.f32["m", "p"]):
    return a @ b


@fm.jit
def mandelbrot(n: fm.i64, limit: fm.i32):
    def at(low, k):
        return low + 2.5 * (fm.f32(k) + 0.5) / fm.f32(n)

    def escape(cr, ci):
        return fm.while_loop(
            lambda r, i, steps: (steps < limit) & (r * r + i * i <= 4),
            lambda r, i, steps: (r * r - i * i + cr, 2 * r * i + ci, steps + 1),
            (fm.f32(0), fm.f32(0), fm.i32(0)),
        )[2]

    return fm.build((n, n), lambda y, x: escape(at(-2.0, x), at(-1.25, y)))


def cumulative(d):
    k = 1 / (1 + 0.2316419 * abs(d))
    p = k * (
        0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    )
    tail = 0.39894228 * np.exp(-0.5 * d * d) * p
    return fm.where(d > 0, 1 - tail, tail)


@fm.jit
def black_scholes(
    rate: fm.f32,
    volatility: fm.f32,
    spots: fm.f32["n"],
    strikes: fm.f32["n"],
    years: fm.f32["n"],
):
    width = volatility * np.sqrt(years)
    d1 = (np.log(spots / strikes) + (rate + 0.5 * volatility * volatility) * years) / width
    d2 = d1 - width
    discounted = strikes * np.exp(-rate * years)
    call = spots * cumulative(d1) - discounted * cumulative(d2)
    return call, call - spots + discounted


@fm.jit
def nbody(
    softening: fm.f32,
    xs: fm.f32["n"],
    ys: fm.f32["n"],
    zs: fm.f32["n"],
    ms: fm.f32["n"],
):
    def plus(a, b):
        return a[0] + b[0], a[1] + b[1], a[2] + b[2]

    def accelerated(x0, y0, z0):
        def pull(x1, y1, z1, m):
            x, y, z = x1 - x0, y1 - y0, z1 - z0
            r2 = x * x + y * y + z * z + softening
            s = m / (r2 * np.sqrt(r2))
            return s * x, s * y, s * z

        return fm.reduce(plus, (0, 0, 0), fm.map(pull, xs, ys, zs, ms))

    return fm.map(accelerated, xs, ys, zs)


@fm.jit
def histogram(k: fm.i64, found: fm.i32["n"]):
    return fm.hist(lambda a, b: a + b, fm.i32(0), k, found, fm.ones_like(found))


DIGITS, CHUNKS = 256, 64


@fm.jit
def radix_sort(xs: fm.u32["n"]) -> fm.u32["n"]:
    n = xs.shape[0]
    length = (n + CHUNKS - 1) // CHUNKS

    def one_pass(step, xs):
        shift = fm.u32(8) * fm.u32(step)

        def digit(x):
            return fm.i64((x >> shift) & 255)

        def size(c):
            return np.maximum(0, np.minimum(length, n - c * length))

        def count(c):
            def add(k, found):
                return found.at[digit(xs[c * length + k])].add(1)

            return fm.loop(size(c), add, fm.zeros(DIGITS, fm.i32))

        counts = fm.build(CHUNKS, count)
        flat = counts.T.reshape(-1)
        upto = fm.scan(lambda a, b: a + b, fm.i32(0), flat)
        starts = (upto - flat).reshape(DIGITS, CHUNKS).T

        def place(start):
            c, start = start

            def put(k, places, following):
                d = digit(xs[c * length + k])
                at = following[d]
                return places.at[k].set(at), following.at[d].set(at + 1)

            return fm.loop(size(c), put, (fm.full(length, fm.i64(-1)), fm.i64(start)))[0]

        places = fm.map(place, (fm.arange(CHUNKS), starts))
        return fm.scatter(fm.zeros(n, fm.u32), places.reshape(-1)[:n], xs)

    return fm.loop(4, one_pass, xs)


def floats(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).uniform(0.5, 2, shape).astype(np.float32)


N = 1 << 20
PROGRAMS: dict[str, tuple[Any, Callable[[], tuple[Any, ...]]]] = {
    "axpy": (axpy, lambda: (np.float32(2), floats(N), floats(N))),
    "dot": (dot, lambda: (floats(N), floats(N))),
    "matmul": (matmul, lambda: (floats(384, 384), floats(384, 384))),
    "mandelbrot": (mandelbrot, lambda: (400, 100)),
    "black_scholes": (
        black_scholes,
        lambda: (np.float32(0.05), np.float32(0.2), *(floats(N, seed=k) for k in range(3))),
    ),
    "nbody": (nbody, lambda: (np.float32(1), *(floats(2048, seed=k) for k in range(4)))),
    "histogram": (
        histogram,
        lambda: (1024, np.random.default_rng(0).integers(0, 1024, N).astype(np.int32)),
    ),
    "radix_sort": (
        radix_sort,
        lambda: (np.random.default_rng(0).integers(0, 2**32, N).astype(np.uint32),),
    ),
}
"""Name -> the traced program, and arguments; the folder of this name has the ``.fut`` program."""


# ---------------------------------------------------------------------- texts


def texts(name: str) -> tuple[str, str]:
    """Return the OpenCL of the traced and of the ``.fut`` program, with names numbered."""
    from funmem.driver.compilation import compile_kernels
    from funmem.driver.options import Options

    f, args = PROGRAMS[name]
    program, _ = f.fun_and_arguments(*args())
    fut = fm.load(HERE / name / f"{name}.fut")
    return _numbered(compile_kernels(program, Options())[0].source), _numbered(
        compile_kernels(fut, Options())[0].source
    )


def _numbered(source: str) -> str:
    """Return a text without comments, its names numbered by first use."""
    source = re.sub(r"//.*|/\*.*?\*/", "", source)
    known: dict[str, str] = {}

    def number(m: re.Match[str]) -> str:
        base = re.sub(r"(_\d+)+$", "", m[0])
        return known.setdefault(m[0], f"x{len(known)}") if base else m[0]

    source = re.sub(r"\b[a-z]\w*\b(?!\s*\()", number, source)
    return "\n".join(x.rstrip() for x in source.splitlines() if x.strip())


def print_texts(names: list[str]) -> None:
    print(f"{'':15s} {'kernels':>14s} {'lines':>14s}")
    for name in names:
        mine, fut = texts(name)
        same = "same" if mine == fut else ""
        row = [(x.count("__kernel"), x.count("\n") + 1) for x in (mine, fut)]
        kernels, lines = (f"{a} : {b}" for a, b in zip(*row, strict=True))
        print(f"{name:15s} {kernels:>14s} {lines:>14s}  {same}", flush=True)


def print_difference(name: str) -> None:
    mine, fut = (x.splitlines() for x in texts(name))
    print("\n".join(difflib.unified_diff(mine, fut, "traced", "fut", lineterm="", n=2)))


# ---------------------------------------------------------------------- times


def interleaved(
    rounds: int,
    *work: Callable[[], Any],
    clock: Callable[[], float] = perf_counter,
    pick: Callable[[list[float]], float] = statistics.median,
) -> list[float]:
    """Return the times of some work, each done once in each round: medians or least ones."""
    took: list[list[float]] = [[] for _ in work]
    for _ in range(rounds):
        for k, f in enumerate(work):
            start = clock()
            f()
            took[k].append(clock() - start)
    return [pick(x) for x in took]


def _finished(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Call a program and wait for its results."""
    found = f(*args)
    for x in found if isinstance(found, tuple) else (found,):
        np.asarray(x)


def print_times(names: list[str], rounds: int) -> None:
    print(f"{'':15s} {'traced, ms':>11s} {'.fut, ms':>11s} {'ratio':>7s}")
    for name in names:
        f, make = PROGRAMS[name]
        fut = fm.compile(fm.load(HERE / name / f"{name}.fut"))
        args = make()
        work = [partial(_finished, g, args) for g in (f, fut)]
        interleaved(2, *work)
        a, b = interleaved(rounds, *work, pick=min)
        print(f"{name:15s} {a * 1e3:11.3f} {b * 1e3:11.3f} {a / b:7.3f}", flush=True)


def print_lengths(rounds: int) -> None:
    """A new length must not cost a trace or a compilation."""
    f = fm.jit(lambda x, y: (x * y + 1).sum())
    known = floats(5000)
    lengths = iter(range(5001, 5001 + rounds))
    fresh = [floats(n) for n in lengths]
    f(known, known), f(fresh[0], fresh[0])
    it = iter(fresh[1:])

    def new() -> None:
        x = next(it)
        f(x, x)

    a, b = interleaved(rounds - 1, new, lambda: f(known, known))
    print(f"a new length: {a * 1e6:.0f} us, a known one: {b * 1e6:.0f} us, ratio {a / b:.2f}")
    print(f"traces: {f.cache_info().traces}")


def print_tracing(rounds: int) -> None:
    """1,000 operations, traced, against numpy's calls on one element."""

    def work(x: Any) -> Any:
        for _ in range(250):
            x = (x * 2.0 + 1.0) / 3.0 - 0.5
        return x

    one = np.ones(1)

    def trace() -> None:
        fm.jit(work).lower(fm.f64["n"])

    trace()
    a, b = interleaved(rounds, trace, lambda: work(one), clock=thread_time)
    print(f"tracing: {a * 1e3:.2f} ms, numpy: {b * 1e3:.3f} ms, ratio {a / b:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare traced Python with .fut.")
    parser.add_argument("names", nargs="*", help="programs; all of them by default")
    parser.add_argument("--text", metavar="NAME", help="print how the texts of one differ")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", choices=("texts", "times", "lengths", "tracing"))
    given = parser.parse_args()
    names = given.names or list(PROGRAMS)
    if given.text:
        print_difference(given.text)
        return
    if given.only in (None, "texts"):
        print_texts(names)
    if given.only in (None, "tracing"):
        print_tracing(given.rounds)
    if given.only in (None, "lengths"):
        print_lengths(max(given.rounds, 30))
    if given.only in (None, "times"):
        print_times(names, given.rounds)


if __name__ == "__main__":
    main()
