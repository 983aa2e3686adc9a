"""``funmem regions``: infer the regions of a program, check them, and measure them."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from funmem.commands import (
    command,
    echo_json,
    entry_option,
    foreign_option,
    inputs_option,
    json_option,
    load,
    program_argument,
    random_option,
    seed_option,
)
from funmem.commands.arguments import arguments, not_both
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError

if TYPE_CHECKING:
    from funmem.driver.source import Source
    from funmem.interp.core.regions import Memory
    from funmem.ir.core import CoreProgram
    from funmem.ir.foreign import ForeignCode
    from funmem.ir.foreign_calls import Table
    from funmem.ir.signature import Signature
    from funmem.ir.values import ArgValue
    from funmem.passes.core.regions import Strategy

HELP = """Print a program (.fut, .nova, .kfc, .core) as Core with regions (paper 000).

A region is a block of memory that grows; what lies in one dies at once.  The annotated program is
inferred and checked, and deleting the annotations gives the program back.  A region that the source
names (`vector-r`, `iota-r`, `kernel-r` of Harlan) has its name and a number.

\b
  --how one        one region for the whole program, which never ends
  --how type       a region for each type in each definition
  --how inferred   as many as unification leaves

With --check, the program is one that has regions already: it is checked, and printed without them.

With --run, the program runs with each number of regions, by an interpreter that executes the
annotations: regions are tables that grow, and poison after their end.  The table shows how many
regions there were at most at the same time, the bytes in use at the peak, all that was allocated,
what moved between host and device, in how many transfers, and the time.  The words after `--` are
the command line of a program that is a process.  With --via c or opencl, the program is compiled
with each number of regions instead, and the second of two calls is measured: peak bytes, on a
device what moved, and the time.  What a process prints is not shown.
"""
EXAMPLE = "$ funmem regions tests/programs/harlan/recursive/list_sort.kfc --run"

COLUMNS = ("regions", "peak", "allocated", "moved", "transfers", "seconds")


@command("regions", HELP, EXAMPLE)
@program_argument()
@click.argument("words", metavar="[-- ARGS]", nargs=-1)
@click.option(
    "--how",
    type=click.Choice(("one", "type", "inferred")),
    default="inferred",
    show_default=True,
    help="How many regions there are.",
)
@click.option(
    "--placement",
    type=click.Choice(("entry", "tight")),
    default="tight",
    show_default=True,
    help="Where a region begins: at the entry of a function, or where it is needed.",
)
@click.option("--check", "checking", is_flag=True, help="Check a program that has regions.")
@click.option("--run", "running", is_flag=True, help="Run with each number of regions.")
@click.option(
    "--via",
    type=click.Choice(("core", "c", "opencl")),
    default="core",
    show_default=True,
    help="With --run: execute the annotations, or compile the program.",
)
@entry_option
@inputs_option()
@random_option
@seed_option
@foreign_option
@json_option
def regions(
    program: str,
    words: Sequence[str],
    language: str | None,
    how: str,
    placement: str,
    checking: bool,
    running: bool,
    via: str,
    entry: str | None,
    inputs: Sequence[str],
    sizes: str | None,
    seed: int,
    foreign: Sequence[str],
    as_json: bool,
) -> int | None:
    """Run ``funmem regions``."""
    from funmem.driver.entry_points import signature_of
    from funmem.ir.check.core import monomorphic
    from funmem.ir.check.regions import check_regions
    from funmem.ir.core import CoreProgram
    from funmem.ir.record import evolve
    from funmem.ir.regions import erase
    from funmem.ir.text.print_core import show_core
    from funmem.passes.core.regions import Placement, Strategy, infer_regions

    not_both(inputs, sizes)
    source = load(program, language)
    tree = source.tree()
    if not isinstance(tree, CoreProgram):
        message = f"`{source.name}` has no Core: its language is {source.language}"
        raise UsageError(Diagnostic(NOWHERE, "level", message))
    if checking:
        if monomorphic(erase(tree)) is not None:
            message = f"`{source.name}` has type variables that are no regions"
            hint = "`funmem regions PROGRAM` infers the regions of a program"
            raise UsageError(Diagnostic(NOWHERE, "level", message, hint))
        check_regions(tree)
        click.echo(show_core(erase(tree)), nl=False)
        return None
    plain = _monomorphic(source, tree)

    find = source.front_end.regions
    named = {} if find is None else find(source.text, source.name)

    def annotated(strategy: Strategy) -> CoreProgram:
        found = infer_regions(plain, strategy, Placement(placement), named)
        check_regions(found)
        return found

    if not running:
        click.echo(show_core(annotated(Strategy(how))), nl=False)
        return None
    if via != "core":
        wanted = signature_of(plain, entry)
        arguments(wanted, inputs, sizes, seed)
        one = evolve(plain, entries=tuple(e for e in plain.entries if e.name == wanted.name))

        def arguments_of(signature: Signature) -> Sequence[ArgValue]:
            return arguments(signature, inputs, sizes, seed)

        code = _code(source, plain, words, via, foreign)
        rows = {s.value: _compiled(one, s, via, arguments_of, code) for s in Strategy}
    else:
        prepared = _call(source, plain, words, entry, inputs, sizes, seed, foreign)
        rows = {s.value: _measured(annotated(s), prepared()) for s in Strategy}
    if as_json:
        echo_json(rows)
    else:
        _table(rows)
    return None


def _monomorphic(source: Source, tree: CoreProgram) -> CoreProgram:
    from funmem.ir.depth import deep
    from funmem.passes.core.monomorphise import monomorphise
    from funmem.passes.runner import check_types

    if not source.front_end.typed:
        check_types(tree)
    with deep():
        return monomorphise(tree)


Call = Callable[["CoreProgram"], "Memory"]


def _call(
    source: Source,
    plain: CoreProgram,
    words: Sequence[str],
    entry: str | None,
    inputs: Sequence[str],
    sizes: str | None,
    seed: int,
    foreign: Sequence[str],
) -> Callable[[], Call]:
    """Return a function that prepares a call of the program."""
    from funmem.driver.compilation import foreign_table
    from funmem.driver.entry_points import signature_of
    from funmem.driver.foreign_files import foreign_code
    from funmem.driver.options import Options
    from funmem.interp.core.regions import run_regions

    signature = signature_of(plain, entry)
    args = arguments(signature, inputs, sizes, seed)

    def prepared() -> Call:
        make = source.front_end.process
        if make is None:
            code = foreign_code(source, foreign)
        else:
            process = make([source.name, *words])
            process.out = io.BytesIO()
            code = process.code(plain)
        table: Table = foreign_table(Options(foreign=code), interpreted=True)
        return lambda p: run_regions(p, signature.name, args, table)[1]

    return prepared


def _measured(p: CoreProgram, call: Call) -> dict[str, float]:
    start = time.perf_counter()
    m = call(p)
    seconds = time.perf_counter() - start
    found = (m.regions_peak, m.peak, m.allocated, m.moved, m.transfers, seconds)
    return dict(zip(COLUMNS, found, strict=True))


def _code(
    source: Source, plain: CoreProgram, words: Sequence[str], via: str, foreign: Sequence[str]
) -> ForeignCode:
    """Return the foreign code of a compiled program; what a process prints is not shown."""
    from funmem.driver.foreign_files import foreign_code

    make = source.front_end.process
    if make is None:
        return foreign_code(source, foreign)
    process = make([source.name, *words])
    process.out = io.BytesIO()
    return process.compiled(plain) if via == "c" else process.code(plain)


def _compiled(
    plain: CoreProgram,
    strategy: Strategy,
    via: str,
    arguments_of: Callable[[Signature], Sequence[ArgValue]],
    code: ForeignCode,
) -> dict[str, float]:
    """Return the cost of the second call of an entry point that is compiled with these regions."""
    from funmem.driver.engines import prepare
    from funmem.driver.entry_points import signature_of
    from funmem.driver.options import Engine, Options
    from funmem.driver.process import redirected
    from funmem.driver.stages import through_core
    from funmem.passes.pipeline import CORE
    from funmem.passes.runner import Pipeline

    passes = Pipeline.parse(CORE.replace("tables", f"tables{{regions={strategy.value}}}"))
    below, _ = through_core(plain, passes, typed=True)
    runner = prepare(below, Engine(via), Options(foreign=code))
    signature = signature_of(below, None)
    args = arguments_of(signature)
    with redirected(io.BytesIO() if via == "c" else None):
        runner.run(signature.name, args)
        outcome = runner.run(signature.name, args)
    found: dict[str, float] = {"peak": outcome.costs["peak_bytes"]}
    if via == "opencl":
        found["moved"] = outcome.costs["moved_bytes"]
        found["transfers"] = outcome.costs["transfers"]
    return {**found, "seconds": outcome.seconds}


def _table(rows: dict[str, dict[str, float]]) -> None:
    columns = next(iter(rows.values()))
    click.echo(f"{'':10}" + "".join(f"{x:>12}" for x in columns))
    for name, row in rows.items():
        cells = [f"{v:.2f}" if isinstance(v, float) else str(v) for v in row.values()]
        click.echo(f"{name:10}" + "".join(f"{x:>12}" for x in cells))
