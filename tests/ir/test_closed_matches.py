"""Every form is seen: a ``match`` that tells expressions or statements apart has no wildcard.

Protects the next constructor of a tree: mypy (``exhaustive-match``) names a closed ``match`` that
lacks it, and is silent about one that ends in ``case _``.  A ``match`` that names two or more
classes of one union decides between forms, so it is closed.  One that names a single class looks
for that shape, and what it does not find may be anything.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from typing import get_args

import pytest

from funmem.frontends.futhark import ast as fut
from funmem.ir import core, fun, imp
from tests.support.paths import ROOT

ROOMS = ("ir", "passes", "interp", "codegen", "funmem")


def members(union: object) -> frozenset[str]:
    """The names of the classes of a union, and of their kinds: their base classes beside them."""
    parts = [getattr(part, "__origin__", part) for part in get_args(union)]
    return frozenset(
        of.__name__ for c in parts for of in c.__mro__ if of.__module__ == c.__module__
    )


UNIONS: Mapping[str, frozenset[str]] = {
    "funmem.ir.fun": members(fun.Exp),
    "funmem.ir.imp": members(imp.ImpStm),
    "funmem.ir.core": members(core.Exp),
    "funmem.frontends.futhark.ast": members(fut.Exp),
}
"""The module that defines a union -> its classes."""


def open_matches(text: str) -> Iterator[tuple[int, list[str]]]:
    """The line of each ``match`` that should be closed, and the classes of one union it names."""
    tree = ast.parse(text)
    origin: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(str(module), names):
                for alias in names:
                    origin[alias.asname or alias.name] = f"{module}.{alias.name}"
            case _:
                pass
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Match) and is_wildcard(node.cases[-1])):
            continue
        named = {
            origin.get(name.partition(".")[0], "") + name[len(name.partition(".")[0]) :]
            for arm in node.cases
            for name in classes(arm.pattern)
        }
        for module, union in UNIONS.items():
            found = sorted(c for c in union if f"{module}.{c}" in named)
            if len(found) > 1:
                yield node.lineno, found


def is_wildcard(arm: ast.match_case) -> bool:
    """True for ``case _`` and ``case e`` without a guard, unless the arm never returns."""
    if not (isinstance(arm.pattern, ast.MatchAs) and arm.pattern.pattern is None):
        return False
    return arm.guard is None


def classes(pattern: ast.pattern) -> Iterator[str]:
    """The classes that a pattern asks for at its top; not those of what is inside."""
    match pattern:
        case ast.MatchClass(cls):
            yield ast.unparse(cls)
        case ast.MatchOr(patterns):
            for p in patterns:
                yield from classes(p)
        case ast.MatchAs(ast.pattern() as inner):
            yield from classes(inner)
        case _:
            pass


@cache
def violations(room: str) -> tuple[str, ...]:
    return tuple(
        f"{path.relative_to(ROOT)}:{line}: {', '.join(found)}"
        for path in sorted((ROOT / room).rglob("*.py"))
        for line, found in open_matches(path.read_text(encoding="utf-8"))
    )


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOMS)
def test_a_match_that_tells_forms_apart_has_no_wildcard(room: str) -> None:
    assert list(violations(room)) == []


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("match e:\n case Copy(): a\n case Concat(): b\n case _: c", True),
        ("match e:\n case Copy() | Concat(): a\n case other: c", True),
        ("match e:\n case Copy() as x: a\n case Concat(): b\n case other: c", True),
        ("match e:\n case c.Map(): a\n case c.Scan(): b\n case _: c", True),
        ("match e:\n case c.Control(): a\n case c.Map(): b\n case _: c", True),
        ("match e:\n case Copy(): a\n case _: c", False),
        ("match e:\n case Copy(): a\n case Copy(x) if x: b\n case _: c", False),
        ("match e:\n case Copy(): a\n case Concat(): b", False),
        ("match e:\n case str(): a\n case int(): b\n case _: c", False),
    ],
)
def test_open_matches_are_found(text: str, *, is_open: bool) -> None:
    head = "from funmem.ir import core as c\nfrom funmem.ir.fun import Copy, Concat\n"
    assert bool(list(open_matches(head + text))) is is_open
