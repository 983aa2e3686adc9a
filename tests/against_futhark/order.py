"""Which of two errors comes first: Futhark evaluates arguments from the right, we from the left.

The order is open in the language; ``f (1 / 0) xs[7]`` may fail either way.
"""

from collections.abc import Collection, Iterator

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.parser import parse
from funmem.ir.diagnostics import Span
from tests.against_futhark.coverage import nodes


def from_the_right(text: str, theirs: Collection[str], ours: Collection[str]) -> bool:
    """Whether their error is in a later argument of an application than ours.

    Places are ``line:column``, as in Failed.
    """
    for e in nodes(parse(text, "order.fut")):
        if isinstance(e, ast.App):
            given = _arguments(e)
            for k, x in enumerate(given):
                if _holds(x, ours) and any(_holds(y, theirs) for y in given[k + 1 :]):
                    return True
    return False


def _arguments(e: ast.App) -> list[ast.Exp]:
    given: list[ast.Exp] = []
    fn: ast.Exp = e
    while isinstance(fn, ast.App):
        given.insert(0, fn.arg)
        fn = fn.fn
    return given


def _holds(e: ast.Exp, places: Collection[str]) -> bool:
    """Whether an expression has a part at one of the places."""
    return any(at in places for at in _places(e))


def _places(e: ast.Exp) -> Iterator[str]:
    for x in nodes(e):
        at = getattr(x, "at", None)
        if isinstance(at, Span):
            yield f"{at.line}:{at.col}"
