"""``funmem run --via core`` on rows of different lengths, beside other engines."""

import json
from pathlib import Path

import pytest

import funmem
from tests.support.command_line import say

PROGRAM = """((X : vector vector int))
((filter (lambda (r : vector int) (> (length r) 0)) X), (map (reduce + 0) X))
"""
ROWS = "-i '[[1, 2], [], [3]]'"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.nova").write_text(PROGRAM)


def test_core_takes_and_gives_nested_rows() -> None:
    said = say(f"funmem run rows.nova --via core {ROWS}")
    assert said.out.splitlines() == ["[[1i32, 2i32], [3i32]]", "[3i32, 0i32, 3i32]"]
    summary = say(f"funmem run rows.nova --via core --summary {ROWS}").out.splitlines()
    assert [line.split(",")[0] for line in summary] == [
        "out_1'offsets : [3]i64",
        "out_1 : [3]i32",
        "out_2 : [3]i32",
    ]


def test_core_gives_rows_to_python() -> None:
    flat = ([0, 2, 2, 3], [1, 2, 3])
    for args in ([[[1, 2], [], [3]]], flat):
        rows, sums = funmem.run(PROGRAM, *args, via="core", language="nova")
        assert [x.tolist() for x in rows] == [[1, 2], [3]]
        assert sums.tolist() == [3, 0, 3]


@pytest.mark.parametrize("engines", [("core", "value"), ("value", "core"), ("core", "core")])
def test_core_and_other_engines_are_compared(engines: tuple[str, str]) -> None:
    """Also if the rows have one length: then Core gives a matrix, and the others offsets."""
    for rows in (ROWS, "-i '[[1, 2], [3, 4]]'"):
        said = say(f"funmem run rows.nova --via {engines[0]} --against {engines[1]} --json {rows}")
        assert said.code == 0
        (_, sums) = json.loads(said.out)["results"]
        assert sum(sums["values"]) == (6 if rows is ROWS else 10)
