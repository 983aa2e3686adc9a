"""Workers: time limits, crashes, order, and that none is left behind."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from funmem.suite import pool
from funmem.suite.check import Plan
from funmem.suite.pool import check_files
from funmem.suite.verdict import Status, Verdict
from funmem.suite.worker import plan_from_json, plan_to_json

RIGHT = """\
-- ==
-- input { 1i64 } output { 1i64 }
entry main (x : i64) -> (y : i64) =
  in (x)
"""
ENDLESS = """\
-- ==
-- input { 1i64 }
-- "long" input { 1000000000000i64 }
entry main (n : i64) -> (y : i64) =
  let (r : i64) = loop (a : i64) = 0 for i < n do
    let (b : i64) = a + i
    in (b)
  in (r)
"""
FAULTY = """
import json, os, signal, sys
sys.path[:] = json.loads(sys.argv[1])
from funmem.suite import worker

real = worker.check_file

def check_file(path, plan, say):
    print("written to standard output, where it has no place")
    os.write(1, b"the same by a driver\\n")
    say("thinking")
    if "segv" in path:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "exit" in path:
        os.write(2, b"first words\\nlast words\\n")
        os._exit(3)
    if "child" in path:
        pid = os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "600")
        open(path + ".pid", "w").write(str(pid))
        os.waitpid(pid, 0)
    return real(path, plan, say)

worker.check_file = check_file
worker.main()
"""
"""A worker whose programs can do what drivers do."""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert children() == []


def children() -> list[str]:
    """What this process has started and not ended."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
        except OSError:
            continue
        if f"\nPPid:\t{os.getpid()}\n" in text and "\nState:\tZ" not in text:
            found.append(status.parent.joinpath("cmdline").read_text())
    return [c for c in found if "funmem.suite.worker" in c]


def verdicts(names: dict[str, str], *, jobs: int = 1, timeout: float = 60) -> dict[str, Verdict]:
    for name, text in names.items():
        Path(name).write_text(text)
    found = dict(check_files(list(names), Plan(), jobs=jobs, timeout=timeout))
    assert sorted(found) == list(range(len(names)))
    return {name: found[k] for k, name in enumerate(names)}


def test_several_at_a_time() -> None:
    found = verdicts({f"{k}.fun": RIGHT for k in range(5)}, jobs=2)
    assert [(v.file, v.status, v.checks) for v in found.values()] == [
        (f"{k}.fun", Status.PASS, 3) for k in range(5)
    ]


@pytest.mark.slow
def test_a_program_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    start = time.perf_counter()
    found = verdicts({"a.fun": RIGHT, "b.fun": ENDLESS, "c.fun": RIGHT}, timeout=1)
    assert time.perf_counter() - start < 30
    assert [v.status for v in found.values()] == [Status.PASS, Status.TIMEOUT, Status.PASS]
    (finding,) = found["b.fun"].findings
    assert finding.sentence == 'timeout: not done after 1 s (main "long" via value)'
    assert found["b.fun"].seconds >= 1


def test_a_worker_that_crashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_BOOT", FAULTY)
    names = ("a", "segv", "b", "exit", "c")
    found = verdicts(dict.fromkeys(names, RIGHT))
    assert [v.status.value for v in found.values()] == ["pass", "error", "pass", "error", "pass"]
    assert found["segv"].findings[0].sentence == (
        "crash: its process ended with SIGSEGV (thinking): Fatal Python error: Segmentation fault"
    )
    assert found["exit"].findings[0].sentence == (
        "crash: its process ended with exit code 3 (thinking): last words"
    )


def test_a_worker_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_BOOT", "import nothing_of_this_name")
    for v in verdicts({"a.fun": RIGHT, "b.fun": RIGHT}).values():
        assert v.findings[0].sentence == (
            "crash: its process ended with exit code 1 (starting): "
            "ModuleNotFoundError: No module named 'nothing_of_this_name'"
        )


@pytest.mark.skipif(os.name != "posix", reason="needs process groups")
def test_what_a_worker_has_started_ends_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_BOOT", FAULTY)
    assert verdicts({"child": RIGHT}, timeout=2)["child"].status is Status.TIMEOUT
    pid = int(Path("child.pid").read_text())
    for _ in range(100):
        try:
            if "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text():
                return
            os.kill(pid, 0)
        except (ProcessLookupError, FileNotFoundError):
            return
        time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    pytest.fail("the child is still there")


def test_closing_early_ends_the_workers() -> None:
    for name in "abcd":
        Path(name).write_text(ENDLESS if name > "a" else RIGHT)
    found = check_files(list("abcd"), Plan(), jobs=2, timeout=600)
    assert next(found)[1].file == "a"
    found.close()
    for _ in range(100):
        if not children():
            break
        time.sleep(0.1)


def test_a_worker_ends_when_nobody_listens() -> None:
    Path("t.fun").write_text(ENDLESS)
    worker = pool._Worker(Plan())
    process = worker._process
    worker._send({"file": "t.fun"})
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(timeout=60) == 0


@pytest.mark.slow
def test_a_worker_is_replaced_after_many_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "PER_WORKER", 2)
    workers: list[pool._Worker] = []
    real = pool._Worker

    def hire(plan: Plan) -> pool._Worker:
        workers.append(real(plan))
        return workers[-1]

    monkeypatch.setattr(pool, "_Worker", hire)
    found = verdicts({f"{k}.fun": RIGHT for k in range(5)})
    assert {v.status for v in found.values()} == {Status.PASS}
    assert len(workers) == 3


def test_a_plan_reads_back() -> None:
    plan = Plan(("heap", "imp"), ("slow",), True, "PoCL")
    assert plan_from_json(plan_to_json(plan)) == plan
