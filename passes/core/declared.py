r"""The passes on Core as declared passes: their names, summaries and conditions, in order.

    entry-data        entry f (l : List)               ->   entry f (l : i64) (tags : []i64) …
    monomorphise      def id 'a : …, @id[i32] y       ->   def id : …, @id y
    lambda-lift       mu (f : t) \(x : i64) -> e      ->   def f : … = \(x : i64) -> e
    closure-convert   if b then f else g               ->   if b then #f else #g
    defunctionalise   let f = \(x : i64) -> e in f 1   ->   let x = 1 in e
    box-rows          [xs, ys] : [][]i32               ->   [#boxed xs, #boxed ys] : []Row
    tables            #cons (x, l)                    ->   a row of the columns of lists; its number
    flatten-data      let p = (a, b) in p.0           ->   a
    widen             i64(i32(k) - 1i32)              ->   k - 1
    recursion         def f = … f (n - 1) …           ->   def f = loop … with a stack
    flatten-nested    map (reduce + 0) X              ->   segmented reduce + 0 (\\i k -> X[k]) …
    to-fun            map f (map g (xs))              ->   let ys = kernel … let zs = kernel …

The module of each pass describes it.  Every program needs all of them.  The conditions say what a
pass may assume and what it removes.
"""

from collections.abc import Callable

from funmem.ir.check.core import finite, first_order, flat, lifted, monomorphic
from funmem.ir.core import CoreProgram
from funmem.ir.fun import MemProgram
from funmem.passes.context import Context, Option
from funmem.passes.core.closure_convert.condition import static_functions
from funmem.passes.framework import Level, core_pass

FUNCTIONS = Option(
    "functions",
    16,
    help="operations from which a definition on scalars that is called twice stays a function; "
    "0: every definition is inlined",
)

PRIVATE = Option(
    "private", 64, help="MiB for the stacks or arenas of the indices of a map that run at once"
)

REGIONS = Option(
    "regions",
    "inferred",
    ("one", "type", "inferred"),
    help="regions of recursive data: one for the program, one for each type in each definition, or "
    "as many as inference leaves",
)

DEEPEST = Option("deepest", 1024, help="MiB for the stack or the arenas of one index of a map")


def _note(ctx: Context) -> Callable[[str, str, bool], None]:
    """Return a function that notes whether a place is parallel, and why."""

    def note(place: str, what: str, parallel: bool) -> None:
        record = ctx.did if parallel else ctx.remark
        record(place, "parallel", what)

    return note


@core_pass(
    "entry-data",
    summary="recursive data of entry points are passed as rows of a table",
)
def entry_data(p: CoreProgram, ctx: Context) -> CoreProgram:  # noqa: ARG001
    """Declared: :mod:`funmem.passes.core.entry_data`."""
    from funmem.passes.core.entry_data import entry_data as run

    return run(p)


@core_pass(
    "monomorphise",
    summary="a copy of each definition for the types it is used at",
    post=(monomorphic,),
)
def monomorphise(p: CoreProgram, ctx: Context) -> CoreProgram:  # noqa: ARG001
    """Declared: :mod:`funmem.passes.core.monomorphise`."""
    from funmem.passes.core.monomorphise import monomorphise as run

    return run(p)


@core_pass(
    "lambda-lift",
    summary="local recursive functions become definitions",
    pre=(monomorphic,),
    post=(monomorphic, lifted),
)
def lambda_lift(p: CoreProgram, ctx: Context) -> CoreProgram:  # noqa: ARG001
    """Declared: :mod:`funmem.passes.core.lambda_lift`."""
    from funmem.passes.core.lambda_lift import lambda_lift as run

    return run(p)


@core_pass(
    "closure-convert",
    summary="functions that are chosen at run time become data",
    pre=(monomorphic, lifted),
    post=(monomorphic, lifted, static_functions),
)
def closure_convert(p: CoreProgram, ctx: Context) -> CoreProgram:  # noqa: ARG001
    """Declared: :mod:`funmem.passes.core.closure_convert`."""
    from funmem.passes.core.closure_convert import closure_convert as run

    return run(p)


@core_pass(
    "defunctionalise",
    summary="function values are replaced by their code",
    pre=(monomorphic, lifted),
    post=(monomorphic, lifted, first_order),
)
def defunctionalise(p: CoreProgram, ctx: Context) -> CoreProgram:  # noqa: ARG001
    """Declared: :mod:`funmem.passes.core.defunctionalise`."""
    from funmem.passes.core.defunctionalise import defunctionalise as run

    return run(p)


@core_pass(
    "box-rows",
    summary="rows of different lengths, and arrays in recursive data, become boxed vectors",
    pre=(monomorphic, lifted, first_order),
    post=(monomorphic, lifted, first_order),
)
def box_rows(p: CoreProgram, ctx: Context) -> CoreProgram:
    """Declared: :mod:`funmem.passes.core.box_rows`."""
    from funmem.passes.core.box_rows import box_rows as run

    return run(p, lambda place, why: ctx.remark(place, "rows of different lengths", why))


@core_pass(
    "tables",
    summary="recursive data become rows of growing tables, and links",
    pre=(monomorphic, lifted, first_order),
    post=(monomorphic, lifted, first_order, finite),
    options=(PRIVATE, DEEPEST, REGIONS),
)
def tables(p: CoreProgram, ctx: Context) -> CoreProgram:
    """Declared: :mod:`funmem.passes.core.tables`."""
    from funmem.passes.core.regions import Strategy
    from funmem.passes.core.tables import tables as run
    from funmem.passes.core.tables.store import Limits

    limits = Limits(ctx.number("private") << 20, ctx.number("deepest") << 20)
    return run(p, limits, _note(ctx), Strategy(ctx.text("regions")))


@core_pass(
    "flatten-data",
    summary="records and sums become scalars and arrays of scalars",
    pre=(monomorphic, lifted, first_order, finite),
    post=(monomorphic, lifted, flat),
)
def flatten_data(p: CoreProgram, ctx: Context) -> CoreProgram:  # noqa: ARG001
    """Declared: :mod:`funmem.passes.core.flatten_data`."""
    from funmem.passes.core.flatten_data import flatten_data as run

    return run(p)


@core_pass(
    "widen",
    summary="ints that are converted to i64 and cannot overflow become i64",
    pre=(monomorphic, lifted, flat),
    post=(monomorphic, lifted, flat),
)
def widen(p: CoreProgram, ctx: Context) -> CoreProgram:  # noqa: ARG001
    """Declared: :mod:`funmem.passes.core.widen`."""
    from funmem.passes.core.widen import widen as run

    return run(p)


@core_pass(
    "recursion",
    summary="recursion becomes a loop with a stack",
    pre=(monomorphic, lifted, flat),
    post=(monomorphic, lifted, flat),
    options=(PRIVATE, DEEPEST),
)
def recursion(p: CoreProgram, ctx: Context) -> CoreProgram:
    """Declared: :mod:`funmem.passes.core.recursion`."""
    from funmem.passes.core.recursion import recursion as run
    from funmem.passes.core.recursion.kernels import MIB, Room

    def note(place: str, what: str, parallel: bool) -> None:
        if parallel:
            ctx.did(place, "parallel", what)
        else:
            ctx.remark(place, "parallel", what)

    return run(p, Room(ctx.number("private") * MIB, ctx.number("deepest") * MIB), note)


@core_pass(
    "flatten-nested",
    summary="rows of different lengths become offsets and elements",
    pre=(monomorphic, lifted, flat),
    post=(monomorphic, lifted, flat),
)
def flatten_nested(p: CoreProgram, ctx: Context) -> CoreProgram:
    """Declared: :mod:`funmem.passes.core.flatten_nested`."""
    from funmem.passes.core.flatten_nested import flatten_nested as run

    return run(p, ctx)


@core_pass(
    "to-fun",
    summary="A-normal form, shapes, kernels",
    pre=(monomorphic, lifted, flat),
    output=Level.FUN,
    options=(FUNCTIONS,),
)
def to_fun(p: CoreProgram, ctx: Context) -> MemProgram:
    """Declared: :mod:`funmem.passes.core.to_fun`."""
    from funmem.passes.core.foreign_arrays import scalar_calls
    from funmem.passes.core.scalar_functions import chosen
    from funmem.passes.core.to_fun import to_fun as run

    found = chosen(p, ctx.number("functions"))
    for name, k in found.kept.items():
        ctx.did(name, "stays a function", f"{k.operations} operations, {k.calls} calls")
    for name, why in found.refused.items():
        ctx.remark(name, "stays a function", why)
    return run(scalar_calls(p), found.kept)
