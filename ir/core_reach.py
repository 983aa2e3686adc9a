"""The definitions that an expression of Core needs.

Those of them that are no functions, or that compute something before they are one, are evaluated at
the start of an entry point, whether or not it comes to need them: a definition is computed once, so
it must not matter where it is mentioned first.
"""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.core import Def, Exp, Type
from funmem.ir.core_traverse import instantiate_type, parts, unsized
from funmem.ir.names import Name

Instance: TypeAlias = tuple[Name, tuple[Type, ...]]
"""A definition, and what its type parameters are; sizes in them do not count."""

MOST = 10_000
"""Instances that are looked for; with polymorphic recursion there is no end to them."""


def reached(e: Exp, defs: Mapping[Name, Def]) -> list[Instance]:
    """The definitions that an expression mentions, and those that they mention, in that order.

    A definition that is not there (the checker says so: C-GLOBAL) mentions none.
    """
    found: dict[Instance, None] = dict.fromkeys(_mentioned(e, {}))
    todo = list(found)
    while todo and len(found) < MOST:
        name, types = todo.pop(0)
        d = defs.get(name)
        image = {} if d is None else dict(zip(d.tparams, types, strict=True))
        for instance in () if d is None else _mentioned(d.exp, image):
            if instance not in found:
                found[instance] = None
                todo.append(instance)
    return list(found)


def computed(d: Def) -> bool:
    """Whether a definition is evaluated at the start."""
    return not isinstance(d.exp, c.Lambda | c.Mu)


def _mentioned(e: Exp, image: Mapping[Name, Type]) -> Iterator[Instance]:
    todo = [e]
    while todo:
        x = todo.pop()
        if isinstance(x, c.Global):
            yield x.name, tuple(unsized(instantiate_type(t, image)) for t in x.types)
        todo += reversed(list(parts(x)))
