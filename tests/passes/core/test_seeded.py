"""Each seeded bug of a pass on Core is noticed by what its table says; the right pass passes."""

import pytest

from tests.seeded import bugs_closures, bugs_kernels
from tests.seeded.bugs_box_rows import BUGS as BOXES
from tests.seeded.bugs_core import BUGS as OTHERS
from tests.seeded.bugs_tables import BUGS as TABLES
from tests.seeded.core import CoreBug, Seen, judge_bug, source
from tests.support.core_samples import SAMPLES, Sample
from tests.support.sampling import sampled

KERNELS = bugs_kernels.BUGS
BUGS = (*OTHERS, *TABLES, *BOXES, *KERNELS, *bugs_closures.BUGS)
RUN = [
    *sampled(OTHERS, 2, slow=2),
    *sampled(TABLES, 7, slow=2),
    *sampled(BOXES, 5, slow=2),
    *sampled(KERNELS, 7, slow=2),
    *sampled(bugs_closures.BUGS, 3, slow=2),
]

FIRST = {(b.pass_name, b.sample): b for b in reversed(BUGS)}
"""One bug for each sample of a pass."""


def named(bug: CoreBug) -> str:
    return bug.name


def sample_of(bug: CoreBug) -> Sample:
    if bug in KERNELS:
        return bugs_kernels.sample_of(bug.sample)
    closures = bug.pass_name == bugs_closures.PASS
    return bugs_closures.sample_of(bug.sample) if closures else SAMPLES[bug.sample]


def test_the_text_of_each_still_occurs_once() -> None:
    assert [bug.name for bug in BUGS if source(bug.place).count(bug.old) != 1] == []
    assert [bug.name for bug in BUGS if bug.old == bug.new] == []


@pytest.mark.parametrize("bug", RUN, ids=named)
def test_is_noticed(bug: CoreBug) -> None:
    found = judge_bug(bug, bug.pass_name, sample_of(bug))
    assert found is not None, "nothing notices it"
    seen, what = found
    assert seen is bug.seen, what
    if seen is Seen.RULE:
        assert bug.rule in what


@pytest.mark.parametrize("bug", sampled(FIRST.values(), 0, slow=5), ids=named)
def test_without_it_nothing_is_wrong(bug: CoreBug) -> None:
    assert judge_bug(None, bug.pass_name, sample_of(bug)) is None


def test_names_are_unique() -> None:
    assert len({b.name for b in BUGS}) == len(BUGS)


def test_each_pass_has_enough() -> None:
    for name in ("monomorphise", "lambda-lift", "defunctionalise", "tables"):
        assert sum(b.pass_name == name for b in BUGS) >= 4
