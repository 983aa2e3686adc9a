"""The results of checking a program."""

from collections.abc import Mapping
from enum import Enum

from attrs import asdict, field

from funmem.ir.record import frozen


class Status(Enum):
    """The status of a program, or of one check."""

    PASS = "pass"
    FAIL = "fail"
    UNSUPPORTED = "unsupported"
    ERROR = "error"
    TIMEOUT = "timeout"
    EXCLUDED = "excluded"


WORST = (Status.TIMEOUT, Status.ERROR, Status.FAIL, Status.UNSUPPORTED)
"""The statuses from worst to mildest.  A program has the status of its worst finding."""


@frozen
class Where:
    """The run that a finding is about: entry point, case and engine, as far as they matter."""

    entry: str = ""
    case: str = ""
    via: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.entry, self.case, self.via and f"via {self.via}")))


WHOLE = Where()
"""The program as a whole."""


@frozen
class Finding:
    """One check that did not pass."""

    status: Status
    kind: str
    """The group under which the summary counts the finding."""
    reason: str
    at: str
    """``file:line:col`` or the file."""
    where: Where = WHOLE
    expected: str = ""
    actual: str = ""

    @property
    def sentence(self) -> str:
        """The finding in one line: run, kind and reason."""
        where = str(self.where)
        what = self.reason if self.reason.startswith(self.kind) else f"{self.kind}: {self.reason}"
        values = f"expected {self.expected}, got {self.actual}"
        if (self.expected or self.actual) and values not in what:
            what += f"; {values}"
        return _one_line(f"{where}: {what}" if where else what)

    def to_json(self) -> dict[str, str]:
        """Return the finding as JSON data, which ``from_json`` reads."""
        texts = {"status": self.status.value, "kind": self.kind, "reason": self.reason}
        shown = {"expected": self.expected, "actual": self.actual}
        return texts | {"at": self.at} | asdict(self.where) | shown

    @staticmethod
    def from_json(data: Mapping[str, str]) -> "Finding":
        """Return the finding that ``to_json`` has encoded."""
        status, where = Status(data["status"]), Where(data["entry"], data["case"], data["via"])
        texts = (data["kind"], data["reason"], data["at"])
        return Finding(status, *texts, where, data["expected"], data["actual"])


def _one_line(text: str) -> str:
    return " ".join(text.split())


@frozen
class Verdict:
    """All results for one program."""

    file: str
    checks: int = 0
    """The number of runs, counts and compilations that were compared with expectations."""
    findings: tuple[Finding, ...] = ()
    excluded: bool = False
    bare: bool = False
    """True if the program has no expectations: only its compilation was checked."""
    seconds: float = field(default=0.0, eq=False)
    notes: tuple[str, ...] = ()
    """The references used, where it was not the value interpreter on all of the data."""

    @property
    def status(self) -> Status:
        if self.excluded:
            return Status.EXCLUDED
        found = {f.status for f in self.findings}
        return next((s for s in WORST if s in found), Status.PASS)

    @property
    def worst(self) -> Finding | None:
        """The first finding with the status of the program, or None."""
        return next((f for f in self.findings if f.status is self.status), None)

    def to_json(self) -> dict[str, object]:
        """Return the verdict as JSON data, for ``--json`` and for the worker's answer;
        ``from_json`` reads it.
        """
        worst = self.worst
        return {
            "file": self.file,
            "status": self.status.value,
            "reason": worst.sentence if worst else "",
            "checks": self.checks,
            "bare": self.bare,
            "seconds": round(self.seconds, 3),
            "findings": [f.to_json() for f in self.findings],
            "notes": list(self.notes),
        }

    @staticmethod
    def from_json(data: Mapping[str, object]) -> "Verdict":
        """Return the verdict that ``to_json`` has encoded."""
        findings, notes = data["findings"], data["notes"]
        assert isinstance(findings, list)
        assert isinstance(notes, list)
        return Verdict(
            str(data["file"]),
            int(str(data["checks"])),
            tuple(map(Finding.from_json, findings)),
            data["status"] == Status.EXCLUDED.value,
            bool(data["bare"]),
            float(str(data["seconds"])),
            tuple(map(str, notes)),
        )
