"""What the verifier says of faulty passes: PROVED of none, REFUTED where memory is broken."""

import pytest

from funmem.passes.verify import Verdict
from tests.seeded.bug import Caught, SeededBug
from tests.seeded.table import BUGS
from tests.verify_table import STATIC, judged

IN_MEMORY = [b for b in BUGS if "allocate" in b.pipeline or b.program.endswith(".funmem")]


@pytest.mark.parametrize("bug", IN_MEMORY, ids=lambda b: b.name)
def test_no_seeded_bug_is_proved(bug: SeededBug) -> None:
    certificate = judged(bug)
    if certificate is None:
        assert bug.caught in (Caught.CRASH, Caught.TYPES) or "lower" in bug.pipeline
        return
    assert certificate.verdict is not Verdict.PROVED
    if bug.caught in STATIC:
        assert certificate.verdict is Verdict.REFUTED, [
            o for o in certificate.obligations if o.verdict is not Verdict.PROVED
        ]
