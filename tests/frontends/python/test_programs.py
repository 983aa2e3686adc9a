"""The programs of ``examples/jit``: compared with numpy, and bit by bit with the interpreter."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from math import erf
from typing import Any

import numpy as np
import pytest

import funmem as fm
from funmem.ir.text import parse_fun
from tests.support.paths import ROOT
from tests.support.sampling import sampled

ENGINES = ("value", "heap", "imp", "c", "opencl")


@cache
def example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(
        f"examples_jit_{name}", ROOT / "examples" / "jit" / f"{name}.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def floats(n: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).uniform(-2, 2, n).astype(np.float32)


def bodies(n: int) -> Any:
    return example("n_body").Bodies(floats(n, 1), floats(n, 2), np.abs(floats(n, 3)))


def numpy_forces(b: Any) -> Any:
    dx, dy = b.x - b.x[:, None], b.y - b.y[:, None]
    w = b.m / (dx * dx + dy * dy + np.float32(0.01)) ** 1.5
    return (w * dx).sum(1), (w * dy).sum(1)


def numpy_blur(a: Any) -> Any:
    out = a.copy()
    out[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3.0
    return out


def numpy_row(re: Any, ci: float, depth: int) -> Any:
    counts = []
    for cr in re:
        a = b = np.float32(0)
        i = 0
        while a * a + b * b <= 4 and i < depth:
            a, b = a * a - b * b + cr, np.float32(2) * a * b + np.float32(ci)
            i += 1
        counts.append(i)
    return np.array(counts, np.int32)


def numpy_call_price(price: Any, strike: float, years: float, rate: float, vol: float) -> Any:
    normal = np.vectorize(lambda x: (1 + erf(x / 2**0.5)) / 2)
    deviation = vol * years**0.5
    d1 = (np.log(price / strike) + (rate + vol**2 / 2) * years) / deviation
    return price * normal(d1) - strike * np.exp(-rate * years) * normal(d1 - deviation)


def numpy_fft(re: Any, im: Any) -> Any:
    found = np.fft.fft(re + 1j * im)
    return found.real, found.imag


def numpy_put(n: int, spot: float, strike: float, rate: float, vol: float, years: float) -> Any:
    width = vol * (years / n) ** 0.5
    up, growth = np.exp(width), np.exp(rate * years / n)
    p = (growth - 1 / up) / (up - 1 / up)

    def price(i: int, k: int) -> float:
        now = strike - spot * np.exp(width * (2 * k - i))
        later = (p * tree[i + 1, k + 1] + (1 - p) * tree[i + 1, k]) / growth if i < n else 0.0
        return max(now, later)

    tree: dict[tuple[int, int], float] = {}
    for i in range(n, -1, -1):
        tree |= {(i, k): price(i, k) for k in range(i + 1)}
    return np.float64(tree[0, 0])


def squares(xs: Any) -> Any:
    return sum(y * y + 1 for y in (xs, xs + 1, 2 * xs))


MATRIX = floats(12).reshape(3, 4), floats(20).reshape(4, 5)

PROGRAMS: dict[str, tuple[str, str, tuple[Any, ...], Callable[..., Any], bool]] = {
    "saxpy": ("saxpy", "saxpy", (2.0, floats(7), floats(7, 1)), lambda a, x, y: a * x + y, True),
    "dot": ("dot", "dot", (floats(9), floats(9, 1)), lambda x, y: (x * y).sum(), False),
    "matmul": ("matmul", "matmul", MATRIX, lambda a, b: a @ b, False),
    "product": ("matmul", "product", MATRIX, lambda a, b: a @ b, False),
    "black-scholes": (
        *("black_scholes", "call_price"),
        (np.linspace(80, 120, 9, dtype=np.float32), 100.0, 1.0, 0.05, 0.2),
        *(numpy_call_price, False),
    ),
    "sort": (
        *("radix_sort", "sort"),
        (np.random.default_rng(0).integers(0, 2**32, 20).astype(np.uint32),),
        *(np.sort, True),
    ),
    "mandelbrot": (
        *("mandelbrot", "row"),
        (np.linspace(-2, 1, 8, dtype=np.float32), 0.3, 12),
        *(numpy_row, True),
    ),
    "n-body": ("n_body", "forces", (bodies(6),), numpy_forces, False),
    "stencil": ("stencil", "blur", (floats(9),), numpy_blur, True),
    "histogram": (
        *("histogram", "histogram"),
        (np.random.default_rng(1).uniform(0, 1, 30), 5),
        *(lambda xs, bins: np.histogram(xs, bins, (0, 1))[0], True),
    ),
    "filter": ("positive", "positive", (floats(12),), lambda xs: xs[xs > 0], True),
    "convolve": ("convolve", "convolve", (floats(5), floats(3, 1)), np.convolve, False),
    "correlate": (
        *("convolve", "correlate"),
        (floats(5), floats(3, 1)),
        *(lambda a, b: np.correlate(a, b, "valid"), False),
    ),
    "fft": ("fft", "fft", (np.arange(8.0), np.arange(8.0) ** 2), numpy_fft, False),
    "american-option": (
        *("american_option", "put"),
        (20, 100.0, 110.0, 0.05, 0.3, 1.0),
        *(numpy_put, False),
    ),
    "shared": ("thrice", "thrice", (floats(6),), squares, True),
    "raw": ("raw", "clamped", (floats(6),), lambda xs: np.clip(xs, 0, 1), True),
    "raw-kernel": (
        *("raw", "mirrored"),
        (floats(6),),
        *(lambda xs: np.concatenate([xs, (xs * xs)[::-1]]), True),
    ),
}
"""Name -> file, function, arguments, numpy's program, whether all engines give the same bits."""


def same_bits(a: Any, b: Any) -> None:
    for x, y in zip(*(v if isinstance(v, tuple) else (v,) for v in (a, b)), strict=True):
        x, y = np.asarray(x), np.asarray(y)
        assert x.dtype == y.dtype
        assert x.shape == y.shape
        assert x.tobytes() == y.tobytes()


def close(a: Any, b: Any, same_type: bool = True) -> None:
    for x, y in zip(*(v if isinstance(v, tuple) else (v,) for v in (a, b)), strict=True):
        x, y = np.asarray(x), np.asarray(y)
        assert x.dtype == y.dtype or not same_type
        assert x.shape == y.shape
        np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_interpreter_gives_numpys_answer(name: str) -> None:
    """Protects numpy's values and types through the tracer, without any pass."""
    file, function, args, expected, _ = PROGRAMS[name]
    f = getattr(example(file), function)
    close(f.interpret(*args), expected(*args), same_type=name not in ("black-scholes",))


@pytest.mark.parametrize("name", sampled(PROGRAMS, 3))
def test_fun_gives_the_interpreters_answer(name: str) -> None:
    """Protects the way from Core to FUN, whose text is a valid program."""
    file, function, args, _, exact = PROGRAMS[name]
    f = getattr(example(file), function)
    fm.check(parse_fun(f.lower(*args).fun, name))
    with fm.using(via="value"):
        (same_bits if exact else close)(f(*args), f.interpret(*args))


@pytest.mark.parametrize("engine", sampled(ENGINES, 0, slow=12))
@pytest.mark.parametrize("name", PROGRAMS)
def test_each_engine_gives_the_interpreters_answer(name: str, engine: str) -> None:
    """Protects the whole way, bit by bit where sums have one order."""
    file, function, args, _, exact = PROGRAMS[name]
    f = getattr(example(file), function)
    with fm.using(via=engine):
        (same_bits if exact else close)(f(*args), f.interpret(*args))


def test_a_shared_function_is_one_definition() -> None:
    """Protects lambda-sharing: three calls in the trace are one definition in Core."""
    low = example("thrice").thrice.lower(fm.f32["n"])
    assert low.shared == {"square": 3}
    assert low.core.count("def ") == 1


def test_a_chain_of_matrices_is_multiplied_in_the_cheapest_order() -> None:
    """Constant sizes are Python integers in the trace: the specialised variant has less work."""
    module = example("matrix_chain")
    low = module.specialised(2, 9, 3, 7, 1)
    assert low.signature == "(a: f32[2, 9], b: f32[9, 3], c: f32[3, 7], d: f32[7, 1]) -> f32[2, 1]"
    matrices = [floats(n * m, n).reshape(n, m) for n, m in ((2, 9), (9, 3), (3, 7), (7, 1))]
    want = np.linalg.multi_dot(matrices)
    close(low.compile(via="value")(*matrices), want)
    close(module.chain.interpret(*matrices), want)
    assert low.core != module.chain.lower(*matrices).core
    with pytest.raises(fm.InputError, match=r"expected f32\[2, 9\], got f32\[9, 2\]"):
        low.compile(via="value")(matrices[0].T.copy(), *matrices[1:])
