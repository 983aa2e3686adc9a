"""Regions of Core: what inference finds, where it places them, and that nothing else changes."""

import re
from pathlib import Path

import pytest

from funmem.interp.core.regions import run_regions
from funmem.ir.check.regions import check_regions
from funmem.ir.core import CoreProgram
from funmem.ir.depth import deep
from funmem.ir.diagnostics import SourceError
from funmem.ir.regions import erase
from funmem.ir.text import parse_core
from funmem.ir.text.print_core import show_core
from funmem.passes.core.monomorphise import monomorphise
from funmem.passes.core.regions import Placement, Strategy, infer_regions
from tests.support.paths import TESTS
from tests.support.region_programs import CHOICES, INFERRED, generated, judged, mutant_faults
from tests.support.sampling import sampled

PROGRAMS = TESTS / "programs"
LANGUAGES = ("harlan", "nova")
FILES = [p for f in LANGUAGES for p in sorted((PROGRAMS / f).rglob("*")) if p.is_file()]
FILES = [p for p in FILES if p.suffix in (".kfc", ".nova") and "reject" not in p.parts]
FUT = sorted(PROGRAMS.rglob("*.fut"))


def inferred(text: str, *choice: Strategy | Placement) -> CoreProgram:
    with deep():
        p = monomorphise(parse_core(text))
    q = infer_regions(p, *choice)  # type: ignore[arg-type]
    check_regions(q)
    assert erase(q) == p
    return q


def shown(text: str) -> str:
    return show_core(inferred(text))


# ---------------------------------------------------------------------- programs


def test_a_sample_of_programs_means_the_same() -> None:
    """Checker, erasure, text, results, output: a fault that only whole programs show."""
    wrong = {str(p): found for p in FILES[5::80] if (found := judged(p))}
    assert not wrong


@pytest.mark.parametrize("first", sampled(range(40), 0, slow=60))
def test_all_programs_mean_the_same(first: int) -> None:
    files = [*FILES[first::40], *FUT[first::120]]
    wrong = {str(p): found for p in files if (found := judged(p, CHOICES[first % 6 :][:1]))}
    assert not wrong


def test_generated_programs_mean_the_same() -> None:
    assert [text for seed in (2, 7) for text in generated(seed, (INFERRED,))] == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(0, 200, 10))
def test_more_generated_programs_mean_the_same(first: int) -> None:
    assert [text for seed in range(first, first + 10) for text in generated(seed)] == []


@pytest.mark.parametrize("path", sampled(FILES[2::50], 5), ids=lambda p: p.stem)
def test_the_rules_are_sound(path: Path) -> None:
    """Of changed annotations, those that the checker accepts have no fault when they run."""
    wrong, accepted, refused = mutant_faults(path)
    assert wrong == []
    assert accepted + refused in (0, 20)


# ---------------------------------------------------------------------- inference


def test_two_calls_of_a_function_get_two_regions() -> None:
    """As the paper's compiler is monomorphic, it would give both results one region."""
    text = shown("""
    def numbers : i64 -> []i64 = \\(n : i64) -> iota n 0 1
    entry main (n : i64) : i64 =
      let (a : []i64) = @numbers n let (b : []i64) = @numbers (n + 1) in size 0 a + size 0 b
    """)
    first, second = re.findall(r"@numbers\['(r\d+)\]", text)
    assert first != second


def test_the_worked_case() -> None:
    """Elements of an array have one type, so they share a region; the result's is the caller's."""
    text = shown("""
    def choose : i64 -> []i64 =
      \\(n : i64) ->
        let (a : []i64) = iota n 0 1
        let (b : []i64) = iota (n + 1) 0 1
        let (both : [][]i64) = [a, b] : []i64
        in both[0]
    entry main (n : i64) : []i64 = @choose n
    """)
    (result,) = re.findall(r"def choose '(r\d+) :", text)
    assert text.count(f"@at['{result}] (iota") == 2
    (own,) = re.findall(r"@letregion\['(r\d+)\]", text)
    assert f"(both : at '{own} [](at '{result} []i64))" in text


def test_what_a_closure_captures_lies_in_its_region() -> None:
    """Also what is known of it only after the body has been inferred."""
    text = shown("""
    def pick : bool -> []i64 -> []i64 -> i64 -> i64 =
      \\(b : bool) (xs : []i64) (ys : []i64) (i : i64) ->
        let (f : i64 -> i64) = if b then (\\(j : i64) -> xs[j]) else \\(j : i64) -> ys[j]
        in f i
    entry main (xs : []i64) (ys : []i64) : i64 = @pick true xs ys 0
    """)
    params = re.findall(r"def pick (.*) : bool", text)
    assert params == ["'" + re.findall(r"def pick '(r\d+)", text)[0]]


def test_the_body_of_a_kernel_captures_nothing() -> None:
    text = shown("""
    def add : []i64 -> []i64 -> []i64 =
      \\(xs : []i64) (ys : []i64) -> map (\\(i : i64) -> xs[i] + ys[i]) (iota (size 0 xs) 0 1)
    entry main (xs : []i64) (ys : []i64) : []i64 = @add xs ys
    """)
    assert len(re.findall(r"'r\d+", text.split(" : ")[0])) == 3


LIST = "data list = #nil | #cons i64 list\ndata word = #letters []u8 | #none\ndata color = #red\n"


def test_which_data_types_have_a_region() -> None:
    """A cycle or an array needs one; a plain sum has none."""
    text = shown(LIST + "entry main (n : i64) : i64 = n")
    assert "data color" not in text  # nobody needs it
    text = show_core(infer_regions(parse_core(LIST + "entry main (n : i64) : i64 = n")))
    assert "data list 'r = #nil | #cons i64 (list 'r)" in text
    assert "data word 'r = #letters (at 'r []u8) | #none" in text
    assert "data color = #red" in text


def test_recursion_is_monomorphic_in_regions() -> None:
    text = shown(
        LIST
        + """
    def grow : i64 -> list -> list =
      \\(n : i64) (l : list) -> if n < 1 then l else @grow (n - 1) (#cons n l : list)
    def sum : list -> i64 =
      \\(l : list) -> match l { #nil -> 0; #cons (x : i64) (t : list) -> x + @sum t }
    entry main (n : i64) : i64 = @sum (@grow n (#nil : list)) + @sum (@grow 3 (#nil : list))
    """
    )
    (r,) = re.findall(r"def grow '(r\d+) :", text)
    assert f"@grow['{r}] (n - 1)" in text
    assert len(re.findall(r"@letregion", text)) == 2


def test_a_constant_lies_in_the_static_region() -> None:
    text = shown("""
    def table : []i64 = iota 3 0 1
    entry main (n : i64) : i64 = (@table)[n]
    """)
    assert "def table : at 'static []i64 =\n  @at['static] (iota 3 0 1)" in text


def test_names_of_the_annotations_are_reserved() -> None:
    with pytest.raises(SourceError, match="regions of a program that defines `at`"):
        shown("def at : i64 = 3\nentry main (n : i64) : i64 = @at")


# ---------------------------------------------------------------------- placement, choices

STEPS = """
entry main (n : i64) : i64 =
  loop (s : i64) = 0 for i < n do
    let (xs : []i64) = iota 100 i 1 in s + xs[3]
"""


def peaks(text: str, n: int) -> dict[tuple[Strategy, Placement], int]:
    return {(s, p): run_regions(inferred(text, s, p), "main", [n])[1].peak for s, p in CHOICES}


def test_an_iteration_frees_what_it_made() -> None:
    """At the entry of the function, the garbage of all iterations would live until its end."""
    found = peaks(STEPS, 5)
    assert found[Strategy.INFERRED, Placement.TIGHT] == 800
    assert found[Strategy.INFERRED, Placement.ENTRY] == 5 * 800
    assert found[Strategy.ONE, Placement.TIGHT] == 5 * 800


def test_a_region_ends_after_its_last_use_in_a_chain() -> None:
    """Not at the end of the chain: of three arrays in a row only one lives at a time."""
    text = """
    entry main (n : i64) : i64 =
      let (xs : []i64) = iota 100 n 1
      let (a : i64) = xs[3]
      let (ys : []i64) = map (\\(x : i64) -> x + a) (iota 100 n 1)
      let (b : i64) = ys[3]
      let (zs : []i64) = iota 100 b 1
      in zs[3]
    """
    assert peaks(text, 1)[Strategy.INFERRED, Placement.TIGHT] == 1600
    assert peaks(text, 1)[Strategy.INFERRED, Placement.ENTRY] == 3200


def test_fewer_regions_move_more() -> None:
    """With one region a kernel that reads one array takes the other one along."""
    q = """
    entry main (n : i64) : i64 =
      let (big : []i64) = iota 1000 0 1
      let (small : []i64) = iota 10 0 1
      let (new : []i64) = map (\\(x : i64) -> x + n) (small)
      in new[0] + big[0]
    """
    runs = {s: run_regions(inferred(q, s), "main", [1])[1] for s in Strategy}
    assert runs[Strategy.INFERRED].moved == 160  # small there, new back
    assert runs[Strategy.ONE].moved > 8000
    assert {m.allocated for m in runs.values()} == {8 * 1020}
