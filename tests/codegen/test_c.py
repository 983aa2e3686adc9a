"""IMP as a C library does what the interpreter of IMP says, in both builds, traps included."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from funmem.codegen import artifact
from funmem.codegen.c import compile_c, library_name, symbols
from funmem.codegen.c_artifact import CArtifact, write_c
from funmem.codegen.c_library import CLibrary, COptions, build, find_compiler
from funmem.codegen.cache import Cache
from funmem.codegen.opencl import compile_imp
from funmem.driver.engines import prepare
from funmem.driver.options import Engine, Options
from funmem.interp.imp import run_imp
from funmem.ir.diagnostics import DeviceError, FunmemError, InputError, Trap, TrapKind
from funmem.ir.imp import ImpProgram
from funmem.ir.record import evolve
from funmem.ir.text import parse_fun, parse_imp
from funmem.ir.values import ArgValue, ArrayValue, agree
from funmem.passes.pipeline import to_imp
from tests.c_sanitized import sanitized
from tests.support.devices import needs_compiler
from tests.support.opencl_programs import PROGRAMS, f32, i64
from tests.support.paths import ROOT
from tests.support.sampling import sampled

pytestmark = needs_compiler
BUILDS = pytest.mark.parametrize("safe", [False, True], ids=["fast", "safe"])
QUICK = COptions(optimise=False)


def load(p: ImpProgram, *, safe: bool = False, options: COptions = QUICK) -> CLibrary:
    return CLibrary.load(compile_c(p, "p", safe=safe), options)


@BUILDS
@pytest.mark.parametrize("name", sampled(PROGRAMS, 18, slow=9))
def test_agrees_with_the_interpreter(name: str, safe: bool) -> None:
    text, arguments = PROGRAMS[name]
    program = parse_imp(text)
    entry = load(program, safe=safe).entry()
    for args in arguments:
        assert agree(run_imp(program, "f", args), entry.run(args)) is None


def test_a_bound_call_reads_its_arguments_each_time_it_is_made() -> None:
    text = """
    entry f [n] (x : [n]i64) (k : i64) {
      var y : mem;
      y <- alloc 8*n;
      kernel i < n do
        var v : i64;
        v <- x[i] : i64;
        y[i] : i64 <- v * k;
      done
      return (y : [n]i64)
    }"""
    entry = load(parse_imp(text)).entry()
    x = np.arange(5)
    call = entry.bound((x, 3))
    first, again = call.run(), call.run()
    x += 1
    changed = call.run()
    for got, want in ((first, x - 1), (again, x - 1), (changed, x)):
        assert agree(got, (ArrayValue(want * 3),)) is None
    apart = np.arange(10)
    call = entry.bound((apart[::2], 3))
    apart += 1
    assert agree(call.run(), (ArrayValue(np.arange(0, 10, 2) * 3),)) is None, "it was copied"
    with pytest.raises(InputError):
        entry.bound((x,))


@pytest.mark.parametrize("openmp", [False, True])
def test_sequential_and_parallel(openmp: bool) -> None:
    """Rows that are many or few: either loop of a nest may be the parallel one."""
    text = """
    entry f [n] [m] (x : [n][m]i64) {
      var y : mem;
      y <- alloc 8*n*m;
      kernel i < n, j < m do
        var v : i64;
        v <- x[i*m + j] : i64;
        y[i*m + j] : i64 <- v * v + i - j;
      done
      return (y : [n][m]i64)
    }"""
    entry = load(parse_imp(text), options=COptions(openmp=openmp, optimise=False)).entry()
    for n, m in ((1, 5000), (5000, 1), (3, 3), (300, 7), (0, 4), (4, 0)):
        x = np.arange(n * m).reshape(n, m)
        i, j = np.ogrid[:n, :m]
        np.testing.assert_array_equal(entry(x), x * x + i - j)


@pytest.mark.parametrize(
    ("head", "end"),
    [("kernel i < n, j < m do", "done"), ("kernel i < n do kernel j < m do", "done done")],
    ids=["a loop of a kernel", "a kernel in a kernel"],
)
def test_iterations_with_a_block_of_their_own_are_no_lanes(head: str, end: str) -> None:
    """All have it in one array, so that the compiler must keep their stores and loads in order."""
    text = f"""
    entry f [n] [m] (at : [n][m]i64) (from : [n][m]i64) (x : [n][m]i64) {{
      var y : mem;
      y <- alloc 8*n*m;
      {head}
        var a : i64;
        var b : i64;
        var v : i64;
        var w : i64;
        var t : mem.private;
        a <- at[i*m + j] : i64;
        b <- from[i*m + j] : i64;
        v <- x[i*m + j] : i64;
        t <- alloc.private 32;
        t[a] : i64 <- v;
        w <- t[b] : i64;
        y[i*m + j] : i64 <- w;
      {end}
      return (y : [n][m]i64)
    }}"""
    at, x = np.arange(512).reshape(8, 64) % 4, np.arange(512).reshape(8, 64)
    np.testing.assert_array_equal(load(parse_imp(text), options=COptions()).entry()(at, at, x), x)
    lanes = text.replace("t <- alloc.private 32;", "").replace("t[a] : i64 <- v;", "w <- v;")
    lanes = lanes.replace("w <- t[b] : i64;", "").replace("var t : mem.private;", "")
    assert "FM_LANES for" in compile_c(parse_imp(lanes), "f").source


FOLD = """
    entry f [n] (x : [n][64]f32) {
      var y : mem;
      y <- alloc 256;
      kernel g < 1 do
        var s : mem.private;
        s <- alloc.private 256;
        kernel l < 64 do
          s[l] : f32 <- 0.0f32;
        done
        for i < n do
          kernel l < 64 do
            var a : f32;
            var v : f32;
            a <- s[l] : f32;
            v <- x[64*i + l] : f32;
            a <- min(a, max(v, -9.0f32));
            TO[l] : f32 <- a;
          done
        done
        kernel l < 64 do
          var a : f32;
          a <- s[l] : f32;
          y[l] : f32 <- a;
        done
      done
      return (y : [64]f32)
    }"""


def test_folds_in_strips_fetch_ahead() -> None:
    """Each line of 64 bytes of the next strips, also behind the end; not where results are stored,
    and not for a sum.
    """
    program = parse_imp(FOLD.replace("TO", "s"))
    source = compile_c(program, "f").source
    assert source.count("__builtin_prefetch") == 1
    assert re.search(r"(k\d+) < 256L; \1 \+= 64\)", source)
    x = np.arange(640, dtype=np.float32).reshape(10, 64)
    assert load(program, options=COptions()).entry()(-x).tolist() == [-9.0] * 64
    sums = FOLD.replace("TO", "s").replace("min(a, max(v, -9.0f32))", "a + v")
    for other in (FOLD.replace("TO", "y"), sums):
        assert "__builtin_prefetch" not in compile_c(parse_imp(other), "f").source


@pytest.mark.parametrize(
    ("bound", "checked"),
    [
        ("n - 1", False),
        ("n - i - 1", False),
        ("i + 1", False),
        ("t - i - 1", False),
        ("n + 1", True),
        ("n - i - i - 2", True),
        ("a - i", True),
        ("n*n", True),
        ("u - i - 1", True),
    ],
)
def test_bounds_that_fit_64_bits_are_plain_arithmetic(bound: str, checked: bool) -> None:
    """Sizes and indices are not negative, nor is what is at least one of them; data may be."""
    text = f"""
    entry f [n] (x : [n]i64) {{
      kernel i < n do
        var a : i64;
        var t : i64;
        var u : i64;
        a <- x[i] : i64;
        t <- max(i + 1, n);
        u <- min(i + 1, n);
        for j < {bound} do x[i] : i64 <- j + a + t + u; done
      done
      return (x : [n]i64)
    }}"""
    assert ("= sz_clamp(" in compile_c(parse_imp(text), "f").source) == checked


@pytest.mark.parametrize(
    ("test", "checked"),
    [
        ("0 <= a && a <= b", False),
        ("a <= b && 0 <= a", False),
        ("0 < a && a < b && b <= n", False),
        ("0 <= b && a <= b", True),
        ("a <= 0 && a <= b", True),
        ("0 <= a", True),
    ],
)
def test_bounds_fit_64_bits_where_a_test_says_so(test: str, checked: bool) -> None:
    """In the branch that runs if a is not negative and at most b, b - a does not overflow."""
    text = f"""
    entry f [n] (x : [n]i64) {{
      kernel i < n do
        var a : i64;
        var b : i64;
        var ok : bool;
        a <- x[i] : i64;
        b <- x[n - 1 - i] : i64;
        ok <- {test};
        if ok then
          for j < b - a do x[i] : i64 <- j + a + b; done
        else
        fi
      done
      return (x : [n]i64)
    }}"""
    assert ("= sz_clamp(" in compile_c(parse_imp(text), "f").source) == checked


# ---------------------------------------------------------------------- failures


INDEX = """
entry f [n] [k] (x : [n]f32) (at : [k]i64) {
  var y : mem;
  y <- alloc 4*k;
  kernel i < k do
    var a : i64;
    a <- at[i] : i64;
    check a in n "index out of bounds" "Index [{}] out of bounds for array of shape [{}]." (a, n);
    y[i] <- x[a] : f32;
  done
  return (y : [k]f32)
}"""


def failure(text: str, *args: ArgValue, safe: bool = True) -> FunmemError:
    with pytest.raises(FunmemError) as caught:
        load(parse_imp(text), safe=safe).entry()(*args)
    return caught.value


def index_program() -> str:
    return INDEX.replace('"index out of bounds"', f'"{TrapKind.INDEX.value}"')


def test_the_first_iteration_that_fails_is_reported() -> None:
    at = np.arange(4000)
    at[[3999, 1700, 20]] = [-5, 77777, 4000]
    error = failure(index_program(), f32(4000), at)
    assert isinstance(error, Trap)
    assert error.kind is TrapKind.INDEX
    message = "Index [4000] out of bounds for array of shape [4000]."
    assert error.diagnostic.message == message


HANGS = """
entry f [n] (x : [n]i64) {
  var y : mem;
  y <- alloc 8*n;
  kernel i < n do
    var v : i64;
    var go : bool;
    v <- x[i] : i64;
    go <- v != 0;
    check (go) "assertion failed" "zero";
    go <- v != 1;
    while go do
      v <- v - 2;
      go <- v != 1;
    done
    y[i] : i64 <- v;
  done
  return (y : [n]i64)
}"""


@pytest.mark.parametrize("threads", ["2", pytest.param("1", marks=pytest.mark.exhaustive)])
def test_nobody_waits_for_iterations_behind_one_that_failed(threads: str, tmp_path: Path) -> None:
    """The last one never ends; on another thread it begins before the failure, else after it."""
    (tmp_path / "p.imp").write_text(HANGS)
    words = ["run", "p.imp", "--via", "c", "--no-cache", "-i", "[5, 0, 4]"]
    done = subprocess.run(
        [sys.executable, "-m", "funmem", *words], cwd=tmp_path, timeout=60, check=False,
        capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": threads},
    )  # fmt: skip
    assert (done.returncode, "error[assertion failed]: zero" in done.stderr) == (1, True)


def test_only_kernels_that_may_take_long_look_whether_one_failed() -> None:
    loop = HANGS.replace("while go do", "for k < n do")
    short = HANGS.replace("while go do", "for k < 3 do")
    long = HANGS.replace("while go do", "for k < 1000000000000 do")
    harmless = HANGS.replace('check (go) "assertion failed" "zero";', "")
    found = [compile_c(parse_imp(t), "p").source for t in (HANGS, loop, long, short, harmless)]
    assert [s.count("rt_stopped(status, gid)") for s in found] == [2, 1, 1, 0, 0]


def test_misaligned_arguments_are_copied() -> None:
    """C may read an element only where its type may lie."""
    entry = load(parse_imp("entry f [n] (x : [n]i64) { return (x : [n]i64) }")).entry()
    x = np.frombuffer(b"\0" + np.arange(9).tobytes(), dtype=np.int64, offset=1)
    assert x.flags.c_contiguous
    assert not x.flags.aligned
    call = entry.bound((x,))
    assert all(a.flags.aligned for a in call.kept)
    assert agree(call.run(), (ArrayValue(x),)) is None


def test_a_library_can_be_called_again_after_a_trap() -> None:
    entry = load(parse_imp(index_program()), safe=True).entry()
    with pytest.raises(Trap):
        entry(f32(3), i64(3))
    np.testing.assert_array_equal(entry(f32(3), i64(2, 0)), [2, 0])
    assert entry.peak_bytes == 8


def test_memory_that_is_not_there() -> None:
    """A size that no machine has, and one that does not fit 64 bits."""
    text = """
    entry f (n : i64) {
      var y : mem;
      y <- alloc 8*n*n;
      return (n : i64)
    }"""
    for n in (1 << 22, 1 << 60):
        error = failure(text, n)
        assert isinstance(error, DeviceError)
        assert error.diagnostic.at.line == 4
    assert load(parse_imp(text)).entry()(1) == 1


def test_a_result_that_numpy_cannot_hold() -> None:
    """It has no elements, but the product of its other sizes has more than 64 bits."""
    text = """
    entry f (n : i64) {
      var y : mem;
      y <- alloc 0;
      return (y : [n][n][n][0]i64)
    }"""
    assert isinstance(failure(text, 1 << 21), DeviceError)


def test_arguments_are_only_read() -> None:
    """Also by a program that updates its argument in place, and returns it."""
    text = """
    entry f [n] (x : [n]i64) {
      kernel i < n do
        x[i] : i64 <- i;
      done
      return (x : [n]i64)
    }"""
    x = i64(5, 5, 5)
    np.testing.assert_array_equal(load(parse_imp(text)).entry()(x), [0, 1, 2])
    np.testing.assert_array_equal(x, [5, 5, 5])


def test_an_argument_may_be_a_result() -> None:
    """Its memory is the caller's: the result must be a copy."""
    x = i64(1, 2)
    entry = load(parse_imp("entry f [n] (x : [n]i64) { return (x : [n]i64) }")).entry()
    got = entry(x)
    assert isinstance(got, np.ndarray)
    x[0] = 9
    assert got.tolist() == [1, 2]


def test_results_outlive_the_library() -> None:
    text = PROGRAMS["map"].text
    got = load(parse_imp(text)).entry()(f32(5), 2.0)
    again = load(parse_imp(text)).entry()(f32(5), 3.0)
    np.testing.assert_array_equal(got, f32(5) * 2 + 1)
    np.testing.assert_array_equal(again, f32(5) * 3 + 1)


def test_released_memory_is_used_again() -> None:
    """The next result lies where the last one lay, but no two of them at one place.

    Results of up to 4096 bytes are copied to memory of numpy's.
    """
    text = PROGRAMS["map"].text.replace("entry f", "entry released")
    entry = load(parse_imp(text)).entry()  # in a library in which no other test releases anything

    def result(k: float) -> NDArray[np.float32]:
        got = entry(np.full(2000, k, np.float32), 2.0)
        assert isinstance(got, np.ndarray)
        return got

    kept, other = result(1), result(2)
    first, second = kept.ctypes.data, other.ctypes.data
    assert first != second
    del other
    again = result(3)
    assert again.ctypes.data == second
    assert (kept[0], again[0]) == (3, 7)


def test_results_may_share_a_block() -> None:
    """Each is its caller's own: only the last of them may be the block itself."""
    text = """
    entry f [n] (k : i64) (x : [n]i32) {
      var y : mem;
      y <- alloc 4*n;
      kernel i < n do y[i] <- x[i] : i32; done
      return (y : [n]i32) (y : [k]i32) (y : [1][n]i32)
    }"""
    whole, part, row = load(parse_imp(text)).entry()(2, np.arange(3, dtype=np.int32))
    assert (whole.tolist(), part.tolist(), row.tolist()) == ([0, 1, 2], [0, 1], [[0, 1, 2]])
    whole[0] = 7
    assert (part[0], row[0, 0]) == (0, 0)


GROWING = """
import resource
import sys

import numpy as np

from funmem.codegen.c import compile_c, library_name, symbols
from funmem.codegen.c_library import CLibrary, COptions
from funmem.ir.text import parse_imp

text = '''
entry f [n] (x : [n]i8) (k : i64) {
  var y : mem;
  var z : mem;
  y <- alloc k*n;
  kernel i < n do y[i] <- x[i] : i8; done
  z <- alloc k*n;
  kernel i < n do z[i] <- y[n - i - 1] : i8; done
  return (z : [n]i8)
}'''


def mapped():
    (line,) = (x for x in open("/proc/self/status") if x.startswith("VmSize"))
    return int(line.split()[1]) << 10


entry = CLibrary.load(compile_c(parse_imp(text), "p"), COptions(False, False, False)).entry()
x = np.arange(100, dtype=np.int8)
entry(x, 1)
before = mapped()
resource.setrlimit(resource.RLIMIT_AS, (before + (int(sys.argv[1]) << 20),) * 2)
for n in map(int, sys.argv[2:]):
    assert entry(x, (n << 20) // 100).tolist() == x[::-1].tolist()
print((mapped() - before) >> 20)
"""


@pytest.mark.parametrize(
    ("room", "sizes", "most"),
    sampled(
        [
            (1000, [2, 5, 11, 23, 47], 47 * 4),
            (1000, [*range(20, 40), 8, 3], 40 * 6),
            (500, [100, 40, 15, 6, 230], 500),
        ],
        2,
    ),
    ids=["growing", "of all sizes", "all that there is"],
)
def test_memory_kept_for_reuse_is_given_up(room: int, sizes: list[int], most: int) -> None:
    """Calls keep a few times what one needed, and nothing where memory is wanted: with so many MiB
    of room, calls have two blocks of such sizes, one after the other.
    """
    done = subprocess.run(
        [sys.executable, "-c", GROWING, str(room), *map(str, sizes)], check=False,
        capture_output=True, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) <= most


def test_a_plain_char_may_be_unsigned(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is on some processors; OpenCL's has a sign."""
    text = """
    entry f [n] (x : [n]i8) {
      var y : mem;
      y <- alloc 8*n;
      kernel i < n do
        var v : i8;
        v <- x[i] : i8;
        y[i] : i64 <- i64(v) / 2;
      done
      return (y : [n]i64)
    }"""
    monkeypatch.setenv("CC", shlex.join((*find_compiler(), "-funsigned-char")))
    got = load(parse_imp(text)).entry()(np.array([-3, 5, -128], np.int8))
    np.testing.assert_array_equal(got, [-2, 2, -64])


def test_an_empty_result_may_be_too_far_for_numpy() -> None:
    """What it lies in, and other results, are given back all the same."""
    text = """
    entry f [m] (x : [m]i64) (n : i64) {
      var y : mem;
      y <- alloc 0;
      return (y : [n][n][n][0]i64) (x : [m]i64)
    }"""
    entry = load(parse_imp(text)).entry()
    x = i64(*range(100))
    got = entry(x, 0)
    for _ in range(3):
        with pytest.raises(DeviceError, match="does not fit into memory"):
            entry(x, 1 << 21)
    assert isinstance(got, tuple)
    empty, same = got
    assert empty.shape == (0, 0, 0, 0)
    np.testing.assert_array_equal(same, x)


def test_without_a_compiler_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(DeviceError, match="no C compiler") as caught:
        find_compiler()
    assert "CC" in caught.value.diagnostic.hint


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ('"', 'CC is `"`, which is not a command: No closing quotation'),
        (" ", "CC is ` `, and there is no such command"),
        ("nope -O3", "CC is `nope -O3`, and there is no such command"),
        ("true", "`true` wrote no library: it is not a C compiler"),
    ],
)
def test_what_is_no_compiler_is_said_to_be_none(
    given: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", given)
    with pytest.raises(DeviceError) as caught:
        build(compile_c(parse_imp(PROGRAMS["map"].text), "p"), QUICK, None)
    assert caught.value.diagnostic.message == said
    assert "install gcc or clang" in (caught.value.diagnostic.hint or "")


def test_the_cache_knows_source_and_flags(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    one = compile_c(parse_imp(PROGRAMS["map"].text), "p")
    first = build(one, QUICK, cache)
    assert build(one, QUICK, cache) == first
    assert len(list(tmp_path.glob("*.bin"))) == 1
    build(one, COptions(openmp=False, optimise=False), cache)
    build(compile_c(parse_imp(PROGRAMS["map"].text), "q"), QUICK, cache)
    assert len(list(tmp_path.glob("*.bin"))) == 3


# ---------------------------------------------------------------------- for C programs


CALLER = r"""
#include <stdio.h>
#include "sum.h"

int main(void)
{
    struct sum_context *c = sum_new();
    int64_t xs[] = {1, 2, 3}, *squares, shape[1];
    int64_t total;
    int code = sum_main(c, 3, xs, 2, &total, &squares, shape);
    printf("%d %lld %lld [%lld]\n", code, (long long)total, (long long)squares[2],
           (long long)shape[0]);
    sum_release(squares);
    code = sum_main(c, 3, xs, 7, &total, &squares, shape);
    printf("%d %s\n", code, sum_message(c));
    sum_free(c);
}
"""
SUM = """
entry main [n] (xs : [n]i64) (k : i64) -> (total : i64) (squares : [n]i64) =
  let (x : i64) = xs[k]
  let (ws : [n]i64) = kernel i < n do
    let (v : i64) = xs[i]
    let (w : i64) = v * v
    in (w)
  let (sum : i64) = kernel j < n reduce (\\(a : i64) (b : i64) ->
      let (c : i64) = a + b
      in (c)) (0) do
    let (u : i64) = xs[j]
    in (u)
  let (all : i64) = sum + x
  in (all, ws)
"""


def test_a_c_program_calls_it(tmp_path: Path) -> None:
    program = compile_c(to_imp(parse_fun(SUM, "sum.fun")), "sum", safe=True)
    write_c(program, tmp_path, COptions())
    (tmp_path / "main.c").write_text(CALLER)
    command = [*find_compiler(), "-Wall", "-Werror", "main.c", "sum.c", "-w", "-lm", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first == "0 9 9 [3]"
    assert second.startswith("1 ")
    assert second.endswith("Index [7] out of bounds for array of shape [3].")
    header = (tmp_path / "sum.h").read_text()
    subprocess.run([*find_compiler(), "-fsyntax-only", "-xc++", "-"], input=header, text=True,
                   check=True)  # fmt: skip


def test_the_artifact_is_complete(tmp_path: Path) -> None:
    program = compile_c(to_imp(parse_fun(SUM, "sum.fun")), "sum")
    module = write_c(program, tmp_path, QUICK)
    said = json.loads((tmp_path / "sum.json").read_text())
    (entry,) = said["entries"]
    assert (entry["symbol"], entry["sizes"]) == ("sum_main", ["n"])
    assert [(p["type"], p["shape"]) for p in entry["parameters"]] == [("i64", ["n"]), ("i64", [])]
    total, squares = CArtifact(tmp_path, "sum").entry("main").run((i64(1, 2), 1))
    assert total == 5
    assert squares.data.tolist() == [1, 4]
    call = "import sum, numpy; print(sum.main(numpy.array([4]), 0))"
    path = os.pathsep.join((str(tmp_path), str(ROOT)))
    done = subprocess.run([sys.executable, "-c", call], env={**os.environ, "PYTHONPATH": path},
                          capture_output=True, text=True, check=True, cwd=tmp_path)  # fmt: skip
    assert done.stdout == "(8, array([16]))\n"
    assert module == tmp_path / "sum.py"
    with pytest.raises(InputError):
        CArtifact(tmp_path / "nowhere", "sum").entry("main")


@pytest.mark.parametrize(
    ("library", "entry"),
    sampled(
        [
            ("rt", "release"),
            ("omp", "main"),
            ("fm", "div_i64"),
            ("as", "long"),
            ("mul", "hi"),
            ("size", "t"),
            ("rt_large", "pages"),
            ("p", "release"),
            ("k0", "x0"),
            ("k0_0", "item"),
            ("rand", "r"),
            ("M", "PI"),
            ("GOMP", "parallel"),
            ("pthread", "create"),
        ],
        4,
    ),
)
def test_a_library_may_have_any_name(library: str, entry: str) -> None:
    """What the library calls itself, OpenMP and C have names of their own."""
    text = f"""
    entry {entry} [n] (x : [n]i64) {{
      kernel i < n do x[i] : i64 <- i / (n - i); done
      return (x : [n]i64)
    }}"""
    loaded = CLibrary.load(compile_c(parse_imp(text), library), COptions(optimise=False))
    np.testing.assert_array_equal(loaded.entry()(i64(5, 5, 5)), [0, 0, 2])


def test_no_entry_point_has_a_name_that_a_source_knows() -> None:
    """Wherever a name is divided into a library's and an entry point's: a function of that name is
    no error behind what a source includes, declares and defines.
    """
    text = "entry f [n] (x : [n]i64) { kernel i < n do x[i] : i64 <- i; done return (x : [n]i64) }"
    program = compile_c(parse_imp(text), "k0")
    cc = [*find_compiler(), "-std=gnu11", "-fopenmp", "-x", "c", "-w", "-"]

    def run(source: str, *flags: str) -> str:
        done = subprocess.run(
            [*cc, *flags], input=source, capture_output=True, text=True, check=False
        )
        assert done.stderr == ""
        return done.stdout

    known = run(program.source, "-E") + run(program.source, "-E", "-dM")
    (entry,) = program.plan.entries
    names = {
        symbols(name[:k], (evolve(entry, name=name[k + 1 :]),))[name[k + 1 :]]
        for name in set(re.findall(r"\b[A-Za-z]\w*", known)) - {"k0_f"}
        for k, c in enumerate(name)
        if c == "_" and name[:k] == library_name(name[:k]) and name[k + 1 :] not in ("", "context")
    }
    assert len(names) > 300
    functions = "".join(f"int {x}(struct k0_context *, const void *);\n" for x in sorted(names))
    run(program.source + functions, "-fsyntax-only")


def test_programs_share_a_folder(tmp_path: Path) -> None:
    """Files are named after the module: neither takes another's plan, nor its own for another."""
    names = ("plan", "program", "kernels")
    for k, name in enumerate(names):
        text = f"entry f (x : i64) {{ var y : i64; y <- x + {k}; return (y : i64) }}"
        write_c(compile_c(parse_imp(text), name), tmp_path / "c", QUICK)
        artifact.write(compile_imp(parse_imp(text)), tmp_path / "cl", name)
    for k, name in enumerate(names):
        assert CArtifact(tmp_path / "c", name).entry("f")(1) == 1 + k
        assert "library" in json.loads((tmp_path / "c" / f"{name}.json").read_text())
        assert f"{name}.plan.json" in os.listdir(tmp_path / "cl")
        (step,) = artifact.load(tmp_path / "cl", name).plan.entries[0].steps
        assert f"{k}" in str(step)


def test_it_is_an_engine() -> None:
    runner = prepare(parse_fun(SUM, "sum.fun"), Engine.C, Options(cache=False))
    outcome = runner.run("main", [i64(1, 2, 3), 0])
    assert outcome.values[0] == 7
    assert outcome.costs["peak_bytes"] > 0


# ---------------------------------------------------------------------- sanitizers


@pytest.mark.slow
def test_sanitizers_are_silent_and_not_deaf() -> None:
    """Some programs under ASan and UBSan, and one that the fast build lets out of its block.

    ``python -m tests.c_sanitized`` runs all of them; tests/foreign/ has overruns of foreign
    code.
    """
    done = sanitized("all", 240)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("programs, nothing noticed\n")
    wrong = sanitized("outside", 1)
    assert wrong.returncode != 0, wrong.stdout
    assert "heap-buffer-overflow" in wrong.stderr


@pytest.mark.parametrize(
    ("body", "least"),
    [
        ("a[i] : i64 <- i;", 4096),
        ("for j < 16 do a[i] : i64 <- j; done", 4096 // 32),
        ("for j < n do a[i] : i64 <- j; done", 2),
        (
            "var c : bool;  c <- i < 3;  if c then else a[i] : i64 <- 2; a[i] : i64 <- 3; fi",
            4096 // 5,
        ),
    ],
    ids=["a write", "so many", "nobody knows how many", "a branch"],
)
def test_a_second_thread_comes_where_there_is_enough_to_do(body: str, least: int) -> None:
    """Small arrays must not pay for threads; what depends on data may be any amount of work."""
    text = f"""entry f [n] (x : [n]i64) {{
      var a : mem;  a <- alloc 8*n;
      kernel i < n do  {body}  done
      return (a : [n]i64)
    }}"""
    source = compile_c(parse_imp(text), "f").source
    assert f"FM_PARALLEL({least}, " in source.split("static void f_0")[-1]


MULTIPLY = "  ".join(["s <- s * s;"] * 20)


@pytest.mark.parametrize(
    ("body", "schedule"),
    [
        (f"for j < n do  {MULTIPLY}  done  a[i] : f64 <- s;", "PARTS"),
        (f"for j < n do  kernel k < 4 do  {MULTIPLY}  done done  a[i] : f64 <- s;", "PARTS"),
        (f"for j < n do  s <- x[j] : f64;  {MULTIPLY}  done  a[i] : f64 <- s;", "PARTS"),
        ("for j < n do  t <- x[j] : f64;  s <- s + t;  done  a[i] : f64 <- s;", "PLACES"),
        (f"for j < n do  {MULTIPLY}  a[i] : f64 <- s;  done", "PLACES"),
        (f"{MULTIPLY}  a[i] : f64 <- s;", "PLACES"),
    ],
    ids=["computes", "lanes", "and reads a little", "reads", "writes", "no loop"],
)
def test_what_computes_is_given_out_in_parts(body: str, schedule: str) -> None:
    """A late thread must not keep others waiting; what a thread wrote stays in its cache."""
    text = f"""entry f [n] (x : [n]f64) {{
      var a : mem;  a <- alloc 8*n;
      kernel i < n do  var s : f64;  var t : f64;  s <- 1.0f64;  {body}  done
      return (a : [n]f64)
    }}"""
    source = compile_c(parse_imp(text), "f").source
    assert f", FM_{schedule})" in source.split("static void f_0")[-1]
