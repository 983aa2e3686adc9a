"""Measure the unseen programs: funmem's engines and plain C with OpenMP, in turns; worst first.

    python papers/unseen/measure.py
    python papers/unseen/measure.py --only gemm,life --rounds 9 --threads 1 --markdown

Every result is compared with that of the C version before anything is measured.  A ratio is the
time of funmem over the time of C, the median over the rounds.  A program that does not compile, or
whose result is wrong, is listed with the reason, and the exit code is then 3.
"""

import argparse
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from inputs import INPUTS

from funmem.bench.contenders import Absent
from funmem.bench.measure import Plan, measure
from funmem.bench.ours import VIAS
from funmem.bench.peers import peer
from funmem.bench.rows import Row, write
from funmem.bench.table import aligned, in_a_line
from funmem.bench.tasks import Arrays, Task, scaled
from funmem.bench.threads import limit_threads
from funmem.driver.entry_points import signature_of
from funmem.driver.options import Options
from funmem.driver.source import read
from funmem.ir.diagnostics import ExitCode, FunmemError
from funmem.ir.fun import ArrayType
from funmem.ir.signature import Signature
from funmem.ir.values import ArgValue, bind, dtype

HERE = Path(__file__).resolve().parent
C = "gcc"


def task(name: str, scale: float, seed: int) -> Task:
    """Return the call of a program to measure.  Its C version computes the expected results."""
    path = HERE / name / f"{name}.fut"
    given = INPUTS[name]
    program = read(str(path)).parse()
    s = signature_of(program, "main")
    args = given.make(np.random.default_rng(seed), scaled(given.size, scale))
    found = Task(name, str(path), program, s, args, lambda: by_c(found), f"{name}.c", given.rtol)
    return found


def by_c(t: Task) -> Arrays:
    """Return the results of a task's C version.  Raises SystemExit if it cannot be built."""
    made = peer(C, t.call, blank(t.signature, t.args))
    if isinstance(made, Absent):
        raise SystemExit(f"{t.name}: {made.why}")
    return made.run().results()


def blank(s: Signature, args: Sequence[ArgValue]) -> Arrays:
    """Return arrays of the results' types and shapes, which the arguments determine."""
    sizes, values = bind(s, args)
    known = {p.name: v for p, v in zip(s.params, values, strict=True) if isinstance(v, int)} | sizes
    shapes = [
        (tuple(d.eval(known.__getitem__) for d in t.shape), t.elem)
        if isinstance(t := r.type, ArrayType)
        else ((), t)
        for r in s.results
    ]
    return tuple(np.empty(shape, dtype(elem)) for shape, elem in shapes)


# ---------------------------------------------------------------------- the report


def worst_first(rows: Sequence[Row], vias: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield a line for each program: name, milliseconds of C, and the ratio of each engine."""
    by_name: dict[str, dict[str, Row]] = {}
    for r in rows:
        by_name.setdefault(r.name, {})[r.via] = r

    def worst(name: str) -> float:
        return max(by_name[name][via].ratios.get(C, float("inf")) for via in vias)

    for name in sorted(by_name, key=worst, reverse=True):
        of = by_name[name]
        ms = next((f"{r.peers_ms[C]:.2f}" for r in of.values() if C in r.peers_ms), "-")
        ratios = [of[via].ratios.get(C) for via in vias]
        yield (name, ms, *("wrong" if x is None else f"{x:.2f}" for x in ratios))


def means(rows: Sequence[Row], vias: Sequence[str]) -> tuple[str, ...]:
    """Return the line of the geometric means."""
    found = []
    for via in vias:
        ratios = [r.ratios[C] for r in rows if r.via == via and C in r.ratios]
        found.append(f"{statistics.geometric_mean(ratios):.2f}" if ratios else "-")
    return ("geometric mean", "", *found)


def report(rows: Sequence[Row], vias: Sequence[str], *, markdown: bool) -> Iterator[str]:
    """Yield the lines of the table, as text or as Markdown."""
    head = ("program", "C, ms", *(f"{via} / C" for via in vias))
    lines = [*worst_first(rows, vias), means(rows, vias)]
    if not markdown:
        yield from aligned([head, *lines], words=1)
        return
    yield f"| {' | '.join(head)} |"
    yield f"|---|{'---:|' * (len(head) - 1)}"
    for name, *numbers in lines:
        shown = f"[{name}]({name}/{name}.fut)" if name in INPUTS else name
        yield f"| {' | '.join([shown, *numbers])} |"


def main(given: Sequence[str] | None = None) -> int:
    """Measure, and print the table; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", metavar="NAMES", help="some programs: gemm,life")
    parser.add_argument("--via", choices=VIAS, action="append", help="default: both")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, help="number of threads, for funmem and C")
    parser.add_argument("--scale", type=float, default=1.0, help="factor of the sizes")
    parser.add_argument("--fast", action="store_true", help="compile kernels without bounds checks")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows as JSON")
    asked = parser.parse_args(given)
    names = asked.only.split(",") if asked.only else list(INPUTS)
    unknown = [x for x in names if x not in INPUTS]
    if unknown:
        parser.error(f"there is no program {unknown[0]}; there are {', '.join(INPUTS)}")
    if asked.threads is not None:
        limit_threads(asked.threads)
    vias = tuple(asked.via or VIAS)
    plan = Plan(vias, (C,), asked.rounds, 1, Options(safe=not asked.fast, tuned=False))
    rows: list[Row] = []
    failed: list[str] = []
    for name in names:
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            found = measure(task(name, asked.scale, asked.seed), plan)
        except FunmemError as error:
            failed.append(f"{name}: {error}")
            continue
        for row in found:
            print(in_a_line(row), file=sys.stderr, flush=True)
        rows += found
        if asked.json is not None:
            write(asked.json, rows, None)
    for line in report(rows, vias, markdown=asked.markdown):
        print(line)
    failed += [f"{r.name}, {r.via}: {r.error}" for r in rows if not r.verified]
    failed += [f"{r.name}, {C}: {r.absent[C]}" for r in rows if C in r.absent]
    for line in failed:
        print(line)
    return int((ExitCode.DISAGREEMENT if failed else ExitCode.OK).value)


if __name__ == "__main__":
    sys.exit(main())
