"""A premise of a type rule, and the report of a violated one.

Every premise of every rule is one call of :func:`require` that names its rule.  So the rules can be
counted and tabulated (``papers/funmem/rules.md``), and a test drops them one at a time and demands
that another test fails.

Annotations are checked and never inferred, so a statement that breaks a rule still states what it
binds: :class:`Report` notes the error, and checking continues with the next statement.
"""

from collections.abc import Sequence
from types import TracebackType

from attrs import field

from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, Span
from funmem.ir.fun import Ann, Binder
from funmem.ir.names import Name
from funmem.ir.record import define, evolve


def require(
    condition: bool,
    at: Span,
    rule: str,
    premise: str,
    *parts: object,
    hint: str = "",
) -> None:
    """Require a premise of ``rule``; raise :class:`SourceError` with the rule as code if it fails.

    ``premise`` is the message: what was found and what was expected.  Its ``{}`` are filled with
    ``parts``, which are formatted only on failure.
    """
    if not condition:
        message = premise.format(*map(_show, parts))
        raise SourceError(Diagnostic(at, rule, message, hint))


def _show(part: object) -> str:
    """Return a part of a message as text, without quotes inside a tuple."""
    if isinstance(part, tuple):
        return f"({', '.join(map(_show, part))})"
    return str(part)


def many(n: int, noun: str) -> str:
    """Return a number with a noun: ``1 result``, ``2 results``."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


@define
class Report:
    """The errors found so far in an entry point."""

    errors: list[Diagnostic] = field(factory=list)

    def on(self, *binders: Binder[Ann]) -> "_Noting":
        """Note an error of the statement that binds ``binders``, and continue after it."""
        return _Noting(self.errors, binders)


@define
class _Noting:
    """Notes an error inside a ``with``.  A generator would cost more than most rules."""

    errors: list[Diagnostic]
    binders: tuple[Binder[Ann], ...]

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, SourceError):
            return False
        self.errors.append(_placed(error.diagnostic, self.binders))
        return True


def _placed(d: Diagnostic, binders: tuple[Binder[Ann], ...]) -> Diagnostic:
    """Return a diagnostic that names the statement, for a program without source text."""
    if d.at != NOWHERE or not binders:
        return d
    names = ", ".join(p.name for p in binders)
    return evolve(d, message=f"{d.message} (where {names} is bound)")


def place(p: Binder[Ann], at: Span) -> Span:
    """Return the position of a binder, or of its statement if it has none."""
    return at if p.at == NOWHERE else p.at


def names(pat: Sequence[Binder[Ann]]) -> tuple[Name, ...]:
    """Return the names that a pattern binds."""
    return tuple(p.name for p in pat)
