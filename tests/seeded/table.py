"""All seeded bugs."""

from tests.seeded import bugs_allocate, bugs_simplify
from tests.seeded.bug import SeededBug

BUGS: tuple[SeededBug, ...] = (*bugs_allocate.BUGS, *bugs_simplify.BUGS)
