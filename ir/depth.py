"""A higher limit on recursion: functions on Core recurse, and programs nest deeper than Python's
default limit allows.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

LIMIT = 30_000
"""The recursion limit in frames; parsers limit nesting far below what this allows."""


@contextmanager
def deep() -> Iterator[None]:
    """Raise Python's recursion limit to ``LIMIT`` while the block runs."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
