"""What a pass is given besides the program: its options, and a place to leave remarks."""

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
    """``name=value``: its type is its default's; ``choices`` lists the allowed texts."""

    name: str
    default: OptionValue
    choices: tuple[str, ...] = ()
    help: str = ""

    def read(self, text: str) -> OptionValue:
        """The value that ``text`` spells, or a :class:`UsageError`."""
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
    """Why a pass did not do something at a place: "why was this copy not removed?".  With
    ``done``, what it did: ``condition`` names it, ``reason`` says how.
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
    """Seconds that one use of a pass took, and that checking its result took."""

    pass_name: str
    seconds: float
    check_seconds: float


class Report:
    """What happened in one run of a pipeline; the runner appends to it."""

    def __init__(self) -> None:
        self.remarks: list[Remark] = []
        self.timings: list[PassTiming] = []


class Context:
    """What one use of a pass may see besides the program: its options, and a sink for remarks."""

    def __init__(
        self, pass_name: str, options: Mapping[str, OptionValue], report: Report | None = None
    ) -> None:
        self._pass_name = pass_name
        self._options = dict(options)
        self._report = report or Report()

    def option(self, name: str) -> OptionValue:
        """An option's value."""
        return self._options[name]

    def flag(self, name: str) -> bool:
        """A boolean option."""
        return bool(self._options[name])

    def number(self, name: str) -> int:
        """An integer option."""
        return int(self._options[name])

    def text(self, name: str) -> str:
        """A textual option."""
        return str(self._options[name])

    def remark(self, place: Stm[Ann] | str, condition: str, reason: str) -> None:
        """Record that ``condition`` failed at a statement, and why."""
        self._record(place, condition, reason, done=False)

    def did(self, place: Stm[Ann] | str, what: str, how: str) -> None:
        """Record what the pass did at a statement."""
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
        """What has been recorded so far."""
        return tuple(self._report.remarks)


def usage_error(message: str, hint: str = "") -> UsageError:
    """The command line or the API was used wrongly."""
    return UsageError(Diagnostic(NOWHERE, "usage", message, hint))
