"""What is found out about a program."""

from collections.abc import Mapping
from enum import Enum

from attrs import asdict, field

from funmem.ir.record import frozen


class Status(Enum):
    """What became of a program, or of one check."""

    PASS = "pass"
    FAIL = "fail"
    UNSUPPORTED = "unsupported"
    ERROR = "error"
    TIMEOUT = "timeout"
    EXCLUDED = "excluded"


WORST = (Status.TIMEOUT, Status.ERROR, Status.FAIL, Status.UNSUPPORTED)
"""A program has the status of its worst finding: what comes first here."""


@frozen
class Where:
    """Which run a finding is about: an entry point, a case, an engine, as far as they matter."""

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
    """What findings have in common: the summary counts it."""
    reason: str
    at: str
    """``file:line:col`` or the file."""
    where: Where = WHOLE
    expected: str = ""
    actual: str = ""

    @property
    def sentence(self) -> str:
        """Where, what and why in one line."""
        where = str(self.where)
        what = self.reason if self.reason.startswith(self.kind) else f"{self.kind}: {self.reason}"
        values = f"expected {self.expected}, got {self.actual}"
        if (self.expected or self.actual) and values not in what:
            what += f"; {values}"
        return _one_line(f"{where}: {what}" if where else what)

    def to_json(self) -> dict[str, str]:
        """As data; ``from_json`` reads it."""
        texts = {"status": self.status.value, "kind": self.kind, "reason": self.reason}
        shown = {"expected": self.expected, "actual": self.actual}
        return texts | {"at": self.at} | asdict(self.where) | shown

    @staticmethod
    def from_json(data: Mapping[str, str]) -> "Finding":
        """What ``to_json`` made."""
        status, where = Status(data["status"]), Where(data["entry"], data["case"], data["via"])
        texts = (data["kind"], data["reason"], data["at"])
        return Finding(status, *texts, where, data["expected"], data["actual"])


def _one_line(text: str) -> str:
    return " ".join(text.split())


@frozen
class Verdict:
    """All that is known of one program."""

    file: str
    checks: int = 0
    """Runs, counts and compilations that were compared with what is expected of them."""
    findings: tuple[Finding, ...] = ()
    excluded: bool = False
    bare: bool = False
    """The program says nothing of what it should do: that it compiles is all that was checked."""
    seconds: float = field(default=0.0, eq=False)
    notes: tuple[str, ...] = ()
    """Who has judged, where that was not the value interpreter, or not on all of the data."""

    @property
    def status(self) -> Status:
        if self.excluded:
            return Status.EXCLUDED
        found = {f.status for f in self.findings}
        return next((s for s in WORST if s in found), Status.PASS)

    @property
    def worst(self) -> Finding | None:
        """The first of the findings that decide."""
        return next((f for f in self.findings if f.status is self.status), None)

    def to_json(self) -> dict[str, object]:
        """For ``--json``, and for the way from a worker; ``from_json`` reads it."""
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
        """What ``to_json`` made."""
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
