"""Passes on Core recurse over trees that may nest deeper than Python's default limit allows."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

LIMIT = 30_000
"""The number of Python frames; the parsers' limits on nesting need far fewer."""


@contextmanager
def deep() -> Iterator[None]:
    """Raise Python's recursion limit to at least LIMIT while the block runs."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
