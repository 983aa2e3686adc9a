"""IMP on PoCL does what the interpreter of IMP says, in both builds, traps included."""

from math import prod
from pathlib import Path

import numpy as np
import pytest

from funmem.ir.diagnostics import DeviceError, FunmemError, SourceError, Trap, TrapKind
from funmem.ir.imp import (
    ImpProgram,
)
from funmem.ir.scalars import ScalarType
from funmem.ir.text import parse_imp
from funmem.ir.values import ArgValue, ArrayValue, agree
from tests.codegen.test_float_math import BINARY, UNARY
from tests.support.opencl_programs import PROGRAMS, f32, i64
from tests.support.sampling import sampled

pytest.importorskip("pyopencl")
from funmem.codegen.device import POCL, Device, list_devices, open_device
from funmem.codegen.device_array import DeviceArray
from funmem.codegen.opencl import compile_imp, finely_shared
from funmem.codegen.preludes import OWN
from funmem.codegen.runtime import Executable
from funmem.interp.imp import run_imp
from tests.support.devices import held

pytestmark = pytest.mark.opencl
TOP = 2**63 - 1
BUILDS = pytest.mark.parametrize("safe", [False, True], ids=["fast", "safe"])


@pytest.fixture(scope="module")
def pocl() -> Device:
    if not any(d.is_pocl for d in list_devices()):
        pytest.skip("PoCL is not installed (pip install pocl-binary-distribution)")
    return open_device(POCL)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FUNMEM_CACHE", str(tmp_path / "cache"))


def load(text: str | ImpProgram, device: Device, *, safe: bool = False) -> Executable:
    program = parse_imp(text, "p.imp") if isinstance(text, str) else text
    return Executable.load(compile_imp(program, safe=safe), device)


def failure(text: str, device: Device, *args: ArgValue, safe: bool) -> FunmemError:
    with pytest.raises(FunmemError) as caught:
        load(text, device, safe=safe)(*args)
    return caught.value


# ---------------------------------------------------------------------- results


@pytest.mark.parametrize(
    ("safe", "gpu"), [(False, False), (True, False), (True, True)], ids=["fast", "safe", "gpu"]
)
@pytest.mark.parametrize("name", sampled(PROGRAMS, 18, slow=9))
def test_agrees_with_the_interpreter(name: str, pocl: Device, safe: bool, gpu: bool) -> None:
    text, arguments = PROGRAMS[name]
    program = parse_imp(text)
    compiled = compile_imp(program, safe=safe, gpu=gpu)
    entry = Executable.load(finely_shared(compiled) if safe else compiled, pocl).entry()
    for args in arguments:
        expected = run_imp(program, "f", args)
        assert agree(expected, entry.run(args)) is None


SHARED = """
entry f [n] (x : [n]i64) (k : i64) (l : i64) (m : i64) {
  var y : mem;
  y <- alloc 8*k*l*m;
  kernel a < k, b < l, c < m do
    var v : i64;
    v <- x[a*l*m + b*m + c] : i64;
    check (v >= 0) "assertion failed" "negative at {}, {}, {}" (a, b, c);
    y[a*l*m + b*m + c] : i64 <- 10000*a + 100*b + c + 1000000*v;
  done
  return (y : [k][l][m]i64)
}"""


@pytest.mark.parametrize("shape", [(7, 11, 13), (1, 1, 500), (500, 1, 1), (3, 200, 1), (1, 2, 2)])
def test_work_items_share_iterations(shape: tuple[int, int, int], pocl: Device) -> None:
    """Parts begin and end anywhere in rows and planes; the first failure in order is reported."""
    program = parse_imp(SHARED)
    (kernel,) = compile_imp(program).plan.entries[0].kernels
    assert kernel.grain > 1
    entry = Executable.load(finely_shared(compile_imp(program)), pocl).entry()
    (y,) = entry.run((i64(*[1] * prod(shape)), *shape))
    a, b, c = np.indices(shape)
    assert isinstance(y, ArrayValue)
    assert np.array_equal(y.data, 1000000 + 10000 * a + 100 * b + c)
    for first in (0, prod(shape) // 2, prod(shape) - 1):
        x = np.ones(prod(shape), np.int64)
        x[first:] = -1
        at = ", ".join(map(str, np.unravel_index(first, shape)))
        with pytest.raises(Trap, match=f"negative at {at}$"):
            entry.run((i64(*x), *shape))


WRITTEN_OUT = (*(f for f in OWN if f not in {"pow", "tgamma", "lgamma", *UNARY, *BINARY}), "sqrt")
"""The others are in test_float_math.py; the gamma functions are those of doubles, rounded."""


def test_functions_on_processors_are_exact(pocl: Device) -> None:
    """The functions that are written out: the error is at most 0.51 units in the last place, and
    special values are as IEEE says.  Builtins of PoCL have up to 4.
    """
    blocks = [f"{f}_of" for f in WRITTEN_OUT]
    text = f"""
    entry f [n] (x : [n]f32) {{
      {" ".join(f"var {b} : mem; {b} <- alloc 4*n;" for b in blocks)}
      kernel i < n do
        var v : f32;
        v <- x[i] : f32;
        {" ".join(f"{b}[i] : f32 <- {f}(v);" for b, f in zip(blocks, WRITTEN_OUT, strict=True))}
      done
      return {" ".join(f"({b} : [n]f32)" for b in blocks)}
    }}"""
    x = np.arange(0, 1 << 32, 19997, np.uint32).view(np.float32)
    x = np.concatenate([x, np.float32([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-45, 88.73])])
    for f, y in zip(WRITTEN_OUT, load(text, pocl).entry().run((ArrayValue(x),)), strict=True):
        assert isinstance(y, ArrayValue)
        with np.errstate(all="ignore"):
            exact = getattr(np, f)(x.astype(np.float64))
            rounded = exact.astype(np.float32)
            off = np.abs(y.data.astype(np.float64) - exact) / np.abs(np.spacing(rounded))
        usual = np.isfinite(rounded) & np.isfinite(y.data)
        assert off[usual].max() <= 0.51, f
        assert np.array_equal(y.data[~usual], rounded[~usual], equal_nan=True), f
        zero = rounded == 0
        assert np.array_equal(np.signbit(y.data[zero]), np.signbit(rounded[zero])), f


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="there are no longer floats")
def test_functions_of_double_on_processors(pocl: Device) -> None:
    """`exp` and `log` are at most one unit off, subnormal arguments and results included."""
    text = """
    entry f [n] (x : [n]f64) {
      var y : mem;
      var z : mem;
      y <- alloc 8*n;
      z <- alloc 8*n;
      kernel i < n do
        var v : f64;
        v <- x[i] : f64;
        y[i] : f64 <- exp(v);
        z[i] : f64 <- log(v);
      done
      return (y : [n]f64) (z : [n]f64)
    }"""
    rng = np.random.default_rng(0)
    some = rng.integers(0, 2**63, 20000, np.uint64), rng.integers(0, 2**52, 1000, np.uint64)
    other = rng.uniform(-746, 710, 20000), rng.uniform(0.3, 3, 20000), [0, -0.0, -1, np.inf]
    x = np.concatenate([*(s.view(np.float64) for s in some), *other, [-np.inf, np.nan]])
    results = load(text, pocl).entry().run((ArrayValue(x),))
    for f, y in zip((np.exp, np.log), results, strict=True):
        assert isinstance(y, ArrayValue)
        with np.errstate(all="ignore"):
            exact = f(x.astype(np.longdouble))
            rounded = exact.astype(np.float64)
            off = np.abs(y.data.astype(np.longdouble) - exact) / np.abs(np.spacing(rounded))
        usual = np.isfinite(rounded) & np.isfinite(y.data)
        assert off[usual].max() <= 1
        assert np.array_equal(y.data[~usual], rounded[~usual], equal_nan=True)


def test_powers_on_processors_are_exact(pocl: Device) -> None:
    """All pairs of special values, and ordinary ones."""
    text = """
    entry f [n] (x : [n]f32) (y : [n]f32) {
      var z : mem;
      z <- alloc 4*n;
      kernel i < n do
        var v : f32;
        var w : f32;
        v <- x[i] : f32;
        w <- y[i] : f32;
        z[i] : f32 <- v ** w;
      done
      return (z : [n]f32)
    }"""
    special = [0, 0.5, 1, 1.5, 2, 3, 1e-45, 1e-3, 16777215, 16777216, 16777217, 1e30, np.inf]
    values = np.array([*special, *(-v for v in special), np.nan], np.float32)
    pairs = np.array(np.meshgrid(values, values)).reshape(2, -1)
    rng = np.random.default_rng(0)
    more = np.exp(rng.uniform(-80, 80, 20000)), rng.uniform(-2, 2, 20000)
    x, y = np.concatenate([pairs, np.float32(more)], axis=1)
    (z,) = load(text, pocl).entry().run((ArrayValue(x), ArrayValue(y)))
    assert isinstance(z, ArrayValue)
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(np.float64), y.astype(np.float64))
        rounded = exact.astype(np.float32)
        off = np.abs(z.data.astype(np.float64) - exact) / np.abs(np.spacing(rounded))
    usual = np.isfinite(rounded) & np.isfinite(z.data)
    assert off[usual].max() <= 0.51
    assert np.array_equal(z.data[~usual], rounded[~usual], equal_nan=True)
    zero = rounded == 0
    assert np.array_equal(np.signbit(z.data[zero]), np.signbit(rounded[zero]))


def test_matrix_product(pocl: Device) -> None:
    text = """
    entry matmul [n] [m] [k] (a : [n][m]f32) (b : [m][k]f32) {
      var c : mem;
      c <- alloc 4*n*k;
      kernel i < n, j < k do
        var acc : f32;
        acc <- 0.0f32;
        for l < m do
          var x : f32;
          var y : f32;
          x <- a[i*m + l] : f32;
          y <- b[l*k + j] : f32;
          acc <- acc + x * y;
        done
        c[i*k + j] : f32 <- acc;
      done
      return (c : [n][k]f32)
    }"""
    rng = np.random.default_rng(1)
    a, b = (rng.random((s, t), dtype=np.float32) for s, t in ((200, 300), (300, 100)))
    got = load(text, pocl)(a, b)
    assert isinstance(got, DeviceArray)
    np.testing.assert_allclose(got, a @ b, rtol=1e-4)


def test_several_entry_points(pocl: Device) -> None:
    text = "".join(
        f"""entry f{k} [n] (x : [n]i64) {{
          kernel i < n do
            var v : i64;
            v <- x[i] : i64;
            x[i] : i64 <- v + {k};
          done
          return (x : [n]i64)
        }}\n"""
        for k in range(2)
    )
    exe = load(text, pocl)
    x = i64(1, 2)
    for k in range(2):
        (y,) = exe.entry(f"f{k}").run((x,))
        assert isinstance(y, ArrayValue)
        assert y.data.tolist() == [1 + k, 2 + k]
    assert x.tolist() == [1, 2]  # arguments are copied
    with pytest.raises(FunmemError, match="no entry point `g`; there is `f0`, `f1`"):
        exe.entry("g")


def test_negative_zero_is_another_argument(pocl: Device) -> None:
    text = """
    entry f [n] (x : [n]f32) (c : f32) {
      kernel i < n do x[i] : f32 <- c; done
      return (x : [n]f32)
    }"""
    entry = load(text, pocl).entry()
    for c in (0.0, -0.0, 0.0):
        assert agree((ArrayValue(np.array([c], np.float32)),), entry.run((f32(1), c))) is None


def test_results_in_one_block_have_their_own_shapes(pocl: Device) -> None:
    text = """
    entry f [n] (k : i64) (x : [n]i64) {
      var m : mem;
      m <- alloc 8*n;
      kernel i < n do m[i] <- x[i] : i64; done
      return (m : [n]i64) (m : [k]i64) (m : [2][k]i64)
    }"""
    whole = i64(1, 2, 4, 8, 16)
    found = load(text, pocl).entry().run((2, whole))
    wanted = (whole, whole[:2], whole[:4].reshape(2, 2))
    assert agree(tuple(map(ArrayValue, wanted)), found) is None


def test_non_contiguous_arguments(pocl: Device) -> None:
    text = "entry f [n] [m] (x : [n][m]f32) { return (x : [n][m]f32) }"
    got = load(text, pocl)(f32(3, 4).T)
    np.testing.assert_array_equal(got, f32(3, 4).T)  # type: ignore[arg-type]


# ---------------------------------------------------------------------- traps

GATHER = """
entry f [n] [m] (x : [n]f32) (is : [m]i64) {
  var y : mem;
  y <- alloc 4*m;
  kernel i < m do
    var j : i64;
    j <- is[i] : i64;
    check j in n "index out of bounds" "Index [{}] out of bounds for array of shape [{}]." (j, n);
    y[i] <- x[j] : f32;
  done
  return (y : [m]f32)
}"""


def test_safe_build_reports_kind_values_and_place(pocl: Device) -> None:
    error = failure(GATHER, pocl, f32(3), i64(0, 2, 7, -1, 9), safe=True)
    assert isinstance(error, Trap)
    assert error.kind is TrapKind.INDEX
    assert error.diagnostic.message == "Index [7] out of bounds for array of shape [3]."
    assert (error.diagnostic.at.file, error.diagnostic.at.line) == ("p.imp", 8)


def test_fast_build_drops_bounds_checks_in_kernels(pocl: Device) -> None:
    assert "rt_fail" not in load(GATHER, pocl).source
    assert "rt_fail" in load(GATHER, pocl, safe=True).source


def test_an_executable_survives_a_trap(pocl: Device) -> None:
    exe = load(GATHER, pocl, safe=True)
    for _ in range(2):
        with pytest.raises(Trap, match=r"Index \[7\]"):
            exe(f32(3), i64(7))
        np.testing.assert_array_equal(exe(f32(3), i64(2, 1)), [2.0, 1.0])  # type: ignore[arg-type]
    assert held(pocl) == 0


def test_the_first_failing_iteration_is_reported(pocl: Device) -> None:
    text = """
    entry f [n] (x : [n]i64) {
      kernel i < n do
        var v : i64;
        v <- x[i] : i64;
        check (v != 0) "division by zero" "division by zero";
        check (v > 0) "assertion failed" "not positive";
        x[i] : i64 <- 100 / v;
      done
      return (x : [n]i64)
    }"""
    x = np.ones(5000, np.int64)
    x[[900, 4999]], x[[901, 2000]] = -1, 0
    for safe in (False, True):
        error = failure(text, pocl, x, safe=safe)
        assert isinstance(error, Trap)
        assert error.kind is TrapKind.ASSERTION
    x[3] = 0
    error = failure(text, pocl, x, safe=False)
    assert isinstance(error, Trap)
    assert error.kind is TrapKind.DIVISION


@BUILDS
def test_a_task_keeps_its_checks(pocl: Device, safe: bool) -> None:
    text = """
    entry f [n] (x : [n]i64) {
      for i < n do
        var j : i64;
        j <- x[i] : i64;
        check j in n "index out of bounds" "Index [{}]." (j);
        x[j] : i64 <- 0;
      done
      return (x : [n]i64)
    }"""
    error = failure(text, pocl, i64(1, 1, 5), safe=safe)
    assert error.diagnostic.message == "Index [5]."


def test_a_device_trap_comes_before_a_later_host_trap(pocl: Device) -> None:
    text = """
    entry f [n] (x : [n]i64) (c : i64) {
      kernel i < n do
        var v : i64;
        v <- x[i] : i64;
        check (v > 0) "assertion failed" "on the device";
      done
      check (c > 0) "assertion failed" "on the host";
      return (x : [n]i64)
    }"""
    assert failure(text, pocl, i64(0), 0, safe=False).diagnostic.message == "on the device"
    assert failure(text, pocl, i64(1), 0, safe=False).diagnostic.message == "on the host"


def test_an_unchecked_division_on_the_host_traps(pocl: Device) -> None:
    text = "entry f (c : i64) { var r : i64; r <- 1 / c; return (r : i64) }"
    error = failure(text, pocl, 0, safe=False)
    assert isinstance(error, Trap)
    assert error.kind is TrapKind.DIVISION


@BUILDS
@pytest.mark.parametrize(
    ("check", "ok", "bad"),
    sampled(
        [
            ("a in b", (3, 4, 0), (4, 4, 0)),
            ("a : b : c inside 10", (0, 10, 1), (0, 11, 1)),
            ("a : b : c inside 10", (50, 0, 1), (0, -1, 1)),
            ("a : b : c inside 10", (9, 10, -1), (8, 10, -1)),
            ("injective {(a : b)}", (5, 1, 0), (5, 0, 0)),
            ("injective {(a : b) (2 : 3)}", (3, -1, 0), (4, -1, 0)),
            ("injective {(a : b) (c : 3) (2 : 1)}", (3, 12, 4), (3, 6, 4)),
            ("nonneg a", (0, 0, 0), (-1, 0, 0)),
            ("a*b == c", (3, 4, 12), (3, 4, 13)),
            ("(a < b || c != 0)", (0, 1, 0), (1, 1, 0)),
            ("a : b : c inside 10", (1, 1, TOP), (1, 2, TOP)),
        ],
        4,
    ),
)
def test_every_condition_on_host_and_device(
    check: str, ok: tuple[int, ...], bad: tuple[int, ...], pocl: Device, safe: bool
) -> None:
    for inside in ("kernel i < n do", "if go then"):
        end = "done" if inside.startswith("kernel") else "else fi"
        text = f"""
        entry f [n] (x : [n]i64) (go : bool) {{
          {inside}
            var a : i64;
            var b : i64;
            var c : i64;
            a <- x[0] : i64;
            b <- x[1] : i64;
            c <- x[2] : i64;
            check {check} "assertion failed" "a = {{}}, b + c = {{}}" (a, b + c);
          {end}
          return (x : [n]i64)
        }}"""
        exe = load(text, pocl, safe=safe)
        exe(i64(*ok), True)
        with pytest.raises(Trap) as caught:
            exe(i64(*bad), True)
        assert caught.value.diagnostic.message == f"a = {bad[0]}, b + c = {bad[1] + bad[2]}"


@BUILDS
def test_values_of_every_type_in_a_message(pocl: Device, safe: bool) -> None:
    """From a kernel, a task (a loop that the device runs alone) and the host."""
    types = [str(t) for t in ScalarType]
    values: list[ArgValue] = [True, -128, -300, -(2**31), -(2**63), 200, 65535, 2**32 - 1]
    values += [2**64 - 1, 0.1, -1e-40, 1e300]
    shown = "true -128 -300 -2147483648 -9223372036854775808 200 65535 4294967295 "
    shown += "18446744073709551615 0.1f16 -1e-40f32 1e300f64"
    params = " ".join(f"(p{k} : {t})" for k, t in enumerate(types))
    args = ", ".join(f"p{k} : {t}" for k, t in enumerate(types))
    task = "for k < n do var v : i64; v <- x[k] : i64; ok <- v < 3; x[k] : i64 <- v; {} done"
    for code in ("kernel k < 9 do {} done", task, "{}"):
        check = f'check (ok) "assertion failed" "{" ".join(["{}"] * len(types))}" ({args});'
        text = f"entry f [n] (x : [n]i64) (ok : bool) {params} {{ {code} return (x : [n]i64) }}"
        exe = load(text.replace("{}", check), pocl, safe=safe)
        with pytest.raises(Trap) as caught:
            exe(i64(5), False, *values)
        assert caught.value.diagnostic.message == shown


def test_sizes_beyond_64_bits_are_not_mistaken(pocl: Device) -> None:
    """2^40 * 2^40 is 0 modulo 2^64: inside the array, if products wrapped around."""
    text = """
    entry f [n] (x : [n]i64) {
      kernel i < n do
        var k : i64;
        k <- x[0] : i64;
        check k*k - k*k*k in n "index out of bounds" "Index [{}]." (k*k);
      done
      return (x : [n]i64)
    }"""
    exe = load(text, pocl, safe=True)
    exe(i64(1, 5))
    with pytest.raises(Trap, match=r"Index \[1208925819614629174706176\]") as caught:
        exe(i64(1 << 40))
    assert caught.value.kind is TrapKind.INDEX
    exe = load(text.replace("k*k - k*k*k in n", "k*k*n - k*k in n"), pocl, safe=True)
    exe(i64(5))
    with pytest.raises(Trap, match="do not fit 64 bits") as caught:  # 0 in 1, but only in Z
        exe(i64(1 << 40))
    assert caught.value.kind is TrapKind.OVERFLOW


# ---------------------------------------------------------------------- what is refused


def in_kernel(body: str) -> str:
    return f"entry f [n] (x : [n]f32) {{ kernel i < n do {body} done return (x : [n]f32) }}"


@pytest.mark.parametrize(
    ("body", "message", "hint"),
    [
        ("var m : mem; m <- alloc 4*n;", "`m <- alloc 4*n;` allocates device memory", "`expand`"),
        ("var m : mem.private; m <- alloc.private n;", "a size that is known", "`expand`"),
        ("var m : mem.private; m <- alloc.private 99999;", "65536 bytes", "`expand`"),
        ("var m : mem.private; m <- x;", "mixes blocks of different spaces", "space"),
    ],
)
def test_memory_that_a_kernel_cannot_have(body: str, message: str, hint: str) -> None:
    with pytest.raises(SourceError) as caught:
        compile_imp(parse_imp(in_kernel(body), "p.imp"))
    assert message in caught.value.diagnostic.message
    assert hint in caught.value.diagnostic.hint
    assert caught.value.diagnostic.at.file == "p.imp"


@pytest.mark.parametrize(
    ("size", "needs"),
    [("k", "4 EiB"), ("k*k*k", r"8.507e\+37 EiB"), ("k - 9*n", "4 EiB")],
)
def test_a_block_that_is_too_large_for_the_device(size: str, needs: str, pocl: Device) -> None:
    text = f"""
    entry f [n] (x : [n]f32) (k : i64) {{
      var m : mem;
      m <- alloc {size};
      kernel i < n do m[i] <- x[i] : f32; done
      return (m : [n]f32)
    }}"""
    with pytest.raises(DeviceError, match=f"the program needs {needs}, .* has .* GiB"):
        load(text, pocl)(f32(10), 1 << 62)
    assert held(pocl) == 0


def test_all_blocks_together_are_too_large(pocl: Device) -> None:
    block = pocl.info.max_block
    count = pocl.info.max_total // block + 1
    text = "entry f (k : i64) {\n" + "".join(
        f"var m{j} : mem;\nm{j} <- alloc k;\nm{j}[0] : i8 <- 1i8;\n" for j in range(count)
    )
    text += "".join(f"m0[0] <- m{j}[0] : i8;\n" for j in range(count))
    with pytest.raises(DeviceError, match=r"the program needs .* the device has"):
        load(text + "return (k : i64) }", pocl)(block)
    assert held(pocl) == 0
    pocl.pool.flush()


LANES = """
entry main [n] (xs : [n]f32) {
  var ys : mem;
  ys <- alloc 4*n;
  kernel g < n do
    kernel l < 32 do
      var y : f32;
      y <- 1.0f32;
      BODY
      ys[g] : f32 <- y;
    done
  done
  return (ys : [n]f32)
}"""


@pytest.mark.parametrize(
    ("body", "macro"),
    [
        ("", "FM_LANES_2"),
        ("var c : bool;\nc <- l == g;\nif c then\ny <- 2.0f32;\nelse\nfi", "FM_LANES_MASKED"),
    ],
)
def test_loops_whose_branches_become_masks_have_vectors_of_their_own(body: str, macro: str) -> None:
    assert f"{macro} for" in compile_imp(parse_imp(LANES.replace("BODY", body))).source
