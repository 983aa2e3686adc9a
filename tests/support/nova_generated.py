"""Generated NOVA programs on all engines, against the evaluation of their syntax trees.

    python -m tests.support.nova_generated [-n 2000] [--first 0] [--every 10] [--ragged]

The engine ``value`` runs all programs; the others run every K-th one.  With ``--ragged`` the
programs are about rows of different lengths, and the interpreter of Core is the judge.  SIGINT and
SIGTERM end a campaign; the totals so far are printed.
"""

import sys
from argparse import ArgumentParser
from collections import Counter
from random import Random

import numpy as np

import funmem
from funmem.api import Via
from funmem.ir.diagnostics import SourceError, Trap
from funmem.testing.campaign.stopping import stoppable
from tests.support.nova_oracle import NovaTrap, Number, Value, run, value_of
from tests.support.nova_programs import Program, program
from tests.support.ragged_programs import any_program, by_core, core, given_rows, shown

TRAPPED = "trap"


def flat(v: Value) -> list[object]:
    """The results of a program as numpy values, one for each element of a tuple."""
    match v:
        case tuple():
            return [x for part in v for x in flat(part)]
        case Number(value):
            return [value]
        case list():
            return [[flat(x)[0] for x in v]]
        case _:
            raise TypeError(f"{v} is no result")


def expected(p: Program) -> object:
    """Return the program's value by the oracle."""
    try:
        return flat(run(p.text, [value_of(x) for x in p.args]))
    except NovaTrap:
        return TRAPPED


def arguments(p: Program) -> list[object]:
    """The inputs as the engines take them."""
    *scalars, pair, xs, ys, ds, rows = p.args
    assert isinstance(pair, tuple)
    assert isinstance(rows, list)
    width = len(rows[0]) if rows else 0
    return [
        *scalars,
        *pair,
        np.array(xs, np.int32),
        np.array(ys, np.int32),
        np.array(ds, np.float64),
        np.array(rows, np.int32).reshape(len(rows), width),
    ]


def got(p: Program, via: Via) -> object:
    """Return an engine's result."""
    try:
        found = funmem.run(p.text, *arguments(p), language="nova", via=via)  # type: ignore[arg-type]
    except Trap:
        return TRAPPED
    return [x.tolist() if isinstance(x, np.ndarray) else x for x in leaves(found)]


def leaves(found: object) -> list[object]:
    """Return the parts of a result that is a tuple, at any depth."""
    return [y for x in found for y in leaves(x)] if isinstance(found, tuple) else [found]


def differs(p: Program, via: Via) -> str | None:
    """The difference between what a program means and what an engine computes, or None."""
    want, have = expected(p), got(p, via)
    return None if repr(want) == repr(have) else f"{via}: expected {want}, got {have}"


def ragged_differs(seed: int, via: Via) -> tuple[str | None, bool]:
    """Return the difference for a program on rows, or None; and if it traps."""
    text, given = any_program(Random(seed))
    want = by_core(core(text), given)
    try:
        have = funmem.run(text, given_rows(given), language="nova", via=via)
    except Trap:
        have = None
    found = None if have is None else [shown(x) for x in have]
    wrong = None if found == want else f"{via}: {text} on {given}: expected {want}, got {found}"
    return wrong, want is None


def plain_differs(seed: int, via: Via) -> tuple[str | None, bool]:
    """Return the difference for any program, or None; and if it traps."""
    p = program(seed)
    return differs(p, via), expected(p) == TRAPPED


def compare(first: int, n: int, every: int, *, ragged: bool, count: Counter[str]) -> None:
    """Compare n programs on the engines, and count them by engine and by outcome."""
    for seed in range(first, first + n):
        vias: list[Via] = ["value"]
        if seed % every == 0:
            vias += ["heap", "imp", "c", "opencl"]
        for via in vias:
            traps = False
            try:
                wrong, traps = (ragged_differs if ragged else plain_differs)(seed, via)
            except SourceError as error:
                wrong = f"refused: {error.diagnostic.render()}"
            except Exception as error:  # one broken program must not hide the others
                wrong = f"{via}: {type(error).__name__}: {str(error)[:300]}"
            count[via] += 1
            if wrong is not None:
                count["wrong"] += 1
                print(f"seed {seed}: {wrong[:600]}", flush=True)
            elif via == "value":
                count["trapped"] += traps


def main() -> int:
    """Run the command."""
    parser = ArgumentParser()
    parser.add_argument("-n", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--ragged", action="store_true")
    options = parser.parse_args()
    count: Counter[str] = Counter()
    with stoppable() as stop:
        compare(options.first, options.n, options.every, ragged=options.ragged, count=count)
    print(f"{dict(count)}")
    return stop.exit_code(1 if count["wrong"] else 0)


if __name__ == "__main__":
    sys.exit(main())
