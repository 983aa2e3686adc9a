"""Calls: both paths have the same outcome; when a call waits.

The slow path, ``bind``, is the reference: it converts arguments or explains what is wrong.
"""

import array
import ctypes
import gc
import threading
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import funmem
from funmem.codegen.c import compile_c
from funmem.codegen.c_call import ToC, go_text
from funmem.codegen.c_library import CEntryPoint, CLibrary
from funmem.codegen.fast_call import brief, call_text
from funmem.ir.diagnostics import DeviceError, FunmemError, InputError, Trap
from funmem.ir.names import Name
from funmem.ir.text import parse_imp
from tests.support.devices import has_pocl, held, needs_compiler, pocl

pytest.importorskip("pyopencl")
import pyopencl as cl

from funmem.codegen.commands import DeviceCommands
from funmem.codegen.device_array import DeviceArray
from funmem.codegen.device_call import OnDevice, run_text
from funmem.codegen.opencl import compile_imp
from funmem.codegen.program import build
from funmem.codegen.runtime import EntryPoint, Executable
from funmem.driver.compilation import machine_code
from funmem.driver.options import Options

Entry = EntryPoint | CEntryPoint

MIXED = """
entry main [n] [m] (a: f32) (k: i64) (c: u8) (b: bool) (h: f16) (x: [n]f32) (y: [n+n]i32)
  (z: [n][m]f64) : ([n]f32, i64, [n][m]f64, u8, bool, f16, f32) =
  (map2 (\\v w -> if b then a * v else v + f32.i32 w) x (take n y),
   k + n, map (map (+ 1)) z, c + 1, !b, h, a)
"""
AXPY = "entry main [n] (a: f32) (x: [n]f32) (y: [n]f32) : [n]f32 = map2 (\\u v -> a*u + v) x y"
GATHER = "entry main [n] [m] (xs: [n]i64) (is: [m]i64) : [m]i64 = map (\\i -> xs[i]) is"
WRITES = "entry main [n] (x: *[n]f32) : *[n]f32 = x with [0] = 7"

VIAS = [
    pytest.param("c", marks=needs_compiler),
    pytest.param("opencl", marks=pytest.mark.opencl),
]


@cache
def entry(text: str, via: str) -> Entry:
    """The only entry point of a program, for C or for PoCL."""
    imp, _ = machine_code(funmem.parse(text, "fut"), Options(safe=True))
    if via == "c":
        return CLibrary.load(compile_c(imp, "p")).entry()
    if not has_pocl():
        pytest.skip("PoCL is not installed (pip install pocl-binary-distribution)")
    return Executable.load(compile_imp(imp), pocl(), None).entry()


def outcome(call: Callable[[], Any]) -> object:
    """The types, shapes and bytes of the results, or the error."""
    try:
        results = call()
    except FunmemError as error:
        return type(error), str(error)
    every = results if isinstance(results, tuple) else (results,)
    return [
        (x.shape, x.dtype, np.asarray(x).tobytes()) if hasattr(x, "shape") else (type(x), repr(x))
        for x in every
    ]


def f32(n: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.arange(1, n + 1, dtype=np.float32)


# ---------------------------------------------------------------------- two paths, one meaning


def layouts(x: np.ndarray[Any, Any]) -> list[Any]:
    """An array in memory of all sorts, and objects of other kinds with the same elements."""
    unaligned = np.frombuffer(b"x" + x.tobytes(), x.dtype, offset=1).reshape(x.shape)
    fixed = x.copy()
    fixed.flags.writeable = False
    twice = np.repeat(x, 2, axis=0)[::2]
    return [
        x, x, x, fixed, unaligned, twice, np.asfortranarray(x), x[::-1], x.tolist(), memoryview(x),
        x.astype(x.dtype.newbyteorder()), x.astype(np.int8), x.astype(np.float64), x[:0],
        x[..., :0], x[None], np.ma.masked_array(x), x.view(np.recarray), x.astype(str), x.tobytes(),
        None,
    ]  # fmt: skip


SCALARS = [
    0, 1, -1, 2.5, True, False, 255, 256, -129, 1 << 24, (1 << 24) + 1, 1 << 53, 1 << 63, 1 << 200,
    1e39, -0.0, float("inf"), float("nan"), 0.1, 65520, "1", None, [1], 1j,
    *(t(1) for t in (np.int8, np.int32, np.int64, np.uint8, np.uint64, np.longlong)),
    *(t(0.1) for t in (np.float16, np.float32, np.float64, np.longdouble)), np.bool_(True),
    np.array(3), np.array(0.1, "f4"), np.zeros(1), memoryview(np.array(3)),
]  # fmt: skip


@st.composite
def arguments(draw: st.DrawFn) -> list[Any]:
    """Arguments of MIXED: right ones, of which a few are replaced."""
    n, m = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    right: list[Any] = [2.5, 3, 7, True, np.float16(0.5)]
    right += [f32(n), np.arange(2 * n, dtype="i4"), np.ones((n, m))]
    for _ in range(draw(st.integers(0, 2))):
        k = draw(st.integers(0, 7))
        some = SCALARS if k < 5 else layouts(right[k]) if isinstance(right[k], np.ndarray) else [0]
        right[k] = some[draw(st.integers(0, len(some) - 1))]
    return right[: draw(st.sampled_from([8, 8, 8, 8, 8, 7]))]


@pytest.mark.parametrize("via", VIAS)
@settings(max_examples=40)
@given(args=arguments())
def test_both_paths_have_the_same_outcome(via: str, args: list[Any]) -> None:
    e = entry(MIXED, via)
    assert outcome(lambda: e(*args)) == outcome(lambda: e._explained(*args))


@pytest.mark.parametrize("via", VIAS)
def test_usual_arguments_take_the_fast_path(via: str) -> None:
    e = entry(MIXED, via)
    x, y, z = f32(2), np.arange(4, dtype="i4"), np.ones((2, 3))
    fixed = x.copy()
    fixed.flags.writeable = False
    usual: list[list[Any]] = [
        [2.5, 3, 7, True, np.float16(0.5), x, y, z],
        [2, np.int64(3), np.uint8(7), np.bool_(True), np.float16(0.5), fixed, y, z],
        [np.float32(2), 3, 7, False, np.float16(0.5), f32(0), y[:0], np.ones((0, 3))],
    ]
    wanted = [outcome(lambda args=args: e._explained(*args)) for args in usual]  # type: ignore[misc]
    names = e.call.__globals__  # type: ignore[attr-defined]
    slow, names["slow"] = names["slow"], None
    try:
        assert [outcome(lambda args=args: e(*args)) for args in usual] == wanted  # type: ignore[misc]
    finally:
        names["slow"] = slow


EVIL = """
entry evil [evil_n] (evil_x : [evil_n]f32) (evil_k : i64) {
  var evil_t : i64; evil_t <- evil_k + 1;
  check (evil_t < 5) "assertion failed" "evil";
  kernel evil_i < evil_n do evil_x[evil_i] : f32 <- 1.0f32; done
  for evil_j < evil_k do evil_t <- evil_t * 2; done
  return (evil_x : [evil_n]f32) (evil_t : i64)
}"""


@pytest.mark.opencl
def test_generated_functions_have_no_name_of_the_program() -> None:
    compiled = compile_imp(parse_imp(EVIL, "evil.imp"))
    (plan,) = compiled.plan.entries
    commands = DeviceCommands(plan, pocl(), build(pocl(), compiled.source, None))
    texts = [run_text(plan, commands)[0], go_text(plan, lambda _: None)[0]]
    for back_end in (ToC(plan), OnDevice()):
        found = call_text(plan, back_end)
        assert found is not None
        texts.append(found)
    assert "evil" in str(plan)
    assert [t for t in texts if "evil" in t] == []


def test_a_size_that_no_argument_determines() -> None:
    """There is no fast path, and the slow one says why."""
    text = "entry f [n] (x : [2*n]f32) { return (n : i64) }"
    (plan,) = compile_imp(parse_imp(text)).plan.entries
    assert call_text(plan, ToC(plan)) is None
    with pytest.raises(InputError, match="no argument of `f` determines the size `n`"):
        Executable.load(compile_imp(parse_imp(text)), pocl(), None)(f32(4))


@pytest.mark.opencl
@pytest.mark.parametrize("via", VIAS)
def test_a_limit_of_memory_holds_on_the_fast_path(via: str) -> None:
    imp, _ = machine_code(funmem.parse(AXPY, "fut"), Options(safe=True))
    if via == "c":
        library = CLibrary.load(compile_c(imp, "p"))
        library.max_bytes = 12000
        e: Entry = library.entry()
    else:
        exe = Executable.load(compile_imp(imp), pocl(), None)
        exe.max_bytes = 12000
        e = exe.entry()
    for _ in range(2):
        assert np.array_equal(e(2.0, f32(1000), f32(1000)), 3 * f32(1000))
        with pytest.raises(DeviceError, match=r"needs 11\.73 KiB, the budget has 11\.72 KiB"):
            e(2.0, f32(1001), f32(1001))


# ---------------------------------------------------------------------- the host's program


@pytest.mark.opencl
def test_deep_programs_of_the_host() -> None:
    """Python limits the nesting of blocks and of parentheses; a plan does not."""
    depth, sums = 18, 60
    loops = "".join(f"for l{k}x < 1 do\n" for k in range(depth))
    total = " + ".join(["k"] * sums)
    text = f"""
    entry f [n] (x : [n]i64) (k : i64) {{
      var t : i64; t <- 0;
      {loops} t <- t + ({total});
      kernel i < n do x[i] : i64 <- t; done
      {"done " * depth}
      return (x : [n]i64) (t : i64)
    }}"""
    x, t = Executable.load(compile_imp(parse_imp(text)), pocl(), None)(np.zeros(3, "i8"), 2)
    assert (np.asarray(x).tolist(), t) == ([2 * sums] * 3, 2 * sums)


# ---------------------------------------------------------------------- when a call waits


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list that grows with every call that waits for its kernels."""
    found: list[str] = []
    finish = DeviceCommands.finish

    def counted(self: DeviceCommands) -> None:
        found.append("finish")
        finish(self)

    monkeypatch.setattr(DeviceCommands, "finish", counted)
    return found


@pytest.mark.opencl
def test_a_call_on_device_arrays_without_checks_does_not_wait(waits: list[str]) -> None:
    f = entry(AXPY, "opencl")
    x = f(1.0, f32(5), np.zeros(5, "f4"))
    assert len(waits) == 1
    y = x
    for _ in range(10):
        y = f(1.0, y, x)
    f(1.0, y, f32(5))
    assert len(waits) == 2, "the array of the host has to exist until the kernels have run"
    assert isinstance(y, DeviceArray)
    assert y.wait() is y
    assert np.array_equal(y, 11 * f32(5))
    assert len(waits) == 2


@pytest.mark.opencl
def test_a_call_that_can_trap_waits(waits: list[str]) -> None:
    f, ident = entry(GATHER, "opencl"), entry(GATHER.replace("xs[i]", "i"), "opencl")
    xs = ident(np.arange(3), np.arange(3))
    far = ident(xs, np.array([3]))
    waits.clear()
    assert np.array_equal(f(xs, xs), xs)
    with pytest.raises(Trap, match=r"Index \[3\] out of bounds"):
        f(xs, far)
    assert len(waits) == 2


@pytest.mark.opencl
def test_values_on_the_host_are_those_of_kernels_that_have_run(waits: list[str]) -> None:
    f = entry(AXPY, "opencl")
    x = f(1.0, f32(5), np.zeros(5, "f4"))
    waits.clear()
    f.run((1.0, x, x))
    assert len(waits) == 1
    assert f.stats.launches == 1


@pytest.mark.opencl
def test_buffers_of_calls_that_do_not_wait_are_reused() -> None:
    f = entry(AXPY, "opencl")
    assert isinstance(f, EntryPoint)
    before, pool = held(pocl()), pocl().pool
    x = f(1.0, f32(5), np.zeros(5, "f4"))
    y = x
    for k in range(200):
        made = pool.made
        y = f(1.0, y, x)
        assert k < 8 or pool.made == made
    assert np.array_equal(y, 201 * f32(5))
    del x, y
    gc.collect()
    assert held(pocl()) == before


@pytest.mark.parametrize("via", VIAS)
def test_eight_threads_of_a_thousand_calls(via: str) -> None:
    """Each with lengths and numbers of its own."""
    f = entry(AXPY, via)
    wrong: list[str] = []

    def work(k: int) -> None:
        x, y = f32(k + 1), np.full(k + 1, k, "f4")
        dx = f(1.0, x, 0 * x) if via == "opencl" else x
        dy = f(1.0, y, 0 * y) if via == "opencl" else y
        for i in range(300):
            host = via == "c" or i % 20 == 0
            z = f(float(i), x if host else dx, y if host else dy)
            if (host or i % 20 == 1) and not np.array_equal(z, np.float32(i) * x + y):
                wrong.append(f"thread {k}, call {i}")

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


@pytest.mark.parametrize("via", VIAS)
def test_memory_of_others_is_written_on_neither_path(via: str) -> None:
    f, x = entry(WRITES, via), f32(3)
    for _ in range(2):
        y = f(x)
        f(y)
        f(x.tolist())
        assert np.asarray(y).tolist() == [7, 2, 3]
    assert np.array_equal(x, f32(3))


def test_calls_that_end_soon_are_not_watched() -> None:
    """Loops whose length an argument decides, on the host or in a kernel, may take long."""
    known = {Name("n"): "n", Name("k"): "k"}

    def condition(body: str) -> str:
        text = f"entry f [n] (x : [n]f32) (k : i64) {{ {body} return (n : i64) }}"
        return brief(compile_imp(parse_imp(text)).plan.entries[0], known)

    store = "x[i] : f32 <- 1.0f32;"
    assert condition("") == "True"
    assert condition(f"kernel i < n do {store} done") == "n <= 16384"
    assert condition(f"kernel i < n, j < 2 do {store} done") == "2*n <= 16384"
    assert condition(f"kernel i < n do for j < k do {store} done done") == "False"
    assert condition(f"kernel i < n do for j < 10 do {store} done done") == "n <= 16384"
    assert condition(f"for j < k do kernel i < n do {store} done done") == "False"


# ---------------------------------------------------------------------- other libraries


class Foreign:
    """An array of another library, of which only DLPack is known."""

    def __init__(self, x: np.ndarray[Any, Any], device: int = 1) -> None:
        self.x, self.device = x, device

    def __dlpack_device__(self) -> tuple[int, int]:
        return (self.device, 0)

    def __dlpack__(self, **options: Any) -> Any:
        return self.x.__dlpack__(**options)


@pytest.mark.parametrize("via", VIAS)
def test_arrays_of_other_libraries(via: str) -> None:
    f, x = entry(AXPY, via), f32(4)
    fixed = memoryview(x).toreadonly()
    of_ctypes = (ctypes.c_float * 4)(*x)
    for some in (Foreign(x), memoryview(x), fixed, array.array("f", x), of_ctypes, x.tolist()):
        assert np.array_equal(f(2.0, some, x), 3 * x), some  # type: ignore[arg-type]
    cuda = Foreign(x, device=2)
    with pytest.raises(InputError, match=r"argument 2 \(`x`\): the elements of this Foreign"):
        f(2.0, cuda, x)  # type: ignore[arg-type]


@pytest.mark.parametrize("via", VIAS)
def test_bytes_are_arrays_of_u8(via: str) -> None:
    f = entry("entry main [n] (x: [n]u8) : [n]u8 = map (+ 1) x", via)
    for some in (b"abc", bytearray(b"abc"), memoryview(b"abc")):
        assert bytes(np.asarray(f(some))) == b"bcd"
    with pytest.raises(InputError, match="got a str"):
        f("abc")  # type: ignore[arg-type]


@pytest.mark.parametrize("via", VIAS)
def test_types_are_widened_without_loss(via: str) -> None:
    f = entry(GATHER, via)
    xs = np.array([5, 6, 7])
    for t in ("i1", "i2", "i4", "u1", "u4", ">i8", ">i4"):
        assert np.asarray(f(xs.astype(t), xs.astype("i4") - 5)).tolist() == [5, 6, 7]
    for t in ("u8", "f4", "f8", "?"):
        with pytest.raises(InputError, match=r"expected \[n\]i64, got \[3\]"):
            f(xs.astype(t), xs)
    g = entry(AXPY, via)
    assert np.array_equal(g(np.float16(0.5), f32(2).astype("f2"), [np.int16(1), 2]), 1.5 * f32(2))
    with pytest.raises(InputError, match="expected f32, got f64"):
        g(np.float64(0.5), f32(2), f32(2))


@pytest.mark.opencl
def test_memory_is_borrowed_and_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """No element of an aligned and contiguous argument moves, nor one of a result."""
    f, x = entry(AXPY, "opencl"), f32(4)
    f(1.0, x, x)
    copied: list[object] = []
    monkeypatch.setattr(cl, "enqueue_copy", lambda *args, **_: copied.append(args))
    y = f(1.0, Foreign(x), memoryview(x))  # type: ignore[arg-type]
    assert isinstance(y, DeviceArray)
    seen = [np.asarray(y), np.from_dlpack(y), np.array(y, copy=None)]  # type: ignore[arg-type]
    assert len({s.__array_interface__["data"][0] for s in seen}) == 1
    assert y.buffer.address == seen[0].__array_interface__["data"][0]
    assert y.__dlpack_device__() == (1, 0)
    assert copied == []


@pytest.mark.opencl
def test_results_of_other_calls_are_still_there_after_a_call_that_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also empty ones, and of a call that fails while its arguments are passed."""
    f, pool = entry(AXPY, "opencl"), pocl().pool
    x, none = f(1.0, f32(5), f32(5)), f(1.0, f32(0), f32(0))
    assert isinstance(x, DeviceArray)
    assert isinstance(none, DeviceArray)
    holders = (x.buffer.holders, none.buffer.holders, pool.lent)
    for _ in range(3):
        f(1.0, none, none)
        f(1.0, x, x)

    def fails(*_: object, **__: object) -> None:
        raise cl.RuntimeError("lost")

    with monkeypatch.context() as now:
        now.setattr(cl, "Buffer", fails)
        with pytest.raises(DeviceError, match="lost"):
            f(1.0, x, f32(5))
    assert (x.buffer.holders, none.buffer.holders, pool.lent) == holders
    assert np.array_equal(x, 2 * f32(5))
