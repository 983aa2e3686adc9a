"""The Core interpreter as the judge of the passes on Core: a program means the same after each.

Two runs agree if they give the same results, bit by bit, or the same trap.  Passes up to
defunctionalise keep a trap's kind and words; later ones spell out checks as assertions, so after
them it is enough that both trap, and both for a shape or both for the same other reason.  A size
that is unknown (an empty array's inner one) agrees with any.  FUN may refuse to make an
irregular array, but only where Core makes one.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import cast

import numpy as np
from attrs import field

from funmem.interp.core import Part, differ, run_parts
from funmem.interp.core.evaluate import CoreEvaluator
from funmem.interp.core.values import Env, Rec, Rows, Tagged, Val
from funmem.interp.value import run
from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.diagnostics import InputError, Trap, TrapKind
from funmem.ir.foreign_calls import Table
from funmem.ir.fun import MemProgram, Program
from funmem.ir.names import Name
from funmem.ir.ragged import offsets_of
from funmem.ir.record import frozen
from funmem.ir.values import ArgValue, ArrayValue, Data, Value
from funmem.passes.core.entry_data import entry_data
from funmem.passes.framework import StageProgram

SPELLED_OUT = ("tables", "flatten-data", "widen", "recursion")
"""The passes after which checks may be assertions with other words."""

CHECKS = {
    *(TrapKind.ASSERTION, TrapKind.INDEX, TrapKind.SLICE, TrapKind.SHAPE),
    *(TrapKind.NEGATIVE_SIZE, TrapKind.OVERLAP),
}
"""Traps that may turn into one another where a check is spelt out."""


@frozen
class Call:
    """An entry point and its arguments."""

    entry: str
    args: tuple[ArgValue, ...]
    foreign: Table = field(factory=dict)


@frozen
class Trapped:
    """A run that trapped."""

    kind: TrapKind
    message: str


Outcome = tuple[Part, ...] | Trapped


# ---------------------------------------------------------------------- outcomes


def outcome(p: CoreProgram, call: Call) -> Outcome:
    """Return the outcome of Core's interpreter."""
    try:
        return run_parts(p, call.entry, call.args, foreign=call.foreign)
    except Trap as trap:
        return Trapped(trap.kind, trap.diagnostic.message)
    except InputError:
        return Trapped(TrapKind.SHAPE, "the arguments do not fit")


def fun_outcome(p: MemProgram, call: Call) -> tuple[Value, ...] | Trapped:
    """Return the outcome of FUN's interpreter of values."""
    try:
        return run(p, call.entry, call.args, call.foreign)
    except Trap as trap:
        return Trapped(trap.kind, trap.diagnostic.message)
    except InputError:
        return Trapped(TrapKind.SHAPE, "the arguments do not fit")


def disagree(
    want: Outcome,
    got: Outcome | tuple[Value, ...],
    *,
    words: bool,
    irregular: Callable[[], bool] = lambda: False,
) -> str | None:
    """The difference between two outcomes; ``words``: traps say the same.

    ``irregular``: whether the first run makes an irregular array, which FUN has not.  After
    flatten-nested also Core says so of a result whose rows should have one length.
    """
    match want, got:
        case Trapped(), Trapped():
            if words:
                return None if want == got else f"expected {want}, got {got}"
            same = want.kind is got.kind or {want.kind, got.kind} <= CHECKS
            return None if same else f"expected {want}, got {got}"
        case (Trapped(), _) | (_, Trapped()):
            said = got.message if isinstance(got, Trapped) else ""
            if said.startswith("Irregular array") and (_is_irregular(want) or irregular()):
                return None
            return f"expected {_short(want)}, got {_short(got)}"
        case _:
            return differ(want, got)


def _is_irregular(x: Outcome | tuple[Value, ...]) -> bool:
    """True for results of which one has rows that differ in shape."""
    return isinstance(x, tuple) and any(isinstance(p, Part) and bool(p.irregular) for p in x)


def _short(x: object) -> str:
    text = str(x)
    return text if len(text) < 200 else f"{text[:200]}…"


# ---------------------------------------------------------------------- irregular arrays


class _Watching(CoreEvaluator):
    """A run that looks at each value whether it is an array of rows that differ in shape."""

    irregular = False

    def eval(self, e: Exp, env: Env) -> Val:
        v = super().eval(e, env)
        if isinstance(v, Rows) and len({_outline(x) for x in v.elems}) > 1:
            self.irregular = True
        return v


def _outline(v: Val | Type) -> Hashable:
    """The shapes in a value: equal for rows of one regular array.  An unknown size equals none."""
    match v:
        case Rows(elems, row):
            return ("rows", len(elems), _outline(elems[0] if elems else row))
        case Rec(fields):
            return tuple([found for _, x in fields if (found := _outline(x)) != ()])
        case Tagged(name, args, _):
            inside = tuple([found for x in args if (found := _outline(x)) != ()])
            return (name, inside) if inside else ()
        case c.Array(elem, size):
            return ("rows", object() if size is None else size.as_const, _outline(elem))
        case c.Record(types):
            return tuple([found for _, t in types if (found := _outline(t)) != ()])
        case _:
            return ()


def makes_irregular(p: CoreProgram, call: Call) -> bool:
    """True if a run, which does not trap, makes an array that is not regular."""
    runs: list[_Watching] = []

    def start(p: CoreProgram, foreign: Table) -> _Watching:
        runs.append(_Watching(p, foreign))
        return runs[0]

    run_parts(p, call.entry, call.args, start, call.foreign)
    return runs[0].irregular


# ---------------------------------------------------------------------- a verdict


def elements(args: Sequence[ArgValue]) -> int:
    """Return the number of elements of arguments, also of nested ones."""
    return sum(elements(a) if isinstance(a, list | tuple) else _size(a) for a in args)


def _size(a: ArgValue) -> int:
    return a.data.size if isinstance(a, ArrayValue) else int(np.size(cast("Data", a)))


def _in_rows(found: Outcome, p: CoreProgram, entry: str) -> Outcome:
    """Return an outcome as flatten-nested states it: some arrays are offsets and elements."""
    (e,) = [e for e in p.entries if e.name == Name(entry)]
    if isinstance(found, Trapped) or not isinstance(e.result, c.Record):
        return found
    parts, given = list[Part](), iter(found)
    labels = [label for label, _ in e.result.fields]
    offsets = {offsets_of(label) for label in labels}
    for label in labels:
        if label in offsets:
            continue
        part = next(given)
        if offsets_of(label) in labels and not part.offsets:
            part = _as_rows(part)
        parts += part.flat()
    return tuple(parts)


def _as_rows(part: Part) -> Part:
    """Return an array as offsets and elements."""
    matrix = part.value
    assert isinstance(matrix, ArrayValue)
    *outer, width = matrix.shape
    offsets, rows = list[Data](), 1
    for n, inside in zip(outer, (*outer[1:], width), strict=True):
        rows *= n
        offsets.append(np.arange(rows + 1, dtype=np.int64) * inside)
    data = matrix.data.reshape(rows * width)
    mask = None if matrix.defined is None else matrix.defined.reshape(rows * width)
    return Part(ArrayValue(data, mask), data.shape, tuple(offsets))


def judge_stages(stages: Sequence[tuple[str, StageProgram]], call: Call) -> Iterator[str]:
    """Yield what is wrong after which pass.

    The first stage is the program before all passes; the last one may be FUN.
    """
    (_, first), *rest = stages
    assert isinstance(first, CoreProgram)
    first = entry_data(first)
    want = outcome(first, call)
    words = True
    for name, p in rest:
        if name == "flatten-nested" and isinstance(p, CoreProgram):
            want = _in_rows(want, p, call.entry)
        if isinstance(p, CoreProgram):
            words = words and name not in SPELLED_OUT
            wrong = disagree(want, outcome(p, call), words=words)
        else:
            assert isinstance(p, Program)
            irregular = partial(makes_irregular, first, call)
            wrong = disagree(want, fun_outcome(p, call), words=False, irregular=irregular)
        if wrong is not None:
            yield f"{call.entry} after {name}: {wrong}"
