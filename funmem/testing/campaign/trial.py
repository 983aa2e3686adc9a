"""Differential testing of one program: run its pipeline and check the program after every pass.

After each pass that changed it, the program type-checks and has the pass's postconditions.  What
runs wrong usually does so up to the end, so most programs run where an error can be seen that later
passes hide: before ``sequentialise`` and before they leave FUNMEM, in memory; and at the end, as
IMP.  For every eighth seed every interpreter of the program's level runs it after each pass, and it
prints and parses back.  Each must agree with the value semantics of the original.  At the end the
predicted and measured peak memory agree.  If a program disagrees, it runs again with all engines
after each pass, to find the guilty one.
"""

import traceback
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise, zip_longest

from attrs import field

from funmem.ir.diagnostics import FunmemError, Trap
from funmem.ir.fun import Ann, Body, Kernel, MemProgram, RaggedKernel
from funmem.ir.imp import ImpProgram
from funmem.ir.record import define, evolve, frozen
from funmem.ir.text import show
from funmem.ir.traverse import sub_bodies, walk
from funmem.passes.framework import AnyProgram, Level, Report, levels_of
from funmem.passes.runner import Pipeline, Step
from funmem.testing.campaign.orders import Orders
from funmem.testing.campaign.selection import select
from funmem.testing.corpus.samples import Corpus
from funmem.testing.judge.devices import AnyDevice
from funmem.testing.judge.further_inputs import has_to_fit, judge_still_fits, on_further
from funmem.testing.judge.isolated import judge_on
from funmem.testing.judge.program import (
    ANY_ORDER,
    Case,
    Disagrees,
    FurtherInput,
    Outcome,
    anything_goes,
    define_outcome,
    judge,
    judge_peak,
    judge_promises,
    judge_types,
    judge_variant,
    meaning_after,
    orders_to_run,
    reads_hole,
)
from funmem.testing.judge.time_limit import OutOfTime, limited


@frozen
class Disagreement:
    """A disagreement: the seed, the passes before it (``steps`` of them), and the engine.

    ``code`` is the kind of failure; for a crash, the exception and the function that raised it.
    ``input`` is the number of the input: 0 is the program's own, further inputs follow.
    """

    seed: int
    passes: str
    steps: int
    engine: str
    code: str
    message: str
    text: str = ""
    input: int = 0


@define
class Trial:
    """The results of one seed or of many; counters add up."""

    programs: int = 0
    variants: int = 0
    mutants: int = 0
    trapping: int = 0
    engines: Counter[str] = field(factory=Counter)
    kinds: Counter[str] = field(factory=Counter)
    changed: Counter[str] = field(factory=Counter)
    depth: Counter[int] = field(factory=Counter)
    disagreements: list[Disagreement] = field(factory=list)

    def add(self, other: "Trial") -> None:
        self.programs += other.programs
        self.variants += other.variants
        self.mutants += other.mutants
        self.trapping += other.trapping
        self.engines += other.engines
        self.kinds += other.kinds
        self.changed += other.changed
        self.depth += other.depth
        self.disagreements += other.disagreements


def kinds_of(p: MemProgram) -> Counter[str]:
    """Return the number of expressions of each kind; a kernel also counts as its collective."""
    kinds: Counter[str] = Counter()
    for e in p.entries:
        for s in walk(e.body):
            kinds[type(s.exp).__name__] += 1
            if isinstance(s.exp, Kernel | RaggedKernel):
                kinds[type(s.exp.collective).__name__] += 1
    return kinds


def nesting(p: MemProgram) -> int:
    """Return the largest nesting depth of statements."""

    def depth(b: Body[Ann]) -> int:
        return max((1 + depth(c) for s in b.stms for c in sub_bodies(s.exp)), default=0)

    return max(depth(e.body) for e in p.entries)


LOWERING = ("lower", "lower-verified")
"""Passes from FUNMEM to IMP; the program also runs before them, in memory."""

RUN_BEFORE = ("sequentialise", *LOWERING)
"""Passes before which a program runs: in memory, and while kernels may still race."""

SECONDS = 120
"""Processor time for one trial, in seconds; exceeding it is a disagreement."""


def trial(
    seed: int,
    *,
    orders: Orders = Orders.FIXED,
    devices: Collection[AnyDevice] = (),
    thorough: bool = False,
    variants: int = 0,
    corpus: Corpus | None = None,
) -> Trial:
    """Run the program of a seed through the seed's pipelines, at the end also on the devices.

    About one generated program in ``variants`` is replaced by a variant with dead branches, which
    must have the same meaning.  With a ``corpus`` most programs are mutants of its samples.
    """
    s = select(seed, orders, variants, corpus)
    all_engines = thorough or seed % 8 == 0
    total = Trial()
    for passes in s.pipelines:
        t = run_trial(
            s.case,
            passes,
            devices=devices,
            thorough=all_engines,
            original=s.original,
            further=s.further,
        )
        if t.disagreements and not thorough:
            guilty = run_trial(s.case, passes, thorough=True, further=s.further)
            t.disagreements = guilty.disagreements or t.disagreements
        if total.programs:  # count a program once, not once per pipeline
            t = evolve(t, programs=0, variants=0, trapping=0, kinds=Counter(), depth=Counter())
        total.add(t)
        if t.disagreements:
            break
    total.mutants = int(s.mutant)
    return total


def run_trial(
    case: Case,
    passes: Pipeline,
    *,
    devices: Collection[AnyDevice] = (),
    thorough: bool = False,
    original: Case | None = None,
    further: Sequence[FurtherInput] = (),
) -> Trial:
    """Run a case through a pipeline; with ``thorough`` all engines run after each pass.

    A variant must have the meaning of its ``original``.  ``further`` inputs are checked at the end,
    and with ``thorough`` after each pass.
    """
    t = Trial(programs=1, variants=int(original is not None), kinds=kinds_of(case.program))
    t.depth[nesting(case.program)] += 1
    at = _Progress(case.program, case.program)
    try:
        with limited(SECONDS):
            if original is not None:
                judge_variant(original, case)
            _follow(case, passes, t, at, devices, further, thorough=thorough)
    except (Exception, OutOfTime) as e:
        engine, code, message = described(e)
        done = ",".join(map(str, passes.steps[: at.steps]))
        t.disagreements.append(
            Disagreement(
                case.seed, done, at.steps, engine, code, message, _text(at.program), at.input
            )
        )
    return t


@define
class _Progress:
    """The progress of a trial: the program after ``steps`` passes."""

    program: AnyProgram
    tree: MemProgram
    """The last program that was not IMP."""
    steps: int = 0
    input: int = 0


def _follow(
    case: Case,
    passes: Pipeline,
    t: Trial,
    at: _Progress,
    devices: Collection[AnyDevice],
    further: Sequence[FurtherInput],
    *,
    thorough: bool,
) -> None:
    judge_types(case.program)
    want = define_outcome(case)
    t.trapping = int(isinstance(want, Trap))
    if thorough and Level.FUN not in levels_of(case.program):  # it may be wrong from the start
        judge(case.program, case, want, t.engines, run_it=True)
    # The program that all engines have run last; they need not run it again.
    judged: AnyProgram | None = None if thorough else case.program
    for step, after in zip_longest(passes.steps, passes.steps[1:]):
        at.steps += 1
        p = Pipeline((step,)).run(at.program, verify=False, report=Report())
        changed = p != at.program
        if changed:
            judge_promises(step, at.program, p)
            if not isinstance(p, ImpProgram):
                fitting = has_to_fit(step.what.name, further)
                judge_still_fits(step.what.name, at.tree, p, case, fitting)
            at.program = p
            at.tree = at.tree if isinstance(p, ImpProgram) else p
            t.changed[step.what.name] += 1
            if case.any_order and step.what.name == "schedule":
                judge_types(p)
                want, further = _again(step, case, p, want, further)
        ends = after is None or after.what.name in RUN_BEFORE or step.what.name in LOWERING
        run_it = (ends or (thorough and changed)) and at.program is not judged
        orders = orders_to_run(passes.steps[: at.steps], want)
        run_it = run_it and bool(orders)
        if changed or run_it:
            judge(
                at.program, case, want, t.engines, run_it=run_it, thorough=thorough, orders=orders
            )
        if run_it:
            judged = at.program
        if after is None or (thorough and changed):
            _on_further(case, passes.steps[: at.steps], t, at, further)
        elif after.what.name in LOWERING:  # the last level at which uninitialised reads trap
            _on_further(case, passes.steps[: at.steps], t, at, further, holes=True)
    p = at.program
    if isinstance(p, ImpProgram) and orders_to_run(passes.steps, want) == ANY_ORDER:
        # Blocks of a program that was in memory from the start may not suit a device.
        ready = can_run(passes) and Level.FUN in levels_of(case.program)
        if not isinstance(want, Trap) and judge_peak(p, case, ready=ready):
            t.engines["peak"] += 1
        for device in devices if ready else ():
            if (ran := judge_on(device, p, case, want)) is not None:
                t.engines[ran] += 1


def _again(
    step: Step, case: Case, p: AnyProgram, want: Outcome, further: Sequence[FurtherInput]
) -> tuple[Outcome, Sequence[FurtherInput]]:
    """Return the expected outcomes after a step, for the case and for further inputs."""
    on = (
        evolve(k, want=meaning_after(step, evolve(case, args=k.args), p, k.want)) for k in further
    )
    return meaning_after(step, case, p, want), tuple(on)


def _on_further(
    case: Case,
    done: Sequence[Step],
    t: Trial,
    at: _Progress,
    further: Sequence[FurtherInput],
    *,
    holes: bool = False,
) -> None:
    """Check a program on further inputs; ``holes``: only on those with uninitialised reads."""
    chosen = {k: x for k, x in enumerate(further, 1) if reads_hole(x.want) or not holes}
    if not chosen:
        return
    judge_on_input = on_further(at.program, at.tree, case)
    for at.input, known in chosen.items():
        if not anything_goes(done, known.want) and judge_on_input(known):
            t.engines["further inputs"] += 1
    at.input = 0


def described(e: Exception | OutOfTime) -> tuple[str, str, str]:
    """Return the engine that noticed a failure, its kind, and the message."""
    match e:
        case Disagrees():
            return e.engine, e.code, str(e)
        case OutOfTime():
            return "time", "too slow", str(e)
        case FunmemError():
            return "pass", e.diagnostic.code, str(e)
        case _:
            frames = traceback.extract_tb(e.__traceback__)
            where = frames[-1].name if frames else "?"
            message = "".join(traceback.format_exception(e))
            return "crash", f"{type(e).__name__} in {where}", message


def can_run(passes: Pipeline) -> bool:
    """True if a device can run the result: no kernel allocates, since ``sequentialise`` is the last
    pass before lowering, apart from ``merge``.
    """
    names = [s.what.name for s in passes.steps if s.what.name != "merge"]
    return any(before == "sequentialise" and last in LOWERING for before, last in pairwise(names))


def _text(p: AnyProgram) -> str:
    try:
        return show(p)
    except Exception:
        return repr(p)
