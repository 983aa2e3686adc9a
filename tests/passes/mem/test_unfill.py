"""unfill: which arrays need no initial elements, and what it says of the others.

`tests/seeded/programs/unfill.fun` has an array whose loop reads the element before its own, one
whose loop reads the element that it replaces, and two that exchange their roles.
"""

from pathlib import Path

from funmem.ir.fun import Replicate, Scratch
from funmem.ir.text import parse_fun
from funmem.ir.traverse import walk
from funmem.ir.verify import Kind, Verdict, verify
from funmem.passes.framework import Report, as_tree
from funmem.passes.runner import Pipeline
from tests.support.memory_check import difference

PROGRAM = Path(__file__).parents[2] / "seeded" / "programs" / "unfill.fun"


def test_arrays_that_are_written_first_are_not_filled() -> None:
    report = Report()
    p = parse_fun(PROGRAM.read_text())
    q = as_tree(Pipeline.parse("allocate,unfill").run(p, report=report))
    made = {s.pat[0].name: s.exp for s in walk(q.entries[0].body) if s.pat}
    assert [x for x, e in made.items() if isinstance(e, Scratch)] == ["z"]
    assert [x for x, e in made.items() if isinstance(e, Replicate)] == ["z1", "z2", "z3"]
    assert [(r.place, r.condition) for r in report.remarks if r.pass_name == "unfill"] == [
        ("z", "not filled"),
        *((x, "not_observed") for x in ("z1", "z2", "z3")),
    ]
    open_ = [o for o in verify(q).obligations if o.verdict is not Verdict.PROVED]
    assert [o for o in open_ if o.kind is Kind.WRITTEN] == []
    assert difference(p, q) is None
