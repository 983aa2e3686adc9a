"""A premise of a type rule, and what happens where one does not hold.

Every premise of every rule is one call of :func:`require` that names its rule, so that the rules
can be counted, tabulated (``papers/funmem/rules.md``) and dropped one at a time by a test that
demands that somebody notices.

Annotations are checked and never inferred, so a statement that breaks a rule still says what it
binds: :class:`Report` notes the error and checking goes on with the next statement.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from attrs import field

from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, Span
from funmem.ir.fun import Ann, Binder
from funmem.ir.record import define, evolve


def require(
    condition: bool,
    at: Span,
    rule: str,
    premise: str,
    *parts: object,
    hint: str = "",
) -> None:
    """Demand a premise of ``rule``, or raise :class:`SourceError` with the rule as its code.

    ``premise`` says what was found and what was expected; its ``{}`` are filled with ``parts``,
    which are printed only if the premise does not hold.
    """
    if not condition:
        message = premise.format(*map(_show, parts))
        raise SourceError(Diagnostic(at, rule, message, hint))


def _show(part: object) -> str:
    """A part of a message as a person reads it: no quotes inside a tuple."""
    if isinstance(part, tuple):
        return f"({', '.join(map(_show, part))})"
    return str(part)


def many(n: int, thing: str) -> str:
    """``1 result``, ``2 results``."""
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"


@define
class Report:
    """The errors found so far in an entry point."""

    errors: list[Diagnostic] = field(factory=list)

    @contextmanager
    def on(self, *binders: Binder[Ann]) -> Iterator[None]:
        """Note an error of what binds ``binders``, and go on after it."""
        try:
            yield
        except SourceError as e:
            self.errors.append(_placed(e.diagnostic, binders))


def _placed(d: Diagnostic, binders: tuple[Binder[Ann], ...]) -> Diagnostic:
    """A diagnostic about a program that has no text says which statement it is about."""
    if d.at != NOWHERE or not binders:
        return d
    names = ", ".join(p.name for p in binders)
    return evolve(d, message=f"{d.message} (where {names} is bound)")


def place(p: Binder[Ann], at: Span) -> Span:
    """Where a binder stands; where its statement stands, if it does not know."""
    return at if p.at == NOWHERE else p.at
