"""Functions of numpy's, traced: the same Python function gives numpy's answer, types included."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import funmem as fm
from tests.support.sampling import sampled

RANDOM = np.random.default_rng(0)


def f(*shape: int) -> Any:
    """Return floats of 32 bits."""
    return RANDOM.uniform(-2, 2, shape).astype(np.float32)


def d(*shape: int) -> Any:
    """Return floats of 64 bits."""
    return RANDOM.uniform(-2, 2, shape)


def i(*shape: int, t: str = "i4") -> Any:
    """Return integers of a type."""
    return RANDOM.integers(-5, 6, shape).astype(t)


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda x: x + 1, (i(4, t="i1"),)),
    (lambda x: x + 1.5, (i(4, t="i1"),)),
    (lambda x: x / 2, (i(4),)),
    (lambda x: x // 2, (i(4),)),
    (lambda x: x % 3, (i(4),)),
    (lambda x: x // 0.3, (f(9),)),
    (lambda x: x % 0.3, (d(9),)),
    (lambda x: np.fmod(x, 0.7), (d(9),)),
    (lambda x: x**2, (f(4),)),
    (lambda x: x**3, (i(4),)),
    (lambda x: x**0.5, (np.abs(f(4)),)),
    (lambda x: 2**x, (np.abs(i(4)),)),
    (lambda x: -x, (f(4),)),
    (lambda x: ~x, (i(4),)),
    (lambda x: ~(x > 0), (f(4),)),
    (lambda x: abs(x), (i(4),)),
    (lambda x, y: x @ y, (f(3), f(3))),
    (lambda x, y: x @ y, (f(2, 3), f(3))),
    (lambda x, y: x @ y, (f(3), f(3, 2))),
    (lambda x, y: x @ y, (i(2, 3), i(3, 4))),
    (lambda x, y: x @ y, (d(3, 4), d(2, 4, 5))),
    (lambda x, y: x @ y, (d(2, 3, 4), d(2, 4, 5))),
    (lambda x, y: x @ y, (d(2, 1, 3, 4), d(5, 4, 2))),
    (lambda x: np.sort(x), (i(9, t="i1"),)),
    (lambda x: np.sort(x), (np.array([1, np.nan, -0.0, -np.inf, 0.5, np.nan], "f4"),)),
    (lambda x: (np.sort(x, axis=0), np.argsort(x, kind="stable")), (i(4, 5),)),
    (lambda x, y: x + y, (f(3, 1), f(4))),
    (lambda x, y: x + y, (f(3, 1), f(1, 4))),
    (lambda x, y: x * y, (f(2, 3, 4), f(3, 1))),
    (lambda x, y: x - y, (f(3), i(3))),
    (lambda x, y: x + y, (i(3), np.float32(2))),
    (lambda x, y: x + y, (i(3, t="i8"), np.abs(i(3)).astype("u8"))),
    (lambda x: x.sum(), (i(3),)),
    (lambda x: x.sum(axis=0), (i(3, 4),)),
    (lambda x: x.sum(axis=1), (f(3, 4),)),
    (lambda x: x.sum(axis=(0, 2)), (d(2, 3, 4),)),
    (lambda x: x.sum(axis=-1, keepdims=True), (d(3, 4),)),
    (lambda x: x.sum(), (i(3) > 0,)),
    (lambda x: x.sum(), (f(3).astype("f2"),)),
    (lambda x: x.mean(), (i(5),)),
    (lambda x: x.mean(0), (f(3, 4),)),
    (lambda x: x.std(), (d(5),)),
    (lambda x: x.var(1), (d(3, 5),)),
    (lambda x: x.prod(), (i(3),)),
    (lambda x: x.min(), (f(5),)),
    (lambda x: x.max(1), (i(3, 4),)),
    (lambda x: x.argmin(), (f(5),)),
    (lambda x: x.argmax(1), (f(3, 4),)),
    (lambda x: x.argmax(), (f(3, 4),)),
    (lambda x: x.any(), (f(3) > 0,)),
    (lambda x: x.all(0), (f(3, 2) > 0,)),
    (lambda x: x.cumsum(), (i(5),)),
    (lambda x: x.cumsum(0), (d(3, 4),)),
    (lambda x: x.cumsum(1), (d(3, 4),)),
    (lambda x: x.cumprod(), (d(4),)),
    (lambda x: np.cumsum(x), (d(2, 3),)),
    (lambda x: x[1], (f(4),)),
    (lambda x: x[-1], (f(4),)),
    (lambda x: x[1:3], (f(4),)),
    (lambda x: x[:-1], (f(4),)),
    (lambda x: x[::2], (f(5),)),
    (lambda x: x[::-1], (f(5),)),
    (lambda x: x[-3:], (f(5),)),
    (lambda x: x[1:-1, ::2], (f(5, 6),)),
    (lambda x: x[..., 0], (f(3, 4),)),
    (lambda x: x[:, None], (f(3),)),
    (lambda x: x[None], (f(3),)),
    (lambda x: x[:, None, :], (f(3, 4),)),
    (lambda x: x[:, :, None], (f(3, 4),)),
    (lambda x: x[0, 1], (f(3, 4),)),
    (lambda x: x[4::-2], (f(5),)),
    (lambda x, j: x[j], (f(4), np.array([0, 3, -1]))),
    (lambda x, j: x[j], (f(4, 3), np.array([[0, 3], [1, -1]]))),
    (lambda x, j, k: x[j, k], (f(4, 3), np.array([0, 3]), np.array([1, 2]))),
    (lambda x, j: x[:, j], (f(4, 3), np.array([0, 2, 1, 1]))),
    (lambda x, j: x[j, 1:], (f(4, 3), np.array([0, 2, 1, 1]))),
    (lambda x, j: x[1:, j], (f(4, 3), np.array([0, 2, 1, 1]))),
    (lambda x: x[[0, 2]], (f(4),)),
    (lambda x, j: x[j], (f(4), np.array([1, 2], "u1"))),
    (lambda x, j: x[j], (f(4), 2)),
    (lambda x, j: x[j], (f(4, 3), -2)),
    (lambda x: x[x > 0], (f(9),)),
    (lambda x, m: x[m], (f(4, 3), np.array([1, 0, 1, 1], bool))),
    (lambda x: x[x > 0], (f(4, 3),)),
    (lambda x: x.T, (f(2, 3),)),
    (lambda x: x.transpose(1, 2, 0), (f(2, 3, 4),)),
    (lambda x: x.reshape(6), (f(2, 3),)),
    (lambda x: x.reshape(-1, 2), (f(2, 4),)),
    (lambda x: x.reshape(x.shape[1], x.shape[0]), (f(2, 3),)),
    (lambda x: x.ravel(), (f(2, 3),)),
    (lambda x: x.T.ravel(), (f(2, 3),)),
    (lambda x: np.where(x > 0, x, 0), (f(5),)),
    (lambda x: np.where(x > 0, 1, 2), (f(5),)),
    (lambda x: np.exp(x), (i(3, t="i1"),)),
    (lambda x: np.sqrt(np.abs(x)), (i(3),)),
    (lambda x: np.clip(x, -1, 1), (f(5),)),
    (lambda x: x.clip(0), (f(5),)),
    (lambda x, y: np.minimum(x, y), (f(5), f(5))),
    (lambda x: np.maximum(x, np.nan), (f(5),)),
    (lambda x: np.sign(x), (f(5),)),
    (lambda x: np.floor(x), (f(5),)),
    (lambda x: np.round(x), (d(5),)),
    (lambda x: np.concatenate([x, x + 1]), (f(5),)),
    (lambda x, y: np.concatenate([x, y], axis=1), (f(2, 3), f(2, 2))),
    (lambda x, y: np.stack([x, y]), (f(3), f(3))),
    (lambda x, y: np.stack([x, y], axis=1), (f(3), f(3))),
    (lambda x: np.flip(x), (f(3, 2),)),
    (lambda x: np.diff(x), (f(5),)),
    (lambda x: np.roll(x, 2), (f(5),)),
    (lambda x, y: np.outer(x, y), (f(2), f(3))),
    (lambda x, y: np.einsum("ij,jk->ik", x, y), (d(3, 4), d(4, 2))),
    (lambda x, y: np.einsum("bij, bj -> bi", x, y), (d(2, 3, 4), d(2, 4))),
    (lambda x, y, z: np.einsum("i,ij,j->", x, y, z), (d(3), d(3, 4), d(4))),
    (lambda x, y: np.einsum("i,j", x, y), (d(3), i(2))),
    (lambda x: np.einsum("kji", x), (d(2, 3, 4),)),
    (lambda x: np.linalg.norm(x), (d(3, 4),)),
    (lambda x: np.linalg.norm(x, axis=1, keepdims=True), (f(3, 4),)),
    (lambda x, y: np.dot(x, y), (f(2), f(2))),
    (lambda x: np.tril(x), (f(3, 3),)),
    (lambda x: np.expand_dims(x, 1), (f(3, 3),)),
    (lambda x: np.squeeze(x), (f(3, 1, 2),)),
    (lambda x: np.broadcast_to(x, (2, 3)), (f(3),)),
    (lambda x: np.zeros_like(x), (f(3),)),
    (lambda x: np.full_like(x, 2), (f(3),)),
    (lambda x: np.mean(x), (f(3),)),
    (lambda x: np.max(x, axis=0), (f(3, 2),)),
    (lambda x: np.logical_and(x > 0, x < 1), (f(3),)),
    (lambda x: (x > 0) | (x < -1), (f(5),)),
    (lambda x: x << 2, (i(4),)),
    (lambda x: np.hypot(x, 2), (f(4),)),
    (lambda x: np.add.reduce(x), (f(4),)),
    (lambda x, y: np.add.outer(x, y), (f(4), f(2))),
    (lambda x: np.trace(x), (f(4, 4),)),
    (lambda x: np.isnan(x), (f(4),)),
    (lambda x: x == x, (f(4),)),
    (lambda x: 3 - x, (i(4, t="u1"),)),
    (lambda x: x.shape[0] * x, (f(4),)),
    (lambda x: x / x.shape[0], (f(4),)),
    (lambda x: x.size + 0, (f(4, 2),)),
    (lambda x: 1 / x.shape[0], (f(4, 2),)),
    (lambda x: x.astype("i4"), (f(4),)),
    (lambda x: np.divmod(x, 2), (i(4),)),
    (lambda x: np.expm1(x), (f(4),)),
    (lambda x: np.take(x, [1, 0], axis=1), (f(4, 2),)),
    (lambda x: np.moveaxis(x, 0, 2), (f(4, 2, 3),)),
    (lambda x: np.vstack([x, x]), (f(3),)),
    (lambda x: np.hstack([x, x]), (f(3),)),
    (lambda x: np.square(x), (i(3),)),
    (lambda x: np.count_nonzero(x > 0), (f(6),)),
    (lambda x: np.average(x, weights=x), (f(6),)),
    (lambda x: np.linspace(x, 1, 3), (np.float64(0.5),)),
    (lambda x: (x, x + 1), (f(2),)),
    (lambda x: {"a": x, "b": [x, 1]}, (f(2),)),
    (lambda x: x.sum() > 1, (f(2),)),
    (lambda x: np.logaddexp(x, 1), (d(4),)),
    (lambda x: x >= 0, (np.abs(i(3)).astype("u8"),)),
    (lambda x, y: x < y, (i(5, t="i8"), np.abs(i(5)).astype("u8"))),
    (lambda x: x.argmin(0), (f(3, 4),)),
    (lambda x: np.heaviside(x, 0.5), (f(4),)),
    (lambda x: np.float32(3) * x, (f(4),)),
    (lambda x: np.float64(3) * x, (f(4),)),
    (lambda x: True + x, (i(4),)),
    (lambda x: x * True, (f(4) > 0,)),
    (lambda x: x + x, (f(4) > 0,)),
    (lambda x: x[fm.arange(-2, 2) + fm.arange(4) // 2], (f(5),)),
    (lambda x: np.roll(x, 4), (f(2, 3),)),
    (lambda x: np.roll(x, (1, -2), axis=(0, 1)), (f(3, 4),)),
    (lambda x: (np.repeat(x, 2), np.repeat(x, 3, axis=1)), (f(2, 3),)),
    (lambda x: (np.tile(x, 2), np.tile(x, (2, 1, 3))), (f(2, 3),)),
    (lambda x: (np.rot90(x), np.rot90(x, -1), np.rot90(x, 2, (1, 2))), (f(2, 3, 4),)),
    (lambda x: (np.pad(x, 2), np.pad(x, ((1, 0), (0, 2)), constant_values=7)), (i(2, 3),)),
    (lambda x: [np.pad(x, (3, 5), m) for m in ("edge", "wrap", "symmetric", "reflect")], (f(3),)),
    (lambda x, y: [np.convolve(x, y, m) for m in ("full", "same", "valid")], (d(7), d(4))),
    (lambda x, y: [np.convolve(x, y, m) for m in ("full", "same", "valid")], (f(3), f(8))),
    (lambda x, y: [np.correlate(x, y, m) for m in ("full", "same", "valid")], (d(7), d(3))),
    (lambda x, y: [np.correlate(x, y, m) for m in ("full", "same", "valid")], (d(4), d(7))),
    (lambda x: (np.gradient(x), np.gradient(x, 0.5, axis=1)), (d(4, 5),)),
    (lambda x: np.gradient(x), (i(6),)),
    (lambda x: (np.median(x), np.median(x, axis=1), np.median(x, 0, keepdims=True)), (f(3, 4),)),
    (lambda x: np.median(x), (i(5),)),
    (lambda x: np.median(x, axis=1), (np.array([[1, np.nan, 2], [1, 3, 2]]),)),
    (lambda x: np.ptp(x, axis=0), (f(3, 4),)),
    (
        lambda x, v: (np.searchsorted(x, v), np.searchsorted(x, v, "right")),
        (np.array([-1, 0, 0, 2, np.nan]), np.array([[-2, -1, 0], [1, 3, np.nan]])),
    ),
    (lambda x, v: np.digitize(v, x), (np.array([0, 2, 2, 5]), i(9))),
    (lambda x, y, v: np.interp(v, x, y), (np.sort(f(6)), f(6), np.append(d(9), 3))),
    (lambda x, y, v: np.interp(v, x, y, -1, 1), (d(1), d(1), np.array([-3.0, 3.0]))),
    (lambda x: np.isclose(x, x + 1e-9), (d(3),)),
    (lambda x, y: np.isclose(x, y, equal_nan=True), (np.array([np.inf, np.nan, 1]),) * 2),
    (lambda x: np.where(np.allclose(x, x) & np.array_equal(x, x), x, 0), (d(3),)),
    (
        lambda x, y: [np.where(np.array_equal(a, b), 1, 0) for a in (x, y, x[:1]) for b in (x, y)],
        (f(3) * 0, f(4) * 0),
    ),
    (lambda x: np.select([x > 1, x > 0], [x, x * x], -1), (f(9),)),
    (
        lambda x: (np.nansum(x), np.nanmin(x, 0), np.nanmax(x, 1), np.nanmean(x, axis=0)),
        (np.array([[1, np.nan], [2, 3], [np.nan, 5]], "f4"),),
    ),
    (lambda x, y: np.meshgrid(x, y), (f(3), i(2))),
    (lambda x, y, z: np.meshgrid(x, y, z, indexing="ij"), (f(3), i(2), f(4))),
    (lambda x, y: np.cross(x, y), (d(4, 3), d(3))),
    (lambda x, y: (np.kron(x, y), np.kron(x[0], y[0])), (f(2, 3), f(3, 2))),
    (lambda x: np.mean(x, axis=(0, 1)), (f(3, 2, 2),)),
]


def leaves(x: Any) -> Iterator[Any]:
    if isinstance(x, tuple | list):
        for y in x:
            yield from leaves(y)
    elif isinstance(x, dict):
        yield from leaves(list(x.values()))
    else:
        yield x


def numpys(g: Callable[..., Any], args: tuple[Any, ...]) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(leaves(g(*args)))


def agree(want: list[Any], got: list[Any]) -> None:
    for a, b in zip(want, got, strict=True):
        assert isinstance(a, np.ndarray) or type(a) is type(b)
        x, y = np.asarray(a), np.asarray(b)
        assert x.dtype == y.dtype
        assert x.shape == y.shape
        loose = 1e-3 if x.dtype == np.float16 else 1e-5
        np.testing.assert_allclose(x, y, rtol=loose, atol=1e-5)


@pytest.mark.parametrize("k", sampled(range(len(CASES)), 3))
def test_the_interpreter_gives_numpys_answer(k: int) -> None:
    """Protects rule 1: values, types (NEP 50), shapes, scalars that stay Python's."""
    g, args = CASES[k]
    agree(numpys(g, args), list(leaves(fm.jit(g).interpret(*args))))


@pytest.mark.parametrize("engine", ["value", "heap", "imp", "c"])
@pytest.mark.parametrize("k", sampled(range(len(CASES)), 0, slow=90))
def test_each_engine_gives_numpys_answer(k: int, engine: str) -> None:
    """Protects what lies between Core and the engines for each operation of the tracer."""
    g, args = CASES[k]
    with fm.using(via=engine):
        agree(numpys(g, args), list(leaves(fm.jit(g)(*args))))
