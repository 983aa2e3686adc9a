"""The checker of Core/r: right annotations, wrong ones by hand, and the table of its rules."""

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import funmem.ir.check.regions
from funmem.ir.check.core import check_core
from funmem.ir.check.regions import check_regions
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import SourceError
from funmem.ir.regions import erase
from funmem.ir.text import parse_core
from funmem.ir.text.print_core import show_core
from tests.support.paths import ROOT

HERE = Path(__file__).parent
REJECTED = sorted((HERE / "reject").glob("*.core"))
SOURCES = sorted(Path(funmem.ir.check.regions.__file__).parent.glob("*.py"))
TABLE = ROOT / "papers/harlan/regions.md"

RIGHT = """
data list 'r = #nil | #cons (at 'r []i64) (list 'r)
data color = #red | #mixed color_pair
data color_pair = #both i64 f32

foreign rows (i64) : ([]i64, i64)

def table : at 'static [](at 'static []i64) =
  @at['static] ([@at['static] (iota 3 0 1)] : (at 'static []i64))

def add 'r1 'r2 : at 'r1 []i64 -> list 'r1 -> at 'r2 (i64 -> list 'r1) =
  \\(xs : at 'r1 []i64) (l : list 'r1) ->
    let (k : i64) = size 0 xs
    in @letregion['r3]
         (let (ys : at 'r3 []i64) = @at['r3] (map (\\(x : i64) -> x + k) (xs))
          in if ys[0] < 0
             then @at['r2] (\\(y : i64) -> #nil : (list 'r1))
             else @at['r2] (\\(y : i64) ->
                    #cons (@at['r1] (iota y 0 1)) (#nil : (list 'r1)) : (list 'r1)))

def twice 'r1 'r2 'r3 : at 'r1 []i64 -> at 'r2 []i64 -> at 'r3 []i64 =
  \\(xs : at 'r1 []i64) (ys : at 'r2 []i64) -> @at['r3] (concat xs ys)

entry main (n : i64) (xs : at 'a [n]i64) : at 'b []i64 =
  let (m : i64, k : i64) = (n, size 0 @table)
  let (zs : at 'b []i64) = @letregion['r] (@twice['a, 'r, 'b] xs (@at['r] (iota m 0 1)))
  in @letregion['f]
       (let (f : at 'f (i64 -> i64 -> i64)) = @at['f] (\\(x : i64) (y : i64) -> x + y + k)
        let (g : at 'f (i64 -> i64)) = f 1
        let (h : at 'f (i64 -> i64)) = @at['f] (mu (h : at 'f (i64 -> i64)) \\(x : i64) -> g x)
        in @at['b] (map h (zs)))
"""


def read(path: Path) -> CoreProgram:
    return parse_core(path.read_text(encoding="utf-8"), path.name)


def code_of(path: Path) -> str:
    """The rule that the first line of a program names."""
    found = re.match(r"-- (R-[A-Z-]+): ", path.read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def test_right_annotations_of_many_kinds() -> None:
    p = parse_core(RIGHT.replace("(m : i64, k : i64)", "(m : i64) (k : i64)"))
    check_regions(p)
    assert parse_core(show_core(p)) == p
    check_core(erase(p))
    assert "'" not in show_core(erase(p))


@pytest.mark.parametrize("path", REJECTED, ids=lambda p: p.stem)
def test_a_wrong_annotation_is_refused_by_its_rule(
    path: Path, golden: Callable[[str, str], None]
) -> None:
    p, text = read(path), path.read_text(encoding="utf-8")
    check_core(erase(p))  # only the regions are wrong
    with pytest.raises(SourceError) as caught:
        check_regions(p)
    assert caught.value.diagnostic.code == code_of(path)
    assert path.stem.startswith(code_of(path) + "-")
    golden(
        f"../ir/check/regions/reject/{path.stem}.err", caught.value.diagnostic.render(text) + "\n"
    )


def test_no_golden_file_is_left_behind() -> None:
    assert {p.stem for p in (HERE / "reject").glob("*.err")} == {p.stem for p in REJECTED}
    assert len(REJECTED) >= 25


def rules_in(text: str) -> set[str]:
    return set(re.findall(r"R-[A-Z]+(?:-[A-Z]+)*", text))


def test_the_table_of_rules_is_that_of_the_code() -> None:
    """A rule without a line in the table, and a line without a rule; so also programs."""
    code = set().union(*(rules_in(path.read_text(encoding="utf-8")) for path in SOURCES))
    lines = re.findall(r"^\| (R-[A-Z-]+) \|", TABLE.read_text(encoding="utf-8"), re.M)
    assert len(lines) == len(set(lines))
    assert set(lines) == code
    texts = {
        node.value
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    with_premises = {text for text in texts if re.fullmatch(r"R-[A-Z-]+", text)}
    assert {code_of(path) for path in REJECTED} == with_premises
