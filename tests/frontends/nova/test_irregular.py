"""The programs on rows of different lengths of papers/nova compute what numpy computes.

``papers/nova/irregular/measure.py`` measures them; a fast wrong result is not to be reported.
"""

import sys
from importlib import util
from pathlib import Path

import numpy as np
import pytest

import funmem
from tests.support.devices import needs_compiler
from tests.support.paths import ROOT
from tests.support.sampling import sampled

FOLDER = ROOT / "papers" / "nova" / "irregular"
_spec = util.spec_from_file_location("nova_irregular", FOLDER / "measure.py")
assert _spec is not None
assert _spec.loader is not None
measure = util.module_from_spec(_spec)
sys.modules[_spec.name] = measure
_spec.loader.exec_module(measure)
NAMES: list[str] = list(measure.NUMPY)
CASES = [(name, kind) for name in NAMES for kind in measure.KINDS]


def test_each_program_has_a_peer() -> None:
    assert {p.stem for p in FOLDER.glob("*.nova")} == set(NAMES)


@pytest.mark.parametrize(("name", "kind"), sampled(CASES, 9, 1))
def test_agrees_with_numpy(name: str, kind: str) -> None:
    """Rows that are empty first, last and between, and one that is longer than all others."""
    args = measure.arguments(name, kind, 24)
    got = funmem.run(funmem.load(FOLDER / f"{name}.nova"), *args, via="value")
    measure.require_same(name, "value", _flat(got), measure.NUMPY[name](*args))


def _flat(got: object) -> list[object]:
    """Offsets and elements of rows, in place of the rows."""
    found: list[object] = []
    for x in got if isinstance(got, tuple) else (got,):
        if isinstance(x, list):
            found += [measure.offsets([len(r) for r in x]), np.concatenate(x)]
        else:
            found.append(x)
    return found


@needs_compiler
@pytest.mark.exhaustive
def test_measures(tmp_path: Path) -> None:
    found = measure.ratios("sums", "giant", 64, 1, measure.library(tmp_path))
    assert found.keys() == {"gcc", "numpy"}
    assert all(x > 0 for x in found.values())


def test_a_wrong_result_is_noticed() -> None:
    with pytest.raises(SystemExit, match="sums: the result of gcc is wrong"):
        measure.require_same("sums", "gcc", [np.ones(3)], [np.zeros(3)])
