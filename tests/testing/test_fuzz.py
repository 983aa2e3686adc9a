"""funmem fuzz: seeds over processes, what is remembered, what becomes of a disagreement.

That the engines agree is what ``test_campaign.py`` looks at; here it is the machine around them.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from funmem.ir.diagnostics import UsageError
from funmem.passes.runner import Pipeline
from funmem.testing.campaign import run as campaigns
from funmem.testing.campaign.batch import BatchResult, Settings, is_selected
from funmem.testing.campaign.on_processes import on_processes
from funmem.testing.campaign.orders import Orders
from funmem.testing.campaign.run import batches, campaign, figures, trial_of
from funmem.testing.campaign.trial import Disagreement, Trial, trial
from funmem.testing.judge.devices import Device
from funmem.testing.judge.time_limit import OutOfTime, limited
from tests.support.command_line import say
from tests.testing.test_reduce import no_replicate


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    """Programs, disagreements and programs per second; a second run finds all of it done."""
    state = tmp_path / "state"
    command = f"funmem fuzz -n 4 --seed 40 --jobs 1 --state {state} -o {tmp_path}/out --json"
    said = say(command)
    assert said.code == 0
    found = json.loads(said.out)
    assert found["programs"] == 4
    assert found["disagreements"] == 0
    assert found["programs_per_second"] > 0
    assert sum(found["passes"].get(x, 0) for x in ("lower", "lower-verified")) == 8
    again = json.loads(say(command).out)
    assert again["programs_per_second"] == 0
    assert {k: v for k, v in again.items() if k != "programs_per_second"} == {
        k: v for k, v in found.items() if k != "programs_per_second"
    }
    other = say(f"{command} --orders fixed")
    assert other.code == 2
    assert "belongs to a campaign with other settings" in other.err
    assert not (tmp_path / "out").exists()


def test_shards_are_all_seeds_once() -> None:
    whole = [s for p in batches(7, 105) for s in p]
    assert whole == list(range(7, 112))
    parts = [s for i in (1, 2, 3) for p in batches(7, 105, (i, 3)) for s in p]
    assert sorted(parts) == whole
    for wrong in ("0/3", "4/3", "1", "a/b", "-1/2"):
        said = say(f"funmem fuzz -n 0 --shard={wrong}")
        assert said.code == 2
        assert "a shard is I/N" in said.err


def test_each_k_th_program_runs_on_devices() -> None:
    both = Settings(opencl=2, c=3)
    for seed in range(30):
        on = {Device.OPENCL: is_selected(seed, 2), Device.SANITIZED: is_selected(seed, 3)}
        assert both.devices(seed) == tuple(d for d, turn in on.items() if turn)
    assert Settings(c=1, sanitize=False).devices(5) == (Device.C,)
    assert Settings(oclgrind=1, opencl=1).devices(7) == (Device.OPENCL, Device.OCLGRIND)
    assert Settings().devices(0) == ()


@pytest.mark.parametrize("k", [2, 3, 4, 20])
def test_turns_are_one_in_k_and_meet_all_pipelines(k: int) -> None:
    """With every 20th seed itself, no random pipeline would ever reach a device."""
    seeds = [s for s in range(400 * k) if is_selected(s, k)]
    assert len(seeds) == 400
    assert all(any(s // k == q for s in seeds) for q in range(400))
    assert {Orders.FIXED.pipelines(s) for s in seeds} == {
        Orders.FIXED.pipelines(s) for s in range(24)
    }
    assert any(s % 2 for s in seeds)


# ---------------------------------------------------------------------- states


def two_portions(settings: Settings, seeds: range) -> BatchResult:
    """What a portion gives, without running anything."""
    return BatchResult(Trial(programs=len(seeds), kinds=Counter(Copy=seeds.start)))


def test_a_state_survives_what_a_killed_process_began(tmp_path: Path) -> None:
    state, todo, settings = tmp_path / "state", batches(0, 40), Settings()
    first, before = campaign(
        settings, todo, runner=on_processes(1), out=tmp_path, state=state, work=two_portions
    )
    assert (first.programs, before) == (40, 0)
    lines = state.read_text().splitlines(keepends=True)
    assert len(lines) == 3
    state.write_text("".join(lines[:2]) + lines[2][:25])  # it was killed while it wrote
    after: list[Trial] = []
    second, before = campaign(
        settings,
        todo,
        runner=on_processes(1),
        out=tmp_path,
        state=state,
        after=after.append,
        work=two_portions,
    )
    assert (second, before) == (first, 20)
    assert [t.programs for t in after] == [20, 20]
    third, before = campaign(
        settings,
        batches(0, 60),
        runner=on_processes(1),
        out=tmp_path,
        state=state,
        work=two_portions,
    )
    assert (third.programs, before) == (60, 40)


def test_what_is_no_state_is_refused(tmp_path: Path) -> None:
    for text in ("", "x", "{}", "[]"):
        (tmp_path / "state").write_text(text)
        with pytest.raises(UsageError, match="is not the state of a campaign"):
            campaign(Settings(), [], runner=on_processes(1), out=tmp_path, state=tmp_path / "state")


def test_a_trial_is_written_and_read() -> None:
    t = trial(8, orders=Orders.RANDOM)
    t.disagreements.append(Disagreement(8, "allocate", 1, "heap", "data race", "here", "entry"))
    row = json.loads(json.dumps(campaigns.asdict(t)))
    assert trial_of(row) == t


# ---------------------------------------------------------------------- what goes wrong


def dies_of_five(settings: Settings, seeds: range) -> BatchResult:
    """A program kills its process, as one of a C compiler's sanitizers does."""
    if 5 in seeds:
        os._exit(1)
    return BatchResult(Trial(programs=len(seeds)))


@pytest.mark.slow
def test_a_process_that_dies_takes_nothing_with_it(tmp_path: Path) -> None:
    todo = [range(4, 6), range(6, 9)]
    t, _ = campaign(Settings(), todo, runner=on_processes(2), out=tmp_path, work=dies_of_five)
    assert t.programs == 5
    assert [(d.seed, d.engine, d.code) for d in t.disagreements] == [(5, "process", "died")]


@pytest.mark.exhaustive
def test_no_process_outlives_a_campaign_that_is_killed(tmp_path: Path) -> None:
    """They would wait for more to do, for ever, and nobody would know what they are."""
    state = tmp_path / "state"
    command = (sys.executable, "-m", "funmem", "fuzz", "-n", "100000", "--jobs", "2")
    command += ("--state", str(state), "--out", str(tmp_path / "out"))
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL) as found:
        try:
            patiently(lambda: members(found.pid) == 3)  # the command and its two workers
            found.kill()
            found.wait()
            patiently(lambda: members(found.pid) == 0)
        finally:
            if members(found.pid):
                os.killpg(found.pid, signal.SIGKILL)


def patiently(holds: Callable[[], bool]) -> None:
    """Wait for what has to become true some time."""
    for _ in range(1200):
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen within two minutes")


def members(group: int) -> int:
    """The number of processes of a group that have not ended."""
    count = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended since
            state, _, of_group = stat.read_text().rpartition(")")[2].split()[:3]
            count += of_group == str(group) and state != "Z"
    return count


def test_a_disagreement_is_reduced_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Orders, "pipelines", lambda *_, **__: (Pipeline([no_replicate]),))
    todo = [range(0, 4)]
    t, _ = campaign(Settings(), todo, runner=on_processes(1), out=tmp_path)
    assert {(d.engine, d.code) for d in t.disagreements} == {("crash", "KeyError in no_replicate")}
    for d in t.disagreements:
        text = (tmp_path / f"seed_{d.seed}.fun").read_text()
        assert "-- code: KeyError in no_replicate\n" in text
        assert f"-- seed: {d.seed}\n" in text
        assert text.count("let") == 1
    assert figures(t, 1.0)["disagreements"] == len(t.disagreements)
    whole = tmp_path / "whole"
    campaign(Settings(seconds=0), todo, runner=on_processes(1), out=whole)
    for d in t.disagreements:  # as it was, if nobody makes it smaller
        assert (whole / f"seed_{d.seed}.txt").read_text().count("let") > 5


def forever() -> None:
    while True:
        pass


def test_what_takes_too_long_is_a_disagreement() -> None:
    with pytest.raises(OutOfTime, match=r"more than 0\.05 seconds"), limited(0.05):
        forever()
    with limited(0.05):
        pass
    sum(range(3_000_000))  # the limit is gone


class Slow:
    """An object whose destructor outlasts the limit: Python ignores what is raised in it."""

    def __del__(self) -> None:
        end = time.process_time() + 0.1
        while time.process_time() < end:
            pass


def outlasts(seconds: float) -> None:
    Slow()
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_limit_that_is_ignored_comes_again() -> None:
    with pytest.raises(OutOfTime), limited(0.05):
        outlasts(5)
