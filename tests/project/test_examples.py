"""Every entry point of ``examples/`` on every engine, against numpy.

Protects the whole way: the value semantics, the default pipeline (types are checked after every
pass), the heap, IMP with its iterations in three orders, C, and OpenCL on PoCL, each at sizes from
zero.  A new example needs a reference here.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeAlias

import numpy as np
import pytest
from attrs import frozen
from numpy.typing import NDArray

from funmem.codegen.c import compile_c
from funmem.codegen.c_library import CLibrary, COptions
from funmem.codegen.opencl import compile_imp
from funmem.codegen.runtime import Executable
from funmem.interp.heap import run_heap
from funmem.interp.imp import Machine, Order
from funmem.interp.value import run
from funmem.ir.fun import FunProgram, MemProgram
from funmem.ir.imp import ImpProgram
from funmem.ir.names import Name
from funmem.ir.text import parse_fun
from funmem.ir.values import ArgValue, ArrayValue, Value
from funmem.passes.pipeline import to_funmem, to_imp
from tests.support.devices import needs_compiler, pocl
from tests.support.paths import ROOT
from tests.support.sampling import sampled

EXAMPLES = ROOT / "examples"
Array: TypeAlias = NDArray[np.generic]
Sizes: TypeAlias = tuple[int, ...]
Inputs: TypeAlias = Callable[[np.random.Generator, Sizes], tuple[ArgValue, ...]]


@frozen
class Case:
    """An entry point: its inputs at some sizes, and what numpy computes from them."""

    file: str
    entry: str
    inputs: Inputs
    reference: Callable[..., Sequence[object]]
    sizes: tuple[Sizes, ...]

    def __str__(self) -> str:
        return f"{self.file}-{self.entry}"


# ---------------------------------------------------------------------- inputs


def floats(*dims: int) -> Inputs:
    """Arrays of small integers, so that f32 computes sums of products exactly: one array for each
    number, which says how many dimensions it has; they take the sizes one after the other."""

    def make(rng: np.random.Generator, sizes: Sizes) -> tuple[ArgValue, ...]:
        left = list(sizes)
        shapes = [tuple(left.pop(0) for _ in range(d)) for d in dims]
        return tuple(rng.integers(-8, 9, s).astype(np.float32) for s in shapes)

    return make


def square(rng: np.random.Generator, sizes: Sizes) -> tuple[ArgValue, ...]:
    """A matrix with a large diagonal, which needs no pivoting."""
    (n,) = sizes
    return ((rng.random((n, n)) + n * np.eye(n)).astype(np.float32),)


def ints(low: int, high: int) -> Inputs:
    return lambda rng, sizes: (rng.integers(low, high, sizes).astype(np.int32),)


# ---------------------------------------------------------------------- references


def argmax(xs: Array) -> Sequence[object]:
    return (xs.max(), int(xs.argmax())) if len(xs) else (np.float32("-inf"), -1)


def jacobi(steps: int, g: Array) -> Sequence[object]:
    for _ in range(steps):
        new = g.copy()
        inner = g[:-2, 1:-1] + g[2:, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:]
        new[1:-1, 1:-1] = inner * np.float32(0.25)
        g = new
    return (g,)


def lu(a: Array) -> Sequence[object]:
    x = a.astype(np.float64)
    for k in range(len(x)):
        x[k + 1 :, k] /= x[k, k]
        x[k + 1 :, k + 1 :] -= np.outer(x[k + 1 :, k], x[k, k + 1 :])
    return (x.astype(np.float32),)


def mandelbrot(h: int, w: int, limit: int) -> Sequence[object]:
    image = np.zeros((h, w), np.int32)
    for y, x in np.ndindex(h, w):
        c = complex(x * 3 / w - 2, y * 2 / h - 1)
        z, count = 0j, 0
        while count < limit and (count == 0 or abs(z) <= 2):
            z, count = z * z + c, count + 1
        image[y, x] = count
    return (image,)


def nearest(k: int, queries: Array, refs: Array) -> Sequence[object]:
    distances = ((queries[:, None, :] - refs[None, :, :]) ** 2).sum(2)
    best = np.full((len(queries), k), np.inf, np.float32)
    found = np.sort(distances, 1)[:, :k]
    best[:, : found.shape[1]] = found
    return (best,)


def ragged(lens: Array) -> Sequence[object]:
    return (np.array([np.cumsum(np.arange(n) ** 2).sum() for n in lens.tolist()], np.int64),)


def neighbours(x: Array) -> Sequence[object]:
    return (x.T + x.T[:, ::-1],)


VECTOR = ((0,), (1,), (2,), (129,), (300,))
"""Fewer elements than threads of a scheduled collective, and more."""
MATRIX = ((0, 0), (0, 3), (3, 0), (1, 1), (1, 5), (4, 1), (5, 6))

CASES = (
    Case("argmax", "main", floats(1), argmax, VECTOR),
    Case("column_sums", "main", lambda rng, s: (rng.integers(-99, 99, s).astype(np.int32),),
         lambda a: (a.sum(0, dtype=np.int32),), (*MATRIX, (140, 3))),
    Case("dot", "main", lambda rng, s: (*floats(1)(rng, s), *floats(1)(rng, s)),
         lambda x, y: (x @ y,), VECTOR),
    Case("histogram", "main", lambda rng, s: (s[1], rng.integers(-2, 6, s[0]).astype(np.int32)),
         lambda k, xs: (np.bincount(xs[(xs >= 0) & (xs < k)], minlength=k).astype(np.int32),),
         ((0, 0), (5, 0), (0, 3), (1, 1), (300, 4))),
    Case("jacobi", "main", lambda rng, s: (s[0], *floats(2)(rng, s[1:])), jacobi,
         ((2, 0, 0), (2, 1, 1), (2, 2, 3), (0, 4, 4), (3, 5, 4), (-1, 3, 3))),
    Case("lu", "main", square, lu, ((0,), (1,), (2,), (7,))),
    Case("mandelbrot", "main", lambda _, s: s, mandelbrot,
         ((0, 0, 3), (0, 2, 3), (1, 1, 9), (8, 8, 0), (8, 16, 20))),
    Case("matmul", "main", lambda rng, s: floats(2, 2)(rng, (s[0], s[1], s[1], s[2])),
         lambda a, b: (a @ b,), ((0, 0, 0), (2, 0, 3), (0, 4, 1), (1, 1, 1), (3, 4, 5))),
    Case("nearest", "main",
         lambda rng, s: (s[0], *floats(2, 2)(rng, (s[1], s[3], s[2], s[3]))), nearest,
         ((0, 2, 3, 2), (1, 0, 3, 2), (2, 2, 0, 2), (1, 1, 1, 0), (3, 4, 6, 2), (5, 2, 3, 1))),
    Case("prefix_sum", "main", ints(-9, 9), lambda x: (np.cumsum(x, dtype=np.int32),), VECTOR),
    Case("prefix_sum", "rows", ints(-9, 9), lambda x: (np.cumsum(x, 1, dtype=np.int32),), MATRIX),
    Case("ragged", "main", lambda rng, s: (rng.integers(0, 6, s),), ragged,
         ((0,), (1,), (2,), (7,))),
    Case("transpose", "main", floats(2), lambda x: (x.T,), MATRIX),
    Case("transpose", "neighbours", floats(2), neighbours, MATRIX),
)  # fmt: skip


def test_every_entry_point_has_a_reference() -> None:
    there = {(f.stem, e.name) for f in EXAMPLES.glob("*.fun") for e in program(f.stem).entries}
    assert there == {(c.file, c.entry) for c in CASES}


# ---------------------------------------------------------------------- engines


@cache
def program(file: str) -> FunProgram:
    return parse_fun((EXAMPLES / f"{file}.fun").read_text(encoding="utf-8"), f"{file}.fun")


@cache
def in_memory(file: str) -> MemProgram:
    return to_funmem(program(file))


@cache
def lowered(file: str) -> ImpProgram:
    return to_imp(program(file))


@cache
def compiled(file: str, *, safe: bool) -> Executable:
    return Executable.load(compile_imp(lowered(file), safe=safe), pocl(), None)


def by_value(c: Case, args: Sequence[ArgValue]) -> Sequence[Value]:
    return run(program(c.file), Name(c.entry), args)


def by_heap(c: Case, args: Sequence[ArgValue]) -> Sequence[Value]:
    return run_heap(in_memory(c.file), Name(c.entry), args).values


def by_imp(order: Order) -> Callable[[Case, Sequence[ArgValue]], Sequence[Value]]:
    def engine(c: Case, args: Sequence[ArgValue]) -> Sequence[Value]:
        (entry,) = (e for e in lowered(c.file).entries if e.name == c.entry)
        return Machine(entry).run(args, order=order, seed=1)

    return engine


def by_opencl(*, safe: bool) -> Callable[[Case, Sequence[ArgValue]], Sequence[Value]]:
    return lambda c, args: compiled(c.file, safe=safe).entry(c.entry).run(args)


@cache
def library(file: str, *, safe: bool) -> CLibrary:
    return CLibrary.load(compile_c(lowered(file), file, safe=safe), COptions(optimise=False))


def by_c(*, safe: bool) -> Callable[[Case, Sequence[ArgValue]], Sequence[Value]]:
    return lambda c, args: library(c.file, safe=safe).entry(c.entry).run(args)


ENGINES = {
    "value": by_value,
    "heap": by_heap,
    **{f"imp-{order.value}": by_imp(order) for order in Order},
    "c-safe": by_c(safe=True),
    "c-fast": by_c(safe=False),
    "opencl-safe": by_opencl(safe=True),
    "opencl-fast": by_opencl(safe=False),
}


def compare(want: Sequence[object], got: Sequence[Value]) -> None:
    """Integers are equal; floats nearly: an order of operations is not prescribed."""
    assert len(want) == len(got)
    for a, b in zip(want, got, strict=True):
        value = b.data if isinstance(b, ArrayValue) else b
        if isinstance(a, np.ndarray):
            assert isinstance(b, ArrayValue)
            assert (b.data.dtype, b.shape) == (a.dtype, a.shape)
        np.testing.assert_allclose(value, a, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("engine", sampled([
    pytest.param(
        e,
        marks=pytest.mark.opencl if e[:6] == "opencl" else needs_compiler if e[:2] == "c-" else (),
    )
    for e in ENGINES
], 16))  # fmt: skip
@pytest.mark.parametrize("case", CASES, ids=str)
def test_example(case: Case, engine: str) -> None:
    rng = np.random.default_rng(1)
    for sizes in case.sizes:
        args = case.inputs(rng, sizes)
        given = [np.copy(a) if isinstance(a, np.ndarray) else a for a in args]
        got = ENGINES[engine](case, args)
        compare(case.reference(*given), got)
        for a, b in zip(args, given, strict=True):
            np.testing.assert_array_equal(a, b)  # also those that the program updates in place


def test_the_references_are_not_trivial() -> None:
    """At the largest size every reference depends on its input."""
    for case in CASES:
        one, other = (
            case.reference(*case.inputs(np.random.default_rng(seed), case.sizes[-1]))
            for seed in (1, 2)
        )
        if case.file != "mandelbrot":
            assert any(not np.array_equal(a, b) for a, b in zip(one, other, strict=True)), case
