"""Each seeded bug of regions is noticed by what its table says; without it nothing is wrong."""

import pytest

from tests.seeded.bugs_regions import BUGS, PROGRAMS
from tests.seeded.core import source
from tests.seeded.regions import Caught, RegionBug, judged
from tests.support.sampling import sampled


def named(bug: RegionBug) -> str:
    return bug.name


@pytest.mark.parametrize("bug", sampled([pytest.param(b, id=b.name) for b in BUGS], 6, slow=2))
def test_is_noticed(bug: RegionBug) -> None:
    found = judged(bug, PROGRAMS[bug.program], bug.placement)
    assert found is not None, "nothing notices it"
    seen, what = found
    assert seen is bug.caught, what
    assert bug.rule in what


@pytest.mark.parametrize("program", sampled(PROGRAMS, 3))
def test_without_a_bug_nothing_is_wrong(program: str) -> None:
    assert judged(None, PROGRAMS[program], "tight") is None
    assert judged(None, PROGRAMS[program], "entry") is None


def test_the_table() -> None:
    assert len({b.name for b in BUGS}) == len(BUGS) >= 12
    for bug in BUGS:
        assert source(bug.module).count(bug.old) == 1, bug.name
    assert {b.caught for b in BUGS} == set(Caught)
