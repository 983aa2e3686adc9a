"""The programs of tests/programs/nova: those that run, and those that are rejected."""

from tests.support.paths import ROOT, TESTS

FOLDER = TESTS / "programs" / "nova"
REJECTED = sorted((FOLDER / "reject").glob("*.nova"))
ACCEPTED = sorted(p for p in FOLDER.rglob("*.nova") if p.parent != FOLDER / "reject")
BENCHMARKS = sorted((ROOT / "papers" / "nova" / "benchmarks").rglob("*.nova"))
