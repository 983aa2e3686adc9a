"""``funmem regions`` beyond what papers/harlan/regions.md shows."""

import json
from pathlib import Path

import pytest

from tests.support.command_line import say

PAIRS = """
def twice 't (f: t -> t) (x: t) = f (f x)
entry main [n] (xs: [n]i64): i64 =
  let (a, b) = unzip (map (\\x -> (x, x + 1)) xs)
  in twice (\\s -> s + a[0]) (reduce (+) 0 (map2 (*) a b))
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.fut").write_text(PAIRS)
    return tmp_path


def test_a_program_of_another_language_and_its_figures() -> None:
    said = say("funmem regions pairs.fut --run --json -i '[1, 2, 3]'")
    rows = json.loads(said.out)
    assert list(rows) == ["one", "type", "inferred"]
    assert rows["one"]["regions"] == 1
    assert rows["inferred"]["peak"] < rows["one"]["peak"] == rows["one"]["allocated"]
    assert rows["inferred"]["moved"] < rows["one"]["moved"]
    table = say("funmem regions pairs.fut --run --random n=3").out.splitlines()
    assert [line.split()[0] for line in table] == ["regions", "one", "type", "inferred"]


@pytest.mark.parametrize("how", ["--how one", "--how type", "--placement entry", ""])
def test_what_is_printed_is_accepted(how: str, place: Path) -> None:
    (place / "pairs.core").write_text(say(f"funmem regions pairs.fut {how}").out)
    said = say("funmem regions pairs.core --check")
    assert said.code == 0
    assert "'" not in said.out
    (place / "plain.core").write_text(said.out)
    assert say("funmem run plain.core -i '[1, 2, 3]'").out == "22i64\n"


def test_programs_without_regions() -> None:
    (Path() / "id.core").write_text("def id 'a : 'a -> 'a = \\(x : 'a) -> x\n")
    said = say("funmem regions id.core --check")
    assert said.code == 2
    assert "has type variables that are no regions" in said.err
    (Path() / "f.fun").write_text("entry f (n : i64) -> (r : i64) = in (n)\n")
    said = say("funmem regions f.fun")
    assert said.code == 2
    assert "`f.fun` has no Core: its language is fun" in said.err


LISTS = """
data List = #nil | #cons i64 List
def upto : i64 -> List =
  \\(k : i64) -> if k == 0 then #nil : List else #cons k (@upto (k - 1)) : List
def sum : List -> i64 =
  \\(l : List) -> match l { #nil -> 0; #cons (x : i64) (r : List) -> x + (@sum r); }
entry main (n : i64) : i64 = loop (s : i64) = 0 for i < n do s + @sum (@upto n)
"""


@pytest.mark.slow
def test_compiled_with_each_number_of_regions(place: Path) -> None:
    (place / "lists.core").write_text(LISTS)
    rows = json.loads(say("funmem regions lists.core --run --via c --json -i 100").out)
    assert [list(row) for row in rows.values()] == 3 * [["peak", "seconds"]]
    assert rows["one"]["peak"] > 100 * 100 * 12 > 10 * rows["inferred"]["peak"]


@pytest.mark.slow
def test_a_process_with_each_number_of_regions(place: Path) -> None:
    (place / "p.kfc").write_text("(module (define (main) (println 1)))")
    rows = json.loads(say("funmem regions p.kfc --run --via c --json").out)
    assert set(rows) == {"one", "type", "inferred"}


def test_the_entry_point_is_chosen_before_all_are_compiled(place: Path) -> None:
    (place / "two.core").write_text("entry f (n : i64) : i64 = n entry g (n : i64) : i64 = n")
    said = say("funmem regions two.core --run --via opencl -i 1")
    assert said.code == 2
    assert "the program has `f`, `g`" in said.err
