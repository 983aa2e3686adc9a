"""What people are told, and the files that repeat a difference."""

from collections import Counter
from pathlib import Path

from attrs import define, field

from tests.against_futhark.coverage import Coverage
from tests.against_futhark.judge import Finding, Trial, Verdict
from tests.against_futhark.peer import show_value


@define
class Report:
    """The findings so far, and where they are written to."""

    out: Path | None
    programs: int = 0
    refused: int = 0
    """By both."""
    same_results: int = 0
    same_errors: int = 0
    different: int = 0
    """Calls."""
    open: Counter[str] = field(factory=Counter)
    """Differences that nobody has explained, by kind."""
    explained: Counter[tuple[str, str]] = field(factory=Counter)
    """The others, by kind and reason."""
    coverage: Coverage = field(factory=Coverage)

    def add(self, trial: Trial, verdict: Verdict) -> list[str]:
        """A line for each difference of one program; they become files."""
        self.programs += 1
        self.refused += verdict.refused
        self.same_results += verdict.same_results
        self.same_errors += verdict.same_errors
        self.different += verdict.different
        self.coverage.add(trial.text, trial.name)
        lines: list[str] = []
        for f in verdict.findings:
            d = f.difference
            if d.known:
                self.explained[d.kind.value, d.known] += 1
            else:
                self.open[d.kind.value] += 1
            self._write(f)
            what = " ".join(d.what.split())[:300]
            because = f" [{d.known}]" if d.known else ""
            lines.append(f"{f.trial.name}: {d.kind.value}: {what}{because}")
        return lines

    def _write(self, f: Finding) -> None:
        if self.out is None:
            return
        folder = self.out / ("explained" if f.difference.known else "open")
        folder.mkdir(parents=True, exist_ok=True)
        kind = f.difference.kind.name.lower()
        (folder / f"{kind}_{Path(f.trial.name).stem}.fut").write_text(reproducer(f))

    def summary(self) -> list[str]:
        """The counts."""
        refused = f" ({self.refused} refused by both)" if self.refused else ""
        calls = self.same_results + self.same_errors + self.different
        lines = [
            f"{self.programs} programs{refused}, {calls} sets of arguments: {self.same_results} "
            f"with the same results, {self.same_errors} with the same error",
            f"{self.open.total()} differences unexplained",
            *(f"  {count:5} {kind}" for kind, count in self.open.most_common()),
        ]
        if self.explained:
            lines.append(f"{self.explained.total()} explained")
            lines += [
                f"  {count:5} {kind}: {why}" for (kind, why), count in self.explained.most_common()
            ]
        return [*lines, *self.coverage.summary()]


def reproducer(f: Finding) -> str:
    """A program whose comments say what differs, for which call."""
    d = f.difference
    lines = [f"{f.trial.name}: {d.kind.value}", *d.what.splitlines(), d.known]
    text = "".join(f"-- {line}\n" for line in lines if line)
    if f.call is not None:
        text += f"-- ==\n-- entry: {f.call.entry}\n"
        text += f"-- input {{ {' '.join(map(show_value, f.call.args))} }}\n\n"
    return text + f.trial.text
