"""How Python calls entry points: the trees of parameters and results, and identifiers.

A compiled module (:mod:`funmem.codegen.python_module`) has a function for each entry point.
"""

import keyword
import re
from collections.abc import Iterable
from enum import Enum
from typing import TypeAlias

from funmem.codegen.plan import EntryPlan
from funmem.ir.interface import Interface
from funmem.ir.record import frozen

# ---------------------------------------------------------------------- functions


class Kind(Enum):
    """The Python type of a tree's node."""

    TUPLE = "tuple"
    LIST = "list"
    DICT = "dict"
    DATACLASS = "dataclass"
    NAMED_TUPLE = "NamedTuple"


@frozen
class Leaf:
    """An argument or a result of the entry point; a scalar result with ``numpy`` is numpy's."""

    numpy: bool = False


@frozen
class Node:
    """A container; ``name`` is that of its class, which the module defines."""

    kind: Kind
    labels: tuple[str, ...]
    parts: tuple["Tree", ...]
    name: str = ""


@frozen
class Other:
    """A result by name that is no container: a ``Variant``, or a list of such.

    ``type`` is its type in the stub, ``parts`` the number of the entry point's results that it is
    made of, ``inner`` the trees in it, each with the places of its parts among these.
    """

    type: str
    parts: int
    inner: tuple[tuple["Tree", tuple[int, ...]], ...] = ()


Tree: TypeAlias = Leaf | Node | Other


class Passing(Enum):
    """How a parameter is passed."""

    POSITION = "by position"
    EITHER = "by position or name"
    NAME = "by name"


@frozen
class Param:
    """A parameter of a function; ``default`` is a Python literal, or empty."""

    name: str
    tree: Tree = Leaf()
    default: str = ""
    passing: Passing = Passing.EITHER


@frozen
class Function:
    """How Python calls the entry point ``entry``: the leaves of parameters and result, in order,
    are its arguments and results.

    With an ``interface``, arguments and results are passed by name, each parameter is one of the
    interface, and rows of different lengths are one leaf.
    """

    entry: str
    params: tuple[Param, ...]
    result: Tree
    doc: str = ""
    interface: Interface | None = None


def function_of(e: EntryPlan) -> Function:
    """Return the function for an entry point of a language without trees."""
    names = identifiers([p.name for p in e.params])
    results = tuple(Leaf() for _ in e.results)
    labels = tuple(map(str, range(len(results))))
    tree = results[0] if len(results) == 1 else Node(Kind.TUPLE, labels, results)
    return Function(e.name, tuple(map(Param, names)), tree)


# ---------------------------------------------------------------------- names


def identifier(name: str, taken: Iterable[str] = ()) -> str:
    """Return a Python identifier that resembles ``name``.

    It is not a keyword, does not begin with ``_`` and is not in ``taken``.
    """
    text = re.sub(r"[^A-Za-z0-9_]", "_", name).lstrip("_") or "x"
    if text[0].isdigit() or keyword.iskeyword(text) or keyword.issoftkeyword(text):
        text = f"x_{text}"
    while text in taken:
        text += "_"
    return text


def identifiers(names: Iterable[str]) -> list[str]:
    """Return different Python identifiers that resemble ``names``."""
    found: list[str] = []
    for x in names:
        found.append(identifier(x, found))
    return found


def literal(s: str) -> str:
    """Return a string literal in ASCII."""
    return ascii(s)
