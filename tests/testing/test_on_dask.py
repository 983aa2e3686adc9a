"""funmem fuzz --scheduler: a campaign on Dask workers counts every portion once, whoever dies.

Two workers, real processes, are there only if `distributed` is installed (the extra ``[dask]``).
What is sent to a worker, what becomes of its answer, and who is refused is tested without it.
"""

import builtins
import json
import os
import pickle
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from funmem.driver import own_files
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, UsageError
from funmem.testing.campaign import on_dask as place
from funmem.testing.campaign.batch import BatchResult, Settings, Task, run_batch
from funmem.testing.campaign.children import Failed
from funmem.testing.campaign.on_dask import identity, on_dask
from funmem.testing.campaign.on_processes import as_completed, on_processes
from funmem.testing.campaign.orders import Orders
from funmem.testing.campaign.run import campaign
from funmem.testing.campaign.trial import Disagreement, Trial
from tests.support.command_line import say
from tests.testing.test_fuzz import patiently

SETTINGS = Settings(Orders.RANDOM, variants=3)


# ---------------------------------------------------------------------- the command


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    said = say("funmem fuzz -n 20 --scheduler tcp://nowhere:8786")
    assert said.code == 2
    assert "--scheduler needs the package `distributed`" in said.err
    assert "hint: pip install 'funmem[dask]'" in said.err


def test_jobs_are_for_this_machine() -> None:
    said = say("funmem fuzz -n 20 --scheduler tcp://nowhere:8786 --jobs 2")
    assert said.code == 2
    assert "--jobs is not for --scheduler" in said.err


# ---------------------------------------------------------------------- portions and replies


def test_portions_come_once_in_the_order_in_which_they_are_done() -> None:
    """Never more than two under way; the last one is done first."""
    under_way: dict[int, Future[int]] = {}

    def submit(seeds: range) -> "Future[int]":
        assert len(under_way) < 2
        under_way[seeds.start] = f = Future()
        if len(under_way) == 2:
            f.set_result(seeds.start)
        return f

    order = []
    for seeds, f in as_completed(submit, [range(k, k + 1) for k in range(5)], lambda: 2):
        order.append((seeds.start, f.result()))
        del under_way[seeds.start]
        if seeds.start == 4:
            under_way[0].set_result(0)
    assert order == [(1, 1), (2, 2), (3, 3), (4, 4), (0, 0)]


def test_what_is_under_way_is_cancelled_and_waiting_is_noticed() -> None:
    given: list[Future[int]] = []

    def submit(seeds: range) -> "Future[int]":
        given.append(Future())
        return given[-1]

    def late() -> None:
        given[1].set_result(1)

    todo = [range(1), range(1, 2)]
    found = as_completed(submit, todo, lambda: 2, seconds=0.01, waiting=late)
    assert next(found)[0] == todo[1]
    found.close()
    assert given[0].cancelled()


class KilledWorker(Exception):
    """As Dask calls it."""


def test_a_reply_that_never_comes_says_what_to_do() -> None:
    lost: Future[place.Reply] = Future()
    lost.cancel()
    killed: Future[place.Reply] = Future()
    killed.set_exception(KilledWorker("4 workers"))
    failed: Future[place.Reply] = Future()
    failed.set_exception(OSError("no space left"))
    for reply, what in (
        (lost, "scheduler at `tcp://a` was lost"),
        (killed, "died while they did the seeds 4 to 7: 4 workers"),
        (failed, "could do the seeds 4 to 7: no space left"),
    ):
        with pytest.raises(DeviceError, match=what) as e:
            place._received(reply, range(4, 8), "tcp://a")
        assert "--state" in e.value.diagnostic.hint


def test_a_device_that_a_worker_lacks_is_named() -> None:
    missing = pickle.dumps(Diagnostic(NOWHERE, "device", "no PoCL", "install it"))
    with pytest.raises(DeviceError, match="a worker on far: no PoCL"):
        place._done(("far", "funmem 1", missing), "funmem 1")


def counted(settings: Settings, seeds: range) -> BatchResult:
    return BatchResult(Trial(programs=len(seeds)), {seeds.start: "text"})


def fails(settings: Settings, seeds: range) -> BatchResult:
    raise ZeroDivisionError("here")


def test_what_nobody_expected_is_raised_with_its_traceback() -> None:
    content = place.answer(pickle.dumps((Task(SETTINGS, fails), range(3))))
    with pytest.raises(Failed, match=r"in fails\n(.|\n)*ZeroDivisionError: here"):
        place._done(("far", "funmem 1", content), "funmem 1")


def test_a_worker_looks_for_the_same_funmem(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sent uses nothing from here, so that it arrives where there is no funmem at all."""
    there = place._shipped()
    assert isinstance(there, FunctionType)
    there = FunctionType(there.__code__, {"__builtins__": builtins}, "there", (), there.__closure__)
    question = pickle.dumps((Task(SETTINGS, counted), range(3)))
    done = place._done(there(identity(), question), identity())
    assert (done.trial.programs, done.reduced) == (3, {0: "text"})
    with pytest.raises(UsageError, match=r"has funmem .*, and this is funmem 0\.0\.9"):
        place._done(there("funmem 0.0.9", question), "funmem 0.0.9")
    monkeypatch.delattr("funmem.testing.campaign.on_dask")
    monkeypatch.setitem(sys.modules, "funmem.testing.campaign.on_dask", None)
    with pytest.raises(UsageError, match="has no usable funmem"):
        place._done(there(identity(), question), identity())


def test_the_same_sources_are_the_same_in_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rooms lie beside the package there, and inside of it where it is installed."""

    def of(folders: dict[str, Path]) -> str:
        class Package:
            def __init__(self, name: str) -> None:
                self.__path__ = [str(folders[name])]

        monkeypatch.setattr(own_files, "import_module", Package)
        return identity.__wrapped__()

    def laid_out(top: Path, rooms: Path) -> dict[str, Path]:
        folders = {"funmem": top, **{f"funmem.{r}": rooms / r for r in own_files.ROOMS}}
        for folder in folders.values():
            (folder / "inner").mkdir(parents=True)
            (folder / "inner" / "a.py").write_text(f"{folder.name == 'ir'}")
        return folders

    checkout = laid_out(tmp_path / "checkout/funmem", tmp_path / "checkout")
    installed = laid_out(tmp_path / "funmem", tmp_path / "funmem")
    before = of(checkout)
    assert of(installed) == before
    (checkout["funmem.ir"] / "inner" / "a.pyc").write_text("built")
    assert of(checkout) == before
    (checkout["funmem.ir"] / "inner" / "a.py").write_text("changed")
    assert of(checkout) != before


# ---------------------------------------------------------------------- two workers

TODO = [range(k, k + 1) for k in range(8)]
HANGS = TODO[3]


def hangs_once(begun: Path, settings: Settings, seeds: range) -> BatchResult:
    """A portion; one of them disagrees, and never ends when it is begun for the first time."""
    done = run_batch(settings, seeds)
    if seeds == HANGS:
        if not begun.exists():
            begun.with_suffix(".new").write_text(f"{os.getpid()} {os.getppid()}")
            begun.with_suffix(".new").rename(begun)
            signal.pause()
        d = Disagreement(seeds.start, "allocate", 1, "heap", "race", "on purpose", "entry")
        done.trial.disagreements.append(d)
        return BatchResult(done.trial, {d.seed: "made small"})
    return done


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A scheduler with two workers: three processes."""
    distributed = pytest.importorskip("distributed", reason="needs pip install 'funmem[dask]'")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        local_directory=str(tmp_path_factory.mktemp("dask")),
    ) as c:
        yield c


def test_a_worker_that_is_killed_loses_nothing(cluster: Any, tmp_path: Path) -> None:
    """Its portion is done by the other one, or by the one that takes its place."""
    begun, state = tmp_path / "begun", tmp_path / "state"
    workers = {nanny.pid for nanny in cluster.workers.values()}
    killed: list[int] = []
    children: list[int] = []

    def kill(_: Trial) -> None:
        if not killed:
            patiently(begun.exists)
            child, worker = map(int, begun.read_text().split())
            os.kill(worker, signal.SIGKILL)
            killed.append(worker)
            children.append(child)

    work = partial(hangs_once, begun)
    far, before = campaign(
        SETTINGS,
        TODO,
        runner=on_dask(cluster.scheduler_address),
        out=tmp_path / "far",
        state=state,
        after=kill,
        work=work,
    )
    assert set(killed) < workers
    here, _ = campaign(SETTINGS, TODO, runner=on_processes(1), out=tmp_path / "here", work=work)
    assert (far, before) == (here, 0)
    assert far.programs == 8
    rows = [json.loads(line) for line in state.read_text().splitlines()[1:]]
    assert sorted(row["first"] for row in rows) == [p.start for p in TODO]
    for folder in ("far", "here"):  # written by who asked
        (file,) = (tmp_path / folder).iterdir()
        assert (file.name, file.read_text()) == ("seed_3.fun", "made small")
    patiently(lambda: not lives(children[0]))


def lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_worker_with_another_funmem_is_refused(
    cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "identity", lambda: "funmem 0.0.9")
    said = say(f"funmem fuzz -n 40 --scheduler {cluster.scheduler_address}")
    assert said.code == 2
    assert f"has {identity()}, and this is funmem 0.0.9" in said.err


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="needs pip install 'funmem[dask]'")
    monkeypatch.setattr(place, "PATIENCE", 0.2)
    for address in ("tcp://127.0.0.1:9", "tcp://127.0.0.1", "nonsense://127.0.0.1:9"):
        said = say(f"funmem fuzz -n 20 --scheduler {address}")
        assert said.code == 2
        assert f"no Dask scheduler answers at `{address}`" in said.err
        assert f"`dask worker {address}`" in said.err
