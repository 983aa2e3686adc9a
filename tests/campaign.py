"""Generated programs through every pass at every level: ``python -m tests.campaign -n 20000``.

Each seed gives a well-typed FUN program with arguments.  Its value semantics is the definition.
The program goes through a pipeline, which one depends on the seed.  After each pass that changed
it, it type-checks.  Where it leaves a level, and for every eighth seed after each pass, it prints
and parses back, and the value interpreter, the heap interpreter (in FUNMEM) and the IMP
interpreter (forwards, backwards, shuffled) agree with the definition.  ``--thorough`` does that
for all seeds; a program that disagrees is run again so, to find the guilty pass.  ``--opencl K``
runs every K-th program on PoCL as well.

A disagreement is written to ``--out`` as a file that holds the seed, the pipeline up to the guilty
pass and the program; ``python -m tests.campaign --seed S -n 1`` repeats it.
"""

import json
import multiprocessing
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path

import click
from attrs import define, field, frozen

from funmem.interp.heap import run_heap
from funmem.interp.imp import Order, run_imp
from funmem.interp.value import run
from funmem.ir.check import check, check_imp
from funmem.ir.diagnostics import FunmemError, MemoryFault, Trap, TrapKind
from funmem.ir.fun import Ann, Body, Kernel, MemProgram
from funmem.ir.imp import ImpProgram
from funmem.ir.text import parse_fun, parse_imp, show
from funmem.ir.traverse import sub_bodies, walk
from funmem.ir.values import Value, agree
from funmem.passes.framework import AnyProgram, Level, Pipeline, Report, levels_of
from funmem.testing import Generated, generate

MEMORY = (
    "simplify,hoist,double-buffer,hoist,simplify,"
    "expand{{layout={layout}}},simplify,sequentialise,lower"
)
PIPELINES = (
    "simplify,fuse,nest,schedule{{threads=3}},simplify,allocate," + MEMORY,
    "schedule{{threads=2}},allocate," + MEMORY,
    "simplify,allocate," + MEMORY,
    "allocate," + MEMORY,
    "allocate,lower",
    "allocate,simplify,lower",
)
LAYOUTS = ("contiguous", "interleaved")


def pipeline_of(seed: int) -> Pipeline:
    """The pipeline of a seed: collectives scheduled or kept, both layouts, few or all passes."""
    text = PIPELINES[seed % len(PIPELINES)]
    return Pipeline.parse(text.format(layout=LAYOUTS[seed // len(PIPELINES) % 2]))


@frozen
class Disagreement:
    """What went wrong with a seed, after which pass, seen by which engine."""

    seed: int
    passes: str
    engine: str
    message: str
    text: str = ""


@define
class Trial:
    """What was done with one seed, or with many: counters add up."""

    programs: int = 0
    trapping: int = 0
    engines: Counter[str] = field(factory=Counter)
    kinds: Counter[str] = field(factory=Counter)
    changed: Counter[str] = field(factory=Counter)
    depth: Counter[int] = field(factory=Counter)
    disagreements: list[Disagreement] = field(factory=list)

    def add(self, other: "Trial") -> None:
        self.programs += other.programs
        self.trapping += other.trapping
        self.engines += other.engines
        self.kinds += other.kinds
        self.changed += other.changed
        self.depth += other.depth
        self.disagreements += other.disagreements


Outcome = tuple[Value, ...] | Trap


class Disagrees(Exception):
    """An engine's answer differs from the definition."""

    def __init__(self, engine: str, message: str) -> None:
        super().__init__(message)
        self.engine = engine


def kinds_of(p: MemProgram) -> Counter[str]:
    """How often each kind of expression occurs; a kernel counts as its collective."""
    kinds: Counter[str] = Counter()
    for e in p.entries:
        for s in walk(e.body):
            kinds[type(s.exp).__name__] += 1
            if isinstance(s.exp, Kernel):
                kinds[type(s.exp.collective).__name__] += 1
    return kinds


def nesting(p: MemProgram) -> int:
    """How deep statements are nested."""

    def depth(b: Body[Ann]) -> int:
        return max((1 + depth(c) for s in b.stms for c in sub_bodies(s.exp)), default=0)

    return max(depth(e.body) for e in p.entries)


def define_outcome(g: Generated) -> Outcome:
    """The value semantics of the program: results, or the trap."""
    try:
        return run(g.program, g.entry, g.args)
    except Trap as t:
        return t


OTHER_ORDER = {f"imp {order.value}" for order in Order if order is not Order.FORWARDS}
"""Engines that may fail in another iteration of a kernel first."""


def compare(engine: str, want: Outcome, answer: Callable[[], Sequence[Value]]) -> None:
    """``answer()`` must be what is wanted: equal values, or a trap of the same kind.

    Of a failed assertion also the message, values and all: whatever passes did with them.
    """
    try:
        got = answer()
    except Trap as t:
        if isinstance(want, Trap) and want.kind == t.kind:
            said, wanted = t.diagnostic.message, want.diagnostic.message
            if t.kind is not TrapKind.ASSERTION or engine in OTHER_ORDER or said == wanted:
                return
        raise Disagrees(engine, f"traps: {t}") from t
    except MemoryFault as f:
        raise Disagrees(engine, str(f)) from f
    if isinstance(want, Trap):
        raise Disagrees(engine, f"does not trap, but should: {want}")
    difference = agree(want, got)
    if difference is not None:
        raise Disagrees(engine, difference)


def judge(p: AnyProgram, g: Generated, want: Outcome, t: Trial, *, run_it: bool) -> None:
    """Types, and with ``run_it`` the text and every engine of the program's level."""
    if isinstance(p, ImpProgram):
        if run_it and parse_imp(show(p), "imp") != p:
            raise Disagrees("text", "does not read back as it was printed")
        check_imp(p)
        for order in Order if run_it else ():
            compare(
                f"imp {order.value}",
                want,
                lambda order=order: run_imp(p, g.entry, g.args, order=order, seed=g.seed),
            )
            t.engines[f"imp {order.value}"] += 1
        return
    check(p)
    if not run_it:
        return
    if parse_fun(show(p), "fun") != p:
        raise Disagrees("text", "does not read back as it was printed")
    compare("value", want, lambda: run(p, g.entry, g.args))
    t.engines["value"] += 1
    if Level.FUNMEM in levels_of(p):
        compare("heap", want, lambda: run_heap(p, g.entry, g.args).values)
        t.engines["heap"] += 1


LEVEL_ENDS = ("schedule", "allocate", "lower")
"""Passes after which a program is always run."""


def trial(seed: int, *, opencl: bool = False, thorough: bool = False) -> Trial:
    """One program through its pipeline."""
    t = _trial(seed, opencl=opencl, thorough=thorough or seed % 8 == 0)
    if t.disagreements and not thorough:
        guilty = _trial(seed, opencl=False, thorough=True)
        t.disagreements = guilty.disagreements or t.disagreements
    return t


def _trial(seed: int, *, opencl: bool, thorough: bool) -> Trial:
    g = generate(seed)
    t = Trial(programs=1, kinds=kinds_of(g.program))
    t.depth[nesting(g.program)] += 1
    want = define_outcome(g)
    t.trapping = int(isinstance(want, Trap))
    done: list[str] = []
    p: AnyProgram = g.program
    try:
        check(g.program)
        steps = pipeline_of(seed).steps
        for step, after in zip_longest(steps, steps[1:]):
            done.append(str(step))
            before, p = p, Pipeline((step,)).run(p, verify=False, report=Report())
            leaves = step.what.name in LEVEL_ENDS or after is None or after.what.name == "lower"
            if p != before:
                t.changed[step.what.name] += 1
            if p != before or leaves:
                judge(p, g, want, t, run_it=thorough or leaves)
        # Without `sequentialise` an allocation may be left in a kernel, which a device refuses.
        ready = any(step.what.name == "sequentialise" for step in steps)
        if opencl and ready and isinstance(p, ImpProgram):
            from tests.devices import run_on_pocl

            compare("opencl", want, lambda: run_on_pocl(p, g.entry, g.args))
            t.engines["opencl"] += 1
    except Disagrees as d:
        t.disagreements.append(Disagreement(seed, ",".join(done), d.engine, str(d), _text(p)))
    except FunmemError as e:
        where = e.diagnostic.code
        t.disagreements.append(Disagreement(seed, ",".join(done), where, str(e), _text(p)))
    except Exception:
        message = traceback.format_exc()
        t.disagreements.append(Disagreement(seed, ",".join(done), "crash", message, _text(p)))
    return t


def _text(p: AnyProgram) -> str:
    try:
        return show(p)
    except Exception:
        return repr(p)


def _batch(seeds: Sequence[int], *, every: int, thorough: bool) -> Trial:
    total = Trial()
    for seed in seeds:
        opencl = every > 0 and seed % every == 0
        total.add(trial(seed, opencl=opencl, thorough=thorough))
    return total


def batches(first: int, count: int, size: int = 20) -> Iterator[range]:
    """The seeds in portions, so that progress shows and no worker idles."""
    for start in range(first, first + count, size):
        yield range(start, min(start + size, first + count))


def campaign(
    first: int, count: int, *, jobs: int, out: Path, every: int = 0, thorough: bool = False
) -> Trial:
    """All trials, over ``jobs`` processes, with a progress bar on a terminal.

    Disagreements are written to ``out`` as they are found.
    """
    from rich.console import Console
    from rich.progress import Progress

    total = Trial()
    console = Console(stderr=True)
    with (
        Progress(console=console, disable=not console.is_terminal) as progress,
        multiprocessing.get_context("spawn").Pool(jobs) as pool,
    ):
        task = progress.add_task("programs", total=count)
        work = partial(_batch, every=every, thorough=thorough)
        for done in pool.imap_unordered(work, batches(first, count)):
            total.add(done)
            progress.advance(task, done.programs)
            for d in done.disagreements:
                write(d, out)
                console.print(f"seed {d.seed}: {d.engine} disagrees after {d.passes}", markup=False)
            if not console.is_terminal and total.programs % 1000 == 0:
                console.print(f"{total.programs} of {count} programs")
    return total


def summary(t: Trial, seconds: float) -> str:
    """The figures of a campaign, for a person."""
    rows = [
        f"programs        {t.programs}  ({t.programs / seconds:.1f} per second)",
        f"trapping        {t.trapping}",
        "engine runs     " + ", ".join(f"{k} {v}" for k, v in sorted(t.engines.items())),
        "passes fired    " + ", ".join(f"{k} {v}" for k, v in sorted(t.changed.items())),
        "nesting         " + ", ".join(f"{k}: {v}" for k, v in sorted(t.depth.items())),
        "kinds           " + ", ".join(f"{k} {v}" for k, v in sorted(t.kinds.items())),
        f"disagreements   {len(t.disagreements)}",
    ]
    by_cause = Counter((d.passes.rpartition(",")[2], d.engine) for d in t.disagreements)
    rows += [f"  {n:5d}  after {p}: {e}" for (p, e), n in by_cause.most_common()]
    return "\n".join(rows)


def write(d: Disagreement, out: Path) -> None:
    """One disagreement as a file that can be read and repeated."""
    out.mkdir(parents=True, exist_ok=True)
    head = f"seed {d.seed}\npipeline {d.passes}\nengine {d.engine}\n{d.message}\n"
    comment = "".join(f"-- {line}\n" for line in head.splitlines())
    (out / f"seed_{d.seed}.txt").write_text(comment + d.text)


@click.command(help=__doc__)
@click.option("-n", "count", default=200, show_default=True, help="number of programs")
@click.option("--seed", "first", default=0, show_default=True, help="the first seed")
@click.option("--jobs", default=multiprocessing.cpu_count(), show_default=True)
@click.option("--opencl", "every", default=0, help="run every K-th program on PoCL as well")
@click.option("--thorough", is_flag=True, help="run every engine after every pass")
@click.option("--out", default="campaign-out", help="folder for disagreements")
@click.option("--json", "as_json", is_flag=True, help="figures as JSON")
def main(
    count: int, first: int, jobs: int, every: int, thorough: bool, out: str, as_json: bool
) -> None:
    """Run the campaign; exit code 3 if anything disagreed."""
    start = time.perf_counter()
    t = campaign(first, count, jobs=jobs, out=Path(out), every=every, thorough=thorough)
    seconds = time.perf_counter() - start
    if as_json:
        figures = {
            "programs": t.programs,
            "disagreements": len(t.disagreements),
            "programs_per_second": t.programs / seconds,
            "kinds": dict(t.kinds),
        }
        click.echo(json.dumps(figures))
    else:
        click.echo(summary(t, seconds))
    sys.exit(3 if t.disagreements else 0)


if __name__ == "__main__":
    main()
