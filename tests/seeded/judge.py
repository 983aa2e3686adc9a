"""Which check catches a bug?  The checks in the order in which they are made."""

from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import evolve, frozen

from funmem.interp.heap import run_heap
from funmem.interp.imp import run_imp
from funmem.interp.value import run
from funmem.ir.diagnostics import DeviceError, FaultKind, MemoryFault, Trap, TrapKind
from funmem.ir.fun import FunProgram
from funmem.ir.imp import ImpProgram
from funmem.ir.text import parse_fun
from funmem.ir.values import ArgValue, Value, agree
from funmem.passes.framework import AnyProgram, Level, Pass, levels_of
from funmem.passes.runner import PassFailed, Pipeline
from tests.seeded.bug import Caught, SeededBug
from tests.seeded.world import Crashed

PROGRAMS = Path(__file__).parent / "programs"

FAULTS = {
    FaultKind.RACE: Caught.RACE,
    FaultKind.POISON: Caught.POISON,
    FaultKind.OUTSIDE: Caught.OUTSIDE,
    FaultKind.INCOHERENT: Caught.INCOHERENT,
    FaultKind.COPY_OVERLAP: Caught.OVERLAP,
    FaultKind.CLOBBERED: Caught.CLOBBERED,
}


@frozen
class Verdict:
    """The first check that fails, and what it says."""

    caught: Caught
    message: str
    rule: str = ""


Outcome = Sequence[Value] | TrapKind


def load(name: str) -> FunProgram:
    """A program of the corpus."""
    return parse_fun((PROGRAMS / name).read_text(encoding="utf-8"), name)


def judge(pipeline: Pipeline, program: FunProgram, args: Sequence[ArgValue]) -> Verdict | None:
    """None if the pipeline keeps the program valid on these arguments."""
    try:
        result = pipeline.run(program)
    except PassFailed as e:
        return Verdict(Caught.TYPES, str(e), e.cause.code)
    except Crashed as e:
        return Verdict(Caught.CRASH, str(e))
    want = outcome(lambda: run(program, "main", args))
    assert not isinstance(want, Verdict)
    return _compared(result, args, want)


def _compared(result: AnyProgram, args: Sequence[ArgValue], want: Outcome) -> Verdict | None:
    if isinstance(result, ImpProgram):
        return _differs(want, outcome(lambda: run_imp(result, "main", args)), Caught.HEAP)
    value = outcome(lambda: run(result, "main", args))
    wrong = _differs(want, value, Caught.VALUE)
    if wrong is not None or Level.FUNMEM not in levels_of(result):
        return wrong
    heap = outcome(lambda: run_heap(result, "main", args).values)
    return _differs(want, heap, Caught.HEAP)


def outcome(answer: Callable[[], Sequence[Value]]) -> Outcome | Verdict:
    """Results, or the kind of trap; a memory fault, and too little memory, are verdicts already."""
    try:
        return answer()
    except Trap as e:
        return e.kind
    except MemoryFault as e:
        return Verdict(FAULTS[e.kind], str(e))
    except DeviceError as e:
        return Verdict(Caught.TOO_LARGE, str(e))


def _differs(want: Outcome, got: Outcome | Verdict, kind: Caught) -> Verdict | None:
    if isinstance(got, Verdict):
        return got
    if isinstance(want, TrapKind) or isinstance(got, TrapKind):
        return None if want is got else Verdict(Caught.TRAP, f"expected {want}, got {got}")
    difference = agree(want, got)
    return None if difference is None else Verdict(kind, difference)


def judge_bug(bug: SeededBug, bad: Pass) -> Verdict | None:
    """What catches a bug, given the faulty pass ``bad``; None is a hole in the checks."""
    return judge(with_pass(bug, bad), load(bug.program), bug.args)


def with_pass(bug: SeededBug, bad: Pass) -> Pipeline:
    """The pipeline of a bug, in which the faulty pass takes the place of the right one."""
    steps = Pipeline.parse(bug.pipeline).steps
    return Pipeline(tuple(evolve(s, what=bad) if s.what.name == bad.name else s for s in steps))
