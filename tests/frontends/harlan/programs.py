"""The programs of tests/programs/harlan: those that run, and those that are rejected."""

from tests.support.paths import TESTS

FOLDER = TESTS / "programs" / "harlan"
REJECTED = sorted((FOLDER / "reject").glob("*.kfc"))
ACCEPTED = sorted(p for p in FOLDER.rglob("*.kfc") if p.parent != FOLDER / "reject")
