"""What the verifier says of faulty passes: PROVED of none, REFUTED where memory is broken."""

import pytest

from funmem.passes.verify import Verdict
from tests.seeded.bug import SeededBug
from tests.seeded.table import BUGS
from tests.verify_table import STATIC, judged


@pytest.mark.parametrize("bug", BUGS, ids=lambda b: b.name)
def test_no_seeded_bug_is_proved(bug: SeededBug) -> None:
    certificate = judged(bug)
    if certificate is None:
        pytest.skip("there is no program in memory")
    assert certificate.verdict is not Verdict.PROVED
    if bug.caught in STATIC:
        assert certificate.verdict is Verdict.REFUTED, [
            o for o in certificate.obligations if o.verdict is not Verdict.PROVED
        ]
