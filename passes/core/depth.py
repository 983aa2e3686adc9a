"""Deep trees: passes over Core recurse, and programs nest deeper than Python allows by default."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

LIMIT = 30_000
"""Frames; parsers limit nesting far below what this allows."""


@contextmanager
def deep() -> Iterator[None]:
    """More frames while the block runs."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
