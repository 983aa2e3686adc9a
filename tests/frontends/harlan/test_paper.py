"""The programs of papers/harlan: what they compute, and the command that measures them."""

import re
import zlib
from pathlib import Path

import numpy as np
import pytest

from funmem.bench.tasks import load_module
from funmem.suite.check import Plan, check_file
from funmem.suite.verdict import Status
from tests.support.paths import ROOT
from tests.support.sampling import sampled

HARLAN = ROOT / "papers" / "harlan"
PROGRAMS = sorted((HARLAN / "programs").glob("*.kfc"))


@pytest.mark.parametrize("path", sampled(PROGRAMS, 12), ids=lambda p: p.stem)
def test_the_papers_programs(path: Path) -> None:
    """By Core's interpreter and below it."""
    for via in ("core", "value"):
        verdict = check_file(str(path), Plan((via,)))
        assert verdict.status is not Status.FAIL, verdict.findings


@pytest.mark.parametrize("name", sampled(["dot", "sorted", "bfs"], 0))
def test_programs_are_checked_and_measured(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Finds arguments that do not correspond: each result is compared before it is measured."""
    measure = load_module(HARLAN / "measure.py")
    measure.main([name, "--via", "c", "--scale", "0.002", "--rounds", "1", "--peers", "numpy"])
    head, _, row = capsys.readouterr().out.splitlines()[-3:]
    assert head == "|  | via | ms | / .fut | wanted | / numpy |"
    cells = row.strip("| ").split(" | ")
    assert cells[:2] == [name, "c"]
    assert re.fullmatch(r"\d+\.\d\d", cells[3]), "a ratio to .fut, and no dash"


def test_a_picture_has_the_colours_of_its_pixels() -> None:
    measure = load_module(HARLAN / "measure.py")
    data = measure.png(np.array([[0x010203, 0xFFFEFD]], np.int32))
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at = data.index(b"IDAT")
    length = int.from_bytes(data[at - 4 : at], "big")
    assert zlib.decompress(data[at + 4 : at + 4 + length]) == b"\0\1\2\3\xff\xfe\xfd"


def test_the_flat_part_of_transfer_times() -> None:
    flat = load_module(HARLAN / "transfer.py").flat
    assert flat([4, 16, 64, 256], [3.0, 2.0, 4.0, 4.1]) == 64
    assert flat([4, 16], [1.0, 1.0]) == 16


@pytest.mark.opencl
@pytest.mark.exhaustive
def test_transfer_prints_a_row_for_each_size(capsys: pytest.CaptureFixture[str]) -> None:
    load_module(HARLAN / "transfer.py").main(["--largest", "6", "--rounds", "1"])
    rows = capsys.readouterr().out.splitlines()
    assert [r.split(" | ")[0] for r in rows[2:5]] == ["| 4 bytes", "| 16 bytes", "| 64 bytes"]
    assert "flat up to" in rows[-1]
