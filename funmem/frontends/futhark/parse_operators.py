"""Operator precedence, from the loosest to the tightest.

A user-defined operator has the precedence of the longest operator in this table that its name
begins with: ``+++`` binds like ``+``, and ``<|>`` like ``<|``.

    e : t   e :> t                      left
    a..b...c   a..<b   a..>b            right
    a `f` b                             left
    e with [i] = v                      left
    |>                                  left
    <|                                  right
    ||                                  left
    &&                                  left
    == != < > <= >=   and !… =…         left
    & ^ |                               left
    << >>                               left
    + -                                 left
    * / % // %%                         left
    **                                  left
    -e  !e
    f e
    e.l  e[i]
"""

from collections.abc import Mapping
from enum import IntEnum
from functools import cache
from typing import NamedTuple


class Level(IntEnum):
    """Precedence of an expression: a higher level binds more tightly."""

    GREEDY = 0
    """let, if, loop, match, lambda: they extend as far to the right as possible."""
    ASCRIPT = 1
    RANGE = 2
    BACKQUOTE = 3
    WITH = 4
    PIPE = 5
    BACK_PIPE = 6
    OR = 7
    AND = 8
    COMPARE = 9
    BITS = 10
    SHIFT = 11
    ADD = 12
    MULTIPLY = 13
    POWER = 14
    PREFIX = 15
    APPLY = 16
    ATOM = 17


RIGHT = frozenset((Level.RANGE, Level.BACK_PIPE))
"""The right-associative levels."""

_LEVELS: Mapping[str, Level] = {
    op: level
    for ops, level in (
        ("|>", Level.PIPE),
        ("<|", Level.BACK_PIPE),
        ("||", Level.OR),
        ("&&", Level.AND),
        ("== != < > <= >= ! =", Level.COMPARE),
        ("& ^ |", Level.BITS),
        ("<< >>", Level.SHIFT),
        ("+ -", Level.ADD),
        ("* / % // %%", Level.MULTIPLY),
        ("**", Level.POWER),
    )
    for op in ops.split()
}

RANGES = frozenset(("...", "..<", "..>", ".."))


class Operator(NamedTuple):
    """An operator such as ``m.+``, split into module names and operator, with its level."""

    quals: tuple[str, ...]
    name: str
    level: Level


@cache
def operator(text: str) -> Operator:
    """Split an operator token."""
    if text.startswith("`"):
        *quals, name = text[1:-1].split(".")
        return Operator(tuple(quals), name, Level.BACKQUOTE)
    start = next(k for k, char in enumerate(text) if not (char.isalnum() or char in "_'."))
    name = text[start:]
    return Operator(tuple(text[:start].split(".")[:-1]), name, level_of(name))


def level_of(name: str) -> Level:
    """Return the level of an operator from its first characters; names are backquoted."""
    for length in (2, 1):
        if (level := _LEVELS.get(name[:length])) is not None:
            return level
    return Level.BACKQUOTE
