"""Each seeded bug of the front end is noticed by what its table says; the right one passes."""

import pytest

from funmem.frontends.harlan.program import to_core
from tests.seeded.bugs_harlan import BUGS
from tests.seeded.core import source
from tests.seeded.harlan import HarlanBug, faulty, judge_bug
from tests.support.sampling import sampled


def named(bug: HarlanBug) -> str:
    return bug.name


def test_the_texts_still_occur_once() -> None:
    assert [b.name for b in BUGS if source(b.place).count(b.old) != 1 or b.old == b.new] == []
    assert len({b.name for b in BUGS}) == len(BUGS)


@pytest.mark.parametrize("bug", sampled(BUGS, 3, slow=1), ids=named)
def test_is_noticed(bug: HarlanBug) -> None:
    found = judge_bug(bug, faulty(bug))
    assert found is not None, f"nothing notices it: {bug.what}"
    seen, what = found
    assert seen is bug.noticed, what


def test_without_them_nothing_is_wrong() -> None:
    for bug in BUGS:
        assert judge_bug(bug, to_core) is None, bug.name
