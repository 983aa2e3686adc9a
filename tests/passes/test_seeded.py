"""Each seeded bug is caught by the check that its table says; the right pass passes."""

import sys

import pytest

from funmem.ir.verify import Certificate, Verdict
from funmem.passes.runner import Pipeline
from tests.seeded.bug import Caught, SeededBug
from tests.seeded.judge import judge, judge_bug, load
from tests.seeded.table import BUGS
from tests.seeded.world import faulty, patched, source, with_bug
from tests.support.sampling import sampled
from tests.verify_table import STATIC, judged


def named(bug: SeededBug) -> str:
    return bug.name


def test_the_text_of_each_still_occurs_once() -> None:
    assert [bug.name for bug in BUGS if source(bug).count(bug.old) != 1] == []
    assert [bug.name for bug in BUGS if bug.old == bug.new] == []


@pytest.mark.parametrize("bug", sampled(BUGS, 30, slow=3), ids=named)
def test_is_caught(bug: SeededBug) -> None:
    """By the check that the table names; and the verifier does not call it PROVED."""
    bad = faulty(bug, {})  # imported once
    verdict = judge_bug(bug, bad)
    assert verdict is not None, f"nothing catches: {bug.what}"
    assert verdict.caught is bug.caught, verdict.message
    assert verdict.rule == bug.rule, verdict.message
    if "allocate" in bug.pipeline or bug.program.endswith(".funmem"):
        is_not_proved(bug, judged(bug, bad))


def is_not_proved(bug: SeededBug, certificate: Certificate | None) -> None:
    """REFUTED where memory is broken."""
    if certificate is None:
        assert bug.caught in (Caught.CRASH, Caught.TYPES) or "lower" in bug.pipeline
        return
    assert certificate.verdict is not Verdict.PROVED
    if bug.caught in STATIC:
        assert certificate.verdict is Verdict.REFUTED, [
            o for o in certificate.obligations if o.verdict is not Verdict.PROVED
        ]


@pytest.mark.parametrize("bug", sampled(BUGS, 24, slow=7), ids=named)
def test_without_it_the_program_is_valid(bug: SeededBug) -> None:
    assert judge(Pipeline.parse(bug.pipeline), load(bug.program), bug.args) is None


def test_names_are_unique() -> None:
    assert len({b.name for b in BUGS}) == len(BUGS)


def test_a_patched_world_leaves_no_trace() -> None:
    before = {x: m for x, m in sys.modules.items() if x.startswith("funmem")}
    finders = list(sys.meta_path)
    with patched(with_bug(BUGS[0])):
        import funmem.ir.lmad as other

        assert other is not before["funmem.ir.lmad"]
    assert {x: m for x, m in sys.modules.items() if x.startswith("funmem")} == before
    assert sys.meta_path == finders


def test_no_bug_is_caught_by_a_crash() -> None:
    assert [b.name for b in BUGS if b.caught is Caught.CRASH] == []
