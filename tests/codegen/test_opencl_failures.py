"""What a kernel that fails leaves behind: to kernels after it, to the host, and to the next call.

Protects ``codegen/failure_guards.py`` (which kernels look whether one failed), and
``codegen/commands.py``: when the host looks, and that it clears what it found.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from funmem.ir.diagnostics import DeviceError, Trap
from funmem.ir.text import parse_imp
from tests.support.opencl_programs import i64
from tests.support.paths import ROOT
from tests.support.sampling import sampled

pytest.importorskip("pyopencl")
from funmem.codegen.commands import DeviceCommands
from funmem.codegen.opencl import compile_imp
from funmem.codegen.runtime import Executable
from tests.support.devices import has_pocl, pocl

pytestmark = [
    pytest.mark.opencl,
    pytest.mark.skipif(not has_pocl(), reason="PoCL is not installed"),
]
BUILDS = pytest.mark.parametrize("safe", [False, True], ids=["fast", "safe"])


def load(text: str, *, safe: bool = False) -> Executable:
    return Executable.load(compile_imp(parse_imp(text), safe=safe), pocl())


def test_a_failed_kernel_stops_those_that_follow() -> None:
    """After a failure no kernel runs on what is missing, and the host does not loop on it."""
    text = """
    entry f [n] (x : [n]i64) {
      var go : bool;
      go <- true;
      while go do
        var v : i64;
        kernel i < n do
          var w : i64;
          w <- x[i] : i64;
          check (w < 3) "assertion failed" "three";
          x[i] : i64 <- w + 1;
        done
        kernel i < n do
          check (false) "assertion failed" "never";
        done
        v <- x[0] : i64;
        go <- v < 1000;
      done
      return (x : [n]i64)
    }"""
    text = text.replace("check (false)", "var w : i64; w <- x[i] : i64; check (w < 4)")
    with pytest.raises(Trap, match="three"):
        load(text)(i64(0, 0))


NOT_5 = "var c : i64;  c <- 0;  var bad : bool;  bad <- v != 5;  if bad then"
STRAYS = {
    "while": """
        var go : bool;
        var c : i64;
        c <- v;
        go <- v != 5;
        while go do  c <- c * 3;  go <- c != 5;  done
        z[k] : i64 <- c;""",
    "for": """
        var c : i64;
        c <- 0;
        for i < v - 5 do  c <- c ^ i;  z[k] : i64 <- c;  done""",
    "read": "var c : i64;  c <- x[v - 5] : i64;  z[k] : i64 <- c;",
    "write": "z[v - 5] : i64 <- k;",
    "a branch's read": f"{NOT_5} c <- 900000000; else fi  c <- x[c] : i64;  z[k] : i64 <- c;",
    "a branch's write": f"{NOT_5} for i < 9 do c <- c - 99999999; done else fi  z[c] : i64 <- k;",
    "a branch's block": f"""
        var m : mem;
        m <- x;
        {NOT_5} m <- y; else fi
        c <- m[k] : i64;
        z[k] : i64 <- c;""",
    "whether to read": f"{NOT_5} c <- x[k + 900000000] : i64; else fi  z[k] : i64 <- c;",
    "whether to write": f"{NOT_5} z[k - 900000000] : i64 <- c; else fi",
    "whether to copy": f"{NOT_5} for i < 2 do z[k + 900000000] <- x[k] : i64; done else fi",
    "a branch's loop": f"{NOT_5} for i < 1000000000000000 do z[k] : i64 <- i; done else fi",
    "a branch's loops": f"{NOT_5} {6 * 'for i < 999 do '} z[k] : i64 <- k; {6 * 'done '} else fi",
}


@BUILDS
@pytest.mark.parametrize("name", sampled(STRAYS, 12))
@pytest.mark.parametrize("looping", [False, True], ids=["once", "in a loop"])
def test_what_a_failed_kernel_left_behind_is_not_relied_on(
    name: str, looping: bool, safe: bool
) -> None:
    """A kernel without a check does not go astray on it, nor on the next round of a loop."""
    use = f"""
      kernel k < n do
        var v : i64;
        v <- y[k] : i64;
        {STRAYS[name]}
      done"""
    make = """
      kernel i < n do
        var w : i64;
        w <- x[i] : i64;
        y[i] : i64 <- 1099511627776;
        check (w < 2) "assertion failed" "not below two";
        y[i] : i64 <- 5;
      done"""
    body = f"for r < 3 do {use} {make} done" if looping else make + use
    text = f"""
    entry f [n] (x : [n]i64) (y : [n]i64) {{
      var z : mem;
      z <- alloc 8*n;
      {body}
      return (z : [n]i64)
    }}"""
    exe = load(text, safe=safe)
    assert all(k.status for e in exe.plan.entries for k in e.kernels)
    exe(i64(0, 1, 0, 1), i64(5, 5, 5, 5))
    with pytest.raises(Trap, match="not below two"):
        exe(i64(0, 2, 1, 2), i64(5, 5, 5, 5))


@BUILDS
@pytest.mark.parametrize(
    "use",
    sampled(
        [
            "kernel i < n do var v : i64; v <- y[i + k] : i64; z[i] : i64 <- v; done",
            "kernel i < n do z[i + k] : i64 <- i; done",
            "kernel i < n do z[i + k] <- y[i] : i64; done",
            "z[k] : i64 <- 1;",
            "y[0] : i64 <- k; var u : i64; u <- z[k] : i64; y[1] : i64 <- u;",
        ],
        3,
    ),
)
def test_what_a_failed_task_was_to_vet_is_not_relied_on(use: str, safe: bool) -> None:
    """A check of the host between two writes of single elements is made on the device: a number
    that it refuses is no index of what follows.
    """
    text = f"""
    entry f [n] (x : [n]i64) (y : [n]i64) (k : i64) {{
      var z : mem;
      z <- alloc 8*n;
      kernel i < n do z[i] : i64 <- i; done
      x[0] : i64 <- k;
      var ok : bool;
      ok <- k == 0;
      check (ok) "assertion failed" "no such number";
      x[1] : i64 <- k;
      {use}
      return (z : [n]i64)
    }}"""
    exe = load(text, safe=safe)
    exe(i64(0, 1), i64(5, 5), 0)
    for k in (1 << 40, -(1 << 40)):
        with pytest.raises(Trap, match="no such number"):
            exe(i64(0, 1), i64(5, 5), k)


WAITS = """
entry f [n] (x : [n]i64) {
  kernel i < n do
    var v : i64;
    var go : bool;
    v <- x[i] : i64;
    go <- v != 0;
    while go do  v <- v - 2;  go <- v != 0;  done
    check (go) "assertion failed" "the end";
  done
  return (x : [n]i64)
}"""


def test_nobody_waits_for_a_loop_behind_a_work_item_that_failed(tmp_path: Path) -> None:
    """The second loop never ends; on another core it begins long before the first is over."""
    (tmp_path / "p.imp").write_text(WAITS)
    words = ["run", "p.imp", "--via", "opencl", "--device", "Portable", "-i", "[400000000, 1]"]
    done = subprocess.run(
        [sys.executable, "-m", "funmem", *words], cwd=tmp_path, timeout=60, check=False,
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.returncode, "error[assertion failed]: the end" in done.stderr) == (1, True)


def test_only_loops_of_any_length_look_again() -> None:
    """And they only where a work-item can fail.  A work-item of a graphics processor, and one that
    has iterations of any length, also looks before it starts.
    """
    short = WAITS.replace("while go do", "for k < 3 do")
    harmless = WAITS.replace('check (go) "assertion failed" "the end";', "")
    programs = [parse_imp(t) for t in (WAITS, short, harmless)]
    looks = "if (rt_stopped(status, launch, gid))"
    for gpu, expected in ((True, [2, 1, 0]), (False, [2, 0, 0])):
        found = [compile_imp(p, gpu=gpu).source for p in programs]
        assert [s.count(looks) for s in found] == expected


FAILS_ON_0 = """
    entry f [n] (k : i64) (x : [n]i64) {
      var m : mem;
      m <- alloc 8*n;
      kernel i < n do
        var v : i64;
        v <- x[i] : i64;
        check (v != 0) "division by zero" "division by zero";
        m[i] : i64 <- 100 / v;
      done
      MORE
      return (m : [n]i64)
    }"""


def test_a_kernel_that_is_too_large_comes_after_a_trap() -> None:
    """And the trap is gone with its call."""
    more = "kernel h < k, j < k, l < k do m[0] : i64 <- 7; done"
    exe = load(FAILS_ON_0.replace("MORE", more))
    for _ in range(2):
        with pytest.raises(Trap, match="division by zero"):
            exe(1 << 30, i64(1, 0, 4))
        with pytest.raises(DeviceError, match="too large"):
            exe(1 << 30, i64(1, 2, 4))
        assert np.array_equal(exe(0, i64(1, 2, 4)), i64(100, 50, 25))


def test_an_interrupted_call_leaves_no_trap(monkeypatch: pytest.MonkeyPatch) -> None:
    exe = load(FAILS_ON_0.replace("MORE", ""))

    def stop(_: DeviceCommands) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as now:
        now.setattr(DeviceCommands, "finish", stop)
        with pytest.raises(KeyboardInterrupt):
            exe(0, i64(1, 0, 4))
    assert np.array_equal(exe(0, i64(1, 2, 4)), i64(100, 50, 25))


@pytest.mark.parametrize("loop", ["for r < k", "while go"])
def test_a_loop_of_the_host_ends_when_a_kernel_has_failed(loop: str) -> None:
    """Although the host needs nothing of what the device computes."""
    more = f"var go : bool; go <- k > 0; {loop} do kernel i < n do m[i] : i64 <- 7; done done"
    with pytest.raises(Trap, match="division by zero"):
        load(FAILS_ON_0.replace("MORE", more))(1 << 40, i64(1, 0, 4))


def test_only_what_follows_a_failure_looks() -> None:
    """Not a kernel before it, nor one behind what the host waits for, nor one that is over soon."""
    loop = "kernel k < n do for i < n do z[k] : i64 <- i; done done"
    check = (
        'kernel k < n do var w : i64; w <- x[k] : i64; check (w < 2) "assertion failed" ""; done'
    )
    text = f"""
    entry f [n] (x : [n]i64) {{
      var z : mem;
      z <- alloc 8*n;
      {loop}
      if n > 7 then {check} else fi
      kernel k < n do for i < 9 do z[k] : i64 <- i; done done
      {loop}
      var a : i64;
      a <- z[0] : i64;
      {loop}
      for i < a do {loop} {check} done
      return (z : [n]i64)
    }}"""
    (entry,) = load(text.replace("if n > 7", "var b : bool; b <- n > 7; if b")).plan.entries
    assert [k.status for k in entry.kernels] == [False, True, False, True, False, True, True]
