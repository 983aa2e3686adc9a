"""Does double-buffer make copies?  A campaign: ``python -m tests.copies_grow -n 5000``.

Most of its programs have loops that pass arrays from one parameter to another
(``funmem/testing/generator/parameter_rotation.py``).  Each goes to
FUNMEM, is hoisted, and then goes through double-buffer or not.  Asked is

    statically    no loop outside of kernels has more copies in its body (the pass's postcondition)
    executed      a run makes no more copies outside of kernels than without the pass, but for
                  those of initial values in front of loops: one for each that the text says
    valid         the heap still agrees with the values

The summary counts loops by what became of them.
"""

import argparse
import sys
from collections import Counter

from attrs import field

from funmem.interp.heap import run_heap
from funmem.interp.value import run
from funmem.ir.diagnostics import FunmemError, MemoryFault, Trap
from funmem.ir.fun import Ann, Program
from funmem.ir.names import Name
from funmem.ir.record import define, evolve
from funmem.ir.values import agree
from funmem.passes.framework import as_tree
from funmem.passes.mem.copying import copies
from funmem.passes.mem.double_buffer import double_buffer, views
from funmem.passes.mem.double_buffer.promise import copies_do_not_grow
from funmem.testing import PRODUCERS, Generated
from funmem.testing.generator.program import Generator
from tests.support.memory_check import HOISTED, through

PIPELINES = (HOISTED, f"{HOISTED},short-circuit", f"simplify,fuse,{HOISTED},short-circuit,simplify")
HANDING = {**PRODUCERS, "Handed": evolve(PRODUCERS["Handed"], weight=30.0)}
MOST = 200_000
"""Statements and iterations of a run, at most."""


def program(seed: int) -> Generated:
    """The program of a seed: for the most part loops that hand arrays on."""
    return Generator(seed, HANDING, Counter(), None).program()


@define
class Summary:
    """What was found; ``wrong``: a line for each program."""

    programs: int = 0
    run: int = 0
    loops: Counter[str] = field(factory=Counter)
    wrong: list[str] = field(factory=list)


def judge(g: Generated, passes: str, summary: Summary) -> None:
    """One program; what is wrong goes to the summary."""
    before = through(g.program, passes)
    ctx = double_buffer.context()
    after = as_tree(double_buffer.run(before, ctx))
    summary.programs += 1
    was, now = making(before), making(after)
    summary.loops += Counter(rotating=len(was - now), allocating=len(was & now))
    if (wrong := copies_do_not_grow(before, after, ctx)) is not None:
        summary.wrong.append(f"seed {g.seed}: {passes}: {wrong.message}")
        return
    old, new = executed(before, g), executed(after, g)
    if old is None:
        return
    summary.run += 1
    if new is None:
        summary.wrong.append(f"seed {g.seed}: {passes}: the program fails after the pass")
    elif new > old + max(0, in_front(after) - in_front(before)):
        summary.wrong.append(f"seed {g.seed}: {passes}: {new} copies instead of {old}")


def executed(p: Program[Ann], g: Generated) -> int | None:
    """The copies that a run makes outside of kernels; None if it does not end as it should."""
    try:
        got = run_heap(p, g.entry, g.args, most=MOST)
        right = agree(run(g.program, g.entry, g.args), got.values) is None
    except (Trap, MemoryFault, FunmemError):
        return None
    return got.stats.copies if right else None


def in_front(p: Program[Ann]) -> int:
    """The copies of the text that stand in no loop and no kernel."""
    return sum(not any(a.what in ("loop", "kernel") for a in c.around) for c in copies(p))


def making(p: Program[Ann]) -> frozenset[Name]:
    """The parameters of loops on the host whose next value is in a block of the body's own."""
    on_host = (v for e in p.entries for v in views(e) if not v.in_kernel)
    return frozenset(c.name for v in on_host for c in v.arrays() if v.is_new(c))


def main() -> int:
    """The campaign; exit status 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("-n", type=int, default=1000, help="programs")
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    options = parser.parse_args()
    summary = Summary()
    for seed in range(options.seed, options.seed + options.n):
        judge(program(seed), PIPELINES[seed % len(PIPELINES)], summary)
        if summary.programs % 500 == 0:
            print(summary.programs, len(summary.wrong), file=sys.stderr)
    print(
        f"{summary.programs} programs, {summary.run} of them run; of the new arrays of loops "
        f"{summary.loops['rotating']} rotate, {summary.loops['allocating']} are allocated"
    )
    print("\n".join(summary.wrong) or "no copies grow")
    return 1 if summary.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
