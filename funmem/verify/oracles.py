"""islpy and z3 as rungs of the ladder: only when asked, and only if installed."""

from collections.abc import Sequence

from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.passes.mem.disjoint import audit
from funmem.passes.verify.certificate import Apart, Step
from funmem.passes.verify.ladder import Oracle

SECONDS = 2.0
"""How long z3 thinks about one question."""


def oracles(names: Sequence[str]) -> tuple[Oracle, ...]:
    """The named oracles, in this order.  Raises UsageError where one is not installed."""
    found = tuple(ORACLES[name] for name in names)
    for name in names:
        try:
            audit.tool(name)
        except audit.MissingTool as e:
            raise UsageError(Diagnostic(NOWHERE, "oracle", str(e))) from None
    return found


def presburger(c: Apart) -> Step | None:
    """islpy: exact, where no variables are multiplied."""
    return Step.ISL if audit.by_presburger(c.a, c.b, c.facts) is audit.Verdict.DISJOINT else None


def smt(c: Apart) -> Step | None:
    """z3, with a time limit."""
    found = audit.by_smt(c.a, c.b, c.facts, seconds=SECONDS)
    return Step.Z3 if found is audit.Verdict.DISJOINT else None


def overlap(c: Apart) -> bool:
    """Whether an oracle finds an element in both: for rechecking."""
    exact = audit.by_presburger(c.a, c.b, c.facts)
    found = audit.by_smt(c.a, c.b, c.facts, seconds=SECONDS)
    return audit.Verdict.OVERLAP in (exact, found)


ORACLES = {"islpy": presburger, "z3": smt}
