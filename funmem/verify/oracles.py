"""islpy and z3 as rungs of the ladder: only on request, and only if installed."""

from collections.abc import Sequence
from functools import partial

from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.verify.certificate import Apart, Step
from funmem.ir.verify.ladder import Oracle
from funmem.verify import audit

SECONDS = 2.0
"""Time limit of z3 for one question."""


def oracles(names: Sequence[str]) -> tuple[Oracle, ...]:
    """Return the named oracles, in this order.  Raise UsageError if one is not installed."""
    found = tuple(ORACLES[name] for name in names)
    for name in names:
        try:
            audit.tool(name)
        except audit.MissingTool as e:
            raise UsageError(Diagnostic(NOWHERE, "oracle", str(e))) from None
    return found


def presburger(c: Apart) -> Step | None:
    """Ask islpy, which is exact if no variables are multiplied."""
    return Step.ISL if audit.by_presburger(c.a, c.b, c.facts) is audit.Verdict.DISJOINT else None


def smt(c: Apart) -> Step | None:
    """Ask z3, with a time limit."""
    found = audit.by_smt(c.a, c.b, c.facts, seconds=SECONDS)
    return Step.Z3 if found is audit.Verdict.DISJOINT else None


ORACLES = {"islpy": presburger, "z3": smt}


def asked(names: Sequence[str]) -> tuple[audit.Asked, ...]:
    """Return the named oracles in the form used for rechecking.  Raise UsageError as above."""
    oracles(names)
    return tuple(ASKED[name] for name in names)


ASKED: dict[str, audit.Asked] = {
    "islpy": audit.presburger,
    "z3": partial(audit.smt, seconds=SECONDS),
}
