"""Measure programs on rows of different lengths (paper 001, section 5.1), in one Markdown table.

    python papers/nova/irregular/measure.py --rows 16 --rounds 5 --threads 1

Each program runs as C on 2^rows rows, whose lengths are drawn in four ways: all between 0 and 31
(uniform), a few long ones (pareto), half of all elements in one row (giant), 15 of 16 rows empty.
Each entry is funmem's time divided by the peer's, the median of the rounds, in which all run in
turns: below 1, funmem is faster.  `plain.c` has a thread for each row; numpy uses `reduceat` where
there is a ufunc for the reduction, and a product of scipy's CSR matrix if scipy is installed.
Every result is compared with numpy's first.
"""

import argparse
import ctypes
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import funmem
from funmem.bench.threads import limit_threads
from funmem.codegen.c_library import find_compiler

HERE = Path(__file__).resolve().parent
Array = NDArray[Any]
Run = Callable[[], Sequence[Array]]

KINDS = ("uniform", "pareto", "giant", "empty")


def lengths(kind: str, n: int, rng: np.random.Generator) -> Array:
    """Return the lengths of n rows."""
    if kind == "uniform":
        return rng.integers(0, 32, n)
    if kind == "pareto":
        return np.minimum(np.floor(8 * rng.pareto(1.5, n)), 1 << 13).astype(np.int64)
    if kind == "giant":
        out = rng.integers(0, 16, n)
        out[n // 3] = 8 * n
        return out
    out = np.zeros(n, np.int64)
    out[::16] = rng.integers(0, 256, len(out[::16]))
    return out


def offsets(rows: Array) -> Array:
    """Return where rows of these lengths begin, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(rows)]).astype(np.int64)


# ---------------------------------------------------------------------- numpy


def reduced(op: np.ufunc, at: Array, x: Array, empty: Any) -> Array:
    """Return ``op`` of each row; ``reduceat`` gives an element, not nothing, for an empty row."""
    out = np.full(len(at) - 1, empty, x.dtype)
    some = at[:-1] < at[1:]
    if some.any():
        out[some] = op.reduceat(x, at[:-1][some])
    return out


def sums(at: Array, x: Array) -> Sequence[Array]:
    return (reduced(np.add, at, x, 0),)


def spmv(at: Array, v: Array, _: Array, c: Array, x: Array) -> Sequence[Array]:
    return (reduced(np.add, at, v * x[c], 0),)


def softmax(at: Array, x: Array) -> Sequence[Array]:
    rows = np.diff(at)
    e = np.exp(x - np.repeat(reduced(np.maximum, at, x, -np.inf), rows))
    return at, e / np.repeat(reduced(np.add, at, e, 0), rows)


def filter_(at: Array, x: Array) -> Sequence[Array]:
    keep = x > 0
    return np.concatenate([[0], np.cumsum(keep)])[at], x[keep]


def bfs(at: Array, to: Array) -> Sequence[Array]:
    out = np.full(len(at) - 1, -1, np.int32)
    out[0] = 0
    for d in range(len(out)):
        near = reduced(np.logical_or, at, out[to] == d, False) & (out == -1)
        if not near.any():
            break
        out[near] = d + 1
    return (out,)


def words(text: Array) -> Sequence[Array]:
    blanks = np.flatnonzero(text == 32)
    ends = np.concatenate([blanks, [len(text)]]) - np.arange(len(blanks) + 1)
    at = np.concatenate([[0], ends])
    return at, text[text != 32], np.int32(np.count_nonzero(np.diff(at)))


# ---------------------------------------------------------------------- the programs


def arguments(name: str, kind: str, n: int) -> Sequence[Array]:
    """Return a program's arguments, rows as offsets and elements."""
    rng = np.random.default_rng(7)
    at = offsets(lengths(kind, n, rng))
    m = int(at[-1])
    if name == "bfs":
        return at, rng.integers(0, n, m).astype(np.int32)
    if name == "words":
        text = rng.integers(97, 123, m + n).astype(np.int8)
        text[(at[1:] + np.arange(n))] = 32
        return (text[:-1],)
    x = rng.random(m, np.float32) - np.float32(0.5)
    if name == "spmv":
        return at, x, at, rng.integers(0, n, m).astype(np.int32), rng.random(n, np.float32)
    return at, x


NUMPY: dict[str, Callable[..., Sequence[Array]]] = {
    "sums": sums,
    "spmv": spmv,
    "softmax": softmax,
    "filter": filter_,
    "bfs": bfs,
    "words": words,
}


def library(folder: Path) -> ctypes.CDLL:
    """Build plain.c and load it."""
    target = folder / "plain.so"
    flags = ["-std=gnu11", "-O3", "-march=native", "-fopenmp", "-shared", "-fPIC"]
    files = ["-o", str(target), str(HERE / "plain.c"), "-lm"]
    subprocess.run([*find_compiler(), *flags, *files], check=True)
    return ctypes.CDLL(str(target))


def as_plain(c: ctypes.CDLL, name: str, args: Sequence[Array]) -> Run:
    """Return the C programmer's function; results are allocated at each call, as funmem's are."""

    def call(*given: Array | int) -> int:
        words = [ctypes.c_void_p(g.ctypes.data) if isinstance(g, np.ndarray) else g for g in given]
        f = getattr(c, name)
        f.restype = ctypes.c_int64
        return int(f(*words))

    def run() -> Sequence[Array]:
        if name == "words":
            (text,) = args
            at, out = np.empty(len(text) + 2, np.int64), np.empty(len(text), np.int8)
            some = np.empty(1, np.int32)
            rows = call(ctypes.c_int64(len(text)), text, at, out, some)
            return at[: rows + 1], out[: at[rows]], some[0]
        at = args[0]
        n, m = ctypes.c_int64(len(at) - 1), int(at[-1])
        if name == "filter":
            to, some = np.empty(len(at), np.int64), np.empty(m, np.float32)
            call(n, at, args[1], to, some)
            return to, some[: to[-1]]
        kind = np.int32 if name == "bfs" else np.float32
        made = np.empty(m if name == "softmax" else len(at) - 1, kind)
        call(n, *(a for k, a in enumerate(args) if (name, k) != ("spmv", 2)), made)
        return (at, made) if name == "softmax" else (made,)

    return run


def scipy_product(args: Sequence[Array]) -> Run | None:
    """Return scipy's product, or None if scipy is not installed."""
    try:
        from scipy.sparse import csr_matrix
    except ImportError:
        return None
    at, v, _, c, x = args
    matrix = csr_matrix((v, c, at), shape=(len(at) - 1, len(x)))
    return lambda: (matrix @ x,)


def contenders(name: str, args: Sequence[Array], c: ctypes.CDLL) -> dict[str, Run]:
    """Return funmem's program, then its peers."""
    call = funmem.compile(funmem.load(HERE / f"{name}.nova"), target="c").entry("main").call

    def ours() -> Sequence[Array]:
        got = call(*args)
        return got if isinstance(got, tuple) else (got,)

    found: dict[str, Run] = {
        "funmem": ours,
        "gcc": as_plain(c, name, args),
        "numpy": lambda: NUMPY[name](*args),
    }
    if name == "spmv" and (product := scipy_product(args)) is not None:
        found["scipy"] = product
    return found


def require_same(name: str, who: str, got: Sequence[Array], want: Sequence[Array]) -> None:
    """Raise SystemExit if two results differ."""
    for a, b in zip(got, want, strict=True):
        if np.shape(a) != np.shape(b) or not np.allclose(a, b, rtol=1e-3, atol=1e-3):
            raise SystemExit(f"{name}: the result of {who} is wrong")


def ratios(name: str, kind: str, n: int, rounds: int, c: ctypes.CDLL) -> dict[str, float]:
    """Return funmem's time over each peer's: medians over rounds in which all run in turns."""
    args = arguments(name, kind, n)
    runs = contenders(name, args, c)
    want = NUMPY[name](*args)
    for who, run in runs.items():
        require_same(name, who, run(), want)
    times: dict[str, list[float]] = {who: [] for who in runs}
    for _ in range(rounds):
        for who, run in runs.items():
            start = perf_counter()
            run()
            times[who].append(perf_counter() - start)
    own = times["funmem"]
    return {
        who: median(a / b for a, b in zip(own, other, strict=True))
        for who, other in times.items()
        if who != "funmem"
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", default=list(NUMPY))
    parser.add_argument("--rows", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    limit_threads(given.threads)
    with tempfile.TemporaryDirectory() as folder:
        c = library(Path(folder))
        print("| program | lengths | gcc | numpy | scipy |")
        print("|---|---|---|---|---|")
        for name in given.names:
            for kind in KINDS:
                found = ratios(name, kind, 1 << given.rows, given.rounds, c)
                shown = {who: f"{x:.2f}" for who, x in found.items()}
                row = " | ".join(shown.get(who, "-") for who in ("gcc", "numpy", "scipy"))
                print(f"| {name} | {kind} | {row} |", flush=True)


if __name__ == "__main__":
    main()
