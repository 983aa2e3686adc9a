"""The programs of tests/programs/nova and papers/nova that run, and those that are rejected."""

from tests.support.paths import ROOT, TESTS

FOLDER = TESTS / "programs" / "nova"
REJECTED = sorted((FOLDER / "reject").glob("*.nova"))
IRREGULAR = sorted((ROOT / "papers" / "nova" / "irregular").glob("*.nova"))
ACCEPTED = sorted(p for p in FOLDER.rglob("*.nova") if p.parent != FOLDER / "reject") + IRREGULAR
BENCHMARKS = sorted((ROOT / "papers" / "nova" / "benchmarks").rglob("*.nova"))
