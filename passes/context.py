"""The context of a pass: its options, and a report for remarks and timings."""

import re
from collections.abc import Mapping
from typing import TypeAlias

from attrs import field

from funmem.ir.diagnostics import NOWHERE, Diagnostic, Span, UsageError
from funmem.ir.fun import Ann, Stm
from funmem.ir.record import frozen

OptionValue: TypeAlias = bool | int | str


@frozen
class Option:
    """An option ``name=value`` of the default's type; ``choices`` lists the allowed texts."""

    name: str
    default: OptionValue
    choices: tuple[str, ...] = ()
    help: str = ""

    def read(self, text: str) -> OptionValue:
        """Return the value that ``text`` spells; raise :class:`UsageError` if it spells none."""
        match self.default:
            case bool() if text in ("true", "false"):
                return text == "true"
            case int() if not isinstance(self.default, bool) and re.fullmatch(r"-?\d+", text):
                return int(text)
            case str() if not self.choices or text in self.choices:
                return text
        raise usage_error(f"option {self.name} is {self._expected()}, not `{text}`")

    def _expected(self) -> str:
        match self.default:
            case bool():
                return "true or false"
            case int():
                return "an integer"
            case str():
                return "one of " + ", ".join(self.choices)


@frozen
class Remark:
    """The reason why a pass did not transform a statement: ``condition`` did not hold.  With
    ``done``, a transformation that the pass applied: ``condition`` names it, ``reason`` describes
    it.
    """

    pass_name: str
    place: str
    condition: str
    reason: str
    at: Span = field(default=NOWHERE, eq=False)
    done: bool = False

    def __str__(self) -> str:
        where = self.place if self.at == NOWHERE else f"{self.place} ({self.at})"
        return f"{self.pass_name}: {where}: {self.condition}: {self.reason}"


@frozen
class PassTiming:
    """The seconds that one use of a pass took, and the seconds for checking its result."""

    pass_name: str
    seconds: float
    check_seconds: float


class Report:
    """The remarks and timings of one run of a pipeline; the runner appends to it."""

    def __init__(self) -> None:
        self.remarks: list[Remark] = []
        self.timings: list[PassTiming] = []


class Context:
    """The options of one use of a pass, and methods to record remarks."""

    def __init__(
        self, pass_name: str, options: Mapping[str, OptionValue], report: Report | None = None
    ) -> None:
        self._pass_name = pass_name
        self._options = dict(options)
        self._report = report or Report()

    def option(self, name: str) -> OptionValue:
        """Return the value of an option."""
        return self._options[name]

    def flag(self, name: str) -> bool:
        """Return the value of a boolean option."""
        return bool(self._options[name])

    def number(self, name: str) -> int:
        """Return the value of an integer option."""
        return int(self._options[name])

    def text(self, name: str) -> str:
        """Return the value of a textual option."""
        return str(self._options[name])

    def remark(self, place: Stm[Ann] | str, condition: str, reason: str) -> None:
        """Record that ``condition`` does not hold at a statement, and the reason."""
        self._record(place, condition, reason, done=False)

    def did(self, place: Stm[Ann] | str, what: str, how: str) -> None:
        """Record a transformation that the pass applied at a statement."""
        self._record(place, what, how, done=True)

    def _record(self, place: Stm[Ann] | str, condition: str, reason: str, *, done: bool) -> None:
        if isinstance(place, str):
            name, at = place, NOWHERE
        else:
            name = " ".join(b.name for b in place.pat) or type(place.exp).__name__.lower()
            at = place.at
        self._report.remarks.append(Remark(self._pass_name, name, condition, reason, at, done))

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """The remarks recorded so far."""
        return tuple(self._report.remarks)


def usage_error(message: str, hint: str = "") -> UsageError:
    """Return the error for wrong use of the command line or the API."""
    return UsageError(Diagnostic(NOWHERE, "usage", message, hint))
