"""The interpreter of Core/r: it executes the annotations, and reports those that are wrong.

    run_regions(p, "main", args)    the results, and what the regions took

It must agree with the interpreter of Core on the erased program (interp/core), for every program
that the checker accepts; a wrong annotation is a MemoryFault.
"""

from collections.abc import Sequence

from funmem.interp.core import entry_named, frames
from funmem.interp.core.layout import Layout, Part
from funmem.interp.core.regions.evaluate import RegionEvaluator
from funmem.interp.core.regions.memory import Memory
from funmem.interp.core.values import Env, i64
from funmem.ir.core import CoreProgram
from funmem.ir.foreign_calls import NO_FUNCTIONS, Table
from funmem.ir.regions.forms import STATIC, regions_in
from funmem.ir.values import ArgValue

__all__ = ["Memory", "run_regions"]


def run_regions(
    p: CoreProgram, entry: str, args: Sequence[ArgValue], foreign: Table = NO_FUNCTIONS
) -> tuple[tuple[Part, ...], Memory]:
    """Return the results of an entry point like ``run_parts``, and the memory of the run.

    The caller's regions begin before the run and end after it.  Raises what ``run_core`` raises,
    and MemoryFault if a region is used after its end, a value leaves one that ends, or lies in
    another one than its type says.
    """
    run = RegionEvaluator(p, foreign)
    e, plain = entry_named(p, entry), entry_named(run.plain, entry)
    layout = Layout(run.plain.data)
    sizes, given = layout.arguments(plain, args)
    names = {x: i64(n) for x, n in sizes.items()}
    ends = [*(q.binder.type for q in e.params), e.result]
    regions = dict.fromkeys(r for t in ends for r in regions_in(t) if r != STATIC)
    with frames(), run.regions(list(regions)) as begun:
        env = Env({**names}, begun)
        for q in e.params:
            x = q.binder.name
            env.values[x] = run.home(given[x], q.binder.type, env)
        run.start(plain.exp, env.values)
        results = layout.results(run.eval(plain.exp, env), plain.result)
    return results, run.memory
