"""The unseen programs mean what their C versions compute, and measure.py notices if not.

Protects `papers/unseen`.  The outputs in the test comments were computed by the C versions, so a
program or a version that changes alone is found here.
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from funmem.bench.tasks import Arrays, Task
from funmem.suite.check import Plan, check_file
from funmem.suite.verdict import Status
from tests.support.devices import needs_compiler
from tests.support.paths import ROOT
from tests.support.sampling import sampled

UNSEEN = ROOT / "papers" / "unseen"
NAMES = sorted(p.stem for p in UNSEEN.glob("*/*.fut"))


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """``papers/unseen/measure.py``, with a cache of its own."""
    monkeypatch.setenv("FUNMEM_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(UNSEEN))
    spec = importlib.util.spec_from_file_location("unseen_measure", UNSEEN / "measure.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    monkeypatch.delitem(sys.modules, "inputs")
    return found


def test_each_has_a_c_version_and_arguments(script: ModuleType) -> None:
    assert list(script.INPUTS) == NAMES
    assert sorted(p.stem for p in UNSEEN.glob("*/*.c")) == NAMES


@pytest.mark.parametrize("name", sampled(NAMES, 8))
def test_by_value(name: str) -> None:
    verdict = check_file(str(UNSEEN / name / f"{name}.fut"), Plan(("value",)))
    assert verdict.status is Status.PASS, verdict.findings


@pytest.mark.exhaustive
@needs_compiler
def test_measures(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table of one program, then the same with a wrong expectation."""
    command = ["--only", "atax", "--scale", "0.02", "--via", "c", "--rounds", "1", "--markdown"]
    assert script.main(command) == 0
    assert "| [atax](atax/atax.fut) | " in capsys.readouterr().out
    right = script.by_c

    def wrong(t: Task) -> Arrays:
        return tuple(x + np.float64(1) for x in right(t))

    monkeypatch.setattr(script, "by_c", wrong)
    assert script.main(command) == 3
    said = capsys.readouterr().out
    assert "atax, c: 60 of 60 elements of result 1 are wrong" in said
