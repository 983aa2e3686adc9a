"""Seeded bugs in the passes that meet foreign calls: types, results, or the notes of effects show.

Each bug is one changed line of the compiler (papers/decisions/seeded-bugs.md).  A call of ``note``
is observed by what it notes; ``pick`` refuses arguments that the program guards against.
"""

from collections.abc import Sequence

import numpy as np
import pytest
from attrs import field, frozen

from funmem.interp.core import run_core
from funmem.interp.imp import run_imp
from funmem.interp.value import run
from funmem.ir.core import CoreProgram
from funmem.ir.foreign import ArrayFunction, Part
from funmem.ir.foreign_arrays import OnScalars
from funmem.ir.fun import Program
from funmem.ir.imp import ImpProgram
from funmem.ir.names import Name
from funmem.ir.scalars import I64
from funmem.ir.text import parse_fun
from funmem.ir.text.read_core import parse_core
from funmem.passes.framework import StageProgram
from funmem.passes.registry import find
from funmem.passes.runner import PassFailed, Pipeline, Step
from tests.seeded.world import changed
from tests.support.sampling import sampled

FUN = """
entry main (x : i64) (k : i64) -> (r : i64) (s : i64) =
  let (t : bool) = call note (false, x) effect
  let (u : bool) = call note (false, x) effect
  let (q : i64) (w : i64) = call split (x, k) foreign
  let (c : bool) = x > 0
  let (y : i64) =
    if c then
      let (z : i64) = call pick (x) foreign
      in (z)
    else in (q)
  in (y, w)
"""

CORE = """
foreign split (i64, i64) : (i64, i64)
foreign pick (i64) : i64
effect note (token, i64) : token

entry main (t : token) (x : i64) (k : i64) : (token, i64, i64) =
  let (t1 : token) = effect note (t, x) : token
  let (t2 : token) = effect note (t1, k) : token
  let (q : i64) (w : i64) = foreign split (x, k) : (i64, i64)
  in (t2, if x > 0 then foreign pick (x) : i64 else q, w)
"""


@frozen
class Bug:
    """``old`` becomes ``new`` in a module; ``caught``: what differs."""

    name: str
    module: str
    old: str
    new: str
    passes: str
    caught: str
    text: str = FUN


BUGS = (
    Bug(
        "equal effects become one",
        "funmem.passes.fun.simplify.forward",
        "case Call() if len(s.pat) != 1 or exp.linkage is Linkage.EFFECT:",
        "case Call() if len(s.pat) != 1:",
        *("simplify", "notes"),
    ),
    Bug(
        "an effect without a use is removed",
        "funmem.ir.logic.may_trap",
        'return f"function {fn} may trap or not terminate" if partial else None',
        "return None",
        *("simplify", "notes"),
    ),
    Bug(
        "a traversal forgets where the function is",
        "funmem.ir.traverse",
        "return Call(fn, tuple(m.atom(a) for a in args), partial, linkage)",
        "return Call(fn, tuple(m.atom(a) for a in args), partial)",
        *("simplify", "T-CALL"),
    ),
    Bug(
        "an effect becomes pure on the way to IMP",
        "funmem.passes.lower.statements",
        "CallStm(results, fn, args, partial, linkage, at)",
        "CallStm(results, fn, args, partial, type(linkage).FOREIGN, at)",
        *("allocate,lower", "crash"),
    ),
    Bug(
        "results in the wrong order in IMP",
        "funmem.passes.lower.statements",
        "results = tuple(x.name for x in s.pat)",
        "results = tuple(x.name for x in reversed(s.pat))",
        *("allocate,lower", "results"),
    ),
    Bug(
        "arguments in the wrong order in FUN",
        "funmem.passes.core.to_fun.foreign",
        "args = tuple(w.atom(v) for v in given)",
        "args = tuple(w.atom(v) for v in given[:1] + given[:0:-1]) if e.effect else "
        "tuple(w.atom(v) for v in reversed(given))",
        *("to-fun", "results", CORE),
    ),
    Bug(
        "an effect becomes pure in FUN",
        "funmem.passes.core.to_fun.foreign",
        "Linkage.EFFECT if e.effect else Linkage.FOREIGN",
        "Linkage.FOREIGN",
        *("to-fun", "crash", CORE),
    ),
    Bug(
        "flatten-data loses the mark of an effect",
        "funmem.passes.core.flatten_data.expressions",
        "made = c.Foreign(name, given, self._result(of), effect, at, dims)",
        "made = c.Foreign(name, given, self._result(of), False, at, dims)",
        *("flatten-data", "C-FOREIGN", CORE),
    ),
    Bug(
        "flatten-data evaluates arguments from right to left",
        "funmem.passes.core.flatten_data.expressions",
        "                given = tuple(p for a in args for p in self.atoms(a).parts)\n"
        "                of = self.type(t)",
        "                given = tuple(p for a in args[::-1] for p in self.atoms(a).parts)\n"
        "                of = self.type(t)",
        *("flatten-data", "C-FOREIGN", CORE),
    ),
)

VECTORS = """
foreign f ([]i64, i64) : []i64

entry main (x : i64) (k : i64) : (i64, i64) =
  let (ys : []i64) = foreign f ([x, k, 7] : i64, k) : []i64
  let (zs : []i64) = foreign f ([k, x, 7] : i64, k) : []i64
  in (ys[0] + 10 * zs[1], size 0 ys)
"""

VECTOR_BUGS = (
    Bug(
        "elements cross as pure calls",
        "funmem.passes.core.foreign_arrays",
        "_tuple((BOOL, *results)), effect=True, at=self.at)",
        "_tuple((BOOL, *results)), effect=False, at=self.at)",
        *("to-fun", "crash", VECTORS),
    ),
    Bug(
        "the first element crosses each time",
        "funmem.passes.core.foreign_arrays",
        "elem = c.Index(xs, (c.Fix(c.Var(i, self.at)),), self.at)",
        "elem = c.Index(xs, (c.Fix(c.Const(0, I64)),), self.at)",
        *("to-fun", "results", VECTORS),
    ),
)

BEFORE = [
    "monomorphise",
    "lambda-lift",
    "defunctionalise",
    "flatten-data",
    "widen",
    "recursion",
    "to-fun",
]


WHOLE = """
entry main (x : i64) (k : i64) -> (r : i64) (s : i64) =
  let (xs : [6]i64) = iota [6] x k
  let (tail : [5]i64) = xs[1 : 5]
  let (ys : [5]i64) (zs : [5]i64) = opaque both (5, tail, k) grid [5]
  let (ws : [11]i64) = concat 0 xs ys
  let (p : i64) = ws[8]
  let (q : i64) = zs[4]
  in (p, q)
"""

WHOLE_BUGS = (
    Bug(
        "a part of a block is passed as a whole one",
        "funmem.passes.mem.allocate.conditions",
        "    if home.ix == row_major(t.shape):",
        "    if t.rank == 1:",
        *("allocate", "T-MEM-OPAQUE", WHOLE),
    ),
    Bug(
        "results of foreign code move into a part of a block",
        "funmem.passes.mem.short_circuit.conditions",
        "    for x in sorted(view.whole & (named | view.live.showing(named))):",
        "    for x in sorted(view.whole & frozenset()):",
        *("allocate,short-circuit", "T-MEM-OPAQUE", WHOLE),
    ),
    Bug(
        "results of foreign code in the wrong order in IMP",
        "funmem.passes.lower.statements",
        "tuple(whole(after, p.name) for p in s.pat)",
        "tuple(whole(after, p.name) for p in reversed(s.pat))",
        *("allocate,lower", "results", WHOLE),
    ),
)


@frozen
class World:
    """What a run of a program can be observed by."""

    notes: list[object] = field(factory=list)

    def note(self, x: int) -> None:
        self.notes.append(x)

    def run(self, p: StageProgram, args: Sequence[int]) -> tuple[object, ...]:
        """Return the results, or the exception that ended the run."""
        table = {
            "note": self.note,
            "split": split,
            "pick": pick,
            "f": shifted,
            "both": both,
            **CROSSING,
        }
        try:
            match p:
                case CoreProgram():
                    found = run_core(p, "main", args, table)
                case ImpProgram():
                    found = run_imp(p, "main", args, foreign=table)
                case Program():
                    found = run(p, "main", args, table)
        except Exception as e:
            return (type(e).__name__,)
        return found


def split(x: int, k: int) -> tuple[int, int]:
    return x - k, 2 * x + k


def pick(x: int) -> int:
    if x <= 0:
        raise AssertionError("a call that the program guards against")
    return x + 1


def both(_: int, xs: Sequence[int], k: int) -> tuple[object, object]:
    found = np.asarray(xs)
    return found[::-1] + k, found * k


def shifted(xs: Sequence[int], k: int) -> list[int]:
    return [int(x) + k for x in xs]


F = ArrayFunction(Name("f"), (Part(I64, array=True), Part(I64)), (Part(I64, array=True),), shifted)
CROSSING = dict(OnScalars(F).functions())


def prepared(bug: Bug) -> tuple[StageProgram, list[Step]]:
    """The program before the faulty passes, and these."""
    first = bug.passes.split(",")[0]
    if bug.text in (FUN, WHOLE):
        return parse_fun(bug.text), list(Pipeline.parse(bug.passes).steps)
    earlier = ",".join(BEFORE[: BEFORE.index(first)] if first in BEFORE else BEFORE)
    return Pipeline.parse(earlier).run(parse_core(bug.text)), list(Pipeline.parse(first).steps)


def caught(program: StageProgram, steps: Sequence[Step]) -> str | None:
    """What differs after the passes; None if nothing does."""
    try:
        after = Pipeline(tuple(steps)).run(program)
    except PassFailed as e:
        return e.cause.code
    for args in ((5, 3), (-2, 7)):
        before, now = World(), World()
        want, got = before.run(program, args), now.run(after, args)
        if want != got:
            return "crash" if len(got) == 1 else "results"
        if before.notes != now.notes:
            return "notes"
    return None


@pytest.mark.parametrize(
    "bug", sampled([*BUGS, *VECTOR_BUGS, *WHOLE_BUGS], 2), ids=lambda b: b.name
)
def test_each_bug_is_caught(bug: Bug) -> None:
    program, steps = prepared(bug)
    assert caught(program, steps) is None, "the right passes are wrong"

    def change(text: str) -> str:
        assert text.count(bug.old) == 1, "the text of the bug is not unique"
        return text.replace(bug.old, bug.new)

    last = find(steps[-1].what.name)
    bad = Step(changed(last.name, {bug.module: change}), steps[-1].options)
    assert caught(program, [*steps[:-1], bad]) == bug.caught
