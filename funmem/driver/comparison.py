"""A run by two engines, compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from funmem.driver.engines import Outcome, Runner
from funmem.driver.options import Engine
from funmem.ir.diagnostics import NOWHERE, Diagnostic, ExitCode, FunmemError, Trap
from funmem.ir.signature import Signature

if TYPE_CHECKING:
    from funmem.ir.values import ArgValue


class Disagreement(FunmemError):
    """Two engines gave different answers: a bug of the compiler or of an engine."""

    exit_code = ExitCode.DISAGREEMENT

    def __init__(self, one: Engine, other: Engine, difference: str) -> None:
        message = f"{one.value} and {other.value} disagree: {difference}"
        super().__init__(Diagnostic(NOWHERE, "disagreement", message))


def compare(
    ours: Runner, reference: Runner, entry: Signature, args: Sequence[ArgValue]
) -> tuple[Outcome, Outcome]:
    """Return the outcomes of ``ours`` and of ``reference`` if their values agree up to rounding.

    Raises the trap if both trap in the same way, Disagreement if they differ.
    """
    from funmem.ir.values import Tolerance, agree

    expected, got = (_outcome_or_trap(r, entry.name, args) for r in (reference, ours))
    match expected, got:
        case Outcome(), Outcome():
            wanted, found = expected.spelled(entry), got.spelled(entry)
            types = [p.type for _, p in wanted]
            values = [[v for v, _ in x] for x in (wanted, found)]
            difference = agree(*values, tolerance=Tolerance(), types=types)
            if difference is None:
                return got, expected
        case Trap(), Trap() if expected.kind is got.kind:
            raise got
        case _:
            said = [_describe(x) for x in (expected, got)]
            difference = f"expected {said[0]}, got {said[1]}"
    raise Disagreement(reference.engine, ours.engine, difference)


def _outcome_or_trap(r: Runner, entry: str, args: Sequence[ArgValue]) -> Outcome | Trap:
    try:
        return r.run(entry, args)
    except Trap as trap:
        return trap


def _describe(x: Outcome | Trap) -> str:
    return f"the trap `{x.diagnostic.message}`" if isinstance(x, Trap) else "results"
