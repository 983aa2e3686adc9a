"""Reports of a test run for people and for machines."""

from collections import Counter
from collections.abc import Iterator, Sequence

from funmem.suite.verdict import Finding, Status, Verdict

WORDS = {
    Status.FAIL: "failed",
    Status.UNSUPPORTED: "not supported",
    Status.ERROR: "error",
    Status.TIMEOUT: "timeout",
}


def lines(verdict: Verdict, *, verbose: bool = False) -> Iterator[str]:
    """Yield one line for a program that did not pass.

    If verbose, yield one line for each finding, for a program that passed, and for each note.
    """
    if verdict.worst is not None and not verbose:
        others = len(verdict.findings) - 1
        more = f" (and {others} more)" if others else ""
        yield _line(verdict.worst) + more
    elif verdict.findings:
        yield from map(_line, verdict.findings)
    elif verbose:
        what = "excluded" if verdict.excluded else f"passed, {verdict.checks} checks"
        what += ", no tests" if verdict.bare else ""
        yield f"{verdict.file}: {what}"
    if verbose:
        yield from (f"{verdict.file}: {note}" for note in verdict.notes)


def _line(f: Finding) -> str:
    word, sentence = f"{WORDS[f.status]}: ", f.sentence
    return f"{f.at}: {'' if word in sentence else word}{sentence}"


def summary(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield how many programs passed, and the reasons of the others, the most frequent first."""
    counted = [v for v in verdicts if not v.excluded]
    passed = sum(v.status is Status.PASS for v in counted)
    left_out = len(verdicts) - len(counted)
    rest = f", {left_out} excluded" if left_out else ""
    yield f"{passed} of {len(counted)} program(s) passed{rest}"
    if bare := sum(v.bare for v in counted if v.status is Status.PASS):
        yield f"  {bare} without tests: they compile, nothing was compared"
    kinds = Counter(v.worst.kind for v in counted if v.worst is not None)
    width = len(str(max(kinds.values(), default=0)))
    for kind, n in sorted(kinds.items(), key=lambda k: (-k[1], k[0])):
        yield f"  {n:{width}} {kind}"
    if others := sum(len(v.notes) for v in counted):
        yield f"  auto output of {others} case(s) is not checked against value alone: see -v"


def to_json(verdicts: Sequence[Verdict]) -> dict[str, object]:
    """Return the data of ``--json``.  Excluded programs are counted, but not listed."""
    counted = [v for v in verdicts if not v.excluded]
    passed = sum(v.status is Status.PASS for v in counted)
    return {
        "passed": passed,
        "failed": len(counted) - passed,
        "excluded": len(verdicts) - len(counted),
        "files": [v.to_json() for v in counted],
    }
