"""The rows of a run so far: written after each program, and read again by a run that resumes."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field

from funmem.bench.limits import Limits
from funmem.bench.rows import Row, read_rows, write
from funmem.bench.table import document, in_a_line
from funmem.codegen.files import write_file
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.record import define


def settings(
    engines: Sequence[str],
    peers: Sequence[str],
    rounds: int,
    threads: int | None,
    sizes: str | None,
    scale: float,
    *,
    safe: bool,
) -> dict[str, Any]:
    """Return the settings that all rows of one table must share."""
    return {
        "engines": list(engines),
        "peers": list(peers),
        "rounds": rounds,
        "threads": threads,
        "random": sizes,
        "scale": scale,
        "safe": safe,
    }


@define(eq=False)
class Progress:
    """The rows that were measured, and the files that are rewritten after each program.

    ``output`` gets the rows as JSON, ``markdown`` the tables.
    """

    output: Path | None
    markdown: Path | None
    settings: Mapping[str, Any]
    rows: list[Row] = field(factory=list)

    @staticmethod
    def begun(
        output: str | None, markdown: str | None, settings: Mapping[str, Any], *, resume: bool
    ) -> "Progress":
        """Return the rows of the file ``output`` if the run resumes, and otherwise none.

        A file that does not exist has no rows.  Raises UsageError.
        """
        if resume and output is None:
            raise UsageError(Diagnostic(NOWHERE, "bench", "--resume needs --json FILE"))
        json = None if output is None else Path(output)
        text = None if markdown is None else Path(markdown)
        before = read_rows(json, settings) if resume and json is not None and json.exists() else []
        return Progress(json, text, settings, before)

    def measured(self, name: str, engines: Sequence[str]) -> bool:
        """True if there is a row of this task for each engine."""
        return {(name, via) for via in engines} <= {(r.name, r.via) for r in self.rows}

    def add(self, rows: Sequence[Row], limits: Limits | None) -> Iterator[str]:
        """Add the rows of a task, write the files, and return a line of text for each row."""
        self.rows += rows
        if self.output is not None:
            write(self.output, self.rows, limits, self.settings)
        if self.markdown is not None:
            write_file(self.markdown, "\n".join(document(self.rows)) + "\n")
        return map(in_a_line, rows)
