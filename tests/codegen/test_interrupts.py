"""Ctrl-C while compiled code runs: the first ends the run, the second ends it at once."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from funmem.codegen.c import compile_c
from funmem.codegen.device import POCL
from funmem.codegen.interrupts import INTERRUPTED, Interruptible
from funmem.ir.text import parse_imp
from tests.support.devices import needs_compiler
from tests.support.paths import ROOT
from tests.support.sampling import sampled

FILES = {
    # launches that take a moment each, without end
    "launches.fut": """
        entry main (n: i64) (k: i64) : [n]f64 =
          loop xs = map f64.i64 (iota n) for _i < k do
            scan (+) 0 (map (\\x -> loop y = x for _j < 1000 do f64.sin y) xs)
    """,
    # one launch without end, and no iteration that ends before it
    "one.fut": """
        entry main (n: i64) (k: i64) : [n]f64 =
          map (\\x -> loop y = f64.i64 x for _j < k do f64.sin y) (iota n)
    """,
}


VIAS = [
    pytest.param("c", marks=needs_compiler),
    pytest.param("opencl", marks=pytest.mark.opencl),
]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """What a test starts ends with it."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.wait()


def environment(tmp_path: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path / "tmp"),
        "PYTHONPATH": str(ROOT),
        "FUNMEM_DEVICE": POCL,
    }


def start(
    tmp_path: Path, name: str, via: str, *args: int, started: list[subprocess.Popen[str]]
) -> subprocess.Popen[str]:
    """A run that has begun: the compiled program was called once before, and says so."""
    (tmp_path / "tmp").mkdir()
    (tmp_path / name).write_text(FILES[name])
    code = (
        "import sys, funmem.cli, funmem.driver.engines as e\n"
        "run = e.Runner.run\n"
        "def said(*args):\n"
        "    print('begins', flush=True)\n"
        "    return run(*args)\n"
        "e.Runner.run = said\n"
        "funmem.cli.main(sys.argv[1:])\n"
    )
    given = [x for n in args for x in ("-i", str(n))]
    process = subprocess.Popen(
        [sys.executable, "-c", code, "run", name, "--via", via, *given],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    started.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == "begins\n", process.stderr and process.stderr.read()
    time.sleep(1)  # it is in compiled code now, or will be so when the signal is there
    return process


def left_behind(tmp_path: Path) -> list[str]:
    return sorted(p.name for p in (tmp_path / "tmp").iterdir() if p.name.startswith("funmem"))


@pytest.mark.parametrize(
    "via",
    [
        pytest.param("c", marks=needs_compiler),
        pytest.param("opencl", marks=[pytest.mark.opencl, pytest.mark.exhaustive]),
    ],
)
def test_the_first_ends_the_run_at_the_next_launch(
    via: str, tmp_path: Path, running: list[subprocess.Popen[str]]
) -> None:
    process = start(tmp_path, "launches.fut", via, 100, 1 << 40, started=running)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED == 130
    assert err.endswith("interrupted\n")
    assert left_behind(tmp_path) == []


@pytest.mark.parametrize("via", sampled(VIAS, 0))
def test_the_second_ends_it_at_once(
    via: str, tmp_path: Path, running: list[subprocess.Popen[str]]
) -> None:
    """A launch that takes for ever; who waits is told that the second one is needed."""
    process = start(tmp_path, "one.fut", via, 64, 1 << 40, started=running)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert process.stderr.readline() == (
        "interrupted; waiting for the kernel that runs (once more: end at once)\n"
    )
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert left_behind(tmp_path) == []


COMPILER = """\
#!/bin/sh
case "$*" in *" -E "*) exit 0;; esac
touch "$TMPDIR/funmem-part.s"
sleep 1000 &
echo $! > started
wait
"""


def test_the_compiler_ends_with_who_called_it(
    tmp_path: Path, running: list[subprocess.Popen[str]]
) -> None:
    """Also what the compiler has started, and what it has written so far."""
    compiler = tmp_path / "compiler"
    compiler.write_text(COMPILER)
    compiler.chmod(0o700)
    (tmp_path / "tmp").mkdir()
    (tmp_path / "one.fut").write_text(FILES["one.fut"])
    process = subprocess.Popen(
        [sys.executable, "-m", "funmem", "run", "one.fut", "--via", "c", "-i", "1", "-i", "1"],
        cwd=tmp_path,
        env=environment(tmp_path) | {"CC": str(compiler)},
        stderr=subprocess.PIPE,
        text=True,
    )
    running.append(process)
    started = tmp_path / "started"
    while not (started.exists() and started.read_text()):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "interrupted\n")
    assert left_behind(tmp_path) == []
    assert not runs(int(started.read_text()))


def runs(process: int) -> bool:
    """Whether it still does after a moment; one that nobody has buried yet does not."""
    for _ in range(100):
        try:
            os.kill(process, 0)
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (ProcessLookupError, FileNotFoundError):
            return False
        if state == "Z":
            return False
        time.sleep(0.05)
    return True


MANY = """
entry f [n] (x : [n]f64) (k : i64) {
  var m : mem;  m <- alloc 8*n;
  kernel i < n do
    var y : f64;  y <- x[i] : f64;
    for j < k do  y <- sin(y);  done
    m[i] : f64 <- y;
  done
  return (m : [n]f64)
}
"""


@pytest.mark.slow
@needs_compiler
def test_iterations_that_take_long_look() -> None:
    """Of one launch those that have not begun are left out; the next call is a new one."""
    from funmem.codegen.c_library import CLibrary

    entry = CLibrary.load(compile_c(parse_imp(MANY, "p.imp"), "p")).entry()
    x = np.ones(1 << 20)
    timer = threading.Timer(1.0, lambda: entry._interrupt())
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        entry.run((x, 1 << 22))
    (again,) = entry.run((np.ones(3), 2))
    assert np.allclose(again.data, np.sin(np.sin(1)))  # type: ignore[union-attr]


def test_nothing_changes_outside_of_a_run() -> None:
    """Whoever handles the signal goes on to do so: others' handlers, other threads, after a run."""
    before = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(before)
    with Interruptible(lambda: None):
        pass
    assert signal.set_wakeup_fd(before) == before
    stopped: list[str] = []
    handler = signal.signal(signal.SIGINT, lambda *_: stopped.append("theirs"))
    try:
        with Interruptible(lambda: stopped.append("ours")):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert stopped == ["theirs"]
