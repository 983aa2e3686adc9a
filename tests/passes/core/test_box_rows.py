"""Which rows become boxed vectors, what stays as it is, and what is refused.

Protects ``passes/core/box_rows/``.  What programs mean is judged by the programs in
``tests/programs/recursive`` and ``tests/programs/harlan``, and by the sample ``roses``.
"""

from collections.abc import Callable

import pytest

from funmem.ir.core import CoreProgram
from funmem.ir.core_types import type_text
from funmem.ir.diagnostics import SourceError
from funmem.ir.names import Fresh
from funmem.ir.text.print_core import show_core
from funmem.ir.text.read_core import parse_core
from funmem.passes.core.box_rows import box_rows
from funmem.passes.core.box_rows.lengths import ragged
from funmem.passes.core.unique import renamed
from tests.seeded.bugs_box_rows import PLANS, Plan
from tests.seeded.core import faulty, source
from tests.support.sampling import sampled

KEPT = """
def kept : i64 -> []i64 =
  \\(k : i64) -> let (m : i64) = foreign f (k) : i64 in iota m 0 1
"""


def program(rows: str) -> CoreProgram:
    """A program whose rows are made in a definition."""
    return parse_core(
        "foreign f (i64) : i64\n"
        + KEPT
        + f"def rows : i64 -> [][]i64 = \\(n : i64) -> {rows}\n"
        + "entry main (n : i64) : i64 = size 0 (@rows n)"
    )


def found(rows: str) -> list[str]:
    p = renamed(program(rows), Fresh(()))
    return sorted(map(type_text, ragged(p, ())))


@pytest.mark.parametrize(
    "rows",
    [
        "map (\\(i : i64) -> iota n i 1) (iota n 0 1)",
        "map (\\(r : []i64) -> map (\\(x : i64) -> x + 1) (r)) (replicate n (iota n 0 1))",
        "rearrange (1, 0) (replicate n (iota 3 0 1))",
        "[iota n 0 1, iota n 1 1] : []i64",
        "let (k : i64) = n * n in [iota k 0 1, iota k 1 1] : []i64",
        "map (\\(i : i64) -> if i > 2 then iota n 0 1 else map (\\(x : i64) -> i) (iota n 0 1)) "
        "(iota n 0 1)",
        "loop (m : [][]i64) = replicate n (iota n 0 1) for i < n do update [i] m (iota n i 1)",
        "let (r : []i64) = filter (\\(x : i64) -> x > 2) (iota n 0 1) in map (\\(i : i64) -> r) "
        "(iota n 0 1)",
    ],
)
def test_rows_of_one_length_stay(rows: str) -> None:
    p = program(rows)
    assert found(rows) == []
    assert box_rows(p) is p


@pytest.mark.parametrize("plan", PLANS, ids=lambda p: p.bug.name)
def test_rows_of_different_lengths_are_found(plan: Plan) -> None:
    assert found(plan.text) == ["i64"]


@pytest.mark.parametrize("plan", sampled(PLANS, 3, slow=1), ids=lambda p: p.bug.name)
def test_a_seeded_bug_takes_them_for_regular(plan: Plan) -> None:
    """Only the plan notices: Core's interpreter has rows of any lengths."""
    p = program(plan.text)
    assert source(plan.bug.place).count(plan.bug.old) == 1
    assert box_rows(p) is not p
    assert faulty(plan.bug)(p) is p


def test_before_and_after(golden: Callable[[str, str], None]) -> None:
    p = parse_core(
        """
        data Rose = #rose i64 ([]Rose)
        def size_of : Rose -> i64 =
          \\(t : Rose) -> match t { #rose (k : i64) (rs : []Rose) -> k + size 0 rs; }
        entry main (n : i64) : ([]i64, i64) =
          let (m : [][]i64) = [iota n 0 1, iota 2 0 1] : []i64
          let (m : [][]i64) = update [1, 0] m 5
          in (map (\\(r : []i64) -> size 0 r) (m), @size_of (#rose m[1, 0] ([] : Rose) : Rose))
        """
    )
    golden("core/box_rows.txt", show_core(box_rows(p)))


def test_an_operation_on_regular_arrays_is_remarked() -> None:
    """The rows are taken as regular; one of another length traps in to-fun."""
    p = program("rearrange (1, 0) ([iota n 0 1, iota 2 0 1] : []i64)")
    said: list[tuple[str, str]] = []
    assert box_rows(p, lambda place, why: said.append((place, why))) is p
    assert said == [("the program", "`rearrange` of rows whose lengths may differ")]


def test_of_an_array_in_recursive_data_it_is_refused() -> None:
    p = parse_core(
        """
        data T = #t ([][]i64) T | #end
        entry main (n : i64) : i64 =
          match (#t (rearrange (1, 0) (replicate n (iota n 0 1))) (#end : T) : T) {
            #t (m : [][]i64) (r : T) -> size 0 m; #end -> 0; }
        """
    )
    with pytest.raises(SourceError) as caught:
        box_rows(p)
    assert caught.value.diagnostic.message == (
        "not supported: `rearrange` of rows whose lengths may differ"
    )
