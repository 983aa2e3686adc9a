"""Each premise of each type rule is needed: without it, some rejected program is not rejected so.

The checker is loaded with a switch before every premise (tests/ir/check/premises.py).  One premise
after the other is dropped, and at least one program of tests/ir/check/reject must then be accepted,
or be rejected for another reason.
"""

import pytest

from funmem.ir.diagnostics import Diagnostic
from funmem.ir.fun import Ann, Program
from funmem.ir.imp import ImpProgram
from tests.ir.check.corpus import ACCEPTED, BUILT, REJECTED, read, rule_of
from tests.ir.check.premises import PREMISES, Switched, load
from tests.support.sampling import sampled

AnyProgram = Program[Ann] | ImpProgram


@pytest.fixture(scope="module")
def switched() -> Switched:
    return load()


@pytest.fixture(scope="module")
def rejected() -> list[tuple[str, AnyProgram]]:
    """The broken rule and the program."""
    files: list[tuple[str, AnyProgram]] = [(rule_of(p), read(p)) for p in REJECTED]
    return files + [(rule, program) for rule, program, _ in BUILT.values()]


def codes(found: tuple[Diagnostic, ...]) -> list[str]:
    return [d.code for d in found]


def test_with_all_premises_nothing_changes(
    switched: Switched, rejected: list[tuple[str, AnyProgram]]
) -> None:
    for rule, program in rejected:
        assert codes(switched.check_all(program))[:1] == [rule]


def test_every_premise_holds_in_an_accepted_program(switched: Switched) -> None:
    switched.reached.clear()
    for path in ACCEPTED:
        assert not switched.check_all(read(path))
    assert [str(PREMISES[k]) for k in range(len(PREMISES)) if k not in switched.reached] == []


@pytest.mark.parametrize("k", sampled(range(len(PREMISES)), 12, slow=5), ids=map(str, PREMISES))
def test_somebody_notices_a_dropped_premise(
    k: int, switched: Switched, rejected: list[tuple[str, AnyProgram]]
) -> None:
    own = [(rule, p) for rule, p in rejected if rule == PREMISES[k].rule]
    others = [(rule, p) for rule, p in rejected if rule != PREMISES[k].rule]
    with switched.without(k):
        assert any(noticed(switched, rule, p) for rule, p in own + others)


def noticed(switched: Switched, rule: str, program: AnyProgram) -> bool:
    """Whether the program is no longer rejected by its rule; a crash counts."""
    try:
        return codes(switched.check_all(program))[:1] != [rule]
    except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        return True
