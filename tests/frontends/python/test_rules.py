"""The rules of traced functions: what is traced when, what a function sees outside, what it is."""

import gc
import pickle
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pytest

import funmem as fm
from funmem.frontends.python.guards import Guard
from funmem.frontends.python.trace import Tracer
from tests.support.paths import ROOT

N = TypeVar("N")
scale = 2.0
table = np.array([10.0, 20.0, 30.0])
settings = {"k": 2}


def floats(*values: float) -> Any:
    return np.array(values, np.float32)


@pytest.fixture(autouse=True)
def _by_value() -> Any:
    with fm.using(via="value"):
        yield


# ---------------------------------------------------------------------- rule 2: keys


def test_lengths_are_no_reason_to_trace_again() -> None:
    """One trace serves 100 lengths."""
    f = fm.jit(lambda x, y: x * y + 1)
    for n in range(2, 102):
        assert f(np.ones(n), np.ones(n)).shape == (n,)
    assert f.cache_info() == (1, 99)


def test_types_ranks_and_dimensions_of_size_1_are() -> None:
    """Each is a variant; a dimension of size 1 broadcasts."""
    f = fm.jit(lambda x, y: x + y)
    f(np.ones(3), np.ones(3))
    f(np.ones(3, np.float32), np.ones(3))
    f(np.ones((2, 3)), np.ones(3))
    assert f(np.ones(1), np.ones(3)).shape == (3,)
    assert f.cache_info().traces == 4


def test_a_size_in_an_annotation_does_not_broadcast() -> None:
    """``fm.f64["n"]`` is any length, 1 included, in one trace."""
    f = fm.jit(_twice)
    assert f(np.ones(1)).shape == (1,)
    assert f(np.ones(5)).shape == (5,)
    assert f.cache_info().traces == 1
    assert f(np.ones(2, np.float32)).dtype == np.float64
    with pytest.raises(fm.InputError, match=r"argument 1 \(`x`\): expected f32\[n\], got f64\[2\]"):
        fm.jit(_narrow)(np.ones(2))


def _twice(x: fm.f64["n"]) -> Any:
    return x + x


def _narrow(x: fm.f32["n"]) -> Any:
    return x


def test_static_values_are_part_of_the_program() -> None:
    """A static argument is a Python value in the trace; another value is another variant."""
    f = fm.jit(lambda x, n: [x + k for k in range(n)][-1], static="n")
    assert f(1, 3) == 3
    assert f(1, n=4) == 4
    assert f.cache_info().traces == 2


# ---------------------------------------------------------------------- rule 3: guards


def test_a_number_outside_is_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed global is seen, and a variant is found again when it changes back."""
    f = fm.jit(lambda x: x * scale)
    assert f(3.0) == 6.0
    monkeypatch.setitem(globals(), "scale", 5.0)
    assert f(3.0) == 15.0
    monkeypatch.setitem(globals(), "scale", 2.0)
    assert f(3.0) == 6.0
    assert f.cache_info() == (2, 1)


def test_a_guard_that_forgets_a_global_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A seeded bug: the test above fails if guards of numbers always hold."""
    real = Guard.holds
    forgetful = lambda g: isinstance(g.value, float) or real(g)  # noqa: E731
    monkeypatch.setattr(Guard, "holds", forgetful)
    with pytest.raises(AssertionError):
        test_a_number_outside_is_guarded(monkeypatch)


def test_a_number_in_a_cell_is_guarded() -> None:
    """The same for a local variable of an enclosing function."""
    n = 1

    def set_n(k: int) -> None:
        nonlocal n
        n = k

    f = fm.jit(lambda x: x + n)
    assert f(1) == 2
    set_n(10)
    assert f(1) == 11


def test_an_array_outside_is_a_hidden_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its elements and its length are seen at every call, without another trace."""
    f = fm.jit(lambda i: table[i])
    at = np.array([0, -1])
    assert list(f(at)) == [10.0, 30.0]
    monkeypatch.setitem(globals(), "table", np.array([1.0, 2.0, 3.0, 4.0]))
    assert list(f(at)) == [1.0, 4.0]
    table[0] = 7.0
    assert list(f(at)) == [7.0, 4.0]
    assert f.cache_info().traces == 1


def test_a_changed_dict_and_a_changed_helper_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a helper finds is guarded as well."""
    f = fm.jit(lambda x: _helper(x))
    assert f(1) == 3
    monkeypatch.setitem(settings, "k", 5)
    assert f(1) == 6
    monkeypatch.setitem(globals(), "_helper", lambda x: -x)
    assert f(1) == -1


def _helper(x: Any) -> Any:
    return x + settings["k"]


def test_a_traced_function_cannot_assign_to_a_variable_outside() -> None:
    """Its copy would be changed, and only once: the error names the variable."""
    count = 0

    def f(x: Any) -> Any:
        nonlocal count
        count += 1
        return x

    with pytest.raises(fm.SourceError, match="assigns to `count`, which is outside of it"):
        fm.jit(f)(1)

    def g(x: Any) -> Any:
        total = 0

        def add(y: Any) -> None:
            nonlocal total
            total = total + y

        add(x)
        add(x)
        return total

    assert fm.jit(g)(2) == 4


# ---------------------------------------------------------------------- rule 1: weak numbers


def test_python_numbers_and_sizes_are_weak() -> None:
    """They take the other operand's type; alone they stay Python's."""
    x = floats(1, 2)
    assert fm.jit(lambda x, a: a * x)(x, 2.0).dtype == np.float32
    assert fm.jit(lambda x: x * x.shape[0])(x).dtype == np.float32
    assert type(fm.jit(lambda x: x.shape[0] + 1)(x)) is int
    assert type(fm.jit(lambda x: x.sum())(x)) is np.float32


# ---------------------------------------------------------------------- sizes


def test_sizes_are_polynomials() -> None:
    """Sums and products of sizes are known where they are computed, and in the signature."""
    f = fm.jit(lambda x: np.concatenate([x, x])[:-1])
    assert f.lower(fm.f32["n"]).signature == "(x: f32[n]) -> f32[2*n - 1]"
    g = fm.jit(lambda a, b: a @ b)
    assert g.lower(fm.f32["n", "k"], fm.f32["k", 3]).signature == (
        "(a: f32[n, k], b: f32[k, 3]) -> f32[n, 3]"
    )


def test_sizes_that_differ_by_a_constant_are_compared_in_the_trace() -> None:
    """``x.shape == x.shape`` is true there; whether n is m is not known."""
    f = fm.jit(lambda x: x + 1 if x.shape == x[1:].shape or x[0] is None else x - 1)
    assert f(floats(1, 2)).tolist() == [0, 1]
    with pytest.raises(fm.SourceError, match="traced-bool"):
        fm.jit(lambda x, y: x if x.shape == y.shape else y)(floats(1, 2), floats(1, 2))


def test_a_filter_returns_an_unknown_size_with_a_bound() -> None:
    """``k <= n``."""
    low = fm.jit(lambda xs: xs[xs > 0]).lower(fm.f32["n"])
    assert low.signature == "(xs: f32[n]) -> f32[k]"
    assert low.bounds == {"k": "n"}


def test_type_variables_are_sizes() -> None:
    """``TypeVar`` now, ``def f[n](…)`` in Python 3.12."""

    def f(x: fm.f32[N], y: fm.f32[N]) -> Any:
        return x + y

    assert fm.jit(f).lower().signature == "(x: f32[N], y: f32[N]) -> f32[N]"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax of type parameters is newer")
def test_type_parameters_are_sizes() -> None:
    """``def f[n](x: fm.f32[n])``."""
    names: dict[str, Any] = {"fm": fm}
    exec("def f[n](x: fm.f32[n], y: fm.f32[n]): return x + y", names)
    assert fm.jit(names["f"]).lower().signature == "(x: f32[n], y: f32[n]) -> f32[n]"


# ---------------------------------------------------------------------- trees


@dataclass
class Point:
    x: Any
    y: Any


def test_trees_are_arguments_and_results() -> None:
    """Dataclasses, dicts and tuples come back as what the function returned."""
    f = fm.jit(lambda p, d: (Point(p.y, p.x), {"s": d["a"] + d["b"]}, [1, p.x]))
    point, sums, pair = f(Point(floats(1), floats(2)), {"a": 1, "b": 2})
    assert (point.x[0], point.y[0], sums, pair[0]) == (2, 1, {"s": 3}, 1)


# ---------------------------------------------------------------------- calls in a trace

square = fm.jit(lambda x: x * x + 1)


def test_a_function_called_in_a_trace_is_one_definition() -> None:
    """Calls with the same types share it; ``inline`` has none."""
    shared = fm.jit(lambda x: square(x) + square(x + 1)).lower(fm.f32["n"])
    assert shared.shared == {"square": 2}
    assert shared.core.count("def ") == 1
    inlined = fm.jit(lambda x: square.inline(x) + square.inline(x + 1)).lower(fm.f32["n"])
    assert inlined.shared == {}


def test_a_definition_may_use_values_of_its_caller() -> None:
    """They become parameters: definitions have no closures."""

    def f(xs: Any, a: Any) -> Any:
        g = fm.jit(lambda x: x * a + xs[0])
        return fm.map(g, xs) + g(a)

    args = floats(1, 2, 3), np.float32(2)
    assert list(fm.jit(f)(*args)) == [3 + 5, 5 + 5, 7 + 5]


# ---------------------------------------------------------------------- rule 8


def test_functions_are_pickled_by_name() -> None:
    """Another process finds them in their module."""
    assert pickle.loads(pickle.dumps(square)) is square


def test_threads_share_one_trace() -> None:
    """Eight threads that call at once trace once."""
    f = fm.jit(lambda x: x + 1)

    def call(k: int) -> Any:
        with fm.using(via="value"):
            return [f(k) for _ in range(20)]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(call, range(8))) == [[k + 1] * 20 for k in range(8)]
    assert f.cache_info().traces == 1


@pytest.mark.slow
def test_eight_threads_of_a_thousand_calls() -> None:
    """The generated way of a call is shared by threads."""
    f = fm.jit(lambda x, a: (x * a).sum())
    x = np.arange(8.0)

    def call(k: int) -> bool:
        with fm.using(via="c"):
            return all(f(x, k) == 28 * k for _ in range(1000))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(call, range(8)))
    assert f.cache_info().traces == 1


class Scaled:
    factor = 3

    @fm.jit(static=("self",))
    def apply(self, x: Any) -> Any:
        """Return x, scaled."""
        return x * self.factor


def test_a_method_has_a_static_self() -> None:
    """What hides in attributes is part of the program."""
    assert Scaled().apply(2) == 6
    assert Scaled.apply.__doc__ == "Return x, scaled."


def test_a_function_without_source() -> None:
    """``exec`` leaves no source; tracing needs none."""
    names: dict[str, Any] = {}
    exec("def f(x): return x + 1", names)
    assert fm.jit(names["f"])(1) == 2


# ---------------------------------------------------------------------- functions of functions


def test_loops_may_change_types_and_sizes() -> None:
    """The state's types grow until they are stable; a size that changes is read off."""
    f = fm.jit(lambda x: fm.loop(3, lambda i, s: s + x, 0))
    assert f(np.float32(0.5)) == np.float32(1.5)
    g = fm.jit(lambda x: fm.loop(3, lambda i, s: np.concatenate([s, s]), x))
    assert g(floats(1)).shape == (8,)
    h = fm.jit(lambda n: fm.while_loop(lambda k, s: k < n, lambda k, s: (k + 1, s * 2), (0, 1)))
    assert h(10) == (10, 1024)


def test_cond_runs_one_branch() -> None:
    """A trap in the other branch does not happen; sizes may differ."""
    f = fm.jit(lambda x, i: fm.cond(i < x.shape[0], lambda: x[i], lambda: np.float32(-1)))
    assert f(floats(1, 2), 1) == 2
    assert f(floats(1, 2), 5) == -1
    g = fm.jit(lambda x: fm.cond(x[0] > 0, lambda: x, lambda: x[1:]))
    assert g(floats(-1, 2)).shape == (1,)


def test_operators_on_trees() -> None:
    """A reduction and a scan of two values at once; a filter of pairs; a build."""
    both = fm.jit(
        lambda x: fm.reduce(
            lambda a, b: (a[0] + b[0], fm.where(a[1] > b[1], a[1], b[1])), (0, 0), (x, x)
        )
    )
    assert both(np.array([3, 1, 2])) == (6, 3)
    kept = fm.jit(lambda x: fm.filter(lambda p: p[0] > 1, (x, x * 2)))
    assert [list(v) for v in kept(np.array([3, 1, 2]))] == [[3, 2], [6, 4]]
    grid = fm.jit(lambda n: fm.build((n, 2), lambda i, j: 10 * i + j))
    assert grid(2).tolist() == [[0, 1], [10, 11]]


def test_updates_leave_the_array_as_it_was() -> None:
    """``x.at[i].add(v)`` adds twice where an index occurs twice; an index out of bounds traps."""
    x = np.zeros(3)
    f = fm.jit(lambda x, i: x.at[i].add(1.0))
    assert list(f(x, np.array([0, -1, 0]))) == [2, 0, 1]
    assert not x.any()
    with pytest.raises(fm.Trap, match="index 3 is out of bounds"):
        f(x, np.array([3]))


def test_vectorize_broadcasts_and_vmap_maps_over_axes() -> None:
    """A function of scalars on arrays of several ranks; a function of rows over a second axis."""
    clamp = fm.vectorize(lambda x, most: fm.cond(x > most, lambda: most, lambda: x))
    x, most = np.arange(6.0).reshape(2, 3), np.array([[1.0], [4.0]])
    assert clamp(x, most).tolist() == np.minimum(x, most).tolist()
    assert clamp(5.0, 2.0) == 2.0
    sums = fm.vmap(lambda column, k: column.sum() * k, in_axes=(1, None))
    assert sums(x, 2).tolist() == (x.sum(0) * 2).tolist()
    inner = fm.jit(lambda x: clamp(x, 3.0).sum())
    assert inner(x) == 12.0


# ---------------------------------------------------------------------- the fast way of a call


@pytest.mark.slow
def test_the_fast_way_sees_what_the_general_way_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Types, dimensions of size 1, globals, hidden arrays and errors are tested at every call."""
    f = fm.jit(lambda x, i: x * scale + table[i])
    x, i = np.ones(2, np.float32), np.array([1, 0])
    with fm.using(via="c"):
        for _ in range(3):
            assert f(x, i).tolist() == [table[1] + 2, table[0] + 2]
        assert f(np.ones(2), i).dtype == np.float64
        assert f(np.ones(1), i).shape == (2,)
        monkeypatch.setitem(globals(), "scale", 3.0)
        assert f(x, i).tolist() == [table[1] + 3, table[0] + 3]
        monkeypatch.setitem(globals(), "table", np.zeros(5))
        assert f(x, i).tolist() == [3, 3]
        with pytest.raises(fm.Trap, match=r"Index \[5\] out of bounds"):
            f(x, np.array([5, 0]))
        with pytest.raises(fm.Trap, match=r"shape mismatch: \[2\] and \[3\]"):
            f(np.ones(3, np.float32), i)
        assert f(x, i).tolist() == [3, 3]
    assert f.cache_info().traces == 4


def test_a_call_in_c_loads_neither_opencl_nor_algebra() -> None:
    """The start-up time of a first call: what it does not need is not imported."""
    script = """if True:
        import sys
        import numpy as np
        import funmem as fm
        assert not any(m.startswith("funmem.") for m in sys.modules), "import is not lazy"
        f = fm.jit(lambda x: x * x)
        with fm.using(via="c"):
            f(np.ones(3))
        print({"sympy", "click", "pyopencl"} & sys.modules.keys() or "light")
    """
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("light\n", "")


# ---------------------------------------------------------------------- cost


def test_tracing_costs_at_most_30_times_numpy_on_one_element() -> None:
    """1,000 operations in a function without loops; the best of several rounds of each."""
    text = "def f(x, y):\n" + "    x = x * y + y\n" * 500 + "    return x\n"
    names: dict[str, Any] = {}
    exec(text, names)
    f, one = names["f"], np.ones(1, np.float32)
    parameters = fm.jit(f)._parameters
    call = parameters.call((np.ones(2, np.float32),) * 2, {})
    gc.collect()
    numpy, traced = [], []
    for _ in range(12):
        start = time.thread_time()
        f(one, one)
        middle = time.thread_time()
        Tracer(parameters, call).run()
        numpy.append(middle - start)
        traced.append(time.thread_time() - middle)
    assert min(traced) <= 30 * min(numpy)


def test_a_number_out_of_range_of_a_type_is_an_error_as_in_numpy() -> None:
    """Only here: outside of a trace it is numpy's; numpy's own numbers wrap around, as there."""
    with pytest.raises(OverflowError):
        fm.u8(300)
    assert fm.u8(np.int64(300)) == np.int64(300).astype(np.uint8)
    assert fm.u8(2.5) == 2
