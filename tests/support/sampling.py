"""A sample of a long list of cases is tested by default; ``pytest -m slow`` takes the others."""

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], every: int, first: int = 0) -> list[Any]:
    """The cases as parameters of a test, all but each ``every``-th one marked ``slow``.

    The default cases are those at ``first``, ``first + every``, ….  A case that is a tuple gives
    several parameters, as in ``pytest.mark.parametrize``.
    """
    slow = pytest.mark.slow
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=() if k % every == first else slow,
        )
        for k, case in enumerate(cases)
    ]
