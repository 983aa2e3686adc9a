"""``fm.library``: entry points of other programs as definitions in traced functions."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import funmem as fm

LIBRARY = """\
def twice (x: f32) = x * 2

def first 't [n] (xs: [n]t) = xs[0]

entry scaled [n] (xs: [n]f32) : [n]f32 = map twice xs

entry product [n] (xs: [n]f32) (ys: [n]f32) : f32 = reduce (+) 0 (map2 (*) xs ys)

entry evens [n] (xs: [n]i64) : []i64 = filter (\\x -> x % 2 == 0) xs

entry both [n] (xs: [n]f32) (k: i64) : ([n]f32, f32) = (map (+ f32.i64 k) xs, twice (first xs))
"""


@pytest.fixture
def lib(tmp_path: Path) -> Any:
    path = tmp_path / "lib.fut"
    path.write_text(LIBRARY)
    return fm.library(path)


XS = np.arange(1, 5, dtype=np.float32)


def test_a_definition_is_shared_in_a_trace(lib: Any) -> None:
    """Two calls are two uses of one definition; its result has the caller's size."""

    def twice(x):  # type: ignore[no-untyped-def]  # `x` is traced
        return lib.scaled(x) + 1, lib.scaled(x * 3), lib.product(x, x)

    f = fm.jit(twice)
    low = f.lower(fm.f32["n"])
    assert low.core.count("def scaled_1 ") == 1  # `scaled` is the definition of the program
    assert low.shared == {"scaled_1": 2, "product_1": 1}
    assert low.signature == "(x: f32[n]) -> (f32[n], f32[n], f32)"
    with fm.using(via="value"):
        a, b, c = f(XS)
    np.testing.assert_array_equal(a, XS * 2 + 1)
    np.testing.assert_array_equal(b, XS * 6)
    assert c == 30


def test_results_with_unknown_sizes_and_tuples(lib: Any) -> None:
    f = fm.jit(lambda xs, ys: (lib.evens(xs) + 1, *lib.both(ys, 3)))
    with fm.using(via="value"):
        a, b, c = f(np.arange(6), XS)
    np.testing.assert_array_equal(a, [1, 3, 5])
    np.testing.assert_array_equal(b, XS + 3)
    assert c == 2


def test_it_is_called_outside_of_a_trace_too(lib: Any) -> None:
    with fm.using(via="value"):
        np.testing.assert_array_equal(lib.scaled(XS), XS * 2)
        with pytest.raises(fm.Trap, match="shape mismatch"):
            lib.product(XS, XS[1:])


def test_what_is_wrong_is_said(lib: Any, tmp_path: Path) -> None:
    with pytest.raises(AttributeError, match="no entry point `nothing`"):
        lib.nothing  # noqa: B018
    with pytest.raises(fm.SourceError, match="expected f32"), fm.using(via="value"):
        fm.jit(lambda x: lib.scaled(x))(np.arange(3))
    with pytest.raises(TypeError, match="takes 2 arguments, not 1"), fm.using(via="value"):
        fm.jit(lambda x: lib.product(x))(XS)
    (tmp_path / "p.fun").write_text("entry main (x : i32) -> (x_1 : i32) = in (x)")
    with pytest.raises(fm.UsageError, match="has no Core"):
        fm.library(tmp_path / "p.fun")


RECORDS = """
type point = {x: f32, y: f32}
entry far [n] (ps: [n]point) : {at: point, k: i64} = {at = ps[n - 1], k = n}
entry moved [n] (ps: [n]point) (by: (f32, f32)) : [n]point =
  map (\\p -> {x = p.x + by.0, y = p.y + by.1}) ps
entry named (s: #a i32 | #b) : i32 = match s case #a k -> k case #b -> 0
"""


@dataclass
class Points:
    y: Any
    x: Any


def test_records_are_trees(tmp_path: Path) -> None:
    """Finds fields that are taken in the caller's order, and sizes that records lose."""
    (tmp_path / "points.fut").write_text(RECORDS)
    lib = fm.library(tmp_path / "points.fut")
    f = fm.jit(lambda ps: lib.far(lib.moved(ps, (1.0, 2.0))))
    assert f.lower(Points(fm.f32["n"], fm.f32["n"])).shared == {"moved_1": 1, "far_1": 1}
    low = fm.jit(lambda ps: lib.moved(ps, (1.0, 2.0))).lower({"x": fm.f32["n"], "y": fm.f32["n"]})
    assert low.signature.endswith("-> {x: f32[n], y: f32[n]}")
    assert f.interpret(Points(XS * 2, XS)) == {"at": {"x": 5.0, "y": 10.0}, "k": 4}
    with fm.using(via="value"):
        assert f(Points(XS * 2, XS)) == {"at": {"x": 5.0, "y": 10.0}, "k": 4}
    for args, wrong in (
        ((XS,), "the parameter `ps` of `far`: expected a record of x, y, got f32"),
        (({"x": XS},), "expected a record of x, y, got one of x"),
    ):
        with pytest.raises(fm.SourceError, match=wrong):
            lib.far(*args)
    with pytest.raises(fm.SourceError, match="has a part that is no number, array or record"):
        lib.named(1)
