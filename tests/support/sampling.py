"""Tests of a long list of cases: some run by default, some as slow tests, the others on request.

``python -m pytest`` runs the default cases and ``python -m pytest -m slow`` the slow ones; both run
in CI.  ``python -m pytest -m exhaustive`` runs the cases that are left.
"""

from collections.abc import Iterable
from typing import Any

import pytest

_ParameterSet = type(pytest.param())


def sampled(
    cases: Iterable[Any], every: int, first: int = 0, *, slow: int | None = None
) -> list[Any]:
    """Return the cases as parameters of a test, with the marks of the run they belong to.

    The default cases are those at ``first``, ``first + every``, …; with ``every`` 0 there are none.
    Of the others each ``slow``-th one is marked ``slow`` and the rest ``exhaustive``; with 0 all
    are ``exhaustive``.  Without ``slow``, a list with default cases has no slow ones, which would
    be a second sample of the same property; of a list without default cases each sixth is slow.

    A case that is a tuple gives several parameters, as in ``pytest.mark.parametrize``; a
    ``pytest.param`` keeps its id and its marks.
    """
    if slow is None:
        slow = 0 if every else 6
    chosen = []
    others = 0
    for k, case in enumerate(cases):
        marks = []
        if not every or k % every != first:
            marks = [pytest.mark.slow if slow and others % slow == 0 else pytest.mark.exhaustive]
            others += 1
        if isinstance(case, _ParameterSet):
            chosen.append(pytest.param(*case.values, marks=[*case.marks, *marks], id=case.id))
        else:
            values = case if isinstance(case, tuple) else (case,)
            chosen.append(pytest.param(*values, marks=marks))
    return chosen
