"""The command that says whether a change left the compiled output alone (tests/fingerprint.py)."""

import os
import subprocess
import sys

import pytest

from tests.fingerprint import ROOT, differences, files, fingerprint
from tests.support.sampling import sampled


def test_a_program_has_a_line_with_a_hash_for_each_language() -> None:
    name, kind, *hashes = fingerprint("examples/dot.fun", gpu=False).split(" ")
    assert (name, kind) == ("examples/dot.fun", "cpu")
    languages = [h.partition("=")[0] for h in hashes]
    assert languages == ["FUN", "FUNMEM", "IMP", "OpenCL", "C", "remarks"]


@pytest.mark.parametrize("seed", sampled(["1", "2"], 2))
def test_lines_do_not_depend_on_the_process(seed: str) -> None:
    """Nothing that is compiled depends on the order of a set of texts."""
    code = "from tests.fingerprint import fingerprint as f; print(f('7', gpu=True))"
    again = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": seed},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert again.stdout.strip() == fingerprint("7", gpu=True)


def test_what_differs_is_named() -> None:
    before = ["a cpu FUN=1 C=2", "b cpu FUN=1", "c gpu FUN=1 remarks=1"]
    after = ["a cpu FUN=1 C=3", "c gpu FUN=1 remarks=1", "d cpu FUN=1"]
    assert list(differences(before, after)) == [
        "a cpu: C",
        "b cpu: only before",
        "d cpu: only after",
    ]


def test_every_program_that_is_kept_as_a_file_is_looked_at() -> None:
    assert set(files(quick=True)) < set(files(quick=False))
