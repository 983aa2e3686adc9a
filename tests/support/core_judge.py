"""The Core interpreter as the judge of the passes on Core: a program means the same after each.

    python -m tests.support.core_judge [PATH …]     all cases of every .fut and .nova program below;
                                                    default: of all

Two runs agree if they give the same results, bit by bit, or the same trap.  Passes up to
defunctionalise keep a trap's kind and words; later ones spell out checks as assertions, so after
them it is enough that both trap, and both for a shape or both for the same other reason.
A size that nobody can know (an empty array's inner one) agrees with any.  FUN may refuse to make
an irregular array, but only where Core makes one.
"""

import sys
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from attrs import frozen

from funmem.driver.source import read
from funmem.interp.core import Part, differ, run_parts
from funmem.interp.core.evaluate import CoreEvaluator
from funmem.interp.core.values import Env, Rec, Rows, Tagged, Val
from funmem.interp.value import run
from funmem.ir import core as c
from funmem.ir.check.core import check_core, first_order, flat, lifted, monomorphic
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.diagnostics import (
    NOWHERE,
    Diagnostic,
    InputError,
    SourceError,
    Trap,
    TrapKind,
    UsageError,
)
from funmem.ir.fun import FunProgram
from funmem.ir.values import ArgValue, Value
from funmem.passes.core import to_fun_by
from funmem.suite import values
from funmem.suite.reader import read_spec
from funmem.suite.spec import Script
from tests.support.paths import TESTS

PROGRAMS = TESTS / "programs"

LARGE = 20_000
"""Cases with more elements are left out: the interpreter is made to be read."""

POSTCONDITIONS: Mapping[str, tuple[Callable[[CoreProgram], Diagnostic | None], ...]] = {
    "core": (),
    "monomorphise": (monomorphic,),
    "lambda-lift": (monomorphic, lifted),
    "defunctionalise": (monomorphic, lifted, first_order),
    "flatten-data": (monomorphic, lifted, flat),
    "recursion": (monomorphic, lifted, flat),
}
"""What holds after each pass."""

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


@frozen
class Trapped:
    """A run that trapped."""

    kind: TrapKind
    message: str


Outcome = tuple[Part, ...] | Trapped


@frozen
class Stages:
    """A program before the passes on Core, after each, and as FUN if that can express it."""

    core: tuple[tuple[str, CoreProgram], ...]
    fun: FunProgram | None
    refused: Diagnostic | None = None


class Wrong(Exception):
    """After a pass the checker finds something, or the pass's postcondition does not hold."""


def examine(name: str, p: CoreProgram) -> None:
    """What must hold after a pass.  Raises Wrong."""
    try:
        check_core(p)
    except SourceError as e:
        raise Wrong(f"after {name}: {e}") from e
    for wrong in POSTCONDITIONS[name]:
        if (d := wrong(p)) is not None:
            raise Wrong(f"after {name}: {d.render()}")


def stages(program: CoreProgram) -> Stages:
    """Runs the passes, and the checks after each.  Raises Wrong."""
    seen: list[tuple[str, CoreProgram]] = []

    def note(name: str, p: CoreProgram) -> None:
        examine(name, p)
        seen.append((name, p))

    try:
        fun = to_fun_by(program, note)
    except SourceError as e:
        return Stages(tuple(seen), None, e.diagnostic)
    return Stages(tuple(seen), fun)


# ---------------------------------------------------------------------- outcomes


def outcome(p: CoreProgram, call: Call) -> Outcome:
    """What Core's interpreter says."""
    try:
        return run_parts(p, call.entry, call.args)
    except Trap as trap:
        return Trapped(trap.kind, trap.diagnostic.message)
    except InputError:
        return Trapped(TrapKind.SHAPE, "the arguments do not fit")


def fun_outcome(p: FunProgram, call: Call) -> tuple[Value, ...] | Trapped:
    """What FUN's interpreter of values says."""
    try:
        return run(p, call.entry, call.args)
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

    ``irregular``: whether the first run makes an irregular array, which FUN has not.
    """
    match want, got:
        case Trapped(), Trapped():
            if words:
                return None if want == got else f"expected {want}, got {got}"
            same = want.kind is got.kind or {want.kind, got.kind} <= CHECKS
            return None if same else f"expected {want}, got {got}"
        case (Trapped(), _) | (_, Trapped()):
            said = got.message if isinstance(got, Trapped) else ""
            if said.startswith("Irregular array") and irregular():
                return None
            return f"expected {_short(want)}, got {_short(got)}"
        case _:
            return differ(want, got)


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
            return tuple([found for _, x in fields if (found := _outline(x))])
        case Tagged(name, args, _):
            found = tuple([found for x in args if (found := _outline(x))])
            return (name, found) if found else ()
        case c.Array(elem, size):
            return ("rows", object() if size is None else size.as_const, _outline(elem))
        case c.Record(types):
            return tuple([found for _, t in types if (found := _outline(t))])
        case _:
            return ()


def makes_irregular(p: CoreProgram, call: Call) -> bool:
    """Whether a run, which does not trap, makes an array that is not regular."""
    runs: list[_Watching] = []

    def start(p: CoreProgram) -> _Watching:
        runs.append(_Watching(p))
        return runs[0]

    run_parts(p, call.entry, call.args, start)
    return runs[0].irregular


# ---------------------------------------------------------------------- a verdict


def judge(s: Stages, calls: Sequence[Call]) -> Iterator[str]:
    """What is wrong after which pass."""
    for call in calls:
        (_, first), *rest = s.core
        want = outcome(first, call)
        for name, p in rest:
            words = name not in ("flatten-data", "recursion")
            if (d := disagree(want, outcome(p, call), words=words)) is not None:
                yield f"{call.entry} after {name}: {d}"
        if s.fun is None:
            continue
        irregular = partial(makes_irregular, first, call)
        got = fun_outcome(s.fun, call)
        if (d := disagree(want, got, words=False, irregular=irregular)) is not None:
            yield f"{call.entry} after to-fun: {d}"


# ---------------------------------------------------------------------- programs with test comments


def calls_of(path: Path) -> Iterator[Call]:
    """The calls that a program's test comments ask for; large ones are left out."""
    source = read(str(path))
    spec = read_spec(source.text, source.name, source.front_end.comment)
    for block in spec.blocks:
        for case in block.cases:
            if isinstance(case.input, Script):
                continue
            try:
                args = values.load(case.input, path.parent)
            except InputError:
                continue
            if sum(np.size(a) for a in args) <= LARGE:
                yield from (Call(entry, args) for entry in block.entries)


@frozen
class Judgement:
    """What is wrong with a program, what FUN cannot express, and how many calls were compared."""

    wrong: tuple[str, ...]
    refused: Diagnostic | None
    calls: int


def judge_file(path: Path, most: int | None = None) -> Judgement:
    """A program and the first so many of its calls.  SourceError: it is no program."""
    source = read(str(path))
    to_core = source.front_end.core
    if to_core is None:
        raise UsageError(Diagnostic(NOWHERE, "level", f"{path} is not translated to Core"))
    s = stages(to_core(source.text, source.name))
    calls = list(calls_of(path))[:most]
    return Judgement(tuple(judge(s, calls)), s.refused, len(calls))


def _programs(folder: Path) -> list[Path]:
    return sorted([*folder.rglob("*.fut"), *folder.rglob("*.nova")])


def main(paths: Sequence[str]) -> int:
    """Judges programs; one line for each that is wrong or refused, then a summary."""
    where = [Path(p) for p in paths] or [PROGRAMS]
    files = [f for p in where for f in (_programs(p) if p.is_dir() else [p])]
    good = compared = bad = refused = 0
    for file in files:
        start = time.perf_counter()
        try:
            judgement = judge_file(file)
        except SourceError:
            continue  # what must be refused has tests of its own
        except Exception as e:  # one broken program must not hide the others
            judgement = Judgement((f"{type(e).__name__}: {_short(e)}",), None, 0)
        compared += judgement.calls
        bad += bool(judgement.wrong)
        good += not judgement.wrong
        for line in judgement.wrong:
            print(f"{file}: {line}")
        if judgement.refused is not None:
            refused += 1
            print(f"{file}: {judgement.refused.message}")
        if (seconds := time.perf_counter() - start) > 10:
            print(f"{file}: took {seconds:.0f} s")
    print(f"{good} agree, {bad} do not, {refused} do not become FUN; {compared} calls")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
