"""The oracle of the reduction: True if a candidate fails in the same way."""

from collections.abc import Collection
from contextlib import suppress

from funmem.ir.diagnostics import Trap
from funmem.ir.imp import ImpProgram
from funmem.ir.record import frozen
from funmem.passes.framework import AnyProgram, Report
from funmem.passes.runner import Pipeline
from funmem.testing.campaign.trial import can_run, described, run_trial
from funmem.testing.corpus.cost import writes_once
from funmem.testing.corpus.operators import associative
from funmem.testing.judge.devices import AnyDevice, device_of
from funmem.testing.judge.isolated import judge_on
from funmem.testing.judge.program import (
    ANY_ORDER,
    Case,
    Outcome,
    anything_goes,
    define_outcome,
    engines,
    judge_peak,
    judge_promises,
    judge_text,
    judge_types,
    meaning_after,
    orders_to_run,
)
from funmem.testing.judge.time_limit import OutOfTime, limited


@frozen
class Failure:
    """A failure of a program: the number of passes before it, the engine that noticed it, its code
    and message.

    Two failures are of the same kind if the same engine notices the same code.
    """

    steps: int
    engine: str
    code: str
    message: str

    @property
    def kind(self) -> tuple[str, str]:
        return self.engine, self.code


def failure(case: Case, passes: Pipeline, devices: Collection[AnyDevice] = ()) -> Failure | None:
    """Return the failure of a case, or None if it does not fail.

    All engines run after each pass, devices at the end.  Raises InputError if the arguments do not
    fit the entry point.
    """
    found = run_trial(case, passes, devices=devices, thorough=True).disagreements
    if not found:
        return None
    d = found[0]
    return Failure(d.steps, d.engine, d.code, d.message)


def trusted(case: Case) -> frozenset[str]:
    """Return the assumptions of passes that a case satisfies and that no type rule checks."""
    found = set()
    if case.any_order or associative(case.program):
        found.add("operators are associative, and their neutral elements neutral")
    with suppress(Trap):
        if not writes_once(case):
            return frozenset(found)
    return frozenset({*found, "no scatter writes two elements to one place"})


NO_ENGINE = ("crash", "pass", "time")
"""Pseudo-engines of failures that any engine may raise, or the printer or the parser."""


def fails_alike(f: Failure, case: Case, passes: Pipeline, seconds: float = 10.0) -> bool:
    """True if a well-typed program fails in this way after these passes.  Only one engine runs.

    A program that exceeds ``seconds`` of processor time, to run or to compile, does not fail in
    this way.
    """
    try:
        with limited(seconds):
            judge_types(case.program)
            want = define_outcome(case)
    except (Exception, OutOfTime):  # ill typed, arguments that do not fit, or no end
        return False
    try:
        with limited(seconds):
            p: AnyProgram = case.program
            for step in passes.steps:
                before, p = p, Pipeline((step,)).run(p, verify=False, report=Report())
                if f.engine == "promises":
                    judge_promises(step, before, p)
                if case.any_order:
                    judge_types(p)
                    want = meaning_after(step, case, p, want)
            if anything_goes(passes.steps, want):
                return False
            _ask(f.engine, p, case, passes, want)
    except (Exception, OutOfTime) as e:
        return described(e)[:2] == f.kind
    return False


def _ask(engine: str, p: AnyProgram, case: Case, passes: Pipeline, want: Outcome) -> None:
    """Raise Disagrees if the types are wrong, or the engine disagrees."""
    orders = orders_to_run(passes.steps, want)
    judge_types(p)
    if engine in NO_ENGINE:
        judge_text(p)
    match engine:
        case "text":
            judge_text(p)
        case "peak":
            if isinstance(p, ImpProgram):
                judge_peak(p, case, ready=can_run(passes))
        case _ if (on := device_of(engine)) is not None:
            if isinstance(p, ImpProgram) and can_run(passes) and orders == ANY_ORDER:
                judge_on(on, p, case, want)
        case _:
            for name, ask in engines(p, case, want, orders):
                if name == engine or engine in NO_ENGINE:
                    ask()
