"""A process forked from one that has run compiled code: it is told so, and does not hang."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from funmem.codegen.device import POCL
from tests.support.devices import needs_compiler
from tests.support.paths import ROOT
from tests.support.sampling import sampled

SCRIPT = """\
import multiprocessing, sys
import numpy as np
import funmem

TEXT = "entry main (xs: []i64) : []i64 = map (\\\\x -> x + 1) xs"
XS = np.arange(100_000)


def call(via):
    return int(funmem.run(PROGRAM, XS, via=via)[-1])


def child(via, answers):
    try:
        answers.put(call(via))
    except funmem.FunmemError as error:
        answers.put(error.diagnostic.render(""))


PROGRAM = funmem.parse(TEXT, "fut")

if __name__ == "__main__":
    via, method, first = sys.argv[1:]
    if first == "yes":
        print(call(via))
    context = multiprocessing.get_context(method)
    answers = context.Queue()
    process = context.Process(target=child, args=(via, answers))
    process.start()
    print(answers.get(timeout=60))
    process.join(60)
    if first == "yes":
        print(call(via))
"""


def said_by(tmp_path: Path, via: str, method: str, *, first: bool) -> list[str]:
    """What parent, child and parent print, in a process of their own."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    process = subprocess.Popen(
        [sys.executable, script, via, method, "yes" if first else "no"],
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            "FUNMEM_DEVICE": POCL,
            "FUNMEM_CACHE": str(tmp_path / "cache"),
        },
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, _ = process.communicate(timeout=100)
        assert process.returncode == 0
        return out.splitlines()
    finally:
        with suppress(ProcessLookupError):  # children that hang, if there are any
            os.killpg(process.pid, signal.SIGKILL)


VIAS = [
    pytest.param("c", marks=needs_compiler),
    pytest.param("opencl", marks=pytest.mark.opencl),
]


@pytest.mark.parametrize("via", sampled(VIAS, 0, slow=9))
def test_a_fork_is_told(via: str, tmp_path: Path) -> None:
    """Drivers' and OpenMP's threads are not there in a fork, which would wait for them for ever."""
    before, *told, after = said_by(tmp_path, via, "fork", first=True)
    assert before == after == "100000"
    assert told[0].startswith("error[fork]: this process was forked from one that had used ")
    assert 'multiprocessing.get_context("spawn")' in told[1]


@pytest.mark.parametrize("via", sampled(VIAS, 0, slow=2))
@pytest.mark.parametrize(("method", "first"), [("spawn", True), ("fork", False)])
def test_other_children_run(via: str, method: str, first: bool, tmp_path: Path) -> None:
    """One that is spawned has threads of its own, and so has a fork that is the first to run."""
    assert set(said_by(tmp_path, via, method, first=first)) == {"100000"}
