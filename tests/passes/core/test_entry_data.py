"""Seeded bugs of entry-data: arguments that are returned change, or wrong rows are accepted."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from funmem.driver.entry_points import signature_of
from funmem.interp.core import run_nested
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import Trap
from funmem.ir.text import parse_core
from funmem.passes.core.entry_data import entry_data
from funmem.values.by_name import called_by_name, taken_apart
from funmem.values.literals import read_literals, show_literal
from tests.seeded.bugs_entry_data import BUGS
from tests.seeded.core import CoreBug, Seen, faulty, source
from tests.support.sampling import sampled

PROGRAM = parse_core(r"""
data List = #nil | #cons i32 List
data Tree = #leaf | #node Tree {key : i64, names : []u8} []List Tree
entry list (l : List) : List = l
entry trees (k : i32) (ts : []Tree) : ([]Tree, List) = (ts, #cons k (#nil : List) : List)
""")

LONG = "#cons 1 (#cons 2 #nil)"
NODE = f"#node #leaf {{key = 5, names = [7, 8, 9]}} [{LONG}, #nil, {LONG}] "
GIVEN = {
    "list": [["#nil"], [LONG]],
    "trees": [
        ["1", "[]"],
        ["2", f"[#leaf, {NODE} #leaf, {NODE} ({NODE} #leaf)]"],
        ["3", f"[{', '.join(40 * [NODE + '#leaf'])}]"],
    ],
}
ROWS = [
    (0, [1, 0], [7, 0], [0, 0]),
    (0, [1, 0], [7, 0], [2, 0]),
    (2, [1, 0], [7, 0], [1, 0]),
    (0, [1, 5], [7, 0], [1, 0]),
    (0, [1, 0, 5], [7, 0, 0], [1, 0, 0]),
]
"""Links to the row itself and behind all rows, and a tag that no constructor has."""


def parts_of(p: CoreProgram, entry: str) -> Callable[..., Any]:
    """Return the program's entry point on parts, as an engine has it."""

    def call(*parts: Any) -> Any:
        found = run_nested(p, entry, parts)
        values = tuple([getattr(x, "data", x) for x in found])
        return values if len(values) > 1 else values[0]

    return call


def expected(entry: str, args: Sequence[Any]) -> str:
    if entry == "list":
        return show_literal(args[0])
    return show_literal((args[1], read_literals(f"#cons {args[0]} #nil", "-i")[0]))


def noticed(run: Callable[[CoreProgram], CoreProgram]) -> Seen | None:
    """What is wrong after the pass."""
    p = run(PROGRAM)
    for entry, calls in GIVEN.items():
        for texts in calls:
            args = [read_literals(text, "-i")[0] for text in texts]
            try:
                found = called_by_name(parts_of(p, entry), signature_of(PROGRAM, entry))(*args)
            except (Trap, IndexError):  # IndexError: links to rows that are not there
                return Seen.TRAP
            if show_literal(found).replace("u8", "") != expected(entry, args):
                return Seen.VALUE
    if not all(traps(p, "list", *row) for row in wrong_rows()):
        return Seen.VALUE
    given = taken_apart(
        signature_of(PROGRAM, "trees"), [1, [read_literals(NODE + "#leaf", "-i")[0]]]
    )
    k, _, tags, *columns = (part.value for part in given)
    for row, tag in enumerate(tags):
        is_tree = tag in (0, 1)
        if traps(p, "trees", k, np.array([row]), tags, *columns) is is_tree:
            return Seen.VALUE
    return None


def wrong_rows() -> Iterator[tuple[Any, ...]]:
    for link, tags, numbers, links in ROWS:
        yield link, np.array(tags), np.array(numbers, np.int32), np.array(links)


def traps(p: CoreProgram, entry: str, *parts: Any) -> bool:
    """True if the rows of a caller are refused."""
    try:
        parts_of(p, entry)(*parts)
    except Trap as trap:
        return "the arguments have a" in trap.diagnostic.message
    return False


def test_arguments_are_returned_and_wrong_rows_trap() -> None:
    assert noticed(entry_data) is None


@pytest.mark.parametrize("bug", sampled(BUGS, 4, slow=2), ids=lambda b: b.name)
def test_is_noticed(bug: CoreBug) -> None:
    assert source(bug.place).count(bug.old) == 1
    assert noticed(faulty(bug)) is bug.seen
